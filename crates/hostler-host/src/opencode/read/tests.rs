#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::Change;
use serde_json::json;

use super::*;

const LINES: &str = include_str!("../../../../../fixtures/opencode/1.18.33/lines.jsonl");
const ROOT: &str = "ses_4a71c09f2ffeQm3XbT0aYkLw81";
const FOLDER: &str = "/home/dev/shop";

fn names() -> Names {
    Names { servers: Some(vec!["docs".into(), "ticket-box".into()]), own: vec!["session-status"] }
}

/// The recorded line of this id.
fn recorded(id: u64) -> Request {
    let start = format!("{{\"id\":{id},");
    let line = LINES.lines().find(|line| line.starts_with(&start)).unwrap();
    read(line.as_bytes(), &names()).unwrap()
}

fn before(tool: &str, args: &Value) -> Ask {
    let line = json!({
        "id": 1, "hook": "tool.execute.before", "session": ROOT, "directory": FOLDER,
        "input": { "tool": tool, "callID": "call_1" }, "output": { "args": args },
    });
    read(line.to_string().as_bytes(), &names()).unwrap().ask
}

#[track_caller]
fn check(tool: &str, args: &Value, expected: &Action) {
    match before(tool, args) {
        Ask::Before { event, .. } => assert_eq!(event.call().unwrap().action, *expected, "{tool} {args}"),
        other => panic!("{tool} {args}: {other:?}"),
    }
}

#[track_caller]
fn check_malformed(tool: &str, args: &Value, why: &str) {
    match before(tool, args) {
        Ask::Malformed { reason, .. } => assert!(reason.contains(why), "{reason}"),
        other => panic!("{tool} {args}: {other:?}"),
    }
}

fn at(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn shell(command: &str) -> Action {
    Action::Shell { command: command.into() }
}

#[test]
fn every_recorded_line_is_read_and_keeps_its_id() {
    for (number, line) in LINES.lines().enumerate() {
        let request = read(line.as_bytes(), &names()).unwrap_or_else(|fault| panic!("{number}: {fault}"));
        assert_eq!(request.id, id_hint(line.as_bytes()));
        assert_eq!(Some(request.hook.as_str()), hook_hint(line.as_bytes()));
        assert!(!request.retry);
    }
}

#[test]
fn the_greeting_and_the_servers_of_the_configuration_are_told() {
    let Ask::Hello(hello) = recorded(1).ask else { panic!() };
    assert_eq!((hello.protocol, hello.flavour, hello.pid), (1, 1, 4711));
    assert_eq!((hello.mode.as_str(), hello.host.as_str()), ("run", "1.18.33"));
    assert_eq!(recorded(1).directory, Path::new(FOLDER));
    let Ask::Servers(servers) = recorded(2).ask else { panic!() };
    let told: Vec<_> = servers.iter().map(|it| (it.name.as_str(), it.way.clone())).collect();
    let command = Way::Command(vec!["node".into(), "tickets.mjs".into()]);
    assert_eq!(told, [("docs", None), ("ticket-box", Some(command))]);
    let two = json!({ "id": 1, "hook": "config", "input": { "mcp": { "servers": { "a": { "url": "http://127.0.0.1:3457" } } } } });
    let Ask::Servers(servers) = read(two.to_string().as_bytes(), &names()).unwrap().ask else { panic!() };
    assert_eq!(servers[0].way, Some(Way::Address("http://127.0.0.1:3457".into())));
}

#[test]
fn tools_are_what_they_do() {
    for (id, action) in [
        (10, Action::Read { path: Some(at("stock.txt")) }),
        (11, Action::Write { path: Some(at("orders.txt")), content: "none\n".into() }),
        (
            12,
            Action::Edit {
                path: Some(at("stock.txt")),
                changes: vec![Change { old: "40".into(), new: "39".into(), all: true }],
            },
        ),
        (13, shell("make count; exit 3")),
        (14, Action::Search { path: Some(FOLDER.into()), pattern: "nails".into() }),
        (15, Action::Search { path: None, pattern: "*.txt".into() }),
        (17, Action::Plan),
        (18, Action::Delegate { prompt: "count the nails".into(), agent: "general".into() }),
        (20, Action::Fetch { address: "https://example.org/nails".into() }),
        (21, Action::Other),
        (22, Action::Other),
    ] {
        let request = recorded(id);
        let Ask::Before { event, more } = request.ask else { panic!("{id}") };
        let call = event.call().unwrap();
        assert_eq!((&call.action, call.id.clone()), (&action, Some(format!("call_{id}"))), "{id}");
        assert_eq!((event.session.as_str(), event.agent, more.len()), (ROOT, None, 0));
        assert_eq!((event.host, event.name.as_str()), (Host::OpenCode, "tool.execute.before"));
    }
}

#[test]
fn a_command_runs_where_it_says() {
    let Ask::Before { event, .. } = recorded(13).ask else { panic!() };
    assert_eq!(event.cwd, Path::new("/home/dev/shop/tools"));
    let Ask::Before { event, .. } = before("bash", &json!({ "command": "ls", "workdir": "/srv/../etc" }))
    else {
        panic!()
    };
    assert_eq!(event.cwd, Path::new("/etc"));
    let Ask::Before { event, .. } = before("read", &json!({ "filePath": "a", "workdir": "/etc" })) else {
        panic!()
    };
    assert_eq!(event.cwd, Path::new(FOLDER));
}

#[test]
fn a_patch_does_several_things_and_tells_each_when_it_is_done() {
    let Ask::Before { event, more } = recorded(16).ask else { panic!() };
    assert!(
        matches!(&event.call().unwrap().action, Action::Edit { path: Some(path), .. } if path == "stock.txt")
    );
    assert!(event.call().unwrap().input.contains("old.txt"), "the input is complete");
    assert_eq!(
        more,
        [
            Action::Write { path: Some("log.txt".into()), content: "one sold\n".into() },
            shell("rm -- old.txt"),
        ]
    );
    let Ask::After(events) = recorded(116).ask else { panic!() };
    let ids: Vec<_> = events.iter().map(|event| event.call().unwrap().id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["call_16", "call_16#2", "call_16#3"]);
}

#[test]
fn what_the_host_does_not_read_is_not_judged_in_place_of_what_it_does() {
    let hidden = json!({ "filePath": "/etc/passwd", "file_path": "a.txt", "path": "b.txt", "content": "x" });
    check("write", &hidden, &Action::Write { path: Some("/etc/passwd".into()), content: "x".into() });
    check("bash", &json!({ "command": "rm -rf /", "cmd": "ls", "script": "ls" }), &shell("rm -rf /"));
    let edits = json!({ "filePath": "a", "oldString": "x", "newString": "y", "edits": [], "file_path": "b" });
    let change = Change { old: "x".into(), new: "y".into(), all: false };
    check("edit", &edits, &Action::Edit { path: Some("a".into()), changes: vec![change] });
    for header in ["*** Add File:/etc/passwd", "*** Add File: /etc/passwd  ", "*** Add File:\t/etc/passwd"] {
        let text = format!("*** Begin Patch\n{header}\n+x\n*** End Patch");
        let expected = Action::Write { path: Some("/etc/passwd".into()), content: "x\n".into() };
        check("apply_patch", &json!({ "patchText": text }), &expected);
    }
}

#[test]
fn a_familiar_name_is_no_way_around_and_a_batch_is_its_calls() {
    #[track_caller]
    fn check_more(tool: &str, args: &Value, expected: &[Action]) {
        match before(tool, args) {
            Ask::Before { more, .. } => assert_eq!(more, expected, "{tool} {args}"),
            other => panic!("{tool} {args}: {other:?}"),
        }
    }
    let command = json!({ "command": "rm -rf /" });
    for tool in ["Bash", "BASH", "bash ", "shell"] {
        check_more(tool, &command, &[shell("rm -rf /")]);
    }
    let patch = json!({ "patchText": "*** Begin Patch\n*** Delete File: a\n*** End Patch" });
    check_more("patch", &patch, &[shell("rm -- a")]);
    let calls = json!({ "tool_calls": [
        { "tool": "bash", "parameters": command },
        { "tool": "apply_patch", "parameters": patch },
        { "tool": "bash", "parameters": { "command": 5 } },
        7,
    ] });
    let Ask::Before { more, .. } = before("batch", &calls) else { panic!() };
    assert_eq!(more[..2], [shell("rm -rf /"), shell("rm -- a")]);
    check_more("ticket-box_create", &json!({ "command": "x" }), &[]);
    check_more("execute", &json!({ "code": "rm -rf /" }), &[]);
    let listed = Action::Mcp {
        server: "ticket-box".into(),
        tool: "create".into(),
        strings: vec![("arguments.0".into(), "x".into())],
    };
    check("ticket-box_create", &json!(["x"]), &listed);
}

#[test]
fn a_call_that_the_host_would_refuse_is_told_why() {
    let Ask::Malformed { reason, event } = recorded(23).ask else { panic!() };
    assert_eq!(reason, "the argument `command` of `bash` is not text; call it again with one");
    assert_eq!(event.call().unwrap().tool, "bash");
    check_malformed("bash", &json!({}), "`command` of `bash` is missing");
    check_malformed("bash", &json!({ "command": ["rm", "-rf", "/"] }), "`command` of `bash` is not text");
    check_malformed("bash", &json!({ "command": "ls", "workdir": 7 }), "`workdir`");
    check_malformed("write", &json!({ "filePath": "a" }), "`content` of `write` is missing");
    check_malformed("edit", &json!({ "filePath": null, "oldString": "", "newString": "" }), "`filePath`");
    check_malformed("read", &json!([]), "no JSON object");
    check_malformed("apply_patch", &Value::Null, "no JSON object");
}

#[test]
fn a_tool_of_a_server_is_told_from_its_server() {
    let strings = vec![
        ("path".to_owned(), format!("{FOLDER}/stock.txt")),
        ("title".to_owned(), "nails are low".to_owned()),
    ];
    let Ask::Before { event, .. } = recorded(19).ask else { panic!() };
    let expected = Action::Mcp { server: "ticket-box".into(), tool: "create".into(), strings };
    assert_eq!(event.call().unwrap().action, expected);
    let split = |tool: &str, servers: Option<&[&str]>| {
        let servers = servers.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let line = json!({
            "id": 1, "hook": "tool.execute.before", "session": ROOT, "directory": FOLDER,
            "input": { "tool": tool }, "output": { "args": {} },
        });
        let request = read(line.to_string().as_bytes(), &Names { servers, own: Vec::new() }).unwrap();
        let Ask::Before { event, .. } = request.ask else { panic!() };
        match event.call().unwrap().action.clone() {
            Action::Mcp { server, tool, .. } => (server, tool),
            other => panic!("{other:?}"),
        }
    };
    let pair = |server: &str, tool: &str| (server.to_owned(), tool.to_owned());
    assert_eq!(split("my_files_read_text", Some(&["my files", "my"])), pair("my_files", "read_text"));
    assert_eq!(split("my_files_read_text", None), pair("my", "files_read_text"));
    assert_eq!(split("moon", None), pair("", "moon"));
    assert_eq!(
        split("böx_ö", Some(&["böx"])),
        pair("böx", "ö"),
        "what does not fit is split at the first line"
    );
    check("session-status", &json!({ "text": "rm -rf /" }), &Action::Other);
}

#[test]
fn an_outcome_is_what_the_tool_did_not_what_the_host_calls_it() {
    let outcome = |id| match recorded(id).ask {
        Ask::After(events) => match events.into_iter().next().unwrap().kind {
            EventKind::ToolAfter { outcome, .. } => outcome,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    let failed = outcome(113);
    assert_eq!((failed.ok, failed.exit, failed.output.as_str()), (false, Some(3), "39\n"));
    assert!(outcome(110).ok && outcome(111).ok);
    assert_eq!(outcome(119).output, "ticket 5\nis open");
    let failed = outcome(30);
    assert_eq!(
        (failed.ok, failed.interrupted, failed.output.as_str()),
        (false, false, "File not found: /home/dev/shop/none.txt")
    );
}

#[test]
fn a_subagent_belongs_to_the_session_that_started_it() {
    let Ask::Before { event, .. } = recorded(24).ask else { panic!() };
    assert_eq!(event.session.as_str(), ROOT);
    let agent = event.agent.unwrap();
    assert_eq!((agent.id.as_str(), agent.kind.as_str()), ("ses_4a71b2d10ffeHn8RzUe5pVd2Kc", "general"));
    let Ask::Idle { event, message } = recorded(34).ask else { panic!() };
    assert!(matches!(event.kind, EventKind::SubagentEnd { last_message: Some(_), .. }));
    assert_eq!(message.as_deref(), Some("msg_8"));
}

#[test]
fn sessions_begin_end_and_are_compacted() {
    let kind = |id| match recorded(id).ask {
        Ask::Event(event) | Ask::Idle { event, .. } | Ask::Compacting(event) => {
            (event.name.clone(), event.kind)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(3), ("session.created".into(), EventKind::SessionStart { source: StartSource::Startup }));
    assert_eq!(
        kind(35),
        (
            "session.idle".into(),
            EventKind::TurnEnd { last_message: Some("The stock is counted.".into()), continuing: false }
        )
    );
    assert_eq!(kind(32).1, EventKind::Compacting { automatic: false });
    assert_eq!(kind(36).1, EventKind::SessionStart { source: StartSource::Compact });
    assert_eq!(kind(39).1, EventKind::SessionEnd { reason: "deleted".into() });
    assert!(matches!(recorded(38).ask, Ask::Tool(tool) if tool.name == "session-status"));
    assert!(matches!(recorded(33).ask, Ask::ShellEnv { by_agent: true }));
    assert!(matches!(recorded(40).ask, Ask::Ping) && matches!(recorded(41).ask, Ask::Dispose));
    let child = json!({
        "id": 1, "hook": "event", "session": "ses_b", "directory": "/x",
        "event": { "type": "session.created", "properties": { "info": { "id": "ses_b", "parentID": "ses_a" } } },
    });
    assert!(matches!(read(child.to_string().as_bytes(), &names()).unwrap().ask, Ask::Nothing));
    let unknown = json!({ "id": 9, "hook": "hook.of.tomorrow", "input": 7 });
    assert!(matches!(read(unknown.to_string().as_bytes(), &names()).unwrap().ask, Ask::Nothing));
}

#[test]
fn a_prompt_is_what_was_typed_and_names_the_files_that_came_along() {
    let Ask::Message { event, parts } = recorded(4).ask else { panic!() };
    assert_eq!(parts.prompt, "count the \"stock\" of the shop");
    assert_eq!(event.kind, EventKind::Prompt { text: parts.prompt.clone() });
    let text = |id: &str, text: &str, synthetic: bool| json!({ "id": id, "type": "text", "text": text, "synthetic": synthetic });
    let parts = json!([
        text("p1", "look at @.env and @my file", false),
        text("p2", "Called the Read tool with the following input: {\"filePath\":\"/home/dev/shop/.env\"}", true),
        text("p3", "TOKEN=x", true),
        { "id": "p4", "type": "file", "mime": "text/plain", "filename": ".env", "url": "file:///home/dev/shop/.env" },
        { "id": "p5", "type": "file", "mime": "text/plain", "url": "file:///home/dev/shop/my%20file?start=1&end=2" },
        { "id": "p6", "type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA" },
        { "id": "p7", "type": "agent", "name": "general" },
        text("p8", "\"not JSON", false),
        7,
    ]);
    let read = MessageParts::of(&parts);
    assert_eq!(read.prompt, "look at @.env and @my file\n\"not JSON");
    let shown = |id: &str, text: &str| (id.to_owned(), text.to_owned());
    assert_eq!(
        read.attached,
        [
            Attached {
                path: "/home/dev/shop/.env".into(),
                shown: vec![shown("p3", "TOKEN=x"), shown("p4", "")]
            },
            Attached { path: "/home/dev/shop/my file".into(), shown: vec![shown("p5", "")] },
        ]
    );
    assert_eq!(MessageParts::of(&json!("no list")), MessageParts::default());
}

#[test]
fn a_line_that_cannot_be_read_is_a_fault_with_its_id() {
    #[track_caller]
    fn check(line: &[u8], id: Option<u64>, why: &str) {
        let fault = read(line, &Names::default()).unwrap_err();
        assert_eq!(fault.id, id, "{fault}");
        assert!(fault.to_string().contains(why), "{fault}");
    }
    check(b"{\"id\":7,\"hook\":\"to", Some(7), "not JSON");
    check(b"not json", None, "not JSON");
    check(b"{\"id\":12,\"hook\":\"\xff\"}", Some(12), "not UTF-8");
    check(b"[1]", None, "not a JSON object");
    check(b"{\"id\":3}", Some(3), "`hook` is not");
    check(b"{\"id\":3,\"hook\":7}", Some(3), "`hook` is not");
    check(format!("{{\"id\":5,\"hook\":{}", "[".repeat(100_000)).as_bytes(), Some(5), "not JSON");
    let line = |session: &str, directory: &str| {
        json!({
            "id": 4, "hook": "tool.execute.before", "session": session, "directory": directory,
            "input": { "tool": "bash" }, "output": { "args": { "command": "ls" } },
        })
        .to_string()
    };
    check(line("../../etc", "/x").as_bytes(), Some(4), "session");
    check(line("ses_a", "shop").as_bytes(), Some(4), "`directory`");
    check(b"{\"id\":4,\"hook\":\"tool.execute.before\",\"directory\":\"/x\",\"input\":{\"tool\":\"bash\"},\"output\":{\"args\":{\"command\":\"ls\"}}}", Some(4), "`session`");
    check(&vec![b' '; LINE_BYTES_MAX + 1], None, "larger than 16 MiB");
}

#[test]
fn half_a_surrogate_hides_no_command() {
    let line = r#"{"id":1,"hook":"tool.execute.before","session":"ses_a","directory":"/x","input":{"tool":"bash"},"output":{"args":{"command":"rm -rf / #\ud800"}}}"#;
    let Ask::Before { event, .. } = read(line.as_bytes(), &names()).unwrap().ask else { panic!() };
    assert!(
        matches!(&event.call().unwrap().action, Action::Shell { command } if command.starts_with("rm -rf / #"))
    );
}
