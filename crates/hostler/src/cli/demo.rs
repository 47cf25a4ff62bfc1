//! `hostler demo`: a recorded session of the real client, played again against the real hook.
//!
//! The recording holds what Claude Code 2.1.332 sent to its hooks while a scripted model worked on a small
//! repository. Each event goes to this very program as the client would send it, in a process of its own.
//! A tool call is carried out only if the hook lets it through *and* it ran in the recording, where
//! everything harmful was stopped. The recorded agent also claims what is not so when its turn ends.

mod turn;

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use hostler_host::claude::read;
use hostler_host::claude::write;
use hostler_host::reply::{Reply, Stop};
use hostler_ledger::journal::{self, Record};
use hostler_model::{Action, EventKind, Profile};
use serde_json::{Value, json};

use self::turn::Ending;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// What the client sent, one payload a line; `{{HOME}}` stands for the home folder.
const RECORDING: &str = include_str!("../../../../fixtures/demo/session.jsonl");
/// The repository of the recording: committed files, then files that git does not know.
const COMMITTED: &[(&str, &str)] = &[
    ("README.md", "# shop\n\nA small web shop.\n"),
    ("src/cart.py", "def total(prices):\n    return sum(prices)\n"),
    ("tests/test_cart.py", TESTS),
    (".gitignore", "build/\n__pycache__/\n"),
    ("docs/prices.csv", "id,price\n1,9.90\n2,4.50\n"),
];
const TESTS: &str = "import unittest

from src.cart import total


class CartTest(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(total([]), 0)

    def test_sum(self):
        self.assertEqual(total([9.9, 4.5]), 14.4)

    def test_discount(self):
        self.assertEqual(total([10.0]), 9.0)
";
const UNTRACKED: &[(&str, &str)] = &[
    ("build/report.html", "<h1>coverage 91 %</h1>\n"),
    ("notes.txt", "a note that is not committed\n"),
    ("../photos/cat.txt", "a cat\n"),
];
/// The folder that the recorded agent deletes, and a file in it that must come back.
const LOST: &str = "build/report.html";
/// Characters of an agent's last message that are shown.
const MESSAGE_SHOWN_CHARS: usize = 160;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Play it by this profile
    #[arg(long, value_parser = super::guard::profile, default_value = "standard")]
    profile: Profile,
    /// Keep the temporary repository and say where it is
    #[arg(long)]
    keep: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let folder = tempfile::Builder::new()
        .prefix("hostler-demo-")
        .tempdir()
        .context("no temporary folder could be made; set `TMPDIR` to one that can be written")?;
    let mut stage = Stage::set(folder.path(), args.profile)?;
    let mut printer = Printer { quiet: json, colour: colour() };
    let profile = args.profile.name();
    printer.line(&format!("A recorded session of Claude Code 2.1.332, played through `hostler hook claude` (profile {profile}).\n"))?;
    let (mut calls, mut endings) = (Vec::new(), Vec::new());
    for line in RECORDING.lines() {
        match stage.play(line)? {
            Some(Scene::Call(call)) => {
                printer.call(&call)?;
                calls.push(call);
            }
            Some(Scene::Ending(ending)) => {
                printer.ending(&ending)?;
                endings.push(ending);
            }
            None => {}
        }
    }
    let end = stage.end()?;
    if json {
        output::json::print(&document(args.profile, &calls, &endings, &end, &stage))?;
    } else {
        printer.end(&calls, &endings, &end, &stage)?;
    }
    if args.keep {
        let kept = folder.keep();
        printer.line(&format!("\nKept: {}", kept.display()))?;
    }
    Ok(if end.good() { Exit::Ok } else { Exit::Finding })
}

fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// What is shown of an event.
enum Scene {
    Call(Call),
    Ending(Ending),
}

/// One tool call, as the hook answered it.
struct Call {
    tool: String,
    shown: String,
    subagent: bool,
    answer: Answer,
    /// It ran in the recording.
    ran: bool,
    checkpoint: Option<String>,
    time: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Allowed,
    Warned(String),
    Asked(String),
    Denied(String),
}

impl Answer {
    fn of(reply: Reply, home: &str) -> Self {
        let short = |text: String| text.replace(home, "~");
        match (reply.stop, reply.message) {
            (Some(Stop::Deny(reason) | Stop::Continue(reason)), _) => Self::Denied(short(reason)),
            (Some(Stop::Ask(reason)), _) => Self::Asked(short(reason)),
            (None, Some(message)) => Self::Warned(short(message)),
            (None, None) => Self::Allowed,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Warned(_) => "warned",
            Self::Asked(_) => "asked",
            Self::Denied(_) => "denied",
        }
    }

    fn goes_ahead(&self) -> bool {
        matches!(self, Self::Allowed | Self::Warned(_))
    }

    fn words(&self) -> &str {
        match self {
            Self::Allowed => "",
            Self::Warned(words) | Self::Asked(words) | Self::Denied(words) => words,
        }
    }
}

/// The temporary world.
struct Stage {
    program: PathBuf,
    home: PathBuf,
    project: PathBuf,
    state: PathBuf,
    /// Calls that ran in the recording.
    ran: Vec<String>,
    /// Calls that the hook let through now.
    allowed: Vec<String>,
    times: Vec<Duration>,
}

impl Stage {
    fn set(folder: &Path, profile: Profile) -> anyhow::Result<Self> {
        let home = fs::canonicalize(folder)?.join("home");
        let project = home.join("shop");
        for (path, text) in COMMITTED {
            put(&project.join(path), text)?;
        }
        let mut stage = Self {
            program: std::env::current_exe().context("this program's own path is not known")?,
            state: PathBuf::new(),
            ran: recorded_calls(),
            allowed: Vec::new(),
            times: Vec::new(),
            home,
            project,
        };
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &[
                "-c",
                "user.name=A Developer",
                "-c",
                "user.email=dev@example.invalid",
                "commit",
                "--quiet",
                "--message=start",
            ],
        ] {
            let output = stage.command("git").args(arguments).output().context("`git` could not be run")?;
            ensure!(
                output.status.success(),
                "`git {}` failed: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        for (path, text) in UNTRACKED {
            put(&stage.project.join(path), text)?;
        }
        put(
            &stage.project.join(crate::config::PROJECT_FILE),
            &format!("version = 1\nprofile = \"{}\"\n", profile.name()),
        )?;
        let key = Project::find(&stage.project).key();
        stage.state = stage.home.join(".local/state/hostler/projects").join(key);
        Ok(stage)
    }

    /// A program in the project with nothing of the user's environment.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("LANG", "C.UTF-8").env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null());
        command
    }

    fn play(&mut self, line: &str) -> anyhow::Result<Option<Scene>> {
        let home = self.home.to_str().context("the temporary folder's path is not UTF-8")?;
        let payload = placed(line, home);
        let event = read::read(payload.as_bytes()).context("the recording is damaged")?;
        let id = event.call().and_then(|call| call.id.clone()).unwrap_or_default();
        if matches!(event.kind, EventKind::ToolAfter { .. }) && !self.allowed.contains(&id) {
            // It did not run here.
            return Ok(None);
        }
        let (reply, time) = self.hook(&payload)?;
        self.times.push(time);
        let call = match &event.kind {
            EventKind::ToolBefore { call } => call,
            EventKind::TurnEnd { last_message: Some(message), .. } => {
                let record = self.records()?.into_iter().rfind(|record| record.kind == "turn");
                let record = record.context("the end of the turn was not recorded")?;
                return Ok(Some(Scene::Ending(Ending::of(&record, message, time))));
            }
            _ => return Ok(None),
        };
        let answer = Answer::of(reply, home);
        let ran = self.ran.contains(&id);
        if answer.goes_ahead() && ran {
            self.carry_out(&call.action)?;
            self.allowed.push(id.clone());
        }
        let record =
            self.records()?.into_iter().rfind(|record| record.text("gen_ai.tool.call.id") == Some(&id));
        Ok(Some(Scene::Call(Call {
            shown: self.shown(&call.action),
            subagent: event.agent.is_some(),
            checkpoint: record.and_then(|record| Some(record.text("checkpoint")?.to_owned())),
            tool: call.tool.clone(),
            answer,
            ran,
            time,
        })))
    }

    /// One hook call as the client makes it: a process, the payload on stdin, one document on stdout.
    fn hook(&self, payload: &str) -> anyhow::Result<(Reply, Duration)> {
        let begun = Instant::now();
        let mut child = self
            .command(&self.program)
            .args(["hook", "claude"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("the hook could not be started")?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(payload.as_bytes()).context("the hook did not read its payload")?;
        }
        let output = child.wait_with_output().context("the hook did not end")?;
        let time = begun.elapsed();
        ensure!(
            output.status.success(),
            "the hook ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        let document = String::from_utf8_lossy(&output.stdout);
        let reply =
            write::parse(&document).with_context(|| format!("the hook answered no JSON: {document}"))?;
        Ok((reply, time))
    }

    /// What the client did at this place of the recording.
    fn carry_out(&self, action: &Action) -> anyhow::Result<()> {
        match action {
            Action::Shell { command } => {
                // Its status is the agent's business.
                self.command("sh").args(["-c", command]).output().context("`sh` could not be run")?;
            }
            Action::Write { path: Some(path), content } => put(&self.inside(path)?, content)?,
            Action::Edit { path: Some(path), changes } => {
                let path = self.inside(path)?;
                let before = fs::read_to_string(&path)?;
                let after = changes.iter().fold(before, |text, it| text.replacen(&it.old, &it.new, 1));
                put(&path, &after)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn inside(&self, path: &str) -> anyhow::Result<PathBuf> {
        let path = PathBuf::from(path);
        if !path.starts_with(&self.project) {
            bail!("the recording writes outside its repository: {}", path.display());
        }
        Ok(path)
    }

    fn shown(&self, action: &Action) -> String {
        let text = match action {
            Action::Shell { command } => command,
            Action::Write { path: Some(path), .. }
            | Action::Edit { path: Some(path), .. }
            | Action::Read { path: Some(path) } => path,
            Action::Delegate { prompt, .. } => prompt,
            _ => "",
        };
        let text = text.replace(&format!("{}/", self.project.display()), "");
        hostler_model::text::shorten(&text.replace('\n', "\\n"), 72)
    }

    fn journals(&self) -> anyhow::Result<Vec<PathBuf>> {
        Ok(journal::files(&self.state)?)
    }

    fn records(&self) -> anyhow::Result<Vec<Record>> {
        let mut records = Vec::new();
        for path in self.journals()? {
            records.extend(journal::read(&path)?);
        }
        Ok(records)
    }

    /// Restores what was deleted and verifies what was recorded.
    fn end(&self) -> anyhow::Result<End> {
        let records = self.records()?;
        let deleted =
            records.iter().find(|record| record.text("target").is_some_and(|it| it.contains("rm -rf build")));
        let checkpoint = deleted.and_then(|record| Some(record.text("checkpoint")?.to_owned()));
        let gone = !self.project.join(LOST).exists();
        if let Some(id) = &checkpoint {
            let output = self.command(&self.program).args(["checkpoint", "restore", id]).output()?;
            ensure!(
                output.status.success(),
                "the checkpoint could not be restored: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let whole = |(path, text): &(&str, &str)| {
            fs::read_to_string(self.project.join(path)).is_ok_and(|it| it == *text)
        };
        let lost: Vec<String> =
            UNTRACKED.iter().filter(|file| !whole(file)).map(|(path, _)| (*path).to_owned()).collect();
        let reports = journal::verify_all(&self.journals()?);
        let broken = reports.iter().find_map(|report| {
            report.bad.as_ref().map(|bad| format!("record {}: {}", bad.sequence, bad.problem))
        });
        Ok(End { checkpoint: checkpoint.filter(|_| gone), lost, records: records.len(), broken })
    }

    fn times_ms(&self) -> (f64, f64, f64) {
        let mut times: Vec<f64> = self.times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        times.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| times.get(index).copied().unwrap_or_default();
        (at(0), at(times.len() / 2), at(times.len().saturating_sub(1)))
    }
}

/// How it ended.
struct End {
    /// What brought the deleted folder back.
    checkpoint: Option<String>,
    /// Files that are not what they were.
    lost: Vec<String>,
    /// Lines of the journal.
    records: usize,
    /// Where the journal's chain breaks.
    broken: Option<String>,
}

impl End {
    fn good(&self) -> bool {
        self.lost.is_empty() && self.broken.is_none()
    }
}

/// Calls that ran in the recording: those with a result.
fn recorded_calls() -> Vec<String> {
    let events = RECORDING.lines().filter_map(|line| read::read(placed(line, "/").as_bytes()).ok());
    let after = events.filter(|event| matches!(event.kind, EventKind::ToolAfter { .. }));
    after.filter_map(|event| event.call()?.id.clone()).collect()
}

/// A line of the recording, moved into `home`.
fn placed(line: &str, home: &str) -> String {
    let escaped = Value::from(home).to_string();
    line.replace("{{HOME}}", escaped.trim_matches('"'))
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

struct Printer {
    quiet: bool,
    colour: bool,
}

impl Printer {
    fn line(&mut self, text: &str) -> anyhow::Result<()> {
        if !self.quiet {
            writeln!(std::io::stdout().lock(), "{text}")?;
        }
        Ok(())
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn call(&mut self, scene: &Call) -> anyhow::Result<()> {
        let code = match scene.answer {
            Answer::Allowed => "32",
            Answer::Warned(_) | Answer::Asked(_) => "33",
            Answer::Denied(_) => "31",
        };
        let word = self.paint(code, &format!("{:8}", scene.answer.name()));
        let subagent = if scene.subagent { "subagent " } else { "" };
        let time = milliseconds(scene.time);
        self.line(&format!("{word} {time:>8}  {subagent}{} {}", scene.tool, scene.shown))?;
        if let Some(id) = &scene.checkpoint {
            self.line(&format!("{:19}kept first: checkpoint {id}", ""))?;
        }
        if scene.answer.goes_ahead() && !scene.ran {
            self.line(&format!("{:19}not carried out: the recording has no result of it", ""))?;
        }
        // The command that can be run by hand and the way to let it through are for the agent's user.
        let words = scene.answer.words().lines().filter(|line| !line.starts_with("Details: "));
        for line in words.flat_map(|line| line.split(" The user can ").take(1)) {
            self.line(&format!("{:19}{}", "", self.paint("2", line)))?;
        }
        Ok(())
    }

    fn ending(&mut self, ending: &Ending) -> anyhow::Result<()> {
        let word = self.paint(if ending.findings.is_empty() { "32" } else { "31" }, &ending.word());
        let said = hostler_model::text::shorten(&ending.message, MESSAGE_SHOWN_CHARS);
        self.line(&format!("{word} {:>7}  turn “{said}”", milliseconds(ending.time)))?;
        for line in ending.lines() {
            self.line(&format!("{:19}{}", "", self.paint("2", &line)))?;
        }
        Ok(())
    }

    fn end(&mut self, calls: &[Call], endings: &[Ending], end: &End, stage: &Stage) -> anyhow::Result<()> {
        let count = |name: &str| calls.iter().filter(|call| call.answer.name() == name).count();
        let (min, median, max) = stage.times_ms();
        self.line(&format!(
            "\n{} tool calls: {} allowed, {} warned, {} asked, {} denied.",
            calls.len(),
            count("allowed"),
            count("warned"),
            count("asked"),
            count("denied")
        ))?;
        self.line(&turn::sum(endings))?;
        if let Some(id) = &end.checkpoint {
            self.line(&format!("Restored from checkpoint {id}: {LOST}, which git did not know."))?;
        }
        match end.lost.as_slice() {
            [] => self.line("Nothing was lost: every file that git did not know is what it was.")?,
            lost => self.line(&format!("Lost or changed: {}", lost.join(", ")))?,
        }
        match &end.broken {
            None => self.line(&format!("Recorded: {} lines, the chain is whole.", end.records))?,
            Some(broken) => self.line(&format!("The journal is damaged: {broken}"))?,
        }
        self.line(&format!(
            "{} hook calls, each a process of its own: {min:.1} ms at best, {median:.1} ms in the middle, {max:.1} ms at worst.",
            stage.times.len()
        ))?;
        self.line("\nNext:")?;
        self.line("  hostler init                         guard this repository")?;
        self.line("  hostler guard explain \"rm -rf /srv\"  see how a command is judged")?;
        self.line(
            "  hostler replay                       see what held of what was claimed in your past sessions",
        )
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn document(profile: Profile, calls: &[Call], endings: &[Ending], end: &End, stage: &Stage) -> Value {
    let (min, median, max) = stage.times_ms();
    let calls = calls.iter().map(|scene| {
        json!({
            "tool": scene.tool,
            "input": scene.shown,
            "subagent": scene.subagent,
            "answer": scene.answer.name(),
            "carried_out": scene.answer.goes_ahead() && scene.ran,
            "words": scene.answer.words(),
            "checkpoint": scene.checkpoint,
            "ms": scene.time.as_secs_f64() * 1e3,
        })
    });
    json!({
        "profile": profile.name(),
        "calls": calls.collect::<Vec<_>>(),
        "turns": endings.iter().map(Ending::document).collect::<Vec<_>>(),
        "restored": end.checkpoint,
        "lost": end.lost,
        "records": end.records,
        "chain": end.broken.as_deref().unwrap_or("whole"),
        "hook_ms": { "min": min, "median": median, "max": max },
    })
}
