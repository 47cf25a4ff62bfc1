//! Command line -> effects.

use std::path::Path;

use hostler_model::{Coverage, Effect, Place, Step};

/// What a command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its effects in order.
    pub effects: Vec<Effect>,
    /// Every simple command with resolved words, wrappers stripped.
    pub commands: Vec<Command>,
    /// How much was understood.
    pub coverage: Coverage,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its resolved words; `None` where a word depends on what only the run can tell.
    pub words: Vec<Option<String>>,
}

impl Report {
    /// The analysis as steps of an explanation.
    pub fn steps(&self) -> Vec<Step> {
        Vec::new()
    }
}

/// Analyses `command` as bash would run it in `cwd`.
pub fn analyse(_command: &str, _cwd: &Path, _place: &Place) -> Report {
    Report { effects: Vec::new(), commands: Vec::new(), coverage: Coverage::Full }
}
