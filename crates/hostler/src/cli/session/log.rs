//! `hostler session log-work`, `log-achievement` and `log-choice`.

use serde_json::json;

use super::{DryRun, Here, Report, done, text};
use crate::output::panel::Panel;
use crate::session::effect;

/// Add to the work log of the active session
#[derive(Debug, clap::Args)]
pub(super) struct WorkArgs {
    /// What was done
    #[arg(long, value_parser = text, allow_hyphen_values = true, value_name = "TEXT")]
    desc: String,
    /// In detail (several, or repeated)
    #[arg(long, value_parser = text, num_args = 1.., value_name = "TEXT")]
    details: Vec<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Add to what the active session reached
#[derive(Debug, clap::Args)]
pub(super) struct AchievementArgs {
    /// What was reached (several, or repeated)
    #[arg(long, required = true, value_parser = text, num_args = 1.., value_name = "TEXT")]
    item: Vec<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Record a decision and its reason in the active session
#[derive(Debug, clap::Args)]
pub(super) struct ChoiceArgs {
    /// What was decided
    #[arg(long, value_parser = text, allow_hyphen_values = true, value_name = "TEXT")]
    choice: String,
    /// Why
    #[arg(long, value_parser = text, allow_hyphen_values = true, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn work(args: &WorkArgs, here: &Here) -> anyhow::Result<Report> {
    let now = effect::now();
    let applied = here
        .sessions()?
        .apply(args.dry_run.dry_run, |context| effect::log_work(context, &args.desc, &args.details, &now))?;
    let seq = applied.value;
    let entry = applied.context.by_number(seq).and_then(|(_, it)| it.work_log.last().cloned());
    let entry = entry.unwrap_or_default();
    let mut panel = logged(args.dry_run, seq, "work");
    panel.line(&entry.desc);
    for detail in &entry.details {
        panel.item("- ", detail);
    }
    let json = json!({ "session": seq, "desc": entry.desc, "details": entry.details });
    Ok(Report::changed("log-work", args.dry_run, &applied, panel, json))
}

pub(super) fn achievement(args: &AchievementArgs, here: &Here) -> anyhow::Result<Report> {
    let now = effect::now();
    let applied = here
        .sessions()?
        .apply(args.dry_run.dry_run, |context| effect::log_achievement(context, &args.item, &now))?;
    let seq = applied.value;
    let mut panel = logged(args.dry_run, seq, "achievement");
    let items: Vec<String> = args.item.iter().map(|it| effect::clean(it)).collect();
    for item in &items {
        panel.item("- ", item);
    }
    let json = json!({ "session": seq, "items": items });
    Ok(Report::changed("log-achievement", args.dry_run, &applied, panel, json))
}

pub(super) fn choice(args: &ChoiceArgs, here: &Here) -> anyhow::Result<Report> {
    let now = effect::now();
    let applied = here.sessions()?.apply(args.dry_run.dry_run, |context| {
        effect::log_choice(context, &args.choice, &args.reason, &now)
    })?;
    let seq = applied.value;
    let choice = applied.context.by_number(seq).and_then(|(_, it)| it.choices.last().cloned());
    let choice = choice.unwrap_or_default();
    let mut panel = logged(args.dry_run, seq, "choice");
    panel.line(&choice.choice).line(format!("Reason: {}", choice.reason));
    let json = json!({ "session": seq, "choice": choice.choice, "reason": choice.reason });
    Ok(Report::changed("log-choice", args.dry_run, &applied, panel, json))
}

fn logged(dry_run: DryRun, seq: u64, what: &str) -> Panel {
    Panel::new(format!(
        "Session #{seq} | {}",
        done(dry_run, &format!("{what} logged"), &format!("log {what}"))
    ))
}
