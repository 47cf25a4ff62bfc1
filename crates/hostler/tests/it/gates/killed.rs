//! What is left of tools when the program that started them is killed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::hook::World;

/// Whether the process is there.
fn lives(id: &str) -> bool {
    let line = format!("kill -s 0 {id}");
    Command::new("/bin/sh").args(["-c", &line]).stderr(Stdio::null()).status().unwrap().success()
}

#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn tools_end_with_the_program_that_started_them() {
    let world = World::new().configured("[gates.tools]\nmypy = \"off\"\n");
    world.write("a.py", "x = 1\n");
    world.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
    let program = |path: &str, text: &str| {
        world.write(path, text);
        fs::set_permissions(world.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    };
    program(".venv/bin/python", "#!/bin/sh\nexit 1\n");
    // It has a child of its own, as runners of tests have.
    program(".venv/bin/ruff", "#!/bin/sh\nsleep 600 &\necho $! > child.new && mv child.new child\nwait\n");
    let mut child = world.start(&["review", "a.py"]);
    let pid = world.path("child");
    wait_until("the tool began", || Path::new(&pid).exists());
    let id = fs::read_to_string(&pid).unwrap().trim().to_owned();
    assert!(lives(&id));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the tool's child ended", || !lives(&id));
}
