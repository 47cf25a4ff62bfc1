//! A graph of 100,000 nodes: what is asked of one node does not depend on how many others there are.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, clippy::disallowed_types, reason = "tests")]

use std::io::Write as _;
use std::time::Instant;

use hostler_cypher::{Map, Options, Query, Value, memory::Graph};

const NODES: usize = 100_000;

#[test]
fn two_hops_look_at_what_is_near() {
    let mut graph = Graph::new();
    graph.index("F", "name");
    let nodes: Vec<_> = (0..NODES)
        .map(|it| graph.add_node(&["F"], Map::from([("name".into(), Value::from(format!("f{it}")))])))
        .collect();
    for (index, from) in nodes.iter().enumerate() {
        for step in [7, 4_099, 50_021] {
            graph.add_edge(*from, nodes[(index + step) % NODES], "CALLS", Map::new());
        }
    }
    let parameters = Map::from([("name".into(), Value::from("f500"))]);
    for (text, rows, steps_max) in [
        ("MATCH (a:F {name: $name})-[:CALLS]->(b)-[:CALLS]->(c) RETURN c.name", 9, 60),
        ("MATCH (c)<-[:CALLS]-(b)<-[:CALLS]-(a:F) WHERE a.name = $name RETURN c.name", 9, 60),
        ("MATCH (c)-[:CALLS*1..3]->(a:F {name: $name}) RETURN DISTINCT c.name", 19, 300),
        (
            "MATCH p = shortestPath((a:F {name: $name})-[:CALLS*]->(b:F {name: 'f4606'})) RETURN length(p)",
            1,
            200,
        ),
        ("MATCH (a)-[:CALLS]->(b)-[:CALLS]->(c) RETURN a, c LIMIT 10", 10, 60),
    ] {
        let query = Query::parse(text).unwrap();
        let started = Instant::now();
        let answer = query.run(&graph, &Options::new(&parameters)).unwrap();
        let took = started.elapsed();
        writeln!(std::io::stderr(), "{took:?}, {} steps: {text}", answer.steps).unwrap();
        assert_eq!(answer.rows.len(), rows, "{text}");
        assert!(answer.steps <= steps_max, "{} steps: {text}", answer.steps);
    }
    let query = Query::parse(
        "MATCH (a:F)-[:CALLS]->(b) RETURN b.name, count(*) AS c ORDER BY c DESC, b.name LIMIT 3",
    )
    .unwrap();
    let started = Instant::now();
    let answer = query.run(&graph, &Options::new(&parameters)).unwrap();
    writeln!(std::io::stderr(), "{:?}, {} steps: all callees counted", started.elapsed(), answer.steps)
        .unwrap();
    assert_eq!(answer.rows.len(), 3);
}
