//! Any message: the audit ends without a panic, says the same twice, and every finding tells what it rests on.
#![no_main]

use std::path::{Path, PathBuf};

use hostler_model::{Action, Outcome, Place, ToolCall};
use hostler_policy::Settings;
use hostler_policy::claims::evidence::{self, Actor, Evidence, Source};
use hostler_policy::claims::{Audit, FileState, Turn, audit};
use libfuzzer_sys::fuzz_target;

/// What every message is held against: a change, a failing run, a read, an error.
const CALLS: &[(&str, Option<i32>, &str)] = &[
    ("printf 'x' > src/cart.py", Some(0), ""),
    ("pytest -q", Some(1), "1 failed, 11 passed in 0.12s"),
    ("cat README.md", Some(0), "# shop"),
    ("npm install left-pad", Some(1), "npm error code E404"),
    ("git commit -m cart", Some(0), "[main 1f2e3d4] cart\n 1 file changed, 2 insertions(+)"),
];

fn session() -> Vec<Evidence> {
    let place = Place { root: PathBuf::from("/home/dev/shop"), ..Place::default() };
    let proves = |(command, exit, output): &(&str, Option<i32>, &str)| {
        let action = Action::Shell { command: (*command).to_owned() };
        let call = ToolCall { id: None, tool: "Bash".to_owned(), action, input: String::new() };
        let ok = *exit == Some(0);
        let outcome = Outcome { ok, exit: *exit, output: (*output).to_owned(), ..Outcome::default() };
        let cwd = Path::new("/home/dev/shop");
        evidence::of(&Source { call: &call, outcome: &outcome, cwd, place: &place, by: Actor::Agent })
    };
    CALLS.iter().map(proves).collect()
}

fn read(message: &str, evidence: &[Evidence]) -> Audit {
    let turn = Turn { message, prompt: Some("are there problems?"), evidence };
    audit(&turn, &Settings::default(), &mut |path: &str| match path.len() % 3 {
        0 => None,
        1 => Some(FileState::Missing),
        _ => Some(FileState::Changed),
    })
}

fuzz_target!(|message: &str| {
    let evidence = session();
    let first = read(message, &evidence);
    assert_eq!(first, read(message, &evidence));
    for finding in &first.findings {
        assert!(!finding.evidence.is_empty() && !finding.description.is_empty(), "{finding:?}");
    }
});
