//! `hostler status`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use hostler_host::claude::settings;
use hostler_ledger::journal::{self, Record};
use hostler_model::SessionId;
use hostler_policy::claims::{Basis, Finding, Kind, Severity};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::exit::Exit;
use crate::install::found::{self, Origin};
use crate::install::opencode::found::{self as opencode, Plugin};
use crate::install::opencode::heartbeat::Heartbeat;
use crate::install::{Host, Scope, Site};

/// Findings that are older are no longer shown.
const OPEN_MS: i64 = 24 * 60 * 60 * 1_000;
/// More are counted and not listed.
const OPEN_SHOWN_MAX: usize = 10;

/// Shows what is registered and active here. `hostler doctor` proves it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which agent [default: all]
    #[arg(long, value_enum)]
    host: Option<Host>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    let asked = |host: Host| args.host.is_none_or(|it| it == host);
    let sources = if asked(Host::Claude) { found::sources(&site) } else { Vec::new() };
    let plugins = if asked(Host::OpenCode) { opencode::sources(&site) } else { Vec::new() };
    let plugins: Vec<(Scope, Plugin)> = plugins
        .into_iter()
        .flat_map(|it| it.plugins.into_iter().map(move |plugin| (it.scope, plugin)))
        .collect();
    let config = Config::load(Some(&site.dirs), &site.project);
    let disabled = sources.iter().any(|source| {
        matches!(&source.text, Ok(Some(text)) if matches!(settings::disables_all_hooks(text), Ok(Some(_))))
    });
    let registered: Vec<_> = sources.iter().filter(|it| it.is_registered()).collect();
    let ignored = |text: &str| settings::warnings(text).is_ok_and(|all| all.iter().any(|it| it.ignored));
    let alive = registered.iter().any(|it| matches!(&it.text, Ok(Some(text)) if !ignored(text)));
    let active = (alive && !disabled) || !plugins.is_empty();
    let key = site.project.key();
    let evidence = site.dirs.project_state(&key);
    let heartbeat = Heartbeat::load(&evidence).filter(|_| !plugins.is_empty());
    let Records { counts, audits } = records(&evidence)?;
    let profile = config.settings.profile.name();

    let mut out = crate::output::human::stdout();
    if json {
        let registrations: Vec<_> = registered
            .iter()
            .map(|it| {
                let origin = match &it.origin {
                    Origin::Settings(scope) => scope.name(),
                    Origin::MainWorkTree => "main-work-tree",
                    Origin::Plugin(..) => "plugin",
                };
                let command = it.entries.first().map(|entry| &entry.command);
                json!({ "origin": origin, "path": it.path.display().to_string(), "events": it.entries.len(), "command": command })
            })
            .collect();
        let document = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "active": active,
            "profile": profile,
            "configuration": config.files.iter().map(|it| it.display().to_string()).collect::<Vec<_>>(),
            "registrations": registrations,
            "opencode": plugins
                .iter()
                .map(|(scope, it)| json!({
                    "origin": scope.name(),
                    "path": it.path.display().to_string(),
                    "flavour": it.flavour.number(),
                    "version": it.version,
                    "edited": it.edited,
                    "command": it.binary.as_ref().map(|it| it.display().to_string()),
                }))
                .collect::<Vec<_>>(),
            "heartbeat": heartbeat,
            "project": site.project.root.display().to_string(),
            "key": key,
            "evidence": evidence.display().to_string(),
            "counts": counts,
            "claims": {
                "enabled": config.audits,
                "mode": basis(config.settings.claims),
                "last": audits.last,
                "open": audits.open(now_ms()),
            },
        });
        writeln!(out, "{document}")?;
        return Ok(Exit::Ok);
    }
    let state = match (active, disabled) {
        (true, _) => "active",
        (false, true) => "NOT active: `disableAllHooks` is set",
        (false, false) if registered.is_empty() => "NOT active: run `hostler init`",
        (false, false) => "NOT active: the settings file is ignored by the client, see `hostler doctor`",
    };
    writeln!(out, "{state}")?;
    writeln!(out, "profile   {profile}")?;
    for source in &registered {
        let command = source.entries.first().map_or("", |it| it.command.as_str());
        writeln!(out, "hooks     {} events in {}, `{command}`", source.entries.len(), source.shown(&site))?;
    }
    for (_, plugin) in &plugins {
        let seen = heartbeat.as_ref().map_or_else(
            || "no start seen yet".to_owned(),
            |it| format!("loaded {} ({})", it.age(Timestamp::now()), it.client()),
        );
        let edited = if plugin.edited { ", changed by hand" } else { "" };
        writeln!(out, "opencode  {}{edited}; {seen}", site.shown(&plugin.path))?;
    }
    for file in &config.files {
        writeln!(out, "config    {}", site.shown(file))?;
    }
    writeln!(out, "project   {} ({key})", site.dirs.tilde(&site.project.root))?;
    writeln!(out, "evidence  {}", site.dirs.tilde(&evidence))?;
    let counted: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    writeln!(
        out,
        "records   {}",
        if counted.is_empty() { "none yet".to_owned() } else { counted.join(", ") }
    )?;
    if !config.audits {
        writeln!(out, "claims    NOT audited: `claims.enabled = false`")?;
    }
    if let Some(last) = &audits.last {
        writeln!(out, "audited   {}", last.words())?;
    }
    let open = audits.open(now_ms());
    if !open.is_empty() {
        writeln!(out, "findings  {} in the last 24 hours; `hostler audit explain ID` shows one", open.len())?;
        for finding in open.iter().rev().take(OPEN_SHOWN_MAX) {
            let Open { id, severity, kind, claim, .. } = finding;
            writeln!(out, "  {id}  {} {}: {claim}", severity.name(), kind.name())?;
        }
        if OPEN_SHOWN_MAX < open.len() {
            writeln!(out, "  … `hostler audit findings` shows them all")?;
        }
    }
    Ok(Exit::Ok)
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Evidence => "evidence",
        Basis::Tools => "tools",
    }
}

/// What the journals of a project come to.
#[derive(Default)]
struct Records {
    /// Journals, and records by kind; decisions by what became of the call.
    counts: BTreeMap<String, u64>,
    audits: Audits,
}

fn records(evidence: &Path) -> anyhow::Result<Records> {
    let mut all = Records::default();
    let mut count = |what: &str| *all.counts.entry(what.to_owned()).or_insert(0) += 1;
    for path in journal::files(evidence)? {
        count("journals");
        // One that cannot be opened is `audit`'s business.
        let Ok(records) = journal::read(&path) else { continue };
        for record in records {
            match (record.kind.as_str(), record.text("status")) {
                ("decision", Some(status)) => count(status),
                ("seal", _) => {}
                (kind, _) => count(&format!("{kind}s")),
            }
            all.audits.add(&record);
        }
    }
    Ok(all)
}

/// The audits of all turns.
#[derive(Default)]
struct Audits {
    last: Option<Last>,
    /// What was found at the last end of each turn, by session, subagent and number of the turn's first end.
    found: BTreeMap<(String, String), Vec<Vec<Open>>>,
}

/// The newest audit.
#[derive(Serialize)]
struct Last {
    time_ms: i64,
    /// `clean`, `reported`, `sent-back`, `released`, `recorded`, `no-message` or `failed`.
    outcome: String,
    claims: u64,
    findings: u64,
}

/// A finding that was not taken back.
#[derive(Serialize, Clone)]
struct Open {
    id: String,
    time_ms: i64,
    severity: Severity,
    #[serde(rename = "type")]
    kind: Kind,
    rule: String,
    claim: String,
}

impl Audits {
    fn add(&mut self, record: &Record) {
        let Some(outcome) = record.text("audit").filter(|_| matches!(&*record.kind, "turn" | "subagent"))
        else {
            return;
        };
        let findings = findings(record);
        if self.last.as_ref().is_none_or(|last| last.time_ms <= record.time_ms) {
            let claims = record.attributes.get("claims").and_then(Value::as_object);
            self.last = Some(Last {
                time_ms: record.time_ms,
                outcome: outcome.to_owned(),
                claims: claims.into_iter().flat_map(Map::values).filter_map(Value::as_u64).sum(),
                findings: record
                    .attributes
                    .get("findings_count")
                    .and_then(Value::as_u64)
                    .unwrap_or(findings.len() as u64),
            });
        }
        let session = record.text(journal::SESSION).unwrap_or_default().to_owned();
        let agent = record.text("gen_ai.agent.id").unwrap_or_default().to_owned();
        let turns = self.found.entry((session, agent)).or_default();
        if record.attributes.get("continuing") == Some(&Value::Bool(true)) {
            // The agent was sent back, and this is what is left of it.
            turns.pop();
        }
        turns.push(findings);
    }

    /// Findings of the last day that stand as the agent left them, oldest first.
    fn open(&self, now_ms: i64) -> Vec<Open> {
        let recent = |open: &&Open| now_ms - OPEN_MS <= open.time_ms;
        let mut open: Vec<Open> = self.found.values().flatten().flatten().filter(recent).cloned().collect();
        open.sort_by(|one, other| (one.time_ms, &one.id).cmp(&(other.time_ms, &other.id)));
        open
    }
}

fn findings(record: &Record) -> Vec<Open> {
    let session = record.text(journal::SESSION).and_then(|session| SessionId::parse(session).ok());
    let Some(session) = session else { return Vec::new() };
    let findings = record.attributes.get("findings").and_then(Value::as_array);
    let finding = |(at, value): (usize, &Value)| {
        let finding: Finding = serde_json::from_value(value.clone()).ok()?;
        Some(Open {
            id: journal::finding_id(&session, record.sequence, at + 1),
            time_ms: record.time_ms,
            severity: finding.severity,
            kind: finding.kind,
            rule: finding.rule,
            claim: finding.claim,
        })
    };
    findings.into_iter().flatten().enumerate().filter_map(finding).collect()
}

impl Last {
    fn words(&self) -> String {
        let when = Timestamp::from_millisecond(self.time_ms).unwrap_or_default();
        let when = when.strftime("%Y-%m-%d %H:%M:%S UTC");
        let claims = format!("{} claims checked", self.claims);
        let findings = match self.findings {
            1 => "1 finding".to_owned(),
            count => format!("{count} findings"),
        };
        match self.outcome.as_str() {
            "clean" => format!("{when}: No issues detected, {claims}"),
            "no-message" => format!("{when}: the turn ended without a message"),
            "failed" => format!("{when}: FAILED, see `hostler audit show`"),
            "sent-back" => format!("{when}: {findings}, {claims}, the agent was sent back"),
            "released" => format!("{when}: {findings}, {claims}, the agent did not take it back"),
            "recorded" => format!("{when}: {findings}, {claims}, recorded only"),
            _ => format!("{when}: {findings}, {claims}, told to the user"),
        }
    }
}

fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}
