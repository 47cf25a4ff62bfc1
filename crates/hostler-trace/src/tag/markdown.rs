//! Tags of Markdown: in comments, on the section that they stand in.

use super::{CommentLine, Kind, Owner, Tag, mentions};
use crate::Pattern;
use crate::inline::{Fence, without_code};

/// Reads a document. What stands in a code block is an example.
pub(super) fn read(text: &str, pattern: &Pattern) -> Vec<Tag> {
    if !text.contains(super::MARK) {
        return Vec::new();
    }
    let mut comments: Vec<CommentLine<'_>> = Vec::new();
    let mut sections = Sections::default();
    let (mut fence, mut in_comment, mut segment): (Option<Fence>, _, _) = (None, false, 0);
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        if let Some(open) = fence {
            fence = Some(open).filter(|it| !it.is_closed_by(line));
            continue;
        }
        if !in_comment {
            fence = Fence::opened_by(line);
            if fence.is_some() {
                continue;
            }
            sections.line(number, line.trim_start());
        }
        let prose = without_code(line);
        let mut from = 0;
        loop {
            if !in_comment {
                let Some(open) = prose.get(from..).and_then(|it| it.find("<!--")) else { break };
                (from, in_comment) = (from + open + "<!--".len(), true);
                segment += 1;
            }
            let rest = line.get(from..).unwrap_or_default();
            let close = rest.find("-->");
            let text = rest.get(..close.unwrap_or(rest.len())).unwrap_or_default();
            comments.push(CommentLine { line: number, text, segment });
            let Some(close) = close else { break };
            (from, in_comment) = (from + close + "-->".len(), false);
        }
    }
    let own = |mention: super::Mention| {
        let mut tag = mention.tag;
        if let Some(path) = sections.around(tag.line) {
            tag.owner = Owner { kind: Kind::Section, path, test: false };
        }
        tag
    };
    mentions(&comments, pattern, false).into_iter().map(own).collect()
}

/// Headings, each with the place of the one above it in the outline.
#[derive(Default)]
struct Sections<'t> {
    /// Line, level, title, parent.
    all: Vec<(usize, usize, &'t str, Option<usize>)>,
}

impl<'t> Sections<'t> {
    fn line(&mut self, number: usize, line: &'t str) {
        let level = line.len() - line.trim_start_matches('#').len();
        let title = line.get(level..).filter(|it| (1..=6).contains(&level) && it.starts_with(' '));
        let Some(title) = title else { return };
        let title = title.split("<!--").next().unwrap_or(title).trim().trim_end_matches('#').trim_end();
        let mut parent = self.all.len().checked_sub(1);
        while let Some(at) = parent.filter(|at| level <= self.all[*at].1) {
            parent = self.all[at].3;
        }
        self.all.push((number, level, title, parent));
    }

    /// The titles of the sections around a line. A comment right above a heading is inside the section before it:
    /// documents are read from top to bottom.
    fn around(&self, line: usize) -> Option<Vec<String>> {
        let mut at = self.all.partition_point(|it| it.0 <= line).checked_sub(1);
        let mut path = Vec::new();
        while let Some((_, _, title, parent)) = at.and_then(|it| self.all.get(it)) {
            path.push((*title).to_owned());
            at = *parent;
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }
}
