//! The repository as an object store. `git` is run with nothing of the user's environment, hooks or
//! settings that could change what is stored or wait for an answer.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use hostler_model::Place;

use super::header::{Header, Kind, Saved};
use super::scan::Entry;
use super::{Checkpoint, Clock, Error, Listing, Location, id_of};

/// Where our references are; everything below is ours alone.
pub(super) const REFS: &str = "refs/hostler/checkpoints/";

/// Attempts at reading a file that changes meanwhile.
const ATTEMPTS_MAX: u32 = 3;

/// Up to so many files all objects become loose ones, in paths of any usual depth. The pack that they come
/// from is thrown away: syncing it costs several milliseconds on a busy disk and protects nothing.
const LOOSE_MAX: usize = 32;

/// How much later than the writer itself notices the deadline git is killed.
const GRACE: Duration = Duration::from_millis(100);

const SETTINGS: &[&str] = &[
    // User hooks (`reference-transaction`) would fire at each reference.
    "core.hooksPath=/dev/null",
    // Since git 2.54 hooks can also be configured; this switches those of the event off.
    "hook.reference-transaction.enabled=false",
    "core.logAllRefUpdates=false",
    // `true` makes fast-import fold names that differ in case only.
    "core.ignoreCase=false",
    // A background process would race the next call.
    "gc.auto=0",
    "maintenance.auto=false",
    // Few objects become loose ones: a pack per edited file would slow every later git command.
    "fastimport.unpackLimit=100",
    "pack.compression=1",
    "core.looseCompression=1",
    // Headers are UTF-8, whatever the user reads logs in.
    "i18n.logOutputEncoding=UTF-8",
    "i18n.commitEncoding=UTF-8",
];

/// The name of a linked work tree; `None` for the main one, a submodule, and outside git.
pub(super) fn worktree_of(place: &Place) -> Option<String> {
    let git_dir = place.git_dir.as_deref()?;
    let common = place.git_common_dir.as_deref()?;
    (git_dir != common).then(|| git_dir.file_name()).flatten().map(|name| name.to_string_lossy().into_owned())
}

/// The checked-out commit as far as files tell: loose or packed references, not other formats.
pub(super) fn head_of(place: &Place) -> Option<String> {
    let git_dir = place.git_dir.as_deref()?;
    let common = place.git_common_dir.as_deref().unwrap_or(git_dir);
    let commit = |text: &str| {
        let name = text.trim();
        (40 <= name.len() && name.bytes().all(|it| it.is_ascii_hexdigit())).then(|| name.to_owned())
    };
    let head = std::fs::read_to_string(git_dir.join("HEAD")).ok()?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return commit(&head) };
    let loose = std::fs::read_to_string(common.join(name)).ok();
    loose.and_then(|text| commit(&text)).or_else(|| {
        let packed = File::open(common.join("packed-refs")).ok()?;
        let mut lines = BufReader::new(packed).lines().map_while(Result::ok);
        lines.find_map(|line| line.split_once(' ').filter(|it| it.1 == name).and_then(|it| commit(it.0)))
    })
}

/// A repository by its git folder; no work tree is involved.
pub(super) struct Repository {
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Repository {
    pub(super) fn new(git_dir: &Path, common_dir: &Path) -> Self {
        Self { git_dir: git_dir.to_path_buf(), common_dir: common_dir.to_path_buf() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        // Inside a hook git sets `GIT_INDEX_FILE` and more; traces would go to the user's files.
        for (name, _) in std::env::vars_os() {
            if name.as_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .current_dir(&self.git_dir);
        // An explicit git folder also needs no `safe.directory`.
        let mut git_dir = std::ffi::OsString::from("--git-dir=");
        git_dir.push(&self.git_dir);
        command.arg(git_dir);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        command
    }

    /// Stores the entries and makes the reference, all or nothing.
    pub(super) fn write(&self, header: &mut Header, entries: &[Entry], clock: &Clock) -> Result<(), Error> {
        let import = ["fast-import", "--quiet", "--done", "--depth=0", "--date-format=raw"];
        let mut command = if entries.len() <= LOOSE_MAX {
            self.command(&[&["-c", "core.fsync=-pack"], import.as_slice()].concat())
        } else {
            self.command(&import)
        };
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut git = Running::spawn("fast-import", &mut command, clock)?;
        let written = match git.stdin.take() {
            Some(stdin) => {
                let mut stream = Stream { out: BufWriter::with_capacity(64 << 10, stdin), mark: 0, clock };
                stream.all(header, entries)
            }
            None => Ok(()),
        };
        // Without `done` git ends with an error and makes no reference.
        let ended = git.finish();
        let result = match (written, ended) {
            (Err(Failure::Pipe(error)), Ok(())) => Err(Error::NoGit(error)),
            // When the pipe broke because git ended, what git says is the reason.
            (Ok(()) | Err(Failure::Pipe(_)), ended) => ended,
            (Err(Failure::Entry(error)), _) => Err(error),
        };
        result.map_err(|error| self.after_failure(git.id, error))
    }

    /// Removes git's report of the failure, and names a read-only repository as what it is.
    fn after_failure(&self, process: u32, error: Error) -> Error {
        for folder in [&self.git_dir, &self.common_dir] {
            let _ = std::fs::remove_file(folder.join(format!("fast_import_crash_{process}")));
        }
        match &error {
            Error::Git { message, .. }
                if ["ermission denied", "ead-only file system", "nsufficient permission"]
                    .iter()
                    .any(|it| message.contains(it)) =>
            {
                Error::ReadOnly { path: self.common_dir.clone() }
            }
            _ => error,
        }
    }

    /// Runs a command to its end and returns what it printed.
    fn run(&self, arguments: &[&str], input: &[u8], clock: &Clock) -> Result<Vec<u8>, Error> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let name = COMMANDS.iter().copied().find(|it| arguments.first() == Some(it)).unwrap_or("command");
        let mut git = Running::spawn(name, &mut command, clock)?;
        if let Some(mut stdin) = git.stdin.take() {
            // If the pipe breaks, git tells why when it ends.
            let _ = stdin.write_all(input);
        }
        let mut out = Vec::new();
        if let Some(mut stdout) = git.stdout.take() {
            let _ = stdout.read_to_end(&mut out);
        }
        git.finish()?;
        Ok(out)
    }

    pub(super) fn last_number(&self, session: &str, clock: &Clock) -> Result<u64, Error> {
        let below = format!("{REFS}{session}/");
        let out = self.run(&["for-each-ref", "--format=%(refname)", &below], b"", clock)?;
        let names = String::from_utf8_lossy(&out);
        Ok(names.lines().filter_map(|name| number_of(name.strip_prefix(&below)?)).max().unwrap_or(0))
    }

    pub(super) fn list(&self, listing: &mut Listing, clock: &Clock) -> Result<(), Error> {
        let format = "--format=%(refname)%00%(contents:body)%00";
        let out = self.run(&["for-each-ref", format, REFS], b"", clock)?;
        let mut fields = out.split(|byte| *byte == 0);
        while let (Some(name), Some(body)) = (fields.next(), fields.next()) {
            let name = String::from_utf8_lossy(name.trim_ascii()).into_owned();
            let Some(own) = name.strip_prefix(REFS) else { continue };
            match Header::parse(body) {
                Ok(header) if name == reference(&header) => listing.checkpoints.push(Checkpoint {
                    id: id_of(&header.session, header.number),
                    header,
                    location: Location::Reference(name),
                }),
                Ok(_) => listing.damaged.push((own.to_owned(), "it was made under another name".to_owned())),
                Err(why) => listing.damaged.push((own.to_owned(), why)),
            }
        }
        Ok(())
    }

    pub(super) fn files(&self, name: &str, header: &Header, clock: &Clock) -> Result<Vec<Saved>, Error> {
        let damaged =
            || Error::Damaged { id: name.to_owned(), why: "its tree is not one of ours".to_owned() };
        let exceptions = header.modes.by_path();
        let out = self.run(&["ls-tree", "-r", "-z", "--long", "--full-tree", name], b"", clock)?;
        let mut files = Vec::new();
        for line in out.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(damaged)?;
            let words = String::from_utf8_lossy(&line[..tab]);
            let mut words = words.split_ascii_whitespace();
            let (Some(mode), Some("blob"), Some(content), Some(bytes)) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                return Err(damaged());
            };
            let path = unescaped(&line[tab + 1..]);
            let mode_kept = exceptions.get(path.as_path()).copied();
            files.push(Saved {
                kind: if mode == "120000" { Kind::Link } else { Kind::File },
                mode: mode_kept.unwrap_or_else(|| header.modes.usual(mode == "100755")),
                // `BAD` when the object is missing: told when its content is asked for, so that the others
                // can still be restored.
                bytes: bytes.parse().unwrap_or(0),
                modified_ns: None,
                content: content.to_owned(),
                path,
            });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    pub(super) fn contents<'f>(
        &self,
        files: impl Iterator<Item = &'f Saved>,
        each: &mut dyn FnMut(&'f Saved, &mut dyn Read) -> Result<(), Error>,
        clock: &Clock,
    ) -> Result<(), Error> {
        let mut files = files.peekable();
        if files.peek().is_none() {
            return Ok(());
        }
        let mut command = self.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut git = Running::spawn("cat-file", &mut command, clock)?;
        let (Some(mut ask), Some(answers)) = (git.stdin.take(), git.stdout.take()) else {
            return git.finish();
        };
        let mut answers = BufReader::with_capacity(64 << 10, answers);
        for file in files {
            let lost = |_: io::Error| Error::Damaged {
                id: file.content.clone(),
                why: format!("the object of `{}` is missing", file.path.display()),
            };
            let mut line = String::new();
            let asked = writeln!(ask, "{}", file.content).and_then(|()| answers.read_line(&mut line));
            if asked.is_err() || line.is_empty() {
                drop(ask);
                return git.finish().and(Err(lost(io::ErrorKind::UnexpectedEof.into())));
            }
            let size = line.split_ascii_whitespace().nth(2).and_then(|word| word.parse::<u64>().ok());
            let size = size.ok_or_else(|| lost(io::ErrorKind::NotFound.into()))?;
            let mut bytes = (&mut answers).take(size);
            each(file, &mut bytes)?;
            io::copy(&mut bytes, &mut io::sink()).map_err(lost)?;
            let mut newline = [0];
            answers.read_exact(&mut newline).map_err(lost)?;
        }
        drop(ask);
        git.finish()
    }

    /// Deletes references of ours; their objects go with the user's next `git gc`.
    pub(super) fn delete(&self, names: &[&str], clock: &Clock) -> Result<(), Error> {
        let mut input = Vec::new();
        for name in names.iter().filter(|name| name.starts_with(REFS)) {
            input.extend_from_slice(format!("delete {name}\0\0").as_bytes());
        }
        if input.is_empty() {
            return Ok(());
        }
        self.run(&["update-ref", "-z", "--stdin"], &input, clock).map(drop)
    }
}

const COMMANDS: &[&str] = &["for-each-ref", "ls-tree", "cat-file", "update-ref"];

/// The work tree's name is part of it: all work trees of a repository share these references.
pub(super) fn reference(header: &Header) -> String {
    let Header { session, number, worktree, .. } = header;
    match worktree {
        None => format!("{REFS}{session}/{number}"),
        Some(worktree) => {
            let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
            let worktree: String = worktree.chars().take(60).map(safe).collect();
            format!("{REFS}{session}/{number}.{worktree}-")
        }
    }
}

fn number_of(name: &str) -> Option<u64> {
    name.split('.').next()?.parse().ok()
}

enum Failure {
    Pipe(io::Error),
    Entry(Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

/// What fast-import reads.
struct Stream<'a> {
    out: BufWriter<ChildStdin>,
    mark: usize,
    clock: &'a Clock,
}

impl Stream<'_> {
    fn all(&mut self, header: &mut Header, entries: &[Entry]) -> Result<(), Failure> {
        let mut stored = Vec::with_capacity(entries.len());
        for entry in entries {
            self.clock.check("storing files").map_err(Failure::Entry)?;
            let mark = match entry.kind {
                Kind::File => self.file(entry),
                Kind::Link => self.link(entry),
            };
            match mark {
                Ok(mark) => stored.push((entry, mark)),
                Err(Failure::Entry(error)) if error.is_gone() => {}
                Err(failure) => return Err(failure),
            }
        }
        header.holds(stored.iter().map(|(entry, _)| *entry));
        writeln!(self.out, "commit {}", reference(header))?;
        let seconds = header.time_ms.div_euclid(1000).max(0);
        writeln!(self.out, "committer hostler <hostler@localhost> {seconds} +0000")?;
        let message = message(header).map_err(io::Error::from)?;
        writeln!(self.out, "data {}", message.len())?;
        self.out.write_all(&message)?;
        self.out.write_all(b"\n")?;
        for (entry, mark) in stored {
            let mode = match entry.kind {
                Kind::Link => "120000",
                Kind::File if entry.mode & 0o111 != 0 => "100755",
                Kind::File => "100644",
            };
            write!(self.out, "M {mode} :{mark} ")?;
            self.out.write_all(&quoted(&escaped(&entry.path)))?;
            self.out.write_all(b"\n")?;
        }
        self.out.write_all(b"\ndone\n")?;
        self.out.flush()?;
        Ok(())
    }

    fn blob(&mut self, bytes: u64) -> io::Result<usize> {
        self.mark += 1;
        writeln!(self.out, "blob\nmark :{}\ndata {bytes}", self.mark)?;
        Ok(self.mark)
    }

    fn link(&mut self, entry: &Entry) -> Result<usize, Failure> {
        let target = std::fs::read_link(&entry.on_disk).map_err(|error| unreadable(entry, error))?;
        let target = target.as_os_str().as_bytes();
        let mark = self.blob(target.len() as u64)?;
        self.out.write_all(target)?;
        self.out.write_all(b"\n")?;
        Ok(mark)
    }

    /// A file that changes while it is read is read again; the abandoned object is garbage to git.
    fn file(&mut self, entry: &Entry) -> Result<usize, Failure> {
        let mut whole = None;
        for _ in 0..ATTEMPTS_MAX {
            let file = File::open(&entry.on_disk).map_err(|error| unreadable(entry, error))?;
            let before = file.metadata().map_err(|error| unreadable(entry, error))?;
            if !before.is_file() {
                return Err(unreadable(entry, io::Error::other("it is no file any more")));
            }
            let mark = self.blob(before.len())?;
            let copied = self.bytes(&file, before.len(), entry)?;
            // The announced length must be kept even when the file shrank.
            io::copy(&mut io::repeat(0).take(before.len() - copied), &mut self.out)?;
            self.out.write_all(b"\n")?;
            let after = file.metadata().map_err(|error| unreadable(entry, error))?;
            if copied == before.len() {
                let same = before.len() == after.len() && before.modified().ok() == after.modified().ok();
                if same {
                    return Ok(mark);
                }
                // A file that only grows (a log) is whole up to the length it had.
                whole = Some(mark);
            }
        }
        whole.ok_or_else(|| Failure::Entry(Error::Changing { path: entry.on_disk.clone() }))
    }

    fn bytes(&mut self, mut file: &File, bytes: u64, entry: &Entry) -> Result<u64, Failure> {
        let mut buffer = [0; 16 << 10];
        let mut copied = 0;
        while copied < bytes {
            let want = usize::try_from(bytes - copied).unwrap_or(buffer.len()).min(buffer.len());
            match file.read(&mut buffer[..want]) {
                Ok(0) => break,
                Ok(got) => {
                    self.out.write_all(&buffer[..got])?;
                    copied += got as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Cannot go on within this object; the whole stream is given up.
                Err(error) => return Err(unreadable(entry, error)),
            }
            self.clock.check("storing files").map_err(Failure::Entry)?;
        }
        Ok(copied)
    }
}

fn unreadable(entry: &Entry, source: io::Error) -> Failure {
    Failure::Entry(Error::Unreadable { path: entry.on_disk.clone(), source })
}

/// A subject for people who meet the commit in `git log --all`, then the header.
fn message(header: &Header) -> serde_json::Result<Vec<u8>> {
    let reason: String =
        header.reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
    let mut message = format!("hostler checkpoint {}: {reason}\n\n", id_of(&header.session, header.number));
    message.push_str(&serde_json::to_string(header)?);
    message.push('\n');
    Ok(message.into_bytes())
}

/// A path as git accepts it in a tree: names that some system takes for `.git`, and backslashes, are
/// written with `%xx`, so that a nested repository can be kept whole.
fn escaped(path: &Path) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.as_os_str().len() + 8);
    for (index, name) in path.as_os_str().as_bytes().split(|byte| *byte == b'/').enumerate() {
        if 0 < index {
            out.push(b'/');
        }
        let hide_first = reads_as_git(name);
        for (index, byte) in name.iter().enumerate() {
            if matches!(byte, b'%' | b'\\') || (index == 0 && hide_first) {
                out.extend_from_slice(format!("%{byte:02x}").as_bytes());
            } else {
                out.push(*byte);
            }
        }
    }
    out
}

fn reads_as_git(name: &[u8]) -> bool {
    // HFS+ ignores some code points: look at the ASCII part alone.
    let ascii: Vec<u8> = name.iter().filter(|it| it.is_ascii()).map(u8::to_ascii_lowercase).collect();
    let short = ascii.starts_with(b"git~");
    let dot = ascii.strip_prefix(b".git".as_slice());
    let plain =
        |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_lowercase) && !rest.starts_with(b"modules");
    short || dot.is_some_and(|rest| !plain(rest))
}

fn unescaped(bytes: &[u8]) -> PathBuf {
    let digit = |byte: Option<&u8>| byte.and_then(|it| char::from(*it).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let code = match (bytes[index], digit(bytes.get(index + 1)), digit(bytes.get(index + 2))) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        out.push(code.unwrap_or(bytes[index]));
        index += if code.is_some() { 3 } else { 1 };
    }
    std::ffi::OsString::from_vec(out).into()
}

/// A path in fast-import's C-style quotes.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            0..0x20 | 0x7f => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

/// A running `git` that is stopped at the deadline, or when it is dropped.
struct Running {
    name: &'static str,
    id: u32,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    child: Arc<Mutex<Child>>,
    stopped: Arc<AtomicBool>,
    _ended: mpsc::Sender<()>,
    clock: Clock,
}

impl Running {
    fn spawn(name: &'static str, command: &mut Command, clock: &Clock) -> Result<Self, Error> {
        clock.check("starting git")?;
        let mut child = command.spawn().map_err(Error::NoGit)?;
        let (stdin, stdout, id) = (child.stdin.take(), child.stdout.take(), child.id());
        let child = Arc::new(Mutex::new(child));
        let stopped = Arc::new(AtomicBool::new(false));
        let (ended, wait) = mpsc::channel::<()>();
        // Closing the pipe ends git in good order; killing it leaves a half-written pack behind. So the
        // writer, which sees the deadline itself, comes first.
        let remaining = clock.remaining() + GRACE;
        let (watched, flag) = (Arc::clone(&child), Arc::clone(&stopped));
        std::thread::spawn(move || {
            if wait.recv_timeout(remaining) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Release);
                // Already ended is as good.
                let _ = watched.lock().unwrap_or_else(PoisonError::into_inner).kill();
            }
        });
        Ok(Self { name, id, stdin, stdout, child, stopped, _ended: ended, clock: *clock })
    }

    /// Waits for the end; anything but success is an error.
    fn finish(&mut self) -> Result<(), Error> {
        self.stdin = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr = child.stderr.take();
        drop(child);
        let mut message = Vec::new();
        if let Some(stderr) = stderr {
            // Ends when git does; the lock is free meanwhile, so that the deadline can stop it.
            let _ = BufReader::new(stderr).read_to_end(&mut message);
        }
        let status =
            self.child.lock().unwrap_or_else(PoisonError::into_inner).wait().map_err(Error::NoGit)?;
        if status.success() {
            return Ok(());
        }
        if self.stopped.load(Ordering::Acquire) {
            return Err(self.clock.passed("git"));
        }
        let message = String::from_utf8_lossy(&message);
        let message =
            message.trim().chars().take(400).map(|c| if c.is_control() { ' ' } else { c }).collect();
        Err(Error::Git { command: self.name, status: status.to_string(), message })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stdin = None;
        self.stdout = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(child.try_wait(), Ok(Some(_))) {
            // Abandoned half-way: there is nobody left to read its answer.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
