//! Which paths the agent may not write: one classification for file tools and shell alike.
//!
//! Paths come in absolute and lexically clean; a caller that knows where links lead asks again with the resolved
//! path. Names of the hosts' files are compared without ASCII case, since the file systems of two of three
//! desktops do so. Names of ours are compared as they are: `Context.md` is a fine name for a page on Linux.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use hostler_model::{Place, lexical};

use crate::Settings;

/// Why a path is protected, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Protected {
    /// A clause that follows "`PATH` is protected: ".
    pub(crate) why: String,
    /// What to do instead.
    pub(crate) instead: String,
}

impl Protected {
    fn new(why: &str, instead: impl Into<String>) -> Self {
        Self { why: why.to_owned(), instead: instead.into() }
    }
}

/// The commands that change the record of sessions, each for what an agent may want to write there.
const RECORD_COMMANDS: &str = "use `hostler session log-work --desc TEXT` for what was done, \
    `hostler session log-achievement --item TEXT` for what was reached, \
    `hostler session log-choice --choice TEXT --reason TEXT` for a decision, \
    `hostler session add-work --text TEXT` and `hostler session complete-work --id ID` for what is left to do, \
    `hostler session update-state --test-state TEXT` for the state, \
    `hostler session begin --purpose TEXT` and `hostler session end --achievements TEXT` for a session";

const ASK_THE_USER: &str = "tell the user what should change there and why, and leave the change to them";

/// Whether `path` must not be written by a tool.
pub(crate) fn protection(path: &Path, place: &Place, settings: &Settings) -> Option<Protected> {
    let parts = parts(path);
    host_settings(&parts, path, place)
        .or_else(|| own_files(&parts, path, place))
        .or_else(|| configured(path, place, settings))
}

/// As [`protection`], for writes through a shell. There a write into the folder of the host is never what a task
/// needs: whatever stands below it is protected, but for the host's own memory of a project.
pub(crate) fn shell_protection(path: &Path, place: &Place, settings: &Settings) -> Option<Protected> {
    protection(path, place, settings).or_else(|| {
        let parts = parts(path);
        let below = below_host_dir(&parts, path, place)?;
        let memory = matches!(below.as_slice(), ["projects", _, "memory", ..]);
        (!memory).then(|| {
            Protected::new(
                "it belongs to the host, which runs the agent by what it finds there",
                ASK_THE_USER,
            )
        })
    })
}

/// Whether removing or moving the folder `path` takes something protected with it: the folder is, or holds, a
/// place that [`shell_protection`] guards.
pub(crate) fn holds_protected(path: &Path, place: &Place, settings: &Settings) -> Option<Protected> {
    let project = [".claude", ".opencode", ".hostler"].map(|name| place.root.join(name));
    let home = place
        .home
        .iter()
        .flat_map(|home| [".claude", ".claude.json", ".config/opencode"].map(|name| home.join(name)));
    let mut known = project
        .into_iter()
        .chain(home)
        .chain(place.host_dirs.iter().cloned())
        .chain(place.own.iter().cloned());
    shell_protection(path, place, settings).or_else(|| {
        known.any(|it| it.starts_with(path)).then(|| {
            Protected::new(
                "settings of the host or files of hostler are in it",
                "name the files themselves, not the folder",
            )
        })
    })
}

/// Whether `path` is one of the repository's internals that git itself keeps, and that code or settings run from.
pub(crate) fn git_internals(path: &Path, place: &Place) -> Option<Protected> {
    let dirs = [Some(place.root.join(".git")), place.git_dir.clone(), place.git_common_dir.clone()];
    let known = dirs.iter().flatten().find_map(|dir| path.strip_prefix(dir).ok());
    let parts = if let Some(inside) = known {
        parts(inside)
    } else {
        // A nested repository, a submodule, another clone: their hooks run as well.
        let all = parts(path);
        let at = all.iter().position(|part| part == ".git").filter(|at| at + 1 < all.len())?;
        all[at + 1..].to_vec()
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        // Written by people and editors, read by git: nothing is lost or run by these.
        ["info", "exclude"]
        | ["description" | "COMMIT_EDITMSG" | "MERGE_MSG" | "SQUASH_MSG" | "TAG_EDITMSG"] => None,
        ["hooks", ..] => Some(Protected::new(
            "git runs what stands there",
            "put the script into a tracked folder of the project and ask the user to install it",
        )),
        ["config" | "config.worktree"] => Some(Protected::new(
            "it holds the repository's settings",
            "use the command `git config` for one setting",
        )),
        _ => Some(Protected::new("git alone keeps these files", "use git's own commands, e.g. `git status`")),
    }
}

/// Whether a glob of [`Settings::protected`] can be read; the reason if not.
///
/// # Errors
/// What is wrong with it, one clause.
pub fn check_glob(glob: &str) -> Result<(), String> {
    compile(glob).map(|_| ()).map_err(|error| error.kind().to_string())
}

fn parts(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect()
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| same(head, prefix))
}

fn ends_with(text: &str, suffix: &str) -> bool {
    text.len().checked_sub(suffix.len()).and_then(|at| text.get(at..)).is_some_and(|tail| same(tail, suffix))
}

/// `settings.json`, `settings.local.json` and what else a host reads under such a name.
fn is_settings(name: &str) -> bool {
    starts_with(name, "settings") && ends_with(name, ".json")
}

/// Whether `parts` name somebody's home folder.
fn is_home(parts: &[String], place: &Place) -> bool {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["root"] => true,
        [homes, _] if same(homes, "home") || same(homes, "users") => true,
        all => place.home.as_ref().is_some_and(|home| self::parts(home) == all),
    }
}

/// The components below a home's `.claude`, or below a configured folder of the host.
fn below_host_dir<'a>(parts: &'a [String], path: &Path, place: &Place) -> Option<Vec<&'a str>> {
    let configured =
        place.host_dirs.iter().filter(|dir| path.starts_with(dir)).map(|dir| self::parts(dir).len()).min();
    let of_home = || {
        (0..parts.len()).find(|&at| {
            parts.get(at).is_some_and(|name| same(name, ".claude"))
                && parts.get(..at).is_some_and(|home| is_home(home, place))
        })
    };
    let from = configured.or_else(|| of_home().map(|at| at + 1))?;
    parts.get(from..).map(|rest| rest.iter().map(String::as_str).collect())
}

fn host_settings(parts: &[String], path: &Path, place: &Place) -> Option<Protected> {
    let settings =
        || Some(Protected::new("it holds settings of the host, which turn guards on and off", ASK_THE_USER));
    if let Some(below) = below_host_dir(parts, path, place) {
        match below.as_slice() {
            [name] if is_settings(name) || is_opencode_config(name) || same(name, ".credentials.json") => {
                return settings();
            }
            [name, ..] if ["hooks", "plugin", "plugins"].iter().any(|it| same(name, it)) => {
                return settings();
            }
            [name, rest @ ..] if same(name, "plans") => {
                let rest = if rest.is_empty() { "NAME.md".to_owned() } else { rest.join("/") };
                return Some(Protected::new(
                    "plans belong to the project, where they are reviewed and kept",
                    format!("write it to plans/{rest} in the project"),
                ));
            }
            _ => {}
        }
    }
    let names: Vec<&str> = parts.iter().map(String::as_str).collect();
    for (at, name) in names.iter().enumerate() {
        let (home, below) = (names.get(..at).unwrap_or_default(), names.get(at + 1..).unwrap_or_default());
        let hit = match below {
            // Any project's folder: settings there bind whoever works in it next.
            [file] if same(name, ".claude") => is_settings(file) || same(file, "hooks"),
            [folder, ..] if same(name, ".claude") => same(folder, "hooks"),
            [folder, ..] if same(name, ".opencode") || (same(name, "opencode") && ends_with_config(home)) => {
                same(folder, "plugin")
                    || same(folder, "plugins")
                    || (below.len() == 1 && is_opencode_config(folder))
            }
            [] if starts_with(name, ".claude.json") => is_home(parts.get(..at).unwrap_or_default(), place),
            [] if is_opencode_config(name) && !same(name, "config.json") => path.starts_with(&place.root),
            _ => false,
        };
        if hit {
            return settings();
        }
    }
    let managed = match names.as_slice() {
        ["etc", vendor, ..] => same(vendor, "claude-code"),
        ["Library", "Application Support", vendor, ..] => same(vendor, "ClaudeCode"),
        _ => false,
    };
    if managed { settings() } else { None }
}

fn ends_with_config(home: &[&str]) -> bool {
    home.last().is_some_and(|name| same(name, ".config"))
}

fn is_opencode_config(name: &str) -> bool {
    ["opencode.json", "opencode.jsonc", "config.json"].iter().any(|it| same(it, name))
}

fn own_files(parts: &[String], path: &Path, place: &Place) -> Option<Protected> {
    let own = || Some(Protected::new("hostler keeps its settings and records there", ASK_THE_USER));
    if place.own.iter().any(|dir| path.starts_with(dir)) {
        return own();
    }
    let inside = path.strip_prefix(&place.root).ok()?;
    if parts.iter().any(|name| name == ".hostler") {
        return own();
    }
    let session = || {
        Some(Protected::new(
            "the session's records are kept by hostler alone, so that they can be relied on",
            "change it through `hostler session`; `hostler session --help` lists the ways",
        ))
    };
    if [Path::new("session/contract.json"), Path::new("session/events.jsonl")].contains(&inside) {
        return session();
    }
    match parts.last().map(String::as_str) {
        Some("context.json") => Some(Protected::new(
            "it is the record of the project's sessions, which several agents write at once",
            RECORD_COMMANDS,
        )),
        Some("context.md") => Some(Protected::new(
            "it is made from context.json and made anew with each change",
            format!(
                "{RECORD_COMMANDS}; `hostler session render` makes the file anew, and \
                 `.hostler/context.md.j2` is its template, which the user can change"
            ),
        )),
        _ => None,
    }
}

fn configured(path: &Path, place: &Place, settings: &Settings) -> Option<Protected> {
    let glob = settings.protected.iter().find(|glob| covers(glob, path, place))?;
    Some(Protected::new(&format!("the configuration protects `{glob}`"), ASK_THE_USER))
}

/// Whether `glob` matches `path` or a folder that it is in.
fn covers(glob: &str, path: &Path, place: &Place) -> bool {
    let whole = if let Some(rest) = glob.strip_prefix("~/") {
        let Some(home) = &place.home else { return false };
        escaped(home) + "/" + rest
    } else if glob.starts_with('/') {
        glob.to_owned()
    } else {
        let inner = glob.trim_start_matches("./").trim_end_matches('/');
        // As in an ignore file: a name without a folder is meant at any depth.
        let anywhere = if inner.contains('/') { "" } else { "**/" };
        format!("{}/{anywhere}{inner}", escaped(&place.root))
    };
    match compile(whole.trim_end_matches('/')) {
        Ok(matcher) => path.ancestors().any(|it| matcher.is_match(it)),
        // The configuration's reader refuses it; until then it protects the path that it spells.
        Err(_) => path.starts_with(lexical::expand(&place.root, place.home.as_deref(), glob)),
    }
}

fn compile(glob: &str) -> Result<GlobMatcher, globset::Error> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map(|it| it.compile_matcher())
}

/// `path` as a pattern that matches it alone.
fn escaped(path: &Path) -> String {
    globset::escape(&PathBuf::from(path).to_string_lossy())
}

#[cfg(test)]
mod tests;
