//! `hostler trace check`.

use std::io::Write;

use hostler_trace::{Finding, Matrix, Rule};
use serde_json::json;

use super::summary;
use crate::exit::Exit;
use crate::output;
use crate::trace::Trace;

/// What a check asks for where neither the command line nor `trace.toml` says: that nothing is plainly wrong.
const USUAL: &[Rule] =
    &[Rule::UnknownId, Rule::AmbiguousId, Rule::UnreadableTag, Rule::DuplicateId, Rule::TracedFailing];

/// Check coverage and findings: exit code 1 where something is not as asked
///
/// Without any of the conditions those of `[check]` in `trace.toml` hold; without those, that no tag is unknown,
/// ambiguous or unreadable, no id is defined twice, and no cited test failed.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(super) struct Args {
    /// So many per cent of the requirements are cited by source or a test
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min: Option<f64>,
    /// So many per cent are cited by a test
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_tested: Option<f64>,
    /// So many per cent have tests that passed, and none that failed
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_passing: Option<f64>,
    /// No tag cites an id that is unknown, ambiguous or unreadable
    #[arg(long)]
    no_unknown: bool,
    /// No test that cites a requirement failed
    #[arg(long)]
    no_failing: bool,
    /// Nothing is ticked as done that nothing cites
    #[arg(long)]
    no_done_untraced: bool,
    /// No text changed since what cites it was reviewed
    #[arg(long)]
    no_suspect: bool,
    /// Nothing that was reviewed is gone, neither what cited a requirement nor the requirement
    #[arg(long)]
    no_lost: bool,
    /// Tell what is not as asked, and end with 0 all the same; `=false` where `trace.toml` asks for that
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    report_only: Option<bool>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.trim_end_matches('%').parse().map_err(|_| format!("`{text}` is no number"))?;
    if (0.0..=100.0).contains(&number) {
        Ok(number)
    } else {
        Err(format!("`{text}` is not between 0 and 100"))
    }
}

/// A check with all its conditions.
struct Conditions {
    min: Vec<(&'static str, f64, usize)>,
    none: Vec<Rule>,
}

pub(super) fn run(args: &Args, trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let conditions = conditions(args, trace)?;
    let report_only = args.report_only.unwrap_or(trace.settings.check.report_only);
    let matrix = &trace.matrix;
    let mut shares: Vec<String> = conditions.min.iter().filter_map(|it| short(matrix, *it)).collect();
    shares.extend(unchecked(&conditions, trace));
    let findings: Vec<&Finding> =
        matrix.findings.iter().filter(|it| conditions.none.contains(&it.rule)).collect();
    let holds = shares.is_empty() && findings.is_empty();
    if json {
        let document = json!({
            "holds": holds,
            "report_only": report_only,
            "headline": matrix.headline(),
            "totals": matrix.totals,
            "short": shares,
            "findings": findings,
            "notes": trace.notes,
        });
        output::json::print(&document)?;
    } else {
        let mut out = output::human::stdout();
        writeln!(out, "{}", matrix.headline())?;
        let findings: Vec<Finding> = findings.into_iter().cloned().collect();
        summary::findings(&mut out, &findings)?;
        for share in &shares {
            writeln!(out, "{share}")?;
        }
        let verdict = match (holds, report_only) {
            (true, _) => "the check holds",
            (false, true) => "the check does not hold (report only)",
            (false, false) => "the check does not hold",
        };
        writeln!(out, "{verdict}")?;
        drop(out);
        summary::notes(&trace.notes)?;
    }
    Ok(if holds || report_only { Exit::Ok } else { Exit::Finding })
}

fn conditions(args: &Args, trace: &Trace) -> anyhow::Result<Conditions> {
    let all = &trace.matrix.totals;
    let mut none = Vec::new();
    for (asked, rules) in [
        (args.no_unknown, &[Rule::UnknownId, Rule::AmbiguousId, Rule::UnreadableTag][..]),
        (args.no_failing, &[Rule::TracedFailing]),
        (args.no_done_untraced, &[Rule::DoneUntraced]),
        (args.no_suspect, &[Rule::SuspectLink]),
        (args.no_lost, &[Rule::LostLink, Rule::LostRequirement]),
    ] {
        if asked {
            none.extend_from_slice(rules);
        }
    }
    let given =
        args.min.is_some() || args.min_tested.is_some() || args.min_passing.is_some() || !none.is_empty();
    let configured = &trace.settings.check;
    let (min, min_tested, min_passing) = if given {
        (args.min, args.min_tested, args.min_passing)
    } else {
        none = if configured.is_empty() { USUAL.to_vec() } else { configured.rules()? };
        (configured.min, configured.min_tested, configured.min_passing)
    };
    let shares = [
        ("traced", min, all.traced),
        ("tested", min_tested, all.tested),
        ("passing", min_passing, all.passing),
    ];
    let min = shares.into_iter().filter_map(|(name, min, part)| Some((name, min?, part))).collect();
    Ok(Conditions { min, none })
}

/// What a check cannot say because nothing of it was read: it holds of nothing, and must not seem to hold.
fn unchecked(conditions: &Conditions, trace: &Trace) -> Vec<String> {
    let mut out = Vec::new();
    if trace.counts.files == 0 {
        out.push("no file was searched for tags; see `[sources]` in `trace.toml`".to_owned());
    }
    let of_results = conditions.none.contains(&Rule::TracedFailing)
        || conditions.min.iter().any(|(name, min, _)| *name == "passing" && 0.0 < *min);
    if of_results && trace.results == Some(0) {
        out.push("no results of tests were read, so nothing says that none failed".to_owned());
    }
    out
}

/// What is missing to a share; `None` where it is reached.
fn short(matrix: &Matrix, (name, min, part): (&str, f64, usize)) -> Option<String> {
    let all = &matrix.totals;
    // In hundredths of a per cent, and exact: a share just below is below.
    #[expect(clippy::cast_precision_loss, reason = "numbers of requirements are far below 2^52")]
    let reached = all.requirements == 0 || min * all.requirements as f64 <= 100.0 * part as f64;
    (!reached).then(|| {
        format!("{} {name} of {}, at least {min} % are asked for", all.percent(part), all.requirements)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_between_nothing_and_all() {
        assert_eq!(percent("80"), Ok(80.0));
        assert_eq!(percent("99.5%"), Ok(99.5));
        for wrong in ["", "a", "101", "-1", "NaN"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
