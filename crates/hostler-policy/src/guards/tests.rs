//! What holds for every guard, whatever it stops.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use hostler_model::{Decision, Profile};

use super::{Example, GUARDS};
use crate::testing::{World, action, decide_bash, hits};

#[test]
fn every_guard_finds_something_in_what_it_stops_and_nothing_in_what_it_allows() {
    let mut wrong = Vec::new();
    for guard in GUARDS {
        assert!(!guard.fires.is_empty() && !guard.silent.is_empty(), "`{}` has no examples", guard.id);
        for example in guard.fires {
            let found = hits(guard, example);
            if found.is_empty() {
                wrong.push(format!("`{}` finds nothing in {example:?}", guard.id));
            }
            for hit in found {
                assert!(!hit.problem.is_empty() && !hit.problem.ends_with('.'), "`{}`: {hit:?}", guard.id);
            }
        }
        for example in guard.silent {
            for hit in hits(guard, example) {
                wrong.push(format!("`{}` finds in {example:?}: {hit:?}", guard.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ids_are_unique_and_readable() {
    let mut seen = BTreeSet::new();
    for guard in GUARDS {
        assert!(seen.insert(guard.id), "`{}` is there twice", guard.id);
        assert!(
            guard.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{:?}",
            guard.id
        );
        assert!(!guard.summary.is_empty() && !guard.summary.ends_with('.'), "`{}`", guard.id);
        assert!(guard.standard <= guard.strict, "`{}` is weaker in strict than in standard", guard.id);
    }
}

/// Every example of every guard, in both profiles that block.
fn decisions() -> impl Iterator<Item = (&'static Example, Profile, Decision)> {
    GUARDS.iter().flat_map(|guard| guard.fires.iter().chain(guard.silent)).flat_map(|example| {
        [Profile::Standard, Profile::Strict]
            .map(|profile| (example, profile, World::of(example, profile).decide(action(example))))
    })
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// An agent does what it is told next: a suggestion that is stopped in turn would send it in circles.
#[test]
fn what_a_reason_suggests_passes_the_guards() {
    let mut checked = 0;
    for (example, profile, decision) in decisions() {
        for finding in decision.findings {
            for command in finding.instead.as_deref().iter().flat_map(|text| quoted(text)) {
                let next = decide_bash(command, profile);
                assert!(
                    !next.verdict.blocks(),
                    "`{}` suggests `{command}` for {example:?} in {}: {:?}",
                    finding.rule,
                    profile.name(),
                    next.findings
                );
                checked += 1;
            }
        }
    }
    assert!(GUARDS.is_empty() || 0 < checked, "no guard suggests anything");
}

/// The rule that stops each kind of call that development policies name, and that it says what to do instead.
// @traces 021-FR-008 021-US-005-AC07
#[test]
fn development_policies_are_enforced_before_a_tool_runs() {
    let write = crate::testing::write;
    let shell = crate::testing::shell;
    for (action, rule) in [
        (write("tests/test_a.py", "x = MagicMock()\n"), "mock-in-test"),
        (write("src/app/a.py", "from . import x\n"), "relative-import"),
        (shell("pip install requests"), "pip-over-uv"),
        (shell("rm -rf /"), "delete-root"),
        (shell(":(){ :|:& };:"), "fork-bomb"),
        (write("~/.claude/plans/feature.md", "x"), "protected-path"),
    ] {
        let decision = World::sample(Profile::Strict).decide(action.clone());
        assert_eq!(decision.verdict, hostler_model::Verdict::Deny, "{action:?}");
        let finding = decision.findings.iter().find(|it| it.rule == rule);
        assert!(finding.is_some_and(|it| it.instead.is_some()), "`{rule}` in {:?}", decision.findings);
    }
}

#[test]
fn no_guard_fails_on_any_example() {
    for (example, profile, decision) in decisions() {
        assert!(decision.faults.is_empty(), "{example:?} in {}: {:?}", profile.name(), decision.faults);
    }
}

#[test]
fn an_observing_profile_blocks_nothing() {
    for guard in GUARDS {
        for example in guard.fires {
            let decision = World::of(example, Profile::Observe).decide(action(example));
            assert!(!decision.verdict.blocks(), "`{}` blocks {example:?}", guard.id);
        }
    }
}

#[test]
fn quotes_are_read_in_pairs() {
    assert_eq!(quoted("run `a b`, then `c`").collect::<Vec<_>>(), ["a b", "c"]);
    assert_eq!(quoted("none").next(), None);
    assert!(World::sample(Profile::Standard).path("~/x").to_str().unwrap().ends_with("/dev/x"));
}

#[test]
fn the_manual_lists_every_guard_with_its_modes() {
    let manual = include_str!("../../../../docs/guards.md");
    for guard in GUARDS {
        let row = manual.lines().find(|line| line.starts_with(&format!("| `{}` |", guard.id)));
        let modes = format!("| {} | {} |", guard.standard.name(), guard.strict.name());
        assert!(
            row.is_some_and(|row| row.ends_with(&modes)),
            "`{}`: docs/guards.md wants {modes}: {row:?}",
            guard.id
        );
    }
}
