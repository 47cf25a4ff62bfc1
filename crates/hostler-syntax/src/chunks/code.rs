//! Code, cut at its symbols: one chunk for each function, what is around them by itself.

mod layout;
mod python;

use std::ops::Range;

use tree_sitter::Node;

use super::cut::Cuts;
use super::lines::Lines;
use super::{Chunk, file_name};
use crate::facts::{At, Dialect, Part, last_line, tight};
use crate::{DEPTH_MAX, Grammar, Language, text_of};

/// Most rows of a function that is one chunk.
const FUNCTION_ROWS_MAX: usize = 60;

/// Fewest rows of a function inside a long one that gets a chunk of its own.
const NESTED_ROWS_MIN: usize = 8;

/// Fewest rows of a closure with a name, a property, or a macro that is a function.
const LOOSE_ROWS_MIN: usize = 3;

/// How far below the code around it a definition on one row is looked for, in tree levels.
const ROW_LEVELS_MAX: usize = 3;

/// What holds definitions, and is none of a type or function.
const NAMESPACES: &[&str] = &[
    "file_scoped_namespace_declaration",
    "internal_module",
    "mod_item",
    "module",
    "namespace_declaration",
    "namespace_definition",
];

/// Definitions that checks of quality do not measure.
const FUNCTIONS: &[&str] = &[
    "anonymous_initializer",
    "class_static_block",
    "conversion_operator_declaration",
    "deinit_declaration",
    "destructor_declaration",
    "indexer_declaration",
    "macro_definition",
    "operator_declaration",
    "preproc_function_def",
    "property_declaration",
    "subscript_declaration",
];

const TYPES: &[&str] = &["type_alias_declaration", "type_definition", "union_definition"];

/// The chunks of a text in `language`; `None` if it cannot be parsed.
pub(super) fn chunks(module: &str, language: Language, lines: &Lines<'_>) -> Option<Vec<Chunk>> {
    let found = match language {
        Language::Python => python::read(lines),
        _ => read(language.grammar().ok()?, lines)?,
    };
    Some(layout::chunks(module, &found, lines))
}

/// What a file is called as a module: its name without extensions, or that of its folder where the name says nothing.
pub(super) fn module(path: &str) -> String {
    let stem = |name: &str| name.trim_start_matches('.').split('.').next().unwrap_or_default().to_owned();
    let own = stem(file_name(path));
    let folder = path.rsplit('/').nth(1).map(stem).filter(|it| !it.is_empty());
    let says_nothing = match file_name(path) {
        "__init__.py" | "__init__.pyi" | "mod.rs" => true,
        _ => own == "index",
    };
    if says_nothing { folder.unwrap_or(own) } else { own }
}

/// What the tree of a text says about where it can be cut.
struct Found {
    /// Definitions at the top, in order of rows.
    items: Vec<Item>,
    /// What documents the module.
    doc: Option<Range<usize>>,
    cuts: Cuts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Function,
    Type,
    Namespace,
}

/// A definition.
struct Item {
    kind: ItemKind,
    name: String,
    /// Its first row, with decorators and comments above it.
    first: usize,
    last: usize,
    /// The row that its own code begins on.
    own: usize,
    /// Bytes of what documents it.
    doc: Option<Range<usize>>,
    /// Definitions inside, in order of rows; of a function only where it is too long for one chunk.
    items: Vec<Item>,
}

impl Item {
    /// How many rows it has without what stands above it.
    fn rows(&self) -> usize {
        self.last + 1 - self.own
    }
}

fn read(grammar: &Grammar, lines: &Lines<'_>) -> Option<Found> {
    let tree = crate::parse(grammar, lines.text).ok()?;
    let mut reader = Reader {
        dialect: grammar.dialect,
        lines,
        cuts: Cuts::new(lines.count()),
        above: None,
        open: Vec::new(),
        items: Vec::new(),
    };
    let mut cursor = tree.walk();
    let mut ancestors: Vec<Node<'_>> = Vec::new();
    'nodes: loop {
        let node = cursor.node();
        let looks_inside = reader.enter(node, &ancestors) && ancestors.len() < DEPTH_MAX;
        if looks_inside && cursor.goto_first_child() {
            ancestors.push(node);
            continue;
        }
        reader.leave(ancestors.len());
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'nodes;
            }
            ancestors.pop();
            reader.leave(ancestors.len());
        }
    }
    Some(Found { items: reader.items, doc: None, cuts: reader.cuts })
}

/// Comments and decorators that may belong to what follows.
struct Above {
    first: usize,
    last: usize,
    doc: Option<Range<usize>>,
}

struct Reader<'a> {
    dialect: &'a dyn Dialect,
    lines: &'a Lines<'a>,
    cuts: Cuts,
    above: Option<Above>,
    /// Definitions around the node, with their levels.
    open: Vec<(usize, Item)>,
    items: Vec<Item>,
}

impl Reader<'_> {
    /// Notes what the node is. Whether there may be more in it.
    fn enter(&mut self, node: Node<'_>, ancestors: &[Node<'_>]) -> bool {
        if !node.is_named() {
            return false;
        }
        let level = ancestors.len();
        self.note(node, level);
        let at = At { node, ancestors, text: self.lines.text, function: None, class: None };
        let kind = node.kind();
        let part = self.dialect.part(kind);
        if part == Some(Part::Comment) {
            self.stands_above(node, true);
            return false;
        }
        if self.dialect.words().marks.contains(&kind) {
            self.stands_above(node, false);
            return false;
        }
        let (first, last) = rows(node);
        if let Some((kind, name)) = self.definition(&at, part) {
            return self.open(kind, name, &at);
        }
        first < last || level <= self.open.last().map_or(0, |(level, _)| *level) + ROW_LEVELS_MAX
    }

    /// Ends the definition at `level`, if there is one.
    fn leave(&mut self, level: usize) {
        if self.open.last().is_some_and(|(open, _)| *open == level)
            && let Some((_, item)) = self.open.pop()
        {
            self.open.last_mut().map_or(&mut self.items, |(_, outer)| &mut outer.items).push(item);
        }
    }

    /// What a node defines.
    fn definition(&self, at: &At<'_, '_>, part: Option<Part>) -> Option<(ItemKind, String)> {
        let kind = at.node.kind();
        let (first, last) = rows(at.node);
        let count = last + 1 - first;
        let is_nested = self.open.iter().any(|(_, it)| it.kind == ItemKind::Function);
        if is_nested && count < NESTED_ROWS_MIN {
            return None;
        }
        let name =
            || Some(at.child("name").map(|it| tight(it, at.text))?.trim_matches(['"', '\'', '`']).to_owned());
        match part {
            Some(Part::Function) if self.dialect.counts(at, Part::Function) => {
                let name = name()
                    .or_else(|| kind.contains("constructor").then(|| "constructor".to_owned()))
                    .or_else(|| self.dialect.function(at).map(|it| it.name))?;
                let name = match self.dialect.receiver(at) {
                    Some(receiver) => format!("{receiver}.{name}"),
                    None => name,
                };
                Some((ItemKind::Function, name))
            }
            Some(Part::Closure) if LOOSE_ROWS_MIN <= count => {
                let name = self.dialect.closure_name(at)?;
                Some((ItemKind::Function, holder(at).map_or(name.clone(), |it| format!("{it}.{name}"))))
            }
            Some(Part::Class) if self.dialect.counts(at, Part::Class) => {
                let name = name().or_else(|| self.dialect.class(at).map(|it| it.name))?;
                Some((ItemKind::Type, name))
            }
            _ if LOOSE_ROWS_MIN <= count && FUNCTIONS.contains(&kind) => Some((
                ItemKind::Function,
                name().unwrap_or_else(|| kind.split('_').next().unwrap_or_default().to_owned()),
            )),
            _ if LOOSE_ROWS_MIN <= count && TYPES.contains(&kind) => Some((ItemKind::Type, name()?)),
            _ if NAMESPACES.contains(&kind) && !at.ancestors.is_empty() => {
                Some((ItemKind::Namespace, name()?))
            }
            _ => None,
        }
    }

    fn open(&mut self, kind: ItemKind, name: String, at: &At<'_, '_>) -> bool {
        let (mut own, last) = rows(at.node);
        // What a closure is bound to may begin above it.
        if let Some(parent) = at.parent().filter(|_| self.dialect.part(at.node.kind()) == Some(Part::Closure))
        {
            own = own.min(rows(parent).0);
        }
        let above = self.above.take().filter(|it| it.first <= own && own <= it.last + 1);
        let first = above.as_ref().map_or(own, |it| it.first);
        let doc = above.and_then(|it| it.doc);
        let looks_inside = kind != ItemKind::Function || FUNCTION_ROWS_MAX < last + 1 - first;
        self.open.push((at.ancestors.len(), Item { kind, name, first, last, own, doc, items: Vec::new() }));
        looks_inside
    }

    /// Notes that a node begins a row, unless an outer one does.
    fn note(&mut self, node: Node<'_>, level: usize) {
        let start = node.start_position();
        if self.cuts.is_noted(start.row) {
            return;
        }
        let before = self.lines.row(start.row).get(..start.column).unwrap_or_default();
        let opens = text_of(node, self.lines.text).starts_with(['{', '(', '[']);
        if before.trim().is_empty() && !opens {
            self.cuts.note(start.row, level);
        }
    }

    /// Notes a comment or a mark.
    fn stands_above(&mut self, node: Node<'_>, is_comment: bool) {
        let start = node.start_position();
        let before = self.lines.row(start.row).get(..start.column).unwrap_or_default();
        let (first, last) = rows(node);
        let bytes = node.start_byte()..node.start_byte() + text_of(node, self.lines.text).trim_end().len();
        let follows = self.above.as_ref().is_some_and(|it| it.first <= first && first <= it.last + 1);
        if !follows {
            // What follows code on its row speaks of that code.
            if is_comment && !before.trim().is_empty() {
                return;
            }
            self.above = Some(Above { first, last, doc: is_comment.then_some(bytes) });
        } else if let Some(above) = &mut self.above {
            above.last = above.last.max(last);
            if is_comment {
                let start = above.doc.as_ref().map_or(bytes.start, |it| it.start);
                above.doc = Some(start..bytes.end);
            }
        }
        self.cuts.hold(first..last + 1);
    }
}

/// The type whose method a closure becomes by assignment: `A` in `A.prototype.b = function () {}`.
fn holder(at: &At<'_, '_>) -> Option<String> {
    let parent = at.parent().filter(|it| it.kind() == "assignment_expression")?;
    let left = tight(parent.child_by_field_name("left")?, at.text);
    let (holder, _) = left.rsplit_once('.')?;
    let name = holder.trim_end_matches(".prototype").rsplit('.').next()?;
    let is_type =
        name.starts_with(char::is_uppercase) && name.chars().all(|it| it.is_alphanumeric() || it == '_');
    is_type.then(|| name.to_owned())
}

/// First and last row of a node.
fn rows(node: Node<'_>) -> (usize, usize) {
    let first = node.start_position().row;
    (first, (last_line(node) - 1).max(first))
}
