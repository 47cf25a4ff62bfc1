//! Names that say that a secret is kept under them.

/// How sure a name makes us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Often something else (`key`): only what looks random is a secret.
    Weak,
    /// Often code (`token`): what could be a word is none.
    Medium,
    /// A password.
    Strong,
}

const STRONG: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "storepass",
    "keypass",
    "dbpass",
    "userpass",
    "passwort",
];
const MEDIUM: &[&str] = &[
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "sharedkey",
    "subscriptionkey",
    "deploykey",
    "credential",
    "credentials",
];
const WEAK: &[&str] =
    &["key", "auth", "signature", "jwt", "bearer", "cookie", "session", "sessionid", "dsn", "salt"];
/// Which one of several; the name before it counts.
const VARIANTS: &[&str] =
    &["prod", "production", "dev", "staging", "test", "live", "value", "old", "new", "base64", "b64", "main"];

/// Judges a name in any spelling: `dbPassword`, `DB_PASSWORD`, `x-api-key`, `PASSWORD_2`.
pub(super) fn strength(name: &str) -> Option<Strength> {
    if matches!(name, "PWD" | "OLDPWD" | "pwd") {
        return None;
    }
    let mut name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.'));
    if let Some((before, last)) = name.rsplit_once(['_', '-', '.'])
        && VARIANTS.iter().any(|it| it.eq_ignore_ascii_case(last))
    {
        name = before;
    }
    let lower: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |words: &[&str]| words.iter().any(|word| lower.ends_with(word));
    if ends(STRONG) || last_word(name).eq_ignore_ascii_case("pass") {
        Some(Strength::Strong)
    } else if ends(MEDIUM) {
        Some(Strength::Medium)
    } else if WEAK.iter().any(|word| last_word(name).eq_ignore_ascii_case(word)) {
        Some(Strength::Weak)
    } else {
        None
    }
}

/// A word of a name that is one of those, in any place: `get_password`, `settings.TOKEN`.
pub(super) fn mentions(value: &str) -> bool {
    let lower: String =
        value.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    STRONG.iter().chain(MEDIUM).any(|word| lower.contains(word))
        || lower.ends_with("pass")
        || lower.ends_with("pw")
}

/// What follows the last separator or the last change to upper case.
fn last_word(name: &str) -> &str {
    let bytes = name.as_bytes();
    let start = (1..bytes.len()).rev().find(|at| {
        let (before, here) = (bytes[at - 1], bytes[*at]);
        matches!(before, b'_' | b'-' | b'.') || (before.is_ascii_lowercase() && here.is_ascii_uppercase())
    });
    start.and_then(|at| name.get(at..)).unwrap_or(name)
}
