//! What is stopped, and that the model learns why.

use testkit::Register;
use testkit::model::{Turn, bash, delegate, edit, read, say, write};

use super::scenario;

// @traces REQ-020-131 REQ-020-143 020-ERR-019
#[test]
fn a_denied_delete_does_not_run_and_the_model_reads_why() {
    let Some(world) = scenario("a_denied_delete_does_not_run_and_the_model_reads_why")
        .file("~/photos/one.jpg", "precious")
        .open()
    else {
        return;
    };
    world
        .play([Turn::new([bash("rm -rf ~/")]), Turn::new([say("understood")])])
        .ran_nothing()
        .model_reads("[delete-root]")
        .model_reads("Instead: name the single files")
        .model_reads("The user can run it by hand: rm -rf ~/")
        .ledger(&[
            "session startup",
            "prompt",
            "decision Bash blocked delete-root protected-path-shell",
            "turn",
            "session other",
            "seal",
        ]);
    world.has("~/photos/one.jpg");
}

#[test]
fn the_same_inside_a_subagent() {
    let Some(world) = scenario("the_same_inside_a_subagent").file("~/photos/one.jpg", "precious").open()
    else {
        return;
    };
    let run = world.play([
        Turn::new([delegate("tidy the photos")]),
        Turn::new([bash("rm -rf ~/"), bash("echo '{}' > .claude/settings.json")]),
        Turn::new([say("I was stopped")]),
        Turn::new([say("the agent was stopped")]),
    ]);
    run.model_reads("[delete-root]").model_reads("[protected").model_reads("I was stopped").chain_holds();
    world.has("~/photos/one.jpg").lacks(".claude/settings.json");
    let inside: Vec<_> =
        world.ledger(&run.session_id()).into_iter().filter(|line| line.contains("blocked")).collect();
    assert_eq!(inside.len(), 2);
    assert!(inside.iter().all(|line| line.ends_with("(subagent)")), "{inside:?}");
}

#[test]
fn host_settings_cannot_be_written_whichever_way() {
    let Some(world) = scenario("host_settings_cannot_be_written_whichever_way").open() else { return };
    let settings = world.path(".claude/settings.json");
    let local = world.read(".claude/settings.local.json");
    let user = world.path("~/.claude/settings.json");
    let run = world.play([
        Turn::new([
            bash("echo '{\"disableAllHooks\":true}' > .claude/settings.json"),
            bash("cat <<'EOF' | tee .claude/settings.local.json\n{}\nEOF"),
            bash("python3 -c \"open('.claude/settings.json','w').write('{}')\""),
            bash("cd .claude && sed -i s/hooks/x/ settings.local.json"),
            write(&settings, "{}"),
            write(&user, "{}"),
            write(world.path("~/.claude/plans/plan.md"), "1. win"),
        ]),
        Turn::new([say("understood")]),
    ]);
    run.ran_nothing().model_reads("[protected").chain_holds();
    assert_eq!(run.tool_results().len(), 7);
    world.lacks(".claude/settings.json").lacks("~/.claude/settings.json").lacks("~/.claude/plans/plan.md");
    assert_eq!(world.read(".claude/settings.local.json"), local);
}

// @traces REQ-020-131 REQ-020-137..139 REQ-020-141 020-ERR-020
#[test]
fn every_way_of_a_shell_into_the_hosts_folder_is_stopped_and_logged() {
    let Some(world) = scenario("every_way_of_a_shell_into_the_hosts_folder_is_stopped_and_logged")
        .file("x.json", "{}\n")
        .file("~/.claude/keep.json", "{}\n")
        .open()
    else {
        return;
    };
    let full = world.path("~/.claude/new.json").display().to_string();
    let commands = [
        "printf x > ~/.claude/new.json".to_owned(),
        "printf x >> ~/.claude/keep.json".to_owned(),
        "cat > ~/.claude/new.json < x.json".to_owned(),
        "cp x.json ~/.claude/new.json".to_owned(),
        "mv x.json ~/.claude/new.json".to_owned(),
        "touch ~/.claude/new.json".to_owned(),
        "mkdir -p ~/.claude/new.json".to_owned(),
        format!("echo x > {full}"),
    ];
    let run =
        world.play([Turn::new(commands.iter().map(|command| bash(command))), Turn::new([say("understood")])]);
    run.ran_nothing().chain_holds();
    assert_eq!(run.tool_results().len(), commands.len());
    world.lacks("~/.claude/new.json").has_files(&[("x.json", "{}\n")]);
    assert_eq!(world.read("~/.claude/keep.json"), "{}\n");
    let records = world.records(&run.session_id());
    let logged = records.iter().filter(|record| record["operation"] == "Bash-Claude-Dir-Blocked").count();
    assert_eq!(logged, commands.len());
}

#[test]
fn our_own_files_cannot_be_written_either() {
    let Some(world) = scenario("our_own_files_cannot_be_written_either").open() else { return };
    let before = world.read(".hostler/config.toml");
    world
        .play([
            Turn::new([
                bash("printf 'profile = \"observe\"\\n' > .hostler/config.toml"),
                write(world.path(".hostler/config.toml"), "profile = \"observe\"\n"),
                bash("rm -rf ~/.local/state/hostler"),
                write(world.path("context.json"), "{}"),
            ]),
            Turn::new([read(world.path(".hostler/config.toml"))]),
            Turn::new([edit(world.path(".hostler/config.toml"), &before, "profile = \"observe\"\n")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["profile"])
        .model_reads("[protected")
        .chain_holds();
    assert_eq!(world.read(".hostler/config.toml"), before);
    world.lacks("context.json");
}

#[test]
fn a_question_is_a_no_with_a_reason_where_nobody_can_answer() {
    let Some(world) = scenario("a_question_is_a_no_with_a_reason_where_nobody_can_answer")
        .file("notes.txt", "committed\n")
        .open()
    else {
        return;
    };
    world.write("notes.txt", "an hour of work\n");
    world
        .play([Turn::new([bash("git reset --hard")]), Turn::new([say("understood")])])
        .ran_nothing()
        .model_reads("[git-discard]")
        .ledger(&[
            "session startup",
            "prompt",
            "decision Bash asked git-discard",
            "turn",
            "session other",
            "seal",
        ]);
    assert_eq!(world.read("notes.txt"), "an hour of work\n");
}

#[test]
fn a_person_lets_one_call_through_once() {
    let Some(world) = scenario("a_person_lets_one_call_through_once").file("notes.txt", "old\n").open()
    else {
        return;
    };
    world.write("notes.txt", "new\n");
    let script = || [Turn::new([bash("git checkout -- notes.txt")]), Turn::new([say("done")])];
    let run = world.play(script());
    run.ran_nothing();
    let heard = run.heard();
    let code =
        heard.split("hostler allow-once ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();

    // The agent cannot grant it to itself.
    let own = format!("{} allow-once {code}", world.program().display());
    let disguised = format!(
        "echo y | env -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID -u AI_AGENT script -qec '{own}' /dev/null"
    );
    let session = run.session_id();
    world
        .session()
        .arg("--resume")
        .arg(&session)
        .play([
            Turn::new([bash(&own)]),
            Turn::new([bash(&disguised)]),
            Turn::new([bash("git checkout -- notes.txt")]),
            Turn::new([say("done")]),
        ])
        .ran_nothing()
        .model_reads("[self-protection]");
    assert_eq!(world.read("notes.txt"), "new\n");

    let typed = world.hostler_in_terminal(&["allow-once", code], "y\n");
    assert_eq!(typed.code, Some(0), "{typed:?}");
    let again = world.session().arg("--resume").arg(&session).play([
        Turn::new([bash("git checkout -- notes.txt")]),
        Turn::new([bash("git checkout -- notes.txt")]),
        Turn::new([say("done")]),
    ]);
    assert_eq!(world.read("notes.txt"), "old\n");
    let decisions: Vec<_> =
        world.ledger(&session).into_iter().filter(|line| line.starts_with("decision")).collect();
    assert_eq!(
        decisions[decisions.len() - 2..],
        ["decision Bash allowed git-discard", "decision Bash asked git-discard"]
    );
    again.chain_holds();
}

#[test]
fn a_warning_reaches_the_next_request_and_stops_nothing() {
    let Some(world) = scenario("a_warning_reaches_the_next_request_and_stops_nothing")
        .file("pyproject.toml", "[project]\nname = \"x\"\nversion = \"0\"\n")
        .file("uv.lock", "version = 1\n")
        .open()
    else {
        return;
    };
    world
        .play([
            Turn::new([bash("PIP_NO_INDEX=1 pip install requests; echo went on")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["went on"])
        .model_reads("uv add")
        .user_reads("uv add")
        .chain_holds();
}

// @traces REQ-020-144 REQ-020-145 020-ERR-016 REQ-020-153
#[test]
fn the_strict_profile_stops_every_delete_and_every_overwrite() {
    let Some(world) = scenario("the_strict_profile_stops_every_delete_and_every_overwrite")
        .file("build/out.bin", "1")
        .file("notes.txt", "old\n")
        .register(Register::Init(vec!["--profile".into(), "strict".into()]))
        .open()
    else {
        return;
    };
    let notes = world.path("notes.txt");
    world
        .play([
            Turn::new([read(&notes)]),
            Turn::new([
                bash("rm -rf build"),
                bash("echo x > notes.txt"),
                write(&notes, "new\n"),
                write(world.path("src/fresh.txt"), "new\n"),
            ]),
            Turn::new([edit(&notes, "old", "edited")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["old", "fresh.txt", "notes.txt"])
        .model_reads("The user can run it by hand: rm -rf build")
        .model_reads("Edit")
        .chain_holds();
    world.has_files(&[("build/out.bin", "1"), ("notes.txt", "edited\n"), ("src/fresh.txt", "new\n")]);
}

#[test]
fn the_observe_profile_stops_nothing_and_records_everything() {
    let Some(world) = scenario("the_observe_profile_stops_nothing_and_records_everything")
        .file("~/photos/one.jpg", "not so precious")
        .env("HOSTLER_PROFILE", "observe")
        .open()
    else {
        return;
    };
    world
        .play([Turn::new([bash("rm -rf ~/photos")]), Turn::new([say("done")])])
        .ran(&[""])
        .model_never_reads("delete-outside")
        .ledger(&[
            "session startup",
            "prompt",
            "decision Bash allowed delete-outside",
            "result Bash ok 0",
            "turn",
            "session other",
            "seal",
        ]);
    world.lacks("~/photos");
}

#[test]
fn a_secret_is_neither_written_nor_recorded() {
    let Some(world) = scenario("a_secret_is_neither_written_nor_recorded").open() else { return };
    // Made up, in the provider's format.
    let secret = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let run = world.play([
        Turn::new([
            write(world.path("config.py"), &format!("TOKEN = \"{secret}\"\n")),
            bash(&format!("echo {secret} | wc -c")),
        ]),
        Turn::new([say("understood")]),
    ]);
    run.model_reads("[secret").chain_holds();
    world.lacks("config.py");
    let records = world.records(&run.session_id());
    assert!(!records.iter().any(|record| record.to_string().contains(&secret)), "{records:#?}");
}

#[test]
fn a_project_without_configuration_is_guarded_too() {
    let Some(world) = scenario("a_project_without_configuration_is_guarded_too")
        .without_git()
        .file("~/photos/one.jpg", "precious")
        .register(Register::Settings(
            env!("CARGO_BIN_EXE_hostler").into(),
            vec!["hook".into(), "claude".into()],
        ))
        .open()
    else {
        return;
    };
    world
        .play([
            Turn::new([bash("mkdir -p .claude && echo '{}' > .claude/settings.json")]),
            Turn::new([write(world.path("fine.txt"), "fine\n")]),
            Turn::new([say("understood")]),
        ])
        .ran(&["fine.txt"])
        .model_reads("[protected")
        .chain_holds();
    world.has_files(&[("fine.txt", "fine\n")]).lacks(".hostler");
}
