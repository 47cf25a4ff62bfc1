//! Deleting files and folders, by where they lie.

use hostler_model::{EffectKind, Facts, Mode, Needs, Reach, Target};

use super::zone::{Zone, effects, in_script, shown, snapshot, want, zone};
use super::{Example, Guard, Hit};
use crate::Case;

/// Never right: the roots of everything, and the repository's own folder.
pub(crate) const ROOT: Guard = Guard {
    id: "delete-root",
    summary: "deleting or moving away `/`, the home folder, the project's root, or a `.git` folder",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, &[EffectKind::Delete, EffectKind::MoveAway], &[Zone::Root, Zone::Git], |target| {
            Hit {
                problem: format!("{} is removed, and nothing could bring it back", shown(target)),
                instead: Some("name the single files or folders below it that should go".to_owned()),
                snapshot: Vec::new(),
            }
        })
    },
    fires: &[
        Example::Bash("rm -rf /"),
        Example::Bash("rm -rf ~"),
        Example::Bash("rm -rf \"$HOME\"/"),
        Example::Bash("rm -rf ."),
        Example::Bash("rm -rf ./*"),
        Example::Bash("cd / && rm -rf *"),
        Example::Bash("rm -rf .git"),
        Example::Bash("mv .git /tmp/x"),
        Example::Bash("rm -rf /home/dev/p*"),
    ],
    silent: &[
        Example::Bash("rm -rf build"),
        Example::Bash("echo 'rm -rf /'"),
        Example::Bash("rm -rf /tmp/x"),
    ],
};

/// Outside the project no checkpoint is ours to take.
pub(crate) const OUTSIDE: Guard = Guard {
    id: "delete-outside",
    summary: "deleting or moving away what lies outside the project and the temporary folders",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, &[EffectKind::Delete, EffectKind::MoveAway], &[Zone::Outside], |target| Hit {
            problem: format!("{} lies outside the project and would be gone for good", shown(target)),
            instead: Some("leave it, or ask the user to remove it".to_owned()),
            snapshot: Vec::new(),
        })
    },
    fires: &[
        Example::Bash("rm -rf /srv/data"),
        Example::Bash("bash -c 'rm -rf ~/x'"),
        Example::Bash("sudo -u root env A=1 nohup timeout 5 rm -rf /opt/x"),
        Example::Bash("find /data -type f -delete"),
        Example::Bash("cd /srv/app && rm -rf ./cache"),
        Example::Bash("python3 -c \"import shutil; shutil.rmtree('/srv/x')\""),
        Example::Bash("mv ~/.ssh /tmp/"),
    ],
    silent: &[
        Example::Bash("rm -rf build"),
        Example::Bash("rm -rf /tmp/x"),
        Example::Bash("ls /srv"),
        Example::Bash("mv src/lib.rs src/main.rs"),
    ],
};

/// The target is known only when the command runs.
pub(crate) const UNRESOLVED: Guard = Guard {
    id: "delete-unresolved",
    summary: "deleting what only the run can tell: unknown variables, lists from a pipe",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, &[EffectKind::Delete], &[Zone::Unresolved], |target| Hit {
            problem: format!(
                "what `{}` stands for is known only when it runs, and it would be deleted",
                target.text
            ),
            instead: Some("write the path out, after listing what matches".to_owned()),
            snapshot: Vec::new(),
        })
    },
    fires: &[
        Example::Bash("rm -rf \"$DIR\""),
        Example::Bash("git ls-files -o | xargs rm"),
        Example::Bash("find . -name '*.pyc' -delete"),
        Example::Bash("while read -r f; do rm \"$f\"; done < list.txt"),
    ],
    silent: &[
        Example::Bash("d=build; rm -rf \"$d\""),
        Example::Bash("for d in a b; do rm -rf \"$d\"; done"),
        Example::Bash("d=$(mktemp -d); rm -rf \"$d\""),
    ],
};

/// Recoverable: a checkpoint first.
pub(crate) const INSIDE: Guard = Guard {
    id: "delete-inside",
    summary: "deleting files of the project",
    standard: Mode::Checkpoint,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, &[EffectKind::Delete], &[Zone::Inside], |target| Hit {
            problem: format!("{} would be deleted", shown(target)),
            instead: Some("tell the user which files are no longer needed and why".to_owned()),
            snapshot: snapshot(target, facts),
        })
    },
    fires: &[
        Example::Bash("rm README.md"),
        Example::Bash("rm -rf build"),
        Example::Bash("rm *.log"),
        Example::Bash("a=-rf; rm $a build"),
        Example::Bash("echo $(rm -rf build)"),
        Example::Bash("rmdir build"),
        Example::Bash("unlink app.log"),
        Example::Bash("git rm src/lib.rs"),
        Example::Bash("rsync -a --delete /srv/in/ build/"),
        Example::Bash("node -e \"require('fs').rmSync('build', {recursive: true})\""),
    ],
    silent: &[
        Example::Bash("git rm --cached app.log"),
        Example::Bash("docker run --rm -it alpine ls"),
        Example::Bash("rm --help"),
        Example::Bash("git commit -m 'rm -rf build'"),
        Example::Bash("npm rm left-pad"),
    ],
};

/// Temporary files are meant to go; only the letter forbids it.
pub(crate) const TEMP: Guard = Guard {
    id: "delete-temp",
    summary: "deleting in the system's temporary folders",
    standard: Mode::Off,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, &[EffectKind::Delete], &[Zone::Temp], |target| Hit {
            problem: format!("{} would be deleted", shown(target)),
            instead: Some("leave it: the system clears temporary folders".to_owned()),
            snapshot: Vec::new(),
        })
    },
    fires: &[Example::Bash("rm -rf /tmp/x"), Example::Bash("find /tmp/x -delete")],
    silent: &[Example::Bash("rm -rf build"), Example::Bash("ls /tmp")],
};

/// On another machine or in a container that outlives the command nothing can be kept.
pub(crate) const ELSEWHERE: Guard = Guard {
    id: "delete-elsewhere",
    summary: "deleting on another machine, or in a container's lasting files",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| {
        case.shell
            .iter()
            .flat_map(|report| report.of(EffectKind::Delete))
            .filter(|effect| effect.reach == Reach::Remote)
            .map(|effect| Hit {
                problem: format!("`{}` deletes where no checkpoint can be made", effect.command),
                instead: Some("ask the user to run it there".to_owned()),
                snapshot: Vec::new(),
            })
            .collect()
    },
    fires: &[
        Example::Bash("ssh host 'rm -rf /srv/data'"),
        Example::Bash("docker run --rm -v \"$PWD:/wt\" alpine sh -c 'rm -rf /wt/x'"),
        Example::Bash("docker exec db rm -rf /var/lib/data"),
        Example::Bash("kubectl exec pod -- rm -rf /data"),
    ],
    silent: &[
        Example::Bash("docker run --rm alpine rm -rf /tmp/x"),
        Example::Bash("ssh host ls"),
        Example::Bash("rm -rf build"),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want(case, needs, &[EffectKind::Delete, EffectKind::MoveAway]);
}

fn find(
    case: &Case<'_>,
    facts: &Facts,
    kinds: &[EffectKind],
    zones: &[Zone],
    hit: impl Fn(&Target) -> Hit,
) -> Vec<Hit> {
    effects(case, kinds)
        .flat_map(|effect| effect.targets.iter().map(move |target| (effect, target)))
        .filter(|(_, target)| zones.contains(&zone(target, case.place, facts)))
        .map(|(effect, target)| {
            let hit = hit(target);
            Hit { problem: hit.problem + &in_script(effect), ..hit }
        })
        .collect()
}
