//! JavaScript's and TypeScript's tools.

pub(super) mod biome;
pub(super) mod eslint;
pub(super) mod jest;
pub(super) mod prettier;
pub(super) mod tsc;
pub(super) mod vitest;

use std::path::{Path, PathBuf};

use super::Use;
use super::layout::Layout;

/// Sources of both languages.
const EXTENSIONS: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/// The nearest file that configures a tool: one of its own, or `package.json` with its `key`.
fn configured(layout: &Layout<'_>, folder: &Path, own: &[&str], key: Option<&str>) -> Option<PathBuf> {
    let names: Vec<&str> = own.iter().copied().chain(key.map(|_| "package.json")).collect();
    layout.nearest_where(folder, &names, |path| {
        !path.ends_with("package.json")
            || layout.json(path).zip(key).is_some_and(|(value, key)| value.get(key).is_some())
    })
}

/// The nearest `package.json` that depends on `package`.
fn depends(layout: &Layout<'_>, folder: &Path, package: &str) -> Option<PathBuf> {
    layout.nearest_where(folder, &["package.json"], |path| {
        let value = layout.json(path).unwrap_or_default();
        let groups = ["devDependencies", "dependencies", "peerDependencies", "optionalDependencies"];
        groups.iter().any(|group| value.get(group).is_some_and(|it| it.get(package).is_some()))
    })
}

/// That the project uses a tool, which starts where it is configured.
fn beside(file: PathBuf) -> Use {
    Use { folder: file.parent().unwrap_or(Path::new("/")).to_owned(), configured: Some(file), is_ours: false }
}

/// Whether a file is a test by its name or folder.
fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    let is_named = name.split('.').rev().skip(1).any(|it| matches!(it, "test" | "spec"));
    is_named || path.components().any(|it| it.as_os_str() == "__tests__")
}
