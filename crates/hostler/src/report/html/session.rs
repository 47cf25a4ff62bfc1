//! Session by session, folded.

use hostler_policy::claims::Standing;
use maud::{Markup, html};

use super::{Laid, SESSIONS, chart, standing, table, time};
use crate::replay::summary::{Source, Standings};
use crate::report::build::failed;
use crate::report::words::{self, count, duration, grouped};
use crate::report::{Report, Session, Turn};

/// Claims that held which a session lists; those that did not are all listed.
const HELD_MAX: usize = 25;
/// Stopped calls, and runs, that a session lists.
const ROWS_MAX: usize = 25;

/// Sessions laid out: the newest whole, the others as lines, as far as the page has room.
pub(super) fn lay(report: &Report) -> Laid {
    Laid::of(
        &report.sessions,
        &SESSIONS,
        |at, session| whole(report, at, session),
        |at, session| row(report, at, session),
    )
}

pub(super) fn section(report: &Report, listed: &Laid) -> Markup {
    html! {
        section aria-labelledby="sessions" {
            h2 #sessions { "Sessions" }
            p.hint { (count(report.totals.sessions, "session")) ", the newest first." }
            @for it in &listed.whole { (it) }
            @if !listed.lines.is_empty() {
                table.cards role="table" {
                    caption { (count(listed.lines.len() as u64, "earlier session")) " in short" }
                    thead { tr {
                        th scope="col" { "When" } th scope="col" { "Session" } th scope="col" { "Project" } th scope="col" { "Claims" }
                    } }
                    tbody { @for it in &listed.lines { (it) } }
                }
            }
            @if listed.left_out != 0 {
                p.hint {
                    (grouped(listed.left_out)) " older ones are counted above and left out here. All of them: "
                    code { "hostler --json report" } "."
                }
            }
        }
    }
}

/// What became of a session's claims.
fn result(session: &Session) -> Markup {
    let claims = &session.figures.claims;
    let not_held =
        [(Standing::Unsupported, claims.unsupported), (Standing::Contradicted, claims.contradicted)];
    let hidden = session.figures.errors_hidden;
    html! {
        @if claims.total() == 0 { span { "no claims" } }
        @if claims.supported != 0 {
            span.tone.supported { (chart::standing_glyph(Standing::Supported)) " " (grouped(claims.supported)) " held" }
        }
        @for (standing, number) in not_held {
            @if number != 0 {
                span class={ "tone " (chart::class_of(standing)) } {
                    (chart::standing_glyph(standing)) " " (grouped(number)) " " (words::standing(standing))
                }
            }
        }
        @if hidden != 0 {
            span.tone.contradicted { (chart::standing_glyph(Standing::Contradicted)) " " (grouped(hidden)) " not told" }
        }
    }
}

fn row(report: &Report, at: usize, session: &Session) -> Markup {
    html! {
        tr role="row" id={ "s" (at) } {
            td role="cell" { (time(session.started_ms, &report.time_zone)) }
            td role="cell" { (words::short(&session.id)) }
            td role="cell" { bdi { (session.project) } }
            td role="cell" { span.result { (result(session)) } }
        }
    }
}

fn whole(report: &Report, at: usize, session: &Session) -> Markup {
    let several = 1 < report.projects.len();
    html! {
        details.session id={ "s" (at) } {
            summary {
                span.when { (time(session.started_ms, &report.time_zone)) }
                span.name {
                    @if session.title.is_empty() { "session " (words::short(&session.id)) } @else { bdi { (session.title) } }
                    @if several { small { bdi { (session.project) } } }
                }
                span.result { (result(session)) }
            }
            div.body {
                p.facts { (facts(session)) }
                @for turn in session.turns.iter().filter(|it| !it.claims.is_empty() || it.claims_omitted != 0) {
                    h3 { (heading(turn)) }
                    (claims(turn))
                }
                @if !session.runs.is_empty() { (runs(session)) }
                @if !session.stopped.is_empty() { (stopped(session)) }
                @if !session.tools.is_empty() {
                    h3 { "Tools" }
                    p.facts {
                        @for (at, tool) in session.tools.iter().enumerate() {
                            @if at != 0 { ", " }
                            bdi { (tool.name) } " " (grouped(tool.calls))
                            @if tool.time_ms != 0 { " (" (duration(tool.time_ms)) ")" }
                        }
                    }
                }
            }
        }
    }
}

fn facts(session: &Session) -> Markup {
    let source = match session.source {
        Source::Transcript => "from the client's transcript",
        Source::Export => "from an export",
        Source::Journal => "from the journal",
    };
    let took = match (session.started_ms, session.ended_ms) {
        (Some(from), Some(to)) if from < to => u64::try_from(to - from).ok().map(duration),
        _ => None,
    };
    html! {
        code { (session.id) } ", " (session.host) ", " (source)
        @if let Some(branch) = &session.branch { ", branch " bdi { (branch) } }
        @if let Some(took) = took { ", over " (took) }
        ": " (count(session.figures.turns, "turn")) ", " (count(session.figures.calls, "tool call"))
        @if session.figures.calls_failed != 0 { ", " (grouped(session.figures.calls_failed)) " failed" }
        @if session.compactions != 0 { ", context compacted " (count(session.compactions, "time")) }
    }
}

fn heading(turn: &Turn) -> String {
    let mut parts = vec![words::turn(turn.index, turn.agent.as_deref()).replacen('t', "T", 1)];
    parts.push(count(turn.calls, "call"));
    parts.extend(turn.duration_ms.map(duration));
    if turn.sent_back != 0 {
        parts.push(format!("sent back {}", count(turn.sent_back, "time")));
    }
    if turn.interrupted {
        parts.push("interrupted".to_owned());
    }
    parts.join(", ")
}

fn claims(turn: &Turn) -> Markup {
    let not_held = turn.claims.iter().filter(|it| failed(it.standing));
    let held: Vec<_> = turn.claims.iter().filter(|it| !failed(it.standing)).collect();
    let listed: Vec<_> = not_held.chain(held.iter().copied().take(HELD_MAX)).collect();
    let counted: Standings = turn.standings;
    let more = counted.total().saturating_sub(listed.len() as u64);
    html! {
        ul.claims {
            @for claim in listed {
                li class=(chart::class_of(claim.standing)) {
                    (chart::standing_glyph(claim.standing))
                    div {
                        span.hidden { (words::standing(claim.standing)) ": " }
                        bdi { (claim.text) }
                        @if failed(claim.standing) { " " (standing(claim.standing)) }
                        @for why in &claim.why { div.why dir="auto" { (why) } }
                    }
                }
            }
        }
        @if more != 0 { p.facts { "and " (grouped(more)) " more" } }
    }
}

fn runs(session: &Session) -> Markup {
    html! {
        h3 { "Tests, builds and checks that ran" }
        ul.claims {
            @for run in session.runs.iter().take(ROWS_MAX) {
                @let standing = match run.passed {
                    Some(true) => Standing::Supported,
                    Some(false) => Standing::Contradicted,
                    None => Standing::Unsupported,
                };
                li class=(chart::class_of(standing)) {
                    (chart::standing_glyph(standing))
                    div {
                        (table::what(run)) " " (table::outcome(run)) " "
                        span.why { (words::turn(run.turn, run.agent.as_deref())) ", " (words::act(run.act)) }
                    }
                }
            }
        }
        @if ROWS_MAX < session.runs.len() { p.facts { "and " (session.runs.len() - ROWS_MAX) " more" } }
    }
}

fn stopped(session: &Session) -> Markup {
    html! {
        h3 { "Calls that guards stopped" }
        ul.evidence {
            @for call in session.stopped.iter().take(ROWS_MAX) {
                li dir="auto" { (table::answer(session, call)) ": " (call.tool) " " (call.target) " (" (call.rules.join(", ")) ")" }
            }
        }
        @if ROWS_MAX < session.stopped.len() { p.facts { "and " (session.stopped.len() - ROWS_MAX) " more" } }
    }
}
