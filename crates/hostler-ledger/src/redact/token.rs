//! Keys that say themselves whose they are.

use std::ops::Range;

/// One form of a key: how it begins, which bytes follow, how many at least.
struct Form {
    prefix: &'static str,
    body: fn(u8) -> bool,
    length_min: usize,
    /// Also a part of words: needs a boundary before it and a digit in it.
    common: bool,
}

const fn form(prefix: &'static str, body: fn(u8) -> bool, length_min: usize) -> Form {
    Form { prefix, body, length_min, common: false }
}

const fn common(prefix: &'static str, body: fn(u8) -> bool, length_min: usize) -> Form {
    Form { prefix, body, length_min, common: true }
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn base64url(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    base64url(byte) || byte == b'.'
}

fn base64(byte: u8) -> bool {
    base64url(byte) || matches!(byte, b'+' | b'/' | b'=')
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// No form is shorter after its prefix.
const LENGTH_MIN: usize = 10;
/// Forms whose prefix ends with `_`, `-` or `.`.
const ENDING: &[Form] = &[
    // GitHub
    form("ghp_", alphanumeric, 20),
    form("gho_", alphanumeric, 20),
    form("ghu_", alphanumeric, 20),
    form("ghs_", dotted, 20),
    form("ghr_", alphanumeric, 20),
    form("github_pat_", word, 20),
    // GitLab
    form("glpat-", dotted, 16),
    form("gldt-", base64url, 16),
    form("glrt-", dotted, 16),
    form("glcbt-", base64url, 16),
    form("glptt-", base64url, 16),
    form("glft-", base64url, 16),
    form("glimt-", base64url, 16),
    form("glsoat-", base64url, 16),
    form("glagent-", base64url, 16),
    form("gloas-", base64url, 16),
    form("glffct-", base64url, 16),
    // Slack
    form("xoxa-", base64url, 10),
    form("xoxb-", base64url, 10),
    form("xoxc-", base64url, 10),
    form("xoxd-", base64, 10),
    form("xoxe-", base64url, 10),
    form("xoxe.", dotted, 10),
    form("xoxo-", base64url, 10),
    form("xoxp-", base64url, 10),
    form("xoxr-", base64url, 10),
    form("xoxs-", base64url, 10),
    form("xapp-", base64url, 10),
    // Stripe
    form("sk_live_", alphanumeric, 16),
    form("sk_test_", alphanumeric, 16),
    form("rk_live_", alphanumeric, 16),
    form("rk_test_", alphanumeric, 16),
    form("whsec_", base64, 16),
    // Google
    form("ya29.", dotted, 20),
    form("GOCSPX-", base64url, 20),
    // Model providers
    common("sk-", base64url, 20),
    form("gsk_", alphanumeric, 30),
    form("xai-", alphanumeric, 30),
    form("pplx-", alphanumeric, 30),
    form("hf_", alphanumeric, 30),
    common("r8_", alphanumeric, 30),
    // Package registries
    form("npm_", alphanumeric, 30),
    common("pypi-", base64url, 32),
    form("dckr_pat_", base64url, 20),
    // Others
    form("dop_v1_", alphanumeric, 32),
    form("doo_v1_", alphanumeric, 32),
    form("dor_v1_", alphanumeric, 32),
    form("shpat_", alphanumeric, 32),
    form("shpca_", alphanumeric, 32),
    form("shppa_", alphanumeric, 32),
    form("shpss_", alphanumeric, 32),
    form("hvs.", base64url, 20),
    form("hvb.", base64url, 20),
    common("SG.", dotted, 40),
    form("lin_api_", alphanumeric, 30),
    form("ntn_", alphanumeric, 30),
    form("sbp_", alphanumeric, 30),
    form("PMAK-", base64url, 30),
    form("AGE-SECRET-KEY-", upper, 30),
];

/// A key whose prefix ends with the byte at `at`.
pub(super) fn ending_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    // In most text a word ends soon, and then no form needs to be tried.
    if !bytes.get(at + 1..=at + LENGTH_MIN)?.iter().all(|byte| base64(*byte) || *byte == b'.') {
        return None;
    }
    let before = bytes.get(..=at)?;
    ENDING.iter().filter(|form| before.ends_with(form.prefix.as_bytes())).find_map(|form| {
        let start = before.len() - form.prefix.len();
        let rest = bytes.get(at + 1..)?;
        let length = rest.iter().take_while(|byte| (form.body)(**byte)).count();
        let digit = rest.iter().take(length).any(u8::is_ascii_digit);
        let fits = form.length_min <= length && (!form.common || (digit && boundary(bytes, start)));
        fits.then_some(start..before.len() + length)
    })
}

/// Nothing of a word stands before `start`.
fn boundary(bytes: &[u8], start: usize) -> bool {
    start.checked_sub(1).and_then(|at| bytes.get(at)).is_none_or(|byte| !word(*byte))
}

/// A key that begins at `at`, with a prefix of letters only.
pub(super) fn starting_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?;
    let run = |body: fn(u8) -> bool| rest.iter().take_while(|byte| body(**byte)).count();
    let length = match rest {
        [b'A', b'K' | b'S' | b'B' | b'C', b'I' | b'C', b'A', ..] => {
            let edge = at.checked_sub(1).and_then(|it| bytes.get(it)).is_none_or(|byte| !alphanumeric(*byte));
            (edge && 20 == run(alphanumeric) && 20 == run(upper)).then_some(20)?
        }
        [b'A', b'I', b'z', b'a', ..] => Some(run(base64url)).filter(|length| 39 <= *length)?,
        [b'd', b'a', b'p', b'i', ..] => {
            let edge = boundary(bytes, at);
            let hex = rest.iter().skip(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
            (edge && 32 <= hex).then_some(4 + hex)?
        }
        [b'e', b'y', b'J', ..] => web_token(rest)?,
        _ => {
            let hook = rest.strip_prefix(b"hooks.slack.com/")?;
            let length = hook.iter().take_while(|byte| word(**byte) || **byte == b'/').count();
            return (24 <= length).then_some(at + 16..at + 16 + length);
        }
    };
    Some(at..at + length)
}

/// Three or more parts of base64, the first of which opens a JSON object.
fn web_token(rest: &[u8]) -> Option<usize> {
    let length = rest.iter().take_while(|byte| dotted(**byte)).count();
    let mut parts = rest.get(..length)?.split(|byte| *byte == b'.');
    let (head, body) = (parts.next()?, parts.next()?);
    (8 <= head.len() && 4 <= body.len() && parts.next().is_some()).then_some(length)
}

/// A block that `-----BEGIN … PRIVATE KEY` opens; to its end, or as far as it looks like one.
pub(super) fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix("-----BEGIN ")?;
    let title = &rest[..rest.find("-----")?];
    if 64 < title.len() || !title.contains("PRIVATE KEY") {
        return None;
    }
    let body = at + "-----BEGIN ".len() + title.len() + "-----".len();
    let end = format!("-----END {title}-----");
    if let Some(found) = text[body..].find(&end) {
        return Some(at..body + found + end.len());
    }
    let part = |byte: &u8| base64(*byte) || byte.is_ascii_whitespace() || b"\\:,".contains(byte);
    Some(at..body + text.as_bytes()[body..].iter().take_while(|byte| part(byte)).count())
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_form_is_shorter_than_what_is_looked_at_first() {
        assert!(super::ENDING.iter().all(|form| super::LENGTH_MIN <= form.length_min));
        assert!(super::ENDING.iter().all(|form| form.prefix.ends_with(['_', '-', '.'])));
    }
}
