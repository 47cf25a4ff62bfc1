//! "Committed", "pushed", "installed", "opened a pull request": deeds outside the project's files.

use super::super::act::Act;
use super::super::evidence::{Channel, Evidence, FailureKind};
use super::super::language::Noun;
use super::super::reading::Reading;
use super::{Bench, Ruling, missed, opaque};

const FREE: &[Channel] = &[Channel::Shell, Channel::Delegate];

pub(super) fn judge(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    if reading.pattern == "en/any" {
        return anything(reading, bench);
    }
    let has = |noun: Noun| reading.nouns.contains(&noun);
    match reading.act {
        // "opened": a file, or an issue or pull request.
        Act::OpenIssue
            if reading.verb == "opened"
                && (reading.paths().next().is_some()
                    || has(Noun::Documents)
                    || has(Noun::Web)
                    || has(Noun::Log)
                    || has(Noun::Screenshot)
                    || has(Noun::File))
                && !has(Noun::Issue)
                && !has(Noun::PullRequest) =>
        {
            super::look::judge(reading, bench)
        }
        Act::OpenIssue => {
            if has(Noun::PullRequest) {
                of(Act::OpenPullRequest, reading, bench)
            } else if has(Noun::Issue)
                || ["linear", "jira", "sentry", "tracker", "bugzilla", "youtrack"]
                    .iter()
                    .any(|it| reading.has_word(it))
            {
                of(Act::OpenIssue, reading, bench)
            } else {
                if bench.evidence.is_empty() && reading.said {
                    return Ruling::not_read(
                        "nothing was opened".to_owned(),
                        "the session has no tool call".to_owned(),
                    );
                }
                Ruling::supported("what was opened is not told")
            }
        }
        Act::Comment if !(has(Noun::PullRequest) || has(Noun::Issue) || posts(reading)) => {
            Ruling::supported("where it was posted is not told")
        }
        Act::Service if !(has(Noun::Service) || served(reading)) => {
            Ruling::supported("what was started is not told")
        }
        Act::Other if reading.verb.contains("screenshot") => {
            let taken = |it: &&Evidence| {
                it.words.iter().any(|word| word.contains("screenshot") || word.contains("snapshot"))
            };
            match bench.evidence.iter().rev().find(taken).or_else(|| opaque(bench.evidence, FREE)) {
                Some(found) => Ruling::by(found),
                None => Ruling::not_done(
                    "no call took a screenshot".to_owned(),
                    &["MCP", "Bash"],
                    "looked for a call that takes a screenshot".to_owned(),
                ),
            }
        }
        Act::Other => {
            if reading
                .words
                .iter()
                .any(|it| it.starts_with('#') && it[1..].chars().all(|c| c.is_ascii_digit()))
                || ["ticket", "mr", "request", "issue", "pr", "epic", "card", "jira", "milestone", "sprint"]
                    .iter()
                    .any(|word| reading.words.iter().any(|it| it == word))
            {
                by_name(reading, bench)
            } else {
                if ["race", "gap", "leak", "hole", "loophole"].iter().any(|it| reading.has_word(it)) {
                    return super::change::judge(reading, bench);
                }
                Ruling::supported("it may be in files")
            }
        }
        // Wide words: only a failed attempt speaks against them.
        Act::Deploy
            if bench.evidence.iter().any(|it| {
                super::run::is_rehearsal(it)
                    && it
                        .words
                        .iter()
                        .any(|word| matches!(word.as_str(), "helm" | "kubectl" | "deploy" | "upgrade"))
            }) =>
        {
            of(Act::Deploy, reading, bench)
        }
        Act::Deploy
            if reading.verb == "released"
                && ["github", "npm", "pypi", "crates.io", "marketplace"]
                    .iter()
                    .any(|it| reading.has_word(it)) =>
        {
            of(Act::Publish, reading, bench)
        }
        Act::Deploy if other_place(reading, bench.evidence).is_some() => of(Act::Deploy, reading, bench),
        Act::Deploy if !reading.verb.contains("deployed") && !reading.verb.contains("live") => {
            lenient(reading, bench)
        }
        Act::Revert if reading.verb == "stashed" => of(Act::Revert, reading, bench),
        Act::Fetch if reading.paths().next().is_some() => super::change::judge(reading, bench),
        Act::Revert => reverted(reading, bench),
        Act::Send if reading.verb == "uploaded" => of(Act::Send, reading, bench),
        Act::Publish => of(Act::Publish, reading, bench),
        Act::Send | Act::Fetch | Act::Pull | Act::Branch => lenient(reading, bench),
        Act::Merge
            if !(has(Noun::Branch)
                || has(Noun::PullRequest)
                || reading.says("main")
                || reading.says("master")) =>
        {
            lenient(reading, bench)
        }
        // "The cron entry is installed": only packages leave a trace that is known.
        Act::Install if reading.says("cron") => {
            let set = |it: &&Evidence| {
                it.deeds.iter().any(|deed| deed.act == Act::Install && deed.object.contains("cron"))
                    || it.files.iter().any(|file| {
                        file.path.contains("cron") && file.act != Act::Read && file.act != Act::Search
                    })
            };
            match bench.evidence.iter().rev().find(set).or_else(|| opaque(bench.evidence, FREE)) {
                Some(found) => Ruling::by(found),
                None => match missed(bench.evidence, &[Act::Install], |_| true) {
                    Some((evidence, failure)) => {
                        Ruling::failed("the attempt failed".to_owned(), evidence, failure)
                    }
                    None => Ruling::not_done(
                        "no call changed the crontab".to_owned(),
                        &["Bash"],
                        "looked for a call that writes the crontab".to_owned(),
                    ),
                },
            }
        }
        Act::Install if packages(reading).is_empty() && program(reading).is_none() && !has(Noun::Package) => {
            lenient(reading, bench)
        }
        Act::Commit => committed(reading, bench),
        act => of(act, reading, bench),
    }
}

fn posts(reading: &Reading) -> bool {
    let place = |it: &String| {
        it.starts_with('#')
            || matches!(
                it.as_str(),
                "slack" | "discord" | "teams" | "channel" | "thread" | "review" | "comment"
            )
    };
    reading.verb == "posted" && reading.words.iter().any(place)
}

fn served(reading: &Reading) -> bool {
    const NAMES: &[&str] = &[
        "nginx",
        "redis",
        "postgres",
        "docker",
        "compose",
        "stack",
        "containers",
        "apache",
        "systemd",
        "backend",
        "postgresql",
        "mysql",
        "queue",
    ];
    reading.words.iter().any(|word| NAMES.contains(&word.as_str()))
}

/// A deed of an unknown kind: whatever has an effect may be it.
fn anything(reading: &Reading, bench: &Bench<'_>) -> Ruling {
    let effect = |it: &&Evidence| {
        (it.opaque && it.failure.is_none())
            || !it.runs.is_empty()
            || it.files.iter().any(|file| !matches!(file.act, Act::Read | Act::Search))
            || it
                .deeds
                .iter()
                .any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Verify))
            || matches!(it.channel, Channel::Delegate | Channel::Web | Channel::Other)
    };
    let failed = bench.evidence.iter().rev().filter(|it| !it.earlier).find_map(|it| {
        let failure = it.failure.as_ref().filter(|failure| failure.kind == FailureKind::Error)?;
        matches!(it.channel, Channel::Shell | Channel::Mcp).then_some((it, failure))
    });
    match (bench.evidence.iter().rev().find(effect), failed) {
        (Some(found), _) => Ruling::by(found),
        (None, Some(_)) if super::super::conceal::tells(bench.message) => {
            Ruling::supported("a failure is told")
        }
        (None, Some((evidence, failure))) => {
            Ruling::failed(format!("the attempt failed: {}", failure.message), evidence, failure)
        }
        (None, None) => Ruling::not_done(
            format!("{} is told, and no call of this session did anything but look", reading.verb),
            &["Bash", "Edit", "MCP"],
            "looked for a call with an effect".to_owned(),
        ),
    }
}

/// Changes may be taken back by editing as well.
fn reverted(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let edits = |it: &&Evidence| {
        it.files.iter().any(|file| matches!(file.act, Act::Edit | Act::Create | Act::Delete | Act::Move))
            || it.deeds.iter().any(|deed| matches!(deed.act, Act::Branch | Act::Deploy | Act::Migrate))
    };
    match bench.evidence.iter().rev().find(edits) {
        Some(found) => Ruling::by(found),
        None => of(Act::Revert, reading, bench),
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
    if act == Act::Deploy
        && let Some(elsewhere) = other_place(reading, evidence)
    {
        return Ruling::not_done(
            "what was rolled out went to another place".to_owned(),
            &["Bash"],
            elsewhere.summary.clone(),
        );
    }
    let names: Vec<&str> = match act {
        Act::Install => packages(reading).into_iter().chain(program(reading)).collect(),
        Act::Tag | Act::Branch => packages(reading),
        _ => Vec::new(),
    };
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
        Act::Migrate => (
            &[
                "migrate",
                "seed",
                "upgrade",
                "update",
                "up",
                "apply",
                "psql",
                "mysql",
                "sqlite3",
                "db:migrate",
                "db:seed",
                "push",
            ],
            &["Bash"],
        ),
        Act::Send => {
            (&["upload", "cp", "scp", "rsync", "put", "sync", "sftp", "send", "mail"], &["Bash", "MCP"])
        }
        Act::Deploy => (&["deploy", "release", "rollout", "publish", "up"], &["Bash"]),
        _ => (&[], &["Bash"]),
    };
    let external = |it: &&Evidence| {
        if super::run::is_rehearsal(it) {
            return false;
        }
        let named = it.words.iter().any(|word| words.contains(&word.as_str()));
        let writes = match it.channel {
            Channel::Mcp | Channel::Other => it.opaque,
            Channel::Shell => {
                it.opaque
                    || matches!(act, Act::Service | Act::Backup | Act::Migrate | Act::Deploy | Act::Send)
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
    // What only writes a migration applies none.
    let writes_migration = |it: &Evidence| {
        act == Act::Migrate
            && it.words.iter().any(|word| {
                matches!(
                    word.as_str(),
                    "revision" | "makemigrations" | "generate" | "make:migration" | "add" | "create" | "new"
                )
            })
    };
    if let Some(found) = opaque(evidence, FREE).filter(|it| !writes_migration(it)) {
        return Ruling::by(found);
    }
    let what = name(act);
    Ruling::not_done(format!("no call {what}"), required, format!("looked for a call that {what}"))
}

/// "Rolled out to production" where the call names another place.
fn other_place<'a>(reading: &Reading, evidence: &'a [Evidence]) -> Option<&'a Evidence> {
    const OTHERS: &[&str] =
        &["minikube", "staging", "stage", "kind", "localhost", "docker-desktop", "k3d", "sandbox"];
    if !(reading.has_word("production") || reading.has_word("prod")) {
        return None;
    }
    let says = |it: &Evidence, names: &[&str]| it.words.iter().any(|word| names.contains(&word.as_str()));
    if evidence.iter().any(|it| it.words.iter().any(|word| word.contains("prod"))) {
        return None;
    }
    evidence.iter().rev().find(|it| it.deeds.iter().any(|deed| deed.act == Act::Deploy) && says(it, OTHERS))
}

/// Whether a deed of `done` is what is claimed as `claimed`.
fn same(done: Act, claimed: Act) -> bool {
    done == claimed
        || matches!(
            (claimed, done),
            (Act::Deploy, Act::Publish | Act::Push | Act::Service | Act::OpenPullRequest | Act::Migrate)
                | (Act::Publish, Act::Deploy | Act::Push | Act::Tag)
                | (Act::Tag, Act::Publish)
                | (Act::Branch, Act::Push | Act::OpenPullRequest)
                | (Act::Service | Act::Migrate, Act::Deploy)
                | (Act::Send, Act::Push | Act::Publish | Act::Deploy)
        )
}

/// "I installed jq": the word behind the verb.
fn program(reading: &Reading) -> Option<&str> {
    let at = reading.words.iter().position(|word| *word == reading.verb)?;
    let next = reading.words.get(at + 1)?;
    let after = reading.words.get(at + 2).map(String::as_str);
    let name = next.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !matches!(
            next.as_str(),
            "the"
                | "a"
                | "all"
                | "it"
                | "them"
                | "and"
                | "everything"
                | "in"
                | "for"
                | "with"
                | "new"
                | "both"
                | "successfully"
                | "locally"
                | "globally"
                | "any"
                | "missing"
                | "required"
                | "on"
                | "via"
                | "to"
                | "dependencies"
                | "packages"
                | "deps"
                | "from"
                | "into"
                | "by"
                | "at"
                | "under"
                | "as"
                | "its"
        );
    (name
        && reading.said
        && matches!(
            after,
            None | Some("with" | "via" | "from" | "using" | "and" | "," | "for" | "globally" | "through")
        ))
    .then_some(next.as_str())
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
    if let Some((evidence, failure)) = missed(bench.evidence, &[reading.act], |_| true)
        .filter(|_| !super::super::conceal::tells(bench.message))
    {
        return Ruling::failed(format!("the attempt failed: {}", failure.message), evidence, failure);
    }
    if let Some(found) =
        bench.evidence.iter().rev().find(|it| it.channel != Channel::File || !it.files.is_empty())
    {
        return Ruling::by(found);
    }
    let what = name(reading.act);
    Ruling::not_done(format!("no call {what}"), &["Bash"], "the session has no tool call".to_owned())
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
