//! `hostler replay`: what the guards would have said in a session that is over. Nothing is executed, and
//! nothing is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use hostler_host::claude::transcript::{self, Recorded};
use hostler_host::reason::shorten;
use hostler_model::{Action, Facts, FileKind, Needs, PathFact, Place, Profile, Verdict, lexical};
use hostler_policy::Settings;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::hook::World;
use crate::judge::{Judged, judge};
use crate::observe::observe;
use crate::output;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A Claude Code transcript (`~/.claude/projects/…/<session>.jsonl`)
    file: PathBuf,
    /// Judge it by this profile
    #[arg(long, value_parser = super::guard::profile)]
    profile: Option<Profile>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let file = std::fs::File::open(&args.file)
        .with_context(|| format!("{} cannot be opened", args.file.display()))?;
    let mut replay = Replay::new(args.profile);
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).context("the transcript cannot be read")? == 0 {
            break;
        }
        replay.line(number, &line)?;
    }
    if json {
        output::json::print(&replay.json(&args.file))?;
    } else {
        replay.show()?;
    }
    Ok(if replay.verdicts.keys().any(|verdict| verdict.blocks()) { Exit::Finding } else { Exit::Ok })
}

/// One call that did not simply pass.
struct Told {
    line: u64,
    tool: String,
    subagent: bool,
    target: String,
    judged: Judged,
}

#[derive(Default)]
struct Replay {
    profile: Option<Profile>,
    /// Found from the first line that names a folder.
    world: Option<(World, Place, Settings)>,
    /// Files that the agent read or wrote so far: what the world was like where it is gone.
    seen_files: BTreeSet<PathBuf>,
    seen_calls: BTreeSet<String>,
    lines: u64,
    unreadable: u64,
    faults: u64,
    checkpoints: usize,
    verdicts: BTreeMap<Verdict, usize>,
    times: Vec<Duration>,
    told: Vec<Told>,
}

impl Replay {
    fn new(profile: Option<Profile>) -> Self {
        Self { profile, ..Self::default() }
    }

    fn line(&mut self, number: u64, line: &[u8]) -> anyhow::Result<()> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        self.lines += 1;
        let Some(calls) = transcript::calls(line) else {
            self.unreadable += 1;
            return Ok(());
        };
        for call in calls {
            match call {
                Ok(recorded) => self.call(number, recorded)?,
                Err(_) => self.faults += 1,
            }
        }
        Ok(())
    }

    fn call(&mut self, number: u64, recorded: Recorded) -> anyhow::Result<()> {
        let Recorded { call, cwd, git, subagent } = recorded;
        if call.id.as_ref().is_some_and(|id| !self.seen_calls.insert(id.clone())) {
            return Ok(());
        }
        if self.world.is_none() {
            self.world = Some(recorded_world(&cwd, git, self.profile));
        }
        let Some((_, place, settings)) = &self.world else { return Ok(()) };
        let event = super::guard::event(call.clone(), cwd.clone())?;
        let begun = Instant::now();
        let here = cwd.is_dir();
        let look =
            |needs: &Needs| if here { observe(needs, place) } else { remembered(needs, &self.seen_files) };
        let judged = judge(&event, place, settings, look);
        self.times.push(begun.elapsed());
        if let Action::Read { path: Some(path) }
        | Action::Write { path: Some(path), .. }
        | Action::Edit { path: Some(path), .. } = &call.action
        {
            self.seen_files.insert(lexical::expand(&cwd, place.home.as_deref(), path));
        }
        let decision = &judged.decision;
        *self.verdicts.entry(decision.verdict).or_default() += 1;
        self.checkpoints += usize::from(!decision.snapshot.is_empty());
        if decision.verdict != Verdict::Allow || !decision.snapshot.is_empty() || !decision.faults.is_empty()
        {
            self.told.push(Told {
                line: number,
                tool: call.tool,
                subagent,
                target: shorten(&target(&call.action).replace('\n', "\\n"), 120),
                judged,
            });
        }
        Ok(())
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    fn times_us(&self) -> (u128, u128, u128) {
        let mut times: Vec<u128> = self.times.iter().map(Duration::as_micros).collect();
        times.sort_unstable();
        let at = |index: usize| times.get(index).copied().unwrap_or_default();
        (at(0), at(times.len() / 2), at(times.len().saturating_sub(1)))
    }

    fn profile_name(&self) -> &'static str {
        self.world
            .as_ref()
            .map_or(self.profile.unwrap_or_default(), |(_, _, settings)| settings.profile)
            .name()
    }

    fn json(&self, file: &Path) -> Value {
        let (min, median, max) = self.times_us();
        let told = self.told.iter().map(|told| {
            let mut document = output::json::judged(&told.judged);
            document["line"] = told.line.into();
            document["tool"] = told.tool.as_str().into();
            document["subagent"] = told.subagent.into();
            document["target"] = told.target.as_str().into();
            document
        });
        json!({
            "file": file,
            "profile": self.profile_name(),
            "lines": self.lines,
            "unreadable_lines": self.unreadable,
            "unreadable_calls": self.faults,
            "calls": self.times.len(),
            "denied": self.count(Verdict::Deny),
            "asked": self.count(Verdict::Ask),
            "warned": self.count(Verdict::Warn),
            "allowed": self.count(Verdict::Allow),
            "checkpoints": self.checkpoints,
            "decide_us": { "min": min, "median": median, "max": max },
            "told": told.collect::<Vec<_>>(),
        })
    }

    fn show(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        for told in &self.told {
            let decision = &told.judged.decision;
            let word = match decision.verdict {
                Verdict::Deny => "denied",
                Verdict::Ask => "asked",
                Verdict::Warn => "warned",
                Verdict::Allow if decision.snapshot.is_empty() => "fault",
                Verdict::Allow => "kept",
            };
            let subagent = if told.subagent { " (subagent)" } else { "" };
            writeln!(out, "{word:7} line {}: {}{subagent} {}", told.line, told.tool, told.target)?;
            for finding in
                decision.findings.iter().filter(|finding| Verdict::from(finding.mode) != Verdict::Allow)
            {
                writeln!(out, "        [{}] {}", finding.rule, finding.problem)?;
            }
            for path in &decision.snapshot {
                writeln!(out, "        checkpoint of {}", path.display())?;
            }
            for fault in &decision.faults {
                writeln!(out, "        {fault}")?;
            }
        }
        let (min, median, max) = self.times_us();
        writeln!(
            out,
            "{} calls by profile {}: {} denied, {} asked, {} warned, {} allowed ({} after a checkpoint)",
            self.times.len(),
            self.profile_name(),
            self.count(Verdict::Deny),
            self.count(Verdict::Ask),
            self.count(Verdict::Warn),
            self.count(Verdict::Allow),
            self.checkpoints
        )?;
        writeln!(out, "deciding took {min} µs at best, {median} µs in the middle, {max} µs at worst")?;
        if 0 < self.unreadable + self.faults {
            writeln!(out, "{} lines and {} calls could not be read", self.unreadable, self.faults)?;
        }
        Ok(())
    }
}

/// The world of the recording: this machine's where the folder is here, else what its paths tell.
fn recorded_world(cwd: &Path, git: bool, profile: Option<Profile>) -> (World, Place, Settings) {
    let world = World::at(cwd);
    let mut place = world.place(cwd);
    if !cwd.is_dir() {
        place.root = cwd.to_path_buf();
        place.git_dir = git.then(|| cwd.join(".git"));
        place.git_common_dir.clone_from(&place.git_dir);
        place.own.push(cwd.join(".hostler"));
        if let Some(home) = recorded_home(cwd) {
            place.host_dirs.push(home.join(".claude"));
            place.variables.insert("HOME".to_owned(), home.display().to_string());
            place.home = Some(home);
        }
    }
    let mut settings = world.config.settings.clone();
    if let Some(profile) = profile {
        settings.profile = profile;
    }
    (world, place, settings)
}

/// `/home/name` or `/Users/name`, if `cwd` lies below one.
fn recorded_home(cwd: &Path) -> Option<PathBuf> {
    let home: PathBuf = cwd.components().take(3).collect();
    let parent = home.parent()?;
    (parent == Path::new("/home") || parent == Path::new("/Users")).then_some(home)
}

/// What the recording itself tells of the world.
fn remembered(needs: &Needs, files: &BTreeSet<PathBuf>) -> Facts {
    let known = needs.paths.iter().filter(|path| files.contains(*path));
    let fact =
        |path: &PathBuf| PathFact { kind: FileKind::File, parent_real: path.clone(), real: path.clone() };
    Facts { paths: known.map(|path| (path.clone(), fact(path))).collect(), ..Facts::default() }
}

fn target(action: &Action) -> String {
    match action {
        Action::Shell { command } => command.clone(),
        Action::Write { path, .. }
        | Action::Edit { path, .. }
        | Action::NotebookEdit { path, .. }
        | Action::Read { path } => path.clone().unwrap_or_default(),
        Action::Search { pattern, .. } => pattern.clone(),
        Action::Delegate { prompt, .. } => prompt.clone(),
        Action::Mcp { strings, .. } => strings.first().map(|(_, text)| text.clone()).unwrap_or_default(),
        Action::Fetch { address } => address.clone(),
        Action::Plan | Action::Other => String::new(),
    }
}
