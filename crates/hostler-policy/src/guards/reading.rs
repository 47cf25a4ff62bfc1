//! What counts as reading, how much of it is too much, and what to do instead.
//!
//! An agent that opens file after file fills its context with what it does not need; one search would have told it
//! where to look. Both rules over reads are about that: a window for bursts, a budget for the session.

use std::path::Path;

use hostler_model::{Action, Needs, ReadWindow};

use crate::Case;

/// Files that an agent has to read again and again, by name.
const EXEMPT: &[&str] = &["context.json", ".env", "settings.json", "CLAUDE.md", "AGENTS.md"];

/// What the reason tells the agent to do instead of one more read, short enough to be shown whole. The commands of a
/// code graph are examples: they answer where such a graph is kept.
const SEARCH_FIRST: &str = "search first: `git grep -n NAME` shows where a name stands without opening a file; where a \
     code graph is kept, `/code classes PATTERN`, `/code callers NAME`, or in Cypher `cypher-shell \"MATCH \
     (f:File)-[:DEFINES_CLASS]->(c:Class) WHERE c.name CONTAINS 'NAME' RETURN f.path\"`";

/// How much an agent may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLimits {
    /// Length of the window, milliseconds.
    pub window_ms: i64,
    /// Reads that go through in it.
    pub per_window: u64,
    /// Reads that go through in a session.
    pub per_session: u64,
    /// Further file names that never count.
    pub exempt: Vec<String>,
    /// Commands that the reason names first, as what to use instead of a read.
    pub instead: Vec<String>,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { window_ms: 30_000, per_window: 3, per_session: 50, exempt: Vec::new(), instead: Vec::new() }
    }
}

impl ReadLimits {
    fn exempts(&self, path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        EXEMPT.contains(&name) || self.exempt.iter().any(|it| it == name)
    }
}

/// What the read or search in hand is about, as the agent wrote it; `None` for a call that does not count.
pub(super) fn counted<'a>(case: &Case<'a>) -> Option<&'a str> {
    let (shown, path) = match case.action()? {
        Action::Read { path } => (path.as_deref().unwrap_or_default(), path),
        Action::Search { path, pattern } => (pattern.as_str(), path),
        _ => return None,
    };
    let exempt =
        path.as_deref().is_some_and(|path| case.settings.reads.exempts(path) || is_output(path, case));
    (!exempt).then_some(shown)
}

/// What programs write while they run, such as the output of a command in the background: it is read again to see
/// whether it goes on.
pub(super) fn is_output(path: &str, case: &Case<'_>) -> bool {
    let path = hostler_model::lexical::absolute(&case.event.cwd, Path::new(path));
    case.place.temp.iter().any(|temp| path.starts_with(temp)) && !path.starts_with(&case.place.root)
}

/// Asks for the count, where the call counts.
pub(super) fn want(case: &Case<'_>, needs: &mut Needs) {
    if counted(case).is_some() {
        let limits = &case.settings.reads;
        needs.reads = Some(ReadWindow { window_ms: limits.window_ms, per_window: limits.per_window });
    }
}

/// What to do instead.
pub(super) fn instead(case: &Case<'_>) -> String {
    let own: Vec<String> = case.settings.reads.instead.iter().map(|it| format!("`{it}`")).collect();
    if own.is_empty() {
        SEARCH_FIRST.to_owned()
    } else {
        format!("use {}; or {SEARCH_FIRST}", own.join(", "))
    }
}

/// The name of what is read in a sentence, shortened.
pub(super) fn shown(what: &str) -> String {
    let short: String = what.chars().take(120).collect();
    if short.is_empty() { "this one".to_owned() } else { format!("`{short}`") }
}
