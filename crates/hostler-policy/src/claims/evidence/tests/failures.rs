//! Why calls failed, and what did not happen.

use super::super::FailureKind;
use super::{bash, check};

#[track_caller]
fn kind(command: &str, output: &str, expected: FailureKind) {
    let found = bash(command, false, output);
    assert_eq!(found.failure.as_ref().map(|it| it.kind), Some(expected), "{command:?} {output:?} {found:?}");
}

#[test]
fn exit_statuses_that_answer_are_no_errors() {
    for (command, output) in [
        ("grep -rn foo src", ""),
        ("rg foo", "Exit code 1"),
        ("diff a b", "1c1\n< x\n---\n> y"),
        ("cmp a b", "a b differ: byte 11, line 1"),
        ("test -f a", ""),
        ("[ -d a ]", ""),
        ("which rg", ""),
        ("command -v rg", ""),
        ("pgrep node", ""),
        ("lsof -i :3000", ""),
        ("git diff --exit-code", "x"),
        ("npm outdated", "Package Current\nx 1"),
        ("npm audit", "found 3 critical vulnerabilities"),
        ("crontab -l", "no crontab for user"),
        ("kill 1234", "bash: kill: (1234) - No such process"),
        ("systemctl is-active x", "inactive"),
        ("cd src && ls && grep foo a.rs", "a.rs"),
        ("curl -sf localhost:8000/me", "curl: (22) The requested URL returned error: 401"),
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean"),
    ] {
        kind(command, output, FailureKind::Answer);
    }
}

#[test]
fn looks_at_what_is_not_there_are_probes() {
    for (command, output) in [
        ("ls build", "ls: cannot access 'build': No such file or directory"),
        ("cat a", "cat: a: No such file or directory"),
        ("cd nope", "bash: cd: nope: No such file or directory"),
        ("grep x nope.rs", "grep: nope.rs: No such file or directory"),
        ("gh pr view 7", "no pull requests found for branch \"x\""),
        ("cat a && make", "cat: a: No such file or directory"),
    ] {
        kind(command, output, FailureKind::Probe);
    }
    check(
        "cat a.rs b.rs",
        false,
        "fn a() {}\ncat: b.rs: No such file or directory",
        &["Read a.rs", "!Probe a.rs", "-Read b.rs"],
    );
}

#[test]
fn judges_that_found_something_gave_a_verdict() {
    for (command, output) in [
        ("pytest -q", "1 failed in 0.1s"),
        ("cargo test", "error: test failed, to rerun pass `--lib`"),
        ("cargo clippy -- -D warnings", "error: unused variable\nerror: could not compile `x`"),
        ("npm run lint", "✖ 3 problems (2 errors, 1 warning)"),
        ("npx tsc --noEmit", "a.ts(1,1): error TS2307: Cannot find module 'x'."),
        ("make test", "make: *** [test] Error 1"),
    ] {
        kind(command, output, FailureKind::Verdict);
    }
}

#[test]
fn what_could_not_be_started_did_not_run() {
    check("pytest -q", false, "bash: pytest: command not found", &["!Error pytest", "-Test pytest"]);
    check(
        "python -m pytest",
        false,
        "/usr/bin/python: No module named pytest",
        &["!Error pytest", "-Test pytest"],
    );
    check(
        "npm run lint",
        false,
        "npm error Missing script: \"lint\"",
        &["!Error npm run lint", "-Lint npm run lint"],
    );
    check(
        "pytest nope.py",
        false,
        "ERROR: file or directory not found: nope.py\n\nno tests ran in 0.00s",
        &["!Error pytest", "-Test pytest"],
    );
    check("pytest -q | tail -2", true, "bash: pytest: command not found", &["!Error pytest", "-Test pytest"]);
}

#[test]
fn errors_tell_what_was_missed() {
    check(
        "npm install left-pad",
        false,
        "npm error code E404",
        &["!Error npm install", "-Install left-pad", "-Edit package.json", "-Edit package-lock.json"],
    );
    check(
        "git push -u origin x",
        false,
        "! [rejected] x -> x\nerror: failed to push some refs",
        &["!Error git push", "-Push origin/x"],
    );
    check(
        "git push 2>&1 | tail -3",
        true,
        "! [rejected] x -> x\nerror: failed to push some refs",
        &["!Error git push", "-Push"],
    );
    check(
        "git add . && git commit -m x && git push",
        false,
        "[main 1a] x\n! [rejected]\nerror: failed to push some refs",
        &["+Commit x", "!Error git push", "-Push"],
    );
    check(
        "git add . && git rebase --continue",
        false,
        "error: could not apply 04ef02a...",
        &["!Error git rebase", "-Rebase"],
    );
    check(
        "git checkout main && git pull",
        false,
        "fatal: 'main' is already used by worktree at '/x'",
        &["!Error git checkout", "-Branch main", "-Pull"],
    );
    check(
        "./deploy.sh",
        false,
        "exit status 1: connection refused",
        &["opaque", "!Error deploy.sh", "-Run ./deploy.sh", "-Deploy deploy.sh"],
    );
    check(
        "mkdir -p out && python gen.py && cp a b.txt",
        false,
        "Traceback (most recent call last):\n  File \"gen.py\"\nValueError: x",
        &["Create out", "opaque", "!Error gen.py", "-Run gen.py", "-Create b.txt", "-Edit b.txt"],
    );
    check(
        "pg_dump shop > shop.sql",
        false,
        "pg_dump: error: connection failed",
        &["!Error pg_dump", "-Backup shop", "-Create shop.sql", "-Edit shop.sql"],
    );
    check(
        "pytest -q && git commit -m x",
        false,
        "1 failed, 2 passed in 0.1s",
        &["Test pytest FAILED 2p 1f", "!Verdict pytest", "-Commit x"],
    );
    check(
        "sed -i s/a/b/ a.txt; cat missing",
        false,
        "cat: missing: No such file or directory",
        &["Edit a.txt", "!Probe missing", "-Read missing"],
    );
    check("false || echo x > a.txt", true, "", &["Create a.txt", "Edit a.txt"]);
}

#[test]
fn refused_and_interrupted_calls_did_nothing() {
    check(
        "git push",
        false,
        "The user doesn't want to proceed with this tool use. The tool use was rejected",
        &["!Refused git push", "-Push"],
    );
    check(
        "rm -rf build",
        false,
        "Permission to use Bash with command rm -rf build has been denied.",
        &["!Refused rm", "-Delete build"],
    );
    check(
        "npm test",
        false,
        "[Request interrupted by user for tool use]",
        &["!Interrupted npm test", "-Test npm test"],
    );
    check(
        "cat .env",
        false,
        "PreToolUse:Bash hook error: reading secrets is blocked",
        &["!Refused cat", "-Read .env"],
    );
}

#[test]
fn success_makes_earlier_failures_of_the_same_target_good() {
    let failed = bash("npm install x", false, "npm error code E404").failure.map(|it| it.target);
    assert_eq!(failed.as_deref(), Some("npm install"));
    assert!(
        bash("cd app && npm install y", true, "added 1 package").targets.contains(&"npm install".to_owned())
    );
    assert!(
        !bash("npm install y | tail -1", true, "npm error code E404")
            .targets
            .contains(&"npm install".to_owned())
    );
}

#[test]
fn messages_are_the_line_that_tells() {
    let message = |command: &str, output: &str| {
        bash(command, false, output).failure.map(|it| it.message).unwrap_or_default()
    };
    assert_eq!(message("x", "doing\nfatal: bad\nmore"), "fatal: bad");
    assert_eq!(
        message(
            "python a.py",
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad date"
        ),
        "ValueError: bad date"
    );
    assert_eq!(message("npm run b", "> app@1 b\n> x\n\nError: no"), "Error: no");
    assert_eq!(message("x", "Exit code 2\nno luck"), "no luck");
}

#[test]
fn measures_and_notable_lines() {
    let found = bash(
        "python load.py",
        true,
        "imported 9,812 rows, skipped 188\np95: 212.5ms, total 3 MB\nversion 1.2.3 at 12:30:05",
    );
    let text: Vec<String> =
        found.measures.iter().map(|it| format!("{} {} {}", it.label, it.value, it.unit)).collect();
    assert_eq!(text, ["total 3 mb", "p95 212.5 ms", "skipped 188 ", "imported 9812 rows"]);
    assert_eq!(found.notable, ["imported 9,812 rows, skipped 188"]);
    assert_eq!(bash("curl -s x", true, "503").measures.first().map(|it| it.value), Some(503.0));
    let licences = format!("{}libx  GPL-3.0\n", "some-package  MIT\n".repeat(30));
    assert_eq!(bash("npx license-checker", true, &licences).notable, ["libx GPL-3.0"]);
    let odd = format!("{}row 7: column b is empty!\n", "row 1 ok\nrow 2 ok\n".repeat(10));
    assert_eq!(bash("./check-rows", true, &odd).notable, ["row 7: column b is empty!"]);
    assert!(bash("npm test", true, "0 errors, 0 warnings\nTests: 3 passed, 3 total").notable.is_empty());
}

#[test]
fn summaries_are_one_line() {
    assert_eq!(
        bash("pytest -q", false, "11 passed, 1 failed").summary,
        "Bash: pytest -q → 11 passed, 1 failed"
    );
    assert_eq!(bash("true", true, "").summary, "Bash: true → no output");
    assert_eq!(
        bash("npm i x", false, "npm error code E404").summary,
        "Bash: npm i x → failed: npm error code E404"
    );
}

#[test]
fn a_server_that_ran_until_its_time_was_over_had_been_started() {
    check(
        "npm run dev",
        false,
        "ready on :3000\nCommand timed out after 2m 0.0s",
        &["+Service dev", "+Run dev", "opaque", "!Interrupted npm run dev"],
    );
}
