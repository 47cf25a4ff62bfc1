//! States that a call asked for: statuses, health, searches, comparisons.

use super::super::super::act::Act;
use super::super::super::evidence::{Answer, Channel, Evidence, Question};
use super::super::super::reading::Reading;
use super::super::super::reading::state::{Health, parts};
use super::super::{Bench, Ruling};
use super::{after, against, agrees, answers, changed_later, number_somewhere, telling};

/// Whether one of the names that a claim has is a part of what an answer is about.
fn names_it(names: &[String], about: &str) -> bool {
    let own = parts(about);
    names.iter().any(|name| {
        about.contains(name.as_str()) && 3 < name.len() || parts(name).iter().any(|part| own.contains(part))
    })
}

/// Words of a claim that name no address.
const GENERIC: &[&str] = &[
    "api", "app", "page", "site", "curl", "url", "http", "host", "still", "route", "get", "dev", "endpoint",
    "new", "server", "service", "request", "probe",
];

pub(super) fn status(code: u16, names: &[String], all: &[Evidence]) -> Option<Ruling> {
    let code = code.to_string();
    if let Some(it) =
        all.iter().rev().find(|it| answers(it, Question::Status).any(|answer| answer.said == code))
    {
        return agrees(it);
    }
    if number_somewhere(code.parse().ok()?, all).is_some() {
        return None;
    }
    // `/health`, "the health check": what is named must be what was asked.
    let paths: Vec<&String> = names.iter().filter(|name| name.contains('/')).collect();
    for it in telling(all) {
        let own: Vec<&Answer> = answers(it, Question::Status).collect();
        let Some(last) = own.last() else { continue };
        let tail = |path: &str| path.rsplit(' ').next().unwrap_or(path).trim_end_matches('/').to_owned();
        let fits = if paths.is_empty() {
            let specific: Vec<String> =
                names.iter().filter(|name| !GENERIC.contains(&name.as_str())).cloned().collect();
            specific.is_empty() || names_it(&specific, &last.about)
        } else {
            paths.iter().any(|path| last.about.contains(tail(path).as_str()))
        };
        if !fits || 1 < own.len() {
            return None;
        }
        if last.said == "000" {
            return against(format!("status {code} is told; there was no answer"), it, all);
        }
        return against(format!("status {code} is told; the answer was {}", last.said), it, all);
    }
    None
}

pub(super) fn refused_or_not(refused: bool, kind: &str, all: &[Evidence]) -> Option<Ruling> {
    for it in telling(all) {
        let own: Vec<&Answer> =
            answers(it, Question::Status).filter(|answer| parts(&answer.about).contains(&kind)).collect();
        let [answer] = own.as_slice() else { continue };
        let was = match answer.said.as_str() {
            "401" | "403" => true,
            said if said.starts_with('2') => false,
            _ => return None,
        };
        if was == refused {
            return agrees(it);
        }
        let said = if refused { "refused" } else { "accepted" };
        return against(
            format!("what is {kind} is said to be {said}; the answer was {}", answer.said),
            it,
            all,
        );
    }
    None
}

pub(super) fn exit(code: u8, names: &[String], all: &[Evidence]) -> Option<Ruling> {
    let code = code.to_string();
    let mut runs = telling(all).filter_map(|it| Some((it, answers(it, Question::Exit).last()?)));
    let (it, answer) = runs.next()?;
    if answer.said == code || answer.said == "failed" && code != "0" {
        return agrees(it);
    }
    // Another call may have been the one that is meant: only what is named, or the very last call, counts.
    let specific: Vec<String> =
        names.iter().filter(|it| it.contains(['.', '/', ' ', '-']) || 4 < it.len()).cloned().collect();
    let last = telling(all).find(|it| it.channel == Channel::Shell);
    let named = specific.is_empty() || names_it(&specific, &answer.about);
    let told_elsewhere = all.iter().any(|it| answers(it, Question::Exit).any(|answer| answer.said == code));
    if told_elsewhere || !named || !last.is_some_and(|last| std::ptr::eq(last, it)) {
        return None;
    }
    against(format!("exit status {code} is told; it was {}", answer.said), it, all)
}

pub(super) fn healthy(health: Health, names: &[String], whole: bool, all: &[Evidence]) -> Option<Ruling> {
    let bad = |said: &str| match said {
        "unhealthy" | "crashloopbackoff" | "imagepullbackoff" | "errimagepull" | "oomkilled"
        | "restarting" | "exited" | "unready" | "evicted" | "inactive" | "failed" => true,
        // A job that is done, among services.
        "exited 0" => !whole,
        "health: starting" | "starting" | "pending" | "running, not ready" | "activating" => {
            health == Health::Healthy
        }
        _ => false,
    };
    for it in telling(all) {
        let rows: Vec<&Answer> = answers(it, Question::Health).collect();
        if rows.is_empty() {
            continue;
        }
        let named: Vec<&&Answer> = rows.iter().filter(|row| names_it(names, &row.about)).collect();
        let meant: Vec<&Answer> = match (named.is_empty(), whole, rows.len()) {
            (false, _, _) => named.into_iter().copied().collect(),
            (true, true, _) | (true, false, 1) => rows.clone(),
            _ => return None,
        };
        let wrong: Vec<&&Answer> = meant.iter().filter(|row| bad(&row.said)).collect();
        // Of several with one name, all must be wrong unless all are told of.
        let Some(row) = wrong.first().filter(|_| whole || wrong.len() == meant.len()) else {
            return agrees(it);
        };
        let later = after(it, all)
            .any(|later| later.deeds.iter().any(|deed| matches!(deed.act, Act::Service | Act::Deploy)));
        if later {
            return None;
        }
        let what = if row.about.is_empty() { "it" } else { row.about.as_str() };
        return against(format!("the output says of {what}: {}", row.said), it, all);
    }
    None
}

pub(super) fn branch(name: &str, all: &[Evidence]) -> Option<Ruling> {
    let it = telling(all).find(|it| answers(it, Question::Branch).next().is_some())?;
    let said = &answers(it, Question::Branch).last()?.said;
    if said == name {
        return agrees(it);
    }
    let moved = after(it, all).any(|later| {
        later.deeds.iter().any(|deed| matches!(deed.act, Act::Branch | Act::Merge | Act::Rebase | Act::Other))
            || later.words.iter().any(|word| matches!(word.as_str(), "checkout" | "switch" | "worktree"))
    });
    if moved {
        return None;
    }
    against(format!("the branch is said to be `{name}`; the output says `{said}`"), it, all)
}

pub(super) fn unstashed(all: &[Evidence]) -> Option<Ruling> {
    let it = telling(all).find(|it| answers(it, Question::Stashes).next().is_some())?;
    let said = &answers(it, Question::Stashes).last()?.said;
    if said == "0" {
        return agrees(it);
    }
    if after(it, all).any(|later| later.words.iter().any(|word| word == "stash")) {
        return None;
    }
    against(format!("nothing is said to be stashed; the list has {said}"), it, all)
}

pub(super) fn checks(bench: &Bench<'_>) -> Option<Ruling> {
    let all = bench.evidence;
    let it = telling(all).find(|it| answers(it, Question::Check).next().is_some())?;
    let Some(failed) = answers(it, Question::Check).find(|answer| answer.said == "fail") else {
        return agrees(it);
    };
    if !bench.message.tells_failure_of.is_empty() {
        return None;
    }
    against(format!("what was looked at says: {}", failed.about), it, all)
}

/// The hooks of the commit that was made did not run.
pub(super) fn hooks(bench: &Bench<'_>) -> Option<Ruling> {
    let all = bench.evidence;
    let word = |it: &Evidence, words: &[&str]| it.words.iter().any(|word| words.contains(&word.as_str()));
    let it = telling(all).find(|it| it.deeds.iter().any(|deed| deed.act == Act::Commit))?;
    let ran_alone =
        all.iter().any(|it| it.failure.is_none() && word(it, &["pre", "lefthook", "husky", "staged"]));
    let told = bench.message.norm.contains("no-verify") || bench.message.norm.contains("bypass");
    if !(word(it, &["no"]) && word(it, &["verify"])) || ran_alone || told {
        return agrees(it);
    }
    against("the commit was made with `--no-verify`: no hook ran".to_owned(), it, all)
}

/// The last merge, rebase or the like stopped at conflicts.
pub(super) fn unconflicted(all: &[Evidence]) -> Option<Ruling> {
    let joins = |it: &Evidence| {
        it.words.iter().any(|word| word == "git")
            && it
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "rebase" | "merge" | "pull" | "cherry" | "pop"))
    };
    let it = telling(all).find(|it| joins(it))?;
    let conflict = answers(it, Question::Conflict).next()?;
    if changed_later(it, all) {
        return None;
    }
    against(format!("the output says: {}", conflict.about), it, all)
}

/// What a subagent that reviewed says that must change.
pub(super) fn unobjected(all: &[Evidence]) -> Option<Ruling> {
    let mut reviews = all.iter().rev().filter(|it| !it.earlier && it.channel == Channel::Delegate);
    let it = reviews.find(|it| it.failure.is_none())?;
    let Some(found) = answers(it, Question::Objection).next() else { return agrees(it) };
    if changed_later(it, all) {
        return None;
    }
    against(format!("the subagent says: {}", found.about), it, all)
}

pub(super) fn rows(reading: &Reading, noun: &str, count: u64, all: &[Evidence]) -> Option<Ruling> {
    if let Some(it) = number_somewhere(count, all) {
        return agrees(it);
    }
    let it = telling(all).find(|it| answers(it, Question::Rows).next().is_some())?;
    let answer = answers(it, Question::Rows).last()?;
    let table = answer.about.rsplit('.').next().unwrap_or_default();
    let named = reading.text.to_lowercase().contains(table) && !table.is_empty();
    let plain = reading.words.first().is_some_and(|it| it == "the")
        && reading.words.get(1).is_some_and(|it| it == "table");
    if !(named || plain && matches!(noun, "rows" | "records" | "entries")) {
        return None;
    }
    against(format!("{count} {noun} are told; the output says {}", answer.said), it, all)
}

pub(super) fn same_or_not(same: bool, all: &[Evidence]) -> Option<Ruling> {
    let word = if same { "same" } else { "differ" };
    for it in telling(all) {
        let own: Vec<&Answer> = answers(it, Question::Same).collect();
        let Some(last) = own.last() else { continue };
        if own.iter().any(|answer| answer.said == word) {
            return agrees(it);
        }
        if changed_later(it, all) {
            return None;
        }
        let said = if same { "they differ" } else { "they are the same" };
        return against(format!("the comparison of {} says that {said}", last.about), it, all);
    }
    None
}

pub(super) fn there_or_not(name: &str, there: bool, all: &[Evidence]) -> Option<Ruling> {
    let word = if there { "there" } else { "missing" };
    for it in telling(all) {
        let Some(answer) = answers(it, Question::There).filter(|answer| answer.about == name).last() else {
            continue;
        };
        if answer.said == word {
            return agrees(it);
        }
        let installed = after(it, all)
            .any(|later| later.deeds.iter().any(|deed| matches!(deed.act, Act::Install | Act::Uninstall)));
        if installed || changed_later(it, all) {
            return None;
        }
        let said = if there { "is not on the path" } else { "is on the path" };
        return against(format!("the output says that {name} {said}"), it, all);
    }
    None
}

pub(super) fn clean(all: &[Evidence]) -> Option<Ruling> {
    let it = telling(all).find(|it| it.tree_clean.is_some())?;
    if it.tree_clean == Some(true) {
        return agrees(it);
    }
    let later = after(it, all).any(|later| {
        later.deeds.iter().any(|deed| {
            matches!(
                deed.act,
                Act::Commit | Act::Revert | Act::Branch | Act::Merge | Act::Rebase | Act::Other
            )
        }) || later.words.iter().any(|word| word == "stash" || word == "clean")
    });
    if later {
        return None;
    }
    against("`git status` shows changes that are not committed".to_owned(), it, all)
}

/// A pattern as people write it: without what is special in expressions.
fn plain(pattern: &str) -> String {
    pattern
        .chars()
        .filter(|c| !matches!(c, '\\' | '^' | '$' | '\'' | '"' | '(' | ')' | '<' | '>'))
        .collect::<String>()
        .trim_end_matches(['b', 's'])
        .trim()
        .to_owned()
}

fn same_pattern(told: &str, asked: &str) -> bool {
    plain(told) == plain(asked) && !plain(told).is_empty()
}

/// Whether a search of `asked` is one of a part of `told`; of everything where nothing is told.
fn same_places(told: &[String], asked: &str) -> bool {
    let trim = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
    let asked: Vec<String> = asked.split_whitespace().map(trim).collect();
    told.is_empty()
        || (!asked.is_empty()
            && asked.iter().all(|place| {
                told.iter().any(|told| {
                    let told = trim(told);
                    *place == told
                        || place.starts_with(&format!("{told}/"))
                        || place.ends_with(&format!("/{told}"))
                        || place.contains(&format!("/{told}/"))
                })
            }))
}

fn found(answer: &Answer) -> Option<u64> {
    answer.said.trim_end_matches('+').parse().ok()
}

pub(super) fn left(patterns: &[String], places: &[String], all: &[Evidence]) -> Option<Ruling> {
    for it in telling_searches(all) {
        let own = it.answers.iter().rfind(|answer| {
            matches!(answer.question, Question::Matches | Question::MatchingFiles)
                && patterns.iter().any(|pattern| same_pattern(pattern, &answer.about))
        });
        let Some(answer) = own else { continue };
        let count = found(answer)?;
        if count == 0 {
            return agrees(it);
        }
        if !same_places(places, &answer.place) || changed_later(it, all) {
            return None;
        }
        return against(
            format!("nothing is said to be left of `{}`; the search finds {count}", patterns[0]),
            it,
            all,
        );
    }
    None
}

/// Searches of this turn, by whatever tool.
fn telling_searches(all: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    all.iter().rev().filter(|it| !it.earlier)
}

pub(super) fn matches(
    pattern: &str,
    places: &[String],
    count: u64,
    exact: bool,
    all: &[Evidence],
) -> Option<Ruling> {
    if number_somewhere(count, all).is_some() {
        return None;
    }
    let own: Vec<(&Evidence, &Answer)> = telling_searches(all)
        .flat_map(|it| it.answers.iter().rev().map(move |answer| (it, answer)))
        .filter(|(_, answer)| matches!(answer.question, Question::Matches | Question::MatchingFiles))
        .filter(|(_, answer)| same_pattern(pattern, &answer.about))
        .collect();
    let (it, _) = own.first()?;
    let lines = own.iter().find(|(_, answer)| answer.question == Question::Matches)?;
    let total: u64 = own.iter().filter_map(|(_, answer)| found(answer)).sum();
    let open = own.iter().any(|(_, answer)| answer.said.ends_with('+'));
    let said = found(lines.1)?;
    if open
        || total == count
        || said == count
        || !same_places(places, &lines.1.place)
        || changed_later(it, all)
    {
        return None;
    }
    // Of usages a line may hold several, and not every line is one.
    if !exact && count <= total * 2 {
        return None;
    }
    against(format!("{count} are told; the search finds {said}"), lines.0, all)
}

pub(super) fn version_of(program: &str, version: &str, all: &[Evidence]) -> Option<Ruling> {
    for it in telling(all) {
        let Some(answer) = answers(it, Question::Version).filter(|answer| answer.about == program).last()
        else {
            continue;
        };
        let rest = answer.said.strip_prefix(version);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || version.starts_with(&answer.said)
        {
            return agrees(it);
        }
        let elsewhere = all.iter().any(|it| {
            answers(it, Question::Version)
                .any(|other| other.about == program && other.said.starts_with(version))
        });
        if elsewhere || changed_later(it, all) {
            return None;
        }
        return against(format!("{program} {version} is told; the output says {}", answer.said), it, all);
    }
    None
}
