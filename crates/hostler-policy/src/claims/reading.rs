//! Clauses -> claims.

pub(super) mod current;
pub(super) mod number;
mod objects;
mod result;
pub(super) mod state;
mod verb;

use super::act::Act;
use super::clause::{self, Clause, contains};
use super::language::{self, LANGUAGES, Language, Noun, Venue};
use super::text::{BlockKind, Text};
use super::verdict::Claim;

pub(super) use objects::{Object, path_of};

pub(super) use verb::outside;

/// A claim with everything that judging it needs.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four properties of a clause that have nothing to do with each other"
)]
pub(super) struct Reading {
    /// What is said.
    pub(super) act: Act,
    /// The clause as the message has it.
    pub(super) text: String,
    /// Which pattern read it.
    pub(super) pattern: String,
    /// What it is about.
    pub(super) objects: Vec<Object>,
    /// Kinds of things that its words name.
    pub(super) nouns: Vec<Noun>,
    /// How many of them, or how often.
    pub(super) count: Option<u64>,
    /// Everything is meant.
    pub(super) whole: bool,
    /// Where it is said to hold.
    pub(super) venue: Option<Venue>,
    /// A result is told.
    pub(super) result: Option<Told>,
    /// The agent says "I" or "we"; else the subject is implied, or the voice is passive.
    pub(super) said: bool,
    /// The voice is passive: nobody is named.
    pub(super) passive: bool,
    /// A helper is said to have done it.
    pub(super) by_subagent: bool,
    /// The words of the clause and its sentence, for judging by names.
    pub(super) words: Vec<String>,
    /// The verb, lower case; empty for results.
    pub(super) verb: String,
}

/// A result as told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Told {
    /// Everything passed, in words.
    pub(super) passed: bool,
    /// Numbers as told.
    pub(super) tests_passed: Option<u64>,
    /// Tests that failed.
    pub(super) tests_failed: Option<u64>,
    /// Tests that were skipped.
    pub(super) tests_skipped: Option<u64>,
    /// Errors that a linter, compiler or type checker is said to report.
    pub(super) errors: Option<u64>,
    /// Warnings.
    pub(super) warnings: Option<u64>,
    /// All tests that there are.
    pub(super) tests_total: Option<u64>,
    /// Coverage in percent.
    pub(super) coverage_percent: Option<f64>,
    /// The programs named, e.g. `pytest`.
    pub(super) programs: Vec<String>,
    /// Packages or suites, `all 12 packages`.
    pub(super) units: Option<u64>,
    /// Checks in general are meant, not tests alone.
    pub(super) any: bool,
    /// A state or another value.
    pub(super) state: Option<state::Stated>,
    /// A number that no other form reads.
    pub(super) number: Option<number::Number>,
    /// There is said to be nothing to do.
    pub(super) current: Option<current::Current>,
}

impl Reading {
    /// The claim as it is recorded.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            act: self.act,
            text: self.text.clone(),
            pattern: self.pattern.clone(),
            objects: self.objects.iter().map(|object| object.text.clone()).collect(),
        }
    }

    /// Something is said to be changed, in files or elsewhere; no result, run or look.
    pub(super) fn is_change(&self) -> bool {
        let looks = matches!(
            self.act,
            Act::Read
                | Act::Search
                | Act::Run
                | Act::Test
                | Act::Build
                | Act::Lint
                | Act::Typecheck
                | Act::Format
                | Act::Verify
        );
        self.result.is_none() && !looks
    }

    /// The paths that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().filter(|it| it.target).filter_map(|it| it.path.as_deref())
    }

    /// Whether one of its words is `word`.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.words.iter().any(|it| it == word)
    }

    /// Whether one of its words, or the beginning of one, is `stem`.
    pub(super) fn says(&self, stem: &str) -> bool {
        self.words.iter().any(|word| word.starts_with(stem))
    }
}

/// A message, read.
#[derive(Debug)]
pub(super) struct Message {
    /// What is claimed, in order.
    pub(super) claims: Vec<Reading>,
    /// All prose in lower case, one blank around each word, blocks that claim nothing included.
    pub(super) norm: String,
    /// Its main language.
    pub(super) language: &'static Language,
    /// Inline code, as written.
    pub(super) codes: Vec<String>,
    /// It reviews, explains or plans: what it tells of changes is somebody else's, unless it says "I".
    pub(super) describes: bool,
    /// A few sentences: no description of how things came to be.
    pub(super) short: bool,
    /// A clause tells that tests, builds or checks fail.
    pub(super) tells_failure_of: Vec<Act>,
}

/// What a message is about is said at its beginning.
const OPENING_CHARS: usize = 400;
const SHORT_CHARS: usize = 300;
const DESCRIBES: &[&str] = &[
    "how the",
    "how it",
    "how this",
    "fits together",
    "architecture",
    "at a glance",
    "data flow",
    "how does",
    "code review",
    "line-by-line",
    "line by line",
    "my review",
    "the review",
    "comprehensive review",
    "thorough review",
    "deep analysis",
    "analysis",
    "implementation plan",
    "observations",
    "assessment",
    "think through",
    "walkthrough",
    "what the pr does",
    "this pr",
    "the pr adds",
    "reviewed the pr",
    "review of",
    "review summary",
    "architecture overview",
    "explanation",
    "pros and cons",
    "comparison",
    "proposal",
    "overview of the",
    "critique",
    "design review",
    "my findings",
    "verdict",
    "pull request overview",
];

/// The first block of what is a text for others to use.
const DRAFTS: &[&str] = &[
    " here's a draft ",
    " a draft of ",
    " draft pr ",
    " draft text ",
    " drafted the following ",
    " draft for ",
    " here's a pr description ",
    " suggested pr ",
    " suggested commit ",
    " proposed commit message ",
    " release notes for ",
    " template for ",
    " you can paste ",
    " copy this ",
];

/// Reads a message into claims.
pub(super) fn read(message: &str) -> Message {
    let text = super::text::read(message);
    let prose: String = text.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n");
    let main = language::detect(&prose);
    let mut out = Message {
        claims: Vec::new(),
        norm: joined(&clause::tokens(&text.restore(&prose))),
        language: main,
        codes: text
            .spans
            .iter()
            .filter_map(|span| match span {
                super::text::Span::Code(code) => Some(code.clone()),
                super::text::Span::Quote(_) => None,
            })
            .collect(),
        describes: describes(&text, &prose, main),
        short: prose.chars().count() <= SHORT_CHARS,
        tells_failure_of: Vec::new(),
    };
    if is_for_others(message, &text) {
        return out;
    }
    for (index, plan) in plan_blocks(&text, main).into_iter().enumerate() {
        let block = &text.blocks[index];
        let language = block_language(&block.text, main);
        let clauses = clause::clauses(&text, index, language);
        out.tells_failure_of.extend(clauses.iter().flat_map(|it| result::failures(it, language)));
        let past = contains(&joined(&clause::tokens(&block.text)), language, language.earlier);
        if plan || past || block.checked == Some(false) {
            continue;
        }
        let view = View { text: &text, index, clauses: &clauses, language };
        out.claims.extend((0..clauses.len()).flat_map(|number| view.clause(number)));
    }
    out
}

/// Whether a message reviews, explains or plans: its beginning and its headings say so.
fn describes(text: &Text, prose: &str, language: &Language) -> bool {
    let mut opening: String = prose.chars().take(OPENING_CHARS).collect();
    for heading in text.blocks.iter().filter(|block| block.kind == BlockKind::Heading) {
        opening.push('\n');
        opening.push_str(&heading.text);
    }
    contains(&joined(&clause::tokens(&opening)), language, DESCRIBES)
}

/// Written for somebody else to send, or a summary that the host asked for.
fn is_for_others(message: &str, text: &Text) -> bool {
    let first = text.blocks.first().map(|block| joined(&clause::tokens(&block.text))).unwrap_or_default();
    message.trim_start().starts_with("<summary>")
        || first.starts_with(" draft ")
        || DRAFTS.iter().any(|draft| first.contains(draft))
}

/// A block with its clauses.
struct View<'a> {
    text: &'a Text,
    index: usize,
    clauses: &'a [Clause],
    language: &'static Language,
}

impl View<'_> {
    /// What a clause claims.
    fn clause(&self, number: usize) -> Vec<Reading> {
        let (text, language) = (self.text, self.language);
        let next = self.clauses.get(number + 1);
        let merged = next.and_then(|next| with_list(&self.clauses[number], next, text));
        let clause = merged.as_ref().unwrap_or(&self.clauses[number]);
        if skipped(clause, language) {
            return Vec::new();
        }
        let mut readings = self.deeds(number, clause);
        readings.extend(result::read(text, clause, self.clauses, number, language));
        readings.extend(state::read(text, self.index, self.clauses, number, language));
        readings.extend(current::read(text, clause, language));
        if readings.iter().all(|it| it.result.is_none()) {
            readings.extend(number::read(text, clause, language));
        }
        if let Some(next) = next.filter(|next| next.bracketed && next.tokens.len() == 1) {
            // "Added the migration (`0014_x.py`)": the brackets name it.
            let named = objects::objects(text, next, 0, 1);
            for reading in readings.iter_mut().filter(|it| it.result.is_none() && it.paths().next().is_none())
            {
                reading.objects.extend(named.iter().filter(|it| it.path.is_some()).cloned());
            }
        }
        readings
    }

    /// What is said to be done.
    fn deeds(&self, number: usize, clause: &Clause) -> Vec<Reading> {
        let (text, language) = (self.text, self.language);
        let block = &text.blocks[self.index];
        let next = self.clauses.get(number + 1);
        let english = language.code == "en";
        let past = english && block.kind == BlockKind::Item && past_list(text, self.index, language);
        let mut readings = verb::read(text, clause, language, past);
        if !english {
            return readings;
        }
        // "Fixed: it returns 0" says that something was done; a title or a list of changes does not say by whom.
        let labels = next.is_some_and(|next| next.label.as_deref() == Some(joined(&clause.tokens).as_str()));
        let bare = clause.tokens.len() == 1 && !(labels && block.kind == BlockKind::Paragraph);
        readings.retain(|it| !(bare && it.pattern == "en/any"));
        if number == 0 && readings.is_empty() {
            if block.checked == Some(true)
                && block.kind == BlockKind::Row
                && block.text.matches(" | ").count() == 1
            {
                readings.extend(result::ticked_row(text, clause, language));
            } else if block.checked == Some(true) {
                readings.extend(verb::checked(text, clause, language));
                if self.clauses.len() == 1 && (past || block.marked_behind) {
                    readings.extend(result::ticked(text, clause, language));
                }
            } else if changes_listed(text, self.index) {
                readings.extend(verb::listed(text, clause, language));
            }
        }
        if readings.is_empty() {
            readings.extend(verb::now(text, clause, language));
        }
        readings.extend(verb::state(text, clause, language));
        if readings.is_empty() {
            readings.extend(verb::seen_at(text, clause, language));
        }
        if readings.is_empty() && block.kind != BlockKind::Heading {
            readings.extend(verb::any_deed(text, clause, language));
        }
        if let Some(next) = next.filter(|next| next.bracketed) {
            readings.extend(verb::marked(text, clause, next, language));
        }
        if !readings.is_empty() {
            readings.extend(verb::after_running(text, clause, language));
        }
        readings
    }
}

/// "Three files are in place: `a`, `b`, `c`": a clause with the names that its colon announces.
fn with_list(clause: &Clause, next: &Clause, text: &Text) -> Option<Clause> {
    let announced = next.label.as_deref() == Some(joined(&clause.tokens).as_str());
    let name = |token: &String| {
        matches!(token.as_str(), "," | "and")
            || token.chars().next().is_some_and(|c| text.span(c).is_some())
            || objects::is_path(token, false)
    };
    (announced && next.tokens.iter().all(name)).then(|| Clause {
        tokens: [clause.tokens.as_slice(), next.tokens.as_slice()].concat(),
        text: format!("{}: {}", clause.text, next.text),
        ..clause.clone()
    })
}

/// Whether an item stands under a heading or lead-in that announces changed files.
fn changes_listed(text: &Text, index: usize) -> bool {
    const HEADS: &[&str] = &[
        "new in",
        "what's different",
        "what is different",
        "differences",
        "here's what changed",
        "what i changed",
        "what i did",
        "created three",
        "created two",
        "created four",
        "created these",
        "created the following",
        "added the following",
        "updated the following",
        "i've created",
        "i've added",
        "i've updated",
        "files created",
        "created files",
        "new files",
        "files added",
        "added files",
        "i created",
        "i added",
        "changes",
        "changed files",
        "files changed",
        "what changed",
        "summary of changes",
        "modified files",
        "files modified",
        "updated files",
        "files updated",
        "changes made",
        "i changed",
        "i updated",
        "edits",
    ];
    let block = &text.blocks[index];
    block.kind == BlockKind::Item
        && block.lead.or(block.heading).is_some_and(|head| {
            let norm = joined(&clause::tokens(&text.blocks[head].text));
            let norm = norm.trim();
            let announces = text.blocks[head].text.trim_end().ends_with(':')
                && [
                    "in place",
                    "created",
                    "added",
                    "written",
                    "generated",
                    "changed",
                    "updated",
                    "wrote",
                    "new files",
                ]
                .iter()
                .any(|word| format!(" {norm} ").contains(&format!(" {word} ")));
            announces
                || HEADS.iter().any(|it| norm.starts_with(it))
                || matches!(
                    norm,
                    "new" | "changed" | "created" | "added" | "modified" | "updated" | "edited" | "files"
                )
        })
}

/// Whether other items of the list tell what was done: "read" is past tense among them.
fn past_list(text: &Text, index: usize, language: &Language) -> bool {
    let own = &text.blocks[index];
    text.blocks.iter().enumerate().any(|(at, block)| {
        at != index
            && block.kind == BlockKind::Item
            && block.lead == own.lead
            && block.heading == own.heading
            && clause::tokens(&block.text)
                .first()
                .is_some_and(|first| language.verbs.iter().any(|verb| verb.done.contains(&first.as_str())))
    })
}

/// The language of a block: that of its script, else the message's.
fn block_language(text: &str, main: &'static Language) -> &'static Language {
    match language::by_script(text) {
        Some(own) => own,
        None if main.spaced => main,
        None => LANGUAGES[0],
    }
}

/// Sentences in which nothing is claimed.
fn skipped(clause: &Clause, language: &Language) -> bool {
    let own = clause.norm();
    let attributed =
        |norm: &str| contains(norm, language, language.attribution) && !norm.contains(" according to my ");
    // In languages without blanks a clause is not told from its sentence.
    let attributed = attributed(if language.spaced { &own } else { &clause.sentence })
        || clause.label.as_deref().is_some_and(attributed)
        || clause.label.as_deref().is_some_and(|label| {
            [
                "acceptance",
                "acceptance criteria",
                "goal",
                "plan",
                "todo",
                "next",
                "next up",
                "definition of done",
                "criteria",
                "wanted",
            ]
            .iter()
            .any(|it| begins(label.trim_start(), language, it))
        });
    clause.question
        || (attributed && !result::program_says(clause, language))
        || contains(&clause.sentence, language, language.earlier)
        || dated(&clause.sentence)
}

/// "in 2021", "since 2019": history.
fn dated(norm: &str) -> bool {
    let words: Vec<&str> = norm.split_whitespace().collect();
    words.windows(2).any(|two| {
        let year = two[1].len() == 4 && two[1].parse::<u32>().is_ok_and(|it| (1970..2100).contains(&it));
        year && matches!(two[0], "in" | "since" | "until" | "before" | "im" | "en" | "em" | "seit")
    })
}

/// Which blocks stand under a heading or lead-in of a plan, or are one.
fn plan_blocks(text: &Text, main: &'static Language) -> Vec<bool> {
    let is_plan = |index: usize| {
        let block = &text.blocks[index];
        let language = block_language(&block.text, main);
        let norm = joined(&clause::tokens(&block.text));
        let title = norm.trim_start();
        match block.kind {
            BlockKind::Heading => language.plans.iter().any(|plan| begins(title, language, plan)),
            BlockKind::Paragraph if block.text.trim_end().ends_with([':', '：']) => {
                let last =
                    block.text.trim_end_matches([':', '：']).rsplit(['\n', '.']).next().unwrap_or_default();
                let last = joined(&clause::tokens(last));
                language.plans.iter().any(|plan| begins(last.trim_start(), language, plan))
                    || contains(&last, language, language.modal)
                    || contains(&last, language, language.attribution)
            }
            _ => false,
        }
    };
    let own: Vec<bool> = (0..text.blocks.len()).map(is_plan).collect();
    (0..text.blocks.len())
        .map(|index| {
            let block = &text.blocks[index];
            own[index]
                || block.heading.is_some_and(|heading| own[heading])
                || block.lead.is_some_and(|lead| own[lead])
        })
        .collect()
}

fn begins(title: &str, language: &Language, plan: &str) -> bool {
    title.strip_prefix(plan).is_some_and(|rest| !language.spaced || rest.is_empty() || rest.starts_with(' '))
}

pub(super) fn joined(tokens: &[String]) -> String {
    let mut out = String::from(" ");
    for token in tokens {
        out.push_str(token);
        out.push(' ');
    }
    out
}

#[cfg(test)]
mod tests;
