//! A tool call of `OpenCode` -> what it does.

use hostler_model::{Action, ToolCall};
use serde_json::Value;

use super::{Fields, field};
use crate::claude::read::{canonical, collect_strings};
use crate::tools;

/// What tools are called that the host does not bring itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The servers of MCP, as they are configured; `None`: nobody has told.
    pub servers: Option<Vec<String>>,
    /// Our own tools: what they do is done by us.
    pub own: Vec<&'static str>,
}

/// The tools that the host brings, each with the arguments that it reads: what else a call holds does nothing, and must
/// not be mistaken for what does. The first ones have to be text.
const TOOLS: &[(&str, &[&str], &[&str])] = &[
    ("apply_patch", &["patchText"], &[]),
    ("bash", &["command"], &["workdir", "timeout", "description"]),
    ("edit", &["filePath", "oldString", "newString"], &["replaceAll"]),
    ("glob", &["pattern"], &["path"]),
    ("grep", &["pattern"], &["path", "include"]),
    ("list", &[], &["path", "ignore"]),
    ("read", &["filePath"], &["offset", "limit"]),
    ("task", &["prompt"], &["description", "subagent_type", "task_id", "command"]),
    ("webfetch", &["url"], &["format", "timeout"]),
    ("websearch", &["query"], &["numResults", "livecrawl", "type", "contextMaxCharacters"]),
    ("write", &["filePath", "content"], &[]),
];

/// Tools of the host that change nothing in the world.
const PLANS: &[&str] = &["plan_enter", "plan_exit", "question", "todoread", "todowrite"];

/// Tools of the host of which nothing can be judged.
const OTHERS: &[&str] = &[
    "codesearch",
    "invalid",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "lsp",
    "read_mcp_resource",
    "skill",
];

/// The first thing that a call does, and the others; or what is wrong with it.
pub(super) type Read = Result<(ToolCall, Vec<Action>), Box<Malformed>>;

/// A call that the host would refuse.
pub(super) struct Malformed {
    /// The call; what it does is not known.
    pub(super) call: ToolCall,
    /// What is wrong with it, for the agent.
    pub(super) reason: String,
}

/// What a call does: the first thing, and the others. An error is what is wrong with it, for the agent: the host checks
/// the arguments only after the plugin has seen them.
pub(super) fn read(tool: &str, args: &Value, id: Option<&str>, names: &Names) -> Read {
    let call = |action| ToolCall {
        id: id.map(str::to_owned),
        tool: tool.to_owned(),
        action,
        input: canonical(args),
    };
    let malformed = |reason: String| Err(Box::new(Malformed { call: call(Action::Other), reason }));
    if PLANS.contains(&tool) {
        return Ok((call(Action::Plan), Vec::new()));
    }
    if OTHERS.contains(&tool) || names.own.contains(&tool) {
        return Ok((call(Action::Other), Vec::new()));
    }
    let Some((_, texts, others)) = TOOLS.iter().find(|(name, _, _)| *name == tool) else {
        return Ok((call(foreign(tool, args, names)), alike(tool, args, names)));
    };
    let Some(fields) = args.as_object() else {
        return malformed(format!("the arguments of `{tool}` are no JSON object"));
    };
    if let Some(name) = texts.iter().find(|name| !fields.get(**name).is_some_and(Value::is_string)) {
        let what = if fields.contains_key(*name) { "is not text" } else { "is missing" };
        return malformed(format!("the argument `{name}` of `{tool}` {what}; call it again with one"));
    }
    if tool == "bash" && fields.get("workdir").is_some_and(|it| !it.is_string() && !it.is_null()) {
        return malformed("the argument `workdir` of `bash` is not text".to_owned());
    }
    let known = |name: &&String| texts.contains(&name.as_str()) || others.contains(&name.as_str());
    let known: Fields =
        fields.iter().filter(|(name, _)| known(name)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut actions = tools::tool_calls(tool, &Value::Object(known), id).into_iter().map(|call| call.action);
    let first = actions.next().unwrap_or(Action::Other);
    Ok((call(first), actions.collect()))
}

/// A tool of an MCP server, named `<server>_<tool>`, or of another plugin: what it does is not known, its texts are judged.
fn foreign(tool: &str, args: &Value, names: &Names) -> Action {
    let (server, name) = split(tool, names);
    let mut strings = Vec::new();
    match args {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect_strings(key, value, &mut strings));
        }
        other => collect_strings("arguments", other, &mut strings),
    }
    Action::Mcp { server: server.to_owned(), tool: name.to_owned(), strings }
}

/// What a tool does besides that has a familiar name (`Bash`, `shell`, `patch`): one of another plugin or of another version
/// of the host must not be a way around what is said of ours. `batch` makes several calls that no hook sees.
fn alike(tool: &str, args: &Value, names: &Names) -> Vec<Action> {
    if tool.eq_ignore_ascii_case("batch") {
        let calls = args.get("tool_calls").and_then(Value::as_array);
        let inner = |call: &Value| {
            let name = field(call, "tool").unwrap_or_default();
            let parameters = call.get("parameters").unwrap_or(&Value::Null);
            // A part that is malformed is refused by the host.
            let (call, more) = read(name, parameters, None, names).ok()?;
            Some(std::iter::once(call.action).chain(more))
        };
        return calls.into_iter().flatten().filter_map(inner).flatten().collect();
    }
    if tool == "execute" {
        // A program, and no command line.
        return Vec::new();
    }
    let does = |action: &Action| !matches!(action, Action::Other | Action::Plan | Action::Mcp { .. });
    tools::tool_calls(tool, args, None).into_iter().map(|call| call.action).filter(does).collect()
}

/// The host writes names with other characters than letters, digits, `_` and `-` with `_` in their place.
fn split<'a>(tool: &'a str, names: &Names) -> (&'a str, &'a str) {
    let plain = |name: &String| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
    };
    let servers = names.servers.iter().flatten().map(plain);
    let fitting =
        servers.filter(|server| tool.strip_prefix(server.as_str()).is_some_and(|rest| rest.starts_with('_')));
    match fitting.map(|server| server.len()).max() {
        Some(length) => (tool.get(..length).unwrap_or_default(), tool.get(length + 1..).unwrap_or_default()),
        None => tool.split_once('_').unwrap_or(("", tool)),
    }
}

/// The file that the arguments of a reading call name, as a prompt repeats them.
pub(super) fn read_path(args: &Value) -> Option<&str> {
    field(args, "filePath").filter(|path| !path.is_empty())
}
