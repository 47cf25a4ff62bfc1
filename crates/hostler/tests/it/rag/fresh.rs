//! A search answers with files as they are now.

use std::time::{Duration, Instant};

use super::ground::{Ground, age};

#[test]
fn a_changed_file_is_indexed_before_it_is_a_hit() {
    let ground = Ground::with(&[("a.md", "apple pie\n"), ("b.md", "apple tart\n")]);
    ground.index();
    ground.write("a.md", "first\n\napple crumble with oats\n");
    let answer = ground.json(&["search", "apple"]);
    let hits = answer["hits"].as_array().unwrap();
    let changed = hits.iter().find(|it| it["path"] == "a.md").unwrap();
    assert!(changed["snippet"].as_str().unwrap().contains("crumble"), "{answer}");
    assert_eq!(ground.json(&["status"])["stale_files"], 0);
    // It stands in the index now, under its new words.
    assert_eq!(ground.found("crumble"), ["a.md"]);
}

#[test]
fn a_file_that_is_gone_is_no_hit() {
    let ground = Ground::with(&[("a.md", "apple\n"), ("b.md", "apple\n"), ("c.md", "apple\n")]);
    ground.index();
    ground.remove("a.md");
    ground.write("b.md", "now binary \0 apple\n");
    assert_eq!(ground.found("apple"), ["c.md"]);
    assert_eq!(ground.json(&["status"])["files"], 1);
}

#[test]
fn another_time_alone_is_no_change() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    ground.index();
    let id = ground.json(&["search", "apple"])["hits"][0]["id"].clone();
    age(&ground.tree().join("a.md"), 5000);
    assert_eq!(ground.json(&["search", "apple"])["hits"][0]["id"], id);
}

#[test]
#[cfg(unix)]
fn an_index_that_cannot_be_written_is_searched_and_what_is_stale_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::with(&[("a.md", "apple\n")]);
    let folder = ground.path("shared");
    std::fs::create_dir(&folder).unwrap();
    let db = folder.join("x.db");
    let tree = ground.tree();
    let with = |arguments: &[&str]| ground.command(arguments).env("RAG_DB", &db).output().unwrap();
    assert!(with(&["index", tree.to_str().unwrap()]).status.success());
    ground.write("a.md", "apple crumble\n");
    // Another process that writes keeps this one from writing, whoever runs it.
    let lock = std::fs::File::options().create(true).append(true).open(folder.join("x.db.lock")).unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    let output = with(&["search", "apple"]);
    assert!(begun.elapsed() < Duration::from_secs(10));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stdout.starts_with("1. a.md"), "{output:?}");
    assert!(stderr.contains("changed since") && stderr.contains("`a.md`"), "{stderr}");
    drop(lock);
    for (path, mode) in [(&db, 0o444), (&folder, 0o555)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let output = with(&["search", "apple"]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"1. a.md"), "{output:?}");
}
