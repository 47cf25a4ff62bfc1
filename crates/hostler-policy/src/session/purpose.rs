//! What a session is for, found in the prompts of its user.

use crate::recall::{TRIGGERS, is_code, is_log, tags_of};

/// More lines than this of a prompt are not looked through: what it is for stands at its beginning.
const LINES_MAX: usize = 50;

/// Words that say nothing of what is to be done, in lower case.
const TALK: &str = "a about again ahead all alright am amazing and another any anyone are as at awesome back be before bye can \
    cheers claude continue cool could course do everyone everything excellent fine for from go going good great have \
    hello help here hey hi how i i'd i'm i've in is it it's just k keep let let's lets like lovely may maybe me more \
    morning my need next nice no not now of off ok okay on one our perfect please pls proceed question questions quick \
    ready really remember resume right same sec see so some something start step still stop sure thank thanks that \
    that's the then there thing things think this thx time to today try ty up us want was we we're we've well what what's \
    when where with wonderful work would yeah yep yes yesterday you your yours";

/// The line of `prompt` that says what its session is for, without the mark of a list. `None` where it says nothing:
/// greetings and thanks, a question about what was, a log or code. The next prompt may say it.
pub fn purpose(prompt: &str) -> Option<&str> {
    let text = prompt.trim();
    // Commands of the client.
    if text.starts_with(['/', '!']) {
        return None;
    }
    let tags = tags_of(text);
    let mut fenced = false;
    let mut introduced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n').take(LINES_MAX) {
        let tag =
            tags.get(tags.partition_point(|it| it.end <= at)).is_some_and(|it| it.start < at + line.len());
        at += line.len();
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let line = line.trim();
        let fence = line.starts_with("```") || line.starts_with("~~~");
        let (item, told) = without_mark(line);
        if fence {
            fenced = !fenced;
        } else if line.is_empty() {
            introduced = false;
        } else if line.ends_with([':', '：']) {
            // What comes next was put in, unless it is a list of what is to be done.
            introduced = true;
        } else if !fenced
            && !tag
            && (item || !(introduced || indented))
            && !line.starts_with(['<', '>', '#'])
            && !is_log(line)
            && !is_code(line)
            && tells(told)
        {
            return Some(told);
        }
    }
    None
}

/// Whether a line is an entry of a list, and what it says.
fn without_mark(line: &str) -> (bool, &str) {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks = ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• "];
    let item = marks.iter().find_map(|mark| line.strip_prefix(mark)).or_else(|| {
        let rest = number.strip_prefix(['.', ')']).filter(|_| number.len() < line.len())?;
        rest.starts_with(' ').then_some(rest)
    });
    item.map_or((false, line), |item| (true, item.trim_start()))
}

/// Whether a line says what is to be done.
fn tells(line: &str) -> bool {
    let words = || {
        line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')))
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .map(|word| word.to_lowercase().replace('’', "'"))
    };
    let asks_back = || {
        let told = words().collect::<Vec<_>>().join(" ");
        let asked = line.ends_with('?');
        TRIGGERS.iter().any(|phrase| told.starts_with(phrase) || (asked && told.contains(phrase)))
    };
    1 < line.split_whitespace().count()
        && words().any(|word| !TALK.split(' ').any(|it| it == word))
        && !asks_back()
}

#[cfg(test)]
mod tests;
