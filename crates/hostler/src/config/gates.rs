//! What is checked in changed files: `[gates]`.

use std::time::Duration;

use hostler_model::Profile;
use hostler_policy::checks::{Gate, Limit};
use toml::{Table, Value};

use super::{Config, strings};
use crate::gates::tools::{Choice, ToolSettings};

/// Files of which the end of a turn looks at no more.
const FILES_MAX: usize = 30;
/// No tool is waited for longer than this, in seconds.
const SECONDS_MAX: i64 = 3_600;

/// What is configured of gates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gates {
    /// What the end of a turn does with what it finds, where the profile lets it.
    stop: Stop,
    /// The project's formatter runs over files that the session changed, when a turn ends.
    format: Option<bool>,
    /// Of more changed files than this only so many are looked at when a turn ends.
    pub(crate) files_max: usize,
    /// How the project's own tools run.
    pub(crate) tools: ToolSettings,
    /// Changed modules are imported, which runs the project's code; `None`: by profile.
    imports: Option<bool>,
}

/// What the end of a turn does with what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stop {
    /// It does not look.
    Off,
    /// It is recorded.
    Observe,
    /// It is told to the user.
    Warn,
    /// The agent is sent back.
    Deny,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            stop: Stop::Deny,
            format: None,
            files_max: FILES_MAX,
            tools: ToolSettings::default(),
            imports: None,
        }
    }
}

impl Gates {
    /// What the end of a turn does with what it finds.
    pub(crate) fn stop(&self, profile: Profile) -> Stop {
        if profile == Profile::Observe { self.stop.min(Stop::Observe) } else { self.stop }
    }

    /// Whether the end of a turn formats what the session changed.
    pub(crate) fn formats(&self, profile: Profile) -> bool {
        profile != Profile::Observe && self.format.unwrap_or(true)
    }

    /// How tools run in `profile`.
    pub(crate) fn tools(&self, profile: Profile) -> ToolSettings {
        let imports = self.imports.unwrap_or(profile == Profile::Strict);
        ToolSettings { imports, ..self.tools.clone() }
    }
}

impl Config {
    pub(super) fn apply_gates(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match (key.as_str(), value) {
                ("stop", _) => match value.as_str() {
                    Some("off") => self.gates.stop = Stop::Off,
                    Some("observe") => self.gates.stop = Stop::Observe,
                    Some("warn") => self.gates.stop = Stop::Warn,
                    Some("deny") => self.gates.stop = Stop::Deny,
                    _ => self.wrong(shown, "gates.stop", "\"off\", \"observe\", \"warn\" or \"deny\""),
                },
                ("format", Value::Boolean(format)) => self.gates.format = Some(*format),
                ("imports", Value::Boolean(imports)) => self.gates.imports = Some(*imports),
                ("format" | "imports", _) => self.wrong(shown, &format!("gates.{key}"), "true or false"),
                ("files_max", _) => match count(value) {
                    Some(files) => self.gates.files_max = files,
                    None => self.wrong(shown, "gates.files_max", "a whole number, 1 or more"),
                },
                ("paths", _) => match strings(value) {
                    Some(globs) => self.apply_paths(globs, shown),
                    None => self.wrong(shown, "gates.paths", "a list of globs in quotes"),
                },
                ("traced", _) => match strings(value) {
                    Some(folders) => self.settings.checks.traced_folders = Some(folders),
                    None => self.wrong(shown, "gates.traced", "a list of folders in quotes"),
                },
                ("unmeasured", _) => match strings(value) {
                    Some(folders) => self.settings.checks.unmeasured_folders = folders,
                    None => self.wrong(shown, "gates.unmeasured", "a list of folders in quotes"),
                },
                ("checks", Value::Table(table)) => self.apply_checks(table, shown),
                ("limits", Value::Table(table)) => self.apply_limits(table, shown),
                ("tools", Value::Table(table)) => self.apply_tools(table, shown),
                ("seconds", Value::Table(table)) => self.apply_seconds(table, shown),
                ("tests", Value::Table(table)) => self.apply_tests(table, shown),
                ("checks" | "limits" | "tools" | "seconds" | "tests", _) => {
                    self.wrong(shown, &format!("gates.{key}"), &format!("a table: [gates.{key}]"));
                }
                (other, _) => self.unknown(shown, &format!("gates.{other}")),
            }
        }
    }

    /// What cannot be read narrows nothing down.
    fn apply_paths(&mut self, mut globs: Vec<String>, shown: &str) {
        globs.retain(|glob| match hostler_policy::guards::check_glob(glob) {
            Ok(()) => true,
            Err(why) => {
                self.faults.push(format!("{shown}: `gates.paths` holds `{glob}`, which is no glob: {why}"));
                false
            }
        });
        self.settings.reviewed = globs;
    }

    fn apply_checks(&mut self, table: &Table, shown: &str) {
        for (check, value) in table {
            if Gate::of(check).is_none() {
                self.warnings.push(format!(
                    "{shown}: there is no check `{check}`; `hostler review --list` names them"
                ));
            } else if value.as_str().is_none_or(|level| self.settings.checks.set_level(check, level).is_err())
            {
                self.wrong(
                    shown,
                    &format!("gates.checks.{check}"),
                    "\"off\", \"info\", \"warn\" or \"error\"",
                );
            }
        }
    }

    fn apply_limits(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let Some(limit) = value.as_integer().and_then(|it| u64::try_from(it).ok()) else {
                self.wrong(shown, &format!("gates.limits.{key}"), "a whole number, 0 or more");
                continue;
            };
            let checks = &mut self.settings.checks;
            let slot = match key.as_str() {
                "branches_warn" => &mut checks.branches.warn,
                "branches" => &mut checks.branches.error,
                "nesting_warn" => &mut checks.nesting.warn,
                "nesting" => &mut checks.nesting.error,
                "stop_nesting" => &mut checks.stop_nesting_max,
                "function_lines" => &mut checks.function_lines_max,
                "line_chars" => &mut checks.line_chars_max,
                "class_methods" => &mut checks.class_methods_max,
                "self_references" => &mut checks.self_references_max,
                "class_public_methods" => &mut checks.stop_class_public_methods_max,
                "class_lines" => &mut checks.stop_class_lines_max,
                "file_lines" => &mut checks.stop_file_lines_max,
                _ => {
                    self.unknown(shown, &format!("gates.limits.{key}"));
                    continue;
                }
            };
            *slot = limit;
        }
        // Who sets only the limit of errors means no warnings beyond it.
        let ordered = |limit: Limit| Limit { warn: limit.warn.min(limit.error), ..limit };
        let checks = &mut self.settings.checks;
        checks.branches = ordered(checks.branches);
        checks.nesting = ordered(checks.nesting);
    }

    fn apply_tools(&mut self, table: &Table, shown: &str) {
        for (tool, value) in table {
            let choice = match value.as_str() {
                Some("off") => Choice::Off,
                Some("auto") => Choice::Auto,
                Some("required") => Choice::Required,
                _ => {
                    let expected = "\"off\", \"auto\" or \"required\"";
                    self.wrong(shown, &format!("gates.tools.{tool}"), expected);
                    continue;
                }
            };
            self.gates.tools.choices.insert(tool.clone(), choice);
        }
    }

    fn apply_seconds(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let limits = &mut self.gates.tools.limits;
            let slot = match key.as_str() {
                "syntax" => &mut limits.syntax,
                "lint" => &mut limits.lint,
                "types" => &mut limits.types,
                "tests" => &mut limits.tests,
                _ => {
                    self.unknown(shown, &format!("gates.seconds.{key}"));
                    continue;
                }
            };
            match value.as_integer() {
                Some(seconds) if (1..=SECONDS_MAX).contains(&seconds) => {
                    *slot = Duration::from_secs(seconds.unsigned_abs());
                }
                _ => self.wrong(shown, &format!("gates.seconds.{key}"), "a number of seconds, 1 to 3600"),
            }
        }
    }

    fn apply_tests(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let tests = &mut self.gates.tools.tests;
            let slot = match key.as_str() {
                "files_max" => {
                    match count(value) {
                        Some(files) => tests.files_max = files,
                        None => self.wrong(shown, "gates.tests.files_max", "a whole number, 1 or more"),
                    }
                    continue;
                }
                "excluded_names" => &mut tests.excluded_names,
                "excluded_words" => &mut tests.excluded_words,
                "excluded_by_conftest" => &mut tests.excluded_by_conftest,
                _ => {
                    self.unknown(shown, &format!("gates.tests.{key}"));
                    continue;
                }
            };
            match strings(value) {
                Some(words) => *slot = words,
                None => self.wrong(shown, &format!("gates.tests.{key}"), "a list of words in quotes"),
            }
        }
    }
}

/// A number of things of which one is needed.
fn count(value: &Value) -> Option<usize> {
    value.as_integer().and_then(|it| usize::try_from(it).ok()).filter(|it| 0 < *it)
}
