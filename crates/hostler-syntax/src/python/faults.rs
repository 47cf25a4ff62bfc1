//! Syntax errors of Python, as the compiler of `CPython` has them.
//!
//! The grammar of the tree reads on over errors, reads code that Python refuses, and refuses some that it reads.
//! This reads a text as the compiler does and says yes or no: tokens, grammar, and what the compiler refuses by
//! its place. It takes what any released Python 3 takes.

mod expressions;
mod parser;
mod patterns;
mod scopes;
mod statements;
mod tokens;

use std::borrow::Cow;

/// A fault by its place in bytes.
#[derive(Debug)]
struct Fault {
    at: usize,
    line: usize,
    message: Cow<'static, str>,
}

impl Fault {
    fn new(at: usize, line: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at, line, message: message.into() }
    }
}

/// The syntax errors of `text`: one at most of its grammar, and if that is right, all of places. `None`: the code
/// is nested too deeply to be judged.
pub(super) fn read(text: &str) -> Option<Vec<crate::Fault>> {
    let (tokens, problem) = tokens::tokens(text);
    let mut parser = parser::Parser::new(text, &tokens);
    let faults = match problem {
        Some(problem) => {
            let earlier = match parser.module() {
                Err(parser::Stop::Fault(it)) if problem.is_open && it.line <= problem.line => Some(it),
                Err(parser::Stop::Fault(it)) if problem.is_indent && it.at < problem.at => Some(it),
                _ => None,
            };
            vec![earlier.unwrap_or(Fault { at: problem.at, line: problem.line, message: problem.message })]
        }
        None => match parser.module() {
            Ok(()) => std::mem::take(&mut parser.late),
            Err(parser::Stop::Fault(fault)) => vec![fault],
            Err(parser::Stop::TooDeep) => return None,
        },
    };
    let mut faults: Vec<_> = faults.into_iter().map(|it| place(it, text)).collect();
    faults.sort_by_key(|it| (it.line, it.column));
    Some(faults)
}

fn place(fault: Fault, text: &str) -> crate::Fault {
    let before = text.get(..fault.at).unwrap_or(text);
    let line_start = before.rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    crate::Fault { line: fault.line, column, message: fault.message.into_owned() }
}

#[cfg(test)]
mod tests;
