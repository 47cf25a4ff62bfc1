//! `[recall]`, `reminders` and `[[reminder]]`: what prompts bring back.

use hostler_model::text::shorten;
use hostler_policy::recall::Limits;
use hostler_policy::reminder::{SHIPPED, When, has_words};
use toml::{Table, Value};

use super::{Config, strings};

/// More matches than this, with a prompt, are no help.
const RESULTS_MAX: u64 = 50;
/// More reminders than this are no reminders.
const REMINDERS_MAX: usize = 100;
/// A longer text, in characters, belongs into a file.
const TEXT_CHARS_MAX: usize = 6_000;

/// Whether and how prompts search the record of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recall {
    /// Trigger phrases in prompts search.
    pub(crate) enabled: bool,
    /// How far and how much.
    pub(crate) limits: Limits,
}

impl Default for Recall {
    fn default() -> Self {
        Self { enabled: true, limits: Limits::default() }
    }
}

/// What a prompt's words bring before the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reminder {
    /// Its name within its level.
    pub(crate) id: String,
    /// Where it comes from.
    pub(crate) level: Level,
    /// What brings it.
    pub(crate) when: When,
    /// What is told.
    pub(crate) source: Source,
    /// Told once in a session, and again after its context was compacted or cleared; else with each such prompt.
    pub(crate) once: bool,
}

impl Reminder {
    /// The name that the session's state counts it under: reminders of two levels are two.
    pub(crate) fn key(&self) -> String {
        format!("reminder:{}:{}", self.level.name(), self.id)
    }
}

/// Where a reminder comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// With the program.
    Shipped,
    /// The user's configuration.
    User,
    /// The project's.
    Project,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Where the text of a reminder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the configuration.
    Text(String),
    /// In a file: of the project, or of the user's configuration folder.
    File(String),
}

impl Config {
    pub(super) fn apply_recall(&mut self, table: &Table, shown: &str) {
        for (key, value) in table {
            let wrong =
                |this: &mut Self, expected: &str| this.wrong(shown, &format!("recall.{key}"), expected);
            let number = value.as_integer().and_then(|it| usize::try_from(it).ok()).filter(|it| 1 <= *it);
            match (key.as_str(), value, number) {
                ("enabled", Value::Boolean(enabled), _) => self.recall.enabled = *enabled,
                ("enabled", ..) => wrong(self, "true or false"),
                ("sessions", _, Some(sessions)) => self.recall.limits.sessions = Some(sessions),
                ("sessions", Value::String(all), _) if all == "all" => self.recall.limits.sessions = None,
                ("sessions", ..) => wrong(self, "a whole number, 1 or more, or \"all\""),
                ("results", _, Some(results)) if results as u64 <= RESULTS_MAX => {
                    self.recall.limits.results = results;
                }
                ("results", ..) => wrong(self, &format!("a whole number, 1 to {RESULTS_MAX}")),
                (other, ..) => self.unknown(shown, &format!("recall.{other}")),
            }
        }
    }

    /// Those that come with the program, by their names. Both files' names count.
    pub(super) fn apply_shipped_reminders(&mut self, value: &Value, shown: &str) {
        let Some(names) = strings(value) else {
            return self.wrong(shown, "reminders", "a list of names in quotes");
        };
        for name in names {
            let Some(shipped) = SHIPPED.iter().find(|it| it.id == name) else {
                let known: Vec<_> = SHIPPED.iter().map(|it| format!("`{}`", it.id)).collect();
                self.warnings.push(format!(
                    "{shown}: `reminders` names `{name}`, which does not come with this build; there is {}",
                    known.join(", ")
                ));
                continue;
            };
            if self.reminders.iter().all(|it| it.level != Level::Shipped || it.id != name) {
                self.reminders.push(Reminder {
                    id: name,
                    level: Level::Shipped,
                    when: When::Words(shipped.words.iter().map(|it| (*it).to_owned()).collect()),
                    source: Source::Text(shipped.text.trim_end().to_owned()),
                    once: true,
                });
            }
        }
    }

    pub(super) fn apply_reminders(&mut self, value: &Value, shown: &str) {
        let level = self.reading;
        let tables: Option<Vec<&Table>> =
            value.as_array().and_then(|items| items.iter().map(Value::as_table).collect());
        let Some(tables) = tables else {
            return self.wrong(shown, "reminder", "a list of tables: [[reminder]]");
        };
        for table in tables {
            match reminder(table, level) {
                Ok(_) if REMINDERS_MAX <= self.reminders.len() => {
                    self.faults.push(format!(
                        "{shown}: more than {REMINDERS_MAX} reminders; the others have no effect"
                    ));
                    return;
                }
                Ok(found) if self.reminders.iter().any(|it| it.level == level && it.id == found.id) => {
                    self.faults.push(format!(
                        "{shown}: reminder `{}` is there twice; the first one counts",
                        found.id
                    ));
                }
                Ok(found) => {
                    for key in table.keys().filter(|key| !KEYS.contains(&key.as_str())) {
                        self.unknown(shown, &format!("reminder.{key}"));
                    }
                    self.reminders.push(found);
                }
                Err(why) => self.faults.push(format!("{shown}: {why}; it has no effect")),
            }
        }
    }
}

const KEYS: &[&str] = &["id", "when", "pattern", "file", "text", "once"];

/// Reads one; an error says which, and what would be right.
fn reminder(table: &Table, level: Level) -> Result<Reminder, String> {
    let id = table.get("id").and_then(Value::as_str).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || 40 < id.len() || !id.chars().all(plain) {
        return Err("a reminder needs an `id` of letters, digits, `-`, `_` and `.`, at most 40".to_owned());
    }
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` of reminder `{id}` must be a text in quotes")),
    };
    let words = match table.get("when") {
        None => None,
        Some(value) => match value.as_str().map(|word| vec![word.to_owned()]).or_else(|| strings(value)) {
            Some(words) if !words.is_empty() => Some(words),
            _ => return Err(format!("`when` of reminder `{id}` must be a list of words in quotes")),
        },
    };
    if let Some(word) = words.iter().flatten().find(|word| !has_words(word)) {
        return Err(format!(
            "`when` of reminder `{id}` has `{}`, which no prompt can mention: it needs a letter or a digit, or use `pattern`",
            shorten(word.trim(), 40)
        ));
    }
    let when = match (words, text("pattern")?) {
        (Some(words), None) => When::Words(words),
        (None, Some(pattern)) => When::Pattern(pattern),
        _ => {
            return Err(format!(
                "reminder `{id}` needs either `when` (words) or `pattern` (a regular expression)"
            ));
        }
    };
    let source = match (text("text")?, text("file")?) {
        (Some(text), None) if text.chars().count() <= TEXT_CHARS_MAX => {
            Source::Text(text.trim_end().to_owned())
        }
        (Some(_), None) => {
            return Err(format!(
                "`text` of reminder `{id}` has more than {TEXT_CHARS_MAX} characters; use `file`"
            ));
        }
        (None, Some(file)) => Source::File(file),
        _ => return Err(format!("reminder `{id}` needs either `text` or `file`")),
    };
    let once = match table.get("once") {
        None => true,
        Some(Value::Boolean(once)) => *once,
        Some(_) => return Err(format!("`once` of reminder `{id}` must be true or false")),
    };
    Ok(Reminder { id: id.to_owned(), level, when, source, once })
}

#[cfg(test)]
mod tests;
