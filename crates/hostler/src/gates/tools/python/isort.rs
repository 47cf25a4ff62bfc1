//! `isort`, where the project configured it.

use std::ffi::OsString;

use hostler_policy::checks::Gate;

use super::{EXTENSIONS, chosen, formats_otherwise, isort_configuration, orders_imports_otherwise};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::{Effort, Fix, Job, Purpose, Tool, diff, exited, takes_all};

/// The order of imports.
pub(in super::super) const ISORT: Tool = Tool {
    name: "isort",
    gates: &[Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["isort"], Ecosystem::Python),
    files_max: Some(30),
    choose: |layout, folder, _| {
        let configured = isort_configuration(layout, folder);
        orders_imports_otherwise(layout, folder).then(|| chosen(layout, folder, configured))
    },
    takes: takes_all,
    arguments: Some(|job| {
        Ok(arguments(job, &["--check-only", "--diff"]).into_iter().chain(job.paths()).collect())
    }),
    text: Some(|job, path| {
        let mut arguments = arguments(job, &["--check-only", "--diff", "--filename"]);
        arguments.extend([path.as_os_str().to_owned(), "-".into()]);
        arguments
    }),
    read: |_, answer| match answer.code {
        0 | 1 => Ok(diff::reports(&answer.stdout, "import_order", "run `isort`")),
        _ => Err(exited(answer)),
    },
    fix: Some(Fix::InPlace(|job| arguments(job, &[]), &[0])),
    is_formatter: false,
    install: "install it with `uv add --dev isort` or `pip install isort`",
};

fn arguments(job: &Job<'_>, more: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["--quiet", "--filter-files"].map(Into::into).to_vec();
    let text = job.chosen.configured.as_ref().and_then(|file| job.layout.text(file));
    if let Some(folder) = job.chosen.configured.as_ref().and_then(|it| it.parent()) {
        arguments.extend(["--settings-path".into(), folder.as_os_str().to_owned()]);
    }
    // Without a profile it and black undo each other's work for ever.
    let has_profile = text.is_some_and(|it| it.contains("profile"));
    if !has_profile && formats_otherwise(job.layout, &job.chosen.folder) {
        arguments.extend(["--profile", "black"].map(Into::into));
    }
    arguments.extend(more.iter().map(OsString::from));
    arguments
}
