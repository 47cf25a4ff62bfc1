//! Tests of Rust: several programs hold modules of the same names, so a name alone says nothing.

use std::collections::HashMap;

use super::place::{Files, Id as PlaceId, Places, Resolved};
use super::tree::{Id, Tree};
use super::{Case, Outcome, Runner};

/// What a program is made of, as its runner tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    Library,
    Binary(String),
    Test(String),
    /// The unit tests of a library or of a program; the file that they begin at, if it is told.
    Unit(Option<String>),
    /// It is not told which one it is.
    Unknown,
}

/// One test program; names have `_` for `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Program {
    package: Option<String>,
    target: Target,
}

/// Where a file belongs.
#[derive(Debug)]
struct Module<'a> {
    /// Of its package, if it is known.
    names: Option<Vec<String>>,
    /// Of the package's folder.
    folder: String,
    /// From there.
    rest: &'a str,
    target: Kind<'a>,
    words: Vec<&'a str>,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind<'a> {
    Source,
    Binary(&'a str),
    Test(&'a str),
}

/// Results of Rust programs.
#[derive(Debug, Default)]
pub(super) struct Programs<'a> {
    all: Vec<(Program, Id)>,
    ids: HashMap<Program, usize>,
    tree: Tree<'a>,
    modules: HashMap<PlaceId, Module<'a>>,
    by_words: HashMap<Vec<&'a str>, Vec<PlaceId>>,
    resolved: HashMap<(usize, Vec<&'a str>), Resolved>,
    fitting: HashMap<PlaceId, Vec<usize>>,
}

impl<'a> Programs<'a> {
    pub(super) fn new(files: &Files, places: &Places<'a>, rust: impl Iterator<Item = PlaceId>) -> Self {
        let mut out = Self::default();
        for id in rust {
            if let Some(module) = module(places.path(id), files) {
                out.by_words.entry(module.words.clone()).or_default().push(id);
                out.modules.insert(id, module);
            }
        }
        out
    }

    /// Takes a test in; `false`: it may be one of another language as well.
    pub(super) fn insert(&mut self, case: &Case, spellings: &[Vec<&'a str>], name: &[&'a str]) -> bool {
        let program = program(case);
        let known = program.target != Target::Unknown;
        let at = *self.ids.entry(program.clone()).or_insert_with(|| {
            self.all.push((program, self.tree.root()));
            self.all.len() - 1
        });
        let Some(root) = self.all.get(at).map(|it| it.1) else { return false };
        if known {
            self.tree.insert(root, name, case.outcome);
        } else {
            // A bare name may be one of any language.
            for words in spellings.iter().filter(|it| 1 < it.len() || case.runner == Runner::Cargo) {
                self.tree.insert(root, words, case.outcome);
            }
        }
        known && (case.runner == Runner::Cargo || case.name.contains("::"))
    }

    /// What `path` in the file came to, and what is told about the files that it may be in just as well. `below`: with
    /// all that it holds; some macros make several tests of one.
    pub(super) fn of(
        &mut self,
        place: PlaceId,
        path: &[&str],
        below: bool,
    ) -> (Option<Outcome>, Vec<(String, Vec<PlaceId>)>) {
        let (mut out, mut told) = (None, Vec::new());
        let Some(words) = self.modules.get(&place).map(|it| it.words.clone()) else { return (out, told) };
        if words.is_empty() && path.is_empty() {
            return (out, told);
        }
        for program in self.fitting(place) {
            let Some(root) = self.all.get(program).map(|it| it.1) else { continue };
            let whole: Vec<&str> = words.iter().copied().chain(path.iter().copied()).collect();
            let Some(node) = self.tree.find(root, &whole) else { continue };
            let found = if below { self.tree.below(node) } else { self.tree.own(node) };
            let Some(outcome) = found else { continue };
            match self.resolve(program, &words) {
                Resolved::One(id) if id == place => out = out.max(Some(outcome)),
                Resolved::Several(ids) if ids.contains(&place) => told.push((whole.join("::"), ids)),
                _ => {}
            }
        }
        (out, told)
    }

    fn fitting(&mut self, place: PlaceId) -> Vec<usize> {
        if let Some(known) = self.fitting.get(&place) {
            return known.clone();
        }
        let Some(module) = self.modules.get(&place) else { return Vec::new() };
        let all = self.all.iter().enumerate();
        let out: Vec<usize> = all.filter(|(_, it)| rank(&it.0, module).is_some()).map(|it| it.0).collect();
        self.fitting.insert(place, out.clone());
        out
    }

    /// The file that has these modules in this program.
    fn resolve(&mut self, program: usize, words: &[&'a str]) -> Resolved {
        let key = (program, words.to_vec());
        if let Some(known) = self.resolved.get(&key) {
            return known.clone();
        }
        let all = self.by_words.get(words).map(Vec::as_slice).unwrap_or_default();
        let out = Resolved::best(all.iter().filter_map(|id| {
            let (program, module) = self.all.get(program).zip(self.modules.get(id))?;
            Some((rank(&program.0, module)?, *id))
        }));
        self.resolved.insert(key, out.clone());
        out
    }
}

fn normal(word: &str) -> String {
    word.replace('-', "_")
}

fn program(case: &Case) -> Program {
    let unknown = Program { package: None, target: Target::Unknown };
    match case.runner {
        Runner::Cargo => {
            let source = case.source.as_deref().unwrap_or_default();
            let name = normal(&case.suite);
            if source.starts_with("tests/") {
                Program { package: None, target: Target::Test(name) }
            } else if name.is_empty() || source.starts_with("examples/") || source.starts_with("benches/") {
                unknown
            } else {
                Program { package: Some(name), target: Target::Unit(case.source.clone()) }
            }
        }
        // The name of its binary stands in both, as in `shop`, `shop::bin/till` and `shop::it`.
        Runner::Junit if !case.suite.is_empty() && case.suite == case.class => {
            let (package, rest) = case.suite.split_once("::").unwrap_or((&case.suite, ""));
            let target = match rest.split_once('/') {
                Some(("bin", name)) => Target::Binary(normal(name)),
                Some(_) => return unknown,
                None if rest.is_empty() => Target::Library,
                None => Target::Test(normal(rest)),
            };
            Program { package: Some(normal(package)), target }
        }
        Runner::Junit => unknown,
    }
}

/// How well a file fits a program; `None`: it is not part of it.
fn rank(program: &Program, module: &Module<'_>) -> Option<usize> {
    let package = |wanted: &str| match &module.names {
        Some(names) => names.iter().any(|it| it == wanted).then_some(2),
        None if module.folder.is_empty() => Some(0),
        None => (module.folder == wanted).then_some(1),
    };
    let of_package = program.package.as_deref().map_or(Some(0), package);
    let fits = match (&program.target, &module.target) {
        (Target::Unknown, _) => return Some(0),
        (Target::Library, Kind::Source) => module.rest != "src/main.rs",
        (Target::Binary(_), Kind::Source) => module.rest != "src/lib.rs",
        (Target::Binary(name), Kind::Binary(of)) | (Target::Test(name), Kind::Test(of)) => {
            *name == normal(of)
        }
        (Target::Unit(source), Kind::Source) => {
            // What begins at the one is no test of the other; modules may be part of both.
            let root = matches!(module.rest, "src/lib.rs" | "src/main.rs");
            !root || source.as_deref().is_none_or(|it| it == module.rest)
        }
        // The program's name is the file's, not the package's.
        (Target::Unit(_), Kind::Binary(of)) => {
            return (program.package.as_deref() == Some(&normal(of))).then_some(0);
        }
        _ => false,
    };
    of_package.filter(|_| fits)
}

/// `None`: it is no part of a program that tests of its own are run of.
fn module<'a>(path: &'a str, files: &Files) -> Option<Module<'a>> {
    let known = path.match_indices('/').map(|it| &path[..it.0]).chain([""]).filter(|it| {
        let below = if it.is_empty() { path } else { &path[it.len() + 1..] };
        files.packages.contains_key(*it) && (below.starts_with("src/") || below.starts_with("tests/"))
    });
    let folder = known.max_by_key(|it| it.len()).or_else(|| {
        let whole = format!("/{path}");
        let at = whole.rfind("/src/").or_else(|| whole.rfind("/tests/"))?;
        path.get(..at.saturating_sub(1))
    })?;
    let rest = path.get(folder.len()..)?.trim_start_matches('/');
    let parts: Vec<&str> = rest.strip_suffix(".rs")?.split('/').collect();
    let (target, mut words) = match parts.as_slice() {
        ["src", "bin", name, inner @ ..] => (Kind::Binary(name), inner.to_vec()),
        ["src", inner @ ..] => (Kind::Source, inner.to_vec()),
        ["tests", name, inner @ ..] => (Kind::Test(name), inner.to_vec()),
        _ => return None,
    };
    let root = words.len() == 1 && matches!(words.first(), Some(&("lib" | "main")));
    if root || words.last() == Some(&"mod") {
        words.pop();
    }
    let names = files.packages.get(folder).map(|it| it.iter().map(|name| normal(name)).collect());
    let folder = normal(folder.rsplit('/').next().unwrap_or(folder));
    Some(Module { names, folder, rest, target, words })
}
