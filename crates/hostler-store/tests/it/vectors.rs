//! Vectors, a byte a dimension.

use hostler_store::{Error, Reader, Writer};

use crate::common::{chunks, file, open, place, put};

/// A vector of length 1 that is told from others by `seed`.
fn vector(seed: u16, dims: u16) -> Vec<f32> {
    let raw: Vec<f32> = (0..dims).map(|it| f32::from((it * 37 + seed * 101) % 97) / 48.0 - 1.0).collect();
    let length = raw.iter().map(|it| it * it).sum::<f32>().sqrt();
    raw.iter().map(|it| it / length).collect()
}

fn cosine(stored: &hostler_store::Vector, vector: &[f32]) -> f32 {
    let values: Vec<f32> = stored.values.iter().map(|it| f32::from(*it) * stored.scale).collect();
    let length = values.iter().map(|it| it * it).sum::<f32>().sqrt();
    values.iter().zip(vector).map(|(a, b)| a * b).sum::<f32>() / length
}

fn all(reader: &Reader) -> Vec<(i64, usize)> {
    let mut seen = Vec::new();
    reader
        .vectors(&mut |id, values, scale| seen.push((id, values.len() + usize::from(scale < 0.0))))
        .unwrap();
    seen.sort_unstable();
    seen
}

fn set(writer: &mut Writer, vectors: &[(i64, Vec<f32>)]) -> Result<(), Error> {
    let mut batch = writer.batch().unwrap();
    batch.set_vectors(vectors)?;
    batch.commit()
}

#[test]
fn a_stored_vector_points_where_the_given_one_did() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    let given: Vec<Vec<f32>> = (0..3).map(|it| vector(it, 256)).collect();
    let mut new = chunks("a", &["one", "two", "three"]);
    for (chunk, vector) in new.iter_mut().zip(&given) {
        chunk.vector = Some(vector);
    }
    new[1].vector = None;
    let mut batch = writer.batch().unwrap();
    batch.put(&file("a"), &new).unwrap();
    batch.commit().unwrap();
    let reader = writer.reader();
    assert!(cosine(&reader.vector(1).unwrap().unwrap(), &given[0]) > 0.999);
    assert_eq!(reader.vector(2).unwrap(), None);
    assert!(cosine(&reader.vector(3).unwrap().unwrap(), &given[2]) > 0.999);
    assert_eq!(reader.vector(4).unwrap(), None);
    assert_eq!(reader.vector(-1).unwrap(), None);
    assert_eq!(all(reader), [(1, 256), (3, 256)]);
    assert_eq!(reader.counts().unwrap().vectors, 2);
    assert_eq!(reader.chunks_without_vector(0, 10).unwrap(), [(2, "two".to_owned())]);
}

#[test]
fn vectors_can_come_later_and_go_with_their_chunk() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one", "two"]);
    put(&mut writer, "b", &["three"]);
    put(&mut writer, "empty", &[]);
    put(&mut writer, "c", &["four", "five"]);
    let ids = |reader: &Reader, after: i64, limit: usize| -> Vec<i64> {
        reader.chunks_without_vector(after, limit).unwrap().into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(ids(writer.reader(), 0, 10), [1, 2, 3, 4, 5]);
    assert_eq!(ids(writer.reader(), 0, 2), [1, 2]);
    assert_eq!(ids(writer.reader(), 1, 2), [2, 3]);
    assert_eq!(ids(writer.reader(), 4, 9), [5]);
    assert_eq!(ids(writer.reader(), 5, 9), [0; 0]);
    assert_eq!(ids(writer.reader(), 0, 0), [0; 0]);
    set(&mut writer, &[(2, vector(1, 8)), (5, vector(2, 8)), (99, vector(3, 8))]).unwrap();
    assert_eq!(all(writer.reader()), [(2, 8), (5, 8)]);
    assert_eq!(ids(writer.reader(), 0, 10), [1, 3, 4]);
    set(&mut writer, &[(1, vector(1, 8)), (3, vector(2, 8)), (4, vector(3, 8))]).unwrap();
    assert_eq!(writer.reader().counts().unwrap().vectors, 5);
    // Another model.
    set(&mut writer, &[(1, vector(1, 16))]).unwrap();
    assert_eq!(all(writer.reader()), [(1, 16), (3, 8), (4, 8), (5, 8)]);
    put(&mut writer, "c", &["six"]);
    assert_eq!(all(writer.reader()), [(1, 16), (3, 8)]);
    let mut batch = writer.batch().unwrap();
    batch.rename("b", &file("d"), &chunks("d", &["three"])).unwrap();
    batch.commit().unwrap();
    assert_eq!(all(writer.reader()), [(1, 16), (3, 8)], "a rename keeps them");
    let mut batch = writer.batch().unwrap();
    batch.clear_vectors().unwrap();
    batch.commit().unwrap();
    assert_eq!(all(writer.reader()), []);
    assert_eq!(writer.reader().check().unwrap(), [""; 0]);
}

#[test]
fn vectors_of_different_lengths_are_refused_and_odd_ones_are_kept() {
    let (_folder, path) = place();
    let mut writer = open(&path);
    put(&mut writer, "a", &["one", "two"]);
    let error = set(&mut writer, &[(1, vector(1, 8)), (2, vector(1, 9))]).unwrap_err();
    assert!(matches!(error, Error::Input { .. }), "{error}");
    set(&mut writer, &[(1, vec![0.0; 8]), (2, vec![f32::NAN; 8])]).unwrap();
    assert_eq!(writer.reader().counts().unwrap().vectors, 2, "a vector of nothing is there");
    set(&mut writer, &[]).unwrap();
    let mut new = chunks("b", &["one", "two"]);
    let (short, long) = (vector(1, 4), vector(1, 5));
    new[0].vector = Some(&short);
    new[1].vector = Some(&long);
    assert!(matches!(writer.batch().unwrap().put(&file("b"), &new), Err(Error::Input { .. })));
}
