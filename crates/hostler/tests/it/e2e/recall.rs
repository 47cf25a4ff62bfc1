//! What a prompt brings back reaches the model.

use serde_json::json;
use testkit::Run;
use testkit::model::{Turn, say};

use super::scenario;

const CONTEXT: &str = r#"{
  "state": { "session": 3, "version": "0.4.0", "branch": "main", "status": "closed" },
  "deferred_work": [],
  "session_history": [
    { "seq": 1, "when": "2026-04-01T10:00:00Z", "purpose": "Write the manual", "length": "1h00m" },
    { "seq": 2, "when": "2026-04-02T10:00:00Z", "purpose": "Speed", "length": "1h00m",
      "achievements": ["The wizard of settings is gone"] },
    { "seq": 3, "when": "2026-04-03T10:00:00Z", "purpose": "Clean up", "length": "1h00m" }
  ]
}"#;

/// How often the model reads `text` in the last request of a run.
fn heard(run: &Run<'_>, text: &str) -> usize {
    run.requests.iter().rfind(|request| request.scripted).map_or(0, |it| it.heard().matches(text).count())
}

// @traces 021-FR-012 021-US-008-AC05
#[test]
fn a_prompt_that_asks_for_it_brings_matching_sessions_to_the_model() {
    let name = "a_prompt_that_asks_for_it_brings_matching_sessions_to_the_model";
    let Some(world) = scenario(name).file("context.json", CONTEXT).open() else { return };
    let run = world
        .session()
        .prompt("Do you remember when we removed the settings wizard?")
        .play([Turn::new([say("Yes, in session 2.")])]);
    run.model_reads("From this project's records (context.json): what matches \"removed settings wizard\"")
        .model_reads("- Session #2 (2026-04-02), achievement: The wizard of settings is gone")
        .model_never_reads("Write the manual\n- ")
        .chain_holds();
    let records = world.records(&run.session_id());
    let prompt = records.iter().find(|record| record["kind"] == "prompt");
    assert_eq!(prompt.map(|it| &it["recall_matches"]), Some(&json!(1)), "{prompt:?}");
    let nothing = world
        .session()
        .prompt("What happened with the telemetry daemon?")
        .play([Turn::new([say("I do not know.")])]);
    nothing.model_reads("No matching sessions found for \"telemetry daemon\"");
}

// @traces REQ-020-244 REQ-020-245
#[test]
fn a_reminder_reaches_the_model_once_and_again_after_a_compaction() {
    let name = "a_reminder_reaches_the_model_once_and_again_after_a_compaction";
    let config = "reminders = [\"decisions\"]\n";
    let Some(world) = scenario(name).file(".hostler/config.toml", config).open() else { return };
    let text = "Reminder `decisions`, since the prompt mentions it:";
    let ask = |session: testkit::Session<'_>| -> usize {
        let run = session.prompt("Follow the ADR on caching").play([Turn::new([say("done")])]);
        heard(&run, text)
    };
    let first = world.session().prompt("What was the ruling?").play([Turn::new([say("none yet")])]);
    assert_eq!(heard(&first, text), 1);
    let id = first.session_id();
    // What was told is still there, and is not told again.
    assert_eq!(ask(world.session().arg("--resume").arg(&id)), 1);
    world
        .session()
        .arg("--resume")
        .arg(&id)
        .prompt("/compact keep the gist")
        .loose()
        .play([Turn::new([say("<summary>there was no ruling</summary>")])]);
    assert_eq!(ask(world.session().arg("--resume").arg(&id)), 1);
    let prompts: Vec<_> =
        world.records(&id).into_iter().filter(|record| record["kind"] == "prompt").collect();
    let told: Vec<_> = prompts.iter().filter(|record| record["reminders"] == json!(["decisions"])).collect();
    assert_eq!(told.len(), 2, "{prompts:#?}");
}
