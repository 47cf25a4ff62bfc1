//! The audit at the end of a turn, through the real program: a session's payloads on stdin, one after the other.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use hostler_ledger::journal::{self, Record};
use serde_json::{Value, json};

use crate::hook::{Answer, SESSION, World, document, finish};

const SECRET: &str = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const FAILED_RUN: &str = "Exit code 1\n=== test session starts ===\ncollected 12 items\n\ntests/test_cart.py ...........F\n\n\
    FAILED tests/test_cart.py::test_total - assert 3 == 4\n=== 1 failed, 11 passed in 0.12s ===";
const PASSED_RUN: &str = "=== test session starts ===\ncollected 12 items\n\ntests/test_cart.py ............\n\n\
    === 12 passed in 0.11s ===";

/// A session of the client in a fresh world.
struct Session {
    world: World,
    next: AtomicU32,
    agent: Option<&'static str>,
}

/// What the end of a turn was answered with.
#[derive(Debug)]
struct End {
    reply: Value,
    stderr: String,
}

impl Session {
    fn new() -> Self {
        Self::in_world(World::new())
    }

    fn configured(text: &str) -> Self {
        Self::in_world(World::new().configured(text))
    }

    fn in_world(world: World) -> Self {
        let session = Self { world, next: AtomicU32::new(1), agent: None };
        session.event("SessionStart", json!({ "source": "startup" }));
        session.event("UserPromptSubmit", json!({ "prompt": "add the cart and run the tests" }));
        session
    }

    #[track_caller]
    fn event(&self, name: &str, mut more: Value) -> Value {
        self.tag(&mut more);
        self.world.hook(self.world.event(name, &more))
    }

    fn tag(&self, fields: &mut Value) {
        if let Some(agent) = self.agent {
            fields["agent_id"] = agent.into();
            fields["agent_type"] = "general-purpose".into();
        }
    }

    fn payload(&self, event: &str, tool: &str, input: &Value, id: &str) -> Value {
        let mut payload: Value = serde_json::from_str(&self.world.payload(tool, input, id)).unwrap();
        payload["hook_event_name"] = event.into();
        self.tag(&mut payload);
        payload
    }

    #[track_caller]
    fn before(&self, tool: &str, input: &Value) -> (String, Value) {
        let id = format!("toolu_{}", self.next.fetch_add(1, Ordering::Relaxed));
        let reply = self.world.hook(self.payload("PreToolUse", tool, input, &id).to_string());
        (id, reply)
    }

    #[track_caller]
    fn ran(&self, tool: &str, input: &Value, response: &Value) {
        let (id, _) = self.before(tool, input);
        let mut payload = self.payload("PostToolUse", tool, input, &id);
        payload["tool_response"] = response.clone();
        assert_eq!(self.world.hook(payload.to_string()), json!({}));
    }

    #[track_caller]
    fn failed(&self, tool: &str, input: &Value, error: &str) {
        let (id, _) = self.before(tool, input);
        let mut payload = self.payload("PostToolUseFailure", tool, input, &id);
        payload["error"] = error.into();
        assert_eq!(self.world.hook(payload.to_string()), json!({}));
    }

    #[track_caller]
    fn bash(&self, command: &str, stdout: &str) {
        let response = json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false });
        self.ran("Bash", &json!({ "command": command }), &response);
    }

    #[track_caller]
    fn wrote(&self, path: &str, content: &str) {
        self.world.write(path, content);
        let input = json!({ "file_path": self.world.path(path), "content": content });
        let response = json!({ "type": "create", "filePath": self.world.path(path), "content": content });
        self.ran("Write", &input, &response);
    }

    #[track_caller]
    fn end(&self, event: &str, fields: Value) -> End {
        let mut fields = fields;
        self.tag(&mut fields);
        let answer = self.answer(&self.world.event(event, &fields));
        assert_eq!(answer.code, Some(0), "{answer:?}");
        let reply = document(&Answer { stderr: String::new(), ..answer.clone() });
        End { reply, stderr: answer.stderr }
    }

    fn answer(&self, payload: &str) -> Answer {
        finish(self.world.start(&["hook", "claude"]), payload.as_bytes())
    }

    #[track_caller]
    fn says(&self, message: &str) -> End {
        self.end("Stop", json!({ "last_assistant_message": message, "stop_hook_active": false }))
    }

    #[track_caller]
    fn says_again(&self, message: &str) -> End {
        self.end("Stop", json!({ "last_assistant_message": message, "stop_hook_active": true }))
    }

    fn records(&self) -> Vec<Record> {
        let path = self.world.state().join(format!("sessions/{SESSION}.jsonl"));
        journal::read(&path).unwrap().collect()
    }

    #[track_caller]
    fn last(&self, kind: &str) -> Record {
        self.records().into_iter().rfind(|record| record.kind == kind).unwrap()
    }

    fn log(&self, folder: &str) -> Vec<Value> {
        let path = self.world.state().join(folder).join("deception_log.jsonl");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn journal(&self) -> PathBuf {
        self.world.state().join(format!("sessions/{SESSION}.jsonl"))
    }
}

impl End {
    /// The agent was sent back with these words.
    #[track_caller]
    fn sent_back(&self) -> &str {
        assert_eq!(self.reply["decision"], "block", "{self:?}");
        self.reply["reason"].as_str().unwrap()
    }

    #[track_caller]
    fn released(&self) -> &Self {
        assert_eq!(self.reply.get("decision"), None, "{self:?}");
        self
    }

    /// What the user is told.
    #[track_caller]
    fn told(&self) -> &str {
        self.reply["systemMessage"].as_str().unwrap_or_else(|| panic!("{self:?}"))
    }

    #[track_caller]
    fn clean(&self) -> &Self {
        assert_eq!(self.reply, json!({}), "{self:?}");
        assert!(self.stderr.contains("No issues detected"), "{self:?}");
        self
    }
}

fn tools() -> Session {
    Session::configured("[claims]\nmode = \"tools\"\n")
}

// @traces REQ-020-088 REQ-020-092 REQ-020-093 REQ-020-098 021-CONST-V-003 021-CONST-VII-004
#[test]
fn a_clean_turn_says_so_and_is_recorded() {
    let session = Session::new();
    session.wrote("src/cart.py", "total = 4\n");
    session.bash("pytest -q", PASSED_RUN);
    session.says("I created `src/cart.py` and ran the tests: all 12 tests pass.").clean();
    let turn = session.last("turn");
    assert_eq!(turn.text("audit"), Some("clean"));
    assert_eq!(turn.attributes["evidence_calls"], 2);
    assert!(!turn.attributes.contains_key("evidence_gaps"), "{turn:?}");
    assert_eq!(session.log("findings"), [] as [Value; 0]);
    let status = session.world.hostler(&["status"]);
    assert!(status.stdout.contains("No issues detected"), "{status:?}");
}

// @traces REQ-020-110 REQ-020-111 021-US-004-AC06 021-CONST-V-002 021-CONST-VII-005
#[test]
fn a_creation_that_no_tool_could_have_made_is_told_with_its_evidence() {
    let session = tools();
    session.bash("ls", "README.md");
    let end = session.says("I created the file cart.py with the totals.");
    assert!(end.told().contains("✖ CRITICAL ACTION_DECEPTION [claim-not-done] 0f9d4c1e-"), "{end:?}");
    assert!(end.told().contains("hostler audit explain 0f9d4c1e-"), "{end:?}");
    assert_eq!(end.stderr.trim(), end.told());
    end.released();
    let turn = session.last("turn");
    assert_eq!((turn.text("audit"), &turn.attributes["modes"]), (Some("reported"), &json!(["warn"])));
    let finding = &turn.attributes["findings"][0];
    for member in ["type", "severity", "description", "evidence", "claim", "pattern_matched"] {
        assert!(finding.get(member).is_some_and(|it| !it.is_null()), "{member} in {finding}");
    }
    assert_eq!((&finding["type"], &finding["severity"]), (&json!("ACTION_DECEPTION"), &json!("CRITICAL")));
}

// @traces REQ-020-094 REQ-020-126 REQ-020-127 REQ-020-128 REQ-020-129 REQ-020-130
#[test]
fn findings_are_logged_with_time_session_tools_and_message() {
    let session = tools();
    session.bash("ls", "README.md");
    session.bash("ls src", "");
    let message = format!("I created the file cart.py. {}", "And so on. ".repeat(100));
    session.says(&message);
    let turn = session.last("turn");
    let log = session.log("findings");
    let [entry] = log.as_slice() else { panic!("{log:?}") };
    let seconds = entry["timestamp"].as_i64().unwrap();
    assert!((turn.time_ms / 1_000 - seconds).abs() < 60, "{entry}");
    assert!(entry["timestamp_iso"].as_str().unwrap().starts_with("20"), "{entry}");
    assert_eq!(entry["session_id"], SESSION);
    assert_eq!((&entry["findings_count"], &entry["tool_calls_count"]), (&json!(1), &json!(2)));
    assert_eq!(entry["tools_used"], json!(["Bash"]));
    assert_eq!(entry["assistant_message_length"], message.chars().count());
    let preview = entry["assistant_message_preview"].as_str().unwrap();
    assert!(preview.starts_with("I created the file cart.py."), "{entry}");
    assert_eq!(preview.split('…').next().unwrap().chars().count(), 500, "{entry}");
    assert_eq!(entry["findings"][0]["id"], format!("0f9d4c1e-{}.1", turn.sequence));
    let folder = session.world.state().join("findings");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let file = fs::metadata(folder.join("deception_log.jsonl")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    // It is only ever added to.
    session.event("UserPromptSubmit", json!({ "prompt": "go on" }));
    session.says("I created the file other.py.");
    assert_eq!(session.log("findings")[0], *entry);
    assert_eq!(session.log("findings").len(), 2);
}

#[test]
fn a_creation_that_was_made_is_supported() {
    let session = tools();
    session.wrote("cart.py", "total = 4\n");
    session.says("I created the file cart.py with the totals.").clean();
}

#[test]
fn what_may_not_stand_sends_the_agent_back_twice_and_is_then_told() {
    let session = Session::configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"deny\"\n");
    session.bash("ls", "README.md");
    let first = session.says("I created the file cart.py.");
    let reason = first.sent_back();
    assert!(reason.contains("I created the file cart.py") || reason.contains("created the file"), "{reason}");
    assert!(reason.contains("take it back") && reason.contains("hostler audit explain"), "{reason}");
    assert!(first.told().contains("the agent was sent back"), "{first:?}");
    assert_eq!(session.last("turn").text("audit"), Some("sent-back"));
    session.bash("ls -a", "README.md");
    session.says_again("I created the file cart.py.").sent_back();
    session.bash("ls -la", "README.md");
    let third = session.says_again("I created the file cart.py.");
    third.released();
    assert!(third.told().contains("sent back before"), "{third:?}");
    assert_eq!(session.last("turn").text("audit"), Some("released"));
    // A new turn is another matter.
    session.event("UserPromptSubmit", json!({ "prompt": "and now?" }));
    session.says("I created the file cart.py.").sent_back();
}

#[test]
fn an_agent_that_changes_nothing_is_let_go() {
    let session = Session::configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"deny\"\n");
    session.says("I created the file cart.py.").sent_back();
    session.says_again("I created the file cart.py.").released();
}

#[test]
fn an_agent_that_takes_it_back_is_clean() {
    let session = Session::configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"deny\"\n");
    session.says("I created the file cart.py.").sent_back();
    let status = |session: &Session| {
        let answer = session.world.hostler(&["--json", "status"]);
        serde_json::from_str::<Value>(&answer.stdout).unwrap()
    };
    assert_eq!(status(&session)["claims"]["open"].as_array().unwrap().len(), 1);
    session.wrote("cart.py", "");
    session.says_again("I created the file cart.py.").clean();
    let claims = &status(&session)["claims"];
    assert_eq!((&claims["open"], &claims["last"]["outcome"]), (&json!([]), &json!("clean")));
}

#[test]
fn status_shows_open_findings_with_their_ids() {
    let session = tools();
    session.says("I created the file cart.py.");
    let id = format!("0f9d4c1e-{}.1", session.last("turn").sequence);
    let status = session.world.hostler(&["status"]);
    assert!(status.stdout.contains(&format!("{id}  CRITICAL ACTION_DECEPTION")), "{status:?}");
    assert!(status.stdout.contains("told to the user"), "{status:?}");
}

// The client goes on with a turn when words for the agent come at its end, so they come with the next prompt.
// @traces REQ-020-097
#[test]
fn the_agent_hears_of_a_reported_finding_with_the_next_prompt_once() {
    let session = tools();
    session.says("I created the file cart.py.").released();
    let reply = session.event("UserPromptSubmit", json!({ "prompt": "thanks" }));
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("claim-not-done") && context.contains("previous message"), "{context}");
    let reply = session.event("UserPromptSubmit", json!({ "prompt": "thanks again" }));
    assert_eq!(reply, json!({}));
}

#[test]
fn profile_observe_records_and_tells_nobody() {
    let session = Session::configured("profile = \"observe\"\n[claims]\nmode = \"tools\"\n");
    let end = session.says("I created the file cart.py.");
    assert_eq!((&end.reply, end.stderr.as_str()), (&json!({}), ""));
    let turn = session.last("turn");
    assert_eq!((turn.text("audit"), &turn.attributes["modes"]), (Some("recorded"), &json!(["observe"])));
    assert_eq!(session.log("findings").len(), 1);
    assert_eq!(session.event("UserPromptSubmit", json!({ "prompt": "go on" })), json!({}));
}

#[test]
fn switched_off_nothing_is_audited() {
    let session = Session::configured("[claims]\nmode = \"tools\"\nenabled = false\n");
    let end = session.says("I created the file cart.py.");
    assert_eq!((&end.reply, end.stderr.as_str()), (&json!({}), ""));
    assert_eq!(session.last("turn").text("audit"), None);
    let off = Session::configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"off\"\n");
    off.says("I created the file cart.py.").clean();
}

// @traces REQ-020-090 REQ-020-121 REQ-020-123 REQ-020-124
#[test]
fn a_subagents_message_is_audited_against_its_own_calls() {
    let mut session = tools();
    session.wrote("main.py", "");
    session.agent = Some("a1b2");
    session.event("SubagentStart", json!({}));
    session.bash("ls", "main.py");
    let end = session.end("SubagentStop", json!({ "last_assistant_message": "I created the file cart.py." }));
    assert!(end.told().contains("the subagent's message"), "{end:?}");
    let log = session.log("subagent_findings");
    assert_eq!((&log[0]["agent_id"], &log[0]["tools_used"]), (&json!("a1b2"), &json!(["Bash"])));
    assert_eq!(session.log("findings"), [] as [Value; 0]);
    assert_eq!(session.last("subagent").attributes["evidence_calls"], 1);
    // What a subagent did counts for who sent it.
    session.wrote("cart.py", "");
    session.agent = None;
    session.says("I created the file cart.py.").clean();
    assert_eq!(session.last("turn").attributes["evidence_calls"], 3);
}

/// The client compacts in an agent without a kind and tells the end of it as a subagent's.
#[test]
fn the_summary_of_a_compaction_is_nobodys_claim() {
    let session = tools();
    let payload = json!({ "agent_id": "c0", "agent_type": "", "last_assistant_message": "I created the file cart.py." });
    let end = session.end("SubagentStop", payload);
    assert_eq!(end.reply, json!({}), "{end:?}");
    assert_eq!(session.last("subagent").text("audit"), Some("summary"));
    assert_eq!(session.log("subagent_findings"), [] as [Value; 0]);
}

// @traces 021-CONST-II-009
#[test]
fn a_call_that_was_stopped_is_no_work() {
    let session = tools();
    let input = json!({ "file_path": "~/.claude/settings.json", "content": "{}" });
    let (_, reply) = session.before("Write", &input);
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    let decision = session.last("decision");
    assert_eq!(decision.attributes["evidence"]["failure"]["kind"], "refused");
    let end = session.says("I created the file settings.json.");
    assert!(end.told().contains("claim-not-done"), "{end:?}");
}

#[test]
fn a_call_that_the_user_let_through_counts_once() {
    let session = tools();
    let input = json!({ "command": "git reset --hard" });
    let (id, reply) = session.before("Bash", &input);
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask");
    let mut payload = session.payload("PostToolUse", "Bash", &input, &id);
    payload["tool_response"] = json!({ "stdout": "HEAD is now at 1", "stderr": "" });
    session.world.hook(payload.to_string());
    session.says("I ran the command.").clean();
    assert_eq!(session.last("turn").attributes["evidence_calls"], 1);
}

#[test]
fn what_is_missing_from_the_record_accuses_nobody() {
    // The hook was registered while the session went on.
    let world = World::new().configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"deny\"\n");
    let session = Session { world, next: AtomicU32::new(1), agent: None };
    session.event("UserPromptSubmit", json!({ "prompt": "go on" }));
    assert_eq!(session.says("I created the file cart.py.").reply, json!({}));
    let turn = session.last("turn");
    assert_eq!(turn.text("audit"), Some("recorded"));
    assert!(turn.attributes["evidence_gaps"][0].as_str().unwrap().contains("before its record"));
}

#[test]
fn a_damaged_line_in_the_middle_is_passed_over_and_said() {
    let session = tools();
    session.bash("ls", "README.md");
    let journal = session.journal();
    let mut file = fs::OpenOptions::new().append(true).open(&journal).unwrap();
    file.write_all(b"{\"seq\":77,\"kind\":\"resu\xff\n").unwrap();
    session.bash("ls", "README.md");
    session.says("I created the file cart.py.");
    let turn = session.last("turn");
    assert_eq!(turn.attributes["evidence_calls"], 2);
    assert!(turn.attributes["evidence_gaps"][0].as_str().unwrap().contains("1 lines"), "{turn:?}");
    assert_eq!(turn.text("audit"), Some("recorded"));
}

// @traces REQ-020-089 REQ-020-091 REQ-020-118
#[test]
fn a_message_that_the_host_does_not_tell_is_read_from_the_transcript() {
    let session = tools();
    let transcript = session.world.path("~/transcript.jsonl");
    let line = |kind: &str, content: Value| json!({ "type": kind, "message": { "content": content } });
    let text = format!(
        "{}\nnot json\n{}\n",
        line("user", "go".into()),
        line("assistant", json!([{ "type": "text", "text": "I created the file cart.py." }]))
    );
    fs::write(&transcript, text).unwrap();
    let end = session.end("Stop", json!({ "transcript_path": transcript, "stop_hook_active": false }));
    assert!(end.told().contains("claim-not-done"), "{end:?}");
    let turn = session.last("turn");
    assert_eq!(turn.text("last_message_preview"), Some("I created the file cart.py."));
    // Said last is what counts, and a line that cannot be read is said.
    fs::write(&transcript, "{\"half\n").unwrap();
    let end = session.end("Stop", json!({ "transcript_path": transcript, "stop_hook_active": true }));
    assert_eq!(end.reply, json!({}));
    assert!(end.stderr.contains("1 lines of the transcript"), "{end:?}");
}

// @traces REQ-020-120
#[test]
fn without_a_message_there_is_nothing_to_audit() {
    let session = tools();
    for transcript in ["/nonexistent/transcript.jsonl", "/", "/dev/zero"] {
        let end = session.end("Stop", json!({ "transcript_path": transcript }));
        assert_eq!((&end.reply, end.stderr.as_str()), (&json!({}), ""), "{transcript}");
        assert_eq!(session.last("turn").text("audit"), Some("no-message"));
    }
}

#[test]
fn secrets_in_a_claim_are_written_nowhere() {
    let session = tools();
    session.bash("ls", "");
    let message = format!("I created the file cart.py with ANTHROPIC_API_KEY={SECRET}.");
    let end = session.says(&message);
    assert!(end.told().contains("claim-not-done"), "{end:?}");
    assert!(!end.reply.to_string().contains("api03") && !end.stderr.contains("api03"), "{end:?}");
    let mut folders = vec![session.world.state()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains("api03"), "{}", path.display());
            }
        }
    }
}

#[test]
fn a_turns_end_that_cannot_be_recorded_is_loud_and_lets_go() {
    let session = Session::configured("[claims]\nmode = \"tools\"\n[rules]\nclaim-not-done = \"deny\"\n");
    // Root may write into any folder, but not into a folder as if it were a file.
    let state = session.world.state();
    fs::create_dir(state.join(format!("sessions/{SESSION}.state.json"))).unwrap();
    fs::create_dir_all(state.join("findings/deception_log.jsonl")).unwrap();
    let end = session.says("I created the file cart.py.");
    end.released();
    assert!(end.told().contains("not sent back") && end.told().contains("hostler doctor"), "{end:?}");
    assert!(end.told().contains("could not be logged") && end.told().contains("claim-not-done"), "{end:?}");
    let journal = session.journal();
    fs::remove_file(&journal).unwrap();
    fs::create_dir(&journal).unwrap();
    let end = session.says("I created the file cart.py.");
    end.released();
    assert!(end.told().contains("hostler doctor"), "{end:?}");
}

#[test]
fn a_hook_that_is_registered_twice_tells_it_once() {
    let session = tools();
    session.bash("ls", "");
    let fields = json!({ "last_assistant_message": "I created the file cart.py." });
    let payload = session.world.event("Stop", &fields);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..8).map(|_| scope.spawn(|| session.answer(&payload))).collect();
        running.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let told =
        answers.iter().filter(|it| document(&Answer { stderr: String::new(), ..(*it).clone() }) != json!({}));
    assert_eq!(told.count(), 1, "{answers:#?}");
    assert_eq!(session.records().iter().filter(|it| it.kind == "turn").count(), 1);
    assert_eq!(session.log("findings").len(), 1);
    assert_eq!(journal::verify(&session.journal()).unwrap().bad, None);
}

#[test]
fn a_fault_in_the_audit_is_loud_and_lets_go() {
    let world = World::new().set("HOSTLER_FAULT", "panic:audit");
    let session = Session::in_world(world);
    session.bash("ls", "");
    let end = session.says("All done.");
    end.released();
    assert!(end.told().contains("this turn was not audited: a fault in hostler"), "{end:?}");
    assert_eq!(session.last("turn").text("audit"), Some("failed"));
    let world = World::new().set("HOSTLER_FAULT", "slow-audit:20000");
    let end = Session::in_world(world).says("All done.");
    assert!(end.told().contains("took longer than 4 s"), "{end:?}");
}

#[test]
fn a_fault_in_reading_a_result_keeps_the_record() {
    let world = World::new().set("HOSTLER_FAULT", "panic:evidence");
    let session = Session::in_world(world);
    let mut payload = session.payload("PostToolUse", "Bash", &json!({ "command": "ls" }), "t1");
    payload["tool_response"] = json!({ "stdout": "README.md", "stderr": "" });
    let reply = session.world.hook(payload.to_string());
    assert!(reply["systemMessage"].as_str().unwrap().contains("injected"), "{reply}");
    let result = session.last("result");
    assert_eq!((result.text("status"), result.attributes.get("evidence")), (Some("ok"), None));
    assert!(result.attributes["faults"][0].as_str().unwrap().contains("injected"));
}

// The tool's name, whether it failed, how much it said: the output itself is not kept, its beginning is.
// @traces REQ-020-198 REQ-020-199 REQ-020-200
#[test]
fn every_result_is_recorded_with_what_it_proves() {
    let session = Session::new();
    session.bash("pytest -q", PASSED_RUN);
    session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
    let results: Vec<Record> = session.records().into_iter().filter(|it| it.kind == "result").collect();
    let [passed, failed] = results.as_slice() else { panic!("{results:?}") };
    assert_eq!(passed.text("gen_ai.tool.name"), Some("Bash"));
    assert_eq!((&passed.attributes["ok"], &failed.attributes["ok"]), (&json!(true), &json!(false)));
    assert_eq!(passed.attributes["output_bytes"], PASSED_RUN.len());
    assert!(passed.text("output_preview").unwrap().starts_with("=== test session starts"));
    assert_eq!(passed.attributes["evidence_v"], 1);
    let run = &passed.attributes["evidence"]["runs"][0]["outcome"];
    assert_eq!((&run["passed"], &run["tests_passed"]), (&json!(true), &json!(12)));
    let run = &failed.attributes["evidence"]["runs"][0]["outcome"];
    assert_eq!((&run["passed"], &run["tests_failed"]), (&json!(false), &json!(1)));
}

#[test]
fn a_result_that_differs_from_the_last_run_sends_the_agent_back() {
    let session = Session::new();
    session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
    let end = session.says("I ran the tests and all 12 tests pass.");
    let reason = end.sent_back();
    assert!(reason.contains("claim-contradicted") && reason.contains("all 12 tests pass"), "{reason}");
    assert!(reason.contains("11 passed, 1 failed") || reason.contains("1 failed"), "{reason}");
    session.says_again("I ran the tests: 11 pass and 1 fails (`test_total`).").clean();
}

#[test]
fn an_agent_that_is_sent_back_hears_of_everything() {
    let session = Session::new();
    session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
    let end = session.says("I read `docs/guide.md` and all 12 tests pass.");
    let (first, besides) = end.sent_back().split_once("What was found besides:").unwrap();
    assert!(first.contains("claim-contradicted") && besides.contains("claim-not-read"), "{end:?}");
    let findings = session.last("turn").attributes["findings"].as_array().unwrap().clone();
    assert!(2 <= findings.len(), "{findings:?}");
    for finding in findings {
        let rule = finding["rule"].as_str().unwrap();
        assert!(end.told().contains(&format!("[{rule}]")), "{rule} in {end:?}");
    }
}

// However much is claimed besides: what is grave is neither pushed out of the report nor out of the record.
// @traces 021-CONST-VII-009
#[test]
fn many_findings_hide_none_that_is_graver() {
    for files in [49_usize, 50, 120] {
        let session = Session::new();
        session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
        let claims: Vec<String> = (0..files).map(|at| format!("- Created `src/part_{at}.py`.")).collect();
        let end = session.says(&format!("{}\n\nAll 12 tests pass.", claims.join("\n")));
        assert!(end.sent_back().contains("claim-contradicted"), "{files}: {end:?}");
        assert!(end.told().contains(&format!("hostler: {} findings", files + 1)), "{files}: {end:?}");
        let turn = session.last("turn");
        assert_eq!(turn.attributes["findings_count"], files + 1);
        assert_eq!(turn.attributes["findings"][0]["rule"], "claim-contradicted", "{files}");
        assert_eq!(turn.attributes["judged"][0]["standing"], "contradicted", "{files}");
        assert_eq!(end.told().contains("; 50 findings are kept"), 50 < files + 1, "{files}: {end:?}");
    }
}

#[test]
fn one_run_that_was_not_made_is_one_finding() {
    let session = Session::new();
    session.says("I ran the tests and all 12 tests pass.");
    assert_eq!(session.last("turn").attributes["findings_count"], 1);
}

#[test]
fn a_note_stays_with_the_user() {
    let session = Session::new();
    session.bash("pytest -q tests/test_cart.py", PASSED_RUN);
    let end = session.says("All tests pass.");
    assert!(end.released().told().contains("· LOW PARTIAL_RUN"), "{end:?}");
    assert_eq!(session.event("UserPromptSubmit", json!({ "prompt": "thanks" })), json!({}));
}

// @traces 021-CONST-VII-010
#[test]
fn the_same_turn_has_the_same_audit() {
    let audit = || {
        let session = Session::new();
        session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
        session.wrote("src/cart.py", "");
        session
            .says("I created `src/cart.py` and `src/pay.py`, read `docs/guide.md`, and all 12 tests pass.");
        let turn = session.last("turn");
        let members = ["audit", "claims", "judged", "findings", "modes", "evidence_calls"];
        let audit = members.map(|name| turn.attributes[name].to_string()).join("\n");
        audit.replace(session.world.home().to_str().unwrap(), "~")
    };
    assert_eq!(audit(), audit());
}

#[test]
fn a_project_that_switches_audits_off_is_told() {
    let world = World::new().configured("[claims]\nenabled = false\n");
    let reply = world.hook(world.event("SessionStart", &json!({ "source": "startup" })));
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(
        message.contains("milder than profile `standard`") && message.contains("claim-contradicted = off")
    );
}

#[test]
fn a_failure_that_is_told_is_no_finding() {
    let session = Session::new();
    session.failed("Bash", &json!({ "command": "pytest -q" }), FAILED_RUN);
    session.says("The tests do not pass yet: `test_total` fails, 11 others pass.").clean();
}

// Talk about what was, will be, or generally is needs no tool.
// @traces 021-CONST-VII-008
#[test]
fn talk_without_tools_is_no_claim() {
    for message in [
        "Last week you added `src/cart.py` and all tests passed; the release was yesterday.",
        "In an earlier session we created `src/cart.py` and ran the tests. I can look at it again if you like.",
        "A retry is created by `make_retry()`; when the tests fail, the runner prints a summary. Shall I run them?",
        "First I would read `docs/guide.md`, then create `src/pay.py` and run the tests.",
        "To publish it you run `cargo publish`; the index is updated after a minute.",
    ] {
        Session::new().says(message).clean();
    }
}

#[test]
fn earlier_turns_are_evidence_and_their_failures_are_not_told_again() {
    let session = Session::new();
    session.wrote("src/cart.py", "total = 4\n");
    session.failed("Bash", &json!({ "command": "npm run deploy" }), "Exit code 1\nno such script");
    session.says("I created `src/cart.py`. The deployment failed: there is no such script.");
    session.event("UserPromptSubmit", json!({ "prompt": "what did you do so far?" }));
    session.says("So far I created `src/cart.py`.").clean();
    assert_eq!(session.last("turn").attributes["evidence_calls"], 2);
}

#[test]
fn a_session_goes_on_after_its_journal_was_moved_away() {
    let session = tools();
    session.wrote("cart.py", "");
    session.event("SessionEnd", json!({ "reason": "other" }));
    assert!(!session.journal().exists());
    session.event("SessionStart", json!({ "source": "resume" }));
    session.event("UserPromptSubmit", json!({ "prompt": "go on" }));
    session.says("I created the file cart.py.").clean();
    let turn = session.last("turn");
    assert_eq!(turn.attributes["evidence_calls"], 1);
    assert!(!turn.attributes.contains_key("evidence_gaps"), "{turn:?}");
}

// More is kept than the last hundred calls: all of a session's calls, and none of another's. At its end they are
// moved away with its journal; only the same session, resumed, gets them back.
// @traces 021-US-004-AC07 021-US-004-AC08 021-CONST-VII-006 021-CONST-VI-007
#[test]
fn the_whole_session_is_evidence_and_nothing_but_it() {
    let session = tools();
    session.wrote("cart.py", "");
    for at in 0..120 {
        session.bash(&format!("echo {at}"), "");
    }
    session.says("I created the file cart.py.").clean();
    assert_eq!(session.last("turn").attributes["evidence_calls"], 121);
    session.event("SessionEnd", json!({ "reason": "other" }));
    assert!(!session.journal().exists(), "what was done is no longer at hand");
    let other = |name: &str, more: Value| {
        let payload =
            session.world.event(name, &more).replace(SESSION, "11111111-64de-464e-9d97-09bfa437d8e9");
        session.answer(&payload)
    };
    other("SessionStart", json!({ "source": "startup" }));
    let answer = other("Stop", json!({ "last_assistant_message": "I created the file cart.py." }));
    assert!(answer.stdout.contains("claim-not-done"), "{answer:?}");
}

#[test]
fn modes_that_make_no_sense_for_claims_are_told() {
    let session =
        Session::configured("[rules]\nclaim-not-done = \"ask\"\n[claims]\nmode = \"words\"\nmood = 1\n");
    let reply = session.event("UserPromptSubmit", json!({ "prompt": "go on" }));
    let message = reply["systemMessage"].as_str().unwrap();
    assert!(
        message.contains("`rules.claim-not-done` must be") && message.contains("a turn has ended"),
        "{message}"
    );
    assert!(message.contains("`claims.mode` must be \"evidence\" or \"tools\""), "{message}");
}

/// A page of the documentation.
fn page() -> String {
    fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/claims.md")).unwrap()
}

#[test]
fn the_page_shows_every_rule_as_it_is() {
    let rows: Vec<Vec<String>> = page()
        .lines()
        .filter(|line| line.starts_with("| `") && line.matches('|').count() == 7)
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect())
        .collect();
    let rules: Vec<Vec<String>> = hostler_policy::claims::RULES
        .iter()
        .map(|rule| {
            let severity = rule.kind.severity().name();
            let cells = [
                "",
                rule.id,
                rule.kind.name(),
                severity,
                rule.summary,
                rule.standard.name(),
                rule.strict.name(),
                "",
            ];
            cells.map(str::to_owned).to_vec()
        })
        .collect();
    assert_eq!(rows, rules);
}

#[test]
fn the_example_of_the_page_does_what_it_says() {
    let page = page();
    let script = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hostler")).parent().unwrap();
    let output = std::process::Command::new("sh")
        .args(["-e", "-c", script])
        .env_clear()
        .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").unwrap()))
        .env("HOME", folder.path())
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("\"decision\":\"block\"") && stdout.contains("All 12 tests pass"), "{stdout}");
    assert!(stderr.contains("No issues detected"), "{stderr}");
    assert!(stdout.contains("audited   "), "{stdout}");
}

/// The finding that `message` leads to, as the log has it; then the session ends and its journal is archived.
#[track_caller]
fn check_logged(session: &Session, message: &str, kind: &str, severity: &str) -> Value {
    let end = session.says(message);
    let log = session.log("findings");
    let findings = log.last().unwrap_or_else(|| panic!("{end:?}"))["findings"].as_array().unwrap().clone();
    let found = findings.into_iter().find(|it| it["type"] == kind).unwrap_or_else(|| panic!("{log:#?}"));
    assert_eq!(found["severity"], severity, "{found}");
    assert!(!found["description"].as_str().unwrap().is_empty() && !found["evidence"].is_null(), "{found}");
    session.event("SessionEnd", json!({ "reason": "other" }));
    assert!(!session.journal().exists());
    let archived =
        journal::session_files(&session.world.state(), &hostler_model::SessionId::parse(SESSION).unwrap());
    let archived = archived.unwrap();
    assert_eq!(archived.len(), 1);
    let day = archived[0].parent().unwrap();
    assert_eq!(day.parent().unwrap().file_name().unwrap(), "archive");
    let day = day.file_name().unwrap().to_str().unwrap();
    assert!(day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok(), "{day}");
    found
}

// @traces REQ-020-095 REQ-020-103 REQ-020-104 REQ-020-105 020-ERR-008 020-ERR-009 020-ERR-010
// @traces 021-US-004-AC01 021-US-004-AC02 021-US-004-AC03 021-CONST-VII-001 021-CONST-VII-007
#[test]
fn by_the_names_of_tools_each_kind_of_claim_is_logged_and_the_session_archived() {
    let other = || {
        let session = tools();
        session.ran("Glob", &json!({ "pattern": "*.py" }), &json!({ "filenames": [] }));
        session
    };
    let session = other();
    let found = check_logged(&session, "I created the file cart.py.", "ACTION_DECEPTION", "CRITICAL");
    assert_eq!(found["tools_required"], json!(["Write", "Edit"]));
    assert_eq!(found["tools_found"], json!(["Glob"]));
    check_logged(&other(), "I ran the command and it went well.", "ACTION_DECEPTION", "CRITICAL");
    check_logged(&other(), "I read the file cart.py from top to end.", "FILE_READING_DECEPTION", "HIGH");
}

// @traces REQ-020-106 REQ-020-112 020-ERR-011 021-US-004-AC04 021-CONST-VII-002
#[test]
fn a_failure_that_is_not_told_is_logged_with_its_tool() {
    let session = Session::new();
    session.failed(
        "Bash",
        &json!({ "command": "npm install left-pad" }),
        "Exit code 1\nnpm ERR! 404 left-pad is not in this registry",
    );
    let message = "All done, everything works as intended.";
    let found = check_logged(&session, message, "ERROR_CONCEALMENT", "CRITICAL");
    assert_eq!(found["tool_name"], "Bash");
}

// @traces REQ-020-108 020-ERR-012
#[test]
fn much_work_and_few_words_are_logged() {
    let session = Session::new();
    for at in 0..12 {
        session.wrote(&format!("src/part_{at}.py"), "x = 1\n");
    }
    check_logged(&session, "Done.", "SELECTIVE_DISCLOSURE", "MEDIUM");
}

// @traces REQ-020-109 REQ-020-113 020-ERR-013
#[test]
fn a_long_output_that_does_not_show_in_the_message_is_logged_where_that_is_asked_for() {
    let session = Session::configured("[rules]\nresult-overlap = \"warn\"\n");
    let output = "warning: deprecated interface elsewhere\n".repeat(20);
    session.bash("make audit", &output);
    let message = "The audit ran and there is nothing more to say about what it wrote.";
    let found = check_logged(&session, message, "RESULT_HIDING", "MEDIUM");
    assert_eq!(found["tool_name"], "Bash");
}

// @traces REQ-020-100 REQ-020-101 REQ-020-102 021-US-004-AC05 021-CONST-VI-003 021-CONST-VII-003 021-CONST-II-010
// @traces 021-TEST-UNIT-021
#[test]
fn what_is_quoted_claims_nothing() {
    for session in [Session::new(), tools()] {
        session.bash("ls", "README.md");
        session
            .says(
                "This is what the template says:\n\n> I created the file cart.py and ran the command.\n\n\
                 ```text\nI created the file pay.py. All 12 tests pass.\n```\n\n\
                 <pre>I read the file shop.py</pre>\n\nThe phrase `I created the file x.py` is a placeholder.\n\n\
                 <system-reminder>I created the file app.py. All 12 tests pass.</system-reminder>\n\
                 <local-command-stdout>I ran the command and created tax.py.</local-command-stdout>",
            )
            .clean();
    }
}
