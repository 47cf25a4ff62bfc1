//! Static models as a folder of [model2vec](https://github.com/MinishLab/model2vec) has them: a vector for each token of
//! a tokenizer, and the mean of a text's tokens as its vector.

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use tokenizers::Tokenizer;

use super::{normalise, single};

/// Bytes of a text that are read, and tokens that count.
const TEXT_BYTES_MAX: usize = 16 * 1024;
const TOKENS_MAX: usize = 512;
/// How the table of vectors is called, the first that is there.
const TABLES: &[&str] = &["embeddings", "embedding.weight"];
/// More numbers in a vector than this are none.
const DIMENSIONS_MAX: usize = 8_192;

/// Why a folder is no model.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `tokenizer.json` cannot be used.
    #[error("`tokenizer.json` is not a tokenizer: {0}")]
    Tokenizer(String),
    /// `model.safetensors` cannot be read.
    #[error("`model.safetensors` cannot be read: {0}")]
    Weights(String),
    /// The table of vectors is missing or not a table.
    #[error("`model.safetensors` has no usable table of vectors: {0}")]
    Table(String),
    /// `config.json` cannot be read.
    #[error("`config.json` cannot be read: {0}")]
    Config(String),
    /// A text could not be cut into tokens.
    #[error("a text could not be cut into tokens: {0}")]
    Text(String),
}

/// What `config.json` says; all of it may be missing.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct Config {
    normalize: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { normalize: true }
    }
}

/// A static model.
pub struct Model {
    tokenizer: Tokenizer,
    /// The token for what the tokenizer does not know: it says nothing.
    unknown: Option<u32>,
    table: Table,
    /// Token -> row of the table, where they differ.
    rows: Option<Vec<usize>>,
    /// What each token is worth, where a model says it.
    weights: Option<Vec<f32>>,
    normalize: bool,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("dimensions", &self.table.width).finish_non_exhaustive()
    }
}

/// Vectors as they stand in the file.
struct Table {
    bytes: Vec<u8>,
    kind: Kind,
    rows: usize,
    width: usize,
}

/// How a number is written.
#[derive(Debug, Clone, Copy)]
enum Kind {
    F64,
    F32,
    F16,
    BF16,
    I8,
}

impl Model {
    /// Reads the files of a folder; without `config.json` vectors are made one unit long.
    ///
    /// # Errors
    /// What is wrong with which file.
    pub fn from_bytes(tokenizer: &[u8], weights: &[u8], config: Option<&[u8]>) -> Result<Self, Error> {
        let config: Config = match config {
            Some(bytes) => serde_json::from_slice(bytes).map_err(|error| Error::Config(error.to_string()))?,
            None => Config::default(),
        };
        let mut unknown = unknown_token(tokenizer);
        let mut tokenizer =
            Tokenizer::from_bytes(tokenizer).map_err(|error| Error::Tokenizer(error.to_string()))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| Error::Tokenizer(error.to_string()))?;
        let tensors = SafeTensors::deserialize(weights).map_err(|error| Error::Weights(error.to_string()))?;
        let name = TABLES.iter().find(|name| tensors.tensor(name).is_ok());
        let name = name.ok_or_else(|| Error::Table(format!("none is called `{}`", TABLES.join("` or `"))))?;
        let view = tensors.tensor(name).map_err(|error| Error::Weights(error.to_string()))?;
        let table = Table::new(&view)?;
        let list = |name: &str| tensors.tensor(name).ok().map(|it| Table::list(&it)).transpose();
        let rows = list("mapping")?.map(|it| it.into_iter().map(row).collect());
        let weights = list("weights")?.map(|it| it.into_iter().map(single).collect());
        let id = unknown.take().and_then(|it| tokenizer.token_to_id(&it));
        Ok(Self { tokenizer, unknown: id, table, rows, weights, normalize: config.normalize })
    }

    /// Numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.table.width
    }

    /// The vector of a text; all zeros where the model knows no word of it.
    ///
    /// # Errors
    /// The tokenizer fails on the text.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, Error> {
        let mut end = text.len().min(TEXT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default();
        let encoding =
            self.tokenizer.encode_fast(text, false).map_err(|error| Error::Text(error.to_string()))?;
        let mut sum = vec![0.0_f32; self.table.width];
        let mut count = 0.0_f32;
        for token in encoding.get_ids().iter().filter(|it| Some(**it) != self.unknown).take(TOKENS_MAX) {
            let token = usize::try_from(*token).unwrap_or(usize::MAX);
            let row = match &self.rows {
                Some(rows) => rows.get(token).copied(),
                None => Some(token),
            };
            let worth = self.weights.as_ref().map_or(1.0, |it| it.get(token).copied().unwrap_or(1.0));
            if row.is_some_and(|row| self.table.add(row, worth, &mut sum)) {
                count += 1.0;
            }
        }
        if 0.0 < count {
            for value in &mut sum {
                *value /= count;
            }
        }
        if self.normalize {
            normalise(&mut sum);
        }
        Ok(sum)
    }
}

impl Table {
    fn new(view: &TensorView<'_>) -> Result<Self, Error> {
        let kind = Kind::of(view.dtype())?;
        let [rows, width] = *view.shape() else {
            return Err(Error::Table(format!("it has {} dimensions and not 2", view.shape().len())));
        };
        if rows == 0 || width == 0 || DIMENSIONS_MAX < width {
            return Err(Error::Table(format!("it has {rows} rows of {width} numbers")));
        }
        Ok(Self { bytes: view.data().to_vec(), kind, rows, width })
    }

    /// A table of one column.
    fn list(view: &TensorView<'_>) -> Result<Vec<f64>, Error> {
        let bytes = view.data();
        let wide = |size: usize| bytes.chunks_exact(size);
        Ok(match view.dtype() {
            Dtype::I64 => wide(8).map(integer).collect(),
            Dtype::I32 => wide(4).map(integer).collect(),
            other => {
                let kind = Kind::of(other)?;
                wide(kind.size()).map(|it| f64::from(kind.read(it))).collect()
            }
        })
    }

    /// Adds a row to a vector; false where there is no such row.
    fn add(&self, row: usize, worth: f32, sum: &mut [f32]) -> bool {
        let size = self.kind.size();
        let length = self.width * size;
        let bytes = row.checked_mul(length).and_then(|start| self.bytes.get(start..start + length));
        let Some(bytes) = bytes.filter(|_| row < self.rows) else { return false };
        for (value, bytes) in sum.iter_mut().zip(bytes.chunks_exact(size)) {
            *value += worth * self.kind.read(bytes);
        }
        true
    }
}

impl Kind {
    fn of(kind: Dtype) -> Result<Self, Error> {
        match kind {
            Dtype::F64 => Ok(Self::F64),
            Dtype::F32 => Ok(Self::F32),
            Dtype::F16 => Ok(Self::F16),
            Dtype::BF16 => Ok(Self::BF16),
            Dtype::I8 => Ok(Self::I8),
            other => Err(Error::Table(format!("its numbers are {other:?}"))),
        }
    }

    fn size(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::I8 => 1,
        }
    }

    fn read(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::F64, _) => bytes.try_into().map_or(0.0, |it| single(f64::from_le_bytes(it))),
            (Self::F32, _) => bytes.try_into().map_or(0.0, f32::from_le_bytes),
            (Self::F16, [low, high]) => half(u16::from_le_bytes([*low, *high])),
            (Self::BF16, [low, high]) => f32::from_le_bytes([0, 0, *low, *high]),
            (Self::I8, [byte]) => f32::from(i8::from_le_bytes([*byte])),
            _ => 0.0,
        }
    }
}

/// A number of half precision.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-14),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1.0 + fraction) * 2.0_f32.powi(exponent - 15),
    }
}

/// A whole number of 4 or 8 bytes; rows are few enough to be exact.
fn integer(bytes: &[u8]) -> f64 {
    let (low, high) = bytes.split_at(4.min(bytes.len()));
    let low = low.try_into().map_or(0, u32::from_le_bytes);
    // A row above 4,294,967,295 is none.
    if high.iter().all(|it| *it == 0) { f64::from(low) } else { f64::MAX }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast saturates, and no row is so far"
)]
fn row(value: f64) -> usize {
    value as usize
}

/// The name of the token for what is not known, where a tokenizer has one.
fn unknown_token(tokenizer: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct File {
        model: Part,
    }
    #[derive(Deserialize)]
    struct Part {
        unk_token: Option<String>,
    }
    serde_json::from_slice::<File>(tokenizer).ok()?.model.unk_token
}
