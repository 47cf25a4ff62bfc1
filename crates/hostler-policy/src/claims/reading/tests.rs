use proptest::prelude::*;

use super::*;

/// The claims of a message in short: `create a.py`, `test passed`, `test 12/14`.
fn claims(message: &str) -> String {
    let short = |reading: &Reading| {
        let act = format!("{:?}", reading.act).to_lowercase();
        let Some(told) = &reading.result else {
            let paths: Vec<&str> = reading.paths().collect();
            return [vec![act.as_str()], paths].concat().join(" ");
        };
        if let Some(stated) = &told.state {
            return state::short(stated);
        }
        if let Some(coverage) = told.coverage_percent {
            return format!("coverage {coverage}");
        }
        match (told.tests_passed, told.tests_failed, told.tests_total) {
            (Some(passed), _, Some(total)) => format!("{act} {passed}/{total}"),
            (Some(passed), Some(failed), None) => format!("{act} {passed}+{failed}"),
            (Some(passed), None, None) => format!("{act} {passed}"),
            _ => format!("{act} passed"),
        }
    };
    read(message).claims.iter().map(short).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn check(message: &str, expected: &str) {
    assert_eq!(claims(message), expected, "{message:?}");
}

#[test]
fn what_was_done_is_claimed() {
    for (message, expected) in [
        ("I created src/auth.py.", "create src/auth.py"),
        ("I've just created `src/auth.py` and updated `src/app.py`.", "create src/auth.py, edit src/app.py"),
        ("Added a `health` route to `src/app.py`.", "edit src/app.py"),
        ("Report written to out/report.md.", "create out/report.md"),
        ("The document is updated.", "edit"),
        ("`docs/api.md` has been updated.", "edit docs/api.md"),
        ("`README.md` now has an install section.", "edit README.md"),
        ("Endpoint added", "edit"),
        ("Moved the parser from `a.ts` to `b.ts`.", "move b.ts"),
        ("Updated README.md to reference DEVELOPMENT.md.", "edit README.md"),
        ("Wrote `a.rs` based on the code from `b.rs`.", "create a.rs"),
        ("I ran the linter, fixed two findings and pushed.", "run, edit, push"),
        ("| File | Status |\n|---|---|\n| `Dockerfile` | ✅ created |", "create Dockerfile"),
        ("- [x] Docs updated\n- [ ] Tests added", "edit"),
        (
            "I went ahead:\n1. Read the three loaders\n2. Extracted `load_env()` into `config/common.py`",
            "read, edit config/common.py",
        ),
        ("The subagent created src/x.py.", "create src/x.py"),
    ] {
        check(message, expected);
    }
}

#[test]
fn results_are_claimed() {
    for (message, expected) in [
        ("All tests pass.", "test passed"),
        ("Build and lint clean.", "build passed, lint passed"),
        ("Lint 0, tests pass", "lint passed, test passed"),
        ("12 passed", "test 12"),
        ("4966/4966 ALL PASSED", "test 4966/4966"),
        ("46 of 48 tests pass", "test 46/48"),
        ("cargo test: 118 passed, 2 failed", "test 118+2"),
        ("All 48 tests pass.", "test 48"),
        ("Ran `ruff check` and `pytest` – both clean", "run, test passed, lint passed"),
        ("Coverage went up to 91%.", "coverage 91"),
        ("Coverage is 81%, up from 77%.", "coverage 81"),
        ("The query is down to 12 ms.", "12 ms"),
        ("The health check answers 200.", "200 status"),
    ] {
        check(message, expected);
    }
}

#[test]
fn what_is_no_statement_of_fact_is_no_claim() {
    for message in [
        "I'll create config.yaml and run the tests.",
        "Next I will run the tests and then create the file.",
        "The config can be created with `make init`.",
        "It should be possible to generate the config later.",
        "I did not run the tests.",
        "I haven't pushed anything.",
        "Nothing was committed.",
        "Not pushed yet.",
        "Have you run the tests? Should I create the config file?",
        "If the tests passed, merge it.",
        "Once the migration has been applied and the tests have passed, flip the flag.",
        "Tests pass → merge.",
        "Assuming the build passes, the image will be pushed by CI.",
        "You said you ran the script.",
        "You ran the tests yourself.",
        "According to the log, all tests passed.",
        "In session 38 I created the file and ran the tests.",
        "Yesterday I created the parser.",
        "The script wrote the file.",
        "`setup.sh` creates the file and runs the tests.",
        "The updated file is here.",
        "The pipeline passes messages downstream.",
        "Running the tests requires Docker.",
        "The value is stored in the cache.",
        "Example of a good report: \"All 12 tests pass, pushed to main.\"",
        "> I ran the tests",
        "```\nI ran the tests and all tests pass\n```",
        "Plan:\n1. Created files first\n2. Tests pass",
        "## Next steps\n- Tests added\n- Docs updated",
        "I tried to create the file but it failed.",
        "The test suite should pass after this change.",
        "Run the tests, then push.",
        "Please make sure the tests pass.",
        "The build would have passed.",
    ] {
        check(message, "");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics(message in "([\\s\\S]|I created|tests pass|12/|`a.py`|,| and |全部通过|n't ){0,60}") {
        let _ = read(&message);
    }

    /// A veto in front takes every claim away, whatever is said.
    #[test]
    fn a_condition_takes_claims_away(what in "(I created `a.py`|all tests pass|I pushed it|12 tests passed)") {
        prop_assert_eq!(claims(&format!("If {what}, tell me.")), "");
        prop_assert_eq!(claims(&format!("> {what}")), "");
        prop_assert_eq!(claims(&format!("```\n{what}\n```")), "");
        prop_assert!(!claims(&what).is_empty());
    }
}
