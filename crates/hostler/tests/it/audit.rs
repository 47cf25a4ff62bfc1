//! `hostler audit` and `hostler allow-once`, on what real hook calls recorded.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hostler_ledger::journal;
use hostler_model::SessionId;
use serde_json::{Value, json};

const SESSION: &str = "361ac4e6-64de-464e-9d97-09bfa437d8e9";

/// A home folder with a repository that hooks ran in.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        // Not the system's folder for temporary files: other rules for deleting hold there.
        let folder =
            tempfile::Builder::new().prefix("audit ").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let world = Self { folder };
        fs::create_dir_all(world.project()).unwrap();
        let status = world.command("git").args(["init", "--quiet"]).arg(world.project()).status().unwrap();
        assert!(status.success());
        world
    }

    fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("home/my project")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TZ", "UTC");
        command.env("HOME", self.folder.path().join("home"));
        if self.project().exists() {
            command.current_dir(self.project());
        }
        command
    }

    fn hostler(&self, arguments: &[&str]) -> (i32, String, String) {
        texts(
            &self
                .command(env!("CARGO_BIN_EXE_hostler"))
                .args(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let (_, stdout, stderr) = self.hostler(&[&["--json"], arguments].concat());
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
    }

    fn hook(&self, event: &Value) -> Value {
        let mut hook = self.command(env!("CARGO_BIN_EXE_hostler"));
        let hook = hook.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut hook = hook.spawn().unwrap();
        hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        serde_json::from_slice(&hook.wait_with_output().unwrap().stdout).unwrap_or_default()
    }

    fn call(&self, event: &str, id: &str, tool: &str, input: &Value) -> Value {
        self.hook(&json!({
            "session_id": SESSION,
            "cwd": self.home().join("my project"),
            "hook_event_name": event,
            "tool_name": tool,
            "tool_input": input,
            "tool_response": { "stdout": "done" },
            "tool_use_id": id,
        }))
    }

    /// The decision of a Bash call, as the host reads it.
    fn bash(&self, id: &str, command: &str) -> Option<String> {
        let answer = self.call("PreToolUse", id, "Bash", &json!({ "command": command }));
        answer.pointer("/hookSpecificOutput/permissionDecision")?.as_str().map(ToOwned::to_owned)
    }

    fn state(&self) -> PathBuf {
        let projects = self.home().join(".local/state/hostler/projects");
        let mut folders: Vec<_> = fs::read_dir(projects).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }

    fn journal(&self) -> PathBuf {
        self.state().join(format!("sessions/{SESSION}.jsonl"))
    }

    /// Answers the question of `allow-once` in a terminal of its own; `None`, said, without `script`.
    fn allow_once(&self, code: &str, answer: &str, variable: Option<&str>) -> Option<(i32, String)> {
        let version = Command::new("script").arg("--version").output();
        if !version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
            testkit::client::skip("allow-once in a terminal", "util-linux `script` is missing");
            return None;
        }
        let mut script = self.command("script");
        if let Some(name) = variable {
            script.env(name, "1");
        }
        let line = format!("'{}' allow-once {code}", env!("CARGO_BIN_EXE_hostler"));
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        let mut script =
            script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        script.stdin.take().unwrap().write_all(format!("{answer}\n").as_bytes()).unwrap();
        let (code, stdout, stderr) = texts(&script.wait_with_output().unwrap());
        Some((code, stdout + &stderr))
    }

    #[track_caller]
    fn code(&self) -> String {
        let records: Vec<_> = journal::read(&self.journal()).unwrap().collect();
        records.iter().rev().find_map(|it| it.text("code")).unwrap().to_owned()
    }
}

fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_project_without_journals_is_in_order() {
    let world = World::new();
    let (code, stdout, _) = world.hostler(&["audit", "verify"]);
    assert_eq!((code, stdout.as_str()), (0, "no journals: nothing was recorded in this project yet\n"));
    assert_eq!(world.json(&["audit", "verify"])["journals"], json!([]));
    assert_eq!(world.hostler(&["audit", "show"]), (0, String::new(), String::new()));
}

#[test]
fn verify_names_the_first_bad_record_and_what_each_level_excludes() {
    let world = World::new();
    for id in ["toolu_1", "toolu_2", "toolu_3"] {
        world.bash(id, &format!("echo {id}"));
    }
    let (code, stdout, _) = world.hostler(&["audit", "verify"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with(&format!("open     {SESSION}  3 records in order\n")), "{stdout}");
    assert!(stdout.contains("  excluded     a record edited, inserted, moved"), "{stdout}");
    assert!(stdout.contains("  NOT excluded records removed from the end"), "{stdout}");
    assert!(stdout.contains("  NOT excluded everything written anew by the same user"), "{stdout}");

    world.hook(&json!({
        "session_id": SESSION, "cwd": world.home().join("my project"),
        "hook_event_name": "SessionEnd", "reason": "other",
    }));
    let document = world.json(&["audit", "verify"]);
    assert_eq!(document["ok"], true);
    assert_eq!(document["journals"][0]["level"], "sealed");
    assert_eq!(document["excludes"]["sealed"]["cut"], true);
    assert_eq!(document["excludes"]["open"]["cut"], false);
    let (_, stdout, _) = world.hostler(&["audit", "verify"]);
    assert!(stdout.contains("  excluded     records removed from the end"), "{stdout}");

    let whole = fs::read_to_string(world.journal()).unwrap();
    let check = |text: String, sequence: u64, problem: &str| {
        fs::write(world.journal(), text).unwrap();
        let (code, stdout, _) = world.hostler(&["audit", "verify"]);
        assert_eq!(code, 4, "{stdout}");
        assert!(stdout.contains(&format!("first bad record: {sequence} (line ")), "{stdout}");
        assert!(stdout.contains(problem), "{stdout}");
        let bad = &world.json(&["audit", "verify"])["journals"][0]["bad"];
        assert_eq!(bad["sequence"], sequence);
    };
    check(whole.replace("echo toolu_2", "echo toolu_9"), 2, "was changed");
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.pop();
    check(lines.join("\n") + "\n", 5, "was sealed at record 5");
    lines.remove(1);
    check(lines.join("\n") + "\n", 2, "record 2 is expected here, 3 was found");

    // A crash in the middle of a line is no attack, and still worth a look.
    fs::write(world.journal(), whole.clone() + "{\"half").unwrap();
    let (code, stdout, _) = world.hostler(&["audit", "verify"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("the last line is torn"), "{stdout}");
}

#[test]
fn verify_takes_paths_archives_and_what_cannot_be_read() {
    let world = World::new();
    world.bash("toolu_1", "echo 1");
    let session = SessionId::parse(SESSION).unwrap();
    let archived = journal::close(&world.state(), &session, 1_796_025_600_000, None).unwrap().unwrap().path;
    world.bash("toolu_2", "echo 2");
    let document = world.json(&["audit", "verify"]);
    let levels: Vec<_> = document["journals"].as_array().unwrap().iter().map(|it| &it["level"]).collect();
    assert_eq!(levels, ["archived", "open"]);
    let name = |path: &PathBuf| path.to_str().unwrap().to_owned();
    assert_eq!(world.json(&["audit", "verify", &name(&archived)])["journals"].as_array().unwrap().len(), 1);
    assert_eq!(
        world.json(&["audit", "verify", &name(&world.state())])["journals"].as_array().unwrap().len(),
        2
    );

    let (code, stdout, _) = world.hostler(&["audit", "verify", "/nowhere.jsonl"]);
    assert_eq!(code, 4);
    assert!(stdout.contains("cannot open `/nowhere.jsonl`"), "{stdout}");
    // The live journal names the archived one, so its absence is seen from there.
    fs::remove_file(&archived).unwrap();
    let (code, stdout, _) = world.hostler(&["audit", "verify"]);
    assert_eq!(code, 4);
    assert!(stdout.contains("which it continues, cannot be read"), "{stdout}");
}

// @traces REQ-020-152 REQ-020-202
#[test]
fn show_tells_time_operation_target_status_and_message() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    world.bash("toolu_2", "rm -rf /");
    let file = world.home().join("my project/new.txt");
    world.call("PreToolUse", "toolu_3", "Write", &json!({ "file_path": file, "content": "x" }));
    world.call("PostToolUse", "toolu_3", "Write", &json!({ "file_path": file, "content": "x" }));

    let shown = world.json(&["audit", "show"]);
    let rows: Vec<_> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            for name in ["timestamp", "operation", "target", "status", "message"] {
                assert!(row[name].as_str().is_some_and(|text| !text.is_empty()), "{name}: {row}");
            }
            (row["target"].as_str().unwrap(), row["status"].as_str().unwrap())
        })
        .collect();
    let file = file.to_str().unwrap();
    assert_eq!(rows, [("echo one", "allowed"), ("rm -rf /", "blocked"), (file, "allowed"), (file, "ok")]);

    let (code, stdout, _) = world.hostler(&["audit", "show", "--last", "2", "--session", "361ac4e6"]);
    assert_eq!(code, 0);
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert!(stdout.lines().all(|line| line.contains("Write") && line.contains(file)), "{stdout}");
    assert_eq!(world.hostler(&["audit", "show", "--session", "other"]).1, "");
    assert_eq!(world.hostler(&["audit", "show", "--last", "0"]).1, "");
}

#[test]
fn a_person_lets_one_stopped_call_through_once() {
    let world = World::new();
    let command = "rm -rf / --no-preserve-root";
    assert_eq!(world.bash("toolu_1", command).as_deref(), Some("deny"));
    let code = world.code();

    let Some((exit, text)) = world.allow_once(&code, "n", None) else { return };
    assert_eq!(exit, 1, "{text}");
    for part in [command, "let this one call through, once?", "nothing was allowed", SESSION] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(world.bash("toolu_2", command).as_deref(), Some("deny"));

    let (exit, text) = world.allow_once(&code.to_uppercase(), "y", None).unwrap();
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("allowed once, for 10 minutes"), "{text}");
    assert_eq!(world.bash("toolu_3", &format!("{command} ")).as_deref(), Some("deny"), "another input");
    assert_eq!(world.bash("toolu_4", command), None, "the very call");
    assert_eq!(world.bash("toolu_4", command), None, "the same call, registered twice");
    assert_eq!(world.bash("toolu_5", command).as_deref(), Some("deny"), "once");

    let kinds: Vec<_> = journal::read(&world.journal())
        .unwrap()
        .filter(|record| record.text("status") == Some("granted"))
        .map(|record| (record.kind.clone(), record.text("code").unwrap().to_owned()))
        .collect();
    assert_eq!(kinds, [("exception".to_owned(), code)]);
    assert_eq!(world.hostler(&["audit", "verify"]).0, 0);
}

#[test]
fn an_agent_and_a_script_let_nothing_through() {
    let world = World::new();
    world.bash("toolu_1", "rm -rf /");
    let code = world.code();
    let (exit, _, stderr) = world.hostler(&["allow-once", &code]);
    assert_eq!((exit, stderr.contains("stdin is no terminal")), (2, true), "{stderr}");
    for variable in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "OPENCODE"] {
        let Some((exit, text)) = world.allow_once(&code, "y", Some(variable)) else { return };
        assert_eq!((exit, text.contains("a person has to")), (2, true), "{variable}: {text}");
    }
    assert_eq!(world.bash("toolu_2", "rm -rf /").as_deref(), Some("deny"));
}

#[test]
fn a_code_that_nobody_gave_lets_nothing_through() {
    let world = World::new();
    world.bash("toolu_1", "rm -rf /");
    let Some((exit, text)) = world.allow_once("zzzzzz", "y", None) else { return };
    assert_eq!((exit, text.contains("no call with the code `zzzzzz` was stopped")), (3, true), "{text}");
    let (exit, text) = world.allow_once("../../x", "y", None).unwrap();
    assert_eq!((exit, text.contains("is no code")), (3, true), "{text}");
    assert!(!world.state().join("allow").exists());
}
