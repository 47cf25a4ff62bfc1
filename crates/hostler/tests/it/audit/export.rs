//! `hostler audit export`, read back by what is not ours.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, VerifyingKey};

use super::*;

/// A session with two turns, a subagent, a blocked call, a failing one and findings, in two files.
fn recorded() -> World {
    let world = World::new();
    git(
        &world,
        &["-c", "user.name=n", "-c", "user.email=e@x", "commit", "--quiet", "--allow-empty", "-m", "m"],
    );
    let event = |name: &str, more: Value| {
        let mut event = json!({
            "session_id": SESSION, "cwd": world.home().join("my project"), "hook_event_name": name,
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.hook(&event)
    };
    event("SessionStart", json!({ "source": "startup" }));
    event("UserPromptSubmit", json!({ "prompt": "do it" }));
    world.bash("toolu_1", "echo one");
    world.call("PostToolUse", "toolu_1", "Bash", &json!({ "command": "echo one" }));
    assert_eq!(world.bash("toolu_2", "rm -rf /").as_deref(), Some("deny"));
    world.end();
    event("UserPromptSubmit", json!({ "prompt": "go on" }));
    let bash = json!({ "command": "false" });
    event(
        "PreToolUse",
        json!({
            "tool_name": "Bash", "tool_input": bash, "tool_use_id": "toolu_3",
            "agent_id": "agent-7", "agent_type": "general-purpose",
        }),
    );
    event(
        "PostToolUseFailure",
        json!({
            "tool_name": "Bash", "tool_input": bash, "tool_use_id": "toolu_3", "error": "Exit code 1",
            "agent_id": "agent-7", "agent_type": "general-purpose",
        }),
    );
    world.turn(now_ms(), "turn", &json!([finding("ACTION_DECEPTION", "CRITICAL", "claim-not-done")]));
    world.end();
    world
}

fn git(world: &World, arguments: &[&str]) -> String {
    let output = world.command("git").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[track_caller]
fn export(world: &World, format: &str) -> Vec<Value> {
    let (code, stdout, stderr) = world.hostler(&["audit", "export", "--format", format]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn records_are_exported_as_they_are() {
    let world = recorded();
    let expected: String = world.journals().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let (code, stdout, _) = world.hostler(&["audit", "export", "--format", "jsonl", "--session", "361ac"]);
    assert_eq!(code, 0);
    assert_eq!(stdout, expected);
    assert!(stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    // What a crash left is no record.
    world.bash("toolu_9", "echo nine");
    fs::OpenOptions::new().append(true).open(world.journal()).unwrap().write_all(b"{\"half").unwrap();
    assert!(!world.hostler(&["audit", "export", "--format", "jsonl"]).1.contains("{\"half"));

    let (code, stdout, stderr) = world.hostler(&["audit", "export", "--format", "jsonl", "--session", "x"]);
    assert_eq!((code, stdout.as_str()), (3, ""));
    assert!(stderr.contains("no session of this project begins with `x`"), "{stderr}");
    assert_eq!(world.hostler(&["audit", "export"]).0, 3, "a format has to be said");
}

#[test]
fn an_export_goes_where_it_is_told_and_replaces_a_file_as_a_whole() {
    let world = recorded();
    let out = world.home().join("my project/out.jsonl");
    fs::write(&out, "old").unwrap();
    let name = out.to_str().unwrap();
    let (code, stdout, _) = world.hostler(&["audit", "export", "--format", "otlp", "--out", name]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written, world.hostler(&["audit", "export", "--format", "otlp"]).1);
    assert_eq!(world.hostler(&["audit", "export", "--format", "otlp", "--out", "/dev/null"]).0, 0);
    let (code, _, stderr) =
        world.hostler(&["audit", "export", "--format", "otlp", "--out", "/nowhere/x.jsonl"]);
    assert!(code == 4 && stderr.contains("/nowhere"), "{stderr}");

    // Nothing is said about a broken journal, and the file stays as it is.
    let path = world.journals().remove(0);
    let text = fs::read_to_string(&path).unwrap().replace("echo one", "echo two");
    fs::write(&path, text).unwrap();
    let (code, _, stderr) = world.hostler(&["audit", "export", "--format", "in-toto", "--out", name]);
    assert!(code == 4 && stderr.contains("is broken at record 3"), "{stderr}");
    assert_eq!(fs::read_to_string(&out).unwrap(), written);
    assert_eq!(hostler_ledger::file::leftovers(out.parent().unwrap()), Vec::<PathBuf>::new());
}

#[test]
fn an_export_replaces_nothing_of_ours_and_nothing_behind_a_link() {
    let world = recorded();
    let journal = world.journals().remove(0);
    let before = fs::read(&journal).unwrap();
    let link = world.project().join("out.jsonl");
    let other = world.home().join("precious");
    fs::write(&other, "mine").unwrap();
    std::os::unix::fs::symlink(&other, &link).unwrap();
    for (path, why) in [(&journal, "keeps its own files"), (&link, "is a link")] {
        let name = path.to_str().unwrap();
        let (code, _, stderr) = world.hostler(&["audit", "export", "--format", "jsonl", "--out", name]);
        assert!(code == 4 && stderr.contains(why), "{code} {stderr}");
    }
    assert_eq!(fs::read(&journal).unwrap(), before);
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
}

/// What the encoding of OTLP asks of a value.
#[track_caller]
fn check_attributes(attributes: &Value) {
    for attribute in attributes.as_array().unwrap() {
        assert!(attribute["key"].as_str().is_some_and(|key| !key.is_empty()), "{attribute}");
        let value = attribute["value"].as_object().unwrap();
        assert_eq!(value.len(), 1, "{attribute}");
        let (kind, value) = value.iter().next().unwrap();
        let fits = match kind.as_str() {
            "stringValue" => value.is_string(),
            "boolValue" => value.is_boolean(),
            "intValue" => value.as_str().is_some_and(|it| it.parse::<i64>().is_ok()),
            "doubleValue" => value.is_number(),
            "arrayValue" => value["values"].is_array(),
            _ => false,
        };
        assert!(fits, "{attribute}");
    }
}

fn attribute<'a>(span: &'a Value, key: &str) -> Option<&'a str> {
    let all = span["attributes"].as_array().unwrap();
    all.iter().find(|it| it["key"] == key)?["value"].as_object().unwrap().values().next().unwrap().as_str()
}

#[test]
fn traces_are_otlp_and_say_who_did_what_in_which_turn() {
    let world = recorded();
    let documents = export(&world, "otlp");
    assert_eq!(documents.len(), 1, "one line a session, however many files");
    let resource = &documents[0]["resourceSpans"][0];
    check_attributes(&resource["resource"]["attributes"]);
    assert!(attribute(&resource["resource"], "service.name").is_some());
    let scope = &resource["scopeSpans"][0];
    assert_eq!(scope["scope"]["name"], "hostler");
    let spans = scope["spans"].as_array().unwrap();

    let hex = |value: &Value, digits: usize| {
        let text = value.as_str().unwrap();
        let lower = text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
        assert!(text.len() == digits && lower && text.bytes().any(|it| it != b'0'), "{text}");
        text.to_owned()
    };
    let nanoseconds = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    let mut by_id = BTreeMap::new();
    for span in spans {
        assert_eq!(hex(&span["traceId"], 32), spans[0]["traceId"]);
        assert!(span["name"].as_str().is_some_and(|name| !name.is_empty()));
        assert_eq!(span["kind"], 1);
        let (start, end) = (nanoseconds(&span["startTimeUnixNano"]), nanoseconds(&span["endTimeUnixNano"]));
        assert!(1_700_000_000_000_000_000 < start && start <= end, "{span}");
        assert!(span["status"].is_object() && span["status"]["code"].as_u64().is_none_or(|code| code <= 2));
        check_attributes(&span["attributes"]);
        for event in span["events"].as_array().unwrap() {
            assert!((start..=end).contains(&nanoseconds(&event["timeUnixNano"])), "{event} in {span}");
            assert!(event["name"].is_string());
            check_attributes(&event["attributes"]);
        }
        assert!(by_id.insert(hex(&span["spanId"], 16), span).is_none(), "two spans of one id");
    }
    let parent = |span: &Value| by_id.get(span["parentSpanId"].as_str()?).copied();
    let call =
        |id: &str| *by_id.values().find(|span| attribute(span, "gen_ai.tool.call.id") == Some(id)).unwrap();
    let roots: Vec<_> = spans.iter().filter(|span| span.get("parentSpanId").is_none()).collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(attribute(roots[0], "gen_ai.conversation.id"), Some(SESSION));
    assert!(spans.iter().all(|span| span.get("parentSpanId").is_none() || parent(span).is_some()));

    let (first, second, third) = (call("toolu_1"), call("toolu_2"), call("toolu_3"));
    for span in [first, second, third] {
        assert_eq!(span["name"], "execute_tool Bash");
        assert_eq!(attribute(span, "gen_ai.operation.name"), Some("execute_tool"));
        assert_eq!(attribute(span, "gen_ai.tool.name"), Some("Bash"));
    }
    assert_eq!(first["status"], json!({ "code": 1 }));
    assert_eq!((&second["status"]["code"], attribute(second, "error.type")), (&json!(2), Some("blocked")));
    assert_eq!((&third["status"]["code"], attribute(third, "error.type")), (&json!(2), Some("tool_error")));
    let turn = parent(first).unwrap();
    assert_eq!(attribute(turn, "gen_ai.operation.name"), Some("invoke_agent"));
    assert_eq!((parent(second), parent(turn)), (Some(turn), Some(roots[0])));
    let agent = parent(third).unwrap();
    assert_eq!(attribute(agent, "gen_ai.agent.id"), Some("agent-7"));
    let later = parent(agent).unwrap();
    assert_ne!(later["spanId"], turn["spanId"]);
    assert_eq!(attribute(later, "hostler.turn"), Some("2"));
    let found: Vec<&Value> = later["events"].as_array().unwrap().iter().collect();
    let found: Vec<_> = found.into_iter().filter(|event| event["name"] == "hostler.finding").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(attribute(found[0], "hostler.finding.type"), Some("ACTION_DECEPTION"));
    // Exported again it is the same trace.
    assert_eq!(export(&world, "otlp"), documents);
}

/// The bytes that a DSSE signature is over, put together from the specification.
fn pre_authentication(envelope: &Value) -> (Vec<u8>, Vec<u8>) {
    let kind = envelope["payloadType"].as_str().unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    let mut text = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    text.extend_from_slice(&payload);
    (text, payload)
}

#[test]
fn a_statement_names_the_files_and_is_signed() {
    let world = recorded();
    let head = git(&world, &["rev-parse", "HEAD"]);
    let envelopes = export(&world, "in-toto");
    assert_eq!(envelopes.len(), 1);
    let envelope = &envelopes[0];
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    let (text, payload) = pre_authentication(envelope);
    let shown = world.json(&["audit", "key"]);
    let signature = &envelope["signatures"][0];
    assert_eq!(signature["keyid"], shown["fingerprint"]);
    let bytes: Vec<u8> = STANDARD.decode(signature["sig"].as_str().unwrap()).unwrap();
    let hex = shown["key"].as_str().unwrap();
    let key: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect();
    let key = VerifyingKey::from_bytes(&key.try_into().unwrap()).unwrap();
    let good = Signature::from_bytes(&bytes.try_into().unwrap());
    key.verify_strict(&text, &good).unwrap();
    let mut other = text.clone();
    *other.last_mut().unwrap() ^= 1;
    key.verify_strict(&other, &good).unwrap_err();

    let statement: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicateType"], "urn:hostler:session-evidence:1");
    let subjects = statement["subject"].as_array().unwrap();
    assert_eq!(subjects.len(), 2);
    for (subject, path) in subjects.iter().zip(world.journals()) {
        assert_eq!(subject["name"], json!(path.strip_prefix(world.state()).unwrap()));
        let digest = journal::sha256_hex(&fs::read(path).unwrap());
        assert_eq!(subject["digest"]["sha256"], digest);
    }
    let predicate = &statement["predicate"];
    let last = journal::read(&world.journals()[1]).unwrap().last().unwrap();
    assert_eq!((&predicate["root"], &predicate["sequence"]), (&json!(last.hash), &json!(last.sequence)));
    assert_eq!(predicate["records"], last.sequence, "the two files hold all of them");
    assert_eq!((&predicate["sealed"], &predicate["session"]), (&json!(true), &json!(SESSION)));
    assert_eq!(predicate["materials"][0]["digest"]["gitCommit"], head);
    assert_eq!(predicate["decisions"], json!({ "allowed": 2, "blocked": 1 }));
    assert_eq!(predicate["results"], json!({ "ok": 1, "failed": 1 }));
    assert_eq!(
        predicate["findings"],
        json!({ "total": 1, "bySeverity": { "CRITICAL": 1 }, "byType": { "ACTION_DECEPTION": 1 } })
    );
}

#[test]
fn a_statement_without_a_key_is_not_signed_and_says_so() {
    let world = recorded();
    fs::remove_file(world.keys().private_path()).unwrap();
    let (code, stdout, stderr) = world.hostler(&["audit", "export", "--format", "in-toto"]);
    assert_eq!(code, 0);
    assert!(stderr.contains("NOT signed: the signing key"), "{stderr}");
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["signatures"], json!([]));
}

/// Programs that share nothing with ours have to find the signature good: OpenSSL, and Python's `cryptography`
/// where it is installed.
#[test]
fn other_programs_verify_the_statement() {
    const TEST: &str = "other_programs_verify_the_statement";
    const PYTHON: &str = "
import sys
from cryptography.hazmat.primitives.serialization import load_pem_public_key
key, text, signature = (open(name, 'rb').read() for name in sys.argv[1:])
load_pem_public_key(key).verify(signature, text)
";
    let said = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output();
    let openssl = said("openssl", &["version"])
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("OpenSSL 3"));
    if !openssl {
        testkit::client::skip(TEST, "`openssl` 3 is missing");
        return;
    }
    let python = said("python3", &["-c", "import cryptography"]).is_ok_and(|output| output.status.success());
    let world = recorded();
    let envelope = export(&world, "in-toto").remove(0);
    let (mut text, _) = pre_authentication(&envelope);
    let signature = STANDARD.decode(envelope["signatures"][0]["sig"].as_str().unwrap()).unwrap();
    let file = |name: &str| world.home().join(name).to_str().unwrap().to_owned();
    let (text_file, signature_file) = (file("text"), file("signature"));
    let key = world.keys().public_path().to_str().unwrap().to_owned();
    fs::write(&signature_file, signature).unwrap();
    for good in [true, false] {
        fs::write(&text_file, &text).unwrap();
        let mut arguments = vec!["pkeyutl", "-verify", "-pubin", "-inkey", &key, "-rawin"];
        arguments.extend(["-in", &text_file, "-sigfile", &signature_file]);
        let output = said("openssl", &arguments).unwrap();
        assert_eq!(output.status.success(), good, "{}", String::from_utf8_lossy(&output.stderr));
        if python {
            let output = said("python3", &["-c", PYTHON, &key, &text_file, &signature_file]).unwrap();
            assert_eq!(output.status.success(), good, "{}", String::from_utf8_lossy(&output.stderr));
        }
        *text.last_mut().unwrap() ^= 1;
    }
}
