//! Counts and distributions that the lines of an output tell.

use super::super::command::Step;
use super::super::text::{head, lines as read, tail};
use super::{Answer, Question, SEARCHED_BYTES, add};

/// What is done to things that are counted, each with the words that say so.
const DEEDS: &[(&str, &[&str])] = &[
    ("changed", &["changed", "touched", "modified", "updated", "rewrote", "rewritten", "edited"]),
    ("replaced", &["replaced", "converted", "became", "swapped", "substituted"]),
    ("migrated", &["migrated", "moved", "transferred", "copied"]),
    ("imported", &["imported", "loaded", "inserted", "seeded", "ingested"]),
    ("exported", &["exported", "dumped"]),
    ("deleted", &["deleted", "removed", "purged", "pruned"]),
    ("skipped", &["skipped", "ignored"]),
    ("processed", &["processed"]),
    ("scanned", &["scanned", "inspected"]),
    ("indexed", &["indexed", "reindexed"]),
    ("generated", &["generated", "rendered"]),
    ("uploaded", &["uploaded", "synced"]),
    ("downloaded", &["downloaded", "fetched"]),
    ("renamed", &["renamed"]),
    ("formatted", &["formatted", "reformatted"]),
];

/// The deed that a word says, under one name for words of one meaning.
pub(in crate::claims) fn deed(word: &str) -> Option<&'static str> {
    // Every one of them is a past tense.
    if !word.ends_with('d') && !matches!(word, "became" | "rewrote" | "rewritten") {
        return None;
    }
    DEEDS.iter().find(|(_, words)| words.contains(&word)).map(|(name, _)| *name)
}

/// What counts and distributions the lines of an output tell.
pub(in super::super) fn lines(text: &str, steps: &[Step], out: &mut Vec<Answer>) {
    let git = steps.iter().any(|step| matches!(step.name(), "git" | "gh"));
    let first = if text.len() <= 2 * SEARCHED_BYTES { "" } else { head(text, SEARCHED_BYTES) };
    let last = if first.is_empty() { text } else { tail(text, SEARCHED_BYTES) };
    for line in read(first).chain(read(last)) {
        if !line.bytes().any(|byte| byte.is_ascii_digit()) || 400 < line.len() {
            continue;
        }
        let lower = line.to_lowercase();
        if !git {
            for part in lower.split([';', '(', ')']).flat_map(|it| it.split(", ")) {
                counted(part, out);
            }
        }
        vulnerable(&lower, out);
        metrics(&lower, steps, out);
        tag(line, steps, out);
    }
    if text.contains("o known vulnerabilities found") || text.contains("o vulnerabilities found") {
        add(out, Question::Counted, "vulnerabilities", "", "0");
    }
}

pub(super) fn whole(word: &str) -> Option<u64> {
    let word = word.trim_matches([':', '.', '=', '*', '`']);
    let grouped = word.split(',').enumerate().all(|(at, group)| {
        group.bytes().all(|byte| byte.is_ascii_digit()) && !group.is_empty() && (at == 0 || group.len() == 3)
    });
    grouped.then(|| word.replace(',', "").parse().ok()).flatten()
}

/// `migrated 2,304 rows`, `9812 rows imported`, `Skipped: 2`.
fn counted(part: &str, out: &mut Vec<Answer>) {
    if !part.bytes().any(|byte| byte.is_ascii_digit()) {
        return;
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    if 10 < words.len() {
        return;
    }
    let numbers: Vec<(usize, u64)> =
        words.iter().enumerate().filter_map(|(at, word)| Some((at, whole(word)?))).collect();
    let [(at, number)] = numbers.as_slice() else { return };
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let deeds: Vec<&str> = words.iter().filter_map(|word| deed(&plain(word))).collect();
    let [deed] = deeds.as_slice() else { return };
    let noun = |word: &&str| {
        let word = plain(word);
        let fits = word.ends_with('s') && 3 < word.len() && word.chars().all(char::is_alphabetic);
        fits.then_some(word)
    };
    let before = at.checked_sub(1).and_then(|it| words.get(it)).and_then(noun);
    let noun = words.get(at + 1).and_then(noun).or(before).unwrap_or_default();
    add(out, Question::Counted, &noun, deed, number.to_string());
}

fn vulnerable(lower: &str, out: &mut Vec<Answer>) {
    let Some(at) = lower.find("vulnerabilit") else { return };
    let count = lower[..at].split_whitespace().rev().take(2).find_map(whole);
    if let Some(count) = count {
        add(out, Question::Counted, "vulnerabilities", "", count.to_string());
    }
}

/// What a database says of a statement: `INSERT 0 9812`, `UPDATE 12`, `COPY 40`.
fn tag(line: &str, steps: &[Step], out: &mut Vec<Answer>) {
    if !steps.iter().any(|step| matches!(step.name(), "psql" | "pgcli")) {
        return;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let (deed, number) = match words.as_slice() {
        ["INSERT", "0", number] | ["COPY", number] => ("imported", number),
        ["UPDATE", number] => ("changed", number),
        ["DELETE", number] => ("deleted", number),
        _ => return,
    };
    if let Some(number) = whole(number) {
        add(out, Question::Counted, "rows", deed, number.to_string());
    }
}

/// The name of a number of a distribution: `p(95)` → `p95`.
pub(in crate::claims) fn metric(word: &str) -> Option<String> {
    let inner = word.trim_end_matches([':', '=']);
    match inner {
        "med" | "median" | "p50" | "50th" => return Some("p50".to_owned()),
        "avg" | "mean" | "average" => return Some("mean".to_owned()),
        _ => {}
    }
    let digits = inner
        .strip_prefix('p')
        .map(|it| it.trim_start_matches('(').trim_end_matches(')'))
        .or_else(|| inner.strip_suffix("th"))?;
    let digits = digits.replace('.', "");
    (2..=3).contains(&digits.len()).then_some(())?;
    let number: u32 = digits.parse().ok()?;
    (matches!(number, 75 | 90 | 95 | 98 | 99 | 999)).then(|| format!("p{number}"))
}

/// `p(95)=41ms`, `p95: 180 ms`, `95th percentile: 180ms`, `Time (mean ± σ):  412.3 ms`, `  95%    180`.
fn metrics(lower: &str, steps: &[Step], out: &mut Vec<Answer>) {
    const CUES: &[&str] = &[
        "p(",
        "p9",
        "p5",
        "p7",
        "percentile",
        "mean",
        "median",
        "avg",
        "average",
        "med=",
        "%  ",
        "time: ",
        "real",
        "times faster",
        "requests/sec",
        "requests per second",
    ];
    if !CUES.iter().any(|cue| lower.contains(cue)) {
        return;
    }
    let spread = lower.replace(['=', '│', '|', ',', '"'], " ");
    let words: Vec<&str> = spread.split_whitespace().collect();
    let load = steps.iter().any(|step| matches!(step.name(), "ab" | "wrk" | "wrk2" | "hey"));
    for (at, word) in words.iter().enumerate() {
        let share = (at == 0 && load).then(|| word.strip_suffix('%')).flatten().map(|it| format!("p{it}"));
        let Some(name) = metric(word.trim_start_matches('(')).or_else(|| share.as_deref().and_then(metric))
        else {
            continue;
        };
        // Up to the next name of one.
        for (next, candidate) in words.iter().enumerate().skip(at + 1).take(6) {
            if metric(candidate.trim_start_matches('(')).is_some() {
                break;
            }
            let candidate = candidate.trim_start_matches(['(', '[', ':']);
            let digits = candidate.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(candidate.len());
            let (number, glued) = candidate.split_at(digits);
            if number.parse::<f64>().is_err() {
                continue;
            }
            let unit =
                if glued.is_empty() { words.get(next + 1).copied().unwrap_or_default() } else { glued };
            let unit: String = unit.chars().take_while(|c| c.is_alphabetic()).collect();
            let unit = if share.is_some() && unit.is_empty() { "ms".to_owned() } else { unit };
            add(out, Question::Metric, &name, "", format!("{number} {unit}").trim_end().to_owned());
            break;
        }
    }
    // `time:   [1.2 ms 1.3 ms 1.4 ms]`: the middle one is the estimate.
    if let Some((_, rest)) = lower.split_once("time: ")
        && let Some(rest) = rest.trim_start().strip_prefix('[')
    {
        let words: Vec<&str> = rest.split_whitespace().collect();
        if let Some(middle) = words.get(2..4) {
            add(out, Question::Metric, "mean", "", middle.join(" "));
        }
    }
    // `real    0m12.3s`
    if let ["real", time] = words.as_slice()
        && let Some((minutes, seconds)) = time.trim_end_matches('s').split_once('m')
        && let (Ok(minutes), Ok(seconds)) = (minutes.parse::<u32>(), seconds.parse::<f64>())
    {
        add(out, Question::Metric, "real", "", format!("{} s", f64::from(minutes) * 60.0 + seconds));
    }
    let rate = lower.split_once("requests/sec").or_else(|| lower.split_once("requests per second"));
    if let Some((_, rest)) = rate {
        let number = rest.split([' ', ':', '\t']).find_map(|word| word.parse::<f64>().ok());
        if let Some(number) = number {
            add(out, Question::Metric, "rps", "", number.to_string());
        }
    }
    if let Some((before, _)) = lower.split_once(" times faster") {
        let number = before.split_whitespace().find_map(|word| word.parse::<f64>().ok());
        if let Some(number) = number {
            add(out, Question::Metric, "times", "", number.to_string());
        }
    }
}
