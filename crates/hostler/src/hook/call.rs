//! Event -> reply: decide, keep, record.

use std::time::Instant;

use hostler_host::claude::write::{Reply, Stop};
use hostler_host::reason::{self, Reference};
use hostler_model::{Decision, Event, Facts, ToolCall, Verdict};
use hostler_policy::{Case, decide, plan};

use super::World;
use crate::observe::observe;
use crate::place::place;

/// Answers one event.
pub(super) fn answer(event: &Event, world: &World, _deadline: Instant) -> Reply {
    match &event.kind {
        hostler_model::EventKind::ToolBefore { call } => before(event, call, world),
        _ => Reply::default(),
    }
}

fn before(event: &Event, call: &ToolCall, world: &World) -> Reply {
    let place = place(world.dirs.as_ref(), &world.project, &event.cwd);
    let case = Case::new(event, &place, &world.config.settings);
    let needs = plan(&case);
    let facts = if needs.is_empty() { Facts::default() } else { observe(&needs, &place) };
    let decision = decide(&case, &facts);
    reply(&decision, call)
}

fn reply(decision: &Decision, call: &ToolCall) -> Reply {
    let reference = Reference { decision: "0", code: None };
    let text = || reason::stopped(decision, &call.action, reference);
    match decision.verdict {
        Verdict::Allow => Reply::default(),
        Verdict::Warn => Reply {
            message: Some(reason::warned(decision)),
            context: Some(reason::warned(decision)),
            ..Reply::default()
        },
        Verdict::Ask => Reply { stop: Some(Stop::Ask(text())), ..Reply::default() },
        Verdict::Deny => Reply { stop: Some(Stop::Deny(text())), ..Reply::default() },
    }
}
