//! What programs that judge said.

use super::super::output::{self, Summary, Tool};
use super::super::program::Judge;
use super::super::text::{has, lines};
use super::super::{Evidence, Run, RunOutcome};
use super::{ACTS_MAX, State, Step};
use crate::claims::Act;

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
pub(super) fn judgement(judge: &Judge, text: &str) -> Option<RunOutcome> {
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
pub(super) fn runs(
    steps: &mut [Step],
    summaries: &[Summary],
    text: &str,
    evidence: &mut Evidence,
    background: bool,
) {
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
pub(super) fn take(left: &mut [Option<&Summary>], tool: Tool, alone: bool) -> (Option<RunOutcome>, usize) {
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
pub(in super::super) fn background_runs(tool: &str, text: &str) -> Vec<Run> {
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
