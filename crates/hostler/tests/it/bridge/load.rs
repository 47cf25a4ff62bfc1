//! Many calls at once, and a child that is killed again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ChildStdin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use super::*;

const CALLERS: u64 = 32;
const CALLS: u64 = 10_000;
/// Memory of the child at its highest, without the pages of the program itself.
const OWN_KB_MAX: u64 = 16 * 1024;
const KILLS: usize = 50;

/// Every tenth call is one that is stopped, in words that name it.
fn is_stopped(id: u64) -> bool {
    id.is_multiple_of(10)
}

fn line(id: u64, directory: &str) -> Value {
    let session = format!("ses_{}", id % 8);
    let command = if is_stopped(id) { format!("rm -rf /srv/data-{id}-end") } else { format!("echo {id}") };
    let mut line = before(&session, &format!("call_{id}"), "bash", &json!({ "command": command }));
    line["id"] = id.into();
    line["directory"] = directory.into();
    line
}

#[track_caller]
fn check_answer(id: u64, answer: &Value) {
    let deny = answer.get("deny").and_then(Value::as_str);
    if is_stopped(id) {
        assert!(deny.is_some_and(|deny| deny.contains(&format!("/srv/data-{id}-end"))), "{id}: {answer}");
    } else {
        assert_eq!(*answer, json!({ "id": id }));
    }
}

/// One decision for each call, none twice, the chains whole.
#[track_caller]
fn check_ledger(world: &World, calls: &BTreeSet<u64>) {
    check_decisions(&records(world), calls);
    let verified = world.hostler(&["audit", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// As [`check_ledger`], after kills: the system ends a killed write where a page of the file ends, and every line that
/// such a write has left behind is named by the record after it.
#[track_caller]
fn check_ledger_after_kills(world: &World, calls: &BTreeSet<u64>) {
    let mut records = Vec::new();
    for file in journals(world) {
        let report = journal::verify(&file).unwrap();
        assert!(report.bad.is_none() && report.whole, "{report:?}");
        let mut reader = journal::read(&file).unwrap();
        let own: Vec<Record> = reader.by_ref().collect();
        assert_eq!(report.records, own.len() as u64, "{report:?}");
        assert_eq!(report.torn, reader.passed_over(), "{report:?}");
        records.extend(own);
    }
    check_decisions(&records, calls);
}

#[track_caller]
fn check_decisions(records: &[Record], calls: &BTreeSet<u64>) {
    let mut recorded = BTreeSet::new();
    for record in records.iter().filter(|record| record.kind == "decision") {
        let id = text(record, "gen_ai.tool.call.id").strip_prefix("call_").unwrap().parse::<u64>().unwrap();
        assert!(recorded.insert(id), "{id} is recorded twice");
        assert_eq!(text(record, "status") == "allowed", !is_stopped(id), "{id}");
    }
    assert_eq!(recorded, *calls);
}

#[test]
fn ten_thousand_calls_of_thirty_two_callers_are_each_answered_with_their_own_answer() {
    let world = World::new();
    let plugin = Plugin::start(&world);
    let waiting: Arc<Mutex<BTreeMap<u64, Sender<Value>>>> = Arc::default();
    let directory = plugin.directory.clone();
    let stdin = plugin.stdin.clone().unwrap();
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (waiting, directory, stdin) = (waiting.clone(), &directory, stdin.clone());
                scope.spawn(move || {
                    for id in (100 + caller..100 + CALLS).step_by(usize::try_from(CALLERS).unwrap()) {
                        let (sender, answer) = channel();
                        waiting.lock().unwrap().insert(id, sender);
                        write(&stdin, &line(id, directory));
                        check_answer(id, &answer.recv_timeout(PATIENCE).unwrap());
                    }
                })
            })
            .collect();
        for _ in 0..CALLS {
            let answer = plugin.answers.recv_timeout(PATIENCE).unwrap();
            let id = answer["id"].as_u64().unwrap();
            waiting.lock().unwrap().remove(&id).unwrap().send(answer).unwrap();
        }
        for caller in callers {
            caller.join().unwrap();
        }
    });
    if cfg!(target_os = "linux") {
        let status = std::fs::read_to_string(format!("/proc/{}/status", plugin.child.id())).unwrap();
        let kb = |name: &str| -> u64 {
            let value = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            value.trim().trim_end_matches(" kB").trim().parse().unwrap()
        };
        // Of the program's own pages a build for tests has three times as many as a shipped one, whose whole memory
        // `cargo xtask latency` gates.
        let own_kb = kb("VmHWM:") - kb("RssFile:");
        assert!(own_kb <= OWN_KB_MAX, "{own_kb} kB");
    }
    drop(stdin);
    plugin.end();
    check_ledger(&world, &(100..100 + CALLS).collect());
}

fn write(stdin: &Mutex<ChildStdin>, line: &Value) {
    let mut stdin = stdin.lock().unwrap();
    // A child that was killed reads no more.
    let _ = stdin.write_all(format!("{line}\n").as_bytes());
}

#[test]
fn a_child_that_is_killed_fifty_times_loses_no_line_of_the_ledger() {
    const BURST: u64 = 24;
    let world = World::new();
    let directory = world.path("").display().to_string();
    let mut sent = BTreeSet::new();
    let mut waiting: BTreeSet<u64> = BTreeSet::new();
    for kill in 0..=KILLS {
        let (mut child, stdin, answers) = spawn(&world);
        // What has no answer is sent once more, as the plugin does.
        for id in &waiting {
            let mut again = line(*id, &directory);
            again["retry"] = true.into();
            check_form(&again);
            write(&stdin, &again);
        }
        let first = 1 + u64::try_from(kill).unwrap() * BURST;
        for id in first..first + BURST {
            write(&stdin, &line(id, &directory));
            waiting.insert(id);
            sent.insert(id);
        }
        // Killed at another point each time; the last one lives until all is answered.
        let until = if kill == KILLS { usize::MAX } else { kill % 20 };
        let mut heard = 0;
        while heard < until && !waiting.is_empty() {
            let answer = answers.recv_timeout(PATIENCE).unwrap();
            let Some(id) = answer["id"].as_u64() else { continue };
            check_answer(id, &answer);
            assert!(waiting.remove(&id), "{id} was answered twice");
            heard += 1;
        }
        if kill != KILLS {
            child.kill().unwrap();
        }
        drop(stdin);
        child.wait().unwrap();
        // What it said before it died is heard.
        for answer in answers {
            if let Some(id) = answer["id"].as_u64() {
                check_answer(id, &answer);
                waiting.remove(&id);
            }
        }
    }
    assert!(waiting.is_empty(), "{waiting:?}");
    check_ledger_after_kills(&world, &sent);
}
