//! Vectors of words and parts of words, hashed: the same text has the same vector on every machine.

use super::normalise;

/// Numbers in a vector.
pub const DIMENSIONS: usize = 256;

/// The hashed vector of a text: counts of its words, of pairs of words, and of runs of four letters in each word, one
/// unit long. Words are runs of ASCII letters and digits in small letters; a text without any is all zeros.
pub fn hashed(text: &str) -> [f32; DIMENSIONS] {
    let mut vector = [0.0_f32; DIMENSIONS];
    let text = text.to_lowercase();
    let mut before: Option<&str> = None;
    let mut padded = String::new();
    for word in text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()) {
        count(&mut vector, word.bytes());
        if let Some(before) = before {
            count(&mut vector, before.bytes().chain(*b"_").chain(word.bytes()));
        }
        before = Some(word);
        padded.clear();
        padded.extend(["#", word, "#"]);
        for run in padded.as_bytes().windows(4) {
            count(&mut vector, run.iter().copied());
        }
    }
    normalise(&mut vector);
    vector
}

fn count(vector: &mut [f32; DIMENSIONS], feature: impl Iterator<Item = u8>) {
    // FNV-1a of 32 bits; its lowest byte is the bucket.
    let hash = feature.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    if let Some(bucket) = vector.get_mut(usize::from(hash.to_le_bytes()[0])) {
        *bucket += 1.0;
    }
}
