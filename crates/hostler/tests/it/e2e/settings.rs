//! Which settings files the client takes: what `init`, `doctor` and `status` say about them rests on this.

use testkit::model::{Turn, say};
use testkit::{Register, World};

use super::scenario;

const HOOK: &str =
    r#"{"hooks": [{"type": "command", "command": "/bin/sh", "args": ["-c", "touch \"$HOME/hook-ran\""]}]}"#;

fn world(name: &str, path: &str, text: &str) -> Option<World> {
    scenario(name).file(path, text).file("sub/file.txt", "").register(Register::Nothing).open()
}

fn hook_runs(world: &World, folder: &str) -> bool {
    let marker = world.path("~/hook-ran");
    let folder = if folder.is_empty() { world.project().to_path_buf() } else { world.path(folder) };
    world.session().folder(folder).play([Turn::new([say("done")])]);
    let ran = marker.exists();
    if ran {
        std::fs::remove_file(marker).unwrap_or_else(|error| panic!("{error}"));
    }
    ran
}

#[track_caller]
fn check(name: &str, path: &str, text: &str, folder: &str, expected: bool) {
    let text = text.replace("HOOK", HOOK);
    if let Some(world) = world(name, path, &text) {
        assert_eq!(hook_runs(&world, folder), expected, "{text}");
    }
}

const PROJECT: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";

#[test]
fn a_comment_or_a_trailing_comma_makes_the_client_ignore_the_file() {
    let name = "a_comment_or_a_trailing_comma_makes_the_client_ignore_the_file";
    check(name, PROJECT, "{\n  // why\n  \"hooks\": {\"SessionStart\": [HOOK]}\n}\n", "", false);
    check(name, LOCAL, "{\n  \"hooks\": {\"SessionStart\": [HOOK]},\n}\n", "", false);
}

#[test]
fn what_we_only_warn_about_does_not_stop_the_hooks() {
    let name = "what_we_only_warn_about_does_not_stop_the_hooks";
    check(name, PROJECT, "\u{feff}{\"hooks\": {\"SessionStart\": [HOOK]}}", "", true);
    let legacy = r#"{"hooks": {"SessionStart": [{"type": "command", "command": "true"}, HOOK], "X": {}}}"#;
    check(name, PROJECT, legacy, "", true);
}

#[test]
fn from_a_folder_below_only_local_settings_count() {
    let name = "from_a_folder_below_only_local_settings_count";
    let text = r#"{"hooks": {"SessionStart": [HOOK]}}"#;
    check(name, LOCAL, text, "sub", true);
    check(name, PROJECT, text, "sub", false);
}

#[test]
fn a_linked_work_tree_has_the_local_settings_of_the_main_one() {
    let name = "a_linked_work_tree_has_the_local_settings_of_the_main_one";
    let text = r#"{"hooks": {"SessionStart": [HOOK]}}"#.replace("HOOK", HOOK);
    let Some(world) = world(name, "README.md", "") else { return };
    world.write(LOCAL, text);
    world.git(&["worktree", "add", "-q", "../tree"]);
    assert!(hook_runs(&world, "../tree"));
}
