//! The steps of a close that change something. Each looks at the world first: what is there already is done.

use std::path::Path;
use std::time::Duration;

use hostler_ledger::journal::sha256_hex;
use hostler_ledger::state::{self, State};
use hostler_model::SessionId;
use hostler_policy::session::achievement::OWN_COMMIT;
use hostler_policy::session::closing::{self, Outcome, Plan, Step};
use hostler_trace::settings;
use serde_json::json;

use super::git::{Answer, Error, Git, literal};
use super::saved::Saved;
use super::{Place, fault, journals, publish};
use crate::session::Refused;
use crate::session::effect::{self, End};
use crate::trace::{self, Written};

/// A commit runs the user's hooks, which may run all tests.
const COMMIT_TIME_MAX: Duration = Duration::from_secs(300);
/// Where the record of a session keeps the commits that were checked out at its end.
pub(super) const HEADS: &str = "heads";
/// Achievements that the commit's message lists.
const COMMIT_LINES_MAX: usize = 20;
/// What is in the git folder while commits are being put together.
const UNFINISHED: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("BISECT_LOG", "a bisection"),
];

pub(super) type Told = (Outcome, String);

/// The steps, in their place.
pub(super) struct Steps<'a> {
    pub(super) place: Place<'a>,
    pub(super) git: Option<Git>,
}

/// What a step comes to.
pub(super) enum Next<T> {
    /// This is to be done.
    Do(T),
    /// Nothing is.
    Told(Told),
}

pub(super) fn done<T>(message: impl Into<String>) -> Next<T> {
    Next::Told((Outcome::Done, message.into()))
}

pub(super) fn skipped<T>(message: impl Into<String>) -> Next<T> {
    Next::Told((Outcome::Skipped, message.into()))
}

pub(super) fn failed<T>(message: impl Into<String>) -> Next<T> {
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
                Next::Do(next) => planned(self.added(&next)),
                Next::Told(told) => told,
            },
            Step::Commit => match self.may_commit(plan) {
                Next::Do(_) => planned(format!("commit the files of the close on {}", branch(plan))),
                Next::Told(told) => told,
            },
            Step::Tag => match self.next_tag(plan) {
                Next::Do((_, tag)) => planned(format!("tag {}", tag.name)),
                Next::Told(told) => told,
            },
            Step::Push => match self.may_push(plan) {
                Next::Do(_) => planned(format!("push {}", publish::named(&publish::references(plan)))),
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
        if let Some(why) = self.elsewhere(plan) {
            return failed(why);
        }
        match trace::matrix(root, Some(&self.place.sessions.state)) {
            Err(error) => failed(format!("{error:#}")),
            Ok(None) => skipped("the project traces no requirements"),
            Ok(Some(written)) if self.place.below(&written.file).is_none() => failed(format!(
                "`{}` leads out of the project; set another `matrix.path` in `{}`",
                self.shown(&written.file),
                settings::FILE
            )),
            Ok(Some(written)) => Next::Do(written),
        }
    }

    fn rtm(&self, plan: &mut Plan) -> Told {
        let written = match self.next_rtm(plan) {
            Next::Do(written) => written,
            Next::Told(told) => return told,
        };
        // All of it is made by us, so there is nothing of the user's in it.
        if let Some(below) = self.place.below(&written.file) {
            self.announce(plan, below, written.text.as_bytes());
        }
        if let Err(error) = written.write() {
            return (Outcome::Failed, format!("{error:#}"));
        }
        (Outcome::Done, format!("{}: {}", self.shown(&written.file), written.headline))
    }

    /// Notes what is about to be written, on the disk as well: a close that is killed finds its own work again.
    pub(super) fn announce(&self, plan: &mut Plan, below: String, bytes: &[u8]) {
        if !plan.files.contains(&below) {
            plan.files.push(below.clone());
        }
        plan.digests.insert(below, sha256_hex(bytes));
        // That it could not be kept is told after the step.
        let _ = Saved::of(&self.place.sessions.state).write(plan);
    }

    /// Whether a file that the close is about to change differs from the last commit by more than closes wrote.
    pub(super) fn has_changes_of_users(&self, plan: &Plan, below: &str, bytes: Option<&[u8]>) -> bool {
        let Some(bytes) = bytes else { return false };
        let ours = plan.digests.get(below).is_some_and(|it| *it == sha256_hex(bytes));
        let known = plan.changed_before.iter().any(|it| it == below);
        let differs = |git: &Git| status(git, below).is_ok_and(|it| it.is_some());
        !ours && !known && self.git.as_ref().is_some_and(differs)
    }

    /// Why nothing is written: another branch is checked out than the one that the session ended on.
    pub(super) fn elsewhere(&self, plan: &Plan) -> Option<String> {
        // Where git does not answer, whoever needs it says so.
        let git = self.git.as_ref()?;
        let here = git.branch().ok()?;
        let named = |branch: Option<&String>, head: &str| match branch {
            Some(branch) => format!("`{branch}`"),
            None => format!("commit {}", head.get(..12).unwrap_or(head)),
        };
        (here != plan.branch).then(|| {
            let now = git.commit("HEAD").ok().flatten().unwrap_or_default();
            format!(
                "{} is checked out, and the session ended on {}; check that out and close again",
                named(here.as_ref(), &now),
                named(plan.branch.as_ref(), plan.head.as_deref().unwrap_or_default())
            )
        })
    }

    fn record(&self, plan: &Plan, notes: &mut Vec<String>) -> Told {
        let mut end = End {
            achievements: plan.achievements.iter().map(|it| it.text.clone()).collect(),
            upcoming: plan.upcoming.clone(),
            outcome: plan.outcome.clone(),
        };
        let tag = plan.tag.clone().filter(|_| self.may_tag(plan));
        let applied = self.place.sessions.apply(false, |context| {
            let Some((index, session)) = context.by_number(plan.session) else {
                return Err(Refused::UnknownSession { seq: plan.session });
            };
            let length = match session.length {
                Some(length) => {
                    if session.ended.as_ref() == Some(&plan.ended) {
                        // It was this close that ended it, with what is next; some of that may be done since.
                        end.upcoming.clear();
                    }
                    effect::add_to_ended(context, plan.session, &end);
                    length
                }
                None if context.active().is_none_or(|(active, _)| active != index) => {
                    return Err(Refused::NoActive);
                }
                None => {
                    let length = effect::end(context, &end, &plan.ended)?.length;
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
                    length
                }
            };
            if let Some((index, before)) = context.by_number(plan.session) {
                let mut session = before.clone();
                session.tag.clone_from(&tag);
                if !plan.checks.lines.is_empty() {
                    session.other.insert("checks".to_owned(), json!(plan.checks.lines));
                }
                if !plan.heads.is_empty() {
                    session.other.insert(HEADS.to_owned(), json!(plan.heads));
                }
                if session != before {
                    context.replace(index, session);
                }
            }
            Ok(length)
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
        match git.commit("HEAD").and_then(|head| Ok((head, git.branch()?))) {
            Err(error) => return failed(error.to_string()),
            Ok((None, _)) => return skipped("there is no commit yet; the first one is yours"),
            Ok((_, None)) if plan.branch.is_none() => return skipped("no branch is checked out"),
            Ok(_) => {}
        }
        if let Some(why) = self.elsewhere(plan) {
            return failed(why);
        }
        let git_dir = self.place.project.git_dir.as_deref();
        let unfinished = UNFINISHED.iter().find(|(name, _)| git_dir.is_some_and(|it| it.join(name).exists()));
        match unfinished {
            Some((_, what)) => failed(format!("{what} is not finished; finish it and close again")),
            None => Next::Do(git),
        }
    }

    fn commit(&self, plan: &mut Plan) -> Told {
        let git = match self.may_commit(plan) {
            Next::Do(git) => git,
            Next::Told(told) => return told,
        };
        match self.commit_files(git, plan) {
            Ok(told) => told,
            Err(error) => (Outcome::Failed, error.to_string()),
        }
    }

    fn commit_files(&self, git: &Git, plan: &mut Plan) -> Result<Told, Error> {
        find_commit(git, plan)?;
        let (own, mut users) = self.files(plan);
        // What the user has committed since needs no word.
        users.retain(|it| status(git, it).is_ok_and(|it| it.is_some()));
        let left = match users.len() {
            0 => String::new(),
            _ => format!("; not {}, which has changes of yours", users.join(", ")),
        };
        let mut files = Vec::new();
        let mut new = Vec::new();
        for file in own {
            match status(git, &file)? {
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
        if committed.is_err() {
            // A hook that says no may have put them into its own form, which is no work of the user's.
            for (file, digest) in plan.digests.iter_mut().filter(|(file, _)| files.contains(file)) {
                *digest = self.digest(file);
            }
        }
        committed?;
        let (new, before) = (git.commit("HEAD")?, git.commit("HEAD^")?);
        if before.is_some() && (before == plan.head || before == plan.committed) {
            plan.committed.clone_from(&new);
        }
        // Both are about this commit as well.
        plan.forget(&[Step::Tag, Step::Push]);
        let id = git.line(&["rev-parse", "--short", new.as_deref().unwrap_or("HEAD")])?.unwrap_or_default();
        Ok((Outcome::Done, format!("{} on {} as {id}{left}", files.join(", "), branch(plan))))
    }

    /// The files of the close below the top folder, and those among them that the user changed before or since.
    fn files(&self, plan: &Plan) -> (Vec<String>, Vec<String>) {
        let is_users = |file: &String| {
            plan.changed_before.contains(file)
                || plan.digests.get(file).is_some_and(|it| *it != self.digest(file))
        };
        let (mut users, mut own): (Vec<String>, Vec<String>) = plan.files.iter().cloned().partition(is_users);
        users.sort();
        if self.place.holds_record() {
            let view = self.place.sessions.view();
            let files = [&self.place.sessions.file, &view].into_iter().filter(|it| it.exists());
            own.extend(files.filter_map(|it| self.place.below(it)));
        }
        own.sort();
        (own, users)
    }

    /// Of what is in a file now. One that is gone has none that a close wrote.
    fn digest(&self, below: &str) -> String {
        std::fs::read(self.place.project.root.join(below)).map(|it| sha256_hex(&it)).unwrap_or_default()
    }

    /// For people.
    pub(super) fn shown(&self, file: &Path) -> String {
        file.strip_prefix(&self.place.project.root).unwrap_or(file).display().to_string()
    }
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

fn branch(plan: &Plan) -> &str {
    plan.branch.as_deref().unwrap_or("no branch")
}

/// How a file differs from the last commit, in git's letters; `None`: it does not, or is ignored.
fn status(git: &Git, file: &str) -> Result<Option<String>, Error> {
    let arguments = ["status", "--porcelain=v1", "--untracked-files=all", "--", &literal(file)];
    Ok(git.look(&arguments)?.succeeded()?.stdout.lines().next().map(str::to_owned))
}

/// Finds the commit of a close that was killed before it could note it.
fn find_commit(git: &Git, plan: &mut Plan) -> Result<(), Error> {
    let (None, Some(head), Some(branch)) = (&plan.committed, &plan.head, &plan.branch) else { return Ok(()) };
    let range = format!("{head}..refs/heads/{branch}");
    let log = git.look(&["log", "--format=%H %P%x00%s", &range, "--"])?;
    let number = plan.session.to_string();
    let is_own = |subject: &str| {
        let rest = subject.split_once(OWN_COMMIT).and_then(|(_, it)| it.strip_prefix(&number));
        rest.is_some_and(|it| !it.starts_with(|c: char| c.is_ascii_digit()))
    };
    let own = log.stdout.lines().filter_map(|line| line.split_once('\0')).find_map(|(ids, subject)| {
        let (id, parents) = ids.split_once(' ')?;
        (parents == head && is_own(subject)).then(|| id.to_owned())
    });
    if own.is_some() {
        plan.committed = own;
        plan.forget(&[Step::Tag, Step::Push]);
    }
    Ok(())
}
