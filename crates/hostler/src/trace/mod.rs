//! Requirements, the tags that cite them, and their tests: the files around `hostler-trace`.

mod cache;
mod find;
mod walk;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hostler_ledger::file::{Access, Snapshot};
use hostler_trace::output::{self, markdown};
use hostler_trace::settings::{self, Requirements, Settings};
use hostler_trace::{Lock, Matrix, Pattern, outcome, requirement};

pub(crate) use walk::Counts;

/// The lock's name, at the project's top folder.
pub(crate) const LOCK: &str = "trace.lock";
/// Heading of a matrix where none is set.
const TITLE: &str = "Requirements traceability";
/// How a page of ours is recognised before it is replaced.
const MARK: &str = "<!-- Made by `hostler trace matrix`";
/// Largest source of requirements, bytes.
const SOURCE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Largest report of tests, bytes.
const RESULTS_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Name and version of this program, as reports name what made them.
pub(crate) const GENERATOR: &str = concat!("hostler ", env!("CARGO_PKG_VERSION"));

/// A traceability matrix as it belongs into the project.
#[derive(Debug)]
pub(crate) struct Written {
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
    /// When the file cannot be written, or is somebody else's.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        if !self.changed {
            return Ok(());
        }
        let file = Snapshot::read(&self.file)?;
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
    trace.page().map(Some)
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
        let found = if settings.requirements.is_empty() {
            find::usual(root)
        } else {
            find::configured(root, &settings.requirements, &mut notes)?
        };
        let requirements =
            read_requirements(root, &found, &pattern, settings.requirements.is_empty(), &mut notes)?;
        if requirements.is_empty() {
            if asked {
                bail!(no_requirements(&found));
            }
            return Ok(None);
        }
        let cases = read_results(root, &settings.results, &given.results, &mut notes)?;
        let lock = match read_text(&root.join(LOCK), SOURCE_BYTES_MAX)? {
            Some(text) => Lock::parse(&text)?,
            None => Lock::default(),
        };
        let walked = walk::walk(root, &settings, &pattern, state)?;
        notes.extend(walked.notes);
        let matrix = Matrix::of(requirements, &walked.sources, &cases, &lock);
        Ok(Some(Self { root: root.to_path_buf(), settings, lock, matrix, counts: walked.counts, notes }))
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

    /// The matrix that is kept in the project.
    pub(crate) fn page(&self) -> anyhow::Result<Written> {
        let path = self.settings.matrix.path.as_deref().unwrap_or(settings::MATRIX);
        let file = hostler_model::lexical::absolute(&self.root, Path::new(path));
        let text = markdown::text(&self.matrix, &self.options(""));
        let current = read_text(&file, SOURCE_BYTES_MAX)?;
        Ok(Written {
            changed: current.as_deref() != Some(&text),
            file,
            text,
            headline: self.matrix.headline(),
        })
    }

    /// Writes the lock.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write_lock(&self, lock: &Lock) -> anyhow::Result<()> {
        Snapshot::read(&self.root.join(LOCK))?.replace(lock.to_text().as_bytes(), Access::Shared)?;
        Ok(())
    }
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
        let Some(text) = read_text(&file, RESULTS_BYTES_MAX)? else {
            bail!("there is no `{}`; name the report that the tests wrote", file.display());
        };
        cases.extend(outcome::read(&file.display().to_string(), &text)?);
    }
    Ok(cases)
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
    let mut bytes = Vec::new();
    file.take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    if bytes_max < bytes.len() as u64 {
        bail!("`{}` is larger than {} MiB", path.display(), bytes_max >> 20);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
