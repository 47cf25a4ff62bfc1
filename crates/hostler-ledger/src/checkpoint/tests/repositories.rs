use super::*;

/// The scenario of every check below: keep a path, lose it, restore it. The user's side of the repository
/// must be the same bytes after each step, and the file the same bytes as before.
#[track_caller]
fn check(lab: &Lab, path: &str) {
    let user = lab.user_state();
    let status = lab.run(&["status", "--porcelain=v2", "--branch", "--ignored"]);
    let before = files_below(&lab.root);
    let id = lab.keep(&[path]);
    assert_eq!(lab.user_state(), user, "after keeping");
    assert_eq!(lab.run(&["status", "--porcelain=v2", "--branch", "--ignored"]), status);
    lab.remove(path);
    lab.restore(&id, &[]);
    assert_eq!(lab.user_state(), user, "after restoring");
    let outside = |mut all: BTreeMap<PathBuf, String>| {
        all.retain(|path, _| !path.starts_with(".git"));
        all
    };
    assert_eq!(outside(files_below(&lab.root)), outside(before));
    assert_eq!(lab.run(&["stash", "list"]), "");
}

#[test]
fn staged_unstaged_and_untracked_changes() {
    let lab = Lab::git();
    lab.write("kept.txt", "staged\n");
    lab.run(&["add", "kept.txt"]);
    lab.write("kept.txt", "staged\nand not\n");
    lab.write("untracked.txt", "u");
    check(&lab, "kept.txt");
    check(&lab, "untracked.txt");
}

#[test]
fn a_stash_stays_as_it_is() {
    let lab = Lab::git();
    lab.write("kept.txt", "stashed\n");
    lab.run(&["stash"]);
    let (user, list) = (lab.user_state(), lab.run(&["stash", "list"]));
    lab.keep(&["kept.txt"]);
    assert_eq!((lab.user_state(), lab.run(&["stash", "list"])), (user, list.clone()));
    assert_ne!(list, "");
}

#[test]
fn an_unborn_branch() {
    let lab = Lab::plain();
    lab.run(&["init", "--quiet"]);
    lab.write("first.txt", "first");
    lab.run(&["add", "first.txt"]);
    check(&lab, "first.txt");
    assert_eq!(lab.find("361ac4e6/1").header.head, None);
}

#[test]
fn a_detached_head() {
    let lab = Lab::git();
    lab.run(&["checkout", "--quiet", "--detach"]);
    check(&lab, "kept.txt");
    let head = lab.run(&["rev-parse", "HEAD"]);
    assert_eq!(lab.find("361ac4e6/1").header.head.as_deref(), Some(head.trim()));
}

#[test]
fn a_merge_in_progress_keeps_the_conflict_markers() {
    let lab = Lab::git();
    lab.run(&["checkout", "--quiet", "-b", "other"]);
    lab.commit("kept.txt", "other\n");
    lab.run(&["checkout", "--quiet", "main"]);
    lab.commit("kept.txt", "ours\n");
    let merge = git_command(&lab.home, &lab.root).args(["merge", "other"]).output().unwrap();
    assert!(!merge.status.success());
    assert!(lab.read("kept.txt").contains("<<<<<<<"));
    check(&lab, "kept.txt");
    assert_eq!(lab.run(&["ls-files", "--unmerged"]).lines().count(), 3);
    assert!(lab.path(".git/MERGE_HEAD").is_file());
}

#[test]
fn a_held_index_lock() {
    let lab = Lab::git();
    lab.write(".git/index.lock", "");
    check(&lab, "kept.txt");
    assert!(lab.path(".git/index.lock").is_file());
}

#[test]
fn a_signature_program_that_cannot_sign_is_not_asked() {
    let lab = Lab::git();
    for (name, value) in [("commit.gpgSign", "true"), ("gpg.program", "/bin/false"), ("user.signingKey", "x")]
    {
        lab.run(&["config", name, value]);
    }
    check(&lab, "kept.txt");
}

#[test]
fn no_identity_is_needed() {
    let lab = Lab::git();
    lab.run(&["config", "user.useConfigOnly", "true"]);
    check(&lab, "kept.txt");
    let made_by = lab.run(&["log", "-1", "--format=%an <%ae> %ct", &lab.references()[0]]);
    assert_eq!(made_by, "hostler <hostler@localhost> 1700000000\n");
}

/// No hook runs for a checkpoint, wherever hooks are configured, and no reflog is made.
// @traces 021-CONST-VIII-008
#[test]
fn no_hook_runs_and_no_reflog_is_made() {
    let lab = Lab::git();
    let marker = lab.home.join("a-hook-ran");
    let names = [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-auto-gc",
        "post-index-change",
        "post-checkout",
        "post-rewrite",
        "reference-transaction",
        "update",
        "post-update",
        "pre-push",
    ];
    for name in names {
        script(&lab.path(".git/hooks").join(name), &format!("echo {name} >> '{}'", marker.display()));
    }
    let id = lab.keep(&["kept.txt"]);
    for name in names {
        script(&lab.home.join("hooks").join(name), &format!("echo {name} >> '{}'", marker.display()));
    }
    lab.run(&["config", "core.hooksPath", lab.home.join("hooks").to_str().unwrap()]);
    lab.run(&["config", "core.logAllRefUpdates", "always"]);
    lab.keep(&["kept.txt"]);
    lab.write("kept.txt", "changed");
    lab.restore(&id, &[]);
    let keep = super::super::Keep { age_ms_max: 0, bytes_max: u64::MAX };
    let pruned = lab.vault(|vault| vault.prune(&keep, NOW_MS + 1, false)).unwrap();
    assert_eq!(pruned.removed.len(), 3);
    assert!(!marker.exists(), "{}", std::fs::read_to_string(&marker).unwrap());
    assert!(!lab.path(".git/logs/refs/hostler").exists());
    // The hooks do work: the user's own commands run them.
    lab.run(&["update-ref", "refs/heads/probe", "HEAD"]);
    assert!(marker.exists());
}

#[test]
fn line_ending_conversion_does_not_change_what_is_kept() {
    let lab = Lab::git();
    lab.run(&["config", "core.autocrlf", "true"]);
    lab.write(".gitattributes", "*.txt text eol=crlf\n*.enc working-tree-encoding=UTF-16\n");
    lab.write("dos/mixed.txt", "one\r\ntwo\nthree\r\n");
    lab.write("dos/wide.enc", [0xff, 0xfe, b'a', 0]);
    check(&lab, "dos");
}

/// Measured: with a failing required filter `git add` fails and `write-tree` still gives the empty tree.
#[test]
fn filters_are_not_run() {
    let lab = Lab::git();
    let marker = lab.home.join("filter-ran");
    let touch = format!("touch '{}'; false", marker.display());
    for (name, value) in [
        ("filter.broken.clean", touch.as_str()),
        ("filter.broken.smudge", touch.as_str()),
        ("filter.broken.process", touch.as_str()),
        ("filter.broken.required", "true"),
    ] {
        lab.run(&["config", name, value]);
    }
    lab.write(".gitattributes", "*.bin filter=broken\n");
    lab.write("data/a.bin", "not filtered");
    let id = lab.keep(&["data"]);
    lab.remove("data");
    lab.restore(&id, &[]);
    assert_eq!(lab.read("data/a.bin"), "not filtered");
    assert!(!marker.exists());
}

#[test]
fn lfs_pointers_and_contents_are_kept_as_they_are_on_disk() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n";
    let lab = Lab::git();
    lab.write(".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n");
    lab.run(&["config", "filter.lfs.clean", "/nonexistent/git-lfs clean -- %f"]);
    lab.run(&["config", "filter.lfs.required", "true"]);
    lab.write("art/pointer.psd", pointer);
    lab.write("art/fetched.psd", [0u8, 1, 2, 255]);
    let id = lab.keep(&["art"]);
    lab.remove("art");
    lab.restore(&id, &[]);
    assert_eq!(lab.read("art/pointer.psd"), pointer);
    assert!(!lab.path(".git/lfs").exists());
}

/// Measured: a copied index records the old content of such files.
#[test]
fn files_that_the_index_looks_away_from() {
    let lab = Lab::git();
    lab.commit("skipped.txt", "committed\n");
    lab.run(&["update-index", "--assume-unchanged", "kept.txt"]);
    lab.run(&["update-index", "--skip-worktree", "skipped.txt"]);
    lab.write("kept.txt", "changed behind the index\n");
    lab.write("skipped.txt", "this too\n");
    check(&lab, "kept.txt");
    check(&lab, "skipped.txt");
    assert_eq!(lab.read("kept.txt"), "changed behind the index\n");
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let lab = Lab::git();
    lab.commit("in/a.txt", "a\n");
    lab.commit("out/b.txt", "b\n");
    lab.run(&["sparse-checkout", "set", "--cone", "in"]);
    assert!(!lab.path("out/b.txt").exists());
    check(&lab, "in");
    assert!(!lab.path("out").exists());
    // Left over outside the cone: on disk all the same.
    lab.write("out/left.txt", "left");
    check(&lab, "out");
}

#[test]
fn a_nested_repository_is_kept_with_its_history() {
    let lab = Lab::git();
    for (name, commit) in [("vendor/with-commits", true), ("vendor/without", false)] {
        let nested = lab.path(name);
        std::fs::create_dir_all(&nested).unwrap();
        git(&lab.home, &nested, &["init", "--quiet", "--initial-branch=main"]);
        std::fs::write(nested.join("code.txt"), "code\n").unwrap();
        if commit {
            git(&lab.home, &nested, &["add", "."]);
            git(&lab.home, &nested, &["commit", "--quiet", "--message=nested work"]);
            std::fs::write(nested.join("code.txt"), "code\nnot committed\n").unwrap();
        }
    }
    let nested = lab.path("vendor/with-commits");
    let status = git(&lab.home, &nested, &["status", "--porcelain=v2", "--branch"]);
    check(&lab, "vendor");
    assert_eq!(git(&lab.home, &nested, &["log", "--format=%s"]), "nested work\n");
    assert_eq!(git(&lab.home, &nested, &["status", "--porcelain=v2", "--branch"]), status);
    git(&lab.home, &nested, &["fsck", "--strict"]);
    lab.run(&["fsck", "--strict", "--no-dangling"]);
}

fn with_submodule() -> Lab {
    let lab = Lab::git();
    let library = lab.home.join("library");
    std::fs::create_dir_all(&library).unwrap();
    git(&lab.home, &library, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(library.join("lib.txt"), "lib\n").unwrap();
    git(&lab.home, &library, &["add", "."]);
    git(&lab.home, &library, &["commit", "--quiet", "--message=lib"]);
    lab.run(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    lab.run(&["commit", "--quiet", "--message=submodule"]);
    lab.write("sub/lib.txt", "dirty\n");
    lab
}

#[test]
fn a_submodule_is_kept_with_its_uncommitted_changes() {
    let lab = with_submodule();
    check(&lab, "sub/lib.txt");
    check(&lab, "sub");
    assert_eq!(lab.read("sub/lib.txt"), "dirty\n");
    assert_eq!(git(&lab.home, &lab.path("sub"), &["log", "--format=%s"]), "lib\n");
}

#[test]
fn work_inside_a_submodule_is_kept_in_the_submodule() {
    let mut lab = with_submodule();
    let outer = lab.root.clone();
    lab.root = lab.path("sub");
    check(&lab, "lib.txt");
    assert_eq!(lab.references().len(), 1);
    assert_eq!(git(&lab.home, &outer, &["for-each-ref", super::super::git::REFS]), "");
}

#[test]
fn linked_work_trees_share_references_without_colliding() {
    let mut lab = Lab::git();
    let main = lab.root.clone();
    let linked = lab.home.join("linked tree");
    lab.run(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    lab.write("kept.txt", "in main");
    std::fs::write(linked.join("kept.txt"), "in linked").unwrap();
    check(&lab, "kept.txt");
    lab.root.clone_from(&linked);
    check(&lab, "kept.txt");
    let expected = ["1", "2.linked-tree-"].map(|it| format!("refs/hostler/checkpoints/{SESSION}/{it}"));
    assert_eq!(lab.references(), expected);

    // Each restores where it was made, from wherever it is asked for.
    std::fs::write(linked.join("kept.txt"), "lost").unwrap();
    std::fs::write(main.join("kept.txt"), "lost").unwrap();
    lab.restore("361ac4e6/1", &[]);
    assert_eq!(std::fs::read_to_string(main.join("kept.txt")).unwrap(), "in main");
    lab.root.clone_from(&main);
    lab.restore("361ac4e6/2", &[]);
    assert_eq!(std::fs::read_to_string(linked.join("kept.txt")).unwrap(), "in linked");
}

#[test]
fn a_work_tree_inside_the_project_is_kept_like_any_folder() {
    let lab = Lab::git();
    lab.run(&["worktree", "add", "--quiet", "-b", "agent", ".claude/worktrees/agent"]);
    lab.write(".claude/worktrees/agent/kept.txt", "agent's work");
    let id = lab.keep(&[".claude/worktrees/agent"]);
    lab.remove(".claude/worktrees/agent");
    lab.restore(&id, &[]);
    let status = git(&lab.home, &lab.path(".claude/worktrees/agent"), &["status", "--porcelain"]);
    assert_eq!(status, " M kept.txt\n");
}

#[test]
fn work_trees_of_a_bare_repository() {
    let mut lab = Lab::git();
    let bare = lab.home.join("bare.git");
    lab.run(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    for config in [
        ["extensions.worktreeConfig", "true"].as_slice(),
        &["--unset", "core.bare"],
        &["--worktree", "core.bare", "true"],
    ] {
        git(&lab.home, &bare, &[&["config"], config].concat());
    }
    let tree = lab.home.join("tree");
    git(&lab.home, &bare, &["worktree", "add", "--quiet", tree.to_str().unwrap(), "main"]);
    lab.root = tree;
    lab.write("kept.txt", "work");
    check(&lab, "kept.txt");
}

#[test]
fn the_project_may_move() {
    let mut lab = Lab::git();
    let id = lab.keep(&["kept.txt"]);
    lab.remove("kept.txt");
    let moved = lab.home.join("moved");
    std::fs::rename(&lab.root, &moved).unwrap();
    lab.root = moved;
    lab.restore(&id, &[]);
    assert_eq!(lab.read("kept.txt"), "kept\n");
}

#[test]
fn other_object_and_reference_formats() {
    for init in ["--object-format=sha256", "--ref-format=reftable", "--shared=group"] {
        let probe = tempfile::tempdir().unwrap();
        let known = git_command(probe.path(), probe.path()).args(["init", "--quiet", init]).output().unwrap();
        if !known.status.success() {
            assert!(std::env::var_os("HOSTLER_REQUIRE_ALL").is_none(), "git without `{init}`");
            std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("skipped: git without `{init}`\n").as_bytes(),
            )
            .unwrap();
            continue;
        }
        let lab = Lab::git_with(&[init]);
        lab.write("dir/file.txt", init);
        if init.contains("reftable") {
            // Its files hold our references as well: compared by what the user sees.
            let id = lab.keep(&["dir"]);
            lab.remove("dir");
            lab.restore(&id, &[]);
            assert_eq!(lab.read("dir/file.txt"), init);
        } else {
            check(&lab, "dir");
        }
        assert_eq!(lab.references().len(), 1, "{init}");
        lab.run(&["fsck", "--strict", "--no-dangling"]);
    }
}

#[test]
fn objects_may_come_from_another_repository() {
    let mut lab = Lab::git();
    let source = lab.root.clone();
    let clone = lab.home.join("clone");
    lab.run(&["clone", "--quiet", "--shared", source.to_str().unwrap(), clone.to_str().unwrap()]);
    lab.root = clone;
    check(&lab, "kept.txt");
    assert_eq!(git(&lab.home, &source, &["for-each-ref", super::super::git::REFS]), "");
}

/// The user's collection keeps what a reference of ours names, and neither clones nor plain pushes carry it.
#[test]
fn checkpoints_survive_a_collection_and_stay_at_home() {
    let lab = Lab::git();
    for index in 0..150 {
        lab.write(&format!("many/{index}.txt"), format!("{index}"));
    }
    let many = lab.keep(&["many"]);
    let one = lab.keep(&["kept.txt"]);
    lab.run(&["gc", "--quiet", "--prune=now"]);
    lab.run(&["reflog", "expire", "--expire=now", "--all"]);
    lab.run(&["gc", "--quiet", "--prune=now"]);
    lab.remove("many");
    lab.remove("kept.txt");
    assert_eq!(lab.restore(&many, &[]).written.len(), 150);
    assert_eq!(lab.restore(&one, &[]).written.len(), 1);
    assert_eq!(lab.run(&["log", "--branches", "--format=%s"]), "kept.txt\n");

    let remote = lab.home.join("remote.git");
    lab.run(&["clone", "--quiet", "--bare", ".", remote.to_str().unwrap()]);
    lab.run(&["push", "--quiet", "--all", remote.to_str().unwrap()]);
    let there = |it: &Path| git(&lab.home, it, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(there(&remote), "refs/heads/main\n");
    // The one way they get out, told in the documentation.
    lab.run(&["push", "--quiet", "--mirror", remote.to_str().unwrap()]);
    assert!(there(&remote).contains(super::super::git::REFS));
}

/// Inside a git hook these variables are set, and would make git write into the user's index.
#[test]
fn variables_of_git_are_ignored() {
    let elsewhere = "/nonexistent/elsewhere";
    let own = in_own_process("repositories::variables_of_git_are_ignored", |command| {
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"] {
            command.env(name, elsewhere);
        }
        command.env("GIT_TRACE", "1").env("GIT_AUTHOR_DATE", "not a date").env("GIT_CONFIG_COUNT", "x");
    });
    if own {
        assert!(std::env::var_os("GIT_INDEX_FILE").is_some());
        check(&Lab::git(), "kept.txt");
    }
}

/// Settings of the user's that would change or break what is stored.
#[test]
fn settings_of_the_user_are_ignored() {
    let lab = Lab::git();
    std::fs::write(lab.home.join("trace.txt"), "").unwrap();
    let config = "[core\nthis is not a configuration";
    let own = in_own_process("repositories::settings_of_the_user_are_ignored", |command| {
        std::fs::write(lab.home.join(".gitconfig"), config).unwrap();
        command.env("HOME", &lab.home);
    });
    if own {
        let lab = Lab::git();
        lab.run(&["config", "core.compression", "0"]);
        lab.run(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
        lab.run(&["config", "i18n.logOutputEncoding", "ISO-8859-1"]);
        lab.run(&["config", "fastimport.unpackLimit", "1"]);
        lab.write("ümläut/日本.txt", "x");
        check(&lab, "ümläut");
        let packs = std::fs::read_dir(lab.path(".git/objects/pack")).unwrap().count();
        assert_eq!(packs, 0, "a pack per checkpoint slows every later command");
    }
}
