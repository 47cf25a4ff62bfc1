//! What languages with braces share: where a statement, a function or a method can stand, and edits and defects that are
//! made alike in all of them. A language brings the texts, in which a tab is one level.

use hostler_policy::checks::{Kind, kind};
use hostler_syntax::{Body, Catch, ClassKind, Function};

use super::ground::{Change, Defect, Harmless, Sample};
use super::python::{LETTERS, indented, made_up, replace_word, words};
use super::random::Random;

/// Texts and rules of one language.
pub(super) trait Braces {
    /// Words that begin a statement wherever they begin a line after the end of another.
    const BEGIN: &'static [&'static str];
    /// What one level is indented by.
    const LEVEL: &'static str;
    /// Functions stand in classes alone.
    const IN_CLASSES: bool = false;
    /// A statement ends with its line.
    const ENDS_WITH_LINE: bool = false;

    /// A log line.
    const LOG: &'static str;
    const CONSTANTS: &'static [&'static str];
    /// What a list of parameters can end with as well.
    const PARAMETERS: &'static [&'static str];
    const IMPORT: &'static str;
    const STATEMENTS: &'static [&'static str];
    /// Functions, or where they stand in classes, methods.
    const FUNCTIONS: &'static [&'static str];
    /// An annotation, attribute or pragma that may stand above functions.
    const MARK: &'static str;
    /// What the last case of a choice begins with, and a case that may stand before it.
    const CASE: (&'static str, &'static str);
    /// How a line of documentation begins, if each has a mark of its own.
    const DOC: Option<&'static str>;

    /// Statements that do not parse, with the line of the fault.
    const BROKEN: &'static [(&'static str, usize)];
    /// Statements that say that something is not written yet.
    const UNWRITTEN: &'static [&'static str];
    /// Head and end of a function or method that takes any statements.
    const AROUND: (&'static str, &'static str);
    /// Statements with a handler that does nothing, with its line.
    const HANDLERS: &'static [(&'static str, usize)];
    /// Statements with a secret: `{value}` has a known form, `{plain}` is what its name says.
    const SECRETS: &'static [&'static str];
    /// Six levels.
    const NESTING: &'static str;
    /// A choice, and one more.
    const CHOICE: (&'static str, &'static str);
    /// A method of any class, by its number.
    const METHOD: &'static str;
    /// A line that can stand at the end of a file, by its number.
    const FILLER: &'static str;
    const PRINTS: &'static [&'static str];
    /// Functions or methods whose names break the convention.
    const NAMES: &'static [&'static str];

    /// Lines that are no statements, whatever they look like: what macros are given.
    fn hidden(_sample: &Sample<'_>) -> Vec<(usize, usize)> {
        Vec::new()
    }

    /// Whether a handler that is emptied is a defect: not if its name says that it is meant.
    fn is_dropped(handler: &Catch) -> bool {
        !handler.name.as_deref().is_some_and(|name| ["ignore", "ignored", "expected"].contains(&name))
    }

    /// Makes a class of a file have more than 15 public methods, or puts one there that has.
    fn class(sample: &Sample<'_>, random: &mut Random) -> Option<Change>;
}

/// Edits that nobody could mind.
pub(super) const fn harmless<B: Braces>() -> [Harmless; 16] {
    [
        Harmless { name: "a comment", make: comment::<B> },
        Harmless { name: "a comment behind a statement", make: trailing_comment::<B> },
        Harmless { name: "a line of documentation", make: doc_line::<B> },
        Harmless { name: "a renamed local", make: renamed_local::<B> },
        Harmless { name: "a log line", make: log_line::<B> },
        Harmless { name: "a constant", make: constant::<B> },
        Harmless { name: "one more parameter", make: parameter::<B> },
        Harmless { name: "a changed message", make: message::<B> },
        Harmless { name: "an import whose use comes later", make: import::<B> },
        Harmless { name: "a statement", make: statement::<B> },
        Harmless { name: "a small function", make: function::<B> },
        Harmless { name: "an attribute, annotation or pragma", make: mark::<B> },
        Harmless { name: "one more case", make: case::<B> },
        Harmless { name: "an empty line", make: empty_line::<B> },
        Harmless { name: "a handler that says why it is empty", make: meant::<B> },
        Harmless { name: "blanks that a formatter takes out", make: blanks::<B> },
    ]
}

/// Defects, with what becomes of each.
pub(super) const fn defects<B: Braces>() -> [Defect; 11] {
    const fn one(
        name: &'static str,
        check: &'static str,
        refused: [Option<&'static str>; 2],
        holds: [bool; 2],
        make: super::ground::Make,
    ) -> Defect {
        Defect {
            name,
            breaks_syntax: false,
            refused,
            check,
            twins: &[],
            holds,
            is_alone: false,
            lines_off_max: 0,
            make,
        }
    }
    const STRICT: [Option<&str>; 2] = [None, Some("review-error")];
    let syntax = [Some("syntax-error"), Some("syntax-error")];
    let secrets = [Some("secret-in-content"), Some("secret-in-content")];
    [
        Defect {
            breaks_syntax: true,
            lines_off_max: 1,
            ..one("code that does not parse", "syntax", syntax, [true, true], broken::<B>)
        },
        one("a stub", "stop.stub", [None, None], [true, true], stub::<B>),
        one("a handler that does nothing", "empty_catch", STRICT, [true, true], empty_handler::<B>),
        one("a secret", "secret", secrets, [true, true], secret::<B>),
        Defect {
            twins: &["nesting"],
            ..one("nesting of 6 levels", "stop.nesting", STRICT, [true, true], nesting::<B>)
        },
        one("a complexity over 10", "branches", STRICT, [false, true], branches::<B>),
        one("a type of more than 15 public methods", "stop.god_class", [None, None], [true, true], B::class),
        one("a file of more than 500 lines", "stop.file_lines", [None, None], [true, true], long_file::<B>),
        one("a name that breaks the convention", "naming", STRICT, [false, true], name::<B>),
        one("a print that was left in", "debug_print", [None, None], [false, false], print::<B>),
        one("a temporary comment", "todo", [None, None], [false, false], todo::<B>),
    ]
}

/// `block` with the language's levels, indented.
fn shifted<B: Braces>(block: &str, indent: &str) -> String {
    indented(&block.replace('\t', B::LEVEL), indent)
}

/// Puts a block before a line, indented as it is.
fn put<B: Braces>(sample: &Sample<'_>, line: usize, block: &str, within: usize) -> Change {
    sample.insert(line, &shifted::<B>(block, sample.indent(line)), within)
}

/// Lines within functions before which a statement can stand.
fn places<B: Braces>(sample: &Sample<'_>) -> Vec<usize> {
    let hidden = B::hidden(sample);
    let mut before = "";
    let mut out = Vec::new();
    for (at, text) in sample.text.lines().enumerate() {
        let (line, text) = (at + 1, text.trim());
        let first = text.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default();
        let follows = before.ends_with(['{', '}', ';', ':'])
            || (B::ENDS_WITH_LINE && !before.ends_with(['(', ',', '[', '=', '+', '|', '&']));
        if B::BEGIN.contains(&first)
            && follows
            && !sample.is_text(line)
            && !hidden.iter().any(|(from, to)| (*from..=*to).contains(&line))
            && sample.function_at(line).is_some_and(|it| it.line < line && !it.is_abstract)
        {
            out.push(line);
        }
        if !text.is_empty() {
            before = text;
        }
    }
    out
}

/// Lines at which a function, or where they stand in classes a method, can be put, with what it is indented by.
fn items<'a, B: Braces>(sample: &Sample<'a>) -> Vec<(usize, &'a str)> {
    let functions = sample.facts.functions.iter().filter(|it| !it.is_closure && it.parent.is_none());
    let mut ends: Vec<usize> = if B::IN_CLASSES {
        functions.filter(|it| in_class(sample, it)).map(|it| it.last_line).collect()
    } else {
        let classes = sample.facts.classes.iter().map(|it| it.last_line);
        functions.filter(|it| it.class.is_none()).map(|it| it.last_line).chain(classes).collect()
    };
    ends.sort_unstable();
    ends.dedup();
    let ends = ends.into_iter().filter(|end| {
        let text = sample.line(*end);
        if B::IN_CLASSES { text.trim() == "}" } else { matches!(text.trim_end(), "}" | "};") }
    });
    let mut out: Vec<(usize, &str)> = ends.map(|it| (it + 1, sample.indent(it))).collect();
    if out.is_empty() && !B::IN_CLASSES && !sample.text.trim().is_empty() {
        out.push((sample.count() + 1, ""));
    }
    out
}

/// A method of a class that takes others.
fn in_class(sample: &Sample<'_>, function: &Function) -> bool {
    let class = function.class.and_then(|at| sample.facts.classes.get(at));
    class.is_some_and(|it| matches!(it.kind, ClassKind::Class | ClassKind::Enum))
}

/// So many more lines at `line` are a defect of no other kind.
fn fits(sample: &Sample<'_>, line: usize, more: usize) -> bool {
    let class = sample.function_at(line).and_then(|it| sample.facts.classes.get(it.class?));
    let has_room =
        class.is_none_or(|it| if it.lines <= 300 { it.lines + more <= 300 } else { more <= it.lines / 10 });
    sample.has_room(line, more) && has_room
}

/// A place for an item of so many lines.
fn item<'a, B: Braces>(sample: &Sample<'a>, random: &mut Random, lines: usize) -> Option<(usize, &'a str)> {
    // The line before is the end of the function or class that it comes after.
    let fitting = items::<B>(sample).into_iter().filter(|(line, _)| {
        fits(sample, *line, lines) && (!B::IN_CLASSES || fits(sample, line.saturating_sub(1), lines))
    });
    let fitting: Vec<(usize, &str)> = fitting.collect();
    random.pick(&fitting).copied()
}

fn put_item<B: Braces>(
    sample: &Sample<'_>,
    random: &mut Random,
    block: &str,
    within: usize,
) -> Option<Change> {
    let block = format!("\n{block}");
    let (line, indent) = item::<B>(sample, random, block.lines().count())?;
    Some(sample.insert(line, &shifted::<B>(&block, indent), within + 1))
}

/// A function to whose complexity and depth something can be added without that being an error of its own, and a line in
/// it before which a statement can stand.
fn roomy<'s, B: Braces>(
    sample: &'s Sample<'_>,
    random: &mut Random,
    (nesting, complexity): (u32, u32),
    lines: usize,
) -> Option<(&'s Function, usize)> {
    let places: Vec<(&Function, usize)> = places::<B>(sample)
        .into_iter()
        .filter_map(|line| Some((sample.function_at(line)?, line)))
        .filter(|(function, line)| {
            function.parent.is_none()
                && function.nesting <= nesting
                && function.complexity <= complexity
                && fits(sample, *line, lines)
        })
        .collect();
    random.pick(&places).copied()
}

/// Statements in a real function, or in one of their own.
fn put_block<B: Braces>(
    sample: &Sample<'_>,
    random: &mut Random,
    most: (u32, u32),
    block: &str,
    within: usize,
) -> Option<Change> {
    if let Some((_, line)) = roomy::<B>(sample, random, most, block.lines().count()) {
        return Some(put::<B>(sample, line, block, within));
    }
    let (head, tail) = B::AROUND;
    let own: String = block.lines().flat_map(|it| ["\t", it, "\n"]).collect();
    put_item::<B>(sample, random, &format!("{head}\n{own}{tail}\n"), within + 1)
}

/// As [`put_block`], told at the head of the function.
fn put_measured<B: Braces>(
    sample: &Sample<'_>,
    random: &mut Random,
    most: (u32, u32),
    block: &str,
) -> Option<Change> {
    if let Some((function, line)) = roomy::<B>(sample, random, most, block.lines().count()) {
        let mut change = put::<B>(sample, line, block, 1);
        change.line = function.line;
        return Some(change);
    }
    let (head, tail) = B::AROUND;
    let own: String = block.lines().flat_map(|it| ["\t", it, "\n"]).collect();
    put_item::<B>(sample, random, &format!("{head}\n{own}{tail}\n"), 1)
}

fn comment<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXTS: &[&str] = &[
        "// The caller has checked this already.",
        "// See the manual: what is not known yet is left as it is.",
        "// catch (error) {} would hide it, so that it is passed on; if (x) { too",
        "// password = what the user typed, never logged",
        "/* It's enough to know that `\"` and ' are marks. */",
    ];
    let text = *random.pick(TEXTS)?;
    if let Some(line) = random.pick(&places::<B>(sample)) {
        return Some(put::<B>(sample, *line, text, 1));
    }
    put_item::<B>(sample, random, text, 1)
}

fn trailing_comment<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let is_whole = |line: &usize| {
        let text = sample.line(*line);
        text.trim_start().starts_with("return")
            && (text.ends_with(';') || B::ENDS_WITH_LINE && !text.ends_with(['{', '(', ',']))
            && !text.contains(['"', '\'', '`', '/'])
    };
    let lines: Vec<usize> = places::<B>(sample).into_iter().filter(is_whole).collect();
    let line = *random.pick(&lines)?;
    Some(sample.replace(line, &format!("{} // as it was given", sample.line(line))))
}

fn doc_line<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    const TEXT: &str = "Nothing is kept between two calls.";
    let comments = sample.facts.comments.iter().filter(|it| it.is_own_line);
    if let Some(mark) = B::DOC {
        let lines: Vec<usize> = comments
            .filter(|it| sample.line(it.line).trim_start().starts_with(mark))
            .map(|it| it.line)
            .collect();
        let line = *random.pick(&lines)?;
        return Some(put::<B>(sample, line, &format!("{mark}{TEXT}"), 1));
    }
    let docs = comments.filter(|it| {
        it.text.starts_with("/**") && it.line < it.last_line && sample.line(it.last_line).trim() == "*/"
    });
    let lines: Vec<usize> = docs.map(|it| it.last_line).collect();
    let line = *random.pick(&lines)?;
    Some(put::<B>(sample, line, &format!("* {TEXT}"), 1))
}

/// A local that one line binds, in a function in which all that is called so is it.
fn renamed_local<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let bound = |line: usize| -> Option<&str> {
        let text = sample.line(line).trim_start();
        let (head, _) = text.split_once(" = ").or_else(|| text.split_once(" := "))?;
        let name = head.split(':').next()?.trim().rsplit(' ').next()?;
        let is_name =
            3 <= name.len() && !B::BEGIN.contains(&name) && name.bytes().all(|it| it.is_ascii_alphanumeric());
        (is_name && head.len() < text.len()).then_some(name)
    };
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for line in places::<B>(sample) {
        let Some((function, name)) = sample.function_at(line).zip(bound(line)) else { continue };
        let (from, to) = (function.line, function.last_line);
        let inside = |it: usize| (from..=to).contains(&it);
        let is_in = |at: usize, text: &str| inside(at) && words(text).any(|(_, it)| it == name);
        let is_plain = (from..=to).all(|at| {
            let text = sample.line(at);
            words(text).filter(|(_, it)| *it == name).all(|(at, _)| {
                !text.get(..at).unwrap_or_default().ends_with(['.', '#', '@', '\''])
                    && !text.get(at + name.len()..).unwrap_or_default().trim_start().starts_with(':')
            })
        });
        let is_told = sample.facts.literals.iter().any(|it| is_in(it.line, &it.value))
            || sample.facts.comments.iter().any(|it| is_in(it.line, &it.text));
        let is_word = sample.facts.functions.iter().any(|it| it.name == name)
            || sample.facts.classes.iter().any(|it| it.name == name);
        if is_plain && !is_told && !is_word {
            found.push((from, to, name));
        }
    }
    let (from, to, name) = *random.pick(&found)?;
    let new = format!("{name}2");
    let lines = sample.text.split_inclusive('\n').enumerate();
    let after = lines.map(|(at, text)| {
        if (from..=to).contains(&(at + 1)) { replace_word(text, name, &new) } else { text.to_owned() }
    });
    Some(sample.change(after.collect(), from))
}

fn log_line<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    Some(put::<B>(sample, *random.pick(&places::<B>(sample))?, B::LOG, 1))
}

fn constant<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let text = *random.pick(B::CONSTANTS)?;
    put_item::<B>(sample, random, text, 1)
}

/// Signatures of one line: their lines, and the place of the bracket that closes the parameters.
fn signatures(sample: &Sample<'_>) -> Vec<(usize, usize)> {
    let functions =
        sample.facts.functions.iter().filter(|it| !it.is_closure && !it.is_constructor && !it.is_override);
    let one = |function: &Function| {
        let text = sample.line(function.line);
        if !text.ends_with('{')
            || text.contains(['"', '\'', '`', '@', '#'])
            || text.contains("...")
            || text.contains(" set ")
            || text.contains(" get ")
        {
            return None;
        }
        let open = text.find(&format!("{}(", function.name))? + function.name.len();
        let mut depth = 0_usize;
        for (at, letter) in text.get(open..)?.char_indices() {
            match letter {
                '(' => depth += 1,
                ')' if depth == 1 => {
                    let list = text.get(open + 1..open + at)?.trim();
                    // Types alone take no names beside them.
                    return (list.is_empty() || list.contains([' ', ':']))
                        .then_some((function.line, open + at));
                }
                ')' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    };
    functions.filter_map(one).collect()
}

fn parameter<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let (line, at) = *random.pick(&signatures(sample))?;
    let (head, tail) = sample.line(line).split_at_checked(at)?;
    let comma = if head.trim_end().ends_with(['(', ',']) { "" } else { ", " };
    Some(sample.replace(line, &format!("{head}{comma}{}{tail}", random.pick(B::PARAMETERS)?)))
}

/// A word more in a text that is passed to something.
fn message<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let plain = |value: &str| {
        value.contains(' ') && value.bytes().all(|it| it.is_ascii_alphanumeric() || b" ,.'".contains(&it))
    };
    let texts = sample.facts.literals.iter().filter(|it| it.line == it.last_line && plain(&it.value));
    let texts: Vec<(usize, &str)> = texts
        .map(|it| (it.line, it.value.as_str()))
        .filter(|(line, value)| sample.line(*line).matches(value).count() == 1)
        .collect();
    let (line, value) = *random.pick(&texts)?;
    Some(sample.replace(line, &sample.line(line).replacen(value, &format!("{value} here"), 1)))
}

fn import<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let begins = |line: &usize| {
        let text = sample.line(*line);
        ["import ", "use ", "\t\""].iter().any(|it| text.starts_with(it)) && !text.contains(" \"C\"")
            // A block has its own form.
            && (text.starts_with('\t') == B::IMPORT.starts_with('"'))
    };
    let lines: Vec<usize> = sample.facts.imports.iter().map(|it| it.line).filter(begins).collect();
    Some(put::<B>(sample, *random.pick(&lines)?, B::IMPORT, 1))
}

fn statement<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let text = *random.pick(B::STATEMENTS)?;
    Some(put::<B>(sample, *random.pick(&places::<B>(sample))?, text, 1))
}

fn function<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let text = *random.pick(B::FUNCTIONS)?;
    put_item::<B>(sample, random, text, 1)
}

fn mark<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let hidden = B::hidden(sample);
    let functions = sample.facts.functions.iter().filter(|it| {
        !it.is_closure && !it.is_constructor && !it.is_abstract && (!B::IN_CLASSES || in_class(sample, it))
            && !it.decorators.iter().any(|mark| B::MARK.contains(mark.as_str()))
            && !hidden.iter().any(|(from, to)| (*from..=*to).contains(&it.first_line))
            // Between the words of a head nothing can stand.
            && sample.line(it.line).contains(it.name.as_str())
            && sample.line(it.line).contains('(')
    });
    let lines: Vec<usize> = functions.map(|it| it.first_line).collect();
    Some(put::<B>(sample, *random.pick(&lines)?, B::MARK, 1))
}

fn case<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let (last, block) = B::CASE;
    let hidden = B::hidden(sample);
    let fits = |line: &usize| {
        sample.line(*line).trim_start().starts_with(last)
            && !sample.is_text(*line)
            && !hidden.iter().any(|(from, to)| (*from..=*to).contains(line))
            && sample.function_at(*line).is_some_and(|it| it.parent.is_none() && it.complexity < 10)
            && (!B::IN_CLASSES || counts(sample, *line))
    };
    let lines: Vec<usize> = (1..=sample.count()).filter(fits).collect();
    Some(put::<B>(sample, *random.pick(&lines)?, block, 1))
}

/// The case before `line` is a number.
fn counts(sample: &Sample<'_>, line: usize) -> bool {
    let mut cases =
        (1..line).rev().map(|at| sample.line(at).trim_start()).filter(|it| it.starts_with("case "));
    let label = cases.next().and_then(|it| it.get("case ".len()..));
    label.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

fn empty_line<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    Some(sample.insert(*random.pick(&places::<B>(sample))?, "\n", 1))
}

/// An empty handler with a comment in it.
fn meant<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let (block, _) = *random.pick(B::HANDLERS)?;
    let at = block.rfind('{')? + 1;
    let (head, tail) = block.split_at_checked(at)?;
    let block = format!("{head} /* there is nothing to undo */ {}", tail.trim_start());
    let (_, line) = roomy::<B>(sample, random, (3, 8), 4)?;
    Some(put::<B>(sample, line, &block, 1))
}

fn blanks<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let line = *random.pick(&places::<B>(sample))?;
    Some(sample.replace(line, &format!("  {}  ", sample.line(line))))
}

fn broken<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let places = places::<B>(sample);
    let line = *random.pick(&places)?;
    match random.below(B::BROKEN.len() + 2) {
        0 => return Some(sample.insert(line, "<<<<<<< HEAD\n", 1)),
        1 => {
            let calls: Vec<usize> = places
                .into_iter()
                .filter(|it| {
                    let text = sample.line(*it);
                    text.trim_start().starts_with("return ")
                        && text.ends_with(");")
                        && !text.contains(['"', '\'', '`'])
                })
                .collect();
            if let Some(line) = random.pick(&calls) {
                let text = sample.line(*line);
                return Some(sample.replace(*line, &format!("{};", text.strip_suffix(");")?)));
            }
        }
        _ => {}
    }
    let (block, within) = *random.pick(B::BROKEN)?;
    Some(put::<B>(sample, line, block, within))
}

fn stub<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let body = *random.pick(B::UNWRITTEN)?;
    let functions: Vec<&Function> = sample
        .facts
        .functions
        .iter()
        .filter(|it| {
            it.parent.is_none()
                && !it.is_closure
                && !it.is_test
                && !it.is_abstract
                && it.body == Body::Working
                && it.line + 1 < it.last_line
                && sample.line(it.line).ends_with('{')
                && sample.line(it.last_line).trim() == "}"
                && sample.indent(it.last_line) == sample.indent(it.line)
        })
        .collect();
    if random.below(2) == 0
        && let Some(function) = random.pick(&functions)
    {
        let indent = format!("{}{}", sample.indent(function.line), B::LEVEL);
        return Some(within(
            sample,
            function.line,
            function.last_line,
            &format!("{indent}{body}\n"),
            function.line,
        ));
    }
    let (head, tail) = B::AROUND;
    put_item::<B>(sample, random, &format!("{head}\n\t{body}\n{tail}\n"), 1)
}

/// What stands between two lines gives way to `block`.
fn within(sample: &Sample<'_>, first: usize, last: usize, block: &str, told: usize) -> Change {
    let newline = if sample.text.contains("\r\n") { "\r\n" } else { "\n" };
    let block: String = block.lines().flat_map(|it| [it, newline]).collect();
    let lines: Vec<&str> = sample.text.split_inclusive('\n').collect();
    let head = lines.get(..first).unwrap_or_default().concat();
    let tail = lines.get(last - 1..).unwrap_or_default().concat();
    sample.change([head, block, tail].concat(), told)
}

fn empty_handler<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let real = sample.facts.handlers.iter().filter(|it| {
        let mut inside = (it.line + 1..it.last_line).map(|at| sample.line(at).trim());
        it.line + 1 < it.last_line
            && !it.is_empty
            && sample.line(it.line).ends_with('{')
            && sample.line(it.last_line).trim() == "}"
            && !inside.any(|text| text.starts_with('}') && text.ends_with('{'))
            && B::is_dropped(it)
    });
    let real: Vec<(usize, usize)> = real.map(|it| (it.line, it.last_line)).collect();
    if random.below(2) == 0
        && let Some((first, last)) = random.pick(&real)
    {
        return Some(within(sample, *first, *last, "", *first));
    }
    let (block, at) = *random.pick(B::HANDLERS)?;
    put_block::<B>(sample, random, (3, 8), block, at)
}

/// What a machine makes has digits.
fn made_by_machine(random: &mut Random) -> String {
    format!("{}{}", random.text(LETTERS, 16), random.text("23456789", 2))
}

fn secret<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let text = random.pick(B::SECRETS)?;
    let text = text.replace("{value}", &made_up(random)).replace("{plain}", &made_by_machine(random));
    put_block::<B>(sample, random, (9, 99), &text, 1)
}

fn nesting<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    put_measured::<B>(sample, random, (4, 4), B::NESTING)
}

fn branches<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let (first, more) = B::CHOICE;
    let mut block = first.replace("{n}", "0");
    for at in 1..11 {
        block.push_str(&more.replace("{n}", &at.to_string()));
    }
    put_measured::<B>(sample, random, (3, 10), &format!("{block}\n"))
}

fn long_file<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let count = sample.count();
    let more = if count <= 500 { 501 - count } else { count / 10 + 1 } + random.below(20);
    let line = |at: usize| [B::FILLER.replace("{n}", &at.to_string()), "\n".to_owned()];
    let lines: String = (0..more).flat_map(line).collect();
    let told = Change { line: 1, ..sample.insert(count + 1, &lines, 1) };
    (0 < count).then_some(told)
}

fn name<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let text = *random.pick(B::NAMES)?;
    put_item::<B>(sample, random, text, 1)
}

fn print<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let is_program = sample.facts.functions.iter().any(|it| it.name == "main");
    if kind(sample.path, sample.text, Some(&sample.facts)) != Kind::Source || is_program {
        return None;
    }
    let handled =
        |line: usize| sample.facts.handlers.iter().any(|it| (it.line..=it.last_line).contains(&line));
    let lines: Vec<usize> = places::<B>(sample).into_iter().filter(|it| !handled(*it)).collect();
    Some(put::<B>(sample, *random.pick(&lines)?, random.pick(B::PRINTS)?, 1))
}

fn todo<B: Braces>(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
    let word = *random.pick(&["TODO", "FIXME", "HACK", "XXX"])?;
    let line = *random.pick(&places::<B>(sample))?;
    if random.below(2) == 0 {
        return Some(put::<B>(sample, line, &format!("/*\n * {word}(ann): this again\n */"), 2));
    }
    Some(put::<B>(sample, line, &format!("// {word}: this again"), 1))
}

/// Adds methods to the end of a class, or of another block, that begins at `told` and ends with the bracket on `last`.
pub(super) fn fill<B: Braces>(
    sample: &Sample<'_>,
    (told, last): (usize, usize),
    public: usize,
    indent: &str,
) -> Change {
    let mut change = sample.insert(last, &shifted::<B>(&methods::<B>(16 - public), indent), 1);
    change.line = told;
    change
}

/// So many methods.
pub(super) fn methods<B: Braces>(count: usize) -> String {
    let method = |at: usize| [B::METHOD.replace("{n}", &at.to_string()), "\n".to_owned()];
    (0..count).flat_map(method).collect()
}

/// A class or its like as an item of its own.
pub(super) fn own_class<B: Braces>(
    sample: &Sample<'_>,
    random: &mut Random,
    (head, tail): (&str, &str),
    within: usize,
) -> Option<Change> {
    let body: String = methods::<B>(16).lines().flat_map(|it| ["\t", it, "\n"]).collect();
    put_item::<B>(sample, random, &format!("{head}\n{body}{tail}\n"), within)
}

/// Classes that take so many methods more that they have 16 public ones: head, end, how many they have.
pub(super) fn open_classes<B: Braces>(sample: &Sample<'_>) -> Vec<(usize, usize, usize)> {
    let lines = B::METHOD.lines().count();
    let classes = sample.facts.classes.iter().filter(|it| {
        let more = 16_usize.saturating_sub(it.public_method_names) * lines;
        it.kind == ClassKind::Class
            && it.public_method_names <= 15
            && it.parent.is_none()
            && sample.line(it.last_line) == "}"
            && it.line < it.last_line
            && sample.has_room(it.last_line, more)
    });
    classes.map(|it| (it.line, it.last_line, it.public_method_names)).collect()
}
