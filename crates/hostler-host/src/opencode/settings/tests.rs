#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const OLD: &str = "/opt/old/hostler";
const NEW: &str = "/usr/local/bin/hostler";

/// Registers, and takes it back.
#[track_caller]
fn there_and_back(before: &str, expected: &str) {
    let flavour = flavour(before).unwrap().unwrap_or(Flavour::One);
    let edited = register(before, &Ledger::default(), NEW, flavour, None).unwrap();
    assert_eq!((edited.text.as_str(), edited.outcome), (expected, Outcome::Added));
    let again = register(&edited.text, &edited.ledger, NEW, flavour, None).unwrap();
    assert_eq!((again.text.as_str(), again.outcome), (expected, Outcome::Unchanged));
    let back = unregister(&edited.text, Some(&edited.ledger)).unwrap();
    assert_eq!((back.text.as_str(), back.outcome), (before, Outcome::Removed));
}

#[test]
fn an_entry_goes_where_the_version_reads_it_and_comes_out_again() {
    there_and_back(
        &new_file(),
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"hostler\": {\n      \"type\": \"local\",\n      \"command\": [\"/usr/local/bin/hostler\", \"mcp\"],\n      \"enabled\": false\n    }\n  }\n}\n",
    );
    there_and_back(
        "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\", \"command\": [\"a\"]}, // why\n  },\n}\n",
        "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\", \"command\": [\"a\"]}, // why\n    \"hostler\": {\n      \"type\": \"local\",\n      \"command\": [\"/usr/local/bin/hostler\", \"mcp\"],\n      \"enabled\": false\n    },\n  },\n}\n",
    );
    there_and_back(
        "{\"plugins\":[\"x\"],\"mcp\":{\"servers\":{\"a\":{\"type\":\"local\"}}}}",
        "{\"plugins\":[\"x\"],\"mcp\":{\"servers\":{\"a\":{\"type\":\"local\"},\"hostler\":{\"type\":\"local\",\"command\":[\"/usr/local/bin/hostler\",\"mcp\"],\"disabled\":true}}}}",
    );
}

#[test]
fn the_shape_of_a_configuration_is_told_by_its_keys() {
    for (text, expected) in [
        ("{}", None),
        ("{\"share\": \"manual\"}", None),
        ("{\"plugin\": []}", Some(Flavour::One)),
        ("{\"mcp\": {\"a\": {\"command\": [\"a\"]}}}", Some(Flavour::One)),
        ("{\"mcp\": {\"servers\": {\"a\": {}}}}", Some(Flavour::Two)),
        // Somebody called a server `servers`.
        ("{\"mcp\": {\"servers\": {\"type\": \"local\"}}}", Some(Flavour::One)),
        ("{\"permissions\": [], \"agent\": {}}", Some(Flavour::Two)),
        ("{\"mcp\": {}}", None),
    ] {
        assert_eq!(flavour(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn an_older_entry_is_brought_up_to_date_and_what_is_the_users_in_it_stays() {
    let text = format!(
        "{{\"mcp\": {{\"hostler\": {{\"type\": \"local\", \"command\": [\"{OLD}\", \"mcp\", \"--tools\", \"session\"], \"enabled\": true, \"timeout\": 9}}}}}}"
    );
    let edited = register(&text, &Ledger::default(), NEW, Flavour::One, None).unwrap();
    assert_eq!((edited.text.clone(), edited.outcome), (text.replace(OLD, NEW), Outcome::Updated));
    let off = register(&edited.text, &edited.ledger, NEW, Flavour::One, Some(false)).unwrap();
    assert_eq!(off.text, text.replace(OLD, NEW).replace("true", "false"));
    let unsaid = text.replace(", \"enabled\": true", "");
    let off = register(&unsaid, &Ledger::default(), OLD, Flavour::One, Some(false)).unwrap();
    assert!(off.text.ends_with("\"timeout\": 9, \"enabled\": false}}}"), "{}", off.text);
    assert_eq!(register(&unsaid, &Ledger::default(), OLD, Flavour::One, Some(true)).unwrap().text, unsaid);
    let found = registered(&text).unwrap().unwrap();
    assert_eq!((found.command.as_str(), found.enabled, found.flavour), (OLD, true, Flavour::One));
}

#[test]
fn a_server_of_the_users_own_under_our_name_is_left_alone() {
    for server in [
        "{\"type\": \"remote\", \"url\": \"https://hostler.example\"}",
        "{\"type\": \"local\", \"command\": [\"npx\", \"hostler\", \"mcp\"]}",
        "{\"type\": \"local\", \"command\": [\"/usr/bin/hostler\", \"serve\"]}",
        "null",
    ] {
        let text = format!("{{\"mcp\": {{\"hostler\": {server}}}}}");
        let edited = register(&text, &Ledger::default(), NEW, Flavour::One, Some(true)).unwrap();
        assert_eq!((edited.text.as_str(), edited.outcome), (text.as_str(), Outcome::Others));
        let edited = unregister(&text, None).unwrap();
        assert_eq!((edited.text.as_str(), edited.outcome), (text.as_str(), Outcome::Others));
        assert_eq!(registered(&text).unwrap(), None);
    }
}

#[test]
fn an_entry_without_a_record_goes_with_the_containers_that_it_leaves_empty() {
    for (flavour, expected) in [(Flavour::One, "{}"), (Flavour::Two, "{}")] {
        let edited = register("{}", &Ledger::default(), NEW, flavour, Some(true)).unwrap();
        assert_eq!(unregister(&edited.text, None).unwrap().text, expected);
    }
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place() {
    for (text, message) in [
        ("{\n  \"mcp\": [],\n}", "2:10: `mcp` is an array, but must be an object"),
        ("{\"mcp\": {}, \"mcp\": {}}", "1:13: key `mcp` occurs twice (first at 1:2); keep one of them"),
        ("{\n<<<<<<< HEAD\n}\n", "2:1: an unresolved merge conflict; resolve it first"),
        ("{\"a\": 1", "1:8: the file ends before the `{` of 1:1 is closed"),
        ("", "1:1: expected a value, found the end of the file; write `{}` into the empty file or delete it"),
    ] {
        let error = register(text, &Ledger::default(), NEW, Flavour::One, None).unwrap_err();
        assert!(error.to_string().starts_with(message), "{text}: {error}");
    }
}

#[test]
fn plugins_are_listed_in_every_form_that_they_are_written_in() {
    let text = r#"{"plugin": ["a@1", ["./x.ts", {}], 3], "plugins": [{"package": "b"}, "-hostler"]}"#;
    let listed: Vec<String> = listed(text).unwrap().into_iter().map(|it| it.specifier).collect();
    assert_eq!(listed, ["a@1", "./x.ts", "b", "-hostler"]);
}

#[test]
fn the_program_of_a_plugin_is_read_back() {
    let path = "/home/me/my \"tools\"/hostler";
    for plugin in [crate::opencode::plugin::v1(path, "0.1.0"), crate::opencode::plugin::v2(path, "0.1.0")] {
        assert_eq!(plugin_binary(&plugin).as_deref(), Some(path));
    }
    assert_eq!(plugin_binary("export default 1"), None);
}
