//! Patterns on a graph: from the smallest set of nodes outwards, each condition as soon as it can be tested.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use super::expand::{Expand, path_in};
use super::{Result, Row, Run, Sink, grown};
use crate::ast::{Comparison, Labels, Name};
use crate::error::{Code, Error};
use crate::graph::{Element, Flow, LabelId, NodeId, TypeId};
use crate::plan::{Expr, Kind, Match, Slot};
use crate::value::Value;

/// How a pattern is searched for.
pub(crate) struct Prepared {
    steps: Vec<Step>,
    /// Of each node: all of the groups, any within a group.
    pub(super) labels: Vec<Vec<Vec<LabelId>>>,
    pub(super) kinds: Vec<Vec<TypeId>>,
    /// A label or a type that there is not: nothing can match.
    impossible: bool,
}

enum Step {
    /// A node that was known before: it is one, and has the labels.
    Known(usize),
    Scan(usize, Source),
    Expand {
        relationship: usize,
        from: usize,
        to: usize,
        to_known: bool,
    },
    /// A relationship that was known before.
    Bound {
        relationship: usize,
        left_known: bool,
        right_known: bool,
    },
    Shortest(usize),
    Path(usize),
    /// A property of a node or a relationship in the pattern.
    Property {
        node: bool,
        index: usize,
        property: usize,
    },
    Filter(usize),
}

/// Where the nodes come from that a search starts with.
#[derive(Debug, Clone)]
enum Source {
    All,
    AnyLabel(Vec<LabelId>),
    /// The expression is the one of a property or of a filter.
    Index {
        labels: Vec<Option<LabelId>>,
        key: Name,
        value: Wanted,
    },
    Id(Wanted),
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    Property(usize),
    /// The right side of a filter, or its left side.
    Filter {
        filter: usize,
        left: bool,
        many: bool,
    },
}

/// The relationships of a match, each of which stands for one place of the pattern only.
pub(super) type Used = Vec<i64>;

/// What may be asked of a node's filter: `(what is on the node's side, the other side, many, left)`.
struct Sought<'e> {
    of: &'e Expr,
    wanted: &'e Expr,
    filter: usize,
    left: bool,
    many: bool,
}

fn sought(filters: &[Expr]) -> Vec<Sought<'_>> {
    let mut out = Vec::new();
    for (filter, expr) in filters.iter().enumerate() {
        match &expr.kind {
            Kind::Compare(first, rest) => {
                if let [(Comparison::Equal, second)] = &rest[..] {
                    out.push(Sought { of: first, wanted: second, filter, left: false, many: false });
                    out.push(Sought { of: second, wanted: first, filter, left: true, many: false });
                }
            }
            Kind::In(item, list) => {
                out.push(Sought { of: item, wanted: list, filter, left: false, many: true });
            }
            _ => {}
        }
    }
    out
}

fn slot_of(expr: &Expr) -> Option<Slot> {
    match expr.kind {
        Kind::Slot(slot) => Some(slot),
        _ => None,
    }
}

struct Planning<'p> {
    matched: &'p Match,
    unknown: HashSet<Slot>,
    steps: Vec<Step>,
    relationships_done: Vec<bool>,
    paths_done: Vec<bool>,
    properties: Vec<(bool, usize, usize)>,
    filters: Vec<usize>,
}

impl Planning<'_> {
    fn is_known(&self, expr: &Expr) -> bool {
        let mut known = true;
        expr.slots(&mut |it| known &= !self.unknown.contains(&it));
        known
    }

    fn node_known(&self, node: usize) -> bool {
        !self.unknown.contains(&self.matched.nodes[node].slot)
    }

    fn relationship_known(&self, relationship: usize) -> bool {
        !self.unknown.contains(&self.matched.relationships[relationship].slot)
    }

    /// Everything that can be tested or built by now.
    fn settle(&mut self) {
        for (index, path) in self.matched.paths.iter().enumerate() {
            let whole = path.relationships.iter().all(|it| self.relationships_done[*it])
                && self.node_known(path.start);
            if whole && !self.paths_done[index] {
                self.paths_done[index] = true;
                if let Some(slot) = path.slot {
                    self.steps.push(Step::Path(index));
                    self.unknown.remove(&slot);
                }
            }
        }
        let matched = self.matched;
        let (ready, waiting) =
            std::mem::take(&mut self.properties).into_iter().partition(|(node, index, property)| {
                let (slot, expr) = if *node {
                    (matched.nodes[*index].slot, &matched.nodes[*index].properties[*property].1)
                } else {
                    (
                        matched.relationships[*index].slot,
                        &matched.relationships[*index].properties[*property].1,
                    )
                };
                !self.unknown.contains(&slot) && self.is_known(expr)
            });
        self.properties = waiting;
        let ready: Vec<(bool, usize, usize)> = ready;
        self.steps.extend(ready.into_iter().map(|(node, index, property)| Step::Property {
            node,
            index,
            property,
        }));
        let (ready, waiting): (Vec<usize>, Vec<usize>) = std::mem::take(&mut self.filters)
            .into_iter()
            .partition(|it| self.is_known(&matched.filters[*it]));
        self.filters = waiting;
        self.steps.extend(ready.into_iter().map(Step::Filter));
    }

    fn learn_node(&mut self, node: usize) {
        self.unknown.remove(&self.matched.nodes[node].slot);
    }
}

impl Run<'_> {
    pub(crate) fn matches(&self, matched: &Match, row: &mut Row, sink: &mut Sink<'_>) -> Result<Flow> {
        let prepared = self.prepared(matched)?;
        let mut found = false;
        let mut flow = ControlFlow::Continue(());
        if !prepared.impossible {
            let mut used = Used::new();
            flow = self.walk(&prepared, matched, 0, row, &mut used, &mut |row| {
                found = true;
                sink(row)
            })?;
        }
        if matched.optional && !found {
            for slot in &matched.introduced {
                grown(row, *slot)[*slot] = Value::Null;
            }
            return sink(row);
        }
        Ok(flow)
    }

    fn prepared(&self, matched: &Match) -> Result<Rc<Prepared>> {
        let address = std::ptr::from_ref(matched).addr();
        if let Some(found) = self.prepared.borrow().get(&address) {
            return Ok(found.clone());
        }
        let prepared = Rc::new(self.prepare(matched)?);
        self.prepared.borrow_mut().insert(address, prepared.clone());
        Ok(prepared)
    }

    fn prepare(&self, matched: &Match) -> Result<Prepared> {
        let at = matched.at;
        let mut impossible = false;
        let mut labels = Vec::new();
        for node in &matched.nodes {
            let groups = self.known_labels(&node.labels, at)?;
            impossible |= groups.iter().any(Vec::is_empty);
            labels.push(groups);
        }
        let mut kinds = Vec::new();
        for relationship in &matched.relationships {
            let mut found = Vec::new();
            for name in &relationship.types {
                found.extend(self.kind(name, at)?);
            }
            let may_be_empty = relationship.length.is_some_and(|(least, _)| least == 0);
            if found.is_empty() && !relationship.types.is_empty() {
                impossible |= !may_be_empty;
                // A number that no type has: a path of length 0 is all that there can be.
                found.push(TypeId(u32::MAX));
            }
            kinds.push(found);
        }
        let nodes = matched.nodes.iter().filter(|it| !it.bound).map(|it| it.slot);
        let edges = matched.relationships.iter().filter(|it| !it.bound).map(|it| it.slot);
        let of_nodes = matched.nodes.iter().enumerate().map(|(index, it)| (true, index, it.properties.len()));
        let of_edges =
            matched.relationships.iter().enumerate().map(|(index, it)| (false, index, it.properties.len()));
        let mut planning = Planning {
            matched,
            unknown: nodes.chain(edges).chain(matched.paths.iter().filter_map(|it| it.slot)).collect(),
            steps: Vec::new(),
            relationships_done: vec![false; matched.relationships.len()],
            paths_done: vec![false; matched.paths.len()],
            properties: of_nodes
                .chain(of_edges)
                .flat_map(|(node, index, count)| (0..count).map(move |property| (node, index, property)))
                .collect(),
            filters: (0..matched.filters.len()).collect(),
        };
        let bound = matched.nodes.iter().enumerate().filter(|it| it.1.bound);
        planning.steps.extend(bound.map(|(index, _)| Step::Known(index)));
        planning.settle();
        while self.plan_next(&mut planning, &labels, &kinds)? {
            planning.settle();
        }
        let steps = planning.steps;
        Ok(Prepared { steps, labels, kinds, impossible })
    }

    /// The next part of the pattern; `false`: there is none left.
    fn plan_next(
        &self,
        planning: &mut Planning<'_>,
        labels: &[Vec<Vec<LabelId>>],
        kinds: &[Vec<TypeId>],
    ) -> Result<bool> {
        let matched = planning.matched;
        let mut best: Option<((u8, u64), usize)> = None;
        for (index, it) in matched.relationships.iter().enumerate() {
            if planning.relationships_done[index] {
                continue;
            }
            let (left, right) = (planning.node_known(it.left), planning.node_known(it.right));
            let rank = if it.shortest {
                if !(left && right) {
                    continue;
                }
                3
            } else if planning.relationship_known(index) && (it.length.is_none() || left || right) {
                0
            } else if left && right {
                if it.length.is_some() { 4 } else { 1 }
            } else if left || right {
                if it.length.is_some() { 5 } else { 2 }
            } else {
                continue;
            };
            let count = if rank == 2 {
                self.graph.edge_count(&kinds[index]).map_err(self.failed(matched.at))?
            } else {
                0
            };
            if best.is_none_or(|(known, _)| (rank, count) < known) {
                best = Some(((rank, count), index));
            }
        }
        if let Some((_, index)) = best {
            let it = &matched.relationships[index];
            let (left_known, right_known) = (planning.node_known(it.left), planning.node_known(it.right));
            planning.relationships_done[index] = true;
            if it.shortest {
                let path =
                    matched.paths.iter().position(|path| path.relationships.contains(&index)).unwrap_or(0);
                planning.steps.push(Step::Shortest(path));
                // It builds its path itself.
                planning.paths_done[path] = true;
                if let Some(slot) = matched.paths[path].slot {
                    planning.unknown.remove(&slot);
                }
            } else if planning.relationship_known(index) {
                planning.steps.push(Step::Bound { relationship: index, left_known, right_known });
            } else {
                let (from, to) = if left_known { (it.left, it.right) } else { (it.right, it.left) };
                let to_known = left_known && right_known;
                planning.steps.push(Step::Expand { relationship: index, from, to, to_known });
            }
            planning.unknown.remove(&it.slot);
            planning.learn_node(it.left);
            planning.learn_node(it.right);
            return Ok(true);
        }
        let mut start: Option<(u64, usize, Source)> = None;
        for node in (0..matched.nodes.len()).filter(|it| !planning.node_known(*it)) {
            let (count, source) = self.source(planning, node, &labels[node])?;
            if start.as_ref().is_none_or(|known| count < known.0) {
                start = Some((count, node, source));
            }
        }
        if let Some((_, node, source)) = start {
            planning.steps.push(Step::Scan(node, source));
            planning.learn_node(node);
            return Ok(true);
        }
        Ok(false)
    }

    /// The smallest set of nodes that holds all that this one can be.
    fn source(&self, planning: &Planning<'_>, node: usize, groups: &[Vec<LabelId>]) -> Result<(u64, Source)> {
        let matched = planning.matched;
        let failed = self.failed(matched.at);
        let slot = matched.nodes[node].slot;
        let mut groups = groups.to_vec();
        for filter in &matched.filters {
            if let Kind::HasLabels(of, labels) = &filter.kind
                && slot_of(of) == Some(slot)
            {
                groups.extend(self.known_labels(labels, matched.at)?);
            }
        }
        let mut best = (self.graph.node_count(None).map_err(&failed)?, Source::All);
        let mut labels = vec![vec![None]];
        for group in groups {
            let mut count = 0;
            for label in &group {
                count += self.graph.node_count(Some(*label)).map_err(&failed)?;
            }
            labels.push(group.iter().copied().map(Some).collect());
            if count <= best.0 {
                best = (count, Source::AnyLabel(group));
            }
        }
        let filters = sought(&matched.filters);
        let ids = filters.iter().filter(|it| match &it.of.kind {
            Kind::Call(function, arguments) => {
                function.name == "id"
                    && arguments.first().and_then(slot_of) == Some(slot)
                    && planning.is_known(it.wanted)
            }
            _ => false,
        });
        for it in ids {
            best = (1, Source::Id(Wanted::Filter { filter: it.filter, left: it.left, many: it.many }));
        }
        let inline = matched.nodes[node].properties.iter().enumerate();
        let inline = inline
            .filter(|it| planning.is_known(&it.1.1))
            .map(|(index, it)| (&it.0, Wanted::Property(index)));
        let outer = filters.iter().filter_map(|it| match &it.of.kind {
            Kind::Property(of, key) if slot_of(of) == Some(slot) && planning.is_known(it.wanted) => {
                Some((key, Wanted::Filter { filter: it.filter, left: it.left, many: it.many }))
            }
            _ => None,
        });
        for (key, value) in inline.chain(outer) {
            for labels in &labels {
                let mut count = Some(0);
                for label in labels {
                    let found = self.graph.nodes_per_value(*label, key).map_err(&failed)?;
                    count = count.zip(found).map(|(a, b)| a + b);
                }
                if let Some(count) = count.filter(|it| *it < best.0) {
                    best = (count, Source::Index { labels: labels.clone(), key: key.clone(), value });
                }
            }
        }
        Ok(best)
    }

    fn known_labels(&self, labels: &Labels, at: usize) -> Result<Vec<Vec<LabelId>>> {
        let mut groups = Vec::new();
        for group in labels {
            let mut known = Vec::new();
            for name in group {
                known.extend(self.label(name, at)?);
            }
            groups.push(known);
        }
        Ok(groups)
    }

    pub(super) fn has_labels(&self, node: NodeId, groups: &[Vec<LabelId>], at: usize) -> Result<bool> {
        for group in groups {
            let mut found = false;
            for label in group {
                found = found || self.graph.has_label(node, *label).map_err(self.failed(at))?;
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn walk(
        &self,
        prepared: &Prepared,
        matched: &Match,
        index: usize,
        row: &mut Row,
        used: &mut Used,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let Some(step) = prepared.steps.get(index) else { return sink(row) };
        let go_on = ControlFlow::Continue(());
        match step {
            Step::Known(node) => {
                let Some(id) = node_in(row, matched.nodes[*node].slot, matched.at)? else {
                    return Ok(go_on);
                };
                if !self.has_labels(id, &prepared.labels[*node], matched.at)? {
                    return Ok(go_on);
                }
                self.walk(prepared, matched, index + 1, row, used, sink)
            }
            Step::Scan(node, source) => self.scan(prepared, matched, *node, source, row, &mut |row| {
                self.walk(prepared, matched, index + 1, row, used, sink)
            }),
            Step::Expand { relationship, from, to, to_known } => {
                let Some(start) = node_in(row, matched.nodes[*from].slot, matched.at)? else {
                    return Ok(go_on);
                };
                let expand = Expand {
                    relationship: *relationship,
                    from: *from,
                    to: *to,
                    start,
                    wanted: if *to_known { node_in(row, matched.nodes[*to].slot, matched.at)? } else { None },
                };
                if *to_known && expand.wanted.is_none() {
                    return Ok(go_on);
                }
                if matched.relationships[*relationship].length.is_some() {
                    return self.expand_long(prepared, matched, &expand, row, used, &mut |row, used| {
                        self.walk(prepared, matched, index + 1, row, used, sink)
                    });
                }
                self.expand(prepared, matched, &expand, row, used, &mut |row, used| {
                    self.walk(prepared, matched, index + 1, row, used, sink)
                })
            }
            Step::Bound { relationship, left_known, right_known } => {
                let known = (*left_known, *right_known);
                self.bound(prepared, matched, *relationship, known, row, used, &mut |row, used| {
                    self.walk(prepared, matched, index + 1, row, used, sink)
                })
            }
            Step::Shortest(path) => self.shortest(prepared, matched, *path, row, &mut |row| {
                self.walk(prepared, matched, index + 1, row, used, sink)
            }),
            Step::Path(path) => {
                let path = &matched.paths[*path];
                let Some(slot) = path.slot else {
                    return self.walk(prepared, matched, index + 1, row, used, sink);
                };
                let Some(built) = path_in(matched, path, row)? else { return Ok(go_on) };
                grown(row, slot)[slot] = Value::Path(std::sync::Arc::new(built));
                let flow = self.walk(prepared, matched, index + 1, row, used, sink)?;
                row[slot] = Value::Null;
                Ok(flow)
            }
            Step::Property { node, index: of, property } => {
                let (slot, (key, expr)) = if *node {
                    (matched.nodes[*of].slot, &matched.nodes[*of].properties[*property])
                } else {
                    (matched.relationships[*of].slot, &matched.relationships[*of].properties[*property])
                };
                let wanted = self.eval(expr, row)?;
                let holder = row.get(slot).cloned().unwrap_or(Value::Null);
                if !self.has_property(&holder, key, &wanted, expr.at)? {
                    return Ok(go_on);
                }
                self.walk(prepared, matched, index + 1, row, used, sink)
            }
            Step::Filter(filter) => {
                if self.eval(&matched.filters[*filter], row)? != Value::Boolean(true) {
                    return Ok(go_on);
                }
                self.walk(prepared, matched, index + 1, row, used, sink)
            }
        }
    }

    /// Of every relationship, where it is a list.
    pub(super) fn has_property(&self, holder: &Value, key: &str, wanted: &Value, at: usize) -> Result<bool> {
        let element = match holder {
            Value::Node(it) => Element::Node(*it),
            Value::Relationship(it) => Element::Edge(*it),
            Value::List(list) => {
                for item in list.items() {
                    if !self.has_property(item, key, wanted, at)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let found = self.graph.property(element, key).map_err(self.failed(at))?;
        Ok(found.equals(wanted) == Some(true))
    }

    fn scan(
        &self,
        prepared: &Prepared,
        matched: &Match,
        node: usize,
        source: &Source,
        row: &mut Row,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        let at = matched.at;
        let slot = matched.nodes[node].slot;
        let wanted = |it: &Wanted, row: &mut Row| {
            let (expr, many) = match it {
                Wanted::Property(index) => (&matched.nodes[node].properties[*index].1, false),
                Wanted::Filter { filter, left, many } => match &matched.filters[*filter].kind {
                    Kind::Compare(first, rest) => (if *left { &**first } else { &rest[0].1 }, *many),
                    Kind::In(_, list) => (&**list, *many),
                    _ => (&matched.filters[*filter], *many),
                },
            };
            let value = self.eval(expr, row)?;
            Ok::<_, Error>(match value {
                Value::List(items) if many => distinct(items.items()),
                single if many => distinct(&[single]),
                single => vec![single],
            })
        };
        let values = match source {
            Source::Index { value, .. } | Source::Id(value) => wanted(value, row)?,
            _ => Vec::new(),
        };
        let mut outcome = Ok(ControlFlow::Continue(()));
        let mut visit = |id: NodeId, skip: &[LabelId]| -> Flow {
            outcome = (|| {
                self.step(at)?;
                for label in skip {
                    if self.graph.has_label(id, *label).map_err(self.failed(at))? {
                        return Ok(ControlFlow::Continue(()));
                    }
                }
                if !self.has_labels(id, &prepared.labels[node], at)? {
                    return Ok(ControlFlow::Continue(()));
                }
                grown(row, slot)[slot] = Value::Node(id);
                next(row)
            })();
            match outcome {
                Ok(flow) => flow,
                Err(_) => ControlFlow::Break(()),
            }
        };
        match source {
            Source::All => self.graph.nodes(None, &mut |id| visit(id, &[])).map_err(self.failed(at))?,
            Source::AnyLabel(labels) => {
                for (index, label) in labels.iter().enumerate() {
                    let mut ended = false;
                    // A node with two of the labels was met under the first of them.
                    let mut each = |id| {
                        let flow = visit(id, &labels[..index]);
                        ended = flow.is_break();
                        flow
                    };
                    self.graph.nodes(Some(*label), &mut each).map_err(self.failed(at))?;
                    if ended {
                        break;
                    }
                }
            }
            Source::Index { labels, key, .. } => {
                // An index does not hold what is no plain value: every node is looked at, once.
                let plain = values.iter().all(is_plain);
                let asked: Vec<Option<&Value>> = if plain {
                    values.iter().filter(|it| !it.is_null()).map(Some).collect()
                } else {
                    vec![None]
                };
                'asked: for value in asked {
                    for (index, label) in labels.iter().enumerate() {
                        let before: Vec<LabelId> = labels[..index].iter().flatten().copied().collect();
                        let mut ended = false;
                        let mut each = |id| {
                            let flow = visit(id, &before);
                            ended = flow.is_break();
                            flow
                        };
                        let told = match value {
                            None => self.graph.nodes(*label, &mut each),
                            Some(value) => self.graph.nodes_by_property(*label, key, value, &mut each),
                        };
                        told.map_err(self.failed(at))?;
                        if ended {
                            break 'asked;
                        }
                    }
                }
            }
            Source::Id(_) => {
                for value in &values {
                    let id = match value {
                        Value::Integer(it) => NodeId(*it),
                        Value::Float(it) => match crate::value::exact_integer(*it) {
                            Some(it) => NodeId(it),
                            None => continue,
                        },
                        _ => continue,
                    };
                    if self.graph.has_node(id).map_err(self.failed(at))? && visit(id, &[]).is_break() {
                        break;
                    }
                }
            }
        }
        grown(row, slot)[slot] = Value::Null;
        outcome
    }
}

fn is_plain(value: &Value) -> bool {
    !matches!(
        value,
        Value::List(_) | Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_)
    )
}

/// Each value once, so that no row comes twice.
fn distinct(values: &[Value]) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.iter().filter(|it| seen.insert(super::key_of(std::slice::from_ref(it)))).cloned().collect()
}

/// The node in a slot; null matches nothing.
pub(super) fn node_in(row: &Row, slot: Slot, at: usize) -> Result<Option<NodeId>> {
    match row.get(slot) {
        Some(Value::Node(it)) => Ok(Some(*it)),
        None | Some(Value::Null) => Ok(None),
        Some(it) => {
            let message = format!("a node is expected in the pattern, not {}", it.type_name());
            Err(Error::typed(Code::InvalidArgumentType, at, message))
        }
    }
}
