//! `hostler session add-work` and `complete-work`.

use serde_json::json;

use super::{DryRun, Here, Report, done, text};
use crate::output::panel::Panel;
use crate::session::effect::{self, Added, Became, PRIORITIES};

/// Add something that is left to do
///
/// It gets the next free id, `DW-001`. What is open under the same text already is not added again; it gets the
/// priority and the notes that are said.
#[derive(Debug, clap::Args)]
pub(super) struct AddArgs {
    /// What is to be done
    #[arg(long, value_parser = text, allow_hyphen_values = true)]
    text: String,
    /// How urgent: P0 to P3, or critical, high, medium, low [default: P2]
    #[arg(long, value_parser = priority)]
    priority: Option<String>,
    /// What else is to be known
    #[arg(long, value_parser = text, allow_hyphen_values = true, value_name = "TEXT")]
    notes: Option<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

/// Mark something that was left to do as done
#[derive(Debug, clap::Args)]
#[group(id = "which", required = true, multiple = false, args = ["work", "id", "text"])]
pub(super) struct CompleteArgs {
    /// Its id, its text, or a part of the text that no other open item has
    #[arg(value_parser = text)]
    work: Option<String>,
    /// Its id
    #[arg(long, value_parser = text)]
    id: Option<String>,
    /// Its text, or a part that no other open item has
    #[arg(long, value_parser = text, allow_hyphen_values = true)]
    text: Option<String>,
    #[command(flatten)]
    dry_run: DryRun,
}

pub(super) fn add(args: &AddArgs, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let applied = sessions.apply(args.dry_run.dry_run, |context| {
        Ok(effect::add_work(context, &args.text, args.priority.as_deref(), args.notes.as_deref()))
    })?;
    let Added { item, became } = &applied.value;
    let work =
        applied.context.work().iter().find(|it| it.id == item.id && it.description == item.description);
    let work = work.cloned().unwrap_or_default();
    let id = &item.id;
    let state = match became {
        Became::New => done(args.dry_run, &format!("added {id}"), &format!("add {id}")),
        Became::Known { priority: None, noted: false } => format!("{id} is open already"),
        Became::Known { priority, noted } => {
            let was = priority.as_ref().map(|it| format!("priority was {}", it.as_str()));
            let noted = noted.then(|| "notes added".to_owned());
            let what = was.into_iter().chain(noted).collect::<Vec<_>>().join(", ");
            done(args.dry_run, &format!("changed {id} ({what})"), &format!("change {id} ({what})"))
        }
    };
    let mut panel = Panel::new(format!("{state} | {}", work.priority.as_str()));
    panel.line(&item.description);
    if let Some(notes) = &work.notes {
        panel.line(notes);
    }
    let json = json!({ "work": crate::session::describe::work(&work), "added": *became == Became::New });
    Ok(Report::changed("add-work", args.dry_run, &applied, panel, json).with("changed", item.changed))
}

pub(super) fn complete(args: &CompleteArgs, here: &Here) -> anyhow::Result<Report> {
    let sessions = here.sessions()?;
    let query = [&args.work, &args.id, &args.text].into_iter().find_map(Option::as_deref).unwrap_or_default();
    let now = effect::now();
    let applied =
        sessions.apply(args.dry_run.dry_run, |context| effect::complete_work(context, query, &now))?;
    let item = &applied.value;
    let mut panel = Panel::new(if item.changed {
        done(args.dry_run, &format!("completed {}", item.id), &format!("complete {}", item.id))
    } else {
        format!("{} is completed already", item.id)
    });
    panel.line(&item.description);
    let json = json!({ "id": item.id, "description": item.description, "completed": item.changed });
    Ok(Report::changed("complete-work", args.dry_run, &applied, panel, json).with("changed", item.changed))
}

fn priority(value: &str) -> Result<String, String> {
    let known = PRIORITIES.iter().find(|it| it.eq_ignore_ascii_case(value.trim()));
    known.map(|it| (*it).to_owned()).ok_or_else(|| format!("it is none of {}", PRIORITIES.join(", ")))
}
