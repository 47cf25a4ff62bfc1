//! A search over the record: `context.json` as [`hostler_policy::recall`] wants to see it.

use std::borrow::Cow;
use std::cmp::Reverse;

use hostler_ledger::context::{Context, Session};
use hostler_policy::recall::{self, Deferred, Entry, Found, Kind, Limits, Query, Record};

/// What of the file's notes is told, in characters.
const NOTES_CHARS_MAX: usize = 300;

/// One session in the file's text.
struct Stored<'a> {
    context: &'a Context,
    index: usize,
}

impl Entry for Stored<'_> {
    fn raw(&self) -> Option<Cow<'_, str>> {
        self.context.session_text(self.index)
    }

    fn read(&self) -> Option<Record> {
        self.context.session(self.index).map(record)
    }
}

/// Searches the sessions, newest first, and the deferred work.
pub(crate) fn search(context: &Context, query: &Query, limits: &Limits) -> Found {
    let mut order: Vec<usize> = (0..context.session_count()).collect();
    order.sort_by_key(|index| Reverse((context.session_number(*index), *index)));
    let newest_first = order.into_iter().map(|index| Stored { context, index });
    recall::search(newest_first, &deferred(context), query, limits)
}

/// What could not be read of the file, bounded.
pub(crate) fn damage(context: &Context) -> Option<String> {
    let notes = context.notes().join("; ");
    (!notes.is_empty()).then(|| hostler_model::text::shorten(&notes, NOTES_CHARS_MAX))
}

fn record(session: Session) -> Record {
    let mut texts = vec![(Kind::Purpose, session.purpose)];
    texts.extend(session.achievements.into_iter().map(|it| (Kind::Achievement, it)));
    texts.extend(
        session.work_log.into_iter().map(|it| (Kind::WorkLog, told(it.desc, &it.details.join("; ")))),
    );
    texts.extend(session.choices.into_iter().map(|it| (Kind::Choice, told(it.choice, &it.reason))));
    texts.extend(session.objectives.into_iter().map(|it| (Kind::Objective, it)));
    Record { number: session.seq, when: session.when, texts }
}

fn deferred(context: &Context) -> Vec<Deferred> {
    let mut items: Vec<_> = context.work().iter().collect();
    // Of items that match equally well the urgent one is shown.
    items.sort_by_key(|item| item.priority.rank());
    items
        .into_iter()
        .map(|item| Deferred {
            id: item.id.clone(),
            state: format!("{}, {}", item.priority.as_str(), item.status.as_str()),
            text: told(item.description.clone(), item.notes.as_deref().unwrap_or_default()),
        })
        .collect()
}

/// A text and what goes with it.
fn told(text: String, more: &str) -> String {
    if more.is_empty() { text } else { format!("{text} ({more})") }
}
