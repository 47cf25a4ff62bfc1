//! `cargo xtask review --tree FOLDER`: what the checks find in real code, and whether edits that change nothing give
//! anything new. Anything new there is a fault of ours.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hostler_policy::checks::{Finding, Kind, Settings, Severity, Source, fresh, kind, review};
use hostler_syntax::{Facts, Language, facts};

/// A file with what was found in it.
struct Reviewed {
    path: String,
    text: String,
    language: Language,
    facts: Facts,
    kind: Kind,
    findings: Vec<Finding>,
}

impl Reviewed {
    fn new(path: &str, text: String, language: Language) -> Option<Self> {
        let facts = facts(language, &text).ok()?;
        let kind = kind(path, &text, Some(&facts));
        let mut out = Self { path: path.to_owned(), text, language, facts, kind, findings: Vec::new() };
        out.findings = review(&out.source(), &Settings::default());
        Some(out)
    }

    fn source(&self) -> Source<'_> {
        Source {
            path: &self.path,
            text: &self.text,
            language: Some(self.language),
            facts: Some(&self.facts),
            kind: self.kind,
        }
    }
}

/// What was seen of one tree.
#[derive(Debug, Default)]
struct Seen {
    files: usize,
    bytes: usize,
    times: Vec<Duration>,
    /// Findings by check and severity, and files with any.
    counts: BTreeMap<(String, Severity), usize>,
    new: Vec<String>,
    blocking: usize,
}

/// Goes through `folder`: `true` when no edit that changes nothing gave anything new.
pub(super) fn run(folder: &Path, shown: Option<&str>) -> anyhow::Result<bool> {
    let mut seen = Seen::default();
    let mut files: Vec<PathBuf> = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    for file in &files {
        let Some(language) = Language::of(file) else { continue };
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let path = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned();
        seen.look_at(&path, text, language, shown);
    }
    seen.show(folder);
    Ok(seen.new.is_empty())
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), out)?;
        } else if kind.is_file() {
            out.push(entry.path());
        }
    }
    Ok(())
}

impl Seen {
    fn look_at(&mut self, path: &str, text: String, language: Language, shown: Option<&str>) {
        self.bytes += text.len();
        let began = Instant::now();
        let Some(before) = Reviewed::new(path, text, language) else { return };
        self.times.push(began.elapsed());
        self.files += 1;
        self.blocking += usize::from(before.findings.iter().any(|it| it.severity == Severity::Error));
        for finding in &before.findings {
            *self.counts.entry((finding.check.clone(), finding.severity)).or_default() += 1;
            if shown == Some(finding.check.as_str()) {
                crate::tell(&format!("{path}:{}: {}", finding.line, finding.message));
            }
        }
        for (name, text) in harmless(&before) {
            let Some(after) = Reviewed::new(path, text, language) else { continue };
            let new =
                fresh(Some((&before.source(), &before.findings)), (&after.source(), after.findings.clone()));
            for finding in &new {
                self.new
                    .push(format!("{path}:{}: {name}: {}: {}", finding.line, finding.check, finding.message));
            }
        }
    }

    fn show(&mut self, folder: &Path) {
        self.times.sort();
        let at = |share: usize| self.times.get(self.times.len() * share / 100).copied().unwrap_or_default();
        crate::tell(&format!(
            "{}: {} files, {} KiB, {} with an error; reading and judging one: median {:?}, 95 % {:?}, most {:?}",
            folder.display(),
            self.files,
            self.bytes / 1024,
            self.blocking,
            at(50),
            at(95),
            self.times.last().copied().unwrap_or_default(),
        ));
        for ((check, severity), count) in &self.counts {
            crate::tell(&format!("  {check:20} {:5} {count}", severity.name()));
        }
        crate::tell(&format!("  new after edits that change nothing: {}", self.new.len()));
        self.new.iter().take(40).for_each(|it| crate::tell(&format!("    {it}")));
    }
}

/// Edits that change nothing that anybody could mind.
fn harmless(file: &Reviewed) -> Vec<(&'static str, String)> {
    let mark = match file.language {
        Language::Python | Language::Ruby | Language::Bash => "#",
        _ => "//",
    };
    let remark = format!("{mark} a remark\n");
    let lines: Vec<&str> = file.text.split_inclusive('\n').collect();
    // The first lines may mean something: `#!`, `<?php`, a mark of generated files.
    let mut out = vec![("a remark at the end", format!("{}\n{remark}", file.text.trim_end()))];
    let functions = &file.facts.functions;
    if let Some(middle) = functions.get(functions.len() / 2) {
        let at = middle.first_line.saturating_sub(1);
        let blank = lines.get(at).map_or("", |it| &it[..it.len() - it.trim_start().len()]);
        let (above, below) = lines.split_at(at.min(lines.len()));
        out.push(("a remark above a function", [&above.concat(), blank, &remark, &below.concat()].concat()));
    }
    let blanks = |line: &&str| {
        // Nothing may stand behind what joins two lines.
        if line.trim_end().ends_with('\\') { (*line).to_owned() } else { line.replace('\n', " \n") }
    };
    out.push(("blanks at the ends of lines", lines.iter().map(blanks).collect()));
    out
}
