//! `hostler checkpoint`: what was kept before a call changed or destroyed it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use hostler_ledger::checkpoint::{
    Checkpoint, Difference, DifferenceKind, Error, Keep, Kind, Listing, Location, Restored, Saved, Vault,
};
use hostler_ledger::redact::printable_line;
use hostler_model::lexical;
use serde_json::{Value, json};

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;
use crate::place;
use crate::project::Project;

/// For a whole command: a person waits, and can stop it.
const DEADLINE: Duration = Duration::from_secs(600);
/// Larger files are told as changed, not compared line by line.
const DIFF_BYTES_MAX: u64 = 1 << 20;
/// Names of new files printed; `--json` has all.
const APPEARED_SHOWN_MAX: usize = 20;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the project's checkpoints, oldest first
    List {
        /// Only sessions whose name starts like this
        #[arg(long)]
        session: Option<String>,
    },
    /// Show what a checkpoint holds
    Show {
        /// `<session>/<number>`; the start of the session is enough
        id: String,
    },
    /// Compare a checkpoint with the files as they are; exits with 1 where they differ
    Diff {
        /// `<session>/<number>`; the start of the session is enough
        id: String,
        /// Only this file or folder (repeatable)
        #[arg(long)]
        path: Vec<PathBuf>,
    },
    /// Put back what differs; what that overwrites is kept in a new checkpoint first
    Restore {
        /// `<session>/<number>`; the start of the session is enough
        id: String,
        /// Only this file or folder (repeatable)
        #[arg(long)]
        path: Vec<PathBuf>,
        /// Tell what would be written, write nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove old checkpoints
    Prune {
        /// Keep those that are at most this many days old
        #[arg(long, default_value_t = 14)]
        days: u32,
        /// Keep the youngest up to this size together, in MiB
        #[arg(long, value_name = "MIB", default_value_t = 2048)]
        size_max: u32,
        /// Tell what would go, remove nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let dirs = Dirs::from_env()?;
    let cwd = std::env::current_dir().context("cannot tell the working directory")?;
    let project = Project::find(&cwd);
    let place = place::place(Some(&dirs), &project, &cwd);
    let state = dirs.project_state(&project.key());
    let vault = Vault::new(&place, &state, DEADLINE);
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| real(&cwd, path)).collect::<Vec<_>>();
    let done = match &args.command {
        Command::List { session } => list(&vault, session.as_deref()),
        Command::Show { id } => show(&vault, id),
        Command::Diff { id, path } => diff(&vault, id, &paths(path)),
        Command::Restore { id, path, dry_run } => restore(&vault, id, &paths(path), *dry_run),
        Command::Prune { days, size_max, dry_run } => prune(&vault, *days, *size_max, *dry_run),
    };
    let report = match done {
        Ok(report) => report,
        Err(error) => {
            let usage = matches!(error, Error::NotFound(_) | Error::Ambiguous { .. } | Error::NotHeld { .. });
            let exit = output::human::fail(&error.into(), json);
            return Ok(if usage { Exit::Usage } else { exit });
        }
    };
    let mut out = crate::output::human::stdout();
    if json {
        writeln!(out, "{}", report.json)?;
    } else {
        out.write_all(report.text.as_bytes())?;
    }
    out.flush()?;
    Ok(report.exit)
}

/// What a command has to say, in both forms.
struct Report {
    text: String,
    json: Value,
    exit: Exit,
}

fn list(vault: &Vault<'_>, session: Option<&str>) -> Result<Report, Error> {
    let Listing { mut checkpoints, damaged } = vault.list()?;
    checkpoints.retain(|it| session.is_none_or(|session| it.header.session.starts_with(session)));
    let mut rows = vec![["ID", "TIME", "FILES", "SIZE", "WORKTREE", "WHY"].map(str::to_owned)];
    rows.extend(checkpoints.iter().map(|it| {
        [
            it.id.clone(),
            time(it.header.time_ms),
            it.header.files.to_string(),
            size(it.header.bytes),
            it.header.worktree.clone().unwrap_or_else(|| "-".to_owned()),
            printable_line(&it.header.reason),
        ]
    }));
    let mut text = if checkpoints.is_empty() { "no checkpoints\n".to_owned() } else { table(&rows) };
    for (name, why) in &damaged {
        line(&mut text, &format!("damaged: `{}`: {}", printable_line(name), printable_line(why)));
    }
    let json = json!({
        "checkpoints": checkpoints.iter().map(described).collect::<Vec<_>>(),
        "damaged": damaged.iter().map(|(name, why)| json!({ "name": name, "reason": why })).collect::<Vec<_>>(),
    });
    Ok(Report { text, json, exit: if damaged.is_empty() { Exit::Ok } else { Exit::Finding } })
}

fn show(vault: &Vault<'_>, id: &str) -> Result<Report, Error> {
    let checkpoint = vault.find(id)?;
    let files = vault.files(&checkpoint)?;
    let header = &checkpoint.header;
    let root = vault.root_of(&checkpoint);
    let mut text = String::new();
    line(&mut text, &format!("checkpoint {} ({}/{})", checkpoint.id, header.session, header.number));
    line(&mut text, &format!("made       {}", time(header.time_ms)));
    line(&mut text, &format!("why        {}", printable_line(&header.reason)));
    line(&mut text, &format!("folder     {}", shown(&root)));
    match &checkpoint.location {
        Location::Reference(name) => line(&mut text, &format!("kept as    {name}")),
        Location::Folder(folder) => line(&mut text, &format!("kept as    {}", shown(folder))),
    }
    line(&mut text, &format!("holds      {} files, {}", header.files, size(header.bytes)));
    for it in &header.absent {
        line(&mut text, &format!("absent     {}", shown(&it.0)));
    }
    for it in &header.skipped {
        line(&mut text, &format!("not kept   {}: {}", shown(&it.path.0), it.reason));
    }
    text.push('\n');
    let mut rows: Vec<[String; 3]> = files
        .iter()
        .map(|it| [format!("{}{:03o}", letter(it.kind), it.mode), size(it.bytes), shown(&it.path)])
        .collect();
    rows.extend(header.empty_folders.iter().map(|it| ["d".to_owned(), "-".to_owned(), shown(&it.0)]));
    text.push_str(&table(&rows));
    let mut json = described(&checkpoint);
    json["entries"] = files.iter().map(entry).collect();
    Ok(Report { text, json, exit: Exit::Ok })
}

fn diff(vault: &Vault<'_>, id: &str, paths: &[PathBuf]) -> Result<Report, Error> {
    let checkpoint = vault.find(id)?;
    held(vault, &checkpoint, paths)?;
    let differences = vault.differences(&checkpoint, paths)?;
    let root = vault.root_of(&checkpoint);
    let mut text = String::new();
    for it in &differences {
        line(&mut text, &format!("{:<8} {}", word(it.kind), shown(relative(&it.path, &root))));
        if let (DifferenceKind::Content, Some(saved)) = (it.kind, &it.saved) {
            text.push_str(&lines_changed(vault, &checkpoint, saved, &it.path)?);
        }
    }
    let exit = if differences.is_empty() { Exit::Ok } else { Exit::Finding };
    if differences.is_empty() {
        line(&mut text, "no differences");
    }
    let json =
        json!({ "id": checkpoint.id, "differences": differences.iter().map(difference).collect::<Vec<_>>() });
    Ok(Report { text, json, exit })
}

fn restore(vault: &Vault<'_>, id: &str, paths: &[PathBuf], dry_run: bool) -> Result<Report, Error> {
    let checkpoint = vault.find(id)?;
    held(vault, &checkpoint, paths)?;
    let root = vault.root_of(&checkpoint);
    if dry_run {
        let differences = vault.differences(&checkpoint, paths)?;
        let writes: Vec<&Difference> =
            differences.iter().filter(|it| it.kind != DifferenceKind::Appeared).collect();
        let mut text = String::new();
        for it in &writes {
            line(
                &mut text,
                &format!("would restore {} ({})", shown(relative(&it.path, &root)), word(it.kind)),
            );
        }
        if writes.is_empty() {
            line(&mut text, "nothing differs");
        }
        let json = json!({
            "id": checkpoint.id,
            "dry_run": true,
            "would_write": writes.into_iter().map(difference).collect::<Vec<_>>(),
        });
        return Ok(Report { text, json, exit: Exit::Ok });
    }
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let Restored { before, written, appeared, conflicts } = vault.restore(&checkpoint, paths, now_ms)?;
    let mut text = String::new();
    for path in &written {
        line(&mut text, &format!("restored {}", shown(relative(path, &root))));
    }
    if written.is_empty() && conflicts.is_empty() {
        line(&mut text, "nothing differs");
    }
    if let Some(before) = &before {
        line(&mut text, &format!("what was there before is checkpoint {before}"));
    }
    for path in appeared.iter().take(APPEARED_SHOWN_MAX) {
        line(&mut text, &format!("new since then, left alone: {}", shown(relative(path, &root))));
    }
    if APPEARED_SHOWN_MAX < appeared.len() {
        line(&mut text, &format!("… and {} more new ones", appeared.len() - APPEARED_SHOWN_MAX));
    }
    for (path, why) in &conflicts {
        line(&mut text, &format!("not restored: {}: {why}", shown(relative(path, &root))));
    }
    let json = json!({
        "id": checkpoint.id,
        "before": before,
        "written": written.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>(),
        "appeared": appeared.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>(),
        "conflicts": conflicts
            .iter()
            .map(|(path, why)| json!({ "path": path.to_string_lossy(), "reason": why }))
            .collect::<Vec<_>>(),
    });
    Ok(Report { text, json, exit: if conflicts.is_empty() { Exit::Ok } else { Exit::Finding } })
}

fn prune(vault: &Vault<'_>, days: u32, size_max_mib: u32, dry_run: bool) -> Result<Report, Error> {
    let keep =
        Keep { age_ms_max: i64::from(days) * 24 * 60 * 60 * 1000, bytes_max: u64::from(size_max_mib) << 20 };
    let pruned = vault.prune(&keep, jiff::Timestamp::now().as_millisecond(), dry_run)?;
    let mut text = String::new();
    let verb = if dry_run { "would remove" } else { "removed" };
    for id in &pruned.removed {
        line(&mut text, &format!("{verb} {id}"));
    }
    let (removed, kept) = (pruned.removed.len(), pruned.kept);
    line(&mut text, &format!("{verb} {removed} ({}), kept {kept}", size(pruned.bytes)));
    let json = json!({
        "dry_run": dry_run, "removed": pruned.removed, "bytes": pruned.bytes, "kept": kept,
    });
    Ok(Report { text, json, exit: Exit::Ok })
}

/// A path of the command line with links above it resolved, as checkpoints hold them.
fn real(cwd: &Path, path: &Path) -> PathBuf {
    let path = lexical::absolute(cwd, path);
    let mut rest = Vec::new();
    for folder in path.ancestors() {
        // The path itself may be a link that was kept as one.
        if folder != path
            && let Ok(folder) = std::fs::canonicalize(folder)
        {
            return rest.iter().rev().fold(folder, |folder, name| folder.join(name));
        }
        rest.extend(folder.file_name());
    }
    path
}

/// A path that the checkpoint knows nothing of is a typing error, not "nothing to do".
fn held(vault: &Vault<'_>, checkpoint: &Checkpoint, paths: &[PathBuf]) -> Result<(), Error> {
    if paths.is_empty() {
        return Ok(());
    }
    let root = vault.root_of(checkpoint);
    let header = &checkpoint.header;
    let files = vault.files(checkpoint)?;
    let known: Vec<PathBuf> = (files.iter().map(|it| &it.path))
        .chain(header.empty_folders.iter().chain(&header.absent).chain(&header.paths).map(|it| &it.0))
        .map(|it| root.join(it))
        .collect();
    for path in paths {
        if !known.iter().any(|it| it.starts_with(path)) {
            return Err(Error::NotHeld { id: checkpoint.id.clone(), path: path.clone() });
        }
    }
    Ok(())
}

fn lines_changed(
    vault: &Vault<'_>,
    checkpoint: &Checkpoint,
    saved: &Saved,
    path: &Path,
) -> Result<String, Error> {
    let small = path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= DIFF_BYTES_MAX);
    if saved.kind != Kind::File || !small {
        return Ok(String::new());
    }
    let then = vault.content(checkpoint, saved, DIFF_BYTES_MAX)?.and_then(|it| String::from_utf8(it).ok());
    let now = std::fs::read(path).ok().and_then(|it| String::from_utf8(it).ok());
    Ok(match (then, now) {
        (Some(then), Some(now)) => {
            let diff = similar::TextDiff::from_lines(&then, &now);
            let name = shown(&saved.path);
            diff.unified_diff().header(&format!("{name} (checkpoint)"), &format!("{name} (now)")).to_string()
        }
        _ => String::new(),
    })
}

fn described(checkpoint: &Checkpoint) -> Value {
    let mut json = serde_json::to_value(&checkpoint.header).unwrap_or_default();
    json["id"] = json!(checkpoint.id);
    match &checkpoint.location {
        Location::Reference(name) => json["reference"] = json!(name),
        Location::Folder(folder) => json["folder"] = json!(folder.to_string_lossy()),
    }
    json
}

fn entry(saved: &Saved) -> Value {
    json!({
        "path": saved.path.to_string_lossy(),
        "kind": saved.kind,
        "mode": format!("{:03o}", saved.mode),
        "bytes": saved.bytes,
    })
}

fn difference(it: &Difference) -> Value {
    json!({ "path": it.path.to_string_lossy(), "kind": word(it.kind) })
}

fn word(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Missing | DifferenceKind::MissingFolder => "gone",
        DifferenceKind::Content => "changed",
        DifferenceKind::Mode => "mode",
        DifferenceKind::Type => "replaced",
        DifferenceKind::Appeared => "new",
    }
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::File => '-',
        Kind::Link => 'l',
    }
}

fn relative<'a>(path: &'a Path, root: &Path) -> &'a Path {
    path.strip_prefix(root).unwrap_or(path)
}

/// A path for a terminal: control characters in a name are written out, not obeyed.
fn shown(path: &Path) -> String {
    printable_line(&path.to_string_lossy())
}

fn time(time_ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(time_ms) {
        Ok(time) => {
            time.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        Err(_) => "?".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    let (mut whole, mut tenth, mut unit) = (bytes, 0, "B");
    for next in ["KiB", "MiB", "GiB"] {
        if whole < 1024 {
            break;
        }
        (whole, tenth, unit) = (whole / 1024, whole % 1024 * 10 / 1024, next);
    }
    if unit == "B" { format!("{whole} B") } else { format!("{whole}.{tenth} {unit}") }
}

fn line(text: &mut String, line: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Columns aligned by their longest cell; the last one is not padded.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| if at + 1 < N { format!("{cell:<width$}") } else { cell.clone() })
            .collect();
        line(&mut text, cells.join("  ").trim_end());
    }
    text
}
