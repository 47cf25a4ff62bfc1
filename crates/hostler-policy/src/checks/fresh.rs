//! Which findings are new.
//!
//! A finding is known by what it is about, never by its line or by how many there are: lines that are put in above
//! change nothing, and one that goes does not make room for another. Three passes, each over what the one before
//! left: the same code in the same place; the same place, for a measure that did not get worse; the same code in
//! another place, which was moved or renamed.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{Hash, Hasher};

use hostler_model::text::one_line;

use super::{Check, Finding, LINES, Same, Source};

/// Lines that the code of a function or class must have to be known again in another place: shorter bodies are alike
/// by chance.
const MOVED_LINES_MIN: usize = 3;

/// A finding with what it is known by.
struct Known<'a> {
    check: &'a str,
    code: Option<&'a str>,
    symbol: Option<String>,
    /// Its line without what layout changes; `None` where the text of the line does not count.
    line: Option<&'a str>,
    /// What stands below the head of the function or class that it is about, or within which it stands, as a hash.
    body: Option<u64>,
    metric: Option<u64>,
    same: Same,
    /// It was looked for in broken code as well.
    reads_text: bool,
}

/// What two findings must share in one pass.
type Key<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, Option<u64>, Option<u64>);

/// One way to see an old finding in a new one, the surest first.
#[derive(Clone, Copy)]
enum Pass {
    /// Nothing changed, wherever it stands now.
    SameCode,
    /// What it is about is the same.
    SamePlace,
    /// The function or class around it has another name or stands elsewhere, and nothing else changed.
    Moved,
}

/// Those of `after`'s findings that `before` did not have. Without `before` the file is new, and so is everything.
///
/// A measure is new only when it is over its limit and worse than it was; a size, worse by more than a tenth. Where the
/// old text does not parse, what stood in it was perhaps not found: then only what stands on changed lines is new.
pub fn fresh(before: Option<(&Source<'_>, &[Finding])>, after: (&Source<'_>, Vec<Finding>)) -> Vec<Finding> {
    let (source, findings) = after;
    let Some((old_source, old)) = before else { return findings };
    if findings.is_empty() || old_source.text == source.text {
        return Vec::new();
    }
    let (old_reader, reader) = (Reader::new(old_source), Reader::new(source));
    let mut old: Vec<Known<'_>> = old.iter().map(|it| old_reader.known(it)).collect();
    let mut left: Vec<(usize, Known<'_>)> = findings.iter().map(|it| reader.known(it)).enumerate().collect();
    // The worst first: of two functions of one name, each is compared with the one that is most like it.
    left.sort_by_key(|(_, it)| std::cmp::Reverse(it.metric));
    old.sort_by_key(|it| std::cmp::Reverse(it.metric));
    let mut taken = vec![false; old.len()];
    for pass in [Pass::SameCode, Pass::SamePlace, Pass::Moved] {
        take(&old, &mut taken, &mut left, pass);
    }
    let unread = old_source.facts.is_none() && source.facts.is_some();
    if old_source.is_broken() || unread {
        let lines: BTreeSet<&str> = old_reader.lines.iter().map(String::as_str).collect();
        left.retain(|(at, known)| {
            let concerns_file = known.same == Same::Symbol && known.symbol.is_none();
            let changed = || findings.get(*at).is_none_or(|it| !lines.contains(reader.line(it.line)));
            known.reads_text || (!concerns_file && changed())
        });
    }
    let new: BTreeSet<usize> = left.into_iter().map(|(at, _)| at).collect();
    findings.into_iter().enumerate().filter(|(at, _)| new.contains(at)).map(|(_, it)| it).collect()
}

/// Takes those out of `left` that an old finding has the key of, each old one once.
fn take(old: &[Known<'_>], taken: &mut [bool], left: &mut Vec<(usize, Known<'_>)>, pass: Pass) {
    let mut twins: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
    for (at, known) in old.iter().enumerate().filter(|(at, _)| taken.get(*at) == Some(&false)) {
        if let Some(key) = known.key(pass) {
            twins.entry(key).or_default().push_back(at);
        }
    }
    let mut has_twin = |new: &Known<'_>, queue: Option<&mut VecDeque<usize>>| {
        // The worst comes first on both sides: where it is better than the new one, so are all after it.
        let at = *queue.as_ref()?.front()?;
        old.get(at).filter(|it| !is_worse(it, new))?;
        queue?.pop_front();
        *taken.get_mut(at)? = true;
        Some(())
    };
    let found: Vec<bool> = left
        .iter()
        .map(|(_, new)| has_twin(new, new.key(pass).and_then(|key| twins.get_mut(&key))).is_some())
        .collect();
    let mut found = found.into_iter();
    left.retain(|_| found.next() == Some(false));
}

impl Known<'_> {
    /// The key of a finding in `pass`, if it takes part.
    fn key(&self, pass: Pass) -> Option<Key<'_>> {
        let Self { check, code, line, body, .. } = *self;
        let symbol = self.symbol.as_deref();
        match pass {
            Pass::SameCode => Some((check, code, symbol, line, body, self.metric)),
            Pass::SamePlace => Some((check, code, symbol, line, None, None)),
            Pass::Moved => body.map(|body| (check, code, None, line, Some(body), None)),
        }
    }
}

/// What a line holds is measured for show; the line itself says whether it changed. What is too long already may grow
/// by a tenth: who mends a long file adds lines to it, and must not be told to split it first.
fn is_worse(old: &Known<'_>, new: &Known<'_>) -> bool {
    let is_size = new.code == Some(LINES);
    let most = |old: u64| if is_size { old.saturating_add(old / 10) } else { old };
    new.same != Same::Line && old.metric.map(most) < new.metric
}

/// Finds out what findings of one text are known by.
struct Reader<'a> {
    source: &'a Source<'a>,
    lines: Vec<String>,
    /// The innermost function around each line, by its place in the facts.
    functions: Vec<Option<usize>>,
    /// What stands below the heads of functions.
    bodies: Vec<Option<u64>>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let lines: Vec<String> = source.text.lines().map(one_line).collect();
        let mut functions = vec![None; lines.len()];
        // Those inside begin later, so they come last.
        for (at, function) in source.functions().iter().enumerate() {
            let from = function.first_line.saturating_sub(1);
            let own = functions.get_mut(from..function.last_line.min(lines.len())).unwrap_or_default();
            own.fill(Some(at));
        }
        let bodies = source.functions().iter().map(|it| body(&lines, it.line, it.last_line)).collect();
        Self { source, lines, functions, bodies }
    }

    fn line(&self, line: usize) -> &str {
        self.lines.get(line.saturating_sub(1)).map_or("", String::as_str)
    }

    fn known<'b>(&'b self, finding: &'b Finding) -> Known<'b> {
        let source = self.source;
        let check = Check::of(&finding.check);
        // What tools find stands on a line.
        let same = check.map_or(Same::Line, |it| it.same);
        let at = finding.line;
        let around = self.functions.get(at.saturating_sub(1)).copied().flatten();
        let enclosing = || {
            let function = around.and_then(|it| source.functions().get(it)).map(|it| source.name_of(it));
            function.or_else(|| source.class_at(at).map(|it| source.name_of_class(it)))
        };
        let symbol = match same {
            Same::Line => finding.symbol.clone().or_else(enclosing),
            Same::Symbol => finding.symbol.clone(),
            Same::Name => {
                finding.symbol.as_ref().map(|it| it.rsplit('.').next().unwrap_or_default().to_owned())
            }
        };
        Known {
            check: &finding.check,
            code: finding.code.as_deref(),
            symbol,
            line: (same == Same::Line).then(|| self.line(at)),
            body: match same {
                Same::Line => around.and_then(|it| self.bodies.get(it).copied().flatten()),
                Same::Symbol => self.body_of_item(at),
                Same::Name => None,
            },
            metric: finding.metric,
            same,
            reads_text: check.is_some_and(Check::reads_text),
        }
    }

    /// What stands below the head of the function or class that begins on line `at`.
    fn body_of_item(&self, at: usize) -> Option<u64> {
        if let Some(place) = self.source.functions().iter().position(|it| it.line == at) {
            return self.bodies.get(place).copied().flatten();
        }
        let class = self.source.classes().iter().find(|it| it.line == at || it.impl_line == Some(at))?;
        body(&self.lines, class.line, class.last_line)
    }
}

/// The lines after `head` up to `last`, as a hash, if they are enough to be known again by.
fn body(lines: &[String], head: usize, last: usize) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut count = 0;
    for line in lines.get(head..last.min(lines.len()))?.iter().filter(|it| !it.is_empty()) {
        line.hash(&mut hasher);
        count += 1;
    }
    (MOVED_LINES_MIN <= count).then(|| hasher.finish())
}

#[cfg(test)]
mod tests;
