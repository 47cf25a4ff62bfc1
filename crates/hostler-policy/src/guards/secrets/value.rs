//! Whether a value is a real secret.

use crate::guards::written::words;

/// What people write in place of a secret. A value made of these alone is none.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "a", "abc", "abcd", "abcdef", "access", "account", "add", "admin", "an", "and", "anthropic", "any",
    "api", "apikey", "app", "asdf", "auth", "aws", "azure", "bad", "bar", "baz", "bearer", "change",
    "changed", "changeit", "changeme", "client", "cloud", "correct", "credential", "credentials",
    "database", "db", "default", "demo", "dev", "development", "docker", "does", "dont", "dummy", "empty",
    "enter", "env", "environment", "example", "fake", "false", "fill", "first", "foo", "foobar", "for",
    "from", "get", "github", "gitlab", "go", "goes", "good", "google", "guest", "hello", "here", "hidden",
    "id", "ignored", "in", "insert", "invalid", "is", "it", "key", "letmein", "local", "localhost", "long",
    "masked", "me", "minio", "minioadmin", "mock", "mongo", "more", "mud", "my", "mysql", "name", "new",
    "nil", "no", "none", "not", "null", "of", "old", "only", "openai", "optional", "or", "original", "our",
    "own", "p4ssw0rd", "pa55word", "pass", "passphrase", "passw0rd", "passwd", "password", "paste",
    "placeholder", "please", "postgres", "postgresql", "private", "production", "provide", "public", "put",
    "pwd", "qux", "qwerty", "random", "real", "redacted", "redis", "removed", "replace", "replaced",
    "replaceme", "required", "root", "s3cr3t", "s3cret", "sample", "second", "secr3t", "secret", "secure",
    "set", "slack", "some", "something", "str", "string", "stripe", "super", "supersecret", "temp", "test",
    "tester", "testing", "testpass", "text", "that", "the", "this", "to", "todo", "token", "top",
    "topsecret", "true", "type", "undefined", "unset", "unused", "use", "user", "username", "valid",
    "value", "variable", "vault", "via", "with", "world", "wrong", "xyz", "you", "your",
];

/// Values printed in documentation everywhere, that open nothing.
const SAMPLES: &[&str] = &[
    "AKIAIOSFODNN7EXAMPLE",
    "AKIAI44QH8DHBEXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    // Signatures of the tokens that explain what such a token is.
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ",
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    // The key of the storage emulator.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
];

/// Whether `value` is printed in public documentation. AWS marks the long values of its own with a word; in a
/// short value the word proves nothing.
pub(super) fn is_sample(value: &str) -> bool {
    SAMPLES.iter().any(|sample| value.contains(sample)) || (30 <= value.len() && value.contains("EXAMPLE"))
}

/// How a name uses its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// A password: anything that is no plain word.
    Password,
    /// A key or a token: made by a machine, so it looks like it.
    Token,
}

/// Whether a literal that is assigned to the name of a secret is one. `test`: in a test, where credentials are
/// made up and only what looks made by a machine counts.
pub(super) fn is_real(value: &str, used_as: Use, test: bool) -> bool {
    let length_min = match used_as {
        Use::Password => 6,
        Use::Token => 8,
    };
    let fits = (length_min..=4096).contains(&value.len());
    if !fits || value.contains(char::is_whitespace) || !value.is_ascii() {
        return false;
    }
    if is_reference(value)
        || is_placeholder(value)
        || is_sample(value)
        || is_other_format(value)
        || is_wordy(value)
    {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    if test {
        let named = words(value).iter().any(|word| PLACEHOLDERS.contains(&word.as_str()));
        return 16 <= value.len() && 3 <= digits && 10 <= variety(value) && !named;
    }
    let symbols = value.bytes().any(|byte| b"!@#%^&*+?~".contains(&byte));
    let mixed = match used_as {
        Use::Password => 0 < letters && (0 < digits || symbols),
        Use::Token => 0 < letters && 2 <= digits && 6 <= variety(value),
    };
    mixed || is_scrambled(value)
}

/// Whether nothing is left of `value` after taking away what people write in place of a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.contains("...") || variety(value) <= 3 {
        return true;
    }
    if PLACEHOLDERS.contains(&value.to_ascii_lowercase().replace(['@', '$'], "a").as_str()) {
        return true;
    }
    let mut parts = words(value).into_iter().flat_map(|word| split_digits(&word)).peekable();
    parts.peek().is_some() && parts.all(|part| PLACEHOLDERS.contains(&part.as_str()) || is_filler(&part))
}

/// `1`, `123`, `2024`, `000000`, `xxxx`: what fills a place.
fn is_filler(part: &str) -> bool {
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    (digits
        && (part.len() <= 4
            || "01234567890123456789".contains(part)
            || "98765432109876543210".contains(part)))
        || (3 <= part.len() && part.bytes().all(|byte| Some(byte) == part.bytes().next()))
}

fn split_digits(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last: Option<bool> = None;
    for char in word.chars() {
        let digit = char.is_ascii_digit();
        if last != Some(digit) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(char);
        }
        last = Some(digit);
    }
    parts
}

/// How many different characters there are.
pub(super) fn variety(value: &str) -> usize {
    let mut seen = [false; 256];
    for byte in value.bytes() {
        if let Some(it) = seen.get_mut(usize::from(byte)) {
            *it = true;
        }
    }
    seen.iter().filter(|it| **it).count()
}

/// The value stands elsewhere: a variable, a template, a format.
pub(super) fn is_reference(value: &str) -> bool {
    let enclosed = |open, close| value.starts_with(open) && value.ends_with(close);
    let variable = value.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(['(', '{'])
            || (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
    });
    let name_in_braces = value.split('{').skip(1).any(|rest| {
        rest.split_once('}').is_some_and(|(name, _)| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:[]()!'\"".contains(&byte))
        })
    });
    variable
        || name_in_braces
        || enclosed('<', '>')
        || enclosed('[', ']')
        || enclosed('%', '%')
        || ["${", "{{", "#{", "$(", "<%", "%(", "%s", "%d", "%v"].iter().any(|it| value.contains(it))
        || [
            "process.env",
            "os.environ",
            "getenv",
            "env.",
            "secrets.",
            "var.",
            "vars.",
            "config.",
            "settings.",
            "self.",
            "this.",
        ]
        .iter()
        .any(|it| value.starts_with(it))
}

/// Addresses, paths, hashes, encrypted values, patterns, UUIDs, mail addresses, versions.
fn is_other_format(value: &str) -> bool {
    let starts = |list: &[&str]| list.iter().any(|it| value.starts_with(it));
    let uuid = value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| {
            if matches!(at, 8 | 13 | 18 | 23) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        });
    let mail = value.split_once('@').is_some_and(|(_, host)| {
        host.contains('.')
            && host.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'.' || byte == b'-')
    });
    uuid || mail
        || value.contains("://")
        || !value.bytes().any(|byte| byte.is_ascii_alphabetic())
        || starts(&[
            "/", "./", "../", "~/", "\\", "^", "(?", "arn:", "data:", "sha1", "sha256", "sha384", "sha512",
            "md5", "SHA256:",
        ])
        || starts(&[
            "$2a$", "$2b$", "$2y$", "$argon2", "$1$", "$5$", "$6$", "$y$", "$pbkdf2", "pbkdf2", "scrypt",
            "{SSHA}", "{SHA}",
        ])
        || starts(&["ENC[", "ENC(", "!vault", "vault:", "ssh-rsa", "ssh-ed25519", "ecdsa-", "-----BEGIN"])
        || [".*", "\\d", "\\w", "[a-z", "[A-Z", "[0-9"].iter().any(|it| value.contains(it))
}

/// Words joined by punctuation, as names, keys of messages and classes of a stylesheet are.
pub(super) fn is_wordy(value: &str) -> bool {
    let segments: Vec<&str> =
        value.split(|char: char| !char.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let plain = |segment: &str| {
        let word = segment.trim_end_matches(|char: char| char.is_ascii_digit());
        let digits = segment.len() - word.len();
        let same_case = word.bytes().all(|byte| byte.is_ascii_lowercase())
            || word.bytes().all(|byte| byte.is_ascii_uppercase())
            || (word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase()));
        segment.len() <= 3
            || (word.bytes().all(|byte| byte.is_ascii_alphabetic())
                && same_case
                && word.len() <= 16
                && digits <= 2)
            || (word.is_empty() && digits <= 4)
    };
    let punctuated = value.bytes().any(|byte| b"!@#%^&*+?~=".contains(&byte));
    let words = segments
        .iter()
        .filter(|it| 3 <= it.len() && it.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .count();
    // Names keep to one case; where digits join both, it is a password made of words.
    let all_kinds = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase]
        .iter()
        .all(|kind| value.bytes().any(|byte| kind(&byte)));
    2 <= segments.len()
        && !all_kinds
        && !punctuated
        && segments.iter().all(|it| plain(it))
        && segments.len() <= 3 * words + 1
}

/// Letters whose case changes too often for words.
fn is_scrambled(value: &str) -> bool {
    let letters: Vec<u8> = value.bytes().filter(u8::is_ascii_alphabetic).collect();
    let changes = letters
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase()))
        .count();
    16 <= letters.len() && 2 * letters.len() <= 5 * changes
}
