//! The real program with payloads on stdin: what a host gets back, and what is recorded.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hostler_ledger::journal::{self, Record};
use serde_json::{Value, json};

pub(crate) const SESSION: &str = "0f9d4c1e-64de-464e-9d97-09bfa437d8e9";

/// A home folder with a repository in it, and the environment of the hook.
pub(crate) struct World {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

/// What one call of the program gave back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        // Not in the system's folder for temporary files: other rules for deleting hold there.
        Self::below(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    fn below(base: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("hook-").tempdir_in(base).unwrap();
        let world = Self { folder, variables: Vec::new() };
        fs::create_dir_all(world.project()).unwrap();
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.write("README.md", "# shop\n");
        world.git(&["add", "--all"]);
        world.git(&[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.invalid",
            "commit",
            "--quiet",
            "-m",
            "start",
        ]);
        world
    }

    pub(crate) fn set(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn configured(self, text: &str) -> Self {
        self.write(".hostler/config.toml", text);
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("home/shop")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home().join(rest),
            None => self.home().join("shop").join(path),
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project()).env_clear().env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("HOME", self.home()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, value) in &self.variables {
            if value.is_empty() {
                command.env_remove(name);
            } else {
                command.env(name, value);
            }
        }
        command
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_hostler"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs a command of ours.
    pub(crate) fn hostler(&self, arguments: &[&str]) -> Answer {
        finish(self.start(arguments), b"")
    }

    /// One hook call that must end well, with one document on stdout and nothing else anywhere.
    #[track_caller]
    pub(crate) fn hook(&self, payload: impl AsRef<[u8]>) -> Value {
        document(&finish(self.start(&["hook", "claude"]), payload.as_ref()))
    }

    #[track_caller]
    fn bash(&self, command: &str, id: &str) -> Value {
        self.hook(self.payload("Bash", &json!({ "command": command }), id))
    }

    pub(crate) fn payload(&self, tool: &str, input: &Value, id: &str) -> String {
        json!({
            "session_id": SESSION,
            "transcript_path": "/nowhere.jsonl",
            "cwd": self.path(""),
            "permission_mode": "bypassPermissions",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": id,
        })
        .to_string()
    }

    pub(crate) fn event(&self, name: &str, more: &Value) -> String {
        let mut event = json!({ "session_id": SESSION, "cwd": self.path(""), "hook_event_name": name });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event.to_string()
    }

    /// A recorded payload, moved into this world.
    fn recorded(&self, name: &str) -> String {
        let path = payloads().join(name).with_extension("json");
        let text = fs::read_to_string(path).unwrap();
        text.replace("/home/dev", self.home().to_str().unwrap())
    }

    /// The one project's evidence folder.
    pub(crate) fn state(&self) -> PathBuf {
        let projects = self.path("~/.local/state/hostler/projects");
        let mut folders: Vec<_> =
            fs::read_dir(projects).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(folders.len(), 1, "{folders:?}");
        folders.remove(0)
    }

    /// Everything that was recorded of the session, the chain verified.
    #[track_caller]
    fn records(&self) -> Vec<Record> {
        let session = hostler_model::SessionId::parse(SESSION).unwrap();
        let files = journal::session_files(&self.state(), &session).unwrap();
        for report in journal::verify_all(&files) {
            assert_eq!((report.bad, report.whole), (None, true));
        }
        files.iter().flat_map(|path| journal::read(path).unwrap()).collect()
    }

    /// What `hostler allow-once` writes for the call that was stopped last; it takes a person to run that.
    fn let_through(&self) {
        let record = self.last();
        let (code, digest) = (record.text("code").unwrap(), record.text("input_sha256").unwrap());
        let session = hostler_model::SessionId::parse(SESSION).unwrap();
        let lifetime = Duration::from_secs(60);
        hostler_ledger::allow::grant(&self.state(), code, &session, digest, record.time_ms, lifetime)
            .unwrap();
    }

    #[track_caller]
    fn last(&self) -> Record {
        self.records().pop().unwrap()
    }
}

fn payloads() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude/2.1.332/payloads")
}

pub(crate) fn finish(mut child: Child, input: &[u8]) -> Answer {
    // The program may answer before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
pub(crate) fn document(answer: &Answer) -> Value {
    // A clean turn is told where hosts keep what nobody has to read.
    let clean = |line: &&str| line.starts_with("hostler: No issues detected");
    let said: Vec<&str> = answer.stderr.lines().filter(|line| !clean(line)).collect();
    assert_eq!((answer.code, said.as_slice()), (Some(0), &[][..]), "{answer:?}");
    if answer.stdout.is_empty() {
        return Value::Null;
    }
    assert_eq!(answer.stdout.matches('\n').count(), 1, "{answer:?}");
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(document.is_object(), "{document}");
    if let Some(specific) = document.get("hookSpecificOutput") {
        assert!(specific["hookEventName"].is_string(), "{document}");
    }
    document
}

#[track_caller]
fn denied(reply: &Value) -> &str {
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{reply}");
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "PreToolUse", "{reply}");
    reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap()
}

#[track_caller]
fn asked(reply: &Value) -> &str {
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask", "{reply}");
    reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap()
}

/// Told to the user, and nothing decided.
#[track_caller]
fn loud(reply: &Value) -> &str {
    assert_eq!(reply.as_object().unwrap().len(), 1, "{reply}");
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("hostler: ") && message.contains("hostler doctor"), "{message}");
    message
}

#[test]
fn every_recorded_payload_gets_one_document() {
    let world = World::new();
    let mut names: Vec<_> = fs::read_dir(payloads()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(20 < names.len());
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let reply = world.hook(world.recorded(name));
        assert!(reply.get("systemMessage").is_none(), "{name}: {reply}");
        // The client takes what stands on stdout there for words, not for an answer.
        let silent = matches!(name, "PreCompact" | "PostCompact");
        assert_eq!(reply.is_null(), silent, "{name}: {reply}");
    }
}

// `{}` is our "allow": it leaves the decision to the host's own permissions, and approves nothing.
// @traces REQ-020-142 REQ-020-149
#[test]
fn what_no_rule_stops_gets_no_decision() {
    let world = World::new();
    assert_eq!(world.bash("git status --short", "t1"), json!({}));
    assert_eq!(world.last().text("status"), Some("allowed"));
    let input = json!({ "file_path": world.path("src/new.py"), "content": "x = 1\n" });
    assert_eq!(world.hook(world.payload("Write", &input, "t2")), json!({}));
    assert_eq!(world.last().text("status"), Some("allowed"));
}

// @traces REQ-020-131 REQ-020-143 021-CONST-V-007 021-US-005-AC07
#[test]
fn a_stopped_command_gets_its_rule_a_way_out_and_itself() {
    let world = World::new().set("HOSTLER_PROFILE", "strict");
    let reply = world.bash("rm -rf /srv/data", "t1");
    let reason = denied(&reply);
    assert!(reason.starts_with('[') && reason.contains("] "), "{reason}");
    assert!(reason.contains(" Instead: "), "{reason}");
    assert!(reason.contains("The user can run it by hand: rm -rf /srv/data\n"), "{reason}");
    let record = world.last();
    let id = format!("{}-{}", &SESSION[..8], record.sequence);
    let code = record.text("code").unwrap();
    assert!(reason.contains(&format!("hostler explain {id}.")), "{reason}");
    assert!(reason.ends_with(&format!("hostler allow-once {code}")), "{reason}");
    let explained = world.hostler(&["explain", &id]);
    assert_eq!(explained.code, Some(0), "{explained:?}");
    for part in ["decision blocked (profile strict)", "rm -rf /srv/data", "how it came about:", code] {
        assert!(explained.stdout.contains(part), "{part} in {}", explained.stdout);
    }
    assert_eq!(world.hostler(&["explain", "0f9d4c1e-999"]).code, Some(3));
}

// @traces REQ-020-151 REQ-020-152 REQ-020-155 REQ-020-201 REQ-020-202 REQ-020-203 REQ-020-209 021-CONST-V-006
#[test]
fn every_call_and_its_result_is_a_line() {
    let world = World::new();
    assert!(!world.path("~/.local").exists());
    world.write("src/cart.py", "a = 1\n");
    for name in ["PreToolUse-Bash", "PostToolUse-Bash", "PreToolUse-Edit", "PostToolUse-Edit"] {
        world.hook(world.recorded(name));
    }
    let write = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    denied(
        &world.hook(
            world.payload("Write", &write, "t3").replace(SESSION, "67e7c48a-038e-4b31-963f-5c9dd9be4888"),
        ),
    );
    let journal = world.state().join("sessions/67e7c48a-038e-4b31-963f-5c9dd9be4888.jsonl");
    let records: Vec<Record> = journal::read(&journal).unwrap().collect();
    let file = world.path("src/cart.py").display().to_string();
    let expected = [
        ("decision", "Bash", "git status --short && ls build", "allowed"),
        ("result", "Bash", "git status --short && ls build", "ok"),
        ("decision", "Edit", file.as_str(), "allowed"),
        ("result", "Edit", file.as_str(), "ok"),
        ("decision", "Write", "~/.claude/settings.json", "blocked"),
    ];
    assert_eq!(records.len(), expected.len());
    for (record, (kind, operation, target, status)) in records.iter().zip(expected) {
        assert_eq!(record.kind, kind);
        assert_eq!(record.text("operation"), Some(operation));
        assert_eq!(record.text("target"), Some(target));
        assert_eq!(record.text("status"), Some(status));
        assert!(!record.text("message").unwrap().is_empty());
        assert!(1_700_000_000_000 < record.time_ms);
        assert_eq!(record.text("gen_ai.operation.name"), Some("execute_tool"));
        assert_eq!(record.text("gen_ai.tool.name"), Some(operation));
        assert!(record.text("gen_ai.tool.call.id").is_some() && record.text("input_sha256").is_some());
    }
    let lines = fs::read_to_string(&journal).unwrap();
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok_and(|it| it.is_object())));
}

// @traces REQ-020-140 REQ-020-141 020-ERR-019 020-ERR-020 021-CONST-V-006
#[test]
fn what_was_stopped_has_a_name_of_its_own() {
    let world = World::new().set("HOSTLER_PROFILE", "strict");
    denied(&world.bash("rm -rf build", "t1"));
    let record = world.last();
    assert_eq!(record.text("operation"), Some("Bash-Delete-Blocked"));
    assert_eq!(record.attributes["paths"], json!([world.path("build")]));
    denied(&world.bash("echo '{}' > ~/.claude/settings.json", "t2"));
    assert_eq!(world.last().text("operation"), Some("Bash-Claude-Dir-Blocked"));
}

#[test]
fn sessions_prompts_turns_and_subagents_are_recorded_without_their_text() {
    let world = World::new();
    let secret = "deploy with sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    world.hook(world.event("UserPromptSubmit", &json!({ "prompt": secret })));
    world.hook(world.event("SubagentStart", &json!({ "agent_id": "a1", "agent_type": "general-purpose" })));
    world.hook(world.event("SubagentStop", &json!({ "agent_id": "a1", "last_assistant_message": "done" })));
    world.hook(world.event("PreCompact", &json!({ "trigger": "auto" })));
    world.hook(
        world.event("Stop", &json!({ "last_assistant_message": "all done", "stop_hook_active": false })),
    );
    world.hook(world.event("SessionEnd", &json!({ "reason": "other" })));
    let records = world.records();
    let kinds: Vec<&str> = records.iter().map(|record| record.kind.as_str()).collect();
    assert_eq!(kinds, ["session", "prompt", "subagent", "subagent", "compaction", "turn", "session", "seal"]);
    assert_eq!(records[2].text("gen_ai.agent.id"), Some("a1"));
    let prompt = records[1].text("prompt_preview").unwrap();
    assert!(prompt.starts_with("deploy with ") && !prompt.contains("api03"), "{prompt}");
    assert_eq!(records[5].text("last_message_preview"), Some("all done"));
}

#[track_caller]
fn check_fault(payload: impl AsRef<[u8]>, part: &str) {
    let world = World::new();
    let reply = world.hook(payload);
    let message = loud(&reply);
    assert!(message.contains(part), "{part:?} in {message}");
    let journal = world.state().join("sessions/unreadable-payloads.jsonl");
    let record = journal::read(&journal).unwrap().last().unwrap();
    assert_eq!(record.kind, "fault");
}

#[test]
fn a_damaged_payload_is_loud_and_blocks_nothing() {
    let whole = fs::read(payloads().join("PreToolUse-Bash.json")).unwrap();
    check_fault("", "the payload is empty");
    check_fault("\n\n", "the payload is empty");
    check_fault("not json", "not JSON");
    check_fault(&whole[..whole.len() / 2], "not JSON");
    check_fault(&whole[..whole.len() - 3], "not JSON");
    check_fault(b"{\"session_id\":\"\xff\xfe\"}", "not UTF-8");
    check_fault("[1,2]", "not a JSON object");
    check_fault("{}", "no `hook_event_name`");
    check_fault(format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "recursion limit");
    check_fault(
        r#"{"hook_event_name":"PreToolUse","cwd":"/p","session_id":7}"#,
        "`session_id` is not a string",
    );
    check_fault(
        r#"{"hook_event_name":"PreToolUse","cwd":"/p","session_id":"s","tool_name":"Bash","tool_input":{"command":1}}"#,
        "`command` is not a string",
    );
    check_fault(r#"{"hook_event_name":"Stop","cwd":"/p","session_id":"../../etc"}"#, "session id");
    let mut huge = whole;
    huge.resize(16 * 1024 * 1024 + 1, b' ');
    check_fault(huge, "larger than 16 MiB");
}

#[test]
fn a_payload_of_sixteen_mebibytes_is_judged() {
    let world = World::new();
    let padding = "x".repeat(15 * 1024 * 1024);
    let input = json!({ "file_path": "~/.claude/settings.json", "content": padding });
    let reply = world.hook(world.payload("Write", &input, "t1"));
    denied(&reply);
    assert!(fs::metadata(world.state().join(format!("sessions/{SESSION}.jsonl"))).unwrap().len() < 10_000);
}

#[test]
fn what_is_unknown_passes() {
    let world = World::new();
    assert_eq!(world.hook(world.event("MoonRise", &json!({ "phase": 1 }))), json!({}));
    assert_eq!(world.hook(world.payload("TimeMachine", &json!({ "to": [1985] }), "t1")), json!({}));
    assert_eq!(world.last().text("gen_ai.tool.name"), Some("TimeMachine"));
}

#[test]
fn an_unknown_host_is_loud() {
    let world = World::new();
    for arguments in [&["hook"][..], &["hook", "emacs"]] {
        let answer = finish(world.start(arguments), b"{}");
        assert!(loud(&document(&answer)).contains("`claude`"));
    }
}

#[test]
fn a_fault_closes_where_the_user_chose_that() {
    let world = World::new().configured("on_fault = \"closed\"\n");
    // Cut short: it still names its event.
    let call = world.payload("Bash", &json!({ "command": "ls" }), "t1");
    let reply = world.hook(&call[..call.len() - 1]);
    assert!(denied(&reply).contains("on_fault"), "{reply}");
    denied(&world.hook("garbage"));
    let stop = world.event("Stop", &json!({}));
    loud(&world.hook(&stop[..stop.len() - 1]));
    // Nothing is wrong with this one.
    assert_eq!(world.bash("ls", "t1"), json!({}));
    let world = world.set("HOSTLER_FAULT", "panic:hook");
    denied(&world.bash("ls", "t2"));
    loud(&world.hook(world.event("Stop", &json!({}))));
}

#[test]
fn a_panic_is_loud_and_blocks_nothing() {
    let world = World::new().set("HOSTLER_FAULT", "panic:hook");
    let message = world.bash("ls", "t1");
    assert!(loud(&message).contains("injected"), "{message}");
    assert!(loud(&message).contains("fault.rs:"), "{message}");
}

#[test]
fn a_failing_analysis_is_loud_and_recorded() {
    let world = World::new().set("HOSTLER_FAULT", "panic:analysis");
    assert!(loud(&world.bash("ls", "t1")).contains("injected"));
    let record = world.last();
    assert_eq!(record.text("status"), Some("allowed"));
    assert!(record.attributes["faults"][0].as_str().unwrap().contains("injected"));
    let world = world.configured("on_fault = \"closed\"\n");
    assert!(denied(&world.bash("ls", "t2")).contains("[fault]"));
    assert_eq!(world.last().text("status"), Some("blocked"));
}

#[test]
fn a_rule_that_fails_does_not_take_the_others_with_it() {
    let world = World::new().set("HOSTLER_FAULT", "panic:missing-path");
    let reply = world.bash("ls", "t1");
    assert!(loud(&reply).contains("rule `missing-path` failed: injected"), "{reply}");
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let reply = world.hook(world.payload("Write", &input, "t2"));
    denied(&reply);
    assert!(reply["systemMessage"].as_str().unwrap().contains("`missing-path`"), "{reply}");
    assert!(world.last().attributes["faults"][0].as_str().unwrap().contains("injected"));
    let world = world.configured("on_fault = \"closed\"\n");
    assert!(denied(&world.bash("ls", "t3")).contains("[fault]"));
}

/// Every file below `folder` that is not one of ours or the repository's own.
fn foreign_files(world: &World) -> Vec<(PathBuf, Vec<u8>)> {
    let ours = [world.path("~/.local/state/hostler"), world.path(".git")];
    let mut found = Vec::new();
    let mut folders = vec![world.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if ours.contains(&path) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

// @traces 021-CONST-VI-010
#[test]
fn the_hook_writes_nothing_but_its_evidence_and_references() {
    let world = World::new().configured("");
    world.write("build/out.bin", "1");
    world.write("~/notes.txt", "mine");
    let before = foreign_files(&world);
    world.bash("rm -rf build", "t1");
    world.bash("rm -rf ~", "t2");
    world.hook(world.payload(
        "Edit",
        &json!({ "file_path": "README.md", "old_string": "#", "new_string": "##" }),
        "t3",
    ));
    world.hook(world.payload("Write", &json!({ "file_path": "~/notes.txt", "content": "x" }), "t4"));
    assert_eq!(foreign_files(&world), before);
    assert!(world.git(&["for-each-ref", "refs/hostler"]).lines().count() >= 2, "checkpoints were made");
}

#[test]
fn a_script_is_read_before_it_runs() {
    let world = World::new();
    world.write("clean.sh", "#!/bin/sh\nrm -rf ~/photos\n");
    world.write("build.sh", "rm -rf \"$OUT\"\n");
    let reply = world.bash("sh clean.sh", "t1");
    let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("photos") && reason.contains("clean.sh"), "{reply}");
    assert_eq!(world.bash("sh build.sh", "t2"), json!({}));
}

#[test]
fn time_runs_out_here_before_it_does_at_the_host() {
    let world = World::new().set("HOSTLER_FAULT", "slow:20000");
    let input = json!({ "file_path": "README.md", "content": "x" });
    let begun = Instant::now();
    let reply = world.hook(world.payload("Write", &input, "t1"));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert!(loud(&reply).contains("took longer than 4 s"), "{reply}");
    // A command that could not be judged in time is a question, not consent.
    let asked = |world: &World, command: &str| {
        let reply = world.bash(command, "t2");
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask", "{reply}");
        reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned()
    };
    assert!(asked(&world, "rm README.md").contains("took longer than 4 s"));
    let world = World::new().set("HOSTLER_FAULT", "slow-analysis:20000");
    assert!(asked(&world, &format!("echo {}", "$(echo x)".repeat(20))).contains("too long to analyse"));
    assert_eq!(world.bash("ls", "t3"), json!({}), "an ordinary command is not watched");
}

#[test]
fn a_decision_stands_when_it_cannot_be_recorded() {
    let settings = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let blocked = World::new();
    // Root may write into any folder, but not into a file as if it were one.
    blocked.write("~/.local/state/hostler", "");
    let homeless = World::new().set("HOME", "");
    let closed = World::new().configured("on_fault = \"closed\"\n");
    closed.write("~/.local/state/hostler", "");
    assert!(denied(&closed.bash("ls", "t1")).contains("could not be recorded"));
    for (world, target) in
        [(&blocked, settings), (&homeless, json!({ "file_path": ".hostler/config.toml", "content": "" }))]
    {
        assert!(loud(&world.bash("ls", "t1")).contains("could not be recorded"));
        let reply = world.hook(world.payload("Write", &target, "t2"));
        let reason = denied(&reply);
        assert!(!reason.contains("hostler explain"), "{reason}");
        assert!(reply["systemMessage"].as_str().unwrap().contains("could not be recorded"), "{reply}");
    }
}

#[track_caller]
fn check_config(text: &str, part: &str) {
    let world = World::new().configured(text);
    let reply = world.bash("ls", "t1");
    assert!(loud(&reply).contains(part), "{part:?} in {reply}");
    // The guards are still there.
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    denied(&world.hook(world.payload("Write", &input, "t2")));
}

#[test]
fn a_broken_configuration_is_loud_and_guards_stay() {
    check_config("profile = \"off\"", "`off` is no profile");
    check_config("profile = 3", "`profile` must be");
    check_config("version = 2", "this build reads 1");
    check_config("version = \"1\"", "this build reads 1");
    check_config("a = 1\n[rules\n", "line 2 is not TOML");
    check_config("[rules]\nprotected-path = \"of\"", "`rules.protected-path` must be");
    check_config("rules = 1", "`rules` must be");
    check_config("protected = \"*.key\"", "`protected` must be");
    check_config("protected = [\"a[\"]", "`protected` holds `a[`");
    check_config("on_fault = true", "`on_fault` must be");
    check_config("uv = \"yes\"", "`uv` must be");
    check_config("[checkpoint]\nbytes_max = -1", "`checkpoint.bytes_max` must be");
    check_config("[checkpoint]\nedits = 1", "`checkpoint.edits` must be");
    let folder = World::new();
    fs::create_dir_all(folder.path(".hostler/config.toml")).unwrap();
    assert!(loud(&folder.bash("ls", "t1")).contains("could not be read"));
    let named = World::new().set("HOSTLER_PROFILE", "paranoid");
    assert!(loud(&named.bash("ls", "t1")).contains("HOSTLER_PROFILE: `paranoid` is no profile"));
}

#[test]
fn unknown_keys_are_told_once_a_session_and_stop_nothing() {
    let world =
        World::new().configured("colour = true\n[rules]\nno-such-rule = \"deny\"\n[checkpoint]\nx = 1\n");
    assert_eq!(world.bash("ls", "t1"), json!({}));
    let reply = world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    let message = reply["systemMessage"].as_str().unwrap();
    for part in ["`colour`", "`no-such-rule`", "`checkpoint.x`"] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn the_project_is_over_the_user_and_the_variable_over_both() {
    let overwrite = |world: &World, id: &str| {
        let input = json!({ "file_path": "README.md", "content": "x" });
        let reply = world.hook(world.payload("Write", &input, id));
        (reply != json!({}), world.last().text("profile").unwrap().to_owned())
    };
    let world = World::new();
    assert_eq!(overwrite(&world, "t1"), (false, "standard".to_owned()));
    world.write("~/.config/hostler/config.toml", "profile = \"strict\"");
    assert_eq!(overwrite(&world, "t2"), (true, "strict".to_owned()));
    let world = World::new().configured("profile = \"standard\"\n[rules]\nwrite-overwrite = \"ask\"\n");
    world.write("~/.config/hostler/config.toml", "profile = \"strict\"");
    assert_eq!(overwrite(&world, "t3"), (true, "standard".to_owned()));
    let world = world.set("HOSTLER_PROFILE", "observe");
    assert_eq!(overwrite(&world, "t4"), (false, "observe".to_owned()));
    assert_eq!(world.last().attributes["rules"], json!(["write-overwrite"]));
}

#[test]
fn a_project_that_is_milder_than_its_profile_says_so() {
    let world = World::new().configured("[rules]\nprotected-path = \"off\"\n");
    let reply = world.hook(world.event("SessionStart", &json!({ "source": "resume" })));
    assert!(reply["systemMessage"].as_str().unwrap().contains("protected-path = off"), "{reply}");
    let observing = World::new().configured("profile = \"observe\"\n");
    let reply = observing.hook(observing.event("SessionStart", &json!({ "source": "startup" })));
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(message.contains("over your `standard`") && message.contains("nothing is stopped"), "{message}");
    let chosen = World::new().configured("profile = \"standard\"\n").set("HOSTLER_PROFILE", "strict");
    assert_eq!(chosen.hook(chosen.event("SessionStart", &json!({ "source": "startup" }))), json!({}));
    assert_eq!(world.hook(world.event("Stop", &json!({}))), json!({}));
}

#[test]
fn a_linked_work_tree_has_the_main_ones_configuration_and_evidence() {
    let world = World::new().configured("profile = \"strict\"\n");
    world.git(&["worktree", "add", "--quiet", "../linked"]);
    let payload = world.payload("Bash", &json!({ "command": "ls" }), "t1");
    world.hook(payload.replace("home/shop", "home/linked"));
    assert_eq!(world.last().text("profile"), Some("strict"));
    let input = json!({ "file_path": world.path(".hostler/config.toml"), "content": "" });
    denied(&world.hook(world.payload("Write", &input, "t2")));
}

#[test]
fn a_working_directory_does_not_make_a_project() {
    let world = World::new();
    world.write("../other/data/kept.txt", "x");
    let delete = |world: &World, cwd: &str, id: &str| {
        let call = world.payload("Bash", &json!({ "command": "rm -rf data" }), id);
        let mut payload: Value = serde_json::from_str(&call).unwrap();
        payload["cwd"] = cwd.into();
        world.hook(payload.to_string())
    };
    let other = world.home().join("other");
    fs::create_dir_all(other.join("data")).unwrap();
    Command::new("git").args(["init", "--quiet"]).arg(&other).status().unwrap();
    let inside = world.path("sub");
    fs::create_dir_all(inside.join("data")).unwrap();
    world.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = world.home().join("linked");
    fs::create_dir_all(linked.join("data")).unwrap();
    let project = world.path("");
    let world = world.set("CLAUDE_PROJECT_DIR", project.to_str().unwrap());
    asked(&delete(&world, other.to_str().unwrap(), "t1"));
    for (path, id) in [(&inside, "t2"), (&linked, "t3")] {
        assert_eq!(delete(&world, path.to_str().unwrap(), id), json!({}));
        assert!(world.last().text("checkpoint").is_some());
    }
    // A repository that the agent makes below does not shake off what is configured and recorded.
    let strict = World::new().configured("profile = \"strict\"\nprotected = [\"*.pem\", \"keys/*\"]\n");
    let nested = strict.path("sub");
    fs::create_dir_all(nested.join("data")).unwrap();
    Command::new("git").args(["init", "--quiet"]).arg(&nested).status().unwrap();
    let project = strict.path("");
    let strict = strict.set("CLAUDE_PROJECT_DIR", project.to_str().unwrap());
    denied(&delete(&strict, nested.to_str().unwrap(), "t1"));
    assert_eq!(strict.last().text("profile"), Some("strict"));
    for (path, id) in [(".hostler/config.toml", "t2"), ("sub/server.pem", "t3"), ("keys/a", "t4")] {
        let input = json!({ "file_path": strict.path(path), "content": "x" });
        let mut payload: Value = serde_json::from_str(&strict.payload("Write", &input, id)).unwrap();
        payload["cwd"] = nested.to_str().into();
        assert!(denied(&strict.hook(payload.to_string())).contains("[protected-path]"), "{path}");
    }
    // Started in a bare folder, a repository below it is a project.
    let bare = World::below(&std::env::temp_dir());
    fs::create_dir_all(bare.path("data")).unwrap();
    let home = bare.home();
    let bare = bare.set("CLAUDE_PROJECT_DIR", home.to_str().unwrap());
    assert_eq!(delete(&bare, bare.path("").to_str().unwrap(), "t1"), json!({}));
    // Neither do the home folder and what is above it.
    let world = World::new();
    let asks = |cwd: &str, id: &str| asked(&delete(&world, cwd, id)).to_owned();
    assert!(asks("/", "t4").contains("[delete-outside]"));
    assert!(asks("/etc", "t5").contains("[delete-outside]"));
}

#[test]
fn a_warning_reaches_the_user_and_the_agent() {
    let world = World::new().configured("[rules]\nprotected-path = \"warn\"\n");
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let reply = world.hook(world.payload("Write", &input, "t1"));
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.starts_with("hostler: [protected-path]"), "{reply}");
    assert_eq!(reply["systemMessage"], context);
    assert!(reply["hookSpecificOutput"].get("permissionDecision").is_none(), "{reply}");
    assert_eq!(world.last().text("status"), Some("warned"));
}

#[test]
fn a_doubled_registration_decides_twice_and_tells_once() {
    let world = World::new();
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let payload = world.payload("Write", &input, "t1");
    let first = world.hook(&payload);
    let second = world.hook(&payload);
    assert_eq!(denied(&first), denied(&second));
    assert_eq!(world.records().len(), 1);
    let world = World::new().configured("[rules]\nprotected-path = \"warn\"\n");
    let payload = world.payload("Write", &input, "t1");
    assert!(world.hook(&payload).get("systemMessage").is_some());
    assert_eq!(world.hook(&payload), json!({}));
    assert_eq!(world.records().len(), 1);
}

#[test]
fn a_stopped_call_can_be_let_through_once() {
    let world = World::new();
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    denied(&world.hook(world.payload("Write", &input, "t1")));
    world.let_through();
    // Another input is another call.
    let other = json!({ "file_path": "~/.claude/settings.json", "content": "{ }" });
    denied(&world.hook(world.payload("Write", &other, "t2")));
    let payload = world.payload("Write", &input, "t3");
    assert_eq!(world.hook(&payload), json!({}));
    let record = world.last();
    assert_eq!(record.text("status"), Some("allowed"));
    assert_eq!(record.attributes["allowed_once"], json!(true));
    // The same call, reported by a second registration, is still that call.
    assert_eq!(world.hook(&payload), json!({}));
    denied(&world.hook(world.payload("Write", &input, "t4")));
}

#[test]
fn what_an_exception_takes_is_kept_first() {
    let world = World::new().set("HOSTLER_PROFILE", "strict");
    world.write("build/out.bin", "only copy\n");
    denied(&world.bash("rm -rf build", "t1"));
    world.let_through();
    assert_eq!(world.bash("rm -rf build", "t2"), json!({}));
    let record = world.last();
    assert_eq!(record.text("status"), Some("allowed"));
    assert!(record.text("checkpoint").is_some(), "{record:?}");
}

#[test]
fn what_an_allowed_delete_takes_is_kept_first() {
    let world = World::new();
    world.write("build/out.bin", "only copy\n");
    world.write(".gitignore", "build/\n");
    assert_eq!(world.bash("rm -rf build", "t1"), json!({}));
    let record = world.last();
    let checkpoint = record.text("checkpoint").unwrap();
    fs::remove_dir_all(world.path("build")).unwrap();
    let restored = world.hostler(&["checkpoint", "restore", checkpoint]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(fs::read_to_string(world.path("build/out.bin")).unwrap(), "only copy\n");
}

#[test]
fn a_delete_without_a_checkpoint_becomes_a_question() {
    let world = World::new().configured("[checkpoint]\nbytes_max = 4\n");
    world.write("build/out.bin", "more than four bytes\n");
    let reply = world.bash("rm -rf build", "t1");
    let reason = asked(&reply);
    assert!(reason.contains("[checkpoint]") && reason.contains("too large"), "{reason}");
    let record = world.last();
    assert_eq!(record.text("status"), Some("asked"));
    assert!(record.text("checkpoint").is_none() && record.text("checkpoint_error").is_some());
    // A person may know better.
    assert!(reason.ends_with(&format!("hostler allow-once {}", record.text("code").unwrap())), "{reason}");
    world.let_through();
    assert_eq!(world.bash("rm -rf build", "t2"), json!({}));
    assert_eq!(world.last().attributes["allowed_once"], json!(true));
}

// @traces 021-CONST-IV-008
#[test]
fn an_edit_is_kept_first_and_goes_ahead_without() {
    let edit = json!({ "file_path": "README.md", "old_string": "# shop", "new_string": "# Shop" });
    let world = World::new().configured("version = 1\n");
    assert_eq!(world.hook(world.payload("Edit", &edit, "t1")), json!({}));
    assert!(world.last().text("checkpoint").is_some());
    let world = World::new().configured("[checkpoint]\nbytes_max = 1\n");
    let reply = world.hook(world.payload("Edit", &edit, "t1"));
    assert_eq!(reply.as_object().unwrap().len(), 1, "{reply}");
    assert!(reply["systemMessage"].as_str().unwrap().contains("without a checkpoint"), "{reply}");
    assert_eq!(world.hook(world.payload("Edit", &edit, "t2")), json!({}));
    let record = world.last();
    assert_eq!(record.text("status"), Some("allowed"));
    assert!(record.text("checkpoint_error").unwrap().contains("too large"), "{record:?}");
    let world = World::new().configured("[checkpoint]\nedits = false\n");
    world.hook(world.payload("Edit", &edit, "t1"));
    assert!(world.last().text("checkpoint").is_none());
    // Without a configuration nothing is written into the project for an edit.
    let world = World::new();
    world.hook(world.payload("Edit", &edit, "t1"));
    assert!(world.last().text("checkpoint").is_none());
    assert_eq!(world.git(&["for-each-ref", "refs/hostler"]), "");
}

#[test]
fn another_client_with_these_registrations_gets_an_answer_it_reads() {
    let world = World::new().set("COPILOT_CLI", "1");
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let reply = world.hook(world.payload("Write", &input, "t1"));
    denied(&reply);
    assert_eq!(reply["permissionDecision"], "deny");
    assert_eq!(world.last().text("host"), Some("foreign"));
    let camel = json!({ "sessionId": SESSION, "cwd": world.path(""), "toolName": "bash", "toolArgs": "{\"command\":\"rm -rf /srv\"}" });
    assert_eq!(world.hook(camel.to_string())["permissionDecision"], "deny");
    let start = json!({ "sessionId": SESSION, "cwd": world.path(""), "source": "new" });
    assert_eq!(world.hook(start.to_string()), json!({}));
}

#[test]
fn two_hundred_calls_at_once_lose_no_line() {
    let world = World::new();
    let mut children: Vec<Child> = (0..200).map(|_| world.start(&["hook", "claude"])).collect();
    for (index, child) in children.iter_mut().enumerate() {
        let payload =
            world.payload("Bash", &json!({ "command": format!("echo {index}") }), &format!("t{index}"));
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "{}\n");
    }
    let records = world.records();
    let sequences: Vec<u64> = records.iter().map(|record| record.sequence).collect();
    assert_eq!(sequences, (1..=200).collect::<Vec<_>>());
    let calls: BTreeSet<&str> = records.iter().filter_map(|it| it.text("gen_ai.tool.call.id")).collect();
    assert_eq!(calls.len(), 200);
}
