//! Results that are told: tests that pass, counts, coverage.

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::{LANGUAGES, Language, Venue};
use super::super::phrases;
use super::super::text::{Span, Text};
use super::{Reading, Told, joined, objects};

/// Not everything passed.
const EXCEPTIONS: &[&str] = &[
    " apart from ",
    " except ",
    " except for ",
    " other than ",
    " aside from ",
    " besides ",
    " with the exception ",
    " but for ",
    " bar ",
];

/// "mypy reports no issues": the program that was run is quoted, which is a result.
pub(super) fn program_says(clause: &Clause, language: &Language) -> bool {
    let first = clause.tokens.first().map(String::as_str).unwrap_or_default();
    let says = ["reports", "reported", "says", "shows that"];
    let asked = ["terraform", "tofu", "git", "npm", "docker", "kubectl", "pip-audit", "helm"];
    (PROGRAMS.contains(&first) || asked.contains(&first)) && contains(&clause.norm(), language, &says)
}

/// The acts whose failure a clause tells.
pub(super) fn failures(clause: &Clause, language: &Language) -> Vec<Act> {
    let norm = norm(clause, language);
    if !contains(&norm, language, language.fail) {
        return Vec::new();
    }
    let negated = (contains(&norm, language, language.negation)
        || norm.contains(" 0 ")
        || norm.contains(" zero "))
        && !contains(&norm, language, &["not pass", "not working", "do not", "does not", "don't", "doesn't"]);
    if negated {
        return Vec::new();
    }
    language
        .judges
        .iter()
        .filter(|(_, names)| contains(&norm, language, names))
        .map(|(act, _)| *act)
        .collect()
}

fn norm(clause: &Clause, language: &Language) -> String {
    if language.spaced {
        clause.norm()
    } else {
        clause.text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("")
    }
}

/// The results that a clause tells.
pub(super) fn read(
    text: &Text,
    clause: &Clause,
    clauses: &[Clause],
    number: usize,
    language: &Language,
) -> Vec<Reading> {
    if clause.before_arrow || clause.conditional_from.is_some() {
        return Vec::new();
    }
    let expanded = expanded(text, clause);
    let clause = &expanded;
    let norm = norm(clause, language);
    if EXCEPTIONS.iter().any(|except| norm.contains(except)) {
        return Vec::new();
    }
    let digits = norm.bytes().any(|b| b.is_ascii_digit());
    if !digits && pass(&norm, language).is_none() && !contains(&norm, language, language.faults) {
        return Vec::new();
    }
    let counts = counts(&clause.tokens, language);
    let coverage = coverage(&clause.tokens, &norm, language);
    // A remark in brackets or after a dash belongs to what stands before it.
    let context = |norm: &str| -> String {
        let label = clause.label.as_deref().unwrap_or_default();
        let before = (clause.bracketed || clause.tokens.len() <= 4)
            .then(|| {
                number.checked_sub(1).and_then(|it| clauses.get(it)).map(super::super::clause::Clause::norm)
            })
            .flatten()
            .unwrap_or_default();
        format!("{before}{label}{norm}")
    };
    let pass_at = pass(&norm, language);
    // "The test passes, as it should": what follows the predicate does not take it back.
    let stated = pass_at
        .filter(|at| language.spaced && 1 < *at)
        .map_or_else(|| norm.clone(), |at| norm[..at].to_owned());
    if contains(&stated, language, language.modal)
        || (contains(&norm, language, language.others) && counts.is_none())
    {
        return Vec::new();
    }
    let mut out = Vec::new();
    if let Some(coverage) = coverage {
        let told = Told { coverage_percent: Some(coverage), ..Told::default() };
        out.push(reading(text, clause, language, Act::Test, told, "coverage", &norm));
    }
    let fails = contains(&norm, language, language.fail) && !fault_free(&norm, language);
    if let Some(mut told) = counts {
        let wide = context(&norm);
        let tests =
            contains(&wide, language, judge_names(language, Act::Test)) || told.tests_passed.is_some();
        if tests {
            let all = told.tests_total.is_none_or(|total| told.tests_passed == Some(total));
            told.passed = pass_at.is_some() && !fails && told.tests_failed.unwrap_or(0) == 0 && all;

            told.programs = programs(&wide);
            out.push(reading(text, clause, language, Act::Test, told, "counts", &norm));
            return out;
        }
    }
    if let Some(told) = problems(&clause.tokens) {
        let label = clause.label.clone().unwrap_or_default();
        let wide = format!("{label}{norm}");
        let act = [Act::Lint, Act::Typecheck, Act::Build]
            .into_iter()
            .find(|act| contains(&wide, language, judge_names(language, *act)));
        if let Some(act) = act {
            let passed = told.errors.is_none_or(|it| it == 0) && told.warnings.is_none_or(|it| it == 0);
            let told = Told { programs: programs(&wide), passed, ..told };
            out.push(reading(text, clause, language, act, told, "problems", &norm));
            return out;
        }
    }
    let pass_at =
        pass_at.or_else(|| (language.code == "en" && fault_free(&norm, language)).then_some(norm.len()));
    if pass_at.is_none() || (fails && !mended(&norm, language, pass_at.unwrap_or(0))) {
        return out;
    }
    if negated(&norm, language, pass_at.unwrap_or(0)) {
        return out;
    }
    let label = clause.label.clone().unwrap_or_default();
    let own = subjects(&norm, language, pass_at.unwrap_or(0));
    let mut acts = own;
    if language.code == "en" && contains(&norm, language, &["compile", "compiles", "compiled"]) {
        acts = vec![Act::Build];
    }
    if acts.is_empty() && !label.is_empty() && clause.tokens.len() <= 6 {
        acts = language
            .judges
            .iter()
            .filter(|(_, names)| contains(&label, language, names))
            .map(|(act, _)| *act)
            .collect();
    }
    if acts.is_empty() && (clause.bracketed || clause.tokens.len() <= 3) {
        // "Ran `ruff check` and `pytest` – both clean".
        let before = number.checked_sub(1).and_then(|it| clauses.get(it));
        if let Some(before) = before {
            let restored = text.restore(&before.text).to_lowercase();
            let wide = joined(&super::super::clause::tokens(&restored));
            acts = language
                .judges
                .iter()
                .filter(|(_, names)| contains(&wide, language, names))
                .map(|(act, _)| *act)
                .collect();
            let told = Told { passed: true, programs: programs(&wide), ..Told::default() };
            return acts
                .into_iter()
                .map(|act| reading(text, clause, language, act, told.clone(), "pass", &norm))
                .collect();
        }
    }
    let restored = joined(&super::super::clause::tokens(&text.restore(&clause.text).to_lowercase()));
    let venue =
        objects::venue(&if language.spaced { clause.sentence.clone() } else { norm.clone() }, language);
    let all = ["all green", "everything passes", "everything is green", "all checks pass"];
    let green = venue == Some(Venue::Integration)
        && clause.tokens.len() <= 6
        && contains(
            &norm,
            language,
            &["pass", "passes", "passed", "passing", "green", "succeeded", "succeeds"],
        );
    if acts.is_empty() && (green || contains(&norm, language, &all)) {
        let told = Told { passed: true, any: true, ..Told::default() };
        out.push(reading(text, clause, language, Act::Test, told, "green", &norm));
    }
    for act in acts {
        let told = Told {
            passed: true,
            programs: programs(&restored),
            units: units(&clause.tokens, language),
            ..Told::default()
        };
        out.push(reading(text, clause, language, act, told, "pass", &norm));
    }
    out
}

/// `[x] unit tests`: a judge alone that is ticked off passed.
pub(super) fn ticked(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    let plain = ["unit", "integration", "all", "the", "check", "e2e", "checks", "run"];
    let norm = norm(clause, language);
    let act = Act::Test;
    let names = judge_names(language, act);
    if !contains(&norm, language, &["tests", "test suite"]) {
        return None;
    }
    let only =
        clause.tokens.iter().all(|token| names.contains(&token.as_str()) || plain.contains(&token.as_str()));
    let told = Told { passed: true, programs: programs(&norm), ..Told::default() };
    (only && clause.tokens.len() <= 3).then(|| reading(text, clause, language, act, told, "ticked", &norm))
}

/// `| E2E | ✅ |`: the first cell names a judge and nothing else.
pub(super) fn ticked_row(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    const LAYERS: &[&str] = &["unit", "e2e", "integration", "smoke", "end-to-end"];
    let layer = clause.tokens.first().is_some_and(|token| LAYERS.contains(&token.as_str()));
    let rest = if layer { &clause.tokens[1..] } else { &clause.tokens[..] };
    let act = match rest {
        [] if layer => Act::Test,
        [word] => match word.as_str() {
            "tests" | "test" | "suite" => Act::Test,
            "lint" | "linting" if !layer => Act::Lint,
            "types" | "typecheck" if !layer => Act::Typecheck,
            "build" if !layer => Act::Build,
            _ => return None,
        },
        _ => return None,
    };
    let told = Told { passed: true, ..Told::default() };
    let mut reading = reading(text, clause, language, act, told, "ticked", &clause.norm());
    if layer && rest.is_empty() {
        reading.words.push("tests".to_owned());
    }
    Some(reading)
}

/// The clause with judging programs that stand there as code put back as words: "`cargo test` is green".
fn expanded(text: &Text, clause: &Clause) -> Clause {
    let mut tokens = Vec::with_capacity(clause.tokens.len());
    for token in &clause.tokens {
        let code = token.chars().next().and_then(|c| text.span(c)).and_then(|span| match span {
            Span::Code(code) => Some(code),
            Span::Quote(_) => None,
        });
        let words = code.map(|code| super::super::clause::tokens(code)).unwrap_or_default();
        let program = joined(&words);
        if words.len() <= 8 && names_program(&program) {
            tokens.extend(words);
        } else {
            tokens.push(token.clone());
        }
    }
    Clause { tokens, ..clause.clone() }
}

fn reading(
    text: &Text,
    clause: &Clause,
    language: &Language,
    act: Act,
    told: Told,
    pattern: &str,
    norm: &str,
) -> Reading {
    Reading {
        act,
        text: text.restore(&clause.text),
        pattern: format!("{}/{pattern}", language.code),
        objects: objects::objects(text, clause, 0, clause.tokens.len()),
        nouns: objects::nouns(norm, language),
        count: None,
        whole: contains(norm, language, language.all),
        venue: objects::venue(
            &if language.spaced { clause.sentence.clone() } else { norm.to_owned() },
            language,
        ),
        result: Some(told),
        said: false,
        passive: false,
        by_subagent: false,
        words: clause.tokens.clone(),
        verb: String::new(),
    }
}

fn judge_names(language: &Language, act: Act) -> &'static [&'static str] {
    language.judges.iter().find(|(it, _)| *it == act).map_or(&[], |(_, names)| names)
}

/// Where a word of passing stands.
fn pass(norm: &str, language: &Language) -> Option<usize> {
    let mut last = None;
    phrases::each(norm, language, language.pass, |at, length| {
        let word = &norm[at..at + length];
        let next = norm[at + length..].split_whitespace().next();
        if !PREDICATES.contains(&word) || next.is_none_or(|it| NOT_OBJECTS.contains(&it)) {
            last = last.max(Some(at));
        }
        false
    });
    last
}

/// Verbs that have an object as a rule: without one they say that it works.
const PREDICATES: &[&str] = &["builds", "compiles", "compile", "type-checks", "typechecks", "passes", "pass"];
/// What may stand behind them then.
const NOT_OBJECTS: &[&str] = &[
    ",",
    "and",
    "again",
    "now",
    "too",
    "cleanly",
    "fine",
    "successfully",
    "without",
    "with",
    "on",
    "in",
    "as",
    "after",
    "for",
    "locally",
    "correctly",
    "but",
    "so",
    "everywhere",
    "under",
    "at",
    "out",
    "both",
    "all",
    "here",
    "then",
    "because",
    "when",
    "since",
    "before",
    "across",
    "consistently",
    "against",
    "first",
    "including",
    "except",
    "reliably",
    "through",
    "by",
    "there",
    "once",
    "if",
    "100%",
    "ok",
    "just",
    "lint",
    "tests",
    "build",
    "typecheck",
    "or",
    "from",
    "throughout",
    "also",
    "twice",
    "within",
];

/// Verbs that say that a fault is gone.
const MENDING: &[&str] = &["en/fixed", "de/behoben", "fr/corrigé", "es/corregido", "pt/corrigido"];
/// Words that say that not all of it is.
const LEFT: &[&str] = &[
    "still",
    "remaining",
    "most",
    "some",
    "noch",
    "einige",
    "encore",
    "certains",
    "todavía",
    "aún",
    "algunos",
    "ainda",
    "alguns",
];

/// `Fixed the error and all tests pass`: the fault that is named before the predicate is told to be gone.
fn mended(norm: &str, language: &Language, pass_at: usize) -> bool {
    let other: Vec<&str> =
        language.fail.iter().filter(|it| !language.faults.contains(*it)).copied().collect();
    let mends = |verb: &&super::super::language::Verb| MENDING.contains(&verb.id);
    language.spaced
        && !contains(norm, language, &other)
        && !contains(norm, language, LEFT)
        && !contains(&norm[pass_at..], language, language.faults)
        && language.verbs.iter().filter(mends).any(|verb| contains(&norm[..pass_at], language, verb.done))
}

/// `no errors`, `0 failures`: all is well.
fn fault_free(norm: &str, language: &Language) -> bool {
    if !language.spaced {
        // Its phrases have the negation in them.
        return contains(norm, language, language.faults);
    }
    let negators = [
        "0", "zero", "no", "without", "any", "kein", "keine", "ohne", "sin", "sans", "aucune", "aucun",
        "sem", "nenhum", "ningún", "cero",
    ];
    let mut free = false;
    phrases::each(norm, language, language.faults, |at, _| {
        free = norm[..at].split_whitespace().rev().take(3).any(|word| negators.contains(&word));
        free
    });
    free
}

/// The judges that a word of passing is said of: those before it in the clause, or right behind it
/// (`passing tests`).
fn subjects(norm: &str, language: &Language, pass_at: usize) -> Vec<Act> {
    let mut out: Vec<(usize, Act)> = Vec::new();
    for (act, names) in language.judges {
        let at = phrases::first(norm, language, names).map(|(at, _)| at);
        if let Some(at) = at {
            let behind = pass_at < at;
            // "Pasan las 48 pruebas": in other languages the verb may come first.
            let far = if language.code == "en" { 12 } else { 24 };
            if !language.spaced || !behind || at - pass_at <= far {
                out.push((at, *act));
            }
        }
    }
    out.sort_unstable();
    out.into_iter().map(|(_, act)| act).collect()
}

/// `0 errors, 5 warnings`, `without warnings`.
fn problems(tokens: &[String]) -> Option<Told> {
    let mut told = Told::default();
    let mut found = false;
    for (at, token) in tokens.iter().enumerate() {
        let number = match token.as_str() {
            "no" | "without" | "zero" => 0,
            digits => match digits.parse() {
                Ok(number) => number,
                Err(_) => continue,
            },
        };
        let next = tokens.get(at + 1).map(|it| it.trim_end_matches('s'));
        // "without errors or warnings"
        let or = (number == 0 && tokens.get(at + 2).is_some_and(|it| it == "or"))
            .then(|| tokens.get(at + 3))
            .flatten();
        for word in next.into_iter().chain(or.map(|it| it.trim_end_matches('s'))) {
            match word {
                "error" | "problem" | "issue" => told.errors = Some(number),
                "warning" => told.warnings = Some(number),
                _ => continue,
            }
            found = true;
        }
    }
    found.then_some(told)
}

fn negated(norm: &str, language: &Language, pass_at: usize) -> bool {
    if fault_free(norm, language) {
        return false;
    }
    if !language.spaced {
        return contains(norm, language, language.negation);
    }
    let near: Vec<&str> = norm[..pass_at].split_whitespace().collect();
    let from = near.len().saturating_sub(8);
    let near = joined(&near[from..].iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
    contains(&near, language, language.negation) || near.contains("n't ")
}

fn names_program(norm: &str) -> bool {
    PROGRAMS.iter().any(|program| phrases::find(norm, LANGUAGES[0], program).is_some())
}

/// Programs whose names stand in `norm`.
fn programs(norm: &str) -> Vec<String> {
    PROGRAMS
        .iter()
        .filter(|program| phrases::find(norm, LANGUAGES[0], program).is_some())
        .map(|program| (*program).to_owned())
        .collect()
}

const PROGRAMS: &[&str] = &[
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "cargo test",
    "cargo nextest",
    "cargo build",
    "cargo check",
    "cargo clippy",
    "clippy",
    "go test",
    "go vet",
    "go build",
    "ruff",
    "mypy",
    "pyright",
    "tsc",
    "eslint",
    "flake8",
    "pylint",
    "biome",
    "prettier",
    "gofmt",
    "rustfmt",
    "black",
    "isort",
    "golangci-lint",
    "npm test",
    "npm run build",
    "npm run lint",
    "rspec",
    "phpunit",
    "playwright",
    "cypress",
    "mvn",
    "gradle",
    "shellcheck",
    "unittest",
];

/// `12 passed`, `46 of 48 tests pass`, `4966/4966 passed`, `118 passed, 2 failed`, `all 48 tests`.
fn counts(tokens: &[String], language: &Language) -> Option<Told> {
    let mut told = Told::default();
    let mut found = false;
    let words = |at: usize, far: usize| -> String {
        joined(&tokens[at.min(tokens.len())..tokens.len().min(at + far)])
    };
    for (at, token) in tokens.iter().enumerate() {
        if let Some((part, whole)) = token.split_once('/')
            && let (Ok(part), Ok(whole)) = (part.parse::<u64>(), whole.parse::<u64>())
        {
            let near = words(at + 1, 4);
            let back = joined(&tokens[at.saturating_sub(4)..at]);
            if contains(&near, language, language.pass)
                || contains(&back, language, judge_names(language, Act::Test))
                || contains(&near, language, judge_names(language, Act::Test))
            {
                (told.tests_passed, told.tests_total) = (Some(part), Some(whole));
                found = true;
            }
            continue;
        }
        let digits = token.chars().next().is_some_and(|c| c.is_ascii_digit());
        let next = tokens.get(at + 1).map(String::as_str).unwrap_or_default();
        // "one" is a number only where it is a part.
        let one = || (token == "one" && next == "of").then_some(1);
        let number = objects::number(token, language).filter(|_| digits || found_word(token, language));
        let Some(number) = number.or_else(one) else { continue };
        if matches!(next, "of" | "out" | "von" | "der" | "de" | "des" | "dos" | "sur") {
            let whole = tokens[at + 1..].iter().take(4).find_map(|it| objects::number(it, language));
            let near = words(at + 2, 6);
            if let Some(whole) = whole
                && contains(&near, language, judge_names(language, Act::Test))
                && contains(&near, language, language.pass)
            {
                // "all but one of the 12 tests pass"
                let rest =
                    at.checked_sub(1).is_some_and(|it| matches!(tokens[it].as_str(), "but" | "except"));
                let passed = if rest { whole.saturating_sub(number) } else { number };
                (told.tests_passed, told.tests_total) = (Some(passed), Some(whole));
                found = true;
            }
            continue;
        }
        if is_whole(tokens, at) {
            continue;
        }
        if !digits {
            continue;
        }
        let near = words(at + 1, 3);
        let follows = |phrases: &[&str]| phrases.iter().any(|it| near.starts_with(&format!(" {it} ")));
        let tests = judge_names(language, Act::Test);
        if follows(&[
            "passed",
            "passing",
            "pass",
            "passes",
            "bestanden",
            "pasaron",
            "pasan",
            "passent",
            "réussis",
            "passaram",
            "passam",
            "green",
            "ok",
        ]) {
            told.tests_passed = Some(number);
            found = true;
        } else if follows(&["failed", "failing", "failures", "failure", "fail"]) {
            told.tests_failed = Some(number);
            found |= told.tests_passed.is_some();
        } else if follows(&["skipped", "ignored"]) {
            told.tests_skipped = Some(number);
        } else if follows(&["errors", "warnings"]) {
        } else if let Some(behind) = behind_tests(&tokens[at + 1..], tests) {
            let far = joined(&behind[..behind.len().min(3)]);
            if pass(&far, language).is_some() && !contains(&far, language, language.fail) {
                told.tests_passed = Some(number);
                found = true;
            }
        }
    }
    found.then_some(told)
}

/// The number at `at` is the whole that a part is told of: `of 12`, `of the 12`.
pub(super) fn is_whole(tokens: &[String], at: usize) -> bool {
    let mut before = tokens[..at.min(tokens.len())].iter().rev().map(String::as_str).peekable();
    before.next_if(|word| {
        matches!(
            *word,
            "the" | "these" | "those" | "all" | "our" | "den" | "los" | "las" | "les" | "os" | "as"
        )
    });
    matches!(before.next(), Some("of" | "von" | "der" | "de" | "des" | "dos" | "sur" | "out"))
}

/// What stands behind `tests`, with at most one adjective before it: `48 tests pass`, `16 new tests pass`.
fn behind_tests<'a>(tokens: &'a [String], tests: &[&str]) -> Option<&'a [String]> {
    let is = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            tests.contains(&token.as_str()) && !matches!(token.as_str(), "test" | "spec")
        }) || tokens.get(at..at + 2).is_some_and(|two| tests.contains(&two.join(" ").as_str()))
    };
    let at = (0..2).find(|at| is(*at))?;
    if tokens[..at].iter().any(|token| !token.chars().all(char::is_alphabetic) || token == "of") {
        return None;
    }
    let width = if tests.contains(&tokens[at].as_str()) { 1 } else { 2 };
    tokens.get(at + width..)
}

fn found_word(token: &str, language: &Language) -> bool {
    language.numbers.iter().any(|(word, _)| *word == token)
}

/// `all 12 packages`.
fn units(tokens: &[String], language: &Language) -> Option<u64> {
    tokens.iter().enumerate().find_map(|(at, token)| {
        let number = objects::number(token, language)?;
        matches!(tokens.get(at + 1).map(String::as_str), Some("packages" | "crates" | "suites" | "modules"))
            .then_some(number)
    })
}

/// `coverage is 91%`, `91 % coverage`.
fn coverage(tokens: &[String], norm: &str, language: &Language) -> Option<f64> {
    let names = [
        "coverage",
        "abdeckung",
        "testabdeckung",
        "couverture",
        "cobertura",
        "覆盖率",
        "カバレッジ",
        "커버리지",
    ];
    if !names
        .iter()
        .any(|name| if language.spaced { norm.contains(&format!(" {name} ")) } else { norm.contains(name) })
    {
        return None;
    }
    let goal = [
        " at least ",
        " minimum ",
        " target ",
        " threshold ",
        " goal ",
        " below ",
        " from ",
        " was ",
        " than ",
        " required ",
    ];
    let percent =
        |token: &String| token.strip_suffix('%').and_then(|it| it.replace(',', ".").parse::<f64>().ok());
    let values: Vec<(usize, f64)> =
        tokens.iter().enumerate().filter_map(|(at, token)| Some((at, percent(token)?))).collect();
    let (at, value) = match values.as_slice() {
        [one] => *one,
        // "from 77% to 91%", "81%, up from 77%": the one that is not the past.
        [first, second] => {
            let before = |at: usize| tokens.get(at.wrapping_sub(1)).map(String::as_str).unwrap_or_default();
            if matches!(before(second.0), "from" | "von" | "de" | "was") { *first } else { *second }
        }
        _ => return None,
    };
    let before = joined(&tokens[at.saturating_sub(3)..at]);
    (!goal.iter().any(|word| before.contains(word))).then_some(value)
}
