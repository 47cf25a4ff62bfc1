//! What words find.

use hostler_store::{Error, Reader, Wanted};

use crate::common::{WEIGHTS, open, place, put};

fn wanted(words: &str) -> Wanted<'_> {
    Wanted { words, worth: 1.0, common: false }
}

/// Texts of the hits in their order.
fn texts(reader: &Reader, hits: &[hostler_store::Hit]) -> Vec<String> {
    let ids: Vec<i64> = hits.iter().map(|it| it.chunk).collect();
    reader.chunks(&ids).unwrap().into_iter().map(|it| it.text).collect()
}

fn indexed() -> (tempfile::TempDir, Reader) {
    let (folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "src/parser.rs", &["parse one token", "helper parse parse of tokens", "other"]);
    put(&mut writer, "docs/parser.md", &["words about tokens"]);
    put(&mut writer, "src/quiet.rs", &["nothing here"]);
    drop(writer);
    let reader = Reader::open(&path).unwrap().unwrap();
    (folder, reader)
}

#[test]
fn expressions_are_those_of_fts5() {
    let (_folder, reader) = indexed();
    let search = |expression: &str| {
        let hits = reader.search(expression, WEIGHTS, &|_| true, 10).unwrap();
        texts(&reader, &hits)
    };
    assert_eq!(
        search("\"parse\""),
        ["parse one token", "helper parse parse of tokens"],
        "the symbol weighs more"
    );
    assert_eq!(search("\"parse one\""), ["parse one token"]);
    assert_eq!(search("symbol : parse"), ["parse one token"]);
    assert_eq!(search("path : quiet"), ["nothing here"]);
    assert_eq!(search("tokenized OR nothing").len(), 4, "words are found by their stems");
    for wrong in ["", "\"", "AND", "nocolumn : x", "a NEAR(", "*"] {
        let error = reader.search(wrong, WEIGHTS, &|_| true, 10).unwrap_err();
        assert!(matches!(error, Error::Expression { .. }), "{wrong}: {error}");
    }
}

#[test]
fn candidates_are_ordered_by_where_their_words_stand() {
    let (_folder, reader) = indexed();
    let find = |wanted: &[Wanted<'_>], limit: usize| {
        let hits = reader.candidates(wanted, WEIGHTS, None, limit).unwrap();
        texts(&reader, &hits)
    };
    assert_eq!(find(&[wanted("parse")], 10), ["parse one token", "helper parse parse of tokens"]);
    assert_eq!(find(&[wanted("parse")], 1), ["parse one token"]);
    assert_eq!(find(&[wanted("parse")], 0), [""; 0]);
    assert_eq!(find(&[], 10), [""; 0]);
    assert_eq!(find(&[wanted("parse one")], 10), ["parse one token"], "words side by side");
    let rare = Wanted { worth: 9.0, ..wanted("nothing") };
    assert_eq!(find(&[wanted("parse"), rare], 10)[0], "nothing here");
    let common = Wanted { common: true, ..wanted("parse") };
    assert_eq!(find(&[common], 10), ["parse one token"], "in names alone");
    // No sign is an operator.
    for strange in ["\"", "a\" OR \"b", "*", "parse*", "symbol : parse", "(", "", " ", "'", "\0", "AND"] {
        reader.candidates(&[wanted(strange)], WEIGHTS, None, 10).unwrap();
    }
}

#[test]
fn a_filter_of_paths_works_before_the_limit() {
    let (folder, path) = place();
    let mut writer = open(&path);
    // More than are looked up one by one.
    let many: Vec<String> = (0..2_500).map(|it| format!("word number {it}")).collect();
    for (number, group) in many.chunks(100).enumerate() {
        put(&mut writer, &format!("src/{number}.rs"), &group.iter().map(String::as_str).collect::<Vec<_>>());
    }
    put(
        &mut writer,
        "docs/last.md",
        &["a word that comes after all the others because much more stands around it"],
    );
    let reader = Reader::open(&path).unwrap().unwrap();
    let docs = |path: &str| path.starts_with("docs/");
    let hits = reader.candidates(&[wanted("word")], WEIGHTS, Some(&docs), 5).unwrap();
    assert_eq!(reader.chunks(&[hits[0].chunk]).unwrap()[0].path, "docs/last.md");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].file, reader.file("docs/last.md").unwrap().unwrap().id);
    assert_eq!(reader.search("word", WEIGHTS, &docs, 5).unwrap().len(), 1);
    assert_eq!(reader.candidates(&[wanted("word")], WEIGHTS, Some(&|_: &str| false), 5).unwrap(), []);
    drop(folder);
}

#[test]
fn ties_go_by_path_and_place_however_the_index_came_to_be() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    for name in ["c", "a", "b", "d"] {
        put(&mut writer, name, &["same words", "same words"]);
    }
    put(&mut writer, "c", &["same words", "same words"]);
    put(&mut writer, "a", &["same words", "same words"]);
    let reader = Reader::open(&path).unwrap().unwrap();
    let expected = ["a 0", "a 1", "b 0", "b 1", "c 0", "c 1", "d 0", "d 1"];
    let all = |_: &str| true;
    let named = |hits: &[hostler_store::Hit]| -> Vec<String> {
        let row = |hit: &hostler_store::Hit| reader.chunk(hit.chunk).unwrap().unwrap();
        hits.iter().map(|it| format!("{} {}", row(it).path, row(it).ordinal)).collect()
    };
    for limit in 0..10 {
        let until = limit.min(expected.len());
        for filter in [None, Some(&all as &dyn Fn(&str) -> bool)] {
            let hits = reader.candidates(&[wanted("words")], WEIGHTS, filter, limit).unwrap();
            assert_eq!(named(&hits), expected[..until]);
        }
        assert_eq!(named(&reader.search("words", WEIGHTS, &all, limit).unwrap()), expected[..until]);
    }
}

#[test]
fn counts_are_those_of_stems() {
    let (_folder, reader) = indexed();
    assert_eq!(
        reader.document_counts(&["pars", "token", "tokens", "nothing", "zzz"]).unwrap(),
        [2, 3, 0, 0, 0]
    );
    assert_eq!(reader.document_counts(&["noth"]).unwrap(), [1]);
}

#[test]
fn a_reader_that_stays_open_finds_what_came_later() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["early bird"]);
    let reader = Reader::open(&path).unwrap().unwrap();
    assert_eq!(reader.candidates(&[wanted("bird")], WEIGHTS, None, 9).unwrap().len(), 1);
    put(&mut writer, "b", &["late bird"]);
    assert_eq!(reader.candidates(&[wanted("bird")], WEIGHTS, None, 9).unwrap().len(), 2);
    put(&mut writer, "a", &["gone"]);
    assert_eq!(reader.candidates(&[wanted("bird")], WEIGHTS, None, 9).unwrap().len(), 1);
    assert_eq!(writer.reader().candidates(&[wanted("bird")], WEIGHTS, None, 9).unwrap().len(), 1);
}
