use super::*;

/// What `chunks` must hold for every file: see the invariant of the module.
#[track_caller]
fn covers(path: &str, text: &str) -> Chunks {
    let lines: Vec<&str> = text.split('\n').collect();
    let out = chunks(path, text);
    let mut covered = vec![false; lines.len()];
    let mut before = 0;
    for chunk in &out.chunks {
        let (first, last) = (chunk.first_line as usize, chunk.last_line as usize);
        assert!(1 <= first && first <= last && last <= lines.len(), "{path}: {chunk:?}");
        assert!(before <= first, "{path}: out of order: {chunk:?}");
        before = first;
        let whole = lines[first - 1..last].join("\n");
        if first == last && chunk.text.len() < whole.len() {
            assert!(whole.contains(&chunk.text), "{path}: {chunk:?}");
        } else {
            assert_eq!(chunk.text, whole, "{path}");
        }
        assert!(!chunk.text.trim().is_empty(), "{path}: {chunk:?}");
        assert!(chunk.text.get(chunk.doc.clone()).is_some(), "{path}: {chunk:?}");
        covered[first - 1..last].fill(true);
    }
    for (at, line) in lines.iter().enumerate() {
        assert!(covered[at] || line.trim().is_empty(), "{path}: line {} is lost: {line}", at + 1);
    }
    out
}

#[test]
fn markdown_is_cut_at_headings() {
    let text = "intro\n\n# A #\n\n## B\ntext\n```\n# no heading\n```\n\nTwo\nlines\n=====\nbody\n";
    let out = covers("docs/a.md", text);
    let shown: Vec<_> =
        out.chunks.iter().map(|it| (it.heading.as_str(), it.first_line, it.last_line)).collect();
    assert_eq!(shown, [("", 1, 1), ("A > B", 3, 9), ("Two lines", 11, 14)]);
}

#[test]
fn identifiers_are_cut_into_words() {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
    }
    check("snake_case __init__ camelCase", &["snake", "case", "init", "camel", "Case"]);
    check(
        "HTTPServer parseURLs XMLHttpRequest",
        &["HTTP", "Server", "parse", "URLs", "XML", "Http", "Request"],
    );
    check("utf8 sha256sum v2", &["utf", "8", "sha", "256", "sum", "v", "2"]);
    check("naïve Größe e\u{301}te", &["naïve", "Größe", "e\u{301}te"]);
    check("漢字kana", &["漢", "字", "kana"]);
    check(" -> :: ", &[]);
}
