//! A state or value that is told, against the last output that speaks of it.
//!
//! Nothing is contradicted that an output of the session agrees with, nor what no output of this turn speaks of, nor
//! what a later call that cannot be read may have changed.

mod asked;
mod measured;

use super::super::act::Act;
use super::super::evidence::{Answer, Channel, Evidence, Measure, Question, Run};
use super::super::reading::state::Stated;
use super::super::reading::{Reading, Told};
use super::super::verdict::Standing;
use super::{Bench, Ruling};

use measured::number_somewhere;

pub(super) fn judge(reading: &Reading, stated: &Stated, bench: &Bench<'_>) -> Ruling {
    let all = bench.evidence;
    let found = match stated {
        Stated::Metric(name, told) => measured::metric(name, told, all),
        Stated::Time(timed, told) => measured::time(*timed, told, all),
        Stated::Size(weighed, told) => measured::size(*weighed, told, all),
        Stated::Faster(times) => measured::faster(*times, all),
        Stated::Throughput(told) => measured::throughput(told, all),
        Stated::Share(name, told) => measured::share(name, told, all),
        Stated::Counted("held", noun, count) => asked::rows(reading, noun, *count, all),
        Stated::Counted(deed, noun, count) => measured::counted(deed, noun, *count, all),
        Stated::Vulnerable(count) => measured::counted("", "vulnerabilities", *count, all),
        Stated::Status(code, names) => asked::status(*code, names, all),
        Stated::Refused(refused, kind) => asked::refused_or_not(*refused, kind, all),
        Stated::Exit(code, names) => asked::exit(*code, names, all),
        Stated::Healthy(health, names, whole) => asked::healthy(*health, names, *whole, all),
        Stated::Same(same) => asked::same_or_not(*same, all),
        Stated::There(name, there) => asked::there_or_not(name, *there, all),
        Stated::Clean => asked::clean(all),
        Stated::Left(patterns, places) => asked::left(patterns, places, all),
        Stated::Matches(pattern, places, count, exact) => {
            asked::matches(pattern, places, *count, *exact, all)
        }
        Stated::Version(program, version) => asked::version_of(program, version, all),
        Stated::Branch(name) => asked::branch(name, all),
        Stated::Unstashed => asked::unstashed(all),
        Stated::Unconflicted => asked::unconflicted(all),
        Stated::Hooks => asked::hooks(bench),
        Stated::Unobjected => asked::unobjected(all),
        Stated::Checks => asked::checks(bench),
        Stated::Coverage(_) => None,
        Stated::Tests(passed, failed) => tests(*passed, *failed, all),
        Stated::Spotless(errors) => spotless(reading, *errors, all),
    };
    found.unwrap_or_else(|| Ruling::supported("no output of this turn speaks against it"))
}

/// The state that a result tells, where it tells one.
pub(super) fn of(reading: &Reading) -> Option<&Stated> {
    reading.result.as_ref().and_then(|told: &Told| told.state.as_ref())
}

/// Calls of this turn whose outputs state results; the last one first.
fn telling(all: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    all.iter().rev().filter(|it| !it.earlier && it.channel != Channel::File)
}

fn answers(it: &Evidence, question: Question) -> impl Iterator<Item = &Answer> {
    it.answers.iter().filter(move |answer| answer.question == question)
}

/// The calls after one.
fn after<'a>(it: &'a Evidence, all: &'a [Evidence]) -> impl Iterator<Item = &'a Evidence> {
    all.iter().skip_while(move |other| !std::ptr::eq(*other, it)).skip(1)
}

/// A later call whose effects and output are not read may have found another state.
fn unread_later(it: &Evidence, all: &[Evidence]) -> bool {
    after(it, all).any(|later| {
        later.failure.is_none()
            && (later.channel == Channel::Delegate || later.opaque && later.channel != Channel::File)
    })
}

/// Files were changed after it.
fn changed_later(it: &Evidence, all: &[Evidence]) -> bool {
    after(it, all).any(|later| {
        later.files.iter().any(|file| matches!(file.act, Act::Create | Act::Edit | Act::Delete | Act::Move))
            || later
                .deeds
                .iter()
                .any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Run))
    })
}

fn against(description: String, it: &Evidence, all: &[Evidence]) -> Option<Ruling> {
    (!unread_later(it, all)).then(|| Ruling::contradicted(description, it))
}

#[expect(clippy::unnecessary_wraps, reason = "what all of them return")]
fn agrees(it: &Evidence) -> Option<Ruling> {
    Some(Ruling::by(it))
}

fn runs_of(all: &[Evidence], act: Act) -> Vec<(&Evidence, &Run)> {
    all.iter()
        .flat_map(|it| it.runs.iter().map(move |run| (it, run)))
        .filter(|(_, run)| run.act == act)
        .collect()
}

fn tests(passed: Option<u64>, failed: Option<u64>, all: &[Evidence]) -> Option<Ruling> {
    let runs = runs_of(all, Act::Test);
    let (it, last) = runs.iter().rev().find(|(it, _)| !it.earlier).copied()?;
    let counts = |run: &Run| {
        let outcome = &run.outcome;
        let passed = outcome.tests_passed.unwrap_or(0);
        let failed = outcome.tests_failed.unwrap_or(0);
        (passed, failed, outcome.tests_skipped.unwrap_or(0))
    };
    let agree = |(p, f, s): (u64, u64, u64)| {
        let right =
            passed.is_none_or(|told| told == p || told == p + f || told == p + f + s || told == p + s);
        right && failed.is_none_or(|told| told == f)
    };
    if last.outcome.partial || (last.outcome.tests_passed.is_none() && last.outcome.tests_failed.is_none()) {
        return None;
    }
    let mut sum = (0, 0, 0);
    for (it, run) in runs.iter().rev() {
        let (p, f, s) = counts(run);
        sum = (sum.0 + p, sum.1 + f, sum.2 + s);
        let units = passed.is_some() && run.outcome.units_passed == passed;
        if agree((p, f, s)) || agree(sum) || units || run.outcome.partial {
            return agrees(it);
        }
    }
    // A number that some output holds may be of a part that was not counted.
    let other = passed.filter(|_| failed.is_none()).or(failed.filter(|_| passed.is_none()));
    let (p, f, _) = counts(last);
    if failed.is_none()
        && f == 0
        && other.is_some_and(|told| told < p && number_somewhere(told, all).is_some())
    {
        return None;
    }
    let told = match (passed, failed) {
        (Some(passed), Some(failed)) => format!("{passed} tests with {failed} failures are told"),
        (Some(passed), None) => format!("{passed} tests are told"),
        (None, Some(failed)) => format!("{failed} failing tests are told"),
        (None, None) => return None,
    };
    against(format!("{told}; the last run of {} says {p} passed, {f} failed", last.program), it, all)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that an output states")]
fn spotless(reading: &Reading, errors: bool, all: &[Evidence]) -> Option<Ruling> {
    let runs = runs_of(all, reading.act);
    let named: Vec<_> = runs
        .iter()
        .filter(|(_, run)| {
            reading.words.iter().any(|word| 2 < word.len() && run.program.contains(word.as_str()))
        })
        .collect();
    let (it, last) = named.last().map_or_else(|| runs.last(), |it| Some(*it)).copied()?;
    if it.earlier {
        return None;
    }
    let generated = || {
        let counts = |measure: &&Measure| measure.label == "generated" && measure.unit.starts_with("warning");
        it.measures.iter().find(counts).map(|measure| measure.value as u64)
    };
    let bad = last.outcome.warnings.or_else(generated).filter(|it| 0 < *it).map(|it| (it, "warnings"));
    let worse = last.outcome.errors.filter(|it| errors && 0 < *it).map(|it| (it, "errors"));
    let Some((count, what)) = worse.or(bad) else { return agrees(it) };
    let ruling = against(
        format!("nothing is said to be reported; the last run of {} says {count} {what}", last.program),
        it,
        all,
    )?;
    debug_assert_eq!(ruling.standing, Standing::Contradicted);
    Some(ruling)
}

#[cfg(test)]
mod tests;
