//! `pip` where the project's packages are uv's business.

use hostler_model::{EffectKind, Facts, Mode, Needs};

use super::{Example, Guard, Hit, wants_uv};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "pip-over-uv",
    summary: "changing Python packages with pip where the project uses uv",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs,
    check,
    fires: &[
        Example::Bash("pip install requests"),
        Example::Bash("pip3 install requests"),
        Example::Bash("pip sync"),
        Example::Bash("python -m pip install -U requests"),
        Example::Bash("sudo pip3.11 uninstall -y requests"),
        Example::Bash("pip install -r requirements.txt"),
    ],
    silent: &[
        Example::Bash("uv add requests"),
        Example::Bash("uv sync"),
        Example::Bash("uv pip list"),
        Example::Bash("pip list"),
        Example::Bash("rg 'pip install' README.md"),
        Example::Bash("echo pip install"),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    needs.uses_uv |= case.settings.uv.is_none() && installs(case).next().is_some();
}

fn installs<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c hostler_model::Effect> {
    case.shell.iter().flat_map(|report| report.of(EffectKind::PackageInstall))
}

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    if !wants_uv(case, facts) {
        return Vec::new();
    }
    installs(case)
        .map(|effect| Hit {
            problem: format!("`{}`: {}", effect.command, effect.why),
            instead: Some(instead(&effect.command)),
            snapshot: Vec::new(),
        })
        .collect()
}

fn instead(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    if command.contains("requirements") {
        return "list the packages in pyproject.toml: `uv add -r requirements.txt`, then `uv sync`"
            .to_owned();
    }
    if words.contains(&"sync") || words.first() == Some(&"pip-sync") {
        return "`uv sync`".to_owned();
    }
    if words.contains(&"uninstall") {
        return "`uv remove NAME`".to_owned();
    }
    "`uv add NAME`".to_owned()
}
