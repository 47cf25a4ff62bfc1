//! The evidence of one call, as the journal keeps it: bounded, and never the output itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use hostler_ledger::redact::{argument, preview, redact, secrets, without};
use hostler_model::{Action, Event, Outcome, Place, ToolCall};
use hostler_policy::claims::evidence::{self, Actor, Deed, Failure, FailureKind, Redact, Source};
use hostler_policy::claims::{Act, Evidence};
use hostler_policy::shell::may_take_long;
use serde_json::Value;

/// Most of each that is kept; a call that does more is rare, and says so.
const FILES_MAX: usize = 200;
const DEEDS_MAX: usize = 100;
const RUNS_MAX: usize = 50;
const SCOPE_MAX: usize = 50;
const WORDS_MAX: usize = 150;
/// Members of evidence that are names of ours, or the tool's.
const NAMES: [&str; 7] = ["tool", "by", "channel", "act", "kind", "question", "said"];
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
    of_source(&Source { call, outcome, cwd: &event.cwd, place, by })
}

/// What a call proves, without secrets: neither those that its texts show nor, in what was made of a command, those
/// that only the command itself shows to be some.
pub(crate) fn of_source(source: &Source<'_>) -> Evidence {
    let evidence = evidence::of_redacted(source, Redact { text: redact, argument });
    let Action::Shell { command } = &source.call.action else { return evidence };
    let secrets = secrets(command);
    if secrets.is_empty() {
        return evidence;
    }
    let clean = serde_json::to_value(&evidence).map(|mut value| {
        without_secrets(&mut value, &secrets);
        value
    });
    clean.and_then(serde_json::from_value).unwrap_or_else(|_| Evidence {
        tool: evidence.tool,
        by: evidence.by,
        ok: evidence.ok,
        opaque: true,
        summary: "what it did holds a secret and is not kept".to_owned(),
        ..Evidence::default()
    })
}

fn without_secrets(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => *text = without(text, secrets),
        Value::Array(items) => items.iter_mut().for_each(|item| without_secrets(item, secrets)),
        // Names of acts, tools and kinds are no text of the command.
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| !NAMES.contains(&name.as_str()))
            .for_each(|(_, item)| without_secrets(item, secrets)),
        _ => {}
    }
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

    #[track_caller]
    fn kept_of(action: Action, output: &str, secrets: &[&str]) -> Evidence {
        let place = Place { root: "/p".into(), ..Place::default() };
        let input = match &action {
            Action::Other => r#"{"path": "/p/a", "password": "correcthorse1", "note": "plain"}"#,
            _ => "{}",
        };
        let call = ToolCall { id: None, tool: "T".into(), action, input: input.to_owned() };
        let [_, evidence] = [false, true].map(|ok| {
            let outcome = Outcome { ok, output: output.to_owned(), ..Outcome::default() };
            let by = Actor::Agent;
            let evidence =
                of_source(&Source { call: &call, outcome: &outcome, cwd: &place.root, place: &place, by });
            let text = serde_json::to_string(&evidence).unwrap().to_lowercase();
            for secret in secrets {
                let part: String = secret.chars().take(9).collect();
                assert!(!text.contains(&part.to_lowercase()), "{part} in {text}");
            }
            evidence
        });
        evidence
    }

    fn shell(command: &str) -> Action {
        Action::Shell { command: command.to_owned() }
    }

    #[test]
    fn no_part_of_a_secret_in_a_command_is_kept() {
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for (command, secret) in [
            ("curl -u admin:correcthorse https://x.example", "correcthorse"),
            ("curl -uadmin:correcthorse https://x.example", "correcthorse"),
            ("curl --user=admin:correcthorse https://x.example", "correcthorse"),
            (&format!("git clone https://{key}@github.com/x/y"), "0123456789abcdefghij"),
            ("mysql -uroot -pcorrecthorse -e 'select 1'", "correcthorse"),
            ("tool --password correcthorse --fast", "correcthorse"),
            ("curl -H 'Authorization: Bearer correct-horse-1' https://x.example", "correct-horse-1"),
            ("pip install --index-url https://u:correcthorse@pypi.example/simple flask", "correcthorse"),
            ("pytest --password correcthorse tests/a.py", "correcthorse"),
            ("cd /p && DB_PASSWORD=correcthorse ./deploy.sh correcthorse", "correcthorse"),
            ("npm config set //npm.example.org/:_authToken hunter2PWxyz99", "hunter2PWxyz99"),
        ] {
            kept_of(shell(command), "", &[secret]);
        }
        let evidence = kept_of(shell("curl -u admin:correcthorse https://x.example/status"), "", &[]);
        assert!(["curl", "admin", "status"].iter().all(|it| evidence.words.iter().any(|word| word == it)));
    }

    #[test]
    fn a_secret_at_the_cut_of_a_text_is_still_one() {
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for blanks in 60..110 {
            kept_of(shell(&format!("echo {} {key}", "a".repeat(blanks))), "", &["0123456789"]);
        }
        for before in 80..150 {
            let address = format!("https://x.example/{}/{key}", "c".repeat(before));
            kept_of(shell(&format!("curl -I {address}")), "HTTP/2 200\n", &["0123456789"]);
        }
        for before in 150..210 {
            let line = format!("error: {} {key} is refused", "b".repeat(before));
            kept_of(shell("make"), &line, &["0123456789"]);
            kept_of(Action::Fetch { address: "https://x.example".into() }, &line, &["0123456789"]);
            let address = format!("https://x.example/{}?access_token=abc123def456ghi7", "c".repeat(before));
            kept_of(Action::Fetch { address }, "", &["abc123def456"]);
        }
        let block =
            "-----BEGIN RSA PRIVATE KEY-----\nerrorMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----\n";
        kept_of(shell("make"), block, &["errorMIIE"]);
    }

    #[test]
    fn arguments_are_secrets_by_their_names() {
        let strings = |all: &[(&str, &str)]| Action::Mcp {
            server: "db".into(),
            tool: "create_user".into(),
            strings: all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        };
        for (key, value) in [
            ("password", "correcthorse"),
            ("auth.password", "correct horse battery"),
            ("users[0].dbPassword", "correcthorse"),
            ("apiKey", "abcd1234efgh5678"),
            ("headers.Authorization", "Bearer correcthorse1"),
            ("client_secret", "it's \"correcthorse\""),
        ] {
            let plain: &str = if value.contains("1234") { "abcd1234" } else { "correct" };
            let evidence = kept_of(strings(&[(key, value), ("name", "newcomer")]), "", &[plain]);
            assert!(evidence.words.iter().any(|it| it == "newcomer"), "{key}: {evidence:?}");
        }
        kept_of(Action::Other, "", &["correcthorse1"]);
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
