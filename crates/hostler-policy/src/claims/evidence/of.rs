//! One call with its result -> [`Evidence`].

use std::path::Path;

use hostler_model::{Action, Outcome, Place, ToolCall};

use super::{Actor, Channel, Evidence};

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
    let channel = match source.call.action {
        Action::Shell { .. } => Channel::Shell,
        Action::Write { .. }
        | Action::Edit { .. }
        | Action::NotebookEdit { .. }
        | Action::Read { .. }
        | Action::Search { .. } => Channel::File,
        Action::Mcp { .. } => Channel::Mcp,
        Action::Delegate { .. } => Channel::Delegate,
        Action::Fetch { .. } => Channel::Web,
        Action::Plan | Action::Other => Channel::Other,
    };
    Evidence {
        channel,
        tool: source.call.tool.clone(),
        by: source.by,
        ok: source.outcome.ok,
        ..Evidence::default()
    }
}
