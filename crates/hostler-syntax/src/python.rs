//! Python.

mod facts;
mod faults;
mod outline;

use std::collections::{BTreeSet, HashMap, HashSet};

use tree_sitter::{Node, Tree};

use crate::{
    Error, Grammar, Handler, INDENT_WIDTHS_MAX, Language, MockUse, Reader, RelativeImport, Syntax, line_of,
    text_of, walk,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    language: Language::Python,
    extensions: &["py", "pyi"],
    tables: || tree_sitter_python::LANGUAGE.into(),
    limit: Some(limit),
    reader: Some(&Reader { read, outline: outline::read, complete }),
    dialect: &facts::Python,
};

fn limit(text: &str) -> Result<(), Error> {
    let widths = indent_widths(text);
    if INDENT_WIDTHS_MAX < widths { Err(Error::TooDeep { widths }) } else { Ok(()) }
}

/// How many different widths of indentation `text` has: the scanner's stack of levels rises strictly, so it is
/// never higher than this. Lines inside strings count too, which only errs to the safe side.
fn indent_widths(text: &str) -> usize {
    let mut widths = BTreeSet::new();
    let (mut width, mut at_start) = (0_u32, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\n' | b'\r' | b'\x0c' => (width, at_start) = (0, true),
            b' ' if at_start => width += 1,
            b'\t' if at_start => width += 8,
            // A continued line goes on counting.
            b'\\' if at_start && matches!(bytes.peek(), Some(b'\n' | b'\r')) => {
                let end = bytes.next();
                if end == Some(b'\r') {
                    bytes.next_if_eq(&b'\n');
                }
            }
            _ if at_start => {
                widths.insert(width);
                at_start = false;
            }
            _ => {}
        }
    }
    widths.len()
}

/// Names of `unittest.mock` that are mocks wherever they stand.
const MOCK_NAMES: &[&str] = &[
    "AsyncMock",
    "MagicMock",
    "NonCallableMagicMock",
    "NonCallableMock",
    "PropertyMock",
    "ThreadingMock",
    "create_autospec",
    "mock_open",
];

/// Names of `unittest.mock` that mean something else often enough that they must be called, decorate, or have
/// come from there.
const COMMON_NAMES: &[&str] = &["Mock", "patch"];

/// Libraries for mocking: the module, and how a message names it.
const LIBRARIES: &[(&str, &str)] =
    &[("unittest.mock", "unittest.mock"), ("mock", "mock"), ("pytest_mock", "pytest-mock")];

fn read(tree: &Tree, text: &str, syntax: &mut Syntax) {
    let mut scope = Scope::default();
    let mut chains = Vec::new();
    syntax.cut = walk(tree, |node, field, ancestors| match node.kind() {
        "except_clause" => syntax.handlers.push(handler(node, text)),
        "import_statement" => scope.import(node, text, syntax),
        "import_from_statement" => scope.import_from(node, text, syntax),
        "relative_import" => syntax.relative_imports.push(relative_import(node, text)),
        "attribute" | "identifier" => {
            scope.bind(node, field, ancestors, text);
            chains.extend(Chain::read(node, field, ancestors, text));
        }
        _ => {}
    });
    // Names are looked up last: a module may import below the first use, inside a function.
    for chain in chains {
        if let Some(pattern) = scope.mock(&chain) {
            let at = if chain.decorates && pattern.starts_with("patch") { "@" } else { "" };
            syntax.mocks.push(MockUse { line: chain.line, pattern: format!("{at}{pattern}") });
        }
    }
    syntax.mocks.sort_by_key(|it| it.line);
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        let child = cursor.node();
        more = cursor.goto_next_sibling();
        Some(child)
    })
}

fn named(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(|it| it.is_named() && !it.is_extra())
}

fn handler(clause: Node<'_>, text: &str) -> Handler {
    let mut types = Vec::new();
    for value in named(clause).take_while(|it| it.kind() != "block") {
        // `X as e` is one pattern or a value and an alias, depending on what X is.
        let value = if value.kind() == "as_pattern" { named(value).next().unwrap_or(value) } else { value };
        match value.kind() {
            "tuple" | "parenthesized_expression" => types.extend(named(value).map(|it| one_line(it, text))),
            _ => types.push(one_line(value, text)),
        }
        if children(clause).any(|it| it.kind() == "as") {
            break;
        }
    }
    let silent = children(clause).find(|it| it.kind() == "block").is_some_and(does_nothing);
    Handler { line: line_of(clause), types, silent }
}

fn does_nothing(block: Node<'_>) -> bool {
    let mut statements = named(block).peekable();
    statements.peek().is_some()
        && statements.all(|statement| match statement.kind() {
            "pass_statement" => true,
            "expression_statement" => named(statement).all(|it| it.kind() == "ellipsis"),
            _ => false,
        })
}

fn one_line(node: Node<'_>, text: &str) -> String {
    text_of(node, text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What names of a module mean. One scope for the whole text: finer scopes would tell apart what real tests
/// do not mix.
#[derive(Default)]
struct Scope<'text> {
    /// Name -> the dotted name that it was imported as.
    imported: HashMap<&'text str, String>,
    /// Names that the text defines itself.
    defined: HashSet<&'text str>,
}

impl<'text> Scope<'text> {
    fn import(&mut self, statement: Node<'_>, text: &'text str, syntax: &mut Syntax) {
        for item in named(statement) {
            let (module, alias) = module_and_alias(item, text);
            match alias {
                Some(alias) => self.imported.insert(alias, module.clone()),
                // `import a.b` binds `a`.
                None => text_of(item, text)
                    .split('.')
                    .next()
                    .and_then(|first| self.imported.insert(first.trim(), first.trim().to_owned())),
            };
            if let Some((_, name)) = library(&module) {
                syntax.mocks.push(MockUse { line: line_of(statement), pattern: (*name).to_owned() });
            }
        }
    }

    fn import_from(&mut self, statement: Node<'_>, text: &'text str, syntax: &mut Syntax) {
        let Some(origin) = statement.child_by_field_name("module_name") else { return };
        let module = dotted(origin, text);
        let mut uses = library(&module);
        for item in named(statement).filter(|it| it.id() != origin.id()) {
            let (name, alias) = module_and_alias(item, text);
            let full = format!("{module}.{name}");
            uses = uses.or_else(|| LIBRARIES.iter().find(|(library, _)| *library == full));
            if item.kind() != "wildcard_import" {
                self.imported.insert(alias.unwrap_or(text_of(item, text)), full);
            }
        }
        if let Some((_, name)) = uses {
            syntax.mocks.push(MockUse { line: line_of(statement), pattern: (*name).to_owned() });
        }
    }

    /// Notes the name if this is where it is bound.
    fn bind(&mut self, node: Node<'_>, field: Option<&str>, ancestors: &[Node<'_>], text: &'text str) {
        let Some(parent) = ancestors.last() else { return };
        let binds = match parent.kind() {
            "function_definition" | "class_definition" | "default_parameter" | "typed_default_parameter" => {
                field == Some("name")
            }
            "assignment" => field == Some("left"),
            "parameters" | "typed_parameter" | "lambda_parameters" => true,
            _ => false,
        };
        if binds && node.kind() == "identifier" {
            self.defined.insert(text_of(node, text));
        }
    }

    /// The mocking pattern that `chain` uses, if any.
    fn mock(&self, chain: &Chain) -> Option<String> {
        let first = chain.names.first()?.as_str();
        if first == "mocker" && !self.imported.contains_key(first) {
            // The fixture of pytest-mock arrives as a parameter.
            return Some(first.to_owned());
        }
        let origin = self.imported.get(first);
        if origin.is_none() && self.defined.contains(first) {
            return None;
        }
        let rest = chain.names.get(1..).unwrap_or_default();
        let full = origin
            .map_or(first, String::as_str)
            .split('.')
            .chain(rest.iter().map(String::as_str))
            .collect::<Vec<_>>();
        let (inside, of_library) = match full.as_slice() {
            ["unittest", "mock", inside @ ..] | ["mock", inside @ ..] => (inside, true),
            ["pytest_mock", ..] => return Some("pytest-mock".to_owned()),
            all => (all, false),
        };
        // An unknown `mock` in a part of a file may be any variable: only what is surely a mock counts.
        let sure = of_library || chain.called || chain.decorates;
        match inside {
            [name, ..] if MOCK_NAMES.contains(name) && (of_library || origin.is_none()) => {
                Some((*name).to_owned())
            }
            ["patch", kind @ ("object" | "dict" | "multiple"), ..] if of_library || origin.is_none() => {
                Some(format!("patch.{kind}"))
            }
            [name] if COMMON_NAMES.contains(name) && sure && (of_library || origin.is_none()) => {
                Some((*name).to_owned())
            }
            _ => None,
        }
    }
}

/// Read from the module's own node, which survives where the statement around it does not parse.
fn relative_import(node: Node<'_>, text: &str) -> RelativeImport {
    let dotted = dotted(node, text);
    let module = dotted.trim_start_matches('.');
    RelativeImport { line: line_of(node), level: dotted.len() - module.len(), module: module.to_owned() }
}

/// The dotted name of an imported item, and what it is bound as if that is said.
fn module_and_alias<'text>(item: Node<'_>, text: &'text str) -> (String, Option<&'text str>) {
    match (item.child_by_field_name("name"), item.child_by_field_name("alias")) {
        (Some(name), Some(alias)) => (dotted(name, text), Some(text_of(alias, text))),
        _ => (dotted(item, text), None),
    }
}

/// The text of a dotted name without the blanks that Python allows in it.
fn dotted(node: Node<'_>, text: &str) -> String {
    text_of(node, text).chars().filter(|it| !it.is_whitespace()).collect()
}

fn library(module: &str) -> Option<&'static (&'static str, &'static str)> {
    LIBRARIES.iter().find(|(library, _)| {
        module.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// A name with its attributes: `mock.patch.object`.
struct Chain {
    names: Vec<String>,
    line: usize,
    called: bool,
    decorates: bool,
}

impl Chain {
    /// The chain that ends at `node`; `None` inside a longer one, and where a name is no use of it.
    fn read(node: Node<'_>, field: Option<&str>, ancestors: &[Node<'_>], text: &str) -> Option<Self> {
        let mut above = ancestors.iter().rev();
        let parent = above.next()?;
        let is_use = match parent.kind() {
            "attribute" | "dotted_name" | "aliased_import" => false,
            "keyword_argument" | "function_definition" | "class_definition" => field != Some("name"),
            "assignment" => field != Some("left"),
            _ => true,
        };
        if !is_use {
            return None;
        }
        let mut names = Vec::new();
        let mut at = node;
        while at.kind() == "attribute" {
            names.push(dotted(at.child_by_field_name("attribute")?, text));
            at = at.child_by_field_name("object")?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        names.push(text_of(at, text).to_owned());
        names.reverse();
        let called = parent.kind() == "call" && field == Some("function");
        let decorates =
            if called { above.next() } else { Some(parent) }.is_some_and(|it| it.kind() == "decorator");
        Some(Self { names, line: line_of(node), called, decorates })
    }
}

/// Levels the text and closes what it leaves open in front: a part that begins in a handler gets its `try`.
fn complete(part: &str) -> (String, usize) {
    let (head, lines) = match part.lines().find(|line| is_handler(line)) {
        Some(first) => head(part, first),
        None => (String::new(), 0),
    };
    (dedent(&format!("{head}{}", level_first_line(part))), lines)
}

fn is_handler(line: &str) -> bool {
    line.trim_start()
        .strip_prefix("except")
        .is_some_and(|rest| rest.starts_with([':', ' ', '*', '(', '\t']) || rest.is_empty())
}

/// The lines that the handler `first` needs before the part.
fn head(part: &str, first: &str) -> (String, usize) {
    let indent = indent_of(first);
    let mut before =
        part.lines().take_while(|line| !std::ptr::eq(*line, first)).filter(|line| !line.trim().is_empty());
    let begins_deeper = match before.next() {
        None => Some(false),
        // The rest of the body that the handler belongs to.
        Some(line) if indent.len() < indent_of(line).len() => Some(true),
        Some(_) => None,
    };
    let opens = part
        .lines()
        .take_while(|line| !std::ptr::eq(*line, first))
        .any(|line| line.trim() == "try:" && indent_of(line).len() <= indent.len());
    match begins_deeper {
        Some(_) if opens => (String::new(), 0),
        Some(true) => (format!("{indent}try:\n"), 1),
        Some(false) => (format!("{indent}try:\n{indent}    pass\n"), 2),
        None => (String::new(), 0),
    }
}

fn indent_of(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// A replaced text often begins in the middle of its first line, after the indentation. The line then belongs to
/// the level of the shallowest line that follows, unless it opens a block and nothing else stands there.
fn level_first_line(part: &str) -> String {
    let mut lines = part.lines();
    let Some(first) = lines.next().filter(|it| !it.trim().is_empty() && indent_of(it).is_empty()) else {
        return part.to_owned();
    };
    let rest: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let Some(shallowest) = rest.iter().map(|line| indent_of(line)).min_by_key(|it| it.len()) else {
        return part.to_owned();
    };
    let next_is_body = rest.first().is_some_and(|line| indent_of(line).len() == shallowest.len());
    if first.trim_end().ends_with(':') && next_is_body {
        return part.to_owned();
    }
    format!("{shallowest}{part}")
}

/// Takes off the indentation that all lines share.
fn dedent(text: &str) -> String {
    let shared = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(indent_of)
        .reduce(|shared, indent| {
            let same = shared.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
            shared.get(..same).unwrap_or_default()
        })
        .unwrap_or_default();
    if shared.is_empty() {
        return text.to_owned();
    }
    text.split_inclusive('\n')
        .map(|line| line.strip_prefix(shared).unwrap_or(line.trim_start_matches([' ', '\t'])))
        .collect()
}
