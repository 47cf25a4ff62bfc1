#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::super::achievement::Category::{Added, Changed, Fixed, Removed, Security};
use super::*;

fn entry(category: Category, text: &str) -> Entry {
    Entry { category, text: text.to_owned() }
}

#[track_caller]
fn check(existing: &str, entries: &[(Category, &str)], expected: &str) {
    let entries: Vec<Entry> = entries.iter().map(|(category, text)| entry(*category, text)).collect();
    let target = Target { version: "1.3.0", released: false };
    let merged = merge(Some(existing), &entries, &target);
    assert_eq!(merged.text, expected);
    let again = merge(Some(&merged.text), &entries, &target);
    assert_eq!((again.text.as_str(), again.added.len()), (expected, 0), "a second time");
}

#[test]
fn a_new_file_is_in_the_form_of_keep_a_changelog() {
    let entries = [
        entry(Fixed, "Fix a crash"),
        entry(Added, "api: add search"),
        entry(Added, "**Breaking:** New format"),
    ];
    let merged = merge(None, &entries, &Target::default());
    let expected = "\
# Changelog

All notable changes to this project are documented in this file.

## [Unreleased]

### Added

- api: add search
- **Breaking:** New format

### Fixed

- Fix a crash
";
    assert_eq!((merged.text.as_str(), merged.heading.as_str()), (expected, "## [Unreleased]"));
    assert_eq!(merge(None, &[], &Target::default()).text, "");
}

// @traces REQ-020-020
#[test]
fn entries_go_below_their_category_in_the_unreleased_section() {
    check(
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One\n\n### Fixed\n\n- Two\n\n## [1.2.0] - 2026-01-01\n\n### Added\n\n- Old\n\n[Unreleased]: https://example.invalid/x\n",
        &[(Added, "Three"), (Fixed, "Four"), (Changed, "Five"), (Security, "Six"), (Added, "Old")],
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One\n- Three\n- Old\n\n### Changed\n\n- Five\n\n### Fixed\n\n- Two\n- Four\n\n### Security\n\n- Six\n\n## [1.2.0] - 2026-01-01\n\n### Added\n\n- Old\n\n[Unreleased]: https://example.invalid/x\n",
    );
}

#[test]
fn what_stands_there_in_other_dress_is_not_repeated() {
    let existing = "## Unreleased\n\n### Added\n\n- **Breaking:** api: *add* `search`. (#12)\n- A long line that goes\n  on here\n";
    check(existing, &[(Added, "api: add search"), (Changed, "a long line that goes on here!")], existing);
}

#[test]
fn without_an_unreleased_section_one_is_made_or_the_open_version_is_used() {
    check(
        "# Changes\n\n## 1.2.0 (2026-01-01)\n\n### Fixed\n\n- Old\n",
        &[(Added, "New")],
        "# Changes\n\n## Unreleased\n\n### Added\n\n- New\n\n## 1.2.0 (2026-01-01)\n\n### Fixed\n\n- Old\n",
    );
    // The version that is being worked on.
    check("# Changes\n\n## v1.3.0\n\n- Old\n", &[(Added, "New")], "# Changes\n\n## v1.3.0\n\n- Old\n- New\n");
    // It has a date, so it is out.
    check(
        "## 1.3.0 - 2026-11-01\n\n- Old\n",
        &[(Added, "New")],
        "## Unreleased\n\n- New\n\n## 1.3.0 - 2026-11-01\n\n- Old\n",
    );
    let out = Target { version: "1.3.0", released: true };
    let merged = merge(Some("## 1.3.0\n\n- Old\n"), &[entry(Added, "New")], &out);
    assert_eq!(merged.text, "## Unreleased\n\n- New\n\n## 1.3.0\n\n- Old\n");
    check("# Changelog\n", &[(Added, "New")], "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New\n");
    // Without a word it is a new one.
    for empty in ["", "\n", " \r\n\n", "\u{feff}"] {
        check(empty, &[(Added, "New")], &merge(None, &[entry(Added, "New")], &Target::default()).text);
    }
}

#[test]
fn the_form_of_headings_is_kept() {
    // Underlined.
    check(
        "14.1.0 (2024-01-06)\n===================\n* One\n",
        &[(Added, "New")],
        "Unreleased\n==========\n\n* New\n\n14.1.0 (2024-01-06)\n===================\n* One\n",
    );
    // Other names and pictographs, used where the file has them.
    check(
        "# [Unreleased]\n\n## 🚀 Features\n* One\n\n# [1.0.0]\n\n## 🐛 Bug Fixes\n* Two\n\n# [0.9.0]\n",
        &[(Added, "New"), (Fixed, "Mended"), (Removed, "Gone")],
        "# [Unreleased]\n\n## 🚀 Features\n* One\n* New\n\n## Removed\n* Gone\n\n## 🐛 Bug Fixes\n* Mended\n\n# [1.0.0]\n\n## 🐛 Bug Fixes\n* Two\n\n# [0.9.0]\n",
    );
    // Lines in bold, without empty lines.
    check(
        "## Unreleased\n**Added:**\n+ One\n**Fixed:**\n+ Two\n",
        &[(Added, "New"), (Changed, "Other")],
        "## Unreleased\n**Added:**\n+ One\n+ New\n**Changed:**\n+ Other\n**Fixed:**\n+ Two\n",
    );
    // Labels, as some have them below underlined versions.
    check(
        "0.2.0 (not yet released)\n========================\nSome words.\n\nEnhancements:\n\n* One.\n\nBug fixes:\n\n* Two.\n\n\n0.1.0\n=====\nThe first.\n",
        &[(Added, "New"), (Changed, "Other"), (Fixed, "Mended")],
        "0.2.0 (not yet released)\n========================\nSome words.\n\nEnhancements:\n\n* One.\n* New.\n\nChanged:\n\n* Other.\n\nBug fixes:\n\n* Two.\n* Mended.\n\n\n0.1.0\n=====\nThe first.\n",
    );
    // Categories on the level of versions.
    check(
        "# Changes\n\n## [Unreleased]\n## Added\n- One\n## Fixed\n\n## [1.0.0]\n## Added\n- Old\n",
        &[(Added, "New"), (Fixed, "Mended")],
        "# Changes\n\n## [Unreleased]\n## Added\n- One\n- New\n## Fixed\n- Mended\n\n## [1.0.0]\n## Added\n- Old\n",
    );
    // Headings of the project's own.
    check(
        "# Changes\n\n## Unreleased\n\nFirst version.\n\n### Guards\n\n- One.\n",
        &[(Added, "New")],
        "# Changes\n\n## Unreleased\n\nFirst version.\n\n### Guards\n\n- One.\n\n### Added\n\n- New.\n",
    );
}

#[test]
fn wrapped_and_loose_lists_stay_so() {
    check(
        "## Unreleased\n\n### Added\n\n- a line of forty characters or a few more\n  that goes on.\n",
        &[(Added, "another entry that is longer than forty characters and goes on")],
        "## Unreleased\n\n### Added\n\n- a line of forty characters or a few more\n  that goes on.\n- another entry that is longer than forty\n  characters and goes on.\n",
    );
    check(
        "## Unreleased\n\n### Added\n\n- One\n\n- Two\n\n- Three\n",
        &[(Added, "Four")],
        "## Unreleased\n\n### Added\n\n- One\n\n- Two\n\n- Three\n\n- Four\n",
    );
}

#[test]
fn line_ends_are_kept() {
    check(
        "## Unreleased\r\n\r\n### Added\r\n\r\n- One\r\n",
        &[(Added, "Two"), (Fixed, "Three")],
        "## Unreleased\r\n\r\n### Added\r\n\r\n- One\r\n- Two\r\n\r\n### Fixed\r\n\r\n- Three\r\n",
    );
    check(
        "## Unreleased\n\n### Added\n\n- One",
        &[(Added, "Two")],
        "## Unreleased\n\n### Added\n\n- One\n- Two",
    );
    check("\u{feff}## Unreleased\n\n- One\n", &[(Added, "Two")], "\u{feff}## Unreleased\n\n- One\n- Two\n");
}

#[test]
fn code_and_comments_hold_no_headings() {
    check(
        "# Changes\n\n<!--\n## Unreleased\n-->\n\n```\n## 2.0.0\n```\n\n## 1.2.0\n\n### Added\n\n- Old\n",
        &[(Added, "New")],
        "# Changes\n\n<!--\n## Unreleased\n-->\n\n```\n## 2.0.0\n```\n\n## Unreleased\n\n### Added\n\n- New\n\n## 1.2.0\n\n### Added\n\n- Old\n",
    );
    // A mark that tools put above the next section stays there.
    check(
        "## Unreleased\n\n### Added\n\n- One\n\n<!-- next-header -->\n\n## 1.0.0\n",
        &[(Added, "Two")],
        "## Unreleased\n\n### Added\n\n- One\n- Two\n\n<!-- next-header -->\n\n## 1.0.0\n",
    );
}

#[test]
fn files_of_programs_are_known_by_their_beginning() {
    for text in [
        "<!-- This file is auto-generated -->",
        "# Changelog\n\nGenerated by git-cliff.\n",
        "# X\n\n(do NOT edit)",
    ] {
        assert!(is_generated(text), "{text}");
    }
    assert!(!is_generated("# Changelog\n\n## 1.0.0\n\n- Code is generated faster\n"));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("## Unreleased".to_owned()),
        Just("## [1.2.0] - 2026-01-01".to_owned()),
        Just("1.1.0\n=====".to_owned()),
        Just("### Added".to_owned()),
        Just("#### Bug Fixes".to_owned()),
        Just("**Changed**".to_owned()),
        Just("Bug fixes:".to_owned()),
        Just("## Fixed".to_owned()),
        Just(String::new()),
        Just("- an item".to_owned()),
        Just("  more of it.".to_owned()),
        Just("* [link](x)".to_owned()),
        Just("```".to_owned()),
        Just("<!-- x -->".to_owned()),
        Just("[a]: b".to_owned()),
        "[ -~]{0,20}",
    ]
}

proptest! {
    #[test]
    fn old_lines_stay_and_a_second_time_changes_nothing(
        lines in prop::collection::vec(line(), 0..20),
        crlf: bool,
        ended: bool,
        texts in prop::collection::vec("[A-Za-z][a-z ]{0,60}[a-z]", 1..4),
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = lines.join("\n").replace('\n', end);
        if ended {
            text.push_str(end);
        }
        let entries: Vec<Entry> =
            texts.iter().zip(Category::ALL).map(|(text, category)| entry(category, text)).collect();
        let merged = merge(Some(&text), &entries, &Target::default());
        let mut new = merged.text.lines();
        for old in text.lines() {
            prop_assert!(new.any(|it| it == old), "`{old}` is gone or moved: {}", merged.text);
        }
        let again = merge(Some(&merged.text), &entries, &Target::default());
        prop_assert_eq!(&again.text, &merged.text);
        for added in &merged.added {
            let word = added.text.split(' ').next().unwrap();
            prop_assert!(merged.text.contains(word));
        }
    }
}
