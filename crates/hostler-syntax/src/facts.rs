//! What checks of quality ask of one text: its functions, classes, handlers, words and names, with their measures.

pub(crate) mod common;
mod dialect;
mod stuck;
mod walk;

pub(crate) use dialect::{
    At, Dialect, Judgement, Part, callee, child_of_kind, children, holds, is_grade, last_line, logs,
    logs_by_grade, named, one_line, tight,
};

use tree_sitter::Tree;

use crate::{Error, Grammar, Language};

/// Facts of one text. Lines and columns count from 1; lists are in order of lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Where the text does not follow the language's grammar; empty if it is whole. Exact for Python; of C and C++
    /// none are told, since macros follow no grammar; others may have a gap of their grammar here.
    pub errors: Vec<Fault>,
    /// Parts nested deeper than [`crate::DEPTH_MAX`] were left out.
    pub cut: bool,
    /// Functions, methods, and closures that have a name.
    pub functions: Vec<Function>,
    /// Classes, interfaces, traits, enums; a Rust type once for all of its `impl` blocks.
    pub classes: Vec<Class>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Handlers of failures.
    pub handlers: Vec<Catch>,
    /// Comments and docstrings.
    pub comments: Vec<Remark>,
    /// String literals.
    pub literals: Vec<Literal>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Names that the module and its classes define by a value.
    pub bindings: Vec<Binding>,
    /// Lines of mutable defaults of closures without a name; those of functions are in [`Function::mutable_defaults`].
    pub loose_mutable_defaults: Vec<usize>,
    /// First and last line of the code that only runs as a program (Python's `if __name__ == "__main__"`).
    pub main_guard: Option<(usize, usize)>,
}

/// A place that does not follow the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub line: usize,
    /// Where in the line, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// A function, a method, or a closure that has a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Function {
    /// Its name without that of its class.
    pub name: String,
    /// The line of its `def`, or whatever begins its signature.
    pub line: usize,
    /// Its first line, decorators and attributes included.
    pub first_line: usize,
    /// The last line of its body.
    pub last_line: usize,
    /// The function around it, by its place in [`Facts::functions`].
    pub parent: Option<usize>,
    /// The class that it is a method of, by its place in [`Facts::classes`].
    pub class: Option<usize>,
    /// Dotted names of decorators, annotations and attributes, as written, from top to bottom.
    pub decorators: Vec<String>,
    /// Others may use it, by the language's convention or keywords.
    pub is_public: bool,
    /// It is asynchronous.
    pub is_async: bool,
    /// It is a test, by its name or mark.
    pub is_test: bool,
    /// It is marked as one that replaces another's.
    pub is_override: bool,
    /// Another class of this text, based on this one's class, defines it again.
    pub is_overridden: bool,
    /// It has no body of its own to judge: abstract, a signature, an overload, an empty default of a trait.
    pub is_abstract: bool,
    /// It makes or becomes an object: `__init__`, a constructor.
    pub is_constructor: bool,
    /// It is a closure that is bound to a name.
    pub is_closure: bool,
    /// Cyclomatic complexity as ruff's C901 counts it: 1, and one more for each `if`, loop, handler, `else` of a
    /// `try`, and case but the last wildcard; a function inside adds its own.
    pub complexity: u32,
    /// Deepest nesting of control flow. `else if` is flat; functions and closures inside begin anew.
    pub nesting: u32,
    /// Where the deepest nesting begins.
    pub nesting_line: usize,
    /// What its body does.
    pub body: Body,
    /// How often it looks at an attribute of its own object (`self.x`, `this.x`).
    pub self_references: u32,
    /// A `return` gives the own object back.
    pub returns_self: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Lines of defaults that all calls share and may change.
    pub mutable_defaults: Vec<usize>,
    /// Everything before its body, on one line.
    pub signature: String,
}

/// What the body of a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Body {
    /// There is nothing in it, or nothing but documentation, `pass` and `...`.
    Empty,
    /// Nothing that counts as work: it logs, assigns constants to local names, returns nothing.
    Trivial,
    /// It says that it is not written yet.
    Unimplemented,
    /// It works.
    #[default]
    Working,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameter {
    /// Its name, without stars.
    pub name: String,
    /// Its type, as written.
    pub annotation: Option<String>,
    /// It may be left out.
    pub has_default: bool,
}

/// A type with members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ClassKind,
    /// The line of its `class`, or whatever begins it.
    pub line: usize,
    /// Its first line, decorators and attributes included.
    pub first_line: usize,
    /// Its last line. In Rust, that of the type itself.
    pub last_line: usize,
    /// How many lines it has: in Rust those of the type and of each of its `impl` blocks.
    pub lines: usize,
    /// Where the first block begins that adds methods to it: Rust's `impl` without a trait.
    pub impl_line: Option<usize>,
    /// The class around it, by its place in [`Facts::classes`].
    pub parent: Option<usize>,
    /// Dotted names of what it is based on, in Rust the traits that it implements.
    pub bases: Vec<String>,
    /// Dotted names of decorators, annotations and attributes.
    pub decorators: Vec<String>,
    /// Others may use it, by the language's convention or keywords.
    pub is_public: bool,
    /// It is only added to here, by methods or what it implements: the type itself stands elsewhere.
    pub is_foreign: bool,
    /// Its methods, by their places in [`Facts::functions`].
    pub methods: Vec<usize>,
    /// How many different names its methods have.
    pub method_names: usize,
    /// How many different names its public methods have.
    pub public_method_names: usize,
}

/// What a type with members is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClassKind {
    /// A class.
    #[default]
    Class,
    /// A struct or record.
    Struct,
    /// An interface, or a protocol of Python or Swift.
    Interface,
    /// A trait.
    Trait,
    /// An enumeration.
    Enum,
    /// An object that is its own type, or a module of functions.
    Object,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Import {
    /// Where.
    pub line: usize,
    /// The module, without leading dots.
    pub module: String,
    /// What the whole module is called here, if it gets another name.
    pub alias: Option<String>,
    /// Leading dots: 0 is absolute, 1 the own package.
    pub level: usize,
    /// What is taken out of it, with the name that it gets here; `*` for everything.
    pub names: Vec<(String, Option<String>)>,
}

/// A handler of failures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Catch {
    /// Where it begins.
    pub line: usize,
    /// Where it ends.
    pub last_line: usize,
    /// What it handles, as written; empty for everything.
    pub types: Vec<String>,
    /// What the failure is called in it.
    pub name: Option<String>,
    /// It names no type (a language that has no types there has no bare handlers).
    pub is_bare: bool,
    /// It takes every failure: bare, `Exception`, `BaseException`, `Throwable`.
    pub is_broad: bool,
    /// Its body does nothing. A comment makes a body in braces do something, since linters hold so.
    pub is_empty: bool,
    /// It logs.
    pub logs: bool,
    /// It raises again, or another failure.
    pub raises: bool,
    /// The function around it, by its place in [`Facts::functions`].
    pub function: Option<usize>,
}

/// A comment, or a docstring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remark {
    /// Where it begins.
    pub line: usize,
    /// Where it ends.
    pub last_line: usize,
    /// Over all its lines; a comment with its marks.
    pub text: String,
    /// It is a string that documents what it stands in: a docstring, never a comment.
    pub is_doc: bool,
    /// Nothing but blanks stands before it in its line.
    pub is_own_line: bool,
}

/// A string literal. Parts that are joined by standing next to each other are one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Literal {
    /// Where it begins.
    pub line: usize,
    /// Where it ends.
    pub last_line: usize,
    /// What stands between its marks, escapes as written.
    pub value: String,
    /// The name, key, parameter or attribute that it is a value of, or is compared with.
    pub target: Option<String>,
    /// What it is there for.
    pub role: Role,
    /// Values are put into it.
    pub is_interpolated: bool,
}

/// What a literal is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Assigned to a name or an attribute.
    Assigned,
    /// The value of a key.
    Keyed,
    /// An argument; with a target if it is named.
    Argument,
    /// The default of a parameter.
    Default,
    /// Compared with something.
    Compared,
    /// Documentation.
    Doc,
    /// Something else.
    #[default]
    Other,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// Where it begins.
    pub line: usize,
    /// What is called, as dotted text: `print`, `logging.getLogger`, `self.log.info`, `println!`.
    pub callee: String,
    /// How many arguments it has.
    pub arguments: usize,
    /// Named arguments, with their values as written.
    pub keywords: Vec<(String, String)>,
    /// The function around it, by its place in [`Facts::functions`].
    pub function: Option<usize>,
    /// It only runs as a program, see [`Facts::main_guard`].
    pub is_main_guarded: bool,
}

/// A name that a module or a class defines by a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Binding {
    /// Where.
    pub line: usize,
    /// The name.
    pub name: String,
    /// The class around it, by its place in [`Facts::classes`]; `None` at the top.
    pub class: Option<usize>,
    /// It says that it never changes: `Final`, `const`, `static final`.
    pub is_constant: bool,
    /// Its type, as written.
    pub annotation: Option<String>,
    /// What its value is.
    pub value: ValueKind,
}

/// What kind of value a name gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ValueKind {
    /// None, only a type.
    Nothing,
    /// A number, string, or another constant.
    Constant,
    /// A list, dictionary, set, tuple or object.
    Collection,
    /// The result of calling this, as dotted text.
    Call(String),
    /// A closure.
    Closure,
    /// Something else.
    #[default]
    Other,
}

/// Reads the facts of a whole file.
///
/// # Errors
/// [`Error`] when the text is beyond a budget; broken code is none.
pub fn facts(language: Language, text: &str) -> Result<Facts, Error> {
    let grammar = language.grammar()?;
    let (tree, errors) = parse(grammar, text)?;
    let mut out = Facts { errors, ..Facts::default() };
    walk::read(grammar.dialect, &tree, text, &mut out);
    Ok(out)
}

/// Reads the syntax errors of a whole file, and nothing else: those of [`Facts::errors`] for less.
///
/// # Errors
/// As [`facts`].
pub fn faults(language: Language, text: &str) -> Result<Vec<Fault>, Error> {
    let grammar = language.grammar()?;
    crate::too_long(text)?;
    match grammar.dialect.faults(text) {
        Judgement::Faults(faults) => Ok(faults),
        Judgement::TooDeep => Ok(Vec::new()),
        Judgement::OfTree => Ok(parse(grammar, text)?.1),
    }
}

/// The tree of `text` with its syntax errors; where its grammar refuses it, those of [`Dialect::plain`] if they are less.
fn parse(grammar: &Grammar, text: &str) -> Result<(Tree, Vec<Fault>), Error> {
    let tree = crate::parse(grammar, text)?;
    let gaps = walk::gaps(grammar.dialect, &tree, text);
    if gaps.is_empty() {
        return Ok((tree, Vec::new()));
    }
    let other = grammar.dialect.plain(text).and_then(|plain| {
        let tree = crate::parse(grammar, &plain).ok()?;
        let found = walk::gaps(grammar.dialect, &tree, text);
        (found.len() < gaps.len()).then_some((tree, found, plain))
    });
    Ok(match other {
        Some((tree, gaps, plain)) => (tree, stuck::faults(grammar, &plain, text, gaps)),
        None => (tree, stuck::faults(grammar, text, text, gaps)),
    })
}
