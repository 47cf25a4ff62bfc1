//! Source text -> facts about it, by syntax tree.
//!
//! The only crate that knows a grammar. A caller names a [`Language`] and gets [`Syntax`]: plain data, no
//! node of any tree. Another language is one file with one [`Grammar`] and one line in [`GRAMMARS`].
//!
//! Invariant: no I/O, and no input makes it fail other than by [`Error`]. Broken code and fragments give the
//! facts that can be had. Budgets are bytes, levels and parser steps, never a clock, so an answer does not
//! depend on how busy the machine is.

#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]

pub mod chunks;
mod facts;
mod languages;
mod outline;
mod python;
#[cfg(test)]
mod tests;

pub use facts::{
    Binding, Body, Call, Catch, Class, ClassKind, Facts, Fault, Function, Import, Literal, Parameter, Remark,
    Role, ValueKind, facts, faults,
};
pub use outline::{Comment, Decorator, Definition, Outline, Value, outline};

use facts::Dialect;
use std::ops::ControlFlow;
use std::path::Path;

use tree_sitter::{LogType, Node, ParseOptions, Parser, Tree};

/// Longest text that is read, in bytes. Larger sources are generated ones.
pub const BYTES_MAX: usize = 2 * 1024 * 1024;

/// Deepest nesting whose facts are read, in tree levels.
pub const DEPTH_MAX: usize = 2_000;

/// Most different widths of indentation. `CPython` stops at 100 levels; the grammar's scanner keeps one entry
/// per level in a buffer of 1,024 bytes and writes past its end at about 510.
pub const INDENT_WIDTHS_MAX: usize = 200;

/// Most bytes that a scanner may need to remember strings that could be open at once, were each of the text. It keeps
/// them in a buffer of 1,024 bytes; that of Ruby writes past its end and aborts, that of PHP forgets them.
pub const OPEN_STRINGS_BYTES_MAX: usize = 1_000;

/// Progress reports of the parser, one per 100 of its steps, that a parse may take for each started KiB of text.
/// None of 5,818 real Python modules took more than 37, and none of 5,000 files of 16 languages more than this.
const REPORTS_PER_KIB_MAX: usize = 100;

/// A language that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Python 3, with what is left of Python 2 tolerated.
    Python,
    /// TypeScript.
    TypeScript,
    /// TypeScript with elements.
    Tsx,
    /// JavaScript, with elements or without.
    JavaScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Scala.
    Scala,
    /// The shell: `bash`, `sh`.
    Bash,
}

impl Language {
    /// The language of a file by its extension, ASCII case ignored.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        GRAMMARS
            .iter()
            .find(|grammar| grammar.extensions.iter().any(|it| it.eq_ignore_ascii_case(extension)))
            .map(|grammar| grammar.language)
    }

    fn grammar(self) -> Result<&'static Grammar, Error> {
        GRAMMARS.iter().find(|it| it.language == self).copied().ok_or(Error::Grammar(self))
    }
}

impl Grammar {
    fn reader(&self) -> Result<&'static Reader, Error> {
        self.reader.ok_or(Error::Unread(self.language))
    }
}

/// Every language that can be read.
const GRAMMARS: &[&Grammar] = &[
    &python::GRAMMAR,
    &languages::script::TYPESCRIPT,
    &languages::script::TSX,
    &languages::script::JAVASCRIPT,
    &languages::rust::GRAMMAR,
    &languages::go::GRAMMAR,
    &languages::java::GRAMMAR,
    &languages::c::C,
    &languages::c::CPP,
    &languages::csharp::GRAMMAR,
    &languages::ruby::GRAMMAR,
    &languages::php::GRAMMAR,
    &languages::kotlin::GRAMMAR,
    &languages::swift::GRAMMAR,
    &languages::scala::GRAMMAR,
    &languages::bash::GRAMMAR,
];

type Limit = fn(&str) -> Result<(), Error>;

/// Everything that one language brings.
struct Grammar {
    language: Language,
    /// Extensions without the dot.
    extensions: &'static [&'static str],
    /// The parser's tables.
    tables: fn() -> tree_sitter::Language,
    /// Refuses a text that the parser cannot be given.
    limit: Option<Limit>,
    /// What only some languages are read for.
    reader: Option<&'static Reader>,
    /// What its nodes are to checks of quality.
    dialect: &'static dyn Dialect,
}

/// What guards and tags ask of a language.
struct Reader {
    /// Reads the tree of one text.
    read: fn(&Tree, &str, &mut Syntax),
    /// Reads definitions and comments of one text; apart from `read`, which runs on every edit.
    outline: fn(&Tree, &str, &mut Outline),
    /// Makes a part of a file readable by itself: the text to parse, and how many lines were put before it.
    complete: fn(&str) -> (String, usize),
}

/// What one text holds. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Syntax {
    /// The text does not parse as a whole; what is listed was found in the parts that do.
    pub has_errors: bool,
    /// Parts nested deeper than [`DEPTH_MAX`] were left out.
    pub cut: bool,
    /// Handlers of exceptions, in order of lines.
    pub handlers: Vec<Handler>,
    /// Uses of mocking libraries, in order of lines.
    pub mocks: Vec<MockUse>,
    /// Imports relative to the file's own package, in order of lines.
    pub relative_imports: Vec<RelativeImport>,
}

/// A handler of exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// Where it begins.
    pub line: usize,
    /// The exception types as written, those of a tuple one by one; empty for a bare handler.
    pub types: Vec<String>,
    /// Its body does nothing: only `pass` and `...`.
    pub silent: bool,
}

/// One use of a mocking library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MockUse {
    /// Where.
    pub line: usize,
    /// The pattern that it is, e.g. `unittest.mock`, `MagicMock`, `@patch`, `patch.object`, `mocker`.
    pub pattern: String,
}

/// An import relative to the file's own package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativeImport {
    /// Where.
    pub line: usize,
    /// How many dots: 1 is the package itself, 2 its parent.
    pub level: usize,
    /// The module after the dots; empty in `from . import x`.
    pub module: String,
}

/// Why a text was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Longer than [`BYTES_MAX`].
    #[error("the text has {bytes} bytes, more than the {BYTES_MAX} that are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Indented in more ways than [`INDENT_WIDTHS_MAX`].
    #[error(
        "the text has {widths} different widths of indentation, more than the {INDENT_WIDTHS_MAX} that are read"
    )]
    TooDeep {
        /// How many.
        widths: usize,
    },
    /// More heredocs and interpolations than [`OPEN_STRINGS_BYTES_MAX`].
    #[error(
        "heredocs and interpolations of the text take {bytes} bytes, more than the {OPEN_STRINGS_BYTES_MAX} that are kept"
    )]
    TooOpen {
        /// How many.
        bytes: usize,
    },
    /// The parser gave up: the text needs more steps than code of its length does.
    #[error("the text takes too many steps to parse")]
    TooHard,
    /// Guards and tags ask nothing of this language.
    #[error("of {0:?} only facts are read")]
    Unread(Language),
    /// The grammar was built for another version of the parser; a fault of this build.
    #[error("the grammar of {0:?} does not fit this build's parser")]
    Grammar(Language),
}

/// Reads a whole file.
///
/// # Errors
/// [`Error`] when the text is beyond a budget; broken code is none.
pub fn read(language: Language, text: &str) -> Result<Syntax, Error> {
    let grammar = language.grammar()?;
    let reader = grammar.reader()?;
    let tree = parse(grammar, text)?;
    let mut syntax = Syntax { has_errors: tree.root_node().has_error(), ..Syntax::default() };
    (reader.read)(&tree, text, &mut syntax);
    Ok(syntax)
}

/// Reads a part of a file whose surroundings are unknown: common indentation is taken off, and a head is put
/// before a part that begins in the middle of a statement. Lines count from the part's first line.
///
/// # Errors
/// As [`read`].
pub fn read_part(language: Language, text: &str) -> Result<Syntax, Error> {
    too_long(text)?;
    let (whole, before) = (language.grammar()?.reader()?.complete)(text);
    let mut syntax = read(language, &whole)?;
    let lines = syntax
        .handlers
        .iter_mut()
        .map(|it| &mut it.line)
        .chain(syntax.mocks.iter_mut().map(|it| &mut it.line))
        .chain(syntax.relative_imports.iter_mut().map(|it| &mut it.line));
    for line in lines {
        *line = line.saturating_sub(before).max(1);
    }
    Ok(syntax)
}

fn too_long(text: &str) -> Result<(), Error> {
    if BYTES_MAX < text.len() { Err(Error::TooLong { bytes: text.len() }) } else { Ok(()) }
}

/// Hears what a parser does.
type Logger = Box<dyn FnMut(LogType, &str) + Send>;

fn parse(grammar: &Grammar, text: &str) -> Result<Tree, Error> {
    parse_logged(grammar, text, None)
}

fn parse_logged(grammar: &Grammar, text: &str, logger: Option<Logger>) -> Result<Tree, Error> {
    too_long(text)?;
    if let Some(limit) = grammar.limit {
        limit(text)?;
    }
    let mut parser = Parser::new();
    parser.set_language(&(grammar.tables)()).map_err(|_| Error::Grammar(grammar.language))?;
    parser.set_logger(logger);
    let mut reports_left = (text.len() / 1024 + 1) * REPORTS_PER_KIB_MAX;
    let mut progress = |_: &tree_sitter::ParseState| match reports_left.checked_sub(1) {
        Some(left) => {
            reports_left = left;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    parser
        .parse_with_options(
            &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        )
        .ok_or(Error::TooHard)
}

/// Shows every node of `tree` to `visit`, parents first, with its ancestors (the root first). Iterates, so that
/// nesting costs no stack. Returns whether something deeper than [`DEPTH_MAX`] was left out.
fn walk<'tree>(tree: &'tree Tree, mut visit: impl FnMut(Node<'tree>, Option<&str>, &[Node<'tree>])) -> bool {
    let mut cursor = tree.walk();
    let mut ancestors: Vec<Node<'tree>> = Vec::new();
    let mut cut = false;
    loop {
        let node = cursor.node();
        visit(node, cursor.field_name(), &ancestors);
        let deep = DEPTH_MAX <= ancestors.len();
        if !deep && cursor.goto_first_child() {
            ancestors.push(node);
            continue;
        }
        cut |= deep && 0 < node.child_count();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return cut;
            }
            ancestors.pop();
        }
    }
}

/// The text of `node`; empty if its bounds do not fit `text`.
fn text_of<'text>(node: Node<'_>, text: &'text str) -> &'text str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The line that `node` begins on, from 1.
fn line_of(node: Node<'_>) -> usize {
    node.start_position().row + 1
}
