//! One call with its result -> [`Evidence`].

use std::path::Path;

use hostler_model::{Outcome, Place, ToolCall};

use super::{Actor, Evidence};

/// A call with its result, as a host or a record tells it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// Where the agent was.
    pub cwd: &'a Path,
    /// The project.
    pub place: &'a Place,
    /// Who made it.
    pub by: Actor,
}

/// What a call proves.
pub fn of(source: &Source<'_>) -> Evidence {
    Evidence { tool: source.call.tool.clone(), by: source.by, ok: source.outcome.ok, ..Evidence::default() }
}
