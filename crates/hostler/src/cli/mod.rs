//! Commands that people type. One file per command; help and completions come from `clap`.

mod allow_once;
mod audit;
mod checkpoint;
mod demo;
mod doctor;
mod explain;
mod fix;
mod gate;
mod guard;
mod init;
mod mcp;
mod notify;
mod rag;
mod replay;
mod report;
mod review;
mod rows;
mod session;
mod status;
mod statusline;
mod trace;
mod uninit;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::exit::Exit;

/// Looks after the harness of AI coding agents: guards, checkpoints, evidence.
#[derive(Debug, Parser)]
#[command(name = "hostler", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register the hooks in this project (or for this user)
    Init(init::Args),
    /// Remove what `init` wrote
    Uninit(uninit::Args),
    /// Prove that the registered hooks work, and say what to do where they do not
    Doctor(doctor::Args),
    /// Show what is registered and active here
    Status(status::Args),
    /// Print one line about the session, for the client's status line
    Statusline(statusline::Args),
    /// List guards, explain a command, score a corpus
    Guard(guard::Args),
    /// Look at files through the gates: syntax, lint, safety, complexity, design
    Review(review::Args),
    /// Look at what the session changed, as at the end of a turn
    Gate(gate::Args),
    /// Format what the session changed and apply safe fixes, with the project's own programs
    Fix(fix::Args),
    /// Show how a recorded decision or finding came about
    Explain(explain::Args),
    /// Let one stopped call through, once (run by a person)
    AllowOnce(allow_once::Args),
    /// Check, show, explain, seal and export what was recorded
    Audit(audit::Args),
    /// List, show, compare and restore checkpoints
    Checkpoint(checkpoint::Args),
    /// Replay a bundled recording of a real session in a temporary repository
    Demo(demo::Args),
    /// Tell what was claimed in old sessions, and what of it held
    Replay(replay::Args),
    /// Show a notice on the desktop
    Notify(notify::Args),
    /// Report what was claimed and what held, what was stopped, and which tests ran
    Report(report::Args),
    /// Tie requirements to code and tests, and check that nothing is missing
    Trace(trace::Args),
    /// Offer the tools to a client over the Model Context Protocol
    Mcp(mcp::Args),
    /// Index a project, and find the right place in it by words and by meaning
    Rag(rag::Args),
    /// Keep the record of sessions: what was meant, done, reached, decided, and left to do
    Session(session::Args),
}

/// Parses the command line and runs the command.
pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            if exit == Exit::Usage && asks_for_json(std::env::args_os()) {
                let told = error.to_string();
                let told = anyhow::anyhow!("{}", told.strip_prefix("error: ").unwrap_or(&told).trim_end());
                crate::output::human::fail(&told, true);
            } else {
                // A closed pipe is the reader's choice.
                let _ = error.print();
            }
            return exit.into();
        }
    };
    let json = cli.json;
    let result = match cli.command {
        Command::Init(args) => init::run(&args, json),
        Command::Uninit(args) => uninit::run(&args, json),
        Command::Doctor(args) => doctor::run(&args, json),
        Command::Status(args) => status::run(&args, json),
        Command::Statusline(args) => statusline::run(&args),
        Command::Guard(args) => guard::run(&args, json),
        Command::Review(args) => review::run(&args, json),
        Command::Gate(args) => gate::run(&args, json),
        Command::Fix(args) => fix::run(&args, json),
        Command::Explain(args) => explain::run(&args, json),
        Command::AllowOnce(args) => allow_once::run(&args, json),
        Command::Audit(args) => audit::run(&args, json),
        Command::Checkpoint(args) => checkpoint::run(&args, json),
        Command::Demo(args) => demo::run(&args, json),
        Command::Replay(args) => replay::run(&args, json),
        Command::Notify(args) => notify::run(&args, json),
        Command::Report(args) => report::run(&args, json),
        Command::Trace(args) => trace::run(&args, json),
        Command::Mcp(args) => mcp::run(&args),
        Command::Rag(args) => rag::run(&args, json),
        Command::Session(args) => session::run(&args, json),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => crate::output::human::fail(&error, json).into(),
    }
}

/// Whether a command line that could not be understood asks for JSON: a program reads the answer then.
fn asks_for_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    arguments.take_while(|it| it != "--").any(|it| it == "--json")
}
