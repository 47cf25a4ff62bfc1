//! What the commands print.

use std::process::Command;

use super::ground::Ground;

const NOTES: &str = "# Notes\n\nGeneral words.\n\n## Marmalade\n\nThe quantum marmalade pipeline.\n";

fn two() -> Ground {
    Ground::with(&[
        ("docs/notes.md", NOTES),
        ("src/lib.rs", "/// Renames a user account.\npub fn rename_account(id: u64) {}\n"),
        ("yarn.lock", ""),
        ("logo.png", "no zero byte"),
        ("data.bin", "\0"),
        ("build/made.txt", "made"),
    ])
}

// @traces RAG-002 RAG-016
#[test]
fn a_run_ends_in_one_line_of_keys_and_values() {
    let ground = two();
    let tree = ground.tree();
    let said = ground.run(&["index", tree.to_str().unwrap()]);
    let mut lines = said.lines();
    let line = lines.next().unwrap();
    let (head, elapsed) = line.rsplit_once(" elapsed=").unwrap();
    assert_eq!(
        head,
        "index complete: files=2 rechunked=2 purged=0 chunks=3 skipped_binary=1 skipped_ext=1 skipped_name=1 \
         dims=256 mode=local"
    );
    assert!(elapsed.strip_suffix("ms").is_some_and(|it| it.parse::<u64>().is_ok()), "{line}");
    assert_eq!(lines.next(), Some(format!("root: {}", tree.display()).as_str()));
    assert_eq!(lines.next(), Some("also passed over: 1 folders of tools and builds"));
}

// @traces RAG-016
#[test]
fn hits_chunks_and_the_status_are_printed_line_by_line() {
    let ground = two();
    ground.index();
    let said = ground.run(&["search", "quantum marmalade", "--k", "1"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].starts_with("1. docs/notes.md:5-7 (") && lines[0].ends_with(") Notes > Marmalade"),
        "{said}"
    );
    assert_eq!(lines[1], "   ## Marmalade The quantum marmalade pipeline.");

    let id = ground.json(&["search", "quantum marmalade"])["hits"][0]["id"].to_string();
    let said = ground.run(&["get", &id]);
    let expected = format!(
        "chunk {id}: docs/notes.md:5-7 heading: Notes > Marmalade\n## Marmalade\n\nThe quantum marmalade pipeline.\n"
    );
    assert_eq!(said, expected);

    let said = ground.run(&["status"]);
    for line in [
        &format!("db: {}", ground.db().display()),
        &format!("root: {}", ground.tree().display()),
        "files: 2",
        "chunks: 3",
        "stale_files: 0",
        "skipped_ext: 1",
        "skipped_name: 1",
        "skipped_binary: 1",
        "embedding_mode: local",
        "dims: 256",
    ] {
        assert!(said.lines().any(|it| it == line), "{line}\n{said}");
    }
    assert!(!said.contains("last_index_at: never"), "{said}");
}

// @traces RAG-008
#[test]
fn a_glob_narrows_the_search_down() {
    let ground = Ground::with(&[("api/a.md", "users\n"), ("api/v2/b.md", "users\n"), ("c.md", "users\n")]);
    ground.index();
    for (glob, expected) in [
        ("api/*", vec!["api/a.md"]),
        ("api/**", vec!["api/a.md", "api/v2/b.md"]),
        ("?.md", vec!["c.md"]),
        ("nothing/*", vec![]),
    ] {
        let mut found = super::ground::paths(&ground.json(&["search", "users", "--glob", glob]));
        found.sort();
        assert_eq!(found, expected, "{glob}");
    }
    assert_eq!(ground.run(&["search", "users", "--glob", "nothing/*"]), "no hits\n");
}

#[test]
fn a_score_is_explained() {
    let ground = two();
    ground.index();
    let plain = ground.run(&["search", "marmalade"]);
    let explained = ground.run(&["search", "marmalade", "--explain"]);
    assert!(plain.lines().count() < explained.lines().count(), "{explained}");
    for line in plain.lines() {
        assert!(explained.contains(line), "{line}\n{explained}");
    }
}

/// The project's own index: no variable, nothing configured.
fn in_project(ground: &Ground, folder: &str, arguments: &[&str]) -> String {
    let mut command = ground.command(arguments);
    let output = command.env_remove("RAG_DB").current_dir(ground.path(folder)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn each_work_tree_has_an_index_of_its_own() {
    let ground = Ground::with(&[("a.md", "only here\n"), ("deep/b.md", "deep down\n")]);
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x@localhost"])
            .args(arguments)
            .current_dir(ground.tree())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    git(&["worktree", "add", "-q", "-b", "side", "../other tree"]);
    std::fs::write(ground.path("other tree/c.md"), "only there\n").unwrap();

    // The project is indexed, wherever in it one is.
    assert!(in_project(&ground, "tree/deep", &["index"]).contains("files=2 "));
    assert!(in_project(&ground, "other tree", &["index"]).contains("files=3 "));
    assert!(in_project(&ground, "tree", &["search", "only there"]).contains("a.md"));
    assert!(!in_project(&ground, "tree", &["search", "only there"]).contains("c.md"));
    assert!(in_project(&ground, "other tree", &["search", "only there"]).contains("1. c.md"));
    // The files of an index lie in the data folder, and nothing in the project.
    let data = ground.path("home/.local/share/hostler/projects");
    let projects: Vec<_> = std::fs::read_dir(data).unwrap().collect();
    assert_eq!(projects.len(), 1);
    assert!(!ground.path("tree/.hostler").exists());
}

#[test]
fn the_configuration_names_database_and_what_to_leave_out() {
    let ground = Ground::with(&[
        ("a.md", "words\n"),
        ("private/b.md", "words\n"),
        (".hostler/config.toml", "[rag]\ndb = \".hostler/rag.db\"\nignore = [\"private/\"]\n"),
    ]);
    let said = in_project(&ground, "tree", &["index"]);
    assert!(said.contains("files=2 ") && said.contains("also passed over: 1 ignored"), "{said}");
    assert!(ground.path("tree/.hostler/rag.db").is_file());
    // The index does not index itself.
    assert!(in_project(&ground, "tree", &["status"]).contains("stale_files: 0\n"));
    assert!(in_project(&ground, "tree", &["index"]).contains("skipped_binary=0 "));
}
