use super::*;

/// An edit that went wrong is rolled back from the checkpoint that was made before it.
#[test]
fn an_edit_is_rolled_back_and_the_rollback_too() {
    let lab = Lab::git();
    let id = lab.keep(&["kept.txt"]);
    lab.write("kept.txt", "a bad edit\n");
    assert_eq!(lab.differences(&id), ["Content kept.txt"]);
    let restored = lab.restore(&id, &[]);
    assert_eq!(restored.written, [lab.path("kept.txt")]);
    assert_eq!(lab.read("kept.txt"), "kept\n");
    lab.restore(&restored.before.unwrap(), &[]);
    assert_eq!(lab.read("kept.txt"), "a bad edit\n");
}

/// Ignore rules of then and now have no say: what appeared since is listed and stays.
#[test]
fn nothing_is_ever_deleted() {
    let lab = Lab::git();
    lab.write("src/.gitignore", "old-ignored\n");
    lab.write("src/a.txt", "a");
    lab.write("src/old-ignored", "kept while ignored");
    let id = lab.keep(&["src", "absent-then.txt"]);
    lab.write("src/.gitignore", "new-ignored\n");
    lab.write("src/a.txt", "changed");
    lab.write("src/new-ignored", "1 GB of results");
    lab.write("src/sub/new-untracked", "work");
    lab.write("absent-then.txt", "now here");
    let restored = lab.restore(&id, &[]);
    let appeared = ["absent-then.txt", "src/new-ignored", "src/sub/new-untracked"].map(|it| lab.path(it));
    assert_eq!(restored.appeared, appeared);
    assert_eq!(restored.written, ["src/.gitignore", "src/a.txt"].map(|it| lab.path(it)));
    assert_eq!(lab.read("src/new-ignored"), "1 GB of results");
    assert_eq!(lab.read("src/sub/new-untracked"), "work");
    assert_eq!(lab.read("absent-then.txt"), "now here");
    assert_eq!(lab.read("src/old-ignored"), "kept while ignored");
}

#[test]
fn only_what_differs_is_written() {
    let lab = Lab::git();
    lab.write("src/same.txt", "same");
    lab.write("src/gone.txt", "gone");
    set_mode(&lab.write("src/mode.txt", "mode"), 0o640);
    lab.write("other.txt", "other");
    let id = lab.keep(&["src"]);
    let look = |path: &str| {
        let meta = lab.path(path).metadata().unwrap();
        (meta.ino(), meta.mtime(), meta.mtime_nsec())
    };
    let (same, other) = (look("src/same.txt"), look("other.txt"));
    let mode = look("src/mode.txt");
    lab.remove("src/gone.txt");
    set_mode(&lab.path("src/mode.txt"), 0o777);
    assert_eq!(lab.differences(&id), ["Missing src/gone.txt", "Mode src/mode.txt"]);
    lab.restore(&id, &[]);
    assert_eq!((look("src/same.txt"), look("other.txt"), look("src/mode.txt")), (same, other, mode));
    assert_eq!(lab.path("src/mode.txt").metadata().unwrap().mode() & 0o777, 0o640);
    assert_eq!(lab.differences(&id), Vec::<String>::new());
    assert_eq!(lab.restore(&id, &[]), Restored::default());
}

#[test]
fn one_path_of_several() {
    let lab = Lab::git();
    for path in ["src/a.txt", "src/ab.txt", "src/deep/c.txt"] {
        lab.write(path, path);
    }
    std::fs::create_dir_all(lab.path("src/deep/hollow")).unwrap();
    let id = lab.keep(&["src"]);
    lab.remove("src");
    lab.restore(&id, &["src/a.txt"]);
    assert!(lab.path("src/a.txt").is_file() && !lab.path("src/ab.txt").exists());
    lab.restore(&id, &["src/deep"]);
    assert!(lab.path("src/deep/hollow").is_dir() && !lab.path("src/ab.txt").exists());
}

/// The index and `HEAD` are the user's also when files go back.
#[test]
fn the_index_is_not_touched() {
    let lab = Lab::git();
    lab.write("ignored.log", "x");
    lab.commit(".gitignore", "*.log\n");
    let id = lab.keep(&["ignored.log", "kept.txt"]);
    lab.write("kept.txt", "staged\n");
    lab.run(&["add", "kept.txt"]);
    lab.remove("ignored.log");
    let user = lab.user_state();
    lab.restore(&id, &[]);
    assert_eq!(lab.user_state(), user);
    assert_eq!(lab.run(&["status", "--porcelain"]), "MM kept.txt\n");
    assert_eq!(lab.run(&["show", ":kept.txt"]), "staged\n");
}

#[test]
fn what_stands_in_the_way_is_kept_or_left_alone() {
    let lab = Lab::git();
    lab.write("build/a/one.txt", "one");
    lab.write("build/b.txt", "b");
    lab.write("build/c.txt", "c");
    std::os::unix::fs::symlink("c.txt", lab.path("build/link")).unwrap();
    let id = lab.keep(&["build"]);
    // A file where a folder was, a folder with content and an empty one where files were, a file for a link.
    lab.remove("build/a");
    lab.write("build/a", "now a file");
    lab.remove("build/b.txt");
    lab.write("build/b.txt/inside.txt", "work");
    lab.remove("build/c.txt");
    std::fs::create_dir(lab.path("build/c.txt")).unwrap();
    lab.remove("build/link");
    lab.write("build/link", "now a file");
    let restored = lab.restore(&id, &[]);
    assert_eq!(lab.read("build/a/one.txt"), "one");
    assert_eq!(lab.read("build/c.txt"), "c");
    assert!(lab.path("build/link").is_symlink());
    let conflict = "a folder with content stands there now; move it away and restore again".to_owned();
    assert_eq!(restored.conflicts, [(lab.path("build/b.txt"), conflict)]);
    assert_eq!(lab.read("build/b.txt/inside.txt"), "work");
    assert_eq!(restored.appeared, [lab.path("build/b.txt/inside.txt")]);

    let before = lab.find(&restored.before.unwrap());
    let kept: Vec<PathBuf> =
        lab.vault(|vault| vault.files(&before)).unwrap().into_iter().map(|it| it.path).collect();
    assert_eq!(kept, ["build/a", "build/link"].map(PathBuf::from));
}

/// A link put in the place of a folder must not lead a restore out of the project.
#[test]
fn nothing_is_written_through_a_link() {
    let lab = Lab::git();
    lab.write("src/deep/a.txt", "ours");
    let inner = lab.keep(&["src/deep/a.txt"]);
    let outer = lab.keep(&["src"]);
    let elsewhere = lab.home.join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("deep")).unwrap();
    std::fs::write(elsewhere.join("deep/a.txt"), "theirs").unwrap();
    lab.remove("src");
    std::os::unix::fs::symlink(&elsewhere, lab.path("src")).unwrap();

    // Above what was kept: told, not replaced.
    let restored = lab.restore(&inner, &[]);
    assert_eq!(restored.written, Vec::<PathBuf>::new());
    assert_eq!(restored.conflicts.len(), 1);
    assert!(restored.conflicts[0].1.contains("is a link now"), "{:?}", restored.conflicts);
    // Part of what was kept: replaced.
    lab.restore(&outer, &[]);
    assert!(!lab.path("src").is_symlink());
    assert_eq!(lab.read("src/deep/a.txt"), "ours");
    assert_eq!(std::fs::read_to_string(elsewhere.join("deep/a.txt")).unwrap(), "theirs");
}

/// When what would be overwritten cannot be kept, nothing is written.
#[test]
fn no_restore_without_a_way_back() {
    let lab = Lab::git();
    let id = lab.keep(&["kept.txt"]);
    lab.write("kept.txt", "changed");
    let huge = std::fs::File::options().write(true).open(lab.path("kept.txt")).unwrap();
    huge.set_len(Limits::default().bytes_max + 1).unwrap();
    let result = lab.vault(|vault| vault.restore(&vault.find(&id)?, &[], NOW_MS));
    assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
    assert!(lab.read("kept.txt").starts_with("changed"));
}

#[test]
fn missing_objects_are_told() {
    let lab = Lab::git();
    lab.write("a-new.txt", "an object of its own");
    let id = lab.keep(&["a-new.txt", "kept.txt"]);
    lab.remove("kept.txt");
    let object = lab.run(&["hash-object", "a-new.txt"]);
    let (folder, name) = object.trim().split_at(2);
    std::fs::remove_file(lab.path(".git/objects").join(folder).join(name)).unwrap();
    lab.remove("a-new.txt");
    let error = lab.vault(|vault| vault.restore(&vault.find(&id)?, &[], NOW_MS)).unwrap_err();
    assert!(error.to_string().ends_with("the object of `a-new.txt` is missing"), "{error}");
    assert!(!lab.path("a-new.txt").exists());
    assert_eq!(lab.restore(&id, &["kept.txt"]).written, [lab.path("kept.txt")]);
}
