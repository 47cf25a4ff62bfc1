//! One line as a message of JSON-RPC 2.0: what the SDK may see of it, and what is answered without it.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

/// The line is no JSON.
const PARSE_ERROR: i64 = -32700;
/// It is JSON and no message.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// The parameters are not what the method takes.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// What a line is.
#[derive(Debug, PartialEq)]
pub(crate) enum Frame {
    /// A request; the client's id stands in the value.
    Request {
        /// A text or a whole number.
        id: Value,
        /// All of it.
        message: Value,
    },
    /// The client does not wait for an answer any more.
    Cancelled {
        /// Of which request.
        id: Value,
        /// All of it.
        message: Value,
    },
    /// A notification, or an answer to what we never ask.
    Other(Value),
    /// It cannot be taken; this is the answer.
    Refused(Value),
    /// Nothing stands in it.
    Empty,
}

/// Reads a line.
pub(crate) fn read(line: &[u8]) -> Frame {
    // A byte order mark is no JSON, and some writers begin with one.
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Frame::Empty;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            return Frame::Refused(error_of(&Value::Null, PARSE_ERROR, &format!("no JSON: {error}")));
        }
    };
    let refused = |id: &Value, why: &str| Frame::Refused(error_of(id, INVALID_REQUEST, why));
    let Value::Object(members) = &message else {
        let why =
            if message.is_array() { "batches are not taken; send one message a line" } else { "no object" };
        return refused(&Value::Null, why);
    };
    let id = members.get("id");
    // Who asks wants to know which question it was, as far as that can be told.
    let known = id.filter(|id| id.is_number() || id.is_string()).unwrap_or(&Value::Null);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(known, "`jsonrpc` has to be \"2.0\"");
    }
    let Some(method) = members.get("method") else {
        let is_answer = members.contains_key("result") || members.contains_key("error");
        return if is_answer { Frame::Other(message) } else { refused(known, "`method` is missing") };
    };
    let Some(method) = method.as_str() else { return refused(known, "`method` has to be a text") };
    match id {
        None if method == "notifications/cancelled" => {
            match members.get("params").and_then(|params| params.get("requestId")).cloned() {
                Some(id) => Frame::Cancelled { id, message },
                None => Frame::Other(message),
            }
        }
        None => Frame::Other(message),
        Some(id) if is_id(id) => Frame::Request { id: id.clone(), message },
        Some(_) => refused(known, "`id` has to be a text or a whole number"),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64() || id.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Whether the parameters of a request are some, or none are there.
pub(crate) fn has_parameters(message: &Value) -> bool {
    match message.get("params") {
        None | Some(Value::Null) => true,
        Some(Value::Object(members)) => members.get("cursor").is_none_or(|it| it.is_string() || it.is_null()),
        Some(_) => false,
    }
}

/// As the SDK sees a message. `None`: it knows no such message.
pub(crate) fn typed(message: Value) -> Option<ClientJsonRpcMessage> {
    serde_json::from_value(message).ok()
}

/// An answer that says what is wrong.
pub(crate) fn error_of(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
