//! What makes a check hold, and what must not; reviews that get lost.

use std::fs;
use std::process::{Command, Stdio};

use super::{World, shop};

#[test]
fn a_check_does_not_hold_of_nothing() {
    let world = shop();
    world.write("schema.sql", "-- @TAG FR-004\nCREATE TABLE cart (id int);\n");
    let nothing = "no results of tests were read, so nothing says that none failed";
    // Reports that are asked for and are not there, or are empty.
    world.write("trace.toml", "results = [\"out/*.xml\"]\n");
    world.says(&["check"], 1, &[nothing, "nothing matches `out/*.xml`"]);
    world.says(&["check", "--no-failing"], 1, &[nothing]);
    world.says(&["check", "--no-unknown"], 0, &["the check holds"]);
    world.says(&["check", "--no-failing", "--report-only"], 0, &[nothing, "(report only)"]);
    world.write("out/a.xml", "<testsuites/>");
    world.says(&["check", "--no-failing"], 1, &[nothing]);
    world.write("out/a.xml", "<testsuite><testcase classname='x.y' name='z'/></testsuite>");
    world.says(
        &["check", "--no-failing"],
        0,
        &["the check holds", "note: none of the 1 results belongs to a test"],
    );
    // Files that are not there.
    for (include, code, said) in [
        ("\"scr/\"", 1, "no file was searched for tags"),
        ("\"scr/\", \"src\"", 0, "nothing is searched of `scr/`: no file matches it"),
        ("\"src\"", 0, "the check holds"),
        ("\"/src/cart.rs\"", 0, "the check holds"),
    ] {
        world.write("trace.toml", &format!("[sources]\ninclude = [{include}]\n"));
        world.says(&["check"], code, &[said]);
    }
    for exclude in ["src", "/src", "src/", "src/*"] {
        world.write("trace.toml", &format!("[sources]\nexclude = [\"{exclude}\"]\n"));
        let row = world.json(&["show", "FR-002"]);
        assert_eq!(row[0]["state"], "untraced", "{exclude}");
    }
    for min in ["-5", "150", "nan"] {
        world.write("trace.toml", &format!("[check]\nmin = {min}\n"));
        world.says(&["check"], 4, &["`check.min` is", "not between 0 and 100"]);
    }
    // What the file asks for can be switched off.
    world.write("trace.toml", "[check]\nmin = 100\nreport_only = true\n");
    world.says(&["check"], 0, &["(report only)"]);
    world.says(&["check", "--report-only=false"], 1, &["the check does not hold"]);
}

#[test]
fn crates_are_told_apart_by_the_names_in_their_manifests() {
    let world = World::new();
    world.write("requirements.md", "- FR-001: one\n- FR-002: two\n");
    for (folder, name, id) in [("one", "alpha", "FR-001"), ("two", "beta", "FR-002")] {
        world.write(&format!("{folder}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\n"));
        let text = format!("#[cfg(test)]\nmod tests {{\n  /// @TAG {id}\n  #[test]\n  fn ok() {{}}\n}}\n");
        world.write(&format!("{folder}/src/lib.rs"), &text);
    }
    world.write(
        "printed",
        "     Running unittests src/lib.rs (target/debug/deps/alpha-0123)\ntest tests::ok ... ok\n",
    );
    let state = |id: &str| world.json(&["show", id, "--results", "printed"])[0]["state"].clone();
    assert_eq!((state("FR-001"), state("FR-002")), ("passing".into(), "tested".into()));
    world.write("one/Cargo.toml", "[package]\nname = \"gamma\"\n[lib]\nname = \"delta\"\n");
    assert_eq!(state("FR-001"), "tested");
    world.write("two/Cargo.toml", "[package]\nname = \"gamma\"\n[lib]\nname = \"alpha\"\n");
    assert_eq!((state("FR-001"), state("FR-002")), ("tested".into(), "passing".into()));
}

#[test]
fn reviews_are_lost_to_nothing_but_a_requirement_that_is_gone() {
    let world = World::new();
    world.write("requirements.md", "- FR-001: one\n");
    world.write("docs/requirements.yaml", "FR-100: hundred\n");
    world.write("a.py", "# @TAG FR-001, FR-100\ndef a(): pass\n");
    world.says(&["review", "--all"], 0, &["reviewed: 2 requirements"]);
    let lock = || fs::read_to_string(world.path("trace.lock")).unwrap();
    let whole = lock();
    // One of the sources is left out, or cannot be read: nobody knows what is in it.
    world.says(
        &["review", "--all", "--requirements", "requirements.md"],
        0,
        &["note: 1 entries of `trace.lock` stay: not all sources of requirements were read"],
    );
    assert_eq!(lock(), whole);
    world.says(&["check", "--no-lost", "--requirements", "requirements.md"], 0, &["the check holds"]);
    world.write("docs/requirements.yaml", "FR-100: \"hund\n");
    world.says(&["review", "--all"], 0, &["note: not read: ", "stay"]);
    assert_eq!(lock(), whole);
    // It is gone, and its tag with it.
    fs::remove_file(world.path("docs/requirements.yaml")).unwrap();
    world.write("a.py", "# @TAG FR-001\ndef a(): pass\ndef b(): pass\n");
    let gone = "lost-requirement trace.lock  `FR/FR-100` was reviewed, and no source of requirements has it any longer";
    world.says(&["check", "--no-lost"], 1, &[gone, "1 lost requirement"]);
    world.says(&["review"], 0, &["FR/FR-100  it is in no source any longer"]);
    world.write("a.py", "# @TAG FR-001\ndef b(): pass\n");
    world.says(
        &["review", "--all"],
        0,
        &["reviewed: FR-001", "removed: 1 entries of `trace.lock` whose requirement is gone"],
    );
    world.says(&["check", "--no-lost"], 0, &["the check holds"]);
    // Another specification comes to have the id.
    world.write("specs/x/spec.md", "- FR-001: other\n");
    world.write("a.py", "# @TAG requirements/FR-001\ndef b(): pass\n");
    world.says(&["check", "--no-lost", "--no-suspect"], 0, &["the check holds"]);
    world.write("requirements.md", "- FR-001: one, changed\n");
    world.says(
        &["check", "--no-suspect"],
        1,
        &["suspect-link    requirements.md:1  the text of `requirements/FR-001`"],
    );
}

#[test]
fn reviews_at_the_same_time_are_all_kept() {
    let world = World::new();
    let ids: Vec<String> = (1..=16).map(|at| format!("FR-{at:03}")).collect();
    let requirements: Vec<String> = ids.iter().map(|id| format!("- {id}: text\n")).collect();
    let source: Vec<String> =
        ids.iter().map(|id| format!("# @TAG {id}\ndef f_{}(): pass\n", &id[3..])).collect();
    world.write("requirements.md", &requirements.concat());
    world.write("a.py", &source.concat());
    for no_cache in [false, true] {
        let children: Vec<_> = ids
            .iter()
            .map(|id| {
                Command::new(env!("CARGO_BIN_EXE_hostler"))
                    .args(["trace", "review", id])
                    .args(no_cache.then_some("--no-cache"))
                    .env("HOME", world.folder.path().join("home"))
                    .env_remove("XDG_STATE_HOME")
                    .current_dir(world.path(""))
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for child in children {
            assert!(child.wait_with_output().unwrap().status.success());
        }
        let lock = fs::read_to_string(world.path("trace.lock")).unwrap();
        assert_eq!(lock.matches("/FR-").count(), 16, "{lock}");
        fs::remove_file(world.path("trace.lock")).unwrap();
    }
}

#[test]
fn many_results_of_one_name_take_no_longer_than_others() {
    // Each result would be looked at for each tag: 400 million looks.
    const COUNT: usize = 20_000;
    let world = World::new();
    world.write("requirements.md", "- FR-001: one\n");
    let tests: Vec<String> =
        (0..COUNT).map(|at| format!("# @TAG FR-001\nclass Test{at}:\n  def works(self): pass\n")).collect();
    for (at, text) in tests.chunks(1_000).enumerate() {
        world.write(&format!("tests/test_{at}.py"), &text.concat());
    }
    let case = |at| format!("<testcase classname='tests.test_{}.Test{at}' name='works[{at}]'/>", at / 1_000);
    let cases: Vec<String> = (0..COUNT).map(case).collect();
    world.write("r.xml", &format!("<testsuite name='p'>{}</testsuite>", cases.concat()));
    let start = std::time::Instant::now();
    let document = world.json(&["show", "FR-001", "--results", "r.xml"]);
    assert_eq!(document[0]["state"], "passing");
    assert!(document[0]["links"].as_array().unwrap().iter().all(|it| it["outcome"] == "passed"));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
