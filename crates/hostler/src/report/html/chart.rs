//! Charts as inline SVG. Places along the width are percentages and text keeps its size, so that a chart fits any
//! width without being scaled; kinds differ by pattern and shape as well as by colour.

use std::collections::BTreeMap;

use hostler_policy::claims::{Severity, Standing};
use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};

use crate::replay::summary::Standings;
use crate::report::words::{self, count, grouped};
use crate::report::{Day, Report, Session};

/// Bars of a trend: fewer would be too thick, more too thin.
const SLOTS_MIN: usize = 10;
const SLOTS_MAX: usize = 31;
/// Bars that can all be labelled on a wide screen.
const LABELS_MAX: usize = 15;
const PLOT_HEIGHT: f64 = 150.0;
/// Room above the bars for their totals.
const PLOT_TOP: f64 = 20.0;
/// Room below for the dates.
const PLOT_BOTTOM: f64 = 24.0;
/// Height of a part that would be too thin to be seen.
const PART_HEIGHT_MIN: f64 = 4.0;
/// Days of the time line.
const ROWS_MAX: usize = 14;
/// Sessions that are drawn beside each other in a row.
const LANES_MAX: usize = 4;
const LANE_HEIGHT: usize = 14;
/// With more turns than this, only the sessions are drawn.
const TURNS_MAX: usize = 1_500;
const MINUTES_PER_DAY: f64 = 1_440.0;

/// Patterns that the charts use, once a page.
pub(super) fn patterns() -> Markup {
    html! {
        svg.defs aria-hidden="true" focusable="false" {
            defs {
                pattern #hatch width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect width="6" height="6" {}
                    path d="M1.5 0V6" {}
                }
                pattern #cross width="7" height="7" patternUnits="userSpaceOnUse" {
                    rect width="7" height="7" {}
                    path d="M1.5 1.5l4 4m0-4l-4 4" {}
                }
            }
        }
    }
}

/// A shape for a severity, in a box of 16 by 16.
fn severity_path(severity: Severity) -> &'static str {
    match severity {
        // An octagon with a cross cut out, a triangle with a bar cut out, a disc, a small ring.
        Severity::Critical => {
            "M5 0h6l5 5v6l-5 5H5l-5-5V5zM4 5.4 6.6 8 4 10.6 5.4 12 8 9.4 10.6 12 12 10.6 9.4 8 12 5.4 10.6 4 8 6.6 5.4 4z"
        }
        Severity::High => "M8 .5 16 15.5H0zM7 5.5v5h2v-5zm0 6.5v2h2v-2z",
        Severity::Medium => "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z",
        Severity::Low => "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3zm0 2.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8z",
    }
}

fn standing_path(standing: Standing) -> &'static str {
    match standing {
        Standing::Supported => "M6.2 14.4.8 9l2-2 3.4 3.4L13.2 3l2 2z",
        Standing::Unsupported => {
            "M4 5.5C4 2.8 5.8 1.2 8.2 1.2s4.2 1.5 4.2 3.9c0 3-3.2 3.2-3.2 5.4H7c0-3.4 3-3.7 3-5.3 0-1-.7-1.6-1.8-1.6-1.2 0-1.9.7-1.9 1.9zM6.8 12.3h2.6v2.6H6.8z"
        }
        Standing::Contradicted => {
            "M2.9 1 8 6.1 13.1 1 15 2.9 9.9 8l5.1 5.1-1.9 1.9L8 9.9 2.9 15 1 13.1 6.1 8 1 2.9z"
        }
    }
}

/// A severity's shape beside its name; the name is what is read out.
pub(super) fn severity_glyph(severity: Severity) -> Markup {
    glyph(severity_path(severity))
}

/// A standing's shape.
pub(super) fn standing_glyph(standing: Standing) -> Markup {
    glyph(standing_path(standing))
}

fn glyph(path: &str) -> Markup {
    html! { svg.glyph viewBox="0 0 16 16" aria-hidden="true" focusable="false" { path fill-rule="evenodd" d=(path) {} } }
}

/// How claims stood, bar by bar.
pub(super) fn claims_by_day(report: &Report) -> Markup {
    let bars = bars(&report.days);
    let most = bars.iter().map(|bar| bar.claims.total()).max().unwrap_or_default().max(1);
    let top = nice(most);
    let slot = 100.0 / usize_f64(bars.len().max(1));
    let every = if bars.len() <= LABELS_MAX { 1 } else { 2 };
    let height = PLOT_TOP + PLOT_HEIGHT + PLOT_BOTTOM;
    let y = |value: f64| PLOT_TOP + PLOT_HEIGHT * (1.0 - value / u64_f64(top));
    let total = &report.totals.claims;
    let label = format!(
        "Claims by what became of them, {} bars: {} held, {} without evidence, {} contradicted. The numbers follow as a table.",
        bars.len(),
        total.supported,
        total.unsupported,
        total.contradicted
    );
    let lines = [0, top / 2, top];
    html! {
        figure.chart role="img" aria-label=(label) {
            svg.axis width="38" height=(height) aria-hidden="true" {
                @for line in lines {
                    text x="30" y=(px(y(u64_f64(line)) + 4.0)) text-anchor="end" { (grouped(line)) }
                }
            }
            svg.plot width="100%" height=(height) aria-hidden="true" {
                @for line in lines {
                    line.grid.base[line == 0] x1="0" x2="100%" y1=(px(y(u64_f64(line)))) y2=(px(y(u64_f64(line)))) {}
                }
                @for (at, bar) in bars.iter().enumerate() {
                    @let left = slot * usize_f64(at);
                    @let middle = format!("{:.3}%", left + slot / 2.0);
                    g {
                        title { (bar.title()) }
                        // The whole column answers the pointer.
                        rect x=(percent(left)) width=(percent(slot)) y="0" height=(height) fill="none" pointer-events="all" {}
                        @for part in parts(&bar.claims, &y) {
                            rect class=(part.class) x=(percent(left + slot * 0.18)) width=(percent(slot * 0.64))
                                y=(px(part.top)) height=(px(part.height)) {}
                        }
                        @if bar.claims.total() != 0 && bars.len() <= 20 {
                            @let above = parts(&bar.claims, &y).last().map_or(0.0, |part| part.top) - 6.0;
                            text.total.wide[10 < bars.len()] x=(middle) y=(px(above)) text-anchor="middle" { (grouped(bar.claims.total())) }
                        }
                    }
                    @if at % every == 0 {
                        // Every third of them fits on a narrow screen.
                        text.wide[at % (every * 3) != every] x=(middle) y=(height - 6.0) text-anchor="middle" { (bar.label) }
                    }
                }
            }
        }
    }
}

struct Part {
    class: &'static str,
    top: f64,
    height: f64,
}

/// The parts of a bar from the bottom.
fn parts(claims: &Standings, y: &dyn Fn(f64) -> f64) -> Vec<Part> {
    let mut bottom = y(0.0);
    [
        ("held-fill", claims.supported),
        ("unsupported-fill unsupported-edge", claims.unsupported),
        ("contradicted-fill contradicted-edge", claims.contradicted),
    ]
    .into_iter()
    .filter(|(_, number)| *number != 0)
    .map(|(class, number)| {
        let height = (y(0.0) - y(u64_f64(number))).max(PART_HEIGHT_MIN);
        bottom -= height;
        Part { class, top: bottom, height }
    })
    .collect()
}

/// One bar: a day, a week or a month.
struct Bar {
    label: String,
    what: String,
    claims: Standings,
}

impl Bar {
    fn title(&self) -> String {
        format!(
            "{}: {} held, {} without evidence, {} contradicted",
            self.what,
            grouped(self.claims.supported),
            grouped(self.claims.unsupported),
            grouped(self.claims.contradicted)
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    Day,
    Week,
    Month,
}

impl Grain {
    fn begin(self, date: Date) -> Date {
        match self {
            Self::Day => date,
            Self::Week => {
                date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days()).unwrap_or(date)
            }
            Self::Month => date.first_of_month(),
        }
    }

    fn next(self, date: Date) -> Option<Date> {
        match self {
            Self::Day => date.checked_add(1.day()),
            Self::Week => date.checked_add(1.week()),
            Self::Month => date.checked_add(1.month()),
        }
        .ok()
    }

    fn previous(self, date: Date) -> Option<Date> {
        match self {
            Self::Day => date.checked_sub(1.day()),
            Self::Week => date.checked_sub(1.week()),
            Self::Month => date.checked_sub(1.month()),
        }
        .ok()
    }

    fn bar(self, date: Date, claims: Standings) -> Bar {
        let (label, what) = match self {
            Self::Day => ("%b %-d", "%A %-d %B %Y"),
            Self::Week => ("%b %-d", "week of %-d %B %Y"),
            Self::Month => ("%b %Y", "%B %Y"),
        };
        Bar { label: date.strftime(label).to_string(), what: date.strftime(what).to_string(), claims }
    }
}

/// The days in slots without gaps: single days as long as they fit, then weeks, then months; the newest are kept.
fn bars(days: &[Day]) -> Vec<Bar> {
    let dated: Vec<(Date, &Day)> = days
        .iter()
        .filter(|day| day.claims.total() != 0)
        .filter_map(|day| Some((day.date.parse().ok()?, day)))
        .collect();
    let (Some((first, _)), Some((last, _))) = (dated.first(), dated.last()) else { return Vec::new() };
    let fits = |grain: Grain| {
        let (mut at, mut number) = (grain.begin(*first), 1);
        while at < grain.begin(*last) && number <= SLOTS_MAX {
            let Some(next) = grain.next(at) else { break };
            (at, number) = (next, number + 1);
        }
        number <= SLOTS_MAX
    };
    let grain = [Grain::Day, Grain::Week].into_iter().find(|it| fits(*it)).unwrap_or(Grain::Month);
    let mut sums: BTreeMap<Date, Standings> = BTreeMap::new();
    for (date, day) in &dated {
        let sum = sums.entry(grain.begin(*date)).or_default();
        sum.supported += day.claims.supported;
        sum.unsupported += day.claims.unsupported;
        sum.contradicted += day.claims.contradicted;
    }
    let first = grain.begin(*first);
    let mut at = Some(grain.begin(*last));
    let mut bars = Vec::new();
    while let Some(date) = at.filter(|_| bars.len() < SLOTS_MAX) {
        if date < first && SLOTS_MIN <= bars.len() {
            break;
        }
        bars.push(grain.bar(date, sums.get(&date).copied().unwrap_or_default()));
        at = grain.previous(date);
    }
    bars.reverse();
    bars
}

/// A round even number that is not below `most`.
fn nice(most: u64) -> u64 {
    let mut step = 1_u64;
    loop {
        for factor in [2, 4, 6, 8, 10] {
            let top = step.saturating_mul(factor);
            if most <= top {
                return top;
            }
        }
        step = step.saturating_mul(10);
    }
}

/// Sessions over the hours of the newest days, their turns as bars and their findings as marks.
/// `None` when no session has a time.
pub(super) fn time_line(report: &Report) -> Option<Markup> {
    let mut rows: BTreeMap<String, Vec<Stretch<'_>>> = BTreeMap::new();
    for (at, session) in report.sessions.iter().enumerate() {
        for stretch in stretches(report, at, session) {
            rows.entry(stretch.date.clone()).or_default().push(stretch);
        }
    }
    let days = rows.len();
    let rows: Vec<Row<'_>> =
        rows.into_iter().rev().take(ROWS_MAX).map(|(date, stretches)| Row::of(date, stretches)).collect();
    if rows.is_empty() {
        return None;
    }
    let hours = Hours::of(&rows);
    let turns: usize = rows.iter().flat_map(|row| &row.lanes).flatten().map(|it| it.turns.len()).sum();
    let mut y = 4;
    let mut placed = Vec::new();
    for row in &rows {
        placed.push((y, row));
        y += row.height();
    }
    let (bottom, height) = (y, y + 22);
    let label = format!(
        "When sessions ran, over the hours of {}; findings are marked. Sessions and findings are listed on this page.",
        count(rows.len() as u64, "day")
    );
    Some(html! {
        figure.chart role="img" aria-label=(label) {
            svg.axis width="78" height=(height) aria-hidden="true" {
                @for (y, row) in &placed {
                    text x="0" y=(y + row.height() / 2 + 4) { (row.label()) }
                }
            }
            svg.plot width="100%" height=(height) aria-hidden="true" {
                @for hour in hours.marks() {
                    @let x = hours.at(f64::from(hour) * 60.0);
                    line.grid x1=(x) x2=(x) y1="4" y2=(bottom) {}
                    @let anchor = if hour == hours.first { "start" } else if hour == hours.last { "end" } else { "middle" };
                    text x=(x) y=(bottom + 18) text-anchor=(anchor) { (format!("{hour}:00")) }
                }
                @for (y, row) in &placed {
                    line.grid x1="0" x2="100%" y1=(y + row.height()) y2=(y + row.height()) {}
                    @for (lane, stretches) in row.lanes.iter().enumerate() {
                        @let middle = y + 4 + lane * LANE_HEIGHT + LANE_HEIGHT / 2;
                        @for stretch in stretches {
                            g {
                                title { (stretch.title(report)) }
                                line.span x1=(hours.at(stretch.from)) x2=(hours.at(stretch.to)) y1=(middle) y2=(middle) {}
                                @if turns <= TURNS_MAX {
                                    @for (from, to) in &stretch.turns {
                                        rect.turn x=(hours.at(*from)) width=(hours.width(*from, *to)) y=(middle - 4) height="8" rx="1" {}
                                    }
                                } @else {
                                    rect.turn x=(hours.at(stretch.from)) width=(hours.width(stretch.from, stretch.to))
                                        y=(middle - 4) height="8" rx="1" {}
                                }
                            }
                        }
                        @for mark in marks(stretches) {
                            svg class=(words::severity(mark.severity)) x=(hours.at(mark.at)) y=(middle) width="1" height="1" overflow="visible" {
                                title { (mark.what) }
                                path.mark transform={ "translate(" (px(mark.beside * 15.0 - 7.0)) " -7) scale(.875)" }
                                    fill-rule="evenodd" d=(severity_path(mark.severity)) {}
                            }
                        }
                    }
                }
            }
        }
        @if rows.len() < days {
            p.hint { "The newest " (rows.len()) " of " (days) " days with sessions are drawn." }
        }
    })
}

/// The hours that are drawn: those in which something happened.
struct Hours {
    first: u8,
    last: u8,
}

impl Hours {
    /// Hours between marks, and what the ends are rounded to.
    const STEP: u8 = 3;

    fn of(rows: &[Row<'_>]) -> Self {
        let stretches = || rows.iter().flat_map(|row| row.lanes.iter().flatten());
        let from = stretches().map(|it| it.from).fold(MINUTES_PER_DAY, f64::min);
        let to = stretches().map(|it| it.to).fold(0.0, f64::max);
        let marks = 24 / Self::STEP;
        let first = (0..marks).rev().map(|it| it * Self::STEP).find(|it| f64::from(*it) * 60.0 <= from);
        let last = (1..=marks).map(|it| it * Self::STEP).find(|it| to <= f64::from(*it) * 60.0);
        let (first, last) = (first.unwrap_or(0), last.unwrap_or(24));
        // A quarter of a day at least: shorter ones would stretch minutes into hours.
        if last - first < 6 {
            Self { first: first.min(18), last: (first.min(18) + 6) }
        } else {
            Self { first, last }
        }
    }

    fn marks(&self) -> Vec<u8> {
        let step = if self.last - self.first <= 12 { Self::STEP } else { 2 * Self::STEP };
        let mut marks: Vec<u8> = (self.first..=self.last).step_by(usize::from(step)).collect();
        if marks.last() != Some(&self.last) {
            marks.push(self.last);
        }
        marks
    }

    fn at(&self, minute: f64) -> String {
        let (first, last) = (f64::from(self.first) * 60.0, f64::from(self.last) * 60.0);
        percent((minute - first) * 100.0 / (last - first))
    }

    fn width(&self, from: f64, to: f64) -> String {
        let minutes = f64::from(self.last - self.first) * 60.0;
        percent((to - from).max(minutes / 400.0) * 100.0 / minutes)
    }
}

/// A finding on the time line.
struct Mark<'a> {
    at: f64,
    severity: Severity,
    what: &'a str,
    /// Place in a row of marks of the same moment.
    beside: f64,
}

/// The findings of a lane; those of the same moment stand beside each other.
fn marks<'a>(stretches: &'a [Stretch<'_>]) -> Vec<Mark<'a>> {
    let mut out: Vec<Mark<'a>> = Vec::new();
    for stretch in stretches {
        let mut sorted: Vec<_> = stretch.marks.iter().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        for (at, severity, what) in sorted {
            let beside = match out.last() {
                Some(last) if (last.at - at).abs() < 1.0 => last.beside + 1.0,
                _ => 0.0,
            };
            out.push(Mark { at: *at, severity: *severity, what, beside });
        }
    }
    out
}

/// The part of a session that lies in one day, in minutes since midnight.
struct Stretch<'a> {
    session: &'a Session,
    date: String,
    from: f64,
    to: f64,
    turns: Vec<(f64, f64)>,
    marks: Vec<(f64, Severity, String)>,
}

impl Stretch<'_> {
    fn title(&self, report: &Report) -> String {
        format!(
            "{} in {}, {} to {}",
            words::short(&self.session.id),
            self.session.project,
            words::minute(self.session.started_ms, &report.time_zone),
            words::minute(self.session.ended_ms, &report.time_zone),
        )
    }
}

/// A session as it lies over days; only days on which a turn began, and those of its first and last moment.
fn stretches<'a>(report: &Report, index: usize, session: &'a Session) -> Vec<Stretch<'a>> {
    let zone = &report.time_zone;
    let mut by_day: BTreeMap<String, Stretch<'a>> = BTreeMap::new();
    let mut add = |from_ms: i64, to_ms: i64, is_turn: bool| {
        let Some(from) = words::minute_of_day(from_ms, zone).map(f64::from) else { return };
        let date = words::date(Some(from_ms), zone);
        // What goes on after midnight ends at midnight here.
        #[expect(clippy::cast_precision_loss, reason = "minutes")]
        let to = (from + (to_ms - from_ms).max(0) as f64 / 60_000.0).min(MINUTES_PER_DAY);
        let stretch = by_day.entry(date.clone()).or_insert_with(|| Stretch {
            session,
            date,
            from,
            to,
            turns: Vec::new(),
            marks: Vec::new(),
        });
        stretch.from = stretch.from.min(from);
        stretch.to = stretch.to.max(to);
        if is_turn {
            stretch.turns.push((from, to));
        }
    };
    for turn in &session.turns {
        if let Some(at) = turn.started_ms {
            let duration = i64::try_from(turn.duration_ms.unwrap_or_default()).unwrap_or_default();
            add(at, at.saturating_add(duration), true);
        }
    }
    for at in [session.started_ms, session.ended_ms].into_iter().flatten() {
        add(at, at, false);
    }
    for found in report.findings.iter().filter(|it| it.session == index) {
        let place = found
            .at_ms
            .and_then(|at| Some((words::date(Some(at), zone), f64::from(words::minute_of_day(at, zone)?))));
        if let Some((date, at)) = place
            && let Some(stretch) = by_day.get_mut(&date)
        {
            let what = format!(
                "{}: {} in {} of {}",
                words::severity(found.severity),
                found.rule,
                words::turn(found.turn, found.agent.as_deref()),
                words::short(&session.id)
            );
            stretch.marks.push((at, found.severity, what));
        }
    }
    by_day.into_values().collect()
}

struct Row<'a> {
    date: String,
    lanes: Vec<Vec<Stretch<'a>>>,
}

impl<'a> Row<'a> {
    /// Sessions that ran at the same time get lanes of their own, as long as there are some.
    fn of(date: String, mut stretches: Vec<Stretch<'a>>) -> Self {
        stretches.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut lanes: Vec<Vec<Stretch<'a>>> = Vec::new();
        for stretch in stretches {
            let free = |lane: &Vec<Stretch<'_>>| lane.last().is_none_or(|last| last.to + 4.0 <= stretch.from);
            match lanes.iter().position(free) {
                Some(at) => lanes[at].push(stretch),
                None if lanes.len() < LANES_MAX => lanes.push(vec![stretch]),
                None => {
                    if let Some(last) = lanes.last_mut() {
                        last.push(stretch);
                    }
                }
            }
        }
        Self { date, lanes }
    }

    fn height(&self) -> usize {
        self.lanes.len() * LANE_HEIGHT + 8
    }

    fn label(&self) -> String {
        self.date
            .parse::<Date>()
            .map_or_else(|_| self.date.clone(), |it| it.strftime("%a %-d %b").to_string())
    }
}

/// A bar of a table's cell: `part` of `whole`.
pub(super) fn bar(part: u64, whole: u64) -> Markup {
    let width = if whole == 0 { 0.0 } else { u64_f64(part) * 100.0 / u64_f64(whole) };
    html! {
        svg width="100%" height="10" aria-hidden="true" focusable="false" {
            rect.track x="0" y="4" width="100%" height="2" {}
            @if part != 0 { rect.held-fill x="0" y="0" width=(percent(width.max(0.5))) height="10" {} }
        }
    }
}

/// How claims stood, as one bar.
pub(super) fn standings(claims: &Standings) -> Markup {
    let whole = u64_f64(claims.total().max(1));
    let mut left = 0.0;
    let parts = [
        ("held-fill", claims.supported),
        ("unsupported-fill unsupported-edge", claims.unsupported),
        ("contradicted-fill contradicted-edge", claims.contradicted),
    ]
    .map(|(class, number)| {
        let width = u64_f64(number) * 100.0 / whole;
        left += width;
        (class, left - width, width)
    });
    html! {
        svg width="100%" height="12" aria-hidden="true" focusable="false" {
            rect.track x="0" y="5" width="100%" height="2" {}
            @for (class, left, width) in parts.iter().filter(|it| 0.0 < it.2) {
                rect class=(class) x=(percent(*left)) y="1" width=(percent(*width)) height="10" {}
            }
        }
    }
}

/// What the patterns mean.
pub(super) fn legend_of_standings() -> Markup {
    let kinds = [
        (Standing::Supported, "held-fill", "held"),
        (Standing::Unsupported, "unsupported-fill unsupported-edge", "without evidence"),
        (Standing::Contradicted, "contradicted-fill contradicted-edge", "contradicted"),
    ];
    html! {
        ul.legend {
            @for (standing, class, name) in kinds {
                li class=(class_of(standing)) {
                    svg width="18" height="14" aria-hidden="true" focusable="false" {
                        rect class=(class) x="1" y="1" width="16" height="12" {}
                    }
                    span { (name) }
                }
            }
        }
    }
}

/// What the marks mean.
pub(super) fn legend_of_severities() -> Markup {
    html! {
        ul.legend {
            li {
                svg width="28" height="14" aria-hidden="true" focusable="false" {
                    line.span x1="0" x2="28" y1="7" y2="7" {}
                    rect.turn x="6" y="3" width="12" height="8" rx="1" {}
                }
                span { "session with a turn" }
            }
            @for severity in [Severity::Critical, Severity::High, Severity::Medium, Severity::Low] {
                li class=(words::severity(severity)) {
                    span.tone { (severity_glyph(severity)) }
                    span { (words::severity(severity)) " finding" }
                }
            }
        }
    }
}

/// The style class of a standing.
pub(super) fn class_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Supported => "supported",
        Standing::Unsupported => "unsupported",
        Standing::Contradicted => "contradicted",
    }
}

fn percent(value: f64) -> String {
    format!("{value:.3}%")
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn u64_f64(value: u64) -> f64 {
    value as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn usize_f64(value: usize) -> f64 {
    value as f64
}
