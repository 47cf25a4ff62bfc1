//! Two versions of a record as one: what git leaves behind when both sides of a merge went on with it.
//!
//! git sets its marks by lines, so a hunk begins and ends in the middle of a session, and what both sides have in
//! common stands outside. Each side is put together as a text of its own, and then they are united by meaning.

use std::collections::{HashMap, HashSet};

use super::document::{self, Context};
use super::json;
use super::model::{Session, Status, Work, WorkStatus};
use crate::redact::preview;

/// Member that says which number or id a session or item had before it was given another one.
pub(super) const RENUMBERED: &str = "renumbered_from";
/// The shortest mark of a merge; `conflict-marker-size` makes them longer, and so does a merge within a merge.
const MARK_MIN: usize = 7;

/// Characters of a text that a remark shows.
const TEXT_CHARS_MAX: usize = 60;
/// Remarks that are told one by one.
const REMARKS_MAX: usize = 10;

/// Which side a line belongs to.
#[derive(Clone, Copy)]
enum Part {
    Both,
    Ours(usize),
    /// What both sides began with; neither has it any more.
    Base(usize),
    Theirs(usize),
}

/// Both sides of a text with the marks of a merge, ours first; `None` where there are none. Marks without their
/// counterparts, as a person leaves them, are taken out.
pub(super) fn sides(text: &str) -> Option<[String; 2]> {
    let (mut ours, mut theirs) = (String::new(), String::new());
    let mut part = Part::Both;
    let mut found = false;
    for line in text.split_inclusive('\n') {
        let next = match (part, mark(line)) {
            (Part::Both, Some(('<', size))) => Some(Part::Ours(size)),
            (Part::Both, Some(_)) => Some(Part::Both),
            (Part::Ours(size), Some(('|', it))) if it == size => Some(Part::Base(size)),
            (Part::Ours(size) | Part::Base(size), Some(('=', it))) if it == size => Some(Part::Theirs(size)),
            (Part::Theirs(size), Some(('>', it))) if it == size => Some(Part::Both),
            _ => None,
        };
        if let Some(next) = next {
            (part, found) = (next, true);
            continue;
        }
        match part {
            Part::Both => {
                ours.push_str(line);
                theirs.push_str(line);
            }
            Part::Ours(_) => ours.push_str(line),
            Part::Theirs(_) => theirs.push_str(line),
            Part::Base(_) => {}
        }
    }
    found.then_some([ours, theirs])
}

/// The character of a mark and how often it stands there.
fn mark(line: &str) -> Option<(char, usize)> {
    let first = line.chars().next().filter(|it| matches!(it, '<' | '|' | '=' | '>'))?;
    let rest = line.trim_start_matches(first);
    let size = line.len() - rest.len();
    let ends = rest.starts_with(' ') || rest.trim_end().is_empty();
    (MARK_MIN <= size && ends).then_some((first, size))
}

/// What tells sessions apart that may have the same number: the number that each was begun with, when, and on which
/// branch. Without a time it is the purpose that has to serve.
pub(super) type Key = (u64, String, String);

pub(super) fn key(session: &Session) -> Key {
    let begun = session.other.get(RENUMBERED).and_then(serde_json::Value::as_u64).unwrap_or(session.seq);
    let when = if session.when.is_empty() { &session.purpose } else { &session.when };
    (begun, when.clone(), session.branch.clone().unwrap_or_default())
}

/// Adds what `theirs` has to `ours`, and tells what was renamed and what could not be kept.
pub(super) fn unite(ours: &mut Context, theirs: &Context) -> Vec<String> {
    let active = ours.active().map(|(index, _)| index);
    unite_sessions(ours, theirs);
    // Closed by the other side, it does not go on.
    let active = active.filter(|it| ours.session(*it).is_some_and(|it| it.length.is_none()));
    let mut remarks = unite_work(ours, theirs);
    for (name, value) in theirs.foreign() {
        let known = ours.foreign().find(|(it, _)| *it == name).map(|(_, it)| it.to_owned());
        match known {
            None => {
                let name = serde_json::from_str(name).unwrap_or_else(|_| name.to_owned());
                ours.add_foreign(name, &json::parse(value));
            }
            Some(known) if json::parse(&known) != json::parse(value) => {
                remarks.push(format!("`{}` differs, ours was kept", shown(name.trim_matches('"'))));
            }
            Some(_) => {}
        }
    }
    let other = theirs.state();
    let highest = ours.last().map_or(0, |(_, it)| it.seq).max(other.session);
    let state = ours.state_mut();
    state.session = state.session.max(highest);
    for (slot, text) in [(&mut state.version, &other.version), (&mut state.branch, &other.branch)] {
        if slot.is_empty() {
            slot.clone_from(text);
        }
    }
    state.test_count = state.test_count.or(other.test_count);
    state.test_state = state.test_state.take().or_else(|| other.test_state.clone());
    for (name, value) in &other.other {
        state.other.entry(name.clone()).or_insert_with(|| value.clone());
    }
    remarks.extend(renumber(ours, active));
    if ours.active().is_some() {
        ours.state_mut().status = Status::Active;
    }
    remarks
}

fn unite_sessions(ours: &mut Context, theirs: &Context) {
    // A line that only one side changed git has brought into both, so that either number may be the first.
    let numbers = |session: &Session| [session.seq, key(session).0];
    let mut known: HashMap<(String, String), Vec<(usize, Session)>> = HashMap::new();
    for index in 0..ours.session_count() {
        if let Some(session) = ours.session(index) {
            let (_, when, branch) = key(&session);
            known.entry((when, branch)).or_default().push((index, session));
        }
    }
    for session in (0..theirs.session_count()).filter_map(|it| theirs.session(it)) {
        let (_, when, branch) = key(&session);
        let own = known.get_mut(&(when, branch)).and_then(|places| {
            let same = |(_, own): &(usize, Session)| {
                let mut either = numbers(own).into_iter();
                own.purpose == session.purpose && either.any(|it| numbers(&session).contains(&it))
            };
            let at = places.iter().position(same)?;
            Some(places.swap_remove(at))
        });
        match own {
            Some((_, own)) if own == session => {}
            Some((index, own)) => ours.replace(index, united(own, session)),
            None => ours.push(session),
        }
    }
}

/// One session that both sides went on with: everything that either has; where there is but one place, the later's.
fn united(ours: Session, theirs: Session) -> Session {
    let (mut newer, older) = if ours.updated < theirs.updated { (theirs, ours) } else { (ours, theirs) };
    union(&mut newer.objectives, older.objectives);
    union(&mut newer.achievements, older.achievements);
    union(&mut newer.work_log, older.work_log);
    union(&mut newer.choices, older.choices);
    union(&mut newer.hosts, older.hosts);
    // What was done in turn is told in turn.
    if newer.work_log.iter().all(|it| !it.when.is_empty()) {
        newer.work_log.sort_by(|a, b| a.when.cmp(&b.when));
    }
    // Renumbered by one side, it is what the other will see as well.
    if newer.other.get(RENUMBERED).is_none() && older.other.contains_key(RENUMBERED) {
        newer.seq = older.seq;
    }
    for (slot, value) in [
        (&mut newer.length, older.length),
        (&mut newer.ended, older.ended),
        (&mut newer.outcome, older.outcome),
        (&mut newer.version, older.version),
        (&mut newer.commit, older.commit),
        (&mut newer.tag, older.tag),
    ] {
        *slot = slot.take().or(value);
    }
    for (name, value) in older.other {
        newer.other.entry(name).or_insert(value);
    }
    newer
}

fn union<T: PartialEq>(to: &mut Vec<T>, from: Vec<T>) {
    for item in from {
        if !to.contains(&item) {
            to.push(item);
        }
    }
}

fn unite_work(ours: &mut Context, theirs: &Context) -> Vec<String> {
    let was = |item: &Work| item.other.get(RENUMBERED).and_then(|it| it.as_str().map(str::to_owned));
    let same =
        |a: &Work, b: &Work| a.id == b.id || was(a).as_ref() == Some(&b.id) || was(b).as_ref() == Some(&a.id);
    let mut renamed = Vec::new();
    let work = ours.work_mut();
    let mut ids: HashSet<String> = HashSet::new();
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, own) in work.iter().enumerate() {
        ids.insert(own.id.clone());
        places.entry(own.description.clone()).or_default().push(at);
    }
    for item in theirs.work() {
        let known = places.get(&item.description).into_iter().flatten();
        if let Some(at) = known.copied().find(|at| same(&work[*at], item)) {
            unite_item(&mut work[at], item);
            continue;
        }
        let mut item = item.clone();
        if ids.contains(&item.id) {
            let id = std::mem::take(&mut item.id);
            item.other.entry(RENUMBERED).or_insert_with(|| id.clone().into());
            renamed.push((work.len(), id));
        } else {
            ids.insert(item.id.clone());
        }
        work.push(item);
    }
    document::name_items(work);
    let told = |(at, id): &(usize, String)| {
        let item = work.get(*at)?;
        Some(format!("work {} ({}) is {} now", shown(id), shown(&item.description), item.id))
    };
    renamed.iter().filter_map(told).collect()
}

/// What either side has done is done.
fn unite_item(own: &mut Work, item: &Work) {
    let rank = |status: &WorkStatus| match status {
        WorkStatus::Pending => 0,
        WorkStatus::Other(_) => 1,
        WorkStatus::InProgress => 2,
        WorkStatus::Completed => 3,
    };
    if rank(&own.status) < rank(&item.status) {
        own.status = item.status.clone();
    }
    match (&mut own.notes, &item.notes) {
        (Some(notes), Some(more)) if !notes.contains(more.as_str()) => {
            notes.push('\n');
            notes.push_str(more);
        }
        (notes @ None, Some(more)) => *notes = Some(more.clone()),
        _ => {}
    }
    for (name, value) in &item.other {
        own.other.entry(name.clone()).or_insert_with(|| value.clone());
    }
}

/// Gives sessions with the number of an earlier one in the list the next free numbers, oldest first, and says so.
/// The session that goes on, at `active`, stays the last: it gives way to all others.
pub(super) fn renumber(context: &mut Context, active: Option<usize>) -> Vec<String> {
    let mut seen = HashSet::new();
    let number = |index: usize| context.session_number(index).unwrap_or(0);
    let others = (0..context.session_count()).filter(|it| Some(*it) != active);
    let mut moved: Vec<usize> = others.filter(|it| number(*it) != 0 && !seen.insert(number(*it))).collect();
    moved.sort_by_cached_key(|index| context.session(*index).map(|it| it.when));
    let mut highest = seen.iter().copied().max().unwrap_or(0).max(active.map_or(0, number));
    if let Some(active) = active
        && (!moved.is_empty() || seen.contains(&number(active)))
    {
        moved.push(active);
    }
    if moved.is_empty() {
        return Vec::new();
    }
    let mut remarks = Vec::new();
    for index in moved {
        let Some(mut session) = context.session(index) else { continue };
        highest = highest.saturating_add(1);
        remarks.push(format!("session #{} ({}) is #{highest} now", session.seq, shown(&session.purpose)));
        session.other.entry(RENUMBERED).or_insert_with(|| session.seq.into());
        session.seq = highest;
        context.replace(index, session);
    }
    let state = context.state_mut();
    state.session = state.session.max(highest);
    remarks
}

/// A text of the record in a remark: on one line, without secrets and what moves a cursor.
fn shown(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    preview(first, TEXT_CHARS_MAX)
}

/// The first of many remarks, and how many more there are.
pub(super) fn told(mut remarks: Vec<String>) -> String {
    let more = remarks.len().saturating_sub(REMARKS_MAX);
    remarks.truncate(REMARKS_MAX);
    if more != 0 {
        remarks.push(format!("and {more} more"));
    }
    remarks.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<[&str; 2]>) {
        assert_eq!(sides(text), expected.map(|it| it.map(str::to_owned)), "{text}");
    }

    #[test]
    fn remarks_are_short_and_harmless() {
        assert_eq!(shown(" one\x1b[2J\nAWS "), "one\\u{1b}[2J");
        let long = shown(&"x".repeat(1_000));
        assert!(long.starts_with(&"x".repeat(60)) && long.len() < 100, "{long}");
        let many: Vec<String> = (0..12).map(|it| it.to_string()).collect();
        assert_eq!(told(many), "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; and 2 more");
    }

    #[test]
    fn a_text_with_the_marks_of_a_merge_is_two_texts() {
        check("a\nb\n", None);
        check("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> feat\nd\n", Some(["a\nb\nd\n", "a\nc\nd\n"]));
        check("<<<<<<< HEAD\r\nb\r\n=======\r\n>>>>>>> x y\r\nd", Some(["b\r\nd", "d"]));
        // What both began with, and a merge within it.
        let base = "<<<<<<< a\nb\n||||||| base\n<<<<<<<<< b1\nx\n=========\ny\n>>>>>>>>> b2\n=======\nc\n>>>>>>> d\n";
        check(base, Some(["b\n", "c\n"]));
        check("<<<<<<<<<< a\nb\n=======\n==========\nc\n>>>>>>>>>> d\n", Some(["b\n=======\n", "c\n"]));
        // Marks of which a person took some out; what looks like one and is none.
        check("a\n=======\nb\n>>>>>>> feat\nc\n", Some(["a\nb\nc\n", "a\nb\nc\n"]));
        check("a\n<<<<<<< HEAD\nb\n", Some(["a\nb\n", "a\n"]));
        check("<<<<<<\n=======x\n  =======\n", None);
    }
}
