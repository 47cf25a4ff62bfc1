//! "Created", "updated", "removed": something in files was changed.

use super::super::act::Act;
use super::super::evidence::{Channel, Evidence, FileAct};
use super::super::language::Noun;
use super::super::reading::Reading;
use super::super::verdict::{FileState, Standing};
use super::{Bench, Ruling, missed, opaque, same_path};

const CHANGES: &[Act] = &[Act::Create, Act::Edit, Act::Delete, Act::Move];
/// What can change files without its text saying which.
const CAN_CHANGE: &[Channel] = &[Channel::Shell, Channel::Delegate, Channel::Mcp, Channel::Other];
const TOOLS: &[&str] = &["Write", "Edit", "NotebookEdit", "Bash"];

pub(super) fn judge(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let names_like = |it: &&super::super::reading::Object| {
        it.target && it.code && it.path.is_none() && it.text.contains('/')
    };
    let touched = reading.objects.iter().filter(names_like).any(|object| {
        bench
            .evidence
            .iter()
            .flat_map(|it| &it.files)
            .any(|file| !matches!(file.act, Act::Search) && same_path(&object.text, &file.path, false))
    });
    if reading.paths().next().is_none() && !touched {
        let has = |noun: Noun| reading.nouns.contains(&noun);
        if reading.verb == "applied" && has(Noun::Migration) {
            return super::deed::of(Act::Migrate, reading, bench);
        }
        let dependency = ["dependency", "dependencies", "package"]
            .iter()
            .any(|word| reading.words.iter().any(|it| it == word));
        if reading.verb == "added" && dependency && reading.objects.iter().any(|it| it.code) {
            return super::deed::of(Act::Install, reading, bench);
        }
        if reading.act == Act::Create
            && let Some(act) = super::super::reading::outside(&reading.nouns)
            && !made_of_files(reading)
        {
            return super::deed::of(act, reading, bench);
        }
        return unnamed(reading, bench);
    }
    let mut paths: Vec<String> = reading.paths().map(str::to_owned).collect();
    // `bin/report` beside `bin/rotate`: a name like others that were touched.
    for object in
        reading.objects.iter().filter(|it| it.target && it.code && it.path.is_none() && it.text.contains('/'))
    {
        let folder = object.text.split('/').next().unwrap_or_default();
        let plain = object.text.chars().all(|c| c.is_ascii_alphanumeric() || "/-_.".contains(c));
        let beside = paths.iter().any(|path| path.starts_with(&format!("{folder}/")));
        if plain && (beside || (touched && paths.is_empty())) {
            paths.push(object.text.clone());
        }
    }
    // "removed x from y": what is named may be the place.
    let acts: &[Act] = match reading.act {
        // A whole file that is named as removed is not removed by an edit of it.
        Act::Delete
            if !reading.has_word("from") && !reading.has_word("in") && !reading.has_word("references") =>
        {
            &[Act::Delete, Act::Move]
        }
        Act::Delete => &[Act::Delete, Act::Move, Act::Edit, Act::Create],
        _ => &[Act::Create, Act::Edit, Act::Move],
    };
    let mut supported = None;
    for path in &paths {
        let ruling = one(path, acts, reading, bench);
        if ruling.standing != Standing::Supported {
            // Of several names one may be how, not what: moved from a to b, split a into b and c.
            let ways = matches!(reading.act, Act::Move)
                || reading.says("split")
                || reading.says("extract")
                || reading.says("replac");
            if !(ways && paths.iter().any(|other| done(bench.evidence, other, acts).is_some())) {
                return ruling;
            }
        }
        supported = Some(ruling);
    }
    supported.unwrap_or_else(|| unnamed(reading, bench))
}

/// "Created the release notes", "wrote the PR description": the noun is only part of a name.
fn made_of_files(reading: &Reading) -> bool {
    reading.nouns.iter().any(|noun| matches!(noun, Noun::Documents | Noun::Script | Noun::Tests))
        || [
            "description",
            "template",
            "notes",
            "module",
            "class",
            "function",
            "component",
            "handler",
            "config",
        ]
        .iter()
        .any(|word| reading.says(word))
}

/// The evidence that did one of `acts` to `path`.
fn done<'a>(evidence: &'a [Evidence], path: &str, acts: &[Act]) -> Option<&'a Evidence> {
    let fits = |file: &FileAct| {
        let broad = file.tree && matches!(file.act, Act::Edit | Act::Delete | Act::Create | Act::Move);
        acts.contains(&file.act) && same_path(path, &file.path, broad)
    };
    evidence.iter().rev().find(|it| it.files.iter().any(fits))
}

fn one(path: &str, acts: &[Act], reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    if let Some(evidence) = done(bench.evidence, path, acts) {
        if let Some(wanted) = cells(reading)
            && times(bench.evidence, path) < wanted
        {
            return Ruling::not_done(
                format!(
                    "{wanted} cells of `{path}` are said to be changed, {} were",
                    times(bench.evidence, path)
                ),
                TOOLS,
                evidence.summary.clone(),
            );
        }
        if let Some(count) = reading
            .count
            .filter(|count| 1 < *count && *count <= 50 && path.ends_with('/') && reading.act == Act::Create)
            && opaque(bench.evidence, CAN_CHANGE).is_none()
        {
            let made = made_below(bench.evidence, path);
            if made < count {
                return Ruling::not_done(
                    format!("{count} files below `{path}` are told, {made} were written"),
                    TOOLS,
                    evidence.summary.clone(),
                );
            }
        }
        return Ruling::by(evidence);
    }
    if let Some((evidence, failure)) = missed(bench.evidence, acts, |object| same_path(path, object, false)) {
        let state = (bench.look)(path);
        if !matches!(state, Some(FileState::Changed)) {
            return Ruling::failed(
                format!("`{path}` was to be changed, and the attempt failed"),
                evidence,
                failure,
            );
        }
    }
    // A call that names what it writes wrote that, and nothing else.
    let unknown = bench.evidence.iter().rev().find(|it| {
        it.opaque
            && CAN_CHANGE.contains(&it.channel)
            && it.failure.is_none()
            && !it.files.iter().any(|file| CHANGES.contains(&file.act))
    });
    if let Some(evidence) = unknown {
        return Ruling::by(evidence);
    }
    let state = (bench.look)(path);
    let gone = reading.act == Act::Delete;
    match state {
        Some(FileState::Changed) if !gone => {
            Ruling::supported(format!("`{path}` was changed since the session began"))
        }
        Some(FileState::Missing) if gone => Ruling::supported(format!("`{path}` is not there")),
        Some(FileState::Missing) => Ruling {
            standing: Standing::Contradicted,
            ..Ruling::not_done(
                format!("`{path}` does not exist, and no call wrote it"),
                TOOLS,
                format!("looked for `{path}` in the project and for a call that writes it"),
            )
        },
        Some(FileState::Changed | FileState::Older) if gone => Ruling {
            standing: Standing::Contradicted,
            ..Ruling::not_done(
                format!("`{path}` is still there, and no call removed it"),
                &["Bash"],
                format!("looked for `{path}` in the project and for a call that removes it"),
            )
        },
        _ => {
            let verb = if gone { "removed" } else { "wrote" };
            Ruling::not_done(
                format!("no call {verb} `{path}`"),
                if gone { &["Bash"] } else { TOOLS },
                format!("looked for a call that {} `{path}`", if gone { "removes" } else { "writes" }),
            )
        }
    }
}

/// A claim that names no file: any change may be meant.
fn unnamed(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let code = reading.objects.iter().any(|object| object.code);
    if let Some(ruling) = branch_gone(reading, bench).or_else(|| fewer_files(reading, bench)) {
        return ruling;
    }
    let outside = reading
        .words
        .iter()
        .any(|it| it.starts_with('#') || matches!(it.as_str(), "issue" | "pr" | "mr" | "ticket"));
    if outside && (reading.has_word("label") || reading.has_word("labels")) {
        let labelled = |it: &&Evidence| {
            it.words.iter().any(|word| word.contains("label")) || (it.opaque && it.failure.is_none())
        };
        return match bench.evidence.iter().rev().find(labelled) {
            Some(found) => Ruling::by(found),
            None => Ruling::not_done(
                "no call sets a label".to_owned(),
                &["Bash", "MCP"],
                "looked for a call that sets a label".to_owned(),
            ),
        };
    }
    if reading.verb == "regenerated" {
        let generated = |it: &&Evidence| {
            (it.opaque && it.failure.is_none())
                || it.files.iter().any(|file| file.tree && CHANGES.contains(&file.act))
                || it.deeds.iter().any(|deed| deed.act == Act::Install)
        };
        return match bench.evidence.iter().rev().find(generated) {
            Some(found) => Ruling::by(found),
            None => Ruling::not_done(
                "no generator was run".to_owned(),
                &["Bash"],
                "looked for a call that generates files".to_owned(),
            ),
        };
    }
    let changed = |evidence: &&Evidence| {
        evidence.files.iter().any(|file| CHANGES.contains(&file.act))
            || evidence.deeds.iter().any(|deed| {
                !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Run | Act::Verify)
            })
    };
    let topic = (!code).then(|| topic(reading)).flatten();
    if let Some(topic) = topic {
        let fits = |evidence: &&Evidence| {
            evidence.files.iter().any(|file| CHANGES.contains(&file.act) && topic.fits(&file.path))
        };
        if let Some(evidence) = bench.evidence.iter().rev().find(fits) {
            return Ruling::by(evidence);
        }
        if let Some(evidence) = opaque(bench.evidence, CAN_CHANGE) {
            return Ruling::by(evidence);
        }
        let acts = &[Act::Create, Act::Edit];
        if let Some((evidence, failure)) = missed(bench.evidence, acts, |object| topic.fits(object)) {
            return Ruling::failed("the attempt failed".to_owned(), evidence, failure);
        }
        return Ruling::not_done(
            format!("no call changed {}", topic.name),
            TOOLS,
            format!("looked for a call that changes {}", topic.name),
        );
    }
    if let Some(evidence) = bench.evidence.iter().rev().find(changed) {
        return Ruling::by(evidence);
    }
    if let Some(evidence) = opaque(bench.evidence, CAN_CHANGE) {
        return Ruling::by(evidence);
    }
    let removes = |it: &&Evidence| {
        const WORDS: &[&str] = &[
            "prune", "rm", "rmi", "delete", "remove", "clean", "purge", "drop", "flushall", "flushdb", "del",
        ];
        reading.act == Act::Delete
            && it.channel != Channel::File
            && it.failure.is_none()
            && !super::run::is_rehearsal(it)
            && it.words.iter().any(|word| WORDS.contains(&word.as_str()))
    };
    if let Some(evidence) = bench.evidence.iter().rev().find(removes) {
        return Ruling::by(evidence);
    }
    if let Some((evidence, failure)) = missed(bench.evidence, CHANGES, |_| true) {
        return Ruling::failed("the only attempt to change something failed".to_owned(), evidence, failure);
    }
    if reading.act != Act::Delete
        && ((reading.passive && !bench.message.short)
            || matches!(reading.verb.as_str(), "split" | "set up" | "put in place"))
        && !reading.said
    {
        // Without a name and without "I" it may be anybody's, or no statement at all.
        return Ruling::supported("who changed what is not told");
    }
    Ruling::not_done(
        "nothing was changed in this session".to_owned(),
        TOOLS,
        "looked for a call that writes, edits, moves or removes files".to_owned(),
    )
}

/// "Deleted the branch": git says so.
fn branch_gone(reading: &Reading, bench: &Bench<'_>) -> Option<Ruling> {
    if reading.act != Act::Delete || !(reading.has_word("branch") || reading.has_word("branches")) {
        return None;
    }
    let gone = |it: &&Evidence| {
        let summary = &it.summary;
        ["branch -d", "branch -D", "--delete", "--prune", "delete-branch", "remote prune"]
            .iter()
            .any(|word| summary.contains(word))
            || summary.contains("push origin :")
            || it
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "delete_branch" | "delete-branch" | "prune"))
            || (it.opaque && it.failure.is_none())
    };
    Some(match bench.evidence.iter().rev().find(gone) {
        Some(found) => Ruling::by(found),
        None => Ruling::not_done(
            "no call deletes a branch".to_owned(),
            &["Bash"],
            "looked for a call that deletes a branch".to_owned(),
        ),
    })
}

/// "Translated all five locale files" where four were changed.
fn fewer_files(reading: &Reading, bench: &Bench<'_>) -> Option<Ruling> {
    let count = reading.count.filter(|count| (2..=50).contains(count))?;
    if !reading.has_word("files")
        || reading.has_word("notebook")
        || opaque(bench.evidence, CAN_CHANGE).is_some()
    {
        return None;
    }
    let changed = made_below(bench.evidence, "");
    (0 < changed && changed < count).then(|| {
        Ruling::not_done(
            format!("{count} files are told, {changed} were changed"),
            TOOLS,
            format!("counted the files that calls changed: {changed}"),
        )
    })
}

/// A kind of file that a short statement names by its topic only: `Docs updated`.
struct Topic {
    name: &'static str,
    parts: &'static [&'static str],
}

impl Topic {
    fn fits(&self, path: &str) -> bool {
        let path = path.to_lowercase();
        self.parts.iter().any(|part| path.contains(part))
    }
}

const DOCUMENTS: Topic = Topic {
    name: "documentation",
    parts: &[
        "doc",
        ".md",
        ".rst",
        ".adoc",
        ".txt",
        "readme",
        "changelog",
        ".html",
        ".ipynb",
        "wiki",
        "guide",
        "man/",
        ".tex",
    ],
};
/// Rust, Zig, D and Elm keep tests beside the code.
const TESTS: Topic = Topic {
    name: "tests",
    parts: &["test", "spec", ".rs", ".zig", "cypress", "e2e", "__mocks__", "fixtures"],
};

/// Only statements of a few words whose whole object is the topic: in longer ones the word means something else.
fn topic(reading: &Reading) -> Option<&'static Topic> {
    if 5 < reading.words.len() {
        return None;
    }
    let named = |words: &[&str]| reading.words.iter().any(|word| words.contains(&word.as_str()));
    if named(&["docs", "documentation", "readme"]) {
        Some(&DOCUMENTS)
    } else if named(&["tests", "test"])
        && matches!(reading.act, Act::Create | Act::Edit)
        && !named(&["fixed"])
    {
        Some(&TESTS)
    } else {
        None
    }
}

/// `cells 3–7` of a notebook: how many.
fn cells(reading: &Reading) -> Option<u64> {
    let at = reading.words.iter().position(|word| word == "cells")?;
    let range = reading.words.get(at + 1)?;
    let (first, last) = range.split_once(['-', '–'])?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    last.checked_sub(first).map(|it| it + 1)
}

/// Distinct files below a folder that calls wrote.
fn made_below(evidence: &[Evidence], folder: &str) -> u64 {
    let mut seen: Vec<&str> = Vec::new();
    for file in evidence.iter().flat_map(|it| &it.files).filter(|file| CHANGES.contains(&file.act)) {
        if file.tree {
            return u64::MAX;
        }
        if (folder.is_empty() || same_path(folder, &file.path, false)) && !seen.contains(&file.path.as_str())
        {
            seen.push(&file.path);
        }
    }
    seen.len() as u64
}

fn times(evidence: &[Evidence], path: &str) -> u64 {
    let files = evidence.iter().flat_map(|it| &it.files);
    files
        .filter(|file| CHANGES.contains(&file.act) && same_path(path, &file.path, false))
        .map(|file| u64::from(file.times))
        .sum()
}
