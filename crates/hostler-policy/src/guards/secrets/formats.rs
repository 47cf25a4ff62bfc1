//! Secrets that are known by their shape.

use super::value::{Use, is_placeholder, is_real, is_reference, is_sample, is_weak, is_wordy, variety};
use super::{FOUND_MAX, Kind, LineCounter, Secret};

/// A shape: a prefix and what follows it.
struct Format {
    prefix: &'static str,
    /// What may follow.
    body: fn(u8) -> bool,
    /// How much follows at least.
    min: usize,
    /// How much follows at most; longer runs are something else.
    max: usize,
    what: &'static str,
    variable: &'static str,
}

const fn format(
    prefix: &'static str,
    body: fn(u8) -> bool,
    min: usize,
    max: usize,
    what: &'static str,
    variable: &'static str,
) -> Format {
    Format { prefix, body, min, max, what, variable }
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    dashed(byte) || byte == b'.'
}

fn hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

const ANY: usize = 1024;

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    format("AKIA", upper, 12, 20, "an AWS access key", "AWS_ACCESS_KEY_ID"),
    format("ASIA", upper, 12, 20, "an AWS access key", "AWS_ACCESS_KEY_ID"),
    format("ghp_", alnum, 30, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("gho_", alnum, 30, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("ghu_", alnum, 30, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("ghs_", alnum, 30, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("ghr_", alnum, 30, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("github_pat_", word, 22, ANY, "a GitHub token", "GITHUB_TOKEN"),
    format("glpat-", dashed, 16, ANY, "a GitLab token", "GITLAB_TOKEN"),
    format("gldt-", dashed, 20, ANY, "a GitLab token", "GITLAB_TOKEN"),
    format("glrt-", dashed, 20, ANY, "a GitLab token", "GITLAB_TOKEN"),
    format("glptt-", hex, 40, 40, "a GitLab token", "GITLAB_TOKEN"),
    format("xoxb-", dashed, 16, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xoxp-", dashed, 16, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xoxa-", dashed, 16, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xoxr-", dashed, 20, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xoxs-", dashed, 20, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xoxe-", dashed, 20, ANY, "a Slack token", "SLACK_TOKEN"),
    format("xapp-", dashed, 20, ANY, "a Slack token", "SLACK_TOKEN"),
    format("hooks.slack.com/services/T", |byte| alnum(byte) || byte == b'/', 30, ANY, "a Slack webhook", "SLACK_WEBHOOK_URL"),
    format("sk_live_", alnum, 16, ANY, "a Stripe key", "STRIPE_SECRET_KEY"),
    format("rk_live_", alnum, 16, ANY, "a Stripe key", "STRIPE_SECRET_KEY"),
    format("whsec_", base64, 24, ANY, "a webhook secret", "WEBHOOK_SECRET"),
    format("AIza", dashed, 30, 45, "a Google API key", "GOOGLE_API_KEY"),
    format("GOCSPX-", dashed, 28, 28, "a Google client secret", "GOOGLE_CLIENT_SECRET"),
    format("ya29.", dashed, 30, ANY, "a Google access token", "GOOGLE_ACCESS_TOKEN"),
    format("sk-ant-", dashed, 20, ANY, "an Anthropic key", "ANTHROPIC_API_KEY"),
    format("sk-proj-", dashed, 20, ANY, "an OpenAI key", "OPENAI_API_KEY"),
    format("sk-svcacct-", dashed, 20, ANY, "an OpenAI key", "OPENAI_API_KEY"),
    format("sk-admin-", dashed, 20, ANY, "an OpenAI key", "OPENAI_API_KEY"),
    format("sk-or-v1-", hex, 40, ANY, "an OpenRouter key", "OPENROUTER_API_KEY"),
    format("sk-", alnum, 20, ANY, "an API key", "OPENAI_API_KEY"),
    format("gsk_", alnum, 40, ANY, "a Groq key", "GROQ_API_KEY"),
    format("xai-", alnum, 60, ANY, "an xAI key", "XAI_API_KEY"),
    format("pplx-", alnum, 40, ANY, "a Perplexity key", "PERPLEXITY_API_KEY"),
    format("r8_", alnum, 37, 40, "a Replicate token", "REPLICATE_API_TOKEN"),
    format("hf_", alnum, 24, 60, "a Hugging Face token", "HF_TOKEN"),
    format("npm_", alnum, 30, 60, "an npm token", "NPM_TOKEN"),
    format("pypi-", dashed, 50, ANY, "a PyPI token", "PYPI_TOKEN"),
    format("SG.", dotted, 60, 80, "a SendGrid key", "SENDGRID_API_KEY"),
    format("SK", hex, 32, 32, "a Twilio key", "TWILIO_API_KEY"),
    format("dop_v1_", hex, 64, 64, "a DigitalOcean token", "DIGITALOCEAN_TOKEN"),
    format("doo_v1_", hex, 64, 64, "a DigitalOcean token", "DIGITALOCEAN_TOKEN"),
    format("dor_v1_", hex, 64, 64, "a DigitalOcean token", "DIGITALOCEAN_TOKEN"),
    format("AccountKey=", base64, 80, 100, "an Azure storage key", "AZURE_STORAGE_KEY"),
    format("SharedAccessKey=", base64, 40, 60, "an Azure access key", "AZURE_ACCESS_KEY"),
    format("shpat_", hex, 32, 32, "a Shopify token", "SHOPIFY_TOKEN"),
    format("dapi", hex, 32, 32, "a Databricks token", "DATABRICKS_TOKEN"),
    format("hvs.", dashed, 24, ANY, "a Vault token", "VAULT_TOKEN"),
    format("dckr_pat_", dashed, 20, ANY, "a Docker token", "DOCKER_TOKEN"),
    format("glsa_", word, 32, ANY, "a Grafana token", "GRAFANA_TOKEN"),
    format("lin_api_", alnum, 32, ANY, "a Linear key", "LINEAR_API_KEY"),
    format("ntn_", alnum, 40, ANY, "a Notion token", "NOTION_TOKEN"),
    format("sbp_", hex, 40, 40, "a Supabase token", "SUPABASE_ACCESS_TOKEN"),
    format("PMAK-", dashed, 50, ANY, "a Postman key", "POSTMAN_API_KEY"),
    format("ATATT3", dashed, 50, ANY, "an Atlassian token", "ATLASSIAN_TOKEN"),
    format("AGE-SECRET-KEY-1", upper, 58, 58, "an age key", "AGE_SECRET_KEY"),
];

/// Hosts that documentation uses.
const SAMPLE_HOSTS: &[&str] =
    &["example.com", "example.org", "example.net", "example.edu", "example", "test", "invalid"];

/// Every secret in `text` that is known by its shape, in order.
pub(super) fn find(text: &str, kind: Kind) -> Vec<Secret<'_>> {
    // Most bytes begin nothing.
    let mut first = [false; 256];
    for byte in FORMATS.iter().filter_map(|it| it.prefix.bytes().next()).chain(*b"-:e") {
        if let Some(it) = first.get_mut(usize::from(byte)) {
            *it = true;
        }
    }
    let bytes = text.as_bytes();
    let mut lines = LineCounter::new(text);
    let mut found: Vec<Secret<'_>> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at).filter(|_| found.len() < FOUND_MAX) {
        if first.get(usize::from(byte)) != Some(&true) {
            at += 1;
            continue;
        }
        let here = text.get(at..).unwrap_or_default();
        let hit = match byte {
            b'-' => here.starts_with("-----BEGIN ").then(|| private_key(here)).flatten(),
            b':' => here.starts_with("://").then(|| credentials(text, at, kind)).flatten(),
            _ if !begins(bytes, at) => None,
            b'e' if here.starts_with("eyJ") => web_token(here),
            _ => FORMATS.iter().find_map(|format| matches(format, here)),
        };
        match hit {
            Some((what, variable, value)) => {
                let offset = value.as_ptr() as usize - text.as_ptr() as usize;
                let line = lines.line_at(offset.max(at));
                found.push(Secret { line, what: what.to_owned(), variable: variable.to_owned(), value });
                at = offset.max(at) + value.len().max(1);
            }
            None => at += 1,
        }
    }
    found
}

/// What was found, the variable for it, and the value.
type Hit<'text> = (&'static str, &'static str, &'text str);

/// Whether a word begins at `at`: after anything that is no part of one, or after an escaped line end.
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|it| bytes.get(it)).copied();
    match before(1) {
        None => true,
        Some(b'n' | b't' | b'r') => before(2) == Some(b'\\'),
        Some(byte) => !word(byte),
    }
}

fn matches<'text>(format: &Format, here: &'text str) -> Option<Hit<'text>> {
    let rest = here.strip_prefix(format.prefix)?;
    let length = rest.bytes().take(format.max + 1).take_while(|byte| (format.body)(*byte)).count();
    let body = rest.get(..length)?;
    let value = here.get(..format.prefix.len() + length)?;
    let generic = format.prefix == "sk-";
    let real = (format.min..=format.max).contains(&length)
        && !rest.get(length..).is_some_and(|it| it.starts_with(|char: char| char.is_alphanumeric()))
        && 6 <= variety(body)
        && !is_placeholder(body)
        && (!is_wordy(body) || body.bytes().any(|byte| byte.is_ascii_digit()))
        && !is_sample(value)
        && (!generic || (10 <= variety(body) && body.bytes().any(|byte| byte.is_ascii_digit())));
    real.then_some((format.what, format.variable, value))
}

/// Three parts of base64, the first two of them objects.
fn web_token(here: &str) -> Option<Hit<'_>> {
    let length = here.bytes().take(8_192).take_while(|byte| dotted(*byte)).count();
    let value = here.get(..length)?.trim_end_matches('.');
    let mut parts = value.split('.');
    let (header, payload, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let real = 15 <= header.len()
        && payload.starts_with("eyJ")
        && 10 <= signature.len()
        && 6 <= variety(signature)
        && !is_sample(value)
        && !is_placeholder(signature);
    real.then_some(("a JSON web token", "ACCESS_TOKEN", value))
}

/// A private key with its body; the mere header is text about keys.
fn private_key(here: &str) -> Option<Hit<'_>> {
    let rest = here.strip_prefix("-----BEGIN ")?;
    let length = rest.bytes().take(40).take_while(|byte| *byte != b'-').count();
    let (label, rest) = (rest.get(..length)?, rest.get(length..)?.strip_prefix("-----")?);
    if !label.trim_end_matches(" BLOCK").ends_with("PRIVATE KEY") {
        return None;
    }
    let mut body = String::new();
    let mut end = 0;
    // Keys in strings of code have escaped line ends, quotes and joins between their lines.
    for (at, char) in rest.char_indices().take(1_024).take_while(|(_, char)| *char != '-') {
        if char.is_ascii_alphanumeric() || "+/=".contains(char) {
            body.push(char);
        }
        end = at + char.len_utf8();
    }
    let value = here.get(..here.len() - rest.len() + end)?;
    // A short body may be one that was cut for show, and says so.
    let shown = rest.get(..end)?;
    let real = 16 <= body.len()
        && 8 <= variety(&body)
        && (64 <= body.len() || !shown.contains("..."))
        && shown.starts_with(['\n', '\r', '\\'])
        && !is_placeholder(shown);
    real.then_some(("a private key", "PRIVATE_KEY_FILE", value))
}

/// `scheme://user:password@host`.
fn credentials(text: &str, at: usize, kind: Kind) -> Option<Hit<'_>> {
    let scheme = text
        .get(..at)?
        .bytes()
        .rev()
        .take(20)
        .take_while(|byte| alnum(*byte) || b"+.-".contains(byte))
        .count();
    if scheme < 2 {
        return None;
    }
    let rest = text.get(at + 3..)?;
    let end = rest
        .bytes()
        .take(512)
        .take_while(|byte| !byte.is_ascii_whitespace() && !b"/?#\"'`<>\\".contains(byte))
        .count();
    let (login, host) = rest.get(..end)?.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let host = host.split(':').next()?.trim_end_matches([')', ']', ',', ';', '}']).to_ascii_lowercase();
    let sample_host = SAMPLE_HOSTS
        .iter()
        .any(|it| host.strip_suffix(it).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')));
    // Documentation of web clients is full of logins for sample hosts. In addresses of databases only the host is made
    // up now and then.
    let web = text
        .get(at.saturating_sub(scheme)..at)
        .is_some_and(|it| it.contains("http") || it.starts_with("ftp"));
    // On a host of the net a plain word opens the door as well.
    let public = host.contains('.') && !sample_host && !host.starts_with("127.") && host != "0.0.0.0";
    let real = !host.is_empty()
        && (!sample_host || !web)
        && password != user
        && !is_reference(password)
        && !is_placeholder(password)
        && !is_sample(password)
        && if public && !kind.test {
            6 <= password.len()
        } else {
            is_real(password, Use::Password, kind.test) && !is_weak(password)
        };
    real.then_some(("a password in an address", "DATABASE_URL", password))
}
