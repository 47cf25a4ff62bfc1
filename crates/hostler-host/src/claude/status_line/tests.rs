#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::claude::settings::{register, unregister};

const BINARY: &str = "/usr/local/bin/hostler";

#[test]
fn what_the_client_tells_is_read_and_anything_else_tells_nothing() {
    let told = read(
        br#"{"session_id":"s","cwd":"/a","workspace":{"current_dir":"/a/b","project_dir":"/a"},
            "context_window":{"context_window_size":200000,"used_percentage":41.6}}"#,
    );
    let expected = Told {
        session: Some("s".to_owned()),
        cwd: Some("/a/b".into()),
        project: Some("/a".into()),
        context_percent: Some(42),
    };
    assert_eq!(told, expected);
    assert_eq!(read(br#"{"cwd":"/a","workspace":null}"#).cwd, Some("/a".into()));
    for odd in [
        "",
        "{",
        "[]",
        "7",
        r#"{"session_id":7,"cwd":["x"],"workspace":"x","context_window":{"used_percentage":"many"}}"#,
        r#"{"session_id":"","cwd":"relative","context_window":{"used_percentage":-1}}"#,
        r#"{"context_window":{"used_percentage":1e300}}"#,
    ] {
        assert_eq!(read(odd.as_bytes()), Told::default(), "{odd}");
    }
    assert_eq!(read(&[0xff, 0xfe]), Told::default());
}

/// Hooks and status line in and out again: the bytes that were there before.
#[track_caller]
fn survives(before: &str) {
    let mut edited = register(before, &Ledger::default(), BINARY).unwrap();
    assert!(add(&mut edited, BINARY).unwrap(), "{before}");
    assert_eq!(owner(&edited.text).unwrap(), Owner::Us, "{}", edited.text);
    assert!(edited.text.contains(r#""/usr/local/bin/hostler statusline""#), "{}", edited.text);
    let once = edited.text.clone();
    assert!(!add(&mut edited, BINARY).unwrap(), "a second run changes nothing");
    assert_eq!(edited.text, once);
    let mut gone = unregister(&edited.text, Some(&edited.ledger)).unwrap().text;
    assert!(remove(&mut gone, &edited.ledger).unwrap());
    assert_eq!(gone, before);
    assert!(!remove(&mut gone, &edited.ledger).unwrap());
}

#[test]
fn settings_have_their_bytes_again_after_removal() {
    for before in [
        "{}",
        "{}\n",
        "{ }\n",
        "{\n  // mine\n}\n",
        "{\"env\":{\"A\":\"1\"}}",
        "{\n  \"model\": \"x\", // why\n  \"hooks\": {}\n}\n",
        "\u{feff}{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t},\r\n\t\"a\": [1,],\r\n}\r\n",
    ] {
        survives(before);
    }
}

#[test]
fn a_status_line_of_the_users_own_stays() {
    for own in [
        r#"{"statusLine":{"type":"command","command":"~/.claude/statusline.sh"}}"#,
        r#"{"statusLine":{"type":"command","command":"echo hostler statusline | cat"}}"#,
        r#"{"statusLine":{"type":"command","command":"my-hostler statusline"}}"#,
        r#"{"statusLine":null}"#,
        r#"{"statusLine":"off"}"#,
    ] {
        assert_eq!(owner(own).unwrap(), Owner::Others, "{own}");
        let mut edited = register(own, &Ledger::default(), BINARY).unwrap();
        let before = edited.text.clone();
        assert!(!add(&mut edited, BINARY).unwrap());
        assert_eq!(edited.text, before);
        let mut text = own.to_owned();
        assert!(!remove(&mut text, &Ledger::default()).unwrap());
        assert_eq!(text, own);
    }
}

#[test]
fn a_path_is_one_word_and_known_again() {
    for (path, command) in [
        (BINARY, "/usr/local/bin/hostler statusline"),
        ("/home/a b/hostler", "'/home/a b/hostler' statusline"),
        ("/home/o'neil/hostler", r"'/home/o'\''neil/hostler' statusline"),
        ("/home/$(x)/hostler", "'/home/$(x)/hostler' statusline"),
    ] {
        let mut edited = register("{}", &Ledger::default(), path).unwrap();
        add(&mut edited, path).unwrap();
        let text: Json = serde_json::from_str(&edited.text).unwrap();
        assert_eq!(text["statusLine"]["command"], command);
        assert_eq!(owner(&edited.text).unwrap(), Owner::Us);
        // Another version, at another place.
        assert!(add(&mut edited, "/opt/new/hostler").unwrap());
        let text: Json = serde_json::from_str(&edited.text).unwrap();
        assert_eq!(text["statusLine"]["command"], "/opt/new/hostler statusline");
    }
}
