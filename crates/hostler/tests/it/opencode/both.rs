//! One record for both clients.

use serde_json::Value;
use testkit::model::{Turn, say};
use testkit::opencode::bash;
use testkit::{OpenCode, Register};

use super::bare;

// @traces 021-TEST-INTEG-024 021-TEST-INTEG-027
#[test]
fn a_session_begun_in_one_client_is_finished_in_the_other_with_one_record() {
    let name = "a_session_begun_in_one_client_is_finished_in_the_other_with_one_record";
    let project = bare(name)
        .file(".gitignore", ".opencode/\n.claude/\n.hostler/\nopencode.json\n")
        .register(Register::Init(vec!["--host".into(), "opencode".into()]));
    let Some(world) = project.open() else { return };
    let Some(client) = OpenCode::of(world, name) else { return };
    let world = client.world();
    world.hostler_ok(&["init", "--host", "claude"]);
    world.hostler_ok(&["session", "init"]);
    world.write("~/.gitconfig", "[user]\nname = A Developer\nemail = dev@example.invalid\n");
    let program = world.program().display();

    let begun = client.session().prompt("write the parser").play([
        Turn::new([bash(&format!("'{program}' session log-work --desc 'the grammar is there'"))]),
        Turn::new([say("done")]),
    ]);
    begun.model_reads("Purpose: write the parser").chain_holds();

    let finished = world.session().prompt("Close the session").play([Turn::new([say("done")])]);
    finished.model_reads("Purpose: write the parser").model_reads("with this client as one more");
    let record: Value = serde_json::from_str(&world.read("context.json")).unwrap();
    let sessions = record["session_history"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{record:#}");
    let session = &sessions[0];
    assert_eq!((&session["purpose"], &session["outcome"]), (&"write the parser".into(), &"closed".into()));
    assert_eq!(session["work_log"][0]["desc"], "the grammar is there", "{session}");
    let mut clients: Vec<&str> =
        session["hosts"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    clients.sort_unstable();
    let (first, second) = (begun.session_id(), finished.session_id());
    let mut expected = [first.as_str(), second.as_str()];
    expected.sort_unstable();
    assert_eq!(clients, expected);
}
