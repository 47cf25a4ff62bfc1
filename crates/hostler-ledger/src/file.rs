//! Atomic replacement of a file that keeps its links, mode, owner and attributes.
