//! For people.

use std::io::Write;

use crate::exit::Exit;

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
        let document = serde_json::json!({ "error": format!("{error:#}") });
        let _ = writeln!(std::io::stdout(), "{document}");
    } else {
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
    }
    Exit::Io
}
