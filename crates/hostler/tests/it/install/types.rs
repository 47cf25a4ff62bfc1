//! The installed plugin against the types that its host publishes, old and new.
//!
//! `HOSTLER_OPENCODE_NODE_DIR` names a folder in which what `tests/opencode/package.json` names is installed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Site, output};

const VARIABLE: &str = "HOSTLER_OPENCODE_NODE_DIR";

fn packages(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(VARIABLE).map(|it| PathBuf::from(it).join("node_modules"));
    if let Some(folder) = folder.filter(|it| it.is_dir()) {
        return Some(folder);
    }
    testkit::client::skip(
        test,
        &format!("set `{VARIABLE}` to where `tests/opencode/package.json` is installed"),
    );
    None
}

/// What the compiler says of a file, with the package of plugins at `plugin`; empty if it is content.
fn compiled(packages: &Path, site: &Site, file: &Path, plugin: &str) -> String {
    let modules = site.path("~/types/node_modules");
    fs::create_dir_all(modules.join("@opencode-ai")).unwrap();
    symlink(packages.join(plugin), modules.join("@opencode-ai/plugin")).unwrap();
    symlink(packages.join("@types"), modules.join("@types")).unwrap();
    let copy = site.path("~/types/hostler.ts");
    fs::copy(file, &copy).unwrap();
    let mut command = Command::new(packages.join(".bin/tsc"));
    command
        .args(["--noEmit", "--strict", "--noUnusedLocals", "--noUncheckedIndexedAccess", "--skipLibCheck"])
        .args([
            "--target",
            "es2022",
            "--module",
            "esnext",
            "--moduleResolution",
            "bundler",
            "--types",
            "node",
        ])
        .arg("hostler.ts")
        .current_dir(copy.parent().unwrap());
    let said = output(&mut command);
    fs::remove_dir_all(copy.parent().unwrap()).unwrap();
    assert_eq!(said.code == Some(0), said.stdout.is_empty(), "{said:?}");
    said.stdout
}

// @traces 021-CONST-VIII-001
#[test]
fn the_plugin_fits_the_interface_of_its_host_old_and_new() {
    let Some(packages) = packages("the_plugin_fits_the_interface_of_its_host_old_and_new") else { return };
    let site = Site::new();
    site.ok(&["init", "--host", "opencode", "--opencode", "1"]);
    let plugin = site.path(".opencode/plugins/hostler.ts");
    for version in ["@opencode-ai/plugin", "opencode-plugin-1.3.3"] {
        assert_eq!(compiled(&packages, &site, &plugin, version), "", "{version}");
        // It does see the interface.
        let text = fs::read_to_string(&plugin).unwrap();
        let wrong =
            "export const wrong: import(\"@opencode-ai/plugin\").Hooks = { \"tool.execute.before\": 1 }\n";
        let wrong = site.write("~/wrong.ts", &format!("{text}{wrong}"));
        let said = compiled(&packages, &site, &wrong, version);
        assert!(said.contains("Type 'number' is not assignable"), "{version}: {said}");
    }
}

#[test]
fn the_plugin_for_the_second_version_is_sound_by_itself() {
    let Some(packages) = packages("the_plugin_for_the_second_version_is_sound_by_itself") else { return };
    let site = Site::new();
    site.ok(&["init", "--host", "opencode", "--opencode", "2"]);
    let plugin = site.path(".opencode/plugins/hostler/index.ts");
    assert_eq!(compiled(&packages, &site, &plugin, "@opencode-ai/plugin"), "");
}
