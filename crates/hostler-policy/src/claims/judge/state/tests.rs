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
