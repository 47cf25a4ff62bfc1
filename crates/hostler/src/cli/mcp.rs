//! `hostler mcp`: the tools of [`crate::tools`] over the Model Context Protocol, for any client that speaks it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use hostler_model::Host;
use hostler_serve::{Answer, Call, Link, Server, Tool, Tools};

use crate::exit::Exit;
use crate::tools::{self, Group};

/// What a model is told about the tools together.
const INSTRUCTIONS: &str = "hostler keeps the record of work sessions of this project and its gates. Call \
     `session-status` when work begins, log what is done while it is done, and call `code-review` on files that you \
     changed before you say that they are done.";
/// The same of retrieval alone.
const RAG_INSTRUCTIONS: &str = "An index of this project's files. Ask `rag_search` where something is done before you \
     read or grep through files, open the lines that a hit names before you rely on it, and call `rag_index` where \
     there is no index yet.";
/// More tools than there are: some clients read the first page alone.
const PAGE_SIZE: usize = 100;

/// Offer the tools to a client over the Model Context Protocol, on stdin and stdout
///
/// The working directory says which project is meant. A client starts it by itself; `docs/mcp.md` tells how each is
/// set up.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Offer these groups only: session, kg, conversation, review, rag [default: all]
    #[arg(long, value_name = "GROUPS", value_delimiter = ',', value_parser = group)]
    tools: Vec<Group>,
}

fn group(text: &str) -> Result<Group, String> {
    let named = |group: &&Group| group.name() == text.trim();
    let names = || Group::ALL.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
    Group::ALL.iter().find(named).copied().ok_or_else(|| format!("it is none of {}", names()))
}

/// Runs the command until the client ends it.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let directory = std::env::current_dir().context("cannot tell the working directory")?;
    let groups = if args.tools.is_empty() { Group::ALL.to_vec() } else { args.tools.clone() };
    // Who asks for retrieval alone asks for the server that is known by this name.
    if groups == [Group::Rag] {
        return serve_rag();
    }
    serve("hostler", INSTRUCTIONS, directory, groups)
}

/// Serves the tools of retrieval alone, as `hostler rag` without a further word does.
pub(crate) fn serve_rag() -> anyhow::Result<Exit> {
    let directory = std::env::current_dir().context("cannot tell the working directory")?;
    serve("rag", RAG_INSTRUCTIONS, directory, vec![Group::Rag])
}

fn serve(name: &str, instructions: &str, directory: PathBuf, groups: Vec<Group>) -> anyhow::Result<Exit> {
    let server = Server {
        name: name.to_owned(),
        title: "hostler".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: instructions.to_owned(),
        page_size: PAGE_SIZE,
    };
    let tools = Arc::new(Registry { directory, groups });
    hostler_serve::serve(server, tools, std::io::stdin(), std::io::stdout())?;
    Ok(Exit::Ok)
}

/// The registry, as far as it is offered.
struct Registry {
    directory: PathBuf,
    groups: Vec<Group>,
}

impl Tools for Registry {
    fn list(&self) -> Vec<Tool> {
        let offered = tools::offered(&self.directory).into_iter();
        offered.filter(|it| self.groups.contains(&it.group)).map(listed).collect()
    }

    fn call(&self, name: &str, call: &Call<'_>) -> Option<Answer> {
        let tool = tools::find(name).filter(|it| self.groups.contains(&it.group))?;
        let answer = tools::run(
            tool,
            &tools::Call {
                arguments: call.arguments,
                directory: &self.directory,
                session: None,
                host: host(call.client),
                progress: call.progress,
                cancelled: call.cancelled,
            },
        );
        let links = answer.links.into_iter().map(|it| Link { uri: it.uri, name: it.name }).collect();
        Some(Answer { text: answer.text, structured: answer.structured, links, failed: answer.failed })
    }
}

fn listed(tool: &tools::Tool) -> Tool {
    Tool {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input_schema(),
        output_schema: tool.output_schema(),
        read_only: tool.annotations.read_only(),
        destructive: tool.annotations.destructive(),
        idempotent: tool.annotations.idempotent(),
        open_world: false,
    }
}

/// The host by what its client calls itself.
fn host(client: &str) -> Host {
    match client {
        "claude-code" => Host::ClaudeCode,
        "opencode" => Host::OpenCode,
        _ => Host::Foreign,
    }
}
