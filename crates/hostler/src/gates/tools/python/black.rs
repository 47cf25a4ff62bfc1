//! `black`, where the project configured it.

use std::ffi::OsString;

use hostler_policy::checks::Gate;

use super::{EXTENSIONS, chosen, configured, formats_otherwise};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::lookup;
use crate::gates::tools::{Effort, Fix, Job, Purpose, Tool, diff, exited, takes_all};

/// Layout.
pub(in super::super) const BLACK: Tool = Tool {
    name: "black",
    gates: &[Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["black"], Ecosystem::Python),
    files_max: Some(30),
    choose: |layout, folder, _| {
        let configured = configured(layout, folder, "black", &[], &[]);
        formats_otherwise(layout, folder).then(|| chosen(layout, folder, configured))
    },
    takes: takes_all,
    arguments: Some(|job| {
        Ok(arguments(job, &["--check", "--diff"]).into_iter().chain(job.paths()).collect())
    }),
    text: Some(|job, path| {
        let mut arguments = arguments(job, &["--check", "--diff", "--stdin-filename"]);
        arguments.extend([path.as_os_str().to_owned(), "-".into()]);
        arguments
    }),
    read: |_, answer| {
        let changes = diff::reports(&answer.stdout, "format", "run `black`");
        match answer.code {
            0 | 1 => Ok(changes),
            // Others of the files may be fine: one that does not parse is told by the check of syntax.
            123 if !changes.is_empty() => Ok(changes),
            _ => Err(exited(answer)),
        }
    },
    fix: Some(Fix::InPlace(|job| arguments(job, &[]), &[0])),
    is_formatter: true,
    install: "install it with `uv add --dev black` or `pip install black`",
};

/// What the project excludes is excluded although it is named on the command line.
fn arguments(job: &Job<'_>, more: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::iter::once(&"--quiet").chain(more).map(OsString::from).collect();
    let excluded = job.chosen.configured.as_ref().and_then(|file| {
        let table = job.layout.toml(file)?;
        let pattern = |name: &str| lookup(&table, &format!("tool.black.{name}"))?.as_str().map(str::to_owned);
        let is_forced = pattern("force-exclude").is_some();
        if is_forced { None } else { pattern("extend-exclude").or_else(|| pattern("exclude")) }
    });
    if let Some(pattern) = excluded {
        arguments.extend(["--force-exclude".into(), pattern.into()]);
    }
    arguments
}
