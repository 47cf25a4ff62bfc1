//! One line: how it is written, what is hashed, how it is read.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::redact;

/// Version of the format that this build writes.
pub const VERSION: u64 = 1;
/// Longest line, bytes: far above what is written, far below what a reader would choke on.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;
/// Longest string inside a line, bytes; longer ones are cut, with a marker.
const STRING_BYTES_MAX: usize = 64 * 1024;
/// Names that the line itself uses.
const RESERVED: [&str; 10] = [
    "v",
    "seq",
    "prev",
    "hash",
    "time_ms",
    "kind",
    "dedupe",
    "skipped_bytes",
    "skipped_hash",
    "continues_file",
];
/// Names of what is no text either, and must be found as it is.
const VERBATIM: [&str; 4] = [super::SESSION, "seal.root", "seal.key", "seal.signature"];
/// `,"hash":"` + 64 digits + `"}`.
const TRAILER_BYTES: usize = 9 + 64 + 2;
/// Largest integer that every JSON reader keeps exactly (2^53 - 1).
const INTEGER_MAX: u64 = 9_007_199_254_740_991;

/// SHA-256 of `bytes` in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(digest: &[u8]) -> String {
    let mut out = String::with_capacity(2 * digest.len());
    for byte in digest {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// What the first line of a session's first file is chained to.
pub fn genesis(session: &str) -> String {
    sha256_hex(format!("hostler journal 1\n{session}").as_bytes())
}

/// A record as it stands in a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Version of the format it was written in.
    pub version: u64,
    /// Its number in the session, from 1.
    pub sequence: u64,
    /// Hash of the record before it.
    pub prev: String,
    /// When, in milliseconds since 1970 (UTC).
    pub time_ms: i64,
    /// What it is about: `decision`, `result`, `session`, `fault`, `seal`, or what a later build writes.
    pub kind: String,
    /// Event and call that it stands for.
    pub dedupe: Option<String>,
    /// Bytes before it that could not be read when it was written: a line that a crash cut short.
    pub skipped: Option<Skipped>,
    /// The archived file that it continues, on the first line of a file.
    pub continues_file: Option<String>,
    /// Its own hash.
    pub hash: String,
    /// Everything else.
    pub attributes: Map<String, Value>,
}

/// Unreadable bytes that a record closed off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub bytes: u64,
    /// Their SHA-256.
    pub hash: String,
}

impl Record {
    /// A string attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)?.as_str()
    }

    /// Reads one line, without its line end. `None` when it is no record.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let Value::Object(mut map) = serde_json::from_slice(line).ok()? else { return None };
        let number = |map: &mut Map<String, Value>, name: &str| map.remove(name)?.as_u64();
        let text = |map: &mut Map<String, Value>, name: &str| match map.remove(name)? {
            Value::String(text) => Some(text),
            _ => None,
        };
        let skipped = match (number(&mut map, "skipped_bytes"), text(&mut map, "skipped_hash")) {
            (Some(bytes), Some(hash)) => Some(Skipped { bytes, hash }),
            _ => None,
        };
        Some(Self {
            version: number(&mut map, "v")?,
            sequence: number(&mut map, "seq")?,
            prev: text(&mut map, "prev")?,
            time_ms: map.remove("time_ms")?.as_i64()?,
            kind: text(&mut map, "kind")?,
            dedupe: text(&mut map, "dedupe"),
            skipped,
            continues_file: text(&mut map, "continues_file"),
            hash: text(&mut map, "hash")?,
            attributes: map,
        })
    }
}

/// What the next line needs of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) sequence: u64,
    pub(super) hash: String,
    pub(super) time_ms: i64,
    pub(super) seal: bool,
    /// The seal carries a signature.
    pub(super) signed: bool,
}

impl Link {
    /// Reads one line without building its attributes.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Wire {
            seq: u64,
            kind: String,
            time_ms: i64,
            #[serde(rename = "seal.signature")]
            signature: Option<IgnoredAny>,
        }
        let (_, hash) = split(line)?;
        let wire: Wire = serde_json::from_slice(line).ok()?;
        let seal = wire.kind == super::SEAL;
        Some(Self {
            sequence: wire.seq,
            hash: hash.to_owned(),
            time_ms: wire.time_ms,
            seal,
            signed: seal && wire.signature.is_some(),
        })
    }
}

/// Splits a line into what is hashed (without the closing brace) and the hash that it states.
pub(super) fn split(line: &[u8]) -> Option<(&[u8], &str)> {
    let (body, trailer) = line.split_at_checked(line.len().checked_sub(TRAILER_BYTES)?)?;
    let hash = trailer.strip_prefix(br#","hash":""#)?.strip_suffix(br#""}"#)?;
    let digits = hash.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let hash = std::str::from_utf8(hash).ok().filter(|_| digits)?;
    Some((body, hash))
}

/// The hash that a line should state.
pub(super) fn hash_of(body: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(body);
    hasher.update(b"}");
    hex(&hasher.finalize())
}

/// What a line is made of.
pub(super) struct Parts<'a> {
    pub(super) sequence: u64,
    pub(super) prev: &'a str,
    pub(super) time_ms: i64,
    pub(super) kind: &'a str,
    pub(super) dedupe: Option<&'a str>,
    pub(super) skipped: Option<&'a Skipped>,
    pub(super) continues_file: Option<&'a str>,
    pub(super) session: &'a str,
    pub(super) attributes: &'a Map<String, Value>,
}

/// Writes one line without its line end, and returns its hash.
///
/// Members stand in the order of their names, `hash` last; no blanks. The hash is that of the same object
/// without `hash`, so that it can be checked on the bytes and, by re-serialising, in any language.
pub(super) fn write(parts: &Parts<'_>) -> Result<(String, String), Error> {
    if let Some(name) = parts.attributes.keys().find(|name| RESERVED.contains(&name.as_str())) {
        return Err(Error::Reserved { name: name.clone() });
    }
    let own = own_members(parts);
    let mut members: BTreeMap<&str, &Value> =
        parts.attributes.iter().map(|(name, value)| (name.as_str(), value)).collect();
    for (name, value) in &own {
        members.entry(name).or_insert(value);
    }
    let mut out = String::with_capacity(1024);
    for (name, value) in members {
        out.push(if out.is_empty() { '{' } else { ',' });
        write_string(&mut out, name);
        out.push(':');
        match value {
            // A hash or a session's name is not text: whoever looks for it finds it as it is.
            Value::String(text) if RESERVED.contains(&name) || VERBATIM.contains(&name) => {
                write_string(&mut out, text);
            }
            other => write_value(&mut out, other),
        }
    }
    let hash = hash_of(out.as_bytes());
    out.push_str(r#","hash":""#);
    out.push_str(&hash);
    out.push_str(r#""}"#);
    if LINE_BYTES_MAX < out.len() {
        return Err(Error::TooLong { bytes: out.len(), max: LINE_BYTES_MAX });
    }
    Ok((out, hash))
}

fn own_members(parts: &Parts<'_>) -> Vec<(&'static str, Value)> {
    let mut own = vec![
        ("v", VERSION.into()),
        ("seq", parts.sequence.into()),
        ("prev", parts.prev.into()),
        ("time_ms", parts.time_ms.into()),
        ("kind", parts.kind.into()),
        // OpenTelemetry's name for what a record belongs to; a file may be renamed, its lines not.
        (super::SESSION, parts.session.into()),
    ];
    if let Some(dedupe) = parts.dedupe {
        own.push(("dedupe", dedupe.into()));
    }
    if let Some(skipped) = parts.skipped {
        own.push(("skipped_bytes", skipped.bytes.into()));
        own.push(("skipped_hash", skipped.hash.as_str().into()));
    }
    if let Some(file) = parts.continues_file {
        own.push(("continues_file", file.into()));
    }
    own
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        // Readers disagree on how a fraction or a large number is written back, and then the hash would.
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(it), _) if it.unsigned_abs() <= INTEGER_MAX => {
                let _ = write!(out, "{it}");
            }
            (_, Some(it)) if it <= INTEGER_MAX => {
                let _ = write!(out, "{it}");
            }
            _ => write_string(out, &number.to_string()),
        },
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push('[');
            for (position, item) in items.iter().enumerate() {
                if 0 < position {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let sorted: BTreeMap<&str, &Value> = map.iter().map(|(name, it)| (name.as_str(), it)).collect();
            out.push('{');
            for (position, (name, item)) in sorted.into_iter().enumerate() {
                if 0 < position {
                    out.push(',');
                }
                write_string(out, name);
                out.push(':');
                write_value(out, item);
            }
            out.push('}');
        }
    }
}

/// A value's text: whatever a caller forgot to redact is redacted here.
fn write_text(out: &mut String, text: &str) {
    let text = redact::redact(text);
    if text.len() <= STRING_BYTES_MAX {
        return write_string(out, &text);
    }
    let end = redact::floor_boundary(&text, STRING_BYTES_MAX);
    write_string(out, &format!("{}… [{} bytes cut]", &text[..end], text.len() - end));
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape: &str = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[clean..at]);
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
        clean = at + 1;
    }
    out.push_str(&text[clean..]);
    out.push('"');
}

/// `text` as it stands in a line.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
