//! A file of one language, named by its extension in `FUZZ_EXTENSION`. Reading it ends without a panic, says the
//! same twice, and every place that it tells of is one of the text; so is all that the checks say of it.
#![no_main]

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hostler_policy::checks::{self, Settings, Source};
use hostler_syntax::{Facts, Language, facts, faults, outline, read_part};
use libfuzzer_sys::fuzz_target;

static FILE: LazyLock<(PathBuf, Language)> = LazyLock::new(|| {
    let extension = env::var("FUZZ_EXTENSION").expect("`FUZZ_EXTENSION` names the language, e.g. `py`");
    let path = PathBuf::from(format!("src/file.{extension}"));
    let language = Language::of(&path).expect("`FUZZ_EXTENSION` is that of a language that is read");
    (path, language)
});

// What is no UTF-8 is not reviewed; with its broken bytes replaced it is as odd a text as any.
fuzz_target!(|input: &[u8]| {
    let (path, language) = (&FILE.0, FILE.1);
    let text = &*String::from_utf8_lossy(input);
    // Guards read only some languages; what they are told of the others is an error, not a panic.
    let _ = (outline(language, text), read_part(language, text));
    let Ok(read) = facts(language, text) else { return };
    // Asking twice halves what can be tried in a given time.
    if input.len().is_multiple_of(8) {
        assert_eq!(facts(language, text).as_ref(), Ok(&read));
    }
    assert_eq!(faults(language, text).as_ref(), Ok(&read.errors));
    // Every way to end a line, and a last line without one.
    let lines = text.matches(['\n', '\r']).count() + 1;
    check(&read, lines);
    review(path, language, text, &read, lines);
});

fn review(path: &Path, language: Language, text: &str, read: &Facts, lines: usize) {
    let path = path.to_str().expect("the name is of our own making");
    let kind = checks::kind(path, text, Some(read));
    let source = Source { path, text, language: Some(language), facts: Some(read), kind };
    for it in checks::review(&source, &Settings::default()) {
        assert!((1..=lines).contains(&it.line), "{it:?} of {lines} lines");
    }
}

fn check(read: &Facts, lines: usize) {
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
