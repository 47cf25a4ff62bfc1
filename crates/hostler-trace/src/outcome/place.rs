//! Which file of the project a runner means: it spells them in its own way, and seldom in full.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The project's files, to tell which of them a result is about. Those without tags count, too: a result that may be
/// theirs makes nobody else's requirement green.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Paths from the project's top folder, with `/`.
    pub paths: Vec<String>,
    /// Rust packages by folder (empty for the top): the names of the package, its library and its programs.
    pub packages: BTreeMap<String, Vec<String>>,
}

/// One of [`Places`].
pub(super) type Id = usize;

/// What a spelling stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resolved {
    Nothing,
    One(Id),
    /// It fits these equally well.
    Several(Vec<Id>),
}

impl Resolved {
    /// The best of `all`; nothing is better than anything that ranks as high.
    pub(super) fn best<R: Ord>(all: impl Iterator<Item = (R, Id)>) -> Self {
        let mut best: Option<(R, Vec<Id>)> = None;
        for (rank, id) in all {
            match &mut best {
                Some((known, _)) if rank < *known => {}
                Some((known, ids)) if rank == *known => ids.push(id),
                _ => best = Some((rank, vec![id])),
            }
        }
        match best.map(|it| it.1) {
            None => Self::Nothing,
            Some(ids) if ids.len() == 1 => ids.first().map_or(Self::Nothing, |it| Self::One(*it)),
            Some(ids) => Self::Several(ids),
        }
    }
}

#[derive(Debug)]
struct Place<'a> {
    path: &'a str,
    /// From the first dot of its name on.
    extension: &'a str,
    words: Vec<&'a str>,
}

/// All files.
#[derive(Debug, Default)]
pub(super) struct Places<'a> {
    all: Vec<Place<'a>>,
    by_path: HashMap<&'a str, Id>,
    by_name: HashMap<&'a str, Vec<Id>>,
    by_last_word: HashMap<(&'a str, &'a str), Vec<Id>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut out = Self::default();
        let mut go_folders = BTreeSet::new();
        for path in paths.collect::<BTreeSet<_>>() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let extension = name.split_once('.').map_or("", |it| it.1);
            let words = words(path);
            let id = out.all.len();
            out.by_path.insert(path, id);
            out.by_name.entry(name).or_default().push(id);
            // A package of Go is its folder: any of its files stands for the others.
            if let Some(last) = words.last().filter(|_| extension != "go" || go_folders.insert(folder)) {
                out.by_last_word.entry((extension, last)).or_default().push(id);
            }
            out.all.push(Place { path, extension, words });
        }
        out
    }

    pub(super) fn id(&self, path: &str) -> Option<Id> {
        self.by_path.get(path).copied()
    }

    pub(super) fn with_extension(&self, extension: &str) -> impl Iterator<Item = Id> {
        self.all.iter().enumerate().filter(move |(_, it)| it.extension == extension).map(|it| it.0)
    }

    pub(super) fn path(&self, id: Id) -> &'a str {
        self.all.get(id).map_or("", |it| it.path)
    }

    pub(super) fn words(&self, id: Id) -> &[&'a str] {
        self.all.get(id).map_or(&[], |it| &it.words)
    }

    pub(super) fn extension(&self, id: Id) -> &'a str {
        self.all.get(id).map_or("", |it| it.extension)
    }

    /// `id` is what `other` stands for.
    pub(super) fn is(&self, id: Id, other: Id) -> bool {
        id == other
            || self
                .all
                .get(id)
                .zip(self.all.get(other))
                .is_some_and(|(a, b)| a.extension == "go" && b.extension == "go" && a.words == b.words)
    }

    /// The file that a runner names by its path, in full or in part.
    pub(super) fn of_path(&self, spelled: &str) -> Resolved {
        let spelled = spelled.trim_start_matches("file://").replace('\\', "/");
        let spelled = spelled.trim_start_matches("./");
        let name = spelled.rsplit('/').next().unwrap_or(spelled);
        let all = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        Resolved::best(all.iter().filter_map(|id| {
            let path = self.path(*id);
            let fits = ends_with_path(path, spelled) || ends_with_path(spelled, path);
            // A tie is broken by nothing but the whole of it.
            fits.then(|| ((path == spelled, path.len().min(spelled.len())), *id))
        }))
    }

    /// The file of this kind that a runner names by words, as `tests.test_cart` or `com.shop.CartTest`.
    pub(super) fn of_words(&self, spelled: &[&str], extension: &str) -> Resolved {
        let Some(last) = spelled.last() else { return Resolved::Nothing };
        let all = self.by_last_word.get(&(extension, *last)).map(Vec::as_slice).unwrap_or_default();
        Resolved::best(all.iter().filter_map(|id| {
            let words = self.words(*id);
            let common = common_suffix(spelled, words);
            let fits = common == spelled.len() || common == words.len();
            fits.then_some(((spelled == words, common), *id))
        }))
    }
}

/// Folders and file without what is never told.
fn words(path: &str) -> Vec<&str> {
    let mut out: Vec<&str> = path.split('/').collect();
    let file = out.pop().unwrap_or_default();
    let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
    // The package of Go is the folder.
    if extension != "go" && !matches!(stem, "mod" | "lib" | "main" | "__init__" | "index") {
        out.push(stem);
    }
    out
}

pub(super) fn common_suffix(one: &[&str], other: &[&str]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}
