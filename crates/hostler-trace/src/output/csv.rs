//! Comma-separated values (RFC 4180), one line for each requirement.

use crate::Matrix;

use super::Options;

/// The first line.
pub const HEADER: &str = "key,id,specification,done,state,review,source,line,text,traced by,tested by";

/// The whole matrix.
pub fn text(matrix: &Matrix, options: &Options<'_>) -> String {
    let mut out = String::from(HEADER);
    out.push_str("\r\n");
    for row in &matrix.rows {
        let of = |test: bool| {
            let places: Vec<String> =
                row.links.iter().filter(|it| it.test == test).map(crate::Link::place).collect();
            places.join("; ")
        };
        let done = row.requirement.done.map_or("", |it| if it { "yes" } else { "no" });
        let line = row.requirement.line.to_string();
        let text = if options.texts { row.requirement.text.as_str() } else { "" };
        let (traced, tested) = (of(false), of(true));
        let cells = [
            &row.key,
            &row.requirement.id,
            &row.requirement.spec,
            done,
            row.state.name(),
            row.review.name(),
            &row.requirement.source,
            &line,
            text,
            &traced,
            &tested,
        ];
        let cells: Vec<String> = cells.iter().map(|it| cell(it)).collect();
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

/// Quoted where it must be; what a spreadsheet would run as a formula gets an apostrophe in front. Control characters,
/// which a terminal would obey, are left out but for line ends and tabs.
fn cell(text: &str) -> String {
    let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    let text: String = text.chars().filter(shown).collect();
    let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
