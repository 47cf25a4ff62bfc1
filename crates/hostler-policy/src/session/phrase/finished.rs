//! Whether what stands before a phrase says that work is done, or is a courtesy: then the phrase stands alone.

use super::vocabulary::{
    ANNOUNCING, ASKING, CLOSING, CONNECTING, COURTESIES, DONE, ENDINGS, GOERS, NEUTRAL, OPEN, PARTING,
    SUBJECTS, WHERE, holds,
};
use super::{ends_sentence, is_courtesy, is_fence, is_picture, is_quote, words};
use crate::recall::{is_log, tags_of};

/// Lines at the beginning and at the end of a message that are looked through for what may announce its rest.
const LINES_MAX: usize = 40;

/// One line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Blank,
    /// Of a block of code, between tags, or a quotation.
    Block,
    Prose(&'a str),
}

/// Whether `before`, all of a message up to its last sentence, ends with the news that work is done or with a
/// courtesy. Nothing but blocks says nothing against it.
pub(super) fn is_finished(before: &str) -> bool {
    let lines = lines(before);
    let Some(sentences) = last_sentences(&lines) else { return false };
    let ends_well = match sentences.split_last() {
        None => true,
        Some((last, earlier)) if is_courtesy(last) => follows_well(last, earlier.last().map(String::as_str)),
        Some((last, _)) => is_news(last),
    };
    ends_well && !announces(&lines)
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let tags = tags_of(text);
    let mut fenced = false;
    let mut at = 0;
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let fence = is_fence(trimmed);
        let tag = tags.get(tags.partition_point(|it| it.end <= at)).is_some_and(|it| it.start <= at);
        let block = fenced || fence || tag || trimmed.starts_with('>');
        let is_tag = trimmed.starts_with('<') && trimmed.ends_with('>');
        fenced ^= fence;
        out.push(match trimmed {
            _ if block || is_tag => Line::Block,
            "" => Line::Blank,
            _ => Line::Prose(trimmed),
        });
        at += line.len();
    }
    out
}

/// The sentences of the last two paragraphs of prose, in order. `None` where the last one is a list, a log or lines
/// of something that is not told.
fn last_sentences(lines: &[Line<'_>]) -> Option<Vec<String>> {
    let mut paragraphs = lines
        .split(|line| !matches!(line, Line::Prose(_)))
        .rev()
        .map(|paragraph| {
            paragraph
                .iter()
                .filter_map(|line| if let Line::Prose(line) = line { Some(*line) } else { None })
                .collect::<Vec<_>>()
        })
        .filter(|paragraph| !paragraph.is_empty());
    let Some(last) = paragraphs.next() else { return Some(Vec::new()) };
    if last.last().is_some_and(|line| is_item(line) || is_log(line)) {
        return None;
    }
    let mut sentences: Vec<String> =
        paragraphs.next().iter().flat_map(|it| sentences(&it.join(" "))).collect();
    let told = last.last().is_some_and(|line| line.chars().next_back().is_some_and(ends_sentence));
    if told {
        sentences.extend(self::sentences(&last.join(" ")));
    } else {
        // Lines without marks may be a list: each has to say something.
        let each_tells = || {
            last.iter().all(|line| is_courtesy(line) || self::sentences(line).iter().all(|it| is_news(it)))
        };
        if 1 < last.len() && !each_tells() {
            return None;
        }
        sentences.extend(last.last().iter().flat_map(|line| self::sentences(line)));
    }
    Some(sentences)
}

/// The sentences of a text, each with its mark. A mark inside a word ends none.
fn sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut sentence = String::new();
    for word in text.split_whitespace() {
        if !sentence.is_empty() {
            sentence.push(' ');
        }
        sentence.push_str(word);
        if word.trim_end_matches(is_picture).ends_with(ends_sentence) {
            out.push(std::mem::take(&mut sentence));
        }
    }
    // Pictures after the last mark belong to it.
    if sentence.chars().any(char::is_alphanumeric) {
        out.push(sentence);
    }
    out
}

/// An entry of a list or a table.
fn is_item(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", "| ", "• "].iter().any(|mark| line.starts_with(mark))
        || (numbered.len() < line.len() && numbered.starts_with(['.', ')']))
}

/// Whether a courtesy after `earlier` ends it. After a question or what is not done it does not.
fn follows_well(courtesy: &str, earlier: Option<&str>) -> bool {
    let closes = words(courtesy).is_some_and(|words| words.iter().any(|word| word.is_in(CLOSING)));
    earlier.is_none_or(|earlier| is_courtesy(earlier) || is_news(earlier) || (closes && !is_open(earlier)))
}

/// A question, a negation, a condition, or something that announces what comes.
fn is_open(sentence: &str) -> bool {
    let tokens = tokens(sentence);
    sentence.contains(['?', '？', ':'])
        || tokens.first().is_some_and(|first| holds(ASKING, first))
        || tokens.iter().any(|token| is_undone(token))
}

fn is_undone(token: &str) -> bool {
    holds(OPEN, token) || token.ends_with("n't")
}

/// The words of a sentence in lower case. What is in quotation marks says nothing.
fn tokens(sentence: &str) -> Vec<String> {
    sentence
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '—' | '–'))
        .filter(|token| !token.contains(is_quote) || token.contains('’'))
        .map(|token| token.to_lowercase().replace('’', "'"))
        .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|token| !token.is_empty())
        .collect()
}

/// Whether a sentence tells that work is done, or that somebody goes.
fn is_news(sentence: &str) -> bool {
    if sentence.contains(['?', '？', ':', '=', '{', '(']) && !sentence.contains(":)") {
        return false;
    }
    if let Some(known) = words(sentence)
        && !known.is_empty()
        && known.iter().all(|word| word.is_in(COURTESIES) || word.is_in(ENDINGS))
    {
        return !known.first().is_some_and(|word| word.is_in(ASKING));
    }
    let tokens = tokens(sentence);
    let is = |list: &'static str| move |token: &String| holds(list, token);
    let marked = sentence.trim_end_matches(is_picture).ends_with(ends_sentence);
    if tokens.iter().any(|token| token.ends_with("n't"))
        || (!marked && tokens.last().is_some_and(is(CONNECTING)))
    {
        return false;
    }
    // `what a day!` is no question.
    if tokens.first().is_some_and(is(ASKING)) {
        return sentence.ends_with('!') && tokens.starts_with(&["what".to_owned(), "a".to_owned()]);
    }
    let courtesies = tokens.iter().take_while(|token| holds(COURTESIES, token) || *token == "thank").count();
    let (polite, told) = tokens.split_at(courtesies);
    if told.iter().any(|token| is_undone(token) && !matches!(token.as_str(), "will")) {
        return false;
    }
    let thanked = polite.iter().any(|token| matches!(token.as_str(), "thanks" | "thank" | "thx"));
    let praised =
        !polite.is_empty() && told.first().is_some_and(|it| matches!(it.as_str(), "work" | "job" | "one"));
    let parted = told.first().is_some_and(|it| holds(GOERS, it)) && told.iter().any(is(PARTING));
    let begins = |token: &String| [ENDINGS, DONE, SUBJECTS, NEUTRAL].iter().any(|list| holds(list, token));
    let done = told.first().is_some_and(begins)
        && told.iter().any(is(DONE))
        && !told.iter().any(|token| token == "will")
        && (told.iter().any(is(SUBJECTS)) || told.iter().all(begins) || is_report(told));
    thanked || praised || parted || done
}

/// `Merged into main`, `Released 1.2.0`: what was done, and where.
fn is_report(told: &[String]) -> bool {
    let [done, place, ..] = told else { return false };
    holds(DONE, done) && (holds(WHERE, place) || place.contains(|c: char| c.is_ascii_digit()))
}

/// Whether a line of the message may have the rest of it as its object: `Translate the following.`
fn announces(lines: &[Line<'_>]) -> bool {
    let looked_at = |at: &usize| *at < LINES_MAX || lines.len() <= at + LINES_MAX;
    (0..lines.len()).filter(looked_at).any(|at| {
        let Line::Prose(line) = lines[at] else { return false };
        let next = lines[at + 1..].iter().find(|line| **line != Line::Blank);
        let introduces = line.ends_with(':')
            && !matches!(next, Some(Line::Block))
            && !matches!(next, Some(Line::Prose(next)) if is_item(next));
        introduces
            || sentences(line)
                .iter()
                .any(|it| !is_news(it) && tokens(it).iter().any(|token| holds(ANNOUNCING, token)))
    })
}
