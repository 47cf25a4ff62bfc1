//! What the layout promises, checked over the sources and `cargo metadata`.
//!
//! Each check is a function over text that is first shown to find a seeded violation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Crates in which the same input gives the same output.
const PURE: &[&str] = &[
    "hostler-model",
    "hostler-policy",
    "hostler-host",
    "hostler-syntax",
    "hostler-trace",
    "hostler-knowledge",
    "hostler-cypher",
];
/// Crates that may print and end the process.
const LOUD: &[&str] = &["hostler", "testkit", "xtask"];
/// Longest source file, lines, tests aside.
const LINES_MAX: usize = 1_000;

/// Words that reach the world.
const EFFECTS: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::os::unix::net",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "thread::sleep",
    "SystemTime",
    "Instant",
    ".exists()",
    ".try_exists()",
    ".is_file()",
    ".is_dir()",
    ".is_symlink()",
    ".canonicalize()",
    ".symlink_metadata()",
    ".read_link()",
    ".read_dir()",
];
/// Words that print.
const PRINTS: &[&str] =
    &["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!(", "io::stdout", "io::stderr"];
/// Words that end the process.
const ENDS: &[&str] = &["process::exit", "process::abort", "ExitCode"];
/// Field names of Claude Code's hook protocol.
const CLAUDE_FIELDS: &[&str] = &[
    "hook_event_name",
    "tool_input",
    "tool_use_id",
    "tool_response",
    "stop_hook_active",
    "last_assistant_message",
    "hookSpecificOutput",
    "hookEventName",
    "permissionDecision",
    "additionalContext",
    "updatedInput",
    "systemMessage",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file below `folder` with this extension, `target` folders aside.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return out };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if entry.file_name() != "target" && entry.file_name() != ".git" {
                out.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|it| it == extension) {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// The product's part of a source file: no tests, no comments.
fn product(path: &Path) -> String {
    let in_tests = path.components().any(|part| part.as_os_str() == "tests")
        || path.file_name().is_some_and(|name| name == "tests.rs");
    if in_tests {
        return String::new();
    }
    without_tests_and_comments(&fs::read_to_string(path).unwrap())
}

fn without_tests_and_comments(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests").unwrap_or(text.len());
    let code = |line: &&str| !line.trim_start().starts_with("//");
    text[..end].lines().filter(code).collect::<Vec<_>>().join("\n")
}

/// Which of `words` stand in `text` as whole words.
fn named(text: &str, words: &[&str]) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let stands = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !(word.starts_with(is_word) && before.is_some_and(is_word)
                || word.ends_with(is_word) && after.is_some_and(is_word))
        })
    };
    words.iter().filter(|word| stands(word)).map(|word| (*word).to_owned()).collect()
}

/// Asserts that no product source below `folder` names one of `words`.
#[track_caller]
fn nobody_names(folder: &Path, words: &[&str], except: impl Fn(&Path) -> bool, why: &str) {
    let sources = files(folder, "rs");
    assert!(!sources.is_empty(), "no sources in `{}`", folder.display());
    let guilty: Vec<_> = sources
        .iter()
        .filter(|path| !except(path))
        .map(|path| (path, named(&product(path), words)))
        .filter(|(_, words)| !words.is_empty())
        .collect();
    assert!(guilty.is_empty(), "{why}: {guilty:#?}");
}

#[test]
fn the_scan_finds_what_is_seeded_and_nothing_else() {
    const NOTHING: [&str; 0] = [];
    let found = |text: &str, words: &[&str]| named(&without_tests_and_comments(text), words);
    assert_eq!(found("use std::fs;\nfn f() { fs::read(p) }", EFFECTS), ["std::fs"]);
    assert_eq!(found("let now = SystemTime::now();", EFFECTS), ["SystemTime"]);
    assert_eq!(found("path.exists()", EFFECTS), [".exists()"]);
    assert_eq!(found("println!(\"x\")", PRINTS), ["println!("]);
    assert_eq!(found("write!(out, \"x\")", PRINTS), NOTHING);
    assert_eq!(found("eprintln!(\"x\")", PRINTS), ["eprintln!("]);
    assert_eq!(found("// std::fs is not used", EFFECTS), NOTHING);
    assert_eq!(found("let instants = 1; let InstantX = 2;", EFFECTS), NOTHING);
    assert_eq!(found("fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }", EFFECTS), NOTHING);
    assert_eq!(found("json!({ \"tool_input\": 1 })", CLAUDE_FIELDS), ["tool_input"]);
}

#[test]
fn pure_crates_do_not_reach_the_world() {
    for name in PURE {
        let folder = root().join("crates").join(name).join("src");
        nobody_names(&folder, EFFECTS, |_| false, "a pure crate reaches the world");
        let library = fs::read_to_string(folder.join("lib.rs")).unwrap();
        assert!(
            library.contains("#![forbid(clippy::disallowed_methods, clippy::disallowed_macros)]"),
            "`{name}` does not forbid what its clippy.toml lists"
        );
    }
}

#[test]
fn clippy_stops_every_kind_of_effect_in_a_pure_crate() {
    // One line per kind; the lint must name each line.
    let violations = [
        "pub fn a() { let _ = std::fs::read(\"x\"); }",
        "pub fn b() { let _ = std::env::var(\"x\"); }",
        "pub fn c() { std::process::exit(1) }",
        "pub fn d() { let _ = std::process::Command::new(\"x\"); }",
        "pub fn e() { let _ = std::net::TcpStream::connect(\"x\"); }",
        "pub fn f() { let _ = std::time::SystemTime::now(); }",
        "pub fn g() { let _ = std::time::Instant::now(); }",
        "pub fn h() { println!(\"x\"); }",
        "pub fn i() { eprintln!(\"x\"); }",
        "pub fn j() { let _ = std::path::Path::new(\"x\").exists(); }",
        "pub fn k() { let _ = std::fs::File::open(\"x\"); }",
        "pub fn l() { let _ = std::io::stdout(); }",
    ];
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let source = folder.path().join("lib.rs");
    fs::write(&source, violations.join("\n")).unwrap();
    let toolchain = Path::new(env!("CARGO")).with_file_name("clippy-driver");
    let driver = if toolchain.exists() { toolchain } else { PathBuf::from("clippy-driver") };
    for name in PURE {
        let output = Command::new(&driver)
            .env("CLIPPY_CONF_DIR", root().join("crates").join(name))
            .args(["--crate-type=lib", "--edition=2024", "--emit=metadata", "--error-format=json"])
            .args([
                "-Wclippy::disallowed_methods",
                "-Wclippy::disallowed_types",
                "-Wclippy::disallowed_macros",
            ])
            .arg("--out-dir")
            .args([folder.path(), source.as_path()])
            .output();
        let Ok(output) = output else {
            testkit::client::skip("clippy_stops_every_kind_of_effect_in_a_pure_crate", "no `clippy-driver`");
            return;
        };
        let text = String::from_utf8(output.stderr).unwrap();
        let lines: BTreeSet<u64> = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|it| {
                it["code"]["code"].as_str().is_some_and(|code| code.starts_with("clippy::disallowed_"))
            })
            .filter_map(|it| it["spans"][0]["line_start"].as_u64())
            .collect();
        let expected: BTreeSet<u64> = (1..=violations.len() as u64).collect();
        assert_eq!(lines, expected, "`{name}`: {text}");
    }
}

/// Checks, facts and defects that are put into packages are about code, and show some as text; clippy keeps their crates
/// from running it.
fn shows_code(path: &Path) -> bool {
    ["crates/hostler-policy/src/checks", "crates/hostler-syntax/src", "xtask/src/released"]
        .iter()
        .any(|it| path.starts_with(root().join(it)))
}

#[test]
fn only_the_binary_prints_or_ends_the_process() {
    for entry in fs::read_dir(root().join("crates")).unwrap().flatten() {
        if !LOUD.iter().any(|name| entry.file_name() == **name) {
            let folder = entry.path().join("src");
            nobody_names(&folder, PRINTS, shows_code, "a library prints");
            nobody_names(&folder, ENDS, |_| false, "a library ends the process");
        }
    }
}

#[test]
fn a_hosts_words_stay_in_its_folder() {
    let claude = root().join("crates/hostler-host/src/claude");
    assert!(
        files(&claude, "rs").iter().any(|path| !named(&product(path), CLAUDE_FIELDS).is_empty()),
        "the host's own folder names none of its fields: the scan is blind"
    );
    for folder in ["crates", "xtask"] {
        nobody_names(
            &root().join(folder),
            CLAUDE_FIELDS,
            |path| path.starts_with(&claude),
            "a field of Claude Code's protocol outside its folder",
        );
    }
}

/// Files of the binary that `start` reaches through `crate::…` paths.
fn reached(source: &Path, start: &str) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from([start.to_owned()]);
    while let Some(module) = queue.pop_front() {
        let mut found = vec![source.join(format!("{module}.rs"))];
        found.extend(files(&source.join(&module), "rs"));
        for path in found.into_iter().filter(|path| path.is_file()) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let text = product(&path);
            // `use crate::{a, b::c}` and `crate::a::b` alike: every word that may name a module.
            for (at, _) in text.match_indices("crate::") {
                let rest = &text[at + "crate::".len()..];
                let list = match rest.strip_prefix('{') {
                    Some(group) => group.split("};").next().unwrap_or(group),
                    None => rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(rest),
                };
                queue.extend(list.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(ToOwned::to_owned));
            }
        }
    }
    seen
}

#[test]
fn the_hook_path_never_meets_the_command_line_parser() {
    let source = root().join("crates/hostler/src");
    let reached = reached(&source, "hook");
    assert!(1 < reached.len(), "the hook uses nothing of the binary: the scan is blind");
    for path in reached {
        let text = product(&path);
        let words = named(
            &text,
            &["clap", "tokio", "async", "rmcp", "hostler_serve", "hostler_remote", "hostler_store"],
        );
        assert!(words.is_empty(), "`{}` is on the hook path and names {words:?}", path.display());
        assert!(!path.starts_with(source.join("cli")), "the hook path reaches `{}`", path.display());
    }
}

/// Name -> names of declared dependencies, of every workspace member.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = document["packages"].as_array().unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    packages
        .iter()
        .map(|package| {
            (name(package), package["dependencies"].as_array().unwrap().iter().map(name).collect())
        })
        .collect()
}

#[test]
fn heavy_dependencies_have_one_owner() {
    let dependencies = dependencies();
    assert_eq!(dependencies["hostler-model"], BTreeSet::new(), "the vocabulary stands alone");
    let owners = |matches: &dyn Fn(&str) -> bool| -> BTreeSet<&str> {
        dependencies
            .iter()
            .filter(|(_, needs)| needs.iter().any(|need| matches(need)))
            .map(|(name, _)| name.as_str())
            .collect()
    };
    assert_eq!(owners(&|it| it.starts_with("tree-sitter")), BTreeSet::from(["hostler-syntax"]));
    assert_eq!(owners(&|it| it == "brush-parser"), BTreeSet::from(["hostler-policy"]));
    assert_eq!(owners(&|it| it == "clap"), BTreeSet::from(["hostler"]));
    assert_eq!(owners(&|it| it == "rusqlite" || it == "libsqlite3-sys"), BTreeSet::from(["hostler-store"]));
    let testkit_in_product = fs::read_to_string(root().join("crates/hostler/Cargo.toml")).unwrap();
    let (product, development) = testkit_in_product.split_once("[dev-dependencies]").unwrap();
    assert!(!product.contains("testkit") && development.contains("testkit"));
    assert_eq!(owners(&|it| it == "rmcp" || it.starts_with("tokio")), BTreeSet::from(["hostler-serve"]));
}

/// Every package of a lock file with the names of what it depends on.
fn locked(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let table: toml::Table = lock.parse().unwrap();
    for package in table["package"].as_array().unwrap() {
        let needs = package.get("dependencies").and_then(|it| it.as_array()).into_iter().flatten();
        // A name with a version where there are several of the name.
        let names = needs.map(|it| it.as_str().unwrap().split(' ').next().unwrap().to_owned());
        packages.entry(package["name"].as_str().unwrap().to_owned()).or_default().extend(names);
    }
    packages
}

/// Which of `targets` a package comes to without going through one of `doors`.
fn comes_to<'a>(
    packages: &BTreeMap<String, BTreeSet<String>>,
    start: &str,
    targets: &[&'a str],
    doors: &[&str],
) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let mut queue = vec![start.to_owned()];
    while let Some(name) = queue.pop() {
        if !doors.contains(&name.as_str()) && seen.insert(name.clone()) {
            queue.extend(packages.get(&name).into_iter().flatten().cloned());
        }
    }
    targets.iter().copied().filter(|it| seen.contains(*it)).collect()
}

#[test]
fn a_runtime_comes_in_through_the_crates_that_serve_alone() {
    const RUNTIMES: &[&str] = &["tokio", "async-std", "smol", "futures-executor"];
    let packages = locked(&fs::read_to_string(root().join("Cargo.lock")).unwrap());
    let serve = comes_to(&packages, "hostler-serve", RUNTIMES, &[]);
    assert!(serve.contains(&"tokio"), "the server has no runtime: the scan is blind");
    for member in dependencies().keys() {
        let found = comes_to(&packages, member, RUNTIMES, &["hostler-serve", "hostler-remote"]);
        assert!(found.is_empty(), "`{member}` comes to {found:?} by another way");
    }
    let seeded = locked(
        "[[package]]\nname = \"a\"\ndependencies = [\"b 1.0\"]\n[[package]]\nname = \"b\"\ndependencies = [\"tokio\"]\n",
    );
    assert_eq!(comes_to(&seeded, "a", RUNTIMES, &[]), ["tokio"]);
    assert!(comes_to(&seeded, "a", RUNTIMES, &["b"]).is_empty());
}

/// Words that reach another machine, in Rust.
const NETWORK: &[&str] = &["TcpStream", "TcpListener", "UdpSocket", "ToSocketAddrs"];
/// The same in a plugin.
const NETWORK_OF_SCRIPTS: &[&str] =
    &["fetch(", "WebSocket", "node:http", "node:https", "node:net", "node:dgram", "node:tls"];
/// Crates that speak to another machine.
const CLIENTS: &[&str] =
    &["reqwest", "ureq", "hyper", "curl", "isahc", "minreq", "socket2", "mio", "rustls", "native-tls"];

// @traces 021-CONST-I-010
#[test]
fn nothing_of_the_project_leaves_the_machine() {
    assert_eq!(named("TcpStream::connect(a)?", NETWORK), ["TcpStream"]);
    assert_eq!(named("await fetch(url)", NETWORK_OF_SCRIPTS), ["fetch("]);
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let sources = folder.path().join("src");
        // Asks servers on this machine whether they are there, and sends nothing of the project.
        let health = |path: &Path| path.ends_with("bridge/health.rs");
        nobody_names(&sources, NETWORK, health, "a product crate reaches the network");
        for path in files(&sources, "ts") {
            let text = without_tests_and_comments(&fs::read_to_string(&path).unwrap());
            let words = named(&text, NETWORK_OF_SCRIPTS);
            assert!(words.is_empty(), "`{}` reaches the network: {words:?}", path.display());
        }
    }
    assert!(
        !files(&root().join("crates/hostler-host/src/opencode/plugin"), "ts").is_empty(),
        "no plugin: the scan is blind"
    );
    let packages = locked(&fs::read_to_string(root().join("Cargo.lock")).unwrap());
    assert!(
        comes_to(&packages, "hostler-remote", CLIENTS, &[]).contains(&"ureq"),
        "no client: the scan is blind"
    );
    // Texts go where a user's own configuration or environment says, and nowhere without it.
    // A watcher of files waits for the system with a crate that could also wait for sockets.
    let found = comes_to(&packages, "hostler", CLIENTS, &["testkit", "hostler-remote", "notify"]);
    assert!(found.is_empty(), "the binary comes to {found:?}");
    let clients: Vec<_> = dependencies()
        .into_iter()
        .filter(|(_, needs)| needs.iter().any(|it| CLIENTS.contains(&it.as_str())))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(clients, ["hostler-remote"]);
}

#[test]
fn the_server_reaches_nothing_but_its_two_streams() {
    let world: Vec<&str> = EFFECTS.iter().copied().filter(|it| *it != "Instant").collect();
    nobody_names(&root().join("crates/hostler-serve/src"), &world, |_| false, "the server reaches the world");
}

#[test]
fn every_member_inherits_lints_and_the_minimum_version_stands_once() {
    let manifests: Vec<_> =
        files(&root(), "toml").into_iter().filter(|path| path.ends_with("Cargo.toml")).collect();
    let mut versions = Vec::new();
    for path in &manifests {
        let text = fs::read_to_string(path).unwrap();
        if text.contains("rust-version = \"") {
            versions.push(path.clone());
        }
        let member = text.contains("[package]") && !text.contains("\n[workspace]");
        if member {
            assert!(text.contains("[lints]\nworkspace = true"), "`{}` has its own lints", path.display());
            assert!(text.contains("rust-version.workspace = true"), "`{}`", path.display());
        }
    }
    assert!(8 < manifests.len());
    assert_eq!(versions, [root().join("Cargo.toml")]);
    for path in files(&root(), "toml").iter().filter(|path| path.ends_with("clippy.toml")) {
        assert!(!fs::read_to_string(path).unwrap().contains("\nmsrv"), "`{}`", path.display());
    }
    assert!(!root().join("rust-toolchain.toml").exists() && !root().join("rust-toolchain").exists());
}

#[test]
fn nothing_is_left_unbuilt_and_no_source_file_is_a_heap() {
    for folder in ["crates", "testkit/src", "xtask/src"] {
        nobody_names(&root().join(folder), &["todo!(", "unimplemented!("], shows_code, "not built");
        for path in files(&root().join(folder), "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let in_tests = path.components().any(|part| part.as_os_str() == "tests");
            let lines = text.lines().count();
            assert!(
                in_tests || path.ends_with("tests.rs") || lines <= LINES_MAX,
                "`{}` has {lines} lines, {LINES_MAX} allowed: find the second thing in it",
                path.display()
            );
        }
    }
}

/// Files next to `owner` that it does not declare as modules.
fn unlisted(owner: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(owner).unwrap();
    let mut out = Vec::new();
    for entry in fs::read_dir(owner.parent().unwrap()).unwrap().flatten() {
        let path = entry.path();
        let (name, inner) = if path.is_dir() {
            (entry.file_name().into_string().unwrap(), Some(path.join("mod.rs")).filter(|it| it.exists()))
        } else if path.extension().is_some_and(|it| it == "rs") && path != owner {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), None)
        } else {
            continue;
        };
        let holds_rust = path.is_file() || !files(&path, "rs").is_empty();
        if holds_rust && !text.lines().any(|line| line.trim() == format!("mod {name};")) {
            out.push(path);
        }
        out.extend(inner.iter().flat_map(|inner| unlisted(inner)));
    }
    out
}

#[test]
fn every_test_file_is_part_of_the_test_program() {
    let mut programs = 0;
    for folder in ["crates", "."] {
        for entry in fs::read_dir(root().join(folder)).unwrap().flatten() {
            let tests = entry.path().join("tests");
            let main = tests.join("it/main.rs");
            if main.exists() {
                programs += 1;
                assert_eq!(unlisted(&main), Vec::<PathBuf>::new(), "not listed in `{}`", main.display());
                assert_eq!(files(&tests, "rs").iter().filter(|it| it.parent() == Some(&tests)).count(), 0);
            }
        }
    }
    assert!(1 <= programs);
}
