//! Numbers, times and names as people read them.

use hostler_policy::claims::evidence::RunOutcome;
use hostler_policy::claims::{Act, Severity, Standing};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Figures, Kind};

/// `1 claim`, `3 claims`, `1,204 calls`.
pub(super) fn count(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(number))
}

/// `1,204`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at != 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `85 ms`, `4.2 s`, `3 min 20 s`, `2 h 41 min`.
pub(super) fn duration(ms: u64) -> String {
    let (seconds, minutes, hours) = (ms / 1_000, ms / 60_000, ms / 3_600_000);
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{seconds}.{} s", ms % 1_000 / 100),
        10_000..60_000 => format!("{seconds} s"),
        60_000..3_600_000 => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{} h {} min", grouped(hours), minutes % 60),
    }
}

/// `2.1 MB`, `84 kB`, `512 bytes`.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// A moment by a pattern, in a time zone; `-` where it is not known.
fn formatted(ms: Option<i64>, zone: &TimeZone, pattern: &str) -> String {
    match ms.map(Timestamp::from_millisecond) {
        Some(Ok(time)) => zone.to_datetime(time).strftime(pattern).to_string(),
        Some(Err(_)) | None => "-".to_owned(),
    }
}

/// `2026-11-30 08:12`.
pub(super) fn minute(ms: Option<i64>, zone: &TimeZone) -> String {
    formatted(ms, zone, "%Y-%m-%d %H:%M")
}

/// `2026-11-30`.
pub(super) fn date(ms: Option<i64>, zone: &TimeZone) -> String {
    formatted(ms, zone, "%Y-%m-%d")
}

/// Minutes since midnight.
pub(super) fn minute_of_day(ms: i64, zone: &TimeZone) -> Option<u16> {
    let time = zone.to_datetime(Timestamp::from_millisecond(ms).ok()?);
    Some(u16::try_from(time.hour()).ok()? * 60 + u16::try_from(time.minute()).ok()?)
}

/// RFC 3339 in UTC, for programs.
pub(super) fn rfc3339(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), |time| time.to_string())
}

/// A mark that needs no colour.
pub(super) fn severity_icon(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "✖",
        Severity::High => "▲",
        Severity::Medium => "●",
        Severity::Low => "·",
    }
}

/// `critical`.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::High => "high",
        Severity::Medium => "medium",
        Severity::Low => "low",
    }
}

/// A mark that needs no colour.
pub(super) fn standing_icon(standing: Standing) -> &'static str {
    match standing {
        Standing::Supported => "✓",
        Standing::Unsupported => "?",
        Standing::Contradicted => "✗",
    }
}

/// What became of a claim.
pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Supported => "held",
        Standing::Unsupported => "without evidence",
        Standing::Contradicted => "contradicted",
    }
}

/// `test`, as it is serialised.
pub(super) fn act(act: Act) -> String {
    serde_json::to_value(act).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The beginning of a session's id, as in the ids of decisions.
pub(super) fn short(id: &str) -> &str {
    id.char_indices().nth(8).map_or(id, |(end, _)| &id[..end])
}

/// `turn 3`, `turn 1 of subagent a1b2`.
pub(super) fn turn(index: u64, agent: Option<&str>) -> String {
    match agent {
        Some(agent) => format!("turn {index} of subagent {}", short(agent)),
        None => format!("turn {index}"),
    }
}

/// `11 passed, 1 failed`; empty where the output states none.
pub(super) fn outcome(outcome: &RunOutcome) -> String {
    let mut parts = Vec::new();
    let mut add = |number: Option<u64>, word: &str| {
        if let Some(number) = number {
            parts.push(format!("{} {word}", grouped(number)));
        }
    };
    add(outcome.tests_passed, "passed");
    add(outcome.tests_failed, "failed");
    add(outcome.tests_skipped.filter(|it| *it != 0), "skipped");
    add(outcome.errors, "errors");
    add(outcome.warnings.filter(|it| *it != 0), "warnings");
    if outcome.tests_passed.is_none() {
        add(outcome.units_passed, "packages or suites passed");
    }
    if let Some(percent) = outcome.coverage_percent {
        parts.push(format!("{percent:.1} % covered"));
    }
    parts.join(", ")
}

/// `Some(true)` -> `passed`.
pub(super) fn passed(passed: Option<bool>) -> &'static str {
    match passed {
        Some(true) => "passed",
        Some(false) => "failed",
        None => "unclear",
    }
}

/// The report in one sentence.
pub(super) fn headline(all: &Figures, since: Option<&str>) -> String {
    let claims = all.claims.total();
    let held = all.claims.supported;
    let not_held = claims - held;
    let mut out = if all.sessions == 0 {
        match since {
            Some(since) => format!("No session was recorded since {since}"),
            None => "No session was recorded yet".to_owned(),
        }
    } else if claims == 0 {
        format!("{}: nothing was claimed that could be checked", count(all.sessions, "session"))
    } else if not_held == 0 {
        let whole = if claims == 1 {
            "the one checked claim held".to_owned()
        } else {
            format!("all {} checked claims held", grouped(claims))
        };
        format!("{}: {whole}", count(all.sessions, "session"))
    } else {
        let (clean, with) = (all.sessions_clean, all.sessions_with_claims);
        let which = match (clean, with) {
            (0, 1) => "In the one session with claims".to_owned(),
            (0, _) => format!("In all {} sessions with claims", grouped(with)),
            _ => format!("In {} of {} every checked claim held", grouped(clean), count(with, "session")),
        };
        let how_many = format!("{} of {} did not", grouped(not_held), count(claims, "claim"));
        if clean == 0 {
            format!("{which} something did not hold: {how_many}")
        } else {
            format!("{which}; {how_many}")
        }
    };
    if all.errors_hidden != 0 {
        let was = if all.errors_hidden == 1 { "was" } else { "were" };
        out = format!("{out}; {} {was} not told", count(all.errors_hidden, "failure"));
    }
    out.push('.');
    out
}

/// Claims that did not hold and of which no finding was made.
pub(super) fn unnamed(claims: u64) -> String {
    format!("{} did not hold, by rules that are switched off; see the sessions", count(claims, "claim"))
}

/// Whether a finding of this kind says that something was kept back.
pub(super) fn hides_an_error(kind: Kind) -> bool {
    kind == Kind::ErrorConcealment
}
