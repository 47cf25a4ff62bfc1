use hostler_syntax::chunks::{ChunkKind, Nature, chunks};
use proptest::prelude::*;

use super::*;

#[test]
fn stems_are_those_of_porter() {
    // Pairs of the algorithm's own paper, a few for each step.
    for (word, expected) in [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("cats", "cat"),
        ("caress", "caress"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("bled", "bled"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("fizzed", "fizz"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("rational", "ration"),
        ("digitizer", "digit"),
        ("operator", "oper"),
        ("hopefulness", "hope"),
        ("formalize", "formal"),
        ("electrical", "electr"),
        ("goodness", "good"),
        ("revival", "reviv"),
        ("allowance", "allow"),
        ("inference", "infer"),
        ("adjustable", "adjust"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
        ("activate", "activ"),
        ("effective", "effect"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
        ("is", "is"),
        ("größen", "größen"),
    ] {
        assert_eq!(stem(word), expected, "{word}");
    }
}

#[test]
fn a_glob_is_over_the_whole_path() {
    for (pattern, path, expected) in [
        ("api/*", "api/users.md", true),
        ("api/*", "api/v1/users.md", false),
        ("api/*", "docs/api/users.md", false),
        ("docs/**/*.md", "docs/a/b/c.md", true),
        ("docs/**/*.md", "docs/c.md", true),
        ("docs/**", "docs/a/b", true),
        ("**/b", "b", true),
        ("**/b", "a/b", true),
        ("**/b", "ab", false),
        ("**/b", "a/ab", false),
        ("a/**/b", "a/b", true),
        ("a/**/b", "a/x/y/b", true),
        ("a/**/b", "ab", false),
        ("**.md", "a/b.md", true),
        ("*.md", "a/b.md", false),
        ("?.rs", "a.rs", true),
        ("?.rs", "ab.rs", false),
        ("a?b", "a/b", false),
        ("a.b", "axb", false),
        ("[a]", "[a]", true),
        ("[a]", "a", false),
        ("./src/*", "src/a", true),
        ("", "", true),
        ("", "a", false),
        ("ü*", "über", true),
    ] {
        assert_eq!(Glob::new(pattern).fits(path), expected, "`{pattern}` `{path}`");
    }
    // No pattern takes more than its length times that of the path.
    assert!(!Glob::new(&"*a".repeat(2_000)).fits(&"a".repeat(4_000).replace("aaaa", "aaab")));
}

#[track_caller]
fn terms(text: &str, expected: &[&str]) {
    let query = Query::parse(text);
    assert_eq!(query.terms.iter().map(|it| it.word.as_str()).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn a_query_is_its_words() {
    terms("Return the path of parseHTTPHeader", &["path", "parse", "http", "header"]);
    terms("get_or_create", &["get", "create"]);
    terms("AND OR NOT NEAR(a b) \"x\" *: ^-{}", &["near", "b", "x"]);
    terms("what is this", &["what", "is", "this"]);
    terms("files file filing", &["files"]);
    terms(" \"'*() ", &[]);
    terms("", &[]);
    terms("größe 検索", &["größe", "検", "索"]);
    let query = Query::parse("where is \"quantum marmalade\" made by makeJam and “one”");
    assert_eq!(query.phrases, [["quantum", "marmalade"]]);
    assert_eq!(query.identifiers, ["makeJam"]);
    assert!(!query.is_cut() && !query.is_empty());
    let long = "wörter ".repeat(200_000);
    let query = Query::parse(&long);
    assert!(query.is_cut());
    assert_eq!(query.terms.len(), 1);
    let many: Vec<String> = (0..1_000).map(|it| format!("w{it}x")).collect();
    assert!(Query::parse(&many.join(" ")).terms.len() <= 48);
}

fn counts(chunks: u64, with: &[(&str, u64)]) -> Counts {
    Counts { chunks, with: with.iter().map(|(stem, count)| ((*stem).to_owned(), *count)).collect() }
}

#[test]
fn rare_words_are_looked_for_everywhere_and_common_ones_in_names() {
    let wanted = |text: &str, counts: &Counts| -> Vec<String> {
        let wanted = Query::parse(text).wanted(counts);
        wanted.iter().map(|it| format!("{}{}", it.words, if it.common { " (names)" } else { "" })).collect()
    };
    let known = counts(200_000, &[("zip", 900), ("open", 15_000), ("name", 30_000), ("self", 120_000)]);
    assert_eq!(wanted("open zip name", &known), ["zip", "open", "name (names)"]);
    assert_eq!(wanted("name", &known), ["name"]);
    assert_eq!(wanted("self", &known), ["self (names)"]);
    assert_eq!(wanted("zip \"open zip\" openZip", &known), ["zip", "open", "open zip", "open zip"]);
    // Nothing has the word: what means the same is looked for instead.
    assert_eq!(wanted("delete", &known)[..2], ["remove (names)", "del (names)"]);
    assert!(wanted("quux", &known).is_empty());
    let worths: Vec<f64> = Query::parse("zip open").wanted(&known).iter().map(|it| it.worth).collect();
    assert!(worths[1] < worths[0]);
}

fn candidate<'a>(id: i64, path: &'a str, symbol: &'a str, text: &'a str) -> Candidate<'a> {
    Candidate { id, path, nature: Nature::Source, symbol, heading: "", text, nearness: None }
}

/// Ids in their order.
#[track_caller]
fn order(text: &str, candidates: &[Candidate<'_>]) -> Vec<i64> {
    let query = Query::parse(text);
    let counts = counts(1_000, &[("read", 200), ("file", 300), ("header", 20), ("pars", 50), ("test", 100)]);
    let ranked = rank(&query, &counts, candidates);
    for it in &ranked {
        let sum: f64 = it.parts.iter().map(|(_, value)| value).sum();
        assert!((sum - it.score).abs() < 1e-9, "the parts of a score are not all of it: {it:?}");
    }
    // However they come, they are in one order.
    let mut turned: Vec<Candidate<'_>> = candidates.to_vec();
    turned.reverse();
    let again: Vec<i64> = rank(&query, &counts, &turned).iter().map(|it| turned[it.index].id).collect();
    let ids: Vec<i64> = ranked.iter().map(|it| candidates[it.index].id).collect();
    assert_eq!(ids, again);
    ids
}

#[test]
fn the_name_and_the_definition_come_before_uses() {
    let uses = candidate(1, "a.py", "main", "x = parse_header(y)\nz = parse_header(w)\nparse_header(q)");
    let defines = candidate(2, "b.py", "parse_header", "def parse_header(text):\n    return text.split(':')");
    let other = candidate(3, "c.py", "parse", "def parse(text):\n    header = text");
    assert_eq!(order("parse_header", &[uses, defines, other]), [2, 1, 3]);
    assert_eq!(order("parse header", &[uses, defines, other])[0], 2);
    let word = candidate(4, "d.py", "header", "def header(): pass");
    assert_eq!(order("header", &[uses, other, word])[0], 4);
}

#[test]
fn the_whole_query_as_it_stands_decides_where_words_do_not() {
    let here = candidate(1, "a.md", "", "only here");
    let there = candidate(2, "b.md", "", "only there");
    assert_eq!(order("only there", &[here, there]), [2, 1]);
    // What is defined within a chunk of another name.
    let test = Candidate {
        nature: Nature::Test,
        ..candidate(3, "t.py", "test_read_header", "def test_read_header():\n    read_header(1)")
    };
    let method = candidate(
        4,
        "h.py",
        "Header",
        "class Header:\n    def read_header(self, file):\n        return file",
    );
    assert_eq!(order("read_header", &[test, method])[0], 4);
}

#[test]
fn words_that_mean_the_same_are_found() {
    let none = candidate(1, "a.py", "sort", "def sort(xs): xs.order()");
    let same = candidate(2, "b.py", "parse_cfg", "def parse_cfg(p): pass");
    assert_eq!(order("read configuration", &[none, same])[0], 2);
}

#[test]
fn a_phrase_in_quotes_comes_first_where_it_stands() {
    let apart = candidate(1, "a.md", "", "file header, read file, header read header file read");
    let phrase = candidate(2, "b.md", "", "some words more: read the header of a file");
    assert_eq!(order("\"header of a file\"", &[apart, phrase])[0], 2);
    assert_eq!(order("header of a file", &[apart, phrase])[0], 1);
}

#[test]
fn tests_and_others_code_come_after_the_rest() {
    let text = "def read_header(f): return f.read()";
    let source = candidate(9, "src/h.py", "read_header", text);
    let test = Candidate {
        id: 1,
        path: "tests/h.py",
        nature: Nature::Test,
        text: "def read_header(f): x()",
        ..source
    };
    let vendored = Candidate {
        id: 2,
        path: "vendor/h.py",
        nature: Nature::Vendored,
        text: "def read_header(f): y(f)",
        ..source
    };
    let generated = Candidate {
        id: 3,
        path: "gen/h.py",
        nature: Nature::Generated,
        text: "def read_header(f): z(f)",
        ..source
    };
    assert_eq!(order("read header", &[test, vendored, generated, source])[0], 9);
    // Unless tests are what is asked for.
    assert_eq!(order("test read header", &[test, source])[0], 1);
}

#[test]
fn a_copy_comes_after_what_says_something_else() {
    let text = "def read_header(file):\n    one = file.read()\n    two = one.header\n    return two";
    let first = candidate(1, "a/h.py", "read_header", text);
    let copy = candidate(2, "b/h.py", "read_header", text);
    let other = candidate(3, "c/k.py", "header", "def header(file):\n    return file.read()[:10]");
    assert_eq!(order("read file header", &[first, copy, other]), [1, 3, 2]);
}

#[test]
fn a_file_with_more_of_it_comes_first() {
    let a = candidate(5, "a.py", "x", "header = 1");
    let b = candidate(6, "b.py", "y", "header = 1 ");
    let more = candidate(7, "b.py", "z", "the header is parsed: parse(header)");
    assert_eq!(order("header", &[a, b]), [5, 6]);
    let ids = order("parse header", &[a, b, more]);
    assert_eq!(ids[0], 7);
    assert!(ids.iter().position(|it| *it == 6) < ids.iter().position(|it| *it == 5), "{ids:?}");
}

#[test]
fn a_vector_moves_what_words_leave_alike() {
    let a = Candidate { nearness: Some(0.1), ..candidate(1, "a.py", "x", "header one") };
    let b = Candidate { nearness: Some(0.9), ..candidate(2, "b.py", "y", "header two") };
    assert_eq!(order("header", &[a, b]), [2, 1]);
    // Found by its vector alone.
    let c = Candidate { nearness: Some(0.9), ..candidate(3, "c.py", "y", "nothing of it") };
    assert_eq!(order("header", &[c]), [3]);
}

#[test]
fn the_fields_of_a_chunk_are_words() {
    let text = "class HTTPServer:\n    def getUser(self, user_id):\n        \"\"\"Finds one.\"\"\"\n        return self.users[user_id]\n";
    let chunks = chunks("src/web_app/http-server.py", text).chunks;
    let chunk = chunks.iter().find(|it| it.symbol.ends_with("getUser")).unwrap_or(&chunks[0]);
    let found = fields("src/web_app/http-server.py", chunk);
    assert_eq!(found.path, "src web app http server");
    assert!(found.symbol.contains("get User") || found.symbol.contains("HTTP Server"), "{found:?}");
    assert!(found.body.contains("user id") && !found.body.contains('_'), "{found:?}");
    let plain = Chunk {
        symbol: String::new(),
        heading: "A > b".to_owned(),
        doc: 0..0,
        kind: ChunkKind::Section,
        first_line: 1,
        last_line: 1,
        text: "x".to_owned(),
    };
    assert_eq!(
        fields("README", &plain),
        Fields {
            symbol: String::new(),
            path: "README".to_owned(),
            heading: "A b".to_owned(),
            doc: String::new(),
            body: "x".to_owned(),
        }
    );
}

proptest! {
    #[test]
    fn nothing_anybody_types_is_a_wrong_query(text in ".{0,200}", body in ".{0,200}", symbol in "[a-zA-Z_.]{0,20}") {
        let query = Query::parse(&text);
        let counts = counts(10, &[("a", 3)]);
        for wanted in query.wanted(&counts) {
            prop_assert!(wanted.words.chars().all(|it| it.is_alphanumeric() || it == ' ' || !it.is_ascii()), "{wanted:?}");
            prop_assert!(wanted.worth.is_finite() && 0.0 < wanted.worth);
        }
        let candidates = [candidate(1, "p", &symbol, &body), candidate(2, &symbol, "", &text)];
        let ranked = rank(&query, &counts, &candidates);
        prop_assert_eq!(ranked.len(), 2);
        prop_assert!(ranked.iter().all(|it| it.score.is_finite()));
        prop_assert!(ranked[1].score <= ranked[0].score);
    }

    #[test]
    fn a_stem_is_never_longer_than_its_word(word in "[a-z]{0,30}") {
        prop_assert!(stem(&word).len() <= word.len());
    }

    #[test]
    fn a_path_fits_itself(path in "[a-z./]{0,30}") {
        prop_assert!(Glob::new(&path).fits(path.strip_prefix("./").unwrap_or(&path)));
        prop_assert!(Glob::new("**").fits(&path));
    }
}
