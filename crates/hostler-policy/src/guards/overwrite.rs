//! Replacing or emptying files through the shell.

use hostler_model::{Effect, EffectKind, Facts, FileKind, Mode, Needs, Target};

use super::zone::{Zone, effects, shown, snapshot, want, zone_written};
use super::{Example, Guard, Hit};
use crate::Case;

const USE_EDIT: &str = "change the file with the Edit tool, or write to a new file";

/// Recoverable: a checkpoint first.
pub(crate) const INSIDE: Guard = Guard {
    id: "overwrite-inside",
    summary: "replacing or emptying an existing file of the project by a command",
    standard: Mode::Checkpoint,
    strict: Mode::Deny,
    needs,
    check: |case, facts| find(case, facts, &[Zone::Inside]),
    fires: &[
        Example::Bash("echo x > README.md"),
        Example::Bash("cp src/lib.rs README.md"),
        Example::Bash("cat > README.md <<'EOF'\nx\nEOF"),
        Example::Bash("tee README.md < app.log"),
        Example::Bash(": > data.db"),
        Example::Bash("truncate -s0 app.log"),
        Example::Bash("python3 -c \"open('README.md','w').write('x')\""),
    ],
    silent: &[
        Example::Bash("echo x > new.txt"),
        Example::Bash("echo x >> README.md"),
        Example::Bash("grep -r x . > /tmp/out"),
        Example::Bash("ls > /dev/null"),
        Example::Bash("make 2>&1 | tee -a app.log"),
    ],
};

/// Outside the project no checkpoint is ours to take.
pub(crate) const OUTSIDE: Guard = Guard {
    id: "overwrite-outside",
    summary: "replacing or emptying an existing file outside the project by a command",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| find(case, facts, &[Zone::Outside, Zone::Root, Zone::Git]),
    fires: &[Example::Bash("truncate -s 0 /var/log/syslog"), Example::Bash("cp /dev/null ~/.bashrc")],
    silent: &[Example::Bash("echo x > ~/new.txt"), Example::Bash("echo x > /tmp/new.txt")],
};

/// The target is known only when the command runs.
pub(crate) const UNRESOLVED: Guard = Guard {
    id: "overwrite-unresolved",
    summary: "replacing or emptying a file that only the run can tell",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| find(case, facts, &[Zone::Unresolved]),
    fires: &[Example::Bash("echo x > \"$OUT\""), Example::Bash("cp a \"$DEST\"")],
    silent: &[Example::Bash("OUT=new.txt; echo x > \"$OUT\""), Example::Bash("echo \"$X\" >> README.md")],
};

/// Temporary files are meant to change; only the letter forbids it.
pub(crate) const TEMP: Guard = Guard {
    id: "overwrite-temp",
    summary: "replacing or emptying an existing file in the temporary folders by a command",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs,
    check: |case, facts| find(case, facts, &[Zone::Temp]),
    fires: &[Example::Bash(": > /tmp/x")],
    silent: &[Example::Bash("echo x > /tmp/new.txt"), Example::Bash("rm /tmp/x")],
};

const KINDS: &[EffectKind] = &[EffectKind::Overwrite, EffectKind::Truncate];

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want(case, needs, KINDS);
}

/// An overwrite counts where something stands; emptying a file is meant for one that does.
fn loses(effect: &Effect, target: &Target, facts: &Facts) -> bool {
    let Some(path) = &target.path else { return true };
    match (effect.kind, facts.kind(path)) {
        (EffectKind::Truncate, kind) => kind != Some(FileKind::Folder),
        (_, Some(FileKind::File | FileKind::Link)) => true,
        (_, Some(_)) => false,
        (_, None) => target.glob,
    }
}

fn find(case: &Case<'_>, facts: &Facts, zones: &[Zone]) -> Vec<Hit> {
    effects(case, KINDS)
        .flat_map(|effect| effect.targets.iter().map(move |target| (effect, target)))
        .filter(|(_, target)| zones.contains(&zone_written(target, case.place, facts)))
        .filter(|(effect, target)| loses(effect, target, facts))
        .map(|(effect, target)| Hit {
            problem: match (&target.path, effect.kind) {
                (None, _) => format!(
                    "what `{}` stands for is known only when it runs, and it would be replaced",
                    target.text
                ),
                (_, EffectKind::Truncate) => format!("{} would be emptied: {}", shown(target), effect.why),
                _ => format!("{} exists and would be replaced: {}", shown(target), effect.why),
            },
            instead: Some(USE_EDIT.to_owned()),
            snapshot: snapshot(target, facts),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use hostler_model::{Profile, Verdict};

    use crate::testing::{World, shell};

    #[test]
    fn writing_goes_through_a_link_and_deleting_does_not() {
        let world = World::sample(Profile::Standard).file("~/.bashrc", "x").link("rc", "~/.bashrc");
        assert_eq!(world.decide(shell("echo x > rc")).verdict, Verdict::Ask);
        assert_eq!(world.decide(shell("rm rc")).verdict, Verdict::Allow);
        assert_eq!(world.decide(shell("echo x > README.md")).verdict, Verdict::Allow);
    }
}
