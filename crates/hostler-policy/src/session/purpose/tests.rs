use super::*;

#[track_caller]
fn check(prompt: &str, expected: Option<&str>) {
    assert_eq!(purpose(prompt), expected, "{prompt:?}");
}

#[test]
fn the_first_line_that_says_something_is_it() {
    check("fix the parser", Some("fix the parser"));
    check("  \n fix the parser \nand the lexer", Some("fix the parser"));
    check("Hi Claude!\n\nPlease fix the parser.", Some("Please fix the parser."));
    check("Hi Claude, please fix the parser", Some("Hi Claude, please fix the parser"));
    check("# Task\nFix the parser", Some("Fix the parser"));
    check("Please do the following:\n- fix the parser\n- fix the lexer", Some("fix the parser"));
    check("To do:\n\n1. Fix the parser\n2. Fix the lexer", Some("Fix the parser"));
    check("here is the log:\nERROR foo bar\n\nFind out why it fails", Some("Find out why it fails"));
    check("```\nlet x = 1;\n```\nexplain this code", Some("explain this code"));
    check(
        "<ide_opened_file>the user\nopened a file</ide_opened_file>\nfix the parser",
        Some("fix the parser"),
    );
    check("Implement the pages as we discussed", Some("Implement the pages as we discussed"));
    check("Why does the parser fail?", Some("Why does the parser fail?"));
    check("do it with redis", Some("do it with redis"));
    check("Parser reparieren", Some("Parser reparieren"));
    check("修复 缓存", Some("修复 缓存"));
}

#[test]
fn empty_talk_and_what_was_put_in_say_nothing() {
    for prompt in [
        "",
        " \n ",
        "hi",
        "fix",
        "here is the log:",
        "here is the log:\nERROR foo",
        "here is the log:\nstarting the server\nlistening on port",
        "ok thanks",
        "continue please",
        "please go on",
        "Hi Claude!",
        "Good morning, how are you?",
        "I have a question",
        "ok, let's start",
        "What's next?",
        "yes, do that",
        "can you help me with something?",
        "remember when we did the parser?",
        "Do you remember the parser?",
        "Hello, what happened with the parser?",
        "we discussed the parser",
        "/compact keep the parser",
        "!git status --short",
        "<pasted>a parser</pasted>",
        "# heading of a note",
        "> the parser fails",
        "```\nfix the parser\n```",
        "12:30:01 the parser fails",
        "TypeError: the parser fails\n    at parse (x.js:1)",
        "let parser = new Parser();",
        "<system-reminder>\nfix the parser\n</system-reminder>",
    ] {
        check(prompt, None);
    }
}
