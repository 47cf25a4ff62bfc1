//! Tables of command lines and their effects.
