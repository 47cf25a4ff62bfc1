//! The rule about overlapping words, switched on.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use hostler_model::{Action, Mode, Outcome, Profile, ToolCall};

use crate::Settings;
use crate::claims::evidence::{Actor, Source, of};
use crate::claims::{Evidence, Kind, Turn, audit};
use crate::testing::World;

fn read(output: &str) -> Evidence {
    let world = World::sample(Profile::Standard);
    let action = Action::Read { path: Some("deploy.log".to_owned()) };
    let call = ToolCall { id: None, tool: "Read".to_owned(), action, input: "{}".to_owned() };
    let outcome = Outcome { ok: true, output: output.to_owned(), ..Outcome::default() };
    of(&Source {
        call: &call,
        outcome: &outcome,
        cwd: &world.place.root,
        place: &world.place,
        by: Actor::Agent,
    })
}

/// How many findings the rule has in this mode.
fn overlaps(mode: Option<Mode>, output: &str, message: &str) -> usize {
    let overrides = mode.map(|mode| ("result-overlap".to_owned(), mode));
    let settings = Settings { overrides: BTreeMap::from_iter(overrides), ..Settings::default() };
    let evidence = [read(output)];
    let turn = Turn { message, prompt: None, evidence: &evidence };
    let found = audit(&turn, &settings, &mut |_| None);
    let own = found.findings.iter().filter(|it| it.rule == "result-overlap");
    own.inspect(|it| assert_eq!(it.kind, Kind::ResultHiding)).count()
}

// @traces REQ-020-109
#[test]
fn long_outputs_share_three_long_words_with_the_message() {
    let output = "Replica orders_7 is lagging; checkpoint rejected, quorum missing.\n".repeat(10);
    let silent = "The log is fine.";
    let telling = "Replica 7 is LAGGING: its checkpoint was rejected.";
    assert_eq!(overlaps(Some(Mode::Warn), &output, silent), 1);
    assert_eq!(overlaps(Some(Mode::Warn), &output, telling), 0);
    // Two words are too few, and a part of a word is none.
    assert_eq!(overlaps(Some(Mode::Warn), &output, "Replica lagging, checkpoints."), 1);
    // 500 characters are not long, 501 are.
    let edge = output.chars().take(500).collect::<String>();
    assert_eq!(overlaps(Some(Mode::Warn), &edge, silent), 0);
    assert_eq!(overlaps(Some(Mode::Warn), &format!("{edge}."), silent), 1);
    // Off unless asked for.
    assert_eq!(overlaps(None, &output, silent), 0);
    assert_eq!(overlaps(Some(Mode::Off), &output, silent), 0);
}

#[test]
fn long_words_are_the_first_ones_each_once() {
    let output = format!("Größen größen ordinary Ordinary short 123456 {}", "filler-words ".repeat(60));
    assert_eq!(read(&output).long_words, ["größen", "ordinary", "filler"]);
    let many: String = (b'a'..=b'z')
        .flat_map(|a| (b'a'..=b'c').map(move |b| format!("letter{}{} ", a as char, b as char)))
        .collect();
    let found = read(&many).long_words;
    assert_eq!((found.len(), found.first().unwrap().as_str()), (40, "letteraa"));
    let json = serde_json::to_string(&read("short")).unwrap();
    assert!(!json.contains("long_words"), "{json}");
}
