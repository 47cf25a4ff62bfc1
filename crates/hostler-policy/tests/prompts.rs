//! Whatever somebody pastes into a prompt, what is looked for in it takes linear time: the hook has a few seconds.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "time is what is measured here")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use hostler_policy::recall::trigger;
use hostler_policy::reminder::When;
use hostler_policy::session::phrase::phrase;
use hostler_policy::session::purpose::purpose;

/// What takes less than this is fast enough, whatever a busy machine makes of it: quadratic takes seconds.
const TIME_MIN: Duration = Duration::from_millis(500);
/// How many times as much is read, and how many times as long that may take: quadratic would be 64.
const TIMES: usize = 8;
const TIME_RATIO_MAX: u32 = 24;

#[track_caller]
fn check(part: &str, around: &str, read: impl Fn(&str)) {
    let prompt = |count: usize| format!("{around}{} {around}x", part.repeat(count));
    linear(&prompt(2_000), &prompt(2_000 * TIMES), read, part);
}

/// The shortest times count, and a machine that is busy is asked again.
#[track_caller]
fn linear(short: &str, long: &str, read: impl Fn(&str), what: &str) {
    let time = |prompt: &str| {
        let begun = Instant::now();
        read(prompt);
        begun.elapsed()
    };
    let (mut of_short, mut of_long) = (Duration::MAX, Duration::MAX);
    for _ in 0..20 {
        of_short = of_short.min(time(short));
        of_long = of_long.min(time(long));
        if of_long < TIME_MIN || of_long < of_short * TIME_RATIO_MAX {
            return;
        }
    }
    panic!("{what:?}: {of_short:?}, and of {TIMES} times as much {of_long:?}");
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
        linear(&runs(12_000), &runs(12_000 * TIMES), read, "runs of ticks");
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
