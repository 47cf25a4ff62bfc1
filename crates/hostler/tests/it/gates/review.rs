//! Reviews that somebody asks for.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{ALONE, Session, commit, nested};
use crate::hook::{Answer, World};

fn review(world: &World, arguments: &[&str]) -> Answer {
    world.hostler(&[&["review"], arguments].concat())
}

fn document(world: &World, arguments: &[&str]) -> Value {
    let answer = world.hostler(&[&["--json", "review"], arguments].concat());
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn checks(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|it| it["check"].as_str().unwrap()).collect()
}

const CLEAN: &str = "\"\"\"Totals.\"\"\"\n\n\ndef total(prices: list[int]) -> int:\n    return sum(prices)\n";

// @traces 021-TEST-UNIT-050 021-TEST-UNIT-095 021-TEST-INTEG-028
#[test]
fn a_clean_file_passes_all_gates_in_order() {
    let world = World::new().configured(ALONE);
    world.write("src/cart.py", CLEAN);
    let answer = review(&world, &["src/cart.py"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let expected = [
        "GATE 1: Syntax & Format       PASS",
        "GATE 2: Lint                  PASS",
        "GATE 3: Runtime & Security    PASS",
        "GATE 4: Complexity & Nesting  PASS",
        "GATE 5: Naming & Design       PASS",
        "TURN'S END                    PASS",
        "",
        "ALL GATES PASSED",
    ];
    assert_eq!(answer.stdout.lines().collect::<Vec<_>>(), expected);
}

// @traces 021-FR-005 021-CONST-III-004 021-CONST-V-004 021-TEST-INTEG-032 021-TEST-INTEG-033
#[test]
fn each_gate_has_its_findings_and_errors_are_told_from_warnings() {
    let world = World::new().configured(ALONE);
    let code = format!(
        "def LoadAll(path):\n    try:\n        return open(path)\n    except:\n        return None\n\n\n{}\n\n\
         # TODO: faster\nPASSWORD = \"Tr0ub4dor-and-3x\"\n",
        nested("walk", 6)
    );
    world.write("src/cart.py", &code);
    let answer = review(&world, &["src/cart.py"]);
    assert_eq!(answer.code, Some(1));
    let gates: Vec<&str> = answer.stdout.lines().take(6).collect();
    for (at, status) in
        [(0, "PASS"), (2, "FAIL (2 errors"), (3, "FAIL (1 error"), (4, "FAIL (1 error"), (5, "FAIL (1 error")]
    {
        assert!(gates[at].contains(status), "{status} in {}", answer.stdout);
    }
    let document = document(&world, &["src/cart.py"]);
    let of = |gate: u64| -> Vec<&str> {
        let findings = document["findings"].as_array().unwrap();
        findings.iter().filter(|it| it["gate"] == gate).map(|it| it["check"].as_str().unwrap()).collect()
    };
    assert!(
        of(3).contains(&"bare_except") && of(3).contains(&"secret") && of(3).contains(&"todo"),
        "{document}"
    );
    assert_eq!((of(4), of(5)), (vec!["nesting"], vec!["naming"]));
    let errors = answer.stdout.find("\nErrors (").unwrap();
    let warnings = answer.stdout.find("\nWarnings (").unwrap();
    assert!(
        errors < answer.stdout.find("naming:").unwrap() && warnings < answer.stdout.find("todo:").unwrap()
    );
    assert!(!answer.stdout.contains("Tr0ub4dor"), "{}", answer.stdout);
}

#[test]
fn one_gate_can_be_asked_for() {
    let world = World::new().configured(ALONE);
    world.write("src/cart.py", &format!("def Bad(x):\n    return x\n\n\n{}", nested("walk", 6)));
    assert_eq!(checks(&document(&world, &["--gate", "5", "src/cart.py"])), ["naming"]);
    assert_eq!(checks(&document(&world, &["--gate", "4", "src/cart.py"])), ["nesting"]);
    assert_eq!(checks(&document(&world, &["--gate", "stop", "src/cart.py"])), ["stop.nesting"]);
    assert_eq!(review(&world, &["--gate", "6", "src/cart.py"]).code, Some(3));
}

// @traces 021-TEST-INTEG-029
#[test]
fn a_file_that_does_not_parse_fails_at_the_first_gate() {
    let world = World::new().configured(ALONE);
    world.write("src/cart.py", "def total(:\n    return 1\n");
    let answer = review(&world, &["src/cart.py"]);
    assert!(
        answer.code == Some(1) && answer.stdout.starts_with("GATE 1: Syntax & Format       FAIL (1 error)")
    );
}

#[test]
fn a_gate_says_of_a_file_that_does_not_parse_that_it_could_not_judge_it() {
    let world = World::new().configured(ALONE);
    world.write("src/cart.py", "def total(:\n    return 1\n");
    let answer = review(&world, &["src/cart.py"]);
    let why = "(could not judge src/cart.py: it does not parse)";
    let gates: Vec<&str> = answer.stdout.lines().skip(1).take(5).collect();
    let expected = [
        format!("GATE 2: Lint                  NOT JUDGED {why}"),
        // A secret is one in broken code as well.
        format!("GATE 3: Runtime & Security    PARTLY {why}"),
        format!("GATE 4: Complexity & Nesting  NOT JUDGED {why}"),
        format!("GATE 5: Naming & Design       NOT JUDGED {why}"),
        format!("TURN'S END                    PARTLY {why}"),
    ];
    assert_eq!(gates, expected, "{answer:?}");
    let log: Value = serde_json::from_str(&review(&world, &["--sarif", "src/cart.py"]).stdout).unwrap();
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let text = "GATE 4: Complexity & Nesting could not judge src/cart.py: it does not parse";
    assert!(told.as_array().unwrap().iter().any(|it| it["message"]["text"] == text), "{told}");

    // What was broken before is nobody's fault now, and as little judged.
    commit(&world);
    world.write("src/more.py", CLEAN);
    let document = document(&world, &["src/cart.py", "src/more.py"]);
    let gate = |at: usize| (&document["gates"][at]["status"], &document["gates"][at]["not_judged"]);
    assert_eq!(gate(0), (&json!("pass"), &json!([])));
    assert_eq!(gate(3), (&json!("partly"), &json!(["src/cart.py"])));
    let answer = review(&world, &["src/cart.py", "src/more.py"]);
    assert!(answer.stdout.ends_with("NO ERRORS FOUND; not everything was checked\n"), "{answer:?}");
}

// @traces 021-TEST-UNIT-096 021-TEST-UNIT-097
#[test]
fn not_more_is_shown_than_anybody_reads() {
    let world = World::new().configured(ALONE);
    let mut code = String::new();
    for at in 0..30 {
        let _ = write!(code, "def Bad{at}(to=[]):\n    return to\n\n\n");
    }
    world.write("src/cart.py", &code);
    let answer = review(&world, &["src/cart.py"]);
    assert_eq!(answer.stdout.matches(" naming: ").count(), 25, "{}", answer.stdout);
    assert_eq!(answer.stdout.matches(" mutable_default: ").count(), 20, "{}", answer.stdout);
    assert!(answer.stdout.contains("Errors (30; 5 more are in --json):"), "{}", answer.stdout);
    assert_eq!(document(&world, &["src/cart.py"])["errors"], 30);
}

#[test]
fn what_was_there_before_counts_only_when_the_whole_file_is_asked_for() {
    let world = World::new().configured(ALONE);
    let old = nested("walk", 6);
    world.write("src/cart.py", &old);
    commit(&world);
    assert_eq!(document(&world, &["src/cart.py"])["findings"], json!([]));
    assert_eq!(checks(&document(&world, &["--whole", "src/cart.py"])), ["nesting", "stop.nesting"]);
    world.write("src/cart.py", &format!("{old}\n\ndef Bad(x):\n    return x\n"));
    assert_eq!(checks(&document(&world, &["src/cart.py"])), ["naming"]);
}

#[test]
fn a_log_for_code_scanning_is_one_document() {
    let world = World::new().configured(ALONE);
    world.write("src/a b.py", "def Bad(x):\n    return x\n");
    let answer = review(&world, &["--sarif", "src/a b.py"]);
    let log: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("naming"), &json!("error")));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.py");
    let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][rule]["id"], "naming");
}

// @traces 021-US-003-AC09 021-TEST-UNIT-092
#[test]
fn files_outside_of_what_the_project_reviews_are_skipped() {
    let world = World::new().configured(&format!("[gates]\npaths = [\"packages/**/*.py\"]\n{ALONE}"));
    world.write("tools/a.py", "def Bad(x):\n    return x\n");
    world.write("packages/core/a.py", "def Bad(x):\n    return x\n");
    let answer = review(&world, &["tools/a.py"]);
    assert!(answer.code == Some(0) && answer.stdout.contains("skipped: tools/a.py"), "{answer:?}");
    assert_eq!(checks(&document(&world, &["tools/a.py", "packages/core/a.py"])), ["naming"]);
}

#[test]
fn what_cannot_be_read_is_told() {
    let world = World::new().configured(ALONE);
    assert_eq!(review(&world, &["src/none.py"]).code, Some(3));
    assert_eq!(review(&world, &["."]).code, Some(3));
    assert_eq!(review(&world, &[]).code, Some(3));
    std::fs::write(world.path("latin.py"), b"NAME = '\xe9'\n").unwrap();
    let answer = review(&world, &["latin.py"]);
    assert!(answer.stdout.contains("not checked: latin.py: it is not UTF-8"), "{answer:?}");
    assert!(!answer.stdout.contains("ALL GATES PASSED"), "{answer:?}");
    let gates: Vec<&str> = answer.stdout.lines().take(6).collect();
    assert!(
        gates.iter().all(|it| it.ends_with("NOT JUDGED (could not judge latin.py: it was not read)")),
        "{answer:?}"
    );
}

#[test]
fn checks_can_be_named_and_limits_set_for_the_project() {
    let world = World::new().configured(&format!(
        "[gates.limits]\nnesting = 8\nnesting_warn = 2\nstop_nesting = 9\n[gates.checks]\nnaming = \"warn\"\n{ALONE}"
    ));
    world.write("src/cart.py", &format!("def Bad(x):\n    return x\n\n\n{}", nested("walk", 6)));
    let found = document(&world, &["src/cart.py"]);
    assert_eq!((found["errors"].as_u64(), checks(&found)), (Some(0), vec!["nesting", "naming"]));
    let listed = world.hostler(&["review", "--list"]);
    assert!(
        listed.stdout.contains("Gate 1: Syntax & Format") && listed.stdout.contains("stop.stub"),
        "{listed:?}"
    );
}

#[test]
fn a_review_in_a_session_is_recorded() {
    let session = Session::new(ALONE, &[]);
    session.wrote("src/cart.py", CLEAN);
    review(&session.world, &["src/cart.py"]);
    let shown = session.world.hostler(&["--json", "audit", "show", "--kind", "gate"]);
    let records: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(records[0]["attributes"]["purpose"], "review", "{records}");
}

/// The manual's first example, as somebody would type it.
#[test]
fn the_manual_tells_what_happens() {
    let manual = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gates.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let example = manual.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let world = World::new();
    let script = example
        .replace("/tmp/shop", world.path("~/fresh").to_str().unwrap())
        .replace("hostler ", &format!("'{}' ", env!("CARGO_BIN_EXE_hostler")));
    let mut statuses = String::new();
    for line in script.lines() {
        let _ = writeln!(statuses, "{line}\necho \"ended with $?\"");
    }
    let output = std::process::Command::new("sh")
        .args(["-c", &statuses])
        .env_clear()
        .env("HOME", world.home())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let ended: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("ended with ")).collect();
    assert_eq!(ended, ["0", "0", "1", "1", "0", "0"], "{text}");
    assert!(text.contains("stop.stub"), "{text}");
}

/// Findings of a Python file, as `check severity`.
fn found(code: &str) -> Vec<String> {
    let world = World::new().configured(ALONE);
    world.write("src/cart.py", code);
    let document = document(&world, &["src/cart.py"]);
    let findings = document["findings"].as_array().unwrap().iter();
    let edit = findings.filter(|it| !it["gate"].is_null());
    edit.map(|it| format!("{} {}", it["check"].as_str().unwrap(), it["severity"].as_str().unwrap())).collect()
}

fn branches(count: usize) -> String {
    let mut out = "def choose(value):\n".to_owned();
    for at in 1..count {
        let _ = writeln!(out, "    if value == {at}:\n        return {at} + value");
    }
    out.push_str("    return value + 1\n");
    out
}

// @traces 021-US-003-AC04
#[test]
fn complexity_has_its_limits() {
    let lines = |count: usize| format!("def f(a):\n{}    return a\n", "    a += 1\n".repeat(count - 2));
    for (code, expected) in [
        (branches(7), &[][..]),
        (branches(8), &["branches warn"]),
        (branches(10), &["branches warn"]),
        (branches(11), &["branches error"]),
        (nested("f", 4), &[]),
        (nested("f", 5), &["nesting warn"]),
        (nested("f", 6), &["nesting error"]),
        (lines(40), &[]),
        (lines(41), &["function_length warn"]),
        (format!("X = \"{}\"\n", "a".repeat(94)), &[]),
        (format!("X = \"{}\"\n", "a".repeat(95)), &["line_length warn"]),
    ] {
        assert_eq!(found(&code), expected, "{code}");
    }
}

// @traces 021-US-003-AC05
#[test]
fn names_and_design_have_their_rules() {
    let methods = |count: usize| super::methods(count);
    let references = |count: usize| {
        let mut out = "class Basket:\n    def show(self):\n        return [\n".to_owned();
        for at in 0..count {
            let _ = writeln!(out, "            self.part_{at},");
        }
        out.push_str("        ]\n");
        out
    };
    for (code, expected) in [
        ("def compute_total(a):\n    return a + 1\n".to_owned(), &[][..]),
        ("def ComputeTotal(a):\n    return a + 1\n".to_owned(), &["naming error"]),
        ("class Basket:\n    total = 1\n".to_owned(), &[]),
        ("class basket:\n    total = 1\n".to_owned(), &["naming error"]),
        ("from typing import Final\n\nLIMIT: Final = 3\n".to_owned(), &[]),
        ("from typing import Final\n\nlimit: Final = 3\n".to_owned(), &["naming error"]),
        (methods(20), &[]),
        (methods(21), &["god_object warn"]),
        (references(15), &[]),
        (references(16), &["feature_envy warn"]),
    ] {
        assert_eq!(found(&code), expected, "{code}");
    }
}
