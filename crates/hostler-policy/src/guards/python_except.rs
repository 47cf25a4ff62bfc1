//! Handlers that hide errors: bare `except:`, and handlers that do nothing.
//!
//! Found by syntax tree, so that strings and comments never count. A whole file that does not parse is left to
//! the check for syntax errors, since Python would not run it; the replaced part of an unknown file is
//! judged by what of it can be read. An edit is judged by the file after it and only for what it adds.

use hostler_model::{Facts, Mode, Needs};
use hostler_syntax::{Handler, Syntax};

use super::python::{Found, Search, added, want_before};
use super::{Example, Guard, Hit};
use crate::Case;

const WORDS: &[&str] = &["except"];

/// `except:` without a type.
pub(crate) const BARE: Guard = Guard {
    id: "bare-except",
    summary: "a handler in Python that catches everything, `SystemExit` and `KeyboardInterrupt` included",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        check(
            case,
            facts,
            |syntax| pick(syntax, |it| it.types.is_empty()),
            |place, _| Hit {
                problem: format!(
                    "{place} has a bare except, which catches even SystemExit and KeyboardInterrupt"
                ),
                instead: Some(
                    "name the exception that is expected and log it, e.g. except OSError as error: \
                 logger.warning(\"reading failed: %s\", error)"
                        .to_owned(),
                ),
                snapshot: Vec::new(),
            },
        )
    },
    fires: &[
        Example::Write("src/a.py", "try:\n    f()\nexcept:\n    log.exception('f')\n"),
        Example::Write("src/a.pyi", "try:\n    f()\nexcept: pass\n"),
        Example::Edit("src/a.py", "return x", "try:\n    g()\nexcept:\n    pass"),
        Example::Edit("src/a.py", "except OSError:\n        pass", "except:\n        raise"),
    ],
    silent: &[
        Example::Write("src/a.py", "try:\n    f()\nexcept ValueError as e:\n    log.warning('bad %s', e)\n"),
        Example::Write("src/a.py", "S = '''\ntry:\n    f()\nexcept:\n    pass\n'''\n"),
        Example::Write("notes.txt", "except: pass"),
        Example::Write("src/a.py", "try:\n  f(\nexcept: pass\n"),
        Example::Edit("src/a.py", "try:\n    f()\nexcept:\n    a()", "try:\n    f()\nexcept:\n    b()"),
        Example::Bash("grep -n 'except:' src/a.py"),
    ],
};

/// A handler whose body is `pass` or `...`.
pub(crate) const PASS: Guard = Guard {
    id: "except-pass",
    summary: "a handler in Python that does nothing, so that an error leaves no trace",
    standard: Mode::Warn,
    strict: Mode::Deny,
    needs,
    check: |case, facts| {
        check(
            case,
            facts,
            |syntax| pick(syntax, |it| it.silent),
            |place, handler| {
                let caught = if handler.types.is_empty() {
                    "every exception".to_owned()
                } else {
                    handler.types.join(", ")
                };
                let named = if handler.types.is_empty() { "OSError".to_owned() } else { caught.clone() };
                Hit {
                    problem: format!("{place} drops {caught} without a trace: the handler does nothing"),
                    instead: Some(format!(
                        "log it, e.g. logger.warning(\"reading failed\", exc_info=True), handle it, or where it may be \
                     ignored say so with contextlib.suppress({named})"
                    )),
                    snapshot: Vec::new(),
                }
            },
        )
    },
    fires: &[
        Example::Write("src/a.py", "try:\n    f()\nexcept (OSError, ValueError):\n    pass\n"),
        Example::Write("src/a.py", "try:\n    f()\nexcept Exception as e: ...\n"),
        Example::Edit(
            "src/a.py",
            "log(e)",
            "try:\n            g()\n        except OSError:\n            pass",
        ),
    ],
    silent: &[
        Example::Write("src/a.py", "try:\n    f()\nexcept OSError:\n    log.warning('f')\n    pass\n"),
        Example::Write("src/a.py", "class NotReady(Exception):\n    pass\n"),
        Example::Write("src/a.py", "with contextlib.suppress(FileNotFoundError):\n    os.unlink(p)\n"),
        Example::Write("src/a.rs", "try:\n    f()\nexcept OSError:\n    pass\n"),
        Example::Edit("src/a.py", "except OSError:\n    pass", "except ValueError:\n    pass"),
    ],
};

fn needs(case: &Case<'_>, needs: &mut Needs) {
    want_before(case, needs, WORDS);
}

fn check(
    case: &Case<'_>,
    facts: &Facts,
    pick: fn(Syntax) -> Found<Handler>,
    hit: fn(String, &Handler) -> Hit,
) -> Vec<Hit> {
    let search = Search { words: WORDS, pick, parsed_only: true };
    let Some((written, found)) = added(case, facts, &search) else { return Vec::new() };
    found.iter().map(|(line, handler)| hit(written.at(*line), handler)).collect()
}

fn pick(syntax: Syntax, wanted: fn(&Handler) -> bool) -> Found<Handler> {
    syntax.handlers.into_iter().filter(wanted).map(|it| (it.line, it)).collect()
}

#[cfg(test)]
mod tests;
