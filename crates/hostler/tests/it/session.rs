//! `hostler session` as people and agents run it, and the view that follows the record.

#![expect(clippy::unwrap_used, reason = "tests")]

mod many;
mod view;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::hook::{Answer, finish};

/// A home folder with a repository in it.
pub(super) struct Site {
    folder: tempfile::TempDir,
    program: PathBuf,
    /// Who runs the commands, if that is not who runs the tests.
    user: Option<u32>,
}

impl Site {
    /// A repository without a record.
    pub(super) fn bare() -> Self {
        let folder =
            tempfile::Builder::new().prefix("session-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let site = Self { folder, program: env!("CARGO_BIN_EXE_hostler").into(), user: None };
        fs::create_dir_all(site.root()).unwrap();
        site.git(&["init", "--quiet", "--initial-branch=main"]);
        site.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1.2.0\"\n");
        site.git(&["add", "--all"]);
        site.git(&["commit", "--quiet", "--message=start"]);
        site
    }

    /// A repository with a record.
    pub(super) fn new() -> Self {
        let site = Self::bare();
        site.ok(&["init"]);
        site
    }

    /// A repository with a record, of somebody who is not the superuser: to them no folder is read-only.
    pub(super) fn of_nobody() -> Self {
        const NOBODY: u32 = 65534;
        let mut site = Self::new();
        if fs::metadata(site.root()).unwrap().uid() != 0 {
            return site;
        }
        // Where everybody may go, which the folder of a build need not be.
        let folder = tempfile::tempdir().unwrap();
        let copied = Command::new("cp").arg("-a").arg(site.home()).arg(folder.path()).status().unwrap();
        assert!(copied.success());
        site.program = folder.path().join("hostler");
        fs::copy(env!("CARGO_BIN_EXE_hostler"), &site.program).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let owner = format!("{NOBODY}:{NOBODY}");
        let given = Command::new("chown").args(["-R", &owner]).arg(folder.path()).status().unwrap();
        assert!(given.success());
        site.folder = folder;
        site.user = Some(NOBODY);
        site
    }

    /// The program under test, where whoever runs it may run it.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home/my shop")
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(super) fn record(&self) -> Value {
        serde_json::from_str(&self.read("context.json")).unwrap()
    }

    #[track_caller]
    pub(super) fn git(&self, arguments: &[&str]) {
        let mut command = self.command("git", &self.root());
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.invalid"]).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    pub(super) fn command(&self, program: impl AsRef<OsStr>, cwd: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(cwd).env_clear().env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// `hostler session …` in `cwd`.
    pub(super) fn run_in(&self, cwd: &Path, arguments: &[&str]) -> Answer {
        let mut command = self.command(&self.program, cwd);
        finish(command.arg("session").args(arguments).spawn().unwrap(), b"")
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Answer {
        self.run_in(&self.root(), arguments)
    }

    /// What it printed; stderr has to be empty.
    #[track_caller]
    pub(super) fn ok(&self, arguments: &[&str]) -> String {
        let answer = self.run(arguments);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{arguments:?}: {answer:?}");
        answer.stdout
    }

    #[track_caller]
    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.ok(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// What it printed, without what differs from run to run.
    #[track_caller]
    fn shown(&self, arguments: &[&str]) -> String {
        stable(&self.ok(arguments)).replace(self.root().to_str().unwrap(), "<root>")
    }
}

/// `text` with the digits of times and commits zeroed, so that boxes keep their width.
pub(super) fn stable(text: &str) -> String {
    const TIME: &[u8] = b"0000-00-00x00:00";
    let mut bytes = text.as_bytes().to_vec();
    for at in 0..bytes.len().saturating_sub(TIME.len()) {
        let fits = TIME.iter().zip(&bytes[at..]).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            b'x' => matches!(byte, b'T' | b' '),
            other => byte == other,
        });
        if fits {
            let rest =
                bytes[at..].iter().take_while(|it| it.is_ascii_digit() || b"-T :Z".contains(it)).count();
            bytes[at..at + rest].iter_mut().filter(|it| it.is_ascii_digit()).for_each(|it| *it = b'0');
        }
    }
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|it| it.is_ascii_hexdigit()).count();
        if run == 40 {
            bytes[at..at + run].fill(b'c');
        }
        at += run + 1;
    }
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn check(site: &Site, arguments: &[&str], code: i32, words: &str) {
    let answer = site.run(arguments);
    let said = format!("{}{}", answer.stdout, answer.stderr);
    assert!(answer.code == Some(code) && said.contains(words), "{arguments:?}: {answer:?}");
}

/// An end that touches nothing but the record.
pub(super) const RECORD_ONLY: &[&str] =
    &["--no-tag", "--no-changelog", "--no-rtm", "--no-commit", "--no-push"];

/// One session from its first command to its last, as it is shown.
fn story() -> Vec<Vec<&'static str>> {
    vec![
        vec!["status"],
        vec!["begin", "--purpose", "Implement SPEC-021", "--objectives", "Pass the gates", "Write it down"],
        vec![
            "log-work",
            "--desc",
            "Implemented 5-gate review pipeline",
            "--details",
            "Gate 1-3 complete",
            "Gate 4-5 remaining",
            "--details",
            "Ärger mit 進行中",
        ],
        vec!["log-achievement", "--item", "Added deception detection (3 patterns)"],
        vec!["log-choice", "--choice", "One file", "--reason", "It can be copied"],
        vec!["add-work", "--text", "Add memory search agent", "--priority", "P2"],
        vec!["add-work", "--text", "Tidy up", "--priority", "high", "--notes", "after the release"],
        vec!["add-work", "--text", "Tidy up"],
        vec!["update-state", "--version", "1.3.0", "--branch", "feature/x", "--test-state", "3/15 passing"],
        vec!["status"],
        vec!["complete-work", "--text", "Add memory search agent"],
        vec!["complete-work", "DW-001"],
        [&["end", "--achievements", "item1", "item2", "--upcoming", "Gate 4-5"], RECORD_ONLY].concat(),
        vec!["status"],
        vec!["history"],
        vec!["show", "1"],
    ]
}

// @traces 021-CONST-VIII-002
#[test]
fn a_session_from_begin_to_end() {
    let site = Site::new();
    let mut told = String::new();
    for arguments in story() {
        let shown = site.shown(&arguments);
        // What a close says has tests of its own.
        let shown = if arguments[0] == "end" { String::new() } else { shown };
        told.extend(["$ hostler session ", &arguments.join(" "), "\n", &shown, "\n"]);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_session_from_begin_to_end_for_programs() {
    let site = Site::new();
    let mut told = String::new();
    for mut arguments in story() {
        arguments.push("--json");
        let document: Value = serde_json::from_str(&site.shown(&arguments)).unwrap();
        if arguments[0] == "end" {
            assert_eq!((document["session"].as_u64(), document["closed"].as_bool()), (Some(1), Some(true)));
            continue;
        }
        let text = serde_json::to_string_pretty(&document).unwrap();
        told.extend(["$ hostler session ", &arguments.join(" "), "\n", &text, "\n"]);
    }
    insta::assert_snapshot!(told);
    let record: Value = serde_json::from_str(&stable(&site.read("context.json"))).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&record).unwrap());
    insta::assert_snapshot!(stable(&site.read("context.md")));
}

/// The commands, their words and their effects are the same whichever host the shell belongs to.
// @traces 021-CONST-VIII-002
#[test]
fn every_host_has_the_same_commands() {
    let hosts: [&[(&str, &str)]; 3] = [
        &[],
        &[("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")],
        &[("OPENCODE", "1"), ("OPENCODE_BIN_PATH", "/usr/bin/opencode"), ("TERM", "dumb")],
    ];
    let told = hosts.map(|variables| {
        let site = Site::new();
        let run = |arguments: &[&str]| {
            let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
            command.arg("session").args(arguments).envs(variables.iter().copied());
            let answer = finish(command.spawn().unwrap(), b"");
            let text = format!("{:?}\n{}{}", answer.code, answer.stdout, answer.stderr);
            stable(&text).replace(site.root().to_str().unwrap(), "<root>")
        };
        let mut told: Vec<String> = story().iter().map(|it| run(it)).collect();
        told.extend(story().iter().map(|it| run(&[it[0], "--help"])));
        told.push(run(&["--help"]));
        told.push(stable(&site.read("context.json")));
        told.push(stable(&site.read("context.md")));
        told
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0], told[2]);
}

/// What one host's agent records, the other's goes on from: there is one record and no copy.
// @traces 021-CONST-II-001 021-CONST-VIII-003
#[test]
fn hosts_take_turns_on_one_record() {
    let site = Site::new();
    let run = |host: &str, arguments: &[&str]| {
        let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
        command.arg("session").args(arguments).arg("--json").env(host, "1");
        let answer = finish(command.spawn().unwrap(), b"");
        assert_eq!(answer.code, Some(0), "{host} {arguments:?}: {answer:?}");
        serde_json::from_str::<Value>(&answer.stdout).unwrap()
    };
    run("CLAUDECODE", &["begin", "--purpose", "shared"]);
    run("OPENCODE", &["log-work", "--desc", "by the other"]);
    run("CLAUDECODE", &["add-work", "--text", "for the other"]);
    assert_eq!(run("OPENCODE", &["complete-work", "for the other"])["completed"], true);
    let seen = ["CLAUDECODE", "OPENCODE"].map(|host| run(host, &["status"]));
    assert_eq!(seen[0], seen[1]);
    let session = &seen[0]["session"];
    assert_eq!(
        (session["purpose"].as_str(), session["work_log"][0]["desc"].as_str()),
        (Some("shared"), Some("by the other"))
    );
    // All of the state is in the one file: with nothing but it the same is told elsewhere.
    let other = Site::new();
    other.write("context.json", &site.read("context.json"));
    let elsewhere = other.json(&["status"]);
    assert_eq!((&elsewhere["session"], &elsewhere["state"]), (&seen[0]["session"], &seen[0]["state"]));
}

#[test]
fn a_record_is_made_from_what_the_project_says() {
    let site = Site::bare();
    let made = site.json(&["init", "--test-count", "12"]);
    assert_eq!((made["changed"].as_bool(), made["state"]["version"].as_str()), (Some(true), Some("1.2.0")));
    assert_eq!(made["state"]["branch"], "main");
    assert_eq!(made["state"]["test_count"], 12);
    assert_eq!(site.record()["state"]["version"], "1.2.0");
    let before = site.read("context.json");
    let again = site.json(&["init", "--version", "9.9.9"]);
    assert_eq!(again["changed"], false);
    assert_eq!(site.read("context.json"), before);

    let site = Site::bare();
    let told = site.json(&["init", "--version", "1.0.0", "--branch", "master", "--dry-run"]);
    assert_eq!((told["changed"].as_bool(), told["dry_run"].as_bool()), (Some(true), Some(true)));
    assert!(!site.path("context.json").exists() && !site.path("context.md").exists());
    site.ok(&["init", "--version", "1.0.0", "--branch", "master"]);
    assert_eq!(site.record()["state"]["version"], "1.0.0");
    assert_eq!(site.record()["state"]["branch"], "master");
}

#[test]
fn errors_say_what_to_do() {
    let bare = Site::bare();
    for arguments in [
        &["status"][..],
        &["begin", "--purpose", "x"],
        &["end"],
        &["log-work", "--desc", "x"],
        &["add-work", "--text", "x"],
        &["history"],
        &["show", "1"],
        &["render"],
    ] {
        check(&bare, arguments, 3, "make one with `hostler session init`");
    }
    assert!(!bare.path("context.json").exists());

    let site = Site::new();
    check(&site, &["status"], 0, "No active session");
    for arguments in [
        &["end"][..],
        &["log-work", "--desc", "x"],
        &["log-achievement", "--item", "x"],
        &["log-choice", "--choice", "x", "--reason", "y"],
    ] {
        check(&site, arguments, 3, "no session is active; begin one with `hostler session begin");
    }
    check(&site, &["show", "7"], 3, "there is no session #7");
    check(&site, &["complete-work", "x"], 3, "no open work is or contains `x`");
    check(&site, &["complete-work"], 3, "required");
    check(&site, &["complete-work", "x", "--text", "y"], 3, "cannot be used with");
    check(&site, &["add-work", "--text", " "], 3, "it is empty");
    check(&site, &["add-work", "--text", "x", "--priority", "P9"], 3, "none of P0, P1");
    check(&site, &["update-state"], 3, "required");
    check(&site, &["update-state", "--status", "sleeping"], 3, "none of active, idle, closed");
    check(&site, &["begin"], 3, "--purpose");
    site.ok(&["begin", "--purpose", "first thing"]);
    check(&site, &["begin", "--purpose", "y"], 3, "session #1 is active since");
    check(&site, &["begin", "--purpose", "y"], 3, "purpose: first thing");
    check(&site, &["begin", "--purpose", "y", "--json"], 3, "{\"error\":\"session #1 is active");
    check(&site, &["update-state", "--status", "closed"], 3, "close it with `hostler session end`");
    site.ok(&["update-state", "--status", "idle"]);
    site.ok(&["add-work", "--text", "write docs"]);
    site.ok(&["add-work", "--text", "write tests"]);
    check(&site, &["complete-work", "write"], 3, "DW-001 (write docs), DW-002 (write tests)");
}

/// Both branches begin in the same second, under the same number.
#[test]
fn a_merge_that_stops_at_the_record_is_put_right() {
    let site = Site::new();
    let went_on = |branch: &str| {
        site.ok(&["begin", "--purpose", &format!("{branch} session"), "--branch", "main"]);
        site.ok(&["log-work", "--desc", &format!("{branch} log")]);
        site.ok(&["add-work", "--text", &format!("{branch} todo")]);
        site.ok(&[&["end"], RECORD_ONLY].concat());
    };
    let commit = || {
        site.git(&["add", "--all"]);
        site.git(&["commit", "--quiet", "--message=x"]);
    };
    commit();
    site.git(&["checkout", "--quiet", "-b", "feat"]);
    went_on("feat");
    commit();
    site.git(&["checkout", "--quiet", "main"]);
    went_on("main");
    commit();
    let mut merge = site.command("git", &site.root());
    merge.args(["-c", "user.name=A", "-c", "user.email=a@example.invalid", "merge", "--quiet", "feat"]);
    let merge = merge.output().unwrap();
    assert!(!merge.status.success() && site.read("context.json").contains("\n<<<<<<< HEAD\n"), "{merge:?}");
    // What was known of either is gone, as on another machine.
    fs::remove_dir_all(site.home().join(".local")).unwrap();
    let told = site.run(&["render"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for words in
        ["both sides of a merge", "session #1 (feat session) is #2 now", "DW-001 (feat todo) is DW-002 now"]
    {
        assert!(told.stderr.contains(words), "{told:?}");
    }
    let sessions: Vec<[String; 2]> = [2, 1]
        .map(|number| site.json(&["show", &number.to_string()])["session"].clone())
        .map(|it| [&it["purpose"], &it["work_log"][0]["desc"]].map(|it| it.as_str().unwrap().to_owned()))
        .to_vec();
    assert_eq!(sessions, [["feat session", "feat log"], ["main session", "main log"]]);
    let work = site.json(&["status", "--all"])["work"].clone();
    let work: Vec<&str> =
        work.as_array().unwrap().iter().filter_map(|it| it["description"].as_str()).collect();
    assert_eq!(work, ["main todo", "feat todo"]);
    assert!(!site.read("context.md").contains("<<<<<<<"), "{}", site.read("context.md"));
    site.git(&["add", "context.json", "context.md"]);
    site.git(&["commit", "--quiet", "--message=merged"]);
}

/// A command line that is wrong is an answer like any other to a program that reads it.
#[test]
fn a_wrong_command_line_is_told_in_json_where_that_is_asked_for() {
    let site = Site::new();
    let run = |arguments: &[&str]| {
        let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
        finish(command.args(arguments).spawn().unwrap(), b"")
    };
    for (arguments, words) in [
        (&["session", "begin", "--json"][..], "--purpose <PURPOSE>"),
        (&["--json", "session", "begin"], "--purpose <PURPOSE>"),
        (&["session", "update-state", "--status", "x", "--json"], "none of active, idle, closed"),
        (&["session", "nonsense", "--json"], "unrecognized subcommand 'nonsense'"),
        (&["audit", "show", "--nonsense", "--json"], "unexpected argument '--nonsense'"),
        (&["nonsense", "--json"], "unrecognized subcommand 'nonsense'"),
    ] {
        let answer = run(arguments);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(3), ""), "{arguments:?}: {answer:?}");
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        let error = document["error"].as_str().unwrap();
        assert!(error.contains(words) && !error.starts_with("error"), "{arguments:?}: {error}");
    }
    // Without it, and where it is a word of a text, people read.
    for arguments in [&["session", "begin"][..], &["session", "nonsense", "--", "--json"]] {
        let answer = run(arguments);
        assert!(answer.stdout.is_empty() && answer.stderr.starts_with("error: "), "{answer:?}");
    }
    // Help is no error.
    assert!(run(&["session", "begin", "--help", "--json"]).stdout.starts_with("Begin a session"));
}

#[test]
fn work_that_is_open_gets_the_priority_that_is_said() {
    let site = Site::new();
    site.ok(&["add-work", "--text", "write docs", "--priority", "high"]);
    let told = site.ok(&["add-work", "--text", "write docs", "--priority", "P0"]);
    assert!(told.contains("changed DW-001 (priority was high) | P0"), "{told}");
    assert!(site.ok(&["add-work", "--text", "write docs"]).contains("DW-001 is open already | P0"));
    let told = site.json(&["add-work", "--text", "write docs", "--notes", "soon"]);
    assert_eq!((&told["added"], &told["changed"]), (&Value::from(false), &Value::from(true)));
    assert_eq!(
        (&told["work"]["priority"], &told["work"]["notes"]),
        (&Value::from("P0"), &Value::from("soon"))
    );
    let told = site.ok(&["add-work", "--text", "write docs", "--priority", "low", "--dry-run"]);
    assert!(told.contains("would change DW-001 (priority was P0)"), "{told}");
    assert_eq!(site.record()["deferred_work"][0]["priority"], "P0");
}

#[test]
fn links_out_of_the_project_are_not_followed() {
    // A record that is somewhere else.
    let site = Site::new();
    site.ok(&["begin", "--purpose", "first"]);
    let elsewhere = site.home().join("elsewhere.json");
    fs::rename(site.path("context.json"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, site.path("context.json")).unwrap();
    let before = fs::read_to_string(&elsewhere).unwrap();
    for arguments in [&["log-work", "--desc", "x"][..], &["status"], &["render"], &["init"]] {
        check(&site, arguments, 4, "outside the project");
    }
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), before);
    // One that would be made there, with folders.
    for target in ["nowhere/at/all.json", "../nowhere/at/all.json"] {
        let site = Site::bare();
        std::os::unix::fs::symlink(target, site.path("context.json")).unwrap();
        let words =
            if target.starts_with("..") { "outside the project" } else { "whose folder does not exist" };
        check(&site, &["init"], 4, words);
        assert!(!site.path("nowhere").exists() && !site.home().join("nowhere").exists());
    }
    // Within the project a link is a name like any other.
    let site = Site::new();
    fs::create_dir(site.path("docs")).unwrap();
    fs::rename(site.path("context.json"), site.path("docs/record.json")).unwrap();
    std::os::unix::fs::symlink("docs/record.json", site.path("context.json")).unwrap();
    site.ok(&["begin", "--purpose", "first"]);
    assert!(site.read("docs/record.json").contains("first"));
}

#[test]
fn a_pipe_in_a_files_place_holds_nobody() {
    let site = Site::new();
    let pipe = |path: &str| {
        fs::create_dir_all(site.path(path).parent().unwrap()).unwrap();
        let made = Command::new("mkfifo").arg(site.path(path)).status().unwrap();
        assert!(made.success());
    };
    fs::remove_file(site.path("pyproject.toml")).unwrap();
    for path in ["package.json", "Cargo.toml", "pyproject.toml", ".hostler/context.md.j2"] {
        pipe(path);
    }
    let begun = site.run(&["begin", "--purpose", "first"]);
    assert!(begun.code == Some(0) && begun.stderr.contains("no regular file"), "{begun:?}");
    pipe(".hostler/config.toml");
    let logged = site.run(&["log-work", "--desc", "x"]);
    assert!(logged.code == Some(0) && logged.stderr.contains("config.toml"), "{logged:?}");
    // The record itself.
    fs::remove_file(site.path("context.json")).unwrap();
    pipe("context.json");
    check(&site, &["status"], 3, "no sessions are kept here");
    check(&site, &["init"], 3, "is no record of sessions; move it away");
}

#[test]
fn an_active_session_is_closed_as_it_stands_when_that_is_said() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "first"]);
    let begun = site.json(&["begin", "--purpose", "second", "--force"]);
    assert_eq!((begun["session"]["seq"].as_u64(), begun["replaced"].as_u64()), (Some(2), Some(1)));
    let first = &site.json(&["show", "1"])["session"];
    assert_eq!((first["outcome"].as_str(), first["active"].as_bool()), (Some("superseded"), Some(false)));
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "first"]);
    site.ok(&["add-work", "--text", "write docs"]);
    let files = || (site.read("context.json"), site.read("context.md"));
    let before = files();
    for arguments in [
        &["begin", "--purpose", "x", "--force"][..],
        &["end", "--achievements", "a", "--upcoming", "b"],
        &["log-work", "--desc", "x", "--details", "y"],
        &["log-achievement", "--item", "x"],
        &["log-choice", "--choice", "x", "--reason", "y"],
        &["add-work", "--text", "x"],
        &["complete-work", "DW-001"],
        &["update-state", "--test-count", "3"],
        &["render"],
    ] {
        let all = [arguments, &["--dry-run"]].concat();
        assert_eq!(site.json(&all)["dry_run"], true, "{arguments:?}");
        assert!(site.ok(&all).contains("would "), "{arguments:?}");
        assert_eq!(files(), before, "{arguments:?}");
    }
    // What is refused is refused in a dry run as well.
    check(&site, &["begin", "--purpose", "x", "--dry-run"], 3, "session #1 is active");
}

// @traces REQ-020-015
#[test]
fn the_record_is_found_from_every_folder_and_work_tree_of_the_project() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "shared"]);
    site.git(&["worktree", "add", "--quiet", "../side tree", "-b", "side"]);
    let side = site.home().join("side tree");
    let deep = site.path("src/a b");
    fs::create_dir_all(&deep).unwrap();
    for (cwd, desc) in [(&deep, "from below"), (&side, "from the other tree")] {
        let answer = site.run_in(cwd, &["log-work", "--desc", desc]);
        assert_eq!(answer.code, Some(0), "{answer:?}");
    }
    let log = &site.json(&["show"])["session"]["work_log"];
    assert_eq!(
        (log[0]["desc"].as_str(), log[1]["desc"].as_str()),
        (Some("from below"), Some("from the other tree"))
    );
    assert!(!side.join("context.json").exists() && !side.join("context.md").exists());
    // A repository inside is a project of its own.
    let inner = site.path("vendor/lib");
    fs::create_dir_all(&inner).unwrap();
    let output = site.command("git", &inner).args(["init", "--quiet"]).output().unwrap();
    assert!(output.status.success());
    assert_eq!(site.run_in(&inner, &["status"]).code, Some(3));
}

#[test]
fn sessions_work_without_git_on_an_unborn_branch_and_with_a_detached_head() {
    let site = Site::bare();
    // The folder of the tests lies in a repository.
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().canonicalize().unwrap().join("plain");
    fs::create_dir_all(plain.join("sub")).unwrap();
    assert_eq!(site.run_in(&plain, &["init"]).code, Some(0));
    let begun = site.run_in(&plain.join("sub"), &["begin", "--purpose", "x", "--json"]);
    let begun: Value = serde_json::from_str(&begun.stdout).unwrap();
    assert_eq!((&begun["session"]["branch"], &begun["session"]["commit"]), (&Value::Null, &Value::Null));

    let unborn = site.home().join("unborn");
    fs::create_dir_all(&unborn).unwrap();
    let init = site.command("git", &unborn).args(["init", "--quiet", "-b", "trunk"]).output().unwrap();
    assert!(init.status.success());
    assert_eq!(site.run_in(&unborn, &["init"]).code, Some(0));
    let begun = site.run_in(&unborn, &["begin", "--purpose", "x", "--json"]);
    let begun: Value = serde_json::from_str(&begun.stdout).unwrap();
    assert_eq!(
        (begun["session"]["branch"].as_str(), &begun["session"]["commit"]),
        (Some("trunk"), &Value::Null)
    );

    site.git(&["checkout", "--quiet", "--detach"]);
    site.ok(&["init"]);
    let begun = site.json(&["begin", "--purpose", "x"]);
    let branch = begun["session"]["branch"].as_str().unwrap();
    assert!(branch.starts_with("detached at "), "{branch}");
    assert_eq!(begun["session"]["commit"].as_str().map(str::len), Some(40));
}

#[test]
fn a_damaged_record_is_said_and_rebuilt_and_a_newer_one_is_left_alone() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "first"]);
    let whole = site.read("context.json");
    site.write("context.json", &whole[..whole.len() / 2]);
    let answer = site.run(&["log-work", "--desc", "after the damage"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stderr.starts_with("note: "), "{answer:?}");
    let session = &site.json(&["show", "1"])["session"];
    assert_eq!(session["work_log"][0]["desc"], "after the damage");
    assert_eq!(session["purpose"], "first");

    let newer = "{\"schema_version\": 999, \"state\": {}}";
    site.write("context.json", newer);
    check(&site, &["begin", "--purpose", "x"], 4, "update hostler");
    assert_eq!(site.read("context.json"), newer);
}

#[test]
fn a_read_only_folder_is_an_error_and_changes_nothing() {
    let site = Site::of_nobody();
    let before = site.read("context.json");
    let lock = |mode| fs::set_permissions(site.root(), fs::Permissions::from_mode(mode)).unwrap();
    lock(0o500);
    let answer = site.run(&["begin", "--purpose", "x"]);
    lock(0o700);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(answer.stderr.contains("error: "), "{answer:?}");
    assert_eq!(site.read("context.json"), before);
}

#[test]
fn the_configuration_narrows_where_sessions_are_kept() {
    let site = Site::new();
    site.write(".hostler/config.toml", "[activation]\npaths = [\"~/work\", \"*orchestra*\"]\n");
    check(&site, &["status"], 3, "`activation.paths` of the configuration leaves");
    check(&site, &["init"], 3, "`activation.paths` of the configuration leaves");
    site.write(".hostler/config.toml", "[activation]\npaths = [\"my*\"]\n");
    check(&site, &["status"], 0, "No active session");
}

#[test]
fn a_configuration_that_cannot_be_read_is_told() {
    let site = Site::new();
    site.write(".hostler/config.toml", "[activation]\npaths = \"everywhere\"\n");
    let answer = site.run(&["status"]);
    assert!(answer.code == Some(0) && answer.stderr.contains("`activation.paths` must be"), "{answer:?}");
    site.write(".hostler/config.toml", "[activation]\npaths = [\"[\"]\n");
    let answer = site.run(&["status"]);
    assert!(answer.code == Some(0) && answer.stderr.contains("which is no glob"), "{answer:?}");
}

/// The manual's example, as it stands there.
#[test]
fn the_example_of_the_manual_runs() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sessions.md");
    let manual = fs::read_to_string(manual).unwrap();
    let example = manual.split("## An example to run").nth(1).unwrap();
    let block = |start: &str| example.split(start).nth(1).unwrap().split("```").next().unwrap();
    let site = Site::bare();
    let folder = site.home().join("example");
    fs::create_dir_all(&folder).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let mut command = site.command(program, &folder);
        let program = Path::new(env!("CARGO_BIN_EXE_hostler")).parent().unwrap().to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(program).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(path).unwrap());
        let answer = finish(command.args(arguments).spawn().unwrap(), b"");
        assert_eq!(answer.code, Some(0), "{answer:?}");
        answer.stdout
    };
    run("git", &["init", "--quiet", "--initial-branch=main"]);
    let told = run("sh", &["-ec", block("```sh\n")]);
    let status = block("```text\n");
    assert!(told.contains(status), "{status}{told}");
    let left = run("hostler", &["session", "status", "--json"]);
    assert!(left.contains("\"Measure it\"") && !left.contains("Gates 4 and 5"), "{left}");
}

#[test]
fn texts_keep_hyphens_lines_and_quotes_and_lose_secrets() {
    let site = Site::new();
    site.ok(&["begin", "--purpose", "- a purpose"]);
    site.ok(&["log-work", "--desc", "--details are not here", "--details=-x", "--details", "two\nlines"]);
    site.ok(&["log-achievement", "--item", "a \"quoted\" \u{1F980}", "--item", "b"]);
    site.ok(&["log-choice", "--choice", "-1", "--reason", "token ghp_0123456789abcdefghijklmnopqrstuvwxyz"]);
    let session = &site.json(&["show"])["session"];
    assert_eq!(session["purpose"], "- a purpose");
    assert_eq!(session["work_log"][0]["desc"], "--details are not here");
    assert_eq!(session["work_log"][0]["details"], serde_json::json!(["-x", "two\nlines"]));
    assert_eq!(session["achievements"], serde_json::json!(["a \"quoted\" \u{1F980}", "b"]));
    assert!(!site.read("context.json").contains("ghp_0123"));
}

#[test]
fn a_project_that_is_set_up_is_told_of_sessions() {
    let site = Site::bare();
    let init = |site: &Site| {
        let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
        finish(command.arg("init").spawn().unwrap(), b"").stdout
    };
    assert!(init(&site).contains("`hostler session init`"));
    site.ok(&["init"]);
    assert!(!init(&site).contains("`hostler session init`"));
}

/// Numbers that leave no next one were an overflow once.
#[test]
fn numbers_at_their_end_are_told() {
    let site = Site::new();
    let mut record = site.record();
    record["state"]["session"] = u64::MAX.into();
    site.write("context.json", &record.to_string());
    check(&site, &["begin", "--purpose", "x"], 3, "leaves no next one");
    record["state"]["session"] = 0.into();
    let last = format!("DW-{}", u64::MAX);
    record["deferred_work"] =
        serde_json::json!([{ "id": last, "priority": "P1", "description": "old", "status": "pending" }]);
    site.write("context.json", &record.to_string());
    check(&site, &["add-work", "--priority", "P1", "--text", "new"], 0, "DW-001");
}

/// Forty thousand items took half a minute once, whatever was changed.
#[test]
fn much_deferred_work_is_changed_in_one_go() {
    let site = Site::new();
    let mut record = site.record();
    let item = |at: u32| serde_json::json!({ "id": format!("DW-{at:03}"), "priority": "P2", "description": format!("item {at}"), "status": "pending" });
    record["deferred_work"] = (1..=40_000).map(item).collect();
    site.write("context.json", &record.to_string());
    let started = std::time::Instant::now();
    site.ok(&["update-state", "--test-count", "1"]);
    site.ok(&["complete-work", "DW-20000"]);
    let took = started.elapsed();
    assert!(took.as_secs() < 12, "{took:?}");
}
