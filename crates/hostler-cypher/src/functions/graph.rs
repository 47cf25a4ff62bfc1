//! Of nodes, relationships, paths and maps.

use std::sync::Arc;

use super::{Function, Tag, function, refused, size_integer};
use crate::run::{Result, Run};
use crate::value::Value;

const ELEMENT: &[Tag] = &[Tag::Node, Tag::Relationship];
const HOLDER: &[Tag] = &[Tag::Node, Tag::Relationship, Tag::Map];

pub(super) const FUNCTIONS: &[Function] = &[
    function("id", 1, 1, ELEMENT, Tag::Integer, id),
    function("elementId", 1, 1, ELEMENT, Tag::String, element_id),
    function("labels", 1, 1, &[Tag::Node], Tag::Strings, labels),
    function("type", 1, 1, &[Tag::Relationship], Tag::String, kind),
    function("properties", 1, 1, HOLDER, Tag::Map, properties),
    function("keys", 1, 1, HOLDER, Tag::Strings, keys),
    function("startNode", 1, 1, &[Tag::Relationship], Tag::Node, start_node),
    function("endNode", 1, 1, &[Tag::Relationship], Tag::Node, end_node),
    function("nodes", 1, 1, &[Tag::Path], Tag::Nodes, nodes),
    function("relationships", 1, 1, &[Tag::Path], Tag::Edges, relationships),
    function("rels", 1, 1, &[Tag::Path], Tag::Edges, relationships),
    function("length", 1, 1, &[Tag::Path], Tag::Integer, length),
];

fn id(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Node(it) => Value::Integer(it.0),
        Value::Relationship(it) => Value::Integer(it.id),
        it => return Err(refused("id", it, at)),
    })
}

fn element_id(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Node(it) => Value::from(it.0.to_string()),
        Value::Relationship(it) => Value::from(it.id.to_string()),
        it => return Err(refused("elementId", it, at)),
    })
}

fn labels(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let node = match &arguments[0] {
        Value::Null => return Ok(Value::Null),
        Value::Node(it) => *it,
        it => return Err(refused("labels", it, at)),
    };
    let mut out = Vec::new();
    for label in run.graph.labels(node).map_err(run.failed(at))? {
        out.push(Value::String(run.graph.label_name(label).map_err(run.failed(at))?));
    }
    Ok(Value::list(out))
}

fn kind(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Relationship(it) => {
            Value::String(run.graph.relationship_type_name(it.kind).map_err(run.failed(at))?)
        }
        it => return Err(refused("type", it, at)),
    })
}

fn properties(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(run.properties(&arguments[0], at)?.map_or(Value::Null, Value::map))
}

fn keys(run: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let Some(found) = run.properties(&arguments[0], at)? else { return Ok(Value::Null) };
    Ok(Value::list(found.into_keys().map(Value::String).collect()))
}

fn start_node(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Relationship(it) => Value::Node(it.from),
        it => return Err(refused("startNode", it, at)),
    })
}

fn end_node(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(match &arguments[0] {
        Value::Null => Value::Null,
        Value::Relationship(it) => Value::Node(it.to),
        it => return Err(refused("endNode", it, at)),
    })
}

fn path<'v>(name: &str, value: &'v Value, at: usize) -> Result<Option<&'v Arc<crate::value::Path>>> {
    match value {
        Value::Null => Ok(None),
        Value::Path(it) => Ok(Some(it)),
        it => Err(refused(name, it, at)),
    }
}

fn nodes(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let path = path("nodes", &arguments[0], at)?;
    Ok(path.map_or(Value::Null, |it| Value::list(it.nodes.iter().copied().map(Value::Node).collect())))
}

fn relationships(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    let path = path("relationships", &arguments[0], at)?;
    Ok(path
        .map_or(Value::Null, |it| Value::list(it.edges.iter().copied().map(Value::Relationship).collect())))
}

fn length(_: &Run<'_>, arguments: &[Value], at: usize) -> Result<Value> {
    Ok(path("length", &arguments[0], at)?.map_or(Value::Null, |it| size_integer(it.edges.len())))
}
