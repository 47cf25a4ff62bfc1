use hostler_store::Reader;

use crate::common::{WEIGHTS, open, place, put};

#[test]
fn what_is_put_is_found() {
    let (_folder, path) = place();
    assert!(Reader::open(&path).unwrap().is_none());
    let mut writer = open(&path);
    put(&mut writer, "src/a.rs", &["alpha one two", "beta two three"]);
    let reader = Reader::open(&path).unwrap().unwrap();
    let hits = reader.search("\"beta\"", WEIGHTS, &|_| true, 10).unwrap();
    let row = reader.chunk(hits[0].chunk).unwrap().unwrap();
    assert_eq!((row.path.as_str(), row.text.as_str(), row.ordinal), ("src/a.rs", "beta two three", 1));
    assert_eq!(reader.search_terms(&["two"], WEIGHTS, &|_| true, 10).unwrap().len(), 2);
    assert_eq!(reader.search_terms(&["two"], WEIGHTS, &|path| path.starts_with("docs/"), 10).unwrap(), []);
    assert_eq!(reader.document_counts(&["two", "nothing"]).unwrap(), [2, 0]);
}
