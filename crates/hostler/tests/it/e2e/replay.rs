//! Transcripts that the real client wrote, replayed: they say what our journal of the same session says.

use serde_json::{Value, json};
use testkit::World;
use testkit::model::{Turn, bash, delegate, say, write};

use super::scenario;

/// What `hostler replay` makes of the transcripts in the client's own folder for this project.
#[track_caller]
fn transcripts(world: &World) -> Value {
    let output = world.hostler(&["replay", "--json"]);
    assert!(output.stderr.contains("reading the sessions of this project"), "{output:?}");
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn turns(document: &Value) -> Vec<&Value> {
    assert_eq!(document["totals"]["sessions"], 1, "{document:#}");
    document["sessions"][0]["turns"].as_array().map(|turns| turns.iter().collect()).unwrap_or_default()
}

fn clean(document: &Value) {
    let lines = &document["totals"]["lines"];
    let bad: Vec<&Value> =
        ["unreadable", "too_long", "cut_at_end", "unpaired"].iter().map(|it| &lines[it]).collect();
    assert_eq!(bad, [0, 0, 0, 0], "{lines}");
}

#[test]
fn the_clients_own_transcript_tells_what_a_session_came_to() {
    let Some(world) = scenario("the_clients_own_transcript_tells_what_a_session_came_to").open() else {
        return;
    };
    let path = world.path("src/report.py");
    let run = world.play([
        Turn::new([delegate("write the report")]),
        Turn::new([write(&path, "total = 4\n")]),
        Turn::new([say("I created `src/report.py`.")]),
        Turn::new([bash("test -f missing.txt"), bash("cat missing.txt")]),
        Turn::new([say("The subagent is done: `src/report.py` was created. `missing.txt` is not there.")]),
    ]);
    let resumed = || world.session().arg("--resume").arg(run.session_id());
    resumed()
        .prompt("/compact keep the gist")
        .loose()
        .play([Turn::new([say("<summary>I deployed it and all 99 tests pass.</summary>")])]);
    resumed().prompt("what have you done?").play([Turn::new([say("I created `src/report.py` before.")])]);
    let document = transcripts(&world);
    clean(&document);
    let turns = turns(&document);
    let own: Vec<&&Value> = turns.iter().filter(|turn| turn.get("agent").is_none()).collect();
    let messages: Vec<&str> = own.iter().filter_map(|turn| turn["message"].as_str()).collect();
    assert!(messages.first().is_some_and(|it| it.starts_with("The subagent is done")), "{turns:#?}");
    assert!(messages.last().is_some_and(|it| it.starts_with("I created")), "{turns:#?}");
    assert_eq!(turns.iter().filter(|turn| turn.get("agent").is_some()).count(), 1, "{turns:#?}");
    for turn in &turns {
        assert_eq!(turn["findings"], json!([]), "{turn:#}");
    }
    assert_eq!(document["sessions"][0]["compactions"], 1, "{document:#}");
    assert_eq!(document["sessions"][0]["calls"], json!({ "Agent": 1, "Bash": 2, "Write": 1 }));
    // The journal of the same session, by our own words.
    let output = world.hostler(&["replay", "--json", journal_folder(&world).as_str()]);
    let journal: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    assert_eq!(journal["sessions"][0]["calls"], document["sessions"][0]["calls"], "{journal:#}");
    assert_eq!(journal["totals"]["findings"], json!({}));
}

#[test]
fn who_was_sent_back_is_judged_by_the_last_words() {
    let Some(world) = scenario("who_was_sent_back_is_judged_by_the_last_words").open() else { return };
    let failing = "printf '=== 1 failed, 11 passed in 0.12s ===\\n'; exit 1";
    world.write("pytest", format!("#!/bin/sh\n{failing}\n"));
    world.play([
        Turn::new([bash("sh -c 'chmod +x pytest; PATH=.:$PATH pytest -q'"), bash("./pytest -q")]),
        Turn::new([say("All 12 tests pass.")]),
        Turn::new([say("That was wrong: one of the 12 tests fails.")]),
    ]);
    let document = transcripts(&world);
    clean(&document);
    let turns = turns(&document);
    assert_eq!(turns.len(), 1, "{turns:#?}");
    assert!(turns[0]["message"].as_str().is_some_and(|it| it.starts_with("That was wrong")), "{turns:#?}");
    assert_eq!((&turns[0]["findings"], &turns[0]["continued"]), (&json!([]), &json!(1)), "{turns:#?}");
    // The journal keeps what was found on the way.
    let output = world.hostler(&["replay", "--json", journal_folder(&world).as_str()]);
    let journal: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    assert_eq!(journal["totals"]["findings"], json!({ "RESULT_CONTRADICTION": 1 }), "{journal:#}");
    assert_eq!(journal["sessions"][0]["turns"][0]["continued"], 1);
}

fn journal_folder(world: &World) -> String {
    world.home().join(".local/state/hostler").display().to_string()
}
