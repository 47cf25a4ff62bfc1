//! Phrases that open and close a session, found in what the user typed.
//!
//! A phrase counts when it is the whole message, or the message's last sentence with nothing but courtesies
//! around it. Everything else is talk about sessions, a list that happens to end in `cs`, a quotation or code:
//! a session that closes by mistake costs more than a phrase that has to be typed again.

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phrase {
    /// A new session: `sns`, `start new session`.
    Open,
    /// The end of the session: `cts`, `cs`, `close the session`, `end session`, `finish session`.
    Close,
}

/// The phrases, word by word. `""` stands for an article or none.
const PHRASES: &[(Phrase, &[&str])] = &[
    (Phrase::Close, &["cts"]),
    (Phrase::Close, &["cs"]),
    (Phrase::Close, &["close", "", "session"]),
    (Phrase::Close, &["end", "", "session"]),
    (Phrase::Close, &["finish", "", "session"]),
    (Phrase::Open, &["sns"]),
    (Phrase::Open, &["start", "", "new", "session"]),
];
const ARTICLES: &str = "the this a";

/// Words that may stand around any phrase.
const COURTESIES: &str = "alright bye cheers cool done fine good great k nice now ok okay perfect please pls right super \
    thanks thx ty well wonderful yeah yep yes";
/// Words that may stand further before a phrase that is spelled out or set off by a comma: the work is done.
const ENDINGS: &str = "a again all am and are enough everything finished for go i i'm is it it's job let's lets lgtm looks \
    ready so that that's the then this time today to we we're work works";
/// Those of them that may stand right before a phrase that is spelled out. `we close the session` tells, it does not
/// ask.
const LEADING: &str = "and go let's lets so then to";
/// Words that begin a question, with or without its mark.
const ASKING: &str = "am are can could did do does how is should what when where which who why will would";
/// Words that begin what comes after something that is still to be done.
const CONTINUING: &str = "and then";
/// Words after which a line is no sentence of its own, though it stands alone.
const CONNECTING: &str = "a after and as before but called can can't cannot command could did didn't do does doesn't don't \
    dont for from how i if in is like must named never no not of on once or say says should shouldn't \
    than the then they to type typed unless until vs was we what when whether while why will with \
    without won't would you";

/// A last sentence that is longer than this in bytes holds more than a phrase and courtesies.
const SENTENCE_BYTES_MAX: usize = 120;

/// The phrase in `prompt`, if it holds one. Looks at the end first: a prompt without a phrase costs next to nothing.
pub fn phrase(prompt: &str) -> Option<Phrase> {
    let (before, sentence) = split_last_sentence(prompt.trim_end());
    let found = find(&words(sentence)?)?;
    let alone = before.trim().is_empty();
    if alone {
        return Some(found.phrase);
    }
    let stands = !found.continues && is_prose(before, sentence) && is_complete(before, found.spelled_out);
    stands.then_some(found.phrase)
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

/// Whether a word is one of a list with spaces between them.
fn holds(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// The words of a sentence; `None` for one that holds code, quotations, a question or too much.
fn words(sentence: &str) -> Option<Vec<Word>> {
    let sentence = sentence.trim().trim_end_matches(is_closing);
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
        let comma = bare.len() < token.len();
        match out.last_mut() {
            Some(last) if last.text == "thank" && text == "you" => {
                *last = Word { text: "thanks".to_owned(), comma };
            }
            _ => out.push(Word { text, comma }),
        }
    }
    Some(out)
}

struct Found {
    phrase: Phrase,
    spelled_out: bool,
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
            let courteous = before.iter().all(|word| word.is_in(COURTESIES));
            let known = before.iter().all(|word| word.is_in(COURTESIES) || word.is_in(ENDINGS));
            let led = |word: &Word| word.is_in(COURTESIES) || word.is_in(LEADING);
            let set_off = before.last().is_some_and(|word| word.comma || (spelled_out && led(word)));
            let begins_with = |list| before.first().is_some_and(|word| word.is_in(list));
            let polite = |word: &Word| word.is_in(COURTESIES) || word.is_in("for today then");
            let fits = (courteous || (known && set_off)) && !begins_with(ASKING) && after.iter().all(polite);
            fits.then(|| Found { phrase: *phrase, spelled_out, continues: begins_with(CONTINUING) })
        })
    })
}

/// How many words the pattern takes at the start of `words`; `None` where it does not stand there.
fn length_at(words: &[Word], pattern: &[&str]) -> Option<usize> {
    let mut at = 0;
    for part in pattern {
        let word = words.get(at);
        if part.is_empty() {
            at += usize::from(word.is_some_and(|word| word.is_in(ARTICLES)));
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

/// Whether what stands before the last sentence leaves it standing alone.
fn is_complete(before: &str, spelled_out: bool) -> bool {
    let line = before.trim_end().rsplit('\n').next().unwrap_or_default().trim();
    // Editors put what is open before what was typed, between tags.
    let is_tag = line.starts_with('<') && line.ends_with('>');
    if is_tag
        || is_fence(line)
        || words(line).is_some_and(|words| words.iter().all(|word| word.is_in(COURTESIES)))
    {
        return true;
    }
    let mut line_words = line.split_whitespace();
    let Some(last) = line_words.next_back() else { return true };
    let mark = last.chars().next_back().unwrap_or_default();
    let word = last.to_lowercase().replace('’', "'");
    let numbered = mark == '.' && last.trim_end_matches('.').bytes().all(|it| it.is_ascii_digit());
    let abbreviates = matches!(word.as_str(), "e.g." | "i.e." | "vs.");
    let connects = matches!(mark, ':' | ',') || numbered || abbreviates || holds(CONNECTING, &word);
    let first = line_words.next().map(str::to_lowercase);
    let asks = !ends_sentence(mark) && first.as_deref().is_some_and(|first| holds(ASKING, first));
    // Below a single word, or after a question, `cs` is an entry or an answer.
    let answers = !spelled_out && (mark == '?' || first.is_none());
    !(connects || asks || answers)
}

#[cfg(test)]
mod tests;
