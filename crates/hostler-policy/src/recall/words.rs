//! Words of a text, and how they are compared: folded, never cut inside a script that writes none.

/// Folds one character, so that texts that differ in case compare equal: to lower case by way of upper case, which
/// also makes one of `ς` and `σ`, of `ẞ`, `ß` and `ss`.
fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else if is_unspaced(c) {
        // No case there, and these are looked at most often.
        out.push(c);
    } else {
        c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).for_each(|c| out.push(c));
    }
}

/// `text` folded, character by character: what is inside a word never depends on what is around it.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| fold_into(c, &mut out));
    out
}

/// A word, or a run of characters of a script that puts no spaces between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    /// As it stands in the text.
    pub(crate) text: &'a str,
    /// Where it begins, in bytes.
    pub(crate) at: usize,
    /// How its script writes words.
    pub(crate) script: Script,
}

impl Word<'_> {
    /// Where it ends, in bytes.
    pub(crate) fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// How a script writes words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Apart from each other.
    Spaced,
    /// Chinese, Japanese and Korean: together, or with particles attached.
    Cjk,
    /// Thai, Lao, Burmese and Khmer: together.
    Joined,
}

/// The words of `text` in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, script) = chars.by_ref().find_map(|(at, c)| Some((at, script(c)?)))?;
        let mut end = text.len();
        while let Some((next, c)) = chars.peek().copied() {
            if script_after(script, c) != Some(script) {
                end = next;
                break;
            }
            chars.next();
        }
        Some(Word { text: text.get(at..end)?, at, script })
    })
}

/// The script of a character that belongs to a word.
fn script(c: char) -> Option<Script> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(Script::Spaced);
    }
    if is_cjk(c) {
        return Some(Script::Cjk);
    }
    if is_joined(c) {
        return Some(Script::Joined);
    }
    c.is_alphanumeric().then_some(Script::Spaced)
}

/// Marks that combine with the character before them belong to its word.
fn script_after(before: Script, c: char) -> Option<Script> {
    if is_mark(c) { Some(before) } else { script(c) }
}

/// Combining marks that are no letters: accents, points, viramas, joiners.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}'
            | '\u{591}'..='\u{5bd}'
            | '\u{5bf}'..='\u{5c7}'
            | '\u{64b}'..='\u{65f}'
            | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a3c}' | '\u{a4d}' | '\u{abc}' | '\u{acd}'
            | '\u{b3c}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}'
            | '\u{200c}' | '\u{200d}' | '\u{3099}' | '\u{309a}'
    )
}

/// A character of a script that puts no spaces between words.
fn is_unspaced(c: char) -> bool {
    is_cjk(c) || is_joined(c)
}

fn is_cjk(c: char) -> bool {
    matches!(
        c,
        // Hangul, kana, and ideographs with their extensions and compatibility forms.
        '\u{1100}'..='\u{11ff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3041}'..='\u{3096}'
            | '\u{309d}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{30ff}'
            | '\u{3105}'..='\u{312f}'
            | '\u{3131}'..='\u{318e}'
            | '\u{31a0}'..='\u{31bf}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97c}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{323af}'
    )
}

fn is_joined(c: char) -> bool {
    // Their digits are words of their own, as everywhere.
    matches!(c, '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{103f}'
        | '\u{1050}'..='\u{108f}' | '\u{1780}'..='\u{17d3}')
}

/// Hiragana writes what Japanese grammar needs between its words.
pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Whether `phrase`, which is folded, is the word or the words from `words[at]` on, with nothing but white space
/// between them; how many words it takes.
pub(crate) fn phrase_at(text: &str, words: &[Word<'_>], at: usize, phrase: &[String]) -> Option<usize> {
    let found = words.get(at..at + phrase.len()).filter(|it| !it.is_empty())?;
    let same = found.iter().zip(phrase).all(|(word, wanted)| equals_folded(word.text, wanted));
    let together = found.windows(2).all(|pair| is_blank(text, pair[0].end(), pair[1].at));
    (same && together).then_some(phrase.len())
}

/// Whether nothing but white space stands between two words; an empty line is where a thought ends.
pub(crate) fn is_blank(text: &str, from: usize, to: usize) -> bool {
    let gap = text.get(from..to).unwrap_or("-");
    !gap.is_empty() && gap.chars().all(char::is_whitespace) && gap.matches('\n').count() < 2
}

/// `text` folded is `folded`.
pub(crate) fn equals_folded(text: &str, folded: &str) -> bool {
    if text.is_ascii() { text.eq_ignore_ascii_case(folded) } else { fold(text) == folded }
}

/// Folds many texts into one buffer, as fast as reading them: what a search over thousands of records begins with.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The folded form of each character below U+0800 that folds to a single one.
    table: Vec<Option<char>>,
    out: String,
}

/// Characters below this have two bytes at most: Latin, Greek, Cyrillic, Hebrew, Arabic.
const TABLE_CHARS: u32 = 0x800;

impl Folder {
    pub(crate) fn new() -> Self {
        let single = |c: char| {
            let mut out = String::new();
            fold_into(c, &mut out);
            let mut chars = out.chars();
            chars.next().filter(|_| chars.next().is_none())
        };
        let table = (0..TABLE_CHARS).map(|c| char::from_u32(c).and_then(single)).collect();
        Self { table, out: String::new() }
    }

    /// The folded characters of JSON text; escapes of characters are read, other escapes are not letters.
    pub(crate) fn json(&mut self, raw: &str) -> &str {
        self.out.clear();
        if raw.is_ascii() && memchr::memmem::find(raw.as_bytes(), b"\\u").is_none() {
            self.out.push_str(raw);
            self.out.make_ascii_lowercase();
            return &self.out;
        }
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            self.push(&rest[..at]);
            rest = self.escape(&rest[at + 1..]);
        }
        self.push(rest);
        &self.out
    }

    fn push(&mut self, text: &str) {
        for c in text.chars() {
            match self.table.get(c as usize).copied().flatten() {
                Some(folded) => self.out.push(folded),
                None => fold_into(c, &mut self.out),
            }
        }
    }

    /// One escape, of which the backslash is gone; what comes after it.
    fn escape<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some(escaped) = rest.strip_prefix('u') else {
            // Two characters of which none is part of a word.
            self.out.push_str("\\ ");
            let mut chars = rest.chars();
            chars.next();
            return chars.as_str();
        };
        let Some((first, mut rest)) = hex(escaped) else { return escaped };
        let mut code = first;
        if (0xd800..0xdc00).contains(&first)
            && let Some((second, after)) = rest.strip_prefix("\\u").and_then(hex)
            && (0xdc00..0xe000).contains(&second)
        {
            code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            rest = after;
        }
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        // An escaped quotation mark ends no string, and must not look as if it did.
        fold_into(if c == '"' { ' ' } else { c }, &mut self.out);
        rest
    }
}

fn hex(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}
