//! `hostler audit` and `hostler allow-once`, on what real hook calls recorded.

#![expect(clippy::unwrap_used, reason = "tests")]

mod export;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hostler_ledger::journal::{self, Entry};
use hostler_ledger::signature::{Keys, Public};
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

    fn end(&self) -> Value {
        self.hook(&json!({
            "session_id": SESSION, "cwd": self.home().join("my project"),
            "hook_event_name": "SessionEnd", "reason": "other",
        }))
    }

    /// The session's journals, in order.
    fn journals(&self) -> Vec<PathBuf> {
        journal::session_files(&self.state(), &SessionId::parse(SESSION).unwrap()).unwrap()
    }

    fn keys(&self) -> Keys {
        Keys::new(self.home().join(".local/share/hostler/signing"))
    }

    /// Writes the record of a turn as the hook does.
    fn turn(&self, time_ms: i64, kind: &'static str, findings: &Value) -> String {
        let session = SessionId::parse(SESSION).unwrap();
        let mut entry = Entry { kind, time_ms, ..Entry::default() };
        let attributes = json!({
            "last_message_preview": "I created src/new.rs.",
            "audit": "reported",
            "evidence_calls": 4,
            "judged": [{
                "claim": {
                    "act": "create", "text": "I created src/new.rs.", "pattern": "en/created",
                    "objects": ["src/new.rs"],
                },
                "standing": "unsupported",
                "why": ["no call made `src/new.rs`"],
            }],
            "modes": findings.as_array().unwrap().iter().map(|_| "warn").collect::<Vec<_>>(),
            "findings": findings,
        });
        entry.attributes.clone_from(attributes.as_object().unwrap());
        if kind == "subagent" {
            entry.attributes.insert("gen_ai.agent.id".to_owned(), "agent-7".into());
        }
        let sequence = journal::append(&self.state(), &session, &entry).unwrap().sequence();
        journal::decision_id(&session, sequence)
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
#[cfg(target_os = "linux")]
fn folders_with_any_name_are_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let home = world.folder.path().join(OsStr::from_bytes(b"h\xffme"));
    let project = home.join(OsStr::from_bytes(b"pr\xffject"));
    fs::create_dir_all(&project).unwrap();
    assert!(world.command("git").args(["init", "--quiet"]).arg(&project).status().unwrap().success());
    let run = |arguments: &[&str], input: &str| {
        let mut command = world.command(env!("CARGO_BIN_EXE_hostler"));
        command.env("HOME", &home).current_dir(&project).args(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        texts(&child.wait_with_output().unwrap())
    };
    let event = json!({
        "session_id": SESSION, "cwd": ".", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "rm -rf /" }, "tool_use_id": "t1",
    });
    run(&["hook", "claude"], &event.to_string());
    let id = format!("{}-1", &SESSION[..8]);
    for arguments in [
        &["audit", "key"][..],
        &["status"],
        &["explain", &id],
        &["audit", "verify"],
        &["audit", "show"],
        &["audit", "findings"],
        &["report"],
        &["checkpoint", "list"],
        &["doctor"],
        &["init", "--dry-run"],
        &["init"],
        &["uninit"],
        &["audit", "seal", "--all"],
        &["audit", "verify"],
    ] {
        let (code, stdout, stderr) = run(&[&["--json"], arguments].concat(), "");
        let told = serde_json::from_str::<Value>(&stdout).is_ok();
        let refused = stdout.is_empty() && stderr.starts_with("error: ");
        assert!(
            code <= 4 && (told || refused) && !stderr.contains("panicked"),
            "{arguments:?}: {code} {stdout}{stderr}"
        );
        assert!(told || !matches!(arguments[0], "status" | "audit" | "explain"), "{arguments:?}: {stderr}");
    }
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
    assert!(stdout.contains("  NOT excluded everything written anew by somebody who cannot"), "{stdout}");

    world.end();
    let document = world.json(&["audit", "verify"]);
    assert_eq!(document["ok"], true);
    assert_eq!(document["journals"][0]["level"], "signed");
    let excludes = |level: &str, attack: &str| document["excludes"][level][attack].as_bool().unwrap();
    assert!(excludes("open", "changed") && !excludes("open", "cut"));
    assert!(excludes("sealed", "cut") && !excludes("archived", "rewritten"));
    assert!(excludes("signed", "rewritten") && excludes("signed-elsewhere", "rewritten"));
    assert!(!excludes("signed", "forged") && !excludes("signed", "withdrawn"));
    let (_, stdout, _) = world.hostler(&["audit", "verify"]);
    assert!(stdout.contains("  excluded     records removed from the end"), "{stdout}");
    assert!(stdout.contains("  excluded     everything written anew by somebody who cannot"), "{stdout}");

    let archived = world.journals().remove(0);
    let whole = fs::read_to_string(&archived).unwrap();
    let check = |text: String, sequence: u64, problem: &str| {
        fs::write(&archived, text).unwrap();
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
    fs::write(&archived, whole.clone()).unwrap();
    world.bash("toolu_4", "echo 4");
    fs::OpenOptions::new().append(true).open(world.journal()).unwrap().write_all(b"{\"half").unwrap();
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
    for command in ["show --session", "findings --session", "export --format jsonl --session", "seal"] {
        let arguments: Vec<&str> = ["audit"].into_iter().chain(command.split(' ')).chain(["other"]).collect();
        let (code, stdout, stderr) = world.hostler(&arguments);
        assert_eq!((code, stdout.as_str()), (3, ""), "{command}");
        assert!(stderr.contains("no session of this project begins with `other`"), "{command}: {stderr}");
    }
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
fn no_secret_of_a_call_is_in_the_journal() {
    let world = World::new();
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let calls = [
        ("Bash", json!({ "command": "curl -u admin:correcthorse https://x.example" })),
        (
            "Bash",
            json!({ "command": format!("git clone https://{key}@github.com/x/y && rm -rf /srv/{key}") }),
        ),
        ("Bash", json!({ "command": format!("{} rm -rf /srv/x {key}", "a".repeat(225)) })),
        ("Bash", json!({ "command": "npm config set //npm.example.org/:_authToken correcthorse9X" })),
        ("mcp__db__create_user", json!({ "password": "correct horse battery", "name": "newcomer" })),
        ("mcp__db__create_user", json!({ "apiKey": "correcthorse1234", "name": "newcomer" })),
    ];
    for (at, (tool, input)) in calls.iter().enumerate() {
        for event in ["PreToolUse", "PostToolUse"] {
            world.call(event, &format!("t{at}"), tool, input);
        }
    }
    let text = fs::read_to_string(world.journal()).unwrap();
    assert!(text.contains("newcomer") && text.contains("curl") && text.contains("[redacted]"), "{text}");
    for part in ["correct", "horse", "battery", "0123456789", "abcdefghij", "ghp_0"] {
        let line = text.lines().find(|line| line.contains(part));
        assert_eq!(line, None, "{part}");
    }
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

// @traces REQ-020-205 REQ-020-206 REQ-020-207 REQ-020-208
#[test]
fn a_session_that_ends_is_sealed_signed_archived_and_can_go_on() {
    let world = World::new();
    for round in 1..=2 {
        world.bash(&format!("toolu_{round}"), "echo one");
        assert!(world.journal().exists());
        assert_eq!(world.end(), json!({}));
        assert!(!world.journal().exists());
        assert_eq!(world.journals().len(), round, "nothing was written over");
    }
    let document = world.json(&["audit", "verify"]);
    let journals = document["journals"].as_array().unwrap();
    let key = world.keys().public().unwrap().unwrap();
    for (journal, path) in journals.iter().zip(world.journals()) {
        assert_eq!((&journal["level"], &journal["archived"]), (&json!("signed"), &json!(true)));
        assert_eq!(journal["signature"]["fingerprint"], key.fingerprint());
        let day = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        assert!(jiff_day(day), "{day}");
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let epoch = name.strip_prefix(&format!("{SESSION}_")).unwrap().split('_').next().unwrap();
        let sealed = journal::read(&path).unwrap().last().unwrap();
        assert_eq!(epoch.parse::<i64>().unwrap(), sealed.time_ms / 1000);
    }
    assert_eq!(journals[1]["continues"], json!(world.journals()[0].strip_prefix(world.state()).unwrap()));
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.keys().private_path()), 0o600);
}

fn jiff_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[test]
fn a_session_whose_end_was_not_told_is_closed_at_the_next_start() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    let quiet = SessionId::parse("quiet").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 60);
    let time_ms = i64::try_from(old.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()).unwrap();
    journal::append(&world.state(), &quiet, &Entry { kind: "prompt", time_ms, ..Entry::default() }).unwrap();
    let path = journal::path(&world.state(), &quiet);
    fs::OpenOptions::new().append(true).open(&path).unwrap().set_modified(old).unwrap();
    let start = json!({
        "session_id": "third", "cwd": world.home().join("my project"),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    let reply = world.hook(&start);
    assert!(!reply.to_string().contains("could not be archived"), "{reply}");
    assert!(!path.exists() && world.journal().exists());
    let files = journal::session_files(&world.state(), &quiet).unwrap();
    assert!(journal::verify(&files[0]).unwrap().signature.is_some());
    assert_eq!(world.hostler(&["audit", "verify"]).0, 0);
}

#[test]
fn a_lost_key_is_loud_and_the_session_is_sealed_all_the_same() {
    let world = World::new();
    world.hostler(&["audit", "key"]);
    fs::remove_file(world.keys().private_path()).unwrap();
    world.bash("toolu_1", "echo one");
    let reply = world.end().to_string();
    assert!(reply.contains("sealed without a signature") && reply.contains("is gone"), "{reply}");
    let (code, stdout, _) = world.hostler(&["audit", "verify"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("archived ") && stdout.contains("not signed: the signing key"), "{stdout}");
    let doctor = world.json(&["doctor"]);
    let told = doctor["checks"].as_array().unwrap().iter().any(|check| {
        check["level"] == "problem" && check["what"].as_str().unwrap().contains("without a signature")
    });
    assert!(told, "{doctor}");
    let (code, _, stderr) = world.hostler(&["audit", "key"]);
    assert!(code == 4 && stderr.contains("is gone"), "{code} {stderr}");
}

#[test]
fn a_public_key_that_was_replaced_makes_nobody_trusted() {
    let (world, other) = (World::new(), World::new());
    for world in [&world, &other] {
        world.bash("toolu_1", "echo one");
        world.end();
    }
    let journal = other.journals().remove(0);
    let level = |path: &PathBuf| {
        world.json(&["audit", "verify", path.to_str().unwrap()])["journals"][0]["level"].clone()
    };
    let own = world.journals().remove(0);
    assert_eq!((level(&own), level(&journal)), (json!("signed"), json!("archived")));

    fs::copy(other.keys().public_path(), world.keys().public_path()).unwrap();
    assert_eq!((level(&own), level(&journal)), (json!("archived"), json!("archived")));
    let (code, _, stderr) = world.hostler(&["audit", "verify"]);
    assert!(code == 0 && stderr.contains("one of the two was replaced"), "{code} {stderr}");

    fs::remove_file(world.keys().private_path()).unwrap();
    assert_eq!(level(&journal), "archived");
    assert!(world.hostler(&["audit", "verify"]).2.contains("is gone"));
}

#[test]
fn a_journal_from_elsewhere_is_trusted_by_the_key_that_is_given() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    world.end();
    let other = World::new();
    other.bash("toolu_1", "echo one");
    other.end();
    let path = world.journals().remove(0);
    let path = path.to_str().unwrap();
    let key = world.keys().open().unwrap().public();
    let shown = world.json(&["audit", "key"]);
    assert_eq!((&shown["key"], &shown["fingerprint"]), (&json!(key.hex()), &json!(key.fingerprint())));
    assert_eq!(Public::parse(shown["pem"].as_str().unwrap()).unwrap(), key);
    let (_, stdout, _) = world.hostler(&["audit", "key"]);
    assert!(stdout.contains(&key.fingerprint()) && stdout.contains("-----BEGIN PUBLIC KEY-----"), "{stdout}");
    let private = fs::read_to_string(world.keys().private_path()).unwrap();
    assert!(!stdout.contains(private.lines().nth(1).unwrap()));

    let (code, stdout, _) = other.hostler(&["audit", "verify", path]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("archived ") && stdout.contains(&format!("--key {}", key.hex())), "{stdout}");
    let file = other.home().join("key.pem");
    fs::write(&file, key.pem()).unwrap();
    for given in [key.hex(), file.to_str().unwrap().to_owned()] {
        let (code, stdout, _) = other.hostler(&["audit", "verify", path, "--key", &given]);
        assert_eq!(code, 0);
        assert!(stdout.starts_with("signed-elsewhere "), "{stdout}");
    }
    let (code, _, stderr) = other.hostler(&["audit", "verify", path, "--key", "nothing"]);
    assert!(code == 4 && stderr.contains("neither a public key in hexadecimal nor a file"), "{stderr}");
}

#[test]
fn the_agent_cannot_write_the_key_or_the_archive() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    world.end();
    for (at, command) in [
        "echo x > ~/.local/share/hostler/signing/ed25519.key",
        "rm -rf ~/.local/share/hostler/signing",
        "cp other.key ~/.local/share/hostler/signing/ed25519.key",
        "rm -r ~/.local/state/hostler/projects",
        "mv ~/.local/share/hostler /tmp/x",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(world.bash(&format!("t{at}"), command).as_deref(), Some("deny"), "{command}");
    }
    for path in [world.keys().private_path(), world.keys().public_path(), world.journals().remove(0)] {
        let answer = world.call("PreToolUse", "w", "Write", &json!({ "file_path": path, "content": "x" }));
        assert_eq!(
            answer.pointer("/hookSpecificOutput/permissionDecision"),
            Some(&json!("deny")),
            "{path:?}"
        );
    }
}

#[test]
fn the_agent_cannot_read_the_private_key() {
    let world = World::new();
    let public = world.json(&["audit", "key"])["public"].as_str().unwrap().to_owned();
    let private = world.keys().private_path();
    let read = |id: &str, path: &str| {
        let answer = world.call("PreToolUse", id, "Read", &json!({ "file_path": path }));
        answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(read("t1", private.to_str().unwrap()).as_deref(), Some("deny"));
    assert_eq!(read("t2", "~/.local/share/hostler/signing/ed25519.key").as_deref(), Some("deny"));
    assert_eq!(read("t3", &public), None);
    assert_eq!(world.bash("t4", &format!("cat '{}'", private.display())).as_deref(), Some("deny"));
    assert_eq!(world.bash("t5", "cat ~/.local/share/hostler/signing/ed25519.pub"), None);
}

#[test]
fn sessions_are_sealed_by_hand() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    let (code, stdout, _) = world.hostler(&["audit", "seal"]);
    assert_eq!((code, stdout.as_str()), (0, "nothing to seal\n"), "an active session stays");
    let (code, stdout, _) = world.hostler(&["audit", "seal", "361ac4e6"]);
    assert!(code == 0 && stdout.starts_with(&format!("sealed   {SESSION}  at record 2: ")), "{stdout}");
    world.bash("toolu_2", "echo two");
    let document = world.json(&["audit", "seal", "--all"]);
    assert_eq!(document["closed"][0]["sequence"], 4);
    assert_eq!(document["failed"], json!([]));
    world.bash("toolu_3", "echo three");
    let archive = world.state().join("archive");
    fs::rename(&archive, world.state().join("away")).unwrap();
    fs::write(&archive, "in the way").unwrap();
    let (code, _, stderr) = world.hostler(&["audit", "seal", "--all"]);
    assert!(code == 4 && stderr.contains("could not be archived: cannot make folder"), "{stderr}");
    assert_eq!(world.hostler(&["audit", "seal", "--all", "x"]).0, 3);
}

fn finding(kind: &str, severity: &str, rule: &str) -> Value {
    json!({
        "type": kind,
        "severity": severity,
        "rule": rule,
        "standing": "unsupported",
        "description": "nothing in the session could have made `src/new.rs`",
        "claim": "I created src/new.rs.",
        "evidence": ["Bash: ls \u{2192} 3 lines"],
        "tools_required": ["Write", "Edit", "Bash"],
        "tools_found": ["Bash"],
        "pattern_matched": "en/created",
    })
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

#[test]
fn findings_are_listed_and_filtered() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    assert_eq!(world.hostler(&["audit", "findings"]), (0, "no findings\n".to_owned(), String::new()));
    let old =
        world.turn(now_ms() - 9 * DAY_MS, "turn", &json!([finding("PARTIAL_RUN", "LOW", "partial-run")]));
    world.end();
    let both = json!([
        finding("ACTION_DECEPTION", "CRITICAL", "claim-not-done"),
        finding("FILE_READING_DECEPTION", "HIGH", "claim-not-read"),
    ]);
    let turn = world.turn(now_ms(), "turn", &both);
    let unknown = world.turn(now_ms(), "subagent", &json!([finding("NOVELTY", "DIRE", "claim-new")]));
    // Other records may have a member of that name.
    world.turn(now_ms(), "prompt", &both);

    let ids = |arguments: &[&str]| -> Vec<String> {
        let document = world.json(&[&["audit", "findings"], arguments].concat());
        let id = |it: &Value| it["id"].as_str().unwrap().to_owned();
        document.as_array().unwrap().iter().map(id).collect()
    };
    let (first, second) = (format!("{turn}.1"), format!("{turn}.2"));
    let (old, unknown) = (format!("{old}.1"), format!("{unknown}.1"));
    assert_eq!(ids(&[]), [&old, &first, &second, &unknown].map(String::as_str));
    assert_eq!(ids(&["--since", "7d"]), [&first, &second, &unknown].map(String::as_str));
    // What this build cannot grade is not hidden by it.
    assert_eq!(ids(&["--severity", "critical"]), [&first, &unknown].map(String::as_str));
    assert_eq!(ids(&["--severity", "HIGH"]), [&first, &second, &unknown].map(String::as_str));
    assert_eq!(
        ids(&["--type", "partial_run", "--type", "ACTION_DECEPTION"]),
        [&old, &first].map(String::as_str)
    );
    assert_eq!(ids(&["--session", "361"]).len(), 4);

    let document = world.json(&["audit", "findings", "--type", "ACTION_DECEPTION"]);
    let expected = finding("ACTION_DECEPTION", "CRITICAL", "claim-not-done");
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&document[0][name], value, "{name}");
    }
    let (code, stdout, _) = world.hostler(&["audit", "findings", "--severity", "HIGH"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains(&format!("  CRITICAL ACTION_DECEPTION       {first}\n")), "{stdout}");
    assert!(stdout.contains(&format!("{unknown}  subagent agent-7\n")), "{stdout}");
    assert!(
        stdout.ends_with("3 findings; `hostler audit explain ID` tells how one came about\n"),
        "{stdout}"
    );
    for wrong in [["--severity", "bad"], ["--type", "bad"], ["--since", "bad"]] {
        assert_eq!(world.hostler(&[&["audit", "findings"][..], &wrong].concat()).0, 3, "{wrong:?}");
    }
}

#[test]
fn what_a_broken_journal_tells_is_marked() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    let grave = finding("ACTION_DECEPTION", "CRITICAL", "claim-not-done");
    world.turn(now_ms(), "turn", &json!([grave]));
    world.turn(now_ms(), "turn", &json!([]));
    assert_eq!(world.hostler(&["audit", "findings"]).0, 1);
    let path = world.journal();
    let whole = fs::read_to_string(&path).unwrap();
    let edited = whole.replacen("CRITICAL", "LOW", 1);
    let first_gone = whole.split_once('\n').unwrap().1.to_owned();
    let nothing_left = "not a record\n".to_owned();
    for (text, entries, told) in [
        (edited, 1, "chain is broken at record 2"),
        (first_gone, 1, "chain is broken at record 1"),
        (nothing_left, 0, "nor a journal"),
    ] {
        fs::write(&path, &text).unwrap();
        for arguments in [
            &["audit", "findings"][..],
            &["audit", "findings", "--severity", "CRITICAL"],
            &["audit", "findings", "--session", &SESSION[..8]],
            &["audit", "show"],
            &["audit", "show", "--last", "1"],
            &["audit", "export", "--format", "jsonl"],
            &["audit", "export", "--format", "otlp"],
        ] {
            let (code, _, stderr) = world.hostler(arguments);
            assert!(code == 4 && stderr.contains("is broken (at record"), "{arguments:?}: {code} {stderr}");
        }
        let found = world.json(&["audit", "findings"]);
        assert_eq!(found.as_array().unwrap().len(), entries, "{found}");
        for it in found.as_array().unwrap().iter().chain(world.json(&["audit", "show"]).as_array().unwrap()) {
            assert!(it["notes"][0].as_str().unwrap().contains("is broken"), "{it}");
        }
        let report = world.json(&["report"]);
        assert!(report["notes"].to_string().contains(told), "{}", report["notes"]);
        assert!(world.hostler(&["report"]).1.contains(told));
    }
    fs::write(&path, whole).unwrap();
    let (code, _, stderr) = world.hostler(&["audit", "show"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(world.json(&["audit", "findings"])[0].get("notes"), None);
}

#[test]
fn a_finding_is_explained_from_live_and_archived_journals() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    let both = json!([
        finding("ACTION_DECEPTION", "CRITICAL", "claim-not-done"),
        finding("ACTION_DECEPTION", "CRITICAL", "claim-of-tomorrow"),
    ]);
    let turn = world.turn(now_ms(), "turn", &both);
    let check = || {
        let id = format!("{turn}.1");
        let (code, stdout, _) = world.hostler(&["audit", "explain", &id]);
        assert_eq!(code, 0);
        for part in [
            "CRITICAL ACTION_DECEPTION, unsupported\n",
            "  said         I created src/new.rs.\n",
            "  read by      en/created\n",
            "  as           create\n",
            "  about        src/new.rs\n",
            "  judged       no call made `src/new.rs`\n",
            "  evidence     Bash: ls \u{2192} 3 lines\n",
            "  looked at    4 tool calls of the session\n",
            "  tools used   Bash\n",
            "  support by   Write, Edit, Bash\n",
            "  answered     mode `warn`, the turn was reported\n",
            "rule `claim-not-done`, mode `warn` here: ",
            "my project/.hostler/config.toml (`observe`: recorded, but not told):\n  [rules]\n  claim-not-done = \"off\"\n",
            "record 2 of ",
        ] {
            assert!(stdout.contains(part), "{part:?} in {stdout}");
        }
        assert_eq!(world.hostler(&["explain", &id]).1, stdout, "the shorter way");
        let document = world.json(&["audit", "explain", &id]);
        assert_eq!(document["finding"]["id"], id);
        assert_eq!(document["reading"]["claim"]["objects"], json!(["src/new.rs"]));
        assert_eq!(document["rule"]["mode"], "warn");
    };
    check();
    world.end();
    check();
    let (code, stdout, _) = world.hostler(&["audit", "explain", &format!("{turn}.2")]);
    assert!(
        code == 0 && stdout.contains("the rule `claim-of-tomorrow` is not one of this build"),
        "{stdout}"
    );

    let fails = |id: &str, part: &str| {
        let (code, _, stderr) = world.hostler(&["audit", "explain", id]);
        assert!(code == 3 && stderr.contains(part), "{id}: {code} {stderr}");
        let document = world.json(&["audit", "explain", id]);
        assert!(document["error"].as_str().unwrap().contains(part), "{document}");
    };
    fails(&format!("{turn}.3"), "holds 2 findings; `hostler audit findings` lists");
    fails("361ac4e6-1.1", "(decision) holds 0 findings");
    fails("00000000-1.1", "no record `00000000-1` is in a journal; `hostler audit findings` lists");
    fails(&turn, "is no finding's id (such as `361ac4e6-12.1`)");
    fails("", "is no finding's id");
}

#[test]
fn show_can_be_narrowed_to_kinds_and_times() {
    let world = World::new();
    world.bash("toolu_1", "echo one");
    world.turn(now_ms() - 9 * DAY_MS, "turn", &json!([]));
    world.end();
    let kinds = |arguments: &[&str]| -> Vec<String> {
        let document = world.json(&[&["audit", "show"], arguments].concat());
        document.as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&["--kind", "decision"]), ["decision"]);
    assert_eq!(kinds(&["--kind", "turn", "--kind", "seal"]), ["turn", "seal"]);
    assert_eq!(kinds(&["--since", "24h"]), ["decision", "session", "seal"]);
    assert_eq!(kinds(&["--since", "2099-01-01"]), [""; 0]);
    assert_eq!(kinds(&["--kind", "turn", "--since", "2020-01-01T00:00:00Z", "--last", "1"]), ["turn"]);
}
