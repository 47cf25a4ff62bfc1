//! How far a run is, for somebody who waits for it.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::rag::{Progress, Stage};

/// Work that is done sooner needs no bar.
const SHOWN_AFTER: Duration = Duration::from_millis(500);

fn rate(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    // Nothing can be done about a bar that cannot be drawn.
    let _ = write!(out, "{:.0}/s", state.per_sec());
}

/// A bar on stderr, where that is a terminal.
pub(super) struct Bar {
    bar: Option<ProgressBar>,
    begun: Instant,
}

impl Bar {
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
            let shape = "{msg} {wide_bar} {human_pos}/{human_len} {rate}, {eta} left";
            match ProgressStyle::with_template(shape) {
                Ok(style) => bar.with_style(style.with_key("rate", rate)),
                Err(_) => bar,
            }
        });
        Self { bar, begun: Instant::now() }
    }

    pub(super) fn show(&self, progress: Progress) {
        let Some(bar) = &self.bar else { return };
        if bar.is_hidden() && SHOWN_AFTER <= self.begun.elapsed() {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        let stage = match progress.stage {
            Stage::Read => "files",
            Stage::Embed => "vectors",
        };
        if bar.message() != stage {
            bar.reset();
            bar.set_message(stage);
        }
        if bar.length() != Some(progress.total) {
            bar.set_length(progress.total);
        }
        bar.set_position(progress.done);
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
