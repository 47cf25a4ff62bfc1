//! The last calls of a session, as its journal has them. Nothing is kept in memory: the journal is the truth, and when a
//! session ends it moves away with all its calls.

use std::collections::VecDeque;
use std::fmt::Write;
use std::path::Path;

use hostler_ledger::journal;
use hostler_model::SessionId;
use hostler_model::text::shorten;
use serde_json::Value;

/// Calls that are looked at.
pub(crate) const CALLS_MAX: usize = 100;
/// Calls that are told, and characters of each.
const TOLD_MAX: usize = 20;
const LINE_CHARS_MAX: usize = 120;

/// A call that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The tool.
    pub(crate) tool: String,
    /// What it was called for: a path, or the beginning of a command. Without secrets.
    pub(crate) target: String,
    /// When it ended, in milliseconds since 1970.
    pub(crate) time_ms: i64,
    /// It succeeded.
    pub(crate) ok: bool,
}

/// The last [`CALLS_MAX`] calls, oldest first; none of a session that ended or that nothing is known of.
pub(crate) fn calls(project_state: &Path, session: &SessionId) -> VecDeque<Ended> {
    let mut calls = VecDeque::new();
    let Ok(records) = journal::read(&journal::path(project_state, session)) else { return calls };
    for record in records.filter(|record| record.kind == "result") {
        let text =
            |name: &str| record.attributes.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if calls.len() == CALLS_MAX {
            calls.pop_front();
        }
        calls.push_back(Ended {
            tool: text("gen_ai.tool.name"),
            target: text("target"),
            time_ms: record.time_ms,
            ok: record.attributes.get("ok").and_then(Value::as_bool).unwrap_or_default(),
        });
    }
    calls
}

/// The last calls in words, for a summary of the conversation; `None` where there are none.
pub(super) fn told(calls: &VecDeque<Ended>) -> Option<String> {
    let shown = calls.iter().skip(calls.len().saturating_sub(TOLD_MAX));
    let mut out = format!(
        "hostler's record of the last tool calls before this summary (the last {} of at most {CALLS_MAX}), oldest \
         first; keep what was changed and what still fails:",
        shown.len()
    );
    for call in shown {
        let failed = if call.ok { "" } else { ": failed" };
        let target = call.target.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(out, "\n- {} {}{failed}", call.tool, shorten(&target, LINE_CHARS_MAX));
    }
    (!calls.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use hostler_ledger::journal::Entry;
    use serde_json::json;

    use super::*;

    fn end(state: &Path, session: &SessionId, number: i64, ok: bool) {
        let attributes =
            json!({ "gen_ai.tool.name": "bash", "target": format!("make step-{number}"), "ok": ok });
        let Value::Object(attributes) = attributes else { panic!() };
        let entry = Entry { kind: "result", time_ms: number, attributes, ..Entry::default() };
        journal::append(state, session, &entry).unwrap();
    }

    // @traces 021-TEST-UNIT-001 021-TEST-UNIT-004 021-TEST-UNIT-005 021-CONST-I-007 021-CONST-IX-005
    #[test]
    fn the_last_hundred_calls_are_told_and_none_of_a_session_that_ended() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("ses_a").unwrap();
        assert!(calls(folder.path(), &session).is_empty());
        assert_eq!(told(&VecDeque::new()), None);
        for number in 0..130 {
            end(folder.path(), &session, number, number != 129);
        }
        let last = calls(folder.path(), &session);
        assert_eq!(last.len(), CALLS_MAX);
        assert_eq!((last[0].time_ms, last[0].target.as_str()), (30, "make step-30"), "the oldest ones go");
        let newest = Ended { tool: "bash".into(), target: "make step-129".into(), time_ms: 129, ok: false };
        assert_eq!(last.back(), Some(&newest));
        let words = told(&last).unwrap();
        assert!(words.ends_with("\n- bash make step-128\n- bash make step-129: failed"), "{words}");
        assert_eq!(words.lines().count(), 1 + TOLD_MAX);
        journal::close(folder.path(), &session, 200, None).unwrap();
        assert!(calls(folder.path(), &session).is_empty());
    }
}
