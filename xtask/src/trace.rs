//! `cargo xtask trace-bench`: how fast `hostler trace` searches a tree of source files, anew and when little changed, and
//! in how much memory.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

const FILES: u64 = 100_000;
const FILES_A_FOLDER: u64 = 100;
const REQUIREMENTS: u64 = 1_000;
/// In two parts: this file cites nothing.
const TAG: &str = concat!('@', "traces");
/// One file in so many has tags.
const TAGGED_EVERY: u64 = 20;
/// The first run, everything read and remembered.
const FIRST_S_MAX: f64 = 10.0;
/// A run with ten changed files.
const AGAIN_S_MAX: f64 = 2.0;
/// Peak of resident memory.
const RSS_MB_MAX: f64 = 200.0;
const ROUNDS: u32 = 3;

/// Measures: `cargo xtask trace-bench [--files N]`.
pub(crate) fn bench(arguments: &[String]) -> anyhow::Result<bool> {
    let files = crate::number(arguments, "--files", FILES)?;
    if let Some(at) = arguments.iter().position(|it| it == "--measure") {
        let program = arguments.get(at + 1).context("`--measure` takes the program")?;
        return measure(Path::new(program), files);
    }
    let program = crate::program(true)?;
    // Peak memory is known only over all children so far: measure in a process that had no compiler as child.
    let status = Command::new(std::env::current_exe()?)
        .args(["trace-bench", "--files", &files.to_string(), "--measure"])
        .arg(&program)
        .stdin(Stdio::null())
        .status()?;
    Ok(status.success())
}

fn measure(program: &Path, files: u64) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir()?;
    let (home, project) = (folder.path().join("home"), folder.path().join("project"));
    fs::create_dir(&home)?;
    let (bytes, citations) = generate(&project, files)?;
    let run = || trace(program, &project, &home, files, citations);

    let mut first_s = f64::MAX;
    for round in 1..=ROUNDS {
        if let Err(error) = fs::remove_dir_all(home.join(".local")) {
            ensure!(
                error.kind() == std::io::ErrorKind::NotFound,
                "cannot remove what is remembered: {error}"
            );
        }
        let (wall_s, _) = run()?;
        crate::tell(&format!("anew, round {round}: {wall_s:.2} s"));
        first_s = first_s.min(wall_s);
    }
    let mut again_s = f64::MAX;
    for round in 1..=ROUNDS {
        for at in 0..10 {
            let path = project.join(path_of(at * files / 10));
            let text = fs::read_to_string(&path)?;
            fs::write(&path, format!("{text}// round {round}\n"))?;
        }
        let (wall_s, known) = run()?;
        crate::tell(&format!("ten files changed, round {round}: {wall_s:.2} s, {known} of {files} known"));
        ensure!(files - 10 * u64::from(round) - 1 <= known, "only {known} files were known");
        again_s = again_s.min(wall_s);
    }
    #[expect(clippy::cast_precision_loss, reason = "megabytes are shown with one digit")]
    let (rss_mb, size_mb) =
        (getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() as f64 / 1024.0, bytes as f64 / 1e6);
    crate::tell(&format!(
        "{files} files, {size_mb:.0} MB, {citations} citations: anew {first_s:.2} s (at most {FIRST_S_MAX}), \
         again {again_s:.2} s (at most {AGAIN_S_MAX}), peak {rss_mb:.0} MB (at most {RSS_MB_MAX})"
    ));
    Ok(first_s <= FIRST_S_MAX && again_s <= AGAIN_S_MAX && rss_mb <= RSS_MB_MAX)
}

/// Seconds, and how many files were known from the last time.
fn trace(
    program: &Path,
    project: &Path,
    home: &Path,
    files: u64,
    citations: u64,
) -> anyhow::Result<(f64, u64)> {
    let start = Instant::now();
    let output = Command::new(program)
        .args(["--json", "trace"])
        .current_dir(project)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output()?;
    let wall_s = start.elapsed().as_secs_f64();
    ensure!(
        output.status.success(),
        "trace ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    let document: Value = serde_json::from_slice(&output.stdout).context("trace printed no JSON")?;
    let rows = document["requirements"].as_array().context("there are no requirements")?;
    let links: u64 = rows.iter().map(|it| it["links"].as_array().map_or(0, |it| it.len() as u64)).sum();
    let read = document["read"]["files"].as_u64().unwrap_or_default();
    ensure!(links == citations, "{links} citations were found, {citations} were made");
    // The register is a file of the project, too.
    ensure!(read == files + 1, "{read} files were searched, there are {files} and the register");
    Ok((wall_s, document["read"]["known"].as_u64().unwrap_or_default()))
}

fn path_of(at: u64) -> String {
    let extension = ["rs", "py", "ts", "go", "java", "sql"][usize::try_from(at % 6).unwrap_or_default()];
    format!("src/m{:04}/f{at:06}.{extension}", at / FILES_A_FOLDER)
}

/// Writes a project and returns its bytes and how many citations it holds.
fn generate(project: &Path, files: u64) -> anyhow::Result<(u64, u64)> {
    let mut register = "id\ttext\n".to_owned();
    for number in 1..=REQUIREMENTS {
        writeln!(register, "REQ-001-{number:04}\tIt does the thing of number {number}")?;
    }
    fs::create_dir_all(project.join(".git"))?;
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    fs::write(project.join("requirements.tsv"), register)?;
    // Changed within the last two seconds, a file is read again: its times could not tell the next change.
    let old = SystemTime::now() - Duration::from_secs(3_600);
    let (mut bytes, mut citations) = (0, 0);
    for at in 0..files {
        let path = project.join(path_of(at));
        if at % FILES_A_FOLDER == 0 {
            fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        }
        let text = source(at, &mut citations)?;
        bytes += text.len() as u64;
        fs::write(&path, text)?;
        fs::File::options().append(true).open(&path)?.set_modified(old)?;
    }
    // The time of the last change of what is known of a file cannot be set back.
    std::thread::sleep(Duration::from_secs(3));
    Ok((bytes, citations))
}

/// A source of some 3 KB, as most are, in one of six languages.
fn source(at: u64, citations: &mut u64) -> anyhow::Result<String> {
    let (mark, open, close) = match at % 6 {
        1 => ("#", "def", ":\n    pass"),
        2 => ("//", "export function", " {}"),
        3 => ("//", "func", " {}"),
        4 => ("//", "class", " {}"),
        5 => ("--", "CREATE FUNCTION", ";"),
        _ => ("//", "fn", " {}"),
    };
    let mut text = String::new();
    for line in 0..30 {
        if at.is_multiple_of(TAGGED_EVERY) && line % 10 == 0 {
            let number = 1 + (at / TAGGED_EVERY * 3 + line / 10) % REQUIREMENTS;
            writeln!(text, "{mark} {TAG} REQ-001-{number:04}")?;
            *citations += 1;
        }
        let parameters = if at % 6 == 4 { "" } else { "()" };
        writeln!(text, "{mark} What part {line} of file {at} does, in some words that say what and why.")?;
        writeln!(text, "{open} part_{line}_of_file_{at}{parameters}{close}\n")?;
    }
    Ok(text)
}
