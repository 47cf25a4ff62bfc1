//! One look at a set of files: our own checks in process, the project's tools beside them, and what of it is new.

use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_policy::checks::{self, CHECKS, Finding, Gate, Kind, Settings, Severity, Source};
use hostler_syntax::{Facts, Language};
use similar::{ChangeTag, TextDiff};

use super::baseline::Before;
use super::changed::File;
use super::tools::{self, Outcome, Purpose, Run, ToolSettings};

/// Longer files are not read, in bytes.
const FILE_BYTES_MAX: u64 = hostler_syntax::BYTES_MAX as u64;
/// Longest time that a difference between two texts is looked for.
const DIFF_TIME_MAX: Duration = Duration::from_millis(200);

/// What is looked at, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    /// The project's top folder.
    pub(crate) root: &'a Path,
    /// The files.
    pub(crate) files: &'a [File],
    /// Which tools run.
    pub(crate) purpose: Purpose,
    /// Everything in a file counts, not only what is new.
    pub(crate) whole: bool,
    /// Gates that count; empty: all.
    pub(crate) gates: &'a [Gate],
    /// What does not end by then is not checked.
    pub(crate) deadline: Instant,
    /// Limits and severities.
    pub(crate) checks: &'a Settings,
    /// How tools run.
    pub(crate) tools: &'a ToolSettings,
}

impl<'a> Look<'a> {
    fn request(&self, files: &'a [PathBuf]) -> tools::Request<'a> {
        tools::Request {
            root: self.root,
            files,
            gates: self.gates,
            purpose: self.purpose,
            deadline: self.deadline,
            settings: self.tools,
            configured_only: false,
        }
    }
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reviewed {
    /// From the project's top folder, with `/`.
    pub(crate) name: String,
    /// By line.
    pub(crate) findings: Vec<Finding>,
    /// Why it was not looked at by our own checks; `None` if it was.
    pub(crate) unread: Option<String>,
    /// It does not parse, so that only checks that read nothing but its text could judge it.
    pub(crate) is_broken: bool,
}

impl Reviewed {
    /// Why `gate` could not judge the file; `None` if it did, or if a part of it did.
    fn unjudged(&self, gate: Gate) -> Option<Unjudged<'_>> {
        if self.unread.is_some() {
            return Some(Unjudged { file: &self.name, why: "it was not read", wholly: true });
        }
        let of_text = CHECKS.iter().any(|check| check.gate == gate && check.reads_text());
        let told = self.is_broken && gate != Gate::Syntax;
        told.then_some(Unjudged { file: &self.name, why: "it does not parse", wholly: !of_text })
    }
}

/// A file that a gate could not judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unjudged<'a> {
    pub(crate) file: &'a str,
    pub(crate) why: &'static str,
    /// Not even in part.
    pub(crate) wholly: bool,
}

/// What became of one gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status<'a> {
    pub(crate) gate: Gate,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Tools of it that did not run, each with the reason.
    pub(crate) not_run: Vec<String>,
    /// Files that it could not judge.
    pub(crate) unjudged: Vec<Unjudged<'a>>,
    /// There was no other file.
    pub(crate) is_idle: bool,
}

/// What a look came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// In the order in which they were asked for.
    pub(crate) files: Vec<Reviewed>,
    /// The tools that were started, or should have been.
    pub(crate) runs: Vec<Run>,
    /// The gates that were asked for.
    pub(crate) gates: Vec<Gate>,
    /// What failed on our side, each one sentence.
    pub(crate) faults: Vec<String>,
    /// Required tools that did not run, each with what to do.
    pub(crate) required: Vec<String>,
}

impl Report {
    /// Every finding with its file, in the order of gates, files and lines.
    pub(crate) fn findings(&self) -> Vec<(&str, &Finding)> {
        let mut all: Vec<(&str, &Finding)> = self
            .files
            .iter()
            .flat_map(|file| file.findings.iter().map(|it| (file.name.as_str(), it)))
            .collect();
        all.sort_by_key(|(_, finding)| gate_of(finding));
        all
    }

    /// How many findings have this severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.files.iter().flat_map(|file| &file.findings).filter(|it| it.severity == severity).count()
    }

    /// Something stands in the way: an error, or a required tool that did not run.
    pub(crate) fn fails(&self) -> bool {
        0 < self.count(Severity::Error) || !self.required.is_empty()
    }

    /// What became of each gate that was asked for, in order.
    pub(crate) fn status(&self) -> Vec<Status<'_>> {
        let of = |gate: Gate| {
            let count = |severity| {
                let findings = self.files.iter().flat_map(|file| &file.findings);
                findings.filter(|it| it.severity == severity && gate_of(it) == gate).count()
            };
            let not_run = |run: &Run| match &run.outcome {
                Outcome::NotRun { reason } if run.gate == gate => Some(format!("{}: {reason}", run.tool)),
                _ => None,
            };
            let unjudged: Vec<Unjudged<'_>> =
                self.files.iter().filter_map(|file| file.unjudged(gate)).collect();
            let judged = self.files.len() - unjudged.iter().filter(|it| it.wholly).count();
            Status {
                gate,
                is_idle: judged == 0 && !self.files.is_empty(),
                unjudged,
                errors: count(Severity::Error),
                warnings: count(Severity::Warn),
                not_run: self.runs.iter().filter_map(not_run).collect(),
            }
        };
        self.gates.iter().map(|gate| of(*gate)).collect()
    }
}

/// The gate that a finding belongs to.
pub(crate) fn gate_of(finding: &Finding) -> Gate {
    Gate::of(&finding.check).unwrap_or(Gate::Lint)
}

/// Looks at the files.
pub(crate) fn review(look: &Look<'_>) -> Report {
    let gates = if look.gates.is_empty() { Gate::ALL.to_vec() } else { look.gates.to_vec() };
    let texts: Vec<Result<String, String>> = look.files.iter().map(|file| read(&file.path)).collect();
    let readable: Vec<PathBuf> = look
        .files
        .iter()
        .zip(&texts)
        .filter(|(_, text)| text.is_ok())
        .map(|(file, _)| file.path.clone())
        .collect();
    let (runs, own) = std::thread::scope(|scope| {
        // Where a panic happened is known to its own thread.
        let tools = scope.spawn(|| {
            catch_unwind(AssertUnwindSafe(|| run_tools(look, &readable)))
                .map_err(|panic| crate::hook::panic_text(panic.as_ref()))
        });
        let own: Vec<Own> =
            look.files.iter().zip(&texts).map(|(file, text)| Own::of(file, text, look)).collect();
        (tools.join(), own)
    });
    let mut faults: Vec<String> = own.iter().filter_map(|it| it.fault.clone()).collect();
    let failed = |panic: Box<dyn Any + Send>| Err(crate::hook::panic_text(panic.as_ref()));
    let runs = runs.unwrap_or_else(failed).unwrap_or_else(|fault| {
        faults.push(fault);
        Vec::new()
    });
    let mut of_tools = by_file(&runs);
    let mut files = Vec::new();
    for (file, own) in look.files.iter().zip(own) {
        let found = of_tools.remove(&file.path).unwrap_or_default();
        let is_broken = own.source(file).is_broken() || found.iter().any(|it| it.check == "syntax");
        let mut findings = own.merged(found, file, look);
        findings.retain(|finding| gates.contains(&gate_of(finding)));
        findings.sort_by_key(|finding| (finding.line, gate_of(finding)));
        files.push(Reviewed { name: file.name.clone(), findings, unread: own.unread, is_broken });
    }
    let required = required(&runs);
    Report { files, runs, gates, faults, required }
}

/// Our own part of the review of one file.
struct Own<'a> {
    text: &'a str,
    kind: Kind,
    facts: Option<Facts>,
    language: Option<Language>,
    findings: Vec<Finding>,
    unread: Option<String>,
    fault: Option<String>,
}

impl<'a> Own<'a> {
    fn of(file: &File, text: &'a Result<String, String>, look: &Look<'_>) -> Self {
        let mut own = Own {
            text: "",
            kind: Kind::Source,
            facts: None,
            language: Language::of(&file.path),
            findings: Vec::new(),
            unread: None,
            fault: None,
        };
        match text {
            Ok(text) => own.text = text,
            Err(why) => {
                own.unread = Some(why.clone());
                return own;
            }
        }
        // A fault in one check must not take the others' files along.
        let judged = catch_unwind(AssertUnwindSafe(|| own.judge(file, look)));
        if let Err(panic) = judged {
            let text = crate::hook::panic_text(panic.as_ref());
            own.fault = Some(format!("`{}` was not checked: {text}", file.name));
            own.unread.clone_from(&own.fault);
        }
        own
    }

    fn judge(&mut self, file: &File, look: &Look<'_>) {
        if let Some(language) = self.language {
            match hostler_syntax::facts(language, self.text) {
                Ok(facts) => self.facts = Some(facts),
                Err(error) => self.unread = Some(error.to_string()),
            }
        }
        self.kind = checks::kind(&file.name, self.text, self.facts.as_ref());
        let source = self.source(file);
        let settings = look.checks;
        let found = checks::review(&source, settings);
        let found = match (&file.before, look.whole) {
            (_, true) | (Before::Missing, _) => found,
            (Before::Unknown, _) => Vec::new(),
            (Before::Text(_), _) if found.is_empty() => found,
            (Before::Text(text), _) => {
                let facts = self.language.and_then(|it| hostler_syntax::facts(it, text).ok());
                let before = Source { text, facts: facts.as_ref(), ..source };
                let old = checks::review(&before, settings);
                checks::fresh(Some((&before, &old)), (&source, found))
            }
        };
        self.findings = checks::told(found, settings);
    }

    fn source<'s>(&'s self, file: &'s File) -> Source<'s> {
        Source {
            path: &file.name,
            text: self.text,
            language: self.language,
            facts: self.facts.as_ref(),
            kind: self.kind,
        }
    }

    /// Our findings and those of tools: new, configured, each once.
    fn merged(&self, found: Vec<Finding>, file: &File, look: &Look<'_>) -> Vec<Finding> {
        let mut all = self.findings.clone();
        if self.unread.is_some() || matches!(self.kind, Kind::Generated | Kind::Vendored) {
            return all;
        }
        let broken = all.iter().any(|it| it.check == "syntax");
        let found: Vec<Finding> = found
            .into_iter()
            // What tools say of a text that does not parse is about the first broken line once more.
            .filter(|it| !broken || gate_of(it) == Gate::Stop && it.check == "stop.test")
            .filter_map(|it| look.checks.apply(it))
            .collect();
        all.extend(if look.whole { found } else { self.new_of_tools(found, file, look) });
        all
    }

    /// Those of a tool's findings that the file did not have before.
    fn new_of_tools(&self, found: Vec<Finding>, file: &File, look: &Look<'_>) -> Vec<Finding> {
        let text = match &file.before {
            Before::Missing => return found,
            Before::Unknown => return Vec::new(),
            Before::Text(text) => text,
        };
        // A test that fails is broken now, whoever broke it.
        let (mut new, rest): (Vec<Finding>, Vec<Finding>) =
            found.into_iter().partition(|it| it.check == "stop.test");
        if rest.is_empty() {
            return new;
        }
        let runs = tools::review_text(&look.request(std::slice::from_ref(&file.path)), text);
        let known: Vec<&str> = runs
            .iter()
            .filter(|run| !matches!(run.outcome, Outcome::NotRun { .. }))
            .map(|run| run.tool)
            .collect();
        let old: Vec<Finding> = by_file(&runs).into_values().flatten().collect();
        let old: Vec<Finding> = old.into_iter().filter_map(|it| look.checks.apply(it)).collect();
        let (comparable, other): (Vec<Finding>, Vec<Finding>) = rest.into_iter().partition(|it| {
            it.tool.as_deref().is_some_and(|tool| known.iter().any(|run| belongs(run, tool)))
        });
        let source = self.source(file);
        let before = Source { text, facts: None, ..source };
        new.extend(checks::fresh(Some((&before, &old)), (&source, comparable)));
        if !other.is_empty() {
            // A tool that cannot be asked about the old text: what it says of lines that stood there is old.
            let changed = changed_lines(text, self.text);
            new.extend(other.into_iter().filter(|it| changed.contains(&it.line) && !is_layout(it)));
        }
        new
    }
}

/// Whether a finding of `tool` came from a run of `run`: a run is named after the program and its command.
fn belongs(run: &str, tool: &str) -> bool {
    run == tool || run.split(' ').next() == tool.split(' ').next()
}

/// It is about the file as a whole.
fn is_layout(finding: &Finding) -> bool {
    matches!(finding.check.as_str(), "format" | "import_order")
}

/// Lines of `after`, from 1, that do not stand in `before`.
fn changed_lines(before: &str, after: &str) -> Vec<usize> {
    let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(before, after);
    let inserted = diff.iter_all_changes().filter(|it| it.tag() == ChangeTag::Insert);
    inserted.filter_map(|it| it.new_index()).map(|at| at + 1).collect()
}

fn by_file(runs: &[Run]) -> BTreeMap<PathBuf, Vec<Finding>> {
    let mut found: BTreeMap<PathBuf, Vec<Finding>> = BTreeMap::new();
    for run in runs {
        if let Outcome::Findings(findings) = &run.outcome {
            for (path, finding) in findings {
                found.entry(path.clone()).or_default().push(finding.clone());
            }
        }
    }
    found
}

fn run_tools<'a>(look: &Look<'a>, files: &'a [PathBuf]) -> Vec<Run> {
    if files.is_empty() { Vec::new() } else { tools::run(&look.request(files)) }
}

/// Required tools that did not run.
fn required(runs: &[Run]) -> Vec<String> {
    let missing = |run: &Run| match &run.outcome {
        Outcome::NotRun { reason } if run.is_required => {
            Some(format!("{} is required and did not run: {reason}", run.tool))
        }
        _ => None,
    };
    runs.iter().filter_map(missing).collect()
}

fn read(path: &Path) -> Result<String, String> {
    let meta = fs::metadata(path).map_err(|error| error.to_string())?;
    if !meta.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if FILE_BYTES_MAX < meta.len() {
        return Err(format!("it has {} bytes, more than the {FILE_BYTES_MAX} that are read", meta.len()));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}
