//! Classes that are too large when a turn ends: by public methods, and by lines. Each limit is a finding of its own, so
//! that one that gets worse is not hidden by the other.

use hostler_syntax::Class;

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, LINES, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "stop.god_class",
    gate: Gate::Stop,
    severity: Severity::Error,
    summary: "classes of more than 15 public methods or more than 300 lines, at the end of a turn",
    same: Same::Symbol,
    kinds: PRODUCT,
    fires: &[Example("src/a.py", PUBLIC_16)],
    silent: &[
        Example("tests/test_a.py", PUBLIC_16),
        Example("ci/a.py", PUBLIC_16),
        Example("src/a.py", "class A:\n    def f(self):\n        return 1\n"),
    ],
    run,
};

/// Sixteen public methods.
const PUBLIC_16: &str = "class A:\n    def a(self): return 1\n    def b(self): return 1\n    def c(self): return 1\n    \
                         def d(self): return 1\n    def e(self): return 1\n    def f(self): return 1\n    \
                         def g(self): return 1\n    def h(self): return 1\n    def i(self): return 1\n    \
                         def j(self): return 1\n    def k(self): return 1\n    def l(self): return 1\n    \
                         def m(self): return 1\n    def n(self): return 1\n    def o(self): return 1\n    \
                         def p(self): return 1\n";

fn run(source: &Source<'_>, settings: &Settings) -> Vec<Finding> {
    if settings.leaves_out(source.path) {
        return Vec::new();
    }
    source.classes().iter().flat_map(|it| in_class(source, settings, it)).collect()
}

fn in_class(source: &Source<'_>, settings: &Settings, class: &Class) -> Vec<Finding> {
    let name = source.name_of_class(class);
    let limits = [
        (
            "public-methods",
            "public methods",
            class.public_method_names as u64,
            settings.stop_class_public_methods_max,
        ),
        (LINES, "lines", class.lines as u64, settings.stop_class_lines_max),
    ];
    let over = limits.into_iter().filter(|(_, _, value, max)| max < value);
    over.map(|(code, what, value, max)| {
        CHECK
            .finding(
                class.impl_line.unwrap_or(class.line),
                format!("`{name}` has {value} {what}, more than {max}"),
            )
            .about(Some(name.clone()))
            .metric(value)
            .code(code)
            .fix("split it by what its methods work on")
    })
    .collect()
}
