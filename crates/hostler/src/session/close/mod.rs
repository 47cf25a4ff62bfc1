//! Closing a session: a plan that is made once and kept, steps that carry it out and report and fail singly.
//!
//! ```text
//! plan       what was done (git, log, command line), what ran, the tag's name, what is wanted
//! flush      the journals are on the disk
//! rtm        the matrix of requirements, where the project traces any
//! changelog  entries that are not there yet
//! record     the end in `context.json`
//! clear      counters of the session start over
//! commit     the files of the close, where configured
//! tag        annotated, with what was done
//! push       branch and tag, where configured
//! ```
//!
//! A close that was killed is finished by the next one. Therefore each step looks at the world before it does
//! anything, and what could come out differently a second time stands in the plan.

mod changelog;
mod fault;
mod git;
mod history;
mod journals;
mod plan;
mod publish;
mod report;
mod saved;
mod steps;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_ledger::file;
use hostler_policy::session::closing::{Outcome, Plan, Step};

use self::git::Git;
use self::report::Begun;
pub(crate) use self::report::Report;
use self::saved::Saved;
use self::steps::Steps;
use super::effect::{self, End};
use super::{Refused, Sessions};
use crate::config::Config;
use crate::project::Project;

/// How long the close of another process is waited for, if nothing else is said.
const WAIT: Duration = Duration::from_secs(60);

/// Where a session is closed.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The record.
    pub(crate) sessions: &'a Sessions,
    /// The work tree in which the work was done; with linked ones not always that of the record.
    pub(crate) project: &'a Project,
    /// What is configured.
    pub(crate) config: &'a Config,
}

/// How a session is closed. What is `None` or empty is as configured or known.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// What was reached, besides what git and the log tell.
    pub(crate) achievements: Vec<String>,
    /// What is next: becomes deferred work.
    pub(crate) upcoming: Vec<String>,
    /// How it ends: `closed`, `stale`.
    pub(crate) outcome: String,
    /// When it ended, RFC 3339; now if not said.
    pub(crate) ended: Option<String>,
    /// The session that is meant; the one that is active now if not said.
    pub(crate) session: Option<u64>,
    /// Branch and tag are pushed.
    pub(crate) push: Option<bool>,
    /// The files of the close are committed.
    pub(crate) commit: Option<bool>,
    /// The end is tagged.
    pub(crate) tag: Option<bool>,
    /// The changelog gets entries.
    pub(crate) changelog: Option<bool>,
    /// The matrix of requirements is made.
    pub(crate) rtm: Option<bool>,
    /// Tells what would be done and changes nothing.
    pub(crate) dry_run: bool,
    /// How long the close of another process is waited for.
    pub(crate) wait: Duration,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            achievements: Vec::new(),
            upcoming: Vec::new(),
            outcome: "closed".to_owned(),
            ended: None,
            session: None,
            push: None,
            commit: None,
            tag: None,
            changelog: None,
            rtm: None,
            dry_run: false,
            wait: WAIT,
        }
    }
}

impl Request {
    /// How a session ends that nobody closed.
    const STALE: &'static str = "stale";

    /// The end of a session that nobody closed: only its record, with what is known. It ended with the last sign of
    /// life; a tag, a commit or entries of a changelog would be about what came later as well.
    pub(crate) fn stale(session: u64, ended: String) -> Self {
        let off = Some(false);
        Self {
            session: Some(session),
            outcome: Self::STALE.to_owned(),
            ended: Some(ended),
            push: off,
            commit: off,
            tag: off,
            changelog: off,
            rtm: off,
            ..Self::default()
        }
    }
}

/// Why no session was closed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The record does not allow it, or could not be read or written.
    #[error(transparent)]
    Record(#[from] super::Error),
    /// Another process is at it.
    #[error(
        "the session is being closed by another process since more than {seconds} s; `hostler session status` tells when it is done"
    )]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// There is no folder for the plan and the lock.
    #[error(transparent)]
    File(#[from] file::Error),
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Record(refused.into())
    }
}

/// Closes the active session; first finishes closes that were killed. Without an active one, steps that failed when
/// the last one was closed are tried again.
///
/// # Errors
/// No session is active and nothing is left to do, the record cannot be read, or another process holds the lock. What
/// goes wrong in a step is in the report.
pub(crate) fn run(place: Place<'_>, request: &Request) -> Result<Report, Error> {
    if request.dry_run {
        return ahead(place, request);
    }
    let active = || Ok(place.sessions.read()?.active().map(|(_, session)| session.seq));
    let meant = request.session.map_or_else(active, |seq| Ok::<_, super::Error>(Some(seq)))?;
    let saved = Saved::of(&place.sessions.state);
    let Some(_lock) = saved.lock(request.wait)? else {
        return Err(Error::Busy { seconds: request.wait.as_secs() });
    };
    // What is said of a session that was left is not said of a close that somebody asked for.
    let said = request.session.is_none().then_some(request);
    let resumed = finish(place, &saved, said)?;
    let context = place.sessions.read()?;
    // One that was begun while the lock was waited for is not the one that was meant.
    if let Some((_, session)) = context.active().filter(|(_, it)| meant == Some(it.seq)) {
        let plan = plan::make(place, &context, &session, request);
        return Ok(carry_out(place, &saved, plan));
    }
    let retried = || saved.all().pop().filter(|_| said.is_some());
    let report = if let Some(report) = resumed {
        report
    } else if let Some(mut plan) = retried() {
        plan::adjust(&mut plan, request);
        if let Some((_, session)) = context.by_number(plan.session) {
            plan::look_again(place, &context, &session, &mut plan);
        }
        Report { begun: Begun::Retried, ..carry_out(place, &saved, plan) }
    } else {
        // It was active a moment ago: whoever had the lock has closed it.
        let closed = meant.and_then(|seq| context.by_number(seq)).map(|(_, session)| session);
        Report::of_another(&closed.ok_or(Refused::NoActive)?)
    };
    keep_words(place, report.session, request)?;
    Ok(report)
}

/// What was said for the end of a session that is closed already goes into its record all the same.
fn keep_words(place: Place<'_>, seq: u64, request: &Request) -> Result<(), Error> {
    if request.achievements.is_empty() && request.upcoming.is_empty() {
        return Ok(());
    }
    let end = End {
        achievements: request.achievements.clone(),
        upcoming: request.upcoming.clone(),
        outcome: request.outcome.clone(),
    };
    place.sessions.apply(false, |context| {
        effect::add_to_ended(context, seq, &end);
        Ok(())
    })?;
    Ok(())
}

/// Finishes closes that were killed; `None`: there was none. Steps that failed are not tried again. Never waits:
/// while another process closes, there is nothing to finish.
///
/// # Errors
/// The record cannot be read.
pub(crate) fn resume(place: Place<'_>) -> Result<Option<Report>, Error> {
    let saved = Saved::of(&place.sessions.state);
    if saved.all().iter().all(|it| it.finished) {
        return Ok(None);
    }
    match saved.lock(Duration::ZERO)? {
        Some(_lock) => finish(place, &saved, None),
        None => Ok(None),
    }
}

/// How much of a close is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// All of it was done.
    Nothing,
    /// Steps that failed.
    Failed,
    /// It was killed.
    Unfinished,
}

/// What closes of these sessions left to do.
pub(crate) fn left(sessions: &Sessions) -> Left {
    match Saved::of(&sessions.state).all().as_slice() {
        [] => Left::Nothing,
        plans if plans.iter().all(|it| it.finished) => Left::Failed,
        _ => Left::Unfinished,
    }
}

/// What closes of these sessions left to do, for people: one line for each.
pub(crate) fn left_words(sessions: &Sessions) -> Vec<String> {
    let words = |plan: &Plan| {
        let number = plan.session;
        if !plan.finished {
            return format!("Close of #{number}: interrupted");
        }
        let failed: Vec<String> =
            plan.failed().map(|it| format!("{}: {}", it.step.name(), it.message)).collect();
        format!("Close of #{number} FAILED: {}", failed.join("; "))
    };
    Saved::of(&sessions.state).all().iter().map(words).collect()
}

/// Carries out the plans that were not, oldest first. The last one's report.
fn finish(place: Place<'_>, saved: &Saved, request: Option<&Request>) -> Result<Option<Report>, Error> {
    let mut last = None;
    for mut plan in saved.all().into_iter().filter(|it| !it.finished) {
        let context = place.sessions.read()?;
        let Some((_, session)) = context.by_number(plan.session) else {
            // A record that was put back or is another's: there is nothing to finish in it.
            saved.remove(plan.session);
            continue;
        };
        let told_more = request.is_some_and(|it| !(it.achievements.is_empty() && it.upcoming.is_empty()));
        if session.length.is_none() && (told_more || plan::is_outdated(place, &plan, &session)) {
            // The work went on. What was written so far is found and not written again.
            let asked = plan::asked(&plan, request);
            plan = plan::again(plan, plan::make(place, &context, &session, &asked));
        } else {
            if let Some(request) = request {
                plan::adjust(&mut plan, request);
            }
            plan::look_again(place, &context, &session, &mut plan);
        }
        last = Some(Report { begun: Begun::Resumed, ..carry_out(place, saved, plan) });
    }
    Ok(last)
}

/// Does what is left of a plan, and keeps how far it came.
fn carry_out(place: Place<'_>, saved: &Saved, mut plan: Plan) -> Report {
    let mut notes = Vec::new();
    let keep = |plan: &Plan, notes: &mut Vec<String>| {
        if let Err(error) = saved.write(plan) {
            let note = format!("how far the close is could not be kept: {error}");
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    };
    plan.finished = false;
    fault::kill("planned");
    let steps = Steps::new(place);
    let older = take_over(&steps, saved, &mut plan, &mut notes);
    keep(&plan, &mut notes);
    fault::kill("kept");
    for session in older {
        saved.remove(session);
    }
    for step in Step::EFFECTS {
        if plan.told(step).is_some_and(|it| it.outcome != Outcome::Failed) {
            continue;
        }
        fault::kill(&format!("before:{}", step.name()));
        // One that panics fails like any other.
        let taken = catch_unwind(AssertUnwindSafe(|| steps.take(step, &mut plan, &mut notes)));
        let (outcome, message) = taken
            .unwrap_or_else(|_| (Outcome::Failed, "a fault in hostler; run `hostler doctor`".to_owned()));
        fault::kill(&format!("after:{}", step.name()));
        plan.tell(step, outcome, message);
        if step == Step::Record && outcome == Outcome::Failed {
            // The session is not closed: the rest waits until it is.
            keep(&plan, &mut notes);
            return Report::of(place, plan, notes);
        }
        keep(&plan, &mut notes);
        fault::kill(&format!("kept:{}", step.name()));
    }
    plan.finished = true;
    if plan.failed().next().is_none() {
        saved.remove(plan.session);
    } else {
        keep(&plan, &mut notes);
    }
    fault::kill("finished");
    Report::of(place, plan, notes)
}

/// What earlier closes left becomes a part of this one, as far as it can be done now; the rest is told. Their
/// numbers.
fn take_over(steps: &Steps<'_>, saved: &Saved, plan: &mut Plan, notes: &mut Vec<String>) -> Vec<u64> {
    // The end of a session that was left writes its record alone, and nobody may be there to read of it.
    if plan.outcome == Request::STALE {
        return Vec::new();
    }
    let mut numbers = Vec::new();
    for mut older in saved.all().into_iter().filter(|it| it.finished && it.session < plan.session) {
        numbers.push(older.session);
        let number = older.session;
        if older.has_failed(Step::Tag) {
            for step in [Step::Record, Step::Tag] {
                let (outcome, message) = steps.take(step, &mut older, notes);
                older.tell(step, outcome, message);
            }
            if let Some(name) = older.tag.as_ref().filter(|_| !older.has_failed(Step::Tag)) {
                notes.push(format!("the tag {name} of session #{number} was made now"));
            }
        }
        let unpushed = unpushed(&older, plan);
        if plan.push {
            plan.also.extend(unpushed);
        } else if !unpushed.is_empty() {
            let names = unpushed.join(" ");
            notes.push(format!(
                "the close of session #{number} could not push; `git push origin {names}` does"
            ));
        }
        // What it wrote on another branch does not belong on this one.
        let commits = plan.commit && older.branch == plan.branch;
        if commits {
            let new: Vec<String> =
                older.files.iter().filter(|it| !plan.files.contains(it)).cloned().collect();
            plan.files.extend(new);
            for (file, digest) in older.digests.clone() {
                plan.digests.entry(file).or_insert(digest);
            }
        }
        let told = |step: Step| match step {
            Step::Push => false,
            Step::Commit => !commits,
            _ => true,
        };
        for failed in older.failed().filter(|it| told(it.step)) {
            let step = failed.step.name();
            notes.push(format!("the close of session #{number} failed to do its {step}: {}", failed.message));
        }
    }
    numbers
}

/// References of an earlier close that are not at the remote, and that are not pushed anyway.
fn unpushed(older: &Plan, plan: &Plan) -> Vec<String> {
    let branch = older.branch.as_ref().filter(|_| older.branch != plan.branch);
    let branch = branch.map(|it| format!("refs/heads/{it}"));
    let made = older.told(Step::Tag).is_some_and(|it| it.outcome == Outcome::Done);
    let tag = older.tag.as_ref().filter(|_| made && !older.published).map(|it| format!("refs/tags/{it}"));
    let own = branch.filter(|_| older.has_failed(Step::Push)).into_iter().chain(tag);
    let own = own.filter(|_| older.push);
    let new = |it: &String| !plan.also.contains(it);
    let also = older.also.iter().filter(|_| older.has_failed(Step::Push)).cloned();
    own.chain(also).filter(new).collect()
}

/// What a close would do now.
fn ahead(place: Place<'_>, request: &Request) -> Result<Report, Error> {
    let context = place.sessions.read()?;
    let active = context.active().map(|(_, session)| session);
    let mut left = Saved::of(&place.sessions.state).all();
    let mut plan = if let Some(session) = active {
        plan::make(place, &context, &session, request)
    } else {
        let mut plan = left.pop().ok_or(Refused::NoActive)?;
        plan::adjust(&mut plan, request);
        if let Some((_, session)) = context.by_number(plan.session) {
            plan::look_again(place, &context, &session, &mut plan);
        }
        plan
    };
    for older in left.iter().filter(|it| plan.push && it.finished && it.session < plan.session) {
        let unpushed = unpushed(older, &plan);
        plan.also.extend(unpushed);
    }
    let steps = Steps::new(place);
    for step in Step::EFFECTS {
        if plan.told(step).is_none_or(|it| it.outcome == Outcome::Failed) {
            let (outcome, message) = steps.ahead(step, &plan);
            plan.tell(step, outcome, message);
        }
    }
    Ok(Report { dry_run: true, ..Report::of(place, plan, Vec::new()) })
}

impl Place<'_> {
    /// The repository of the work; `None` without one.
    fn git(&self) -> Option<Git> {
        self.project.git_dir.as_ref().map(|_| Git::new(&self.project.root))
    }

    /// The folder of the work tree that matches the one of the record: with several projects in one repository,
    /// that of the project.
    fn folder(&self) -> PathBuf {
        let beside = self.sessions.file.parent().unwrap_or(&self.sessions.root);
        match beside.strip_prefix(&self.sessions.root) {
            Ok(below) => self.project.root.join(below),
            Err(_) => self.project.root.clone(),
        }
    }

    /// The folders that hold the journals of the session's clients: that of the record and, where no repository says
    /// what the project is, that of the working directory.
    fn states(&self) -> Vec<PathBuf> {
        let mut states = vec![self.sessions.state.clone()];
        let own = self.sessions.state.with_file_name(self.project.key());
        if own != states[0] {
            states.push(own);
        }
        states
    }

    /// The record lies in the work tree of the work.
    fn holds_record(&self) -> bool {
        self.sessions.file.starts_with(&self.project.root)
    }

    /// All work trees of the repository share the record.
    fn is_shared(&self) -> bool {
        let project = self.project;
        let is_main = project.git_dir == project.git_common_dir;
        let can = project.git_common_dir.as_ref().is_some_and(|it| it.ends_with(".git"));
        can && (is_main || !self.holds_record())
    }

    /// The path of a file below the top folder once its links are followed, as git knows it; `None`: it leads out, or
    /// into git's own folder.
    fn below(&self, file: &Path) -> Option<String> {
        let real = file::resolve(file).ok()?;
        let of_git = [&self.project.git_dir, &self.project.git_common_dir];
        if of_git.into_iter().flatten().any(|it| real.starts_with(it)) {
            return None;
        }
        Some(real.strip_prefix(&self.project.root).ok()?.to_string_lossy().into_owned())
    }
}
