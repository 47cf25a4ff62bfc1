//! Depth of blocks within a function: `if`, `for`, `while`, `with`, `try`, `match` and their like. `elif`, `except` and
//! `case` add nothing; a function or closure inside begins anew. Two limits: a wider one while code is edited, and the
//! one that code must keep when a turn ends.

use hostler_syntax::Function;

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "nesting",
    gate: Gate::Complexity,
    severity: Severity::Error,
    summary: "functions that nest too deeply: 5 levels a warning, more an error",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[Example("src/a.py", DEPTH_5)],
    silent: &[Example("src/a.py", DEPTH_4), Example("src/a.py", INNER)],
    run,
};

pub(super) const STOP: Check = Check {
    id: "stop.nesting",
    gate: Gate::Stop,
    severity: Severity::Error,
    summary: "functions that nest more than 4 levels deep, at the end of a turn",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[Example("src/a.py", DEPTH_5)],
    silent: &[Example("src/a.py", DEPTH_4), Example("src/a.py", INNER)],
    run: run_stop,
};

const DEPTH_5: &str = "async def f(a):\n    async for b in a:\n        async with b:\n            while b:\n                \
                       try:\n                    if b:\n                        return b\n                finally:\n                    \
                       b = a\n";
const DEPTH_4: &str = "def f(a):\n    if a:\n        for b in a:\n            while b:\n                if a:\n                    \
                       return [x if x else y for x in a for y in b if y]\n                elif b:\n                    return b\n";
const INNER: &str = "def f(a):\n    if a:\n        for b in a:\n            if b:\n\n                def g(c):\n                    \
                     if c:\n                        for d in c:\n                            return d\n\n                return g\n";

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let limit = settings.nesting;
    let judge = |function: &Function| {
        let severity = limit.severity(u64::from(function.nesting))?;
        let max = if severity == Severity::Error { limit.error } else { limit.warn };
        Some(finding(&CHECK, source, function, max).at(severity))
    };
    source.functions().iter().filter_map(judge).collect()
}

fn run_stop(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let max = settings.stop_nesting_max;
    let deep = source.functions().iter().filter(|it| max < u64::from(it.nesting));
    deep.map(|it| finding(&STOP, source, it, max)).collect()
}

fn finding(check: &Check, source: &Source<'_>, function: &Function, max: u64) -> Finding {
    let name = source.name_of(function);
    let (line, depth, deepest) = (function.line, function.nesting, function.nesting_line);
    check
        .finding(
            line,
            format!("`{name}` (line {line}) nests {depth} levels deep, at most {max} (line {deepest})"),
        )
        .about(Some(name))
        .metric(u64::from(depth))
        .fix("return early, or move the inner blocks into a function of their own")
}
