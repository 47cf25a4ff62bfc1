//! `hostler notify`: a notice on the desktop.

use std::ffi::OsString;

use serde_json::json;

use crate::exit::Exit;
use crate::notify::{self, Notice};
use crate::output;

/// Shows a notice on the desktop, over D-Bus.
///
/// Where there is no desktop to show it on, nothing happens and the exit code is 0 all the same: a hook or a script may
/// end with it anywhere. `--json` tells whether it was delivered, and why not.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The line above the text
    #[arg(long, default_value = "hostler")]
    title: OsString,
    /// How much it insists; a window in full screen hides all but critical ones
    #[arg(long, value_enum, default_value = "critical")]
    urgency: Urgency,
    /// The text; several words are joined
    #[arg(required = true)]
    text: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Urgency {
    Low,
    Normal,
    Critical,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let words: Vec<_> = args.text.iter().map(|word| word.to_string_lossy()).collect();
    let notice = Notice {
        title: &args.title.to_string_lossy(),
        text: &words.join(" "),
        urgency: match args.urgency {
            Urgency::Low => notify::Urgency::Low,
            Urgency::Normal => notify::Urgency::Normal,
            Urgency::Critical => notify::Urgency::Critical,
        },
    };
    let shown = notify::show(&notice);
    if json {
        output::json::print(&match &shown {
            Ok(id) => json!({ "delivered": true, "id": id }),
            Err(error) => json!({ "delivered": false, "why": error.to_string() }),
        })?;
    }
    Ok(Exit::Ok)
}
