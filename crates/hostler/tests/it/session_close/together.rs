//! Two closes of one session.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ALL, World, stderr};

/// Waits for something that another process does.
#[track_caller]
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A world whose pushes wait until somebody writes into the pipe.
fn slow() -> (World, std::path::PathBuf) {
    let world = World::new(ALL);
    let pipe = world.home().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    world.hook("pre-push", "touch \"$HOME/pushing\"; cat \"$HOME/pipe\" > /dev/null");
    world.commit("feat: add search");
    (world, pipe)
}

#[test]
fn the_second_close_waits_and_says_who_did_it() {
    let (world, pipe) = slow();
    let spawn = || {
        let mut end = world.hostler(&["--json", "session", "end"]);
        end.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let first = spawn();
    until("the push", || world.home().join("pushing").exists());
    // The record is closed already: there is no session that a second close could mean.
    let late = world.hostler(&["session", "end", "--dry-run"]).output().unwrap();
    assert!(late.status.success(), "{}", stderr(&late));
    let second = spawn();
    fs::OpenOptions::new().write(true).open(&pipe).unwrap().write_all(b"go\n").unwrap();
    let first = first.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&first.stdout).unwrap();
    assert_eq!((&report["closed"], &report["by_another"]), (&json!(true), &json!(false)));
    let second = second.wait_with_output().unwrap();
    assert_eq!(second.status.code(), Some(3), "{}", stderr(&second));
    assert_eq!(world.tags().len(), 1);
    assert_eq!(world.read("CHANGELOG.md").matches("Add search").count(), 1);
}

#[test]
fn closes_that_begin_together_close_once() {
    let world = World::new(ALL);
    world.commit("feat: add search");
    let running: Vec<_> = (0..4)
        .map(|_| {
            let mut end = world.hostler(&["--json", "session", "end"]);
            end.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut did = 0;
    for child in running {
        let output = child.wait_with_output().unwrap();
        if let Ok(report) = serde_json::from_slice::<Value>(&output.stdout)
            && report["closed"] == true
        {
            did += usize::from(report["by_another"] == false);
        }
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", stderr(&output));
    }
    assert_eq!(did, 1);
    assert_eq!((world.tags().len(), world.references(&world.origin()).len()), (1, 2));
    assert_eq!(world.read("CHANGELOG.md").matches("Add search").count(), 1);
    assert_eq!(world.git(&["log", "--format=%s"]).matches("close session").count(), 1);
}
