//! What programs that judge print, as recorded.

use super::super::output;
use super::{bash, check, runs};

/// Command, whether it succeeded, its output, the runs that it proves.
type Row<'a> = (&'a str, bool, &'a str, &'a [&'a str]);

#[track_caller]
fn all(rows: &[Row<'_>]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(command, ok, text, expected)| (command, text, runs(&bash(command, *ok, text)), expected))
        .filter(|(_, _, found, expected)| found.as_slice() != **expected)
        .map(|(command, text, found, expected)| {
            format!("{command:?} {text:?}\n  found    {found:?}\n  expected {expected:?}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python() {
    all(&[
        (
            "pytest -q",
            false,
            "E   assert 1 == 2\n\ntest_a.py:3: AssertionError\n=== short test summary info ===\nFAILED test_a.py::test_bad - assert 1 == 2\n1 failed, 1 passed, 1 skipped, 1 xfailed in 0.04s",
            &["Test pytest FAILED 1p 1f 1s"],
        ),
        (
            "pytest",
            false,
            "============== 1 failed, 1 passed, 1 skipped, 1 xfailed in 0.02s ===============",
            &["Test pytest FAILED 1p 1f 1s"],
        ),
        ("pytest -q", true, "48 passed, 2 warnings in 65.12s (0:01:05)", &["Test pytest ok 48p 0f 2w"]),
        ("pytest -q", false, "2 failed, 46 passed, 1 error in 2.13s", &["Test pytest FAILED 46p 3f"]),
        ("pytest -q", true, "46 passed", &["Test pytest ok 46p 0f"]),
        ("pytest -q -k x", false, "\n4 deselected in 0.01s", &["Test pytest [x] FAILED 0p 0f"]),
        (
            "pytest -q --cov=. 2>&1 | tail -12",
            true,
            "Name        Stmts   Miss  Cover\n-------\nm.py            3      3     0%\nTOTAL          10      3    70%\n1 failed, 1 passed in 0.09s",
            &["Test pytest FAILED 1p 1f 70%"],
        ),
        (
            "pytest a && pytest b",
            true,
            "3 passed in 0.1s\n5 passed in 0.2s",
            &["Test pytest [a] ok 3p 0f", "Test pytest [b] ok 5p 0f"],
        ),
        (
            "pytest a && pytest b",
            false,
            "3 passed in 0.1s\n1 failed, 5 passed in 0.2s",
            &["Test pytest [a] ok 3p 0f", "Test pytest [b] FAILED 5p 1f"],
        ),
        ("pytest a && pytest b", false, "1 failed, 2 passed in 0.1s", &["Test pytest [a] FAILED 2p 1f"]),
        ("pytest -q || true", true, "1 failed in 0.1s", &["Test pytest FAILED 0p 1f"]),
        ("pytest -q; true", true, "", &["Test pytest ?"]),
        ("pytest -q | tail -1", true, "", &["Test pytest ?"]),
        (
            "for i in $(seq 20); do pytest -q a.py || break; done",
            true,
            &"1 passed in 0.1s\n".repeat(20),
            &["Test pytest [a.py] x20 ok 20p 0f"],
        ),
        (
            "python -m unittest",
            false,
            "Ran 5 tests in 0.003s\n\nFAILED (failures=1, errors=1)",
            &["Test unittest FAILED 3p 2f"],
        ),
        (
            "python -m unittest",
            true,
            "...\nRan 3 tests in 0.000s\n\nOK (skipped=1)",
            &["Test unittest ok 2p 0f 1s"],
        ),
        ("python manage.py test", true, "Ran 12 tests in 1.1s\n\nOK", &["Test manage.py test ok 12p 0f"]),
        (
            "tox",
            true,
            "  py311: OK (2.10=setup[0.2]+cmd[1.9] seconds)\n  lint: OK (1.0=setup[0.2]+cmd[0.8] seconds)\n  congratulations :) (3.2 seconds)",
            &["Test tox ok 2u"],
        ),
        (
            "ruff check .",
            false,
            "m.py:1:8: F401 `os` imported but unused\nFound 4 errors.\n[*] 3 fixable with `--fix`.",
            &["Lint ruff check FAILED 4e"],
        ),
        (
            "ruff check --fix .",
            false,
            "Found 3 errors (2 fixed, 1 remaining).",
            &["Lint ruff check FAILED 1e"],
        ),
        ("ruff check --fix .", true, "Found 2 errors (2 fixed, 0 remaining).", &["Lint ruff check ok 0e"]),
        ("ruff check .", true, "All checks passed!", &["Lint ruff check ok 0e"]),
        (
            "ruff format --check .",
            false,
            "Would reformat: a.py\n1 file would be reformatted, 1 file already formatted",
            &["Format ruff format FAILED"],
        ),
        (
            "ruff check . && ruff format --check .",
            false,
            "All checks passed!\nWould reformat: a.py\n1 file would be reformatted",
            &["Lint ruff check ok 0e", "Format ruff format FAILED"],
        ),
        (
            "mypy .",
            false,
            "m.py:2: error: Incompatible return value type\nFound 1 error in 1 file (checked 1 source file)",
            &["Typecheck mypy FAILED 1e"],
        ),
        ("mypy .", true, "Success: no issues found in 3 source files", &["Typecheck mypy ok 0e"]),
        ("pyright", false, "0 errors, 1 warning, 0 informations", &["Typecheck pyright FAILED 0e 1w"]),
        (
            "pyright",
            false,
            "/a.py:1:1 - error: x\n3 errors, 0 warnings, 0 informations ",
            &["Typecheck pyright FAILED 3e 0w"],
        ),
        (
            "flake8 src",
            false,
            "src/a.py:1:1: F401 'os' imported but unused\nsrc/a.py:9:80: E501 line too long",
            &["Lint flake8 [src] FAILED 2e"],
        ),
        (
            "pylint a",
            false,
            "a.py:1:0: C0114: Missing module docstring\na.py:3:0: E0602: Undefined variable\nYour code has been rated at 5.00/10",
            &["Lint pylint [a] FAILED 1e 1w"],
        ),
        (
            "black --check .",
            false,
            "would reformat a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.",
            &["Format black FAILED"],
        ),
        (
            "black --check .",
            true,
            "All done! ✨ 🍰 ✨\n2 files would be left unchanged.",
            &["Format black ok"],
        ),
    ]);
}

#[test]
fn rust() {
    all(&[
        (
            "cargo test",
            false,
            "running 3 tests\ntest a ... ok\ntest c ... ignored\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.27s\n\nerror: test failed, to rerun pass `--lib`",
            &["Test cargo test FAILED 1p 1f 1s"],
        ),
        (
            "cargo test",
            true,
            "test result: ok. 10 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 1 ignored\n   Doc-tests x\ntest result: ok. 0 passed; 0 failed; 0 ignored",
            &["Test cargo test ok 12p 0f 1s"],
        ),
        (
            "cargo test",
            false,
            "error[E0308]: mismatched types\nerror: could not compile `c` (lib test) due to 1 previous error; 1 warning emitted",
            &["Test cargo test FAILED 1e 0w"],
        ),
        (
            "cargo nextest run",
            false,
            "     Summary [   0.512s] 10 tests run: 9 passed, 1 failed, 2 skipped",
            &["Test cargo nextest FAILED 9p 1f 2s"],
        ),
        (
            "cargo build",
            false,
            "error[E0308]: mismatched types\nwarning: `c` (lib) generated 1 warning\nerror: could not compile `c` (lib) due to 1 previous error; 1 warning emitted",
            &["Build cargo build FAILED 1e 1w"],
        ),
        (
            "cargo build",
            true,
            "   Compiling c v0.1.0\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.17s",
            &["Build cargo build ok 0e 0w"],
        ),
        (
            "cargo clippy",
            true,
            "warning: unused variable: `x`\n --> src/lib.rs:1:25\n\nwarning: `c` (lib) generated 1 warning (run `cargo clippy --fix` to apply 1 suggestion)\n    Finished `dev` profile in 0.17s",
            &["Lint cargo clippy ok 0e 1w"],
        ),
        (
            "cargo clippy 2>&1 | tail -3",
            true,
            "    Finished `dev` profile [unoptimized] target(s) in 0.17s",
            &["Lint cargo clippy ok 0e 0w"],
        ),
        (
            "cargo fmt --check",
            false,
            "Diff in /x/src/lib.rs:1:\n-pub fn f()",
            &["Format cargo fmt FAILED 1e"],
        ),
        (
            "cargo llvm-cov",
            true,
            "test result: ok. 4 passed; 0 failed; 0 ignored\nTOTAL  120  20  83.33%  10  1  90.00%  200  30  85.00%",
            &["Test cargo llvm-cov ok 4p 0f 85%"],
        ),
        (
            "cargo tarpaulin",
            true,
            "test result: ok. 4 passed; 0 failed\n81.25% coverage, 65/80 lines covered",
            &["Test cargo tarpaulin ok 4p 0f 81.25%"],
        ),
    ]);
}

#[test]
fn go() {
    all(&[
        (
            "go test ./...",
            true,
            "ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n?   \texample.com/c\t[no test files]",
            &["Test go test ok 0f 2u"],
        ),
        (
            "go test ./...",
            false,
            "--- FAIL: TestX (0.00s)\n    a_test.go:9: bad\nFAIL\nFAIL\texample.com/a\t0.012s\nok  \texample.com/b\t0.1s\nFAIL",
            &["Test go test FAILED 1f 1u"],
        ),
        (
            "go test -v ./a",
            true,
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.2s",
            &["Test go test [./a] ok 2p 0f 1u"],
        ),
        (
            "go test -cover ./...",
            true,
            "ok  \texample.com/a\t0.1s\tcoverage: 81.2% of statements",
            &["Test go test ok 0f 1u 81.2%"],
        ),
        (
            "go test ./...",
            false,
            "# example.com/a\n./a.go:3:4: undefined: x\nFAIL\texample.com/a [build failed]",
            &["Test go test FAILED"],
        ),
        ("go test ./... 2>&1 | grep FAIL", true, "FAIL\texample.com/a\t0.1s", &["Test go test FAILED"]),
        (
            "gotestsum",
            false,
            "DONE 45 tests, 1 skipped, 2 failures in 1.2s",
            &["Test gotestsum FAILED 42p 2f 1s"],
        ),
        ("go vet ./...", false, "# example.com/a\n./a.go:3:4: unreachable code", &["Lint go vet FAILED 1e"]),
        ("go build ./... 2>&1 | head", true, "", &["Build go build ok"]),
        ("go build ./... 2>&1 | head", true, "./a.go:3:4: undefined: x", &["Build go build FAILED 1e"]),
        ("gofmt -l . | head", true, "a.go\nb.go", &["Format gofmt FAILED 2e"]),
        (
            "golangci-lint run",
            false,
            "a.go:3:4: unused (unused)\n1 issues:\n* unused: 1",
            &["Lint golangci-lint FAILED 1e"],
        ),
        ("golangci-lint run", true, "0 issues.", &["Lint golangci-lint ok 0e"]),
    ]);
}

#[test]
fn javascript() {
    all(&[
        (
            "npx jest",
            false,
            "Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 2 skipped, 52 passed, 55 total\nTime: 2 s",
            &["Test jest FAILED 52p 1f 2s 3u"],
        ),
        (
            "npx jest --coverage",
            true,
            "All files |   81.2 |    70 |   90 |   82.5 |\nTests:       5 passed, 5 total",
            &["Test jest ok 5p 0f 82.5%"],
        ),
        (
            "npx vitest run",
            false,
            " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 10 passed (12)",
            &["Test vitest FAILED 10p 2f 3u"],
        ),
        (
            "npx vitest run",
            true,
            " Test Files  3 passed (3)\n      Tests  10 passed | 1 skipped (11)",
            &["Test vitest ok 10p 0f 1s 3u"],
        ),
        (
            "npx mocha",
            false,
            "  12 passing (30ms)\n  1 pending\n  1 failing\n\n  1) a",
            &["Test mocha FAILED 12p 1f 1s"],
        ),
        (
            "node --test",
            false,
            "1..3\n# tests 3\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms 238.67",
            &["Test node --test FAILED 1p 1f 1s"],
        ),
        (
            "node --test",
            true,
            "✔ a (5.629417ms)\nℹ tests 3\nℹ pass 3\nℹ fail 0",
            &["Test node --test ok 3p 0f"],
        ),
        (
            "npx playwright test",
            false,
            "  1 failed\n    [chromium] › a.spec.ts:3:1 › x\n  5 passed (12.3s)",
            &["Test playwright FAILED 5p 1f"],
        ),
        (
            "npx playwright test",
            true,
            "Running 3 tests using 2 workers\n  1 skipped\n  2 passed (4.1s)",
            &["Test playwright ok 2p 0f 1s"],
        ),
        (
            "npx cypress run",
            true,
            "  │ Tests:        5 │\n  │ Passing:      5 │\n  │ Failing:      0 │\n  │ Pending:      0 │\n  │ Skipped:      0 │\n  ✔  All specs passed!",
            &["Test cypress ok 5p 0f"],
        ),
        (
            "bun test",
            false,
            " 5 pass\n 1 fail\nRan 6 tests across 2 files. [12.00ms]",
            &["Test bun test FAILED 5p 1f"],
        ),
        ("deno test", false, "FAILED | 4 passed | 1 failed (30ms)", &["Test deno test FAILED 4p 1f"]),
        (
            "npm test",
            true,
            "> app@1.0.0 test\n> jest\n\nTests:       7 passed, 7 total",
            &["Test npm test ok 7p 0f"],
        ),
        (
            "npm test",
            false,
            "> vitest run\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\nnpm error Lifecycle script `test` failed",
            &["Test npm test FAILED 2p 1f"],
        ),
        (
            "npx tsc --noEmit",
            false,
            "a.ts(52,11): error TS7034: Variable 'x' implicitly has type 'any'.\nb.ts(1,1): error TS2345: x",
            &["Typecheck tsc FAILED 2e"],
        ),
        ("npx tsc --noEmit | head", true, "a.ts(52,11): error TS7034: x", &["Typecheck tsc FAILED 1e"]),
        ("npx tsc --noEmit 2>&1 | head -20", true, "", &["Typecheck tsc ok"]),
        ("npx tsc --noEmit 2>&1 | grep a.ts", false, "", &["Typecheck tsc ?"]),
        ("npx tsc --noEmit 2>&1 | grep a.ts | head", true, "", &["Typecheck tsc ?"]),
        ("npx tsc --noEmit 2>&1 | grep error", false, "", &["Typecheck tsc ok"]),
        ("npx tsc --noEmit 2>&1 | head; echo done", true, "done", &["Typecheck tsc ok"]),
        (
            "npx eslint .",
            false,
            "/a.js\n  1:1  error  x  no-undef\n\n✖ 3 problems (2 errors, 1 warning)",
            &["Lint eslint FAILED 2e 1w"],
        ),
        ("npx eslint .", true, "✖ 1 problem (0 errors, 1 warning)", &["Lint eslint ok 0e 1w"]),
        (
            "npx biome check .",
            false,
            "Checked 5 files in 3ms. No fixes applied.\nFound 2 errors.\nFound 1 warning.",
            &["Lint biome FAILED 2e 1w", "Format biome FAILED 2e 1w"],
        ),
        (
            "npx prettier --check .",
            false,
            "Checking formatting...\n[warn] a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.",
            &["Format prettier FAILED 1w"],
        ),
        (
            "npx prettier --check .",
            true,
            "Checking formatting...\nAll matched files use Prettier code style!",
            &["Format prettier ok"],
        ),
        (
            "npm run build",
            true,
            "vite v5\n✓ 34 modules transformed.\n✓ built in 1.23s",
            &["Build npm run build ok"],
        ),
        (
            "npm run build",
            false,
            "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
            &["Build npm run build FAILED 1e"],
        ),
        ("npx next build", false, "Failed to compile.\n\n./a.tsx", &["Build next build FAILED"]),
        (
            "npm run check",
            false,
            "Found 2 errors.\nFound 1 warning.\nChecked 5 files in 3ms.",
            &["Lint npm run check FAILED 2e 1w", "Typecheck npm run check ?"],
        ),
        (
            "npx tsc --noEmit && npx eslint . && npx jest",
            true,
            "Tests:       52 passed, 52 total",
            &["Typecheck tsc ok", "Lint eslint ok", "Test jest ok 52p 0f"],
        ),
        ("npx tsc --noEmit && npx jest", false, "a.ts(1,1): error TS1: x", &["Typecheck tsc FAILED 1e"]),
    ]);
}

#[test]
fn others() {
    all(&[
        (
            "mvn test",
            false,
            "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.B\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1\n[INFO] BUILD FAILURE",
            &["Test mvn test FAILED 3p 1f 1s"],
        ),
        (
            "mvn -q verify",
            true,
            "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
            &["Test mvn verify ok 5p 0f", "Build mvn verify ok"],
        ),
        (
            "gradle test",
            false,
            "10 tests completed, 2 failed\n\nBUILD FAILED in 3s",
            &["Test gradle test FAILED 8p 2f"],
        ),
        (
            "./gradlew build",
            true,
            "BUILD SUCCESSFUL in 3s",
            &["Build gradlew build ok", "Test gradlew build ok", "Lint gradlew build ok"],
        ),
        ("bundle exec rspec", false, "10 examples, 1 failure, 2 pending", &["Test rspec FAILED 7p 1f 2s"]),
        (
            "rails test",
            true,
            "5 runs, 7 assertions, 0 failures, 0 errors, 0 skips",
            &["Test rails test ok 5p 0f"],
        ),
        ("vendor/bin/phpunit", true, "OK (5 tests, 7 assertions)", &["Test phpunit ok 5p 0f"]),
        (
            "vendor/bin/phpunit",
            false,
            "Tests: 5, Assertions: 7, Failures: 1.",
            &["Test phpunit FAILED 4p 1f"],
        ),
        (
            "dotnet test",
            true,
            "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 3 ms",
            &["Test dotnet test ok 5p 0f 1s"],
        ),
        (
            "dotnet build",
            false,
            "a.cs(1,1): error CS0103: x\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)",
            &["Build dotnet build FAILED 1e 0w"],
        ),
        ("ctest", false, "90% tests passed, 1 tests failed out of 10", &["Test ctest FAILED 9p 1f"]),
        (
            "swift test",
            false,
            "Executed 2 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds\nExecuted 5 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds",
            &["Test swift test FAILED 4p 1f"],
        ),
        (
            "mix test",
            false,
            "5 doctests, 10 tests, 1 failure, 2 skipped",
            &["Test mix test FAILED 12p 1f 2s"],
        ),
        (
            "flutter test",
            false,
            "00:01 +1: loading\n00:05 +10 ~1 -2: Some tests failed.",
            &["Test flutter test FAILED 10p 2f 1s"],
        ),
        (
            "make test",
            false,
            "3 passed, 1 failed\nmake: *** [Makefile:3: test] Error 1",
            &["Test make test FAILED 3p 1f"],
        ),
        ("make", false, "a.c:3:4: error: x\nmake: *** [a.o] Error 1", &["Build make FAILED 1e"]),
        ("bats test", true, "5 tests, 0 failures", &["Test bats [test] ok 5p 0f"]),
        ("terraform validate", true, "Success! The configuration is valid.", &["Lint terraform validate ok"]),
        ("./run-tests.sh", true, "All 12 tests passed", &["Test run-tests.sh ok 12p 0f"]),
        ("python check.py", true, "12/14 tests passed", &["Run check.py FAILED 12p 2f"]),
        ("./x", true, "Passed: 5 Failed: 1", &["Run x FAILED 5p 1f"]),
        (
            "pre-commit run -a",
            false,
            "ruff.....................................Passed\nmypy.....................................Failed",
            &["Lint pre-commit FAILED 1u"],
        ),
        (
            "git commit -m x",
            true,
            "ruff.....................................Passed\nmypy.....................................Passed\n[main 1a2b3c4] x",
            &["Lint ruff ok", "Typecheck mypy ok"],
        ),
        (
            "git commit -m x",
            false,
            "summary: (done in 0.52 seconds)\n✔️ typecheck (0.50 seconds)\n🥊 lint (0.30 seconds)",
            &["Typecheck typecheck ok", "Lint lint FAILED"],
        ),
        (
            "git push",
            true,
            "✔ tests\nTests:       7 passed, 7 total\nTo github.com:o/r",
            &["Test tests ok 7p 0f"],
        ),
        ("docker build .", false, "ERROR: failed to solve: x", &["Build docker build FAILED"]),
    ]);
}

#[test]
fn counts_of_a_part_are_marked() {
    let partial = |command: &str, text: &str| {
        bash(command, true, text).runs.first().is_some_and(|run| run.outcome.partial)
    };
    let text = "test result: ok. 10 passed; 0 failed; 0 ignored";
    assert!(partial("cargo test 2>&1 | grep 'test result' | head -3", text));
    assert!(partial("cargo test", &format!("[12 lines truncated]\n{text}")));
    assert!(!partial("cargo test", text));
    assert!(!partial("pytest | tail -3", "10 passed in 0.1s"));
}

#[test]
fn colours_and_huge_outputs_are_read() {
    check(
        "npx jest",
        true,
        "\u{1b}[1mTests:\u{1b}[22m       \u{1b}[32m5 passed\u{1b}[39m, 5 total",
        &["Test jest ok 5p 0f"],
    );
    let long = format!("{}\n3 passed in 0.1s", "x y z\n".repeat(200_000));
    check("pytest", true, &long, &["Test pytest ok 3p 0f"]);
    let line = "é".repeat(400_000);
    check("pytest", true, &line, &["Test pytest ok"]);
}

#[test]
fn prose_is_no_summary() {
    for text in [
        "It failed because 3 things passed by",
        "compiled with 2 errors",
        "version 3 passed review",
        "see test 12",
        "12 files changed, 3 insertions(+)",
    ] {
        let found = output::tests(text);
        assert!(
            found
                .iter()
                .all(|it| it.outcome.tests_failed.unwrap_or(0) == 0 && it.tool == output::Tool::Generic),
            "{text}: {found:?}"
        );
    }
    assert!(output::tests("fixed the bug where login failed\nok then").is_empty());
}
