//! Decisions that are shown instead of enforced: `guard`, `replay` and `demo`.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::hook::{Answer, World};

#[track_caller]
fn json(answer: &Answer) -> Value {
    assert_eq!(answer.stderr, "", "{answer:?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn guards_are_listed_with_the_modes_that_hold_here() {
    let world = World::new();
    world.write(".hostler/config.toml", "profile = \"strict\"\n[rules]\ndelete-inside = \"ask\"\n");
    let answer = world.hostler(&["guard", "list"]);
    assert!(answer.stdout.starts_with("profile strict\n"), "{answer:?}");
    let document = json(&world.hostler(&["guard", "list", "--json"]));
    let guards = document["guards"].as_array().unwrap();
    assert_eq!(guards.len(), hostler_policy::guards::GUARDS.len());
    for guard in guards {
        let id = guard["id"].as_str().unwrap();
        let expected = if id == "delete-inside" { "ask" } else { guard["strict"].as_str().unwrap() };
        assert_eq!(guard["mode"], expected, "{id}");
        assert!(answer.stdout.contains(id), "{id}");
    }
}

#[test]
fn a_command_is_explained_and_nothing_runs_or_is_recorded() {
    let world = World::new();
    world.write("build/out.bin", "x");
    let explain = |arguments: &[&str]| {
        let mut all = vec!["guard", "explain"];
        all.extend(arguments);
        world.hostler(&all)
    };
    let kept = explain(&["rm -rf build"]);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(
        kept.stdout.contains("kept in a checkpoint first: ") && kept.stdout.contains("how it came about:")
    );
    let denied = explain(&["rm -rf build", "--profile", "strict", "--json"]);
    assert_eq!(denied.code, Some(2), "{denied:?}");
    let document = json(&denied);
    assert_eq!((document["verdict"].as_str(), document["understood"].as_bool()), (Some("deny"), Some(true)));
    assert!(document["findings"][0]["rule"].as_str().unwrap().starts_with("delete"), "{document}");
    assert!(!document["trace"].as_array().unwrap().is_empty());
    fs::create_dir(world.home().join("shop/src")).unwrap();
    assert_eq!(explain(&["rm -rf ../build"]).code, Some(2));
    assert_eq!(explain(&["rm -rf ../build", "--cwd", "src"]).code, Some(0));
    assert_eq!(explain(&["echo 'rm -rf /'"]).code, Some(0));
    assert!(world.home().join("shop/build/out.bin").exists());
    assert!(!world.home().join(".local").exists());
}

#[track_caller]
fn check_corpus(rows: &str, arguments: &[&str], code: i32, parts: &[&str]) {
    let world = World::new();
    world.write("corpus.jsonl", rows);
    let mut all = vec!["guard", "test", "corpus.jsonl"];
    all.extend(arguments);
    let answer = world.hostler(&all);
    assert_eq!(answer.code, Some(code), "{answer:?}");
    for part in parts {
        let text = format!("{}{}", answer.stdout, answer.stderr);
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn a_corpus_is_scored_with_every_miss() {
    let good = r#"{"id":"a","kind":"bash","input":"rm -rf /","strict":"block","standard":"block"}
{"id":"b","input":"rm -rf build","strict":"deny","standard":"allow"}
{"id":"c","kind":"write","input":{"file_path":"README.md","content":"x","exists":true},"strict":"ask","standard":"allow"}
{"id":"d","kind":"write","input":{"file_path":"new.md","content":"x","exists":false},"strict":"allow","standard":"allow"}
{"id":"e","kind":"python","input":{"file_path":"a.py","content":"try:\n    f()\nexcept:\n    pass\n"},"strict":"block","standard":null}
{"id":"f","kind":"edit","input":{"file_path":"a.py","old_string":"return x","new_string":"return y"},"strict":"allow","standard":"allow"}
{"id":"g","kind":"message","input":"rm -rf /","strict":"allow","standard":"allow","new_column":1}
"#;
    check_corpus(good, &[], 0, &["strict: 7 rows", "standard: 6 rows", "100.0 %", "0 of 3"]);
    check_corpus(good, &["--label", "strict"], 0, &["4 of 4"]);
    let missed = r#"{"id":"x1","input":"ls","strict":"block"}"#;
    check_corpus(missed, &["--label", "strict"], 1, &["0.0 %  0 of 1", "not stopped x1: ls"]);
    let stopped = r#"{"id":"x2","input":"rm -rf /","strict":"allow"}"#;
    check_corpus(stopped, &["--label", "strict"], 1, &["100.0 %  1 of 1", "stopped x2 [delete-root"]);
    check_corpus("", &[], 4, &["no labelled rows"]);
    check_corpus("{\"id\":\"a\"}\n", &[], 4, &["corpus.jsonl line 1"]);
    check_corpus(r#"{"id":"a","input":"ls","strict":"maybe"}"#, &[], 4, &["`maybe` is no label"]);
    check_corpus(r#"{"id":"a","kind":"song","input":"la","strict":"allow"}"#, &[], 4, &["`song` is no kind"]);
}

#[test]
fn a_transcript_is_replayed_and_nothing_is_recorded() {
    let world = World::new();
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude/2.1.332/transcript.jsonl");
    let recorded = fs::read_to_string(fixture).unwrap();
    // Lines of other kinds, damaged lines, and a call that stands there twice.
    let doubled = recorded.lines().find(|line| line.contains("rm -rf build")).unwrap();
    world.write("session.jsonl", &format!("{recorded}\n{doubled}\nnot json\n{{\"type\":\"moon\"}}\n\n"));
    let answer = world.hostler(&["replay", "session.jsonl", "--guards", "--json"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    let document = json(&answer);
    assert_eq!(document["totals"]["calls"].as_u64(), Some(15));
    assert_eq!(document["totals"]["lines"]["unreadable"].as_u64(), Some(1));
    let guards = &document["sessions"][0]["guards"];
    let told = guards["told"].as_array().unwrap();
    let verdict = |part: &str| {
        let told = told.iter().find(|told| told["target"].as_str().unwrap().contains(part));
        told.map(|told| told["verdict"].as_str().unwrap())
    };
    assert_eq!(verdict("rm -rf build"), Some("allow"));
    assert_eq!(verdict("rm -rf photos"), Some("ask"));
    assert_eq!(verdict("'$HOME'"), Some("deny"));
    assert_eq!(verdict("git status"), None);
    assert_eq!(guards["checkpoints"].as_u64(), Some(2));
    assert_eq!((guards["profile"].as_str(), guards["recorded"].as_bool()), (Some("standard"), Some(false)));
    assert!(!world.home().join(".local").exists());
    let shown = world.hostler(&["replay", "session.jsonl", "--guards"]);
    assert!(shown.stdout.contains("  denied  line 23: Bash bash -c"), "{shown:?}");
    assert!(shown.stdout.contains("15 calls by profile standard: 3 denied, 4 asked"), "{shown:?}");
    let observed = world.hostler(&["replay", "session.jsonl", "--guards", "--profile", "observe"]);
    assert_eq!(observed.code, Some(0), "{observed:?}");
    assert_eq!(world.hostler(&["replay", "nothing.jsonl"]).code, Some(4));
}

#[test]
fn the_demonstration_stops_keeps_restores_and_records() {
    let world = World::new();
    let before = world.hostler(&["checkpoint", "list"]).stdout;
    let answer = world.hostler(&["demo", "--json"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let document = json(&answer);
    assert_eq!(document["lost"], serde_json::json!([]));
    assert_eq!(document["chain"], "whole");
    assert!(document["restored"].as_str().is_some_and(|id| id.ends_with("/1")), "{document}");
    let calls = document["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 17);
    let stopped = calls.iter().filter(|call| call["answer"] == "asked" || call["answer"] == "denied").count();
    assert_eq!(calls.iter().filter(|call| call["carried_out"] == true).count() + stopped, 17, "{document}");
    assert!(calls.iter().any(|call| call["subagent"] == true && call["answer"] != "allowed"));
    let audits: Vec<_> = document["turns"].as_array().unwrap().iter().map(|turn| &turn["audit"]).collect();
    assert_eq!(audits, ["sent-back", "clean"]);
    assert_eq!(document["turns"][0]["findings"][0]["rule"], "claim-contradicted");
    let told = world.hostler(&["demo", "--profile", "observe"]);
    assert!(told.stdout.contains("not carried out") && !told.stdout.contains('\u{1b}'), "{told:?}");
    // The user's own world is not touched.
    assert_eq!(world.hostler(&["checkpoint", "list"]).stdout, before);
    assert!(!world.home().join(".local").exists());
}
