//! `session-end`: the close is a process of its own, as in the hook. It goes on when the caller or the server that
//! called it ends.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Argument, Here, Kind, SESSION};
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// How long the close is waited for. A push and a matrix of requirements take their time; a caller has a limit as well.
const WAIT: Duration = Duration::from_secs(110);
/// How often is looked whether somebody still waits.
const LOOK: Duration = Duration::from_millis(200);
/// Bytes of what it prints that are read.
const TEXT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Ends the session.
pub(crate) const TOOL: Tool = Tool {
    name: "session-end",
    title: "End the session",
    group: Group::Session,
    description: "Closes the active session: records its length and what was reached (from git, from what was logged, \
                  and what is said here), then, as the project configures it, changelog, commit, tag and push. Call \
                  it when the user ends the work, not after each turn. Returns what was recorded and what became of \
                  each step; a step that fails is told and stops nothing else. Call it again to try that once more.",
    arguments: &[
        Argument::optional(
            "achievements",
            Kind::Texts,
            "what was reached, besides what git and the log tell",
        ),
        Argument::optional("upcoming", Kind::Texts, "what is next: becomes deferred work"),
        Argument::optional("push", Kind::Flag, "push branch and tag; as configured if not given"),
    ],
    output: &[
        SESSION,
        Argument::required("closed", Kind::Flag, "whether its end is recorded"),
        Argument::optional("length", Kind::Text, "how long it took, such as `1h20m`"),
        Argument::required("achievements", Kind::Lines, "what was recorded as reached"),
        Argument::required(
            "steps",
            Kind::Objects(&[
                Argument::required("step", Kind::Text, "its name"),
                Argument::required("outcome", Kind::Text, "done, skipped or failed"),
                Argument::required("message", Kind::Text, "what became of it"),
            ]),
            "what was done, step by step",
        ),
    ],
    annotations: Annotations::Changes,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    // Whether any session can be meant is told in our own words.
    Here::find(call.directory)?.sessions(call.directory)?;
    let (status, said, complained) = close(call)?;
    let report: Value = serde_json::from_str(&said).unwrap_or_default();
    if let Some(why) = report.get("error").and_then(Value::as_str) {
        return Err(words(why));
    }
    let Some(text) = report.get("context").and_then(Value::as_str) else {
        let why = if complained.is_empty() { status.to_string() } else { complained };
        return Err(format!("the session could not be closed: {why}"));
    };
    if report.get("closed") != Some(&Value::Bool(true)) {
        return Err(text.to_owned());
    }
    let mut structured = report.clone();
    let achievements = report.get("achievements").and_then(Value::as_array).into_iter().flatten();
    structured["achievements"] = achievements.filter_map(|it| it.get("text").cloned()).collect();
    Ok(Answer::new(text, structured))
}

/// Runs the close and waits for it: how it ended, what it printed, what it complained about.
fn close(call: &Call<'_>) -> Result<(ExitStatus, String, String), String> {
    let failed = |error: std::io::Error| format!("the session could not be closed: {error}");
    let mut arguments = vec!["session".to_owned(), "end".to_owned(), "--json".to_owned()];
    for name in ["achievements", "upcoming"] {
        arguments.extend(call.texts(name).iter().map(|text| format!("--{name}={text}")));
    }
    if let Some(push) = call.arguments.get("push").and_then(Value::as_bool) {
        arguments.push(if push { "--push" } else { "--no-push" }.to_owned());
    }
    // Files, not pipes: nobody reads them any more when it goes on after us.
    let (mut said, mut complained) =
        (tempfile::tempfile().map_err(failed)?, tempfile::tempfile().map_err(failed)?);
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .args(arguments)
        .current_dir(call.directory)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(said.try_clone().map_err(failed)?)
        .stderr(complained.try_clone().map_err(failed)?)
        // Who ends the server, and its group with it, does not end the close.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let (sender, receiver) = mpsc::channel();
    let waiter = move || {
        // The receiver is gone when the time is up.
        let _ = sender.send(child.wait());
    };
    std::thread::Builder::new().name("close".to_owned()).spawn(waiter).map_err(failed)?;
    let until = Instant::now() + WAIT;
    (call.progress)(0.0, None, "closing the session");
    let status = loop {
        match receiver.recv_timeout(LOOK) {
            Ok(status) => break status.map_err(failed)?,
            Err(RecvTimeoutError::Timeout) if Instant::now() < until && !(call.cancelled)() => {}
            Err(_) => {
                return Err(
                    "the close goes on by itself; the tool `session-status` tells when it is done".to_owned()
                );
            }
        }
    };
    let text = |file: &mut File| -> Result<String, String> {
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes)).map_err(failed)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    Ok((status, text(&mut said)?, text(&mut complained)?))
}

/// The command's words, with tools where it names commands.
fn words(why: &str) -> String {
    if why.starts_with("no session is active") {
        return "no active session: there is nothing to close; begin one with the tool `session-begin`"
            .to_owned();
    }
    why.replace("`hostler session status`", "the tool `session-status`")
}
