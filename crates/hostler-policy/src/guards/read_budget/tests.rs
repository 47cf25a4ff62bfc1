use hostler_model::{Action, Profile, ReadCount, Verdict};

use super::*;
use crate::testing::World;

#[track_caller]
fn check_verdict(profile: Profile, in_session: u64, expected: Verdict) {
    let mut world = World::sample(profile);
    world.reads = Some(ReadCount { in_session, ..ReadCount::default() });
    let decision = world.decide(Action::Read { path: Some("src/lib.rs".to_owned()) });
    assert_eq!(decision.verdict, expected, "after {in_session} reads: {decision:?}");
    assert!(decision.findings.iter().all(|finding| finding.rule == GUARD.id));
}

// @traces 021-FR-013 021-CONST-I-005
#[test]
fn fifty_reads_a_session_go_through() {
    use Verdict::{Allow, Deny, Warn};
    for in_session in [0, 49] {
        check_verdict(Profile::Strict, in_session, Allow);
        check_verdict(Profile::Standard, in_session, Allow);
    }
    for in_session in [50, 51, 99, 1_000_000] {
        check_verdict(Profile::Strict, in_session, Deny);
    }
    check_verdict(Profile::Standard, 50, Warn);
    check_verdict(Profile::Standard, 51, Allow);
    check_verdict(Profile::Standard, 99, Allow);
    check_verdict(Profile::Standard, 100, Warn);
}

#[test]
fn the_budget_is_configured() {
    let mut world = World::sample(Profile::Strict);
    world.settings.reads.per_session = 2;
    world.reads = Some(ReadCount { in_session: 2, ..ReadCount::default() });
    let decision = world.decide(Action::Read { path: Some("a.rs".to_owned()) });
    assert_eq!(decision.findings.len(), 1);
    assert!(decision.findings[0].problem.contains("read 3 of this agent"), "{decision:?}");
}
