//! Permission and owner changes.

use std::path::Path;

use hostler_model::{EffectKind, Facts, Mode, Needs, Target};

use super::zone::{Zone, effects, shown, want, zone};
use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const ROOT: Guard = Guard {
    id: "permission-root",
    summary: "changing permissions of `/`, of the system's folders, or of the home folder",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        find(case, facts, |target, recursive, zone| {
            let top = target.path.as_deref().is_some_and(system_folder);
            let project = target.path.as_deref().is_some_and(|path| path == case.place.root);
            top || (recursive && zone == Zone::Root && !project)
        })
    },
    fires: &[
        Example::Bash("chmod -R 777 /"),
        Example::Bash("chown -R dev ~"),
        Example::Bash("chmod 777 /etc"),
        Example::Bash("sudo chown -R dev /usr"),
    ],
    silent: &[
        Example::Bash("chmod +x run.sh"),
        Example::Bash("chmod -R u+w build"),
        Example::Bash("chmod 700 /tmp/x"),
    ],
};

pub(crate) const TREE: Guard = Guard {
    id: "permission-tree",
    summary: "changing permissions of a whole tree",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs,
    check: |case, facts| find(case, facts, |_, recursive, zone| recursive && zone != Zone::Temp),
    fires: &[
        Example::Bash("chmod -R 777 ."),
        Example::Bash("chown -R www-data /srv/app"),
        Example::Bash("chmod -R a+rw \"$DIR\""),
    ],
    silent: &[
        Example::Bash("chmod +x run.sh"),
        Example::Bash("chmod -R 700 /tmp/x"),
        Example::Bash("chmod 644 README.md"),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want(case, needs, &[EffectKind::PermissionChange]);
}

/// `/`, `/etc`, `/usr` and the like, but not the folders that hold everybody's work.
fn system_folder(path: &Path) -> bool {
    let mut parts = path.iter().skip(1);
    match (parts.next().and_then(|name| name.to_str()), parts.next()) {
        (None, _) => path == Path::new("/"),
        (Some(top), None) => matches!(
            top,
            "bin"
                | "boot"
                | "dev"
                | "etc"
                | "lib"
                | "lib64"
                | "opt"
                | "proc"
                | "root"
                | "sbin"
                | "sys"
                | "usr"
                | "var"
                | "home"
                | "Users"
                | "System"
                | "Library"
                | "private"
        ),
        _ => false,
    }
}

fn find(case: &Case<'_>, facts: &Facts, counts: impl Fn(&Target, bool, Zone) -> bool) -> Vec<Hit> {
    effects(case, &[EffectKind::PermissionChange])
        .flat_map(|effect| effect.targets.iter().map(move |target| (effect, target)))
        .filter(|(effect, target)| counts(target, effect.recursive, zone(target, case.place, facts)))
        .map(|(effect, target)| Hit {
            problem: format!("{}: {}", shown(target), effect.why),
            instead: Some("change the one file that needs it, e.g. `chmod u+x script.sh`".to_owned()),
            snapshot: Vec::new(),
        })
        .collect()
}
