//! The only place that calls the shell parser: caps before, a large stack under, faults caught.
//!
//! `brush-parser` recurses once per nesting level and aborts the process on a stack overflow, which a
//! host would read as "run it". So text that could nest deeply is parsed on a thread with a stack that
//! is larger than any nesting the byte cap allows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText, WordPieceWithSource};
use brush_parser::{ParserOptions, Token, TokenizerOptions, ast, parse_tokens, uncached_tokenize_str};

/// Longest command line that is analysed, in bytes; a longer one counts as not understood.
pub(super) const COMMAND_BYTES_MAX: usize = 256 * 1024;

/// Openers that the ordinary stack carries for certain, also in an unoptimised build on a test thread.
const OPENERS_MAX: usize = 64;

/// Openers that the large stack carries for certain, also in an unoptimised build.
const DEEP_OPENERS_MAX: usize = 20_000;

/// Stack for deeply nested text; only what is used is ever touched.
const DEEP_STACK_BYTES: usize = 512 << 20;

/// Levels of braces in one word. The parser's time triples with each; bash writes two or three.
const BRACE_LEVELS_MAX: usize = 6;

/// Open subshells and arithmetic at a time. Where one is never closed the parser's time doubles with each.
const SUBSHELL_LEVELS_MAX: usize = 12;

/// Open `case` commands at a time. Where one is broken the parser's time doubles with each.
const CASE_LEVELS_MAX: usize = 6;

/// Open subscripts of parameters (`${a[`) at a time. The parser's time grows tenfold with each.
const SUBSCRIPT_LEVELS_MAX: usize = 2;

/// Why a text is not analysed: nobody promised a stack for it.
const BEYOND_CAPS: &str = "it is too long or too deeply nested to analyse";

/// Why a text is not analysed: the parser or the analysis failed on it.
pub(super) const FAILED: &str = "the analysis of it failed";

/// Words that one brace expression may make.
const BRACE_WORDS_MAX: usize = 256;

/// Upper bound of the nesting of `text`: what could open a level, closed or not.
pub(super) fn openers(text: &str) -> usize {
    let marks = text.bytes().filter(|byte| matches!(byte, b'(' | b'{' | b'[' | b'`' | b'<')).count();
    let words = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| {
            matches!(
                *word,
                "if" | "elif" | "while" | "until" | "for" | "case" | "do" | "then" | "coproc" | "function"
            )
        })
        .count();
    marks + words
}

/// Whether text made while analysing (a decoded string, a repeated variable) may be parsed on a stack of
/// the kind that the whole analysis runs on.
pub(super) fn fits(text: &str, deep: bool) -> bool {
    text.len() <= COMMAND_BYTES_MAX && openers(text) <= if deep { DEEP_OPENERS_MAX } else { OPENERS_MAX }
}

/// Runs `work` where nesting of `text` cannot overflow the stack; `work` is told whether that is the
/// large one.
///
/// # Errors
/// [`BEYOND_CAPS`], or [`FAILED`] when `work` panicked.
pub(super) fn with_stack<T: Send>(
    text: &str,
    work: impl FnOnce(bool) -> T + Send,
) -> Result<T, &'static str> {
    if fits(text, false) {
        return catch_unwind(AssertUnwindSafe(|| work(false))).map_err(|_| FAILED);
    }
    if !fits(text, true) {
        return Err(BEYOND_CAPS);
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(DEEP_STACK_BYTES)
            .spawn_scoped(scope, || work(true))
            .map_err(|_| BEYOND_CAPS)
            .and_then(|thread| thread.join().map_err(|_| FAILED))
    })
}

/// Parses a command line as bash.
pub(super) fn program(text: &str) -> Option<ast::Program> {
    if COMMAND_BYTES_MAX < text.len() {
        return None;
    }
    if empty_heredoc_tag(text) {
        return None;
    }
    // A tag that is missing at the very end has the same effect; a line end makes it an error.
    let tokens = uncached_tokenize_str(&format!("{text}\n"), &TokenizerOptions::default()).ok()?;
    // An assignment to an element is parsed with the rest: its subscript counts here already.
    if SUBSHELL_LEVELS_MAX < levels(&tokens, "(", ")")
        || CASE_LEVELS_MAX < levels(&tokens, "case", "esac")
        || tokens.iter().any(|token| SUBSCRIPT_LEVELS_MAX < subscript_levels(token.to_str()))
    {
        return None;
    }
    parse_tokens(&tokens, &ParserOptions::default()).ok()
}

/// Whether a here-document ends at an empty line (`<<''`), also where `<<` is no operator. At the end of
/// the text the tokenizer then neither ends nor stops taking memory.
fn empty_heredoc_tag(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<<") {
        rest = after.trim_start_matches('<');
        if after.len() - rest.len() == 1 {
            continue;
        }
        let tag = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
        let end = tag.find(|c| " \t\n;&|<>()".contains(c)).unwrap_or(tag.len());
        let tag = tag.get(..end).unwrap_or_default();
        // The tokenizer trims what it does not take for blanks.
        let said = tag.replace("''", "").replace("\"\"", "");
        if !tag.is_empty() && said.trim_ascii().is_empty() {
            return true;
        }
    }
    false
}

/// How many `open` without their `close` there are at most at any place.
fn levels(tokens: &[Token], open: &str, close: &str) -> usize {
    let (mut level, mut deepest) = (0_usize, 0);
    for token in tokens {
        if token.to_str() == open {
            level += 1;
            deepest = deepest.max(level);
        } else if token.to_str() == close {
            level = level.saturating_sub(1);
        }
    }
    deepest
}

/// Parses one raw word into its pieces.
pub(super) fn word(raw: &str) -> Option<Vec<WordPieceWithSource>> {
    if SUBSCRIPT_LEVELS_MAX < subscript_levels(raw) {
        return None;
    }
    brush_parser::word::parse(raw, &ParserOptions::default()).ok()
}

/// Parses the body of a here-document in which expansions happen.
pub(super) fn heredoc(raw: &str) -> Option<Vec<WordPieceWithSource>> {
    if SUBSCRIPT_LEVELS_MAX < subscript_levels(raw) {
        return None;
    }
    brush_parser::word::parse_heredoc(raw, &ParserOptions::default()).ok()
}

/// How many subscripts of parameters are open at most at any place, whatever is quoted.
fn subscript_levels(raw: &str) -> usize {
    let (mut parameters, mut level, mut deepest) = (0_usize, 0_usize, 0);
    let mut before = ' ';
    for c in raw.chars() {
        match c {
            '{' if before == '$' => parameters += 1,
            '}' => parameters = parameters.saturating_sub(1),
            '[' if parameters != 0 => {
                level += 1;
                deepest = deepest.max(level);
            }
            ']' => level = level.saturating_sub(1),
            _ => {}
        }
        before = c;
    }
    deepest
}

/// The raw words that brace expansion makes of `raw`; `None` when they are too many.
pub(super) fn braces(raw: &str) -> Option<Vec<String>> {
    if !raw.contains('{') || !(raw.contains(',') || raw.contains("..")) {
        return Some(vec![raw.to_owned()]);
    }
    let levels = brace_levels(raw);
    if levels == 0 {
        return Some(vec![raw.to_owned()]);
    }
    let parentheses = raw.bytes().filter(|byte| *byte == b'(').count();
    if BRACE_LEVELS_MAX < levels
        || SUBSCRIPT_LEVELS_MAX < subscript_levels(raw)
        || SUBSHELL_LEVELS_MAX < parentheses
    {
        return None;
    }
    match brush_parser::word::parse_brace_expansions(raw, &ParserOptions::default()) {
        Ok(Some(parts)) => join(&parts),
        Ok(None) | Err(_) => Some(vec![raw.to_owned()]),
    }
}

/// How deep braces outside quotes nest in a raw word, closed or not; `${` counts as one. Nothing where every
/// brace belongs to a parameter: then there is nothing to expand.
fn brace_levels(raw: &str) -> usize {
    let (mut level, mut deepest, mut plain) = (0_usize, 0, false);
    let mut quote = None;
    let mut before = ' ';
    let mut characters = raw.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\'', Some('\'')) | ('"', Some('"')) => quote = None,
            (_, Some('\'')) => {}
            ('\\', _) => drop(characters.next()),
            ('\'' | '"', None) => quote = Some(c),
            ('{', None) => {
                level += 1;
                deepest = deepest.max(level);
                plain |= before != '$';
            }
            ('}', None) => level = level.saturating_sub(1),
            _ => {}
        }
        before = c;
    }
    if plain { deepest } else { 0 }
}

fn join(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for part in parts {
        let tails = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut tails = Vec::new();
                for member in members {
                    tails.extend(expand(member)?);
                }
                tails
            }
        };
        if BRACE_WORDS_MAX < words.len() * tails.len() {
            return None;
        }
        words = words.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect();
    }
    Some(words)
}

fn expand(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => join(parts),
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            let step = increment.unsigned_abs().max(1);
            let count = start.abs_diff(*end) / step + 1;
            if BRACE_WORDS_MAX as u64 <= count {
                return None;
            }
            let sign = if start <= end { 1 } else { -1 };
            let step = i64::try_from(step).ok()?;
            (0..i64::try_from(count).ok()?)
                .map(|index| start.checked_add(sign * index.checked_mul(step)?).map(|n| n.to_string()))
                .collect()
        }
        BraceExpressionMember::CharSequence { start, end, .. } => {
            let (low, high) = if start <= end { (*start, *end) } else { (*end, *start) };
            Some((low..=high).map(String::from).collect())
        }
    }
}
