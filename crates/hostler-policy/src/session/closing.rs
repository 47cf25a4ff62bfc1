//! How a session is closed: the plan, which is made once and then only carried out, and its names and words.
//!
//! A plan holds whatever could come out differently the second time (the time, the tag's name, what was done), so
//! that a close that was killed is finished as it was begun.

mod checks;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::checks::{Checks, checks};
use super::achievement::Achievement;
use super::changelog::Entry;

/// Version of the stored form of a [`Plan`]. Fields are only added; readers default what is absent.
pub const VERSION: u32 = 1;

/// The steps of a close, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// What was recorded reaches the disk.
    Flush,
    /// What was done, from git and from what was logged.
    Achievements,
    /// Tests and linters that were run.
    Checks,
    /// The matrix of requirements.
    Rtm,
    /// The changelog.
    Changelog,
    /// The session's record in `context.json`.
    Record,
    /// Counters that belong to the session start over.
    Clear,
    /// The files that the close changed, as a commit.
    Commit,
    /// The annotated tag.
    Tag,
    /// Branch and tag, to the remote.
    Push,
}

impl Step {
    /// Those that change something.
    pub const EFFECTS: [Self; 8] = [
        Self::Flush,
        Self::Rtm,
        Self::Changelog,
        Self::Record,
        Self::Clear,
        Self::Commit,
        Self::Tag,
        Self::Push,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flush => "flush",
            Self::Achievements => "achievements",
            Self::Checks => "checks",
            Self::Rtm => "rtm",
            Self::Changelog => "changelog",
            Self::Record => "record",
            Self::Clear => "clear",
            Self::Commit => "commit",
            Self::Tag => "tag",
            Self::Push => "push",
        }
    }
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was done, or was done already.
    Done,
    /// It would be done: nothing is changed by a look ahead.
    Planned,
    /// There is nothing to do, or it is not wanted.
    Skipped,
    /// It could not be done; the others went on.
    Failed,
}

/// A step and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Which.
    pub step: Step,
    /// What became of it.
    pub outcome: Outcome,
    /// In words, for people.
    pub message: String,
}

/// Everything that is decided before the first effect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a decision of its own")]
pub struct Plan {
    /// [`VERSION`] of who wrote it.
    pub v: u32,
    /// The session's number.
    pub session: u64,
    /// When the session ended, RFC 3339.
    pub ended: String,
    /// How it ended: `closed`, `stale`.
    pub outcome: String,
    /// The commit that was checked out.
    pub head: Option<String>,
    /// The commits that were checked out in all work trees which share the record, `head` first.
    pub heads: Vec<String>,
    /// The tag's name; `None`: none is wanted.
    pub tag: Option<String>,
    /// Branch and tag are pushed.
    pub push: bool,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// The close's own files are committed.
    pub commit: bool,
    /// Entries go into a changelog.
    pub changelog: bool,
    /// The matrix of requirements is written.
    pub rtm: bool,
    /// Every step was tried; those that failed may be tried again.
    pub finished: bool,
    /// What is next, as it was named when it was closed.
    pub upcoming: Vec<String>,
    /// What was done: from git, logged before, named when it was closed.
    pub achievements: Vec<Achievement>,
    /// Of these, how many commits gave.
    pub commits: usize,
    /// Commits that are not listed, since there were too many.
    pub omitted: usize,
    /// Full names of commits that wrote the changelog themselves.
    pub in_changelog: Vec<String>,
    /// Tests and linters that were run.
    pub checks: Checks,
    /// Files of the close with changes of the user's besides: they are not committed.
    pub changed_before: Vec<String>,
    /// Files that the close changed, relative to the project's root.
    pub files: Vec<String>,
    /// SHA-256 of what the close wrote into each of `files`: whatever else is in one of them is the user's.
    pub digests: BTreeMap<String, String>,
    /// The commit that the close made, where nobody committed anything between it and `head`.
    pub committed: Option<String>,
    /// The tag object that the close made: one that somebody else put in its place is not touched.
    pub tag_object: Option<String>,
    /// The tag is at the remote.
    pub published: bool,
    /// References that earlier closes could not push.
    pub also: Vec<String>,
    /// What became of the steps so far.
    pub told: Vec<Told>,
}

impl Plan {
    /// What became of `step`, if it was reached.
    pub fn told(&self, step: Step) -> Option<&Told> {
        self.told.iter().find(|it| it.step == step)
    }

    /// Notes what became of a step, once.
    pub fn tell(&mut self, step: Step, outcome: Outcome, message: impl Into<String>) {
        self.told.retain(|it| it.step != step);
        self.told.push(Told { step, outcome, message: message.into() });
    }

    /// Has steps taken anew.
    pub fn forget(&mut self, steps: &[Step]) {
        self.told.retain(|it| !steps.contains(&it.step));
    }

    /// Whether a step was tried and failed.
    pub fn has_failed(&self, step: Step) -> bool {
        self.told(step).is_some_and(|it| it.outcome == Outcome::Failed)
    }

    /// The commit that the tag belongs on.
    pub fn tagged(&self) -> Option<&str> {
        self.committed.as_deref().or(self.head.as_deref())
    }

    /// What goes into a changelog: what commits say where there are any. What was logged by hand tells the same in
    /// other words then, and a thing would be in it twice.
    pub fn entries(&self) -> Vec<Entry> {
        let of_commits = 0 < self.commits;
        let wrote = |it: &&Achievement| match &it.commit {
            Some(commit) => !self.in_changelog.contains(commit),
            None => !of_commits,
        };
        let entry = |it: &Achievement| Some(Entry { category: it.category?, text: it.entry() });
        self.achievements.iter().filter(wrote).filter_map(entry).collect()
    }

    /// Steps that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Told> {
        self.told.iter().filter(|it| it.outcome == Outcome::Failed)
    }
}

/// The tag of a session that ended at a time given in its parts.
pub fn tag_name(session: u64, year: i16, month: i8, day: i8, hour: i8, minute: i8) -> String {
    format!("session-{session:03}-{year:04}-{month:02}-{day:02}-{hour:02}{minute:02}")
}

/// Achievements that a tag's message lists.
const TAG_LINES_MAX: usize = 30;

/// The message of the tag: what the session was for and what it came to.
pub fn tag_message(plan: &Plan, purpose: &str) -> String {
    let mut out = format!("Session {}", plan.session);
    if !purpose.trim().is_empty() {
        out.push_str(": ");
        out.push_str(purpose.trim());
    }
    out.push('\n');
    if !plan.achievements.is_empty() {
        out.push('\n');
        for line in list(plan, TAG_LINES_MAX) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    if !plan.checks.lines.is_empty() {
        out.push('\n');
        for check in &plan.checks.lines {
            out.push_str(check);
            out.push('\n');
        }
    }
    out
}

/// At most `most` achievements as a list, with a line about the others.
pub fn list(plan: &Plan, most: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        plan.achievements.iter().take(most).map(|it| format!("- {}", it.text)).collect();
    let others = plan.achievements.len().saturating_sub(most) + plan.omitted;
    if 0 < others {
        lines.push(format!("- and {others} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn tags_are_named_by_number_and_minute() {
        assert_eq!(tag_name(89, 2026, 3, 29, 10, 0), "session-089-2026-03-29-1000");
        assert_eq!(tag_name(1234, 2026, 12, 1, 9, 5), "session-1234-2026-12-01-0905");
    }

    #[test]
    fn a_message_lists_what_was_done_and_says_what_it_leaves_out() {
        let achievements = ["Add a", "Add b", "Add c"].map(Achievement::of).to_vec();
        let checks = Checks { lines: vec!["pytest: 12 passed".to_owned()], ..Checks::default() };
        let plan = Plan { session: 7, achievements, omitted: 2, checks, ..Plan::default() };
        assert_eq!(list(&plan, 2), ["- Add a", "- Add b", "- and 3 more"]);
        assert_eq!(
            tag_message(&plan, "Search "),
            "Session 7: Search\n\n- Add a\n- Add b\n- Add c\n- and 2 more\n\npytest: 12 passed\n"
        );
        assert_eq!(tag_message(&Plan { session: 7, ..Plan::default() }, ""), "Session 7\n");
    }

    #[test]
    fn a_plan_of_an_older_build_is_read() {
        let mut plan: Plan = serde_json::from_str(r#"{"v":1,"session":3,"later":true}"#).unwrap();
        plan.tell(Step::Tag, Outcome::Failed, "no");
        plan.tell(Step::Tag, Outcome::Done, "yes");
        assert_eq!((plan.told.len(), plan.failed().count()), (1, 0));
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
}
