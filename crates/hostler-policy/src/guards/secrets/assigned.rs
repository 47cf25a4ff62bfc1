//! Literals that are assigned to names of secrets, in any language.

use super::value::{Use, is_real};
use super::{FOUND_MAX, Kind, Secret};
use crate::guards::written::words;

/// How far back a name and how far ahead a value are looked for, in bytes.
const REACH: usize = 240;

/// Longest value that is looked at, in bytes.
const VALUE_MAX: usize = 512;

/// Names of secrets, as words.
const NAMES: &[(&[&str], Use)] = &[
    (&["password"], Use::Password),
    (&["passwd"], Use::Password),
    (&["pwd"], Use::Password),
    (&["passphrase"], Use::Password),
    (&["passwort"], Use::Password),
    (&["secret"], Use::Token),
    (&["apikey"], Use::Token),
    (&["token"], Use::Token),
    (&["credential"], Use::Token),
    (&["credentials"], Use::Token),
    (&["authorization"], Use::Token),
    (&["api", "key"], Use::Token),
    (&["access", "key"], Use::Token),
    (&["account", "key"], Use::Token),
    (&["secret", "key"], Use::Token),
    (&["private", "key"], Use::Token),
    (&["signing", "key"], Use::Token),
    (&["encryption", "key"], Use::Token),
    (&["master", "key"], Use::Token),
    (&["auth", "key"], Use::Token),
    (&["service", "key"], Use::Token),
];

/// Ends of words that are written together: `dbpassword`, `clientsecret`.
const ENDINGS: &[(&str, Use)] = &[
    ("password", Use::Password),
    ("passwd", Use::Password),
    ("passphrase", Use::Password),
    ("secret", Use::Token),
    ("secretkey", Use::Token),
    ("apikey", Use::Token),
    ("accesskey", Use::Token),
    ("privatekey", Use::Token),
    ("accesstoken", Use::Token),
    ("authtoken", Use::Token),
    ("refreshtoken", Use::Token),
];

/// Words after a name of a secret that leave it one; any other makes it a name for something about it.
#[rustfmt::skip]
const AFTER: &[&str] = &[
    "admin", "b64", "base64", "current", "default", "dev", "development", "fallback", "live", "local",
    "main", "new", "old", "plain", "plaintext", "primary", "prod", "production", "raw", "root", "secondary",
    "staging", "str", "string", "test", "text", "user", "value",
];

/// Words that make it a name for something else.
#[rustfmt::skip]
const NOT_SECRET: &[&str] = &[
    "bos", "cancel", "cancellation", "continuation", "csrf", "cursor", "eos", "has", "hash", "hashed", "is",
    "mask", "next", "no", "num", "pad", "page", "public", "publishable", "sep", "site", "special", "stop",
    "unk", "xsrf",
];

/// Wrappers that leave a literal what it is.
const WRAPPERS: &[&str] =
    &["String::from(", "SecretStr(", "SecretString::new(", "SecretString::from(", "Some(", "str(", "String("];

/// Every literal in `text` that is assigned to the name of a secret, in order.
pub(super) fn find(text: &str, kind: Kind) -> Vec<Secret<'_>> {
    let lines = text.lines().enumerate().filter(|(_, line)| may_name(line));
    lines.flat_map(|(at, line)| in_line(line, at + 1, kind)).take(FOUND_MAX).collect()
}

/// Whether any name of a secret can be in the line: most have none, and the rest of the work is dearer.
fn may_name(line: &str) -> bool {
    const STEMS: &[&[u8]] = &[b"pass", b"pwd", b"secret", b"token", b"key", b"credential", b"authorization"];
    let bytes = line.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        matches!(byte | 0x20, b'p' | b's' | b't' | b'k' | b'c' | b'a')
            && STEMS
                .iter()
                .any(|stem| bytes.get(at..at + stem.len()).is_some_and(|it| it.eq_ignore_ascii_case(stem)))
    })
}

fn in_line(line: &str, number: usize, kind: Kind) -> Vec<Secret<'_>> {
    let mut found: Vec<Secret<'_>> = Vec::new();
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let Some(sign) = sign(bytes, at, *byte) else { continue };
        let (Some(left), Some(right)) = (line.get(..at), line.get(at + sign.length..)) else { continue };
        let Some(name) = name(left, &sign) else { continue };
        let Some(used_as) = used_as(name) else { continue };
        let Some(value) = value(left, right, &sign, kind) else { continue };
        let value = ["Bearer ", "Basic ", "Token ", "bearer "]
            .iter()
            .find_map(|it| value.strip_prefix(it))
            .unwrap_or(value);
        if is_real(value, used_as, kind.test) && !found.iter().any(|it| it.value == value) {
            let variable = words(name).join("_").to_ascii_uppercase();
            found.push(Secret { line: number, what: format!("a literal for `{name}`"), variable, value });
            if found.len() == FOUND_MAX {
                break;
            }
        }
    }
    found
}

/// What joins a name and its value.
struct Sign {
    length: usize,
    kind: SignKind,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum SignKind {
    Equals,
    Colon,
    /// Between two arguments: `getenv("KEY", "literal")`.
    Comma,
    /// Between an opening and a closing tag.
    Tag,
}

fn sign(bytes: &[u8], at: usize, byte: u8) -> Option<Sign> {
    let before = at.checked_sub(1).and_then(|it| bytes.get(it)).copied().unwrap_or(b' ');
    let after = bytes.get(at + 1).copied().unwrap_or(b' ');
    let kind = |length, kind| Some(Sign { length, kind });
    match byte {
        b'=' if after == b'>' => kind(2, SignKind::Equals),
        b'=' if after != b'=' && after != b'~' && !b"=!<>+-*/%&|^~:".contains(&before) => {
            kind(1, SignKind::Equals)
        }
        b':' if after == b'=' => kind(2, SignKind::Equals),
        b':' if after != b':' && after != b'/' && before != b':' => kind(1, SignKind::Colon),
        b',' => kind(1, SignKind::Comma),
        b'>' if before != b'=' && before != b'-' => kind(1, SignKind::Tag),
        _ => None,
    }
}

/// The name before a sign.
fn name<'line>(left: &'line str, sign: &Sign) -> Option<&'line str> {
    let left = left.get(floor(left, left.len().saturating_sub(REACH))..)?.trim_end().trim_end_matches('?');
    match sign.kind {
        SignKind::Comma => {
            let name = quoted_at_end(left)?;
            // Only the first argument of a call names the second.
            let before = left
                .get(..name.as_ptr() as usize - left.as_ptr() as usize)?
                .trim_end_matches(['"', '\'', '\\']);
            before.ends_with('(').then_some(name)
        }
        SignKind::Tag => {
            let name = identifier_at_end(left)?;
            left.get(..left.len() - name.len())?.ends_with('<').then_some(name)
        }
        SignKind::Colon => quoted_at_end(left).or_else(|| identifier_at_end(left)),
        SignKind::Equals => quoted_at_end(left.trim_end_matches(']'))
            .or_else(|| identifier_at_end(left).filter(|it| used_as(it).is_some()))
            .or_else(|| annotated(left)),
    }
}

/// The text between the quotes that `left` ends with.
fn quoted_at_end(left: &str) -> Option<&str> {
    let quote = left.chars().next_back().filter(|it| matches!(it, '"' | '\'' | '`'))?;
    let inner = left.strip_suffix(quote)?.trim_end_matches('\\');
    let from = inner.rfind(quote)? + 1;
    let is_name = |it: &&str| {
        it.len() <= 64 && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-$@ ".contains(&byte))
    };
    inner.get(from..).filter(is_name)
}

fn identifier_at_end(left: &str) -> Option<&str> {
    let length =
        left.bytes().rev().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-$@".contains(byte)).count();
    left.get(left.len() - length..)
        .map(|it| it.trim_start_matches(['-', '$', '@', '.']))
        .filter(|it| !it.is_empty())
}

/// The name before a type: `password: str`, `var password string`.
fn annotated(left: &str) -> Option<&str> {
    let from = left.rfind([',', '(', '{', ';', '|']).map_or(0, |it| it + 1);
    let statement = left.get(from..)?.trim();
    if let Some((name, _)) = statement.rsplit_once(':') {
        return identifier_at_end(name.trim_end().trim_end_matches('?'));
    }
    let mut words = statement.split_whitespace();
    let declares = words.next().is_some_and(|it| matches!(it, "var" | "const" | "let" | "static"));
    words.next().filter(|_| declares)
}

/// What a name of a secret is used for; `None` for any other name.
fn used_as(name: &str) -> Option<Use> {
    let words = words(name);
    if words.iter().any(|word| NOT_SECRET.contains(&word.as_str())) {
        return None;
    }
    let remaining = |end: usize| {
        words.get(end..).unwrap_or_default().iter().all(|word| {
            AFTER.contains(&word.as_str())
                || word.trim_start_matches('v').bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    (0..words.len()).find_map(|from| {
        let rest = words.get(from..)?;
        let named = NAMES.iter().find(|(name, _)| {
            rest.len() >= name.len()
                && rest.iter().zip(*name).all(|(a, b)| a == b)
                && remaining(from + name.len())
        });
        let ending = || {
            let word = rest.first()?.trim_end_matches(|char: char| char.is_ascii_digit());
            // `DB_PASS`, but not `pass` alone.
            let pass = (word == "pass" && 0 < from).then_some(Use::Password);
            let ending = ENDINGS.iter().find(|(ending, _)| word.ends_with(ending)).map(|it| it.1);
            ending.or(pass).filter(|_| remaining(from + 1))
        };
        named.map(|it| it.1).or_else(ending)
    })
}

/// The literal after a sign.
fn value<'line>(left: &str, right: &'line str, sign: &Sign, kind: Kind) -> Option<&'line str> {
    let right = right.trim_start();
    let right = right.get(..floor(right, VALUE_MAX + REACH)).unwrap_or(right);
    match sign.kind {
        SignKind::Tag => right.split_once("</").map(|(value, _)| value.trim()),
        SignKind::Comma => literal(right),
        SignKind::Equals | SignKind::Colon => literal(right).or_else(|| fallback(right)).or_else(|| {
            let bare = if sign.kind == SignKind::Colon { kind.bare_colon } else { kind.bare_equals };
            // In an address the parts of a query stand bare in any language.
            (bare || (sign.kind == SignKind::Equals && (in_query(left) || in_connection(left))))
                .then(|| bare_value(right, sign.kind))
                .flatten()
        }),
    }
}

/// The text of the string that `right` begins with.
fn literal(right: &str) -> Option<&str> {
    let right = WRAPPERS.iter().find_map(|it| right.strip_prefix(it)).unwrap_or(right);
    let prefix = right.bytes().take_while(|byte| b"rRbBuUfF@$&".contains(byte)).count();
    let right = if prefix <= 2 { right.get(prefix..)? } else { right };
    let escaped = right.starts_with('\\');
    let right = right.trim_start_matches('\\');
    let quote = right.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'))?;
    let inner = right.trim_start_matches(quote);
    let inner = if right.len() - inner.len() == 2 { "" } else { inner };
    let mut skip = false;
    let end = inner.char_indices().find(|(_, char)| {
        let ends = (*char == quote && !skip) || (escaped && *char == '\\');
        skip = *char == '\\' && !skip;
        ends
    })?;
    inner.get(..end.0)
}

/// The literal that is used where a variable is not set: `process.env.KEY || "literal"`.
fn fallback(right: &str) -> Option<&str> {
    let window = right.get(..floor(right, REACH)).unwrap_or(right);
    ["||", "??", " or ", "?:"].iter().find_map(|it| literal(window.split_once(it)?.1.trim_start()))
}

fn in_query(left: &str) -> bool {
    identifier_at_end(left)
        .is_some_and(|name| left.get(..left.len() - name.len()).is_some_and(|it| it.ends_with(['?', '&'])))
}

/// Whether `left` is the beginning of a list of settings as databases read them: `Server=db;Password=`.
fn in_connection(left: &str) -> bool {
    const OTHERS: &[&str] = &["server=", "host=", "data source=", "user id=", "uid=", "username=", "user="];
    identifier_at_end(left).and_then(|name| left.get(..left.len() - name.len())).is_some_and(|before| {
        let before = before.get(floor(before, before.len().saturating_sub(REACH))..).unwrap_or_default();
        before.ends_with(';') && OTHERS.iter().any(|it| before.to_ascii_lowercase().contains(it))
    })
}

/// A value without quotes.
fn bare_value(right: &str, sign: SignKind) -> Option<&str> {
    let value = match sign {
        // A YAML value is the rest of the line.
        SignKind::Colon => right.split(" #").next()?.trim(),
        _ => right.split(|char: char| char.is_whitespace() || "\"'`;&".contains(char)).next()?,
    };
    // What calls, indexes or goes on is code.
    (!value.contains(['(', '[', '<', '>', ',', '\\'])).then_some(value).filter(|it| !it.is_empty())
}

/// The largest place for a cut in `text` that is not after `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}
