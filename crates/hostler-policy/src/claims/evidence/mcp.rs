//! Tools of MCP servers, and tools that this build does not know: what their names tell.

use super::{Deed, FileAct};
use crate::claims::Act;

/// The lower-case words of a name: split at anything that is no letter or digit, and at capitals.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous = ' ';
    for c in name.chars() {
        let boundary = !c.is_alphanumeric()
            || (c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit()));
        if boundary && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// Strings that are looked at in an input.
const STRINGS_MAX: usize = 64;

/// The strings of a JSON text with the key before each; enough to find paths and titles in inputs of unknown tools.
pub(super) fn strings(json: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut key = String::new();
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '"' {
            continue;
        }
        let mut text = String::new();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(c) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.peek() == Some(&':') {
            key = text;
        } else if !key.is_empty() {
            out.push((key.clone(), text));
            if STRINGS_MAX <= out.len() {
                break;
            }
        }
    }
    out
}

/// What a tool's name says that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Create,
    Edit,
    Delete,
    Move,
    Read,
    Search,
    Run,
    Comment,
    Send,
    Deploy,
    Publish,
    Merge,
    Push,
    Commit,
    Branch,
    Verify,
    Link,
    Close,
    Think,
    Unknown,
}

fn verb(words: &[String]) -> Verb {
    for word in words {
        let found = match word.as_str() {
            "create" | "write" | "add" | "new" | "insert" | "make" | "generate" | "save" | "open" | "put"
            | "init" => Verb::Create,
            "update" | "edit" | "modify" | "replace" | "patch" | "set" | "append" | "rename" | "change"
            | "upsert" | "apply" | "format" | "assign" => Verb::Edit,
            "delete" | "remove" | "drop" | "clear" => Verb::Delete,
            "move" | "copy" | "transfer" => Verb::Move,
            "read" | "get" | "fetch" | "view" | "show" | "describe" | "open_file" | "load" | "retrieve"
            | "download" | "query" | "inspect" | "resolve" | "select" | "crawl" | "scrape" | "extract"
            | "lookup" | "explain" | "diff" | "logs" | "status" | "info" | "docs" | "browse" => Verb::Read,
            "list" | "search" | "find" | "ls" | "tree" | "glob" | "grep" | "count" | "check" => Verb::Search,
            "run" | "execute" | "exec" | "invoke" | "call" | "start" | "trigger" | "eval" | "evaluate" => {
                Verb::Run
            }
            "comment" | "reply" | "review" | "post" | "message" => Verb::Comment,
            "send" | "notify" | "upload" | "email" | "publish_message" => Verb::Send,
            "deploy" | "rollout" => Verb::Deploy,
            "publish" | "release" => Verb::Publish,
            "merge" => Verb::Merge,
            "push" => Verb::Push,
            "commit" => Verb::Commit,
            "branch" => Verb::Branch,
            "navigate" | "click" | "screenshot" | "snapshot" | "hover" | "type" | "fill" | "press"
            | "goto" | "wait" | "console" => Verb::Verify,
            "link" | "attach" | "connect" => Verb::Link,
            "close" | "resolve_issue" | "complete" | "archive" | "transition" => Verb::Close,
            "think" | "thinking" | "thought" | "thoughts" | "sequentialthinking" | "plan" | "todo"
            | "ask" => Verb::Think,
            _ => continue,
        };
        return found;
    }
    Verb::Unknown
}

/// The acts that a name and the strings of the call tell.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    pub(super) files: Vec<FileAct>,
    pub(super) deeds: Vec<Deed>,
    pub(super) opaque: bool,
    /// It only reads.
    pub(super) reads: bool,
}

pub(super) fn meaning(tool: &str, strings: &[(String, String)]) -> Meaning {
    let words = words_of(tool);
    let verb = verb(&words);
    let mut out = Meaning::default();
    let about = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let folder = about(&["directory", "folder", "tree", "dir"]);
    let mut add = |act: Act, object: &str| out.deeds.push(Deed { act, object: object.to_owned() });
    let title = strings
        .iter()
        .find(|(key, _)| {
            let last = key.rsplit(['.', '[']).next().unwrap_or(key);
            matches!(
                last,
                "title"
                    | "name"
                    | "branch"
                    | "repo"
                    | "issue"
                    | "key"
                    | "id"
                    | "url"
                    | "channel"
                    | "query"
                    | "subject"
                    | "service"
                    | "project"
                    | "command"
                    | "tag"
            )
        })
        .map_or("", |(_, value)| super::text::head(value, 120));
    match verb {
        Verb::Create if about(&["issue", "ticket", "bug", "task", "story"]) && !about(&["comment"]) => {
            add(Act::OpenIssue, title);
        }
        Verb::Create
            if about(&["pull", "pr", "mr"])
                && about(&["request", "pr", "mr"])
                && !about(&["comment", "review"]) =>
        {
            add(Act::OpenPullRequest, title);
        }
        _ if about(&["comment", "reply", "review"])
            && !matches!(verb, Verb::Read | Verb::Search | Verb::Delete) =>
        {
            add(Act::Comment, title);
        }
        Verb::Create if about(&["branch"]) => add(Act::Branch, title),
        Verb::Create if about(&["release"]) => add(Act::Publish, title),
        Verb::Create if about(&["tag"]) => add(Act::Tag, title),
        Verb::Create if about(&["message"]) => add(Act::Send, title),
        Verb::Create => add(Act::Create, title),
        Verb::Edit | Verb::Link | Verb::Close => add(Act::Edit, title),
        Verb::Delete => add(Act::Delete, title),
        Verb::Move => add(Act::Move, title),
        Verb::Read => {
            add(Act::Read, title);
            if strings.iter().any(|(_, value)| value.starts_with("http")) || about(&["fetch", "download"]) {
                add(Act::Fetch, title);
            }
        }
        Verb::Search => add(Act::Search, title),
        Verb::Run => {
            add(Act::Run, title);
            if about(&["test", "tests"]) {
                add(Act::Test, title);
            }
        }
        Verb::Comment => {
            add(Act::Comment, title);
            add(Act::Send, title);
        }
        Verb::Send => {
            add(Act::Send, title);
            if about(&["message"]) {
                add(Act::Comment, title);
            }
        }
        Verb::Deploy => add(Act::Deploy, title),
        Verb::Publish => add(Act::Publish, title),
        Verb::Merge => add(Act::Merge, title),
        Verb::Push => {
            add(Act::Push, title);
            if about(&["files"]) {
                add(Act::Commit, title);
            }
        }
        Verb::Commit => add(Act::Commit, title),
        Verb::Branch => add(Act::Branch, title),
        Verb::Verify => {
            add(Act::Verify, title);
            if about(&["screenshot", "snapshot", "console"]) {
                add(Act::Read, title);
            }
        }
        Verb::Think => {}
        Verb::Unknown => add(Act::Other, title),
    }
    out.reads = matches!(verb, Verb::Read | Verb::Search | Verb::Think | Verb::Verify);
    out.opaque = !out.reads;
    if about(&["restart"]) || about(&["service"]) && verb == Verb::Run {
        out.deeds.push(Deed { act: Act::Service, object: title.to_owned() });
    }
    if about(&["migration", "migrations", "migrate"]) && !out.reads {
        out.deeds.push(Deed { act: Act::Migrate, object: title.to_owned() });
    }
    files(verb, folder, strings, &mut out);
    out
}

fn files(verb: Verb, folder: bool, strings: &[(String, String)], out: &mut Meaning) {
    let act = match verb {
        Verb::Create | Verb::Push => Act::Create,
        Verb::Edit => Act::Edit,
        Verb::Delete => Act::Delete,
        Verb::Move => Act::Move,
        Verb::Read => Act::Read,
        Verb::Search => Act::Search,
        _ => return,
    };
    let mut add = |act: Act, path: &str| {
        let tree = act == Act::Search || (folder && act == Act::Delete);
        out.files.push(FileAct { tree, ..FileAct::new(act, path) });
    };
    for (key, value) in strings {
        let last = key
            .split(['.', '['])
            .rfind(|part| !part.trim_end_matches(']').chars().all(|c| c.is_ascii_digit()))
            .unwrap_or(key)
            .to_lowercase();
        let named = last.ends_with("path")
            || last.ends_with("paths")
            || last.contains("file")
            || matches!(last.as_str(), "source" | "destination" | "uri" | "directory" | "dir" | "folder");
        let pathlike = !value.is_empty()
            && value.len() < 400
            && !value.contains(['\n', '<'])
            && !value.starts_with("http")
            && (value.contains(['/', '.']) || folder);
        let content = ["content", "text", "type", "body"].iter().any(|it| last.contains(it));
        if !named || !pathlike || content {
            continue;
        }
        let value = value.strip_prefix("file://").unwrap_or(value);
        match (act, last.as_str()) {
            (Act::Move, "source" | "from" | "source_path" | "old_path" | "oldpath") => {
                add(Act::Delete, value);
            }
            (Act::Create, _) => {
                add(Act::Create, value);
                if !folder {
                    add(Act::Edit, value);
                }
            }
            _ => add(act, value),
        }
    }
}
