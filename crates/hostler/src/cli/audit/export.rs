//! `hostler audit export`.

mod in_toto;
mod otlp;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_ledger::journal;

use super::{Broken, is_unknown, project_state, sessions};
use crate::dirs::Dirs;
use crate::exit::Exit;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only sessions whose name begins with this
    #[arg(long)]
    session: Option<String>,
    /// What is written
    #[arg(long, value_enum)]
    format: Format,
    /// Where to; an existing file is replaced once everything is written, a link is refused. By default standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// The records as they are, one JSON object a line
    Jsonl,
    /// OpenTelemetry traces (OTLP/JSON), one line a session: turns and tool calls as spans, findings as events
    Otlp,
    /// In-toto statements in signed DSSE envelopes, one line a session
    InToto,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    if is_unknown(args.session.as_deref())? {
        return Ok(Exit::Usage);
    }
    let broken = Broken::of(args.session.as_deref())?;
    let sessions = sessions(args.session.as_deref())?;
    if sessions.is_empty() {
        writeln!(
            std::io::stderr(),
            "error: nothing that can be read was recorded; `hostler audit verify` lists the journals"
        )?;
        return broken.tell(Exit::Usage);
    }
    let state = project_state()?;
    let write = |out: &mut dyn Write| -> anyhow::Result<()> {
        let signer = match args.format {
            Format::InToto => Some(in_toto::Signer::open()?),
            _ => None,
        };
        for (session, files) in &sessions {
            match (args.format, &signer) {
                (Format::Otlp, _) => otlp::write(session, files, &state, out)?,
                (Format::InToto, Some(signer)) => in_toto::write(session, files, &state, signer, out)?,
                _ => records(files, out)?,
            }
        }
        Ok(())
    };
    if let Some(path) = &args.out {
        to_file(path, write)?;
    } else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        write(&mut out)?;
        out.flush()?;
    }
    broken.tell(Exit::Ok)
}

fn records(files: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<()> {
    for path in files {
        let mut reader = journal::read(path)?;
        while reader.next().is_some() {
            out.write_all(reader.line())?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// Replaces `path` when everything is written; what is no regular file (a pipe, a device) is written to directly.
fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        let mut out = File::options().write(true).open(path).with_context(failed)?;
        return write(&mut out);
    }
    let path = Dirs::from_env()?.output_path(path)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut temporary = tempfile::Builder::new()
        .prefix(hostler_ledger::file::LEFTOVER_PREFIX)
        .suffix(hostler_ledger::file::LEFTOVER_SUFFIX)
        .tempfile_in(folder)
        .with_context(failed)?;
    let mut out = BufWriter::new(temporary.as_file_mut());
    write(&mut out)?;
    out.flush().with_context(failed)?;
    drop(out);
    temporary.as_file().sync_all().with_context(failed)?;
    temporary.persist(&path).with_context(failed)?;
    Ok(())
}
