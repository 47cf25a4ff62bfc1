#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::{Action, Profile, ReadCount, ReadWindow, Verdict};

use super::*;
use crate::testing::{World, shell};

fn read(path: &str) -> Action {
    Action::Read { path: Some(path.to_owned()) }
}

fn search(path: Option<&str>) -> Action {
    Action::Search { path: path.map(str::to_owned), pattern: "fn main".to_owned() }
}

fn world(profile: Profile, count: ReadCount) -> World {
    let mut world = World::sample(profile);
    world.reads = Some(count);
    world
}

const FULL: ReadCount = ReadCount { in_window: 3, in_session: 3, told: false };

#[track_caller]
fn check_verdict(profile: Profile, count: ReadCount, action: &Action, expected: Verdict) {
    let decision = world(profile, count).decide(action.clone());
    assert_eq!(decision.verdict, expected, "{action:?} after {count:?}: {decision:?}");
}

// @traces REQ-020-186 REQ-020-192 REQ-020-195 020-ERR-021
#[test]
fn the_fourth_read_of_a_window_is_denied_in_strict_and_told_in_standard() {
    use Verdict::{Allow, Deny, Warn};
    for in_window in 0..3 {
        let count = ReadCount { in_window, ..FULL };
        check_verdict(Profile::Strict, count, &read("src/lib.rs"), Allow);
        check_verdict(Profile::Standard, count, &read("src/lib.rs"), Allow);
    }
    for action in [read("src/lib.rs"), search(None), search(Some("src"))] {
        check_verdict(Profile::Strict, FULL, &action, Deny);
        check_verdict(Profile::Standard, FULL, &action, Warn);
    }
    // Whatever was read before, other tools go through.
    for action in [shell("ls"), crate::testing::write("src/new.rs", "fn x() {}"), Action::Plan, Action::Other]
    {
        check_verdict(Profile::Strict, FULL, &action, Allow);
    }
}

#[test]
fn a_burst_is_told_once_and_stopped_every_time() {
    let told = ReadCount { told: true, in_window: 7, ..FULL };
    check_verdict(Profile::Standard, told, &read("src/lib.rs"), Verdict::Allow);
    check_verdict(Profile::Strict, told, &read("src/lib.rs"), Verdict::Deny);
}

// @traces REQ-020-188 REQ-020-189 REQ-020-190 REQ-020-191
#[test]
fn files_that_have_to_be_read_again_never_count() {
    for path in ["context.json", ".env", "a/b/.env", ".claude/settings.json", "CLAUDE.md", "docs/AGENTS.md"] {
        check_verdict(Profile::Strict, FULL, &read(path), Verdict::Allow);
        check_verdict(Profile::Strict, FULL, &search(Some(path)), Verdict::Allow);
        let world = world(Profile::Strict, FULL);
        let event = world.event(read(path));
        let case = Case::new(&event, &world.place, &world.settings);
        assert_eq!(crate::plan(&case).reads, None, "`{path}` is not even counted");
    }
    for path in ["context.json.bak", "my.env", ".env/x", "claude.md", "settings.local.json"] {
        check_verdict(Profile::Strict, FULL, &read(path), Verdict::Deny);
    }
    let mut world = world(Profile::Strict, FULL);
    world.settings.reads.exempt = vec!["rules.md".to_owned()];
    assert_eq!(world.decide(read("docs/rules.md")).verdict, Verdict::Allow);
    assert_eq!(world.decide(read("docs/rules.md/x")).verdict, Verdict::Deny);
}

// @traces REQ-020-193 REQ-020-194
#[test]
fn the_reason_names_what_to_search_with() {
    let mut world = world(Profile::Strict, FULL);
    let instead = |world: &World| world.decide(read("src/lib.rs")).findings[0].instead.clone().unwrap();
    let text = instead(&world);
    for example in
        ["`/code classes PATTERN`", "`/code callers NAME`", "MATCH (f:File)", "RETURN f.path", "git grep"]
    {
        assert!(text.contains(example), "{example} in {text}");
    }
    world.settings.reads.instead = vec!["just find NAME".to_owned()];
    let own = instead(&world);
    assert!(own.starts_with("use `just find NAME`; or ") && own.contains("MATCH (f:File)"), "{own}");
}

#[test]
fn limits_are_those_of_the_settings_and_off_asks_for_nothing() {
    let mut world = world(Profile::Strict, ReadCount { in_window: 5, ..FULL });
    world.settings.reads.per_window = 6;
    world.settings.reads.window_ms = 60_000;
    assert_eq!(world.decide(read("src/lib.rs")).verdict, Verdict::Allow);
    let event = world.event(read("src/lib.rs"));
    let case = Case::new(&event, &world.place, &world.settings);
    assert_eq!(crate::plan(&case).reads, Some(ReadWindow { window_ms: 60_000, per_window: 6 }));
    let off = |id: &str| (id.to_owned(), Mode::Off);
    world.settings.overrides = [off("read-throttle"), off("read-budget")].into();
    let case = Case::new(&event, &world.place, &world.settings);
    assert_eq!(crate::plan(&case).reads, None);
    // A count that could not be kept decides nothing.
    world.settings.overrides.clear();
    world.reads = None;
    assert_eq!(world.decide(read("src/lib.rs")).verdict, Verdict::Allow);
}
