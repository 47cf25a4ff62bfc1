//! The world of a recording: this machine's where its folder is here, else what its paths tell.

use std::path::{Path, PathBuf};

use hostler_model::{Place, Profile};
use hostler_policy::Settings;

use crate::hook::World;

/// Where a recorded session happened, and by which rules it is judged.
#[derive(Debug)]
pub(super) struct Recorded {
    /// The project.
    pub(super) place: Place,
    /// The rules of today: the project's configuration if it is here, else the user's.
    pub(super) settings: Settings,
    /// The folder is on this machine.
    pub(super) here: bool,
}

impl Recorded {
    /// The world around `cwd` as recorded; `git`: it was in a repository.
    pub(super) fn at(cwd: &Path, git: bool, profile: Option<Profile>) -> Self {
        let world = World::at(cwd);
        let mut place = world.place(cwd);
        let here = cwd.is_dir();
        if !here {
            place.root = cwd.to_path_buf();
            place.git_dir = git.then(|| cwd.join(".git"));
            place.git_common_dir.clone_from(&place.git_dir);
            place.own.push(cwd.join(".hostler"));
            if let Some(home) = home(cwd) {
                place.host_dirs.push(home.join(".claude"));
                place.variables.insert("HOME".to_owned(), home.display().to_string());
                place.home = Some(home);
            }
        }
        let mut settings = world.config.settings;
        if let Some(profile) = profile {
            settings.profile = profile;
        }
        Self { place, settings, here }
    }
}

/// `/home/name` or `/Users/name`, if `cwd` lies below one.
fn home(cwd: &Path) -> Option<PathBuf> {
    let home: PathBuf = cwd.components().take(3).collect();
    let parent = home.parent()?;
    (parent == Path::new("/home") || parent == Path::new("/Users")).then_some(home)
}
