#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::time::Duration;

use hostler_ledger::journal::{Entry, append_rotating};
use hostler_policy::claims::evidence::FailureKind;
use serde_json::{Map, Value, json};

use super::*;

/// The journal of one session in a folder of its own.
struct World {
    folder: tempfile::TempDir,
    session: SessionId,
    rotate_bytes: u64,
    time_ms: std::cell::Cell<i64>,
}

impl World {
    fn new() -> Self {
        let session = SessionId::parse("361ac4e6-64de-464e-9d97-09bfa437d8e9").unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self { folder, session, rotate_bytes: u64::MAX, time_ms: std::cell::Cell::new(1_796_025_600_000) }
    }

    /// One that was seen from its beginning.
    fn begun() -> Self {
        let world = Self::new();
        world.put("session", json!({ "source": "startup" }));
        world.put("prompt", json!({ "prompt_preview": "do\\nit" }));
        world
    }

    fn put(&self, kind: &'static str, attributes: Value) {
        let Value::Object(attributes) = attributes else { panic!("{attributes}") };
        self.time_ms.set(self.time_ms.get() + 1_000);
        let entry = Entry { kind, time_ms: self.time_ms.get(), dedupe: None, durable: false, attributes };
        append_rotating(self.folder.path(), &self.session, &entry, self.rotate_bytes).unwrap();
    }

    fn decision(&self, id: &str, status: &str, more: Value) {
        self.call("decision", id, status, more);
    }

    fn result(&self, id: &str, more: Value) {
        self.call("result", id, "ok", more);
    }

    fn call(&self, kind: &'static str, id: &str, status: &str, more: Value) {
        let mut attributes = json!({
            "gen_ai.tool.call.id": id, "gen_ai.tool.name": "Write", "target": format!("/p/{id}"), "status": status,
        });
        let members: Map<String, Value> = serde_json::from_value(more).unwrap();
        attributes.as_object_mut().unwrap().extend(members);
        self.put(kind, attributes);
    }

    fn path(&self) -> PathBuf {
        journal::path(self.folder.path(), &self.session)
    }

    fn read(&self, scope: Scope<'_>) -> History {
        read(self.folder.path(), &self.session, scope, Instant::now() + Duration::from_secs(60)).unwrap()
    }

    /// What is read, in words: summary, whether it is earlier, by whom.
    #[track_caller]
    fn check(&self, scope: Scope<'_>, expected: &[&str]) -> History {
        let history = self.read(scope);
        let words = |it: &Evidence| {
            let earlier = if it.earlier { "earlier " } else { "" };
            let by = if it.by == Actor::Agent { "" } else { " by a subagent" };
            format!("{earlier}{}{by}", it.summary)
        };
        let found: Vec<String> = history.evidence.iter().map(words).collect();
        assert_eq!(found, expected, "{:?}", history.gaps);
        history
    }
}

fn proves(summary: &str) -> Value {
    json!({ "evidence": { "tool": "Write", "ok": true, "summary": summary } })
}

fn within(agent: &str, mut more: Value) -> Value {
    more["gen_ai.agent.id"] = agent.into();
    more
}

#[test]
fn turns_are_split_by_prompts() {
    let world = World::begun();
    world.decision("1", "allowed", json!({}));
    world.result("1", proves("one"));
    world.put("turn", json!({ "continuing": false }));
    world.put("prompt", json!({ "prompt_preview": "and\\tthis" }));
    world.result("2", proves("two"));
    world.put("turn", json!({ "continuing": false }));
    world.result("3", proves("three"));
    let history = world.check(Scope::Session, &["earlier one", "two", "three"]);
    assert_eq!(history.prompt.as_deref(), Some("and\tthis"));
    assert_eq!((history.prompts, history.gaps.len()), (2, 0));
    assert_eq!(history.since_ms, Some(1_796_025_601_000));
}

#[test]
fn calls_without_a_result_are_told_by_what_was_decided() {
    let world = World::begun();
    let refused = json!({ "evidence": { "tool": "Write", "summary": "stopped", "failure": {
        "kind": "refused", "target": "/p/1", "message": "no" } } });
    world.decision("1", "blocked", refused.clone());
    world.decision("2", "asked", refused.clone());
    world.decision("3", "asked", refused);
    world.result("3", proves("the user let it happen"));
    world.decision("4", "allowed", json!({}));
    world.decision("5", "blocked", json!({}));
    let history = world.check(
        Scope::Session,
        &[
            "stopped",
            "stopped",
            "the user let it happen",
            "Write: /p/5 (it was stopped)",
            "Write: /p/4 (its result was not recorded)",
        ],
    );
    assert_eq!(history.evidence[0].failure.as_ref().unwrap().kind, FailureKind::Refused);
    let lost = &history.evidence[4];
    assert!(lost.opaque && !lost.ok && lost.failure.is_none());
    // With the next prompt, what never came is past.
    world.put("prompt", json!({}));
    let history = world.read(Scope::Session);
    assert!(history.evidence.iter().all(|it| !it.summary.contains("not recorded") && it.earlier));
}

#[test]
fn a_subagent_is_judged_by_its_own_calls_and_those_it_sent_for() {
    let world = World::begun();
    world.result("1", proves("main"));
    world.put("subagent", within("a", json!({})));
    world.result("2", within("a", proves("of a")));
    world.result("3", within("b", proves("of b")));
    world.check(Scope::Session, &["main", "of a by a subagent", "of b by a subagent"]);
    world.check(Scope::Subagent("a"), &["of a"]);
    world.check(Scope::Subagent("c"), &[]);
    // It is sent for again: what it did before is earlier.
    world.put("subagent", within("a", json!({ "continuing": false })));
    world.put("subagent", within("a", json!({})));
    let mut sent = within("a", proves("sent for b"));
    sent["delegates"] = true.into();
    world.result("4", sent);
    world.check(
        Scope::Subagent("a"),
        &["earlier main by a subagent", "earlier of a", "earlier of b by a subagent", "sent for b"],
    );
}

#[test]
fn a_session_is_read_through_all_its_files() {
    let mut world = World::begun();
    world.rotate_bytes = 1;
    for at in 0..5 {
        world.result(&at.to_string(), proves(&at.to_string()));
    }
    let history = world.check(Scope::Session, &["0", "1", "2", "3", "4"]);
    assert_eq!((history.prompts, history.gaps.len()), (1, 0));
    // One that is gone leaves a gap.
    let (files, _) = files(world.folder.path(), &world.path());
    assert_eq!(files.len(), 6);
    fs::remove_file(&files[2].path).unwrap();
    let history = world.check(Scope::Session, &["3", "4"]);
    assert!(history.gaps.iter().any(|gap| gap.contains("is not there")), "{:?}", history.gaps);
    assert_eq!(history.since_ms, None);
}

#[test]
fn a_foreign_file_is_not_followed() {
    let world = World::new();
    fs::create_dir_all(world.folder.path().join("sessions")).unwrap();
    let outside = world.folder.path().join("outside.jsonl");
    fs::write(&outside, "{\"kind\":\"result\"}\n").unwrap();
    for name in ["../outside.jsonl", "archive/../outside.jsonl", outside.to_str().unwrap(), "outside.jsonl"] {
        let first = json!({ "continues_file": name, "kind": "session", "seq": 7, "time_ms": 1 });
        fs::write(world.path(), format!("{first}\n")).unwrap();
        let history = world.check(Scope::Session, &[]);
        assert!(history.gaps[0].contains("a foreign file"), "{name}: {:?}", history.gaps);
    }
}

#[test]
fn damage_is_passed_over_and_counted() {
    let world = World::begun();
    world.result("1", proves("one"));
    let first = fs::read(world.path()).unwrap();
    world.result("2", proves("two"));
    let whole = fs::read(world.path()).unwrap();
    let long = vec![b'x'; LINE_BYTES_MAX + 1];
    let damage = [&b"\xff\xfe\n{\"a\":1,\"kind\":\"result\",\n\n"[..], &long, b"\n"].concat();
    fs::write(world.path(), [&first[..], &damage, &whole[first.len()..]].concat()).unwrap();
    let history = world.check(Scope::Session, &["one", "two"]);
    assert_eq!(history.gaps, ["3 lines of the journal cannot be read"]);
    // A crash left the beginning of a line.
    let mut bytes = fs::read(world.path()).unwrap();
    bytes.extend_from_slice(b"{\"a\":1,\"kind\":\"decision\",\"sta");
    fs::write(world.path(), bytes).unwrap();
    let history = world.check(Scope::Session, &["one", "two"]);
    assert_eq!(history.gaps, ["4 lines of the journal cannot be read"]);
}

#[test]
fn a_session_that_was_not_seen_from_its_beginning_says_so() {
    for source in ["resume", "compact", "fork", "other"] {
        let world = World::new();
        world.put("session", json!({ "source": source }));
        let history = world.read(Scope::Session);
        assert_eq!(history.gaps, ["the session began before its record"], "{source}");
        assert_eq!(history.since_ms, None);
    }
    let world = World::new();
    world.result("1", proves("one"));
    assert_eq!(world.check(Scope::Session, &["one"]).gaps.len(), 1);
    let history = World::new().read(Scope::Session);
    assert!(history.gaps[0].contains("is not there"), "{:?}", history.gaps);
}

#[test]
fn evidence_of_another_build_may_have_been_anything() {
    let world = World::begun();
    world.result("1", json!({ "evidence": { "tool": 7 } }));
    world.result("2", json!({}));
    world.result("3", json!({ "evidence": { "tool": "Write", "summary": "more", "later": [1] } }));
    let history = world.check(
        Scope::Session,
        &["Write: /p/1 (no more was recorded of it)", "Write: /p/2 (no more was recorded of it)", "more"],
    );
    assert!(history.evidence[0].opaque && history.evidence[0].ok);
}

#[test]
fn numbers_come_back_from_the_journal() {
    let world = World::begun();
    let measure = json!({ "value": 12.5, "unit": "ms" });
    let outcome = json!({ "coverage_percent": 81.0 });
    let run = json!({ "act": "test", "program": "pytest", "outcome": outcome });
    world.result("1", json!({ "evidence": { "tool": "Bash", "measures": [measure], "runs": [run] } }));
    let history = world.read(Scope::Session);
    assert!((history.evidence[0].measures[0].value - 12.5).abs() < f64::EPSILON);
    assert_eq!(history.evidence[0].runs[0].outcome.coverage_percent, Some(81.0));
}

#[test]
fn time_that_is_up_leaves_a_gap() {
    let world = World::begun();
    world.result("1", proves("one"));
    let history = read(world.folder.path(), &world.session, Scope::Session, Instant::now()).unwrap();
    assert!(history.gaps.contains(&"there was no time to read all of it".to_owned()), "{:?}", history.gaps);
}

#[test]
fn the_last_turn_is_told_until_the_next_prompt() {
    let mut world = World::begun();
    let finding = json!({
        "type": "ACTION_DECEPTION", "severity": "CRITICAL", "rule": "claim-not-done", "standing": "unsupported",
        "description": "d", "claim": "c", "evidence": [], "tools_required": [], "tools_found": [],
        "pattern_matched": "p",
    });
    let last = |world: &World| last_turn(world.folder.path(), &world.session);
    assert_eq!(last(&world), None);
    world.put("turn", json!({ "audit": "reported", "findings": [finding], "modes": ["warn"] }));
    world.put("subagent", json!({ "audit": "clean" }));
    assert_eq!(last(&world).unwrap().ids, ["361ac4e6-3.1"]);
    // The journal was moved away in between.
    world.rotate_bytes = 1;
    world.put("session", json!({ "source": "resume" }));
    world.rotate_bytes = u64::MAX;
    assert_eq!(last(&world).unwrap().findings[0].1, "warn");
    world.put("prompt", json!({}));
    assert_eq!(last(&world), None);
    world.put("turn", json!({ "audit": "clean" }));
    assert_eq!(last(&world), None);
}
