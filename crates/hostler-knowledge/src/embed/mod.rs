//! Texts to vectors, on this machine: [`hashed`] needs nothing, a [`Model`] is what a user brings.

mod hashed;
mod model;
#[cfg(test)]
mod tests;

pub use hashed::{DIMENSIONS, hashed};
pub use model::{Error, Model};

/// Makes a vector one unit long, in place; one of nothing stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|it| f64::from(*it) * f64::from(*it)).sum::<f64>().sqrt();
    if 0.0 < length {
        for value in vector {
            *value = single(f64::from(*value) / length);
        }
    }
}

/// The nearest number of single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is meant")]
fn single(value: f64) -> f32 {
    value as f32
}
