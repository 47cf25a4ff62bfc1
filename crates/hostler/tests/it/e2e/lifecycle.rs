//! The life of a session on the real client: begun once, whatever starts; closed by a phrase; shared by clients.

use std::process::Command;

use serde_json::Value;
use testkit::World;
use testkit::model::{Turn, bash, delegate, say};

use super::scenario;

/// A project in which sessions are kept.
fn kept(name: &str) -> Option<World> {
    let world = scenario(name).file(".gitignore", ".claude/\n.hostler/\n").open()?;
    world.hostler_ok(&["session", "init"]);
    Some(world)
}

fn done() -> [Turn; 1] {
    [Turn::new([say("done")])]
}

#[track_caller]
fn record(world: &World) -> Value {
    serde_json::from_str(&world.read("context.json")).unwrap()
}

#[track_caller]
fn sessions(world: &World) -> Vec<Value> {
    record(world)["session_history"].as_array().unwrap().clone()
}

/// Ids of the clients of a session.
fn clients(session: &Value) -> Vec<String> {
    let hosts = session["hosts"].as_array().unwrap();
    hosts.iter().map(|host| host["id"].as_str().unwrap().to_owned()).collect()
}

// @traces REQ-020-001 REQ-020-004 REQ-020-030 REQ-020-031 021-FR-002
#[test]
fn a_session_begins_once_across_startup_resume_compaction_clear_and_fork() {
    let Some(world) = kept("a_session_begins_once_across_startup_resume_compaction_clear_and_fork") else {
        return;
    };
    world.hostler_ok(&["session", "add-work", "--text", "tell users why", "--priority", "P1"]);
    let first = world.session().prompt("write the parser").play(done());
    first.user_reads("session #1 began").user_reads("branch main").model_reads("Session #1 began");
    first.model_reads("tell users why").chain_holds();
    assert_eq!(sessions(&world)[0]["purpose"], "write the parser");
    let id = first.session_id();
    let resumed = |prompt: &str| world.session().arg("--resume").arg(&id).prompt(prompt);

    let second = resumed("and go on").play(done());
    second
        .user_reads("session #1 goes on")
        .model_reads("Session #1 began")
        .model_never_reads("Session #1 goes on");

    resumed("/compact keep the gist").loose().play([Turn::new([say("<summary>a parser</summary>")])]);
    resumed("what is next").play(done()).model_reads("Session #1 goes on").model_reads("tell users why");

    let cleared = resumed("")
        .prompts(&["read the manual", "/clear", "start over"])
        .play([Turn::new([say("one")]), Turn::new([say("two")])]);
    let last = cleared.requests.last().unwrap().heard();
    assert!(!last.contains("read the manual") && last.contains("Session #1 goes on"), "{last}");

    let forked = resumed("in a fork").arg("--fork-session").play(done());
    assert_ne!(forked.session_id(), id);

    let all = sessions(&world);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((all[0].get("length"), clients(&all[0]).len()), (None, 3), "{all:?}");
    assert_eq!(all[0]["purpose"], "write the parser");
}

#[test]
fn a_subagent_begins_nothing() {
    let Some(world) = kept("a_subagent_begins_nothing") else { return };
    let run = world.session().prompt("have it done").play([
        Turn::new([delegate("start new session")]),
        Turn::new([bash("echo in the subagent")]),
        Turn::new([say("the subagent is done")]),
        Turn::new([say("done")]),
    ]);
    run.model_reads("in the subagent").chain_holds();
    let all = sessions(&world);
    assert_eq!((all.len(), clients(&all[0])), (1, vec![run.session_id()]), "{all:?}");
}

#[test]
fn two_clients_at_once_lose_nothing() {
    let Some(world) = kept("two_clients_at_once_lose_nothing") else { return };
    let program = world.program().display().to_string();
    let log = |name: &str, at: usize| bash(&format!("'{program}' session log-work --desc '{name} {at}'"));
    let play = |name: &'static str| {
        let mut turns: Vec<Turn> =
            (0..3).map(|turn| Turn::new((0..3).map(|call| log(name, turn * 3 + call)))).collect();
        turns.push(Turn::new([say("done")]));
        world.session().prompt(&format!("be the {name} client")).play(turns)
    };
    let (one, two) = std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(|| play("first")), scope.spawn(|| play("second")));
        (one.join().unwrap(), two.join().unwrap())
    });
    let all = sessions(&world);
    assert_eq!(all.len(), 1, "{all:?}");
    let mut ids = [one.session_id(), two.session_id()];
    let mut found = clients(&all[0]);
    ids.sort();
    found.sort();
    assert_eq!(found, ids);
    let mut entries: Vec<&str> =
        all[0]["work_log"].as_array().unwrap().iter().map(|it| it["desc"].as_str().unwrap()).collect();
    entries.sort_unstable();
    let names = ["first", "second"].iter().flat_map(|name| (0..9).map(move |at| format!("{name} {at}")));
    let mut expected: Vec<String> = names.collect();
    expected.sort_unstable();
    assert_eq!(entries, expected);
    one.chain_holds();
}

// @traces REQ-020-011 REQ-020-014 REQ-020-023 REQ-020-025 REQ-020-026 REQ-020-027 REQ-020-028
#[test]
fn a_close_phrase_leaves_a_tag_a_changelog_a_record_and_a_summary() {
    let Some(world) = kept("a_close_phrase_leaves_a_tag_a_changelog_a_record_and_a_summary") else { return };
    let origin = world.path("~/origin.git").display().to_string();
    world.git(&["init", "--quiet", "--bare", &origin]);
    world.git(&["remote", "add", "origin", &origin]);
    world.write("~/.config/hostler/config.toml", "[session]\npush = true\nchangelog = true\n");
    world.write("~/.gitconfig", "[user]\nname = A Developer\nemail = dev@example.invalid\n");
    world.hostler_ok(&["session", "add-work", "--text", "tell users why", "--priority", "P1"]);
    let first = world.session().prompt("write the parser").play([
        Turn::new([bash(
            "echo 1 > parser.txt && git add parser.txt && git commit -qm 'feat: Add the parser'",
        )]),
        Turn::new([say("done")]),
    ]);
    let closed = world
        .session()
        .arg("--resume")
        .arg(first.session_id())
        .prompt("ok, thanks. Close the session")
        .play(done());
    // The prompt reaches the model, with what came of the close.
    closed
        .model_reads("ok, thanks. Close the session")
        .model_reads("Add the parser")
        .user_reads("session #1");
    assert_eq!(closed.result()["result"], "done");

    let session = &sessions(&world)[0];
    assert_eq!(session["outcome"], "closed", "{session}");
    assert!(session["length"].is_string(), "{session}");
    assert_eq!(record(&world)["state"]["status"], "closed");
    let achievements = session["achievements"].to_string();
    assert!(achievements.contains("Add the parser"), "{achievements}");
    assert!(world.read("CHANGELOG.md").contains("Add the parser"));
    let tag = session["tag"].as_str().unwrap();
    assert!(tag.starts_with("session-001-"), "{tag}");
    let at_origin = |arguments: &[&str]| {
        let output = Command::new("git").arg("--git-dir").arg(&origin).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(at_origin(&["cat-file", "-t", tag]), "tag\n");
    assert!(at_origin(&["log", "--format=%s", "main"]).contains("feat: Add the parser"));

    // No second session right away, but what is left to do is shown; who asks for one gets it.
    let second = world.session().prompt("what is left to do").play(done());
    second.user_reads("less than five minutes ago").model_reads("tell users why");
    assert_eq!(sessions(&world).len(), 1);
    let third = world.session().prompt("sns").play(done());
    third.user_reads("session #2 began").model_reads("tell users why").model_reads("Add the parser");
    assert_eq!(sessions(&world).len(), 2);
}
