//! Whether a changed module can be imported. This runs the project's code: only where it was asked for.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};
use serde::Deserialize;

use super::known::is_known;
use super::{chosen, declares};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, Job, Purpose, Report, Tool, exited};

/// One import.
pub(in super::super) const IMPORT: Tool = Tool {
    name: "import",
    gates: &[Gate::Safety],
    extensions: &["py"],
    effort: Effort::Import,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["python3"], Ecosystem::Python),
    // What one module does must not decide about another.
    files_max: Some(1),
    choose: |layout, folder, request| request.settings.imports.then(|| chosen(layout, folder, None)),
    takes: |job, path| Ok(module_of(job, path).is_some()),
    arguments: Some(|job| {
        let path = job.files.first().map(|it| it.path.clone()).unwrap_or_default();
        let module = module_of(job, &path).ok_or("the file is no module")?;
        let report = job.scratch()?.join(REPORT);
        let mut arguments: Vec<OsString> = vec!["-c".into(), SCRIPT.into(), module.name.into()];
        arguments.extend([module.root.into(), path.into(), report.into()]);
        Ok(arguments)
    }),
    text: None,
    read: |job, answer| {
        let report = fs::read_to_string(job.scratch()?.join(REPORT)).unwrap_or_default();
        findings(job, answer, &report)
    },
    fix: None,
    is_formatter: false,
    install: "install Python 3",
};

const REPORT: &str = "import.json";

/// What the module prints is nobody's business, so what happened goes to a file.
const SCRIPT: &str = "
import importlib, json, sys, traceback
name, root, path, report = sys.argv[1:5]
sys.path.insert(0, root)
found = {}
try:
    importlib.import_module(name)
except BaseException as error:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    found = {'kind': type(error).__name__, 'message': str(error), 'line': lines[-1] if lines else 1, 'missing': missing}
with open(report, 'w', encoding='utf-8') as file:
    json.dump(found, file)
";

/// A module as Python names it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Module {
    /// Dotted.
    name: String,
    /// What has to be on the search path.
    root: PathBuf,
}

fn module_of(job: &Job<'_>, path: &Path) -> Option<Module> {
    module(path, &job.chosen.folder, |folder| folder.join("__init__.py").is_file())
}

/// The module that `path` is in `project`. Programs and tests are none: they are run, not imported.
fn module(path: &Path, project: &Path, is_package: impl Fn(&Path) -> bool) -> Option<Module> {
    const PROGRAMS: &[&str] = &["__main__", "setup", "conftest", "manage", "noxfile"];
    let stem = path.file_stem()?.to_str()?;
    if PROGRAMS.contains(&stem) || stem.starts_with("test_") || stem.ends_with("_test") {
        return None;
    }
    let folder = path.parent()?;
    let source = project.join("src");
    let root = if path.starts_with(&source) && folder != project {
        source
    } else if is_package(folder) {
        folder.ancestors().find(|it| !is_package(it))?.to_owned()
    } else {
        project.to_owned()
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.strip_prefix(&root).ok()?.components() {
        parts.push(part.as_os_str().to_str()?);
    }
    if stem != "__init__" {
        parts.push(stem);
    }
    let is_name = |part: &&str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|it| it.is_alphabetic() || it == '_')
            && letters.all(|it| it.is_alphanumeric() || it == '_')
    };
    if parts.is_empty() || !parts.iter().all(is_name) || parts.first() == Some(&"tests") {
        return None;
    }
    Some(Module { name: parts.join("."), root })
}

#[derive(Deserialize)]
struct Fault {
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    line: usize,
    missing: Option<String>,
}

fn findings(job: &Job<'_>, answer: &Answer, report: &str) -> Result<Vec<Report>, String> {
    let fault: Fault = serde_json::from_str(report).map_err(|_| exited(answer))?;
    let Some(kind) = fault.kind else { return Ok(Vec::new()) };
    let Some(file) = job.files.first() else { return Ok(Vec::new()) };
    let top = fault.missing.as_deref().and_then(|it| it.split('.').next());
    let is_machines = |top: &&str| {
        declares(job.layout, &job.chosen.folder, top) || job.environment.python.is_none() && is_known(top)
    };
    if let Some(top) = top.filter(is_machines) {
        return Err(format!(
            "`{top}` is a dependency that is not installed where it ran; install the project"
        ));
    }
    let message = fault.message.lines().next().unwrap_or_default();
    let message = format!("the module cannot be imported: {kind}: {message}");
    Ok(vec![Report::new(&file.path, fault.line, "import", Severity::Error, &message).code(Some(kind))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, packages: &[&str], expected: Option<(&str, &str)>) {
        let is_package = |folder: &Path| packages.iter().any(|it| folder == Path::new(it));
        let found = module(Path::new(path), Path::new("/p"), is_package);
        let expected = expected.map(|(name, root)| Module { name: name.to_owned(), root: root.into() });
        assert_eq!(found, expected, "{path}");
    }

    // @traces 021-TEST-UNIT-059
    #[test]
    fn a_file_is_the_module_that_its_place_makes_it() {
        check("/p/app/mod.py", &["/p/app"], Some(("app.mod", "/p")));
        check("/p/app/sub/mod.py", &["/p/app", "/p/app/sub"], Some(("app.sub.mod", "/p")));
        check("/p/app/__init__.py", &["/p/app"], Some(("app", "/p")));
        check("/p/src/app/mod.py", &["/p/src/app"], Some(("app.mod", "/p/src")));
        check("/p/src/space/app/mod.py", &["/p/src/space/app"], Some(("space.app.mod", "/p/src")));
        check("/p/src/mod.py", &[], Some(("mod", "/p/src")));
        check("/p/lib/app/mod.py", &["/p/lib/app"], Some(("app.mod", "/p/lib")));
        check(
            "/p/packages/core/traceability/module.py",
            &[],
            Some(("packages.core.traceability.module", "/p")),
        );
        check("/p/mod.py", &[], Some(("mod", "/p")));
        for program in [
            "/p/setup.py",
            "/p/app/__main__.py",
            "/p/tests/helpers.py",
            "/p/app/test_mod.py",
            "/p/__init__.py",
        ] {
            check(program, &[], None);
        }
        check("/p/my-scripts/mod.py", &[], None);
        check("/p/app/2024_data.py", &["/p/app"], None);
    }
}
