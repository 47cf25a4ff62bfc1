//! `hostler hook claude`: one event on stdin, one JSON document on stdout, exit code 0 and no other.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use hostler_host::claude::read::{self, PAYLOAD_BYTES_MAX};
use hostler_host::claude::write;
use hostler_host::reply::Reply;
use hostler_model::Host;

use super::{Caller, TIME_MAX, Voice, World, call, fault_reply, handle, keep_panics, panic_text, told};
use crate::config::OnFault;

/// The folder in which the client was started.
const STARTED_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// Runs one hook call.
pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let started = Instant::now();
    keep_panics();
    let host = args.next();
    if host.as_deref().is_some_and(|host| host == "claude") {
        claude(started);
    } else {
        let message = told(&format!(
            "`hook` was registered for {:?}, this build knows `claude`",
            host.unwrap_or_default().display()
        ));
        let reply = Reply { message: Some(message), ..Reply::default() };
        caller(started, Host::ClaudeCode, String::new()).give(&reply);
    }
    ExitCode::SUCCESS
}

fn claude(started: Instant) {
    let mut payload = Vec::new();
    if let Err(error) = std::io::stdin().lock().take(PAYLOAD_BYTES_MAX as u64 + 1).read_to_end(&mut payload) {
        return unreadable(&payload, &format!("stdin could not be read: {error}"), started);
    }
    // The host may start us before it has anything to say; how long it waits counts from the start all the same.
    let read_at = Instant::now();
    match catch_unwind(AssertUnwindSafe(|| read::read(&payload))) {
        Ok(Ok(mut event)) => {
            if std::env::var_os("COPILOT_CLI").is_some() {
                event.host = Host::Foreign;
            }
            let caller = caller(started, event.host, event.name.clone()).begun(read_at);
            handle(&event, std::env::var_os(STARTED_VARIABLE).map(PathBuf::from), &caller);
        }
        Ok(Err(error)) => unreadable(&payload, &error.to_string(), started),
        Err(panic) => unreadable(&payload, &panic_text(panic.as_ref()), started),
    }
}

/// Answers a payload that could not be read.
fn unreadable(payload: &[u8], problem: &str, started: Instant) {
    let name = read::event_name_hint(payload);
    let caller = caller(started, Host::ClaudeCode, name.unwrap_or("PreToolUse").to_owned());
    let world = std::env::current_dir().map(|cwd| World::at(&cwd));
    let closed = world.as_ref().is_ok_and(|world| world.config.on_fault == OnFault::Closed);
    if let Ok(world) = &world {
        // It is told in any case.
        let _ = call::record_unreadable(world, problem, payload, &caller);
    }
    // A payload that does not even name its event may be the one that asks whether a tool may run.
    let can_deny = name.is_none_or(write::can_be_denied);
    caller.give(&fault_reply(problem, closed && can_deny));
}

fn caller(started: Instant, host: Host, event: String) -> Caller {
    Caller::new(started, started + TIME_MAX, Box::new(Stdout { host, event }))
}

/// The client reads one document from our stdout, then the process ends.
struct Stdout {
    host: Host,
    event: String,
}

impl Voice for Stdout {
    fn say(&self, reply: &Reply) {
        let document = write::write_for(self.host, &self.event, reply);
        if document.is_empty() {
            return;
        }
        let mut out = std::io::stdout().lock();
        // A host that closed the pipe reads no answer at all.
        let _ = writeln!(out, "{document}").and_then(|()| out.flush());
    }

    fn remark(&self, text: &str) {
        // A host that closed it reads nothing.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    fn watch(&self, caller: &Caller) {
        let caller = caller.clone();
        let watchdog = move || {
            let left = || caller.due()?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
            while let Some(left) = left() {
                std::thread::sleep(left);
            }
            if caller.late() || caller.is_out() {
                std::process::exit(0);
            }
        };
        // Without a thread the call is slower than it should be at worst.
        let _ = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watchdog);
    }

    fn is_last(&self) -> bool {
        true
    }
}
