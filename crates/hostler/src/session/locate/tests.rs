#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;

use super::*;

const RECORD: &str = "{\"state\": {}, \"session_history\": []}";

/// A folder with these files, links resolved.
fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (folder, root)
}

/// Asserts which file counts in `cwd`, below the folder with these files.
#[track_caller]
fn check(files: &[(&str, &str)], cwd: &str, expected: Option<&str>) {
    let (_folder, root) = world(files);
    let cwd = root.join(cwd);
    fs::create_dir_all(&cwd).unwrap();
    let found = locate(&cwd, &Project::find(&cwd), None);
    assert_eq!(found, expected.map(|it| root.join(it)), "{files:?}");
}

// @traces REQ-020-015
#[test]
fn the_nearest_record_at_or_above_the_working_directory_counts() {
    let head = ("shop/.git/HEAD", "ref: refs/heads/main\n");
    let top = ("shop/context.json", RECORD);
    let inner = ("shop/web/context.json", RECORD);
    check(&[head, top], "shop", Some("shop/context.json"));
    check(&[head, top], "shop/src/deep/er", Some("shop/context.json"));
    check(&[head, top, inner], "shop/web/src", Some("shop/web/context.json"));
    check(&[head, top, inner], "shop/src", Some("shop/context.json"));
    check(&[head], "shop/src", None);
    check(&[head, inner], "shop", None);
    // What stands above the project is another one's.
    check(&[head, ("context.json", RECORD)], "shop/src", None);
    // Nor does a record of the repository around it count in a nested one.
    check(&[head, top, ("shop/vendor/lib/.git/HEAD", "ref: refs/heads/main\n")], "shop/vendor/lib", None);
    // Without a repository the file itself says where the project begins.
    check(&[("notes/context.json", RECORD)], "notes/a/b", Some("notes/context.json"));
    check(&[("notes/.hostler/config.toml", ""), ("context.json", RECORD)], "notes/a", Some("context.json"));
}

fn dirs(root: &Path) -> Dirs {
    let at = |name: &str| root.join(name);
    Dirs { home: at("home"), config: at("config"), state: at("state"), data: at("data") }
}

#[test]
fn a_file_of_another_kind_under_the_name_is_not_the_record() {
    let head = ("shop/.git/HEAD", "ref: refs/heads/main\n");
    let check = |text: &str, ours: bool, known: bool| {
        check(&[head, ("shop/context.json", text)], "shop", ours.then_some("shop/context.json"));
        // What we have written before is ours, unless it is somebody else's by now.
        let (_folder, root) = world(&[head]);
        let (cwd, dirs) = (root.join("shop"), dirs(&root));
        let project = Project::find(&cwd);
        let sessions = Sessions::new(&project, &dirs);
        sessions.store.create(hostler_ledger::context::State::default()).unwrap();
        fs::write(&sessions.file, text).unwrap();
        assert_eq!(locate(&cwd, &project, Some(&dirs)).is_some(), known, "{text}");
    };
    check("{\"schema_version\": 1}", true, true);
    check("{ \"session_history\" : [] }", true, true);
    check(&format!("{{\"a\": \"{}\", \"state\": {{\"session\": 4}}}}", "x".repeat(9_000)), true, true);
    check("{\"locale\": \"de\", \"theme\": {}}", false, false);
    check("{\"address\": {\"state\": \"NY\"}}", false, false);
    check("{\"schema_version\": \"2.0\", \"components\": []}", false, false);
    check("{\"state\": \"draft\", \"doc\": {}}", false, false);
    check("[1, 2]", false, false);
    // Cut short: what is left shows whose it was.
    check("{\"state\": {\"session\": 4", true, true);
    check("{\"deferred_work\": [", true, true);
    // Emptied or overwritten: nothing shows it.
    check("", false, true);
    check("\0\0\0\0", false, true);
    check("hello", false, true);
    check("// config\n{\"name\": \"x\", \"list\": [1, 2,]}", false, true);
    check(&"x".repeat(5_000), false, true);
}

const LINKED: [(&str, &str); 5] = [
    ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
    ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n"),
    ("main/.git/worktrees/tree/commondir", "../..\n"),
    ("main/.git/HEAD", "ref: refs/heads/main\n"),
    ("main/.git/config", "[core]\n\tbare = false\n[remote \"x\"]\n\tbare = true\n"),
];

#[test]
fn work_trees_share_the_record_of_the_main_one() {
    let main = ("main/context.json", RECORD);
    let own = ("tree/context.json", RECORD);
    let inner = ("main/web/context.json", RECORD);
    let with = |more: &[(&'static str, &'static str)]| [&LINKED[..], more].concat();
    check(&with(&[main]), "tree/src", Some("main/context.json"));
    check(&with(&[main, own]), "tree/src", Some("main/context.json"));
    check(&with(&[main, inner]), "tree/web/src", Some("main/web/context.json"));
    check(&with(&[main]), "main/src", Some("main/context.json"));
    check(&with(&[own]), "tree/src", Some("tree/context.json"));
    check(&LINKED, "tree", None);
}

#[test]
fn each_work_tree_of_a_bare_repository_keeps_its_own() {
    for config in ["[core]\n\tbare = true\n", "[Core]\nBARE\n", "[core]\n  bare=1\n"] {
        let mut files = LINKED.to_vec();
        files[4].1 = config;
        files.extend([("main/context.json", RECORD), ("tree/context.json", RECORD)]);
        check(&files, "tree/src", Some("tree/context.json"));
    }
    let bare = [
        ("tree/.git", "gitdir: ../shop.git/worktrees/tree\n"),
        ("shop.git/worktrees/tree/HEAD", "ref: refs/heads/side\n"),
        ("shop.git/worktrees/tree/commondir", "../..\n"),
        ("context.json", RECORD),
        ("tree/context.json", RECORD),
    ];
    check(&bare, "tree", Some("tree/context.json"));
}

#[test]
fn the_evidence_is_the_same_from_every_folder_and_work_tree() {
    let state = |root: &Path, cwd: &str| {
        let dirs = dirs(root);
        let cwd = root.join(cwd);
        fs::create_dir_all(&cwd).unwrap();
        let sessions = Sessions::find(&cwd, &Project::find(&cwd), &dirs, &Config::default()).unwrap();
        sessions.state
    };
    let (_folder, root) = world(&[&LINKED[..], &[("main/context.json", RECORD)]].concat());
    assert_eq!(state(&root, "tree/src"), state(&root, "main"));
    let (_folder, root) = world(&[("notes/context.json", RECORD)]);
    assert_eq!(state(&root, "notes/a/b"), state(&root, "notes"));
}

#[test]
fn the_configuration_narrows_where_sessions_are_kept() {
    let check = |paths: &[&str], root: &str, expected: bool| {
        let paths: Vec<String> = paths.iter().map(|it| (*it).to_owned()).collect();
        let active = is_active(Path::new(root), &paths, Some(Path::new("/home/dev")));
        assert_eq!(active, expected, "{paths:?} {root}");
    };
    check(&[], "/home/dev/shop", true);
    check(&["~/code"], "/home/dev/code/shop", true);
    check(&["~/code/"], "/home/dev/code", true);
    check(&["~/code"], "/home/dev/codeshop", false);
    check(&["/srv/*"], "/srv/a/b", true);
    check(&["*orchestra*"], "/home/dev/my-orchestra-2/web", true);
    check(&["*orchestra*"], "/home/dev/shop", false);
    check(&["clients/acme"], "/home/dev/clients/acme/shop", true);
    check(&["nowhere", "shop"], "/home/dev/shop", true);
    check(&["[broken"], "/home/dev/shop", false);
}
