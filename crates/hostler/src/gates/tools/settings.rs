//! What a project may set about tools.

use std::collections::BTreeMap;
use std::time::Duration;

/// Whether a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Choice {
    /// Never.
    Off,
    /// Where the project is configured for it.
    #[default]
    Auto,
    /// As `Auto`, and that it cannot run stops the turn.
    Required,
}

/// How long tools may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Syntax alone.
    pub(crate) syntax: Duration,
    /// Linters, formatters, one import.
    pub(crate) lint: Duration,
    /// Type checkers and compilers.
    pub(crate) types: Duration,
    /// Tests.
    pub(crate) tests: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { syntax: seconds(10), lint: seconds(30), types: seconds(60), tests: seconds(300) }
    }
}

/// Which changed tests are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tests {
    /// More files than this are not run at once.
    pub(crate) files_max: usize,
    /// A file with one of these words in its name is not run, upper and lower case alike.
    pub(crate) excluded_names: Vec<String>,
    /// A file that imports or names one of these is not run.
    pub(crate) excluded_words: Vec<String>,
    /// Where a `conftest.py` above a test names one of these, the test is not run.
    pub(crate) excluded_by_conftest: Vec<String>,
}

impl Default for Tests {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect();
        Self {
            files_max: 10,
            excluded_names: words(&["prolog"]),
            excluded_words: words(&["pyswip", "GovernanceEngine", "orchestrata.governance", "PrologBridge"]),
            excluded_by_conftest: words(&["pyswip"]),
        }
    }
}

/// Everything about tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToolSettings {
    /// By the tool's name, e.g. `ruff check`; what is not named is [`Choice::Auto`].
    pub(crate) choices: BTreeMap<String, Choice>,
    /// How long each may take.
    pub(crate) limits: Limits,
    /// Which tests are run.
    pub(crate) tests: Tests,
    /// Changed modules are imported, which runs the project's code.
    pub(crate) imports: bool,
}

impl ToolSettings {
    /// Whether `tool` runs. The first word names all of a program's: `ruff` is `ruff check` and `ruff format`.
    pub(crate) fn choice(&self, tool: &str) -> Choice {
        let program = tool.split(' ').next().unwrap_or(tool);
        self.choices.get(tool).or_else(|| self.choices.get(program)).copied().unwrap_or_default()
    }
}
