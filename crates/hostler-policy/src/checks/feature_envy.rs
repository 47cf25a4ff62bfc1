//! Methods that look at their own object very often. The source document calls that feature envy; what it measures is
//! how much one method does with the object's state, so it never is more than a warning.

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

const REFERENCES_16: &str = "class A:\n    def f(self):\n        return [self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h,\n        \
                             self.i, self.j, self.k, self.l, self.m, self.n, self.o, self.p]\n";
const IN_INIT: &str = "class A:\n    def __init__(self):\n        self.x = [self.a, self.b, self.c, self.d, self.e, self.f, self.g, self.h,\n        \
                       self.i, self.j, self.k, self.l, self.m, self.n, self.o, self.p]\n";

pub(super) const CHECK: Check = Check {
    id: "feature_envy",
    gate: Gate::Design,
    severity: Severity::Warn,
    summary: "methods with more than 15 references to their own object",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[Example("src/a.py", REFERENCES_16)],
    silent: &[
        Example("src/a.py", IN_INIT),
        Example("src/a.py", "class A:\n    def f(self):\n        return self.a + self.b\n"),
    ],
    run,
};

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let max = settings.self_references_max;
    let methods = source.functions().iter().filter(|it| it.class.is_some() && !it.is_constructor);
    methods
        .filter_map(|it| {
            let count = u64::from(it.self_references);
            let name = source.name_of(it);
            (max < count).then(|| {
                CHECK
                    .finding(
                        it.line,
                        format!("`{name}` refers to its own object {count} times, more than {max}"),
                    )
                    .about(Some(name))
                    .metric(count)
                    .fix("move what belongs together into an object or a function of its own")
            })
        })
        .collect()
}
