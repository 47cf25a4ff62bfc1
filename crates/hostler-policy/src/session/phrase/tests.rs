use super::*;

#[track_caller]
fn check(prompt: &str, expected: Option<Phrase>) {
    assert_eq!(phrase(prompt), expected, "{prompt:?}");
}

#[track_caller]
fn closes(prompt: &str) {
    check(prompt, Some(Phrase::Close));
}

#[track_caller]
fn opens(prompt: &str) {
    check(prompt, Some(Phrase::Open));
}

#[track_caller]
fn nothing(prompt: &str) {
    check(prompt, None);
}

// @traces REQ-020-012 REQ-020-013 REQ-020-014 021-TEST-UNIT-135 021-TEST-UNIT-136 021-TEST-UNIT-137
// @traces 021-TEST-UNIT-138 021-TEST-UNIT-139
#[test]
fn the_whole_message_is_a_close_phrase() {
    for phrase in ["cts", "cs", "close the session", "end session", "finish session"] {
        closes(phrase);
        closes(&phrase.to_uppercase());
        closes(&format!("  \n\t{phrase} \r\n\n"));
        closes(&format!("{phrase}."));
        closes(&format!("{phrase} !!"));
        closes(&format!("{phrase}…"));
    }
    closes("Cts");
    closes("cTs");
    closes("Close The Session");
    closes("close   the\tsession");
    closes("end the session");
    closes("finish this session.");
    closes("close session");
    closes("cts 👍");
    closes("cts :)");
    closes("close the session。");
}

// @traces REQ-020-027
#[test]
fn the_whole_message_is_an_open_phrase() {
    for phrase in ["sns", "start new session"] {
        opens(phrase);
        opens(&phrase.to_uppercase());
        opens(&format!("\n {phrase} \n"));
        opens(&format!("{phrase}!"));
    }
    opens("Start a new session.");
    opens("ok, sns");
    opens("good morning. start new session");
    nothing("start session");
    nothing("new session");
}

#[test]
fn courtesies_may_stand_around() {
    closes("ok, thanks. close the session");
    closes("ok thanks cts");
    closes("Thank you! CTS.");
    closes("thanks, cs");
    closes("please close the session");
    closes("close the session, please.");
    closes("close the session now, thanks!");
    closes("great work — close the session");
    closes("that's it for today, close the session");
    closes("That's all for today. Close the session.");
    closes("we are done, end session");
    closes("we're done, cts");
    closes("all done, cts");
    closes("let's close the session");
    closes("ok then close the session");
    closes("time to end the session");
    closes("👍 close the session");
    closes("lgtm, finish session");
}

#[test]
fn a_last_sentence_or_line_of_its_own_counts() {
    closes("The tests pass and I have pushed everything.\nclose the session");
    closes("The tests pass and I have pushed everything.\n\n  cts\n");
    closes("Nice work on the parser\ncts");
    closes("thank you\ncs");
    closes("Everything is merged now. Close the session.");
    closes("I checked src/main.rs. cts");
    closes("what a day! end session");
    closes("Did it work? It did. close the session");
    closes("> you said it is done\n\nright.\nclose the session");
    closes("```\nlog of the run\n```\ncts");
    closes("<opened>the user has src/main.rs open</opened>\ncts");
    closes("He called it \"done\". close the session");
}

#[test]
fn a_longer_sentence_is_none() {
    nothing("close the session token when the user logs out");
    nothing("add a button to close the session");
    nothing("implement end session handling in auth.ts");
    nothing("the close the session button is broken");
    nothing("run the tests and close the session");
    nothing("commit everything, then close the session");
    nothing("when everything is green, close the session");
    nothing("if the tests pass, close the session");
    nothing("as soon as CI is done close the session");
    nothing("First we log out. Then we close the session.");
    nothing("Fix the login. Then close the session.");
    nothing("Fix the login. And close the session.");
    nothing("we close the session");
    nothing("start new session management module");
    nothing("I want to finish session handling");
    nothing("close the session handler");
    nothing("close the sessions");
    nothing("please explain how to end session");
    nothing("write docs for cs");
    nothing("port this from java to cs");
    nothing("publish to sns");
    nothing("we use sqs, sns");
    nothing("it supports js, ts, cs");
    nothing("the bucket, the queue and sns");
}

#[test]
fn a_negation_is_none() {
    nothing("don't close the session");
    nothing("don’t close the session");
    nothing("do not close the session");
    nothing("please do not\nclose the session");
    nothing("never\nend session");
    nothing("no need to close the session");
    nothing("not cts");
}

#[test]
fn a_question_is_none() {
    nothing("close the session?");
    nothing("cts?");
    nothing("should I close the session?");
    nothing("how do I close the session");
    nothing("what does cts mean");
    nothing("is it time to end the session");
    nothing("are we ready to close the session");
    nothing("can you close the session?");
    nothing("what is that language called? cs");
    nothing("why did it\nclose the session");
}

#[test]
fn words_paths_and_code_are_none() {
    for prompt in [
        "docs",
        "basics",
        "physics",
        "facts",
        "contacts",
        "objects",
        "products",
        "dns",
        "src/cs",
        "./cts",
        "Program.cs",
        "main.cts",
        "/cs",
        "@cs",
        "#cts",
        "cs-1",
        "cs_1",
        "x.cts",
        "look at src/models/cs",
        "edit Program.cs",
        "aws.sns",
        "cd cs",
        "git checkout cts",
        "ls cs",
        "cs = 1",
        "cs;cts/",
        "cs()",
        "$cs",
        "--cs",
        "{cs}",
        "<cs>",
        "cs\\",
    ] {
        nothing(prompt);
    }
    nothing("");
    nothing(" \n ");
    nothing("...");
    nothing("\u{0}");
}

#[test]
fn quotations_code_blocks_and_lists_are_none() {
    nothing("\"close the session\"");
    nothing("`cts`");
    nothing("'cts'");
    nothing("“close the session”");
    nothing("> close the session");
    nothing("The spec says:\n> close the session");
    nothing("> he wrote\nclose the session");
    nothing("The script is:\n\n    cts");
    nothing("The script is\n\n\tclose the session");
    nothing("Look at this.\n```\ncts");
    nothing("Look at this.\n~~~sh\nclose the session\n");
    nothing("Look at this.\n```\ncts\n```");
    nothing("He said \"we are done.\nclose the session");
    nothing("He said “we are done.\nclose the session");
    nothing("Add a phrase:\nclose the session");
    nothing("the phrases are: close the session");
    nothing("Things to do.\n- close the session");
    nothing("1. close the session");
    nothing("Use a short form, e.g. cts");
    nothing("Deploy these:\ns3\nsqs\nsns");
    nothing("js\nts\ncs");
    nothing("the command is called\ncts");
}

#[test]
fn a_huge_prompt_is_no_trouble() {
    let log = "a line of a log that somebody pasted\n".repeat(200_000);
    nothing(&log);
    closes(&format!("{log}\nThat is all.\ncts"));
    nothing(&"close the session ".repeat(100_000));
    nothing(&"x".repeat(5_000_000));
    nothing(&"é".repeat(5_000_000));
}

proptest::proptest! {
    #[test]
    fn no_prompt_is_trouble(prompt in "\\PC{0,60}(cts|close the session|sns)?[ .\n?`\"]{0,4}") {
        let _ = phrase(&prompt);
    }

    #[test]
    fn a_word_before_a_short_phrase_hides_it(word in "[a-z]{12,16}") {
        assert_eq!(phrase(&format!("{word} cts")), None);
    }
}
