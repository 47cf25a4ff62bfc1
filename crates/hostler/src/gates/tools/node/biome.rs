//! `biome check`, where the project configured it: lints, layout and the order of imports in one run.

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, beside, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Fix, Purpose, Report, Tool, exited, gitlab, takes_all, with_paths, words};

/// Lints, layout, imports.
pub(in super::super) const BIOME: Tool = Tool {
    name: "biome",
    gates: &[Gate::Lint, Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Edit, Purpose::Stop, Purpose::Review, Purpose::Fix],
    program: (&["biome"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| configured(layout, folder, &["biome.json", "biome.jsonc"], None).map(beside),
    takes: takes_all,
    arguments: Some(|job| {
        let words = ["check", "--reporter=gitlab", "--max-diagnostics=none", "--no-errors-on-unmatched"];
        Ok(with_paths(job, &words))
    }),
    text: None,
    read: |_, answer| findings(answer),
    // Safe fixes only; an import that nothing uses yet may be what the next edit needs.
    fix: Some(Fix::InPlace(
        |_| words(&["check", "--write", "--no-errors-on-unmatched", "--skip=correctness/noUnusedImports"]),
        &[0, 1],
    )),
    is_formatter: false,
    install: "install it with `npm install --save-dev @biomejs/biome`",
};

fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    if !matches!(answer.code, 0 | 1) {
        return Err(exited(answer));
    }
    // Without a word it did not come as far as checking.
    let problems = gitlab::problems(&answer.stdout).map_err(|why| format!("{why}; {}", exited(answer)))?;
    let report = |it: gitlab::Problem| {
        let (check, severity) = match it.rule.as_str() {
            "parse" => ("syntax", Severity::Error),
            "format" => ("format", Severity::Error),
            "assist/source/organizeImports" => ("import_order", Severity::Error),
            _ if matches!(it.severity.as_str(), "critical" | "blocker") => ("lint", Severity::Error),
            _ => ("lint", Severity::Warn),
        };
        let message =
            if check == "format" { "the formatter would change this file" } else { &it.description };
        let fix = matches!(check, "format" | "import_order").then_some("run `biome check --write`");
        Report::new(it.path(), it.line(), check, severity, message).code(Some(it.rule.as_str())).fix(fix)
    };
    Ok(problems.into_iter().map(report).collect())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::gates::tools::testing::{answer, rows};

    #[test]
    fn each_category_counts_for_its_check() {
        let found = findings(&answer(1, include_str!("../recorded/biome.json"), "")).unwrap();
        assert_eq!(
            rows(&found),
            [
                "src/bad.ts:1 lint warn lint/correctness/noUnusedVariables",
                "src/a.ts:2 lint error lint/suspicious/noDoubleEquals",
                "src/a.ts:2 lint error lint/suspicious/noDebugger",
                "src/a.ts:1 format error format",
                "src/bad.ts:1 syntax error parse",
                "src/imp.ts:1 import_order error assist/source/organizeImports",
                "src/imp.ts:1 format error format",
            ]
        );
        let silent = answer(1, "", "bad configuration");
        assert!(findings(&silent).unwrap_err().contains("bad configuration"));
    }
}
