//! The last steps of a close: the tag, and what goes to the remote.

use std::time::Duration;

use hostler_model::text::one_line;
use hostler_policy::session::closing::{self, Outcome, Plan, Step};

use super::git::{Answer, Git};
use super::steps::{Next, Steps, Told, done, failed, skipped};

/// A tag that is signed may wait for a passphrase.
const TAG_TIME_MAX: Duration = Duration::from_secs(60);
/// A push runs a hook of the user's as well.
const PUSH_TIME_MAX: Duration = Duration::from_secs(300);
/// What a look at the remote may take.
const REMOTE_TIME_MAX: Duration = Duration::from_secs(30);
/// The remote that is pushed to.
const REMOTE: &str = "origin";

/// A tag to be made.
pub(super) struct Tag {
    pub(super) name: String,
    reference: String,
    /// The commit that it marks.
    target: String,
    /// It is there, on another commit.
    moved: bool,
}

impl Steps<'_> {
    /// Whether there is a commit to tag, and a git that can.
    pub(super) fn may_tag(&self, plan: &Plan) -> bool {
        plan.tagged().is_some() && self.git.as_ref().is_some_and(|git| git.commit("HEAD").is_ok())
    }

    pub(super) fn next_tag(&self, plan: &Plan) -> Next<(&Git, Tag)> {
        let Some(name) = &plan.tag else { return skipped("not wanted") };
        let Some(git) = &self.git else { return skipped("no git repository") };
        let Some(target) = plan.tagged() else {
            return match git.commit("HEAD") {
                Err(error) => failed(error.to_string()),
                Ok(_) => skipped("there is no commit to tag"),
            };
        };
        let reference = format!("refs/tags/{name}");
        let there = match git.reference(&reference) {
            Ok(there) => there,
            Err(error) => return failed(error.to_string()),
        };
        let moved = there.is_some();
        if moved {
            let own = there == plan.tag_object && !is_published(git, plan, &reference);
            if !own || git.commit(&reference).is_ok_and(|it| it.as_deref() == Some(target)) {
                return done(format!("{name} is there"));
            }
        }
        Next::Do((git, Tag { name: name.clone(), reference, target: target.to_owned(), moved }))
    }

    pub(super) fn tag(&self, plan: &mut Plan, notes: &mut Vec<String>) -> Told {
        let (git, tag) = match self.next_tag(plan) {
            Next::Do(next) => next,
            Next::Told(told) => return told,
        };
        let purpose = self.place.sessions.read().ok().and_then(|it| it.by_number(plan.session));
        let purpose = purpose.map(|(_, session)| session.purpose).unwrap_or_default();
        let message = closing::tag_message(plan, &one_line(&purpose));
        let force: &[&str] = if tag.moved { &["--force"] } else { &[] };
        let make = |sign: &[&str]| {
            let what = ["--annotate", "--cleanup=whitespace", "--file=-", &tag.name, &tag.target];
            let arguments = [&["tag"], sign, force, &what].concat();
            git.act(&arguments, Some(&message), TAG_TIME_MAX).and_then(Answer::succeeded)
        };
        let mut made = make(&[]);
        let mut unsigned = "";
        if let Err(error) = &made
            && signs_tags(git)
        {
            // The tag marks a place; that it is there matters more than who says so, which is told.
            let plain = make(&["--no-sign"]);
            if plain.is_ok() {
                notes.push(format!("the tag {} is not signed: {error}", tag.name));
                unsigned = ", not signed";
                made = plain;
            }
        }
        match made {
            Ok(_) => {
                plan.tag_object = git.reference(&tag.reference).ok().flatten();
                plan.forget(&[Step::Push]);
                (Outcome::Done, format!("{}{unsigned}", tag.name))
            }
            Err(error) => {
                if !tag.moved {
                    self.forget_tag(plan, notes);
                }
                (Outcome::Failed, error.to_string())
            }
        }
    }

    /// A name of a tag that is not there would lead nowhere.
    fn forget_tag(&self, plan: &Plan, notes: &mut Vec<String>) {
        let forgotten = self.place.sessions.apply(false, |context| {
            if let Some((index, mut session)) = context.by_number(plan.session) {
                session.tag = None;
                context.replace(index, session);
            }
            Ok(())
        });
        notes.extend(forgotten.err().map(|it| it.to_string()));
    }

    /// Whether there is anywhere to push to.
    pub(super) fn may_push(&self, plan: &Plan) -> Next<&Git> {
        if !plan.push {
            return skipped("not configured (`session.push`)");
        }
        let Some(git) = &self.git else { return skipped("no git repository") };
        match git.line(&["remote", "get-url", REMOTE]) {
            Err(error) => failed(error.to_string()),
            Ok(None) => match git.look(&["rev-parse", "--git-dir"]).and_then(Answer::succeeded) {
                Err(error) => failed(error.to_string()),
                Ok(_) => skipped(format!("there is no remote `{REMOTE}`")),
            },
            Ok(Some(_)) if references(plan).is_empty() => skipped("there is nothing to push"),
            Ok(Some(_)) => Next::Do(git),
        }
    }

    pub(super) fn push(&self, plan: &mut Plan) -> Told {
        let git = match self.may_push(plan) {
            Next::Do(git) => git,
            Next::Told(told) => return told,
        };
        let mut there = Vec::new();
        for reference in references(plan) {
            match git.reference(&reference) {
                Err(error) => return (Outcome::Failed, error.to_string()),
                Ok(None) => {}
                Ok(Some(_)) => there.push(reference),
            }
        }
        let lost = plan.branch.as_ref().filter(|it| !there.contains(&format!("refs/heads/{it}")));
        // One that never had a commit is not lost.
        let lost = lost.filter(|_| plan.head.is_some());
        let lost =
            lost.map(|it| format!("the branch `{it}`, which the session ended on, is not there any more"));
        if there.is_empty() {
            return match lost {
                Some(lost) => (Outcome::Failed, lost),
                None => (Outcome::Skipped, "there is nothing to push".to_owned()),
            };
        }
        let pairs: Vec<String> = there.iter().map(|it| format!("{it}:{it}")).collect();
        let mut arguments = vec!["push", "--porcelain", "--no-follow-tags", REMOTE];
        arguments.extend(pairs.iter().map(String::as_str));
        let answer = match git.talk(&arguments, PUSH_TIME_MAX) {
            Ok(answer) => answer,
            Err(error) => return (Outcome::Failed, error.to_string()),
        };
        let pushed = Pushed::read(&answer);
        let tag = plan.tag.as_ref().map(|it| format!("refs/tags/{it}"));
        plan.published |= tag.is_some_and(|tag| pushed.there.contains(&tag));
        match (pushed.told(&answer, &there), lost) {
            ((_, message), Some(lost)) => (Outcome::Failed, format!("{lost}; {message}")),
            (told, None) => told,
        }
    }
}

/// What a push is about: the branch, the tag, and what earlier closes could not push.
pub(super) fn references(plan: &Plan) -> Vec<String> {
    let branch = plan.branch.as_ref().map(|it| format!("refs/heads/{it}"));
    let tag = plan.tag.as_ref().map(|it| format!("refs/tags/{it}"));
    let mut all: Vec<String> = branch.into_iter().chain(tag).collect();
    for reference in &plan.also {
        if !all.contains(reference) {
            all.push(reference.clone());
        }
    }
    all
}

/// References and where they go, for people.
pub(super) fn named(references: &[String]) -> String {
    let names: Vec<&str> = references.iter().map(|it| short(it)).collect();
    format!("{} to {REMOTE}", names.join(" and "))
}

fn short(reference: &str) -> &str {
    let name = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("refs/tags/"));
    name.unwrap_or(reference)
}

/// Whether others may have the tag. A remote that was never to be used is not asked.
fn is_published(git: &Git, plan: &Plan, reference: &str) -> bool {
    let at_remote = || {
        let answer = git.talk(&["ls-remote", "--exit-code", REMOTE, reference], REMOTE_TIME_MAX);
        answer.is_ok_and(|it| it.ok())
    };
    plan.published || (plan.push && at_remote())
}

fn signs_tags(git: &Git) -> bool {
    ["tag.gpgSign", "tag.forceSignAnnotated"].iter().any(|name| {
        let value = git.line(&["config", "--type=bool", "--get", name]);
        value.is_ok_and(|it| it.as_deref() == Some("true"))
    })
}

/// What became of each reference.
struct Pushed {
    there: Vec<String>,
    /// With the reason.
    refused: Vec<String>,
}

impl Pushed {
    /// By git's own lines: `flag TAB from:to TAB summary`.
    fn read(answer: &Answer) -> Self {
        let mut pushed = Self { there: Vec::new(), refused: Vec::new() };
        for line in answer.stdout.lines() {
            let mut fields = line.split('\t');
            let (Some(flag), Some(pair), Some(summary)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let name = pair.split(':').next_back().unwrap_or(pair);
            if flag == "!" {
                pushed.refused.push(format!("{}: {summary}", short(name)));
            } else {
                pushed.there.push(name.to_owned());
            }
        }
        pushed
    }

    fn told(&self, answer: &Answer, references: &[String]) -> Told {
        if answer.ok() {
            return (Outcome::Done, named(references));
        }
        let why = if self.refused.is_empty() { answer.problem() } else { self.refused.join("; ") };
        let there: Vec<&str> = self.there.iter().map(|it| short(it)).collect();
        let also =
            if there.is_empty() { String::new() } else { format!("; {} is there", there.join(" and ")) };
        (Outcome::Failed, format!("{why}{also}; push by hand when it is settled"))
    }
}
