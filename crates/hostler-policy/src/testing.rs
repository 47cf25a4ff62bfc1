//! The sample world that examples and tests run in; see [`Example`] for what is in it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hostler_model::{
    Action, Change, Content, Decision, Event, EventKind, Facts, FileKind, Host, Needs, PathFact, Place,
    Profile, ReadCount, SessionId, ToolCall, lexical,
};

use crate::guards::{Example, Guard, Hit};
use crate::{Case, Settings, judge};

/// A small world in memory: it answers [`Needs`] as the binary would.
pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) settings: Settings,
    pub(crate) uses_uv: Option<bool>,
    pub(crate) reads: Option<ReadCount>,
    pub(crate) repeats: Option<u64>,
    files: BTreeMap<PathBuf, String>,
    links: BTreeMap<PathBuf, PathBuf>,
}

impl World {
    /// The world of [`Example`].
    pub(crate) fn sample(profile: Profile) -> Self {
        let root = PathBuf::from("/home/dev/proj");
        let place = Place {
            home: Some(PathBuf::from("/home/dev")),
            git_dir: Some(root.join(".git")),
            git_common_dir: Some(root.join(".git")),
            temp: vec!["/tmp".into(), "/var/tmp".into()],
            own: vec![
                "/home/dev/.local/state/hostler".into(),
                "/home/dev/.local/share/hostler".into(),
                "/home/dev/.config/hostler".into(),
                "/home/dev/proj/.hostler".into(),
            ],
            host_dirs: vec!["/home/dev/.claude".into()],
            variables: BTreeMap::from([("USER".to_owned(), "dev".to_owned())]),
            root,
        };
        let world = Self {
            place,
            settings: Settings { profile, ..Settings::default() },
            uses_uv: Some(true),
            reads: Some(ReadCount::default()),
            repeats: Some(0),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
        };
        ["README.md", "app.log", "data.db", "src/lib.rs", "build/out.bin"]
            .into_iter()
            .fold(world, |world, path| world.file(path, "some text\n"))
            .file("~/.local/share/hostler/signing/ed25519.key", "some text\n")
    }

    /// The world in which `example` happens.
    pub(crate) fn of(example: &Example, profile: Profile) -> Self {
        let mut world = Self::sample(profile);
        match *example {
            Example::Read { in_window, in_session, .. } => {
                world.reads = Some(ReadCount { in_window, in_session, told: false });
            }
            Example::Again(_, times) => world.repeats = Some(times),
            Example::Bash(_) | Example::Write(..) | Example::Edit(..) | Example::WriteNowhere => {}
        }
        world
    }

    /// With one more file.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        self.files.insert(path, text.to_owned());
        self
    }

    /// With a symbolic link at `path` that leads to `target`.
    pub(crate) fn link(mut self, path: &str, target: &str) -> Self {
        let (path, target) = (self.path(path), self.path(target));
        self.links.insert(path, target);
        self
    }

    /// `text` as the agent would mean it.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        lexical::expand(&self.place.root, self.place.home.as_deref(), text)
    }

    /// An event before a tool call that does `action`.
    pub(crate) fn event(&self, action: Action) -> Event {
        let tool = match &action {
            Action::Shell { .. } => "Bash".to_owned(),
            Action::Write { .. } => "Write".to_owned(),
            Action::Edit { .. } => "Edit".to_owned(),
            Action::NotebookEdit { .. } => "NotebookEdit".to_owned(),
            Action::Read { .. } => "Read".to_owned(),
            Action::Search { .. } => "Grep".to_owned(),
            Action::Mcp { server, tool, .. } => format!("mcp__{server}__{tool}"),
            Action::Delegate { .. } => "Agent".to_owned(),
            Action::Fetch { .. } => "WebFetch".to_owned(),
            Action::Plan => "TodoWrite".to_owned(),
            Action::Other => "Unknown".to_owned(),
        };
        Event {
            host: Host::ClaudeCode,
            name: "PreToolUse".to_owned(),
            session: SessionId::parse("sample").unwrap(),
            cwd: self.place.root.clone(),
            transcript: None,
            agent: None,
            permission_mode: None,
            kind: EventKind::ToolBefore {
                call: ToolCall { id: Some("call-1".to_owned()), tool, action, input: "{}".to_owned() },
            },
        }
    }

    /// What the binary would find when asked for `needs`.
    pub(crate) fn facts(&self, needs: &Needs) -> Facts {
        Facts {
            paths: needs.paths.iter().map(|path| (path.clone(), self.path_fact(path))).collect(),
            contents: needs
                .contents
                .iter()
                .map(|path| {
                    let text = self.files.get(&self.resolve(path));
                    (path.clone(), text.map_or(Content::Missing, |text| Content::Text(text.clone())))
                })
                .collect(),
            listings: needs
                .listings
                .iter()
                .filter(|path| self.is_folder(&self.resolve(path)))
                .map(|path| (path.clone(), self.listing(&self.resolve(path))))
                .collect(),
            uses_uv: if needs.uses_uv { self.uses_uv } else { None },
            reads: needs.reads.and(self.reads),
            repeats: self.repeats.filter(|_| needs.repeats),
        }
    }

    fn path_fact(&self, path: &Path) -> PathFact {
        let parent_real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.resolve(parent).join(name),
            _ => path.to_path_buf(),
        };
        let real = self.resolve(path);
        let kind = if self.links.contains_key(&parent_real) {
            FileKind::Link
        } else if self.files.contains_key(&real) {
            FileKind::File
        } else if self.is_folder(&real) {
            FileKind::Folder
        } else {
            FileKind::Missing
        };
        PathFact { kind, parent_real, real }
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.place.root.starts_with(path)
            || self.place.temp.iter().any(|it| it == path)
            || self.place.git_dir.as_deref() == Some(path)
            || self.files.keys().chain(self.links.keys()).any(|file| file != path && file.starts_with(path))
    }

    fn listing(&self, folder: &Path) -> Vec<String> {
        let stands = self.files.keys().chain(self.links.keys()).chain(self.place.git_dir.as_ref());
        let names = stands.filter_map(|path| path.strip_prefix(folder).ok()?.iter().next());
        names.map(|name| name.to_string_lossy().into_owned()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let mut real = path.to_path_buf();
        // Bounded like the kernel's own limit, so that a cycle ends.
        for _ in 0..40 {
            let Some((link, target)) = self.links.iter().find(|(link, _)| real.starts_with(link)) else {
                break;
            };
            let Ok(rest) = real.strip_prefix(link) else { break };
            real = if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
        }
        real
    }

    /// The whole way: plan, look, decide.
    pub(crate) fn decide(&self, action: Action) -> Decision {
        let event = self.event(action);
        judge(&event, &self.place, &self.settings, |needs| self.facts(needs)).1
    }

    /// What `guard` alone finds, whatever its mode.
    pub(crate) fn hits(&self, guard: &Guard, action: Action) -> Vec<Hit> {
        let event = self.event(action);
        let case = Case::new(&event, &self.place, &self.settings);
        let mut needs = Needs::default();
        (guard.needs)(&case, &mut needs);
        (guard.check)(&case, &self.facts(&needs))
    }
}

/// Running `command` in the shell.
pub(crate) fn shell(command: &str) -> Action {
    Action::Shell { command: command.to_owned() }
}

/// Writing `content` to `path`.
pub(crate) fn write(path: &str, content: &str) -> Action {
    Action::Write { path: Some(path.to_owned()), content: content.to_owned() }
}

/// Replacing `old` with `new` in `path`.
pub(crate) fn edit(path: &str, old: &str, new: &str) -> Action {
    Action::Edit {
        path: Some(path.to_owned()),
        changes: vec![Change { old: old.to_owned(), new: new.to_owned(), all: false }],
    }
}

/// The action that `example` stands for.
pub(crate) fn action(example: &Example) -> Action {
    match example {
        Example::Bash(command) | Example::Again(command, _) => shell(command),
        Example::Read { path, .. } => Action::Read { path: Some((*path).to_owned()) },
        Example::Write(path, content) => write(path, content),
        Example::Edit(path, old, new) => edit(path, old, new),
        Example::WriteNowhere => Action::Write { path: None, content: "x".to_owned() },
    }
}

/// What `guard` finds in `example`, in the sample world.
pub(crate) fn hits(guard: &Guard, example: &Example) -> Vec<Hit> {
    World::of(example, Profile::Standard).hits(guard, action(example))
}

/// The decision on a command line in the sample world.
pub(crate) fn decide_bash(command: &str, profile: Profile) -> Decision {
    World::sample(profile).decide(shell(command))
}

/// The decision on a write; `exists`: a file stands at `path` already.
pub(crate) fn decide_write(path: &str, content: &str, exists: bool, profile: Profile) -> Decision {
    let world = World::sample(profile);
    let world = if exists { world.file(path, "old text\n") } else { world };
    world.decide(write(path, content))
}

/// The decision on an edit of a file that holds `old` and nothing else.
pub(crate) fn decide_edit(path: &str, old: &str, new: &str, profile: Profile) -> Decision {
    World::sample(profile).file(path, old).decide(edit(path, old, new))
}
