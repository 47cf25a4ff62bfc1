//! The evidence of a session, as much of it as is held at once.

use std::collections::{BTreeMap, HashSet};

use hostler_policy::claims::Evidence;
use hostler_policy::claims::evidence::Actor;

/// Calls that are held one by one. A session with more is rare, and what its first calls did is held in sums.
const CALLS_MAX: usize = 4_000;
/// Most of each that a sum holds.
const FILES_MAX: usize = 20_000;
const DEEDS_MAX: usize = 5_000;
const RUNS_MAX: usize = 500;
const WORDS_MAX: usize = 5_000;

/// Evidence in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct Window {
    items: Vec<Evidence>,
    /// Where the turn begins.
    turn: usize,
}

impl Window {
    /// Adds what one call proves.
    pub(super) fn push(&mut self, evidence: Evidence) {
        self.items.push(evidence);
        if 2 * CALLS_MAX < self.items.len() {
            self.fold();
        }
    }

    /// What was done so far is no longer this turn's.
    pub(super) fn begin_turn(&mut self) {
        for evidence in self.items.iter_mut().skip(self.turn) {
            evidence.earlier = true;
        }
        self.turn = self.items.len();
    }

    /// All of it, oldest first.
    pub(super) fn all(&self) -> &[Evidence] {
        &self.items
    }

    fn fold(&mut self) {
        let count = self.items.len().saturating_sub(CALLS_MAX);
        let sums = sums(self.items.drain(..count));
        self.turn = self.turn.saturating_sub(count);
        self.turn += if self.turn == 0 { 0 } else { sums.len() };
        self.items.splice(0..0, sums);
    }
}

/// What many calls did, by tool: everything that can support a claim, and the last result of each run. What went
/// wrong in them is told or forgotten by now.
fn sums(items: impl Iterator<Item = Evidence>) -> Vec<Evidence> {
    let mut sums: BTreeMap<(String, u8, bool), Sum> = BTreeMap::new();
    for item in items {
        let by = match item.by {
            Actor::Agent => 0,
            Actor::User => 1,
            Actor::Subagent => 2,
        };
        sums.entry((item.tool.clone(), by, item.earlier)).or_default().add(item);
    }
    sums.into_values().map(Sum::finish).collect()
}

#[derive(Default)]
struct Sum {
    whole: Evidence,
    calls: u64,
    files: HashSet<(String, hostler_policy::claims::Act)>,
    deeds: HashSet<(String, hostler_policy::claims::Act)>,
    words: HashSet<String>,
}

impl Sum {
    fn add(&mut self, item: Evidence) {
        let whole = &mut self.whole;
        self.calls += 1;
        whole.tool = item.tool;
        whole.by = item.by;
        whole.channel = item.channel;
        whole.earlier = item.earlier;
        whole.ok = true;
        whole.opaque |= item.opaque;
        whole.tree_clean = item.tree_clean.or(whole.tree_clean);
        for file in item.files {
            if self.files.len() < FILES_MAX && self.files.insert((file.path.clone(), file.act)) {
                whole.files.push(file);
            }
        }
        for deed in item.deeds {
            if self.deeds.len() < DEEDS_MAX && self.deeds.insert((deed.object.clone(), deed.act)) {
                whole.deeds.push(deed);
            }
        }
        for word in item.words {
            if self.words.len() < WORDS_MAX && self.words.insert(word.clone()) {
                whole.words.push(word);
            }
        }
        for run in item.runs {
            let same = |it: &hostler_policy::claims::evidence::Run| {
                it.act == run.act && it.program == run.program && it.scope == run.scope
            };
            if let Some(at) = whole.runs.iter().position(same) {
                whole.runs.remove(at);
            }
            whole.runs.push(run);
        }
        whole.runs.drain(..whole.runs.len().saturating_sub(RUNS_MAX));
    }

    fn finish(mut self) -> Evidence {
        if self.calls != 1 {
            self.whole.summary = format!("{}: {} calls before", self.whole.tool, self.calls);
        }
        self.whole
    }
}

#[cfg(test)]
mod tests {
    use hostler_policy::claims::Act;
    use hostler_policy::claims::evidence::{FileAct, Run, RunOutcome};

    use super::*;

    fn wrote(path: &str) -> Evidence {
        let file = FileAct::new(Act::Create, path);
        Evidence { tool: "Write".into(), ok: true, files: vec![file], ..Evidence::default() }
    }

    fn tested(passed: bool) -> Evidence {
        let outcome = RunOutcome { passed: Some(passed), ..RunOutcome::default() };
        let run = Run { act: Act::Test, program: "pytest".into(), scope: Vec::new(), times: 1, outcome };
        Evidence { tool: "Bash".into(), ok: passed, runs: vec![run], ..Evidence::default() }
    }

    #[test]
    fn long_sessions_are_held_in_bounds_and_forget_nothing_that_supports() {
        let mut window = Window::default();
        window.push(wrote("/p/first"));
        window.push(tested(false));
        window.push(tested(true));
        window.begin_turn();
        for at in 0..5 * CALLS_MAX {
            window.push(wrote(&format!("/p/{}", at % 10)));
            if at % 50 == 0 {
                window.begin_turn();
            }
        }
        assert!(window.all().len() <= 2 * CALLS_MAX + 10, "{}", window.all().len());
        let created =
            |path: &str| window.all().iter().any(|it| it.files.iter().any(|file| file.path == path));
        assert!(created("/p/first") && created("/p/9"));
        let runs: Vec<_> = window.all().iter().flat_map(|it| &it.runs).collect();
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].outcome.passed, Some(true));
        let current = window.all().iter().filter(|it| !it.earlier).count();
        assert_eq!(current, 49);
        assert!(window.all()[0].earlier);
    }
}
