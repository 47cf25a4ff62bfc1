//! What did not hold: the claim as it was written, and what the evidence says.

use maud::{Markup, html};

use super::{FINDINGS, Laid, chart, session_link, time};
use crate::report::words::{self, count, grouped};
use crate::report::{Found, Report};

/// Findings laid out: the gravest whole, the others as lines, as far as the page has room.
pub(super) fn lay(report: &Report, placed: usize) -> Laid {
    Laid::of(
        &report.findings,
        &FINDINGS,
        |at, found| whole(report, at, found, placed),
        |_, found| row(report, found, placed),
    )
}

pub(super) fn section(report: &Report, listed: &Laid) -> Markup {
    let several = 1 < report.projects.len();
    html! {
        section aria-labelledby="findings" {
            h2 #findings { "What did not hold" }
            @if report.findings.is_empty() {
                @let not_held = report.totals.claims.total() - report.totals.claims.supported;
                @if not_held != 0 {
                    p.clean { (words::unnamed(not_held)) "." }
                } @else {
                    p.clean { "No issues detected." }
                    p.hint {
                        @if report.totals.claims.total() == 0 { "There was nothing to check." }
                        @else { "Every claim that could be checked held, and no failure was kept back." }
                    }
                }
            } @else {
                p.hint {
                    "The gravest first. "
                    @if report.findings.iter().any(|it| it.id.is_some()) {
                        "The command below a finding shows how the claim was read and all the evidence that was considered."
                    }
                }
                @for it in &listed.whole { (it) }
                @if !listed.lines.is_empty() {
                    div.scroll tabindex="0" role="region" aria-label="Further findings" {
                        table {
                            caption { (count(listed.lines.len() as u64, "further finding")) " in short" }
                            thead { tr {
                                th scope="col" { "Severity" } th scope="col" { "Claim" } th scope="col" { "Rule" }
                                th scope="col" { "Where" }
                            } }
                            tbody { @for it in &listed.lines { (it) } }
                        }
                    }
                }
                @if listed.left_out != 0 {
                    p.hint {
                        (grouped(listed.left_out)) " more " @if listed.left_out == 1 { "is" } @else { "are" }
                        " left out here. All of them: " code { "hostler --json report" }
                        @if several { " or the report of one project" } "."
                    }
                }
            }
        }
    }
}

fn severity(found: &Found) -> Markup {
    html! {
        span.tone { (chart::severity_glyph(found.severity)) " " (capital(words::severity(found.severity))) }
    }
}

fn whole(report: &Report, at: usize, found: &Found, placed: usize) -> Markup {
    let several = 1 < report.projects.len();
    html! {
        article class={ "finding " (words::severity(found.severity)) } id={ "f" (at) } {
            h3 {
                (severity(found))
                span.rule { bdi { (capital(&found.description)) } }
            }
            @if !found.claim.is_empty() { blockquote { p dir="auto" { (found.claim) } } }
            @if !found.evidence.is_empty() {
                ul.evidence aria-label="Evidence" { @for line in &found.evidence { li dir="auto" { (line) } } }
            }
            @if !found.tools_required.is_empty() {
                p.hint {
                    "Would have shown it: " (found.tools_required.join(", ")) ". Used: "
                    @if found.tools_found.is_empty() { "none" } @else { (found.tools_found.join(", ")) } "."
                }
            }
            footer {
                span { (found.rule) }
                span { (session_link(found.session, &found.session_id, placed)) ", " (words::turn(found.turn, found.agent.as_deref())) }
                span { (time(found.at_ms, &report.time_zone)) }
                @if several { bdi { (found.project) } }
                @if let Some(file) = &found.file { bdi { (file) } }
                @if let Some(id) = &found.id { code { "hostler audit explain " (id) } }
            }
        }
    }
}

fn row(report: &Report, found: &Found, placed: usize) -> Markup {
    html! {
        tr class=(words::severity(found.severity)) {
            td { (severity(found)) }
            td dir="auto" { (found.claim) }
            td { (found.rule) }
            td { (session_link(found.session, &found.session_id, placed)) ", " (time(found.at_ms, &report.time_zone)) }
        }
    }
}

/// The sentence of a rule as the beginning of a paragraph.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        // A path or a command keeps its letters.
        Some(first) if first.is_ascii_lowercase() && text.split(' ').next().is_some_and(is_plain) => {
            first.to_ascii_uppercase().to_string() + chars.as_str()
        }
        _ => text.to_owned(),
    }
}

fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase())
}
