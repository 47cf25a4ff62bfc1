//! A command line with its output -> evidence.
//!
//! The shell analysis gives the simple commands with their resolved words, their effects, and where each stands in
//! the line. From that, the exit status and the output follow which of them succeeded: when the line succeeded,
//! every command whose status the line tells did; when it failed, the one that the output blames, else the last
//! one, and what stands behind it did not run. What stands before it took effect.

use std::path::PathBuf;

use hostler_model::{Coverage, Effect, EffectKind, lexical};

use super::of::{Source, add_words, missed, stem};
use super::output::{self, Summary, Tool};
use super::program::{Judge, Meaning, Role, Words, meaning};
use super::text::{base, has, lines};
use super::{Deed, Evidence, Failure, FailureKind, FileAct, Run, RunOutcome, failure, mcp, measure};
use crate::claims::Act;
use crate::shell::{self, Command, Flow};

/// Acts of one call that are kept.
const ACTS_MAX: usize = 200;

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It succeeded.
    Done,
    /// It failed.
    Failed,
    /// It did not run.
    Skipped,
    /// It ran, and nothing tells how it ended.
    Ran,
}

/// A simple command with what it means and does.
struct Step {
    words: Vec<String>,
    meaning: Meaning,
    flow: Flow,
    cwd: Option<PathBuf>,
    state: State,
}

impl Step {
    fn name(&self) -> &str {
        self.words.first().map_or("", |word| base(word))
    }

    /// The line's exit status tells of it.
    fn told(&self) -> bool {
        !self.flow.hidden && !self.flow.negated
    }

    /// It searches contents.
    fn is_search(&self) -> bool {
        matches!(self.name(), "grep" | "rg" | "egrep" | "fgrep" | "ag" | "ack" | "zgrep")
    }

    /// It prints names or counts, no lines.
    fn names_only(&self) -> bool {
        self.words.iter().skip(1).any(|word| {
            matches!(
                word.as_str(),
                "--files-with-matches" | "--count" | "--quiet" | "--files" | "--files-without-match"
            ) || (word.starts_with('-') && !word.starts_with("--") && word.contains(['l', 'c', 'q', 'L']))
        })
    }

    fn took_effect(&self) -> bool {
        match self.state {
            State::Done | State::Ran => true,
            State::Failed => matches!(self.meaning.role, Role::Answer | Role::Judge),
            State::Skipped => false,
        }
    }
}

/// Reads a command line and its output into `evidence`.
pub(super) fn shell(
    command: &str,
    source: &Source<'_>,
    exit: Option<i32>,
    text: &str,
    evidence: &mut Evidence,
) {
    let report = analyse(command, source);
    let mut steps = steps(&report.commands, source);
    let loose = effects(&report.effects, &report.flows, &mut steps);
    let opaque = unread(&report, command, &steps);

    let refused = (!evidence.ok).then(|| failure::refused(text)).flatten();
    let interrupted = source.outcome.interrupted || refused == Some(FailureKind::Interrupted);
    if refused.is_some() || interrupted {
        let kind = if interrupted { FailureKind::Interrupted } else { FailureKind::Refused };
        for step in &mut steps {
            step.state = State::Skipped;
        }
        evidence.failure = Some(Failure {
            kind,
            missed: all_missed(&steps, &loose),
            target: steps
                .iter()
                .map(|step| step.meaning.target.clone())
                .find(|it| !it.is_empty())
                .unwrap_or_default(),
            message: failure::message(text),
        });
        words(&steps, evidence);
        return;
    }

    let background = has(super::text::head(text, 400), "running in background with id");
    let summaries = if steps.iter().any(|step| step.meaning.opaque || step.meaning.role == Role::Judge) {
        output::tests(text)
    } else {
        Vec::new()
    };
    if background {
        for step in &mut steps {
            step.state = State::Ran;
        }
    } else if evidence.ok {
        succeed(&mut steps);
    } else {
        fail(&mut steps, exit, text, &summaries);
    }
    runs(&mut steps, &summaries, text, evidence, background);
    if background {
        evidence.opaque = opaque;
    } else {
        blame(&mut steps, &loose, exit, text, evidence);
    }

    let skipped_line = steps.iter().all(|step| step.state == State::Skipped) && !steps.is_empty();
    for step in &steps {
        if step.took_effect() {
            let rejected = step.state == State::Failed && step.meaning.role == Role::Answer;
            evidence.files.extend(
                step.meaning
                    .files
                    .iter()
                    .filter(|file| !rejected || matches!(file.act, Act::Read | Act::Search))
                    .cloned(),
            );
            let looks =
                |act: Act| matches!(act, Act::Read | Act::Search | Act::Verify | Act::Fetch | Act::Run);
            evidence
                .deeds
                .extend(step.meaning.deeds.iter().filter(|deed| !rejected || looks(deed.act)).cloned());
            if step.state == State::Done || step.state == State::Ran && says_nothing_bad(step, text) {
                note(&mut evidence.targets, &step.meaning.target);
            }
        } else if step.state == State::Failed && step.meaning.role == Role::Look {
            evidence.files.extend(seen(step, text));
        }
    }
    if !skipped_line {
        evidence.files.extend(loose);
    }
    // A search whose matching lines reach the output has shown parts of these files.
    if let Some(step) = steps.iter().find(|step| {
        step.meaning.role == Role::Answer
            && step.took_effect()
            && step.is_search()
            && (step.meaning.files.iter().any(|file| file.act == Act::Search && file.tree)
                || (step.meaning.files.is_empty() && step.words.iter().any(String::is_empty)))
    }) && !step.names_only()
    {
        for path in super::of::shown_files(None, text) {
            let base = step.cwd.as_deref().unwrap_or(source.cwd);
            let path = lexical::expand(base, source.place.home.as_deref(), &path).display().to_string();
            evidence.files.push(FileAct { act: Act::Read, path, tree: false, times: 1 });
        }
    }
    evidence.opaque = opaque && (steps.is_empty() || steps.iter().any(|step| step.state != State::Skipped));
    evidence.tree_clean = tree_clean(&steps, text);
    dedupe(&mut evidence.files);
    dedupe(&mut evidence.deeds);
    words(&steps, evidence);
    if tells(&steps) {
        evidence.measures = measure::measures(text);
        evidence.notable = measure::notable(text);
    }
}

/// Headings under which `git status` lists what is not committed.
const LEFT: &[&str] =
    &["Changes not staged", "Changes to be committed", "Untracked files:", "Unmerged paths"];

/// What `git status` or a commit without changes said of the work tree.
fn tree_clean(steps: &[Step], text: &str) -> Option<bool> {
    let asked = |verbs: &[&str]| {
        steps
            .iter()
            .find(|step| step.state != State::Skipped && verbs.contains(&step.meaning.target.as_str()))
    };
    let step = asked(&["git status", "git commit"])?;
    if lines(text).any(|line| line.contains("working tree clean")) {
        return Some(true);
    }
    let status = asked(&["git status"])?;
    if lines(text).any(|line| LEFT.iter().any(|mark| line.starts_with(mark))) {
        return Some(false);
    }
    let brief = status
        .words
        .iter()
        .any(|word| matches!(word.as_str(), "-s" | "-sb" | "--short") || word.starts_with("--porcelain"));
    if !brief {
        return None;
    }
    // ` M src/a.rs`, `?? notes.txt`
    let entry = |line: &str| {
        let mut chars = line.chars();
        let (x, y, blank) = (chars.next(), chars.next(), chars.next());
        let known = |c: Option<char>| c.is_some_and(|c| " MADRCUT?!".contains(c));
        known(x) && known(y) && blank == Some(' ') && (x, y) != (Some(' '), Some(' '))
    };
    if lines(text).any(entry) {
        return Some(false);
    }
    let alone = steps.iter().all(|other| {
        std::ptr::eq(other, step)
            || other.meaning.role == Role::Neutral
            || matches!(other.name(), "head" | "tail" | "cat")
    });
    (alone && text.trim().is_empty() && status.state != State::Failed).then_some(true)
}

/// The analysis of a command line; one that a record has cut is closed first.
fn analyse(command: &str, source: &Source<'_>) -> shell::Report {
    let report = shell::analyse(command, source.cwd, source.place);
    if !report.commands.is_empty() || matches!(report.coverage, Coverage::Full) {
        return report;
    }
    let tag = command
        .rsplit_once("<<")
        .and_then(|(_, rest)| rest.trim_start_matches('-').split_whitespace().next())
        .map(|tag| tag.trim_matches(['\'', '"', '\\', ')', ';']).to_owned())
        .filter(|tag| !tag.is_empty() && tag.len() < 40);
    let mut endings = vec!["\"".to_owned(), "'".to_owned()];
    if let Some(tag) = tag {
        endings.push(format!("\n{tag}\n"));
        endings.push(format!("\n{tag}\n)\""));
    }
    endings
        .into_iter()
        .map(|ending| shell::analyse(&format!("{command}{ending}"), source.cwd, source.place))
        .find(|report| !report.commands.is_empty())
        .unwrap_or(report)
}

fn note(all: &mut Vec<String>, target: &str) {
    if !target.is_empty() && all.len() < 32 && !all.iter().any(|it| it == target) {
        all.push(target.to_owned());
    }
}

fn dedupe<T: PartialEq>(all: &mut Vec<T>) {
    let mut out: Vec<T> = Vec::with_capacity(all.len().min(ACTS_MAX));
    for item in all.drain(..) {
        if ACTS_MAX <= out.len() {
            break;
        }
        if !out.contains(&item) {
            out.push(item);
        }
    }
    *all = out;
}

fn says_nothing_bad(step: &Step, text: &str) -> bool {
    !failure::says_failed(step.name(), text) && !failure::not_found(step.name(), text)
}

/// Whether the output is what programs say, and not the text of sources.
fn tells(steps: &[Step]) -> bool {
    let source = |step: &Step| {
        let looks = matches!(step.meaning.role, Role::Look | Role::Answer);
        let shows = |file: &FileAct| {
            !super::of::is_data(&file.path)
                && (file.act == Act::Read
                    || (file.act == Act::Search && step.is_search() && !step.names_only()))
        };
        (looks && step.meaning.files.iter().any(shows))
            || matches!(
                step.meaning.target.as_str(),
                "git diff" | "git show" | "git log" | "git blame" | "gh pr diff"
            )
    };
    !steps.iter().any(source)
}

/// The commands that do something themselves: wrappers give way to what they wrap.
fn steps(commands: &[Command], source: &Source<'_>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        let words: Vec<String> = command.words.iter().map(|word| word.clone().unwrap_or_default()).collect();
        if wraps(&words, command, commands.get(index + 1..).unwrap_or_default()) {
            continue;
        }
        let Some(view) = Words::new(&words) else { continue };
        if let Some(previous) = out.iter_mut().rev().find(|step| step.flow.pipeline == command.flow.pipeline)
        {
            // What a project's script runner wraps is the script's name, which its own words tell better.
            let runner = matches!(
                previous.name(),
                "npm" | "pnpm" | "yarn" | "bun" | "npx" | "uv" | "poetry" | "deno" | "rtk"
            );
            if runner && previous.words.ends_with(&words) {
                let known = !is_script_name(view.name);
                if !known {
                    continue;
                }
                previous.meaning = resolve(meaning(view), command, source);
                previous.words = words;
                continue;
            }
            if previous.words == words {
                continue;
            }
        }
        let found = resolve(meaning(view), command, source);
        out.push(Step {
            meaning: found,
            words,
            flow: command.flow,
            cwd: command.cwd.clone(),
            state: State::Ran,
        });
    }
    out
}

/// Names that are scripts rather than programs when a package manager runs them.
fn is_script_name(name: &str) -> bool {
    meaning(Words { name, word: name, args: &[] }).judges.is_empty()
        || matches!(name, "test" | "build" | "lint" | "check" | "format")
}

/// A wrapper whose inner command follows.
fn wraps(words: &[String], command: &Command, rest: &[Command]) -> bool {
    let Some((first, args)) = words.split_first() else { return true };
    let Some(next) = rest.first() else { return false };
    let suffix = !next.words.is_empty()
        && next.words.len() < words.len()
        && next
            .words
            .iter()
            .rev()
            .zip(words.iter().rev())
            .take(next.words.len() - 1)
            .all(|(a, b)| a.as_deref().unwrap_or_default() == b);
    let same = next.flow.pipeline == command.flow.pipeline;
    let name = base(first);
    match name {
        "sudo" | "doas" | "nohup" | "setsid" | "builtin" | "timeout" | "gtimeout" | "nice" | "ionice"
        | "time" | "exec" | "stdbuf" | "env" | "command" | "xvfb-run" | "caffeinate" | "unbuffer"
        | "strace" | "doppler" | "dotenv" | "dotenvx" | "op" | "chronic" | "busybox" | "flock" | "script"
        | "su" | "runuser" | "nix-shell" | "nix" | "direnv" | "mise" | "asdf" | "rtk" | "xargs"
        | "parallel" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "uvx" | "npx" | "bunx" | "pnpx"
        | "conda" | "mamba" | "bundle" => {
            (same || matches!(name, "su" | "script" | "flock" | "nix-shell" | "env" | "parallel"))
                && (suffix
                    || matches!(name, "xargs" | "su" | "script" | "flock" | "nix-shell" | "parallel" | "env"))
        }
        "uv" => same && suffix && args.first().is_some_and(|it| it == "run"),
        "npm" => same && suffix && args.first().is_some_and(|it| it == "exec" || it == "x"),
        "pnpm" | "yarn" | "bun" => {
            same && suffix && args.first().is_some_and(|it| matches!(it.as_str(), "exec" | "dlx" | "x"))
        }
        "python" | "python3" => {
            // `python -m pip …` is followed by `pip …`.
            let own = next.words.first().and_then(Option::as_deref);
            same && suffix
                && (args.first().is_some_and(|it| it == "-m") || matches!(own, Some("manage.py" | "artisan")))
        }
        "watch" | "entr" | "hyperfine" | "retry" => true,
        _ => {
            shell::is_shell(name)
                && args.iter().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('c'))
        }
    }
}

/// Paths made absolute against the command's own folder.
fn resolve(mut found: Meaning, command: &Command, source: &Source<'_>) -> Meaning {
    let home = source.place.home.as_deref();
    for file in &mut found.files {
        let absolute = file.path.starts_with('/') || file.path.starts_with('~');
        if command.remote && !absolute {
            continue;
        }
        match &command.cwd {
            Some(cwd) => file.path = lexical::expand(cwd, home, &file.path).display().to_string(),
            None if absolute => {
                file.path = lexical::expand(source.cwd, home, &file.path).display().to_string();
            }
            None => {}
        }
        file.tree |= file.path.contains('*');
    }
    found.files.retain(|file| !file.path.is_empty() && !file.path.starts_with("/dev/"));
    found
}

/// Attaches file effects to the steps that have them; those of no step are returned.
fn effects(effects: &[Effect], flows: &[Flow], steps: &mut [Step]) -> Vec<FileAct> {
    let mut loose = Vec::new();
    for (effect, flow) in effects.iter().zip(flows) {
        let name = effect.command.split_whitespace().next().map(base).unwrap_or_default();
        let same = |step: &Step| {
            step.flow.pipeline == flow.pipeline && step.flow.fed == flow.fed && step.flow.piped == flow.piped
        };
        let at = {
            let named =
                steps.iter().rposition(|step| step.flow.pipeline == flow.pipeline && step.name() == name);
            named.or_else(|| steps.iter().rposition(same))
        };
        match at.and_then(|at| steps.get_mut(at)) {
            Some(step) => {
                let acts = acts_of(effect, name, Some(step));
                for act in acts {
                    if !step.meaning.files.contains(&act) {
                        step.meaning.files.push(act);
                    }
                }
            }
            None => loose.extend(acts_of(effect, name, None)),
        }
    }
    loose
}

/// What an effect of the shell analysis does to files.
fn acts_of(effect: &Effect, name: &str, step: Option<&Step>) -> Vec<FileAct> {
    let role = step.map_or(Role::Look, |step| step.meaning.role);
    let acts: &[Act] = match effect.kind {
        EffectKind::Delete => &[Act::Delete],
        EffectKind::Truncate | EffectKind::Overwrite => match name {
            "mv" | "gmv" | "cp" | "gcp" => &[],
            _ => &[Act::Create, Act::Edit],
        },
        EffectKind::Write => match name {
            "touch" | "mkdir" | "mkfifo" | "install" | "git" | "ditto" | "tar" | "unzip" | "bsdtar"
            | "7z" => &[Act::Create],
            "sed" | "gsed" | "perl" | "ruby" | "patch" | "vim" | "vi" | "nvim" | "ex" | "ed" => &[Act::Edit],
            "mv" | "gmv" | "cp" | "gcp" => &[],
            _ => &[Act::Edit, Act::Create],
        },
        // Operands of programs that print are known from their words; what is left are inputs and what code opens.
        EffectKind::Read => {
            let input = effect.command.starts_with('<') && role != Role::Judge;
            let script = |step: &Step| step.meaning.deeds.iter().any(|deed| deed.act == Act::Run);
            let code = interpreter(name)
                && role == Role::Deed
                && step.is_some_and(|step| !step.meaning.opaque && !script(step));
            if input || code { &[Act::Read] } else { &[] }
        }
        _ => &[],
    };
    let mut out = Vec::new();
    for target in &effect.targets {
        let (path, tree) = match &target.path {
            Some(path) if target.glob => (path.join(&target.pattern).display().to_string(), true),
            Some(path) => (path.display().to_string(), effect.recursive),
            None => continue,
        };
        // `sed -i '' 's|a|b|' file` of BSD: the script stands where GNU has the first file.
        let script = matches!(name, "sed" | "gsed")
            && target.text.starts_with(['s', 'y', '/', '1', '2', '$'])
            && (target.text.matches(['|', '/', '#', ',', '@']).count() == 3 && !target.text.contains('.')
                || target.text.starts_with("s|")
                || target.text.starts_with("s/")
                || target.text.starts_with("s#"));
        if script || path.starts_with("/dev/") {
            continue;
        }
        let unpacked = matches!(name, "tar" | "unzip" | "bsdtar" | "7z");
        let cloned = name == "git" && effect.kind == EffectKind::Write;
        for act in acts {
            out.push(FileAct { act: *act, path: path.clone(), tree: tree || unpacked || cloned, times: 1 });
        }
    }
    out
}

/// Programs that run code given as text.
fn interpreter(name: &str) -> bool {
    matches!(name, "python" | "python3" | "node" | "ruby" | "perl" | "php" | "deno" | "bun" | "tsx")
}

/// Marks of code that writes, or that does what only its own text tells.
const WRITING: &[&str] = &[
    ".write",
    "write_text",
    "writeFile",
    "open(",
    "to_csv",
    "to_json",
    ".save",
    "dump(",
    "subprocess",
    "os.system",
    "shutil",
    "execSync",
    "rename",
    "unlink",
    "File.open",
    "import ",
    "require(",
    "exec(",
    "spawn",
];

/// Whether something of the line may have done what its text does not tell.
fn unread(report: &shell::Report, command: &str, steps: &[Step]) -> bool {
    // Scripts whose content was not read are known from the words of what runs them.
    let gaps = match &report.coverage {
        Coverage::Full => false,
        Coverage::Partial(gaps) => gaps.iter().any(|gap| !gap.ends_with("whose content was not read")),
    };
    let unresolved = report.effects.iter().any(|effect| {
        matches!(
            effect.kind,
            EffectKind::Overwrite
                | EffectKind::Write
                | EffectKind::Delete
                | EffectKind::MoveAway
                | EffectKind::Truncate
        ) && effect.targets.iter().any(|target| target.path.is_none())
    });
    let code = steps.iter().any(|step| {
        interpreter(step.name())
            && step.meaning.role == Role::Deed
            && !step.meaning.files.iter().any(|file| file.act != Act::Read)
    });
    let writing = code && WRITING.iter().any(|it| command.contains(it));
    gaps || unresolved || writing || steps.iter().any(|step| step.meaning.opaque)
}

/// The line succeeded: so did what its status tells of.
fn succeed(steps: &mut [Step]) {
    for step in steps {
        step.state = if step.told() && !step.flow.optional { State::Done } else { State::Ran };
    }
}

/// The line failed.
fn fail(steps: &mut [Step], exit: Option<i32>, text: &str, summaries: &[Summary]) {
    let Some(blamed) = blamed(steps, exit, text, summaries) else { return };
    for (index, step) in steps.iter_mut().enumerate() {
        step.state = if index == blamed {
            State::Failed
        } else if index < blamed {
            if step.told() && !step.flow.optional { State::Done } else { State::Ran }
        } else if step.flow.after_success || step.told() {
            // Of one pipe all parts run.
            State::Skipped
        } else {
            State::Ran
        };
    }
    let pipeline = steps[blamed].flow.pipeline;
    for step in steps.iter_mut().skip(blamed + 1) {
        if step.flow.pipeline == pipeline {
            step.state = State::Ran;
        }
    }
}

/// The command that made the line fail.
fn blamed(steps: &[Step], exit: Option<i32>, text: &str, summaries: &[Summary]) -> Option<usize> {
    let told: Vec<usize> = (0..steps.len()).filter(|index| steps[*index].told()).collect();
    let candidates = if told.is_empty() { (0..steps.len()).collect() } else { told };
    if candidates.len() < 2 {
        return candidates.first().copied();
    }
    if let Some(missing) = candidates.iter().find(|index| failure::not_found(steps[**index].name(), text)) {
        return Some(*missing);
    }
    let mut left: Vec<Option<&Summary>> = summaries.iter().map(Some).collect();
    let mut judged = None;
    for index in candidates.iter().copied() {
        let failed = steps[index].meaning.judges.iter().any(|judge| {
            let outcome = if judge.act == Act::Test {
                let others = candidates.iter().filter(|other| {
                    steps[**other]
                        .meaning
                        .judges
                        .iter()
                        .any(|it| it.act == Act::Test && it.tool == judge.tool)
                });
                take(&mut left, judge.tool, others.count() < 2).0
            } else {
                judgement(judge, text)
            };
            outcome.is_some_and(|outcome| outcome.passed == Some(false))
        });
        if failed {
            judged = Some(index);
            break;
        }
    }
    if judged.is_some() {
        return judged;
    }
    if let Some(index) = candidates.iter().copied().find(|index| said_by_git(&steps[*index], text)) {
        return Some(index);
    }
    let named = candidates.iter().copied().find(|index| {
        let name = steps[*index].name();
        let start = format!("{name}: ");
        let inner = format!(": {name}: ");
        failure::says_failed(name, text)
            || lines(text).any(|line| {
                line.starts_with(&start)
                    || (line.contains(&inner) && line.contains("line "))
                    || line.contains(&format!("{name}:{name}: "))
            })
            || (name == "git"
                && lines(text).any(|line| {
                    line.starts_with("error: ")
                        || line.contains("nothing to commit")
                        || line.contains("no changes added")
                }))
    });
    if named.is_some() {
        return named;
    }
    let last = candidates.last().copied();
    if exit == Some(1) && last.is_some_and(|last| steps[last].meaning.role == Role::Answer) {
        return last;
    }
    candidates.iter().rev().copied().find(|index| steps[*index].meaning.role != Role::Neutral).or(last)
}

/// What git says belongs to one of its subcommands.
fn said_by_git(step: &Step, text: &str) -> bool {
    let marks: &[&str] = match step.meaning.target.as_str() {
        "git add" => &["fatal: pathspec", "paths are ignored by"],
        "git commit" => &[
            "nothing to commit",
            "no changes added",
            "nothing added to commit",
            "hook declined",
            "Please tell me who you are",
            "hook: pre-commit",
            "hook: commit-msg",
            "husky - pre-commit",
            "husky - commit-msg",
        ],
        "git push" => &[
            "[rejected]",
            "[remote rejected]",
            "failed to push",
            "has no upstream branch",
            "hook: pre-push",
            "Could not read from remote",
            "src refspec",
        ],
        "git rebase" => &["could not apply", "cannot rebase", "CONFLICT (", "No rebase in progress"],
        "git merge" | "git pull" => &[
            "CONFLICT (",
            "Automatic merge failed",
            "Not possible to fast-forward",
            "divergent branches",
            "refusing to merge",
            "would be overwritten by merge",
            "no tracking information",
        ],
        "git cherry-pick" | "git revert" | "git stash" => {
            &["could not apply", "CONFLICT (", "could not revert"]
        }
        "git checkout" | "git switch" => &[
            "did not match any file",
            "is already used by worktree",
            "already exists",
            "would be overwritten by checkout",
            "invalid reference",
        ],
        _ => return false,
    };
    lines(text).any(|line| marks.iter().any(|mark| line.contains(mark)))
}

/// Whether a summary can be that of a runner.
fn accepts(tool: Tool, found: Tool) -> bool {
    tool == found
        || found == Tool::Generic
        || matches!(
            (tool, found),
            (Tool::Generic | Tool::Tox | Tool::Plain | Tool::PreCommit, _)
                | (Tool::CargoTest, Tool::Nextest)
                | (Tool::Minitest, Tool::Rspec | Tool::Mix)
                | (Tool::Mix | Tool::Playwright, Tool::Minitest | Tool::Mocha)
                | (Tool::Gradle, Tool::Maven)
                | (Tool::Jest | Tool::NodeTest, Tool::Mocha)
                | (Tool::Phpunit, Tool::Jest)
                | (
                    Tool::Mocha | Tool::Playwright | Tool::Vitest,
                    Tool::Playwright | Tool::Mocha | Tool::Jest
                )
                | (Tool::Unittest, Tool::Pytest)
        )
}

/// What the output says of a judge that runs no tests.
fn judgement(judge: &Judge, text: &str) -> Option<RunOutcome> {
    if text.trim().is_empty() {
        return None;
    }
    if judge.tool != Tool::Plain {
        return output::check(judge.tool, text);
    }
    let tools: &[Tool] = match judge.act {
        Act::Lint => &[Tool::Eslint, Tool::Biome, Tool::Ruff, Tool::Rustc, Tool::PreCommit],
        Act::Typecheck => &[Tool::Tsc, Tool::Mypy, Tool::Pyright],
        Act::Build => &[Tool::Bundler, Tool::Tsc, Tool::Rustc, Tool::Make],
        Act::Format => &[Tool::Prettier, Tool::Biome, Tool::Ruff, Tool::Black],
        _ => &[],
    };
    tools.iter().find_map(|tool| output::check(*tool, text))
}

/// The runs, each with its verdict.
fn runs(steps: &mut [Step], summaries: &[Summary], text: &str, evidence: &mut Evidence, background: bool) {
    let mut left: Vec<Option<&Summary>> = summaries.iter().map(Some).collect();
    let testers = |tool: Tool| {
        steps
            .iter()
            .filter(|step| step.state != State::Skipped)
            .flat_map(|step| &step.meaning.judges)
            .filter(|judge| judge.act == Act::Test && judge.tool == tool)
            .count()
    };
    let counts: Vec<(Tool, usize)> = steps
        .iter()
        .flat_map(|step| &step.meaning.judges)
        .map(|judge| (judge.tool, testers(judge.tool)))
        .collect();
    let cut = has(text, " truncated") || has(text, "output too large");
    let mut found: Vec<Run> = Vec::new();
    for step in steps.iter() {
        if step.state == State::Skipped {
            continue;
        }
        for judge in &step.meaning.judges {
            let alone =
                counts.iter().find(|(tool, _)| *tool == judge.tool).is_none_or(|(_, count)| *count < 2);
            let mut times = step.flow.times.max(1);
            let said = if judge.act == Act::Test {
                let (outcome, number) = take(&mut left, judge.tool, alone);
                if 1 < times && 1 < number {
                    times = u32::try_from(number).unwrap_or(times);
                }
                outcome.or_else(|| {
                    // It did not get to its tests.
                    (judge.tool == Tool::CargoTest)
                        .then(|| output::check(Tool::Rustc, text).filter(|it| it.passed == Some(false)))
                        .flatten()
                })
            } else {
                judgement(judge, text)
            };
            let mut outcome =
                verdict(step, judge, said, text, quiet_counts(steps, step, evidence.ok), background);
            outcome.partial =
                judge.act == Act::Test && judge.tool.sums_up_parts() && (step.flow.piped || cut);
            found.push(Run {
                act: judge.act,
                program: judge.program.clone(),
                scope: judge.scope.clone(),
                times,
                outcome,
            });
        }
        if matches!(step.meaning.target.as_str(), "git commit" | "git push")
            || step.words.iter().any(|it| it == "lefthook")
        {
            found.extend(output::hooks(text));
        }
    }
    // Summaries that no known runner printed: a project's script ran something that judges.
    let others: Vec<&Summary> = left.into_iter().flatten().collect();
    let judged = steps.iter().any(|step| step.meaning.judges.iter().any(|judge| judge.act == Act::Test));
    if let Some(step) = steps.iter().find(|step| step.meaning.opaque && step.state != State::Skipped)
        && !others.is_empty()
        && !judged
    {
        let outcome = others.iter().fold(RunOutcome::default(), |all, it| output::sum(&all, &it.outcome));
        found.push(Run {
            act: Act::Run,
            program: step.meaning.target.clone(),
            scope: Vec::new(),
            times: 1,
            outcome,
        });
    }
    evidence.runs = merged(found);
}

/// The summaries that belong to a runner: all of them when it ran once, else the next one. How many there were.
fn take(left: &mut [Option<&Summary>], tool: Tool, alone: bool) -> (Option<RunOutcome>, usize) {
    let exact = tool != Tool::Generic && left.iter().flatten().any(|it| it.tool == tool);
    // A script's runner prints its own summary; words that any tool could print are the last resort.
    let own = tool == Tool::Generic && left.iter().flatten().any(|it| it.tool != Tool::Generic);
    let mut all: Option<RunOutcome> = None;
    let mut number = 0;
    for place in left.iter_mut() {
        let Some(summary) = place else { continue };
        let fits = if exact { summary.tool == tool } else { accepts(tool, summary.tool) };
        if !fits || (own && summary.tool == Tool::Generic) {
            continue;
        }
        all = Some(match all {
            Some(so_far) => output::sum(&so_far, &summary.outcome),
            None => summary.outcome.clone(),
        });
        number += 1;
        *place = None;
        if !alone {
            break;
        }
    }
    (all, number)
}

/// Whether silence of a tool whose status is hidden says that all is well: nothing else filtered its output, unless
/// for errors, and the line did not fail of itself.
fn quiet_counts(steps: &[Step], step: &Step, ok: bool) -> bool {
    if !step.flow.piped {
        return ok;
    }
    let behind = || {
        steps.iter().filter(|other| {
            other.flow.pipeline == step.flow.pipeline && other.flow.fed && !std::ptr::eq(*other, step)
        })
    };
    let passes = |other: &Step| {
        matches!(other.name(), "head" | "tail" | "cat" | "tee" | "less" | "more")
            || (other.is_search()
                && other.words.iter().any(|word| has(word, "error"))
                && !other.words.iter().any(|it| it == "-v"))
    };
    behind().all(passes) && (ok || behind().any(|other| other.state == State::Failed && other.is_search()))
}

fn verdict(
    step: &Step,
    judge: &Judge,
    said: Option<RunOutcome>,
    text: &str,
    ok: bool,
    background: bool,
) -> RunOutcome {
    let mut outcome = said.unwrap_or_default();
    if background {
        return outcome;
    }
    match step.state {
        State::Failed => {
            // Of several judges in one command the output may say which one it was.
            let other_failed = step
                .meaning
                .judges
                .iter()
                .any(|it| it != judge && judgement(it, text).is_some_and(|it| it.passed == Some(false)));
            if !other_failed || outcome.passed == Some(false) {
                outcome.passed = Some(false);
            }
        }
        State::Done => {
            // What tests print outranks the status; linters may find things and still end well.
            if judge.act != Act::Test || outcome.passed.is_none() && outcome.tests_passed != Some(0) {
                outcome.passed = Some(true);
            }
        }
        State::Ran => {
            let quiet = judge.tool.silent() && ok && !step.flow.negated && outcome == RunOutcome::default();
            if quiet && !lines(text).any(complains) {
                outcome.passed = Some(true);
            }
        }
        State::Skipped => {}
    }
    outcome
}

/// A line in which a tool that is silent when all is well says something.
fn complains(line: &str) -> bool {
    has(line, "error") || has(line, "warning") || has(line, "not found") || {
        // `path:12:3`, `path(12,3)`
        let at = line.find([':', '(']);
        at.is_some_and(|at| {
            line[at + 1..].starts_with(|c: char| c.is_ascii_digit()) && line[..at].contains('.')
        })
    }
}

/// Equal runs as one, how often it was made; the last verdict counts, counts of a loop are not added up.
fn merged(found: Vec<Run>) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for run in found {
        match out
            .iter_mut()
            .find(|it| it.act == run.act && it.program == run.program && it.scope == run.scope)
        {
            Some(same) => {
                same.times = same.times.saturating_add(run.times);
                same.outcome = if run.outcome == RunOutcome::default() {
                    std::mem::take(&mut same.outcome)
                } else {
                    run.outcome
                };
            }
            None => out.push(run),
        }
    }
    out.truncate(ACTS_MAX);
    out
}

/// Runs that a background task's output holds.
pub(super) fn background_runs(tool: &str, text: &str) -> Vec<Run> {
    output::tests(text)
        .into_iter()
        .filter(|summary| summary.tool != Tool::Generic)
        .map(|summary| Run {
            act: Act::Test,
            program: tool.to_owned(),
            scope: Vec::new(),
            times: 1,
            outcome: summary.outcome,
        })
        .collect()
}

/// The failure of the line, or of a command whose status was hidden and whose output is plain.
fn blame(steps: &mut [Step], loose: &[FileAct], exit: Option<i32>, text: &str, evidence: &mut Evidence) {
    if evidence.ok {
        let hidden = steps.iter().position(|step| {
            step.state == State::Ran
                && matches!(step.meaning.role, Role::Deed | Role::Judge)
                && !step.flow.captured
                && !step.flow.optional
                && (failure::not_found(step.name(), text)
                    || (step.meaning.role == Role::Deed && failure::says_failed(step.name(), text)))
        });
        let only =
            steps.iter().filter(|step| step.meaning.role == Role::Deed && step.state == State::Ran).count()
                < 2;
        let Some(index) = hidden.filter(|_| only) else { return };
        let judge = steps[index].meaning.role == Role::Judge;
        steps[index].state = State::Failed;
        if judge {
            forget_runs(&steps[index], evidence);
        }
        let step = &steps[index];
        evidence.failure = Some(Failure {
            kind: FailureKind::Error,
            missed: would_have(step),
            target: step.meaning.target.clone(),
            message: failure::message(text),
        });
        if judge {
            steps[index].meaning.role = Role::Deed;
        }
        return;
    }
    let Some(index) = steps.iter().position(|step| step.state == State::Failed) else {
        evidence.failure = Some(Failure {
            kind: FailureKind::Error,
            missed: missed(Vec::new(), loose),
            target: steps.first().map(|step| step.meaning.target.clone()).unwrap_or_default(),
            message: failure::message(text),
        });
        return;
    };
    // A server that the host ended when its time was over had been started.
    if has(text, "timed out") && steps[index].meaning.deeds.iter().any(|deed| deed.act == Act::Service) {
        steps[index].state = State::Ran;
        evidence.failure = Some(Failure {
            kind: FailureKind::Interrupted,
            missed: Vec::new(),
            target: steps[index].meaning.target.clone(),
            message: failure::message(text),
        });
        return;
    }
    let step = &steps[index];
    let counted = step.meaning.judges.iter().any(|judge| {
        evidence
            .runs
            .iter()
            .any(|run| run.act == judge.act && run.program == judge.program && has_counts(&run.outcome))
    });
    let role = step.meaning.role;
    let nothing = step.meaning.target == "git commit"
        && lines(text).any(|line| {
            line.contains("nothing to commit")
                || line.contains("no changes added to commit")
                || line.contains("nothing added to commit")
        });
    let kind = match role {
        Role::Judge if counted || !(exit == Some(127) || failure::could_not_run(text)) => {
            FailureKind::Verdict
        }
        Role::Judge => FailureKind::Error,
        Role::Answer if exit.is_none_or(|exit| exit == 1 || exit == 255) && !step_missing(step, text) => {
            FailureKind::Answer
        }
        Role::Look if step.name() == "curl" && (exit == Some(22) || text.contains("curl: (22)")) => {
            FailureKind::Answer
        }
        Role::Answer | Role::Look if exit == Some(127) => FailureKind::Error,
        Role::Answer | Role::Look => FailureKind::Probe,
        _ if nothing => FailureKind::Answer,
        Role::Neutral if step.name() == "cd" => FailureKind::Probe,
        Role::Neutral if matches!(step.name(), "exit" | "return" | "false") => FailureKind::Answer,
        _ => FailureKind::Error,
    };
    let mut not_done: Vec<Deed> = Vec::new();
    match kind {
        FailureKind::Verdict | FailureKind::Answer if !nothing => {}
        _ => not_done.extend(would_have(step)),
    }
    for later in steps.iter().filter(|step| step.state == State::Skipped) {
        not_done.extend(would_have(later));
    }
    if kind == FailureKind::Probe {
        let there = seen(step, text);
        not_done.retain(|deed| !there.iter().any(|file| file.path == deed.object));
    }
    dedupe(&mut not_done);
    not_done.truncate(64);
    let looked_at = step.meaning.files.iter().find(|file| matches!(file.act, Act::Read | Act::Search));
    let target = match looked_at {
        Some(file) if matches!(role, Role::Look | Role::Answer) => file.path.clone(),
        _ => step.meaning.target.clone(),
    };
    let message = failure::message(text);
    let could_not = role == Role::Judge && kind == FailureKind::Error;
    if could_not {
        forget_runs(&steps[index], evidence);
        steps[index].meaning.role = Role::Deed;
    }
    if nothing {
        steps[index].meaning.deeds.clear();
    }
    evidence.failure = Some(Failure { kind, missed: not_done, target, message });
}

fn has_counts(outcome: &RunOutcome) -> bool {
    outcome.tests_passed.is_some_and(|it| 0 < it)
        || outcome.tests_failed.is_some_and(|it| 0 < it)
        || outcome.errors.is_some_and(|it| 0 < it)
}

fn forget_runs(step: &Step, evidence: &mut Evidence) {
    let judges = &step.meaning.judges;
    evidence.runs.retain(|run| {
        !judges
            .iter()
            .any(|judge| judge.act == run.act && judge.program == run.program && judge.scope == run.scope)
    });
}

/// The program that answers says that what it was asked about is not there.
fn step_missing(step: &Step, text: &str) -> bool {
    matches!(step.name(), "grep" | "rg" | "diff" | "cmp" | "egrep")
        && lines(text).any(|line| line.contains("No such file") || line.contains("os error 2"))
}

/// The acts of a command, with their objects.
fn would_have(step: &Step) -> Vec<Deed> {
    let mut deeds = step.meaning.deeds.clone();
    for judge in &step.meaning.judges {
        deeds.push(Deed { act: judge.act, object: judge.program.clone() });
    }
    missed(deeds, &step.meaning.files)
}

fn all_missed(steps: &[Step], loose: &[FileAct]) -> Vec<Deed> {
    let mut out: Vec<Deed> = steps.iter().flat_map(would_have).collect();
    out.extend(missed(Vec::new(), loose));
    dedupe(&mut out);
    out.truncate(64);
    out
}

/// The files that a failed look did show: those that no line of the output says to be missing.
fn seen(step: &Step, text: &str) -> Vec<FileAct> {
    let files = &step.meaning.files;
    if files.len() < 2 {
        return Vec::new();
    }
    let complaints: Vec<&str> = lines(text)
        .filter(|line| {
            ["No such file", "Permission denied", "Is a directory", "cannot access", "cannot open"]
                .iter()
                .any(|it| line.contains(it))
        })
        .collect();
    if complaints.is_empty() {
        return Vec::new();
    }
    files
        .iter()
        .filter(|file| !complaints.iter().any(|line| line.contains(base(&file.path))))
        .cloned()
        .collect()
}

/// Words of the commands for claims about what only names tell.
fn words(steps: &[Step], evidence: &mut Evidence) {
    let mut all = Vec::new();
    for step in steps.iter().take(24) {
        for word in step.words.iter().take(32).filter(|word| word.len() < 160) {
            all.extend(mcp::words_of(if word.contains('/') && !word.contains("://") {
                stem(word)
            } else {
                word
            }));
        }
    }
    add_words(&mut evidence.words, all);
}
