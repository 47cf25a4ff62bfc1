//! Checks: what reviewed code should not hold. One file each; help, manual and tests come from the const.
//!
//! A check looks at one [`Source`], whole, and gives every [`Finding`] of its kind; that only what is new may stop
//! anybody is the business of [`fresh`]. Definitions follow tools that people know where there is one (ruff's C901 for
//! complexity, pep8-naming for names); the check's own file says which.

mod bare_except;
mod branches;
mod debug_print;
mod empty_catch;
mod except_pass;
mod feature_envy;
mod fresh;
mod function_length;
mod god_object;
mod kind;
mod line_length;
mod missing_logger;
mod mutable_default;
mod naming;
mod nesting;
mod pattern;
mod relative_import;
mod secret;
mod settings;
mod spec_reference;
mod stop_class;
mod stop_file;
mod stop_stub;
mod suppress;
mod syntax;
mod todo;
mod traces;
mod unlogged_exception;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hostler_syntax::{Catch, Class, Facts, Function, Language, Remark};

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
    /// The kinds of files that it judges.
    pub kinds: &'static [Kind],
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
    /// The symbol that it stands in and the text of the line.
    Line,
    /// The symbol alone: what stands on its line may change.
    Symbol,
    /// The symbol's own name, wherever it moves.
    Name,
}

/// Path and text of a file, used in the manual and as a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example(pub &'static str, pub &'static str);

/// Every check, in the order of gates.
pub const CHECKS: &[&Check] = &[
    &syntax::CHECK,
    &secret::CHECK,
    &bare_except::CHECK,
    &except_pass::CHECK,
    &empty_catch::CHECK,
    &unlogged_exception::CHECK,
    &missing_logger::CHECK,
    &debug_print::CHECK,
    &todo::CHECK,
    &mutable_default::CHECK,
    &relative_import::CHECK,
    &traces::CHECK,
    &spec_reference::CHECK,
    &branches::CHECK,
    &nesting::CHECK,
    &line_length::CHECK,
    &function_length::CHECK,
    &naming::CHECK,
    &god_object::CHECK,
    &feature_envy::CHECK,
    &pattern::CHECK,
    &stop_stub::CHECK,
    &nesting::STOP,
    &stop_class::CHECK,
    &stop_file::CHECK,
];

/// Everything that the checks find in `source`, by line: suppressed findings are left out, severities are those of
/// `settings`, and a file is judged by what it is for (a vendored one not at all).
pub fn review(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let broken = source.is_broken();
    let found = CHECKS
        .iter()
        .filter(|check| settings.is_on(check.id) && check.kinds.contains(&source.kind))
        // What is read of broken code is not what its author means.
        .filter(|check| !broken || check.reads_text())
        .flat_map(|check| (check.run)(source, settings))
        .collect();
    let mut kept: Vec<Finding> =
        suppress::without(source, found).into_iter().filter_map(|it| settings.apply(it)).collect();
    kept.sort_by_key(|it| it.line);
    kept
}

/// What of `findings` is told of one file: of temporary comments not more than `settings` says, and of syntax errors the
/// first, since one mistake looks like many to a parser. Call it after [`fresh`], so that old ones never stand in the way
/// of a new one.
pub fn told(findings: Vec<Finding>, settings: &Settings) -> Vec<Finding> {
    let mut left = BTreeMap::from([(todo::CHECK.id, settings.todos_told_max), (syntax::CHECK.id, 1)]);
    let mut is_told = |it: &Finding| {
        let Some(left) = left.get_mut(it.check.as_str()) else { return true };
        let told = 0 < *left;
        *left = left.saturating_sub(1);
        told
    };
    findings.into_iter().filter(|it| is_told(it)).collect()
}

impl Check {
    /// The check with this id.
    pub fn of(id: &str) -> Option<&'static Self> {
        CHECKS.iter().copied().find(|it| it.id == id)
    }

    /// It needs no syntax tree of its own, so it holds for broken code as well.
    pub fn reads_text(&self) -> bool {
        [syntax::CHECK.id, secret::CHECK.id, stop_file::CHECK.id].contains(&self.id)
    }

    /// A finding of this check, of its gravest severity.
    fn finding(&self, line: usize, message: String) -> Finding {
        Finding { check: self.id.to_owned(), severity: self.severity, line, message, ..Finding::default() }
    }
}

impl Finding {
    fn about(self, symbol: Option<String>) -> Self {
        Self { symbol, ..self }
    }

    fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    fn metric(self, metric: u64) -> Self {
        Self { metric: Some(metric), ..self }
    }

    fn code(self, code: &str) -> Self {
        Self { code: Some(code.to_owned()), ..self }
    }

    fn at(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }
}

impl<'a> Source<'a> {
    /// Its language refuses it, and the parser can be trusted to know.
    pub fn is_broken(&self) -> bool {
        self.language.is_some_and(syntax::is_exact) && self.facts.is_some_and(|it| !it.errors.is_empty())
    }

    fn is(&self, language: Language) -> bool {
        self.language == Some(language)
    }

    fn functions(&self) -> &'a [Function] {
        self.facts.map_or(&[], |it| &it.functions)
    }

    fn classes(&self) -> &'a [Class] {
        self.facts.map_or(&[], |it| &it.classes)
    }

    fn handlers(&self) -> &'a [Catch] {
        self.facts.map_or(&[], |it| &it.handlers)
    }

    /// The class that `function` is a method of.
    fn class_of(&self, function: &Function) -> Option<&'a Class> {
        self.classes().get(function.class?)
    }

    /// The name of `function` with those around it: `Loader.load`, `outer.inner`.
    fn name_of(&self, function: &Function) -> String {
        let mut names = vec![function.name.as_str()];
        let mut class = function.class;
        let mut parent = function.parent;
        // Places only lead outwards; the count guards against facts that do not.
        for _ in 0..NAMES_MAX {
            if let Some(found) = class.and_then(|at| self.classes().get(at)) {
                names.push(&found.name);
                class = found.parent;
            } else if let Some(found) = parent.and_then(|at| self.functions().get(at)) {
                names.push(&found.name);
                (class, parent) = (found.class, found.parent);
            } else {
                break;
            }
        }
        names.reverse();
        names.join(".")
    }

    /// The name of `class` with those of the classes around it.
    fn name_of_class(&self, class: &Class) -> String {
        let mut names = vec![class.name.as_str()];
        let mut parent = class.parent;
        while let Some(found) =
            parent.and_then(|at| self.classes().get(at)).filter(|_| names.len() < NAMES_MAX)
        {
            names.push(&found.name);
            parent = found.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The innermost function around `line`.
    fn function_at(&self, line: usize) -> Option<&'a Function> {
        let around = self.functions().iter().filter(|it| (it.first_line..=it.last_line).contains(&line));
        around.min_by_key(|it| it.last_line - it.first_line)
    }

    /// The innermost class around `line`.
    fn class_at(&self, line: usize) -> Option<&'a Class> {
        let around = self.classes().iter().filter(|it| (it.first_line..=it.last_line).contains(&line));
        around.min_by_key(|it| it.last_line - it.first_line)
    }

    /// The name of the innermost function, or else class, around `line`.
    fn symbol_at(&self, line: usize) -> Option<String> {
        self.function_at(line)
            .map(|it| self.name_of(it))
            .or_else(|| self.class_at(line).map(|it| self.name_of_class(it)))
    }

    /// The name of the function at `place` in the facts.
    fn symbol_of(&self, place: Option<usize>) -> Option<String> {
        place.and_then(|at| self.functions().get(at)).map(|it| self.name_of(it))
    }

    /// Whether `remark` is a string that documents something, and no comment.
    fn is_doc_string(&self, remark: &Remark) -> bool {
        self.is(Language::Python) && !remark.text.trim_start().starts_with('#')
    }

    /// Whether `line` lies in documentation that is a string.
    fn is_documentation(&self, line: usize) -> bool {
        let comments = self.facts.map_or(&[][..], |it| &it.comments);
        comments.iter().filter(|it| self.is_doc_string(it)).any(|it| {
            let last = it.line + it.text.matches('\n').count();
            (it.line..=last).contains(&line)
        })
    }

    /// Whether `line` lies in a handler of failures.
    fn is_handled(&self, line: usize) -> bool {
        self.handlers().iter().any(|it| (it.line..=it.last_line).contains(&line))
    }

    /// The file's own name.
    fn file_name(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// The code of findings whose measure is a number of lines.
const LINES: &str = "lines";

/// Deepest name that is put together.
const NAMES_MAX: usize = 20;
