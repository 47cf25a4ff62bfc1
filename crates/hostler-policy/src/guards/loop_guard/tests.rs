use hostler_model::{Action, Profile, Verdict};

use super::*;
use crate::testing::{World, shell};

#[track_caller]
fn check_verdict(mode: Option<Mode>, max: u64, before: u64, expected: Verdict) {
    for profile in [Profile::Standard, Profile::Strict] {
        let mut world = World::sample(profile);
        world.repeats = Some(before);
        world.settings.repeats.max = max;
        world.settings.overrides = mode.map(|mode| (GUARD.id.to_owned(), mode)).into_iter().collect();
        let decision = world.decide(shell("cargo test"));
        assert_eq!(decision.verdict, expected, "after {before}, limit {max}: {decision:?}");
    }
}

#[test]
fn the_third_time_is_told_and_then_every_third() {
    use Verdict::{Allow, Warn};
    for (before, expected) in [(0, Allow), (1, Allow), (2, Warn), (3, Allow), (4, Allow), (5, Warn)] {
        check_verdict(None, 3, before, expected);
    }
    check_verdict(None, 5, 3, Allow);
    check_verdict(None, 5, 4, Warn);
    // A limit that would stop the first call is read as the lowest that makes sense.
    check_verdict(None, 0, 0, Allow);
    check_verdict(None, 0, 1, Warn);
}

#[test]
fn where_it_blocks_it_blocks_until_something_changes() {
    for (before, expected) in
        [(1, Verdict::Allow), (2, Verdict::Deny), (3, Verdict::Deny), (9, Verdict::Deny)]
    {
        check_verdict(Some(Mode::Deny), 3, before, expected);
    }
}

#[test]
fn lists_and_unknown_tools_are_no_loop_and_what_is_not_known_decides_nothing() {
    let mut world = World::sample(Profile::Strict);
    world.repeats = Some(9);
    for action in [Action::Plan, Action::Other] {
        assert_eq!(world.decide(action).verdict, Verdict::Allow);
    }
    world.repeats = None;
    assert_eq!(world.decide(shell("ls")).verdict, Verdict::Allow);
}
