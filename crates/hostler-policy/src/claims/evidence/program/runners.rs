//! Programs that judge: test runners, builds, linters, type checkers, formatters; and scripts by their names.

use super::super::FileAct;
use super::{Act, Meaning, Role, Tool, Words, base, named_deeds, outputs, rehearses};

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
        !matches!(it.as_str(), "." | "./" | "./..." | "..." | "*" | "**" | "./*" | "all" | "run" | ":/")
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
                return Some(artisan(words));
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
            meaning.files.push(FileAct { act: Act::Edit, path: place.to_owned(), tree: true, times: 1 });
        }
    }
}

fn cargo(words: Words<'_>) -> Meaning {
    let at = words.args.iter().position(|it| !it.starts_with(['-', '+']));
    let verb = at.map(|at| words.args[at].as_str()).unwrap_or_default();
    let inner = at.and_then(|at| words.inner(at)).unwrap_or(words);
    let narrowing = [
        "-p",
        "--package",
        "--test",
        "--bin",
        "--example",
        "--bench",
        "-E",
        "--skip",
        "--exclude",
        "--filter-expr",
    ];
    let mut places = scope(inner, &narrowing);
    places.retain(|it| !matches!(it.as_str(), "--doc"));
    let program = format!("cargo {verb}");
    match verb {
        "test" | "t" if words.has(&["--no-run"]) => run_of(Act::Build, &program, Tool::Rustc, places),
        "test" | "t" => run_of(Act::Test, "cargo test", Tool::CargoTest, places),
        "nextest" => {
            places.retain(|it| it != "run" && it != "r");
            run_of(Act::Test, "cargo nextest", Tool::Nextest, places)
        }
        "llvm-cov" | "tarpaulin" | "careful" | "miri" | "mutants" => {
            places.retain(|it| !matches!(it.as_str(), "test" | "nextest"));
            run_of(Act::Test, &program, Tool::CargoTest, places)
        }
        "build" | "b" => run_of(Act::Build, "cargo build", Tool::Rustc, places),
        "check" | "c" => run_of(Act::Build, "cargo check", Tool::Rustc, places.clone()).judge(
            Act::Typecheck,
            "cargo check",
            Tool::Rustc,
            places,
        ),
        "clippy" => {
            let mut meaning = run_of(Act::Lint, "cargo clippy", Tool::Rustc, clippy_scope(places));
            if words.has(&["--fix"]) {
                meaning = meaning.tree(Act::Edit, ".");
            }
            meaning
        }
        "fix" => run_of(Act::Lint, "cargo fix", Tool::Rustc, places).tree(Act::Edit, "."),
        "fmt" => {
            let meaning = run_of(Act::Format, "cargo fmt", Tool::Rustfmt, places);
            if words.has(&["--check"]) { meaning } else { meaning.tree(Act::Edit, ".") }
        }
        "doc" | "rustdoc" | "dist" => run_of(Act::Build, &program, Tool::Rustc, places),
        "bench" => run_of(Act::Run, "cargo bench", Tool::Rustc, places).deed(Act::Run, "cargo bench"),
        "run" | "r" => Meaning::new(Role::Deed, "cargo run")
            .deed(Act::Run, places.first().cloned().unwrap_or_else(|| "cargo run".to_owned()))
            .opaque(),
        "sqlx" => Meaning::new(Role::Deed, program).deed(Act::Migrate, "").opaque(),
        "insta" => Meaning::new(Role::Deed, program).opaque(),
        _ => {
            let mut meaning =
                Meaning::new(Role::Deed, program.trim()).opaque().deed(Act::Run, program.trim());
            named_deeds(verb, &mut meaning);
            meaning
        }
    }
}

/// Lints after `--` are no scope: `cargo clippy -- -D warnings`.
fn clippy_scope(mut places: Vec<String>) -> Vec<String> {
    places.retain(|it| it != "warnings" && !it.starts_with("clippy::"));
    places
}

fn go(words: Words<'_>) -> Option<Meaning> {
    let verb = words.args.first()?.as_str();
    let inner = words.inner(0)?;
    let narrowing = ["-run", "-bench", "-skip"];
    let places = scope(inner, &narrowing);
    Some(match verb {
        "test" => run_of(Act::Test, "go test", Tool::GoTest, places),
        "build" => {
            let mut meaning = run_of(Act::Build, "go build", Tool::GoCompiler, places);
            outputs(words, &mut meaning);
            meaning
        }
        "vet" => run_of(Act::Lint, "go vet", Tool::GoCompiler, places),
        "fmt" => run_of(Act::Format, "go fmt", Tool::Plain, places).tree(Act::Edit, "."),
        "fix" => Meaning::new(Role::Deed, "go fix").tree(Act::Edit, "."),
        "run" => Meaning::new(Role::Deed, "go run")
            .deed(Act::Run, places.first().cloned().unwrap_or_default())
            .opaque(),
        "generate" => Meaning::new(Role::Deed, "go generate").opaque(),
        _ => return None,
    })
}

fn python(words: Words<'_>) -> Meaning {
    let mut args = words.args.iter().enumerate();
    while let Some((index, arg)) = args.next() {
        match arg.as_str() {
            "-m" => {
                let Some(inner) = words.inner(index + 1) else { break };
                return module(inner);
            }
            "-c" | "-" => return Meaning::new(Role::Deed, words.name),
            "-W" | "-X" => {
                args.next();
            }
            _ if arg.starts_with('-') => {}
            _ => {
                if base(arg) == "manage.py"
                    && let Some(inner) = words.inner(index)
                {
                    return manage(inner);
                }
                if let Some(inner) = words.inner(index)
                    && RUNNERS.iter().any(|(name, ..)| *name == inner.name)
                {
                    return meaning(inner).unwrap_or_default();
                }
                return script_file(arg, words);
            }
        }
    }
    Meaning::new(Role::Deed, words.name)
}

fn module(inner: Words<'_>) -> Meaning {
    match inner.name {
        "unittest" => {
            let places = scope(inner, &["-k", "-s", "-p"]);
            let places = places
                .into_iter()
                .filter(|it| it != "discover" && it != "tests" && it != "test*.py")
                .collect();
            run_of(Act::Test, "unittest", Tool::Unittest, places)
        }
        "py_compile" | "compileall" => run_of(Act::Build, inner.name, Tool::Plain, scope(inner, &[])),
        "json.tool" | "timeit" | "this" | "site" | "sysconfig" | "platform" | "pydoc" | "dis" | "ast"
        | "tokenize" => Meaning::new(Role::Look, format!("python -m {}", inner.name)),
        "http.server" => Meaning::new(Role::Deed, "python -m http.server").deed(Act::Service, "http.server"),
        "coverage" => match inner.args.first().map(String::as_str) {
            Some("run") => {
                let at = inner.args.iter().position(|it| it == "-m");
                match at.and_then(|at| inner.inner(at + 1)) {
                    Some(inner) => module(inner),
                    None => Meaning::new(Role::Deed, "coverage run").opaque(),
                }
            }
            _ => run_of(Act::Run, "coverage", Tool::Plain, Vec::new()),
        },
        "django" => manage(inner),
        _ => super::packages::meaning(inner)
            .or_else(|| meaning(inner))
            .or_else(|| super::systems::meaning(inner))
            .unwrap_or_else(|| {
                let mut found = Meaning::new(Role::Deed, format!("python -m {}", inner.word))
                    .opaque()
                    .deed(Act::Run, inner.word);
                named_deeds(inner.name, &mut found);
                outputs(inner, &mut found);
                found
            }),
    }
}

fn manage(inner: Words<'_>) -> Meaning {
    let verb = inner.args.first().map(String::as_str).unwrap_or_default();
    let target = format!("manage.py {verb}");
    let rest = inner.inner(0).unwrap_or(inner);
    match verb {
        "test" => run_of(Act::Test, "manage.py test", Tool::Unittest, scope(rest, &["-k", "--tag", "-t"])),
        "migrate" | "loaddata" => {
            Meaning::new(Role::Deed, target).deed(Act::Migrate, rest.operands(&[]).join(" "))
        }
        "check" => run_of(Act::Lint, "manage.py check", Tool::Plain, Vec::new()),
        "showmigrations" | "sqlmigrate" | "inspectdb" | "diffsettings" => Meaning::new(Role::Look, target),
        "runserver" => Meaning::new(Role::Deed, target).deed(Act::Service, "runserver"),
        "makemigrations" if rest.has(&["--check", "--dry-run"]) => Meaning::new(Role::Answer, target),
        _ => {
            let mut meaning = Meaning::new(Role::Deed, target).opaque();
            named_deeds(verb, &mut meaning);
            meaning
        }
    }
}

fn artisan(words: Words<'_>) -> Meaning {
    let verb = words.args.get(1).map(String::as_str).unwrap_or_default();
    let inner = words.inner(1).unwrap_or(words);
    if verb == "test" {
        return run_of(
            Act::Test,
            "artisan test",
            Tool::Phpunit,
            scope(inner, &["--filter", "--group", "--testsuite"]),
        );
    }
    let mut meaning = Meaning::new(Role::Deed, format!("artisan {verb}")).opaque();
    named_deeds(verb, &mut meaning);
    meaning
}

fn node(words: Words<'_>) -> Meaning {
    if words.has(&["--test"]) {
        let skip = [
            "--test-reporter",
            "--test-reporter-destination",
            "--experimental-test-coverage",
            "--import",
            "--require",
            "-r",
            "--test-concurrency",
        ];
        let places = words
            .operands(&skip)
            .into_iter()
            .map(str::to_owned)
            .chain(words.value(&["--test-name-pattern"]).map(str::to_owned))
            .filter(|it| !matches!(it.as_str(), "."))
            .collect();
        return run_of(Act::Test, "node --test", Tool::NodeTest, places);
    }
    if words.has(&["--check", "-c"]) && words.name == "node" {
        return run_of(Act::Build, "node --check", Tool::Plain, scope(words, &[]));
    }
    if words.has(&["-e", "-p", "--eval", "--print", "-pe"]) {
        return Meaning::new(Role::Deed, words.name);
    }
    let first = words
        .operands(&["-r", "--require", "--import", "--loader", "--env-file", "--tsconfig", "--conditions"])
        .first()
        .copied()
        .unwrap_or_default();
    if words.name == "bun" && first == "test" {
        return run_of(
            Act::Test,
            "bun test",
            Tool::Bun,
            scope(words.inner(0).unwrap_or(words), &["-t", "--test-name-pattern"]),
        );
    }
    if first.is_empty() {
        return Meaning::new(Role::Deed, words.name);
    }
    // `node node_modules/.bin/jest`, `node ./node_modules/jest/bin/jest.js`
    let stem = base(first).trim_end_matches(".js").trim_end_matches(".mjs");
    if first.contains("node_modules/")
        && let Some(at) = words.args.iter().position(|it| it == first)
    {
        let mut inner: Vec<String> = words.args[at..].to_vec();
        stem.clone_into(&mut inner[0]);
        if let Some(inner) = Words::new(&inner) {
            return meaning(inner).unwrap_or_else(|| script_file(first, words));
        }
    }
    script_file(first, words)
}

fn deno(words: Words<'_>, verb: &str) -> Meaning {
    let inner = words.inner(0).unwrap_or(words);
    match verb {
        "test" => run_of(Act::Test, "deno test", Tool::Deno, scope(inner, &["--filter"])),
        "lint" => run_of(Act::Lint, "deno lint", Tool::Plain, scope(inner, &[])),
        "check" => run_of(Act::Typecheck, "deno check", Tool::Plain, scope(inner, &[])),
        "fmt" => {
            let meaning = run_of(Act::Format, "deno fmt", Tool::Plain, scope(inner, &[]));
            if words.has(&["--check"]) { meaning } else { meaning.tree(Act::Edit, ".") }
        }
        "task" => {
            let name = inner.operands(&[]).first().copied().unwrap_or_default().to_owned();
            script(&name, &format!("deno task {name}"), inner)
        }
        "add" | "install" => Meaning::new(Role::Deed, format!("deno {verb}"))
            .deed(Act::Install, inner.operands(&[]).join(" "))
            .file(Act::Edit, "deno.json"),
        "compile" | "bundle" => run_of(Act::Build, &format!("deno {verb}"), Tool::Plain, Vec::new()),
        "info" | "doc" | "types" => Meaning::new(Role::Look, format!("deno {verb}")),
        _ => Meaning::new(Role::Deed, format!("deno {verb}").trim()).opaque(),
    }
}

fn shell(words: Words<'_>) -> Meaning {
    if words.has(&["-n"]) {
        return run_of(Act::Lint, "bash -n", Tool::Plain, scope(words, &[]));
    }
    let file = words.operands(&["-o", "-c", "-O", "--rcfile"]).first().copied().unwrap_or_default();
    if file.is_empty()
        || words.args.iter().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('c'))
    {
        return Meaning::new(Role::Neutral, words.name);
    }
    script_file(file, words)
}

fn interpreter(words: Words<'_>, first: &str) -> Meaning {
    if words.has(&["-e", "-E", "-r", "-c", "-ne", "-pe", "-lne", "-nle"]) || first.is_empty() {
        return Meaning::new(Role::Deed, words.name);
    }
    script_file(first, words)
}

/// A script of the project, run by its interpreter.
fn script_file(file: &str, words: Words<'_>) -> Meaning {
    let mut meaning = Meaning::new(Role::Deed, base(file)).opaque().deed(Act::Run, file);
    named_deeds(base(file), &mut meaning);
    outputs(words, &mut meaning);
    judge_file(file, &mut meaning);
    rehearses(words, &mut meaning);
    meaning
}

/// What a script's file name says that it judges: `run-tests.sh`, `build.sh`; a `check` may check anything.
pub(super) fn judge_file(file: &str, meaning: &mut Meaning) {
    let name = base(file);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let vague = ["check", "verify", "validate", "ci", "quality"].iter().any(|it| stem.contains(it));
    if !vague {
        judge_by_name(name, name, Words { name, word: file, args: &[] }, meaning);
    }
}

/// A script that a manifest names: `npm run lint:fix`.
pub(super) fn script(name: &str, target: &str, words: Words<'_>) -> Meaning {
    let mut meaning = Meaning::new(Role::Deed, target);
    let at = words.args.iter().position(|it| it == "--");
    let after = words.args.get(at.map_or(words.args.len(), |at| at + 1)..).unwrap_or_default();
    let inner = Words { args: after, ..words };
    judge_by_name(name, target, inner, &mut meaning);
    named_deeds(name, &mut meaning);
    let lower = name.to_lowercase();
    let fixes = ["fix", "write"].iter().any(|it| lower.contains(it))
        || lower == "format"
        || lower == "fmt"
        || inner.has(&["--fix", "--write"]);
    if meaning.judges.is_empty() || fixes || meaning.judges.iter().any(|it| it.act == Act::Build) {
        // A build writes its products; what an unknown script does is not told.
        if meaning.judges.is_empty() {
            meaning.opaque = true;
            meaning = meaning.deed(Act::Run, name);
        }
        if fixes {
            meaning = meaning.tree(Act::Edit, ".");
        }
    }
    let clean = lower == "clean";
    if clean { meaning.opaque() } else { meaning }
}

/// What a script or target of this name judges.
fn judge_by_name(name: &str, program: &str, words: Words<'_>, meaning: &mut Meaning) {
    let lower = name.to_lowercase();
    let lower = lower.trim_end_matches(".sh").trim_end_matches(".py").trim_end_matches(".js");
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let joined = parts.join("");
    let has = |names: &[&str]| parts.iter().any(|part| names.contains(part));
    let mut acts: Vec<(Act, Tool)> = Vec::new();
    let starts = parts.first().copied().unwrap_or_default();
    if matches!(
        starts,
        "deploy"
            | "release"
            | "publish"
            | "start"
            | "dev"
            | "serve"
            | "watch"
            | "generate"
            | "create"
            | "add"
            | "update"
            | "setup"
            | "install"
    ) {
        return;
    }
    if has(&[
        "test",
        "tests",
        "unit",
        "e2e",
        "spec",
        "specs",
        "coverage",
        "cov",
        "vitest",
        "jest",
        "playwright",
        "cypress",
        "smoke",
    ]) {
        acts.push((Act::Test, Tool::Generic));
    }
    if has(&["typecheck", "types", "tsc", "mypy", "typescript", "typechecks"])
        || joined.contains("typecheck")
        || joined.contains("checktypes")
    {
        acts.push((Act::Typecheck, Tool::Plain));
    }
    if has(&["lint", "linter", "eslint", "linting", "clippy", "vet", "biome", "ruff"]) {
        acts.push((Act::Lint, Tool::Plain));
    }
    if has(&["format", "fmt", "prettier"]) {
        acts.push((Act::Format, Tool::Plain));
    }
    if has(&["build", "compile", "bundle"]) && !has(&["test", "tests"]) {
        acts.push((Act::Build, Tool::Plain));
    }
    if acts.is_empty() && has(&["check", "checks", "verify", "validate", "ci", "quality", "precommit"])
        || joined == "precommit"
    {
        acts.push((Act::Lint, Tool::Plain));
        acts.push((Act::Typecheck, Tool::Plain));
        if has(&["ci", "verify"]) {
            acts.push((Act::Test, Tool::Generic));
            acts.push((Act::Build, Tool::Plain));
        }
    }
    let places = scope(words, NARROWING);
    for (act, tool) in acts {
        let next = std::mem::take(meaning);
        *meaning = next.judge(act, program, tool, places.clone());
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

/// Builders that run targets: `make test`, `mvn verify`, `gradle build`, `dotnet test`.
fn builder(words: Words<'_>, first: &str) -> Meaning {
    let name = words.name;
    let test_tool = match name {
        "mvn" | "mvnw" => Tool::Maven,
        "gradle" | "gradlew" => Tool::Gradle,
        "dotnet" => Tool::Dotnet,
        "swift" => Tool::Swift,
        "mix" => Tool::Mix,
        "flutter" | "dart" => Tool::Flutter,
        "rake" | "rails" => Tool::Minitest,
        _ => Tool::Generic,
    };
    let build_tool = match name {
        "mvn" | "mvnw" => Tool::Maven,
        "gradle" | "gradlew" => Tool::Gradle,
        "dotnet" => Tool::Dotnet,
        "make" | "gmake" | "cmake" | "ninja" | "meson" => Tool::Make,
        _ => Tool::Plain,
    };
    let valued = [
        "-C",
        "-f",
        "-j",
        "-p",
        "-pl",
        "-P",
        "--project",
        "-s",
        "-c",
        "--configuration",
        "--filter",
        "-o",
        "-v",
        "--logger",
        "-t",
        "--target",
        "--tests",
        "--gtest_filter",
    ];
    let targets = words.operands(&valued);
    let mut meaning = Meaning::new(Role::Deed, format!("{name} {first}").trim());
    let quiet = words.has(&["-n", "--dry-run", "--just-print", "--list", "-l", "--summary"])
        && matches!(name, "make" | "gmake" | "just");
    if quiet {
        return Meaning::new(Role::Look, name);
    }
    if name == "make" && targets.is_empty() || name == "gmake" && targets.is_empty() {
        return meaning.judge(Act::Build, "make", build_tool, Vec::new()).opaque();
    }
    if name == "cmake" {
        return if words.has(&["--build"]) {
            run_of(Act::Build, "cmake --build", Tool::Make, Vec::new())
        } else {
            Meaning::new(Role::Deed, "cmake").tree(Act::Create, words.value(&["-B"]).unwrap_or("build"))
        };
    }
    let list: Vec<&str> = match name {
        // `dotnet test x.csproj`, `swift test --filter A`, `mix test test/a_test.exs`: one verb, then what it is about.
        "dotnet" | "swift" | "mix" | "flutter" | "dart" | "zig" | "nx" | "turbo" | "rails" | "stack"
        | "cabal" | "bazel" | "lerna" | "lein" | "dune" => targets.iter().take(1).copied().collect(),
        _ => targets.clone(),
    };
    let places: Vec<String> = if list.len() < targets.len()
        || words.has(&["--filter", "--tests", "-pl", "-Dtest", "--plain-name"])
    {
        let inner = words
            .args
            .iter()
            .position(|it| Some(&it.as_str()) == list.first())
            .and_then(|at| words.inner(at));
        scope(inner.unwrap_or(words), NARROWING)
            .into_iter()
            .filter(|it| !list.contains(&it.as_str()))
            .collect()
    } else {
        scope(
            Words {
                args: &words
                    .args
                    .iter()
                    .filter(|it| it.starts_with("-Dtest") || it.starts_with("--tests"))
                    .cloned()
                    .collect::<Vec<_>>(),
                ..words
            },
            NARROWING,
        )
    };
    for target in list {
        let program = format!("{name} {target}");
        let last = target.rsplit(':').next().unwrap_or(target);
        match (name, last) {
            ("mvn" | "mvnw", "test" | "verify" | "install" | "integration-test" | "surefire:test") => {
                meaning = meaning.judge(Act::Test, &program, test_tool, places.clone());
                if last != "test" {
                    meaning = meaning.judge(Act::Build, &program, build_tool, Vec::new());
                }
            }
            ("mvn" | "mvnw", "compile" | "package" | "test-compile")
            | (
                "gradle" | "gradlew",
                "assemble" | "classes" | "jar" | "bootJar" | "compileJava" | "compileKotlin"
                | "assembleDebug" | "assembleRelease",
            ) => {
                meaning = meaning.judge(Act::Build, &program, build_tool, Vec::new());
            }
            ("gradle" | "gradlew", "build" | "check") => {
                meaning = meaning
                    .judge(Act::Build, &program, build_tool, Vec::new())
                    .judge(Act::Test, &program, test_tool, places.clone())
                    .judge(Act::Lint, &program, Tool::Plain, Vec::new());
            }
            (
                "swift" | "dart" | "flutter" | "mix" | "dotnet" | "rails" | "rake" | "sbt" | "zig" | "bazel"
                | "cabal" | "stack" | "lein" | "dune",
                "test" | "testOnly" | "runtest" | "spec",
            ) => {
                meaning = meaning.judge(Act::Test, &program, test_tool, places.clone());
            }
            ("flutter" | "dart", "analyze") | ("mix", "credo" | "dialyzer") | ("dotnet", "format")
                if last != "format" || words.has(&["--verify-no-changes"]) =>
            {
                meaning = meaning.judge(Act::Lint, &program, Tool::Plain, Vec::new());
            }
            ("mix" | "dart" | "dotnet", "format") => {
                meaning = meaning.judge(Act::Format, &program, Tool::Plain, Vec::new());
                if !words.has(&["--check-formatted", "--set-exit-if-changed"]) {
                    meaning = meaning.tree(Act::Edit, ".");
                }
            }
            ("rails" | "rake" | "mix", _) if target.contains("migrate") || target.contains("seed") => {
                meaning = meaning.deed(Act::Migrate, target);
            }
            ("mix", "deps.get") => meaning = meaning.deed(Act::Install, ""),
            ("make" | "gmake", "install") => meaning = meaning.deed(Act::Install, "").opaque(),
            (_, "check") if matches!(name, "make" | "gmake" | "just" | "task") => {
                meaning = meaning
                    .judge(Act::Lint, &program, Tool::Generic, Vec::new())
                    .judge(Act::Typecheck, &program, Tool::Generic, Vec::new())
                    .judge(Act::Test, &program, Tool::Generic, Vec::new());
            }
            (_, "all") if matches!(name, "make" | "gmake") => {
                meaning = meaning.judge(Act::Build, &program, build_tool, Vec::new());
            }
            _ => {
                let before = meaning.judges.len();
                judge_by_name(last, &program, Words { args: &[], ..words }, &mut meaning);
                named_deeds(target, &mut meaning);
                for judge in meaning.judges.iter_mut().skip(before) {
                    judge.scope.clone_from(&places);
                    if judge.act == Act::Test {
                        judge.tool = test_tool;
                    } else if judge.act == Act::Build {
                        judge.tool = build_tool;
                    }
                }
                if meaning.judges.len() == before {
                    meaning = meaning.opaque().deed(Act::Run, program);
                }
            }
        }
    }
    meaning
}
