//! A close that is killed at any point is finished by the next one, and nothing is done twice.

use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use super::{ALL, World};

const STEPS: [&str; 8] = ["flush", "rtm", "changelog", "record", "clear", "commit", "tag", "push"];
const SIGKILL: i32 = 9;

fn world() -> World {
    let world = World::new(ALL);
    world.ok(&["session", "log-achievement", "--item", "Asked around"]);
    world.commit("feat(api): add search");
    world.commit("fix: empty queries");
    world.write("mine.txt", "staged by the user\n");
    world.git(&["add", "mine.txt"]);
    world
}

fn kill(world: &World, point: &str) {
    let arguments = ["session", "end", "--achievements", "Measured it", "--upcoming", "Index files"];
    let output = world.hostler(&arguments).env("HOSTLER_FAULT", format!("kill:{point}")).output().unwrap();
    assert_eq!(output.status.signal(), Some(SIGKILL), "at {point}: {output:?}");
}

/// Everything that a close leaves behind, without what differs from one run to the next.
fn left(world: &World) -> Vec<String> {
    let mut context = world.context();
    let tag = world.session()["tag"].as_str().unwrap().to_owned();
    mask(&mut context);
    let (here, there) = (world.references(&world.project()), world.references(&world.origin()));
    assert_eq!(there[&format!("refs/tags/{tag}")], here[&format!("refs/tags/{tag}")]);
    assert_eq!(there["refs/heads/main"], here["refs/heads/main"]);
    assert_eq!(world.git(&["rev-parse", &format!("{tag}^{{}}")]), here["refs/heads/main"]);
    let names = |references: std::collections::BTreeMap<String, String>| {
        references.into_keys().collect::<Vec<_>>().join(" ").replace(&tag, "TAG")
    };
    let mut plans: Vec<String> = std::fs::read_dir(world.state().join("closing"))
        .unwrap()
        .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    plans.sort();
    vec![
        format!("{context:#}"),
        world.read("CHANGELOG.md"),
        world.git(&["log", "--format=%s%n%b", "main"]),
        world.git(&["ls-tree", "-r", "--name-only", "main"]),
        world.git(&["status", "--porcelain"]),
        world.git(&["tag", "--list", "--format=%(contents)"]),
        names(here),
        names(there),
        plans.join(" "),
    ]
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if ["when", "ended", "updated", "commit", "tag", "length"].contains(&name.as_str()) {
                    assert!(value.is_string(), "{name} is {value}");
                    *value = Value::from("…");
                } else if name == "heads" {
                    assert!(value.as_array().is_some_and(|it| it.len() == 1), "{value}");
                    *value = Value::from("…");
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        _ => {}
    }
}

#[test]
fn a_close_that_was_killed_is_finished_by_the_next() {
    let undisturbed = world();
    undisturbed.end(&["--achievements", "Measured it", "--upcoming", "Index files"]);
    let expected = left(&undisturbed);
    assert!(expected[4] == "A  mine.txt" && expected[8] == "lock", "{expected:#?}");
    let mut points = vec!["planned".to_owned(), "kept".to_owned(), "announced".to_owned()];
    for step in STEPS {
        points.extend(["before", "after", "kept"].map(|when| format!("{when}:{step}")));
    }
    // Most of the time is spent waiting for the disk.
    std::thread::scope(|scope| {
        for points in points.chunks(points.len().div_ceil(6)) {
            let expected = &expected;
            scope.spawn(move || {
                for point in points {
                    let world = world();
                    kill(&world, point);
                    world.end(&["--achievements", "Measured it", "--upcoming", "Index files"]);
                    for (found, expected) in left(&world).iter().zip(expected) {
                        assert_eq!(found, expected, "killed at {point}");
                    }
                }
            });
        }
    });
    let world = world();
    kill(&world, "finished");
    assert_eq!(left(&world), expected);
    assert_eq!(world.hostler(&["session", "end"]).output().unwrap().status.code(), Some(3));
    assert_eq!(left(&world), expected);
}

#[test]
fn it_may_be_killed_more_than_once() {
    let undisturbed = world();
    undisturbed.end(&["--achievements", "Measured it", "--upcoming", "Index files"]);
    let world = world();
    for point in ["after:changelog", "after:record", "announced", "after:commit", "after:tag", "after:push"] {
        kill(&world, point);
    }
    world.end(&[]);
    assert_eq!(left(&world), left(&undisturbed));
}

#[test]
fn the_next_start_finishes_it_as_well() {
    let undisturbed = world();
    undisturbed.end(&["--achievements", "Measured it", "--upcoming", "Index files"]);
    let world = world();
    kill(&world, "after:record");
    world.ok(&["session", "end", "--resume"]);
    assert_eq!(left(&world), left(&undisturbed));
    // Nothing is left, and nothing is closed that nobody asked to close.
    assert_eq!(world.ok(&["session", "end", "--resume"]), "");
    world.ok(&["session", "begin", "--purpose", "Go on"]);
    assert_eq!(world.ok(&["session", "end", "--resume"]), "");
    assert_eq!(world.session()["length"], Value::Null);
}

#[test]
fn work_that_went_on_after_the_kill_belongs_to_the_session() {
    let world = world();
    kill(&world, "after:changelog");
    world.git(&["stash", "--quiet"]);
    world.git(&["stash", "pop", "--quiet"]);
    world.git(&["commit", "--quiet", "--message=feat: one more", "--", "mine.txt"]);
    world.end(&[]);
    let text = world.read("CHANGELOG.md");
    let count = |entry: &str| text.lines().filter(|it| *it == entry).count();
    assert_eq!(["- api: add search", "- Empty queries", "- One more"].map(count), [1, 1, 1], "{text}");
    let reached = world.session()["achievements"].to_string();
    assert!(reached.contains("one more") && reached.matches("add search").count() == 1, "{reached}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
}

#[test]
fn what_is_said_when_it_is_finished_counts_as_well() {
    let world = world();
    kill(&world, "kept:flush");
    let report = world.end(&["--achievements", "Said later", "--no-push"]);
    assert_eq!((&report["resumed"], super::step(&report, "push").0), (&Value::from(true), "skipped"));
    let reached = world.session()["achievements"].to_string();
    assert!(reached.contains("Measured it") && reached.contains("Said later"), "{reached}");
    assert_eq!(world.context()["deferred_work"].as_array().unwrap().len(), 1);
    // The record is closed: what is pushed is still a choice.
    let world = self::world();
    kill(&world, "after:record");
    let report = world.end(&["--no-push"]);
    assert_eq!((super::step(&report, "tag").0, super::step(&report, "push").0), ("done", "skipped"));
    assert_eq!(world.references(&world.origin()).len(), 1);
}

#[test]
fn a_session_that_was_left_leaves_a_close_that_was_asked_for_alone() {
    let undisturbed = world();
    undisturbed.end(&["--achievements", "Measured it", "--upcoming", "Index files"]);
    let world = world();
    kill(&world, "kept:flush");
    // Closed as left, it would be neither tagged nor pushed.
    world.ok(&["session", "end", "--left", "1", "2026-11-30T12:00:00Z"]);
    assert_eq!(left(&world), left(&undisturbed));
}
