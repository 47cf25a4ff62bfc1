//! Whether a value is a real secret.

use crate::guards::written::words;

/// What people write in place of a secret.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    "add", "and", "any", "bar", "baz", "change", "changed", "changeit", "changeme", "demo", "does", "dont",
    "dummy", "empty", "enter", "example", "fake", "false", "fill", "foo", "foobar", "for", "from", "get",
    "go", "goes", "here", "hidden", "ignored", "in", "insert", "invalid", "is", "it", "masked", "me",
    "mock", "more", "my", "nil", "no", "none", "not", "null", "of", "only", "optional", "or", "our", "own",
    "paste", "placeholder", "please", "provide", "put", "qux", "redacted", "removed", "replace", "replaced",
    "replaceme", "required", "sample", "set", "some", "something", "str", "string", "test", "tester",
    "testing", "testpass", "text", "that", "the", "this", "to", "todo", "true", "type", "undefined",
    "unset", "unused", "use", "valid", "value", "variable", "via", "with", "wrong", "you", "your",
];

/// Words that stand beside those, and that weak passwords are made of.
#[rustfmt::skip]
const WEAK: &[&str] = &[
    "a", "access", "account", "admin", "an", "anthropic", "api", "apikey", "app", "asdf", "auth", "aws",
    "azure", "bad", "bearer", "client", "cloud", "connection", "correct", "credential", "credentials",
    "database", "db", "default", "dev", "development", "docker", "env", "environment", "first", "github",
    "gitlab", "good", "google", "guest", "hello", "id", "key", "letmein", "local", "localhost", "login",
    "long", "minio", "minioadmin", "mongo", "mysql", "name", "new", "old", "openai", "original", "pass",
    "passphrase", "passwd", "password", "postgres", "postgresql", "private", "production", "public", "pwd",
    "qwerty", "random", "real", "redis", "root", "second", "secret", "secure", "slack", "stripe", "super",
    "supersecret", "temp", "token", "top", "topsecret", "user", "username", "vault", "welcome", "world",
];

/// Values printed in documentation everywhere, that open nothing.
const SAMPLES: &[&str] = &[
    // Signatures of the tokens that explain what such a token is.
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ",
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    // The key of the storage emulator.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
];

/// Whether `value` is printed in public documentation. AWS ends its sample keys with a word and puts it into its long
/// sample values; in any other value the word proves nothing.
pub(super) fn is_sample(value: &str) -> bool {
    let key = value.starts_with("AKIA") || value.starts_with("ASIA");
    SAMPLES.iter().any(|sample| value.contains(sample))
        || (key && value.ends_with("EXAMPLE"))
        || (30 <= value.len() && value.contains("EXAMPLE"))
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
    let fits = (length_min..=512).contains(&value.len());
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
        let known = |part: &&String| STAND_INS.contains(&part.as_str()) || WEAK.contains(&part.as_str());
        let named = parts(value).iter().filter(|part| 3 <= part.len()).any(|part| known(&part));
        return 16 <= value.len() && 3 <= digits && 10 <= variety(value) && !named;
    }
    let symbols = value.bytes().any(|byte| b"!@#%^&*+?~".contains(&byte));
    let mixed = match used_as {
        Use::Password => 0 < letters && (0 < digits || symbols),
        Use::Token => 0 < letters && 2 <= digits && 6 <= variety(value),
    };
    mixed || is_scrambled(value)
}

/// Whether nothing is left of `value` after taking away what people write in place of a secret. Weak words with a
/// number are a weak password, not a stand-in for one.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.contains("...") || variety(value) <= 3 {
        return true;
    }
    let parts = parts(value);
    let plain = value.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_. ".contains(&byte));
    is_weak(value) && (plain || parts.iter().any(|part| STAND_INS.contains(&part.as_str()) || is_run(part)))
}

/// Whether `value` is made of common words and simple numbers alone.
pub(super) fn is_weak(value: &str) -> bool {
    let parts = parts(value);
    let common = |part: &String| {
        STAND_INS.contains(&part.as_str()) || WEAK.contains(&part.as_str()) || is_filler(part)
    };
    !parts.is_empty() && parts.iter().all(common)
}

fn parts(value: &str) -> Vec<String> {
    words(value).iter().flat_map(|word| split_digits(word)).collect()
}

/// `1`, `123`, `2024`, `xxxx`: what fills a place.
fn is_filler(part: &str) -> bool {
    let digits = part.bytes().all(|byte| byte.is_ascii_digit());
    let sequence = "01234567890123456789".contains(part) || "98765432109876543210".contains(part);
    (digits && (part.len() <= 4 || sequence)) || is_run(part)
}

/// The same letter over and over.
fn is_run(part: &str) -> bool {
    let mut bytes = part.bytes();
    let first = bytes.next();
    3 <= part.len()
        && first.is_some_and(|it| it.is_ascii_alphabetic())
        && bytes.all(|byte| Some(byte) == first)
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

/// Letters whose case changes too often for words, or that make parts shorter than those of a name in camel case.
fn is_scrambled(value: &str) -> bool {
    let is_name = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mixed = value.bytes().any(|byte| byte.is_ascii_lowercase())
        && value.bytes().any(|byte| byte.is_ascii_uppercase());
    let parts = parts(value).iter().filter(|it| it.bytes().all(|byte| byte.is_ascii_alphabetic())).count();
    let letters: Vec<u8> = value.bytes().filter(u8::is_ascii_alphabetic).collect();
    let changes = letters
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_uppercase() != b.is_ascii_uppercase()))
        .count();
    // None of 11,800 names in camel case of real Python and TypeScript has parts of less than 3.2 letters on average.
    let short = is_name && mixed && 5 * letters.len() < 16 * parts;
    16 <= letters.len() && (2 * letters.len() <= 5 * changes || short)
}
