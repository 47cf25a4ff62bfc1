//! Checks: what reviewed code should not hold. One file each; help, manual and tests come from the const.
//!
//! A check looks at one [`Source`], whole, and gives every [`Finding`] of its kind; that only what is new may stop
//! anybody is the business of [`fresh`]. Definitions follow tools that people know where there is one (ruff's C901 for
//! complexity, pep8-naming for names); the check's own file says which.

mod fresh;
mod kind;
mod settings;
mod suppress;

#[cfg(test)]
mod tests;

use hostler_syntax::{Facts, Language};

pub use fresh::fresh;
pub use kind::{Kind, kind};
pub use settings::{Level, Limit, Settings, SettingsError};

/// How much a finding weighs. The order is the meaning: the gravest is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Severity {
    /// Worth knowing; asks for nothing.
    #[default]
    Info,
    /// Told, stops nobody.
    Warn,
    /// Stops an edit or a turn's end where it is new.
    Error,
}

impl Severity {
    /// Stable lower-case name, as in JSON and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }

    /// Reads [`Severity::name`] back.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Info, Self::Warn, Self::Error].into_iter().find(|it| it.name() == name)
    }
}

/// The group that a check belongs to, in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// Whether it parses and is laid out as the project wants it.
    Syntax = 1,
    /// What linters find.
    Lint = 2,
    /// Types, imports, secrets, handlers, leftovers.
    Safety = 3,
    /// Branches, depth, length.
    Complexity = 4,
    /// Names and design.
    Design = 5,
    /// Only at the end of a turn; its checks are named `stop.*`.
    Stop = 6,
}

impl Gate {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Syntax, Self::Lint, Self::Safety, Self::Complexity, Self::Design, Self::Stop];

    /// Its number from 1; the end of a turn has none.
    pub fn number(self) -> Option<u8> {
        (self != Self::Stop).then_some(self as u8)
    }

    /// What a report calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Syntax => "Syntax & Format",
            Self::Lint => "Lint",
            Self::Safety => "Runtime & Security",
            Self::Complexity => "Complexity & Nesting",
            Self::Design => "Naming & Design",
            Self::Stop => "Stop",
        }
    }

    /// The gate of a check by its id, those of tools included; `None` for an id that nobody has.
    pub fn of(check: &str) -> Option<Self> {
        const TOOLS: &[(&str, Gate)] = &[
            ("format", Gate::Syntax),
            ("import_order", Gate::Syntax),
            ("lint", Gate::Lint),
            ("type", Gate::Safety),
            ("import", Gate::Safety),
            ("stop.lint", Gate::Stop),
            ("stop.test", Gate::Stop),
        ];
        let ours = CHECKS.iter().find(|it| it.id == check).map(|it| it.gate);
        ours.or_else(|| TOOLS.iter().find(|it| it.0 == check).map(|it| it.1))
    }
}

/// One thing that a check or a tool found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// The check's id, e.g. `bare_except`.
    pub check: String,
    /// How much it weighs.
    pub severity: Severity,
    /// Where, from 1; 1 for what concerns the file as a whole.
    pub line: usize,
    /// The function or class that it is about, or within which it stands, e.g. `Loader.load`.
    pub symbol: Option<String>,
    /// What is wrong: one sentence, no full stop at the end.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// The measured value, for checks with a limit.
    pub metric: Option<u64>,
    /// Which rule of a tool, or which of several limits of a check.
    pub code: Option<String>,
    /// The tool that found it; `None` for checks of ours.
    pub tool: Option<String>,
}

/// One file as checks see it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// From the project's root, with `/`.
    pub path: &'a str,
    /// What stands in it.
    pub text: &'a str,
    /// `None` for what no grammar is there for.
    pub language: Option<Language>,
    /// What the text says; `None` where it was not read (another language, beyond a budget).
    pub facts: Option<&'a Facts>,
    /// What the file is for.
    pub kind: Kind,
}

/// One check over one file.
pub struct Check {
    /// Stable id, named after what it finds, e.g. `bare_except`.
    pub id: &'static str,
    /// The gate that it belongs to.
    pub gate: Gate,
    /// Its gravest severity as shipped.
    pub severity: Severity,
    /// What it finds, one line that completes "Finds …".
    pub summary: &'static str,
    /// What makes two of its findings the same.
    pub same: Same,
    /// Files in which it must find something.
    pub fires: &'static [Example],
    /// Files in which it must find nothing.
    pub silent: &'static [Example],
    /// What it finds; pure. Kinds of files, suppressions and configured severities are applied by [`review`].
    pub run: fn(&Source<'_>, &Settings) -> Vec<Finding>,
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Check({})", self.id)
    }
}

/// What makes two findings of a check, before and after an edit, the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// The symbol and the text of the line.
    Line,
    /// The symbol alone: what stands on its line may change.
    Symbol,
}

/// Path and text of a file, used in the manual and as a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example(pub &'static str, pub &'static str);

/// Every check, in the order of gates.
pub const CHECKS: &[&Check] = &[];

/// Everything that the checks find in `source`, by line: suppressed findings are left out, severities are those of
/// `settings`, and a file is judged by what it is for (a vendored one not at all).
pub fn review(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let _ = (source, settings);
    Vec::new()
}
