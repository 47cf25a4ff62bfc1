//! `hostler notify` against a real bus: `dbus-daemon` checks every message, `dbus-monitor` says what was in it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;

use crate::hook::{Answer, World};

/// How long a line is waited for: far above what it takes.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// A notification service in a hundred lines: it owns the name and answers.
const SERVICE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/daily/notify_service.py");

/// A program that is ended with the test, and its lines.
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The lines up to the one with `text` in it.
    #[track_caller]
    fn until(&self, text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(WAIT_MAX) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("no `{text}` ({error}) in {seen:#?}"),
            }
            if seen.last().unwrap().contains(text) {
                return seen;
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session bus of its own.
struct Desktop {
    world: World,
    address: String,
    _bus: Running,
}

fn desktop(test: &str) -> Option<Desktop> {
    for program in ["dbus-daemon", "dbus-monitor", "python3"] {
        let found =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        // `dbus-monitor` knows no `--version` and ends with 1: that it starts is enough.
        if found.is_err() {
            testkit::client::skip(test, &format!("no `{program}`"));
            return None;
        }
    }
    let world = World::new();
    // A path of a socket holds some hundred bytes.
    let folder = tempfile::Builder::new().prefix("bus ").tempdir().unwrap();
    let socket = folder.keep().join("session");
    let configuration = world.path("~/bus.conf");
    let escaped = socket.display().to_string().replace(' ', "%20");
    fs::create_dir_all(world.path("~/services")).unwrap();
    fs::write(
        &configuration,
        format!(
            r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={escaped}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>"#
        ),
    )
    .unwrap();
    let mut daemon = Command::new("dbus-daemon");
    daemon.arg(format!("--config-file={}", configuration.display())).args(["--nofork", "--print-address=1"]);
    let bus = Running::start(&mut daemon);
    let address = bus.until("unix:").pop().unwrap();
    let world = world.set("DBUS_SESSION_BUS_ADDRESS", address.clone());
    Some(Desktop { world, address, _bus: bus })
}

impl Desktop {
    fn monitor(&self) -> Running {
        let mut command = Command::new("dbus-monitor");
        command.args(["--address", &self.address, "interface='org.freedesktop.Notifications'"]);
        let monitor = Running::start(&mut command);
        // It says so when it has lost its own name, and sees everything from then on.
        monitor.until("NameLost");
        monitor
    }

    fn service(&self, capabilities: &str) -> Running {
        let mut command = Command::new("python3");
        command.arg(SERVICE).arg(self.socket()).arg(capabilities);
        let service = Running::start(&mut command);
        service.until("ready");
        service
    }

    fn socket(&self) -> PathBuf {
        let path = self.address.strip_prefix("unix:path=").unwrap().split(',').next().unwrap();
        PathBuf::from(path.replace("%20", " "))
    }

    fn notify(&self, arguments: &[&str]) -> (Answer, Value) {
        notify(&self.world, arguments)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.socket().parent().unwrap());
    }
}

/// What it says for people, which is nothing, and for programs.
#[track_caller]
fn notify(world: &World, arguments: &[&str]) -> (Answer, Value) {
    let mut all = vec!["notify", "--json"];
    all.extend(arguments);
    let answer = world.hostler(&all);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
    let document = serde_json::from_str(&answer.stdout).unwrap();
    (answer, document)
}

// @traces REQ-020-241 REQ-020-242
#[test]
fn a_notice_reaches_the_desktop_at_critical_urgency() {
    let Some(desktop) = desktop("a_notice_reaches_the_desktop_at_critical_urgency") else { return };
    let _service = desktop.service("body");
    let monitor = desktop.monitor();
    let (_, document) = desktop.notify(&["--title", "Tests", "all green: ü & <b>", "again"]);
    assert_eq!(document["delivered"], true, "{document}");
    assert_eq!(document["id"], 7, "the number that the service gave it");
    let call = monitor.until("int32 -1").join("\n");
    let (_, call) = call.split_once("member=Notify").unwrap();
    for part in [
        "string \"hostler\"",
        "string \"Tests\"",
        "string \"all green: ü & <b> again\"",
        "string \"urgency\"",
        "variant             byte 2",
    ] {
        assert!(call.contains(part), "{part} in {call}");
    }
}

#[test]
fn urgency_is_chosen_and_markup_is_escaped_where_it_is_read() {
    let Some(desktop) = desktop("urgency_is_chosen_and_markup_is_escaped_where_it_is_read") else { return };
    let _service = desktop.service("body,body-markup");
    let monitor = desktop.monitor();
    for (urgency, byte) in [("low", 0), ("normal", 1), ("critical", 2)] {
        let (_, document) = desktop.notify(&["--urgency", urgency, "a < b"]);
        assert_eq!(document["delivered"], true, "{document}");
        let call = monitor.until("int32 -1").join("\n");
        assert!(call.contains(&format!("variant             byte {byte}")), "{call}");
        assert!(call.contains("string \"a &lt; b\""), "{call}");
    }
}

#[test]
fn where_nobody_shows_notices_nothing_happens_and_nothing_is_said() {
    let Some(desktop) = desktop("where_nobody_shows_notices_nothing_happens_and_nothing_is_said") else {
        return;
    };
    let (_, document) = desktop.notify(&["x"]);
    assert_eq!(document["delivered"], false);
    assert!(document["why"].as_str().unwrap().contains("nobody shows notices here"), "{document}");
    let answer = desktop.world.hostler(&["notify", "x"]);
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (Some(0), "", ""));
}

// @traces REQ-020-241
#[test]
fn without_a_desktop_it_is_silent_and_says_why_to_programs() {
    let world = World::new();
    let (_, document) = notify(&world, &["x"]);
    assert_eq!(document["delivered"], false);
    assert!(document["why"].as_str().unwrap().contains("there is no session bus"), "{document}");
    let answer = world.hostler(&["notify", "--title", "t", "x"]);
    assert_eq!((answer.code, answer.stdout.as_str(), answer.stderr.as_str()), (Some(0), "", ""));
    for (address, why) in [
        ("tcp:host=localhost,port=1", "only `unix:` addresses are read"),
        ("unix:path=/no/such/socket", "cannot be reached"),
        ("unix:abstract=/no/such/hostler/socket", "cannot be reached"),
        ("nonsense;;;", "only `unix:` addresses are read"),
    ] {
        let world = World::new().set("DBUS_SESSION_BUS_ADDRESS", address);
        let (_, document) = notify(&world, &["x"]);
        assert!(document["why"].as_str().unwrap().contains(why), "{address}: {document}");
    }
    assert_eq!(world.hostler(&["notify"]).code, Some(3));
}

// @traces REQ-020-243
#[test]
fn the_program_that_init_registers_is_the_one_that_shows_notices() {
    let world = World::new();
    assert_eq!(world.hostler(&["init"]).code, Some(0));
    let settings = fs::read_to_string(world.path(".claude/settings.local.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let program = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap();
    let output = Command::new(program)
        .args(["notify", "--json", "x"])
        .env_clear()
        .env("HOME", world.home())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["delivered"]), (Some(0), &Value::Bool(false)));
    // The plugin brings the same command, by the program that it finds.
    let launcher = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/claude/bin/hostler-launcher");
    let bin = world.home().join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hostler"), bin.join("hostler")).unwrap();
    let mut command = Command::new(launcher);
    command.args(["notify", "--json", "x"]).env_clear().env("HOME", world.home()).stdin(Stdio::null());
    let output = command.output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["why"].as_str().unwrap().contains("there is no session bus"), "{document}");
}

/// What answers on the socket of the bus, and says this.
#[track_caller]
fn answers(says: &'static [u8], why: &str) {
    let world = World::new();
    let folder = tempfile::Builder::new().prefix("bus-").tempdir().unwrap();
    let socket: &Path = &folder.path().join("s");
    let listener = UnixListener::bind(socket).unwrap();
    let thread = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(says);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let world = world.set("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()));
    let (_, document) = notify(&world, &["x"]);
    assert_eq!(document["delivered"], false);
    assert!(document["why"].as_str().unwrap().contains(why), "{document}");
    thread.join().unwrap();
}

#[test]
fn what_is_no_bus_is_left_alone() {
    answers(b"", "closed the connection");
    answers(b"HTTP/1.1 400 Bad Request\r\n", "in the handshake");
    answers(b"REJECTED EXTERNAL\r\n", "in the handshake");
    answers(&[b'x'; 4_000], "without an end");
    answers(b"OK 0\r\nxxxxxxxxxxxxxxxxxxxx", "without a byte order");
    answers(b"OK 0\r\nl\x02\x01\x01\xff\xff\xff\xff\x01\0\0\0\xff\xff\xff\xff", "impossible length");
    answers(b"OK 0\r\nl\x02\x01\x01\0\0\0\0\x01\0\0\0\x08\0\0\0\x63\x01y\0\0\0\0\0", "cannot be read");
    answers(b"OK 0\r\nl\x02\x01\x01\0\0\0\0\x01\0\0\0\x40\0\0\0\x05\x01u", "closed the connection");
}

/// A bus that sends signals without end, and one that accepts nobody: both are given up after the same time.
#[test]
fn a_bus_that_never_answers_is_given_up() {
    let folder = tempfile::Builder::new().prefix("bus-").tempdir().unwrap();
    let check = |socket: &Path| {
        let world = World::new().set("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()));
        let started = std::time::Instant::now();
        let (_, document) = notify(&world, &["x"]);
        assert!(document["why"].as_str().unwrap().contains("no answer in time"), "{document}");
        let took = started.elapsed();
        assert!(Duration::from_secs(4) < took && took < Duration::from_secs(9), "{took:?}");
    };
    let socket = folder.path().join("flood");
    let listener = UnixListener::bind(&socket).unwrap();
    let thread = std::thread::spawn(move || {
        use std::io::Write;
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"OK 0\r\n").unwrap();
        // A signal: the header's fields are empty, and so is the body.
        while stream.write_all(b"l\x04\x01\x01\0\0\0\0\x01\0\0\0\0\0\0\0").is_ok() {}
    });
    check(&socket);
    thread.join().unwrap();

    let socket = folder.path().join("full");
    let _listener = full(&socket);
    check(&socket);
}

/// A listener whose queue is full: who connects waits for ever.
fn full(socket: &Path) -> (UnixListener, Vec<std::thread::JoinHandle<()>>) {
    let listener = UnixListener::bind(socket).unwrap();
    // Connections that nobody accepts, until one has to wait.
    let mut waiting = Vec::new();
    loop {
        let (sender, connected) = mpsc::channel();
        let path = socket.to_path_buf();
        waiting.push(std::thread::spawn(move || {
            let stream = std::os::unix::net::UnixStream::connect(path);
            let _ = sender.send(());
            // Kept open until the test is over.
            std::mem::forget(stream);
        }));
        if connected.recv_timeout(Duration::from_secs(2)).is_err() {
            return (listener, waiting);
        }
    }
}
