//! `cargo xtask fuzz`: each target for a while, several at once, from seeds of our own, on the stable compiler.
//!
//! `cargo fuzz` asks for a nightly compiler only for its sanitizers. Our code forbids `unsafe`, so what is
//! hunted here is panics, hangs and broken promises; coverage guidance works without them. Grammars are C:
//! what they write past their ends shows as a crash, if it shows.

mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Instant, SystemTime};

use anyhow::{Context, ensure};
use hostler_policy::shell::may_take_long;
use hostler_syntax::Language;
use serde_json::Value;

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

const TARGETS: &[&str] = &[
    "shell",
    "claude_payload",
    "jsonc",
    "claims_message",
    "claims_output",
    "transcript",
    "trace",
    "chunks",
    "cypher",
    "syntax",
];

/// The target that reads one language at a time, and the languages by their extensions.
const SYNTAX: &str = "syntax";
const EXTENSIONS: &[&str] = &[
    "py", "ts", "tsx", "js", "rs", "go", "java", "c", "cpp", "cs", "rb", "php", "kt", "swift", "scala", "sh",
];

/// One run of the fuzzer.
#[derive(Clone, Copy)]
struct Job {
    target: &'static str,
    /// Of [`EXTENSIONS`], for [`SYNTAX`].
    extension: Option<&'static str>,
}

impl Job {
    /// The jobs that a word names: a target, or `syntax:EXTENSION`.
    fn named(word: &str) -> Vec<Self> {
        let (target, wanted) = word.split_once(':').map_or((word, None), |(it, of)| (it, Some(of)));
        let Some(target) = TARGETS.iter().copied().find(|it| *it == target) else { return Vec::new() };
        if target != SYNTAX {
            return Vec::from_iter(wanted.is_none().then_some(Self { target, extension: None }));
        }
        let extensions = EXTENSIONS.iter().copied().filter(|it| wanted.is_none_or(|wanted| wanted == *it));
        extensions.map(|it| Self { target, extension: Some(it) }).collect()
    }

    /// Also the name of its folders.
    fn name(self) -> String {
        self.extension.map_or_else(|| self.target.to_owned(), |it| format!("{}-{it}", self.target))
    }
}

/// How every job runs.
struct Plan {
    /// Where the built targets are.
    programs: PathBuf,
    seconds: u64,
    seed: u64,
    /// Folders with files of others, which are cut short.
    folders: Vec<PathBuf>,
}

/// Runs the task: `true` when no target found anything.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let at_once = crate::number(arguments, "--at-once", u64::try_from(at_once)?)?;
    let folders = arguments.windows(2).filter(|it| it[0] == "--files").map(|it| PathBuf::from(&it[1]));
    let mut plan = Plan {
        programs: PathBuf::new(),
        seconds: crate::number(arguments, "--seconds", 60)?,
        seed: crate::number(arguments, "--seed", SEED)?,
        folders: folders.collect(),
    };
    let mut jobs: Vec<Job> = arguments.iter().flat_map(|word| Job::named(word)).collect();
    if jobs.is_empty() {
        jobs = TARGETS.iter().flat_map(|word| Job::named(word)).collect();
    }
    let installed = Command::new("cargo").args(["fuzz", "--version"]).stdout(Stdio::null()).status()?;
    ensure!(installed.success(), "`cargo fuzz` is missing; run `cargo install cargo-fuzz`");
    plan.programs = build(&jobs)?;
    let started = Instant::now();
    jobs.reverse();
    let waiting = Mutex::new(jobs);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().ok().and_then(|mut jobs| jobs.pop());
                    let Some(job) = next else { break };
                    let result = fuzz(job, &plan).with_context(|| format!("fuzz {}", job.name()));
                    if let Ok(mut results) = results.lock() {
                        results.push(result);
                    }
                }
            });
        }
    });
    let results = results.into_inner().map_err(|_| anyhow::anyhow!("a job of the fuzzer panicked"))?;
    let mut clean = true;
    for result in results {
        clean &= result?;
    }
    crate::tell(&format!("fuzz: {at_once} at once, {} s without the build", started.elapsed().as_secs()));
    Ok(clean)
}

/// Builds what the jobs run, and returns where it is: started by itself no job waits for another build's lock, nor is it
/// built anew from what was changed in the meantime.
fn build(jobs: &[Job]) -> anyhow::Result<PathBuf> {
    let mut targets: Vec<&str> = jobs.iter().map(|job| job.target).collect();
    targets.dedup();
    // One target or all of them: that is what `cargo fuzz` can be told.
    let one = if let [target] = *targets { Some(target) } else { None };
    let started = Instant::now();
    let status = Command::new("cargo")
        .args(["fuzz", "build", "--sanitizer=none"])
        .args(one)
        .current_dir(crate::root())
        .stdin(Stdio::null())
        .status()?;
    ensure!(status.success(), "`cargo fuzz build` failed");
    crate::tell(&format!("fuzz: built in {} s", started.elapsed().as_secs()));
    let metadata =
        output("cargo", &["metadata", "--manifest-path=fuzz/Cargo.toml", "--no-deps", "--format-version=1"])?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let folder = metadata["target_directory"].as_str().context("cargo tells no target folder")?;
    let compiler = output("rustc", &["-vV"])?;
    let host =
        compiler.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc tells no host")?;
    Ok(Path::new(folder).join(host).join("release"))
}

fn output(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).current_dir(crate::root()).output()?;
    ensure!(output.status.success(), "`{program} {}` failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs one job: `true` when it found nothing.
fn fuzz(job: Job, plan: &Plan) -> anyhow::Result<bool> {
    let (name, folder) = (job.name(), crate::root().join("fuzz"));
    let seeds = match job.extension.map(|it| Language::of(Path::new(&format!("a.{it}")))) {
        None => seeds::of_target(job.target)?,
        Some(language) => {
            let language = language.context("no language has this extension")?;
            seeds::of_language(language, &plan.folders, plan.seed)?
        }
    };
    let (from, corpus) = (folder.join("seeds").join(&name), folder.join("corpus").join(&name));
    let artifacts = folder.join("artifacts").join(&name);
    let words = folder.join("seeds").join(format!("{name}.dict"));
    seeds::write(&seeds, &from)?;
    fs::write(&words, seeds::dictionary(&seeds))?;
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let mut command = Command::new(plan.programs.join(job.target));
    command
        .args([&corpus, &from])
        .arg(format!("-max_total_time={}", plan.seconds))
        .arg(format!("-max_len={INPUT_BYTES_MAX}"))
        .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
        .arg(format!("-seed={}", plan.seed))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-rss_limit_mb=1024", "-print_final_stats=1"]);
    if let Some(extension) = job.extension {
        command.env("FUZZ_EXTENSION", extension).arg(format!("-dict={}", words.display()));
    }
    let output = command.current_dir(crate::root()).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let runs = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        let (runs, seconds, seeds) = (runs.unwrap_or("?").trim(), plan.seconds, seeds.len());
        crate::tell(&format!("fuzz {name}: clean after {runs} inputs in {seconds} s, from {seeds} seeds"));
        return Ok(true);
    }
    // What the parser needs too long for ends in a question by the hook's own deadline, if the hook
    // expects that of the input. It is told here, for a limit to be found, and is no crash.
    let is_slow = HANGS.iter().any(|it| text.contains(it)) && deadline_covers(job.target, &artifacts)?;
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[lines.len().saturating_sub(REPORT_LINES)..].join("\n");
    let result = if is_slow { "SLOW INPUT" } else { "FAILED" };
    crate::tell(&format!("{shown}\nfuzz {name}: {result}; the input is below `fuzz/artifacts/{name}/`"));
    Ok(is_slow)
}

/// Whether the hook starts its deadline before it reads the last input that was found.
fn deadline_covers(target: &str, artifacts: &Path) -> anyhow::Result<bool> {
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    for entry in fs::read_dir(artifacts)? {
        let entry = entry?;
        let changed = entry.metadata()?.modified()?;
        if newest.as_ref().is_none_or(|(time, _)| *time <= changed) {
            newest = Some((changed, entry.path()));
        }
    }
    let (_, path) = newest.with_context(|| format!("{} is empty", artifacts.display()))?;
    let input = fs::read(path)?;
    let Ok(text) = std::str::from_utf8(&input) else { return Ok(false) };
    Ok(match target {
        "shell" => may_take_long(text),
        // The command is the first line.
        "claims_output" => may_take_long(text.lines().next().unwrap_or_default()),
        _ => false,
    })
}
