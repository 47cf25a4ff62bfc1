//! `cargo xtask transcripts`: a tree of transcripts as a client would have written it ([`testkit::transcripts`]); and
//! `cargo xtask replay-bench`: how fast `hostler replay` reads it on one core, and in how much memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::Value;
use testkit::transcripts::Tree;

/// What one core reads in a second, in MB (10^6 bytes), claims included; by CPU time, since neighbours slow the clock
/// on the wall and nobody makes a program use less of a processor than it does.
const MB_PER_S_MIN: f64 = 100.0;
/// Peak of resident memory.
const RSS_MB_MAX: f64 = 100.0;
const ROUNDS: u32 = 3;

/// Writes a tree: `cargo xtask transcripts --mb 100 OUT`.
pub(crate) fn generate(arguments: &[String]) -> anyhow::Result<bool> {
    let megabytes = crate::number(arguments, "--mb", 100)?;
    let skipped = |at: usize| at > 0 && arguments.get(at - 1).is_some_and(|it| it == "--mb");
    let mut paths = arguments.iter().enumerate().filter(|(at, it)| !it.starts_with("--") && !skipped(*at));
    let (_, out) = paths.next().context("name the folder to write to")?;
    let tree = Tree::write(Path::new(out), megabytes)?;
    crate::tell(&format!("{} sessions, {} files, {} bytes", tree.sessions, tree.files, tree.bytes));
    Ok(true)
}

/// Measures: `cargo xtask replay-bench [--mb N]`.
pub(crate) fn bench(arguments: &[String]) -> anyhow::Result<bool> {
    let megabytes = crate::number(arguments, "--mb", 100)?;
    if let Some(at) = arguments.iter().position(|it| it == "--measure") {
        let program = arguments.get(at + 1).context("`--measure` takes the program")?;
        return measure(Path::new(program), megabytes);
    }
    let program = crate::program(true)?;
    // Peak memory is known only over all children so far: measure in a process that had no compiler as child.
    let status = Command::new(std::env::current_exe()?)
        .args(["replay-bench", "--mb", &megabytes.to_string(), "--measure"])
        .arg(&program)
        .stdin(Stdio::null())
        .status()?;
    Ok(status.success())
}

fn measure(program: &Path, megabytes: u64) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    fs::create_dir(&home)?;
    let tree = Tree::write(&folder.path().join("projects"), megabytes)?;
    let size_mb = as_mb(tree.bytes);
    let mut best_mb_per_s: f64 = 0.0;
    for round in 1..=ROUNDS {
        let cpu_before_s = cpu_s()?;
        let start = Instant::now();
        let output = Command::new(program)
            .args(["replay", "--json", "--jobs", "1", "projects"])
            .current_dir(folder.path())
            .env_clear()
            .env("HOME", &home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .output()?;
        let (wall_s, used_s) = (start.elapsed().as_secs_f64(), cpu_s()? - cpu_before_s);
        ensure!(
            matches!(output.status.code(), Some(0 | 1)),
            "replay ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        let document: Value = serde_json::from_slice(&output.stdout).context("replay printed no JSON")?;
        let totals = &document["totals"];
        ensure!(
            totals["sessions"] == tree.sessions && totals["lines"]["bytes"] == tree.bytes,
            "replay did not read it all: {totals}"
        );
        let sum = |group: &str| -> u64 {
            totals[group].as_object().into_iter().flatten().filter_map(|(_, number)| number.as_u64()).sum()
        };
        ensure!(0 < sum("claims"), "replay judged nothing: {totals}");
        let mb_per_s = size_mb / used_s;
        best_mb_per_s = best_mb_per_s.max(mb_per_s);
        crate::tell(&format!(
            "round {round}: {size_mb:.0} MB in {wall_s:.2} s, {used_s:.2} s of one core: {mb_per_s:.0} MB/s; \
             {} turns, {} claims, {} findings",
            totals["turns"],
            sum("claims"),
            sum("findings"),
        ));
    }
    #[expect(clippy::cast_precision_loss, reason = "kilobytes of memory are far below 2^52")]
    let peak_mb = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() as f64 * 1_024.0 / 1e6;
    crate::tell(&format!(
        "best {best_mb_per_s:.0} MB/s (at least {MB_PER_S_MIN:.0}), peak memory {peak_mb:.0} MB (at most {RSS_MB_MAX:.0})"
    ));
    Ok(MB_PER_S_MIN <= best_mb_per_s && peak_mb <= RSS_MB_MAX)
}

/// CPU time of all children so far.
fn cpu_s() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    #[expect(clippy::cast_precision_loss, reason = "microseconds of minutes are far below 2^52")]
    Ok(us as f64 / 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files are far below 2^52")]
fn as_mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
