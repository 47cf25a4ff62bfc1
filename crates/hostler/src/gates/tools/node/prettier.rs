//! `prettier`, where the project configured it.

use std::path::Path;

use hostler_policy::checks::{Gate, Severity};

use super::{beside, configured};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Fix, Purpose, Report, Tool, exited, takes_all, with_paths, words};

/// Layout.
pub(in super::super) const PRETTIER: Tool = Tool {
    name: "prettier",
    gates: &[Gate::Syntax],
    extensions: &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "css", "scss", "less", "html"],
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["prettier"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| configured(layout, folder, FILES, Some("prettier")).map(beside),
    takes: takes_all,
    arguments: Some(|job| Ok(with_paths(job, &["--list-different", "--ignore-unknown"]))),
    text: Some(|_, path| {
        ["--list-different".into(), "--stdin-filepath".into(), path.as_os_str().to_owned()].to_vec()
    }),
    read: |_, answer| findings(answer),
    fix: Some(Fix::InPlace(|_| words(&["--write", "--ignore-unknown", "--log-level", "warn"]), &[0])),
    is_formatter: true,
    install: "install it with `npm install --save-dev prettier`",
};

const FILES: &[&str] = &[
    ".prettierrc",
    ".prettierrc.json",
    ".prettierrc.json5",
    ".prettierrc.yaml",
    ".prettierrc.yml",
    ".prettierrc.toml",
    ".prettierrc.js",
    ".prettierrc.cjs",
    ".prettierrc.mjs",
    ".prettierrc.ts",
    "prettier.config.js",
    "prettier.config.cjs",
    "prettier.config.mjs",
    "prettier.config.ts",
];

/// Reads a list of paths, one a line. With the code 2 some could not be read, the others are listed all the same.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let report = |line: &str| {
        let message = "the formatter would change this file";
        Report::new(Path::new(line), 1, "format", Severity::Error, message)
            .fix(Some("run `prettier --write`"))
    };
    let found: Vec<Report> = answer.stdout.lines().filter(|it| !it.trim().is_empty()).map(report).collect();
    match answer.code {
        0 | 1 => Ok(found),
        2 if !found.is_empty() => Ok(found),
        _ => Err(exited(answer)),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_differs_is_listed() {
        let answer = |code, stdout: &str| Answer {
            code,
            stdout: stdout.to_owned(),
            stderr: "[error] src/bad.ts: SyntaxError: Expression expected. (1:11)\n".to_owned(),
            is_cut: false,
        };
        let found = findings(&answer(2, "src/a b.ts\n")).unwrap();
        assert_eq!(found.iter().map(|it| it.file.to_str()).collect::<Vec<_>>(), [Some("src/a b.ts")]);
        assert!(findings(&answer(2, "")).unwrap_err().contains("SyntaxError"));
        assert_eq!(findings(&answer(0, "")).unwrap(), []);
    }
}
