//! The end of a turn in a long session: the audit reads the whole journal.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use hostler_ledger::journal::{self, Entry};
use hostler_model::SessionId;
use serde_json::{Map, Value, json};
use testkit::payload;

use super::{Place, Samples, call};

/// Tool calls of the session.
const CALLS: usize = 5_000;
/// A whole process, in milliseconds, as minimum.
pub(super) const MS_MAX: f64 = 25.0;

const SESSION: &str = "00000000-0000-4000-8000-000000000002";

/// What a turn in such a session may end with.
const MESSAGE: &str = "Everything is in place:\n\n\
    - I created `src/report.py` and updated `src/lib.rs`.\n\
    - I ran the tests: 12 passed.\n\
    - I read `src/lib.rs` and looked through the logs.\n\
    - The build succeeds and the linter reports no errors.\n\n\
    Next I would add the documentation, if you agree.";

/// A session of [`CALLS`] calls, recorded by the program itself and multiplied.
pub(super) struct LongSession {
    /// Length of its journal in bytes.
    pub(super) journal_bytes: u64,
}

impl LongSession {
    pub(super) fn new(place: &Place, program: &Path) -> anyhow::Result<Self> {
        let hook = |payload: Value| -> anyhow::Result<()> {
            let mut command = place.command(program);
            command.args(["hook", "claude"]);
            call(command, payload.to_string().as_bytes(), &mut Samples::default()).map(|_| ())
        };
        hook(payload::session_start(&place.project, SESSION))?;
        hook(payload::prompt(&place.project, SESSION, "add the report and run the tests"))?;
        for (at, (tool, input, response)) in calls(&place.project).iter().enumerate() {
            let id = format!("toolu_kind_{at}");
            hook(payload::tool_before(&place.project, SESSION, &id, tool, input))?;
            hook(payload::tool_after(&place.project, SESSION, &id, tool, input, response))?;
        }
        let state = state(place)?;
        let session = SessionId::parse(SESSION)?;
        let path = journal::path(&state, &session);
        multiply(&state, &session, &path)?;
        Ok(Self { journal_bytes: std::fs::metadata(&path)?.len() })
    }

    /// One end of a turn.
    pub(super) fn end(place: &Place, program: &Path, samples: &mut Samples) -> anyhow::Result<()> {
        let mut command = place.command(program);
        command.args(["hook", "claude"]);
        let payload = payload::stop(&place.project, SESSION, MESSAGE).to_string();
        let (stdout, stderr) = super::spawn(command, payload.as_bytes(), samples)?;
        ensure!(
            stderr.starts_with("hostler: ") && !stdout.contains("doctor"),
            "no audit at the end of the turn: {stdout}{stderr}"
        );
        Ok(())
    }
}

/// The evidence folder of the one project.
fn state(place: &Place) -> anyhow::Result<PathBuf> {
    let projects = place.home.join(".local/state/hostler/projects");
    let mut folders = std::fs::read_dir(&projects)?;
    Ok(folders.next().context("the hook made a folder")??.path())
}

/// Appends the recorded calls again and again, under other ids.
fn multiply(state: &Path, session: &SessionId, path: &Path) -> anyhow::Result<()> {
    let recorded: Vec<_> =
        journal::read(path)?.filter(|it| matches!(&*it.kind, "decision" | "result")).collect();
    ensure!(!recorded.is_empty(), "nothing was recorded");
    ensure!(recorded.iter().any(|it| it.attributes.contains_key("evidence")), "the records hold no evidence");
    let mut calls = recorded.len() / 2;
    let mut round = 0;
    while calls < CALLS {
        round += 1;
        for record in &recorded {
            let mut attributes: Map<String, Value> = record.attributes.clone();
            let id = record.text("gen_ai.tool.call.id").unwrap_or_default();
            let id = format!("{id}_{round}");
            attributes.insert("gen_ai.tool.call.id".to_owned(), id.as_str().into());
            let kind = if record.kind == "result" { "result" } else { "decision" };
            let dedupe = Some(format!("{kind}:{id}"));
            let time_ms = record.time_ms + round;
            journal::append(state, session, &Entry { kind, time_ms, dedupe, durable: false, attributes })?;
        }
        calls += recorded.len() / 2;
    }
    Ok(())
}

/// Calls of the usual kinds: tool, input, response.
fn calls(project: &Path) -> Vec<(&'static str, Value, Value)> {
    let file = |name: &str| project.join(name);
    let bash = |command: &str, stdout: &str| {
        let response = json!({ "stdout": stdout, "stderr": "", "interrupted": false, "isImage": false });
        ("Bash", json!({ "command": command, "description": "run it" }), response)
    };
    let run = "=== test session starts ===\ncollected 12 items\n\ntests/test_report.py ............\n\n\
               === 12 passed in 0.11s ===";
    let build =
        "   Compiling report v0.1.0\nwarning: unused variable: `x`\n    Finished `dev` profile in 1.24s";
    vec![
        bash("python3 -m pytest -q tests", run),
        bash("cargo build 2>&1 | tail -5", build),
        bash("ruff check . && git status --short", "All checks passed!\n M src/lib.rs"),
        bash("grep -rn 'total' src | head -20", "src/lib.rs:3:pub fn total() {}"),
        bash("cat > src/report.py <<'END'\ntotal = 4\nEND", ""),
        bash("git add -A && git commit -qm 'add the report'", ""),
        (
            "Write",
            json!({ "file_path": file("src/report.py"), "content": "total = 4\n" }),
            json!({ "type": "create", "filePath": file("src/report.py"), "content": "total = 4\n" }),
        ),
        (
            "Edit",
            json!({ "file_path": file("src/lib.rs"), "old_string": "pub fn f", "new_string": "pub fn g" }),
            json!({ "filePath": file("src/lib.rs"), "structuredPatch": [] }),
        ),
        (
            "Read",
            json!({ "file_path": file("src/lib.rs") }),
            json!({ "type": "text", "file": { "filePath": file("src/lib.rs"), "content": "pub fn f() {}\n".repeat(200) } }),
        ),
        (
            "Grep",
            json!({ "pattern": "total", "path": file("src") }),
            json!({ "mode": "files_with_matches", "filenames": [file("src/lib.rs")], "numFiles": 1 }),
        ),
    ]
}
