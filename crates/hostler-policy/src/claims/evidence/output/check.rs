//! Linters, type checkers, compilers, formatters, builds.

use super::super::text::{after, count, counted, has, leading_count, lines};
use super::{RunOutcome, Tool};

/// What `tool` said; `None` when its output holds nothing that it says of a result.
pub(in super::super) fn check(tool: Tool, text: &str) -> Option<RunOutcome> {
    match tool {
        Tool::Rustc => rustc(text),
        Tool::Rustfmt => found(lines(text).filter(|line| line.starts_with("Diff in ")).count()),
        Tool::GoCompiler => found(lines(text).filter(|line| located(line, &[".go:"])).count()),
        Tool::Gofmt => found(
            lines(text)
                .filter(|line| std::path::Path::new(line.trim()).extension().is_some_and(|it| it == "go"))
                .count(),
        ),
        Tool::Golangci => golangci(text),
        Tool::Ruff => ruff(text),
        Tool::RuffFormat => reformatted(text),
        Tool::Mypy => mypy(text),
        Tool::Pyright => pyright(text),
        Tool::Flake8 => found(lines(text).filter(|line| located(line, &[".py:"])).count()),
        Tool::Pylint => pylint(text),
        Tool::Black => black(text),
        Tool::Isort => found(lines(text).filter(|line| line.starts_with("ERROR: ")).count()),
        Tool::Tsc => tsc(text),
        Tool::Eslint | Tool::Stylelint => eslint(text),
        Tool::Biome => biome(text),
        Tool::Prettier => prettier(text),
        Tool::Shellcheck => {
            found(lines(text).filter(|line| line.starts_with("In ") && line.ends_with(':')).count())
        }
        Tool::Hadolint => {
            found(lines(text).filter(|line| line.contains(" DL") || line.contains(" SC")).count())
        }
        Tool::Terraform => terraform(text),
        Tool::PreCommit => pre_commit(text),
        Tool::Bundler => bundler(text),
        Tool::Make => make(text),
        Tool::Maven | Tool::Gradle => verdict(text, "BUILD SUCCESS", "BUILD FAIL"),
        Tool::Dotnet => dotnet(text),
        _ => None,
    }
}

/// The number of things found; none says nothing, since other programs may have printed the output.
fn found(number: usize) -> Option<RunOutcome> {
    (0 < number).then(|| errors(number as u64))
}

fn passed() -> RunOutcome {
    RunOutcome { passed: Some(true), ..RunOutcome::default() }
}

fn errors(number: u64) -> RunOutcome {
    RunOutcome { passed: Some(number == 0), errors: Some(number), ..RunOutcome::default() }
}

fn failed() -> RunOutcome {
    RunOutcome { passed: Some(false), ..RunOutcome::default() }
}

fn with_warnings(number: u64, warnings: u64) -> RunOutcome {
    RunOutcome { warnings: Some(warnings), ..errors(number) }
}

fn verdict(text: &str, good: &str, bad: &str) -> Option<RunOutcome> {
    if lines(text).any(|line| line.contains(bad)) {
        return Some(failed());
    }
    lines(text).any(|line| line.contains(good)).then(passed)
}

/// `path.go:3:4: …`, `./x.go:3: …`: one of the endings, then a number.
fn located(line: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| {
        line.find(ending).is_some_and(|at| {
            !line[..at].contains(' ') && line[at + ending.len()..].starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

/// The last line with `N errors` and `M warnings`.
fn pyright(text: &str) -> Option<RunOutcome> {
    lines(text).rev().find_map(|line| {
        let parts = counted(line);
        let number =
            |name: &str| parts.iter().find(|(_, it)| it.trim_end_matches('s') == name).map(|it| it.0);
        Some(with_warnings(number("error")?, number("warning")?))
    })
}

fn rustc(text: &str) -> Option<RunOutcome> {
    let (mut errors, mut warnings, mut summed) = (0, 0, None);
    let (mut finished, mut broken) = (false, false);
    for line in lines(text) {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("warning: ") {
            if rest.contains(" generated ") && rest.contains(" warning") {
                let number = rest.split(" generated ").nth(1).and_then(leading_count).unwrap_or(0);
                let duplicates =
                    rest.split('(').skip(1).find(|it| it.contains("duplicate")).and_then(leading_count);
                summed = Some(summed.unwrap_or(0) + number.saturating_sub(duplicates.unwrap_or(0)));
            } else {
                warnings += 1;
            }
        } else if line.starts_with("warning[") {
            warnings += 1;
        } else if line.starts_with("error[") {
            errors += 1;
        } else if let Some(rest) = line.strip_prefix("error: ") {
            broken = true;
            let summary = rest.starts_with("could not compile")
                || rest.starts_with("aborting due to")
                || rest.starts_with("test failed")
                || rest.starts_with("build failed")
                || rest.contains("target failed");
            errors += u64::from(!summary);
            if let Some(number) = rest.split_once("due to ").map(|(_, it)| {
                it.strip_prefix("previous error").map_or_else(|| leading_count(it), |_| Some(1))
            }) {
                errors = errors.max(number.unwrap_or(0));
            }
        } else if line.starts_with("Finished ") {
            finished = true;
        }
    }
    if !finished && !broken && errors == 0 && warnings == 0 {
        return None;
    }
    let warnings = summed.unwrap_or(warnings);
    let mut outcome = with_warnings(errors, warnings);
    outcome.passed = if broken || 0 < errors { Some(false) } else { finished.then_some(true) };
    Some(outcome)
}

fn golangci(text: &str) -> Option<RunOutcome> {
    let summary = lines(text).rev().find_map(|line| {
        line.trim().strip_suffix(" issues:").or(line.trim().strip_suffix(" issues.")).and_then(count)
    });
    match summary {
        Some(number) => Some(errors(number)),
        None => found(lines(text).filter(|line| located(line, &[".go:"])).count()),
    }
}

fn ruff(text: &str) -> Option<RunOutcome> {
    let mut outcome: Option<RunOutcome> = None;
    for line in lines(text) {
        let line = line.trim();
        let next = if line == "All checks passed!" {
            Some(errors(0))
        } else if let Some(rest) = line.strip_prefix("Found ") {
            let remaining = rest.split_once('(').and_then(|(_, inner)| {
                counted(inner).into_iter().find(|(_, word)| word == "remaining").map(|it| it.0)
            });
            let fixed = rest.split_once("fixed").is_some() && remaining.is_none() && rest.contains("fixed)");
            match (remaining, leading_count(rest)) {
                (Some(number), _) => Some(errors(number)),
                (None, Some(_)) if fixed => Some(errors(0)),
                (None, Some(number)) if rest.contains("error") => Some(errors(number)),
                _ => None,
            }
        } else {
            None
        };
        if let Some(next) = next {
            outcome = Some(match outcome {
                Some(so_far) => super::sum(&so_far, &next),
                None => next,
            });
        }
    }
    outcome
}

/// `1 file would be reformatted, 3 files already formatted`.
fn reformatted(text: &str) -> Option<RunOutcome> {
    lines(text).rev().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).find_map(
        |line| {
            if line.contains("would be reformatted") {
                Some(failed())
            } else {
                ["already formatted", "left unchanged", "reformatted"]
                    .iter()
                    .any(|it| line.contains(it))
                    .then(passed)
            }
        },
    )
}

fn mypy(text: &str) -> Option<RunOutcome> {
    lines(text).rev().find_map(|line| {
        if line.starts_with("Success: no issues found") {
            Some(errors(0))
        } else {
            line.strip_prefix("Found ")
                .filter(|it| it.contains(" error") && it.contains(" in "))
                .and_then(leading_count)
                .map(errors)
        }
    })
}

fn pylint(text: &str) -> Option<RunOutcome> {
    let message = |line: &&str, kinds: &[char]| {
        located(line, &[".py:"])
            && line.split(": ").nth(1).is_some_and(|code| {
                code.len() == 5 && code.starts_with(kinds) && code[1..].bytes().all(|it| it.is_ascii_digit())
            })
    };
    let errors = lines(text).filter(|line| message(line, &['E', 'F'])).count() as u64;
    let warnings = lines(text).filter(|line| message(line, &['W', 'C', 'R'])).count() as u64;
    if errors + warnings == 0 {
        return lines(text).any(|line| line.contains("rated at 10.00/10")).then(passed);
    }
    let mut outcome = with_warnings(errors, warnings);
    outcome.passed = Some(false);
    Some(outcome)
}

fn black(text: &str) -> Option<RunOutcome> {
    lines(text).rev().find_map(|line| {
        let line = line.trim();
        if line.contains("would be reformatted") || line.contains("failed to reformat") {
            Some(failed())
        } else if line.contains("left unchanged") || line.contains("reformatted") {
            line.starts_with(|c: char| c.is_ascii_digit()).then(passed)
        } else {
            None
        }
    })
}

fn tsc(text: &str) -> Option<RunOutcome> {
    let marked = lines(text).filter(|line| line.contains("error TS")).count() as u64;
    let stated = lines(text).rev().find_map(|line| {
        line.trim()
            .strip_prefix("Found ")
            .filter(|it| it.contains(" error") && it.contains(" in "))
            .and_then(leading_count)
    });
    match (stated, marked) {
        (Some(number), marked) => Some(errors(number.max(marked))),
        (None, 0) => None,
        (None, number) => Some(errors(number)),
    }
}

fn eslint(text: &str) -> Option<RunOutcome> {
    for line in lines(text).rev() {
        let line = line.trim();
        if (line.starts_with('✖') || line.starts_with(|c: char| c.is_ascii_digit()))
            && line.contains(" problem")
        {
            let parts = counted(line);
            let number =
                |name: &str| parts.iter().find(|(_, it)| it.trim_end_matches('s') == name).map(|it| it.0);
            let errors = number("error").or_else(|| number("problem"))?;
            return Some(with_warnings(errors, number("warning").unwrap_or(0)));
        }
        if line.contains("No ESLint warnings or errors") {
            return Some(errors(0));
        }
    }
    None
}

fn biome(text: &str) -> Option<RunOutcome> {
    let mut outcome: Option<RunOutcome> = None;
    for line in lines(text) {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Found ") {
            let number = leading_count(rest).unwrap_or(0);
            let entry = outcome.get_or_insert_with(passed);
            if rest.contains("error") {
                entry.errors = Some(number);
                entry.passed = Some(number == 0);
            } else if rest.contains("warning") {
                entry.warnings = Some(number);
            }
        } else if line.starts_with("Checked ") && line.contains(" file") {
            outcome.get_or_insert_with(passed);
        }
    }
    outcome
}

fn prettier(text: &str) -> Option<RunOutcome> {
    if lines(text).any(|line| line.contains("All matched files use Prettier code style")) {
        return Some(passed());
    }
    let marked =
        lines(text).filter(|line| line.starts_with("[warn] ") && !line.contains("Code style issues")).count();
    let issues = lines(text).any(|line| line.contains("Code style issues"));
    if issues || 0 < marked {
        return Some(RunOutcome { warnings: Some(marked as u64), ..failed() });
    }
    lines(text).any(|line| line.starts_with("[error]")).then(failed)
}

fn terraform(text: &str) -> Option<RunOutcome> {
    if lines(text).any(|line| line.contains("The configuration is valid")) {
        return Some(passed());
    }
    let errors =
        lines(text).filter(|line| line.trim_start_matches(['│', '╷', ' ']).starts_with("Error: ")).count();
    (0 < errors).then(|| super::check::errors(errors as u64))
}

/// `ruff.......................Passed`.
fn pre_commit(text: &str) -> Option<RunOutcome> {
    let marks = |mark: &str| {
        lines(text).filter(|line| line.contains("...") && line.trim_end().ends_with(mark)).count() as u64
    };
    let (ok, bad) = (marks("Passed"), marks("Failed"));
    (0 < ok + bad).then(|| RunOutcome {
        passed: Some(bad == 0),
        units_passed: Some(ok),
        ..RunOutcome::default()
    })
}

/// webpack, vite, next, rollup, esbuild, tsup.
fn bundler(text: &str) -> Option<RunOutcome> {
    let bad = |line: &str| {
        line.contains("Failed to compile")
            || line.contains("Build failed")
            || line.contains("build failed")
            || line.contains("error during build")
            || line.starts_with("ERROR in ")
            || line.contains("error TS")
            || line.contains("Build error occurred")
            || (line.contains("compiled with ") && has(line, "error"))
    };
    if lines(text).any(bad) {
        let number = lines(text)
            .filter(|line| line.starts_with("ERROR in ") || line.contains("error TS"))
            .count() as u64;
        return Some(RunOutcome { errors: Some(number).filter(|it| 0 < *it), ..failed() });
    }
    let good = |line: &str| {
        let line = line.trim();
        line.contains("built in ")
            || has(line, "compiled successfully")
            || line.contains("compiled with ")
            || line.contains("Build success")
            || line.contains("Build complete")
            || line.starts_with("⚡ Done in")
            || (line.starts_with("created ") && line.contains(" in "))
            || line.contains("Generating static pages (") && line.contains('✓')
    };
    let warnings = lines(text).find_map(|line| after(line, "compiled with ")).filter(|_| true);
    lines(text).any(good).then(|| RunOutcome { warnings, ..passed() })
}

/// Builds by make and its kin: the compiler's own marks.
fn make(text: &str) -> Option<RunOutcome> {
    let broken = lines(text).any(|line| {
        (line.starts_with("make") && line.contains(": *** ")) || line.starts_with("ninja: build stopped")
    });
    let number = lines(text)
        .filter(|line| line.contains(": error:") || line.contains(": fatal error:"))
        .count() as u64;
    let warnings = lines(text).filter(|line| line.contains(": warning:")).count() as u64;
    if broken || 0 < number {
        return Some(RunOutcome {
            errors: Some(number).filter(|it| 0 < *it),
            warnings: Some(warnings).filter(|it| 0 < *it),
            ..failed()
        });
    }
    (0 < warnings).then(|| RunOutcome { warnings: Some(warnings), passed: None, ..RunOutcome::default() })
}

fn dotnet(text: &str) -> Option<RunOutcome> {
    let number = |label: &str| {
        lines(text).rev().find_map(|line| line.trim().strip_suffix(label).and_then(|it| count(it.trim())))
    };
    let errors = number("Error(s)");
    let warnings = number("Warning(s)");
    let broken = lines(text).any(|line| line.contains("Build FAILED") || line.contains(": error CS"));
    let fine = lines(text).any(|line| line.contains("Build succeeded"));
    (broken || fine || errors.is_some()).then(|| RunOutcome {
        passed: Some(!broken && errors.unwrap_or(0) == 0),
        errors,
        warnings,
        ..RunOutcome::default()
    })
}
