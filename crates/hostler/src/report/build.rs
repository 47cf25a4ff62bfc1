//! Summaries -> [`Report`]. Pure; every text is cleaned here and nowhere else.

use std::collections::{BTreeMap, HashMap};

use hostler_ledger::journal::sha256_hex;
use hostler_policy::claims::{Act, Finding, Severity, Standing};

use super::hide::Hider;
use super::{
    Claimed, Day, Figures, Found, GuardCount, Guarded, Options, Project, Report, Run, Session, Severities,
    Stopped, Tests, Tool, Turn, VERSION, words,
};
use crate::replay::summary::{RunSummary, SessionSummary, Standings, TurnSummary};

/// Characters of a sentence: a claim, a reason, a line of evidence.
const SENTENCE_CHARS_MAX: usize = 600;
/// Characters of a command, path, prompt or name.
const NAME_CHARS_MAX: usize = 160;
/// What has no name is called so: nothing cannot be seen or clicked.
const NAMELESS: &str = "(no name)";
/// Lines of evidence that a finding shows; rules keep fewer.
const EVIDENCE_MAX: usize = 24;

impl Report {
    /// What `sessions` come to. Those that ended before [`Options::since_ms`] are left out, and so are those of
    /// unknown time when there is such a moment; the notes say how many.
    pub(crate) fn of(sessions: &[SessionSummary], options: Options) -> Self {
        let mut notes = options.notes.clone();
        let (mut wanted, mut timeless) = (Vec::new(), 0_u64);
        for session in sessions {
            match (options.since_ms, session.ended_ms.or(session.started_ms)) {
                (Some(since), Some(end)) if end < since => {}
                (Some(_), None) => timeless += 1,
                _ => wanted.push(session),
            }
        }
        wanted
            .sort_by(|a, b| (b.started_ms.or(b.ended_ms), &b.id).cmp(&(a.started_ms.or(a.ended_ms), &a.id)));
        if timeless != 0 {
            notes.push(format!("{} of unknown time left out", words::count(timeless, "session")));
        }
        let names = ProjectNames::of(&wanted, &options.hider);
        let mut builder = Builder { options: &options, names, findings: Vec::new(), days: BTreeMap::new() };
        let listed: Vec<Session> =
            wanted.iter().enumerate().map(|(at, it)| builder.session(at, it)).collect();
        let Builder { names, mut findings, days, .. } = builder;
        findings.sort_by(|a, b| {
            (b.severity, b.at_ms, a.session, a.turn).cmp(&(a.severity, a.at_ms, b.session, b.turn))
        });
        let mut totals = Figures::default();
        let mut projects = names.projects;
        for (session, summary) in listed.iter().zip(&wanted) {
            totals.add(&session.figures);
            if let Some(project) = names.by_folder.get(&summary.project).and_then(|at| projects.get_mut(*at))
            {
                project.figures.add(&session.figures);
            }
        }
        notes.extend(notes_on(&wanted));
        let since = options.since_ms.map(|ms| words::date(Some(ms), &options.time_zone));
        Self {
            version: VERSION,
            generator: format!("hostler {}", env!("CARGO_PKG_VERSION")),
            generated: words::rfc3339(options.generated_ms),
            since: options.since_ms.map(words::rfc3339),
            redacted: options.hider.is_on(),
            headline: words::headline(&totals, since.as_deref()),
            totals,
            days: days.into_values().collect(),
            projects,
            tools: tools(&listed),
            guards: guards(&listed),
            findings,
            sessions: listed,
            notes,
            time_zone: options.time_zone,
            generated_ms: options.generated_ms,
        }
    }
}

/// What the summaries themselves do not hold.
fn notes_on(sessions: &[&SessionSummary]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |number: u64, one: &str, what: &str| {
        if number != 0 {
            notes.push(format!("{} {what}", words::count(number, one)));
        }
    };
    let sum = |of: fn(&SessionSummary) -> u64| sessions.iter().map(|it| of(it)).sum::<u64>();
    note(sum(|it| it.lines.unreadable), "line", "could not be read (cut, not UTF-8, not JSON)");
    note(sum(|it| it.lines.too_long), "line", "longer than is read");
    note(
        sum(|it| it.turns_omitted),
        "turn",
        "of very long sessions without findings, neither listed nor in the numbers of claims",
    );
    note(
        sum(|it| it.turns.iter().map(|turn| turn.withheld).sum()),
        "finding",
        "withheld: a part of the record is damaged that may hold what would have shown the claim",
    );
    note(
        sum(|it| it.turns.iter().map(|turn| turn.claims_omitted).sum()),
        "claim",
        "of very long messages counted but not listed",
    );
    notes
}

/// Folders and what they are called.
struct ProjectNames {
    projects: Vec<Project>,
    by_folder: HashMap<Option<String>, usize>,
}

impl ProjectNames {
    fn of(sessions: &[&SessionSummary], hider: &Hider) -> Self {
        let mut count: BTreeMap<&Option<String>, usize> = BTreeMap::new();
        for session in sessions {
            *count.entry(&session.project).or_default() += 1;
        }
        let mut folders: Vec<_> = count.into_iter().collect();
        folders.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let mut taken: BTreeMap<String, u64> = BTreeMap::new();
        let mut out = Self { projects: Vec::new(), by_folder: HashMap::new() };
        for (folder, _) in folders {
            let name = match folder {
                None => "unknown project".to_owned(),
                Some(folder) if hider.is_on() => hider.clean(last_part(folder), NAME_CHARS_MAX),
                Some(folder) => hider.clean(folder, NAME_CHARS_MAX),
            };
            let number = taken.entry(name.clone()).or_default();
            *number += 1;
            let name = if *number == 1 { name } else { format!("{name} ({number})") };
            let root = folder.clone().filter(|_| !hider.is_on());
            out.by_folder.insert(folder.clone(), out.projects.len());
            out.projects.push(Project { name, root, figures: Figures::default() });
        }
        out
    }
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().filter(|it| !it.is_empty()).unwrap_or(path)
}

struct Builder<'a> {
    options: &'a Options,
    names: ProjectNames,
    findings: Vec<Found>,
    days: BTreeMap<String, Day>,
}

impl Builder<'_> {
    fn sentence(&self, text: &str) -> String {
        self.options.hider.clean(text, SENTENCE_CHARS_MAX)
    }

    fn name(&self, text: &str) -> String {
        let name = self.options.hider.clean(text, NAME_CHARS_MAX);
        if name.is_empty() { NAMELESS.to_owned() } else { name }
    }

    fn names(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|it| self.name(it)).collect()
    }

    fn day(&mut self, at_ms: Option<i64>) -> Option<&mut Day> {
        let date = words::date(Some(at_ms?), &self.options.time_zone);
        Some(self.days.entry(date.clone()).or_insert_with(|| Day {
            date,
            sessions: 0,
            claims: Standings::default(),
            findings: Severities::default(),
            stopped: 0,
            tests: Tests::default(),
        }))
    }

    fn session(&mut self, at: usize, summary: &SessionSummary) -> Session {
        let begun = summary.started_ms.or(summary.ended_ms);
        if let Some(day) = self.day(begun) {
            day.sessions += 1;
        }
        let project_index = self.names.by_folder.get(&summary.project).copied().unwrap_or_default();
        let project = self.names.projects.get(project_index).map(|it| it.name.clone()).unwrap_or_default();
        let mut figures = Figures {
            sessions: 1,
            turns: summary.turns.iter().filter(|it| counts(it)).count() as u64 + summary.turns_omitted,
            calls: summary.calls.values().sum(),
            calls_failed: summary.failures.errors,
            tool_time_ms: summary.tool_time_ms.values().sum(),
            ..Figures::default()
        };
        let place = Place {
            session: at,
            id: &summary.id,
            project: &project,
            project_index,
            folder: summary.project.as_deref(),
        };
        let turns: Vec<Turn> =
            summary.turns.iter().map(|turn| self.turn(&place, turn, begun, &mut figures)).collect();
        figures.sessions_with_claims = u64::from(figures.claims.total() != 0);
        figures.sessions_clean =
            u64::from(figures.claims.total() != 0 && figures.claims.total() == figures.claims.supported);
        let spoken = Guarded {
            blocked: summary.guards.denied,
            asked: summary.guards.asked,
            warned: summary.guards.warned,
            checkpoints: summary.guards.checkpoints,
        };
        if summary.guards.asked_them {
            if summary.guards.recorded {
                figures.guards = spoken;
            } else {
                figures.guards_replayed = spoken;
            }
        }
        let stopped = self.stopped(summary, begun);
        let runs: Vec<Run> = summary.runs.iter().map(|it| self.run(it, begun, &mut figures)).collect();
        let title = if self.options.hider.is_on() {
            String::new()
        } else {
            summary
                .turns
                .iter()
                .map(|it| it.prompt.trim())
                .find(|it| !it.is_empty())
                .map_or_else(String::new, |prompt| self.name(prompt))
        };
        Session {
            id: self.name(&summary.id),
            host: self.name(&summary.host),
            source: summary.source,
            project,
            branch: summary.branch.as_deref().map(|it| self.name(it)),
            title,
            started_ms: summary.started_ms,
            ended_ms: summary.ended_ms,
            figures,
            tools: sorted(summary.calls.iter().map(|(name, calls)| Tool {
                name: self.name(name),
                calls: *calls,
                time_ms: summary.tool_time_ms.get(name).copied().unwrap_or_default(),
            })),
            guarded: summary.guards.asked_them,
            guards_recorded: summary.guards.recorded,
            stopped,
            runs,
            turns,
            compactions: summary.compactions,
        }
    }

    fn stopped(&mut self, summary: &SessionSummary, begun: Option<i64>) -> Vec<Stopped> {
        let mut earlier: HashMap<String, u64> = HashMap::new();
        let mut out = Vec::new();
        for it in &summary.guards.stopped {
            if let Some(day) = self.day(it.at_ms.or(begun)) {
                day.stopped += 1;
            }
            // The same call, stopped again, is another result.
            let identity =
                serde_json::json!([it.rules, summary.id, it.tool, it.target, it.status]).to_string();
            let number = earlier.entry(identity.clone()).or_default();
            let fingerprint = sha256_hex(format!("{identity}{number}").as_bytes());
            *number += 1;
            out.push(Stopped {
                fingerprint,
                tool: self.name(&it.tool),
                target: self.sentence(&it.target),
                status: self.name(&it.status),
                rules: self.names(&it.rules),
                reason: self.sentence(&it.reason),
                at_ms: it.at_ms,
            });
        }
        out
    }

    fn turn(
        &mut self,
        place: &Place<'_>,
        turn: &TurnSummary,
        begun: Option<i64>,
        figures: &mut Figures,
    ) -> Turn {
        let at_ms = turn.started_ms.or(begun);
        add_standings(&mut figures.claims, &turn.standings);
        let mut severities = Severities::default();
        for (at, finding) in turn.findings.iter().enumerate() {
            severities.count(finding.severity);
            figures.errors_hidden += u64::from(words::hides_an_error(finding.kind));
            let found = self.found(place, turn, at, finding, at_ms);
            self.findings.push(found);
        }
        figures.findings.add(severities);
        if let Some(day) = self.day(at_ms) {
            add_standings(&mut day.claims, &turn.standings);
            day.findings.add(severities);
        }
        Turn {
            index: turn.index,
            agent: turn.agent.as_deref().map(|it| self.name(it)),
            started_ms: turn.started_ms,
            duration_ms: turn.duration_ms,
            calls: turn.calls,
            sent_back: turn.continued,
            interrupted: turn.interrupted,
            standings: turn.standings,
            claims: turn
                .claims
                .iter()
                .map(|judged| Claimed {
                    text: self.sentence(&judged.claim.text),
                    act: judged.claim.act,
                    standing: judged.standing,
                    why: judged.why.iter().take(EVIDENCE_MAX).map(|it| self.sentence(it)).collect(),
                })
                .collect(),
            claims_omitted: turn.claims_omitted,
        }
    }

    fn found(
        &self,
        place: &Place<'_>,
        turn: &TurnSummary,
        at: usize,
        finding: &Finding,
        at_ms: Option<i64>,
    ) -> Found {
        // The same clause twice in a message makes two findings.
        let earlier = turn.findings[..at]
            .iter()
            .filter(|it| it.rule == finding.rule && it.claim == finding.claim)
            .count();
        let agent = turn.agent.as_deref().unwrap_or_default();
        let identity = serde_json::json!([
            finding.rule,
            place.id,
            agent,
            turn.index,
            finding.claim,
            finding.tool_name,
            earlier
        ]);
        let mut evidence: Vec<String> =
            finding.evidence.iter().take(EVIDENCE_MAX).map(|it| self.sentence(it)).collect();
        if let Some(more) = finding.evidence.len().checked_sub(EVIDENCE_MAX).filter(|it| *it != 0) {
            evidence.push(format!("{more} more in the journal"));
        }
        Found {
            id: turn.finding_ids.get(at).filter(|it| !it.is_empty()).map(|it| self.name(it)),
            fingerprint: sha256_hex(identity.to_string().as_bytes()),
            session: place.session,
            session_id: self.name(place.id),
            project: place.project.to_owned(),
            project_index: place.project_index,
            turn: turn.index,
            agent: turn.agent.as_deref().map(|it| self.name(it)),
            at_ms,
            kind: finding.kind,
            severity: finding.severity,
            rule: self.name(&finding.rule),
            standing: finding.standing,
            description: self.sentence(&finding.description),
            claim: self.sentence(&finding.claim),
            evidence,
            tools_required: self.names(&finding.tools_required),
            tools_found: self.names(&finding.tools_found),
            tool_name: finding.tool_name.as_deref().map(|it| self.name(it)),
            file: file(turn, finding).map(|path| self.name(relative(path, place.folder))),
        }
    }

    fn run(&mut self, run: &RunSummary, begun: Option<i64>, figures: &mut Figures) -> Run {
        let passed = run.run.outcome.passed;
        if run.is_test() {
            let mut tests = Tests::default();
            match passed {
                Some(true) => tests.passed = 1,
                Some(false) => tests.failed = 1,
                None => tests.unclear = 1,
            }
            figures.tests.add(tests);
            if let Some(day) = self.day(run.at_ms.or(begun)) {
                day.tests.add(tests);
            }
        }
        Run {
            turn: run.turn,
            agent: run.agent.as_deref().map(|it| self.name(it)),
            at_ms: run.at_ms,
            act: run.run.act,
            program: self.name(&run.run.program),
            scope: self.names(&run.run.scope),
            passed,
            counts: words::outcome(&run.run.outcome),
        }
    }
}

/// A turn that said something; one that was cut off before is none.
fn counts(turn: &TurnSummary) -> bool {
    !turn.message.is_empty() || turn.standings.total() != 0 || !turn.findings.is_empty()
}

/// Where a turn stands.
struct Place<'a> {
    session: usize,
    id: &'a str,
    project: &'a str,
    project_index: usize,
    folder: Option<&'a str>,
}

/// The file that a finding's claim is about.
fn file<'a>(turn: &'a TurnSummary, finding: &Finding) -> Option<&'a str> {
    let about_files =
        |act| matches!(act, Act::Create | Act::Edit | Act::Delete | Act::Move | Act::Read | Act::Search);
    let claims = turn.claims.iter().map(|it| &it.claim);
    let mut objects = claims
        .filter(|claim| claim.text == finding.claim && about_files(claim.act))
        .flat_map(|claim| &claim.objects);
    objects.find(|it| is_file(it)).map(String::as_str)
}

/// A path, or a name with an extension.
fn is_file(text: &str) -> bool {
    let plain = !text.is_empty()
        && text.len() <= 1_024
        && !text.contains("://")
        && !text.chars().any(|c| c.is_whitespace() || c.is_control() || "*?<>|\"`".contains(c));
    let extension = || {
        last_part(text).rsplit_once('.').is_some_and(|(_, it)| {
            (1..=10).contains(&it.len())
                && it.chars().all(|c| c.is_ascii_alphanumeric())
                && it.chars().any(|c| c.is_ascii_alphabetic())
        })
    };
    plain && (text.contains('/') && !text.ends_with('/') || extension())
}

fn relative<'a>(path: &'a str, folder: Option<&str>) -> &'a str {
    folder
        .and_then(|folder| path.strip_prefix(folder.trim_end_matches('/')))
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or_else(|| path.strip_prefix("./").unwrap_or(path))
}

fn sorted(tools: impl Iterator<Item = Tool>) -> Vec<Tool> {
    let mut tools: Vec<Tool> = tools.collect();
    tools.sort_by(|a, b| (b.calls, b.time_ms).cmp(&(a.calls, a.time_ms)).then_with(|| a.name.cmp(&b.name)));
    tools
}

fn tools(sessions: &[Session]) -> Vec<Tool> {
    let mut by_name: BTreeMap<&str, Tool> = BTreeMap::new();
    for tool in sessions.iter().flat_map(|it| &it.tools) {
        let sum =
            by_name.entry(&tool.name).or_insert_with(|| Tool { name: tool.name.clone(), ..Tool::default() });
        sum.calls += tool.calls;
        sum.time_ms += tool.time_ms;
    }
    sorted(by_name.into_values())
}

fn guards(sessions: &[Session]) -> Vec<GuardCount> {
    let mut by_rule: BTreeMap<&str, GuardCount> = BTreeMap::new();
    for stopped in sessions.iter().flat_map(|it| &it.stopped) {
        for rule in &stopped.rules {
            let sum = by_rule.entry(rule).or_insert_with(|| GuardCount {
                rule: rule.clone(),
                blocked: 0,
                asked: 0,
            });
            if stopped.status == "asked" {
                sum.asked += 1;
            } else {
                sum.blocked += 1;
            }
        }
    }
    let mut all: Vec<GuardCount> = by_rule.into_values().collect();
    all.sort_by(|a, b| (b.blocked + b.asked).cmp(&(a.blocked + a.asked)).then_with(|| a.rule.cmp(&b.rule)));
    all
}

fn add_standings(sum: &mut Standings, more: &Standings) {
    sum.supported += more.supported;
    sum.unsupported += more.unsupported;
    sum.contradicted += more.contradicted;
}

impl Figures {
    fn add(&mut self, more: &Self) {
        self.sessions += more.sessions;
        self.sessions_with_claims += more.sessions_with_claims;
        self.sessions_clean += more.sessions_clean;
        self.turns += more.turns;
        add_standings(&mut self.claims, &more.claims);
        self.findings.add(more.findings);
        self.errors_hidden += more.errors_hidden;
        self.calls += more.calls;
        self.calls_failed += more.calls_failed;
        self.guards.add(more.guards);
        self.guards_replayed.add(more.guards_replayed);
        self.tests.add(more.tests);
        self.tool_time_ms += more.tool_time_ms;
    }
}

impl Severities {
    fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Critical => self.critical += 1,
            Severity::High => self.high += 1,
            Severity::Medium => self.medium += 1,
            Severity::Low => self.low += 1,
        }
    }

    fn add(&mut self, more: Self) {
        self.critical += more.critical;
        self.high += more.high;
        self.medium += more.medium;
        self.low += more.low;
    }
}

impl Guarded {
    fn add(&mut self, more: Self) {
        self.blocked += more.blocked;
        self.asked += more.asked;
        self.warned += more.warned;
        self.checkpoints += more.checkpoints;
    }
}

impl Tests {
    fn add(&mut self, more: Self) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.unclear += more.unclear;
    }
}

/// Whether a claim did not hold.
pub(super) fn failed(standing: Standing) -> bool {
    standing != Standing::Supported
}
