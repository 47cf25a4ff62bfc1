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

    /// How tools run in `profile` by themselves.
    pub(crate) fn tools(&self, profile: Profile) -> ToolSettings {
        let imports = self.imports.unwrap_or(profile == Profile::Strict);
        ToolSettings { imports, ..self.tools.clone() }
    }

    /// How tools run in a review that somebody typed: who asks for all gates asks for the import as well.
    pub(crate) fn tools_as_asked(&self) -> ToolSettings {
        ToolSettings { imports: self.imports.unwrap_or(true), ..self.tools.clone() }
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use hostler_policy::checks::{Finding, Severity};

    use super::*;

    fn read(text: &str) -> Config {
        let mut config = Config::default();
        let table: Table = text.parse().unwrap();
        config.apply_gates(&table, "file");
        config
    }

    #[test]
    fn what_is_said_counts() {
        let config = read(
            "stop = \"warn\"\nformat = false\nfiles_max = 5\npaths = [\"packages/**\"]\nimports = true\n\
             traced = [\"src\"]\nunmeasured = []\n[checks]\nbranches = \"warn\"\n\"stop.stub\" = \"off\"\nlint = \"info\"\n\
             [limits]\nbranches = 5\nstop_nesting = 9\n[tools]\nruff = \"off\"\n\"ruff format\" = \"required\"\n\
             [seconds]\ntests = 600\n[tests]\nfiles_max = 3\nexcluded_names = []\nexcluded_words = [\"slow\"]\n",
        );
        assert_eq!((config.faults, config.warnings), (Vec::new(), Vec::new()));
        let (gates, settings) = (&config.gates, &config.settings);
        assert_eq!(
            (gates.stop(Profile::Standard), gates.stop(Profile::Observe)),
            (Stop::Warn, Stop::Observe)
        );
        assert_eq!((gates.formats(Profile::Strict), gates.files_max), (false, 5));
        assert!(gates.tools(Profile::Standard).imports);
        assert_eq!(settings.reviewed, ["packages/**"]);
        let checks = &settings.checks;
        assert_eq!(checks.branches, Limit { warn: 5, error: 5 });
        assert_eq!((checks.stop_nesting_max, checks.unmeasured_folders.len()), (9, 0));
        let found = |check: &str| Finding {
            check: check.to_owned(),
            severity: Severity::Error,
            ..Finding::default()
        };
        let severity = |check| checks.apply(found(check)).map(|it| it.severity);
        assert_eq!(severity("branches"), Some(Severity::Warn));
        assert_eq!(severity("lint"), Some(Severity::Info));
        assert_eq!(severity("stop.stub"), None);
        let tools = &gates.tools;
        assert_eq!(
            (tools.choice("ruff check"), tools.choice("ruff format")),
            (Choice::Off, Choice::Required)
        );
        assert_eq!((tools.limits.tests.as_secs(), tools.tests.files_max), (600, 3));
        assert_eq!(tools.tests.excluded_words, ["slow"]);
    }

    // @traces REQ-020-060 REQ-020-086 021-CONST-IX-003
    #[test]
    fn what_is_not_said_is_what_the_manual_says() {
        let config = Config::default();
        let checks = &config.settings.checks;
        assert_eq!(checks.branches, Limit { warn: 7, error: 10 });
        assert_eq!(checks.nesting, Limit { warn: 4, error: 5 });
        let limits = config.gates.tools.limits;
        let seconds = [limits.syntax, limits.lint, limits.types, limits.tests].map(|it| it.as_secs());
        assert_eq!(seconds, [10, 30, 60, 300]);
        // All gates of one file, without tests, one after the other.
        assert!(seconds[..3].iter().sum::<u64>() <= 120, "{seconds:?}");
        assert_eq!(config.gates.stop(Profile::Standard), Stop::Deny);
        assert_eq!(
            [Profile::Standard, Profile::Strict].map(|it| config.gates.tools(it).imports),
            [false, true]
        );
        assert!(config.gates.tools_as_asked().imports);
        assert_eq!([Profile::Observe, Profile::Standard].map(|it| config.gates.formats(it)), [false, true]);
    }

    #[test]
    fn what_cannot_be_meant_has_no_effect_and_is_told() {
        for text in [
            "stop = \"ask\"",
            "format = 1",
            "files_max = 0",
            "paths = \"a\"",
            "paths = [\"a[\"]",
            "[checks]\nbranches = \"deny\"",
            "[limits]\nbranches = -1",
            "[tools]\nruff = true",
            "[seconds]\ntests = 0",
            "[tests]\nfiles_max = 0",
            "[tests]\nexcluded_names = \"x\"",
            "checks = 1",
        ] {
            let config = read(text);
            assert_eq!((config.faults.len(), config.warnings.len()), (1, 0), "{text}: {:?}", config.faults);
            assert_eq!(
                (config.gates, config.settings),
                (Gates::default(), Config::default().settings),
                "{text}"
            );
        }
        for text in
            ["other = 1", "[checks]\nnone = \"off\"", "[limits]\nx = 1", "[seconds]\nx = 1", "[tests]\nx = 1"]
        {
            assert_eq!(read(text).warnings.len(), 1, "{text}");
        }
    }
}
