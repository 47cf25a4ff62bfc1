//! `trace.toml`: where requirements, sources and results are, and what a check asks for.

use globset::{Glob, GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use crate::Rule;
use crate::requirement::{Columns, Spec};

/// The file's name, at the project's top folder.
pub const FILE: &str = "trace.toml";
/// The format that this build reads.
pub const VERSION: u32 = 1;
/// Where the matrix goes where nothing else is said.
pub const MATRIX: &str = "plans/rtm.md";
/// Longest source file that is read where nothing else is said, bytes. Larger ones are generated.
pub const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Everything that is set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The format of the file.
    #[serde(default)]
    pub version: Option<u32>,
    /// Regular expressions of ids; the usual forms where there are none.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Sources of requirements.
    #[serde(default)]
    pub requirements: Vec<Requirements>,
    /// Which files are searched for tags.
    #[serde(default)]
    pub sources: Sources,
    /// Reports of tests: paths and globs.
    #[serde(default)]
    pub results: Vec<String>,
    /// What `trace check` asks for.
    #[serde(default)]
    pub check: Check,
    /// The matrix that is kept in the project.
    #[serde(default)]
    pub matrix: Page,
}

/// One source of requirements, or several by a glob.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    /// A path or a glob, from the project's top folder; a path may lead out of it.
    pub path: String,
    /// `auto`, `prefix`, `file`, or the specification's name.
    #[serde(default)]
    pub spec: Option<String>,
    /// Names of columns and keys.
    #[serde(default)]
    pub columns: ColumnNames,
}

impl Requirements {
    /// Where the specification's name comes from.
    pub fn spec(&self) -> Spec {
        match self.spec.as_deref() {
            None | Some("auto") => Spec::Auto,
            Some("prefix") => Spec::Prefix,
            Some("file") => Spec::File,
            Some(name) => Spec::Named(name.to_owned()),
        }
    }

    /// Names of columns and keys.
    pub fn columns(&self) -> Columns {
        let ColumnNames { id, text, spec, done } = self.columns.clone();
        Columns { id, text, spec, done }
    }
}

/// As in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnNames {
    /// The id.
    #[serde(default)]
    pub id: Option<String>,
    /// The text.
    #[serde(default)]
    pub text: Option<String>,
    /// The specification.
    #[serde(default)]
    pub spec: Option<String>,
    /// The box.
    #[serde(default)]
    pub done: Option<String>,
}

/// Which files are searched for tags.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Only these; all where there are none.
    #[serde(default)]
    pub include: Vec<String>,
    /// Not these.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// These are tests, too.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Longer files are passed over, bytes.
    #[serde(default)]
    pub file_bytes_max: Option<u64>,
}

/// What `trace check` asks for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// So many per cent are traced at least.
    #[serde(default)]
    pub min: Option<f64>,
    /// So many per cent are cited by tests at least.
    #[serde(default)]
    pub min_tested: Option<f64>,
    /// So many per cent pass at least.
    #[serde(default)]
    pub min_passing: Option<f64>,
    /// Kinds of findings that there must be none of.
    #[serde(default)]
    pub none: Vec<String>,
    /// It is told, and the exit code is 0.
    #[serde(default)]
    pub report_only: bool,
}

/// The matrix that is kept in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Where it is; [`MATRIX`] where nothing is said.
    #[serde(default)]
    pub path: Option<String>,
    /// Its heading.
    #[serde(default)]
    pub title: Option<String>,
    /// The texts of requirements stand in it, too.
    #[serde(default)]
    pub texts: Option<bool>,
}

/// Why the settings could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not TOML, or a key that is not known.
    #[error("`trace.toml` line {line}: {why}")]
    Broken {
        /// Where.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// A later format.
    #[error("`trace.toml` has version {found}, this build reads {VERSION}; update hostler or the file")]
    Version {
        /// As written.
        found: u32,
    },
    /// A pattern that is none.
    #[error("`trace.toml`: `{glob}` is no glob: {why}")]
    Glob {
        /// As written.
        glob: String,
        /// What is wrong.
        why: String,
    },
    /// A share that none or all of it reaches.
    #[error("`trace.toml`: `check.{name}` is {found}, which is not between 0 and 100")]
    Share {
        /// Its key.
        name: &'static str,
        /// As written.
        found: String,
    },
    /// A rule that does not exist.
    #[error("`trace.toml`: `check.none` names `{rule}`; there are {known}")]
    Rule {
        /// As written.
        rule: String,
        /// Those that exist.
        known: String,
    },
}

impl Settings {
    /// Reads a file. A word that is not known is an error: a gate with a typing mistake in it would check nothing.
    ///
    /// # Errors
    /// [`Error`] names the line or the word.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let settings: Self = toml::from_str(text).map_err(|error| Error::Broken {
            line: error.span().map_or(1, |it| 1 + text[..it.start.min(text.len())].matches('\n').count()),
            why: error.message().trim().replace('\n', " "),
        })?;
        if let Some(found) = settings.version.filter(|it| !(1..=VERSION).contains(it)) {
            return Err(Error::Version { found });
        }
        settings.check.rules()?;
        settings.check.shares()?;
        for globs in [&settings.sources.include, &settings.sources.exclude, &settings.sources.tests] {
            globs_of(globs)?;
        }
        Ok(settings)
    }
}

impl Check {
    /// The kinds of findings that there must be none of.
    ///
    /// # Errors
    /// [`Error::Rule`] for a name that is not known.
    pub fn rules(&self) -> Result<Vec<Rule>, Error> {
        let known = || Rule::ALL.iter().map(|it| format!("`{}`", it.id())).collect::<Vec<_>>().join(", ");
        self.none
            .iter()
            .map(|name| {
                let found = Rule::ALL.into_iter().find(|it| it.id() == name);
                found.ok_or_else(|| Error::Rule { rule: name.clone(), known: known() })
            })
            .collect()
    }

    fn shares(&self) -> Result<(), Error> {
        let all = [("min", self.min), ("min_tested", self.min_tested), ("min_passing", self.min_passing)];
        match all.into_iter().find(|it| it.1.is_some_and(|share| !(0.0..=100.0).contains(&share))) {
            Some((name, Some(share))) => Err(Error::Share { name, found: share.to_string() }),
            _ => Ok(()),
        }
    }

    /// Nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.min.is_none() && self.min_tested.is_none() && self.min_passing.is_none() && self.none.is_empty()
    }
}

/// Globs over paths with `/` from the top folder, as git has them in what it ignores: a pattern without a `/` but at its
/// end matches a name in any folder, others begin at the top folder; with a folder everything in it matches.
///
/// # Errors
/// [`Error::Glob`] for the first one that is none.
pub fn globs_of(globs: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let whole = glob.trim_start_matches("./").trim_end_matches('/');
        let whole = match whole.strip_prefix('/') {
            Some(anchored) => anchored.to_owned(),
            None if whole.contains('/') => whole.to_owned(),
            None => format!("**/{whole}"),
        };
        if !glob.ends_with('/') {
            set.add(one(glob, &whole)?);
        }
        set.add(one(glob, &format!("{whole}/**"))?);
    }
    set.build().map_err(|error| wrong("", &error))
}

/// A glob over files below a folder; `*` stands for no `/`.
///
/// # Errors
/// [`Error::Glob`].
pub fn glob_of(glob: &str) -> Result<GlobMatcher, Error> {
    one(glob, glob).map(|it| it.compile_matcher())
}

fn one(glob: &str, whole: &str) -> Result<Glob, Error> {
    GlobBuilder::new(whole).literal_separator(true).build().map_err(|error| wrong(glob, &error))
}

fn wrong(glob: &str, error: &globset::Error) -> Error {
    Error::Glob { glob: glob.to_owned(), why: error.kind().to_string() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn everything_that_can_be_set_is_read() {
        let text = "version = 1\nids = ['REQ-\\d+']\nresults = ['target/*.xml']\n[[requirements]]\npath = 'r.tsv'\nspec = 'prefix'\n\
                    columns = { spec = 'area' }\n[[requirements]]\npath = 'specs/*/spec.md'\n[sources]\nexclude = ['vendor/', '*.gen.rs']\n\
                    [check]\nmin = 80\nnone = ['unknown-id']\nreport_only = true\n[matrix]\npath = 'docs/rtm.md'\ntexts = false\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!(settings.requirements[0].spec(), Spec::Prefix);
        assert_eq!(settings.requirements[0].columns().spec.as_deref(), Some("area"));
        assert_eq!(settings.requirements[1].spec(), Spec::Auto);
        assert_eq!(
            (settings.check.min, settings.check.rules().unwrap()),
            (Some(80.0), vec![Rule::UnknownId])
        );
        let globs = globs_of(&settings.sources.exclude).unwrap();
        assert!(
            globs.is_match("vendor/a/b.rs")
                && globs.is_match("src/x.gen.rs")
                && !globs.is_match("src/vendor.rs")
        );
        assert!(Settings::parse("").unwrap().check.is_empty());
    }

    #[test]
    fn globs_are_those_of_git() {
        #[rustfmt::skip]
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("src", &["src/a.rs", "src/deep/a.rs", "lib/src/a.rs", "src"], &["srcs/a.rs", "a/src.rs"]),
            ("src/", &["src/a.rs", "lib/src/a.rs"], &["src", "lib/src"]),
            ("/a.py", &["a.py"], &["src/a.py"]),
            ("./a.py", &["a.py"], &[]),
            ("/src/", &["src/a.rs"], &["lib/src/a.rs"]),
            ("lib/src", &["lib/src/a.rs"], &["x/lib/src/a.rs"]),
            ("*.gen.rs", &["a.gen.rs", "src/deep/a.gen.rs"], &["a.rs"]),
            ("src/*.rs", &["src/a.rs"], &["src/deep/a.rs"]),
            ("src/**/*.rs", &["src/a.rs", "src/deep/er/a.rs"], &["src/a.py"]),
            ("src/*", &["src/a.rs", "src/deep/a.rs"], &["lib/a.rs"]),
        ];
        for (glob, matched, others) in rows {
            let set = globs_of(&[(*glob).to_owned()]).unwrap();
            assert!(matched.iter().all(|it| set.is_match(it)), "{glob}");
            assert!(!others.iter().any(|it| set.is_match(it)), "{glob}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, said) in [
            ("version = 1\n[chek]\nmin = 1\n", "line 2: unknown field `chek`"),
            ("version = 9\n", "has version 9"),
            ("[check]\nnone = ['unknown']\n", "there are `unknown-id`, "),
            ("[sources]\nexclude = ['a[']\n", "`a[` is no glob"),
            ("ids = [\n", "line "),
            ("[check]\nmin = -5\n", "`check.min` is -5, which is not between 0 and 100"),
            ("[check]\nmin_tested = 150\n", "`check.min_tested` is 150"),
            ("[check]\nmin_passing = nan\n", "`check.min_passing` is NaN"),
        ] {
            let error = Settings::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
