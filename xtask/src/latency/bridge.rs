//! What a hook of `OpenCode` costs: a line to the bridge and its answer, with many callers at once.
//!
//! Twice: callers that do what agents do, which is to call, think for a while, and call again; and callers that never
//! pause, which measures how many calls the machine can take in a second, and therefore how busy it is. These are to be
//! answered as soon, and fail the run only when they wait for half as long again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::{Place, Samples};

/// Callers at once, and calls of all of them.
const CALLERS: usize = 32;
const CALLS: usize = 10_000;
/// What a caller does between two calls.
const PAUSE: Duration = Duration::from_millis(20);
/// Median of a round trip, in milliseconds.
const MEDIAN_MS_MAX: f64 = 1.0;
/// The same where callers never pause.
const HURRIED_MS_MAX: f64 = 1.5;
/// Resident memory at its highest, in MB.
const RSS_MB_MAX: f64 = 30.0;

type Waiting = Arc<Mutex<BTreeMap<usize, Sender<Instant>>>>;

/// Measures, tells, and whether the budgets hold.
pub(super) fn run(place: &Place, program: &Path) -> anyhow::Result<bool> {
    let mut command = Command::new(program);
    command
        .args(["bridge", "opencode"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &place.home)
        .current_dir(&place.project);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let stdin = Mutex::new(child.stdin.take().context("stdin is a pipe")?);
    let stdout = BufReader::new(child.stdout.take().context("stdout is a pipe")?);
    let waiting = Waiting::default();
    let heard = waiting.clone();
    let listener = std::thread::spawn(move || listen(stdout, &heard));
    let paced = round(place, &stdin, &waiting, 0, CALLS, PAUSE)?;
    let hurried = round(place, &stdin, &waiting, CALLS, CALLS, Duration::ZERO)?;
    let rss_mb = peak_mb(child.id());
    drop(stdin);
    ensure!(child.wait()?.success(), "the bridge did not end well");
    listener.join().map_err(|_| anyhow::anyhow!("the listener fell over"))?;
    let (median, high) = (Samples::at(&paced, 0.5), Samples::at(&paced, 0.95));
    let (hurried_median, hurried_high) = (Samples::at(&hurried, 0.5), Samples::at(&hurried, 0.95));
    crate::tell(&format!(
        "bridge, {CALLERS} callers: {CALLS} calls, median {median:.2} ms (at most {MEDIAN_MS_MAX}), 95 % {high:.2} ms; \
         without a pause median {hurried_median:.2} ms (at most {HURRIED_MS_MAX}), 95 % {hurried_high:.2} ms; \
         {rss_mb:.1} MB at the peak (at most {RSS_MB_MAX})",
    ));
    Ok(median <= MEDIAN_MS_MAX && hurried_median <= HURRIED_MS_MAX && rss_mb <= RSS_MB_MAX)
}

/// The round trips of `calls` calls, in milliseconds.
fn round(
    place: &Place,
    stdin: &Mutex<ChildStdin>,
    waiting: &Waiting,
    from: usize,
    calls: usize,
    pause: Duration,
) -> anyhow::Result<Vec<f64>> {
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                scope.spawn(move || -> anyhow::Result<Vec<f64>> {
                    let mut samples = Vec::new();
                    for id in (from + caller..from + calls).step_by(CALLERS) {
                        samples.push(call(place, stdin, waiting, id)?);
                        std::thread::sleep(pause);
                    }
                    Ok(samples)
                })
            })
            .collect();
        let mut all = Vec::new();
        for caller in callers {
            all.extend(caller.join().map_err(|_| anyhow::anyhow!("a caller fell over"))??);
        }
        Ok(all)
    })
}

fn call(place: &Place, stdin: &Mutex<ChildStdin>, waiting: &Waiting, id: usize) -> anyhow::Result<f64> {
    let session = format!("ses_{}", id % CALLERS);
    let line = json!({
        "id": id, "hook": "tool.execute.before", "session": session, "agent": "build", "directory": place.project,
        "input": { "tool": "bash", "sessionID": session, "callID": format!("call_{id}") },
        "output": { "args": { "command": "ls", "description": "list" } },
    });
    let (sender, answer) = channel();
    lock(waiting).insert(id, sender);
    let began = Instant::now();
    lock(stdin).write_all(format!("{line}\n").as_bytes())?;
    let end =
        answer.recv_timeout(Duration::from_secs(30)).with_context(|| format!("call {id} has no answer"))?;
    Ok(end.duration_since(began).as_secs_f64() * 1_000.0)
}

fn listen(stdout: impl BufRead, waiting: &Waiting) {
    for line in stdout.lines() {
        let Ok(line) = line else { return };
        let now = Instant::now();
        let id = serde_json::from_str::<Value>(&line).ok().and_then(|it| it.get("id")?.as_u64());
        let sender = id.and_then(|id| lock(waiting).remove(&usize::try_from(id).ok()?));
        if let Some(sender) = sender {
            // Who gave up is told by itself.
            let _ = sender.send(now);
        }
    }
}

/// What the process took at its highest; 0 where the system does not tell.
fn peak_mb(process: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = peak.and_then(|it| it.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
    kb.unwrap_or_default() / 1_024.0
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
