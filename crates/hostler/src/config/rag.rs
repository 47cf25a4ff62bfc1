//! Retrieval: `[rag]` and `[rag.embeddings]`.

use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use super::{Config, Level, strings};

/// What is configured about retrieval.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rag {
    /// The database, absolute; `None`: one for each project in the data folder.
    pub(crate) db: Option<PathBuf>,
    /// What is not indexed, in the words of `.gitignore`.
    pub(crate) ignore: Vec<String>,
    /// What makes vectors.
    pub(crate) embeddings: Embeddings,
}

/// What makes vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Embeddings {
    /// An endpoint as `OpenAI` has it. Never from a project's file: what is cloned must not say where its text goes.
    pub(crate) url: Option<String>,
    /// The endpoint's model, or the folder of one on this machine.
    pub(crate) model: Option<String>,
    /// The variable that holds the endpoint's key. Never from a project's file.
    pub(crate) key_variable: Option<String>,
}

impl Config {
    pub(super) fn apply_rag(&mut self, table: &Table, shown: &str) {
        // The one that is being read stands first.
        let file = self.files.first().cloned().unwrap_or_default();
        for (key, value) in table {
            match (key.as_str(), value) {
                ("db", Value::String(db)) if self.reading == Level::Project => match inside(&file, db) {
                    Some(db) => self.rag.db = Some(db),
                    None => self.wrong(
                        shown,
                        "rag.db",
                        "a path inside the project in a project's file; the user's file may name any",
                    ),
                },
                ("db", Value::String(db)) => match of_user(db) {
                    Some(db) => self.rag.db = Some(db),
                    None => self.wrong(shown, "rag.db", "an absolute path, or one that begins with `~/`"),
                },
                ("db", _) => self.wrong(shown, "rag.db", "a path in quotes"),
                ("ignore", value) => match strings(value) {
                    // Both files' patterns count, as with `protected`.
                    Some(globs) => self.rag.ignore.extend(globs),
                    None => self.wrong(shown, "rag.ignore", "a list of patterns in quotes"),
                },
                ("embeddings", Value::Table(table)) => self.apply_embeddings(table, shown),
                ("embeddings", _) => self.wrong(shown, "rag.embeddings", "a table: [rag.embeddings]"),
                (other, _) => self.unknown(shown, &format!("rag.{other}")),
            }
        }
    }

    fn apply_embeddings(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let of_user = matches!(key.as_str(), "url" | "key_variable");
            match (key.as_str(), value.as_str().filter(|it| !it.is_empty())) {
                (key, _) if of_user && self.reading == Level::Project => self.warnings.push(format!(
                    "{shown}: `rag.embeddings.{key}` has no effect in a project's file, since text would be sent to \
                     where the project says; put it into the user's file"
                )),
                ("url", Some(url)) => self.rag.embeddings.url = Some(url.to_owned()),
                ("model", Some(model)) => self.rag.embeddings.model = Some(model.to_owned()),
                ("key_variable", Some(name)) => self.rag.embeddings.key_variable = Some(name.to_owned()),
                ("url" | "model" | "key_variable", None) => {
                    self.wrong(shown, &format!("rag.embeddings.{key}"), "a text in quotes");
                }
                (other, _) => self.unknown(shown, &format!("rag.embeddings.{other}")),
            }
        }
    }
}

/// A path below the project whose configuration `file` is, which must stay there.
fn inside(file: &Path, path: &str) -> Option<PathBuf> {
    let root = file.parent()?.parent()?;
    let path = Path::new(path);
    let stays = path.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
    (stays && path.file_name().is_some()).then(|| root.join(path))
}

fn of_user(path: &str) -> Option<PathBuf> {
    let path = match path.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        None => PathBuf::from(path),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn read(level: Level, text: &str) -> Config {
        let files = vec![PathBuf::from("/p/.hostler/config.toml")];
        let mut config = Config { reading: level, files, ..Config::default() };
        config.apply(&text.parse().unwrap(), "config.toml");
        config
    }

    #[test]
    fn where_text_is_sent_is_not_for_a_project_to_say() {
        let text =
            "[rag.embeddings]\nurl = \"http://x/v1/embeddings\"\nmodel = \"m\"\nkey_variable = \"HOME\"\n";
        let config = read(Level::Project, text);
        assert_eq!(
            config.rag.embeddings,
            Embeddings { model: Some("m".to_owned()), ..Embeddings::default() }
        );
        assert_eq!(config.warnings.len(), 2, "{:?}", config.warnings);
        let config = read(Level::User, text);
        assert_eq!(config.rag.embeddings.url.as_deref(), Some("http://x/v1/embeddings"));
        assert_eq!(config.rag.embeddings.key_variable.as_deref(), Some("HOME"));
        assert!(config.warnings.is_empty() && config.faults.is_empty());
    }

    #[test]
    fn a_project_keeps_its_database_inside() {
        for (level, db, expected) in [
            (Level::Project, ".hostler/rag.db", Some("/p/.hostler/rag.db")),
            (Level::Project, "../rag.db", None),
            (Level::Project, "/etc/rag.db", None),
            (Level::Project, "", None),
            (Level::User, "/var/rag.db", Some("/var/rag.db")),
            (Level::User, "rag.db", None),
        ] {
            let config = read(level, &format!("[rag]\ndb = \"{db}\"\n"));
            assert_eq!(config.rag.db.as_deref(), expected.map(Path::new), "{db}");
            assert_eq!(config.faults.is_empty(), expected.is_some(), "{db}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for text in ["ignore = \"*.log\"", "db = 1", "embeddings = 1", "[rag.embeddings]\nurl = 1"] {
            let config = read(Level::User, &format!("[rag]\n{text}\n"));
            assert_eq!(config.faults.len(), 1, "{text}");
        }
        assert_eq!(read(Level::User, "[rag]\nindex = true\n").warnings.len(), 1);
    }
}
