//! `hostler bridge opencode`: one child for each instance of `OpenCode`, JSON lines on stdin and stdout, many at once.
//!
//! `docs/bridge.md` tells the protocol. Everything that a line needs is in it: a child that is killed and started again
//! has lost nothing but its answers, and lines that are sent once more are recorded once. What this process remembers
//! only saves work. The configuration is read for each line, so that a change of it counts at once.

mod flight;
mod health;
mod hello;
mod out;
mod pool;
mod serve;
mod voice;

use std::ffi::OsString;
use std::io::{BufRead, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hostler_host::opencode::read::{self, Ask, Fault, LINE_BYTES_MAX, Problem, Request};
use hostler_host::opencode::write::Answer;

use self::out::Out;
use self::serve::Bridge;
use crate::exit::Exit;
use crate::hook::{keep_panics, panic_text};

/// How long the end waits for what is under way.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(8);

/// Serves until stdin ends.
pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    keep_panics();
    let out = Arc::new(Out::new(Box::new(std::io::stdout())));
    let host = args.next();
    if host.as_deref().is_none_or(|host| host != "opencode") {
        let problem = format!(
            "`bridge` was started for {:?}, this build knows `opencode`",
            host.unwrap_or_default().display()
        );
        out.write(&Answer::fault(None, &problem));
        return Exit::Usage.into();
    }
    let bridge = Bridge::new(out);
    bridge.start();
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    while let Some(fits) = next(&mut stdin, &mut line) {
        if !fits {
            bridge.fault(&Fault { id: read::id_hint(&line), problem: Problem::TooLarge });
        } else if !line.trim_ascii().is_empty() {
            take(&bridge, &line);
        }
        if 1024 * 1024 < line.capacity() {
            line = Vec::new();
        }
    }
    bridge.end(DRAIN_TIME_MAX);
    ExitCode::SUCCESS
}

/// Reads one line without its end; `None` at the end of stdin. `false`: it was too large, and only its beginning is there.
fn next(stdin: &mut impl BufRead, line: &mut Vec<u8>) -> Option<bool> {
    line.clear();
    let limit = LINE_BYTES_MAX as u64 + 1;
    match stdin.by_ref().take(limit).read_until(b'\n', line) {
        Ok(0) | Err(_) => return None,
        Ok(_) => {}
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Some(true);
    }
    if (line.len() as u64) < limit {
        // The last line has no end.
        return Some(true);
    }
    line.truncate(1024);
    let mut rest = Vec::new();
    loop {
        rest.clear();
        match stdin.by_ref().take(64 * 1024).read_until(b'\n', &mut rest) {
            Ok(0) | Err(_) => break,
            Ok(_) if rest.last() == Some(&b'\n') => break,
            Ok(_) => {}
        }
    }
    Some(false)
}

fn take(bridge: &Arc<Bridge>, line: &[u8]) {
    let names = bridge.names();
    match catch_unwind(AssertUnwindSafe(|| read::read(line, &names))) {
        Ok(Ok(Request { id, ask: Ask::Dispose, .. })) => {
            bridge.end(DRAIN_TIME_MAX);
            bridge.answer(&Answer { id, ..Answer::default() });
        }
        Ok(Ok(request)) => bridge.take(request),
        Ok(Err(fault)) => bridge.fault(&fault),
        Err(panic) => bridge.answer(&Answer::fault(read::id_hint(line), &panic_text(panic.as_ref()))),
    }
}

#[cfg(test)]
mod tests;
