//! The gates, for agents: what `hostler review` and `hostler fix` do.

pub(crate) mod fix;
#[expect(clippy::module_inception, reason = "one file a tool, named after it")]
pub(crate) mod review;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Call;
use super::schema::{Argument, Kind};
use crate::gates::changed;
use crate::hook::World;

/// What all programs together may take for one call.
const TIME_MAX: Duration = Duration::from_secs(110);

/// Members of one run of a tool of the project.
const RUN: &[Argument] = &[
    Argument::required("tool", Kind::Text, "its name"),
    Argument::required("outcome", Kind::Text, "clean, findings or not_run"),
    Argument::required("findings", Kind::Number, "how many it has"),
    Argument::optional("reason", Kind::Text, "why it did not run"),
];

/// The named files, each once: regular ones of the project that are nobody's own.
fn files(call: &Call<'_>, world: &World) -> Result<Vec<PathBuf>, String> {
    let root = std::fs::canonicalize(&world.project.root).unwrap_or_else(|_| world.project.root.clone());
    let place = world.place(call.directory);
    let mut paths = Vec::new();
    for name in call.texts("files") {
        let refused = |why: &str| format!("`{}` is not looked at: {why}; nothing was done", shown(&name));
        let path = match std::fs::canonicalize(call.directory.join(&name)) {
            Ok(path) if path.is_file() => path,
            Ok(_) => return Err(refused("it is no regular file")),
            Err(error) => return Err(refused(&error.to_string())),
        };
        if changed::name(&root, &path).is_none() {
            return Err(refused("it lies outside of the project"));
        }
        if place.own.iter().any(|own| path.starts_with(own)) || is_git(&root, &path) {
            return Err(refused("it is no source of the project"));
        }
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

fn is_git(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|rest| rest.components().any(|part| part.as_os_str() == ".git"))
}

/// A path on one line, for messages.
fn shown(name: &str) -> String {
    crate::gates::render::cut(name)
}
