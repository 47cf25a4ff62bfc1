//! Classes with too many methods, by different names, so that overloads and setters count once.

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "god_object",
    gate: Gate::Design,
    severity: Severity::Warn,
    summary: "classes of more than 20 methods",
    same: Same::Symbol,
    kinds: PRODUCT,
    fires: &[Example("src/a.py", METHODS_21)],
    silent: &[
        Example("src/a.py", "class A:\n    def f(self):\n        return 1\n"),
        Example("tests/test_a.py", METHODS_21),
    ],
    run,
};

/// Twenty-one methods.
const METHODS_21: &str = "class A:\n    def a(self): return 1\n    def b(self): return 1\n    def c(self): return 1\n    \
                          def d(self): return 1\n    def e(self): return 1\n    def f(self): return 1\n    \
                          def g(self): return 1\n    def h(self): return 1\n    def i(self): return 1\n    \
                          def j(self): return 1\n    def k(self): return 1\n    def l(self): return 1\n    \
                          def m(self): return 1\n    def n(self): return 1\n    def o(self): return 1\n    \
                          def p(self): return 1\n    def q(self): return 1\n    def r(self): return 1\n    \
                          def s(self): return 1\n    def t(self): return 1\n    def u(self): return 1\n";

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    let max = settings.class_methods_max;
    let classes = source.classes().iter();
    classes
        .filter_map(|it| {
            let methods = it.method_names as u64;
            let name = source.name_of_class(it);
            (max < methods).then(|| {
                CHECK
                    .finding(
                        it.impl_line.unwrap_or(it.line),
                        format!("`{name}` has {methods} methods, more than {max}"),
                    )
                    .about(Some(name))
                    .metric(methods)
                    .fix("split it by what its methods work on")
            })
        })
        .collect()
}
