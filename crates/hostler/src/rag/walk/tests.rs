#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;

use super::*;

fn tree(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, path).unwrap();
    }
    folder
}

fn paths(walked: &Walked) -> Vec<String> {
    (0..walked.len()).filter_map(|it| walked.get(it)).map(|it| it.path.to_owned()).collect()
}

fn walk_of(folder: &tempfile::TempDir) -> Walked {
    walk(&fs::canonicalize(folder.path()).unwrap(), &[], Path::new("/nowhere/index.db"), &|| false)
}

#[test]
fn paths_come_sorted_by_their_bytes() {
    let folder = tree(&["a/b.txt", "a-b/c.txt", "a.txt", "a/b/c.txt", "a/b-c", "a0", "a/é.txt", "Z"]);
    let walked = walk_of(&folder);
    let mut sorted = paths(&walked);
    sorted.sort();
    assert_eq!(paths(&walked), sorted);
    assert_eq!(walked.len(), 8);
}

#[test]
fn wide_and_deep_trees_come_in_the_same_order_whoever_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = Vec::new();
    for wide in 0..60 {
        let mut path = format!("{wide}");
        for deep in 0..wide % 7 {
            path = format!("{path}/{deep}");
        }
        fs::create_dir_all(folder.path().join(&path)).unwrap();
        for file in ["a", "b.txt"] {
            expected.push(format!("{path}/{file}"));
            fs::write(folder.path().join(&path).join(file), "x").unwrap();
        }
    }
    expected.sort();
    for _ in 0..20 {
        assert_eq!(paths(&walk_of(&folder)), expected);
    }
}

// @traces RAG-003
#[test]
fn what_is_passed_over_is_counted_by_cause() {
    let folder = tree(&[
        "src/main.rs",
        "yarn.lock",
        "node_modules/x/index.js",
        "deep/target/debug/x.txt",
        "notes.log",
        ".env",
        ".env.example",
        "deploy/.aws/credentials",
        ".gitignore",
        ".github/workflow.yml",
    ]);
    fs::write(folder.path().join(".gitignore"), "*.log\n").unwrap();
    fs::write(folder.path().join("large.txt"), vec![b'x'; 512 * 1024 + 1]).unwrap();
    fs::write(folder.path().join("just.txt"), vec![b'x'; 512 * 1024]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", folder.path().join("loop")).unwrap();
    let walked = walk_of(&folder);
    assert_eq!(
        paths(&walked),
        [".env.example", ".github/workflow.yml", ".gitignore", "just.txt", "src/main.rs"]
    );
    let expected = Passed {
        names: 1,
        secrets: 2,
        large: 1,
        ignored: 1,
        folders: 2,
        links: u64::from(cfg!(unix)),
        unreadable: 0,
    };
    assert_eq!(walked.passed, expected);
}

#[test]
fn an_ignore_file_can_ask_for_what_is_passed_over_by_its_name() {
    let folder = tree(&["bin/tool.sh", "build/made.txt", "yarn.lock", ".hostlerignore"]);
    fs::write(folder.path().join(".hostlerignore"), "!bin/\n!yarn.lock\n").unwrap();
    assert_eq!(paths(&walk_of(&folder)), [".hostlerignore", "bin/tool.sh", "yarn.lock"]);
}

#[test]
fn a_folder_that_git_tracks_is_no_build_output() {
    let folder = tree(&["src/session/open.rs", "session/state.md", "bin/made"]);
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        assert!(command.current_dir(folder.path()).args(arguments).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "src"]);
    assert_eq!(paths(&walk_of(&folder)), ["src/session/open.rs"]);
}

#[test]
fn another_work_tree_is_not_gone_into() {
    let folder = tree(&["a.rs", "trees/one/a.rs", "trees/one/.git", "sub/b.rs", "sub/.git"]);
    fs::write(folder.path().join("trees/one/.git"), "gitdir: /home/p/.git/worktrees/one\n").unwrap();
    fs::write(folder.path().join("sub/.git"), "gitdir: ../.git/modules/sub\n").unwrap();
    assert_eq!(paths(&walk_of(&folder)), ["a.rs", "sub/b.rs"]);
}

#[test]
#[cfg(unix)]
fn names_that_are_no_text_lead_back_to_their_file() {
    use std::os::unix::ffi::OsStringExt;
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let name = OsString::from_vec(b"caf\xe9 \xff.txt".to_vec());
    fs::write(root.join(&name), "text").unwrap();
    fs::write(root.join("plain\\x41.txt"), "text").unwrap();
    let walked = walk(&root, &[], Path::new("/nowhere/index.db"), &|| false);
    assert_eq!(paths(&walked), ["caf\\xe9 \\xff.txt", "plain\\x41.txt"]);
    assert_eq!(file_of(&root, "caf\\xe9 \\xff.txt"), root.join(&name));
    assert_eq!(file_of(&root, "plain\\x41.txt"), root.join("plain\\x41.txt"));
}

#[test]
fn the_index_is_no_part_of_what_it_is_of() {
    let folder = tree(&["rag.db", "rag.db-wal", "rag.db.lock", "rag.dbx", "a/rag.db"]);
    let root = fs::canonicalize(folder.path()).unwrap();
    let walked = walk(&root, &[], &root.join("rag.db"), &|| false);
    assert_eq!(paths(&walked), ["a/rag.db", "rag.dbx"]);
}

#[test]
fn extensions_are_those_of_names() {
    for (path, expected) in [
        ("a/b.PNG", true),
        ("a.tar.gz", true),
        (".db", false),
        ("x.db/readme", false),
        ("main.rs", false),
        ("icon.svg", false),
        ("a", false),
        ("zip", false),
    ] {
        assert_eq!(is_foreign_extension(path), expected, "{path}");
    }
}
