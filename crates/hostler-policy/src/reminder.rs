//! Reminders: what a prompt mentions brings a text before the agent.
//!
//! Here is decided whether a prompt mentions it. Which text that is, and whether it was told before, is known to the
//! binary.

use hostler_model::text::one_line;
use regex::RegexBuilder;

use crate::recall::words::{Script, Word, equals_folded, fold, is_blank, words};

/// A longer pattern, in bytes, is refused.
pub const PATTERN_BYTES_MAX: usize = 1_000;
/// What a compiled pattern may take, in bytes: counted repetitions grow fast.
const COMPILED_BYTES_MAX: usize = 1024 * 1024;
/// More of a prompt than this, in bytes, is not looked at.
const PROMPT_BYTES_MAX: usize = 1024 * 1024;

/// What makes a prompt bring a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// One of these words or phrases, in any case, never a part of a longer word, with the marks that are in them.
    Words(Vec<String>),
    /// A regular expression, compiled when it is asked for; `(?i)` makes it ignore case.
    Pattern(String),
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is no regular expression, or one that grows too large.
    #[error("`{pattern}` is not a regular expression that can be used: {problem}")]
    Pattern {
        /// The pattern, shortened.
        pattern: String,
        /// What is wrong, on one line.
        problem: String,
    },
}

impl When {
    /// Whether `prompt` mentions it, anywhere: in code and quotations too.
    ///
    /// # Errors
    /// When the pattern cannot be used.
    pub fn fires(&self, prompt: &str) -> Result<bool, Error> {
        let end = (0..=prompt.len().min(PROMPT_BYTES_MAX)).rev().find(|at| prompt.is_char_boundary(*at));
        let prompt = &prompt[..end.unwrap_or(0)];
        match self {
            Self::Words(wanted) => Ok(mentions(prompt, wanted)),
            Self::Pattern(pattern) => compile(pattern).map(|it| it.is_match(prompt)),
        }
    }
}

fn compile(pattern: &str) -> Result<regex::Regex, Error> {
    let wrong = |problem: String| {
        let pattern = pattern.chars().take(60).collect();
        let problem = one_line(&problem);
        Error::Pattern { pattern, problem }
    };
    if PATTERN_BYTES_MAX < pattern.len() {
        return Err(wrong(format!("it has more than {PATTERN_BYTES_MAX} bytes")));
    }
    let built =
        RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).dfa_size_limit(COMPILED_BYTES_MAX).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => wrong(format!("it takes more than {limit} bytes")),
        // The last line says what is wrong; those before it draw where.
        other => wrong(other.to_string().lines().last().unwrap_or_default().replace("error: ", "")),
    })
}

fn mentions(prompt: &str, wanted: &[String]) -> bool {
    let all: Vec<Word<'_>> = words(prompt).collect();
    wanted.iter().any(|phrase| {
        let phrase = phrase.trim();
        let parts: Vec<Word<'_>> = words(phrase).collect();
        // Where words stand together, no space says where one ends.
        if parts.iter().any(|part| part.script != Script::Spaced) {
            return fold(prompt).contains(&fold(phrase));
        }
        let Some(sought) = Sought::of(phrase, &parts) else { return false };
        (0..all.len()).any(|at| sought.stands_at(prompt, &all, at))
    })
}

/// Whether there is anything in `phrase` that a prompt can mention: a letter or a digit.
pub fn has_words(phrase: &str) -> bool {
    words(phrase).next().is_some()
}

/// A phrase that is looked for: words, and the marks that belong to it.
struct Sought {
    /// Each folded, with what follows it.
    parts: Vec<(String, Gap)>,
    /// Marks before the first word, as in `.env`.
    lead: String,
}

/// What stands between two words of a phrase or behind the last one.
enum Gap {
    /// White space, however much of it.
    Blank,
    /// Just these marks, as in `CI/CD`, `node.js`, `c++`; nothing for what does not matter.
    Marks(String),
}

impl Sought {
    fn of(phrase: &str, words: &[Word<'_>]) -> Option<Self> {
        let lead = marks(phrase.get(..words.first()?.at)?);
        let next = words.iter().skip(1).map(|word| word.at).chain([phrase.len()]);
        let gap = |text: &str| match marks(text) {
            blank if blank == " " => Gap::Blank,
            marks => Gap::Marks(marks),
        };
        let parts = words
            .iter()
            .zip(next)
            .map(|(word, next)| (fold(word.text), gap(phrase.get(word.end()..next).unwrap_or_default())))
            .collect();
        Some(Self { parts, lead })
    }

    /// Whether it is the words from `words[at]` on.
    fn stands_at(&self, text: &str, words: &[Word<'_>], at: usize) -> bool {
        let Some(found) = words.get(at..at + self.parts.len()) else { return false };
        found.iter().zip(&self.parts).all(|(word, (part, _))| equals_folded(word.text, part))
            && marks_end(text.get(..found[0].at).unwrap_or_default(), &self.lead)
            && self.parts.iter().enumerate().all(|(index, (_, gap))| {
                let rest = text.get(found[index].end()..).unwrap_or_default();
                match (gap, found.get(index + 1)) {
                    (Gap::Blank, Some(next)) => is_blank(text, found[index].end(), next.at),
                    (Gap::Marks(marks), Some(next)) => {
                        text.get(found[index].end()..next.at).is_some_and(|gap| self::marks(gap) == *marks)
                    }
                    (Gap::Blank, None) => true,
                    (Gap::Marks(marks), None) => marks_begin(rest, marks),
                }
            })
    }
}

/// Marks as they are compared: white space is one blank, and an apostrophe is an apostrophe.
fn marks(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '’' => out.push('\''),
            c if c.is_whitespace() && out.ends_with(' ') => {}
            c if c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn marks_begin(text: &str, wanted: &str) -> bool {
    let count = wanted.chars().count();
    marks(&text.chars().take(count).collect::<String>()) == wanted
}

fn marks_end(text: &str, wanted: &str) -> bool {
    let count = wanted.chars().count();
    let found: String = text.chars().rev().take(count).collect();
    marks(&found.chars().rev().collect::<String>()) == wanted
}

/// A reminder that comes with the program, and is told where a configuration names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its id.
    pub id: &'static str,
    /// The words that bring it.
    pub words: &'static [&'static str],
    /// What is told.
    pub text: &'static str,
}

/// The reminders that come with the program.
pub const SHIPPED: &[Shipped] = &[Shipped {
    id: "decisions",
    words: &["decision", "decisions", "ruling", "rulings", "ADR", "ADRs"],
    text: include_str!("reminder/decisions.md"),
}];

#[cfg(test)]
mod tests;
