//! `hostler report`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use hostler_ledger::file::{Access, Snapshot};
use hostler_ledger::journal;
use hostler_ledger::redact::printable;

use super::audit::since;
use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;
use crate::replay;
use crate::replay::summary::SessionSummary;
use crate::report::hide::Hider;
use crate::report::{self, Options, Report, html, sarif, source, text};

/// Characters of a note on a file that could not be read.
const NOTE_CHARS_MAX: usize = 300;

/// What sessions come to: what was claimed and what held, what was stopped, which tests ran
///
/// Reads the journals of the current project, or the given transcripts, exports, journals and folders. Ends
/// with 0 whatever was found: a report is no check.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct Args {
    /// Transcripts, exports, journals, folders of them, or what `hostler --json replay` printed; by default
    /// the journals of this project
    paths: Vec<PathBuf>,
    /// Only sessions that went on since: `12h`, `7d`, `4w`, a day (`2026-11-01`), a time (`2026-11-01T08:00:00Z`)
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<i64>,
    /// Write one page that needs nothing else; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print SARIF 2.1.0, for viewers and code scanning
    #[arg(long)]
    sarif: bool,
    /// The journals of all projects of this user
    #[arg(long, conflicts_with = "paths")]
    all_projects: bool,
    /// Ask the guards of today about the calls of transcripts, too; journals tell what was said at the time
    #[arg(long)]
    guards: bool,
    /// Take out paths, prompts, user names, e-mail addresses and hosts; secrets always are
    #[arg(long)]
    redact: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let to_stdout = args.html.as_deref() == Some(Path::new("-"));
    if json && args.sarif {
        writeln!(
            std::io::stderr(),
            "hostler: `--json` and `--sarif` both want standard output; give one of them"
        )?;
        return Ok(Exit::Usage);
    }
    if to_stdout && (json || args.sarif) {
        bail!("`--html -` and another format both want standard output; give `--html` a file");
    }
    let dirs = Dirs::from_env()?;
    // Before the work: a page that cannot be written is told at once.
    let page = match &args.html {
        Some(path) if !to_stdout => Some(page_file(path)?),
        _ => None,
    };
    let read = read(args, &dirs)?;
    let nothing = read.sessions.is_empty() && !read.problems.is_empty();
    if nothing && !args.paths.is_empty() {
        bail!("nothing could be read: {}", read.problems.join("; "));
    }
    let report = document(args, &dirs, read)?;

    let mut out = std::io::stdout().lock();
    if json {
        output::json::print(&serde_json::to_value(&report)?)?;
    } else if args.sarif {
        writeln!(out, "{}", sarif::log(&report))?;
    } else if to_stdout {
        writeln!(out, "{}", html::page(&report))?;
    } else if page.is_none() {
        let colour = out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        write!(out, "{}", text::render(&report, colour))?;
    }
    if let Some(file) = page {
        let text = html::page(&report);
        let written =
            file.replace(text.as_bytes(), Access::Shared).with_context(|| "the page was not written")?;
        let mut talk = std::io::stderr().lock();
        let shown = dirs.tilde(written.real_path());
        let line = format!("wrote `{shown}`, {}: {}", report::size(text.len()), report.headline);
        writeln!(talk, "{}", printable(&line))?;
    }
    Ok(Exit::Ok)
}

/// The sessions, and what could not be read.
#[derive(Default)]
struct Read {
    sessions: Vec<SessionSummary>,
    problems: Vec<String>,
}

fn read(args: &Args, dirs: &Dirs) -> anyhow::Result<Read> {
    let mut out = Read::default();
    let mut paths = Vec::new();
    for path in &args.paths {
        match source::saved(path)? {
            Some(sessions) => out.sessions.extend(sessions),
            None => paths.push(path.clone()),
        }
    }
    if args.paths.is_empty() {
        paths = journals(args.all_projects, dirs)?;
    }
    let found = replay::find(&paths);
    let options = replay::Options { guards: args.guards, ..replay::Options::default() };
    let bar = super::replay::Bar::new(found.bytes);
    let totals = replay::sessions(&found, &options, &bar, &mut |session| {
        out.sessions.push(session.clone());
        Ok(())
    })?;
    bar.finish();
    out.problems.extend(totals.unreadable_files);
    if totals.unreadable_files_omitted != 0 {
        out.problems.push(format!("{} more", totals.unreadable_files_omitted));
    }
    Ok(out)
}

/// The journals of this project, or of all.
fn journals(all: bool, dirs: &Dirs) -> anyhow::Result<Vec<PathBuf>> {
    let projects = dirs.state.join("projects");
    let folders = if !all {
        let cwd = std::env::current_dir().context("there is no current folder; name a path")?;
        vec![dirs.project_state(&Project::find(&cwd).key())]
    } else if projects.is_dir() {
        let listed =
            std::fs::read_dir(&projects).with_context(|| format!("cannot list `{}`", projects.display()))?;
        let mut folders: Vec<PathBuf> =
            listed.filter_map(|it| Some(it.ok()?.path())).filter(|it| it.is_dir()).collect();
        folders.sort();
        folders
    } else {
        Vec::new()
    };
    let mut files = Vec::new();
    for folder in folders {
        files.extend(journal::files(&folder)?);
    }
    Ok(files)
}

fn document(args: &Args, dirs: &Dirs, read: Read) -> anyhow::Result<Report> {
    let Read { mut sessions, problems } = read;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock stands before 1970")?;
    let generated_ms = i64::try_from(now.as_millis()).context("the clock stands far in the future")?;
    let time_zone = jiff::tz::TimeZone::system();
    for session in &mut sessions {
        session.project = session.project.take().map(top_folder);
    }
    let hider = if args.redact {
        let projects = sessions.iter().filter_map(|it| it.project.clone());
        let users = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
        Hider::everything(dirs.home.to_str(), projects, users, host_name())
    } else {
        Hider::secrets_only()
    };
    let notes = problems.iter().map(|it| hider.clean(&format!("not read: {it}"), NOTE_CHARS_MAX)).collect();
    Ok(Report::of(&sessions, Options { generated_ms, since_ms: args.since, time_zone, hider, notes }))
}

/// The project's folder, where the working directory of the session is still there.
fn top_folder(cwd: String) -> String {
    let path = Path::new(&cwd);
    if path.is_absolute() && path.is_dir() { Project::find(path).root.display().to_string() } else { cwd }
}

/// This machine's name, where the system keeps it in a file.
fn host_name() -> Option<String> {
    ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .into_iter()
        .find_map(|path| std::fs::read_to_string(path).ok())
}

/// The file that a page goes to: a new one, or an older page.
fn page_file(path: &Path) -> anyhow::Result<Snapshot> {
    if path.is_dir() {
        bail!(
            "`{}` is a folder; name a file in it, for example `{}`",
            path.display(),
            path.join("report.html").display()
        );
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        bail!("there is no folder `{}`; make it first", folder.display());
    }
    let file = Snapshot::read(path)?;
    if let Some(bytes) = file.bytes().filter(|bytes| !bytes.is_empty()) {
        let head = &bytes[..bytes.len().min(html::GENERATOR_WITHIN_BYTES)];
        if !head.windows(html::GENERATOR.len()).any(|it| it == html::GENERATOR.as_bytes()) {
            bail!("`{}` is no report of hostler; remove it first, or choose another name", path.display());
        }
    }
    file.check_replaceable()?;
    Ok(file)
}
