//! `cargo xtask rag commits`: what a commit says it does, asked for the files that it changed.
//!
//! A second yardstick, over histories that nobody wrote for it. The index is of the newest commit, and what counts is which of
//! a commit's files are still there: an index at each commit's parent would be fairer and cost one index a question. Both
//! programs see the same tree. A question is the subject of a commit without its number.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use super::Options;
use super::contender::Contender;
use super::score::{DEPTH, Measures, at, file_rank};

/// Source files that a commit changes, and words of its subject.
const FILES_MAX: usize = 5;
const WORDS_MIN: usize = 5;
/// Hits asked for.
const ASKED: u64 = 50;
/// Names of source files end in these.
const SOURCE: &[&str] = &[
    "py", "pyi", "ts", "tsx", "js", "jsx", "mjs", "rs", "go", "java", "c", "h", "cc", "cpp", "hpp", "cs",
    "rb", "php", "kt", "swift", "scala", "sh",
];
/// What a subject of no content begins with.
const EMPTY: &[&str] = &["merge", "revert", "bump", "release", "prepare", "chore(release)", "build(deps"];

struct Question {
    subject: String,
    files: BTreeSet<String>,
}

/// Runs the task; nothing is gated, since a history has no floor.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let most = usize::try_from(options.number("--commits", 300)?)?;
    let repositories = options.rest();
    ensure!(!repositories.is_empty(), "no repository\n{}", super::USAGE);
    crate::tell(
        "| repository | program | commits | MRR@10 | nDCG@10 | R@1 | R@5 | R@10 | files found in ten | p50 ms |",
    );
    crate::tell("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for repository in repositories {
        let folder = match options.path("--folder") {
            Some(folder) => tempfile::tempdir_in(folder)?,
            None => tempfile::tempdir()?,
        };
        let tree = folder.path().join("tree");
        check_out(Path::new(repository), &tree)?;
        let questions = questions(Path::new(repository), &tree, most)?;
        ensure!(!questions.is_empty(), "no commit of `{repository}` makes a question");
        for contender in options.source(folder.path())?.into_iter().chain([options.ours(folder.path())?]) {
            contender.index(&tree)?;
            crate::tell(&format!("| {} | {}", name(repository), answer(&contender, &questions)?));
        }
    }
    Ok(true)
}

/// What people call a repository: the last part of its path that is not a name of git's.
fn name(repository: &str) -> String {
    let path = fs::canonicalize(repository).unwrap_or_else(|_| PathBuf::from(repository));
    let parts = path.iter().rev().map(|it| it.to_string_lossy().into_owned());
    parts.into_iter().find(|it| it != ".git" && it != "repo").unwrap_or_default()
}

fn git(repository: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).args(arguments).stdin(Stdio::null());
    command
}

/// The newest commit's files.
fn check_out(repository: &Path, tree: &Path) -> anyhow::Result<()> {
    fs::create_dir(tree)?;
    let mut archive = git(repository, &["archive", "HEAD"]).stdout(Stdio::piped()).spawn()?;
    let stdout = archive.stdout.take().context("stdout is a pipe")?;
    let unpacked = Command::new("tar").args(["xf", "-", "-C"]).arg(tree).stdin(stdout).status()?;
    let archived = archive.wait()?;
    ensure!(archived.success() && unpacked.success(), "no files of `{}`", repository.display());
    Ok(())
}

/// The newest commits that make a question.
fn questions(repository: &Path, tree: &Path, most: usize) -> anyhow::Result<Vec<Question>> {
    let log = git(
        repository,
        &[
            "-c",
            "core.quotePath=false",
            "log",
            "--no-merges",
            "--no-renames",
            "--name-only",
            "--format=%x01%s",
            "HEAD",
        ],
    );
    let output = { log }.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    let text = String::from_utf8_lossy(&output.stdout);
    let there = |path: &str| tree.join(path).is_file();
    Ok(text.split('\u{1}').filter_map(|it| question(it, there)).take(most).collect())
}

/// The question that a commit makes: its subject and a line for each file.
fn question(commit: &str, there: impl Fn(&str) -> bool) -> Option<Question> {
    let (subject, files) = commit.split_once('\n')?;
    let files: Vec<&str> = files
        .lines()
        .filter(|it| {
            Path::new(it).extension().and_then(|it| it.to_str()).is_some_and(|it| SOURCE.contains(&it))
        })
        .collect();
    let lower = subject.to_ascii_lowercase();
    if files.is_empty() || FILES_MAX < files.len() || EMPTY.iter().any(|it| lower.starts_with(it)) {
        return None;
    }
    let words: Vec<&str> = subject.split_whitespace().filter(|it| !is_number(it)).collect();
    let files: BTreeSet<String> = files.into_iter().filter(|it| there(it)).map(str::to_owned).collect();
    (WORDS_MIN <= words.len() && !files.is_empty()).then(|| Question { subject: words.join(" "), files })
}

/// A number of an issue or a change: `#12`, `(#12)`.
fn is_number(word: &str) -> bool {
    let inner = word.trim_matches(|it: char| "()[]:,.".contains(it));
    inner.strip_prefix('#').is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
}

/// The rest of a row.
fn answer(contender: &Contender, questions: &[Question]) -> anyhow::Result<String> {
    let mut measures = Measures::default();
    let mut times_ms = Vec::new();
    let (mut found, mut all) = (0, 0);
    let mut session = contender.serve()?;
    for question in questions {
        let (hits, took_ms) = session.search(&question.subject, ASKED)?;
        measures.add(file_rank(&hits, |path| question.files.contains(path)));
        let mut seen = BTreeSet::new();
        let first = hits.iter().filter(|it| seen.insert(&it.path)).take(DEPTH);
        found += first.filter(|it| question.files.contains(&it.path)).count();
        all += question.files.len();
        times_ms.push(took_ms);
    }
    session.close()?;
    Ok(format!(
        "{} | {} | {} | {found} of {all} | {:.1} |",
        contender.name,
        questions.len(),
        measures.row(),
        at(&times_ms, 0.5)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(commit: &str, expected: Option<(&str, &[&str])>) {
        let made = question(commit, |path| path != "src/gone.rs");
        let made = made.map(|it| (it.subject, it.files.into_iter().collect::<Vec<_>>()));
        let expected = expected.map(|(subject, files)| {
            (subject.to_owned(), files.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(made, expected, "{commit}");
    }

    #[test]
    fn a_commit_with_a_few_source_files_and_a_telling_subject_makes_a_question() {
        check(
            "Fix the reader of long lines (#123)\n\nsrc/read.rs\nCHANGELOG.md\n",
            Some(("Fix the reader of long lines", &["src/read.rs"])),
        );
        check(
            "#12: the reader takes long lines\n\nsrc/read.rs\nsrc/gone.rs\n",
            Some(("the reader takes long lines", &["src/read.rs"])),
        );
    }

    #[test]
    fn others_make_none() {
        check("Fix the reader (#123)\n\nsrc/read.rs\n", None);
        check("Explain how long lines are read\n\nREADME.md\n", None);
        check("Fix the reader of long lines\n\nsrc/gone.rs\n", None);
        check("Revert \"the reader takes long lines\"\n\nsrc/read.rs\n", None);
        check("Rename a type that everything uses\n\na.rs\nb.rs\nc.rs\nd.rs\ne.rs\nf.rs\n", None);
        check("", None);
    }
}
