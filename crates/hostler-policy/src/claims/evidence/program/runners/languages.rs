//! Tools of languages and their interpreters.

use super::super::{
    Act, Meaning, Role, Tool, Words, base, folder_scope, named_deeds, outputs, packages, systems,
};
use super::scripts::{script, script_file};
use super::{RUNNERS, meaning, run_of, scope};

pub(super) fn cargo(words: Words<'_>) -> Meaning {
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
    let manifest = words.own().value(&["--manifest-path"]).and_then(|it| it.strip_suffix("/Cargo.toml"));
    places.extend(manifest.and_then(folder_scope));
    let program = format!("cargo {verb}");
    match verb {
        "test" | "t" | "nextest" | "bench" if words.has(&["--no-run"]) => {
            run_of(Act::Build, &program, Tool::Rustc, places)
        }
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

pub(super) fn go(words: Words<'_>) -> Option<Meaning> {
    // `go -C tools/lint test ./...`
    let at = if words.args.first().is_some_and(|it| it == "-C") { 2 } else { 0 };
    let verb = words.args.get(at)?.as_str();
    let inner = words.inner(at)?;
    let narrowing = ["-run", "-bench", "-skip"];
    let mut places = scope(inner, &narrowing);
    places.extend(words.value(&["-C"]).and_then(folder_scope));
    Some(match verb {
        // Nothing is run by a pattern that no test has; it compiles.
        "test"
            if inner.has(&["-c"]) || inner.value(&["-run"]).is_some_and(|it| matches!(it, "^$" | "NONE")) =>
        {
            places.retain(|it| !matches!(it.as_str(), "^$" | "NONE"));
            run_of(Act::Build, "go test", Tool::GoCompiler, places)
        }
        "test" => {
            let mut meaning = run_of(Act::Test, "go test", Tool::GoTest, places);
            outputs(words, &mut meaning);
            meaning
        }
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

pub(super) fn python(words: Words<'_>) -> Meaning {
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
        _ => packages::meaning(inner)
            .or_else(|| meaning(inner))
            .or_else(|| systems::meaning(inner))
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

pub(super) fn manage(inner: Words<'_>) -> Meaning {
    let verb = inner.args.first().map(String::as_str).unwrap_or_default();
    let target = format!("manage.py {verb}");
    let rest = inner.inner(0).unwrap_or(inner);
    match verb {
        "test" => run_of(Act::Test, "manage.py test", Tool::Unittest, scope(rest, &["-k", "--tag", "-t"])),
        "migrate" if rest.has(&["--plan", "--check"]) => Meaning::new(Role::Answer, target),
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

pub(super) fn artisan(words: Words<'_>) -> Meaning {
    let verb = words.args.first().map(String::as_str).unwrap_or_default();
    let inner = words.inner(0).unwrap_or(words);
    if verb == "test" {
        return run_of(
            Act::Test,
            "artisan test",
            Tool::Phpunit,
            scope(inner, &["--filter", "--group", "--testsuite"]),
        );
    }
    let shows = verb.ends_with(":status") || verb.ends_with(":list") || verb.ends_with(":show");
    if shows || matches!(verb, "list" | "about" | "env") || inner.has(&["--pretend"]) {
        return Meaning::new(Role::Look, format!("artisan {verb}"));
    }
    let mut meaning = Meaning::new(Role::Deed, format!("artisan {verb}")).opaque();
    named_deeds(verb, &mut meaning);
    meaning
}

pub(super) fn node(words: Words<'_>) -> Meaning {
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

pub(super) fn deno(words: Words<'_>, verb: &str) -> Meaning {
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

pub(super) fn shell(words: Words<'_>) -> Meaning {
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

pub(super) fn interpreter(words: Words<'_>, first: &str) -> Meaning {
    if words.has(&["-e", "-E", "-r", "-c", "-ne", "-pe", "-lne", "-nle"]) || first.is_empty() {
        return Meaning::new(Role::Deed, words.name);
    }
    script_file(first, words)
}
