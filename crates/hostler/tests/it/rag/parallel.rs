//! Many sessions that search while the tree changes and is indexed: none of them sees an error or half a file.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::client::Ground;

const SESSIONS: usize = 8;
const FILES: usize = 60;
/// States of the tree, each indexed while all sessions search.
const STATES: usize = 6;
/// Searches of a session, at least.
const SEARCHES: usize = 20;

/// A word that stands in one file only.
fn word(at: usize) -> String {
    const FIRST: [&str; 8] = ["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron"];
    const SECOND: [&str; 8] = ["anvil", "brook", "crane", "dune", "elm", "fjord", "gate", "hill"];
    format!("{}{}", FIRST[at / 8], SECOND[at % 8])
}

fn lay(ground: &Ground, state: usize) {
    for at in 0..FILES {
        let word = word(at);
        let functions: Vec<String> = (0..10)
            .map(|it| {
                format!(
                    "def carry_{word}_{it}(parcel):\n    return weigh(parcel, 'state_{state}', {it})\n\n\n"
                )
            })
            .collect();
        ground.write(&format!("part_{at}.py"), &functions.concat());
    }
}

// @traces RAG-018
#[test]
fn eight_sessions_search_without_an_error_while_an_index_runs() {
    let ground = Ground::new();
    lay(&ground, 0);
    ground.index("shared");
    let done = AtomicBool::new(false);
    let ready = Barrier::new(SESSIONS + 1);
    std::thread::scope(|scope| {
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|at| {
                let (ground, done, ready) = (&ground, &done, &ready);
                scope.spawn(move || {
                    let mut session = ground.serve("shared");
                    ready.wait();
                    let mut searches = 0;
                    while !done.load(Ordering::Acquire) || searches < SEARCHES {
                        let file = (at * 7 + searches) % FILES;
                        let hits = session.search(&format!("carry_{}", word(file)), 5);
                        let first = hits.first().unwrap_or_else(|| panic!("no hit for file {file}"));
                        assert_eq!(first.path, format!("part_{file}.py"));
                        let status = session.call("rag_status", &json!({}));
                        assert_eq!(status["files"], FILES, "{status}");
                        searches += 1;
                    }
                    session.close();
                })
            })
            .collect();
        ready.wait();
        for state in 1..=STATES {
            lay(&ground, state);
            // A search may have re-indexed a file before: then this index has less to do.
            let line = ground.index("shared");
            assert!(line.contains(&format!(" files={FILES} ")), "{line}");
        }
        done.store(true, Ordering::Release);
        for session in sessions {
            session.join().unwrap();
        }
    });
    let mut session = ground.serve("shared");
    for file in 0..FILES {
        let hits = session.search(&format!("carry_{}", word(file)), 1);
        let text = session.text(&hits[0]);
        assert!(text.contains(&format!("state_{STATES}")), "{hits:?}: {text}");
    }
    session.close();
}
