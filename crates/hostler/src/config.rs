//! Configuration: `.hostler/config.toml` in the project over the user's, over defaults.
//!
//! A broken file is told on every decision and the rest of the configuration still counts: a typing
//! mistake must neither switch guards off in silence nor stop the agent's work.

mod closing;
mod gates;
mod limits;
mod rag;
mod recall;
mod session;

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hostler_model::{Mode, Profile};
use hostler_policy::Settings;
use hostler_policy::claims::{self, Basis, RULES};
use hostler_policy::guards::GUARDS;
use toml::{Table, Value};

use crate::dirs::Dirs;
use crate::project::Project;

pub(crate) use closing::Closing;
pub(crate) use gates::{Gates, Stop as GateStop};
#[cfg(test)]
pub(crate) use rag::Embeddings;
pub(crate) use rag::Rag;
pub(crate) use recall::{Level, Recall, Reminder, Source};

/// Where the project's file is, below its root.
pub(crate) const PROJECT_FILE: &str = ".hostler/config.toml";
/// The variable that is stronger than every file's `profile`.
pub(crate) const PROFILE_VARIABLE: &str = "HOSTLER_PROFILE";
/// The format that this build writes and reads.
const VERSION: i64 = 1;
/// A configuration is written by hand; more than this in bytes is none.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What a fault of ours does to the call in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OnFault {
    /// It is told, and the call goes ahead as if we were not there.
    #[default]
    Open,
    /// The call is denied.
    Closed,
}

/// Limits and switches of checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoints {
    /// Keep a file before each edit. `None`: where the project has a configuration of its own.
    pub(crate) edits: Option<bool>,
    /// More files than this are not kept, per checkpoint.
    pub(crate) files_max: Option<u64>,
    /// More bytes than this are not kept, per checkpoint.
    pub(crate) bytes_max: Option<u64>,
}

/// Everything that is configured, resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    /// What rules read.
    pub(crate) settings: Settings,
    /// What a fault of ours does.
    pub(crate) on_fault: OnFault,
    /// Limits and switches of checkpoints.
    pub(crate) checkpoints: Checkpoints,
    /// The end of a turn is audited.
    pub(crate) audits: bool,
    /// When sessions end by themselves.
    pub(crate) life: session::Life,
    /// What a session's end writes, commits, tags and pushes.
    pub(crate) closing: Closing,
    /// Globs of folders in which sessions are kept; empty: wherever a `context.json` stands.
    pub(crate) activation: Vec<String>,
    /// How prompts search the record of sessions.
    pub(crate) recall: Recall,
    /// What words in prompts bring before the agent.
    pub(crate) reminders: Vec<Reminder>,
    /// What is checked in changed files.
    pub(crate) gates: Gates,
    /// What is indexed, where, and what makes vectors of it.
    pub(crate) rag: Rag,
    /// Whose file is being read.
    reading: Level,
    /// The files that were found, strongest first.
    pub(crate) files: Vec<PathBuf>,
    /// The project has a configuration of its own.
    pub(crate) project: bool,
    /// The profile that the user chose, where the project has a milder one.
    pub(crate) milder_than: Option<Profile>,
    /// What is wrong and was replaced by a default; each names the file and what to do.
    pub(crate) faults: Vec<String>,
    /// What was not understood and has no effect.
    pub(crate) warnings: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            on_fault: OnFault::Open,
            checkpoints: Checkpoints { edits: None, files_max: None, bytes_max: None },
            audits: true,
            life: session::Life::default(),
            closing: Closing::default(),
            activation: Vec::new(),
            recall: Recall::default(),
            reminders: Vec::new(),
            gates: Gates::default(),
            rag: Rag::default(),
            reading: Level::User,
            files: Vec::new(),
            project: false,
            milder_than: None,
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl Config {
    /// Reads both files and the environment's profile. Never fails: see [`Config::faults`].
    pub(crate) fn load(dirs: Option<&Dirs>, project: &Project) -> Self {
        let mut config = Self::default();
        if let Some(dirs) = dirs {
            config.apply_file(&dirs.config.join("config.toml"), dirs);
        }
        let users = config.settings.profile;
        if let Some(file) = project_file(project) {
            config.reading = Level::Project;
            config.project = config.apply_file_at(&file, &file.display().to_string());
        }
        if let Some(name) = std::env::var_os(PROFILE_VARIABLE) {
            config.apply_profile(&name.to_string_lossy(), PROFILE_VARIABLE);
        } else if strictness(config.settings.profile) < strictness(users) {
            config.milder_than = Some(users);
        }
        config
    }

    /// Uses `name` as the profile, told as coming from `origin` when it is none.
    pub(crate) fn apply_profile(&mut self, name: &str, origin: &str) {
        match Profile::parse(name) {
            Some(profile) => self.settings.profile = profile,
            None => self.faults.push(format!(
                "{origin}: `{}` is no profile; use `observe`, `standard` or `strict`",
                hostler_model::text::shorten(name, 40)
            )),
        }
    }

    fn apply_file(&mut self, path: &Path, dirs: &Dirs) -> bool {
        self.apply_file_at(path, &dirs.tilde(path))
    }

    /// Whether there was a file.
    fn apply_file_at(&mut self, path: &Path, shown: &str) -> bool {
        let text = match read(path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return false;
            }
            Err(error) => {
                self.faults.push(format!("{shown} could not be read and has no effect: {error}"));
                return true;
            }
        };
        self.files.insert(0, path.to_path_buf());
        match text.parse::<Table>() {
            Ok(table) => self.apply(&table, shown),
            Err(error) => {
                let line = error
                    .span()
                    .map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
                let message = error.message();
                self.faults
                    .push(format!("{shown} line {line} is not TOML, the file has no effect: {message}"));
            }
        }
        true
    }

    fn apply(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match key.as_str() {
                "version" => match value.as_integer() {
                    Some(version) if (1..=VERSION).contains(&version) => {}
                    _ => self.faults.push(format!(
                        "{shown}: `version` is {value}, this build reads {VERSION}; update hostler or the file"
                    )),
                },
                "profile" => match value.as_str() {
                    Some(name) => self.apply_profile(name, &format!("{shown}: `profile`")),
                    None => self.wrong(shown, "profile", "\"observe\", \"standard\" or \"strict\""),
                },
                "on_fault" => match value.as_str() {
                    Some("open") => self.on_fault = OnFault::Open,
                    Some("closed") => self.on_fault = OnFault::Closed,
                    _ => self.wrong(shown, "on_fault", "\"open\" or \"closed\""),
                },
                "uv" => match value.as_bool() {
                    Some(uv) => self.settings.uv = Some(uv),
                    None => self.wrong(shown, "uv", "true or false"),
                },
                "protected" => match strings(value) {
                    // Both files' globs count: a project adds to what its user protects.
                    Some(globs) => globs.into_iter().for_each(|glob| self.protect(glob, shown)),
                    None => self.wrong(shown, "protected", "a list of globs in quotes"),
                },
                "rules" => match value.as_table() {
                    Some(rules) => self.apply_rules(rules, shown),
                    None => self.wrong(shown, "rules", "a table: [rules]"),
                },
                "checkpoint" => match value.as_table() {
                    Some(table) => self.apply_checkpoint(table, shown),
                    None => self.wrong(shown, "checkpoint", "a table: [checkpoint]"),
                },
                "activation" => match value.as_table() {
                    Some(table) => self.apply_activation(table, shown),
                    None => self.wrong(shown, "activation", "a table: [activation]"),
                },
                "session" => match value.as_table() {
                    Some(table) => self.apply_session(table, shown),
                    None => self.wrong(shown, "session", "a table: [session]"),
                },
                "recall" => match value.as_table() {
                    Some(table) => self.apply_recall(table, shown),
                    None => self.wrong(shown, "recall", "a table: [recall]"),
                },
                "reminders" => self.apply_shipped_reminders(value, shown),
                "reminder" => self.apply_reminders(value, shown),
                "reads" => match value.as_table() {
                    Some(table) => self.apply_reads(table, shown),
                    None => self.wrong(shown, "reads", "a table: [reads]"),
                },
                "gates" => match value.as_table() {
                    Some(table) => self.apply_gates(table, shown),
                    None => self.wrong(shown, "gates", "a table: [gates]"),
                },
                "rag" => match value.as_table() {
                    Some(table) => self.apply_rag(table, shown),
                    None => self.wrong(shown, "rag", "a table: [rag]"),
                },
                "loop" => match value.as_table() {
                    Some(table) => self.apply_loop(table, shown),
                    None => self.wrong(shown, "loop", "a table: [loop]"),
                },
                "claims" => match value.as_table() {
                    Some(table) => self.apply_claims(table, shown),
                    None => self.wrong(shown, "claims", "a table: [claims]"),
                },
                other => self.unknown(shown, other),
            }
        }
    }

    /// A glob that cannot be read protects the one path that it spells.
    fn protect(&mut self, glob: String, shown: &str) {
        if let Err(why) = hostler_policy::guards::check_glob(&glob) {
            self.faults.push(format!("{shown}: `protected` holds `{glob}`, which is no glob: {why}"));
        }
        self.settings.protected.push(glob);
    }

    fn apply_rules(&mut self, rules: &Table, shown: &str) {
        for (rule, value) in rules {
            let of_claims = RULES.iter().any(|it| it.id == rule);
            if !of_claims && !GUARDS.iter().any(|guard| guard.id == rule) {
                self.warnings.push(format!(
                    "{shown}: there is no rule `{rule}`; `hostler guard list` shows those of tool calls, \
                     docs/claims.md those of claims"
                ));
                continue;
            }
            let expected = if of_claims {
                "\"off\", \"observe\", \"warn\" or \"deny\" (a turn has ended: there is nothing to ask about or keep)"
            } else {
                "\"off\", \"observe\", \"checkpoint\", \"warn\", \"ask\" or \"deny\""
            };
            match value.as_str().and_then(Mode::parse) {
                Some(mode) if !of_claims || !matches!(mode, Mode::Checkpoint | Mode::Ask) => {
                    self.settings.overrides.insert(rule.clone(), mode);
                }
                _ => self.wrong(shown, &format!("rules.{rule}"), expected),
            }
        }
    }

    /// What cannot be read narrows nothing down: sessions that go unrecorded are the greater loss.
    fn apply_activation(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match (key.as_str(), strings(value)) {
                ("paths", Some(mut globs)) => {
                    globs.retain(|glob| match hostler_policy::guards::check_glob(glob) {
                        Ok(()) => true,
                        Err(why) => {
                            self.faults.push(format!(
                                "{shown}: `activation.paths` holds `{glob}`, which is no glob: {why}"
                            ));
                            false
                        }
                    });
                    self.activation = globs;
                }
                ("paths", None) => self.wrong(shown, "activation.paths", "a list of globs in quotes"),
                (other, _) => self.unknown(shown, &format!("activation.{other}")),
            }
        }
    }

    fn apply_claims(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            match (key.as_str(), value.as_str(), value.as_bool()) {
                ("mode", Some("evidence"), _) => self.settings.claims = Basis::Evidence,
                ("mode", Some("tools"), _) => self.settings.claims = Basis::Tools,
                ("mode", _, _) => self.wrong(shown, "claims.mode", "\"evidence\" or \"tools\""),
                ("enabled", _, Some(enabled)) => self.audits = enabled,
                ("enabled", _, None) => self.wrong(shown, "claims.enabled", "true or false"),
                (other, _, _) => self.unknown(shown, &format!("claims.{other}")),
            }
        }
    }

    fn apply_checkpoint(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let number = || value.as_integer().and_then(|number| u64::try_from(number).ok());
            match (key.as_str(), value.as_bool(), number()) {
                ("edits", Some(edits), _) => self.checkpoints.edits = Some(edits),
                ("edits", None, _) => self.wrong(shown, "checkpoint.edits", "true or false"),
                ("files_max", _, Some(files)) => self.checkpoints.files_max = Some(files),
                ("bytes_max", _, Some(bytes)) => self.checkpoints.bytes_max = Some(bytes),
                ("files_max" | "bytes_max", _, None) => {
                    self.wrong(shown, &format!("checkpoint.{key}"), "a whole number, 0 or more");
                }
                (other, _, _) => self.unknown(shown, &format!("checkpoint.{other}")),
            }
        }
    }

    fn wrong(&mut self, shown: &str, key: &str, expected: &str) {
        self.faults.push(format!("{shown}: `{key}` must be {expected}; it has no effect as it is"));
    }

    fn unknown(&mut self, shown: &str, key: &str) {
        self.warnings.push(format!("{shown}: `{key}` is not known to this build and has no effect"));
    }

    /// Rules that the configuration makes milder than the profile has them, with their modes.
    pub(crate) fn loosened(&self) -> BTreeMap<&'static str, Mode> {
        let profile = Settings { profile: self.settings.profile, ..Settings::default() };
        let guards = GUARDS.iter().map(|guard| (guard.id, self.settings.mode(guard), profile.mode(guard)));
        let of_claims = RULES.iter().map(|rule| {
            let own = if self.audits { claims::mode_of(rule.id, &self.settings) } else { Mode::Off };
            (rule.id, own, claims::mode_of(rule.id, &profile))
        });
        guards.chain(of_claims).filter(|(_, own, usual)| own < usual).map(|(id, own, _)| (id, own)).collect()
    }
}

fn strictness(profile: Profile) -> u8 {
    match profile {
        Profile::Observe => 0,
        Profile::Standard => 1,
        Profile::Strict => 2,
    }
}

/// The project's file; a linked work tree without one of its own uses the main work tree's.
pub(crate) fn project_file(project: &Project) -> Option<PathBuf> {
    let own = project.root.join(PROJECT_FILE);
    if own.exists() {
        return Some(own);
    }
    let common = project.git_common_dir.as_ref()?;
    if Some(common) == project.git_dir.as_ref() || common.file_name()? != ".git" {
        return None;
    }
    Some(common.parent()?.join(PROJECT_FILE))
}

fn read(path: &Path) -> std::io::Result<String> {
    let file = hostler_ledger::file::open_regular(path)?;
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if FILE_BYTES_MAX < text.len() as u64 {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(text)
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
