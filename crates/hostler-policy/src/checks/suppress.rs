//! Findings that the code itself asks to leave out.
