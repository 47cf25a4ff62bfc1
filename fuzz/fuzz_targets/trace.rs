//! Any file: a name on the first line, its text below. Tags and requirements are read without a panic, twice the same, and
//! stand on lines that there are; what was reviewed is read back as it was written.
#![no_main]

use hostler_trace::requirement::{self, Columns, Options, Spec};
use hostler_trace::{Lock, Matrix, Pattern, Source, outcome, output, tag};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (path, text) = text.split_once('\n').unwrap_or(("a.rs", &text));
    let Ok(pattern) = Pattern::new(&[]) else { return };
    let tags = tag::read(path, text, &pattern);
    assert_eq!(tags, tag::read(path, text, &pattern));
    let lines = 1 + text.matches('\n').count();
    assert!(tags.iter().all(|it| (1..=lines).contains(&it.line)), "{tags:?}");
    let options = Options { pattern: &pattern, spec: &Spec::Auto, columns: &Columns::default() };
    let requirements = requirement::read(path, text, &options).unwrap_or_default();
    assert!(requirements.iter().all(|it| it.line <= lines && pattern.is_id(&it.id)), "{requirements:?}");
    let cases = outcome::read(path, text).unwrap_or_default();
    let sources = [Source { path: path.to_owned(), test: tag::is_test_path(path), tags }];
    let matrix = Matrix::of(requirements, &sources, &cases, &Lock::default());
    let keys = matrix.rows.iter().map(|it| it.key.as_str()).collect();
    let lock = matrix.reviewed(&Lock::default(), &keys);
    assert_eq!(Lock::parse(&lock.to_text()).as_ref(), Ok(&lock));
    let options =
        output::Options { title: "t", texts: true, generator: "hostler 0", time: "2026-11-30T00:00:00Z" };
    output::markdown::text(&matrix, &options);
    output::csv::text(&matrix, &options);
    output::html::page(&matrix, &options);
    output::reqif::text(&matrix, &options);
    output::sarif::log(&matrix, &options, None);
});
