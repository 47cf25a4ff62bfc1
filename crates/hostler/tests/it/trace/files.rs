//! Which files are searched, and which are written.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{World, shop};

/// The folders whose tags were found.
#[track_caller]
fn searched(world: &World) -> Vec<String> {
    let mut out: Vec<String> = world.json(&["--no-cache"])["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap().to_owned())
        .collect();
    out.sort();
    out
}

#[track_caller]
fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {arguments:?}");
}

#[test]
fn what_lies_above_a_repository_or_is_not_for_git_hides_nothing() {
    let world = World::new();
    world.write("requirements.md", "- FR-001: one\n");
    world.write("a.py", "# @TAG FR-001\n");
    world.write("other.py", "# @TAG FR-001\n");
    world.write("kept/a.py", "# @TAG FR-001\n");
    fs::write(world.path("../.gitignore"), "*\n").unwrap();
    fs::write(world.path("../.ignore"), "*\n").unwrap();
    world.write(".ignore", "a.py\n");
    world.write(".gitignore", "other.py\n");
    assert_eq!(searched(&world), ["a.py", "kept/a.py"]);
    // A part of the project with settings of its own is in the repository all the same.
    world.write("kept/trace.toml", "[[requirements]]\npath = \"../requirements.md\"\n");
    world.write("kept/other.py", "# @TAG FR-001\n");
    let (_, stdout, _) = world.run_in(&world.path("kept"), &["trace", "--no-cache"]);
    assert!(stdout.contains("1 tags in 2 files"), "{stdout}");
    // Without a repository a file of ignored names counts where it lies.
    fs::remove_dir_all(world.path(".git")).unwrap();
    world.write(".hostler/config.toml", "");
    world.write("trace.toml", "version = 1\n");
    assert_eq!(searched(&world), ["a.py", "kept/a.py"]);
}

#[test]
fn other_work_trees_and_repositories_are_not_searched_and_submodules_are() {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    world.write("requirements.md", "- FR-001: one\n");
    world.write("a.py", "# @TAG FR-001\n");
    git(&world.path(""), &["init", "-q", "."]);
    git(&world.path(""), &["add", "."]);
    git(&world.path(""), &["commit", "-qm", "x"]);
    // What is tracked is searched, also where a rule ignores it; its neighbour is not.
    world.write("forced/deep/f.py", "# @TAG FR-001\n");
    git(&world.path(""), &["add", "."]);
    world.write(".gitignore", "forced/\n");
    world.write("forced/g.py", "# @TAG FR-001\n");
    assert_eq!(searched(&world), ["a.py", "forced/deep/f.py"]);
    git(&world.path(""), &["rm", "-qf", "forced/deep/f.py"]);
    git(&world.path(""), &["worktree", "add", "-q", ".wt/feature"]);
    world.write(".wt/feature/only.py", "# @TAG FR-001\n");
    git(&world.path(""), &["init", "-q", "nested"]);
    world.write("nested/b.py", "# @TAG FR-001\n");
    let library = world.folder.path().join("library");
    fs::create_dir(&library).unwrap();
    git(&library, &["init", "-q", "."]);
    fs::copy(world.path("a.py"), library.join("c.py")).unwrap();
    git(&library, &["add", "."]);
    git(&library, &["commit", "-qm", "x"]);
    git(&world.path(""), &["submodule", "add", "-q", library.to_str().unwrap(), "vendor/library"]);
    assert_eq!(searched(&world), ["a.py", "vendor/library/c.py"]);
    // In the work tree itself it is the other way round.
    let (_, stdout, _) = world.run_in(&world.path(".wt/feature"), &["trace", "--no-cache"]);
    assert!(stdout.contains("2 tags in 3 files"), "{stdout}");
}

#[test]
fn sources_and_files_of_others_are_not_replaced_in_any_format() {
    let world = shop();
    let source = fs::read(world.path("requirements.csv")).unwrap();
    world.says(
        &["matrix", "--format", "csv", "-o", "requirements.csv"],
        4,
        &["`requirements.csv` is a source of requirements"],
    );
    assert_eq!(fs::read(world.path("requirements.csv")).unwrap(), source);
    world.write("other.json", "{\"generator\": \"other\", \"requirements\": []}\n");
    world.write("other.csv", "id,text\n1,2\n");
    world.write("other.xml", "<?xml version=\"1.0\"?>\n<REQ-IF/>\n");
    world.write("other.sarif", "{\"runs\": [{\"tool\": {\"driver\": {\"name\": \"x\", \"rules\": []}}}]}\n");
    for format in ["markdown", "json", "csv", "sarif", "html", "reqif"] {
        for others in ["src/cart.rs", "other.json", "other.csv", "other.xml", "other.sarif"] {
            let before = fs::read(world.path(others)).unwrap();
            world.says(&["matrix", "--format", format, "-o", others], 4, &["was not made by hostler"]);
            assert_eq!(fs::read(world.path(others)).unwrap(), before);
        }
        // Its own file is, and one that is empty.
        world.write("out", "");
        for _ in 0..2 {
            world.says(&["matrix", "--format", format, "-o", "out"], 0, &["wrote"]);
        }
        assert!(!fs::read(world.path("out")).unwrap().is_empty());
    }
    assert!(world.ok(&["matrix", "-o", "-"]).starts_with("# Requirements"));
    assert!(!world.path("-").exists());
    #[cfg(unix)]
    assert!(world.ok(&["matrix", "-o", "/dev/stdout"]).starts_with("# Requirements"));
    world.says(&["matrix", "--write", "--no-texts"], 0, &["wrote"]);
    let page = fs::read_to_string(world.path("plans/rtm.md")).unwrap();
    assert!(!page.contains("Pays by card"), "{page}");
    world.says(&["matrix", "--check", "--no-texts"], 0, &["is current"]);
    world.says(&["matrix", "--check"], 1, &["is not current"]);
}

#[test]
fn names_on_the_command_line_are_names_and_pipes_are_read() {
    let world = shop();
    world.write("app/[id]/r.md", "- FR-001: one\n");
    world.says(&["--requirements", "app/[id]/r.md"], 0, &["1 of 1 requirements traced"]);
    let wide: Vec<u8> = std::iter::once(0xfeff)
        .chain("id,text,done\nFR-001,one,yes\n".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    world.write_bytes("wide.csv", &wide);
    world.says(&["--requirements", "wide.csv"], 0, &["1 of 1 requirements traced"]);
    let report =
        "<testsuite><testcase classname=\"tests.test_pay.TestCard\" name=\"test_pays\"/></testsuite>";
    world.write("report.xml", report);
    for results in ["-", "/dev/stdin"] {
        if results != "-" && !Path::new(results).exists() {
            continue;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_hostler"))
            .args(["trace", "--no-cache", "--results", results])
            .current_dir(world.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), report.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && stdout.contains("1 passing, 0 failing"), "{results}: {stdout}");
    }
}

#[test]
fn what_is_shown_cannot_move_the_cursor() {
    let world = World::new();
    world.write(
        "requirements.md",
        "- [x] FR-001: \u{1b}[31mred\u{1b}]0;title\u{7} \u{202e}text\n- [x] FR-002: \u{1b}[2J\n",
    );
    world.write("n\u{1b}[31m.py", "# @TAG FR-001, FR-999\n");
    world.write(
        "trace.toml",
        "[sources]\ninclude = [\"*.py\", \"\u{1b}[2J\"]\n".replace('\u{1b}', "\\u001b").as_str(),
    );
    for arguments in [
        &[][..],
        &["show", "FR-001"],
        &["check"],
        &["review"],
        &["show", "\u{1b}[2JFR-1"],
        &["matrix", "--format", "csv"],
    ] {
        let (_, stdout, stderr) = world.run(arguments);
        let all = format!("{stdout}{stderr}");
        assert!(!all.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {all:?}");
        assert!(!all.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_hides_no_file() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    world.write("requirements.md", "- FR-001: one\n");
    world.write("a.py", "# @TAG FR-001\n");
    let name = std::ffi::OsStr::from_bytes(b"\xff b.py");
    if fs::rename(world.path("a.py"), world.path("").join(name)).is_err() {
        testkit::client::skip("names that are no text", "the file system refuses them");
        return;
    }
    assert_eq!(searched(&world), ["\u{fffd} b.py"]);
}
