#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use super::*;
use crate::requirement::{self, Columns, Spec};
use crate::{Lock, Matrix, Pattern, Source, outcome, tag};

const OPTIONS: Options<'_> =
    Options { title: "Trace <1>", texts: true, generator: "hostler 0.1.0", time: "2026-11-30T12:00:00Z" };

fn matrix() -> Matrix {
    let pattern = Pattern::new(&[]).unwrap();
    let text = "- [x] FR-1: a | b <c> \"d\" & 'e'\n- [x] FR-2: =1+1, two\n- [ ] FR-3: \u{7}three\n- FR-4: four `x`\n";
    let options = requirement::Options { pattern: &pattern, spec: &Spec::Auto, columns: &Columns::default() };
    let requirements = requirement::read("docs/my spec.md", text, &options).unwrap();
    let source = |path: &str, text: &str| Source {
        path: path.to_owned(),
        test: tag::is_test_path(path),
        // The mark is spelled otherwise here, see the tests of tags.
        tags: tag::read(path, &text.replace("@TAG", tag::MARK), &pattern),
    };
    let sources = [
        source("src/a b.rs", "// @TAG FR-1 FR-3\nfn f() {}\n"),
        source("tests/t.py", "# @TAG FR-3, FR-4 FR-9\ndef test_a(): pass\n# @TAG FR-4\ndef test_b(): pass\n"),
    ];
    let report = "<testsuite><testcase classname='tests.t' name='test_a'/><testcase classname='tests.t' name='test_b'><failure/></testcase></testsuite>";
    Matrix::of(requirements, &sources, &outcome::read("r", report).unwrap(), &Lock::default())
}

#[test]
fn markdown_is_a_table_for_each_specification() {
    let text = markdown::text(&matrix(), &OPTIONS);
    for line in [
        "# Trace &lt;1>",
        "3 of 4 requirements traced (75.0 %), 2 tested, 1 passing, 1 failing, 1 unknown id, 1 done but untraced.",
        "| my spec | 4 | 2 | 3 (75.0 %) | 2 | 2 (50.0 %) | 1 | 1 |",
        "| unknown-id | `tests/t.py` | `FR-9` is no known requirement |",
        "| FR-1 | yes | a \\| b &lt;c> \"d\" & 'e' | traced | `src/a b.rs#f` |  |",
        "| FR-2 | yes | =1+1, two | untraced |  |  |",
        "| FR-4 |  | four `x` | failing |  | `tests/t.py#test_a`, `tests/t.py#test_b` |",
        "| `src` | 1 | 2 | 0 |",
    ] {
        assert!(text.lines().any(|it| it == line), "no line {line:?} in\n{text}");
    }
    let bare = markdown::text(&matrix(), &Options { texts: false, ..OPTIONS });
    assert!(bare.contains("\n| FR-2 | yes | untraced |  |  |\n") && !bare.contains("=1+1"), "{bare}");
    // A row has as many cells as its head, so every table is one.
    for (line, next) in text.lines().zip(text.lines().skip(1)) {
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(
            !line.starts_with('|') || !next.starts_with('|') || cells(line) == cells(next),
            "{line}\n{next}"
        );
    }
}

#[test]
fn csv_quotes_and_runs_no_formula() {
    let text = csv::text(&matrix(), &OPTIONS);
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[0].split(',').count(), 11);
    assert_eq!(
        lines[1],
        "FR-1,FR-1,my spec,yes,traced,never,docs/my spec.md,1,\"a | b <c> \"\"d\"\" & 'e'\",src/a b.rs#f,"
    );
    assert_eq!(lines[2], "FR-2,FR-2,my spec,yes,untraced,never,docs/my spec.md,2,\"'=1+1, two\",,");
    assert_eq!(lines.len(), 6);
}

#[test]
fn json_has_everything() {
    let document = json::document(&matrix(), &OPTIONS);
    assert_eq!(document["totals"]["traced"], 3);
    assert_eq!(document["specifications"][0]["specification"], "my spec");
    assert_eq!(document["requirements"][3]["links"][1]["outcome"], "failed");
    assert_eq!(document["requirements"][3]["links"][1]["name"], "test_b");
    assert_eq!(document["findings"][0]["rule"], "unknown-id");
    let bare = json::document(&matrix(), &Options { texts: false, ..OPTIONS });
    assert!(bare["requirements"][0].get("text").is_none());
}

/// What the standard asks of a log, of those parts that we write; the schema itself is another test's.
#[test]
fn sarif_has_stable_rules_kinds_and_fingerprints() {
    let log = sarif::log(&matrix(), &OPTIONS, Some("file:///p/"));
    let run = &log["runs"][0];
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    let mut fingerprints = BTreeSet::new();
    let mut kinds = BTreeMap::new();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index], result["ruleId"].as_str().unwrap());
        // A level other than none is for failures.
        assert_eq!(result["kind"] == "fail", result["level"] != "none", "{result}");
        assert!(
            fingerprints.insert(result["partialFingerprints"]["hostlerTrace/v1"].to_string()),
            "{result}"
        );
        *kinds.entry(result["kind"].as_str().unwrap()).or_insert(0) += 1;
    }
    assert_eq!(kinds, BTreeMap::from([("fail", 4), ("informational", 1), ("open", 1), ("pass", 1)]));
    let uri = &run["results"][3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "docs/my%20spec.md");
    // The same but for the line: the fingerprints stay.
    let mut moved = matrix();
    moved.findings.iter_mut().for_each(|it| it.line += 7);
    let again = sarif::log(&moved, &OPTIONS, None);
    let prints = |log: &Value| -> Vec<String> {
        log["runs"][0]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["partialFingerprints"].to_string())
            .collect()
    };
    assert_eq!(prints(&log), prints(&again));
}

/// Every element and attribute of `xml`: path -> how often; and what identifies and what refers.
fn elements(xml: &str) -> (BTreeMap<String, usize>, Vec<String>, Vec<String>) {
    let mut reader = Reader::from_str(xml);
    let (mut path, mut counts, mut identifiers, mut references) =
        (Vec::new(), BTreeMap::new(), Vec::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let name = tag.name().as_ref().to_owned();
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap();
                    if attribute.key.as_ref() == "IDENTIFIER" {
                        identifiers.push(attribute.value.to_string());
                    }
                }
                path.push(name);
                *counts.entry(path.join("/")).or_insert(0) += 1;
                if matches!(event, Event::Empty(_)) {
                    path.pop();
                }
            }
            Event::End(_) => {
                path.pop();
            }
            Event::Text(text) if path.last().is_some_and(|it: &String| it.ends_with("-REF")) => {
                references.push(text.to_string());
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(path.is_empty(), "not closed: {path:?}");
    (counts, identifiers, references)
}

#[test]
fn reqif_is_well_formed_and_refers_to_what_is_there() {
    let xml = reqif::text(&matrix(), &OPTIONS);
    let (counts, identifiers, references) = elements(&xml);
    let content = "REQ-IF/CORE-CONTENT/REQ-IF-CONTENT";
    for (path, number) in [
        ("REQ-IF/THE-HEADER/REQ-IF-HEADER/REQ-IF-VERSION".to_owned(), 1),
        (format!("{content}/DATATYPES/DATATYPE-DEFINITION-ENUMERATION/SPECIFIED-VALUES/ENUM-VALUE"), 5),
        (format!("{content}/SPEC-TYPES/SPEC-OBJECT-TYPE"), 2),
        // Four requirements, three places that cite them.
        (format!("{content}/SPEC-OBJECTS/SPEC-OBJECT"), 7),
        (format!("{content}/SPEC-RELATIONS/SPEC-RELATION"), 5),
        (format!("{content}/SPECIFICATIONS/SPECIFICATION/CHILDREN/SPEC-HIERARCHY"), 4),
    ] {
        assert_eq!(counts.get(&path), Some(&number), "{path}");
    }
    let known: BTreeSet<&String> = identifiers.iter().collect();
    assert_eq!(known.len(), identifiers.len(), "an identifier stands twice");
    assert!(identifiers.iter().all(|it| it.starts_with('_')));
    let lost: Vec<&String> = references.iter().filter(|it| !known.contains(it)).collect();
    assert!(lost.is_empty() && !references.is_empty(), "{lost:?}");
    assert!(
        xml.contains("THE-VALUE=\"a | b &lt;c&gt; &quot;d&quot; &amp; 'e'\"") && !xml.contains('\u{7}'),
        "{xml}"
    );
    // The same things have the same names in the next export.
    let later = reqif::text(&matrix(), &Options { time: "2027-01-01T00:00:00Z", ..OPTIONS });
    let (_, again, _) = elements(&later);
    assert_eq!(identifiers[1..], again[1..]);
}

#[test]
fn the_page_needs_nothing_else_and_escapes() {
    let page = html::page(&matrix(), &OPTIONS);
    assert!(page.contains("a | b &lt;c&gt; &quot;d&quot; &amp; 'e'") && !page.contains("<c>"), "{page}");
    for word in ["<script", "http://", "https://", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.get(..2_048).unwrap().contains(html::GENERATOR));
    assert!(page.contains("<span class=\"state failing\">failing</span>"));
    assert!(page.contains(" three") && !page.contains('\u{7}'));
}
