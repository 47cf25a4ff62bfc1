//! Which findings are new.
//!
//! A finding is known by what it is about, never by its line or by how many there are: lines that are put in above
//! change nothing, and one that goes does not make room for another. Three passes, each over what the one before
//! left: the same code in the same place; the same place, for a measure that did not get worse; the same code in
//! another place, which was moved or renamed.

use std::collections::BTreeSet;

use super::{Check, Finding, LINES, Same, Source};

/// Lines that the code of a function or class must have to be known again in another place: shorter bodies are alike
/// by chance.
const MOVED_LINES_MIN: usize = 3;

/// A finding with what it is known by.
struct Known {
    check: String,
    code: Option<String>,
    symbol: Option<String>,
    /// The text of its line without blanks at its ends and with single ones between words; none where it does not count.
    line: Option<String>,
    /// What stands in the function or class that it is about, or within which it stands, below the head.
    body: Option<String>,
    metric: Option<u64>,
    same: Same,
    /// It was looked for in broken code as well.
    reads_text: bool,
}

/// Those of `after`'s findings that `before` did not have. Without `before` the file is new, and so is everything.
///
/// A measure is new only when it is over its limit and worse than it was; a size, worse by more than a tenth. Where the old text does not parse, what stood
/// in it was perhaps not found: then only what stands on changed lines is new.
pub fn fresh(before: Option<(&Source<'_>, &[Finding])>, after: (&Source<'_>, Vec<Finding>)) -> Vec<Finding> {
    let (source, findings) = after;
    let Some((old_source, old)) = before else { return findings };
    if findings.is_empty() || old_source.text == source.text {
        return Vec::new();
    }
    let mut old: Vec<Option<Known>> = Reader::new(old_source).all(old).into_iter().map(Some).collect();
    let mut left: Vec<(usize, Known)> = Reader::new(source).all(&findings).into_iter().enumerate().collect();
    // The worst first: of two functions of one name, each is compared with the one that is most like it.
    left.sort_by_key(|(_, it)| std::cmp::Reverse(it.metric));
    old.sort_by_key(|it| std::cmp::Reverse(it.as_ref().and_then(|it| it.metric)));
    for pass in [same_code, same_place, moved] {
        left.retain(|(_, new)| {
            let twin = old.iter_mut().find(|it| it.as_ref().is_some_and(|old| pass(old, new)));
            twin.map(Option::take).is_none()
        });
    }
    let unread = old_source.facts.is_none() && source.facts.is_some();
    if old_source.is_broken() || unread {
        let lines: BTreeSet<String> = old_source.text.lines().map(plain).collect();
        let text: Vec<String> = source.text.lines().map(plain).collect();
        let changed = |line: usize| text.get(line.saturating_sub(1)).is_none_or(|it| !lines.contains(it));
        left.retain(|(at, known)| {
            let concerns_file = known.same == Same::Symbol && known.symbol.is_none();
            known.reads_text || (!concerns_file && findings.get(*at).is_none_or(|it| changed(it.line)))
        });
    }
    let new: BTreeSet<usize> = left.into_iter().map(|(at, _)| at).collect();
    findings.into_iter().enumerate().filter(|(at, _)| new.contains(at)).map(|(_, it)| it).collect()
}

fn same_kind(old: &Known, new: &Known) -> bool {
    old.check == new.check && old.code == new.code
}

/// Nothing changed, wherever it stands now.
fn same_code(old: &Known, new: &Known) -> bool {
    same_place(old, new) && old.body == new.body && old.metric == new.metric
}

/// What it is about is the same, and it did not get worse.
fn same_place(old: &Known, new: &Known) -> bool {
    same_kind(old, new) && old.symbol == new.symbol && old.line == new.line && !is_worse(old, new)
}

/// The function or class around it has another name or stands elsewhere, and nothing else changed.
fn moved(old: &Known, new: &Known) -> bool {
    let same_body = new.body.is_some() && old.body == new.body;
    same_kind(old, new) && old.line == new.line && same_body && !is_worse(old, new)
}

/// What a line holds is measured for show; the line itself says whether it changed. What is too long already may grow
/// by a tenth: who mends a long file adds lines to it, and must not be told to split it first.
fn is_worse(old: &Known, new: &Known) -> bool {
    let is_size = new.code.as_deref() == Some(LINES);
    let most = |old: u64| if is_size { old + old / 10 } else { old };
    new.same != Same::Line && old.metric.map(most) < new.metric
}

/// Finds out what findings of one text are known by.
struct Reader<'a> {
    source: &'a Source<'a>,
    lines: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self { source, lines: source.text.lines().map(plain).collect() }
    }

    fn all(&self, findings: &[Finding]) -> Vec<Known> {
        findings.iter().map(|it| self.known(it)).collect()
    }

    fn known(&self, finding: &Finding) -> Known {
        // What tools find stands on a line.
        let check = Check::of(&finding.check);
        let same = check.map_or(Same::Line, |it| it.same);
        let at = finding.line;
        let symbol = finding.symbol.clone().or_else(|| self.source.symbol_at(at));
        let line =
            (same == Same::Line).then(|| self.lines.get(at.saturating_sub(1)).cloned().unwrap_or_default());
        Known {
            check: finding.check.clone(),
            code: finding.code.clone(),
            symbol: match same {
                Same::Name => symbol.map(|it| it.rsplit('.').next().unwrap_or_default().to_owned()),
                Same::Symbol => finding.symbol.clone(),
                Same::Line => symbol,
            },
            line,
            body: if same == Same::Name { None } else { self.body(at, same) },
            metric: finding.metric,
            same,
            reads_text: check.is_some_and(Check::reads_text),
        }
    }

    /// The code below the head of the function or class that a finding on line `at` is about.
    fn body(&self, at: usize, same: Same) -> Option<String> {
        let source = self.source;
        let about = || {
            let function =
                source.functions().iter().find(|it| it.line == at).map(|it| (it.line, it.last_line));
            function.or_else(|| {
                source
                    .classes()
                    .iter()
                    .find(|it| it.line == at || it.impl_line == Some(at))
                    .map(|it| (it.line, it.last_line))
            })
        };
        let around = || source.function_at(at).map(|it| (it.line, it.last_line));
        let (head, last) = if same == Same::Line { around()? } else { about()? };
        let body: Vec<&str> =
            self.lines.get(head..last)?.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        (MOVED_LINES_MIN <= body.len()).then(|| body.join("\n"))
    }
}

/// A line without what layout changes.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
