//! One page that needs nothing else: no script, no font, nothing from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::requirement::Requirement;
use crate::{Coverage, Link, Matrix, Review, Row};

use super::Options;

const STYLE: &str = include_str!("page.css");

/// How every page begins to be recognised, within its first 2,048 bytes.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"hostler ";

/// The whole matrix.
pub fn page(matrix: &Matrix, options: &Options<'_>) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(STYLE.as_bytes()))
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(options.generator);
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (options.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (options.title) }
                    p { (matrix.headline()) "." }
                    (coverage(matrix))
                    (findings(matrix))
                    @for (at, (name, of)) in matrix.specs.iter().enumerate() {
                        section id={ "s" (at) } {
                            h2 { (name) }
                            p { (of.traced) " of " (of.requirements) " traced, " (of.tested) " tested" }
                            (rows(matrix, name, options))
                        }
                    }
                    (places(matrix))
                }
            }
        }
    }
    .into_string()
    // A terminal that the page is printed to would obey them, and HTML has none.
    .replace(|c: char| c.is_control() && c != '\n', " ")
}

fn coverage(matrix: &Matrix) -> Markup {
    let line = |name: Markup, of: &Coverage| {
        html! {
            tr {
                th scope="row" { (name) }
                td.number { (of.requirements) }
                td.number { (of.done) }
                td.number { (of.traced) " (" (of.percent(of.traced)) ")" }
                td { meter min="0" max="10000" value=(of.basis_points(of.traced)) { (of.percent(of.traced)) } }
                td.number { (of.tested) " (" (of.percent(of.tested)) ")" }
                @if matrix.has_results {
                    td.number { (of.passing) }
                    td.number { (of.failing) }
                } @else {
                    td.number { "–" }
                    td.number { "–" }
                }
            }
        }
    };
    html! {
        div.wide {
            table {
                caption { "Specifications" }
                thead { tr {
                    th scope="col" { "specification" } th scope="col" { "requirements" } th scope="col" { "done" }
                    th scope="col" { "traced" } th scope="col" { "share" } th scope="col" { "tested" }
                    th scope="col" { "passing" } th scope="col" { "failing" }
                } }
                tbody {
                    @for (at, (name, of)) in matrix.specs.iter().enumerate() {
                        (line(html! { a href={ "#s" (at) } { (name) } }, of))
                    }
                    @if matrix.specs.len() != 1 { (line(html! { "all" }, &matrix.totals)) }
                }
            }
        }
    }
}

fn findings(matrix: &Matrix) -> Markup {
    html! {
        @if !matrix.findings.is_empty() {
            section {
                h2 { "Findings" }
                div.wide { table {
                    thead { tr { th scope="col" { "finding" } th scope="col" { "where" } th scope="col" { "what" } } }
                    tbody {
                        @for finding in &matrix.findings {
                            tr {
                                td { span.bad { (finding.rule.id()) } }
                                td { code { (finding.path) @if finding.line != 0 { ":" (finding.line) } } }
                                td { (finding.message) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn rows(matrix: &Matrix, spec: &str, options: &Options<'_>) -> Markup {
    let list = |row: &Row, test: bool| {
        let mut places: Vec<String> =
            row.links.iter().filter(|it| it.test == test).map(Link::place).collect();
        places.dedup();
        html! {
            @for place in places { div { code { (place) } } }
        }
    };
    html! {
        div.wide { table {
            thead { tr {
                th scope="col" { "id" } th scope="col" { "done" }
                @if options.texts { th scope="col" { "requirement" } }
                th scope="col" { "state" } th scope="col" { "traced by" } th scope="col" { "tested by" }
            } }
            tbody {
                @for row in matrix.rows.iter().filter(|it| it.requirement.spec == spec) {
                    tr {
                        th scope="row" { (row.requirement.id) }
                        td { (ticked(&row.requirement)) }
                        @if options.texts { td { (row.requirement.text) } }
                        td {
                            span class={ "state " (row.state.name()) } { (row.state.name()) }
                            @if row.review == Review::Suspect { " " span.bad { "suspect" } }
                        }
                        td { (list(row, false)) }
                        td { (list(row, true)) }
                    }
                }
            }
        } }
    }
}

fn places(matrix: &Matrix) -> Markup {
    html! {
        @for (name, all) in [("Folders", &matrix.modules), ("Files", &matrix.files)] {
            @if !all.is_empty() {
                details {
                    summary { (name) " that cite requirements (" (all.len()) ")" }
                    div.wide { table {
                        thead { tr {
                            th scope="col" { "path" } th scope="col" { "symbols" }
                            th scope="col" { "requirements" } th scope="col" { "in tests" }
                        } }
                        tbody { @for place in all {
                            tr {
                                td { code { (place.path) } } td.number { (place.symbols) }
                                td.number { (place.requirements) } td.number { (place.in_tests) }
                            }
                        } }
                    } }
                }
            }
        }
    }
}

fn ticked(requirement: &Requirement) -> &'static str {
    match requirement.done {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let value = chunk.iter().fold(0_usize, |value, byte| value << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS.get(value >> (18 - 6 * at) & 63).map_or('=', |it| char::from(*it));
            out.push(if at <= chunk.len() { digit } else { '=' });
        }
    }
    out
}
