//! What is found, and in which order.

use serde_json::Value;

use super::ground::{Ground, paths};

// @traces RAG-007
#[test]
fn words_count_by_their_stems_and_eight_hits_are_given() {
    let mut ground = Ground::with(&[("a.md", "# Jam\n\nThe marmalades were deduplicated twice.\n")]);
    assert_eq!(index_and_find(&mut ground, "deduplicating marmalade"), ["a.md"]);
    for number in 10..30 {
        ground.write(&format!("n{number}.md"), format!("# Item {number}\n\nmarmalade number {number}\n"));
    }
    ground.index();
    assert_eq!(ground.found("marmalade").len(), 8);
    assert_eq!(paths(&ground.json(&["search", "marmalade", "--k", "20"])).len(), 20);
}

fn index_and_find(ground: &mut Ground, query: &str) -> Vec<String> {
    ground.index();
    ground.found(query)
}

// @traces RAG-007
#[test]
fn alike_chunks_stand_in_the_order_of_their_numbers_every_time() {
    let ground = Ground::new();
    for name in ["c", "a", "b", "d"] {
        ground.write(&format!("{name}.txt"), format!("pear {name}{name}{name}\n"));
    }
    ground.index();
    let hits = |answer: &Value| -> Vec<(i64, u64)> {
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.map(|it| (it["id"].as_i64().unwrap(), it["score"].as_f64().unwrap().to_bits())).collect()
    };
    let first = hits(&ground.json(&["search", "pear"]));
    assert_eq!(first.len(), 4);
    assert!(first.windows(2).all(|it| it[0].1 == it[1].1 && it[0].0 < it[1].0), "{first:?}");
    assert_eq!(hits(&ground.json(&["search", "pear"])), first);
}

#[test]
fn a_definition_comes_before_its_uses_and_code_before_its_tests() {
    let mut ground = Ground::with(&[
        ("src/jam.py", "class Jar:\n    def spread_jam(self, bread):\n        return bread.cover(self)\n"),
        ("src/use.py", "def breakfast(jar, bread):\n    jar.spread_jam(bread)\n    jar.spread_jam(bread)\n"),
        ("tests/test_jam.py", "def test_spread_jam():\n    assert Jar().spread_jam(1)\n"),
    ]);
    assert_eq!(index_and_find(&mut ground, "spread_jam")[0], "src/jam.py");
    assert_eq!(ground.found("test for spread jam")[0], "tests/test_jam.py");
    // Short forms of words.
    ground.write("src/conf.py", "def load_cfg(dir):\n    return dir\n");
    assert_eq!(index_and_find(&mut ground, "read the configuration of a directory")[0], "src/conf.py");
}

#[test]
fn a_phrase_in_quotes_is_looked_for_as_it_stands() {
    let mut ground = Ground::with(&[
        ("apart.md", "# Bread\n\njam bread jam bread on jam, and bread with jam on bread\n"),
        ("phrase.md", "# Other\n\nSomebody wanted some jam on the bread of yesterday.\n"),
    ]);
    assert_eq!(index_and_find(&mut ground, "\"jam on the bread\"")[0], "phrase.md");
    assert_eq!(ground.found("jam bread")[0], "apart.md");
}

// @traces RAG-008
#[test]
fn a_glob_leaves_out_what_would_be_better_before_anything_is_ranked() {
    let ground = Ground::new();
    for number in 0..300 {
        ground.write(&format!("src/f{number}.md"), format!("# Quince\n\nquince quince quince {number}\n"));
    }
    ground.write("docs/deep/er/one.md", "# Other\n\nA quince is a fruit, among very many other things.\n");
    ground.index();
    let found = |glob: &str| paths(&ground.json(&["search", "quince", "--k", "3", "--glob", glob]));
    assert_eq!(found("docs/**/*.md"), ["docs/deep/er/one.md"]);
    assert_eq!(found("docs/**"), ["docs/deep/er/one.md"]);
    assert_eq!(found("docs/*"), [""; 0]);
    assert_eq!(found("src/f?.md").len(), 3);
    assert_eq!(found("nothing/**"), [""; 0]);
}

#[test]
fn the_same_text_twice_is_not_the_first_thing_twice() {
    let text = "def read_quince(file):\n    quince = file.read()\n    check(quince)\n    return quince\n";
    let mut ground = Ground::with(&[
        ("a/quince.py", text),
        ("b/quince.py", text),
        ("c/other.py", "def read_quinces(files):\n    return [read_quince(it) for it in files]\n"),
    ]);
    assert_eq!(index_and_find(&mut ground, "read quince file"), ["a/quince.py", "c/other.py", "b/quince.py"]);
}

/// Words are in the index as they are; what is misspelled is near it by its letters.
#[test]
fn a_misspelled_word_is_found_by_its_letters() {
    let mut ground =
        Ground::with(&[("jam.md", "# Jam\n\nmarmalade\n"), ("nuts.md", "# Nuts\n\nhazelnuts\n")]);
    assert_eq!(index_and_find(&mut ground, "marmelade"), ["jam.md"]);
    assert_eq!(ground.found("xyzzy"), [""; 0]);
}
