//! Identifiers that are safe to use as file names.

use std::fmt;

/// A host's session name: 1 to 128 ASCII letters, digits, `-` or `_`, so that it can name a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// Longest name accepted, in bytes.
    pub const LENGTH_MAX: usize = 128;

    /// Accepts `raw` when it is safe as a file name.
    ///
    /// # Errors
    /// [`BadSessionId`] when it is empty, too long, or holds any other byte.
    pub fn parse(raw: &str) -> Result<Self, BadSessionId> {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if raw.is_empty() || Self::LENGTH_MAX < raw.len() || !raw.bytes().all(safe) {
            return Err(BadSessionId(raw.chars().take(80).collect()));
        }
        Ok(Self(raw.to_owned()))
    }

    /// The name as the host gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A session name that could not be used as a file name (cut at 80 characters).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSessionId(pub String);

impl fmt::Display for BadSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "session id {:?} is not 1 to {} ASCII letters, digits, `-` or `_`",
            self.0,
            SessionId::LENGTH_MAX
        )
    }
}

impl std::error::Error for BadSessionId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_safe_as_files_are_sessions() {
        for good in ["a", "361ac4e6-64de-464e-9d97-09bfa437d8e9", "ses_01"] {
            assert_eq!(SessionId::parse(good).map(|id| id.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "..", "a/b", "a b", "a.b", "a\n", "é", &"x".repeat(129)] {
            assert!(SessionId::parse(bad).is_err(), "{bad:?}");
        }
    }
}
