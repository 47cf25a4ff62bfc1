use hostler_store::{Reader, Wanted};

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
    let two = [Wanted { words: "two", worth: 1.0, common: false }];
    assert_eq!(reader.candidates(&two, WEIGHTS, None, 10).unwrap().len(), 2);
    let docs = |path: &str| path.starts_with("docs/");
    assert_eq!(reader.candidates(&two, WEIGHTS, Some(&docs), 10).unwrap(), []);
    assert_eq!(reader.document_counts(&["two", "nothing"]).unwrap(), [2, 0]);
    assert_eq!(reader.check().unwrap(), [""; 0]);
}
