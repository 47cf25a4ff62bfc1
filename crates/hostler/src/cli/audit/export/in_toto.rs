//! A session as an in-toto statement (v1) in a DSSE envelope.
//!
//! The subjects are the journal's files. What is said of them was read from them after their chain was checked: a
//! broken journal gets no statement.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hostler_ledger::journal::{self, Record, Report};
use hostler_ledger::signature::{Key, base64, dsse};
use serde_json::{Value, json};

use super::super::findings::Recorded;
use super::super::time;
use crate::dirs::Dirs;

/// What the payload of an envelope is.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// What the predicate is; a name, no address.
const PREDICATE_TYPE: &str = "urn:hostler:session-evidence:1";

/// Who signs; without a key that can be used the envelope has no signature, and that is told.
pub(super) struct Signer(Option<Key>);

impl Signer {
    /// The user's key.
    pub(super) fn open() -> anyhow::Result<Self> {
        let key = Dirs::from_env()?.keys().open();
        if let Err(error) = &key {
            writeln!(std::io::stderr(), "warning: the statements are NOT signed: {error}")?;
        }
        Ok(Self(key.ok()))
    }
}

/// Writes one envelope and a line end.
pub(super) fn write(
    session: &str,
    files: &[PathBuf],
    state: &Path,
    signer: &Signer,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let payload = statement(session, files, state)?.to_string();
    let signatures: Vec<Value> = signer
        .0
        .iter()
        .map(|key| {
            let signature = key.sign(&dsse(PAYLOAD_TYPE, payload.as_bytes()));
            json!({ "keyid": key.public().fingerprint(), "sig": base64(&signature) })
        })
        .collect();
    let envelope = json!({
        "payloadType": PAYLOAD_TYPE,
        "payload": base64(payload.as_bytes()),
        "signatures": signatures,
    });
    writeln!(out, "{envelope}")?;
    Ok(())
}

fn statement(session: &str, files: &[PathBuf], state: &Path) -> anyhow::Result<Value> {
    // The digests are taken twice, around everything that is read: a live journal may grow in between.
    let digests = digests(files)?;
    let reports = journal::verify_all(files);
    if let Some((report, bad)) = reports.iter().find_map(|report| Some((report, report.bad.as_ref()?))) {
        bail!(
            "`{}` is broken at record {} ({}), so nothing is said about session {session}; look with `hostler audit verify`",
            report.path.display(),
            bad.sequence,
            bad.problem
        );
    }
    let mut tally = Tally::default();
    for path in files {
        for record in journal::read(path)? {
            tally.add(path, &record);
        }
    }
    if digests != self::digests(files)? {
        bail!(
            "session {session} goes on while it is read; try again, or `hostler audit seal {session}` first"
        );
    }
    let name = |path: &Path| path.strip_prefix(state).unwrap_or(path).display().to_string();
    let subject: Vec<Value> = files
        .iter()
        .zip(&digests)
        .map(|(path, digest)| json!({ "name": name(path), "digest": { "sha256": digest } }))
        .collect();
    Ok(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": PREDICATE_TYPE,
        "predicate": predicate(session, state, &reports, &tally),
    }))
}

fn digests(files: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let digest = |path: &PathBuf| journal::file_sha256(path).context("the journal moved; try again");
    files.iter().map(digest).collect()
}

fn predicate(session: &str, state: &Path, reports: &[Report], tally: &Tally) -> Value {
    let last = reports.last();
    let materials: Vec<Value> = tally
        .commit
        .iter()
        .map(|commit| {
            let algorithm = if commit.len() == 64 { "sha256" } else { "gitCommit" };
            json!({ "name": "HEAD at the start", "digest": { algorithm: commit } })
        })
        .collect();
    json!({
        "project": state.file_name().map(|name| name.to_string_lossy()),
        "session": session,
        "producer": { "name": "hostler", "version": env!("CARGO_PKG_VERSION") },
        "startedOn": tally.first_ms.map(|it| time(it, false)),
        "finishedOn": tally.last_ms.map(|it| time(it, false)),
        "materials": materials,
        "records": reports.iter().map(|report| report.records).sum::<u64>(),
        "sequence": last.map(|report| report.last_sequence),
        "root": last.map(|report| &report.head),
        "sealed": last.is_some_and(|report| report.sealed),
        "kinds": tally.kinds,
        "decisions": tally.decisions,
        "results": tally.results,
        "findings": { "total": tally.findings, "bySeverity": tally.severities, "byType": tally.types },
    })
}

/// What the records come to.
#[derive(Default)]
struct Tally {
    commit: Option<String>,
    first_ms: Option<i64>,
    last_ms: Option<i64>,
    kinds: BTreeMap<String, u64>,
    decisions: BTreeMap<String, u64>,
    results: BTreeMap<String, u64>,
    findings: u64,
    severities: BTreeMap<String, u64>,
    types: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, path: &Path, record: &Record) {
        if self.commit.is_none() {
            self.commit = record.text("vcs.ref.head.revision").map(str::to_owned);
        }
        self.first_ms = Some(self.first_ms.map_or(record.time_ms, |it| it.min(record.time_ms)));
        self.last_ms = Some(self.last_ms.map_or(record.time_ms, |it| it.max(record.time_ms)));
        count(&mut self.kinds, &record.kind);
        let status = record.text("status").unwrap_or_default();
        match record.kind.as_str() {
            "decision" => count(&mut self.decisions, status),
            "result" => count(&mut self.results, status),
            _ => {}
        }
        for finding in Recorded::of(path, record) {
            self.findings += 1;
            count(&mut self.severities, finding.text("severity"));
            count(&mut self.types, finding.text("type"));
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, what: &str) {
    if !what.is_empty() {
        *counts.entry(what.to_owned()).or_insert(0) += 1;
    }
}
