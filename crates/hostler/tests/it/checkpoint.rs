//! `hostler checkpoint`, and the checkpoints that a hook call makes.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const SESSION: &str = "361ac4e6-64de-464e-9d97-09bfa437d8e9";

/// A repository whose project is set up for hostler.
struct Project {
    _folder: tempfile::TempDir,
    home: PathBuf,
    root: PathBuf,
}

impl Project {
    fn new() -> Self {
        // Not the system's folder for temporary files: other rules for deleting hold there.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        let root = home.join("project");
        std::fs::create_dir_all(&root).unwrap();
        let project = Self { _folder: folder, home, root };
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.write("src/main.rs", "fn main() {}\n");
        project.write(".hostler/config.toml", "");
        project.git(&["add", "."]);
        project.git(&[
            "-c",
            "user.name=U",
            "-c",
            "user.email=u@example.org",
            "commit",
            "--quiet",
            "--message=first",
        ]);
        project
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &self.home);
        command.env("TZ", "UTC").current_dir(&self.root);
        command
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// What the hook answers to a call that has not run yet.
    #[track_caller]
    fn before(&self, call: &str, tool: &str, input: &Value) -> Value {
        let event = json!({
            "session_id": SESSION,
            "transcript_path": self.home.join("transcript.jsonl"),
            "cwd": self.root,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": call,
        });
        let mut hook = self.command(env!("CARGO_BIN_EXE_hostler"));
        let mut hook =
            hook.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        if output.stdout.is_empty() { Value::Null } else { serde_json::from_slice(&output.stdout).unwrap() }
    }

    fn edit(&self, call: &str, path: &str) -> Value {
        let file = self.root.join(path);
        self.before(call, "Edit", &json!({ "file_path": file, "old_string": "main", "new_string": "mian" }))
    }

    /// Exit code, stdout, stderr.
    fn hostler(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.command(env!("CARGO_BIN_EXE_hostler"));
        let output = command.arg("checkpoint").args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let (_, stdout, stderr) = self.hostler(&[arguments, &["--json"]].concat());
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
    }
}

fn decision(answer: &Value) -> Option<&str> {
    answer.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str)
}

/// The checkpoint stands before the edit runs, and takes it back.
// @traces REQ-020-154 021-FR-014 021-CONST-II-006
#[test]
fn edits_and_writes_are_kept_first_and_can_be_rolled_back() {
    let project = Project::new();
    assert_eq!(decision(&project.edit("toolu_1", "src/main.rs")), None);
    project.write("src/main.rs", "fn mian() {}\n");
    let write = json!({ "file_path": project.root.join("src/main.rs"), "content": "" });
    project.before("toolu_2", "Write", &write);
    project.write("src/main.rs", "");
    // Registered twice, called twice: kept once.
    project.before("toolu_2", "Write", &write);

    let listed = project.json(&["list"]);
    let calls: Vec<&str> =
        listed["checkpoints"].as_array().unwrap().iter().map(|it| it["call"].as_str().unwrap()).collect();
    assert_eq!(calls, ["toolu_1", "toolu_2"]);
    assert_eq!(project.git(&["status", "--porcelain"]), " M src/main.rs\n");

    project.hostler(&["restore", "361ac4e6/2"]);
    assert_eq!(project.read("src/main.rs"), "fn mian() {}\n");
    project.hostler(&["restore", "361ac4e6/1"]);
    assert_eq!(project.read("src/main.rs"), "fn main() {}\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

// @traces 021-CONST-IV-008
#[test]
fn a_failing_checkpoint_does_not_block_an_edit() {
    let project = Project::new();
    // A reference where the folder of references must be: git cannot make one below.
    project.git(&["update-ref", "refs/hostler/checkpoints", "HEAD"]);
    let answer = project.edit("toolu_1", "src/main.rs");
    assert_eq!(decision(&answer), None, "{answer}");
    assert_eq!(answer.get("continue"), None);
    assert_eq!(
        project.git(&["for-each-ref", "--format=%(refname)", "refs/hostler"]),
        "refs/hostler/checkpoints\n"
    );
}

#[test]
fn the_commands_tell_people_and_programs() {
    let project = Project::new();
    assert_eq!(project.hostler(&["list"]), (0, "no checkpoints\n".to_owned(), String::new()));
    project.write("src/\u{1b}[31mred.txt", "one\ntwo\n");
    project.edit("toolu_1", "src/\u{1b}[31mred.txt");

    let (code, listed, _) = project.hostler(&["list"]);
    let mut lines = listed.lines();
    let header: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!((code, header), (0, vec!["ID", "TIME", "FILES", "SIZE", "WORKTREE", "WHY"]));
    assert!(lines.next().unwrap().starts_with("361ac4e6/1  20"));
    assert!(!listed.contains('\u{1b}'), "a name must not steer the terminal");
    assert_eq!(project.json(&["list", "--session", "other"])["checkpoints"], json!([]));

    let shown = project.json(&["show", "361ac4e6/1"]);
    assert_eq!(shown["reference"], format!("refs/hostler/checkpoints/{SESSION}/1"));
    assert_eq!(shown["entries"][0]["bytes"], 8);
    assert!(project.hostler(&["show", "361ac4e6/1"]).1.contains("-644  8 B  src/\\u{1b}[31mred.txt\n"));

    assert_eq!(project.hostler(&["diff", "1"]), (0, "no differences\n".to_owned(), String::new()));
    project.write("src/\u{1b}[31mred.txt", "one\nthree\n");
    let (code, difference, _) = project.hostler(&["diff", "1"]);
    assert_eq!(code, 1);
    assert!(difference.starts_with("changed  src/\\u{1b}[31mred.txt\n---"), "{difference}");
    assert!(difference.ends_with(" one\n-two\n+three\n"), "{difference}");

    let (code, told, _) = project.hostler(&["restore", "1", "--dry-run"]);
    assert_eq!((code, told), (0, "would restore src/\\u{1b}[31mred.txt (changed)\n".to_owned()));
    assert_eq!(project.read("src/\u{1b}[31mred.txt"), "one\nthree\n");
    let (code, told, _) = project.hostler(&["restore", "1", "--path", "src"]);
    let expected = "restored src/\\u{1b}[31mred.txt\nwhat was there before is checkpoint 361ac4e6/2\n";
    assert_eq!((code, told), (0, expected.to_owned()));
    assert_eq!(project.read("src/\u{1b}[31mred.txt"), "one\ntwo\n");

    let told = project.hostler(&["prune"]).1;
    assert_eq!(told, "removed 0 (0 B), kept 2\n");
    let pruned = project.json(&["prune", "--size-max", "0"]);
    assert_eq!(pruned["removed"], json!(["361ac4e6/1", "361ac4e6/2"]));
    assert_eq!(project.git(&["for-each-ref", "refs/hostler"]), "");
}

#[test]
fn what_is_mistyped_is_a_usage_error() {
    let project = Project::new();
    project.edit("toolu_1", "src/main.rs");
    let cases: &[(&[&str], &str)] = &[
        (&["show", "nope/1"], "error: there is no checkpoint `nope/1` here; see `hostler checkpoint list`\n"),
        (&["restore", "361ac4e6/9"], "error: there is no checkpoint `361ac4e6/9` here"),
        (&["restore", "1", "--path", "docs"], "error: checkpoint `361ac4e6/1` holds nothing at `"),
        (&["restore"], "error: the following required arguments"),
    ];
    for (arguments, expected) in cases {
        let (code, stdout, stderr) = project.hostler(arguments);
        assert_eq!((code, stdout.as_str()), (3, ""), "{arguments:?}");
        assert!(stderr.starts_with(expected), "{arguments:?}: {stderr}");
    }
    let error = project.json(&["show", "nope/1"]);
    assert_eq!(error["error"], "there is no checkpoint `nope/1` here; see `hostler checkpoint list`");
}

/// From a folder inside, paths are meant from there.
#[test]
fn paths_start_at_the_working_directory() {
    let project = Project::new();
    project.edit("toolu_1", "src/main.rs");
    std::fs::remove_file(project.root.join("src/main.rs")).unwrap();
    let mut command = project.command(env!("CARGO_BIN_EXE_hostler"));
    command.args(["checkpoint", "restore", "1", "--path", "main.rs"]).current_dir(project.root.join("src"));
    assert!(command.status().unwrap().success());
    assert!(Path::new(&project.root.join("src/main.rs")).is_file());
}
