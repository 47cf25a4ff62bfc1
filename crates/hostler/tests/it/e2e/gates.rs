//! The gates in the real client: edits before they land, and turns that do not end on what they broke.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::model::{Turn, bash, edit, read, say, write};
use testkit::{Scenario, World};

use super::scenario;

const SENT_BACK: &str = "hostler: the turn cannot end yet";

/// Without tools of anybody, so that a test tells the same on every machine.
const ALONE: &str = "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\n";

/// Whether a program is here; says so when not.
fn has(test: &str, program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        testkit::client::skip(test, &format!("`{program} {}` does not work here", arguments.join(" ")));
    }
    there
}

/// What became of the session's turns at the gates.
fn outcomes(world: &World, session: &str) -> Vec<String> {
    let records = world.records(session);
    let gates = records.iter().filter(|record| record["kind"] == "gate");
    gates.map(|record| record["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Writes a program into the project.
fn program(world: &World, path: &str, text: &str) {
    world.write(path, text);
    fs::set_permissions(world.path(path), fs::Permissions::from_mode(0o755)).unwrap();
}

// @traces 021-TEST-INTEG-034
#[test]
fn an_edit_that_breaks_a_file_does_not_land_and_the_model_reads_why() {
    let Some(world) = scenario("an_edit_that_breaks_a_file_does_not_land_and_the_model_reads_why")
        .file("src/cart.py", "def total(prices):\n    return sum(prices)\n")
        .file(".hostler/config.toml", ALONE)
        .open()
    else {
        return;
    };
    let path = world.path("src/cart.py");
    let run = world.play([
        Turn::new([read(&path)]),
        Turn::new([edit(&path, "return sum(prices)", "return (sum(prices)")]),
        Turn::new([edit(&path, "return sum(prices)", "return sum(prices or [])")]),
        Turn::new([say("The cart takes no prices as well now.")]),
    ]);
    run.model_reads("[syntax-error]").model_reads("does not parse").chain_holds();
    assert_eq!(world.read("src/cart.py"), "def total(prices):\n    return sum(prices or [])\n");
    assert_eq!(outcomes(&world, &run.session_id()), ["passed"]);
}

/// An environment of Python in a folder of the project, with one program in it.
fn environment(world: &World, folder: &str, version: &str, name: &str, text: &str) {
    world.write(&format!("{folder}/.venv/pyvenv.cfg"), format!("home = /usr/bin\nversion = {version}\n"));
    program(world, &format!("{folder}/.venv/bin/python"), "#!/bin/sh\nexit 1\n");
    program(world, &format!("{folder}/.venv/bin/{name}"), text);
}

/// A project with a test that can fail.
fn shop(name: &str) -> Scenario {
    let config = "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\n";
    scenario(name)
        .file("cart.py", "def total(prices):\n    return sum(prices)\n")
        .file(
            "tests/test_cart.py",
            "from cart import total\n\n\ndef test_empty():\n    assert total([]) == 0\n",
        )
        .file("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n")
        .file(".gitignore", "__pycache__/\n.pytest_cache/\n")
        .file(".hostler/config.toml", config)
}

// @traces REQ-020-036 020-ERR-003
#[test]
fn a_turn_with_a_failing_test_goes_back_once_and_ends_once_it_is_repaired() {
    let name = "a_turn_with_a_failing_test_goes_back_once_and_ends_once_it_is_repaired";
    if !has(name, "python3", &["-m", "pytest", "--version"]) {
        return;
    }
    let Some(world) = shop(name).open() else { return };
    let test = world.path("tests/test_cart.py");
    let sum = "\n\ndef test_sum():\n    assert total([1, 2]) == ";
    let run = world.play([
        Turn::new([bash(&format!("printf '{}4\\n' >> tests/test_cart.py", sum.replace('\n', "\\n")))]),
        Turn::new([say("I added a case.")]),
        Turn::new([read(&test)]),
        Turn::new([edit(&test, "== 4", "== 3")]),
        Turn::new([say("I corrected the expectation.")]),
    ]);
    run.model_reads(SENT_BACK).model_reads("tests/test_cart.py").model_reads("6. Tests: ").chain_holds();
    assert_eq!(outcomes(&world, &run.session_id()), ["sent-back", "passed"]);
    let records = world.records(&run.session_id());
    let gate = records.iter().find(|record| record["kind"] == "gate").unwrap();
    let ran: Vec<&Value> = gate["evidence"]["runs"].as_array().unwrap().iter().collect();
    assert!(ran.iter().any(|run| run["act"] == "test" && run["outcome"]["passed"] == false), "{gate:#}");
}

#[test]
fn what_cannot_be_repaired_sends_back_twice_and_then_the_turn_ends_with_a_report() {
    let Some(world) =
        scenario("what_cannot_be_repaired_sends_back_twice_and_then_the_turn_ends_with_a_report")
            .file(".hostler/config.toml", ALONE)
            .open()
    else {
        return;
    };
    let path = world.path("src/cart.py");
    let run = world.play([
        Turn::new([write(&path, "def discount(total):\n    pass\n")]),
        Turn::new([say("Here it is.")]),
        Turn::new([say("I do not know how to go on.")]),
        Turn::new([say("I still do not know how to go on.")]),
    ]);
    run.model_reads(SENT_BACK).user_reads("src/cart.py:1 stop.stub").user_reads("is not any more");
    assert_eq!(outcomes(&world, &run.session_id()), ["sent-back", "sent-back", "released"]);
    run.chain_holds();
}

// @traces REQ-020-087 021-CONST-IV-009
#[test]
fn a_tool_that_is_missing_or_broken_holds_nobody() {
    let Some(world) = scenario("a_tool_that_is_missing_or_broken_holds_nobody")
        .file("setup.cfg", "[flake8]\nmax-line-length = 100\n")
        .file("mypy.ini", "[mypy]\n")
        .file(".hostler/config.toml", "[gates.tools]\nruff = \"off\"\n")
        .open()
    else {
        return;
    };
    environment(&world, ".", "3.11.7", "flake8", "#!/bin/sh\necho 'Segmentation fault' >&2\nexit 139\n");
    let path = world.path("src/cart.py");
    let run = world.play([
        Turn::new([write(&path, "def total(prices):\n    return sum(prices)\n")]),
        Turn::new([say("The cart can add up.")]),
    ]);
    run.model_never_reads(SENT_BACK).user_reads("not checked, told once a session").user_reads("flake8");
    assert_eq!(outcomes(&world, &run.session_id()), ["passed"]);
}

#[test]
fn each_project_of_a_repository_is_checked_by_its_own_tools() {
    let Some(world) = scenario("each_project_of_a_repository_is_checked_by_its_own_tools")
        .file("old/pyproject.toml", "[project]\nname = \"old\"\nrequires-python = \">=3.9\"\n[tool.flake8]\n")
        .file("old/.flake8", "[flake8]\n")
        .file("new/pyproject.toml", "[project]\nname = \"new\"\nrequires-python = \">=3.13\"\n")
        .file("new/.flake8", "[flake8]\n")
        .file(".gitignore", ".venv/\nran\n")
        .file(".hostler/config.toml", "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\n")
        .open()
    else {
        return;
    };
    for (project, version) in [("old", "3.9.18"), ("new", "3.13.0")] {
        let ran = world.path(&format!("{project}/ran"));
        let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", ran.display());
        environment(&world, project, version, "flake8", &script);
    }
    let code = "def total(prices):\n    return sum(prices)\n";
    let run = world.play([
        Turn::new([write(world.path("old/a.py"), code), write(world.path("new/b.py"), code)]),
        Turn::new([say("Both can add up.")]),
    ]);
    run.model_never_reads(SENT_BACK);
    let (old, new) = (world.read("old/ran"), world.read("new/ran"));
    assert!(old.contains("a.py") && !old.contains("b.py"), "{old}");
    assert!(new.contains("b.py") && !new.contains("a.py"), "{new}");
}

/// Interpreters of Python that are here, by their minor version.
fn pythons() -> Vec<(u32, PathBuf)> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let versions = |folder: &str| fs::read_dir(home.join(folder)).into_iter().flatten().flatten();
    let kept = versions(".pyenv/versions").chain(versions(".local/share/uv/python"));
    let mut found: Vec<PathBuf> = kept.map(|it| it.path().join("bin/python3")).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        found.extend((8..20).map(|minor| folder.join(format!("python3.{minor}"))));
    }
    let minor = |python: &PathBuf| {
        let code = "import sys, venv; print(sys.version_info[1])";
        let output = Command::new(python).args(["-c", code]).stderr(Stdio::null()).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    found.into_iter().filter_map(|it| Some((minor(&it)?, it))).collect()
}

#[test]
fn projects_with_two_versions_of_python_are_each_run_with_their_own() {
    let name = "projects_with_two_versions_of_python_are_each_run_with_their_own";
    let pythons = pythons();
    // What each of them has in its library, and the other has not.
    let old = pythons.iter().find(|(minor, _)| (8..11).contains(minor));
    let new = pythons.iter().find(|(minor, _)| 12 <= *minor);
    let (Some((_, old)), Some((_, new))) = (old, new) else {
        let found: Vec<u32> = pythons.iter().map(|it| it.0).collect();
        testkit::client::skip(
            name,
            &format!("it takes Python 3.8 to 3.10 and 3.12 or later; here are 3.{found:?}"),
        );
        return;
    };
    let config = format!("profile = \"strict\"\n{ALONE}");
    let Some(world) = scenario(name)
        .file("old/pyproject.toml", "[project]\nname = \"old\"\n")
        .file("new/pyproject.toml", "[project]\nname = \"new\"\n")
        .file(".gitignore", ".venv/\n")
        .file(".hostler/config.toml", config)
        .open()
    else {
        return;
    };
    for (project, python) in [("old", old), ("new", new)] {
        let folder = world.path(&format!("{project}/.venv"));
        let made = Command::new(python).args(["-m", "venv", "--without-pip"]).arg(folder).status();
        assert!(made.is_ok_and(|status| status.success()), "{}", python.display());
    }
    let path = world.path("old/settings.py");
    let code = "import tomllib\n\nREAD = tomllib.loads\n";
    let run = world.play([
        Turn::new([write(&path, code), write(world.path("new/settings.py"), code)]),
        Turn::new([say("Both read their settings.")]),
        Turn::new([read(&path)]),
        Turn::new([edit(&path, code, "import distutils\n\nREAD = distutils.__doc__\n")]),
        Turn::new([say("The old one does without.")]),
    ]);
    run.model_reads(SENT_BACK).model_reads("old/settings.py:1 import ModuleNotFoundError").chain_holds();
    run.model_never_reads("new/settings.py:");
    assert_eq!(outcomes(&world, &run.session_id()), ["sent-back", "passed"]);
    let records = world.records(&run.session_id());
    let last = records.iter().rfind(|record| record["kind"] == "gate").unwrap();
    for project in ["old", "new"] {
        let python = world.path(&format!("{project}/.venv/bin/python3"));
        assert!(last.to_string().contains(python.to_str().unwrap()), "{last:#}");
    }
}

#[test]
fn a_formatter_at_the_end_of_a_turn_does_not_break_the_next_edit() {
    let name = "a_formatter_at_the_end_of_a_turn_does_not_break_the_next_edit";
    if !has(name, "ruff", &["--version"]) {
        return;
    }
    let Some(world) = scenario(name).file("pyproject.toml", "[tool.ruff.format]\n").open() else { return };
    let path = world.path("src/cart.py");
    let run = world.play([
        Turn::new([write(&path, "def total(prices):\n    return sum( prices )\n")]),
        Turn::new([say("The cart can add up.")]),
    ]);
    assert_eq!(world.read("src/cart.py"), "def total(prices):\n    return sum(prices)\n");
    run.user_reads("the project's formatter changed src/cart.py").model_never_reads(SENT_BACK);
    let again = world.session().arg("--resume").arg(run.session_id()).prompt("and no prices").play([
        Turn::new([read(&path)]),
        Turn::new([edit(&path, "sum(prices)", "sum(prices or [])")]),
        Turn::new([say("It takes none as well.")]),
    ]);
    again.model_reads("the project's formatter changed src/cart.py after your last turn: read it again");
    assert_eq!(world.read("src/cart.py"), "def total(prices):\n    return sum(prices or [])\n");
    assert!(
        !Path::new(&world.path(".ruff_cache")).exists() || world.git(&["status", "--short"]).contains("src/")
    );
}
