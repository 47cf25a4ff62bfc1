//! Many processes and one `context.json`. The processes are this very program, started again as [`updater`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hostler_ledger::context::{Context, Session, State, Step, Store, Work, WorkEntry, WorkStatus};
use proptest::prelude::*;
use serde_json::Value;

use crate::processes::started_on_a_small_disk;

fn store(folder: &Path) -> Store {
    Store::new(folder.join("context.json"), folder.join("state"))
}

fn session(seq: u64, purpose: &str) -> Session {
    Session {
        seq,
        when: "2026-11-30T10:00:00Z".to_owned(),
        purpose: purpose.to_owned(),
        ..Session::default()
    }
}

/// What a process does; each leaves its name where it can be found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Begin,
    Log,
    Achieve,
    End,
    Add,
    Complete,
    State,
}

const COMMANDS: [(char, Deed); 7] = [
    ('b', Deed::Begin),
    ('l', Deed::Log),
    ('a', Deed::Achieve),
    ('e', Deed::End),
    ('w', Deed::Add),
    ('c', Deed::Complete),
    ('s', Deed::State),
];

/// Applies a command. Those on the last session begin one where there is none.
fn apply(context: &mut Context, command: Deed, name: &str) {
    if command == Deed::Begin || (context.session_count() == 0 && command.is_of_session()) {
        let seq = context.last().map_or(1, |(_, it)| it.seq + 1);
        context.push(session(seq, name));
        context.state_mut().session = seq;
    }
    let last = |context: &mut Context, change: &dyn Fn(&mut Session)| {
        if let Some((index, mut session)) = context.last() {
            change(&mut session);
            context.replace(index, session);
        }
    };
    match command {
        Deed::Begin => {}
        Deed::Log => last(context, &|it| {
            it.work_log.push(WorkEntry { desc: name.to_owned(), ..WorkEntry::default() });
        }),
        Deed::Achieve => last(context, &|it| it.achievements.push(name.to_owned())),
        Deed::End => last(context, &|it| {
            it.length = Some("1h".to_owned());
            it.achievements.push(name.to_owned());
        }),
        Deed::Add => {
            context.work_mut().push(Work { description: name.to_owned(), ..Work::default() });
        }
        Deed::Complete => {
            let done =
                Work { description: name.to_owned(), status: WorkStatus::Completed, ..Work::default() };
            context.work_mut().push(done);
        }
        Deed::State => {
            context.state_mut().other.insert(name.to_owned(), true.into());
        }
    }
}

impl Deed {
    fn is_of_session(self) -> bool {
        matches!(self, Self::Log | Self::Achieve | Self::End)
    }
}

/// Every name that left its trace.
fn traces(context: &Context) -> Vec<String> {
    let mut found: Vec<String> = context.state().other.keys().cloned().collect();
    found.extend(context.work().iter().map(|it| it.description.clone()));
    for (_, session) in context.newest_first() {
        found.push(session.purpose);
        found.extend(session.achievements);
        found.extend(session.work_log.into_iter().map(|it| it.desc));
    }
    found.sort();
    found
}

/// Not a test of its own: what the other tests start. Without its variable there is nothing to do.
#[test]
fn updater() {
    let Ok(job) = std::env::var("HOSTLER_TEST_UPDATER") else { return };
    let mut words = job.splitn(3, ' ');
    let mut word = || words.next().unwrap().to_owned();
    let (task, name, folder) = (word(), word(), word());
    let store = store(Path::new(&folder)).waiting(std::time::Duration::from_secs(60));
    let mut out = std::io::stderr();
    let commands = |letter: char| COMMANDS.iter().find(|it| it.0 == letter).unwrap().1;
    match task.split_once(':').unwrap() {
        ("all", letters) => {
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            for (number, letter) in letters.chars().enumerate() {
                let name = format!("{name}/{number}");
                store.update(|context| apply(context, commands(letter), &name)).unwrap();
            }
        }
        ("endless", letters) => {
            for (number, letter) in letters.chars().cycle().enumerate() {
                let name = format!("{name}/{number}");
                store.update(|context| apply(context, commands(letter), &name)).unwrap();
                writeln!(out, "ack {name}").unwrap();
            }
        }
        ("die", step) => {
            let store = match step {
                "Prepared" => store.at_steps(|it| die(it, Step::Prepared)),
                "Kept" => store.at_steps(|it| die(it, Step::Kept)),
                "Logged" => store.at_steps(|it| die(it, Step::Logged)),
                _ => store.at_steps(|it| die(it, Step::Written)),
            };
            store.update(|context| context.push(session(2, "new"))).unwrap();
        }
        ("full", _) => {
            let before = std::fs::read(store.path()).unwrap();
            let error = store
                .update(|context| context.push(session(7, &"x".repeat(512 * 1024))))
                .map(|_| ())
                .unwrap_err();
            assert_eq!(std::fs::read(store.path()).unwrap(), before);
            writeln!(out, "told {error}").unwrap();
            store.update(|context| context.push(session(7, "fits"))).unwrap();
            writeln!(out, "after {}", traces(&store.read().unwrap().unwrap()).join(" ")).unwrap();
        }
        ("read-only", _) => {
            let file = Path::new(&folder).join("context.json");
            // The evidence is elsewhere and could be written.
            let store = Store::new(file, Path::new(&folder).with_extension("state"));
            let error = store.update(|context| context.push(session(7, "x"))).map(|_| ()).unwrap_err();
            writeln!(out, "told {error}").unwrap();
            writeln!(out, "read {}", store.read().unwrap().unwrap().session_count()).unwrap();
        }
        (other, _) => panic!("{other}"),
    }
}

/// A kill at a certain moment: nothing is unwound, nothing is cleaned up.
fn die(now: Step, when: Step) {
    if now == when {
        std::process::abort();
    }
}

fn start(program: &mut Command, job: &str) -> Child {
    program
        .args(["context::updater", "--exact", "--nocapture", "--test-threads=1"])
        .env("HOSTLER_TEST_UPDATER", job)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

fn schema() -> jsonschema::Validator {
    let text = include_str!("../../../../docs/context.schema.json");
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

/// The file is valid by the published schema; its context.
#[track_caller]
fn valid(folder: &Path, schema: &jsonschema::Validator) -> Context {
    let text = std::fs::read_to_string(folder.join("context.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let problems = schema.iter_errors(&value).fold(String::new(), |mut all, it| {
        let _ = writeln!(all, "{}: {it}", it.instance_path());
        all
    });
    assert_eq!(problems, "");
    let context = store(folder).read().unwrap().unwrap();
    assert_eq!(context.notes(), [""; 0]);
    context
}

#[track_caller]
fn created(folder: &Path) {
    assert!(store(folder).create(State::default()).unwrap());
}

/// What up to four processes do at once is all there afterwards, in a valid file, and can be had back without it.
fn check(plans: &[String], schema: &jsonschema::Validator) {
    let folder = tempfile::tempdir().unwrap();
    created(folder.path());
    let mut children: Vec<(usize, Child)> = plans
        .iter()
        .enumerate()
        .map(|(id, plan)| {
            (id, start(&mut this_program(), &format!("all:{plan} p{id} {}", folder.path().display())))
        })
        .collect();
    // They begin when all of them are there.
    let gates: Vec<_> = children.iter_mut().map(|(_, child)| child.stdin.take()).collect();
    drop(gates);
    for (_, child) in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let expected: BTreeSet<String> = plans
        .iter()
        .enumerate()
        .flat_map(|(id, plan)| (0..plan.len()).map(move |number| format!("p{id}/{number}")))
        .collect();
    let context = valid(folder.path(), schema);
    let found = traces(&context);
    // A session that was begun for want of one carries the name of the command that wanted it.
    assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert!(found.len() <= expected.len() + 1, "{found:?}");
    let numbers: Vec<_> =
        (0..context.session_count()).map(|it| context.session_number(it).unwrap()).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{numbers:?}");

    let before = std::fs::read_to_string(folder.path().join("context.json")).unwrap();
    std::fs::write(folder.path().join("context.json"), "{").unwrap();
    store(folder.path()).update(|_| ()).unwrap();
    let after = std::fs::read_to_string(folder.path().join("context.json")).unwrap();
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value(&after), value(&before), "the ledger tells the same");
}

// @traces REQ-020-171 REQ-020-172 REQ-020-173 REQ-020-174 021-CONST-II-001
#[test]
fn any_commands_of_up_to_four_processes_are_all_in_a_valid_file() {
    let schema = schema();
    let plan = prop::collection::vec(prop::sample::select(COMMANDS.map(|it| it.0).to_vec()), 1..8);
    let plans = prop::collection::vec(plan.prop_map(|it| it.into_iter().collect::<String>()), 1..=4);
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(plans in plans)| check(&plans, &schema));
}

// @traces 021-CONST-II-002
#[test]
fn a_kill_at_any_step_leaves_the_old_file_or_the_new_one() {
    let schema = schema();
    for (step, sessions) in [("Prepared", 1), ("Kept", 1), ("Logged", 1), ("Written", 2)] {
        let folder = tempfile::tempdir().unwrap();
        created(folder.path());
        store(folder.path()).update(|context| context.push(session(1, "old"))).unwrap();
        let job = format!("die:{step} x {}", folder.path().display());
        let output = start(&mut this_program(), &job).wait_with_output().unwrap();
        assert!(!output.status.success(), "it was killed");
        assert_eq!(valid(folder.path(), &schema).session_count(), sessions, "{step}");
        // The next one is not hindered, and does not build on what did not happen.
        let next = |context: &mut Context| {
            let seq = context.last().map_or(1, |(_, it)| it.seq + 1);
            context.push(session(seq, "next"));
        };
        store(folder.path()).update(next).unwrap();
        assert_eq!(valid(folder.path(), &schema).session_count(), sessions + 1, "{step}");
    }
}

#[test]
fn a_kill_while_a_damaged_file_is_repaired_loses_nothing_of_it() {
    let damaged = "{\"session_history\": [{\"seq\": 1, \"when\": \"w\", \"purpose\": \"old\", \"achievements\": []}, {\"se";
    for step in ["Prepared", "Kept", "Logged", "Written"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("context.json");
        std::fs::write(&path, damaged).unwrap();
        let job = format!("die:{step} x {}", folder.path().display());
        assert!(!start(&mut this_program(), &job).wait_with_output().unwrap().status.success());
        if step != "Written" {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
        }
        store(folder.path()).update(|context| context.state_mut().session = 2).unwrap();
        let context = valid(folder.path(), &schema());
        assert_eq!(context.session(0).unwrap().purpose, "old");
        let aside = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path());
        let aside: Vec<PathBuf> = aside.filter(|it| it.to_string_lossy().contains(".damaged-")).collect();
        assert!(!aside.is_empty(), "{step}: the damaged file is not kept");
        assert!(aside.iter().all(|it| std::fs::read_to_string(it).unwrap() == damaged), "{step}");
    }
}

// @traces 021-CONST-II-002
#[test]
fn processes_killed_at_any_moment_lose_nothing_that_they_told() {
    let schema = schema();
    let folder = tempfile::tempdir().unwrap();
    created(folder.path());
    let mut told = BTreeSet::new();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..40 {
        let job = format!("endless:blawces r{round} {}", folder.path().display());
        let mut child = start(&mut this_program(), &job);
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut lines = String::new();
        said.read_line(&mut lines).unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let until = std::time::Instant::now() + std::time::Duration::from_micros(random % 20_000);
        while std::time::Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        said.read_to_string(&mut lines).unwrap();
        // A line that the kill cut off acknowledges nothing.
        let acknowledged = lines.split_inclusive('\n').filter_map(|it| it.strip_suffix('\n'));
        told.extend(acknowledged.filter_map(|it| it.strip_prefix("ack ").map(str::to_owned)));
        let found: BTreeSet<String> = traces(&valid(folder.path(), &schema)).into_iter().collect();
        assert!(told.is_subset(&found), "round {round}: {:?}", told.difference(&found).collect::<Vec<_>>());
    }
}

#[test]
fn a_full_disk_is_told_and_the_file_stays() {
    let test = "a_full_disk_is_told_and_the_file_stays";
    let folder = tempfile::tempdir().unwrap();
    let job = format!("full: x {}", folder.path().display());
    let context = r#"{"schema_version": 1, "session_history": []}"#;
    let script = format!("printf %s '{context}' > '{}/context.json'", folder.path().display());
    let stderr = started_on_a_small_disk(test, folder.path(), &script, &job, start);
    let Some(stderr) = stderr else { return };
    assert!(stderr.contains("told cannot write beside"), "{stderr}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert!(stderr.contains("after fits"), "{stderr}");
}

#[test]
fn a_read_only_folder_is_told_and_the_file_can_be_read() {
    let test = "a_read_only_folder_is_told_and_the_file_can_be_read";
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("project");
    std::fs::create_dir(&folder).unwrap();
    let job = format!("read-only: x {}", folder.display());
    let script = format!(
        "printf %s '{{\"session_history\": []}}' > '{0}/context.json' && mount -o remount,ro '{0}'",
        folder.display()
    );
    let stderr = started_on_a_small_disk(test, &folder, &script, &job, start);
    let Some(stderr) = stderr else { return };
    assert!(stderr.contains("told folder") && stderr.contains("is read-only"), "{stderr}");
    assert!(stderr.contains("read 0"), "{stderr}");
}
