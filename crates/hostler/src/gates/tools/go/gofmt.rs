//! `gofmt`, in every module of Go.

use hostler_policy::checks::Gate;

use super::{EXTENSIONS, INSTALL, module};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::{Effort, Fix, Purpose, Tool, diff, exited, takes_all, with_paths, words};

/// Layout.
pub(in super::super) const GOFMT: Tool = Tool {
    name: "gofmt",
    gates: &[Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["gofmt"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| module(layout, folder),
    takes: takes_all,
    arguments: Some(|job| Ok(with_paths(job, &["-d"]))),
    text: Some(|_, _| words(&["-d"])),
    read: |_, answer| {
        let found = diff::reports(&answer.stdout, "format", "run `gofmt -w`");
        // With the code 2 some do not parse, which the check of syntax tells; newer ones have 1 for a difference.
        match answer.code {
            0 | 1 => Ok(found),
            2 if !found.is_empty() => Ok(found),
            _ => Err(exited(answer)),
        }
    },
    fix: Some(Fix::InPlace(|_| words(&["-w"]), &[0])),
    is_formatter: true,
    install: INSTALL,
};
