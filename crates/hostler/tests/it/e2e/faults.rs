//! A fault of ours is loud and blocks nothing.

use testkit::Register;
use testkit::model::{Turn, bash, say, write};

use super::scenario;

fn echo() -> [Turn; 2] {
    [Turn::new([bash("echo it ran")]), Turn::new([say("done")])]
}

#[test]
fn a_panic_in_a_guard_is_loud_and_the_other_guards_still_hold() {
    let Some(world) = scenario("a_panic_in_a_guard_is_loud_and_the_other_guards_still_hold")
        .file("~/photos/one.jpg", "not so precious")
        .file("notes.txt", "committed\n")
        .env("HOSTLER_FAULT", "panic:delete-outside")
        .open()
    else {
        return;
    };
    world.write("notes.txt", "changed\n");
    world
        .play([
            Turn::new([bash("rm -rf ~/photos")]),
            Turn::new([bash("git reset --hard")]),
            Turn::new([say("done")]),
        ])
        .ran(&[""])
        .user_reads("rule `delete-outside` failed")
        .user_reads("hostler doctor")
        .model_reads("[git-discard]")
        .chain_holds();
    world.lacks("~/photos");
    assert_eq!(world.read("notes.txt"), "changed\n");
}

#[test]
fn a_panic_outside_every_guard_is_loud_and_blocks_nothing() {
    let Some(world) = scenario("a_panic_outside_every_guard_is_loud_and_blocks_nothing")
        .env("HOSTLER_FAULT", "panic:hook")
        .open()
    else {
        return;
    };
    world.play(echo()).ran(&["it ran"]).user_reads("a fault in hostler").user_reads("hostler doctor");
}

#[test]
fn whoever_prefers_it_closed_gets_it_closed() {
    let Some(world) = scenario("whoever_prefers_it_closed_gets_it_closed")
        .file("~/.config/hostler/config.toml", "on_fault = \"closed\"\n")
        .env("HOSTLER_FAULT", "panic:hook")
        .open()
    else {
        return;
    };
    world.play(echo()).ran_nothing().model_reads("on_fault");
}

#[test]
fn a_state_folder_that_cannot_be_written_is_loud() {
    let Some(world) = scenario("a_state_folder_that_cannot_be_written_is_loud")
        .register(Register::Settings(
            env!("CARGO_BIN_EXE_hostler").into(),
            vec!["hook".into(), "claude".into()],
        ))
        // A file where the folder should be: holds for root too.
        .file("~/.local/state", "in the way")
        .file("~/photos/one.jpg", "precious")
        .open()
    else {
        return;
    };
    world
        .play([
            Turn::new([bash("rm -rf ~/photos")]),
            Turn::new([bash("echo it ran")]),
            Turn::new([say("done")]),
        ])
        .ran(&["it ran"])
        .model_reads("[delete-outside]")
        .user_reads("could not be recorded")
        .user_reads("hostler doctor");
    world.has("~/photos/one.jpg");
}

#[test]
fn a_broken_configuration_is_told_and_the_guards_hold() {
    let Some(world) = scenario("a_broken_configuration_is_told_and_the_guards_hold")
        .register(Register::Settings(
            env!("CARGO_BIN_EXE_hostler").into(),
            vec!["hook".into(), "claude".into()],
        ))
        .file(".hostler/config.toml", "profile = \"observe\nrules = 7")
        .file("~/photos/one.jpg", "precious")
        .open()
    else {
        return;
    };
    world
        .play([Turn::new([bash("rm -rf ~/photos")]), Turn::new([say("done")])])
        .ran_nothing()
        .user_reads("is not TOML")
        .user_reads("hostler doctor");
    world.has("~/photos/one.jpg");
}

#[test]
fn a_binary_that_is_gone_is_reported_by_the_client_and_found_by_doctor() {
    let Some(world) = scenario("a_binary_that_is_gone_is_reported_by_the_client_and_found_by_doctor").open()
    else {
        return;
    };
    let settings = world.read(".claude/settings.local.json");
    let program = world.program().display().to_string();
    assert!(settings.contains(&program), "{settings}");
    world.write(".claude/settings.local.json", settings.replace(&program, "/nowhere/hostler"));
    // The client lets the call run: what we can do is to be found missing.
    world.play(echo()).ran(&["it ran"]).user_reads("/nowhere/hostler");
    let doctor = world.hostler(&["doctor"]);
    assert_ne!(doctor.code, Some(0), "{doctor:?}");
    assert!(doctor.stdout.contains("/nowhere/hostler"), "{doctor:?}");
}

#[test]
fn a_write_into_a_folder_that_cannot_be_kept_goes_ahead() {
    let Some(world) = scenario("a_write_into_a_folder_that_cannot_be_kept_goes_ahead")
        .file("~/.config/hostler/config.toml", "[checkpoint]\nbytes_max = 1\n")
        .open()
    else {
        return;
    };
    world.write("big/data.bin", "larger than one byte");
    world
        .play([
            Turn::new([write(world.path("fresh.txt"), "fresh\n")]),
            Turn::new([bash("rm -rf big")]),
            Turn::new([say("done")]),
        ])
        .ran(&["fresh.txt"])
        .model_reads("could not be kept")
        .chain_holds();
    world.has("big/data.bin");
}

#[test]
fn a_call_that_takes_too_long_is_answered_before_the_client_gives_up() {
    let Some(world) = scenario("a_call_that_takes_too_long_is_answered_before_the_client_gives_up")
        .file("build/out.bin", "1")
        .env("HOSTLER_FAULT", "slow:20000")
        .open()
    else {
        return;
    };
    world
        .play([Turn::new([bash("rm -rf build")]), Turn::new([say("done")])])
        .ran_nothing()
        .model_reads("took longer than")
        .user_reads("took longer than");
    world.has("build/out.bin");
}
