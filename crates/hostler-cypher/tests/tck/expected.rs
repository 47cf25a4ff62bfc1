//! What a cell of a result table says, brought into one form: keys and labels sorted, so that texts can be compared.

use hostler_cypher::{Element, Graph, Value};

/// A value of a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// Everything without parts, as text.
    Plain(String),
    List(Vec<Cell>),
    Map(Vec<(String, Cell)>),
    Node(Vec<String>, Vec<(String, Cell)>),
    Relationship(String, Vec<(String, Cell)>),
    /// Nodes and relationships in turn; a relationship with whether it points forward.
    Path(Vec<(Cell, bool)>),
}

pub(crate) fn of_value(graph: &dyn Graph, value: &Value) -> Cell {
    match value {
        Value::List(it) => Cell::List(it.items().iter().map(|it| of_value(graph, it)).collect()),
        Value::Map(it) => Cell::Map(of_map(graph, it.entries())),
        Value::Node(it) => {
            let mut labels: Vec<String> = graph
                .labels(*it)
                .unwrap()
                .into_iter()
                .map(|it| graph.label_name(it).unwrap().to_string())
                .collect();
            labels.sort();
            Cell::Node(labels, of_map(graph, &graph.properties(Element::Node(*it)).unwrap()))
        }
        Value::Relationship(it) => Cell::Relationship(
            graph.relationship_type_name(it.kind).unwrap().to_string(),
            of_map(graph, &graph.properties(Element::Edge(*it)).unwrap()),
        ),
        Value::Path(path) => {
            let mut out = vec![(of_value(graph, &Value::Node(path.nodes[0])), true)];
            for (edge, node) in path.edges.iter().zip(&path.nodes[1..]) {
                out.push((of_value(graph, &Value::Relationship(*edge)), edge.to == *node));
                out.push((of_value(graph, &Value::Node(*node)), true));
            }
            Cell::Path(out)
        }
        // They are equal.
        Value::Float(it) if *it == 0.0 => Cell::Plain("0.0".to_owned()),
        plain => Cell::Plain(plain.to_text(graph).unwrap()),
    }
}

fn of_map(graph: &dyn Graph, map: &hostler_cypher::Map) -> Vec<(String, Cell)> {
    map.iter().map(|(key, it)| (key.to_string(), of_value(graph, it))).collect()
}

pub(crate) fn parse(text: &str) -> Cell {
    let mut reader = Reader { text, at: 0 };
    let out = reader.cell();
    assert_eq!(reader.rest().trim(), "", "the whole of `{text}` is read");
    out
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn word(&mut self, stops: &str) -> String {
        self.skip();
        let end = self.rest().find(|it| stops.contains(it)).unwrap_or(self.rest().len());
        let word = self.rest()[..end].trim().to_owned();
        self.at += end;
        word
    }

    fn cell(&mut self) -> Cell {
        self.skip();
        if self.rest().starts_with("[:") {
            return self.relationship();
        }
        if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                items.push(self.cell());
                self.eat(",");
            }
            return Cell::List(items);
        }
        if self.rest().starts_with('{') {
            return Cell::Map(self.map());
        }
        if self.rest().starts_with('(') {
            return self.node();
        }
        if self.eat("<") {
            let mut out = vec![(self.node(), true)];
            while !self.eat(">") {
                let back = self.eat("<-") || !self.eat("-");
                let relationship = self.relationship();
                assert!(self.eat("->") || self.eat("-"));
                out.push((relationship, !back));
                out.push((self.node(), true));
            }
            return Cell::Path(out);
        }
        if self.rest().starts_with('\'') {
            return self.string();
        }
        let word = self.word(",]}");
        // Numbers in one form: `1e9` and `1.0E9`.
        let number = word.parse::<f64>().ok().filter(|_| word.contains(['.', 'e', 'E']));
        match number {
            Some(number) => Cell::Plain(value_text(number)),
            None => Cell::Plain(word),
        }
    }

    fn string(&mut self) -> Cell {
        let start = self.at;
        self.at += 1;
        while !self.rest().starts_with('\'') {
            let skipped = if self.rest().starts_with('\\') { 2 } else { 1 };
            self.at += self.rest().chars().take(skipped).map(char::len_utf8).sum::<usize>();
        }
        self.at += 1;
        Cell::Plain(self.text[start..self.at].to_owned())
    }

    fn map(&mut self) -> Vec<(String, Cell)> {
        let mut out = Vec::new();
        if self.eat("{") {
            while !self.eat("}") {
                let key = self.word(":");
                assert!(self.eat(":"));
                out.push((key, self.cell()));
                self.eat(",");
            }
        }
        out.sort();
        out
    }

    fn node(&mut self) -> Cell {
        assert!(self.eat("("), "a node at {}", self.rest());
        let mut labels = Vec::new();
        while self.eat(":") {
            labels.push(self.word(":{) "));
        }
        labels.sort();
        let properties = self.map();
        assert!(self.eat(")"));
        Cell::Node(labels, properties)
    }

    fn relationship(&mut self) -> Cell {
        assert!(self.eat("[:"), "a relationship at {}", self.rest());
        let kind = self.word("]{ ");
        let properties = self.map();
        assert!(self.eat("]"));
        Cell::Relationship(kind, properties)
    }
}

fn value_text(number: f64) -> String {
    Value::Float(number).to_text(&hostler_cypher::memory::Graph::new()).unwrap()
}

/// Lists are compared as if they had no order.
pub(crate) fn unordered(cell: Cell) -> Cell {
    match cell {
        Cell::List(items) => {
            let mut items: Vec<_> = items.into_iter().map(unordered).collect();
            items.sort();
            Cell::List(items)
        }
        it => it,
    }
}
