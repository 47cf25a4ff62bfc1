//! A file of any language: the first line is its name, the rest its text. Reading it ends without a panic, says the
//! same twice, and every place that it tells of is one of the text.
#![no_main]

use std::path::Path;

use hostler_syntax::{Facts, Language, facts, faults};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let Some((name, text)) = input.split_once('\n') else { return };
    let Some(language) = Language::of(Path::new(name)) else { return };
    let Ok(read) = facts(language, text) else { return };
    assert_eq!(facts(language, text).as_ref(), Ok(&read));
    assert_eq!(faults(language, text).as_ref(), Ok(&read.errors));
    check(&read, text);
});

fn check(read: &Facts, text: &str) {
    // Every way to end a line, and a last line without one.
    let lines = text.matches(['\n', '\r']).count() + 1;
    let is_line = |line: usize| (1..=lines).contains(&line);
    for (place, it) in read.functions.iter().enumerate() {
        assert!(is_line(it.line) && is_line(it.first_line) && is_line(it.last_line), "{it:?}");
        assert!(it.first_line <= it.line && 1 <= it.complexity, "{it:?}");
        assert!(it.parent.is_none_or(|parent| parent < place), "{it:?}");
        assert!(it.class.is_none_or(|class| class < read.classes.len()), "{it:?}");
        assert!(it.nesting == 0 || is_line(it.nesting_line), "{it:?}");
    }
    for it in &read.classes {
        assert!(is_line(it.line) && is_line(it.last_line), "{it:?}");
        assert!(it.public_method_names <= it.method_names && it.method_names <= it.methods.len(), "{it:?}");
    }
    for it in &read.handlers {
        assert!(is_line(it.line) && it.line <= it.last_line && is_line(it.last_line), "{it:?}");
    }
    for it in &read.literals {
        assert!(is_line(it.line) && it.line <= it.last_line && is_line(it.last_line), "{it:?}");
    }
    let others = read
        .comments
        .iter()
        .map(|it| it.line)
        .chain(read.calls.iter().map(|it| it.line))
        .chain(read.imports.iter().map(|it| it.line))
        .chain(read.bindings.iter().map(|it| it.line))
        .chain(read.errors.iter().map(|it| it.line));
    for line in others {
        assert!(is_line(line), "line {line} of {lines}");
    }
}
