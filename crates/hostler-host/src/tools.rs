//! Tools of many hosts -> [`Action`]: one table of names, for records that are read after the fact.
//!
//! Lenient where [`claude::read`](crate::claude::read) is strict: nothing is decided by it, so a name or field that
//! is not known here is [`Action::Other`] and never an error.

use hostler_model::{Action, Change, ToolCall};
use serde_json::{Map, Value};

use crate::claude::read;

type Fields = Map<String, Value>;

/// What a family of tools does, whatever its members are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Shell,
    Write,
    Edit,
    Patch,
    Notebook,
    Read,
    Search,
    Delete,
    Delegate,
    Fetch,
    Plan,
    /// One tool with the verb in its input: `view`, `create`, `str_replace`, `insert`, `undo_edit`.
    Editor,
}

/// Names in lower case, without separators and without what comes before the last dot.
const NAMES: &[(Family, &[&str])] = &[
    (
        Family::Shell,
        &[
            "bash",
            "shell",
            "execcommand",
            "exec",
            "execute",
            "executebash",
            "executecommand",
            "executepwsh",
            "localshell",
            "localshellcall",
            "powershell",
            "runcommand",
            "runcommands",
            "runinterminal",
            "runshellcommand",
            "runterminalcmd",
            "runterminalcommand",
            "sh",
            "shellcommand",
            "terminal",
            "unifiedexec",
        ],
    ),
    (
        Family::Write,
        &[
            "write",
            "create",
            "createfile",
            "createnewfile",
            "fswrite",
            "savefile",
            "writefile",
            "writetofile",
        ],
    ),
    (
        Family::Edit,
        &[
            "edit",
            "editfile",
            "editexistingfile",
            "findandreplace",
            "inserteditintofile",
            "insertcontent",
            "multiedit",
            "multireplacestringinfile",
            "multistrreplace",
            "replace",
            "replacefilecontent",
            "replaceinfile",
            "replacestringinfile",
            "searchandreplace",
            "searchreplace",
            "strreplace",
            "updatefile",
        ],
    ),
    (Family::Patch, &["applypatch", "patch", "applydiff"]),
    (Family::Notebook, &["notebookedit", "editnotebook", "editnotebookfile"]),
    (
        Family::Read,
        &[
            "read",
            "cat",
            "fsread",
            "notebookread",
            "openfile",
            "readfile",
            "readfiles",
            "readmanyfiles",
            "readnotebook",
            "view",
            "viewfile",
            "viewimage",
            "viewrange",
        ],
    ),
    (
        Family::Search,
        &[
            "grep",
            "codebasesearch",
            "codesearch",
            "filesearch",
            "find",
            "findbyname",
            "findfiles",
            "glob",
            "globfilesearch",
            "grepsearch",
            "list",
            "listdir",
            "listdirectory",
            "listfiles",
            "ls",
            "ripgrep",
            "searchcode",
            "searchfilecontent",
            "searchfiles",
            "semanticsearch",
            "textsearch",
        ],
    ),
    (Family::Delete, &["deletefile", "removefile"]),
    (
        Family::Delegate,
        &["task", "agent", "spawnagent", "subagent", "newtask", "dispatchagent", "runsubagent"],
    ),
    (
        Family::Fetch,
        &[
            "webfetch",
            "fetch",
            "fetchurl",
            "fetchwebpage",
            "googlewebsearch",
            "readurl",
            "readwebpage",
            "readurlcontent",
            "searchweb",
            "urlfetch",
            "websearch",
            "websearchcall",
        ],
    ),
    (
        Family::Plan,
        &[
            "todowrite",
            "askfollowupquestion",
            "askuser",
            "askuserquestion",
            "attemptcompletion",
            "enterplanmode",
            "exitplanmode",
            "exitspecmode",
            "managetodolist",
            "planenter",
            "planexit",
            "question",
            "requestuserinput",
            "switchmode",
            "taskcreate",
            "taskget",
            "tasklist",
            "taskupdate",
            "think",
            "todo",
            "todoread",
            "updateplan",
            "updatetodolist",
            "writetodos",
        ],
    ),
    (Family::Editor, &["strreplaceeditor", "strreplacebasededittool", "editor", "texteditor"]),
];

const PATHS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "notebookPath",
    "target_file",
    "TargetFile",
    "absolute_path",
    "AbsolutePath",
    "relative_workspace_path",
    "filename",
    "file",
    "filepath",
    "target_notebook",
    "uri",
];
const COMMANDS: &[&str] = &["command", "cmd", "CommandLine", "script", "commands", "code", "input"];
const CONTENTS: &[&str] =
    &["content", "contents", "file_text", "fileText", "CodeContent", "text", "new_source", "newSource"];
const OLD: &[&str] = &["old_string", "oldString", "oldText", "old_str", "oldStr", "search", "find", "old"];
const NEW: &[&str] = &[
    "new_string",
    "newString",
    "newText",
    "new_str",
    "newStr",
    "replace",
    "replacement",
    "new",
    "code_edit",
    "insert_text",
    "diff",
    "content",
];
const ALL: &[&str] = &["replace_all", "replaceAll", "all"];
const EDITS: &[&str] = &["edits", "changes", "replacements", "ReplacementChunks"];
const PATCHES: &[&str] = &["patchText", "patch", "input", "diff", "patch_text"];
const PATTERNS: &[&str] =
    &["pattern", "query", "regex", "Query", "Pattern", "glob", "file_pattern", "search"];
const FOLDERS: &[&str] = &[
    "path",
    "dir_path",
    "directory",
    "DirectoryPath",
    "target_directory",
    "relative_workspace_path",
    "folder",
];
const PROMPTS: &[&str] = &["prompt", "message", "task", "description", "instructions"];
const AGENTS: &[&str] = &["subagent_type", "agent", "agent_type", "agentName", "mode"];
const ADDRESSES: &[&str] = &["url", "Url", "urls", "query", "prompt", "address"];

/// One call of a tool of any host. A patch of several files is the call that changes the first of them;
/// [`tool_calls`] tells them all.
pub fn tool_call(name: &str, input: &Value, id: Option<&str>) -> ToolCall {
    let mut calls = tool_calls(name, input, id);
    calls.swap_remove(0)
}

/// One call of a tool of any host, as one or more calls that each do one thing: a patch of several files is one
/// edit for each. Never empty; the first has the id, the others the id with `#2`, `#3` and so on.
pub fn tool_calls(name: &str, input: &Value, id: Option<&str>) -> Vec<ToolCall> {
    let text = read::canonical(input);
    let mut actions = actions(name, input);
    if actions.is_empty() {
        actions.push(Action::Other);
    }
    let count = actions.len();
    let numbered = |index: usize| match index {
        0 => id.map(str::to_owned),
        _ => id.map(|id| format!("{id}#{}", index + 1)),
    };
    let call = |(index, action): (usize, Action)| ToolCall {
        id: numbered(index),
        tool: name.to_owned(),
        action,
        // The parts of a patch are not the input; the first stands for it.
        input: if index == 0 || count == 1 { text.clone() } else { String::new() },
    };
    actions.into_iter().enumerate().map(call).collect()
}

fn actions(name: &str, input: &Value) -> Vec<Action> {
    if let Ok(call) = read::tool_call(name, input, None)
        && call.action != Action::Other
    {
        return vec![call.action];
    }
    let Some(family) = family(name) else { return Vec::new() };
    let empty = Fields::new();
    let fields = input.as_object().unwrap_or(&empty);
    if family == Family::Patch {
        return patch(fields, input);
    }
    action(family, fields, input).into_iter().collect()
}

fn family(name: &str) -> Option<Family> {
    let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let plain: String =
        last.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).take(64).collect();
    NAMES.iter().find(|(_, names)| names.contains(&plain.as_str())).map(|(family, _)| *family)
}

fn action(family: Family, fields: &Fields, input: &Value) -> Option<Action> {
    let path = || first(fields, PATHS).filter(|path| !path.is_empty());
    let words = |keys: &[&str]| first(fields, keys).unwrap_or_default();
    Some(match family {
        Family::Shell => Action::Shell { command: command(fields, input)? },
        Family::Write => Action::Write { path: path(), content: words(CONTENTS) },
        Family::Edit => Action::Edit { path: path(), changes: changes(fields) },
        Family::Notebook => Action::NotebookEdit { path: path(), source: words(CONTENTS) },
        Family::Read => Action::Read { path: path().or_else(|| several(fields)) },
        Family::Search => Action::Search { path: first(fields, FOLDERS), pattern: words(PATTERNS) },
        // There is no action of its own for it; this is what it does.
        Family::Delete => Action::Shell { command: format!("rm -- {}", quoted(&path()?)) },
        Family::Delegate => Action::Delegate { prompt: words(PROMPTS), agent: words(AGENTS) },
        Family::Fetch => Action::Fetch { address: words(ADDRESSES) },
        Family::Plan => Action::Plan,
        Family::Editor => editor(fields, path())?,
        Family::Patch => return None,
    })
}

fn editor(fields: &Fields, path: Option<String>) -> Option<Action> {
    Some(match first(fields, &["command"])?.as_str() {
        "view" => Action::Read { path },
        "create" | "write" => Action::Write { path, content: first(fields, CONTENTS).unwrap_or_default() },
        "str_replace" | "insert" | "undo_edit" | "edit" => {
            Action::Edit { path, changes: vec![change(fields)] }
        }
        _ => return None,
    })
}

/// A command line: text, or words of which a shell takes the last (`["bash", "-lc", "make"]`).
fn command(fields: &Fields, input: &Value) -> Option<String> {
    if let Value::String(command) = input {
        return Some(command.clone());
    }
    let value = COMMANDS.iter().find_map(|key| fields.get(*key))?;
    let words: Vec<&str> = match value {
        Value::String(command) => return Some(command.clone()),
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    if let [shell, option, script] = words.as_slice()
        && ["bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh"].contains(shell)
        && option.starts_with('-')
        && option.ends_with('c')
    {
        return Some((*script).to_owned());
    }
    (!words.is_empty()).then(|| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte) || !byte.is_ascii();
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn changes(fields: &Fields) -> Vec<Change> {
    let many = EDITS.iter().find_map(|key| fields.get(*key)).and_then(Value::as_array);
    match many {
        Some(edits) => edits.iter().filter_map(Value::as_object).map(change).collect(),
        None => vec![change(fields)],
    }
}

fn change(fields: &Fields) -> Change {
    let words = |keys: &[&str]| first(fields, keys).unwrap_or_default();
    let all = ALL.iter().any(|key| fields.get(*key).and_then(Value::as_bool).unwrap_or_default());
    Change { old: words(OLD), new: words(NEW), all }
}

/// The first file of a list of files.
fn several(fields: &Fields) -> Option<String> {
    let list = ["paths", "file_paths", "files", "operations"].iter().find_map(|key| fields.get(*key))?;
    let one = list.as_array()?.first()?;
    one.as_str().map(str::to_owned).or_else(|| first(one.as_object()?, PATHS))
}

/// A patch in the form of Codex and `OpenCode` (`*** Update File: path`), or a unified difference.
fn patch(fields: &Fields, input: &Value) -> Vec<Action> {
    let text = input.as_str().map(str::to_owned).or_else(|| first(fields, PATCHES)).unwrap_or_default();
    let unified = !text.trim_start().starts_with("*** Begin Patch") && text.contains("\n@@ ");
    let mut actions: Vec<Action> = Vec::new();
    // The file that lines belong to: what is done to it may be told twice, as a change and as a move.
    let mut file = 0;
    for line in text.lines() {
        let edit = |path: &str| Action::Edit { path: Some(path.trim().to_owned()), changes: Vec::new() };
        let (header, path) = match line.strip_prefix("*** ").and_then(|rest| rest.split_once(':')) {
            Some((header, path)) => (header, path.trim()),
            None => ("", ""),
        };
        let begun = match header {
            "Add File" => Some(Action::Write { path: Some(path.to_owned()), content: String::new() }),
            "Update File" => Some(edit(path)),
            "Delete File" => Some(Action::Shell { command: format!("rm -- {}", quoted(path)) }),
            _ if unified => unified_file(line).map(edit),
            _ => None,
        };
        if let Some(action) = begun {
            file = actions.len();
            actions.push(action);
        } else if header == "Move to" {
            actions.push(rename(actions.get(file), path));
        } else if let Some(action) = actions.get_mut(file)
            && !line.starts_with("*** ")
            && !(unified && line.starts_with("--- "))
        {
            grow(action, line);
        }
    }
    if actions.is_empty() {
        let path = first(fields, PATHS);
        actions.extend(path.map(|path| Action::Edit { path: Some(path), changes: vec![change(fields)] }));
    }
    actions
}

/// The file that the second line of a unified difference's head names.
fn unified_file(line: &str) -> Option<&str> {
    let path = line.strip_prefix("+++ ")?;
    let path = path.split('\t').next().unwrap_or(path).trim();
    (path != "/dev/null").then(|| path.strip_prefix("b/").unwrap_or(path))
}

fn rename(from: Option<&Action>, to: &str) -> Action {
    match from {
        Some(Action::Edit { path: Some(from), .. }) => {
            Action::Shell { command: format!("mv -- {} {}", quoted(from), quoted(to)) }
        }
        _ => Action::Edit { path: Some(to.to_owned()), changes: Vec::new() },
    }
}

/// A line of a patch for one file: of a new one all that is added, of an old one each part that changes, with what
/// stands around it.
fn grow(action: &mut Action, line: &str) {
    let (mark, text) = line.split_at_checked(1).unwrap_or(("", ""));
    match action {
        Action::Write { content, .. } if mark == "+" => {
            content.push_str(text);
            content.push('\n');
        }
        Action::Edit { changes, .. } => {
            if line.starts_with("@@") || changes.is_empty() {
                changes.push(Change { old: String::new(), new: String::new(), all: false });
            }
            let Some(change) = changes.last_mut().filter(|_| !line.starts_with("@@")) else { return };
            let (is_old, is_new) = (mark != "+", mark != "-");
            for part in
                [is_old.then_some(&mut change.old), is_new.then_some(&mut change.new)].into_iter().flatten()
            {
                part.push_str(text);
                part.push('\n');
            }
        }
        _ => {}
    }
}

/// The first of `keys` that holds text, or a list of texts.
fn first(fields: &Fields, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match fields.get(*key)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (!texts.is_empty()).then(|| texts.join(" "))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, input: &Value, expected: &Action) {
        let call = tool_call(name, input, Some("call_1"));
        assert_eq!(call.action, *expected, "{name} {input}");
        assert_eq!((call.tool.as_str(), call.id.as_deref()), (name, Some("call_1")));
    }

    fn shell(command: &str) -> Action {
        Action::Shell { command: command.into() }
    }

    fn edit(path: &str, old: &str, new: &str) -> Action {
        let change = Change { old: old.into(), new: new.into(), all: false };
        Action::Edit { path: Some(path.into()), changes: vec![change] }
    }

    #[test]
    fn a_tool_is_what_it_does_whatever_its_host_calls_it() {
        for (name, input) in [
            ("Bash", json!({ "command": "make test" })),
            ("bash", json!({ "command": "make test" })),
            ("Bash", json!({ "cmd": "make test" })),
            ("shell", json!({ "command": ["bash", "-lc", "make test"] })),
            ("functions.exec_command", json!({ "cmd": "make test" })),
            ("run_terminal_cmd", json!({ "command": "make test" })),
            ("local_shell", json!({ "command": ["make", "test"] })),
            ("Execute", json!({ "command": "make test" })),
            ("shell", json!("make test")),
        ] {
            check(name, &input, &shell("make test"));
        }
        check("shell", &json!({ "command": ["echo", "it's"] }), &shell("echo 'it'\\''s'"));
        for (name, input) in [
            ("edit", json!({ "filePath": "a.rs", "oldString": "x", "newString": "y" })),
            ("edit", json!({ "path": "a.rs", "oldText": "x", "newText": "y" })),
            ("edit", json!({ "path": "a.rs", "edits": [{ "oldText": "x", "newText": "y" }] })),
            (
                "MultiEdit",
                json!({ "file_path": "a.rs", "edits": [{ "old_string": "x", "new_string": "y" }] }),
            ),
            (
                "str_replace_editor",
                json!({ "command": "str_replace", "path": "a.rs", "old_str": "x", "new_str": "y" }),
            ),
            ("replace_string_in_file", json!({ "filePath": "a.rs", "oldString": "x", "newString": "y" })),
        ] {
            check(name, &input, &edit("a.rs", "x", "y"));
        }
        let written = Action::Write { path: Some("a.md".into()), content: "hi".into() };
        for (name, input) in [
            ("write", json!({ "filePath": "a.md", "content": "hi" })),
            ("create", json!({ "path": "a.md", "file_text": "hi" })),
            (
                "str_replace_based_edit_tool",
                json!({ "command": "create", "path": "a.md", "file_text": "hi" }),
            ),
            ("write_to_file", json!({ "path": "a.md", "content": "hi" })),
        ] {
            check(name, &input, &written);
        }
        let read = Action::Read { path: Some("a.md".into()) };
        check("read", &json!({ "filePath": "a.md" }), &read);
        check("view", &json!({ "path": "a.md" }), &read);
        check("read_file", &json!({ "target_file": "a.md" }), &read);
        check("str_replace_editor", &json!({ "command": "view", "path": "a.md" }), &read);
        check(
            "list",
            &json!({ "path": "src" }),
            &Action::Search { path: Some("src".into()), pattern: String::new() },
        );
        check("todowrite", &json!({ "todos": [] }), &Action::Plan);
        check(
            "webfetch",
            &json!({ "url": "https://example.com" }),
            &Action::Fetch { address: "https://example.com".into() },
        );
        check(
            "task",
            &json!({ "prompt": "look", "subagent_type": "general" }),
            &Action::Delegate { prompt: "look".into(), agent: "general".into() },
        );
        check("delete_file", &json!({ "target_file": "my file" }), &shell("rm -- 'my file'"));
    }

    #[test]
    fn a_patch_is_one_call_for_each_file() {
        let text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** Add File: b c.txt\n+one\n+two\n*** Delete File: d.txt\n*** Update File: e.txt\n*** Move to: f.txt\n*** End Patch";
        let calls = tool_calls("apply_patch", &json!({ "patchText": text }), Some("call_1"));
        let ids: Vec<_> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        assert_eq!(ids, ["call_1", "call_1#2", "call_1#3", "call_1#4", "call_1#5"]);
        let actions: Vec<Action> = calls.into_iter().map(|call| call.action).collect();
        assert_eq!(actions[0], edit("a.txt", "old\n", "new\n"));
        assert_eq!(actions[1], Action::Write { path: Some("b c.txt".into()), content: "one\ntwo\n".into() });
        assert_eq!(
            actions[2..],
            [
                shell("rm -- d.txt"),
                Action::Edit { path: Some("e.txt".into()), changes: vec![] },
                shell("mv -- e.txt f.txt"),
            ]
        );
        let unified = "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n";
        check("apply_patch", &json!(unified), &edit("x.c", "a\n", "b\n"));
        // Several places of one file, with what stands around them; a moved file keeps its changes.
        let text = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@ def f\n x = 1\n-y = 1\n+y = 2\n\n@@\n+z = 3\n*** End of File\n*** End Patch";
        let calls = tool_calls("apply_patch", &json!({ "patchText": text }), None);
        let change = |old: &str, new: &str| Change { old: old.into(), new: new.into(), all: false };
        assert_eq!(
            calls.into_iter().map(|call| call.action).collect::<Vec<_>>(),
            [
                Action::Edit {
                    path: Some("a.py".into()),
                    changes: vec![change("x = 1\ny = 1\n\n", "x = 1\ny = 2\n\n"), change("", "z = 3\n")],
                },
                shell("mv -- a.py b.py"),
            ]
        );
    }

    #[test]
    fn what_is_not_known_is_other_and_never_an_error() {
        for (name, input) in [
            ("moon", json!({ "command": "x" })),
            ("", json!(null)),
            ("bash", json!({})),
            ("Bash", json!({ "command": 5 })),
            ("Bash", json!([])),
            ("apply_patch", json!({})),
            ("str_replace_editor", json!({ "command": "dance" })),
            ("delete_file", json!(7)),
        ] {
            check(name, &input, &Action::Other);
        }
        assert!(matches!(
            tool_call("mcp__tracker__create", &json!({ "title": "x" }), None).action,
            Action::Mcp { server, tool, .. } if server == "tracker" && tool == "create"
        ));
    }
}
