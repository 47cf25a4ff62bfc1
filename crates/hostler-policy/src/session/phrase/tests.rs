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
    closes("The \"export\" task is done. close the session");
}

// Each of these closed a session that nobody wanted to close.
#[test]
fn what_is_talked_about_is_none() {
    for prompt in [
        "Translate the following text to German.\n\nClose the session",
        "Add a menu item.\nClose session",
        "Button text is below.\nEnd session",
        "The button says\n\nEnd session",
        "How should the server respond to a timeout? Close the session",
        "What should happen when it fails? Close the session.",
        "On logout we do two things. Close the socket. Close the session.",
        "The steps are as follows. Log in. Do the work. End session.",
        "When a user logs out, do this. Close the session.",
        "The user story: As a user I open the app. I log in. I finish session.",
        "The customer wrote to us.\n\nPlease close the session.",
        "Commit with the message\nfeat: x\n\nclose the session",
        "here is the output of the script\nstarting\nworking\nend session",
        "here is the output of the script\nstarting\ndone\nend session",
        "Log:\n10:00 begin\nend session",
        "Log:\n10:00 begin\n10:01 done\nend session",
        "- pushed\n- merged\ncs",
        "1. pushed\n2. merged\n\ncs",
        "| done |\ncs",
        "git log --oneline\ncts",
        "Here are the labels we use. js. ts. cs",
        "deploy to sqs. sns",
        "I use NATS and AWS SNS. Also sns",
        "No, not yet!\nclose the session",
        "Wait. Do not do that. close the session",
        "Make sure everything is green. Close the session.",
        "Report that the work is done. cts",
        "Please check that all tests pass. cts",
        "The work isn't finished. cts",
        "If all is done. Close the session.",
        "It has to be done today. Close the session.",
        "The tests pass and\nclose the session",
        "Call it done. Close the session.",
        "It works by polling. Close the session.",
        "Implement logout. It works like this. Close the session.",
        "I pushed the button. close the session",
        "All buttons are green. Close the session",
        "Everything is done in the handler\nclose the session",
        "Given all tests pass\nwhen I log out\nclose the session",
        "Spec: it is done. close the session",
        "All of the work is described here. Close the session.",
        "Fixed positions. cs",
        "I have tested js. ts. cs",
        "What does it say? Thanks. Close the session.",
        "The text of the mail.\n\nThank you. All is done. Close the session.",
        "Use this in the test:\n\nAll is done. Close the session.",
        "<button>close the session</button>",
        "Commit this.\n```\nfix: x\n```\nclose the session",
        "docs, tests, cs",
        "the build, the branch, cs",
        "all can close the session",
        "close the session tomorrow",
        "*close the session",
        "* close the session*",
        "ok thanks",
        "bye. thanks! see you",
    ] {
        nothing(prompt);
    }
}

#[test]
fn work_that_is_done_may_be_told_first_and_thanks_may_follow() {
    for prompt in [
        "Close the session. Thanks!",
        "close the session. thank you!",
        "cts, thanks. see you tomorrow! bye",
        "merged. cts",
        "all green, cts",
        "pushed, close session",
        "thanks claude, close the session",
        "thats all for today, close the session",
        "thank you so much, cts",
        "you can close the session now",
        "close the current session",
        "end current session",
        "finally, close the session",
        "**close the session**",
        "__cts__.",
        "I checked everything and it's fixed. cts",
        "We have merged all branches.\n\nThanks! cts",
        "The tests pass. I have\npushed everything.\nclose the session",
        "pushed\nmerged\ncts",
        "Today's results:\n- the parser\n- the lexer\n\nAll of it is merged. cts",
        "The decision is final. Close the session",
        "Great, that fixes it. close the session",
        "That did the trick, thanks! cts",
        "Released 1.2.0. end session",
        "Fixed and verified in staging.\ncts",
        "PR #42 is merged. cts",
        "nothing else for today, close the session",
        "gotta run, cts",
        "Time to go home. close the session",
        "okay let us close the session",
        "Yes, that is correct. close the session",
        "I looked at the export. Perfect, thanks! Close the session.",
        "I'm going home now. cts",
        "We'll continue tomorrow. close the session",
        "<ide_opened_file>src/main.rs: translate\nthis</ide_opened_file>\nmerged. cts",
    ] {
        closes(prompt);
    }
    opens("Good morning, sns");
    opens("Good evening! Start new session");
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
