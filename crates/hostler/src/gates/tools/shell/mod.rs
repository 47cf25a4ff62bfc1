//! The shell's tools.

pub(super) mod shellcheck;
pub(super) mod shfmt;

const EXTENSIONS: &[&str] = &["sh", "bash", "ksh"];
