//! Requirements, the tags that cite them, and their tests: the files around `hostler-trace`.

mod cache;
mod find;
mod inside;
mod tracked;
mod walk;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use hostler_ledger::file::{self, Access, Snapshot};
use hostler_trace::output::{self, markdown};
use hostler_trace::settings::{self, Requirements, Settings};
use hostler_trace::{Input, Lock, Matrix, Pattern, lock, outcome, requirement};

pub(crate) use walk::Counts;

/// Heading of a matrix where none is set.
const TITLE: &str = "Requirements traceability";
/// How a page of ours is recognised before it is replaced.
const MARK: &str = "<!-- Made by `hostler trace matrix`";
/// How often the lock is written anew where somebody else was faster.
const LOCK_TRIES_MAX: usize = 100;
/// How long others that write the lock are waited for, and how long between two looks.
const LOCK_TIME_MAX: Duration = Duration::from_secs(20);
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// Largest source of requirements, bytes.
const SOURCE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Largest report of tests, bytes.
const RESULTS_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Name and version of this program, as reports name what made them.
pub(crate) const GENERATOR: &str = concat!("hostler ", env!("CARGO_PKG_VERSION"));

/// A traceability matrix as it belongs into the project.
#[derive(Debug)]
pub(crate) struct Written {
    /// The project that it has to stay in.
    root: PathBuf,
    /// The file that it belongs into, absolute.
    pub(crate) file: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What it comes to, in one line: `131 of 246 requirements traced (53.2 %), 120 tested, 1 unknown id`.
    pub(crate) headline: String,
    /// The file held something else, or was not there.
    pub(crate) changed: bool,
}

impl Written {
    /// Puts the text into the file, atomically; folders on the way are made. Does nothing where it is current.
    ///
    /// # Errors
    /// When the file cannot be written, is somebody else's, no Markdown, or outside of the project.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        if !self.changed {
            return Ok(());
        }
        // The links are those of this moment, and may have changed since the text was made.
        let file = Snapshot::read(&inside::page(&self.root, &self.file)?)?;
        if file.bytes().is_some_and(|it| !it.is_empty() && !holds(it, MARK)) {
            bail!(
                "`{}` was not made by hostler; move it, or set another `matrix.path` in `trace.toml`",
                self.file.display()
            );
        }
        file.replace(self.text.as_bytes(), Access::Shared)?;
        Ok(())
    }
}

fn holds(bytes: &[u8], mark: &str) -> bool {
    memchr::memmem::find(&bytes[..bytes.len().min(8 * 1024)], mark.as_bytes()).is_some()
}

/// The matrix of the project at `root`, as `trace.toml` there asks for it; the file is not written yet, see
/// [`Written::write`]. `state`: the project's evidence folder, where what was read is remembered; without one every
/// file is read anew. `None`: the project has neither a `trace.toml` nor a source of requirements in a usual place.
///
/// # Errors
/// When a source of requirements or the configuration cannot be read. A session closes all the same.
pub(crate) fn matrix(root: &Path, state: Option<&Path>) -> anyhow::Result<Option<Written>> {
    let Some(trace) = Trace::of(root, state, &Given::default())? else { return Ok(None) };
    trace.page(true).map(Some)
}

/// What the command line gives instead of the settings.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Sources of requirements, as paths from the current folder.
    pub(crate) requirements: Vec<PathBuf>,
    /// Reports of tests, the same way.
    pub(crate) results: Vec<PathBuf>,
}

/// A project's requirements with everything that is known of them.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) lock: Lock,
    pub(crate) matrix: Matrix,
    pub(crate) counts: Counts,
    /// How many results of tests there are; `None` where none are asked for.
    pub(crate) results: Option<usize>,
    /// The files that requirements are read from, absolute.
    pub(crate) sources: Vec<PathBuf>,
    /// All sources of requirements were read, and are those of the project.
    pub(crate) whole: bool,
    /// What was passed over or not found.
    pub(crate) notes: Vec<String>,
}

impl Trace {
    /// Reads everything. `None`: there are no requirements to be found and none were given.
    ///
    /// # Errors
    /// When the settings, a source of requirements, a report or the lock cannot be read.
    pub(crate) fn of(root: &Path, state: Option<&Path>, given: &Given) -> anyhow::Result<Option<Self>> {
        let configured = read_settings(root)?;
        let asked = configured.is_some() || !given.requirements.is_empty();
        let mut settings = configured.unwrap_or_default();
        if !given.requirements.is_empty() {
            settings.requirements =
                given.requirements.iter().map(|path| named(root, path, &settings)).collect();
        }
        let pattern = Pattern::new(&settings.ids)?;
        let mut notes = Vec::new();
        let guessed = settings.requirements.is_empty();
        let found = if !given.requirements.is_empty() {
            find::given(&settings.requirements)
        } else if guessed {
            find::usual(root)
        } else {
            find::configured(root, &settings.requirements, &mut notes)?
        };
        let requirements = read_requirements(root, &found, &pattern, guessed, &mut notes)?;
        // Each note so far is about a source that was not read.
        let whole = given.requirements.is_empty() && notes.is_empty();
        if requirements.is_empty() {
            if asked {
                bail!(no_requirements(&found));
            }
            return Ok(None);
        }
        let cases = read_results(root, &settings.results, &given.results, &mut notes)?;
        let asked = !settings.results.is_empty() || !given.results.is_empty();
        let results = asked.then_some(cases.len());
        let lock = read_lock(root)?;
        let walked = walk::walk(root, &settings, &pattern, state)?;
        notes.extend(walked.notes);
        let packages = if cases.is_empty() { BTreeMap::new() } else { packages(root, &walked.paths) };
        let files = outcome::Files { paths: walked.paths, packages };
        let input = Input { sources: &walked.sources, cases: &cases, files: &files, lock: &lock, whole };
        let matrix = Matrix::joined(requirements, &input);
        notes.extend(matrix.notes.iter().cloned());
        let sources =
            found.iter().map(|it| hostler_model::lexical::absolute(root, Path::new(&it.shown))).collect();
        let (root, counts) = (root.to_path_buf(), walked.counts);
        Ok(Some(Self { root, settings, lock, matrix, counts, results, sources, whole, notes }))
    }

    /// Options of reports: `time` for those that tell one.
    pub(crate) fn options<'a>(&'a self, time: &'a str) -> output::Options<'a> {
        output::Options {
            title: self.settings.matrix.title.as_deref().unwrap_or(TITLE),
            texts: self.settings.matrix.texts.unwrap_or(true),
            generator: GENERATOR,
            time,
        }
    }

    /// The matrix that is kept in the project. `texts`: those of requirements may stand in it.
    pub(crate) fn page(&self, texts: bool) -> anyhow::Result<Written> {
        let path = self.settings.matrix.path.as_deref().unwrap_or(settings::MATRIX);
        let file = hostler_model::lexical::absolute(&self.root, Path::new(path));
        let mut options = self.options("");
        options.texts &= texts;
        let text = markdown::text(&self.matrix, &options);
        let current = read_text(&inside::page(&self.root, &file)?, SOURCE_BYTES_MAX)?;
        Ok(Written {
            root: self.root.clone(),
            changed: current.as_deref() != Some(&text),
            file,
            text,
            headline: self.matrix.headline(),
        })
    }

    /// Replaces the lock by what `change` makes of it as it is now: others may have written it since it was read.
    ///
    /// # Errors
    /// When it cannot be read or written, or lies outside of the project.
    pub(crate) fn update_lock(&self, change: impl Fn(&Lock) -> Lock) -> anyhow::Result<()> {
        let remedy = "put a file of the project in its place";
        let file = inside::real(&self.root, &self.root.join(lock::FILE), remedy)?;
        let _held = held(&self.root);
        let mut tries = 0..LOCK_TRIES_MAX;
        loop {
            let snapshot = Snapshot::read(&file)?;
            let text = change(&read_lock(&self.root)?).to_text();
            match snapshot.replace(text.as_bytes(), Access::Shared) {
                Err(file::Error::Changed { .. }) if tries.next().is_some() => {}
                written => return written.map(|_| ()).map_err(Into::into),
            }
        }
    }
}

/// The project's folder, locked against others that write the lock; not where somebody else holds it for long. The
/// folder itself, since it is there in any case and a file beside it would be one more.
fn held(root: &Path) -> Option<File> {
    let folder = File::open(root).ok()?;
    let until = Instant::now() + LOCK_TIME_MAX;
    loop {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_PAUSE),
            Err(_) => return None,
        }
    }
}

/// What was reviewed; nothing where there is no file.
fn read_lock(root: &Path) -> anyhow::Result<Lock> {
    let text = read_text(&root.join(lock::FILE), SOURCE_BYTES_MAX)?;
    Ok(text.map(|text| Lock::parse(&text)).transpose()?.unwrap_or_default())
}

/// Packages of Rust by folder: which names their programs have is no matter of how folders are called.
fn packages(root: &Path, paths: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut out = BTreeMap::new();
    for path in paths.iter().filter(|it| *it == "Cargo.toml" || it.ends_with("/Cargo.toml")) {
        let Ok(Some(text)) = read_text(&root.join(path), SOURCE_BYTES_MAX) else { continue };
        let Ok(table) = text.parse::<toml::Table>() else { continue };
        let name = |of: &toml::Value| of.get("name").and_then(toml::Value::as_str).map(str::to_owned);
        let Some(package) = table.get("package").and_then(name) else { continue };
        let programs = table.get("bin").and_then(toml::Value::as_array).into_iter().flatten();
        let others = table.get("lib").into_iter().chain(programs).filter_map(name);
        let folder = path.strip_suffix("Cargo.toml").unwrap_or_default().trim_end_matches('/');
        out.insert(folder.to_owned(), std::iter::once(package).chain(others).collect());
    }
    out
}

fn no_requirements(found: &[find::Found]) -> String {
    if found.is_empty() {
        return "no source of requirements was found; name one with `--requirements FILE`, or in `trace.toml`".to_owned();
    }
    let names: Vec<String> = found.iter().take(3).map(|it| format!("`{}`", it.shown)).collect();
    format!(
        "nothing in {} looks like an id of a requirement (as `FR-001` does); set `ids` in `trace.toml`, or name its column",
        names.join(", ")
    )
}

fn read_settings(root: &Path) -> anyhow::Result<Option<Settings>> {
    let text = read_text(&root.join(settings::FILE), SOURCE_BYTES_MAX)?;
    Ok(text.map(|text| Settings::parse(&text)).transpose()?)
}

/// A source of the command line keeps what the settings say of the same file.
fn named(root: &Path, path: &Path, settings: &Settings) -> Requirements {
    // The root has its links resolved; what is named stays as it was written, so that it reads the same everywhere.
    let cwd = std::env::current_dir().and_then(std::fs::canonicalize).unwrap_or_else(|_| root.to_path_buf());
    let absolute = hostler_model::lexical::absolute(&cwd, path);
    let of = |it: &&Requirements| hostler_model::lexical::absolute(root, Path::new(&it.path)) == absolute;
    let known = settings.requirements.iter().find(of).cloned().unwrap_or_default();
    Requirements { path: find::relative(root, &absolute), ..known }
}

fn read_requirements(
    root: &Path,
    found: &[find::Found],
    pattern: &Pattern,
    usual: bool,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<requirement::Requirement>> {
    let mut out = Vec::new();
    for source in found {
        let path = hostler_model::lexical::absolute(root, Path::new(&source.shown));
        let Some(text) = read_text(&path, SOURCE_BYTES_MAX)? else {
            bail!("there is no `{}`; it is named as a source of requirements", source.shown);
        };
        let (spec, columns) = (source.of.spec(), source.of.columns());
        let options = requirement::Options { pattern, spec: &spec, columns: &columns };
        match requirement::read(&source.shown, &text, &options) {
            Ok(read) => out.extend(read),
            // What was merely guessed to be one may be something else.
            Err(error) if usual => notes.push(format!("not read: {error}")),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(out)
}

fn read_results(
    root: &Path,
    configured: &[String],
    given: &[PathBuf],
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<outcome::Case>> {
    let mut files = Vec::new();
    if given.is_empty() {
        for pattern in configured {
            let found = find::files(root, pattern)?;
            if found.is_empty() {
                notes.push(format!("no results of tests: nothing matches `{pattern}`"));
            }
            files.extend(found.into_iter().map(|it| hostler_model::lexical::absolute(root, Path::new(&it))));
        }
    } else {
        for path in given {
            if path.is_dir() {
                files.extend(find::below(path, "xml")?);
            } else {
                files.push(path.clone());
            }
        }
    }
    let mut cases = Vec::new();
    for file in files {
        let piped = given.contains(&file);
        let text = match (piped, file == Path::new("-")) {
            (true, true) => Some(text_of(std::io::stdin().lock(), &file, RESULTS_BYTES_MAX)?),
            // What another program writes is named on purpose.
            (true, false) if is_pipe(&file) => Some(text_of(File::open(&file)?, &file, RESULTS_BYTES_MAX)?),
            _ => read_text(&file, RESULTS_BYTES_MAX)?,
        };
        let Some(text) = text else {
            bail!("there is no `{}`; name the report that the tests wrote", file.display());
        };
        cases.extend(outcome::read(&file.display().to_string(), &text)?);
    }
    Ok(cases)
}

/// Neither file nor folder: `/dev/stdin`, or what a shell puts in place of `<(…)`.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// A file's text, odd bytes replaced; `None` where there is none.
fn read_text(path: &Path, bytes_max: u64) -> anyhow::Result<Option<String>> {
    let opened = std::fs::metadata(path)
        .and_then(|meta| if meta.is_file() { File::open(path).map(Some) } else { Ok(None) });
    let file = match opened {
        Ok(Some(file)) => file,
        Ok(None) => bail!("`{}` is no regular file", path.display()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    };
    text_of(file, path, bytes_max).map(Some)
}

fn text_of(from: impl Read, path: &Path, bytes_max: u64) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    from.take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    if bytes_max < bytes.len() as u64 {
        bail!("`{}` is larger than {} MiB", path.display(), bytes_max >> 20);
    }
    Ok(walk::decoded(&bytes).into_owned())
}
