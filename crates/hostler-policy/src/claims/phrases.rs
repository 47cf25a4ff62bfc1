//! Looking for many phrases at once.
//!
//! A list of phrases is a plain slice where it is written. The lists of the languages are compiled once, into
//! buckets by their first byte, so that a text is gone through once for each list and not once for each phrase. A
//! compiled list is found by the address of its slice; any other list is gone through phrase by phrase.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::language::{LANGUAGES, Language, Verb};

/// The phrases that begin with a byte, for every byte.
type Buckets = Vec<Vec<&'static str>>;
type Address = (usize, usize);

static LISTS: LazyLock<HashMap<Address, Buckets>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for language in LANGUAGES.iter().filter(|it| it.spaced) {
        let plain = [
            language.pass,
            language.fail,
            language.all,
            language.first_person,
            language.others,
            language.subagent,
            language.modal,
            language.negation,
            language.faults,
            language.attribution,
            language.earlier,
            language.acknowledgement,
            language.completion,
        ];
        let judges = language.judges.iter().map(|(_, names)| *names);
        let nouns = language.nouns.iter().map(|(_, names)| *names);
        let venues = language.venues.iter().map(|(_, names)| *names);
        for list in plain.into_iter().chain(judges).chain(nouns).chain(venues) {
            let mut buckets: Buckets = vec![Vec::new(); 256];
            for phrase in list {
                if let Some(first) = phrase.bytes().next() {
                    buckets[usize::from(first)].push(*phrase);
                }
            }
            out.insert(address(list), buckets);
        }
    }
    out
});

/// A form of a verb, and whether it can only be a participle.
pub(super) type Form = (&'static str, &'static Verb, bool);

static VERBS: LazyLock<HashMap<&'static str, Vec<Vec<Form>>>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for language in LANGUAGES {
        let mut buckets: Vec<Vec<Form>> = vec![Vec::new(); 256];
        for verb in language.verbs {
            let done = verb.done.iter().map(|form| (*form, verb, false));
            for form in done.chain(verb.participle.iter().map(|form| (*form, verb, true))) {
                if let Some(first) = form.0.bytes().next() {
                    buckets[usize::from(first)].push(form);
                }
            }
        }
        out.insert(language.code, buckets);
    }
    out
});

fn address(list: &[&str]) -> Address {
    (list.as_ptr() as usize, list.len())
}

/// The verb forms of a language that begin as `word` does.
pub(super) fn forms(language: &Language, word: &str) -> &'static [Form] {
    let first = word.bytes().next().map_or(0, usize::from);
    VERBS.get(language.code).and_then(|buckets| buckets.get(first)).map_or(&[], Vec::as_slice)
}

/// Whether `norm` (one blank around each word) holds one of `phrases`.
pub(super) fn contains(norm: &str, language: &Language, phrases: &[&str]) -> bool {
    first(norm, language, phrases).is_some()
}

/// The first place where one of `phrases` stands, with the phrase's length in bytes.
pub(super) fn first(norm: &str, language: &Language, phrases: &[&str]) -> Option<(usize, usize)> {
    let mut found = None;
    each(norm, language, phrases, |at, length| {
        found = Some((at, length));
        true
    });
    found
}

/// Calls `visit` with every place where one of `phrases` stands until it says that it has enough; in the order of the
/// text for compiled lists.
pub(super) fn each(
    norm: &str,
    language: &Language,
    phrases: &[&str],
    mut visit: impl FnMut(usize, usize) -> bool,
) {
    let compiled = language.spaced.then(|| LISTS.get(&address(phrases))).flatten();
    let Some(buckets) = compiled else {
        for phrase in phrases {
            if let Some(at) = find(norm, language, phrase)
                && visit(at, phrase.len())
            {
                return;
            }
        }
        return;
    };
    let bytes = norm.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b' ' {
            at += 1;
            continue;
        }
        for phrase in &buckets[usize::from(bytes[at])] {
            let end = at + phrase.len();
            let whole = norm[at..].starts_with(phrase) && bytes.get(end) == Some(&b' ');
            if whole && visit(at, phrase.len()) {
                return;
            }
        }
        at += bytes[at..].iter().position(|b| *b == b' ').unwrap_or(bytes.len() - at);
    }
}

/// Where `phrase` stands in `norm`.
pub(super) fn find(norm: &str, language: &Language, phrase: &str) -> Option<usize> {
    if !language.spaced {
        return norm.find(phrase);
    }
    let mut from = 0;
    while let Some(at) = norm[from..].find(phrase) {
        let at = from + at;
        if norm[..at].ends_with(' ') && norm[at + phrase.len()..].starts_with(' ') {
            return Some(at);
        }
        from = at + phrase.chars().next().map_or(1, char::len_utf8);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_lists_find_what_plain_ones_find() {
        let english = LANGUAGES[0];
        assert!(LISTS.contains_key(&address(english.modal)));
        for text in
            [" i will do it ", " it is going to be ", " nothing ", " willing ", "", " ", " feel free "]
        {
            for list in [english.modal, english.negation, english.pass, english.attribution] {
                let plain: Vec<&str> = list.to_vec();
                assert_eq!(contains(text, english, list), contains(text, english, &plain), "{text:?}");
            }
        }
    }
}
