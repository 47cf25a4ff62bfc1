//! The plan of a close: everything that is looked up and decided before anything is changed.

use std::collections::HashSet;
use std::fmt::Write;

use hostler_ledger::context::{Context, Session, State};
use hostler_policy::session::achievement::{self, Achievement};
use hostler_policy::session::closing::{self, Outcome, Plan, Step};
use jiff::tz::TimeZone;

use super::git::{Error, Git};
use super::history::{Scope, is_id};
use super::steps::HEADS;
use super::{Place, Request, history, journals};
use crate::session::{effect, known};

/// Achievements of a session that commits add at most.
const COMMITS_MAX: usize = 50;
/// Earlier sessions whose commits are told from those of this one.
const EARLIER_MAX: usize = 50;

/// Plans the close of `session`.
pub(super) fn make(place: Place<'_>, context: &Context, session: &Session, request: &Request) -> Plan {
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
    if let Some(git) = &git {
        stand(place, git, &mut plan);
    }
    achievements(place, git.as_ref(), (context, session), &request.achievements, &mut plan);
    checks(place, session, context.state(), &mut plan);
    plan
}

/// What is checked out. Where git cannot say, its files may: the close is tried again later, and then something else
/// may be checked out.
fn stand(place: Place<'_>, git: &Git, plan: &mut Plan) {
    let named = || known::branch(place.project).filter(|it| !it.starts_with("detached at "));
    plan.head = git.commit("HEAD").unwrap_or_else(|_| place.project.commit());
    plan.branch = git.branch().unwrap_or_else(|_| named());
    if let Some(head) = &plan.head {
        let heads = history::heads(git, head.clone(), place.is_shared());
        plan.heads = heads.unwrap_or_else(|_| vec![head.clone()]);
    }
}

/// Looks up again what could not be looked up when the plan was made.
pub(super) fn look_again(place: Place<'_>, context: &Context, session: &Session, plan: &mut Plan) {
    if plan.has_failed(Step::Achievements) {
        let git = place.git();
        if let Some(git) = git.as_ref().filter(|_| plan.head.is_none()) {
            stand(place, git, plan);
        }
        let said = plan.achievements.iter().filter(|it| it.commit.is_none());
        let said: Vec<String> = said.map(|it| it.text.clone()).collect();
        achievements(place, git.as_ref(), (context, session), &said, plan);
        if !plan.has_failed(Step::Achievements) {
            plan.forget(&[Step::Changelog, Step::Record, Step::Commit]);
        }
    }
    if plan.has_failed(Step::Checks) {
        checks(place, session, context.state(), plan);
        if !plan.has_failed(Step::Checks) {
            plan.forget(&[Step::Record, Step::Commit]);
        }
    }
    if plan.has_failed(Step::Tag) {
        // The record does not name a tag that could not be made.
        plan.forget(&[Step::Record, Step::Commit]);
    }
}

/// A plan that was made before the work went on, and the one that is made now: what the first one wrote is the
/// close's own.
pub(super) fn again(old: Plan, new: Plan) -> Plan {
    Plan { changed_before: old.changed_before, files: old.files, digests: old.digests, also: old.also, ..new }
}

/// Whether something was committed, checked out or logged since the plan was made.
pub(super) fn is_outdated(place: Place<'_>, plan: &Plan, session: &Session) -> bool {
    let logged = session.updated.as_deref().and_then(effect::moment);
    let git = place.git();
    // A git that cannot say does not know better than the plan.
    let moved = |git: &Git| {
        git.commit("HEAD").is_ok_and(|it| it != plan.head) || git.branch().is_ok_and(|it| it != plan.branch)
    };
    git.as_ref().is_some_and(moved) || effect::moment(&plan.ended) < logged
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

/// Takes over what is said now of steps that are left to do. What was not wanted before and is now is left to do.
pub(super) fn adjust(plan: &mut Plan, now: &Request) {
    plan.push = now.push.unwrap_or(plan.push);
    plan.commit = now.commit.unwrap_or(plan.commit);
    plan.changelog = now.changelog.unwrap_or(plan.changelog);
    plan.rtm = now.rtm.unwrap_or(plan.rtm);
    if now.tag == Some(false) {
        plan.tag = None;
    }
    for (wanted, step) in [(now.commit, Step::Commit), (now.push, Step::Push)] {
        if wanted == Some(true) && plan.told(step).is_some_and(|it| it.outcome == Outcome::Skipped) {
            plan.forget(&[step]);
        }
    }
}

fn tag_name(session: u64, ended: &str) -> String {
    let time = effect::moment(ended).unwrap_or_else(jiff::Timestamp::now).to_zoned_datetime(TimeZone::UTC);
    closing::tag_name(session, time.year(), time.month(), time.day(), time.hour(), time.minute())
}

fn achievements(
    place: Place<'_>,
    git: Option<&Git>,
    (context, session): (&Context, &Session),
    said: &[String],
    plan: &mut Plan,
) {
    let mut found: Vec<Achievement> = session.achievements.iter().map(|it| Achievement::of(it)).collect();
    let logged = found.len();
    let (outcome, message) = match git {
        None => (Outcome::Skipped, "no git repository".to_owned()),
        Some(git) => match of_git(place, git, (context, session), plan) {
            Ok((commits, note)) => {
                found.extend(commits);
                (Outcome::Done, note)
            }
            Err(error) => (Outcome::Failed, error.to_string()),
        },
    };
    found.extend(said.iter().map(|it| Achievement::of(&effect::clean(it))));
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
    (context, session): (&Context, &Session),
    plan: &mut Plan,
) -> Result<(Vec<Achievement>, String), Error> {
    if plan.head.is_none() {
        // No commit is something else than a git that does not answer.
        git.commit("HEAD")?;
    }
    let history = history::since(git, &scope(context, session, plan))?;
    let mut found = achievement::of_commits(&history.commits);
    plan.omitted = history.omitted + found.len().saturating_sub(COMMITS_MAX);
    // The newest are what the session came to.
    found.drain(..found.len().saturating_sub(COMMITS_MAX));
    plan.commits = found.len();
    if let Some((file, _)) = place.config.closing.changelog(place.config.settings.profile) {
        let file = super::changelog::file(place, file);
        if let Some(below) = place.below(&file) {
            plan.in_changelog = history.touching(git, &below)?;
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

/// Which commits are the session's.
fn scope(context: &Context, session: &Session, plan: &Plan) -> Scope {
    let mut scope = Scope {
        heads: plan.heads.clone(),
        start: session.commit.clone(),
        from_s: effect::moment(&session.when).map_or(0, jiff::Timestamp::as_second),
        ..Scope::default()
    };
    let plain = |tag: &&String| {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
        tag.chars().all(known) && !tag.contains("..")
    };
    let earlier = context.newest_first().map(|(_, it)| it).filter(|it| it.seq < session.seq);
    for earlier in earlier.take(EARLIER_MAX) {
        scope.earlier.extend(earlier.tag.as_ref().filter(plain).map(|tag| format!("refs/tags/{tag}")));
        let heads = earlier.other.get(HEADS).and_then(|it| it.as_array()).into_iter().flatten();
        scope.earlier.extend(heads.filter_map(|it| it.as_str()).filter(|it| is_id(it)).map(str::to_owned));
        scope.recorded.extend(earlier.achievements.iter().map(|it| it.to_lowercase()));
    }
    scope
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
