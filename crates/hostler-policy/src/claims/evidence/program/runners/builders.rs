//! Builders that run targets.

use super::super::{Act, Meaning, Role, Tool, Words, folder_scope, named_deeds};
use super::scripts::judge_by_name;
use super::{NARROWING, run_of, scope};

/// Builders that run targets: `make test`, `mvn verify`, `gradle build`, `dotnet test`.
pub(super) fn builder(words: Words<'_>, first: &str) -> Meaning {
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
    let gradle = matches!(name, "gradle" | "gradlew");
    // What gradle's `-x` names is left out.
    let valued: Vec<&str> =
        if gradle { valued.into_iter().chain(["-x", "--exclude-task"]).collect() } else { valued.to_vec() };
    let mut targets = words.operands(&valued);
    // `nx run web:test`
    let project = targets.get(1).filter(|_| name == "nx" && first == "run").and_then(|it| it.split_once(':'));
    if let Some((_, target)) = project {
        targets = vec![target];
    }
    if matches!(name, "turbo" | "lerna" | "moon") && first == "run" && 1 < targets.len() {
        targets.remove(0);
    }
    let targets = targets;
    let mut meaning = Meaning::new(Role::Deed, format!("{name} {first}").trim());
    let quiet = words.has(&["-n", "--dry-run", "--just-print", "--list", "-l", "--summary"])
        && matches!(name, "make" | "gmake" | "just");
    if quiet {
        return Meaning::new(Role::Look, name);
    }
    if matches!(name, "rails" | "rake" | "mix") && (shows(first) || words.has(&["-T", "-P", "-W"])) {
        return Meaning::new(Role::Look, format!("{name} {first}").trim());
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
    let whole = places;
    for target in list {
        let program = format!("{name} {target}");
        let (module, last) = target.rsplit_once(':').unwrap_or(("", target));
        let mut places = whole.clone();
        let module = module.trim_start_matches(':');
        if gradle && !module.is_empty() {
            // `:core:test`
            places.push(module.to_owned());
        }
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
    if leaves_tests_out(words) {
        meaning.judges.retain(|judge| judge.act != Act::Test);
    }
    meaning.narrow(project.map(|(project, _)| project.to_owned()));
    meaning.narrow(folder(words).and_then(folder_scope));
    if name.starts_with("mvn") {
        meaning.narrow(words.value(&["-pl", "--projects"]).map(str::to_owned));
    }
    meaning
}

/// A task that shows a state: `db:migrate:status`.
fn shows(task: &str) -> bool {
    matches!(task, "routes" | "stats" | "about" | "notes" | "db:version" | "ecto.migrations" | "phx.routes")
        || task.ends_with(":status")
        || task.ends_with("abort_if_pending_migrations")
}

/// `-DskipTests`, `-x test`.
fn leaves_tests_out(words: Words<'_>) -> bool {
    let skips = |arg: &String| {
        matches!(arg.strip_suffix("=true").unwrap_or(arg), "-DskipTests" | "-Dmaven.test.skip")
    };
    words.args.iter().any(skips)
        || (words.name.starts_with("gradle") && words.value(&["-x", "--exclude-task"]) == Some("test"))
}

/// The folder that the builder is told to work in.
fn folder(words: Words<'_>) -> Option<&str> {
    match words.name {
        "make" | "gmake" => words.value(&["-C", "--directory"]),
        "mvn" | "mvnw" => words.value(&["-f", "--file"]).map(|it| it.strip_suffix("/pom.xml").unwrap_or(it)),
        "gradle" | "gradlew" => words.value(&["-p", "--project-dir"]),
        "just" => words.value(&["-d", "--working-directory"]),
        _ => None,
    }
}
