//! Requirements, tags and results joined: a row for each requirement, findings, coverage.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use crate::lock::{Lock, Reviewed};
use crate::outcome::{Case, Files, Judged, Outcome, Results};
use crate::requirement::Requirement;
use crate::tag::{Form, Kind, Tag};

/// A file with tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path from the project's top folder, with `/`.
    pub path: String,
    /// It is one of tests as a whole.
    pub test: bool,
    /// In order of lines.
    pub tags: Vec<Tag>,
}

/// How far a requirement got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing cites it.
    Untraced,
    /// Source cites it, no test does.
    Traced,
    /// A test cites it; how that ended is not known.
    Tested,
    /// A test that cites it passed, and none failed.
    Passing,
    /// A test that cites it failed.
    Failing,
}

impl State {
    /// All of them, the least first.
    pub const ALL: [Self; 5] = [Self::Untraced, Self::Traced, Self::Tested, Self::Passing, Self::Failing];

    /// In a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untraced => "untraced",
            Self::Traced => "traced",
            Self::Tested => "tested",
            Self::Passing => "passing",
            Self::Failing => "failing",
        }
    }
}

/// Whether the text of a requirement is the one that was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// It was never reviewed.
    Never,
    /// Its text and its links are those that were.
    Current,
    /// Links came to it since.
    Grown,
    /// Its text changed since: what cites it may no longer fit.
    Suspect,
}

impl Review {
    /// In a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Current => "current",
            Self::Grown => "grown",
            Self::Suspect => "suspect",
        }
    }
}

/// What cites a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The file.
    pub path: String,
    /// The line of the tag.
    pub line: usize,
    /// What the tag sits on.
    pub kind: Kind,
    /// Its name; empty for a file.
    pub name: String,
    /// How the tag is written.
    pub form: Form,
    /// It is a test.
    pub test: bool,
    /// The story that the tag names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// How the test ended, where results are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl Link {
    /// Its place without a line, which moves: `src/cart.rs#Cart::add`.
    pub fn place(&self) -> String {
        if self.name.is_empty() { self.path.clone() } else { format!("{}#{}", self.path, self.name) }
    }
}

/// One requirement with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name in the whole project: the id, after the specification where several have one of this name.
    pub key: String,
    /// As its source has it.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// How far it got.
    pub state: State,
    /// Whether it was reviewed.
    pub review: Review,
    /// What cites it, in order of files and lines.
    pub links: Vec<Link>,
}

impl Row {
    /// Its name in [`Lock`]: with its specification also where no other one has the id, so that it stays the same when one
    /// comes to have it.
    pub fn lock_key(&self) -> String {
        format!("{}/{}", self.requirement.spec, self.requirement.id)
    }
}

/// What a matrix is made of besides the requirements.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Files with tags.
    pub sources: &'a [Source],
    /// What tests came to.
    pub cases: &'a [Case],
    /// All files, to tell which of them a result is about.
    pub files: &'a Files,
    /// What was reviewed.
    pub lock: &'a Lock,
    /// The requirements are all that there are: one that was reviewed and is not among them is gone.
    pub whole: bool,
}

/// Kinds of findings; the names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A tag cites an id that no source of requirements has.
    UnknownId,
    /// A tag cites an id that several specifications have.
    AmbiguousId,
    /// A tag cannot be read, or not in full.
    UnreadableTag,
    /// Two requirements of one specification have the same id.
    DuplicateId,
    /// A test that cites a requirement failed.
    TracedFailing,
    /// A requirement is ticked as done and nothing cites it.
    DoneUntraced,
    /// A requirement's text changed after its links were reviewed.
    SuspectLink,
    /// A link that was reviewed is gone.
    LostLink,
    /// A requirement that was reviewed is gone.
    LostRequirement,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::UnknownId,
        Self::AmbiguousId,
        Self::UnreadableTag,
        Self::DuplicateId,
        Self::TracedFailing,
        Self::DoneUntraced,
        Self::SuspectLink,
        Self::LostLink,
        Self::LostRequirement,
    ];

    /// Its stable name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::UnknownId => "unknown-id",
            Self::AmbiguousId => "ambiguous-id",
            Self::UnreadableTag => "unreadable-tag",
            Self::DuplicateId => "duplicate-id",
            Self::TracedFailing => "traced-failing",
            Self::DoneUntraced => "done-untraced",
            Self::SuspectLink => "suspect-link",
            Self::LostLink => "lost-link",
            Self::LostRequirement => "lost-requirement",
        }
    }

    /// What it means.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::UnknownId => "A tag cites an id that no source of requirements has",
            Self::AmbiguousId => "A tag cites an id that several specifications have",
            Self::UnreadableTag => "A tag cannot be read in full",
            Self::DuplicateId => "Two requirements of one specification have the same id",
            Self::TracedFailing => "A test that cites the requirement failed",
            Self::DoneUntraced => "The requirement is ticked as done and nothing cites it",
            Self::SuspectLink => "The requirement's text changed after what cites it was reviewed",
            Self::LostLink => "What cited the requirement when it was reviewed is gone",
            Self::LostRequirement => "A requirement that was reviewed is in no source any longer",
        }
    }
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// Which kind.
    pub rule: Rule,
    /// The requirement's key or the id that was cited; empty where there is none.
    pub id: String,
    /// Where to look.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// In one sentence without a full stop.
    pub message: String,
}

/// Numbers of requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Coverage {
    /// All of them.
    pub requirements: usize,
    /// Ticked as done.
    pub done: usize,
    /// Cited by source.
    pub in_source: usize,
    /// Cited at all.
    pub traced: usize,
    /// Cited by a test.
    pub tested: usize,
    /// With tests that passed.
    pub passing: usize,
    /// With a test that failed.
    pub failing: usize,
}

impl Coverage {
    fn add(&mut self, row: &Row) {
        self.requirements += 1;
        self.done += usize::from(row.requirement.done == Some(true));
        self.in_source += usize::from(row.links.iter().any(|it| !it.test));
        self.traced += usize::from(row.state != State::Untraced);
        self.tested += usize::from(row.links.iter().any(|it| it.test));
        self.passing += usize::from(row.state == State::Passing);
        self.failing += usize::from(row.state == State::Failing);
    }

    /// `part` of all requirements, in hundredths of a per cent; all of none is all.
    pub const fn basis_points(&self, part: usize) -> usize {
        match (part * 10_000).checked_div(self.requirements) {
            Some(share) => share,
            None => 10_000,
        }
    }

    /// `part` of all requirements as `53.6 %`, never rounded up.
    pub fn percent(&self, part: usize) -> String {
        let tenths = self.basis_points(part) / 10;
        format!("{}.{} %", tenths / 10, tenths % 10)
    }
}

/// What one file or folder cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its path.
    pub path: String,
    /// How many functions, classes and other things of it cite something.
    pub symbols: usize,
    /// How many requirements they cite.
    pub requirements: usize,
    /// How many of those are cited by tests in it.
    pub in_tests: usize,
}

/// Everything joined.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Matrix {
    /// All requirements.
    pub totals: Coverage,
    /// By specification, in the order of the sources.
    pub specs: Vec<(String, Coverage)>,
    /// By folder.
    pub modules: Vec<Place>,
    /// By file.
    pub files: Vec<Place>,
    /// By rule, then by place.
    pub findings: Vec<Finding>,
    /// In the order of the sources.
    pub rows: Vec<Row>,
    /// How many tags there are.
    pub tags: usize,
    /// Results of tests were given.
    pub has_results: bool,
    /// Results that count for nothing, and why.
    pub notes: Vec<String>,
}

impl Matrix {
    /// [`Self::joined`], of a project that has no other files and requirements.
    pub fn of(requirements: Vec<Requirement>, sources: &[Source], cases: &[Case], lock: &Lock) -> Self {
        let files = Files::default();
        Self::joined(requirements, &Input { sources, cases, files: &files, lock, whole: true })
    }

    /// Joins requirements, tags, results and what was reviewed.
    pub fn joined(requirements: Vec<Requirement>, input: &Input<'_>) -> Self {
        let Input { sources, cases, files, lock, whole } = *input;
        let mut findings = Vec::new();
        let (mut rows, index) = rows(requirements, &mut findings);
        let Judged { outcomes, mut notes } = Results::new(cases, files, sources).judge(sources);
        let mut tags = 0;
        for (at, source) in sources.iter().enumerate() {
            for (number, tag) in source.tags.iter().enumerate() {
                tags += 1;
                let outcome = outcomes.get(at).and_then(|it| it.get(number)).copied().flatten();
                cite(source, tag, outcome, &mut rows, &index, &mut findings);
            }
        }
        for row in &mut rows {
            row.links.sort_by(|a, b| (&a.path, a.line, &a.name).cmp(&(&b.path, b.line, &b.name)));
            row.links.dedup();
            row.state = state(&row.links);
        }
        let entries = entries(&rows, &index.by_id, lock);
        for (row, entry) in rows.iter_mut().zip(&entries) {
            let reviewed = entry.and_then(|it| lock.entries.get(it));
            row.review = review(row, reviewed);
            told(row, reviewed, &mut findings);
        }
        if whole {
            gone(lock, &entries, &mut findings);
        }
        let tested = rows.iter().flat_map(|it| &it.links).any(|it| it.test);
        if !cases.is_empty() && tested && outcomes.iter().flatten().all(Option::is_none) {
            notes.push(format!(
                "none of the {} results belongs to a test that cites a requirement",
                cases.len()
            ));
        }
        findings.sort();
        findings.dedup();
        let (modules, files) = places(&rows);
        let mut out =
            Self { modules, files, findings, tags, notes, has_results: !cases.is_empty(), ..Self::default() };
        let mut specs: Vec<(String, Coverage)> = Vec::new();
        for row in &rows {
            out.totals.add(row);
            let at = specs.iter().position(|it| it.0 == row.requirement.spec).unwrap_or_else(|| {
                specs.push((row.requirement.spec.clone(), Coverage::default()));
                specs.len() - 1
            });
            if let Some((_, coverage)) = specs.get_mut(at) {
                coverage.add(row);
            }
        }
        out.specs = specs;
        out.rows = rows;
        out
    }

    /// The requirement with this key, or the only one with this id.
    pub fn find(&self, id: &str) -> Vec<&Row> {
        let exact: Vec<&Row> = self.rows.iter().filter(|it| it.key == id).collect();
        if exact.is_empty() { self.rows.iter().filter(|it| it.requirement.id == id).collect() } else { exact }
    }

    /// Known keys that `id` may have meant: alike but for case and leading zeros, else with the same end.
    pub fn alike(&self, id: &str) -> Vec<&str> {
        let wanted = folded(id);
        let by = |alike: &dyn Fn(&Row) -> bool| -> Vec<&str> {
            self.rows.iter().filter(|it| alike(it)).map(|it| it.key.as_str()).take(5).collect()
        };
        let same = by(&|it| folded(&it.requirement.id) == wanted);
        if same.is_empty() { by(&|it| it.requirement.id.ends_with(&format!("-{id}"))) } else { same }
    }

    /// By row, the entry of `lock` that is its review.
    pub fn entries<'a>(&self, lock: &'a Lock) -> Vec<Option<&'a str>> {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            index.entry(row.requirement.id.clone()).or_default().push(at);
        }
        entries(&self.rows, &index, lock)
    }

    /// What a review of `keys` makes of `lock`: digests and links as they are now. A requirement that nothing cites has
    /// no link to review.
    pub fn reviewed(&self, lock: &Lock, keys: &BTreeSet<&str>) -> Lock {
        let mut out = lock.clone();
        for (row, entry) in self.rows.iter().zip(self.entries(lock)) {
            if !keys.contains(row.key.as_str()) {
                continue;
            }
            if let Some(entry) = entry {
                out.entries.remove(entry);
            }
            let links: BTreeSet<String> = row.links.iter().map(Link::place).collect();
            if !links.is_empty() {
                out.entries.insert(row.lock_key(), Reviewed { digest: row.requirement.digest(), links });
            }
        }
        out
    }

    /// What it comes to, in one line.
    pub fn headline(&self) -> String {
        let all = &self.totals;
        let count = |rule: Rule| self.findings.iter().filter(|it| it.rule == rule).count();
        let mut parts = vec![
            format!(
                "{} of {} requirements traced ({})",
                all.traced,
                all.requirements,
                all.percent(all.traced)
            ),
            format!("{} tested", all.tested),
        ];
        if self.has_results {
            parts.push(format!("{} passing", all.passing));
            parts.push(format!("{} failing", all.failing));
        }
        let mut add = |number: usize, one: &str, many: &str| {
            if number != 0 {
                parts.push(format!("{number} {}", if number == 1 { one } else { many }));
            }
        };
        add(count(Rule::UnknownId), "unknown id", "unknown ids");
        add(count(Rule::DoneUntraced), "done but untraced", "done but untraced");
        add(count(Rule::SuspectLink), "suspect", "suspect");
        add(count(Rule::LostLink), "lost link", "lost links");
        add(count(Rule::LostRequirement), "lost requirement", "lost requirements");
        parts.join(", ")
    }
}

/// Rows by the ids of their requirements.
#[derive(Debug, Default)]
struct Index {
    by_id: HashMap<String, Vec<usize>>,
    /// The first row by its id as it is typed wrong most often; made for the first tag that cites none.
    folded: OnceCell<HashMap<String, usize>>,
}

impl Index {
    fn get(&self, id: &str) -> Option<&[usize]> {
        self.by_id.get(id).map(Vec::as_slice)
    }

    fn alike(&self, id: &str, rows: &[Row]) -> Option<usize> {
        let all = self.folded.get_or_init(|| {
            let of = |(at, row): (usize, &Row)| (folded(&row.requirement.id), at);
            // The first of several wins.
            rows.iter().enumerate().rev().map(of).collect()
        });
        all.get(&folded(id)).copied()
    }
}

fn rows(requirements: Vec<Requirement>, findings: &mut Vec<Finding>) -> (Vec<Row>, Index) {
    let mut index = Index::default();
    let mut rows: Vec<Row> = Vec::new();
    for requirement in requirements {
        let places = index.by_id.entry(requirement.id.clone()).or_default();
        let twin =
            places.iter().find_map(|at| rows.get(*at).filter(|it| it.requirement.spec == requirement.spec));
        if let Some(first) = twin {
            let first = &first.requirement;
            findings.push(Finding {
                rule: Rule::DuplicateId,
                id: requirement.id.clone(),
                path: requirement.source.clone(),
                line: requirement.line,
                message: format!(
                    "`{}` of `{}` is defined in `{}` line {} already; the first one counts",
                    first.id, first.spec, first.source, first.line
                ),
            });
            continue;
        }
        places.push(rows.len());
        let key = requirement.id.clone();
        rows.push(Row { key, requirement, state: State::Untraced, review: Review::Never, links: Vec::new() });
    }
    for places in index.by_id.values().filter(|it| 1 < it.len()) {
        for at in places {
            if let Some(row) = rows.get_mut(*at) {
                row.key = format!("{}/{}", row.requirement.spec, row.requirement.id);
            }
        }
    }
    (rows, index)
}

fn cite(
    source: &Source,
    tag: &Tag,
    outcome: Option<Outcome>,
    rows: &mut [Row],
    index: &Index,
    findings: &mut Vec<Finding>,
) {
    let finding = |rule, id: &str, message| Finding {
        rule,
        id: id.to_owned(),
        path: source.path.clone(),
        line: tag.line,
        message,
    };
    for problem in &tag.problems {
        findings.push(finding(Rule::UnreadableTag, "", format!("the tag cannot be read in full: {problem}")));
    }
    let test = source.test || tag.owner.test;
    let separator = match tag.owner.kind {
        Kind::Section => " > ",
        _ if matches!(source.path.rsplit('.').next(), Some("rs" | "cpp")) => "::",
        _ => ".",
    };
    for cited in &tag.ids {
        match resolve(cited, tag.spec.as_deref(), rows, index) {
            Found::One(at) => {
                let link = Link {
                    path: source.path.clone(),
                    line: tag.line,
                    kind: tag.owner.kind,
                    name: tag.owner.path.join(separator),
                    form: tag.form,
                    test,
                    story: tag.story.clone(),
                    outcome,
                };
                if let Some(row) = rows.get_mut(at) {
                    row.links.push(link);
                }
            }
            Found::Many(keys) => {
                let message = format!("`{cited}` may be any of {}; write one of these", keys.join(", "));
                findings.push(finding(Rule::AmbiguousId, cited, message));
            }
            Found::None(alike) => {
                let shown = match &tag.spec {
                    Some(spec) if !alike.is_empty() && !cited.contains('/') => format!("{spec}/{cited}"),
                    _ => cited.clone(),
                };
                let hint = match alike.first() {
                    Some(key) => format!("; `{key}` is"),
                    None => String::new(),
                };
                findings.push(finding(
                    Rule::UnknownId,
                    cited,
                    format!("`{shown}` is no known requirement{hint}"),
                ));
            }
        }
    }
}

enum Found {
    One(usize),
    /// Keys in backticks.
    Many(Vec<String>),
    /// Keys that are alike.
    None(Vec<String>),
}

fn resolve(cited: &str, of_tag: Option<&str>, rows: &[Row], index: &Index) -> Found {
    let (spec, id) = match cited.rsplit_once('/') {
        Some((spec, id)) if index.get(cited).is_none() => (Some(spec), id),
        _ => (of_tag, cited),
    };
    let places = match (index.get(id), spec) {
        (Some(places), _) => places,
        // `FR-001` of specification `021` is called `021-FR-001` in some registers: the id says which one it is.
        (None, Some(spec)) => {
            let names = [format!("{spec}-{id}"), format!("{}-{id}", first_word(spec))];
            match names.iter().find_map(|it| index.get(it)) {
                Some([one]) => return Found::One(*one),
                _ => &[],
            }
        }
        (None, None) => &[],
    };
    let fit = |at: &usize| {
        let of = rows.get(*at).map(|it| it.requirement.spec.as_str()).unwrap_or_default();
        spec.map_or(Some(Fit::Loose), |spec| fit(spec, of, id))
    };
    let best = places.iter().filter_map(fit).max();
    let fitting: Vec<usize> = places.iter().copied().filter(|it| best.is_some() && fit(it) == best).collect();
    let keys = |places: &[usize]| -> Vec<String> {
        places.iter().filter_map(|at| rows.get(*at)).map(|it| format!("`{}`", it.key)).collect()
    };
    match fitting.as_slice() {
        [one] => Found::One(*one),
        [] if places.is_empty() => {
            let alike = index.alike(id, rows).and_then(|at| rows.get(at));
            Found::None(alike.map(|it| it.key.clone()).into_iter().collect())
        }
        [] => Found::None(places.iter().filter_map(|at| rows.get(*at)).map(|it| it.key.clone()).collect()),
        several => Found::Many(keys(several)),
    }
}

fn first_word(spec: &str) -> &str {
    spec.split(['-', '_']).next().unwrap_or(spec)
}

/// How a specification is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// By its number or its name alone.
    Loose,
    Exact,
}

/// Whether `named` is the specification `of`, which has the requirement `id`: `010-cart` is called `010`, `cart` or
/// `specs/010-cart`, too, and `020` is the one of `REQ-020-001`.
fn fit(named: &str, of: &str, id: &str) -> Option<Fit> {
    let named = named.trim_end_matches('/').rsplit('/').next().unwrap_or(named);
    if named.eq_ignore_ascii_case(of) {
        return Some(Fit::Exact);
    }
    let (number, name) = number_and_name(named);
    let (of_number, of_name) = number_and_name(of);
    let same_name = name == of_name || name.is_empty() || of_name.is_empty();
    let same_number = match (number, of_number) {
        (Some(one), Some(other)) => one == other && same_name,
        _ => name == of_name && !name.is_empty(),
    };
    let prefix = id.rsplit_once('-').map_or("", |it| it.0);
    let by_id = || number.is_some() && number_and_name(prefix).0 == number;
    // A source that names no specification may be of any.
    let says_nothing = of_number.is_none() && (of_name.is_empty() || of == prefix);
    (same_number || says_nothing || by_id()).then_some(Fit::Loose)
}

/// The first number without leading zeros, and the other words but those that any specification has.
fn number_and_name(spec: &str) -> (Option<&str>, Vec<String>) {
    let words = || spec.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    let is_number = |it: &&str| it.bytes().all(|byte| byte.is_ascii_digit());
    let number = words().find(is_number).map(|it| it.trim_start_matches('0'));
    let names = words().filter(|it| !is_number(it)).map(str::to_lowercase);
    let said = names.filter(|it| !matches!(it.as_str(), "spec" | "specification" | "req" | "requirements"));
    (number, said.collect())
}

/// Small letters, numbers without leading zeros.
fn folded(id: &str) -> String {
    let part = |part: &str| part.trim_start_matches('0').to_ascii_lowercase();
    id.split(['-', '_', '.']).map(part).collect::<Vec<_>>().join("-")
}

fn state(links: &[Link]) -> State {
    let tests = || links.iter().filter(|it| it.test);
    if tests().any(|it| it.outcome == Some(Outcome::Failed)) {
        State::Failing
    } else if tests().any(|it| it.outcome == Some(Outcome::Passed)) {
        State::Passing
    } else if tests().next().is_some() {
        State::Tested
    } else if links.is_empty() {
        State::Untraced
    } else {
        State::Traced
    }
}

fn review(row: &Row, reviewed: Option<&Reviewed>) -> Review {
    match reviewed {
        Some(reviewed) if !row.links.is_empty() && reviewed.digest != row.requirement.digest() => {
            Review::Suspect
        }
        Some(reviewed) if row.links.iter().any(|it| !reviewed.links.contains(&it.place())) => Review::Grown,
        Some(_) => Review::Current,
        None => Review::Never,
    }
}

/// By row, the entry that is its review. Entries of earlier builds have the id alone: where several specifications came to
/// have it, it is that of the row which it fits best.
fn entries<'a>(rows: &[Row], by_id: &HashMap<String, Vec<usize>>, lock: &'a Lock) -> Vec<Option<&'a str>> {
    let key = |key: &str| lock.entries.get_key_value(key).map(|it| it.0.as_str());
    let mut out: Vec<Option<&str>> = rows.iter().map(|it| key(&it.lock_key())).collect();
    for (id, places) in by_id {
        let Some((bare, reviewed)) = lock.entries.get_key_value(id) else { continue };
        let fits = |at: &usize| {
            rows.get(*at).map(|row| {
                let shared = row.links.iter().filter(|it| reviewed.links.contains(&it.place())).count();
                (shared, row.requirement.digest() == reviewed.digest)
            })
        };
        // The first one of those that fit as well.
        let best = places.iter().rev().max_by_key(|at| fits(at)).and_then(|at| out.get_mut(*at));
        if let Some(entry) = best.filter(|it| it.is_none()) {
            *entry = Some(bare);
        }
    }
    out
}

/// Reviews whose requirement no source has any longer.
fn gone(lock: &Lock, entries: &[Option<&str>], findings: &mut Vec<Finding>) {
    let known: HashSet<&str> = entries.iter().flatten().copied().collect();
    for key in lock.entries.keys().filter(|it| !known.contains(it.as_str())) {
        findings.push(Finding {
            rule: Rule::LostRequirement,
            id: key.clone(),
            path: crate::lock::FILE.to_owned(),
            line: 0,
            message: format!("`{key}` was reviewed, and no source of requirements has it any longer"),
        });
    }
}

/// What a row by itself gives to tell.
fn told(row: &Row, reviewed: Option<&Reviewed>, findings: &mut Vec<Finding>) {
    let at_requirement = |rule, message| Finding {
        rule,
        id: row.key.clone(),
        path: row.requirement.source.clone(),
        line: row.requirement.line,
        message,
    };
    if row.requirement.done == Some(true) && row.state == State::Untraced {
        let message = format!("`{}` is ticked as done and nothing cites it", row.key);
        findings.push(at_requirement(Rule::DoneUntraced, message));
    }
    for link in row.links.iter().filter(|it| it.outcome == Some(Outcome::Failed)) {
        let message = format!("`{}` is cited by `{}`, which failed", row.key, link.place());
        findings.push(Finding {
            path: link.path.clone(),
            line: link.line,
            ..at_requirement(Rule::TracedFailing, message)
        });
    }
    if row.review == Review::Suspect {
        let places: BTreeSet<String> = row.links.iter().map(|it| format!("`{}`", it.place())).collect();
        let shown: Vec<String> = places.iter().take(3).cloned().collect();
        let more = if places.len() <= 3 { String::new() } else { format!(" and {} more", places.len() - 3) };
        let message = format!(
            "the text of `{}` changed since what cites it was reviewed: {}{more}",
            row.key,
            shown.join(", ")
        );
        findings.push(at_requirement(Rule::SuspectLink, message));
    }
    let current: HashSet<String> = row.links.iter().map(Link::place).collect();
    for lost in reviewed.into_iter().flat_map(|it| &it.links).filter(|it| !current.contains(*it)) {
        let message = format!("`{}` was cited by `{lost}` when it was reviewed and no longer is", row.key);
        findings.push(at_requirement(Rule::LostLink, message));
    }
}

fn places(rows: &[Row]) -> (Vec<Place>, Vec<Place>) {
    #[derive(Default)]
    struct Sets<'a> {
        symbols: BTreeSet<(&'a str, &'a str)>,
        requirements: BTreeSet<&'a str>,
        in_tests: BTreeSet<&'a str>,
    }
    let (mut modules, mut files): (BTreeMap<&str, Sets<'_>>, BTreeMap<&str, Sets<'_>>) = Default::default();
    for row in rows {
        for link in &row.links {
            let folder = link.path.rsplit_once('/').map_or(".", |it| it.0);
            for sets in [modules.entry(folder).or_default(), files.entry(&link.path).or_default()] {
                sets.symbols.insert((&link.path, &link.name));
                sets.requirements.insert(&row.key);
                if link.test {
                    sets.in_tests.insert(&row.key);
                }
            }
        }
    }
    let list = |all: BTreeMap<&str, Sets<'_>>| {
        let place = |(path, sets): (&str, Sets<'_>)| Place {
            path: path.to_owned(),
            symbols: sets.symbols.len(),
            requirements: sets.requirements.len(),
            in_tests: sets.in_tests.len(),
        };
        all.into_iter().map(place).collect()
    };
    (list(modules), list(files))
}

#[cfg(test)]
mod tests;
