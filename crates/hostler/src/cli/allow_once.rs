//! `hostler allow-once`: a person lets one stopped call through.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use hostler_ledger::journal::{self, Entry, Record};
use hostler_ledger::{allow, redact};
use hostler_model::SessionId;
use serde_json::{Map, json};

use super::audit;
use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The code from the reason: six letters and digits
    code: String,
}

/// How old a stopped call may be.
const AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// What clients set for the programs that an agent runs.
const AGENT_VARIABLES: [&str; 4] = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "OPENCODE"];

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if let Some(reason) = no_person() {
        return refuse(&reason, Exit::Blocked, json);
    }
    let Some(code) = allow::parse_code(&args.code) else {
        let code = redact::preview(&args.code, 40);
        return refuse(&format!("`{code}` is no code: six letters and digits are"), Exit::Usage, json);
    };
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    let project = Project::find(&cwd);
    let state = Dirs::from_env()?.project_state(&project.key());
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let Some(stopped) = find(&state, &code, now_ms)? else {
        let message = format!(
            "no call with the code `{code}` was stopped in `{}` during the last {} hours; run this in the \
             folder that the agent works in",
            project.root.display(),
            AGE_MAX.as_secs() / 3600
        );
        return refuse(&message, Exit::Usage, json);
    };
    if !confirmed(&stopped)? {
        return refuse("nothing was allowed", Exit::Finding, json);
    }
    grant(&state, &code, &stopped, now_ms)?;
    let minutes = allow::LIFETIME.as_secs() / 60;
    if json {
        output::json::print(&json!({ "code": code, "allowed": true, "minutes": minutes }))?;
    } else {
        let mut out = crate::output::human::stdout();
        writeln!(out, "allowed once, for {minutes} minutes: tell the agent to try the very same call again")?;
    }
    Ok(Exit::Ok)
}

/// Why nobody is taken to sit here.
fn no_person() -> Option<String> {
    if let Some(name) = AGENT_VARIABLES.iter().find(|name| std::env::var_os(name).is_some()) {
        return Some(format!(
            "an agent runs this (`{name}` is set); a person has to, in a terminal of their own"
        ));
    }
    let terminal = std::io::stdin().is_terminal();
    (!terminal).then(|| "stdin is no terminal; a person has to run this in one".to_owned())
}

fn refuse(message: &str, exit: Exit, json: bool) -> anyhow::Result<Exit> {
    if json {
        output::json::print(&json!({ "error": message }))?;
    } else {
        writeln!(std::io::stderr(), "error: {message}")?;
    }
    Ok(exit)
}

/// A call that was stopped, with everything that a grant is bound to.
struct Stopped {
    record: Record,
    session: SessionId,
    input_digest: String,
}

/// The newest stopped call of the project with that code.
fn find(state: &Path, code: &str, now_ms: i64) -> anyhow::Result<Option<Stopped>> {
    let since_ms = now_ms - i64::try_from(AGE_MAX.as_millis()).unwrap_or(i64::MAX);
    let mut newest: Option<Stopped> = None;
    for path in journal::files(state)? {
        // A journal that cannot be read holds nothing that could be let through; `audit verify` tells of it.
        let Ok(records) = journal::read(&path) else { continue };
        for record in records {
            let stopped = matches!(record.text("status"), Some("blocked" | "asked"));
            let newer = newest.as_ref().is_none_or(|it| it.record.time_ms <= record.time_ms);
            if !stopped || !newer || record.time_ms < since_ms || record.text("code") != Some(code) {
                continue;
            }
            let session = record.text(journal::SESSION).and_then(|name| SessionId::parse(name).ok());
            let digest = record.text("input_sha256").map(ToOwned::to_owned);
            if let (Some(session), Some(input_digest)) = (session, digest) {
                newest = Some(Stopped { record, session, input_digest });
            }
        }
    }
    Ok(newest)
}

/// Shows what would be let through and asks. On stderr: stdout is for the outcome.
fn confirmed(stopped: &Stopped) -> anyhow::Result<bool> {
    let mut out = std::io::stderr().lock();
    let record = &stopped.record;
    let id = journal::decision_id(&stopped.session, record.sequence);
    writeln!(out, "{} {id}", record.text("status").unwrap_or("stopped"))?;
    writeln!(out, "  {:10} {}", "time", audit::time(record.time_ms, true))?;
    writeln!(out, "  {:10} {}", "session", stopped.session)?;
    for (label, name) in [
        ("subagent", "gen_ai.agent.id"),
        ("tool", "gen_ai.tool.name"),
        ("call", "target"),
        ("in", "cwd"),
        ("because", "message"),
    ] {
        if let Some(text) = record.text(name) {
            // Escaped: what an agent wrote must not draw on this terminal.
            writeln!(out, "  {label:10} {}", redact::preview(text, 1_000))?;
        }
    }
    writeln!(out, "a long call is shown in part; `hostler explain {id}` shows all that was recorded")?;
    write!(out, "let this one call through, once? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("the answer cannot be read")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

fn grant(state: &Path, code: &str, stopped: &Stopped, now_ms: i64) -> anyhow::Result<()> {
    // The record comes first: no exception without a trace of who made it.
    let mut attributes = Map::new();
    attributes.insert("operation".to_owned(), "allow-once".into());
    attributes.insert("status".to_owned(), "granted".into());
    attributes.insert("code".to_owned(), code.into());
    attributes.insert("input_sha256".to_owned(), stopped.input_digest.as_str().into());
    let decision = journal::decision_id(&stopped.session, stopped.record.sequence);
    let message = format!("a person let the call of decision {decision} through, once");
    attributes.insert("message".to_owned(), message.into());
    if let Some(target) = stopped.record.text("target") {
        attributes.insert("target".to_owned(), target.into());
    }
    let entry = Entry { kind: "exception", time_ms: now_ms, dedupe: None, durable: true, attributes };
    journal::append(state, &stopped.session, &entry)?;
    allow::grant(state, code, &stopped.session, &stopped.input_digest, now_ms, allow::LIFETIME)?;
    Ok(())
}
