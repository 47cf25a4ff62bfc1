//! Why a call failed: who did not let it, or the line that tells.

use super::FailureKind;
use super::text::{has, lines, shorten};

/// An output without the host's own frame, and the exit status that the frame states.
pub(super) fn unframe(output: &str) -> (Option<i32>, &str) {
    let mut text = output.trim_start_matches(['\n', '\r']);
    text = text.strip_prefix("<tool_use_error>").unwrap_or(text);
    text = text.trim_end().strip_suffix("</tool_use_error>").unwrap_or(text);
    let mut exit = None;
    let bare = text.strip_prefix("Error: ").unwrap_or(text);
    if let Some(rest) = bare.strip_prefix("Exit code ") {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let Ok(number) = rest[..end].parse() {
            exit = Some(number);
            text = rest[end..].trim_start_matches([':', '\n', '\r', ' ']);
        }
    }
    if exit.is_none()
        && let Some((before, last)) = text.trim_end().rsplit_once('\n').or(Some(("", text.trim_end())))
        && let Some(number) =
            last.trim().strip_prefix("Command exited with code ").and_then(|it| it.parse().ok())
    {
        exit = Some(number);
        text = before;
    }
    (exit, text)
}

/// What hosts, users and hooks say when they do not let a call happen.
const REFUSALS: &[&str] = &[
    "user doesn't want to proceed",
    "user doesn't want to take this action",
    "tool use was rejected",
    "user rejected",
    "rejected by user",
    "rejected by the user",
    "denied by user",
    "denied by the user",
    "user denied",
    "user declined",
    "declined by the user",
    "haven't granted it yet",
    "has not been granted",
    "permission to use ",
    "permission was denied",
    "hook error",
    "blocked by hook",
    "hook blocked",
    "blocked by a hook",
    "blocked by policy",
    "denied by policy",
    "blocked for security",
    "operation blocked by",
    "was blocked. for security",
    "requires approval",
    "permissions to write to",
    "permissions to read from",
    "user cancelled",
    "auto-denied",
];

/// The user or a rule did not let it happen; or the user interrupted it.
pub(super) fn refused(output: &str) -> Option<FailureKind> {
    let start = super::text::head(output, 2_000);
    let aborted = text_is(start, "Command aborted") || text_is(start, "Operation aborted");
    if aborted || has(start, "[request interrupted by user") || has(start, "interrupted by the user") {
        return Some(FailureKind::Interrupted);
    }
    if start.trim_start().starts_with("Blocked:") {
        return Some(FailureKind::Refused);
    }
    REFUSALS.iter().any(|mark| has(start, mark)).then_some(FailureKind::Refused)
}

/// A short answer of a server that is nothing but a refusal.
pub(super) fn refuses(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "error",
        "failed",
        "rejected",
        "denied",
        "unauthorized",
        "forbidden",
        "not found",
        "permission denied",
        "invalid",
        "{\"error\"",
        "mcp error",
        "cannot ",
        "could not ",
        "unable to ",
        "access denied",
    ];
    let text = text.trim();
    text.len() < 300
        && STARTS.iter().any(|start| text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start)))
}

/// The last line is `mark`.
fn text_is(text: &str, mark: &str) -> bool {
    text.trim_end().rsplit('\n').next().is_some_and(|line| line.trim() == mark)
}

/// What was looked at is not there, or may not be read.
pub(super) fn not_there(text: &str) -> bool {
    const MARKS: &[&str] = &[
        "no such file",
        "does not exist",
        "not found",
        "could not find",
        "cannot find",
        "couldn't find",
        "no files found",
        "no matches",
        "status code 404",
        "status code 403",
        "404",
        "403",
        "could not resolve to",
        "is a directory",
        "eisdir",
        "enoent",
        "exceeds maximum allowed tokens",
        "unable to fetch",
        "no longer exists",
        "file is empty",
        "too large",
        "permission denied",
    ];
    let start = super::text::head(text, 4_000);
    MARKS.iter().any(|mark| has(start, mark))
}

/// A program that judges could not be started, or did not know what to judge.
pub(super) fn could_not_run(text: &str) -> bool {
    const MARKS: &[&str] = &[
        "command not found",
        "no module named",
        "missing script",
        "is not recognized as",
        "could not determine executable",
        "unknown command",
        "unrecognized arguments",
        "unknown option",
        "unexpected argument",
        "no such command",
        "no such subcommand",
        "no rule to make target",
        "could not find `cargo.toml`",
        "file or directory not found",
        "did not match any",
        "cannot find module",
        "err_module_not_found",
        "command \"",
        "no such file or directory",
        "no tests ran",
        "no test files found",
        "no tests found",
        "connection refused",
        "cannot connect to the docker daemon",
        "permission denied",
        "no test named",
        "package id specification",
        "couldn't find a package.json",
        "enoent",
        "no such option",
        "command timed out",
    ];
    lines(text).any(|line| MARKS.iter().any(|mark| has(line, mark)) && !line.trim_start().starts_with("E  "))
}

/// The line that tells why, shortened.
pub(super) fn message(text: &str) -> String {
    const STRONG: &[&str] = &[
        "fatal:",
        "error:",
        "error[",
        "npm err!",
        "npm error",
        "traceback",
        "command not found",
        "no such file",
        "permission denied",
        "not permitted",
        "cannot ",
        "could not",
        "failed to",
        "unable to",
        "denied",
        "refused",
        "timed out",
        "exception",
        "rejected",
        "--- fail",
        "fail\t",
        "fail ",
        "conflict",
        "not found",
        "failed",
        "invalid",
        "unknown",
        "missing",
        "error",
    ];
    // `> name@version build`: what a package manager is about to run.
    let all: Vec<&str> = lines(text)
        .map(|line| line.trim().trim_matches(['│', '┃', '─', '╭', '╮', '╰', '╯', '━', ' ']))
        .filter(|line| line.contains(char::is_alphanumeric) && !line.starts_with("> "))
        .take(4_000)
        .collect();
    if all.iter().any(|line| line.starts_with("Traceback (most recent call last)"))
        && let Some(last) = all.iter().rev().find(|line| {
            line.split(':').next().is_some_and(|name| {
                !name.contains(' ')
                    && (name.ends_with("Error") || name.ends_with("Exception") || name.contains('.'))
            })
        })
    {
        return shorten(last);
    }
    for mark in STRONG {
        if let Some(line) = all.iter().find(|line| has(line, mark)) {
            return shorten(line);
        }
    }
    shorten(all.first().copied().unwrap_or_default())
}

/// An output that says that `program` failed, whatever became of its exit status. Only marks that no
/// successful run prints.
pub(super) fn says_failed(program: &str, text: &str) -> bool {
    let any =
        |marks: &[&str]| lines(text).any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)));
    match program {
        "git" => any(&[
            "fatal: ",
            "! [rejected]",
            "! [remote rejected]",
            "error: failed to push",
            "error: pathspec",
            "error: Your local changes",
            "error: could not apply",
            "CONFLICT (",
        ]),
        "npm" | "npx" | "pnpm" | "yarn" => any(&[
            "npm ERR! code",
            "npm error code",
            "npm ERR! Missing script",
            "npm error Missing script",
            "ERR_PNPM_",
            "error Command failed",
        ]),
        "pip" | "pip3" | "uv" => any(&[
            "ERROR: Could not find",
            "ERROR: No matching",
            "ERROR: Failed",
            "error: Failed",
            "× No solution found",
        ]),
        "cargo" => any(&["error: could not compile", "error[E", "error: failed to"]),
        "terraform" | "tofu" => any(&["Error: ", "│ Error: "]),
        "gh" => any(&["GraphQL: ", "HTTP 4", "gh: "]),
        "docker" => {
            any(&["ERROR: failed to", "Error response from daemon", "Cannot connect to the Docker daemon"])
        }
        "kubectl" => any(&["Error from server", "error: ", "The connection to the server"]),
        "python" | "python3" => {
            let mut last = lines(text).filter(|line| !line.trim().is_empty());
            let ended = last.next_back().is_some_and(|line| {
                line.split(':').next().is_some_and(|name| {
                    !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception"))
                })
            });
            ended && any(&["Traceback (most recent call last)", "File \""])
        }
        _ => false,
    }
}

/// `bash: line 1: foo: command not found`, `zsh: command not found: foo`.
pub(super) fn not_found(program: &str, text: &str) -> bool {
    lines(text).any(|line| {
        line.contains("command not found")
            && (line.contains(&format!(": {program}:"))
                || line.ends_with(&format!(": {program}"))
                || line.starts_with(&format!("{program}:")))
    })
}
