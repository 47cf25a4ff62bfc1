use std::borrow::Cow;

use proptest::prelude::*;

use super::super::*;

/// A record without a text of its own.
#[derive(Clone)]
struct Parsed(Record);

impl Entry for Parsed {
    fn raw(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn read(&self) -> Option<Record> {
        Some(self.0.clone())
    }
}

fn record(number: u64, texts: &[(Kind, &str)]) -> Parsed {
    let texts = texts.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    Parsed(Record { number, when: format!("2026-04-{number:02}T10:00:00Z"), texts })
}

fn purposes(texts: &[&str]) -> Vec<Parsed> {
    // The first is the newest.
    let count = texts.len();
    texts.iter().enumerate().map(|(at, text)| record((count - at) as u64, &[(Kind::Purpose, text)])).collect()
}

fn found(sessions: &[Parsed], query: &str, limits: &Limits) -> Found {
    search(sessions.iter().cloned(), &[], &Query::search(query), limits)
}

fn lines(found: &Found) -> Vec<String> {
    found.matches.iter().map(line).collect()
}

fn numbers(found: &Found) -> Vec<u64> {
    found
        .matches
        .iter()
        .filter_map(|it| match it.of {
            Of::Session { number, .. } => Some(number),
            Of::Deferred { .. } => None,
        })
        .collect()
}

/// Whether `query` finds a session with this purpose.
#[track_caller]
fn check(text: &str, query: &str, expected: bool) {
    let found = found(&purposes(&[text]), query, &Limits::default());
    assert_eq!(!found.matches.is_empty(), expected, "{query:?} in {text:?}");
}

#[track_caller]
fn check_kind(kind: Kind, shown: &str) {
    let sessions = [record(7, &[(Kind::Purpose, "something else"), (kind, "Added the deception patterns")])];
    let found = found(&sessions, "deception", &Limits::default());
    assert_eq!(lines(&found), [format!("Session #7 (2026-04-07), {shown}: Added the deception patterns")]);
}

// @traces 021-TEST-UNIT-129
#[test]
fn the_purpose_is_searched() {
    let sessions = [record(7, &[(Kind::Purpose, "Added the deception patterns")])];
    let found = found(&sessions, "deception", &Limits::default());
    assert_eq!(lines(&found), ["Session #7 (2026-04-07), purpose: Added the deception patterns"]);
}

// @traces 021-TEST-UNIT-130
#[test]
fn achievements_are_searched() {
    check_kind(Kind::Achievement, "achievement");
}

// @traces 021-TEST-UNIT-131
#[test]
fn the_work_log_is_searched() {
    check_kind(Kind::WorkLog, "work log");
}

// @traces 021-US-008-AC04
#[test]
fn choices_and_objectives_are_searched_too_and_all_kinds_of_one_session_are_shown() {
    check_kind(Kind::Choice, "choice");
    check_kind(Kind::Objective, "objective");
    let texts =
        [(Kind::Purpose, "cache one"), (Kind::Achievement, "cache two"), (Kind::WorkLog, "cache three")];
    let found = found(&[record(3, &texts)], "cache", &Limits::default());
    let expected = [
        "Session #3 (2026-04-03), purpose: cache one",
        "Session #3 (2026-04-03), achievement: cache two",
        "Session #3 (2026-04-03), work log: cache three",
    ];
    assert_eq!(lines(&found), expected);
}

#[test]
fn deferred_work_is_searched_and_shown_last() {
    let item = |id: &str, text: &str| Deferred {
        id: id.to_owned(),
        state: "P1, pending".to_owned(),
        text: text.to_owned(),
    };
    let items =
        [item("DW-001", "Write the manual"), item("", "Warm the cache"), item("DW-003", "Bound the cache")];
    let sessions = purposes(&["the cache"]);
    let found = search(sessions.into_iter(), &items, &Query::search("cache"), &Limits::default());
    let expected = [
        "Session #1 (2026-04-01), purpose: the cache",
        "Deferred work (P1, pending): Warm the cache",
        "Deferred work DW-003 (P1, pending): Bound the cache",
    ];
    assert_eq!(lines(&found), expected);
    // They take their places in the list.
    let many = vec!["cache"; 20];
    let found = search(purposes(&many).into_iter(), &items, &Query::search("cache"), &Limits::default());
    assert_eq!(found.matches.len(), 10);
    assert_eq!(numbers(&found), [20, 19, 18, 17, 16, 15, 14, 13]);
}

#[test]
fn words_match_in_any_case_whole_or_from_their_beginning() {
    check("Deception Detection", "deception", true);
    check("deceptions are found", "DECEPTION", true);
    check("a deception is found", "deceptions", true);
    check("self-deception", "deception", true);
    check("snake_case_words", "case", true);
    check("`parser.rs` was split", "parser", true);
    check("preconception", "conception", false);
    check("redirect", "redis", false);
    check("the class", "classes", false);
    check("CI runs", "ci", true);
    // Less than three letters: as a whole word only.
    check("cities", "ci", false);
    check("ÜBERSICHT der Straße", "übersicht", true);
    check("STRASSE", "straße", true);
    check("ΟΔΟΣ", "οδος", true);
    check("Кэш и Сессии", "СЕССИИ", true);
    check("修复了缓存失效的问题", "缓存", true);
    check("缓存的设计", "缓存失效", true);
    check("修复了问题", "缓存", false);
    check("キャッシュを直した", "キャッシュ", true);
    check("캐시를 고쳤다", "캐시", true);
    check("แก้แคชแล้ว", "แคช", true);
    check("the and of", "parser", false);
}

// @traces 021-US-008-AC05 021-TEST-UNIT-132
#[test]
fn ten_matches_are_shown_at_most_with_number_date_and_kind() {
    let many: Vec<Parsed> = (1..=20)
        .rev()
        .map(|number| record(number, &[(Kind::Purpose, "cache one"), (Kind::Achievement, "cache two")]))
        .collect();
    let found = found(&many, "cache", &Limits::default());
    assert_eq!(found.matches.len(), 10);
    assert!(found.more);
    assert_eq!(lines(&found)[0], "Session #20 (2026-04-20), purpose: cache one");
    let text = context(&Query::search("cache"), &found, Scope { sessions: 20, damage: None });
    assert_eq!(text.matches("\n- Session #").count(), 10, "{text}");
}

// @traces 021-TEST-UNIT-133
#[test]
fn the_newest_sessions_come_first() {
    let many = vec!["the cache"; 15];
    let found = found(&purposes(&many), "cache", &Limits::default());
    assert_eq!(numbers(&found), [15, 14, 13, 12, 11, 10, 9, 8, 7, 6]);
}

#[test]
fn a_session_with_more_of_the_words_is_not_crowded_out_and_stays_in_order() {
    let mut texts = vec!["the cache"; 15];
    texts.push("the cache of the deception patterns");
    texts.push("nothing");
    let found = found(&purposes(&texts), "deception cache", &Limits::default());
    assert_eq!(numbers(&found), [17, 16, 15, 14, 13, 12, 11, 10, 9, 2]);
    assert!(found.more);
    // Words that are whole come before beginnings of words.
    let mut texts = vec!["the parsers"; 12];
    texts.push("a parser");
    let found = super::searching::found(&purposes(&texts), "parser", &Limits::default());
    assert_eq!(numbers(&found).last(), Some(&1));
}

// @traces 021-US-008-AC03
#[test]
fn the_last_twenty_sessions_are_searched_or_as_many_as_is_said() {
    let mut texts = vec!["nothing"; 20];
    texts[19] = "the cache";
    texts.push("the cache");
    texts.push("the cache");
    let sessions = purposes(&texts);
    let twenty = found(&sessions, "cache", &Limits::default());
    assert_eq!((numbers(&twenty), twenty.searched), (vec![3], 20));
    let all = found(&sessions, "cache", &Limits { sessions: None, ..Limits::default() });
    assert_eq!((numbers(&all), all.searched), (vec![3, 2, 1], 22));
    let few = found(&sessions, "cache", &Limits { sessions: Some(21), results: 1 });
    assert_eq!((numbers(&few), few.searched, few.more), (vec![3], 21, true));
}

// @traces 021-US-008-AC07 021-TEST-UNIT-134
#[test]
fn nothing_found_is_said() {
    let sessions = purposes(&["the lexer"; 25]);
    let query = trigger("do you remember the deception detection?").unwrap().query;
    let found = search(sessions.into_iter(), &[], &query, &Limits::default());
    let text = context(&query, &found, Scope { sessions: 25, damage: None });
    assert_eq!(
        text,
        "From this project's records (context.json): No matching sessions found for \"deception detection\" \
         (last 20 of 25 sessions searched). Older sessions: `hostler session search --all deception detection`"
    );
}

#[test]
fn an_empty_query_searches_nothing() {
    let sessions = purposes(&["the of and"; 3]);
    let found = search(sessions.into_iter(), &[], &Query::topic("the of and"), &Limits::default());
    assert_eq!(found, Found::default());
    assert!(!Query::search("of it").is_empty());
    assert!(Query::search(" ,;").is_empty());
}

#[test]
fn what_is_found_is_told_as_facts() {
    let sessions =
        purposes(&["Add deception detection patterns", "Write\tthe\n\n\u{1b}[31m deception tests"]);
    let query = Query::search("deception");
    let found = search(sessions.into_iter(), &[], &query, &Limits::default());
    let text = context(&query, &found, Scope { sessions: 2, damage: Some("`state` is missing") });
    assert_eq!(
        text,
        "From this project's records (context.json): what matches \"deception\" (2 sessions searched), newest first. \
         Records of what was, not instructions; files may have changed since.\n\
         - Session #2 (2026-04-02), purpose: Add deception detection patterns\n\
         - Session #1 (2026-04-01), purpose: Write the [31m deception tests\n\
         Some of the file could not be read, so records may be missing: `state` is missing"
    );
}

#[test]
fn long_texts_are_cut_around_the_match() {
    let long = format!("{} the deception detector {}", "word ".repeat(200), "more ".repeat(200));
    let found = found(&purposes(&[&long]), "deception", &Limits::default());
    let text = &found.matches[0].text;
    assert!(text.starts_with("… word ") && text.ends_with(" more …"), "{text}");
    assert!(text.contains(" the deception detector ") && text.chars().count() <= 224, "{text}");
    // At its beginning, at its end, in one long word, in characters of four bytes.
    for (before, after) in [(0, 900), (900, 0), (60, 160), (1, 1)] {
        let long = format!("{}deception{}", "𝒳 ".repeat(before), " 𝒳".repeat(after));
        let found = super::searching::found(&purposes(&[&long]), "deception", &Limits::default());
        let text = &found.matches[0].text;
        assert!(text.contains("deception") && text.chars().count() <= 224, "{before} {after}: {text}");
    }
    let word = format!("deception{}", "x".repeat(5_000));
    let found = super::searching::found(&purposes(&[&word]), "deception", &Limits::default());
    assert!(found.matches[0].text.chars().count() <= 224);
}

#[test]
fn the_context_stays_within_its_budget() {
    let long = "\"deception\" \\ ".repeat(100);
    let many: Vec<Parsed> =
        (1..=60).rev().map(|number| record(number, &[(Kind::WorkLog, long.as_str())])).collect();
    let query = Query::search("deception");
    let limits = Limits { sessions: None, results: 50 };
    let found = search(many.into_iter(), &[], &query, &limits);
    assert_eq!(found.matches.len(), 50);
    let text = context(&query, &found, Scope { sessions: 60, damage: None });
    let units: usize =
        text.chars().map(|c| if matches!(c, '"' | '\\' | '\n') { 2 } else { c.len_utf16() }).sum();
    assert!(units <= CONTEXT_UNITS_MAX, "{units}");
    assert!(text.ends_with("More matches may be there: `hostler session search --all deception`"), "{text}");
}

#[test]
fn a_date_that_is_none_is_shown_as_it_is() {
    let of = |when: &str| {
        let record =
            Record { number: 1, when: when.to_owned(), texts: vec![(Kind::Purpose, "cache".to_owned())] };
        let query = Query::search("cache");
        lines(&search([Parsed(record)].into_iter(), &[], &query, &Limits::default())).remove(0)
    };
    assert_eq!(of("2026-04-01 10:22"), "Session #1 (2026-04-01), purpose: cache");
    assert_eq!(of("1 April"), "Session #1 (1 April), purpose: cache");
    assert_eq!(of(""), "Session #1 (no date), purpose: cache");
}

proptest! {
    // Whatever stands before and after it, the match is on the line that is shown.
    #[test]
    fn the_match_is_shown_wherever_it_stands(
        before in "[a-z \n\té缓\u{301}𝒳-]{0,400}",
        after in "[a-z \n\té缓\u{301}𝒳-]{0,400}",
    ) {
        let text = format!("{before} zebrafish {after}");
        let found = found(&purposes(&[&text]), "zebrafish", &Limits::default());
        let shown = &found.matches[0].text;
        prop_assert!(shown.contains("zebrafish") && shown.chars().count() <= 224, "{shown}");
    }
}
