//! Programs that judge: test runners, builds, linters, type checkers, formatters; and scripts by their names.

mod builders;
mod languages;
mod scripts;

pub(super) use scripts::{judge_file, script};

use builders::builder;
use languages::{artisan, cargo, deno, go, interpreter, manage, node, python, shell};

use super::super::FileAct;
use super::{Act, Meaning, Role, Tool, Words, outputs};

/// Options that take a value, over all these programs; the values are no scope.
const VALUED: &[&str] = &[
    "--config",
    "-c",
    "--project",
    "--maxfail",
    "--tb",
    "--cov",
    "--cov-report",
    "-n",
    "--numprocesses",
    "--timeout",
    "--durations",
    "-o",
    "--output",
    "--reporter",
    "--reporters",
    "--format",
    "-f",
    "--max-warnings",
    "--ext",
    "--parser",
    "--target-version",
    "-j",
    "--jobs",
    "--profile",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--features",
    "-F",
    "--color",
    "--message-format",
    "--test-threads",
    "-count",
    "--count",
    "-timeout",
    "-coverprofile",
    "-tags",
    "-cpu",
    "--workers",
    "--retries",
    "--seed",
    "--ignore-path",
    "--log-level",
    "--junitxml",
    "--rootdir",
    "-W",
    "--line-length",
    "--select",
    "--ignore",
    "--extend-select",
    "--python-version",
    "--rcfile",
    "--maxWorkers",
    "-w",
    "--workspace",
    "--configuration",
    "--logger",
    "--verbosity",
    "--browser",
    "--shard",
    "-C",
    "--dir",
    "--cwd",
    "--prefix",
    "-e",
    "--require",
    "-r",
    "--import",
    "--outDir",
    "--outdir",
    "-D",
    "-l",
    "--cache-location",
    "--severity",
    "--toolchain",
];

/// Options whose value narrows the run.
const NARROWING: &[&str] = &[
    "-k",
    "-m",
    "-run",
    "--run",
    "-t",
    "--testNamePattern",
    "--filter",
    "-p",
    "--package",
    "--test",
    "--bin",
    "--example",
    "-g",
    "--grep",
    "--testPathPattern",
    "--testPathPatterns",
    "--tests",
    "-Dtest",
    "--test-name-pattern",
    "-R",
    "-bench",
    "--only",
    "--spec",
    "-s",
    "-E",
    "--exclude",
    "--deselect",
    "--plain-name",
    "--group",
    "--testsuite",
    "-pl",
    "-skip",
    "--skip",
    "--project",
    "--suite",
    "-L",
    "--gtest_filter",
];

/// Flags that narrow the run by themselves.
const NARROWING_FLAGS: &[&str] = &[
    "--lib",
    "--bins",
    "--doc",
    "--examples",
    "--last-failed",
    "--lf",
    "--onlyChanged",
    "--changed",
    "-short",
    "--staged",
];

/// Whether an option takes the next word; formatters use some of the letters for themselves.
fn takes_value(program: &str, option: &str) -> bool {
    let own = match program {
        "gofmt" | "gofumpt" | "goimports" => matches!(option, "-w" | "-l" | "-d" | "-e" | "-s"),
        "prettier" => matches!(option, "-w" | "-l" | "-c"),
        "shfmt" | "clang-format" => matches!(option, "-w" | "-l" | "-d" | "-i" | "-s"),
        _ => false,
    };
    !own && VALUED.contains(&option)
}

/// Paths, packages and filters of a run; the whole is none.
pub(super) fn scope(words: Words<'_>, narrowing: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut args = words.args.iter();
    while let Some(arg) = args.next() {
        if let Some((name, value)) = arg.split_once('=').filter(|_| arg.starts_with('-')) {
            if narrowing.contains(&name) {
                out.push(value.to_owned());
            }
        } else if narrowing.contains(&arg.as_str()) {
            out.extend(args.next().cloned());
        } else if takes_value(words.name, arg) {
            args.next();
        } else if NARROWING_FLAGS.contains(&arg.as_str()) || (!arg.starts_with('-') && !arg.is_empty()) {
            out.push(arg.clone());
        }
    }
    out.retain(|it| {
        !matches!(
            it.as_str(),
            "." | "./" | "./..." | "..." | "*" | "**" | "./*" | "all" | "run" | ":/" | "//..."
        ) && !it.strip_suffix("sln").is_some_and(|it| it.ends_with('.'))
    });
    out
}

/// Runners without subcommands: name, act, reader, options whose values narrow.
const RUNNERS: &[(&str, Act, Tool, &[&str])] = &[
    ("pytest", Act::Test, Tool::Pytest, &["-k", "-m", "--deselect", "--ignore-glob"]),
    ("py.test", Act::Test, Tool::Pytest, &["-k", "-m"]),
    (
        "jest",
        Act::Test,
        Tool::Jest,
        &["-t", "--testNamePattern", "--testPathPattern", "--testPathPatterns", "--selectProjects"],
    ),
    ("react-scripts", Act::Test, Tool::Jest, &["-t", "--testNamePattern", "--testPathPattern"]),
    ("vitest", Act::Test, Tool::Vitest, &["-t", "--testNamePattern", "--project"]),
    ("mocha", Act::Test, Tool::Mocha, &["-g", "--grep", "--fgrep"]),
    ("ava", Act::Test, Tool::Generic, &["-m", "--match"]),
    ("tap", Act::Test, Tool::NodeTest, &["-g", "--grep"]),
    ("jasmine", Act::Test, Tool::Generic, &["--filter"]),
    ("karma", Act::Test, Tool::Generic, &[]),
    ("tox", Act::Test, Tool::Tox, &["-e"]),
    ("nox", Act::Test, Tool::Tox, &["-s", "-e", "--session"]),
    ("nose2", Act::Test, Tool::Unittest, &[]),
    ("nosetests", Act::Test, Tool::Unittest, &[]),
    ("behave", Act::Test, Tool::Generic, &["-n", "--name", "-t"]),
    ("rspec", Act::Test, Tool::Rspec, &["-e", "--example", "-t", "--tag"]),
    ("minitest", Act::Test, Tool::Minitest, &["-n"]),
    ("cucumber", Act::Test, Tool::Generic, &["-t", "--tags", "-n"]),
    ("phpunit", Act::Test, Tool::Phpunit, &["--filter", "--group", "--testsuite"]),
    ("pest", Act::Test, Tool::Phpunit, &["--filter", "--group", "--testsuite"]),
    ("ctest", Act::Test, Tool::Ctest, &["-R", "-L", "-E", "--tests-regex"]),
    ("bats", Act::Test, Tool::Mix, &["-f", "--filter"]),
    ("gotestsum", Act::Test, Tool::GoTest, &["-run"]),
    ("busted", Act::Test, Tool::Generic, &["-t", "--filter"]),
    ("xcodebuild", Act::Build, Tool::Swift, &["-scheme", "-only-testing"]),
    ("tsc", Act::Typecheck, Tool::Tsc, &[]),
    ("tsgo", Act::Typecheck, Tool::Tsc, &[]),
    ("vue-tsc", Act::Typecheck, Tool::Tsc, &[]),
    ("svelte-check", Act::Typecheck, Tool::Pyright, &[]),
    ("mypy", Act::Typecheck, Tool::Mypy, &["-p", "-m"]),
    ("dmypy", Act::Typecheck, Tool::Mypy, &[]),
    ("pyright", Act::Typecheck, Tool::Pyright, &[]),
    ("basedpyright", Act::Typecheck, Tool::Pyright, &[]),
    ("pyre", Act::Typecheck, Tool::Plain, &[]),
    ("ty", Act::Typecheck, Tool::Ruff, &[]),
    ("pytype", Act::Typecheck, Tool::Plain, &[]),
    ("flow", Act::Typecheck, Tool::Plain, &[]),
    ("eslint", Act::Lint, Tool::Eslint, &[]),
    ("oxlint", Act::Lint, Tool::Biome, &[]),
    ("xo", Act::Lint, Tool::Eslint, &[]),
    ("standard", Act::Lint, Tool::Eslint, &[]),
    ("stylelint", Act::Lint, Tool::Stylelint, &[]),
    ("flake8", Act::Lint, Tool::Flake8, &[]),
    ("pyflakes", Act::Lint, Tool::Flake8, &[]),
    ("pycodestyle", Act::Lint, Tool::Flake8, &[]),
    ("pylint", Act::Lint, Tool::Pylint, &[]),
    ("bandit", Act::Lint, Tool::Plain, &[]),
    ("vulture", Act::Lint, Tool::Plain, &[]),
    ("semgrep", Act::Lint, Tool::Plain, &[]),
    ("golangci-lint", Act::Lint, Tool::Golangci, &[]),
    ("staticcheck", Act::Lint, Tool::GoCompiler, &[]),
    ("revive", Act::Lint, Tool::GoCompiler, &[]),
    ("rubocop", Act::Lint, Tool::Plain, &[]),
    ("shellcheck", Act::Lint, Tool::Shellcheck, &[]),
    ("hadolint", Act::Lint, Tool::Hadolint, &[]),
    ("yamllint", Act::Lint, Tool::Plain, &[]),
    ("actionlint", Act::Lint, Tool::Plain, &[]),
    ("markdownlint", Act::Lint, Tool::Plain, &[]),
    ("markdownlint-cli2", Act::Lint, Tool::Plain, &[]),
    ("sqlfluff", Act::Lint, Tool::Plain, &[]),
    ("tflint", Act::Lint, Tool::Plain, &[]),
    ("trivy", Act::Lint, Tool::Plain, &[]),
    ("phpstan", Act::Lint, Tool::Plain, &[]),
    ("psalm", Act::Lint, Tool::Plain, &[]),
    ("ktlint", Act::Lint, Tool::Plain, &[]),
    ("detekt", Act::Lint, Tool::Plain, &[]),
    ("swiftlint", Act::Lint, Tool::Plain, &[]),
    ("clang-tidy", Act::Lint, Tool::Make, &[]),
    ("cppcheck", Act::Lint, Tool::Plain, &[]),
    ("knip", Act::Lint, Tool::Plain, &[]),
    ("depcheck", Act::Lint, Tool::Plain, &[]),
    ("commitlint", Act::Lint, Tool::Plain, &[]),
    ("cspell", Act::Lint, Tool::Plain, &[]),
    ("credo", Act::Lint, Tool::Plain, &[]),
    ("black", Act::Format, Tool::Black, &[]),
    ("isort", Act::Format, Tool::Isort, &[]),
    ("autopep8", Act::Format, Tool::Plain, &[]),
    ("yapf", Act::Format, Tool::Plain, &[]),
    ("prettier", Act::Format, Tool::Prettier, &[]),
    ("dprint", Act::Format, Tool::Plain, &[]),
    ("gofmt", Act::Format, Tool::Gofmt, &[]),
    ("gofumpt", Act::Format, Tool::Gofmt, &[]),
    ("goimports", Act::Format, Tool::Gofmt, &[]),
    ("rustfmt", Act::Format, Tool::Rustfmt, &[]),
    ("clang-format", Act::Format, Tool::Plain, &[]),
    ("shfmt", Act::Format, Tool::Plain, &[]),
    ("stylua", Act::Format, Tool::Plain, &[]),
    ("taplo", Act::Format, Tool::Plain, &[]),
    ("webpack", Act::Build, Tool::Bundler, &[]),
    ("rollup", Act::Build, Tool::Bundler, &[]),
    ("esbuild", Act::Build, Tool::Bundler, &[]),
    ("tsup", Act::Build, Tool::Bundler, &[]),
    ("parcel", Act::Build, Tool::Bundler, &[]),
    ("swc", Act::Build, Tool::Plain, &[]),
    ("gcc", Act::Build, Tool::Make, &[]),
    ("g++", Act::Build, Tool::Make, &[]),
    ("cc", Act::Build, Tool::Make, &[]),
    ("clang", Act::Build, Tool::Make, &[]),
    ("clang++", Act::Build, Tool::Make, &[]),
    ("rustc", Act::Build, Tool::Rustc, &[]),
    ("javac", Act::Build, Tool::Make, &[]),
    ("kotlinc", Act::Build, Tool::Make, &[]),
    ("ninja", Act::Build, Tool::Make, &[]),
    ("mkdocs", Act::Build, Tool::Plain, &[]),
    ("pyinstaller", Act::Build, Tool::Plain, &[]),
    ("cdk", Act::Build, Tool::Plain, &[]),
];

pub(super) fn meaning(words: Words<'_>) -> Option<Meaning> {
    let name = words.name.trim_end_matches(".cmd");
    let first = words.args.iter().find(|it| !it.starts_with('-')).map(String::as_str).unwrap_or_default();
    match name {
        "manage.py" => return Some(manage(words)),
        "artisan" => return Some(artisan(words)),
        "cargo" => return Some(cargo(words)),
        "go" => return go(words),
        "python" | "python3" | "python2" | "pypy3" | "py" => return Some(python(words)),
        "node" | "nodejs" | "tsx" | "ts-node" | "bun" => return Some(node(words)),
        "deno" => return Some(deno(words, first)),
        "bash" | "sh" | "zsh" | "dash" | "fish" | "ksh" | "pwsh" => return Some(shell(words)),
        "ruby" | "perl" | "php" | "lua" | "Rscript" | "julia" | "osascript" | "java" | "swift-run"
        | "elixir" | "scala" => {
            if name == "ruby" && words.has(&["-Itest", "-Ilib:test"]) {
                return Some(run_of(Act::Test, name, Tool::Minitest, scope(words, NARROWING)));
            }
            if name == "php" && first == "artisan" {
                return Some(artisan(words.inner(0)?));
            }
            return Some(interpreter(words, first));
        }
        "make" | "gmake" | "just" | "task" | "mage" | "invoke" | "rake" | "ant" | "bazel" | "buck2"
        | "pants" | "nx" | "turbo" | "moon" | "lerna" | "grunt" | "gulp" | "mvn" | "mvnw" | "gradle"
        | "gradlew" | "sbt" | "dotnet" | "swift" | "mix" | "flutter" | "dart" | "zig" | "cmake" | "meson"
        | "rails" | "stack" | "cabal" | "lein" | "dune" | "wrangler" | "hatch" => {
            return Some(builder(words, first));
        }
        "ruff" => return Some(ruff(words, first)),
        "biome" | "rome" => return Some(biome(words, first)),
        "playwright" | "cypress" => {
            return Some(match first {
                "test" | "run" => {
                    let tool = if name == "cypress" { Tool::Cypress } else { Tool::Playwright };
                    let inner = words.inner(0).unwrap_or(words);
                    run_of(Act::Test, name, tool, scope(inner, &["-g", "--grep", "--spec", "--project"]))
                }
                "install" => Meaning::new(Role::Deed, format!("{name} install")).deed(Act::Install, name),
                _ => Meaning::new(Role::Deed, name).opaque(),
            });
        }
        "next" | "vite" | "nuxt" | "astro" | "remix" | "ng" | "vue-cli-service" | "expo" | "svelte-kit"
        | "gatsby" => {
            return Some(match first {
                "build" | "generate" | "export" => {
                    run_of(Act::Build, &format!("{name} build"), Tool::Bundler, Vec::new())
                }
                "lint" => run_of(Act::Lint, &format!("{name} lint"), Tool::Eslint, Vec::new()),
                "test" => run_of(Act::Test, &format!("{name} test"), Tool::Generic, Vec::new()),
                "check" => run_of(Act::Typecheck, &format!("{name} check"), Tool::Pyright, Vec::new()),
                "dev" | "start" | "preview" | "serve" | "" => {
                    Meaning::new(Role::Deed, format!("{name} {first}").trim()).deed(Act::Service, name)
                }
                _ => Meaning::new(Role::Deed, format!("{name} {first}")).opaque(),
            });
        }
        "pre-commit" | "prek" => {
            return Some(match first {
                "run" => run_of(Act::Lint, "pre-commit", Tool::PreCommit, Vec::new()).opaque(),
                "install" => Meaning::new(Role::Deed, "pre-commit install").deed(Act::Install, "pre-commit"),
                _ => Meaning::new(Role::Look, "pre-commit"),
            });
        }
        "husky" | "lint-staged" => {
            return Some(run_of(Act::Lint, name, Tool::PreCommit, Vec::new()).opaque());
        }
        _ => {}
    }
    let (_, act, tool, narrowing) = RUNNERS.iter().find(|(it, ..)| *it == name)?;
    let skip = usize::from(
        matches!(
            name,
            "react-scripts"
                | "vitest"
                | "golangci-lint"
                | "ty"
                | "taplo"
                | "cdk"
                | "mkdocs"
                | "dprint"
                | "sqlfluff"
                | "markdownlint"
                | "nox"
        ) && matches!(
            first,
            "test" | "run" | "check" | "lint" | "watch" | "related" | "synth" | "build" | "fmt" | "format"
        ),
    );
    let inner = words.inner(skip.saturating_sub(1)).filter(|_| skip == 1).unwrap_or(words);
    if name == "react-scripts" && first != "test" {
        return Some(run_of(
            if first == "build" { Act::Build } else { Act::Service },
            &format!("react-scripts {first}"),
            Tool::Bundler,
            Vec::new(),
        ));
    }
    let act = match (name, first) {
        ("xcodebuild", _) if words.args.iter().any(|it| it == "test") => Act::Test,
        ("golangci-lint", "fmt") => Act::Format,
        _ => *act,
    };
    let mut meaning = run_of(act, name, *tool, scope(inner, narrowing));
    if matches!(name, "tsc" | "vue-tsc" | "tsgo") {
        // Without `--noEmit` it compiles as well.
        if !words.has(&["--noEmit"]) {
            meaning = meaning.judge(Act::Build, name, Tool::Tsc, scope(inner, narrowing));
        }
    }
    writes(words, act, &mut meaning);
    if matches!(act, Act::Build | Act::Test | Act::Lint) {
        outputs(words, &mut meaning);
    }
    Some(meaning)
}

/// A judge that is asked to list what it would run, and runs nothing.
pub(super) fn only_lists(words: Words<'_>) -> bool {
    const LISTS: &[&str] = &[
        "--collect-only",
        "--co",
        "--fixtures",
        "--markers",
        "--setup-plan",
        "--listTests",
        "--showConfig",
        "--print-config",
        "--list-tests",
        "--list-tests-xml",
        "--list-suites",
        "--listFilesOnly",
        "--show-only",
        "--clearCache",
        "-list",
    ];
    words.has(LISTS)
        || match words.name {
            "ctest" => words.has(&["-N"]),
            "playwright" => words.has(&["--list"]),
            // `cargo test list` runs what is named so.
            "cargo" | "swift" => {
                let listed = if words.name == "cargo" { "nextest" } else { "test" };
                words.has(&["--list"]) || words.args.starts_with(&[listed.to_owned(), "list".to_owned()])
            }
            "vitest" => words.args.first().is_some_and(|it| it == "list"),
            "mocha" | "rspec" | "behave" | "cucumber" | "mix" | "gradle" | "gradlew" => {
                words.has(&["--dry-run", "-m"])
                    && (words.name.starts_with("gradle") || words.has(&["--dry-run"]))
            }
            "bazel" => words.has(&["--nobuild"]),
            "mvn" | "mvnw" => words.has(&["help:effective-pom", "dependency:tree", "help:describe"]),
            _ => false,
        }
}

fn run_of(act: Act, program: &str, tool: Tool, scope: Vec<String>) -> Meaning {
    Meaning::new(Role::Judge, program).judge(act, program, tool, scope)
}

/// Formatters that write, and linters with `--fix`, change what they look at.
fn writes(words: Words<'_>, act: Act, meaning: &mut Meaning) {
    let checks = words.has(&[
        "--check",
        "--check-only",
        "--diff",
        "-d",
        "--list-different",
        "-l",
        "--dry-run",
        "-n",
        "--stdout",
        "-c",
        "--check-formatted",
        "--verify",
        "--verify-no-changes",
        "--set-exit-if-changed",
    ]);
    let fixes = words.has(&[
        "--fix",
        "--write",
        "-w",
        "-i",
        "--in-place",
        "--apply",
        "--apply-unsafe",
        "--autocorrect",
        "-a",
        "-A",
        "--unsafe-fixes",
    ]);
    let by_default = matches!(words.name, "black" | "isort" | "rustfmt" | "stylua" | "dprint" | "taplo");
    let formats = act == Act::Format && by_default && !checks;
    let written = match act {
        Act::Format => formats || (fixes && !(checks && words.name != "gofmt")),
        Act::Lint => fixes,
        _ => false,
    };
    if written {
        let valued: Vec<&str> = VALUED.iter().copied().filter(|it| takes_value(words.name, it)).collect();
        let operands = words.operands(&valued);
        let places: Vec<&str> = operands
            .into_iter()
            .filter(|it| !matches!(*it, "check" | "format" | "fmt" | "lint" | "run" | ""))
            .collect();
        for place in if places.is_empty() { vec!["."] } else { places } {
            meaning.files.push(FileAct::tree(Act::Edit, place));
        }
    }
}

fn ruff(words: Words<'_>, verb: &str) -> Meaning {
    let inner = words.inner(words.args.iter().position(|it| it == verb).unwrap_or(0)).unwrap_or(words);
    match verb {
        "format" => {
            let meaning = run_of(Act::Format, "ruff format", Tool::RuffFormat, scope(inner, &[]));
            if words.has(&["--check", "--diff"]) { meaning } else { edits(inner, meaning) }
        }
        "rule" | "linter" | "config" | "clean" | "server" | "version" => Meaning::new(Role::Look, "ruff"),
        "check" => {
            let meaning = run_of(Act::Lint, "ruff check", Tool::Ruff, scope(inner, &[]));
            if words.has(&["--fix", "--fix-only"]) { edits(inner, meaning) } else { meaning }
        }
        _ => run_of(Act::Lint, "ruff", Tool::Ruff, scope(words, &[])),
    }
}

fn edits(inner: Words<'_>, mut meaning: Meaning) -> Meaning {
    let places = inner.operands(VALUED);
    for place in if places.is_empty() { vec!["."] } else { places } {
        meaning = meaning.tree(Act::Edit, place);
    }
    meaning
}

fn biome(words: Words<'_>, verb: &str) -> Meaning {
    let inner = words.inner(0).unwrap_or(words);
    let places = scope(inner, &[]);
    let mut meaning = match verb {
        "format" => run_of(Act::Format, "biome", Tool::Biome, places),
        "lint" => run_of(Act::Lint, "biome", Tool::Biome, places),
        "check" | "ci" => run_of(Act::Lint, "biome", Tool::Biome, places.clone()).judge(
            Act::Format,
            "biome",
            Tool::Biome,
            places,
        ),
        _ => return Meaning::new(Role::Deed, format!("biome {verb}")).opaque(),
    };
    if words.has(&["--write", "--fix", "--apply", "--apply-unsafe"]) {
        meaning = edits(inner, meaning);
    }
    meaning
}
