//! `trace.lock`: what was reviewed, one line for each requirement, so that two branches merge.

use std::collections::{BTreeMap, BTreeSet};

use toml::Value;

/// The file's name, at the project's top folder.
pub const FILE: &str = "trace.lock";
/// The format that this build writes and reads.
pub const VERSION: i64 = 1;

/// What was reviewed, by [`crate::Row::lock_key`]; in files of earlier builds by the id alone where it was the only one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lock {
    /// By key.
    pub entries: BTreeMap<String, Reviewed>,
}

/// A requirement as it was reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reviewed {
    /// [`crate::requirement::Requirement::digest`] at that time.
    pub digest: String,
    /// What cited it, see [`crate::Link::place`].
    pub links: BTreeSet<String>,
}

/// Why a lock could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not TOML; most often a merge that was not finished.
    #[error("`trace.lock` line {line} cannot be read: {why}; mend it, or remove it and review again")]
    Broken {
        /// Where.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// Made by another build.
    #[error("`trace.lock` has format {found}, this build reads {VERSION}; update hostler")]
    Version {
        /// As written.
        found: String,
    },
    /// An entry that is none.
    #[error("`trace.lock` has no digest and links for `{key}`; review it again")]
    Entry {
        /// Its key.
        key: String,
    },
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// [`Error`] says what is wrong; nothing of a broken lock counts.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| Error::Broken {
            line: error.span().map_or(1, |it| 1 + text[..it.start.min(text.len())].matches('\n').count()),
            why: error.message().to_owned(),
        })?;
        match table.get("version") {
            Some(Value::Integer(VERSION)) => {}
            other => {
                let found = other.map_or_else(|| "none".to_owned(), Value::to_string);
                return Err(Error::Version { found });
            }
        }
        let mut lock = Self::default();
        for (key, value) in table.get("reviewed").and_then(Value::as_table).into_iter().flatten() {
            let digest = value.get("text").and_then(Value::as_str);
            let links: Option<BTreeSet<String>> = value
                .get("links")
                .and_then(Value::as_array)
                .and_then(|it| it.iter().map(|it| it.as_str().map(str::to_owned)).collect());
            let (Some(digest), Some(links)) = (digest, links) else {
                return Err(Error::Entry { key: key.clone() });
            };
            lock.entries.insert(key.clone(), Reviewed { digest: digest.to_owned(), links });
        }
        Ok(lock)
    }

    /// The lock's text: sorted, one line an entry.
    pub fn to_text(&self) -> String {
        let quoted = |text: &str| Value::String(text.to_owned()).to_string();
        let mut out = format!(
            "# What was reviewed with `hostler trace review`: the digest of each requirement's text, and what cited it.\n\
             version = {VERSION}\n\n[reviewed]\n"
        );
        for (key, Reviewed { digest, links }) in &self.entries {
            let links: Vec<String> = links.iter().map(|it| quoted(it)).collect();
            // A basic string: keys of any kind stay on one line.
            let line =
                format!("{} = {{ text = {}, links = [{}] }}\n", basic(key), quoted(digest), links.join(", "));
            out.push_str(&line);
        }
        out
    }
}

fn basic(key: &str) -> String {
    let escaped: String = key
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut lock = Lock::default();
        for (key, links) in
            [("FR-1", vec!["src/a.rs#f"]), ("a \"b\"/FR\\2", vec!["x y.py", "ü#'q'"]), ("FR-3", Vec::new())]
        {
            let links = links.into_iter().map(str::to_owned).collect();
            lock.entries.insert(key.to_owned(), Reviewed { digest: "0123456789abcdef".to_owned(), links });
        }
        let text = lock.to_text();
        assert_eq!(Lock::parse(&text).unwrap(), lock, "{text}");
        assert!(
            text.contains("\n\"FR-1\" = { text = \"0123456789abcdef\", links = [\"src/a.rs#f\"] }\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 4 + lock.entries.len());
        assert_eq!(Lock::parse(&Lock::default().to_text()).unwrap(), Lock::default());
    }

    #[test]
    fn what_is_broken_is_told() {
        for (text, said) in [
            ("version = 1\n<<<<<<< HEAD\n", "line 2 cannot be read"),
            ("version = 2\n", "format 2, this build reads 1"),
            ("", "format none"),
            ("version = 1\n[reviewed]\n\"FR-1\" = { text = 3 }\n", "no digest and links for `FR-1`"),
        ] {
            let error = Lock::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
