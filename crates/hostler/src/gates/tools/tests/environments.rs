use super::*;

/// Says one finding of a code that names the program.
fn ruff(code: &str) -> String {
    format!(
        r#"for file; do :; done
printf '[{{"code": "{code}", "filename": "%s", "location": {{"row": 1}}, "message": "m", "fix": null}}]' "$file""#
    )
}

#[track_caller]
fn check(project: &Project, file: &str, code: &str) {
    let runs = project.run(Purpose::Edit, &[file]);
    assert_eq!(found(&runs, "ruff check"), [format!("{file}:1 lint warn {code}")]);
}

#[test]
fn each_part_of_a_monorepo_has_its_own_environment() {
    let project = Project::bare(&[
        ("one/pyproject.toml", "[project]\n"),
        ("one/src/a.py", ""),
        ("two/pyproject.toml", "[project]\n"),
        ("two/deep/er/b.py", ""),
        ("three/c.py", ""),
    ]);
    project.environment("one/.venv", "ruff", &ruff("X001"));
    project.environment("two/venv", "ruff", &ruff("X002"));
    project.environment(".venv", "ruff", &ruff("X003"));
    let runs = project.run(Purpose::Edit, &["one/src/a.py", "two/deep/er/b.py", "three/c.py"]);
    let mut lines = found(&runs, "ruff check");
    lines.sort();
    assert_eq!(
        lines,
        ["one/src/a.py:1 lint warn X001", "three/c.py:1 lint warn X003", "two/deep/er/b.py:1 lint warn X002"]
    );
}

#[test]
fn an_environment_is_looked_for_in_order() {
    let mut project = Project::bare(&[("pyproject.toml", "[project]\n"), ("a.py", "")]);
    project.program("installed/ruff", &ruff("X000"));
    check(&project, "a.py", "X000");
    project.environment("shell", "ruff", &ruff("X001"));
    project.around.active = vec![project.path("gone"), project.path("shell")];
    check(&project, "a.py", "X001");
    project.environment(".venv", "ruff", &ruff("X002"));
    check(&project, "a.py", "X002");
    // Where uv was told to keep it; only uv's projects ask.
    project.environment("elsewhere", "ruff", &ruff("X003"));
    project.around.uv_environment = Some("elsewhere".into());
    check(&project, "a.py", "X002");
    project.write("uv.lock", "");
    check(&project, "a.py", "X003");
}

#[test]
fn managers_are_asked_where_they_keep_an_environment() {
    for (manager, table) in [("poetry", "[tool.poetry]\nname = \"a\"\n"), ("hatch", "[tool.hatch]\n")] {
        let project = Project::bare(&[("pyproject.toml", table), ("a.py", "")]);
        project.environment("kept/env", "ruff", &ruff("X001"));
        let answer = format!("echo Using; echo {}", project.path("kept/env").display());
        project.program(&format!("installed/{manager}"), &answer);
        check(&project, "a.py", "X001");
        // It is not asked again as long as the project and its answer stand.
        project.program(&format!("installed/{manager}"), "echo broken; exit 1");
        check(&project, "a.py", "X001");
        // One that fails is as good as none.
        fs::remove_dir_all(project.path("kept/env")).unwrap();
        for _ in 0..2 {
            assert!(reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check").contains("not found"));
        }
        project.environment("new/env", "ruff", &ruff("X002"));
        project
            .program(&format!("installed/{manager}"), &format!("echo {}", project.path("new/env").display()));
        // Whatever was kept is older than the project's file by now.
        let file = fs::File::options().append(true).open(project.path("pyproject.toml")).unwrap();
        file.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
        check(&project, "a.py", "X002");
    }
}

// @traces REQ-020-051
#[test]
fn uv_runs_what_only_its_lock_knows() {
    let mut project = Project::bare(&[("pyproject.toml", "[project]\n"), ("uv.lock", ""), ("a.py", "")]);
    assert!(reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check").contains("not found"));
    // It is not on the shell's PATH, but where its installer puts it.
    project.program("home/.local/bin/uv", &format!("test \"$*\" || exit 9\n{}", ruff("X001")));
    project.around.path.push(project.path("home/.local/bin"));
    let runs = project.run(Purpose::Edit, &["a.py"]);
    assert_eq!(found(&runs, "ruff check"), ["a.py:1 lint warn X001"]);
    assert_eq!(runs[0].command[1..6], ["run", "--frozen", "--offline", "--no-progress", "ruff"]);
}

#[test]
fn what_is_around_is_read_from_few_variables() {
    let around = Surroundings::current();
    assert!(around.path.iter().all(|it| it.is_absolute()));
    if let Some(home) = std::env::var_os("HOME") {
        assert!(around.path.contains(&PathBuf::from(home).join(".local/bin")));
    }
}

// @traces REQ-020-087 021-CONST-IV-009
#[test]
fn a_missing_tool_is_not_run_and_says_where_it_was_looked_for() {
    let project = Project::bare(&[("pyproject.toml", "[tool.black]\n"), ("a.py", "x = 1\n")]);
    project.environment(".venv", "other", "exit 0");
    let runs = project.review(&["a.py"]);
    for tool in ["ruff check", "black", "mypy"] {
        let why = reason(&runs, tool);
        let folders =
            format!("{}, {}", project.path(".venv/bin").display(), project.path("installed").display());
        assert!(why.contains(&folders) && why.contains("install it with"), "{why}");
    }
    assert!(runs.iter().all(|it| it.command.is_empty() && !it.is_required));
}

#[test]
fn versions_come_from_the_environments_own_files() {
    let project = Project::bare(&[("a.py", ""), ("web/biome.json", "{}"), ("web/a.ts", "")]);
    project.environment(".venv", "ruff", &ruff("X001"));
    project.write(".venv/lib/python3.12/site-packages/ruff-0.9.1.dist-info/METADATA", "");
    project.program("web/node_modules/@biomejs/biome/bin/biome", "echo '[]'");
    project.write("web/node_modules/@biomejs/biome/package.json", "{\"version\": \"2.1.0\"}");
    fs::create_dir_all(project.path("web/node_modules/.bin")).unwrap();
    let link = project.path("web/node_modules/.bin/biome");
    std::os::unix::fs::symlink("../@biomejs/biome/bin/biome", link).unwrap();
    let runs = project.run(Purpose::Edit, &["a.py", "web/a.ts"]);
    let versions: Vec<_> = runs.iter().map(|it| (it.tool, it.version.as_deref())).collect();
    assert_eq!(versions, [("ruff check", Some("0.9.1")), ("biome", Some("2.1.0"))]);
}

#[test]
fn configuration_is_the_nearest_one_and_ends_at_the_root() {
    let project = Project::bare(&[
        ("a/pyproject.toml", "[project]\n"),
        ("a/ruff.toml", ""),
        ("a/b/x.py", ""),
        ("c/y.py", ""),
    ]);
    fs::write(project.folder.path().join("ruff.toml"), "").unwrap();
    let layout = Layout::new(Path::new("/nowhere"), Surroundings::default());
    assert_eq!(layout.nearest(&project.path("a"), &["gone"]), None);
    let root = project.root();
    let layout = Layout::new(&root, Surroundings::default());
    let names = ["ruff.toml"];
    assert_eq!(layout.nearest(&project.path("a/b"), &names), Some(project.path("a/ruff.toml")));
    assert_eq!(layout.nearest(&project.path("c"), &names), None, "above the root is somebody else's");
}

#[test]
fn hooks_of_pre_commit_configure_tools() {
    let hooks = "repos:\n- repo: x\n  hooks:\n  - id: black # layout\n  - id: 'flake8'\n";
    let project = Project::bare(&[(".pre-commit-config.yaml", hooks), ("a.py", "x = 1\n")]);
    let runs = project.review(&["a.py"]);
    assert_eq!(names(&runs), ["ruff check", "black", "flake8", "mypy"]);
    let root = project.root();
    let layout = Layout::new(&root, Surroundings::default());
    assert!(layout.has_hook(&root, &["black"]) && !layout.has_hook(&root, &["isort", "blacken-docs"]));
}
