#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::Profile;

use super::*;
use crate::testing::{World, edit, write};

const OLD: &str = "try:\n    f()\nexcept A:\n    pass\n\ntry:\n    g()\nexcept B:\n    log()\n";

/// Lines of handlers that `action` adds to `a.py`, which holds `text` now.
#[track_caller]
fn lines(text: &str, action: Action, expected: &[usize]) {
    let world = World::sample(Profile::Strict).file("a.py", text);
    let event = world.event(action);
    let case = Case::new(&event, &world.place, &world.settings);
    let mut needs = Needs::default();
    want_before(&case, &mut needs, &["except"]);
    let search = Search {
        words: &["except"],
        pick: |syntax| syntax.handlers.into_iter().filter(|it| it.silent).map(|it| (it.line, ())).collect(),
        parsed_only: true,
    };
    let found = added(&case, &world.facts(&needs), &search).map(|(_, found)| found).unwrap_or_default();
    assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), expected);
}

#[test]
fn only_what_a_call_adds_is_found() {
    lines(OLD, edit("a.py", "    g()", "    h()"), &[]);
    lines(OLD, edit("a.py", "    log()", "    pass"), &[8]);
    lines(OLD, edit("a.py", "except A", "except C"), &[]);
    lines(OLD, edit("a.py", "try:\n    g()\nexcept B:\n    log()\n", ""), &[]);
    lines(OLD, write("a.py", OLD), &[]);
    lines(OLD, write("a.py", &OLD.replace("log()", "pass")), &[8]);
    lines(OLD, write("b.py", OLD), &[3]);
    // Moved down: the count stays.
    lines(OLD, edit("a.py", "try:\n    f()", "import os\n\ntry:\n    f()"), &[]);
}

#[test]
fn a_whole_file_must_parse_and_what_did_not_parse_before_may_be_old() {
    lines("", write("b.py", "def f(:\n    try:\n        g()\n    except:\n        pass\n"), &[]);
    let broken = format!("x = = 1\n{OLD}");
    lines(&broken, edit("a.py", "x = = 1", "x = 1"), &[]);
    lines(&broken, edit("a.py", "x = = 1\ntry", "x = 1\ntry"), &[]);
}

#[test]
fn code_that_comes_to_life_is_added() {
    let quoted = "S = '''\ntry:\n    f()\nexcept A:\n    pass\n'''\n";
    lines(
        quoted,
        Action::Edit {
            path: Some("a.py".to_owned()),
            changes: vec![
                hostler_model::Change { old: "S = '''\n".into(), new: String::new(), all: false },
                hostler_model::Change { old: "'''\n".into(), new: String::new(), all: false },
            ],
        },
        &[3],
    );
}

#[test]
fn text_beyond_the_reader_is_left_alone() {
    let long = format!("{OLD}#{}\n", "x".repeat(hostler_syntax::BYTES_MAX));
    lines("", write("b.py", &long), &[]);
    assert!(Language::of("a.py".as_ref()).unwrap() == Language::Python);
}

#[test]
fn a_file_is_read_only_where_it_can_matter() {
    let world = World::sample(Profile::Standard);
    for (action, wanted) in [
        (edit("a.py", "a", "b"), true),
        (write("a.py", "except: pass"), true),
        (write("a.py", "x = 1"), false),
        (write("a.txt", "except: pass"), false),
        (edit("a.txt", "a", "b"), false),
    ] {
        let event = world.event(action.clone());
        let case = Case::new(&event, &world.place, &world.settings);
        let mut needs = Needs::default();
        want_before(&case, &mut needs, &["except"]);
        assert_eq!(needs.contents.len(), usize::from(wanted), "{action:?}");
    }
}
