//! CSV and TSV, with a header or without.

use super::{Columns, Draft, Error, Options, Part, done, place};

/// Reads rows. `separator`: told by the first line where it is `None`.
pub(super) fn read(
    path: &str,
    text: &str,
    separator: Option<char>,
    options: &Options<'_>,
) -> Result<Vec<Draft>, Error> {
    let told = told_separator(text);
    let separator = separator.or(told).unwrap_or_else(|| guess(text));
    let mut rows = if separator == '\t' { tabs(text) } else { quoted(path, text, separator)? };
    if told.is_some() {
        rows.remove(0);
    }
    let Some((_, first)) = rows.first() else { return Ok(Vec::new()) };
    let configured = options.columns != &Columns::default();
    let has_header = configured
        || place(Part::Id, first, options.columns).is_some()
            && !first.iter().any(|it| options.pattern.is_id(it.trim()));
    let header: &[String] = if has_header { first } else { &[] };
    let at = |part: Part, asked: &Option<String>| match (place(part, header, options.columns), asked) {
        (None, Some(column)) => Err(Error::Column {
            path: path.to_owned(),
            column: column.clone(),
            known: header.iter().map(|it| format!("`{}`", it.trim())).collect::<Vec<_>>().join(", "),
        }),
        (found, _) => Ok(found),
    };
    let (of_id, of_text) = (at(Part::Id, &options.columns.id)?, at(Part::Text, &options.columns.text)?);
    let (of_spec, of_done) = (at(Part::Spec, &options.columns.spec)?, at(Part::Done, &options.columns.done)?);
    let mut out = Vec::new();
    for (line, cells) in rows.iter().skip(usize::from(has_header)) {
        let is_id = |at: &usize| cells.get(*at).is_some_and(|it| options.pattern.is_id(it.trim()));
        let Some(id_at) =
            of_id.filter(is_id).or_else(|| of_id.is_none().then(|| (0..cells.len()).find(is_id))?)
        else {
            continue;
        };
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map(|it| it.trim());
        // Without a name, the text is the longest cell.
        let of_text = of_text.or_else(|| {
            (0..cells.len())
                .filter(|at| *at != id_at && Some(*at) != of_spec && Some(*at) != of_done)
                .max_by_key(|at| (cells.get(*at).map_or(0, String::len), usize::MAX - at))
        });
        out.push(Draft {
            id: cell(Some(id_at)).unwrap_or_default().to_owned(),
            spec: cell(of_spec).map(str::to_owned),
            text: cell(of_text).unwrap_or_default().to_owned(),
            done: cell(of_done).and_then(done),
            line: *line,
        });
    }
    Ok(out)
}

/// Spreadsheets may say in a first line what separates: `sep=;`.
fn told_separator(text: &str) -> Option<char> {
    let mut rest = text.lines().next()?.trim_end().strip_prefix("sep=")?.chars();
    rest.next().filter(|_| rest.next().is_none())
}

fn guess(text: &str) -> char {
    let first = text.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
    [',', ';', '\t', '|'].into_iter().max_by_key(|it| (first.matches(*it).count(), *it == ',')).unwrap_or(',')
}

type Rows = Vec<(usize, Vec<String>)>;

/// Most lines that a cell of a table with tabs goes on over.
const CELL_LINES_MAX: usize = 200;

/// Tabs separate and quotes are text, but for a cell that is quoted as a spreadsheet does it.
fn tabs(text: &str) -> Rows {
    let lines: Vec<&str> = text.lines().collect();
    let (mut rows, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        let number = at + 1;
        let mut row = (*line).to_owned();
        if is_open(line)
            && let Some(below) = lines.iter().skip(number).take(CELL_LINES_MAX).position(|it| closes(it))
        {
            for next in lines.iter().skip(number).take(below + 1) {
                row.push('\n');
                row.push_str(next);
            }
            at += below + 1;
        }
        at += 1;
        if !row.trim().is_empty() {
            rows.push((number, row.split('\t').map(unquoted).collect()));
        }
    }
    rows
}

fn quotes(text: &str) -> usize {
    text.matches('"').count()
}

/// The line's last cell begins with a quote that is not closed.
fn is_open(line: &str) -> bool {
    let last = line.rsplit('\t').next().unwrap_or_default();
    last.starts_with('"') && quotes(last) % 2 == 1
}

/// The line's first cell ends one that was opened above, and no line in between can.
fn closes(line: &str) -> bool {
    let first = line.split('\t').next().unwrap_or_default();
    quotes(first) % 2 == 1 && first.trim_end().ends_with('"') && !first.starts_with('"')
        || first.trim() == "\""
}

fn unquoted(cell: &str) -> String {
    let inside = cell.trim_end_matches('\r').strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let whole = inside.filter(|it| !it.replace("\"\"", "").contains('"'));
    whole.map_or_else(|| cell.to_owned(), |it| it.replace("\"\"", "\""))
}

/// RFC 4180, and an error where a quoted cell is never closed, which would hide the rest of the table: quoted cells hold separators, line ends and doubled quotes.
fn quoted(path: &str, text: &str, separator: char) -> Result<Rows, Error> {
    let mut rows: Rows = Vec::new();
    let (mut cells, mut cell, mut line, mut row_line) = (Vec::new(), String::new(), 1, 1);
    let mut chars = text.chars().peekable();
    let mut quoted_since: Option<usize> = None;
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        if quoted_since.is_some() {
            match c {
                '"' if chars.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => quoted_since = None,
                _ => cell.push(c),
            }
            continue;
        }
        match c {
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted_since = Some(line);
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                cells.push(std::mem::take(&mut cell));
                rows.push((row_line, std::mem::take(&mut cells)));
                row_line = line;
            }
            _ if c == separator => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
    }
    if let Some(line) = quoted_since {
        let why = "a quoted cell is never closed".to_owned();
        return Err(Error::Broken { path: path.to_owned(), line, why });
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        rows.push((row_line, cells));
    }
    rows.retain(|(_, cells)| cells.iter().any(|it| !it.trim().is_empty()));
    Ok(rows)
}
