//! Pages in a real Chromium: `tests/browser/check.mjs` opens them and tells what is wrong.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{World, artefacts, samples};

/// A folder with a `node_modules` that holds what `tests/browser/package.json` names.
const FOLDER_VARIABLE: &str = "HOSTLER_BROWSER_DIR";

fn modules(test: &str) -> Option<std::path::PathBuf> {
    let folder = std::env::var_os(FOLDER_VARIABLE).map(|it| Path::new(&it).join("node_modules"));
    let found = folder.filter(|it| it.join("playwright-core").is_dir());
    if found.is_none() {
        let reason =
            format!("{FOLDER_VARIABLE} names no folder in which `tests/browser/package.json` is installed");
        testkit::client::skip(test, &reason);
    }
    found
}

fn check(script: &str, modules: &Path, arguments: &[&Path]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let output = Command::new("node").arg(script).arg(modules).args(arguments).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stdout.contains("checks passed"), "{stdout}");
}

#[test]
fn pages_are_readable_in_a_browser() {
    let Some(modules) = modules("pages in a browser") else { return };
    let pages: [(&str, Vec<Value>, &[&str]); 6] = [
        ("typical", samples::typical(), &[]),
        ("clean", samples::typical()[..3].to_vec(), &[]),
        ("empty", Vec::new(), &["--since", "7d"]),
        ("hostile", samples::hostile(), &[]),
        ("private", samples::private(), &["--redact"]),
        ("thousand", samples::many(1_000), &[]),
    ];
    let folder = artefacts();
    let mut files = Vec::new();
    for (name, sessions, arguments) in pages {
        let file = folder.join(format!("{name}.html"));
        fs::write(&file, World::with(&sessions).page(arguments)).unwrap();
        files.push(file);
    }
    let files: Vec<&Path> = files.iter().map(std::path::PathBuf::as_path).collect();
    check("check.mjs", &modules, &files);
}

#[test]
fn sarif_follows_the_published_schema() {
    let Some(modules) = modules("SARIF against its schema") else { return };
    let file = artefacts().join("report.sarif");
    let sessions = [samples::typical(), samples::hostile(), samples::private()].concat();
    let world = World::with(&sessions);
    fs::write(&file, world.ok(&["report", "saved.json", "--sarif"])).unwrap();
    let redacted = artefacts().join("redacted.sarif");
    fs::write(&redacted, world.ok(&["report", "saved.json", "--sarif", "--redact"])).unwrap();
    check("sarif.mjs", &modules, &[&file, &redacted]);
}
