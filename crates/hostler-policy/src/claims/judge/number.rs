//! A number against the numbers of this turn's outputs.

use super::super::evidence::{Channel, Evidence, Measure};
use super::super::reading::number::Number;
use super::{Bench, Ruling};

/// A stem of this length has to be shared by a word of the claim and the word beside the output's number.
const STEM_CHARS: usize = 3;

/// Contradicted where no output of the session states the number, and one of this turn states its digits in another
/// order, or another number of the same form under the same name.
pub(super) fn judge(number: &Number, bench: &Bench<'_>) -> Ruling {
    let outputs = || bench.evidence.iter().filter(|it| it.channel != Channel::File);
    let all: Vec<f64> = outputs().flat_map(|it| &it.measures).map(|measure| measure.value).collect();
    if agrees(number, &all) || bench.evidence.iter().any(|it| it.channel == Channel::Delegate) {
        return Ruling::supported("an output states it, or may have");
    }
    let this_turn = || {
        outputs().filter(|it| !it.earlier).flat_map(|it| it.measures.iter().map(move |measure| (it, measure)))
    };
    let turned = this_turn().find(|(_, measure)| permuted(&number.digits, measure.value));
    let named: Vec<(&Evidence, &Measure)> = this_turn()
        .filter(|(_, measure)| names(number, measure) && like(&number.digits, measure.value))
        .collect();
    let found = turned.or_else(|| named.last().copied());
    match found {
        Some((evidence, measure)) => Ruling::contradicted(
            format!("{} is told; the output says {}", number.digits, measure.value),
            evidence,
        ),
        None => Ruling::supported("no output of this turn speaks against it"),
    }
}

/// The number itself, rounded, or made of two others.
fn agrees(number: &Number, all: &[f64]) -> bool {
    let told = number.value;
    let step = number
        .digits
        .split_once('.')
        .map_or(1.0, |(_, places)| 0.1_f64.powi(i32::try_from(places.len()).unwrap_or(9)));
    let close = |value: f64| (value - told).abs() < step * 0.51;
    let rounded = |value: f64| {
        // 4,100 for 4,108; 1.5 for 1,509.
        [10.0, 100.0, 1000.0]
            .iter()
            .any(|unit| ((value / unit).round() * unit - told).abs() < f64::EPSILON && told % unit == 0.0)
            || [1000.0, 1024.0, 60.0, 100.0].iter().any(|unit| close(value / unit) || close(value * unit))
    };
    if all.iter().any(|value| close(*value) || rounded(*value)) {
        return true;
    }
    let few = &all[..all.len().min(40)];
    few.iter().enumerate().any(|(at, one)| {
        few[at + 1..].iter().any(|other| {
            close(one + other)
                || close((one - other).abs())
                || close(100.0 * one / other)
                || close(100.0 * other / one)
        })
    })
}

/// The same digits in another order.
fn permuted(digits: &str, value: f64) -> bool {
    let sorted = |text: &str| {
        let mut digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let other = written(value, digits);
    other != digits && other.len() == digits.len() && sorted(&other) == sorted(digits)
}

/// As many digits before and behind the point.
fn like(digits: &str, value: f64) -> bool {
    let other = written(value, digits);
    other != digits && other.len() == digits.len()
}

/// A value with as many places as `like` has.
fn written(value: f64, like: &str) -> String {
    let places = like.split_once('.').map_or(0, |(_, places)| places.len());
    format!("{value:.places$}")
}

/// A word of the claim and the word beside the output's number have a beginning in common.
fn names(number: &Number, measure: &Measure) -> bool {
    let stem = |word: &str| -> Option<String> {
        let stem: String = word.chars().take(STEM_CHARS).collect();
        (stem.chars().count() == STEM_CHARS).then_some(stem)
    };
    [&measure.label, &measure.unit].into_iter().filter_map(|word| stem(word)).any(|stem| {
        !matches!(stem.as_str(), "the" | "and" | "for" | "tot" | "tes" | "pas")
            && number.words.iter().any(|word| word.starts_with(&stem))
    })
}
