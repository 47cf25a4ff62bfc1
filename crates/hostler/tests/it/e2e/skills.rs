//! Commands that run without a tool call of the agent's, and words that reach the model without one.

use testkit::model::{Turn, bash, say};

use super::scenario;

/// The text of a slash command can hold a command that the client runs before the model reads anything.
#[test]
fn a_command_inside_a_skill_is_judged_like_the_agents_own() {
    let Some(world) = scenario("a_command_inside_a_skill_is_judged_like_the_agents_own")
        .file(".claude/commands/tidy.md", "Tidy up: !`rm -rf ~/photos`\n")
        .file(".claude/commands/look.md", "Look: !`echo harmless words`\n")
        .file("~/photos/cat.txt", "a cat")
        .open()
    else {
        return;
    };
    let run = world.session().prompt("/tidy").play([Turn::new([say("done")])]);
    run.model_reads("[delete-outside]");
    world.has("~/photos/cat.txt");
    let recorded = world.records(&run.session_id());
    assert!(
        recorded.iter().any(|it| it["event"] == "PreSkillShellCommand" && it["status"] == "asked"),
        "{recorded:#?}"
    );
    world.session().prompt("/look").play([Turn::new([say("done")])]).model_reads("harmless words");
}

/// The client puts what a hook prints there into the prompt of the compaction.
#[test]
fn nothing_of_ours_stands_in_the_prompt_of_a_compaction() {
    let Some(world) = scenario("nothing_of_ours_stands_in_the_prompt_of_a_compaction").open() else { return };
    let run = world.play([Turn::new([bash("echo one")]), Turn::new([say("done")])]);
    world
        .session()
        .arg("--resume")
        .arg(run.session_id())
        .prompt("/compact keep the gist")
        .loose()
        .play([Turn::new([say("<summary>one was echoed</summary>")])])
        .model_reads("keep the gist\n\nREMINDER")
        .model_never_reads("keep the gist\n\n{}");
}
