#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use proptest::prelude::*;

use super::*;

/// The prose of a message, a line for each block, with spans as `‹…›`.
fn prose(message: &str) -> String {
    let text = read(message);
    let shown = |block: &Block| -> String {
        let mark = match block.checked {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        let body: String = block
            .text
            .chars()
            .map(|c| match text.span(c) {
                Some(Span::Code(code)) => format!("‹{code}›"),
                Some(Span::Quote(quote)) => format!("“{quote}”"),
                None => c.to_string(),
            })
            .collect();
        format!(
            "{}{mark}{body}",
            match block.kind {
                BlockKind::Heading => "# ",
                BlockKind::Item => "- ",
                BlockKind::Row => "| ",
                BlockKind::Paragraph => "",
            }
        )
    };
    text.blocks.iter().map(shown).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(message: &str, expected: &str) {
    assert_eq!(prose(message), expected, "{message:?}");
}

// @traces REQ-020-099 021-TEST-UNIT-008 021-TEST-UNIT-012
#[test]
fn fenced_code_is_no_prose() {
    check("Before.\n```sh\nI ran the tests\n```\nAfter.", "Before.\nAfter.");
    check("~~~\nI created a file\n~~~\nAfter.", "After.");
    // Nested: a shorter fence inside a longer one, another mark inside, one that never ends.
    check("````md\n```\nI created it\n```\nstill code\n````\nAfter.", "After.");
    check("```\n~~~\nI ran it\n~~~\n```\nAfter.", "After.");
    check("Before.\n```\nI wrote it\n", "Before.");
    check("1. Step\n   ```\n   I wrote it\n   ```\n2. Next", "- Step\n- Next");
    check("Before.\n\n    I ran it\n\nAfter.", "Before.\nAfter.");
}

// @traces REQ-020-100 021-TEST-UNIT-009
#[test]
fn inline_code_is_kept_as_a_thing_that_is_named() {
    check("I wrote `a.py` now.", "I wrote ‹a.py› now.");
    check("`` `x` `` and `y`", "‹`x`› and ‹y›");
    check("an open ` mark", "an open  mark");
    check("<code>I ran it</code> is a quote", "‹I ran it› is a quote");
}

// @traces REQ-020-101 021-TEST-UNIT-010
#[test]
fn blockquotes_are_somebody_elses_words() {
    check("> I ran the tests\n> and they pass\n\nThat is a quote.", "That is a quote.");
    check("  > I ran it\nMine.", "Mine.");
    check("<blockquote>I ran it</blockquote>Mine.", "Mine.");
    check("He wrote \"I ran the tests\" there.", "He wrote “I ran the tests” there.");
    check("Er schrieb „Tests laufen“ dazu.", "Er schrieb “Tests laufen” dazu.");
}

// @traces REQ-020-102
#[test]
fn html_code_is_no_prose() {
    check("Before <pre>I created it</pre> after.", "Before\nafter.");
    check("Before\n<PRE class=\"x\">\nI created\nit\n</PRE>\nafter.", "Before\nafter.");
    check("<!-- I ran it -->Mine.", "Mine.");
    check("A `Vec<String>` or Vec<String> stays.", "A ‹Vec<String>› or Vec<String> stays.");
    check("<details><summary>More</summary>Text</details>", "More\nText");
}

// @traces 021-TEST-UNIT-011
#[test]
fn prose_stays() {
    check("I created **two** files and _one_ folder_name.", "I created two files and one folder_name.");
    check("See [the docs](https://example.invalid/a_(b)) now.", "See the docs) now.");
    check("Plain text, with (brackets) and 100 %.", "Plain text, with (brackets) and 100 %.");
}

#[test]
fn structure_is_kept() {
    check("## Done\n- [x] a\n- [ ] b\n* ✅ c\n1. d\n❌ e", "# Done\n- [x] a\n- [ ] b\n- [x] c\n- d\n- [ ] e");
    check("**Next steps**\n\ntext", "# Next steps\ntext");
    check("| File | Status |\n|---|---|\n| `a` | ✅ created |", "| [x] ‹a› | ✅ created");
    let text = read("## Plan\nWe go so:\n- one\n- two");
    assert_eq!(text.blocks[2].heading, Some(0));
    assert_eq!(text.blocks[2].lead, Some(1));
}

#[test]
fn hostile_messages_are_read() {
    for message in
        ["", "\u{e000}\u{e001}", "`", "``````", "|||||", "[", "[a](", "<", "<pre", "\"", "**", "\u{2}"]
    {
        let _ = read(message);
    }
    let long = "I created a file. ".repeat(40_000);
    assert!(read(&long).blocks.iter().map(|it| it.text.len()).sum::<usize>() <= BYTES_MAX + 2);
    let spans = "`a` ".repeat(10_000);
    assert_eq!(read(&spans).spans.len(), SPANS_MAX as usize);
    // A message cannot pretend to hold our marks.
    let text = read("`code` \u{e000}");
    assert_eq!(text.blocks.first().unwrap().text.chars().filter(|c| text.span(*c).is_some()).count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics(message in "[\\s\\S`>|*<~#\"\\[\\]()\n-]{0,200}") {
        let text = read(&message);
        for block in &text.blocks {
            let _ = text.restore(&block.text);
        }
    }
}
