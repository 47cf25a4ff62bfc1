//! A command line with its output -> evidence.
//!
//! The shell analysis gives the simple commands with their resolved words, their effects, and where each stands in
//! the line. From that, the exit status and the output follow which of them succeeded: when the line succeeded,
//! every command whose status the line tells did; when it failed, the one that the output blames, else the last
//! one, and what stands behind it did not run. What stands before it took effect.

mod ending;
mod judged;
mod shown;
mod steps;

pub(super) use judged::background_runs;

use std::path::PathBuf;

use hostler_model::lexical;

use super::of::{Source, add_words, stem};
use super::output;
use super::program::{Meaning, Role};
use super::text::{base, has, lines};
use super::{Evidence, Failure, FailureKind, FileAct, failure, mcp, measure, state};
use crate::claims::Act;
use crate::shell::Flow;

use ending::{all_missed, blame, fail, seen, succeed};
use steps::{analyse, effects, unread};

/// Acts of one call that are kept.
const ACTS_MAX: usize = 200;

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
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
pub(super) struct Step {
    pub(super) words: Vec<String>,
    pub(super) meaning: Meaning,
    pub(super) flow: Flow,
    cwd: Option<PathBuf>,
    pub(super) state: State,
}

impl Step {
    pub(super) fn name(&self) -> &str {
        self.words.first().map_or("", |word| base(word))
    }

    /// The line's exit status tells of it.
    fn told(&self) -> bool {
        !self.flow.hidden && !self.flow.negated
    }

    /// It searches contents.
    pub(super) fn is_search(&self) -> bool {
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
    let mut steps = steps::steps(&report.commands, source);
    let loose = effects(&report.effects, &report.flows, &mut steps);
    shown::changed(&mut steps, text, source);
    shown::parts(&mut steps, text);
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
    judged::runs(&mut steps, &summaries, text, evidence, background);
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
            evidence.files.push(FileAct { part: true, ..FileAct::new(Act::Read, path) });
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
        state::lines(text, &steps, &mut evidence.answers);
    }
    state::commands(command, &steps, exit, text, &mut evidence.answers);
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
