//! JSON, with everything that is known.

use serde_json::{Value, json};

use crate::Matrix;

use super::Options;

/// The format that this build writes; fields are only added to it.
pub const VERSION: u32 = 1;

/// Whether a document is one of ours.
pub fn is_ours(document: &Value) -> bool {
    let by_us = document["generator"].as_str().is_some_and(|it| it.starts_with("hostler "));
    by_us && document["requirements"].is_array()
}

/// The whole matrix.
pub fn document(matrix: &Matrix, options: &Options<'_>) -> Value {
    let specs = matrix.specs.iter().map(|(name, coverage)| {
        let mut value = json!(coverage);
        value["specification"] = name.as_str().into();
        value
    });
    let mut rows = json!(matrix.rows);
    if !options.texts {
        for row in rows.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            row.remove("text");
        }
    }
    json!({
        "version": VERSION,
        "generator": options.generator,
        "headline": matrix.headline(),
        "tags": matrix.tags,
        "has_results": matrix.has_results,
        "totals": matrix.totals,
        "specifications": specs.collect::<Vec<_>>(),
        "modules": matrix.modules,
        "files": matrix.files,
        "findings": matrix.findings,
        "requirements": rows,
    })
}
