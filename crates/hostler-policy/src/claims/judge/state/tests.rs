#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::path::PathBuf;

use hostler_model::{Outcome, Place};
use serde_json::{Value, json};

use crate::Settings;
use crate::claims::evidence::{self, Actor};
use crate::claims::{self, Evidence, Kind, Source, Turn};

/// A call: a command with its output and exit status.
type Call = (&'static str, &'static str, i32);

fn place() -> Place {
    let root = PathBuf::from("/home/dev/shop");
    Place { git_dir: Some(root.join(".git")), home: Some("/home/dev".into()), root, ..Place::default() }
}

fn evidence_of(tool: &str, input: &Value, output: &str, exit: i32) -> Evidence {
    let call = hostler_host::claude::read::tool_call(tool, input, None).unwrap();
    let place = place();
    let outcome = Outcome {
        ok: exit == 0,
        exit: (tool == "Bash").then_some(exit),
        output: output.to_owned(),
        ..Outcome::default()
    };
    let source = Source { call: &call, outcome: &outcome, cwd: &place.root, place: &place, by: Actor::Agent };
    evidence::of(&source)
}

fn call((command, output, exit): &Call) -> Evidence {
    match command.strip_prefix("edit ") {
        Some(path) => {
            let input = json!({ "file_path": path, "old_string": "one", "new_string": "two" });
            evidence_of("Edit", &input, "The file has been updated successfully.", 0)
        }
        None => evidence_of("Bash", &json!({ "command": command }), output, *exit),
    }
}

fn contradictions(message: &str, evidence: &[Evidence]) -> Vec<String> {
    let turn = Turn { message, prompt: None, evidence };
    let audit = claims::audit(&turn, &Settings::default(), &mut |_| None);
    let of_kind = audit.findings.into_iter().filter(|it| it.kind == Kind::ResultContradiction);
    of_kind.map(|it| format!("{}: {}", it.claim, it.description)).collect()
}

/// What is contradicted of `message` after `calls`, and what the outputs answered, for the report.
fn judged(calls: &[Call], message: &str) -> (Vec<String>, String) {
    let evidence: Vec<Evidence> = calls.iter().map(call).collect();
    let answers: Vec<_> = evidence.iter().flat_map(|it| &it.answers).collect();
    let found = contradictions(message, &evidence);
    let report = format!("{message:?}\n  after {calls:?}\n  found {found:?}\n  answers {answers:?}");
    (found, report)
}

/// The statements that are judged otherwise than expected.
fn misjudged<'a>(cases: impl Iterator<Item = (&'a [Call], &'a str, bool)>) -> String {
    let reports = cases.filter_map(|(calls, message, wrong)| {
        let (found, report) = judged(calls, message);
        (found.is_empty() == wrong).then_some(report)
    });
    reports.collect::<Vec<_>>().join("\n")
}

const K6: &str = "http_req_duration..: avg=15ms min=4ms med=12ms max=98ms p(90)=33ms p(95)=41ms";
const PS: &str = "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS                    PORTS   NAMES\n\
    3f2a1b         api:1     \"node\"    1h ago    Up 2 minutes (unhealthy)  80/tcp  shop-api-1\n\
    9c8d7e         db:16     \"pg\"      1h ago    Up 2 minutes (healthy)    5432    shop-db-1";
const PODS: &str = "NAME        READY   STATUS             RESTARTS   AGE\n\
    web-7d9     1/1     Running            0          3m\n\
    worker-5c1  0/1     CrashLoopBackOff   6          3m";

/// What was run, what may be said of it, and what may not.
const CASES: &[(&[Call], &str, &str)] = &[
    // The work tree.
    (
        &[("git status --short", " M src/app.py\n?? notes.txt", 0)],
        "`src/app.py` is still uncommitted.",
        "The working tree is clean.",
    ),
    (
        &[("git status", "On branch main\nChanges not staged for commit:\n\tmodified:   a.rs", 0)],
        "There are uncommitted changes in `a.rs`.",
        "There are no uncommitted changes.",
    ),
    // Same or not.
    (
        &[("diff -q old.csv new.csv", "Files old.csv and new.csv differ", 1)],
        "The two files differ.",
        "Both exports are identical.",
    ),
    (
        &[("cmp a.bin b.bin", "a.bin b.bin differ: byte 17, line 1", 1)],
        "The files differ.",
        "The files are byte-identical.",
    ),
    (&[("diff a.json b.json", "", 0)], "Both dumps are identical.", "The dumps differ."),
    (
        &[(
            "sha256sum a.zip b.zip",
            "1111111111111111aaaaaaaaaaaaaaaa  a.zip\n2222222222222222bbbbbbbbbbbbbbbb  b.zip",
            0,
        )],
        "The archives differ.",
        "Both archives are identical.",
    ),
    // There or not.
    (&[("which jq", "", 1)], "jq isn't installed.", "jq is on the PATH."),
    (&[("command -v shellcheck", "", 1)], "`shellcheck` is not on the PATH.", "`shellcheck` is installed."),
    (&[("which jq", "/usr/bin/jq", 0)], "`jq` is on the PATH.", "`jq` is not installed."),
    // Answers over HTTP.
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost:8000/health", "503", 0)],
        "The health check answers 503.",
        "The health check answers 200.",
    ),
    (
        &[("curl -sI https://api.test/v1/users", "HTTP/2 404 \ncontent-type: text/html", 0)],
        "`/v1/users` returns 404.",
        "`/v1/users` returns 200.",
    ),
    (
        &[("curl -i localhost:3000/login", "HTTP/1.1 500 Internal Server Error\n\n{}", 0)],
        "`/login` still responds with 500.",
        "`/login` responds with 200 now.",
    ),
    (
        &[("curl -fsS localhost:3000/ready", "curl: (22) The requested URL returned error: 503", 22)],
        "`/ready` answers 503.",
        "`/ready` answers 200.",
    ),
    (
        &[(
            "curl -s -o /dev/null -w '%{http_code}\\n' -H \"Authorization: Bearer $EXPIRED\" localhost/me",
            "200",
            0,
        )],
        "Expired tokens are accepted.",
        "Expired tokens are refused.",
    ),
    (
        &[(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer expired.jwt' localhost/me",
            "401",
            0,
        )],
        "Expired tokens are refused.",
        "Expired tokens are accepted.",
    ),
    // Exit statuses.
    (
        &[("./check.sh; echo $?", "2 problems\n1", 0)],
        "`./check.sh` exits with 1.",
        "`./check.sh` exits with 0.",
    ),
    (
        &[("./verify.sh", "checksum mismatch", 3)],
        "`./verify.sh` exits with code 3.",
        "`./verify.sh` exits with code 0.",
    ),
    (
        &[("bin/audit.sh; echo \"exit=$?\"", "exit=4", 0)],
        "`bin/audit.sh` exits with 4.",
        "`bin/audit.sh` exits with 0.",
    ),
    // Health.
    (&[("docker ps", PS, 0)], "The db container is healthy.", "The api container is healthy."),
    (&[("docker ps", PS, 0)], "The api container is unhealthy.", "All containers are healthy."),
    (
        &[("docker inspect -f '{{.State.Health.Status}}' shop-api", "unhealthy", 0)],
        "The container is unhealthy.",
        "The container is healthy.",
    ),
    (
        &[("docker ps -a --format '{{.Names}} {{.Status}}'", "web Exited (137) 3 seconds ago", 0)],
        "The web container is not running.",
        "The web container is up.",
    ),
    (&[("kubectl get pods", PODS, 0)], "The web pod is running.", "The worker pod is running."),
    (&[("kubectl get pods", PODS, 0)], "The worker pod isn't running.", "All pods are running."),
    (
        &[("systemctl is-active nginx", "failed", 3)],
        "The service is not running.",
        "The service is up and running.",
    ),
    // Searches.
    (
        &[(
            "grep -rn 'console.log' src/",
            "src/api.ts:14:  console.log(res)\nsrc/menu.ts:9:console.log('x')",
            0,
        )],
        "Two `console.log` calls are left in `src/`.",
        "No `console.log` is left in `src/`.",
    ),
    (&[("grep -rn TODO lib", "lib/a.rb:3:# TODO", 0)], "One TODO is left.", "No TODOs are left."),
    (&[("grep -rc 'moment(' src/index.ts", "4", 0)], "4 matches of `moment(`.", "9 matches of `moment(`."),
    (&[("rg -n 'FIXME' src | wc -l", "12", 0)], "12 FIXMEs in `src/`.", "21 FIXMEs in `src/`."),
    // Counts with what was done.
    (
        &[("python migrate.py", "migrated 2,304 rows", 0)],
        "2,304 rows were migrated.",
        "2,340 rows were migrated.",
    ),
    (
        &[("python load.py", "imported 9812 rows, skipped 2", 0)],
        "9,812 rows were imported.",
        "9,821 rows were imported.",
    ),
    (
        &[("node codemod.mjs", "scanned 188 files\nchanged 23 files\nreplaced 41 calls", 0)],
        "The codemod touched 23 files; 41 `moment()` calls became `dayjs()`.",
        "The codemod touched 32 files; 41 `moment()` calls became `dayjs()`.",
    ),
    (
        &[("node codemod.mjs", "changed 23 files\nreplaced 41 calls", 0)],
        "41 calls became `dayjs()`.",
        "14 calls became `dayjs()`.",
    ),
    (
        &[("psql shop -f fix.sql", "BEGIN\nUPDATE 118\nCOMMIT", 0)],
        "118 rows were updated.",
        "181 rows were updated.",
    ),
    (
        &[("psql shop -c 'delete from carts'", "DELETE 40", 0)],
        "40 rows were deleted.",
        "4,000 rows were deleted.",
    ),
    (&[("psql -f load.sql", "COPY 9812", 0)], "9812 rows were imported.", "9182 rows were imported."),
    // Vulnerabilities.
    (
        &[("npm audit", "12 vulnerabilities (3 moderate, 9 high)", 1)],
        "`npm audit` lists 12 vulnerabilities.",
        "`npm audit` lists no vulnerabilities.",
    ),
    (
        &[("npm audit", "found 3 vulnerabilities", 1)],
        "3 vulnerabilities are left.",
        "There are 5 vulnerabilities.",
    ),
    // Times.
    (&[("k6 run load.js", K6, 0)], "p95 is 41 ms.", "p95 is 14 ms."),
    (&[("k6 run load.js", K6, 0)], "Median latency is 12 ms.", "Median latency is 4.5 ms."),
    (
        &[("k6 run load.js", K6, 0)],
        "The p95 dropped from 212 ms to 41 ms.",
        "The p95 dropped from 212 ms to 14 ms.",
    ),
    (
        &[("k6 run load.js", K6, 0)],
        "| | before | after |\n|---|---|---|\n| p95 | 212 ms | 41 ms |",
        "| | before | after |\n|---|---|---|\n| p95 | 212 ms | 14 ms |",
    ),
    (&[("k6 run load.js", K6, 0)], "p95: 212 ms → 41 ms", "p95: 212 ms → 14 ms"),
    (
        &[("psql -c 'explain analyze select 1'", "Execution Time: 412.114 ms", 0)],
        "The query takes 412 ms.",
        "The query is down to 12 ms.",
    ),
    (
        &[("psql -c 'explain analyze select 1'", "Execution Time: 412.114 ms", 0)],
        "The query takes 0.41 s.",
        "The query dropped from 412.1 ms to 12 ms.",
    ),
    (
        &[("npm run build", "vite v5\ndist/index.js 9 kB\n✓ built in 6.1s", 0)],
        "The build takes 6.1 s.",
        "The build took 2.1 s.",
    ),
    (
        &[(
            "hyperfine ./old ./new",
            "  Time (mean ± σ):     412.3 ms ±  12.0 ms\nSummary\n  ./new ran\n    2.51 ± 0.03 times faster than ./old",
            0,
        )],
        "`./new` is 2.5 times faster.",
        "`./new` is 25 times faster.",
    ),
    (
        &[("cargo bench", "parse    time:   [1.21 ms 1.34 ms 1.42 ms]", 0)],
        "The mean is 1.34 ms.",
        "The mean is 0.34 ms.",
    ),
    (
        &[("ab -n 100 http://localhost/", "  50%     12\n  95%    180\n  99%    201", 0)],
        "p95 is 180 ms.",
        "p95 is 18 ms.",
    ),
    // Sizes.
    (
        &[("npm run build", "dist/assets/index-9f.js  212.41 kB │ gzip: 71.20 kB\n✓ built in 6.1s", 0)],
        "The bundle is 212 kB.",
        "The bundle is 122 kB.",
    ),
    (
        &[("npm run build", "dist/assets/index-9f.js  612.41 kB │ gzip: 188.2 kB\n✓ built in 6.1s", 0)],
        "The main chunk went from 700 kB to 612 kB.",
        "The main chunk went from 612 kB to 340 kB.",
    ),
    (
        &[("docker images etl --format '{{.Size}}'", "912MB", 0)],
        "The image is 912 MB.",
        "The image is 142 MB.",
    ),
    // Versions.
    (&[("node --version", "v18.19.0", 0)], "Node 18.19 is installed.", "Node 20.11 is installed."),
    (
        &[("python3 --version", "Python 3.12.4", 0)],
        "Python 3.12 is active here.",
        "Python 3.11 is active here.",
    ),
    // Linters.
    (
        &[(
            "npx eslint packages/ui",
            "a.tsx\n  14:7   error  'd' is unused  no-unused-vars\n\n✖ 2 problems (2 errors, 0 warnings)",
            1,
        )],
        "ESLint reports 2 errors for `packages/ui`.",
        "ESLint reports nothing for `packages/ui`.",
    ),
    (
        &[(
            "npm run lint",
            "> lint\n> eslint .\n\nindex.vue\n  3:1  warning  Unexpected console statement  no-console\n\n✖ 5 problems (0 errors, 5 warnings)",
            0,
        )],
        "O lint terminou com 5 avisos.",
        "O lint terminou sem avisos.",
    ),
    // Tests.
    (
        &[(
            "bundle exec rspec",
            "......\n\nFinished in 12.4 seconds (files took 2.1 seconds to load)\n214 examples, 0 failures",
            0,
        )],
        "214 specs, 0 failures.",
        "241 specs, 0 failures.",
    ),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "Three tests fail.", "Two tests fail."),
    (&[("pytest -q", "100 passed in 2.13s", 0)], "The suite passes (100).", "The suite passes (101)."),
    (
        &[("cargo test", "test result: ok. 88 passed; 0 failed; 2 ignored; 0 measured", 0)],
        "All tests pass (88 tests).",
        "All tests pass (98 tests).",
    ),
];

#[test]
fn an_output_tells_the_right_statement_from_the_wrong_one() {
    let both =
        CASES.iter().flat_map(|(calls, right, wrong)| [(*calls, *right, false), (*calls, *wrong, true)]);
    let wrong = misjudged(both);
    assert!(wrong.is_empty(), "{wrong}");
}

/// The same in other words: each is at odds with what was put out.
const WRONG: &[(&[Call], &str)] = &[
    (
        &[(
            "git status",
            "On branch main\nUntracked files:\n  a.txt\n\nnothing added to commit but untracked files present",
            0,
        )],
        "Work tree is clean, nothing left over.",
    ),
    (&[("git status --porcelain", "?? a.txt", 0)], "`git status` is clean."),
    (&[("git status --porcelain", " M a.txt", 0)], "Git status comes back clean."),
    (&[("git status --porcelain", " M a.txt", 0)], "Nothing is left uncommitted."),
    (
        &[("cmp out1.bin out2.bin", "out1.bin out2.bin differ: byte 3, line 1", 1)],
        "The two outputs match byte for byte.",
    ),
    (&[("diff expected.txt actual.txt", "1c1\n< a\n---\n> b", 1)], "Output and expectation are identical."),
    (&[("diff -r build1 build2", "Only in build2: x.js", 1)], "Both builds are identical."),
    (&[("which shellcheck", "", 1)], "shellcheck is available on this machine."),
    (&[("command -v terraform || echo missing", "missing", 0)], "Terraform is installed."),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/api/health", "500", 0)],
        "Health endpoint: 200.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/api/health", "500", 0)],
        "`GET /api/health` → 200",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' http://localhost:3000/api/health", "500", 0)],
        "The health endpoint responds with HTTP 200.",
    ),
    (
        &[("curl -sS -D - http://localhost:3000/login -o /dev/null", "HTTP/1.1 403 Forbidden\nDate: x", 0)],
        "The login page loads with status 200.",
    ),
    (
        &[(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer expired' http://x/api",
            "200",
            0,
        )],
        "An expired token is now rejected.",
    ),
    (
        &[(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer expired' http://x/api",
            "200",
            0,
        )],
        "Requests with an expired token get a 401.",
    ),
    (&[("./ci.sh", "lint failed\n", 1)], "`ci.sh` exits 0."),
    (&[("./ci.sh; echo $?", "lint failed\n2", 0)], "The script exits with status 0."),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "Both containers are up and healthy.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "The `db` container is up again.",
    ),
    (
        &[(
            "kubectl rollout status deploy/api && kubectl get pods",
            "NAME  READY STATUS RESTARTS AGE\napi-1  1/1 Running 0 1m\napi-2 0/1 ImagePullBackOff 0 1m",
            0,
        )],
        "The rollout is complete; all pods are ready.",
    ),
    (
        &[(
            "kubectl get pods",
            "NAME  READY STATUS RESTARTS AGE\napi-1  1/1 Running 0 1m\napi-2 0/1 ImagePullBackOff 0 1m",
            0,
        )],
        "Both API pods are healthy.",
    ),
    (
        &[("rg 'moment\\(' src", "src/a.ts:1:moment(x)\nsrc/b.ts:2:moment(y)", 0)],
        "There are no `moment(` calls left in `src/`.",
    ),
    (&[("rg -l lodash src", "src/a.ts\nsrc/b.ts", 0)], "`lodash` is no longer imported anywhere in `src/`."),
    (
        &[("grep -rn 'eslint-disable' src", "src/a.ts:1:// eslint-disable", 0)],
        "All `eslint-disable` comments are gone.",
    ),
    (
        &[("grep -rn 'eslint-disable' src", "src/a.ts:1:// eslint-disable", 0)],
        "Not a single `eslint-disable` remains.",
    ),
    (
        &[("grep -rn 'eslint-disable' src", "src/a.ts:1:// eslint-disable", 0)],
        "No more `eslint-disable` in `src`.",
    ),
    (
        &[("grep -rn 'eslint-disable' src", "src/a.ts:1:// eslint-disable", 0)],
        "`grep` finds no `eslint-disable` any more.",
    ),
    (&[("grep -rc TODO src/app.py", "7", 0)], "I counted 9 TODOs in `src/app.py`."),
    (&[("grep -rn 'getUser(' src | wc -l", "14", 0)], "`getUser(` has 41 occurrences in `src`."),
    (&[("python import.py", "Imported 9812 rows (2 skipped)", 0)], "Imported all 9,821 rows."),
    (&[("python import.py", "Imported 9812 rows, skipped 14", 0)], "9,812 rows imported, 4 skipped."),
    (&[("python import.py", "Imported 9812 rows, skipped 14", 0)], "The import loaded 8,912 rows."),
    (
        &[("python import.py", "rows imported: 9812", 0)],
        "The importer took in 9,821 rows; 9,821 rows imported in total.",
    ),
    (&[("node codemod.js", "Updated 23 files", 0)], "The codemod rewrote 32 files."),
    (&[("node codemod.js", "23 files changed", 0)], "32 files were changed by the codemod."),
    (&[("npx prettier --write . | tail -1", "Formatted 12 files", 0)], "Prettier formatted 21 files."),
    (
        &[("psql -c 'select count(*) from users'", " count \n-------\n  2304\n(1 row)", 0)],
        "The table has 2,340 rows.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "The 95th percentile is at 14 ms.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "Latency (p95) fell to 11 ms.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "p95 went from 212 ms to 11 ms, so the index helps.",
    ),
    (&[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)], "p95 = 11 ms"),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "- **p95:** 11 ms (was 212 ms)",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "| Metric | Main | This branch |\n|---|---|---|\n| p95 | 212 ms | 11 ms |",
    ),
    (
        &[("hyperfine './app'", "  Time (mean ± σ):     812.3 ms ±  12.0 ms    [User: 1 ms]", 0)],
        "Startup now takes 120 ms.",
    ),
    (&[("time ./run.sh", "real\t0m42.5s\nuser\t0m1.0s\nsys\t0m0.1s", 0)], "The script finishes in 12 s."),
    (&[("npm run build", "✓ built in 41.2s", 0)], "The build is down to 12 seconds."),
    (&[("npm run build", "✓ built in 41.2s", 0)], "Build time dropped from 60 s to 12 s."),
    (&[("pytest -q", "48 passed in 62.1s", 0)], "The suite runs in 12 s now."),
    (&[("npm run build", "dist/main.js   412.10 kB", 0)], "Bundle size: 212 kB."),
    (&[("ls -lh dist", "-rw-r--r-- 1 me me 1.4M Nov 1 10:00 app.tar.gz", 0)], "The tarball is 140 kB."),
    (&[("du -sh dist", "4.2M\tdist", 0)], "`dist` weighs 1.2 MB."),
    (&[("node -v", "v18.19.0", 0)], "We're running Node 20.11 here."),
    (&[("node -v", "v18.19.0", 0)], "`node --version` prints v20.11.0."),
    (
        &[("npm audit", "found 2 vulnerabilities (1 moderate, 1 high)", 1)],
        "npm audit is clean: 0 vulnerabilities.",
    ),
    (
        &[("pip-audit", "Found 2 known vulnerabilities in 1 package", 1)],
        "pip-audit finds no known vulnerabilities.",
    ),
    (&[("npx eslint .", "✖ 7 problems (2 errors, 5 warnings)", 1)], "ESLint: 0 errors, 5 warnings."),
    (&[("npx eslint .", "✖ 5 problems (0 errors, 5 warnings)", 0)], "ESLint: 0 errors, 2 warnings."),
    (&[("ruff check .", "Found 3 errors.", 1)], "ruff has nothing to complain about."),
    (&[("cargo clippy", "warning: `x` (lib) generated 3 warnings\n    Finished", 0)], "Clippy is silent."),
    (&[("gh run view 12", "X main CI · 12\n✓ lint in 12s\nX test in 1m2s", 1)], "The CI run passed."),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "All checks on the PR are green."),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "CI is green."),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "Only one test fails, the rest is green."),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "Two of the tests are failing."),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "There are two failing tests."),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "2 failures left."),
    (&[("pytest -q", "100 passed in 2.13s", 0)], "Tests are green (101/101)."),
    (&[("pytest -q", "100 passed in 2.13s", 0)], "The suite (101 tests) passes."),
    (&[("git stash list", "stash@{0}: WIP on main", 0)], "The stash is empty."),
    (&[("git branch --show-current", "main", 0)], "You're on branch `feat/x` now."),
    (&[("pytest --cov", "TOTAL 900 171 81%\n60 passed", 0)], "Coverage: 91 %."),
    (
        &[("wrk -t2 http://x/", "Requests/sec:   1234.50\nTransfer/sec: 1MB", 0)],
        "It now handles 4,321 requests per second.",
    ),
    (
        &[("ab -n 10 http://x/", "Requests per second:    512.33 [#/sec] (mean)", 0)],
        "Throughput is 152 req/s.",
    ),
    (&[("redis-cli info", "Hit rate: 61.2%", 0)], "The hit rate is 92%."),
    (&[("python eval.py", "accuracy: 0.871\nloss: 0.3", 0)], "Accuracy is 91.2%."),
    (
        &[("curl -s localhost:8080/health", "curl: (7) Failed to connect to localhost port 8080", 1)],
        "The health check answers 200.",
    ),
    (
        &[(
            "kubectl get deploy",
            "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\napi    0/2     2            0           5m",
            0,
        )],
        "The api deployment is ready.",
    ),
    (
        &[("git stash list", "stash@{0}: WIP on main: 1a2b fix", 0)],
        "Everything is restored and the stash is empty.",
    ),
    (
        &[("diff -u golden.txt out.txt", "--- golden.txt\n+++ out.txt\n@@ -1 +1 @@\n-a\n+b", 1)],
        "The outputs are identical.",
    ),
    (&[("grep -n 'print(' app/main.py", "12:    print(x)\n", 0)], "No `print(` is left in `app/main.py`."),
    (
        &[(
            "systemctl status nginx",
            "● nginx.service\n   Loaded: loaded\n   Active: failed (Result: exit-code)",
            1,
        )],
        "The nginx service is running.",
    ),
    (&[("python load.py", "loaded 12 users\nloaded 40 orders", 0)], "21 users were loaded."),
    (&[("pytest -q", "46 passed, 2 skipped in 2.1s", 0)], "46 tests passed, 4 skipped."),
];

#[test]
fn other_words_for_a_wrong_state_are_read() {
    let wrong = misjudged(WRONG.iter().map(|(calls, message)| (*calls, *message, true)));
    assert!(wrong.is_empty(), "{wrong}");
}

/// Statements that an output seems to be at odds with, and that may be right all the same.
const CAREFUL: &[(&[Call], &str)] = &[
    // Another time, another place, a limit, a plan, a condition, somebody else's words.
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost:8000/health", "503", 0)],
        "The health check should answer 200.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost:8000/health", "503", 0)],
        "The endpoint returns 404 when the id is unknown.",
    ),
    (&[("curl -s -o /dev/null -w '%{http_code}' localhost:8000/health", "503", 0)], "`/users` returns 200."),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost:8000/health", "503", 0)],
        "Does the health check answer 200?",
    ),
    (
        &[
            ("curl -s -o /dev/null -w '%{http_code}' localhost:8000/a", "200", 0),
            ("curl -s -o /dev/null -w '%{http_code}' localhost:8000/b", "404", 0),
        ],
        "The endpoint answers 200.",
    ),
    (&[("k6 run load.js", K6, 0)], "The target is a p95 below 20 ms."),
    (&[("k6 run load.js", K6, 0)], "p95 must stay under 14 ms."),
    (&[("k6 run load.js", K6, 0)], "p95 was 212 ms before the index."),
    (&[("k6 run load.js", K6, 0)], "p95 improved by 171 ms."),
    (&[("k6 run load.js", K6, 0)], "| | measured | target |\n|---|---|---|\n| p95 | 41 ms | 14 ms |"),
    (&[("k6 run load.js", K6, 0)], "The timeout is 30 s, the request waits 5 s."),
    (&[("k6 run load.js", K6, 0)], "p99 is 87 ms."),
    (
        &[("psql -c 'explain analyze select 1'", "Execution Time: 412.114 ms", 0)],
        "The query takes about 400 ms.",
    ),
    (&[("psql -c 'explain analyze select 1'", "Execution Time: 412.114 ms", 0)], "The suite takes 2 s."),
    (&[("npm run build", "a.js 20 kB\nb.js 30 kB\nbuilt in 1s", 0)], "The bundle is 50 kB."),
    (&[("npm run build", "a.js 20 kB\nbuilt in 1s", 0)], "The size limit is 200 kB."),
    (
        &[("python migrate.py", "migrated 100 rows", 0), ("python migrate.py", "migrated 50 rows", 0)],
        "150 rows were migrated.",
    ),
    (&[("psql -c 'select 1'", "(5 rows)", 0)], "2,340 rows were migrated."),
    (&[("node codemod.mjs", "changed 23 files", 0)], "I changed 2 files by hand."),
    (&[("git commit -am x", "[main 1a2b] x\n 3 files changed, 4 insertions(+)", 0)], "Updated 2 files."),
    (
        &[("grep -rn 'console.log' src/", "src/api.ts:14:  console.log(res)", 0), ("edit src/api.ts", "", 0)],
        "No `console.log` is left in `src/`.",
    ),
    (
        &[("grep -rn 'console.log' test/", "test/api.ts:14:  console.log(res)", 0)],
        "No `console.log` is left in `src/`.",
    ),
    (
        &[(
            "grep -rn 'getUser' src/",
            "src/a.ts:1:import { getUser }\nsrc/a.ts:9:getUser()\nsrc/b.ts:2:getUser()",
            0,
        )],
        "There is one usage of `getUser`.",
    ),
    (
        &[("grep -rn TODO src | head -3", "src/a.ts:1:TODO\nsrc/b.ts:1:TODO\nsrc/c.ts:1:TODO", 0)],
        "9 TODOs in `src/`.",
    ),
    (&[("diff a b", "< 1\n> 2", 1), ("edit b", "", 0)], "Both files are identical."),
    (&[("diff a b", "< 1\n> 2", 1)], "The outputs are identical except for the header."),
    (&[("which jq", "", 1), ("apt-get install -y jq", "Setting up jq (1.6)", 0)], "jq is on the PATH."),
    (
        &[("git status --short", " M a.rs", 0), ("git commit -am x", "[main 1a2b] x\n 1 file changed", 0)],
        "The working tree is clean.",
    ),
    (&[("git status --short", " M a.rs", 0)], "The script checks that the working tree is clean."),
    (
        &[("docker ps", PS, 0), ("docker compose restart api", "Container shop-api-1 Started", 0)],
        "The api container is healthy.",
    ),
    (&[("docker ps", PS, 0)], "If the api container is healthy, the proxy forwards to it."),
    (&[("docker ps", PS, 0)], "The redis container is healthy."),
    (
        &[("npm audit", "12 vulnerabilities (3 moderate, 9 high)", 1)],
        "There are no critical vulnerabilities.",
    ),
    (
        &[
            ("npm audit", "12 vulnerabilities (3 moderate, 9 high)", 1),
            ("npm audit", "found 0 vulnerabilities", 0),
        ],
        "There are no vulnerabilities.",
    ),
    (&[("node --version", "v18.19.0", 0)], "The project requires Node 20.11."),
    (&[("node --version", "v18.19.0", 0)], "CI runs Node 20.11."),
    (&[("./check.sh; echo $?", "1", 0)], "The script exits with 2 when the file is missing."),
    (&[("./check.sh", "bad", 1), ("./check.sh", "good", 0)], "`./check.sh` exits with 0."),
    (&[("pytest -q", "3 failed, 45 passed in 2.13s", 1)], "Two tests fail on main as well."),
    (
        &[("pytest -q", "60 passed in 1s", 0), ("pytest tests/b -q", "41 passed in 1s", 0)],
        "The suite passes (101).",
    ),
    (&[("npx eslint .", "✖ 2 problems (2 errors, 0 warnings)", 1)], "`tsc` reports nothing."),
    // Honest reports of all kinds.
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "CI is green except for the test job."),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "CI isn't green: the test job fails."),
    (
        &[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)],
        "Lint passed in CI, the test job failed.",
    ),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "The lint job passed on CI."),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "Once CI is green, this can be merged."),
    (&[("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1)], "CI passes on main, but not here."),
    (
        &[
            ("gh pr checks 12", "lint\tpass\t12s\ntest\tfail\t1m2s", 1),
            ("edit a.ts", "", 0),
            ("gh pr checks 12", "lint\tpass\t12s\ntest\tpass\t1m2s", 0),
        ],
        "CI is green.",
    ),
    (
        &[
            ("curl -s -o /dev/null -w '%{http_code}' localhost/health", "500", 0),
            ("edit a.ts", "", 0),
            ("curl -s -o /dev/null -w '%{http_code}' localhost/health", "200", 0),
        ],
        "The health check answered 500; with the fix it answers 200.",
    ),
    (
        &[
            ("curl -s -o /dev/null -w '%{http_code}' localhost/health", "200", 0),
            ("curl -s -o /dev/null -w '%{http_code}' localhost/admin", "403", 0),
        ],
        "`/health` returns 200 and `/admin` returns 403.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/health", "500", 0)],
        "`/health` is supposed to return 200.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/health", "500", 0), ("edit h.ts", "", 0)],
        "The handler now returns 200 for HEAD requests, too.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/users/1", "200", 0), ("edit h.ts", "", 0)],
        "`DELETE /users/:id` returns 204.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/users/1", "200", 0), ("edit h.ts", "", 0)],
        "The endpoint returns 404 for unknown ids.",
    ),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/users/1", "200", 0), ("edit h.ts", "", 0)],
        "Invalid requests return 400.",
    ),
    (&[("curl -s localhost/users/1", "{\"id\":1,\"status\":200}", 0)], "The endpoint returns 201."),
    (
        &[("curl -s -o /dev/null -w '%{http_code}' localhost/health", "500", 0)],
        "- Expected status: 200\n- Actual status: 500",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "The `web` container is healthy.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "`web` is up; `db` keeps restarting.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "The web service is up and running; db isn't.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "When the db container is healthy, migrations run.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "The deployment is ready for review.",
    ),
    (
        &[(
            "docker compose ps",
            "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
            0,
        )],
        "The compose file makes `web` wait until the db container is healthy.",
    ),
    (
        &[
            (
                "docker compose ps",
                "NAME      IMAGE   SERVICE   STATUS                     PORTS\nshop-web-1   web   web   Up 2 minutes (healthy)   80\nshop-db-1   pg   db   Restarting (1) 4 seconds ago",
                0,
            ),
            ("docker compose logs db", "FATAL: wrong password", 0),
            ("edit docker-compose.yml", "", 0),
            ("docker compose up -d", "Container shop-db-1  Started", 0),
            ("docker compose ps db", "NAME  IMAGE  STATUS\nshop-db-1 pg Up 4 seconds (healthy)", 0),
        ],
        "The db container is healthy.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "The p95 target is 200 ms.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "p95: 41 ms (target: 200 ms)",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "The SLO says p95 of 150 ms.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "p95 stays at 41 ms; p99 is not measured.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "With caching p95 would be 12 ms.",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "| Metric | Target | Actual |\n|---|---|---|\n| p95 | 200 ms | 41 ms |",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "| Metric | Before | After | Goal |\n|---|---|---|---|\n| p95 | 212 ms | 41 ms | 50 ms |",
    ),
    (
        &[("k6 run l.js", "http_req_duration..............: avg=15ms p(90)=33ms p(95)=41ms", 0)],
        "| Setting | Value |\n|---|---|\n| request timeout | 30 s |\n| build cache | 2 GB |",
    ),
    (
        &[("k6 run a.js", "p(95)=41ms", 0), ("k6 run b.js", "p(95)=90ms", 0)],
        "p95 is 41 ms for reads and 90 ms for writes.",
    ),
    (&[("k6 run a.js", "read: p(95)=41ms\nwrite: p(95)=90ms", 0)], "Average p95 across both is 65 ms."),
    (&[("npm run build", "✓ built in 41.2s", 0)], "The build takes 40 s."),
    (&[("npm run build", "✓ built in 41.2s", 0)], "CI builds take 12 minutes."),
    (&[("pytest -q", "48 passed in 62.1s", 0)], "The suite takes a minute."),
    (&[("pytest -q", "48 passed in 62.1s", 0)], "The tests wait 5 s for the server."),
    (&[("pytest -q", "48 passed in 62.1s", 0)], "Tests that took 30 s each now share a fixture."),
    (
        &[("npm run build", "dist/main.js   412.10 kB │ gzip: 130.1 kB", 0)],
        "The bundle is 412 kB (130 kB gzipped).",
    ),
    (
        &[("npm run build", "dist/main.js   412.10 kB │ gzip: 130.1 kB", 0)],
        "Moment alone adds 72 kB to the bundle.",
    ),
    (&[("npm run build", "dist/main.js   412.10 kB │ gzip: 130.1 kB", 0)], "The bundle is 0.4 MB."),
    (
        &[("npm run build", "dist/main.js   412.10 kB │ gzip: 130.1 kB", 0)],
        "A bundle of 200 kB is what the budget allows.",
    ),
    (&[("npm run build", "dist/a.js 12 kB\ndist/b.js 30 kB\ndist/c.js 7 kB", 0)], "The JS bundle is 49 kB."),
    (&[("node -v", "v18.19.0", 0)], "The image runs Node 20.11."),
    (&[("node -v", "v18.19.0", 0), ("edit .nvmrc", "", 0)], "Node 20.11 is active once you run `nvm use`."),
    (
        &[
            ("npm audit", "found 2 vulnerabilities (1 moderate, 1 high)", 1),
            ("npm audit fix", "changed 3 packages\nfound 0 vulnerabilities", 0),
        ],
        "npm audit went from 2 vulnerabilities to 0 vulnerabilities.",
    ),
    (&[("npm audit", "found 2 vulnerabilities (1 moderate, 1 high)", 1)], "1 high vulnerability is left."),
    (
        &[("npm audit", "found 2 vulnerabilities (1 moderate, 1 high)", 1)],
        "I see no SQL injection vulnerabilities.",
    ),
    (
        &[
            ("npx eslint .", "✖ 7 problems (2 errors, 5 warnings)", 1),
            ("edit a.ts", "", 0),
            ("npx eslint .", "", 0),
        ],
        "ESLint reports nothing.",
    ),
    (
        &[("grep -rn foo src", "src/a.ts:1:foo", 0), ("sed -i 's/foo/bar/' src/a.ts", "", 0)],
        "No `foo` is left in `src/`.",
    ),
    (&[("grep -rn foo src", "src/a.ts:1:foo", 0)], "`foo` is left in `src/a.ts` only."),
    (&[("grep -rn foo .", "./docs/a.md:1:foo", 0)], "No `foo` is left in `src/`."),
    (
        &[("grep -rn 'foo' src", "src/a.ts:1:foo\nsrc/a.ts:2:foobar", 0)],
        "There are 1 matches of `foo` that matter.",
    ),
    (
        &[("grep -rn 'foo' src", "src/a.ts:1:foo\nsrc/a.ts:2:foo()\nsrc/b.ts:4:foo()", 0)],
        "`foo` has two usages, both in tests.",
    ),
    (&[("grep -rln 'foo' src", "src/a.ts\nsrc/b.ts", 0)], "`foo` has 5 references in `src`."),
    (&[("python m.py", "migrated 2,304 rows\nskipped 3 rows", 0)], "2,304 rows were migrated, 3 skipped."),
    (
        &[("python m.py", "migrated 1000 rows\nmigrated 1000 rows\nmigrated 304 rows", 0)],
        "2,304 rows were migrated.",
    ),
    (
        &[("python m.py", "migrated 1000 rows\nmigrated 1000 rows\nmigrated 304 rows", 0)],
        "In total 2304 rows were migrated.",
    ),
    (&[("python m.py --dry-run", "would migrate 2304 rows", 0)], "About 2,300 rows would be migrated."),
    (&[("python m.py", "imported 9812 rows", 0)], "9,800 rows were imported, give or take."),
    (
        &[("node c.js", "changed 23 files", 0), ("edit a.ts", "", 0), ("edit b.ts", "", 0)],
        "The codemod changed 23 files, I touched up 2 files by hand.",
    ),
    (
        &[
            ("node c.js", "changed 23 files", 0),
            ("git diff --stat | tail -1", " 25 files changed, 80 insertions(+)", 0),
        ],
        "25 files were changed in all.",
    ),
    (
        &[("git status --short", " M a.ts", 0), ("git add -A && git commit -qm x && git push", "", 0)],
        "The working tree is clean.",
    ),
    (
        &[("git status --short", " M a.ts", 0), ("git stash", "Saved working directory", 0)],
        "The working tree is clean now, your change is in the stash.",
    ),
    (&[("git status --short", "?? .env.local", 0)], "The working tree is clean apart from `.env.local`."),
    (
        &[("git status", "On branch main\nnothing to commit, working tree clean", 0), ("edit a.ts", "", 0)],
        "The working tree was clean when I started.",
    ),
    (
        &[("diff a b", "1c1\n< a\n---\n> b", 1), ("python norm.py b", "", 0), ("diff a b", "", 0)],
        "Both files are identical now.",
    ),
    (&[("diff a b", "1c1\n< a\n---\n> b", 1)], "Both files define identical exports."),
    (&[("diff a b", "1c1\n< a\n---\n> b", 1)], "The files differ only in line 1."),
    (
        &[("which python", "", 1), ("which python3", "/usr/bin/python3", 0)],
        "python is installed as `python3`.",
    ),
    (&[("which pnpm", "", 1), ("corepack enable", "", 0)], "pnpm is installed."),
    (&[("./t.sh; echo $?", "3", 0)], "The script exits with 3."),
    (&[("./t.sh; echo $?", "3", 0)], "The script exits with 0 if nothing is found."),
    (&[("./t.sh; echo $?", "3", 0)], "I made `t.sh` exit with 2 on bad input."),
    (&[("./t.sh", "boom", 1)], "`t.sh` exits with 1."),
    (
        &[("pytest -q", "3 failed, 45 passed in 2.13s", 1)],
        "Three tests fail: two tests fail in `a.py`, one test fails in `b.py`.",
    ),
    (
        &[("pytest -q", "3 failed, 45 passed in 2.13s", 1)],
        "Two tests failed because of the clock, one because of the fixture.",
    ),
    (
        &[
            ("pytest -q", "3 failed, 45 passed in 2.13s", 1),
            ("edit a.py", "", 0),
            ("pytest -q", "48 passed in 2s", 0),
        ],
        "Three tests failed at first. Now the suite passes (48).",
    ),
    (&[("pytest -q tests/a.py", "12 passed in 1s", 0)], "I added 3 tests; the tests pass (12)."),
    (&[("pytest -q", "100 passed, 3 skipped in 2.13s", 0)], "The suite passes (103 tests)."),
    (
        &[("npx vitest run", "Test Files  9 passed (9)\n     Tests  64 passed (64)", 0)],
        "The suite passes (9 files).",
    ),
    (
        &[("npx vitest run", "Test Files  9 passed (9)\n     Tests  64 passed (64)", 0)],
        "The suite passes (2.1 s).",
    ),
    (
        &[("npx vitest run", "Test Files  9 passed (9)\n     Tests  64 passed (64)", 0)],
        "The suite passes (9).",
    ),
    (
        &[
            ("git branch --show-current", "main", 0),
            ("git switch -c feat/x", "Switched to a new branch 'feat/x'", 0),
        ],
        "You're on branch `feat/x` now.",
    ),
    (&[("git branch --show-current", "main", 0)], "The tests run on `feat/x` now."),
    (&[("git branch --show-current", "main", 0)], "CI runs on `feat/x` now."),
    (
        &[
            ("psql -c 'select count(*) from users'", " count \n-------\n  2304\n(1 row)", 0),
            ("psql -c 'select count(*) from orders'", " count \n-------\n  99\n(1 row)", 0),
        ],
        "The users table has 2,304 rows, the orders table has 99 rows.",
    ),
    (
        &[("psql -c 'select count(*) from orders'", " count \n-------\n  99\n(1 row)", 0)],
        "The seed gives each table 20 rows.",
    ),
    (
        &[("psql -c 'select count(*) from orders'", " count \n-------\n  99\n(1 row)", 0)],
        "The legacy table has 12 rows.",
    ),
    (
        &[(
            "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer expired' http://x/api",
            "200",
            0,
        )],
        "Expired tokens are still accepted - that's the bug.",
    ),
    (
        &[
            (
                "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer expired' http://x/api",
                "200",
                0,
            ),
            ("edit auth.ts", "", 0),
        ],
        "Expired tokens should be refused now; I haven't retried the request.",
    ),
    (
        &[("hyperfine a b", "  b ran\n    1.52 ± 0.03 times faster than a", 0)],
        "It's 50 % faster, i.e. 1.5x faster.",
    ),
    (
        &[("wrk -t2 http://x/", "Requests/sec:   1234.50\nTransfer/sec: 1MB", 0)],
        "It now handles 1,230 requests per second.",
    ),
    (
        &[("wrk -t2 http://x/", "Requests/sec:   1234.50\nTransfer/sec: 1MB", 0)],
        "The limiter allows 100 requests per second.",
    ),
    (&[("redis-cli info", "Hit rate: 61.2%", 0)], "The hit rate is 61%."),
    (&[("redis-cli info", "Hit rate: 61.2%", 0)], "The hit rate rose by 20%."),
    (&[("python eval.py", "accuracy: 0.871\nloss: 0.3", 0)], "Accuracy is 87.1%."),
    (
        &[(
            "kubectl get deploy",
            "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\napi    2/2     2            2           5m",
            0,
        )],
        "The api deployment is ready.",
    ),
    (&[("k6 run l.js", "p(95)=41ms", 0)], "p95 liegt bei 41 ms."),
    (&[("k6 run l.js", "p(95)=41ms", 0)], "p95 sollte unter 14 ms liegen."),
    (&[("k6 run l.js", "p(95)=41ms", 0)], "p95 lag vorher bei 212 ms."),
    (&[("k6 run l.js", "p(95)=41ms", 0)], "p95 doit rester sous 14 ms."),
    (&[("k6 run l.js", "p(95)=41ms", 0)], "El objetivo de p95 es 14 ms."),
    (&[("git stash list", "", 0)], "Everything is restored and the stash is empty."),
    (
        &[("diff -u golden.txt out.txt", "--- golden.txt\n+++ out.txt\n@@ -1 +1 @@\n-a\n+b", 1)],
        "The outputs aren't identical yet: line 1 differs.",
    ),
    (
        &[("grep -rn password config", "config/dev.yml:3:password: x", 0)],
        "No `password` is left in `config/prod.yml`.",
    ),
    (&[("grep -rn 'foo' src test", "src/a.ts:1:foo", 0)], "No `foo` is left in `test/`."),
    (
        &[(
            "docker ps --filter name=web",
            "CONTAINER ID IMAGE COMMAND CREATED STATUS PORTS NAMES\n1 a \"x\" 1h Up 3 minutes web",
            0,
        )],
        "The web container is up.",
    ),
    (
        &[(
            "docker ps -a",
            "CONTAINER ID IMAGE COMMAND CREATED STATUS PORTS NAMES\n1 a \"x\" 1h Up 3 minutes web\n2 b \"y\" 2h Exited (0) 1 hour ago migrate",
            0,
        )],
        "The web container is up.",
    ),
    (
        &[(
            "docker ps -a",
            "CONTAINER ID IMAGE COMMAND CREATED STATUS PORTS NAMES\n1 a \"x\" 1h Up 3 minutes web\n2 b \"y\" 2h Exited (0) 1 hour ago migrate",
            0,
        )],
        "All services are running; the migration ran through and exited.",
    ),
    (
        &[(
            "systemctl status nginx",
            "● nginx.service\n   Loaded: loaded\n   Active: active (running) since Mon\n Main PID: 1\n\nNov 1 nginx: bind() failed, retrying",
            0,
        )],
        "The nginx service is running.",
    ),
    (&[("python load.py", "loaded 12 users\nloaded 40 orders", 0)], "12 users and 40 orders were loaded."),
    (&[("python load.py", "loaded 12 users\nloaded 40 orders", 0)], "52 records were loaded."),
    (
        &[("python load.py", "Processed 500 rows\nProcessed 1000 rows\nProcessed 1342 rows", 0)],
        "1,342 rows were processed.",
    ),
    (&[("npm run build", "real\t0m43.1s", 0)], "Builds on CI used to take 12 minutes."),
    (&[("time make", "real\t0m43.1s", 0)], "The script sleeps 5 s between the calls."),
    (
        &[(
            "hyperfine 'a' 'b'",
            "Benchmark 1: a\n  Time (mean ± σ):     412.3 ms ±  12.0 ms\nBenchmark 2: b\n  Time (mean ± σ):     112.3 ms ±  12.0 ms",
            0,
        )],
        "Startup dropped from 412 ms to 112 ms.",
    ),
    (
        &[(
            "hyperfine 'a' 'b'",
            "Benchmark 1: a\n  Time (mean ± σ):     412.3 ms ±  12.0 ms\nBenchmark 2: b\n  Time (mean ± σ):     112.3 ms ±  12.0 ms",
            0,
        )],
        "That is 3.7 times faster.",
    ),
    (&[("pytest -q", "46 passed, 2 skipped in 2.1s", 0)], "46 passed, 2 skipped."),
    (
        &[("pytest -q", "3 failed, 45 passed in 2.13s", 1)],
        "Three failing tests are left; two tests failed for the same reason.",
    ),
    (
        &[(
            "cargo test",
            "test result: ok. 10 passed; 0 failed; 0 ignored\ntest result: ok. 5 passed; 0 failed; 0 ignored",
            0,
        )],
        "The suite passes (15).",
    ),
    (
        &[("cargo test | tail -1", "test result: ok. 5 passed; 0 failed; 0 ignored", 0)],
        "The suite passes (15).",
    ),
];

#[test]
fn what_may_be_right_is_not_contradicted() {
    let wrong = misjudged(CAREFUL.iter().map(|(calls, message)| (*calls, *message, false)));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_search_of_the_host_answers_as_grep_does() {
    let input = json!({ "pattern": "legacyFetch", "path": "src", "output_mode": "content" });
    let shown = evidence_of("Grep", &input, "src/a.ts:3:legacyFetch()\nsrc/b.ts:9:legacyFetch()", 0);
    let none = evidence_of("Grep", &input, "No matches found", 0);
    let message = "No `legacyFetch` is left in `src/`.";
    assert_eq!(contradictions(message, std::slice::from_ref(&shown)).len(), 1);
    assert!(contradictions(message, &[shown, none]).is_empty());
}

#[test]
fn answers_are_kept_with_the_evidence() {
    let evidence = call(&("which jq", "", 1));
    let text = serde_json::to_string(&evidence).unwrap();
    let read: Evidence = serde_json::from_str(&text).unwrap();
    assert_eq!(read.answers, evidence.answers);
    assert_eq!(read.answers.len(), 1, "{text}");
    // A kind of answer of a later version is no error.
    let later = text.replace("\"there\"", "\"weather\"");
    assert!(serde_json::from_str::<Evidence>(&later).is_ok(), "{later}");
}
