//! States and values that are told: "the tree is clean", "p95 is 180 ms", "no `console.log` is left".
//!
//! Each form is narrow: what is read here is judged against the very output that speaks of it, and a statement that
//! could be a plan, a limit, an example or a description of code is none.

use super::super::act::Act;
use super::super::clause::{self, Clause, contains};
use super::super::evidence::{deed, metric};
use super::super::language::{LANGUAGES, Language, Noun};
use super::super::text::{BlockKind, Span, Text};
use super::{Reading, Told, joined, objects};

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
    /// The version of a program.
    Version(String, String),
    /// The branch that is checked out.
    Branch(String),
    /// Nothing is stashed.
    Unstashed,
    /// Everything passed in continuous integration.
    Checks,
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

/// Words that make a state a wish, a rule or an example.
const DOUBTS: &[&str] = &[
    "expected",
    "expects",
    "expect",
    "asserts",
    "assertion",
    "mock",
    "mocked",
    "mocks",
    "stub",
    "stubbed",
    "example",
    "previously",
    "initially",
    "originally",
    "formerly",
    "theoretically",
    "typically",
    "usually",
    "often",
    "sometimes",
    "normally",
    "until",
    "ensures",
    "guarantees",
    "yet",
    "supposedly",
    "nearly",
    "almost",
];

/// Words that make a number a limit, a setting or history.
const LIMITS: &[&str] = &[
    "limit",
    "limits",
    "limited",
    "target",
    "targets",
    "threshold",
    "budget",
    "maximum",
    "minimum",
    "max",
    "min",
    "cap",
    "capped",
    "timeout",
    "timeouts",
    "ttl",
    "sla",
    "slo",
    "goal",
    "gate",
    "default",
    "defaults",
    "configured",
    "estimate",
    "estimated",
    "every",
    "each",
    "per",
    "interval",
    "debounce",
    "debounced",
    "delay",
    "retries",
    "sleep",
    "sleeps",
    "waits",
    "sets",
    "setting",
];

/// Words right before a number that make it a bound.
const BOUNDS: &[&str] =
    &["least", "most", "under", "below", "over", "above", "within", "than", "exceeds", "nearly", "almost"];
/// Words right before a number that make it a rough one.
const ROUGH: &[&str] = &["about", "around", "roughly", "approximately", "approx", "circa", "some"];
/// How far a rough number may be off.
const ROUGH_SHARE: f64 = 0.25;

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
        let stated = if number == 0 && language.code == "en" { self::row(text, index) } else { None };
        return stated.map(|it| reading(text, clause, language, Act::Run, it)).into_iter().collect();
    }
    if clause.before_arrow || clause.conditional_from.is_some() {
        return Vec::new();
    }
    let mut out = Vec::new();
    if let Some((act, all)) = spotless(clause, language) {
        out.push(reading(text, clause, language, act, Stated::Spotless(all)));
    }
    if language.code != "en" || !speaks(&clause.tokens) {
        return out;
    }
    let before = number.checked_sub(1).and_then(|it| clauses.get(it));
    let behind = clauses.get(number + 1);
    if let Some(stated) = tests(clause, before, behind, language) {
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
        clause: 0,
    }
}

fn name(stated: &Stated) -> &'static str {
    match stated {
        Stated::Metric(..) | Stated::Time(..) | Stated::Size(..) | Stated::Faster(_) => "measure",
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

    /// What is so, without a number.
    fn states(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        out.extend(self.same());
        out.extend(self.clean());
        out.extend(self.there());
        out.extend(self.refused());
        out.extend(self.exit());
        out.extend(self.health());
        out.extend(self.invulnerable());
        out.extend(self.branch());
        out.extend(self.checks());
        out
    }

    fn same(&self) -> Option<Stated> {
        const THINGS: &[&str] = &[
            "both",
            "exports",
            "files",
            "outputs",
            "output",
            "dumps",
            "builds",
            "copies",
            "snapshots",
            "artifacts",
            "archives",
        ];
        if !self.has(THINGS)
            || self.has(&["except", "apart", "besides", "behaviour", "behavior", "semantically"])
        {
            return None;
        }
        let norm = self.norm();
        let differ = self.has(&["differ"]);
        let none = norm.contains(" no difference") || norm.contains(" no differences ");
        let copula = |at: usize| {
            (at.saturating_sub(2)..at).any(|it| {
                matches!(self.token(it), "is" | "are" | "stay" | "remain" | "both" | "byte-for-byte")
            })
        };
        let equal = self.tokens.iter().enumerate().any(|(at, token)| {
            matches!(token.as_str(), "identical" | "byte-identical" | "byte-for-byte")
                && copula(at)
                && matches!(self.token(at + 1), "" | "and" | "now" | "again" | "byte" | "identical")
        }) || norm.contains(" match byte for byte ")
            || norm.contains(" are the same ");
        match (differ, none, equal) {
            (true, false, _) if !self.negated() => Some(Stated::Same(false)),
            (false, true, _) => Some(Stated::Same(true)),
            (false, false, true) if !self.negated() => Some(Stated::Same(true)),
            _ => None,
        }
    }

    fn clean(&self) -> Option<Stated> {
        let norm = self.norm();
        const FORMS: &[&str] = &[
            " working tree is clean ",
            " work tree is clean ",
            " worktree is clean ",
            " working directory is clean ",
            " git status is clean ",
            " no uncommitted changes ",
            " nothing is uncommitted ",
            " nothing uncommitted ",
            " nothing is left uncommitted ",
        ];
        let other = [" check", " refuses ", " requires ", " must ", " that the "];
        let status = self.has(&["clean"])
            && (self.codes().iter().any(|code| code == "git status") || norm.contains(" git status "))
            && self.tokens.len() <= 6;
        if self.has(&["apart", "except", "besides", "but", "aside"]) {
            return None;
        }
        let said = (status && !self.negated() || FORMS.iter().any(|form| norm.contains(form)))
            && !other.iter().any(|it| norm.contains(it));
        said.then_some(Stated::Clean)
    }

    fn branch(&self) -> Option<Stated> {
        let norm = self.norm();
        if [" stash is empty ", " stash list is empty ", " no stashes left ", " no stash left "]
            .iter()
            .any(|form| norm.contains(form))
        {
            return Some(Stated::Unstashed);
        }
        let at = self.tokens.iter().position(|token| token == "on")?;
        let now = self.has(&["you're", "we're", "i'm", "currently", "still", "now"]);
        let next = if self.token(at + 1) == "branch" { at + 2 } else { at + 1 };
        let name = self.code(self.token(next))?;
        let whose = at == 0
            || self.has(&["you're", "we're", "i'm"])
            || at == 1 && matches!(self.token(0), "still" | "currently" | "now" | "back");
        let plain = !name.contains(char::is_whitespace) && !name.contains([':', '(']);
        let ends = matches!(self.token(next + 1), "" | "now" | "again");
        (now && whose && plain && at <= 3 && ends && !self.negated())
            .then(|| Stated::Branch(name.to_lowercase()))
    }

    fn checks(&self) -> Option<Stated> {
        let norm = self.norm();
        let ci = self.has(&["ci", "pipeline", "workflow"])
            || norm.contains(" checks on the pr ")
            || norm.contains(" pr checks ")
            || norm.contains(" github actions ");
        let passed = self.has(&["green", "passed", "passes", "pass", "succeeded"]);
        let other = [
            "except", "apart", "besides", "but", "runs", "until", "after", "locally", "lint", "last", "main",
            "why", "which", "that", "because", "where", "how",
        ];
        (ci && passed && self.tokens.len() <= 9 && !self.has(&other) && !self.negated())
            .then_some(Stated::Checks)
    }

    fn there(&self) -> Option<Stated> {
        let norm = self.norm();
        let is = self.tokens.iter().position(|token| matches!(token.as_str(), "is" | "isn't"))?;
        let not = self.token(is + 1) == "not";
        let missing = self.token(is) == "isn't" || not;
        let mut said = is + 1 + usize::from(not);
        said += usize::from(matches!(self.token(said), "already" | "now"));
        let installed = matches!(self.token(said), "installed" | "available")
            && matches!(self.token(said + 1), "" | "on" | "in" | "here" | "now");
        let cue = norm.contains(" on the path ") || norm.contains(" on path ") || installed;
        if !cue || is == 0 || 2 < is || self.has(&["longer", "only"]) {
            return None;
        }
        let token = self.before(is);
        let name = self.code(token).unwrap_or(token).to_lowercase();
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        (plain && 1 < name.len()).then_some(Stated::There(name, !missing))
    }

    fn refused(&self) -> Option<Stated> {
        const KINDS: &[&str] = &[
            "expired",
            "invalid",
            "forged",
            "revoked",
            "anonymous",
            "unauthenticated",
            "malformed",
            "unsigned",
        ];
        let kind = self.tokens.iter().position(|token| KINDS.contains(&token.as_str()))?;
        let refused = self.has(&["refused", "rejected", "denied", "blocked"]);
        let accepted = self.has(&["accepted", "allowed"]);
        if !self.negated()
            && self.has(&["get", "gets", "got", "receive", "receives"])
            && self.tokens.last().is_some_and(|last| matches!(last.as_str(), "401" | "403"))
        {
            return Some(Stated::Refused(true, self.token(kind).to_owned()));
        }
        let is = self
            .tokens
            .iter()
            .skip(kind)
            .any(|token| matches!(token.as_str(), "is" | "are" | "get" | "gets"));
        (is && refused != accepted && !self.negated())
            .then(|| Stated::Refused(refused, self.token(kind).to_owned()))
    }

    fn exit(&self) -> Option<Stated> {
        let at =
            self.tokens.iter().position(|token| matches!(token.as_str(), "exits" | "exited" | "exit"))?;
        let mut next = at + 1;
        while matches!(self.token(next), "with" | "code" | "status" | "a" | "of" | "is" | "was") {
            next += 1;
        }
        let code: u8 = self.token(next).parse().ok()?;
        let ends = matches!(self.token(next + 1), "" | "," | "and" | "now" | "again");
        (ends && !self.negated()).then(|| Stated::Exit(code, self.names()))
    }

    fn health(&self) -> Option<Stated> {
        const THINGS: &[&str] = &[
            "container",
            "containers",
            "pod",
            "pods",
            "service",
            "services",
            "deployment",
            "stack",
            "database",
            "db",
            "replicas",
            "replica",
            "machines",
            "daemon",
        ];
        let at = self
            .tokens
            .iter()
            .rposition(|token| matches!(token.as_str(), "healthy" | "up" | "running" | "ready"))?;
        let copula = |it: usize| matches!(self.token(it), "is" | "are" | "stays" | "reports");
        let near = (at.saturating_sub(4)..at).any(copula);
        let ends = matches!(self.token(at + 1), "" | "," | "again" | "now" | "and" | "fine");
        if !near || !ends || !self.has(THINGS) || self.negated() {
            return None;
        }
        let health = if matches!(self.token(at), "healthy" | "ready") { Health::Healthy } else { Health::Up };
        let all = self.has(&["all", "both", "containers", "pods", "services"]);
        Some(Stated::Healthy(health, self.names(), all))
    }

    /// What is so, with a number.
    fn values(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        out.extend(self.status());
        out.extend(self.metrics());
        out.extend(self.time());
        out.extend(self.size());
        out.extend(self.counted());
        out.extend(self.coverage());
        out.extend(self.faster());
        out.extend(self.version());
        out
    }

    /// Numbers that a unit follows, without those that tell of the past, of a difference or of a duration.
    fn current(&self, fits: impl Fn(&str) -> bool) -> Vec<(usize, Quantity)> {
        let all: Vec<(usize, Quantity)> = (0..self.tokens.len())
            .filter_map(|at| Some((at, quantity(self.tokens, at)?)))
            .filter(|(_, it)| fits(&it.unit))
            .collect();
        let fine = |at: usize| {
            let behind = self.tokens.iter().skip(at + 1).take(3);
            !matches!(
                self.before(at),
                "from" | "was" | "were" | "than" | "by" | "of" | "after" | "for" | "between"
            ) && !behind.clone().any(|token| {
                matches!(
                    token.as_str(),
                    "faster"
                        | "slower"
                        | "less"
                        | "more"
                        | "longer"
                        | "shorter"
                        | "smaller"
                        | "larger"
                        | "before"
                        | "saved"
                        | "quicker"
                        | "ago"
                        | "later"
                )
            })
        };
        all.into_iter()
            .filter(|(at, _)| fine(*at) && !self.near(*at, BOUNDS))
            .map(|(at, it)| {
                let rough = self.near(at, ROUGH) || self.token(at).starts_with('~');
                let step = if rough { it.step.max(ROUGH_SHARE * it.value) } else { it.step };
                (at, Quantity { step, ..it })
            })
            .collect()
    }

    fn status(&self) -> Option<Stated> {
        const SAYS: &[&str] = &[
            "answers",
            "answered",
            "returns",
            "returned",
            "responds",
            "responded",
            "status",
            "http",
            "gives",
        ];
        if let [only] = self.tokens
            && only.len() == 3
            && let Ok(code) = only.parse::<u16>()
            && (100..600).contains(&code)
        {
            // "Health endpoint: 200", "`GET /health` → 200"
            let asked = self.lead.iter().any(|token| {
                matches!(token.as_str(), "endpoint" | "status" | "http" | "health")
                    || self.code(token).is_some_and(|code| code.starts_with('/') || code.contains(" /"))
            });
            return asked.then(|| Stated::Status(code, self.names()));
        }
        if !self.has(SAYS) || self.negated() {
            return None;
        }
        let code = |at: &usize| {
            let token = self.token(*at);
            token.len() == 3 && token.parse::<u16>().is_ok_and(|it| (100..600).contains(&it))
        };
        let all: Vec<usize> = (0..self.tokens.len()).filter(code).collect();
        let [at] = all.as_slice() else { return None };
        let tied = SAYS.contains(&self.before(*at))
            || matches!(self.before(*at), "with" | "a" | "an" | "code" | "is");
        // "returns 404 for unknown ids" describes code.
        let ends = matches!(self.token(at + 1), "" | "," | "and" | "now" | "again" | "ok");
        let code = self.token(*at).parse().ok()?;
        (tied && ends && !self.has(&["exit", "exits"])).then(|| Stated::Status(code, self.names()))
    }

    fn metrics(&self) -> Vec<Stated> {
        let numbers = self.current(|unit| seconds(unit).is_some());
        let mut out = Vec::new();
        let names: Vec<(usize, String)> =
            self.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, metric(token)?))).collect();
        for (place, (at, name)) in names.iter().enumerate() {
            let end = names.get(place + 1).map_or(self.tokens.len(), |(next, _)| *next);
            let own: Vec<&Quantity> =
                numbers.iter().filter(|(it, _)| at < it && *it < end).map(|(_, it)| it).collect();
            if let [one] = own.as_slice() {
                out.push(Stated::Metric(name.clone(), (*one).clone()));
            }
        }
        if names.is_empty()
            && let [(at, one)] = numbers.as_slice()
            && *at < 4
            && let [name] = self.lead.iter().filter_map(|token| metric(token)).collect::<Vec<_>>().as_slice()
        {
            out.push(Stated::Metric(name.clone(), one.clone()));
        }
        out
    }

    fn time(&self) -> Option<Stated> {
        let metrics = self.tokens.iter().chain(self.lead).any(|token| metric(token).is_some());
        if metrics || self.negated() {
            return None;
        }
        let numbers = self.current(|unit| seconds(unit).is_some());
        let [(at, number)] = numbers.as_slice() else { return None };
        let timed = self.tokens[..*at].iter().chain(self.lead).find_map(|token| timed(token))?;
        let cue = matches!(
            self.leads(*at),
            "is" | "takes"
                | "took"
                | "in"
                | "at"
                | "to"
                | "now"
                | "needs"
                | "averages"
                | "only"
                | "just"
                | "lasted"
        ) || (*at == 0 && !self.lead.is_empty());
        cue.then(|| Stated::Time(timed, number.clone()))
    }

    fn size(&self) -> Option<Stated> {
        if self.negated() {
            return None;
        }
        let numbers = self.current(|unit| magnitude(unit).is_some() && unit != "m" && unit != "k");
        let [(at, number)] = numbers.as_slice() else { return None };
        let weighed = self.tokens[..*at]
            .iter()
            .chain(self.lead)
            .rev()
            .find_map(|token| weighed(token))
            .or_else(|| (self.before(*at) == "weighs").then_some(Weighed::File))?;
        let cue = matches!(
            self.leads(*at),
            "is" | "at" | "to" | "now" | "weighs" | "size" | "totals" | "only" | "just" | "measures"
        ) || (*at == 0 && !self.lead.is_empty());
        cue.then(|| Stated::Size(weighed, number.clone()))
    }

    fn counted(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            let digits = self.token(at).bytes().next().is_some_and(|byte| byte.is_ascii_digit());
            let Some(count) = objects::number(self.token(at), self.language).filter(|_| digits) else {
                continue;
            };
            if self.token(at + 1).starts_with("vulnerabilit")
                || self.token(at + 1) == "known" && self.token(at + 2).starts_with("vulnerabilit")
            {
                out.push(Stated::Vulnerable(count));
                continue;
            }
            // `41 calls`, "41 `moment()` calls"
            let width = if self.code(self.token(at + 1)).is_some() { 2 } else { 1 };
            let noun = self.token(at + width);
            let fits = 3 < noun.len() && noun.ends_with('s') && noun.chars().all(char::is_alphabetic);
            let owned =
                ["packages", "dependencies", "modules", "tests", "times", "lines", "seconds", "minutes"];
            let hedged = self.near(at, BOUNDS) || self.near(at, ROUGH);
            if let Some(deed) = deed(self.token(at + 1)).filter(|_| self.token(at + 2).is_empty() && at == 0)
            {
                // "…, 4 skipped"
                if matches!(deed, "skipped" | "imported" | "migrated" | "processed") {
                    out.push(Stated::Counted(deed, String::new(), count));
                }
                continue;
            }
            let holds = matches!(self.before(at), "has" | "have" | "contains" | "holds" | "are" | "now");
            if holds
                && !hedged
                && width == 1
                && self.has(&["table", "database"])
                && self.token(at + 2).is_empty()
            {
                out.push(Stated::Counted("held", noun.to_owned(), count));
                continue;
            }
            let whole = matches!(self.before(at), "have" | "has")
                && self.has(&["sources", "source", "code", "files"]);
            if noun == "lines" && whole && !hedged && width == 1 && self.token(at + 2).is_empty() {
                out.push(Stated::Counted("", "lines".to_owned(), count));
                continue;
            }
            if !fits
                || hedged
                || owned.contains(&noun)
                || matches!(self.before(at), "of" | "by" | "other" | "further")
            {
                continue;
            }
            let before =
                (at.saturating_sub(2)..at).rev().find_map(|it| deed(self.token(it)).map(|deed| (it, deed)));
            let behind =
                (at + width + 1..at + width + 4).find_map(|it| deed(self.token(it)).map(|deed| (it, deed)));
            let Some((verb, deed)) = before.or(behind) else { continue };
            // What the agent changed itself is a deed of its own, told by its calls.
            let own =
                self.tokens[..verb].iter().any(|it| matches!(it.as_str(), "i" | "we" | "i've" | "we've"))
                    || (verb == 0 && before.is_some());
            // What git counts is counted otherwise.
            let whole_change = noun == "files" && before.is_none() && deed == "changed" && !self.has(&["by"]);
            if whole_change
                || own && matches!(deed, "changed" | "replaced" | "deleted" | "renamed" | "generated")
                || self.denied()
            {
                continue;
            }
            out.push(Stated::Counted(deed, noun.to_owned(), count));
        }
        out
    }

    fn invulnerable(&self) -> Option<Stated> {
        let at = self.tokens.iter().position(|token| token == "vulnerabilities")?;
        let none = |it: usize| matches!(self.before(it), "no" | "zero");
        (none(at) || self.before(at) == "known" && none(at - 1)).then_some(Stated::Vulnerable(0))
    }

    fn coverage(&self) -> Option<Stated> {
        let covers = self.lead.len() <= 3 && self.lead.iter().any(|token| token == "coverage");
        let percent = self.token(0).strip_suffix('%')?.parse().ok()?;
        (covers && self.tokens.len() == 1).then_some(Stated::Coverage(percent))
    }

    fn faster(&self) -> Option<Stated> {
        let at = self.tokens.iter().position(|token| token == "faster")?;
        let number = match self.before(at) {
            "times" => self.before(at - 1),
            glued => glued.strip_suffix('x')?,
        };
        number.parse().ok().filter(|it| *it > 1.0).map(Stated::Faster)
    }

    fn version(&self) -> Option<Stated> {
        const PROGRAMS: &[&str] =
            &["node", "npm", "python", "go", "rustc", "ruby", "java", "php", "deno", "bun", "pnpm", "yarn"];
        const CUES: &[&str] = &["installed", "active", "locally", "machine", "here", "running", "runs"];
        if let Some((program, "--version" | "-v")) =
            self.code(self.token(0)).and_then(|it| it.split_once(' '))
            && matches!(self.token(1), "prints" | "is" | "shows" | "gives")
        {
            let version = self.token(2).trim_start_matches('v');
            let plain =
                version.contains('.') && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            return (plain && self.tokens.len() == 3)
                .then(|| Stated::Version(program.to_owned(), version.to_owned()));
        }
        let at = self.tokens.iter().position(|token| PROGRAMS.contains(&token.as_str()))?;
        let next =
            if self.token(at + 1) == "is" || self.token(at + 1) == "version" { at + 2 } else { at + 1 };
        let version = self.token(next).trim_start_matches('v');
        let plain =
            version.contains('.') && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let other =
            ["needs", "requires", "required", "upgrade", "ci", "image", "docker", "supports", "from", "to"];
        (plain && self.has(CUES) && !self.has(&other) && !self.negated())
            .then(|| Stated::Version(self.token(at).to_owned(), version.to_owned()))
    }

    /// What a search finds.
    fn searches(&self) -> Option<Stated> {
        let (mut places, mut patterns) = (Vec::new(), Vec::new());
        for (at, token) in self.tokens.iter().enumerate() {
            let Some(code) = self.code(token) else { continue };
            let place = code.ends_with('/')
                || (code.contains('/') && !code.contains(' '))
                || matches!(self.before(at), "in" | "under" | "below" | "from" | "across" | "throughout");
            if place { &mut places } else { &mut patterns }.push(code.to_lowercase());
        }
        if patterns.is_empty() {
            let word = self.tokens.iter().find_map(|token| match token.as_str() {
                "todo" | "todos" => Some("todo"),
                "fixme" | "fixmes" => Some("fixme"),
                token => {
                    let dotted =
                        token.contains('.') && token.chars().filter(|c| c.is_alphabetic()).count() > 4;
                    (dotted && !token.contains('/') && !token.bytes().any(|b| b.is_ascii_digit()))
                        .then_some(token)
                }
            });
            patterns.extend(word.map(str::to_owned));
        }
        patterns.retain(|it| !matches!(it.as_str(), "grep" | "rg"));
        let [pattern] = patterns.as_slice() else { return None };
        let norm = self.norm();
        let left = self.has(&["left", "remain", "remains", "remaining", "anymore"])
            || norm.starts_with(" no more ")
            || norm.ends_with(" any more ")
            || norm.contains(" finds no ")
            || norm.contains(" found no ");
        let none =
            self.tokens.iter().take(3).any(|it| matches!(it.as_str(), "no" | "zero")) || self.has(&["gone"]);
        let narrowed = [
            "outside",
            "except",
            "apart",
            "other",
            "besides",
            "excluding",
            "production",
            "unused",
            "real",
            "that",
            "which",
        ];
        if self.has(&narrowed) {
            return None;
        }
        let none = none
            || norm.starts_with(" not a single ")
            || (norm.contains(" finds no ") || norm.contains(" found no "))
                && (self.token(0) == "grep"
                    || self.code(self.token(0)).is_some_and(|it| matches!(it, "grep" | "rg")));
        let unused =
            [" no longer used ", " no longer imported ", " no longer referenced ", " no longer called "];
        if unused.iter().any(|it| norm.contains(it)) && !places.is_empty() {
            return Some(Stated::Left(patterns.clone(), places));
        }

        let gone = self.has(&["gone"])
            && self.tokens.first().is_some_and(|it| matches!(it.as_str(), "all" | "every"));
        if (none && left) || gone {
            return Some(Stated::Left(patterns.clone(), places));
        }
        if self.negated() {
            return None;
        }
        let (at, exact) = self.tokens.iter().enumerate().find_map(|(at, token)| match token.as_str() {
            "matches" | "hits" | "occurrences" | "todos" | "fixmes" => Some((at, true)),
            "usages" | "references" | "uses" | "callers" => Some((at, false)),
            _ => None,
        })?;
        let near = (at.saturating_sub(2)..at).rev().find(|it| {
            // "3 `foo` usages"
            self.code(self.token(*it)).is_none()
        })?;
        let count = objects::number(self.token(near), self.language)?;
        let hedged = self.near(near, BOUNDS) || self.near(near, ROUGH);
        (!hedged && !matches!(self.before(near), "of" | "other" | "these" | "those" | "the"))
            .then(|| Stated::Matches(pattern.clone(), places, count, exact))
    }
}

fn timed(token: &str) -> Option<Timed> {
    Some(match token {
        "query" | "queries" | "select" => Timed::Query,
        "build" | "builds" | "compile" | "compilation" => Timed::Build,
        "suite" | "tests" | "specs" => Timed::Tests,
        "request" | "requests" | "endpoint" | "response" | "latency" => Timed::Request,
        "startup" | "command" | "script" | "cli" | "job" => Timed::Command,
        _ => return None,
    })
}

fn weighed(token: &str) -> Option<Weighed> {
    Some(match token {
        "bundle" | "chunk" | "javascript" | "js" | "css" | "build" => Weighed::Bundle,
        "image" => Weighed::Image,
        "binary" | "executable" | "archive" | "tarball" | "dump" | "backup" => Weighed::File,
        _ => return None,
    })
}

/// The cells of a row; the first one may be empty.
fn cells(row: &str) -> Vec<Vec<String>> {
    let row = if row.starts_with("| ") { format!(" {row}") } else { row.to_owned() };
    row.split(" | ").map(clause::tokens).collect()
}

/// `| p95 | 212 ms | 14 ms |` below `| | before | after |`.
fn row(text: &Text, index: usize) -> Option<Stated> {
    let cells = cells(&text.blocks.get(index)?.text);
    let label = cells.first()?;
    let limits = |token: &String| LIMITS.contains(&token.as_str()) || BOUNDS.contains(&token.as_str());
    if label.iter().any(limits) {
        return None;
    }
    let columns = text.columns(index).map(self::cells).unwrap_or_default();
    let says = |words: &[&str]| {
        columns.iter().position(|cell: &Vec<String>| cell.iter().any(|token| words.contains(&token.as_str())))
    };
    let at = match (
        says(&["before", "old", "previously", "baseline", "main", "master", "base"]),
        says(&["after", "now", "new", "branch", "patched", "current", "optimised", "optimized"]),
    ) {
        (Some(_), Some(after)) => after,
        (None, _) if cells.len() == 2 && !columns.iter().flatten().any(limits) => 1,
        _ => return None,
    };
    let cell = cells.get(at)?;
    let number = quantity(cell, 0)?;
    // A remark behind the number may say anything.
    if cell.len() > 2 {
        return None;
    }
    if seconds(&number.unit).is_some() {
        if let Some(name) = label.iter().find_map(|token| metric(token)) {
            return Some(Stated::Metric(name, number));
        }
        return label.iter().find_map(|token| timed(token)).map(|timed| Stated::Time(timed, number));
    }
    magnitude(&number.unit)?;
    label.iter().find_map(|token| weighed(token)).map(|weighed| Stated::Size(weighed, number))
}

/// `241 specs, 0 failures`; `two tests fail`; `(101)` behind "the suite passes".
fn tests(
    clause: &Clause,
    before: Option<&Clause>,
    behind: Option<&Clause>,
    language: &Language,
) -> Option<Stated> {
    const TESTS: &[&str] = &["specs", "examples", "tests", "scenarios"];
    let token = |at: usize| clause.tokens.get(at).map_or("", String::as_str);
    let number = |at: usize| objects::number(token(at), language);
    let whole = || {
        let (part, all) = token(0).split_once('/')?;
        (part == all).then(|| part.parse::<u64>().ok()).flatten()
    };
    if clause.bracketed
        && clause.tokens.len() <= 2
        && let Some(count) = number(0).or_else(whole)
        && (clause.tokens.len() == 1 || TESTS.contains(&token(1)))
        && let Some(before) = before
    {
        let names = language.judges.iter().find(|(act, _)| *act == Act::Test)?.1;
        let mut norm = before.norm();
        // "The suite (101 tests) passes"
        if !contains(&norm, language, language.pass)
            && let Some(behind) = behind.filter(|it| it.tokens.len() <= 3)
        {
            norm.push_str(&behind.norm());
        }
        let told = contains(&norm, language, names)
            && contains(&norm, language, language.pass)
            && !contains(&norm, language, language.fail)
            && !contains(&norm, language, language.modal)
            && !contains(&norm, language, language.negation)
            && before.conditional_from.is_none()
            && !before.tokens.iter().any(|token| token.bytes().any(|byte| byte.is_ascii_digit()));
        return (told && clause.tokens[0].bytes().next().is_some_and(|byte| byte.is_ascii_digit()))
            .then_some(Stated::Tests(Some(count), None));
    }
    for at in 0..clause.tokens.len() {
        let one = || (token(at) == "one" && token(at + 1) == "test").then_some(1);
        let Some(count) = number(at).or_else(one) else { continue };
        if at
            .checked_sub(1)
            .is_some_and(|it| matches!(token(it), "of" | "new" | "other" | "more" | "another"))
        {
            continue;
        }
        let ends = |at: usize| matches!(token(at), "" | "," | "now" | "and" | "left" | "remain");
        // "two failing tests", "2 failures left"
        let failing =
            matches!(token(at + 1), "failing" | "failed") && TESTS.contains(&token(at + 2)) && ends(at + 3)
                || token(at + 1) == "test" && token(at + 2) == "failures" && ends(at + 3)
                || token(at + 1) == "failures" && matches!(token(at + 2), "left" | "remain");
        if failing && !matches!(token(at), "0" | "zero") {
            return Some(Stated::Tests(None, Some(count)));
        }
        // "two of the tests are failing"
        let of = if token(at + 1) == "of" && token(at + 2) == "the" { at + 3 } else { at + 1 };
        let singular = token(of) == "test" && (count == 1 || token(at) == "one");
        if !TESTS.contains(&token(of)) && !singular {
            continue;
        }
        let mut next = of + 1;
        while matches!(token(next), "," | "and" | "are" | "still" | "now" | "with" | "is") {
            next += 1;
        }
        if matches!(token(next), "fail" | "fails" | "failing" | "failed") && token(of + 1) != "," {
            return ends(next + 1).then_some(Stated::Tests(None, Some(count)));
        }
        if of == at + 1
            && let Some(failed) = number(next).or_else(|| (token(next) == "no").then_some(0))
            && matches!(token(next + 1), "failures" | "failure" | "failed")
        {
            return Some(Stated::Tests(Some(count), Some(failed)));
        }
    }
    None
}

/// "ESLint reports nothing"; "o lint terminou sem avisos". The judge that is meant, and whether errors are as well.
fn spotless(clause: &Clause, language: &Language) -> Option<(Act, bool)> {
    const NOTHING: &[&str] = &[
        " reports nothing ",
        " finds nothing ",
        " found nothing ",
        " is silent ",
        " has no complaints ",
        " has nothing to report ",
        " has nothing to complain about ",
        " complains about nothing ",
    ];
    const WARNINGS: &[&str] = &[
        "sem avisos",
        "sem warnings",
        "sin advertencias",
        "sin avisos",
        "ohne warnungen",
        "keine warnungen",
        "sans avertissement",
        "sans avertissements",
        "没有警告",
        "无警告",
        "警告なし",
        "경고 없이",
    ];
    let judges = [Act::Lint, Act::Typecheck, Act::Build];
    // A message of a few words may not tell its language.
    let cue = !language.spaced
        || clause.tokens.iter().any(|token| {
            matches!(
                token.as_str(),
                "nothing" | "silent" | "complaints" | "sem" | "sin" | "ohne" | "keine" | "sans"
            )
        });
    if !cue {
        return None;
    }
    let norm = if language.spaced { clause.norm() } else { clause.text.to_lowercase() };
    let says = |forms: &[&str]| {
        forms.iter().any(|form| {
            norm.split_once(form).is_some_and(|(_, rest)| {
                let next = rest.split_whitespace().next().unwrap_or_default();
                !matches!(
                    next,
                    "new" | "else" | "but" | "except" | "serious" | "of" | "that" | "critical" | "major"
                )
            })
        })
    };
    let all = says(NOTHING);
    if !all && !says(WARNINGS) {
        return None;
    }
    if contains(&norm, language, language.modal) {
        return None;
    }
    let wide = format!("{}{norm}", clause.label.as_deref().unwrap_or_default());
    let names = |act: &Act| {
        let own = language.judges.iter().chain(LANGUAGES[0].judges);
        own.filter(|(it, _)| it == act).any(|(_, names)| contains(&wide, language, names))
    };
    let act = judges.into_iter().find(names)?;
    Some((act, all))
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
