//! `hostler statusline` as a client calls it.

use serde_json::{Value, json};

use crate::hook::{Answer, SESSION, World, finish};

fn payload(world: &World) -> Value {
    json!({
        "session_id": SESSION,
        "transcript_path": "/nowhere.jsonl",
        "cwd": world.path(""),
        "model": { "id": "m", "display_name": "M" },
        "workspace": { "current_dir": world.path(""), "project_dir": world.path(""), "added_dirs": [] },
        "version": "2.1.332",
        "context_window": { "context_window_size": 200_000, "used_percentage": 42 },
    })
}

fn line(world: &World, arguments: &[&str], input: impl AsRef<[u8]>) -> Answer {
    let mut all = vec!["statusline"];
    all.extend(arguments);
    let answer = finish(world.start(&all), input.as_ref());
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    assert_eq!(answer.stdout.matches('\n').count(), 1, "{answer:?}");
    answer
}

#[track_caller]
fn check(world: &World, arguments: &[&str], expected: &str) {
    assert_eq!(line(world, arguments, payload(world).to_string()).stdout.trim_end(), expected);
}

#[test]
fn it_tells_branch_profile_stopped_calls_findings_and_context() {
    let world = World::new();
    check(&world, &["--plain"], "main · standard · no record of this session · 42% context");
    world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    check(&world, &["--plain"], "main · standard · 42% context");
    world.hook(world.payload("Bash", &json!({ "command": "rm -rf /" }), "t1"));
    check(&world, &["--plain"], "main · standard · 1 stopped · 42% context");
    let stop = |continuing: bool, message: &str| {
        let more = json!({ "stop_hook_active": continuing, "last_assistant_message": message });
        finish(world.start(&["hook", "claude"]), world.event("Stop", &more).as_bytes())
    };
    stop(false, "I created `src/never_made.py` and all 12 tests pass.");
    let told = line(&world, &["--plain"], payload(&world).to_string()).stdout;
    assert!(told.contains("1 finding · ") || told.contains("2 findings · "), "{told}");
    // The agent takes it back: what is left of the turn counts.
    stop(true, "I did not create the file, and ran no tests.");
    check(&world, &["--plain"], "main · standard · 1 stopped · 42% context");
    world.git(&["checkout", "--quiet", "-b", "feature/rounding"]);
    check(&world, &["--plain", "--width", "40"], "standard · 1 stopped · 42% context");
    world.git(&["checkout", "--quiet", "--detach"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    check(&world, &["--plain"], &format!("{} · standard · 1 stopped · 42% context", &head[..8]));
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    let world = World::new();
    let colored = line(&world, &[], payload(&world).to_string()).stdout;
    assert!(colored.contains("\u{1b}["), "{colored:?}");
    let world = World::new().set("NO_COLOR", "1");
    let plain = line(&world, &[], payload(&world).to_string()).stdout;
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let world = World::new().set("COLUMNS", "20");
    let narrow = line(&world, &["--plain"], payload(&world).to_string()).stdout;
    assert!(narrow.trim_end().chars().count() <= 20, "{narrow:?}");
}

#[test]
fn nothing_that_it_is_told_makes_it_fail() {
    let world = World::new();
    let long = format!(r#"{{"session_id":"{}"}}"#, "x".repeat(100_000));
    let elsewhere = json!({ "session_id": "../../etc", "cwd": "/no/such/folder" }).to_string();
    for input in ["", "{", "[]", "null", "\u{0}", &long, &elsewhere] {
        let answer = line(&world, &["--plain", "--width", "nonsense", "--what", "-x"], input);
        assert!(answer.stdout.contains("standard"), "{input:.60}: {answer:?}");
    }
    let answer = line(&world, &["--plain"], [0xff, 0xfe, 0x00]);
    assert!(answer.stdout.starts_with("main"), "{answer:?}");
    // Without a home folder nothing is known of the session, and the line is there all the same.
    let homeless = World::new().set("HOME", "");
    let answer = line(&homeless, &["--plain"], payload(&homeless).to_string());
    assert!(answer.stdout.contains("42% context"), "{answer:?}");
    world.write(".hostler/config.toml", "profile = \n");
    let answer = line(&world, &["--plain"], payload(&world).to_string());
    assert!(answer.stdout.contains("mistakes in its configuration"), "{answer:?}");
    let help = world.hostler(&["statusline", "--help"]);
    assert!(help.stdout.contains("Usage: hostler statusline"), "{help:?}");
}

#[test]
fn the_session_of_the_record_comes_first() {
    let world = World::new();
    let session = |number: u64, length: Value| {
        let mut session =
            json!({ "session": number, "date": "2026-11-30T10:00:00Z", "purpose": "Prices are rounded" });
        if !length.is_null() {
            session["length"] = length;
        }
        session
    };
    let file = |sessions: Vec<Value>| {
        json!({ "schema_version": 1, "state": { "session": sessions.len() }, "deferred_work": [],
                "session_history": sessions })
        .to_string()
    };
    world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    world.write("context.json", &file(vec![session(1, json!("1h")), session(2, Value::Null)]));
    check(&world, &["--plain"], "#2 Prices are rounded · main · standard · 42% context");
    world.write("context.json", &file(vec![session(1, json!("1h")), session(2, json!("2h"))]));
    check(&world, &["--plain"], "#2 closed · main · standard · 42% context");
    // A long record is read once and looked up then; a change is seen at once.
    let mut many: Vec<Value> = (1..=3_000).map(|number| session(number, json!("1h"))).collect();
    world.write("context.json", &file(many.clone()));
    check(&world, &["--plain"], "#3000 closed · main · standard · 42% context");
    check(&world, &["--plain"], "#3000 closed · main · standard · 42% context");
    many.push(session(3_001, Value::Null));
    world.write("context.json", &file(many));
    check(&world, &["--plain"], "#3001 Prices are rounded · main · standard · 42% context");
    world.write("context.json", "{ damaged");
    let answer = line(&world, &["--plain"], payload(&world).to_string());
    assert!(answer.stdout.contains("main · standard"), "{answer:?}");
}
