//! Whether `init` registers the status line: where there is none, and never over one of the user's own.
//!
//! A client shows one status line, that of the strongest settings file. So one in any other file counts as the user's
//! choice: ours in a stronger one would hide it.

use hostler_host::claude::settings::Edited;
use hostler_host::claude::status_line::{Owner, add, owner, remove};
use hostler_host::jsonc::Error;

use super::record::Record;

/// What the user said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nothing: it is registered where there is none.
    Unsaid,
    /// It is wanted, also where another settings file has one.
    Wanted,
    /// It is not.
    Unwanted,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is ours.
    Registered,
    /// It was ours.
    Removed,
    /// The file has one of the user's own, which stays.
    Kept,
    /// Another settings file has one, which would be hidden.
    Elsewhere,
    /// It was taken out by hand.
    TakenOut,
    /// It is not wanted.
    Unwanted,
}

impl Outcome {
    /// For programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Removed => "removed",
            Self::Kept => "kept",
            Self::Elsewhere => "elsewhere",
            Self::TakenOut => "taken-out",
            Self::Unwanted => "unwanted",
        }
    }
}

/// Adds, keeps or removes the entry in an edited settings text; its counts are those of hooks. `elsewhere`: another settings file that the client reads
/// has a status line that is not ours.
///
/// # Errors
/// The text is not valid JSON with comments, or no object.
pub(crate) fn plan(
    edited: &mut Edited,
    record: &mut Record,
    wish: Wish,
    elsewhere: bool,
    command: &str,
) -> Result<Outcome, Error> {
    let here = owner(&edited.text)?;
    let wanted = wish == Wish::Wanted;
    let outcome = match here {
        Owner::Others => Outcome::Kept,
        _ if wish == Wish::Unwanted || (elsewhere && !wanted) => {
            let ledger = edited.ledger.clone();
            if remove(&mut edited.text, &ledger)? {
                Outcome::Removed
            } else if elsewhere {
                Outcome::Elsewhere
            } else {
                Outcome::Unwanted
            }
        }
        Owner::Nobody if record.status_line && !wanted => Outcome::TakenOut,
        Owner::Nobody | Owner::Us => {
            add(edited, command)?;
            record.status_line = true;
            Outcome::Registered
        }
    };
    if matches!(outcome, Outcome::Removed | Outcome::Unwanted) {
        record.status_line = false;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use hostler_host::claude::settings::register;
    use hostler_host::jsonc::Ledger;

    use super::*;
    use crate::install::{Host, Scope};

    const BINARY: &str = "/usr/local/bin/hostler";
    const OWN: &str = r#"{"statusLine":{"type":"command","command":"mine"}}"#;
    const OURS: &str = r#"{"statusLine":{"type":"command","command":"/old/hostler statusline"}}"#;

    #[track_caller]
    fn check(text: &str, known: bool, wish: Wish, elsewhere: bool, expected: (Outcome, Owner, bool)) {
        let mut edited = register(text, &Ledger::default(), BINARY).unwrap();
        let mut record = Record::new(Host::Claude, Scope::Local, Path::new("/x"), None);
        record.status_line = known;
        let outcome = plan(&mut edited, &mut record, wish, elsewhere, BINARY).unwrap();
        let seen = (outcome, owner(&edited.text).unwrap(), record.status_line);
        assert_eq!(seen, expected, "{text} known {known} {wish:?} elsewhere {elsewhere}");
    }

    #[test]
    fn it_is_registered_where_there_is_none_and_nobody_minds() {
        use Outcome::{Elsewhere, Kept, Registered, Removed, TakenOut, Unwanted};
        use Wish::{Unsaid, Wanted};
        let (nobody, us, others) = (Owner::Nobody, Owner::Us, Owner::Others);
        check("{}", false, Unsaid, false, (Registered, us, true));
        check(OURS, true, Unsaid, false, (Registered, us, true));
        check("{}", false, Wish::Unwanted, false, (Unwanted, nobody, false));
        check(OURS, true, Wish::Unwanted, false, (Removed, nobody, false));
        // One of the user's own stays, whatever was said.
        for wish in [Unsaid, Wanted, Wish::Unwanted] {
            check(OWN, false, wish, false, (Kept, others, false));
        }
        // One in another file would be hidden.
        check("{}", false, Unsaid, true, (Elsewhere, nobody, false));
        check("{}", false, Wanted, true, (Registered, us, true));
        check(OURS, true, Unsaid, true, (Removed, nobody, false));
        // Taken out by hand, it stays out until it is asked for.
        check("{}", true, Unsaid, false, (TakenOut, nobody, true));
        check("{}", true, Wanted, false, (Registered, us, true));
    }
}
