//! One self-contained page: no script, no network, nothing that is not in it.
//!
//! Every text goes through maud, which escapes it; the policy in the page's head lets a browser run nothing even if
//! one did not.

mod chart;
mod finding;
mod session;
mod table;

use hostler_ledger::journal::sha256_hex;
use hostler_policy::claims::Standing;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::words::{self, count, grouped};
use super::{Guarded, Report};

const STYLE: &str = include_str!("page.css");
/// How every page of ours begins to be recognised, within its first [`GENERATOR_WITHIN_BYTES`].
pub(crate) const GENERATOR: &str = "<meta name=\"generator\" content=\"hostler ";
/// See [`GENERATOR`].
pub(crate) const GENERATOR_WITHIN_BYTES: usize = 2_048;

/// How much room a list takes on a page, bytes: first whole entries, then one line for each, then a number. All in
/// all a page stays below 3 MB.
struct Room {
    whole_bytes: usize,
    lines_bytes: usize,
}

const FINDINGS: Room = Room { whole_bytes: 700_000, lines_bytes: 500_000 };
const SESSIONS: Room = Room { whole_bytes: 1_000_000, lines_bytes: 400_000 };

/// The entries of a list as they are laid out.
#[derive(Default)]
struct Laid {
    whole: Vec<Markup>,
    lines: Vec<Markup>,
    left_out: u64,
}

impl Laid {
    fn of<T>(
        entries: &[T],
        room: &Room,
        whole: impl Fn(usize, &T) -> Markup,
        line: impl Fn(usize, &T) -> Markup,
    ) -> Self {
        let mut out = Self::default();
        let (mut whole_bytes, mut lines_bytes) = (0, 0);
        for (at, entry) in entries.iter().enumerate() {
            if whole_bytes < room.whole_bytes {
                let markup = whole(at, entry);
                whole_bytes += markup.0.len();
                out.whole.push(markup);
            } else if lines_bytes < room.lines_bytes {
                let markup = line(at, entry);
                lines_bytes += markup.0.len();
                out.lines.push(markup);
            } else {
                out.left_out += 1;
            }
        }
        out
    }

    /// How many can be linked to.
    fn placed(&self) -> usize {
        self.whole.len() + self.lines.len()
    }
}

/// The report as a page.
pub(crate) fn page(report: &Report) -> String {
    let icon = concat!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E",
        "%3Cpath fill='%232b6a99' d='M3 1v8a5 5 0 0 0 10 0V1h-3v8a2 2 0 0 1-4 0V1z'/%3E%3C/svg%3E"
    );
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        base64(&sha256(STYLE))
    );
    let sessions = session::lay(report);
    let findings = finding::lay(report, sessions.placed());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(report.generator);
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="robots" content="noindex";
                title { "hostler report: " (report.headline) }
                link rel="icon" href=(icon);
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the report" }
                (chart::patterns())
                (header(report))
                main #main tabindex="-1" {
                    (lead(report))
                    @if report.totals.sessions != 0 {
                        (finding::section(report, &findings))
                        (claims(report))
                        @if let Some(line) = chart::time_line(report) { (when(&line)) }
                        (table::guards(report))
                        (table::tests(report))
                        (table::tools(report))
                        @if 1 < report.projects.len() { (table::projects(report)) }
                        (session::section(report, &sessions))
                    }
                }
                (footer(report))
            }
        }
    }
    .into_string()
}

fn header(report: &Report) -> Markup {
    let zone = &report.time_zone;
    let moments = || report.sessions.iter().flat_map(|it| [it.started_ms, it.ended_ms]).flatten();
    let period = match (moments().min(), moments().max()) {
        (Some(first), Some(last)) => {
            let (first, last) = (words::date(Some(first), zone), words::date(Some(last), zone));
            if first == last { first } else { format!("{first} to {last}") }
        }
        _ => String::new(),
    };
    html! {
        header {
            p.brand {
                svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false" {
                    path fill="currentColor" d="M3 1v8a5 5 0 0 0 10 0V1h-3v8a2 2 0 0 1-4 0V1z" {}
                }
                "hostler report"
            }
            p {
                @if !period.is_empty() { span.nowrap { (period) } " · " }
                @match report.projects.as_slice() {
                    [] => {}
                    [one] => { bdi { (one.name) } }
                    many => { (count(many.len() as u64, "project")) }
                }
            }
        }
    }
}

fn lead(report: &Report) -> Markup {
    let all = &report.totals;
    let figure = |name: &str, number: String, more: Markup| {
        html! { div { dt { (name) } dd { div.number { (number) } div.more { (more) } } } }
    };
    let claims = all.claims;
    let stopped = |guards: Guarded| guards.blocked + guards.asked;
    html! {
        section aria-label="Summary" {
            h1 { (report.headline) }
            @if all.sessions == 0 {
                p.hint {
                    "Sessions are recorded once the hooks are registered: run " code { "hostler init" }
                    " in the project, and work as ever. Transcripts of earlier sessions can be read too: "
                    code { "hostler report ~/.claude/projects" } "."
                }
            } @else {
                dl.figures {
                    (figure("Sessions", grouped(all.sessions), html! {
                        (count(all.turns, "turn")) ", " (count(all.calls, "tool call"))
                    }))
                    (figure("Claims checked", grouped(claims.total()), html! {
                        (grouped(claims.supported)) " held, " (grouped(claims.total() - claims.supported)) " did not"
                    }))
                    (figure("Findings", grouped(all.findings.total()), html! {
                        @if all.findings.total() == 0 { (if claims.total() == claims.supported { "no issues detected" } else { "rules are switched off" }) } @else {
                            @for (at, (severity, number)) in all.findings.each().into_iter().filter(|it| it.1 != 0).enumerate() {
                                @if at != 0 { ", " }
                                (grouped(number)) " " (words::severity(severity))
                            }
                        }
                    }))
                    @if all.guards.any() || !all.guards_replayed.any() {
                        (figure("Calls stopped", grouped(stopped(all.guards)), html! {
                            (grouped(all.guards.blocked)) " blocked, " (grouped(all.guards.asked)) " asked about"
                        }))
                    } @else {
                        (figure("Calls that would be stopped", grouped(stopped(all.guards_replayed)), html! {
                            (grouped(all.guards_replayed.blocked)) " blocked, " (grouped(all.guards_replayed.asked)) " asked about"
                        }))
                    }
                    (figure("Test runs", grouped(all.tests.total()), html! {
                        @if all.tests.total() == 0 { "none was seen" } @else {
                            (grouped(all.tests.passed)) " passed, " (grouped(all.tests.failed)) " failed"
                            @if all.tests.unclear != 0 { ", " (grouped(all.tests.unclear)) " unclear" }
                        }
                    }))
                    (figure("Failed calls", grouped(all.calls_failed), html! {
                        (grouped(all.errors_hidden)) " not told"
                    }))
                }
                nav aria-label="Sections" {
                    ul {
                        li { a href="#findings" { "What did not hold" } }
                        li { a href="#claims" { "Claims over time" } }
                        li { a href="#guards" { "Guards" } }
                        li { a href="#tests" { "Tests" } }
                        li { a href="#tools" { "Tools" } }
                        li { a href="#sessions" { "Sessions" } }
                    }
                }
            }
        }
    }
}

fn claims(report: &Report) -> Markup {
    let total = report.totals.claims.total();
    html! {
        section aria-labelledby="claims" {
            h2 #claims { "Claims over time" }
            @if total == 0 {
                p.hint { "No message held a statement that could be checked against what was done." }
            } @else {
                p.hint { "What the agents said that they did, checked against what their tool calls show." }
                (chart::legend_of_standings())
                (chart::claims_by_day(report))
                (table::days(report))
            }
        }
    }
}

fn when(line: &Markup) -> Markup {
    html! {
        section aria-labelledby="when" {
            h2 #when { "When" }
            p.hint { "Sessions over the hours of each day, the newest first." }
            (chart::legend_of_severities())
            (line)
        }
    }
}

fn footer(report: &Report) -> Markup {
    html! {
        footer {
            div {
                p {
                    "A claim " b { "held" } " when the tool calls show it or could have done it. It is "
                    b { "without evidence" } " when nothing in the session could have done it, and "
                    b { "contradicted" } " when the evidence shows the opposite. What is no statement about work done (plans, \
                    questions, quotes, explanations) is not counted."
                }
                @if !report.notes.is_empty() {
                    ul { @for note in &report.notes { li { bdi { (note) } } } }
                }
                p {
                    @if report.redacted {
                        "Secrets, prompts, home folders, project folders, user names, e-mail addresses and hosts were taken out. "
                    } @else {
                        "Secrets were taken out. Paths and names are as they were recorded; "
                        code { "--redact" } " takes them out too. "
                    }
                    "Made " (words::minute(Some(report.generated_ms), &report.time_zone)) " by " (report.generator)
                    "; this page loads nothing and runs no script."
                }
            }
        }
    }
}

/// A standing in words, with its mark.
fn standing(standing: Standing) -> Markup {
    html! {
        span class={ "tone " (chart::class_of(standing)) } {
            (chart::standing_glyph(standing)) " " (words::standing(standing))
        }
    }
}

fn time(ms: Option<i64>, zone: &jiff::tz::TimeZone) -> Markup {
    html! {
        @if let Some(at) = ms { time datetime=(words::rfc3339(at)) { (words::minute(ms, zone)) } } @else { "time unknown" }
    }
}

/// A link to a session; the newest `placed` have a place on the page.
fn session_link(index: usize, id: &str, placed: usize) -> Markup {
    let name = words::short(id);
    html! {
        @if index < placed { a href={ "#s" (index) } { "session " (name) } } @else { "session " (name) }
    }
}

fn sha256(text: &str) -> Vec<u8> {
    let hex = sha256_hex(text.as_bytes());
    (0..hex.len()).step_by(2).filter_map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
}

/// As content security policies write digests.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| usize::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = char::from(LETTERS[bits >> (18 - 6 * at) & 63]);
            out.push(if at <= group.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn digests_are_written_as_browsers_read_them() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
