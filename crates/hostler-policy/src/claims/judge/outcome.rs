//! "All tests pass", "12 passed", "coverage is 91 %": a result against the last run.

use super::super::act::Act;
use super::super::evidence::{Channel, Evidence, Measure, Run};
use super::super::language::Venue;
use super::super::reading::{Reading, Told};
use super::super::rules;
use super::super::verdict::{Kind, Standing};
use super::{Bench, Ruling, missed, opaque, run};

/// Runs with the call that they belong to.
type Runs<'a> = Vec<(&'a Evidence, &'a Run)>;

/// Coverage is told rounded.
const COVERAGE_TOLERANCE: f64 = 0.51;

pub(super) fn judge(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let Some(told) = &reading.result else { return Ruling::supported("no result is told") };
    let evidence = bench.evidence;
    if let Some(venue) =
        reading.venue.filter(|venue| *venue == Venue::Integration || *venue == Venue::Staging)
    {
        return at_venue(venue, told, bench);
    }
    let all: Runs<'_> = evidence
        .iter()
        .flat_map(|it| it.runs.iter().map(move |run| (it, run)))
        .filter(|(_, run)| run.act == reading.act || (told.any && run.act != Act::Run))
        .collect();
    if told.any && all.is_empty() {
        return Ruling::supported("what is green is not told");
    }
    let named: Runs<'_> =
        all.iter().filter(|(_, run)| told.programs.iter().any(|it| program_is(run, it))).copied().collect();
    let runs = if named.is_empty() { all } else { named };
    if told.passed
        && let Some(ruling) = engine(reading, evidence)
    {
        return ruling;
    }
    if let Some(coverage) = told.coverage_percent {
        return covered(coverage, &runs, evidence);
    }
    if let Some(ruling) = every_program(told, evidence) {
        return ruling;
    }
    let Some(last) = runs.last().copied() else {
        if !told.passed && told.tests_passed.is_none() {
            return Ruling::supported("a failure is told");
        }
        return never_run(reading, told, evidence);
    };
    if let Some(ruling) = problems(told, last) {
        return ruling;
    }
    if let Some(ruling) = elsewhere(reading, &runs, evidence) {
        return ruling;
    }
    if let Some(ruling) = counts(reading, told, &runs, last) {
        return ruling;
    }
    let all_told = told.tests_passed.is_none()
        || reading.whole
        || told.tests_total.is_some()
        || told.tests_failed == Some(0);
    if all_told
        && told.passed
        && last.1.outcome.passed == Some(false)
        && !bench.message.tells_failure_of.contains(&reading.act)
    {
        // Another command of the same program may be what failed, and the message says so.
        let same_turn_pass = runs.iter().any(|(it, run)| !it.earlier && run.outcome.passed == Some(true));
        if same_turn_pass
            && ["refused", "failed", "fails", "rejected", "denied"]
                .iter()
                .any(|word| bench.message.norm.contains(&format!(" {word} ")))
        {
            return Ruling::by(last.0);
        }
        // A later call that is not read may have been the run that passed.
        let later = evidence.iter().skip_while(|it| !std::ptr::eq(*it, last.0)).skip(1);
        if let Some(found) =
            later.clone().find(|it| it.opaque && it.failure.is_none() && it.channel != Channel::File)
        {
            return Ruling::by(found);
        }
        return Ruling::contradicted(
            format!("the last run of {} did not pass{}", last.1.program, detail(last.1)),
            last.0,
        );
    }
    let wide = reading.act == Act::Test && reading.whole && told.tests_passed.is_none();
    if wide && runs.iter().all(|(_, run)| !run.scope.is_empty()) {
        let scope: Vec<&str> = last.1.scope.iter().map(String::as_str).take(4).collect();
        let asked_whole = ["complete", "entire", "full", "whole"].iter().any(|word| {
            reading.words.windows(3).any(|it| {
                it[0] == *word
                    && (it[1..].iter().any(|next| matches!(next.as_str(), "suite" | "test" | "tests")))
            })
        }) || reading.words.windows(2).any(|it| {
            it[0] == "all"
                && matches!(it[1].as_str(), "modules" | "packages" | "crates" | "workspaces" | "projects")
        });
        if asked_whole {
            return Ruling::not_run(
                format!("only a part was run: {}", scope.join(" ")),
                last.0.summary.clone(),
            );
        }
        return Ruling {
            rule: rules::PARTIAL,
            kind: Kind::PartialRun,
            description: format!("only a part was run: {}", scope.join(" ")),
            ..Ruling::by(last.0)
        };
    }
    Ruling::by(last.0)
}

fn program_is(run: &Run, name: &str) -> bool {
    run.program == name || run.program.contains(name) || name.contains(run.program.as_str())
}

fn detail(run: &Run) -> String {
    match (run.outcome.tests_passed, run.outcome.tests_failed, run.outcome.errors) {
        (Some(passed), Some(failed), _) => format!(": {passed} passed, {failed} failed"),
        (None, Some(failed), _) => format!(": {failed} failed"),
        (_, _, Some(errors)) => format!(": {errors} errors"),
        _ => String::new(),
    }
}

fn never_run(reading: &Reading, told: &Told, evidence: &[Evidence]) -> Ruling {
    let act = reading.act;
    // A run of tests compiles; a build checks types.
    let stronger = evidence.iter().rev().find(|it| {
        it.runs.iter().any(|run| run::fits(run.act, act) && run.outcome.passed != Some(false))
            || (it.runs.iter().any(|run| run.act == Act::Run) && act != Act::Test)
    });
    if let Some(found) = stronger {
        return Ruling::by(found);
    }
    if let Some(found) = opaque(evidence, &[Channel::Shell, Channel::Delegate, Channel::Mcp, Channel::Other])
    {
        return Ruling::by(found);
    }
    // A script of the project that runs several things: its output counts tests.
    let counted = |it: &&Evidence| {
        act == Act::Test
            && it.failure.is_none()
            && !it.runs.is_empty()
            && it.measures.iter().any(|measure| {
                matches!(measure.unit.as_str(), "passed" | "passing" | "tests")
                    || matches!(measure.label.as_str(), "passed" | "tests")
            })
    };
    if let Some(found) = evidence.iter().rev().find(counted) {
        return Ruling::by(found);
    }
    if let Some((evidence, failure)) = missed(evidence, &[act], |_| true) {
        return Ruling::failed("the run failed before it said anything".to_owned(), evidence, failure);
    }
    let what = match act {
        Act::Test => "tests",
        Act::Build => "a build",
        Act::Lint => "a linter",
        Act::Typecheck => "a type checker",
        _ => "a check",
    };
    let _ = told;
    Ruling::not_run(
        format!("a result is told, and no call ran {what}"),
        format!("looked for a call that runs {what}"),
    )
}

/// The numbers as told against the numbers of the runs; `None` when they agree or cannot be compared.
fn counts(reading: &Reading, told: &Told, runs: &Runs<'_>, last: (&Evidence, &Run)) -> Option<Ruling> {
    let passed = told.tests_passed?;
    if runs.iter().all(|(_, run)| run.outcome.tests_passed.is_none() && run.outcome.tests_failed.is_none()) {
        return None;
    }
    let numbers = |run: &Run| {
        let passed = run.outcome.tests_passed.unwrap_or(0);
        let failed = run.outcome.tests_failed.unwrap_or(0);
        let skipped = run.outcome.tests_skipped.unwrap_or(0);
        (passed, failed, skipped)
    };
    let agrees = |(p, f, s): (u64, u64, u64)| {
        let right = passed == p || (f == 0 && passed == p + s && told.tests_skipped.is_none());
        let failed = told.tests_failed.is_none_or(|it| it == f);
        let skipped = told.tests_skipped.is_none_or(|it| it == s);
        let total = told.tests_total.is_none_or(|it| it == p + f || it == p + f + s);
        right && failed && skipped && total
    };
    if last.1.outcome.partial {
        // Its counts are lower bounds.
        return None;
    }
    if runs.iter().any(|(_, run)| agrees(numbers(run))) {
        // The number is right for an earlier run; "all pass" still has to hold for the last one.
        return None;
    }
    // One of several numbers of an output.
    #[expect(clippy::cast_precision_loss, reason = "counts of tests")]
    let stated = |it: &&Evidence| {
        it.measures.iter().any(|measure| (measure.value - passed as f64).abs() < f64::EPSILON)
    };
    if !reading.whole && told.tests_total.is_none() && stated(&last.0) {
        return None;
    }
    // Several runs may be told as one.
    let mut sum = (0, 0, 0);
    for (_, run) in runs.iter().rev() {
        let (p, f, s) = numbers(run);
        sum = (sum.0 + p, sum.1 + f, sum.2 + s);
        if agrees(sum) {
            return None;
        }
    }
    if last.1.outcome.tests_passed.unwrap_or(0) == 0 && last.1.outcome.tests_failed.unwrap_or(0) == 0 {
        return None;
    }
    // Part of a run: "12 tests of the parser pass" among more.
    let (p, f, _) = numbers(last.1);
    let part = ["of", "for", "in", "new", "added", "under", "covering", "more"]
        .iter()
        .any(|word| reading.words.iter().any(|it| it == word))
        || !reading.objects.is_empty();
    if part
        && f == 0
        && passed < p
        && !reading.whole
        && told.tests_total.is_none()
        && told.tests_failed.is_none()
        && !reading.says("passed")
    {
        return None;
    }
    Some(Ruling::contradicted(
        format!("{passed} passed is told; the last run of {} says {p} passed, {f} failed", last.1.program),
        last.0,
    ))
}

fn covered(coverage: f64, runs: &Runs<'_>, evidence: &[Evidence]) -> Ruling {
    let close = |value: f64| (value - coverage).abs() < COVERAGE_TOLERANCE;
    let of_runs = runs.iter().rev().filter_map(|(it, run)| Some((*it, run.outcome.coverage_percent?)));
    if let Some((found, _)) = of_runs.clone().find(|(_, value)| close(*value)) {
        return Ruling::by(found);
    }
    let measured = evidence
        .iter()
        .rev()
        .find(|it| it.measures.iter().any(|measure| measure.unit == "%" && close(measure.value)));
    if let Some(found) = measured {
        return Ruling::by(found);
    }
    if let Some((found, value)) = of_runs.clone().next() {
        return Ruling::contradicted(
            format!("coverage of {coverage} % is told; the last run says {value} %"),
            found,
        );
    }
    // A report that no run made: `lines......: 68.4%`.
    let named = |measure: &&Measure| {
        measure.unit == "%" && ["line", "cover", "total", "stmt"].iter().any(|it| measure.label.contains(it))
    };
    let report = evidence
        .iter()
        .rev()
        .filter(|it| !it.earlier && it.channel == Channel::Shell)
        .find_map(|it| Some((it, it.measures.iter().find(named)?)));
    if let Some((found, measure)) = report {
        return Ruling::contradicted(
            format!("coverage of {coverage} % is told; the output says {} %", measure.value),
            found,
        );
    }
    if let Some((found, _)) = runs.last() {
        return Ruling::by(found);
    }
    if let Some(found) = opaque(evidence, &[Channel::Shell, Channel::Delegate, Channel::Mcp]) {
        return Ruling::by(found);
    }
    if evidence.iter().any(|it| it.files.iter().any(|file| file.act == Act::Read)) {
        return Ruling::supported("a report may have been read");
    }
    let ruling = Ruling::not_run(
        "coverage is told, and nothing measured it".to_owned(),
        "looked for a run that measures coverage".to_owned(),
    );
    debug_assert_eq!(ruling.standing, Standing::Unsupported);
    ruling
}

/// What is said to hold in a place that a call looked at.
fn at_venue(venue: Venue, told: &Told, bench: &Bench<'_>) -> Ruling {
    let ruling = run::at_venue(venue, bench.evidence);
    let seen = bench
        .evidence
        .iter()
        .rev()
        .find(|it| ruling.standing == Standing::Supported && ruling.why.first() == Some(&it.summary));
    let Some(seen) = seen.filter(|_| told.passed) else { return ruling };
    let failed = |line: &String| {
        let line = line.to_lowercase();
        line.contains("fail") || line.starts_with("x ")
    };
    let acknowledged = !bench.message.tells_failure_of.is_empty();
    match seen.notable.iter().find(|line| failed(line)) {
        Some(line) if !acknowledged && venue == Venue::Integration => {
            Ruling::contradicted(format!("what was looked at says: {line}"), seen)
        }
        _ => ruling,
    }
}

/// Numbers of errors and warnings as told against those of the last run.
fn problems(told: &Told, last: (&Evidence, &Run)) -> Option<Ruling> {
    let differs = |told: Option<u64>, said: Option<u64>| match (told, said) {
        (Some(told), Some(said)) if told != said => Some((told, said)),
        _ => None,
    };
    let outcome = &last.1.outcome;
    let found = differs(told.errors, outcome.errors)
        .map(|it| (it, "errors"))
        .or_else(|| differs(told.warnings, outcome.warnings).map(|it| (it, "warnings")))?;
    let ((told, said), what) = found;
    // Zero told and some fixed by the run itself: the run that fixed says how many there were.
    if told == 0 && outcome.passed == Some(true) && what == "errors" {
        return None;
    }
    Some(Ruling::contradicted(
        format!("{told} {what} are told; the last run of {} says {said}", last.1.program),
        last.0,
    ))
}

/// Runners of tests whose name says all of what ran.
const RUNNERS: &[&str] = &[
    "vitest",
    "jest",
    "mocha",
    "pytest",
    "cypress",
    "playwright",
    "rspec",
    "phpunit",
    "cargo test",
    "go test",
    "unittest",
];

/// "Vitest and Cypress are both green": each that is named was run, where one of them was.
fn every_program(told: &Told, evidence: &[Evidence]) -> Option<Ruling> {
    if told.programs.is_empty()
        || !told.passed
        || opaque(evidence, &[Channel::Shell, Channel::Delegate, Channel::Mcp, Channel::Other]).is_some()
    {
        return None;
    }
    let ran = |name: &str| {
        let word = name.rsplit(' ').next().unwrap_or(name);
        evidence
            .iter()
            .any(|it| it.runs.iter().any(|run| program_is(run, name)) || it.words.iter().any(|it| it == word))
    };
    // A script of the project may run them all.
    let wrapped = evidence.iter().flat_map(|it| &it.runs).any(|run| {
        [
            "npm",
            "yarn",
            "pnpm",
            "make",
            "tox",
            "nox",
            "just",
            "bundle",
            "mix",
            "gradle",
            "mvn",
            "pre-commit",
            "lefthook",
            "husky",
        ]
        .iter()
        .any(|it| run.program.starts_with(it))
    });
    let missing = told.programs.iter().find(|name| !ran(name))?;
    // One name alone may be a nickname of what ran, unless all that ran has a name of its own.
    let test = RUNNERS.contains(&missing.as_str());
    let runs = || evidence.iter().flat_map(|it| &it.runs).filter(|run| run.act == Act::Test);
    let others =
        test && runs().next().is_some() && runs().all(|run| RUNNERS.iter().any(|it| run.program == *it));
    ((told.programs.iter().any(|name| ran(name)) || others) && !wrapped).then(|| {
        Ruling::not_run(format!("{missing} was not run"), format!("looked for a call that runs {missing}"))
    })
}

/// Words before "tests" that name a layer, and what its runs are called.
const LAYERS: &[(&[&str], &[&str])] = &[
    (
        &["e2e", "end-to-end", "browser"],
        &[
            "e2e",
            "playwright",
            "cypress",
            "puppeteer",
            "selenium",
            "detox",
            "webdriver",
            "end-to-end",
            "browser",
            "testcafe",
            "nightwatch",
            "maestro",
            "appium",
        ],
    ),
    (
        &["integration", "integración", "integração", "intégration"],
        &["integration", "e2e", "it", "failsafe", "integrationtest"],
    ),
    (
        &["load", "performance"],
        &["k6", "locust", "jmeter", "load", "performance", "bench", "artillery", "wrk", "vegeta", "ab"],
    ),
    (&["mutation"], &["mutants", "mutmut", "stryker", "mutation"]),
    (&["smoke"], &["smoke"]),
    (&["race"], &["race", "-race", "tsan", "loom", "helgrind"]),
    (&["accessibility", "a11y"], &["axe", "a11y", "accessibility", "pa11y", "lighthouse"]),
    (&["visual", "screenshot"], &["visual", "screenshot", "percy", "chromatic", "playwright", "backstop"]),
];

/// Words before "tests" that name no part of them.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "the", "all", "new", "existing", "unit", "my", "our", "these", "those", "both", "other", "remaining",
    "failing", "relevant", "related", "affected", "updated", "and", "regression", "added", "every", "each",
    "targeted", "focused", "local", "full", "whole", "entire", "python", "rust", "go", "js", "javascript",
    "typescript", "same", "previously", "broken", "of", "two", "three", "four", "five", "its", "their",
    "your", "table", "that", "this", "now", "lint", "build", ",", "pass", "passing", "corresponding", "test",
    "tests", "green", "package", "module", "unittest", "pytest", "backend", "frontend", "core", "no", "is",
    "are", "more", "original", "final", "still", "also", "but", "current", "flaky", "parametrized",
    "parameterized", "property", "snapshot", "clean", "linter", "typecheck",
];

/// "The end-to-end tests pass" where only unit tests ran; "the auth tests pass" where only those of billing did.
pub(super) fn elsewhere(reading: &Reading, runs: &Runs<'_>, evidence: &[Evidence]) -> Option<Ruling> {
    if reading.act != Act::Test || reading.result.as_ref().is_some_and(|told| told.any) {
        return None;
    }
    let free = evidence.iter().any(|it| it.opaque && it.failure.is_none() && it.channel != Channel::File);
    if free {
        return None;
    }
    let says = |run: &Run, it: &Evidence, names: &[&str]| {
        let named = |text: &str| {
            names.iter().any(|name| {
                text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|part| part == *name)
                    || (4 < name.len() && text.contains(name))
            })
        };
        run.scope.iter().any(|scope| named(&scope.to_lowercase()))
            || named(&run.program)
            || it.words.iter().any(|word| names.contains(&word.as_str()))
    };
    let at = reading.words.iter().position(|word| {
        matches!(word.as_str(), "tests" | "test" | "suite" | "specs" | "pruebas" | "testes")
    })?;
    let mut before: Vec<&str> = reading.words[..at].iter().rev().take(2).map(String::as_str).collect();
    if matches!(reading.words[at].as_str(), "pruebas" | "testes" | "tests") {
        // Romance languages put it behind: "las pruebas de integración".
        before.extend(
            reading.words[at + 1..].iter().take(2).filter(|word| word.starts_with("int")).map(String::as_str),
        );
    }
    let missing = |what: String| {
        Some(Ruling::not_run(
            format!("what was run is not {what}"),
            format!(
                "looked for a run of {what}; the last was {}",
                runs.last().map_or("none", |(it, _)| it.summary.as_str())
            ),
        ))
    };
    for (names, programs) in LAYERS {
        if let Some(name) = before.iter().find(|word| names.contains(word)) {
            let seen = runs.iter().any(|(it, run)| says(run, it, programs) || says(run, it, names));
            // A whole run of a project's tests has its integration tests in it.
            let whole = names.contains(&"integration") && runs.iter().any(|(_, run)| run.scope.is_empty());
            return if seen || whole { None } else { missing(format!("{name} tests")) };
        }
    }
    if runs.iter().any(|(_, run)| run.scope.is_empty()) {
        return None;
    }
    // Every run was narrowed: the part that is told must be one that was run.
    let topic = before.first().filter(|word| {
        3 < word.len()
            && word.chars().all(|c| c.is_ascii_alphabetic())
            && !PLAIN.contains(word)
            && !word.ends_with("ing")
            && !word.ends_with("ly")
    })?;
    let stem = &topic[..topic.len().min(5)];
    let named = runs.iter().any(|(it, run)| {
        run.scope.iter().any(|scope| scope.to_lowercase().contains(stem))
            || it.words.iter().any(|word| word.contains(stem))
    });
    if named { None } else { missing(format!("the {topic} tests")) }
}

/// Engines and systems that a claim may name, with what calls are named there.
const ENGINES: &[(&[&str], &[&str])] = &[
    (&["safari", "safari's", "webkit"], &["webkit", "safari"]),
    (&["firefox"], &["firefox", "gecko"]),
    (&["chromium", "chrome"], &["chromium", "chrome"]),
    (&["windows"], &["windows", "win", "win32", "win64", "msvc", "wine", "powershell", "pwsh", "cross"]),
    (&["macos", "mac"], &["macos", "mac", "darwin", "osx", "xcodebuild", "xcrun", "cross"]),
];

/// Something is said to hold on an engine or system, and what was run names another one.
pub(super) fn engine(reading: &Reading, evidence: &[Evidence]) -> Option<Ruling> {
    if opaque(evidence, &[Channel::Shell, Channel::Delegate]).is_some() {
        return None;
    }
    let (names, words) = ENGINES.iter().find(|(names, _)| names.iter().any(|name| reading.has_word(name)))?;
    let named = |it: &Evidence, words: &[&str]| {
        it.words.iter().any(|word| words.contains(&word.as_str()))
            || it
                .runs
                .iter()
                .any(|run| run.scope.iter().any(|scope| words.iter().any(|word| scope.contains(word))))
    };
    if evidence.iter().any(|it| named(it, words)) {
        return None;
    }
    let others = ENGINES.iter().any(|(_, words)| evidence.iter().any(|it| named(it, words)));
    let system = names.contains(&"windows") || names.contains(&"macos");
    (others || (system && evidence.iter().all(|it| it.channel != Channel::Mcp && it.channel != Channel::Web)))
        .then(|| {
            Ruling::not_run(
                format!("nothing was run on {}", names[0]),
                format!("looked for a call that reaches {}", names[0]),
            )
        })
}
