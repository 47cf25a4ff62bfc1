//! Python: edits and defects that are valid where they are put, by what the facts say of the place.

use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::ensure;
use hostler_syntax::{ClassKind, Function};

use super::ground::{Change, Defect, Ground, Harmless, Sample};
use super::random::Random;

pub(super) const GROUND: Ground = Ground {
    name: "python",
    extensions: &["py"],
    config: "",
    tool: Some("ruff check"),
    batch_max: 30,
    prepare: |_| Ok(()),
    judge,
    harmless: HARMLESS,
    defects: DEFECTS,
};

const HARMLESS: &[Harmless] = &[
    Harmless { name: "a comment", make: comment },
    Harmless { name: "a comment behind a statement", make: trailing_comment },
    Harmless { name: "a line of a docstring", make: doc_line },
    Harmless { name: "a renamed local", make: renamed_local },
    Harmless { name: "a log line", make: log_line },
    Harmless { name: "a constant", make: constant },
    Harmless { name: "an argument with a default", make: argument },
    Harmless { name: "a changed message", make: message },
    Harmless { name: "an import whose use comes later", make: import },
    Harmless { name: "a statement", make: statement },
    Harmless { name: "a small function", make: function },
    Harmless { name: "an empty line", make: empty_line },
];

const DEFECTS: &[Defect] = &[
    Defect {
        name: "code that does not parse",
        breaks_syntax: true,
        refused: [Some("syntax-error"), Some("syntax-error")],
        check: "syntax",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: broken,
    },
    Defect {
        name: "a stub",
        breaks_syntax: false,
        refused: [None, None],
        check: "stop.stub",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: stub,
    },
    Defect {
        name: "a bare `except`",
        breaks_syntax: false,
        refused: [None, Some("bare-except")],
        check: "bare_except",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: bare_except,
    },
    Defect {
        name: "a handler that does nothing",
        breaks_syntax: false,
        refused: [None, Some("except-pass")],
        check: "except_pass",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: except_pass,
    },
    Defect {
        name: "a secret",
        breaks_syntax: false,
        refused: [Some("secret-in-content"), Some("secret-in-content")],
        check: "secret",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: secret,
    },
    Defect {
        name: "nesting of 6 levels",
        breaks_syntax: false,
        refused: [None, Some("review-error")],
        check: "stop.nesting",
        twins: &["nesting"],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: nesting,
    },
    Defect {
        name: "a class of more than 15 public methods",
        breaks_syntax: false,
        refused: [None, None],
        check: "stop.god_class",
        twins: &[],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: god_class,
    },
    Defect {
        name: "a name that is not defined",
        breaks_syntax: false,
        refused: [None, None],
        check: "stop.lint",
        // A module that is imported says it, too.
        twins: &["lint", "import"],
        holds: [true, true],
        is_alone: false,
        lines_off_max: 0,
        make: undefined,
    },
    Defect {
        name: "a complexity over 10",
        breaks_syntax: false,
        refused: [None, Some("review-error")],
        check: "branches",
        twins: &[],
        holds: [false, true],
        is_alone: false,
        lines_off_max: 0,
        make: branches,
    },
    Defect {
        name: "a changed test that fails",
        breaks_syntax: false,
        refused: [None, None],
        check: "stop.test",
        twins: &[],
        holds: [true, true],
        is_alone: true,
        lines_off_max: 1,
        make: failing_test,
    },
    Defect {
        name: "a default that can change",
        breaks_syntax: false,
        refused: [None, None],
        check: "mutable_default",
        twins: &[],
        holds: [false, false],
        is_alone: false,
        lines_off_max: 0,
        make: mutable_default,
    },
];

/// The interpreter on the path decides what parses.
fn judge(texts: &[(&str, &str)]) -> anyhow::Result<Option<Vec<bool>>> {
    const JUDGE: &str = "import json, sys\nfor text in json.load(sys.stdin):\n    try:\n        \
                         compile(text, 'a.py', 'exec', dont_inherit=True)\n        print(1)\n    \
                         except (SyntaxError, ValueError):\n        print(0)\n";
    let child = Command::new("python3")
        .args(["-W", "ignore", "-c", JUDGE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        crate::tell("`python3` is missing: nobody checks that the edits are what they are meant to be");
        ensure!(std::env::var_os("HOSTLER_REQUIRE_ALL").is_none(), "`python3` is required");
        return Ok(None);
    };
    if let Some(mut stdin) = child.stdin.take() {
        let texts: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        stdin.write_all(serde_json::to_string(&texts)?.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "`python3` failed");
    Ok(Some(String::from_utf8(output.stdout)?.lines().map(|it| it == "1").collect()))
}

/// Words that begin a statement wherever they begin a line: in an expression that goes on, none of them can.
const STATEMENTS: &[&str] =
    &["return", "raise", "try:", "while", "with", "pass", "continue", "break", "assert", "del"];

/// Lines within functions before which a statement can stand.
fn places(sample: &Sample<'_>) -> Vec<usize> {
    let mut goes_on = false;
    let mut out = Vec::new();
    for (at, text) in sample.text.lines().enumerate() {
        let first = text.trim_start().split([' ', '(']).next().unwrap_or_default();
        if STATEMENTS.contains(&first)
            && !goes_on
            && !sample.is_text(at + 1)
            && sample.function_at(at + 1).is_some()
        {
            out.push(at + 1);
        }
        goes_on = text.ends_with('\\');
    }
    out
}

/// Lines at the top before which a statement can stand: functions and classes, with their decorators.
fn top_places(sample: &Sample<'_>) -> Vec<usize> {
    let functions = sample.facts.functions.iter().filter(|it| !it.is_closure).map(|it| it.first_line);
    let classes = sample.facts.classes.iter().map(|it| it.first_line);
    let mut out: Vec<usize> = functions
        .chain(classes)
        .filter(|line| {
            let text = sample.line(*line);
            ["def ", "class ", "async def ", "@"].iter().any(|it| text.starts_with(it))
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    // At the end of a file a statement can always stand.
    if out.is_empty() && !sample.text.trim_end().ends_with('\\') {
        out.push(sample.count() + 1);
    }
    out
}

/// A top place, with room for so many lines.
fn top_place(sample: &Sample<'_>, random: &mut Random, lines: usize) -> Option<usize> {
    random.pick(&top_places(sample)).copied().filter(|line| sample.has_room(*line, lines))
}

/// A function to whose complexity and depth something can be added without that being an error of its own, and a line in
/// it before which a statement can stand.
fn roomy<'s>(
    sample: &'s Sample<'_>,
    random: &mut Random,
    (nesting, complexity): (u32, u32),
    lines: usize,
) -> Option<(&'s Function, usize)> {
    let places = places(sample).into_iter().filter_map(|line| Some((sample.function_at(line)?, line)));
    let fitting = |it: &&(&Function, usize)| {
        it.0.parent.is_none()
            && it.0.nesting <= nesting
            && it.0.complexity <= complexity
            && sample.has_room(it.1, lines)
    };
    let places: Vec<(&Function, usize)> = places.collect();
    let places: Vec<&(&Function, usize)> = places.iter().filter(fitting).collect();
    random.pick(&places).map(|it| **it)
}

pub(super) fn indented(block: &str, indent: &str) -> String {
    block.lines().map(|it| if it.is_empty() { "\n".to_owned() } else { format!("{indent}{it}\n") }).collect()
}

/// Puts a block before a statement.
fn put(sample: &Sample<'_>, line: usize, block: &str, within: usize) -> Change {
    sample.insert(line, &indented(block, sample.indent(line)), within)
}

fn comment(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] = &[
        "# The caller has checked this already.",
        "# See the manual: what is not known yet is left as it is.",
        "# except: a rule that has its own section, pass on what is left",
        "# password = what the user typed, never logged",
    ];
    let text = random.pick(TEXTS)?;
    let places = [places(sample), top_places(sample)].concat();
    Some(put(sample, *random.pick(&places)?, text, 1))
}

fn trailing_comment(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let word = |text: &str| {
        let rest = text.trim_start().strip_prefix("return ").unwrap_or_default();
        !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
    };
    let places: Vec<usize> = places(sample).into_iter().filter(|it| word(sample.line(*it))).collect();
    let line = *random.pick(&places)?;
    Some(sample.replace(line, &format!("{}  # as it was given", sample.line(line))))
}

fn doc_line(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let docs = sample.facts.comments.iter().filter(|it| it.is_doc && it.line < it.last_line);
    // What stands before the last line stands in the text.
    let docs: Vec<usize> = docs.map(|it| it.last_line).collect();
    let line = *random.pick(&docs)?;
    let indent = sample.indent(line).to_owned();
    Some(sample.insert(line, &format!("{indent}Nothing is kept between two calls.\n"), 1))
}

/// Names of locals that are plainly that: bound by a line of their own, never passed by name, never in a string.
fn renamed_local(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for function in sample.facts.functions.iter().filter(|it| it.parent.is_none() && !it.is_closure) {
        for line in function.line + 1..=function.last_line {
            let text = sample.line(line).trim_start();
            let Some((name, _)) = text.split_once(" = ") else { continue };
            let is_name = 3 <= name.len()
                && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
                && !function.parameters.iter().any(|it| it.name == name);
            if is_name && !sample.is_text(line) && is_local(sample, function, name) {
                found.push((function.line, function.last_line, name));
            }
        }
    }
    let (from, to, name) = *random.pick(&found)?;
    let new = format!("{name}_found");
    let lines = sample.text.split_inclusive('\n').enumerate();
    let after = lines.map(|(at, text)| {
        if (from..=to).contains(&(at + 1)) { replace_word(text, name, &new) } else { text.to_owned() }
    });
    Some(sample.change(after.collect(), from))
}

/// Every place of `name` in `function` is the local of that name.
fn is_local(sample: &Sample<'_>, function: &Function, name: &str) -> bool {
    let inside = |line: usize| (function.line..=function.last_line).contains(&line);
    let in_text = |line: usize, text: &str| inside(line) && words(text).any(|(_, it)| it == name);
    let literals = sample.facts.literals.iter().any(|it| in_text(it.line, &it.value));
    let comments = sample.facts.comments.iter().any(|it| in_text(it.line, &it.text));
    let nested = sample.facts.functions.iter().any(|it| it.line != function.line && inside(it.line))
        || sample.facts.classes.iter().any(|it| inside(it.line));
    let plain = (function.line..=function.last_line).all(|line| {
        let text = sample.line(line);
        words(text).filter(|(_, it)| *it == name).all(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().trim_end();
            let after = text.get(at + name.len()..).unwrap_or_default();
            let named = after.starts_with('=') && !after.starts_with("==");
            !before.ends_with('.') && !named && !after.trim_start().starts_with(':')
        }) && !["global", "nonlocal", "del", "import", "from", "lambda"]
            .iter()
            .any(|it| words(text).any(|(_, w)| w == *it))
    });
    !literals && !comments && !nested && plain
}

/// The words of a line, with their places in bytes.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c: char| !is_word(c))
        .filter(|it| !it.is_empty())
        .map(|it| (it.as_ptr().addr() - text.as_ptr().addr(), it))
}

pub(super) fn replace_word(text: &str, name: &str, new: &str) -> String {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in words(text).filter(|(_, it)| *it == name) {
        out.push_str(text.get(done..at).unwrap_or_default());
        out.push_str(new);
        done = at + name.len();
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

fn log_line(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let loggers = sample.facts.bindings.iter().filter(|it| it.class.is_none());
    let mut names = loggers.map(|it| it.name.as_str());
    let logger = names.find(|it| ["logger", "log", "_logger", "LOG"].contains(it));
    let imports = sample.facts.imports.iter().any(|it| it.module == "logging" && it.names.is_empty());
    let logger = logger.or(imports.then_some("logging.getLogger(__name__)"))?;
    let line = *random.pick(&places(sample))?;
    Some(put(sample, line, &format!("{logger}.debug(\"here with %s\", __name__)"), 1))
}

fn constant(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] = &[
        "SPARE_ROUNDS = 3",
        "SPARE_NAMES = (\"first\", \"second\")",
        "_SPARE_FIELD = \"password\"",
        "SPARE_URL = \"https://docs.example.com/tokens\"",
        "SPARE_LIMIT: int = 1024 * 1024",
    ];
    let text = random.pick(TEXTS)?;
    Some(put(sample, *random.pick(&top_places(sample))?, text, 1))
}

/// A signature of one line that can take one more parameter: its line, and the place of the bracket that closes it.
fn signature(sample: &Sample<'_>, random: &mut Random) -> Option<(usize, usize)> {
    let functions = sample.facts.functions.iter().filter(|it| !it.is_closure && !it.name.starts_with("__"));
    let one = |function: &Function| {
        let text = sample.line(function.line);
        let head = text.trim_start();
        if !head.starts_with("def ") && !head.starts_with("async def ")
            || text.contains("**")
            || text.contains("...")
        {
            return None;
        }
        let mut depth = 0_usize;
        for (at, c) in text.char_indices() {
            match c {
                '"' | '\'' | '#' => return None,
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 1 => {
                    return text.get(at..).filter(|it| it.ends_with(':')).map(|_| (function.line, at));
                }
                ')' | ']' | '}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    };
    let found: Vec<(usize, usize)> = functions.filter_map(one).collect();
    random.pick(&found).copied()
}

fn with_parameter(sample: &Sample<'_>, random: &mut Random, parameter: &str) -> Option<Change> {
    let (line, at) = signature(sample, random)?;
    let text = sample.line(line);
    let (head, tail) = text.split_at_checked(at)?;
    let comma = if head.trim_end().ends_with(['(', ',']) { "" } else { ", " };
    Some(sample.replace(line, &format!("{head}{comma}{parameter}{tail}")))
}

fn argument(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] = &["spare=None", "spare=()", "spare: bool = False", "spare: \"str | None\" = None"];
    let text = random.pick(TEXTS)?;
    with_parameter(sample, random, text)
}

/// A word more in the text of a message.
fn message(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let raised = |line: usize| {
        let text = sample.line(line).trim_start();
        (text.starts_with("raise ") || text.contains(".warn("))
            && text.ends_with("\")")
            && text.matches('"').count() == 2
    };
    let lines: Vec<usize> = places(sample).into_iter().filter(|it| raised(*it)).collect();
    let line = *random.pick(&lines)?;
    let text = sample.line(line);
    Some(sample.replace(line, &format!("{} here\")", text.strip_suffix("\")")?)))
}

fn import(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const MODULES: &[&str] = &["bisect", "fractions", "colorsys", "sched", "quopri"];
    let modules: Vec<&&str> = MODULES.iter().filter(|it| !sample.text.contains(**it)).collect();
    let module = random.pick(&modules)?;
    let imports: Vec<usize> = sample.facts.imports.iter().map(|it| it.line).collect();
    let plain = |line: &usize| {
        let text = sample.line(*line);
        text.starts_with("import ") && !text.contains([',', '(', '\\', ';'])
    };
    let imports: Vec<usize> = imports.into_iter().filter(plain).collect();
    Some(sample.insert(*random.pick(&imports)? + 1, &format!("import {module}\n"), 1))
}

fn statement(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] = &[
        "_spare = [item for item in range(3) if item]",
        "_spare = {\"token\": None, \"password\": \"\"}",
        "_spare = \"a\" if __debug__ else \"b\"",
        "_spare = (lambda value: value)(1)",
        "assert __name__, \"every module has one\"",
        "_spare = f\"{__name__!r}: {1 + 1:>{2}}\"",
    ];
    let text = random.pick(TEXTS)?;
    Some(put(sample, *random.pick(&places(sample))?, text, 1))
}

fn function(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let line = top_place(sample, random, 4)?;
    Some(sample.insert(line, "def _spare(value):\n    return value, __name__\n\n\n", 1))
}

fn empty_line(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    Some(sample.insert(*random.pick(&places(sample))?, "\n", 1))
}

fn broken(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let place = |random: &mut Random| random.pick(&places(sample)).copied();
    let form = random.below(9);
    match form {
        0 => {
            let heads = sample.facts.functions.iter().filter(|it| !it.is_closure).map(|it| it.line);
            let is_head = |line: &usize| {
                let text = sample.line(*line);
                text.trim_start().starts_with("def ") && text.ends_with("):")
            };
            let heads: Vec<usize> = heads.filter(is_head).collect();
            if let Some(line) = random.pick(&heads) {
                return Some(sample.replace(*line, sample.line(*line).strip_suffix(':')?));
            }
        }
        1 => {
            let calls: Vec<usize> = places(sample)
                .into_iter()
                .filter(|line| {
                    let text = sample.line(*line);
                    text.trim_start().starts_with("return ")
                        && text.ends_with(')')
                        && !text.contains(['"', '\'', '#'])
                        && text.matches('(').count() == text.matches(')').count()
                })
                .collect();
            if let Some(line) = random.pick(&calls) {
                return Some(sample.replace(*line, sample.line(*line).strip_suffix(')')?));
            }
        }
        2 => {
            if let Some(line) = place(random) {
                return Some(put(sample, line, "spare = 1\n  spare = 2", 2));
            }
        }
        3 => {
            if let Some(line) = place(random) {
                return Some(put(sample, line, "spare = \"not ended", 1));
            }
        }
        4 => {
            if let Some(line) = place(random) {
                return Some(sample.insert(line, "<<<<<<< HEAD\n", 1));
            }
        }
        5 => {
            if let Some(line) = place(random) {
                return Some(put(sample, line, "print \"spare\"", 1));
            }
        }
        6 => {
            if let Some(line) = place(random) {
                return Some(put(sample, line, "for spare in range(3)\n    spare = 1", 1));
            }
        }
        7 => {
            let line = top_place(sample, random, 3)?;
            return Some(sample.insert(line, "def _spare(value, value):\n    return value\n\n\n", 1));
        }
        _ => {}
    }
    let line = *random.pick(&top_places(sample))?;
    let text = ["return __name__", "break", "await __name__", "spare = = 1", "1 = spare"];
    Some(sample.insert(line, &format!("{}\n", random.pick(&text)?), 1))
}

fn stub(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const BODIES: &[&str] = &[
        "pass",
        "...",
        "raise NotImplementedError",
        "raise NotImplementedError(\"later\")",
        "\"\"\"Exports what was collected.\"\"\"",
        "\"\"\"Exports what was collected.\"\"\"\n    pass",
        "return None",
        "_count = 0\n    return",
    ];
    let body = random.pick(BODIES)?;
    if random.below(2) == 0
        && let Some(class) = class(sample, random, 8).filter(|it| it.public < 15)
    {
        let block = format!("\ndef export_spare(self, target):\n    {body}\n");
        return Some(sample.insert(class.last_line + 1, &indented(&block, class.indent), 2));
    }
    let line = top_place(sample, random, 8)?;
    Some(sample.insert(line, &format!("def export_spare(target):\n    {body}\n\n\n"), 1))
}

/// A class to whose end methods can be put.
struct Open<'a> {
    line: usize,
    last_line: usize,
    indent: &'a str,
    public: usize,
}

fn class<'a>(sample: &Sample<'a>, random: &mut Random, lines: usize) -> Option<Open<'a>> {
    let open: Vec<Open<'a>> = open_classes(sample, lines);
    let at = random.below(open.len());
    open.into_iter().nth(at)
}

fn open_classes<'a>(sample: &Sample<'a>, lines: usize) -> Vec<Open<'a>> {
    let classes =
        sample.facts.classes.iter().filter(|it| it.kind == ClassKind::Class && it.line < it.last_line);
    classes
        .filter(|it| sample.has_room(it.last_line, lines) && it.public_method_names <= 15)
        // A class that is no more than a protocol has no stubs, and one with metaclasses of its own may have rules.
        .filter(|it| {
            it.parent.is_none()
                && sample.indent(it.line).is_empty()
                // Null objects have nothing to do.
                && !it.name.starts_with("Null")
                && it.bases.iter().all(|base| !base.ends_with("Protocol") && !base.ends_with("ABC"))
        })
        .filter_map(|it| {
            let method = it.methods.first().and_then(|at| sample.facts.functions.get(*at))?;
            let indent = sample.indent(method.line);
            (indent.len() == sample.indent(it.line).len() + 4).then_some(Open {
                line: it.line,
                last_line: it.last_line,
                indent,
                public: it.public_method_names,
            })
        })
        .collect()
}

fn god_class(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let fitting = |it: &Open<'_>| sample.has_room(it.last_line, (16 - it.public) * 3);
    let open: Vec<Open<'_>> = open_classes(sample, 3).into_iter().filter(fitting).collect();
    let mut block = String::new();
    let Some(class) = random.pick(&open) else {
        let line = top_place(sample, random, 50)?;
        methods(&mut block, 16);
        return Some(sample.insert(line, &format!("class Spare:\n{}\n\n", indented(&block, "    ")), 1));
    };
    methods(&mut block, 16 - class.public);
    let mut change = sample.insert(class.last_line + 1, &indented(&block, class.indent), 1);
    change.line = class.line;
    Some(change)
}

fn methods(out: &mut String, count: usize) {
    for at in 0..count {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "\ndef spare_{at}(self):\n    return self, {at}\n");
    }
}

/// A block with a handler, or a real handler that is changed.
fn handler(sample: &Sample<'_>, random: &mut Random, head: &str, body: &str) -> Option<Change> {
    let block = format!("try:\n    _spare = int(\"0\")\n{head}\n    {body}");
    if let Some((_, line)) = roomy(sample, random, (3, 8), 4) {
        return Some(put(sample, line, &block, 3));
    }
    let line = top_place(sample, random, 8)?;
    let block = format!("def _spare():\n{}    return _spare\n\n\n", indented(&block, "    "));
    Some(sample.insert(line, &block, 4))
}

fn bare_except(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let typed = sample.facts.handlers.iter().filter(|it| {
        let text = sample.line(it.line).trim_start();
        let next = sample.line(it.last_line + 1);
        !it.is_bare && it.name.is_none() && !it.is_empty && text.starts_with("except ") && text.ends_with(':')
            // It must be the last of its kind.
            && !next.trim_start().starts_with("except") && !next.trim_start().starts_with('#') && !next.trim().is_empty()
    });
    let typed: Vec<usize> = typed.map(|it| it.line).collect();
    if random.below(2) == 0
        && let Some(line) = random.pick(&typed)
    {
        return Some(sample.replace(*line, &format!("{}except:", sample.indent(*line))));
    }
    let body = ["_spare = 0", "raise", "_spare = None  # whatever it was"];
    handler(sample, random, "except:", random.clone().pick(&body)?)
}

fn except_pass(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let short = sample.facts.handlers.iter().filter(|it| {
        !it.is_bare
            && !it.is_empty
            && it.last_line == it.line + 1
            && sample.line(it.line).ends_with(':')
            && places(sample).contains(&it.last_line)
            && !sample.line(it.last_line).trim_end().ends_with(['(', '[', '{'])
    });
    let short: Vec<usize> = short.map(|it| it.line).collect();
    let body = *random.pick(&["pass", "..."])?;
    if random.below(2) == 0
        && let Some(line) = random.pick(&short)
    {
        let mut change = sample.replace(line + 1, &format!("{}{body}", sample.indent(line + 1)));
        change.line = *line;
        return Some(change);
    }
    let head = ["except ValueError:", "except (KeyError, OSError):", "except Exception as _error:"];
    handler(sample, random, random.clone().pick(&head)?, body)
}

pub(super) const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const DIGITS: &str = "0123456789abcdef";

/// Made up by chance, so that no secret stands in this file.
pub(super) fn made_up(random: &mut Random) -> String {
    let (prefix, alphabet, length) = *random
        .pick(&[
            ("AKIA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
            ("ghp_", LETTERS, 36),
            ("glpat-", LETTERS, 20),
            ("xoxb-", "0123456789", 24),
            ("sk_live_", LETTERS, 24),
            ("AIza", LETTERS, 35),
            ("npm_", LETTERS, 36),
            ("sk-ant-", LETTERS, 40),
            ("shpat_", DIGITS, 32),
            ("hf_", LETTERS, 34),
        ])
        .unwrap_or(&("ghp_", LETTERS, 36));
    format!("{prefix}{}", random.text(alphabet, length))
}

fn secret(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let value = made_up(random);
    let plain = random.text(LETTERS, 18);
    let texts = [
        format!("_SPARE = \"{value}\""),
        format!("_SPARE_PASSWORD = \"{plain}\""),
        format!("_spare_url = \"postgres://app:{plain}@db.internal/app\""),
        format!("_spare = {{\"api_key\": \"{plain}\"}}"),
        format!("_headers = {{\"Authorization\": \"Bearer {value}\"}}"),
        format!("_spare = dict(client_secret='{plain}')"),
    ];
    let places = [places(sample), top_places(sample)].concat();
    Some(put(sample, *random.pick(&places)?, random.pick(&texts)?, 1))
}

fn nesting(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const BLOCK: &str = "for spare in range(3):\n    if spare:\n        with open(__file__, encoding=\"utf-8\") as stream:\n            \
                         for row in stream:\n                if row.strip():\n                    while row.endswith(\"x\"):\n                        \
                         row = row[:-1]";
    if let Some((function, line)) = roomy(sample, random, (4, 5), 7) {
        let mut change = put(sample, line, BLOCK, 1);
        change.line = function.line;
        return Some(change);
    }
    let line = top_place(sample, random, 11)?;
    Some(sample.insert(line, &format!("def _spare():\n{}\n\n", indented(BLOCK, "    ")), 1))
}

fn branches(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let mut block = "spare = len(__name__)\nif spare == 0:\n    spare = 10\n".to_owned();
    for at in 1..11 {
        // Writing to a `String` cannot fail.
        let _ = write!(block, "elif spare == {at}:\n    spare = {}\n", at * 7);
    }
    if let Some((function, line)) = roomy(sample, random, (3, 10), 23) {
        let mut change = put(sample, line, &block, 1);
        change.line = function.line;
        return Some(change);
    }
    let line = top_place(sample, random, 28)?;
    Some(sample.insert(
        line,
        &format!("def _spare():\n{}    return spare\n\n\n", indented(&block, "    ")),
        1,
    ))
}

fn undefined(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    // Where everything is imported, a linter cannot know.
    if sample.facts.imports.iter().any(|it| it.names.iter().any(|(name, _)| name == "*")) {
        return None;
    }
    let name = |line: usize| {
        let rest = sample.line(line).trim_start().strip_prefix("return ").unwrap_or_default();
        (4 <= rest.len() && rest.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')).then_some(rest)
    };
    let places = places(sample);
    let names: Vec<(usize, &str)> = places.iter().filter_map(|it| Some((*it, name(*it)?))).collect();
    if random.below(2) == 0
        && let Some((line, name)) = random.pick(&names)
    {
        return Some(sample.replace(*line, &format!("{}return {name}s_all", sample.indent(*line))));
    }
    let texts = [
        "spare = collect_spare(1)",
        "SpareParts.register(__name__)",
        "spare = [part_of_spare for item in (1, 2)]",
        "raise SpareError(\"nothing\")",
        "spare = f\"{spare_count} left\"",
    ];
    let places = if places.is_empty() { top_places(sample) } else { places };
    Some(put(sample, *random.pick(&places)?, random.pick(&texts)?, 1))
}

fn mutable_default(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] =
        &["spare=[]", "spare={}", "spare: list = []", "spare=dict()", "spare: set = set()"];
    let text = random.pick(TEXTS)?;
    with_parameter(sample, random, text)
}

/// A test beside the file that holds before and does not after.
fn failing_test(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const BEFORE: &str = "from pathlib import Path\n\nSOURCE = Path(__file__).parent.parent / \"{path}\"\n\n\n\
                          def test_it_is_there():\n    assert SOURCE.is_file()\n\n\n\
                          def test_it_can_be_read():\n    text = SOURCE.read_text(encoding=\"utf-8\")\n    \
                          assert 0 <= len(text.split())\n";
    // It fails, its fixture is missing, it cannot be collected.
    let (old, new, line) = *random.pick(&[
        ("assert 0 <=", "assert 10 ** 9 <=", 12),
        ("def test_it_can_be_read()", "def test_it_can_be_read(spare)", 10),
        ("from pathlib import Path\n", "from pathlib import Path\n\nimport spare_of_nothing\n", 3),
    ])?;
    let before = BEFORE.replace("{path}", sample.path);
    let after = before.replace(old, new);
    let name = sample.path.trim_end_matches(".py").replace(['/', '.', '-'], "_");
    Some(Change { path: format!("tests/test_{name}.py"), before, after, line })
}
