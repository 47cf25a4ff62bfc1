#![expect(clippy::unwrap_used, reason = "tests")]

use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};
use serde_json::json;

use super::*;

/// What the source's own function gives, run under Node: text, then place and bits of each number that is not 0.
const KNOWN: &[(&str, &[(usize, u32)])] = &[
    (
        "quantum marmalade",
        &[
            (18, 0x3e78_5b42),
            (28, 0x3e78_5b42),
            (49, 0x3e78_5b42),
            (53, 0x3e78_5b42),
            (57, 0x3e78_5b42),
            (69, 0x3e78_5b42),
            (73, 0x3e78_5b42),
            (130, 0x3e78_5b42),
            (144, 0x3e78_5b42),
            (153, 0x3e78_5b42),
            (154, 0x3e78_5b42),
            (159, 0x3e78_5b42),
            (162, 0x3e78_5b42),
            (172, 0x3e78_5b42),
            (188, 0x3e78_5b42),
            (191, 0x3e78_5b42),
            (205, 0x3e78_5b42),
        ],
    ),
    (
        "getUser(id) // GET",
        &[
            (8, 0x3e80_0000),
            (47, 0x3e80_0000),
            (52, 0x3e80_0000),
            (87, 0x3e80_0000),
            (98, 0x3e80_0000),
            (100, 0x3e80_0000),
            (116, 0x3e80_0000),
            (134, 0x3e80_0000),
            (156, 0x3e80_0000),
            (190, 0x3f00_0000),
            (210, 0x3e80_0000),
            (224, 0x3e80_0000),
            (242, 0x3e80_0000),
        ],
    ),
    (
        "\u{212a}elvin \u{130}x caf\u{e9} \u{1f600}z",
        &[
            (11, 0x3e64_f92e),
            (45, 0x3e64_f92e),
            (52, 0x3ee4_f92e),
            (64, 0x3e64_f92e),
            (98, 0x3ee4_f92e),
            (122, 0x3e64_f92e),
            (123, 0x3e64_f92e),
            (135, 0x3e64_f92e),
            (143, 0x3e64_f92e),
            (173, 0x3e64_f92e),
            (196, 0x3e64_f92e),
            (200, 0x3e64_f92e),
            (204, 0x3e64_f92e),
            (253, 0x3e64_f92e),
        ],
    ),
    ("a a a b", &[(44, 0x3f46_4bf8), (113, 0x3e84_32a5), (184, 0x3f04_32a5), (229, 0x3e84_32a5)]),
];

#[test]
fn hashed_vectors_are_the_sources_bit_for_bit() {
    for (text, expected) in KNOWN {
        let vector = hashed(text);
        let found: Vec<(usize, u32)> =
            vector.iter().map(|it| it.to_bits()).enumerate().filter(|(_, bits)| *bits != 0).collect();
        assert_eq!(found, *expected, "{text}");
    }
    assert!(hashed("…").iter().all(|it| it.to_bits() == 0));
}

/// A tokenizer of whole words.
fn tokenizer() -> Vec<u8> {
    let value = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" }, "pre_tokenizer": { "type": "Whitespace" },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": { "[UNK]": 0, "a": 1, "b": 2 }, "unk_token": "[UNK]" },
    });
    value.to_string().into_bytes()
}

fn weights(kind: Dtype, bytes: &[u8], shape: &[usize], more: &[(&str, Dtype, Vec<u8>)]) -> Vec<u8> {
    let mut tensors = vec![("embeddings", TensorView::new(kind, shape.to_vec(), bytes).unwrap())];
    for (name, kind, bytes) in more {
        let count = bytes.len() * 8 / kind.bitsize();
        tensors.push((name, TensorView::new(*kind, vec![count], bytes).unwrap()));
    }
    serialize(tensors, None).unwrap()
}

fn singles(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_le_bytes()).collect()
}

const TABLE: &[f32] = &[9.0, 9.0, 3.0, 0.0, 0.0, 4.0];

#[track_caller]
fn near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}, not {expected:?}");
}

#[test]
fn a_vector_is_the_mean_of_the_tokens_that_are_known() {
    let plain = Model::from_bytes(
        &tokenizer(),
        &weights(Dtype::F32, &singles(TABLE), &[3, 2], &[]),
        Some(br#"{"normalize": false, "model_type": "model2vec"}"#),
    )
    .unwrap();
    assert_eq!(plain.dimensions(), 2);
    near(&plain.embed("A b").unwrap(), &[1.5, 2.0]);
    near(&plain.embed("a what b").unwrap(), &[1.5, 2.0]);
    near(&plain.embed("what").unwrap(), &[0.0, 0.0]);
    near(&plain.embed("").unwrap(), &[0.0, 0.0]);
    // Without a configuration vectors are one unit long.
    let unit =
        Model::from_bytes(&tokenizer(), &weights(Dtype::F32, &singles(TABLE), &[3, 2], &[]), None).unwrap();
    near(&unit.embed("a b").unwrap(), &[0.6, 0.8]);
}

#[test]
fn numbers_may_be_written_in_any_width() {
    let halves: Vec<u8> =
        [0x4880_u16, 0x4880, 0x4200, 0, 0, 0x4400].iter().flat_map(|it| it.to_le_bytes()).collect();
    let brains: Vec<u8> =
        TABLE.iter().flat_map(|it| (it.to_bits() >> 16).to_le_bytes()[..2].to_vec()).collect();
    let doubles: Vec<u8> = TABLE.iter().flat_map(|it| f64::from(*it).to_le_bytes()).collect();
    for (kind, bytes) in [
        (Dtype::F16, halves),
        (Dtype::BF16, brains),
        (Dtype::F64, doubles),
        (Dtype::I8, vec![9, 9, 3, 0, 0, 4]),
    ] {
        let model = Model::from_bytes(
            &tokenizer(),
            &weights(kind, &bytes, &[3, 2], &[]),
            Some(b"{\"normalize\": false}"),
        );
        near(&model.unwrap().embed("a b").unwrap(), &[1.5, 2.0]);
    }
}

#[test]
fn a_model_may_map_tokens_to_rows_and_weigh_them() {
    let mapping: Vec<u8> = [0_i64, 0, 1].iter().flat_map(|it| it.to_le_bytes()).collect();
    let more = [("mapping", Dtype::I64, mapping), ("weights", Dtype::F32, singles(&[1.0, 2.0, 0.5]))];
    let bytes = weights(Dtype::F32, &singles(&[3.0, 0.0, 0.0, 4.0]), &[2, 2], &more);
    let model = Model::from_bytes(&tokenizer(), &bytes, Some(b"{\"normalize\": false}")).unwrap();
    near(&model.embed("a b").unwrap(), &[3.0, 1.0]);
}

#[test]
fn what_is_no_model_is_told() {
    let table = weights(Dtype::F32, &singles(TABLE), &[3, 2], &[]);
    let wrong = |tokenizer: &[u8], weights: &[u8], config: Option<&[u8]>| {
        Model::from_bytes(tokenizer, weights, config).unwrap_err().to_string()
    };
    assert!(wrong(b"{}", &table, None).starts_with("`tokenizer.json`"));
    assert!(wrong(&tokenizer(), b"{}", None).starts_with("`model.safetensors`"));
    assert!(wrong(&tokenizer(), &table, Some(b"[")).starts_with("`config.json`"));
    let flat = weights(Dtype::F32, &singles(TABLE), &[6], &[]);
    assert!(wrong(&tokenizer(), &flat, None).contains("1 dimensions and not 2"));
    let whole = weights(Dtype::U8, &[0; 6], &[3, 2], &[]);
    assert!(wrong(&tokenizer(), &whole, None).contains("its numbers are U8"));
    let other =
        serialize([("x", TensorView::new(Dtype::F32, vec![3, 2], &singles(TABLE)).unwrap())], None).unwrap();
    assert!(wrong(&tokenizer(), &other, None).contains("none is called `embeddings`"));
    // A token that the table has no row for is passed over.
    let short = weights(Dtype::F32, &singles(&[9.0, 9.0, 3.0, 0.0]), &[2, 2], &[]);
    near(&Model::from_bytes(&tokenizer(), &short, None).unwrap().embed("a b").unwrap(), &[1.0, 0.0]);
}
