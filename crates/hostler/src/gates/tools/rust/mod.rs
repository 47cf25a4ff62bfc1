//! Rust's tools.

pub(super) mod clippy;
pub(super) mod rustfmt;
pub(super) mod test;

use std::ffi::OsString;
use std::path::Path;

use toml::Value;

use super::Use;
use super::layout::{Layout, lookup};

const EXTENSIONS: &[&str] = &["rs"];

/// The package that a folder belongs to.
fn package(layout: &Layout<'_>, folder: &Path) -> Option<Use> {
    let file = layout.nearest_where(folder, &["Cargo.toml"], |path| layout.has_table(path, "package"))?;
    Some(Use { folder: file.parent()?.to_owned(), configured: Some(file), is_ours: false })
}

/// The edition of a package, its workspace asked where it says so.
fn edition(layout: &Layout<'_>, package: &Use) -> Option<String> {
    let table = layout.toml(package.configured.as_ref()?)?;
    match lookup(&table, "package.edition")? {
        Value::String(edition) => Some(edition.clone()),
        _ => layout.upward(&package.folder).find_map(|folder| {
            let table = layout.toml(&folder.join("Cargo.toml"))?;
            lookup(&table, "workspace.package.edition")?.as_str().map(str::to_owned)
        }),
    }
}

/// What cargo must not inherit: the toolchain of whoever started us, where the project names its own.
pub(super) fn variables(layout: &Layout<'_>, folder: &Path) -> Vec<(&'static str, Option<OsString>)> {
    let mut variables =
        vec![("RUST_BACKTRACE", Some("0".into())), ("CARGO_TERM_COLOR", Some("never".into()))];
    if layout.nearest(folder, &["rust-toolchain.toml", "rust-toolchain"]).is_some() {
        variables.push(("RUSTUP_TOOLCHAIN", None));
    }
    variables
}
