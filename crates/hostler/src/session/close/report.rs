//! What a close came to: for people, for programs, for the agent's context.

use hostler_ledger::context::Session;
use hostler_model::text::one_line;
use hostler_policy::session::closing::{self, Outcome, Plan, Step, Told};
use serde_json::{Value, json};

use super::Place;
use crate::output::panel::Panel;

/// Achievements that are listed for people and for the agent.
const LISTED_MAX: usize = 10;

/// How it came to a close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Begun {
    /// It was asked for.
    #[default]
    Now,
    /// An earlier one that was interrupted was gone on with.
    Resumed,
    /// What had failed in an earlier one was tried again.
    Retried,
    /// Another process closed the session meanwhile.
    Elsewhere,
}

/// What a close came to, or would.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// Nothing was changed.
    pub(crate) dry_run: bool,
    /// The session's number.
    pub(crate) session: u64,
    /// What it was for.
    pub(crate) purpose: String,
    /// How long it took; `None` while its end is not recorded.
    pub(crate) length: Option<String>,
    /// What is to be known besides.
    pub(crate) notes: Vec<String>,
    /// How it came to it.
    pub(super) begun: Begun,
    /// What was decided and what became of it.
    pub(super) plan: Plan,
}

impl Report {
    pub(super) fn of(place: Place<'_>, mut plan: Plan, notes: Vec<String>) -> Self {
        plan.told.sort_by_key(|it| it.step);
        let session = place.sessions.read().ok().and_then(|it| it.by_number(plan.session)).map(|(_, it)| it);
        let session = session.unwrap_or_default();
        Self {
            session: plan.session,
            purpose: one_line(&session.purpose),
            length: session.length,
            notes,
            plan,
            ..Self::default()
        }
    }

    pub(super) fn of_another(session: &Session) -> Self {
        Self {
            begun: Begun::Elsewhere,
            session: session.seq,
            purpose: one_line(&session.purpose),
            length: session.length.clone(),
            ..Self::default()
        }
    }

    /// The session's end is recorded.
    pub(crate) fn closed(&self) -> bool {
        self.length.is_some() && !self.dry_run
    }

    /// Steps that failed.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &Told> {
        self.plan.failed()
    }

    /// One line for the user.
    pub(crate) fn message(&self) -> String {
        let mut out = self.title();
        let failed: Vec<&str> = self.failed().map(|it| it.step.name()).collect();
        if !failed.is_empty() {
            out.push_str("; failed: ");
            out.push_str(&failed.join(", "));
        }
        out
    }

    fn title(&self) -> String {
        let number = self.session;
        match &self.length {
            _ if self.dry_run => format!("would close session #{number}"),
            None => format!("session #{number} is not closed"),
            Some(length) if self.begun == Begun::Elsewhere => {
                format!("session #{number} was closed by another process ({length})")
            }
            Some(length) => format!("session #{number} closed ({length})"),
        }
    }

    /// What the agent is told, as facts.
    pub(crate) fn context(&self) -> String {
        let mut lines = vec![format!("{}. Purpose: {}", capitalised(&self.title()), self.purpose)];
        if !self.plan.achievements.is_empty() {
            lines.push("Achievements:".to_owned());
            lines.extend(closing::list(&self.plan, LISTED_MAX));
        }
        if !self.plan.checks.lines.is_empty() {
            lines.push(format!("Checks: {}", self.plan.checks.lines.join("; ")));
        }
        for told in self.effects().filter(|it| it.outcome == Outcome::Done) {
            if matches!(told.step, Step::Rtm | Step::Changelog | Step::Commit | Step::Tag | Step::Push) {
                lines.push(format!("{}: {}", label(told.step), told.message));
            }
        }
        for told in self.failed() {
            lines.push(format!("Failed: {}: {}", told.step.name(), told.message));
        }
        lines.extend(self.notes.iter().map(|it| format!("Note: {it}")));
        lines.join("\n")
    }

    fn effects(&self) -> impl Iterator<Item = &Told> {
        self.plan.told.iter()
    }

    /// For people. What was not wanted is told by a dry run alone.
    pub(crate) fn panel(&self) -> Panel {
        let number = self.session;
        let mut panel = Panel::new(match &self.length {
            _ if self.dry_run => format!("would close session #{number}"),
            Some(length) => format!("Session #{number} | Closed | {length}"),
            None => format!("Session #{number} | Not closed"),
        });
        if !self.purpose.is_empty() {
            panel.line(format!("Purpose: {}", self.purpose));
        }
        let failed = self.failed().next().is_some();
        let before = match self.begun {
            Begun::Now => None,
            Begun::Elsewhere => Some("Another process closed it meanwhile."),
            Begun::Resumed if failed => Some("Its close had been interrupted and was gone on with."),
            Begun::Resumed => Some("Its close had been interrupted and was finished now."),
            Begun::Retried if failed => Some("What had failed was tried again."),
            Begun::Retried => Some("What had failed was tried again and is done now."),
        };
        if let Some(before) = before {
            panel.line(before);
        }
        if !self.plan.achievements.is_empty() {
            panel.rule().line("Achievements:");
            for line in closing::list(&self.plan, LISTED_MAX) {
                panel.item("- ", line.trim_start_matches("- "));
            }
        }
        let shown = |it: &&Told| self.dry_run || it.outcome != Outcome::Skipped;
        if self.effects().any(|it| shown(&it)) {
            panel.rule();
        }
        for told in self.effects().filter(shown) {
            let mark = match told.outcome {
                Outcome::Done => "",
                Outcome::Planned => "would ",
                Outcome::Skipped => "nothing: ",
                Outcome::Failed => "FAILED: ",
            };
            panel.line(format!("{}: {mark}{}", label(told.step), told.message));
        }
        if failed && !self.dry_run {
            panel.line("`hostler session end` tries again what failed.");
        }
        panel
    }

    /// For programs: `message` and `context` are what a hook tells the user and the agent.
    pub(crate) fn json(&self) -> Value {
        let steps: Vec<Value> = self
            .effects()
            .map(|it| json!({ "step": it.step, "outcome": it.outcome, "message": it.message }))
            .collect();
        json!({
            "command": "end",
            "dry_run": self.dry_run,
            "changed": !self.dry_run && self.begun != Begun::Elsewhere,
            "session": self.session,
            "purpose": self.purpose,
            "closed": self.closed(),
            "resumed": self.begun == Begun::Resumed,
            "retried": self.begun == Begun::Retried,
            "by_another": self.begun == Begun::Elsewhere,
            "length": self.length,
            "ended": self.plan.ended,
            "outcome": self.plan.outcome,
            "tag": self.plan.tag,
            "achievements": self.plan.achievements,
            "omitted": self.plan.omitted,
            "checks": self.plan.checks,
            "steps": steps,
            "message": self.message(),
            "context": self.context(),
        })
    }
}

/// A step's name at the beginning of a line.
fn label(step: Step) -> String {
    if step == Step::Rtm { "RTM".to_owned() } else { capitalised(step.name()) }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
