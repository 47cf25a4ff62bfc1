//! Shortest paths between two nodes: breadth first, each node once.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::expand::direction;
use super::matching::{Prepared, node_in};
use super::{Result, Row, Run, Sink, grown};
use crate::ast::{Name, Selection};
use crate::graph::{Edge, Element, Flow, NodeId};
use crate::plan::Match;
use crate::value::{Path, Value};

/// The relationships through which each node was reached first, all of the same length, and this length.
type Reached = HashMap<NodeId, (u64, Vec<Edge>)>;

impl Run<'_> {
    pub(super) fn shortest(
        &self,
        prepared: &Prepared,
        matched: &Match,
        path: usize,
        row: &mut Row,
        next: &mut Sink<'_>,
    ) -> Result<Flow> {
        let path = &matched.paths[path];
        let Some(index) = path.relationships.first().copied() else { return Ok(ControlFlow::Continue(())) };
        let relationship = &matched.relationships[index];
        let (least, most) = relationship.length.unwrap_or((1, 1));
        let at = matched.at;
        let left = node_in(row, matched.nodes[relationship.left].slot, at)?;
        let right = node_in(row, matched.nodes[relationship.right].slot, at)?;
        let (Some(left), Some(right)) = (left, right) else { return Ok(ControlFlow::Continue(())) };
        let mut found: Vec<Vec<Edge>> = Vec::new();
        if left == right {
            // There is a way back to a node, but it is no shortest path: that has no relationship at all.
            if least == 0 {
                found.push(Vec::new());
            }
        } else {
            let tested = self.early_properties(matched, index, row)?;
            let way = direction(relationship.arrow, true);
            let all = path.selection == Selection::AllShortest;
            let reached = self.reached(prepared, matched, index, (left, right), way, most, &tested)?;
            if let Some((length, _)) = reached.get(&right)
                && *length >= least
            {
                self.paths_back(&reached, left, right, all, at, &mut found)?;
            }
        }
        let mut flow = ControlFlow::Continue(());
        for edges in found {
            let list = edges.iter().copied().map(Value::Relationship).collect();
            let single = edges.first().copied().filter(|_| relationship.length.is_none());
            let value = single.map_or_else(|| Value::list(list), Value::Relationship);
            grown(row, relationship.slot)[relationship.slot] = value;
            if let Some(slot) = path.slot {
                let mut nodes = vec![left];
                for edge in &edges {
                    nodes.push(edge.other(nodes[nodes.len() - 1]));
                }
                grown(row, slot)[slot] = Value::Path(Arc::new(Path { nodes, edges }));
            }
            flow = next(row)?;
            if flow.is_break() {
                break;
            }
        }
        grown(row, relationship.slot)[relationship.slot] = Value::Null;
        if let Some(slot) = path.slot {
            grown(row, slot)[slot] = Value::Null;
        }
        Ok(flow)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a search is what it is: where, which way, how far, along what"
    )]
    fn reached(
        &self,
        prepared: &Prepared,
        matched: &Match,
        index: usize,
        (left, right): (NodeId, NodeId),
        way: crate::graph::Direction,
        most: u64,
        tested: &[(&Name, Value)],
    ) -> Result<Reached> {
        let at = matched.at;
        let mut reached = Reached::from([(left, (0, Vec::new()))]);
        let mut frontier = vec![left];
        let mut length = 0;
        while !frontier.is_empty() && length < most && !reached.contains_key(&right) {
            length += 1;
            let mut further = Vec::new();
            for node in frontier {
                let _whole = self.each_edge(node, way, &prepared.kinds[index], at, &mut |edge| {
                    for (key, wanted) in tested {
                        let found = self.graph.property(Element::Edge(edge), key).map_err(self.failed(at))?;
                        if found.equals(wanted) != Some(true) {
                            return Ok(ControlFlow::Continue(()));
                        }
                    }
                    let other = edge.other(node);
                    match reached.get_mut(&other) {
                        Some((known, edges)) if *known == length => edges.push(edge),
                        Some(_) => {}
                        None => {
                            self.fits(reached.len() * 96, at)?;
                            reached.insert(other, (length, vec![edge]));
                            further.push(other);
                        }
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
            }
            frontier = further;
        }
        Ok(reached)
    }

    /// Back from the end, depth first; one path, or all.
    fn paths_back(
        &self,
        reached: &Reached,
        left: NodeId,
        right: NodeId,
        all: bool,
        at: usize,
        out: &mut Vec<Vec<Edge>>,
    ) -> Result<()> {
        let mut path: Vec<Edge> = Vec::new();
        let into = |node: NodeId| reached.get(&node).map_or(&[][..], |it| &it.1);
        let mut stack = vec![(right, 0)];
        while let Some((node, place)) = stack.last_mut() {
            self.step(at)?;
            if *node == left {
                let mut found = path.clone();
                found.reverse();
                self.hold(found.len() * std::mem::size_of::<Edge>(), at)?;
                out.push(found);
                if !all {
                    return Ok(());
                }
                stack.pop();
                path.pop();
                continue;
            }
            let node = *node;
            if let Some(edge) = into(node).get(*place) {
                *place += 1;
                path.push(*edge);
                stack.push((edge.other(node), 0));
            } else {
                stack.pop();
                path.pop();
            }
        }
        Ok(())
    }
}
