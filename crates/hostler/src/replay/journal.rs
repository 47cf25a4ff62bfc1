//! Journals of ours -> a summary: what was found at the time is taken as it is, or the claims are judged again.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use hostler_ledger::journal::{self, Record};
use hostler_ledger::redact::preview;
use hostler_model::SessionId;
use hostler_policy::Settings;
use hostler_policy::claims::evidence::{Actor, FailureKind};
use hostler_policy::claims::{self, Evidence, Finding, Judged, Kind, Turn};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Options;
use super::summary::{RunSummary, SessionSummary, Source, Standings, Stopped, TurnSummary, VERSION};
use super::window::Window;
use super::world::Recorded;

/// Characters of a prompt or message that are shown.
const PREVIEW_CHARS_MAX: usize = 240;
/// Stopped calls and runs that are listed.
const LISTED_MAX: usize = 5_000;

/// Reads the journals of one session, oldest first.
///
/// # Errors
/// When one of them cannot be opened.
pub(super) fn read(paths: &[PathBuf], options: &Options) -> anyhow::Result<SessionSummary> {
    let mut reading = Reading::new(options);
    for path in paths {
        let mut reader = journal::read(path)?;
        for record in reader.by_ref() {
            reading.lines += 1;
            reading.record(&record);
        }
        reading.summary.lines.unreadable += reader.passed_over();
        reading.summary.lines.total += reader.passed_over();
        reading.summary.lines.bytes += std::fs::metadata(path).map_or(0, |meta| meta.len());
        reading.gaps |= reader.passed_over() != 0;
    }
    Ok(reading.finish())
}

/// What is wrong with the chains of these journals. They are told all the same: a part may be all that there is.
pub(super) fn broken(paths: &[PathBuf]) -> Vec<String> {
    let problem = |report: journal::Report| {
        let bad = report.bad.filter(|_| report.path.exists())?;
        Some(format!(
            "{} as it was written: its chain is broken at record {} ({}), so what is told of the session may have been changed",
            report.path.display(),
            bad.sequence,
            bad.problem
        ))
    };
    journal::verify_all(paths).into_iter().filter_map(problem).collect()
}

struct Reading<'o> {
    options: &'o Options,
    summary: SessionSummary,
    lines: u64,
    main: Track,
    agents: BTreeMap<String, Track>,
    /// Calls whose decision was seen.
    decided: HashSet<String>,
    settings: Option<Settings>,
    gaps: bool,
}

#[derive(Default)]
struct Track {
    evidence: Window,
    turn: Option<TurnSummary>,
    prompt: String,
    turns: u64,
}

impl<'o> Reading<'o> {
    fn new(options: &'o Options) -> Self {
        let mut summary =
            SessionSummary { version: VERSION, source: Source::Journal, ..SessionSummary::default() };
        summary.guards.asked_them = true;
        summary.guards.recorded = true;
        Self {
            options,
            summary,
            lines: 0,
            main: Track::default(),
            agents: BTreeMap::new(),
            decided: HashSet::new(),
            settings: None,
            gaps: false,
        }
    }

    fn record(&mut self, record: &Record) {
        self.learn(record);
        match record.kind.as_str() {
            "decision" => self.decision(record),
            "result" => self.result(record),
            "prompt" => self.prompt(record),
            "turn" => self.ended(record, None),
            "subagent" => {
                let agent = record.text("gen_ai.agent.id").unwrap_or_default().to_owned();
                // What the client has sum up the conversation when it is compacted ends like a subagent without a kind;
                // its words are about everybody's work.
                if record.text("gen_ai.agent.name") == Some("") {
                    return;
                }
                // The record of its beginning says nothing of a message.
                if record.attributes.contains_key("continuing") {
                    self.ended(record, Some(&agent));
                } else {
                    self.track(Some(&agent)).evidence.begin_turn();
                }
            }
            "compaction" => self.summary.compactions += 1,
            _ => self.summary.lines.passed_over += 1,
        }
    }

    fn learn(&mut self, record: &Record) {
        let summary = &mut self.summary;
        if summary.host.is_empty() {
            record.text("host").unwrap_or_default().clone_into(&mut summary.host);
        }
        if summary.id.is_empty() {
            record.text(journal::SESSION).unwrap_or_default().clone_into(&mut summary.id);
        }
        if let (None, Some(cwd)) = (&summary.project, record.text("cwd")) {
            summary.project = Some(cwd.to_owned());
            let world = Recorded::at(cwd.as_ref(), true, self.options.profile);
            self.settings = Some(world.settings);
        }
        let at = record.time_ms;
        summary.started_ms = Some(summary.started_ms.map_or(at, |it| it.min(at)));
        summary.ended_ms = Some(summary.ended_ms.map_or(at, |it| it.max(at)));
    }

    fn track(&mut self, agent: Option<&str>) -> &mut Track {
        match agent {
            None => &mut self.main,
            Some(id) => self.agents.entry(id.to_owned()).or_default(),
        }
    }

    fn decision(&mut self, record: &Record) {
        let tool = record.text("gen_ai.tool.name").unwrap_or_default().to_owned();
        let agent = record.text("gen_ai.agent.id").map(str::to_owned);
        *self.summary.calls.entry(tool.clone()).or_default() += 1;
        self.open(agent.as_deref(), record.time_ms).calls += 1;
        if let Some(id) = record.text("gen_ai.tool.call.id") {
            self.decided.insert(id.to_owned());
        }
        let guards = &mut self.summary.guards;
        guards.checkpoints += u64::from(record.attributes.contains_key("checkpoint"));
        let status = record.text("status").unwrap_or_default();
        match status {
            "blocked" => guards.denied += 1,
            "asked" => guards.asked += 1,
            "warned" => guards.warned += 1,
            _ => guards.allowed += 1,
        }
        if matches!(status, "blocked" | "asked") {
            if guards.stopped.len() < LISTED_MAX {
                guards.stopped.push(Stopped {
                    tool,
                    target: record.text("target").unwrap_or_default().to_owned(),
                    status: status.to_owned(),
                    rules: list(record, "rules"),
                    reason: preview(record.text("message").unwrap_or_default(), 300),
                    at_ms: Some(record.time_ms),
                });
            }
            self.evidence(record, agent.as_deref());
        }
    }

    fn result(&mut self, record: &Record) {
        let tool = record.text("gen_ai.tool.name").unwrap_or_default();
        let agent = record.text("gen_ai.agent.id");
        let known = record.text("gen_ai.tool.call.id").is_some_and(|id| self.decided.remove(id));
        if !known {
            *self.summary.calls.entry(tool.to_owned()).or_default() += 1;
            self.open(agent, record.time_ms).calls += 1;
        }
        if let Some(duration) = record.attributes.get("tool_duration_ms").and_then(Value::as_u64) {
            *self.summary.tool_time_ms.entry(tool.to_owned()).or_default() += duration;
        }
        self.evidence(record, agent);
    }

    /// What the record says that the call proves. A record of a version that kept no evidence proves nothing.
    fn evidence(&mut self, record: &Record, agent: Option<&str>) {
        let evidence: Evidence = value(record, "evidence").unwrap_or_else(|| Evidence {
            tool: record.text("gen_ai.tool.name").unwrap_or_default().to_owned(),
            ok: record.text("status") == Some("ok"),
            opaque: record.text("status") == Some("ok"),
            summary: "no more was recorded of it".to_owned(),
            ..Evidence::default()
        });
        let turn = self.track(agent).turns + 1;
        if let Some(failure) = &evidence.failure {
            self.summary.failures.count(failure.kind);
            let error = failure.kind == FailureKind::Error;
            self.open(agent, record.time_ms).errors += u64::from(error);
        }
        let room = LISTED_MAX.saturating_sub(self.summary.runs.len());
        self.summary.runs.extend(evidence.runs.iter().take(room).map(|run| RunSummary {
            turn,
            agent: agent.map(str::to_owned),
            at_ms: Some(record.time_ms),
            run: run.clone(),
        }));
        if agent.is_some() {
            self.main.evidence.push(Evidence { by: Actor::Subagent, ..evidence.clone() });
        }
        self.track(agent).evidence.push(Evidence { by: Actor::Agent, ..evidence });
    }

    fn open(&mut self, agent: Option<&str>, at_ms: i64) -> &mut TurnSummary {
        let track = self.track(agent);
        let index = track.turns + 1;
        track.turn.get_or_insert_with(|| TurnSummary {
            index,
            agent: agent.map(str::to_owned),
            started_ms: Some(at_ms),
            ..TurnSummary::default()
        })
    }

    fn prompt(&mut self, record: &Record) {
        self.close(None);
        let prompt = record.text("prompt_preview").unwrap_or_default().to_owned();
        self.main.evidence.begin_turn();
        self.open(None, record.time_ms).prompt = preview_of(&prompt);
        self.main.prompt = unescaped(&prompt);
    }

    /// The end of a turn. One that was sent back has another end later, and is one turn.
    fn ended(&mut self, record: &Record, agent: Option<&str>) {
        let mut findings: Vec<Finding> = value(record, "findings").unwrap_or_default();
        let mut claims: Vec<Judged> = value(record, "judged").unwrap_or_default();
        let mut standings: Standings = value(record, "claims").unwrap_or_default();
        let session = SessionId::parse(&self.summary.id).ok();
        let id = |number| Some(journal::finding_id(session.as_ref()?, record.sequence, number));
        let mut ids: Vec<String> = (1..=findings.len()).filter_map(id).collect();
        let message = record.text("last_message_preview").unwrap_or_default();
        if self.options.again
            && let Some(again) = self.again(record, message, &claims, agent)
        {
            let kept = findings.into_iter().zip(ids).filter(|(finding, _)| again.keeps(finding));
            let (mut kept_findings, kept_ids): (Vec<_>, Vec<_>) = kept.unzip();
            // What is found now has no id in the journal.
            ids = kept_ids;
            kept_findings.extend(again.audit.findings);
            findings = kept_findings;
            ids.resize(findings.len(), String::new());
            claims = again.audit.claims;
            standings = Standings::default();
            for claim in &claims {
                standings.add(claim.standing);
            }
        }
        let sent_back = record.text("audit") == Some("sent-back");
        let turn = self.open(agent, record.time_ms);
        turn.message = preview_of(message);
        turn.claims_omitted += standings.total().saturating_sub(claims.len() as u64);
        turn.standings.merge(&standings);
        turn.claims.append(&mut claims);
        turn.findings.append(&mut findings);
        turn.finding_ids.append(&mut ids);
        turn.continued += u64::from(sent_back);
        turn.duration_ms =
            turn.started_ms.and_then(|start| u64::try_from(record.time_ms.saturating_sub(start)).ok());
        if !sent_back && agent.is_some() {
            self.close(agent);
        }
    }

    /// Judges the claims of a turn by the rules of today. The journal holds the beginning of the message and the
    /// clauses that were read as claims: rules that need all of it are not asked where it is not all there.
    fn again(&self, record: &Record, message: &str, claims: &[Judged], agent: Option<&str>) -> Option<Again> {
        let settings = self.settings.as_ref()?;
        let bytes = record.attributes.get("last_message_bytes").and_then(Value::as_u64).unwrap_or_default();
        let whole = unescaped(message);
        let is_whole = whole.len() as u64 == bytes;
        let text = if is_whole {
            whole
        } else {
            claims.iter().fold(String::new(), |text, it| text + "- " + &unescaped(&it.claim.text) + "\n")
        };
        let track = match agent {
            None => &self.main,
            Some(id) => self.agents.get(id)?,
        };
        let prompt = (is_whole && !track.prompt.is_empty()).then_some(track.prompt.as_str());
        let turn = Turn { message: &text, prompt, evidence: track.evidence.all() };
        let mut audit = claims::audit(&turn, settings, &mut |_| None);
        if !is_whole {
            audit.findings.retain(|finding| !needs_all(finding.kind));
        }
        if self.gaps {
            audit.findings.clear();
        }
        Some(Again { audit, is_whole })
    }

    fn close(&mut self, agent: Option<&str>) {
        let track = self.track(agent);
        let Some(turn) = track.turn.take() else { return };
        track.prompt.clear();
        if turn.calls == 0 && turn.message.is_empty() {
            return;
        }
        track.turns += 1;
        self.summary.turns.push(turn);
    }

    fn finish(mut self) -> SessionSummary {
        self.close(None);
        let agents: Vec<String> = self.agents.keys().cloned().collect();
        for agent in agents {
            self.close(Some(&agent));
        }
        self.summary.turns.sort_by_key(|turn| (turn.started_ms, turn.agent.is_some()));
        self.summary.lines.total += self.lines;
        self.summary
    }
}

/// What came out when a turn was judged again.
struct Again {
    audit: claims::Audit,
    is_whole: bool,
}

impl Again {
    /// A recorded finding that could not be looked for again.
    fn keeps(&self, finding: &Finding) -> bool {
        !self.is_whole && needs_all(finding.kind)
    }
}

/// What is found in what a message does not say.
fn needs_all(kind: Kind) -> bool {
    matches!(kind, Kind::ErrorConcealment | Kind::SelectiveDisclosure | Kind::ResultHiding)
}

fn value<T: DeserializeOwned>(record: &Record, name: &str) -> Option<T> {
    serde_json::from_value(record.attributes.get(name)?.clone()).ok()
}

fn list(record: &Record, name: &str) -> Vec<String> {
    value(record, name).unwrap_or_default()
}

fn preview_of(recorded: &str) -> String {
    preview(&unescaped(recorded), PREVIEW_CHARS_MAX)
}

/// The record shows line ends as two characters.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}
