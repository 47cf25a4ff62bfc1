//! From a node along its relationships: one, many, or those that are known already.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::matching::{Prepared, Used, node_in};
use super::{Result, Row, Run, grown};
use crate::ast::{Arrow, Name, Selection};
use crate::graph::{Direction, Edge, Flow, NodeId, TypeId};
use crate::plan::{Match, Slot};
use crate::value::{Path, Value};

/// One relationship of a pattern, from a node that is known.
pub(super) struct Expand {
    pub(super) relationship: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) start: NodeId,
    /// The node at the other end, where it is known.
    pub(super) wanted: Option<NodeId>,
}

type Next<'n> = dyn FnMut(&mut Row, &mut Used) -> Result<Flow> + 'n;

/// Which way a relationship is followed from one of its ends.
pub(super) fn direction(arrow: Arrow, from_left: bool) -> Direction {
    match (arrow, from_left) {
        (Arrow::Both, _) => Direction::Both,
        (Arrow::Right, true) | (Arrow::Left, false) => Direction::Outgoing,
        (Arrow::Right, false) | (Arrow::Left, true) => Direction::Incoming,
    }
}

impl Run<'_> {
    /// The relationships of a node, with an error or an end in the midst of them.
    pub(super) fn each_edge(
        &self,
        node: NodeId,
        way: Direction,
        kinds: &[TypeId],
        at: usize,
        each: &mut dyn FnMut(Edge) -> Result<Flow>,
    ) -> Result<Flow> {
        let mut outcome = Ok(ControlFlow::Continue(()));
        let told = self.graph.edges(node, way, kinds, &mut |edge| {
            outcome = self.step(at).and_then(|()| each(edge));
            match outcome {
                Ok(flow) => flow,
                Err(_) => ControlFlow::Break(()),
            }
        });
        told.map_err(self.failed(at))?;
        outcome
    }

    pub(super) fn expand(
        &self,
        prepared: &Prepared,
        matched: &Match,
        expand: &Expand,
        row: &mut Row,
        used: &mut Used,
        next: &mut Next<'_>,
    ) -> Result<Flow> {
        let relationship = &matched.relationships[expand.relationship];
        let way = direction(relationship.arrow, expand.from == relationship.left);
        let (slot, end) = (relationship.slot, matched.nodes[expand.to].slot);
        let flow = self.each_edge(
            expand.start,
            way,
            &prepared.kinds[expand.relationship],
            matched.at,
            &mut |edge| {
                let other = edge.other(expand.start);
                if used.contains(&edge.id) || expand.wanted.is_some_and(|it| it != other) {
                    return Ok(ControlFlow::Continue(()));
                }
                if expand.wanted.is_none() {
                    if !self.has_labels(other, &prepared.labels[expand.to], matched.at)? {
                        return Ok(ControlFlow::Continue(()));
                    }
                    grown(row, end)[end] = Value::Node(other);
                }
                grown(row, slot)[slot] = Value::Relationship(edge);
                used.push(edge.id);
                let flow = next(row, used);
                used.pop();
                flow
            },
        )?;
        grown(row, slot)[slot] = Value::Null;
        if expand.wanted.is_none() {
            grown(row, end)[end] = Value::Null;
        }
        Ok(flow)
    }

    /// Depth first with a stack of its own: paths may be as long as the graph is large.
    pub(super) fn expand_long(
        &self,
        prepared: &Prepared,
        matched: &Match,
        expand: &Expand,
        row: &mut Row,
        used: &mut Used,
        next: &mut Next<'_>,
    ) -> Result<Flow> {
        let relationship = &matched.relationships[expand.relationship];
        let at = matched.at;
        let (least, most) = relationship.length.unwrap_or((1, 1));
        let from_left = expand.from == relationship.left;
        let way = direction(relationship.arrow, from_left);
        let (slot, end) = (relationship.slot, matched.nodes[expand.to].slot);
        // Properties that can be computed before are tested on the way, so that no hopeless path grows.
        let tested = self.early_properties(matched, expand.relationship, row)?;
        let mut path: Vec<Edge> = Vec::new();
        let base = used.len();
        let neighbours = |node: NodeId, used: &Used| -> Result<Vec<Edge>> {
            let mut out = Vec::new();
            let _whole =
                self.each_edge(node, way, &prepared.kinds[expand.relationship], at, &mut |edge| {
                    if used.contains(&edge.id) {
                        return Ok(ControlFlow::Continue(()));
                    }
                    for (key, wanted) in &tested {
                        if !self.has_property(&Value::Relationship(edge), key, wanted, at)? {
                            return Ok(ControlFlow::Continue(()));
                        }
                    }
                    out.push(edge);
                    Ok(ControlFlow::Continue(()))
                })?;
            self.fits(out.len() * std::mem::size_of::<Edge>(), at)?;
            // The last comes off the stack first.
            out.reverse();
            Ok(out)
        };
        let mut give = |node: NodeId, path: &[Edge], row: &mut Row, used: &mut Used| -> Result<Flow> {
            if (path.len() as u64) < least || expand.wanted.is_some_and(|it| it != node) {
                return Ok(ControlFlow::Continue(()));
            }
            if expand.wanted.is_none() {
                if !self.has_labels(node, &prepared.labels[expand.to], at)? {
                    return Ok(ControlFlow::Continue(()));
                }
                grown(row, end)[end] = Value::Node(node);
            }
            let edges = path.iter().copied().map(Value::Relationship);
            let list = if from_left { edges.collect() } else { edges.rev().collect() };
            self.work(path.len() as u64, at)?;
            grown(row, slot)[slot] = Value::list(list);
            next(row, used)
        };
        let mut flow = give(expand.start, &path, row, used)?;
        let mut stack = Vec::new();
        if flow.is_continue() && most > 0 {
            stack.push((expand.start, neighbours(expand.start, used)?));
        }
        while let Some((node, edges)) = stack.last_mut() {
            let Some(edge) = edges.pop() else {
                stack.pop();
                if path.pop().is_some() {
                    used.pop();
                }
                continue;
            };
            let other = edge.other(*node);
            path.push(edge);
            used.push(edge.id);
            flow = give(other, &path, row, used)?;
            if flow.is_break() {
                break;
            }
            if (path.len() as u64) < most {
                // A path as long as this is walked along for every relationship: that is work too.
                self.work(1 + used.len() as u64 / 64, at)?;
                stack.push((other, neighbours(other, used)?));
            } else {
                path.pop();
                used.pop();
            }
        }
        used.truncate(base);
        grown(row, slot)[slot] = Value::Null;
        if expand.wanted.is_none() {
            grown(row, end)[end] = Value::Null;
        }
        Ok(flow)
    }

    /// Properties of a relationship pattern whose values do not depend on what it finds.
    pub(super) fn early_properties<'m>(
        &self,
        matched: &'m Match,
        relationship: usize,
        row: &mut Row,
    ) -> Result<Vec<(&'m Name, Value)>> {
        let own: HashSet<Slot> = matched.introduced.iter().copied().collect();
        let mut out = Vec::new();
        for (key, expr) in &matched.relationships[relationship].properties {
            let mut free = true;
            expr.slots(&mut |it| free &= !own.contains(&it));
            if free {
                out.push((key, self.eval(expr, row)?));
            }
        }
        Ok(out)
    }

    /// Relationships that are known already: do they lie as the pattern says?
    #[expect(clippy::too_many_arguments, reason = "the pattern, its place in it, the row, what goes on")]
    pub(super) fn bound(
        &self,
        prepared: &Prepared,
        matched: &Match,
        index: usize,
        known: (bool, bool),
        row: &mut Row,
        used: &mut Used,
        next: &mut Next<'_>,
    ) -> Result<Flow> {
        let at = matched.at;
        let relationship = &matched.relationships[index];
        let edges: Vec<Edge> = match row.get(relationship.slot) {
            Some(Value::Relationship(it)) if relationship.length.is_none() => vec![*it],
            Some(Value::List(list)) if relationship.length.is_some() => {
                let edges = list.items().iter().map(|it| match it {
                    Value::Relationship(it) => Some(*it),
                    _ => None,
                });
                match edges.collect::<Option<_>>() {
                    Some(edges) => edges,
                    None => return Ok(ControlFlow::Continue(())),
                }
            }
            _ => return Ok(ControlFlow::Continue(())),
        };
        let kinds = &prepared.kinds[index];
        let in_length =
            relationship.length.is_none_or(|(least, most)| (least..=most).contains(&(edges.len() as u64)));
        let of_kind = edges.iter().all(|it| kinds.is_empty() || kinds.contains(&it.kind));
        let fresh = edges.iter().enumerate().all(|(place, it)| {
            !used.contains(&it.id) && !edges[..place].iter().any(|before| before.id == it.id)
        });
        if !in_length || !of_kind || !fresh {
            return Ok(ControlFlow::Continue(()));
        }
        let (left, right) = (matched.nodes[relationship.left].slot, matched.nodes[relationship.right].slot);
        let mut starts = Vec::new();
        match edges.first() {
            Some(first) => {
                starts.extend((relationship.arrow != Arrow::Left).then_some(first.from));
                starts.extend((relationship.arrow != Arrow::Right).then_some(first.to));
                starts.dedup();
            }
            None => starts.extend(node_in(row, if known.0 { left } else { right }, at)?),
        }
        let count = used.len();
        let mut flow = ControlFlow::Continue(());
        for start in starts {
            let Some(end) = along(start, &edges, relationship.arrow) else { continue };
            let fits = |slot: Slot, is_known: bool, node: NodeId, row: &Row| {
                !is_known || matches!(row.get(slot), Some(Value::Node(it)) if *it == node)
            };
            let same = left != right || start == end;
            if !same || !fits(left, known.0, start, row) || !fits(right, known.1, end, row) {
                continue;
            }
            if !known.0 && !self.has_labels(start, &prepared.labels[relationship.left], at)?
                || !known.1 && !self.has_labels(end, &prepared.labels[relationship.right], at)?
            {
                continue;
            }
            grown(row, left)[left] = Value::Node(start);
            grown(row, right)[right] = Value::Node(end);
            used.extend(edges.iter().map(|it| it.id));
            flow = next(row, used)?;
            used.truncate(count);
            if !known.0 {
                row[left] = Value::Null;
            }
            if !known.1 {
                row[right] = Value::Null;
            }
            if flow.is_break() {
                break;
            }
        }
        Ok(flow)
    }
}

/// Where relationships lead to, one after the other; `None` where they do not meet.
fn along(start: NodeId, edges: &[Edge], arrow: Arrow) -> Option<NodeId> {
    edges.iter().try_fold(start, |node, edge| match arrow {
        Arrow::Right => (edge.from == node).then_some(edge.to),
        Arrow::Left => (edge.to == node).then_some(edge.from),
        Arrow::Both => (edge.from == node || edge.to == node).then(|| edge.other(node)),
    })
}

/// A named path, from what its pattern found; null where a part of it is null.
pub(super) fn path_in(matched: &Match, path: &crate::plan::Path, row: &Row) -> Result<Option<Path>> {
    debug_assert!(path.selection == Selection::All, "shortest paths are built where they are found");
    let Some(mut node) = node_in(row, matched.nodes[path.start].slot, matched.at)? else {
        return Ok(None);
    };
    let mut out = Path { nodes: vec![node], edges: Vec::new() };
    for index in &path.relationships {
        let edges = match row.get(matched.relationships[*index].slot) {
            Some(Value::Relationship(it)) => vec![*it],
            Some(Value::List(list)) => list
                .items()
                .iter()
                .filter_map(|it| if let Value::Relationship(it) = it { Some(*it) } else { None })
                .collect(),
            _ => return Ok(None),
        };
        for edge in edges {
            node = edge.other(node);
            out.edges.push(edge);
            out.nodes.push(node);
        }
    }
    Ok(Some(out))
}
