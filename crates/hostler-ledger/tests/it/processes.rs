//! Many processes and one journal. The processes are this very program, started again as [`appender`].

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hostler_ledger::journal::{self, Appended, Entry, Error};
use hostler_ledger::signature::Keys;
use hostler_model::SessionId;

/// Number of processes, and of kills.
const PROCESSES: u64 = 200;
const KILLS: u64 = 200;
/// When everything happens.
const NOW: i64 = 1_796_025_600_000;

fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn entry(text: &str, dedupe: Option<String>) -> Entry {
    let mut entry = Entry { kind: "result", time_ms: NOW, dedupe, ..Entry::default() };
    entry.attributes.insert("target".to_owned(), text.into());
    entry.attributes.insert("output_preview".to_owned(), "x".repeat(700).into());
    entry
}

/// Not a test of its own: what the other tests start. Without its variable there is nothing to do.
#[test]
fn appender() {
    let Ok(job) = std::env::var("HOSTLER_TEST_APPENDER") else { return };
    let mut words = job.splitn(4, ' ');
    let mut word = || words.next().unwrap().to_owned();
    let (task, name, rotate_bytes, state) = (word(), session(&word()), word().parse().unwrap(), word());
    let state = Path::new(&state);
    let id = std::process::id();
    let append =
        |text: &str, dedupe| journal::append_rotating(state, &name, &entry(text, dedupe), rotate_bytes);
    let mut out = std::io::stderr();
    match task.as_str() {
        "five" => {
            // All begin when the starter closes our stdin.
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            for number in 0..5 {
                append(&format!("{id}/{number}"), Some(format!("own:{id}/{number}"))).unwrap();
            }
        }
        "doubled" => {
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            for number in 0..5 {
                append(&format!("{number}"), Some(format!("PreToolUse:{number}"))).unwrap();
            }
        }
        "endless" => loop {
            let sequence = append("killed", None).unwrap().sequence();
            writeln!(out, "ack {sequence}").unwrap();
        },
        "until-full" => {
            let error = loop {
                match append("full", None) {
                    Ok(Appended::Line { sequence, .. }) => writeln!(out, "ack {sequence}").unwrap(),
                    Ok(duplicate) => panic!("{duplicate:?}"),
                    Err(error) => break error,
                }
            };
            let short = matches!(error, Error::ShortWrite { .. } | Error::Io { .. });
            writeln!(out, "short {short} {error}").unwrap();
            let report = journal::verify(&journal::path(state, &name)).unwrap();
            writeln!(out, "bad {:?} whole {}", report.bad, report.whole).unwrap();
            let ballast = state.join("ballast");
            if ballast.exists() {
                std::fs::remove_file(ballast).unwrap();
                writeln!(out, "after {}", append("again", None).unwrap().sequence()).unwrap();
            }
        }
        "closing" => {
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
            for number in 0..5 {
                append(&format!("{id}/{number}"), None).unwrap();
                journal::close(state, &name, NOW, Some(&keys(state))).unwrap();
            }
        }
        "endless-closing" => {
            for number in 0.. {
                let sequence = append("killed", None).unwrap().sequence();
                writeln!(out, "ack {sequence}").unwrap();
                if number % 3 == 2 {
                    journal::close(state, &name, NOW, Some(&keys(state))).unwrap();
                }
            }
        }
        "close-full" => {
            while append("full", None).is_ok() {}
            let error = journal::close(state, &name, NOW, Some(&keys(state))).unwrap_err();
            writeln!(out, "told {error}").unwrap();
            let full = verified(state).len();
            std::fs::remove_file(state.join("ballast")).unwrap();
            let closed = journal::close(state, &name, NOW, Some(&keys(state))).unwrap().unwrap();
            let lost = full.saturating_sub(verified(state).len());
            writeln!(out, "closed {} lost {lost} {:?}", closed.path.exists(), closed.unsigned).unwrap();
        }
        "across" => {
            for round in 0..3 {
                append("across", None).unwrap();
                let closed = journal::close(state, &name, NOW, Some(&keys(state))).unwrap().unwrap();
                assert!(!journal::path(state, &name).exists());
                assert_eq!(verified(state).len(), 2 * (round + 1));
                if round == 1 {
                    // What a kill leaves after the copy: both of them.
                    std::fs::copy(&closed.path, journal::path(state, &name)).unwrap();
                }
            }
            let days = state.join("archive/2026-11-30");
            let names = std::fs::read_dir(days).unwrap().map(|it| it.unwrap().file_name());
            writeln!(out, "files {}", names.count()).unwrap();
        }
        other => panic!("{other}"),
    }
}

fn keys(state: &Path) -> Keys {
    Keys::new(state.join("signing"))
}

fn start(program: &mut Command, job: &str) -> Child {
    program
        .args(["processes::appender", "--exact", "--nocapture", "--test-threads=1"])
        .env("HOSTLER_TEST_APPENDER", job)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Every record of a project in order, after its files were verified.
#[track_caller]
fn verified(state: &Path) -> Vec<journal::Record> {
    let files = journal::files(state).unwrap();
    for report in journal::verify_all(&files) {
        assert_eq!(report.bad, None, "{report:?}");
    }
    let mut records: Vec<_> = files.iter().flat_map(|file| journal::read(file).unwrap()).collect();
    records.sort_by_key(|record| record.sequence);
    for (position, record) in records.iter().enumerate() {
        assert_eq!(record.sequence, position as u64 + 1, "a record is missing or there twice");
    }
    records
}

/// Starts `count` processes that begin at the same moment, waits for them, and returns their ids.
#[track_caller]
fn together(count: u64, job: &str) -> Vec<u32> {
    let mut children: Vec<Child> = (0..count).map(|_| start(&mut this_program(), job)).collect();
    let gates: Vec<_> = children.iter_mut().map(|child| child.stdin.take()).collect();
    drop(gates);
    let finish = |child: Child| {
        let id = child.id();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        id
    };
    children.into_iter().map(finish).collect()
}

/// What the processes wrote, sorted.
#[track_caller]
fn written(state: &Path) -> Vec<String> {
    let own = verified(state).into_iter().filter(|record| record.kind == "result");
    let mut texts: Vec<_> = own.map(|record| record.text("target").unwrap().to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn parallel_processes_lose_and_mix_no_line() {
    for rotate_bytes in [journal::ROTATE_BYTES, 64 * 1024] {
        let folder = tempfile::tempdir().unwrap();
        let ids = together(PROCESSES, &format!("five parallel {rotate_bytes} {}", folder.path().display()));
        let mut expected: Vec<_> =
            ids.iter().flat_map(|id| (0..5).map(move |number| format!("{id}/{number}"))).collect();
        expected.sort();
        let found = written(folder.path());
        assert_eq!(found.len(), expected.len());
        assert!(found == expected, "other lines than those that were written");
        let files = journal::files(folder.path()).unwrap().len();
        assert_eq!(1 < files, rotate_bytes != journal::ROTATE_BYTES, "{files} files");
    }
}

#[test]
fn the_same_call_of_parallel_processes_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    together(20, &format!("doubled parallel {} {}", journal::ROTATE_BYTES, folder.path().display()));
    assert_eq!(written(folder.path()), ["0", "1", "2", "3", "4"]);
}

#[test]
fn processes_that_close_and_go_on_at_once_lose_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let job = format!("closing parallel {} {}", journal::ROTATE_BYTES, folder.path().display());
    let ids = together(40, &job);
    let found = written(folder.path());
    assert_eq!(found.len(), 5 * ids.len());
    let files = journal::files(folder.path()).unwrap();
    assert!(files.iter().all(|path| path.starts_with(folder.path().join("archive"))), "{files:?}");
    let reports = journal::verify_all(&files);
    let key = keys(folder.path()).public().unwrap();
    assert!(reports.iter().all(|it| it.signature.as_ref().map(|it| it.key) == key), "one key for all");
}

#[test]
fn killed_processes_leave_a_valid_chain() {
    check_kills(KILLS, |round| match (round / 10) % 2 {
        0 => format!("endless killed {}", journal::ROTATE_BYTES),
        // Moving to a new file all the time.
        _ => format!("endless killed {}", 4 * 1024),
    });
}

#[test]
fn processes_killed_while_they_seal_and_archive_lose_no_record() {
    check_kills(KILLS, |_| format!("endless-closing killed {}", journal::ROTATE_BYTES));
}

/// Ten kills to a session; after each, everything that was acknowledged is there, once, and the session goes on.
#[track_caller]
fn check_kills(kills: u64, job: impl Fn(u64) -> String) {
    let folder = tempfile::tempdir().unwrap();
    // A fixed sequence of delays: a failure can be run again.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..kills {
        let state = folder.path().join(format!("{}", round / 10));
        let mut child = start(&mut this_program(), &format!("{} {}", job(round), state.display()));
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let until = Instant::now() + Duration::from_micros(random % 3000);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = lines
            .map_while(Result::ok)
            .chain([first])
            .filter_map(|line| line.strip_prefix("ack ")?.parse::<u64>().ok())
            .max()
            .unwrap();
        let records = verified(&state);
        assert!(acknowledged <= records.len() as u64, "round {round}: {acknowledged} of {}", records.len());
        journal::append(&state, &session("killed"), &entry("after", None)).unwrap();
        assert_eq!(verified(&state).last().unwrap().text("target"), Some("after"), "round {round}");
    }
}

/// What the process said, by the first word of a line.
fn said<'a>(stderr: &'a str, word: &str) -> Vec<&'a str> {
    stderr.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).collect()
}

#[track_caller]
fn check_full(stderr: &str, path: Option<&Path>) {
    let acknowledged = said(stderr, "ack").len();
    assert!(0 < acknowledged, "{stderr}");
    assert!(said(stderr, "short").first().is_some_and(|it| it.starts_with("true")), "{stderr}");
    assert_eq!(said(stderr, "bad"), ["None whole true"], "{stderr}");
    if let Some(path) = path {
        assert_eq!(journal::verify(path).unwrap().records, acknowledged as u64);
    }
}

/// A limit on the size of files makes writes come short as a full disk does, without being root.
#[test]
fn a_line_that_does_not_fit_is_cut_off_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap());
    let job = format!("until-full full {} {}", journal::ROTATE_BYTES, folder.path().display());
    let output = start(&mut shell, &job).wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let path = journal::path(folder.path(), &session("full"));
    check_full(&stderr, Some(&path));
    assert!(stderr.contains("was cut back"), "{stderr}");
    let next = journal::append(folder.path(), &session("full"), &entry("again", None)).unwrap();
    assert_eq!(next.sequence(), said(&stderr, "ack").len() as u64 + 1);
    assert_eq!(journal::verify(&path).unwrap().torn, 0);
}

/// Starts the job in a mount namespace of its own, in which `state` is a small disk prepared by `script`.
/// `None`, with a reason, where that is not allowed.
fn on_a_small_disk(test: &str, state: &Path, script: &str, job: &str) -> Option<String> {
    started_on_a_small_disk(test, state, script, job, start)
}

/// The same with another way to start this program.
pub(crate) fn started_on_a_small_disk(
    test: &str,
    state: &Path,
    script: &str,
    job: &str,
    start: fn(&mut Command, &str) -> Child,
) -> Option<String> {
    let namespace = |script: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        unshare
    };
    let mount = format!("mount -t tmpfs -o size=64k hostler-test '{}'", state.display());
    let probe = namespace(&mount).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let reason = match probe {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(reason) = reason {
        assert!(
            std::env::var_os("HOSTLER_REQUIRE_ALL").is_none_or(|it| it != "1"),
            "{test}: no small disk can be made here: {reason}"
        );
        let _ = writeln!(std::io::stderr(), "skipped {test}: no small disk can be made here: {reason}");
        return None;
    }
    let mut shell = namespace(&format!("{mount} && {script} && exec \"$0\" \"$@\""));
    shell.arg(std::env::current_exe().unwrap());
    let output = start(&mut shell, job).wait_with_output().unwrap();
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_full_disk_is_told_and_survived() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let script = format!("head -c 16384 /dev/zero > '{}/ballast'", state.display());
    let job = format!("until-full full {} {}", journal::ROTATE_BYTES, state.display());
    let Some(stderr) = on_a_small_disk("a_full_disk_is_told_and_survived", state, &script, &job) else {
        return;
    };
    check_full(&stderr, None);
    let after: Vec<u64> = said(&stderr, "after").iter().map(|it| it.parse().unwrap()).collect();
    assert_eq!(after, [said(&stderr, "ack").len() as u64 + 1], "{stderr}");
}

#[test]
fn a_read_only_folder_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let script = format!("mount -o remount,ro '{}'", state.display());
    let job = format!("until-full full {} {}", journal::ROTATE_BYTES, state.display());
    let Some(stderr) = on_a_small_disk("a_read_only_folder_is_told", state, &script, &job) else { return };
    let problem = said(&stderr, "short");
    assert!(problem.first().is_some_and(|it| it.contains("Read-only file system")), "{stderr}");
    assert_eq!(said(&stderr, "ack"), [""; 0], "{stderr}");
}

#[test]
fn closing_on_a_full_disk_is_told_and_done_when_there_is_space() {
    let test = "closing_on_a_full_disk_is_told_and_done_when_there_is_space";
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let script = format!("head -c 16384 /dev/zero > '{}/ballast'", state.display());
    let job = format!("close-full full {} {}", journal::ROTATE_BYTES, state.display());
    let Some(stderr) = on_a_small_disk(test, state, &script, &job) else { return };
    assert!(
        said(&stderr, "told").first().is_some_and(|it| it.contains("cannot") || it.contains("took")),
        "{stderr}"
    );
    assert_eq!(said(&stderr, "closed"), ["true lost 0 None"], "{stderr}");
}

#[test]
fn an_archive_on_another_file_system_gets_a_compared_copy_and_the_original_goes() {
    let test = "an_archive_on_another_file_system_gets_a_compared_copy_and_the_original_goes";
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path();
    let archive = state.join("archive");
    let script =
        format!("mkdir '{0}' && mount -t tmpfs -o size=64k hostler-archive '{0}'", archive.display());
    let job = format!("across across {} {}", journal::ROTATE_BYTES, state.display());
    let Some(stderr) = on_a_small_disk(test, state, &script, &job) else { return };
    assert_eq!(said(&stderr, "files"), ["3"], "{stderr}");
}
