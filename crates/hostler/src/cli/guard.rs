//! `hostler guard`: what is guarded here, why a command would be stopped, how well a corpus is judged.

mod corpus;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use hostler_host::claude::read;
use hostler_model::{Event, EventKind, Host, Profile, SessionId, ToolCall, Verdict};
use hostler_policy::Settings;
use hostler_policy::guards::GUARDS;
use serde_json::json;

use crate::exit::Exit;
use crate::hook::World;
use crate::judge::{Judged, judge};
use crate::observe::observe;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List every guard with its mode here
    List {
        /// Show the modes of this profile
        #[arg(long, value_parser = profile)]
        profile: Option<Profile>,
    },
    /// Show what would become of a command, without running or recording anything
    Explain {
        /// The command line, as one argument
        command: String,
        /// Judge it as run in this folder
        #[arg(long)]
        cwd: Option<PathBuf>,
        /// Judge it by this profile
        #[arg(long, value_parser = profile)]
        profile: Option<Profile>,
    },
    /// Judge a labelled corpus in a sample world: recall, precision and every miss
    Test {
        /// JSON lines with `id`, `kind`, `input` and one column per label
        file: PathBuf,
        /// The label to judge by; its profile is used. Without it, both
        #[arg(long, value_parser = ["strict", "standard"])]
        label: Option<String>,
    },
}

/// Reads a profile's name for clap.
pub(crate) fn profile(name: &str) -> Result<Profile, String> {
    Profile::parse(name).ok_or_else(|| "use `observe`, `standard` or `strict`".to_owned())
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    match &args.command {
        Command::List { profile } => list(*profile, json),
        Command::Explain { command, cwd, profile } => explain(command, cwd.as_ref(), *profile, json),
        Command::Test { file, label } => corpus::run(file, label.as_deref(), json),
    }
}

fn list(profile: Option<Profile>, json: bool) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the working directory cannot be read")?;
    let world = World::at(&cwd);
    let mut settings = world.config.settings.clone();
    if let Some(profile) = profile {
        settings.profile = profile;
    }
    if json {
        let guards = GUARDS.iter().map(|guard| {
            json!({
                "id": guard.id,
                "summary": guard.summary,
                "mode": settings.mode(guard).name(),
                "standard": guard.standard.name(),
                "strict": guard.strict.name(),
            })
        });
        let document = json!({ "profile": settings.profile.name(), "guards": guards.collect::<Vec<_>>() });
        output::json::print(&document)?;
        return Ok(Exit::Ok);
    }
    let mut out = crate::output::human::stdout();
    writeln!(out, "profile {}", settings.profile.name())?;
    let width = GUARDS.iter().map(|guard| guard.id.len()).max().unwrap_or_default();
    for guard in GUARDS {
        let mode = settings.mode(guard).name();
        writeln!(out, "{:width$}  {mode:10}  stops {}", guard.id, guard.summary)?;
    }
    for fault in &world.config.faults {
        writeln!(std::io::stderr(), "warning: {fault}")?;
    }
    Ok(Exit::Ok)
}

fn explain(
    command: &str,
    cwd: Option<&PathBuf>,
    profile: Option<Profile>,
    json: bool,
) -> anyhow::Result<Exit> {
    let here = std::env::current_dir().context("the working directory cannot be read")?;
    let cwd = cwd.map_or(here.clone(), |cwd| here.join(cwd));
    let world = World::at(&cwd);
    let mut settings = world.config.settings.clone();
    if let Some(profile) = profile {
        settings.profile = profile;
    }
    let call = read::tool_call("Bash", &json!({ "command": command }), None)?;
    let place = world.place(&cwd);
    let judged = judge(&event(call, cwd)?, &place, &settings, |needs| observe(needs, &place));
    if json {
        let mut document = output::json::judged(&judged);
        document["command"] = command.into();
        document["profile"] = settings.profile.name().into();
        output::json::print(&document)?;
    } else {
        show(&judged, &settings)?;
    }
    Ok(if judged.decision.verdict.blocks() { Exit::Blocked } else { Exit::Ok })
}

/// An event before `call`, as no host sent it.
pub(super) fn event(call: ToolCall, cwd: PathBuf) -> anyhow::Result<Event> {
    Ok(Event {
        host: Host::ClaudeCode,
        name: "PreToolUse".to_owned(),
        session: SessionId::parse("explain")?,
        cwd,
        transcript: None,
        agent: None,
        permission_mode: None,
        kind: EventKind::ToolBefore { call },
    })
}

fn show(judged: &Judged, settings: &Settings) -> anyhow::Result<()> {
    let decision = &judged.decision;
    let mut out = crate::output::human::stdout();
    let verdict = match decision.verdict {
        Verdict::Allow => "allowed: the host's own permissions decide",
        Verdict::Warn => "allowed with a warning",
        Verdict::Ask => "asked: the user decides",
        Verdict::Deny => "denied",
    };
    writeln!(out, "{verdict} (profile {})", settings.profile.name())?;
    for finding in &decision.findings {
        writeln!(out, "  [{}] {}: {}", finding.rule, finding.mode.name(), finding.problem)?;
        if let Some(instead) = &finding.instead {
            writeln!(out, "    instead: {instead}")?;
        }
    }
    for path in &decision.snapshot {
        writeln!(out, "  kept in a checkpoint first: {}", path.display())?;
    }
    if !judged.understood {
        writeln!(out, "  parts of the command could not be resolved")?;
    }
    for fault in &decision.faults {
        writeln!(out, "  fault: {fault}")?;
    }
    if !decision.trace.is_empty() {
        writeln!(out, "how it came about:")?;
    }
    for step in &decision.trace {
        writeln!(out, "  {:12} {}", step.stage, step.detail)?;
    }
    Ok(())
}
