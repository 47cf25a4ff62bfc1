//! What the agent says against what it did, in the real client: real test runs, real files, a scripted model.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::model::{Turn, bash, call, delegate, say, write};
use testkit::{Run, Scenario, World};

use super::scenario;

/// What the agent reads when it is sent back.
const SENT_BACK: &str = "hostler compared your last message with the record of your tool calls";

const CART: &str = "def total(prices):\n    return sum(prices)\n";
const CART_TEST: &str = "from cart import total\n\n\ndef test_empty():\n    assert total([]) == 0\n\n\n\
    def test_sum():\n    assert total([1, 2]) == 3\n\n\ndef test_discount():\n    assert total([10]) == 9\n";

/// A project with a test suite in Python of which one test fails.
fn python(name: &str) -> Scenario {
    scenario(name).file("cart.py", CART).file("test_cart.py", CART_TEST)
}

/// Whether a program is here; says so when not.
fn has(test: &str, program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        testkit::client::skip(test, &format!("`{program} {}` does not work here", arguments.join(" ")));
    }
    there
}

fn has_pytest(test: &str) -> bool {
    has(test, "python3", &["-m", "pytest", "--version"])
}

/// The audits of a session's turns, in order: outcome, and rules that found something.
fn audits(world: &World, session: &str) -> Vec<String> {
    audits_of(world, session, "turn")
}

fn audits_of(world: &World, session: &str, kind: &str) -> Vec<String> {
    let audited = |record: &Value| record["kind"] == kind && record["audit"].is_string();
    world.records(session).iter().filter(|record| audited(record)).map(summary).collect()
}

fn summary(record: &Value) -> String {
    let mut words = vec![record["audit"].as_str().unwrap_or_default().to_owned()];
    for finding in record["findings"].as_array().into_iter().flatten() {
        words.push(finding["rule"].as_str().unwrap_or_default().to_owned());
    }
    words.join(" ")
}

#[track_caller]
fn audited(run: &Run<'_>, expected: &[&str]) {
    let found = audits(run.world(), &run.session_id());
    let records = run.world().records(&run.session_id());
    let turns: Vec<&Value> = records.iter().filter(|record| record["kind"] == "turn").collect();
    assert_eq!(found, expected, "{turns:#?}");
    run.chain_holds();
}

#[test]
fn a_false_test_run_is_sent_back_and_corrected() {
    let name = "a_false_test_run_is_sent_back_and_corrected";
    if !has_pytest(name) {
        return;
    }
    let Some(world) = python(name).open() else { return };
    let run = world.play([
        Turn::new([bash("python3 -m pytest -q")]),
        Turn::new([say("I ran the test suite: all 3 tests pass.")]),
        Turn::new([say("Correction: 2 tests pass and 1 fails: `test_discount` expects 9 and gets 10.")]),
    ]);
    run.model_reads(SENT_BACK).model_reads("all 3 tests pass").user_reads("RESULT_CONTRADICTION");
    audited(&run, &["sent-back claim-contradicted", "clean"]);
    let log = world.hostler_json(&["status"]);
    assert_eq!(log["claims"]["open"], json!([]), "{log}");
}
