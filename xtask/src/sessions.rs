//! How long a long history takes: 10,000 sessions loaded and one appended, on disk, synced and read back.
//!
//! Each round is a process of its own, as a hook call is one.

mod recall;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use hostler_ledger::context::{Choice, Context, Session, State, Store, WorkEntry};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// Sessions of the history.
const SESSIONS: u64 = 10_000;
/// Ceiling of the fastest round of loading and appending, milliseconds.
const APPEND_MS_MAX: f64 = 50.0;
/// Ceiling of memory as a multiple of the file: the text once, the scan's places, the process itself.
const MEMORY_FACTOR_MAX: f64 = 2.0;

/// Runs the gate: `--rounds N` appends, or, as a child, one of them: `--append FOLDER`.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    if let [name, folder] = arguments
        && name == "--append"
    {
        return append(Path::new(folder));
    }
    let rounds = crate::number(arguments, "--rounds", 20)?.max(1);
    let folder = tempfile::tempdir()?;
    let bytes = generate(folder.path())?;
    let mut load_ms = Vec::new();
    let mut wall_ms = Vec::new();
    let mut cpu_ms = Vec::new();
    let mut peak_kb = 0;
    for _ in 0..rounds {
        let before = children_cpu_ms()?;
        let child = Command::new(std::env::current_exe()?)
            .args(["sessions", "--append"])
            .arg(folder.path())
            .output()?;
        ensure!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        cpu_ms.push(children_cpu_ms()? - before);
        let told = String::from_utf8(child.stdout)?;
        let mut words = told.split_whitespace();
        let mut word = || words.next().context("the round tells two times and its memory");
        load_ms.push(word()?.parse::<f64>()?);
        wall_ms.push(word()?.parse::<f64>()?);
        peak_kb = peak_kb.max(word()?.parse::<u32>()?);
    }
    for times in [&mut load_ms, &mut wall_ms, &mut cpu_ms] {
        times.sort_by(f64::total_cmp);
    }
    let middle = wall_ms.len() / 2;
    #[expect(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]
    let size_mb = bytes as f64 / 1e6;
    let peak_mb = f64::from(peak_kb) * 1_024.0 / 1e6;
    crate::tell(&format!(
        "{SESSIONS} sessions, {size_mb:.1} MB: load and append {:.1} ms (at most {APPEND_MS_MAX:.0}), median {:.1} ms, \
         CPU of the process {:.1} ms, median {:.1} ms; {rounds} rounds",
        wall_ms[0], wall_ms[middle], cpu_ms[0], cpu_ms[middle]
    ));
    crate::tell(&format!("load alone {:.1} ms, median {:.1} ms", load_ms[0], load_ms[middle]));
    crate::tell(&format!(
        "peak memory {peak_mb:.1} MB, {:.2} times the file (at most {MEMORY_FACTOR_MAX:.1})",
        peak_mb / size_mb
    ));
    let searches = recall::run(&crate::program(true)?)?;
    Ok(wall_ms[0] <= APPEND_MS_MAX && peak_mb <= size_mb * MEMORY_FACTOR_MAX && searches)
}

/// One round, timed from before the file is opened until it is read back.
fn append(folder: &Path) -> anyhow::Result<bool> {
    let start = Instant::now();
    store(folder).read()?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    store(folder).update(|context: &mut Context| {
        let seq = context.last().map_or(1, |(_, last)| last.seq + 1);
        context.push(session(seq));
        context.state_mut().session = seq;
    })?;
    let ms = start.elapsed().as_secs_f64() * 1e3;
    // What the system tells of children includes what their parent had; only this is the process alone.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    crate::tell(&format!("{load_ms:.3} {ms:.3} {}", peak.unwrap_or("0")));
    Ok(true)
}

fn store(folder: &Path) -> Store {
    Store::new(folder.join("context.json"), folder.join("state"))
}

/// Writes the history; returns the file's size.
fn generate(folder: &Path) -> anyhow::Result<u64> {
    let store = store(folder);
    let state = State { version: "1.0.0".to_owned(), branch: "main".to_owned(), ..State::default() };
    ensure!(store.create(state)?, "the folder is not new");
    store.update(|context| (1..=SESSIONS).for_each(|seq| context.push(session(seq))))?;
    let file: PathBuf = folder.join("context.json");
    Ok(std::fs::metadata(&file).with_context(|| file.display().to_string())?.len())
}

/// A session of about 700 bytes, each with words of its own.
fn session(seq: u64) -> Session {
    let when = format!("2026-11-{:02}T10:00:00Z", 1 + seq % 28);
    let entry = |desc: String| WorkEntry { when: when.clone(), desc, ..WorkEntry::default() };
    Session {
        seq,
        purpose: format!("Make importer {seq} resume after a broken connection"),
        work_log: vec![entry(format!("Offsets of part {seq} are kept in the journal"))],
        achievements: vec![
            format!("fix: part {} is asked for again after a time-out", seq % 97),
            format!("feat: progress of upload {seq} is shown"),
        ],
        choices: vec![Choice {
            when: when.clone(),
            choice: "One journal for each upload".to_owned(),
            reason: "two processes never wait for each other".to_owned(),
            ..Choice::default()
        }],
        length: Some("2h30m".to_owned()),
        branch: Some("main".to_owned()),
        tag: Some(format!("session-{seq:03}-2026-11-30-1000")),
        when,
        ..Session::default()
    }
}

/// CPU time of all children so far, milliseconds.
fn children_cpu_ms() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    #[expect(clippy::cast_precision_loss, reason = "microseconds of minutes are far below 2^52")]
    Ok(us as f64 / 1e3)
}
