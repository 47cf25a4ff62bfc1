//! The evidence of one call, as the journal keeps it: bounded, and never the output itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use hostler_ledger::redact::preview;
use hostler_model::{Action, Event, Outcome, Place, ToolCall};
use hostler_policy::claims::evidence::{self, Actor, Deed, Failure, FailureKind, Source};
use hostler_policy::claims::{Act, Evidence};
use hostler_policy::shell::may_take_long;
use serde_json::Value;

/// Most of each that is kept; a call that does more is rare, and says so.
const FILES_MAX: usize = 200;
const DEEDS_MAX: usize = 100;
const RUNS_MAX: usize = 50;
const SCOPE_MAX: usize = 50;
const WORDS_MAX: usize = 150;
/// Characters of a single text.
const TEXT_CHARS_MAX: usize = 300;
const WORD_CHARS_MAX: usize = 60;
/// How long a command line that is hard to read is worked on.
const HARD_TIME_MAX: Duration = Duration::from_secs(2);

/// What a finished call proves, for its `result` record.
///
/// # Errors
/// A fault of ours, in words.
pub(crate) fn of_result(
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
    place: &Place,
    fault: impl FnOnce() + Send + 'static,
) -> Result<Value, String> {
    let hard = matches!(&call.action, Action::Shell { command } if may_take_long(command));
    let evidence = if hard {
        in_time(event, call, outcome, place)?
    } else {
        catch_unwind(AssertUnwindSafe(|| {
            fault();
            extract(event, call, outcome, place)
        }))
        .map_err(|panic| crate::hook::panic_text(panic.as_ref()))?
    };
    value(evidence)
}

/// What a call proves that was stopped, for its `decision` record: that it was tried and did not happen.
///
/// # Errors
/// A fault of ours, in words.
pub(crate) fn of_stopped(event: &Event, call: &ToolCall, place: &Place) -> Result<Value, String> {
    let outcome = Outcome { ok: false, output: "stopped before it ran".to_owned(), ..Outcome::default() };
    let hard = matches!(&call.action, Action::Shell { command } if may_take_long(command));
    let evidence = if hard {
        Evidence { tool: call.tool.clone(), ..Evidence::default() }
    } else {
        catch_unwind(AssertUnwindSafe(|| extract(event, call, &outcome, place)))
            .map_err(|panic| crate::hook::panic_text(panic.as_ref()))?
    };
    value(refused(evidence))
}

fn extract(event: &Event, call: &ToolCall, outcome: &Outcome, place: &Place) -> Evidence {
    let by = if event.agent.is_some() { Actor::Subagent } else { Actor::Agent };
    evidence::of(&Source { call, outcome, cwd: &event.cwd, place, by })
}

/// The same beside the main thread, which waits only so long: the record must be written in any case.
fn in_time(event: &Event, call: &ToolCall, outcome: &Outcome, place: &Place) -> Result<Evidence, String> {
    let (sender, receiver) = mpsc::channel();
    let (event, own_call, outcome, place) = (event.clone(), call.clone(), outcome.clone(), place.clone());
    let ok = outcome.ok;
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| extract(&event, &own_call, &outcome, &place)));
        // Nobody listens any more when it took too long.
        let _ = sender.send(result.map_err(|panic| crate::hook::panic_text(panic.as_ref())));
    };
    let started = std::thread::Builder::new().name("evidence".to_owned()).spawn(work);
    match started.ok().and_then(|_| receiver.recv_timeout(HARD_TIME_MAX).ok()) {
        Some(result) => result,
        None => Ok(Evidence {
            tool: call.tool.clone(),
            ok,
            opaque: true,
            summary: format!("{}: what it did took too long to read", call.tool),
            ..Evidence::default()
        }),
    }
}

/// Nothing of it took effect.
fn refused(mut evidence: Evidence) -> Evidence {
    let mut missed: Vec<Deed> = evidence
        .files
        .drain(..)
        .map(|file| Deed { act: file.act, object: file.path })
        .chain(evidence.deeds.drain(..))
        .chain(evidence.runs.drain(..).map(|run| Deed { act: run.act, object: run.program }))
        .collect();
    let failure = evidence.failure.take();
    let (target, told) = failure.map_or_else(Default::default, |it| (it.target, it.missed));
    missed.extend(told);
    if missed.is_empty() {
        missed.push(Deed { act: Act::Other, object: String::new() });
    }
    let target = if target.is_empty() { evidence.tool.clone() } else { target };
    let message = "stopped before it ran".to_owned();
    evidence.failure = Some(Failure { kind: FailureKind::Refused, missed, target, message });
    evidence.ok = false;
    evidence.opaque = false;
    evidence.measures.clear();
    evidence.notable.clear();
    evidence
}

fn value(mut evidence: Evidence) -> Result<Value, String> {
    bound(&mut evidence);
    serde_json::to_value(&evidence).map_err(|error| format!("evidence could not be written: {error}"))
}

/// Cuts what is too much. Where that takes effects away, the call may have had others than those that are kept.
fn bound(evidence: &mut Evidence) {
    evidence.opaque |= FILES_MAX < evidence.files.len() || DEEDS_MAX < evidence.deeds.len();
    evidence.files.truncate(FILES_MAX);
    evidence.deeds.truncate(DEEDS_MAX);
    // The last run is the one that counts.
    evidence.runs.drain(..evidence.runs.len().saturating_sub(RUNS_MAX));
    for run in &mut evidence.runs {
        run.scope.truncate(SCOPE_MAX);
    }
    evidence.measures.truncate(evidence::MEASURES_MAX);
    evidence.notable.truncate(evidence::NOTABLE_MAX);
    evidence.words.truncate(WORDS_MAX);
    evidence.words.iter_mut().for_each(|word| cut(word, WORD_CHARS_MAX));
    evidence.notable.iter_mut().for_each(|line| cut(line, TEXT_CHARS_MAX));
    cut(&mut evidence.summary, TEXT_CHARS_MAX);
    if let Some(failure) = &mut evidence.failure {
        failure.missed.truncate(DEEDS_MAX);
        cut(&mut failure.message, TEXT_CHARS_MAX);
    }
}

/// The beginning of a text, without secrets.
fn cut(text: &mut String, chars_max: usize) {
    if chars_max < text.len() {
        *text = preview(text, chars_max);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use hostler_policy::claims::evidence::FileAct;

    use super::*;

    fn created(path: &str) -> FileAct {
        FileAct::new(Act::Create, path)
    }

    #[test]
    fn what_was_stopped_did_nothing() {
        let evidence = refused(Evidence {
            tool: "Write".into(),
            ok: true,
            opaque: true,
            files: vec![created("/p/a")],
            ..Evidence::default()
        });
        assert!(!evidence.ok && !evidence.opaque && evidence.files.is_empty());
        let failure = evidence.failure.unwrap();
        assert_eq!((failure.kind, failure.target.as_str()), (FailureKind::Refused, "Write"));
        assert_eq!(failure.missed, [Deed { act: Act::Create, object: "/p/a".into() }]);
    }

    #[test]
    fn evidence_stays_small_and_says_what_it_lost() {
        let mut evidence = Evidence {
            files: (0..10_000).map(|at| created(&format!("/p/{at}"))).collect(),
            words: vec!["w".repeat(1_000); 10_000],
            notable: vec!["n".repeat(100_000); 100],
            summary: "s".repeat(100_000),
            ..Evidence::default()
        };
        bound(&mut evidence);
        assert!(evidence.opaque);
        let length = serde_json::to_string(&evidence).unwrap().len();
        assert!(length < 32 * 1024, "{length} bytes");
    }
}
