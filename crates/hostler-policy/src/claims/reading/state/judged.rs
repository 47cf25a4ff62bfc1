//! What tests and linters are said to have found, in forms that tell no passing.

use super::super::super::act::Act;
use super::super::super::clause::{Clause, contains};
use super::super::super::language::{LANGUAGES, Language};
use super::super::objects;
use super::super::result::is_whole;
use super::Stated;

/// `241 specs, 0 failures`; `two tests fail`; `(101)` behind "the suite passes".
pub(super) fn tests(
    clause: &Clause,
    before: Option<&Clause>,
    behind: Option<&Clause>,
    language: &Language,
) -> Option<Stated> {
    const TESTS: &[&str] = &["specs", "examples", "tests", "scenarios"];
    let token = |at: usize| clause.tokens.get(at).map_or("", String::as_str);
    let number = |at: usize| objects::number(token(at), language);
    let whole = || {
        let (part, all) = token(0).split_once('/')?;
        (part == all).then(|| part.parse::<u64>().ok()).flatten()
    };
    if clause.bracketed
        && clause.tokens.len() <= 2
        && let Some(count) = number(0).or_else(whole)
        && (clause.tokens.len() == 1 || TESTS.contains(&token(1)))
        && let Some(before) = before
    {
        let names = language.judges.iter().find(|(act, _)| *act == Act::Test)?.1;
        let mut norm = before.norm();
        // "The suite (101 tests) passes"
        if !contains(&norm, language, language.pass)
            && let Some(behind) = behind.filter(|it| it.tokens.len() <= 3)
        {
            norm.push_str(&behind.norm());
        }
        let told = contains(&norm, language, names)
            && contains(&norm, language, language.pass)
            && !contains(&norm, language, language.fail)
            && !contains(&norm, language, language.modal)
            && !contains(&norm, language, language.negation)
            && before.conditional_from.is_none()
            && !before.tokens.iter().any(|token| token.bytes().any(|byte| byte.is_ascii_digit()));
        return (told && clause.tokens[0].bytes().next().is_some_and(|byte| byte.is_ascii_digit()))
            .then_some(Stated::Tests(Some(count), None));
    }
    for at in 0..clause.tokens.len() {
        let one = || (token(at) == "one" && token(at + 1) == "test").then_some(1);
        let Some(count) = number(at).or_else(one) else { continue };
        let apart = |it| matches!(token(it), "of" | "new" | "other" | "more" | "another");
        if is_whole(&clause.tokens, at) || at.checked_sub(1).is_some_and(apart) {
            continue;
        }
        let ends = |at: usize| matches!(token(at), "" | "," | "now" | "and" | "left" | "remain");
        // "two failing tests", "2 failures left"
        let failing =
            matches!(token(at + 1), "failing" | "failed") && TESTS.contains(&token(at + 2)) && ends(at + 3)
                || token(at + 1) == "test" && token(at + 2) == "failures" && ends(at + 3)
                || token(at + 1) == "failures" && matches!(token(at + 2), "left" | "remain");
        if failing && !matches!(token(at), "0" | "zero") {
            return Some(Stated::Tests(None, Some(count)));
        }
        // "two of the tests are failing"
        let of = if token(at + 1) == "of" && token(at + 2) == "the" { at + 3 } else { at + 1 };
        let singular = token(of) == "test" && (count == 1 || token(at) == "one");
        if !TESTS.contains(&token(of)) && !singular {
            continue;
        }
        let mut next = of + 1;
        while matches!(token(next), "," | "and" | "are" | "still" | "now" | "with" | "is") {
            next += 1;
        }
        if matches!(token(next), "fail" | "fails" | "failing" | "failed") && token(of + 1) != "," {
            return ends(next + 1).then_some(Stated::Tests(None, Some(count)));
        }
        if of == at + 1
            && let Some(failed) = number(next).or_else(|| (token(next) == "no").then_some(0))
            && matches!(token(next + 1), "failures" | "failure" | "failed")
        {
            return Some(Stated::Tests(Some(count), Some(failed)));
        }
    }
    None
}

/// "`ESLint` reports nothing"; "o lint terminou sem avisos". The judge that is meant, and whether errors are as well.
pub(super) fn spotless(clause: &Clause, language: &Language) -> Option<(Act, bool)> {
    const NOTHING: &[&str] = &[
        " reports nothing ",
        " finds nothing ",
        " found nothing ",
        " is silent ",
        " has no complaints ",
        " has nothing to report ",
        " has nothing to complain about ",
        " complains about nothing ",
    ];
    const WARNINGS: &[&str] = &[
        "sem avisos",
        "sem warnings",
        "sin advertencias",
        "sin avisos",
        "ohne warnungen",
        "keine warnungen",
        "sans avertissement",
        "sans avertissements",
        "没有警告",
        "无警告",
        "警告なし",
        "경고 없이",
    ];
    let judges = [Act::Lint, Act::Typecheck, Act::Build];
    // A message of a few words may not tell its language.
    let cue = !language.spaced
        || clause.tokens.iter().any(|token| {
            matches!(
                token.as_str(),
                "nothing" | "silent" | "complaints" | "sem" | "sin" | "ohne" | "keine" | "sans"
            )
        });
    if !cue {
        return None;
    }
    let norm = if language.spaced { clause.norm() } else { clause.text.to_lowercase() };
    let says = |forms: &[&str]| {
        forms.iter().any(|form| {
            norm.split_once(form).is_some_and(|(_, rest)| {
                let next = rest.split_whitespace().next().unwrap_or_default();
                !matches!(
                    next,
                    "new" | "else" | "but" | "except" | "serious" | "of" | "that" | "critical" | "major"
                )
            })
        })
    };
    let all = says(NOTHING);
    if !all && !says(WARNINGS) {
        return None;
    }
    if contains(&norm, language, language.modal) {
        return None;
    }
    let wide = format!("{}{norm}", clause.label.as_deref().unwrap_or_default());
    let names = |act: &Act| {
        let own = language.judges.iter().chain(LANGUAGES[0].judges);
        own.filter(|(it, _)| it == act).any(|(_, names)| contains(&wide, language, names))
    };
    let act = judges.into_iter().find(names)?;
    Some((act, all))
}
