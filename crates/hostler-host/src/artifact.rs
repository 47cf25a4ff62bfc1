//! Agents and commands that come with us: what a host offers beside its own.
//!
//! The texts are files beside this one's hosts, so that they can be read and edited as what they are.

/// What a file is to its host, and so in which folder it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A subagent.
    Agent,
    /// A command that a person types, with a slash before its name.
    Command,
}

/// A file that is written as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Artifact {
    /// What it is.
    pub kind: Kind,
    /// Its file name.
    pub file_name: &'static str,
    /// Markdown with front matter.
    pub text: &'static str,
}

/// For Claude Code; their tools are those of the MCP server `hostler`.
pub const CLAUDE: [Artifact; 3] = [
    agent("auto-kg-context.md", include_str!("claude/agents/auto-kg-context.md")),
    agent("kg-context-agent.md", include_str!("claude/agents/kg-context-agent.md")),
    command("query-kg.md", include_str!("claude/commands/query-kg.md")),
];

/// For `OpenCode`; their tools come with the plugin.
pub const OPENCODE: [Artifact; 3] = [
    agent("auto-kg-context.md", include_str!("opencode/agents/auto-kg-context.md")),
    agent("kg-context-agent.md", include_str!("opencode/agents/kg-context-agent.md")),
    command("query-kg.md", include_str!("opencode/commands/query-kg.md")),
];

const fn agent(file_name: &'static str, text: &'static str) -> Artifact {
    Artifact { kind: Kind::Agent, file_name, text }
}

const fn command(file_name: &'static str, text: &'static str) -> Artifact {
    Artifact { kind: Kind::Command, file_name, text }
}
