//! Whatever somebody pastes into a prompt, what is looked for in it takes linear time: the hook has a few seconds.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "time is what is measured here")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use hostler_policy::recall::trigger;
use hostler_policy::reminder::When;
use hostler_policy::session::phrase::phrase;
use hostler_policy::session::purpose::purpose;

/// What is done in less time is measured by nobody.
const TIME_MIN: Duration = Duration::from_millis(20);

/// Twice as much takes about twice as long, not four times. The shortest times count, and a machine that is busy is
/// asked again.
#[track_caller]
fn check(part: &str, around: &str, read: impl Fn(&str)) {
    let prompt = |count: usize| format!("{around}{} {around}x", part.repeat(count));
    let (once, twice) = (prompt(6_000), prompt(12_000));
    linear(&once, &twice, read, part);
}

#[track_caller]
fn linear(once: &str, twice: &str, read: impl Fn(&str), what: &str) {
    let time = |prompt: &str| {
        let begun = Instant::now();
        read(prompt);
        begun.elapsed()
    };
    let (mut of_once, mut of_twice) = (time(once), time(twice));
    for _ in 0..20 {
        if of_twice < of_once * 3 || of_twice < TIME_MIN {
            return;
        }
        of_once = of_once.min(time(once));
        of_twice = of_twice.min(time(twice));
    }
    panic!("{what:?}: {of_once:?}, and of twice as much {of_twice:?}");
}

#[test]
fn a_search_for_what_was_reads_any_prompt_in_linear_time() {
    let read = |prompt: &str| _ = black_box(trigger(prompt));
    for around in ["", "do you remember "] {
        for part in [
            "'a ",
            " 'x",
            "‘a",
            "`",
            "`a ",
            "\"",
            "“a «",
            "「",
            "<a-b",
            "</a-b>",
            "<a-b>x</a-b>",
            "// ",
            "(# ",
            "x = 1 // ",
            "x;# ",
            "a\n# b\n",
            "```\n",
            "?  ",
            ".\n ",
            "do you remember ",
            "remember when x = 1; ",
        ] {
            check(part, around, read);
        }
        // Runs of ticks, each of another length.
        let runs = |bytes: usize| {
            let mut out = around.to_owned();
            for count in 1..bytes {
                if bytes < out.len() {
                    break;
                }
                out.push_str(&"`".repeat(count));
                out.push(' ');
            }
            out
        };
        linear(&runs(30_000), &runs(60_000), read, "runs of ticks");
    }
}

#[test]
fn phrases_purposes_and_reminders_read_any_prompt_in_linear_time() {
    let when = When::Words(["a b", "node.js", "c++", "x & y", "缓存"].map(str::to_owned).to_vec());
    for part in [
        "thanks. ",
        "<a-b>",
        "<a-b></a-b>\n",
        "```\n",
        "done\n",
        "All is done. ",
        "see you ",
        "“a «",
        "a:\n",
        "- a\n",
        "x",
        "a  \n",
        "node.",
        "c++",
        "x & ",
        "缓",
    ] {
        check(part, "", |prompt| _ = black_box(phrase(&format!("{prompt}. cts"))));
        check(part, "", |prompt| _ = black_box(purpose(prompt)));
        check(part, "", |prompt| _ = black_box(when.fires(prompt)));
    }
}
