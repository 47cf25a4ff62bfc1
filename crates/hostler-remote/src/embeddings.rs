//! An endpoint for embeddings that speaks as the one of `OpenAI` does.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Texts in one request.
pub const BATCH: usize = 32;
/// How long one request may take, from the first byte to the last.
const REQUEST_MAX: Duration = Duration::from_secs(30);
/// How often a request is sent that failed by what may pass.
const TRIES: u32 = 3;
/// How long it is waited before a request is sent again: this, and twice this.
const PAUSE: Duration = Duration::from_millis(250);
/// The longest pause that an endpoint may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// Bytes of an answer: 32 vectors of 8,192 numbers in full are less.
const ANSWER_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Characters that are shown of what an endpoint says.
const SHOWN_CHARS_MAX: usize = 200;

/// Why there are no vectors. No message holds the key or a text that was sent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is none that can be asked.
    #[error("the embeddings address `{0}` is not one of `http://` or `https://`")]
    Address(String),
    /// The key cannot be part of a request.
    #[error("the embeddings key has characters that a header cannot hold; check how it is set")]
    Key,
    /// The endpoint could not be reached, or broke off.
    #[error("the embeddings endpoint `{address}` cannot be reached: {why}")]
    Unreachable {
        /// Who was asked.
        address: String,
        /// What happened.
        why: String,
    },
    /// It answered that it will not.
    #[error("the embeddings endpoint `{address}` returned HTTP {status}{said}")]
    Status {
        /// Who was asked.
        address: String,
        /// What it said in a number.
        status: u16,
        /// What it said in words, after a colon.
        said: String,
    },
    /// Its answer is not what was asked for.
    #[error("the embeddings endpoint `{address}` returned {what}")]
    Shape {
        /// Who was asked.
        address: String,
        /// What is wrong.
        what: String,
    },
}

/// Who is asked, for what, by which key.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The whole address.
    pub url: String,
    /// The model's id.
    pub model: String,
    /// The bearer key; empty if there is none.
    pub key: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url).field("model", &self.model).finish_non_exhaustive()
    }
}

/// A client of one endpoint; it keeps its connection.
#[derive(Debug)]
pub struct Client {
    endpoint: Endpoint,
    agent: ureq::Agent,
    /// The address as messages show it: without a name and password in it, and without a query.
    shown: String,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    embedding: Vec<f32>,
    index: Option<usize>,
}

/// How a try ended.
enum Failed {
    /// Another one may go better, after this long at least.
    Passing(Error, Duration),
    ForGood(Error),
}

impl Client {
    /// A client for an endpoint. Asks nothing yet.
    ///
    /// # Errors
    /// The address is none of HTTP, or the key cannot be sent.
    pub fn new(endpoint: Endpoint) -> Result<Self, Error> {
        let shown = shown(&endpoint.url);
        let lower = endpoint.url.to_ascii_lowercase();
        let is_http = ["http://", "https://"].iter().any(|it| lower.starts_with(it));
        if !is_http || endpoint.url.parse::<ureq::http::Uri>().is_err() {
            return Err(Error::Address(shown));
        }
        if !endpoint.key.bytes().all(|it| (0x20..0x7f).contains(&it)) {
            return Err(Error::Key);
        }
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(REQUEST_MAX))
            // A key must not go where the user did not send it.
            .max_redirects(0)
            .http_status_as_error(false)
            .user_agent(concat!("hostler/", env!("CARGO_PKG_VERSION")));
        if is_this_machine(&endpoint.url) {
            config = config.proxy(None);
        }
        Ok(Self { endpoint, agent: config.build().into(), shown })
    }

    /// The vectors of texts, one each, all of one length. Long lists go in batches, one after the other.
    ///
    /// # Errors
    /// The first batch that did not come back, after it was tried again where that may help.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let mut out: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let vectors = self.batch(batch)?;
            let length = out.first().or(vectors.first()).map_or(0, Vec::len);
            if vectors.iter().any(|it| it.len() != length) {
                return Err(self.shape("vectors of different lengths"));
            }
            out.extend(vectors);
        }
        Ok(out)
    }

    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        let mut tried = 1;
        loop {
            match self.request(texts) {
                Ok(vectors) => return Ok(vectors),
                Err(Failed::Passing(_, least)) if tried < TRIES => {
                    std::thread::sleep((PAUSE * tried).max(least).min(PAUSE_MAX));
                    tried += 1;
                }
                Err(Failed::Passing(error, _) | Failed::ForGood(error)) => return Err(error),
            }
        }
    }

    fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failed> {
        let body = serde_json::to_vec(&Request { model: &self.endpoint.model, input: texts })
            .map_err(|error| Failed::ForGood(self.shape(&format!("nothing: the request {error}"))))?;
        let mut request = self.agent.post(&self.endpoint.url).header("content-type", "application/json");
        if !self.endpoint.key.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.endpoint.key));
        }
        let mut response = request.send(&body[..]).map_err(|error| self.unreachable(&error))?;
        let status = response.status().as_u16();
        let after =
            response.headers().get("retry-after").and_then(|it| it.to_str().ok()?.trim().parse().ok());
        let read = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        if !(200..300).contains(&status) {
            let said = read.map(|it| said(&it)).unwrap_or_default();
            let error = Error::Status { address: self.shown.clone(), status, said };
            let pause = Duration::from_secs(after.unwrap_or(0));
            let passes = status == 408 || status == 429 || 500 <= status;
            return Err(if passes { Failed::Passing(error, pause) } else { Failed::ForGood(error) });
        }
        let bytes = read.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(limit) => {
                Failed::ForGood(self.shape(&format!("more than {limit} bytes")))
            }
            other => self.unreachable(&other),
        })?;
        self.vectors(&bytes, texts.len()).map_err(Failed::ForGood)
    }

    fn vectors(&self, bytes: &[u8], expected: usize) -> Result<Vec<Vec<f32>>, Error> {
        let answer: Answer = serde_json::from_slice(bytes)
            .map_err(|error| self.shape(&format!("an unexpected answer: {error}")))?;
        let mut entries = answer.data;
        if entries.len() != expected {
            return Err(self.shape(&format!("{} vectors for {expected} texts", entries.len())));
        }
        // An answer may name the text of each vector; without that they are in the order of the texts.
        if entries.iter().all(|it| it.index.is_some()) {
            entries.sort_by_key(|it| it.index);
            if entries.iter().enumerate().any(|(at, it)| it.index != Some(at)) {
                return Err(self.shape("vectors of other texts than were sent"));
            }
        }
        if entries.iter().any(|it| it.embedding.is_empty()) {
            return Err(self.shape("an empty vector"));
        }
        if entries.iter().flat_map(|it| &it.embedding).any(|it| !it.is_finite()) {
            return Err(self.shape("a vector with what is no number"));
        }
        Ok(entries.into_iter().map(|it| it.embedding).collect())
    }

    fn unreachable(&self, error: &ureq::Error) -> Failed {
        let why = error.to_string();
        let error = Error::Unreachable { address: self.shown.clone(), why };
        // A request that took its whole time is not sent again: somebody waits.
        let passes = !matches!(error, Error::Unreachable { ref why, .. } if why.contains("timeout"));
        if passes { Failed::Passing(error, Duration::ZERO) } else { Failed::ForGood(error) }
    }

    fn shape(&self, what: &str) -> Error {
        Error::Shape { address: self.shown.clone(), what: what.to_owned() }
    }
}

/// Names and passwords before an `@`, and what follows a `?`, are secrets of the user.
fn shown(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit('@').next().unwrap_or_default();
    let mut out = if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") };
    if let Some(path) = path {
        out.push('/');
        out.push_str(path);
    }
    out.chars().filter(|it| !it.is_control()).take(SHOWN_CHARS_MAX).collect()
}

fn is_this_machine(url: &str) -> bool {
    let host = url.parse::<ureq::http::Uri>().ok().and_then(|it| it.host().map(str::to_owned));
    host.is_some_and(|it| it == "localhost" || it == "[::1]" || it.starts_with("127."))
}

/// What an endpoint says when it refuses, on one line, after a colon.
fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..4096).unwrap_or(bytes)).into_owned();
    let message = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|it| it.pointer("/error/message").or(it.get("message"))?.as_str().map(str::to_owned));
    let Some(message) = message else { return String::new() };
    let line: String = message.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    format!(": {}", line.chars().take(SHOWN_CHARS_MAX).collect::<String>())
}

#[cfg(test)]
mod tests;
