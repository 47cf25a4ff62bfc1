//! Tools at work: real ones where they are installed, scripts of ours where the matter is how tools are run.

#![expect(clippy::unwrap_used, reason = "tests")]

mod environments;
mod node;
mod others;
mod python;
mod running;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// A project in a folder of its own, and what is installed around it.
struct Project {
    folder: tempfile::TempDir,
    around: Surroundings,
    settings: ToolSettings,
    deadline: Duration,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let around = Surroundings::current();
        // What the tests are run in is no environment of the project.
        let around = Surroundings {
            active: Vec::new(),
            uv_environment: None,
            cache: Some(folder.path().join("cache")),
            path: around.path,
        };
        let deadline = Duration::from_secs(280);
        let project = Self { folder, around, settings: ToolSettings::default(), deadline };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// A project around which nothing but the system's shell is installed.
    fn bare(files: &[(&str, &str)]) -> Self {
        let mut project = Self::new(files);
        project.around.path = vec![project.path("installed")];
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// A program of ours, as a shell script.
    fn program(&self, path: &str, script: &str) {
        self.write(path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A virtual environment of Python with one program.
    fn environment(&self, folder: &str, name: &str, script: &str) {
        self.write(&format!("{folder}/pyvenv.cfg"), "version = 3.12.1\n");
        self.program(&format!("{folder}/bin/python"), "exit 1");
        self.program(&format!("{folder}/bin/{name}"), script);
    }

    fn with<R>(&self, purpose: Purpose, files: &[&str], with: impl FnOnce(&Request<'_>) -> R) -> R {
        let (root, files) = (self.root(), files.iter().map(PathBuf::from).collect::<Vec<_>>());
        with(&Request {
            root: &root,
            files: &files,
            gates: &[],
            purpose,
            deadline: Instant::now() + self.deadline,
            settings: &self.settings,
            configured_only: false,
        })
    }

    fn run(&self, purpose: Purpose, files: &[&str]) -> Vec<Run> {
        self.with(purpose, files, |request| run_around(request, self.around.clone()))
    }

    fn review(&self, files: &[&str]) -> Vec<Run> {
        self.run(Purpose::Review, files)
    }
}

/// Findings of `tool` as `path:line check severity code`.
#[track_caller]
fn found(runs: &[Run], tool: &str) -> Vec<String> {
    let of_tool: Vec<&Run> = runs.iter().filter(|it| it.tool == tool).collect();
    assert!(
        !of_tool.is_empty(),
        "`{tool}` is not among {:?}",
        runs.iter().map(|it| it.tool).collect::<Vec<_>>()
    );
    let mut lines = Vec::new();
    for run in of_tool {
        match &run.outcome {
            Outcome::Clean => {}
            Outcome::NotRun { reason } => panic!("`{tool}` did not run: {reason}"),
            Outcome::Findings(findings) => lines.extend(findings.iter().map(|(path, it)| {
                let (severity, code) = (it.severity.name(), it.code.as_deref().unwrap_or("-"));
                format!("{}:{} {} {severity} {code}", path.display(), it.line, it.check)
            })),
        }
    }
    lines
}

/// Why `tool` did not run.
#[track_caller]
fn reason(runs: &[Run], tool: &str) -> String {
    let reasons: Vec<&String> = runs
        .iter()
        .filter(|it| it.tool == tool)
        .filter_map(|it| match &it.outcome {
            Outcome::NotRun { reason } => Some(reason),
            _ => None,
        })
        .collect();
    assert_eq!(reasons.len(), 1, "{runs:#?}");
    reasons[0].clone()
}

/// How many files of Python a tool was given.
fn sources_of(run: &Run) -> usize {
    run.command.iter().filter(|it| Path::new(it).extension().is_some_and(|it| it == "py")).count()
}

fn names(runs: &[Run]) -> Vec<&'static str> {
    runs.iter().map(|it| it.tool).collect()
}

/// Whether all of these programs can be found; otherwise the test is skipped, with a word about it.
fn has(test: &str, project: &Project, programs: &[&str]) -> bool {
    let missing =
        programs.iter().find_map(|name| Environment::default().find(&[name], &project.around).err());
    if let Some(missing) = &missing {
        testkit::client::skip(test, missing);
    }
    missing.is_none()
}
