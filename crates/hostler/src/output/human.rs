//! For people.

use std::io::{StdoutLock, Write};

use hostler_ledger::redact::printable;

use crate::exit::Exit;

/// Standard output for text that holds words of others: names, paths and messages cannot move the cursor, change
/// colours or reorder what stands beside them.
pub(crate) fn stdout() -> Plain<StdoutLock<'static>> {
    Plain(std::io::stdout().lock())
}

/// Writes what a terminal may show; see [`printable`]. Takes whole characters with each call, as formatting does.
pub(crate) struct Plain<W>(W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// What went wrong and why, each once: many a message ends with that of its cause already.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.ends_with(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// Tells a failure on stderr (as JSON on stdout with `--json`) and returns the exit code that fits it:
/// a broken pipe is success, everything else [`Exit::Io`].
pub(crate) fn fail(error: &anyhow::Error, json: bool) -> Exit {
    let broken_pipe = error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|it| it.kind() == std::io::ErrorKind::BrokenPipe)
    });
    if broken_pipe {
        return Exit::Ok;
    }
    if json {
        let document = serde_json::json!({ "error": told(error) });
        let _ = writeln!(std::io::stdout(), "{document}");
    } else {
        let _ = writeln!(std::io::stderr(), "error: {}", printable(&told(error)));
    }
    Exit::Io
}
