//! The one writer: a line is one write, and lines of several threads never mix.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use hostler_host::opencode::write::Answer;

/// Where answers go.
pub(super) struct Out(Mutex<Box<dyn Write + Send>>);

impl Out {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Mutex::new(out))
    }

    /// Writes one line.
    pub(super) fn write(&self, answer: &Answer) {
        let mut line = answer.line();
        line.push('\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A host that closed the pipe reads no answer at all; the end of stdin comes next.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}
