use hostler_model::{Action, Profile, Verdict};

use crate::testing::World;

// @traces REQ-020-150
#[test]
fn a_write_without_a_path_is_denied_and_says_so() {
    for profile in [Profile::Standard, Profile::Strict] {
        for action in [
            Action::Write { path: None, content: "x".to_owned() },
            Action::Edit { path: None, changes: Vec::new() },
            Action::NotebookEdit { path: Some("  ".to_owned()), source: String::new() },
        ] {
            let decision = World::sample(profile).decide(action.clone());
            assert_eq!(decision.verdict, Verdict::Deny, "{action:?}");
            assert!(decision.findings.iter().any(|it| it.problem.contains("names no file")), "{decision:?}");
        }
    }
    assert_eq!(World::sample(Profile::Strict).decide(Action::Read { path: None }).verdict, Verdict::Allow);
}
