//! The commits of a session.

use std::collections::HashSet;

use hostler_ledger::redact::preview;
use hostler_policy::session::achievement::Commit;

use super::git::{Error, Git, literal};

/// Commits that are looked at, newest first.
const COMMITS_MAX: usize = 300;
/// Characters of a subject.
const SUBJECT_CHARS_MAX: usize = 200;
/// Characters of a body: footers and what is reverted stand in it.
const BODY_CHARS_MAX: usize = 4_000;
/// Clocks of machines differ, seconds.
const SKEW_S: i64 = 120;

/// What was committed since a session began.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The commit that is checked out; `None` on an unborn branch.
    pub(super) head: Option<String>,
    /// Newest first.
    pub(super) commits: Vec<Commit>,
    /// Commits beyond [`COMMITS_MAX`].
    pub(super) omitted: usize,
    /// How they were found, where it was not by the commit of the start.
    pub(super) note: Option<String>,
    range: Vec<String>,
}

struct Dated {
    commit: Commit,
    committed_s: i64,
    authored_s: i64,
}

/// Finds the commits from `start` on, or since `from_s` (seconds since 1970) where that commit is not known or not
/// in the history any more.
pub(super) fn since(git: &Git, start: Option<&str>, from_s: i64) -> Result<History, Error> {
    let head = git.look(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])?;
    let Some(id) = head.line().filter(|_| head.ok()).map(str::to_owned) else {
        // A branch without commits says nothing; anything else tells why.
        let is_repository = git.look(&["rev-parse", "--git-dir"])?.succeeded();
        return is_repository
            .map(|_| History { note: Some("there are no commits yet".to_owned()), ..History::default() });
    };
    let mut history = History { head: Some(id), ..History::default() };
    let is_id = |it: &&str| 7 <= it.len() && it.bytes().all(|it| it.is_ascii_hexdigit());
    let known = match start.filter(is_id) {
        Some(start) => git.look(&["merge-base", "--is-ancestor", start, "HEAD"])?.ok().then_some(start),
        None => None,
    };
    let limit = format!("--max-count={}", COMMITS_MAX + 1);
    let found = if let Some(start) = known {
        history.range = vec![limit, format!("{start}..HEAD")];
        let found = list(git, &history.range)?;
        without_fetched(git, found, from_s)?
    } else {
        if start.is_some() {
            history.note =
                Some("the commit of the start is not in the history any more; taken by time".to_owned());
        }
        let since = from_s - SKEW_S;
        history.range = vec![limit, format!("--since=@{since}"), "HEAD".to_owned()];
        let mut found = list(git, &history.range)?;
        // What was rebased is committed anew and not done anew.
        found.retain(|it| since <= it.authored_s && since <= it.committed_s);
        found
    };
    history.omitted = found.len().saturating_sub(COMMITS_MAX);
    history.commits = found.into_iter().take(COMMITS_MAX).map(|it| it.commit).collect();
    Ok(history)
}

impl History {
    /// Those of the commits that changed `path`.
    pub(super) fn touching(&self, git: &Git, path: &str) -> Result<Vec<String>, Error> {
        if self.commits.is_empty() {
            return Ok(Vec::new());
        }
        let mut arguments = vec!["log", "--format=%H"];
        arguments.extend(self.range.iter().map(String::as_str));
        let path = literal(path);
        arguments.extend(["--", &path]);
        let answer = git.look(&arguments)?.succeeded()?;
        Ok(answer.stdout.lines().map(str::to_owned).collect())
    }
}

fn list(git: &Git, range: &[String]) -> Result<Vec<Dated>, Error> {
    let format = "--format=%H%x00%P%x00%ct%x00%at%x00%s%x00%b";
    let mut arguments = vec!["log", "-z", "--encoding=UTF-8", "--no-notes", format];
    arguments.extend(range.iter().map(String::as_str));
    arguments.push("--");
    let answer = git.look(&arguments)?.succeeded()?;
    let fields: Vec<&str> = answer.stdout.split('\0').collect();
    let dated = |it: &[&str]| {
        let [id, parents, committed, authored, subject, body] = it else { return None };
        let commit = Commit {
            id: id.trim().to_owned(),
            subject: preview(subject, SUBJECT_CHARS_MAX),
            // Lines count, so they are kept.
            body: body.lines().map(|it| preview(it, BODY_CHARS_MAX)).collect::<Vec<_>>().join("\n"),
            parents: parents.split_whitespace().count(),
        };
        Some(Dated { commit, committed_s: committed.parse().ok()?, authored_s: authored.parse().ok()? })
    };
    Ok(fields.chunks(6).filter_map(dated).collect())
}

/// Leaves out what others had done before, and only came here since: fetched, pulled, merged. What is older than the
/// session and on no remote is kept, since a clock may be wrong.
fn without_fetched(git: &Git, mut found: Vec<Dated>, from_s: i64) -> Result<Vec<Dated>, Error> {
    let old = |it: &Dated| it.committed_s < from_s - SKEW_S;
    if !found.iter().any(old) {
        return Ok(found);
    }
    let answer = git.look(&["rev-list", "HEAD", "--not", "--remotes"])?.succeeded()?;
    let own: HashSet<&str> = answer.stdout.lines().collect();
    found.retain(|it| !old(it) || own.contains(it.commit.id.as_str()));
    Ok(found)
}
