use std::os::unix::process::CommandExt;
use std::time::Instant;

use super::*;

fn said(result: Result<Created, Error>) -> String {
    match result {
        Ok(created) => format!("{created:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn home_roots_and_the_repository_itself_are_refused() {
    let lab = Lab::git();
    let home = lab.home.display().to_string();
    let root = lab.root.display().to_string();
    let wide = "it is the home folder, or holds it; name the files, or work in a project folder";
    let itself = "it is the repository itself";
    let cases = [
        ("/".to_owned(), "it is the root of the file system"),
        (home.clone(), wide),
        (format!("{home}/."), wide),
        (format!("{root}/../../home"), wide),
        (lab.folder.path().display().to_string(), wide),
        (format!("{root}/.git"), itself),
        (format!("{root}/.git/config"), itself),
        (format!("{home}/state/checkpoints"), "it is hostler's own folder"),
        ("relative.txt".to_owned(), "it is not an absolute path"),
    ];
    std::fs::create_dir_all(lab.state()).unwrap();
    for (path, why) in cases {
        let said = said(lab.create_at(&[lab.path("kept.txt"), PathBuf::from(&path)], None));
        assert!(said.starts_with("no checkpoint of `") && said.ends_with(why), "{path}: {said}");
    }
    assert_eq!(lab.references(), Vec::<String>::new());
}

#[test]
fn a_home_folder_is_no_project() {
    let mut lab = Lab::plain();
    lab.root = lab.home.clone();
    lab.write("file.txt", "x");
    let said = said(lab.create(&["file.txt"]));
    assert!(said.contains("it is the home folder"), "{said}");
}

#[test]
fn the_whole_project_is_kept_without_the_repository() {
    let lab = Lab::git();
    let Created::Checkpoint { files, skipped, .. } = lab.create(&["."]).unwrap() else { panic!() };
    assert_eq!((files, skipped.len()), (1, 1));
    assert_eq!(skipped[0], (PathBuf::from(".git"), "it is the repository itself".to_owned()));
}

#[test]
fn too_much_is_an_error_that_names_it() {
    let mut lab = Lab::git();
    lab.write("big/small.txt", "small");
    lab.write("big/large.bin", vec![7; 3 << 20]);
    lab.limits = Limits { bytes_max: 2 << 20, entries_max: 1000 };
    let big = lab.path("big").display().to_string();
    let expected = format!(
        "`{big}` is too large for a checkpoint: more than 2 MiB (largest: `{big}/large.bin`, 3145728 bytes); \
         move it away instead of deleting it, or run the command yourself"
    );
    assert_eq!(said(lab.create(&["kept.txt", "big"])), expected);
    lab.limits = Limits { bytes_max: u64::MAX, entries_max: 10 };
    for index in 0..20 {
        std::fs::create_dir_all(lab.path("many").join(index.to_string())).unwrap();
    }
    assert!(said(lab.create(&["many"])).contains("more than 10 entries"));
    assert_eq!(lab.references(), Vec::<String>::new());
    // The number was not used up.
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6/1");
}

/// Any failure of git's means no reference, and nothing of the failure stays in the repository.
#[test]
fn a_failing_git_leaves_no_reference_and_no_debris() {
    let lab = Lab::git();
    lab.write("new.txt", "not stored yet");
    // A reference where a folder of references must be.
    lab.run(&["update-ref", "refs/hostler/checkpoints", "HEAD"]);
    let (user, objects) = (lab.user_state(), lab.path(".git/objects/pack"));
    let error = lab.create(&["new.txt"]).unwrap_err();
    assert!(matches!(error, Error::Git { command: "fast-import", .. }), "{error}");
    assert_eq!(lab.user_state(), user);
    assert_eq!(std::fs::read_dir(objects).unwrap().count(), 0);
    assert_eq!(
        lab.run(&["for-each-ref", "--format=%(refname)", "refs/hostler"]),
        "refs/hostler/checkpoints\n"
    );
}

/// An object store that cannot take objects: git's own words are in the error.
#[test]
fn a_broken_object_store_is_an_error() {
    let lab = Lab::git();
    lab.remove(".git/objects");
    lab.write(".git/objects", "no folder");
    let error = lab.create(&["kept.txt"]).unwrap_err();
    assert!(matches!(error, Error::Git { .. }), "{error}");
    assert!(!lab.path(".git/refs/hostler").exists());
}

#[test]
fn a_used_number_is_not_overwritten() {
    let lab = Lab::git();
    let first = lab.keep(&["kept.txt"]);
    let name = lab.references().remove(0);
    let commit = lab.run(&["rev-parse", &name]);
    let counter = lab.state().join("checkpoints").join(SESSION).join("sequence.json");
    std::fs::write(counter, r#"{"last":0,"calls":[]}"#).unwrap();
    lab.write("kept.txt", "changed");
    let error = lab.create(&["kept.txt"]).unwrap_err();
    assert!(matches!(error, Error::Git { .. }), "{error}");
    assert_eq!(lab.run(&["rev-parse", &name]), commit);
    // The next call goes on with a number of its own, and the first is still what it was.
    lab.restore(&first, &[]);
    assert_eq!(lab.read("kept.txt"), "kept\n");
}

#[test]
fn a_read_only_repository_is_named() {
    let test = "failing::a_read_only_repository_is_named";
    let lab = Lab::git();
    let root = is_root(&lab);
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o777);
    // Root may write anywhere, so the test is run by somebody else.
    let own = in_own_process(test, |command| {
        command.env("TMPDIR", folder.path());
        if root {
            command.uid(65534).gid(65534);
        }
    });
    if !own {
        return;
    }
    assert!(!root, "root can write anywhere");
    let objects = lab.path(".git/objects");
    for (path, what) in files_below(&objects) {
        if what.starts_with("folder") {
            set_mode(&objects.join(path), 0o555);
        }
    }
    set_mode(&objects, 0o555);
    lab.write("kept.txt", "not stored yet");
    let expected = format!(
        "the repository `{}` is read-only: no checkpoint can be stored in it",
        lab.path(".git").display()
    );
    assert_eq!(said(lab.create(&["kept.txt"])), expected);
    set_mode(&objects, 0o755);

    set_mode(&lab.path(".git/refs"), 0o555);
    assert_eq!(said(lab.create(&["kept.txt"])), expected);
    set_mode(&lab.path(".git/refs"), 0o755);

    let secret = lab.write("secret/file", "x");
    set_mode(&secret, 0o000);
    assert!(said(lab.create(&["secret"])).starts_with("cannot read `"));
    set_mode(&lab.path("secret"), 0o000);
    assert!(said(lab.create(&["secret"])).starts_with("cannot read `"));
    set_mode(&lab.path("secret"), 0o755);
    assert_eq!(lab.references(), Vec::<String>::new());

    set_mode(&lab.home, 0o555);
    let unwritable = said(lab.create(&["kept.txt"]));
    assert!(lab.state().exists() || unwritable.starts_with("cannot use `"), "{unwritable}");
    set_mode(&lab.home, 0o755);
}

#[test]
fn a_git_that_hangs_is_stopped_at_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    script(&folder.path().join("git"), "echo $$ > \"$HOSTLER_TEST_PROCESS\"; exec sleep 600");
    let own = in_own_process("failing::a_git_that_hangs_is_stopped_at_the_deadline", |command| {
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("HOSTLER_TEST_PROCESS", folder.path().join("process"));
    });
    if !own {
        return;
    }
    let mut lab = Lab::plain();
    lab.write(".git/HEAD", "ref: refs/heads/main\n");
    lab.write("large.bin", vec![1; 4 << 20]);
    lab.deadline = Duration::from_millis(400);
    // The counter is there, so the first process is the one that stores.
    let counter = lab.state().join("checkpoints").join(SESSION);
    std::fs::create_dir_all(&counter).unwrap();
    std::fs::write(counter.join("sequence.json"), r#"{"last":0,"calls":[]}"#).unwrap();
    let start = Instant::now();
    assert_eq!(said(lab.create(&["large.bin"])), "git took longer than 400 ms and was stopped");
    assert!(start.elapsed() < Duration::from_secs(20));
    let process = std::fs::read_to_string(std::env::var("HOSTLER_TEST_PROCESS").unwrap()).unwrap();
    let alive = Command::new("kill").args(["-0", process.trim()]).output().unwrap();
    assert!(!alive.status.success(), "git is still running");
}

#[test]
fn no_time_at_all_is_an_error() {
    let mut lab = Lab::git();
    lab.deadline = Duration::ZERO;
    assert!(matches!(lab.create(&["kept.txt"]), Err(Error::Deadline { .. })));
    assert_eq!(lab.references(), Vec::<String>::new());
}

#[test]
fn git_may_be_missing() {
    let own = in_own_process("failing::git_may_be_missing", |command| {
        command.env("PATH", "/nonexistent");
    });
    if own {
        let lab = Lab::plain();
        lab.write(".git/HEAD", "ref: refs/heads/main\n");
        lab.write("file", "x");
        let said = said(lab.create(&["file"]));
        assert!(said.starts_with("cannot run `git`") && said.ends_with("put it on `PATH`"), "{said}");
    }
}

/// References below ours that somebody else made, or a newer build.
#[test]
fn what_cannot_be_understood_is_told_and_left_alone() {
    let lab = Lab::git();
    lab.keep(&["kept.txt"]);
    let name = lab.references().remove(0);
    lab.run(&["update-ref", "refs/hostler/checkpoints/other/1", "HEAD"]);
    lab.run(&["update-ref", "refs/hostler/checkpoints/copy/7", &name]);
    let tree = lab.run(&["rev-parse", &format!("{name}^{{tree}}")]);
    let newer = lab.run(&["commit-tree", tree.trim(), "-m", "newer\n\n{\"version\":99}"]);
    lab.run(&["update-ref", "refs/hostler/checkpoints/newer/1", newer.trim()]);
    let listing = lab.list();
    assert_eq!(listing.checkpoints.len(), 1);
    let damaged: Vec<&str> = listing.damaged.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(damaged, ["copy/7", "newer/1", "other/1"]);
    assert_eq!(listing.damaged[1].1, "it has version 99, this build reads up to 1; update hostler");
    let error = lab.vault(|vault| vault.find("newer/1")).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}
