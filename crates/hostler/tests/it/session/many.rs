//! Many processes at once, and processes that are killed: the record has what each one said it wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use super::{RECORD_ONLY, Site};

/// Processes at once.
const PROCESSES: usize = 4;
const CASES: u32 = 12;
/// Commands that are killed, each a little later than the one before.
const ROUNDS: u32 = 60;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Begin,
    BeginForced,
    End,
    LogWork,
    LogAchievement,
    LogChoice,
    AddWork,
    CompleteOwn,
    UpdateState,
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        2 => Just(Kind::Begin),
        1 => Just(Kind::BeginForced),
        1 => Just(Kind::End),
        3 => Just(Kind::LogWork),
        2 => Just(Kind::LogAchievement),
        2 => Just(Kind::LogChoice),
        2 => Just(Kind::AddWork),
        2 => Just(Kind::CompleteOwn),
        1 => Just(Kind::UpdateState),
    ]
}

/// What the record has to contain.
#[derive(Debug, Default)]
struct Expected {
    /// Purpose of each session that was begun, by number.
    sessions: BTreeMap<u64, String>,
    /// Text of what was logged, with the session that it went to.
    logged: BTreeSet<(u64, &'static str, String)>,
    /// Items that were added, by id.
    work: BTreeMap<String, String>,
    completed: BTreeSet<String>,
    ended: BTreeSet<u64>,
    test_states: BTreeSet<String>,
}

/// Runs the commands of one process after the other; each must be done as it said.
fn run(site: &Site, process: usize, kinds: &[Kind]) -> Expected {
    let mut expected = Expected::default();
    let mut own: Vec<String> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let text = format!("text {process}.{at}");
        let next = own.pop();
        let arguments: Vec<&str> = match (kind, &next) {
            (Kind::Begin, _) => vec!["begin", "--purpose", &text],
            (Kind::BeginForced, _) => vec!["begin", "--force", "--purpose", &text],
            (Kind::End, _) => [&["end", "--achievements", &text], RECORD_ONLY].concat(),
            (Kind::LogWork, _) => vec!["log-work", "--desc", &text],
            (Kind::LogAchievement, _) => vec!["log-achievement", "--item", &text],
            (Kind::LogChoice, _) => vec!["log-choice", "--choice", &text, "--reason", "r"],
            (Kind::CompleteOwn, Some(id)) => vec!["complete-work", "--id", id],
            (Kind::AddWork | Kind::CompleteOwn, _) => vec!["add-work", "--text", &text],
            (Kind::UpdateState, _) => vec!["update-state", "--test-state", &text],
        };
        let answer = site.run(&[&arguments[..], &["--json"]].concat());
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        if answer.code == Some(3) {
            // Another process was first; nothing else may stop one.
            let error = document["error"].as_str().unwrap();
            assert!(error.contains("is active"), "{arguments:?}: {answer:?}");
            own.extend(next);
            continue;
        }
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        let number = || document["session"].as_u64().unwrap();
        match arguments[0] {
            "begin" => {
                let seq = document["session"]["seq"].as_u64().unwrap();
                assert_eq!(expected.sessions.insert(seq, text), None);
                expected.ended.extend(document["replaced"].as_u64());
            }
            "end" => {
                expected.ended.insert(number());
                expected.logged.insert((number(), "achievements", text));
            }
            "log-work" => {
                expected.logged.insert((number(), "work_log", text));
            }
            "log-achievement" => {
                expected.logged.insert((number(), "achievements", text));
            }
            "log-choice" => {
                expected.logged.insert((number(), "choices", text));
            }
            "add-work" => {
                let id = document["work"]["id"].as_str().unwrap().to_owned();
                own.extend(next);
                own.push(id.clone());
                assert_eq!(expected.work.insert(id, text), None);
                continue;
            }
            "complete-work" => {
                assert_eq!(document["completed"], true);
                expected.completed.insert(document["id"].as_str().unwrap().to_owned());
                continue;
            }
            _ => {
                expected.test_states.insert(text);
            }
        }
        own.extend(next);
    }
    expected
}

impl Expected {
    /// Adds what another process did; no number or id may have been given twice.
    fn add(&mut self, other: Self) {
        for (seq, purpose) in other.sessions {
            assert_eq!(self.sessions.insert(seq, purpose), None, "session #{seq} was begun twice");
        }
        for (id, text) in other.work {
            assert_eq!(self.work.insert(id.clone(), text), None, "{id} was given twice");
        }
        self.logged.extend(other.logged);
        self.completed.extend(other.completed);
        self.ended.extend(other.ended);
        self.test_states.extend(other.test_states);
    }

    fn check(&self, record: &Value) {
        let sessions = record["session_history"].as_array().unwrap();
        let by_number: BTreeMap<u64, &Value> =
            sessions.iter().map(|it| (it["seq"].as_u64().unwrap(), it)).collect();
        assert_eq!(by_number.len(), sessions.len(), "a number is there twice");
        let purposes: BTreeMap<u64, String> =
            by_number.iter().map(|(seq, it)| (*seq, it["purpose"].as_str().unwrap().to_owned())).collect();
        assert_eq!(purposes, self.sessions);
        assert_eq!(
            by_number.keys().copied().collect::<Vec<_>>(),
            (1..=sessions.len() as u64).collect::<Vec<_>>()
        );
        let mut logged = BTreeSet::new();
        for (seq, session) in &by_number {
            for (list, member) in [("work_log", "desc"), ("achievements", ""), ("choices", "choice")] {
                for item in session[list].as_array().into_iter().flatten() {
                    let text = if member.is_empty() { item } else { &item[member] };
                    let text = text.as_str().unwrap();
                    // A close adds what it finds in the repository.
                    if text.starts_with("text ") {
                        logged.insert((*seq, list, text.to_owned()));
                    }
                }
            }
        }
        assert_eq!(logged, self.logged);
        let ended: BTreeSet<u64> =
            by_number.iter().filter(|(_, it)| it["length"].is_string()).map(|(seq, _)| *seq).collect();
        assert_eq!(ended, self.ended);
        let work: BTreeMap<String, String> = record["deferred_work"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| (it["id"].as_str().unwrap().to_owned(), it["description"].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(work, self.work);
        let completed: BTreeSet<String> = record["deferred_work"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|it| it["status"] == "completed")
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(completed, self.completed);
        let state = &record["state"];
        assert_eq!(state["session"].as_u64().unwrap(), sessions.len() as u64);
        match state["test_state"].as_str() {
            Some(text) => assert!(self.test_states.contains(text), "{state}"),
            None => assert!(self.test_states.is_empty(), "{state}"),
        }
    }
}

fn schema() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/context.schema.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn no_effect_of_parallel_commands_is_lost() {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    let commands = proptest::collection::vec(proptest::collection::vec(kind(), 0..7), 1..=PROCESSES);
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        max_shrink_iters: 0,
        ..Config::with_cases(CASES)
    });
    let done = runner.run(&commands, |commands| {
        let site = Site::new();
        let mut expected = Expected::default();
        let each: Vec<Expected> = std::thread::scope(|scope| {
            let handles: Vec<_> = commands
                .iter()
                .enumerate()
                .map(|(process, kinds)| {
                    let site = &site;
                    scope.spawn(move || run(site, process, kinds))
                })
                .collect();
            handles.into_iter().map(|it| it.join().unwrap()).collect()
        });
        for process in each {
            expected.add(process);
        }
        let record = site.record();
        let problems: Vec<String> = schema.iter_errors(&record).map(|it| it.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}: {record:#}");
        expected.check(&record);
        // Whoever came last, the view shows what the record says.
        let view = site.read("context.md");
        assert_eq!(site.json(&["render", "--dry-run"])["text"], view);
        Ok(())
    });
    done.unwrap();
}

/// A command that is killed, whenever, has done all of its work or none.
// @traces 021-CONST-II-002
#[test]
fn a_killed_command_leaves_no_half_done_session() {
    let site = Site::new();
    let schema = jsonschema::validator_for(&schema()).unwrap();
    let started = Instant::now();
    site.ok(&["update-state", "--test-count", "1"]);
    // From before the first look to after the last write.
    let whole = started.elapsed() * 3;
    let mut seen = BTreeSet::new();
    for round in 0..ROUNDS {
        let arguments = if site.json(&["status"])["active"] == true {
            [&["end", "--achievements", "reached", "--upcoming", "next"], RECORD_ONLY].concat()
        } else {
            vec!["begin", "--purpose", "killed perhaps"]
        };
        let before = site.record();
        let mut command = site.command(env!("CARGO_BIN_EXE_hostler"), &site.root());
        let mut child = command.arg("session").args(&arguments).spawn().unwrap();
        // From the first moment on, and in the last round never: it may have ended by itself.
        if round + 1 < ROUNDS {
            std::thread::sleep(whole * round / ROUNDS);
            let _ = child.kill();
        }
        let _ = child.wait().unwrap();
        let record = site.record();
        let problems: Vec<String> = schema.iter_errors(&record).map(|it| it.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}: {record:#}");
        let sessions = record["session_history"].as_array().map(Vec::len).unwrap_or_default() as u64;
        let last = &record["session_history"][usize::try_from(sessions).unwrap().saturating_sub(1)];
        let active = sessions != 0 && last["length"].is_null();
        assert_eq!(record["state"]["session"].as_u64().unwrap(), sessions, "{record:#}");
        assert_eq!(record["state"]["status"] == "active", active, "{record:#}");
        if !active && sessions != 0 {
            // What an end adds is there as a whole.
            let reached = last["achievements"].as_array().unwrap();
            assert!(reached.contains(&"reached".into()), "{record:#}");
            assert!(last["ended"].is_string() && last["outcome"] == "closed", "{record:#}");
            let next = record["deferred_work"].as_array().unwrap();
            assert_eq!(next.len(), 1, "{record:#}");
        }
        seen.insert(record != before);
    }
    assert_eq!(seen.len(), 2, "no kill came early, or none late: {whole:?}");
    // And the next command finds everything usable.
    assert!(site.run(&["status"]).code == Some(0) && whole < Duration::from_secs(60));
}
