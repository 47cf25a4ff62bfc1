//! `vitest` over changed test files.

use std::ffi::OsString;
use std::fs;

use hostler_policy::checks::Gate;

use super::jest::{findings, report};
use super::{EXTENSIONS, beside, configured, depends, is_test};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::{Effort, Purpose, Tool};

/// Tests.
pub(in super::super) const VITEST: Tool = Tool {
    name: "vitest",
    gates: &[Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["vitest"], Ecosystem::Node),
    files_max: None,
    choose: |layout, folder, _| {
        let configured = configured(layout, folder, FILES, None);
        configured.or_else(|| depends(layout, folder, "vitest")).map(beside)
    },
    takes: |_, path| Ok(is_test(path)),
    arguments: Some(|job| {
        let report = format!("--outputFile={}", report(job)?.display());
        let words = ["run", "--reporter=json"].map(OsString::from).into_iter();
        Ok(words.chain([report.into()]).chain(job.paths()).collect())
    }),
    text: None,
    read: |job, answer| findings(answer, &fs::read_to_string(report(job)?).unwrap_or_default()),
    fix: None,
    is_formatter: false,
    install: "install it with `npm install --save-dev vitest`",
};

const FILES: &[&str] = &["vitest.config.ts", "vitest.config.mts", "vitest.config.js", "vitest.config.mjs"];
