//! A command line, a line end, what it printed: the evidence is the same twice, and survives the journal.
#![no_main]

use std::path::{Path, PathBuf};

use hostler_model::{Action, Outcome, Place, ToolCall};
use hostler_policy::claims::evidence::{self, Actor, Evidence, Source};
use libfuzzer_sys::fuzz_target;

/// A panic of the shell's parser is caught and counts as "not understood"; one of ours is what is hunted here.
fn abort_on_our_own_panics() {
    std::panic::set_hook(Box::new(|info| {
        let parser = info.location().is_some_and(|it| it.file().contains("/brush-parser-"));
        if !parser {
            eprintln!("{info}");
            std::process::abort();
        }
    }));
}

fuzz_target!(init: abort_on_our_own_panics(), |input: &str| {
    let (command, output) = input.split_once('\n').unwrap_or((input, ""));
    let place = Place { root: PathBuf::from("/home/dev/shop"), ..Place::default() };
    let action = Action::Shell { command: command.to_owned() };
    let call = ToolCall { id: None, tool: "Bash".to_owned(), action, input: String::new() };
    for exit in [None, Some(0), Some(1)] {
        let ok = exit.unwrap_or(0) == 0;
        let outcome = Outcome { ok, exit, output: output.to_owned(), ..Outcome::default() };
        let cwd = Path::new("/home/dev/shop");
        let source = Source { call: &call, outcome: &outcome, cwd, place: &place, by: Actor::Agent };
        let proved = evidence::of(&source);
        assert_eq!(proved, evidence::of(&source));
        let text = serde_json::to_string(&proved).expect("evidence is JSON");
        assert_eq!(serde_json::from_str::<Evidence>(&text).expect("and is read again"), proved);
    }
});
