//! The index follows the files while somebody watches.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use super::ground::{Ground, until};

/// A watcher that ends with the test.
struct Watcher(Child);

impl Watcher {
    /// Started, and told that it waits.
    fn start(ground: &Ground) -> Self {
        let tree = ground.tree();
        let mut command = ground.command(&["watch", tree.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let watcher = Self(child);
        let told: Vec<String> =
            lines.map_while(Result::ok).take_while(|it| !it.contains("watching")).collect();
        assert!(told.is_empty(), "{told:?}");
        watcher
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // It may have ended on its own by now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_comes_changes_moves_and_goes_is_followed() {
    let ground = Ground::with(&[("a.md", "apple\n"), ("gone.md", "gooseberry\n")]);
    let _watcher = Watcher::start(&ground);
    assert_eq!(ground.found("apple"), ["a.md"]);

    fs::write(ground.tree().join("new.md"), "nectarine\n").unwrap();
    until("a new file", || ground.found("nectarine") == ["new.md"]);
    // A folder that was not there, with one in it.
    fs::create_dir_all(ground.tree().join("deep/er")).unwrap();
    fs::write(ground.tree().join("deep/er/d.md"), "date\n").unwrap();
    until("a file in a new folder", || ground.found("date") == ["deep/er/d.md"]);
    fs::write(ground.tree().join("deep/er/d.md"), "durian\n").unwrap();
    until("a change there", || ground.found("durian") == ["deep/er/d.md"]);
    ground.remove("gone.md");
    until("a removal", || ground.json(&["status"])["files"] == 3);
    fs::rename(ground.tree().join("deep"), ground.tree().join("moved")).unwrap();
    until("a move", || ground.found("durian") == ["moved/er/d.md"]);
}

#[test]
fn a_root_that_is_none_ends_it() {
    let ground = Ground::new();
    let said = ground.fails(&["watch", ground.tree().join("missing").to_str().unwrap()], 4);
    assert!(said.contains("there is no such folder"), "{said}");
}
