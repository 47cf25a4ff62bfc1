//! What a session's end writes, commits, tags and pushes: `[session]`.

use std::path::{Component, Path, PathBuf};

use hostler_model::Profile;
use toml::Value;

/// The changelog if nothing else is said.
const CHANGELOG_FILE: &str = "CHANGELOG.md";

/// What is configured of a session's end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Closing {
    /// Branch and tag are pushed at a session's end; `None`: in the profile `strict`.
    pub(crate) push: Option<bool>,
    /// The files that a close changes are committed.
    pub(crate) commit: bool,
    /// A session's end is not tagged.
    pub(crate) untagged: bool,
    /// The changelog.
    pub(crate) changelog: Target,
    /// The matrix of requirements is made; `None`: where the project has a `trace.toml`, which also says where it goes.
    pub(crate) rtm: Option<bool>,
}

/// A file that a close writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Target {
    /// The usual one, where the project has it.
    #[default]
    Usual,
    /// None.
    Off,
    /// The usual one, made if it is missing.
    On,
    /// This one, below the project's root, made if it is missing.
    At(PathBuf),
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// It counts.
    Known,
    /// Its value has to be something else.
    Wrong(&'static str),
    /// There is none of that name.
    Unknown,
}

impl Closing {
    /// Takes over one key of the table.
    pub(super) fn apply(&mut self, key: &str, value: &Value) -> Read {
        match (key, value.as_bool()) {
            ("push", Some(push)) => self.push = Some(push),
            ("commit", Some(commit)) => self.commit = commit,
            ("tag", Some(tag)) => self.untagged = !tag,
            ("rtm", Some(rtm)) => self.rtm = Some(rtm),
            ("push" | "commit" | "tag" | "rtm", None) => return Read::Wrong("true or false"),
            ("changelog", _) => match Target::read(value) {
                Some(target) => self.changelog = target,
                None => return Read::Wrong("true, false, or a path inside the project in quotes"),
            },
            _ => return Read::Unknown,
        }
        Read::Known
    }

    /// Whether a close pushes.
    pub(crate) fn pushes(&self, profile: Profile) -> bool {
        self.push.unwrap_or(profile == Profile::Strict)
    }

    /// The changelog below the root, and whether it is made; `None`: none is wanted.
    pub(crate) fn changelog(&self, profile: Profile) -> Option<(&Path, bool)> {
        // A file that nobody asked for is no surprise where everything is asked for.
        self.changelog.file(CHANGELOG_FILE, profile == Profile::Strict)
    }

    /// The changelog was named or asked for, and not only found.
    pub(crate) fn names_changelog(&self) -> bool {
        matches!(self.changelog, Target::On | Target::At(_))
    }
}

impl Target {
    fn read(value: &Value) -> Option<Self> {
        match (value.as_bool(), value.as_str()) {
            (Some(true), _) => Some(Self::On),
            (Some(false), _) => Some(Self::Off),
            (_, Some(path)) => {
                let path = Path::new(path.trim());
                let inside =
                    path.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
                let path: PathBuf =
                    path.components().filter(|it| matches!(it, Component::Normal(_))).collect();
                (inside && path.file_name().is_some()).then_some(Self::At(path))
            }
            _ => None,
        }
    }

    fn file<'a>(&'a self, usual: &'a str, made: bool) -> Option<(&'a Path, bool)> {
        match self {
            Self::Off => None,
            Self::Usual => Some((Path::new(usual), made)),
            Self::On => Some((Path::new(usual), true)),
            Self::At(path) => Some((path, true)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn read(text: &str) -> (Closing, Vec<Read>) {
        let mut settings = Closing::default();
        let table: toml::Table = text.parse().unwrap();
        let told = table.iter().map(|(key, value)| settings.apply(key, value)).collect();
        (settings, told)
    }

    #[test]
    fn what_is_not_said_depends_on_the_profile() {
        let settings = Closing::default();
        assert_eq!([Profile::Standard, Profile::Strict].map(|it| settings.pushes(it)), [false, true]);
        assert_eq!(settings.changelog(Profile::Standard), Some((Path::new("CHANGELOG.md"), false)));
        assert_eq!(settings.changelog(Profile::Strict), Some((Path::new("CHANGELOG.md"), true)));
        assert!(!settings.commit && !settings.untagged && settings.rtm.is_none());
    }

    #[test]
    fn what_is_said_counts() {
        let (settings, told) = read(
            "push = false\ncommit = true\ntag = false\nchangelog = \"./docs/CHANGES.md\"\nrtm = false\n",
        );
        assert!(told.iter().all(|it| *it == Read::Known), "{told:?}");
        assert!(
            settings.commit
                && settings.untagged
                && settings.rtm == Some(false)
                && !settings.pushes(Profile::Strict)
        );
        assert_eq!(settings.changelog(Profile::Standard), Some((Path::new("docs/CHANGES.md"), true)));
        let (settings, _) = read("changelog = true");
        assert_eq!(settings.changelog(Profile::Standard), Some((Path::new("CHANGELOG.md"), true)));
    }

    #[test]
    fn what_cannot_be_meant_has_no_effect() {
        for text in ["push = 1", "tag = \"no\"", "changelog = \"../x.md\"", "rtm = \"\"", "rtm = 3"] {
            let (settings, told) = read(text);
            assert!(matches!(told[..], [Read::Wrong(_)]), "{text}");
            assert_eq!(settings, Closing::default(), "{text}");
        }
        assert_eq!(read("order = 1").1, [Read::Unknown]);
    }
}
