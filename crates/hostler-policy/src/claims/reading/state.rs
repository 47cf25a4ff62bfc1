//! States and values that are told: "the tree is clean", "p95 is 180 ms", "no `console.log` is left".
//!
//! Each form is narrow: what is read here is judged against the very output that speaks of it, and a statement that
//! could be a plan, a limit, an example or a description of code is none.

mod judged;
mod plain;
mod valued;
mod words;

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::{Language, Noun};
use super::super::text::{BlockKind, Span, Text};
use super::{Reading, Told, joined, objects};

use words::{DOUBTS, LIMITS, ROUGH};

/// A number as told.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Quantity {
    /// The number.
    pub(in super::super) value: f64,
    /// The last written place: 1 for `212`, 0.1 for `2.5`.
    pub(in super::super) step: f64,
    /// As written, lower case.
    pub(in super::super) unit: String,
}

/// A state or value as told.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Stated {
    /// A number of a distribution: `p95`, `mean`.
    Metric(String, Quantity),
    /// How long something takes.
    Time(Timed, Quantity),
    /// How large something is.
    Size(Weighed, Quantity),
    /// So many things had something done to them: the deed, the things, how many.
    Counted(&'static str, String, u64),
    /// Vulnerabilities of dependencies.
    Vulnerable(u64),
    /// An answer over HTTP: its status, and names of what answers.
    Status(u16, Vec<String>),
    /// Requests of a kind are refused, or are not: the kind.
    Refused(bool, String),
    /// A command ends with a status: names of the command.
    Exit(u8, Vec<String>),
    /// Something runs: how well, its names, whether all of them.
    Healthy(Health, Vec<String>, bool),
    /// Two files are the same, or are not.
    Same(bool),
    /// A program is on the path, or is not.
    There(String, bool),
    /// Nothing is uncommitted.
    Clean,
    /// Nothing matches any more: what, and where.
    Left(Vec<String>, Vec<String>),
    /// So many matches: of what, where, how many; whether each line is one.
    Matches(String, Vec<String>, u64, bool),
    /// So many times faster.
    Faster(f64),
    /// Requests per second.
    Throughput(Quantity),
    /// A share in percent, by the last word of its name: `rate`, `accuracy`.
    Share(String, Quantity),
    /// The version of a program.
    Version(String, String),
    /// The branch that is checked out.
    Branch(String),
    /// Nothing is stashed.
    Unstashed,
    /// Everything passed in continuous integration.
    Checks,
    /// The hooks of a commit passed.
    Hooks,
    /// Who reviewed had nothing to object.
    Unobjected,
    /// Branches went together without conflicts.
    Unconflicted,
    /// Total line coverage in percent.
    Coverage(f64),
    /// Tests: passed or all, failed.
    Tests(Option<u64>, Option<u64>),
    /// A linter, compiler or type checker has nothing to say; or no warnings only.
    Spotless(bool),
}

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Timed {
    /// A query of a database.
    Query,
    /// A build.
    Build,
    /// A run of tests.
    Tests,
    /// A request.
    Request,
    /// A command.
    Command,
}

/// What has a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Weighed {
    /// What a build puts out.
    Bundle,
    /// A container's image.
    Image,
    /// Another file.
    File,
}

/// How well something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Health {
    /// It runs.
    Up,
    /// It runs, and its check says that it is well.
    Healthy,
}

/// A part of a clause with what leads into it.
struct View<'a> {
    text: &'a Text,
    /// What stands between two commas.
    tokens: &'a [String],
    language: &'a Language,
    /// The words that lead into it: before a colon, before an arrow.
    lead: &'a [String],
}

/// The states and values that a clause tells.
pub(super) fn read(
    text: &Text,
    index: usize,
    clauses: &[Clause],
    number: usize,
    language: &Language,
) -> Vec<Reading> {
    let Some(clause) = clauses.get(number) else { return Vec::new() };
    let row = text.blocks.get(index).is_some_and(|block| block.kind == BlockKind::Row);
    if row {
        let stated = if number == 0 && language.code == "en" { valued::row(text, index) } else { None };
        return stated.map(|it| reading(text, clause, language, Act::Run, it)).into_iter().collect();
    }
    if clause.before_arrow || clause.conditional_from.is_some() {
        return Vec::new();
    }
    let mut out = Vec::new();
    if let Some((act, all)) = judged::spotless(clause, language) {
        out.push(reading(text, clause, language, act, Stated::Spotless(all)));
    }
    if language.code != "en" || !speaks(&clause.tokens) {
        return out;
    }
    let before = number.checked_sub(1).and_then(|it| clauses.get(it));
    let behind = clauses.get(number + 1);
    if let Some(stated) = judged::tests(clause, before, behind, language) {
        if !contains(&clause.norm(), language, language.modal) {
            out.push(reading(text, clause, language, Act::Test, stated));
        }
        return out;
    }
    let label = clause.label.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned);
    let leads = |it: &&Clause| it.before_arrow || it.bracketed && it.tokens.len() == 1;
    let left = before.filter(leads).map(|it| it.tokens.clone()).unwrap_or_default();
    let lead: Vec<String> = label.chain(left).collect();
    let mut end = 0;
    for tokens in clause.tokens.split(|token| token == ",") {
        end += tokens.len() + 1;
        // "It passes, as it should": what follows does not take it back.
        let upto = clause.tokens.get(..end - 1).unwrap_or_default();
        let doubtful = tokens.iter().any(|token| DOUBTS.contains(&token.as_str()))
            || clause.text.contains(['<', '>', '≤', '≥', '≈', '±'])
            || contains(&joined(upto), language, language.modal);
        if doubtful || !speaks(tokens) {
            continue;
        }
        let view = View { text, tokens, language, lead: &lead };
        let mut stated = view.states();
        let number = tokens.iter().any(|token| token.bytes().any(|byte| byte.is_ascii_digit()));
        stated.extend(view.throughput());
        if number && !view.has(LIMITS) {
            stated.extend(view.values());
        }
        stated.extend(view.searches());
        out.extend(stated.into_iter().map(|it| {
            let act = if matches!(it, Stated::Coverage(_)) { Act::Test } else { Act::Run };
            reading(text, clause, language, act, it)
        }));
    }
    out
}

/// A cheap look: a number, or a word that one of the forms needs.
fn speaks(tokens: &[String]) -> bool {
    tokens.iter().any(|token| {
        token.bytes().any(|byte| byte.is_ascii_digit())
            || matches!(
                token.as_str(),
                "identical"
                    | "byte-identical"
                    | "byte-for-byte"
                    | "differences"
                    | "difference"
                    | "differ"
                    | "clean"
                    | "uncommitted"
                    | "path"
                    | "installed"
                    | "available"
                    | "refused"
                    | "rejected"
                    | "denied"
                    | "accepted"
                    | "exits"
                    | "exited"
                    | "healthy"
                    | "up"
                    | "running"
                    | "ready"
                    | "left"
                    | "remain"
                    | "remains"
                    | "gone"
                    | "anymore"
                    | "vulnerabilities"
                    | "fail"
                    | "failing"
                    | "failed"
                    | "matches"
                    | "hits"
                    | "occurrences"
                    | "todos"
                    | "usages"
                    | "same"
                    | "match"
                    | "stash"
                    | "stashes"
                    | "branch"
                    | "on"
                    | "ci"
                    | "hook"
                    | "hooks"
                    | "objections"
                    | "blockers"
                    | "concerns"
                    | "conflicts"
                    | "findings"
                    | "pipeline"
                    | "workflow"
                    | "checks"
                    | "longer"
                    | "more"
                    | "fails"
                    | "one"
                    | "two"
                    | "finds"
                    | "found"
                    | "failures"
            )
    })
}

fn reading(text: &Text, clause: &Clause, language: &Language, act: Act, stated: Stated) -> Reading {
    Reading {
        act,
        text: text.restore(&clause.text),
        pattern: format!("{}/{}", language.code, name(&stated)),
        objects: objects::objects(text, clause, 0, clause.tokens.len()),
        nouns: Vec::<Noun>::new(),
        count: None,
        whole: false,
        venue: None,
        result: Some(match stated {
            Stated::Coverage(percent) => Told { coverage_percent: Some(percent), ..Told::default() },
            stated => Told { state: Some(stated), ..Told::default() },
        }),
        said: false,
        passive: false,
        by_subagent: false,
        words: clause.tokens.clone(),
        verb: String::new(),
    }
}

fn name(stated: &Stated) -> &'static str {
    match stated {
        Stated::Metric(..)
        | Stated::Time(..)
        | Stated::Size(..)
        | Stated::Faster(_)
        | Stated::Throughput(_)
        | Stated::Share(..) => "measure",
        Stated::Counted(..) | Stated::Vulnerable(_) | Stated::Matches(..) => "count",
        Stated::Tests(..) => "tests",
        Stated::Spotless(_) => "spotless",
        Stated::Coverage(_) => "coverage",
        _ => "state",
    }
}

/// Units of time, with their length in seconds.
pub(in super::super) fn seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        _ => return None,
    })
}

/// Units of size, as a power of a thousand.
pub(in super::super) fn magnitude(unit: &str) -> Option<i32> {
    Some(match unit {
        "b" | "byte" | "bytes" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        _ => return None,
    })
}

/// The number at a token, with the unit behind it.
fn quantity(tokens: &[String], at: usize) -> Option<Quantity> {
    let token = tokens.get(at)?.trim_start_matches('~');
    if !token.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let split = token.find(|c: char| c.is_alphabetic()).unwrap_or(token.len());
    let (digits, glued) = token.split_at(split);
    let value: f64 = digits.replace(',', "").parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, rest)| rest.len());
    let unit =
        if glued.is_empty() { tokens.get(at + 1).cloned().unwrap_or_default() } else { glued.to_owned() };
    Some(Quantity { value, step: 0.1_f64.powi(i32::try_from(places).ok()?), unit })
}

impl View<'_> {
    fn has(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| words.contains(&token.as_str()))
    }

    fn norm(&self) -> String {
        joined(self.tokens)
    }

    fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |it| self.token(it))
    }

    /// Whether one of `words` stands right before a number.
    fn near(&self, at: usize, words: &[&str]) -> bool {
        (at.saturating_sub(2)..at).any(|it| words.contains(&self.token(it)))
    }

    /// The word before a number and before what makes it rough.
    fn leads(&self, at: usize) -> &str {
        let at = if ROUGH.contains(&self.before(at)) { at - 1 } else { at };
        self.before(at)
    }

    fn code(&self, token: &str) -> Option<&str> {
        match self.text.span(token.chars().next()?)? {
            Span::Code(code) => Some(code),
            Span::Quote(_) => None,
        }
    }

    fn codes(&self) -> Vec<String> {
        self.tokens.iter().filter_map(|token| self.code(token)).map(str::to_lowercase).collect()
    }

    fn negated(&self) -> bool {
        contains(&self.norm(), self.language, self.language.negation)
            || self.tokens.iter().any(|token| token.ends_with("n't"))
    }

    /// As [`Self::negated`], where "skipped" is a deed.
    fn denied(&self) -> bool {
        self.tokens.iter().any(|token| {
            matches!(token.as_str(), "not" | "no" | "never" | "without" | "none" | "neither")
                || token.ends_with("n't")
        })
    }

    /// Names of what the clause is about: code, and words that no statement needs.
    fn names(&self) -> Vec<String> {
        const PLAIN: &[&str] = &[
            "the",
            "check",
            "answers",
            "returns",
            "returned",
            "responds",
            "with",
            "status",
            "code",
            "exits",
            "exit",
            "container",
            "containers",
            "service",
            "services",
            "healthy",
            "running",
            "ready",
            "again",
            "both",
            "endpoint",
            "server",
            "request",
            "command",
            "script",
            "pods",
            "now",
            "and",
            "all",
        ];
        let words = self.tokens.iter().chain(self.lead).filter(|token| {
            2 < token.len()
                && token.chars().all(|c| c.is_alphabetic() || c == '-')
                && !PLAIN.contains(&token.as_str())
        });
        let led = self.lead.iter().filter_map(|token| self.code(token)).map(str::to_lowercase);
        self.codes().into_iter().chain(led).chain(words.cloned()).collect()
    }
}

/// The words of the message that a name of something may be made of.
pub(in super::super) fn parts(name: &str) -> Vec<&str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|part| 1 < part.len()).collect()
}

#[cfg(test)]
pub(super) fn short(stated: &Stated) -> String {
    match stated {
        Stated::Metric(name, it) => format!("{name} {} {}", it.value, it.unit),
        Stated::Time(_, it) | Stated::Size(_, it) => format!("{} {}", it.value, it.unit),
        Stated::Counted(deed, noun, count) => format!("{deed} {count} {noun}"),
        Stated::Status(code, _) => format!("{code} status"),
        other => format!("{other:?}").to_lowercase(),
    }
}
