//! `hostler audit seal`.

use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hostler_ledger::journal::{self, Closed, IDLE_MS, Sweep};
use hostler_ledger::signature::Keys;
use hostler_model::SessionId;
use serde_json::json;

use super::{is_unknown, project_state};
use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions whose name begins with this, active or not; without it, those that were quiet for half an hour
    session: Option<String>,
    /// All sessions, the active ones too; they go on in a new file
    #[arg(long, conflicts_with = "session")]
    all: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if is_unknown(args.session.as_deref())? {
        return Ok(Exit::Usage);
    }
    let (state, keys) = (project_state()?, Dirs::from_env()?.keys());
    let sweep = sweep(args, &state, &keys)?;
    if json {
        let closed = |it: &Closed| {
            let session = it.session.as_str();
            json!({ "session": session, "sequence": it.sequence, "path": it.path.display().to_string(), "unsigned": it.unsigned })
        };
        let failed = |(session, error): &(SessionId, journal::Error)| json!({ "session": session.as_str(), "error": error.to_string() });
        output::json::print(&json!({
            "closed": sweep.closed.iter().map(closed).collect::<Vec<_>>(),
            "failed": sweep.failed.iter().map(failed).collect::<Vec<_>>(),
        }))?;
    } else {
        tell(&sweep)?;
    }
    Ok(if !sweep.failed.is_empty() {
        Exit::Io
    } else if sweep.closed.iter().any(|it| it.unsigned.is_some()) {
        Exit::Finding
    } else {
        Exit::Ok
    })
}

fn sweep(args: &Args, state: &Path, keys: &Keys) -> Result<Sweep, journal::Error> {
    let idle_ms = if args.all { i64::MIN } else { IDLE_MS };
    let Some(prefix) = &args.session else {
        return journal::close_all(state, None, now_ms(), idle_ms, None, Some(keys));
    };
    let mut sweep = Sweep::default();
    for session in journal::live_sessions(state)?.into_iter().filter(|it| it.as_str().starts_with(prefix)) {
        match journal::close(state, &session, now_ms(), Some(keys)) {
            Ok(closed) => sweep.closed.extend(closed),
            Err(error) => sweep.failed.push((session, error)),
        }
    }
    Ok(sweep)
}

fn tell(sweep: &Sweep) -> anyhow::Result<()> {
    let mut out = crate::output::human::stdout();
    if sweep.closed.is_empty() && sweep.failed.is_empty() {
        writeln!(out, "nothing to seal")?;
    }
    for closed in &sweep.closed {
        writeln!(
            out,
            "sealed   {}  at record {}: {}",
            closed.session,
            closed.sequence,
            closed.path.display()
        )?;
        if let Some(reason) = &closed.unsigned {
            writeln!(out, "         NOT signed: {reason}")?;
        }
    }
    let mut problems = std::io::stderr().lock();
    for (session, error) in &sweep.failed {
        writeln!(problems, "error: the journal of session {session} could not be archived: {error}")?;
    }
    Ok(())
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
