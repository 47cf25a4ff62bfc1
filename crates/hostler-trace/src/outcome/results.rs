//! Which results belong to what a tag sits on. A guess would make a requirement green: what fits several places equally
//! well counts for none of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::place::{Files, Id as PlaceId, Places, Resolved, common_suffix};
use super::program::Programs;
use super::tree::{Id, Tree};
use super::{Case, Outcome};
use crate::Source;
use crate::tag::{Kind, Owner};

/// Most notes about results that fit several places.
const NOTES_MAX: usize = 5;
/// Endings of files whose tests are called by sentences.
const SCRIPTS: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "coffee"];

/// Outcomes of everything that is tagged.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// By source and tag.
    pub(crate) outcomes: Vec<Vec<Option<Outcome>>>,
    /// What counts for nothing, and why.
    pub(crate) notes: Vec<String>,
}

/// What a runner tells by nothing but names: which of the tagged places it is, the places together tell.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Match {
    Nothing,
    Sure(Outcome),
    Loose(String, Outcome),
}

/// A test that is called by a sentence.
#[derive(Debug)]
struct Title<'a> {
    text: String,
    around: (&'a str, &'a str),
    outcome: Outcome,
}

/// All tests with one last name.
#[derive(Debug)]
struct Leaf<'a> {
    around: (&'a str, &'a str),
    outcome: Outcome,
    /// They are in several suites or classes.
    several: bool,
    /// A class that is spelled as a path is told apart by it.
    spelled: bool,
    titled: bool,
}

/// All results, sorted in the ways in which they are looked for.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    empty: bool,
    places: Places<'a>,
    programs: Programs<'a>,
    /// Tests whose file is not told.
    named: Tree<'a>,
    named_root: Id,
    /// Tests whose file is.
    in_files: Tree<'a>,
    files: HashMap<PlaceId, (Id, Option<Outcome>)>,
    titles: HashMap<Option<PlaceId>, Vec<Title<'a>>>,
    leaves: HashMap<(Option<PlaceId>, &'a str), Leaf<'a>>,
    resolved: HashMap<(Id, &'a str), Resolved>,
    ambiguous: BTreeMap<String, Vec<PlaceId>>,
}

impl<'a> Results<'a> {
    pub(crate) fn new(cases: &'a [Case], files: &'a Files, sources: &'a [Source]) -> Self {
        let paths = files.paths.iter().map(String::as_str).filter(|_| !cases.is_empty());
        let places = Places::new(paths.chain(sources.iter().map(|it| it.path.as_str())));
        let rust: Vec<PlaceId> = places.with_extension("rs").collect();
        let mut named = Tree::default();
        let mut out = Self {
            empty: cases.is_empty(),
            programs: Programs::new(files, &places, rust.into_iter()),
            places,
            named_root: named.root(),
            named,
            in_files: Tree::default(),
            files: HashMap::new(),
            titles: HashMap::new(),
            leaves: HashMap::new(),
            resolved: HashMap::new(),
            ambiguous: BTreeMap::new(),
        };
        let mut known: HashMap<&str, Resolved> = HashMap::new();
        for case in cases {
            out.insert(case, &mut known);
        }
        for titles in out.titles.values_mut() {
            titles.sort_by(|a, b| a.text.cmp(&b.text));
        }
        out
    }

    fn insert(&mut self, case: &'a Case, known: &mut HashMap<&'a str, Resolved>) {
        let places = &self.places;
        let mut file_of = |text: &'a str| known.entry(text).or_insert_with(|| places.of_path(text)).clone();
        let told = case.file.as_deref().map(&mut file_of);
        // Some runners have no place for a file but that of a class.
        let by_class = [&case.class, &case.suite]
            .into_iter()
            .filter(|it| told.is_none() && it.contains('.') && !it.contains(' '))
            .map(|it| file_of(it))
            .find(|it| *it != Resolved::Nothing);
        let class = if by_class.is_some() { "" } else { case.class.as_str() };
        let name = name_words(&case.name);
        let all: Vec<&str> = class_words(class).into_iter().chain(name.iter().copied()).collect();
        match told.or(by_class) {
            None => self.insert_named(case, &all, &name),
            Some(Resolved::One(id)) => self.insert_in_file(id, case, class, &all, &name),
            Some(Resolved::Several(ids)) => {
                let file = case.file.as_deref().unwrap_or(&case.class);
                self.ambiguous.insert(file.to_owned(), ids);
            }
            // A file that is not here.
            Some(Resolved::Nothing) => {}
        }
    }

    fn insert_named(&mut self, case: &'a Case, all: &[&'a str], name: &[&'a str]) {
        let mut spellings = vec![all.to_vec()];
        if 1 < name.len() && name.len() < all.len() {
            spellings.push(name.to_vec());
        }
        if self.programs.insert(case, &spellings, name) {
            return;
        }
        if case.name.contains(' ') || case.class.contains(' ') {
            self.insert_title(None, case, &case.class);
        }
        // What is around it is a sentence, and no word of its name.
        if case.class.contains(' ') {
            return;
        }
        for words in &spellings {
            self.named.insert(self.named_root, words, case.outcome);
        }
        self.insert_leaf(None, case, name, 1 < name.len() || 2 < all.len());
    }

    fn insert_in_file(
        &mut self,
        id: PlaceId,
        case: &'a Case,
        class: &'a str,
        all: &[&'a str],
        name: &[&'a str],
    ) {
        let (root, worst) = *self.files.entry(id).or_insert_with(|| (self.in_files.root(), None));
        self.files.insert(id, (root, worst.max(Some(case.outcome))));
        let words = self.places.words(id);
        // A class that is called as its file is no part of its folders.
        let own = usize::from(by_class(self.places.extension(id)));
        let around = words.get(..words.len().saturating_sub(own)).unwrap_or_default();
        let fits = |end: &usize| {
            let spelled = all.get(..*end).unwrap_or_default();
            let common = common_suffix(spelled, around);
            common == spelled.len() || common == around.len() && common != 0
        };
        let end = (1..all.len()).rev().find(fits).unwrap_or(0);
        self.insert_title(Some(id), case, class);
        if class.contains(' ') || is_script(self.places.extension(id)) {
            return;
        }
        self.in_files.insert(root, all.get(end..).unwrap_or_default(), case.outcome);
        if end == 0 {
            self.insert_leaf(Some(id), case, name, false);
        }
    }

    fn insert_title(&mut self, place: Option<PlaceId>, case: &'a Case, class: &str) {
        // One runner of scripts gives every test the class `test`.
        let class = if class == "test" { String::new() } else { sentence(class) };
        let name = sentence(&case.name);
        let starts =
            |with: &str| name == with || name.strip_prefix(with).is_some_and(|it| it.starts_with(' '));
        let last = class.rsplit('.').next().unwrap_or_default();
        // Most runners join the titles around a test with its own, in its name, its class or both.
        let whole = class.is_empty()
            || starts(&class)
            || !last.is_empty() && starts(last)
            || name.strip_suffix(&*class).is_some_and(|it| it.ends_with(' '));
        let text = if whole { name } else { format!("{class} {name}") };
        let title = Title { text, around: (&case.suite, &case.class), outcome: case.outcome };
        self.titles.entry(place).or_default().push(title);
    }

    fn insert_leaf(&mut self, place: Option<PlaceId>, case: &'a Case, name: &[&'a str], spelled: bool) {
        let around = (case.suite.as_str(), case.class.as_str());
        let titled = case.class.contains(' ') || case.name.contains(' ');
        let last = name.last().copied().unwrap_or_default();
        let names = [Some(last), Some(case.name.as_str()).filter(|it| *it != last)];
        for name in names.into_iter().flatten() {
            self.leaves
                .entry((place, name))
                .and_modify(|it| {
                    it.outcome = it.outcome.max(case.outcome);
                    it.several |= it.around != around;
                    it.spelled |= spelled;
                    it.titled &= titled;
                })
                .or_insert(Leaf { around, outcome: case.outcome, several: false, spelled, titled });
        }
    }

    /// How the tests ended that each tag of a test is, holds, or is part of.
    pub(crate) fn judge(mut self, sources: &[Source]) -> Judged {
        if self.empty {
            return Judged::default();
        }
        let mut matches: Vec<Vec<Match>> = Vec::new();
        let mut claims: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for source in sources {
            let place = self.places.id(&source.path);
            let of = |tag: &crate::tag::Tag| match place {
                Some(place) if source.test || tag.owner.test => self.of(place, &tag.owner),
                _ => Match::Nothing,
            };
            matches.push(source.tags.iter().map(of).collect());
        }
        for (source, of) in sources.iter().zip(&matches) {
            for it in of {
                if let Match::Loose(name, _) = it {
                    claims.entry(name).or_default().insert(&source.path);
                }
            }
        }
        let mut ambiguous: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let tagged: BTreeSet<PlaceId> = sources.iter().filter_map(|it| self.places.id(&it.path)).collect();
        for (name, ids) in self.ambiguous.iter().filter(|it| it.1.iter().any(|id| tagged.contains(id))) {
            ambiguous.insert(name.clone(), ids.iter().map(|it| self.places.path(*it).to_owned()).collect());
        }
        for (name, paths) in claims.iter().filter(|it| 1 < it.1.len()) {
            ambiguous.insert((*name).to_owned(), paths.iter().map(|it| (*it).to_owned()).collect());
        }
        let outcome = |it: &Match| match it {
            Match::Nothing => None,
            Match::Sure(outcome) => Some(*outcome),
            Match::Loose(name, outcome) => {
                claims.get(name.as_str()).is_none_or(|it| it.len() == 1).then_some(*outcome)
            }
        };
        let outcomes = matches.iter().map(|it| it.iter().map(outcome).collect()).collect();
        Judged { outcomes, notes: notes(&ambiguous) }
    }

    fn of(&mut self, place: PlaceId, owner: &Owner) -> Match {
        let own = self.of_exactly(place, owner, true);
        if own != Match::Nothing {
            return own;
        }
        // What is defined in a test is part of it.
        for end in (1..owner.path.len()).rev() {
            let path = owner.path.get(..end).unwrap_or_default().to_vec();
            let around = Owner { kind: Kind::Function, path, test: owner.test };
            let found = self.of_exactly(place, &around, false);
            if found != Match::Nothing {
                return found;
            }
        }
        Match::Nothing
    }

    /// `itself`: the tag sits on it, not on something in it.
    fn of_exactly(&mut self, place: PlaceId, owner: &Owner, itself: bool) -> Match {
        let path: Vec<&str> = owner.path.iter().map(String::as_str).collect();
        let test = owner.kind == Kind::Function;
        if let Some(sure) = self.in_file(place, &path, test) {
            return Match::Sure(sure);
        }
        if self.places.extension(place) == "rs" {
            let (outcome, told) = self.programs.of(place, &path, itself);
            self.ambiguous.extend(told);
            return outcome.map_or(Match::Nothing, Match::Sure);
        }
        match self.by_words(place, &path, test) {
            Match::Nothing => self.by_title(place, &path, test),
            found => found,
        }
    }

    fn in_file(&self, place: PlaceId, path: &[&str], test: bool) -> Option<Outcome> {
        let (root, worst) = *self.files.get(&place)?;
        if path.is_empty() {
            return worst;
        }
        let node = self.in_files.find(root, path);
        let found = node.and_then(|it| if test { self.in_files.own(it) } else { self.in_files.below(it) });
        found.or_else(|| self.titled(Some(place), path, test).map(|it| it.1)).or_else(|| {
            let leaf = self.leaves.get(&(Some(place), *path.last()?)).filter(|_| test)?;
            (!leaf.several && leaf.holds(path)).then_some(leaf.outcome)
        })
    }

    fn by_words(&mut self, place: PlaceId, path: &[&str], test: bool) -> Match {
        let words = self.places.words(place).to_vec();
        let extension = self.places.extension(place);
        // A class that is called as its file, as Java asks for, is told once.
        let shared = usize::from(by_class(extension) && !path.is_empty() && words.last() == path.first());
        let file = words.len() - shared;
        let whole: Vec<&str> = words.iter().take(file).chain(path).copied().collect();
        let mut nodes: Vec<Id> = (0..=file)
            .filter_map(|from| {
                self.named.find(self.named_root, whole.get(from..).filter(|it| !it.is_empty())?)
            })
            .collect();
        if file != 0 {
            nodes.extend(self.named.ending(&whole));
        }
        let (mut sure, mut loose) = (None, Match::Nothing);
        for node in nodes {
            let found = if test { self.named.own(node) } else { self.named.below(node) };
            let Some(outcome) = found else { continue };
            let spelled = self.named.depth(node) - path.len() + shared;
            if spelled == 0 {
                let name = self.named.words(node).join(".");
                loose = Match::Loose(name, outcome);
                continue;
            }
            let above = self.named.above(node, spelled);
            match self.resolve(above, extension) {
                Resolved::One(id) if self.places.is(id, place) => sure = sure.max(Some(outcome)),
                Resolved::Several(ids) if ids.iter().any(|it| self.places.is(*it, place)) => {
                    self.ambiguous.insert(self.named.words(above).join("."), ids);
                }
                _ => {}
            }
        }
        sure.map_or(loose, Match::Sure)
    }

    fn resolve(&mut self, node: Id, extension: &'a str) -> Resolved {
        if let Some(known) = self.resolved.get(&(node, extension)) {
            return known.clone();
        }
        let out = self.places.of_words(&self.named.words(node), extension);
        self.resolved.insert((node, extension), out.clone());
        out
    }

    fn by_title(&self, place: PlaceId, path: &[&str], test: bool) -> Match {
        let sentences = is_script(self.places.extension(place)) || path.iter().any(|it| it.contains(' '));
        if let Some((name, outcome)) = self.titled(None, path, test).filter(|_| sentences) {
            return Match::Loose(name, outcome);
        }
        let leaf = path.last().filter(|_| test).and_then(|last| self.leaves.get(&(None, *last)));
        match leaf {
            Some(leaf) if !leaf.several && (!leaf.spelled || leaf.titled) && leaf.holds(path) => {
                Match::Loose(path.join(" "), leaf.outcome)
            }
            _ => Match::Nothing,
        }
    }

    /// The tests with just this title, or of all below it.
    fn titled(&self, place: Option<PlaceId>, path: &[&str], test: bool) -> Option<(String, Outcome)> {
        let wanted = sentence(&path.join(" "));
        let all = self.titles.get(&place).filter(|_| !wanted.is_empty())?;
        let pieces = pieces(&wanted);
        if test && 1 < pieces.len() {
            return filled(all, &pieces).map(|it| (wanted, it));
        }
        let from = all.partition_point(|it| it.text < wanted);
        let fits = |it: &&Title<'_>| {
            it.text
                .strip_prefix(&wanted)
                .is_some_and(|rest| rest.is_empty() || !test && rest.starts_with(' '))
        };
        let below = all.get(from..)?.iter().take_while(|it| it.text.starts_with(&wanted));
        let found: Vec<&Title<'_>> = below.filter(fits).collect();
        let first = found.first()?;
        // Two of one title in different suites are two tests.
        if test && found.iter().any(|it| it.around != first.around) {
            return None;
        }
        let outcome = found.iter().map(|it| it.outcome).max()?;
        Some((wanted, outcome))
    }
}

/// What stands between the places of a title that a runner fills in: `adds %i and $name`.
fn pieces(title: &str) -> Vec<&str> {
    let (mut out, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = title.get(at..).and_then(|it| it.find(['%', '$'])) {
        let start = at + found;
        let rest = title.get(start + 1..).unwrap_or_default();
        let length = if title[start..].starts_with('%') {
            usize::from(rest.starts_with(|c: char| "sdifjopc#".contains(c)))
        } else if rest.starts_with('{') {
            rest.find('}').map_or(0, |it| it + 1)
        } else {
            rest.find(|c: char| !(c.is_alphanumeric() || "_.#".contains(c))).unwrap_or(rest.len())
        };
        at = start + 1 + length;
        if length != 0 {
            out.extend(title.get(from..start));
            from = at;
        }
    }
    out.extend(title.get(from..));
    out
}

/// What the tests came to that were made of one title. Another test may be called as one of them: they have passed only
/// where all did.
fn filled(all: &[Title<'_>], pieces: &[&str]) -> Option<Outcome> {
    let (first, rest) = pieces.split_first()?;
    let (last, between) = rest.split_last()?;
    let fits = |it: &&Title<'_>| {
        let Some(mut inner) = it.text.strip_prefix(first).and_then(|it| it.strip_suffix(last)) else {
            return false;
        };
        for piece in between {
            // Something stands in each of the places.
            let from = inner.char_indices().nth(1).map_or(inner.len(), |it| it.0);
            let Some(found) = inner.get(from..).and_then(|it| it.find(piece)) else { return false };
            inner = inner.get(from + found + piece.len()..).unwrap_or_default();
        }
        !inner.is_empty()
    };
    let from = all.partition_point(|it| it.text.as_str() < *first);
    let alike = all.get(from..)?.iter().take_while(|it| it.text.starts_with(first));
    let outcomes: Vec<Outcome> = alike.filter(fits).map(|it| it.outcome).collect();
    let worst =
        |it: &Outcome| [Outcome::Passed, Outcome::Skipped, Outcome::Failed].iter().position(|of| of == it);
    outcomes.into_iter().max_by_key(worst)
}

impl Leaf<'_> {
    /// What is around the test is named by what is around its result.
    fn holds(&self, path: &[&str]) -> bool {
        let around = path.split_last().map_or(&[][..], |it| it.1);
        around.iter().all(|name| self.around.0.contains(name) || self.around.1.contains(name))
    }
}

fn notes(ambiguous: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let shown = ambiguous.iter().take(NOTES_MAX).map(|(name, paths)| {
        let paths: Vec<String> = paths.iter().take(3).map(|it| format!("`{it}`")).collect();
        format!("the result of `{name}` counts for nothing: it may be of {}", paths.join(" or "))
    });
    let mut out: Vec<String> = shown.collect();
    if NOTES_MAX < ambiguous.len() {
        let more = ambiguous.len() - NOTES_MAX;
        out.push(format!("{more} more results count for nothing: they may be of several files"));
    }
    out
}

/// Their tests are called by sentences.
fn is_script(extension: &str) -> bool {
    extension.rsplit('.').next().is_some_and(|it| SCRIPTS.contains(&it))
}

fn by_class(extension: &str) -> bool {
    matches!(extension, "java" | "kt" | "scala" | "groovy" | "cs" | "php" | "swift" | "dart")
}

/// `test_add[1-2]`, `adds(int)`, `TestAdd/negative`.
fn name_words(name: &str) -> Vec<&str> {
    let cut =
        name.char_indices().find(|(at, c)| *at != 0 && "[({".contains(*c)).map_or(name.len(), |it| it.0);
    let plain = name.get(..cut).unwrap_or_default();
    let plain = if plain.starts_with("Test") { plain.split('/').next().unwrap_or(plain) } else { plain };
    if plain.contains(' ') { vec![plain] } else { split(plain) }
}

fn class_words(class: &str) -> Vec<&str> {
    if class.contains(' ') { Vec::new() } else { split(class) }
}

fn split(text: &str) -> Vec<&str> {
    let parts = text.split(['.', '/', '\\', '$', '#']).flat_map(|it| it.split("::"));
    parts.filter(|it| !it.is_empty()).collect()
}

/// Words with one space between them, without what runners put between titles.
fn sentence(text: &str) -> String {
    let words = text.split_whitespace().filter(|it| !matches!(*it, ">" | "›" | "»" | "/" | "::"));
    words.collect::<Vec<_>>().join(" ")
}
