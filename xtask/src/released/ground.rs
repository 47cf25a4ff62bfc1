//! What a language brings: which files are real code, edits that nobody could mind, and defects with what becomes of each.

use std::path::Path;

use hostler_syntax::{Class, Facts, Function, Language};

use super::random::Random;

/// Makes a change of a file; `None` where the file has no place for it.
pub(crate) type Make = fn(&Sample<'_>, &mut Random) -> Option<Change>;

/// Asks a compiler about texts, each with its path.
pub(crate) type Judge = fn(&[(&str, &str)]) -> anyhow::Result<Option<Vec<bool>>>;

/// A language.
pub(crate) struct Ground {
    /// As it is asked for on the command line.
    pub(crate) name: &'static str,
    /// Extensions of its files, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// `.hostler/config.toml` of the repository.
    pub(crate) config: &'static str,
    /// A tool that must have run at the end of each turn, as reports name it: what it finds is asked for.
    pub(crate) tool: Option<&'static str>,
    /// Most files that are changed at once when a turn ends. Compilers that stop at the first file with an error want 1.
    pub(crate) batch_max: usize,
    /// Makes a project of an unpacked package where it is none yet, before it is committed.
    pub(crate) prepare: fn(&Path) -> anyhow::Result<()>,
    /// Which of these texts the language's own compiler takes; `None` where none is here, or none is asked.
    pub(crate) judge: Judge,
    /// Edits that nobody could mind.
    pub(crate) harmless: &'static [Harmless],
    /// Defects.
    pub(crate) defects: &'static [Defect],
}

/// An edit that nobody could mind.
pub(crate) struct Harmless {
    /// What it is, with its article.
    pub(crate) name: &'static str,
    /// Makes it.
    pub(crate) make: Make,
}

/// A defect, and what must become of it.
pub(crate) struct Defect {
    /// What it is, with its article.
    pub(crate) name: &'static str,
    /// The file does not parse with it.
    pub(crate) breaks_syntax: bool,
    /// The rule that refuses the edit, in the profiles `standard` and `strict`; `None`: the edit goes ahead.
    pub(crate) refused: [Option<&'static str>; 2],
    /// The check that finds it when the turn ends.
    pub(crate) check: &'static str,
    /// Others that may say the same of the same line.
    pub(crate) twins: &'static [&'static str],
    /// Whether it sends the agent back, in `standard` and `strict`.
    pub(crate) holds: [bool; 2],
    /// It is alone in its turn: what finds it stops at the first one.
    pub(crate) is_alone: bool,
    /// How far the line may be off.
    pub(crate) lines_off_max: usize,
    /// Makes it.
    pub(crate) make: Make,
}

/// A real file.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    /// From the repository's top, with `/`.
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    pub(crate) facts: Facts,
}

/// One file before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// From the repository's top, with `/`: the sample's, or one that is put beside it.
    pub(crate) path: String,
    /// As it is committed.
    pub(crate) before: String,
    /// As the agent leaves it.
    pub(crate) after: String,
    /// Where the defect is told, in `after`.
    pub(crate) line: usize,
}

impl<'a> Sample<'a> {
    /// `None` for what no grammar is there for, or is beyond a budget.
    pub(crate) fn new(path: &'a str, text: &'a str) -> Option<Self> {
        let language = Language::of(Path::new(path))?;
        let facts = hostler_syntax::facts(language, text).ok()?;
        Some(Self { path, text, facts })
    }

    /// The text of `line`, from 1, without its end.
    pub(crate) fn line(&self, line: usize) -> &'a str {
        self.text.lines().nth(line.wrapping_sub(1)).unwrap_or_default()
    }

    /// What `line` is indented by.
    pub(crate) fn indent(&self, line: usize) -> &'a str {
        let text = self.line(line);
        text.get(..text.len() - text.trim_start().len()).unwrap_or_default()
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.text.lines().count()
    }

    /// Puts `block` before `line`; the defect is on line `within` of it, from 1.
    pub(crate) fn insert(&self, line: usize, block: &str, within: usize) -> Change {
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let block: String = block.lines().flat_map(|it| [it, newline]).collect();
        let mut lines: Vec<&str> = self.text.split_inclusive('\n').collect();
        let at = line.saturating_sub(1).min(lines.len());
        let unended = (at == lines.len()
            && lines.last().is_some_and(|it| !it.is_empty() && !it.ends_with('\n')))
        .then_some(newline);
        let rest = lines.split_off(at);
        let after = [&lines.concat(), unended.unwrap_or_default(), &block, &rest.concat()].concat();
        self.change(after, at + within)
    }

    /// Puts `text` in the place of `line`.
    pub(crate) fn replace(&self, line: usize, text: &str) -> Change {
        let lines = self.text.split_inclusive('\n').enumerate();
        let after = lines.map(|(at, old)| {
            if at + 1 != line {
                return old.to_owned();
            }
            let end = old.len() - old.trim_end_matches(['\r', '\n']).len();
            format!("{text}{}", &old[old.len() - end..])
        });
        self.change(after.collect(), line)
    }

    /// The whole text after it.
    pub(crate) fn change(&self, after: String, line: usize) -> Change {
        Change { path: self.path.to_owned(), before: self.text.to_owned(), after, line }
    }

    /// The innermost function around `line`.
    pub(crate) fn function_at(&self, line: usize) -> Option<&Function> {
        let around = self.facts.functions.iter().filter(|it| (it.first_line..=it.last_line).contains(&line));
        around.min_by_key(|it| it.last_line - it.first_line)
    }

    /// The classes around `line`.
    pub(crate) fn classes_at(&self, line: usize) -> impl Iterator<Item = &Class> {
        self.facts.classes.iter().filter(move |it| (it.first_line..=it.last_line).contains(&line))
    }

    /// Whether so many more lines before `line` carry neither a class nor the file over its limit, so that they are a
    /// defect of no other kind.
    pub(crate) fn has_room(&self, line: usize, more: usize) -> bool {
        let fits = |lines: usize, max: usize| {
            if lines <= max { lines + more <= max } else { more <= lines / 10 }
        };
        fits(self.count(), 500) && self.classes_at(line).all(|it| fits(it.lines, 300))
    }

    /// Whether `line` begins within a string or a comment that began before it.
    pub(crate) fn is_text(&self, line: usize) -> bool {
        let literals = self.facts.literals.iter().map(|it| (it.line, it.last_line));
        let comments = self.facts.comments.iter().map(|it| (it.line, it.last_line));
        literals.chain(comments).any(|(from, to)| from < line && line <= to)
    }
}
