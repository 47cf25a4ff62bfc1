//! The plugins alone, under each runtime that hosts them: a client that only remembers, a double of the bridge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::client::skip;

/// Bun, which the client brings with itself.
const BUN_VARIABLE: &str = "HOSTLER_BUN";

pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin")
}

fn works(program: &Path) -> bool {
    let status = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn bun(test: &str) -> Option<PathBuf> {
    match std::env::var_os(BUN_VARIABLE).map(PathBuf::from) {
        Some(path) if works(&path) => Some(path),
        Some(path) => {
            skip(test, &format!("`{}` does not work", path.display()));
            None
        }
        None => {
            skip(test, &format!("set `{BUN_VARIABLE}` to the program of the npm package `bun`"));
            None
        }
    }
}

pub(super) fn node(test: &str) -> Option<PathBuf> {
    let node = PathBuf::from("node");
    if works(&node) {
        return Some(node);
    }
    skip(test, "no `node` on the path");
    None
}

/// Runs the tests of a flavour; `plain` turns its `TypeScript` into what the runtime takes.
#[track_caller]
fn check(runtime: &Path, flavour: &str, plugin: fn(&str, &str) -> String, plain: impl Fn(&Path) -> PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // A space and a letter beyond ASCII, as they stand in paths of users.
    let folder = folder.path().join("größer als");
    fs::create_dir(&folder).unwrap();
    let double = folder.join("double");
    let script = format!(
        "#!/bin/sh\nexec '{}' '{}' \"$@\"\n",
        runtime.display(),
        sources().join("bridge.mjs").display()
    );
    fs::write(&double, script).unwrap();
    fs::set_permissions(&double, fs::Permissions::from_mode(0o755)).unwrap();
    let written = |name: &str, program: &Path| {
        let path = folder.join(name);
        fs::write(&path, plugin(program.to_str().unwrap(), "0.0.0")).unwrap();
        plain(&path)
    };
    let absent = folder.join("absent");
    let results = folder.join("results.json");
    let output = Command::new(runtime)
        .arg(sources().join(format!("{flavour}.mjs")))
        .args([written("plugin.ts", &double), written("absent-plugin.ts", &absent)])
        .args([&double, &absent, &folder, &results])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    // What a plugin prints there would be taken for the client's answer.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let results: Vec<Value> = serde_json::from_slice(&fs::read(results).unwrap()).unwrap();
    assert!(10 <= results.len(), "{results:?}");
    let failed: Vec<String> = results
        .iter()
        .filter(|it| it["problem"] != "")
        .map(|it| format!("{}: {}", it["name"].as_str().unwrap(), it["problem"].as_str().unwrap()))
        .collect();
    assert!(failed.is_empty(), "of {} tests failed:\n{}", results.len(), failed.join("\n\n"));
}

// @traces 021-CONST-IX-001
#[test]
fn the_plugin_for_version_1_holds_under_bun() {
    let Some(bun) = bun("the_plugin_for_version_1_holds_under_bun") else { return };
    check(&bun, "v1", hostler_host::opencode::plugin::v1, Path::to_owned);
}

#[test]
fn the_plugin_for_version_1_holds_under_node() {
    let name = "the_plugin_for_version_1_holds_under_node";
    let (Some(node), Some(bun)) = (node(name), bun(name)) else { return };
    check(&node, "v1", hostler_host::opencode::plugin::v1, |path| plain(&bun, path));
}

#[test]
fn the_plugin_for_version_2_holds_under_bun() {
    let Some(bun) = bun("the_plugin_for_version_2_holds_under_bun") else { return };
    check(&bun, "v2", hostler_host::opencode::plugin::v2, Path::to_owned);
}

#[test]
fn the_plugin_for_version_2_holds_under_node() {
    let name = "the_plugin_for_version_2_holds_under_node";
    let (Some(node), Some(bun)) = (node(name), bun(name)) else { return };
    check(&node, "v2", hostler_host::opencode::plugin::v2, |path| plain(&bun, path));
}

/// A host on Node takes the types away itself, as newer ones of Node do.
fn plain(bun: &Path, path: &Path) -> PathBuf {
    let out = path.with_extension("mjs");
    let output = Command::new(bun)
        .args(["build", "--target=node"])
        .arg(path)
        .arg("--outfile")
        .arg(&out)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    out
}
