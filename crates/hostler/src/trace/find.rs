//! Which files hold requirements and results: paths, globs, and the usual places.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use hostler_trace::settings::{Requirements, glob_of};
use ignore::WalkBuilder;

use super::walk::slashed;

/// Where requirements are kept where nothing is said.
const USUAL: &[&str] = &[
    "requirements.tsv",
    "requirements.csv",
    "requirements.md",
    "requirements.yaml",
    "requirements.yml",
    "requirements.json",
    "REQUIREMENTS.md",
    "docs/requirements.{tsv,csv,md,yaml,yml,json}",
    "docs/requirements/*.{md,yaml,yml,csv,tsv,json}",
    "requirements/*.{md,yaml,yml,csv,tsv,json}",
    "specs/*/spec.md",
    "specs/*/requirements.md",
    ".specify/specs/*/spec.md",
    ".kiro/specs/*/requirements.md",
    "openspec/specs/*/spec.md",
];

/// A source of requirements.
#[derive(Debug)]
pub(super) struct Found {
    /// From the project's top folder.
    pub(super) shown: String,
    /// How it is read.
    pub(super) of: Requirements,
}

/// Sources in the usual places.
pub(super) fn usual(root: &Path) -> Vec<Found> {
    let mut seen = BTreeSet::new();
    let all = USUAL.iter().filter_map(|glob| files(root, glob).ok()).flatten();
    let mut real = BTreeSet::new();
    all.filter(|it| {
        // One file under two names, where the file system ignores case.
        let path = std::fs::canonicalize(root.join(it)).unwrap_or_else(|_| root.join(it));
        seen.insert(it.clone()) && real.insert(path)
    })
    .map(|shown| Found { shown, of: Requirements::default() })
    .collect()
}

/// The sources that the command line names: files, whatever is in their names.
pub(super) fn given(all: &[Requirements]) -> Vec<Found> {
    all.iter().map(|of| Found { shown: of.path.clone(), of: of.clone() }).collect()
}

/// The sources that are configured.
pub(super) fn configured(
    root: &Path,
    all: &[Requirements],
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<Found>> {
    let mut out: Vec<Found> = Vec::new();
    for of in all {
        let found = if is_glob(&of.path) { files(root, &of.path)? } else { vec![of.path.clone()] };
        if found.is_empty() {
            notes.push(format!("no requirements: nothing matches `{}`", of.path));
        }
        for shown in found {
            if !out.iter().any(|it| it.shown == shown) {
                out.push(Found { shown, of: of.clone() });
            }
        }
    }
    Ok(out)
}

fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The files that a path or a glob names, from the project's top folder, sorted. Ignored files are found too: results are.
pub(super) fn files(root: &Path, pattern: &str) -> anyhow::Result<Vec<String>> {
    let pattern = pattern.trim_start_matches("./");
    if !is_glob(pattern) {
        return Ok(if root.join(pattern).is_file() { vec![pattern.to_owned()] } else { Vec::new() });
    }
    // Only what is below the part without a wildcard is walked.
    let fixed: PathBuf = Path::new(pattern)
        .components()
        .take_while(|it| !is_glob(&it.as_os_str().to_string_lossy()))
        .collect();
    let start = root.join(&fixed);
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let below = pattern.get(slashed(&fixed).len()..).unwrap_or_default().trim_start_matches('/');
    let glob = glob_of(below)?;
    let mut out = Vec::new();
    let depth = if below.contains("**") { None } else { Some(below.split('/').count()) };
    let skipped = |name: &std::ffi::OsStr| name == ".git" || name == "node_modules";
    let walker = WalkBuilder::new(&start)
        .standard_filters(false)
        .max_depth(depth)
        .filter_entry(move |it| it.depth() == 0 || !skipped(it.file_name()))
        .build();
    for entry in walker.flatten().filter(|it| it.file_type().is_some_and(|it| it.is_file())) {
        let Ok(path) = entry.path().strip_prefix(&start) else { continue };
        if glob.is_match(slashed(path)) {
            out.push(slashed(&fixed.join(path)));
        }
    }
    out.sort();
    Ok(out)
}

/// Every file below a folder whose name ends so.
pub(super) fn below(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for entry in WalkBuilder::new(folder).standard_filters(false).build() {
        let entry = entry.with_context(|| format!("cannot list `{}`", folder.display()))?;
        if entry.path().extension().is_some_and(|it| it == extension)
            && entry.file_type().is_some_and(|it| it.is_file())
        {
            out.push(entry.into_path());
        }
    }
    out.sort();
    if out.is_empty() {
        bail!("there is no .{extension} file below `{}`", folder.display());
    }
    Ok(out)
}

/// `path` as seen from `root`, with `..` where it leads out.
pub(super) fn relative(root: &Path, path: &Path) -> String {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (root.components().collect(), path.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared <= 1 {
        // Nothing in common: the way out would be longer than the path.
        return slashed(path);
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - shared);
    slashed(&up.chain(to[shared..].iter().copied()).collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn globs_name_files_from_the_top_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "requirements.tsv",
            "specs/1 a/spec.md",
            "specs/2/spec.md",
            "specs/2/deep/spec.md",
            "spec.md",
            "target/x/a.xml",
            "target/b.xml",
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "target\n").unwrap();
        let found = |pattern: &str| files(root, pattern).unwrap();
        assert_eq!(found("specs/*/spec.md"), ["specs/1 a/spec.md", "specs/2/spec.md"]);
        assert_eq!(found("./specs/**/spec.md").len(), 3);
        assert_eq!(found("target/*.xml"), ["target/b.xml"]);
        assert_eq!(found("target/**/*.xml").len(), 2);
        assert_eq!(found("*.tsv"), ["requirements.tsv"]);
        assert_eq!(found("spec.md"), ["spec.md"]);
        assert!(found("none/*.md").is_empty() && found("none.md").is_empty());
        assert_eq!(
            usual(root).iter().map(|it| it.shown.as_str()).collect::<Vec<_>>(),
            ["requirements.tsv", "specs/1 a/spec.md", "specs/2/spec.md"]
        );
        assert_eq!(below(&root.join("target"), "xml").unwrap().len(), 2);
    }

    #[test]
    fn paths_are_told_from_the_top_folder() {
        for (path, expected) in
            [("/a/b/c/d.md", "c/d.md"), ("/a/x/d.md", "../x/d.md"), ("/x/d.md", "/x/d.md")]
        {
            assert_eq!(relative(Path::new("/a/b"), Path::new(path)), expected);
        }
    }
}
