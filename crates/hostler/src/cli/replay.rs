//! `hostler replay`: what was claimed in sessions that are over, and what held; with `--guards` also what the guards
//! of today would have said. Nothing is executed, and nothing is recorded.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use hostler_ledger::redact::{printable, printable_line};
use hostler_model::{Profile, Verdict};
use hostler_policy::claims::{Finding, Standing};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::replay::summary::{Guards, Lines, SessionSummary, Stopped, Told, Totals, TurnSummary, VERSION};
use crate::replay::{Options, Progress, find, sessions};

/// Arguments.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct Args {
    /// Transcripts of Claude Code, exports of `OpenCode`, journals of hostler: files, folders, patterns, `-` for
    /// standard input [default: this project's folder in `~/.claude/projects`]
    paths: Vec<PathBuf>,
    /// Show what the guards of today would have said to the tool calls, too
    #[arg(long)]
    guards: bool,
    /// Judge by this profile
    #[arg(long, value_parser = super::guard::profile)]
    profile: Option<Profile>,
    /// Judge the turns of journals again instead of showing what was found at the time
    #[arg(long)]
    again: bool,
    /// Look whether claimed files are there, where the session's folder is on this machine
    #[arg(long)]
    check_files: bool,
    /// Leave what looks like a secret in the texts
    #[arg(long)]
    raw: bool,
    /// Print one JSON document for each session and one with the totals, each on a line
    #[arg(long)]
    jsonl: bool,
    /// Threads; one for each core without it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    if json && args.jsonl {
        say("`--json` prints one document and `--jsonl` one a line; give one of them");
        return Ok(Exit::Usage);
    }
    let paths = match args.paths.as_slice() {
        [] => {
            let folder = default_folder()?;
            say(&format!("reading the sessions of this project in {}", folder.display()));
            vec![folder]
        }
        paths => paths.to_vec(),
    };
    let found = find(&paths);
    let options = Options {
        profile: args.profile,
        guards: args.guards,
        check_files: args.check_files,
        again: args.again,
        raw: args.raw,
        jobs: args.jobs.unwrap_or_default().into(),
    };
    let bar = Bar::new(found.bytes);
    let mut view: Box<dyn View> = match (json, args.jsonl) {
        (true, _) => Box::new(Document { any: false }),
        (_, true) => Box::new(JsonLines),
        _ => Box::new(Text { guards: args.guards }),
    };
    let mut blocked = false;
    let totals = sessions(&found, &options, &bar, &mut |session| {
        blocked |= args.guards && (session.guards.denied != 0 || session.guards.asked != 0);
        bar.beside(|| view.session(session))
    })?;
    bar.finish();
    view.totals(&totals)?;
    Ok(if totals.sessions == 0 && (totals.files == 0 || !totals.unreadable_files.is_empty()) {
        Exit::Io
    } else if totals.findings_total() != 0 || blocked {
        Exit::Finding
    } else {
        Exit::Ok
    })
}

/// Where Claude Code keeps the sessions of the project that we are in.
fn default_folder() -> anyhow::Result<PathBuf> {
    let cwd = std::env::current_dir().context("there is no current folder; name a path")?;
    let base = match std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from).filter(|it| it.is_absolute()) {
        Some(folder) => folder,
        None => Dirs::from_env()?.home.join(".claude"),
    };
    Ok(base.join("projects").join(folder_name(&cwd)))
}

/// The client's name for a folder: everything but letters and digits becomes `-`.
fn folder_name(cwd: &Path) -> String {
    cwd.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Tells something on stderr.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "hostler: {}", printable(text));
}

/// A way to show sessions.
trait View {
    fn session(&mut self, session: &SessionSummary) -> anyhow::Result<()>;
    fn totals(&mut self, totals: &Totals) -> anyhow::Result<()>;
}

/// One document, written as the sessions come.
struct Document {
    any: bool,
}

impl View for Document {
    fn session(&mut self, session: &SessionSummary) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let start =
            if self.any { ",\n".to_owned() } else { format!("{{\"version\":{VERSION},\"sessions\":[\n") };
        self.any = true;
        out.write_all(start.as_bytes())?;
        out.write_all(&serde_json::to_vec(session)?)?;
        Ok(())
    }

    fn totals(&mut self, totals: &Totals) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let start =
            if self.any { "\n".to_owned() } else { format!("{{\"version\":{VERSION},\"sessions\":[") };
        write!(out, "{start}],\"totals\":")?;
        writeln!(out, "{}}}", serde_json::to_string(totals)?)?;
        Ok(())
    }
}

/// A document on each line.
struct JsonLines;

impl JsonLines {
    fn line(name: &str, value: Value) -> anyhow::Result<()> {
        let mut document = json!({});
        document[name] = value;
        writeln!(std::io::stdout().lock(), "{document}")?;
        Ok(())
    }
}

impl View for JsonLines {
    fn session(&mut self, session: &SessionSummary) -> anyhow::Result<()> {
        Self::line("session", serde_json::to_value(session)?)
    }

    fn totals(&mut self, totals: &Totals) -> anyhow::Result<()> {
        Self::line("totals", serde_json::to_value(totals)?)
    }
}

/// For people: sessions in which something was found, and the totals.
struct Text {
    guards: bool,
}

impl View for Text {
    fn session(&mut self, session: &SessionSummary) -> anyhow::Result<()> {
        let spoken = &session.guards;
        let guards = self.guards
            && (!spoken.told.is_empty() || !spoken.stopped.is_empty() || spoken.unreadable_calls != 0);
        if !guards && session.turns.iter().all(|turn| turn.findings.is_empty()) {
            return Ok(());
        }
        let mut out = output::human::stdout();
        let project = session.project.as_deref().unwrap_or("unknown project");
        writeln!(out, "{}\n  session {} in {project}", session.file, session.id)?;
        for turn in session.turns.iter().filter(|turn| !turn.findings.is_empty()) {
            show_turn(&mut out, turn)?;
        }
        if guards && spoken.recorded {
            show_recorded(&mut out, spoken)?;
        } else if guards {
            show_guards(&mut out, spoken)?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn totals(&mut self, totals: &Totals) -> anyhow::Result<()> {
        let mut out = output::human::stdout();
        let claims = &totals.claims;
        writeln!(
            out,
            "{} in {}, {}: {}, {} supported, {} unsupported, {} contradicted",
            count(totals.turns, "turn"),
            count(totals.sessions, "session"),
            count(totals.calls, "tool call"),
            count(claims.total(), "claim"),
            claims.supported,
            claims.unsupported,
            claims.contradicted
        )?;
        if totals.turns_repeated != 0 {
            writeln!(
                out,
                "{} stand in more than one session and count once",
                count(totals.turns_repeated, "turn")
            )?;
        }
        if totals.sessions == 0 {
            writeln!(out, "there was nothing to read")?;
        } else if totals.findings.is_empty() {
            writeln!(out, "nothing found")?;
        } else {
            for (kind, number) in &totals.findings {
                writeln!(out, "{number:>7} {kind}")?;
            }
            writeln!(
                out,
                "{:.1} findings and {:.1} turns with an alarm (critical or high) in 100 turns",
                totals.findings_per_100_turns, totals.alarms_per_100_turns
            )?;
        }
        show_lines(&mut out, &totals.lines)?;
        for problem in &totals.unreadable_files {
            writeln!(out, "not read: {problem}")?;
        }
        if totals.unreadable_files_omitted != 0 {
            writeln!(out, "not read: {} more", totals.unreadable_files_omitted)?;
        }
        Ok(())
    }
}

fn count(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

fn show_turn(out: &mut impl Write, turn: &TurnSummary) -> anyhow::Result<()> {
    let agent = turn.agent.as_deref().map(|agent| format!(" of subagent {agent}")).unwrap_or_default();
    let prompt = if turn.prompt.is_empty() { "(no prompt)" } else { turn.prompt.as_str() };
    writeln!(out, "  turn {}{agent}: {prompt}", turn.index)?;
    for finding in &turn.findings {
        let Finding { kind, severity, rule, standing, description, claim, evidence, .. } = finding;
        let standing = match standing {
            Standing::Supported => "note",
            Standing::Unsupported => "unsupported",
            Standing::Contradicted => "contradicted",
        };
        writeln!(out, "    {} {} [{rule}] {standing}", severity.name(), kind.name())?;
        writeln!(out, "      claim     {}", printable_line(claim))?;
        writeln!(out, "      problem   {}", printable_line(description))?;
        for line in evidence {
            writeln!(out, "      evidence  {}", printable_line(line))?;
        }
    }
    Ok(())
}

fn show_guards(out: &mut impl Write, guards: &Guards) -> anyhow::Result<()> {
    for told in &guards.told {
        show_told(out, told)?;
    }
    let calls = guards.denied + guards.asked + guards.warned + guards.allowed;
    writeln!(
        out,
        "  {} by profile {}: {} denied, {} asked, {} warned, {} allowed ({} after a checkpoint)",
        count(calls, "call"),
        guards.profile,
        guards.denied,
        guards.asked,
        guards.warned,
        guards.allowed,
        guards.checkpoints
    )?;
    let times = guards.decide_us;
    writeln!(
        out,
        "  deciding took {} µs at best, {} µs in the middle, {} µs at worst",
        times.min, times.median, times.max
    )?;
    if guards.unreadable_calls != 0 {
        writeln!(out, "  {} could not be read", count(guards.unreadable_calls, "call"))?;
    }
    Ok(())
}

/// What they said at the time.
fn show_recorded(out: &mut impl Write, guards: &Guards) -> anyhow::Result<()> {
    for Stopped { tool, target, status, rules, .. } in &guards.stopped {
        writeln!(out, "  {status:7} {tool} {} [{}]", printable_line(target), rules.join(", "))?;
    }
    let calls = guards.denied + guards.asked + guards.warned + guards.allowed;
    writeln!(
        out,
        "  {} at the time: {} denied, {} asked, {} warned, {} allowed ({} after a checkpoint)",
        count(calls, "call"),
        guards.denied,
        guards.asked,
        guards.warned,
        guards.allowed,
        guards.checkpoints
    )?;
    Ok(())
}

fn show_told(out: &mut impl Write, told: &Told) -> anyhow::Result<()> {
    let decision = &told.decision;
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let checkpoint = texts(&decision["checkpoint"]);
    let word = match decision["verdict"].as_str() {
        Some("deny") => "denied",
        Some("ask") => "asked",
        Some("warn") => "warned",
        _ if checkpoint.is_empty() => "fault",
        _ => "kept",
    };
    let subagent = if told.subagent { " (subagent)" } else { "" };
    writeln!(out, "  {word:7} line {}: {}{subagent} {}", told.line, told.tool, printable_line(&told.target))?;
    for finding in decision["findings"].as_array().into_iter().flatten() {
        let mode = finding["mode"].as_str().and_then(hostler_model::Mode::parse);
        if mode.is_some_and(|mode| Verdict::from(mode) != Verdict::Allow) {
            let word = |key: &str| finding[key].as_str().unwrap_or_default();
            writeln!(out, "          [{}] {}", word("rule"), printable_line(word("problem")))?;
        }
    }
    for path in checkpoint {
        writeln!(out, "          checkpoint of {path}")?;
    }
    for fault in texts(&decision["faults"]) {
        writeln!(out, "          {fault}")?;
    }
    Ok(())
}

fn show_lines(out: &mut impl Write, lines: &Lines) -> anyhow::Result<()> {
    let parts = [
        (lines.unreadable, "damaged"),
        (lines.too_long, "too long"),
        (lines.cut_at_end, "cut off at a file's end"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number != 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    if !told.is_empty() {
        writeln!(out, "of {}: {}", count(lines.total, "line"), told.join(", "))?;
    }
    if lines.unpaired != 0 {
        writeln!(out, "{} without a result, or result without a call", count(lines.unpaired, "call"))?;
    }
    Ok(())
}

/// Shows how far we are when it takes more than a second and a person looks.
pub(super) struct Bar {
    begun: Instant,
    done: AtomicU64,
    /// Hidden at first; `None` where nobody looks.
    drawn: Option<ProgressBar>,
    shown: OnceLock<()>,
}

/// Work that is over sooner needs no bar.
const QUIET: Duration = Duration::from_secs(1);

impl Bar {
    /// For work on `total` bytes.
    pub(super) fn new(total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
            let shape = "{wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec}, {eta} left";
            match ProgressStyle::with_template(shape) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self { begun: Instant::now(), done: AtomicU64::new(0), drawn: bar, shown: OnceLock::new() }
    }

    /// Writes without tearing the bar.
    fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.drawn {
            Some(bar) if self.shown.get().is_some() => bar.suspend(write),
            _ => write(),
        }
    }

    /// Takes it away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.drawn {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn read(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let Some(bar) = &self.drawn else { return };
        bar.set_position(done);
        if QUIET < self.begun.elapsed() {
            self.shown.get_or_init(|| bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_the_names_that_the_client_gives_them() {
        for (folder, name) in [
            ("/home/dev/shop", "-home-dev-shop"),
            ("/home/dev/my shop.v2/src_a", "-home-dev-my-shop-v2-src-a"),
            ("/home/dév", "-home-d-v"),
        ] {
            assert_eq!(folder_name(Path::new(folder)), name);
        }
    }
}
