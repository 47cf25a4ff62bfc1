//! Command words that are not what they look like.

use hostler_model::{EffectKind, Mode};

use super::zone::each;
use super::{Example, Guard};

pub(crate) const GUARD: Guard = Guard {
    id: "look-alike",
    summary: "command words with look-alike or invisible letters, text that reorders what is shown",
    standard: Mode::Ask,
    strict: Mode::Deny,
    needs: super::nothing,
    check: |case, _| each(case, EffectKind::LookAlike, "type the command with plain letters"),
    fires: &[
        Example::Bash("g\u{456}t status"),
        Example::Bash("r\u{200b}m x"),
        Example::Bash("echo \u{202e}x"),
        Example::Bash("sudo \u{ff52}\u{ff4d} x"),
    ],
    silent: &[
        Example::Bash("echo 'Привет'"),
        Example::Bash("git commit -m 'naïve café'"),
        Example::Bash("ls café"),
    ],
};
