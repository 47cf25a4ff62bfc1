//! Paths, folders and patterns -> the sessions in them.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use hostler_host::opencode::export;
use memchr::memmem;

/// How much of a file's beginning tells what it is.
pub(super) const HEAD_BYTES: u64 = 64 * 1024;
/// Files that could not be read are named as far as this.
const TOLD_MAX: usize = 100;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines of Claude Code.
    Transcript,
    /// An export of `OpenCode`.
    Export,
    /// A journal of ours.
    Journal,
    /// Nothing.
    Empty,
    /// Something else.
    Unknown,
}

/// The files of one session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Standard input.
    Stdin,
    /// A transcript and those of the session's subagents, or only the latter.
    Transcript {
        /// The session's own.
        main: Option<PathBuf>,
        /// Of its subagents.
        agents: Vec<PathBuf>,
    },
    /// An export.
    Export(PathBuf),
    /// The journals of one session, oldest first.
    Journals(Vec<PathBuf>),
}

impl Job {
    /// The file by which it is known.
    pub(crate) fn name(&self) -> PathBuf {
        match self {
            Self::Stdin => PathBuf::from("-"),
            Self::Export(path) | Self::Transcript { main: Some(path), .. } => path.clone(),
            Self::Transcript { main: None, agents } => agents.first().cloned().unwrap_or_default(),
            Self::Journals(paths) => paths.last().cloned().unwrap_or_default(),
        }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The sessions, by their files' names.
    pub(crate) jobs: Vec<Job>,
    /// Bytes of all files.
    pub(crate) bytes: u64,
    /// Files and folders that could not be read, and why.
    pub(crate) problems: Vec<String>,
    /// Problems that are not named since there were too many.
    pub(crate) problems_omitted: u64,
    /// Files that hold nothing.
    pub(crate) empty: u64,
}

/// Finds the sessions at `paths`: files, folders (with all below), patterns with `*`, and `-`.
pub(crate) fn find(paths: &[PathBuf]) -> Found {
    let mut finder = Finder::default();
    for path in paths {
        if path == Path::new("-") {
            if !finder.found.jobs.contains(&Job::Stdin) {
                finder.found.jobs.push(Job::Stdin);
            }
        } else {
            finder.path(path);
        }
    }
    finder.finish()
}

/// A file and what its beginning tells.
struct Seen {
    form: Form,
    /// The session that it names.
    session: Option<String>,
    /// The number of the first record, in a journal.
    sequence: u64,
}

#[derive(Default)]
struct Finder {
    found: Found,
    folders: HashSet<(u64, u64)>,
    files: HashSet<(u64, u64)>,
    seen: BTreeMap<PathBuf, Seen>,
}

impl Finder {
    fn path(&mut self, path: &Path) {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.folder(path),
            Ok(_) => {
                self.file(path, true);
                self.subagents_of(path);
            }
            Err(error) if error.kind() == ErrorKind::NotFound && is_pattern(path) => self.pattern(path),
            Err(error) => self.problem(path, &error),
        }
    }

    fn problem(&mut self, path: &Path, problem: &dyn std::fmt::Display) {
        if self.found.problems.len() == TOLD_MAX {
            self.found.problems_omitted += 1;
        } else {
            self.found.problems.push(format!("{}: {problem}", path.display()));
        }
    }

    fn folder(&mut self, folder: &Path) {
        for path in self.list(folder) {
            match std::fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.folder(&path),
                Ok(meta) if meta.is_file() && is_candidate(&path) => self.file(&path, false),
                Ok(_) => {}
                // A link to nowhere.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => self.problem(&path, &error),
            }
        }
    }

    /// What stands in a folder, by name; nothing the second time, however one came there.
    fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        match std::fs::metadata(folder) {
            Ok(meta) if self.folders.insert((meta.dev(), meta.ino())) => {}
            Ok(_) => return Vec::new(),
            Err(error) => {
                self.problem(folder, &error);
                return Vec::new();
            }
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.problem(folder, &error);
                return Vec::new();
            }
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort_unstable();
        paths
    }

    /// `named`: the user named it, and is told when it is something else.
    fn file(&mut self, path: &Path, named: bool) {
        let (meta, head) = match head(path) {
            Ok(both) => both,
            Err(error) => return self.problem(path, &error),
        };
        if !self.files.insert((meta.dev(), meta.ino())) {
            return;
        }
        let form = form(&head);
        match form {
            Form::Empty => self.found.empty += 1,
            Form::Unknown if named => {
                self.problem(path, &"neither a transcript, nor an export of a session, nor a journal");
            }
            Form::Unknown => {}
            Form::Transcript | Form::Export | Form::Journal => {
                self.found.bytes += meta.len();
                let session = match form {
                    Form::Journal => member(&head, b"\"gen_ai.conversation.id\":\""),
                    _ => member(&head, b"\"sessionId\":\""),
                };
                let sequence = number(&head, b"\"seq\":").unwrap_or_default();
                self.seen.insert(path.to_path_buf(), Seen { form, session, sequence });
            }
        }
    }

    /// A session that is named alone brings its subagents with it.
    fn subagents_of(&mut self, path: &Path) {
        let transcript = self.seen.get(path).is_some_and(|seen| seen.form == Form::Transcript);
        let (Some(stem), Some(folder)) = (path.file_stem(), path.parent()) else { return };
        if !transcript || is_agent(path) {
            return;
        }
        let own = folder.join(stem).join("subagents");
        if own.is_dir() {
            self.folder(&own);
        }
        let Ok(entries) =
            std::fs::read_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        else {
            return;
        };
        let mut beside: Vec<PathBuf> = entries
            .filter_map(|entry| Some(folder.join(entry.ok()?.file_name())))
            .filter(|path| is_agent(path) && is_candidate(path))
            .collect();
        beside.sort_unstable();
        for path in beside {
            let of = head(&path).ok().and_then(|(_, head)| member(&head, b"\"sessionId\":\""));
            if of.is_some_and(|of| stem == of.as_str()) {
                self.file(&path, false);
            }
        }
    }

    fn pattern(&mut self, pattern: &Path) {
        let fixed: PathBuf =
            pattern.components().take_while(|part| !is_pattern(Path::new(part.as_os_str()))).collect();
        let Some(matcher) = matcher(pattern) else {
            return self.problem(pattern, &"not a pattern that can be read");
        };
        let start = if fixed.as_os_str().is_empty() { PathBuf::from(".") } else { fixed.clone() };
        let before = self.seen.len();
        let mut folders = vec![start];
        let mut visited = HashSet::new();
        while let Some(folder) = folders.pop() {
            let Ok(meta) = std::fs::metadata(&folder) else { continue };
            if !visited.insert((meta.dev(), meta.ino())) {
                continue;
            }
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let path = if fixed.as_os_str().is_empty() && folder == Path::new(".") {
                    PathBuf::from(entry.file_name())
                } else {
                    folder.join(entry.file_name())
                };
                if matcher.is_match(&path) {
                    self.path(&path);
                } else if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        if before == self.seen.len() {
            self.problem(pattern, &"no file with sessions matches");
        }
    }

    fn finish(mut self) -> Found {
        let mut transcripts: BTreeMap<PathBuf, (bool, Vec<PathBuf>)> = BTreeMap::new();
        let mut journals: BTreeMap<(PathBuf, String), Vec<(u64, PathBuf)>> = BTreeMap::new();
        let mut jobs: Vec<Job> = Vec::new();
        for (path, seen) in std::mem::take(&mut self.seen) {
            match seen.form {
                Form::Transcript => match parent(&path, seen.session.as_deref()) {
                    None => transcripts.entry(path).or_default().0 = true,
                    Some(main) => transcripts.entry(main).or_default().1.push(path),
                },
                Form::Export => jobs.push(Job::Export(path)),
                Form::Journal => {
                    let session = seen.session.unwrap_or_else(|| path.display().to_string());
                    let project = project_of_journal(&path);
                    journals.entry((project, session)).or_default().push((seen.sequence, path));
                }
                Form::Empty | Form::Unknown => {}
            }
        }
        jobs.extend(
            transcripts
                .into_iter()
                .map(|(main, (there, agents))| Job::Transcript { main: there.then_some(main), agents }),
        );
        jobs.extend(journals.into_values().map(|mut files| {
            files.sort();
            Job::Journals(files.into_iter().map(|(_, path)| path).collect())
        }));
        jobs.sort_by_cached_key(Job::name);
        self.found.jobs.extend(jobs);
        self.found
    }
}

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[{".contains(byte))
}

fn matcher(pattern: &Path) -> Option<GlobMatcher> {
    let glob = GlobBuilder::new(pattern.to_str()?).literal_separator(true).build().ok()?;
    Some(glob.compile_matcher())
}

fn is_candidate(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "jsonl" || it == "json")
}

fn is_agent(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"agent-"))
}

/// The session's own transcript, for one of a subagent.
fn parent(path: &Path, session: Option<&str>) -> Option<PathBuf> {
    if !is_agent(path) {
        return None;
    }
    let folder = path.parent()?;
    if folder.file_name().is_some_and(|name| name == "subagents") {
        let session = folder.parent()?;
        return Some(session.with_file_name(format!("{}.jsonl", session.file_name()?.to_str()?)));
    }
    Some(folder.join(format!("{}.jsonl", session?)))
}

/// The folder that holds `sessions/` and `archive/`.
fn project_of_journal(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(path);
    let up = if folder.file_name().is_some_and(|name| name == "sessions") { 1 } else { 2 };
    folder.ancestors().nth(up).unwrap_or(folder).to_path_buf()
}

fn head(path: &Path) -> std::io::Result<(std::fs::Metadata, Vec<u8>)> {
    // Before the opening: that of a pipe would wait for a writer.
    let meta = std::fs::metadata(path)?;
    if !meta.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok((meta, head))
}

/// What a file holds, by its beginning. Damaged lines are no hindrance.
pub(super) fn form(head: &[u8]) -> Form {
    let has = |needle: &[u8]| memmem::find(head, needle).is_some();
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    if head.iter().all(blank) {
        return Form::Empty;
    }
    if export::is_export(head) {
        return Form::Export;
    }
    if has(b"\"prev\":\"") && has(b"\"hash\":\"") && has(b"\"seq\":") {
        return Form::Journal;
    }
    let spaced = has(b"\"sessionId\"") || has(b"\"parentUuid\"");
    if spaced || (has(b"\"message\"") && (has(b"\"assistant\"") || has(b"\"user\""))) {
        return Form::Transcript;
    }
    Form::Unknown
}

/// The first value of a member that holds text without escapes.
fn member(head: &[u8], key: &[u8]) -> Option<String> {
    let rest = head.get(memmem::find(head, key)? + key.len()..)?;
    let value = rest.get(..memchr::memchr(b'"', rest)?)?;
    std::str::from_utf8(value).ok().map(str::to_owned)
}

fn number(head: &[u8], key: &[u8]) -> Option<u64> {
    let rest = head.get(memmem::find(head, key)? + key.len()..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    const LINE: &str = r#"{"parentUuid":null,"type":"user","sessionId":"S","message":{"content":"hi"}}"#;

    fn world() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("projects/-home-dev-shop/S.jsonl", LINE);
        put("projects/-home-dev-shop/S/subagents/agent-a1.jsonl", LINE);
        put("projects/-home-dev-shop/agent-a2.jsonl", LINE);
        put("projects/-home-dev-shop/T.jsonl", &LINE.replace("\"S\"", "\"T\""));
        put("projects/-home-dev-shop/empty.jsonl", "\n");
        put("projects/-home-dev-shop/notes.json", "{\"a\":1}");
        put("projects/-home-dev-shop/picture.png", "x");
        put("projects/other/agent-a3.jsonl", LINE);
        put("projects/other/export.json", "{\"info\":{}}");
        put("state/sessions/J.jsonl", r#"{"gen_ai.conversation.id":"J","seq":9,"prev":"x","hash":"y"}"#);
        put(
            "state/archive/2026-11-30/J_1.jsonl",
            r#"{"gen_ai.conversation.id":"J","seq":1,"prev":"x","hash":"y"}"#,
        );
        symlink(&root, root.join("projects/other/loop")).unwrap();
        symlink("nowhere", root.join("projects/other/dangling.jsonl")).unwrap();
        (folder, root)
    }

    fn paths(job: &Job) -> Vec<&Path> {
        match job {
            Job::Stdin => Vec::new(),
            Job::Export(path) => vec![path],
            Job::Transcript { main, agents } => main.iter().chain(agents).map(PathBuf::as_path).collect(),
            Job::Journals(paths) => paths.iter().map(PathBuf::as_path).collect(),
        }
    }

    fn names(root: &Path, found: &Found) -> Vec<String> {
        let short = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        found
            .jobs
            .iter()
            .map(|job| paths(job).into_iter().map(short).collect::<Vec<_>>().join(" + "))
            .collect()
    }

    const ALL: [&str; 5] = [
        "projects/-home-dev-shop/S.jsonl + projects/-home-dev-shop/S/subagents/agent-a1.jsonl + projects/-home-dev-shop/agent-a2.jsonl",
        "projects/-home-dev-shop/T.jsonl",
        "projects/other/agent-a3.jsonl",
        "projects/other/export.json",
        "state/archive/2026-11-30/J_1.jsonl + state/sessions/J.jsonl",
    ];

    #[test]
    fn folders_are_searched_once_and_files_belong_to_their_sessions() {
        let (_folder, root) = world();
        let found =
            find(&[root.clone(), root.join("projects"), root.join("projects/-home-dev-shop/T.jsonl")]);
        assert_eq!(found.problems, Vec::<String>::new());
        assert_eq!(names(&root, &found), ALL);
        assert_eq!(found.empty, 1);
    }

    #[test]
    fn a_session_that_is_named_brings_its_subagents() {
        let (_folder, root) = world();
        let found = find(&[root.join("projects/-home-dev-shop/S.jsonl")]);
        assert_eq!(names(&root, &found), ALL[..1]);
    }

    #[test]
    fn patterns_and_standard_input_are_paths_too() {
        let (_folder, root) = world();
        let found = find(&["-".into(), root.join("projects/*/*.jsonl"), "-".into()]);
        assert_eq!(found.jobs[0], Job::Stdin);
        assert_eq!(names(&root, &found)[1..], ALL[..3]);
        let found = find(&[root.join("projects/-home-*")]);
        assert_eq!(names(&root, &found), ALL[..2]);
        let found = find(&[root.join("projects/*.moon"), root.join("none.jsonl")]);
        assert_eq!(found.problems.len(), 2, "{found:?}");
    }

    #[test]
    fn what_is_no_record_is_told_when_it_was_named() {
        let (_folder, root) = world();
        let found = find(&[root.join("projects/-home-dev-shop/notes.json"), "/dev/null".into()]);
        assert!(found.jobs.is_empty());
        assert_eq!(found.problems.len(), 2, "{found:?}");
    }
}
