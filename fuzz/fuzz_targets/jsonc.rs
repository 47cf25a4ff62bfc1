//! Any settings text: registering twice is registering once, and taking it back gives the same bytes.
#![no_main]

use hostler_host::claude::settings::{register, registered, unregister};
use hostler_host::jsonc::{Error, Ledger};
use libfuzzer_sys::fuzz_target;

const COMMAND: &str = "/opt/a b/hostler";

fuzz_target!(|text: &str| {
    let none_yet = registered(text).is_ok_and(|entries| entries.is_empty());
    let once = match register(text, &Ledger::default(), COMMAND) {
        Ok(edited) => edited,
        Err(error) => {
            assert!(!matches!(error, Error::Diverged { .. }), "{error}");
            return;
        }
    };
    let twice = register(&once.text, &once.ledger, COMMAND).expect("our own text is valid");
    assert_eq!(once.text, twice.text);
    if none_yet {
        let back = unregister(&once.text, Some(&once.ledger)).expect("our own text is valid");
        assert_eq!(back.text, text);
    }
});
