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

    use hostler_policy::checks::Severity::{Error, Warn};

    use super::*;

    #[test]
    fn each_category_counts_for_its_check() {
        let stdout = include_str!("../recorded/biome.json").to_owned();
        let found = findings(&Answer { code: 1, stdout, stderr: String::new(), is_cut: false }).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                (it.file.to_str().unwrap(), it.finding.check.as_str(), it.finding.line, it.finding.severity)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("src/bad.ts", "lint", 1, Warn),
                ("src/a.ts", "lint", 2, Error),
                ("src/a.ts", "lint", 2, Error),
                ("src/a.ts", "format", 1, Error),
                ("src/bad.ts", "syntax", 1, Error),
                ("src/imp.ts", "import_order", 1, Error),
                ("src/imp.ts", "format", 1, Error),
            ]
        );
        let silent =
            Answer { code: 1, stdout: String::new(), stderr: "bad configuration".into(), is_cut: false };
        assert!(findings(&silent).unwrap_err().contains("bad configuration"));
    }
}
