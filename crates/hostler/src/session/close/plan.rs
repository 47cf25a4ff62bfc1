//! The plan of a close: everything that is looked up and decided before anything is changed.

use std::collections::HashSet;
use std::fmt::Write;

use hostler_ledger::context::{Session, State};
use hostler_policy::session::achievement::{self, Achievement};
use hostler_policy::session::closing::{self, Outcome, Plan, Step};
use jiff::tz::TimeZone;

use super::git::Git;
use super::{Place, Request, history, journals};
use crate::session::effect;

/// Achievements of a session that commits add at most.
const COMMITS_MAX: usize = 50;

/// Plans the close of `session`.
pub(super) fn make(place: Place<'_>, session: &Session, state: &State, request: &Request) -> Plan {
    let config = &place.config.closing;
    let profile = place.config.settings.profile;
    let git = place.git();
    let ended = request.ended.clone().unwrap_or_else(effect::now);
    let mut plan = Plan {
        v: closing::VERSION,
        session: session.seq,
        outcome: request.outcome.clone(),
        upcoming: request.upcoming.clone(),
        push: request.push.unwrap_or_else(|| config.pushes(profile)),
        commit: request.commit.unwrap_or(config.commit),
        changelog: request.changelog.unwrap_or(true),
        rtm: request.rtm.unwrap_or(config.rtm != Some(false)),
        tag: request.tag.unwrap_or(!config.untagged).then(|| tag_name(session.seq, &ended)),
        ended,
        ..Plan::default()
    };
    achievements(place, git.as_ref(), session, request, &mut plan);
    checks(place, session, state, &mut plan);
    if let Some(git) = git {
        plan.branch = git.line(&["symbolic-ref", "--quiet", "--short", "HEAD"]).ok().flatten();
        if plan.commit {
            plan.changed_before = changed(&git);
        }
    }
    plan
}

/// A plan that was made before the work went on, and the one that is made now: what the first one wrote is the
/// close's own.
pub(super) fn again(old: Plan, new: Plan) -> Plan {
    Plan { changed_before: old.changed_before, files: old.files, ..new }
}

/// Whether something was committed or logged since the plan was made.
pub(super) fn is_outdated(place: Place<'_>, plan: &Plan, session: &Session) -> bool {
    let head =
        place.git().and_then(|git| git.line(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]).ok());
    let logged = session.updated.as_deref().and_then(effect::moment);
    head.flatten() != plan.head || effect::moment(&plan.ended) < logged
}

/// What was asked for when the plan was made, and what is asked for besides now.
pub(super) fn asked(plan: &Plan, now: Option<&Request>) -> Request {
    let logged = plan.achievements.iter().filter(|it| it.commit.is_none());
    let mut request = Request {
        achievements: logged.map(|it| it.text.clone()).collect(),
        upcoming: plan.upcoming.clone(),
        outcome: plan.outcome.clone(),
        push: Some(plan.push),
        commit: Some(plan.commit),
        tag: Some(plan.tag.is_some()),
        changelog: Some(plan.changelog),
        rtm: Some(plan.rtm),
        ..Request::default()
    };
    if let Some(now) = now {
        request.achievements.extend(now.achievements.iter().cloned());
        let new = |it: &&String| !plan.upcoming.contains(it);
        request.upcoming.extend(now.upcoming.iter().filter(new).cloned());
        request.push = now.push.or(request.push);
        request.commit = now.commit.or(request.commit);
        request.tag = now.tag.or(request.tag);
        request.changelog = now.changelog.or(request.changelog);
        request.rtm = now.rtm.or(request.rtm);
    }
    request
}

/// Takes over what is said now of steps that are left to do.
pub(super) fn adjust(plan: &mut Plan, now: &Request) {
    plan.push = now.push.unwrap_or(plan.push);
    plan.commit = now.commit.unwrap_or(plan.commit);
    plan.changelog = now.changelog.unwrap_or(plan.changelog);
    plan.rtm = now.rtm.unwrap_or(plan.rtm);
    if now.tag == Some(false) {
        plan.tag = None;
    }
}

fn tag_name(session: u64, ended: &str) -> String {
    let time = effect::moment(ended).unwrap_or_else(jiff::Timestamp::now).to_zoned_datetime(TimeZone::UTC);
    closing::tag_name(session, time.year(), time.month(), time.day(), time.hour(), time.minute())
}

fn achievements(place: Place<'_>, git: Option<&Git>, session: &Session, request: &Request, plan: &mut Plan) {
    let mut found: Vec<Achievement> = session.achievements.iter().map(|it| Achievement::of(it)).collect();
    let logged = found.len();
    let (outcome, message) = match git {
        None => (Outcome::Skipped, "no git repository".to_owned()),
        Some(git) => match of_git(place, git, session, plan) {
            Ok((commits, note)) => {
                found.extend(commits);
                (Outcome::Done, note)
            }
            Err(error) => (Outcome::Failed, error.to_string()),
        },
    };
    found.extend(request.achievements.iter().map(|it| Achievement::of(&effect::clean(it))));
    let mut seen = HashSet::new();
    found.retain(|it| !it.text.is_empty() && seen.insert(it.text.to_lowercase()));
    plan.achievements = found;
    let logged = match logged {
        0 => String::new(),
        logged => format!("; {logged} logged before"),
    };
    plan.tell(Step::Achievements, outcome, format!("{message}{logged}"));
}

/// What the commits since the start come to, and how it is told.
fn of_git(
    place: Place<'_>,
    git: &Git,
    session: &Session,
    plan: &mut Plan,
) -> Result<(Vec<Achievement>, String), super::git::Error> {
    let from = effect::moment(&session.when).map_or(0, jiff::Timestamp::as_second);
    let history = history::since(git, session.commit.as_deref(), from)?;
    let mut found = achievement::of_commits(&history.commits);
    plan.omitted = history.omitted + found.len().saturating_sub(COMMITS_MAX);
    // The newest are what the session came to.
    found.drain(..found.len().saturating_sub(COMMITS_MAX));
    plan.commits = found.len();
    plan.head.clone_from(&history.head);
    if let Some((file, _)) = place.config.closing.changelog(place.config.settings.profile) {
        let file = super::steps::changelog_file(place, file);
        if let Ok(below) = file.strip_prefix(&place.project.root) {
            plan.in_changelog = history.touching(git, &below.to_string_lossy())?;
        }
    }
    let commits = match (history.commits.len(), found.len()) {
        (0, _) => "no commits".to_owned(),
        (1, 1) => "1 commit".to_owned(),
        (all, told) if all == told => format!("{all} commits"),
        (all, told) => format!("{told} from {all} commits"),
    };
    let more = if history.omitted == 0 { "" } else { " and more" };
    let note = history.note.map(|it| format!(" ({it})")).unwrap_or_default();
    Ok((found, format!("{commits}{more}{note}")))
}

fn checks(place: Place<'_>, session: &Session, state: &State, plan: &mut Plan) {
    let millis = |text: &str| effect::moment(text).map(jiff::Timestamp::as_millisecond);
    let (Some(from), Some(to)) = (millis(&session.when), millis(&plan.ended)) else {
        plan.tell(Step::Checks, Outcome::Skipped, "the record does not tell when the session began");
        return;
    };
    // The record's times are to the second.
    match journals::checks_between(&place.states(), from, to.saturating_add(1_000)) {
        Err(error) => plan.tell(Step::Checks, Outcome::Failed, error.to_string()),
        Ok((checks, whole)) => {
            let mut message = if checks.lines.is_empty() {
                "no tests or linters ran".to_owned()
            } else {
                checks.lines.join("; ")
            };
            if let (Some(now), Some(before)) = (checks.test_count, state.test_count.filter(|it| *it != 0))
                && now < before
            {
                let _ = write!(message, " (there were {before} tests before)");
            }
            if !whole {
                message.push_str(" (not all journals could be read)");
            }
            plan.checks = checks;
            plan.tell(Step::Checks, Outcome::Done, message);
        }
    }
}

/// Files that differ from the last commit, relative to the top folder.
fn changed(git: &Git) -> Vec<String> {
    let Ok(answer) = git.look(&["status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames"])
    else {
        return Vec::new();
    };
    answer.stdout.split('\0').filter_map(|it| it.get(3..)).map(str::to_owned).collect()
}
