//! Kills, readers beside a writer, full disks and folders that cannot be written.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hostler_store::{Error, Reader, Wanted, Writer};

use crate::common::{WAIT, WEIGHTS, chunks, file, open, place, put};

/// How often a writer is killed.
const KILLS: u64 = 60;
/// Files of a batch of [`worker`]: all of them are there, or none.
const TOGETHER: usize = 3;

/// Not a test by itself: what the processes that the tests start do.
#[test]
fn worker() {
    let Some(job) = std::env::var_os("HOSTLER_TEST_STORE") else { return };
    let job = job.into_string().unwrap();
    let (what, path) = job.split_once(' ').unwrap();
    let path = Path::new(path);
    let mut out = std::io::stderr();
    match what {
        "write" => {
            let mut writer = Writer::open(path, WAIT).unwrap();
            writeln!(out, "open").unwrap();
            let from: u64 = writer.reader().meta("round").unwrap().map_or(0, |it| it.parse().unwrap());
            for round in from + 1.. {
                write_round(&mut writer, round).unwrap();
                writeln!(out, "ack {round}").unwrap();
            }
        }
        "fill" => {
            let mut writer = Writer::open(path, WAIT).unwrap();
            let error = (1..).find_map(|round| write_round(&mut writer, round).err()).unwrap();
            writeln!(out, "error {error}").unwrap();
            writeln!(out, "full {}", matches!(error, Error::Full { .. })).unwrap();
            writeln!(out, "faults {}", writer.reader().check().unwrap().len()).unwrap();
            drop(writer);
            std::fs::remove_file(path.with_file_name("ballast")).unwrap();
            let mut writer = Writer::open(path, WAIT).unwrap();
            write_round(&mut writer, 1_000_000).unwrap();
            writeln!(out, "after {}", writer.reader().check().unwrap().len()).unwrap();
        }
        "look" => {
            match Writer::open(path, WAIT) {
                Err(error) => writeln!(out, "error {error}").unwrap(),
                Ok(_) => writeln!(out, "error none").unwrap(),
            }
            let reader = Reader::open(path).unwrap().unwrap();
            let hits = reader.search("one", WEIGHTS, &|_| true, 5).unwrap();
            writeln!(out, "hits {} faults {}", hits.len(), reader.check().unwrap().len()).unwrap();
        }
        other => panic!("{other}"),
    }
}

/// Changes some files, each as a whole, in one batch that notes its number.
fn write_round(writer: &mut Writer, round: u64) -> Result<(), Error> {
    let mut batch = writer.batch()?;
    let text = format!("round{round} {}", "many words that fill pages ".repeat(40));
    for number in 0..TOGETHER {
        let path = format!("together/{number}");
        batch.put(&file(&path), &chunks(&path, &[&text, "constant", &text]))?;
    }
    let old = format!("moving/{}", round - 1);
    let new = format!("moving/{round}");
    batch.rename(&old, &file(&new), &chunks(&new, &["constant"]))?;
    if round % 5 == 1 {
        batch.remove(&format!("grown/{}", round / 10))?;
    }
    let path = format!("grown/{round}");
    batch.put(&file(&path), &chunks(&path, &[&text, &text]))?;
    batch.set_meta("round", &round.to_string())?;
    batch.commit()
}

fn start(program: &mut Command, job: &str) -> Child {
    program
        .args(["processes::worker", "--exact", "--nocapture", "--test-threads=1"])
        .env("HOSTLER_TEST_STORE", job)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// What was committed is there as a whole.
#[track_caller]
fn check_whole(path: &Path, acknowledged: u64) -> u64 {
    let Some(reader) = Reader::open(path).unwrap() else {
        assert_eq!(acknowledged, 0, "an index that was written to is gone");
        return 0;
    };
    let _snapshot = reader.snapshot().unwrap();
    assert_eq!(reader.check().unwrap(), [""; 0]);
    let round: u64 = reader.meta("round").unwrap().map_or(0, |it| it.parse().unwrap());
    assert!(acknowledged <= round, "{acknowledged} acknowledged, {round} there");
    if 0 < round {
        let word = format!("round{round}");
        let expected = TOGETHER * 2 + 2;
        assert_eq!(reader.search(&word, WEIGHTS, &|_| true, 100).unwrap().len(), expected);
        let wanted = [Wanted { words: &word, worth: 1.0, common: false }];
        assert_eq!(reader.candidates(&wanted, WEIGHTS, None, 100).unwrap().len(), expected);
    }
    round
}

#[test]
fn a_killed_writer_leaves_an_index_that_is_whole_and_no_lock() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut before_the_first_batch = 0;
    let (_folder, kept) = place();
    let mut last = 0;
    for round in 0..KILLS {
        // Every other time from nothing, so that its making is met too.
        let fresh = tempfile::tempdir().unwrap();
        let path = if round % 2 == 0 { kept.clone() } else { fresh.path().join("index.db") };
        let mut child = start(&mut this_program(), &format!("write {}", path.display()));
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        if round % 2 == 0 {
            // From the moment that it holds the lock.
            assert!(lines.any(|it| it == "open"), "round {round}");
        } else {
            // From the moment that there is a file.
            let since = Instant::now();
            while !path.exists() {
                assert!(since.elapsed() < Duration::from_secs(60), "round {round}: no index is made");
                std::thread::yield_now();
            }
        }
        let until = Instant::now() + Duration::from_micros(random % 20_000);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged =
            lines.filter_map(|it| it.strip_prefix("ack ")?.parse().ok()).max().unwrap_or_default();
        let there = check_whole(&path, acknowledged);
        before_the_first_batch += u64::from(there == 0);
        if round % 2 == 0 {
            assert!(last <= there, "what was there before is there");
            last = there;
        }
        let mut writer = Writer::open(&path, WAIT).unwrap();
        write_round(&mut writer, there + 1).unwrap();
        drop(writer);
        last = last.max(check_whole(&path, there + 1) * u64::from(round % 2 == 0));
    }
    assert!(before_the_first_batch < KILLS, "no writer came to anything");
    assert!(KILLS / 2 <= last, "the kept index went on");
}

// @traces RAG-018
#[test]
fn readers_are_never_blocked_and_see_whole_batches() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    write_round(&mut writer, 1).unwrap();
    let theirs = rusqlite::Connection::open(&path).unwrap();
    let mode: String = theirs.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    drop(theirs);
    let over = AtomicBool::new(false);
    let over = &over;
    let path = &path;
    std::thread::scope(|scope| {
        let read = move || {
            let mut reads = 0_u64;
            let mut longest = Duration::ZERO;
            let reader = Reader::open(path).unwrap().unwrap();
            while !over.load(Ordering::Relaxed) || reads < 20 {
                let since = Instant::now();
                let snapshot = reader.snapshot().unwrap();
                let round = reader.meta("round").unwrap().unwrap();
                let word = format!("round{round}");
                let wanted = [Wanted { words: &word, worth: 1.0, common: false }];
                let hits = reader.candidates(&wanted, WEIGHTS, None, 100).unwrap();
                assert_eq!(hits.len(), TOGETHER * 2 + 2);
                let ids: Vec<i64> = hits.iter().map(|it| it.chunk).collect();
                assert_eq!(reader.chunks(&ids).unwrap().len(), ids.len());
                drop(snapshot);
                longest = longest.max(since.elapsed());
                reads += 1;
                // Another connection, as another process has one.
                assert!(Reader::open(path).unwrap().is_some());
            }
            (reads, longest)
        };
        let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
        for round in 2..=60 {
            write_round(&mut writer, round).unwrap();
            if round % 20 == 0 {
                writer.checkpoint().unwrap();
            }
        }
        over.store(true, Ordering::Relaxed);
        for reader in readers {
            let (reads, longest) = reader.join().unwrap();
            assert!(20 <= reads);
            assert!(longest < Duration::from_secs(5), "a read took {longest:?}");
        }
    });
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn a_reader_meets_an_index_that_is_being_made() {
    for _ in 0..30 {
        let (_folder, path) = place();
        let path = &path;
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let since = Instant::now();
                while Reader::open(path).unwrap().is_none() {
                    assert!(since.elapsed() < Duration::from_secs(60), "no index is made");
                }
            });
            let writers = [(); 3].map(|()| scope.spawn(move || put(&mut open(path), "a", &["one"])));
            for writer in writers {
                writer.join().unwrap();
            }
            reader.join().unwrap();
        });
        let reader = Reader::open(path).unwrap().unwrap();
        assert_eq!(reader.check().unwrap(), [""; 0]);
        assert_eq!(reader.chunk_count().unwrap(), 1);
    }
}

#[test]
fn a_reader_works_while_a_batch_is_open() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    let mut batch = writer.batch().unwrap();
    batch.put(&file("b"), &chunks("b", &["two"])).unwrap();
    let reader = Reader::open(&path).unwrap().unwrap();
    assert!(reader.file("a").unwrap().is_some() && reader.file("b").unwrap().is_none());
    batch.commit().unwrap();
    assert!(reader.file("b").unwrap().is_some());
}

/// What the process said, by the first word of a line.
fn said<'a>(stderr: &'a str, word: &str) -> Vec<&'a str> {
    stderr.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).collect()
}

/// Starts the job in a mount namespace of its own, in which `folder` is a small disk prepared by `script`.
/// `None`, with a reason, where that is not allowed.
fn on_a_small_disk(test: &str, folder: &Path, script: &str, job: &str) -> Option<String> {
    let namespace = |script: &str| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        unshare
    };
    let mount = format!("mount -t tmpfs -o size=2m hostler-test '{}'", folder.display());
    let probe = namespace(&mount).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let reason = match probe {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(reason) = reason {
        let required = std::env::var_os("HOSTLER_REQUIRE_ALL").is_some_and(|it| it == "1");
        assert!(!required, "{test}: no small disk can be made here: {reason}");
        let _ = writeln!(std::io::stderr(), "skipped {test}: no small disk can be made here: {reason}");
        return None;
    }
    let mut shell = namespace(&format!("{mount} && {script} && exec \"$0\" \"$@\""));
    shell.arg(std::env::current_exe().unwrap());
    let mut child = start(&mut shell, job);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success(), "{stderr}");
    Some(stderr)
}

#[test]
fn a_full_disk_is_told_and_the_next_run_goes_on() {
    let test = "a_full_disk_is_told_and_the_next_run_goes_on";
    let folder = tempfile::tempdir().unwrap();
    let script = format!("head -c 1000000 /dev/zero > '{}/ballast'", folder.path().display());
    let job = format!("fill {}/index.db", folder.path().display());
    let Some(stderr) = on_a_small_disk(test, folder.path(), &script, &job) else { return };
    assert_eq!(said(&stderr, "full"), ["true"], "{stderr}");
    assert!(said(&stderr, "error")[0].contains("free space"), "{stderr}");
    assert_eq!(said(&stderr, "faults"), ["0"], "{stderr}");
    assert_eq!(said(&stderr, "after"), ["0"], "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_written_is_read_all_the_same() {
    let test = "a_folder_that_cannot_be_written_is_read_all_the_same";
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    writer.checkpoint().unwrap();
    drop(writer);
    let log = path.with_file_name("index.db-wal");
    assert_eq!(log.metadata().unwrap().len(), 0, "all of it is in the database");
    let disk = tempfile::tempdir().unwrap();
    let script =
        format!("cp '{}' '{1}/index.db' && mount -o remount,ro '{1}'", path.display(), disk.path().display());
    let job = format!("look {}/index.db", disk.path().display());
    let Some(stderr) = on_a_small_disk(test, disk.path(), &script, &job) else { return };
    assert!(said(&stderr, "error")[0].contains("Read-only file system"), "{stderr}");
    assert_eq!(said(&stderr, "hits"), ["1 faults 0"], "{stderr}");
}

#[test]
fn what_a_killed_writer_left_is_read_on_a_folder_that_cannot_be_written() {
    let test = "what_a_killed_writer_left_is_read_on_a_folder_that_cannot_be_written";
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one"]);
    let disk = tempfile::tempdir().unwrap();
    // With its log, as it is while the writer lives.
    let script = format!(
        "cp '{0}' '{0}-wal' '{0}-shm' '{1}/' && mount -o remount,ro '{1}'",
        path.display(),
        disk.path().display()
    );
    let job = format!("look {}/index.db", disk.path().display());
    let Some(stderr) = on_a_small_disk(test, disk.path(), &script, &job) else { return };
    assert_eq!(said(&stderr, "hits"), ["1 faults 0"], "{stderr}");
    drop(writer);
}
