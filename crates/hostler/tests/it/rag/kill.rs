//! An index that is killed at any moment: the next search is right, and the next index is as if nothing had happened.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use hostler_store::Reader;

use super::client::{Ground, lines_of};

/// Kills that hit an index at work, and how often that is tried at most.
const KILLS: usize = 50;
const TRIES_MAX: usize = 300;
/// Files of each state of the tree.
const FILES: usize = 96;

/// Chunks of a file, each with a word of its own.
const CHUNKS: usize = 12;

/// A word that stands in one chunk of one file in one state only: syllables, so that no part of it is a word.
fn word(state: &str, file: usize, chunk: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
    let number = (file * CHUNKS + chunk) * 2 + usize::from(state == "b");
    [number / 4_096, number / 256, number / 16, number].map(|it| SYLLABLES[it % 16]).concat()
}

/// What is asked: a word of each kind of file in both states.
fn queries() -> Vec<String> {
    let asked =
        ["a", "b"].into_iter().flat_map(|state| (15..23).map(move |file| word(state, file, file % CHUNKS)));
    asked.collect()
}

/// The tree in state `a` or `b`: some files stand in both, most change, some have another name, some are in one only.
fn lay(ground: &Ground, state: &str) {
    for entry in fs::read_dir(ground.tree()).unwrap() {
        fs::remove_dir_all(entry.unwrap().path()).unwrap();
    }
    for at in 0..FILES {
        // What stands in both states has the words of the first.
        let (name, marked) = match at % 8 {
            0 => (format!("kept/part_{at}"), "a"),
            1 => (format!("moved_{state}/part_{at}"), "a"),
            2 => (format!("only/{state}_part_{at}"), state),
            _ => (format!("changed/part_{at}"), state),
        };
        let mut text = String::new();
        for chunk in 0..CHUNKS {
            let word = word(marked, at, chunk);
            if at % 5 == 0 {
                let body = format!("The parcels of {word} belong to the ledger. ").repeat(6);
                write!(text, "# chapter {word}\n\n{body}\n\n").unwrap();
            } else {
                let body = format!("    total = weigh(parcels, {at}) + {word}({chunk})\n").repeat(8);
                write!(text, "def dispatch_{word}(ledger, parcels):\n{body}    return total\n\n\n").unwrap();
            }
        }
        ground.write(&format!("{name}.{}", if at % 5 == 0 { "md" } else { "py" }), &text);
    }
}

/// Everything that an index says of the tree, but for its numbers of rows.
#[track_caller]
fn contents(ground: &Ground, name: &str) -> Vec<String> {
    let reader = Reader::open(&ground.database(name)).unwrap().unwrap();
    assert_eq!(reader.check().unwrap(), Vec::<String>::new(), "{name} is damaged");
    let mut files = Vec::new();
    reader.files(&mut |file| files.push(file)).unwrap();
    let mut out = Vec::new();
    for file in files {
        out.push(format!("{} {} {:?} {:?}", file.path, file.size, file.sha256, file.skipped));
        for chunk in reader.chunks_of(&file.path).unwrap() {
            out.push(format!(
                "{} {} {} {}-{} {}",
                chunk.ordinal, chunk.heading, chunk.symbol, chunk.start_line, chunk.end_line, chunk.text
            ));
        }
    }
    out
}

/// What the queries find first, with scores.
#[track_caller]
fn found(ground: &Ground, name: &str) -> Vec<String> {
    let mut session = ground.serve(name);
    let mut out = Vec::new();
    for query in queries() {
        for hit in session.search_current(&query, 1) {
            out.push(format!("{query}: {}:{:?} {}", hit.path, hit.lines, hit.score));
        }
    }
    session.close();
    out
}

/// A search over whatever a kill has left: what it shows stands in the tree now.
#[track_caller]
fn check_search(ground: &Ground, name: &str) {
    let mut session = ground.serve(name);
    for query in queries() {
        for hit in session.search_current(&query, 8) {
            let text = session.text(&hit);
            assert_eq!(text.trim_end(), lines_of(&ground.tree(), &hit).trim_end(), "{query}: {hit:?}");
        }
    }
    session.close();
}

/// A generator whose numbers are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

// @traces RAG-001
#[test]
fn an_index_that_is_killed_at_fifty_moments_is_never_wrong_corrupt_or_stuck() {
    let ground = Ground::new();
    let mut expected = Vec::new();
    let mut full_us = 0;
    for state in ["a", "b"] {
        lay(&ground, state);
        let start = Instant::now();
        ground.index(state);
        full_us = u64::try_from(start.elapsed().as_micros()).unwrap();
        expected.push((contents(&ground, state), found(&ground, state)));
    }
    assert_ne!(expected[0], expected[1]);
    // A word of the other state need not find anything.
    assert!(expected.iter().all(|(_, hits)| queries().len() / 2 <= hits.len()), "{expected:?}");

    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut kills, mut tries) = (0, 0);
    while kills < KILLS {
        assert!(tries < TRIES_MAX, "only {kills} of {tries} kills came before the end of the index");
        let state = tries % 2;
        tries += 1;
        // Some from nothing, most over what the other state of the tree has left.
        if dice.below(4) == 0 {
            ground.forget("killed");
        }
        lay(&ground, ["a", "b"][state]);
        let mut command = ground.command("killed", &["index", ground.tree().to_str().unwrap()]);
        let mut child = command.spawn().unwrap();
        // The moment is the subject of the test; nothing is waited for.
        std::thread::sleep(Duration::from_micros(dice.below(full_us)));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        if ended.is_some() {
            continue;
        }
        kills += 1;
        // A kill before the first row leaves no index, and a search says so.
        if Reader::open(&ground.database("killed")).unwrap().is_some_and(|it| it.counts().unwrap().files != 0)
        {
            check_search(&ground, "killed");
        }
        ground.index("killed");
        let (content, hits) = &expected[state];
        assert!(contents(&ground, "killed") == *content, "kill {kills}: the index differs from a fresh one");
        assert_eq!(found(&ground, "killed"), *hits, "kill {kills}");
        assert!(ground.index("killed").contains("rechunked=0 purged=0 "), "kill {kills}: work is left");
    }
}
