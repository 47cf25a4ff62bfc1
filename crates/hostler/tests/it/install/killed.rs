//! `init` and `uninit` that end at any moment.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{LOCAL, Site};

const RUNS: u32 = 200;

const BEFORE: &str = "{\r\n  \"model\": \"m\", // mine\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}";

#[test]
fn a_killed_run_leaves_the_old_settings_or_the_new_ones() {
    let site = Site::new();
    let path = site.write(LOCAL, BEFORE);
    let started = Instant::now();
    site.ok(&["init"]);
    let mut took = started.elapsed();
    let after = fs::read_to_string(&path).unwrap();

    // Runs that find the old text and runs that find the new one take turns by themselves: whichever the last
    // run left is what the next one starts from.
    let (mut old, mut new, mut killed) = (0, 0, 0);
    for run in 0..RUNS {
        let registered = fs::read_to_string(&path).unwrap() == after;
        let command = if registered { "uninit" } else { "init" };
        let mut child = site.command(&[command]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // From the start to well behind the end, in steps that do not follow the order of the runs.
        let share = f64::from(run * 37 % RUNS) / f64::from(RUNS) * 1.3;
        std::thread::sleep(took.mul_f64(share).min(Duration::from_secs(5)));
        // One that has ended already is not killed.
        let _ = child.kill();
        let was_killed = child.wait().unwrap().code().is_none();
        killed += u32::from(was_killed);
        // What a run takes changes with what else the machine does: the guess follows what is seen of it.
        if was_killed == (1.0 < share) {
            took = took.mul_f64(share.max(0.5));
        }
        match fs::read_to_string(&path).unwrap() {
            text if text == BEFORE => old += 1,
            text if text == after => new += 1,
            text => panic!("run {run} of `{command}` left:\n{text}"),
        }
    }
    assert!(old != 0 && new != 0 && RUNS / 4 < killed, "{old} old, {new} new, {killed} killed");

    // And the way back is still known.
    site.ok(&["init"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
    site.ok(&["uninit"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE);
    for folder in [".claude", ".hostler", ".git/info"] {
        for leftover in hostler_ledger::file::leftovers(&site.path(folder)) {
            fs::remove_file(leftover).unwrap();
        }
    }
    assert!(!site.path(".hostler").exists() || fs::read_dir(site.path(".hostler")).unwrap().next().is_none());
}
