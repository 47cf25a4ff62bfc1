//! The statements that make a scenario's graph: CREATE, and the clauses around it. The product refuses to write; so does
//! its parser, so each CREATE is read as the MATCH of the same patterns, and its properties by queries of their own.

use std::fmt::Write as _;

use hostler_cypher::ast::{Arrow, Clause, Expr, Name, NodePattern, PathPattern};
use hostler_cypher::{Edge, Graph as _, Map, NodeId, Options, Query, Value, memory::Graph};

/// Runs a statement; `Err` says what in it is not known here.
pub(crate) fn execute(graph: &mut Graph, statement: &str) -> Result<(), String> {
    let mut rows = vec![Map::new()];
    for (keyword, clause) in clauses(statement) {
        match keyword {
            "CREATE" => {
                for row in &mut rows {
                    create(graph, &clause, row)?;
                }
            }
            "MATCH" | "UNWIND" | "WITH" => rows = read_all(graph, &clause, &rows)?,
            "DELETE" => {
                for row in &rows {
                    for name in clause["DELETE".len()..].split(',') {
                        match row.get(name.trim()) {
                            Some(Value::Relationship(edge)) => graph.remove_edge(*edge),
                            _ => return Err(format!("what is deleted is no relationship: {clause}")),
                        }
                    }
                }
            }
            other => return Err(format!("{other} in the statement that makes the graph")),
        }
    }
    Ok(())
}

/// The statement cut before each keyword of a clause.
fn clauses(statement: &str) -> Vec<(&'static str, String)> {
    const KEYWORDS: [&str; 8] = ["CREATE", "MATCH", "UNWIND", "WITH", "DELETE", "MERGE", "SET", "RETURN"];
    let mut out: Vec<(&'static str, String)> = Vec::new();
    let (mut depth, mut quote) = (0, None);
    let mut word_before = false;
    for (at, letter) in statement.char_indices() {
        let starts_word = letter.is_alphabetic() && !word_before;
        word_before = letter.is_alphanumeric() || letter == '_';
        match (quote, letter) {
            (Some(open), it) if it == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        let word: String = statement[at..].chars().take_while(|it| it.is_alphabetic()).collect();
        if depth == 0
            && quote.is_none()
            && starts_word
            && let Some(keyword) = KEYWORDS.iter().find(|it| word == **it)
        {
            out.push((keyword, String::new()));
        }
        if let Some((_, clause)) = out.last_mut() {
            clause.push(letter);
        }
    }
    out
}

/// The variables of a row for a query: elements by their numbers, everything else as it is.
fn with_row(graph: &Graph, row: &Map, clause: &str, returned: &str) -> Result<Vec<Map>, String> {
    let mut lead = String::new();
    let mut names: Vec<String> = Vec::new();
    for (name, value) in row {
        match value {
            Value::Node(it) => write!(lead, "MATCH (`{name}`) WHERE id(`{name}`) = {} ", it.0).unwrap(),
            Value::Relationship(it) => {
                write!(lead, "MATCH ()-[`{name}`]->() WHERE id(`{name}`) = {} ", it.id).unwrap();
            }
            _ => {
                names.push(format!("`{name}`"));
                write!(lead, "UNWIND [${name}] AS `{name}` ").unwrap();
            }
        }
    }
    let query = format!("{lead}{clause}\nRETURN {returned}");
    let query = Query::parse(&query).map_err(|it| format!("{it}: {query}"))?;
    let answer = query.run(graph, &Options::new(row)).map_err(|it| it.to_string())?;
    let columns = answer.columns;
    Ok(answer.rows.into_iter().map(|row| columns.iter().cloned().zip(row).collect()).collect())
}

/// All rows at once, since a clause may aggregate them: their numbers come in as a list, elements are found by them.
fn read_all(graph: &Graph, clause: &str, rows: &[Map]) -> Result<Vec<Map>, String> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let mut lead = "UNWIND $rows AS `0row` ".to_owned();
    let mut names = Vec::new();
    for (name, value) in first {
        match value {
            Value::Node(_) => write!(lead, "MATCH (`{name}`) WHERE id(`{name}`) = `0row`.`{name}` ").unwrap(),
            _ => write!(lead, "WITH *, `0row`.`{name}` AS `{name}` ").unwrap(),
        }
        names.push(format!("`{name}`"));
    }
    if !names.is_empty() {
        write!(lead, "WITH {} ", names.join(", ")).unwrap();
    }
    let numbered = rows.iter().map(|row| {
        let entries = row.iter().map(|(name, value)| match value {
            Value::Node(it) => (name.clone(), Value::Integer(it.0)),
            it => (name.clone(), it.clone()),
        });
        Value::map(entries.collect())
    });
    let parameters = Map::from([("rows".into(), Value::list(numbered.collect()))]);
    let query = format!("{lead}{clause}\nRETURN *");
    let query = Query::parse(&query).map_err(|it| format!("{it}: {query}"))?;
    let answer = query.run(graph, &Options::new(&parameters)).map_err(|it| it.to_string())?;
    let columns = answer.columns;
    let named = |row: Vec<Value>| columns.iter().cloned().zip(row).filter(|it| &*it.0 != "0row").collect();
    Ok(answer.rows.into_iter().map(named).collect())
}

fn create(graph: &mut Graph, clause: &str, row: &mut Map) -> Result<(), String> {
    let text = format!("MATCH{}\nRETURN 1", &clause["CREATE".len()..]);
    let tree = hostler_cypher::parse(&text).map_err(|it| format!("{it}: {text}"))?;
    let Some(Clause::Match { patterns, .. }) = tree.parts[0].clauses.first() else {
        return Err(format!("no patterns: {text}"));
    };
    for pattern in patterns {
        create_path(graph, pattern, row)?;
    }
    Ok(())
}

fn create_path(graph: &mut Graph, pattern: &PathPattern, row: &mut Map) -> Result<(), String> {
    let mut left = create_node(graph, &pattern.start, row)?;
    for (relationship, node) in &pattern.steps {
        let right = create_node(graph, node, row)?;
        let properties = properties(graph, &relationship.properties, row)?;
        let [kind] = &relationship.types[..] else { return Err("a relationship without a type".to_owned()) };
        let (from, to) = if relationship.arrow == Arrow::Left { (right, left) } else { (left, right) };
        let edge: Edge = graph.add_edge(from, to, kind, properties);
        if let Some(variable) = &relationship.variable {
            row.insert(variable.name.clone(), Value::Relationship(edge));
        }
        left = right;
    }
    Ok(())
}

fn create_node(graph: &mut Graph, pattern: &NodePattern, row: &mut Map) -> Result<NodeId, String> {
    if let Some(variable) = &pattern.variable
        && let Some(Value::Node(known)) = row.get(&variable.name)
    {
        return Ok(*known);
    }
    let labels: Vec<&str> = pattern.labels.iter().flatten().map(|it| &**it).collect();
    let properties = properties(graph, &pattern.properties, row)?;
    let node = graph.add_node(&labels, properties);
    assert!(graph.has_node(node).unwrap());
    if let Some(variable) = &pattern.variable {
        row.insert(variable.name.clone(), Value::Node(node));
    }
    Ok(node)
}

fn properties(graph: &Graph, entries: &[(Name, Expr)], row: &Map) -> Result<Map, String> {
    let mut out = Map::new();
    for (key, expr) in entries {
        let rows = with_row(graph, row, "", &format!("{expr} AS value"))?;
        let value = rows.into_iter().next().and_then(|mut it| it.remove("value")).unwrap_or(Value::Null);
        if !value.is_null() {
            out.insert(key.clone(), value);
        }
    }
    Ok(out)
}
