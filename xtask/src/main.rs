//! What cargo cannot do: `cargo xtask latency`, `cargo xtask fuzz`.

mod fuzz;
mod latency;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask latency [--calls N]
       cargo xtask fuzz [--seconds N] [--seed N] [TARGET...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((task, rest)) if task == "latency" => latency::run(rest),
        Some((task, rest)) if task == "fuzz" => fuzz::run(rest),
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
