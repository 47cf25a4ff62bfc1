use super::*;

const DIRTY: &str = "import sys\nimport os\n\n\ndef f(a: int) -> str:\n    x = {'a':1}\n    if a is \"b\":\n        return missing\n    return a\n";

// @traces 021-TEST-UNIT-048 021-TEST-UNIT-049 021-TEST-UNIT-052..056 REQ-020-047
#[test]
fn without_configuration_ruff_does_it_all() {
    let project = Project::new(&[("src/app/mod.py", DIRTY), ("README.md", "no Python\n")]);
    if !has("without_configuration_ruff_does_it_all", &project, &["ruff"]) {
        return;
    }
    let runs = project.review(&["src/app/mod.py", "README.md"]);
    assert_eq!(
        found(&runs, "ruff check"),
        [
            "src/app/mod.py:1 import_order error I001",
            "src/app/mod.py:1 lint warn F401",
            "src/app/mod.py:2 lint warn F401",
            "src/app/mod.py:6 lint warn F841",
            "src/app/mod.py:6 stop.lint error F841",
            "src/app/mod.py:6 lint warn E231",
            "src/app/mod.py:7 lint error F632",
            "src/app/mod.py:8 lint warn F821",
            "src/app/mod.py:8 stop.lint error F821",
        ]
    );
    assert_eq!(found(&runs, "ruff format"), ["src/app/mod.py:6 format error -"]);
    assert!(runs.iter().all(|it| !it.is_configured));
}

// @traces 021-TEST-UNIT-050
#[test]
fn a_valid_file_is_clean() {
    let text = "\"\"\"A module.\"\"\"\n\nimport os\n\n\ndef name() -> str:\n    return os.name\n";
    let project = Project::new(&[("app/mod.py", text)]);
    if !has("a_valid_file_is_clean", &project, &["ruff", "mypy"]) {
        return;
    }
    let runs = project.review(&["app/mod.py"]);
    assert_eq!(names(&runs), ["ruff check", "ruff format", "mypy"]);
    assert!(runs.iter().all(|it| it.outcome == Outcome::Clean), "{runs:#?}");
}

// @traces 021-TEST-UNIT-047 021-TEST-UNIT-051
#[test]
fn what_does_not_parse_is_a_syntax_error() {
    let project = Project::new(&[("app/mod.py", "def f(:\n    return 1\n")]);
    if !has("what_does_not_parse_is_a_syntax_error", &project, &["ruff"]) {
        return;
    }
    let runs = project.review(&["app/mod.py"]);
    let lines = found(&runs, "ruff check");
    assert!(lines.contains(&"app/mod.py:1 syntax error invalid-syntax".to_owned()), "{lines:?}");
    // It was not looked at as a whole, so it is not clean.
    assert!(reason(&runs, "ruff format").contains("Failed to parse"));
    for run in &runs {
        if let Outcome::Findings(found) = &run.outcome {
            assert!(found.iter().all(|it| it.1.message.chars().count() <= 200));
        }
    }
}

#[test]
fn layout_that_the_formatter_wants_is_no_lint() {
    // pycodestyle calls the stubs E704 and E301; the formatter writes them so.
    let text = "from typing import Protocol\n\n\nclass Reader(Protocol):\n    def read(self) -> bytes: ...\n    def \
                close(self) -> None: ...\n";
    let project = Project::new(&[("app/mod.py", text), ("app/.flake8", "[flake8]\nignore = E203\n")]);
    if !has("layout_that_the_formatter_wants_is_no_lint", &project, &["ruff", "flake8"]) {
        return;
    }
    assert_eq!(found(&project.review(&["app/mod.py"]), "flake8"), [""; 0]);
    project.write("app/mod.py", "import os\ndef f():\n    return os.name\n");
    let lines = found(&project.review(&["app/mod.py"]), "flake8");
    assert!(lines.contains(&"app/mod.py:2 lint warn E302".to_owned()), "{lines:?}");
}

// @traces REQ-020-046 021-TEST-UNIT-048 021-TEST-UNIT-049 021-TEST-UNIT-052..056 021-TEST-UNIT-058
#[test]
fn the_projects_own_tools_are_used() {
    let configuration = "[tool.black]\n[tool.isort]\nprofile = \"black\"\n[tool.mypy]\n";
    let project = Project::new(&[
        ("pyproject.toml", configuration),
        ("tox.ini", "[flake8]\nmax-line-length = 100\n"),
        ("src/app/__init__.py", ""),
        ("src/app/mod.py", &DIRTY.replace("return missing", "return missing  # a comment that is long enough to be beyond the limit of a hundred characters")),
    ]);
    if !has("the_projects_own_tools_are_used", &project, &["black", "isort", "flake8", "mypy"]) {
        return;
    }
    let runs = project.review(&["src/app/mod.py"]);
    assert_eq!(names(&runs), ["isort", "black", "flake8", "mypy"]);
    assert_eq!(found(&runs, "isort"), ["src/app/mod.py:1 import_order error -"]);
    assert_eq!(found(&runs, "black"), ["src/app/mod.py:6 format error -"]);
    assert_eq!(
        found(&runs, "flake8"),
        [
            "src/app/mod.py:1 lint warn F401",
            "src/app/mod.py:2 lint warn F401",
            "src/app/mod.py:6 lint warn F841",
            "src/app/mod.py:6 stop.lint error F841",
            "src/app/mod.py:6 lint warn E231",
            "src/app/mod.py:7 lint error F632",
            "src/app/mod.py:8 lint warn F821",
            "src/app/mod.py:8 stop.lint error F821",
        ],
        "the length of lines is counted elsewhere"
    );
    let types = found(&runs, "mypy");
    assert!(types.contains(&"src/app/mod.py:9 type error return-value".to_owned()), "{types:?}");
    assert!(runs.iter().all(|it| it.is_configured && !it.command.is_empty()));
    let stop = project.run(Purpose::Stop, &["src/app/mod.py"]);
    assert_eq!(names(&stop), ["flake8", "mypy"], "layout waits for the formatter");
}

// @traces 021-US-003-AC01 021-US-003-AC02 021-CONST-III-007 021-TEST-UNIT-055
#[test]
fn the_projects_thresholds_count() {
    let long = format!(
        "\"\"\"A module.\"\"\"\n\nimport os\n\n\ndef names(first, second):\n    return [{}]\n",
        "os.name, ".repeat(8) + "os.sep"
    );
    let short = "x = [1, 2]\ny = x[1 :]\nz = (\n    x\n    and y\n)\n";
    let project = Project::new(&[
        ("wide/pyproject.toml", "[tool.black]\nline-length = 100\n[tool.isort]\nprofile = \"black\"\n"),
        ("wide/.flake8", "[flake8]\nselect = E,F,W,C90\nmax-line-length = 88\nignore = F401\n"),
        ("wide/mod.py", &long),
        ("narrow/pyproject.toml", "[tool.black]\n[tool.isort]\nprofile = \"black\"\n"),
        ("narrow/.flake8", "[flake8]\nselect = E,F,W,C90\nmax-line-length = 88\n"),
        ("narrow/mod.py", &long),
        ("narrow/layout.py", short),
    ]);
    if !has("the_projects_thresholds_count", &project, &["black", "isort", "flake8", "mypy"]) {
        return;
    }
    let wide = project.review(&["wide/mod.py"]);
    assert_eq!(names(&wide), ["isort", "black", "flake8", "mypy"]);
    assert!(wide.iter().all(|it| it.outcome == Outcome::Clean), "{wide:#?}");
    let narrow = project.review(&["narrow/mod.py"]);
    assert_eq!(found(&narrow, "black"), ["narrow/mod.py:7 format error -"], "its own default, 88");
    // E501 is counted by us, E203 and W503 contradict the formatter.
    assert_eq!(found(&narrow, "flake8"), [""; 0]);
    assert_eq!(found(&project.review(&["narrow/layout.py"]), "flake8"), [""; 0]);
    project.write("wide/mod.py", "import os\n");
    assert_eq!(found(&project.review(&["wide/mod.py"]), "flake8"), [""; 0]);
    project.write("narrow/mod.py", "import os\n");
    assert_eq!(found(&project.review(&["narrow/mod.py"]), "flake8"), ["narrow/mod.py:1 lint warn F401"]);
}

#[test]
fn other_type_checkers_are_used_where_they_are_configured() {
    let project = Project::new(&[
        ("based/pyproject.toml", "[tool.basedpyright]\n"),
        ("based/mod.py", "def f(a: int) -> str:\n    return a\n"),
        ("young/pyproject.toml", "[tool.ty]\n"),
        ("young/mod.py", "def f(a: int) -> str:\n    return a\n"),
    ]);
    let test = "other_type_checkers_are_used_where_they_are_configured";
    if !has(test, &project, &["ruff", "basedpyright", "ty"]) {
        return;
    }
    let runs = project.review(&["based/mod.py", "young/mod.py"]);
    assert_eq!(found(&runs, "basedpyright"), ["based/mod.py:2 type error reportReturnType"]);
    assert_eq!(found(&runs, "ty"), ["young/mod.py:2 type warn invalid-explicit-return"]);
    assert!(!names(&runs).contains(&"mypy"));
}

#[test]
fn a_fix_formats_and_never_removes_an_import() {
    let text = "import sys\nimport os\nx = {'a':1}\nif x is 'b': pass\n";
    let project = Project::new(&[("app/mod.py", text)]);
    if !has("a_fix_formats_and_never_removes_an_import", &project, &["ruff"]) {
        return;
    }
    let runs = project.run(Purpose::Fix, &["app/mod.py"]);
    assert_eq!(names(&runs), ["ruff check", "ruff format"]);
    assert!(runs.iter().all(|it| it.outcome == Outcome::Clean), "{runs:#?}");
    let fixed = project.read("app/mod.py");
    assert!(fixed.starts_with("import os\nimport sys\n\nx = {\"a\": 1}\n"), "{fixed}");

    let own = Project::new(&[
        ("pyproject.toml", "[tool.black]\n[tool.isort]\n"),
        ("app/mod.py", "import sys\nimport os\nfrom a import (b,\n    c)\nx = {'a':1}\n"),
    ]);
    if !has("a_fix_formats_and_never_removes_an_import", &own, &["black", "isort"]) {
        return;
    }
    let runs = own.run(Purpose::Fix, &["app/mod.py"]);
    assert_eq!(names(&runs), ["ruff check", "isort", "black"]);
    let fixed = own.read("app/mod.py");
    assert_eq!(fixed, "import os\nimport sys\n\nfrom a import b, c\n\nx = {\"a\": 1}\n");
    // Neither undoes what the other did.
    assert!(
        own.review(&["app/mod.py"])
            .iter()
            .all(|it| !matches!(it.tool, "isort" | "black") || it.outcome == Outcome::Clean)
    );
}

#[test]
fn a_text_is_judged_as_if_it_stood_in_the_file() {
    let project = Project::new(&[("app/mod.py", "import os\n\nprint(os.name)\n")]);
    if !has("a_text_is_judged_as_if_it_stood_in_the_file", &project, &["ruff"]) {
        return;
    }
    let look = |purpose, text: &str| {
        project.with(purpose, &["app/mod.py"], |request| {
            review_text_around(request, text, project.around.clone())
        })
    };
    let text = "import os\ndef f():\n    return nothing\n";
    let edit = look(Purpose::Edit, text);
    assert_eq!(names(&edit), ["ruff check"]);
    assert_eq!(
        found(&edit, "ruff check"),
        [
            "app/mod.py:1 import_order error I001",
            "app/mod.py:1 lint warn F401",
            "app/mod.py:3 lint warn F821",
            "app/mod.py:3 stop.lint error F821",
        ]
    );
    let review = look(Purpose::Review, text);
    assert_eq!(found(&review, "ruff format"), ["app/mod.py:2 format error -"]);
    assert!(found(&review, "ruff check").contains(&"app/mod.py:2 lint warn E302".to_owned()));
    assert!(
        look(Purpose::Edit, "import os\n\nprint(os.name)\n").iter().all(|it| it.outcome == Outcome::Clean)
    );
    assert_eq!(project.read("app/mod.py"), "import os\n\nprint(os.name)\n");
}

#[test]
fn the_projects_python_decides_what_is_syntax() {
    let text = "match 1:\n    case 1:\n        pass\n";
    let project = Project::new(&[
        ("old/pyproject.toml", "[project]\nrequires-python = \">=3.9\"\n"),
        ("old/mod.py", text),
        ("new/pyproject.toml", "[project]\nrequires-python = \">=3.12,<4\"\n"),
        ("new/mod.py", text),
        ("none/mod.py", text),
    ]);
    if !has("the_projects_python_decides_what_is_syntax", &project, &["ruff"]) {
        return;
    }
    let runs = project.run(Purpose::Edit, &["old/mod.py", "new/mod.py", "none/mod.py"]);
    assert_eq!(found(&runs, "ruff check"), ["old/mod.py:1 syntax error invalid-syntax"]);
}

// @traces 021-TEST-UNIT-059 021-CONST-III-008
#[test]
fn a_module_is_imported_where_that_was_asked_for() {
    let mut project = Project::new(&[
        ("pyproject.toml", "[project]\ndependencies = [\"not-installed>=1\"]\n"),
        ("src/app/__init__.py", ""),
        ("src/app/good.py", "from app import other\n"),
        ("src/app/other.py", "print('noise')\n"),
        ("src/app/bad.py", "import os\n\nfrom app import missing\n"),
        ("src/app/raises.py", "x = 1\nraise ValueError('at import')\n"),
        ("src/app/exits.py", "import sys\nsys.exit(3)\n"),
        ("src/app/needs.py", "import not_installed\n"),
        ("src/app/__main__.py", "raise SystemExit(1)\n"),
    ]);
    if !has("a_module_is_imported_where_that_was_asked_for", &project, &["ruff", "python3"]) {
        return;
    }
    let files = ["good", "bad", "raises", "exits", "__main__"].map(|it| format!("src/app/{it}.py"));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert!(!names(&project.run(Purpose::Stop, &files)).contains(&"import"), "it runs the project's code");
    project.settings.imports = true;
    let runs = project.run(Purpose::Stop, &files);
    assert_eq!(
        found(&runs, "import"),
        [
            "src/app/bad.py:3 import error ImportError",
            "src/app/raises.py:2 import error ValueError",
            "src/app/exits.py:2 import error SystemExit",
        ]
    );
    let needs = project.run(Purpose::Stop, &["src/app/needs.py"]);
    assert!(reason(&needs, "import").contains("`not_installed` is a dependency that is not installed"));
    // What half the world uses is missing on this machine; what nobody knows is made up.
    project.write("src/app/known.py", "import MySQLdb\n");
    project.write("src/app/unknown.py", "import no_such_package_at_all\n");
    let missing = project.run(Purpose::Stop, &["src/app/known.py"]);
    assert!(reason(&missing, "import").contains("`MySQLdb`"));
    let made_up = project.run(Purpose::Stop, &["src/app/unknown.py"]);
    assert_eq!(found(&made_up, "import"), ["src/app/unknown.py:1 import error ModuleNotFoundError"]);
    assert!(!project.path("src/app/__pycache__").exists());
}

const FAILING: &str = "def test_good():\n    pass\n\n\ndef test_bad():\n    assert 1 == 2\n";

// @traces REQ-020-052 REQ-020-053 REQ-020-059 REQ-020-061 REQ-020-062
#[test]
fn changed_tests_are_judged_by_how_they_end() {
    let project = Project::new(&[
        ("tests/test_good.py", "def test_good():\n    pass\n"),
        ("tests/test_bad.py", FAILING),
        ("tests/test_broken.py", "import no_such_module\n"),
        ("tests/test_crash.py", "import os\n\n\ndef test_crash():\n    os.kill(os.getpid(), 11)\n"),
        ("tests/test_none.py", "X = 1\n"),
        ("tests/helpers.py", "raise ValueError\n"),
        ("scripts/test_connection.py", "raise ValueError\n"),
    ]);
    if !has("changed_tests_are_judged_by_how_they_end", &project, &["ruff", "pytest"]) {
        return;
    }
    let test = |file: &str| project.run(Purpose::Stop, &[file]);
    assert_eq!(found(&test("tests/test_good.py"), "pytest"), [""; 0]);
    let failed = test("tests/test_bad.py");
    assert_eq!(found(&failed, "pytest"), ["tests/test_bad.py:6 stop.test error -"]);
    let Outcome::Findings(findings) = &failed.iter().find(|it| it.tool == "pytest").unwrap().outcome else {
        panic!()
    };
    assert_eq!(findings[0].1.message, "`tests.test_bad.test_bad` failed: assert 1 == 2");
    assert_eq!(found(&test("tests/test_broken.py"), "pytest"), ["tests/test_broken.py:1 stop.test error -"]);
    assert!(reason(&test("tests/test_crash.py"), "pytest").contains("signal 11"));
    assert!(reason(&test("tests/test_none.py"), "pytest").contains("no tests"));
    for file in ["tests/helpers.py", "scripts/test_connection.py"] {
        assert!(!names(&test(file)).contains(&"pytest"), "{file}");
    }
    let command = &failed.iter().find(|it| it.tool == "pytest").unwrap().command;
    for word in ["-x", "-q", "--no-header"] {
        assert!(command.iter().any(|it| it == word), "{command:?}");
    }
    assert!(!project.path(".pytest_cache").exists() && !project.path("tests/__pycache__").exists());
}

// @traces REQ-020-054..058
#[test]
fn the_configuration_takes_tests_out() {
    let mut project = Project::new(&[
        ("tests/test_prolog_engine.py", FAILING),
        ("tests/test_swi.py", "from pyswip import Prolog\n"),
        ("tests/test_engine.py", "from x import GovernanceEngine\n"),
        ("tests/test_governance.py", "import orchestrata.governance\n"),
        ("tests/test_bridge.py", "from x import PrologBridge\n"),
        ("more/tests/conftest.py", "import pyswip\n"),
        ("more/tests/unit/test_any.py", FAILING),
        ("tests/test_bad.py", FAILING),
    ]);
    if !has("the_configuration_takes_tests_out", &project, &["ruff", "pytest"]) {
        return;
    }
    for (file, why) in [
        ("tests/test_prolog_engine.py", "`prolog`"),
        ("tests/test_swi.py", "`pyswip`"),
        ("tests/test_engine.py", "`GovernanceEngine`"),
        ("tests/test_governance.py", "`orchestrata.governance`"),
        ("tests/test_bridge.py", "`PrologBridge`"),
        ("more/tests/unit/test_any.py", "a `conftest.py` above it uses `pyswip`"),
    ] {
        let runs = project.run(Purpose::Stop, &[file]);
        assert!(reason(&runs, "pytest").contains(why), "{file}: {runs:#?}");
    }
    project.settings.tests.excluded_names.clear();
    let runs = project.run(Purpose::Stop, &["tests/test_prolog_engine.py"]);
    assert_eq!(found(&runs, "pytest").len(), 1, "it is only configuration");

    let many: Vec<String> = (0..12).map(|it| format!("tests/test_{it}.py")).collect();
    for file in &many {
        project.write(file, "def test_good():\n    pass\n");
    }
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let runs = project.run(Purpose::Stop, &many);
    assert!(reason(&runs, "pytest").starts_with("2 more test files were not run: at most 10"));
    let ran = runs.iter().find(|it| it.tool == "pytest" && it.outcome == Outcome::Clean).unwrap();
    assert_eq!(sources_of(ran), 10);
}
