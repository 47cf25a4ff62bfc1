//! What cargo cannot do: gates, measurements and fuzzing; [`USAGE`] lists them.

mod claims;
mod fuzz;
mod gates;
mod latency;
mod python;
mod rag;
mod released;
mod review;
mod sessions;
mod trace;
mod transcripts;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

const USAGE: &str = "usage: cargo xtask latency [--calls N]
       cargo xtask claims [--gate] [--misses] [--release] FILE...
       cargo xtask review [--gate] [--misses] FILE...
       cargo xtask review --tree FOLDER [CHECK]
       cargo xtask released LANGUAGE [--files N] [--seed N] [--rounds N] [--program FILE] FOLDER...
       cargo xtask gates [--rounds N] [--tools FOLDER]
       cargo xtask fuzz [--seconds N] [--seed N] [--at-once N] [--files FOLDER] [TARGET | syntax:EXTENSION]...
       cargo xtask python [--rounds N] [--seed N] FOLDER...
       cargo xtask rag sides|quality|commits|parallel|million …
       cargo xtask sessions [--rounds N]
       cargo xtask replay-bench [--mb N]
       cargo xtask trace-bench [--files N]
       cargo xtask transcripts [--mb N] FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((task, rest)) if task == "latency" => latency::run(rest),
        Some((task, rest)) if task == "claims" => claims::run(rest),
        Some((task, rest)) if task == "rag" => rag::run(rest),
        Some((task, rest)) if task == "released" => released::run(rest),
        Some((task, rest)) if task == "review" => review::run(rest),
        Some((task, rest)) if task == "fuzz" => fuzz::run(rest),
        Some((task, rest)) if task == "gates" => gates::run(rest),
        Some((task, rest)) if task == "python" => python::run(rest),
        Some((task, rest)) if task == "sessions" => sessions::run(rest),
        Some((task, rest)) if task == "trace-bench" => trace::bench(rest),
        Some((task, rest)) if task == "replay-bench" => transcripts::bench(rest),
        Some((task, rest)) if task == "transcripts" => transcripts::generate(rest),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            tell(&format!("error: {error:#}"));
            ExitCode::from(3)
        }
    }
}

/// The repository's top folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Builds the binary and returns its path; `release`: as users get it.
fn program(release: bool) -> anyhow::Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["build", "--quiet", "--package", "hostler", "--message-format=json"])
        .args(release.then_some("--release"))
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "`cargo build` failed");
    let text = String::from_utf8(output.stdout)?;
    let built = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|it| it["target"]["name"] == "hostler")
        .find_map(|it| it["executable"].as_str().map(PathBuf::from));
    built.context("cargo named no executable")
}

/// The number after `name`, or `fallback`.
fn number(arguments: &[String], name: &str, fallback: u64) -> anyhow::Result<u64> {
    let Some(at) = arguments.iter().position(|it| it == name) else { return Ok(fallback) };
    let value = arguments.get(at + 1).map(String::as_str).unwrap_or_default();
    value.parse().map_err(|_| anyhow::anyhow!("`{name}` takes a number, not `{value}`\n{USAGE}"))
}

/// Prints one line of the report.
#[expect(clippy::print_stdout, reason = "a report is what a task is run for")]
fn tell(line: &str) {
    println!("{line}");
}
