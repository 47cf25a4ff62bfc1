//! `context.md`: what a reader wants to know first of `context.json`, as Markdown, from a template.
//!
//! The form is the user's to change, the escaping is not: text of records goes through one formatter, so that no
//! commit subject can open a code block or break a table, whatever the template says.
//!
//! The view's time of change is set to one second after the record's, which is how a changed record is told from
//! an unchanged one by two looks at files: two that are written at once by somebody else have the same time.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hostler_ledger::context::{self, Context};
use hostler_ledger::file::{self, Access, Lock, Snapshot};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Output, State, Value, escape_formatter};
use serde_json::json;

use super::{Sessions, describe, effect};

/// The name of the view.
pub(crate) const FILE: &str = "context.md";
/// The name of a template that takes the place of ours, in `.hostler` or the user's configuration.
pub(crate) const TEMPLATE_FILE: &str = "context.md.j2";
/// Sessions that are shown.
const SESSIONS_MAX: usize = 3;
/// The first line: what has it is ours to replace.
const MARK: &str = "<!-- Made by hostler from context.json, and made anew with each change: \
                    use `hostler session` to change what it says. -->";
/// What a view of ours begins with, in every version.
const MARK_BEGINS: &str = "<!-- Made by hostler from context.json";
const BUILT_IN: &str = include_str!("context.md.j2");
/// A template is written by hand; a larger one, in bytes, is none.
const TEMPLATE_BYTES_MAX: u64 = 256 * 1024;
/// Steps of a template's engine: enough for thousands of lines, too few to be felt.
const FUEL: u64 = 2_000_000;
/// How much younger than its record a current view is, in seconds: what every file system can tell.
const AHEAD_S: i64 = 1;
/// How long the view of another process is waited for.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Why there is no current view. The record is not affected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The user's own file.
    #[error(
        "`{path}` was not made by hostler and stays as it is; move it away, or replace it with \
         `hostler session render --force`"
    )]
    Foreign {
        /// The view.
        path: PathBuf,
    },
    /// A link could lead anywhere.
    #[error("`{path}` is no regular file and is not written; remove it, and run `hostler session render`")]
    NotAFile {
        /// The view.
        path: PathBuf,
    },
    /// Another process holds the lock.
    #[error("`{path}` is being written by another process; run `hostler session render` later")]
    Busy {
        /// The view.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It could not be replaced.
    #[error(transparent)]
    File(#[from] file::Error),
    /// The record could not be read.
    #[error(transparent)]
    Store(#[from] context::Error),
}

/// What became of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its text changed.
    pub(crate) changed: bool,
    /// What is wrong with the user's template, in whose place ours was used.
    pub(crate) problem: Option<String>,
}

/// A view as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// The whole file.
    pub(crate) text: String,
    /// What is wrong with the user's template, in whose place ours was used.
    pub(crate) problem: Option<String>,
}

/// The view of a record in the project at `root`, for a user whose configuration is in `user`.
pub(crate) fn render(context: &Context, root: &Path, user: &Path) -> Rendered {
    let values = Value::from(Serde(values(context)));
    let mut problem = None;
    for path in templates(root, user) {
        // The project's own comes with it, whoever made it; the user's may be a link to wherever they keep such files.
        let is_own = || if path.starts_with(user) { Ok(()) } else { file::within(&path, root).map(|_| ()) };
        let text = match read_template(&path) {
            Ok(Some(text)) => is_own()
                .map_err(|error| error.to_string())
                .and_then(|()| expand(&text, &values).map_err(|error| told(&path, &error))),
            Ok(None) => continue,
            Err(error) => Err(format!("`{}` cannot be read: {error}", path.display())),
        };
        match text {
            Ok(text) => return Rendered { text: marked(&text), problem },
            Err(error) => {
                problem.get_or_insert(format!("{error}; `{FILE}` has its usual form meanwhile"));
            }
        }
    }
    match expand(BUILT_IN, &values) {
        Ok(text) => Rendered { text: marked(&text), problem },
        // A fault of ours; the view then says so in place of showing something that is not so.
        Err(error) => Rendered {
            text: marked(&format!("The view could not be made: {error}")),
            problem: Some(format!("the built-in template failed: {error}")),
        },
    }
}

/// Whether the record, or a template, changed since the view was made. False where there is no record.
pub(crate) fn is_stale(sessions: &Sessions) -> bool {
    let Ok(record) = fs::metadata(&sessions.file) else { return false };
    let Ok(view) = fs::symlink_metadata(sessions.view()) else { return true };
    let since = |it: &fs::Metadata| (it.mtime(), it.mtime_nsec());
    let made = (view.ctime(), view.ctime_nsec());
    (record.mtime() + AHEAD_S, record.mtime_nsec()) != since(&view)
        || templates(&sessions.root, &sessions.user)
            .iter()
            .any(|path| fs::metadata(path).is_ok_and(|it| made < since(&it)))
}

/// Makes the view anew if the record changed since; `force` does it in any case and replaces a file that is not
/// ours.
///
/// # Errors
/// See [`Error`]; the view is as it was.
pub(crate) fn refresh(sessions: &Sessions, force: bool) -> Result<View, Error> {
    let path = sessions.view();
    // Two processes that changed the record one after the other have to render in that order.
    let lock = Lock::acquire_within(&sessions.state.join("context.md.lock"), WAIT_MAX)?;
    let Some(_lock) = lock else { return Err(Error::Busy { path }) };
    let io = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| Error::Io { action, path, source }
    };
    if fs::symlink_metadata(&path).is_ok_and(|it| !it.is_file()) {
        return Err(Error::NotAFile { path });
    }
    let snapshot = Snapshot::read(&path)?;
    let ours = |bytes: &[u8]| bytes.starts_with(MARK_BEGINS.as_bytes()) || bytes.trim_ascii().is_empty();
    if !force && snapshot.bytes().is_some_and(|bytes| !ours(bytes)) {
        return Err(Error::Foreign { path });
    }
    // Looked at before it is read: what changes in between makes the view stale again.
    let changed_at =
        fs::metadata(&sessions.file).and_then(|it| it.modified()).map_err(io("look at", &sessions.file))?;
    let missing = || context::Error::Missing { path: sessions.file.clone() };
    let context = sessions.store.read()?.ok_or_else(missing)?;
    let Rendered { text, problem } = render(&context, &sessions.root, &sessions.user);
    let changed = snapshot.bytes() != Some(text.as_bytes());
    if changed {
        snapshot.replace(text.as_bytes(), Access::Shared)?;
    }
    let view = File::options().write(true).open(&path).map_err(io("open", &path))?;
    let current = changed_at + Duration::from_secs(AHEAD_S.unsigned_abs());
    view.set_modified(current).map_err(io("set the time of", &path))?;
    Ok(View { path, changed, problem })
}

/// Where a template of the user's can be, the strongest first.
fn templates(root: &Path, user: &Path) -> [PathBuf; 2] {
    [root.join(".hostler").join(TEMPLATE_FILE), user.join(TEMPLATE_FILE)]
}

fn read_template(path: &Path) -> std::io::Result<Option<String>> {
    let file = match file::open_regular(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(TEMPLATE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if TEMPLATE_BYTES_MAX < text.len() as u64 {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "it is larger than 256 KiB"));
    }
    Ok(Some(text))
}

fn told(path: &Path, error: &minijinja::Error) -> String {
    let line = error.line().map(|line| format!(":{line}")).unwrap_or_default();
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("`{}{line}`: {}{detail}", path.display(), error.kind())
}

fn marked(text: &str) -> String {
    format!("{MARK}\n\n{}\n", text.trim())
}

/// What a template can use.
fn values(context: &Context) -> serde_json::Value {
    let mut values = describe::status(context);
    let sessions: Vec<_> =
        context.newest_first().take(SESSIONS_MAX).map(|(_, it)| describe::session(&it)).collect();
    values["sessions"] = sessions.into();
    values["work_completed"] = json!(context.work().len() - effect::open_work(context).len());
    values
}

fn expand(template: &str, values: &Value) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    // A tag on a line of its own leaves no empty line behind.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
    environment.set_syntax(syntax);
    environment.set_formatter(write_value);
    environment.render_named_str(FILE, template, values.clone())
}

/// Writes a value into Markdown: text on one line and without marks that a reader would take for structure,
/// nothing for what is not there. `|safe` says that a text is Markdown.
fn write_value(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), minijinja::Error> {
    if value.is_none() || value.is_undefined() {
        return Ok(());
    }
    match value.as_str() {
        Some(text) if !value.is_safe() => Ok(out.write_str(&inline(text))?),
        _ => escape_formatter(out, state, value),
    }
}

/// `text` as inline Markdown that reads as it is written.
fn inline(text: &str) -> String {
    let line = hostler_model::text::one_line(text);
    let mut out = String::with_capacity(line.len() + 8);
    let mut before = ' ';
    let mut rest = line.chars().filter(|c| !c.is_control()).peekable();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marked =
        |mark: char| numbered.strip_prefix(mark).is_some_and(|it| it.is_empty() || it.starts_with(' '));
    let mut marks_a_list = numbered.len() < line.len() && (marked('.') || marked(')'));
    let mut first = true;
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let escaped = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' => true,
            // Within a word it is part of a name.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '#' | '>' | '+' | '-' | '=' => first,
            '.' | ')' if marks_a_list => {
                marks_a_list = false;
                true
            }
            _ => false,
        };
        if escaped {
            out.push('\\');
        }
        out.push(c);
        (before, first) = (c, false);
    }
    out
}

#[cfg(test)]
mod tests;
