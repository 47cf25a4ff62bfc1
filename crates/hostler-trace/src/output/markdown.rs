//! Markdown, to be kept in the project: no time, no lines that move, so it changes when the matrix does.

use std::fmt::Write;

use crate::requirement::Requirement;
use crate::{Coverage, Link, Matrix, Row, Rule};

use super::Options;

/// Most places that one cell names.
const PLACES_MAX: usize = 12;

/// The whole matrix.
pub fn text(matrix: &Matrix, options: &Options<'_>) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write(&mut out, matrix, options);
    out
}

fn write(out: &mut String, matrix: &Matrix, options: &Options<'_>) -> std::fmt::Result {
    let all = &matrix.totals;
    writeln!(out, "# {}\n", escaped(options.title).trim())?;
    writeln!(out, "<!-- Made by `hostler trace matrix`; changes by hand are lost. -->\n")?;
    writeln!(out, "{}.\n", matrix.headline())?;
    writeln!(
        out,
        "| specification | requirements | done | traced | in source | tested | passing | failing |"
    )?;
    writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for (name, coverage) in &matrix.specs {
        coverage_line(out, &escaped(name), coverage, matrix.has_results)?;
    }
    if matrix.specs.len() != 1 {
        coverage_line(out, "all", all, matrix.has_results)?;
    }
    if !matrix.findings.is_empty() {
        writeln!(out, "\n## Findings\n\n| finding | where | what |\n| --- | --- | --- |")?;
        for finding in &matrix.findings {
            writeln!(
                out,
                "| {} | {} | {} |",
                finding.rule.id(),
                code(&finding.path),
                escaped(&finding.message)
            )?;
        }
    }
    for (name, _) in &matrix.specs {
        writeln!(out, "\n## {}\n", escaped(name))?;
        let boxes =
            matrix.rows.iter().any(|it| it.requirement.spec == *name && it.requirement.done.is_some());
        let mut columns = vec!["id"];
        if boxes {
            columns.push("done");
        }
        if options.texts {
            columns.push("requirement");
        }
        columns.extend(["state", "traced by", "tested by"]);
        writeln!(out, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()))?;
        for row in matrix.rows.iter().filter(|it| it.requirement.spec == *name) {
            let mut cells = vec![escaped(&row.requirement.id)];
            if boxes {
                cells.push(ticked(&row.requirement).to_owned());
            }
            if options.texts {
                cells.push(escaped(row.requirement.title()));
            }
            cells.extend([state(row).to_owned(), places(row, false), places(row, true)]);
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
    }
    if !matrix.modules.is_empty() {
        writeln!(
            out,
            "\n## Folders that cite requirements\n\n| folder | symbols | requirements | in tests |"
        )?;
        writeln!(out, "| --- | ---: | ---: | ---: |")?;
        for place in &matrix.modules {
            let (symbols, requirements) = (place.symbols, place.requirements);
            writeln!(out, "| {} | {symbols} | {requirements} | {} |", code(&place.path), place.in_tests)?;
        }
    }
    Ok(())
}

fn coverage_line(out: &mut String, name: &str, of: &Coverage, results: bool) -> std::fmt::Result {
    let (passing, failing) = if results {
        (of.passing.to_string(), of.failing.to_string())
    } else {
        // Without results nobody knows, which is not the same as none.
        ("–".to_owned(), "–".to_owned())
    };
    writeln!(
        out,
        "| {name} | {} | {} | {} ({}) | {} | {} ({}) | {passing} | {failing} |",
        of.requirements,
        of.done,
        of.traced,
        of.percent(of.traced),
        of.in_source,
        of.tested,
        of.percent(of.tested),
    )
}

fn ticked(requirement: &Requirement) -> &'static str {
    match requirement.done {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

fn state(row: &Row) -> &'static str {
    match (row.state, row.review) {
        (_, crate::Review::Suspect) => Rule::SuspectLink.id(),
        (state, _) => state.name(),
    }
}

fn places(row: &Row, test: bool) -> String {
    let mut places: Vec<String> = row.links.iter().filter(|it| it.test == test).map(Link::place).collect();
    places.dedup();
    let more = places.len().saturating_sub(PLACES_MAX);
    places.truncate(PLACES_MAX);
    let mut cells: Vec<String> = places.iter().map(|it| code(it)).collect();
    if more != 0 {
        cells.push(format!("{more} more"));
    }
    cells.join(", ")
}

/// In a table's cell or a heading, as text on one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => out.push_str("\\|"),
            '<' => out.push_str("&lt;"),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// In a table's cell, as code.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}
