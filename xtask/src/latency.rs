//! `cargo xtask latency`: what one hook call costs, whole process, against a ceiling.
//!
//! The gate is on the *minimum* of wall time: on a shared machine the median measures the neighbours. CPU
//! time is gated on the median. All cases run interleaved, so that they see the same machine, and so does
//! what the source of this project does instead: one `python3` process per call.

mod bridge;
mod statusline;
mod stop;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};

use self::statusline::LongRecord;
use self::stop::LongSession;

/// An allowed call, in milliseconds: wall time spawn to exit as minimum, CPU time as median.
const ALLOW_MS_MAX: f64 = 2.0;
/// A call that writes code, the same: the file is parsed as it will stand.
const WRITE_MS_MAX: f64 = 2.5;
/// An allowed read, the same: it is counted in the session's state, under its lock.
const READ_MS_MAX: f64 = 3.0;
/// A denied call, the same: it also explains itself.
const DENY_MS_MAX: f64 = 3.0;
/// A busy neighbour inflates a median; no neighbour makes a program faster than it is. The best round counts.
const ROUNDS_MAX: u32 = 3;
/// Resident memory of any call.
const RSS_MB_MAX: f64 = 16.0;
/// Calls per call of those that are slow.
const PYTHON_EVERY: u64 = 5;

/// One kind of call.
struct Case {
    name: &'static str,
    tool: &'static str,
    input: Value,
    ms_max: f64,
    denied: bool,
}

#[derive(Default)]
pub(crate) struct Samples {
    wall_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
}

impl Samples {
    /// The value below which this share of the samples lies.
    pub(crate) fn at(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index into a few hundred samples"
        )]
        let index = ((sorted.len() as f64) * share) as usize;
        sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }
}

/// Runs the task: `true` when every budget holds.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let calls = crate::number(arguments, "--calls", 300)?;
    if let Some(at) = arguments.iter().position(|it| it == "--measure") {
        let program = arguments.get(at + 1).context("`--measure` takes the program")?;
        return measure(Path::new(program), calls);
    }
    let program = crate::program(true)?;
    check_files_opened(&program)?;
    // Peak memory is known only over all children so far: measure in a process that had no compiler as child.
    for round in 1..=ROUNDS_MAX {
        let status = Command::new(std::env::current_exe()?)
            .args(["latency", "--calls", &calls.to_string(), "--measure"])
            .arg(&program)
            .stdin(Stdio::null())
            .status()?;
        if status.success() {
            return Ok(true);
        }
        crate::tell(&format!("round {round} of at most {ROUNDS_MAX} missed a ceiling"));
    }
    Ok(false)
}

/// A fresh home with a fresh repository in it.
struct Place {
    _folder: tempfile::TempDir,
    home: PathBuf,
    project: PathBuf,
}

impl Place {
    fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let home = folder.path().canonicalize()?.join("home");
        let project = home.join("proj");
        fs::create_dir_all(project.join("src"))?;
        fs::write(project.join("src/lib.rs"), "pub fn f() {}\n".repeat(200))?;
        let status = Command::new("git").arg("init").arg("-q").current_dir(&project).status()?;
        ensure!(status.success(), "`git init` failed");
        Ok(Self { _folder: folder, home, project })
    }

    fn cases(&self) -> Vec<Case> {
        let file = |name: &str| self.project.join(name);
        let case = |name, tool, input| Case { name, tool, input, ms_max: ALLOW_MS_MAX, denied: false };
        let python = "def add(a: int, b: int) -> int:\n    return a + b\n\n\n".repeat(200);
        vec![
            case("Bash `ls`", "Bash", json!({ "command": "ls", "description": "list" })),
            Case {
                ms_max: DENY_MS_MAX,
                denied: true,
                ..case("Bash `rm -rf ~/`", "Bash", json!({ "command": "rm -rf ~/", "description": "clean" }))
            },
            Case {
                ms_max: WRITE_MS_MAX,
                ..case(
                    "Write 10 kB of Python",
                    "Write",
                    json!({ "file_path": file("new.py"), "content": python }),
                )
            },
            Case { ms_max: READ_MS_MAX, ..case("Read", "Read", json!({ "file_path": file("src/lib.rs") })) },
        ]
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("LANG", "C.UTF-8")
            .current_dir(&self.project);
        command
    }

    fn payload(&self, case: &Case, id: &str) -> Vec<u8> {
        let session = "00000000-0000-4000-8000-000000000001";
        let payload = testkit::payload::tool_before(&self.project, session, id, case.tool, &case.input);
        payload.to_string().into_bytes()
    }
}

/// CPU time of all children that ended so far, in milliseconds.
fn cpu_ms() -> anyhow::Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of minutes")]
    let us = (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64;
    Ok(us / 1_000.0)
}

/// One call that has nothing to say on stderr.
fn call(command: Command, payload: &[u8], samples: &mut Samples) -> anyhow::Result<String> {
    let (stdout, stderr) = spawn(command, payload, samples)?;
    ensure!(stderr.is_empty(), "on stderr: {stderr}");
    Ok(stdout)
}

/// One call, spawn to exit, as a host makes it: what it wrote to stdout and stderr.
fn spawn(mut command: Command, payload: &[u8], samples: &mut Samples) -> anyhow::Result<(String, String)> {
    let cpu_before_ms = cpu_ms()?;
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("stdin is a pipe")?;
    // A program that never reads its input closes the pipe: its own choice.
    let _ = stdin.write_all(payload);
    drop(stdin);
    let output = child.wait_with_output()?;
    samples.wall_ms.push(start.elapsed().as_secs_f64() * 1_000.0);
    samples.cpu_ms.push(cpu_ms()? - cpu_before_ms);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(
        output.status.success(),
        "`{}` ended with {}: {stderr}",
        command.get_program().display(),
        output.status,
    );
    Ok((String::from_utf8(output.stdout)?, stderr))
}

/// A call of ours whose reply is what it should be.
fn call_ours(
    place: &Place,
    program: &Path,
    case: &Case,
    id: &str,
    samples: &mut Samples,
) -> anyhow::Result<()> {
    let mut command = place.command(program);
    command.args(["hook", "claude"]);
    let reply = call(command, &place.payload(case, id), samples)?;
    let decision = testkit::payload::decision(&reply).map(|(decision, _)| decision);
    let expected = case.denied.then(|| "deny".to_owned());
    ensure!(decision == expected, "{}: {decision:?} in {reply}", case.name);
    ensure!(!reply.contains("doctor"), "{}: a fault instead of a decision: {reply}", case.name);
    Ok(())
}

/// The interpreter itself: `python3` on the path may be a launcher script, which would not be fair.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_file().then_some(path)
}

fn measure(program: &Path, calls: u64) -> anyhow::Result<bool> {
    let place = Place::new()?;
    let cases = place.cases();
    // `git init` was a child too; nothing of it is left in the memory of what follows, but in the maximum.
    let git_rss_mb = rss_mb()?;
    for case in &cases {
        call_ours(&place, program, case, &format!("toolu_warm_{}", case.tool), &mut Samples::default())?;
    }
    let rss_mb = rss_mb()?;
    let long = LongSession::new(&place, program)?;
    LongSession::end(&place, program, &mut Samples::default())?;
    let long_rss_mb = self::rss_mb()?;

    let record = LongRecord::new(program)?;
    record.line(program, &mut Samples::default())?;

    let script = place.home.join("hook.py");
    fs::write(&script, PYTHON_HOOK)?;
    let python = python();
    let mut ours: Vec<Samples> = cases.iter().map(|_| Samples::default()).collect();
    let (mut ends, mut lines) = (Samples::default(), Samples::default());
    let (mut hook, mut bare, mut floor) = (Samples::default(), Samples::default(), Samples::default());
    let start = Instant::now();
    for round in 0..calls {
        for (at, case) in cases.iter().enumerate() {
            call_ours(&place, program, case, &format!("toolu_{at}_{round}"), &mut ours[at])?;
        }
        call(place.command(Path::new("true")), b"", &mut floor)?;
        if round % PYTHON_EVERY == 0 {
            LongSession::end(&place, program, &mut ends)?;
        }
        record.line(program, &mut lines)?;
        if let (Some(python), true) = (&python, round % PYTHON_EVERY == 0) {
            let mut command = place.command(python);
            command.arg(&script);
            call(command, &place.payload(&cases[0], &format!("toolu_python_{round}")), &mut hook)?;
            let mut command = place.command(python);
            command.args(["-c", "pass"]);
            call(command, b"", &mut bare)?;
        }
    }

    crate::tell(&format!(
        "{calls} calls of each kind, interleaved, in {:.0} s",
        start.elapsed().as_secs_f64()
    ));
    crate::tell("| call | wall min ms | median | p99 | CPU median ms | ceiling ms |");
    crate::tell("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut failures = Vec::new();
    for (case, samples) in cases.iter().zip(&ours) {
        row(case.name, samples, &format!("{:.1}", case.ms_max));
        let (wall, cpu) = (Samples::at(&samples.wall_ms, 0.0), Samples::at(&samples.cpu_ms, 0.5));
        if case.ms_max < wall {
            failures.push(format!("{}: minimum {wall:.2} ms, {:.1} allowed", case.name, case.ms_max));
        }
        if case.ms_max < cpu {
            failures.push(format!("{}: CPU median {cpu:.2} ms, {:.1} allowed", case.name, case.ms_max));
        }
    }
    row("Stop, 5,000 calls", &ends, &format!("{:.1}", stop::MS_MAX));
    let end_ms = Samples::at(&ends.wall_ms, 0.0);
    if stop::MS_MAX < end_ms {
        failures.push(format!("Stop: minimum {end_ms:.2} ms, {:.1} allowed", stop::MS_MAX));
    }
    row("Status line, 10,000 sessions", &lines, &format!("{:.1}", statusline::MS_MAX));
    let line_ms = Samples::at(&lines.wall_ms, 0.0);
    if statusline::MS_MAX < line_ms {
        failures.push(format!("status line: minimum {line_ms:.2} ms, {:.1} allowed", statusline::MS_MAX));
    }
    row("`true`: a process at all", &floor, "");
    if python.is_some() {
        row("python3, a hook like the source's", &hook, "");
        row("python3 -c pass", &bare, "");
        let ratio = |share| Samples::at(&hook.wall_ms, share) / Samples::at(&ours[0].wall_ms, share);
        crate::tell(&format!(
            "ratio to one python3 process per hook: {:.0}x by minimum, {:.0}x by median",
            ratio(0.0),
            ratio(0.5)
        ));
    } else {
        crate::tell("no `python3` here: nothing to compare with");
    }
    crate::tell(&format!("largest resident memory: {rss_mb:.1} MB (`git` before it: {git_rss_mb:.1} MB)"));
    crate::tell(&format!(
        "resident memory of the audit of a session with a journal of {:.1} MB: {long_rss_mb:.1} MB",
        f64::from(u32::try_from(long.journal_bytes).unwrap_or(u32::MAX)) / 1e6
    ));
    if RSS_MB_MAX < rss_mb {
        failures.push(format!("resident memory {rss_mb:.1} MB, {RSS_MB_MAX:.0} allowed"));
    }
    // The last one: it is a child as well, and takes more memory than a hook may.
    if !bridge::run(&place, program)? {
        failures.push("the bridge: see its line".to_owned());
    }
    for failure in &failures {
        crate::tell(&format!("over budget: {failure}"));
    }
    Ok(failures.is_empty())
}

/// The largest resident memory of any child that ended so far.
fn rss_mb() -> anyhow::Result<f64> {
    #[expect(clippy::cast_precision_loss, reason = "kilobytes of a small process")]
    let kb = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() as f64;
    Ok(kb / 1_024.0)
}

fn row(name: &str, samples: &Samples, ceiling: &str) {
    crate::tell(&format!(
        "| {name} | {:.2} | {:.2} | {:.2} | {:.2} | {ceiling} |",
        Samples::at(&samples.wall_ms, 0.0),
        Samples::at(&samples.wall_ms, 0.5),
        Samples::at(&samples.wall_ms, 0.99),
        Samples::at(&samples.cpu_ms, 0.5),
    ));
}

/// The allow path starts no program and opens nothing in the project but git discovery and configuration.
fn check_files_opened(program: &Path) -> anyhow::Result<()> {
    let present = Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !present.is_ok_and(|status| status.success()) {
        crate::tell("no `strace` here: which files the allow path opens is not checked");
        return Ok(());
    }
    let place = Place::new()?;
    let cases = place.cases();
    let case = cases.first().context("there is a case")?;
    let log = place.home.join("strace.log");
    // The first call of all creates folders; the second is the one that counts.
    for id in ["toolu_first", "toolu_second"] {
        let mut command = place.command(Path::new("strace"));
        command.args(["-f", "-qq", "-e", "trace=%file,%process,%network", "-o"]).arg(&log).arg(program);
        command.args(["hook", "claude"]);
        call(command, &place.payload(case, id), &mut Samples::default())?;
    }
    let text = fs::read_to_string(&log)?;
    let allowed = [".git", ".git/HEAD", ".git/commondir", ".git/config", ".hostler", ".hostler/config.toml"];
    let mut opened = Vec::new();
    for line in text.lines() {
        let started = line.contains("execve(") && !line.contains("\"hook\", \"claude\"");
        if started || line.contains("socket(") || line.contains("vfork(") {
            bail!("the allow path starts a program or opens a socket: {line}");
        }
        for path in line.split('"').skip(1).step_by(2) {
            if let Ok(inside) = Path::new(path).strip_prefix(&place.project) {
                let known = inside.as_os_str().is_empty() || allowed.iter().any(|it| inside == Path::new(it));
                ensure!(known, "the allow path touches `{}`: {line}", inside.display());
                opened.push(inside.display().to_string());
            }
        }
    }
    ensure!(!opened.is_empty(), "strace saw no access to the project: the check is blind\n{text}");
    opened.sort();
    opened.dedup();
    crate::tell(&format!(
        "the allow path makes {} file system calls; in the project it looks at {opened:?} only",
        text.lines().filter(|line| line.contains('"')).count()
    ));
    Ok(())
}

/// What a hook does in the source of this project, in its language and size: read the payload, match a
/// dozen expressions, append a line, answer.
const PYTHON_HOOK: &str = include_str!("latency.py");
