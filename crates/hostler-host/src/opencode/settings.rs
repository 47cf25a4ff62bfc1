//! Our MCP entry in an `OpenCode` configuration (`opencode.json`, `opencode.jsonc`): pure text edits.
//!
//! The plugin needs no entry: both versions load it from its folder. So the only thing of ours in a configuration is the
//! server, under `mcp.hostler` (version 1) or `mcp.servers.hostler` (version 2).
//!
//! An entry is ours if its name is `hostler` and its command is a program of that name called with `mcp`. Anything else
//! under that name is the user's, and so is everything in our entry but the program's path: switches, arguments,
//! environment.

use crate::claude::settings::{file_name, parse};
use crate::jsonc::{self, Document, Error, Item, Kind, Ledger, New, Node, Position, Step, Value};

/// The server's name, and thus the prefix of its tools.
pub const SERVER: &str = "hostler";
/// What the binary is called with.
pub const ARGUMENT: &str = "mcp";
/// Where the client says what a configuration may hold. It writes this key itself where it is missing.
const SCHEMA: &str = "https://opencode.ai/config.json";

/// Which of its two shapes a configuration has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// `OpenCode` 1: `plugin`, `agent`, `permission`, `mcp.<name>`.
    One,
    /// `OpenCode` 2: `plugins`, `agents`, `permissions`, `mcp.servers.<name>`.
    Two,
}

impl Flavour {
    /// The number of the version.
    pub const fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// A configuration after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// What to keep for the removal.
    pub ledger: Ledger,
    /// What was done.
    pub outcome: Outcome,
}

/// What became of our entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was written.
    Added,
    /// It is there, and as it should be.
    Unchanged,
    /// An older one was brought up to date.
    Updated,
    /// It was removed.
    Removed,
    /// There is a server of the user's own under our name.
    Others,
    /// There is none.
    Absent,
}

/// Our entry as it stands in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The program.
    pub command: String,
    /// Whether the client starts it.
    pub enabled: bool,
    /// The shape that it has.
    pub flavour: Flavour,
    /// Where it stands.
    pub at: Position,
}

/// A plugin that a configuration lists by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// As it is written: a package, a path, or `-` and the name of one that is switched off.
    pub specifier: String,
    /// Where it stands.
    pub at: Position,
}

/// The text of a configuration that is to hold nothing but our entry.
pub fn new_file() -> String {
    format!("{{\n  \"$schema\": \"{SCHEMA}\"\n}}\n")
}

/// The shape of `text`, if anything in it tells.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn flavour(text: &str) -> Result<Option<Flavour>, Error> {
    let document = parse(text)?;
    let has = |keys: &[&str]| keys.iter().any(|key| document.get(&document.root, key).is_some());
    let servers = document.get(&document.root, "mcp").map_or(&[][..], Node::items);
    let named = |name: &str| {
        servers.iter().find(|it| it.key.as_ref().is_some_and(|key| document.string(key) == name))
    };
    // A server that somebody called `servers` is a server.
    let grouped = named("servers").is_some_and(|it| !is_server(&document, &it.value));
    if has(&["plugins", "agents", "permissions", "providers"]) || grouped {
        return Ok(Some(Flavour::Two));
    }
    let direct = servers.iter().any(|it| is_server(&document, &it.value));
    let one = has(&["plugin", "agent", "permission", "provider"]) || direct;
    Ok(one.then_some(Flavour::One))
}

/// Makes the configuration hold our entry, or brings one of an older version up to date. `enabled` is what the user said
/// about the client starting it; where nothing was said an entry that is there stays as it is, and a new one is off: the
/// plugin offers the same tools, and two of each are one too many.
///
/// # Errors
/// The text is not valid JSON with comments, is a template or has conflict markers; a key on the way to the entry has the
/// wrong type or occurs twice.
pub fn register(
    text: &str,
    ledger: &Ledger,
    command: &str,
    flavour: Flavour,
    enabled: Option<bool>,
) -> Result<Edited, Error> {
    let mut edited = Edited { text: text.to_owned(), ledger: ledger.clone(), outcome: Outcome::Unchanged };
    let document = parse(text)?;
    if let Some(found) = found(&document) {
        if !found.ours {
            edited.outcome = Outcome::Others;
            return Ok(edited);
        }
        let path = found.path();
        let argv = [path.as_slice(), &[Step::Key("command"), Step::Index(0)]].concat();
        edited.text = jsonc::replace(text, &argv, &command.into())?;
        if let Some(wanted) = enabled {
            edited.text = switched(&edited, &found, wanted)?;
        }
        if edited.text != text {
            edited.outcome = Outcome::Updated;
        }
        return Ok(edited);
    }
    let entry = entry(command, flavour, enabled.unwrap_or(false));
    let parents: &[&str] = if flavour == Flavour::One { &["mcp"] } else { &["mcp", "servers"] };
    let inserted = jsonc::insert(text, parents, New::Member(SERVER, &entry))?;
    edited.text = inserted.text;
    edited.ledger.note(inserted.containers);
    edited.outcome = Outcome::Added;
    Ok(edited)
}

/// Removes our entry. With the ledger of the insertion the rest is as it was before; without one, containers that become
/// empty go too.
///
/// # Errors
/// As [`register`].
pub fn unregister(text: &str, ledger: Option<&Ledger>) -> Result<Edited, Error> {
    let document = parse(text)?;
    let container = |keys: &[&str]| jsonc::Container {
        path: keys.iter().map(|&it| it.to_owned()).collect(),
        empty_inner: None,
    };
    let assumed = || Ledger { containers: vec![container(&["mcp"]), container(&["mcp", "servers"])] };
    let ledger = ledger.cloned().unwrap_or_else(assumed);
    let mut edited = Edited { text: text.to_owned(), ledger, outcome: Outcome::Absent };
    if let Some(found) = found(&document) {
        edited.outcome = if found.ours { Outcome::Removed } else { Outcome::Others };
        if found.ours {
            edited.text = jsonc::remove(text, &found.path(), &edited.ledger)?;
        }
    }
    Ok(edited)
}

/// Our entry in `text`.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn registered(text: &str) -> Result<Option<Registered>, Error> {
    let document = parse(text)?;
    let Some(found) = found(&document).filter(|it| it.ours) else { return Ok(None) };
    let word = |index: usize| {
        let command = document.get(found.node, "command")?;
        document.as_str(&command.items().get(index)?.value)
    };
    Ok(Some(Registered {
        command: word(0).unwrap_or_default(),
        enabled: is_enabled(&document, found.node),
        flavour: found.flavour,
        at: document.position(found.start),
    }))
}

/// The plugins that the configuration lists by itself, under the key of either version.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn listed(text: &str) -> Result<Vec<Listed>, Error> {
    let document = parse(text)?;
    let lists = ["plugin", "plugins"].into_iter().filter_map(|key| document.get(&document.root, key));
    let items = lists.flat_map(Node::items).filter_map(|item| {
        // `[specifier, options]` in version 1, `{package, options}` in version 2.
        let specifier = match &item.value.kind {
            Kind::Array(parts) => document.as_str(&parts.first()?.value),
            Kind::Object(_) => document.as_str(document.get(&item.value, "package")?),
            _ => document.as_str(&item.value),
        };
        Some(Listed { specifier: specifier?, at: document.position(item.start()) })
    });
    Ok(items.collect())
}

/// The program that a plugin of ours starts, by its text.
pub fn plugin_binary(plugin: &str) -> Option<String> {
    let literal = plugin.lines().find_map(|line| line.strip_prefix("const BINARY: string = "))?;
    serde_json::from_str(literal.trim_end().trim_end_matches(';')).ok()
}

struct Found<'n> {
    node: &'n Node,
    start: usize,
    flavour: Flavour,
    ours: bool,
}

impl Found<'_> {
    fn path(&self) -> Vec<Step<'static>> {
        let keys: &[&str] = match self.flavour {
            Flavour::One => &["mcp", SERVER],
            Flavour::Two => &["mcp", "servers", SERVER],
        };
        keys.iter().map(|key| Step::Key(key)).collect()
    }
}

/// The entry of our name, in either shape.
fn found<'n>(document: &'n Document<'_>) -> Option<Found<'n>> {
    let servers = document.get(&document.root, "mcp")?;
    let grouped = document.get(servers, "servers").filter(|it| !is_server(document, it));
    let places = [(grouped, Flavour::Two), (Some(servers), Flavour::One)];
    places.into_iter().find_map(|(parent, flavour)| {
        let is_named = |it: &&Item| it.key.as_ref().is_some_and(|key| document.string(key) == SERVER);
        let item = parent?.items().iter().find(is_named)?;
        let ours = is_ours(document, &item.value);
        Some(Found { node: &item.value, start: item.start(), flavour, ours })
    })
}

fn is_ours(document: &Document<'_>, node: &Node) -> bool {
    let words = document.get(node, "command").map_or(&[][..], Node::items);
    let word = |index: usize| document.as_str(&words.get(index)?.value);
    word(0).is_some_and(|program| file_name(&program) == "hostler") && word(1).as_deref() == Some(ARGUMENT)
}

fn is_enabled(document: &Document<'_>, node: &Node) -> bool {
    let says = |key, value| {
        document.get(node, key).is_some_and(|it| matches!(it.kind, Kind::Bool(said) if said == value))
    };
    !says("enabled", false) && !says("disabled", true)
}

/// What a server has and a group of servers has not.
fn is_server(document: &Document<'_>, node: &Node) -> bool {
    ["type", "command", "url", "enabled", "disabled"]
        .iter()
        .filter_map(|key| document.get(node, key))
        .any(|value| !matches!(value.kind, Kind::Object(_)))
}

fn entry(command: &str, flavour: Flavour, enabled: bool) -> Value {
    let argv = Value::Array(vec![command.into(), ARGUMENT.into()]);
    let switch = match flavour {
        Flavour::One => ("enabled", Value::Bool(enabled)),
        Flavour::Two => ("disabled", Value::Bool(!enabled)),
    };
    Value::object([("type", "local".into()), ("command", argv), switch])
}

/// The text with our entry switched on or off, in the word that its version reads.
fn switched(edited: &Edited, found: &Found<'_>, enabled: bool) -> Result<String, Error> {
    let document = parse(&edited.text)?;
    let (key, value) = match found.flavour {
        Flavour::One => ("enabled", enabled),
        Flavour::Two => ("disabled", !enabled),
    };
    let path = found.path();
    let keys: Vec<&str> =
        path.iter().filter_map(|it| if let Step::Key(key) = it { Some(*key) } else { None }).collect();
    let node = self::found(&document).map(|it| it.node);
    if node.is_some_and(|node| is_enabled(&document, node) == enabled) {
        return Ok(edited.text.clone());
    }
    if node.is_some_and(|node| document.get(node, key).is_some()) {
        return jsonc::replace(
            &edited.text,
            &[path.as_slice(), &[Step::Key(key)]].concat(),
            &Value::Bool(value),
        );
    }
    Ok(jsonc::insert(&edited.text, &keys, New::Member(key, &Value::Bool(value)))?.text)
}

#[cfg(test)]
mod tests;
