use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_file_is_kept_as_a_commit_of_its_own() {
    let lab = Lab::git();
    let expected =
        Created::Checkpoint { id: "361ac4e6/1".to_owned(), files: 1, bytes: 5, skipped: Vec::new() };
    assert_eq!(lab.create(&["kept.txt"]).unwrap(), expected);
    assert_eq!(lab.run(&["show", &format!("refs/hostler/checkpoints/{SESSION}/1:kept.txt")]), "kept\n");
    assert_eq!(lab.run(&["rev-list", "--count", &format!("refs/hostler/checkpoints/{SESSION}/1")]), "1\n");
    assert_eq!(lab.create(&["gone.txt", "kept.txt/below", "no/such"]).unwrap(), Created::Nothing);
}

/// Everything a folder can hold comes back with its bytes and modes: tracked, changed, untracked, ignored.
#[test]
fn a_deleted_folder_comes_back_whole() {
    let lab = Lab::git();
    lab.commit("build/tracked.txt", "committed\n");
    lab.commit(".gitignore", "*.o\nignored/\n.env\n");
    lab.write("build/tracked.txt", "changed since\r\n");
    lab.write("build/untracked.txt", "new");
    lab.write("build/ignored/deep/er/a.o", [0, 159, 255, 10]);
    set_mode(&lab.write("build/.env", "TOKEN=1"), 0o600);
    set_mode(&lab.write("build/run.sh", "#!/bin/sh\n"), 0o755);
    set_mode(&lab.write("build/only-me.sh", "#!/bin/sh\n"), 0o700);
    set_mode(&lab.write("build/locked/read-only.txt", "r"), 0o444);
    set_mode(&lab.path("build/locked"), 0o555);
    lab.write("build/empty.txt", "");
    std::fs::create_dir_all(lab.path("build/hollow/inner")).unwrap();
    set_mode(&lab.path("build/hollow/inner"), 0o700);
    std::os::unix::fs::symlink("tracked.txt", lab.path("build/link")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at all", lab.path("build/dangling")).unwrap();
    let before = files_below(&lab.root);
    let status = lab.run(&["status", "--porcelain=v2", "--ignored"]);

    let id = lab.keep(&["build"]);
    assert_eq!(lab.differences(&id), Vec::<String>::new());
    set_mode(&lab.path("build/locked"), 0o755);
    lab.remove("build");
    let restored = lab.restore(&id, &[]);
    assert_eq!(restored.before, None);
    assert_eq!(restored.conflicts, Vec::new());

    let without_git = |mut all: BTreeMap<PathBuf, String>| {
        all.retain(|path, _| !path.starts_with(".git"));
        all
    };
    assert_eq!(without_git(files_below(&lab.root)), without_git(before));
    assert_eq!(lab.run(&["status", "--porcelain=v2", "--ignored"]), status);
}

#[test]
fn names_are_bytes() {
    let names: &[&[u8]] = &[
        b"with space",
        b"new\nline",
        b"tab\tand \x01\x7f",
        b"\"quoted\"",
        b"'single'",
        b"back\\slash",
        b"caf\xc3\xa9",
        b"not-utf8-\xff\xfe",
        b"%41percent%",
        b"-dash",
        b":colon",
        b"*glob?[x]",
        b"git~1",
        b".git ",
        b".GIT.",
        b".git::$INDEX_ALLOCATION",
        b"\xe2\x80\x8c.git",
        b".gitmodules",
        b".gitignore",
        b".github",
        b"CON",
        b"a",
        b"A",
    ];
    // A repository that was made on another system.
    let lab = Lab::git();
    lab.run(&["config", "core.ignoreCase", "true"]);
    lab.run(&["config", "core.protectHFS", "true"]);
    for name in names {
        let folder = lab.path("odd").join(OsStr::from_bytes(name));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(OsStr::from_bytes(name)), name).unwrap();
    }
    let before = files_below(&lab.path("odd"));
    let id = lab.keep(&["odd"]);
    let absent = lab.path("odd").join(OsStr::from_bytes(b"gone-\xff"));
    lab.create_at(&[absent.clone(), lab.path("kept.txt")], None).unwrap();
    assert_eq!(lab.root.join(&lab.find("361ac4e6/2").header.absent[0].0), absent);
    lab.remove("odd");
    lab.restore(&id, &[]);
    assert_eq!(files_below(&lab.path("odd")), before);
    lab.run(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn what_has_no_content_is_told() {
    let lab = Lab::git();
    lab.write("run/file", "x");
    let _socket = std::os::unix::net::UnixListener::bind(lab.path("run/socket")).unwrap();
    let made = Command::new("mkfifo").arg(lab.path("run/pipe")).status().unwrap();
    assert!(made.success());
    let Created::Checkpoint { files, mut skipped, .. } = lab.create(&["run"]).unwrap() else { panic!() };
    skipped.sort();
    let expected = [
        (PathBuf::from("run/pipe"), "a pipe has no content to keep".to_owned()),
        (PathBuf::from("run/socket"), "a socket has no content to keep".to_owned()),
    ];
    assert_eq!((files, skipped), (1, expected.to_vec()));
    assert_eq!(lab.differences("361ac4e6/1"), Vec::<String>::new());
}

#[test]
fn paths_below_each_other_are_kept_once_and_through_links_at_their_real_place() {
    let lab = Lab::git();
    lab.write("real/a/b.txt", "b");
    lab.write("real-not-below.txt", "n");
    std::os::unix::fs::symlink("real", lab.path("link")).unwrap();
    let paths = ["real/a/b.txt", "real", "link/a", "real-not-below.txt", "real"];
    let id = lab.keep(&paths);
    let held: Vec<PathBuf> =
        lab.vault(|vault| vault.files(&vault.find(&id)?)).unwrap().into_iter().map(|it| it.path).collect();
    assert_eq!(held, [PathBuf::from("real/a/b.txt"), PathBuf::from("real-not-below.txt")]);
}

/// Writing to a link changes the file behind it.
#[test]
fn the_file_behind_a_link_is_kept_too() {
    let lab = Lab::git();
    std::os::unix::fs::symlink("kept.txt", lab.path("link")).unwrap();
    let id = lab.keep(&["link"]);
    std::fs::write(lab.path("link"), "overwritten").unwrap();
    lab.restore(&id, &[]);
    assert_eq!(lab.read("kept.txt"), "kept\n");
    assert!(lab.path("link").is_symlink());
}

#[test]
fn a_doubled_call_makes_one_checkpoint() {
    let lab = Lab::git();
    let start = Barrier::new(8);
    let call = || {
        start.wait();
        lab.create_at(&[lab.path("kept.txt")], Some("toolu_1")).unwrap()
    };
    let all: Vec<Created> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(call)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let same = Created::Same { id: "361ac4e6/1".to_owned() };
    assert_eq!(all.iter().filter(|it| **it == same).count(), 7);
    assert_eq!(lab.references().len(), 1);
    let other_paths = lab.create_at(&[lab.write("b", "b")], Some("toolu_1")).unwrap();
    assert!(matches!(other_paths, Created::Checkpoint { .. }), "{other_paths:?}");
}

#[test]
fn parallel_calls_get_numbers_of_their_own() {
    let lab = Lab::git();
    let start = Barrier::new(24);
    let ids: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..24)
            .map(|index| {
                let (lab, start) = (&lab, &start);
                scope.spawn(move || {
                    let name = format!("{index}.txt");
                    lab.write(&name, &name);
                    start.wait();
                    lab.keep(&[&name])
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let expected: std::collections::BTreeSet<String> = (1..=24).map(|it| format!("361ac4e6/{it}")).collect();
    assert_eq!(ids, expected);
    assert_eq!(lab.references().len(), 24);
    let held = |id: &String| lab.vault(|vault| vault.files(&vault.find(id)?)).unwrap()[0].path.clone();
    assert_eq!(ids.iter().map(held).collect::<std::collections::BTreeSet<_>>().len(), 24);
}

#[test]
fn a_lost_or_damaged_counter_does_not_reuse_a_number() {
    let lab = Lab::git();
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6/1");
    std::fs::remove_dir_all(lab.state()).unwrap();
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6/2");
    std::fs::write(lab.state().join("checkpoints").join(SESSION).join("sequence.json"), "{\"last\":")
        .unwrap();
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6/3");
    lab.run(&["pack-refs", "--all"]);
    std::fs::remove_dir_all(lab.state()).unwrap();
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6/4");
}

/// A log that grows, a file that is rewritten: kept as it was at one moment, or refused.
#[test]
fn a_file_that_changes_while_it_is_read_is_kept_consistently_or_refused() {
    let lab = Lab::git();
    let path = lab.write("busy.log", "");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut length = 0;
            while !stop.load(Ordering::Relaxed) {
                length = (length + 7919) % 300_000;
                std::fs::write(&path, vec![b'x'; length]).unwrap();
            }
        });
        for _ in 0..30 {
            match lab.create(&["busy.log"]) {
                Ok(Created::Checkpoint { id, .. }) => {
                    let bytes = lab.vault(|vault| {
                        let found = vault.find(&id).unwrap();
                        let file = vault.files(&found).unwrap().remove(0);
                        vault.content(&found, &file, u64::MAX).unwrap().unwrap()
                    });
                    assert!(bytes.iter().all(|it| *it == b'x'), "padding was kept");
                }
                Ok(other) => panic!("{other:?}"),
                Err(error) => assert!(matches!(error, Error::Changing { .. }), "{error}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    lab.run(&["fsck", "--strict", "--no-dangling"]);
}

/// Deleting a build folder while a build runs in it.
#[test]
fn a_file_that_goes_meanwhile_is_no_failure() {
    for lab in [Lab::git(), Lab::plain()] {
        lab.write("build/stays.txt", "stays");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for index in 0..40 {
                        lab.write(&format!("build/{index}.tmp"), "temporary");
                    }
                    for index in 0..40 {
                        lab.remove(&format!("build/{index}.tmp"));
                    }
                }
            });
            for _ in 0..20 {
                let id = lab.keep(&["build"]);
                let found = lab.find(&id);
                let files = lab.vault(|vault| vault.files(&found)).unwrap();
                assert_eq!(files.len(), found.header.files);
                assert!(files.iter().any(|it| it.path.ends_with("stays.txt") && it.bytes == 5));
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn outside_git_copies_are_kept() {
    let lab = Lab::plain();
    let old = lab.write("notes/old.txt", "old");
    let modified = std::time::UNIX_EPOCH + Duration::from_nanos(1_600_000_000_123_456_789);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(modified).unwrap();
    set_mode(&lab.write("notes/secret", "s"), 0o600);
    std::fs::create_dir_all(lab.path("notes/hollow")).unwrap();
    std::os::unix::fs::symlink("old.txt", lab.path("notes/link")).unwrap();
    let before = files_below(&lab.root);
    let id = lab.keep(&["notes"]);
    assert_eq!(lab.keep(&["notes/old.txt"]), "361ac4e6/2");
    lab.remove("notes");
    lab.restore(&id, &[]);
    assert_eq!(files_below(&lab.root), before);
    assert_eq!(old.metadata().unwrap().modified().unwrap(), modified);
    for (path, what) in files_below(&lab.state()) {
        assert!(
            what.starts_with("file 600") || what.starts_with("folder 700") || path.ends_with("checkpoints"),
            "{what}"
        );
    }
}

#[test]
fn paths_outside_the_work_tree_are_kept_as_copies() {
    let lab = Lab::git();
    let outside = lab.home.join("outside/file.txt");
    std::fs::create_dir_all(outside.parent().unwrap()).unwrap();
    std::fs::write(&outside, "outside").unwrap();
    lab.create_at(&[outside.clone(), lab.path("kept.txt")], None).unwrap();
    assert_eq!(lab.references(), Vec::<String>::new());
    std::fs::remove_file(&outside).unwrap();
    std::fs::write(lab.path("kept.txt"), "changed").unwrap();
    let restored = lab.restore("361ac4e6/1", &[]);
    assert_eq!(restored.before.as_deref(), Some("361ac4e6/2"));
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside");
    assert_eq!(lab.read("kept.txt"), "kept\n");
}

#[test]
fn ids_may_be_shortened_while_they_mean_one() {
    let mut lab = Lab::git();
    lab.keep(&["kept.txt"]);
    lab.session = SessionId::parse("361ac4e6-other").unwrap();
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6-other/1");
    assert_eq!(lab.keep(&["kept.txt"]), "361ac4e6-other/2");
    let found = |id: &str| match lab.vault(|vault| vault.find(id)) {
        Ok(it) => format!("{}/{}", it.header.session, it.header.number),
        Err(error) => error.to_string(),
    };
    assert_eq!(found("361ac4e6-o/1"), "361ac4e6-other/1");
    assert_eq!(found("361ac4e6/2"), "361ac4e6-other/2");
    assert_eq!(found("2"), "361ac4e6-other/2");
    assert_eq!(found(&format!("refs/hostler/checkpoints/{SESSION}/1")), format!("{SESSION}/1"));
    let ambiguous = format!(
        "`361ac4e6/1` means more than one checkpoint: {SESSION}/1, 361ac4e6-other/1; write more of the session"
    );
    assert_eq!(found("361ac4e6/1"), ambiguous);
    assert_eq!(found("x/1"), "there is no checkpoint `x/1` here; see `hostler checkpoint list`");
}
