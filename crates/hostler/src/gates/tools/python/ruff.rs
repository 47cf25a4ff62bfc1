//! `ruff check` and `ruff format`: what the project configured, and our choice where it configured nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hostler_policy::checks::Gate;
use serde::Deserialize;

use super::{EXTENSIONS, chosen, minor_version, verdicts};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::{Effort, Fix, Job, Purpose, Report, Tool, Use, diff, exited, takes_all};

const INSTALL: &str = "install it with `uv add --dev ruff` or `pip install ruff`";

/// Lints and the order of imports.
pub(in super::super) const CHECK: Tool = Tool {
    name: "ruff check",
    gates: &[Gate::Lint, Gate::Syntax, Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Edit, Purpose::Stop, Purpose::Review, Purpose::Fix],
    program: (&["ruff"], Ecosystem::Python),
    files_max: None,
    choose: |layout, folder, _| {
        let configured = configuration(layout, folder);
        let is_wanted = configured.is_some() || !Aspects::of(layout, folder).is_empty();
        let is_ours = configured.is_none() && !layout.has_hook(folder, &["ruff", "ruff-check"]);
        is_wanted.then(|| Use { is_ours, ..chosen(layout, folder, configured) })
    },
    takes: takes_all,
    arguments: Some(|job| Ok(check_arguments(job, &["--no-fix"]).into_iter().chain(job.paths()).collect())),
    text: Some(|job, path| {
        let mut arguments = check_arguments(job, &["--no-fix"]);
        arguments.extend(["--stdin-filename".into(), path.as_os_str().to_owned(), "-".into()]);
        arguments
    }),
    read: |_, answer| match answer.code {
        0 | 1 => findings(&answer.stdout),
        _ => Err(exited(answer)),
    },
    // An import that nothing uses yet may be what the next edit needs.
    fix: Some(Fix::InPlace(
        |job| check_arguments(job, &["--fix", "--extend-unfixable", "F401,F811"]),
        &[0, 1],
    )),
    is_formatter: false,
    install: INSTALL,
};

/// Layout.
pub(in super::super) const FORMAT: Tool = Tool {
    name: "ruff format",
    gates: &[Gate::Syntax],
    purposes: &[Purpose::Review, Purpose::Fix],
    choose: |layout, folder, _| {
        let configured = configuration(layout, folder);
        let is_anothers = super::formats_otherwise(layout, folder);
        let is_theirs = layout.has_hook(folder, &["ruff-format"])
            || !is_anothers && configured.as_ref().is_some_and(|it| configures_format(layout, it));
        let is_wanted = is_theirs || !is_anothers;
        is_wanted.then(|| Use { is_ours: !is_theirs, ..chosen(layout, folder, configured) })
    },
    arguments: Some(|job| Ok(format_arguments(job, &["--diff"]).into_iter().chain(job.paths()).collect())),
    text: Some(|job, path| {
        let mut arguments = format_arguments(job, &["--diff"]);
        arguments.extend(["--stdin-filename".into(), path.as_os_str().to_owned(), "-".into()]);
        arguments
    }),
    read: |_, answer| match answer.code {
        0 | 1 => Ok(changes(&answer.stdout)),
        // Others of the files may be fine: one that does not parse is told by the check of syntax.
        2 if !answer.stdout.trim().is_empty() => Ok(changes(&answer.stdout)),
        _ => Err(exited(answer)),
    },
    fix: Some(Fix::InPlace(|job| format_arguments(job, &[]), &[0])),
    is_formatter: true,
    ..CHECK
};

/// The nearest file that configures ruff.
fn configuration(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    super::configured(layout, folder, "ruff", &[".ruff.toml", "ruff.toml"], &[])
}

/// Whether the file says how sources are laid out, and not only what is linted.
fn configures_format(layout: &Layout<'_>, file: &Path) -> bool {
    let prefix = if file.ends_with("pyproject.toml") { "tool.ruff." } else { "" };
    ["format", "line-length", "indent-width"]
        .iter()
        .any(|it| layout.has_table(file, &format!("{prefix}{it}")))
}

/// What ruff stands in for, where the project has no tool of its own.
struct Aspects {
    lints: bool,
    orders_imports: bool,
}

impl Aspects {
    fn of(layout: &Layout<'_>, folder: &Path) -> Self {
        Self {
            lints: !super::lints_otherwise(layout, folder),
            orders_imports: !super::orders_imports_otherwise(layout, folder),
        }
    }

    fn is_empty(&self) -> bool {
        !(self.lints || self.orders_imports)
    }
}

/// Rules about layout that ruff has only as a preview and only by their whole names: what pycodestyle has on by default
/// without what a formatter decides otherwise.
const LAYOUT: &str = "E111,E112,E113,E114,E115,E116,E117,E201,E202,E211,E221,E222,E223,E224,E225,E227,E228,E231,E241,\
                      E242,E251,E252,E261,E262,E265,E266,E271,E272,E273,E274,E275,E301,E302,E303,E304,E305,E306,W391";

fn check_arguments(job: &Job<'_>, more: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["check", "--output-format", "json", "--no-cache", "--force-exclude", "--quiet"]
            .map(Into::into)
            .to_vec();
    arguments.extend(more.iter().map(Into::into));
    if job.chosen.configured.is_some() {
        return arguments;
    }
    let aspects = Aspects::of(job.layout, &job.chosen.folder);
    let mut rules = Vec::new();
    if aspects.lints {
        rules.extend(["E", "F", "W"]);
        // Elsewhere the layout is the formatter's business alone.
        if job.request.purpose == Purpose::Review {
            rules.push(LAYOUT);
        }
    }
    if aspects.orders_imports {
        rules.push("I");
    }
    let select = rules.join(",");
    let preview =
        ["--isolated", "--preview", "--config", "lint.explicit-preview-rules = true", "--select", &select];
    arguments.extend(preview.map(Into::into));
    // Without a word of the project's nothing is too new.
    let minor = minor_version(job.layout, &job.chosen.folder).filter(|it| KNOWN.contains(it));
    arguments.push("--target-version".into());
    arguments.push(format!("py3{}", minor.unwrap_or(*KNOWN.end())).into());
    arguments
}

/// Minor versions of Python 3 that every ruff in use knows.
const KNOWN: std::ops::RangeInclusive<u32> = 7..=14;

fn format_arguments(job: &Job<'_>, more: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["format", "--no-cache", "--force-exclude"].map(Into::into).to_vec();
    arguments.extend(more.iter().map(Into::into));
    if job.chosen.configured.is_none() {
        arguments.push("--isolated".into());
        // A version that is too new would let it write what the project's Python does not read.
        if let Some(minor) = minor_version(job.layout, &job.chosen.folder).filter(|it| KNOWN.contains(it)) {
            arguments.extend(["--target-version".into(), format!("py3{minor}").into()]);
        }
    }
    arguments
}

#[derive(Deserialize)]
struct Violation {
    code: Option<String>,
    filename: PathBuf,
    location: Option<Location>,
    message: String,
    fix: Option<Mend>,
}

#[derive(Deserialize)]
struct Location {
    row: usize,
}

#[derive(Deserialize)]
struct Mend {
    message: Option<String>,
}

/// Reads `ruff check --output-format json`.
fn findings(output: &str) -> Result<Vec<Report>, String> {
    let violations: Vec<Violation> =
        serde_json::from_str(output).map_err(|error| format!("its JSON cannot be read: {error}"))?;
    Ok(violations.iter().flat_map(reports).collect())
}

fn reports(violation: &Violation) -> Vec<Report> {
    // Older versions have no code for what does not parse.
    let code = violation.code.as_deref().unwrap_or("invalid-syntax");
    let line = violation.location.as_ref().map_or(1, |it| it.row);
    let fix = violation.fix.as_ref().and_then(|it| it.message.as_deref());
    let report = |(check, severity)| {
        let fix = fix.or((check == "import_order").then_some("run `ruff check --select I --fix`"));
        Report::new(&violation.filename, line, check, severity, &violation.message).code(Some(code)).fix(fix)
    };
    verdicts(code).into_iter().map(report).collect()
}

/// Reads `ruff format --diff`.
fn changes(output: &str) -> Vec<Report> {
    diff::reports(output, "format", "run `ruff format`")
}

#[cfg(test)]
mod tests {
    use hostler_policy::checks::Severity;

    use super::*;

    #[track_caller]
    fn check(output: &str, expected: &[(&str, usize, &str, Severity, &str)]) {
        let found = findings(output).unwrap_or_default();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                let finding = &it.finding;
                let code = finding.code.as_deref().unwrap_or_default();
                (finding.check.as_str(), finding.line, code, finding.severity, finding.message.as_str())
            })
            .collect();
        assert_eq!(found, expected);
    }

    // @traces 021-TEST-UNIT-047 021-TEST-UNIT-056
    #[test]
    fn each_code_counts_for_its_check() {
        use Severity::{Error, Warn};
        check(
            include_str!("../recorded/ruff-check.json"),
            &[
                ("import_order", 1, "I001", Error, "Import block is un-sorted or un-formatted"),
                ("lint", 2, "F401", Warn, "`os` imported but unused"),
                ("lint", 5, "E302", Warn, "Expected 2 blank lines, found 0"),
                ("lint", 6, "F632", Error, "Use `==` to compare constant literals"),
                ("lint", 7, "F821", Warn, "Undefined name `missing`"),
                ("stop.lint", 7, "F821", Error, "Undefined name `missing`"),
                (
                    "syntax",
                    1,
                    "invalid-syntax",
                    Error,
                    "Expected a parameter or the end of the parameter list",
                ),
                ("syntax", 2, "invalid-syntax", Error, "unexpected EOF while parsing"),
            ],
        );
        check("[]", &[]);
        assert!(findings("").is_err());
        assert!(findings("error: something else").is_err());
    }

    // @traces 021-TEST-UNIT-048
    #[test]
    fn a_file_that_the_formatter_would_change_is_one_finding() {
        let found = changes(include_str!("../recorded/ruff-format.diff"));
        let found: Vec<_> = found.iter().map(|it| (it.file.to_str(), it.finding.line)).collect();
        assert_eq!(found, [(Some("src/a.py"), 2), (Some("src/b.py"), 1)]);
    }
}
