//! Any query, any text: nothing panics, what is written is read back, limits hold.

#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_cypher::{Code, Limits, Map, Options, Query, Value, memory::Graph, parse};
use proptest::prelude::*;

fn graph() -> Graph {
    graph_with(&[("A", "k")])
}

fn graph_with(indexes: &[(&str, &str)]) -> Graph {
    let mut graph = Graph::new();
    for (label, key) in indexes {
        graph.index(label, key);
    }
    let nodes: Vec<_> = (0..6)
        .map(|it| {
            let properties =
                Map::from([("k".into(), Value::Integer(it)), ("name".into(), Value::from(format!("n{it}")))]);
            graph.add_node(if it % 2 == 0 { &["A"] } else { &["B"] }, properties)
        })
        .collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3), (4, 5), (0, 2)] {
        graph.add_edge(nodes[from], nodes[to], if (from + to) % 2 == 0 { "R" } else { "S" }, Map::new());
    }
    graph
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|it| it.to_string()),
        (-1e6..1e6_f64).prop_map(|it| format!("{it:?}")),
        "[a-z ']{0,4}".prop_map(|it| format!("'{}'", it.replace('\'', "\\'"))),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("n".to_owned()),
        Just("n.k".to_owned()),
        Just("n.name".to_owned()),
        Just("$p".to_owned()),
        Just("size([(n)-[:R]->(m) | m.k])".to_owned()),
        Just("exists((n)-->())".to_owned()),
        Just("COUNT { (n)--(x) WHERE x.k > 1 }".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let binary = prop_oneof![
            Just("+"),
            Just("-"),
            Just("*"),
            Just("/"),
            Just("%"),
            Just("^"),
            Just("="),
            Just("<>"),
            Just("<"),
            Just(">="),
            Just("AND"),
            Just("OR"),
            Just("XOR"),
            Just("IN"),
            Just("STARTS WITH"),
            Just("CONTAINS"),
        ];
        prop_oneof![
            (inner.clone(), binary, inner.clone()).prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            inner.clone().prop_map(|a| format!("NOT ({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a}) IS NOT NULL")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}][({b})]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{x: {a}, `y z`: {b}}}.x")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[x IN [{a}, 1] WHERE x = 1 | {b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("CASE WHEN {a} THEN {b} ELSE 0 END")),
            inner.clone().prop_map(|a| format!("reduce(t = 0, x IN [1, 2] | t + {a})")),
            inner.clone().prop_map(|a| format!("any(x IN [1, {a}] WHERE x = 2)")),
            inner.prop_map(|a| format!("coalesce({a}, toString(1))")),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    let pattern = prop_oneof![
        Just("(n:A)"),
        Just("(n {k: 2})"),
        Just("(n)-[r:R]->(m)"),
        Just("(n)<-[:R|S*1..3]-(m:B)"),
        Just("p = (n)-[*0..2]-(m)"),
        Just("(n:A|B)--(m)--(n)"),
        Just("p = shortestPath((n:A)-[*..4]-(m:B))"),
    ];
    let tail = prop_oneof![Just(""), Just(" LIMIT 3"), Just(" SKIP 1 LIMIT 2")];
    (pattern, expression(), expression(), tail, any::<bool>(), any::<bool>()).prop_map(
        |(pattern, filter, item, tail, optional, distinct)| {
            let optional = if optional { "OPTIONAL " } else { "" };
            let distinct = if distinct { "DISTINCT " } else { "" };
            format!("{optional}MATCH {pattern} WHERE {filter} WITH {distinct}n, {item} AS v RETURN v, count(*) AS c ORDER BY c{tail}")
        },
    )
}

/// Nodes and relationships in a row, each with one of some conditions.
fn pattern() -> impl Strategy<Value = (Vec<String>, Vec<(String, String)>)> {
    let node = prop_oneof![
        Just(""),
        Just(":A"),
        Just(":B"),
        Just(":A|B"),
        Just(" {k: 2}"),
        Just(":A {k: 2}"),
        Just(":A|B {name: 'n1'}"),
    ];
    // What stands to the left and to the right of the arrow, and the same from the other side.
    let edge = prop_oneof![
        Just(("-->", "<--")),
        Just(("<--", "-->")),
        Just(("--", "--")),
        Just(("-[:R]->", "<-[:R]-")),
        Just(("-[:R|S]-", "-[:R|S]-")),
        Just(("-[*0..2]->", "<-[*0..2]-")),
        Just(("<-[:S*1..3]-", "-[:S*1..3]->")),
        Just(("-[*2]-", "-[*2]-")),
    ];
    proptest::collection::vec((node, edge), 1..4).prop_map(|parts| {
        let names = ["a", "b", "c", "d"];
        let nodes = parts.iter().zip(names).map(|((node, _), name)| format!("({name}{node})")).collect();
        (nodes, parts.iter().skip(1).map(|it| (it.1.0.to_owned(), it.1.1.to_owned())).collect())
    })
}

fn limits() -> Limits {
    Limits { rows_max: 1_000, steps_max: 100_000, memory_bytes_max: 1 << 20 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(text in query()) {
        let tree = parse(&text);
        prop_assert!(tree.is_ok(), "{tree:?}: {text}");
        let tree = tree.unwrap();
        let written = tree.to_string();
        let again = parse(&written);
        prop_assert_eq!(again.as_ref().map_err(|it| format!("{it:?}: {written}")), Ok(&tree));
    }

    #[test]
    fn a_query_answers_or_says_what_is_wrong(text in query()) {
        let graph = graph();
        let parameters = Map::from([("p".into(), Value::Integer(1))]);
        let options = Options { limits: limits(), ..Options::new(&parameters) };
        match Query::parse(&text).and_then(|it| it.run(&graph, &options)) {
            Ok(answer) => prop_assert!(answer.rows.iter().all(|it| it.len() == answer.columns.len())),
            Err(error) => {
                prop_assert!(!error.message().is_empty());
                prop_assert!(error.caret().ends_with('^'));
            }
        }
    }

    /// Neither an index nor the side that a pattern is written from changes what is found.
    #[test]
    fn plans_do_not_change_answers(
        (nodes, edges) in pattern(),
        filter in prop_oneof![
            Just("true"), Just("a.k = 2"), Just("a.k IN [0, 2, 2, 4]"), Just("a.name = 'n3' OR a:A"), Just("id(a) IN [1, 2, 2]"),
            Just("2 = a.k AND a:A"), Just("NOT (a)-->()"), Just("a.k IN [[1], 2]"), Just("EXISTS { (a)--(x) WHERE x.k > a.k }"),
        ],
    ) {
        let forward: String = nodes[0].clone() + &nodes[1..].iter().zip(&edges).map(|(node, edge)| edge.0.clone() + node).collect::<String>();
        let mut backward = nodes[nodes.len() - 1].clone();
        for index in (1..nodes.len()).rev() {
            backward += &edges[index - 1].1;
            backward += &nodes[index - 1];
        }
        let plain = graph_with(&[]);
        let indexed = graph_with(&[("A", "k"), ("B", "k"), ("A", "name"), ("B", "name")]);
        let parameters = Map::new();
        let mut answers = Vec::new();
        for (graph, pattern) in [(&plain, &forward), (&plain, &backward), (&indexed, &forward), (&indexed, &backward)] {
            let query = format!("MATCH {pattern} WHERE {filter} RETURN *");
            let answer = Query::parse(&query).unwrap().run(graph, &Options::new(&parameters)).unwrap();
            let mut rows: Vec<String> = answer.rows.iter().map(|row| format!("{row:?}")).collect();
            rows.sort();
            answers.push(rows);
        }
        prop_assert!(answers.windows(2).all(|it| it[0] == it[1]), "{forward} {backward} {filter}: {answers:#?}");
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\u{e4}\u{2014}\n]{0,60}") {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(error.line() <= 1 + text.matches('\n').count());
        }
    }

    #[test]
    fn pieces_of_queries_are_read_or_refused(words in proptest::collection::vec(prop_oneof![
        Just("MATCH"), Just("RETURN"), Just("WITH"), Just("WHERE"), Just("("), Just(")"), Just("["), Just("]"), Just("{"), Just("}"),
        Just("-"), Just("->"), Just("<-"), Just("n"), Just(":A"), Just("1"), Just("*"), Just(".."), Just(","), Just("AS"), Just("."),
        Just("'x'"), Just("$p"), Just("UNWIND"), Just("ORDER BY"), Just("UNION"), Just("CASE"), Just("WHEN"), Just("END"), Just("IN"),
        Just("count(*)"), Just("EXISTS"), Just("NOT"), Just("="), Just("|"), Just("CREATE"), Just("0x"), Just("1.5e3"),
    ], 0..24)) {
        let text = words.join(" ");
        if let Ok(tree) = parse(&text) {
            prop_assert_eq!(parse(&tree.to_string()), Ok(tree));
        }
        let _refused_or_not = Query::parse(&text);
    }
}

#[track_caller]
fn refused(text: &str, code: Code) {
    let parameters = Map::new();
    let options = Options { limits: limits(), ..Options::new(&parameters) };
    let error = Query::parse(text).and_then(|it| it.run(&graph(), &options)).unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
}

#[test]
fn deep_queries_are_refused_before_the_stack_ends() {
    for depth in [200, 5_000, 30_000] {
        for (open, middle, close) in [
            ("(", "1", ")"),
            ("[", "", "]"),
            ("{a:", "1", "}"),
            ("NOT ", "true", ""),
            ("- ", "1", ""),
            ("size(", "[]", ")"),
        ] {
            let text = format!("RETURN {}{middle}{} AS x", open.repeat(depth), close.repeat(depth));
            if let Err(error) = Query::parse(&text) {
                assert!(matches!(error.code(), Code::LimitReached), "{open} {depth}: {error:?}");
            }
        }
        refused(&format!("RETURN 1{} AS x", " + 1".repeat(depth)), Code::LimitReached);
        refused(&format!("RETURN [1]{} AS x", "[0]".repeat(depth)), Code::LimitReached);
    }
    let nested = |depth: usize| {
        format!(
            "MATCH (n) WHERE {}true{} RETURN count(n)",
            "EXISTS { MATCH (n) WHERE ".repeat(depth),
            " }".repeat(depth)
        )
    };
    refused(&nested(60), Code::LimitReached);
    let deepest = (1..60).rev().map(nested).find(|it| parse(it).is_ok()).unwrap();
    assert_eq!(run(&deepest), "[[6]]");
    assert_eq!(run(&format!("{}RETURN count(*)", "MATCH (n:A) WHERE n.k = 0 ".repeat(99))), "[[1]]");
    let chain: String = (0..98).map(|it| format!("WITH * UNWIND [{it}] AS v{it} ")).take(49).collect();
    assert_eq!(run(&format!("{chain}RETURN v48")), "[[48]]");
    assert_eq!(run(&format!("MATCH (n){} RETURN count(*)", "-->()".repeat(100))), "[[0]]");
    let joined: Vec<String> = (0..100).map(|it| format!("(a{it} {{k: 0}})")).collect();
    assert_eq!(run(&format!("MATCH {} RETURN count(*)", joined.join(", "))), "[[1]]");
    let wide = format!("RETURN 1 = 0{} AS x", " OR 1 = 0".repeat(400));
    assert_eq!(run(&wide), "[[false]]");
    refused(&format!("MATCH (n){} RETURN n", "-->()".repeat(200)), Code::LimitReached);
    refused(&format!("{} RETURN 1", "WITH 1 AS a ".repeat(200)), Code::LimitReached);
}

fn run(text: &str) -> String {
    let graph = graph();
    let parameters = Map::new();
    let answer = Query::parse(text).unwrap().run(&graph, &Options::new(&parameters)).unwrap();
    let rows: Vec<Vec<String>> =
        answer.rows.iter().map(|row| row.iter().map(|it| it.to_text(&graph).unwrap()).collect()).collect();
    format!("{rows:?}").replace('"', "")
}

#[test]
fn whatever_grows_is_stopped() {
    refused("UNWIND range(1, 1000000000) AS x RETURN sum(x)", Code::LimitReached);
    refused("RETURN reduce(s = 'ab', x IN range(1, 60) | s + s) AS s", Code::LimitReached);
    refused("RETURN reduce(s = [], x IN range(1, 1000) | [s]) AS s", Code::LimitReached);
    refused("RETURN reduce(s = {}, x IN range(1, 1000) | {a: s}) AS s", Code::LimitReached);
    refused("RETURN reduce(s = [1], x IN range(1, 60) | s + s) AS s", Code::LimitReached);
    refused("MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*)", Code::LimitReached);
    refused(
        "UNWIND range(1, 20000) AS x WITH collect(toString(x)) AS l UNWIND l AS y RETURN collect(l + y)",
        Code::LimitReached,
    );
}

#[test]
fn extremes_are_values_or_errors() {
    let largest = i64::MAX;
    let far = [
        "date('-999999999-01-01')",
        "date('+999999999-12-31')",
        "datetime({year: 999999999})",
        "localdatetime({year: -999999999})",
        "localtime('23:59:59.999999999')",
        "time('00:00+18:00')",
    ];
    let amounts: Vec<String> = ["months", "days", "seconds", "hours", "nanoseconds", "years", "weeks"]
        .iter()
        .flat_map(|it| {
            [
                format!("duration({{{it}: {largest}}})"),
                format!("duration({{{it}: -{largest}}})"),
                format!("duration({{{it}: 1e300}})"),
            ]
        })
        .collect();
    let mut queries: Vec<String> = ["millennium", "weekYear", "quarter", "week", "day", "microsecond"]
        .iter()
        .flat_map(|unit| far.iter().map(move |it| format!("datetime.truncate('{unit}', {it})")))
        .collect();
    for time in far {
        queries.extend(amounts.iter().flat_map(|it| [format!("{time} + {it}"), format!("{time} - {it}")]));
        queries.extend(far.iter().map(|it| format!("duration.between({time}, {it})")));
        queries.extend(far.iter().map(|it| format!("duration.inDays({time}, {it}).days")));
        queries.extend(
            ["epochMillis", "epochSeconds", "week", "nanosecond", "timezone"]
                .iter()
                .map(|it| format!("{time}.{it}")),
        );
    }
    for amount in &amounts {
        queries.extend([
            format!("{amount} * 1e18"),
            format!("-{amount}"),
            format!("{amount}.nanoseconds"),
            format!("toString({amount})"),
        ]);
        queries.extend(amounts.iter().map(|it| format!("{amount} + {it}")));
        queries.extend(amounts.iter().map(|it| format!("[{amount}] = [{it}] OR {amount} < {it}")));
    }
    queries.extend([
        format!("datetime.fromepoch({largest}, {largest})"),
        format!("datetime.fromepochmillis(-{largest})"),
        format!("range({largest} - 2, {largest})"),
        format!("range(-{largest}, {largest}, {largest})"),
        format!("[1, 2][-{largest}] + [1, 2][{largest}]"),
        format!("[1, 2][-{largest}..{largest}]"),
        format!("substring('abc', {largest}, {largest}) + left('abc', {largest}) + right('abc', {largest})"),
        format!("abs(-{largest} - 1)"),
        format!("-(-{largest} - 1)"),
        format!("(-{largest} - 1) / -1"),
        format!("(-{largest} - 1) % -1"),
        format!("round(1e308, 300) + round({largest}.5)"),
        "toInteger(1e300) + toInteger('1e300')".to_owned(),
        "duration('P99999999999999999999Y') IS NULL".to_owned(),
        "date({year: 2015, week: 53, dayOfWeek: 7})".to_owned(),
        "datetime({year: 2017, timezone: 'Nowhere/At_all'})".to_owned(),
    ]);
    let parameters = Map::new();
    let graph = graph();
    for query in queries {
        let text = format!("RETURN {query} AS x");
        let answer = Query::parse(&text).and_then(|it| it.run(&graph, &Options::new(&parameters)));
        for value in answer.iter().flat_map(|it| it.rows.iter().flatten()) {
            assert!(!value.to_text(&graph).unwrap().is_empty());
        }
    }
}

#[test]
fn a_caller_can_stop_a_query() {
    let parameters = Map::new();
    let options = Options { cancelled: &|| true, ..Options::new(&parameters) };
    let query = Query::parse("UNWIND range(1, 100000) AS x RETURN count(x)").unwrap();
    assert_eq!(query.run(&graph(), &options).unwrap_err().code(), Code::Cancelled);
}

#[test]
fn rows_beyond_the_limit_are_left_out() {
    let parameters = Map::new();
    let limits = Limits { rows_max: 3, ..Limits::default() };
    let options = Options { limits, ..Options::new(&parameters) };
    let answer = Query::parse("UNWIND range(1, 5) AS x RETURN x").unwrap().run(&graph(), &options).unwrap();
    assert_eq!((answer.rows.len(), answer.truncated), (3, true));
}

#[test]
fn long_paths_do_not_need_stack() {
    let mut graph = Graph::new();
    let mut last = graph.add_node(&["S"], Map::new());
    for _ in 0..3_000 {
        let next = graph.add_node(&[], Map::new());
        graph.add_edge(last, next, "N", Map::new());
        last = next;
    }
    let parameters = Map::new();
    let answer = Query::parse("MATCH (:S)-[r:N*]->(m) RETURN max(size(r))").unwrap();
    let answer = answer.run(&graph, &Options::new(&parameters)).unwrap();
    assert_eq!(answer.rows, [[Value::Integer(3_000)]]);
}
