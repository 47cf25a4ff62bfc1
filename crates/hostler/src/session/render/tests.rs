#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use hostler_ledger::context::{Choice, Priority, Session, Store, Work, WorkEntry};

use super::*;
use crate::session::testing::record;

fn sample() -> Context {
    let mut context = record();
    let state = context.state_mut();
    state.session = 4;
    state.version = "1.2.0".to_owned();
    state.branch = "main".to_owned();
    state.test_count = Some(12);
    for seq in 1..=4 {
        context.push(Session {
            seq,
            when: format!("2026-11-{seq:02}T10:00:00Z"),
            purpose: format!("purpose {seq}"),
            achievements: vec![format!("achievement {seq}")],
            length: (seq < 4).then(|| "2h30m".to_owned()),
            ..Session::default()
        });
    }
    for (id, priority) in [("DW-001", "low"), ("DW-002", "P0")] {
        context.work_mut().push(Work {
            id: id.to_owned(),
            priority: Priority::parse(priority),
            description: format!("work {id}"),
            ..Work::default()
        });
    }
    context
}

fn built_in(context: &Context) -> String {
    let nowhere = Path::new("/dev/null");
    let rendered = render(context, nowhere, nowhere);
    assert_eq!(rendered.problem, None);
    rendered.text
}

// @traces REQ-020-181
#[test]
fn the_last_three_sessions_are_shown_and_open_work_by_urgency() {
    let text = built_in(&sample());
    for seq in [2, 3, 4] {
        assert!(text.contains(&format!("### Session {seq}: purpose {seq}")), "{text}");
    }
    assert!(!text.contains("purpose 1"), "{text}");
    assert!(text.find("Session 4").unwrap() < text.find("Session 2").unwrap(), "{text}");
    assert!(text.find("DW-002").unwrap() < text.find("DW-001").unwrap(), "{text}");
}

#[test]
fn the_view_of_a_record() {
    let mut context = sample();
    let (index, mut session) = context.active().unwrap();
    session.objectives = vec!["reach it".to_owned()];
    session.choices.push(Choice {
        choice: "SQLite".to_owned(),
        reason: "one file".to_owned(),
        ..Choice::default()
    });
    session.work_log.extend((1..=12).map(|at| WorkEntry {
        desc: format!("step {at}"),
        details: if at == 12 { vec!["a".to_owned(), "b".to_owned()] } else { Vec::new() },
        ..WorkEntry::default()
    }));
    session.branch = Some("feature/x".to_owned());
    context.replace(index, session);
    context.work_mut()[0].notes = Some("see the manual".to_owned());
    insta::assert_snapshot!(built_in(&context));
}

#[test]
fn the_view_of_an_empty_record() {
    insta::assert_snapshot!(built_in(&record()));
}

#[test]
fn text_of_records_cannot_break_the_structure() {
    let hostile = "a\n# heading\n```\n| x | <script> `code` [link](x) *b* ~~s~~ \\";
    let mut context = sample();
    let before = built_in(&context);
    context.state_mut().branch = hostile.to_owned();
    let (index, mut session) = context.active().unwrap();
    session.purpose = hostile.to_owned();
    session.achievements[0] = "# not a heading".to_owned();
    context.replace(index, session);
    context.work_mut()[0].description = "- [ ] 1. item\n\n---\n".to_owned();
    let after = built_in(&context);
    assert_eq!(before.lines().count(), after.lines().count(), "{after}");
    let structure = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.chars().take_while(|c| "#-|< ".contains(*c)).collect()).collect()
    };
    assert_eq!(structure(&before), structure(&after), "{after}");
    let table = after.lines().find(|line| line.starts_with("| 4 ")).unwrap();
    assert_eq!(table.matches('|').count() - table.matches("\\|").count(), 6, "{table}");
}

#[test]
fn escapes_are_few() {
    let check = |text: &str, expected: &str| assert_eq!(inline(text), expected, "{text:?}");
    check(
        "Implemented the 5-gate pipeline (3 of 5), see src/a_b.rs!",
        "Implemented the 5-gate pipeline (3 of 5), see src/a_b.rs!",
    );
    check("feature/x", "feature/x");
    check("fn a_b() in _x_", "fn a_b() in \\_x\\_");
    check("1. first", "1\\. first");
    check("1.2.0", "1.2.0");
    check("2026 was (2) fine.", "2026 was (2) fine.");
    check("- x", "\\- x");
    check("a - x", "a - x");
    check("  a\t\nb  ", "a b");
    check("`rm`", "\\`rm\\`");
    check("", "");
}

/// A project with a record and these templates.
struct Site {
    _folder: tempfile::TempDir,
    sessions: Sessions,
}

impl Site {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for (path, text) in files {
            let path = base.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = base.join("root");
        fs::create_dir_all(&root).unwrap();
        let (file, state) = (root.join("context.json"), base.join("state"));
        let store = Store::new(file.clone(), state.clone());
        store.create(hostler_ledger::context::State::default()).unwrap();
        let sessions = Sessions { store, file, root, state, user: base.join("user") };
        Self { _folder: folder, sessions }
    }

    fn view(&self) -> PathBuf {
        self.sessions.view()
    }

    fn text(&self) -> String {
        fs::read_to_string(self.view()).unwrap()
    }
}

const OWN: &str = "root/.hostler/context.md.j2";
const USERS: &str = "user/context.md.j2";

#[track_caller]
fn check_template(files: &[(&str, &str)], words: &str, problem: Option<&str>) {
    let site = Site::new(files);
    let view = refresh(&site.sessions, false).unwrap();
    assert!(site.text().starts_with(MARK) && site.text().contains(words), "{}", site.text());
    match problem {
        None => assert_eq!(view.problem, None),
        Some(words) => assert!(view.problem.as_ref().is_some_and(|it| it.contains(words)), "{view:?}"),
    }
}

#[test]
fn a_template_of_the_project_or_the_user_takes_the_place_of_ours() {
    check_template(&[(OWN, "own {{ state.session }}"), (USERS, "users")], "own 0", None);
    check_template(&[(USERS, "users {{ sessions | length }}")], "users 0", None);
    check_template(&[], "# Project context", None);
}

#[test]
fn a_bad_template_is_told_and_the_next_one_is_used() {
    check_template(&[(OWN, "a\n{% if %}"), (USERS, "users")], "users", Some("context.md.j2:2`"));
    check_template(&[(OWN, "{{ x | nosuch }}")], "# Project context", Some("nosuch"));
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    check_template(&[(OWN, endless)], "# Project context", Some("fuel"));
    check_template(&[("root/.hostler/context.md.j2/x", "")], "# Project context", Some("no regular file"));
}

#[test]
fn a_template_that_is_a_pipe_or_leads_out_of_the_project_is_not_read() {
    let check = |make: &dyn Fn(&Path), words: &str, problem: Option<&str>| {
        let site = Site::new(&[("secret", "secret"), ("root/forms/own.j2", "own")]);
        let own = site.sessions.root.join(".hostler/context.md.j2");
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        make(&own);
        let view = refresh(&site.sessions, false).unwrap();
        assert!(site.text().contains(words) && !site.text().contains("secret"), "{}", site.text());
        match problem {
            None => assert_eq!(view.problem, None),
            Some(words) => assert!(view.problem.as_ref().is_some_and(|it| it.contains(words)), "{view:?}"),
        }
    };
    let link = |target: &'static str| move |own: &Path| std::os::unix::fs::symlink(target, own).unwrap();
    let pipe = |own: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(own).status().unwrap().success());
    };
    check(&pipe, "# Project context", Some("no regular file"));
    check(&link("../../secret"), "# Project context", Some("outside the project"));
    check(&link("/etc/passwd"), "# Project context", Some("outside the project"));
    check(&link("../forms/own.j2"), "own", None);
    check(&link("nothing"), "# Project context", None);
}

#[test]
fn a_view_is_written_when_it_changes_and_known_to_be_current_in_between() {
    let site = Site::new(&[]);
    assert!(is_stale(&site.sessions));
    assert!(refresh(&site.sessions, false).unwrap().changed);
    assert!(!is_stale(&site.sessions));
    let inode = fs::metadata(site.view()).unwrap().ino();
    // Touched by whoever, and the same: the file stays, and is current again.
    let later = std::time::SystemTime::now() + Duration::from_secs(60);
    File::options().write(true).open(&site.sessions.file).unwrap().set_modified(later).unwrap();
    assert!(is_stale(&site.sessions));
    assert!(!refresh(&site.sessions, false).unwrap().changed);
    assert!(!is_stale(&site.sessions));
    assert_eq!(fs::metadata(site.view()).unwrap().ino(), inode);
    site.sessions.store.update(|context| context.state_mut().branch = "side".to_owned()).unwrap();
    assert!(is_stale(&site.sessions));
    assert!(refresh(&site.sessions, false).unwrap().changed);
    assert!(site.text().contains("| side |"), "{}", site.text());
}

#[test]
fn a_file_that_is_not_ours_stays_unless_it_is_forced() {
    let site = Site::new(&[("root/context.md", "my own notes\n")]);
    let refused = refresh(&site.sessions, false).unwrap_err().to_string();
    assert!(refused.contains("was not made by hostler") && refused.contains("render --force"), "{refused}");
    assert_eq!(site.text(), "my own notes\n");
    refresh(&site.sessions, true).unwrap();
    assert!(site.text().starts_with(MARK));
}

#[test]
fn a_link_is_not_followed() {
    let site = Site::new(&[("elsewhere", "")]);
    std::os::unix::fs::symlink("../elsewhere", site.view()).unwrap();
    assert!(matches!(refresh(&site.sessions, true), Err(Error::NotAFile { .. })));
    assert_eq!(fs::read_to_string(site.view()).unwrap(), "");
}
