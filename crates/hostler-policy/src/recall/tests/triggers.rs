use proptest::prelude::*;

use super::super::{TRIGGERS, trigger};

/// The terms of a prompt's topic; `None` where nothing asks for what was.
#[track_caller]
fn check(prompt: &str, expected: Option<&str>) {
    let topic = trigger(prompt);
    assert_eq!(topic.as_ref().map(|it| it.query.shown()), expected, "{prompt:?}: {topic:?}");
}

/// The phrase that was heard.
#[track_caller]
fn check_phrase(prompt: &str, phrase: &str) {
    let topic = trigger(prompt).unwrap_or_else(|| panic!("{prompt:?} triggers nothing"));
    assert_eq!(topic.phrase, phrase, "{prompt:?}");
    assert_eq!(topic.query.shown(), "parser", "{prompt:?}");
}

// @traces 021-TEST-UNIT-120 REQ-020-216
#[test]
fn remember_when_triggers() {
    check_phrase("remember when it was the parser? ok", "remember when");
    check("remember when the parser broke", Some("parser broke"));
}

// @traces 021-TEST-UNIT-121 REQ-020-217
#[test]
fn do_you_remember_triggers() {
    check_phrase("Do you remember the parser?", "do you remember");
}

// @traces 021-TEST-UNIT-122 REQ-020-218
#[test]
fn recall_when_triggers() {
    check_phrase("recall when we had the parser", "recall when");
}

// @traces 021-TEST-UNIT-123 REQ-020-220
#[test]
fn we_discussed_triggers() {
    check_phrase("Please do it as we discussed for the parser", "we discussed");
}

// @traces 021-TEST-UNIT-124 REQ-020-221
#[test]
fn we_talked_about_triggers() {
    check_phrase("Once we talked about the parser", "we talked about");
}

// @traces 021-TEST-UNIT-125 REQ-020-222
#[test]
fn last_time_we_triggers() {
    check_phrase("The last time we had the parser", "last time we");
    check("last time we've had the parser", Some("parser"));
}

// @traces 021-TEST-UNIT-126 REQ-020-223
#[test]
fn what_happened_with_triggers() {
    check_phrase("What happened with the parser?", "what happened with");
}

// @traces 021-US-008-AC01 REQ-020-219
#[test]
fn every_phrase_triggers_in_any_case_and_anywhere() {
    for phrase in [
        "remember when",
        "do you remember",
        "recall when",
        "remember that",
        "we discussed",
        "we talked about",
        "last time we",
        "what happened with",
    ] {
        for written in [phrase.to_owned(), phrase.to_uppercase(), phrase.replace(' ', "\n  ")] {
            check_phrase(&format!("{written} parser"), phrase);
            check_phrase(&format!("Hello. So, {written} the parser?"), phrase);
            check_phrase(&format!("**{written}** the parser"), phrase);
        }
    }
}

#[test]
fn other_prompts_trigger_nothing() {
    for prompt in [
        "",
        "fix the parser",
        "remember the parser",
        "Remember whenever the parser runs",
        "misremember when it ran",
        "we discussedly parsed",
        "let remember_when(parser) be",
        "remember, when the parser runs, to stop",
        "remember\n\nwhen the parser runs",
        "we  talked, about",
        "do you remembering",
    ] {
        check(prompt, None);
    }
}

#[test]
fn code_quotations_and_logs_are_the_words_of_others() {
    for prompt in [
        "explain this:\n```\nremember when the parser broke\n```\n",
        "explain this:\n~~~text\nremember when\n~~~",
        "what is `remember when` for?",
        "what is ``do you remember`` for?",
        "> do you remember the parser?\nanswer that mail",
        "the page says \"do you remember the parser?\" in red",
        "the page says “do you remember” in red",
        "translate 'do you remember' to German",
        "it prints\n\n    remember when the parser broke\n    we discussed it\n\nwhy?",
        "2026-11-30T17:43:58Z bot: remember when the parser broke\nwhat is wrong here?",
        "[17:43:58] remember when the parser broke",
        "ERROR: what happened with the parser",
        "[WARN] last time we looked",
        "Nov 30 17:43:58 host app: we discussed it",
        "$ echo do you remember the parser",
    ] {
        check(prompt, None);
    }
    for prompt in [
        "console.log(1) // remember that the parser is slow",
        "let x = parse(y); // do you remember the parser",
        "x = 1  # remember that parser",
        "# remember that parser\nx=1",
        "-- we discussed the parser\nSELECT max(a) FROM b;",
        "// remember when the parser broke",
        "diff --git a/x b/x\n+# remember that parser is slow",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n x\n\n-y\n+we discussed the parser",
        "<system-reminder>we discussed parser</system-reminder>\nfix it",
        "fix it <local-command-stdout>\nwe discussed\nthe parser</local-command-stdout>",
        "[10:31] bob: we discussed parser yesterday",
        "9:05 bob: we discussed the parser",
        "On Monday bob wrote:\nwe discussed the parser\nand the lexer",
        "Error: remember that parser\n    at x.js:1",
        "java.io.IOException: what happened with the parser",
        "error[E0308]: remember that parser",
        "/remember when parser",
    ] {
        check(prompt, None);
    }
    for (prompt, topic) in [
        ("# Parser\nDo you remember the parser?", "parser"),
        ("- do you remember the parser", "parser"),
        ("On Monday bob wrote:\nit is slow\n\ndo you remember the parser?", "parser"),
        ("diff --git a/x b/x\n+x\n\nDo you remember the parser?", "parser"),
        ("diff --git a/x b/x\n+x\n\n- do you remember the parser", "parser"),
        ("<question>do you remember the parser</question>", "parser question"),
        ("see <never-closed> and do you remember the parser", "parser"),
        ("I run parse(x); do you remember the parser?", "parser"),
        ("see https://a.b/#c // or, do you remember the parser", "parser"),
        ("C# or F#? We discussed the parser", "parser"),
        ("/review what happened with the parser", "parser"),
        ("src/parse.rs: do you remember the parser", "parser"),
    ] {
        check(prompt, Some(topic));
    }
    // What stands around them counts.
    check("```\nremember when\n```\nDo you remember the parser?", Some("parser"));
    check("do you remember the \"deception detection\"?", Some("deception detection"));
    check("do you remember `context.json`?", Some("context json"));
    check("I don't know, do you remember the users' parser?", Some("users parser"));
    check("\"Do you remember the parser?\"", Some("parser"));
    check("```\nnever closed: remember when", None);
    check("an open ` tick, do you remember the parser", Some("parser"));
    check("1. we discussed the parser\n   - and the lexer", Some("parser lexer"));
}

// @traces 021-US-008-AC02 021-TEST-UNIT-127 REQ-020-225
#[test]
fn the_topic_is_what_comes_after_the_phrase() {
    check("Remember when we implemented the deception detection?", Some("deception detection"));
    check("Fix the tests. Do you remember the lexer bug? Deploy it.", Some("lexer bug"));
    check("Do you remember when we discussed caching", Some("caching"));
    check("what happened with context.json", Some("context json"));
    check("what happened with the v2.0 cache, e.g. redis or disk. Then deploy", Some("cache redis disk"));
    check("do you remember the wrapped\nline of text\n\nnow deploy", Some("wrapped line text"));
    // The sentence says nothing: what comes after it does.
    check("Do you remember? The parser.", Some("parser"));
    check("Do you remember this?\n\nThe parser.", Some("parser"));
}

// @traces REQ-020-226
#[test]
fn the_topic_is_the_rest_where_nothing_comes_after_the_phrase() {
    check("Fix the parser as we discussed.", Some("parser"));
    check("About the parser: do you remember?", Some("parser"));
    check("Build the lexer like last time we did", Some("lexer"));
    // What was discussed in this talk has no name.
    for prompt in [
        "implement what we discussed",
        "refactor everything we discussed",
        "ok do what we discussed",
        "Do it the way we talked about",
        "implement it as we discussed",
    ] {
        check(prompt, Some(""));
    }
    check("In the parser, implement what we discussed", Some("parser"));
}

#[test]
fn a_topic_without_words_is_empty() {
    for prompt in [
        "do you remember?",
        "Do you remember that",
        "remember when we did it",
        "we discussed…",
        "Remember when",
    ] {
        check(prompt, Some(""));
    }
    assert!(trigger("Do you remember it?").unwrap().query.is_empty());
}

// @traces 021-US-008-AC06 021-TEST-UNIT-128 REQ-020-229
#[test]
fn short_words_and_words_that_say_nothing_are_out() {
    check("do you remember if CI in QA is ok for Go", Some(""));
    check("do you remember the CI job of the API", Some("job API"));
    // Counted in letters, not in bytes.
    check("do you remember žž and äöü", Some("äöü"));
    // What stands in every record counts where there is nothing else.
    check("do you remember what we fixed last week in the parser", Some("parser"));
    check("do you remember what we fixed last week", Some("fixed last week"));
}

#[test]
fn scripts_without_spaces_are_compared_by_pairs_of_characters() {
    let terms = |prompt: &str| {
        let topic = trigger(prompt).unwrap();
        topic.query.terms().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(terms("remember when 缓存失效"), ["缓存", "存失", "失效"]);
    assert_eq!(terms("remember when 我们讨论的缓存"), ["缓存"]);
    assert_eq!(
        terms("remember when キャッシュの設計"),
        ["キャ", "ャッ", "ッシ", "シュ", "ュの", "の設", "設計"]
    );
    assert_eq!(terms("remember when 캐시를 고쳤다"), ["캐시", "시를", "고쳤", "쳤다"]);
    assert_eq!(terms("remember when 猫"), ["猫"]);
    assert_eq!(terms("remember when React组件 broke"), ["React", "组件", "broke"]);
    assert_eq!(terms("remember when แคช"), ["แคช"]);
    assert_eq!(terms("do you remember the Größe of नमस्ते"), ["Größe", "नमस्ते"]);
}

#[test]
fn a_long_prompt_is_read_from_both_ends() {
    let log = "a line of a log that nobody wrote\n".repeat(40_000);
    check(&format!("do you remember the parser?\n{log}"), Some("parser"));
    check(&format!("{log}\ndo you remember the parser?"), Some("parser"));
    check(&format!("{}é{}", "ü".repeat(100_000), "ü".repeat(100_000)), None);
}

proptest! {
    #[test]
    fn any_prompt_is_read(
        parts in proptest::collection::vec("[a-z \n\t`\"'“”„«»「」>~.?!。\\[\\]0-9:éß缓\u{301}\u{1f600}-]{0,12}", 0..8),
        at in 0..8usize,
        which in 0..8usize,
    ) {
        let mut parts = parts;
        let at = at.min(parts.len());
        parts.insert(at, TRIGGERS[which].to_owned());
        let prompt = parts.concat();
        if let Some(topic) = trigger(&prompt) {
            let found = prompt.to_lowercase();
            let words = found.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(words.contains(topic.phrase), "{topic:?} in {prompt:?}");
        }
    }
}
