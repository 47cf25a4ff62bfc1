//! `requirements.txt` in a project that uv manages: a second list of packages that soon tells something else.
//!
//! Counts where the project uses uv, by configuration or by its files, and always in `strict`, unless the
//! configuration says that the project does not use it.

use std::path::Path;

use hostler_model::{Facts, Mode, Needs, Profile};

use super::written::{Written, want_edited, written};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "requirements-file",
    summary: "requirements.txt, and telling to install from it, where uv manages the packages",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs,
    check,
    fires: &[
        Example::Write("requirements.txt", "requests==2.32\n"),
        Example::Write("deploy/requirements-dev.txt", "pytest\n"),
        Example::Write("requirements/base.txt", "requests\n"),
        Example::Write("Dockerfile", "RUN pip install --no-cache-dir -r requirements.txt\n"),
        Example::Edit("README.md", "some", "Run `python -m pip install -r requirements/dev.txt` first"),
    ],
    silent: &[
        Example::Write("pyproject.toml", "[project]\ndependencies = [\"requests\"]\n"),
        Example::Write("docs/requirements.md", "# Requirements\n"),
        Example::Write("docs/functional-requirements.txt", "The system shall answer.\n"),
        Example::Write("README.md", "There is no requirements.txt here: run uv sync\n"),
        Example::Edit(
            "README.md",
            "pip install -r requirements.txt",
            "pip install -r requirements.txt  # old",
        ),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    // Without facts an edit is seen as its texts, which is enough to tell that there is nothing to look for.
    let seen = written(case, &Facts::default());
    if seen.is_some_and(|it| is_requirements(&it.path) || it.after.contains("pip")) {
        want_edited(case, needs);
        needs.uses_uv |= case.settings.uv.is_none();
    }
}

/// Whether the project's Python packages are uv's business.
pub(crate) fn wants_uv(case: &Case<'_>, facts: &Facts) -> bool {
    match case.settings.uv {
        Some(uv) => uv,
        None => case.settings.profile == Profile::Strict || facts.uses_uv == Some(true),
    }
}

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let Some(written) = written(case, facts).filter(|_| wants_uv(case, facts)) else { return Vec::new() };
    let problem = if is_requirements(&written.path) {
        format!("`{}` is a second list of packages beside pyproject.toml", written.shown)
    } else if let Some(line) = new_instruction(&written) {
        format!("{} installs packages from a requirements file", written.at(line))
    } else {
        return Vec::new();
    };
    vec![Hit {
        problem,
        instead: Some(
            "declare packages in pyproject.toml: `uv add requests` adds one, `uv sync` installs them all"
                .to_owned(),
        ),
        snapshot: Vec::new(),
    }]
}

fn is_requirements(path: &Path) -> bool {
    let text =
        |it: Option<&std::ffi::OsStr>| it.and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
    let (name, folder) = (text(path.file_name()), text(path.parent().and_then(Path::file_name)));
    name.strip_suffix(".txt").or(name.strip_suffix(".in")).is_some_and(|stem| {
        folder == "requirements"
            || stem == "requirements"
            || stem.starts_with("requirements-")
            || stem.starts_with("requirements_")
            || stem.starts_with("requirements.")
    })
}

/// The first line that tells to install from a requirements file, if there are more of them than before.
fn new_instruction(written: &Written) -> Option<usize> {
    let lines = |text: &str| -> Vec<usize> {
        text.lines().enumerate().filter(|(_, line)| installs(line)).map(|(at, _)| at + 1).collect()
    };
    let after = lines(&written.after);
    if after.len() <= lines(&written.before).len() {
        return None;
    }
    let changed = written.lines();
    after.iter().find(|line| changed.is_new(**line)).or(after.last()).copied()
}

/// Whether the line has `pip install` with `-r` and a requirements file among what follows.
fn installs(line: &str) -> bool {
    let mut words =
        line.split(|char: char| char.is_whitespace() || "`'\",[]".contains(char)).filter(|it| !it.is_empty());
    while let Some(word) = words.next() {
        let pip = word == "pip"
            || word.strip_prefix("pip").is_some_and(|rest| rest.starts_with('3'))
            || word.ends_with("/pip");
        if pip && words.next() == Some("install") {
            return words.any(|it| {
                let file = it.strip_prefix("-r").or(it.strip_prefix("--requirement"));
                file.is_some_and(|rest| {
                    rest.is_empty() || rest.starts_with('=') || rest.contains("requirements")
                })
            });
        }
    }
    false
}

#[cfg(test)]
mod tests;
