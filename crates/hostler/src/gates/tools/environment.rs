//! Which programs a project uses: those of its own environment first, then those of the user's.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::layout::Layout;
use super::process::{self, Call, Warden, is_program};

/// A manager of environments that is asked where one is answers within this.
const MANAGER_TIME_MAX: Duration = Duration::from_secs(10);

/// Folders with programs, in order, and the words for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Environment {
    /// The project's own, e.g. `.venv/bin`, `node_modules/.bin`.
    pub(super) own: Vec<PathBuf>,
    /// The project's interpreter, if it has one.
    pub(super) python: Option<PathBuf>,
    /// The project is locked by uv, so `uv run` knows its tools.
    pub(super) is_uv: bool,
}

/// Whose way of keeping programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ecosystem {
    /// Virtual environments.
    Python,
    /// `node_modules/.bin`, nearest first.
    Node,
    /// What is installed for the user; `cargo` picks the project's toolchain itself.
    Rust,
    /// A builder's wrapper in the project's folders, else what is installed for the user.
    Build,
    /// What is installed for the user.
    System,
}

/// Where a program was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// What is started.
    pub(super) path: PathBuf,
    /// What comes before the tool's own arguments: `run --frozen … mypy` for `uv`.
    pub(super) prefix: Vec<String>,
    /// Its version, where a file beside it tells.
    pub(super) version: Option<String>,
}

impl Environment {
    /// Finds a program by one of its names; otherwise the words that say where it was looked for.
    pub(super) fn find(&self, names: &[&str], around: &Surroundings) -> Result<Program, String> {
        let folders = || self.own.iter().chain(&around.path);
        for (folder, name) in folders().flat_map(|it| names.iter().map(move |name| (it, name))) {
            let path = folder.join(name);
            if is_program(&path) {
                let version = version(folder, name);
                return Ok(Program { path, prefix: Vec::new(), version });
            }
        }
        let name = names.last().copied().unwrap_or_default();
        let uv = || around.path.iter().map(|it| it.join("uv")).find(|it| is_program(it));
        if let (true, Some(uv)) = (self.is_uv, uv()) {
            let prefix = ["run", "--frozen", "--offline", "--no-progress", name];
            return Ok(Program { path: uv, prefix: prefix.map(str::to_owned).to_vec(), version: None });
        }
        let looked: Vec<String> = folders().map(|it| it.display().to_string()).collect();
        Err(format!("`{name}` was not found in {}", looked.join(", ")))
    }
}

/// What the user's own environment says about where programs are. Nothing else of it is looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// Folders with programs: those of `PATH`, then where installers put them whether or not a shell's start-up file
    /// says so.
    pub(super) path: Vec<PathBuf>,
    /// Environments of Python that the shell is in.
    pub(super) active: Vec<PathBuf>,
    /// Where uv keeps a project's environment, if not in `.venv`.
    pub(super) uv_environment: Option<PathBuf>,
    /// Where tools that the project did not choose may keep what they know.
    pub(super) cache: Option<PathBuf>,
}

impl Surroundings {
    pub(super) fn current() -> Self {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let home = variable("HOME");
        let search = std::env::var_os("PATH").unwrap_or_default();
        let more =
            home.iter().flat_map(|it| [".local/bin", ".cargo/bin", "go/bin"].map(|name| it.join(name)));
        let mut path: Vec<PathBuf> = Vec::new();
        // A folder that is not absolute would be one of the project's.
        for folder in std::env::split_paths(&search).chain(more).filter(|it| it.is_absolute()) {
            if !path.contains(&folder) {
                path.push(folder);
            }
        }
        let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(|it| variable(it));
        let cache = variable("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|it| it.join(".cache")));
        Self {
            path,
            cache: cache.filter(|it| it.is_absolute()).map(|it| it.join("hostler")),
            active: active.filter(|it| it.is_absolute()).collect(),
            uv_environment: variable("UV_PROJECT_ENVIRONMENT"),
        }
    }
}

/// The environment of the files in `folder`. Found once for each folder.
pub(super) fn of(layout: &Layout<'_>, folder: &Path, ecosystem: Ecosystem) -> Arc<Environment> {
    let key = (folder.to_owned(), ecosystem);
    let mut known = layout.environments.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&key) {
        return Arc::clone(found);
    }
    let found = Arc::new(match ecosystem {
        Ecosystem::Python => python(layout, folder),
        Ecosystem::Node => node(layout, folder),
        Ecosystem::Build => {
            let has_wrapper = |it: &&Path| ["mvnw", "gradlew"].iter().any(|name| is_program(&it.join(name)));
            let own = layout.upward(folder).filter(has_wrapper).map(Path::to_owned).collect();
            Environment { own, ..Environment::default() }
        }
        Ecosystem::Rust | Ecosystem::System => Environment::default(),
    });
    known.insert(key, Arc::clone(&found));
    found
}

fn node(layout: &Layout<'_>, folder: &Path) -> Environment {
    let own = layout.upward(folder).map(|it| it.join("node_modules/.bin")).filter(|it| it.is_dir()).collect();
    Environment { own, ..Environment::default() }
}

fn python(layout: &Layout<'_>, folder: &Path) -> Environment {
    let lock = layout.nearest(folder, &["uv.lock"]);
    let base = beside(layout, folder, lock.as_deref())
        .or_else(|| layout.around.active.iter().find(|it| is_program(&it.join("bin/python"))).cloned())
        .or_else(|| managed(layout, folder));
    let own: Vec<PathBuf> = base.iter().map(|it| it.join("bin")).collect();
    let python = own.iter().map(|it| it.join("python")).find(|it| is_program(it));
    Environment { own, python, is_uv: lock.is_some() }
}

/// An environment in the project's own folders, nearest first.
fn beside(layout: &Layout<'_>, folder: &Path, lock: Option<&Path>) -> Option<PathBuf> {
    let chosen = layout.around.uv_environment.as_ref().zip(lock.and_then(Path::parent));
    let is_environment = |it: &PathBuf| is_program(&it.join("bin/python"));
    chosen.map(|(name, folder)| folder.join(name)).filter(is_environment).or_else(|| {
        layout
            .upward(folder)
            .flat_map(|it| [".venv", "venv", "env"].map(|name| it.join(name)))
            .find(|it| it.join("pyvenv.cfg").is_file() && is_environment(it))
    })
}

/// An environment that a manager keeps elsewhere and tells of.
fn managed(layout: &Layout<'_>, folder: &Path) -> Option<PathBuf> {
    let project = layout.nearest(folder, &["pyproject.toml"])?;
    let home = project.parent()?;
    let asks: &[(bool, &str, &[&str])] = &[
        (
            layout.has_table(&project, "tool.poetry") || home.join("poetry.lock").is_file(),
            "poetry",
            &["env", "info", "--path"],
        ),
        (
            layout.has_table(&project, "tool.hatch") || home.join("hatch.toml").is_file(),
            "hatch",
            &["env", "find"],
        ),
    ];
    let users = Environment::default();
    asks.iter().filter(|it| it.0).find_map(|(_, name, arguments)| {
        let program = users.find(&[name], &layout.around).ok()?.path;
        let kept = Kept::of(layout, &project, name);
        match kept.as_ref().map_or(Answer::Old, Kept::answer) {
            Answer::At(found) => Some(found),
            Answer::Nowhere => None,
            Answer::Old => {
                let found = ask(program, arguments, home);
                if let Some(kept) = kept {
                    kept.write(found.as_deref());
                }
                found
            }
        }
    })
}

fn ask(program: PathBuf, arguments: &[&str], folder: &Path) -> Option<PathBuf> {
    let call = Call {
        program,
        arguments: arguments.iter().map(Into::into).collect(),
        folder: folder.to_owned(),
        path: Vec::new(),
        variables: Vec::new(),
        input: None,
    };
    let answer = process::run(&Warden::new(), &call, MANAGER_TIME_MAX).ok().filter(|it| it.code == 0)?;
    answer.stdout.lines().map(|line| PathBuf::from(line.trim())).find(|it| is_environment(it))
}

fn is_environment(folder: &Path) -> bool {
    folder.is_absolute() && is_program(&folder.join("bin/python"))
}

/// What a manager answered, kept in a file: asking takes it most of a second, and would do so at every edit.
struct Kept {
    file: PathBuf,
    project: PathBuf,
}

/// That there is no environment is believed for so long.
const NONE_TIME_MAX: Duration = Duration::from_secs(60);

enum Answer {
    At(PathBuf),
    Nowhere,
    /// The project changed since, the environment is gone, or may be there by now.
    Old,
}

impl Kept {
    fn of(layout: &Layout<'_>, project: &Path, manager: &str) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        project.hash(&mut hasher);
        let file = format!("{manager}-{:016x}", hasher.finish());
        let file = layout.around.cache.as_ref()?.join("environments").join(file);
        Some(Self { file, project: project.to_owned() })
    }

    /// What stands in the file, where that is still to be believed.
    fn answer(&self) -> Answer {
        let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified());
        let (Ok(written), Ok(changed)) = (modified(&self.file), modified(&self.project)) else {
            return Answer::Old;
        };
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let Some((project, found)) = text.split_once('\n') else { return Answer::Old };
        if written < changed || Path::new(project) != self.project {
            return Answer::Old;
        }
        let found = PathBuf::from(found);
        let is_recent = written.elapsed().is_ok_and(|it| it < NONE_TIME_MAX);
        match found.as_os_str().is_empty() {
            true if is_recent => Answer::Nowhere,
            false if is_environment(&found) => Answer::At(found),
            _ => Answer::Old,
        }
    }

    /// Where it cannot be written it is asked again.
    fn write(&self, found: Option<&Path>) {
        let (Some(project), Some(found)) = (self.project.to_str(), found.unwrap_or(Path::new("")).to_str())
        else {
            return;
        };
        let _ = hostler_ledger::file::write_atomic(&self.file, format!("{project}\n{found}").as_bytes());
    }
}

/// The version of the package that brought a program, from the files of the environment.
fn version(folder: &Path, name: &str) -> Option<String> {
    // node_modules/.bin/NAME is a link into its package.
    if folder.ends_with("node_modules/.bin") {
        let target = fs::canonicalize(folder.join(name)).ok()?;
        let modules = folder.parent()?.canonicalize().ok()?;
        let package = target.ancestors().take_while(|it| **it != *modules).map(|it| it.join("package.json"));
        let text = package.filter_map(|it| fs::read_to_string(it).ok()).last()?;
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        return value.get("version")?.as_str().map(str::to_owned);
    }
    // Elsewhere the folder beside it is the whole system's.
    if !folder.with_file_name("pyvenv.cfg").is_file() {
        return None;
    }
    let libraries = fs::read_dir(folder.parent()?.join("lib")).ok()?;
    let packages = libraries.flatten().map(|it| it.path().join("site-packages")).find(|it| it.is_dir())?;
    let prefix = format!("{name}-");
    fs::read_dir(packages).ok()?.flatten().find_map(|it| {
        let file = it.file_name();
        file.to_str()?.strip_prefix(&prefix)?.strip_suffix(".dist-info").map(str::to_owned)
    })
}
