//! Which commands of a line succeeded, which failed and why, and what was not done.

use super::super::of::missed;
use super::super::output::Summary;
use super::super::program::Role;
use super::super::text::{base, has, lines};
use super::super::{Deed, Evidence, Failure, FailureKind, FileAct, RunOutcome, failure};
use super::judged::{judgement, take};
use super::{State, Step, dedupe};
use crate::claims::Act;

/// The line succeeded: so did what its status tells of.
pub(super) fn succeed(steps: &mut [Step]) {
    for step in steps {
        step.state = if step.told() && !step.flow.optional { State::Done } else { State::Ran };
    }
}

/// The line failed.
pub(super) fn fail(steps: &mut [Step], exit: Option<i32>, text: &str, summaries: &[Summary]) {
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

/// The failure of the line, or of a command whose status was hidden and whose output is plain.
pub(super) fn blame(
    steps: &mut [Step],
    loose: &[FileAct],
    exit: Option<i32>,
    text: &str,
    evidence: &mut Evidence,
) {
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
pub(super) fn would_have(step: &Step) -> Vec<Deed> {
    let mut deeds = step.meaning.deeds.clone();
    for judge in &step.meaning.judges {
        deeds.push(Deed { act: judge.act, object: judge.program.clone() });
    }
    missed(deeds, &step.meaning.files)
}

pub(super) fn all_missed(steps: &[Step], loose: &[FileAct]) -> Vec<Deed> {
    let mut out: Vec<Deed> = steps.iter().flat_map(would_have).collect();
    out.extend(missed(Vec::new(), loose));
    dedupe(&mut out);
    out.truncate(64);
    out
}

/// The files that a failed look did show: those that no line of the output says to be missing.
pub(super) fn seen(step: &Step, text: &str) -> Vec<FileAct> {
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
