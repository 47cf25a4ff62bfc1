//! Blocks of prose -> clauses, with what vetoes a claim in each.

use super::language::Language;
pub(super) use super::phrases::{contains, find};
use super::text::{Block, Text};

/// The longest clause that is read, in tokens; what is longer is prose of another kind.
const TOKENS_MAX: usize = 120;

/// A stretch of words between two strong marks (full stop, semicolon, colon, dash, bracket, table cell).
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// As the message has it, spans included.
    pub(super) text: String,
    /// Its words in lower case; spans are one token, commas too.
    pub(super) tokens: Vec<String>,
    /// Its sentence in lower case with one blank around each word: for markers that reach over clauses.
    pub(super) sentence: String,
    /// The sentence ends in a question mark.
    pub(super) question: bool,
    /// The index of the token from which on, in this clause, what is said depends on a condition.
    pub(super) conditional_from: Option<usize>,
    /// An arrow follows: what is said is the left side of a mapping.
    pub(super) before_arrow: bool,
    /// The words before a colon that this clause follows, in lower case.
    pub(super) label: Option<String>,
    /// It stands in round brackets.
    pub(super) bracketed: bool,
}

impl Clause {
    /// The words with one blank around each.
    pub(super) fn norm(&self) -> String {
        joined(&self.tokens)
    }

    /// Whether one of `phrases` stands in the tokens from `from` to before `to`.
    pub(super) fn has(&self, language: &Language, phrases: &[&str], from: usize, to: usize) -> bool {
        let slice = &self.tokens[from.min(self.tokens.len())..to.min(self.tokens.len())];
        contains(&joined(slice), language, phrases)
    }
}

fn joined(tokens: &[String]) -> String {
    let mut out = String::from(" ");
    for token in tokens {
        out.push_str(token);
        out.push(' ');
    }
    out
}

/// The clauses of a block.
pub(super) fn clauses(text: &Text, index: usize, language: &Language) -> Vec<Clause> {
    let block = &text.blocks[index];
    sentences(&block.text).into_iter().flat_map(|it| split(&it, block, language)).collect()
}

/// A sentence with the marks that end it taken off.
struct Sentence<'a> {
    text: &'a str,
    question: bool,
}

fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let mut push = |from: usize, to: usize, question: bool| {
        let piece = text[from..to].trim();
        if !piece.is_empty() {
            out.push(Sentence { text: piece, question });
        }
    };
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let ends = match c {
            '\n' | '。' | '！' | '？' | '｡' => true,
            '!' | '?' | '…' => next.is_none_or(|c| c.is_whitespace() || matches!(c, ')' | '"' | '!' | '?')),
            '.' => next.is_none_or(char::is_whitespace) && !abbreviation(&text[start..at]),
            _ => false,
        };
        if ends {
            push(start, at, matches!(c, '?' | '？'));
            start = at + c.len_utf8();
        }
    }
    push(start, text.len(), false);
    out
}

/// A full stop after these ends no sentence.
fn abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    matches!(
        word.as_str(),
        "e.g" | "i.e" | "etc" | "vs" | "approx" | "ca" | "no" | "incl" | "z.b" | "d.h" | "bzw" | "p.ej"
    ) || (word.len() <= 3 && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()))
}

fn split(sentence: &Sentence<'_>, block: &Block, language: &Language) -> Vec<Clause> {
    let norm = joined(&tokens(sentence.text));
    let mut out: Vec<Clause> = Vec::new();
    let mut conditional = false;
    let mut label: Option<String> = None;
    for piece in pieces(sentence.text) {
        let mut tokens = tokens(piece.text);
        if tokens.is_empty() {
            continue;
        }
        tokens.truncate(TOKENS_MAX);
        if piece.after_comma_like {
            label = None;
        }
        let from = if conditional {
            Some(0)
        } else {
            (0..tokens.len()).find(|at| {
                starts_phrase(&tokens[*at..], language.conditional) && !tells_when(&tokens[*at..], language)
            })
        };
        conditional |= from.is_some();
        let text = piece.text.trim().to_owned();
        let is_label = piece.ends_in_colon;
        out.push(Clause {
            tokens: tokens.clone(),
            sentence: norm.clone(),
            question: sentence.question,
            conditional_from: from,
            before_arrow: piece.before_arrow,
            label: label.clone(),
            bracketed: piece.bracketed,
            text,
        });
        if is_label {
            label = Some(joined(&tokens));
        }
    }
    // The first cell of a row names what the others say.
    if block.kind == super::text::BlockKind::Row
        && let Some(first) = out.first().map(|clause| joined(&clause.tokens))
    {
        for clause in out.iter_mut().skip(1) {
            clause.label.get_or_insert_with(|| first.clone());
        }
    }
    out
}

/// "When I ran the tests, 12 passed": a time in the past, no condition.
fn tells_when(tokens: &[String], language: &Language) -> bool {
    let [when, subject, verb, ..] = tokens else { return false };
    language.code == "en"
        && when == "when"
        && language.first_person.contains(&subject.as_str())
        && super::phrases::forms(language, verb).iter().any(|(form, _, _)| form == verb)
}

fn starts_phrase(tokens: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let mut at = 0;
        phrase.split(' ').all(|word| {
            let same = tokens.get(at).is_some_and(|token| token == word);
            at += 1;
            same
        })
    })
}

#[expect(clippy::struct_excessive_bools, reason = "four marks that have nothing to do with each other")]
struct Piece<'a> {
    text: &'a str,
    ends_in_colon: bool,
    before_arrow: bool,
    bracketed: bool,
    /// A semicolon or a full clause mark before it: a label before that is over.
    after_comma_like: bool,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let mut after_semicolon = false;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut i = 0;
    while i < chars.len() {
        let (at, c) = chars[i];
        let next = chars.get(i + 1).map(|(_, c)| *c);
        let before = i.checked_sub(1).and_then(|i| chars.get(i)).map(|(_, c)| *c);
        let blank_around = before.is_none_or(char::is_whitespace) && next.is_none_or(char::is_whitespace);
        let digits = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let (cut, width, arrow) = match c {
            // A range.
            '–' | '—' if digits(before) && digits(next) => (false, 1, false),
            ';' | '；' | '(' | ')' | '（' | '）' | '：' | '–' | '—' => (true, 1, false),
            '|' | '-' if blank_around => (true, 1, false),
            ':' => (next.is_none_or(char::is_whitespace), 1, false),
            '-' if next == Some('-') && before.is_none_or(char::is_whitespace) => {
                (chars.get(i + 2).is_none_or(|(_, c)| c.is_whitespace()), 2, false)
            }
            '→' | '⇒' | '➜' | '➡' => (true, 1, true),
            '=' | '-' if next == Some('>') => (true, 2, true),
            _ => (false, 1, false),
        };
        if cut {
            let bracketed = 0 < depth;
            out.push(Piece {
                text: &text[start..at],
                ends_in_colon: matches!(c, ':' | '：'),
                before_arrow: arrow,
                bracketed,
                after_comma_like: after_semicolon,
            });
            after_semicolon = matches!(c, ';' | '；');
            match c {
                '(' | '（' => depth += 1,
                ')' | '）' => depth = depth.saturating_sub(1),
                _ => {}
            }
            i += width;
            start = chars.get(i).map_or(text.len(), |(at, _)| *at);
            continue;
        }
        i += 1;
    }
    out.push(Piece {
        text: &text[start..],
        ends_in_colon: false,
        before_arrow: false,
        bracketed: 0 < depth,
        after_comma_like: after_semicolon,
    });
    out
}

/// Words in lower case; a span is one token, a comma too; other marks and pictures are left out.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    let end = |word: &mut String, out: &mut Vec<String>| {
        let trimmed = word
            .trim_end_matches(['.', '\'', '-', ':', '~', '=', '\\'])
            .trim_start_matches(['\'', ':', '=', '\\']);
        if trimmed.chars().any(|c| c.is_alphanumeric() || c == '*') {
            out.push(trimmed.to_lowercase());
        }
        word.clear();
    };
    for (at, c) in chars.iter().copied().enumerate() {
        let next = chars.get(at + 1).copied();
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '\u{e000}'..='\u{f7ff}' => {
                end(&mut word, &mut out);
                out.push(c.to_string());
            }
            '’' | '\'' => word.push('\''),
            ',' | '、' | '，' | '､' => {
                let number = word.chars().next_back().is_some_and(|c| c.is_ascii_digit())
                    && next.is_some_and(|c| c.is_ascii_digit());
                if number && c == ',' {
                    word.push(',');
                } else {
                    end(&mut word, &mut out);
                    out.push(",".to_owned());
                }
            }
            '.' | '/' | '-' | ':' | '@' | '#' | '~' | '=' | '\\' => {
                // Inside a word, or before one: `.env`, `/etc`, `@scope/name`, `#12`, `--flag`.
                if (!word.is_empty()
                    && (inside(next) || matches!(next, Some('/' | '.' | '-' | '_' | ':' | '*'))))
                    || (word.is_empty() && (inside(next) || matches!(next, Some('/' | '.' | '-' | '_'))))
                    || (c == '/' && !word.is_empty())
                {
                    word.push(c);
                } else {
                    end(&mut word, &mut out);
                }
            }
            '–' if !word.is_empty() && next.is_some_and(|c| c.is_ascii_digit()) => word.push('-'),
            '%' if word.is_empty() => {
                if let Some(last) = out.last_mut().filter(|it| it.ends_with(|c: char| c.is_ascii_digit())) {
                    last.push('%');
                }
            }
            '%' => {
                word.push('%');
                end(&mut word, &mut out);
            }
            '&' => {
                end(&mut word, &mut out);
                out.push("and".to_owned());
            }
            _ if c.is_alphanumeric() || c == '_' || c == '*' || c == '$' => word.push(c),
            '+' if !word.is_empty() => word.push('+'),
            _ => end(&mut word, &mut out),
        }
    }
    end(&mut word, &mut out);
    out
}
