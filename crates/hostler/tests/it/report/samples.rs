//! Summaries as `hostler --json replay` prints them.

use serde_json::{Value, json};

/// 2026-11-24 08:00 UTC.
const BEGIN_MS: i64 = 1_795_507_200_000;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A finding of a rule on a claim.
pub(super) fn finding(rule: &str, claim: &str) -> Value {
    let (kind, severity, standing, description) = match rule {
        "claim-contradicted" => (
            "RESULT_CONTRADICTION",
            "CRITICAL",
            "contradicted",
            "the last run of pytest ended with 1 failed, 11 passed",
        ),
        "claim-not-read" => ("FILE_READING_DECEPTION", "HIGH", "unsupported", "nothing opened this file"),
        "error-concealed" => (
            "ERROR_CONCEALMENT",
            "CRITICAL",
            "unsupported",
            "`npm install` failed, was not tried again, and the message says that all is well",
        ),
        "selective-disclosure" => (
            "SELECTIVE_DISCLOSURE",
            "MEDIUM",
            "supported",
            "14 files were changed and the message names none of them",
        ),
        "partial-run" => {
            ("PARTIAL_RUN", "LOW", "supported", "all is said to pass where `tests/cart` was run")
        }
        _ => ("ACTION_DECEPTION", "CRITICAL", "unsupported", "nothing of the kind was run in the session"),
    };
    let evidence = match rule {
        "claim-contradicted" => {
            vec!["Bash: pytest -q → 11 passed, 1 failed", "Edit: src/cart.py (after the run)"]
        }
        "error-concealed" => vec!["Bash: npm install → error: ERESOLVE could not resolve dependency tree"],
        _ => vec!["Bash: cat notes.md → ok"],
    };
    json!({
        "type": kind,
        "severity": severity,
        "rule": rule,
        "standing": standing,
        "description": description,
        "claim": claim,
        "evidence": evidence,
        "tools_required": ["Bash"],
        "tools_found": ["Read", "Bash"],
        "pattern_matched": "en/result",
    })
}

/// A turn with claims (standing, text) and findings.
pub(super) fn turn(index: u64, claims: &[(&str, &str)], findings: &[Value]) -> Value {
    let count = |wanted: &str| claims.iter().filter(|it| it.0 == wanted).count();
    let listed: Vec<Value> = claims
        .iter()
        .map(|(standing, text)| {
            let object = text.split_whitespace().find(|it| it.contains('/'));
            json!({
                "claim": {
                    "act": if object.is_some() { "edit" } else { "test" },
                    "text": text,
                    "pattern": "en/result",
                    "objects": object.into_iter().collect::<Vec<_>>(),
                },
                "standing": standing,
                "why": [if *standing == "supported" { "Bash: pytest -q → 12 passed" } else { "no call did it" }],
            })
        })
        .collect();
    json!({
        "index": index,
        "prompt": "Please fix the cart",
        "claims": listed,
        "standings": {
            "supported": count("supported"), "unsupported": count("unsupported"), "contradicted": count("contradicted"),
        },
        "findings": findings,
        "finding_ids": (1..=findings.len()).map(|at| format!("361ac4e6-17.{at}")).collect::<Vec<_>>(),
        "calls": 7,
        "duration_ms": 4 * MINUTE_MS,
    })
}

/// A session that began 2026-11-24 08:00.
pub(super) fn session(id: &str, turns: &[Value]) -> Value {
    at(id, "/home/maria/shop", 0, turns)
}

fn at(id: &str, project: &str, minute: i64, turns: &[Value]) -> Value {
    let started = BEGIN_MS + minute * MINUTE_MS;
    let mut turns = turns.to_vec();
    let mut end = started;
    for turn in &mut turns {
        turn["started_ms"] = end.into();
        end += 9 * MINUTE_MS;
    }
    json!({
        "version": 1,
        "host": "claude",
        "source": "journal",
        "id": id,
        "project": project,
        "branch": "main",
        "started_ms": started,
        "ended_ms": end,
        "turns": turns,
    })
}

/// Two weeks of work in three projects: what a reader meets most often.
pub(super) fn typical() -> Vec<Value> {
    let held = [
        ("supported", "All 12 tests pass"),
        ("supported", "I added `apply_discount` to src/cart.py"),
        ("supported", "The linter reports no errors"),
        ("supported", "Committed as `fix cart totals`"),
    ];
    let prompts = [
        "Fix the rounding of totals in the cart",
        "Add a discount code to the checkout and cover it with tests",
        "The build on main is red since yesterday, find out why",
        "Upgrade the HTTP client and adapt the callers",
        "Review the open migration and tell me what could go wrong",
        "Write the release notes for 2.4",
    ];
    let projects =
        ["/home/maria/shop", "/home/maria/shop", "/home/maria/code/payments-api", "/home/maria/site"];
    (0..18_i64)
        .map(|number| {
            let index = usize::try_from(number).unwrap();
            let mut turns = vec![turn(1, &held[..=index % 4], &[]), turn(2, &held[..2 + index % 3], &[])];
            match number {
                3 => {
                    let claim = "All 12 tests pass now, so the cart is done";
                    turns.push(turn(3, &[("contradicted", claim)], &[finding("claim-contradicted", claim)]));
                }
                8 => {
                    let claim = "I read src/cart.py and the other modules from top to bottom";
                    turns.push(turn(3, &[("unsupported", claim)], &[finding("claim-not-read", claim)]));
                }
                11 => turns.push(turn(
                    3,
                    &[("supported", "Everything is set up")],
                    &[
                        finding("error-concealed", "Everything is set up and ready to go"),
                        finding("selective-disclosure", ""),
                    ],
                )),
                16 => {
                    let claim = "All tests pass";
                    turns.push(turn(3, &[("supported", claim)], &[finding("partial-run", claim)]));
                    let pushed = "I pushed the branch and opened a pull request";
                    turns.push(turn(4, &[("unsupported", pushed)], &[finding("claim-not-done", pushed)]));
                }
                _ => {}
            }
            let day = number * 13 / 17;
            let minute = day * DAY_MS / MINUTE_MS + (number * 97) % 420;
            let id = format!("{:08x}-64de-464e-9d97-09bfa437d8e9", 0x361a_c4e6_i64 + number * 0x0101_7331);
            let mut it = at(&id, projects[index % projects.len()], minute, &turns);
            for turn in it["turns"].as_array_mut().unwrap() {
                turn["prompt"] = prompts[index % prompts.len()].into();
            }
            let started = it["started_ms"].as_i64().unwrap();
            it["calls"] = json!({ "Bash": 14 + number, "Read": 22 + number * 2, "Edit": 6, "Write": 1 + number % 3 });
            it["tool_time_ms"] = json!({
                "Bash": 182_000 + number * 31_000, "Read": 900 + number * 40, "Edit": 1_400, "Write": 310,
            });
            it["failures"] = json!({ "errors": number % 3, "answers": 2 });
            let run = |minutes: i64, program: &str, passed: Option<bool>, good: u64, bad: u64| {
                json!({
                    "turn": 1 + minutes / 10,
                    "at_ms": started + minutes * MINUTE_MS,
                    "act": "test",
                    "program": program,
                    "scope": if good < 12 { json!(["tests/cart"]) } else { json!([]) },
                    "outcome": { "passed": passed, "tests_passed": good, "tests_failed": bad },
                })
            };
            let program = ["pytest", "pytest", "cargo test", "vitest"][index % 4];
            it["runs"] = json!([
                run(2, program, Some(number % 3 != 0), 11, u64::from(number % 3 == 0)),
                run(12, program, Some(number != 3), if number == 3 { 11 } else { 12 }, u64::from(number == 3)),
                { "turn": 2, "at_ms": started + 13 * MINUTE_MS, "act": "lint", "program": "ruff", "outcome": { "passed": true, "errors": 0 } },
            ]);
            let mut stopped = Vec::new();
            if number % 5 == 2 {
                stopped.push(json!({
                    "tool": "Bash", "target": "rm -rf ../shared-assets", "status": "blocked", "rules": ["delete-outside"],
                    "reason": "`rm -rf ../shared-assets` deletes outside the project", "at_ms": started + 3 * MINUTE_MS,
                }));
            }
            if number % 6 == 1 {
                stopped.push(json!({
                    "tool": "Bash", "target": "git push --force origin main", "status": "asked", "rules": ["force-push"],
                    "reason": "`git push --force` rewrites what others may have", "at_ms": started + 14 * MINUTE_MS,
                }));
            }
            it["guards"] = json!({
                "asked_them": true,
                "recorded": true,
                "denied": u64::from(number % 5 == 2),
                "asked": u64::from(number % 6 == 1),
                "warned": number % 2,
                "allowed": 40,
                "checkpoints": number % 4,
                "stopped": stopped,
            });
            it
        })
        .collect()
}

/// Everything that a page must not take at its word.
pub(super) fn hostile() -> Vec<Value> {
    let long = "x".repeat(5_000);
    let texts = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "</style></title><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "{{7*7}} ${7*7} <%= 7*7 %> javascript:alert(1)",
        "safe\u{202e}cod.exe\u{202c} and \u{2066}isolated\u{2069} \u{200b}zero \u{feff}width",
        "nul \0 escape \u{1b}[31mred\u{1b}[0m bell \u{7}",
        "نجحت جميع الاختبارات (12) في src/سلة.py",
        "👩‍💻 🦀 所有测试都通过了 ทดสอบ",
        "token ghp_0123456789abcdefghijABCDEFGHIJ012345 was used",
        "two\nlines\r\n\tand a tab",
        &long,
        "",
        "&amp; &lt; &#x3c;b&#x3e; &nbsp;",
    ];
    texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let mut bad = finding("claim-not-done", text);
            bad["description"] = format!("nothing did {text}").into();
            bad["evidence"] = json!([text, text]);
            bad["tools_found"] = json!([text]);
            let mut it = session(&format!("hostile-{at}"), &[turn(1, &[("unsupported", text), ("supported", text)], &[bad])]);
            it["project"] = format!("/home/maria/{text}").into();
            it["branch"] = (*text).into();
            it["turns"][0]["prompt"] = (*text).into();
            it["turns"][0]["agent"] = (*text).into();
            it["calls"] = json!({ (*text): 3 });
            it["tool_time_ms"] = json!({ (*text): 3_000 });
            it["runs"] = json!([{ "turn": 1, "act": "test", "program": text, "scope": [text], "outcome": { "passed": false } }]);
            it["guards"] = json!({
                "asked_them": true, "denied": 1,
                "stopped": [{ "tool": text, "target": text, "status": "blocked", "rules": ["delete-outside"], "reason": text }],
            });
            it
        })
        .collect()
}

/// A session that tells much about whose it is.
pub(super) fn private() -> Vec<Value> {
    let claim = "I edited /home/maria/shop/src/cart.py";
    let mut bad = finding("claim-not-done", claim);
    bad["description"] = "`/home/maria/shop/src/cart.py` was not changed by maria.lopez@firma.example".into();
    bad["evidence"] = json!([
        "Bash: ssh maria@10.0.0.7 ls /home/maria/.config",
        "Bash: curl https://git.firma.example/team/shop",
        "Bash: export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ]);
    let mut it = session("private", &[turn(1, &[("unsupported", claim)], &[bad])]);
    it["turns"][0]["prompt"] = "Please fix the cart of Ana".into();
    it["branch"] = "maria/cart".into();
    it["guards"] = json!({
        "asked_them": true, "recorded": true, "denied": 1,
        "stopped": [{ "tool": "Bash", "target": "rm -rf /home/maria/.cache", "status": "blocked",
            "rules": ["delete-outside"], "reason": "`/home/maria/.cache` is outside of /home/maria/shop" }],
    });
    vec![it]
}

/// So many sessions, over a year.
pub(super) fn many(number: i64) -> Vec<Value> {
    let typical = typical();
    (0..number)
        .map(|at| {
            let mut it = typical[usize::try_from(at).unwrap() % typical.len()].clone();
            it["id"] = format!("{:08x}-64de-464e-9d97-09bfa437d8e9", at * 7_919 + 0x1000_0000).into();
            let shift = at * 365 * DAY_MS / number;
            for member in ["started_ms", "ended_ms"] {
                it[member] = (it[member].as_i64().unwrap() - shift).into();
            }
            for turn in it["turns"].as_array_mut().unwrap() {
                turn["started_ms"] = (turn["started_ms"].as_i64().unwrap() - shift).into();
            }
            it
        })
        .collect()
}
