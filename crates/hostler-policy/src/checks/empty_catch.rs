//! Handlers without a body in languages other than Python (`no-empty`). A comment in it says that it is meant, or, where
//! that is the custom, the name of the failure.

use hostler_syntax::{Catch, Language};

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// Names of a failure that say that it is meant to be dropped.
const MEANT: &[&str] = &["expected", "ignore", "ignored"];

pub(super) const CHECK: Check = Check {
    id: "empty_catch",
    gate: Gate::Safety,
    severity: Severity::Error,
    summary: "handlers with an empty body, so that a failure leaves no trace",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.ts", "try {\n  f();\n} catch {}\n"),
        Example("src/a.js", "try { f() } catch (e) {\n}\n"),
        Example("src/a.ts", "try {\n  f();\n} catch {} // the end\n"),
        Example("src/a.ts", "try {\n  f();\n} catch {} /* the end */\n"),
        Example("src/a.rs", "fn f() {\n    if let Err(_) = g() {}\n}\n"),
        Example(
            "src/A.java",
            "class A {\n    void f() {\n        try {\n            g();\n        } catch (Exception e) {\n        }\n    }\n}\n",
        ),
        Example("a.go", "package a\n\nfunc f() {\n\tif err := g(); err != nil {\n\t}\n}\n"),
    ],
    silent: &[
        Example("src/a.ts", "try {\n  f();\n} catch {\n  // there is nothing to close\n}\n"),
        Example("src/a.rs", "fn f() {\n    if let Err(error) = g() {\n        warn(error);\n    }\n}\n"),
        Example(
            "a.go",
            "package a\n\nfunc f() error {\n\tif err := g(); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
        ),
        Example("src/a.py", "try:\n    f()\nexcept OSError:\n    pass\n"),
        Example(
            "src/A.java",
            "class A {\n    void f() {\n        try {\n            g();\n        } catch (E ignored) {}\n    }\n}\n",
        ),
        Example(
            "src/a.rs",
            "fn f() {\n    match g() {\n        Err(e) if e.is_late() => {}\n        Err(E::Gone(_)) => {}\n        it => h(it),\n    }\n}\n",
        ),
        Example("src/a.ts", "try {\n  f();\n} catch {\n  // meant\n} // the end\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    if source.is(Language::Python) {
        return Vec::new();
    }
    let is_meant = |it: &Catch| {
        let names = source.is(Language::Java) || source.is(Language::Kotlin) || source.is(Language::CSharp);
        names && it.name.as_deref().is_some_and(|name| MEANT.contains(&name))
    };
    let empty = source.handlers().iter().filter(|it| it.is_empty && !is_meant(it));
    empty
        .map(|it| {
            CHECK
                .finding(it.line, "a failure is caught and dropped: the handler is empty".to_owned())
                .about(source.symbol_of(it.function))
                .fix("handle it, log it, pass it on, or say in a comment why it may be dropped")
        })
        .collect()
}
