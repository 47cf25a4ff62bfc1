//! `cargo xtask rag sides`: both programs on one tree, step by step in turn, so that they see the same machine.
//!
//! The tree is copied first, since files in it are changed. `--baseline FILE` keeps what the source's server took: where the
//! file is there, that server is not run. A full index of a large tree takes it minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Options;
use super::contender::{Contender, Session};
use super::score::at;

/// Files that are changed at once, the largest of them, and how far apart they are in the order of paths.
const CHANGED: usize = 10;
const CHANGED_BYTES_MAX: u64 = 40_000;
const CHANGED_EVERY: usize = 37;
/// A busy neighbour inflates a time; the best round counts.
const ROUNDS_MAX: u32 = 3;
/// Limits that hold whatever the source takes.
const RSS_MB_MAX: f64 = 200.0;
const TOOL_MS_MAX: f64 = 10.0;

/// What agents ask: words, names, sentences, a name with an underscore.
const QUERIES: &[&str] = &[
    "convert a date in an http header to a timestamp",
    "apply pending database migrations",
    "retry a request with growing delays",
    "QuerySet",
    "cache of compiled regular expressions",
    "is this a valid email address",
    "render a template to a string",
    "extract members of a zip archive",
    "simplify an expression with sine and cosine",
    "upgrade a connection to a websocket",
    "get_or_create",
    "follow symbolic links of a path",
    "projection matrix of a camera",
    "debounceTime",
    "authenticate a user by name and password",
    "escape special characters in html",
    "import a plugin by its dotted name",
    "stable sort of a list",
    "order nodes of a graph so that edges point forward",
    "why does a cookie of a session expire",
];

/// What is measured, in the order of the table.
const STEPS: &[Step] = &[
    Step { name: "full index", unit: "ms", share: Some(1.0 / 5.0), max: None },
    Step { name: "index, nothing changed", unit: "ms", share: Some(1.0 / 5.0), max: None },
    Step { name: "index, ten files changed", unit: "ms", share: Some(1.0 / 20.0), max: None },
    Step { name: "status", unit: "ms", share: None, max: None },
    Step { name: "query, command line, p50", unit: "ms", share: Some(1.0 / 10.0), max: None },
    Step { name: "query, command line, p95", unit: "ms", share: None, max: None },
    Step { name: "query, command line, max", unit: "ms", share: None, max: None },
    Step { name: "query, MCP, p50", unit: "ms", share: Some(1.0 / 10.0), max: Some(TOOL_MS_MAX) },
    Step { name: "query, MCP, p95", unit: "ms", share: None, max: None },
    Step { name: "query, MCP, max", unit: "ms", share: None, max: None },
    Step { name: "memory of the index", unit: "MB", share: None, max: Some(RSS_MB_MAX) },
    Step { name: "memory of the server", unit: "MB", share: None, max: Some(RSS_MB_MAX) },
    Step { name: "database", unit: "MB", share: Some(1.0), max: None },
];

/// One line of the table, and what ours may take: a share of the source's, and at most so much.
struct Step {
    name: &'static str,
    unit: &'static str,
    share: Option<f64>,
    max: Option<f64>,
}

/// What one side took, each sample of each step but for what is said once.
#[derive(Default)]
struct Side {
    full_ms: Vec<f64>,
    idle_ms: Vec<f64>,
    changed_ms: Vec<f64>,
    status_ms: Vec<f64>,
    command_ms: Vec<f64>,
    tool_ms: Vec<f64>,
    index_rss_mb: f64,
    server_rss_mb: f64,
    database_mb: f64,
}

/// Runs the task: `true` when ours keeps every limit.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let tree = options.needed("--tree")?.canonicalize().context("`--tree` names no folder")?;
    let rounds = options.number("--rounds", 3)?.max(1);
    let queries = match options.path("--queries") {
        Some(file) => fs::read_to_string(file)?.lines().map(str::to_owned).collect(),
        None => QUERIES.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(),
    };
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("tree");
    ensure!(Command::new("cp").arg("-r").arg(&tree).arg(&copy).status()?.success(), "`cp` failed");
    let bench = Bench { changed: changed(&copy)?, tree: copy, queries, rounds };
    let ours = options.ours(folder.path())?;
    let source = options.source(folder.path())?;
    let kept = options.path("--baseline");
    let known = kept.as_ref().filter(|it| it.is_file()).map(|it| baseline(it)).transpose()?;
    ensure!(known.is_some() || source.is_some(), "neither `--source` nor a `--baseline` that is there");
    let source = source.filter(|_| known.is_none());
    tell_load()?;
    for round in 1..=ROUNDS_MAX {
        let (own, others) = bench.measure(&ours, source.as_ref())?;
        let theirs = match (&known, others) {
            (Some(known), _) => known.clone(),
            (None, others) => others.context("the source was measured")?.figures(),
        };
        if let Some(file) = kept.as_ref().filter(|_| known.is_none()) {
            fs::write(file, format!("{}\n", json!(theirs)))?;
        }
        if table(&own.figures(), &theirs) {
            return Ok(true);
        }
        crate::tell(&format!("round {round} of at most {ROUNDS_MAX} missed a limit"));
    }
    Ok(false)
}

/// How busy the machine is: a figure is read with it.
fn tell_load() -> anyhow::Result<()> {
    let load = fs::read_to_string("/proc/loadavg")?;
    crate::tell(&format!(
        "load of the last minutes: {}",
        load.split(' ').take(3).collect::<Vec<_>>().join(" ")
    ));
    Ok(())
}

fn baseline(file: &Path) -> anyhow::Result<Vec<f64>> {
    let value: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let figures: Vec<f64> = value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    ensure!(figures.len() == STEPS.len(), "`{}` is no baseline of this version", file.display());
    Ok(figures)
}

/// Source files of moderate size, spread over the tree.
fn changed(tree: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![tree.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && path.extension().is_some_and(|it| it == "py")
                && entry.metadata()?.len() < CHANGED_BYTES_MAX
            {
                files.push(path);
            }
        }
    }
    files.sort();
    let files: Vec<PathBuf> = files.into_iter().skip(4).step_by(CHANGED_EVERY).take(CHANGED).collect();
    ensure!(files.len() == CHANGED, "the tree has too few Python files to change {CHANGED} of them");
    Ok(files)
}

struct Bench {
    tree: PathBuf,
    changed: Vec<PathBuf>,
    queries: Vec<String>,
    rounds: u64,
}

impl Bench {
    /// Both sides, ours and the source's where it is given, after each other in every step.
    fn measure(&self, ours: &Contender, source: Option<&Contender>) -> anyhow::Result<(Side, Option<Side>)> {
        let mut sides: Vec<(&Contender, Side)> =
            source.into_iter().chain([ours]).map(|it| (it, Side::default())).collect();
        for (contender, side) in &mut sides {
            contender.forget()?;
            let cost = contender.index(&self.tree)?;
            crate::tell(&format!(
                "{}: {} ({:.1} s of CPU)",
                contender.name,
                cost.stdout.lines().next().unwrap_or_default(),
                cost.cpu_ms / 1e3
            ));
            side.full_ms.push(cost.wall_ms);
            side.index_rss_mb = cost.rss_mb;
            side.database_mb = contender.size_mb()?;
        }
        for _ in 0..self.rounds {
            for (contender, side) in &mut sides {
                side.idle_ms.push(contender.index(&self.tree)?.wall_ms);
            }
            self.change(&mut sides)?;
            for (contender, side) in &mut sides {
                side.status_ms.push(contender.run(&["status"])?.wall_ms);
            }
        }
        self.ask(&mut sides)?;
        let mut sides: Vec<Side> = sides.into_iter().map(|(_, side)| side).collect();
        let own = sides.pop().context("ours was measured")?;
        Ok((own, sides.pop()))
    }

    /// Changes the files and changes them back, an index after each.
    fn change(&self, sides: &mut [(&Contender, Side)]) -> anyhow::Result<()> {
        let texts = self.changed.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
        for mark in [&b"# touched\n"[..], b""] {
            for (path, text) in self.changed.iter().zip(&texts) {
                fs::write(path, [text.as_slice(), mark].concat())?;
            }
            for (contender, side) in &mut *sides {
                let cost = contender.index(&self.tree)?;
                ensure!(
                    cost.stdout.contains(&format!("rechunked={CHANGED} ")),
                    "{}: {CHANGED} files changed: {}",
                    contender.name,
                    cost.stdout
                );
                side.changed_ms.push(cost.wall_ms);
            }
        }
        Ok(())
    }

    fn ask(&self, sides: &mut [(&Contender, Side)]) -> anyhow::Result<()> {
        let mut sessions =
            sides.iter().map(|(contender, _)| contender.serve()).collect::<anyhow::Result<Vec<Session>>>()?;
        for _ in 0..self.rounds {
            for query in &self.queries {
                for ((contender, side), session) in sides.iter_mut().zip(&mut sessions) {
                    side.command_ms.push(contender.run(&["search", query])?.wall_ms);
                    side.tool_ms.push(session.search(query, 8)?.1);
                }
            }
        }
        for ((_, side), session) in sides.iter_mut().zip(sessions) {
            side.server_rss_mb = session.rss_mb()?;
            session.close()?;
        }
        Ok(())
    }
}

impl Side {
    /// In the order of [`STEPS`].
    fn figures(&self) -> Vec<f64> {
        let middle = |samples: &[f64]| at(samples, 0.5);
        vec![
            middle(&self.full_ms),
            middle(&self.idle_ms),
            middle(&self.changed_ms),
            middle(&self.status_ms),
            middle(&self.command_ms),
            at(&self.command_ms, 0.95),
            at(&self.command_ms, 1.0),
            middle(&self.tool_ms),
            at(&self.tool_ms, 0.95),
            at(&self.tool_ms, 1.0),
            self.index_rss_mb,
            self.server_rss_mb,
            self.database_mb,
        ]
    }
}

/// Tells both sides and whether ours keeps its limits.
fn table(ours: &[f64], theirs: &[f64]) -> bool {
    crate::tell("| step | source | hostler | ratio | limit | |");
    crate::tell("| --- | ---: | ---: | ---: | ---: | --- |");
    let mut holds = true;
    for ((step, own), other) in STEPS.iter().zip(ours).zip(theirs) {
        let limits = [step.share.map(|it| it * other), step.max];
        let limit = limits.into_iter().flatten().min_by(f64::total_cmp);
        let kept = limit.is_none_or(|it| *own <= it);
        holds &= kept;
        crate::tell(&format!(
            "| {} | {other:.1} {unit} | {own:.1} {unit} | 1/{:.1} | {} | {} |",
            step.name,
            other / own,
            limit.map(|it| format!("{it:.1} {}", step.unit)).unwrap_or_default(),
            if kept { "" } else { "missed" },
            unit = step.unit,
        ));
    }
    holds
}
