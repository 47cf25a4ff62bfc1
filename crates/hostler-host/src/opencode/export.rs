//! Exports of sessions (`opencode export`): one document with everything -> what was said and done.
//!
//! The document is read as a stream, message by message. What is not understood says nothing.

use std::fmt;
use std::io::Read;

use hostler_model::{Action, Outcome, ToolCall};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::loose::{Flag, Number, Object, Words};
use crate::tools;
use crate::transcript::{Entry, Item, Meta, Notice};

/// A document that ended or broke before its end. What came before it was told.
#[derive(Debug, thiserror::Error)]
#[error("the export is not whole: {0}")]
pub struct Error(#[from] serde_json::Error);

impl Error {
    /// The document ends before its end; else it is damaged.
    pub fn is_end(&self) -> bool {
        self.0.is_eof()
    }
}

/// The beginning of a file is that of an export.
pub fn is_export(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let rest = text.trim_start_matches('\u{feff}').trim_start();
    let Some(rest) = rest.strip_prefix('{') else { return false };
    ["\"info\"", "\"messages\""].iter().any(|key| rest.trim_start().starts_with(key))
}

/// Reads an export, and tells each message and each tool call in it.
///
/// # Errors
/// When the document is no JSON up to its end.
pub fn read(document: impl Read, tell: &mut dyn FnMut(Entry)) -> Result<(), Error> {
    let mut reader = Reader { tell, session: Info::default(), user_shell: false };
    let mut deserializer = serde_json::Deserializer::from_reader(document);
    Document(&mut reader).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(())
}

struct Reader<'t> {
    tell: &'t mut dyn FnMut(Entry),
    session: Info,
    /// The message before said that the user ran the tool that follows.
    user_shell: bool,
}

/// A session or a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Info {
    id: Words,
    #[serde(rename = "sessionID")]
    session: Words,
    role: Words,
    directory: Words,
    version: Words,
    time: Object<Time>,
    /// The client's own summary of what was before.
    summary: Flag,
    error: Object<Failure>,
    path: Object<Folder>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Time {
    created: Number,
    start: Number,
    end: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Failure {
    name: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Folder {
    cwd: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    info: Object<Info>,
    parts: Parts,
}

#[derive(Debug, Default)]
struct Parts(Vec<Part>);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part {
    #[serde(rename = "type")]
    kind: Words,
    text: Words,
    prompt: Words,
    /// Put there by the client, not by a person.
    synthetic: Flag,
    ignored: Flag,
    tool: Words,
    #[serde(rename = "callID")]
    call: Words,
    state: Object<State>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    status: Words,
    input: Value,
    output: Words,
    error: Words,
    metadata: Object<Metadata>,
    time: Object<Time>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit: Value,
    interrupted: Flag,
}

struct Document<'r, 't>(&'r mut Reader<'t>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `info` and `messages`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            match key.as_str() {
                "info" => self.0.session = fields.next_value::<Object<Info>>()?.0.unwrap_or_default(),
                "messages" => fields.next_value_seed(Messages(self.0))?,
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Messages<'r, 't>(&'r mut Reader<'t>);

impl<'de> DeserializeSeed<'de> for Messages<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Messages<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(Object(message)) = items.next_element::<Object<Message>>()? {
            if let Some(message) = message {
                self.0.message(message);
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Option::<Vec<Object<Part>>>::deserialize(deserializer)?;
        Ok(Self(parts.into_iter().flatten().filter_map(|part| part.0).collect()))
    }
}

/// What the client says of a command that a person ran in its shell.
const USER_SHELL: &str = "The following tool was executed by the user";

impl Reader<'_> {
    fn message(&mut self, message: Message) {
        let Some(info) = message.info.0 else { return };
        let at_ms = info.time.0.as_ref().and_then(|time| signed(time.created.0));
        let meta = Meta {
            id: info.id.owned(),
            session: self.session.id.owned().or_else(|| info.session.owned()),
            cwd: self.session.directory.owned().or_else(|| info.path.0.as_ref()?.cwd.owned()),
            version: self.session.version.owned(),
            at_ms,
            ..Meta::default()
        };
        match info.role.as_str() {
            "user" => self.user(meta, &message.parts.0),
            "assistant" => self.assistant(&meta, &info, message.parts.0),
            _ => {}
        }
    }

    fn user(&mut self, meta: Meta, parts: &[Part]) {
        let said = |synthetic: bool| {
            parts.iter().filter(move |part| {
                part.kind.as_str() == "text" && part.synthetic.0 == synthetic && !part.ignored.0
            })
        };
        self.user_shell = said(true).any(|part| part.text.as_str().starts_with(USER_SHELL));
        let mut texts: Vec<&str> = said(false).map(|part| part.text.as_str()).collect();
        texts.extend(
            parts.iter().filter(|part| part.kind.as_str() == "subtask").map(|part| part.prompt.as_str()),
        );
        let item = if parts.iter().any(|part| part.kind.as_str() == "compaction") {
            Item::Notice(Notice::Compacted)
        } else if !texts.is_empty() {
            Item::Prompt { text: unquoted(&texts.join("\n")) }
        } else if self.user_shell {
            return;
        } else {
            Item::Notice(Notice::Resumed)
        };
        (self.tell)(Entry { meta, items: vec![item] });
    }

    fn assistant(&mut self, meta: &Meta, info: &Info, parts: Vec<Part>) {
        let by_user = std::mem::take(&mut self.user_shell);
        for part in parts {
            match part.kind.as_str() {
                "text" if !info.summary.0 && !part.synthetic.0 && !part.text.as_str().trim().is_empty() => {
                    let text = part.text.as_str().to_owned();
                    let items = vec![Item::Text { text, message: info.id.owned() }];
                    (self.tell)(Entry { meta: meta.clone(), items });
                }
                "tool" => self.tool(meta, part, by_user),
                _ => {}
            }
        }
        if info.error.0.as_ref().is_some_and(|error| error.name.as_str() == "MessageAbortedError") {
            (self.tell)(Entry { meta: meta.clone(), items: vec![Item::Notice(Notice::Interrupted)] });
        }
    }

    fn tool(&mut self, meta: &Meta, part: Part, by_user: bool) {
        let Some(state) = part.state.0 else { return };
        let calls = calls(part.tool.as_str(), &state.input, part.call.0.as_deref());
        let (start, end) = state.time.0.as_ref().map_or((None, None), |time| (time.start.0, time.end.0));
        let at = |time: Option<u64>| Meta { at_ms: signed(time).or(meta.at_ms), ..meta.clone() };
        let ids: Vec<Option<String>> = calls.iter().map(|call| call.id.clone()).collect();
        let items = calls.into_iter().map(|call| Item::Call { call, by_user }).collect();
        (self.tell)(Entry { meta: at(start), items });
        let Some(mut outcome) = outcome(state) else { return };
        outcome.duration_ms = start.zip(end).and_then(|(start, end)| end.checked_sub(start));
        let result = |id: Option<String>| Item::Result { call: id, outcome: outcome.clone() };
        (self.tell)(Entry { meta: at(end), items: ids.into_iter().map(result).collect() });
    }
}

fn signed(milliseconds: Option<u64>) -> Option<i64> {
    milliseconds.and_then(|it| i64::try_from(it).ok())
}

/// A tool that is not known and has a name of two words is one of an MCP server: `<server>_<tool>`.
fn calls(name: &str, input: &Value, id: Option<&str>) -> Vec<ToolCall> {
    let mut calls = tools::tool_calls(name, input, id);
    if let ([call], Some((server, tool))) = (calls.as_mut_slice(), name.split_once('_'))
        && call.action == Action::Other
    {
        let mcp = tools::tool_call(&format!("mcp__{server}__{tool}"), input, id);
        call.action = mcp.action;
    }
    calls
}

/// `None` for a call that never ended.
fn outcome(state: State) -> Option<Outcome> {
    let metadata = state.metadata.0.unwrap_or_default();
    let exit = metadata.exit.as_i64().and_then(|exit| i32::try_from(exit).ok());
    let owned = |text: Words| text.0.unwrap_or_default();
    match state.status.as_str() {
        "completed" => Some(Outcome {
            // The client takes a command that ended with an error for a success, and tells the status.
            ok: exit.is_none_or(|exit| exit == 0) && !metadata.interrupted.0,
            interrupted: metadata.interrupted.0,
            exit,
            output: owned(state.output),
            duration_ms: None,
        }),
        "error" => {
            let output = owned(state.error);
            let interrupted = metadata.interrupted.0 || output.contains("Tool execution aborted");
            Some(Outcome { ok: false, interrupted, exit, output, duration_ms: None })
        }
        _ => None,
    }
}

/// `opencode run` hands a prompt on as a JSON string.
fn unquoted(text: &str) -> String {
    if text.starts_with('"')
        && let Ok(inside) = serde_json::from_str::<String>(text)
    {
        return inside;
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Made of parts that version 1.18.33 was seen to send, in the form of its exports.
    const EXPORT: &str = include_str!("../../../../fixtures/opencode/1.18.33/export.json");

    fn entries(document: &str) -> (Vec<Entry>, bool) {
        let mut entries = Vec::new();
        let whole = read(document.as_bytes(), &mut |entry| entries.push(entry)).is_ok();
        (entries, whole)
    }

    fn outcomes(entries: &[Entry]) -> Vec<(&str, &Outcome)> {
        let items = entries.iter().flat_map(|entry| &entry.items);
        items
            .filter_map(|item| match item {
                Item::Result { call, outcome } => Some((call.as_deref()?, outcome)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn an_export_is_prompts_texts_calls_and_results_in_order() {
        assert!(is_export(EXPORT.as_bytes()));
        let (entries, whole) = entries(EXPORT);
        assert!(whole);
        assert_eq!(entries[0].items, [Item::Prompt { text: "run the tests and fix what fails".into() }]);
        let meta = &entries[0].meta;
        assert_eq!(meta.session.as_deref(), Some("ses_dd41c81fdffe0VrReMA1ZbnVzZ"));
        assert_eq!(meta.cwd.as_deref(), Some("/home/dev/shop"));
        assert_eq!(meta.at_ms, Some(1_796_032_661_133));
        let outcomes = outcomes(&entries);
        let of = |id: &str| outcomes.iter().find(|(it, _)| *it == id).unwrap().1;
        assert_eq!(
            (of("call_1").ok, of("call_1").exit, of("call_1").duration_ms),
            (false, Some(1), Some(900))
        );
        // A patch of two files is two calls with one result each.
        assert!(of("call_2").ok && of("call_2#2").ok);
        assert!(of("call_3").ok);
        assert_eq!((of("call_4").ok, of("call_4").interrupted), (false, true));
        let mcp = entries.iter().flat_map(|entry| &entry.items).find_map(|item| match item {
            Item::Call { call, .. } if call.tool == "tracker_create" => Some(&call.action),
            _ => None,
        });
        assert!(
            matches!(mcp, Some(Action::Mcp { server, tool, .. }) if server == "tracker" && tool == "create")
        );
        let by_user = entries.iter().flat_map(|entry| &entry.items).find_map(|item| match item {
            Item::Call { call, by_user: true } => Some(call.id.as_deref()),
            _ => None,
        });
        assert_eq!(by_user, Some(Some("call_6")));
        let notices: Vec<Notice> = entries
            .iter()
            .flat_map(|entry| &entry.items)
            .filter_map(|item| match item {
                Item::Notice(notice) => Some(*notice),
                _ => None,
            })
            .collect();
        assert_eq!(notices, [Notice::Compacted, Notice::Resumed, Notice::Interrupted]);
    }

    #[test]
    fn a_document_that_breaks_off_tells_what_came_before() {
        let (all, _) = entries(EXPORT);
        for share in 1..20 {
            let end = EXPORT.len() * share / 20;
            let (some, whole) = entries(&EXPORT[..end]);
            assert!(!whole);
            assert_eq!(some, all[..some.len()]);
        }
        for odd in ["", "[]", "7", "{\"messages\":7}", "{\"info\":{}} x"] {
            assert_eq!(entries(odd), (Vec::new(), false), "{odd}");
        }
        let lenient = r#"{"info":[],"messages":[7,{},{"info":{"role":"user"},"parts":[null,{"type":"text","text":"hi"}]},{"info":{"role":"assistant"},"parts":null}],"new":{}}"#;
        let (entries, whole) = entries(lenient);
        assert!(whole);
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].items, [Item::Prompt { text: "hi".into() }]);
    }

    #[test]
    fn only_an_export_looks_like_one() {
        assert!(is_export(b"{\n  \"info\": {"));
        assert!(is_export(b"\xef\xbb\xbf {\"messages\":["));
        for other in ["", "[", "{", r#"{"type":"user"}"#, r#"{"informal":1}"#] {
            assert!(!is_export(other.as_bytes()), "{other}");
        }
    }
}
