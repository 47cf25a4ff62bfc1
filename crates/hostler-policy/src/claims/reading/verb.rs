//! Verbs that say that something was done.

mod told;
mod unspaced;

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::{Language, Noun, Verb};
use super::super::phrases;
use super::super::text::Text;
use super::{Reading, joined, objects};

pub(super) use told::{after_running, any_deed, checked, listed, marked, now, seen_at, state};

/// Words before a participle that make it an adjective.
const DETERMINERS: &[&str] = &[
    "the",
    "a",
    "an",
    "this",
    "that",
    "these",
    "those",
    "your",
    "my",
    "our",
    "its",
    "their",
    "all",
    "any",
    "each",
    "every",
    "no",
    "new",
    "newly",
    "of",
    "with",
    "from",
    "for",
    "in",
    "on",
    "to",
    "per",
    "as",
    "into",
    "than",
    "more",
    "most",
    "some",
    "other",
    "another",
    "same",
    "at",
    "about",
    "or",
    "only",
    "well",
    "poorly",
    "previously",
    "currently",
    "auto",
    "through",
    "using",
    "when",
    "if",
    "being",
    "like",
    "under",
    "over",
    "against",
    "user",
    "pre",
    "self",
    "hand",
];

/// With the present tense: what happens as a rule, not what was done.
const HABITS: &[&str] = &[
    "each time",
    "every time",
    "on the first",
    "on first",
    "on every",
    "on each",
    "whenever",
    "by default",
    "lazily",
    "automatically",
    "on startup",
    "at startup",
    "per request",
    "at runtime",
    "at build time",
    "each night",
    "every night",
    "nightly",
    "daily",
    "each run",
    "every run",
    "every call",
    "each call",
    "per call",
    "on demand",
    "always",
    "usually",
    "every request",
    "each request",
    "from the",
    "from a",
    "when",
    "once",
    "before the",
    "after the",
    "until",
    "per",
];

/// Words that may stand between a subject and its verb.
const BETWEEN: &[&str] = &[
    "also", "then", "just", "already", "now", "finally", "both", "all", "went", "ahead", "have", "has",
    "had", "been", "was", "were", "is", "are", "'s", "first", "even", "once", "twice", "again", "too",
    "still",
];

/// Words after which a participle without an object is passive: `docs updated in …`.
const AFTER_PASSIVE: &[&str] = &[
    "to",
    "in",
    "with",
    "from",
    "for",
    "by",
    "on",
    "and",
    "at",
    "as",
    "via",
    "into",
    "through",
    ",",
    "successfully",
    "correctly",
    "cleanly",
    "too",
    "again",
    "under",
    "so",
    "but",
    "using",
    "per",
    "across",
    "after",
    "before",
    "accordingly",
    "properly",
    "now",
    "locally",
    "because",
    "inside",
    "within",
    "or",
    "when",
];

/// "Read" at the beginning of an item among others that tell what was done.
const READ: Verb = Verb { act: Act::Read, id: "en/read", done: &[], participle: &[] };

const RUN: Verb = Verb { act: Act::Run, id: "en/ran", done: &[], participle: &[] };

/// "run" and "read" are their own past participles: after an auxiliary they are claims.
fn perfect_forms(clause: &Clause, hits: &mut Vec<Hit<'_>>) {
    for (at, token) in clause.tokens.iter().enumerate() {
        let (verb, form): (&'static Verb, &'static str) = match token.as_str() {
            "run" => (&RUN, "run"),
            "read" => (&READ, "read"),
            _ => continue,
        };
        let near = &clause.tokens[at.saturating_sub(3)..at];
        let auxiliary = near.iter().any(|it| {
            matches!(it.as_str(), "have" | "has" | "had" | "were" | "was" | "been" | "having")
                || it.ends_with("'ve")
        });
        // "The explorer agent read the tree."
        let helper = token == "read"
            && near.iter().any(|it| matches!(it.as_str(), "agent" | "subagent" | "sub-agent" | "agents"));
        if (auxiliary || helper) && hits.iter().all(|hit| hit.to <= at || at < hit.from) {
            hits.push(Hit { verb, form, from: at, to: at + 1, participle: false });
        }
    }
    hits.sort_by_key(|hit| hit.from);
}

const SET: Verb = Verb { act: Act::Edit, id: "en/set", done: &[], participle: &[] };

/// "Set `replicas: 4` in `values.yaml`." – past tense, unless it tells the user what to do.
fn set_in_file(text: &Text, clause: &Clause, hits: &mut Vec<Hit<'_>>) {
    let tokens = &clause.tokens;
    let said = |at: usize| {
        at.checked_sub(1).is_some_and(|it| matches!(tokens[it].as_str(), "i" | "i've" | "we" | "we've"))
    };
    let at = tokens.iter().take(3).position(|token| matches!(token.as_str(), "set" | "put"));
    let Some(at) = at.filter(|at| (*at == 0 || said(*at)) && 4 <= tokens.len() - at) else { return };
    let told = ["you", "your", "then", "restart", "run", "please", "before", "first"];
    if at == 0 && told.iter().any(|word| clause.sentence.contains(&format!(" {word} "))) {
        return;
    }
    let named =
        objects::objects(text, clause, at + 1, tokens.len()).iter().any(|it| it.target && it.path.is_some());
    if named && hits.first().is_none_or(|hit| at < hit.from) {
        hits.insert(0, Hit { verb: &SET, form: "set", from: at, to: at + 1, participle: false });
    }
}

/// The claims that a clause's verbs make.
pub(super) fn read(text: &Text, clause: &Clause, language: &Language, past: bool) -> Vec<Reading> {
    if language.spaced {
        spaced(text, clause, language, past)
    } else {
        unspaced::read(text, clause, language)
    }
}

/// A form of a verb in a clause.
struct Hit<'a> {
    verb: &'a Verb,
    form: &'a str,
    /// Its first token, and the one after its last.
    from: usize,
    to: usize,
    participle: bool,
}

fn spaced(text: &Text, clause: &Clause, language: &Language, past: bool) -> Vec<Reading> {
    let asks = ["what", "how", "why", "which", "where", "who"];
    if language.code == "en" && clause.tokens.first().is_some_and(|token| asks.contains(&token.as_str())) {
        return Vec::new();
    }
    let mut hits = hits(clause, language);
    if past && clause.tokens.first().is_some_and(|token| token == "read") {
        hits.insert(0, Hit { verb: &READ, form: "read", from: 0, to: 1, participle: false });
    }
    if language.code == "en" {
        perfect_forms(clause, &mut hits);
        set_in_file(text, clause, &mut hits);
    }
    let mut out: Vec<Reading> = Vec::new();
    // Whether the verb before had the agent for its subject; what follows by "and" has it too.
    let mut chain: Option<Subject> = None;
    for (index, hit) in hits.iter().enumerate() {
        let before_to = index.checked_sub(1).map_or(0, |it| hits[it].to);
        let after_to = hits.get(index + 1).map_or(clause.tokens.len(), |next| next.from);
        let subject = if language.code == "en" {
            english_subject(clause, language, hit, chain.as_ref())
        } else {
            loose_subject(clause, language, hit)
        };
        if matches!(subject, Subject::Other) {
            chain = Some(Subject::Other);
            continue;
        }
        if vetoed(clause, language, hit, before_to) {
            chain = Some(Subject::Other);
            continue;
        }
        chain = Some(subject);
        let passive = matches!(subject, Subject::Passive);
        // German participles end the clause: what is meant stands before them.
        let front_first = language.code == "de" && before_to < hit.from;
        let comma = clause.tokens[..hit.from].iter().rposition(|token| token == ",").map_or(0, |at| at + 1);
        let mut objects = if front_first {
            objects::objects(text, clause, before_to.max(comma), hit.from)
        } else {
            objects::objects(text, clause, hit.to, after_to)
        };
        if front_first && objects.is_empty() {
            objects = objects::objects(text, clause, hit.to, after_to);
        }
        let pronoun = clause
            .tokens
            .get(hit.to)
            .is_none_or(|it| matches!(it.as_str(), "it" | "them" | "both" | "this" | "these" | ","));
        if passive || (objects.is_empty() && pronoun) || (objects.is_empty() && language.code != "en") {
            // "`a.py` is back, and the flag is gone": what stands before ", and" belongs to another statement.
            let joint =
                clause.tokens[..hit.from].windows(2).rposition(|two| two[0] == "," && two[1] == "and");
            let start = joint.map_or(before_to, |at| before_to.max(at + 2));
            let mut front = objects::objects(text, clause, start, hit.from);
            if passive {
                // What follows a passive is where and how, unless nothing stands before it.
                let places = hit.verb.act == Act::Create;
                for object in &mut objects {
                    object.target = object.target && (places || front.is_empty());
                }
            }
            front.extend(objects);
            objects = front;
        }
        if hit.form == "copied" {
            let to = clause
                .tokens
                .iter()
                .position(|token| matches!(token.as_str(), "to" | "as" | "into"))
                .unwrap_or(0);
            for object in &mut objects {
                object.target = to < object.at;
            }
        }
        if hit.form == "applied" || hit.form == "downloaded" {
            // A patch or manifest is what was used.
            for object in &mut objects {
                object.target = object.target && hit.form == "downloaded";
            }
        }
        if matches!(hit.verb.act, Act::Edit | Act::Move) {
            // A folder is where, not what.
            for object in objects.iter_mut().filter(|it| it.text.ends_with('/')) {
                object.target = false;
            }
        }
        if objects.iter().all(|it| !it.target)
            && let Some(label) = &clause.label
        {
            // A table's or list's first cell names it.
            objects.extend(labelled(text, label));
        }
        let alone = clause.tokens.len() == 1 && objects.is_empty();
        if alone && matches!(hit.verb.act, Act::Create | Act::Edit | Act::Delete | Act::Verify | Act::Move) {
            // "Fixed:", "Corrected: all tests pass": a label, which says that something was done and not what.
            let around = clause.norm();
            let mut label =
                reading(text, clause, language, hit, Vec::new(), &around, &around, Subject::Agent);
            (label.act, label.pattern) = (Act::Other, "en/any".to_owned());
            if language.code == "en" && clause.label.is_none() && !clause.bracketed {
                out.push(label);
            }
            continue;
        }
        let around = joined(&clause.tokens[before_to.min(hit.from)..after_to]);
        let names = joined(&clause.tokens[if passive { before_to.min(hit.from) } else { hit.to }..after_to]);
        out.push(reading(text, clause, language, hit, objects, &around, &names, subject));
    }
    out
}

fn labelled(text: &Text, label: &str) -> Vec<objects::Object> {
    let clause = Clause {
        text: label.trim().to_owned(),
        tokens: label.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        sentence: label.to_owned(),
        question: false,
        conditional_from: None,
        before_arrow: false,
        label: None,
        bracketed: false,
    };
    objects::objects(text, &clause, 0, clause.tokens.len())
}

#[expect(clippy::too_many_arguments, reason = "one construction in one place")]
fn reading(
    text: &Text,
    clause: &Clause,
    language: &Language,
    hit: &Hit<'_>,
    objects: Vec<objects::Object>,
    around: &str,
    names: &str,
    subject: Subject,
) -> Reading {
    let mut nouns = objects::nouns(names, language);
    if nouns.is_empty() && hit.verb.id == "en/looked-up" {
        nouns = objects::nouns(&clause.sentence, language);
    }
    let stretch = clause.tokens[hit.to..].iter().take(6);
    let count = stretch
        .take_while(|token| !matches!(token.as_str(), "," | "and" | "so" | "which" | "that" | "but"))
        .enumerate()
        .find_map(|(at, token)| objects::number(token, language).map(|number| (hit.to + at, number)))
        .filter(|(at, _)| {
            let before = clause.tokens.get(at.wrapping_sub(1)).map(String::as_str).unwrap_or_default();
            !matches!(before, "to" | "from" | "at" | "line" | "version" | "phase" | "step")
        })
        .map(|(_, number)| number);
    Reading {
        act: hit.verb.act,
        text: text.restore(&clause.text),
        pattern: hit.verb.id.to_owned(),
        objects,
        nouns,
        count,
        whole: contains(around, language, language.all),
        venue: objects::venue(&clause.sentence, language),
        result: None,
        said: matches!(subject, Subject::Said),
        passive: matches!(subject, Subject::Passive),
        by_subagent: matches!(subject, Subject::Subagent),
        words: words(clause, around, language),
        verb: hit.form.to_owned(),
    }
}

fn hits(clause: &Clause, language: &Language) -> Vec<Hit<'static>> {
    let mut out: Vec<Hit<'static>> = Vec::new();
    for (from, token) in clause.tokens.iter().enumerate() {
        for (form, verb, participle) in phrases::forms(language, token) {
            let mut words = 0;
            let same = form.split(' ').all(|word| {
                words += 1;
                clause.tokens.get(from + words - 1).is_some_and(|token| token == word)
            });
            if same {
                out.push(Hit { verb, form, from, to: from + words, participle: *participle });
            }
        }
    }
    out.sort_by_key(|hit| (hit.from, std::cmp::Reverse(hit.to)));
    // A longer form wins over the one inside it.
    let mut kept: Vec<Hit<'static>> = Vec::new();
    for hit in out {
        if kept.last().is_none_or(|last| last.to <= hit.from) {
            kept.push(hit);
        }
    }
    kept
}

/// Who did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// The agent: "I", "we".
    Said,
    /// The agent, implied.
    Agent,
    /// A helper of it.
    Subagent,
    /// Not said: the passive.
    Passive,
    /// Somebody or something else, or the form is no verb here.
    Other,
}

fn english_subject(clause: &Clause, language: &Language, hit: &Hit<'_>, chain: Option<&Subject>) -> Subject {
    let tokens = &clause.tokens;
    let first = hit.form.split(' ').next().unwrap_or_default();
    if language.first_person.contains(&first) || first == "have" {
        // "I read": the subject is part of the form.
        return Subject::Said;
    }
    let mut at = hit.from;
    let mut passive = false;
    let mut perfect = false;
    while 0 < at {
        let token = tokens[at - 1].as_str();
        if matches!(token, "is" | "are" | "was" | "were" | "been" | "'s" | "it's" | "that's") {
            passive = true;
        } else if matches!(token, "have" | "has" | "had") {
            perfect = true;
        } else if !(BETWEEN.contains(&token) || (token.ends_with("ly") && 4 < token.len() && token != "only"))
        {
            break;
        }
        at -= 1;
    }
    let next = tokens.get(hit.to).map(String::as_str);
    if hit.participle && hit.form.contains(' ') {
        return Subject::Passive;
    }
    let looks = matches!(
        hit.form,
        "went through" | "gone through" | "walked through" | "looked at" | "scanned" | "compared"
    );
    if looks
        && 0 < at
        && !tokens[..at].iter().any(|it| language.first_person.contains(&it.as_str()))
        && chain.is_none()
        && !tokens[..at].iter().any(|it| it == "having")
        && !language.subagent.iter().any(|it| tokens[..at].iter().any(|token| token == it))
    {
        return Subject::Other;
    }
    let Some(before) = at.checked_sub(1).map(|at| tokens[at].as_str()) else {
        // Nothing before it: "Created x", "has been created" under a label.
        return if passive { Subject::Passive } else { Subject::Agent };
    };
    if language.first_person.contains(&before) || (before == "having" && at == 1) {
        return Subject::Said;
    }
    if language.others.contains(&before) || matches!(before, "get" | "gets" | "got" | "getting") {
        return Subject::Other;
    }
    if matches!(before, "," | "and" | "then" | "but" | "so" | "plus") {
        if passive {
            return Subject::Passive;
        }
        return match chain {
            Some(subject) => *subject,
            None if before == "," || at <= 2 => Subject::Agent,
            // "Lint and tests fixed".
            None if next.is_none_or(|it| AFTER_PASSIVE.contains(&it)) => Subject::Passive,
            None => Subject::Agent,
        };
    }
    let bare = !passive && !perfect && at == hit.from;
    if bare && DETERMINERS.contains(&before) {
        return Subject::Other;
    }
    if bare && matches!(next, Some(word) if is_noun_after_adjective(word)) && before.ends_with("ly") {
        return Subject::Other;
    }
    let start =
        (0..at).rev().find(|it| matches!(tokens[*it].as_str(), "," | "and" | "but")).map_or(0, |it| it + 1);
    let phrase = &tokens[start..at];
    if phrase.iter().any(|token| language.others.contains(&token.as_str())) {
        return Subject::Other;
    }
    let helper = phrase.iter().any(|token| language.subagent.contains(&token.as_str()));
    if passive {
        // "is created by the script": the deed is a description.
        let by = tokens.iter().skip(hit.to).position(|token| token == "by").map(|it| it + hit.to + 1);
        let present = tokens[..hit.from].iter().rev().take(4).any(|it| matches!(it.as_str(), "is" | "are"))
            && !tokens.iter().any(|it| it == "now")
            && !tokens[..hit.from].iter().rev().take(4).any(|it| it == "been");
        // "the value is stored in the cache" describes; "the document is updated" reports.
        let named = clause.tokens.iter().any(|token| {
            token.chars().any(|c| ('\u{e000}'..='\u{f7ff}').contains(&c))
                || super::objects::is_path(token, false)
        });
        let ends = tokens
            .get(hit.to)
            .is_none_or(|it| matches!(it.as_str(), "," | "and" | "now" | "successfully" | "too" | "again"));
        let deed = matches!(
            hit.verb.act,
            Act::Commit
                | Act::Push
                | Act::Merge
                | Act::Rebase
                | Act::Tag
                | Act::Deploy
                | Act::Publish
                | Act::Send
                | Act::Install
                | Act::OpenIssue
                | Act::Backup
                | Act::Comment
        ) || (hit.verb.act == Act::Other
            && phrase.iter().any(|it| matches!(it.as_str(), "issue" | "ticket" | "pr" | "request" | "mr")));
        let source = hit.verb.act == Act::Create && named;
        if present && contains(&clause.norm(), language, HABITS) && !source {
            return Subject::Other;
        }
        let reports = ends && at - start <= 4;
        if present && !named && !deed && !reports {
            return Subject::Other;
        }
        let doer = |at: usize| tokens.get(at).is_some_and(|it| it != "using" && !it.ends_with("ing"));
        if by.is_some_and(|at| present || doer(at)) {
            return Subject::Other;
        }
        return Subject::Passive;
    }
    if helper {
        return Subject::Subagent;
    }
    if perfect {
        return Subject::Other;
    }
    // "ran", "wrote" are no participles: the noun before them is who did it.
    if matches!(hit.form, "ran" | "re-ran" | "reran" | "wrote" | "rewrote" | "undid" | "did run") {
        return Subject::Other;
    }
    if hit.form == "built" && matches!(next, Some("in" | "on" | "with" | "for" | "around" | "upon" | "into"))
    {
        return Subject::Other;
    }
    if hit.participle || next.is_none_or(|it| AFTER_PASSIVE.contains(&it)) {
        // "Report written to …", "Endpoint added".
        return Subject::Passive;
    }
    Subject::Other
}

fn is_noun_after_adjective(word: &str) -> bool {
    !matches!(word, "the" | "a" | "an" | "all" | "every" | "to" | "in")
}

/// Other languages with blanks: a form in a clause that nothing vetoes is a claim unless somebody else is named.
fn loose_subject(clause: &Clause, language: &Language, hit: &Hit<'_>) -> Subject {
    let norm = clause.norm();
    if contains(&norm, language, language.others) && !contains(&norm, language, language.first_person) {
        return Subject::Other;
    }
    if contains(&norm, language, language.subagent) {
        return Subject::Subagent;
    }
    if contains(&norm, language, language.first_person) {
        Subject::Said
    } else if hit.from == 0 {
        Subject::Agent
    } else {
        Subject::Passive
    }
}

fn vetoed(clause: &Clause, language: &Language, hit: &Hit<'_>, before_to: usize) -> bool {
    if clause.before_arrow || clause.conditional_from.is_some_and(|from| from <= hit.from) {
        return true;
    }
    let tokens = &clause.tokens;
    let boundary = |words: &[&str]| {
        (0..hit.from).rev().find(|at| words.contains(&tokens[*at].as_str())).map_or(0, |at| at + 1)
    };
    // A modal verb governs what follows by "and" until a new subject stands there.
    let new_subject = (0..hit.from).rev().find(|at| language.first_person.contains(&tokens[*at].as_str()));
    // "I thought I had created it": the second subject stands inside the thought.
    let thought =
        |at: &usize| at.checked_sub(1).is_some_and(|it| language.modal.contains(&tokens[it].as_str()));
    let modal_from = new_subject.filter(|at| !thought(at)).unwrap_or(0);
    if clause.has(language, language.modal, modal_from, hit.from) {
        return true;
    }
    let (from, to) = if language.code == "en" {
        (boundary(&[",", "and", "but"]).max(before_to.min(hit.from)), hit.from)
    } else {
        // The negation may follow the verb, but not in what is told next.
        let far = tokens.len().min(hit.to + 3);
        let end = (hit.to..far).find(|at| JOINTS.contains(&tokens[*at].as_str()));
        (boundary(&[","]), end.unwrap_or(far))
    };
    let english = language.code == "en";
    if clause.has(language, language.negation, from, to)
        || (english && negative_contraction(&tokens[from..to]))
    {
        return true;
    }
    // "pushed nothing", and subordinate clauses of time: "before I pushed".
    let end = if english { hit.to + 2 } else { to.min(hit.to + 2) };
    let after = &tokens[hit.to..tokens.len().min(end)];
    if after.iter().any(|token| {
        matches!(token.as_str(), "nothing" | "none" | "no" | "neither" | "nada" | "nichts" | "rien")
    }) {
        return true;
    }
    let start = boundary(&[","]);
    tokens.get(start).is_some_and(|token| language.temporal.contains(&token.as_str()))
}

/// What begins the next thing that is told, in languages other than English.
const JOINTS: &[&str] = &[",", "und", "aber", "da", "et", "mais", "y", "e", "pero", "mas"];

fn negative_contraction(tokens: &[String]) -> bool {
    tokens.iter().any(|token| token.ends_with("n't") || token == "un")
}

/// A clause's words, and in English those that name its judging programs, by which claims are judged.
fn words(clause: &Clause, around: &str, language: &Language) -> Vec<String> {
    let mut words = clause.tokens.clone();
    if language.code != "en" {
        let named = language.judges.iter().filter(|(_, names)| contains(around, language, names));
        for (act, _) in named {
            words.extend(match act {
                Act::Test => Some("tests".to_owned()),
                Act::Build => Some("build".to_owned()),
                Act::Lint => Some("lint".to_owned()),
                Act::Typecheck => Some("typecheck".to_owned()),
                Act::Format => Some("formatter".to_owned()),
                _ => None,
            });
        }
    }
    words
}

/// Nouns that make "created" or "opened" a deed outside the file system.
pub(in crate::claims) fn outside(nouns: &[Noun]) -> Option<Act> {
    nouns.iter().find_map(|noun| match noun {
        Noun::Issue => Some(Act::OpenIssue),
        Noun::PullRequest => Some(Act::OpenPullRequest),
        Noun::Branch => Some(Act::Branch),
        Noun::Tag => Some(Act::Tag),
        Noun::Backup => Some(Act::Backup),
        _ => None,
    })
}
