//! Git commands that throw uncommitted work away.

use hostler_model::{EffectKind, Facts, Mode};

use super::{Example, Guard, Hit};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "git-discard",
    summary: "throwing uncommitted work away: `reset --hard`, `checkout -- path`, `restore`, `clean`, `stash drop`",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs: super::nothing,
    check,
    fires: &[
        Example::Bash("git reset --hard"),
        Example::Bash("git reset --h HEAD~1"),
        Example::Bash("git -C /srv/repo reset --hard"),
        Example::Bash("git -c core.pager=cat reset --merge"),
        Example::Bash("git checkout -- src/lib.rs"),
        Example::Bash("git checkout ."),
        Example::Bash("git checkout HEAD src/lib.rs"),
        Example::Bash("git checkout other --force"),
        Example::Bash("git switch --discard-changes main"),
        Example::Bash("git restore ."),
        Example::Bash("git restore --staged --worktree src"),
        Example::Bash("git clean -d -f ."),
        Example::Bash("git clean -xdf"),
        Example::Bash("git -c clean.requireForce=false clean -d"),
        Example::Bash("git stash clear"),
        Example::Bash("git stash drop stash@{2}"),
        Example::Bash("git worktree remove --force ../wt"),
        Example::Bash("git -c alias.x='!git reset --hard' x"),
    ],
    silent: &[
        Example::Bash("git reset --soft HEAD~1"),
        Example::Bash("git reset HEAD file.py"),
        Example::Bash("git checkout main"),
        Example::Bash("git checkout -b fix/rm-rf"),
        Example::Bash("git switch -c feature"),
        Example::Bash("git restore --staged src/a.py"),
        Example::Bash("git clean -n"),
        Example::Bash("git clean -fdn"),
        Example::Bash("git stash"),
        Example::Bash("git stash pop"),
        Example::Bash("git worktree remove ../wt"),
        Example::Bash("git log -S'git reset --hard' -- docs"),
        Example::Bash("echo 'git checkout -- foo.ts'"),
    ],
};

fn check(case: &Case<'_>, _: &Facts) -> Vec<Hit> {
    case.shell
        .iter()
        .flat_map(|report| report.of(EffectKind::GitDiscard))
        .map(|effect| {
            let paths: Vec<_> = effect.targets.iter().filter_map(|target| target.path.clone()).collect();
            Hit {
                problem: format!("`{}`: {}", effect.command, effect.why),
                instead: Some("keep the work first: `git stash push --include-untracked`".to_owned()),
                // Without paths all uncommitted work is at stake: the root stands for it.
                snapshot: if paths.is_empty() { vec![case.place.root.clone()] } else { paths },
            }
        })
        .collect()
}
