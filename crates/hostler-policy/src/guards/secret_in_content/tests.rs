use hostler_model::{Action, Decision, Profile, Verdict};

use super::*;
use crate::testing::{World, decide_edit, decide_write, edit, write};

const SECRET: &str = "Tr0ub4dor-and-3";

fn told(decision: &Decision) -> String {
    let lines: Vec<String> = decision
        .findings
        .iter()
        .map(|it| format!("{}; {}\n", it.problem, it.instead.as_deref().unwrap_or_default()))
        .collect();
    lines.concat()
}

#[test]
fn a_secret_is_denied_and_never_repeated() {
    for profile in [Profile::Standard, Profile::Strict] {
        let decision =
            decide_write("src/cfg.py", &format!("x = 1\ndbPassword = '{SECRET}'\n"), false, profile);
        assert_eq!(decision.verdict, Verdict::Deny);
        assert_eq!(
            told(&decision),
            "line 2 of `src/cfg.py` holds what looks like a literal for `dbPassword`; read it from the environment \
             variable DB_PASSWORD and keep the value out of the repository\n"
        );
        assert!(!format!("{decision:?}").contains(SECRET));
    }
}

#[test]
fn only_what_an_edit_adds_counts() {
    let world = World::sample(Profile::Standard)
        .file("a.py", &format!("password = '{SECRET}'\nx = 1\ntoken = 'changeme'\n"));
    assert_eq!(world.decide(edit("a.py", "x = 1", "x = 2")).verdict, Verdict::Allow);
    assert_eq!(
        world.decide(edit("a.py", "x = 1", &format!("y = connect(password='{SECRET}')"))).verdict,
        Verdict::Allow
    );
    assert_eq!(world.decide(edit("a.py", "x = 1", "api_key = '9c1e5fd07ab34c22'")).verdict, Verdict::Deny);
    // The name stands outside the replaced text.
    assert_eq!(world.decide(edit("a.py", "changeme", "9c1e5fd07ab34c22")).verdict, Verdict::Deny);
    assert_eq!(world.decide(edit("a.py", SECRET, "changeme")).verdict, Verdict::Allow);
    assert_eq!(decide_edit("a.md", "a", "use `rm -rf` with care", Profile::Strict).verdict, Verdict::Allow);
}

#[test]
fn a_write_is_judged_as_a_whole() {
    let text = format!("password = '{SECRET}'\n");
    let world = World::sample(Profile::Standard).file("a.py", &text);
    assert_eq!(world.decide(write("a.py", &text)).verdict, Verdict::Deny);
}

#[test]
fn notebooks_and_writers_of_mcp_servers_are_judged_too() {
    let world = World::sample(Profile::Standard);
    let source = format!("password = '{SECRET}'");
    let mcp = |tool: &str| Action::Mcp {
        server: "fs".to_owned(),
        tool: tool.to_owned(),
        strings: vec![("path".to_owned(), "a.py".to_owned()), ("content".to_owned(), source.clone())],
    };
    let notebook = Action::NotebookEdit { path: Some("a.ipynb".to_owned()), source: source.clone() };
    assert_eq!(world.decide(notebook).verdict, Verdict::Deny);
    assert_eq!(world.decide(mcp("write_file")).verdict, Verdict::Deny);
    assert_eq!(world.decide(mcp("read_file")).verdict, Verdict::Allow);
}

#[test]
fn a_folder_above_the_project_does_not_make_it_a_test() {
    let mut world = World::sample(Profile::Standard);
    world.place.root = "/home/dev/tests/proj".into();
    let action = write("/home/dev/tests/proj/a.py", &format!("password = '{SECRET}'\n"));
    assert_eq!(world.decide(action).verdict, Verdict::Deny);
}

#[test]
fn of_many_secrets_some_are_told() {
    let text: String =
        (0..50).map(|at| format!("password{at} = 'Tr0ub4dor-and-{at}x'\n")).collect::<Vec<_>>().concat();
    let hits = World::sample(Profile::Standard).hits(&GUARD, write("a.py", &text));
    assert_eq!(hits.len(), TOLD_MAX);
}
