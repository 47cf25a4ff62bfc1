//! Answers, plans and errors of single queries.

#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_cypher::{Answer, Code, Map, NodeId, Options, Query, Value, memory::Graph};

fn map(entries: &[(&str, Value)]) -> Map {
    entries.iter().map(|(key, value)| ((*key).into(), value.clone())).collect()
}

/// A file with two functions; `run` is called by 200 others, which call nothing else.
fn code() -> Graph {
    let mut graph = Graph::new();
    graph.index("Function", "name");
    graph.index("File", "path");
    graph.index("File", "name");
    let file = graph.add_node(&["File"], map(&[("path", "src/main.rs".into())]));
    let function = |graph: &mut Graph, name: &str, line: i64| {
        graph.add_node(&["Function"], map(&[("name", name.into()), ("line", line.into())]))
    };
    let main = function(&mut graph, "main", 1);
    let run = function(&mut graph, "run", 10);
    let stop = function(&mut graph, "stop", 20);
    for (of, line) in [(main, 1), (run, 10)] {
        graph.add_edge(file, of, "DEFINES", map(&[("line", Value::Integer(line))]));
    }
    graph.add_edge(main, run, "CALLS", Map::new());
    graph.add_edge(run, stop, "CALLS", Map::new());
    graph.add_edge(main, stop, "CALLS", Map::new());
    for number in 0..200 {
        let caller = function(&mut graph, &format!("caller{number}"), number);
        graph.add_edge(caller, run, "CALLS", Map::new());
    }
    graph
}

fn ask(graph: &Graph, query: &str) -> Answer {
    let parameters = map(&[
        ("name", "run".into()),
        ("names", Value::list(vec!["run".into(), "run".into(), "stop".into()])),
    ]);
    let query = Query::parse(query).unwrap_or_else(|error| panic!("{error}\n{}", error.caret()));
    query.run(graph, &Options::new(&parameters)).unwrap_or_else(|error| panic!("{error}\n{}", error.caret()))
}

#[track_caller]
fn check(query: &str, expected: &str) {
    let graph = code();
    let answer = ask(&graph, query);
    let rows: Vec<String> = answer
        .rows
        .iter()
        .map(|row| row.iter().map(|it| it.to_text(&graph).unwrap()).collect::<Vec<_>>().join(", "))
        .collect();
    assert_eq!(rows.join("; "), expected, "{query}");
}

#[test]
fn answers() {
    check(
        "MATCH (f:File {path: 'src/main.rs'})-[d:DEFINES]->(n) RETURN n.name, d.line ORDER BY d.line",
        "'main', 1; 'run', 10",
    );
    check("MATCH (f)<-[:CALLS]-(c) WHERE f.name = $name RETURN count(c)", "201");
    check("MATCH (f:Function) WHERE f.name IN $names RETURN f.name ORDER BY f.name", "'run'; 'stop'");
    check(
        "MATCH (a:Function {name: 'main'})-[:CALLS*1..2]->(b) RETURN b.name ORDER BY b.name",
        "'run'; 'stop'; 'stop'",
    );
    check("MATCH (a:Function|File) RETURN count(a)", "204");
    check("MATCH (f:Function) WHERE f.name IN [['run'], 'run', ['stop']] RETURN f.name", "'run'");
    check("MATCH (f:Function) WHERE f.name IN ['run', null] RETURN f.name", "'run'");
    check("MATCH (f:Function|File)-->(a)-->(b) WHERE f.path = 'src/main.rs' RETURN count(*)", "3");
    check(
        "MATCH (n) WHERE n:File OR n.name = 'stop' RETURN labels(n) ORDER BY labels(n)",
        "['File']; ['Function']",
    );
    check(
        "MATCH (a {name: 'main'}) RETURN a {.name, .line, calls: [(a)-[:CALLS]->(b) | b.name]} AS m",
        "{calls: ['run', 'stop'], line: 1, name: 'main'}",
    );
    check(
        "MATCH (a {name: 'main'}) RETURN COUNT { (a)-[:CALLS]->() } AS c, COUNT { MATCH (a)-->(b) WHERE b.line > 10 RETURN b } AS d",
        "2, 1",
    );
    check(
        "MATCH (n:Function) WHERE NOT EXISTS { (n)<-[:CALLS]-() } AND n.line < 2 RETURN n.name ORDER BY n.name",
        "'caller0'; 'caller1'; 'main'",
    );
    check("OPTIONAL MATCH (n:Missing) RETURN n", "null");
    check(
        "MATCH (start {name: 'main'})-[:CALLS]->(end) RETURN end.name AS order ORDER BY order DESC LIMIT 1",
        "'stop'",
    );
    check(
        "MATCH (a:File|Function {line: 1})-[:CALLS]->(b)-[:CALLS]->(c) RETURN a.name, c.name ORDER BY a.name LIMIT 1",
        "'caller1', 'stop'",
    );
    check(
        "RETURN [x IN [1, 2] WHERE x > 1 | x], [1 IN [1], 2], [x IN [1] | CASE x WHEN 1 THEN 'one' END]",
        "[2], [true, 2], ['one']",
    );
    check("WITH 1 AS x RETURN [x IN [1], x = 1], (x) - (x), -x, - 2 ^ 2", "[true, true], 0, -1, 4.0");
    check("MATCH (n) WHERE id(n) = 1 RETURN n.name", "'main'");
    check("MATCH (n) WHERE id(n) IN [1, 1, 2, 9999] RETURN n.name", "'main'; 'run'");
    check("RETURN 1 AS a UNION RETURN 1 AS a UNION RETURN 2 AS a", "1; 2");
    check("RETURN 7 / 2, 7 % -3, 2 ^ 3, -7 / 2, 1 + 1.5, 'a' + 1", "3, 1, 8.0, -3, 2.5, 'a1'");
    check(
        "RETURN null = null, null <> 1, 1 = 1.0, [1, null] = [1, 2], [null] = [1, 2], 'a' < 'b'",
        "null, null, true, null, false, true",
    );
    check("RETURN 'src/main.rs' =~ '.*[.]rs', 'a' =~ 'aa'", "true, false");
    check("UNWIND [3, null, 1, 'a', true, 2.5] AS x RETURN x ORDER BY x DESC", "null; 3; 2.5; 1; true; 'a'");
    check("UNWIND range(1, 10) AS x WITH x ORDER BY x DESC SKIP 2 LIMIT 3 RETURN collect(x)", "[8, 7, 6]");
    check(
        "RETURN round(-1.5), round(2.5), round(1.25, 1), toInteger('12.9'), toInteger('x'), substring('hello', 1, 3)",
        "-1.0, 3.0, 1.3, 12, null, 'ell'",
    );
    check(
        "RETURN duration({days: 1.5}), date('2026-12-01') + duration('P1M'), datetime('2026-12-01T10:00[Europe/Berlin]')",
        "'P1DT12H', '2027-01-01', '2026-12-01T10:00+01:00[Europe/Berlin]'",
    );
}

/// The queries that the documents of the harness show.
#[test]
fn documented_queries() {
    let mut graph = Graph::new();
    let file = graph.add_node(
        &["File"],
        map(&[("path", "a.py".into()), ("language", "python".into()), ("line_count", 3.into())]),
    );
    let class = graph.add_node(&["Class"], map(&[("name", "TraceabilityModule".into())]));
    let method = graph.add_node(&["Method"], map(&[("name", "trace".into())]));
    let spec = graph.add_node(&["Spec"], map(&[("id", "001".into()), ("title", "One".into())]));
    let requirement =
        graph.add_node(&["Requirement"], map(&[("id", "FR-1".into()), ("text", "must".into())]));
    graph.add_edge(file, class, "DEFINES_CLASS", Map::new());
    graph.add_edge(class, method, "DEFINES_METHOD", Map::new());
    graph.add_edge(spec, requirement, "DEFINES_REQUIREMENT", Map::new());
    let parameters = map(&[("path", "a.py".into()), ("spec_id", "001".into())]);
    for (query, expected) in [
        ("MATCH (f:File) RETURN f.path, f.language ORDER BY f.line_count DESC LIMIT 10", "'a.py', 'python'"),
        (
            "MATCH (c:Class)-[:DEFINES_METHOD]->(m:Method) WHERE c.name = 'TraceabilityModule' RETURN m.name",
            "'trace'",
        ),
        (
            "MATCH (s:Spec {id: '001'})-[:DEFINES_REQUIREMENT]->(r:Requirement) RETURN r.id, r.text",
            "'FR-1', 'must'",
        ),
        ("MATCH (n) RETURN count(n) as count", "5"),
        ("MATCH (f:File {path: $path}) RETURN f.path, f.line_count, f.language", "'a.py', 3, 'python'"),
        (
            "MATCH (s:Spec {id: $spec_id})-[:DEFINES_REQUIREMENT]->(r:Requirement)\nRETURN r.id, r.text ORDER BY r.id",
            "'FR-1', 'must'",
        ),
        ("MATCH (s:Spec) RETURN s.id, s.title ORDER BY s.id", "'001', 'One'"),
    ] {
        let answer = Query::parse(query).unwrap().run(&graph, &Options::new(&parameters)).unwrap();
        let row: Vec<_> = answer.rows[0].iter().map(|it| it.to_text(&graph).unwrap()).collect();
        assert_eq!((answer.rows.len(), row.join(", ").as_str()), (1, expected), "{query}");
    }
}

#[test]
fn values_as_json() {
    let mut graph = Graph::new();
    let a = graph.add_node(&["A", "B"], map(&[("k", "\"\\\n\u{1}ä".into())]));
    graph.add_edge(a, a, "R", Map::new());
    let answer = ask(
        &graph,
        "MATCH p = (a)-[r]->() RETURN a, r, p, [1, 2.0, null, true, 0.0 / 0.0, 1e300], {d: date('2026-12-01')}",
    );
    let row: Vec<_> = answer.rows[0].iter().map(|it| it.to_json(&graph).unwrap()).collect();
    let node = r#"{"id":0,"labels":["A","B"],"properties":{"k":"\"\\\n\u0001ä"}}"#;
    let edge = r#"{"id":0,"type":"R","start":0,"end":0,"properties":{}}"#;
    let path = format!(r#"{{"nodes":[{node},{node}],"relationships":[{edge}]}}"#);
    assert_eq!(row, [node, edge, &path, r#"[1,2.0,null,true,"NaN",1.0E300]"#, r#"{"d":"2026-12-01"}"#]);
}

#[test]
fn shortest_paths() {
    let query = |which: &str| {
        format!(
            "MATCH (a {{name: 'main'}}), (b {{name: 'stop'}}) MATCH p = {which}((a)-[:CALLS*]->(b)) RETURN length(p)"
        )
    };
    check(&query("shortestPath"), "1");
    check(
        "MATCH p = shortestPath((:File)-[*..5]->(b {name: 'stop'})) RETURN [n IN nodes(p) | n.name], length(p)",
        "[null, 'main', 'stop'], 2",
    );
    check(
        "MATCH p = allShortestPaths((:File)-[*]->(b {name: 'stop'})) RETURN [n IN nodes(p) | n.name] AS names ORDER BY names",
        "[null, 'main', 'stop']; [null, 'run', 'stop']",
    );
    check(
        "MATCH (a {name: 'stop'}), (b {name: 'main'}) OPTIONAL MATCH p = shortestPath((a)-[:CALLS*]->(b)) RETURN p",
        "null",
    );
    check("MATCH (a {name: 'stop'}) MATCH p = shortestPath((a)-[*]-(a)) RETURN p", "");
}

/// Whatever way a pattern is written, the search starts at the index.
#[test]
fn patterns_start_at_the_smallest_side() {
    let graph = code();
    let steps = |query: &str| ask(&graph, query).steps;
    for (one, other) in [
        (
            "MATCH (c)-[:CALLS]->(f:Function {name: 'stop'}) RETURN c.name",
            "MATCH (f:Function {name: 'stop'})<-[:CALLS]-(c) RETURN c.name",
        ),
        (
            "MATCH (c)-[:CALLS*1..3]->(f:Function) WHERE f.name = 'stop' RETURN c.name",
            "MATCH (f:Function)<-[:CALLS*1..3]-(c) WHERE 'stop' = f.name RETURN c.name",
        ),
        ("MATCH (n)<-[:DEFINES]-(f:File) RETURN n", "MATCH (f:File)-[:DEFINES]->(n) RETURN n"),
        (
            "MATCH (a)-->(b), (c:File {path: 'src/main.rs'})-->(a) RETURN b",
            "MATCH (c:File {path: 'src/main.rs'})-->(a)-->(b) RETURN b",
        ),
        (
            "MATCH (a)-[:DEFINES]->(b)-[:CALLS]->(c) RETURN c",
            "MATCH (c)<-[:CALLS]-(b)<-[:DEFINES]-(a) RETURN c",
        ),
    ] {
        assert_eq!(ask(&graph, one).rows.len(), ask(&graph, other).rows.len());
        let (a, b) = (steps(one), steps(other));
        assert!(a <= 2 * b && b <= 2 * a, "{a} and {b} steps: {one}");
    }
    assert!(steps("MATCH (c)-[:CALLS]->(f:Function {name: 'stop'}) RETURN c.name") < 10);
    assert!(steps("MATCH (f:File|Function {name: 'stop'})<-[:CALLS]-(c) RETURN c.name") < 10);
    assert!(steps("MATCH (n) RETURN n LIMIT 3") < 10);
    assert!(steps("MATCH (n)-->(m) WITH n LIMIT 1 RETURN n") < 10);
    assert!(steps("MATCH (n:Function) WHERE EXISTS { (n)<-[:CALLS]-() } RETURN n LIMIT 1") < 20);
    assert!(steps("UNWIND $names AS name MATCH (f:Function {name: name}) RETURN f") < 20);
}

#[track_caller]
fn wrong(query: &str, code: Code, place: (usize, usize), message: &str) {
    let error =
        Query::parse(query).and_then(|it| it.run(&code_less(), &Options::new(&Map::new()))).unwrap_err();
    assert_eq!((error.code(), (error.line(), error.column())), (code, place), "{error}");
    assert!(error.message().contains(message), "{error}");
}

fn code_less() -> Graph {
    let mut graph = Graph::new();
    assert_eq!(graph.add_node(&["A"], map(&[("k", 1.into())])), NodeId(0));
    graph
}

#[test]
fn errors_say_what_and_where() {
    wrong("MATCH (n)\nRETURN m.name", Code::UndefinedVariable, (2, 8), "`m` is no variable here");
    wrong("MATCH (n) RETURN lenght(n)", Code::UnknownFunction, (1, 18), "did you mean `length`?");
    wrong("MATCH (n) RETURN n.name AS x, 1 AS x", Code::ColumnNameConflict, (1, 31), "`x`");
    wrong("CREATE (n) RETURN n", Code::WriteRefused, (1, 1), "CREATE is refused");
    wrong("MATCH (n)\nSET n.x = 1\nRETURN n", Code::WriteRefused, (2, 1), "SET is refused");
    wrong("MATCH (n) DETACH DELETE n", Code::WriteRefused, (1, 11), "DETACH is refused");
    wrong("MERGE (n:A) RETURN n", Code::WriteRefused, (1, 1), "MERGE is refused");
    wrong("CALL db.labels() YIELD label RETURN label", Code::ProcedureNotFound, (1, 6), "no procedures");
    wrong("MATCH (n) RETURN $missing", Code::MissingParameter, (1, 18), "`$missing`");
    wrong("MATCH (n) RETURN 1 / (n.k - 1)", Code::InvalidArgumentValue, (1, 18), "zero");
    wrong("MATCH (n", Code::UnexpectedSyntax, (1, 9), "`)` is expected here, not the end");
    wrong("", Code::UnexpectedSyntax, (1, 1), "empty");
    wrong(
        "MATCH (n) WHERE n.k = 'ä' AND RETURN n",
        Code::UnexpectedSyntax,
        (1, 31),
        "an expression is expected here, not `RETURN`",
    );
}

#[test]
fn a_caret_stands_below_the_place() {
    let error = Query::parse("MATCH (n)\n\tRETURN 'ä', m.name").unwrap_err();
    assert_eq!(error.caret(), "\tRETURN 'ä', m.name\n\t            ^");
    let long = format!("RETURN {} + m", ["1"; 30].join(" + "));
    let error = Query::parse(&long).unwrap_err();
    let caret = error.caret();
    let (line, below) = caret.split_once('\n').unwrap();
    assert_eq!(line.chars().nth(below.chars().count() - 1), Some('m'));
    assert!(line.chars().count() <= 100);
}
