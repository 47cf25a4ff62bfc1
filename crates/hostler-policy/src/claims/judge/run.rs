//! "Ran", "tested", "built": a program was run.

use super::super::act::Act;
use super::super::evidence::{Channel, Evidence, FailureKind};
use super::super::language::{Noun, Venue};
use super::super::reading::Reading;
use super::{Bench, Ruling, missed, opaque};

const RUNNERS: &[Channel] = &[Channel::Shell, Channel::Delegate, Channel::Mcp, Channel::Other];

pub(super) fn judge(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let evidence = bench.evidence;
    if let Some(venue) = reading.venue
        && reading.act == Act::Verify
    {
        return at_venue(venue, evidence);
    }
    if matches!(reading.act, Act::Verify | Act::Format)
        && let Some(ruling) = by_means_of(reading, evidence)
    {
        return ruling;
    }
    if reading.act == Act::Verify {
        if let Some(ruling) = super::outcome::engine(reading, evidence) {
            return ruling;
        }
        return verified(reading, bench);
    }
    // Commands that are named: each must have been run.
    let commands: Vec<Vec<String>> = reading
        .objects
        .iter() // What is profiled is no command.
        .filter(|it| it.code && it.target && reading.act == Act::Run && reading.pattern != "en/measured")
        .filter_map(|it| command(&it.text))
        .collect();
    for words in &commands {
        if !evidence.iter().any(|it| ran(it, words)) {
            if let Some((evidence, failure)) = failed(evidence, words) {
                return Ruling::failed(format!("`{}` failed to run", words.join(" ")), evidence, failure);
            }
            if let Some(helper) = opaque(evidence, &[Channel::Delegate]) {
                return Ruling::by(helper);
            }
            return Ruling::not_run(
                format!("`{}` was not run", words.join(" ")),
                format!("looked for a call that runs `{}`", words.join(" ")),
            );
        }
    }
    let acts = acts(reading);
    if reading.says("benchmark") && reading.act == Act::Run {
        let measured = |it: &&Evidence| {
            it.opaque && it.failure.is_none()
                || it.words.iter().any(|word| {
                    word.contains("bench")
                        || matches!(
                            word.as_str(),
                            "hyperfine"
                                | "criterion"
                                | "perf"
                                | "wrk"
                                | "ab"
                                | "k6"
                                | "locust"
                                | "time"
                                | "timeit"
                        )
                })
        };
        return match evidence.iter().rev().find(measured) {
            Some(found) => Ruling::by(found),
            None => Ruling::not_run(
                "no benchmark was run".to_owned(),
                "looked for a call that runs a benchmark".to_owned(),
            ),
        };
    }
    if reading.act == Act::Format {
        let wrote = |it: &&Evidence| {
            let by_hand =
                |path: &str| it.files.iter().any(|file| file.act == Act::Create && file.path == path);
            it.files.iter().any(|file| file.act == Act::Edit && !by_hand(&file.path))
                || (it.opaque && it.failure.is_none())
                || (it.runs.iter().any(|run| run.act == Act::Format && run.outcome.passed != Some(false))
                    && !it.words.iter().any(|word| word == "check" || word == "--check"))
        };
        return match evidence.iter().rev().find(wrote) {
            Some(found) => Ruling::by(found),
            None => Ruling::not_run(
                "nothing was formatted".to_owned(),
                "looked for a formatter that writes".to_owned(),
            ),
        };
    }
    let artefact = reading.act == Act::Build && reading.paths().next().is_some();
    for act in &acts {
        if artefact
            && evidence
                .iter()
                .flat_map(|it| &it.runs)
                .filter(|run| run.act == Act::Build)
                .all(|run| run.program.contains("check"))
            && opaque(evidence, RUNNERS).is_none()
        {
            return Ruling::not_run(
                "nothing was built, only checked".to_owned(),
                "looked for a build that makes a file".to_owned(),
            );
        }
        let runs = evidence.iter().filter(|it| it.runs.iter().any(|run| fits(run.act, *act)));
        let names = tool_words(reading);
        let named = |it: &Evidence| {
            names.iter().all(|name| {
                it.words.iter().any(|word| word == name)
                    || it.runs.iter().any(|run| run.program.contains(name.as_str()))
            })
        };
        let found = runs.clone().any(|it| names.is_empty() || named(it))
            || (!names.is_empty() && evidence.iter().any(named));
        if found {
            if let Some(ruling) = too_few(reading, *act, evidence) {
                return ruling;
            }
            if *act == Act::Test {
                let all = evidence
                    .iter()
                    .flat_map(|it| it.runs.iter().map(move |run| (it, run)))
                    .filter(|(_, run)| run.act == Act::Test)
                    .collect();
                if let Some(ruling) = super::outcome::elsewhere(reading, &all, evidence) {
                    return ruling;
                }
            }
            continue;
        }
        if let Some(found) = opaque(evidence, RUNNERS) {
            return Ruling::by(found);
        }
        if let Some((evidence, failure)) = missed(evidence, &[*act], |_| true) {
            return Ruling::failed("the run failed before it began".to_owned(), evidence, failure);
        }
        let what = name(*act);
        return Ruling::not_run(format!("{what} was not run"), format!("looked for a call that runs {what}"));
    }
    if !acts.is_empty() {
        let last = evidence
            .iter()
            .rev()
            .find(|it| it.runs.iter().any(|run| acts.iter().any(|act| fits(run.act, *act))));
        return last.map_or_else(|| Ruling::supported("it was run"), Ruling::by);
    }
    if !commands.is_empty() {
        let last = evidence.iter().rev().find(|it| commands.iter().any(|words| ran(it, words)));
        return last.map_or_else(|| Ruling::supported("it was run"), Ruling::by);
    }
    let program = reading.nouns.iter().any(|noun| matches!(noun, Noun::Script));
    let any = |it: &&Evidence| {
        matches!(it.channel, Channel::Shell | Channel::Mcp | Channel::Delegate | Channel::Other)
            && it
                .failure
                .as_ref()
                .is_none_or(|failure| matches!(failure.kind, FailureKind::Verdict | FailureKind::Answer))
            && (!program
                || it.opaque
                || !it.runs.is_empty()
                || it.deeds.iter().any(|deed| !matches!(deed.act, Act::Search | Act::Read)))
    };
    if let Some(found) = evidence.iter().rev().find(any) {
        return Ruling::by(found);
    }
    let failed = evidence.iter().rev().find_map(|it| {
        let failure = it.failure.as_ref()?;
        (it.channel == Channel::Shell || it.channel == Channel::Delegate).then_some((it, failure))
    });
    if let Some((evidence, failure)) = failed.filter(|(it, _)| it.channel == Channel::Shell) {
        return Ruling::failed("the only command that was run failed".to_owned(), evidence, failure);
    }
    Ruling::not_run("no command was run".to_owned(), "looked for a call that runs a command".to_owned())
}

/// "Validated it with `actionlint`": the program that is named was run.
fn by_means_of(reading: &Reading, evidence: &[Evidence]) -> Option<Ruling> {
    let means = reading.objects.iter().find(|it| {
        let before =
            it.at.checked_sub(1).and_then(|at| reading.words.get(at)).map(String::as_str).unwrap_or_default();
        it.code && it.path.is_none() && matches!(before, "with" | "using" | "via")
    })?;
    let words = command(&means.text)?;
    let free = opaque(evidence, RUNNERS).is_some() || evidence.iter().any(|it| it.channel == Channel::Mcp);
    let first = means.text.split_whitespace().next().unwrap_or_default();
    let plain = first.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (plain && !free && !evidence.iter().any(|it| ran(it, &words))).then(|| {
        Ruling::not_run(
            format!("`{}` was not run", means.text),
            format!("looked for a call that runs `{}`", means.text),
        )
    })
}

/// What kinds of runs a clause speaks of.
fn acts(reading: &Reading) -> Vec<Act> {
    if reading.act != Act::Run {
        // "built the parser" may mean wrote it; "formatted the table" too.
        let strong = match reading.act {
            Act::Build => {
                let artefact = |path: &str| {
                    ["target/", "dist/", "build/", "bin/", "out/"].iter().any(|folder| path.contains(folder))
                };
                reading.paths().any(artefact)
                    || reading.says("compil")
                    || reading.says("rebuil")
                    || reading.says("project")
                    || reading.says("binary")
                    || reading.says("image")
                    || reading.says("release")
            }
            _ => true,
        };
        return if strong { vec![reading.act] } else { Vec::new() };
    }
    let mut out = Vec::new();
    let words = |names: &[&str]| reading.words.iter().any(|word| names.contains(&word.as_str()));
    if words(&[
        "test",
        "tests",
        "suite",
        "pytest",
        "jest",
        "vitest",
        "specs",
        "rspec",
        "unittest",
        "unittests",
    ]) && !words(&["script", "query", "queries", "smoke"])
    {
        out.push(Act::Test);
    }
    if words(&["linter", "lint", "linting", "linters", "eslint", "clippy", "vet", "flake8", "pylint"]) {
        out.push(Act::Lint);
    }
    if words(&["formatter", "formatting", "prettier", "black", "gofmt", "rustfmt"]) {
        out.push(Act::Format);
    }
    if words(&["typecheck", "type-check", "typechecker", "tsc", "mypy", "pyright"])
        || reading.words.windows(2).any(|it| it[0] == "type" && it[1].starts_with("check"))
    {
        out.push(Act::Typecheck);
    }
    if words(&["build", "builds"]) {
        out.push(Act::Build);
    }
    out
}

/// Tools that the clause names as plain words.
fn tool_words(reading: &Reading) -> Vec<String> {
    const TOOLS: &[&str] = &[
        "pytest", "jest", "vitest", "mocha", "eslint", "clippy", "vet", "flake8", "pylint", "prettier",
        "black", "gofmt", "rustfmt", "mypy", "pyright", "tsc", "rspec",
    ];
    // With several kinds in one clause a name belongs to one of them only.
    if 1 < acts(reading).len() {
        Vec::new()
    } else {
        reading.words.iter().filter(|word| TOOLS.contains(&word.as_str())).cloned().collect()
    }
}

/// Whether a run of `done` is a run of `claimed`.
pub(super) fn fits(done: Act, claimed: Act) -> bool {
    done == claimed
        || matches!((claimed, done), (Act::Build, Act::Test) | (Act::Typecheck, Act::Build | Act::Test))
}

/// The words of a command written as code; `None` when it is none.
fn command(code: &str) -> Option<Vec<String>> {
    let words: Vec<String> = code
        .split_whitespace()
        .take(6)
        .filter(|word| !word.starts_with('-') && !word.contains('='))
        .map(|word| word.trim_matches(['\'', '"', ';']).to_lowercase())
        .collect();
    let first = words.first()?;
    let plain = first.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c));
    (plain && !first.ends_with('/')).then_some(words)
}

/// Whether `evidence` ran the command with these words.
fn ran(evidence: &Evidence, words: &[String]) -> bool {
    if !matches!(evidence.channel, Channel::Shell | Channel::Mcp | Channel::Delegate | Channel::Other) {
        return false;
    }
    if evidence.channel == Channel::Delegate {
        return evidence.opaque;
    }
    if is_rehearsal(evidence) && !words.iter().any(|word| word.contains("dry")) {
        return false;
    }
    let summary = evidence.summary.to_lowercase();
    let has = |word: &str| {
        let stem = word.rsplit('/').next().unwrap_or(word);
        let stem = stem.split('.').next().filter(|it| !it.is_empty()).unwrap_or(stem);
        evidence.words.iter().any(|it| it == word || it == stem)
            || evidence.runs.iter().any(|run| run.program.split(' ').any(|it| it == word))
            || summary.contains(word)
    };
    let wrapped = [
        "npx",
        "uv",
        "poetry",
        "pnpm",
        "yarn",
        "npm",
        "bunx",
        "python",
        "python3",
        "run",
        "sudo",
        "bundle",
        "exec",
        "pdm",
        "cargo",
        "make",
        "./gradlew",
        "mvn",
    ];
    let significant: Vec<&String> = words.iter().filter(|word| !wrapped.contains(&word.as_str())).collect();
    match significant.first() {
        None => words.iter().all(|word| has(word)),
        // The program and, where it has one, the subcommand; paths and filters are scope.
        Some(first) => {
            let plain = |word: &&&String| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            has(first) && significant.get(1).filter(plain).is_none_or(|second| has(second))
        }
    }
}

/// A dry run: nothing happened.
pub(super) fn is_rehearsal(evidence: &Evidence) -> bool {
    const OPTIONS: &[&str] = &[
        "dry-run",
        "--dry-run",
        "just-print",
        "--just-print",
        "collect-only",
        "--collect-only",
        "list-tests",
        "--pretend",
        "pretend",
    ];
    evidence
        .words
        .iter()
        .any(|word| OPTIONS.contains(&word.as_str()) || matches!(word.as_str(), "help" | "--help"))
        || evidence.summary.contains("make -n ")
        || evidence.summary.contains("--dry-run")
        // Statements are printed instead of run.
        || evidence.summary.contains(" --sql")
}

fn failed<'a>(evidence: &'a [Evidence], words: &[String]) -> Option<(&'a Evidence, &'a super::Failure)> {
    let first = words.first()?;
    evidence.iter().rev().find_map(|it| {
        let failure = it.failure.as_ref()?;
        failure.target.split_whitespace().any(|word| word == first).then_some((it, failure))
    })
}

/// `20 times` where it was run once.
fn too_few(reading: &Reading, act: Act, evidence: &[Evidence]) -> Option<Ruling> {
    let at = reading.words.iter().position(|word| word == "times")?;
    let word = reading.words.get(at.checked_sub(1)?)?;
    let wanted: u64 = word.parse().ok().or_else(|| {
        let numbers = super::super::language::LANGUAGES[0].numbers;
        numbers.iter().find(|(name, _)| name == word).map(|(_, number)| *number)
    })?;
    let done: u64 = evidence
        .iter()
        .flat_map(|it| &it.runs)
        .filter(|run| fits(run.act, act))
        .map(|run| u64::from(run.times))
        .sum();
    let free = evidence.iter().any(|it| it.opaque && it.failure.is_none() && it.channel == Channel::Shell);
    (done < wanted && !free).then(|| {
        Ruling::not_run(format!("it was run {done} times, not {wanted}"), format!("counted the runs: {done}"))
    })
}

fn verified(reading: &Reading, bench: &mut Bench<'_>) -> Ruling {
    let evidence = bench.evidence;
    if reading.verb == "checked"
        && reading.count.is_some_and(|count| 1 < count)
        && super::look::counted_files(reading)
    {
        return super::look::judge(reading, bench);
    }
    if reading.verb == "checked"
        && let Some(ruling) = super::look::unrelated(reading, evidence)
    {
        return ruling;
    }
    // "tested", "verified that …": anything that looks or runs may be it.
    // What is tested or tried is run, not only written.
    let run = reading.said && (reading.verb.contains("test") || reading.verb.starts_with("tried"));
    let any = evidence.iter().rev().find(|it| {
        it.failure.as_ref().is_none_or(|it| it.kind != FailureKind::Refused)
            && !(run && it.channel == Channel::File)
    });
    if let Some(found) = any {
        return Ruling::by(found);
    }
    let what = if reading.verb.contains("test") { "nothing was run" } else { "nothing was looked at or run" };
    Ruling::not_run(what.to_owned(), "the session has no tool call".to_owned())
}

/// Where something is said to hold.
pub(super) fn at_venue(venue: Venue, evidence: &[Evidence]) -> Ruling {
    let (words, name): (&[&str], &str) = match venue {
        Venue::Browser => (
            &[
                "browser",
                "playwright",
                "puppeteer",
                "chrome",
                "chromium",
                "selenium",
                "cypress",
                "webdriver",
                "navigate",
                "screenshot",
                "firefox",
                "safari",
                "webkit",
                "devtools",
                "cdp",
            ],
            "a browser",
        ),
        Venue::Integration => (
            &[
                "ci",
                "actions",
                "workflow",
                "workflows",
                "checks",
                "pipeline",
                "pipelines",
                "buildkite",
                "circleci",
                "jenkins",
                "glab",
                "travis",
            ],
            "continuous integration",
        ),
        Venue::Staging => (&["staging", "stage", "stg"], "the staging environment"),
        Venue::Production => (&["production", "prod", "live"], "production"),
        Venue::Device => {
            (&["adb", "simctl", "simulator", "emulator", "xcrun", "device", "devicectl"], "the device")
        }
    };
    let seen = |it: &&Evidence| {
        let named = it.words.iter().any(|word| {
            words.iter().any(|wanted| word == wanted || (4 < wanted.len() && word.contains(wanted)))
        });
        let gh = venue == Venue::Integration
            && it.words.iter().any(|word| word == "gh")
            && it.words.iter().any(|word| matches!(word.as_str(), "run" | "pr" | "api" | "workflow"));
        // What an agent reads of a place is words of that place; editing a file named so is no look.
        let looks = !matches!(it.channel, Channel::File)
            || it.files.iter().any(|file| file.act == Act::Read && file.path.contains(".log"));
        (named || gh) && looks
    };
    if let Some(found) = evidence.iter().rev().find(seen) {
        return Ruling::by(found);
    }
    let free: &[Channel] = match venue {
        Venue::Browser | Venue::Device => &[Channel::Shell, Channel::Delegate],
        _ => &[Channel::Delegate],
    };
    if let Some(found) = opaque(evidence, free) {
        return Ruling::by(found);
    }
    if venue == Venue::Integration
        && let Some(found) = evidence.iter().rev().find(|it| it.channel == Channel::Web)
    {
        return Ruling::by(found);
    }
    Ruling::not_run(format!("no call looked at {name}"), format!("looked for a call that reaches {name}"))
}

fn name(act: Act) -> &'static str {
    match act {
        Act::Test => "a test",
        Act::Build => "a build",
        Act::Lint => "a linter",
        Act::Typecheck => "a type checker",
        Act::Format => "a formatter",
        _ => "a command",
    }
}
