//! What a file says that it fulfils: ids in `@traces`, and ids of requirements in comments and documentation.

use std::collections::BTreeMap;

use hostler_trace::tag;

use super::kind::CODE;
use super::traces::IDS;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// Beginnings of ids that are requirements wherever they stand; other words of that shape are names of standards,
/// products and tickets.
const GROUPS: &[&str] = &["REQ", "FR", "NFR", "US", "SPEC", "SRS", "CONST", "AC"];
/// Most ids that are shown.
const SHOWN_MAX: usize = 8;

pub(super) const CHECK: Check = Check {
    id: "spec_reference",
    gate: Gate::Safety,
    severity: Severity::Info,
    summary: "requirements that a file cites",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "# @traces REQ-020-001\ndef f(a):\n    return a\n"),
        Example("src/a.py", "def f(a):\n    \"\"\"Doubles, see FR-007.\"\"\"\n    return 2 * a\n"),
    ],
    silent: &[
        Example("src/a.py", "# encoded in UTF-8, see RFC-2119\nX = 1\n"),
        Example("src/a.py", "X = \"REQ-020-001\"\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some(pattern) = IDS.as_ref() else { return Vec::new() };
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |id: String, line: usize| {
        let first = ids.entry(id).or_insert(line);
        *first = (*first).min(line);
    };
    if source.text.contains("traces") {
        for tag in tag::read(source.path, source.text, pattern) {
            tag.ids.into_iter().for_each(|id| add(id, tag.line));
        }
    }
    for comment in source.facts.map_or(&[][..], |it| &it.comments) {
        for (at, text) in comment.text.lines().enumerate() {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
            for word in words.map(|it| it.trim_end_matches(['.', '-'])) {
                if word.split('-').any(|it| GROUPS.contains(&it)) && pattern.is_id(word) {
                    add(word.to_owned(), comment.line + at);
                }
            }
        }
    }
    let Some(line) = ids.values().min().copied() else { return Vec::new() };
    let shown: Vec<&str> = ids.keys().map(String::as_str).take(SHOWN_MAX).collect();
    let more = ids.len() - shown.len();
    let and = if more == 0 { String::new() } else { format!(" and {more} more") };
    vec![CHECK.finding(line, format!("cites {}{and}", shown.join(", "))).metric(ids.len() as u64)]
}
