//! What a subagent reports.
//!
//! A report is a message like any other: its claims are read, and since it is all that the call shows, they count as
//! done. A report that names files or counts, or says that nothing was changed, has told what there is to tell; any
//! other may leave out what it did.

use std::path::Path;

use super::of::Source;
use super::output;
use super::text::{has, head, shorten};
use super::{Deed, Evidence, Failure, FailureKind, FileAct, NOTABLE_MAX, Run, RunOutcome};
use crate::claims::Act;
use crate::claims::reading::{self, Reading, Told};

/// Of a longer report so much is read, and it stays open what else was done.
const REPORT_BYTES_MAX: usize = 16 * 1024;
/// Files, deeds and runs that are taken from a report.
const ACTS_MAX: usize = 64;

/// Words with which whoever reports says that something was not done.
const INABILITY: &[&str] = &[
    "was not able to",
    "were not able to",
    "wasn't able to",
    "weren't able to",
    "am not able to",
    "could not",
    "couldn't",
    "failed to",
    "unable to",
    "did not",
    "didn't",
    "was unable",
    "cannot ",
    "can't ",
    "have not been able",
    "haven't been able",
];

/// The same, whoever is the subject.
const UNDONE: &[&str] = &[
    "gave up",
    "ran out of",
    "was blocked",
    "had to stop",
    "remains undone",
    "not completed",
    "could not be run",
    "could not be executed",
    "could not be started",
    "could not be completed",
    "could not be installed",
    "could not be tested",
    "could not be verified",
    "could not be built",
    "could not be pushed",
    "could not be deployed",
    "couldn't be run",
];

/// Reads a subagent's report into `evidence`.
pub(super) fn report(text: &str, source: &Source<'_>, evidence: &mut Evidence) {
    let text = unframed(text);
    let read = head(text, REPORT_BYTES_MAX);
    if has(head(read, 200), "agent launched") {
        // It still works.
        evidence.opaque = true;
        return;
    }
    let mut found = claims(read, source.cwd);
    findings(read, &mut evidence.notable);
    let inability = inability(read);
    if let Some(sentence) = inability {
        evidence.failure = Some(Failure {
            kind: FailureKind::Error,
            missed: Vec::new(),
            target: "subagent".to_owned(),
            message: shorten(sentence),
        });
    }
    let idle = !found.changes() && changed_nothing(read);
    let told = read.len() == text.len() && (found.specific() || idle);
    evidence.opaque = inability.is_none() && !told;
    if told && inability.is_none() {
        // What it looked at is rarely told, and it looked at what it was asked about.
        let anything = source.cwd.join("*").display().to_string();
        found.files.push(FileAct::tree(Act::Read, anything));
    }
    evidence.files.append(&mut found.files);
    evidence.deeds.append(&mut found.deeds);
    evidence.runs.append(&mut found.runs);
}

/// A report without what the host adds to it.
fn unframed(text: &str) -> &str {
    let end = ["\nagentId:", "<usage>"].iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    text[..end].trim()
}

/// What a report says was done.
#[derive(Default)]
struct Found {
    files: Vec<FileAct>,
    deeds: Vec<Deed>,
    runs: Vec<Run>,
}

impl Found {
    fn changes(&self) -> bool {
        let change = |act: Act| matches!(act, Act::Create | Act::Edit | Act::Delete | Act::Move);
        self.files.iter().any(|file| change(file.act)) || self.deeds.iter().any(|deed| change(deed.act))
    }

    /// It names files that were changed, or counts.
    fn specific(&self) -> bool {
        let changed = |file: &FileAct| !matches!(file.act, Act::Read | Act::Search);
        let counted = |run: &Run| {
            let outcome = &run.outcome;
            outcome.tests_passed.is_some() || outcome.tests_failed.is_some() || outcome.errors.is_some()
        };
        self.files.iter().any(changed) || self.runs.iter().any(counted)
    }

    fn file(&mut self, file: FileAct) {
        if self.files.len() < ACTS_MAX && !self.files.contains(&file) {
            self.files.push(file);
        }
    }

    fn deed(&mut self, act: Act, object: String) {
        let deed = Deed { act, object };
        if self.deeds.len() < ACTS_MAX && !self.deeds.contains(&deed) {
            self.deeds.push(deed);
        }
    }

    fn run(&mut self, run: Run) {
        if self.runs.len() < ACTS_MAX && !self.runs.contains(&run) {
            self.runs.push(run);
        }
    }
}

fn claims(report: &str, cwd: &Path) -> Found {
    let mut found = Found::default();
    let message = reading::read(report);
    let summaries = output::tests(report);
    let own: Vec<&Reading> =
        message.claims.iter().filter(|it| !(message.describes && !it.said && it.is_change())).collect();
    for summary in &summaries {
        found.run(Run {
            act: Act::Test,
            program: program(report, &own),
            scope: Vec::new(),
            times: 1,
            outcome: summary.outcome.clone(),
        });
    }
    for reading in own {
        match (&reading.result, reading.act) {
            (Some(told), act) => {
                let counted = act == Act::Test && !summaries.is_empty();
                let outcome = outcome(told);
                if outcome != RunOutcome::default() && act != Act::Run && !counted {
                    found.run(Run {
                        act,
                        program: program(report, &[reading]),
                        scope: Vec::new(),
                        times: 1,
                        outcome,
                    });
                }
            }
            (None, act @ (Act::Test | Act::Build | Act::Lint | Act::Typecheck | Act::Format)) => {
                if !found.runs.iter().any(|run| run.act == act) {
                    found.run(Run {
                        act,
                        program: program(report, &[reading]),
                        scope: Vec::new(),
                        times: 1,
                        outcome: RunOutcome::default(),
                    });
                }
            }
            (None, act) => done(act, reading, cwd, &mut found),
        }
    }
    if found.changes() {
        // Whoever changed files names them anywhere.
        for path in paths(report) {
            let path = cwd.join(path).display().to_string();
            if !found.files.iter().any(|file| file.path == path) {
                found.file(FileAct::new(Act::Create, path.clone()));
                found.file(FileAct::new(Act::Edit, path));
            }
        }
    }
    found
}

/// An act that is no run: to the files that it names, else as a deed.
fn done(act: Act, reading: &Reading, cwd: &Path, found: &mut Found) {
    if matches!(act, Act::Create | Act::Edit | Act::Delete | Act::Move | Act::Read | Act::Search) {
        let mut named = false;
        for path in reading.paths() {
            named = true;
            let tree = path.ends_with('/');
            let path = cwd.join(path).display().to_string();
            found.file(FileAct { tree, ..FileAct::new(act, path.clone()) });
            // What a report calls "wrote" or "ported" may have been there before, or not.
            let other = match act {
                Act::Create => Act::Edit,
                Act::Edit => Act::Create,
                _ => continue,
            };
            found.file(FileAct { tree, ..FileAct::new(other, path) });
        }
        if named {
            return;
        }
    }
    let object: Vec<&str> =
        reading.objects.iter().filter(|it| it.target).map(|it| it.text.as_str()).take(4).collect();
    found.deed(act, shorten(&object.join(" ")));
}

/// The program that the claims, or the report, name; else the kind of it.
fn program(report: &str, readings: &[&Reading]) -> String {
    const PROGRAMS: &[&str] = &[
        "pytest",
        "vitest",
        "jest",
        "mocha",
        "playwright",
        "cypress",
        "rspec",
        "phpunit",
        "cargo test",
        "go test",
        "npm test",
        "unittest",
        "gradle",
        "mvn",
        "dotnet test",
        "tsc",
        "mypy",
        "pyright",
        "eslint",
        "ruff",
        "clippy",
        "golangci-lint",
        "cargo build",
        "npm run build",
        "prettier",
    ];
    let told = readings.iter().filter_map(|it| it.result.as_ref()).find_map(|told| told.programs.first());
    if let Some(told) = told {
        return told.clone();
    }
    let texts: Vec<&str> =
        if readings.is_empty() { vec![report] } else { readings.iter().map(|it| it.text.as_str()).collect() };
    let named = |program: &&&str| texts.iter().any(|text| has(text, program));
    PROGRAMS.iter().find(named).map_or_else(|| "subagent".to_owned(), |it| (*it).to_owned())
}

fn outcome(told: &Told) -> RunOutcome {
    let failed = told.tests_failed.is_some_and(|it| 0 < it) || told.errors.is_some_and(|it| 0 < it);
    let passed = if failed {
        Some(false)
    } else {
        (told.passed || told.errors == Some(0) || told.tests_failed == Some(0)).then_some(true)
    };
    RunOutcome {
        passed,
        tests_passed: told.tests_passed,
        tests_failed: told.tests_failed,
        tests_skipped: told.tests_skipped,
        errors: told.errors,
        warnings: told.warnings,
        units_passed: told.units,
        coverage_percent: told.coverage_percent,
        ..RunOutcome::default()
    }
}

/// The files that a report names, in sentences that deny nothing.
fn paths(report: &str) -> Vec<String> {
    const DENIALS: &[&str] = &["not ", "n't ", "without ", "unchanged", "untouched", "instead of", "never "];
    let mut out: Vec<String> = Vec::new();
    let lines = report.lines().filter(|line| !DENIALS.iter().any(|it| has(line, it)));
    for word in lines.flat_map(|line| line.split(|c: char| c.is_whitespace() || "`*\"'(),;|[]".contains(c))) {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        if word.contains(['.', '/'])
            && let Some(path) = reading::path_of(word, true)
            && !out.contains(&path)
        {
            out.push(path);
            if ACTS_MAX / 2 <= out.len() {
                break;
            }
        }
    }
    out
}

/// The first sentence that says that something was not done.
fn inability(text: &str) -> Option<&str> {
    let opening = text.lines().next().unwrap_or_default();
    let stopped = |it: &&str| opening.trim_start_matches(['*', '#', ' ']).starts_with(it);
    if ["BLOCKED", "BLOCKING"].iter().any(stopped) {
        return Some(opening);
    }
    sentences(text).filter(|sentence| !harmless(sentence)).find(|sentence| {
        UNDONE.iter().any(|mark| has(sentence, mark))
            || INABILITY.iter().any(|mark| find(sentence, mark).is_some_and(|at| is_own(&sentence[..at])))
    })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split_inclusive(['.', '!', '?', ';']))
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', '#', '>', ' ']))
        .filter(|sentence| !sentence.is_empty() && sentence.len() < 600)
}

/// Where `mark`, lower case, stands in `text`.
fn find(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes().windows(mark.len()).position(|it| it.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Whether what stands before a verb has the reporter, or what it was to run, as its subject; else code is
/// described: `the parser could not …`.
fn is_own(before: &str) -> bool {
    const SUBJECTS: &[&str] = &[
        "i",
        "we",
        "and",
        "but",
        "then",
        "however",
        "agent",
        "subagent",
        "also",
        "still",
        "therefore",
        "so",
        "tests",
        "specs",
        "suite",
        "build",
        "install",
        "installation",
        "deployment",
        "migration",
        "push",
        "command",
        "simply",
        "unfortunately",
        "was",
        "were",
        "am",
        "yet",
    ];
    let last = before.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
    last.is_none_or(|word| SUBJECTS.contains(&word.to_lowercase().as_str()))
}

/// Findings about the code are no failures of the subagent: `did not find any problems`.
fn harmless(sentence: &str) -> bool {
    const FINE: &[&str] = &[
        "did not find",
        "didn't find",
        "could not find any",
        "couldn't find any",
        "did not change",
        "didn't change",
        "did not modify",
        "didn't modify",
        "did not edit",
        "did not make any",
        "didn't make any",
        "did not need",
        "didn't need",
        "did not have to",
        "did not touch",
        "didn't touch",
        "did not break",
        "did not see",
        "didn't see",
        "did not notice",
        "no longer",
    ];
    FINE.iter().any(|mark| has(sentence, mark))
}

/// Whether a report says that nothing was changed at all.
fn changed_nothing(text: &str) -> bool {
    const SAYS: &[&str] = &[
        "change anything",
        "modify anything",
        "touch anything",
        "edit anything",
        "change any files",
        "modify any files",
        "edit any files",
        "touch any files",
        "change any code",
        "modify any code",
        "make any changes",
        "nothing was changed",
        "nothing has been changed",
        "no changes were made",
        "no changes made",
        "no files were changed",
        "no files were modified",
        "made no changes",
        "changed nothing",
        "left everything as it is",
    ];
    sentences(text).any(|sentence| {
        let denied = ["not ", "n't ", "no ", "nothing", "without", "left everything"]
            .iter()
            .any(|it| has(sentence, it));
        let says = SAYS.iter().find_map(|it| find(sentence, it).map(|at| &sentence[at + it.len()..]));
        // "anything else", "any files outside src": something was.
        says.is_some_and(|rest| {
            let next = rest.split_whitespace().next().unwrap_or_default();
            denied
                && (rest.starts_with(['.', ',', ';', ':', '!', ')']) || matches!(next, "" | "yet" | "myself"))
        })
    })
}

/// Lines of a review that object.
fn findings(report: &str, notable: &mut Vec<String>) {
    const GRAVE: &[&str] = &[
        "BLOCKING",
        "BLOCKER",
        "CRITICAL",
        "MAJOR",
        "HIGH",
        "SEVERE",
        "MUST FIX",
        "P0",
        "P1",
        "[blocking]",
        "Blocking:",
        "Critical:",
        "Major:",
        "High:",
        "Must fix:",
        "blocking issue",
    ];
    let denied = |line: &str| ["no ", "none", "not ", " 0 "].iter().any(|it| has(line, it));
    for line in report.lines().map(str::trim).filter(|line| line.len() < 600) {
        let bare = line.trim_start_matches(|c: char| c.is_ascii_digit() || "-*•.)#> ".contains(c));
        let at = GRAVE.iter().filter_map(|mark| bare.find(mark)).min();
        // The word stands at the beginning, and something behind it.
        let objects =
            at.is_some_and(|at| at < 40 && !denied(&bare[..at])) && bare.split_whitespace().count() > 2;
        if objects && notable.len() < NOTABLE_MAX {
            let short = shorten(line);
            if !notable.contains(&short) {
                notable.push(short);
            }
        }
    }
}
