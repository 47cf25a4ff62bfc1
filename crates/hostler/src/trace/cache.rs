//! What is known of files from the last time, by size, times and inode: a text file in the project's state folder. It is
//! only ever a shortcut: what is damaged, of another build or of other settings is not there.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use hostler_ledger::file::write_atomic;
use hostler_ledger::journal::sha256_hex;
use hostler_trace::tag::Tag;

/// Changes with what is stored and with how tags are read.
const VERSION: &str = "hostler-trace 1";
/// A file that changed this shortly before it was read may change again without its times telling, nanoseconds; some file
/// systems count in two seconds.
const RACY_NS: i64 = 2_000_000_000;
/// Largest cache that is read, bytes.
const BYTES_MAX: u64 = 512 * 1024 * 1024;

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    modified_ns: i64,
    changed_ns: i64,
    inode: u64,
}

impl Stamp {
    #[cfg(unix)]
    pub(super) fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let ns = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            size: meta.len(),
            modified_ns: ns(meta.mtime(), meta.mtime_nsec()),
            changed_ns: ns(meta.ctime(), meta.ctime_nsec()),
            inode: meta.ino(),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(meta: &Metadata) -> Self {
        let since = meta.modified().ok().and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = since.and_then(|it| i64::try_from(it.as_nanos()).ok()).unwrap_or_default();
        Self { size: meta.len(), modified_ns, changed_ns: 0, inode: 0 }
    }

    /// Old enough at `now_ns` for its times to tell the next change.
    fn is_settled(&self, now_ns: i64) -> bool {
        self.modified_ns.max(self.changed_ns).saturating_add(RACY_NS) < now_ns
    }
}

/// What was found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen<'a> {
    Binary,
    /// Tags as JSON; empty for none.
    Text(&'a str),
}

/// A cache as it was read.
pub(super) struct Cache {
    text: String,
    /// By path: the stamp, and where in `text` the rest stands.
    entries: HashMap<String, (Stamp, bool, std::ops::Range<usize>)>,
}

impl Cache {
    /// The cache of the project at `root`, with `settings` in force.
    pub(super) fn file(state: &Path, root: &Path) -> PathBuf {
        let digest = sha256_hex(root.as_os_str().as_encoded_bytes());
        state.join("trace").join(format!("{}.cache", &digest[..12]))
    }

    pub(super) fn empty() -> Self {
        Self { text: String::new(), entries: HashMap::new() }
    }

    /// Reads a cache; whatever is wrong with it makes an empty one.
    pub(super) fn load(file: &Path, settings: &str) -> Self {
        let small = std::fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= BYTES_MAX);
        let text = if small { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
        Self::parse(text, settings).unwrap_or_else(Self::empty)
    }

    fn parse(text: String, settings: &str) -> Option<Self> {
        let body_end = text.trim_end_matches('\n').rfind('\n')? + 1;
        let digest = text[body_end..].trim_end().strip_prefix("end ")?;
        if digest != sha256_hex(&text.as_bytes()[..body_end]) {
            return None;
        }
        let mut lines = text[..body_end].split_inclusive('\n');
        let first = lines.next()?;
        if first.trim_end() != header(settings) {
            return None;
        }
        let mut at = first.len();
        let mut entries = HashMap::new();
        for line in lines {
            let whole = line.trim_end_matches('\n');
            let mut cells = whole.splitn(7, '\t');
            let size = cells.next()?.parse().ok()?;
            let modified_ns = cells.next()?.parse().ok()?;
            let changed_ns = cells.next()?.parse().ok()?;
            let inode = cells.next()?.parse().ok()?;
            let binary = cells.next()? == "b";
            let path = cells.next()?.to_owned();
            let tags = cells.next()?;
            let end = at + whole.len();
            let stamp = Stamp { size, modified_ns, changed_ns, inode };
            entries.insert(path, (stamp, binary, end - tags.len()..end));
            at += line.len();
        }
        Some(Self { text, entries })
    }

    /// What was found in `path` in the state that `stamp` tells.
    pub(super) fn get(&self, path: &str, stamp: Stamp) -> Option<Seen<'_>> {
        let (known, binary, range) = self.entries.get(path)?;
        (*known == stamp).then(|| {
            if *binary { Seen::Binary } else { Seen::Text(self.text.get(range.clone()).unwrap_or_default()) }
        })
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

fn header(settings: &str) -> String {
    format!("{VERSION} {} {}", env!("CARGO_PKG_VERSION"), sha256_hex(settings.as_bytes()))
}

/// A new cache while it is made.
pub(super) struct Draft {
    text: String,
    now_ns: i64,
}

impl Draft {
    pub(super) fn new(settings: &str, now_ns: i64) -> Self {
        Self { text: format!("{}\n", header(settings)), now_ns }
    }

    /// Adds a file, unless its times could not tell its next change or its name does not fit into a line.
    pub(super) fn add(&mut self, path: &str, stamp: Stamp, binary: bool, tags: &str) {
        if !stamp.is_settled(self.now_ns) || path.contains(['\t', '\n', '\r']) {
            return;
        }
        let Stamp { size, modified_ns, changed_ns, inode } = stamp;
        let kind = if binary { 'b' } else { 't' };
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{size}\t{modified_ns}\t{changed_ns}\t{inode}\t{kind}\t{path}\t{tags}");
    }

    pub(super) fn write(mut self, file: &Path) -> Result<(), hostler_ledger::file::Error> {
        let digest = sha256_hex(self.text.as_bytes());
        let _ = writeln!(self.text, "end {digest}");
        write_atomic(file, self.text.as_bytes())
    }
}

/// Tags as they are stored; empty for none.
pub(super) fn stored(tags: &[Tag]) -> String {
    if tags.is_empty() { String::new() } else { serde_json::to_string(tags).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const OLD: Stamp = Stamp { size: 5, modified_ns: 1, changed_ns: 2, inode: 3 };

    fn made(settings: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = Cache::file(folder.path(), Path::new("/p"));
        let mut draft = Draft::new(settings, 10 * RACY_NS);
        draft.add("a b.rs", OLD, false, "[{\"x\":1}]");
        draft.add("bin", OLD, true, "");
        draft.add("none.rs", OLD, false, "");
        // Changed just now, and a name that is no line.
        draft.add("racy.rs", Stamp { modified_ns: 9 * RACY_NS, ..OLD }, false, "");
        draft.add("a\tb", OLD, false, "");
        draft.write(&file).unwrap();
        (folder, file)
    }

    #[test]
    fn what_was_found_is_known_until_the_file_changes() {
        let (_folder, file) = made("s");
        let cache = Cache::load(&file, "s");
        assert_eq!(cache.len(), 3);
        assert_eq!(cache.get("a b.rs", OLD), Some(Seen::Text("[{\"x\":1}]")));
        assert_eq!(cache.get("bin", OLD), Some(Seen::Binary));
        assert_eq!(cache.get("none.rs", OLD), Some(Seen::Text("")));
        for other in [
            Stamp { size: 6, ..OLD },
            Stamp { modified_ns: 9, ..OLD },
            Stamp { changed_ns: 9, ..OLD },
            Stamp { inode: 9, ..OLD },
        ] {
            assert_eq!(cache.get("a b.rs", other), None);
        }
        assert_eq!(cache.get("racy.rs", Stamp { modified_ns: 9 * RACY_NS, ..OLD }), None);
    }

    #[test]
    fn what_is_damaged_or_of_other_settings_is_not_there() {
        let (folder, file) = made("s");
        assert_eq!(Cache::load(&file, "other").len(), 0);
        assert_eq!(Cache::load(folder.path(), "s").len(), 0);
        assert_eq!(Cache::load(&folder.path().join("missing"), "s").len(), 0);
        let whole = std::fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut cut = whole.clone();
            cut.truncate(at);
            std::fs::write(&file, &cut).unwrap();
            // The last byte is a line end that nothing hangs on.
            assert!(at == whole.len() - 1 || Cache::load(&file, "s").len() == 0, "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(at == whole.len() - 1 || Cache::load(&file, "s").len() == 0, "changed at {at}");
        }
    }
}
