//! The commits of a session.

use std::collections::HashSet;

use hostler_ledger::redact::preview;
use hostler_policy::session::achievement::Commit;

use super::git::{Error, Git, literal};

/// Commits that are looked at, newest first.
const COMMITS_MAX: usize = 300;
/// Characters of a subject.
const SUBJECT_CHARS_MAX: usize = 200;
/// Characters of a message: footers and what is reverted stand in it. Longer lines are cut with a mark of ours.
const MESSAGE_CHARS_MAX: usize = 4_000;
/// By how much a clock may be set back while a session goes on, seconds. More would let in what was done before.
const SKEW_S: i64 = 10;

/// Whose commits are looked for.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The commits that are checked out, as full names.
    pub(super) heads: Vec<String>,
    /// The commit that was checked out when the session began.
    pub(super) start: Option<String>,
    /// When it began, seconds since 1970.
    pub(super) from_s: i64,
    /// Where earlier sessions ended, as names of commits and references: what these reach was theirs.
    pub(super) earlier: Vec<String>,
    /// What earlier sessions came to, in lower case.
    pub(super) recorded: HashSet<String>,
}

/// What was committed since a session began.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Newest first.
    pub(super) commits: Vec<Commit>,
    /// Commits beyond [`COMMITS_MAX`].
    pub(super) omitted: usize,
    /// What there is to say of how they were found.
    pub(super) note: Option<String>,
    range: Vec<String>,
}

struct Dated {
    commit: Commit,
    committed_s: i64,
    authored_s: i64,
}

/// Finds the commits from the start on, or since that time where the commit of the start is not known or not in the
/// history any more.
pub(super) fn since(git: &Git, scope: &Scope) -> Result<History, Error> {
    if scope.heads.is_empty() {
        return Ok(History { note: Some("there are no commits yet".to_owned()), ..History::default() });
    }
    let since = scope.from_s - SKEW_S;
    // What is named may be gone since.
    let range = vec![format!("--max-count={}", COMMITS_MAX + 1), "--ignore-missing".to_owned()];
    let mut history = History { range, ..History::default() };
    let start = scope.start.as_deref().filter(|it| is_id(it));
    let known = match start {
        Some(start) => reaches(git, &scope.heads, start)?.then_some(start),
        None => None,
    };
    if let Some(start) = known {
        history.range.push(format!("^{start}"));
    } else {
        if scope.start.is_some() {
            history.note =
                Some("the commit of the start is not in the history any more; taken by time".to_owned());
        }
        history.range.push(format!("--since=@{since}"));
    }
    history.range.extend(scope.earlier.iter().map(|it| format!("^{it}")));
    history.range.extend(scope.heads.iter().cloned());
    let mut found = list(git, &history.range)?;
    let all = found.len();
    // What is older came here since: fetched, merged, or a branch was checked out.
    found.retain(|it| since <= it.committed_s);
    let older = all - found.len();
    if known.is_some() && 0 < older {
        history.note = Some(format!("{older} from before the session left out"));
    }
    // What was rebased or copied is committed anew and not done anew.
    let is_told = |it: &Dated| {
        it.authored_s <= scope.from_s && scope.recorded.contains(&it.commit.subject.to_lowercase())
    };
    let is_new = |it: &Dated| (known.is_some() || since <= it.authored_s) && !is_told(it);
    found.retain(is_new);
    history.omitted = found.len().saturating_sub(COMMITS_MAX);
    history.commits = found.into_iter().take(COMMITS_MAX).map(|it| it.commit).collect();
    Ok(history)
}

/// A name of a commit, and not of anything else that a record may hold.
pub(super) fn is_id(text: &str) -> bool {
    7 <= text.len() && text.bytes().all(|it| it.is_ascii_hexdigit())
}

fn reaches(git: &Git, heads: &[String], start: &str) -> Result<bool, Error> {
    for head in heads {
        if git.look(&["merge-base", "--is-ancestor", start, head])?.ok() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commits that are checked out in all work trees of the repository, that of this one first.
pub(super) fn heads(git: &Git, own: String, shared: bool) -> Result<Vec<String>, Error> {
    let mut heads = vec![own];
    if shared {
        let answer = git.look(&["worktree", "list", "--porcelain"])?.succeeded()?;
        let named = answer.stdout.lines().filter_map(|it| it.strip_prefix("HEAD "));
        // On a branch without commits it is nothing but zeros.
        for head in named.filter(|it| is_id(it) && it.bytes().any(|it| it != b'0')) {
            if heads.iter().all(|it| it != head) {
                heads.push(head.to_owned());
            }
        }
    }
    Ok(heads)
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
            subject: shorten(&preview(subject, MESSAGE_CHARS_MAX)),
            // Lines count, so they are kept.
            body: body.lines().map(|it| preview(it, MESSAGE_CHARS_MAX)).collect::<Vec<_>>().join("\n"),
            parents: parents.split_whitespace().count(),
        };
        Some(Dated { commit, committed_s: committed.parse().ok()?, authored_s: authored.parse().ok()? })
    };
    Ok(fields.chunks(6).filter_map(dated).collect())
}

/// A subject goes into files that others read: a long one ends with a whole word, and no word of ours follows.
fn shorten(subject: &str) -> String {
    let Some((end, _)) = subject.char_indices().nth(SUBJECT_CHARS_MAX) else { return subject.to_owned() };
    let kept = &subject[..end];
    let whole = subject[end..].starts_with(char::is_whitespace);
    // Without spaces, as some languages are written, any place is as good.
    let words = kept.rsplit_once(char::is_whitespace).map(|(words, _)| words).filter(|_| !whole);
    let kept = words.filter(|it| kept.len() / 2 < it.len()).unwrap_or(kept);
    format!("{}…", kept.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(subject: &str, expected: &str) {
        assert_eq!(shorten(subject), expected);
    }

    #[test]
    fn a_long_subject_ends_with_a_whole_word() {
        let words = "word, ".repeat(60);
        check(&words[..200], &words[..200]);
        check(&words, &format!("{}word…", &words[..192]));
        check(&"x".repeat(201), &format!("{}…", "x".repeat(200)));
        check(&"検".repeat(300), &format!("{}…", "検".repeat(200)));
        check(&format!("{} y", "x".repeat(200)), &format!("{}…", "x".repeat(200)));
        check(&format!("feat: {}", "x".repeat(300)), &format!("feat: {}…", "x".repeat(194)));
    }
}
