//! Vectors as bytes: a scale and one signed byte a dimension, all of a file in one row.

/// Bytes of a scale.
const SCALE_BYTES: usize = 4;

/// A stored vector: dimension `i` is `values[i] * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// What a value of 1 stands for.
    pub scale: f32,
    /// One value a dimension.
    pub values: Vec<i8>,
}

/// The vectors of one file: a slot a chunk, each a scale and its values. A scale of 0 means that the chunk has none.
#[derive(Debug, Default)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    slots: usize,
}

/// Bytes of a slot for vectors of `dims` dimensions.
fn slot_bytes(dims: usize) -> usize {
    SCALE_BYTES + dims
}

impl Block {
    pub(crate) fn new(slots: usize, dims: usize) -> Self {
        Self { bytes: vec![0; slots * slot_bytes(dims)], slots }
    }

    /// `None` where the bytes are no whole number of slots.
    pub(crate) fn read(bytes: Vec<u8>, slots: usize) -> Option<Self> {
        let whole = 0 < slots && bytes.len().is_multiple_of(slots) && SCALE_BYTES < bytes.len() / slots;
        whole.then_some(Self { bytes, slots })
    }

    pub(crate) fn dims(&self) -> usize {
        (self.bytes.len() / self.slots.max(1)).saturating_sub(SCALE_BYTES)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many chunks have a vector.
    pub(crate) fn present(&self) -> usize {
        self.slots().filter(|(scale, _)| *scale != 0.0).count()
    }

    /// Every slot in order: scale (0 where there is no vector) and values.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (f32, &[u8])> {
        slots(&self.bytes, self.slots)
    }

    /// Stores `vector` in `slot`; its length must be `dims`.
    pub(crate) fn set(&mut self, slot: usize, vector: &[f32]) {
        let bytes = slot_bytes(self.dims());
        let Some(place) = self.bytes.chunks_exact_mut(bytes).nth(slot) else { return };
        let (scale_place, values) = place.split_at_mut(SCALE_BYTES);
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        // A vector of nothing is a vector: it is there, and like nothing.
        let scale = if largest.is_finite() && 0.0 < largest { largest / 127.0 } else { f32::MIN_POSITIVE };
        scale_place.copy_from_slice(&scale.to_le_bytes());
        for (place, value) in values.iter_mut().zip(vector) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "within -127..=127, or 0 for what is no number"
            )]
            let value = (value / scale).round().clamp(-127.0, 127.0) as i8;
            *place = value.cast_unsigned();
        }
    }
}

/// The slots in `bytes`: scale and values of each.
pub(crate) fn slots(bytes: &[u8], slots: usize) -> impl Iterator<Item = (f32, &[u8])> {
    let size = (bytes.len() / slots.max(1)).max(SCALE_BYTES + 1);
    bytes.chunks_exact(size).map(|slot| {
        let (scale, values) = slot.split_at(SCALE_BYTES);
        (scale.try_into().map_or(0.0, f32::from_le_bytes), values)
    })
}

/// Bytes as the signed values that they are.
pub(crate) fn signed(bytes: &[u8], into: &mut Vec<i8>) {
    into.clear();
    into.extend(bytes.iter().map(|byte| byte.cast_signed()));
}
