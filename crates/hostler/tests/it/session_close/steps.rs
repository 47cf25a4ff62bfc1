//! What each step does, and that one that fails stops no other.

use std::fs;

use serde_json::{Value, json};

use super::{ALL, CHANGELOG, World, stderr, step, tree};

/// A client.
const ID: &str = "0aa1c5e2-0000-4000-8000-000000000002";

/// Tells the hook of an event of the client. Its answer.
#[track_caller]
pub(super) fn event(world: &World, name: &str, more: &Value) -> Value {
    let mut event = json!({ "session_id": ID, "cwd": world.project(), "hook_event_name": name });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let path = world.home().join("event.json");
    fs::write(&path, event.to_string()).unwrap();
    let mut hook = world.hostler(&["hook", "claude"]);
    let output = hook.stdin(fs::File::open(path).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// `session-NNN-YYYY-MM-DD-HHMM`
fn is_tag_of(name: &str, session: &str) -> bool {
    let rest = name.strip_prefix(&format!("session-{session}-")).unwrap_or_default();
    let shape: String = rest.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00-0000"
}

// @traces REQ-020-017 REQ-020-018 REQ-020-019 REQ-020-020 REQ-020-021 REQ-020-022
// @traces 021-TEST-UNIT-142 021-TEST-UNIT-143
#[test]
fn a_close_leaves_record_changelog_commit_tag_and_push() {
    let world = World::new(ALL);
    world.commit("feat(api): add search");
    world.commit("checkpoint before rm -rf build");
    world.commit("fix!: refuse empty queries");
    world.commit("docs: explain search");
    let report = world.end(&["--achievements", "Measured it"]);
    let steps: Vec<(&str, &str)> = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["step"].as_str().unwrap(), it["outcome"].as_str().unwrap()))
        .filter(|(name, _)| !["flush", "checks", "rtm", "clear"].contains(name))
        .collect();
    let all = ["achievements", "changelog", "record", "commit", "tag", "push"].map(|it| (it, "done"));
    assert_eq!(steps, all, "{report:#}");

    let session = world.session();
    let reached =
        json!(["feat(api): add search", "fix!: refuse empty queries", "docs: explain search", "Measured it"]);
    assert_eq!(session["achievements"], reached);
    assert_eq!(session["outcome"], "closed");
    assert!(session["length"].is_string() && session["ended"].is_string(), "{session:#}");
    assert_eq!(world.context()["state"]["status"], "closed");

    assert_eq!(
        world.read("CHANGELOG.md"),
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- api: add search\n\n### Fixed\n\n- Older\n- **Breaking:** Refuse empty queries\n"
    );

    let tags = world.tags();
    assert!(tags.len() == 1 && is_tag_of(&tags[0], "001"), "{tags:?}");
    assert_eq!(session["tag"], tags[0].as_str());
    assert_eq!(world.git(&["cat-file", "-t", &tags[0]]), "tag", "annotated");
    let message = world.git(&["tag", "--list", "--format=%(contents)"]);
    let expected = "Session 1: Search for everybody\n\n- feat(api): add search\n- fix!: refuse empty queries\n- docs: explain search\n- Measured it";
    assert_eq!(message.trim_end(), expected);

    // The commit holds the files of the close in their last form, and nothing is left over.
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    let files = world.git(&["show", "--name-only", "--format=%s", "HEAD"]);
    assert_eq!(files, "chore(session): close session 1\n\nCHANGELOG.md\ncontext.json\ncontext.md");
    assert_eq!(
        world.references(&world.origin())[&format!("refs/tags/{}", tags[0])],
        world.git(&["rev-parse", &tags[0]])
    );
    assert_eq!(world.references(&world.origin())["refs/heads/main"], world.git(&["rev-parse", "HEAD"]));
    assert_eq!(world.git(&["rev-parse", &format!("{}^{{}}", tags[0])]), world.git(&["rev-parse", "HEAD"]));

    assert!(report["context"].as_str().unwrap().contains("- fix!: refuse empty queries"), "{report:#}");
    let categories: Vec<&Value> =
        report["achievements"].as_array().unwrap().iter().map(|it| &it["category"]).collect();
    assert_eq!(categories, [&json!("added"), &json!("fixed"), &Value::Null, &json!("changed")]);
}

#[test]
fn nothing_leaves_the_machine_and_nothing_is_committed_unless_asked() {
    let world = World::new("");
    world.commit("feat: add search");
    let before = world.references(&world.origin());
    let report = world.end(&[]);
    assert_eq!(step(&report, "commit"), ("skipped", "not configured (`session.commit`)"));
    assert_eq!(step(&report, "push"), ("skipped", "not configured (`session.push`)"));
    assert_eq!(world.references(&world.origin()), before);
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "feat: add search");
    assert_eq!(world.tags().len(), 1);

    let world = World::new("profile = \"strict\"\n");
    world.commit("feat: add search");
    assert_eq!(step(&world.end(&[]), "push").0, "done");
    assert_eq!(world.references(&world.origin()).len(), 2);

    let world = World::new("profile = \"strict\"\n");
    assert_eq!(step(&world.end(&["--no-push", "--no-tag"]), "push").0, "skipped");
    assert_eq!(world.references(&world.origin()).len(), 1);
    assert!(world.tags().is_empty());
}

// @traces 021-TEST-UNIT-140
#[test]
fn without_an_active_session_it_says_what_to_do() {
    let world = World::new("");
    world.end(&[]);
    for arguments in [&["session", "end"][..], &["session", "end", "--dry-run"]] {
        let output = world.hostler(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let said = stderr(&output);
        assert!(said.contains("no session is active") && said.contains("hostler session begin"), "{said}");
    }
}

#[test]
fn a_changelog_is_made_only_where_one_is_asked_for() {
    let without = |config: &str| {
        let world = World::new(config);
        fs::remove_file(world.project().join("CHANGELOG.md")).unwrap();
        world.commit("feat: add search");
        world
    };
    let world = without("");
    let told = world.end(&[]);
    assert_eq!(step(&told, "changelog").0, "skipped");
    assert!(!world.project().join("CHANGELOG.md").exists());
    let world = without("[session]\nchangelog = \"docs/CHANGES.md\"\n");
    assert_eq!(step(&world.end(&[]), "changelog").0, "done");
    assert!(world.read("docs/CHANGES.md").contains("### Added\n\n- Add search\n"));
    let world = World::new("[session]\nchangelog = false\n");
    world.commit("feat: add search");
    assert_eq!(step(&world.end(&[]), "changelog"), ("skipped", "not wanted"));
    assert_eq!(world.read("CHANGELOG.md"), CHANGELOG);
}

#[test]
fn a_changelog_of_others_is_left_alone() {
    // Of the commit itself.
    let world = World::new("");
    world.write("CHANGELOG.md", &CHANGELOG.replace("- Older", "- Older\n- Searching works"));
    world.commit("feat: add search");
    world.commit("fix: empty queries");
    world.end(&[]);
    let text = world.read("CHANGELOG.md");
    assert!(text.contains("- Searching works\n- Empty queries\n") && !text.contains("Add search"), "{text}");
    // Of a program.
    let world = World::new("");
    world.write("cliff.toml", "");
    world.commit("feat: add search");
    assert_eq!(step(&world.end(&[]), "changelog").0, "skipped");
    assert_eq!(world.read("CHANGELOG.md"), CHANGELOG);
    // No text.
    let world = World::new("");
    world.commit("feat: add search");
    fs::write(world.project().join("CHANGELOG.md"), b"# \xff\n").unwrap();
    let report = world.end(&[]);
    assert_eq!(step(&report, "changelog"), ("failed", "`CHANGELOG.md` is not UTF-8"));
    assert_eq!((step(&report, "record").0, step(&report, "tag").0), ("done", "done"));
}

#[test]
fn a_push_that_fails_is_told_and_tried_again_by_the_next_close() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    let away = world.home().join("away.git");
    fs::rename(world.origin(), &away).unwrap();
    let report = world.end(&[]);
    assert_eq!(step(&report, "push").0, "failed");
    assert_eq!((step(&report, "tag").0, &report["closed"]), ("done", &json!(true)));
    assert!(report["message"].as_str().unwrap().ends_with("; failed: push"), "{report:#}");
    fs::rename(&away, world.origin()).unwrap();
    let report = world.end(&[]);
    assert_eq!(step(&report, "push").0, "done");
    assert_eq!(world.references(&world.origin()).len(), 2);
    assert_eq!(world.tags().len(), 1);
    // And then there is nothing left.
    assert_eq!(world.hostler(&["session", "end"]).output().unwrap().status.code(), Some(3));
}

#[test]
fn a_branch_that_is_behind_is_not_forced() {
    let world = World::new(ALL);
    let other = world.home().join("other");
    world.git(&["clone", "--quiet", world.origin().to_str().unwrap(), other.to_str().unwrap()]);
    world.git_in(&other, &["commit", "--quiet", "--allow-empty", "--message=theirs"]);
    world.git_in(&other, &["push", "--quiet", "origin", "HEAD"]);
    let theirs = world.git_in(&other, &["rev-parse", "HEAD"]);
    world.commit("feat: add search");
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "push");
    assert!(outcome == "failed" && message.contains("main: [rejected]"), "{message}");
    let there = world.references(&world.origin());
    assert_eq!(there["refs/heads/main"], theirs);
    assert_eq!(there.len(), 2, "the tag is there: {there:?}");
}

#[test]
fn a_remote_that_asks_for_a_password_fails_at_once() {
    let world = World::new(ALL);
    // A program that would ask for as long as somebody answers.
    World::script(&world.home().join("ask"), "echo asked >> \"$HOME/asked\"; echo secret");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/x.git", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    world.git(&["remote", "set-url", "origin", &address]);
    world.git(&["config", "core.askPass", world.home().join("ask").to_str().unwrap()]);
    let report = world.end(&[]);
    assert_eq!(step(&report, "push").0, "failed", "{report:#}");
    assert!(!world.home().join("asked").exists(), "nobody was asked");
}

#[test]
fn the_commit_takes_only_the_files_of_the_close() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.write(".hostler/config.toml", &format!("{ALL}# changed\n"));
    world.end(&[]);
    let status = world.git(&["status", "--porcelain"]);
    assert_eq!(status, " M .hostler/config.toml\nA  staged.txt");
    let files = world.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(files, "CHANGELOG.md\ncontext.json\ncontext.md");
}

#[test]
fn a_changelog_with_changes_of_the_users_is_not_committed() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.write("CHANGELOG.md", &CHANGELOG.replace("- Older", "- Older, by hand"));
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "commit");
    assert!(outcome == "done" && message.contains("not CHANGELOG.md"), "{message}");
    assert_eq!(world.git(&["status", "--porcelain"]), " M CHANGELOG.md");
    let text = world.read("CHANGELOG.md");
    assert!(text.contains("- Older, by hand\n") && text.contains("- Add search\n"), "{text}");
}

#[test]
fn hooks_of_the_user_run_and_may_say_no() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    world.hook("pre-commit", "echo 'error: lint first' >&2; exit 1");
    world.hook("pre-push", "echo 'error: not today' >&2; exit 1");
    let report = world.end(&[]);
    assert_eq!(step(&report, "commit"), ("failed", "`git commit` failed: error: lint first"));
    let (outcome, message) = step(&report, "push");
    assert!(outcome == "failed" && message.contains("not today"), "{message}");
    assert_eq!(step(&report, "tag").0, "done");
    // What had to be announced to git is not left in the index.
    assert_eq!(world.git(&["status", "--porcelain"]), " M CHANGELOG.md\n?? context.json\n?? context.md");
    // Once they agree, the same command does the rest.
    fs::remove_file(world.project().join(".git/hooks/pre-commit")).unwrap();
    fs::remove_file(world.project().join(".git/hooks/pre-push")).unwrap();
    let report = world.end(&[]);
    assert_eq!((step(&report, "commit").0, step(&report, "push").0), ("done", "done"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_merge_that_goes_on_is_not_disturbed() {
    let world = World::new(ALL);
    world.git(&["checkout", "--quiet", "-b", "side"]);
    world.write("file", "side\n");
    world.commit("side");
    world.git(&["checkout", "--quiet", "main"]);
    world.write("file", "main\n");
    world.commit("feat: add search");
    let merged = world.command("git", &world.project()).args(["merge", "side"]).output().unwrap();
    assert!(!merged.status.success());
    let report = world.end(&[]);
    assert_eq!(step(&report, "commit"), ("failed", "a merge is not finished; finish it and close again"));
    assert!(world.project().join(".git/MERGE_HEAD").exists());
    assert_eq!(step(&report, "record").0, "done");
}

#[test]
fn a_tag_is_signed_if_the_user_signs_tags() {
    let world = World::new("");
    let signer = world.home().join("signer");
    World::script(
        &signer,
        "cat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----'",
    );
    world.git(&["config", "gpg.program", signer.to_str().unwrap()]);
    world.git(&["config", "tag.gpgSign", "true"]);
    let report = world.end(&[]);
    assert_eq!(step(&report, "tag").0, "done");
    let tag = world.tags().remove(0);
    assert!(world.git(&["cat-file", "tag", &tag]).contains("BEGIN PGP SIGNATURE"));

    let world = World::new("");
    world.git(&["config", "gpg.program", "false"]);
    world.git(&["config", "tag.gpgSign", "true"]);
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "tag");
    assert!(outcome == "done" && message.ends_with(", not signed"), "{message}");
    assert!(report["notes"][0].as_str().unwrap().contains("is not signed"), "{report:#}");
    assert_eq!(world.tags().len(), 1);
}

#[test]
fn a_tag_that_is_there_is_kept() {
    let world = World::new("");
    let planned = world.end(&["--dry-run"])["tag"].as_str().unwrap().to_owned();
    let minute: u32 = planned[planned.len() - 2..].parse().unwrap();
    // Whichever minute the close falls into.
    for minute in [minute, (minute + 1) % 60] {
        world.git(&["tag", &format!("{}{minute:02}", &planned[..planned.len() - 2])]);
    }
    let before = world.references(&world.project());
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "tag");
    assert!(outcome == "done" && message.ends_with(" is there"), "{message}");
    assert_eq!(world.references(&world.project()), before);
}

#[test]
fn without_an_identity_the_session_is_closed_all_the_same() {
    let world = World::new(ALL);
    fs::write(world.home().join(".gitconfig"), "[user]\nuseConfigOnly = true\n").unwrap();
    let report = world.end(&[]);
    assert_eq!((step(&report, "commit").0, step(&report, "tag").0), ("failed", "failed"));
    assert_eq!(step(&report, "record").0, "done");
    // A name of a tag that is not there would lead nowhere.
    assert_eq!(world.session()["tag"], Value::Null);
}

#[test]
fn a_dry_run_changes_nothing_at_all() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    let (files, there) = (tree(&world.home()), world.references(&world.origin()));
    let report = world.end(&["--dry-run", "--achievements", "More"]);
    assert_eq!(tree(&world.home()).keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
    assert!(tree(&world.home()) == files, "bytes of a file changed");
    assert_eq!(world.references(&world.origin()), there);
    let planned = |name: &str| step(&report, name);
    assert_eq!(planned("changelog"), ("planned", "1 entry in CHANGELOG.md below [Unreleased]"));
    assert_eq!(planned("record"), ("planned", "end session #1 in context.json"));
    assert_eq!(planned("commit"), ("planned", "commit the files of the close on main"));
    let tag = report["tag"].as_str().unwrap();
    assert_eq!(planned("tag"), ("planned", format!("tag {tag}").as_str()));
    assert_eq!(planned("push"), ("planned", format!("push main and {tag} to origin").as_str()));
    assert_eq!((&report["dry_run"], &report["closed"]), (&json!(true), &json!(false)));
}

#[test]
fn tests_and_linters_that_ran_are_told() {
    let world = World::new("");
    let call = |id: &str, command: &str, output: &str| {
        let more = json!({
            "tool_name": "Bash",
            "tool_input": { "command": command },
            "tool_response": { "stdout": output, "stderr": "", "interrupted": false },
            "tool_use_id": id,
        });
        event(&world, "PostToolUse", &more);
    };
    call("toolu_1", "pytest -q", "10 passed, 2 failed in 0.1s\n");
    call("toolu_2", "pytest -q", "............\n12 passed in 0.12s\n");
    call("toolu_3", "ruff check .", "All checks passed!\n");
    let report = world.end(&[]);
    assert_eq!(report["checks"]["lines"][0], "pytest: 12 passed", "{report:#}");
    assert_eq!(step(&report, "flush"), ("done", "1 journal is on the disk"));
    let state = &world.context()["state"];
    assert_eq!((&state["test_count"], &state["test_state"]), (&json!(12), &json!("12 passing")));
    assert_eq!(world.session()["checks"], report["checks"]["lines"]);
}

#[test]
fn secrets_in_subjects_are_nowhere() {
    let world = World::new(ALL);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    world.commit(&format!("feat: use {secret} for the API"));
    world.end(&[]);
    for file in ["context.json", "context.md", "CHANGELOG.md"] {
        let text = world.read(file);
        assert!(!text.contains(&secret) && text.contains("redacted"), "{file}: {text}");
    }
    assert!(!world.git(&["tag", "--list", "--format=%(contents)"]).contains(&secret));
}

/// A project that traces its requirements.
fn traced(config: &str) -> World {
    let world = World::new(config);
    world.write("trace.toml", "ids = ['REQ-[0-9]+']\n[[requirements]]\npath = 'spec.md'\n");
    world.write("spec.md", "# Spec\n\n- REQ-001: It searches.\n- REQ-002: It sorts.\n");
    // Not as one word, or it would be a tag of this file.
    world.write("search.py", &format!("def search():\n    # @{} REQ-001\n    return []\n", "traces"));
    world.commit("feat: search");
    world
}

// @traces REQ-020-016 REQ-020-212
#[test]
fn a_project_that_traces_requirements_gets_their_matrix() {
    let world = traced(ALL);
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "rtm");
    assert!(
        outcome == "done" && message.starts_with("plans/rtm.md: 1 of 2 requirements traced"),
        "{message}"
    );
    let matrix = world.read("plans/rtm.md");
    assert!(matrix.contains("REQ-001") && matrix.contains("search.py"), "{matrix}");
    let files = world.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(files, "CHANGELOG.md\ncontext.json\ncontext.md\nplans/rtm.md");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // Requirements that nobody asked to trace are none of ours.
    let world = traced("");
    fs::remove_file(world.project().join("trace.toml")).unwrap();
    assert_eq!(step(&world.end(&[]), "rtm").0, "skipped");
    assert!(!world.project().join("plans").exists());
}

// @traces REQ-020-023 REQ-020-025 REQ-020-210
#[test]
fn the_hook_starts_a_process_that_makes_the_matrix_and_closes() {
    let world = traced("");
    event(&world, "SessionStart", &json!({ "source": "startup" }));
    let answer = event(&world, "UserPromptSubmit", &json!({ "prompt": "cts" }));
    assert!(world.read("plans/rtm.md").contains("search.py"));
    let tag = world.tags().remove(0);
    // The prompt goes on, and the agent is told what came of it.
    assert_eq!((&answer["decision"], &answer["continue"]), (&Value::Null, &Value::Null), "{answer:#}");
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    for told in ["Session #1 closed", "- feat: search", "RTM: plans/rtm.md: 1 of 2 requirements", &tag] {
        assert!(context.contains(told), "{told}: {context}");
    }
}

// @traces REQ-020-024 REQ-020-213 020-ERR-023
#[test]
fn a_matrix_that_cannot_be_made_is_told_and_stops_nothing() {
    for (file, text) in [("trace.toml", "requirements = 3\n"), ("plans", "a file where the folder belongs\n")]
    {
        let world = traced(ALL);
        world.write(file, text);
        let report = world.end(&[]);
        let (outcome, message) = step(&report, "rtm");
        assert!(outcome == "failed" && !message.is_empty(), "{message}");
        for name in ["changelog", "record", "commit", "tag", "push"] {
            assert_eq!(step(&report, name).0, "done", "{name} after {file}");
        }
        assert!(report["context"].as_str().unwrap().contains("Failed: rtm: "), "{report:#}");
        assert_eq!(report["closed"], true);
    }
}

// @traces 021-TEST-UNIT-144
#[test]
fn what_was_counted_for_the_session_starts_over() {
    let world = World::new("");
    let hook = |name: &str, more: Value| event(&world, name, &more);
    let read = |id: &str| {
        let input = json!({ "file_path": world.project().join("CHANGELOG.md") });
        hook("PreToolUse", json!({ "tool_name": "Read", "tool_input": input, "tool_use_id": id }));
    };
    let counted = || {
        let text = fs::read_to_string(world.state().join(format!("sessions/{ID}.state.json"))).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["reads"].clone()
    };
    hook("SessionStart", json!({ "source": "startup" }));
    assert_eq!(world.session()["hosts"][0]["id"], ID);
    read("toolu_1");
    read("toolu_2");
    assert!(counted().to_string().contains("\"total\":2"), "{}", counted());
    let report = world.end(&[]);
    assert_eq!(step(&report, "clear"), ("done", "counts of 1 client start over"));
    assert_eq!(counted(), Value::Null);
}
