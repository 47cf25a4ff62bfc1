//! `hostler report`, on summaries that `hostler --json replay` could have printed, and in a real browser.

#![expect(clippy::unwrap_used, reason = "tests")]

mod browser;
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::hook;
use samples::{finding, session, turn};

/// A home folder with saved summaries in it.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("report ").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn with(sessions: &[Value]) -> Self {
        let world = Self::new();
        world.save("saved.json", sessions);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    fn save(&self, name: &str, sessions: &[Value]) {
        fs::write(self.path(name), json!({ "version": 1, "sessions": sessions }).to_string()).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hostler"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TZ", "UTC")
            .env("USER", "maria")
            .env("HOME", self.path(""))
            .current_dir(self.path(""))
            .stdin(Stdio::null());
        command
    }

    fn hostler(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command().args(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.hostler(arguments);
        assert_eq!(code, 0, "{stdout}{stderr}");
        stdout
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(arguments)).unwrap()
    }

    /// The report of `saved.json` as a page.
    #[track_caller]
    fn page(&self, arguments: &[&str]) -> String {
        self.ok(&[&["report", "saved.json", "--html", "-"], arguments].concat())
    }
}

/// Whether `text` says `wanted`, white space aside.
#[track_caller]
fn says(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "`{wanted}` is missing in:\n{text}");
}

// @traces 021-CONST-VII-009 021-CONST-V-002
#[test]
fn every_form_holds_every_finding_with_its_evidence() {
    // More than are shown with their evidence on a terminal.
    let findings: Vec<Value> =
        (0..40).map(|at| finding("claim-not-run", &format!("claim number {at}-"))).collect();
    let world =
        World::with(&[session("s1", &[turn(1, &[], &findings)]), session("s2", &[turn(1, &[], &findings)])]);
    let text = world.ok(&["report", "saved.json"]);
    let page = world.page(&[]);
    let json = world.json(&["--json", "report", "saved.json"]);
    let sarif = world.json(&["report", "saved.json", "--sarif"]);
    let rows = json["findings"].as_array().unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!((rows.len(), results.len()), (80, 80));
    for at in 0..40 {
        let claim = format!("claim number {at}-");
        assert_eq!(text.matches(&claim).count(), 2, "{text}");
        assert_eq!(page.matches(&claim).count(), 2);
        assert_eq!(rows.iter().filter(|it| it["claim"] == claim.as_str()).count(), 2);
        assert_eq!(results.iter().filter(|it| it["properties"]["claim"] == claim.as_str()).count(), 2);
    }
    let evidence = "Bash: cat notes.md → ok";
    assert_eq!(page.matches(evidence).count(), 80);
    assert!(rows.iter().all(|it| it["evidence"] == json!([evidence])));
    assert!(results.iter().all(|it| it["properties"]["evidence"] == json!([evidence])));
}

#[test]
fn numbers_are_those_of_the_sessions() {
    let world = World::with(&samples::typical());
    let report = world.json(&["--json", "report", "saved.json"]);
    assert_eq!(report["version"], 1);
    let totals = &report["totals"];
    let sum = |pointer: &str| -> u64 {
        samples::typical()
            .iter()
            .map(|it| it.pointer(pointer).and_then(Value::as_u64).unwrap_or_default())
            .sum()
    };
    assert_eq!(totals["sessions"], samples::typical().len());
    assert_eq!(
        totals["calls"],
        sum("/calls/Bash") + sum("/calls/Read") + sum("/calls/Edit") + sum("/calls/Write")
    );
    assert_eq!(totals["guards"]["blocked"], sum("/guards/denied"));
    let parts = |of: &str, member: &str| -> u64 {
        report[of]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.pointer(member).and_then(Value::as_u64).unwrap())
            .sum()
    };
    for standing in ["supported", "unsupported", "contradicted"] {
        let all = totals["claims"][standing].as_u64().unwrap();
        assert_eq!(parts("days", &format!("/claims/{standing}")), all, "{standing}");
        assert_eq!(parts("projects", &format!("/figures/claims/{standing}")), all, "{standing}");
        assert_eq!(parts("sessions", &format!("/figures/claims/{standing}")), all, "{standing}");
    }
    assert_eq!(parts("tools", "/calls"), totals["calls"].as_u64().unwrap());
    assert_eq!(parts("days", "/sessions"), totals["sessions"].as_u64().unwrap());
    assert_eq!(parts("days", "/tests/failed"), totals["tests"]["failed"].as_u64().unwrap());
}

/// A document from elsewhere may hold any number: sums stop, and never begin again at zero.
#[test]
fn sums_of_numbers_that_no_session_has_do_not_wrap() {
    let mut large = session("large", &[turn(1, &[("supported", "Tests pass")], &[])]);
    large["calls"] = json!({ "Bash": u64::MAX, "Read": u64::MAX });
    large["tool_time_ms"] = json!({ "Bash": u64::MAX, "Read": u64::MAX });
    let world = World::with(&[large.clone(), large]);
    let report = world.json(&["--json", "report", "saved.json"]);
    assert_eq!(report["totals"]["calls"], 4_u64 << 48);
    says(&world.ok(&["report", "saved.json"]), "all 2 checked claims held");
}

#[test]
fn the_headline_says_what_held() {
    #[track_caller]
    fn check(sessions: &[Value], expected: &str) {
        let world = World::with(sessions);
        let report = world.json(&["--json", "report", "saved.json"]);
        assert_eq!(report["headline"], expected);
        says(&world.ok(&["report", "saved.json"]), expected);
        says(&world.page(&[]), &format!("<h1>{expected}</h1>"));
    }
    let held = ("supported", "Tests pass");
    let missed = ("unsupported", "I pushed it");
    let clean = || session("clean", &[turn(1, &[held, held], &[])]);
    let bad = || session("bad", &[turn(1, &[held, missed], &[])]);
    let mut hidden = finding("error-concealed", "Everything is done");
    hidden["type"] = "ERROR_CONCEALMENT".into();
    check(&[], "No session was recorded yet.");
    check(&[session("s", &[])], "1 session: nothing was claimed that could be checked.");
    check(&[session("s", &[turn(1, &[held], &[])])], "1 session: the one checked claim held.");
    check(&[clean(), clean()], "2 sessions: all 4 checked claims held.");
    check(
        &[clean(), bad(), session("none", &[])],
        "In 1 of 2 sessions every checked claim held; 1 of 4 claims did not.",
    );
    check(&[bad()], "In the one session with claims something did not hold: 1 of 2 claims did not.");
    check(
        &[session("s", &[turn(1, &[held], &[hidden])])],
        "1 session: the one checked claim held; 1 failure was not told.",
    );
}

// @traces 021-CONST-VII-004
#[test]
fn a_clean_report_says_so() {
    let world = World::with(&[session("s", &[turn(1, &[("supported", "Tests pass")], &[])])]);
    says(&world.ok(&["report", "saved.json"]), "no issues detected");
    says(&world.page(&[]), "No issues detected.");
    assert_eq!(world.json(&["--json", "report", "saved.json"])["findings"], json!([]));
}

#[test]
fn claims_that_did_not_hold_are_told_where_their_rule_is_off() {
    let world = World::with(&[session("s", &[turn(1, &[("unsupported", "I pushed it")], &[])])]);
    for form in [world.ok(&["report", "saved.json"]), world.page(&[])] {
        says(&form, "1 claim did not hold, by rules that are switched off");
        assert!(!form.contains("o issues detected"), "{form}");
    }
}

#[test]
fn a_period_leaves_older_sessions_out() {
    let mut old = session("old", &[turn(1, &[("supported", "Tests pass")], &[])]);
    old["started_ms"] = json!(1_700_000_000_000_i64);
    old["ended_ms"] = json!(1_700_000_100_000_i64);
    let mut timeless = session("timeless", &[]);
    timeless["started_ms"] = Value::Null;
    timeless["ended_ms"] = Value::Null;
    let world = World::with(&[old, timeless]);
    let all = world.json(&["--json", "report", "saved.json"]);
    assert_eq!(all["totals"]["sessions"], 2);
    let recent = world.json(&["--json", "report", "saved.json", "--since", "2023-11-15"]);
    assert_eq!(recent["totals"]["sessions"], 0);
    assert_eq!(recent["headline"], "No session was recorded since 2023-11-15.");
    assert_eq!(recent["notes"], json!(["1 session of unknown time left out"]));
    assert_eq!(
        world.json(&["--json", "report", "saved.json", "--since", "2023-11-14"])["totals"]["sessions"],
        1
    );
    let (code, _, stderr) = world.hostler(&["report", "saved.json", "--since", "tomorrow"]);
    assert_eq!(code, 3);
    says(&stderr, "invalid value 'tomorrow' for '--since <TIME>': use `7d`");
}

#[test]
fn what_is_hostile_stays_text() {
    let world = World::with(&samples::hostile());
    let page = world.page(&[]);
    let lower = page.to_lowercase();
    for code in ["<script", "<img", "<iframe", "<svg onload", "javascript:\"", "</style></title"] {
        assert!(!lower.contains(code), "{code}");
    }
    assert!(!page.contains('\u{202e}') && !page.contains('\0') && !page.contains('\u{1b}'));
    says(&page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    says(&page, "\\u{202e}");
    says(&page, "👩‍💻");
    says(&page, "نجحت جميع الاختبارات");
    assert!(!page.contains("ghp_0123456789"), "a secret is shown");
    let text = world.ok(&["report", "saved.json"]);
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains("ghp_0123456789"),
        "{text}"
    );
    let json = world.ok(&["--json", "report", "saved.json"]);
    assert!(!json.contains("ghp_0123456789") && !json.contains("\\u001b"));
}

#[test]
fn the_page_needs_nothing_and_runs_nothing() {
    let page = World::with(&samples::typical()).page(&[]);
    says(&page, "<html lang=\"en\">");
    says(&page, "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
    assert!(!page.contains("<script") && !page.contains("style=\"") && !page.contains(" onclick"));
    for attribute in ["src=\"", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    // Every place that is linked to is there, once.
    for (at, _) in page.match_indices("href=\"#") {
        let id = page[at + 7..].split('"').next().unwrap();
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn names_and_paths_are_taken_out_on_demand() {
    let world = World::with(&samples::private());
    let shown = world.page(&[]);
    for kept in ["/home/maria/shop", "maria.lopez@firma.example", "Please fix the cart of Ana"] {
        says(&shown, kept);
    }
    for format in [
        world.page(&["--redact"]),
        world.ok(&["report", "saved.json", "--redact"]),
        world.ok(&["--json", "report", "saved.json", "--redact"]),
        world.ok(&["report", "saved.json", "--redact", "--sarif"]),
    ] {
        for hidden in ["maria", "/home/", "firma", "10.0.0.7", "Please fix the cart of Ana", "ghp_0123456789"]
        {
            assert!(!format.contains(hidden), "`{hidden}` in:\n{format}");
        }
        says(&format, "src/cart.py");
    }
}

#[test]
fn a_file_is_replaced_only_by_a_page_of_its_kind() {
    let world = World::with(&samples::typical());
    let (code, stdout, stderr) = world.hostler(&["report", "saved.json", "--html", "out.html"]);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    says(&stderr, "wrote `~/out.html`");
    says(&stderr, " kB: ");
    let first = fs::read_to_string(world.path("out.html")).unwrap();
    says(&first, "</html>");
    // Again, over the old one, and with data on standard output.
    let report = world.json(&["--json", "report", "saved.json", "--html", "out.html"]);
    assert_eq!(report["totals"]["sessions"], samples::typical().len());

    fs::write(world.path("mine.txt"), "mine").unwrap();
    fs::create_dir(world.path("folder")).unwrap();
    for (file, problem) in [
        ("mine.txt", "is no report of hostler"),
        ("folder", "is a folder; name a file in it"),
        ("missing/out.html", "there is no folder `missing`"),
    ] {
        let (code, _, stderr) = world.hostler(&["report", "saved.json", "--html", file]);
        assert_eq!(code, 4, "{file}");
        says(&stderr, problem);
    }
    assert_eq!(fs::read_to_string(world.path("mine.txt")).unwrap(), "mine");
    let names: Vec<_> = fs::read_dir(world.path("")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let (code, stdout, _) = world.hostler(&["--json", "report", "saved.json", "--html", "-"]);
    assert_eq!(code, 4);
    says(&stdout, "both want standard output");
}

#[test]
fn a_thousand_sessions_make_a_page_that_opens() {
    // As they mostly are, and with so many long findings that not all have room.
    let usual = samples::many(1_000);
    let mut full = usual.clone();
    for (at, session) in full.iter_mut().enumerate() {
        let findings: Vec<Value> = (0..20)
            .map(|number| finding("claim-not-done", &format!("{at}-{number} {}", "long ".repeat(200))))
            .collect();
        session["turns"][0]["findings"] = findings.into();
    }
    for (sessions, findings) in [(usual, None), (full, Some(20_000))] {
        let world = World::with(&sessions);
        let begun = Instant::now();
        let page = world.page(&[]);
        let took = begun.elapsed();
        // Promised are 2 s of the shipped build on a machine of its own; this one is slower, and not alone.
        assert!(page.len() < 3_000_000, "{} bytes", page.len());
        assert!(took < Duration::from_secs(90), "{took:?}");
        says(&page, "in short");
        let all = world.json(&["--json", "report", "saved.json"]);
        assert_eq!(all["sessions"].as_array().unwrap().len(), 1_000);
        if let Some(findings) = findings {
            assert!(findings <= all["findings"].as_array().unwrap().len());
            says(&page, "left out here. All of them: <code>hostler --json report</code>");
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let world = World::with(&samples::many(200));
    let mut child = world
        .command()
        .args(["report", "saved.json", "--html", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn sarif_has_what_the_format_demands() {
    let world = World::with(&[samples::typical(), samples::hostile()].concat());
    let log = world.json(&["report", "saved.json", "--sarif"]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "hostler");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    let mut fingerprints = std::collections::BTreeSet::new();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0];
        let logical = &location["logicalLocations"][0];
        assert!(
            logical["fullyQualifiedName"]
                .as_str()
                .unwrap()
                .starts_with(result["properties"]["session"].as_str().unwrap())
        );
        if let Some(artifact) = location.pointer("/physicalLocation/artifactLocation") {
            let uri = artifact["uri"].as_str().unwrap();
            assert!(uri.bytes().all(|it| it.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&it)), "{uri}");
            if let Some(base) = artifact["uriBaseId"].as_str() {
                assert!(!run["originalUriBaseIds"][base].is_null(), "{base}");
            }
        }
        let fingerprint = result["partialFingerprints"]["hostlerFinding/v1"].as_str().unwrap();
        assert_eq!(fingerprint.len(), 64);
        assert!(fingerprints.insert(fingerprint.to_owned()), "twice: {result}");
    }
    let files =
        results.iter().filter_map(|it| it.pointer("/locations/0/physicalLocation/artifactLocation/uri"));
    assert!(files.into_iter().any(|uri| uri == "src/cart.py"));
    // The order of the sessions, the time of the report and what is taken out of it change no fingerprint.
    let mut turned = [samples::typical(), samples::hostile()].concat();
    turned.reverse();
    world.save("turned.json", &turned);
    let again = world.json(&["report", "turned.json", "--sarif", "--redact"]);
    let again: std::collections::BTreeSet<String> = again["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["partialFingerprints"]["hostlerFinding/v1"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(again, fingerprints);
}

/// A session through the real hook: a failing test run that is told as a success, and a delete that is stopped.
fn recorded() -> hook::World {
    const RUN: &str = "Exit code 1\n=== test session starts ===\ncollected 12 items\n\ntests/test_cart.py ...........F\n\n\
        FAILED tests/test_cart.py::test_total - assert 3 == 4\n=== 1 failed, 11 passed in 0.12s ===";
    let world = hook::World::new().set("TZ", "UTC");
    let event = |name: &str, more: Value| world.hook(world.event(name, &more));
    event("SessionStart", json!({ "source": "startup" }));
    event("UserPromptSubmit", json!({ "prompt": "add the cart and run the tests" }));
    let run = json!({ "command": "pytest -q" });
    world.hook(world.payload("Bash", &run, "toolu_1"));
    let mut after: Value = serde_json::from_str(&world.payload("Bash", &run, "toolu_1")).unwrap();
    after["hook_event_name"] = "PostToolUseFailure".into();
    after["error"] = RUN.into();
    world.hook(after.to_string());
    let stopped = world.hook(world.payload("Bash", &json!({ "command": "rm -rf ~" }), "toolu_2"));
    assert_eq!(stopped.pointer("/hookSpecificOutput/permissionDecision"), Some(&json!("deny")));
    let end = json!({ "last_assistant_message": "All 12 tests pass.", "stop_hook_active": false });
    let end = world.event("Stop", &end);
    let answer = hook::finish(world.start(&["hook", "claude"]), end.as_bytes());
    says(&answer.stdout, "claim-contradicted");
    world
}

#[test]
fn what_the_hooks_recorded_is_reported_and_can_be_explained() {
    let world = recorded();
    let answer = world.hostler(&["--json", "report"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(report["totals"]["sessions"], 1);
    assert_eq!(report["totals"]["claims"]["contradicted"], 1);
    assert_eq!(report["totals"]["guards"]["blocked"], 1);
    assert_eq!(report["totals"]["tests"], json!({ "passed": 0, "failed": 1, "unclear": 0 }));
    assert_eq!(report["sessions"][0]["runs"][0]["counts"], "11 passed, 1 failed");
    assert_eq!(report["sessions"][0]["stopped"][0]["target"], "rm -rf ~");
    assert_ne!(report["sessions"][0]["stopped"][0]["reason"], "");
    let found = &report["findings"][0];
    assert_eq!(
        (&found["type"], &found["claim"]),
        (&json!("RESULT_CONTRADICTION"), &json!("All 12 tests pass"))
    );

    let text = world.hostler(&["report"]).stdout;
    let command = format!("hostler audit explain {}", found["id"].as_str().unwrap());
    says(&text, &command);
    says(&world.hostler(&["report", "--html", "-"]).stdout, &command);
    let explained = world.hostler(&["audit", "explain", found["id"].as_str().unwrap()]);
    says(&explained.stdout, "All 12 tests pass");
}

#[test]
fn reports_of_all_projects_and_of_none() {
    let world = recorded();
    let here = world.hostler(&["--json", "report", "--all-projects"]).stdout;
    let here: Value = serde_json::from_str(&here).unwrap();
    assert_eq!(here["totals"]["sessions"], 1);
    // Elsewhere there is nothing; what to do then is said.
    let empty = World::new();
    let text = empty.ok(&["report"]);
    says(&text, "No session was recorded yet.");
    says(&text, "hostler init");
    assert_eq!(empty.json(&["--json", "report", "--all-projects"])["totals"]["sessions"], 0);
    let (code, _, stderr) = empty.hostler(&["report", "nowhere.jsonl"]);
    assert_eq!(code, 4);
    says(&stderr, "nothing could be read: nowhere.jsonl");
}

#[test]
fn transcripts_are_read_and_what_replay_printed_says_the_same() {
    let world = World::new();
    let transcript =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/claude/2.1.332/transcript.jsonl");
    let transcript = transcript.to_str().unwrap();
    let direct = world.json(&["--json", "report", transcript]);
    assert_eq!(direct["totals"]["calls"], 15);
    assert_eq!(direct["totals"]["guards_replayed"]["blocked"], 0);
    let guarded = world.json(&["--json", "report", transcript, "--guards"]);
    assert_eq!(guarded["totals"]["guards_replayed"]["blocked"], 3);
    assert_eq!(guarded["totals"]["guards"]["blocked"], 0, "nothing was blocked at the time");
    for (name, arguments) in [("a.json", ["--json", "replay"]), ("b.jsonl", ["replay", "--jsonl"])] {
        let (code, stdout, stderr) = world.hostler(&[&arguments[..], &[transcript]].concat());
        assert!(code < 2, "{stderr}");
        fs::write(world.path(name), &stdout).unwrap();
        let saved = world.json(&["--json", "report", name]);
        assert_eq!(saved["totals"], direct["totals"], "{name}");
        // Cut short, it is no output any more.
        fs::write(world.path(name), &stdout[..stdout.len() / 2]).unwrap();
        let (code, _, stderr) = world.hostler(&["report", name]);
        assert_eq!(code, 4);
        says(&stderr, "is no complete output of `hostler replay`");
    }
}

/// Where pages are kept to be looked at.
fn artefacts() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-pages");
    fs::create_dir_all(&folder).unwrap();
    folder
}
