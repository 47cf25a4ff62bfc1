#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const BINARY: &str = "/usr/local/bin/hostler";

fn fresh(text: &str) -> Edited {
    register(text, &Ledger::default(), BINARY).unwrap()
}

/// Events and commands of our entries, in order.
fn ours(text: &str) -> Vec<(String, String)> {
    registered(text).unwrap().into_iter().map(|it| (it.event, it.command)).collect()
}

#[test]
fn one_entry_per_event_and_a_second_run_changes_nothing() {
    let first = fresh("{}\n");
    let expected: Vec<_> = REGISTRATIONS.iter().map(|it| (it.event.to_owned(), BINARY.to_owned())).collect();
    assert_eq!(ours(&first.text), expected);
    assert_eq!((first.added, first.replaced, first.removed), (REGISTRATIONS.len(), 0, 0));
    let second = register(&first.text, &first.ledger, BINARY).unwrap();
    assert_eq!(second, Edited { added: 0, ..first.clone() });
    let removed = unregister(&first.text, Some(&first.ledger)).unwrap();
    assert_eq!((removed.text.as_str(), removed.removed), ("{}\n", REGISTRATIONS.len()));
}

#[test]
fn the_entry_is_in_exec_form_with_a_time_out() {
    let text = fresh("{}").text;
    let group = r#"{"matcher": "*", "hooks": [{"type": "command", "command": "/usr/local/bin/hostler", "args": ["hook", "claude"], "timeout": 10}]}"#;
    assert!(text.contains(&format!("\"PreToolUse\": [{group}]")), "{text}");
    // The end of a turn waits for tests.
    let without_matcher = group.replace("\"matcher\": \"*\", ", "").replace("10}", "330}");
    assert!(text.contains(&format!("\"Stop\": [{without_matcher}]")), "{text}");
    assert!(!text.contains("WorktreeCreate"));
}

/// The upgrade of `before` is what registering anew beside `users` would give, and nothing of ours is left
/// when it goes.
#[track_caller]
fn upgraded(before: &str, replaced: usize, removed: usize) -> String {
    let edited = fresh(before);
    assert_eq!((edited.replaced, edited.removed), (replaced, removed), "{}", edited.text);
    assert_eq!(ours(&edited.text).len(), REGISTRATIONS.len());
    assert!(ours(&edited.text).iter().all(|(_, command)| command == BINARY), "{}", edited.text);
    let gone = unregister(&edited.text, Some(&edited.ledger)).unwrap();
    assert_eq!(ours(&gone.text), []);
    edited.text
}

#[test]
fn an_upgrade_replaces_our_entries_in_place() {
    let old = fresh("{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n").text;
    let moved = old.replace(BINARY, "/old/bin/hostler");
    let upgraded = upgraded(&moved, REGISTRATIONS.len(), 0);
    assert_eq!(upgraded, old);
}

#[test]
fn duplicates_and_events_no_longer_used_go() {
    let entry = r#"{"type": "command", "command": "/x/hostler", "args": ["hook", "claude"]}"#;
    let text = format!(
        r#"{{"hooks": {{"Stop": [{{"hooks": [{entry}]}}, {{"hooks": [{{"command": "mine"}}]}}, {{"hooks": [{entry}, {entry}]}}], "Notification": [{{"hooks": [{entry}]}}]}}}}"#
    );
    let text = upgraded(&text, 1, 3);
    assert!(text.contains(r#"{"hooks": [{"command": "mine"}]}]"#), "{text}");
    assert!(text.contains(r#""Notification": []"#), "{text}");
}

#[test]
fn an_entry_that_the_user_moved_into_their_group_stays_there() {
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "C:\\old\\hostler.exe", "args": ["hook", "claude"]}]}]}}"#;
    let edited = fresh(text);
    assert_eq!((edited.added, edited.replaced), (REGISTRATIONS.len() - 1, 1));
    let entry = &registered(&edited.text).unwrap()[0];
    assert_eq!((entry.event.as_str(), entry.matcher.as_deref()), ("PreToolUse", Some("Bash")));
    let gone = unregister(&edited.text, Some(&edited.ledger)).unwrap().text;
    assert_eq!(
        gone,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}}"#
    );
}

#[track_caller]
fn is_ours(entry: &str, expected: bool) {
    let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{entry}]}}]}}}}"#);
    assert_eq!(!registered(&text).unwrap().is_empty(), expected, "{entry}");
}

#[test]
fn ours_is_told_by_its_argument_vector() {
    is_ours(r#"{"type": "command", "command": "/a b/hostler", "args": ["hook", "claude"]}"#, true);
    is_ours(r#"{"command": "\/a\/hostl\u0065r", "args": ["hook", "claude"]}"#, true);
    is_ours(r#"{"command": "hostler", "args": ["hook", "claude"]}"#, true);
    is_ours(r#"{"command": "D:\\tools\\hostler.exe", "args": ["hook", "claude"]}"#, true);
    is_ours(r#"{"command": "/a/hostler hook claude"}"#, true);
    is_ours(r#"{"command": "\"/a b/hostler\" hook claude"}"#, true);
    // Other arguments, other programs, ours among other words.
    is_ours(r#"{"command": "/a/hostler", "args": ["hook", "claude", "--x"]}"#, false);
    is_ours(r#"{"command": "/a/hostler", "args": ["mcp"]}"#, false);
    is_ours(r#"{"command": "/a/hostler-launcher", "args": ["hook", "claude"]}"#, false);
    is_ours(r#"{"command": "my hostler hook claude wrapper"}"#, false);
    is_ours(r#"{"command": "/a/hostler hook claude || true"}"#, false);
    is_ours(r#"{"command": "HOSTLER_PROFILE=strict /a/hostler hook claude"}"#, false);
    is_ours(r#"{"command": "log; /a/hostler hook claude"}"#, false);
    is_ours(r#"{"command": "$(which hostler) hook claude"}"#, false);
    is_ours(r#"{"command": ["hostler"], "args": ["hook", "claude"]}"#, false);
    is_ours(r#""hostler hook claude""#, false);
}

#[test]
fn without_a_ledger_only_empty_containers_go_too() {
    // As a colleague's checkout has it: the state folder that knows is on another machine.
    let theirs =
        "{\n  \"model\": \"m\",\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n";
    let registered = fresh(theirs).text;
    assert_eq!(unregister(&registered, None).unwrap().text, theirs);
    let alone = "{\n  \"model\": \"m\"\n}\n";
    assert_eq!(unregister(&fresh(alone).text, None).unwrap().text, alone);
    // Nothing of ours: nothing happens, not even to an empty list.
    let none = "{\"hooks\": {\"Stop\": []}}";
    assert_eq!(unregister(none, None).unwrap().text, none);
}

#[track_caller]
fn refused(text: &str, message: &str) {
    assert_eq!(register(text, &Ledger::default(), BINARY).unwrap_err().to_string(), message);
}

#[test]
fn what_is_no_settings_file_is_refused_with_its_place() {
    refused(
        "{\n<<<<<<< HEAD\n  \"model\": \"a\"\n=======\n  \"model\": \"b\"\n>>>>>>> x\n}\n",
        "2:1: an unresolved merge conflict; resolve it first",
    );
    refused(
        "{\n  {{ if .work }}\n  \"model\": \"a\"\n  {{ end }}\n}\n",
        "2:3: expected a key in double quotes or `}`; this looks like a template, edit the rendered file",
    );
    refused(
        "",
        "1:1: expected a value, found the end of the file; write `{}` into the empty file or delete it",
    );
    refused(
        "{\"hooks\": {\"PreToolUse\": {}}}",
        "1:26: `hooks.PreToolUse` is an object, but must be an array",
    );
    refused("{\"hooks\": {\"Stop\": null}}", "1:20: `hooks.Stop` is null, but must be an array");
    refused("{\"hooks\": []}", "1:11: `hooks` is an array, but must be an object");
    refused("[]", "1:1: `the file` is an array, but must be an object");
    refused(
        "{\"hooks\": {\"Stop\": [],\n \"Stop\": []}}",
        "2:2: key `Stop` occurs twice (first at 1:12); keep one of them",
    );
    // Braces in a string are no template, and other events are the user's business.
    fresh(r#"{"statusLine": {"command": "echo {{x}}"}, "hooks": {"Other": {"a": 1}}}"#);
}

#[test]
fn warnings_tell_what_the_client_does() {
    let warned = |text: &str| {
        let all = warnings(text).unwrap();
        all.into_iter().map(|it| (it.at.to_string(), it.ignored)).collect::<Vec<_>>()
    };
    assert_eq!(warned("{\"hooks\": {\"Stop\": [{\"hooks\": []}]}}"), []);
    assert_eq!(warned("{\n  // why\n  \"a\": [1,]\n}"), [("2:3".to_owned(), true)]);
    assert_eq!(warned("{\"a\": [1,]}"), [("1:9".to_owned(), true)]);
    assert_eq!(warned("\u{feff}{}"), [("1:1".to_owned(), false)]);
    assert_eq!(warned("{\"hooks\": {\"Stop\": [\n{\"command\": \"x\"}]}}"), [("2:1".to_owned(), false)]);
}

#[test]
fn switches_and_plugins_are_read() {
    let text = "{\n \"disableAllHooks\": true, \"enabledPlugins\": {\"a@b\": true, \"c@d\": false}}";
    assert_eq!(disables_all_hooks(text).unwrap().unwrap().to_string(), "2:21");
    assert_eq!(disables_all_hooks("{\"disableAllHooks\": false}").unwrap(), None);
    assert_eq!(enabled_plugins(text).unwrap(), [("a@b".to_owned(), true), ("c@d".to_owned(), false)]);
}

#[test]
fn the_list_of_installed_plugins_is_read_in_both_forms() {
    let folder = |list: &str| plugin_folder(list.as_bytes(), "a@b");
    assert_eq!(folder(r#"{"plugins": {"a@b": [{"installPath": "/x"}]}}"#).as_deref(), Some("/x"));
    assert_eq!(folder(r#"{"plugins": {"a@b": {"installPath": "/y"}}}"#).as_deref(), Some("/y"));
    assert_eq!(folder(r#"{"plugins": {"c@d": []}}"#), None);
    assert_eq!(folder("{"), None);
}

#[test]
fn templates_are_known_by_name() {
    assert!(is_template_name("settings.json.tmpl"));
    assert!(!is_template_name("settings.json"));
}

#[test]
fn the_plugin_registers_the_same_events() {
    let text = include_str!("../../../../../plugin/claude/hooks/hooks.json");
    let launcher = "${CLAUDE_PLUGIN_ROOT}/bin/hostler-launcher";
    let found = registered_as(text, |command| command == launcher).unwrap();
    let found: Vec<_> =
        found.iter().map(|it| (it.event.as_str(), it.matcher.as_deref(), it.timeout_s)).collect();
    let expected: Vec<_> =
        REGISTRATIONS.iter().map(|it| (it.event, it.matcher, Some(it.timeout_s))).collect();
    assert_eq!(found, expected);
    assert_eq!(Document::parse(text).unwrap().first_extension(), None);
}
