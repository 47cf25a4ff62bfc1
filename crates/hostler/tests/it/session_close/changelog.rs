//! Which file is the changelog, and what gets into it.

use std::fs;
use std::os::unix::fs::symlink;

use super::{CHANGELOG, World, step};

/// A project with these files and without the usual changelog, in whose session something was added.
fn with(config: &str, files: &[(&str, &str)]) -> World {
    let world = World::new(config);
    world.git(&["rm", "--quiet", "CHANGELOG.md"]);
    for (name, text) in files {
        world.write(name, text);
    }
    world.commit("chore: files");
    world.commit("feat: add search");
    world
}

#[test]
fn a_changelog_of_another_name_gets_no_rival() {
    const STRICT: &str = "profile = \"strict\"\n";
    let other =
        "there is no CHANGELOG.md, but CHANGES.md; `session.changelog = \"CHANGES.md\"` has entries go there";
    let rst = "there is no CHANGELOG.md, but HISTORY.rst, which is no Markdown; `session.changelog = true` makes CHANGELOG.md all the same";
    let docs = "there is no CHANGELOG.md, but docs/Changelog.md; `session.changelog = \"docs/Changelog.md\"` has entries go there";
    let none = "there is no CHANGELOG.md; `session.changelog = true` makes it";
    for (config, name, outcome, message) in [
        ("", "changelog.md", "done", "1 entry in changelog.md below [Unreleased]"),
        (STRICT, "ChangeLog.md", "done", "1 entry in ChangeLog.md below [Unreleased]"),
        ("", "CHANGES.md", "skipped", other),
        (STRICT, "CHANGES.md", "skipped", other),
        (STRICT, "HISTORY.rst", "skipped", rst),
        (STRICT, "docs/Changelog.md", "skipped", docs),
        ("", "CHANGELOG/notes.md", "skipped", none),
        ("[session]\nchangelog = true\n", "CHANGES.md", "done", "1 entry in CHANGELOG.md below [Unreleased]"),
        (
            "[session]\nchangelog = 'changes.md'\n",
            "CHANGES.md",
            "done",
            "1 entry in CHANGES.md below [Unreleased]",
        ),
    ] {
        let world = with(config, &[(name, CHANGELOG)]);
        let report = world.end(&["--no-push"]);
        assert_eq!(step(&report, "changelog"), (outcome, message), "{name} with {config:?}");
        let made = message.contains("entry in CHANGELOG.md");
        assert_eq!(world.project().join("CHANGELOG.md").exists(), made, "{name} with {config:?}");
    }
}

#[test]
fn a_link_is_followed_inside_the_project_alone() {
    let world = with("[session]\ncommit = true\n", &[("docs/CL.md", CHANGELOG)]);
    symlink("docs/CL.md", world.project().join("CHANGELOG.md")).unwrap();
    world.commit("chore: link");
    assert_eq!(step(&world.end(&[]), "changelog").0, "done");
    assert!(world.read("docs/CL.md").contains("- Add search\n"));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert!(fs::read_link(world.project().join("CHANGELOG.md")).is_ok());
    // Out of it, to a file that is there, to one that is not, and into git's own folder.
    for target in ["../outside.md", "../new.md", ".git/description.md"] {
        let world = with("profile = \"strict\"\n", &[]);
        let real = world.project().join(target);
        if !target.contains("new") {
            fs::write(&real, CHANGELOG).unwrap();
        }
        symlink(target, world.project().join("CHANGELOG.md")).unwrap();
        let report = world.end(&["--no-push"]);
        let (outcome, message) = step(&report, "changelog");
        assert!(outcome == "failed" && message.contains("is a link to"), "{target}: {message}");
        assert_eq!(fs::read_to_string(&real).unwrap_or(CHANGELOG.to_owned()), CHANGELOG, "{target}");
        assert_eq!(real.exists(), !target.contains("new"));
    }
}

#[test]
fn the_matrix_does_not_leave_the_project_either() {
    let world = with("", &[("spec.md", "- REQ-001: It searches.\n")]);
    world.write("trace.toml", "ids = ['REQ-[0-9]+']\n[[requirements]]\npath = 'spec.md'\n");
    fs::create_dir(world.home().join("elsewhere")).unwrap();
    symlink("../elsewhere", world.project().join("plans")).unwrap();
    let report = world.end(&[]);
    let (outcome, message) = step(&report, "rtm");
    assert!(outcome == "failed" && message.contains("leads out of the project"), "{message}");
    assert_eq!(fs::read_dir(world.home().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn without_a_manifest_the_recorded_version_is_the_one_that_is_worked_on() {
    let text = "# Changelog\n\n## 1.2.0\n\n- Older\n";
    let world = with("", &[("CHANGELOG.md", text)]);
    assert_eq!(step(&world.end(&[]), "changelog").1, "1 entry in CHANGELOG.md below 1.2.0");
    // Another one is.
    let world = with("", &[("CHANGELOG.md", text)]);
    world.ok(&["session", "update-state", "--version", "1.3.0"]);
    assert_eq!(step(&world.end(&[]), "changelog").1, "1 entry in CHANGELOG.md below Unreleased");
}

#[test]
fn a_long_subject_is_cut_without_a_word_of_ours() {
    let world = World::new("");
    world.commit(&format!("feat: {}", "many words ".repeat(30)));
    world.end(&[]);
    let text = world.read("CHANGELOG.md");
    let entry = text.lines().find(|it| it.contains("any words")).unwrap();
    assert!(entry.ends_with("many…") && !text.contains("more bytes"), "{entry}");
}
