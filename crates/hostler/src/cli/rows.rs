//! `hostler audit rows`: turns as rows of JSON on stdin, findings on stdout. What corpora are scored with.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use hostler_model::{Action, Outcome, Place, ToolCall};
use hostler_policy::Settings;
use hostler_policy::claims::evidence::{self, Actor};
use hostler_policy::claims::tools::{self, Used};
use hostler_policy::claims::{self, Audit, Basis, Evidence, Finding, Source, Turn};
use serde::Deserialize;
use serde_json::Value;

use crate::exit::Exit;

/// The sample world that rows without one are read in.
const HOME: &str = "/home/dev";
const ROOT: &str = "/home/dev/proj";

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What supports a claim
    #[arg(long, value_enum, default_value_t = Mode::Evidence)]
    mode: Mode,
    /// Print an object a row instead: the findings, every claim with its standing, and the evidence
    #[arg(long, conflicts_with = "mode")]
    explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// What was done, whatever tool did it
    Evidence,
    /// Names of the tools that were used; everything else as in `evidence`
    Tools,
    /// All five rules of the source documents to the letter: the baseline, over the whole session
    Source,
}

/// One turn. Other columns are allowed.
#[derive(Debug, Deserialize)]
struct Row {
    message: String,
    #[serde(default)]
    tools: Vec<Call>,
    /// What the user asked.
    #[serde(default)]
    user: Option<String>,
}

/// One tool call of the session.
#[derive(Debug, Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    is_error: bool,
    /// Negative: of an earlier turn.
    #[serde(default)]
    turn: i64,
    #[serde(default)]
    by: Option<String>,
}

/// Runs the command: one answer a line, in order. A row that cannot be read is answered with an empty list, told,
/// and makes the command end with [`Exit::Usage`], so that nobody takes it for a clean one.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut exit = Exit::Ok;
    let mut out = std::io::stdout().lock();
    for (index, line) in std::io::stdin().lock().split(b'\n').enumerate() {
        let line = line.context("stdin cannot be read")?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if args.explain {
            let row: Row =
                serde_json::from_slice(&line).with_context(|| format!("row {} cannot be read", index + 1))?;
            serde_json::to_writer(&mut out, &explained(&row))?;
            out.write_all(b"\n")?;
            continue;
        }
        let findings = match serde_json::from_slice(&line) {
            Ok(row) => audit(&row, args.mode),
            Err(error) => {
                // A closed stderr is the reader's choice.
                let _ = writeln!(std::io::stderr(), "row {} cannot be read: {error}", index + 1);
                exit = Exit::Usage;
                Vec::new()
            }
        };
        serde_json::to_writer(&mut out, &findings)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(exit)
}

fn explained(row: &Row) -> Value {
    let evidence = evidence(row);
    let audit = audited(row, &evidence, Basis::Evidence);
    serde_json::json!({ "findings": audit.findings, "claims": audit.claims, "evidence": evidence })
}

fn evidence(row: &Row) -> Vec<Evidence> {
    let place = sample();
    row.tools.iter().flat_map(|call| call.evidence(&place)).collect()
}

fn audited(row: &Row, evidence: &[Evidence], claims: Basis) -> Audit {
    let turn = Turn { message: &row.message, prompt: row.user.as_deref(), evidence };
    let settings = Settings { claims, ..Settings::default() };
    claims::audit(&turn, &settings, &mut |_| None)
}

fn audit(row: &Row, mode: Mode) -> Vec<Finding> {
    if mode == Mode::Source {
        let outputs: Vec<String> = row.tools.iter().map(Call::text).collect();
        let calls: Vec<Used<'_>> = row
            .tools
            .iter()
            .zip(&outputs)
            .map(|(call, output)| Used { tool: &call.name, failed: call.is_error, output })
            .collect();
        return tools::source(&row.message, &calls);
    }
    let claims = if mode == Mode::Tools { Basis::Tools } else { Basis::Evidence };
    audited(row, &evidence(row), claims).findings
}

impl Call {
    /// The result as text.
    fn text(&self) -> String {
        match &self.output {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// What it proves; a patch of several files is one call a file.
    fn evidence(&self, place: &Place) -> Vec<Evidence> {
        let output = self.text();
        let told = status(&output);
        let ok = !self.is_error && told.is_none_or(|status| status == 0);
        let interrupted = output.starts_with("[Request interrupted by user");
        let mut outcome = Outcome { ok, interrupted, exit: told, output, duration_ms: None };
        let by = match self.by.as_deref() {
            Some("user") => Actor::User,
            Some("subagent") => Actor::Subagent,
            _ => Actor::Agent,
        };
        let calls = hostler_host::tools::tool_calls(&self.name, &self.input, None);
        let evidence = |call: &ToolCall| {
            if ok && matches!(call.action, Action::Shell { .. }) {
                outcome.exit = Some(0);
            }
            let source = Source { call, outcome: &outcome, cwd: &place.root, place, by };
            Evidence { earlier: self.turn < 0, ..evidence::of(&source) }
        };
        calls.iter().map(evidence).collect()
    }
}

/// The exit status that a failed command's result begins with.
fn status(output: &str) -> Option<i32> {
    let line = output.trim_start().lines().next()?;
    line.strip_prefix("Exit code ")?.trim().parse().ok()
}

/// A project in a home folder, with nothing known of either.
fn sample() -> Place {
    let root = PathBuf::from(ROOT);
    Place {
        git_dir: Some(root.join(".git")),
        git_common_dir: Some(root.join(".git")),
        temp: vec!["/tmp".into(), "/var/tmp".into()],
        home: Some(HOME.into()),
        variables: BTreeMap::from([
            ("HOME".to_owned(), HOME.to_owned()),
            ("PWD".to_owned(), ROOT.to_owned()),
        ]),
        root,
        ..Place::default()
    }
}
