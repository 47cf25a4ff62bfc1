//! What of a prompt its author says: not the code, quotations and log lines that it carries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A longer prompt, in bytes, is read from its beginning and its end: in between lies what was pasted.
const BYTES_MAX: usize = 128 * 1024;

/// The name of a tag that is longer than this in bytes is none.
const TAG_BYTES_MAX: usize = 64;

/// A prompt without the blocks that are not its author's words.
#[derive(Debug)]
pub(super) struct Prose {
    text: String,
    /// Inline code and quotations, in order: a topic may stand there, a phrase may not.
    silent: Vec<Range<usize>>,
}

impl Prose {
    pub(super) fn of(prompt: &str) -> Self {
        let mut prose = Self { text: String::with_capacity(prompt.len().min(BYTES_MAX)), silent: Vec::new() };
        let (head, tail) = ends(prompt);
        prose.lines(&without_tags(head));
        if !tail.is_empty() {
            prose.text.push('\n');
            prose.lines(&without_tags(tail));
        }
        prose
    }

    /// Its prose; what was left out is an empty line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a range touches inline code or a quotation.
    pub(super) fn is_silent(&self, range: &Range<usize>) -> bool {
        let at = self.silent.partition_point(|it| it.end <= range.start);
        self.silent.get(at).is_some_and(|it| it.start < range.end)
    }

    /// Where the sentence that goes on at `from` ends: a mark that ends one, or an empty line.
    pub(super) fn sentence_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        for (at, c) in rest.char_indices() {
            let after = &rest[at + c.len_utf8()..];
            let ends = match c {
                '。' | '！' | '？' | '｡' => true,
                '?' | '!' => after.chars().next().is_none_or(|c| c.is_whitespace() || c == '?' || c == '!'),
                // Not inside `context.json`, and not after `e.g.`.
                '.' => {
                    let mut next = after.trim_start().chars();
                    after.chars().next().is_none_or(char::is_whitespace)
                        && next.next().is_none_or(|c| !c.is_lowercase())
                }
                '\n' => after.trim_start_matches([' ', '\t']).starts_with('\n'),
                _ => false,
            };
            if ends {
                return from + at;
            }
        }
        self.text.len()
    }

    fn lines(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let mut fence: Option<(char, usize)> = None;
        // What comes first was trimmed: nothing is known of how it was indented.
        let mut after_blank = false;
        let mut after_code = false;
        let mut pasted = Pasted::Nothing;
        for (at, line) in lines.iter().enumerate() {
            let trimmed = line.trim_start();
            let mark = fence_of(trimmed);
            let indented = line.starts_with("    ") || line.starts_with('\t');
            let code = match (fence, mark) {
                (Some((open, length)), Some((close, count))) => {
                    if open == close && length <= count && trimmed[count..].trim().is_empty() {
                        fence = None;
                    }
                    true
                }
                (Some(_), None) => true,
                (None, Some(open)) => {
                    fence = Some(open);
                    true
                }
                (None, None) => indented && (after_blank || after_code) && !trimmed.is_empty(),
            };
            let is_pasted = pasted.goes_on(line, after_blank);
            pasted = pasted.after(line, is_pasted);
            if code || is_pasted || trimmed.starts_with('>') || is_log(trimmed) || is_comment(&lines, at) {
                self.text.push('\n');
            } else {
                self.line(without_comment(line));
            }
            after_code = code && fence.is_none() && mark.is_none();
            after_blank = trimmed.is_empty();
        }
    }

    fn line(&mut self, line: &str) {
        let base = self.text.len();
        self.text.push_str(line);
        self.text.push('\n');
        let mut marks = Marks { line, missing: Vec::new(), ticks: None };
        let mut at = 0;
        let mut before: Option<char> = None;
        while let Some(c) = line[at..].chars().next() {
            let (length, silent) = marks.at(at, c, before);
            if silent {
                self.silent.push(base + at..base + at + length);
            }
            at += length;
            before = Some(c);
        }
    }
}

/// The beginning and the end of a prompt that is too long to be read; otherwise all of it, and nothing.
pub(super) fn ends(prompt: &str) -> (&str, &str) {
    let prompt = unquoted(prompt.trim());
    if prompt.len() <= BYTES_MAX {
        return (prompt, "");
    }
    let head = floor(prompt, BYTES_MAX / 2);
    let tail = floor(prompt, prompt.len() - BYTES_MAX / 2);
    (&prompt[..head], &prompt[tail..])
}

/// The quotations and code spans of one line. Each byte is looked at a fixed number of times: what was not found once
/// is not looked for again.
struct Marks<'a> {
    line: &'a str,
    /// Marks that do not come any more.
    missing: Vec<char>,
    /// Where the last run of so many ticks begins.
    ticks: Option<HashMap<usize, usize>>,
}

impl Marks<'_> {
    /// How many bytes what begins at `at` with `c` takes, and whether it is a code span or quotation.
    fn at(&mut self, at: usize, c: char, before: Option<char>) -> (usize, bool) {
        let length = c.len_utf8();
        let body = at + length;
        let end = match c {
            '`' => {
                let count = run(&self.line[at..]);
                return match self.ticks_after(at, count) {
                    Some(end) => (end - at, true),
                    // A run of ticks opens nothing further inside.
                    None => (count, false),
                };
            }
            '"' => self.find(body, '"', |line, from| find(line, from, &['"'])),
            '“' | '„' => self.find(body, '”', |line, from| find(line, from, &['”', '“'])),
            '«' => self.find(body, '»', |line, from| find(line, from, &['»'])),
            '「' => self.find(body, '」', |line, from| find(line, from, &['」'])),
            // An apostrophe opens nothing.
            '\'' | '‘' if !before.is_some_and(char::is_alphanumeric) => {
                self.find(body, '’', closing_apostrophe)
            }
            _ => None,
        };
        end.map_or((length, false), |end| (end - at, true))
    }

    /// Where what `search` finds from `from` on ends.
    fn find(
        &mut self,
        from: usize,
        mark: char,
        search: impl Fn(&str, usize) -> Option<usize>,
    ) -> Option<usize> {
        if self.missing.contains(&mark) {
            return None;
        }
        let end = search(self.line, from);
        if end.is_none() {
            self.missing.push(mark);
        }
        end
    }

    /// Where the code span that `count` ticks at `at` open ends: after the next run of just as many.
    fn ticks_after(&mut self, at: usize, count: usize) -> Option<usize> {
        let line = self.line;
        let last = self.ticks.get_or_insert_with(|| {
            runs(line, 0).collect::<Vec<_>>().into_iter().map(|(at, count)| (count, at)).collect()
        });
        if last.get(&count).is_none_or(|last| *last <= at) {
            return None;
        }
        runs(line, at + count).find(|(_, found)| *found == count).map(|(at, count)| at + count)
    }
}

/// The runs of ticks from `from` on: where each begins, and how many they are.
fn runs(line: &str, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut from = from;
    std::iter::from_fn(move || {
        let at = from + line[from..].find('`')?;
        let count = run(&line[at..]);
        from = at + count;
        Some((at, count))
    })
}

/// How many ticks `text` begins with.
fn run(text: &str) -> usize {
    text.bytes().take_while(|it| *it == b'`').count()
}

/// Where the first of `marks` from `from` on ends.
fn find(line: &str, from: usize, marks: &[char]) -> Option<usize> {
    let (at, found) = line[from..].char_indices().find(|(_, c)| marks.contains(c))?;
    Some(from + at + found.len_utf8())
}

/// Where the first apostrophe from `from` on that may close a quotation ends: it stands behind a word, and none goes
/// on after it.
fn closing_apostrophe(line: &str, from: usize) -> Option<usize> {
    let body = &line[from..];
    let closes = |(at, found): &(usize, char)| {
        matches!(found, '\'' | '’')
            && !body[at + found.len_utf8()..].starts_with(char::is_alphanumeric)
            && !body[..*at].ends_with(char::is_whitespace)
            && 0 < *at
    };
    body.char_indices().find(closes).map(|(at, found)| from + at + found.len_utf8())
}

/// What of somebody else's goes on over several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pasted {
    Nothing,
    Diff,
    /// What somebody wrote, up to an empty line.
    Letter,
}

impl Pasted {
    /// Whether `line` belongs to it.
    fn goes_on(self, line: &str, after_blank: bool) -> bool {
        let header = ["diff --git ", "index ", "--- a/", "--- /dev/null", "+++ b/", "+++ /dev/null", "@@ -"];
        let begins = header.iter().any(|it| line.starts_with(it)) && !line.starts_with("index ");
        match self {
            Self::Nothing => begins,
            Self::Letter => !line.trim().is_empty(),
            // After an empty line `- ` is an entry of a list.
            Self::Diff if after_blank && line.starts_with("- ") => false,
            Self::Diff => {
                line.is_empty()
                    || line.starts_with(['+', '-', ' ', '@', '\\'])
                    || header.iter().any(|it| line.starts_with(it))
                    || ["new file ", "deleted file ", "old mode ", "new mode ", "similarity ", "rename "]
                        .iter()
                        .any(|it| line.starts_with(it))
            }
        }
    }

    /// What goes on in the next line.
    fn after(self, line: &str, is_pasted: bool) -> Self {
        match self {
            Self::Letter if is_pasted => Self::Letter,
            _ if is_pasted => Self::Diff,
            _ if [" wrote:", " writes:", " said:"].iter().any(|it| line.trim_end().ends_with(it)) => {
                Self::Letter
            }
            _ => Self::Nothing,
        }
    }
}

/// What stands between the tags that programs put around their words, as hooks and editors do: sorted ranges of
/// bytes. Tags of people (`<task>`) are not among them.
pub(crate) fn tags_of(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    if !text.contains("</") {
        return out;
    }
    let mut closings: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, _) in text.match_indices("</") {
        let name = name(&text[at + 2..]);
        closings.entry(name).or_default().push(at);
    }
    for (at, _) in text.match_indices('<') {
        if out.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let name = name(&text[at + 1..]);
        if !is_machines(name) {
            continue;
        }
        let Some(ends) = closings.get(name) else { continue };
        if let Some(end) = ends.get(ends.partition_point(|it| *it <= at)) {
            let end = end + "</".len() + name.len();
            out.push(at..end + usize::from(text[end..].starts_with('>')));
        }
    }
    out
}

fn name(text: &str) -> &str {
    let end = text
        .bytes()
        .take(TAG_BYTES_MAX)
        .position(|it| !(it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_')));
    end.map_or("", |end| &text[..end])
}

/// The name of a tag that a program writes.
fn is_machines(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "blockquote",
        "code",
        "diff",
        "document",
        "file",
        "log",
        "opened",
        "output",
        "pre",
        "quote",
        "stderr",
        "stdout",
    ];
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && (name.contains(['-', '_']) || NAMES.contains(&name))
}

/// `text` with an empty line in the place of what programs put in tags.
fn without_tags(text: &str) -> Cow<'_, str> {
    let tags = tags_of(text);
    if tags.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for tag in tags {
        out.push_str(&text[from..tag.start]);
        out.push_str("\n\n");
        from = tag.end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// A line that is a comment of a program. What also begins lines of prose (`#`, `--`) does so only beside code.
fn is_comment(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim_start();
    if ["//", "/*", "*/", "#!", "<!--"].iter().any(|mark| line.starts_with(mark)) {
        return true;
    }
    let beside = |lines: &mut dyn Iterator<Item = &&str>| lines.next().is_some_and(|line| is_code(line));
    ["#", "--", ";", "%", "* "].iter().any(|mark| line.starts_with(mark))
        && (beside(&mut lines[at + 1..].iter()) || beside(&mut lines[..at].iter().rev()))
}

/// The line up to a comment that follows code in it.
fn without_comment(line: &str) -> &str {
    let begins = |(at, _): &(usize, &str)| {
        let code = &line[..*at];
        code.ends_with([' ', '\t', ';', ')', '}', ',']) && is_code(code)
    };
    // The first ones: prose is full of none of them.
    let found =
        ["//", "/*", "#", "--"].iter().filter_map(|mark| line.match_indices(mark).take(4).find(begins));
    found.map(|(at, _)| at).min().map_or(line, |at| &line[..at])
}

/// Whether a line is a statement of some programming language.
pub(crate) fn is_code(line: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "class", "const", "def", "else", "export", "fn", "for", "from", "func", "function", "if", "import",
        "let", "match", "pub", "return", "struct", "switch", "try", "type", "var", "while",
    ];
    let line = line.trim();
    if line.ends_with([';', '{', '}']) {
        return line.contains(['(', ')', '=', '{', '}', '<', '>']);
    }
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '$' | ':' | '*' | '&');
    let end = line.find(|c| !word(c)).unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    if first.is_empty() {
        return false;
    }
    let rest = rest.trim_start();
    let assigns = ["=", "+=", "-=", "|="].iter().any(|it| rest.starts_with(it)) || first.ends_with(":=");
    // A call as a whole: `parse(x)`, but not `we (both) said so`.
    let calls = line[end..].starts_with('(') && line.trim_end_matches(',').ends_with(')');
    let keyword =
        KEYWORDS.contains(&first) && (rest.contains(['(', '=', '{', ';', '"']) || rest.ends_with(':'));
    assigns || calls || keyword
}

/// A message that is in quotation marks as a whole is its author's all the same.
fn unquoted(text: &str) -> &str {
    [('"', '"'), ('“', '”'), ('\'', '\'')]
        .into_iter()
        .find_map(|(open, close)| {
            let inner = text.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.contains([open, close])).then_some(inner)
        })
        .unwrap_or(text)
}

/// A line that opens or closes a block of code: its character, and how many of them.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|it| *it == c).count();
    let info = &line[count..];
    (3 <= count && (c == '~' || !info.contains('`'))).then_some((c, count))
}

/// A line of a log, a shell session or a trace: it begins with a time, a level or a prompt.
pub(crate) fn is_log(line: &str) -> bool {
    if line.starts_with("$ ") || line.starts_with("% ") || line.starts_with(">>> ") {
        return true;
    }
    let line = line.trim_start_matches(['[', '(', '<']);
    let shape: String = line.chars().take(19).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let time = ["9999-99-99T99:99", "9999-99-99 99:99", "9999/99/99 99:99", "99:99:99", "99/99/9999 99:99"];
    if time.iter().any(|it| shape.starts_with(it)) {
        return true;
    }
    // `10:31 bob: …`, `9:05 AM …`
    let minutes =
        |it: &str| shape.strip_prefix(it).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if minutes("99:99") || minutes("9:99") || is_failure(line) {
        return true;
    }
    // `Nov 30 17:43:58 host …`
    if shape.len() == 19 && shape.get(7..15).is_some_and(|it| it == "99:99:99") {
        return true;
    }
    let level: String = line.chars().take_while(char::is_ascii_uppercase).take(9).collect();
    let after = line[level.len()..].chars().next();
    matches!(level.as_str(), "TRACE" | "DEBUG" | "INFO" | "WARN" | "WARNING" | "ERROR" | "FATAL" | "CRITICAL")
        && matches!(after, Some(':' | ']' | ' ' | '\t' | '|'))
}

/// `TypeError: …`, `java.lang.IllegalStateException: …`, `error[E0308]: …`
fn is_failure(line: &str) -> bool {
    let end =
        line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    (rest.starts_with(": ") && ["Error", "Exception"].iter().any(|it| name.ends_with(it)))
        || (name == "error" && (rest.starts_with(": ") || rest.starts_with("[E")))
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
