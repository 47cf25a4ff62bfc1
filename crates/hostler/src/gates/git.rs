//! What git says about a work tree, without waiting for it longer than a deadline and without changing anything.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

/// More than this from one call is not read, in bytes.
const OUTPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Files of the work tree that differ from the commit that is checked out: changed, staged, new, untracked. Deleted and
/// ignored ones are not among them. From the top folder, with `/`, sorted. `None` where git did not answer in time.
pub(super) fn differing(root: &Path, deadline: Instant) -> Option<Vec<String>> {
    let status = [
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=all",
    ];
    let output = run(root, &status, &[], deadline)?;
    let entries = output.split(|byte| *byte == 0).filter_map(|entry| entry.split_at_checked(3));
    let there = entries.filter(|(state, _)| state.get(1) != Some(&b'D') && *state != *b"D  ");
    // A name that is no UTF-8 is no source file that a tool could be told of.
    let mut names: Vec<String> =
        there.filter_map(|(_, name)| String::from_utf8(name.to_vec()).ok()).collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// What stands in `commit` under each of `names`; what it does not hold is left out. `None` when git did not answer.
pub(super) fn contents(
    root: &Path,
    commit: &str,
    names: &[&str],
    deadline: Instant,
) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    // A request is a line, so a name with a line end in it cannot be asked for.
    let asked: Vec<&str> = names.iter().copied().filter(|name| !name.contains('\n')).collect();
    if asked.is_empty() {
        return Some(found);
    }
    let mut requests = String::new();
    for name in &asked {
        // Writing to a `String` cannot fail.
        let _ = writeln!(requests, "{commit}:./{name}");
    }
    let output = run(root, &["cat-file", "--batch"], requests.as_bytes(), deadline)?;
    let mut rest = output.as_slice();
    for name in asked {
        let end = memchr::memchr(b'\n', rest)?;
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = head.rsplitn(3, ' ');
        let (Some(length), Some(kind)) = (words.next(), words.next()) else { return None };
        let Ok(length) = length.parse::<usize>() else { continue };
        let body = rest.get(..length)?;
        if kind == "blob" {
            found.insert(name.to_owned(), body.to_vec());
        }
        rest = rest.get(length + 1..)?;
    }
    Some(found)
}

/// Which of `names` git ignores.
pub(super) fn ignored(root: &Path, names: &[&str], deadline: Instant) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    let input: Vec<u8> = names.iter().flat_map(|name| name.bytes().chain([0])).collect();
    // It ends with 1 when none is ignored.
    let output = run(root, &["check-ignore", "-z", "--stdin"], &input, deadline).unwrap_or_default();
    output.split(|byte| *byte == 0).filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect()
}

/// What one call of git printed; `None` when it failed, or was not done in time.
fn run(root: &Path, arguments: &[&str], input: &[u8], deadline: Instant) -> Option<Vec<u8>> {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            git.env_remove(name);
        }
    }
    let mut child = git
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .arg("-C")
        .arg(root)
        .args(arguments)
        // Reading may not rewrite the user's index.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_vec();
        // Written beside the reading: an answer that fills the pipe would stop both.
        std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
    }
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take()?;
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.take(OUTPUT_BYTES_MAX).read_to_end(&mut output);
        let _ = sender.send(read.is_ok().then_some(output));
    });
    let output = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    if output.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    output.ok().flatten().filter(|_| status.success())
}
