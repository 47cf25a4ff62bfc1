//! Cyclomatic complexity as ruff's C901 counts it, for each function.

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "branches",
    gate: Gate::Complexity,
    severity: Severity::Error,
    summary: "functions with too many branches: more than 7 a warning, more than 10 an error",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[Example(
        "src/a.py",
        "def f(a):\n    if a == 1:\n        return 1\n    elif a == 2:\n        return 2\n    elif a == 3:\n        return 3\n    \
             elif a == 4:\n        return 4\n    elif a == 5:\n        return 5\n    elif a == 6:\n        return 6\n    \
             elif a == 7:\n        return 7\n    return 0\n",
    )],
    silent: &[
        Example(
            "src/a.py",
            "def f(a, b):\n    return [i for i in a if i if i > 1 if i > 2 for j in b if j if j > 1 if j > 2 and j or i]\n",
        ),
        Example("src/a.py", "def f(a):\n    if a:\n        return 1\n    return 0\n"),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let functions = source.functions().iter();
    functions
        .filter_map(|it| {
            let value = u64::from(it.complexity);
            let severity = settings.branches.severity(value)?;
            let limit =
                if severity == Severity::Error { settings.branches.error } else { settings.branches.warn };
            let name = source.name_of(it);
            let message = format!("`{name}` has a complexity of {value}, more than {limit}");
            Some(
                CHECK
                    .finding(it.line, message)
                    .at(severity)
                    .about(Some(name))
                    .metric(value)
                    .fix("move cases into functions of their own, or into a table"),
            )
        })
        .collect()
}
