//! Prompts with what they ask for: the phrases of sessions and of recall are read from the same words, and one must
//! not be taken for another.

use super::super::trigger;
use crate::session::phrase::{Phrase, phrase};

/// What a prompt asks for, in the words of the table.
fn asked(prompt: &str) -> String {
    let topic = trigger(prompt).map(|it| it.query.shown().to_owned()).filter(|it| !it.is_empty());
    match (phrase(prompt), topic) {
        (Some(Phrase::Close), None) => "close".to_owned(),
        (Some(Phrase::Open), None) => "open".to_owned(),
        (None, Some(topic)) => format!("recall => {topic}"),
        (None, None) => "nothing".to_owned(),
        both => format!("{both:?}"),
    }
}

#[test]
fn prompts_as_people_type_them_are_read_as_they_are_meant() {
    let lines = include_str!("prompts.txt").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines {
        let (kind, rest) = line.split_once('|').unwrap();
        let (prompt, topic) =
            rest.split_once(" => ").map_or((rest, None), |(prompt, topic)| (prompt, Some(topic)));
        let prompt = prompt.trim_start().replace("\\n", "\n");
        let expected = topic.map_or(kind.trim().to_owned(), |topic| format!("{} => {topic}", kind.trim()));
        let found = asked(&prompt);
        if found != expected {
            wrong.push(format!("{prompt:?} is {found}, not {expected}"));
        }
        count += 1;
    }
    assert!(80 <= count, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
