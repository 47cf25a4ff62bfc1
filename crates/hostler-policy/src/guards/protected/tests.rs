use hostler_model::Profile;

use super::*;
use crate::testing::World;

/// `""`: not protected; else a part of the reason.
#[track_caller]
fn check(text: &str, why: &str) {
    let world = World::sample(Profile::Standard);
    let found = protection(&world.path(text), &world.place, &world.settings);
    match (&found, why) {
        (None, "") => {}
        (Some(found), why) if !why.is_empty() && found.why.contains(why) => {
            assert!(!found.instead.is_empty());
        }
        _ => panic!("{text}: {found:?}, expected {why:?}"),
    }
}

#[test]
fn settings_of_hosts_are_protected_in_every_home_and_project() {
    for text in [
        "~/.claude/settings.json",
        "~/.claude/settings.local.json",
        "~/.claude/SETTINGS.JSON",
        "~/.Claude/hooks/x/y.sh",
        "~/.claude/hooks",
        "~/.claude/plugins/cache/p/hooks.json",
        "~/.claude/.credentials.json",
        "~/.claude.json",
        "~/.claude.json.backup",
        "/home/other/.claude/settings.json",
        "/root/.claude/hooks/g.py",
        "/Users/other/.claude/settings.json",
        "/root/.claude.json",
        ".claude/settings.json",
        "sub/.claude/settings.local.json",
        "/srv/other/.claude/hooks/a.sh",
        "/etc/claude-code/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
        "~/.config/opencode/opencode.json",
        "~/.config/opencode/plugin/hostler.ts",
        "~/.config/opencode/plugins/a.js",
        "opencode.json",
        "opencode.jsonc",
        ".opencode/plugin/a.ts",
        ".opencode/opencode.json",
        "src/../.claude/settings.json",
    ] {
        check(text, "settings of the host");
    }
}

#[test]
fn plans_are_sent_to_the_project() {
    let world = World::sample(Profile::Standard);
    for (text, place) in [
        ("~/.claude/plans/p.md", "plans/p.md"),
        ("~/.claude/plans/a/b.md", "plans/a/b.md"),
        ("~/.claude/plans", "plans/NAME.md"),
        ("/home/other/.claude/plans/p.md", "plans/p.md"),
    ] {
        let found = protection(&world.path(text), &world.place, &world.settings).map(|it| it.instead);
        assert_eq!(found.as_deref(), Some(format!("write it to {place} in the project").as_str()), "{text}");
    }
}

#[test]
fn files_of_ours_are_protected() {
    for text in [
        ".hostler/config.toml",
        "sub/.hostler/x",
        "~/.local/state/hostler/a",
        "~/.config/hostler/config.toml",
    ] {
        check(text, "hostler keeps");
    }
    for text in ["session/contract.json", "session/events.jsonl"] {
        check(text, "session's records");
    }
    for text in ["context.json", "a/b/context.json"] {
        check(text, "record of the project's sessions");
    }
    check("context.md", "made from context.json");
}

#[test]
fn everything_else_is_free() {
    for text in [
        "src/a.py",
        "README.md",
        ".claude/commands/a.md",
        ".claude/agents/a.md",
        ".claude/CLAUDE.md",
        ".claude/plans/p.md",
        "~/.claude/CLAUDE.md",
        "~/.claude/projects/p/memory/MEMORY.md",
        "hooks/a.sh",
        "settings.json",
        ".vscode/settings.json",
        "src/.claude.json/x",
        "Context.md",
        "context.json.bak",
        "my-context.json",
        "/tmp/context.json",
        "~/other/context.md",
        "src/session/contract.json",
        "session/state.md",
        "plugin/a.ts",
        "config.json",
        "src/opencode/config.json",
        "/etc/hosts",
        "/",
        "",
    ] {
        check(text, "");
    }
}

#[test]
fn a_configured_folder_of_the_host_counts_as_its_home() {
    let mut world = World::sample(Profile::Standard);
    world.place.host_dirs = vec!["/srv/agent".into()];
    for (text, protected) in
        [("/srv/agent/settings.json", true), ("/srv/agent/plans/p.md", true), ("/srv/agent/CLAUDE.md", false)]
    {
        assert_eq!(protection(Path::new(text), &world.place, &world.settings).is_some(), protected, "{text}");
    }
    assert!(shell_protection(Path::new("/srv/agent/CLAUDE.md"), &world.place, &world.settings).is_some());
}

// @traces REQ-020-139
#[test]
fn the_shell_writes_nothing_below_a_home_folder_of_the_host_but_memory() {
    let world = World::sample(Profile::Standard);
    for (text, protected) in [
        ("~/.claude", true),
        ("~/.claude/x", true),
        ("/home/other/.claude/notes/a.md", true),
        ("/root/.claude/CLAUDE.md", true),
        ("~/.claude/projects/p/t.jsonl", true),
        ("~/.claude/projects/p/memory/a.md", false),
        ("~/.claude/projects/p/memory", false),
        (".claude/commands/a.md", false),
        (".claude", false),
        ("src/a.py", false),
        ("context.md", true),
    ] {
        let found = shell_protection(&world.path(text), &world.place, &world.settings);
        assert_eq!(found.is_some(), protected, "{text}");
    }
}

#[test]
fn a_folder_holds_what_is_protected_below_it() {
    let world = World::sample(Profile::Standard);
    for (text, holds) in [
        ("~", true),
        ("/", true),
        (".", true),
        (".claude", true),
        (".hostler", true),
        ("~/.config", true),
        ("~/.local/state", true),
        ("src", false),
        ("build", false),
        (".claude/commands", false),
        ("/tmp/x", false),
    ] {
        assert_eq!(
            holds_protected(&world.path(text), &world.place, &world.settings).is_some(),
            holds,
            "{text}"
        );
    }
}

#[test]
fn git_keeps_its_own_files() {
    let mut world = World::sample(Profile::Standard);
    world.place.git_common_dir = Some("/home/dev/main/.git".into());
    for (text, protected) in [
        (".git/hooks/pre-commit", true),
        (".git/config", true),
        (".git/HEAD", true),
        (".git", true),
        ("/home/dev/main/.git/hooks/pre-push", true),
        (".git/info/exclude", false),
        (".git/COMMIT_EDITMSG", false),
        (".gitignore", false),
        (".github/x", false),
        ("vendor/lib/.git/hooks/post-checkout", true),
        ("/home/dev/else/.git/config", true),
        ("/home/dev/else/.git", false),
        ("/home/dev/else/.git/info/exclude", false),
    ] {
        assert_eq!(git_internals(&world.path(text), &world.place).is_some(), protected, "{text}");
    }
}

#[test]
fn configured_globs_read_like_an_ignore_file() {
    let mut world = World::sample(Profile::Standard);
    for (glob, text, protected) in [
        ("*.lock", "a/b/Cargo.lock", true),
        ("*.lock", "a.lock/inner", true),
        ("*.lock", "a.locked", false),
        ("migrations/", "migrations/1.sql", true),
        ("migrations/", "app/migrations/1.sql", true),
        ("app/migrations", "app/migrations/1.sql", true),
        ("app/migrations", "b/app/migrations/1.sql", false),
        ("app/*.py", "app/a.py", true),
        ("app/*.py", "app/x/a.py", false),
        ("app/**/*.py", "app/x/y/a.py", true),
        ("~/.ssh/**", "~/.ssh/config", true),
        ("~/.ssh", "~/.ssh/config", true),
        ("/etc/*.conf", "/etc/a.conf", true),
        ("*.lock", "/srv/a.lock", false),
        ("secrets.{json,yaml}", "x/secrets.yaml", true),
        ("a[", "a[/b", true),
        ("a[", "ab", false),
    ] {
        world.settings.protected = vec!["never-there".to_owned(), glob.to_owned()];
        let found = protection(&world.path(text), &world.place, &world.settings);
        assert_eq!(found.is_some(), protected, "{glob} {text}");
    }
}

#[test]
fn a_root_with_pattern_characters_is_taken_literally() {
    let mut world = World::sample(Profile::Standard);
    world.place.root = "/srv/a[1]*".into();
    world.settings.protected = vec!["*.lock".to_owned()];
    for (path, protected) in [("/srv/a[1]*/x.lock", true), ("/srv/a1z/x.lock", false)] {
        assert_eq!(protection(Path::new(path), &world.place, &world.settings).is_some(), protected, "{path}");
    }
}

#[test]
fn a_broken_glob_is_told() {
    assert_eq!(check_glob("a/**/b"), Ok(()));
    assert!(check_glob("a[").is_err_and(|why| !why.is_empty()));
}
