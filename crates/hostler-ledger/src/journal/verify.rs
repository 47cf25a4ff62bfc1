//! Checking a journal without trusting it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::line::{self, Record, Skipped, genesis};
use super::read::{BUFFER_BYTES_MAX, Lines};
use super::seal::{self, Head};
use crate::error::Error;
use crate::redact;
use crate::signature::Public;

/// What a journal turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// The session that its records name.
    pub session: Option<String>,
    /// Records that are in order, up to the first one that is not.
    pub records: u64,
    /// Number of the last of them.
    pub last_sequence: u64,
    /// Hash of the last of them.
    pub head: String,
    /// The first thing that is wrong.
    pub bad: Option<Bad>,
    /// The last record is a seal.
    pub sealed: bool,
    /// Who signed that seal, or one that the chain reached later.
    pub signature: Option<Signature>,
    /// Why the seal is not signed, where it says so.
    pub unsigned: Option<String>,
    /// The file ends with a line end. If not, a write was cut short: expected after a crash.
    pub whole: bool,
    /// Lines that were cut short by a crash and closed off by the record after them.
    pub torn: u64,
    /// What the file's first record continues.
    pub continues: Option<Continues>,
}

impl Report {
    fn empty(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            session: None,
            records: 0,
            last_sequence: 0,
            head: String::new(),
            bad: None,
            sealed: false,
            signature: None,
            unsigned: None,
            whole: true,
            torn: 0,
            continues: None,
        }
    }
}

/// A good signature. Whether its key is one to trust is for the caller to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The key that made it.
    pub key: Public,
    /// The file that it stands in: this one, or a later one that continues it.
    pub path: PathBuf,
}

/// Where the chain breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Number of the first record that is missing, changed or out of place.
    pub sequence: u64,
    /// Its line in the file, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: String,
}

/// An archived file that another one continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continues {
    /// Its name, relative to the project's state folder.
    pub file: String,
    /// Number of its last record.
    pub sequence: u64,
    /// Hash of its last record.
    pub hash: String,
}

/// Checks one journal: every hash, every link, every number, and the note of its last seal where it lies in
/// a project's state folder. Reads the file once, in constant memory.
///
/// # Errors
/// When it cannot be opened or read. What is wrong *in* it is in the report.
pub fn verify(path: &Path) -> Result<Report, Error> {
    let mut lines = Lines::open(path)?;
    let mut check = Check::new(path);
    while let Some(line) = lines.next_line()? {
        check.report.whole = line.ended;
        check.line(line.whole.then_some(lines.buffer.as_slice()));
        if check.report.bad.is_some() {
            break;
        }
    }
    let mut report = check.finish();
    check_head(&mut report);
    Ok(report)
}

/// Checks several journals, and that each one that continues another continues one that is there. A journal
/// that cannot be read is a broken one. A signature covers every file that its own one continues.
///
/// A file that is not among `paths` is looked for in the state folder that the continuing one lies in.
pub fn verify_all(paths: &[PathBuf]) -> Vec<Report> {
    let check = |path: &PathBuf| {
        verify(path).unwrap_or_else(|error| {
            let bad = Bad { sequence: 1, line: 1, problem: error.to_string() };
            Report { bad: Some(bad), ..Report::empty(path) }
        })
    };
    let mut reports: Vec<Report> = paths.iter().map(check).collect();
    let mut heads: HashMap<PathBuf, (u64, String)> =
        reports.iter().map(|it| (it.path.clone(), (it.last_sequence, it.head.clone()))).collect();
    for report in &mut reports {
        let Some(continues) = &report.continues else { continue };
        if report.bad.is_some() {
            continue;
        }
        let known = project_state(&report.path).map(|state| state.join(&continues.file));
        let problem = match known.as_deref().map(|path| head_of(&mut heads, path)) {
            None => None,
            Some(None) => Some(format!("`{}`, which it continues, cannot be read", continues.file)),
            Some(Some(head)) if head == (continues.sequence, continues.hash.clone()) => None,
            Some(Some((sequence, _))) => Some(format!(
                "`{}`, which it continues from record {}, ends differently (at record {sequence})",
                continues.file, continues.sequence
            )),
        };
        report.bad = problem.map(|problem| Bad { sequence: continues.sequence, line: 1, problem });
    }
    pass_signatures_on(&mut reports);
    reports
}

/// From each file to the one that it continues, the newest first.
fn pass_signatures_on(reports: &mut [Report]) {
    let mut order: Vec<usize> = (0..reports.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(reports[*at].last_sequence));
    let mut covered: HashMap<PathBuf, Signature> = HashMap::new();
    for at in order {
        let report = &mut reports[at];
        if report.bad.is_some() {
            continue;
        }
        if report.signature.is_none() && report.sealed {
            report.signature = covered.get(&report.path).cloned();
        }
        let continued = report.continues.as_ref().zip(project_state(&report.path));
        if let (Some((continues, state)), Some(signature)) = (continued, &report.signature) {
            covered.insert(state.join(&continues.file), signature.clone());
        }
    }
}

fn head_of(heads: &mut HashMap<PathBuf, (u64, String)>, path: &Path) -> Option<(u64, String)> {
    if let Some(head) = heads.get(path) {
        return Some(head.clone());
    }
    let report = verify(path).ok()?;
    let head = (report.last_sequence, report.head);
    heads.insert(path.to_path_buf(), head.clone());
    Some(head)
}

/// The state folder that a journal lies in: `…/sessions/x.jsonl` or `…/archive/YYYY-MM-DD/x.jsonl`.
fn project_state(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    if folder.file_name()? == "sessions" {
        return folder.parent();
    }
    let archive = folder.parent()?;
    (archive.file_name()? == "archive").then(|| archive.parent()).flatten()
}

/// A journal that was sealed must still hold its seal.
fn check_head(report: &mut Report) {
    let (Some(state), Some(session), None) = (project_state(&report.path), &report.session, &report.bad)
    else {
        return;
    };
    let archived = report.path.parent().is_some_and(|it| it.file_name().is_some_and(|it| it != "sessions"));
    let head = match Head::load(state, session) {
        Ok(head) => head.filter(|head| state.join(&head.file) == report.path),
        Err(error) => {
            report.bad = Some(Bad { sequence: report.last_sequence, line: 0, problem: error.to_string() });
            return;
        }
    };
    let problem = match head {
        Some(head) if report.last_sequence < head.seq => {
            format!("the file was sealed at record {} and now ends at {}", head.seq, report.last_sequence)
        }
        Some(head) if report.last_sequence == head.seq && report.head != head.hash => {
            format!("record {} is not the one that sealed the file", head.seq)
        }
        _ if archived && !report.sealed => "an archived file ends with a seal, this one does not".to_owned(),
        _ => return,
    };
    report.bad = Some(Bad { sequence: report.last_sequence + 1, line: report.records + 1, problem });
}

struct Check {
    report: Report,
    line: u64,
    /// Lines that were no records, since the last one that was; `None` when they are too many to be a crash.
    gap: Option<Vec<u8>>,
    /// What is wrong with the first of them, unless the next record closes them off.
    pending: Option<Bad>,
}

impl Check {
    fn new(path: &Path) -> Self {
        Self { report: Report::empty(path), line: 0, gap: Some(Vec::new()), pending: None }
    }

    /// Takes the next line; `None` for one that is too long to be a record.
    fn line(&mut self, bytes: Option<&[u8]>) {
        self.line += 1;
        let problem = match bytes.map(|bytes| (bytes, parse(bytes))) {
            None => "the line is longer than any record".to_owned(),
            Some((bytes, Err(problem))) => {
                self.extend_gap(bytes);
                problem
            }
            Some((_, Ok(record))) => match self.follows(&record) {
                Ok(signed_by) => return self.accept(record, signed_by),
                Err(problem) => {
                    // An earlier line that was no record is what broke the chain.
                    self.report.bad = Some(self.pending.take().unwrap_or_else(|| self.bad(problem)));
                    return;
                }
            },
        };
        if bytes.is_none() {
            self.gap = None;
        }
        if self.pending.is_none() {
            self.pending = Some(self.bad(problem));
        }
    }

    fn bad(&self, problem: String) -> Bad {
        Bad { sequence: self.report.last_sequence + 1, line: self.line, problem }
    }

    fn extend_gap(&mut self, bytes: &[u8]) {
        let Some(gap) = &mut self.gap else { return };
        if self.pending.is_some() {
            gap.push(b'\n');
        }
        gap.extend_from_slice(bytes);
        if BUFFER_BYTES_MAX < gap.len() {
            self.gap = None;
        }
    }

    /// Whether the record may stand where it stands.
    fn follows(&self, record: &Record) -> Result<Option<Public>, String> {
        let report = &self.report;
        let first = report.records == 0;
        if let (Some(session), Some(named)) = (&report.session, record.text(super::SESSION))
            && session != named
        {
            return Err(format!("it belongs to session `{named}`, the file to `{session}`"));
        }
        match (&record.continues_file, first) {
            (Some(_), true) => {}
            (Some(_), false) => return Err("it begins a file, but stands inside one".to_owned()),
            (None, _) => {
                let expected = report.last_sequence + 1;
                if record.sequence != expected {
                    return Err(format!("record {expected} is expected here, {} was found", record.sequence));
                }
                if first && record.prev != genesis(record.text(super::SESSION).unwrap_or_default()) {
                    return Err("it does not begin this session's chain".to_owned());
                }
                if !first && record.prev != report.head {
                    return Err(format!(
                        "it does not follow record {}: one of the two was changed",
                        report.last_sequence
                    ));
                }
            }
        }
        self.closes_gap(record)?;
        if record.kind == super::SEAL { seal::check(record) } else { Ok(None) }
    }

    /// Unreadable lines are accepted as what a crash leaves when the record after them says so: one line
    /// that was never ended.
    fn closes_gap(&self, record: &Record) -> Result<(), String> {
        let found = match (&self.pending, &self.gap) {
            (None, _) => None,
            (Some(_), Some(gap)) => Some(Skipped { bytes: gap.len() as u64, hash: line::sha256_hex(gap) }),
            (Some(pending), None) => return Err(pending.problem.clone()),
        };
        if record.skipped != found {
            return Err("what it says about unreadable bytes before it is not what stands there".to_owned());
        }
        let one_line = self.gap.as_ref().is_some_and(|gap| !gap.contains(&b'\n'));
        if found.is_some() && !one_line {
            return Err("several lines before it are unreadable, which no crash explains".to_owned());
        }
        Ok(())
    }

    fn accept(&mut self, record: Record, signed_by: Option<Public>) {
        let report = &mut self.report;
        report.sealed = record.kind == super::SEAL;
        report.unsigned =
            record.text("seal.unsigned").filter(|_| report.sealed).map(|reason| redact::preview(reason, 300));
        if report.records == 0 {
            report.session = record.text(super::SESSION).map(ToOwned::to_owned);
            report.continues = record.continues_file.map(|file| Continues {
                file,
                sequence: record.sequence.saturating_sub(1),
                hash: record.prev,
            });
        }
        report.torn += u64::from(self.pending.is_some());
        report.records += 1;
        report.last_sequence = record.sequence;
        report.signature = signed_by.map(|key| Signature { key, path: report.path.clone() });
        report.head = record.hash;
        self.pending = None;
        self.gap = Some(Vec::new());
    }

    fn finish(mut self) -> Report {
        // What is unreadable and ended was not cut short by a crash; what is not ended was.
        if self.report.bad.is_none() && (self.report.whole || self.gap.is_none()) {
            self.report.bad = self.pending;
        } else if self.pending.is_some() && self.gap.as_ref().is_some_and(|gap| gap.contains(&b'\n')) {
            self.report.bad = self.report.bad.take().or(self.pending);
        }
        self.report.sealed &= self.report.bad.is_none() && self.report.whole;
        if !self.report.sealed {
            self.report.signature = None;
            self.report.unsigned = None;
        }
        self.report
    }
}

fn parse(bytes: &[u8]) -> Result<Record, String> {
    let Some((body, stated)) = line::split(bytes) else {
        return Err("the line is no record: it does not end with its hash".to_owned());
    };
    if line::hash_of(body) != stated {
        return Err("its hash does not fit its content: it was changed".to_owned());
    }
    Record::parse(bytes).ok_or_else(|| "the line is no record of a form that this build knows".to_owned())
}
