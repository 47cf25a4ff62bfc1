//! Random changes against a model that is a map.

use std::collections::BTreeMap;

use hostler_store::{NewFile, Reader, Renamed, Wanted};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{WEIGHTS, chunks, file, open, place};

const NAMES: [&str; 5] = ["a.rs", "b.md", "src/c.py", "src/d e.txt", "ü"];
const WORDS: [&str; 4] = ["apple", "berry", "cherry", "date"];
/// Each with its word.
const TEXTS: [&str; 4] =
    ["apple", "berry and a bit", "cherry", "date and much that stands around it, one after another"];
const STEMS: [&str; 4] = ["appl", "berri", "cherri", "date"];

#[derive(Debug, Clone)]
enum Change {
    Put(usize, Vec<usize>),
    Rename(usize, usize),
    Remove(usize),
    Skip(usize, u8),
    Touch(usize),
    Vector(usize, usize),
    Commit,
    Drop,
    Clear,
    Reopen,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let name = 0..NAMES.len();
    vec(
        prop_oneof![
            6 => (name.clone(), vec(0..WORDS.len(), 0..4)).prop_map(|(name, words)| Change::Put(name, words)),
            2 => (name.clone(), name.clone()).prop_map(|(from, to)| Change::Rename(from, to)),
            2 => name.clone().prop_map(Change::Remove),
            1 => (name.clone(), 0..3_u8).prop_map(|(name, why)| Change::Skip(name, why)),
            1 => name.clone().prop_map(Change::Touch),
            2 => (name, 0..4_usize).prop_map(|(name, place)| Change::Vector(name, place)),
            3 => Just(Change::Commit),
            1 => Just(Change::Drop),
            1 => Just(Change::Clear),
            1 => Just(Change::Reopen),
        ],
        1..40,
    )
}

/// What a file should be.
#[derive(Debug, Clone, PartialEq, Default)]
struct Model {
    words: Vec<usize>,
    vectors: Vec<bool>,
    ids: Option<i64>,
    skipped: Option<u8>,
    mtime_ns: i64,
}

fn texts(words: &[usize]) -> Vec<&'static str> {
    words.iter().map(|it| TEXTS[*it]).collect()
}

fn compare(reader: &Reader, model: &BTreeMap<&str, Model>) {
    assert_eq!(reader.check().unwrap(), [""; 0]);
    let mut seen = Vec::new();
    reader.files(&mut |row| seen.push(row)).unwrap();
    assert_eq!(
        seen.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(),
        model.keys().copied().collect::<Vec<_>>()
    );
    for row in seen {
        let expected = &model[row.path.as_str()];
        assert_eq!((row.skipped, row.mtime_ns), (expected.skipped, expected.mtime_ns), "{}", row.path);
        let rows = reader.chunks_of(&row.path).unwrap();
        assert_eq!(rows.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), texts(&expected.words));
        let vectors: Vec<bool> = rows.iter().map(|it| reader.vector(it.id).unwrap().is_some()).collect();
        assert_eq!(vectors, expected.vectors, "{}", row.path);
        if let Some(first) = expected.ids {
            assert_eq!(rows.first().map(|it| it.id), Some(first), "ids stay");
        }
    }
    for (number, word) in WORDS.iter().enumerate() {
        let expected = model.values().flat_map(|it| &it.words).filter(|it| **it == number).count();
        assert_eq!(reader.search(word, WEIGHTS, &|_| true, 1000).unwrap().len(), expected);
        assert_eq!(reader.document_counts(&[STEMS[number]]).unwrap(), [expected as u64]);
        for common in [false, true] {
            let wanted = [Wanted { words: word, worth: 1.0, common }];
            assert_eq!(reader.candidates(&wanted, WEIGHTS, None, 1000).unwrap().len(), expected);
        }
    }
    let counts = reader.counts().unwrap();
    let vectors = model.values().flat_map(|it| &it.vectors).filter(|it| **it).count();
    assert_eq!(counts.vectors, vectors as u64);
    assert_eq!(counts.chunks, reader.chunk_count().unwrap());
}

fn run(changes: Vec<Change>) {
    let (_folder, path) = place();
    let mut committed: BTreeMap<&str, Model> = BTreeMap::new();
    let mut changes = changes.into_iter().peekable();
    let mut writer = open(&path);
    while changes.peek().is_some() {
        let mut model = committed.clone();
        let mut batch = writer.batch().unwrap();
        let mut kept = true;
        let mut reopen = false;
        for change in changes.by_ref() {
            match change {
                Change::Put(name, words) => {
                    let name = NAMES[name];
                    batch.put(&file(name), &chunks(name, &texts(&words))).unwrap();
                    let vectors = vec![false; words.len()];
                    model.insert(name, Model { words, vectors, mtime_ns: 20, ..Model::default() });
                }
                Change::Rename(from, to) => {
                    let (from, to) = (NAMES[from], NAMES[to]);
                    let words = model.get(from).map(|it| it.words.clone()).unwrap_or_default();
                    let row = NewFile { mtime_ns: 30, ..file(to) };
                    let renamed = batch.rename(from, &row, &chunks(to, &texts(&words))).unwrap();
                    assert_eq!(renamed == Renamed::Missing, !model.contains_key(from));
                    if let Some(old) = model.remove(from) {
                        model.insert(to, Model { mtime_ns: 30, skipped: None, ..old });
                    }
                }
                Change::Remove(name) => {
                    assert_eq!(batch.remove(NAMES[name]).unwrap(), model.remove(NAMES[name]).is_some());
                }
                Change::Skip(name, why) => {
                    batch.skip(NAMES[name], why, 1, 40).unwrap();
                    model.insert(NAMES[name], Model { skipped: Some(why), mtime_ns: 40, ..Model::default() });
                }
                Change::Touch(name) => {
                    let known = batch.touch(NAMES[name], 1, 50).unwrap();
                    assert_eq!(known, model.contains_key(NAMES[name]));
                    if let Some(it) = model.get_mut(NAMES[name]) {
                        it.mtime_ns = 50;
                    }
                }
                Change::Vector(name, place) => {
                    let Some(it) = model.get_mut(NAMES[name]).filter(|it| place < it.words.len()) else {
                        continue;
                    };
                    let Some(first) = it.ids else { continue };
                    batch.set_vectors(&[(first + i64::try_from(place).unwrap(), vec![0.5, -0.5])]).unwrap();
                    it.vectors[place] = true;
                }
                Change::Clear => {
                    batch.clear().unwrap();
                    model.clear();
                }
                Change::Commit => break,
                Change::Drop => {
                    kept = false;
                    break;
                }
                Change::Reopen => {
                    reopen = true;
                    break;
                }
            }
        }
        if kept {
            batch.commit().unwrap();
            committed = model;
        } else {
            drop(batch);
        }
        if reopen {
            drop(writer);
            writer = open(&path);
        }
        compare(&Reader::open(&path).unwrap().unwrap(), &committed);
        for (name, it) in &mut committed {
            it.ids = writer.reader().chunks_of(name).unwrap().first().map(|it| it.id);
        }
    }
    compare_with_a_new_one(&path, &committed);
}

/// Scores do not tell how an index came to be what it is.
fn compare_with_a_new_one(path: &std::path::Path, model: &BTreeMap<&str, Model>) {
    let (_folder, new) = place();
    let mut writer = open(&new);
    let mut batch = writer.batch().unwrap();
    for (name, it) in model.iter().filter(|(_, it)| it.skipped.is_none()) {
        batch.put(&file(name), &chunks(name, &texts(&it.words))).unwrap();
    }
    batch.commit().unwrap();
    let scores = |reader: &Reader, word: &str| -> Vec<(String, f64)> {
        let wanted = [Wanted { words: word, worth: 2.0, common: false }];
        let hits = reader.candidates(&wanted, WEIGHTS, None, 1000).unwrap();
        let path = |chunk: i64| reader.chunk(chunk).unwrap().unwrap();
        let mut all: Vec<(String, f64)> = hits
            .iter()
            .map(|it| (format!("{} {}", path(it.chunk).path, path(it.chunk).ordinal), it.score))
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    let old = Reader::open(path).unwrap().unwrap();
    for word in WORDS {
        assert_eq!(scores(&old, word), scores(writer.reader(), word));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_changes_leave_what_the_model_says(changes in changes()) {
        run(changes);
    }
}
