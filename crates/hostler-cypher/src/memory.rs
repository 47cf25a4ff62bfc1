//! A graph in memory, for tests of queries and of stores.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::graph::{Direction, Edge, Element, Failure, Flow, Graph as Asked, LabelId, NodeId, TypeId};
use crate::value::{Map, Value};

/// Nodes and relationships in the order in which they were added. Properties that are to be found fast are named first.
#[derive(Debug, Default)]
pub struct Graph {
    labels: Names,
    kinds: Names,
    nodes: BTreeMap<i64, Node>,
    edges: BTreeMap<i64, (Edge, Map)>,
    by_label: HashMap<LabelId, Vec<NodeId>>,
    by_kind: HashMap<TypeId, u64>,
    indexed: HashMap<(LabelId, String), HashMap<Vec<u8>, Vec<NodeId>>>,
}

#[derive(Debug, Default)]
struct Node {
    labels: Vec<LabelId>,
    properties: Map,
    outgoing: Vec<Edge>,
    incoming: Vec<Edge>,
}

#[derive(Debug, Default)]
struct Names(Vec<Arc<str>>, HashMap<Arc<str>, u32>);

impl Names {
    fn id(&mut self, name: &str) -> u32 {
        if let Some(id) = self.1.get(name) {
            return *id;
        }
        let id = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = Arc::from(name);
        self.0.push(name.clone());
        self.1.insert(name, id);
        id
    }

    fn name(&self, id: u32) -> Result<Arc<str>, Failure> {
        self.0.get(id as usize).cloned().ok_or_else(|| Failure(format!("no name has the number {id}")))
    }
}

fn key(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    value.write_key(&mut out);
    out
}

impl Graph {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nodes of this label that are added from now on are found by this property.
    pub fn index(&mut self, label: &str, property: &str) {
        let label = LabelId(self.labels.id(label));
        self.indexed.entry((label, property.to_owned())).or_default();
    }

    /// Adds a node.
    pub fn add_node(&mut self, labels: &[&str], properties: Map) -> NodeId {
        let node = NodeId(self.nodes.last_key_value().map_or(0, |(id, _)| id + 1));
        let mut ids: Vec<_> = labels.iter().map(|it| LabelId(self.labels.id(it))).collect();
        ids.dedup();
        for label in &ids {
            self.by_label.entry(*label).or_default().push(node);
            for (property, value) in &properties {
                if let Some(found) = self.indexed.get_mut(&(*label, property.to_string())) {
                    found.entry(key(value)).or_default().push(node);
                }
            }
        }
        self.nodes.insert(node.0, Node { labels: ids, properties, ..Node::default() });
        node
    }

    /// Adds a relationship between two nodes that were added before.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId, kind: &str, properties: Map) -> Edge {
        let id = self.edges.last_key_value().map_or(0, |(id, _)| id + 1);
        let edge = Edge { id, from, to, kind: TypeId(self.kinds.id(kind)) };
        if let Some(node) = self.nodes.get_mut(&from.0) {
            node.outgoing.push(edge);
        }
        if let Some(node) = self.nodes.get_mut(&to.0) {
            node.incoming.push(edge);
        }
        *self.by_kind.entry(edge.kind).or_default() += 1;
        self.edges.insert(id, (edge, properties));
        edge
    }

    /// Takes a relationship away.
    pub fn remove_edge(&mut self, edge: Edge) {
        self.edges.remove(&edge.id);
        for node in [edge.from, edge.to] {
            if let Some(node) = self.nodes.get_mut(&node.0) {
                node.outgoing.retain(|it| it.id != edge.id);
                node.incoming.retain(|it| it.id != edge.id);
            }
        }
        if let Some(count) = self.by_kind.get_mut(&edge.kind) {
            *count -= 1;
        }
    }

    fn node(&self, node: NodeId) -> Result<&Node, Failure> {
        self.nodes.get(&node.0).ok_or_else(|| Failure(format!("no node has the number {}", node.0)))
    }

    fn held(&self, element: Element) -> Result<&Map, Failure> {
        match element {
            Element::Node(it) => Ok(&self.node(it)?.properties),
            Element::Edge(it) => {
                let found = self.edges.get(&it.id).map(|it| &it.1);
                found.ok_or_else(|| Failure(format!("no relationship has the number {}", it.id)))
            }
        }
    }
}

fn give<T>(items: impl IntoIterator<Item = T>, each: &mut dyn FnMut(T) -> Flow) -> Flow {
    items.into_iter().try_for_each(each)
}

impl Asked for Graph {
    fn label(&self, name: &str) -> Result<Option<LabelId>, Failure> {
        Ok(self.labels.1.get(name).copied().map(LabelId))
    }

    fn label_name(&self, label: LabelId) -> Result<Arc<str>, Failure> {
        self.labels.name(label.0)
    }

    fn relationship_type(&self, name: &str) -> Result<Option<TypeId>, Failure> {
        Ok(self.kinds.1.get(name).copied().map(TypeId))
    }

    fn relationship_type_name(&self, kind: TypeId) -> Result<Arc<str>, Failure> {
        self.kinds.name(kind.0)
    }

    fn node_count(&self, label: Option<LabelId>) -> Result<u64, Failure> {
        Ok(label.map_or(self.nodes.len(), |it| self.by_label.get(&it).map_or(0, Vec::len)) as u64)
    }

    fn nodes_per_value(&self, label: Option<LabelId>, key: &str) -> Result<Option<u64>, Failure> {
        let Some(label) = label else { return Ok(None) };
        let found = self.indexed.get(&(label, key.to_owned()));
        let nodes = self.by_label.get(&label).map_or(0, Vec::len);
        Ok(found.map(|it| nodes.div_ceil(it.len().max(1)) as u64))
    }

    fn edge_count(&self, kinds: &[TypeId]) -> Result<u64, Failure> {
        if kinds.is_empty() {
            return Ok(self.edges.len() as u64);
        }
        Ok(kinds.iter().filter_map(|it| self.by_kind.get(it)).sum())
    }

    fn nodes(&self, label: Option<LabelId>, each: &mut dyn FnMut(NodeId) -> Flow) -> Result<(), Failure> {
        let _ended_early = match label {
            None => give(self.nodes.keys().map(|it| NodeId(*it)), each),
            Some(it) => give(self.by_label.get(&it).into_iter().flatten().copied(), each),
        };
        Ok(())
    }

    fn nodes_by_property(
        &self,
        label: Option<LabelId>,
        property: &str,
        value: &Value,
        each: &mut dyn FnMut(NodeId) -> Flow,
    ) -> Result<(), Failure> {
        let index = label.and_then(|it| self.indexed.get(&(it, property.to_owned())));
        let _ended_early =
            give(index.and_then(|it| it.get(&key(value))).into_iter().flatten().copied(), each);
        Ok(())
    }

    fn has_node(&self, node: NodeId) -> Result<bool, Failure> {
        Ok(self.nodes.contains_key(&node.0))
    }

    fn edges(
        &self,
        node: NodeId,
        direction: Direction,
        kinds: &[TypeId],
        each: &mut dyn FnMut(Edge) -> Flow,
    ) -> Result<(), Failure> {
        let node = self.node(node)?;
        let wanted = |it: &&Edge| kinds.is_empty() || kinds.contains(&it.kind);
        let incoming = |it: &&Edge| wanted(it) && (direction == Direction::Incoming || it.from != it.to);
        let outgoing = if direction == Direction::Incoming { &[][..] } else { &node.outgoing[..] };
        let all_incoming = if direction == Direction::Outgoing { &[][..] } else { &node.incoming[..] };
        let edges = outgoing.iter().filter(wanted).chain(all_incoming.iter().filter(incoming));
        let _ended_early = give(edges.copied(), each);
        Ok(())
    }

    fn labels(&self, node: NodeId) -> Result<Vec<LabelId>, Failure> {
        Ok(self.node(node)?.labels.clone())
    }

    fn has_label(&self, node: NodeId, label: LabelId) -> Result<bool, Failure> {
        Ok(self.node(node)?.labels.contains(&label))
    }

    fn property(&self, element: Element, key: &str) -> Result<Value, Failure> {
        Ok(self.held(element)?.get(key).cloned().unwrap_or(Value::Null))
    }

    fn properties(&self, element: Element) -> Result<Map, Failure> {
        Ok(self.held(element)?.clone())
    }
}
