#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::Profile;

use super::*;
use crate::Case;
use crate::testing::{World, edit, write};

fn seen(world: &World, action: Action) -> Option<Written> {
    let event = world.event(action);
    let case = Case::new(&event, &world.place, &world.settings);
    let mut needs = Needs::default();
    want_edited(&case, &mut needs);
    written(&case, &world.facts(&needs))
}

#[test]
fn an_edit_is_seen_as_the_file_after_it() {
    let world = World::sample(Profile::Standard).file("a.py", "x = 1\ny = 2\n");
    let seen = seen(&world, edit("a.py", "y = 2", "y = 3")).unwrap();
    assert_eq!(
        (seen.before.as_str(), seen.after.as_str(), seen.part),
        ("x = 1\ny = 2\n", "x = 1\ny = 3\n", false)
    );
    assert_eq!(seen.path, world.path("a.py"));
    assert_eq!(seen.at(2), "line 2 of `a.py`");
}

#[test]
fn lines_are_matched_around_what_changed() {
    let lines = |before: &str, after: &str| {
        let text = |it: &str| it.replace(' ', "\n");
        Written {
            path: "a".into(),
            shown: String::new(),
            before: text(before),
            after: text(after),
            part: false,
        }
        .lines()
    };
    for (before, after, new, kept) in [
        ("a b c", "a x y c", vec![2, 3], vec![Some(1), None, Some(4)]),
        ("a b c", "a c", vec![], vec![Some(1), None, Some(2)]),
        ("a", "a a", vec![2], vec![Some(1)]),
        ("a a", "a", vec![], vec![Some(1), None]),
        ("", "a", vec![1], vec![]),
        ("a", "", vec![], vec![None]),
        ("a b", "a b", vec![], vec![Some(1), Some(2)]),
    ] {
        let lines = lines(before, after);
        let count = |text: &str| text.split_whitespace().count();
        let found: Vec<usize> = (1..=count(after)).filter(|line| lines.is_new(*line)).collect();
        assert_eq!(found, new, "{before} {after}");
        assert_eq!(
            (1..=count(before)).map(|line| lines.kept(line)).collect::<Vec<_>>(),
            kept,
            "{before} {after}"
        );
    }
}

#[test]
fn an_edit_that_does_not_fit_is_seen_as_its_texts() {
    for (file, old) in [("other\n", "y = 2"), ("", "y = 2")] {
        let world = World::sample(Profile::Standard).file("a.py", file);
        let seen = seen(&world, edit("a.py", old, "y = 3")).unwrap();
        assert_eq!((seen.before.as_str(), seen.after.as_str(), seen.part), (old, "y = 3", true));
        assert_eq!(seen.at(1), "line 1 of the new text for `a.py`");
    }
    assert!(seen(&World::sample(Profile::Standard), edit("no.py", "a", "b")).unwrap().part);
}

#[test]
fn changes_apply_in_order() {
    let change = |old: &str, new: &str, all| Change { old: old.to_owned(), new: new.to_owned(), all };
    for (before, changes, after) in [
        ("a a", vec![change("a", "b", false)], Some("b a")),
        ("a a", vec![change("a", "b", true)], Some("b b")),
        ("a", vec![change("a", "b", false), change("b", "c", false)], Some("c")),
        ("a", vec![change("b", "c", false)], None),
        ("", vec![change("", "new", false)], Some("new")),
        ("a", vec![change("", "new", false)], None),
        ("a\r\nb\r\n", vec![change("a\nb", "c", false)], Some("c\n")),
    ] {
        assert_eq!(edited(before, &changes).as_deref(), after, "{before:?} {changes:?}");
    }
}

#[test]
fn a_write_knows_what_it_replaces_only_when_told() {
    let world = World::sample(Profile::Standard).file("a.txt", "old\n");
    let seen = seen(&world, write("./b/../a.txt", "new\n")).unwrap();
    assert_eq!((seen.path, seen.before.as_str(), seen.after.as_str()), (world.path("a.txt"), "", "new\n"));
    let event = world.event(write("a.txt", "new\n"));
    let case = Case::new(&event, &world.place, &world.settings);
    let needs = Needs { contents: [world.path("a.txt")].into(), ..Needs::default() };
    assert_eq!(written(&case, &world.facts(&needs)).unwrap().before, "old\n");
}

fn mcp(tool: &str, strings: &[(&str, &str)]) -> Action {
    Action::Mcp {
        server: "fs".to_owned(),
        tool: tool.to_owned(),
        strings: strings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
    }
}

#[test]
fn writers_of_mcp_servers_are_seen_as_writes() {
    let world = World::sample(Profile::Standard);
    let found = seen(&world, mcp("write_file", &[("path", "a.py"), ("content", "x")])).unwrap();
    assert_eq!((found.path, found.after.as_str()), (world.path("a.py"), "x"));
    for (tool, strings) in [
        ("read_file", &[("path", "a.py"), ("content", "x")][..]),
        ("write_file", &[("path", "a.py")]),
        ("write_note", &[("content", "x")]),
    ] {
        assert!(seen(&world, mcp(tool, strings)).is_none(), "{tool} {strings:?}");
    }
}

#[test]
fn tools_that_only_look_are_told_by_their_names() {
    for (tool, changes) in [
        ("read_file", false),
        ("list_directory", false),
        ("directory_tree", false),
        ("getFileInfo", false),
        ("search", false),
        ("write_file", true),
        ("getOrCreateFile", true),
        ("copy_file", true),
        ("HTTPPut", true),
        ("frobnicate", true),
        ("", true),
    ] {
        assert_eq!(changes_something(tool), changes, "{tool}");
    }
}

#[test]
fn paths_in_arguments_are_found_by_key_or_shape() {
    let found = |strings: &[(&str, &str)]| {
        let strings: Vec<_> =
            strings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        mcp_paths(&strings).collect::<Vec<_>>()
    };
    assert_eq!(found(&[("path", "context.json"), ("text", "see a/b or c")]), ["context.json"]);
    assert_eq!(found(&[("args.x", "~/.claude/x"), ("y", "b"), ("paths.0", "c d")]), ["~/.claude/x", "c d"]);
    assert_eq!(
        found(&[("u", "file:///home/dev/a%20b%2Ejson"), ("v", "file://host/x%zz")]),
        ["/home/dev/a b.json", "/x%zz"]
    );
    assert_eq!(found(&[("path", "")]), [""; 0]);
}

#[test]
fn names_are_split_into_words() {
    for (name, expected) in [
        ("DB_PASSWORD", &["db", "password"][..]),
        ("apiKey", &["api", "key"]),
        ("APIKey2", &["api", "key2"]),
        ("HTTPServer", &["http", "server"]),
        ("spring.datasource.password", &["spring", "datasource", "password"]),
        ("", &[]),
        ("--", &[]),
    ] {
        assert_eq!(words(name), expected, "{name}");
    }
}
