//! Phrases that open and close a session, found in what the user typed.
//!
//! A phrase counts when it is the whole message, or the message's last sentence with nothing but courtesies
//! around it and the news before it that work is done. Everything else is talk about sessions, a list that happens
//! to end in `cs`, a quotation or code: a session that closes by mistake costs more than a phrase that has to be
//! typed again.

mod finished;
mod vocabulary;

use vocabulary::{
    ARTICLES, ASKING, CONTINUING, COURTESIES, DONE, ENDINGS, FOLDS, LEADING, LEADS, POLITE, SUBJECTS, holds,
};

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phrase {
    /// A new session: `sns`, `start new session`.
    Open,
    /// The end of the session: `cts`, `cs`, `close the session`, `end session`, `finish session`.
    Close,
}

/// The phrases, word by word. `""` stands for an article or none, and for `current`.
const PHRASES: &[(Phrase, &[&str])] = &[
    (Phrase::Close, &["cts"]),
    (Phrase::Close, &["cs"]),
    (Phrase::Close, &["close", "", "session"]),
    (Phrase::Close, &["end", "", "session"]),
    (Phrase::Close, &["finish", "", "session"]),
    (Phrase::Open, &["sns"]),
    (Phrase::Open, &["start", "", "new", "session"]),
];

/// A last sentence that is longer than this in bytes holds more than a phrase and courtesies.
const SENTENCE_BYTES_MAX: usize = 120;

/// Courtesies after a phrase that are sentences of their own: more of them are something else.
const FAREWELLS_MAX: usize = 3;

/// The phrase in `prompt`, if it holds one. Looks at the end first: a prompt without a phrase costs next to nothing.
pub fn phrase(prompt: &str) -> Option<Phrase> {
    let (before, sentence) = split_last_sentence(without_farewells(prompt.trim_end()));
    let found = find(&words(sentence)?)?;
    let stands = before.trim().is_empty()
        || (!found.continues && is_prose(before, sentence) && finished::is_finished(before));
    stands.then_some(found.phrase)
}

/// `text` without the courtesies that follow its last sentence, as in `Close the session. Thank you!`
fn without_farewells(text: &str) -> &str {
    let mut text = text;
    for _ in 0..FAREWELLS_MAX {
        let (before, sentence) = split_last_sentence(text);
        let before = before.trim_end();
        if before.is_empty() || !is_courtesy(sentence) {
            break;
        }
        text = before;
    }
    text
}

/// Nothing but courtesies.
fn is_courtesy(sentence: &str) -> bool {
    words(sentence).is_some_and(|words| !words.is_empty() && words.iter().all(|word| word.is_in(COURTESIES)))
}

/// The message up to its last sentence, and that sentence. A full stop inside a word (`main.cs`) ends none.
fn split_last_sentence(text: &str) -> (&str, &str) {
    // What closes the sentence closes no earlier one.
    let body = text.trim_end_matches(is_closing);
    let line = body.rfind('\n').map_or(0, |at| at + 1);
    let mut start = line;
    let mut ended = false;
    for (at, c) in body[line..].char_indices() {
        if ended && c.is_whitespace() {
            start = line + at;
        }
        ended = ends_sentence(c) || c == ':';
    }
    text.split_at(start)
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | '…' | '。' | '！' | '？')
}

/// Marks that may follow the last word without changing what it says. A question mark is none of them.
fn is_closing(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | '!' | ',' | ';' | '~') || is_picture(c)
}

fn is_picture(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !is_quote(c) && c != '？'
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '`' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '‹' | '›' | '「' | '」')
}

/// A word in lower case.
struct Word {
    text: String,
    /// A comma or a dash follows.
    comma: bool,
}

impl Word {
    fn is_in(&self, list: &str) -> bool {
        holds(list, &self.text)
    }
}

/// The words of a sentence; `None` for one that holds code, quotations, a question or too much.
fn words(sentence: &str) -> Option<Vec<Word>> {
    let sentence = unemphasised(sentence.trim().trim_end_matches(is_closing));
    if sentence.is_empty() || SENTENCE_BYTES_MAX < sentence.len() {
        return None;
    }
    let mut out: Vec<Word> = Vec::new();
    for token in sentence.split_whitespace() {
        let bare = token.trim_end_matches([',', '…']);
        if matches!(bare, "" | "-" | "--" | "–" | "—") {
            out.last_mut()?.comma = true;
            continue;
        }
        let smile = bare.len() < 4 && bare.starts_with([':', ';']);
        if smile || bare.chars().all(is_picture) {
            continue;
        }
        let text = bare.to_lowercase().replace('’', "'");
        if !text.chars().all(|c| c.is_alphabetic() || c == '\'') {
            return None;
        }
        out.push(Word { text, comma: bare.len() < token.len() });
        fold(&mut out);
    }
    Some(out)
}

/// Several words at the end that say one thing become the word for it: `see you tomorrow` is `bye`.
fn fold(words: &mut Vec<Word>) {
    let ends_with = |parts: &str| {
        let count = parts.split(' ').count();
        let start = words.len().checked_sub(count)?;
        // A comma parts what would be one thing.
        let together = words[start..words.len() - 1].iter().all(|word| !word.comma);
        let same = words[start..].iter().zip(parts.split(' ')).all(|(word, part)| word.text == part);
        (together && same).then_some(start)
    };
    let found = FOLDS.iter().find_map(|(parts, word)| Some((ends_with(parts)?, *word)));
    if let Some((start, word)) = found {
        let comma = words.last().is_some_and(|last| last.comma);
        words.truncate(start);
        words.push(Word { text: word.to_owned(), comma });
        fold(words);
    }
}

/// What stands between marks of emphasis, as in `**close the session**`.
fn unemphasised(sentence: &str) -> &str {
    ["**", "__", "*", "_"]
        .iter()
        .find_map(|mark| sentence.strip_prefix(mark)?.strip_suffix(mark))
        .filter(|inner| !inner.starts_with(char::is_whitespace))
        .map_or(sentence, |inner| inner.trim_end_matches(is_closing))
}

struct Found {
    phrase: Phrase,
    /// The sentence goes on from the one before, as in `then close the session`.
    continues: bool,
}

/// The phrase in the words of a sentence that holds nothing else but courtesies and the news that work is done.
fn find(words: &[Word]) -> Option<Found> {
    PHRASES.iter().find_map(|(phrase, pattern)| {
        let spelled_out = 1 < pattern.len();
        (0..words.len()).find_map(|at| {
            let length = length_at(&words[at..], pattern)?;
            let (before, after) = (&words[..at], &words[at + length..]);
            let polite = |word: &Word| word.is_in(COURTESIES) || word.is_in(POLITE);
            let fits = is_led(before, spelled_out) && after.iter().all(polite);
            let continues = before.first().is_some_and(|word| word.is_in(CONTINUING));
            fits.then_some(Found { phrase: *phrase, continues })
        })
    })
}

/// Whether what stands before a phrase in its sentence leaves it what it is.
fn is_led(before: &[Word], spelled_out: bool) -> bool {
    if before.iter().all(|word| word.is_in(COURTESIES)) {
        return true;
    }
    if before.first().is_some_and(|word| word.is_in(ASKING)) {
        return false;
    }
    let lead = LEADS.iter().find_map(|lead| {
        let start = before.len().checked_sub(lead.split(' ').count())?;
        before[start..].iter().zip(lead.split(' ')).all(|(word, part)| word.text == part).then_some(start)
    });
    let told = &before[..lead.filter(|_| spelled_out).unwrap_or(before.len())];
    let tells_done = told.iter().any(|word| word.is_in(DONE));
    let known = |word: &Word| {
        word.is_in(COURTESIES)
            || word.is_in(ENDINGS)
            || (tells_done && (word.is_in(DONE) || word.is_in(SUBJECTS)))
    };
    let leads = |word: &Word| word.is_in(COURTESIES) || word.is_in(LEADING);
    let set_off = told.len() < before.len()
        || told.last().is_some_and(|word| word.comma || (spelled_out && leads(word)));
    set_off && told.iter().all(known)
}

/// How many words the pattern takes at the start of `words`; `None` where it does not stand there.
fn length_at(words: &[Word], pattern: &[&str]) -> Option<usize> {
    let mut at = 0;
    for part in pattern {
        let word = words.get(at);
        if part.is_empty() {
            at += usize::from(word.is_some_and(|word| word.is_in(ARTICLES)));
            at += usize::from(words.get(at).is_some_and(|word| word.text == "current"));
        } else {
            word.filter(|word| word.text == *part)?;
            at += 1;
        }
    }
    Some(at)
}

/// Whether the last sentence is prose: in no code block, quotation or list.
fn is_prose(before: &str, sentence: &str) -> bool {
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let margin = format!("{line}{sentence}");
    let indented = line.trim().is_empty() && (margin.starts_with("    ") || margin.starts_with('\t'));
    let is_quotation = |line: &str| line.trim_start().starts_with('>');
    // A quotation goes on in the line below it.
    let quoted = is_quotation(&margin) || above.lines().next_back().is_some_and(is_quotation);
    let listed = ["- ", "* ", "+ "].iter().any(|mark| margin.trim_start().starts_with(mark));
    let fences = before.lines().filter(|line| is_fence(line)).count();
    fences % 2 == 0 && !indented && !quoted && !listed && quotations_are_closed(before)
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn quotations_are_closed(text: &str) -> bool {
    let count = |wanted: char| text.chars().filter(|c| *c == wanted).count();
    let pairs = [('“', '”'), ('«', '»'), ('‹', '›'), ('「', '」')];
    let even = |quote| count(quote) % 2 == 0;
    even('"') && even('`') && pairs.iter().all(|(open, close)| count(*open) <= count(*close))
}

#[cfg(test)]
mod tests;
