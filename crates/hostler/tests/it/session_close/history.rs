//! Which commits are a session's, in repositories of every kind.

use std::fs;

use serde_json::{Value, json};

use super::{ALL, World, step};

#[track_caller]
fn reached(world: &World) -> (Value, Value) {
    let report = world.end(&[]);
    (world.session()["achievements"].clone(), report)
}

// @traces 021-TEST-UNIT-141
#[test]
fn commits_since_the_start_without_checkpoints_and_merges() {
    let world = World::new("");
    world.git(&["checkout", "--quiet", "-b", "side"]);
    world.commit("feat: on the side");
    world.git(&["checkout", "--quiet", "main"]);
    world.commit("checkpoint: before the merge");
    world.commit("fix: on main");
    world.git(&["merge", "--quiet", "--no-edit", "side"]);
    world.commit("Revert \"fix: on main\"\n\nThis reverts commit 0123456789abcdef0123456789abcdef01234567.");
    let (mut found, report) = reached(&world);
    found.as_array_mut().unwrap().sort_by_key(ToString::to_string);
    assert_eq!(found, json!(["Revert \"fix: on main\"", "feat: on the side", "fix: on main"]));
    assert_eq!(step(&report, "achievements"), ("done", "3 from 5 commits"));
}

#[test]
fn what_was_fetched_is_the_work_of_others() {
    let world = World::new("");
    let other = world.home().join("other");
    world.git(&["clone", "--quiet", world.origin().to_str().unwrap(), other.to_str().unwrap()]);
    let mut commit = world.command("git", &other);
    commit.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z").env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
    assert!(
        commit.args(["commit", "--quiet", "--allow-empty", "-m", "feat: theirs"]).status().unwrap().success()
    );
    world.git_in(&other, &["push", "--quiet", "origin", "HEAD"]);
    world.git(&["pull", "--quiet", "--ff-only", "origin", "main"]);
    world.commit("feat: ours");
    assert_eq!(reached(&world).0, json!(["feat: ours"]));
}

/// Commits as if long before the session.
#[track_caller]
fn commit_old(world: &World, message: &str) {
    let mut commit = world.command("git", &world.project());
    commit.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z").env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
    assert!(commit.args(["commit", "--quiet", "--allow-empty", "-m", message]).status().unwrap().success());
}

#[test]
fn what_was_done_before_on_another_branch_is_not_done_again() {
    let world = World::bare();
    world.git(&["init", "--quiet"]);
    world.commit("start");
    world.git(&["checkout", "--quiet", "-b", "feature"]);
    commit_old(&world, "feat: old and never pushed");
    world.git(&["checkout", "--quiet", "main"]);
    world.begin();
    world.git(&["checkout", "--quiet", "feature"]);
    world.commit("feat: new");
    let (found, report) = reached(&world);
    assert_eq!(found, json!(["feat: new"]));
    assert_eq!(step(&report, "achievements").1, "1 commit (1 from before the session left out)");
}

#[test]
fn what_an_earlier_session_came_to_is_not_told_again() {
    for untagged in [false, true] {
        let world = World::new(&format!("[session]\nchangelog = false\ntag = {}\n", !untagged));
        let linked = world.home().join("linked");
        world.git(&["worktree", "add", "--quiet", "-b", "feature", linked.to_str().unwrap()]);
        let commit = |subject: &str| {
            world.git_in(&linked, &["commit", "--quiet", "--allow-empty", "--message", subject]);
        };
        let end = || {
            let output = world.hostler(&["session", "end"]).current_dir(&linked).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let mut found: Vec<String> =
                serde_json::from_value(world.session()["achievements"].clone()).unwrap();
            found.sort();
            found
        };
        commit("feat: of the first session");
        assert_eq!(end(), ["feat: of the first session"]);
        // The next one begins in the main work tree, where the first one's commits are not.
        world.ok(&["session", "begin", "--purpose", "Second"]);
        world.commit("feat: in the main work tree");
        commit("feat: in the linked work tree");
        assert_eq!(end(), ["feat: in the linked work tree", "feat: in the main work tree"]);
        // A branch that goes on elsewhere is the same work.
        world.ok(&["session", "begin", "--purpose", "Third"]);
        world.git_in(&linked, &["rebase", "--quiet", "main"]);
        commit("feat: third");
        assert_eq!(end(), ["feat: third"], "untagged: {untagged}");
    }
}

#[test]
fn where_the_start_is_gone_time_tells() {
    let world = World::new("");
    world.commit("feat: one");
    // The commit that the session began from is rewritten.
    world.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    world.git(&["commit", "--quiet", "--amend", "--allow-empty", "--message=start anew", "--reset-author"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    world.git(&["gc", "--quiet", "--prune=now"]);
    world.commit("feat: two");
    let (found, report) = reached(&world);
    assert_eq!(found, json!(["start anew", "feat: two"]));
    assert!(step(&report, "achievements").1.contains("not in the history any more"), "{report:#}");
}

#[test]
fn an_unborn_branch_has_nothing_to_tag() {
    let world = World::bare();
    world.git(&["init", "--quiet"]);
    world.write(".hostler/config.toml", ALL);
    world.begin();
    let report = world.end(&["--achievements", "Thought about it"]);
    assert_eq!(step(&report, "achievements"), ("done", "no commits (there are no commits yet)"));
    assert_eq!(step(&report, "commit").0, "skipped");
    assert_eq!(step(&report, "tag"), ("skipped", "there is no commit to tag"));
    assert_eq!(world.session()["achievements"], json!(["Thought about it"]));
    assert_eq!(world.session()["tag"], Value::Null);
    // The first commits of a session that began without any.
    let world = World::bare();
    world.git(&["init", "--quiet"]);
    world.begin();
    world.commit("feat: the beginning");
    assert_eq!(reached(&world).0, json!(["feat: the beginning"]));
    assert_eq!(world.tags().len(), 1);
}

#[test]
fn a_detached_head_is_tagged_and_only_the_tag_is_pushed() {
    let world = World::new(ALL);
    world.git(&["checkout", "--quiet", "--detach"]);
    world.commit("feat: off the branch");
    let before = world.references(&world.origin());
    let (found, report) = reached(&world);
    assert_eq!(found, json!(["feat: off the branch"]));
    assert_eq!(step(&report, "commit"), ("skipped", "no branch is checked out"));
    assert_eq!(step(&report, "push").0, "done", "{report:#}");
    let mut there = world.references(&world.origin());
    there.retain(|name, _| !name.starts_with("refs/tags/"));
    assert_eq!(there, before);
}

#[test]
fn a_shallow_clone_knows_its_own_commits() {
    let world = World::new("");
    for subject in ["feat: old one", "feat: old two", "feat: old three"] {
        world.commit(subject);
    }
    world.git(&["push", "--quiet", "origin", "HEAD"]);
    let clone = World::bare();
    fs::remove_dir_all(clone.project()).unwrap();
    let origin = format!("file://{}", world.origin().display());
    clone.git_in(
        &clone.home(),
        &["clone", "--quiet", "--depth=1", &origin, clone.project().to_str().unwrap()],
    );
    clone.begin();
    clone.commit("feat: new");
    assert_eq!(reached(&clone).0, json!(["feat: new"]));
}

#[test]
fn without_a_repository_what_was_logged_is_recorded() {
    let world = World::bare();
    world.write("CHANGELOG.md", super::CHANGELOG);
    world.begin();
    world.ok(&["session", "log-achievement", "--item", "Added search"]);
    let report = world.end(&[]);
    for name in ["achievements", "tag", "push"] {
        assert_ne!(step(&report, name).0, "failed", "{report:#}");
    }
    assert_eq!(world.session()["achievements"], json!(["Added search"]));
    assert!(world.read("CHANGELOG.md").contains("### Added\n\n- Added search\n"));
}

#[test]
fn without_git_on_the_path_the_session_is_closed() {
    let world = World::new(ALL);
    let empty = world.home().join("empty");
    fs::create_dir(&empty).unwrap();
    let output = world.hostler(&["--json", "session", "end"]).env("PATH", &empty).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(step(&report, "achievements"), ("failed", "`git` is not in `PATH`; install it"));
    assert_eq!((step(&report, "record").0, &report["closed"]), ("done", &json!(true)));
}

#[test]
fn variables_of_another_repository_are_not_followed() {
    let world = World::new("");
    world.commit("feat: ours");
    let other = World::new("");
    other.commit("feat: theirs");
    let before = other.references(&other.project());
    let mut end = world.hostler(&["session", "end"]);
    end.env("GIT_DIR", other.project().join(".git")).env("GIT_WORK_TREE", other.project());
    assert!(end.output().unwrap().status.success());
    assert_eq!(world.session()["achievements"], json!(["feat: ours"]));
    assert_eq!(other.references(&other.project()), before);
}

#[test]
fn a_linked_work_tree_shares_the_record_and_has_its_own_commits() {
    let world = World::new(ALL);
    let linked = world.home().join("linked tree");
    world.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    world.git_in(&linked, &["commit", "--quiet", "--allow-empty", "--message=feat: on the side"]);
    let mut end = world.hostler(&["--json", "session", "end"]);
    let output = end.current_dir(&linked).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(world.session()["achievements"], json!(["feat: on the side"]));
    // The changelog and the tag belong to the work; the record lies in the main work tree.
    assert_eq!(world.read("CHANGELOG.md"), super::CHANGELOG);
    assert!(fs::read_to_string(linked.join("CHANGELOG.md")).unwrap().contains("- On the side\n"));
    assert_eq!(world.git_in(&linked, &["show", "--name-only", "--format=", "HEAD"]), "CHANGELOG.md");
    let tag = report["tag"].as_str().unwrap();
    assert_eq!(world.git(&["rev-parse", &format!("{tag}^{{}}")]), world.git(&["rev-parse", "side"]));
    assert!(world.references(&world.origin()).contains_key("refs/heads/side"));
}
