//! What an agent would be told, by the program itself: of an edit before it lands, and of everything that is changed when
//! a turn ends.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use testkit::payload;

use super::ground::Change;
use super::repository::Repository;

/// The profiles, in the order of [`super::ground::Defect`]'s tables.
pub(super) const PROFILES: [&str; 2] = ["standard", "strict"];

const SESSION: &str = "00000000-0000-4000-8000-000000000005";

/// An edit was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The rules that refuse it, each with the line that it names.
    pub(super) rules: Vec<(String, Option<usize>)>,
    pub(super) reason: String,
}

/// Something that was found when a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) file: String,
    pub(super) check: String,
    pub(super) line: usize,
    pub(super) is_error: bool,
    /// It sends the agent back.
    pub(super) holds: bool,
    pub(super) message: String,
}

/// The program in one repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) program: &'a Path,
    pub(super) repository: &'a Repository,
    /// Its place in [`PROFILES`].
    pub(super) profile: usize,
}

impl Asked<'_> {
    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.current_dir(&self.repository.root).env("HOME", self.repository.home.path());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX"] {
            command.env_remove(name);
        }
        // Toolchains are kept in the home that is not theirs here.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if let (None, Some(home)) = (std::env::var_os(name), std::env::var_os("HOME")) {
                command.env(name, Path::new(&home).join(folder));
            }
        }
        let profile = PROFILES.get(self.profile).copied().unwrap_or_default();
        command.env("HOSTLER_PROFILE", profile).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// What becomes of the edit before it lands.
    pub(super) fn edit(&self, change: &Change, id: &str) -> anyhow::Result<Option<Refusal>> {
        let root = &self.repository.root;
        let (old, new) = hunk(&change.before, &change.after);
        let path = root.join(&change.path);
        let (tool, input) = if old.is_empty() {
            ("Write", json!({ "file_path": path, "content": change.after }))
        } else {
            ("Edit", json!({ "file_path": path, "old_string": old, "new_string": new }))
        };
        let payload = payload::tool_before(root, SESSION, id, tool, &input).to_string();
        let mut child = self
            .command()
            .args(["hook", "claude"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("`{}` does not start", self.program.display()))?;
        child.stdin.take().context("a pipe to the hook")?.write_all(payload.as_bytes())?;
        let output = child.wait_with_output()?;
        let reply = String::from_utf8(output.stdout)?;
        ensure!(output.status.success(), "the hook failed on `{}`: {reply}", change.path);
        serde_json::from_str::<Value>(&reply).with_context(|| format!("the hook's reply: {reply}"))?;
        let refusal = payload::decision(&reply).filter(|(decision, _)| decision != "allow");
        Ok(refusal.map(|(_, reason)| Refusal { rules: rules(&reason), reason }))
    }

    /// What is found when the turn ends; `tool` must have run.
    pub(super) fn end(&self, tool: Option<&str>) -> anyhow::Result<Vec<Found>> {
        let output = self
            .command()
            .args(["--json", "gate", "--all"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let document: Value =
            serde_json::from_str(&text).with_context(|| format!("the gate's report: {text}"))?;
        ensure!(document["omitted"].as_u64().unwrap_or_default() == 0, "files were left out: {text}");
        ensure!(document["faults"].as_array().is_none_or(Vec::is_empty), "a fault of ours: {text}");
        if let Some(tool) = tool {
            let runs = document["runs"].as_array().into_iter().flatten();
            let ran = runs.filter(|it| it["tool"] == tool).any(|it| it["outcome"] != "not_run");
            ensure!(ran || document["runs"].is_null(), "`{tool}` did not run: {text}");
        }
        let list = |name: &str| document[name].as_array().cloned().unwrap_or_default();
        let holding = list("holding");
        Ok(list("findings").iter().map(|it| found(it, holding.contains(it))).collect())
    }
}

fn found(it: &Value, holds: bool) -> Found {
    let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
    Found {
        file: text("file"),
        check: text("check"),
        line: it["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or_default(),
        is_error: it["severity"] == "error",
        holds,
        message: [text("message"), text("code")].join(" ").trim_end().to_owned(),
    }
}

/// The rules of a reason, `[id] line 5 of …`, with their lines.
fn rules(reason: &str) -> Vec<(String, Option<usize>)> {
    let mut out = Vec::new();
    for part in reason.split('[').skip(1) {
        let Some((id, rest)) = part.split_once("] ") else { continue };
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
            continue;
        }
        let line = rest.split("line ").nth(1).and_then(|it| {
            it.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok())
        });
        out.push((id.to_owned(), line));
    }
    out
}

/// The part of two texts that differs, with as many lines around it as make it the only one of its kind.
pub(super) fn hunk(before: &str, after: &str) -> (String, String) {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let same = |a: &&str, b: &&str| a == b;
    let mut head = old.iter().zip(&new).take_while(|(a, b)| same(a, b)).count();
    let most = old.len().min(new.len()) - head;
    let mut tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| same(a, b)).count();
    loop {
        let part = old.get(head..old.len() - tail).unwrap_or_default().concat();
        let is_all = head == 0 && tail == 0;
        if is_all || (!part.is_empty() && before.matches(&part).count() == 1) {
            return (part, new.get(head..new.len() - tail).unwrap_or_default().concat());
        }
        head = head.saturating_sub(1);
        tail = tail.saturating_sub(1);
    }
}
