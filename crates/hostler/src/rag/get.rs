//! One chunk by its number.

use hostler_store::{ChunkRow, Reader};

use super::{Error, Place};

/// The chunk `id`.
///
/// # Errors
/// There is no such chunk, or no index.
pub(crate) fn get(place: &Place, id: i64) -> Result<ChunkRow, Error> {
    let Some(reader) = Reader::open(&place.db)? else { return Err(Error::NoIndex(place.db.clone())) };
    reader.chunk(id)?.ok_or_else(|| {
        Error::Usage(format!(
            "no chunk with id {id}; ids are those of `hostler rag search`, and change with their files"
        ))
    })
}
