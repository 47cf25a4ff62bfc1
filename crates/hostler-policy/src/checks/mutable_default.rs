//! Defaults that all calls share (B006, lambdas included).

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "mutable_default",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "defaults of parameters that all calls share and may change",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "def f(a, acc=[]):\n    acc.append(a)\n    return acc\n"),
        Example("src/a.py", "def f(a, *, seen=set()):\n    return a in seen\n"),
        Example("src/a.py", "f = lambda a, acc={}: acc.get(a)\n"),
    ],
    silent: &[
        Example("src/a.py", "def f(a, acc=None):\n    return acc or [a]\n"),
        Example("src/a.py", "def f(a, kinds=(1, 2), names=frozenset()):\n    return a in kinds\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some(facts) = source.facts else { return Vec::new() };
    let named = facts
        .functions
        .iter()
        .flat_map(|it| it.mutable_defaults.iter().map(move |line| (*line, Some(source.name_of(it)))));
    let loose = facts.loose_mutable_defaults.iter().map(|line| (*line, source.symbol_at(*line)));
    named
        .chain(loose)
        .map(|(line, symbol)| {
            CHECK
                .finding(line, "a default that can change is made once and shared by all calls".to_owned())
                .about(symbol)
                .fix("use `None` as the default and make a new one in the body")
        })
        .collect()
}
