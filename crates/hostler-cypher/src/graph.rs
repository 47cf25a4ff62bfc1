//! What a store has to offer so that queries can be asked of it.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::value::{Map, Value};

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub i64);

/// A label, by the store's own number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// A type of relationships, by the store's own number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A relationship with its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Its number, unique among relationships.
    pub id: i64,
    /// Where it starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// Its type.
    pub kind: TypeId,
}

impl Edge {
    /// The end that is not `node`.
    pub fn other(&self, node: NodeId) -> NodeId {
        if self.from == node { self.to } else { self.from }
    }
}

/// What has properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Element {
    Node(NodeId),
    Edge(Edge),
}

/// Seen from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Relationships that start at the node.
    Outgoing,
    /// Relationships that end at the node.
    Incoming,
    /// Both; one that starts and ends at the node is given once.
    Both,
}

/// Why a store could not answer, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

/// What a callback answers.
pub type Flow = ControlFlow<()>;

/// A graph that can be read.
///
/// A query asks for as little as it needs: labels, types and keys by name once, counts to choose where a pattern starts,
/// then the smallest set of nodes, the relationships of one node at a time, single properties. What an implementation has
/// to keep to:
///
/// - Answers do not change while a query runs: a store reads within one transaction.
/// - What has many answers gives them to a callback, so that a store may hold a statement open while it runs. The callback
///   asks the same store again, so statements must nest (those of `prepare_cached` do); they nest as deep as the patterns of
///   a query are long. A callback that answers `Break` wants nothing more, and the call returns `Ok`.
/// - Counts may be estimates. An index is only used where [`Graph::nodes_per_value`] answers, and may give too many nodes,
///   each of which is tested again, but no node twice and never too few: `=` holds for 1 and 1.0.
/// - A graph shows what a query may see: a store that holds several projects answers for one of them.
/// - A failure ends the query with its text, so that text is for people.
pub trait Graph {
    /// The label of this name; `None`: no node has it.
    fn label(&self, name: &str) -> Result<Option<LabelId>, Failure>;
    /// The name of a label.
    fn label_name(&self, label: LabelId) -> Result<Arc<str>, Failure>;
    /// The type of this name; `None`: no relationship has it.
    fn relationship_type(&self, name: &str) -> Result<Option<TypeId>, Failure>;
    /// The name of a type.
    fn relationship_type_name(&self, kind: TypeId) -> Result<Arc<str>, Failure>;

    /// How many nodes there are, with the label if one is given. Estimates will do: they only choose where a pattern starts.
    fn node_count(&self, label: Option<LabelId>) -> Result<u64, Failure>;
    /// How many nodes one value of an indexed property is expected to find; `None`: there is no index for it, and
    /// [`Graph::nodes_by_property`] is not called.
    fn nodes_per_value(&self, label: Option<LabelId>, key: &str) -> Result<Option<u64>, Failure>;
    /// How many relationships there are, of the types if any are given. An estimate will do.
    fn edge_count(&self, kinds: &[TypeId]) -> Result<u64, Failure>;

    /// The nodes, with the label if one is given.
    fn nodes(&self, label: Option<LabelId>, each: &mut dyn FnMut(NodeId) -> Flow) -> Result<(), Failure>;
    /// The nodes whose indexed property equals the value, which is no list, map or element. More may be given: each is
    /// checked again.
    fn nodes_by_property(
        &self,
        label: Option<LabelId>,
        key: &str,
        value: &Value,
        each: &mut dyn FnMut(NodeId) -> Flow,
    ) -> Result<(), Failure>;
    /// Whether there is such a node, which `id(n) = 1` asks for.
    fn has_node(&self, node: NodeId) -> Result<bool, Failure>;
    /// The relationships of a node, of the types if any are given.
    fn edges(
        &self,
        node: NodeId,
        direction: Direction,
        kinds: &[TypeId],
        each: &mut dyn FnMut(Edge) -> Flow,
    ) -> Result<(), Failure>;

    /// The labels of a node.
    fn labels(&self, node: NodeId) -> Result<Vec<LabelId>, Failure>;
    /// Whether a node has a label.
    fn has_label(&self, node: NodeId, label: LabelId) -> Result<bool, Failure>;
    /// A property; null where there is none.
    fn property(&self, element: Element, key: &str) -> Result<Value, Failure>;
    /// All properties.
    fn properties(&self, element: Element) -> Result<Map, Failure>;
}
