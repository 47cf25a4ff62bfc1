//! Transcripts of Claude Code: one line -> what was said and done.
//!
//! Most lines of a transcript are no messages, and new kinds appear with every version: what is not understood says
//! nothing, and only a line that is no JSON is damaged. A message that was streamed in parts, or a session that was
//! resumed or copied, stands there more than once, with the same ids; who assembles the lines looks after that.

mod wire;

use std::borrow::Cow;

use hostler_model::{Action, Outcome, ToolCall};
use memchr::memmem;

use self::wire::{Block, Content, ToolResult, Wire};
use super::read;
use crate::loose;
use crate::tools;
use crate::transcript::{Entry, Item, Line, Meta, Notice, time_ms};

/// Places at which a damaged line is read again.
const ATTEMPTS_MAX: usize = 16;

/// Reads one line, without its line end.
pub fn line(line: &[u8]) -> Line {
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    // A crash of the machine leaves zeros where a line was to be.
    let start = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(start, |at| at + 1);
    let line = line.get(start..end).unwrap_or_default();
    if !may_matter(line) {
        let whole = line.starts_with(b"{") && line.ends_with(b"}");
        return if whole { Line::PassedOver } else { Line::Damaged(Vec::new()) };
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => return Line::Damaged(saved(&String::from_utf8_lossy(line))),
    };
    match parse(&text) {
        Some(wire) => entry(wire).map_or(Line::PassedOver, |entry| Line::Entry(Box::new(entry))),
        None => without_half_pairs(&text).unwrap_or_else(|| Line::Damaged(saved(&text))),
    }
}

/// A look at the bytes that is far cheaper than reading them: inside a JSON string the quotes would be escaped.
fn may_matter(line: &[u8]) -> bool {
    memmem::find(line, b"\"assistant\"").is_some() || memmem::find(line, b"\"user\"").is_some()
}

fn parse(text: &str) -> Option<Wire<'_>> {
    serde_json::from_str(text).ok()
}

/// The client's own runtime writes and reads half a surrogate pair, where it cut a text; the parser here does not.
fn without_half_pairs(text: &str) -> Option<Line> {
    let Cow::Owned(text) = read::replace_lone_surrogates(text) else { return None };
    let wire = parse(&text)?;
    Some(entry(wire).map_or(Line::PassedOver, |entry| Line::Entry(Box::new(entry))))
}

/// Whole messages inside a damaged line: two processes wrote at once, or a line end is missing.
fn saved(text: &str) -> Vec<Entry> {
    let marks: [&str; 3] = ["{\"parentUuid\":", "{\"type\":\"user\"", "{\"type\":\"assistant\""];
    let mut found = Vec::new();
    let mut at = 0;
    for _ in 0..ATTEMPTS_MAX {
        let Some(rest) = text.get(at..) else { break };
        // The beginning, and the end of what could be read, are where one may begin whatever it begins with.
        let next = marks.iter().filter_map(|mark| memmem::find(rest.as_bytes(), mark.as_bytes())).min();
        let here = rest.starts_with('{').then_some(0);
        let Some(start) = here.or(next) else { break };
        let Some(candidate) = rest.get(start..) else { break };
        let mut deserializer = serde_json::Deserializer::from_str(candidate).into_iter::<Wire<'_>>();
        match deserializer.next() {
            Some(Ok(wire)) => {
                at += start + deserializer.byte_offset();
                // Messages inside other lines (a subagent's progress) have no session.
                found.extend(entry(wire).filter(|entry| entry.meta.session.is_some()));
            }
            _ => at += start + 1,
        }
    }
    found
}

fn entry(wire: Wire<'_>) -> Option<Entry> {
    let items = match wire.kind.as_str() {
        "assistant" => assistant(&wire),
        "user" => user(&wire),
        _ => return None,
    };
    let sidechain = wire.sidechain.0;
    let text = |value: loose::Text<'_>| value.0.map(Cow::into_owned).filter(|text| !text.is_empty());
    let meta = Meta {
        at_ms: time_ms(wire.timestamp.as_str()),
        id: text(wire.uuid),
        parent: text(wire.parent),
        session: text(wire.session),
        copied_from: wire.forked_from.0.and_then(|it| text(it.session)),
        cwd: text(wire.cwd),
        branch: text(wire.branch),
        version: text(wire.version),
        sidechain,
        agent: text(wire.agent),
    };
    Some(Entry { meta, items })
}

fn assistant(wire: &Wire<'_>) -> Vec<Item> {
    let Some(message) = &wire.message.0 else { return Vec::new() };
    // What the client says in the agent's place: a failed request, "No response requested.".
    if wire.api_error.0 || message.model.as_str() == "<synthetic>" {
        return Vec::new();
    }
    let said = |text: &str| Item::Text { text: text.to_owned(), message: message.id.owned() };
    match &message.content {
        Content::None => Vec::new(),
        Content::Text(text) => vec![said(text)],
        Content::Blocks(blocks) => {
            let mut items = Vec::new();
            for block in blocks {
                match block.kind.as_str() {
                    "text" if !block.text.as_str().trim().is_empty() => items.push(said(block.text.as_str())),
                    "tool_use" | "server_tool_use" => items.extend(used(block)),
                    // What the service itself ran (a web search) stands in the same message.
                    kind if kind.ends_with("_tool_result") && block.tool_use_id.0.is_some() => {
                        let outcome = Outcome { ok: true, ..Outcome::default() };
                        items.push(Item::Result { call: block.tool_use_id.owned(), outcome });
                    }
                    _ => {}
                }
            }
            items
        }
    }
}

fn used(block: &Block<'_>) -> Option<Item> {
    let name = block.name.0.as_deref()?;
    let call = tools::tool_call(name, &block.input, block.id.0.as_deref());
    Some(Item::Call { call, by_user: false })
}

fn user(wire: &Wire<'_>) -> Vec<Item> {
    let Some(message) = &wire.message.0 else { return Vec::new() };
    let text = match &message.content {
        Content::None => return Vec::new(),
        Content::Text(text) => Cow::Borrowed(text.as_ref()),
        Content::Blocks(blocks) => {
            let results: Vec<Item> = blocks.iter().filter_map(|block| result(wire, block, blocks)).collect();
            let texts: Vec<&str> = blocks
                .iter()
                .filter(|block| block.kind.as_str() == "text")
                .map(|block| block.text.as_str())
                .collect();
            if !results.is_empty() {
                let interrupted = texts.iter().any(|text| is_interruption(text));
                return results.into_iter().chain(interrupted.then_some(INTERRUPTED)).collect();
            }
            match texts.as_slice() {
                [] if blocks.iter().any(|block| block.kind.as_str() == "image") => Cow::Borrowed("[image]"),
                [text] => Cow::Borrowed(*text),
                texts => Cow::Owned(texts.join("\n")),
            }
        }
    };
    if wire.compact_summary.0 {
        return vec![Item::Notice(Notice::Compacted)];
    }
    if text.starts_with("Stop hook feedback") {
        return vec![Item::Notice(Notice::Continued)];
    }
    if wire.meta.0 || wire.transcript_only.0 {
        return Vec::new();
    }
    typed(&text)
}

const INTERRUPTED: Item = Item::Notice(Notice::Interrupted);

fn is_interruption(text: &str) -> bool {
    text.starts_with("[Request interrupted by user")
}

/// What the client says about its own commands.
const LOCAL: [&str; 3] =
    ["<local-command-", "<command-message>", "Caveat: The messages below were generated by the user"];
/// What makes the agent go on without a person.
const RESUMED: [&str; 4] =
    ["<task-notification", "<teammate-message", "<background-task", "<agent-notification"];

/// Words that stand where a prompt would: most are a person's, some are the client's.
fn typed(text: &str) -> Vec<Item> {
    let text = without_reminders(text);
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    if is_interruption(text) {
        return vec![INTERRUPTED];
    }
    if let Some(command) = tagged(text, "bash-input") {
        let action = Action::Shell { command: command.to_owned() };
        let input = read::canonical(&serde_json::json!({ "command": command }));
        let call = ToolCall { id: None, tool: "Bash".to_owned(), action, input };
        return vec![Item::Call { call, by_user: true }];
    }
    if let Some(stdout) = tagged(text, "bash-stdout") {
        let stderr = tagged(text, "bash-stderr").unwrap_or_default();
        let output = if stderr.is_empty() { stdout.to_owned() } else { format!("{stdout}\n{stderr}") };
        return vec![Item::Result {
            call: None,
            outcome: Outcome { ok: true, output, ..Outcome::default() },
        }];
    }
    if let Some(name) = tagged(text, "command-name") {
        let arguments = tagged(text, "command-args").unwrap_or_default();
        return vec![Item::Prompt { text: format!("{name} {arguments}").trim().to_owned() }];
    }
    if LOCAL.iter().any(|start| text.starts_with(start)) {
        return Vec::new();
    }
    if RESUMED.iter().any(|start| text.starts_with(start)) {
        return vec![Item::Notice(Notice::Resumed)];
    }
    vec![Item::Prompt { text: text.to_owned() }]
}

fn without_reminders(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut text = Cow::Borrowed(text);
    while let Some(start) = text.find(OPEN) {
        let end = text
            .get(start..)
            .and_then(|rest| rest.find(CLOSE))
            .map_or(text.len(), |at| start + at + CLOSE.len());
        let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
        text = Cow::Owned(format!("{before}{after}"));
    }
    text
}

fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let rest = text.split_once(&format!("<{tag}>"))?.1;
    Some(rest.split_once(&format!("</{tag}>")).map_or(rest, |(inside, _)| inside))
}

fn result(wire: &Wire<'_>, block: &Block<'_>, blocks: &[Block<'_>]) -> Option<Item> {
    if block.kind.as_str() != "tool_result" {
        return None;
    }
    // The structured form is told once for a line; of several results it is not known whose it is.
    let single = blocks.iter().filter(|it| it.kind.as_str() == "tool_result").count() == 1;
    let none = ToolResult::None;
    let structured = if single { &wire.tool_result } else { &none };
    let outcome = outcome(block, structured, wire.denial.0.is_some());
    Some(Item::Result { call: block.tool_use_id.owned(), outcome })
}

fn outcome(block: &Block<'_>, structured: &ToolResult<'_>, denied: bool) -> Outcome {
    let told = block.content.text();
    let failed = block.is_error.0 || told.trim_start().starts_with("<tool_use_error>");
    if failed {
        let text = match told.trim().strip_prefix("<tool_use_error>") {
            Some(inside) => inside.strip_suffix("</tool_use_error>").unwrap_or(inside),
            None => &told,
        };
        let interrupted = text.contains("[Request interrupted by user");
        // The words of who refused need not say so.
        let output = if denied && !interrupted { format!("{REFUSED}{text}") } else { text.to_owned() };
        return Outcome {
            ok: false,
            interrupted,
            exit: exit(text),
            output,
            duration_ms: structured.duration_ms(),
        };
    }
    match structured {
        ToolResult::Fields(fields) => {
            let interrupted = fields.interrupted.0;
            let shell = fields.stdout.0.is_some();
            let finished = !interrupted && !fields.code_meaning.0 && !fields.background.0;
            Outcome {
                ok: !interrupted,
                interrupted,
                exit: (shell && finished).then_some(0),
                output: output(fields, told),
                duration_ms: structured.duration_ms(),
            }
        }
        ToolResult::None => Outcome { ok: true, output: told.into_owned(), ..Outcome::default() },
    }
}

/// Before the words of a refusal.
const REFUSED: &str = "The tool use was rejected: ";

fn output(fields: &wire::Fields<'_>, told: Cow<'_, str>) -> String {
    match (fields.stdout.0.as_deref(), fields.stderr.as_str()) {
        (Some(stdout), "") => return stdout.to_owned(),
        (Some(stdout), stderr) => return format!("{stdout}\n{stderr}"),
        (None, _) => {}
    }
    match fields.file.0.as_ref().and_then(|file| file.content.0.as_deref()) {
        Some(content) => content.to_owned(),
        None => told.into_owned(),
    }
}

/// `Exit code 3` at the beginning, as the client writes it.
fn exit(text: &str) -> Option<i32> {
    let text = text.trim_start();
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '-').next()?.parse().ok()
}

#[cfg(test)]
mod tests;
