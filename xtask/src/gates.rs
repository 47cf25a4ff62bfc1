//! `cargo xtask gates`: what a review costs, whole process, next to the chain of tools that it takes the place of.
//!
//! All of them run interleaved on the same file, so that they see the same machine. `--tools FOLDER` names where `ruff`,
//! `black`, `isort`, `flake8` and `mypy` are; without it the `PATH` counts, and what is missing is not compared.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Medians, in milliseconds.
const IN_PROCESS_MS_MAX: f64 = 50.0;
const WITH_RUFF_MS_MAX: f64 = 150.0;
const STOP_MS_MAX: f64 = 500.0;
/// A busy neighbour inflates a median; the best round counts.
const ROUNDS_MAX: u32 = 3;
/// Lines of the reviewed file, and changed files at the end of a turn.
const LINES: usize = 200;
const FILES: usize = 30;

/// The chain of the source documents, program first; `{file}` is the file's path and `{module}` its name.
const CHAIN: &[&[&str]] = &[
    &["python3", "-m", "py_compile", "{file}"],
    &["black", "--check", "--quiet", "{file}"],
    &["isort", "--check", "--quiet", "--profile", "black", "{file}"],
    &["flake8", "--select=E,F,W,C90", "--max-line-length=88", "{file}"],
    &["mypy", "--no-error-summary", "{file}"],
    &["python3", "-c", "import {module}"],
];

struct Bench {
    folder: tempfile::TempDir,
    program: PathBuf,
    path: OsString,
}

/// Runs the task: `true` when every budget holds.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let rounds = crate::number(arguments, "--rounds", 20)?;
    let tools = arguments.iter().position(|it| it == "--tools").and_then(|at| arguments.get(at + 1));
    let bench = Bench::new(crate::program(true)?, tools.map(Path::new))?;
    for round in 1..=ROUNDS_MAX {
        if bench.measure(usize::try_from(rounds)?)? {
            return Ok(true);
        }
        crate::tell(&format!("round {round} of at most {ROUNDS_MAX} missed a ceiling"));
    }
    Ok(false)
}

impl Bench {
    fn new(program: PathBuf, tools: Option<&Path>) -> anyhow::Result<Self> {
        let mut path = tools.map(|it| it.as_os_str().to_owned()).unwrap_or_default();
        if !path.is_empty() {
            path.push(":");
        }
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let bench = Self { folder: tempfile::tempdir()?, program, path };
        for (name, ruff, imports) in
            [("bare", false, false), ("linted", true, false), ("typed", true, true), ("stop", true, false)]
        {
            let root = bench.project(name);
            fs::create_dir_all(root.join(".hostler"))?;
            let config = format!(
                "[gates]\nimports = {imports}\n[gates.tools]\nmypy = \"off\"\npytest = \"off\"\nblack = \"off\"\nisort = \"off\"\nflake8 = \"off\"\n{}",
                if ruff { "" } else { "ruff = \"off\"\n" }
            );
            fs::write(root.join(".hostler/config.toml"), config)?;
            fs::write(root.join("orders.py"), module(LINES))?;
        }
        let stop = bench.project("stop");
        for arguments in [&["init", "--quiet"][..], &["add", "--all"]] {
            ensure!(bench.command("git", &stop).args(arguments).status()?.success(), "`git` failed");
        }
        for at in 0..FILES {
            fs::write(stop.join(format!("changed_{at}.py")), module(LINES))?;
        }
        Ok(bench)
    }

    fn project(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env("PATH", &self.path).env("HOME", self.folder.path());
        command.env("PYTHONDONTWRITEBYTECODE", "1").stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// One call of ours: how long it took, and whether everything it was to run did.
    fn ours(&self, project: &str, arguments: &[&str], tool: Option<&str>) -> anyhow::Result<f64> {
        let mut command =
            self.command(self.program.to_str().context("a path in UTF-8")?, &self.project(project));
        command.arg("--json").args(arguments);
        let start = Instant::now();
        let output = command.output()?;
        let took_ms = start.elapsed().as_secs_f64() * 1_000.0;
        let document: Value = serde_json::from_slice(&output.stdout).context("no document")?;
        ensure!(document["verdict"] == "pass", "the sample is not clean: {document}");
        if let Some(tool) = tool {
            let ran = document["runs"].as_array().into_iter().flatten();
            let ran: Vec<_> = ran.filter(|run| run["tool"] == tool).map(|run| &run["outcome"]).collect();
            ensure!(
                !ran.is_empty() && ran.iter().all(|it| **it != "not_run"),
                "{tool} did not run: {document}"
            );
        }
        Ok(took_ms)
    }

    /// The chain, one tool after the other; `None` when one of them is missing.
    fn chain(&self) -> anyhow::Result<Option<f64>> {
        let folder = self.project("bare");
        let start = Instant::now();
        for words in CHAIN {
            let words: Vec<String> = words
                .iter()
                .map(|word| word.replace("{file}", "orders.py").replace("{module}", "orders"))
                .collect();
            let Some((program, rest)) = words.split_first() else { continue };
            match self.command(program, &folder).args(rest).stdout(Stdio::null()).status() {
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(start.elapsed().as_secs_f64() * 1_000.0))
    }

    fn measure(&self, rounds: usize) -> anyhow::Result<bool> {
        let ruff =
            self.command("ruff", self.folder.path()).arg("--version").stdout(Stdio::null()).status().is_ok();
        let (mut bare, mut linted, mut typed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut stop, mut chain) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            bare.push(self.ours("bare", &["review", "--whole", "orders.py"], None)?);
            if ruff {
                linted.push(self.ours("linted", &["review", "--whole", "orders.py"], Some("ruff check"))?);
                typed.push(self.ours("typed", &["review", "--whole", "orders.py"], Some("import"))?);
                stop.push(self.ours("stop", &["gate", "--all"], Some("ruff check"))?);
            } else {
                stop.push(self.ours("stop", &["gate", "--all"], None)?);
            }
            chain.extend(self.chain()?);
        }
        crate::tell("| what | median ms | slowest ms | ceiling ms |");
        crate::tell("| --- | ---: | ---: | ---: |");
        let one = format!("review of {LINES} lines, in process");
        let with = format!("review of {LINES} lines, with ruff");
        let whole = format!("review of {LINES} lines, with ruff and an import of it");
        let many = format!("end of a turn, {FILES} changed files{}", if ruff { ", with ruff" } else { "" });
        let mut holds = true;
        for (name, samples, ceiling_ms) in [
            (one.as_str(), &bare, Some(IN_PROCESS_MS_MAX)),
            (with.as_str(), &linted, Some(WITH_RUFF_MS_MAX)),
            (whole.as_str(), &typed, Some(WITH_RUFF_MS_MAX)),
            (many.as_str(), &stop, Some(STOP_MS_MAX)),
            ("py_compile, black, isort, flake8, mypy, import", &chain, None),
        ] {
            let Some((median, slowest)) = summary(samples) else {
                crate::tell(&format!("| {name} | not here | | |"));
                continue;
            };
            let ceiling = ceiling_ms.map(|it| format!("{it:.0}")).unwrap_or_default();
            crate::tell(&format!("| {name} | {median:.1} | {slowest:.1} | {ceiling} |"));
            holds &= ceiling_ms.is_none_or(|it| median <= it);
        }
        Ok(holds)
    }
}

fn summary(samples: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((*sorted.get(sorted.len() / 2)?, *sorted.last()?))
}

/// A clean module of about so many lines, laid out as formatters want it.
fn module(lines: usize) -> String {
    let mut out = "\"\"\"Orders of a shop.\"\"\"\n\nimport logging\n\nlogger = logging.getLogger(__name__)\n"
        .to_owned();
    let mut at = 0;
    while out.lines().count() + 12 < lines {
        at += 1;
        // Writing to a `String` cannot fail.
        let _ = write!(
            out,
            "\n\ndef total_{at}(prices: list[int], discount: int = 0) -> int:\n    \"\"\"Adds up the prices.\"\"\"\n    \
             total = 0\n    for price in prices:\n        if price < 0:\n            logger.warning(\"a price below zero: %s\", \
             price)\n            continue\n        total += price\n    return total - discount\n"
        );
    }
    out
}
