#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn write_atomic_makes_folders_and_leaves_no_temporary_file() {
    let top = folder();
    let path = top.path().join("a b/c/state.json");
    write_atomic(&path, b"one").unwrap();
    write_atomic(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(leftovers(path.parent().unwrap()), Vec::<PathBuf>::new());
}
