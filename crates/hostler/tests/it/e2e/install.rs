//! Registered, unregistered, registered twice: the user's settings are the user's.

use testkit::model::{Turn, bash, say};
use testkit::{Register, World};

use super::scenario;

fn denied() -> [Turn; 2] {
    [Turn::new([bash("rm -rf ~/photos; echo x >> ~/fired-no.txt")]), Turn::new([say("understood")])]
}

/// `init` into a settings file that somebody wrote by hand, twice; a session in which both the user's hook and
/// ours are called; `uninit`, after which the file has its old bytes.
#[track_caller]
fn survives(name: &str, settings: &str) {
    let scenario = scenario(name)
        .file("~/photos/one.jpg", "precious")
        .file(".claude/settings.json", settings)
        .register(Register::Init(vec!["--scope".into(), "project".into()]));
    let Some(world) = scenario.open() else { return };
    let once = world.read(".claude/settings.json");
    world.hostler_ok(&["init", "--scope", "project"]);
    assert_eq!(world.read(".claude/settings.json"), once, "a second `init` changes nothing");

    world.play(denied()).ran_nothing().model_reads("[delete-outside]").chain_holds();
    world.has("~/photos/one.jpg");
    fires(&world, settings);

    world.hostler_ok(&["uninit", "--scope", "project"]);
    assert_eq!(world.read(".claude/settings.json"), settings, "the bytes that were there before");
}

/// A user's hook in these settings writes a file.
#[track_caller]
fn fires(world: &World, settings: &str) {
    if settings.contains("user-hook-fired") {
        world.has("~/user-hook-fired");
    }
}

#[test]
fn settings_on_one_line() {
    survives(
        "settings_on_one_line",
        r#"{"env":{"A":"1"},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"touch \"$HOME/user-hook-fired\""}]}]}}"#,
    );
}

#[test]
fn settings_with_tabs_odd_order_and_no_final_newline() {
    survives(
        "settings_with_tabs_odd_order_and_no_final_newline",
        "{\n\t\"permissions\": {\"deny\": [\"Bash(curl *)\"], \"allow\": []},\n\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"*\", \"hooks\": [ { \"command\": \"touch \\\"$HOME/user-hook-fired\\\"\", \"type\": \"command\" } ] }\n\t\t]\n\t}\n}",
    );
}

#[test]
fn settings_with_a_byte_order_mark_and_windows_line_ends() {
    survives(
        "settings_with_a_byte_order_mark_and_windows_line_ends",
        "\u{feff}{\r\n  \"hooks\": {\r\n    \"PreToolUse\": [\r\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"touch \\\"$HOME/user-hook-fired\\\"\" }] }\r\n    ]\r\n  }\r\n}\r\n",
    );
}

#[test]
fn an_empty_object() {
    survives("an_empty_object", "{}");
}

#[test]
fn a_project_without_settings_has_none_again_after_uninit() {
    let Some(world) = scenario("a_project_without_settings_has_none_again_after_uninit")
        .file("~/photos/one.jpg", "precious")
        .open()
    else {
        return;
    };
    assert_eq!(
        world.git(&["status", "--porcelain", "--", ".claude"]),
        "",
        "local settings are not committed"
    );
    world.hostler_ok(&["doctor"]);
    world.play(denied()).ran_nothing();
    world.hostler_ok(&["uninit"]);
    world.lacks(".claude/settings.local.json").lacks(".hostler/config.toml");
    // The evidence stays.
    world.has("~/.local/state/hostler/projects");
    world.play([Turn::new([bash("rm -rf ~/photos")]), Turn::new([say("done")])]).ran(&[""]);
    world.lacks("~/photos");
}

#[test]
fn broken_settings_are_refused_with_a_place_and_left_alone() {
    let Some(world) = scenario("broken_settings_are_refused_with_a_place_and_left_alone")
        .file(".claude/settings.json", "{\n  \"hooks\": {,\n}\n")
        .register(Register::Nothing)
        .open()
    else {
        return;
    };
    let refused = world.hostler(&["init", "--scope", "project"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("settings.json:2:13"), "{refused:?}");
    assert_eq!(world.read(".claude/settings.json"), "{\n  \"hooks\": {,\n}\n");
}

const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/claude");

#[test]
fn the_client_finds_the_plugin_valid() {
    let Some(world) = scenario("the_client_finds_the_plugin_valid").register(Register::Nothing).open() else {
        return;
    };
    let output = world.client_command(&["plugin", "validate", PLUGIN]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn registered_by_plugin_and_settings_it_decides_once() {
    let Some(world) = scenario("registered_by_plugin_and_settings_it_decides_once")
        .file("~/photos/one.jpg", "precious")
        .open()
    else {
        return;
    };
    let folder = world.program().parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let session = |world: &World| {
        let run = world.session().env("PATH", &path).arg("--plugin-dir").arg(PLUGIN).play([
            Turn::new([bash("rm -rf ~/photos")]),
            Turn::new([bash("echo hi")]),
            Turn::new([say("done")]),
        ]);
        run.ran(&["hi"]).model_reads("[delete-outside]").chain_holds();
        let mut lines = world.ledger(&run.session_id());
        lines.retain(|line| line.starts_with("decision") || line.starts_with("result"));
        assert_eq!(
            lines,
            ["decision Bash asked delete-outside", "decision Bash allowed", "result Bash ok 0"]
        );
    };
    session(&world);
    let doctor = world.hostler(&["doctor"]);
    assert_eq!(doctor.code, Some(0), "one registration is healthy: {doctor:?}");
    world.hostler_ok(&["uninit"]);
    session(&world);
}

#[test]
fn a_plugin_without_a_binary_says_that_nothing_is_guarded() {
    let Some(world) =
        scenario("a_plugin_without_a_binary_says_that_nothing_is_guarded").register(Register::Nothing).open()
    else {
        return;
    };
    world
        .session()
        .arg("--plugin-dir")
        .arg(PLUGIN)
        .env("PATH", "/usr/bin:/bin")
        .play([Turn::new([bash("echo it ran")]), Turn::new([say("done")])])
        .ran(&["it ran"])
        .user_reads("hostler is NOT active");
}
