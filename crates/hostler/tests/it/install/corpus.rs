//! Settings files as people have them, through every edit: the shapes that broke other installers, and, where
//! a folder of collected files is at hand (`HOSTLER_CONFORMANCE`), those files.

use std::fs;
use std::path::{Path, PathBuf};

use hostler_host::claude::settings::{self, REGISTRATIONS, register, registered, unregister};
use hostler_host::jsonc::{self, Document, Error, Ledger, New, Step, Value, insert, remove};

const OLD: &str = "/opt/old/bin/hostler";
const NEW: &str = "/usr/local/bin/hostler";

/// What every edit of every file must keep.
#[track_caller]
pub(super) fn keeps(name: &str, before: &str, after: &str) {
    let mut rest = after.bytes();
    assert!(before.bytes().all(|wanted| rest.any(|it| it == wanted)), "{name}: bytes were lost");
    assert_eq!(before.starts_with('\u{feff}'), after.starts_with('\u{feff}'), "{name}: byte order mark");
    let tail = |text: &str| text.chars().rev().take_while(|it| it.is_whitespace()).collect::<String>();
    assert_eq!(tail(before), tail(after), "{name}: end of the file");
    assert_eq!(line_ends(before), line_ends(after), "{name}: line ends");
    let (old, new) = (Document::parse(before).unwrap(), Document::parse(after).unwrap());
    assert_eq!(comments(&old), comments(&new), "{name}: comments and what they stand behind");
    assert_eq!(old.trailing_comma.is_some(), new.trailing_comma.is_some(), "{name}: trailing commas");
}

/// Whether `\r\n`, `\n` and `\r` occur as line ends.
fn line_ends(text: &str) -> [bool; 3] {
    let rest = text.replace("\r\n", "");
    [text.contains("\r\n"), rest.contains('\n'), rest.contains('\r')]
}

/// Each comment with the text before it on its line, but for a comma.
fn comments(document: &Document<'_>) -> Vec<(String, String)> {
    let text = document.text;
    document
        .comments
        .iter()
        .map(|it| {
            let line = text[..it.start].rsplit(['\n', '\r']).next().unwrap_or_default();
            (line.trim().trim_end_matches(',').to_owned(), text[it.clone()].to_owned())
        })
        .collect()
}

/// Groups of each event that are not ours, as they are written.
fn theirs(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let Some(hooks) = document.get(&document.root, "hooks") else { return Vec::new() };
    let mut groups = Vec::new();
    for event in hooks.items() {
        let items = event.value.items();
        let items = items.iter().map(|it| text[it.range()].to_owned());
        groups.extend(items.filter(|it| !it.contains(NEW) && !it.contains(OLD)));
    }
    groups
}

#[track_caller]
fn settings_file(name: &str, before: &str) {
    let edited = register(before, &Ledger::default(), NEW).unwrap_or_else(|it| panic!("{name}:{it}"));
    keeps(name, before, &edited.text);
    assert_eq!(edited.added, REGISTRATIONS.len(), "{name}");
    let ours: Vec<String> = registered(&edited.text).unwrap().into_iter().map(|it| it.event).collect();
    for registration in &REGISTRATIONS {
        assert_eq!(ours.iter().filter(|it| *it == registration.event).count(), 1, "{name}");
    }
    assert_eq!(theirs(before), theirs(&edited.text), "{name}: the user's groups, and their order");
    last_of_its_event(name, &edited.text);

    let again = register(&edited.text, &edited.ledger, NEW).unwrap();
    assert_eq!(again.text, edited.text, "{name}: a second run");
    let gone = unregister(&edited.text, Some(&edited.ledger)).unwrap();
    assert_eq!(gone.text, before, "{name}: removal");

    let old = register(before, &Ledger::default(), OLD).unwrap();
    let upgraded = register(&old.text, &old.ledger, NEW).unwrap();
    assert_eq!((upgraded.replaced, upgraded.added), (REGISTRATIONS.len(), 0), "{name}");
    assert_eq!(upgraded.text, edited.text, "{name}: an upgrade is as if installed anew");

    // Another tool adds its own entry after ours: taking ours away leaves what it alone would have made.
    let other = Value::object([("hooks", Value::Array(vec![Value::object([("command", "other".into())])]))]);
    let add = |text: &str| insert(text, &["hooks", "PreToolUse"], New::Element(&other)).unwrap().text;
    let without = unregister(&add(&edited.text), Some(&edited.ledger)).unwrap().text;
    assert_eq!(without, add(before), "{name}: another tool in between");

    // And where the whole file was rewritten since, its meaning is what it was.
    let strict = before.strip_prefix('\u{feff}').unwrap_or(before);
    if let (Ok(value), Some(text)) = (
        serde_json::from_str::<serde_json::Value>(strict),
        edited.text.strip_prefix('\u{feff}').or(Some(&edited.text)),
    ) {
        let rewritten: serde_json::Value = serde_json::from_str(text).unwrap();
        let rewritten = serde_json::to_string_pretty(&rewritten).unwrap();
        let gone = unregister(&rewritten, Some(&edited.ledger)).unwrap().text;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&gone).unwrap(), value, "{name}: rewritten");
    }
}

#[track_caller]
fn last_of_its_event(name: &str, text: &str) {
    let document = Document::parse(text).unwrap();
    let hooks = document.get(&document.root, "hooks").unwrap();
    for registration in &REGISTRATIONS {
        let event = document.get(hooks, registration.event).unwrap();
        let last = event.items().last().unwrap();
        assert!(text[last.range()].contains(NEW), "{name}: ours comes after the user's");
    }
}

/// Shapes that are found in the field; none is a copy of anybody's file.
pub(super) const SHAPES: &[(&str, &str)] = &[
    ("nothing", "{}"),
    ("nothing, with a line end", "{}\n"),
    ("blank lines", "{\n\n}\n"),
    ("byte order mark", "\u{feff}{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n"),
    ("byte order mark, CRLF, tabs", "\u{feff}{\r\n\t\"hooks\": {}\r\n}"),
    (
        "CRLF",
        "{\r\n  \"hooks\": {\r\n    \"Notification\": [\r\n      {\r\n        \"hooks\": []\r\n      }\r\n    ]\r\n  },\r\n  \"model\": \"m\"\r\n}\r\n",
    ),
    ("CR alone", "{\r  \"hooks\": {}\r}"),
    (
        "mixed line ends",
        "{\r\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\r\n      {\"hooks\": []}\r\n    ]\n  }\n}\n",
    ),
    (
        "aligned columns",
        "{\n    \"hooks\":  {\n                  \"Stop\":  [\n                               {\n                                   \"hooks\":  [\n\n                                             ]\n                               }\n                           ]\n              }\n}\n",
    ),
    (
        "one line, unusual order of keys",
        "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"x\",\"type\":\"command\"}],\"matcher\":\"Bash\"}]},\"z\":[1,2]}",
    ),
    (
        "a key and a permission twice",
        "{\n  \"model\": \"a\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"Bash(ls)\"]\n  },\n  \"model\": \"b\"\n}\n",
    ),
    (
        "comments above, blanks at line ends, no last line end",
        "{\n  // first\n  // second\n  \"a\": 1,\n   \n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []} // mine\n    ]\n  }\n}",
    ),
    (
        "a dead block after the last property",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}\n    ]\n  }\n  // \"tools\": {\n  //   \"x\": 1\n  // }\n}\n",
    ),
    ("no hooks, trailing comma", "{\n  \"model\": \"m\",\n  \"env\": {\n    \"A\": \"1\",\n  },\n}\n"),
    (
        "a comment in place of a field",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"agent\",\n            // \"prompt\"\n            \"timeout\": 60\n          }\n        ]\n      }\n    ]\n  },\n  \"note\": \"żółć\"\n}",
    ),
    (
        "legacy groups",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      { \"type\": \"command\", \"command\": \"x\" }\n    ],\n    \"PreCommit\": [ { \"command\": \"y\" } ]\n  }\n}\n",
    ),
    (
        "events that are objects, foreign keys inside",
        "{\n  \"hooks\": {\n    \"preEditHook\": {\n      \"command\": \"x\"\n    },\n    \"mcpServers\": {}\n  }\n}",
    ),
    (
        "keys that are comments, blank lines, an empty event",
        "{\n  \"// hooks\": \"\",\n\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"$comment\": [\"a\", \"b\"]\n  },\n\n  \"_comment\": \"c\"\n}\n",
    ),
    (
        "exec form, inline lists",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"powershell\", \"args\": [\"-File\", \"C:\\\\x.ps1\"] } ] }\n    ]\n  }\n}\n",
    ),
    (
        "another tool's groups, two hooks in one, empty matcher",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"a\" },\n          { \"type\": \"command\", \"command\": \"b\" }\n        ]\n      }\n    ],\n    \"Stop\": [{ \"matcher\": \"\", \"hooks\": [] }]\n  }\n}\n",
    ),
    ("escapes", "{\"a\": \"\\/x\\u2014\\n\\\"\\\\.\", \"hooks\": {\"Stop\": []}}\n"),
    ("escaped keys", "{\"h\\u006foks\": {\"St\\u006fp\": [{\"hooks\": []}]}}\n"),
    (
        "numbers that no float holds",
        "{\"a\": 123456789012345678901234567890, \"b\": 1.50E+0, \"hooks\": {}}\n",
    ),
    ("a lone surrogate", "{\"a\": \"\\ud83d\", \"hooks\": {}}\n"),
    (
        "commented elements and a comma before them",
        "{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": []},\n            // {\"hooks\": [\"old\"]},\n        ],\n    }, // to here\n    /* tail */\n}\n",
    ),
    (
        "brackets on lines of their own",
        "{\n  \"hooks\":\n  {\n    \"Stop\":\n    [\n      {\"hooks\": []}\n    ]\n  }\n}\n",
    ),
    (
        "several members on a line",
        "{ \"a\": 1, \"hooks\": { \"Stop\": [ {\"hooks\": []} ] },\n  \"b\": 2\n}\n",
    ),
];

#[test]
fn shapes_from_the_field_survive_every_edit() {
    for (name, text) in SHAPES {
        settings_file(name, text);
    }
}

/// The collected files, or nothing and the reason.
pub(super) fn collected(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("HOSTLER_CONFORMANCE").map(PathBuf::from);
    if let Some(configs) = folder.map(|it| it.join("configs")).filter(|it| it.join("EXPECT.tsv").is_file()) {
        return Some(configs);
    }
    testkit::client::skip(test, "no collected files: set `HOSTLER_CONFORMANCE` to their folder");
    None
}

/// Names and bytes of the files in one folder, in order.
fn files(configs: &Path, folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = fs::read_dir(configs.join(folder))
        .unwrap()
        .map(|it| format!("{folder}/{}", it.unwrap().file_name().to_string_lossy()))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), fs::read(configs.join(&name)).unwrap())).collect()
}

/// The class, the first error's position and the shape of `hooks` that the list expects of a file.
fn expected(list: &str, name: &str) -> (String, String, String) {
    let row = list.lines().find(|it| it.split('\t').next() == Some(name));
    let row: Vec<&str> = row.unwrap_or_else(|| panic!("{name} is not in the list")).split('\t').collect();
    let column = |index: usize| row.get(index).copied().unwrap_or_default().to_owned();
    (column(1), column(2), column(7))
}

#[test]
fn collected_settings_survive_every_edit_or_are_refused() {
    let test = "collected_settings_survive_every_edit_or_are_refused";
    let Some(configs) = collected(test) else { return };
    let list = fs::read_to_string(configs.join("EXPECT.tsv")).unwrap();
    let (mut edited, mut refused) = (0, 0);
    for (name, bytes) in files(&configs, "claude-settings").into_iter().chain(files(&configs, "synthetic")) {
        let (class, error, shape) = expected(&list, &name);
        let Ok(text) = jsonc::decode(&bytes) else {
            assert_eq!(class, "NOT-UTF8", "{name}");
            refused += 1;
            continue;
        };
        let result = register(text, &Ledger::default(), NEW);
        let wrong_type = ["root-list", "event-not-array", "hooks-not-object"].contains(&shape.as_str())
            && !name.ends_with("075.json");
        let unusable = wrong_type || ["template", "invalid"].contains(&class.as_str()) || shape.is_empty();
        let ambiguous = name.ends_with("dup-hooks-key.json");
        let null = name.ends_with("/null.json");
        match result {
            Ok(_) => {
                assert!(!unusable && !ambiguous && !null, "{name} must be refused");
                settings_file(&name, text);
                edited += 1;
            }
            Err(found) => {
                assert!(unusable || ambiguous || null, "{name}:{found}");
                if let (Error::Syntax { at, .. }, Some(place)) = (&found, error.split(' ').next()) {
                    // Where a strict reader stops first, unless that is a comment or the like.
                    let line = |place: &str| place.split(':').next().and_then(|it| it.parse::<usize>().ok());
                    assert!(line(place) <= Some(at.line) || class == "template", "{name}: {at} {place}");
                }
                refused += 1;
            }
        }
    }
    assert!(10 < edited && 10 < refused, "{edited} edited, {refused} refused");
}

/// Inserts, checks, inserts again elsewhere, removes in both orders.
#[track_caller]
fn generic(name: &str, before: &str, edits: &[(&[&str], New<'_>)]) {
    let mut text = before.to_owned();
    let mut ledger = Ledger::default();
    let mut paths = Vec::new();
    for (path, new) in edits {
        let edited = insert(&text, path, *new).unwrap_or_else(|it| panic!("{name}:{it}"));
        keeps(name, &text, &edited.text);
        ledger.note(edited.containers);
        text = edited.text;
        let document = Document::parse(&text).unwrap();
        let mut node = &document.root;
        for key in *path {
            node = document.get(node, key).unwrap();
        }
        let last = match new {
            New::Element(_) => Step::Index(node.items().len() - 1),
            New::Member(key, _) => Step::Key(key),
        };
        paths.push(path.iter().map(|key| Step::Key(key)).chain([last]).collect::<Vec<_>>());
    }
    let take_all = |order: &mut dyn Iterator<Item = &Vec<Step<'_>>>| {
        order.fold(text.clone(), |text, path| remove(&text, path, &ledger).unwrap())
    };
    assert_eq!(take_all(&mut paths.iter().rev()), before, "{name}: last in, first out");
    assert_eq!(take_all(&mut paths.iter()), before, "{name}: first in, first out");
}

#[test]
fn collected_files_of_other_hosts_survive_a_server_and_a_plugin() {
    let test = "collected_files_of_other_hosts_survive_a_server_and_a_plugin";
    let Some(configs) = collected(test) else { return };
    let list = fs::read_to_string(configs.join("EXPECT.tsv")).unwrap();
    let server = Value::object([("command", NEW.into()), ("args", Value::Array(vec!["mcp".into()]))]);
    let plugin = Value::from("file:///usr/local/lib/hostler.ts");
    let mut edited = 0;
    for (name, bytes) in files(&configs, "mcp").into_iter().chain(files(&configs, "opencode-config")) {
        let text = jsonc::decode(&bytes).unwrap();
        let (class, _, _) = expected(&list, &name);
        let Ok(document) = Document::parse(text) else {
            assert_eq!(class, "template", "{name}");
            continue;
        };
        let servers: &[&str] = match document.get(&document.root, "mcpServers") {
            Some(_) => &["mcpServers"],
            None if name.starts_with("mcp/") => &[],
            None => &["mcp"],
        };
        let server = (servers, New::Member("hostler", &server));
        let plugin: (&[&str], _) = (&["plugin"], New::Element(&plugin));
        if name.starts_with("mcp/") {
            generic(&name, text, &[server]);
        } else {
            generic(&name, text, &[plugin, server]);
        }
        edited += 1;
    }
    assert!(10 < edited, "{edited} edited");
}

#[test]
fn strict_files_stay_what_a_strict_reader_takes() {
    for (name, text) in SHAPES {
        let strict = |text: &str| {
            serde_json::from_str::<serde_json::Value>(text.strip_prefix('\u{feff}').unwrap_or(text)).is_ok()
        };
        let edited = register(text, &Ledger::default(), NEW).unwrap().text;
        // A lone surrogate is one that JavaScript takes and this reader does not.
        if !text.contains("\\ud83d") {
            assert_eq!(strict(text), strict(&edited), "{name}");
            assert_eq!(
                settings::warnings(text).unwrap().iter().any(|it| it.ignored),
                !strict(text),
                "{name}"
            );
        }
    }
}
