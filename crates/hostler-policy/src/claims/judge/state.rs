//! A state or value that is told, against the last output that speaks of it.
//!
//! Nothing is contradicted that an output of the session agrees with, nor what no output of this turn speaks of, nor
//! what a later call that cannot be read may have changed.

use super::super::act::Act;
use super::super::evidence::{Answer, Channel, Evidence, Measure, Question, Run};
use super::super::reading::state::{Health, Quantity, Stated, Timed, Weighed, magnitude, parts, seconds};
use super::super::reading::{Reading, Told};
use super::super::verdict::Standing;
use super::{Bench, Ruling};

/// Measured times differ from run to run, and are told rounded.
const ROUNDED: f64 = 0.1;
/// More sizes than this in one output: which one is meant is not certain.
const SIZES_MAX: usize = 6;

pub(super) fn judge(reading: &Reading, stated: &Stated, bench: &Bench<'_>) -> Ruling {
    let all = bench.evidence;
    let found = match stated {
        Stated::Metric(name, told) => metric(name, told, all),
        Stated::Time(timed, told) => time(*timed, told, all),
        Stated::Size(weighed, told) => size(*weighed, told, all),
        Stated::Faster(times) => faster(*times, all),
        Stated::Counted("held", noun, count) => rows(reading, noun, *count, all),
        Stated::Counted(deed, noun, count) => counted(deed, noun, *count, all),
        Stated::Vulnerable(count) => counted("", "vulnerabilities", *count, all),
        Stated::Status(code, names) => status(*code, names, all),
        Stated::Refused(refused, kind) => refused_or_not(*refused, kind, all),
        Stated::Exit(code, names) => exit(*code, names, all),
        Stated::Healthy(health, names, whole) => healthy(*health, names, *whole, all),
        Stated::Same(same) => same_or_not(*same, all),
        Stated::There(name, there) => there_or_not(name, *there, all),
        Stated::Clean => clean(all),
        Stated::Left(patterns, places) => left(patterns, places, all),
        Stated::Matches(pattern, places, count, exact) => matches(pattern, places, *count, *exact, all),
        Stated::Version(program, version) => version_of(program, version, all),
        Stated::Branch(name) => branch(name, all),
        Stated::Unstashed => unstashed(all),
        Stated::Checks => checks(bench),
        Stated::Coverage(_) => None,
        Stated::Tests(passed, failed) => tests(*passed, *failed, all),
        Stated::Spotless(errors) => spotless(reading, *errors, all),
    };
    found.unwrap_or_else(|| Ruling::supported("no output of this turn speaks against it"))
}

/// The state that a result tells, where it tells one.
pub(super) fn of(reading: &Reading) -> Option<&Stated> {
    reading.result.as_ref().and_then(|told: &Told| told.state.as_ref())
}

/// Calls of this turn whose outputs state results; the last one first.
fn telling(all: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    all.iter().rev().filter(|it| !it.earlier && it.channel != Channel::File)
}

fn answers(it: &Evidence, question: Question) -> impl Iterator<Item = &Answer> {
    it.answers.iter().filter(move |answer| answer.question == question)
}

/// The calls after one.
fn after<'a>(it: &'a Evidence, all: &'a [Evidence]) -> impl Iterator<Item = &'a Evidence> {
    all.iter().skip_while(move |other| !std::ptr::eq(*other, it)).skip(1)
}

/// A later call whose effects and output are not read may have found another state.
fn unread_later(it: &Evidence, all: &[Evidence]) -> bool {
    after(it, all).any(|later| {
        later.failure.is_none()
            && (later.channel == Channel::Delegate || later.opaque && later.channel != Channel::File)
    })
}

/// Files were changed after it.
fn changed_later(it: &Evidence, all: &[Evidence]) -> bool {
    after(it, all).any(|later| {
        later.files.iter().any(|file| matches!(file.act, Act::Create | Act::Edit | Act::Delete | Act::Move))
            || later
                .deeds
                .iter()
                .any(|deed| !matches!(deed.act, Act::Read | Act::Search | Act::Fetch | Act::Run))
    })
}

fn against(description: String, it: &Evidence, all: &[Evidence]) -> Option<Ruling> {
    (!unread_later(it, all)).then(|| Ruling::contradicted(description, it))
}

fn agrees(it: &Evidence) -> Option<Ruling> {
    Some(Ruling::by(it))
}

/// How far a number may be from the one that is told.
fn tolerance(told: &Quantity, rough: bool) -> f64 {
    // 180 may stand for 178: the last digit that is not zero is the last that is meant.
    let mut meant = told.step;
    while told.step >= 1.0 && meant * 10.0 <= told.value && (told.value / (meant * 10.0)).fract() == 0.0 {
        meant *= 10.0;
    }
    let share = if rough { ROUNDED * told.value } else { 0.02 * told.value };
    meant.min(share).max(told.step)
}

fn close(told: &Quantity, factor: f64, value: f64, rough: bool) -> bool {
    // A whole step away is another number.
    (value - told.value * factor).abs() < tolerance(told, rough) * factor * (1.0 - 1e-9)
}

/// A number with its unit as an answer has it.
fn parsed(said: &str) -> Option<(f64, &str)> {
    let (number, unit) = said.split_once(' ').unwrap_or((said, ""));
    Some((number.parse().ok()?, unit))
}

/// Whether any output of the session holds the time that is told.
fn time_somewhere<'a>(told: &Quantity, all: &'a [Evidence]) -> Option<&'a Evidence> {
    let factor = seconds(&told.unit)?;
    let fits = |value: f64, unit: &str| match seconds(unit) {
        Some(own) => close(told, factor, value * own, false),
        // A bare number may be of the same unit, or of seconds.
        None => unit.is_empty() && (close(told, 1.0, value, false) || close(told, factor, value, false)),
    };
    all.iter().rev().find(|it| {
        it.measures.iter().any(|measure| fits(measure.value, &measure.unit))
            || answers(it, Question::Metric)
                .any(|answer| parsed(&answer.said).is_some_and(|(value, unit)| fits(value, unit)))
    })
}

fn metric(name: &str, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
    let factor = seconds(&told.unit)?;
    if let Some(it) = time_somewhere(told, all) {
        return agrees(it);
    }
    for it in telling(all) {
        let own: Vec<(f64, &str)> = answers(it, Question::Metric)
            .filter(|answer| answer.about == name)
            .filter_map(|answer| parsed(&answer.said))
            .collect();
        let Some((value, unit)) = own.last() else { continue };
        let known = own.iter().all(|(_, unit)| seconds(unit).is_some());
        if !known
            || own
                .iter()
                .any(|(value, unit)| seconds(unit).is_some_and(|own| close(told, factor, value * own, false)))
        {
            return agrees(it);
        }
        // Several scenarios: which one is meant is not certain.
        if 1 < own.len() {
            return None;
        }
        return against(
            format!("{name} of {} {} is told; the output says {value} {unit}", told.value, told.unit),
            it,
            all,
        );
    }
    None
}

/// Labels of what a program took as a whole.
const WHOLE: &[&str] =
    &["time", "in", "took", "real", "elapsed", "duration", "finished", "total", "execution", "latency"];

fn time(timed: Timed, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
    let factor = seconds(&told.unit)?;
    if let Some(it) = time_somewhere(told, all) {
        return agrees(it);
    }
    let word = |it: &Evidence, names: &[&str]| it.words.iter().any(|word| names.contains(&word.as_str()));
    let ran = |it: &Evidence, act: Act| it.runs.iter().any(|run| run.act == act);
    for it in telling(all) {
        let relevant = match timed {
            Timed::Query => {
                word(it, &["psql", "mysql", "mariadb", "sqlite3", "explain", "mongosh", "clickhouse"])
            }
            Timed::Build => ran(it, Act::Build) && it.runs.len() == 1,
            Timed::Tests => ran(it, Act::Test) && it.runs.len() == 1,
            Timed::Request => word(it, &["curl", "k6", "ab", "wrk", "hey", "autocannon", "vegeta", "oha"]),
            Timed::Command => {
                it.summary.contains("hyperfine")
                    || answers(it, Question::Metric).any(|answer| answer.about == "real")
            }
        };
        if !relevant {
            continue;
        }
        let mut values: Vec<f64> = Vec::new();
        for measure in &it.measures {
            let labelled = WHOLE.iter().any(|label| measure.label == *label);
            if let Some(own) = seconds(&measure.unit).filter(|_| labelled) {
                values.push(measure.value * own);
            }
        }
        for answer in answers(it, Question::Metric).filter(|it| matches!(it.about.as_str(), "real" | "mean"))
        {
            if let Some((value, unit)) = parsed(&answer.said) {
                values.extend(seconds(unit).map(|own| value * own));
            }
        }
        if values.is_empty() {
            continue;
        }
        if values.iter().any(|value| close(told, factor, *value, true)) {
            return agrees(it);
        }
        let sum: f64 = values.iter().sum();
        if close(told, factor, sum, true) {
            return agrees(it);
        }
        let shown = values[0] / factor;
        return against(
            format!("{} {} are told; the output says {shown:.3}", told.value, told.unit),
            it,
            all,
        );
    }
    None
}

fn faster(times: f64, all: &[Evidence]) -> Option<Ruling> {
    let near = |value: f64| (value - times).abs() <= ROUNDED * times;
    let mut spans: Vec<f64> = Vec::new();
    for it in all {
        spans.extend(it.measures.iter().filter_map(|measure| Some(measure.value * seconds(&measure.unit)?)));
        spans.extend(answers(it, Question::Metric).filter_map(|answer| {
            let (value, unit) = parsed(&answer.said)?;
            Some(value * seconds(unit)?)
        }));
    }
    spans.truncate(64);
    let by_ratio = spans.iter().any(|slow| spans.iter().any(|fast| 0.0 < *fast && near(slow / fast)));
    for it in telling(all) {
        let own: Vec<f64> = answers(it, Question::Metric)
            .filter(|answer| answer.about == "times")
            .filter_map(|answer| answer.said.parse().ok())
            .collect();
        let [value] = own.as_slice() else { continue };
        if near(*value) || by_ratio {
            return agrees(it);
        }
        return against(format!("{times} times faster is told; the output says {value}"), it, all);
    }
    None
}

/// Whether a sum of some of `values` is close to what is told.
fn sums_to(values: &[f64], fits: impl Fn(f64) -> bool) -> bool {
    (1_u32..1 << values.len()).any(|set| {
        let sum =
            values.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, value)| value).sum();
        fits(sum)
    })
}

fn size(weighed: Weighed, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
    let power = magnitude(&told.unit)?;
    // A kilobyte is 1000 or 1024 bytes, whoever writes it.
    let fits = |bytes: f64| {
        [1000_f64, 1024.0].iter().any(|base| {
            let factor = base.powi(power);
            close(told, factor, bytes, false)
        })
    };
    let of = |value: f64, unit: &str| -> Option<[f64; 2]> {
        let power = magnitude(unit)?;
        Some([value * 1000_f64.powi(power), value * 1024_f64.powi(power)])
    };
    let sizes = |it: &Evidence| -> Vec<[f64; 2]> {
        it.measures.iter().filter_map(|measure| of(measure.value, &measure.unit)).collect()
    };
    for it in all.iter().rev() {
        let same = it.measures.iter().any(|measure| measure.unit.is_empty() && fits(measure.value));
        if same || sizes(it).iter().flatten().any(|bytes| fits(*bytes)) {
            return agrees(it);
        }
    }
    let word = |it: &Evidence, names: &[&str]| it.words.iter().any(|word| names.contains(&word.as_str()));
    for it in telling(all) {
        let relevant = match weighed {
            Weighed::Bundle => {
                it.runs.iter().any(|run| run.act == Act::Build)
                    || word(
                        it,
                        &["vite", "webpack", "esbuild", "rollup", "size-limit", "bundlesize", "build"],
                    )
            }
            Weighed::Image => {
                word(it, &["docker", "podman"]) && word(it, &["images", "image", "ls", "inspect"])
            }
            Weighed::File => word(it, &["ls", "du", "stat"]),
        };
        let own = sizes(it);
        if !relevant || own.is_empty() || it.failure.is_some() {
            continue;
        }
        let plain: Vec<f64> = own.iter().map(|it| it[0]).collect();
        if SIZES_MAX < own.len() || sums_to(&plain, fits) {
            return None;
        }
        let largest = plain.iter().copied().fold(0.0, f64::max) / 1000_f64.powi(power);
        return against(
            format!("{} {} are told; the output says {largest:.1}", told.value, told.unit),
            it,
            all,
        );
    }
    None
}

#[expect(clippy::cast_precision_loss, reason = "compared with numbers that outputs state")]
fn number_somewhere(count: u64, all: &[Evidence]) -> Option<&Evidence> {
    all.iter().rev().find(|it| {
        it.measures.iter().any(|measure| (measure.value - count as f64).abs() < f64::EPSILON)
            || it.answers.iter().any(|answer| answer.said.parse() == Ok(count))
    })
}

/// More counts than this of one deed in one output tell of progress.
const COUNTS_MAX: usize = 6;

fn counted(deed: &str, noun: &str, count: u64, all: &[Evidence]) -> Option<Ruling> {
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    let own = |it: &Evidence| -> Vec<u64> {
        let of_deed: Vec<&Answer> =
            answers(it, Question::Counted).filter(|answer| answer.place == deed).collect();
        let alone = of_deed.len() == 1;
        of_deed
            .into_iter()
            .filter(|answer| {
                stem(&answer.about) == stem(noun) || ((answer.about.is_empty() || noun.is_empty()) && alone)
            })
            .filter_map(|answer| answer.said.parse().ok())
            .collect()
    };
    if count != 0
        && let Some(it) = number_somewhere(count, all)
    {
        return agrees(it);
    }
    let mut sum = 0;
    let mut last: Option<(&Evidence, u64)> = None;
    // 9,800 may stand for 9,812.
    let rounds = |said: u64| count % 100 == 0 && 1_000 <= count && count.abs_diff(said) * 100 <= count;
    for it in telling(all) {
        let numbers = own(it);
        if numbers.contains(&count) {
            return agrees(it);
        }
        let Some(first) = numbers.last() else { continue };
        if COUNTS_MAX < numbers.len() {
            return None;
        }
        if numbers.iter().any(|said| rounds(*said)) {
            return agrees(it);
        }
        if last.is_none() {
            last = Some((it, *first));
        }
        sum += numbers.iter().sum::<u64>();
        if sum == count || numbers.iter().sum::<u64>() == count {
            return agrees(it);
        }
        if count == 0 {
            break;
        }
    }
    let (it, said) = last?;
    against(format!("{count} {noun} are told; the output says {said}"), it, all)
}

/// Whether one of the names that a claim has is a part of what an answer is about.
fn names_it(names: &[String], about: &str) -> bool {
    let own = parts(about);
    names.iter().any(|name| {
        about.contains(name.as_str()) && 3 < name.len() || parts(name).iter().any(|part| own.contains(part))
    })
}

fn status(code: u16, names: &[String], all: &[Evidence]) -> Option<Ruling> {
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
    const GENERIC: &[&str] =
        &["api", "app", "page", "site", "curl", "url", "http", "host", "still", "route", "get", "dev"];
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
        return against(format!("status {code} is told; the answer was {}", last.said), it, all);
    }
    None
}

fn refused_or_not(refused: bool, kind: &str, all: &[Evidence]) -> Option<Ruling> {
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

fn exit(code: u8, names: &[String], all: &[Evidence]) -> Option<Ruling> {
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

fn healthy(health: Health, names: &[String], whole: bool, all: &[Evidence]) -> Option<Ruling> {
    let bad = |said: &str| match said {
        "unhealthy" | "crashloopbackoff" | "imagepullbackoff" | "errimagepull" | "oomkilled"
        | "restarting" | "exited" | "evicted" | "inactive" | "failed" => true,
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

fn branch(name: &str, all: &[Evidence]) -> Option<Ruling> {
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

fn unstashed(all: &[Evidence]) -> Option<Ruling> {
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

fn checks(bench: &Bench<'_>) -> Option<Ruling> {
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

fn rows(reading: &Reading, noun: &str, count: u64, all: &[Evidence]) -> Option<Ruling> {
    if let Some(it) = number_somewhere(count, all) {
        return agrees(it);
    }
    let it = telling(all).find(|it| answers(it, Question::Rows).next().is_some())?;
    let answer = answers(it, Question::Rows).last()?;
    let table = answer.about.rsplit('.').next().unwrap_or_default();
    let named = reading.text.to_lowercase().contains(table) && !table.is_empty();
    let plain = reading.words.first().is_some_and(|it| it == "the")
        && reading.words.get(1).is_some_and(|it| it == "table");
    if !named && !(plain && matches!(noun, "rows" | "records" | "entries")) {
        return None;
    }
    against(format!("{count} {noun} are told; the output says {}", answer.said), it, all)
}

fn same_or_not(same: bool, all: &[Evidence]) -> Option<Ruling> {
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

fn there_or_not(name: &str, there: bool, all: &[Evidence]) -> Option<Ruling> {
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

fn clean(all: &[Evidence]) -> Option<Ruling> {
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

fn left(patterns: &[String], places: &[String], all: &[Evidence]) -> Option<Ruling> {
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

fn matches(pattern: &str, places: &[String], count: u64, exact: bool, all: &[Evidence]) -> Option<Ruling> {
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

fn version_of(program: &str, version: &str, all: &[Evidence]) -> Option<Ruling> {
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

fn runs_of(all: &[Evidence], act: Act) -> Vec<(&Evidence, &Run)> {
    all.iter()
        .flat_map(|it| it.runs.iter().map(move |run| (it, run)))
        .filter(|(_, run)| run.act == act)
        .collect()
}

fn tests(passed: Option<u64>, failed: Option<u64>, all: &[Evidence]) -> Option<Ruling> {
    let runs = runs_of(all, Act::Test);
    let (it, last) = runs.iter().rev().find(|(it, _)| !it.earlier).copied()?;
    let counts = |run: &Run| {
        let outcome = &run.outcome;
        let passed = outcome.tests_passed.unwrap_or(0);
        let failed = outcome.tests_failed.unwrap_or(0);
        (passed, failed, outcome.tests_skipped.unwrap_or(0))
    };
    let agree = |(p, f, s): (u64, u64, u64)| {
        let right =
            passed.is_none_or(|told| told == p || told == p + f || told == p + f + s || told == p + s);
        right && failed.is_none_or(|told| told == f)
    };
    if last.outcome.partial || (last.outcome.tests_passed.is_none() && last.outcome.tests_failed.is_none()) {
        return None;
    }
    let mut sum = (0, 0, 0);
    for (it, run) in runs.iter().rev() {
        let (p, f, s) = counts(run);
        sum = (sum.0 + p, sum.1 + f, sum.2 + s);
        let units = passed.is_some() && run.outcome.units_passed == passed;
        if agree((p, f, s)) || agree(sum) || units || run.outcome.partial {
            return agrees(it);
        }
    }
    // A number that some output holds may be of a part that was not counted.
    let other = passed.filter(|_| failed.is_none()).or(failed.filter(|_| passed.is_none()));
    let (p, f, _) = counts(last);
    if failed.is_none()
        && f == 0
        && other.is_some_and(|told| told < p && number_somewhere(told, all).is_some())
    {
        return None;
    }
    let told = match (passed, failed) {
        (Some(passed), Some(failed)) => format!("{passed} tests with {failed} failures are told"),
        (Some(passed), None) => format!("{passed} tests are told"),
        (None, Some(failed)) => format!("{failed} failing tests are told"),
        (None, None) => return None,
    };
    against(format!("{told}; the last run of {} says {p} passed, {f} failed", last.program), it, all)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that an output states")]
fn spotless(reading: &Reading, errors: bool, all: &[Evidence]) -> Option<Ruling> {
    let runs = runs_of(all, reading.act);
    let named: Vec<_> = runs
        .iter()
        .filter(|(_, run)| {
            reading.words.iter().any(|word| 2 < word.len() && run.program.contains(word.as_str()))
        })
        .collect();
    let (it, last) = named.last().map_or_else(|| runs.last(), |it| Some(*it)).copied()?;
    if it.earlier {
        return None;
    }
    let generated = || {
        let counts = |measure: &&Measure| measure.label == "generated" && measure.unit.starts_with("warning");
        it.measures.iter().find(counts).map(|measure| measure.value as u64)
    };
    let bad = last.outcome.warnings.or_else(generated).filter(|it| 0 < *it).map(|it| (it, "warnings"));
    let worse = last.outcome.errors.filter(|it| errors && 0 < *it).map(|it| (it, "errors"));
    let Some((count, what)) = worse.or(bad) else { return agrees(it) };
    let ruling = against(
        format!("nothing is said to be reported; the last run of {} says {count} {what}", last.program),
        it,
        all,
    )?;
    debug_assert_eq!(ruling.standing, Standing::Contradicted);
    Some(ruling)
}

#[cfg(test)]
mod tests;
