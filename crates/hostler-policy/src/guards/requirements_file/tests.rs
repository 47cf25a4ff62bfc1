use hostler_model::{Profile, Verdict};

use super::*;
use crate::testing::{World, edit, write};

// @traces 021-TEST-UNIT-040 021-US-005-AC04
#[test]
fn references_to_requirements_are_stopped_with_the_way_of_uv() {
    for action in [
        write("requirements.txt", "requests\n"),
        write("Dockerfile", "RUN pip install -r requirements.txt\n"),
        write("ci.yml", "- run: pip3 install --upgrade -r requirements.txt\n"),
        write("a.py", "call(['pip', 'install', '-r', 'requirements.txt'])\n"),
        edit("README.md", "some", "pip install -rrequirements.txt"),
    ] {
        for (profile, verdict) in [(Profile::Standard, Verdict::Warn), (Profile::Strict, Verdict::Deny)] {
            let decision = World::sample(profile).decide(action.clone());
            assert_eq!(decision.verdict, verdict, "{action:?}");
            let told = decision.findings.first().and_then(|it| it.instead.clone()).unwrap_or_default();
            assert!(told.contains("pyproject.toml") && told.contains("`uv add requests`"), "{told}");
        }
    }
}

#[test]
fn it_counts_where_uv_manages_the_packages() {
    for (profile, setting, found, expected) in [
        (Profile::Standard, None, Some(true), 1),
        (Profile::Standard, None, Some(false), 0),
        (Profile::Standard, None, None, 0),
        (Profile::Standard, Some(true), Some(false), 1),
        (Profile::Standard, Some(false), Some(true), 0),
        (Profile::Strict, None, Some(false), 1),
        (Profile::Strict, Some(false), Some(true), 0),
    ] {
        let mut world = World::sample(profile);
        world.settings.uv = setting;
        world.uses_uv = found;
        let hits = world.hits(&GUARD, write("requirements.txt", "x\n"));
        assert_eq!(hits.len(), expected, "{profile:?} {setting:?} {found:?}");
    }
}

#[test]
fn only_what_an_edit_adds_counts() {
    let world = World::sample(Profile::Strict).file("README.md", "a\npip install -r requirements.txt\n");
    assert_eq!(world.hits(&GUARD, edit("README.md", "a\n", "b\n")), []);
    let hits = world.hits(&GUARD, edit("README.md", "a\n", "pip install -r requirements-dev.txt\n"));
    let problems: Vec<&str> = hits.iter().map(|it| it.problem.as_str()).collect();
    assert_eq!(problems, ["line 1 of `README.md` installs packages from a requirements file"]);
}

#[test]
fn instructions_are_told_from_mentions() {
    for (line, expected) in [
        ("pip install -r requirements.txt", true),
        ("$ ./venv/bin/pip install --requirement=dev.txt", true),
        ("pip3.12 install -r base.txt", true),
        ("`pip install requests`", false),
        ("requirements.txt is not used", false),
        ("pip freeze > requirements.txt", false),
        ("uv pip compile requirements.in", false),
        ("zip -r requirements.zip", false),
        ("", false),
    ] {
        assert_eq!(installs(line), expected, "{line}");
    }
}
