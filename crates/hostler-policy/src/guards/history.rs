//! Rewriting history, here and on the remote.

use hostler_model::{EffectKind, Mode};

use super::zone::each;
use super::{Example, Guard};

pub(crate) const REWRITE: Guard = Guard {
    id: "history-rewrite",
    summary: "rewriting history or destroying what lost commits are recovered from",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| each(case, EffectKind::HistoryRewrite, "leave the commits, or ask the user to do it"),
    fires: &[
        Example::Bash("git filter-branch --force --index-filter 'true' HEAD"),
        Example::Bash("git reflog expire --expire=now --all"),
        Example::Bash("git gc --prune=now"),
        Example::Bash("git gc --p=all"),
        Example::Bash("git prune"),
        Example::Bash("git branch -D feature"),
        Example::Bash("git update-ref -d refs/heads/x"),
    ],
    silent: &[
        Example::Bash("git gc"),
        Example::Bash("git branch -d merged"),
        Example::Bash("git rebase main"),
        Example::Bash("git commit --amend --no-edit"),
        Example::Bash("git reflog"),
        Example::Bash("git log --grep='filter-branch'"),
    ],
};

pub(crate) const FORCE_PUSH: Guard = Guard {
    id: "force-push",
    summary: "overwriting or deleting what a remote holds",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| each(case, EffectKind::ForcePush, "push with `git push --force-with-lease`"),
    fires: &[
        Example::Bash("git push --force"),
        Example::Bash("git push -f origin main"),
        Example::Bash("git push origin +main"),
        Example::Bash("git push origin :old"),
        Example::Bash("git push --delete origin old"),
        Example::Bash("git push --mirror"),
        Example::Bash("git push --mi origin"),
    ],
    silent: &[
        Example::Bash("git push"),
        Example::Bash("git push -u origin feature"),
        Example::Bash("git push --force-with-lease"),
        Example::Bash("git push origin main:main"),
        Example::Bash("git commit -m 'fix: describe a force-push'"),
    ],
};
