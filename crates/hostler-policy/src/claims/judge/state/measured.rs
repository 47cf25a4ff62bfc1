//! Numbers that are told: times, sizes, counts.

use super::super::super::act::Act;
use super::super::super::evidence::{Answer, Evidence, Question};
use super::super::super::reading::state::{Quantity, Timed, Weighed, magnitude, seconds};
use super::super::Ruling;
use super::{against, agrees, answers, telling};

/// Measured times differ from run to run, and are told rounded.
const ROUNDED: f64 = 0.1;
/// More sizes than this in one output: which one is meant is not certain.
const SIZES_MAX: usize = 6;

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

pub(super) fn metric(name: &str, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
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

pub(super) fn time(timed: Timed, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
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

pub(super) fn faster(times: f64, all: &[Evidence]) -> Option<Ruling> {
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

pub(super) fn throughput(told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
    if let Some(it) =
        all.iter().rev().find(|it| it.measures.iter().any(|measure| close(told, 1.0, measure.value, false)))
    {
        return agrees(it);
    }
    for it in telling(all) {
        let own: Vec<f64> = answers(it, Question::Metric)
            .filter(|answer| answer.about == "rps")
            .filter_map(|answer| answer.said.parse().ok())
            .collect();
        let [value] = own.as_slice() else { continue };
        if close(told, 1.0, *value, true) {
            return agrees(it);
        }
        return against(
            format!("{} requests per second are told; the output says {value}", told.value),
            it,
            all,
        );
    }
    None
}

pub(super) fn share(name: &str, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
    // 0.912 is 91.2 %.
    let fits =
        |value: f64| close(told, 1.0, value, false) || value <= 1.0 && close(told, 1.0, value * 100.0, false);
    if let Some(it) = all.iter().rev().find(|it| it.measures.iter().any(|measure| fits(measure.value))) {
        return agrees(it);
    }
    for it in telling(all) {
        let own: Vec<f64> = it
            .measures
            .iter()
            .filter(|measure| measure.label == name && matches!(measure.unit.as_str(), "%" | ""))
            .map(|measure| measure.value)
            .collect();
        match own.as_slice() {
            [] => {}
            [value] => {
                return against(
                    format!("{name} of {} % is told; the output says {value}", told.value),
                    it,
                    all,
                );
            }
            _ => return None,
        }
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

pub(super) fn size(weighed: Weighed, told: &Quantity, all: &[Evidence]) -> Option<Ruling> {
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
pub(super) fn number_somewhere(count: u64, all: &[Evidence]) -> Option<&Evidence> {
    all.iter().rev().find(|it| {
        it.measures.iter().any(|measure| (measure.value - count as f64).abs() < f64::EPSILON)
            || it.answers.iter().any(|answer| answer.said.parse() == Ok(count))
    })
}

/// More counts than this of one deed in one output tell of progress.
const COUNTS_MAX: usize = 6;

pub(super) fn counted(deed: &str, noun: &str, count: u64, all: &[Evidence]) -> Option<Ruling> {
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
    let rounds =
        |said: u64| count.is_multiple_of(100) && 1_000 <= count && count.abs_diff(said) * 100 <= count;
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
