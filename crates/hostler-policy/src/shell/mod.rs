//! Command line -> effects.
//!
//! The text is parsed as bash ([`parse`]), words are expanded with what is known ([`expand`]), wrappers are
//! stripped and nested programs entered ([`wrap`]), and each command's family says what it does
//! ([`files`], [`git`], [`infra`], [`net`], [`packages`], [`script`]). Guards ask which effects a command
//! line has; claims will ask which effects an agent's commands had.

mod args;
mod builtin;
mod expand;
mod files;
mod git;
mod infra;
mod lookalike;
mod machine;
mod net;
mod packages;
mod parse;
mod run;
mod script;
mod sql;
mod target;
#[cfg(test)]
mod tests;
pub(crate) mod wildcard;
mod word;
mod wrap;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hostler_model::{Coverage, Effect, EffectKind, Place, Reach, Step};

pub use net::is_secret_file;

use machine::{Machine, State, Stream};

/// Where [`may_take_long`] begins: doubling per bracket, this many still end within a millisecond or two.
const LONG_OPENERS_MIN: usize = 10;
const LONG_BYTES_MIN: usize = 16 * 1024;

/// Characters of a command that messages show.
const SHOWN_CHARS_MAX: usize = 240;

/// What a command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its effects in order, each once.
    pub effects: Vec<Effect>,
    /// Where each of [`Report::effects`] stands in the line; as many.
    pub flows: Vec<Flow>,
    /// Every simple command with resolved words, wrappers and what they wrap.
    pub commands: Vec<Command>,
    /// How much was understood.
    pub coverage: Coverage,
    /// Scripts of the project, or in temporary folders, that it runs and whose text was not given.
    pub scripts: Vec<PathBuf>,
}

/// Texts of scripts by path.
pub type Scripts = BTreeMap<PathBuf, String>;

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its resolved words; `None` where a word depends on what only the run can tell.
    pub words: Vec<Option<String>>,
    /// Where it stands in the line.
    pub flow: Flow,
    /// Its working directory, where it can be told.
    pub cwd: Option<PathBuf>,
    /// It runs on another machine or in a container.
    pub remote: bool,
}

/// Where a command stands in its line: what the line's exit status and output tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Flow {
    /// The pipeline's number, in order of evaluation. A command that is evaluated for several values of its
    /// variables, and what a wrapper wraps, keep the number.
    pub pipeline: u32,
    /// The number of the chain (`a && b || c`) that the pipeline belongs to.
    pub chain: u32,
    /// The line's exit status does not tell whether it succeeded.
    pub hidden: bool,
    /// It runs only if something before it failed, or a condition holds.
    pub optional: bool,
    /// It runs only if what stands before it in the chain succeeded (`&&`).
    pub after_success: bool,
    /// Its output goes to the next command of a pipe.
    pub piped: bool,
    /// Its input comes from a pipe.
    pub fed: bool,
    /// Its output becomes part of a word (`$(…)`).
    pub captured: bool,
    /// Its exit status is turned round (`!`).
    pub negated: bool,
    /// How often a loop runs it, where only a count is known; 0 and 1 mean once.
    pub times: u32,
}

impl Report {
    /// The effects of one kind.
    pub fn of(&self, kind: EffectKind) -> impl Iterator<Item = &Effect> {
        self.effects.iter().filter(move |effect| effect.kind == kind)
    }

    /// The analysis as steps of an explanation.
    pub fn steps(&self) -> Vec<Step> {
        let step = |detail: String| Step { stage: "shell".to_owned(), detail };
        let commands = self.commands.iter().map(|command| {
            let words: Vec<&str> =
                command.words.iter().map(|word| word.as_deref().unwrap_or("<unknown>")).collect();
            step(format!("command: {}", shorten(&words.join(" "))))
        });
        let effects = self.effects.iter().map(|effect| {
            let targets: Vec<String> = effect
                .targets
                .iter()
                .map(|target| match &target.path {
                    Some(path) if target.glob => format!("{}/{}", path.display(), target.pattern),
                    Some(path) => path.display().to_string(),
                    None => format!("{} (unresolved)", target.text),
                })
                .collect();
            let place = if effect.reach == Reach::Remote { " elsewhere" } else { "" };
            step(format!("effect: {:?}{place} {} because {}", effect.kind, targets.join(", "), effect.why))
        });
        let gaps = match &self.coverage {
            Coverage::Full => Vec::new(),
            Coverage::Partial(gaps) => {
                gaps.iter().map(|gap| step(format!("not understood: {gap}"))).collect()
            }
        };
        commands.chain(effects).chain(gaps).collect()
    }
}

/// Analyses `command` as bash would run it in `cwd`.
///
/// Never fails: what is not understood is an [`EffectKind::ExecUnresolved`] effect, which guards ask about.
pub fn analyse(command: &str, cwd: &Path, place: &Place) -> Report {
    analyse_with(command, cwd, place, &Scripts::new())
}

/// As [`analyse`], reading the scripts that `command` runs where `library` has them.
pub fn analyse_with(command: &str, cwd: &Path, place: &Place, library: &Scripts) -> Report {
    let mut report = parse::with_stack(command, |deep| {
        let mut machine = Machine::new(place, library, deep);
        machine.run_text(command, &mut State::new(Some(cwd.to_path_buf())), &Stream::NOTHING);
        let coverage = if machine.gaps.is_empty() { Coverage::Full } else { Coverage::Partial(machine.gaps) };
        Report {
            effects: machine.effects,
            flows: machine.flows,
            commands: machine.commands,
            coverage,
            scripts: machine.scripts,
        }
    })
    .unwrap_or_else(|why| {
        let why = why.to_owned();
        Report {
            effects: vec![unresolved(command, why.clone())],
            flows: vec![Flow::default()],
            commands: Vec::new(),
            coverage: Coverage::Partial(vec![why]),
            scripts: Vec::new(),
        }
    });
    if let Some(c) = lookalike::bidirectional(command) {
        report.effects.push(Effect {
            kind: EffectKind::LookAlike,
            ..unresolved(
                command,
                format!("it holds U+{:04X}, which changes the order in which text is shown", c as u32),
            )
        });
    }
    report.flows.resize(report.effects.len(), Flow::default());
    let mut seen: Vec<Effect> = Vec::with_capacity(report.effects.len());
    let mut flows = Vec::with_capacity(report.effects.len());
    for (effect, flow) in report.effects.into_iter().zip(report.flows) {
        if !seen.contains(&effect) {
            seen.push(effect);
            flows.push(flow);
        }
    }
    report.effects = seen;
    report.flows = flows;
    report
}

/// Whether analysing `command` could take longer than a caller with a deadline has, in the worst case that is
/// not known yet: the parser backtracks once per open bracket, and some here-documents never end for it.
/// Ordinary lines take microseconds.
pub fn may_take_long(command: &str) -> bool {
    LONG_BYTES_MIN < command.len() || LONG_OPENERS_MIN < parse::openers(command) || command.contains("<<")
}

/// Whether a program of this name runs shell text.
pub(crate) fn is_shell(name: &str) -> bool {
    wrap::SHELLS.contains(&name)
}

fn unresolved(command: &str, why: String) -> Effect {
    Effect {
        kind: EffectKind::ExecUnresolved,
        targets: Vec::new(),
        command: shorten(command),
        why,
        reach: Reach::Local,
        recursive: false,
        script: None,
    }
}

/// `text` on one line, cut for messages: between words, since a part of a secret is not known for one when the message
/// is written down.
fn shorten(text: &str) -> String {
    let whole = match text.char_indices().nth(SHOWN_CHARS_MAX) {
        None => text,
        Some((at, _)) => {
            let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            text[..at].trim_end_matches(goes_on)
        }
    };
    let mut out = whole.replace('\n', " ");
    if whole.len() < text.len() {
        out.push('…');
    }
    out
}
