//! `except:` without a type, whatever its body does (E722).

use hostler_syntax::Language;

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "bare_except",
    gate: Gate::Safety,
    severity: Severity::Error,
    summary: "handlers in Python that name no exception, and so catch `SystemExit` and `KeyboardInterrupt` too",
    same: Same::Line,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "try:\n    f()\nexcept:\n    pass\n"),
        Example("src/a.py", "try:\n    f()\nexcept:\n    logger.exception('f')\n    raise\n"),
        Example(
            "tests/test_a.py",
            "async def f(g):\n    try:\n        await g()\n    except:\n        return 1\n",
        ),
    ],
    silent: &[
        Example("src/a.py", "try:\n    f()\nexcept OSError as error:\n    logger.warning('%s', error)\n"),
        Example("src/a.py", "T = '''\ntry:\n    f()\nexcept:\n    pass\n'''\n"),
        Example("src/a.py", "try:\n    f()\nexcept:  # noqa: E722\n    raise\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    if !source.is(Language::Python) {
        return Vec::new();
    }
    let bare = source.handlers().iter().filter(|it| it.is_bare);
    bare.map(|it| {
        CHECK
            .finding(
                it.line,
                "a bare `except:` catches everything, `SystemExit` and `KeyboardInterrupt` included"
                    .to_owned(),
            )
            .about(source.symbol_of(it.function))
            .fix("name the exceptions that are expected, e.g. `except OSError as error:`")
    })
    .collect()
}
