//! What only the output tells of files: which ones a patch changed, and whether a file was shown to its end.

use hostler_model::lexical;

use super::super::FileAct;
use super::super::of::Source;
use super::super::program::Role;
use super::super::text::{has, lines};
use super::Step;
use crate::claims::Act;

/// Files of one output that are kept.
const FILES_MAX: usize = 100;

/// Adds the files that patches and merges say that they changed. One that names them is no longer opaque.
pub(super) fn changed(steps: &mut [Step], text: &str, source: &Source<'_>) {
    let patches = |step: &Step| {
        matches!(
            step.meaning.target.as_str(),
            "patch" | "git apply" | "git am" | "git merge" | "git pull" | "git cherry-pick" | "git revert"
        ) && step.meaning.role == Role::Deed
    };
    let Some(at) = steps.iter().position(patches) else { return };
    let stat = steps.iter().skip(at + 1).any(|step| {
        step.meaning.target == "git diff" && step.words.iter().any(|word| word.starts_with("--stat"))
    });
    let step = &mut steps[at];
    let mut named = false;
    for line in lines(text) {
        for (act, path) in changes(line, &step.meaning.target, stat) {
            // What statistics have cut stays as written.
            let path = path.strip_prefix(".../").map_or_else(
                || {
                    let folder = step.cwd.as_deref().unwrap_or(source.cwd);
                    lexical::expand(folder, source.place.home.as_deref(), path).display().to_string()
                },
                str::to_owned,
            );
            let file = FileAct::new(act, path);
            if step.meaning.files.len() < FILES_MAX && !step.meaning.files.contains(&file) {
                named = true;
                step.meaning.files.push(file);
            }
        }
    }
    if named && matches!(step.meaning.target.as_str(), "patch" | "git apply") {
        step.meaning.opaque = false;
    }
}

/// What a line says of a file that was changed.
fn changes<'a>(line: &'a str, target: &str, stat: bool) -> Vec<(Act, &'a str)> {
    let quoted = |path: &'a str| path.trim().trim_matches(['\'', '"']);
    if target == "patch" {
        let named = line.strip_prefix("patching file ").map(|rest| rest.split(" (").next().unwrap_or(rest));
        return named.map(|path| (Act::Edit, quoted(path))).into_iter().collect();
    }
    let trimmed = line.trim_start();
    if let Some(rest) = trimmed.strip_prefix("Applied patch ") {
        let path = rest.strip_suffix(" cleanly.").or_else(|| rest.strip_suffix(" with conflicts."));
        return path.map(|path| (Act::Edit, quoted(path))).into_iter().collect();
    }
    for (start, act) in [("create mode ", Act::Create), ("delete mode ", Act::Delete)] {
        if let Some((_, path)) = trimmed.strip_prefix(start).and_then(|rest| rest.split_once(' ')) {
            return vec![(act, quoted(path))];
        }
    }
    // ` src/a.rs | 4 ++--`
    let prints = stat || matches!(target, "git merge" | "git pull" | "git am");
    let Some((path, count)) = line.split_once(" | ").filter(|_| prints && line.starts_with(' ')) else {
        return Vec::new();
    };
    let count = count.trim_start();
    let counts = count.starts_with(|c: char| c.is_ascii_digit()) || count.starts_with("Bin ");
    let plain = counts && !path.contains("=>") && !path.trim().is_empty();
    plain.then(|| (Act::Edit, quoted(path))).into_iter().collect()
}

/// Marks files of which only a part was shown: their beginning, some lines, those that match.
pub(super) fn parts(steps: &mut [Step], text: &str) {
    let limits: Vec<Option<Limit>> = steps.iter().map(limit).collect();
    if limits.iter().all(Option::is_none) {
        return;
    }
    let count = lines(text).count();
    for index in 0..steps.len() {
        let pipeline = steps[index].flow.pipeline;
        let own = limits[index];
        // What a later command of the pipe lets through.
        let later = || {
            (index + 1..steps.len())
                .filter(|at| steps[*at].flow.pipeline == pipeline && steps[*at].flow.fed)
                .find_map(|at| limits[at])
        };
        let limit = own.or_else(later);
        let part = match limit {
            None => continue,
            Some(Limit::Lines(most)) => most <= count,
            Some(Limit::Some) => true,
        };
        if part {
            let read = steps[index].meaning.files.iter_mut().filter(|file| file.act == Act::Read);
            read.for_each(|file| file.part = true);
        }
    }
}

/// How much of its input a command lets through.
#[derive(Debug, Clone, Copy)]
enum Limit {
    /// As many lines.
    Lines(usize),
    /// Some of it.
    Some,
}

fn limit(step: &Step) -> Option<Limit> {
    let args = step.words.get(1..).unwrap_or_default();
    match step.name() {
        "head" | "tail" => {
            let number = |word: &str| word.trim_start_matches('-').parse::<usize>().ok();
            let mut lines = None;
            let mut rest = args.iter();
            while let Some(arg) = rest.next() {
                let value = match arg.strip_prefix("-n").or_else(|| arg.strip_prefix("--lines=")) {
                    Some("") => rest.next().map(String::as_str),
                    Some(value) => Some(value),
                    None if arg.starts_with("-c") || arg.starts_with("--bytes") => return Some(Limit::Some),
                    None => arg.strip_prefix('-'),
                };
                match value {
                    // From the first line on.
                    Some("+1") => return None,
                    Some(value) if value.starts_with('+') => return Some(Limit::Some),
                    Some(value) => lines = number(value).or(lines),
                    None => {}
                }
            }
            Some(Limit::Lines(lines.unwrap_or(10)))
        }
        "sed" | "gsed" => {
            let script = args.iter().find(|it| !it.starts_with('-'))?;
            let quiet = args.iter().any(|it| matches!(it.as_str(), "-n" | "--quiet" | "--silent"));
            let range = script.trim_end_matches('p').split(',').collect::<Vec<_>>();
            match (quiet, range.as_slice()) {
                (true, ["1", "$"]) => None,
                (true, ["1", last]) => Some(last.parse().map_or(Limit::Some, Limit::Lines)),
                (true, _) => Some(Limit::Some),
                // `10q`
                (false, _) => script.strip_suffix('q').and_then(|it| it.parse().ok()).map(Limit::Lines),
            }
        }
        "bat" | "batcat" => args
            .iter()
            .any(|it| it.starts_with("-r") || it.starts_with("--line-range"))
            .then_some(Limit::Some),
        "awk" | "gawk" => args.iter().any(|it| it.contains("NR")).then_some(Limit::Some),
        "wc" => Some(Limit::Some),
        _ => (step.is_search() && !args.iter().any(|it| has(it, "--passthru"))).then_some(Limit::Some),
    }
}
