//! `cargo xtask review`: how well checks do on labelled files, by check.
//!
//! Only checks of ours are counted: what tools find depends on which are there. A finding is right when its check is
//! expected on that line or one beside it; a severity that differs is counted apart.

mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use hostler_policy::checks::{CHECKS, Finding, Settings, Severity, Source, kind, review};
use hostler_syntax::{Language, facts};
use serde_json::Value;

/// What every check must reach.
const F1_MIN: f64 = 0.95;
/// How far a line may be off.
const LINES_OFF_MAX: usize = 1;

/// One labelled file.
#[derive(Debug, Clone)]
struct Row {
    id: String,
    path: String,
    text: String,
    why: String,
    expected: Vec<Expected>,
    /// Checks that are not judged here.
    skipped: Vec<String>,
}

/// One label.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expected {
    check: String,
    severity: Severity,
    /// `None`: anywhere.
    line: Option<usize>,
}

/// How one check did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    hits: usize,
    alarms: usize,
    misses: usize,
    /// Right but for their severity.
    severities: usize,
}

impl Count {
    #[expect(clippy::cast_precision_loss, reason = "counts of findings")]
    fn f1(self) -> Option<f64> {
        let all = 2 * self.hits + self.alarms + self.misses;
        (all != 0).then(|| 2.0 * self.hits as f64 / all as f64)
    }
}

/// How all of them did on one file of rows.
#[derive(Debug, Default)]
struct Score {
    checks: BTreeMap<String, Count>,
    exact: usize,
    wrong: Vec<String>,
    /// Rows whose verdict differs: that an error is found where none is expected, or the reverse.
    verdicts: Vec<String>,
}

/// Runs the task: `true` when nothing is gated, or all holds.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let flag = |name: &str| arguments.iter().any(|it| it == name);
    if let [tree, folders @ ..] = arguments
        && tree == "--tree"
    {
        let folder = folders.first().context("name a folder of source files")?;
        return tree::run(Path::new(folder), folders.get(1).map(String::as_str));
    }
    let files: Vec<PathBuf> =
        arguments.iter().filter(|it| !it.starts_with("--")).map(PathBuf::from).collect();
    ensure!(!files.is_empty(), "name at least one file of labelled rows\n{}", crate::USAGE);
    let mut good = true;
    for file in &files {
        let rows = rows(file)?;
        let score = Score::of(&rows)?;
        show(file, &rows, &score);
        if flag("--misses") {
            score.wrong.iter().for_each(|line| crate::tell(line));
        }
        let low = score.checks.iter().filter(|(_, count)| count.f1().is_some_and(|it| it < F1_MIN));
        for (check, count) in low {
            good = false;
            crate::tell(&format!(
                "  missed: `{check}` {:.2}, at least {F1_MIN}",
                count.f1().unwrap_or_default()
            ));
        }
        for row in &score.verdicts {
            good = false;
            crate::tell(&format!("  missed: another verdict on {row}"));
        }
    }
    Ok(good || !flag("--gate"))
}

fn rows(file: &Path) -> anyhow::Result<Vec<Row>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("`{}` cannot be read", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let place = || format!("{} line {}", file.display(), at + 1);
            let value: Value = serde_json::from_str(line).with_context(place)?;
            row_of(&value).with_context(place)
        })
        .collect()
}

fn row_of(value: &Value) -> anyhow::Result<Row> {
    let text =
        |key: &str| value[key].as_str().map(str::to_owned).with_context(|| format!("`{key}` is a text"));
    let expected = value["expect"].as_array().context("`expect` is a list")?;
    let skipped = value["skip"].as_array().into_iter().flatten();
    Ok(Row {
        id: text("id")?,
        path: text("path")?,
        text: text("content")?,
        why: text("why")?,
        expected: expected.iter().map(expected_of).collect::<anyhow::Result<_>>()?,
        skipped: skipped.filter_map(|it| it.as_str().map(str::to_owned)).collect(),
    })
}

fn expected_of(value: &Value) -> anyhow::Result<Expected> {
    let severity = value["severity"].as_str().and_then(Severity::parse);
    Ok(Expected {
        check: value["check"].as_str().context("a label has a `check`")?.to_owned(),
        severity: severity.context("a label has a `severity`")?,
        line: value["line"].as_u64().and_then(|it| usize::try_from(it).ok()),
    })
}

/// What the checks find in `row`.
fn found_in(row: &Row) -> anyhow::Result<Vec<Finding>> {
    let language = Language::of(Path::new(&row.path));
    let facts = language.map(|it| facts(it, &row.text)).transpose()?;
    let kind = kind(&row.path, &row.text, facts.as_ref());
    let source = Source { path: &row.path, text: &row.text, language, facts: facts.as_ref(), kind };
    let mut found = review(&source, &Settings::default());
    // A parser may tell of one mistake in many places.
    let mut syntax = false;
    found.retain(|it| it.check != "syntax" || !std::mem::replace(&mut syntax, true));
    Ok(found)
}

impl Score {
    fn of(rows: &[Row]) -> anyhow::Result<Self> {
        let mut score = Self::default();
        for row in rows {
            let counted = |check: &str| {
                CHECKS.iter().any(|it| it.id == check) && !row.skipped.iter().any(|it| it == check)
            };
            let expected: Vec<Expected> =
                row.expected.iter().filter(|it| counted(&it.check)).cloned().collect();
            let mut found = found_in(row)?;
            found.retain(|it| counted(&it.check));
            score.add(row, &expected, found);
        }
        Ok(score)
    }

    fn add(&mut self, row: &Row, expected: &[Expected], found: Vec<Finding>) {
        let blocks = |mut severities: Box<dyn Iterator<Item = Severity> + '_>| {
            severities.any(|it| it == Severity::Error)
        };
        let wanted = blocks(Box::new(expected.iter().map(|it| it.severity)));
        if wanted != blocks(Box::new(found.iter().map(|it| it.severity))) {
            self.verdicts.push(row.id.clone());
        }
        let mut left = found;
        let mut problems = Vec::new();
        for label in expected {
            let off = |it: &Finding| label.line.map_or(0, |line| it.line.abs_diff(line));
            let best = left
                .iter()
                .enumerate()
                .filter(|(_, it)| {
                    it.check == label.check && (off(it) <= LINES_OFF_MAX || it.check == "syntax")
                })
                .min_by_key(|(_, it)| (it.severity != label.severity, off(it)))
                .map(|(at, _)| at);
            let count = self.checks.entry(label.check.clone()).or_default();
            let Some(at) = best else {
                count.misses += 1;
                problems.push(format!("missed {} at {:?}", label.check, label.line));
                continue;
            };
            count.hits += 1;
            if left.remove(at).severity != label.severity {
                count.severities += 1;
                problems.push(format!("severity of {}", label.check));
            }
        }
        for alarm in left {
            self.checks.entry(alarm.check.clone()).or_default().alarms += 1;
            problems.push(format!("alarm {} at {}: {}", alarm.check, alarm.line, alarm.message));
        }
        if problems.is_empty() {
            self.exact += 1;
        } else {
            self.wrong.push(format!("  {} ({}): {}", row.id, row.why, problems.join("; ")));
        }
    }
}

fn show(file: &Path, rows: &[Row], score: &Score) {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    crate::tell(&format!("{name}: {} files, {} exact", rows.len(), score.exact));
    crate::tell("  check                right alarms missed severity   F1");
    let mut all = Count::default();
    for (check, count) in &score.checks {
        let Count { hits, alarms, misses, severities } = *count;
        let f1 = count.f1().map_or("  - ".to_owned(), |it| format!("{it:.2}"));
        crate::tell(&format!("  {check:20} {hits:5} {alarms:6} {misses:6} {severities:8} {f1:>4}"));
        all.hits += hits;
        all.alarms += alarms;
        all.misses += misses;
    }
    crate::tell(&format!("  all together {:.3}", all.f1().unwrap_or(1.0)));
}

#[cfg(test)]
mod tests;
