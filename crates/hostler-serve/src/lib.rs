//! A server of tools over the [Model Context Protocol](https://modelcontextprotocol.io), on one stream in and one out.
//!
//! The protocol is the official SDK's, all revisions from 2024-11-05 to the stateless 2026-07-28. The transport is our
//! own, since the one of the SDK loses answers: of a last line without a line end, of a line that is no JSON, of one that
//! is too long, of calls that take longer than the stream that brought them. See `transport.rs`.
//!
//! The crate knows no tool. It is given a [`Tools`] and reaches nothing but the two streams.

mod frame;
mod handler;
mod lines;
mod output;
#[cfg(test)]
mod tests;
mod transport;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly_with_ct;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use self::handler::Handler;
use self::transport::Transport;

/// Calls that run at once; further ones wait.
const THREADS_MAX: usize = 8;
/// Stack of a thread that a tool runs on, in bytes: as much as a main thread has.
const STACK_BYTES: usize = 8 * 1024 * 1024;
/// How long calls are waited for that were cancelled and still run when all others are answered.
const CANCELLED_WAIT: Duration = Duration::from_secs(2);

/// A tool as it is listed.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a hint of its own in the protocol")]
pub struct Tool {
    /// The name that it is called by.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// What it does, for a model.
    pub description: &'static str,
    /// JSON Schema of its arguments, an object.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of its structured answer, an object.
    pub output_schema: Option<Map<String, Value>>,
    /// It changes nothing.
    pub read_only: bool,
    /// It may change what was there.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond what belongs to the project.
    pub open_world: bool,
}

/// A call of a tool.
pub struct Call<'a> {
    /// What the client gave.
    pub arguments: &'a Map<String, Value>,
    /// The client's name for itself; empty if it did not say one.
    pub client: &'a str,
    /// Tells the client how far the call is: done, of how much, doing what. What a client did not ask for, or does not
    /// take off our hands, is dropped.
    pub progress: &'a dyn Fn(f64, Option<f64>, &str),
    /// Nobody waits for the answer any more.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// A file that an answer speaks of. Clients that know links offer to open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its address.
    pub uri: String,
    /// The name that people read.
    pub name: String,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// For a model.
    pub text: String,
    /// For programs, as the tool's output schema says.
    pub structured: Option<Value>,
    /// Files that the text names; clients of revisions without links do not get them.
    pub links: Vec<Link>,
    /// It could not be done; the text says why.
    pub failed: bool,
}

/// The tools of a server. A call runs on a thread of its own and may take its time.
pub trait Tools: Send + Sync + 'static {
    /// What is offered now, in the order in which it is listed. Names are unique.
    fn list(&self) -> Vec<Tool>;

    /// Calls a tool; `None`: there is none of this name. A panic is answered as an error of the server, which goes on.
    fn call(&self, name: &str, call: &Call<'_>) -> Option<Answer>;
}

/// What a server says of itself.
#[derive(Debug, Clone)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// Its version.
    pub version: String,
    /// What a model is told about the tools together.
    pub instructions: String,
    /// Tools in one page of the list, at least 1. Some clients read the first page alone.
    pub page_size: usize,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A thread or the runtime could not be started.
    #[error("the server could not be started: {0}")]
    Start(#[source] io::Error),
    /// The loop of the server came to a stop by a fault.
    #[error("the server came to a stop: {0}")]
    Stopped(String),
}

/// Serves until `input` ends and every call is answered, or until nobody reads `output` any more.
///
/// # Errors
/// A thread could not be started, or the server stopped by a fault.
pub fn serve<R, W>(server: Server, tools: Arc<dyn Tools>, input: R, output: W) -> Result<(), Error>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(THREADS_MAX)
        .thread_stack_size(STACK_BYTES)
        .thread_name("tool")
        .build()
        .map_err(Error::Start)?;
    let lines = lines::read(input).map_err(Error::Start)?;
    let (output, writer) = output::write(output).map_err(Error::Start)?;
    let stop = CancellationToken::new();
    let transport = Transport::new(lines, output, stop.clone());
    let ended = runtime.block_on(async move {
        serve_directly_with_ct(Handler::new(server, tools), transport, None, stop).waiting().await
    });
    runtime.shutdown_timeout(CANCELLED_WAIT);
    // What is answered is written before the process ends; it fails where nobody reads any more.
    let _ = writer.join();
    ended.map(|_| ()).map_err(|error| Error::Stopped(error.to_string()))
}
