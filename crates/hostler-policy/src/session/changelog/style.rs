//! How a changelog is written: read from what is there, *Keep a Changelog* where it says nothing.

use hostler_model::text::one_line;

use super::super::achievement::Category;
use super::Entry;
use super::scan::{Document, Form, Heading, Kind};

/// Headings that mean a category, lower case.
const SYNONYMS: &[(&str, Category)] = &[
    ("added", Category::Added),
    ("additions", Category::Added),
    ("enhancements", Category::Added),
    ("feature enhancements", Category::Added),
    ("features", Category::Added),
    ("new", Category::Added),
    ("new features", Category::Added),
    ("changed", Category::Changed),
    ("changes", Category::Changed),
    ("improvements", Category::Changed),
    ("performance improvements", Category::Changed),
    ("improved", Category::Changed),
    ("deprecated", Category::Deprecated),
    ("deprecations", Category::Deprecated),
    ("removed", Category::Removed),
    ("removals", Category::Removed),
    ("bug fixes", Category::Fixed),
    ("bugfixes", Category::Fixed),
    ("bugs fixed", Category::Fixed),
    ("fixed", Category::Fixed),
    ("fixes", Category::Fixed),
    ("security", Category::Security),
    ("security fixes", Category::Security),
];
/// What is said beside the number of a version that is not out.
const NOT_RELEASED: &[&str] = &["in progress", "not released", "not yet released", "to be released"];
const UNRELEASED: &[&str] =
    &["development version", "in development", "next", "next release", "next version", "tbd", "upcoming"];

/// The category that a heading means.
pub(super) fn category(heading: &str) -> Option<Category> {
    let words = words(heading);
    SYNONYMS.iter().find(|(name, _)| *name == words).map(|(_, category)| *category)
}

/// Letters and single spaces, lower case.
fn words(text: &str) -> String {
    let letters: String =
        text.chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect::<String>().to_lowercase();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a heading is that of what is not released yet.
pub(super) fn is_unreleased(heading: &str) -> bool {
    let words = words(heading);
    words.split(' ').any(|it| it == "unreleased")
        || UNRELEASED.contains(&words.as_str())
        || NOT_RELEASED.iter().any(|it| words.contains(it))
}

/// Whether a heading is that of a version, a day, or what is not released. A sentence about a version is none.
pub(super) fn is_section(heading: &str) -> bool {
    let first: Vec<&str> = heading.split_whitespace().take(2).collect();
    let first = first.join(" ");
    is_unreleased(heading) || versions(&first).next().is_some() || has_date(&first)
}

/// Version numbers in a heading.
pub(super) fn versions(heading: &str) -> impl Iterator<Item = &str> {
    heading.split([' ', '[', ']', '(', ')', ',', '\t']).filter_map(|word| {
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word).trim_end_matches([':', '.']);
        let numbers =
            word.split('.').take_while(|it| it.bytes().next().is_some_and(|it| it.is_ascii_digit()));
        (2 <= numbers.count()).then_some(word)
    })
}

/// Whether a heading names a day, as that of a release does.
pub(super) fn has_date(heading: &str) -> bool {
    let digits =
        |text: &str, length: usize| text.len() == length && text.bytes().all(|it| it.is_ascii_digit());
    heading.split(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '/' | '.')).any(|word| {
        let parts: Vec<&str> = word.split(['-', '/', '.']).filter(|it| !it.is_empty()).collect();
        matches!(parts[..], [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
    })
}

/// Headings of categories as this file writes them.
#[derive(Debug)]
pub(super) struct Names(Vec<(Category, String)>);

impl Names {
    pub(super) fn of(document: &Document<'_>) -> Self {
        Self(document.categories().map(|(category, it)| (category, it.text.clone())).collect())
    }

    fn name(&self, category: Category) -> &str {
        self.0.iter().find(|(it, _)| *it == category).map_or(category.name(), |(_, name)| name)
    }
}

/// What is kept of a file's form.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Style {
    /// The heading of a version: level, form, and whether it stands in brackets.
    section: (usize, Form, bool),
    /// The heading of a category: level, form, and whether a colon follows.
    category: (usize, Form, bool),
    /// An empty line follows a category's heading.
    pub(super) blank_below_heading: bool,
    /// An empty line precedes a category's heading.
    pub(super) blank_above_heading: bool,
    /// An empty line stands between bullets.
    pub(super) loose: bool,
    /// Lists stand below versions, without categories.
    pub(super) flat: bool,
    bullet: String,
    /// Further lines of a bullet begin so.
    indent: String,
    /// Longest line of a file whose bullets have several.
    width: Option<usize>,
    /// Bullets end with a full stop.
    stops: bool,
}

impl Style {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let section =
            document.sections().find(|it| !is_unreleased(&it.text)).or_else(|| document.sections().next());
        let section = section
            .map_or((2, Form::Hashes, true), |it| (it.level, it.form, it.text.trim_start().starts_with('[')));
        let categories = || document.categories().map(|(_, heading)| heading);
        let one = categories().next();
        let form = one.map_or((section.0 + 1, Form::Hashes, false), |it| {
            let line = document.line(it.start).trim_end();
            (it.level, it.form, line.ends_with(':') || line.ends_with(":**"))
        });
        let below = |it: &Heading| matches!(document.kinds().get(it.end), None | Some(Kind::Blank));
        let bullets =
            || (0..document.kinds().len()).filter(|at| matches!(document.kind(*at), Kind::Bullet { .. }));
        let first = bullets().find_map(|at| match document.kind(at) {
            Kind::Bullet { prefix, .. } => Some(prefix.to_owned()),
            _ => None,
        });
        let bullet = first.unwrap_or_else(|| "- ".to_owned());
        let further: Vec<usize> = bullets().filter(|at| document.kind(at + 1) == Kind::Text).collect();
        let width = further.iter().map(|at| document.line(*at).chars().count()).max();
        let indent = further.iter().find_map(|at| {
            let line = document.line(at + 1);
            let indent = &line[..line.len() - line.trim_start().len()];
            (!indent.is_empty()).then(|| indent.to_owned())
        });
        let ends: Vec<bool> = bullets().map(|at| last_line(document, at).trim_end().ends_with('.')).collect();
        let apart = bullets().filter(|at| {
            let blank = 1 < *at && document.kind(at - 1) == Kind::Blank;
            blank && matches!(document.kind(at - 2), Kind::Bullet { .. } | Kind::Text) && {
                matches!(document.kind(at - 2), Kind::Bullet { .. }) || document.continues_bullet(at - 1)
            }
        });
        let together = bullets().filter(|at| {
            0 < *at
                && (matches!(document.kind(at - 1), Kind::Bullet { .. }) || document.continues_bullet(*at))
        });
        Self {
            section,
            category: form,
            blank_below_heading: one.is_none_or(below),
            blank_above_heading: matches!(form.1, Form::Underlined(_) | Form::Label)
                || !categories().any(|it| {
                    let above = it.start.checked_sub(1).map(|it| document.kind(it));
                    matches!(above, Some(Kind::Bullet { .. } | Kind::Text))
                }),
            loose: together.count() < apart.count(),
            flat: one.is_none()
                && bullets().next().is_some()
                && document.sections().all(|it| document.headings_in(document.section(it)).next().is_none()),
            indent: indent.unwrap_or_else(|| " ".repeat(bullet.chars().count())),
            width: width.map(|it| it.clamp(40, 140)),
            stops: ends.len() < 2 * ends.iter().filter(|it| **it).count(),
            bullet,
        }
    }

    /// The heading of a version.
    pub(super) fn section_heading(&self, name: &str) -> Vec<String> {
        let (level, form, brackets) = self.section;
        let name = if brackets { format!("[{name}]") } else { name.to_owned() };
        heading(level, form, &name)
    }

    /// Entries below the headings of their categories, each set off by an empty line.
    pub(super) fn categories(&self, entries: &[Entry], names: &Names) -> Vec<String> {
        if self.flat {
            let list = self.list(entries);
            return std::iter::once(String::new()).chain(list).collect();
        }
        let mut lines = Vec::new();
        for category in Category::ALL {
            let mine: Vec<Entry> = entries.iter().filter(|it| it.category == category).cloned().collect();
            if mine.is_empty() {
                continue;
            }
            let (level, form, colon) = self.category;
            let name = names.name(category);
            let name = if colon && !name.ends_with(':') { format!("{name}:") } else { name.to_owned() };
            lines.push(String::new());
            lines.extend(heading(level, form, &name));
            if self.blank_below_heading {
                lines.push(String::new());
            }
            lines.extend(self.list(&mine));
        }
        lines
    }

    /// Entries as bullets.
    pub(super) fn list(&self, entries: &[Entry]) -> Vec<String> {
        let mut lines = Vec::new();
        for entry in entries {
            if self.loose && !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(self.bullet(&entry.text));
        }
        lines
    }

    fn bullet(&self, text: &str) -> Vec<String> {
        let mut text = one_line(text);
        if text.starts_with(['#', '>']) {
            text.insert(0, '\\');
        }
        if self.stops && !text.ends_with(['.', '!', '?', ':']) {
            text.push('.');
        }
        let Some(width) = self.width else { return vec![format!("{}{text}", self.bullet)] };
        let mut lines = vec![self.bullet.clone()];
        let mut fresh = true;
        for word in text.split(' ') {
            let last = lines.len() - 1;
            // A further line that begins like a bullet or heading would be read as one.
            let marks = word.starts_with(['-', '*', '+', '#', '>']) && !word.starts_with("**");
            if !fresh && !marks && width < lines[last].chars().count() + 1 + word.chars().count() {
                lines.push(format!("{}{word}", self.indent));
            } else {
                if !fresh {
                    lines[last].push(' ');
                }
                lines[last].push_str(word);
            }
            fresh = false;
        }
        lines
    }
}

fn heading(level: usize, form: Form, name: &str) -> Vec<String> {
    match form {
        Form::Hashes => vec![format!("{} {name}", "#".repeat(level))],
        Form::Underlined(mark) => vec![name.to_owned(), mark.to_string().repeat(name.chars().count().max(3))],
        Form::Bold => vec![format!("**{name}**")],
        Form::Label => vec![name.to_owned()],
    }
}

/// The last line of the bullet at `at`.
fn last_line<'a>(document: &Document<'a>, at: usize) -> &'a str {
    let last = (at + 1..document.kinds().len()).take_while(|it| document.kind(*it) == Kind::Text).last();
    document.line(last.unwrap_or(at))
}
