//! When a prompt asks for what was: the trigger phrases, and the topic.

use std::ops::Range;
use std::sync::LazyLock;

use super::prose::{Prose, ends};
use super::query::Query;
use super::words::{Word, phrase_at, words};

/// The phrases. Any case, any white space between their words; never a part of a longer word.
pub const TRIGGERS: &[&str] = &[
    "remember when",
    "do you remember",
    "recall when",
    "remember that",
    "we discussed",
    "we talked about",
    "last time we",
    "what happened with",
];

static PHRASES: LazyLock<Vec<Vec<String>>> =
    LazyLock::new(|| TRIGGERS.iter().map(|phrase| phrase.split(' ').map(str::to_owned).collect()).collect());

/// A prompt that asks for what was.
#[derive(Debug, Clone)]
pub struct Topic {
    /// The phrase that said so, from [`TRIGGERS`].
    pub phrase: &'static str,
    /// What it asks for. Empty: nothing is searched.
    pub query: Query,
}

/// One phrase in a list of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Which phrase.
    pub(super) phrase: usize,
    /// Index of its first word.
    pub(super) first: usize,
    /// Index of the word after it.
    pub(super) end: usize,
}

/// Every phrase in `words`, in order; those that overlap too (`do you remember when`).
pub(super) fn phrases(text: &str, words: &[Word<'_>]) -> Vec<Found> {
    let starts = (0..words.len()).filter(|at| {
        // The first letters of the phrases: most words are passed over by one comparison.
        matches!(
            words[*at].text.as_bytes().first(),
            Some(b'r' | b'R' | b'd' | b'D' | b'w' | b'W' | b'l' | b'L')
        )
    });
    starts
        .flat_map(|first| {
            PHRASES.iter().enumerate().filter_map(move |(phrase, parts)| {
                let taken = phrase_at(text, words, first, parts)?;
                Some(Found { phrase, first, end: first + taken })
            })
        })
        .collect()
}

/// Whether a prompt asks for what was, and for what. Phrases in code, in quotations and in lines of a log are
/// somebody else's words. The topic is the sentence after the phrase; where that says nothing, all that comes after
/// it; where nothing does, the rest of the message.
pub fn trigger(prompt: &str) -> Option<Topic> {
    let (head, tail) = ends(prompt);
    // Nothing of a prompt is taken apart that has no phrase at all: what is left out of it makes none.
    if !has_phrase(head) && !has_phrase(tail) {
        return None;
    }
    let prose = Prose::of(prompt);
    let text = prose.text();
    let all: Vec<Word<'_>> = words(text).collect();
    let command = command_end(text);
    let spoken = |found: &Found| {
        let range = all[found.first].at..all[found.end - 1].end();
        command <= range.start && !prose.is_silent(&range)
    };
    let found = phrases(text, &all).into_iter().find(spoken)?;
    let start = all[found.end - 1].end();
    let candidates: [Range<usize>; 2] = [start..prose.sentence_end(start), start..text.len()];
    let mut query = Query::topic("");
    for range in candidates {
        query = Query::topic(text.get(range).unwrap_or_default());
        if !query.is_empty() {
            break;
        }
    }
    if query.is_empty() {
        query = Query::named(&text[command..before(text, &all[..=found.first]).max(command)]);
    }
    Some(Topic { phrase: TRIGGERS[found.phrase], query })
}

fn has_phrase(text: &str) -> bool {
    let all: Vec<Word<'_>> = words(text).collect();
    !phrases(text, &all).is_empty()
}

/// Where the name of the client's command ends that the prompt begins with, as `/review`.
fn command_end(text: &str) -> usize {
    let named =
        text.strip_prefix('/').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    if named { text.find(char::is_whitespace).unwrap_or(text.len()) } else { 0 }
}

/// Where what stands before the phrase ends, the last of `words`. In `refactor what we discussed` it has no topic: what
/// was discussed is what is to be refactored.
fn before(text: &str, words: &[Word<'_>]) -> usize {
    let Some((phrase, before)) = words.split_last() else { return 0 };
    if let [.., verb, object] = before
        && ["what", "everything", "anything"].iter().any(|it| object.text.eq_ignore_ascii_case(it))
        && text[verb.end()..object.at].trim().is_empty()
    {
        return verb.at;
    }
    phrase.at
}
