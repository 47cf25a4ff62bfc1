//! Whether a turn may end: what the session changed is looked at, and what is broken in it sends the agent back.
//!
//! It never loops: a set of findings sends back twice at most, another one in the same turn only if fewer are left, and
//! then the turn ends with a report. It never judges what the session did not touch. What could not be checked is told
//! and holds nobody.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use hostler_ledger::journal::sha256_hex;
use hostler_ledger::state::{self, CONSECUTIVE_MAX, PER_SET_MAX};
use hostler_model::{Profile, SessionId};
use hostler_policy::Settings;
use hostler_policy::checks::{Finding, Severity};
use hostler_policy::guards::Scope;
use serde::{Deserialize, Serialize};

use super::baseline::Before;
use super::changed::{self, Asked, File};
use super::fix::{self, Mend, Mended};
use super::render::{self, counted};
use super::review::{Look, Report, review};
use super::tools::{Outcome, Purpose};
use super::touched::Touched;
use crate::config::{GateStop, Gates};
use crate::project::Project;

/// The name of our part of a session's state.
const MEMORY: &str = "gates";
/// Findings of one kind that a reason names; there may be more, and fixing these shows them.
const TOLD_MAX: usize = 10;
/// Sets of findings that are remembered.
const SETS_MAX: usize = 50;

/// A turn that ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'a> {
    /// The project.
    pub(crate) project: &'a Project,
    /// The project's evidence folder and the session; `None`: everything that differs from the last commit.
    pub(crate) session: Option<(&'a Path, &'a SessionId)>,
    /// What is configured.
    pub(crate) gates: &'a Gates,
    /// Limits, severities, and which files are looked at.
    pub(crate) settings: &'a Settings,
    /// The profile that holds.
    pub(crate) profile: Profile,
    /// What does not end by then is not checked.
    pub(crate) deadline: Instant,
}

/// What a look at a turn's changes came to.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// Everything that was found.
    pub(crate) report: Report,
    /// What was looked at.
    files: Vec<File>,
    /// Changed files beyond those that are looked at.
    pub(crate) omitted: usize,
    /// Which files, with what in them.
    digest: String,
}

/// What becomes of the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing stands in its way.
    Passed,
    /// The agent is sent back, for the nth time with these findings.
    Block(u32),
    /// It was sent back often enough.
    Released,
    /// What was found is recorded or told, and holds nobody.
    Told,
}

impl Answer {
    /// Stable name, as in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Block(_) => "sent-back",
            Self::Released => "released",
            Self::Told => "reported",
        }
    }
}

/// What is remembered between the ends of turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    /// The digest of what was looked at last and let go: it is not looked at again.
    settled: String,
    /// Blocks by set of findings.
    sets: BTreeMap<String, u32>,
    /// The set that sent the agent back last.
    last: Vec<String>,
    /// How often the agent was sent back in a row.
    consecutive: u32,
    /// Tools whose absence was told.
    missing: Vec<String>,
    /// Files that were formatted since the agent was told last.
    formatted: Vec<String>,
}

/// Looks at what the session changed. `None` when there is nothing, or when `settled` says that it was looked at.
pub(crate) fn check(turn: &Turn<'_>, touched: Option<Touched>, settled: Option<&str>) -> Option<Checked> {
    let asked = Asked { project: turn.project, session: turn.session, deadline: turn.deadline };
    let mut files = changed::files(&asked, touched);
    let scope = Scope::of(&turn.settings.reviewed);
    files.retain(|file| is_code(file) && scope.holds(&file.name));
    if files.is_empty() {
        return None;
    }
    let omitted = files.len().saturating_sub(turn.gates.files_max);
    files.truncate(turn.gates.files_max);
    let digest = digest(&files);
    if settled == Some(digest.as_str()) {
        return None;
    }
    let report = review(&Look {
        root: &turn.project.root,
        files: &files,
        purpose: Purpose::Stop,
        whole: false,
        gates: &[],
        deadline: turn.deadline,
        checks: &turn.settings.checks,
        tools: &turn.gates.tools(turn.profile),
    });
    Some(Checked { report, files, omitted, digest })
}

/// Something of ours or a tool looks at files of this kind.
fn is_code(file: &File) -> bool {
    hostler_syntax::Language::of(&file.path).is_some()
}

fn digest(files: &[File]) -> String {
    let mut text = env!("CARGO_PKG_VERSION").to_owned();
    for file in files {
        let now = std::fs::read(&file.path).unwrap_or_default();
        let before = match &file.before {
            Before::Text(text) => sha256_hex(text.as_bytes()),
            Before::Missing => "missing".to_owned(),
            Before::Unknown => "unknown".to_owned(),
        };
        let _ = write!(text, "\0{}\0{}\0{before}", file.name, sha256_hex(&now));
    }
    sha256_hex(text.as_bytes())
}

/// Whether a finding sends the agent back, in `profile`.
pub(crate) fn holds(finding: &Finding, profile: Profile) -> bool {
    if finding.severity != Severity::Error {
        return false;
    }
    match finding.check.as_str() {
        // The formatter settles these when the turn ends.
        "format" | "import_order" => false,
        "syntax" | "lint" | "secret" | "bare_except" | "except_pass" | "empty_catch" => true,
        check => check.starts_with("stop.") || profile == Profile::Strict,
    }
}

impl Checked {
    /// What sends the agent back.
    pub(crate) fn holding(&self, profile: Profile) -> Vec<(&str, &Finding)> {
        let mut all: Vec<(&str, &Finding)> =
            self.report.findings().into_iter().filter(|(_, it)| holds(it, profile)).collect();
        // The two lists of linters and the two limits of nesting are about the same thing.
        let twins = [("lint", "stop.lint"), ("nesting", "stop.nesting")];
        let place =
            |(name, it): &(&str, &Finding)| (name.to_string(), it.line, it.check.clone(), it.code.clone());
        let places: Vec<_> = all.iter().map(place).collect();
        all.retain(|it| {
            let (name, line, check, code) = place(it);
            let twin = twins.iter().find(|(of, _)| *of == check);
            twin.is_none_or(|(_, twin)| !places.contains(&(name, line, (*twin).to_owned(), code)))
        });
        all.sort_by_key(|(name, finding)| (Step::of(finding), *name, finding.line));
        all
    }

    fn required(&self) -> &[String] {
        &self.report.required
    }

    /// Nothing sends the agent back.
    pub(crate) fn passes(&self, profile: Profile) -> bool {
        self.holding(profile).is_empty() && self.required().is_empty()
    }

    /// Names of what holds, the same after an edit that moves it.
    fn keys(&self, profile: Profile) -> Vec<String> {
        let key = |(name, finding): &(&str, &Finding)| {
            let symbol = finding.symbol.as_deref().unwrap_or_default();
            let code = finding.code.as_deref().unwrap_or_default();
            let message: String = finding.message.chars().filter(|c| !c.is_ascii_digit()).collect();
            let message = if symbol.is_empty() { message.as_str() } else { "" };
            sha256_hex([name, finding.check.as_str(), symbol, code, message].join("\0").as_bytes())[..16]
                .to_owned()
        };
        let mut keys: Vec<String> = self.holding(profile).iter().map(key).collect();
        keys.extend(self.required().iter().map(|why| sha256_hex(why.as_bytes())[..16].to_owned()));
        keys.sort_unstable();
        keys
    }

    /// What sends the agent back, in its words: what was found, and what to do about it in six steps.
    pub(crate) fn reason(&self, profile: Profile) -> String {
        let holding = self.holding(profile);
        let count = holding.len() + self.required().len();
        let mut out = format!(
            "hostler: the turn cannot end yet: {} in {} that this session changed.",
            counted(count, "error"),
            counted(self.report.files.len(), "file")
        );
        for step in Step::ALL {
            let of: Vec<&(&str, &Finding)> =
                holding.iter().filter(|(_, finding)| Step::of(finding) == step).collect();
            if of.is_empty() {
                continue;
            }
            let _ = write!(out, "\n\n{} ({}):", step.title(), of.len());
            for (name, finding) in of.iter().take(TOLD_MAX) {
                let _ = write!(out, "\n- {}", render::told(name, finding));
            }
            if TOLD_MAX < of.len() {
                let _ = write!(out, "\n- and {} more", of.len() - TOLD_MAX);
            }
        }
        for why in self.required() {
            let _ = write!(out, "\n\n{why}");
        }
        out.push_str("\n\nHow to fix them:");
        for (at, step) in STEPS.iter().enumerate() {
            let _ = write!(out, "\n{}. {step}", at + 1);
        }
        out.push_str(
            "\nThen end the turn again. If one of them cannot be fixed, say in one sentence which and why, and end the turn.",
        );
        out
    }

    /// What was found, for the user; `None` when there is nothing to say.
    pub(crate) fn message(&self, profile: Profile, note: &str) -> Option<String> {
        let holding = self.holding(profile);
        if holding.is_empty() && self.required().is_empty() {
            return None;
        }
        let count = holding.len() + self.required().len();
        let mut out = format!(
            "hostler: {} in {} that this session changed{note}",
            counted(count, "error"),
            counted(self.report.files.len(), "file")
        );
        for (name, finding) in holding.iter().take(TOLD_MAX) {
            let _ = write!(out, "\n- {}", render::told(name, finding));
        }
        for why in self.required() {
            let _ = write!(out, "\n- {why}");
        }
        if TOLD_MAX < holding.len() {
            let _ = write!(out, "\n- and {} more: hostler gate", holding.len() - TOLD_MAX);
        }
        Some(out)
    }

    /// Tools of the project that did not run, with the reasons. That one of our own choice is not there is no news.
    fn not_run(&self) -> Vec<(String, String)> {
        let of =
            self.report.runs.iter().filter(|run| run.is_configured).filter_map(|run| match &run.outcome {
                Outcome::NotRun { reason } => Some((run.tool.to_owned(), render::cut(reason))),
                _ => None,
            });
        of.collect()
    }
}

/// The order in which things are looked at, and fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Syntax,
    Lint,
    Stubs,
    Nesting,
    Size,
    Tests,
    Other,
}

const STEPS: [&str; 6] = [
    "Syntax: repair the lines above so that the file parses again; everything else waits for that.",
    "Lint: define or import what is missing, and remove what cannot work; do not silence the rule.",
    "Stubs: write the body that the function promises, or remove the function.",
    "Nesting: return early, or move the inner blocks into functions of their own.",
    "Size: split classes and files by what they are responsible for.",
    "Tests: run the failing tests, repair the code (or the test, if it is wrong), and run them again.",
];

impl Step {
    const ALL: [Self; 7] =
        [Self::Syntax, Self::Lint, Self::Stubs, Self::Nesting, Self::Size, Self::Tests, Self::Other];

    fn of(finding: &Finding) -> Self {
        match finding.check.as_str() {
            "syntax" => Self::Syntax,
            "lint" | "stop.lint" => Self::Lint,
            "stop.stub" => Self::Stubs,
            "stop.nesting" | "nesting" | "branches" => Self::Nesting,
            "stop.god_class" | "stop.file_lines" | "god_object" => Self::Size,
            "stop.test" => Self::Tests,
            _ => Self::Other,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Syntax => "Syntax errors",
            Self::Lint => "Lint errors",
            Self::Stubs => "Stubs",
            Self::Nesting => "Deep nesting",
            Self::Size => "God objects and files",
            Self::Tests => "Failing tests",
            Self::Other => "Others",
        }
    }
}

impl Memory {
    fn of(state: &state::State) -> Self {
        state.value(MEMORY).cloned().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    fn keep(&self, state: &mut state::State) {
        state.set_value(MEMORY, serde_json::json!(self));
    }

    /// Whether these findings send the agent back, and counts it if so.
    fn next(&mut self, keys: Vec<String>, continuing: bool) -> Answer {
        if !continuing {
            self.consecutive = 0;
        }
        if keys.is_empty() {
            self.consecutive = 0;
            return Answer::Passed;
        }
        if CONSECUTIVE_MAX <= self.consecutive {
            return Answer::Released;
        }
        let begun = 0 < self.consecutive;
        // All of the last ones are settled, and what they hid came to light: that is progress too.
        let shrank = keys.len() < self.last.len() || !keys.iter().any(|key| self.last.contains(key));
        if begun && keys != self.last && !shrank {
            return Answer::Released;
        }
        if SETS_MAX <= self.sets.len() {
            self.sets.clear();
        }
        let count = self.sets.entry(sha256_hex(keys.join("\0").as_bytes())).or_default();
        if PER_SET_MAX <= *count {
            return Answer::Released;
        }
        *count += 1;
        self.consecutive += 1;
        self.last = keys;
        Answer::Block(*count)
    }
}

/// What the last look let go; see [`check`].
pub(crate) fn settled(state: &Path, session: &SessionId) -> Option<String> {
    let state = state::load(state, session).ok()?;
    Some(Memory::of(&state).settled).filter(|digest| !digest.is_empty())
}

/// What is said of a turn: what becomes of it, and tools whose absence was not told in this session yet.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) answer: Answer,
    pub(crate) missing: Vec<(String, String)>,
}

/// Whose turn it is that is decided about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circumstances {
    /// The agent was sent back before, in this turn.
    pub(crate) continuing: bool,
    /// Somebody else sends it back now: it will end its turn once more.
    pub(crate) goes_on: bool,
    /// The agent can be sent back at all.
    pub(crate) may_block: bool,
}

/// Decides about the turn, and counts it.
///
/// # Errors
/// Why it could not be counted: then the turn is let go, or it could be sent back for ever.
pub(crate) fn decide(
    turn: &Turn<'_>,
    checked: &Checked,
    circumstances: Circumstances,
) -> Result<Decided, String> {
    let Circumstances { continuing, goes_on, may_block } = circumstances;
    let Some((project_state, session)) = turn.session else {
        let answer = if checked.passes(turn.profile) { Answer::Passed } else { Answer::Told };
        return Ok(Decided { answer, missing: checked.not_run() });
    };
    let keys = checked.keys(turn.profile);
    let stops = may_block && turn.gates.stop(turn.profile) == GateStop::Deny;
    let change = |state: &mut state::State| {
        let mut memory = Memory::of(state);
        let answer = match (stops, keys.is_empty()) {
            (false, false) => Answer::Told,
            _ => memory.next(keys, continuing),
        };
        let mut missing = checked.not_run();
        missing.retain(|(tool, _)| !memory.missing.contains(tool));
        memory.missing.extend(missing.iter().map(|(tool, _)| tool.clone()));
        memory.settled = match answer {
            Answer::Block(_) => String::new(),
            // It is looked at once more, when the turn really ends.
            _ if goes_on => String::new(),
            _ => checked.digest.clone(),
        };
        memory.keep(state);
        Decided { answer, missing }
    };
    state::update(project_state, session, change).map_err(|error| error.to_string())
}

/// Lays out what the session changed, with the project's own formatter. The agent is told with the next prompt: words to
/// it now would make it go on.
pub(crate) fn format(turn: &Turn<'_>, checked: &Checked) -> Mended {
    if turn.gates.stop(turn.profile) < GateStop::Warn || !turn.gates.formats(turn.profile) {
        return Mended::default();
    }
    let mut mended = fix::mend(&Mend {
        root: &turn.project.root,
        files: &checked.files,
        layout_only: true,
        deadline: turn.deadline,
        tools: &turn.gates.tools(turn.profile),
    });
    let (Some((state, session)), false) = (turn.session, mended.changed.is_empty()) else { return mended };
    let settled = digest(&checked.files);
    let change = |state: &mut state::State| {
        let mut memory = Memory::of(state);
        memory.formatted.extend(mended.changed.iter().cloned());
        memory.formatted.sort();
        memory.formatted.dedup();
        if !memory.settled.is_empty() {
            memory.settled = settled;
        }
        memory.keep(state);
    };
    if let Err(error) = state::update(state, session, change) {
        mended.faults.push(format!("which files were formatted could not be kept: {error}"));
    }
    mended
}

/// Files that were formatted since this was asked last.
pub(crate) fn take_formatted(state: &Path, session: &SessionId) -> Vec<String> {
    let some = state::load(state, session).is_ok_and(|state| !Memory::of(&state).formatted.is_empty());
    if !some {
        return Vec::new();
    }
    let change = |state: &mut state::State| {
        let mut memory = Memory::of(state);
        let formatted = std::mem::take(&mut memory.formatted);
        memory.keep(state);
        formatted
    };
    state::update(state, session, change).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// What becomes of turns that end with these findings, the first one new, the others sent back before.
    #[track_caller]
    fn check(memory: &mut Memory, turns: &[(&[&str], Answer)]) {
        for (at, (found, expected)) in turns.iter().enumerate() {
            assert_eq!(memory.next(keys(found), at != 0), *expected, "turn {at}: {found:?}");
        }
    }

    #[test]
    fn one_set_sends_back_twice() {
        let mut memory = Memory::default();
        check(
            &mut memory,
            &[(&["a"], Answer::Block(1)), (&["a"], Answer::Block(2)), (&["a"], Answer::Released)],
        );
        // Nor in another turn; what is new then, does.
        check(&mut memory, &[(&["a"], Answer::Released)]);
        check(
            &mut memory,
            &[(&["a", "b"], Answer::Block(1)), (&["b"], Answer::Block(1)), (&[], Answer::Passed)],
        );
    }

    #[test]
    fn another_set_sends_back_only_if_it_shrank_or_what_was_found_is_settled() {
        let grown = [(&["a"][..], Answer::Block(1)), (&["a", "b"], Answer::Released)];
        check(&mut Memory::default(), &grown);
        let swapped = [(&["a", "b"][..], Answer::Block(1)), (&["a", "c"], Answer::Released)];
        check(&mut Memory::default(), &swapped);
        let revealed =
            [(&["a"][..], Answer::Block(1)), (&["b", "c"], Answer::Block(1)), (&["c"], Answer::Block(1))];
        check(&mut Memory::default(), &revealed);
    }

    #[test]
    fn nobody_is_sent_back_for_ever() {
        let mut memory = Memory::default();
        let names: Vec<String> = (0..20).map(|at| at.to_string()).collect();
        let blocks = names
            .iter()
            .enumerate()
            .filter(|(at, name)| matches!(memory.next(vec![(*name).clone()], 0 < *at), Answer::Block(_)));
        assert_eq!(blocks.count(), usize::try_from(CONSECUTIVE_MAX).unwrap_or_default());
    }

    #[test]
    fn a_profile_says_what_holds() {
        let finding =
            |check: &str, severity| Finding { check: check.to_owned(), severity, ..Finding::default() };
        for (check, standard, strict) in [
            ("syntax", true, true),
            ("stop.lint", true, true),
            ("stop.test", true, true),
            ("bare_except", true, true),
            ("branches", false, true),
            ("type", false, true),
            ("format", false, false),
        ] {
            let found = finding(check, Severity::Error);
            assert_eq!(
                (holds(&found, Profile::Standard), holds(&found, Profile::Strict)),
                (standard, strict),
                "{check}"
            );
            assert!(!holds(&finding(check, Severity::Warn), Profile::Strict), "{check}");
        }
    }
}
