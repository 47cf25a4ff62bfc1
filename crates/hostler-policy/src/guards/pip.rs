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

#[cfg(test)]
mod tests {
    use hostler_model::{Profile, Verdict};

    use super::*;
    use crate::testing::{World, decide_bash, shell};

    #[track_caller]
    fn check(command: &str, suggestion: Option<&str>) {
        let decision = decide_bash(command, Profile::Strict);
        let found = decision.findings.iter().find(|finding| finding.rule == GUARD.id);
        assert_eq!(found.is_some(), suggestion.is_some(), "{command}: {decision:?}");
        if let (Some(found), Some(suggestion)) = (found, suggestion) {
            assert_eq!(decision.verdict, Verdict::Deny, "{command}");
            assert!(
                found.instead.as_deref().unwrap_or_default().contains(suggestion),
                "{command}: {found:?}"
            );
        }
    }

    // @traces 021-US-005-AC03 021-CONST-III-003 021-TEST-UNIT-037 021-TEST-UNIT-038 021-TEST-UNIT-039
    #[test]
    fn pip_is_stopped_with_uv_in_its_place() {
        check("pip install requests", Some("uv add"));
        check("pip3 install requests", Some("uv add"));
        check("pip sync requirements.lock", Some("uv"));
        check("pip sync", Some("uv sync"));
        check("python3 -m pip install requests", Some("uv add"));
        check("cd sub && sudo -H pip3.12 install requests", Some("uv add"));
        check("pip uninstall -y requests", Some("uv remove"));
        check("pip install -r requirements.txt", Some("pyproject.toml"));
    }

    // @traces 021-TEST-UNIT-041 021-TEST-UNIT-042
    #[test]
    fn uv_itself_passes() {
        check("uv add requests", None);
        check("uv add --dev pytest", None);
        check("uv sync", None);
        check("uv sync --frozen", None);
        check("uv pip install requests", None);
        for command in ["uv add requests", "uv sync"] {
            assert_eq!(decide_bash(command, Profile::Strict).verdict, Verdict::Allow, "{command}");
        }
    }

    #[test]
    fn without_uv_pip_is_nobodys_business_in_standard() {
        let verdict = |uses_uv, setting| {
            let mut world = World::sample(Profile::Standard);
            world.uses_uv = uses_uv;
            world.settings.uv = setting;
            world.decide(shell("pip install requests")).verdict
        };
        assert_eq!(verdict(Some(true), None), Verdict::Warn);
        assert_eq!(verdict(Some(false), None), Verdict::Allow);
        assert_eq!(verdict(None, None), Verdict::Allow);
        assert_eq!(verdict(Some(true), Some(false)), Verdict::Allow);
        assert_eq!(verdict(Some(false), Some(true)), Verdict::Warn);
    }
}
