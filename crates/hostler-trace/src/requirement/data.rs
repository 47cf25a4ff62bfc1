//! YAML and JSON: any mapping with an id, and any key that is an id, is a requirement.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use saphyr_parser::{Event, Parser, ScanError};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Draft, Error, Options, Part, done, place};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 200;
/// Longest text that an alias may stand for, bytes.
const ANCHOR_BYTES_MAX: usize = 4_096;

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

/// Reads JSON: a key that is there twice is read twice.
pub(super) fn json(path: &str, text: &str, options: &Options<'_>) -> Result<Vec<Draft>, Error> {
    let broken = |line: usize, why: String| Error::Broken { path: path.to_owned(), line, why };
    let document: &RawValue =
        serde_json::from_str(text).map_err(|error| broken(error.line(), error.to_string()))?;
    let mut finder = Finder { options, out: Vec::new() };
    let root = from_json(document, &Newlines::of(text), DEPTH_MAX).map_err(|why| broken(1, why))?;
    finder.visit(&root, None);
    if let (true, Value::Map(pairs)) = (finder.out.is_empty(), &root) {
        finder.named_by_file(path, pairs, 1);
    }
    Ok(finder.out)
}

/// Where the lines of a text end.
struct Newlines {
    /// Where the text lies.
    start: usize,
    ends: Vec<usize>,
}

impl Newlines {
    fn of(text: &str) -> Self {
        Self { start: text.as_ptr() as usize, ends: memchr::memchr_iter(b'\n', text.as_bytes()).collect() }
    }

    /// The line that a part of the text begins on, from 1.
    fn line(&self, part: &str) -> usize {
        let at = (part.as_ptr() as usize).saturating_sub(self.start);
        1 + self.ends.partition_point(|end| *end < at)
    }
}

/// The pairs of an object as they stand in the text.
struct Pairs<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Pairs<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

fn from_json(value: &RawValue, lines: &Newlines, depth_left: usize) -> Result<Value, String> {
    let Some(depth_left) = depth_left.checked_sub(1) else {
        return Err(format!("nested deeper than {DEPTH_MAX} levels"));
    };
    let text = value.get();
    let told = |error: serde_json::Error| error.to_string();
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let Pairs(pairs) = serde_json::from_str(text).map_err(told)?;
            let pairs = pairs
                .into_iter()
                .map(|(key, value)| Ok((key, lines.line(value.get()), from_json(value, lines, depth_left)?)));
            Value::Map(pairs.collect::<Result<_, String>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(told)?;
            let items = items.into_iter().map(|item| from_json(item, lines, depth_left));
            Value::List(items.collect::<Result<_, String>>()?)
        }
        Some(b'"') => Value::Text(serde_json::from_str(text).map_err(told)?),
        _ if text == "null" => Value::Text(String::new()),
        _ => Value::Text(text.to_owned()),
    })
}

/// A list or mapping that is not complete yet.
enum Open {
    List(Vec<Value>),
    Map(Vec<(String, usize, Value)>, Option<(String, usize)>),
}

/// The documents of a YAML text. An alias of a text is that text; one of a list or mapping stands for nothing, so that
/// nothing grows when it is read.
fn tree(text: &str, first_line: usize) -> Result<Vec<Value>, (usize, String)> {
    let mut roots = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: HashMap<usize, String> = HashMap::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error: ScanError| (error.marker().line(), error.info().to_owned()))?;
        let line = span.start.line() + first_line - 1;
        let complete = match event {
            Event::Scalar(text, _, anchor, _) => {
                if anchor != 0 && text.len() <= ANCHOR_BYTES_MAX {
                    anchors.insert(anchor, text.to_string());
                }
                Some(Value::Text(text.into_owned()))
            }
            Event::Alias(anchor) => Some(Value::Text(anchors.get(&anchor).cloned().unwrap_or_default())),
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
