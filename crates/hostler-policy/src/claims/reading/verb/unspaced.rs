//! Languages without blanks: forms are looked for anywhere in the clause.

use super::super::super::clause::{Clause, contains, find};
use super::super::super::language::{Language, Verb};
use super::super::super::text::Text;
use super::super::{Reading, objects};
use super::{Hit, Subject, reading};

/// What ends a part of a clause.
const COMMAS: [char; 5] = ['，', ',', '、', '､', '；'];

/// A form of a verb in a clause.
struct Found {
    verb: &'static Verb,
    form: &'static str,
    /// The part of the clause that it stands in: how many commas come before.
    part: usize,
    /// That part's words.
    words: String,
}

pub(super) fn read(text: &Text, clause: &Clause, language: &Language) -> Vec<Reading> {
    let norm: String = clause.text.to_lowercase().split_whitespace().collect();
    if clause.conditional_from.is_some()
        || contains(&norm, language, language.conditional)
        || contains(&norm, language, language.modal)
        || (contains(&norm, language, language.others) && !contains(&norm, language, language.first_person))
        || contains(&norm, language, question_marks(language))
    {
        return Vec::new();
    }
    let subject =
        if contains(&norm, language, language.subagent) { Subject::Subagent } else { Subject::Agent };
    let found = found(&norm, language);
    let objects = objects::objects(text, clause, 0, clause.tokens.len());
    let mut out = Vec::new();
    for (index, it) in found.iter().enumerate() {
        // A negation belongs to the nearest verb.
        if contains(&it.words, language, language.negation) {
            continue;
        }
        let parts = parts(&found, index, language);
        let part_of = |token: usize| clause.tokens[..token].iter().filter(|it| *it == ",").count();
        let own = objects.iter().filter(|object| parts.contains(&part_of(object.at))).cloned().collect();
        let hit = Hit { verb: it.verb, form: it.form, from: 0, to: 0, participle: false };
        let mut claim = reading(text, clause, language, &hit, own, &it.words, &it.words, subject);
        claim.venue = objects::venue(&norm, language);
        out.push(claim);
    }
    out
}

fn found(norm: &str, language: &Language) -> Vec<Found> {
    let mut hits: Vec<(usize, &'static Verb, &'static str)> = Vec::new();
    for verb in language.verbs {
        for form in verb.done.iter().chain(verb.participle) {
            hits.extend(find(norm, language, form).map(|at| (at, verb, *form)));
        }
    }
    hits.sort_by_key(|(at, _, form)| (*at, std::cmp::Reverse(form.len())));
    let mut out = Vec::new();
    let mut end = 0;
    for (at, verb, form) in hits {
        if at < end {
            continue;
        }
        end = at + form.len();
        let from = norm[..at].rfind(COMMAS).unwrap_or(0);
        let to = norm[at..].find(COMMAS).map_or(norm.len(), |it| at + it);
        out.push(Found { verb, form, part: commas(&norm[..at]), words: norm[from..to].to_owned() });
    }
    out
}

/// Commas between words; those inside numbers are none.
fn commas(text: &str) -> usize {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.char_indices()
        .filter(|(at, c)| {
            COMMAS.contains(c)
                && *c != '；'
                && !(digit(text[..*at].chars().next_back())
                    && digit(text[at + c.len_utf8()..].chars().next()))
        })
        .count()
}

/// The parts whose objects belong to a verb: Chinese has them behind the verb, Japanese and Korean before it, and
/// those at the clause's other end belong to the verb that stands there.
fn parts(found: &[Found], index: usize, language: &Language) -> std::ops::RangeInclusive<usize> {
    let own = found[index].part;
    let before = found[..index].iter().rev().map(|it| it.part).find(|part| *part < own);
    let after = found[index..].iter().map(|it| it.part).find(|part| own < *part);
    if language.code == "zh" {
        let from = if before.is_none() { 0 } else { own };
        from..=after.map_or(usize::MAX, |part| part - 1)
    } else {
        let to = if after.is_none() { usize::MAX } else { own };
        before.map_or(0, |part| part + 1)..=to
    }
}

fn question_marks(language: &Language) -> &'static [&'static str] {
    match language.code {
        "zh" => &["吗", "是否"],
        "ja" => &["ますか", "ですか", "ましたか", "でしょうか"],
        "ko" => &["까요", "습니까", "나요"],
        _ => &[],
    }
}
