//! "Committed", "pushed", "installed", "opened a pull request": deeds outside the project's files.

use super::super::act::Act;
use super::super::evidence::{Channel, Evidence};
use super::super::language::Noun;
use super::super::reading::Reading;
use super::{Bench, Ruling, missed, opaque};

const FREE: &[Channel] = &[Channel::Shell, Channel::Delegate];

pub(super) fn judge(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let has = |noun: Noun| reading.nouns.contains(&noun);
    match reading.act {
        // "opened": a file, or an issue or pull request.
        Act::OpenIssue => {
            if has(Noun::PullRequest) {
                of(Act::OpenPullRequest, reading, bench)
            } else if has(Noun::Issue) {
                of(Act::OpenIssue, reading, bench)
            } else {
                Ruling::supported("what was opened is not told")
            }
        }
        Act::Comment if !(has(Noun::PullRequest) || has(Noun::Issue)) => {
            Ruling::supported("where it was posted is not told")
        }
        Act::Service if !has(Noun::Service) => Ruling::supported("what was started is not told"),
        Act::Other => {
            if ["ticket", "issue", "pr", "epic", "card", "jira", "milestone", "sprint"]
                .iter()
                .any(|word| reading.words.iter().any(|it| it == word))
            {
                by_name(reading, bench)
            } else {
                Ruling::supported("it may be in files")
            }
        }
        // Wide words: only a failed attempt speaks against them.
        Act::Deploy if !reading.verb.contains("deployed") => lenient(reading, bench),
        Act::Revert if reading.verb == "stashed" => of(Act::Revert, reading, bench),
        Act::Send | Act::Fetch | Act::Revert | Act::Pull | Act::Branch | Act::Publish => {
            lenient(reading, bench)
        }
        Act::Merge
            if !(has(Noun::Branch)
                || has(Noun::PullRequest)
                || reading.says("main")
                || reading.says("master")) =>
        {
            lenient(reading, bench)
        }
        // "The cron entry is installed": only packages leave a trace that is known.
        Act::Install if packages(reading).is_empty() && !has(Noun::Package) => lenient(reading, bench),
        Act::Commit => committed(reading, bench),
        act => of(act, reading, bench),
    }
}

/// "Everything is committed" is a statement about the working tree, which `git status` tells.
fn committed(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let status = bench.evidence.iter().rev().find(|it| it.tree_clean.is_some());
    match status {
        Some(status) if status.tree_clean == Some(true) => Ruling::by(status),
        Some(status) if reading.whole && !status.earlier && last_word(status, bench.evidence) => {
            Ruling::contradicted("`git status` shows changes that are not committed".to_owned(), status)
        }
        _ => of(Act::Commit, reading, bench),
    }
}

/// Nothing was committed after `status`.
fn last_word(status: &Evidence, evidence: &[Evidence]) -> bool {
    let after = evidence.iter().skip_while(|it| !std::ptr::eq(*it, status)).skip(1);
    !after.flat_map(|it| &it.deeds).any(|deed| deed.act == Act::Commit)
}

/// Whether `act` was done.
pub(super) fn of(act: Act, reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let evidence = bench.evidence;
    let names: Vec<&str> = if act == Act::Install { packages(reading) } else { Vec::new() };
    let fits = |object: &str| {
        names.is_empty()
            || object.is_empty()
            || names.iter().any(|name| object.to_lowercase().contains(&name.to_lowercase()))
    };
    let done = |it: &&Evidence| it.deeds.iter().any(|deed| same(deed.act, act) && fits(&deed.object));
    if let Some(found) = evidence.iter().rev().find(done) {
        return Ruling::by(found);
    }
    let (words, required): (&[&str], &'static [&'static str]) = match act {
        Act::OpenIssue => (&["issue", "issues", "ticket", "jira", "linear", "tracker"], &["Bash", "MCP"]),
        Act::OpenPullRequest => (&["pull", "pr", "mr", "merge"], &["Bash", "MCP"]),
        Act::Comment => (
            &["comment", "comments", "reply", "review", "reviews", "note", "message", "post"],
            &["Bash", "MCP"],
        ),
        Act::Branch => (&["branch", "checkout", "switch", "worktree"], &["Bash"]),
        Act::Service => {
            (&["serve", "dev", "start", "restart", "up", "stop", "run", "kill", "pkill"], &["Bash"])
        }
        Act::Backup => (&["dump", "backup", "bak", "snapshot", "cp", "tar", "rsync"], &["Bash"]),
        Act::Migrate => {
            (&["migrate", "migration", "migrations", "seed", "upgrade", "sql", "psql"], &["Bash"])
        }
        Act::Deploy => (&["deploy", "release", "rollout", "publish", "up"], &["Bash"]),
        _ => (&[], &["Bash"]),
    };
    let external = |it: &&Evidence| {
        let named = it.words.iter().any(|word| words.contains(&word.as_str()));
        let writes = match it.channel {
            Channel::Mcp | Channel::Other => it.opaque,
            Channel::Shell => {
                it.opaque || matches!(act, Act::Service | Act::Backup | Act::Migrate | Act::Deploy)
            }
            _ => false,
        };
        it.failure.is_none() && named && writes
    };
    if let Some(found) = evidence.iter().rev().find(external) {
        return Ruling::by(found);
    }
    if let Some((evidence, failure)) = missed(evidence, &[act], fits) {
        return Ruling::failed(format!("the attempt failed: {}", failure.message), evidence, failure);
    }
    if let Some(found) = opaque(evidence, FREE) {
        return Ruling::by(found);
    }
    let what = name(act);
    Ruling::not_done(format!("no call {what}"), required, format!("looked for a call that {what}"))
}

/// Whether a deed of `done` is what is claimed as `claimed`.
fn same(done: Act, claimed: Act) -> bool {
    done == claimed
        || matches!(
            (claimed, done),
            (Act::Deploy, Act::Publish | Act::Push | Act::Service)
                | (Act::Publish, Act::Deploy | Act::Push | Act::Tag)
                | (Act::Tag, Act::Publish)
                | (Act::Branch, Act::Push | Act::OpenPullRequest)
                | (Act::Service, Act::Deploy)
                | (Act::Migrate, Act::Deploy)
        )
}

/// Names of packages that are said to be installed.
fn packages(reading: &Reading) -> Vec<&str> {
    reading
        .objects
        .iter()
        .filter(|it| it.code && it.target && it.path.is_none())
        .map(|it| it.text.split(['=', '<', '>', '~', '^']).next().unwrap_or(&it.text))
        .map(|it| it.rsplit_once('@').filter(|(name, _)| !name.is_empty()).map_or(it, |(name, _)| name))
        .map(|it| it.rsplit(' ').next().unwrap_or(it))
        .filter(|it| !it.is_empty() && !it.contains('('))
        .collect()
}

/// The verb's stem must stand in a tool's or program's name.
fn by_name(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let stem = reading.verb.trim_end_matches("ed").trim_end_matches("led");
    let found = bench.evidence.iter().rev().find(|it| {
        matches!(it.channel, Channel::Mcp | Channel::Shell | Channel::Delegate | Channel::Other)
            && (it.words.iter().any(|word| word.starts_with(stem))
                || (it.opaque && matches!(it.channel, Channel::Delegate | Channel::Shell)))
    });
    match found {
        Some(found) => Ruling::by(found),
        None => Ruling::not_done(
            format!("no call has `{stem}` in its name"),
            &["Bash", "MCP"],
            format!("looked for a call that does it, by the name `{stem}`"),
        ),
    }
}

fn lenient(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let done = |it: &&Evidence| it.deeds.iter().any(|deed| same(deed.act, reading.act));
    if let Some(found) = bench.evidence.iter().rev().find(done) {
        return Ruling::by(found);
    }
    if let Some((evidence, failure)) = missed(bench.evidence, &[reading.act], |_| true) {
        return Ruling::failed(format!("the attempt failed: {}", failure.message), evidence, failure);
    }
    match bench.evidence.iter().rev().find(|it| it.channel != Channel::File || !it.files.is_empty()) {
        Some(found) => Ruling::by(found),
        None => {
            let what = name(reading.act);
            Ruling::not_done(format!("no call {what}"), &["Bash"], "the session has no tool call".to_owned())
        }
    }
}

fn name(act: Act) -> &'static str {
    match act {
        Act::Commit => "commits",
        Act::Push => "pushes",
        Act::Pull => "pulls",
        Act::Tag => "makes a tag",
        Act::Merge => "merges",
        Act::Rebase => "rebases",
        Act::Branch => "makes a branch",
        Act::OpenPullRequest => "opens a pull request",
        Act::OpenIssue => "opens an issue",
        Act::Comment => "posts a comment",
        Act::Install => "installs it",
        Act::Uninstall => "uninstalls it",
        Act::Deploy => "deploys",
        Act::Publish => "publishes",
        Act::Service => "starts or stops a service",
        Act::Migrate => "migrates",
        Act::Backup => "takes a backup",
        Act::Fetch => "downloads it",
        Act::Send => "sends it",
        Act::Revert => "takes changes back",
        _ => "does it",
    }
}
