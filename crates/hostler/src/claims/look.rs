//! The state of a file that a claim names: in the project or a temporary folder, nowhere else.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hostler_model::{Place, lexical};
use hostler_policy::claims::FileState;

/// Claims that are looked after in one turn.
const LOOKS_MAX: usize = 64;
/// Entries of folders that are looked through for files that a message names without their folder.
const ENTRIES_MAX: usize = 5_000;
/// Longest path, bytes.
const PATH_BYTES_MAX: usize = 4_096;

/// Looks at files, a bounded number of times.
pub(crate) struct Looker<'a> {
    place: &'a Place,
    cwd: &'a Path,
    since_ms: Option<i64>,
    known: HashMap<String, Option<FileState>>,
    listed: Listed,
}

/// The files of the project, relative.
enum Listed {
    /// Nobody asked.
    NotYet,
    /// There are too many.
    TooMany,
    All(Vec<PathBuf>),
}

/// What stands at a path.
enum Found {
    State(FileState),
    Missing,
    /// Outside, or it could not be told.
    Unknown,
}

impl<'a> Looker<'a> {
    /// For a session in `place` that began at `since_ms` and is in `cwd` now.
    pub(crate) fn new(place: &'a Place, cwd: &'a Path, since_ms: Option<i64>) -> Self {
        Self { place, cwd, since_ms, known: HashMap::new(), listed: Listed::NotYet }
    }

    /// The state of `text`, a path as a message has it; `None` when it cannot be told for sure. A path that is
    /// relative may be meant from any folder: it is missing when no file of the project ends with it.
    pub(crate) fn look(&mut self, text: &str) -> Option<FileState> {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        if self.known.len() == LOOKS_MAX {
            return None;
        }
        let state = self.find(text);
        self.known.insert(text.to_owned(), state);
        state
    }

    fn find(&mut self, text: &str) -> Option<FileState> {
        if text.trim().is_empty()
            || PATH_BYTES_MAX < text.len()
            || text.contains(['\0', '\n', '*', '?', '[', '{'])
        {
            return None;
        }
        let home = self.place.home.as_deref();
        let anchored = text.starts_with('/') || text == "~" || text.starts_with("~/");
        let mut places = vec![lexical::expand(self.cwd, home, text)];
        if !anchored {
            places.push(lexical::absolute(&self.place.root, Path::new(text)));
        }
        for path in &places {
            match self.at(path) {
                Found::State(state) => return Some(state),
                Found::Unknown => return None,
                Found::Missing => {}
            }
        }
        if anchored { Some(FileState::Missing) } else { self.anywhere(text) }
    }

    fn at(&self, path: &Path) -> Found {
        if !self.inside(path) {
            return Found::Unknown;
        }
        // Where the path really leads, or would: a link must not take us out.
        let real = match std::fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let dangling = std::fs::symlink_metadata(path).is_ok();
                let folder = path.ancestors().skip(1).find_map(|folder| std::fs::canonicalize(folder).ok());
                let inside = folder.is_some_and(|folder| self.inside(&folder));
                return if inside && !dangling { Found::Missing } else { Found::Unknown };
            }
            Err(_) => return Found::Unknown,
        };
        if !self.inside(&real) {
            return Found::Unknown;
        }
        match std::fs::symlink_metadata(&real) {
            Ok(meta) => self.state(&meta).map_or(Found::Unknown, Found::State),
            Err(_) => Found::Unknown,
        }
    }

    fn inside(&self, path: &Path) -> bool {
        path.starts_with(&self.place.root) || self.place.temp.iter().any(|temp| path.starts_with(temp))
    }

    fn state(&self, meta: &Metadata) -> Option<FileState> {
        // A move changes the second time only.
        let changed_ms = meta.mtime().max(meta.ctime()).saturating_mul(1_000).saturating_add(999);
        Some(if changed_ms < self.since_ms? { FileState::Older } else { FileState::Changed })
    }

    fn anywhere(&mut self, text: &str) -> Option<FileState> {
        let wanted = lexical::absolute(Path::new("/"), Path::new(text));
        let wanted = wanted.strip_prefix("/").ok()?;
        if text.split('/').any(|part| part == "..") {
            return None;
        }
        let root = self.place.root.clone();
        if matches!(self.listed, Listed::NotYet) {
            self.listed = list(&root).map_or(Listed::TooMany, Listed::All);
        }
        let Listed::All(files) = &self.listed else { return None };
        let found: Vec<PathBuf> = files.iter().filter(|file| file.ends_with(wanted)).cloned().collect();
        if found.is_empty() {
            return Some(FileState::Missing);
        }
        let states: Vec<_> = found.iter().map(|file| self.at(&root.join(file))).collect();
        let state = |wanted| states.iter().any(|it| matches!(it, Found::State(state) if *state == wanted));
        [FileState::Changed, FileState::Older].into_iter().find(|it| state(*it))
    }
}

/// Everything below `root` but the repository's own folder, links not followed; `None` when it is too much or
/// a folder cannot be read.
fn list(root: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).ok()? {
            let entry = entry.ok()?;
            let path = folder.join(entry.file_name());
            if path == Path::new(".git") {
                continue;
            }
            if entry.file_type().ok()?.is_dir() {
                folders.push(path.clone());
            }
            found.push(path);
            if ENTRIES_MAX < found.len() {
                return None;
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::*;

    struct World {
        _folder: tempfile::TempDir,
        base: PathBuf,
        place: Place,
        since_ms: i64,
    }

    impl World {
        /// A project in which everything is older than the session, but for `new.rs` and `src/made.rs`.
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = fs::canonicalize(folder.path()).unwrap();
            let root = base.join("project");
            fs::create_dir_all(root.join("src/deep")).unwrap();
            fs::create_dir(base.join("outside")).unwrap();
            for name in ["project/old.rs", "project/src/deep/inner.rs", "outside/secret"] {
                fs::write(base.join(name), "x").unwrap();
            }
            let place = Place {
                root,
                home: Some(base.clone()),
                temp: vec!["/nonexistent-temp".into()],
                ..Place::default()
            };
            let now = SystemTime::now() + Duration::from_secs(10);
            let since_ms = i64::try_from(now.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
            Self { _folder: folder, base, place, since_ms }
        }

        #[track_caller]
        fn check(&self, text: &str, expected: Option<FileState>) {
            let cwd = self.place.root.join("src");
            let mut looker = Looker::new(&self.place, &cwd, Some(self.since_ms));
            assert_eq!(looker.look(text), expected, "{text}");
            assert_eq!(looker.look(text), expected, "{text} again");
        }
    }

    #[test]
    fn files_are_older_changed_or_missing() {
        let mut world = World::new();
        for text in
            ["old.rs", "../old.rs", "deep/inner.rs", "src/deep/inner.rs", "inner.rs", "~/project/old.rs"]
        {
            world.check(text, Some(FileState::Older));
        }
        world.check(world.base.join("project/old.rs").to_str().unwrap(), Some(FileState::Older));
        for text in ["new.rs", "src/new.rs", "lib/new.rs", "~/project/new.rs"] {
            world.check(text, Some(FileState::Missing));
        }
        world.since_ms = 0;
        world.check("inner.rs", Some(FileState::Changed));
    }

    #[test]
    fn nothing_outside_is_told() {
        let world = World::new();
        symlink(world.base.join("outside"), world.place.root.join("link")).unwrap();
        symlink(world.base.join("outside/secret"), world.place.root.join("leak")).unwrap();
        symlink("nowhere", world.place.root.join("dangling")).unwrap();
        for text in [
            "link/secret",
            "link/none",
            "leak",
            "dangling",
            "~/outside/secret",
            "/etc/passwd",
            "../../outside/secret",
        ] {
            world.check(text, None);
        }
        for text in ["", " ", "*.rs", "a\0b", "a\nb", "../none.rs/../../x"] {
            world.check(text, None);
        }
    }

    #[test]
    fn a_project_too_large_to_list_tells_nothing_of_bare_names() {
        let world = World::new();
        let folder = world.place.root.join("many");
        fs::create_dir(&folder).unwrap();
        for at in 0..=ENTRIES_MAX {
            fs::write(folder.join(at.to_string()), "").unwrap();
        }
        world.check("none.rs", None);
        world.check("~/project/none.rs", Some(FileState::Missing));
        world.check("old.rs", Some(FileState::Older));
    }

    #[test]
    fn looks_are_bounded() {
        let world = World::new();
        let cwd = world.place.root.clone();
        let mut looker = Looker::new(&world.place, &cwd, Some(0));
        for at in 0..LOOKS_MAX {
            assert_eq!(looker.look(&format!("~/project/{at}")), Some(FileState::Missing));
        }
        assert_eq!(looker.look("~/project/one-more"), None);
        assert_eq!(looker.look("~/project/1"), Some(FileState::Missing));
    }
}
