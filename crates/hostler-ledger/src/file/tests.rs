#![expect(clippy::unwrap_used, reason = "tests")]
#![cfg(unix)]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn replace(path: &Path, text: &str) -> Result<Snapshot, Error> {
    Snapshot::read(path)?.replace(text.as_bytes(), Access::Shared)
}

/// `path` is refused for `reason`, still holds `content`, and nothing is left beside it.
#[track_caller]
fn refused(path: &Path, content: &str, reason: &str) {
    let error = replace(path, "new").unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    let snapshot = Snapshot::read(path).unwrap();
    let checked = snapshot.check_replaceable().unwrap_err().to_string();
    assert_eq!(checked, error, "the check beforehand says the same");
    assert_eq!(fs::read_to_string(path).unwrap(), content);
    assert_eq!(leftovers(path.parent().unwrap()), Vec::<PathBuf>::new());
}

#[test]
fn write_atomic_makes_private_folders_and_files_and_leaves_nothing_else() {
    let top = Folder::new();
    let path = top.path("a b/c/state.json");
    write_atomic(&path, b"one").unwrap();
    set_mode(&path, 0o644);
    write_atomic(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn links_of_any_length_stay_links() {
    let top = Folder::new();
    let real = top.file("dotfiles/claude/settings.json", "old");
    fs::create_dir_all(top.path("home")).unwrap();
    symlink("../dotfiles/claude", top.path("home/.claude")).unwrap();
    symlink("settings.json", top.path("dotfiles/claude/one.json")).unwrap();
    symlink("one.json", top.path("dotfiles/claude/two.json")).unwrap();
    let asked = top.path("home/.claude/two.json");
    let after = replace(&asked, "new").unwrap();
    assert_eq!(after.real_path(), fs::canonicalize(&real).unwrap());
    assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    for link in ["home/.claude", "dotfiles/claude/one.json", "dotfiles/claude/two.json"] {
        assert!(top.path(link).is_symlink(), "{link}");
    }
    // Removal leaves the link as well.
    Snapshot::read(&asked).unwrap().remove().unwrap();
    assert!(!real.exists() && top.path("dotfiles/claude/two.json").is_symlink());
    // And a dangling one is followed when the file is made again, folders included.
    replace(&asked, "again").unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "again");
    symlink("not/there/yet.json", top.path("dangling")).unwrap();
    replace(&top.path("dangling"), "new").unwrap();
    assert_eq!(fs::read_to_string(top.path("not/there/yet.json")).unwrap(), "new");
}

#[test]
fn a_loop_of_links_is_refused() {
    let top = Folder::new();
    symlink("b", top.path("a")).unwrap();
    symlink("a", top.path("b")).unwrap();
    let error = Snapshot::read(&top.path("a")).unwrap_err().to_string();
    assert!(error.starts_with("cannot resolve"), "{error}");
    assert!(write_atomic(&top.path("a"), b"x").is_err());
}

#[test]
fn the_mode_stays_and_a_new_file_gets_what_was_asked_for() {
    let top = Folder::new();
    for bits in [0o600, 0o640, 0o644, 0o664, 0o200, 0o755] {
        let path = top.file("settings.json", "old");
        set_mode(&path, bits);
        // The superuser reads 0200, others cannot.
        if Snapshot::read(&path).is_ok() {
            replace(&path, "new").unwrap();
            assert_eq!(mode(&path), bits, "{bits:o}");
        }
        fs::remove_file(&path).unwrap();
    }
    let made = |name: &str, access| {
        let path = top.path(name);
        Snapshot::read(&path).unwrap().replace(b"{}", access).unwrap();
        (mode(&path), mode(path.parent().unwrap()))
    };
    assert_eq!(made("private/x", Access::Private), (0o600, 0o700));
    let (file, folder) = made("shared/x", Access::Shared);
    // The umask of whoever runs this may take bits away, never add some.
    assert_eq!((file & !0o644, folder & !0o755), (0, 0));
    assert_eq!((file & 0o600, folder & 0o700), (0o600, 0o700));
}

#[test]
fn owner_group_and_attributes_stay() {
    let top = Folder::new();
    let path = top.file("settings.json", "old");
    let superuser = fs::metadata(&path).unwrap().uid() == 0;
    if superuser {
        std::os::unix::fs::chown(&path, Some(12_345), Some(12_346)).unwrap();
    }
    let attributes = xattr::set(&path, "user.origin", b"dotfiles").is_ok();
    let before = fs::metadata(&path).unwrap();
    replace(&path, "new").unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino());
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    if attributes {
        assert_eq!(xattr::get(&path, "user.origin").unwrap().as_deref(), Some(&b"dotfiles"[..]));
    }
}

#[test]
fn what_a_rename_would_break_is_refused() {
    let top = Folder::new();
    let path = top.file("settings.json", "old");
    fs::hard_link(&path, top.path("other.json")).unwrap();
    refused(&path, "old", "2 hard links");
    fs::remove_file(top.path("other.json")).unwrap();
    set_mode(&path, 0o444);
    refused(&path, "old", "is read-only");
    assert_eq!(mode(&path), 0o444);
}

#[test]
fn a_read_only_folder_is_named() {
    let top = Folder::new();
    let path = top.file("store/settings.json", "old");
    set_mode(&top.path("store"), 0o555);
    let superuser = tempfile::tempfile_in(top.path("store")).is_ok();
    if !superuser {
        refused(&path, "old", "store` is read-only");
    }
    set_mode(&top.path("store"), 0o755);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let top = Folder::new();
    assert!(matches!(Snapshot::read(top.0.path()), Err(Error::NotAFile { .. })));
    let pipe = top.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    assert!(matches!(Snapshot::read(&pipe), Err(Error::NotAFile { .. })));
    let large = top.path("large");
    File::create(&large).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
    assert!(matches!(Snapshot::read(&large), Err(Error::TooLarge { .. })));
}

#[test]
fn a_change_in_between_is_not_overwritten() {
    let top = Folder::new();
    let path = top.file("settings.json", "old");
    let check = |change: &dyn Fn()| {
        let snapshot = Snapshot::read(&path).unwrap();
        change();
        let now = fs::read(&path).ok();
        assert!(matches!(snapshot.replace(b"ours", Access::Shared), Err(Error::Changed { .. })));
        assert!(matches!(snapshot.remove(), Err(Error::Changed { .. })));
        assert_eq!(fs::read(&path).ok(), now);
        assert_eq!(leftovers(top.0.path()), Vec::<PathBuf>::new());
    };
    // In place, by a rename with the same bytes, by removal, by creation.
    check(&|| fs::write(&path, "theirs").unwrap());
    check(&|| {
        fs::write(top.path("new"), "theirs").unwrap();
        fs::rename(top.path("new"), &path).unwrap();
    });
    check(&|| fs::remove_file(&path).unwrap());
    check(&|| fs::write(&path, "theirs").unwrap());
}

#[test]
fn a_name_as_long_as_allowed_works() {
    let top = Folder::new();
    let path = top.file(&"n".repeat(250), "old");
    replace(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn a_backup_is_as_private_as_the_file() {
    let top = Folder::new();
    let path = top.file("settings.json", "secret");
    set_mode(&path, 0o600);
    let backup = top.path("state/settings.backup");
    Snapshot::read(&path).unwrap().back_up(&backup).unwrap();
    assert_eq!((fs::read_to_string(&backup).unwrap(), mode(&backup)), ("secret".to_owned(), 0o600));
}

#[test]
fn with_the_lock_no_update_is_lost() {
    let top = Arc::new(Folder::new());
    let path = top.file("list", "");
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let (top, path) = (Arc::clone(&top), path.clone());
            std::thread::spawn(move || {
                for index in 0..25 {
                    let _lock = Lock::acquire(&top.path("state/lock")).unwrap();
                    let snapshot = Snapshot::read(&path).unwrap();
                    let mut bytes = snapshot.bytes().unwrap().to_vec();
                    writeln!(bytes, "{thread} {index}").unwrap();
                    snapshot.replace(&bytes, Access::Shared).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 8 * 25);
}

#[test]
fn folders_that_were_made_are_told_outermost_first() {
    let top = Folder::new();
    let made = create_folders(&top.path("a/b"), Access::Shared).unwrap();
    assert_eq!(made, [top.path("a"), top.path("a/b")]);
    assert_eq!(create_folders(&top.path("a/b"), Access::Shared).unwrap(), Vec::<PathBuf>::new());
    top.file("a/f", "");
    assert!(create_folders(&top.path("a/f/g"), Access::Shared).is_err());
}

#[test]
fn a_file_is_written_neither_through_a_link_nor_among_our_own() {
    let home = Folder::new();
    let target = home.file("target", "x");
    let link = home.path("link");
    symlink(&target, &link).unwrap();
    let dangling = home.path("dangling");
    symlink(home.path("nothing"), &dangling).unwrap();
    fs::create_dir_all(home.path("ours/sessions")).unwrap();
    let folder = home.path("folder");
    symlink(home.path("ours/sessions"), &folder).unwrap();
    let ours = [home.path("ours"), home.path("not there")];
    for path in [&link, &dangling] {
        assert!(matches!(output_path(path, &ours), Err(Error::Link { .. })), "{}", path.display());
    }
    for path in [home.path("ours/a"), home.path("ours/new/a"), folder.join("a")] {
        assert!(matches!(output_path(&path, &ours), Err(Error::Ours { .. })), "{}", path.display());
    }
    assert_eq!(output_path(&target, &ours).unwrap(), fs::canonicalize(&target).unwrap());
    assert!(output_path(&home.path("new"), &ours).unwrap().ends_with("new"));
    assert!(output_path(&home.path("ours.jsonl"), &ours).is_ok());
}
