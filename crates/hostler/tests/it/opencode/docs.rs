//! The manual of this client says what is there.

use std::path::Path;
use std::process::Command;

fn manual() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/opencode.md")).unwrap()
}

#[test]
fn the_example_answers_as_the_manual_says() {
    let manual = manual();
    let example = manual.split("<!-- example -->\n```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir_all(project.join(".hostler")).unwrap();
    std::fs::write(project.join(".hostler/config.toml"), "").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_hostler")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", example])
        .current_dir(&project)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder.path())
        .output()
        .unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(answers.contains("{\"id\":1,\"deny\":\"[delete-root]"), "{answers}");
}

/// Names of hooks in a plugin's text: quoted keys of version 1, points of version 2.
fn hooks_of(text: &str) -> Vec<String> {
    let quoted = |line: &str| {
        line.trim().strip_prefix('"').and_then(|it| it.split_once("\": async")).map(|it| it.0.to_owned())
    };
    let registered = |line: &str| {
        let rest = line.trim().strip_prefix("await register(ctx.")?;
        let (domain, rest) = rest.split_once(", \"")?;
        Some(format!("{domain}.hook(\"{}\")", rest.split('"').next()?))
    };
    text.lines().filter_map(|line| quoted(line).or_else(|| registered(line))).collect()
}

// @traces 021-CONST-VIII-004
#[test]
fn the_manual_maps_every_hook_of_each_client() {
    use hostler_host::opencode::plugin;
    let manual = manual();
    let (_, table) = manual.split_once("## What happens when").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let (first, second) = (hooks_of(&plugin::v1("b", "v")), hooks_of(&plugin::v2("b", "v")));
    assert!(8 <= first.len() && first.contains(&"tool.execute.before".to_owned()), "{first:?}");
    assert!(7 <= second.len() && second.contains(&"tool.hook(\"execute.before\")".to_owned()), "{second:?}");
    for hook in first.iter().chain(&second) {
        assert!(table.contains(&format!("`{hook}`")), "`{hook}` is not in the table");
    }
    for event in hostler_host::opencode::read::EVENTS {
        assert!(table.contains(&format!("`{event}`")), "`{event}` is not in the table");
    }
    // Those that answer nothing have no counterpart.
    let others = ["PreSkillShellCommand", "SubagentStart"];
    for event in testkit::world::EVENTS.iter().filter(|it| !others.contains(it)) {
        assert!(table.contains(&format!("`{event}`")), "`{event}` is not in the table");
    }
}
