//! Operands -> targets: absolute, lexically clean paths where they can be told.

use std::path::{Path, PathBuf};

use hostler_model::{Reach, Target, lexical};

use super::machine::State;
use super::word::{Field, Piece};

/// Where commands run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Site {
    /// In the agent's own shell.
    Local,
    /// On another machine, or in a running container.
    Remote,
    /// In a fresh container: only what is below these folders outlives it.
    Sandbox {
        /// Mount points inside the container.
        mounts: Vec<String>,
    },
}

impl Site {
    pub(super) fn reach(&self) -> Reach {
        match self {
            Self::Local => Reach::Local,
            Self::Remote | Self::Sandbox { .. } => Reach::Remote,
        }
    }

    /// Whether changing `path` (absolute inside a container) outlives the command.
    pub(super) fn keeps(&self, target: &Target) -> bool {
        let Self::Sandbox { mounts } = self else { return true };
        if mounts.is_empty() {
            return false;
        }
        match &target.path {
            None => true,
            Some(path) => {
                mounts.iter().any(|mount| path.starts_with(mount) || Path::new(mount).starts_with(path))
            }
        }
    }
}

/// The target that a word names.
pub(super) fn target(field: &Field, state: &State) -> Target {
    let text = field.render();
    let follows_link = text.ends_with('/') || text.ends_with("/.");
    let base = match state.site {
        Site::Local => state.cwd.clone(),
        Site::Remote | Site::Sandbox { .. } => None,
    };
    let known = known_prefix(field);
    let unresolved =
        |text: String| Target { text, path: None, glob: false, pattern: String::new(), follows_link };
    let Some((prefix, pattern)) = known else { return unresolved(text) };
    let Some(path) = resolve(&prefix, base.as_deref()) else { return unresolved(text) };
    Target { text, path: Some(path), glob: !pattern.is_empty(), pattern, follows_link }
}

/// The literal path up to the first pattern component, and the pattern. `None` when a part is unknown, or
/// a pattern can leave its folder through `..`.
fn known_prefix(field: &Field) -> Option<(String, String)> {
    let mut prefix = String::new();
    let mut pattern = String::new();
    for piece in &field.0 {
        match piece {
            Piece::Unknown(_) => return None,
            Piece::Text(text) if pattern.is_empty() => prefix.push_str(text),
            Piece::Text(text) => pattern.push_str(text),
            Piece::Glob(text) | Piece::Name(text) => {
                if pattern.is_empty() {
                    let cut = prefix.rfind('/').map_or(0, |at| at + 1);
                    pattern = prefix.split_off(cut);
                }
                pattern.push_str(if matches!(piece, Piece::Name(_)) { "*" } else { text });
            }
        }
    }
    if pattern.split('/').any(|part| part == "..") {
        return None;
    }
    Some((prefix, pattern))
}

/// `prefix` as an absolute path; `None` when it is relative and the working directory is unknown.
fn resolve(prefix: &str, base: Option<&Path>) -> Option<PathBuf> {
    if prefix.starts_with('/') {
        return Some(lexical::absolute(Path::new("/"), Path::new(prefix)));
    }
    Some(lexical::absolute(base?, Path::new(prefix)))
}
