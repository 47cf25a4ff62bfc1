//! The SDK's transport over lines, with what its own one lacks:
//!
//! - a last line without a line end is a line;
//! - what cannot be taken is answered: no JSON, no message, too long, parameters that are none;
//! - the end of the stream in is passed on only when every request is answered, however long a call takes: the SDK gives
//!   open calls five seconds, and their progress nothing;
//! - two requests with one id are told apart: the SDK sees ids of ours, the client its own;
//! - when nobody reads any more, everything ends.

use std::collections::HashMap;
use std::future::{Future, ready};
use std::io;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::frame::{self, Frame, INVALID_PARAMS, INVALID_REQUEST};
use crate::lines::{LINE_BYTES_MAX, Line};
use crate::output::Output;

/// Requests that are open at once; while there are as many, nothing is read.
const OPEN_MAX: usize = 1024;
/// Bytes of open requests; the same.
const OPEN_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of answers that nobody has taken; the same.
const WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of answers that nobody has taken from which on progress is not told.
const PROGRESS_BYTES_MAX: usize = 1024 * 1024;

/// The two streams.
pub(crate) struct Transport {
    lines: mpsc::Receiver<Line>,
    output: Output,
    /// Ends every call.
    stop: CancellationToken,
    /// Requests without an answer, by our id.
    open: HashMap<i64, Open>,
    /// The last id of ours.
    last: i64,
    ended: bool,
}

/// A request without an answer.
struct Open {
    /// The client's id.
    id: Value,
    /// How long its line was.
    bytes: usize,
}

impl Transport {
    pub(crate) fn new(lines: mpsc::Receiver<Line>, output: Output, stop: CancellationToken) -> Self {
        Self { lines, output, stop, open: HashMap::new(), last: 0, ended: false }
    }

    /// Nothing more is read until something is answered or taken.
    fn is_full(&self) -> bool {
        let bytes: usize = self.open.values().map(|it| it.bytes).sum();
        OPEN_MAX <= self.open.len() || OPEN_BYTES_MAX <= bytes || WAITING_BYTES_MAX <= self.output.waiting()
    }

    /// What the SDK gets of a line; what it does not get is answered here.
    fn take(&mut self, line: &Line) -> Option<ClientJsonRpcMessage> {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => {
                let why = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                self.answer(&frame::error_of(&Value::Null, INVALID_REQUEST, &why));
                return None;
            }
        };
        match frame::read(bytes) {
            Frame::Empty => None,
            Frame::Refused(answer) => {
                self.answer(&answer);
                None
            }
            Frame::Other(message) => frame::typed(message),
            Frame::Cancelled { id, message } => self.cancelled(&id, message),
            Frame::Request { id, message } => self.request(id, message, bytes.len()),
        }
    }

    fn request(&mut self, id: Value, mut message: Value, bytes: usize) -> Option<ClientJsonRpcMessage> {
        if self.open.values().any(|it| it.id == id) {
            let why = "a request with this id is not answered yet";
            self.answer(&frame::error_of(&id, INVALID_REQUEST, why));
            return None;
        }
        // The SDK takes what it cannot read for a method that it does not know, or for nothing.
        if !frame::has_parameters(&message) {
            self.answer(&frame::error_of(
                &id,
                INVALID_PARAMS,
                "`params` has to be an object, and its `cursor` a text",
            ));
            return None;
        }
        self.last += 1;
        message["id"] = self.last.into();
        let Some(typed) = frame::typed(message) else {
            self.answer(&frame::error_of(
                &id,
                INVALID_PARAMS,
                "the parameters are not what the method takes",
            ));
            return None;
        };
        self.open.insert(self.last, Open { id, bytes });
        Some(typed)
    }

    /// A cancelled request gets no answer. One that is not open was answered already, which clients do all the time.
    fn cancelled(&mut self, id: &Value, mut message: Value) -> Option<ClientJsonRpcMessage> {
        let ours = self.open.iter().find(|(_, it)| it.id == *id).map(|(ours, _)| *ours)?;
        self.open.remove(&ours);
        message["params"]["requestId"] = ours.into();
        frame::typed(message)
    }

    fn answer(&self, message: &Value) {
        self.output.give(message.to_string().into_bytes());
    }

    /// What goes out of a message of the SDK, with the client's id; `None`: nobody waits for it any more.
    fn outgoing(&mut self, message: &ServerJsonRpcMessage) -> Option<Value> {
        let mut value = serde_json::to_value(message).ok()?;
        match message {
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_) => {
                let open = self.open.remove(&value.get("id")?.as_i64()?)?;
                value["id"] = open.id;
            }
            ServerJsonRpcMessage::Notification(_) if PROGRESS_BYTES_MAX <= self.output.waiting() => {
                return None;
            }
            ServerJsonRpcMessage::Notification(_) | ServerJsonRpcMessage::Request(_) => {}
        }
        Some(value)
    }
}

impl rmcp::transport::Transport<RoleServer> for Transport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let Some(value) = self.outgoing(&message) {
            self.answer(&value);
        }
        // Written in the order in which they come here; who waited for the client would hold up the calls.
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.output.is_broken() {
                self.stop.cancel();
                return None;
            }
            let may_read = !self.ended && !self.is_full();
            if self.ended && self.open.is_empty() {
                return None;
            }
            let line = tokio::select! {
                line = self.lines.recv(), if may_read => line,
                // Otherwise the SDK asks again when it has sent something.
                () = self.output.moved() => continue,
            };
            match line {
                None => self.ended = true,
                Some(line) => {
                    if let Some(message) = self.take(&line) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close();
        Ok(())
    }
}
