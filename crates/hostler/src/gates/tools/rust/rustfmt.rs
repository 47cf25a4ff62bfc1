//! `rustfmt`. It reads standard input: given a file it would go on to that file's modules.

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, edition, package};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Fix, Job, Purpose, Report, Tool, Use, exited, takes_all};

/// Layout.
pub(in super::super) const RUSTFMT: Tool = Tool {
    name: "rustfmt",
    gates: &[Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["rustfmt"], Ecosystem::Rust),
    files_max: Some(1),
    choose: |layout, folder, _| {
        let configured = layout.nearest(folder, &["rustfmt.toml", ".rustfmt.toml"]);
        package(layout, folder).map(|it| Use { is_ours: configured.is_none(), ..it })
    },
    takes: takes_all,
    arguments: None,
    text: Some(|job, _| arguments(job, &["--check"])),
    read: |_, answer| findings(answer),
    fix: Some(Fix::Filter(|job| arguments(job, &[]))),
    is_formatter: true,
    install: "install it with `rustup component add rustfmt`",
};

fn arguments(job: &Job<'_>, more: &[&str]) -> Vec<std::ffi::OsString> {
    let edition = edition(job.layout, &job.chosen).unwrap_or_else(|| "2015".to_owned());
    more.iter().chain(&["--color", "never", "--edition"]).map(Into::into).chain([edition.into()]).collect()
}

/// Reads `Diff in <stdin>:12:` and the changes below it.
fn findings(answer: &Answer) -> Result<Vec<Report>, String> {
    let mut lines = answer.stdout.lines();
    let header = lines.by_ref().find_map(|it| it.strip_prefix("Diff in "));
    match (answer.code, header) {
        (0, None) => Ok(Vec::new()),
        (0 | 1, Some(header)) => {
            let start =
                header.trim_end_matches(':').rsplit(':').next().and_then(|it| it.parse::<usize>().ok());
            let unchanged = lines.take_while(|it| !it.starts_with(['-', '+'])).count();
            let line = start.unwrap_or(1) + unchanged;
            let message = "the formatter would change this file";
            Ok(vec![
                Report::new("<stdin>", line, "format", Severity::Error, message).fix(Some("run `cargo fmt`")),
            ])
        }
        _ => Err(exited(answer)),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_difference_is_a_finding_where_it_begins() {
        let answer = |code, stdout: &str, stderr: &str| Answer {
            code,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            is_cut: false,
        };
        let found = findings(&answer(0, include_str!("../recorded/rustfmt.txt"), "")).unwrap();
        assert_eq!(found.iter().map(|it| it.finding.line).collect::<Vec<_>>(), [3]);
        assert_eq!(findings(&answer(0, "", "")).unwrap(), []);
        let broken = answer(1, "", "error: this file contains an unclosed delimiter\n");
        assert!(findings(&broken).unwrap_err().contains("unclosed delimiter"));
    }
}
