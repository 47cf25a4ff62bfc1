//! `docs/evidence.md` says how to verify a journal without us: what it says must work.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hostler_ledger::journal::{self, Entry};
use hostler_ledger::signature::Keys;
use hostler_model::SessionId;

/// The fenced block of the page that begins with `first`.
fn block(first: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md");
    let page = std::fs::read_to_string(page).unwrap();
    let start = page.find(first).unwrap_or_else(|| panic!("the page has no block with {first:?}"));
    let rest = &page[start..];
    rest[..=rest.find("\n```").unwrap()].to_owned()
}

/// A state folder with every kind of character, and its journal.
fn journal() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionId::parse("s1").unwrap();
    for text in ["plain", "é日\u{1f600}", "\"\\/\n\t\u{1}\u{7f}\u{2028}", "-1", ""] {
        let mut entry = Entry { kind: "decision", time_ms: 1_796_025_600_000, ..Entry::default() };
        entry.attributes.insert("target".to_owned(), text.into());
        entry
            .attributes
            .insert("list".to_owned(), serde_json::json!([1, null, true, {"b": 1, "a": text}, 0.5]));
        journal::append(folder.path(), &session, &entry).unwrap();
    }
    let closed = journal::close(folder.path(), &session, 1_796_025_600_001, Some(&keys(folder.path())));
    let closed = closed.unwrap().unwrap();
    assert_eq!(closed.unsigned, None);
    (folder, closed.path)
}

fn keys(folder: &Path) -> Keys {
    Keys::new(folder.join("signing"))
}

fn present(test: &str, program: &str) -> bool {
    // One of them knows no `--version`, and only its third series the options that the page names.
    let (argument, expected) =
        if program == "openssl" { ("version", "OpenSSL 3") } else { ("--version", "") };
    let found = Command::new(program).arg(argument).stderr(Stdio::null()).output().is_ok_and(|output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains(expected)
    });
    assert!(
        found || std::env::var_os("HOSTLER_REQUIRE_ALL").is_none_or(|it| it != "1"),
        "{test}: `{program}` is missing"
    );
    if !found {
        let _ = writeln!(std::io::stderr(), "skipped {test}: `{program}` is missing");
    }
    found
}

/// Runs a recipe on a whole journal and on one with an edit in its third record.
fn check(run: impl Fn(&Path) -> (bool, String)) {
    let (_folder, path) = journal();
    let (ok, text) = run(&path);
    assert!(ok, "a whole journal: {text}");
    let edited = std::fs::read_to_string(&path).unwrap().replacen(
        r#""seq":3,"target":""#,
        r#""seq":3,"target":"x"#,
        1,
    );
    std::fs::write(&path, edited).unwrap();
    let (ok, text) = run(&path);
    assert!(!ok && text.contains('3'), "an edited journal: {text}");
}

fn output(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

#[test]
fn the_python_recipe_verifies_a_journal() {
    if present("the_python_recipe_verifies_a_journal", "python3") {
        let recipe = block("import hashlib, json, sys");
        check(|path| output(Command::new("python3").arg("-c").arg(&recipe).arg(path)));
    }
}

#[test]
fn the_shell_recipe_verifies_a_journal() {
    if present("the_shell_recipe_verifies_a_journal", "sha256sum") {
        let recipe = block("n=0 prev=");
        check(|path| output(Command::new("sh").arg("-c").arg(&recipe).arg("sh").arg(path)));
    }
}

#[test]
fn openssl_verifies_the_signature_of_a_seal() {
    const TEST: &str = "openssl_verifies_the_signature_of_a_seal";
    if !present(TEST, "python3") || !present(TEST, "openssl") {
        return;
    }
    let (folder, path) = journal();
    let (write, check) = (block("import json, sys\n"), block("openssl pkeyutl -verify"));
    let (ok, text) =
        output(Command::new("python3").arg("-c").arg(write).arg(&path).current_dir(folder.path()));
    assert!(ok, "{text}");
    std::fs::copy(keys(folder.path()).public_path(), folder.path().join("ed25519.pub")).unwrap();
    let verify = || output(Command::new("sh").arg("-c").arg(&check).current_dir(folder.path()));
    let (ok, text) = verify();
    assert!(ok && text.contains("Verified Successfully"), "{text}");
    let statement = folder.path().join("seal.txt");
    let other = std::fs::read_to_string(&statement).unwrap().replace("count 5", "count 6");
    std::fs::write(&statement, other).unwrap();
    let (ok, text) = verify();
    assert!(!ok, "{text}");
    let key = output(Command::new("sh").current_dir(folder.path()).arg("-c").arg(
        "openssl pkey -pubin -in ed25519.pub -outform DER | sha256sum && openssl pkey -in signing/ed25519.key -noout",
    ));
    let fingerprint = keys(folder.path()).public().unwrap().unwrap().fingerprint();
    assert!(key.0 && key.1.starts_with(&fingerprint), "{}", key.1);
}
