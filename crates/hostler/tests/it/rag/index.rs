//! What a run does with files that came, changed, moved and went.

use std::fs;

use serde_json::Value;

use super::ground::{Ground, age};

#[track_caller]
fn check(indexed: &Value, files: u64, rechunked: u64, purged: u64) {
    let of = |key: &str| indexed[key].as_u64().unwrap();
    assert_eq!((of("files"), of("rechunked"), of("purged")), (files, rechunked, purged), "{indexed}");
}

// @traces RAG-001
#[test]
fn what_changed_is_read_and_what_is_gone_goes() {
    let ground = Ground::with(&[("a.md", "apple\n"), ("b.md", "banana\n"), ("c.md", "cherry\n")]);
    check(&ground.index(), 3, 3, 0);
    check(&ground.index(), 3, 0, 0);
    ground.write("b.md", "blueberry\n");
    ground.remove("c.md");
    ground.write("d.md", "date\n");
    check(&ground.index(), 3, 2, 1);
    assert_eq!(ground.found("blueberry"), ["b.md"]);
    for gone in ["banana", "cherry"] {
        assert_eq!(ground.found(gone), Vec::<String>::new(), "{gone}");
    }
    assert_eq!(ground.json(&["status"])["vectors"], ground.json(&["status"])["chunks"]);
}

#[test]
fn a_change_within_the_same_tick_and_size_is_seen() {
    let ground = Ground::new();
    let file = ground.tree().join("a.md");
    fs::write(&file, "apple\n").unwrap();
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    check(&ground.index(), 1, 1, 0);
    // As on a file system whose clock ticks slowly: the time is the same, and so is the size.
    fs::write(&file, "grape\n").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    check(&ground.index(), 1, 1, 0);
    assert_eq!(ground.found("grape"), ["a.md"]);
}

#[test]
fn another_time_alone_changes_nothing_and_a_forged_one_hides_nothing_from_a_rehash() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    check(&ground.index(), 1, 1, 0);
    let file = ground.tree().join("a.md");
    age(&file, 1000);
    assert_eq!(ground.json(&["status"])["stale_files"], 0);
    check(&ground.index(), 1, 0, 0);
    let time = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "grape\n").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    check(&ground.index(), 1, 0, 0);
    check(&ground.json(&["index", "--rehash"]), 1, 1, 0);
    assert_eq!(ground.found("grape"), ["a.md"]);
}

#[test]
fn a_renamed_file_keeps_its_chunks_and_is_found_by_its_new_name() {
    let ground = Ground::with(&[("old/apple.md", "# Fruit\n\nred\n"), ("b.md", "other\n")]);
    ground.index();
    let id = ground.json(&["search", "red"])["hits"][0]["id"].clone();
    fs::create_dir(ground.tree().join("new")).unwrap();
    fs::rename(ground.tree().join("old/apple.md"), ground.tree().join("new/pear.md")).unwrap();
    let indexed = ground.index();
    check(&indexed, 2, 1, 0);
    assert_eq!(indexed["renamed"], 1);
    let hit = &ground.json(&["search", "red"])["hits"][0];
    assert_eq!((&hit["id"], hit["path"].as_str()), (&id, Some("new/pear.md")));
    assert_eq!(ground.found("pear"), ["new/pear.md"]);
    // One of two copies that moved, and one that stayed.
    ground.write("copy.md", "# Fruit\n\nred\n");
    assert_eq!(ground.index()["renamed"], 0);
    assert_eq!(ground.found("red").len(), 2);
}

// @traces RAG-003
#[test]
fn what_may_not_be_indexed_any_more_goes() {
    let ground = Ground::with(&[
        ("binary.md", "apple\n"),
        ("large.md", "apple\n"),
        ("ignored.md", "apple\n"),
        ("folder/ignored too.md", "apple\n"),
        ("stays.md", "apple\n"),
    ]);
    check(&ground.index(), 5, 5, 0);
    ground.write("binary.md", "apple\n\0");
    ground.write("large.md", "apple\n".repeat(100_000));
    ground.write(".gitignore", "ignored.md\n");
    ground.write(".hostlerignore", "folder/\n");
    let indexed = ground.index();
    // The two ignore files are new.
    check(&indexed, 3, 2, 4);
    assert_eq!((&indexed["skipped_binary"], &indexed["skipped_size"]), (&1.into(), &1.into()), "{indexed}");
    assert_eq!(indexed["skipped_ignored"], 2, "{indexed}");
    assert_eq!(ground.found("apple"), ["stays.md"]);
    check(&ground.index(), 3, 0, 0);
    // And comes back.
    ground.write("binary.md", "apple\n");
    ground.remove(".hostlerignore");
    check(&ground.index(), 4, 2, 1);
}

// @traces RAG-014
#[test]
fn right_after_a_run_nothing_is_stale_whatever_was_passed_over() {
    let ground = Ground::with(&[
        ("a.md", "apple\n"),
        ("b.md", "banana\n"),
        ("data.bin", "\0"),
        ("photo.png", "text all the same"),
        ("yarn.lock", "x"),
        ("node_modules/x.js", "x"),
        (".ignore", "*.log\n"),
        ("x.log", "x"),
    ]);
    ground.write("large.txt", vec![b'x'; 600_000]);
    ground.index();
    let status = ground.json(&["status"]);
    assert_eq!(status["stale_files"], 0, "{status}");
    for (key, expected) in [
        ("files", 3),
        ("skipped_binary", 1),
        ("skipped_ext", 1),
        ("skipped_name", 1),
        ("skipped_size", 1),
        ("skipped_ignored", 1),
        ("skipped_folders", 1),
    ] {
        assert_eq!(status[key], expected, "{key}: {status}");
    }
    ground.write("a.md", "apricot\n");
    ground.remove("b.md");
    ground.write("c.md", "cherry\n");
    ground.write("new.bin", "\0");
    let status = ground.json(&["status"]);
    let stale =
        ["new_files", "changed_files", "gone_files", "stale_files"].map(|it| status[it].as_u64().unwrap());
    assert_eq!(stale, [1, 1, 1, 3], "{status}");
}

#[test]
fn another_folder_takes_the_place_of_the_first_and_is_the_default_from_then_on() {
    let ground = Ground::with(&[("one/a.md", "apple\n"), ("two/b.md", "banana\n")]);
    let folder = |name: &str| ground.tree().join(name).display().to_string();
    check(&ground.json(&["index", &folder("one")]), 1, 1, 0);
    check(&ground.json(&["index", &folder("two")]), 1, 1, 0);
    assert_eq!(ground.found("apple"), Vec::<String>::new());
    assert_eq!(ground.found("banana"), ["b.md"]);
    assert_eq!(ground.json(&["index"])["root"], folder("two"));
}

#[test]
fn two_runs_over_the_same_files_give_the_same_numbers() {
    let one = Ground::new();
    for number in 0..200 {
        one.write(&format!("{}/{number}.md", number % 7), format!("# Title {number}\n\napple {number}\n"));
    }
    let tree = one.tree();
    one.index();
    let first = one.json(&["search", "apple", "--k", "50"]);
    let again = one.command(&["index", tree.to_str().unwrap()]).env("RAG_DB", one.path("b.db")).output();
    assert!(again.unwrap().status.success());
    let output =
        one.command(&["search", "apple", "--k", "50", "--json"]).env("RAG_DB", one.path("b.db")).output();
    let second: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(first, second);
}

// @traces RAG-018
#[test]
fn the_database_is_where_the_variable_says_and_has_a_log() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    let db = ground.path("new/folder/x.db");
    let tree = ground.tree();
    let mut command = ground.command(&["index", tree.to_str().unwrap()]);
    assert!(command.env("RAG_DB", &db).output().unwrap().status.success());
    let head = fs::read(&db).unwrap();
    assert!(head.starts_with(b"SQLite format 3\0"));
    // Both versions of the format: a log is written, a log is read.
    assert_eq!(head[18..20], [2, 2]);
    assert!(!ground.db().exists());
}
