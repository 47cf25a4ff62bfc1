//! YAML and JSON: any mapping with an id, and any key that is an id, is a requirement.

use std::path::Path;

use saphyr_parser::{Event, Parser, ScanError};
use serde_json::Value as Json;

use super::{Draft, Error, Options, Part, done, place};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 200;

/// A document of either kind.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Text(String),
    List(Vec<Value>),
    /// Keys with the lines that they stand on.
    Map(Vec<(String, usize, Value)>),
}

/// Reads YAML, also several documents in one file.
pub(super) fn yaml(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Draft>, Error> {
    yaml_from(path, text, 1, options)
}

/// Reads YAML that begins on `first_line` of its file.
pub(super) fn yaml_from(
    path: &str,
    text: &str,
    first_line: usize,
    options: &Options<'_>,
) -> Result<Vec<Draft>, Error> {
    let broken = |line: usize, why: String| Error::Broken { path: path.to_owned(), line, why };
    let roots = tree(text, first_line).map_err(|(line, why)| broken(line + first_line - 1, why))?;
    let mut finder = Finder { options, out: Vec::new() };
    for root in &roots {
        let before = finder.out.len();
        finder.visit(root, None);
        if let (true, Value::Map(pairs)) = (before == finder.out.len(), root) {
            finder.named_by_file(path, pairs, first_line);
        }
    }
    Ok(finder.out)
}

/// Reads JSON.
pub(super) fn json(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Draft>, Error> {
    let document: Json = serde_json::from_str(text).map_err(|error| Error::Broken {
        path: path.to_owned(),
        line: error.line(),
        why: error.to_string(),
    })?;
    let mut finder = Finder { options, out: Vec::new() };
    let root = from_json(document);
    finder.visit(&root, None);
    if let (true, Value::Map(pairs)) = (finder.out.is_empty(), &root) {
        finder.named_by_file(path, pairs, 1);
    }
    // The parser tells no lines: an id stands where it is quoted first, in the order of the document.
    let (mut from, mut line) = (0, 1);
    for draft in &mut finder.out {
        let quoted = format!("\"{}\"", draft.id);
        if let Some(at) = text.get(from..).and_then(|rest| rest.find(&quoted)) {
            line += text[from..from + at].matches('\n').count();
            from += at;
        }
        draft.line = line;
    }
    Ok(finder.out)
}

fn from_json(value: Json) -> Value {
    match value {
        Json::Null => Value::Text(String::new()),
        Json::Bool(it) => Value::Text(it.to_string()),
        Json::Number(it) => Value::Text(it.to_string()),
        Json::String(it) => Value::Text(it),
        Json::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        Json::Object(pairs) => {
            Value::Map(pairs.into_iter().map(|(key, value)| (key, 0, from_json(value))).collect())
        }
    }
}

/// A list or mapping that is not complete yet.
enum Open {
    List(Vec<Value>),
    Map(Vec<(String, usize, Value)>, Option<(String, usize)>),
}

/// The documents of a YAML text; an alias stands for nothing, so no text grows when it is read.
fn tree(text: &str, first_line: usize) -> Result<Vec<Value>, (usize, String)> {
    let mut roots = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error: ScanError| (error.marker().line(), error.info().to_owned()))?;
        let line = span.start.line() + first_line - 1;
        let complete = match event {
            Event::Scalar(text, ..) => Some(Value::Text(text.into_owned())),
            Event::Alias(_) => Some(Value::Text(String::new())),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|it| match it {
                Open::List(items) => Value::List(items),
                Open::Map(pairs, _) => Value::Map(pairs),
            }),
            _ => None,
        };
        if DEPTH_MAX < open.len() {
            return Err((span.start.line(), format!("nested deeper than {DEPTH_MAX} levels")));
        }
        let Some(value) = complete else { continue };
        match open.last_mut() {
            None => roots.push(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map(pairs, key)) => match (key.take(), value) {
                (Some((key, line)), value) => pairs.push((key, line, value)),
                (None, Value::Text(text)) => *key = Some((text, line)),
                // A list or mapping as a key names nothing.
                (None, _) => *key = Some((String::new(), line)),
            },
        }
    }
    Ok(roots)
}

struct Finder<'a> {
    options: &'a Options<'a>,
    out: Vec<Draft>,
}

impl Finder<'_> {
    /// `spec`: what a mapping around this one says.
    fn visit(&mut self, value: &Value, spec: Option<&str>) {
        match value {
            Value::Text(_) => {}
            Value::List(items) => items.iter().for_each(|item| self.visit(item, spec)),
            Value::Map(pairs) => self.mapping(pairs, spec),
        }
    }

    fn mapping(&mut self, pairs: &[(String, usize, Value)], around: Option<&str>) {
        let part = |part: Part| self.part(part, pairs);
        let own_spec = part(Part::Spec).and_then(|it| it.1);
        let spec = own_spec.as_deref().or(around);
        let id = part(Part::Id).and_then(|(at, text)| Some((at, text?)));
        if let Some((at, id)) = id.filter(|(_, id)| self.options.pattern.is_id(id.trim())) {
            let line = pairs.get(at).map_or(0, |it| it.1);
            let draft = self.draft(id.trim(), pairs, spec, line);
            self.out.push(draft);
        }
        for (key, line, value) in pairs {
            if self.options.pattern.is_id(key.trim()) {
                match value {
                    Value::Text(text) => self.out.push(Draft {
                        id: key.trim().to_owned(),
                        spec: spec.map(str::to_owned),
                        text: text.clone(),
                        done: None,
                        line: *line,
                    }),
                    Value::Map(inner) if self.part(Part::Id, inner).is_none() => {
                        let draft = self.draft(key.trim(), inner, spec, *line);
                        self.out.push(draft);
                    }
                    _ => {}
                }
            }
            self.visit(value, spec);
        }
    }

    /// A mapping whose id is the file's name, as some tools keep one file for each requirement.
    fn named_by_file(&mut self, path: &str, pairs: &[(String, usize, Value)], line: usize) {
        let stem = Path::new(path).file_stem().map(|it| it.to_string_lossy()).unwrap_or_default();
        if self.options.pattern.is_id(&stem) && self.part(Part::Text, pairs).is_some() {
            let spec = self.part(Part::Spec, pairs).and_then(|it| it.1);
            let draft = self.draft(&stem, pairs, spec.as_deref(), line);
            self.out.push(draft);
        }
    }

    fn draft(&self, id: &str, pairs: &[(String, usize, Value)], spec: Option<&str>, line: usize) -> Draft {
        let text = |part: Part| self.part(part, pairs).and_then(|it| it.1);
        Draft {
            id: id.to_owned(),
            spec: spec.map(str::to_owned),
            text: text(Part::Text).unwrap_or_default(),
            done: text(Part::Done).and_then(|it| done(&it)),
            line,
        }
    }

    /// Where a part of a requirement stands, and its text if it is one.
    fn part(&self, part: Part, pairs: &[(String, usize, Value)]) -> Option<(usize, Option<String>)> {
        let names: Vec<String> = pairs.iter().map(|it| it.0.clone()).collect();
        let at = place(part, &names, self.options.columns)?;
        let text = match &pairs.get(at)?.2 {
            Value::Text(text) => Some(text.clone()),
            Value::List(items) => {
                let lines: Vec<&str> = items
                    .iter()
                    .filter_map(|it| if let Value::Text(it) = it { Some(it.as_str()) } else { None })
                    .collect();
                (part == Part::Text && !lines.is_empty()).then(|| lines.join("\n"))
            }
            Value::Map(_) => None,
        };
        Some((at, text))
    }
}
