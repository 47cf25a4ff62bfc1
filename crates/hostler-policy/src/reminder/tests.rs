#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn words(of: &[&str]) -> When {
    When::Words(of.iter().map(|it| (*it).to_owned()).collect())
}

#[track_caller]
fn check(when: &When, prompt: &str, expected: bool) {
    assert_eq!(when.fires(prompt), Ok(expected), "{when:?} and {prompt:?}");
}

// @traces REQ-020-244
#[test]
fn any_mention_of_a_decision_ruling_or_adr_brings_the_shipped_reminder() {
    let [shipped] = SHIPPED else { panic!("{SHIPPED:?}") };
    let when = words(shipped.words);
    for prompt in [
        "What was the decision?",
        "two DECISIONS are open",
        "the court's ruling on this",
        "see ADR-0046",
        "write an adr",
        "(ADRs/0001.md)",
        "run `cat docs/adr/0001.md`",
        "> decision: none",
    ] {
        check(&when, prompt, true);
    }
    for prompt in ["", "decide now", "indecision", "adrift", "rulings_are_not", "a quadrature"] {
        check(&when, prompt, prompt == "rulings_are_not");
    }
}

// @traces REQ-020-245
#[test]
fn the_shipped_text_has_the_three_homes_the_two_registers_and_the_waiver() {
    let text = SHIPPED[0].text;
    for words in ["Three homes", "Two registers", "Waiver", "before you act on it"] {
        assert!(text.contains(words), "{words}");
    }
    assert!(text.len() < 3_000, "{}", text.len());
}

#[test]
fn words_are_whole_in_any_case_and_phrases_allow_any_white_space() {
    check(&words(&["design decision"]), "The Design\n decision stands", true);
    check(&words(&["design decision"]), "the design: decision", false);
    check(&words(&["über"]), "ÜBER allem", true);
    check(&words(&["api"]), "the rapid apis", false);
    check(&words(&["缓存"]), "修复缓存失效", true);
    check(&words(&[]), "anything", false);
}

#[test]
fn marks_inside_words_and_phrases_belong_to_them() {
    for (word, prompt) in [
        ("node.js", "upgrade Node.js, please"),
        ("CI/CD", "our ci/cd runs"),
        ("read-only", "make it read-only."),
        ("next.config.js", "see `next.config.js`"),
        ("don't", "I DON'T know"),
        ("don't", "I don’t know"),
        ("a.b", "x a.b y"),
        ("SHOP-12", "close shop-12"),
        ("user_id", "the user_id column"),
        ("docs/adr", "look in docs/adr/0001.md"),
        ("c++", "write C++ code"),
        ("C#", "(c#)"),
        (".env", "in the .env file"),
        ("--force", "push --force now"),
        ("pros & cons", "the pros  &\ncons"),
        (" design  decision ", "a design decision"),
        ("what now?", "so what now?"),
    ] {
        check(&words(&[word]), prompt, true);
    }
    for (word, prompt) in [
        ("c++", "write C code"),
        ("C#", "write C code"),
        (".env", "the env of it"),
        ("node.js", "the node js"),
        ("node.js", "node. js"),
        ("node.js", "node.json"),
        ("CI/CD", "ci and cd"),
        ("read-only", "read only"),
        ("user_id", "user id"),
        ("SHOP-12", "SHOP-123"),
        ("don't", "don t"),
    ] {
        check(&words(&[word]), prompt, false);
    }
}

#[test]
fn a_phrase_of_marks_alone_can_be_mentioned_by_nobody() {
    for phrase in ["", " ", "???", "->", " ,", "\u{1f680}"] {
        assert!(!has_words(phrase), "{phrase:?}");
        check(&words(&[phrase]), "anything, and more ??? ->", false);
    }
    for phrase in ["c++", "1", "é", "缓存"] {
        assert!(has_words(phrase), "{phrase:?}");
    }
}

#[test]
fn a_pattern_is_taken_as_it_is_written() {
    let pattern = |text: &str| When::Pattern(text.to_owned());
    check(&pattern(r"\bADR-\d{4}\b"), "see ADR-0046.", true);
    check(&pattern(r"\bADR-\d{4}\b"), "see adr-0046.", false);
    check(&pattern("(?i)deploy(ed|ment)?"), "DEPLOYMENT", true);
    check(&pattern(r"(?i)größe"), "GRÖSSE or GRÖßE", true);
    // Linear in the prompt: a pattern that explodes elsewhere ends here.
    check(&pattern("(a+)+$"), &format!("{}!", "a".repeat(100_000)), false);
}

#[test]
fn a_pattern_that_cannot_be_used_says_why() {
    let problem = |text: &str| When::Pattern(text.to_owned()).fires("x").unwrap_err().to_string();
    let open = problem("(open");
    assert_eq!(open, "`(open` is not a regular expression that can be used: unclosed group");
    assert!(problem(r"(\w{1000}){1000}").contains("takes more than"), "{}", problem(r"(\w{1000}){1000}"));
    assert!(problem(&"x".repeat(2_000)).contains("more than 1000 bytes"));
}
