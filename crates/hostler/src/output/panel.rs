//! A box around lines of text, as wide as what it holds and no wider than the terminal.

use std::io::IsTerminal;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns where the terminal does not tell its own.
const COLUMNS_DEFAULT: usize = 100;
/// Wider lines are hard to read, whatever the terminal offers.
const COLUMNS_MAX: usize = 120;
/// Below this a border leaves no room for words.
const COLUMNS_MIN: usize = 24;

/// How a box is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    columns: usize,
    unicode: bool,
    colour: bool,
}

impl Style {
    /// For standard output as it is: `NO_COLOR`, a dumb terminal, a pipe, an encoding without line drawing.
    pub(crate) fn of_stdout() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let told = || variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = if terminal { measured().or_else(told) } else { told() };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
        let utf8 = locale.to_ascii_lowercase().replace('-', "").contains("utf8");
        let dumb = variable("TERM").is_none_or(|name| name == "dumb");
        Self {
            columns: columns.unwrap_or(COLUMNS_DEFAULT).min(COLUMNS_MAX),
            // A program or an agent at the other end reads UTF-8, whatever the locale of a container says.
            unicode: !terminal || utf8,
            colour: terminal && !dumb && variable("NO_COLOR").is_none(),
        }
    }
}

/// A box being filled.
#[derive(Debug, Default)]
pub(crate) struct Panel {
    rows: Vec<Row>,
}

#[derive(Debug)]
enum Row {
    Title(String),
    Text { mark: String, text: String },
    Rule,
}

impl Panel {
    /// A box with this first line.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self { rows: vec![Row::Title(title.into())] }
    }

    /// Adds a paragraph.
    pub(crate) fn line(&mut self, text: impl Into<String>) -> &mut Self {
        self.item("", &text.into())
    }

    /// Adds a paragraph whose further lines stand below its text, not below the mark before it.
    pub(crate) fn item(&mut self, mark: &str, text: &str) -> &mut Self {
        self.rows.push(Row::Text { mark: mark.to_owned(), text: text.to_owned() });
        self
    }

    /// Adds a rule.
    pub(crate) fn rule(&mut self) -> &mut Self {
        self.rows.push(Row::Rule);
        self
    }

    /// The box as text, a line end after each line.
    pub(crate) fn draw(&self, style: Style) -> String {
        let framed = COLUMNS_MIN <= style.columns;
        let inner_max = if framed { style.columns - 4 } else { style.columns.max(1) };
        let mut lines: Vec<(&Row, String)> = Vec::new();
        for row in &self.rows {
            match row {
                Row::Rule => lines.push((row, String::new())),
                Row::Title(text) => lines.extend(wrap("", text, inner_max).into_iter().map(|it| (row, it))),
                Row::Text { mark, text } => {
                    lines.extend(wrap(mark, text, inner_max).into_iter().map(|it| (row, it)));
                }
            }
        }
        let inner = lines.iter().map(|(_, line)| line.width()).max().unwrap_or_default();
        let glyphs = if style.unicode { &UNICODE } else { &ASCII };
        let edge = |left: char, right: char| {
            let rule: String = std::iter::repeat_n(glyphs.across, inner + 2).collect();
            format!("{left}{rule}{right}\n")
        };
        let mut out = String::new();
        if framed {
            out.push_str(&edge(glyphs.top.0, glyphs.top.1));
        }
        for (row, line) in lines {
            let (on, off) = match row {
                Row::Title(_) if style.colour => ("\x1b[1m", "\x1b[0m"),
                _ => ("", ""),
            };
            match (row, framed) {
                (Row::Rule, true) => out.push_str(&edge(glyphs.middle.0, glyphs.middle.1)),
                (Row::Rule, false) => out.push('\n'),
                (_, false) => out.extend([on, &line, off, "\n"]),
                (_, true) => {
                    let gap = " ".repeat(inner - line.width());
                    let down = glyphs.down.to_string();
                    out.extend([&down, " ", on, &line, off, &gap, " ", &down, "\n"]);
                }
            }
        }
        if framed {
            out.push_str(&edge(glyphs.bottom.0, glyphs.bottom.1));
        }
        out
    }
}

struct Glyphs {
    across: char,
    down: char,
    top: (char, char),
    middle: (char, char),
    bottom: (char, char),
}

const UNICODE: Glyphs =
    Glyphs {
        across: '─', down: '│', top: ('┌', '┐'), middle: ('├', '┤'), bottom: ('└', '┘')
    };
const ASCII: Glyphs =
    Glyphs { across: '-', down: '|', top: ('+', '+'), middle: ('+', '+'), bottom: ('+', '+') };

/// Lines of at most `columns`, broken between words where there are any: the mark, then the text, further lines
/// below the text.
fn wrap(mark: &str, text: &str, columns: usize) -> Vec<String> {
    let mark = printable(mark);
    let indent = " ".repeat(if mark.width() < columns / 2 { mark.width() } else { 0 });
    let mut lines = Vec::new();
    let mut line = mark;
    for paragraph in text.split('\n') {
        let paragraph = printable(paragraph);
        let mut empty = true;
        for word in paragraph.split_whitespace() {
            let space = usize::from(!empty);
            if line.width() + space + word.width() <= columns {
                line.push_str(if empty { "" } else { " " });
                line.push_str(word);
            } else {
                if !empty {
                    lines.push(std::mem::replace(&mut line, indent.clone()));
                }
                for c in word.chars() {
                    let width = c.width().unwrap_or_default();
                    if columns < line.width() + width && !line.trim().is_empty() {
                        lines.push(std::mem::replace(&mut line, indent.clone()));
                    }
                    line.push(c);
                }
            }
            empty = false;
        }
        lines.push(std::mem::replace(&mut line, indent.clone()).trim_end().to_owned());
    }
    lines
}

/// What is no printable character is left out: recorded text must not draw on a terminal.
fn printable(text: &str) -> String {
    let spaced = text.chars().map(|c| if c == '\t' { ' ' } else { c });
    spaced.filter(|c| c.width().is_some() && !is_direction(*c)).collect()
}

/// Characters that reorder the line they stand in, and with it its border.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Style = Style { columns: 60, unicode: true, colour: false };

    #[track_caller]
    fn check(panel: &Panel, style: Style, expected: &[&str]) {
        let drawn = panel.draw(style);
        assert_eq!(drawn.lines().collect::<Vec<_>>(), expected, "\n{drawn}");
    }

    fn sample() -> Panel {
        let mut panel = Panel::new("Session #42 | Active");
        panel.line("Purpose: Implement the review pipeline").rule().item("- ", "Gate 1 to 3");
        panel
    }

    #[test]
    fn a_box_is_as_wide_as_its_text() {
        let expected = [
            "┌────────────────────────────────────────┐",
            "│ Session #42 | Active                   │",
            "│ Purpose: Implement the review pipeline │",
            "├────────────────────────────────────────┤",
            "│ - Gate 1 to 3                          │",
            "└────────────────────────────────────────┘",
        ];
        check(&sample(), WIDE, &expected);
    }

    #[test]
    fn a_terminal_without_line_drawing_gets_ascii() {
        let expected = [
            "+----------------------------------------+",
            "| Session #42 | Active                   |",
            "| Purpose: Implement the review pipeline |",
            "+----------------------------------------+",
            "| - Gate 1 to 3                          |",
            "+----------------------------------------+",
        ];
        check(&sample(), Style { unicode: false, ..WIDE }, &expected);
    }

    #[test]
    fn a_narrow_terminal_wraps_and_a_very_narrow_one_has_no_border() {
        let expected = [
            "┌──────────────────────┐",
            "│ Session #42 | Active │",
            "│ Purpose: Implement   │",
            "│ the review pipeline  │",
            "├──────────────────────┤",
            "│ - Gate 1 to 3        │",
            "└──────────────────────┘",
        ];
        check(&sample(), Style { columns: 25, ..WIDE }, &expected);
        let expected = [
            "Session", "#42 |", "Active", "Purpose:", "Implemen", "t the", "review", "pipeline", "",
            "- Gate 1", "  to 3",
        ];
        check(&sample(), Style { columns: 8, ..WIDE }, &expected);
    }

    #[test]
    fn wide_characters_and_long_words_keep_the_border_straight() {
        let mut panel = Panel::new("セッション #1");
        panel.line("進行中の作業を記録する").item("- ", &"x".repeat(30));
        let style = Style { columns: 24, ..WIDE };
        let drawn = panel.draw(style);
        let widths: Vec<usize> = drawn.lines().map(UnicodeWidthStr::width).collect();
        assert!(widths.iter().all(|width| *width == widths[0] && *width <= 24), "{drawn}");
        assert_eq!(drawn.matches('x').count(), 30, "{drawn}");
    }

    #[test]
    fn recorded_text_does_not_draw_on_the_terminal() {
        let mut panel = Panel::new("a\x1b[2Jb");
        panel.line("one\ntwo\u{202e}three\rfour");
        let expected = [
            "┌──────────────┐",
            "│ a[2Jb        │",
            "│ one          │",
            "│ twothreefour │",
            "└──────────────┘",
        ];
        check(&panel, WIDE, &expected);
    }

    #[test]
    fn only_the_title_is_coloured() {
        let drawn = sample().draw(Style { colour: true, ..WIDE });
        assert_eq!(drawn.matches("\x1b[1m").count(), 1);
        assert!(drawn.contains("│ \x1b[1mSession #42 | Active\x1b[0m                   │"), "{drawn}");
    }
}
