//! `tsc`: types, where there is a `tsconfig.json`.

use hostler_policy::checks::{Gate, Severity};
use serde_json::Value;

use super::{beside, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited, takes_all};

/// Types.
pub(in super::super) const TSC: Tool = Tool {
    name: "tsc",
    gates: &[Gate::Safety],
    extensions: &["ts", "tsx", "mts", "cts"],
    effort: Effort::Types,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["tsc"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| configured(layout, folder, &["tsconfig.json"], None).map(beside),
    takes: takes_all,
    // Files on its command line would make it forget the project's configuration.
    arguments: Some(|job| {
        let mode: &[&str] = if is_solution(job) { &["--build"] } else { &["--project"] };
        Ok(mode.iter().chain(&["tsconfig.json", "--noEmit", "--pretty", "false"]).map(Into::into).collect())
    }),
    text: None,
    read: |_, answer| findings(answer),
    fix: None,
    is_formatter: false,
    install: "install it with `npm install --save-dev typescript`",
};

/// Whether the configuration has no files of its own and names projects that do. It may hold comments, which makes it
/// no JSON; then it is taken for a plain one.
fn is_solution(job: &Job<'_>) -> bool {
    let value = job.chosen.configured.as_ref().and_then(|it| job.layout.json(it)).unwrap_or_default();
    let is_list = |name: &str, is_empty: bool| {
        value.get(name).and_then(Value::as_array).is_some_and(|it| it.is_empty() == is_empty)
    };
    is_list("references", false) && is_list("files", true)
}

/// Reads `src/a.ts(3,41): error TS2322: …`.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let found: Vec<Report> = answer.stdout.lines().filter_map(finding).collect();
    // Of what is no error of a file, such as a broken configuration, nothing has a place.
    if answer.code == 0 || !found.is_empty() { Ok(found) } else { Err(exited(answer)) }
}

fn finding(line: &str) -> Option<Report> {
    let (place, rest) = line.split_once("): error TS")?;
    let (code, message) = rest.split_once(": ")?;
    let (path, at) = place.rsplit_once('(')?;
    let number: u32 = code.parse().ok()?;
    // The compiler numbers what does not parse from 1000.
    let check = if (1000..2000).contains(&number) { "syntax" } else { "type" };
    let row = at.split(',').next()?.parse().ok()?;
    Some(Report::new(path, row, check, Severity::Error, message).code(Some(format!("TS{code}"))))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn lines_with_a_place_are_findings() {
        let found = findings(&answer(1, include_str!("../recorded/tsc.txt"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "src/bad.ts:1 syntax error TS1109",
                "src/a.ts:2 type error TS2367",
                "src/a.ts:3 type error TS2322",
            ]
        );
        let broken = answer(1, "error TS18003: No inputs were found in config file 'tsconfig.json'.\n", "");
        assert!(findings(&broken).unwrap_err().contains("TS18003"));
    }
}
