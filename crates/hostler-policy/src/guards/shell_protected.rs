//! Commands that write protected paths. The classification is in [`super::protected`], shared with the file tools.

use hostler_model::{EffectKind, Facts, Mode, Needs, Target};

use super::protected::{Protected, git_internals, holds_protected, shell_protection};
use super::zone::{effects, in_script, shown, snapshot, want};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "protected-path-shell",
    summary: "commands that write the host's settings, files of hostler, session records, and what the configuration protects",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        let removes = |kind| matches!(kind, EffectKind::Delete | EffectKind::MoveAway);
        find(case, facts, |path, kind| {
            if removes(kind) {
                holds_protected(path, case.place, case.settings)
            } else {
                shell_protection(path, case.place, case.settings)
            }
        })
    },
    fires: &[
        Example::Bash("tee ~/.claude/hooks/guard.sh < new.sh"),
        Example::Bash("echo '{}' > ~/.claude/settings.json"),
        Example::Bash("echo x >> ~/.claude/notes"),
        Example::Bash("cat > ~/.claude/x <<'EOF'\nx\nEOF"),
        Example::Bash("cp a ~/.claude/settings.json"),
        Example::Bash("mv a ~/.claude/"),
        Example::Bash("touch ~/.claude/x"),
        Example::Bash("mkdir -p ~/.claude/hooks"),
        Example::Bash("sed -i 's/deny/allow/' ~/.claude/settings.json"),
        Example::Bash("ln -sf /tmp/evil ~/.claude/settings.json"),
        Example::Bash("echo x > /home/other/.claude/settings.json"),
        Example::Bash("python3 -c \"open('/home/dev/.claude/hooks/g.py','w').write('')\""),
        Example::Bash("rm -rf ~/.claude"),
        Example::Bash("echo '{}' > .claude/settings.local.json"),
        Example::Bash("rm .claude/settings.json"),
        Example::Bash("perl -pi -e 's/a/b/' ~/.claude/settings.json"),
        Example::Bash("echo '{}' > context.json"),
        Example::Bash("truncate -s0 ~/.local/state/hostler/projects/p/sessions/s.jsonl"),
        Example::Bash("mkdir -p ~/.claude/plans && echo x > ~/.claude/plans/p.md"),
        Example::Bash("chmod 777 ~/.claude/settings.json"),
    ],
    silent: &[
        Example::Bash("cat ~/.claude/settings.json"),
        Example::Bash("grep -r hook ~/.claude/ > /tmp/hooks.txt"),
        Example::Bash("ls -la .claude"),
        Example::Bash("echo x > plans/p.md"),
        Example::Bash("jq . context.json"),
        Example::Bash("rm -f *.log"),
    ],
};

/// Git's own files: asked about where people work, denied by the letter.
pub(crate) const GIT: Guard = Guard {
    id: "git-internals-shell",
    summary: "commands that write files in `.git`: hooks, settings, references",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, |path, kind| {
            (!matches!(kind, EffectKind::Delete | EffectKind::MoveAway))
                .then(|| git_internals(path, case.place))
                .flatten()
        })
    },
    fires: &[
        Example::Bash("echo x > .git/hooks/pre-commit"),
        Example::Bash("cp hook.sh .git/hooks/pre-push"),
        Example::Bash("sed -i s/a/b/ .git/config"),
    ],
    silent: &[
        Example::Bash("cat .git/config"),
        Example::Bash("echo x > .gitignore"),
        Example::Bash("git config user.name x"),
    ],
};

/// Our own switches belong to the user.
pub(crate) const SELF: Guard = Guard {
    id: "self-protection",
    summary: "the agent switching hostler's guards off, letting its own calls through or sealing journals",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: super::nothing,
    check: own_switches,
    fires: &[
        Example::Bash("hostler allow-once K7Q2MX"),
        Example::Bash("/usr/local/bin/hostler uninit"),
        Example::Bash("cd /tmp && hostler init --profile observe"),
        Example::Bash("echo y | hostler allow-once K7Q2MX"),
        Example::Bash("hostler checkpoint prune --days 0"),
        Example::Bash("hostler audit seal --all"),
        Example::Bash("chmod -x ~/.cargo/bin/hostler"),
        Example::Bash("rm /usr/local/bin/hostler"),
        Example::Bash("cargo uninstall hostler"),
        Example::Bash("claude plugin disable hostler@hostler"),
    ],
    silent: &[
        Example::Bash("hostler guard explain 'rm -rf /'"),
        Example::Bash("hostler status"),
        Example::Bash("hostler audit verify"),
        Example::Bash("hostler checkpoint list"),
        Example::Bash("echo hostler allow-once"),
        Example::Bash("cargo test -p hostler"),
        Example::Bash("chmod +x bin/hostler"),
        Example::Bash("claude plugin list"),
    ],
};

const KINDS: &[EffectKind] = &[
    EffectKind::Write,
    EffectKind::Overwrite,
    EffectKind::Truncate,
    EffectKind::Delete,
    EffectKind::MoveAway,
    EffectKind::PermissionChange,
];

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want(case, needs, KINDS);
}

fn find(
    case: &Case<'_>,
    facts: &Facts,
    protected: impl Fn(&std::path::Path, EffectKind) -> Option<Protected>,
) -> Vec<Hit> {
    let judge = |target: &Target, kind| {
        let reals = || {
            let fact = facts.paths.get(target.path.as_ref()?)?;
            Some(if target.glob { Vec::new() } else { vec![fact.parent_real.clone(), fact.real.clone()] })
        };
        // A pattern touches its matches, and may make new ones: judged is a name of its folder.
        let paths = match (&target.path, target.glob) {
            (None, _) => Vec::new(),
            (Some(path), false) => vec![path.clone()],
            (Some(path), true) => {
                snapshot(target, facts).into_iter().filter(|it| it != path).chain([path.join("_")]).collect()
            }
        };
        paths.iter().chain(&reals().unwrap_or_default()).find_map(|path| protected(path, kind))
    };
    effects(case, KINDS)
        .flat_map(|effect| effect.targets.iter().map(move |target| (effect, target)))
        .filter_map(|(effect, target)| {
            let Protected { why, instead } = judge(target, effect.kind)?;
            Some(Hit {
                problem: format!("{} is protected{}: {why}", shown(target), in_script(effect)),
                instead: Some(instead),
                snapshot: Vec::new(),
            })
        })
        .collect()
}

fn own_switches(case: &Case<'_>, _: &Facts) -> Vec<Hit> {
    let hit =
        |problem: String| Hit { problem, instead: Some("ask the user".to_owned()), snapshot: Vec::new() };
    let commands = case.shell.iter().flat_map(|report| &report.commands).filter_map(|command| {
        let mut words = command.words.iter().map(|word| word.as_deref().unwrap_or_default());
        let program = words.next()?.rsplit('/').next()?;
        let rest: Vec<&str> = words.filter(|word| !word.starts_with("--json")).collect();
        let ours = rest.iter().any(|word| word.split('@').next() == Some("hostler"));
        let switches = match (program, *rest.first()?) {
            ("hostler", "allow-once" | "uninit" | "init") => true,
            ("hostler", "checkpoint") => rest.get(1) == Some(&"prune"),
            // A journal that was written anew would be signed like any other.
            ("hostler", "audit") => rest.get(1) == Some(&"seal"),
            ("cargo" | "brew" | "npm", "uninstall" | "remove" | "rm" | "unlink") => ours,
            ("claude", "plugin" | "plugins") => {
                ours && rest.iter().any(|word| matches!(*word, "disable" | "uninstall" | "remove" | "rm"))
            }
            _ => false,
        };
        (switches && !rest.contains(&"--help"))
            .then(|| hit(format!("`{program} {}` is the user's to run", rest.join(" "))))
    });
    // Without the program every registered hook is silent, and the host takes silence for consent.
    let programs = effects(case, KINDS).filter(|effect| {
        effect.targets.iter().filter_map(|target| target.path.as_deref()).any(|path| {
            path.file_name().is_some_and(|name| name == "hostler") && !path.starts_with(&case.place.root)
        })
    });
    commands
        .chain(programs.map(|effect| hit(format!("`{}` changes the guard's own program", effect.command))))
        .collect()
}

#[cfg(test)]
mod tests {
    use hostler_model::{Profile, Verdict};

    use super::*;
    use crate::testing::{World, decide_bash, shell};

    #[track_caller]
    fn check(command: &str, stopped: bool) {
        for profile in [Profile::Standard, Profile::Strict] {
            let decision = decide_bash(command, profile);
            let found = decision.findings.iter().any(|finding| finding.rule == GUARD.id);
            assert_eq!(found, stopped, "{command}: {decision:?}");
            assert!(!stopped || decision.verdict == Verdict::Deny, "{command}");
        }
    }

    // @traces REQ-020-137
    #[test]
    fn redirections_into_the_hosts_folder_are_stopped() {
        check("echo x > ~/.claude/a", true);
        check("echo x >> ~/.claude/a", true);
        check("make &> ~/.claude/log", true);
        check("make >| \"$HOME/.claude/log\"", true);
        check("{ echo x; } > ~/.claude/a", true);
        check("cd ~/.claude && echo x > a", true);
        check("D=.claude; echo x > ~/$D/a", true);
        check("cat ~/.claude/a > out", false);
        check("echo 'x > ~/.claude/a'", false);
    }

    // @traces REQ-020-138
    #[test]
    fn programs_that_write_into_the_hosts_folder_are_stopped() {
        check("cat > ~/.claude/a <<'EOF'\nx\nEOF", true);
        check("cp a ~/.claude/", true);
        check("mv a ~/.claude/a", true);
        check("touch ~/.claude/a", true);
        check("mkdir -p ~/.claude/a/b", true);
        check("tee -a ~/.claude/a < x", true);
        check("install -m 600 a ~/.claude/a", true);
        check("rsync -a x/ ~/.claude/", true);
        check("ln -s /tmp/x ~/.claude/a", true);
        check("sed -i s/a/b/ ~/.claude/a", true);
        check("curl -o ~/.claude/a https://example.invalid", true);
        check("node -e \"require('fs').writeFileSync('/home/dev/.claude/a','x')\"", true);
        check(
            "python3 - <<'EOF'\nfrom pathlib import Path\n(Path.home() / '.claude' / 'a').write_text('x')\nEOF",
            true,
        );
        check("bash -c 'echo x > ~/.claude/a'", true);
        check("cp ~/.claude/a .", false);
        check("ls ~/.claude && mkdir plans", false);
    }

    #[test]
    fn a_link_in_the_project_does_not_hide_the_target() {
        let world = World::sample(Profile::Standard).link("conf", "~/.claude");
        let decision = world.decide(shell("echo '{}' > conf/settings.json"));
        assert_eq!(decision.verdict, Verdict::Deny, "{decision:?}");
    }
}
