//! What holds for every check.
