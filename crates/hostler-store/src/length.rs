//! How long chunks are, a byte each: what a search wants to know of thousands of chunks at once.

use std::collections::BTreeMap;

/// Chunks of a block.
const BLOCK: i64 = 4096;
/// Bytes of text that a stored length of 1 stands for.
const UNIT_BYTES: usize = 16;

/// Lengths that are not stored yet.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    of: BTreeMap<i64, u8>,
}

impl Lengths {
    /// Notes the bytes of a chunk's text.
    pub(crate) fn set(&mut self, chunk: i64, bytes: usize) {
        self.of.insert(chunk, u8::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u8::MAX).max(1));
    }

    /// Notes that a chunk is gone: the mean is that of those that are there.
    pub(crate) fn remove(&mut self, chunk: i64) {
        self.of.insert(chunk, 0);
    }

    /// What is to be set in each block, by place.
    pub(crate) fn blocks(self) -> BTreeMap<i64, Vec<(usize, u8)>> {
        let mut blocks: BTreeMap<i64, Vec<(usize, u8)>> = BTreeMap::new();
        for (chunk, length) in self.of {
            let place = usize::try_from(chunk % BLOCK).unwrap_or_default();
            blocks.entry(chunk / BLOCK).or_default().push((place, length));
        }
        blocks
    }
}

/// A block with some lengths set.
pub(crate) fn merged(mut block: Vec<u8>, set: &[(usize, u8)]) -> Vec<u8> {
    for (place, length) in set {
        if block.len() <= *place {
            block.resize(place + 1, 0);
        }
        block[*place] = *length;
    }
    block
}

/// Lengths of all chunks, against their mean.
#[derive(Debug, Default)]
pub(crate) struct Relative {
    lengths: Vec<u8>,
    mean: f32,
}

impl Relative {
    /// Puts the stored blocks together, in their order.
    pub(crate) fn add(&mut self, block: i64, data: &[u8]) {
        let start = usize::try_from(block * BLOCK).unwrap_or_default();
        self.lengths.resize(start.max(self.lengths.len()), 0);
        self.lengths.extend_from_slice(data);
    }

    pub(crate) fn done(mut self) -> Self {
        let known = || self.lengths.iter().filter(|it| 0 < **it);
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let mean = known().map(|it| u64::from(*it)).sum::<u64>() as f32 / known().count().max(1) as f32;
        self.mean = mean.max(1.0);
        self
    }

    /// 1 for a chunk of the mean length, and for one that is not known.
    pub(crate) fn of(&self, chunk: i64) -> f32 {
        let length = usize::try_from(chunk).ok().and_then(|it| self.lengths.get(it)).copied();
        length.filter(|it| 0 < *it).map_or(1.0, |length| f32::from(length) / self.mean)
    }
}
