//! The project's own tools: found, run side by side with time limits, and read from their machine formats.
//!
//! A tool is one file with one const and one line in [`TOOLS`]. It ends in one of three ways: nothing to say, findings,
//! or it did not run and why. What did not run has not passed.

mod diff;
mod environment;
mod gitlab;
mod go;
mod java;
mod junit;
mod layout;
mod node;
mod plan;
mod process;
mod python;
mod rust;
mod settings;
mod shell;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use hostler_ledger::file::{Access, Snapshot};
use hostler_policy::checks::{Finding, Gate, Severity};

use environment::{Ecosystem, Environment, Surroundings};
use layout::Layout;
use process::{Answer, Call, Warden};
use settings::Limits;
pub(crate) use settings::{Choice, ToolSettings};

/// Why tools are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A file was written: only tools that answer within a fraction of a second.
    Edit,
    /// A turn ends: linters, type checkers that the project configured, changed tests.
    Stop,
    /// Somebody asked: everything that can be found for the files, tests for test files.
    Review,
    /// Formatters and safe fixes write to the files, one after the other. Imports are never removed.
    Fix,
}

/// What is to be checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The project's top folder, absolute. Configuration is searched from a file's folder up to here.
    pub(crate) root: &'a Path,
    /// The files, absolute or from the root. Findings name them in the same words.
    pub(crate) files: &'a [PathBuf],
    /// Gates whose tools run; empty: all.
    pub(crate) gates: &'a [Gate],
    /// Why.
    pub(crate) purpose: Purpose,
    /// No tool runs longer than this, whatever its own limit.
    pub(crate) deadline: Instant,
    /// What the user configured.
    pub(crate) settings: &'a ToolSettings,
    /// Only tools that the project uses, none of our own choice.
    pub(crate) configured_only: bool,
}

/// How a tool ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ran and has nothing to say about the files.
    Clean,
    /// What it found in the files asked for, by file and line. Other files' findings are left out.
    Findings(Vec<(PathBuf, Finding)>),
    /// It did not run, or its answer is not to be trusted: missing, crashed, out of time, not understood.
    NotRun {
        /// What was looked for and where, or what happened, and what to do.
        reason: String,
    },
}

/// One tool's run over the files of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The tool's name: `ruff check`, `mypy`, `cargo clippy`.
    pub(crate) tool: &'static str,
    /// Its version, where it could be had without starting it once more.
    pub(crate) version: Option<String>,
    /// What was started, the program first; empty if nothing was.
    pub(crate) command: Vec<String>,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// How long it took.
    pub(crate) took: Duration,
    /// The gate that it belongs to; a finding's own is [`Gate::of`] its check.
    pub(crate) gate: Gate,
    /// The project uses it, as opposed to our own choice where it uses none.
    pub(crate) is_configured: bool,
    /// That it did not run stops the turn: the project requires it.
    pub(crate) is_required: bool,
    /// It ran the project's code.
    pub(crate) ran_code: bool,
}

/// Everything that one tool brings.
struct Tool {
    /// What it is called; the first word names the program in the configuration.
    name: &'static str,
    /// Where its findings belong, the most of them first.
    gates: &'static [Gate],
    /// Extensions of the files that it is for.
    extensions: &'static [&'static str],
    /// Which limit counts.
    effort: Effort,
    /// When it runs.
    purposes: &'static [Purpose],
    /// The program by the names that it may have, and how a project keeps it.
    program: (&'static [&'static str], Ecosystem),
    /// Most files of one start; `None`: all of a project at once.
    files_max: Option<usize>,
    /// Whether and where it runs for files of this folder; `None`: the project does not use it.
    choose: fn(&Layout<'_>, &Path, &Request<'_>) -> Option<Use>,
    /// Whether it runs on a file of its extensions; `Err`: it does not, and that is to be told.
    takes: fn(&Job<'_>, &Path) -> Result<bool, String>,
    /// Its arguments for a look at a job's files; `None`: it only reads texts.
    arguments: Option<Arguments>,
    /// Its arguments to look at a text on its standard input that is to be this file.
    text: Option<fn(&Job<'_>, &Path) -> Vec<OsString>>,
    /// What it said about a job's files; `Err`: it did not do its work, and why.
    read: fn(&Job<'_>, &Answer) -> Result<Vec<Report>, String>,
    /// How it mends what it can.
    fix: Option<Fix>,
    /// It owns the layout: what linters say about that counts only where it would change the file.
    is_formatter: bool,
    /// What to do when it is missing.
    install: &'static str,
}

/// The arguments of a job; `Err`: why it cannot be started.
type Arguments = fn(&Job<'_>) -> Result<Vec<OsString>, String>;

/// How a tool mends files.
enum Fix {
    /// It writes to them: its arguments without the files, and the exit codes that say it did its work.
    InPlace(fn(&Job<'_>) -> Vec<OsString>, &'static [i32]),
    /// It reads one on standard input and prints what it should be.
    Filter(fn(&Job<'_>) -> Vec<OsString>),
}

/// Every tool. Those that mend come in this order, so that formatters have the last word.
const TOOLS: &[&Tool] = &[
    &python::ruff::CHECK,
    &python::isort::ISORT,
    &python::ruff::FORMAT,
    &python::black::BLACK,
    &python::flake8::FLAKE8,
    &python::mypy::MYPY,
    &python::pyright::PYRIGHT,
    &python::pyright::BASEDPYRIGHT,
    &python::ty::TY,
    &python::import::IMPORT,
    &python::pytest::PYTEST,
    &node::biome::BIOME,
    &node::eslint::ESLINT,
    &node::prettier::PRETTIER,
    &node::tsc::TSC,
    &node::vitest::VITEST,
    &node::jest::JEST,
    &rust::rustfmt::RUSTFMT,
    &rust::clippy::CLIPPY,
    &rust::test::TEST,
    &rust::test::NEXTEST,
    &go::gofmt::GOFMT,
    &go::vet::VET,
    &go::golangci::GOLANGCI,
    &go::test::TEST,
    &java::javac::JAVAC,
    &java::checkstyle::CHECKSTYLE,
    &java::build::MAVEN,
    &java::build::GRADLE,
    &shell::shellcheck::SHELLCHECK,
    &shell::shfmt::SHFMT,
];

/// Which limit of time counts for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    Lint,
    /// One import, which runs the project's code.
    Import,
    Types,
    Tests,
}

impl Effort {
    fn limit(self, limits: &Limits) -> Duration {
        match self {
            Self::Lint | Self::Import => limits.lint,
            Self::Types => limits.types,
            Self::Tests => limits.tests,
        }
    }

    /// Whether such a tool runs the project's code.
    fn runs_code(self) -> bool {
        matches!(self, Self::Import | Self::Tests)
    }
}

/// That a project uses a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Use {
    /// Where it starts.
    folder: PathBuf,
    /// The file that configures it, if one does.
    configured: Option<PathBuf>,
    /// It is our choice, where the project has none of its kind.
    is_ours: bool,
}

/// One start of a tool.
struct Job<'a> {
    tool: &'static Tool,
    layout: &'a Layout<'a>,
    request: &'a Request<'a>,
    chosen: Use,
    environment: Arc<Environment>,
    files: Vec<File<'a>>,
    /// Why it is not even started.
    refused: Option<String>,
    /// When it was made: a report that is older is of another run.
    planned: SystemTime,
    scratch: OnceCell<tempfile::TempDir>,
}

/// A file in the request's words, and absolute.
#[derive(Debug, Clone)]
struct File<'a> {
    asked: &'a Path,
    path: PathBuf,
}

impl Job<'_> {
    /// The absolute paths as arguments; none of them begins with a dash.
    fn paths(&self) -> impl Iterator<Item = OsString> + '_ {
        self.files.iter().map(|it| it.path.as_os_str().to_owned())
    }

    /// A folder for what the tool writes, removed afterwards.
    fn scratch(&self) -> Result<&Path, String> {
        if let Some(folder) = self.scratch.get() {
            return Ok(folder.path());
        }
        let folder = tempfile::Builder::new().prefix("hostler-").tempdir();
        let folder = folder.map_err(|error| format!("no temporary folder can be made: {error}"))?;
        Ok(self.scratch.get_or_init(|| folder).path())
    }

    /// Where another file does not compile, nothing was looked for in these.
    fn unless_broken_elsewhere(&self, found: Vec<Report>) -> Result<Vec<Report>, String> {
        let (ours, others): (Vec<&Report>, Vec<&Report>) = found
            .iter()
            .filter(|it| it.finding.check == "type")
            .partition(|it| self.file(&it.file).is_some());
        match others.first() {
            Some(other) if ours.is_empty() => {
                let (file, finding) = (other.file.display(), &other.finding);
                Err(format!("`{file}` does not compile, line {}: {}", finding.line, finding.message))
            }
            _ => Ok(found),
        }
    }

    /// The file of the request that a tool means.
    fn file(&self, spelled: &Path) -> Option<&File<'_>> {
        let is_named = |path: &Path| self.files.iter().find(|it| it.path == path);
        if spelled.is_absolute() {
            let real = || std::fs::canonicalize(spelled).ok();
            return is_named(spelled).or_else(|| {
                let real = real()?;
                self.files.iter().find(|it| std::fs::canonicalize(&it.path).is_ok_and(|path| path == real))
            });
        }
        // Some tools speak from the top of a workspace and not from where they were started.
        let spelled = spelled.strip_prefix(".").unwrap_or(spelled);
        self.layout.upward(&self.chosen.folder).find_map(|it| is_named(&it.join(spelled)))
    }
}

/// One finding with the file as the tool spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Report {
    file: PathBuf,
    finding: Finding,
}

impl Report {
    fn new(file: impl Into<PathBuf>, line: usize, check: &str, severity: Severity, message: &str) -> Self {
        let message = message.trim().trim_end_matches('.').to_owned();
        let finding =
            Finding { check: check.to_owned(), severity, line: line.max(1), message, ..Finding::default() };
        Self { file: file.into(), finding }
    }

    fn code(mut self, code: Option<impl Into<String>>) -> Self {
        self.finding.code = code.map(Into::into);
        self
    }

    fn fix(mut self, fix: Option<impl Into<String>>) -> Self {
        self.finding.fix = fix.map(Into::into);
        self
    }
}

/// A tool that takes every file of its extensions.
#[expect(clippy::unnecessary_wraps, reason = "others refuse files")]
fn takes_all(_: &Job<'_>, _: &Path) -> Result<bool, String> {
    Ok(true)
}

fn words(arguments: &[&str]) -> Vec<OsString> {
    arguments.iter().map(OsString::from).collect()
}

/// The arguments, then the files.
fn with_paths(job: &Job<'_>, arguments: &[&str]) -> Vec<OsString> {
    words(arguments).into_iter().chain(job.paths()).collect()
}

/// A run and what it was about.
struct Done<'a> {
    run: Run,
    files: Vec<&'a Path>,
    is_formatter: bool,
}

/// Runs whichever tools the nearest project file of each file configures, and our own choice where there is none.
/// In the order of [`TOOLS`].
pub(crate) fn run(request: &Request<'_>) -> Vec<Run> {
    run_around(request, Surroundings::current())
}

fn run_around(request: &Request<'_>, around: Surroundings) -> Vec<Run> {
    let layout = Layout::new(request.root, around);
    carry_out(request, plan::jobs(&layout, request, Path::is_file), None)
}

/// Looks at `text` as if it stood in `request.files`, of which there is one, with the tools that need no file.
pub(crate) fn review_text(request: &Request<'_>, text: &str) -> Vec<Run> {
    review_text_around(request, text, Surroundings::current())
}

fn review_text_around(request: &Request<'_>, text: &str, around: Surroundings) -> Vec<Run> {
    let layout = Layout::new(request.root, around);
    let mut jobs = plan::jobs(&layout, request, |_| true);
    jobs.retain(|job| job.tool.text.is_some());
    carry_out(request, jobs, Some(text))
}

fn carry_out<'a>(request: &'a Request<'a>, jobs: Vec<Job<'a>>, text: Option<&str>) -> Vec<Run> {
    if jobs.is_empty() {
        return Vec::new();
    }
    let warden = Warden::new();
    let workers = match request.purpose {
        // Each works on what the one before it has written.
        Purpose::Fix => 1,
        _ => std::thread::available_parallelism().map_or(2, usize::from),
    };
    let mut done = in_parallel(jobs, workers, |job| job.tool.effort, |job| execute(&warden, &job, text));
    if request.purpose == Purpose::Review {
        drop_settled_layout(&mut done);
    } else {
        drop_layout(&mut done, |_| true);
    }
    let is_asked = |gate: Gate| request.gates.is_empty() || request.gates.contains(&gate);
    done.into_iter()
        .map(|it| it.run)
        .filter_map(|mut run| {
            let tool = TOOLS.iter().find(|it| it.name == run.tool)?;
            if let Outcome::Findings(findings) = &mut run.outcome {
                findings.retain(|it| Gate::of(&it.1.check).is_none_or(is_asked));
                if findings.is_empty() {
                    run.outcome = Outcome::Clean;
                }
            }
            tool.gates.iter().any(|it| is_asked(*it)).then_some(run)
        })
        .collect()
}

/// What a linter says about layout counts only where the formatter would change the file: the two contradict each
/// other, and the formatter is who writes.
fn drop_settled_layout(done: &mut [Done<'_>]) {
    let settled: Vec<PathBuf> = done
        .iter()
        .filter(|it| it.is_formatter)
        .flat_map(|it| {
            let dirty = |path: &Path| match &it.run.outcome {
                Outcome::Clean => false,
                Outcome::Findings(found) => found.iter().any(|it| it.0 == path),
                Outcome::NotRun { .. } => true,
            };
            it.files.iter().copied().filter(move |path| !dirty(path)).map(Path::to_owned)
        })
        .collect();
    drop_layout(done, |path| settled.iter().any(|it| it == path));
}

/// Takes out what linters say about the layout of the files for which `of` holds.
fn drop_layout(done: &mut [Done<'_>], of: impl Fn(&Path) -> bool) {
    for it in done {
        if let Outcome::Findings(found) = &mut it.run.outcome {
            let is_layout = |finding: &Finding| finding.code.as_deref().is_some_and(python::is_layout);
            found.retain(|(path, finding)| !(is_layout(finding) && of(path)));
            if found.is_empty() {
                it.run.outcome = Outcome::Clean;
            }
        }
    }
}

/// `work` on every job, some at a time; results in the order of the jobs. What may take longest begins first.
fn in_parallel<J: Send, R: Send>(
    jobs: Vec<J>,
    workers: usize,
    effort: impl Fn(&J) -> Effort,
    work: impl Fn(J) -> R + Sync,
) -> Vec<R> {
    let count = jobs.len();
    let mut queue: Vec<(usize, J)> = jobs.into_iter().enumerate().collect();
    if workers > 1 {
        queue.sort_by_key(|(index, job)| (std::cmp::Reverse(effort(job)), *index));
    }
    let queue = Mutex::new(queue.into_iter());
    let results = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(count) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((index, job)) = next else { break };
                    let result = work(job);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|it| it.0);
    results.into_iter().map(|it| it.1).collect()
}

fn execute<'a>(warden: &Warden, job: &Job<'a>, text: Option<&str>) -> Done<'a> {
    let begun = Instant::now();
    let mut run = Run {
        tool: job.tool.name,
        version: None,
        command: Vec::new(),
        outcome: Outcome::Clean,
        took: Duration::ZERO,
        gate: job.tool.gates.first().copied().unwrap_or(Gate::Lint),
        is_configured: !job.chosen.is_ours,
        is_required: job.request.settings.choice(job.tool.name) == Choice::Required,
        ran_code: false,
    };
    run.outcome = match attempt(warden, job, text, &mut run) {
        Ok(found) if found.is_empty() => Outcome::Clean,
        Ok(found) => Outcome::Findings(found),
        Err(reason) => Outcome::NotRun { reason },
    };
    // Something was started, however it ended.
    run.ran_code = job.tool.effort.runs_code() && !run.command.is_empty();
    run.took = begun.elapsed();
    Done { run, files: job.files.iter().map(|it| it.asked).collect(), is_formatter: job.tool.is_formatter }
}

fn attempt(
    warden: &Warden,
    job: &Job<'_>,
    text: Option<&str>,
    run: &mut Run,
) -> Result<Vec<(PathBuf, Finding)>, String> {
    let tool = job.tool;
    if let Some(reason) = &job.refused {
        return Err(reason.clone());
    }
    let found = job.environment.find(tool.program.0, &job.layout.around);
    let program = found.map_err(|looked| format!("{looked}; {}", tool.install))?;
    run.version = program.version;
    let start = start(job, text)?;
    let arguments: Vec<OsString> =
        program.prefix.into_iter().map(OsString::from).chain(start.arguments).collect();
    run.command = std::iter::once(program.path.as_os_str())
        .chain(arguments.iter().map(OsString::as_os_str))
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let limit = tool.effort.limit(&job.request.settings.limits);
    let left = job.request.deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(format!("no time was left for `{}`", tool.name));
    }
    let call = Call {
        program: program.path,
        arguments,
        folder: job.chosen.folder.clone(),
        path: job.environment.own.clone(),
        variables: match tool.program.1 {
            Ecosystem::Rust => rust::variables(job.layout, &job.chosen.folder),
            _ => Vec::new(),
        },
        input: start.input,
    };
    let answer = process::run(warden, &call, limit.min(left)).map_err(|error| error.to_string())?;
    let failed = |why: &str| format!("`{}` did not do its work: {why}", tool.name);
    if answer.is_cut {
        return Err(failed("it printed more than can be read"));
    }
    match start.end {
        End::Read => {}
        End::Mended(codes) if codes.contains(&answer.code) => return Ok(Vec::new()),
        End::Filtered if answer.code == 0 => {
            return filtered(job, call.input.as_deref(), &answer).map(|()| Vec::new());
        }
        End::Mended(_) | End::Filtered => return Err(failed(&exited(&answer))),
    }
    let reports = (tool.read)(job, &answer).map_err(|why| failed(&why))?;
    let mut found: Vec<(PathBuf, Finding)> = reports
        .into_iter()
        .filter_map(|it| {
            // Some tools have a name of their own for what they read from standard input.
            let file = if call.input.is_some() { job.files.first() } else { job.file(&it.file) }?;
            let finding = Finding { tool: Some(tool.name.to_owned()), ..it.finding };
            Some((file.asked.to_owned(), finding))
        })
        .collect();
    found.sort_by(|a, b| (&a.0, a.1.line).cmp(&(&b.0, b.1.line)));
    Ok(found)
}

/// How a job is started, and what its end means.
struct Start {
    arguments: Vec<OsString>,
    input: Option<Vec<u8>>,
    end: End,
}

enum End {
    /// It said what it found.
    Read,
    /// It wrote to the files, with one of these codes.
    Mended(&'static [i32]),
    /// It printed what the file should be.
    Filtered,
}

fn start(job: &Job<'_>, text: Option<&str>) -> Result<Start, String> {
    let file = || job.files.first().ok_or_else(|| "there is no file".to_owned());
    let read = || {
        let path = &file()?.path;
        std::fs::read(path).map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
    };
    if job.request.purpose == Purpose::Fix {
        return match &job.tool.fix {
            Some(Fix::InPlace(arguments, codes)) => {
                let arguments = arguments(job).into_iter().chain(job.paths()).collect();
                Ok(Start { arguments, input: None, end: End::Mended(codes) })
            }
            Some(Fix::Filter(arguments)) => {
                Ok(Start { arguments: arguments(job), input: Some(read()?), end: End::Filtered })
            }
            None => Err(format!("`{}` mends nothing", job.tool.name)),
        };
    }
    match (text, job.tool.arguments, job.tool.text) {
        (None, Some(arguments), _) => Ok(Start { arguments: arguments(job)?, input: None, end: End::Read }),
        (text, _, Some(arguments)) => {
            let input = text.map_or_else(read, |it| Ok(it.as_bytes().to_vec()))?;
            Ok(Start { arguments: arguments(job, &file()?.path), input: Some(input), end: End::Read })
        }
        _ => Err(format!("`{}` reads no texts", job.tool.name)),
    }
}

/// Writes what a filter printed, where that differs from what it was given and the file is still that.
fn filtered(job: &Job<'_>, input: Option<&[u8]>, answer: &Answer) -> Result<(), String> {
    let (Some(file), Some(input)) = (job.files.first(), input) else { return Ok(()) };
    if answer.stdout.as_bytes() == input || answer.stdout.is_empty() {
        return Ok(());
    }
    let snapshot = Snapshot::read(&file.path).map_err(|error| error.to_string())?;
    if snapshot.bytes() != Some(input) {
        return Err(format!("`{}` changed while it was formatted", file.path.display()));
    }
    snapshot.replace(answer.stdout.as_bytes(), Access::Shared).map(drop).map_err(|error| error.to_string())
}

/// How a tool ended, for a reason.
fn exited(answer: &Answer) -> String {
    format!("exit code {}, {}", answer.code, answer.complaint())
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
