//! Any query: it is read or refused, what is written of it is read back as the same, and it answers within its limits or
//! says what is wrong.
#![no_main]

use hostler_cypher::{Limits, Map, Options, Query, Value, memory::Graph, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let tree = match parse(&text) {
        Ok(tree) => tree,
        Err(error) => {
            assert!((1..=1 + text.matches('\n').count()).contains(&error.line()));
            assert!(error.caret().ends_with('^'));
            return;
        }
    };
    let written = tree.to_string();
    // What is written has parentheses and quotes that the text had not, and may be too long or too deep.
    if let Ok(again) = parse(&written) {
        assert_eq!(tree, again, "{written}");
    }
    let Ok(query) = Query::parse(&text) else { return };
    let mut graph = Graph::new();
    graph.index("A", "k");
    let nodes: Vec<_> = (0..4)
        .map(|it| {
            graph.add_node(
                if it < 2 { &["A"] } else { &["B", "C"] },
                Map::from([("k".into(), Value::Integer(it))]),
            )
        })
        .collect();
    for (from, to, kind) in [(0, 1, "R"), (1, 2, "S"), (2, 0, "R"), (3, 3, "R"), (0, 2, "S")] {
        graph.add_edge(nodes[from], nodes[to], kind, Map::from([("k".into(), Value::from("x"))]));
    }
    let parameters = Map::from([("p".into(), Value::Integer(1))]);
    let limits = Limits { rows_max: 100, steps_max: 20_000, memory_bytes_max: 1 << 20 };
    let options = Options { limits, now_ns: Some(0), ..Options::new(&parameters) };
    if let Ok(answer) = query.run(&graph, &options) {
        assert!(answer.rows.len() <= 100 && answer.steps <= 20_000);
        for value in answer.rows.iter().flatten() {
            let _text = value.to_text(&graph);
        }
    }
});
