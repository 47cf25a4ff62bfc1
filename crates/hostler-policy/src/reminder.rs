//! Reminders: what a prompt mentions brings a text before the agent.
//!
//! Here is decided whether a prompt mentions it. Which text that is, and whether it was told before, is known to the
//! binary.

use regex::RegexBuilder;

use crate::recall::words::{Script, Word, fold, phrase_at, words};

/// A longer pattern, in bytes, is refused.
pub const PATTERN_BYTES_MAX: usize = 1_000;
/// What a compiled pattern may take, in bytes: counted repetitions grow fast.
const COMPILED_BYTES_MAX: usize = 1024 * 1024;
/// More of a prompt than this, in bytes, is not looked at.
const PROMPT_BYTES_MAX: usize = 1024 * 1024;

/// What makes a prompt bring a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// One of these words or phrases, in any case, never a part of a longer word.
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
        let problem = problem.split_whitespace().collect::<Vec<_>>().join(" ");
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
        let parts: Vec<Word<'_>> = words(phrase).collect();
        // Where words stand together, no space says where one ends.
        if parts.iter().any(|part| part.script != Script::Spaced) {
            return fold(prompt).contains(&fold(phrase.trim()));
        }
        let parts: Vec<String> = parts.iter().map(|part| fold(part.text)).collect();
        (0..all.len()).any(|at| phrase_at(prompt, &all, at, &parts).is_some())
    })
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
