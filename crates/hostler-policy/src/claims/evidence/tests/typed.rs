//! Tools that are no shells.

use hostler_model::{Action, Change, Outcome, Profile, ToolCall};

use super::{evidence, render};
use crate::claims::evidence::{Actor, Evidence, FailureKind, Source, of};
use crate::testing::World;

#[track_caller]
fn check(found: &Evidence, expected: &[&str]) {
    assert_eq!(render(found), expected);
}

fn mcp(server: &str, tool: &str, strings: &[(&str, &str)]) -> Evidence {
    let strings = strings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let name = format!("mcp__{server}__{tool}");
    evidence(&name, Action::Mcp { server: server.to_owned(), tool: tool.to_owned(), strings }, true, "ok")
}

#[test]
fn typed_tools_do_what_they_say() {
    let write = Action::Write { path: Some("src/a.rs".to_owned()), content: "x".to_owned() };
    check(&evidence("Write", write.clone(), true, "File created"), &["Create src/a.rs", "Edit src/a.rs"]);
    check(
        &evidence("Write", write, false, "EACCES: permission denied"),
        &["!Error src/a.rs", "-Create src/a.rs", "-Edit src/a.rs"],
    );
    let change = Change { old: "a".to_owned(), new: "b".to_owned(), all: false };
    let edit = Action::Edit { path: Some("/srv/a.rs".to_owned()), changes: vec![change.clone(), change] };
    check(&evidence("MultiEdit", edit, true, "ok"), &["Edit /srv/a.rs x2"]);
    check(
        &evidence(
            "NotebookEdit",
            Action::NotebookEdit { path: Some("a.ipynb".to_owned()), source: String::new() },
            true,
            "",
        ),
        &["Edit a.ipynb"],
    );
    check(&evidence("Read", Action::Read { path: Some("a.rs".to_owned()) }, true, "1\tx"), &["Read a.rs"]);
    check(
        &evidence("Read", Action::Read { path: Some("a.rs".to_owned()) }, false, "File does not exist."),
        &["!Probe a.rs", "-Read a.rs"],
    );
    let search = || Action::Search { path: Some("src".to_owned()), pattern: "foo".to_owned() };
    check(&evidence("Grep", search(), true, "src/a.rs\nsrc/b.rs"), &["Search src tree"]);
    check(&evidence("Grep", search(), true, "src/a.rs:12:foo()"), &["Search src tree", "Read src/a.rs part"]);
    let fetch = Action::Fetch { address: "https://docs.rs/serde".to_owned() };
    check(
        &evidence("WebFetch", fetch.clone(), true, "text"),
        &["+Fetch docs.rs", "+Read https://docs.rs/serde"],
    );
    assert_eq!(
        evidence("WebFetch", fetch, false, "Request failed with status code 403").failure.map(|it| it.kind),
        Some(FailureKind::Probe)
    );
    check(&evidence("TodoWrite", Action::Plan, true, "ok"), &[]);
}

#[test]
fn refusals_are_no_errors() {
    let write = Action::Write { path: Some("CLAUDE.md".to_owned()), content: "x".to_owned() };
    for output in [
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "Claude requested permissions to write to CLAUDE.md, but you haven't granted it yet.",
        "Permission to use Write has been denied.",
        "PreToolUse:Write hook error: blocked",
    ] {
        let found = evidence("Write", write.clone(), false, output);
        check(&found, &["!Refused CLAUDE.md", "-Create CLAUDE.md", "-Edit CLAUDE.md"]);
    }
}

#[test]
fn tools_of_servers_are_read_by_their_names() {
    check(
        &mcp("filesystem", "write_file", &[("path", "src/a.rs"), ("content", "x")]),
        &["Create src/a.rs", "Edit src/a.rs", "+Create", "opaque"],
    );
    check(&mcp("filesystem", "edit_file", &[("path", "a.rs")]), &["Edit a.rs", "+Edit", "opaque"]);
    check(
        &mcp("filesystem", "move_file", &[("source", "a.rs"), ("destination", "b.rs")]),
        &["Delete a.rs", "Move b.rs", "+Move", "opaque"],
    );
    check(&mcp("filesystem", "read_file", &[("path", "a.rs")]), &["Read a.rs", "+Read"]);
    check(&mcp("filesystem", "list_directory", &[("path", "src")]), &["Search src tree", "+Search"]);
    check(&mcp("github", "create_issue", &[("title", "Bug")]), &["+OpenIssue Bug", "opaque"]);
    check(
        &mcp("github", "create_pull_request", &[("title", "Add x")]),
        &["+OpenPullRequest Add x", "opaque"],
    );
    check(&mcp("github", "add_issue_comment", &[("body", "x")]), &["+Comment", "opaque"]);
    check(&mcp("github", "merge_pull_request", &[("repo", "r")]), &["+Merge r", "opaque"]);
    check(&mcp("slack", "send_message", &[("channel", "#dev")]), &["+Send #dev", "+Comment #dev", "opaque"]);
    check(
        &mcp("playwright", "browser_navigate", &[("url", "http://localhost:3000")]),
        &["+Verify http://localhost:3000"],
    );
    check(&mcp("playwright", "browser_take_screenshot", &[]), &["+Verify", "+Read"]);
    check(&mcp("context7", "get-library-docs", &[("query", "serde")]), &["+Read serde"]);
    check(&mcp("k8s", "frob", &[]), &["+Other", "opaque"]);
    check(&mcp("journal", "process_thoughts", &[("feelings", "x")]), &[]);
    assert_eq!(mcp("linear", "updateIssueState", &[]).words, ["linear", "update", "issue", "state"]);
}

#[test]
fn a_server_that_refuses_did_nothing() {
    let found = evidence(
        "mcp__erp__save",
        Action::Mcp { server: "erp".to_owned(), tool: "save".to_owned(), strings: Vec::new() },
        true,
        "rejected by validation",
    );
    check(&found, &["!Error erp save", "-Create"]);
    assert!(!found.ok);
}

#[test]
fn unknown_tools_are_read_by_name_and_input() {
    let world = World::sample(Profile::Standard);
    let other = |tool: &str, input: &str| {
        let call =
            ToolCall { id: None, tool: tool.to_owned(), action: Action::Other, input: input.to_owned() };
        let outcome = Outcome { ok: true, output: "ok".to_owned(), ..Outcome::default() };
        of(&Source {
            call: &call,
            outcome: &outcome,
            cwd: &world.place.root,
            place: &world.place,
            by: Actor::Agent,
        })
    };
    check(
        &other("Create", r#"{"file_path":"demo \\ \"a\".txt"}"#),
        &[r#"Create demo \ "a".txt"#, r#"Edit demo \ "a".txt"#, "+Create", "opaque"],
    );
    check(&other("LS", r#"{"path":"src/x"}"#), &["Search src/x tree", "+Search"]);
    check(&other("BashOutput", "{}"), &[]);
    check(&other("Frobnicate", "{}"), &["+Other", "opaque"]);
}
