//! Tables: days, guards, tests, tools, projects. On a narrow screen the wide ones become cards.

use std::collections::BTreeMap;

use hostler_policy::claims::Act;
use maud::{Markup, html};

use super::{chart, time};
use crate::report::words::{self, count, duration, grouped};
use crate::report::{Guarded, Report, Run, Session, Stopped};

/// Stopped calls that are listed, the newest.
const STOPPED_MAX: usize = 100;
/// Test runs that are listed, the newest.
const RUNS_MAX: usize = 100;
/// Tools that are listed.
const TOOLS_MAX: usize = 24;
/// Projects that are listed.
const PROJECTS_MAX: usize = 200;
/// Days that are listed, the newest.
const DAYS_MAX: usize = 120;

/// The numbers of the chart of claims.
pub(super) fn days(report: &Report) -> Markup {
    let days: Vec<_> = report.days.iter().rev().collect();
    html! {
        details.more-data {
            summary { "The numbers, day by day" }
            div.scroll tabindex="0" role="region" aria-label="Numbers by day" {
                table {
                    caption { "By day, the newest first"
                        @if DAYS_MAX < days.len() { " (" (DAYS_MAX) " of " (days.len()) ")" }
                    }
                    thead { tr {
                        th scope="col" { "Day" } th.n scope="col" { "Sessions" } th.n scope="col" { "Held" }
                        th.n scope="col" { "Without evidence" } th.n scope="col" { "Contradicted" }
                        th.n scope="col" { "Findings" } th.n scope="col" { "Calls stopped" } th.n scope="col" { "Test runs" }
                    } }
                    tbody {
                        @for day in days.iter().take(DAYS_MAX) {
                            tr {
                                th.nowrap scope="row" { (day.date) }
                                @for number in [day.sessions, day.claims.supported, day.claims.unsupported, day.claims.contradicted,
                                    day.findings.total(), day.stopped, day.tests.total()] {
                                    td.n { (grouped(number)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the guards stopped, by rule and call by call.
pub(super) fn guards(report: &Report) -> Markup {
    let all = &report.totals;
    let mut calls: Vec<(&Session, &Stopped)> = report
        .sessions
        .iter()
        .flat_map(|session| session.stopped.iter().map(move |it| (session, it)))
        .collect();
    calls.sort_by_key(|(session, it)| std::cmp::Reverse(it.at_ms.or(session.started_ms)));
    let sentence = |guards: Guarded| {
        format!(
            "{} blocked, {} asked about, {} warned of; files were kept before {}",
            count(guards.blocked, "call"),
            grouped(guards.asked),
            grouped(guards.warned),
            count(guards.checkpoints, "call")
        )
    };
    html! {
        section aria-labelledby="guards" {
            h2 #guards { "What the guards did" }
            @if !report.sessions.iter().any(|it| it.guarded) {
                p.hint { "The guards were not asked in these sessions." }
            } @else {
                @if report.sessions.iter().any(|it| it.guarded && it.guards_recorded) {
                    p.hint { (sentence(all.guards)) "." }
                }
                @if report.sessions.iter().any(|it| it.guarded && !it.guards_recorded) {
                    p.hint {
                        "In sessions that ran without them, as they would decide today: " (sentence(all.guards_replayed)) "."
                    }
                }
                @if !report.guards.is_empty() {
                    table.narrow {
                        caption { "By guard" }
                        thead { tr { th scope="col" { "Guard" } th.n scope="col" { "Blocked" } th.n scope="col" { "Asked" } } }
                        tbody {
                            @for guard in &report.guards {
                                tr { th scope="row" { (guard.rule) } td.n { (grouped(guard.blocked)) } td.n { (grouped(guard.asked)) } }
                            }
                        }
                    }
                }
                @if !calls.is_empty() {
                    details.more-data {
                        summary { "The calls and the reasons" }
                        table.cards role="table" {
                            caption {
                                "The newest first"
                                @if STOPPED_MAX < calls.len() { " (" (STOPPED_MAX) " of " (grouped(calls.len() as u64)) ")" }
                            }
                            thead { tr {
                                th scope="col" { "When" } th scope="col" { "Answer" } th scope="col" { "Call" } th scope="col" { "Why" }
                            } }
                            tbody {
                                @for (session, call) in calls.iter().take(STOPPED_MAX) {
                                    tr role="row" {
                                        td role="cell" { (time(call.at_ms.or(session.started_ms), &report.time_zone)) }
                                        td role="cell" data-label="Answer" { (answer(session, call)) }
                                        td role="cell" { (call.tool) " " code dir="auto" { (call.target) } }
                                        td role="cell" dir="auto" {
                                            @if call.reason.is_empty() { (call.rules.join(", ")) } @else { (call.reason) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What a guard said, or would have said.
pub(super) fn answer(session: &Session, call: &Stopped) -> String {
    if session.guards_recorded { call.status.clone() } else { format!("would be {}", call.status) }
}

#[derive(Default)]
struct Program<'a> {
    runs: u64,
    passed: u64,
    failed: u64,
    last: Option<(Option<i64>, &'a Run)>,
}

/// Test runs by program, and the newest one by one.
pub(super) fn tests(report: &Report) -> Markup {
    let mut runs: Vec<(Option<i64>, &Session, &Run)> = report
        .sessions
        .iter()
        .flat_map(|session| {
            session.runs.iter().map(move |run| (run.at_ms.or(session.started_ms), session, run))
        })
        .filter(|(_, _, run)| run.act == Act::Test)
        .collect();
    runs.sort_by_key(|it| std::cmp::Reverse(it.0));
    let mut programs: BTreeMap<&str, Program<'_>> = BTreeMap::new();
    for (at, _, run) in &runs {
        let program = programs.entry(&run.program).or_default();
        program.runs += 1;
        program.passed += u64::from(run.passed == Some(true));
        program.failed += u64::from(run.passed == Some(false));
        program.last.get_or_insert((*at, run));
    }
    let mut programs: Vec<_> = programs.into_iter().collect();
    programs.sort_by_key(|(_, program)| std::cmp::Reverse(program.runs));
    html! {
        section aria-labelledby="tests" {
            h2 #tests { "Tests that really ran" }
            @if runs.is_empty() {
                p.hint { "No run of tests was seen." }
            } @else {
                p.hint { "Runs with what their own output said, not what was told about them." }
                table.cards role="table" {
                    caption { "By program" }
                    thead { tr {
                        th scope="col" { "Program" } th.n scope="col" { "Runs" } th.n scope="col" { "Passed" }
                        th.n scope="col" { "Failed" } th scope="col" { "Last run" }
                    } }
                    tbody {
                        @for (name, program) in &programs {
                            tr role="row" {
                                th role="rowheader" scope="row" { (name) }
                                td.n role="cell" data-label="Runs" { (grouped(program.runs)) }
                                td.n role="cell" data-label="Passed" { (grouped(program.passed)) }
                                td.n role="cell" data-label="Failed" { (grouped(program.failed)) }
                                td role="cell" data-label="Last run" {
                                    @if let Some((at, run)) = &program.last {
                                        (words::passed(run.passed)) ", " (time(*at, &report.time_zone))
                                        @if !run.counts.is_empty() { " (" (run.counts) ")" }
                                    }
                                }
                            }
                        }
                    }
                }
                details.more-data {
                    summary { "The runs one by one" }
                    table.cards role="table" {
                        caption {
                            "The newest first"
                            @if RUNS_MAX < runs.len() { " (" (RUNS_MAX) " of " (grouped(runs.len() as u64)) ")" }
                        }
                        thead { tr {
                            th scope="col" { "When" } th scope="col" { "Session" } th scope="col" { "Run" } th scope="col" { "Outcome" }
                        } }
                        tbody {
                            @for (at, session, run) in runs.iter().take(RUNS_MAX) {
                                tr role="row" {
                                    td role="cell" { (time(*at, &report.time_zone)) }
                                    td.nowrap role="cell" data-label="Session" {
                                        (words::short(&session.id)) ", " (words::turn(run.turn, run.agent.as_deref()))
                                    }
                                    td role="cell" { (what(run)) }
                                    td role="cell" data-label="Outcome" { (outcome(run)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Program and scope.
pub(super) fn what(run: &Run) -> Markup {
    html! { code dir="auto" { (run.program) @for part in &run.scope { " " (part) } } }
}

/// How it ended, and with which counts.
pub(super) fn outcome(run: &Run) -> String {
    let ended = words::passed(run.passed);
    if run.counts.is_empty() { ended.to_owned() } else { format!("{ended}: {}", run.counts) }
}

/// Calls and time by tool.
pub(super) fn tools(report: &Report) -> Markup {
    let calls_most = report.tools.iter().map(|it| it.calls).max().unwrap_or_default();
    let time_most = report.tools.iter().map(|it| it.time_ms).max().unwrap_or_default();
    html! {
        section aria-labelledby="tools" {
            h2 #tools { "Tools" }
            @if report.tools.is_empty() {
                p.hint { "No tool was called." }
            } @else {
                p.hint {
                    (count(report.totals.calls, "call"))
                    @if time_most != 0 { ", " (duration(report.totals.tool_time_ms)) " in those whose duration is known" }
                    "."
                }
                table {
                    caption {
                        "By tool"
                        @if TOOLS_MAX < report.tools.len() { " (" (TOOLS_MAX) " of " (report.tools.len()) ")" }
                    }
                    thead { tr {
                        th scope="col" { "Tool" } th.n scope="col" { "Calls" } td.wide {}
                        @if time_most != 0 { th.n scope="col" { "Time" } td.wide {} }
                    } }
                    tbody {
                        @for tool in report.tools.iter().take(TOOLS_MAX) {
                            tr {
                                th scope="row" { bdi { (tool.name) } }
                                td.n { (grouped(tool.calls)) }
                                td.bar.wide { (chart::bar(tool.calls, calls_most)) }
                                @if time_most != 0 {
                                    td.n { @if tool.time_ms == 0 { "–" } @else { (duration(tool.time_ms)) } }
                                    td.bar.wide { (chart::bar(tool.time_ms, time_most)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Project by project.
pub(super) fn projects(report: &Report) -> Markup {
    html! {
        section aria-labelledby="projects" {
            h2 #projects { "Projects" }
            p.hint { "Where the sessions ran, and what held there." }
            (chart::legend_of_standings())
            table.cards role="table" {
                caption {
                    "The project with most sessions first"
                    @if PROJECTS_MAX < report.projects.len() { " (" (PROJECTS_MAX) " of " (report.projects.len()) ")" }
                }
                thead { tr {
                    th scope="col" { "Project" } th.n scope="col" { "Sessions" } th.n scope="col" { "Claims" }
                    td {} th.n scope="col" { "Did not hold" } th.n scope="col" { "Findings" } th.n scope="col" { "Stopped" }
                    th.n scope="col" { "Test runs" }
                } }
                tbody {
                    @for project in report.projects.iter().take(PROJECTS_MAX) {
                        @let it = &project.figures;
                        tr role="row" {
                            th role="rowheader" scope="row" { bdi { (project.name) } }
                            td.n role="cell" data-label="Sessions" { (grouped(it.sessions)) }
                            td.n role="cell" data-label="Claims" { (grouped(it.claims.total())) }
                            td.bar role="cell" { (chart::standings(&it.claims)) }
                            td.n role="cell" data-label="Did not hold" { (grouped(it.claims.total() - it.claims.supported)) }
                            td.n role="cell" data-label="Findings" { (grouped(it.findings.total())) }
                            td.n role="cell" data-label="Stopped" {
                                (grouped(it.guards.blocked + it.guards.asked + it.guards_replayed.blocked + it.guards_replayed.asked))
                            }
                            td.n role="cell" data-label="Test runs" { (grouped(it.tests.total())) }
                        }
                    }
                }
            }
        }
    }
}
