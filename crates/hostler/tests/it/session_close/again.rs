//! A close that is gone on with or tried again, when the repository is not as it was left.

use std::fs;

use serde_json::{Value, json};

use super::{ALL, CHANGELOG, World, step};

/// Nothing is pushed.
const LOCAL: &str = "[session]\ncommit = true\n";

/// A session with one commit, whose close is not let through by the user's hook.
fn refused(config: &str) -> World {
    let world = World::new(config);
    world.commit("feat: add search");
    world.hook("pre-commit", "echo 'error: lint first' >&2; exit 1");
    assert_eq!(step(&world.end(&[]), "commit").0, "failed");
    world
}

fn agree(world: &World) {
    fs::remove_file(world.project().join(".git/hooks/pre-commit")).unwrap();
}

fn tagged(world: &World) -> String {
    let tags = world.tags();
    assert_eq!(tags.len(), 1, "{tags:?}");
    world.git(&["rev-parse", &format!("{}^{{}}", tags[0])])
}

#[track_caller]
fn at(world: &World, name: &str) -> String {
    world.git(&["rev-parse", name])
}

#[test]
fn another_branch_gets_neither_commit_nor_tag() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    let planned = at(&world, "main");
    let killed = world.hostler(&["session", "end"]).env("HOSTLER_FAULT", "kill:before:commit").output();
    assert_eq!(killed.unwrap().status.code(), None);
    world.git(&["stash", "--quiet"]);
    world.git(&["checkout", "--quiet", "-b", "unrelated", "HEAD~1"]);
    world.commit("experiment");
    let output = world.hostler(&["--json", "session", "end", "--resume"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let why = "`unrelated` is checked out, and the session ended on `main`; check that out and close again";
    assert_eq!((output.status.code(), step(&report, "commit")), (Some(1), ("failed", why)));
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "experiment");
    assert_eq!((at(&world, "main"), tagged(&world)), (planned.clone(), planned.clone()));
    assert_eq!(world.references(&world.origin())["refs/heads/main"], planned);
    assert!(!world.references(&world.origin()).contains_key("refs/heads/unrelated"));
    // Where it belongs, it is finished.
    world.git(&["checkout", "--quiet", "main"]);
    world.git(&["stash", "pop", "--quiet"]);
    let report = world.end(&[]);
    assert_eq!((step(&report, "commit").0, step(&report, "push").0), ("done", "done"), "{report:#}");
    assert_eq!(world.references(&world.origin())["refs/heads/main"], at(&world, "main"));
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "chore(session): close session 1");
    // Others have the tag already.
    assert_eq!(tagged(&world), planned);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_close_that_did_not_end_the_session_begins_anew_on_the_branch_that_is_checked_out() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    let killed = world.hostler(&["session", "end"]).env("HOSTLER_FAULT", "kill:kept:flush").output();
    assert_eq!(killed.unwrap().status.code(), None);
    world.git(&["checkout", "--quiet", "-b", "other"]);
    let (branches, report) = (world.references(&world.origin()), world.end(&[]));
    assert_eq!(step(&report, "commit").0, "done", "{report:#}");
    assert_eq!(world.references(&world.origin())["refs/heads/other"], tagged(&world));
    assert_eq!(world.references(&world.origin())["refs/heads/main"], branches["refs/heads/main"]);
}

#[test]
fn a_retry_on_another_branch_says_so_and_changes_nothing() {
    let world = refused(ALL);
    agree(&world);
    world.git(&["checkout", "--quiet", "-b", "other"]);
    let before = (world.references(&world.project()), world.git(&["status", "--porcelain"]));
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "commit");
    assert!(outcome == "failed" && message.starts_with("`other` is checked out"), "{message}");
    assert_eq!((world.references(&world.project()), world.git(&["status", "--porcelain"])), before);
}

#[test]
fn what_the_user_wrote_is_not_committed() {
    // Between two runs.
    let world = refused(LOCAL);
    agree(&world);
    world.write("CHANGELOG.md", &format!("{}\n- By hand\n", world.read("CHANGELOG.md")));
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "commit");
    assert!(outcome == "done" && message.contains("not CHANGELOG.md"), "{message}");
    assert_eq!(world.git(&["status", "--porcelain"]), " M CHANGELOG.md");
    // Before the first, in a file that git does not know yet.
    let world = World::new(LOCAL);
    world.git(&["rm", "--quiet", "CHANGELOG.md"]);
    world.commit("feat: add search");
    world.write("CHANGELOG.md", CHANGELOG);
    world.end(&[]);
    assert_eq!(world.git(&["status", "--porcelain"]), "?? CHANGELOG.md");
    // While the close was killed: after it had written, and before.
    for point in ["after:changelog", "before:changelog"] {
        let world = World::new(LOCAL);
        world.commit("feat: add search");
        let killed =
            world.hostler(&["session", "end"]).env("HOSTLER_FAULT", format!("kill:{point}")).output();
        assert_eq!(killed.unwrap().status.code(), None);
        world.write("CHANGELOG.md", &world.read("CHANGELOG.md").replace("- Older", "- Older, by hand"));
        world.end(&[]);
        assert_eq!(world.git(&["status", "--porcelain"]), " M CHANGELOG.md", "{point}");
        assert_eq!(world.read("CHANGELOG.md").matches("- Add search\n").count(), 1, "{point}");
    }
}

#[test]
fn what_a_hook_put_into_its_own_form_is_committed() {
    let world = World::new(LOCAL);
    world.commit("feat: add search");
    let form = "grep -q formatted CHANGELOG.md && exit 0; echo '<!-- formatted -->' >> CHANGELOG.md; exit 1";
    world.hook("pre-commit", form);
    assert_eq!(step(&world.end(&[]), "commit").0, "failed");
    assert_eq!(step(&world.end(&[]), "commit").0, "done");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_retry_that_was_killed_is_finished() {
    for point in ["after:commit", "kept:commit", "after:tag"] {
        let world = refused(LOCAL);
        agree(&world);
        let mut end = world.hostler(&["session", "end", "--push"]);
        let killed = end.env("HOSTLER_FAULT", format!("kill:{point}")).output().unwrap();
        assert_eq!(killed.status.code(), None);
        world.end(&[]);
        assert_eq!(tagged(&world), at(&world, "main"), "{point}");
        assert_eq!(world.references(&world.origin())["refs/heads/main"], at(&world, "main"), "{point}");
    }
}

#[test]
fn a_tag_of_the_branchs_name_hides_no_branch() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.git(&["tag", "main"]);
    let report = world.end(&[]);
    assert_eq!(step(&report, "push").1, format!("main and {} to origin", report["tag"].as_str().unwrap()));
    assert_eq!(world.references(&world.origin())["refs/heads/main"], at(&world, "refs/heads/main"));
    assert_eq!(world.context()["state"]["branch"], "main");
}

#[test]
fn a_branch_that_is_gone_is_told() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.hook("pre-push", "exit 1");
    world.end(&[]);
    fs::remove_file(world.project().join(".git/hooks/pre-push")).unwrap();
    world.git(&["checkout", "--quiet", "-b", "other"]);
    world.git(&["branch", "--quiet", "-D", "main"]);
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "push");
    assert!(outcome == "failed" && message.starts_with("the branch `main`"), "{message}");
    // What can go does.
    assert_eq!(world.references(&world.origin()).len(), 2);
}

#[test]
fn the_tag_marks_the_commit_of_the_close_unless_others_have_it_or_work_went_on() {
    let world = refused(LOCAL);
    let planned = tagged(&world);
    agree(&world);
    world.end(&[]);
    assert_eq!((tagged(&world), at(&world, "main~1")), (at(&world, "main"), planned));
    // Work went on.
    let world = refused(LOCAL);
    let planned = tagged(&world);
    agree(&world);
    world.git(&["commit", "--quiet", "--allow-empty", "--message=later"]);
    assert_eq!(step(&world.end(&[]), "commit").0, "done");
    assert_eq!((tagged(&world), at(&world, "main~2")), (planned.clone(), planned));
    // It was pushed.
    let world = refused(ALL);
    let planned = tagged(&world);
    agree(&world);
    assert_eq!(step(&world.end(&[]), "push").0, "done");
    assert_eq!(tagged(&world), planned);
    assert_eq!(world.references(&world.origin())["refs/heads/main"], at(&world, "main"));
    // By the user.
    let world = refused(LOCAL);
    let planned = tagged(&world);
    agree(&world);
    world.git(&["push", "--quiet", "--tags", "origin"]);
    assert_eq!(step(&world.end(&["--push"]), "push").0, "done");
    assert_eq!(tagged(&world), planned);
    // It is somebody else's by now.
    let world = refused(LOCAL);
    world.git(&["tag", "--force", &world.tags()[0], "main~1"]);
    agree(&world);
    world.end(&[]);
    assert_eq!(tagged(&world), at(&world, "main~2"));
}

#[test]
fn what_git_could_not_say_is_looked_up_again() {
    let world = World::new("");
    world.commit("feat: add search");
    let last = at(&world, "main");
    let empty = world.home().join("empty");
    fs::create_dir(&empty).unwrap();
    let missing = "`git` is not in `PATH`; install it";
    for arguments in [&["--dry-run"][..], &[], &["--dry-run"], &[]] {
        let arguments = [&["--json", "session", "end"], arguments].concat();
        let output = world.hostler(&arguments).env("PATH", &empty).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(step(&report, "achievements"), ("failed", missing));
        assert_eq!(step(&report, "tag"), ("failed", missing));
    }
    assert_eq!(world.session()["achievements"], json!([]));
    // What came after the end is not the session's.
    world.commit("feat: later");
    let report = world.end(&[]);
    assert_eq!((&report["retried"], &report["resumed"]), (&json!(true), &json!(false)));
    assert_eq!(world.session()["achievements"], json!(["feat: add search"]));
    assert_eq!((tagged(&world), world.session()["tag"].as_str()), (last, Some(world.tags()[0].as_str())));
    assert!(world.read("CHANGELOG.md").contains("- Add search\n"));
    assert_eq!(world.hostler(&["session", "end"]).output().unwrap().status.code(), Some(3));
}

#[test]
fn journals_that_could_not_be_read_are_read_again() {
    let world = World::new("");
    let more = json!({
        "tool_name": "Bash",
        "tool_input": { "command": "pytest -q" },
        "tool_response": { "stdout": "12 passed in 0.12s\n", "stderr": "", "interrupted": false },
        "tool_use_id": "toolu_1",
    });
    super::steps::event(&world, "PostToolUse", &more);
    let (journals, away) = (world.state().join("sessions"), world.home().join("away"));
    fs::rename(&journals, &away).unwrap();
    fs::write(&journals, "no folder\n").unwrap();
    let report = world.end(&[]);
    assert_eq!((step(&report, "checks").0, step(&report, "record").0), ("failed", "done"), "{report:#}");
    fs::remove_file(&journals).unwrap();
    fs::rename(&away, &journals).unwrap();
    assert_eq!(step(&world.end(&[]), "checks"), ("done", "pytest: 12 passed"));
    assert_eq!(world.session()["checks"], json!(["pytest: 12 passed"]));
}

#[test]
fn what_is_asked_for_when_it_is_tried_again_is_done() {
    let world = World::new("");
    world.commit("feat: add search");
    world.hook("pre-commit", "exit 1");
    assert_eq!(step(&world.end(&["--commit"]), "push").0, "skipped");
    agree(&world);
    assert_eq!(step(&world.end(&["--dry-run", "--push"]), "push").0, "planned");
    let report = world.end(&["--push"]);
    assert_eq!((step(&report, "commit").0, step(&report, "push").0), ("done", "done"));
    assert_eq!(world.references(&world.origin())["refs/heads/main"], at(&world, "main"));
    // A commit as well.
    let world = World::new("[session]\npush = true\n");
    world.commit("feat: add search");
    world.hook("pre-push", "exit 1");
    world.end(&[]);
    fs::remove_file(world.project().join(".git/hooks/pre-push")).unwrap();
    let report = world.end(&["--commit"]);
    assert_eq!((step(&report, "commit").0, step(&report, "push").0), ("done", "done"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.references(&world.origin())["refs/heads/main"], tagged(&world));
}

#[test]
fn what_earlier_closes_left_is_told_and_done_by_the_next() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.hook("pre-push", "exit 1");
    world.hook("pre-commit", "exit 1");
    world.end(&[]);
    let left = world.ok(&["session", "status"]);
    assert!(left.contains("Close of #1 FAILED: commit: ") && left.contains("push: "), "{left}");
    world.ok(&["session", "begin", "--purpose", "Second"]);
    assert!(world.ok(&["session", "status"]).contains("Close of #1 FAILED"));
    agree(&world);
    fs::remove_file(world.project().join(".git/hooks/pre-push")).unwrap();
    world.git(&["commit", "--quiet", "--allow-empty", "--message=fix: empty queries"]);
    let report = world.end(&[]);
    assert!(step(&report, "push").1.contains(" and session-001-"), "{report:#}");
    assert_eq!(world.references(&world.origin()).len(), 3);
    // The changelog that the first one could not commit is no change of the user's.
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert!(!world.ok(&["session", "status"]).contains("FAILED"));
}

#[test]
fn what_an_earlier_close_wrote_on_another_branch_is_not_committed() {
    let world = refused(LOCAL);
    agree(&world);
    world.git(&["checkout", "--quiet", "-b", "other"]);
    world.ok(&["session", "begin", "--purpose", "Second"]);
    world.git(&["commit", "--quiet", "--allow-empty", "--message=fix: empty queries"]);
    let report = world.end(&[]);
    assert!(step(&report, "commit").1.contains("not CHANGELOG.md"), "{report:#}");
    assert_eq!(world.git(&["status", "--porcelain"]), " M CHANGELOG.md");
    let note = "the close of session #1 failed to do its commit: `git commit` failed: error: lint first";
    assert_eq!(report["notes"], json!([note]));
}

#[test]
fn what_is_taken_over_survives_a_kill() {
    for point in ["planned", "kept", "before:push", "after:push"] {
        let world = World::new(ALL);
        world.hook("pre-push", "exit 1");
        world.end(&[]);
        fs::remove_file(world.project().join(".git/hooks/pre-push")).unwrap();
        world.ok(&["session", "begin", "--purpose", "Second"]);
        let killed =
            world.hostler(&["session", "end"]).env("HOSTLER_FAULT", format!("kill:{point}")).output();
        assert_eq!(killed.unwrap().status.code(), None);
        assert_eq!(step(&world.end(&[]), "push").0, "done", "{point}");
        let (here, there) = (world.references(&world.project()), world.references(&world.origin()));
        assert_eq!(there.len(), 3, "{point}: {there:?}");
        assert!(there.iter().all(|(name, id)| here[name] == *id), "{point}: {there:?}");
    }
}

#[test]
fn what_is_not_pushed_any_more_is_told() {
    let world = World::new(ALL);
    world.hook("pre-push", "exit 1");
    world.end(&[]);
    let tag = world.tags()[0].clone();
    // The end of a session that was left takes nothing over.
    world.ok(&["session", "begin", "--purpose", "Second"]);
    world.ok(&["session", "end", "--left", "2", "2026-11-30T12:00:00Z"]);
    assert!(world.ok(&["session", "status"]).contains("Close of #1 FAILED"));
    world.ok(&["session", "begin", "--purpose", "Third"]);
    let report = world.end(&["--no-push"]);
    let note = format!("the close of session #1 could not push; `git push origin refs/tags/{tag}` does");
    assert_eq!(report["notes"], json!([note]));
}

#[test]
fn a_retry_says_what_it_is() {
    let world = refused(LOCAL);
    let output = world.hostler(&["session", "end"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("What had failed was tried again.") && !said.contains("done now"), "{said}");
    agree(&world);
    let said = world.ok(&["session", "end"]);
    assert!(said.contains("What had failed was tried again and is done now."), "{said}");
}
