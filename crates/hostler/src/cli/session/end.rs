//! `hostler session end`.

use std::io::Write;

use super::{DryRun, Here, Report, text};
use crate::exit::Exit;
use crate::session::close::{self, Place, Request};

/// Close the active session
///
/// Records its length and what was reached: from git since it began, what was logged, and what is said here. Then,
/// each on its own: the matrix of requirements, the changelog, a commit of these files (`session.commit`), an
/// annotated tag, a push of branch and tag (`session.push`). What fails is told and stops nothing else; run it again
/// to try that again. A close that was interrupted is finished by the next one.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct Args {
    /// What was reached, besides what git and the log tell (several, or repeated)
    #[arg(long, value_parser = text, num_args = 1.., value_name = "TEXT")]
    achievements: Vec<String>,
    /// What is next: becomes work that is left to do (several, or repeated)
    #[arg(long, value_parser = text, num_args = 1.., value_name = "TEXT")]
    upcoming: Vec<String>,
    /// Push branch and tag to `origin`, whatever is configured
    #[arg(long, overrides_with = "no_push")]
    push: bool,
    /// Push nothing
    #[arg(long)]
    no_push: bool,
    /// Commit the files of the close, whatever is configured
    #[arg(long, overrides_with = "no_commit")]
    commit: bool,
    /// Commit nothing
    #[arg(long)]
    no_commit: bool,
    /// Make no tag
    #[arg(long)]
    no_tag: bool,
    /// Leave the changelog as it is
    #[arg(long)]
    no_changelog: bool,
    /// Leave the matrix of requirements as it is
    #[arg(long)]
    no_rtm: bool,
    #[command(flatten)]
    dry_run: DryRun,
    /// Only finish a close that was interrupted
    #[arg(long, hide = true)]
    resume: bool,
    /// Close the session of this number, which was left at this time
    #[arg(long, hide = true, num_args = 2, value_names = ["NUMBER", "TIME"])]
    left: Vec<String>,
    /// Say it for the agent's context
    #[arg(long, hide = true)]
    from_hook: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args, here: &Here, json: bool) -> anyhow::Result<Exit> {
    let sessions = here.sessions()?;
    let place = Place { sessions: &sessions, project: &here.project, config: &here.config };
    let report = if args.resume {
        match close::resume(place)? {
            Some(report) => report,
            None => return Ok(Exit::Ok),
        }
    } else {
        close::run(place, &request(args)).map_err(|error| match error {
            close::Error::Record(error) => anyhow::Error::from(error),
            other => other.into(),
        })?
    };
    let exit = if !report.closed() && !args.dry_run.dry_run {
        Exit::Io
    } else if report.failed().next().is_some() && !args.from_hook {
        // The session is closed; what is left of it is a finding of whoever asked, and not of a hook that tells it.
        Exit::Finding
    } else {
        Exit::Ok
    };
    if args.from_hook {
        writeln!(std::io::stdout(), "{}", report.context())?;
    } else {
        let notes = report.notes.clone();
        Report::new(report.panel(), report.json()).with_notes(&notes).print(json)?;
    }
    Ok(exit)
}

fn request(args: &Args) -> Request {
    if let [session, ended] = args.left.as_slice()
        && let Ok(session) = session.parse()
    {
        return Request::stale(session, ended.clone());
    }
    let chosen = |yes: bool, no: bool| if no { Some(false) } else { yes.then_some(true) };
    Request {
        achievements: args.achievements.clone(),
        upcoming: args.upcoming.clone(),
        push: chosen(args.push, args.no_push),
        commit: chosen(args.commit, args.no_commit),
        tag: chosen(false, args.no_tag),
        changelog: chosen(false, args.no_changelog),
        rtm: chosen(false, args.no_rtm),
        dry_run: args.dry_run.dry_run,
        ..Request::default()
    }
}
