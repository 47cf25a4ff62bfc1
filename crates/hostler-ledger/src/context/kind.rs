//! Whose file it is: other programs have a `context.json` too.

use super::layout::Layout;
use super::model::SEQ_NAMES;
use super::recover;
use super::scan::{self, Span};

/// What a file of the name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A record of sessions, whole or damaged.
    Record,
    /// Another program's.
    Other,
    /// Nothing in it tells: it is empty, or no JSON.
    Unclear,
    /// Nothing up to here tells, and it goes on.
    Cut,
}

/// What the file with this content is, or with this beginning: `is_all` says which. It is a record if members of ours
/// stand at its top and are what they should be; a name alone, or one further in, is anybody's.
pub fn kind(bytes: &[u8], is_all: bool) -> Kind {
    let (text, layout, fault) = match recover::text(bytes) {
        Ok(context) => {
            let (text, layout) = context.into_parts();
            (text, layout, None)
        }
        Err(broken) => (broken.text, broken.layout, Some(broken.fault)),
    };
    if is_record(&text, &layout) || (fault.is_none() && is_begun(&text, &layout)) {
        return Kind::Record;
    }
    let Some(fault) = fault else { return Kind::Other };
    if !is_all && fault.at == text.len() {
        return Kind::Cut;
    }
    let start = scan::space(text.as_bytes(), if text.starts_with('\u{feff}') { 3 } else { 0 });
    let value = scan::value(text.as_bytes(), start);
    if value.is_ok_and(|end| scan::space(text.as_bytes(), end) == text.len()) {
        return Kind::Other;
    }
    let has = |name: &str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    if has("\"session_history\"") || has("\"deferred_work\"") || has_state(&text) {
        Kind::Record
    } else {
        Kind::Unclear
    }
}

fn is_record(text: &str, layout: &Layout) -> bool {
    let members = |span: Span| {
        let value = span.of(text);
        if value.starts_with('{') { scan::members(value) } else { Vec::new() }
    };
    let has =
        |span: Span, names: &[&str]| members(span).iter().any(|(name, _)| names.contains(&name.as_str()));
    let is_empty =
        |span: Span| matches!(span.of(text).trim_matches(['[', ']', ' ', '\n', '\r', '\t']), "" | "null");
    let history = match layout.sessions.first() {
        Some(first) => first.seq != 0 || has(first.span, &["purpose", "achievements", "when"]),
        None => layout.history.is_some_and(is_empty),
    };
    let work = match layout.items.first() {
        Some(first) => first.of(text).starts_with('"') || has(*first, &["description", "priority", "status"]),
        None => layout.work.is_some_and(is_empty),
    };
    let state = layout.state.is_some_and(|it| {
        has(it, &SEQ_NAMES[1..3]) || (has(it, &["status"]) && has(it, &["branch", "version"]))
    });
    history || work || state
}

/// Nothing but what is ours, as somebody would begin one by hand.
fn is_begun(text: &str, layout: &Layout) -> bool {
    layout.schema_version.is_some_and(|it| it.of(text).parse::<u64>().is_ok())
        && layout.members.len() == 1 + usize::from(layout.state.is_some())
}

/// Whether a text that is no JSON has a state with the number of a session.
fn has_state(text: &str) -> bool {
    let bytes = text.as_bytes();
    let after = |name: &str, text: &str| {
        let at = text.find(name)? + name.len();
        let colon = scan::space(text.as_bytes(), at);
        (text.as_bytes().get(colon) == Some(&b':')).then(|| scan::space(text.as_bytes(), colon + 1))
    };
    after("\"state\"", text).filter(|at| bytes.get(*at) == Some(&b'{')).is_some_and(|at| {
        let inner = text.get(at + 1..).unwrap_or_default();
        let inner = inner.split(['{', '}']).next().unwrap_or_default();
        after("\"session\"", inner).is_some_and(|at| inner[at..].starts_with(|it: char| it.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: impl AsRef<[u8]>, expected: Kind) {
        let bytes = text.as_ref();
        assert_eq!(kind(bytes, true), expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn a_record_has_members_of_ours_at_its_top() {
        for text in [
            "{\"schema_version\": 1}",
            "{\"schema_version\": 1, \"state\": {}}",
            "{\"state\": {}, \"session_history\": []}",
            "{\"state\": null, \"deferred_work\": null, \"session_history\": null}",
            "\u{feff}{ \"session_history\" : [ ] }",
            "{\"x\": {}, \"session_history\": [{\"seq\": 4}]}",
            "{\"session_history\": [{\"purpose\": \"p\"}]}",
            "{\"deferred_work\": [\"write it\"]}",
            "{\"state\": {\"session\": 4}}",
            "{\"state\": {\"status\": \"active\", \"branch\": \"main\"}}",
            // Damaged, and ours all the same.
            "{\"state\": [], \"session_history\": [{\"seq\": 4, \"purpose\": \"p\"}]}",
            "{\"state\": {\"session\": 4",
            "{\"state\": {\"version\": \"1\", \"session\" : 4,\n<<<<<<< HEAD",
            "<<<<<<< HEAD\n{\"deferred_work\": [",
            "{\"session_history\": [{\"seq\": 4,}]}",
        ] {
            check(text, Kind::Record);
        }
        let wide: Vec<u8> =
            "\u{feff}{\"session_history\": []}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(wide, Kind::Record);
        check(b"{\"a\": \"\xe4\", \"session_history\": []}", Kind::Record);
    }

    #[test]
    fn what_only_uses_such_a_name_is_another_programs() {
        for text in [
            "{}",
            "[1, 2]",
            "\"hello\"",
            "{\"locale\": \"de\", \"theme\": {}}",
            "{\"address\": {\"state\": \"NY\"}}",
            "{\"schema_version\": \"2.0\", \"components\": []}",
            "{\"schema_version\": 2, \"components\": []}",
            "{\"state\": \"draft\", \"doc\": {\"session_history\": []}}",
            "{\"state\": {\"value\": \"idle\"}}",
            "{\"deferred_work\": 7}",
            "{\"deferred_work\": [1, 2]}",
            "{\"session_history\": [{\"role\": \"user\"}]}",
        ] {
            check(text, Kind::Other);
        }
    }

    #[test]
    fn what_is_no_json_and_shows_nothing_of_ours_does_not_tell() {
        for text in [
            "",
            " \n",
            "\0\0\0",
            "hello",
            "// config\n{\"name\": \"x\", \"list\": [1, 2,]}",
            "// config\n{\"state\": \"draft\", \"session\": 4}",
            "{\"schema_version\": 2, \"components\": [",
        ] {
            check(text, Kind::Unclear);
        }
    }

    #[test]
    fn the_beginning_of_a_file_tells_or_more_has_to_be_read() {
        let check = |text: &str, expected| assert_eq!(kind(text.as_bytes(), false), expected, "{text}");
        check("{\"a\": \"xxx", Kind::Cut);
        check("{\"a\": {\"session_history\": [", Kind::Cut);
        check("", Kind::Cut);
        check("{\"session_history\": [{\"seq\": 1}, {\"se", Kind::Record);
        check("{\"state\": {\"session\": 1}, \"x\": \"", Kind::Record);
        check("hello", Kind::Unclear);
        // A letter that is cut in two.
        assert_eq!(kind(b"{\"a\": \"\xc3", false), Kind::Cut);
    }
}
