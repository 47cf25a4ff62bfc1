//! `cargo xtask fuzz`: each target for a while, from seeds of our own, on the stable compiler.
//!
//! `cargo fuzz` asks for a nightly compiler only for its sanitizers. Our code forbids `unsafe`, so what is
//! hunted here is panics, hangs and broken promises; coverage guidance works without them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::Context;
use hostler_policy::guards::{Example, GUARDS};
use hostler_policy::shell::may_take_long;

/// Longest input in bytes: deep enough for every nesting limit, small enough for thousands of runs a second.
const INPUT_BYTES_MAX: usize = 16 * 1024;
/// One input may take this long, in seconds, in a build without optimised dependencies.
const INPUT_SECONDS_MAX: u64 = 5;

/// Lines of a failure's output that are shown.
const REPORT_LINES: usize = 60;

/// Where the search starts: the same each time, so that a run here says what a run elsewhere will find.
const SEED: u64 = 20_261_130;

/// How the fuzzer names an input that takes too long, or too much memory while it does.
const HANGS: &[&str] = &["ERROR: libFuzzer: timeout", "ERROR: libFuzzer: out-of-memory"];

/// A name, and a file of that name.
const TRACES: &[&str] = &[
    "r.md\n---\nspec: a\n---\n# A\n- [x] **FR-1**: a\n| id | text |\n| --- | --- |\n| FR-2 | b |\n",
    "r.csv\nid,text\nFR-1,\"a \"\"b\"\"\"\n",
    "r.yaml\nspec: a\nitems:\n  - {id: FR-1, text: b}\nFR-2: &a c\n",
    "r.json\n{\"id\": \"FR-1\", \"text\": [\"a\"]}\n",
    "r.xml\n<testsuites><testsuite name='a'><testcase classname='b' name='c'><failure/></testcase></testsuite></testsuites>\n",
    "a.ts\nit('a', () => { /* @TAG FR-1..3 */ /[/]/ })\n",
    "a.sh\nf() { # @TAG FR-1,\n# FR-2\ncat <<E\nE\n}\n",
];

/// Source files of many languages.
const SOURCES: &[(&str, &[&str])] = &[
    (
        "crates/hostler-syntax/src/languages/samples",
        &[
            "py", "ts", "tsx", "js", "rs", "go", "java", "c", "cpp", "cs", "rb", "php", "kt", "swift",
            "scala", "sh",
        ],
    ),
    ("crates/hostler-syntax/src", &["rs"]),
    ("crates/hostler/tests", &["py"]),
];

const TARGETS: &[&str] =
    &["shell", "claude_payload", "jsonc", "claims_message", "claims_output", "transcript", "trace", "syntax"];

/// Runs the task: `true` when no target found anything.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let seconds = crate::number(arguments, "--seconds", 60)?;
    let mut named: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|it| TARGETS.contains(it)).collect();
    if named.is_empty() {
        named = TARGETS.to_vec();
    }
    let installed = Command::new("cargo").args(["fuzz", "--version"]).stdout(Stdio::null()).status()?;
    anyhow::ensure!(installed.success(), "`cargo fuzz` is missing; run `cargo install cargo-fuzz`");
    let mut clean = true;
    for target in named {
        let seeds = crate::root().join("fuzz/seeds").join(target);
        let count = seed(target, &seeds).with_context(|| format!("seeds of `{target}`"))?;
        let corpus = crate::root().join("fuzz/corpus").join(target);
        fs::create_dir_all(&corpus)?;
        let output = Command::new("cargo")
            .args(["fuzz", "run", "--sanitizer=none", target])
            .args([&corpus, &seeds])
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={INPUT_BYTES_MAX}"))
            .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
            .arg(format!("-seed={}", crate::number(arguments, "--seed", SEED)?))
            .args(["-rss_limit_mb=1024", "-print_final_stats=1"])
            .current_dir(crate::root())
            .stdin(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            let runs = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
            let runs = runs.unwrap_or("?").trim();
            crate::tell(&format!(
                "fuzz {target}: clean after {runs} inputs in {seconds} s, from {count} seeds"
            ));
        } else {
            // What the parser needs too long for ends in a question by the hook's own deadline, if the hook
            // expects that of the input. It is told here, for a limit to be found, and is no crash.
            let hang = HANGS.iter().any(|it| text.contains(it)) && deadline_covers(target)?;
            clean &= hang;
            let lines: Vec<&str> = text.lines().collect();
            for line in &lines[lines.len().saturating_sub(REPORT_LINES)..] {
                crate::tell(line);
            }
            let result = if hang { "SLOW INPUT" } else { "FAILED" };
            crate::tell(&format!("fuzz {target}: {result}; the input is below `fuzz/artifacts/{target}/`"));
        }
    }
    Ok(clean)
}

/// Whether the hook starts its deadline before it reads the last input that was found.
fn deadline_covers(target: &str) -> anyhow::Result<bool> {
    let folder = crate::root().join("fuzz/artifacts").join(target);
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        let changed = entry.metadata()?.modified()?;
        if newest.as_ref().is_none_or(|(time, _)| *time <= changed) {
            newest = Some((changed, entry.path()));
        }
    }
    let (_, path) = newest.with_context(|| format!("{} is empty", folder.display()))?;
    let input = fs::read(path)?;
    let Ok(text) = std::str::from_utf8(&input) else { return Ok(false) };
    Ok(match target {
        "shell" => may_take_long(text),
        // The command is the first line.
        "claims_output" => may_take_long(text.lines().next().unwrap_or_default()),
        _ => false,
    })
}

/// Writes the seeds of `target` and returns how many there are.
fn seed(target: &str, folder: &Path) -> anyhow::Result<usize> {
    // Old seeds may come from examples that no longer exist.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    match target {
        "shell" => {
            let examples = GUARDS.iter().flat_map(|guard| guard.fires.iter().chain(guard.silent));
            seeds.extend(examples.filter_map(|example| match example {
                Example::Bash(command) => Some(command.as_bytes().to_vec()),
                _ => None,
            }));
        }
        "claude_payload" => collect(&crate::root().join("fixtures/claude"), &["json"], &mut seeds)?,
        "claims_message" => seeds.extend(pairs()?.lines().filter_map(message)),
        "claims_output" => seeds.extend(pairs()?.lines().filter_map(output)),
        "trace" => {
            for (folder, extension) in
                [("crates/hostler-trace/src", "rs"), ("docs", "md"), ("crates/hostler/tests", "py")]
            {
                let mut files = Vec::new();
                collect(&crate::root().join(folder), &[extension], &mut files)?;
                seeds.extend(
                    files.into_iter().map(|it| [format!("a.{extension}\n").as_bytes(), &it].concat()),
                );
            }
            seeds.extend(TRACES.iter().map(|text| text.replace("@TAG", "@traces").into_bytes()));
        }
        "syntax" => {
            for (folder, extensions) in SOURCES {
                for extension in *extensions {
                    let mut files = Vec::new();
                    collect(&crate::root().join(folder), &[extension], &mut files)?;
                    let named =
                        files.into_iter().map(|it| [format!("a.{extension}\n").as_bytes(), &it].concat());
                    seeds.extend(named);
                }
            }
        }
        "transcript" => {
            let mut files = Vec::new();
            collect(&crate::root().join("fixtures/claude"), &["jsonl"], &mut files)?;
            seeds.extend(files.iter().flat_map(|file| file.split(|byte| *byte == b'\n').map(<[u8]>::to_vec)));
        }
        _ => {
            for folder in ["fixtures", "plugin"] {
                collect(&crate::root().join(folder), &["json", "jsonc"], &mut seeds)?;
            }
            seeds.extend(SETTINGS.iter().map(|text| text.as_bytes().to_vec()));
        }
    }
    seeds.retain(|seed| seed.len() <= INPUT_BYTES_MAX);
    for (index, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("{index:04}")), seed)?;
    }
    Ok(seeds.len())
}

/// The turns in pairs: messages, and commands with what they printed.
fn pairs() -> anyhow::Result<String> {
    let mut files = Vec::new();
    collect(&crate::root().join("crates/hostler-policy/src/claims/pairs"), &["txt"], &mut files)?;
    Ok(String::from_utf8(files.join(&b'\n'))?)
}

/// The message of a line `A VERDICT = MESSAGE`.
fn message(line: &str) -> Option<Vec<u8>> {
    let turn = ["A ", "B ", "AB "].iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(turn.split_once(" = ")?.1.replace("\\n", "\n").into_bytes())
}

/// Command and output of a line `> Bash: COMMAND => OUTPUT`, with a line end between them.
fn output(line: &str) -> Option<Vec<u8>> {
    let call = ["> ", "a> ", "b> "].iter().find_map(|mark| line.strip_prefix(mark))?;
    let (command, output) = call.split_once("Bash: ")?.1.split_once(" => ")?;
    Some(format!("{}\n{}", command.replace("\\n", "; "), output.replace("\\n", "\n")).into_bytes())
}

/// Every file below `folder` with one of these extensions; nothing if there is no such folder.
fn collect(folder: &Path, extensions: &[&str], out: &mut Vec<Vec<u8>>) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extensions, out)?;
        } else if path.extension().is_some_and(|it| extensions.iter().any(|known| it == *known)) {
            out.push(fs::read(&path)?);
        }
    }
    Ok(())
}

/// Settings files with what an editor must survive.
const SETTINGS: &[&str] = &[
    "",
    "{}",
    "\u{feff}{\r\n  // a comment\r\n  \"hooks\": {\r\n    \"PreToolUse\": [],\r\n  },\r\n}\r\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    "{\n\t\"permissions\": {\"deny\": [\"Bash(rm *)\"]}, /* block\n */ \"env\": {\"A\": \"\\u0041\\\"\"}\n}\n",
    "{\"hooks\": {}, \"hooks\": {\"Stop\": [{}]}}",
];
