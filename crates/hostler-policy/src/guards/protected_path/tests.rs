use hostler_model::{Decision, Profile, Verdict};

use super::*;
use crate::testing::{World, decide_edit, decide_write, edit, shell, write};

#[track_caller]
fn rules(decision: &Decision) -> Vec<&'static str> {
    decision.findings.iter().filter(|it| Mode::Ask <= it.mode).map(|it| it.rule).collect()
}

fn told(decision: &Decision) -> String {
    let lines: Vec<String> = decision
        .findings
        .iter()
        .map(|it| format!("{}; {}", it.problem, it.instead.as_deref().unwrap_or_default()))
        .collect();
    lines.concat()
}

// @traces REQ-020-146 020-ERR-017 021-US-005-AC06 021-CONST-I-004 021-US-005-AC07
#[test]
fn plans_are_denied_with_the_redirect() {
    for profile in [Profile::Standard, Profile::Strict] {
        for path in ["~/.claude/plans/p.md", "/home/dev/.claude/plans/../plans/p.md"] {
            let decision = decide_write(path, "x", false, profile);
            assert_eq!(decision.verdict, Verdict::Deny, "{path}");
            assert_eq!(rules(&decision).first(), Some(&"protected-path"));
            assert!(told(&decision).contains("write it to plans/p.md in the project"), "{}", told(&decision));
        }
        assert_eq!(decide_write("plans/p.md", "x", false, profile).verdict, Verdict::Allow);
    }
}

// @traces REQ-020-147 REQ-020-148 020-ERR-018 REQ-020-175 REQ-020-176
#[test]
fn session_records_are_denied_with_the_commands_that_keep_them() {
    const COMMANDS: [&str; 7] = [
        "`hostler session log-work --desc TEXT`",
        "`hostler session log-achievement --item TEXT`",
        "`hostler session log-choice --choice TEXT --reason TEXT`",
        "`hostler session add-work --text TEXT`",
        "`hostler session complete-work --id ID`",
        "`hostler session begin --purpose TEXT`",
        "`hostler session end --achievements TEXT`",
    ];
    let notebook = |path: &str| Action::NotebookEdit { path: Some(path.to_owned()), source: "x".to_owned() };
    for profile in [Profile::Standard, Profile::Strict] {
        let world = World::sample(profile);
        for path in ["context.md", "context.json", "sub/context.json", "/home/dev/proj/context.md"] {
            for decision in [
                decide_write(path, "{}", false, profile),
                decide_write(path, "{}", true, profile),
                decide_edit(path, "a", "b", profile),
                world.decide(notebook(path)),
                world.decide(shell(&format!("echo x > {path}"))),
                world.decide(shell(&format!("sed -i s/a/b/ {path}"))),
                world.decide(shell(&format!("rm {path}"))),
            ] {
                assert_eq!(decision.verdict, Verdict::Deny, "{path}: {decision:?}");
                for command in COMMANDS {
                    assert!(told(&decision).contains(command), "{path}: {}", told(&decision));
                }
            }
        }
        let view = told(&decide_write("context.md", "x", false, profile));
        assert!(view.contains("`hostler session render`"), "{view}");
    }
    for command in
        ["cat context.json", "jq .state context.json > state.json", "hostler session status --json"]
    {
        assert_eq!(
            World::sample(Profile::Standard).decide(shell(command)).verdict,
            Verdict::Allow,
            "{command}"
        );
    }
}

// @traces REQ-020-144 REQ-020-153
#[test]
fn every_tool_that_writes_is_judged() {
    let path = "~/.claude/settings.json".to_owned();
    let mcp = |tool: &str, key: &str, value: &str| Action::Mcp {
        server: "fs".to_owned(),
        tool: tool.to_owned(),
        strings: vec![(key.to_owned(), value.to_owned())],
    };
    let world = World::sample(Profile::Standard);
    for action in [
        write(&path, "{}"),
        edit(&path, "a", "b"),
        Action::NotebookEdit { path: Some(path.clone()), source: "x".to_owned() },
        mcp("write_file", "path", &path),
        mcp("move_file", "destination", "/home/dev/.claude/hooks/a"),
        mcp("apply", "edits.0.uri", "file:///home/dev/.claude/settings%2Ejson"),
        mcp("create", "x", "./.claude/settings.json"),
        mcp("create", "file", "context.json"),
    ] {
        let decision = world.decide(action.clone());
        assert_eq!(rules(&decision), ["protected-path"], "{action:?}");
    }
    for action in [
        mcp("read_file", "path", &path),
        mcp("write_file", "content", "see ~/.claude/settings.json for it"),
        mcp("write_file", "path", "src/a.py"),
        Action::Read { path: Some(path.clone()) },
        Action::Search { path: Some(path.clone()), pattern: "x".to_owned() },
        Action::Other,
    ] {
        assert_eq!(world.decide(action.clone()).verdict, Verdict::Allow, "{action:?}");
    }
}

#[test]
fn links_are_followed_to_what_they_lead_to() {
    let world = World::sample(Profile::Standard)
        .link("notes", "~/.claude")
        .link("x.json", "~/.claude/settings.json")
        .link("docs", "/home/dev/proj/src");
    for (path, expected) in [
        ("notes/settings.json", &["protected-path"][..]),
        ("notes/hooks/new.sh", &["protected-path"]),
        ("x.json", &["protected-path"]),
        ("docs/a.json", &[]),
        ("notes/CLAUDE.md", &[]),
    ] {
        let decision = world.decide(write(path, "{}"));
        assert_eq!(rules(&decision), expected, "{path}");
        assert!(expected.is_empty() || told(&decision).contains("through a link"), "{}", told(&decision));
    }
}

#[test]
fn what_the_configuration_names_is_protected() {
    let mut world = World::sample(Profile::Standard);
    world.settings.protected = vec!["*.lock".to_owned()];
    let decision = world.decide(write("uv.lock", "x"));
    assert_eq!(rules(&decision), ["protected-path"]);
    assert!(told(&decision).contains("`uv.lock` is protected: the configuration protects `*.lock`"));
}

#[test]
fn git_files_are_asked_about_and_denied_by_the_letter() {
    assert_eq!(decide_write(".git/hooks/pre-commit", "x", false, Profile::Standard).verdict, Verdict::Ask);
    assert_eq!(decide_write(".git/hooks/pre-commit", "x", false, Profile::Strict).verdict, Verdict::Deny);
    assert_eq!(decide_write(".git/info/exclude", "x", false, Profile::Strict).verdict, Verdict::Allow);
}

// @traces REQ-020-149
#[test]
fn a_new_file_at_an_ordinary_path_goes_ahead() {
    for profile in [Profile::Observe, Profile::Standard, Profile::Strict] {
        let decision = decide_write("src/new module.py", "x = 1\n", false, profile);
        assert_eq!((decision.verdict, decision.findings.len()), (Verdict::Allow, 0));
    }
}
