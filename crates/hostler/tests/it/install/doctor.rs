//! `doctor` and `status` against hooks that are alive, dead, slow and moved.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::{EVENTS, LOCAL, Site, set_mode};

const DENIES: &str = r#"cat >/dev/null; printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'"#;
const VERSION: &str = concat!("hostler ", env!("CARGO_PKG_VERSION"));

/// A stand-in for the binary that answers hook calls with `body`; what the real one answers is its own test.
fn stand_in(site: &Site, body: &str) -> String {
    stand_in_of(site, VERSION, body)
}

fn stand_in_of(site: &Site, version: &str, body: &str) -> String {
    let script = format!("#!/bin/sh\ncase $1 in --version) echo '{version}'; exit ;; esac\n{body}\n");
    let path = site.write("~/bin/hostler", &script);
    set_mode(&path, 0o755);
    path.display().to_string()
}

/// Registers as `init` does, then points the entries to `command`.
fn registered(site: &Site, command: &str) {
    site.ok(&["init"]);
    let text = site.read(LOCAL).replace(env!("CARGO_BIN_EXE_hostler"), command);
    site.write(LOCAL, &text);
}

fn checks(site: &Site) -> (Option<i32>, Vec<(String, String)>) {
    let output = site.run(&["doctor", "--json"]);
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let all = document["checks"].as_array().unwrap().iter();
    (
        output.code,
        all.map(|it| (text(&it["level"]), format!("{}: {}", text(&it["place"]), text(&it["what"]))))
            .collect(),
    )
}

#[track_caller]
fn is_well(site: &Site) {
    let (code, checks) = checks(site);
    assert_eq!(code, Some(0), "{checks:#?}");
    assert!(
        checks.iter().any(|(level, what)| level == "ok" && what.contains("a canary was denied")),
        "{checks:#?}"
    );
}

#[track_caller]
fn has_problem(site: &Site, expected: &str) {
    let (code, checks) = checks(site);
    assert_eq!(code, Some(1), "{checks:#?}");
    assert!(
        checks.iter().any(|(level, what)| level == "problem" && what.contains(expected)),
        "`{expected}` is not in {checks:#?}"
    );
}

#[test]
fn nothing_registered_is_a_problem() {
    let site = Site::new();
    has_problem(&site, "no hook of ours is registered here");
    let said = site.run(&["doctor"]);
    assert!(said.stdout.contains("to do: run `hostler init`"), "{said:?}");
    assert!(said.stdout.ends_with("1 problem\n"), "{said:?}");
}

#[test]
fn a_hook_that_denies_is_alive_in_exec_and_in_shell_form() {
    let site = Site::new();
    let command = stand_in(&site, DENIES);
    registered(&site, &command);
    is_well(&site);
    let said = site.run(&["doctor"]);
    assert!(said.stdout.ends_with("all is well\n"), "{said:?}");

    let shell = format!("\"command\": \"'{command}' hook claude\",\n");
    let text = site.read(LOCAL);
    let exec = format!("\"command\": \"{command}\",\n            \"args\": [\"hook\", \"claude\"],\n");
    assert_eq!(text.matches(&exec).count(), EVENTS);
    site.write(LOCAL, &text.replace(&exec, &shell));
    is_well(&site);
}

#[test]
fn the_canary_is_what_the_client_would_send_and_leaves_no_evidence() {
    let site = Site::new();
    let body = format!("env >\"$HOME/environment\"; tee \"$HOME/payload\" | {DENIES}");
    let command = stand_in(&site, &body);
    registered(&site, &command);
    is_well(&site);
    let payload: Value = serde_json::from_str(&site.read("~/payload")).unwrap();
    assert_eq!(payload["tool_input"]["command"], "rm -rf /");
    let environment = site.read("~/environment");
    let state = environment.lines().find_map(|it| it.strip_prefix("XDG_STATE_HOME=")).unwrap();
    assert!(!state.starts_with(&site.home().display().to_string()) && !fs::exists(state).unwrap());
    assert!(environment.contains("HOSTLER_PROFILE=standard\n"));
}

#[test]
fn hooks_that_do_not_stop_the_canary_are_found() {
    let site = Site::new();
    let command = stand_in(&site, "exit 0");
    registered(&site, &command);
    has_problem(&site, "did not stop the canary, so nothing is guarded: it says nothing");
    stand_in(&site, "echo '{}'");
    has_problem(&site, "it does not decide");
    stand_in(&site, "echo 'welcome'; echo '{}'");
    has_problem(&site, "it does not answer with one JSON document: `welcome");
    stand_in(&site, "echo '{\"systemMessage\":\"hostler: no configuration\"}'");
    has_problem(&site, "it says `hostler: no configuration`");
    stand_in(&site, "echo broken >&2; exit 3");
    has_problem(&site, "it says nothing; exit status: 3: broken");
    stand_in(&site, "cat >/dev/null; exec sleep 600");
    site.write(LOCAL, &site.read(LOCAL).replace("\"timeout\": 10", "\"timeout\": 1"));
    has_problem(&site, "it did not answer within its 1 s");
}

#[test]
fn programs_that_moved_or_may_be_replaced_are_found() {
    let site = Site::new();
    let command = stand_in(&site, DENIES);
    registered(&site, &command);
    let path = site.path("~/bin/hostler");
    set_mode(&path, 0o644);
    has_problem(&site, "is not executable");
    set_mode(&path, 0o777);
    has_problem(&site, "everybody may overwrite");
    set_mode(&path, 0o755);
    set_mode(path.parent().unwrap(), 0o777);
    has_problem(&site, "everybody may replace files in");
    set_mode(path.parent().unwrap(), 0o755);
    is_well(&site);
    stand_in_of(&site, "hostler 0.0.1", DENIES);
    has_problem(&site, concat!("does not answer `hostler ", env!("CARGO_PKG_VERSION"), "`"));
    fs::remove_file(&path).unwrap();
    has_problem(&site, "bin/hostler` is gone");
    symlink("hostler", &path).unwrap();
    has_problem(&site, "cannot be looked at");
}

#[test]
fn settings_that_keep_hooks_from_running_are_found() {
    let site = Site::new();
    let command = stand_in(&site, DENIES);
    registered(&site, &command);
    let text = site.read(LOCAL);
    site.write(LOCAL, &text.replacen('{', "{ // mine\n", 1));
    has_problem(&site, "settings.local.json:1:3: a comment: Claude Code reads strict JSON");
    site.write(LOCAL, "{");
    has_problem(&site, "1:2: the file ends before");
    site.write(LOCAL, &text.replace("\"matcher\": \"*\"", "\"matcher\": \"Bash\""));
    has_problem(&site, "`PreToolUse` sees only the tools that match `Bash`");
    site.write(LOCAL, &text.replace("\"timeout\": 10", "\"timeout\": 10000"));
    has_problem(&site, "`timeout` is 10000 s; seconds are meant");
    // As an earlier version registered it.
    site.write(LOCAL, &text.replace("\"timeout\": 330", "\"timeout\": 10"));
    let doctor = site.ok(&["doctor"]);
    assert!(doctor.contains("`timeout` of `Stop` is 10 s"), "{doctor}");
    site.write(LOCAL, &text.replace("\"PreToolUse\"", "\"Other\""));
    has_problem(&site, "not registered for PreToolUse");
    let status: Value = serde_json::from_str(&site.ok(&["status", "--json"])).unwrap();
    assert_eq!(status["active"], true);
    site.write("~/.claude/settings.json", "{\"disableAllHooks\": true}");
    site.write(LOCAL, &text);
    has_problem(&site, "settings.json:1:21: `disableAllHooks` is true");
    let status = site.ok(&["status"]);
    assert!(status.starts_with("NOT active: `disableAllHooks` is set\n"), "{status}");
}

#[test]
fn double_and_lost_registrations_and_leftovers_are_found() {
    let site = Site::new();
    let command = stand_in(&site, DENIES);
    registered(&site, &command);
    site.ok(&["init", "--scope", "user"]);
    has_problem(&site, "registered in `.claude/settings.local.json` and in `~/.claude/settings.json`");
    site.ok(&["uninit", "--scope", "user"]);
    is_well(&site);

    for folder in
        ["", ".claude/", ".claude/agents/", ".opencode/", ".opencode/plugins/", ".opencode/commands/"]
    {
        let leftover = site.write(&format!("{folder}.hostler-ab12cd.tmp"), "");
        let words =
            format!("{folder}.hostler-ab12cd.tmp: a temporary file that a killed process left behind");
        has_problem(&site, &words);
        fs::remove_file(leftover).unwrap();
    }

    site.write(LOCAL, "{}\n");
    has_problem(&site, "our entries were written here and are gone");
    site.ok(&["uninit"]);
    has_problem(&site, "no hook of ours is registered here");
}

#[test]
fn reminders_that_cannot_be_told_are_found() {
    let site = Site::new();
    site.ok(&["init"]);
    for (reminder, why) in [
        ("pattern = '('\ntext = 'x'", "reminder `r` says nothing: `pattern`: `(`"),
        ("when = ['adr']\nfile = 'nope.md'", "reminder `r` says nothing: there is no file `nope.md`"),
    ] {
        site.write(".hostler/config.toml", &format!("[[reminder]]\nid = \"r\"\n{reminder}\n"));
        has_problem(&site, why);
    }
}

#[test]
fn an_enabled_plugin_is_found_and_run_through_its_launcher() {
    let site = Site::new();
    let folder = site.path("~/.claude/plugins/cache/hostler/hostler/0.1.0");
    let ours = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin/claude");
    for name in ["hooks/hooks.json", "bin/hostler-launcher"] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::copy(ours.join(name), folder.join(name)).unwrap();
    }
    site.write("~/.claude/settings.json", "{\"enabledPlugins\": {\"hostler@hostler\": true}}\n");
    has_problem(&site, "hostler is NOT active: the plugin found no `hostler` program");

    let command = stand_in(&site, DENIES);
    fs::create_dir_all(site.path("~/.local/bin")).unwrap();
    symlink(&command, site.path("~/.local/bin/hostler")).unwrap();
    is_well(&site);
    registered(&site, &command);
    has_problem(&site, "registered in `.claude/settings.local.json` and in the plugin `hostler@hostler`");

    // Switched off for this project.
    site.ok(&["uninit"]);
    site.write(LOCAL, "{\"enabledPlugins\": {\"hostler@hostler\": false}}\n");
    has_problem(&site, "no hook of ours is registered here");
}

#[test]
fn status_tells_what_is_registered_where() {
    let site = Site::new();
    let status = site.ok(&["status"]);
    assert!(status.starts_with("NOT active: run `hostler init`\nprofile   standard\n"), "{status}");
    site.ok(&["init", "--profile", "strict"]);
    let status = site.ok(&["status"]);
    assert!(
        status.starts_with(&format!(
            "active\nprofile   strict\nhooks     {EVENTS} events in `.claude/settings.local.json`"
        )),
        "{status}"
    );
    assert!(status.ends_with("records   none yet\n"), "{status}");
    let document: Value = serde_json::from_str(&site.ok(&["status", "--json"])).unwrap();
    assert_eq!(document["project"], site.project().display().to_string());
    assert_eq!(document["registrations"][0]["command"], env!("CARGO_BIN_EXE_hostler"));
    assert_eq!(document["configuration"][0], site.path(super::CONFIGURATION).display().to_string());
}
