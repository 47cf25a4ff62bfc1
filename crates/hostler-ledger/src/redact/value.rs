//! Secrets that are known by what stands before them: a name, a header, an option, a URL.

use std::ops::Range;

use super::MARK;
use super::name::{self, Strength};

/// How far left of `=` or `:` a name is looked for, bytes.
const NAME_BYTES_MAX: usize = 64;
/// Words that follow an option in a sentence about it.
const TALK: &[&str] = &[
    "option",
    "options",
    "flag",
    "flags",
    "argument",
    "arguments",
    "parameter",
    "switch",
    "value",
    "is",
    "was",
    "are",
    "and",
    "or",
    "to",
    "with",
    "for",
    "in",
    "on",
    "as",
    "if",
    "from",
    "instead",
    "when",
    "not",
    "must",
    "should",
    "can",
    "the",
    "a",
    "that",
    "which",
];
/// What code and configuration say where a secret would stand.
const PLAIN: &[&str] = &[
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "str",
    "text",
    "bytes",
    "any",
    "required",
    "optional",
    "yes",
    "no",
    "on",
    "off",
    "prompt",
    "stdin",
    "env",
    "varchar",
    "number",
    "int",
    "bool",
    "boolean",
    "object",
    "self",
    "this",
];

/// A value as it stands in the text.
#[derive(Clone, Copy)]
struct Value<'a> {
    text: &'a str,
    start: usize,
    quote: Option<&'a str>,
    /// What comes right after it.
    next: Option<u8>,
}

impl Value<'_> {
    fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// A value of a secret's name: `password=…`, `"token": "…"`, `API_KEY := '…'`, `Authorization: …`.
pub(super) fn assigned(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let colon = bytes.get(at) == Some(&b':');
    // `::` is a path, and of `:=` and `==` the last one counts.
    let next = bytes.get(at + 1);
    if next == Some(&b'=') || (colon && (next == Some(&b':') || 0 < at && bytes[at - 1] == b':')) {
        return None;
    }
    let name = name_before(text, at)?;
    if colon && header(name) {
        return header_value(text, at + 1);
    }
    let strength = name::strength(name)?;
    let mut from = at + 1;
    if next == Some(&b'>') {
        from += 1;
    }
    let after = from;
    while matches!(bytes.get(from), Some(b' ' | b'\t')) {
        from += 1;
    }
    let spaced = after < from || matches!(at.checked_sub(1).map(|it| bytes[it]), Some(b' ' | b'\t'));
    let value = value_at(text, from)?;
    secret(name, &value, strength, spaced).then(|| value.span())
}

/// The name that a `=` or `:` at `at` gives a value to.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let name = word_before(text, at)?;
    if text.as_bytes().get(at) != Some(&b'=') || name::strength(name).is_some() {
        return Some(name);
    }
    // A type may stand between: `password: &'static str = "…"`.
    let bytes = text.as_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_ <>&'.,[]|?".contains(&byte);
    let from = at.saturating_sub(NAME_BYTES_MAX);
    let colon = (from..at).rev().find(|it| !plain(bytes[*it])).filter(|it| bytes[*it] == b':');
    let typed = colon.and_then(|it| word_before(text, it));
    typed.or(Some(name))
}

fn word_before(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut end = at;
    let skip = |end: &mut usize, set: &[u8]| {
        while 0 < *end && set.contains(&bytes[*end - 1]) {
            *end -= 1;
        }
    };
    skip(&mut end, b"=!:+?");
    skip(&mut end, b" \t");
    skip(&mut end, b"\"'`\\])");
    let part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    let from = end.saturating_sub(NAME_BYTES_MAX);
    let start = (from..end).rev().take_while(|it| part(bytes[*it])).last()?;
    text.get(start..end)
}

fn header(name: &str) -> bool {
    ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(name))
}

/// The credentials of an `Authorization` header, or the whole of a cookie.
fn header_value(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let trimmed = rest.trim_start_matches([' ', '\t', '"', '\'', '`', '\\']);
    let start = at + rest.len() - trimmed.len();
    let line = &trimmed[..trimmed.find(['\n', '\r', '"', '\'', '`', '\\']).unwrap_or(trimmed.len())];
    if line.split(';').next().is_some_and(|first| first.contains('=') && !first.contains(' ')) {
        return Some(start..start + line.trim_end().len());
    }
    let (scheme, credentials) = match line.split_once(' ') {
        Some((scheme, rest)) => (scheme, rest.trim_start()),
        None => ("", line),
    };
    let known = ["bearer", "basic", "token", "digest", "apikey", "negotiate", "aws4-hmac-sha256"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(scheme));
    let start = start + line.len() - credentials.len();
    // Several parts follow only these two.
    let all = ["digest", "aws4-hmac-sha256"].iter().any(|it| it.eq_ignore_ascii_case(scheme));
    let end =
        if all { credentials.len() } else { credentials.find([' ', '\t', ',']).unwrap_or(credentials.len()) };
    let credentials = &credentials[..end];
    let judged = if known { 6 <= credentials.len() } else { looks_secret(credentials) };
    (judged && !template(credentials, false)).then(|| start..start + end)
}

/// `Bearer …` without its header.
pub(super) fn after_bearer(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let word = bytes.get(at.checked_sub(6)?..at)?;
    if !word.eq_ignore_ascii_case(b"bearer") {
        return None;
    }
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(byte);
    let rest = bytes.get(at + 1..)?;
    let length = rest.iter().take_while(|byte| part(byte)).count();
    let digit = rest.iter().take(length).any(u8::is_ascii_digit);
    (16 <= length && digit).then_some(at + 1..at + 1 + length)
}

/// The password in `scheme://user:password@host`; `at` is the colon of the scheme.
pub(super) fn in_url(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?.strip_prefix(b"://")?;
    let start = at + 3;
    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"/?#\"'`<>\\".contains(byte));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let user_info = &authority[..authority.iter().rposition(|byte| *byte == b'@')?];
    let (from, secret) = match user_info.iter().position(|byte| *byte == b':') {
        Some(colon) => (colon + 1, &user_info[colon + 1..]),
        // A key in the user's place.
        None if 20 <= user_info.len() && user_info.iter().any(u8::is_ascii_digit) => (0, user_info),
        None => return None,
    };
    let secret = std::str::from_utf8(secret).ok()?;
    (!secret.is_empty() && !template(secret, false)).then(|| start + from..start + from + secret.len())
}

/// What an option takes: `--password x`, `mysql -px`, `sshpass -p x`, `curl -u name:x`.
pub(super) fn of_option(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if at
        .checked_sub(1)
        .is_some_and(|it| !bytes[it].is_ascii_whitespace() && !b"\"'`(=,[".contains(&bytes[it]))
    {
        return None;
    }
    let length =
        bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte)).count();
    let option = &text[at..at + length];
    let name = option.trim_start_matches('-');
    let after = at + length;
    let gap = bytes[after..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if let Some(span) = of_short_option(text, at, option, gap) {
        return Some(span);
    }
    // In a list of arguments the value is the next string: `"--password", "x"`.
    let listed = ["\", \"", "','", "\",\"", "', '"].iter().find(|it| text[after..].starts_with(**it));
    let from = match (gap, listed) {
        (0, None) => return None,
        (0, Some(between)) => after + between.len() - 1,
        _ => after + gap,
    };
    let strength = name::strength(name).filter(|it| Strength::Weak < *it)?;
    if option.starts_with("--") || (strength == Strength::Strong && 4 <= name.len()) {
        let value = value_at(text, from)?;
        let word = value.text.trim_end_matches(['.', ':', '?', '!']);
        let talk = value.quote.is_none() && TALK.iter().any(|it| it.eq_ignore_ascii_case(word));
        // Says by which way the password comes, and `of_short_option` has seen to it.
        let source = option == "-pass" && OPENSSL.iter().any(|it| value.text.starts_with(it));
        if talk || source || value.text.starts_with('-') || template(value.text, value.quote == Some("'")) {
            return None;
        }
        return (strength == Strength::Strong || random(value.text)).then(|| value.span());
    }
    None
}

fn of_short_option(text: &str, at: usize, option: &str, gap: usize) -> Option<Range<usize>> {
    // The command is looked for only once the option fits: few do.
    let of = |programs: &[&str]| {
        let command = command_before(text, at);
        let part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        command.split(|c| !part(c)).any(|word| programs.contains(&word))
    };
    let after = at + option.len();
    let attached = || text.get(at + 2..).and_then(|_| value_at(text, at + 2));
    let separate = || if 0 < gap { value_at(text, after + gap) } else { None };
    let any = |options: &[&str]| options.contains(&option);
    let attaches = option.starts_with("-p") && (of(&MYSQL) || of(&["7z", "7za", "7zz"]) && 2 < option.len());
    let separates = option == "-p" && of(&["sshpass", "login"])
        || option == "-a" && of(&["redis-cli"])
        || any(&["-k", "-K"]) && of(&["openssl"])
        || any(&["-pass", "-passin", "-passout"]) && of(&["openssl"])
        || option == "-P" && of(&["zip", "unzip", "sqlcmd"])
        || option == "-w" && of(&["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"]);
    let value = if attaches {
        attached()?
    } else if separates {
        let value = separate()?;
        // `-pass file:…`, `env:…`: where it stands, not what it is.
        match value.text.split_once(':') {
            Some(("pass", _)) => after_colon(value)?,
            Some(_) if option.starts_with("-pass") => return None,
            _ => value,
        }
    } else if option.starts_with("-p") && of(&["sshpass"]) {
        attached()?
    } else if any(&["-u", "--user", "--proxy-user", "-U"]) && of(&WEB) {
        let joined = || value_at(text, after + 1).filter(|_| text[after..].starts_with('='));
        after_colon(separate().or_else(joined)?)?
    } else if option.starts_with("-u") && of(&["curl"]) {
        after_colon(attached()?)?
    } else {
        return None;
    };
    if value.quote.is_none() && value.text.starts_with('-') {
        return None;
    }
    (!value.text.is_empty() && !template(value.text, value.quote == Some("'"))).then(|| value.span())
}

/// What follows the colon: the password of `user:password`.
fn after_colon(value: Value<'_>) -> Option<Value<'_>> {
    let (before, secret) = value.text.split_once(':')?;
    Some(Value { text: secret, start: value.start + before.len() + 1, ..value })
}

/// Words before a name that its value is set by: `npm config set`, `gh secret set`, `git config`.
const KEEPERS: &[&str] =
    &["config", "configure", "conf", "secret", "secrets", "env", "variable", "variables"];
const SETTERS: &[&str] = &["set", "add", "put", "create", "update", "add-or-update"];
const SETTING_PROGRAMS: &[&str] = &["npm", "pnpm", "yarn", "setx", "setenv"];

/// What stands behind a secret's name as the next word: `npm config set //host/:_authToken x`,
/// `aws configure set aws_secret_access_key x`. Elsewhere than behind a command that sets it, the name must be one that
/// no sentence has, and the value must look like a secret.
pub(super) fn after_name(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !at.checked_sub(1).is_some_and(|it| bytes[it].is_ascii_alphanumeric()) {
        return None;
    }
    let from = at.saturating_sub(2 * NAME_BYTES_MAX);
    let start = (from..at).rev().take_while(|it| !b" \t\n\r\"'`".contains(&bytes[*it])).last()?;
    let word = text.get(start..at)?;
    let name = word.rsplit([':', '/', '=', '(', ',']).next()?;
    let strength = name::strength(name).filter(|it| Strength::Weak < *it)?;
    let gap = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let value = value_at(text, at + gap)?;
    let spoken = value.text.trim_end_matches(['.', ':', '?', '!']);
    let talk = value.quote.is_none() && TALK.iter().any(|it| it.eq_ignore_ascii_case(spoken));
    if talk
        || value.text.starts_with(['-', '=', ':', '+', '!'])
        || template(value.text, value.quote == Some("'"))
    {
        return None;
    }
    let known = if set_by_command(text, start) {
        strength == Strength::Strong || 8 <= value.text.len()
    } else {
        let camel = name
            .bytes()
            .zip(name.bytes().skip(1))
            .any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
        let structured = name.contains(['_', '-', '.']) || camel;
        structured && value.quote.is_none() && looks_secret(value.text) && random(value.text)
    };
    (known && !expression(name, &value)).then(|| value.span())
}

/// The name at `start` is what a command sets.
fn set_by_command(text: &str, start: usize) -> bool {
    let before = command_before(text, start);
    let mut words = before.split_whitespace().rev().filter(|word| !word.starts_with('-')).take(6);
    let keeper = |word: &str| KEEPERS.contains(&word);
    match words.next() {
        Some("config") => words.next() == Some("git"),
        Some("setx" | "setenv") => words.next().is_none(),
        Some(word) if SETTERS.contains(&word) => {
            words.next().is_some_and(|it| keeper(it) || SETTING_PROGRAMS.contains(&it))
        }
        _ => false,
    }
}

/// Ways by which `openssl` takes a password.
const OPENSSL: [&str; 4] = ["pass:", "env:", "file:", "fd:"];
const WEB: [&str; 4] = ["curl", "http", "https", "wget"];
const MYSQL: [&str; 8] = [
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mysqlimport",
    "mysqlcheck",
    "mariadb",
    "mariadb-dump",
    "mariadb-admin",
];

/// The part of the command line that the byte at `at` belongs to, up to it.
fn command_before(text: &str, at: usize) -> &str {
    let before = &text[super::floor_boundary(text, at.saturating_sub(512))..at];
    &before[before.rfind(['\n', ';', '|', '&']).map_or(0, |it| it + 1)..]
}

/// The value at `from`: a quoted string, or everything up to a blank or punctuation.
fn value_at(text: &str, from: usize) -> Option<Value<'_>> {
    let rest = text.get(from..)?;
    // `rb"…"`, `f'…'`
    let letters = rest.bytes().take(2).take_while(|byte| b"rbfuRBFU".contains(byte)).count();
    for quote in ["\\\"", "\\'", "\"\"\"", "\"", "'", "`"] {
        let Some(inner) = rest.get(letters..).and_then(|it| it.strip_prefix(quote)) else { continue };
        let end = closing(inner, quote);
        let start = from + letters + quote.len();
        let next = inner.as_bytes().get(end + quote.len()).copied();
        return (0 < end).then_some(Value { text: &inner[..end], start, quote: Some(quote), next });
    }
    let stop = |c: char| c.is_whitespace() || "\"'`,;&|<>(){}[]\\".contains(c);
    let mut end = rest.find(stop).unwrap_or(rest.len());
    // A bracket inside what cannot be a name belongs to it, and so does our own mark.
    let named = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte));
    if 0 < end
        && rest[end..].starts_with(['(', '[', '{', '<'])
        && (!named(&rest[..end]) || rest[end..].starts_with(MARK))
    {
        end = rest.find(|c: char| c.is_whitespace() || "\"'`,;&|".contains(c)).unwrap_or(rest.len());
    }
    if rest.starts_with(MARK) {
        end = rest.find(|c: char| c.is_whitespace() || "\"'`,;&|)}".contains(c)).unwrap_or(rest.len());
    }
    let next = rest.as_bytes().get(end).copied();
    (0 < end).then_some(Value { text: &rest[..end], start: from, quote: None, next })
}

/// Where a quoted string ends: before its closing quote, or with its line.
fn closing(inner: &str, quote: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = inner.get(at..) {
        if rest.starts_with(quote) || rest.is_empty() || (quote.len() < 3 && rest.starts_with('\n')) {
            return at;
        }
        let escaped = quote.len() == 1 && quote != "'" && rest.starts_with('\\');
        let width = rest.chars().next().map_or(1, char::len_utf8);
        at += width;
        if escaped {
            at += inner.get(at..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8);
        }
    }
    inner.len()
}

fn secret(name: &str, value: &Value<'_>, strength: Strength, spaced: bool) -> bool {
    let text = value.text;
    if text == MARK || template(text, value.quote == Some("'")) {
        return false;
    }
    if text.contains(MARK) {
        return true;
    }
    if value.quote.is_none() && expression(name, value) {
        return false;
    }
    match (strength, value.quote.is_some(), spaced) {
        (Strength::Strong, true, _) | (Strength::Strong, false, false) => true,
        (Strength::Strong, false, true) => looks_secret(text),
        (Strength::Medium, _, false) | (Strength::Medium, true, _) => {
            8 <= text.len() && !text.contains(' ') && random(text)
        }
        (Strength::Medium, false, true) => 12 <= text.len() && looks_secret(text) && random(text),
        (Strength::Weak, _, _) => key_material(text),
    }
}

/// A reference to a value that stands elsewhere.
fn template(text: &str, literal: bool) -> bool {
    let dollar = text.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(['{', '('])
            || (!literal && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    });
    dollar
        || text.starts_with("{{")
        || text.starts_with("%(") && text.ends_with(")s")
        || text == "%s"
        || text.starts_with('<') && text.ends_with('>')
        || text.starts_with('{') && text.ends_with('}')
        || text.starts_with('*') && text.bytes().all(|byte| byte == b'*')
        || text == "..."
        || text == MARK
}

/// Code that yields the value rather than the value.
fn expression(name: &str, value: &Value<'_>) -> bool {
    let text = value.text;
    let digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let named = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte))
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let called = matches!(value.next, Some(b'(' | b'[' | b'<' | b'{'));
    named
        && (called
            || text.eq_ignore_ascii_case(name)
            || PLAIN.iter().any(|it| it.eq_ignore_ascii_case(text))
            || (!digits && (name::mentions(text) || text.contains('.') || text.contains("::"))))
}

/// Not a word, a type, a number, a version or a path.
fn looks_secret(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ')']);
    let letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let symbol = text.bytes().any(|byte| b"!@#$%^*+?~".contains(&byte));
    let path = text.starts_with(['/', '.', '~']) || text.contains("://");
    let number = text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().filter(u8::is_ascii_alphabetic).count() <= 2;
    let version =
        text.starts_with('v') && text[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    6 <= text.len() && letter && (digit || symbol) && !path && !number && !version && !type_name(text)
}

fn type_name(text: &str) -> bool {
    let word = text.trim_end_matches(|c: char| c.is_ascii_digit());
    ["u", "i", "f", "int", "uint", "float", "bytes", "char", "varchar", "utf", "sha"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(word))
        || text.ends_with("Array")
        || text.starts_with('&')
}

/// Could have been drawn by lot: a digit among letters, or many different letters in both cases.
fn random(text: &str) -> bool {
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    8 <= text.len()
        && ((digit && (letter || 16 <= text.len())) || (16 <= text.len() && mixed && 3.5 <= entropy(text)))
}

/// Looks like encoded random bytes.
fn key_material(text: &str) -> bool {
    let encoded = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte));
    let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    20 <= text.len() && encoded && digit && (hex || mixed) && 3.0 <= entropy(text)
}

/// Shannon entropy in bits per byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let terms = counts.iter().filter(|count| 0 < **count).map(|count| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    });
    terms.sum()
}
