//! "Up to date", "no changes", "nothing outdated": what a program says when there is nothing to do.

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::Language;
use super::super::text::Text;
use super::{Reading, Told, objects};

/// What is said to be current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Current {
    /// A branch and its remote or base.
    Branch,
    /// What was generated, as `git diff` sees it.
    Generated,
    /// Infrastructure, as a plan sees it.
    Plan,
    /// Packages.
    Packages,
}

const FRESH: &[&str] = &["up to date", "in sync", "level with", "even with", "up-to-date"];

/// The state that a clause tells.
pub(super) fn read(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    if language.code != "en" || clause.conditional_from.is_some() || clause.before_arrow {
        return None;
    }
    // A program may stand there as code.
    let norm = super::joined(&super::clause::tokens(&text.restore(&clause.text).to_lowercase()));
    let has = |words: &[&str]| words.iter().any(|word| norm.contains(&format!(" {word} ")));
    let fresh = has(FRESH);
    let current = if fresh && has(&["branch", "main", "master", "develop", "origin/main", "origin/master"]) {
        Current::Branch
    } else if fresh && has(&["generated", "codegen", "stubs", "snapshot", "snapshots"]) {
        Current::Generated
    } else if has(&["no changes", "nothing to change"]) && has(&["terraform", "tofu", "plan", "pulumi"]) {
        Current::Plan
    } else if has(&["no outdated", "nothing outdated", "nothing is outdated"]) {
        Current::Packages
    } else {
        return None;
    };
    if contains(&norm, language, language.modal) || has(&["not", "isn't", "aren't", "no longer"]) {
        return None;
    }
    Some(Reading {
        act: Act::Run,
        text: text.restore(&clause.text),
        pattern: "en/current".to_owned(),
        objects: objects::objects(text, clause, 0, clause.tokens.len()),
        nouns: Vec::new(),
        count: None,
        whole: false,
        venue: None,
        result: Some(Told { current: Some(current), ..Told::default() }),
        said: false,
        passive: false,
        by_subagent: false,
        words: clause.tokens.clone(),
        verb: String::new(),
    })
}
