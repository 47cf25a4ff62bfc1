use hostler_model::{Profile, Verdict};

use super::*;
use crate::testing::{World, edit, write};

// @traces 021-CONST-VI-010
#[test]
fn nothing_outside_the_project_is_changed_unasked_by_the_letter() {
    let strict = World::sample(Profile::Strict);
    let mcp = Action::Mcp {
        server: "fs".to_owned(),
        tool: "write_file".to_owned(),
        strings: vec![("path".to_owned(), "/home/dev/other/a.txt".to_owned())],
    };
    for action in [
        write("/home/dev/other/a.txt", "x"),
        write("../a.txt", "x"),
        edit("/home/dev/.ssh/config", "a", "b"),
        Action::NotebookEdit { path: Some("/srv/a.ipynb".to_owned()), source: "x".to_owned() },
        mcp,
    ] {
        assert_eq!(strict.decide(action.clone()).verdict, Verdict::Ask, "{action:?}");
        assert_eq!(
            World::sample(Profile::Standard).decide(action.clone()).verdict,
            Verdict::Allow,
            "{action:?}"
        );
    }
    for action in [write("a.txt", "x"), write("/tmp/x/a.txt", "x"), write("/home/dev/proj/b/../a.txt", "x")] {
        assert_eq!(strict.decide(action.clone()).verdict, Verdict::Allow, "{action:?}");
    }
}

#[test]
fn arguments_that_are_no_paths_here_are_left_alone() {
    let strings =
        vec![("url".to_owned(), "https://example.com/a".to_owned()), ("path".to_owned(), "a/b".to_owned())];
    let action = Action::Mcp { server: "web".to_owned(), tool: "post".to_owned(), strings };
    assert_eq!(World::sample(Profile::Strict).decide(action).verdict, Verdict::Allow);
}
