//! `hostler audit explain`: how a finding came about.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use hostler_ledger::journal;
use hostler_ledger::redact::preview;
use hostler_policy::claims::{self, Finding, RULES, Rule};
use serde_json::{Value, json};

use super::findings::Recorded;
use super::time;
use crate::cli::explain::find;
use crate::exit::Exit;
use crate::hook::World;
use crate::output;

/// Whether an id names a finding and not a decision: `361ac4e6-12.1`.
pub(in crate::cli) fn is_finding(id: &str) -> bool {
    split(id).is_some()
}

fn split(id: &str) -> Option<(&str, usize)> {
    let (record, number) = id.rsplit_once('.')?;
    Some((record, number.parse().ok().filter(|number| 0 < *number)?))
}

/// Runs the command.
pub(in crate::cli) fn explain(id: &str, json: bool) -> anyhow::Result<Exit> {
    let cwd = std::env::current_dir().context("the working directory cannot be read")?;
    let world = World::at(&cwd);
    match look_up(&world, id)? {
        Ok(found) => {
            if json {
                output::json::print(&document(&found, &world))?;
            } else {
                tell(&found, &world)?;
            }
            super::Broken::among(&[found.path]).tell(Exit::Ok)
        }
        Err(message) => {
            if json {
                output::json::print(&json!({ "error": message }))?;
            } else {
                writeln!(std::io::stderr(), "error: {message}")?;
            }
            Ok(Exit::Usage)
        }
    }
}

/// The finding, or what to do when there is none.
fn look_up(world: &World, id: &str) -> anyhow::Result<Result<Recorded, String>> {
    let Some((record, number)) = split(id) else {
        return Ok(Err(format!(
            "`{id}` is no finding's id (such as `361ac4e6-12.1`); `hostler audit findings` lists them, `hostler explain {id}` explains a decision"
        )));
    };
    let Some(found) = find(world, record)? else {
        return Ok(Err(format!(
            "no record `{record}` is in a journal; `hostler audit findings` lists the findings of this project"
        )));
    };
    let all = Recorded::of(&found.path, &found.record);
    let count = all.len();
    Ok(all.into_iter().nth(number - 1).ok_or_else(|| {
        format!(
            "record `{record}` ({}) holds {count} findings; `hostler audit findings` lists those of this project",
            found.record.kind
        )
    }))
}

/// What the rule is answered with, by today's configuration.
fn mode_now(found: &Recorded, world: &World) -> Option<&'static str> {
    let finding: Finding = serde_json::from_value(found.value().clone()).ok()?;
    Some(claims::mode(&finding, &world.config.settings).name())
}

fn rule(found: &Recorded) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == found.text("rule"))
}

/// How the claim was read and judged, where the record keeps it: act, objects, why.
fn reading<'a>(found: &'a Recorded) -> Option<&'a Value> {
    let judged = found.record.attributes.get("judged")?.as_array()?;
    let of = |judged: &'a Value, name: &str| judged.get("claim")?.get(name)?.as_str();
    judged.iter().find(|it| {
        of(it, "text") == Some(found.text("claim"))
            && of(it, "pattern") == Some(found.text("pattern_matched"))
    })
}

/// What was done about it at the time: the rule's mode, and what became of the turn.
fn answered(found: &Recorded) -> Option<String> {
    let modes = found.record.attributes.get("modes").and_then(Value::as_array);
    let mode = modes?.get(found.number - 1)?.as_str()?;
    let outcome = found.record.text("audit").map(|outcome| format!(", the turn was {outcome}"));
    Some(format!("mode `{mode}`{}", outcome.unwrap_or_default()))
}

fn document(found: &Recorded, world: &World) -> Value {
    let rule = rule(found);
    json!({
        "finding": found.document(),
        "reading": reading(found),
        "rule": rule.map(|rule| {
            json!({ "id": rule.id, "summary": rule.summary, "mode": mode_now(found, world) })
        }),
        "answered": answered(found),
        "evidence_calls": found.record.attributes.get("evidence_calls"),
        "evidence_gaps": found.record.attributes.get("evidence_gaps"),
        "message": found.record.text("last_message_preview"),
        "journal": found.path.display().to_string(),
        "sequence": found.record.sequence,
        "hash": found.record.hash,
    })
}

fn tell(found: &Recorded, world: &World) -> anyhow::Result<()> {
    let mut out = crate::output::human::stdout();
    let text = |name: &str| preview(found.text(name), 100);
    writeln!(out, "{}: {} {}, {}", found.id, text("severity"), text("type"), text("standing"))?;
    for (label, text) in rows(found) {
        writeln!(out, "  {label:12} {}", preview(&text, 1_000))?;
    }
    match rule(found) {
        None => writeln!(out, "the rule `{}` is not one of this build", text("rule"))?,
        Some(rule) => {
            let mode = mode_now(found, world).map(|mode| format!(", mode `{mode}` here")).unwrap_or_default();
            let file = shown(&world.project.root.join(crate::config::PROJECT_FILE), world);
            writeln!(out, "rule `{}`{mode}: {}", rule.id, rule.summary)?;
            writeln!(out, "to switch it off, write into {file} (`observe`: recorded, but not told):")?;
            writeln!(out, "  [rules]\n  {} = \"off\"", rule.id)?;
        }
    }
    let (sequence, path, hash) = (found.record.sequence, found.path.display(), &found.record.hash);
    writeln!(out, "record {sequence} of {path}, hash {hash}")?;
    Ok(())
}

/// Label and text, what is empty left out.
fn rows(found: &Recorded) -> Vec<(&'static str, String)> {
    let member = |name: &str| found.text(name).to_owned();
    let mut rows = vec![
        ("time", time(found.record.time_ms, true)),
        ("session", found.record.text(journal::SESSION).unwrap_or_default().to_owned()),
        ("subagent", found.record.text("gen_ai.agent.id").unwrap_or_default().to_owned()),
        ("what", member("description")),
        ("said", member("claim")),
        ("read by", member("pattern_matched")),
    ];
    let texts = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let judged = reading(found);
    if let Some(claim) = judged.and_then(|it| it.get("claim")) {
        rows.push(("as", claim.get("act").and_then(Value::as_str).unwrap_or_default().to_owned()));
        rows.extend(texts(claim.get("objects")).into_iter().map(|object| ("about", object)));
    }
    let evidence: Vec<String> = found.texts("evidence").into_iter().map(str::to_owned).collect();
    let why = texts(judged.and_then(|it| it.get("why"))).into_iter().filter(|why| !evidence.contains(why));
    rows.extend(why.map(|why| ("judged", why)));
    rows.extend(evidence.iter().map(|text| ("evidence", text.clone())));
    if let Some(calls) = found.record.attributes.get("evidence_calls") {
        rows.push(("looked at", format!("{calls} tool calls of the session")));
    }
    let gaps = texts(found.record.attributes.get("evidence_gaps"));
    rows.extend(gaps.into_iter().map(|gap| ("not seen", gap)));
    rows.push(("at odds with", member("tool_name")));
    rows.push(("tools used", list(&found.texts("tools_found"))));
    rows.push(("support by", list(&found.texts("tools_required"))));
    rows.push(("answered", answered(found).unwrap_or_default()));
    rows.retain(|(_, text)| !text.is_empty());
    rows
}

fn list(words: &[&str]) -> String {
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn shown(path: &Path, world: &World) -> String {
    world.dirs.as_ref().map_or_else(|| path.display().to_string(), |dirs| dirs.tilde(path))
}
