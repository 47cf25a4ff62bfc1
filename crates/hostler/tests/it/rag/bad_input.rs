//! Whatever comes in: an error that says what is wrong, or a sensible answer; and nothing is lost.

use std::fs;

use super::ground::Ground;

fn apples() -> Ground {
    let ground = Ground::with(&[("a.md", "# Apples\n\napple and pear\n"), ("b.md", "pear\n")]);
    ground.index();
    ground
}

// @traces RAG-013
#[test]
fn an_empty_query_is_told() {
    let ground = apples();
    for query in ["", "   ", "\n\t"] {
        let said = ground.fails(&["search", query], 3);
        assert!(said.contains("empty"), "{query:?}: {said}");
    }
    ground.fails(&["search"], 3);
}

#[test]
fn a_query_of_operators_is_words_or_nothing() {
    let ground = apples();
    for query in
        ["\"", "\"\"", "* ) (", "AND OR NOT", "NEAR(", "-- ;", "' OR 1=1", "{a b}:c", "^", "\u{0}x", "💣"]
    {
        let output = ground.command(&["search", "--"]).arg(query.replace('\0', "")).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{query:?}: {output:?}");
    }
    for query in ["apple*", "(apple", "\"apple and", "apple AND", "symbol:apple", "apple\" OR \""] {
        assert_eq!(ground.found(query).first().map(String::as_str), Some("a.md"), "{query:?}");
    }
}

#[test]
fn a_very_long_query_is_answered() {
    let ground = apples();
    let query = "apple ".repeat(20_000);
    assert_eq!(ground.found(&query).first().map(String::as_str), Some("a.md"));
}

#[test]
fn odd_numbers_of_hits_are_told_or_brought_within_bounds() {
    let ground = apples();
    for k in ["0", "-1", "-9223372036854775808"] {
        let said = ground.fails(&["search", "apple", "--k", k], 3);
        assert!(said.contains('k') && said.contains('1'), "{said}");
    }
    for k in ["x", "1.5", "99999999999999999999"] {
        ground.fails(&["search", "apple", "--k", k], 3);
    }
    assert_eq!(
        ground.json(&["search", "pear", "--k", "9223372036854775807"])["hits"].as_array().unwrap().len(),
        2
    );
    assert_eq!(ground.json(&["search", "pear", "--k", "1"])["hits"].as_array().unwrap().len(), 1);
}

// @traces RAG-015
#[test]
fn a_chunk_that_is_none_is_told() {
    let ground = apples();
    for id in ["0", "-1", "99999", "9223372036854775807"] {
        let said = ground.fails(&["get", id], 3);
        assert!(said.contains(&format!("no chunk with id {id}")), "{said}");
    }
    for id in ["x", "1.5", ""] {
        ground.fails(&["get", id], 3);
    }
}

#[test]
fn without_an_index_it_is_said_what_makes_one() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    for arguments in [["search", "apple"], ["get", "1"]] {
        let said = ground.fails(&arguments, 4);
        assert!(said.contains("hostler rag index"), "{said}");
    }
    let said = ground.run(&["status"]);
    assert!(said.contains("files: 0\n") && said.contains("embedding_mode: unindexed\n"), "{said}");
    assert!(said.contains("last_index_at: never\n"), "{said}");
    assert!(!ground.db().exists());
}

#[test]
fn a_root_that_is_none_loses_nothing() {
    let ground = apples();
    let tree = ground.tree();
    for (root, expected) in [
        (tree.join("missing"), "there is no such folder"),
        (tree.join("a.md"), "it is a file"),
        (tree.join("a.md/below"), "cannot index"),
    ] {
        let said = ground.fails(&["index", root.to_str().unwrap()], 4);
        assert!(said.contains(expected) && said.contains(root.to_str().unwrap()), "{said}");
    }
    assert_eq!(ground.found("apple"), ["a.md"]);
    // The root itself is gone, as when a disk is not mounted.
    fs::rename(&tree, ground.path("elsewhere")).unwrap();
    ground.fails(&["index"], 4);
    let status = ground.json(&["status"]);
    assert_eq!((&status["files"], &status["stale_files"]), (&2.into(), &0.into()), "{status}");
    assert!(status["stale_note"].as_str().unwrap().contains("missing"), "{status}");
    assert_eq!(ground.found("apple"), ["a.md"]);
}

#[test]
#[cfg(unix)]
fn links_pipes_and_loops_are_passed_over() {
    let ground = apples();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, ground.tree().join(name)).unwrap();
    link(".", "loop");
    link("../..", "up");
    link("missing", "dangling");
    link("a.md", "alias.md");
    let made = std::process::Command::new("mkfifo").arg(ground.tree().join("pipe.md")).status().unwrap();
    assert!(made.success());
    let indexed = ground.index();
    assert_eq!((&indexed["files"], &indexed["skipped_links"]), (&2.into(), &5.into()), "{indexed}");
    // A file that became a link is no file any more.
    ground.remove("b.md");
    link("a.md", "b.md");
    assert_eq!(ground.index()["files"], 1);
}

#[test]
#[cfg(unix)]
fn names_and_contents_that_are_no_utf8_are_indexed() {
    use std::os::unix::ffi::OsStrExt;
    let ground = Ground::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    if fs::write(ground.tree().join(name), "apple in a name\n").is_err() {
        // The file system takes no such names.
        return;
    }
    ground.write("latin.md", b"apple caf\xe9 \xff\xfe\n");
    assert_eq!(ground.index()["files"], 2);
    let mut found = ground.found("apple");
    found.sort();
    assert_eq!(found, ["caf\\xe9.md", "latin.md"]);
    assert_eq!(ground.index()["rechunked"], 0);
    assert_eq!(ground.json(&["status"])["stale_files"], 0);
    fs::remove_file(ground.tree().join(name)).unwrap();
    assert_eq!(ground.index()["purged"], 1);
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_told_and_what_is_known_of_it_kept() {
    use std::os::unix::fs::PermissionsExt;
    let ground = Ground::with(&[("locked/a.md", "apple\n"), ("b.md", "banana\n"), ("c.md", "cherry\n")]);
    ground.index();
    let set = |path: &str, mode: u32| {
        fs::set_permissions(ground.tree().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("locked", 0);
    if fs::read_dir(ground.tree().join("locked")).is_ok() {
        // Nothing is locked for this user; a tree too deep to be read shows the same below.
        set("locked", 0o755);
        return;
    }
    let output = ground.output(&["index", ground.tree().to_str().unwrap()]);
    set("locked", 0o755);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success() && stdout.contains("files=3 ") && stdout.contains("purged=0 "),
        "{output:?}"
    );
    assert!(stderr.contains("not read: `locked`"), "{stderr}");
    assert_eq!(ground.found("apple"), ["locked/a.md"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_tree_deeper_than_paths_may_be_is_indexed_as_far_as_it_can_be_read() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    // No call takes so long a path, so three chains of folders are put into one another.
    let chain = |letter: &str| vec![letter.repeat(200); 9].join("/");
    let chains = [chain("a"), chain("b"), chain("c")];
    for chain in &chains {
        ground.write(&format!("{chain}/x.md"), "apple\n");
    }
    for (inner, outer) in [("c", &chains[1]), ("b", &chains[0])] {
        let name = inner.repeat(200);
        fs::rename(ground.tree().join(&name), ground.tree().join(outer).join(&name)).unwrap();
    }
    let output = ground.output(&["index", ground.tree().to_str().unwrap()]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stderr.contains("not read: `aaaa"), "{stderr}");
    assert!(stdout.contains("files=3 "), "{stdout}");
}

#[test]
fn a_database_of_somebody_else_is_left_as_it_is() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    let tree = ground.tree();
    for (bytes, what) in
        [(&b"just some text"[..], "text"), (&b"SQLite format 3\0 and garbage"[..], "garbage")]
    {
        fs::write(ground.db(), bytes).unwrap();
        for arguments in [
            &["index", tree.to_str().unwrap()][..],
            &["search", "apple"],
            &["status"],
            &["index", "--rebuild"],
        ] {
            let said = ground.fails(arguments, 4);
            assert!(said.contains("index of it.db"), "{what}: {said}");
            assert_eq!(fs::read(ground.db()).unwrap(), bytes, "{what} {arguments:?}");
        }
    }
    fs::remove_file(ground.db()).unwrap();
    fs::create_dir(ground.db()).unwrap();
    ground.fails(&["index", tree.to_str().unwrap()], 4);
}

#[test]
fn a_damaged_index_is_told_and_made_anew_on_request() {
    let ground = Ground::new();
    for number in 0..200 {
        ground.write(&format!("{number}.md"), format!("apple {number}\n").repeat(50));
    }
    ground.index();
    hostler_store::Writer::open(&ground.db(), std::time::Duration::ZERO).unwrap().checkpoint().unwrap();
    // Everything but the first page, which says whose it is.
    let mut bytes = fs::read(ground.db()).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(ground.db(), &bytes).unwrap();
    let said = ground.fails(&["index"], 4);
    assert!(said.contains("--rebuild"), "{said}");
    let tree = ground.tree();
    let output = ground.output(&["index", tree.to_str().unwrap(), "--rebuild"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("is now"), "{output:?}");
    assert!(!ground.found("apple").is_empty());
}

#[test]
fn a_folder_that_takes_no_database_is_told() {
    let ground = Ground::with(&[("a.md", "apple\n")]);
    let tree = ground.tree();
    let mut command = ground.command(&["index", tree.to_str().unwrap()]);
    let output = command.env("RAG_DB", tree.join("a.md/x.db")).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let mut command = ground.command(&["index", tree.to_str().unwrap()]);
    let output = command.env_remove("RAG_DB").env_remove("HOME").output().unwrap();
    assert!(
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("RAG_DB"),
        "{output:?}"
    );
}

#[test]
fn errors_are_documents_where_those_are_asked_for() {
    let ground = apples();
    let output = ground.output(&["get", "99", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["error"].as_str().unwrap().contains("no chunk"), "{document}");
}
