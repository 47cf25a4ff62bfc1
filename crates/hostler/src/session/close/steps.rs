//! The steps of a close that change something. Each looks at the world first: what is there already is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_ledger::file::{Access, Snapshot};
use hostler_ledger::state::{self, State};
use hostler_model::SessionId;
use hostler_policy::session::achievement::OWN_COMMIT;
use hostler_policy::session::changelog::{self, Merged, Target};
use hostler_policy::session::closing::{self, Outcome, Plan, Step};
use hostler_trace::settings;
use serde_json::json;

use super::git::{Answer, Error, Git, literal};
use super::{Place, fault, journals};
use crate::session::Refused;
use crate::session::effect::{self, End};
use crate::trace::{self, Written};

/// A commit runs the user's hooks, which may run all tests.
const COMMIT_TIME_MAX: Duration = Duration::from_secs(300);
/// A tag that is signed may wait for a passphrase.
const TAG_TIME_MAX: Duration = Duration::from_secs(60);
/// A push runs a hook of the user's as well.
const PUSH_TIME_MAX: Duration = Duration::from_secs(300);
/// The remote that is pushed to.
const REMOTE: &str = "origin";
/// Achievements that the commit's message lists.
const COMMIT_LINES_MAX: usize = 20;
/// Files of programs that write a changelog from commits.
const GENERATORS: &[&str] = &[
    ".changeset",
    ".release-please-manifest.json",
    ".versionrc",
    "cliff.toml",
    "release-please-config.json",
];
/// What is in the git folder while commits are being put together.
const UNFINISHED: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("BISECT_LOG", "a bisection"),
];

type Told = (Outcome, String);

/// The steps, in their place.
pub(super) struct Steps<'a> {
    place: Place<'a>,
    git: Option<Git>,
}

/// What a step comes to.
enum Next<T> {
    /// This is to be done.
    Do(T),
    /// Nothing is.
    Told(Told),
}

fn done<T>(message: impl Into<String>) -> Next<T> {
    Next::Told((Outcome::Done, message.into()))
}

fn skipped<T>(message: impl Into<String>) -> Next<T> {
    Next::Told((Outcome::Skipped, message.into()))
}

fn failed<T>(message: impl Into<String>) -> Next<T> {
    Next::Told((Outcome::Failed, message.into()))
}

impl<'a> Steps<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        Self { place, git: place.git() }
    }

    /// Takes a step. What else there is to say goes to `notes`.
    pub(super) fn take(&self, step: Step, plan: &mut Plan, notes: &mut Vec<String>) -> Told {
        match step {
            Step::Flush => self.flush(),
            Step::Rtm => self.rtm(plan),
            Step::Changelog => self.changelog(plan),
            Step::Record => self.record(plan, notes),
            Step::Clear => self.clear(plan),
            Step::Commit => self.commit(plan),
            Step::Tag => self.tag(plan, notes),
            Step::Push => self.push(plan),
            // Known since the plan was made.
            Step::Achievements | Step::Checks => (Outcome::Done, String::new()),
        }
    }

    /// Tells what a step would do.
    pub(super) fn ahead(&self, step: Step, plan: &Plan) -> Told {
        let planned = |message: String| (Outcome::Planned, message);
        match step {
            Step::Flush => planned("wait until the journals are on the disk".to_owned()),
            Step::Record => {
                planned(format!("end session #{} in {}", plan.session, self.shown(&self.place.sessions.file)))
            }
            Step::Clear => planned("start the session's counters over".to_owned()),
            Step::Rtm => match self.next_rtm(plan) {
                Next::Do(it) => planned(format!("write {}: {}", self.shown(&it.file), it.headline)),
                Next::Told(told) => told,
            },
            Step::Changelog => match self.next_changelog(plan) {
                Next::Do((file, _, merged)) => planned(added(&self.shown(&file), &merged)),
                Next::Told(told) => told,
            },
            Step::Commit => match self.may_commit(plan) {
                Next::Do(_) => planned(format!("commit the files of the close on {}", branch(plan))),
                Next::Told(told) => told,
            },
            Step::Tag => match self.next_tag(plan) {
                Next::Do((_, name)) => planned(format!("tag {name}")),
                Next::Told(told) => told,
            },
            Step::Push => match self.may_push(plan) {
                Next::Do(_) => {
                    let tag = plan.tag.as_deref();
                    let what: Vec<&str> = plan.branch.as_deref().into_iter().chain(tag).collect();
                    planned(format!("push {} to {REMOTE}", what.join(" and ")))
                }
                Next::Told(told) => told,
            },
            Step::Achievements | Step::Checks => (Outcome::Skipped, String::new()),
        }
    }

    fn flush(&self) -> Told {
        match journals::sync(&self.place.states()) {
            Ok(0) => (Outcome::Skipped, "no journal is being written".to_owned()),
            Ok(1) => (Outcome::Done, "1 journal is on the disk".to_owned()),
            Ok(count) => (Outcome::Done, format!("{count} journals are on the disk")),
            Err(error) => (Outcome::Failed, format!("a journal could not be synced: {error}")),
        }
    }

    /// The matrix of requirements, where the project traces any and it is not current.
    fn next_rtm(&self, plan: &Plan) -> Next<Written> {
        if !plan.rtm {
            return skipped("not wanted");
        }
        let folder = self.place.folder();
        let root = [folder.as_path(), &self.place.project.root]
            .into_iter()
            .find(|it| it.join(settings::FILE).is_file());
        // Requirements that are found by their looks are no reason to put a file into somebody's project.
        let asked = self.place.config.closing.rtm == Some(true);
        let Some(root) = root.or_else(|| asked.then_some(&folder)) else {
            return skipped(format!("the project has no `{}`", settings::FILE));
        };
        match trace::matrix(root, Some(&self.place.sessions.state)) {
            Err(error) => failed(format!("{error:#}")),
            Ok(None) => skipped("the project traces no requirements"),
            Ok(Some(written)) => Next::Do(written),
        }
    }

    fn rtm(&self, plan: &mut Plan) -> Told {
        let written = match self.next_rtm(plan) {
            Next::Do(written) => written,
            Next::Told(told) => return told,
        };
        if let Err(error) = written.write() {
            return (Outcome::Failed, format!("{error:#}"));
        }
        self.wrote(plan, &written.file);
        (Outcome::Done, format!("{}: {}", self.shown(&written.file), written.headline))
    }

    fn next_changelog(&self, plan: &Plan) -> Next<(PathBuf, Snapshot, Merged)> {
        let profile = self.place.config.settings.profile;
        let wanted = self.place.config.closing.changelog(profile).filter(|_| plan.changelog);
        let Some((name, made)) = wanted else { return skipped("not wanted") };
        let file = changelog_file(self.place, name);
        let shown = self.shown(&file);
        let entries = plan.entries();
        if entries.is_empty() {
            return skipped("nothing that users notice");
        }
        let snapshot = match Snapshot::read(&file) {
            Ok(snapshot) => snapshot,
            Err(error) => return failed(error.to_string()),
        };
        let markdown =
            file.extension().is_none_or(|it| ["md", "markdown", "txt"].iter().any(|own| it == *own));
        if !markdown {
            return failed(format!("`{shown}` is no Markdown; name one that is in `session.changelog`"));
        }
        let existing = match snapshot.bytes().map(std::str::from_utf8) {
            None if !made => {
                return skipped(format!("there is no {shown}; `session.changelog = true` makes it"));
            }
            None => None,
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => return failed(format!("`{shown}` is not UTF-8")),
        };
        if !self.place.config.closing.names_changelog() {
            let generator = GENERATORS.iter().find(|it| self.place.project.root.join(it).exists());
            if let Some(generator) = generator {
                return skipped(format!("{shown} is written by another program (`{generator}`)"));
            }
            if existing.is_some_and(changelog::is_generated) {
                return skipped(format!("{shown} says that a program writes it"));
            }
        }
        let version = crate::session::known::version(&self.place.folder()).unwrap_or_default();
        let target = Target { version: &version, released: self.is_released(&version) };
        let merged = changelog::merge(existing, &entries, &target);
        Next::Do((file, snapshot, merged))
    }

    fn changelog(&self, plan: &mut Plan) -> Told {
        match self.next_changelog(plan) {
            Next::Told(told) => told,
            Next::Do((file, snapshot, merged)) => {
                // Where all of it is there, a close that was killed may have written it.
                if !merged.added.is_empty()
                    && let Err(error) = snapshot.replace(merged.text.as_bytes(), Access::Shared)
                {
                    return (Outcome::Failed, error.to_string());
                }
                self.wrote(plan, &file);
                (Outcome::Done, added(&self.shown(&file), &merged))
            }
        }
    }

    /// Notes a file that belongs to the close.
    fn wrote(&self, plan: &mut Plan, file: &Path) {
        let Ok(below) = file.strip_prefix(&self.place.project.root) else { return };
        let below = below.to_string_lossy().into_owned();
        if !plan.files.contains(&below) {
            plan.files.push(below);
        }
    }

    /// Whether git has a tag of the version.
    fn is_released(&self, version: &str) -> bool {
        let tagged = |git: &Git| {
            let (plain, v) = (format!("refs/tags/{version}"), format!("refs/tags/v{version}"));
            git.look(&["show-ref", "--verify", "--quiet", &plain]).is_ok_and(|it| it.ok())
                || git.look(&["show-ref", "--verify", "--quiet", &v]).is_ok_and(|it| it.ok())
        };
        !version.is_empty() && self.git.as_ref().is_some_and(tagged)
    }

    fn record(&self, plan: &Plan, notes: &mut Vec<String>) -> Told {
        let end = End {
            achievements: plan.achievements.iter().map(|it| it.text.clone()).collect(),
            upcoming: plan.upcoming.clone(),
            outcome: plan.outcome.clone(),
        };
        let applied = self.place.sessions.apply(false, |context| {
            let Some((index, session)) = context.by_number(plan.session) else {
                return Err(Refused::UnknownSession { seq: plan.session });
            };
            if let Some(length) = session.length {
                effect::add_to_ended(context, plan.session, &end);
                return Ok(length);
            }
            if context.active().is_none_or(|(active, _)| active != index) {
                return Err(Refused::NoActive);
            }
            let ended = effect::end(context, &end, &plan.ended)?;
            if let Some((index, mut session)) = context.by_number(plan.session) {
                session.tag = plan.tag.clone().filter(|_| self.has_commit());
                if !plan.checks.lines.is_empty() {
                    session.other.insert("checks".to_owned(), json!(plan.checks.lines));
                }
                context.replace(index, session);
            }
            let state = context.state_mut();
            if let Some(branch) = &plan.branch {
                state.branch.clone_from(branch);
            }
            if let Some(count) = plan.checks.test_count {
                state.test_count = Some(count);
            }
            if let Some(words) = &plan.checks.test_state {
                state.test_state = Some(words.clone());
            }
            Ok(ended.length)
        });
        match applied {
            Err(error) => (Outcome::Failed, error.to_string()),
            Ok(applied) => {
                notes.extend(applied.notes);
                notes.extend(applied.view.and_then(Result::err).map(|it| it.to_string()));
                (Outcome::Done, format!("session #{} took {}", plan.session, applied.value))
            }
        }
    }

    /// Starts over what is counted for the session's clients: the work that it was counted for is over.
    fn clear(&self, plan: &Plan) -> Told {
        let context = self.place.sessions.read().ok();
        let session = context.and_then(|it| it.by_number(plan.session)).map(|(_, session)| session);
        let hosts = session.map(|it| it.hosts).unwrap_or_default();
        let mut cleared = 0;
        for id in hosts.iter().filter_map(|host| SessionId::parse(&host.id).ok()) {
            for folder in self.place.states() {
                match clear_reads(&folder, &id) {
                    Ok(done) => cleared += u64::from(done),
                    Err(error) => return (Outcome::Failed, error.to_string()),
                }
            }
        }
        match cleared {
            0 => (Outcome::Skipped, "nothing was counted".to_owned()),
            1 => (Outcome::Done, "counts of 1 client start over".to_owned()),
            count => (Outcome::Done, format!("counts of {count} clients start over")),
        }
    }

    /// Whether the files of a close can be committed.
    fn may_commit(&self, plan: &Plan) -> Next<&Git> {
        if !plan.commit {
            return skipped("not configured (`session.commit`)");
        }
        let Some(git) = &self.git else { return skipped("no git repository") };
        if !self.has_commit() {
            return skipped("there is no commit yet; the first one is yours");
        }
        if plan.branch.is_none() {
            return skipped("no branch is checked out");
        }
        let git_dir = self.place.project.git_dir.as_deref();
        let unfinished = UNFINISHED.iter().find(|(name, _)| git_dir.is_some_and(|it| it.join(name).exists()));
        match unfinished {
            Some((_, what)) => failed(format!("{what} is not finished; finish it and close again")),
            None => Next::Do(git),
        }
    }

    fn commit(&self, plan: &Plan) -> Told {
        let git = match self.may_commit(plan) {
            Next::Do(git) => git,
            Next::Told(told) => return told,
        };
        match self.commit_files(git, plan) {
            Ok(told) => told,
            Err(error) => (Outcome::Failed, error.to_string()),
        }
    }

    fn commit_files(&self, git: &Git, plan: &Plan) -> Result<Told, Error> {
        let (own, users) = self.files(plan);
        let left = match users.len() {
            0 => String::new(),
            _ => format!("; not {}, which had changes of yours before", users.join(", ")),
        };
        let mut files = Vec::new();
        let mut new = Vec::new();
        for file in own {
            let status = git
                .look(&["status", "--porcelain=v1", "--untracked-files=all", "--", &literal(&file)])?
                .succeeded()?;
            match status.line() {
                // Unchanged, or ignored.
                None => continue,
                Some(line) if line.starts_with("??") => new.push(file.clone()),
                // Announced by a close that was killed.
                Some(_) => {}
            }
            files.push(file);
        }
        if files.is_empty() {
            return Ok((Outcome::Done, format!("nothing is left to commit{left}")));
        }
        let arguments = |first: &[&'static str], files: &[String]| -> Vec<String> {
            let first = first.iter().map(|it| (*it).to_owned());
            first.chain(["--".to_owned()]).chain(files.iter().map(|it| literal(it))).collect()
        };
        let act = |arguments: &[String], input: Option<&str>| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            git.act(&arguments, input, COMMIT_TIME_MAX)
        };
        if !new.is_empty() {
            act(&arguments(&["add", "--intent-to-add"], &new), None)?.succeeded()?;
            fault::kill("announced");
        }
        // `--only`: what the user has in the index stays there.
        let message = commit_message(plan);
        let commit = arguments(&["commit", "--only", "--quiet", "--cleanup=whitespace", "--file=-"], &files);
        let committed = act(&commit, Some(&message)).and_then(Answer::succeeded);
        if committed.is_err() && !new.is_empty() {
            let _ = act(&arguments(&["reset", "--quiet"], &new), None);
        }
        committed?;
        let id = git.line(&["rev-parse", "--short", "HEAD"])?.unwrap_or_default();
        Ok((Outcome::Done, format!("{} on {} as {id}{left}", files.join(", "), branch(plan))))
    }

    /// The files of the close below the top folder, and those among them that the user had changed before.
    fn files(&self, plan: &Plan) -> (Vec<String>, Vec<String>) {
        let (mut users, mut own): (Vec<String>, Vec<String>) =
            plan.files.iter().cloned().partition(|it| plan.changed_before.contains(it));
        users.sort();
        if self.place.holds_record() {
            let view = self.place.sessions.view();
            for file in [&self.place.sessions.file, &view] {
                let Ok(below) = file.strip_prefix(&self.place.project.root) else { continue };
                if file.exists() {
                    own.push(below.to_string_lossy().into_owned());
                }
            }
        }
        own.sort();
        (own, users)
    }

    fn has_commit(&self) -> bool {
        let head =
            |git: &Git| git.line(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]).ok().flatten();
        self.git.as_ref().and_then(head).is_some()
    }

    fn next_tag(&self, plan: &Plan) -> Next<(&Git, String)> {
        let Some(name) = &plan.tag else { return skipped("not wanted") };
        let Some(git) = &self.git else { return skipped("no git repository") };
        if !self.has_commit() {
            return skipped("there is no commit to tag");
        }
        let reference = format!("refs/tags/{name}");
        match git.look(&["show-ref", "--verify", "--quiet", &reference]) {
            Err(error) => failed(error.to_string()),
            Ok(answer) if answer.ok() => done(format!("{name} is there")),
            Ok(_) => Next::Do((git, name.clone())),
        }
    }

    fn tag(&self, plan: &Plan, notes: &mut Vec<String>) -> Told {
        let (git, name) = match self.next_tag(plan) {
            Next::Do(next) => next,
            Next::Told(told) => return told,
        };
        let purpose = self.place.sessions.read().ok().and_then(|it| it.by_number(plan.session));
        let purpose = purpose.map(|(_, session)| session.purpose).unwrap_or_default();
        let message = closing::tag_message(plan, &effect::one_line(&purpose));
        let make = |sign: &[&str]| {
            let arguments =
                [&["tag"], sign, &["--annotate", "--cleanup=whitespace", "--file=-", &name]].concat();
            git.act(&arguments, Some(&message), TAG_TIME_MAX).and_then(Answer::succeeded)
        };
        let Err(error) = make(&[]) else { return (Outcome::Done, name) };
        if signs_tags(git) {
            // The tag marks a place; that it is there matters more than who says so, which is told.
            if make(&["--no-sign"]).is_ok() {
                notes.push(format!("the tag {name} is not signed: {error}"));
                return (Outcome::Done, format!("{name}, not signed"));
            }
        }
        let forgotten = self.place.sessions.apply(false, |context| {
            if let Some((index, mut session)) = context.by_number(plan.session) {
                session.tag = None;
                context.replace(index, session);
            }
            Ok(())
        });
        notes.extend(forgotten.err().map(|it| it.to_string()));
        (Outcome::Failed, error.to_string())
    }

    /// Whether there is anywhere to push to.
    fn may_push(&self, plan: &Plan) -> Next<&Git> {
        if !plan.push {
            return skipped("not configured (`session.push`)");
        }
        let Some(git) = &self.git else { return skipped("no git repository") };
        match git.line(&["remote", "get-url", REMOTE]) {
            Err(error) => failed(error.to_string()),
            Ok(None) => skipped(format!("there is no remote `{REMOTE}`")),
            Ok(Some(_)) if plan.branch.is_none() && plan.tag.is_none() => skipped("there is nothing to push"),
            Ok(Some(_)) => Next::Do(git),
        }
    }

    fn push(&self, plan: &Plan) -> Told {
        let git = match self.may_push(plan) {
            Next::Do(git) => git,
            Next::Told(told) => return told,
        };
        let exists = |reference: &String| {
            git.look(&["show-ref", "--verify", "--quiet", reference]).is_ok_and(|it| it.ok())
        };
        let branch = plan.branch.as_ref().map(|it| format!("refs/heads/{it}"));
        let tag = plan.tag.as_ref().map(|it| format!("refs/tags/{it}"));
        let references: Vec<String> = branch.into_iter().chain(tag).filter(exists).collect();
        if references.is_empty() {
            return (Outcome::Skipped, "there is nothing to push".to_owned());
        }
        let pairs: Vec<String> = references.iter().map(|it| format!("{it}:{it}")).collect();
        let mut arguments = vec!["push", "--porcelain", "--no-follow-tags", REMOTE];
        arguments.extend(pairs.iter().map(String::as_str));
        let answer = match git.talk(&arguments, PUSH_TIME_MAX) {
            Ok(answer) => answer,
            Err(error) => return (Outcome::Failed, error.to_string()),
        };
        pushed(&answer, &references)
    }

    /// For people.
    fn shown(&self, file: &Path) -> String {
        file.strip_prefix(&self.place.project.root).unwrap_or(file).display().to_string()
    }
}

/// The changelog: beside the record, where several projects share a repository, else in the top folder.
pub(super) fn changelog_file(place: Place<'_>, name: &Path) -> PathBuf {
    let beside = place.folder().join(name);
    if beside.exists() { beside } else { place.project.root.join(name) }
}

/// Whether there were any.
fn clear_reads(state: &Path, session: &SessionId) -> Result<bool, hostler_ledger::journal::Error> {
    let counted = state::load(state, session)?.has_reads();
    if counted {
        state::update(state, session, State::clear_reads)?;
    }
    Ok(counted)
}

fn commit_message(plan: &Plan) -> String {
    let mut message = format!("{OWN_COMMIT}{}\n", plan.session);
    let lines = closing::list(plan, COMMIT_LINES_MAX);
    if !lines.is_empty() {
        message.push('\n');
        message.push_str(&lines.join("\n"));
        message.push('\n');
    }
    message
}

fn added(file: &str, merged: &Merged) -> String {
    let entries = match merged.added.len() {
        0 => return format!("{file} has all of it"),
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    let heading = merged.heading.trim_start_matches('#').trim();
    format!("{entries} in {file} below {heading}")
}

fn branch(plan: &Plan) -> &str {
    plan.branch.as_deref().unwrap_or("no branch")
}

fn signs_tags(git: &Git) -> bool {
    ["tag.gpgSign", "tag.forceSignAnnotated"].iter().any(|name| {
        let value = git.line(&["config", "--type=bool", "--get", name]);
        value.is_ok_and(|it| it.as_deref() == Some("true"))
    })
}

/// What became of each reference, by git's own lines: `flag TAB from:to TAB summary`.
fn pushed(answer: &Answer, references: &[String]) -> Told {
    let short = |it: &str| {
        let name = it.strip_prefix("refs/heads/").or_else(|| it.strip_prefix("refs/tags/"));
        name.unwrap_or(it).to_owned()
    };
    let mut there = Vec::new();
    let mut refused = Vec::new();
    for line in answer.stdout.lines() {
        let mut fields = line.split('\t');
        let (Some(flag), Some(pair), Some(summary)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let name = short(pair.split(':').next_back().unwrap_or(pair));
        if flag == "!" {
            refused.push(format!("{name}: {summary}"));
        } else {
            there.push(name);
        }
    }
    if answer.ok() {
        let names: Vec<String> = references.iter().map(|it| short(it)).collect();
        return (Outcome::Done, format!("{} to {REMOTE}", names.join(" and ")));
    }
    let why = if refused.is_empty() { answer.problem() } else { refused.join("; ") };
    let also = if there.is_empty() { String::new() } else { format!("; {} is there", there.join(" and ")) };
    (Outcome::Failed, format!("{why}{also}; push by hand when it is settled"))
}
