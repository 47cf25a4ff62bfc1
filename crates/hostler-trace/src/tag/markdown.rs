//! Tags of Markdown: in comments, on the section that they stand in.

use super::{CommentLine, Kind, Owner, Tag, mentions};
use crate::Pattern;

/// Reads a document. What stands in a code block is an example.
pub(super) fn read(text: &str, pattern: &Pattern) -> Vec<Tag> {
    if !text.contains(super::MARK) {
        return Vec::new();
    }
    let mut comments: Vec<CommentLine<'_>> = Vec::new();
    let mut headings: Vec<(usize, usize, &str)> = Vec::new();
    let (mut fence, mut in_comment, mut segment) = (None, false, 0);
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let trimmed = line.trim_start();
        if let Some(open) = fence {
            if trimmed.starts_with(open) {
                fence = None;
            }
            continue;
        }
        if !in_comment {
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                fence = trimmed.get(..3);
                continue;
            }
            let marks = trimmed.len() - trimmed.trim_start_matches('#').len();
            if let Some(title) =
                trimmed.get(marks..).filter(|it| (1..=6).contains(&marks) && it.starts_with(' '))
            {
                headings.push((
                    number,
                    marks,
                    title.split("<!--").next().unwrap_or(title).trim().trim_end_matches('#').trim_end(),
                ));
            }
        }
        let mut rest = line;
        loop {
            if !in_comment {
                let Some((_, after)) = rest.split_once("<!--") else { break };
                (rest, in_comment) = (after, true);
                segment += 1;
            }
            let (inside, after) =
                rest.split_once("-->").map_or((rest, None), |(inside, after)| (inside, Some(after)));
            comments.push(CommentLine { line: number, text: inside, segment });
            match after {
                Some(after) => (rest, in_comment) = (after, false),
                None => break,
            }
        }
    }
    let own = |mention: super::Mention| {
        let mut tag = mention.tag;
        let mut path: Vec<&str> = Vec::new();
        let mut level = usize::MAX;
        // A comment right above a heading is inside the section before it: documents are read from top to bottom.
        for (_, marks, title) in headings.iter().rev().filter(|it| it.0 <= tag.line) {
            if *marks < level {
                level = *marks;
                path.push(title);
            }
        }
        path.reverse();
        if !path.is_empty() {
            let path = path.into_iter().map(str::to_owned).collect();
            tag.owner = Owner { kind: Kind::Section, path, test: false };
        }
        tag
    };
    mentions(&comments, pattern, false).into_iter().map(own).collect()
}
