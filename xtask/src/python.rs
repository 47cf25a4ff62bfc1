//! `cargo xtask python`: our facts of Python beside those who decide. Syntax errors against the compiler of the
//! `python3` on the path, for real files and for copies of them with a token changed; complexity against ruff.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use hostler_syntax::{Language, facts, faults};
use serde_json::Value;

const JUDGE: &str = include_str!("python.py");
/// Larger files are generated ones.
const FILE_BYTES_MAX: u64 = 400_000;
/// Differences that are shown.
const SHOWN_MAX: usize = 20;

/// Compares: `cargo xtask python [--rounds N] [--seed N] FOLDER...`. `true` when nothing differs.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let rounds = crate::number(arguments, "--rounds", 5_000)?;
    let seed = crate::number(arguments, "--seed", 1)?;
    let mut files = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument.starts_with("--") {
            rest.next();
        } else {
            collect(Path::new(argument), &mut files)?;
        }
    }
    ensure!(!files.is_empty(), "no Python files: name folders with some");
    files.sort();
    let syntax = compare_syntax(&files, rounds, seed)?;
    let complexity = compare_complexity(&files)?;
    Ok(syntax && complexity)
}

fn collect(path: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), out)?;
        }
    } else if path.extension().is_some_and(|it| it == "py") && fs::metadata(path)?.len() <= FILE_BYTES_MAX {
        out.push(fs::canonicalize(path)?);
    }
    Ok(())
}

fn compare_syntax(files: &[PathBuf], rounds: u64, seed: u64) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir()?;
    let mut judge = Command::new("python3")
        .args(["-c", JUDGE, &rounds.to_string(), &seed.to_string()])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("`python3` decides and is missing")?;
    let mut stdin = judge.stdin.take().context("a pipe to `python3`")?;
    for file in files {
        writeln!(stdin, "{}", file.display())?;
    }
    drop(stdin);
    let output = judge.wait_with_output()?;
    ensure!(output.status.success(), "`python3` failed");
    let (mut same, mut differs, mut refused, mut same_line) = (0_u64, 0_usize, 0_u64, 0_u64);
    for line in String::from_utf8(output.stdout)?.lines() {
        let verdict: Value = serde_json::from_str(line)?;
        let path = verdict["path"].as_str().context("a path")?;
        let text = fs::read_to_string(path)?;
        // What is beyond our budgets is not judged.
        let Ok(ours) = faults(Language::Python, &text) else { continue };
        if ours.is_empty() == verdict["line"].is_null() {
            same += 1;
            refused += u64::from(!ours.is_empty());
            let first = ours.first().map(|it| it.line as u64);
            same_line += u64::from(first.is_some() && first == verdict["line"].as_u64());
            continue;
        }
        differs += 1;
        if differs <= SHOWN_MAX {
            let said = ours.first().map_or("nothing".to_owned(), |it| format!("{}: {}", it.line, it.message));
            crate::tell(&format!("  {path}: the compiler says {}, we say {said}", verdict["line"]));
        }
    }
    crate::tell(&format!(
        "syntax: {same} verdicts as the compiler's, {differs} others; of {refused} refusals {same_line} in its line"
    ));
    Ok(differs == 0)
}

fn compare_complexity(files: &[PathBuf]) -> anyhow::Result<bool> {
    let ruff = std::env::var("HOSTLER_RUFF").unwrap_or_else(|_| "ruff".to_owned());
    let output = Command::new(&ruff)
        .args(["check", "--isolated", "--no-cache", "--ignore-noqa", "--select", "C901"])
        .args(["--config", "lint.mccabe.max-complexity=0", "--output-format", "json"])
        .args(files)
        .stderr(Stdio::null())
        .output();
    let Ok(output) = output else {
        crate::tell(&format!("complexity: skipped, `{ruff}` is missing (HOSTLER_RUFF names another)"));
        return Ok(std::env::var_os("HOSTLER_REQUIRE_ALL").is_none());
    };
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).context("the output of ruff")?;
    let mut expected: BTreeMap<PathBuf, Vec<(u64, String)>> = BTreeMap::new();
    for finding in findings.iter().filter(|it| it["code"] == "C901") {
        let path = PathBuf::from(finding["filename"].as_str().unwrap_or_default());
        let line = finding["location"]["row"].as_u64().unwrap_or_default();
        expected
            .entry(path)
            .or_default()
            .push((line, finding["message"].as_str().unwrap_or_default().to_owned()));
    }
    let (mut same, mut differs) = (0_u64, 0_usize);
    for (path, functions) in &expected {
        let Ok(read) = facts(Language::Python, &fs::read_to_string(path)?) else { continue };
        for (line, message) in functions {
            let is_same = read.functions.iter().any(|it| {
                it.line as u64 == *line
                    && *message == format!("`{}` is too complex ({} > 0)", it.name, it.complexity)
            });
            same += u64::from(is_same);
            differs += usize::from(!is_same);
            if !is_same && differs <= SHOWN_MAX {
                crate::tell(&format!("  {}:{line}: ruff says {message}", path.display()));
            }
        }
    }
    crate::tell(&format!("complexity: {same} functions as ruff has them, {differs} otherwise"));
    Ok(differs == 0)
}
