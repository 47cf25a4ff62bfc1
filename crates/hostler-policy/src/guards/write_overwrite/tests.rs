use hostler_model::{FileKind, PathFact, Profile, Verdict};

use super::*;
use crate::testing::{World, decide_edit, decide_write, write};

// @traces REQ-020-145 020-ERR-016
#[test]
fn an_existing_file_is_denied_in_strict_with_the_way_to_edit_it() {
    let decision = decide_write("notes/research.md", "# new", true, Profile::Strict);
    assert_eq!(decision.verdict, Verdict::Deny);
    let finding = decision.findings.first().map(|it| (it.rule, it.instead.clone().unwrap_or_default()));
    assert_eq!(finding, Some(("write-overwrite", "use the Edit tool to change what is there".to_owned())));
    assert_eq!(decide_write("notes/research.md", "# new", false, Profile::Strict).verdict, Verdict::Allow);
    assert_eq!(decide_write("notes/research.md", "# new", true, Profile::Standard).verdict, Verdict::Allow);
    assert_eq!(decide_edit("notes/research.md", "a", "b", Profile::Strict).verdict, Verdict::Allow);
}

#[test]
fn when_it_warns_a_checkpoint_keeps_the_old_file() {
    let mut world = World::sample(Profile::Standard);
    world.settings.overrides.insert("write-overwrite".to_owned(), Mode::Warn);
    assert_eq!(world.decide(write("README.md", "x")).snapshot, [world.path("README.md")]);
}

#[test]
fn what_is_there_decides() {
    let world = World::sample(Profile::Strict);
    let event = world.event(write("a", "x"));
    let case = Case::new(&event, &world.place, &world.settings);
    for (kind, found) in [
        (Some(FileKind::File), 1),
        (Some(FileKind::Link), 1),
        (Some(FileKind::Special), 1),
        (Some(FileKind::Missing), 0),
        (Some(FileKind::Folder), 0),
        (None, 0),
    ] {
        let path = world.path("a");
        let mut facts = Facts::default();
        if let Some(kind) = kind {
            facts.paths.insert(path.clone(), PathFact { kind, parent_real: path.clone(), real: path });
        }
        assert_eq!(check(&case, &facts).len(), found, "{kind:?}");
    }
}
