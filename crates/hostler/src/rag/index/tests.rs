#![expect(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::fs;
use std::sync::Mutex;

use super::*;
use crate::config::Config;
use crate::rag::{embeddings, status};

const FILES: u64 = 300;

fn ground() -> (tempfile::TempDir, Place) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tree");
    fs::create_dir(&root).unwrap();
    for number in 0..FILES {
        fs::write(root.join(format!("{number}.md")), format!("# Title {number}\n\nwords {number}\n"))
            .unwrap();
    }
    let place = Place { db: folder.path().join("x.db"), root, config: Config::default() };
    (folder, place)
}

fn run(place: &Place, embedder: &dyn Embedder, cancelled: &dyn Fn() -> bool) -> Result<Indexed, Error> {
    index(place, Options::default(), embedder, &mut |_| {}, cancelled)
}

#[test]
fn a_run_that_is_called_off_keeps_what_it_did_and_the_next_goes_on() {
    let (_folder, place) = ground();
    let local = embeddings::local();
    let mut done = Vec::new();
    let asked = Cell::new(0);
    let result =
        index(&place, Options::default(), local.as_ref(), &mut |it| done.push((it.done, it.total)), &|| {
            asked.set(asked.get() + 1);
            100 < asked.get()
        });
    assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    assert!(
        !done.is_empty() && done.windows(2).all(|it| it[0].0 < it[1].0) && done[0].1 == FILES,
        "{done:?}"
    );
    let state = status(&place, &|| false).unwrap();
    assert!(0 < state.files && state.files < FILES, "{}", state.files);
    assert_eq!(state.new_files, FILES - state.files);
    let rest = run(&place, local.as_ref(), &|| false).unwrap();
    assert_eq!((rest.files, rest.rechunked), (FILES, FILES - state.files));
    // Called off before anything began.
    assert!(matches!(run(&place, local.as_ref(), &|| true), Err(Error::Cancelled)));
}

/// Gives vectors of as many numbers as it is told, until it has given so many.
struct Limited {
    name: &'static str,
    dims: usize,
    left: Mutex<usize>,
    asked: Mutex<Vec<usize>>,
}

impl Limited {
    fn new(name: &'static str, dims: usize, left: usize) -> Self {
        Self { name, dims, left: Mutex::new(left), asked: Mutex::default() }
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().iter().sum()
    }
}

impl Embedder for Limited {
    fn mode(&self) -> &'static str {
        "remote"
    }

    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn dims(&self) -> Option<usize> {
        None
    }

    fn stored(&self) -> bool {
        true
    }

    fn cheap(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(texts.len()).ok_or("it is tired")?;
        self.asked.lock().unwrap().push(texts.len());
        Ok(texts.iter().map(|_| vec![1.0; self.dims]).collect())
    }
}

#[track_caller]
fn check(place: &Place, mode: &str, dims: u64) {
    let state = status(place, &|| false).unwrap();
    assert_eq!((state.embedding_mode.as_str(), state.dims), (mode, Some(dims)));
    assert_eq!(state.vectors, state.chunks);
}

// @traces RAG-011
#[test]
fn another_embedder_or_another_length_makes_all_vectors_anew_and_a_failing_one_is_replaced() {
    let (_folder, place) = ground();
    let chunks =
        usize::try_from(run(&place, embeddings::local().as_ref(), &|| false).unwrap().chunks).unwrap();
    check(&place, "local", 256);

    let one = Limited::new("one", 8, usize::MAX);
    let indexed = run(&place, &one, &|| false).unwrap();
    assert_eq!((indexed.mode.as_str(), indexed.dims, indexed.rechunked), ("remote", Some(8), 0));
    assert_eq!(one.asked(), chunks);
    check(&place, "remote", 8);
    // Nothing changed: nobody is asked.
    run(&place, &one, &|| false).unwrap();
    assert_eq!(one.asked(), chunks);
    // The same length, and another model all the same.
    let two = Limited::new("two", 8, usize::MAX);
    run(&place, &two, &|| false).unwrap();
    assert_eq!(two.asked(), chunks);

    // The endpoint has another model under the same name now.
    fs::write(place.root.join("new.md"), "# New\n\nwords\n").unwrap();
    let longer = Limited::new("two", 16, usize::MAX);
    run(&place, &longer, &|| false).unwrap();
    check(&place, "remote", 16);

    let failing = Limited::new("three", 8, 256);
    let indexed = run(&place, &failing, &|| false).unwrap();
    assert_eq!((indexed.mode.as_str(), indexed.dims), ("local", Some(256)));
    assert!(
        indexed.notes.iter().any(|it| it.contains("it is tired") && it.contains("local")),
        "{:?}",
        indexed.notes
    );
    check(&place, "local", 256);
}

#[test]
fn vectors_that_a_run_did_not_come_to_are_made_by_the_next() {
    let (_folder, place) = ground();
    let remote = Limited::new("one", 8, usize::MAX);
    let mut stop = false;
    let stopped = std::cell::RefCell::new(&mut stop);
    let result = index(
        &place,
        Options::default(),
        &remote,
        &mut |it| **stopped.borrow_mut() = it.stage == Stage::Embed,
        &|| **stopped.borrow(),
    );
    assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    let state = status(&place, &|| false).unwrap();
    assert!(0 < state.vectors && state.vectors < state.chunks, "{} of {}", state.vectors, state.chunks);
    let before = remote.asked();
    run(&place, &remote, &|| false).unwrap();
    assert_eq!(u64::try_from(remote.asked() - before).unwrap(), state.chunks - state.vectors);
    check(&place, "remote", 8);
}
