//! Any bytes on stdin: an event or an error, and a reply that is one JSON object, or nothing.
#![no_main]

use hostler_host::claude::read::{event_name_hint, read};
use hostler_host::claude::write::{write, write_for};
use hostler_host::reply::Reply;
use hostler_model::Host;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|payload: &[u8]| {
    let message = || Some(String::from_utf8_lossy(payload).into_owned());
    let reply = Reply { message: message(), ..Reply::default() };
    let (name, text) = match read(payload) {
        Ok(event) => (event.name.clone(), write(&event, &reply)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let name = event_name_hint(payload).unwrap_or("PreToolUse");
            (name.to_owned(), write_for(Host::ClaudeCode, name, &reply))
        }
    };
    // Where the client takes stdout for text, silence is the answer.
    if text.is_empty() && name != "PreToolUse" {
        return;
    }
    let document: serde_json::Value = serde_json::from_str(&text).expect("a reply is JSON");
    assert!(document.is_object());
});
