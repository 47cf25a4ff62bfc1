//! A real Python package with tags of every form: links and states are those that Python's own `ast`, and the real
//! pytest, come to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::World;

/// Pure Python, its tests in the wheel.
const PACKAGE: &str = "toolz==1.2.0";

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trace").join(name)
}

/// Runs Python in the project; the reason where that fails.
fn python(world: &World, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("python3")
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(world.path(""))
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(String::from_utf8_lossy(&text).trim().lines().last().unwrap_or("python3 failed").to_owned())
}

/// The package's sources in a project, without what the wheel says of itself.
fn unpacked(world: &World) -> Result<(), String> {
    fs::create_dir(world.path("wheel")).unwrap();
    python(
        world,
        &[
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--disable-pip-version-check",
            "--dest",
            "wheel",
            PACKAGE,
        ],
    )?;
    python(
        world,
        &["-c", "import zipfile, glob; zipfile.ZipFile(glob.glob('wheel/*.whl')[0]).extractall('.')"],
    )?;
    fs::remove_dir_all(world.path("wheel")).unwrap();
    for entry in fs::read_dir(world.path("")).unwrap().flatten() {
        if entry.file_name().to_string_lossy().ends_with(".dist-info") {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    Ok(())
}

type Links = BTreeMap<String, Vec<(String, String, u64)>>;

#[track_caller]
fn is_as_counted(world: &World, arguments: &[&str]) -> (Value, Value) {
    let document = world.json(&[&["--requirements", "docs/100-toolz.md"], arguments].concat());
    let mut count = vec![script("count.py").to_str().unwrap().to_owned(), ".".to_owned()];
    count.extend(arguments.get(1).map(|it| (*it).to_owned()));
    let count: Vec<&str> = count.iter().map(String::as_str).collect();
    let counted: Value = serde_json::from_str(&python(world, &count).unwrap()).unwrap();
    let expected: Links = serde_json::from_value(counted["links"].clone()).unwrap();
    let (mut ours, mut states) = (Links::new(), serde_json::Map::new());
    for row in document["requirements"].as_array().unwrap() {
        let mut links: Vec<(String, String, u64)> = row["links"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| {
                (
                    it["path"].as_str().unwrap().into(),
                    it["name"].as_str().unwrap().into(),
                    it["line"].as_u64().unwrap(),
                )
            })
            .collect();
        links.sort();
        let id = row["id"].as_str().unwrap().to_owned();
        states.insert(id.clone(), row["state"].clone());
        if !links.is_empty() {
            ours.insert(id, links);
        }
    }
    for id in ours.keys().chain(expected.keys()) {
        assert_eq!(ours.get(id), expected.get(id), "{id}");
    }
    assert_eq!(Value::Object(states), counted["states"]);
    assert!(500 < ours.values().map(Vec::len).sum::<usize>(), "hardly anything was tagged");
    (document, counted)
}

// @traces REQ-020-211 REQ-020-214
#[test]
fn a_real_package_is_counted_as_another_program_counts_it() {
    const NAME: &str = "a real Python package";
    let world = World::new();
    if let Err(reason) = unpacked(&world) {
        testkit::client::skip(NAME, &format!("`{PACKAGE}` cannot be had: {reason}"));
        return;
    }
    python(&world, &[script("decorate.py").to_str().unwrap(), "."]).unwrap();
    let (document, _) = is_as_counted(&world, &[]);
    assert_eq!(document["totals"]["requirements"], 60);
    let told = |document: &Value, rule: &str| -> Vec<String> {
        let all = document["findings"].as_array().unwrap();
        all.iter().filter(|it| it["rule"] == rule).map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(told(&document, "done-untraced"), ["TZ-011", "TZ-023", "TZ-037", "TZ-041"]);

    // A removed test, a changed text and an unknown id are each reported, and nothing else is.
    let gate = ["check", "--requirements", "docs/100-toolz.md", "--no-unknown", "--no-suspect", "--no-lost"];
    world.ok(&["review", "--all", "--requirements", "docs/100-toolz.md"]);
    world.says(&gate, 0, &["the check holds"]);
    let group = fs::read_to_string(world.path("toolz/tests/test_rtm.py")).unwrap();
    fs::write(world.path("toolz/tests/test_rtm.py"), group.replace("test_that_fails", "test_another"))
        .unwrap();
    world.says(&gate, 1, &["lost-link", "`TZ-002` was cited by `toolz/tests/test_rtm.py#test_that_fails`"]);
    fs::write(world.path("toolz/tests/test_rtm.py"), &group).unwrap();
    let spec = fs::read_to_string(world.path("docs/100-toolz.md")).unwrap();
    fs::write(
        world.path("docs/100-toolz.md"),
        spec.replace("thing of number 7\n", "thing of number 7 twice\n"),
    )
    .unwrap();
    world.says(&gate, 1, &["suspect-link", "the text of `TZ-007` changed"]);
    fs::write(world.path("docs/100-toolz.md"), &spec).unwrap();
    fs::write(world.path("toolz/tests/test_rtm.py"), group.replace("TZ-004", "TZ-904")).unwrap();
    world.says(&gate, 1, &["unknown-id", "`TZ-904` is no known requirement"]);
    fs::write(world.path("toolz/tests/test_rtm.py"), &group).unwrap();

    // The package's own tests by the real pytest.
    let run = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=junit.xml", "toolz"];
    let printed = python(&world, &run).err();
    if !world.path("junit.xml").is_file() {
        testkit::client::skip(NAME, &format!("pytest ran no tests: {}", printed.unwrap_or_default()));
        return;
    }
    let (document, _) = is_as_counted(&world, &["--results", "junit.xml"]);
    let failing = told(&document, "traced-failing");
    assert!(failing.contains(&"TZ-002".to_owned()), "{failing:?}");
    assert!(30 < document["totals"]["passing"].as_u64().unwrap(), "{}", document["totals"]);
}
