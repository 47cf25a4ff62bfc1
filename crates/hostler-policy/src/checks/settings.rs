//! What a project may set: limits and severities. A single file cannot set any of it.

use std::collections::BTreeMap;

use super::{CHECKS, Finding, Severity};

/// How findings of one check count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The check does not run.
    Off,
    /// Its gravest findings have this severity, milder ones at most this.
    At(Severity),
}

impl Level {
    /// Reads `off` or a severity's name.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "off" { Some(Self::Off) } else { Severity::parse(name).map(Self::At) }
    }
}

/// A limit with two steps: more than `error` is an error, more than `warn` a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The largest value that passes without a word.
    pub warn: u64,
    /// The largest value that is no error.
    pub error: u64,
}

impl Limit {
    /// The severity of `value`; `None` when it is within the limit.
    pub fn severity(self, value: u64) -> Option<Severity> {
        if self.error < value {
            Some(Severity::Error)
        } else if self.warn < value {
            Some(Severity::Warn)
        } else {
            None
        }
    }
}

/// Limits, and severities that differ from those shipped. Set for a project, never for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Severities by check id, where they differ.
    pub levels: BTreeMap<String, Level>,
    /// Cyclomatic complexity of a function.
    pub branches: Limit,
    /// Depth of blocks in a function while code is edited.
    pub nesting: Limit,
    /// Depth of blocks in a function at the end of a turn.
    pub stop_nesting_max: u64,
    /// Lines of a function, from its head to its end.
    pub function_lines_max: u64,
    /// Characters of a line.
    pub line_chars_max: u64,
    /// Methods of a class, by different names.
    pub class_methods_max: u64,
    /// References of one method to its own object.
    pub self_references_max: u64,
    /// Public methods of a class at the end of a turn.
    pub stop_class_public_methods_max: u64,
    /// Lines of a class at the end of a turn.
    pub stop_class_lines_max: u64,
    /// Lines of a file at the end of a turn.
    pub stop_file_lines_max: u64,
    /// Temporary comments that are told of one file.
    pub todos_told_max: usize,
    /// Public functions and classes from which on a file should cite a requirement.
    pub traced_items_min: usize,
    /// Folders whose files should cite requirements. `None`: Python files below `packages`.
    pub traced_folders: Option<Vec<String>>,
    /// Folders whose files the size checks at the end of a turn leave out.
    pub unmeasured_folders: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            levels: BTreeMap::new(),
            branches: Limit { warn: 7, error: 10 },
            nesting: Limit { warn: 4, error: 5 },
            stop_nesting_max: 4,
            function_lines_max: 40,
            line_chars_max: 100,
            class_methods_max: 20,
            self_references_max: 15,
            stop_class_public_methods_max: 15,
            stop_class_lines_max: 300,
            stop_file_lines_max: 500,
            todos_told_max: 3,
            traced_items_min: 3,
            traced_folders: None,
            unmeasured_folders: ["spike", "iterations", "ci"].map(str::to_owned).to_vec(),
        }
    }
}

/// Why a setting was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// No check has this id.
    #[error("no check is called `{0}`; `hostler review --list` names them")]
    UnknownCheck(String),
    /// No such severity.
    #[error("`{check}` cannot be `{level}`: write `off`, `info`, `warn` or `error`")]
    UnknownLevel {
        /// The check.
        check: String,
        /// What was written.
        level: String,
    },
}

impl Settings {
    /// Sets the severity of a check of ours or of a tool, from a configuration's words.
    ///
    /// # Errors
    /// [`SettingsError`] for an id or a level that does not exist.
    pub fn set_level(&mut self, check: &str, level: &str) -> Result<(), SettingsError> {
        if super::Gate::of(check).is_none() {
            return Err(SettingsError::UnknownCheck(check.to_owned()));
        }
        let level = Level::parse(level).ok_or_else(|| SettingsError::UnknownLevel {
            check: check.to_owned(),
            level: level.to_owned(),
        })?;
        self.levels.insert(check.to_owned(), level);
        Ok(())
    }

    /// Whether the size checks at the end of a turn leave the file at `path` out.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        folders.split('/').any(|it| self.unmeasured_folders.iter().any(|folder| folder == it))
    }

    /// Whether the check `id` runs.
    pub fn is_on(&self, id: &str) -> bool {
        self.levels.get(id) != Some(&Level::Off)
    }

    /// Gives `finding` its configured severity; `None` when its check is off. For tools' findings as well.
    pub fn apply(&self, mut finding: Finding) -> Option<Finding> {
        match self.levels.get(&finding.check) {
            None => {}
            Some(Level::Off) => return None,
            Some(Level::At(severity)) => {
                let shipped = CHECKS.iter().find(|it| it.id == finding.check).map(|it| it.severity);
                let gravest = shipped.is_none_or(|shipped| shipped <= finding.severity);
                finding.severity = if gravest { *severity } else { finding.severity.min(*severity) };
            }
        }
        Some(finding)
    }
}
