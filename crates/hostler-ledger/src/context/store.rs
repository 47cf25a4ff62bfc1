//! Reading and changing the file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::check::Problems;
use super::delta;
use super::document::Context;
use super::json::{Json, Style};
use super::layout::{HISTORY, SCHEMA_VERSION as VERSION_NAME, STATE, WORK};
use super::ledger::{Folder, Moment};
use super::model::State;
use super::recover::{self, Rebuilt};
use super::{Error, FILE_BYTES_MAX, SCHEMA_VERSION, Store, Updated};
use crate::file::parts::{self, Original};
use crate::file::{self, Access, Lock};

/// How long an update waits for those of other processes.
const WAIT: Duration = Duration::from_secs(5);
/// How often a change is applied to content that somebody wrote meanwhile.
const ATTEMPTS_MAX: u32 = 20;
/// How the names of our temporary files begin.
const PREFIX: &str = ".hostler-context-";
/// A temporary file that is older belongs to a process that was killed.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// A moment of an update, for tests that kill it there.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The new content is beside the file.
    Prepared,
    /// A damaged file was copied aside, an old one backed up.
    Kept,
    /// The ledger has the line.
    Logged,
    /// The file has the new content.
    Written,
}

/// What is in the file, and what was there before it was repaired.
struct Opened {
    context: Context,
    original: Original,
    /// The file's bytes, if they had to be put together anew.
    damaged: Option<Vec<u8>>,
    /// The damaged bytes have nothing that could be lost.
    empty: bool,
}

impl Store {
    /// `file`: the `context.json`. `state`: the project's evidence folder, the same for all work trees and hosts.
    pub fn new(file: PathBuf, state: PathBuf) -> Self {
        let mut folder = state;
        folder.push("context");
        Self { file, folder: Folder(folder), root: None, wait: WAIT, at_step: |_| {} }
    }

    /// With links that lead out of this folder refused; followed wherever they lead if not said.
    #[must_use]
    pub fn within(self, root: PathBuf) -> Self {
        Self { root: Some(root), ..self }
    }

    /// With another limit to the waiting for other processes; 5 s if not said.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// With something to do at each step of an update.
    #[doc(hidden)]
    #[must_use]
    pub fn at_steps(self, at_step: fn(Step)) -> Self {
        Self { at_step, ..self }
    }

    /// The file as it was named.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Whether the file is one that we have written, whatever is in it now.
    pub fn is_known(&self) -> bool {
        file::resolve(&self.file).is_ok_and(|real| self.folder.is_known(&real))
    }

    /// Reads the file; `None` if there is none. A damaged one is read as what can be rebuilt, and
    /// [`Context::notes`] says so. Never writes, never waits.
    ///
    /// # Errors
    /// It cannot be read, or is too large.
    pub fn read(&self) -> Result<Option<Context>, Error> {
        Ok(self.open()?.map(|it| it.context))
    }

    /// Makes the file. `false`: it was there already, and is as it was.
    ///
    /// # Errors
    /// See [`Error`].
    #[expect(clippy::needless_pass_by_value, reason = "it is made for this call and for no other")]
    pub fn create(&self, state: State) -> Result<bool, Error> {
        let _lock = self.lock()?;
        let (original, bytes) = self.original()?;
        if let Some(bytes) = &bytes {
            let nothing = bytes.iter().all(u8::is_ascii_whitespace);
            // An empty file of which the ledger knows something is a damaged one: the next update rebuilds it.
            if !nothing || !self.folder.history(original.real_path()).lines.is_empty() {
                return Ok(false);
            }
        }
        let mut problems = Problems::default();
        problems.state(&state.json().to_value());
        self.refuse(problems)?;
        let document = Json::Object(vec![
            (VERSION_NAME.to_owned(), Json::number(SCHEMA_VERSION)),
            (STATE.to_owned(), state.json()),
            (WORK.to_owned(), Json::Array(Vec::new())),
            (HISTORY.to_owned(), Json::Array(Vec::new())),
        ]);
        let text = Style::default().text(&document) + "\n";
        let prepared = original.prepare(&[text.as_bytes()], PREFIX)?;
        (self.at_step)(Step::Prepared);
        let mut line = Map::new();
        line.insert("created".to_owned(), true.into());
        line.insert(STATE.to_owned(), state.json().to_value());
        let now = Moment::now();
        self.folder.append(original.real_path(), now, line)?;
        (self.at_step)(Step::Logged);
        match prepared.commit() {
            Ok(()) => {}
            Err(file::Error::Changed { .. }) => {
                self.undo(&original, now)?;
                return Ok(false);
            }
            Err(error) => {
                self.undo(&original, now)?;
                return Err(error.into());
            }
        }
        (self.at_step)(Step::Written);
        self.folder.set_known(original.real_path())?;
        Ok(true)
    }

    /// Changes the file under the lock. `change` runs again on the new content if somebody else wrote the file
    /// meanwhile; only its last run counts.
    ///
    /// # Errors
    /// See [`Error`]; nothing was changed then.
    pub fn update<R>(&self, mut change: impl FnMut(&mut Context) -> R) -> Result<Updated<R>, Error> {
        let _lock = self.lock()?;
        self.sweep();
        for _ in 0..ATTEMPTS_MAX {
            let Some(mut opened) = self.open()? else {
                return Err(Error::Missing { path: self.file.clone() });
            };
            let value = change(&mut opened.context);
            let changed = opened.context.settle();
            if !changed && opened.damaged.is_none() {
                let notes = opened.context.notes().to_vec();
                return Ok(Updated { value, context: opened.context, notes, changed });
            }
            opened.context.keep_open();
            if let Some(version) = opened.context.version().filter(|it| SCHEMA_VERSION < *it) {
                return Err(Error::Newer { path: self.file.clone(), version });
            }
            self.refuse(problems(&opened.context))?;
            if self.write(&mut opened)? {
                let notes = opened.context.notes().to_vec();
                return Ok(Updated { value, context: opened.context, notes, changed: true });
            }
        }
        Err(Error::Contended { path: self.file.clone(), attempts: ATTEMPTS_MAX })
    }

    /// Writes the changed context; `false`: somebody else wrote meanwhile, and nothing was done.
    fn write(&self, opened: &mut Opened) -> Result<bool, Error> {
        let Opened { context, original, damaged, empty } = opened;
        let real = original.real_path();
        let now = Moment::now();
        let new = context.parts(SCHEMA_VERSION);
        let new: Vec<&[u8]> = new.iter().map(|it| it.as_bytes()).collect();
        let prepared = original.prepare(&new, PREFIX)?;
        (self.at_step)(Step::Prepared);
        let before = damaged.as_deref().unwrap_or(context.text().as_bytes());
        if !prepared.is_unchanged(before)? {
            return Ok(false);
        }
        let mut line = Map::new();
        let mut notes = Vec::new();
        if let Some(damaged) = damaged.as_deref().filter(|_| !*empty) {
            let aside = aside(real, damaged, original, now)?;
            notes.push(format!("the damaged file is kept as `{}`", aside.display()));
            line.insert("damaged".to_owned(), aside.to_string_lossy().into());
        }
        let migrates = context.version().is_none();
        if migrates || damaged.is_some() || self.folder.needs_base(real) {
            let backup = self.folder.back_up(context.text().as_bytes(), original, now)?;
            if migrates {
                notes.push(format!(
                    "`{}` was written in an older form; it is kept as `{}`",
                    self.file.display(),
                    self.folder.0.join("backup").join(&backup).display()
                ));
            }
            line.insert("backup".to_owned(), backup.into());
        }
        (self.at_step)(Step::Kept);
        describe(context, &mut line);
        self.folder.append(real, now, line)?;
        (self.at_step)(Step::Logged);
        match prepared.commit() {
            Ok(()) => {}
            Err(error) => {
                self.undo(original, now)?;
                return if matches!(error, file::Error::Changed { .. }) {
                    Ok(false)
                } else {
                    Err(error.into())
                };
            }
        }
        (self.at_step)(Step::Written);
        self.folder.set_known(real)?;
        if !parts::holds(real, &new)? {
            return Err(file::Error::Changed { path: real.to_path_buf() }.into());
        }
        for note in notes {
            context.note(note);
        }
        Ok(true)
    }

    /// Takes the last line of the ledger back: what it tells did not happen.
    fn undo(&self, original: &Original, now: Moment) -> Result<(), Error> {
        let mut line = Map::new();
        line.insert("undone".to_owned(), true.into());
        self.folder.append(original.real_path(), now, line)
    }

    fn open(&self) -> Result<Option<Opened>, Error> {
        let (original, bytes) = self.original()?;
        let Some(bytes) = bytes else { return Ok(None) };
        // Only a damaged file is needed twice, and whether it is one is known afterwards.
        let damaged = match recover::open(bytes) {
            Ok(context) => {
                return Ok(Some(Opened { context, original, damaged: None, empty: false }));
            }
            Err(damaged) => damaged,
        };
        let history = self.folder.history(original.real_path());
        let Rebuilt { text, how } = recover::rebuild(&damaged, &history);
        let Ok(mut context) = Context::parse(text) else {
            // What was put together of whole values is whole.
            return Err(Error::Invalid { path: self.file.clone(), problems: vec![damaged.what] });
        };
        context.note(format!("`{}` is damaged ({}); {how}", self.file.display(), damaged.what));
        let empty = damaged.is_empty();
        Ok(Some(Opened { context, original, damaged: Some(damaged.into_bytes()), empty }))
    }

    fn original(&self) -> Result<(Original, Option<Vec<u8>>), Error> {
        if let Some(root) = &self.root {
            file::within(&self.file, root)?;
        }
        Ok(Original::read(&self.file, FILE_BYTES_MAX)?)
    }

    fn lock(&self) -> Result<Lock, Error> {
        let path = self.folder.lock();
        let lock = Lock::acquire_within(&path, self.wait)?;
        Ok(lock.ok_or_else(|| crate::error::Error::locked(&path, self.wait))?)
    }

    fn refuse(&self, problems: Problems) -> Result<(), Error> {
        let Problems(problems) = problems;
        if problems.is_empty() { Ok(()) } else { Err(Error::Invalid { path: self.file.clone(), problems }) }
    }

    /// Removes what killed updates left beside the file. Under the lock, so none of it is in use by us; the age is for
    /// those who have another state folder.
    fn sweep(&self) {
        let Ok(real) = file::resolve(&self.file) else { return };
        for path in real.parent().map(file::leftovers).unwrap_or_default() {
            let ours = path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(PREFIX));
            let made = std::fs::symlink_metadata(&path).and_then(|it| it.modified());
            let old =
                made.is_ok_and(|it| SystemTime::now().duration_since(it).is_ok_and(|it| LEFTOVER_AGE < it));
            if ours && old {
                let _ = std::fs::remove_file(&path);
            }
        }
    }
}

/// What the schema, or common sense, has against the changes.
fn problems(context: &Context) -> Problems {
    let mut problems = Problems::default();
    problems.state(&context.state().json().to_value());
    let (work, _) = context.changed_work();
    let doubles = if work.is_empty() { HashSet::new() } else { context.doubles() };
    for item in work {
        let at = format!("deferred_work {}", item.id);
        problems.work(&at, &item.json().to_value());
        if doubles.contains(item.id.as_str()) {
            problems.add(&at, "is there twice");
        }
    }
    for session in context.changed_sessions() {
        let at = format!("session {}", session.seq);
        problems.session(&at, &session.json().to_value());
    }
    for (index, session) in context.added() {
        let at = format!("session {}", session.seq);
        if session.seq == 0 {
            problems.add(&at, "has no number");
        } else if (0..index).any(|it| context.session_number(it) == Some(session.seq)) {
            problems.add(&at, "is there already");
        }
        if session.when.is_empty() {
            problems.add(&at, "does not say when it began");
        }
    }
    for (before, session) in context.replaced() {
        if before.seq != 0 && before.seq != session.seq {
            let at = format!("session {}", before.seq);
            problems.add(&at, &format!("cannot become number {}", session.seq));
        }
    }
    problems
}

/// The changes as the ledger keeps them.
fn describe(context: &Context, line: &mut Map<String, Value>) {
    line.insert(STATE.to_owned(), context.state().json().to_value());
    let mut sessions: Vec<Value> = context.added().map(|(_, it)| it.json().to_value()).collect();
    let mut changes = Vec::new();
    for (before, session) in context.replaced() {
        let new = session.json().to_value();
        if before.seq == 0 {
            // Nothing else names it.
            sessions.push(new);
        } else {
            let mut change = delta::between(&before.json().to_value(), &new);
            change.insert("seq".to_owned(), before.seq.into());
            // On another branch another session may have the same number.
            change.insert("when".to_owned(), before.when.into());
            if let Some(branch) = before.branch {
                change.insert("branch".to_owned(), branch.into());
            }
            changes.push(change.into());
        }
    }
    let (work, gone) = context.changed_work();
    let work: Vec<Value> = work.into_iter().map(|it| it.json().to_value()).collect();
    let gone: Vec<Value> = gone.into_iter().map(Value::from).collect();
    for (name, list) in [("sessions", sessions), ("changes", changes), ("work", work), ("work_gone", gone)] {
        if !list.is_empty() {
            line.insert(name.to_owned(), list.into());
        }
    }
}

/// Copies damaged bytes beside the file, never over anything. A copy, since without the file itself a kill would leave
/// none.
fn aside(real: &Path, bytes: &[u8], of: &Original, now: Moment) -> Result<PathBuf, Error> {
    let mut copy = 1_u32;
    loop {
        let suffix = if copy == 1 { String::new() } else { format!("_{copy}") };
        let mut name = real.as_os_str().to_owned();
        name.push(format!(".damaged-{}{suffix}", now.compact()));
        let path = PathBuf::from(name);
        if parts::keep(&path, bytes, of, PREFIX, Access::Shared)? {
            return Ok(path);
        }
        copy += 1;
    }
}
