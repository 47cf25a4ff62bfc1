//! `hostler audit verify`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::journal::{self, Report};
use hostler_ledger::redact;
use hostler_ledger::signature::Public;
use serde_json::{Value, json};

use super::project_state;
use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;

/// A journal can be archived between the look at the folder and the look at the file this often.
const ATTEMPTS_MAX: u32 = 3;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Journals, or folders with `sessions/` and `archive/`; by default all of the current project
    paths: Vec<PathBuf>,
    /// Trust signatures by this public key too: a PEM file or 64 hexadecimal digits (see `hostler audit key`)
    #[arg(long, value_name = "FILE|HEX")]
    key: Vec<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let keys = Known::of(&args.key)?;
    let mut reports = journal::verify_all(&files(&args.paths)?);
    for _ in 1..ATTEMPTS_MAX {
        if reports.iter().all(|report| report.bad.is_none() || report.path.exists()) {
            break;
        }
        reports = journal::verify_all(&files(&args.paths)?);
    }
    if json {
        output::json::print(&document(&reports, &keys))?;
    } else {
        tell(&reports, &keys)?;
    }
    Ok(reports.iter().map(exit).max_by_key(|exit| *exit as u8).unwrap_or(Exit::Ok))
}

fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    if paths.is_empty() {
        // A project that nothing happened in yet has no folder, and no journals.
        return Ok(journal::files(&project_state()?)?);
    }
    let mut files = Vec::new();
    for path in paths {
        // As the notes beside a journal name it.
        let path = std::path::absolute(path).with_context(|| format!("`{}` is no path", path.display()))?;
        if path.is_dir() {
            files.extend(journal::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Whose signatures are trusted.
struct Known {
    /// The user's own key; `None` when there is none yet.
    local: Option<Public>,
    given: Vec<Public>,
}

impl Known {
    fn of(given: &[String]) -> anyhow::Result<Self> {
        // The public half alone is not believed: whoever replaces it would be the one to trust.
        let local = Dirs::from_env()?.keys().load().unwrap_or_else(|error| {
            // The journals can be checked all the same, only not by whom they were signed.
            let _ = writeln!(std::io::stderr(), "warning: no signature counts as this user's: {error}");
            None
        });
        let local = local.map(|key| key.public());
        let parse = |text: &String| {
            if let Ok(key) = Public::parse(text) {
                return Ok(key);
            }
            let content = std::fs::read_to_string(text)
                .with_context(|| format!("`{text}` is neither a public key in hexadecimal nor a file"))?;
            Public::parse(&content).with_context(|| format!("`{text}`"))
        };
        Ok(Self { local, given: given.iter().map(parse).collect::<anyhow::Result<_>>()? })
    }
}

fn exit(report: &Report) -> Exit {
    if report.bad.is_some() {
        Exit::Io
    } else if !report.whole || 0 < report.torn {
        Exit::Finding
    } else {
        Exit::Ok
    }
}

/// How far a journal can be trusted, in the words of `docs/evidence.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Broken,
    Open,
    Sealed,
    Archived,
    SignedElsewhere,
    Signed,
}

impl Level {
    fn of(report: &Report, keys: &Known) -> Self {
        if report.bad.is_some() {
            return Self::Broken;
        }
        match &report.signature {
            Some(signature) if keys.local == Some(signature.key) => Self::Signed,
            Some(signature) if keys.given.contains(&signature.key) => Self::SignedElsewhere,
            _ if archived(&report.path) => Self::Archived,
            _ if report.sealed => Self::Sealed,
            _ => Self::Open,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Open => "open",
            Self::Sealed => "sealed",
            Self::Archived => "archived",
            Self::SignedElsewhere => "signed-elsewhere",
            Self::Signed => "signed",
        }
    }
}

fn archived(path: &Path) -> bool {
    path.ancestors().nth(2).is_some_and(|folder| folder.file_name().is_some_and(|it| it == "archive"))
}

/// One attack, and the first level that excludes it.
struct Attack {
    name: &'static str,
    what: &'static str,
    excluded_by: Option<Group>,
}

/// Levels that exclude the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Open,
    Sealed,
    Signed,
}

const GROUPS: [(Group, &str, &[Level]); 3] = [
    (Group::Open, "an open", &[Level::Open]),
    (Group::Sealed, "a sealed or archived", &[Level::Sealed, Level::Archived]),
    (Group::Signed, "a signed", &[Level::SignedElsewhere, Level::Signed]),
];

impl Attack {
    fn excluded(&self, group: Group) -> bool {
        self.excluded_by.is_some_and(|first| first <= group)
    }
}

const ATTACKS: [Attack; 5] = [
    Attack {
        name: "changed",
        what: "a record edited, inserted, moved, or removed before the last one",
        excluded_by: Some(Group::Open),
    },
    Attack { name: "cut", what: "records removed from the end", excluded_by: Some(Group::Sealed) },
    Attack {
        name: "rewritten",
        what: "everything written anew by somebody who cannot act as this user",
        excluded_by: Some(Group::Signed),
    },
    Attack {
        name: "forged",
        what: "everything written anew as this user: with the key, or for hostler to seal (keep a head elsewhere)",
        excluded_by: None,
    },
    Attack {
        name: "withdrawn",
        what: "a session's newest files removed, or cut back to an earlier seal, with the notes beside them",
        excluded_by: None,
    },
];

fn document(reports: &[Report], keys: &Known) -> Value {
    let journal = |report: &Report| {
        json!({
            "path": report.path.display().to_string(),
            "session": report.session,
            "level": Level::of(report, keys).name(),
            "archived": archived(&report.path),
            "records": report.records,
            "sequence": report.last_sequence,
            "head": report.head,
            "sealed": report.sealed,
            "signature": report.signature.as_ref().map(|it| {
                json!({ "key": it.key.hex(), "fingerprint": it.key.fingerprint(), "in": it.path.display().to_string() })
            }),
            "unsigned": report.unsigned,
            "whole": report.whole,
            "torn": report.torn,
            "continues": report.continues.as_ref().map(|it| &it.file),
            "bad": report.bad.as_ref().map(|bad| {
                json!({ "sequence": bad.sequence, "line": bad.line, "problem": bad.problem })
            }),
        })
    };
    let excludes = GROUPS.iter().flat_map(|(group, _, levels)| {
        let of = |attack: &Attack| (attack.name.to_owned(), attack.excluded(*group).into());
        let excluded = Value::Object(ATTACKS.iter().map(of).collect());
        levels.iter().map(move |level| (level.name().to_owned(), excluded.clone()))
    });
    json!({
        "ok": reports.iter().all(|report| report.bad.is_none()),
        "journals": reports.iter().map(journal).collect::<Vec<_>>(),
        "excludes": Value::Object(excludes.collect()),
    })
}

fn tell(reports: &[Report], keys: &Known) -> anyhow::Result<()> {
    let mut out = crate::output::human::stdout();
    if reports.is_empty() {
        writeln!(out, "no journals: nothing was recorded in this project yet")?;
        return Ok(());
    }
    for report in reports {
        let session = report.session.as_deref().unwrap_or("?");
        let level = Level::of(report, keys);
        writeln!(out, "{:8} {session}  {}", level.name(), summary(report))?;
        if let Some(bad) = &report.bad {
            let problem = redact::preview(&bad.problem, 300);
            writeln!(out, "         first bad record: {} (line {}): {problem}", bad.sequence, bad.line)?;
            writeln!(out, "         in {}", report.path.display())?;
        }
        if let (Some(signature), Level::Sealed | Level::Archived) = (&report.signature, level) {
            let key = signature.key.hex();
            writeln!(
                out,
                "         signed by a key that is not this user's: `--key {key}`, if you trust it"
            )?;
        }
        if let (Some(reason), Level::Sealed | Level::Archived) = (&report.unsigned, level) {
            writeln!(out, "         not signed: {reason}")?;
        }
    }
    writeln!(out)?;
    for (group, name, levels) in GROUPS {
        if !reports.iter().any(|report| levels.contains(&Level::of(report, keys))) {
            continue;
        }
        writeln!(out, "what the check of {name} journal excludes:")?;
        for attack in &ATTACKS {
            let excluded = if attack.excluded(group) { "excluded" } else { "NOT excluded" };
            writeln!(out, "  {excluded:12} {}", attack.what)?;
        }
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let mut parts = vec![format!("{} records in order", report.records)];
    if report.last_sequence != report.records {
        parts.push(format!("up to number {}", report.last_sequence));
    }
    if 0 < report.torn {
        parts.push(format!("{} torn by a crash and closed off", report.torn));
    }
    if !report.whole {
        parts.push("the last line is torn".to_owned());
    }
    parts.join(", ")
}
