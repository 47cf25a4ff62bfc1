//! The step that adds entries to the changelog.

use std::path::{Path, PathBuf};

use hostler_ledger::file::{Access, Snapshot};
use hostler_policy::session::changelog::{self, Merged, Target};
use hostler_policy::session::closing::{Outcome, Plan};

use super::Place;
use super::steps::{Next, Steps, Told, failed, skipped};
use crate::session::known;

/// Files of programs that write a changelog from commits.
const GENERATORS: &[&str] = &[
    ".changeset",
    ".release-please-manifest.json",
    ".versionrc",
    "cliff.toml",
    "release-please-config.json",
];
/// What else projects call their changelog, without its ending.
const OTHER_NAMES: &[&str] = &[
    "changelog",
    "changes",
    "history",
    "news",
    "releases",
    "release-notes",
    "release_notes",
    "releasenotes",
];
/// Endings of such files, and of those among them that are Markdown.
const ENDINGS: &[&str] = &["md", "markdown", "txt", "", "rst", "adoc"];
const MARKDOWN: &[&str] = &["md", "markdown", "txt", ""];

/// The changelog: beside the record, where several projects share a repository, else in the top folder. One whose name
/// is spelled with other letters, capital or small, is meant as well.
pub(super) fn file(place: Place<'_>, name: &Path) -> PathBuf {
    let folders = [place.folder(), place.project.root.clone()];
    let spelled = |folder: &PathBuf| {
        let file = folder.join(name);
        let wanted = file.file_name()?.to_string_lossy().into_owned();
        let names = names_in(file.parent()?);
        let exact = names.iter().find(|it| **it == wanted);
        let found = exact.or_else(|| names.iter().find(|it| it.to_lowercase() == wanted.to_lowercase()))?;
        Some(file.with_file_name(found))
    };
    folders.iter().find_map(spelled).unwrap_or_else(|| place.project.root.join(name))
}

/// A changelog of another name or among the documents, where there is none of this name.
fn other(place: Place<'_>) -> Option<PathBuf> {
    let root = &place.project.root;
    let folders = [place.folder(), root.clone(), root.join("docs"), root.join("doc")];
    let known = folders.iter().flat_map(|folder| names_in(folder).into_iter().map(|it| folder.join(it)));
    let mut known: Vec<(usize, PathBuf)> = known
        .filter_map(|file| {
            let stem = file.file_stem()?.to_string_lossy().to_lowercase();
            let rank = OTHER_NAMES.iter().position(|it| *it == stem)?;
            (ENDINGS.contains(&ending(&file).as_str()) && file.is_file()).then_some((rank, file))
        })
        .collect();
    known.sort_by_key(|(rank, _)| *rank);
    known.into_iter().next().map(|(_, file)| file)
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|it| it.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn ending(file: &Path) -> String {
    file.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn is_markdown(file: &Path) -> bool {
    MARKDOWN.contains(&ending(file).as_str())
}

/// What is to be written, and where.
pub(super) struct Entries {
    file: PathBuf,
    /// Below the top folder, without links.
    below: String,
    snapshot: Snapshot,
    pub(super) merged: Merged,
}

impl Steps<'_> {
    pub(super) fn next_changelog(&self, plan: &Plan) -> Next<Entries> {
        let place = self.place;
        let profile = place.config.settings.profile;
        let wanted = place.config.closing.changelog(profile).filter(|_| plan.changelog);
        let Some((name, made)) = wanted else { return skipped("not wanted") };
        let entries = plan.entries();
        if entries.is_empty() {
            return skipped("nothing that users notice");
        }
        if let Some(why) = self.elsewhere(plan) {
            return failed(why);
        }
        let file = file(place, name);
        let shown = self.shown(&file);
        let snapshot = match Snapshot::read(&file) {
            Ok(snapshot) => snapshot,
            Err(error) => return failed(error.to_string()),
        };
        let Some(below) = place.below(&file) else {
            let real = snapshot.real_path().display();
            return failed(format!(
                "`{shown}` is a link to `{real}`, which is no file of the project; name another one in \
                 `session.changelog`, or `false` for none"
            ));
        };
        if !is_markdown(&file) || !is_markdown(snapshot.real_path()) {
            return failed(format!("`{shown}` is no Markdown; name one that is in `session.changelog`"));
        }
        let named = place.config.closing.names_changelog();
        let existing = match snapshot.bytes().map(std::str::from_utf8) {
            Some(Ok(text)) => Some(text),
            Some(Err(_)) => return failed(format!("`{shown}` is not UTF-8")),
            None => {
                let other = other(place).filter(|_| !named);
                if let Some(why) = self.missing(&shown, other.as_deref(), made) {
                    return skipped(why);
                }
                None
            }
        };
        if !named {
            let generator = GENERATORS.iter().find(|it| place.project.root.join(it).exists());
            if let Some(generator) = generator {
                return skipped(format!("{shown} is written by another program (`{generator}`)"));
            }
            if existing.is_some_and(changelog::is_generated) {
                return skipped(format!("{shown} says that a program writes it"));
            }
        }
        let recorded = || place.sessions.read().ok().map(|it| it.state().version.clone());
        let version = known::version(&place.folder()).or_else(recorded).unwrap_or_default();
        let target = Target { version: &version, released: self.is_released(&version) };
        let merged = changelog::merge(existing, &entries, &target);
        Next::Do(Entries { file, below, snapshot, merged })
    }

    /// Why a changelog that is not there is not made.
    fn missing(&self, shown: &str, other: Option<&Path>, made: bool) -> Option<String> {
        match other.map(|it| (self.shown(it), is_markdown(it))) {
            Some((other, true)) => Some(format!(
                "there is no {shown}, but {other}; `session.changelog = \"{other}\"` has entries go there"
            )),
            Some((other, false)) => Some(format!(
                "there is no {shown}, but {other}, which is no Markdown; `session.changelog = true` makes \
                 {shown} all the same"
            )),
            None => (!made).then(|| format!("there is no {shown}; `session.changelog = true` makes it")),
        }
    }

    pub(super) fn changelog(&self, plan: &mut Plan) -> Told {
        let next = match self.next_changelog(plan) {
            Next::Do(next) => next,
            Next::Told(told) => return told,
        };
        let text = next.merged.text.as_bytes();
        if self.has_changes_of_users(plan, &next.below, next.snapshot.bytes()) {
            plan.changed_before.push(next.below.clone());
        }
        self.announce(plan, next.below.clone(), text);
        // Where all of it is there, a close that was killed may have written it.
        if !next.merged.added.is_empty()
            && let Err(error) = next.snapshot.replace(text, Access::Shared)
        {
            return (Outcome::Failed, error.to_string());
        }
        (Outcome::Done, self.added(&next))
    }

    /// What is written, in words.
    pub(super) fn added(&self, next: &Entries) -> String {
        let file = self.shown(&next.file);
        let entries = match next.merged.added.len() {
            0 => return format!("{file} has all of it"),
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        let heading = next.merged.heading.trim_start_matches('#').trim();
        format!("{entries} in {file} below {heading}")
    }

    /// Whether git has a tag of the version.
    fn is_released(&self, version: &str) -> bool {
        let tagged = |git: &super::git::Git| {
            let names = [format!("refs/tags/{version}"), format!("refs/tags/v{version}")];
            names.iter().any(|it| git.reference(it).is_ok_and(|it| it.is_some()))
        };
        !version.is_empty() && self.git.as_ref().is_some_and(tagged)
    }
}
