//! `cargo xtask rag …`: what retrieval costs and finds, next to the server that it takes the place of.
//!
//! That server is no part of this repository: `--source FOLDER` names where its `server.js` is. It runs in the `node` of the
//! path, or in `--node PROGRAM`.

mod commits;
mod contender;
mod million;
mod parallel;
mod quality;
mod score;
mod sides;

use std::path::{Path, PathBuf};

use anyhow::Context;

use self::contender::Contender;

const USAGE: &str =
    "usage: cargo xtask rag sides --source FOLDER --tree FOLDER [--baseline FILE] [--queries FILE] [--rounds N]
       cargo xtask rag quality --corpus FOLDER --queries FILE [--source FOLDER] [--hits FILE] [--gate]
       cargo xtask rag commits [--source FOLDER] [--commits N] [--folder FOLDER] REPOSITORY...
       cargo xtask rag parallel --tree FOLDER [--sessions N]
       cargo xtask rag million [--files N] [--folder FOLDER]
each takes [--program FILE], a built `hostler`, and [--node FILE]";

/// Runs one of the measurements: `true` when its limits hold.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    match arguments.split_first() {
        Some((task, rest)) if task == contender::TIMED => contender::time_one(rest),
        Some((task, rest)) if task == "sides" => sides::run(&Options(rest)),
        Some((task, rest)) if task == "quality" => quality::run(&Options(rest)),
        Some((task, rest)) if task == "commits" => commits::run(&Options(rest)),
        Some((task, rest)) if task == "parallel" => parallel::run(&Options(rest)),
        Some((task, rest)) if task == "million" => million::run(&Options(rest)),
        _ => Err(anyhow::anyhow!("{USAGE}")),
    }
}

/// The options of a measurement, each a name and a value but for the flags.
struct Options<'a>(&'a [String]);

/// Options that take no value.
const FLAGS: &[&str] = &["--gate"];

impl Options<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|it| it == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    fn needed(&self, name: &str) -> anyhow::Result<PathBuf> {
        self.path(name).with_context(|| format!("`{name}` is missing\n{USAGE}"))
    }

    fn number(&self, name: &str, fallback: u64) -> anyhow::Result<u64> {
        crate::number(self.0, name, fallback)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.iter().any(|it| it == name)
    }

    /// What stands there without a name.
    fn rest(&self) -> Vec<&str> {
        let mut rest = Vec::new();
        let mut words = self.0.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                rest.push(word);
            } else if !FLAGS.contains(&word) {
                words.next();
            }
        }
        rest
    }

    /// Our program as users get it.
    fn ours(&self, folder: &Path) -> anyhow::Result<Contender> {
        let program = match self.path("--program") {
            Some(program) => program.canonicalize().context("`--program` names no file")?,
            None => crate::program(true)?,
        };
        Ok(Contender::new("hostler", vec![program.into(), "rag".into()], folder))
    }

    /// The source's server, where `--source` names its folder.
    fn source(&self, folder: &Path) -> anyhow::Result<Option<Contender>> {
        let Some(source) = self.path("--source") else { return Ok(None) };
        let script = source.join("server.js").canonicalize();
        let script = script.with_context(|| format!("no `server.js` in `{}`", source.display()))?;
        let node = self.path("--node").unwrap_or_else(|| "node".into());
        Ok(Some(Contender::new("source", vec![node.into(), script.into()], folder)))
    }
}
