//! Commits -> achievements: what a session came to, in the words of its commits.
//!
//! Subjects are read as Conventional Commits where they are ones, else by their first words. What is no work of
//! its own (checkpoints, merges, fix-ups, a change and its reversal) is left out.

use serde::{Deserialize, Serialize};

/// How the subject of the commit begins that a close makes itself.
pub const OWN_COMMIT: &str = "chore(session): close session ";

/// Kinds of notable changes, as *Keep a Changelog* has them, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// New for users.
    Added,
    /// Different for users.
    Changed,
    /// Going to be removed.
    Deprecated,
    /// Gone.
    Removed,
    /// Mended.
    Fixed,
    /// About vulnerabilities.
    Security,
}

impl Category {
    /// All of them, in the order of a changelog.
    pub const ALL: [Self; 6] =
        [Self::Added, Self::Changed, Self::Deprecated, Self::Removed, Self::Fixed, Self::Security];

    /// The heading.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "Added",
            Self::Changed => "Changed",
            Self::Deprecated => "Deprecated",
            Self::Removed => "Removed",
            Self::Fixed => "Fixed",
            Self::Security => "Security",
        }
    }
}

/// A commit, as far as an achievement is read from it. Texts are without secrets already.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// First line of the message.
    pub subject: String,
    /// The rest of the message.
    pub body: String,
    /// Number of parents: 2 and more for a merge.
    pub parents: usize,
}

/// Something that was done in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Achievement {
    /// As it stands in the session's record.
    pub text: String,
    /// What kind of change it is to those who use the project; `None`: they do not notice it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The part of the project that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Those who use the project have to change something.
    #[serde(default, skip_serializing_if = "is_false")]
    pub breaking: bool,
    /// The text without kind and scope.
    pub description: String,
    /// The commit that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Achievement {
    /// Reads what somebody wrote down, or a subject.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let (kind, scope, breaking, description) = parts(strip_marks(text));
        let category = match kind {
            Some(kind) => of_kind(kind, scope, breaking, description),
            None => Some(of_words(description)),
        };
        Self {
            text: text.to_owned(),
            category,
            scope: scope.map(str::to_owned),
            breaking,
            description: description.to_owned(),
            commit: None,
        }
    }

    /// The line of a changelog, without its bullet.
    pub fn entry(&self) -> String {
        let mut out = String::new();
        if self.breaking {
            out.push_str("**Breaking:** ");
        }
        match &self.scope {
            Some(scope) => {
                out.push_str(scope);
                out.push_str(": ");
                out.push_str(&self.description);
            }
            None => out.push_str(&capitalised(&self.description)),
        }
        out
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    // A name such as `iOS`, `main.rs` or `foo_bar` stays as it is spelled.
    let word = text.split_whitespace().next().unwrap_or_default();
    let plain = word.chars().all(|c| c.is_lowercase() || matches!(c, ',' | '-' | '\''));
    if plain { first.to_uppercase().chain(chars).collect() } else { text.to_owned() }
}

/// What `commits`, newest first, come to, oldest first; each text once.
pub fn of_commits(commits: &[Commit]) -> Vec<Achievement> {
    let mut undone: Vec<&str> = Vec::new();
    let mut found: Vec<Achievement> = Vec::new();
    for commit in commits {
        if undone.iter().any(|id| commit.id.starts_with(id)) {
            continue;
        }
        // A reversal and what it reverses come to nothing; one of something older is a change.
        if let Some(id) = reverted(commit)
            && commits.iter().any(|it| it.id.starts_with(id))
        {
            undone.push(id);
            continue;
        }
        if is_noise(commit) {
            continue;
        }
        let mut achievement = Achievement::of(&commit.subject);
        achievement.breaking |= says_breaking(&commit.body);
        if achievement.breaking && achievement.category.is_none() {
            achievement.category = Some(of_breaking(&achievement.description));
        }
        achievement.commit = Some(commit.id.clone());
        found.push(achievement);
    }
    found.reverse();
    let mut seen = std::collections::HashSet::new();
    found.retain(|it| seen.insert(it.text.to_lowercase()));
    found
}

/// The commit that this one undoes, as git words it.
fn reverted(commit: &Commit) -> Option<&str> {
    let rest = commit.body.split("This reverts commit ").nth(1)?;
    let id = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    (7 <= id.len()).then_some(id)
}

/// A footer of Conventional Commits.
fn says_breaking(body: &str) -> bool {
    body.lines().any(|line| line.starts_with("BREAKING CHANGE:") || line.starts_with("BREAKING-CHANGE:"))
}

/// No work of its own.
fn is_noise(commit: &Commit) -> bool {
    let subject = commit.subject.trim();
    let lower = subject.to_lowercase();
    let merge = 1 < commit.parents || MERGES.iter().any(|it| lower.starts_with(it));
    subject.is_empty()
        || merge
        || subject.starts_with(OWN_COMMIT)
        || AUTOSQUASH.iter().any(|it| lower.starts_with(it))
        || is_checkpoint(&lower)
}

/// A merge that was made elsewhere (a squashed or rebased one has one parent).
const MERGES: &[&str] =
    &["merge branch ", "merge pull request ", "merge remote-tracking branch ", "merge commit ", "merge tag "];
const AUTOSQUASH: &[&str] = &["fixup!", "squash!", "amend!"];
/// Words that name a commit which only keeps a state.
const CHECKPOINTS: &[&str] = &[
    "checkpoint",
    "auto-checkpoint",
    "autocheckpoint",
    "wip",
    "savepoint",
    "autosave",
    "auto-save",
    "snapshot",
];
/// What may follow such a word where it stands alone. "Checkpoint restore keeps modes" is a change.
const AFTER_CHECKPOINT: &[&str] = &["before", "after", "at", "on", "for", "commit", "prior", "from"];

fn is_checkpoint(lower: &str) -> bool {
    let text = strip_marks(lower).trim_start_matches(['[', '(', '*', ' ']);
    let (kind, scope, _, description) = parts(text);
    if kind.or(scope).is_some_and(|it| CHECKPOINTS.contains(&it)) || scope == Some("checkpoint") {
        return true;
    }
    let text = if kind.is_some() || scope.is_some() { description } else { text };
    let text = ["git ", "hostler ", "auto ", "automatic ", "create ", "created "]
        .iter()
        .fold(text, |text, it| text.strip_prefix(it).unwrap_or(text));
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if !CHECKPOINTS.contains(&word) {
        return false;
    }
    let rest = rest.trim_start();
    let next = rest.split_whitespace().next().unwrap_or_default();
    rest.is_empty()
        || !rest.starts_with(char::is_alphanumeric)
        || next.starts_with(|c: char| c.is_ascii_digit())
        || word == "wip"
        || AFTER_CHECKPOINT.contains(&next)
}

/// The text after pictographs and their names (`:sparkles:`), which some put before a subject.
fn strip_marks(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let before = text;
        text = text.trim_start_matches(|c: char| {
            matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '\u{200d}')
                || c.is_whitespace()
        });
        if let Some((name, rest)) = text.strip_prefix(':').and_then(|it| it.split_once(':'))
            && !name.is_empty()
            && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
        {
            text = rest;
        }
        if text == before {
            return text;
        }
    }
}

/// Longest kind or scope before a colon, in bytes.
const PREFIX_BYTES_MAX: usize = 60;

/// Kind, scope, `!` and description of a subject. A word before the colon that is no kind is the scope.
fn parts(subject: &str) -> (Option<&str>, Option<&str>, bool, &str) {
    let whole = (None, None, false, subject);
    let Some((prefix, description)) = subject.split_once(": ") else { return whole };
    let description = description.trim();
    if description.is_empty() || PREFIX_BYTES_MAX < prefix.len() {
        return whole;
    }
    let (prefix, breaking) = match prefix.strip_suffix('!') {
        Some(prefix) => (prefix, true),
        None => (prefix, false),
    };
    let (word, scope) = match prefix.strip_suffix(')').and_then(|it| it.split_once('(')) {
        Some((word, scope)) => (word.trim_end(), Some(scope.trim()).filter(|it| !it.is_empty())),
        None => (prefix, None),
    };
    if word.is_empty() || word.contains(char::is_whitespace) {
        return whole;
    }
    if KINDS.iter().any(|(kind, _)| word.eq_ignore_ascii_case(kind)) || scope.is_some() {
        return (Some(word), scope, breaking, description);
    }
    // `https://…` has no space after its colon; `Note: …` is not a part of the project, but harmless.
    (None, Some(word), breaking, description)
}

/// Kinds of Conventional Commits and of their common dialects.
const KINDS: &[(&str, Option<Category>)] = &[
    ("feat", Some(Category::Added)),
    ("feature", Some(Category::Added)),
    ("add", Some(Category::Added)),
    ("new", Some(Category::Added)),
    ("fix", Some(Category::Fixed)),
    ("bugfix", Some(Category::Fixed)),
    ("hotfix", Some(Category::Fixed)),
    ("bug", Some(Category::Fixed)),
    ("perf", Some(Category::Changed)),
    ("change", Some(Category::Changed)),
    ("improve", Some(Category::Changed)),
    ("improvement", Some(Category::Changed)),
    ("enhance", Some(Category::Changed)),
    ("enhancement", Some(Category::Changed)),
    ("update", Some(Category::Changed)),
    ("revert", Some(Category::Changed)),
    ("remove", Some(Category::Removed)),
    ("deprecate", Some(Category::Deprecated)),
    ("deprecated", Some(Category::Deprecated)),
    ("security", Some(Category::Security)),
    ("sec", Some(Category::Security)),
    ("build", None),
    ("chore", None),
    ("ci", None),
    ("dev", None),
    ("doc", None),
    ("docs", None),
    ("release", None),
    ("refactor", None),
    ("style", None),
    ("test", None),
    ("tests", None),
    ("wip", None),
];

fn of_kind(kind: &str, scope: Option<&str>, breaking: bool, description: &str) -> Option<Category> {
    let known = KINDS.iter().find(|(name, _)| kind.eq_ignore_ascii_case(name));
    let category = match known {
        Some((_, category)) => *category,
        None => Some(of_words(description)),
    };
    if category.is_some() && (scope == Some("security") || is_about_security(description)) {
        return Some(Category::Security);
    }
    if breaking { Some(category.unwrap_or_else(|| of_breaking(description))) } else { category }
}

/// A breaking change of a kind that users do not notice otherwise.
fn of_breaking(description: &str) -> Category {
    match of_words(description) {
        it @ (Category::Removed | Category::Deprecated) => it,
        _ => Category::Changed,
    }
}

/// First words by what they say; the rest is a change.
const WORDS: &[(&str, Category)] = &[
    ("add", Category::Added),
    ("allow", Category::Added),
    ("creat", Category::Added),
    ("enabl", Category::Added),
    ("expos", Category::Added),
    ("implement", Category::Added),
    ("introduc", Category::Added),
    ("new", Category::Added),
    ("provid", Category::Added),
    ("support", Category::Added),
    ("correct", Category::Fixed),
    ("fix", Category::Fixed),
    ("mend", Category::Fixed),
    ("patch", Category::Fixed),
    ("prevent", Category::Fixed),
    ("repair", Category::Fixed),
    ("resolv", Category::Fixed),
    ("delet", Category::Removed),
    ("drop", Category::Removed),
    ("purg", Category::Removed),
    ("remov", Category::Removed),
    ("deprecat", Category::Deprecated),
    ("harden", Category::Security),
    ("sanitis", Category::Security),
    ("sanitiz", Category::Security),
];
const ENDINGS: &[&str] = &["", "e", "s", "es", "d", "ed", "ing", "al"];

fn of_words(description: &str) -> Category {
    if is_about_security(description) {
        return Category::Security;
    }
    let word: String =
        description.chars().take_while(|c| c.is_alphabetic()).take(20).collect::<String>().to_lowercase();
    let matches = |stem: &str| {
        word.strip_prefix(stem).is_some_and(|rest| {
            // dropped, dropping
            let doubled = rest.strip_prefix(|c: char| stem.ends_with(c)).unwrap_or(rest);
            ENDINGS.contains(&rest) || (doubled != rest && matches!(doubled, "ed" | "ing"))
        })
    };
    WORDS.iter().find(|(stem, _)| matches(stem)).map_or(Category::Changed, |(_, category)| *category)
}

fn is_about_security(description: &str) -> bool {
    let lower = description.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric());
    lower.contains("cve-") || words().any(|it| it == "vulnerability" || it == "vulnerabilities")
}

#[cfg(test)]
mod tests;
