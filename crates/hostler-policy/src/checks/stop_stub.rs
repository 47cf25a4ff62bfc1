//! Functions that look finished and do nothing.
//!
//! In Python: a body of nothing but `pass`, `...`, documentation, log calls, `return None`, constants for local names,
//! or `raise NotImplementedError`. Narrowed so that hooks that are empty on purpose pass: private ones, what opens and
//! closes, what logs, what others override or a decorator completes. In other languages only what says of itself that
//! it is not written: `todo!()`, `panic("not implemented")`.

use hostler_syntax::{Body, Function, Language};

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// Functions that may have nothing to do.
const NAMES: &[&str] = &[
    "__init__",
    "__del__",
    "__enter__",
    "__exit__",
    "__aenter__",
    "__aexit__",
    "close",
    "aclose",
    "cleanup",
];
/// Names that say that nothing is done.
const IDLE: &[&str] = &["noop", "no_op", "nop", "do_nothing", "ignore"];
/// What classes are called whose methods do nothing on purpose.
const NULL_OBJECTS: &[&str] = &["Null", "Noop", "NoOp", "Dummy"];
/// What functions are called whose work is a log call.
const LOGGING: &[&str] = &["log", "warn", "report"];
/// Decorators that say nothing about the body.
const NEUTRAL: &[&str] = &["staticmethod", "classmethod", "property"];

pub(super) const CHECK: Check = Check {
    id: "stop.stub",
    gate: Gate::Stop,
    severity: Severity::Error,
    summary: "functions that do nothing yet, at the end of a turn",
    same: Same::Symbol,
    kinds: PRODUCT,
    fires: &[
        Example("src/a.py", "def sync(a):\n    pass\n"),
        Example("src/a.py", "class Repo:\n    def save(self, a): ...\n"),
        Example("src/a.py", "async def sync(a):\n    \"\"\"Later.\"\"\"\n    return None\n"),
        Example("src/a.py", "def sync(a):\n    logger.info(\"sync %s\", a)\n    return\n"),
        Example("src/a.py", "def sync(a):\n    ready = True\n    count = 0\n    return\n"),
        Example("src/a.py", "def sync(a):\n    seen = []\n    seen.append(a)\n"),
        Example("src/a.py", "def sync(a):\n    raise NotImplementedError\n"),
    ],
    silent: &[
        Example("src/a.py", "def _sync(a):\n    pass\n"),
        Example(
            "src/a.py",
            "class R:\n    def __init__(self):\n        pass\n\n    def close(self):\n        pass\n",
        ),
        Example("src/a.py", "async def f(g):\n    await g()\n"),
        Example("src/a.py", "class C:\n    def bump(self):\n        self.n += 1\n"),
        Example("src/a.py", "class C:\n    def put(self, x):\n        self.items.append(x)\n"),
        Example(
            "src/a.py",
            "def check(x):\n    if not x:\n        raise NotImplementedError(\"later\")\n    return x\n",
        ),
        Example("src/a.py", "@click.group()\ndef cli():\n    \"\"\"Top command.\"\"\"\n"),
        Example("src/a.py", "class A(ABC):\n    @abstractmethod\n    def go(self):\n        ...\n"),
        Example("src/a.py", "class P(Protocol):\n    def go(self) -> int: ...\n"),
        Example(
            "src/a.py",
            "class D:\n    def go(self):\n        raise NotImplementedError\n\n\nclass E(D):\n    def go(self):\n        return 1\n",
        ),
        Example(
            "src/a.py",
            "class App:\n    def log_error(self, e):\n        self.logger.error(\"failed\", exc_info=e)\n",
        ),
        Example("src/a.pyi", "def save(a: int) -> None: ...\n"),
        Example("tests/test_a.py", "def test_later():\n    pass\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let stubs = source.functions().iter().filter(|it| is_stub(source, it));
    stubs
        .map(|it| {
            let name = source.name_of(it);
            let what = match it.body {
                Body::Unimplemented => "says that it is not implemented",
                Body::Empty => "has no body",
                Body::Trivial | Body::Working => "does nothing but log, set local names or return nothing",
            };
            CHECK
                .finding(it.line, format!("`{name}` is a stub: it {what}"))
                .about(Some(name))
                .fix("implement it, or take it out together with its callers")
        })
        .collect()
}

fn is_stub(source: &Source<'_>, function: &Function) -> bool {
    if function.is_abstract || function.is_test {
        return false;
    }
    if !source.is(Language::Python) {
        return function.body == Body::Unimplemented;
    }
    let name = function.name.as_str();
    let small = name.to_ascii_lowercase();
    function.body != Body::Working
        && !name.starts_with('_')
        && !NAMES.contains(&name)
        && !IDLE.contains(&small.as_str())
        && !LOGGING.iter().any(|it| small.starts_with(it))
        && !function.is_overridden
        // What a function makes for its caller is often empty on purpose.
        && function.parent.is_none()
        && function.decorators.iter().all(|it| NEUTRAL.contains(&it.as_str()))
        && !is_template(source, function)
}

/// A method of a class that is abstract as a whole, so that others must replace what raises, or of a null object.
fn is_template(source: &Source<'_>, function: &Function) -> bool {
    let Some(class) = source.class_of(function) else { return false };
    let name = class.name.trim_start_matches('_');
    if NULL_OBJECTS.iter().any(|it| name.starts_with(it)) {
        return true;
    }
    let base = |name: &str| class.bases.iter().any(|it| it.rsplit('.').next() == Some(name));
    base("Protocol") || (function.body == Body::Unimplemented && base("ABC"))
}
