//! git, gh, glab.

use super::{Act, Meaning, Role, Words};

pub(super) fn meaning(words: Words<'_>) -> Option<Meaning> {
    match words.name {
        "git" => Some(git(words)),
        "gh" | "glab" | "hub" => Some(forge(words)),
        "lefthook" if words.args.first().is_some_and(|it| it == "run") => {
            let hook = words.args.get(1).map(String::as_str).unwrap_or_default();
            Some(Meaning::new(Role::Judge, format!("lefthook run {hook}")).judge(
                Act::Lint,
                "lefthook",
                super::Tool::PreCommit,
                Vec::new(),
            ))
        }
        _ => None,
    }
}

/// The arguments from git's subcommand on.
fn subcommand(words: Words<'_>) -> &[String] {
    let mut index = 0;
    while let Some(arg) = words.args.get(index) {
        match arg.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "-R" | "--repo" | "--exec-path" => {
                index += 2;
            }
            _ if arg.starts_with('-') => index += 1,
            _ => break,
        }
    }
    words.args.get(index..).unwrap_or_default()
}

fn git(words: Words<'_>) -> Meaning {
    let Some(inner) = Words::new(subcommand(words)) else { return Meaning::new(Role::Look, "git") };
    let verb = inner.word;
    let target = format!("git {verb}");
    let look = || Meaning::new(Role::Look, target.clone());
    let done = || Meaning::new(Role::Deed, target.clone());
    let dry = inner.has(&["--dry-run"])
        || (inner.has(&["-n"]) && matches!(verb, "push" | "clean" | "add" | "rm" | "mv"));
    if dry {
        return look();
    }
    let first = |valued: &[&str]| inner.operands(valued).first().copied().unwrap_or_default();
    match verb {
        "status" | "branch" | "tag" | "remote" | "config" | "ls-files" | "ls-tree" | "ls-remote"
        | "rev-parse" | "rev-list" | "describe" | "shortlog" | "merge-base" | "for-each-ref"
        | "symbolic-ref" | "check-ignore" | "count-objects" | "version" | "help" | "var" | "name-rev"
        | "cherry" | "show-ref" | "check-attr" | "verify-commit" | "fsck" => listing(inner, &target),
        "log" | "reflog" | "show" | "diff" | "blame" | "annotate" | "cat-file" | "grep" | "range-diff"
        | "whatchanged" | "difftool" | "diff-tree" | "diff-index" | "diff-files" => reading(inner, &target),
        // Nothing comes of it.
        "merge" | "rebase" | "cherry-pick" | "revert" | "am" if inner.has(&["--abort", "--quit"]) => done(),
        "stash" => match inner.args.first().map(String::as_str) {
            Some("list") => look(),
            Some("show") => look().deed(Act::Read, "stash"),
            _ => done().deed(Act::Revert, "stash"),
        },
        "worktree" => match inner.args.first().map(String::as_str) {
            Some("add") => {
                let operands = inner.operands(&["-b", "-B"]);
                let place = operands.get(1).copied().unwrap_or_default();
                let branch = inner.value(&["-b", "-B"]).or(operands.get(2).copied()).unwrap_or_default();
                done().deed(Act::Branch, branch).tree(Act::Create, place)
            }
            Some("remove") => {
                done().tree(Act::Delete, inner.operands(&[]).get(1).copied().unwrap_or_default())
            }
            _ => look(),
        },
        "commit" => {
            let message = messages(inner);
            done().deed(Act::Commit, message)
        }
        "push" => {
            let operands = inner.operands(&["-o", "--push-option", "--repo"]);
            let mut meaning = done().deed(Act::Push, operands.join("/"));
            // Pushing to these hosts is deploying there; GitLab opens a merge request on demand.
            if operands.first().is_some_and(|it| matches!(*it, "heroku" | "dokku" | "piku" | "clever")) {
                meaning = meaning.deed(Act::Deploy, operands[0]);
            }
            if inner.args.iter().any(|it| it.ends_with("merge_request.create")) {
                meaning = meaning.deed(Act::OpenPullRequest, "");
            }
            if inner.has(&["--tags", "--follow-tags"])
                || operands
                    .iter()
                    .any(|it| it.starts_with('v') && it[1..].starts_with(|c: char| c.is_ascii_digit()))
            {
                meaning = meaning.deed(Act::Push, "tags");
            }
            meaning
        }
        "pull" => done().deed(Act::Pull, inner.operands(&[]).join("/")),
        "fetch" => done().deed(Act::Fetch, first(&[])),
        "clone" => {
            let operands = inner.operands(&["-b", "--branch", "--depth", "-o", "-c", "-j", "--reference"]);
            let from = operands.first().copied().unwrap_or_default();
            let to = operands.get(1).copied().unwrap_or_else(|| super::base(from).trim_end_matches(".git"));
            done().deed(Act::Fetch, from).tree(Act::Create, to)
        }
        "merge" => done().deed(Act::Merge, first(&["-m", "-s", "-X"])),
        "rebase" => done().deed(Act::Rebase, first(&["-x", "--exec", "--onto", "-s", "-X"])),
        "cherry-pick" => {
            let commit = first(&["-m"]);
            let meaning = done().deed(Act::Merge, commit).opaque();
            if inner.has(&["-n", "--no-commit"]) { meaning } else { meaning.deed(Act::Commit, commit) }
        }
        "am" => done().deed(Act::Commit, first(&[])).opaque(),
        "revert" => {
            let meaning = done().deed(Act::Revert, first(&["-m"])).opaque();
            if inner.has(&["-n", "--no-commit"]) { meaning } else { meaning.deed(Act::Commit, "revert") }
        }
        "checkout" | "switch" => {
            if let Some(branch) = inner.value(&["-b", "-B", "-c", "-C", "--orphan", "--create"]) {
                return done().deed(Act::Branch, branch);
            }
            let operands = inner.operands(&[]);
            let dashes = inner.args.iter().position(|it| it == "--");
            let paths: Vec<&str> = match (dashes, operands.as_slice()) {
                (Some(at), _) => inner.args[at + 1..].iter().map(String::as_str).collect(),
                (None, [only]) if verb == "checkout" && looks_like_path(only) => vec![only],
                (None, [] | [_]) => Vec::new(),
                (None, [_, paths @ ..]) => paths.to_vec(),
            };
            if paths.is_empty() {
                return done().deed(Act::Branch, operands.first().copied().unwrap_or_default());
            }
            restored(done().deed(Act::Revert, paths.join(" ")), &paths)
        }
        "restore" => {
            let paths = inner.operands(&["-s", "--source"]);
            let staged = inner.has(&["--staged", "-S"]) && !inner.has(&["--worktree", "-W"]);
            let meaning = done().deed(Act::Revert, paths.join(" "));
            if staged { meaning } else { restored(meaning, &paths) }
        }
        "reset" => {
            let meaning = done().deed(Act::Revert, first(&[]));
            if inner.has(&["--hard", "--keep", "--merge"]) { meaning.tree(Act::Edit, ".") } else { meaning }
        }
        "clean" => done().tree(Act::Delete, inner.operands(&["-e"]).first().copied().unwrap_or(".")),
        "apply" => {
            if inner.has(&["--check", "--stat", "--numstat", "--summary"]) {
                return look();
            }
            done().deed(Act::Edit, first(&[])).opaque()
        }
        "mv" => {
            let mut meaning = super::transfer(Words { name: "mv", ..inner });
            meaning.target = target;
            meaning
        }
        "rm" => {
            let mut meaning = done();
            if inner.has(&["--cached"]) {
                for path in inner.operands(&[]) {
                    meaning = meaning.file(Act::Delete, path);
                }
            }
            meaning
        }
        "init" => done().tree(Act::Create, first(&["-b", "--initial-branch"])),
        "submodule" => done().deed(Act::Fetch, "submodule").opaque(),
        "bisect" => done().opaque(),
        _ => done(),
    }
}

/// Files that get their recorded content back: changed, or there again.
fn restored(meaning: Meaning, paths: &[&str]) -> Meaning {
    paths.iter().fold(meaning, |it, path| it.file(Act::Edit, *path).file(Act::Create, *path))
}

/// `git branch`, `git tag` and their kin list or make.
fn listing(inner: Words<'_>, target: &str) -> Meaning {
    let operands = inner.operands(&[
        "-m",
        "-F",
        "-u",
        "--format",
        "--sort",
        "--contains",
        "--points-at",
        "--set-upstream-to",
    ]);
    let done = Meaning::new(Role::Deed, target);
    match (inner.word, operands.as_slice()) {
        ("branch", [name, ..])
            if !inner.has(&[
                "--list",
                "-l",
                "--contains",
                "--show-current",
                "-a",
                "-r",
                "-v",
                "-vv",
                "--merged",
                "--no-merged",
            ]) =>
        {
            done.deed(Act::Branch, *name)
        }
        ("tag", [name, ..]) if !inner.has(&["-l", "--list", "-n", "--contains", "--points-at", "-v"]) => {
            if inner.has(&["-d", "--delete"]) {
                done
            } else {
                done.deed(Act::Tag, *name)
            }
        }
        ("remote", ["add" | "set-url" | "remove" | "rm" | "rename" | "prune" | "update", ..]) => done,
        ("config", [_, _, ..]) if !inner.has(&["--get", "--get-all", "--list"]) => done,
        (
            "config" | "check-ignore" | "rev-parse" | "show-ref" | "ls-remote" | "merge-base" | "describe"
            | "symbolic-ref" | "verify-commit",
            _,
        ) => Meaning::new(Role::Answer, target),
        ("status", _) => Meaning::new(Role::Look, target).deed(Act::Search, "status"),
        _ => Meaning::new(Role::Look, target),
    }
}

fn reading(inner: Words<'_>, target: &str) -> Meaning {
    let verb = inner.word;
    let quiet = inner.has(&["--quiet", "--exit-code", "-q"]);
    let role = if quiet || matches!(verb, "grep" | "cat-file") { Role::Answer } else { Role::Look };
    let meaning = Meaning::new(role, target);
    let patch = inner.has(&["-p", "-u", "--patch", "-L"]) || inner.args.iter().any(|it| it.starts_with("-L"));
    let names_only = inner.has(&[
        "--name-only",
        "--name-status",
        "--stat",
        "--shortstat",
        "--numstat",
        "--check",
        "--quiet",
        "--summary",
        "--oneline",
    ]) && !patch;
    let lists = matches!(verb, "log" | "reflog" | "whatchanged") && !patch;
    let objects: Vec<&str> = inner
        .operands(&[
            "-n", "-U", "--since", "--until", "--author", "--format", "--pretty", "--grep", "-S", "-G", "-e",
            "-A", "-B", "-C",
        ])
        .into_iter()
        .filter(|it| !it.is_empty())
        .skip(usize::from(verb == "grep"))
        .collect();
    let act = if names_only || lists { Act::Search } else { Act::Read };
    let object = match verb {
        "log" | "reflog" | "whatchanged" => "log".to_owned(),
        _ if objects.is_empty() => verb.to_owned(),
        _ => format!("{verb} {}", objects.join(" ")),
    };
    let mut meaning = meaning.deed(act, object);
    for object in objects {
        // `main:src/a.rs`, a path; a ref or range is none.
        let path = object.rsplit_once(':').map_or(object, |(_, path)| path);
        if looks_like_path(path) {
            meaning = meaning.file(act, path);
        }
    }
    meaning
}

fn looks_like_path(word: &str) -> bool {
    if word.contains("..") && !word.starts_with("..") {
        return false;
    }
    let name = super::base(word);
    let extension = name.rsplit_once('.').map(|(_, it)| it);
    matches!(word, "." | "..")
        || word.starts_with("./")
        || word.starts_with("../")
        || word.ends_with('/')
        || name.starts_with('.')
        || extension.is_some_and(|it| {
            (1..=5).contains(&it.len()) && it.starts_with(|c: char| c.is_ascii_alphabetic())
        })
}

/// The subject given by `-m`; empty when it comes from elsewhere.
fn messages(inner: Words<'_>) -> String {
    let message =
        inner.value(&["-m", "--message", "-am", "-sm", "-asm", "-vm", "-nm", "-anm"]).unwrap_or_default();
    message.trim().lines().next().unwrap_or_default().to_owned()
}

fn forge(words: Words<'_>) -> Meaning {
    let rest = subcommand(words);
    let noun = rest.first().map(String::as_str).unwrap_or_default();
    let verb = rest.get(1).map(String::as_str).unwrap_or_default();
    let target = format!("{} {noun} {verb}", words.name);
    let target = target.trim();
    let done = Meaning::new(Role::Deed, target);
    let look = Meaning::new(Role::Look, target);
    let args = Words { name: words.name, word: words.word, args: rest.get(2..).unwrap_or_default() };
    let object = args
        .operands(&[
            "-R",
            "--repo",
            "-b",
            "--body",
            "-t",
            "--title",
            "-F",
            "--body-file",
            "-f",
            "--field",
            "-X",
            "--json",
            "-q",
            "--jq",
            "-L",
            "--limit",
        ])
        .first()
        .copied()
        .unwrap_or_default();
    let title = args.value(&["-t", "--title"]).unwrap_or_default();
    if rest.iter().any(|it| it == "--dry-run") {
        return look;
    }
    match (noun, verb) {
        ("pr" | "mr", "create" | "new") => done.deed(Act::OpenPullRequest, title),
        ("pull-request", _) if words.name == "hub" => {
            let all = Words { args: rest.get(1..).unwrap_or_default(), ..args };
            let message = all.value(&["-m", "--message"]).unwrap_or_default();
            done.deed(Act::OpenPullRequest, message.lines().next().unwrap_or_default())
        }
        ("pr" | "mr", "merge" | "accept") => done.deed(Act::Merge, object),
        ("pr" | "mr" | "issue", "comment" | "review" | "note" | "approve") => done.deed(Act::Comment, object),
        ("pr" | "mr", "checkout" | "co") => done.deed(Act::Branch, object),
        ("pr" | "mr" | "issue", "close" | "reopen" | "edit" | "ready" | "delete" | "lock" | "update") => {
            done.deed(Act::Other, object)
        }
        ("issue", "create" | "new") => done.deed(Act::OpenIssue, title),
        ("release", "create") => done.deed(Act::Publish, object).deed(Act::Tag, object),
        ("release", "upload") => done.deed(Act::Send, object),
        ("release" | "run", "download") => done.deed(Act::Fetch, object).opaque(),
        ("repo", "create" | "fork") => done.deed(Act::Other, object),
        ("repo", "clone") => done.deed(Act::Fetch, object).tree(Act::Create, super::base(object)),
        ("workflow", "run") | ("run", "rerun") => done.deed(Act::Run, object),
        ("run", "watch") => look.deed(Act::Verify, object),
        ("pr" | "mr", "diff") => look.deed(Act::Read, format!("diff {object}").trim()),
        ("run", "view") => {
            let logs = args.has(&["--log", "--log-failed", "--verbose", "-v"]);
            look.deed(if logs { Act::Read } else { Act::Search }, format!("run {object}").trim())
                .deed(Act::Verify, "run")
        }
        ("pr" | "mr", "checks" | "status") | ("run", "list") | ("ci", _) => {
            Meaning { role: Role::Answer, ..look.deed(Act::Verify, object) }
        }
        (_, "list") | ("auth", "status") => Meaning { role: Role::Answer, ..look.deed(Act::Search, noun) },
        ("pr" | "mr" | "issue" | "release" | "repo" | "gist", "view" | "show") => {
            // With chosen fields it shows those alone.
            let titles =
                args.value(&["--json"]).is_some_and(|it| !it.contains("body") && !it.contains("comments"));
            look.deed(if titles { Act::Search } else { Act::Read }, format!("{noun} {object}").trim())
        }
        ("api", _) => {
            let method = args.value(&["-X", "--method"]).unwrap_or_default().to_uppercase();
            let writes = args.has(&["-f", "-F", "--field", "--raw-field", "--input"])
                || matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
            let writes = writes && method != "GET" && verb != "graphql";
            let path = verb.to_owned();
            if writes {
                let meaning = done.deed(Act::Send, path.clone());
                if path.contains("comments") || path.contains("reviews") || path.contains("replies") {
                    meaning.deed(Act::Comment, path)
                } else if path.ends_with("/issues") {
                    meaning.deed(Act::OpenIssue, path)
                } else if path.ends_with("/pulls") {
                    meaning.deed(Act::OpenPullRequest, path)
                } else if path.ends_with("/merge") {
                    meaning.deed(Act::Merge, path)
                } else {
                    meaning
                }
            } else {
                look.deed(Act::Fetch, path.clone()).deed(Act::Read, path)
            }
        }
        _ => look,
    }
}
