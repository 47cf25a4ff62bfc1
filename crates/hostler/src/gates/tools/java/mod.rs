//! Java's tools.

pub(super) mod build;
pub(super) mod checkstyle;
pub(super) mod javac;

use std::path::{Path, PathBuf};

use super::layout::Layout;

const EXTENSIONS: &[&str] = &["java"];

/// Files of the two builders.
const MAVEN_FILES: &[&str] = &["pom.xml"];
const GRADLE_FILES: &[&str] = &["build.gradle", "build.gradle.kts"];

/// The package that a source declares.
fn package(text: &str) -> Option<&str> {
    text.lines().find_map(|line| Some(line.trim().strip_prefix("package ")?.split(';').next()?.trim()))
}

/// The folder that packages begin in, by the package that a file declares.
fn source_root(layout: &Layout<'_>, path: &Path) -> Option<PathBuf> {
    let text = layout.text(path)?;
    let depth = package(&text).map_or(0, |it| it.split('.').count());
    path.parent()?.ancestors().nth(depth).map(Path::to_owned)
}
