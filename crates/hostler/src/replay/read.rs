//! The files of one session -> its summary.

use std::fs::File;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use hostler_host::claude::transcript;
use hostler_host::opencode::export;
use hostler_host::transcript::Line;
use hostler_model::Host;

use super::assemble::{Assembler, File as Part};
use super::evidence::Extractor;
use super::find::{Form, HEAD_BYTES, Job, form};
use super::lines::{Lines, Next};
use super::run::Progress;
use super::summary::{SessionSummary, Source};
use super::{Options, journal};

/// Longest line that is read; images are far shorter.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A session, and the files of it that could not be read, or not as they were written, with the reasons.
pub(super) struct Outcome {
    pub(super) summary: Option<SessionSummary>,
    pub(super) problems: Vec<String>,
    /// Files that were read.
    pub(super) files: u64,
}

/// What is the same for all sessions.
pub(super) struct Reader<'o> {
    pub(super) options: &'o Options,
    pub(super) extractor: &'o Extractor,
    pub(super) progress: &'o dyn Progress,
}

impl Reader<'_> {
    /// Reads one session.
    pub(super) fn read(&self, job: &Job) -> Outcome {
        let mut outcome = Outcome { summary: None, problems: Vec::new(), files: 0 };
        let summary = match job {
            Job::Stdin => self.stdin().context("standard input"),
            Job::Export(path) => {
                open(path).map(|file| self.export(file)).with_context(|| path.display().to_string())
            }
            Job::Journals(paths) => {
                outcome.problems.extend(journal::broken(paths));
                let summary = journal::read(paths, self.options);
                if let Ok(summary) = &summary {
                    self.progress.read(summary.lines.bytes);
                }
                summary.with_context(|| job.name().display().to_string())
            }
            Job::Transcript { main, agents } => Ok(self.transcripts(main.as_deref(), agents, &mut outcome)),
        };
        match summary {
            Ok(mut summary) => {
                summary.file = job.name().display().to_string();
                if summary.lines.total != 0 {
                    outcome.files += u64::from(!matches!(job, Job::Transcript { .. }));
                    outcome.summary = Some(summary);
                }
            }
            Err(error) => outcome.problems.push(format!("{error:#}")),
        }
        outcome
    }

    fn transcripts(&self, main: Option<&Path>, agents: &[PathBuf], outcome: &mut Outcome) -> SessionSummary {
        let mut assembler = self.assembler(Host::ClaudeCode, Source::Transcript);
        let mut take = |result: anyhow::Result<()>, path: &Path| match result {
            Ok(()) => outcome.files += 1,
            Err(error) => outcome.problems.push(format!("{}: {error:#}", path.display())),
        };
        for path in agents {
            let stem = path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
            let id = stem.strip_prefix("agent-").unwrap_or(&stem);
            let result = open(path).and_then(|file| self.lines(file, &mut assembler, Part::Subagent(id)));
            take(result, path);
            assembler.end_of_subagent(id);
        }
        assembler.end_of_subagents();
        if let Some(path) = main {
            let result = open(path).and_then(|file| self.lines(file, &mut assembler, Part::Session));
            take(result, path);
        }
        let mut summary = assembler.finish();
        // A session that was resumed or copied holds the other's name, too.
        let stem = main.and_then(Path::file_stem).map(|it| it.to_string_lossy().into_owned());
        if let Some(stem) = stem.filter(|stem| is_uuid(stem) || summary.id.is_empty()) {
            summary.id = stem;
        }
        summary
    }

    fn assembler(&self, host: Host, source: Source) -> Assembler<'_> {
        Assembler::new(self.options, self.extractor, host.name(), source)
    }

    fn lines(&self, file: impl Read, assembler: &mut Assembler<'_>, part: Part<'_>) -> anyhow::Result<()> {
        let mut lines = Lines::new(file, LINE_BYTES_MAX);
        let (mut number, mut told) = (0, 0);
        loop {
            let before = lines.bytes;
            let next = lines.next().context("it cannot be read to its end")?;
            number += 1;
            assembler.at_line(number);
            match next {
                Next::End => break,
                Next::TooLong => {
                    assembler.lines().total += 1;
                    assembler.lines().too_long += 1;
                    assembler.damaged(part);
                }
                Next::Line { text, .. } if text.iter().all(u8::is_ascii_whitespace) => {}
                Next::Line { text, ended } => line(text, ended, assembler, part),
            }
            assembler.lines().bytes += lines.bytes - before;
            if PROGRESS_BYTES <= lines.bytes - told {
                self.progress.read(lines.bytes - told);
                told = lines.bytes;
            }
        }
        self.progress.read(lines.bytes - told);
        Ok(())
    }

    fn export(&self, file: impl Read) -> SessionSummary {
        let mut assembler = self.assembler(Host::OpenCode, Source::Export);
        let mut counted = Counted { inner: file, bytes: 0, progress: self.progress };
        let mut entries = 0;
        let result = export::read(std::io::BufReader::new(&mut counted), &mut |entry| {
            entries += 1;
            assembler.entry(entry, Part::Session);
        });
        let lines = assembler.lines();
        lines.bytes = counted.bytes;
        lines.total = entries;
        if let Err(error) = result {
            lines.total += 1;
            if error.is_end() {
                lines.cut_at_end += 1;
            } else {
                lines.unreadable += 1;
            }
            assembler.damaged(Part::Session);
        }
        assembler.finish()
    }

    /// What comes on standard input is whatever its beginning tells.
    fn stdin(&self) -> anyhow::Result<SessionSummary> {
        let mut stdin = std::io::stdin().lock();
        let mut head = Vec::new();
        stdin.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let form = form(&head);
        let mut all = Cursor::new(head).chain(stdin);
        match form {
            Form::Empty => Ok(SessionSummary::default()),
            Form::Export => Ok(self.export(all)),
            Form::Journal => {
                // Journals are read by their own crate, from a file.
                let mut file = tempfile::NamedTempFile::new().context("a temporary file cannot be made")?;
                std::io::copy(&mut all, &mut file)?;
                file.flush()?;
                journal::read(&[file.path().to_path_buf()], self.options)
            }
            Form::Transcript => {
                let mut assembler = self.assembler(Host::ClaudeCode, Source::Transcript);
                self.lines(all, &mut assembler, Part::Session)?;
                Ok(assembler.finish())
            }
            Form::Unknown => {
                anyhow::bail!("neither a transcript, nor an export of a session, nor a journal")
            }
        }
    }
}

const PROGRESS_BYTES: u64 = 1024 * 1024;

fn line(text: &[u8], ended: bool, assembler: &mut Assembler<'_>, part: Part<'_>) {
    assembler.lines().total += 1;
    match transcript::line(text) {
        Line::PassedOver => assembler.lines().passed_over += 1,
        Line::Entry(entry) => assembler.entry(*entry, part),
        Line::Damaged(saved) => {
            if ended {
                assembler.lines().unreadable += 1;
            } else {
                assembler.lines().cut_at_end += 1;
            }
            for entry in saved {
                assembler.entry(entry, part);
            }
            assembler.damaged(part);
        }
    }
}

fn open(path: &Path) -> anyhow::Result<File> {
    File::open(path).context("it cannot be opened")
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Counts what is read.
struct Counted<'p, R> {
    inner: R,
    bytes: u64,
    progress: &'p dyn Progress,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes += count as u64;
        self.progress.read(count as u64);
        Ok(count)
    }
}
