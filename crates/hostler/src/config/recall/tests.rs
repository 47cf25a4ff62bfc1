#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// Both levels' files, read one after the other.
fn config(user: &str, project: &str) -> Config {
    let mut config = Config::default();
    config.apply(&user.parse().unwrap(), "user.toml");
    config.reading = Level::Project;
    config.apply(&project.parse().unwrap(), "project.toml");
    config
}

#[track_caller]
fn check_fault(text: &str, expected: &str) {
    let config = config("", text);
    assert!(config.reminders.is_empty(), "{:?}", config.reminders);
    assert_eq!(config.recall, Recall::default());
    assert_eq!([config.faults, config.warnings].concat(), [expected], "{text}");
}

#[test]
fn recall_is_on_and_its_numbers_can_be_set() {
    assert_eq!(config("", "").recall, Recall::default());
    assert!(Recall::default().enabled);
    assert_eq!(Limits::default(), Limits { sessions: Some(20), results: 10 });
    let set = config("[recall]\nsessions = \"all\"\nresults = 5", "[recall]\nenabled = false");
    let limits = Limits { sessions: None, results: 5 };
    assert_eq!(set.recall, Recall { enabled: false, limits });
    assert_eq!(config("", "[recall]\nsessions = 100").recall.limits.sessions, Some(100));
}

#[test]
fn reminders_of_both_files_count_and_the_same_name_is_two_of_them() {
    let user =
        "reminders = [\"decisions\"]\n[[reminder]]\nid = \"a\"\nwhen = \"word\"\ntext = \"the user's\"";
    let project = "reminders = [\"decisions\"]\n[[reminder]]\nid = \"a\"\npattern = \"w+\"\nfile = \"docs/a.md\"\n\
        once = false\n[[reminder]]\nid = \"decisions\"\nwhen = [\"ADR\"]\ntext = \"ours\"";
    let config = config(user, project);
    assert_eq!([config.faults, config.warnings].concat(), Vec::<String>::new());
    let keys: Vec<_> = config.reminders.iter().map(Reminder::key).collect();
    let expected =
        ["reminder:shipped:decisions", "reminder:user:a", "reminder:project:a", "reminder:project:decisions"];
    let mut sorted = keys.clone();
    sorted.sort();
    let mut wanted = expected.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(sorted, wanted);
    let users = config.reminders.iter().find(|it| it.level == Level::User).unwrap();
    assert_eq!(users.when, When::Words(vec!["word".to_owned()]));
    assert!(users.once);
    let projects = config.reminders.iter().find(|it| it.level == Level::Project && it.id == "a").unwrap();
    assert_eq!(projects.source, Source::File("docs/a.md".to_owned()));
    assert!(!projects.once);
}

#[test]
fn a_mistake_is_told_and_has_no_effect() {
    check_fault(
        "[recall]\nsessions = 0",
        "project.toml: `recall.sessions` must be a whole number, 1 or more, or \"all\"; it has no effect as it is",
    );
    check_fault(
        "[recall]\nresults = 51",
        "project.toml: `recall.results` must be a whole number, 1 to 50; it has no effect as it is",
    );
    check_fault(
        "[recall]\nenabled = 1",
        "project.toml: `recall.enabled` must be true or false; it has no effect as it is",
    );
    check_fault(
        "[recall]\nsession = 1",
        "project.toml: `recall.session` is not known to this build and has no effect",
    );
    check_fault(
        "reminders = \"decisions\"",
        "project.toml: `reminders` must be a list of names in quotes; it has no effect as it is",
    );
    check_fault(
        "reminders = [\"rulings\"]",
        "project.toml: `reminders` names `rulings`, which does not come with this build; there is `decisions`",
    );
    check_fault(
        "[reminder]\nid = \"a\"",
        "project.toml: `reminder` must be a list of tables: [[reminder]]; it has no effect as it is",
    );
    let one = |rest: &str| format!("[[reminder]]\nid = \"a\"\n{rest}");
    check_fault(
        &one("text = \"t\""),
        "project.toml: reminder `a` needs either `when` (words) or `pattern` (a regular expression); it has no effect",
    );
    check_fault(
        &one("when = [\"w\"]"),
        "project.toml: reminder `a` needs either `text` or `file`; it has no effect",
    );
    check_fault(
        &one("when = [\"w\"]\ntext = \"t\"\nfile = \"f\""),
        "project.toml: reminder `a` needs either `text` or `file`; it has no effect",
    );
    check_fault(
        &one("when = [1]\ntext = \"t\""),
        "project.toml: `when` of reminder `a` must be a list of words in quotes; it has no effect",
    );
    for (word, shown) in [("", ""), ("???", "???"), (" -> ", "->")] {
        check_fault(
            &one(&format!("when = [\"w\", \"{word}\"]\ntext = \"t\"")),
            &format!(
                "project.toml: `when` of reminder `a` has `{shown}`, which no prompt can mention: it needs a letter or a \
                 digit, or use `pattern`; it has no effect"
            ),
        );
    }
    check_fault(
        &one("when = [\"w\"]\ntext = \"t\"\nonce = 1"),
        "project.toml: `once` of reminder `a` must be true or false; it has no effect",
    );
    check_fault(
        "[[reminder]]\nid = \"a b\"\nwhen = [\"w\"]\ntext = \"t\"",
        "project.toml: a reminder needs an `id` of letters, digits, `-`, `_` and `.`, at most 40; it has no effect",
    );
    let twice =
        config("", &[one("when = [\"w\"]\ntext = \"t\""), one("when = [\"w\"]\ntext = \"u\"")].join("\n"));
    assert_eq!(twice.reminders.len(), 1);
    assert_eq!(twice.faults, ["project.toml: reminder `a` is there twice; the first one counts"]);
    let many: Vec<String> =
        (0..101).map(|at| format!("[[reminder]]\nid = \"{at}\"\nwhen = [\"w\"]\ntext = \"t\"\n")).collect();
    let many = config("", &many.concat());
    assert_eq!((many.reminders.len(), many.faults.len()), (100, 1), "{:?}", many.faults);
}
