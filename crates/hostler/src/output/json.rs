//! For programs.
