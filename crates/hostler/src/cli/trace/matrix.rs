//! `hostler trace matrix`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hostler_ledger::file::{Access, Snapshot};
use hostler_trace::output::{csv, html, json, markdown, reqif, sarif};

use super::summary;
use crate::exit::Exit;
use crate::output;
use crate::trace::Trace;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Write it to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the Markdown page that `trace.toml` names (`plans/rtm.md` where it names none)
    #[arg(long, conflicts_with_all = ["output", "format"])]
    write: bool,
    /// Check that this page is current: exit code 1 where it is not
    #[arg(long, conflicts_with_all = ["output", "format", "write"])]
    check: bool,
    /// Leave the texts of requirements out
    #[arg(long)]
    no_texts: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables for people, to be kept in the project
    Markdown,
    /// Everything, for programs
    Json,
    /// One line for each requirement
    Csv,
    /// SARIF 2.1.0, for viewers and code scanning
    Sarif,
    /// One page that needs nothing else
    Html,
    /// `ReqIF` 1.2, for requirements tools
    Reqif,
}

pub(super) fn run(args: &Args, trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    if args.write || args.check {
        return page(args, trace, json);
    }
    let format = if json { Format::Json } else { args.format };
    let text = text(format, args, trace);
    let Some(path) = args.output.as_deref().filter(|it| *it != Path::new("-")) else {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            writeln!(out)?;
        }
        drop(out);
        summary::notes(&trace.notes)?;
        return Ok(Exit::Ok);
    };
    // What is neither a file nor a folder holds nothing that could be lost: `/dev/stdout`, a pipe.
    if std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
        let mut out = std::fs::File::options().append(true).open(path)?;
        out.write_all(text.as_bytes())?;
        return Ok(Exit::Ok);
    }
    let file = Snapshot::read(path)?;
    if let Some(bytes) = file.bytes().filter(|it| !it.is_empty()) {
        if trace.sources.iter().any(|it| is_same_file(it, file.real_path())) {
            bail!("`{}` is a source of requirements; choose another name", path.display());
        }
        if !is_ours(format, bytes) {
            bail!("`{}` was not made by hostler; remove it first, or choose another name", path.display());
        }
    }
    let written = file.replace(text.as_bytes(), Access::Shared).context("the matrix was not written")?;
    let mut talk = std::io::stderr().lock();
    writeln!(talk, "wrote `{}`: {}", written.real_path().display(), trace.matrix.headline())?;
    drop(talk);
    summary::notes(&trace.notes)?;
    Ok(Exit::Ok)
}

fn is_same_file(source: &Path, real: &Path) -> bool {
    std::fs::canonicalize(source).is_ok_and(|it| it == real)
}

/// What is there looks like what this format is written as: nothing of somebody else's is replaced by accident.
fn is_ours(format: Format, bytes: &[u8]) -> bool {
    let holds = |mark: &str| memchr::memmem::find(bytes, mark.as_bytes()).is_some();
    let begins = |mark: &str| bytes.starts_with(mark.as_bytes());
    let document = |test: fn(&serde_json::Value) -> bool| {
        serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|it| test(&it))
    };
    match format {
        Format::Markdown => holds("Made by `hostler trace matrix`"),
        Format::Html => holds(html::GENERATOR),
        Format::Csv => begins(csv::HEADER),
        Format::Json => document(json::is_ours),
        Format::Sarif => document(sarif::is_ours),
        Format::Reqif => begins("<?xml") && holds(reqif::TOOL),
    }
}

fn text(format: Format, args: &Args, trace: &Trace) -> String {
    let time = super::now();
    let mut options = trace.options(&time);
    options.texts &= !args.no_texts;
    let matrix = &trace.matrix;
    match format {
        Format::Markdown => markdown::text(matrix, &options),
        Format::Json => json::document(matrix, &options).to_string(),
        Format::Csv => csv::text(matrix, &options),
        Format::Sarif => {
            let root = trace
                .root
                .to_str()
                .map(|it| format!("file://{}/", sarif::percent_encoded(it.trim_end_matches('/'))));
            sarif::log(matrix, &options, root.as_deref()).to_string()
        }
        Format::Html => html::page(matrix, &options),
        Format::Reqif => reqif::text(matrix, &options),
    }
}

/// The page that is kept in the project.
fn page(args: &Args, trace: &Trace, json: bool) -> anyhow::Result<Exit> {
    let page = trace.page(!args.no_texts)?;
    if args.write {
        page.write()?;
    }
    let stale = args.check && page.changed;
    let shown = page.file.strip_prefix(&trace.root).unwrap_or(Path::new(&page.file)).display().to_string();
    if json {
        let document = serde_json::json!({
            "file": shown, "changed": page.changed, "written": args.write && page.changed, "headline": page.headline,
        });
        output::json::print(&document)?;
    } else {
        let mut out = output::human::stdout();
        match (args.write, page.changed) {
            (true, true) => writeln!(out, "wrote `{shown}`: {}", page.headline)?,
            (_, false) => writeln!(out, "`{shown}` is current: {}", page.headline)?,
            (false, true) => {
                writeln!(out, "`{shown}` is not current; run `hostler trace matrix --write` and commit it")?;
            }
        }
        drop(out);
        summary::notes(&trace.notes)?;
    }
    Ok(if stale { Exit::Finding } else { Exit::Ok })
}
