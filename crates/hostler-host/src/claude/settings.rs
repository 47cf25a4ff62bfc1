//! Our entries in a Claude Code settings file: pure text edits.
//!
//! An entry is in exec form (`command` plus `args`): no shell, so no profile that prints, no quoting, no
//! backslash eaten. Each event has one group of its own: an entry inside another tool's group would go
//! when that tool removes its group.
//!
//! An entry of ours is known by its argument vector: a command whose file name is `hostler`, called with
//! exactly `hook claude`. A user's command that merely contains these words is the user's.

use crate::jsonc::{self, Document, Error, Item, Kind, Ledger, New, Node, Position, Step, Value};

/// What the binary is called with.
pub const ARGUMENTS: [&str; 2] = ["hook", "claude"];

/// An event that we register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// The client's name for it.
    pub event: &'static str,
    /// Which tools; nothing for events without a tool.
    pub matcher: Option<&'static str>,
    /// After how many seconds the client kills the hook; see [`TIMEOUT_S`].
    pub timeout_s: i64,
}

const fn event(event: &'static str) -> Registration {
    Registration { event, matcher: None, timeout_s: TIMEOUT_S }
}

const fn tool_event(event: &'static str) -> Registration {
    Registration { matcher: Some("*"), ..self::event(event) }
}

/// The eleven of 34 events that the adapter uses.
///
/// Each registered event costs one process per occurrence, so an event is here only if something would be
/// lost without it. Not here, on purpose: `WorktreeCreate`, since registering it replaces the client's own
/// creation of worktrees; `PostToolBatch`, since a block there ends the turn and its content repeats the
/// single events; `PermissionRequest`, since we never approve; `MessageDisplay`, since it fires per flush;
/// `Notification` and the rest, since no rule reads them.
pub const REGISTRATIONS: [Registration; 11] = [
    event("SessionStart"),
    event("UserPromptSubmit"),
    tool_event("PreToolUse"),
    tool_event("PreSkillShellCommand"),
    tool_event("PostToolUse"),
    tool_event("PostToolUseFailure"),
    Registration { timeout_s: STOP_TIMEOUT_S, ..event("Stop") },
    event("SubagentStart"),
    event("SubagentStop"),
    event("PreCompact"),
    event("SessionEnd"),
];

/// After this many seconds the client kills the hook and lets the call through.
///
/// So it lies far above what a call takes (milliseconds) and above the hook's own deadline, and is still
/// small enough that a hung file system does not look like a hung agent. It is written for each event:
/// without it `SessionEnd` would be cut at 1.5 s and the others would hang for up to 600 s.
pub const TIMEOUT_S: i64 = 10;

/// The same for the end of a turn, at which the tests run that the session changed: as long as they may take, and what
/// the other tools need besides.
pub const STOP_TIMEOUT_S: i64 = 330;

/// A settings text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole text.
    pub text: String,
    /// What to keep for the removal.
    pub ledger: Ledger,
    /// Groups inserted.
    pub added: usize,
    /// Entries of an older version rewritten in place.
    pub replaced: usize,
    /// Entries removed: duplicates, or all of them.
    pub removed: usize,
}

/// How the client starts a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// `command` with `args`: spawned as it is.
    Exec(Vec<String>),
    /// `command` alone: given to the shell.
    Shell,
}

/// An entry of ours in a settings file or a plugin's `hooks.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// Key under `hooks`.
    pub event: String,
    /// The group's matcher.
    pub matcher: Option<String>,
    /// The `command` value.
    pub command: String,
    /// How it is started.
    pub form: Form,
    /// The `timeout` value, seconds.
    pub timeout_s: Option<i64>,
    /// Where the entry stands.
    pub at: Position,
    group: usize,
    entry: usize,
    alone: bool,
}

/// Something about a settings file that its owner should know; nothing was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub at: Position,
    /// What, and what to do.
    pub what: String,
    /// The client ignores the whole file, hooks included.
    pub ignored: bool,
}

/// Makes the file hold exactly one current entry of ours per event of [`REGISTRATIONS`].
///
/// `command` is the absolute path of the binary. `ledger` is what earlier calls returned for this file.
///
/// # Errors
/// The text is not valid JSON with comments, is a template or has conflict markers; `hooks` or one of our
/// events has the wrong type or occurs twice.
pub fn register(text: &str, ledger: &Ledger, command: &str) -> Result<Edited, Error> {
    let mut edited = start(text, ledger)?;
    while let Some(superfluous) = superfluous(&registered(&edited.text)?) {
        edited.take(superfluous)?;
    }
    for registration in &REGISTRATIONS {
        let found = registered(&edited.text)?.into_iter().find(|it| it.event == registration.event);
        match found {
            Some(found) => edited.update(&found, registration, command)?,
            None => edited.add(registration, command)?,
        }
    }
    Ok(edited)
}

/// Removes every entry of ours. With the ledger of the insertions the rest is as it was before them;
/// without one, event lists and a `hooks` object that become empty go too.
///
/// # Errors
/// As [`register`].
pub fn unregister(text: &str, ledger: Option<&Ledger>) -> Result<Edited, Error> {
    let found = start(text, &Ledger::default()).and_then(|it| registered(&it.text))?;
    let assumed = || {
        let mut paths = vec![vec!["hooks".to_owned()]];
        paths.extend(found.iter().map(|it| vec!["hooks".to_owned(), it.event.clone()]));
        let containers = paths.into_iter().map(|path| jsonc::Container { path, empty_inner: None }).collect();
        Ledger { containers }
    };
    let ledger = ledger.cloned().unwrap_or_else(assumed);
    let mut edited = start(text, &ledger)?;
    while let Some(last) = registered(&edited.text)?.last() {
        edited.take(last)?;
    }
    Ok(edited)
}

/// The entries of ours in `text`, in order.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn registered(text: &str) -> Result<Vec<Registered>, Error> {
    registered_as(text, |command| file_name(command) == "hostler")
}

/// As [`registered`], for a file whose entries start something else than the binary itself: `is_ours` sees
/// the `command` value.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn registered_as(text: &str, is_ours: impl Fn(&str) -> bool) -> Result<Vec<Registered>, Error> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let Some(hooks) = document.get(&document.root, "hooks") else { return Ok(found) };
    for event in hooks.items() {
        let Some(key) = &event.key else { continue };
        for (group_index, group) in event.value.items().iter().enumerate() {
            let entries = document.get(&group.value, "hooks").map_or(&[][..], Node::items);
            for (entry_index, entry) in entries.iter().enumerate() {
                let Some((command, form)) = invocation(&document, entry, &is_ours) else { continue };
                let string = |key| document.get(&group.value, key).and_then(|it| document.as_str(it));
                let timeout = document.get(&entry.value, "timeout");
                found.push(Registered {
                    event: document.string(key),
                    matcher: string("matcher"),
                    command,
                    form,
                    timeout_s: timeout.and_then(|it| text[it.range.clone()].parse().ok()),
                    at: document.position(entry.start()),
                    group: group_index,
                    entry: entry_index,
                    alone: entries.len() == 1,
                });
            }
        }
    }
    Ok(found)
}

/// Whether the file switches all hooks off.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn disables_all_hooks(text: &str) -> Result<Option<Position>, Error> {
    let document = parse(text)?;
    let node = document.get(&document.root, "disableAllHooks");
    Ok(node.filter(|it| matches!(it.kind, Kind::Bool(true))).map(|it| document.position(it.range.start)))
}

/// Keys of `enabledPlugins` (`plugin@marketplace`) with their state.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn enabled_plugins(text: &str) -> Result<Vec<(String, bool)>, Error> {
    let document = parse(text)?;
    let plugins = document.get(&document.root, "enabledPlugins").map_or(&[][..], Node::items);
    Ok(plugins
        .iter()
        .filter_map(|it| Some((document.string(it.key.as_ref()?), matches!(it.value.kind, Kind::Bool(true)))))
        .collect())
}

/// The folder of an installed plugin (`plugin@marketplace`), by the client's `installed_plugins.json`.
pub fn plugin_folder(list: &[u8], name: &str) -> Option<String> {
    let list: serde_json::Value = serde_json::from_slice(list).ok()?;
    let entry = &list["plugins"][name];
    // Version 2 of the list has one entry per scope.
    let entry = entry.get(0).unwrap_or(entry);
    Some(entry["installPath"].as_str()?.to_owned())
}

/// What the owner of the file should know.
///
/// # Errors
/// The text is not valid JSON with comments.
pub fn warnings(text: &str) -> Result<Vec<Warning>, Error> {
    let document = parse(text)?;
    let mut found = Vec::new();
    let mut warn = |at, what, ignored| found.push(Warning { at, what, ignored });
    if text.starts_with('\u{feff}') {
        let what = "a byte order mark: kept; Claude Code reads it, other readers may not".to_owned();
        warn(Position { line: 1, column: 1 }, what, false);
    }
    if let Some((at, what)) = document.first_extension() {
        let what = format!(
            "{what}: Claude Code reads strict JSON and ignores the whole file, its hooks included; remove it"
        );
        warn(at, what, true);
    }
    for event in document.get(&document.root, "hooks").map_or(&[][..], Node::items) {
        let Some(key) = &event.key else { continue };
        for (index, group) in event.value.items().iter().enumerate() {
            let is_group =
                document.get(&group.value, "hooks").is_some_and(|hooks| matches!(hooks.kind, Kind::Array(_)));
            if matches!(event.value.kind, Kind::Array(_)) && !is_group {
                let what = format!(
                    "entry {} of `{}` has no `hooks` array, so Claude Code ignores it; kept as it is",
                    index + 1,
                    document.string(key)
                );
                warn(document.position(group.start()), what, false);
            }
        }
    }
    Ok(found)
}

/// Whether a file name is that of a template, whose rendered file is the one to edit.
pub fn is_template_name(name: &str) -> bool {
    const SUFFIXES: [&str; 6] = [".tmpl", ".template", ".j2", ".jinja", ".erb", ".mustache"];
    SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

impl Edited {
    fn add(&mut self, registration: &Registration, command: &str) -> Result<(), Error> {
        let group = group(registration, command);
        let edited = jsonc::insert(&self.text, &["hooks", registration.event], New::Element(&group))?;
        self.text = edited.text;
        self.ledger.note(edited.containers);
        self.added += 1;
        Ok(())
    }

    fn update(
        &mut self,
        found: &Registered,
        registration: &Registration,
        command: &str,
    ) -> Result<(), Error> {
        let path = found.path();
        let text = if found.alone {
            jsonc::replace(&self.text, &path[..3], &group(registration, command))?
        } else {
            // The user moved it into a group of their own, whose matcher is theirs.
            jsonc::replace(&self.text, &path, &entry(registration, command))?
        };
        self.replaced += usize::from(text != self.text);
        self.text = text;
        Ok(())
    }

    fn take(&mut self, found: &Registered) -> Result<(), Error> {
        let path = found.path();
        let path = if found.alone { &path[..3] } else { &path[..] };
        self.text = jsonc::remove(&self.text, path, &self.ledger)?;
        self.removed += 1;
        Ok(())
    }
}

impl Registered {
    /// It is asked before a tool runs.
    pub fn guards_tools(&self) -> bool {
        self.event == "PreToolUse"
    }

    /// It is called for some tools only, of all that its event is about.
    pub fn is_narrow(&self) -> bool {
        let known = REGISTRATIONS.iter().find(|it| it.event == self.event);
        let every = self.matcher.as_deref().is_none_or(|it| matches!(it, "*" | ""));
        known.is_some_and(|it| it.matcher.is_some()) && !every
    }

    fn path(&self) -> [Step<'_>; 5] {
        let (group, entry) = (Step::Index(self.group), Step::Index(self.entry));
        [Step::Key("hooks"), Step::Key(&self.event), group, Step::Key("hooks"), entry]
    }
}

fn entry(registration: &Registration, command: &str) -> Value {
    Value::object([
        ("type", "command".into()),
        ("command", command.into()),
        ("args", Value::Array(ARGUMENTS.map(Value::from).to_vec())),
        ("timeout", Value::Number(registration.timeout_s)),
    ])
}

fn group(registration: &Registration, command: &str) -> Value {
    let hooks = ("hooks".to_owned(), Value::Array(vec![entry(registration, command)]));
    let matcher = registration.matcher.map(|it| ("matcher".to_owned(), it.into()));
    Value::Object(matcher.into_iter().chain([hooks]).collect())
}

/// The last entry that should not be there: a second one of its event, or one of an event that we no
/// longer use. Cutting from the end keeps the places of the others.
fn superfluous(found: &[Registered]) -> Option<&Registered> {
    found.iter().enumerate().rev().find_map(|(index, it)| {
        let known = REGISTRATIONS.iter().any(|known| known.event == it.event);
        let repeated = found[..index].iter().any(|before| before.event == it.event);
        (!known || repeated).then_some(it)
    })
}

fn start(text: &str, ledger: &Ledger) -> Result<Edited, Error> {
    parse(text)?;
    Ok(Edited { text: text.to_owned(), ledger: ledger.clone(), added: 0, replaced: 0, removed: 0 })
}

/// Says what a text that is no JSON probably is.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, Error> {
    Document::parse(text).map_err(|error| {
        let conflict = text.split_inclusive(['\n', '\r']).position(|it| it.starts_with("<<<<<<< "));
        let at = |offset| Position::of(text, offset);
        match error {
            Error::Syntax { .. } if conflict.is_some() => Error::Syntax {
                at: at(text.find("<<<<<<< ").unwrap_or_default()),
                what: "an unresolved merge conflict; resolve it first".to_owned(),
            },
            Error::Syntax { at, what } if text.contains("{{") => Error::Syntax {
                at,
                what: format!("{what}; this looks like a template, edit the rendered file"),
            },
            Error::Syntax { at, what } if text.trim().is_empty() => {
                Error::Syntax { at, what: format!("{what}; write `{{}}` into the empty file or delete it") }
            }
            other => other,
        }
    })
}

/// The command and form of an entry that calls us.
fn invocation(
    document: &Document<'_>,
    entry: &Item,
    is_ours: impl Fn(&str) -> bool,
) -> Option<(String, Form)> {
    let command = document.as_str(document.get(&entry.value, "command")?)?;
    match document.get(&entry.value, "args") {
        Some(args) => {
            let words: Option<Vec<String>> =
                args.items().iter().map(|it| document.as_str(&it.value)).collect();
            let words = words.filter(|words| *words == ARGUMENTS)?;
            is_ours(&command).then_some((command, Form::Exec(words)))
        }
        None => is_ours(shell_program(&command)?).then_some((command, Form::Shell)),
    }
}

/// The program of a shell command that is exactly `program hook claude`, quoted or not.
fn shell_program(command: &str) -> Option<&str> {
    let program = command.trim().strip_suffix("hook claude")?;
    let unquoted = program.strip_suffix([' ', '\t'])?.trim_end();
    let inner = |quote: char| unquoted.strip_prefix(quote)?.strip_suffix(quote);
    let quoted = inner('"').or_else(|| inner('\''));
    let special = |c: char| c.is_whitespace() || "\"'`$;&|<>()\\".contains(c);
    match quoted {
        Some(program) => (!program.contains(['"', '\'', '`'])).then_some(program),
        None => (!unquoted.contains(special)).then_some(unquoted),
    }
}

/// The last part of a program's path, without the suffix of an executable.
pub(crate) fn file_name(command: &str) -> &str {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name.strip_suffix(".exe").unwrap_or(name)
}

#[cfg(test)]
mod tests;
