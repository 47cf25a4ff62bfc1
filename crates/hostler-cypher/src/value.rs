//! Values: what expressions come to.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::display::write_string;
use crate::graph::{Edge, Element, Failure, Graph, NodeId};
use crate::temporal::Temporal;

/// Properties by key.
pub type Map = BTreeMap<Arc<str>, Value>;

/// Lists and maps nest as deep at most: they are freed recursively.
pub const VALUE_DEPTH_MAX: u16 = 128;

/// A value. Cloning is cheap: what is large is shared.
///
/// `PartialEq` is sameness for tests: null equals null, and 1 is not 1.0. What Cypher's `=` says is [`Value::equals`].
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(Arc<str>),
    List(List),
    Map(Mapping),
    Node(NodeId),
    Relationship(Edge),
    Path(Arc<Path>),
    Temporal(Arc<Temporal>),
}

/// A list that knows how deep it nests and about how much memory it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct List(Arc<Held<Vec<Value>>>);

/// A map that knows how deep it nests and about how much memory it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping(Arc<Held<Map>>);

#[derive(Debug, PartialEq)]
struct Held<T> {
    depth: u16,
    bytes: usize,
    inner: T,
}

/// Nodes and the relationships between them, one fewer.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// At least one.
    pub nodes: Vec<NodeId>,
    /// One fewer than nodes.
    pub edges: Vec<Edge>,
}

const VALUE_BYTES: usize = std::mem::size_of::<Value>();

impl List {
    /// The items.
    pub fn items(&self) -> &[Value] {
        &self.0.inner
    }
}

impl Mapping {
    /// The entries.
    pub fn entries(&self) -> &Map {
        &self.0.inner
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(Arc::from(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(Arc::from(text))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl From<Option<bool>> for Value {
    fn from(truth: Option<bool>) -> Self {
        truth.map_or(Self::Null, Self::Boolean)
    }
}

impl Value {
    /// A list.
    pub fn list(items: Vec<Self>) -> Self {
        let depth = 1 + items.iter().map(Self::depth).max().unwrap_or(0);
        let bytes = items.iter().map(Self::bytes).sum::<usize>() + VALUE_BYTES;
        Self::List(List(Arc::new(Held { depth, bytes, inner: items })))
    }

    /// A map.
    pub fn map(entries: Map) -> Self {
        let depth = 1 + entries.values().map(Self::depth).max().unwrap_or(0);
        let bytes = entries.iter().map(|(key, it)| key.len() + 2 * VALUE_BYTES + it.bytes()).sum::<usize>();
        Self::Map(Mapping(Arc::new(Held { depth, bytes: bytes + VALUE_BYTES, inner: entries })))
    }

    /// How deep it nests: 0 for what is no list or map.
    pub fn depth(&self) -> u16 {
        match self {
            Self::List(it) => it.0.depth,
            Self::Map(it) => it.0.depth,
            _ => 0,
        }
    }

    /// About how much memory it holds.
    pub fn bytes(&self) -> usize {
        VALUE_BYTES
            + match self {
                Self::String(it) => it.len(),
                Self::List(it) => it.0.bytes,
                Self::Map(it) => it.0.bytes,
                Self::Path(it) => it.edges.len() * std::mem::size_of::<Edge>() + it.nodes.len() * 8,
                Self::Temporal(_) => std::mem::size_of::<Temporal>(),
                _ => 0,
            }
    }

    /// What it is, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::String(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Node(_) => "a node",
            Self::Relationship(_) => "a relationship",
            Self::Path(_) => "a path",
            Self::Temporal(it) => it.type_name(),
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Cypher's `=`: `None` is null, where it cannot be known.
    pub fn equals(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => None,
            (Self::Integer(a), Self::Integer(b)) => Some(a == b),
            (Self::Integer(_) | Self::Float(_), Self::Integer(_) | Self::Float(_)) => {
                Some(numbers(self, other) == Some(Ordering::Equal))
            }
            (Self::List(a), Self::List(b)) => {
                let (a, b) = (a.items(), b.items());
                if a.len() != b.len() {
                    return Some(false);
                }
                all(a.iter().zip(b).map(|(a, b)| a.equals(b)))
            }
            (Self::Map(a), Self::Map(b)) => {
                let (a, b) = (a.entries(), b.entries());
                if a.len() != b.len() || !a.keys().eq(b.keys()) {
                    return Some(false);
                }
                all(a.values().zip(b.values()).map(|(a, b)| a.equals(b)))
            }
            (Self::Relationship(a), Self::Relationship(b)) => Some(a.id == b.id),
            (Self::Path(a), Self::Path(b)) => Some(same_path(a, b)),
            (Self::Temporal(a), Self::Temporal(b)) => Some(a.equals(b)),
            _ => Some(self == other),
        }
    }

    /// Cypher's `<`: `None` is null, where the two cannot be compared. The inner `None` is NaN, which is neither less nor
    /// more than anything.
    pub fn compare(&self, other: &Self) -> Option<Option<Ordering>> {
        match (self, other) {
            (Self::Integer(_) | Self::Float(_), Self::Integer(_) | Self::Float(_)) => {
                Some(numbers(self, other))
            }
            (Self::String(a), Self::String(b)) => Some(Some(a.cmp(b))),
            (Self::Boolean(a), Self::Boolean(b)) => Some(Some(a.cmp(b))),
            (Self::Temporal(a), Self::Temporal(b)) => a.compare(b).map(Some),
            (Self::List(a), Self::List(b)) => {
                for (a, b) in a.items().iter().zip(b.items()) {
                    match a.equals(b) {
                        Some(true) => {}
                        Some(false) => return a.compare(b),
                        None => return None,
                    }
                }
                Some(Some(a.items().len().cmp(&b.items().len())))
            }
            _ => None,
        }
    }

    /// The order of ORDER BY: total, null last.
    pub fn order(&self, other: &Self) -> Ordering {
        let ranks = self.rank().cmp(&other.rank());
        if ranks != Ordering::Equal {
            return ranks;
        }
        match (self, other) {
            (Self::Integer(_) | Self::Float(_), Self::Integer(_) | Self::Float(_)) => {
                numbers(self, other).unwrap_or_else(|| is_nan(self).cmp(&is_nan(other)))
            }
            (Self::String(a), Self::String(b)) => a.cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => sequences(a.items(), b.items()),
            (Self::Map(a), Self::Map(b)) => {
                let (a, b) = (a.entries(), b.entries());
                let keys = a.keys().cmp(b.keys());
                if keys != Ordering::Equal {
                    return keys;
                }
                let values = a.values().zip(b.values()).map(|(a, b)| a.order(b));
                values.into_iter().find(|it| *it != Ordering::Equal).unwrap_or(Ordering::Equal)
            }
            (Self::Node(a), Self::Node(b)) => a.cmp(b),
            (Self::Relationship(a), Self::Relationship(b)) => a.id.cmp(&b.id),
            (Self::Path(a), Self::Path(b)) => a
                .nodes
                .cmp(&b.nodes)
                .then_with(|| a.edges.iter().map(|it| it.id).cmp(b.edges.iter().map(|it| it.id))),
            (Self::Temporal(a), Self::Temporal(b)) => a.order(b),
            _ => Ordering::Equal,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Map(_) => 0,
            Self::Node(_) => 1,
            Self::Relationship(_) => 2,
            Self::List(_) => 3,
            Self::Path(_) => 4,
            Self::Temporal(it) => 5 + it.rank(),
            Self::String(_) => 20,
            Self::Boolean(_) => 21,
            Self::Integer(_) | Self::Float(_) => 22,
            Self::Null => 23,
        }
    }

    /// Bytes that are the same for values that DISTINCT and grouping hold to be the same: null is null, 1 is 1.0.
    pub(crate) fn write_key(&self, out: &mut Vec<u8>) {
        out.push(self.rank());
        match self {
            Self::Null => {}
            Self::Boolean(it) => out.push(u8::from(*it)),
            Self::Integer(it) => {
                out.push(0);
                out.extend(it.to_le_bytes());
            }
            Self::Float(it) => {
                if let Some(whole) = exact_integer(*it) {
                    Self::Integer(whole).write_key_number(out);
                } else {
                    out.push(1);
                    let bits = if it.is_nan() { f64::NAN } else { *it };
                    out.extend(bits.to_bits().to_le_bytes());
                }
            }
            Self::String(it) => write_text(out, it),
            Self::List(it) => {
                out.extend((it.items().len() as u64).to_le_bytes());
                it.items().iter().for_each(|it| it.write_key(out));
            }
            Self::Map(it) => {
                out.extend((it.entries().len() as u64).to_le_bytes());
                for (key, value) in it.entries() {
                    write_text(out, key);
                    value.write_key(out);
                }
            }
            Self::Node(it) => out.extend(it.0.to_le_bytes()),
            Self::Relationship(it) => out.extend(it.id.to_le_bytes()),
            Self::Path(it) => {
                out.extend((it.edges.len() as u64).to_le_bytes());
                it.nodes.iter().for_each(|it| out.extend(it.0.to_le_bytes()));
                it.edges.iter().for_each(|it| out.extend(it.id.to_le_bytes()));
            }
            Self::Temporal(it) => write_text(out, &it.to_string()),
        }
    }

    fn write_key_number(&self, out: &mut Vec<u8>) {
        if let Self::Integer(it) = self {
            out.push(0);
            out.extend(it.to_le_bytes());
        }
    }

    /// As Cypher writes it: nodes as `(:Label {key: value})`, relationships as `[:TYPE {…}]`, paths as `<…>`.
    pub fn to_text(&self, graph: &dyn Graph) -> Result<String, Failure> {
        let mut out = String::new();
        self.write_text(graph, &mut out)?;
        Ok(out)
    }

    /// As JSON: nodes are `{"id", "labels", "properties"}`, relationships `{"id", "type", "start", "end", "properties"}`,
    /// paths `{"nodes", "relationships"}`; temporal values, infinities and NaN are strings.
    pub fn to_json(&self, graph: &dyn Graph) -> Result<String, Failure> {
        let mut out = String::new();
        crate::json::write_value(self, graph, &mut out)?;
        Ok(out)
    }

    fn write_text(&self, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
        let failed = |_| Failure("no room for text".to_owned());
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(it) => write!(out, "{it}").map_err(failed)?,
            Self::Integer(it) => write!(out, "{it}").map_err(failed)?,
            Self::Float(it) => out.push_str(&float_text(*it)),
            Self::String(it) => write_string(out, it).map_err(failed)?,
            Self::Temporal(it) => write!(out, "'{it}'").map_err(failed)?,
            Self::List(it) => {
                out.push('[');
                for (index, item) in it.items().iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    item.write_text(graph, out)?;
                }
                out.push(']');
            }
            Self::Map(it) => write_map(it.entries(), graph, out)?,
            Self::Node(it) => write_node(*it, graph, out)?,
            Self::Relationship(it) => write_edge(*it, graph, out)?,
            Self::Path(path) => {
                out.push('<');
                for (index, node) in path.nodes.iter().enumerate() {
                    if let Some(edge) = index.checked_sub(1).and_then(|it| path.edges.get(it)) {
                        let forward = edge.to == *node;
                        out.push_str(if forward { "-" } else { "<-" });
                        write_edge(*edge, graph, out)?;
                        out.push_str(if forward { "->" } else { "-" });
                    }
                    write_node(*node, graph, out)?;
                }
                out.push('>');
            }
        }
        Ok(())
    }
}

fn write_map(entries: &Map, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push('{');
    for (index, (key, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        out.push_str(key);
        out.push_str(": ");
        value.write_text(graph, out)?;
    }
    out.push('}');
    Ok(())
}

fn write_node(node: NodeId, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push('(');
    for label in graph.labels(node)? {
        out.push(':');
        out.push_str(&graph.label_name(label)?);
    }
    let properties = graph.properties(Element::Node(node))?;
    if !properties.is_empty() {
        out.push_str(if out.ends_with('(') { "" } else { " " });
        write_map(&properties, graph, out)?;
    }
    out.push(')');
    Ok(())
}

fn write_edge(edge: Edge, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push_str("[:");
    out.push_str(&graph.relationship_type_name(edge.kind)?);
    let properties = graph.properties(Element::Edge(edge))?;
    if !properties.is_empty() {
        out.push(' ');
        write_map(&properties, graph, out)?;
    }
    out.push(']');
    Ok(())
}

/// As Java writes it, which the TCK follows: `1.0`, `1.0E10`.
pub(crate) fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = number.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        let text = format!("{number}");
        return if text.contains('.') { text } else { format!("{text}.0") };
    }
    let text = format!("{number:E}");
    if text.contains('.') { text } else { text.replacen('E', ".0E", 1) }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// The conjunction of answers that may be unknown.
pub(crate) fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

fn same_path(a: &Path, b: &Path) -> bool {
    a.nodes == b.nodes && a.edges.iter().map(|it| it.id).eq(b.edges.iter().map(|it| it.id))
}

fn sequences(a: &[Value], b: &[Value]) -> Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| a.order(b)).find(|it| *it != Ordering::Equal);
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Float(it) if it.is_nan())
}

/// The integer that a float is, where it is one exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "checked by going back"
)]
pub(crate) fn exact_integer(number: f64) -> Option<i64> {
    // 2^63 itself is out of range, and a cast to i64 would saturate to a number that casts back to it.
    if number >= 9_223_372_036_854_775_808.0 {
        return None;
    }
    let whole = number as i64;
    (whole as f64 == number).then_some(whole)
}

/// Exact, though a float cannot hold every integer.
#[expect(clippy::cast_possible_truncation, reason = "within the range that was tested")]
fn integer_and_float(integer: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if float < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    Some(
        integer
            .cmp(&(whole as i64))
            .then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)),
    )
}

fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Integer(a), Value::Float(b)) => integer_and_float(*a, *b),
        (Value::Float(a), Value::Integer(b)) => integer_and_float(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}
