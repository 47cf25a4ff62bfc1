//! `hostler rag`: the index of a project, and searches in it.

mod bar;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use hostler_ledger::redact::printable;
use serde_json::json;

use self::bar::Bar;
use crate::exit::Exit;
use crate::output;
use crate::rag::{self, Error, Hit, Indexed, Options, Place, Request, Status, Told};

/// Hits that are shown where nobody says how many.
const HITS: i64 = 8;

/// Index a project, and find the right place in it by words and by meaning
///
/// Without a further word it offers its four tools to a client over the Model Context Protocol, on stdin and stdout.
/// The index is one file for each work tree, in the data folder; `RAG_DB` names another.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Bring the index up to date: what changed is read, what is gone goes
    Index(IndexArgs),
    /// Find the places that fit a question, names, or a phrase in quotes
    Search(SearchArgs),
    /// Show what the index holds, and how far it is behind the files
    Status,
    /// Print one chunk by the number that a search gave
    Get {
        /// Number of the chunk
        #[arg(value_name = "ID", allow_negative_numbers = true)]
        id: i64,
    },
    /// Keep the index up to date until it is ended
    Watch {
        /// Folder to index [default: the one of the last run, else the project]
        root: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
struct IndexArgs {
    /// Folder to index [default: the one of the last run, else the project]
    root: Option<PathBuf>,
    /// Hash every file instead of trusting size and time
    #[arg(long)]
    rehash: bool,
    /// Move the index that is there aside, and begin anew
    #[arg(long)]
    rebuild: bool,
}

#[derive(Debug, clap::Args)]
struct SearchArgs {
    /// What to look for; a phrase in double quotes is looked for as it stands
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// How many hits
    #[arg(long, default_value_t = HITS, value_name = "N", allow_negative_numbers = true)]
    k: i64,
    /// Only files whose path fits, such as `docs/**/*.md`: `*` within a folder, `**` across, `?` one character
    #[arg(long, value_name = "PATTERN")]
    glob: Option<String>,
    /// Show what each score is made of
    #[arg(long)]
    explain: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let Some(command) = &args.command else { return super::mcp::serve_rag() };
    let result = match command {
        Command::Index(args) => index(args, json),
        Command::Search(args) => search(args, json),
        Command::Status => status(json),
        Command::Get { id } => get(*id, json),
        Command::Watch { root } => watch(root.as_deref(), json),
    };
    result.or_else(|error| match error.downcast_ref::<Error>() {
        Some(Error::Usage(_)) => {
            output::human::fail(&error, json);
            Ok(Exit::Usage)
        }
        _ => Err(error),
    })
}

fn directory() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("there is no current folder; go to your project")
}

/// The place of the current folder, or of `root`.
fn place(root: Option<&std::path::Path>) -> anyhow::Result<Place> {
    let directory = directory()?;
    let place = match root {
        Some(root) => Place::of_root(&directory, root)?,
        None => Place::of(&directory)?,
    };
    let told = place.config.faults.iter().chain(&place.config.warnings);
    told.filter(|it| it.contains("`rag")).for_each(|it| say(it));
    Ok(place)
}

/// Tells something on stderr.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "hostler: {}", printable(text));
}

fn index(args: &IndexArgs, json: bool) -> anyhow::Result<Exit> {
    let place = place(args.root.as_deref())?;
    let embedder = rag::configured(&place.config.rag)?;
    let bar = Bar::new();
    let options = Options { root: args.root.as_deref(), rehash: args.rehash, rebuild: args.rebuild };
    let result = rag::index(&place, options, embedder.as_ref(), &mut |it| bar.show(it), &|| false);
    bar.finish();
    let indexed = result?;
    indexed.notes.iter().for_each(|it| say(it));
    if json {
        output::json::print(&serde_json::to_value(&indexed)?)?;
    } else {
        print_indexed(&indexed)?;
    }
    Ok(Exit::Ok)
}

fn print_indexed(indexed: &Indexed) -> anyhow::Result<()> {
    let mut out = output::human::stdout();
    writeln!(out, "{}", indexed.line())?;
    writeln!(out, "root: {}", indexed.root.display())?;
    let passed = [
        (indexed.skipped_size, "over 512 KB"),
        (indexed.skipped_secret, "with secrets by their names"),
        (indexed.skipped_ignored, "ignored"),
        (indexed.skipped_folders, "folders of tools and builds"),
        (indexed.skipped_links, "links"),
        (indexed.skipped_unreadable, "not readable"),
    ];
    let passed: Vec<String> = passed
        .iter()
        .filter(|(count, _)| *count != 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !passed.is_empty() {
        writeln!(out, "also passed over: {}", passed.join(", "))?;
    }
    if indexed.renamed != 0 {
        writeln!(out, "known under another path before: {}", indexed.renamed)?;
    }
    Ok(())
}

fn search(args: &SearchArgs, json: bool) -> anyhow::Result<Exit> {
    let place = place(None)?;
    let embedder = rag::configured(&place.config.rag)?;
    let query = args.query.join(" ");
    let request =
        Request { query: &query, k: Some(args.k), glob: args.glob.as_deref(), explain: args.explain };
    let answer = rag::search(&place, embedder.as_ref(), &request)?;
    answer.notes.iter().for_each(|it| say(it));
    if json {
        output::json::print(&json!({ "hits": answer.hits, "notes": answer.notes }))?;
        return Ok(Exit::Ok);
    }
    let mut out = output::human::stdout();
    if answer.hits.is_empty() {
        writeln!(out, "no hits")?;
    }
    for (hit, number) in answer.hits.iter().zip(1..) {
        print_hit(&mut out, number, hit)?;
    }
    Ok(Exit::Ok)
}

fn print_hit(out: &mut impl Write, number: usize, hit: &Hit) -> std::io::Result<()> {
    let heading = if hit.heading.is_empty() { String::new() } else { format!(" {}", hit.heading) };
    writeln!(out, "{number}. {}:{}-{} ({:.4}){heading}", hit.path, hit.start_line, hit.end_line, hit.score)?;
    writeln!(out, "   {}", hit.snippet)?;
    for part in &hit.parts {
        writeln!(out, "   {part}")?;
    }
    Ok(())
}

fn status(json: bool) -> anyhow::Result<Exit> {
    let place = place(None)?;
    let status = rag::status(&place, &|| false)?;
    if json {
        output::json::print(&serde_json::to_value(&status)?)?;
    } else {
        status.notes.iter().for_each(|it| say(it));
        print_status(&status)?;
    }
    Ok(Exit::Ok)
}

fn print_status(status: &Status) -> anyhow::Result<()> {
    let mut out = output::human::stdout();
    writeln!(out, "db: {}", status.db.display())?;
    writeln!(out, "root: {}", status.root.display())?;
    writeln!(out, "files: {}", status.files)?;
    writeln!(out, "chunks: {}", status.chunks)?;
    writeln!(out, "last_index_at: {}", status.last_index_at.as_deref().unwrap_or("never"))?;
    let note = if status.stale_note.is_empty() { String::new() } else { format!(" ({})", status.stale_note) };
    writeln!(out, "stale_files: {}{note}", status.stale_files)?;
    if status.stale_files != 0 {
        writeln!(
            out,
            "stale: {} new, {} changed, {} gone",
            status.new_files, status.changed_files, status.gone_files
        )?;
    }
    for (name, count) in [
        ("skipped_ext", status.skipped_ext),
        ("skipped_name", status.skipped_name),
        ("skipped_secret", status.skipped_secret),
        ("skipped_binary", status.skipped_binary),
        ("skipped_size", status.skipped_size),
        ("skipped_ignored", status.skipped_ignored),
        ("skipped_folders", status.skipped_folders),
        ("skipped_links", status.skipped_links),
        ("skipped_unreadable", status.skipped_unreadable),
    ] {
        writeln!(out, "{name}: {count}")?;
    }
    writeln!(out, "embedding_mode: {}", status.embedding_mode)?;
    writeln!(out, "dims: {}", status.dims.map_or_else(|| "n/a".to_owned(), |it| it.to_string()))?;
    writeln!(out, "vectors: {}", status.vectors)?;
    writeln!(out, "db_bytes: {}", status.db_bytes)?;
    Ok(())
}

fn get(id: i64, json: bool) -> anyhow::Result<Exit> {
    let chunk = rag::get(&place(None)?, id)?;
    if json {
        output::json::print(&json!({
            "id": chunk.id,
            "path": chunk.path,
            "ordinal": chunk.ordinal,
            "heading": chunk.heading,
            "start_line": chunk.start_line,
            "end_line": chunk.end_line,
            "text": chunk.text,
        }))?;
        return Ok(Exit::Ok);
    }
    let heading =
        if chunk.heading.is_empty() { String::new() } else { format!(" heading: {}", chunk.heading) };
    let mut out = output::human::stdout();
    writeln!(out, "chunk {}: {}:{}-{}{heading}", chunk.id, chunk.path, chunk.start_line, chunk.end_line)?;
    writeln!(out, "{}", chunk.text)?;
    Ok(Exit::Ok)
}

fn watch(root: Option<&std::path::Path>, json: bool) -> anyhow::Result<Exit> {
    let place = place(root)?;
    let embedder = rag::configured(&place.config.rag)?;
    let mut failed = None;
    let mut tell = |told: Told<'_>| {
        let written = match told {
            Told::Indexed(indexed) if json => {
                serde_json::to_value(indexed).map_err(Into::into).and_then(|it| output::json::print(&it))
            }
            Told::Indexed(indexed) => {
                indexed.notes.iter().for_each(|it| say(it));
                print_indexed(indexed)
            }
            Told::Waiting(folders) => {
                say(&format!("watching {folders} folders; end it with Ctrl-C"));
                Ok(())
            }
            Told::Failed(error) => {
                say(&format!("{error}; tried again when something changes"));
                Ok(())
            }
            Told::Note(note) => {
                say(&note);
                Ok(())
            }
        };
        failed = failed.take().or(written.err());
    };
    rag::watch(&place, root, embedder.as_ref(), &mut tell, &|| false)?;
    failed.map_or(Ok(Exit::Ok), Err)
}
