use std::path::Path;

use hostler_model::{Profile, Verdict};

use super::*;
use crate::testing::{World, decide_write, write};

/// The problem that is told about `code` in a test file.
fn told(code: &str) -> String {
    let hits = World::sample(Profile::Strict).hits(&GUARD, write("tests/test_a.py", code));
    hits.into_iter().map(|it| it.problem).collect()
}

// @traces 021-TEST-UNIT-025..030 021-TEST-UNIT-032 021-US-005-AC01 021-CONST-III-001 021-CONST-V-007
#[test]
fn every_form_of_mock_is_denied_by_its_name() {
    for (code, pattern) in [
        ("import unittest.mock\n", "unittest.mock (line 1)"),
        ("from unittest import mock\n", "unittest.mock (line 1)"),
        ("x = MagicMock()\n", "MagicMock (line 1)"),
        ("\n@patch('module.Class')\ndef test_a(m): ...\n", "@patch (line 2)"),
        ("x = AsyncMock()\n", "AsyncMock (line 1)"),
        ("x = Mock()\n", "Mock (line 1)"),
        ("with patch.object(a, 'b'):\n    pass\n", "patch.object (line 1)"),
        ("@patch.object(a, 'b')\ndef test_a(m): ...\n", "@patch.object (line 1)"),
        ("def test_a(mocker): ...\n", "mocker (line 1)"),
    ] {
        assert_eq!(told(code), format!("`tests/test_a.py` would use mocks: {pattern}"), "{code}");
        let decision = decide_write("tests/test_a.py", code, false, Profile::Strict);
        assert_eq!(decision.verdict, Verdict::Deny, "{code}");
        assert!(decision.findings.iter().all(|it| it.instead.is_some()), "{code}");
        assert_eq!(decide_write("tests/test_a.py", code, false, Profile::Standard).verdict, Verdict::Allow);
    }
    let both = "from unittest.mock import patch\nwith patch('a'):\n    pass\nwith patch('b'):\n    pass\n";
    assert!(told(both).ends_with("unittest.mock (line 1), patch (line 2)"), "{}", told(both));
}

// @traces 021-TEST-UNIT-031
#[test]
fn files_that_are_no_tests_are_not_checked() {
    for path in ["src/zoo.py", "src/testing.py", "src/contest.py", "latest/a.py", "tests/test_a.md"] {
        let decision = decide_write(path, "x = MagicMock()\n", false, Profile::Strict);
        assert_eq!((decision.verdict, decision.findings.len()), (Verdict::Allow, 0), "{path}");
    }
}

#[test]
fn tests_are_told_by_their_names() {
    for (path, expected) in [
        ("tests/a.py", true),
        ("app/tests/unit/a.py", true),
        ("test/a.py", true),
        ("test_a.py", true),
        ("app/a_test.py", true),
        ("conftest.py", true),
        ("app/conftest.pyi", true),
        ("contests/a.py", false),
        ("attest_a.py", false),
        ("a.py", false),
    ] {
        assert_eq!(is_test(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_folder_above_the_project_does_not_make_it_a_test() {
    let mut world = World::sample(Profile::Strict);
    world.place.root = "/home/dev/tests/proj".into();
    assert_eq!(world.hits(&GUARD, write("/home/dev/tests/proj/src/a.py", "x = MagicMock()\n")), []);
}
