//! Values as JSON, for programs.

use std::fmt::Write;

use crate::graph::{Edge, Element, Failure, Graph, NodeId};
use crate::value::{Map, Value};

/// Nodes are `{"id", "labels", "properties"}`, relationships `{"id", "type", "start", "end", "properties"}`, paths
/// `{"nodes", "relationships"}`; temporal values and numbers that JSON has no form for are strings.
pub(crate) fn write_value(value: &Value, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(it) => out.push_str(if *it { "true" } else { "false" }),
        Value::Integer(it) => out.push_str(&it.to_string()),
        Value::Float(it) if it.is_finite() => out.push_str(&crate::value::float_text(*it)),
        Value::Float(it) => string(&crate::value::float_text(*it), out),
        Value::String(it) => string(it, out),
        Value::Temporal(it) => string(&it.to_string(), out),
        Value::List(it) => list(it.items(), graph, out)?,
        Value::Map(it) => map(it.entries(), graph, out)?,
        Value::Node(it) => node(*it, graph, out)?,
        Value::Relationship(it) => edge(*it, graph, out)?,
        Value::Path(it) => {
            let nodes: Vec<_> = it.nodes.iter().copied().map(Value::Node).collect();
            let edges: Vec<_> = it.edges.iter().copied().map(Value::Relationship).collect();
            out.push_str("{\"nodes\":");
            list(&nodes, graph, out)?;
            out.push_str(",\"relationships\":");
            list(&edges, graph, out)?;
            out.push('}');
        }
    }
    Ok(())
}

fn list(items: &[Value], graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        write_value(item, graph, out)?;
    }
    out.push(']');
    Ok(())
}

fn map(entries: &Map, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push('{');
    for (index, (key, value)) in entries.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        string(key, out);
        out.push(':');
        write_value(value, graph, out)?;
    }
    out.push('}');
    Ok(())
}

fn node(node: NodeId, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push_str("{\"id\":");
    out.push_str(&node.0.to_string());
    out.push_str(",\"labels\":[");
    for (index, label) in graph.labels(node)?.into_iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        string(&graph.label_name(label)?, out);
    }
    out.push_str("],\"properties\":");
    map(&graph.properties(Element::Node(node))?, graph, out)?;
    out.push('}');
    Ok(())
}

fn edge(edge: Edge, graph: &dyn Graph, out: &mut String) -> Result<(), Failure> {
    out.push_str("{\"id\":");
    out.push_str(&edge.id.to_string());
    out.push_str(",\"type\":");
    string(&graph.relationship_type_name(edge.kind)?, out);
    // Writing to a string does not fail.
    let _written = write!(out, ",\"start\":{},\"end\":{},\"properties\":", edge.from.0, edge.to.0);
    map(&graph.properties(Element::Edge(edge))?, graph, out)?;
    out.push('}');
    Ok(())
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string does not fail.
            it if u32::from(it) < 0x20 => {
                let _written = write!(out, "\\u{:04x}", u32::from(it));
            }
            it => out.push(it),
        }
    }
    out.push('"');
}
