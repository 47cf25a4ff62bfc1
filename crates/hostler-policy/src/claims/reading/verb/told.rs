//! Deeds that are told without a verb that is known for them: by a state that they leave, a mark in a list, a place
//! where something was seen.

use super::super::objects;
use super::{DETERMINERS, HABITS, Hit, RUN, Subject, english_subject, negative_contraction, reading, vetoed};
use crate::claims::act::Act;
use crate::claims::clause::{Clause, contains};
use crate::claims::language::{Language, Venue, Verb};
use crate::claims::phrases;
use crate::claims::reading::{Reading, joined};
use crate::claims::text::Text;

/// Verbs at the beginning of an item that is checked off: what was to be done is done.
const BASES: &[(&str, Act)] = &[
    ("add", Act::Edit),
    ("create", Act::Create),
    ("write", Act::Create),
    ("implement", Act::Create),
    ("update", Act::Edit),
    ("fix", Act::Edit),
    ("refactor", Act::Edit),
    ("replace", Act::Edit),
    ("rename", Act::Move),
    ("move", Act::Move),
    ("remove", Act::Delete),
    ("delete", Act::Delete),
    ("install", Act::Install),
    ("commit", Act::Commit),
    ("push", Act::Push),
    ("deploy", Act::Deploy),
    ("read", Act::Read),
    ("review", Act::Read),
    ("run", Act::Run),
    ("test", Act::Verify),
];

/// `[x] Add Dockerfile`.
pub(in crate::claims::reading) fn checked(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    let first = clause.tokens.first()?;
    let (base, act) = BASES.iter().find(|(base, _)| base == first)?;
    let verb = Verb { act: *act, id: "en/checked", done: &[], participle: &[] };
    let hit = Hit { verb: &verb, form: base, from: 0, to: 1, participle: false };
    let objects = objects::objects(text, clause, 1, clause.tokens.len());
    let around = clause.norm();
    Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Agent))
}

/// `src/a.ts: takes a timeout` in a list of what was changed.
pub(in crate::claims::reading) fn listed(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    if clause.tokens.len() != 1 {
        return None;
    }
    let objects = objects::objects(text, clause, 0, 1);
    objects.first()?.path.as_ref()?;
    let verb = Verb { act: Act::Edit, id: "en/listed", done: &[], participle: &[] };
    let hit = Hit { verb: &verb, form: "", from: 0, to: 1, participle: false };
    let around = clause.norm();
    Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Agent))
}

/// "`docs/cli.md` (new), `mkdocs.yml` (nav)": a file with a mark in brackets behind it.
pub(in crate::claims::reading) fn marked(
    text: &Text,
    clause: &Clause,
    next: &Clause,
    language: &Language,
) -> Option<Reading> {
    let [mark] = next.tokens.as_slice() else { return None };
    let act = match mark.as_str() {
        "new" | "created" | "added" => Act::Create,
        "updated" | "changed" | "modified" | "edited" => Act::Edit,
        "deleted" | "removed" => Act::Delete,
        _ => return None,
    };
    let last = clause.tokens.len().checked_sub(1)?;
    let verb = Verb { act, id: "en/marked", done: &[], participle: &[] };
    let hit = Hit { verb: &verb, form: "", from: last, to: last + 1, participle: false };
    let mut objects = objects::objects(text, clause, last, last + 1);
    objects.first()?.path.as_ref()?;
    objects[0].target = true;
    if vetoed(clause, language, &hit, 0) {
        return None;
    }
    let around = clause.norm();
    Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Agent))
}

/// "`src/net.c` now checks the return value": it was changed.
pub(in crate::claims::reading) fn now(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    if contains(&clause.norm(), language, language.others) {
        return None;
    }
    // "`a.sh` now checks …", "`a.sh` is executable now".
    let last = clause.tokens.len().checked_sub(1)?;
    let at = clause
        .tokens
        .iter()
        .position(|token| token == "now")
        .filter(|at| *at == 1 || (*at == last && *at <= 12))?;
    if at != 1 {
        let objects: Vec<_> =
            objects::objects(text, clause, 0, last).into_iter().filter(|it| it.path.is_some()).collect();
        let verb_at = clause.tokens.iter().position(|token| {
            matches!(
                token.as_str(),
                "is" | "are"
                    | "has"
                    | "have"
                    | "uses"
                    | "contains"
                    | "reads"
                    | "exports"
                    | "points"
                    | "handles"
                    | "returns"
                    | "supports"
                    | "includes"
                    | "takes"
                    | "sets"
                    | "runs"
                    | "logs"
                    | "there's"
            )
        });
        let hit = Hit { verb: &NOW, form: "now", from: verb_at?, to: verb_at? + 1, participle: true };
        let mut objects = objects;
        // What works or passes now is a result, not a change.
        let result = contains(&clause.norm(), language, language.pass);
        if objects.is_empty()
            || result
            || vetoed(clause, language, &hit, 0)
            || contains(&clause.norm(), language, language.negation)
        {
            return None;
        }
        for object in &mut objects {
            object.target = true;
        }
        let hit = Hit { verb: &NOW, form: "", from: 0, to: 1, participle: false };
        let around = clause.norm();
        return Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Passive));
    }
    let next = clause.tokens.get(at + 1)?;
    if !next.ends_with('s')
        || matches!(
            next.as_str(),
            "is" | "was" | "has" | "this" | "passes" | "exists" | "fails" | "works" | "lives"
        )
    {
        return None;
    }
    if vetoed(clause, language, &Hit { verb: &NOW, form: "now", from: at, to: at + 2, participle: true }, 0) {
        return None;
    }
    let objects = objects::objects(text, clause, 0, 1);
    objects.first()?.path.as_ref()?;
    let hit = Hit { verb: &NOW, form: "", from: 0, to: 1, participle: false };
    let around = clause.norm();
    Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Passive))
}

const NOW: Verb = Verb { act: Act::Edit, id: "en/now", done: &[], participle: &[] };

/// States that are the result of a deed: "the PR is open", "`zod` is now a dependency", "`a.ts` is in place".
const STATES: &[Verb] = &[
    Verb {
        act: Act::OpenPullRequest,
        id: "en/pr-open",
        done: &[
            "pr is open",
            "pr is up",
            "pull request is open",
            "pull request is up",
            "pr is ready",
            "mr is open",
            "merge request is open",
        ],
        participle: &[],
    },
    Verb {
        act: Act::Install,
        id: "en/dependency",
        done: &["is now a dependency", "is a dependency now", "are now dependencies"],
        participle: &[],
    },
    Verb {
        act: Act::Create,
        id: "en/in-place",
        done: &[
            "is in place",
            "are in place",
            "exists now",
            "exist now",
            "now exists",
            "now exist",
            "is there now",
            "now lives in",
            "lives in",
        ],
        participle: &[],
    },
    Verb {
        act: Act::Create,
        id: "en/there-is",
        done: &["there's now", "there is now", "there are now"],
        participle: &[],
    },
    Verb {
        act: Act::Edit,
        id: "en/in-tree",
        done: &["is in the tree", "is in now", "are in now"],
        participle: &[],
    },
    Verb {
        act: Act::Deploy,
        id: "en/live",
        done: &["is live", "are live", "went live", "is now live", "is live now"],
        participle: &[],
    },
    Verb {
        act: Act::Backup,
        id: "en/backup-exists",
        done: &["backup is in place", "backup exists"],
        participle: &[],
    },
];

/// The claims that a clause makes by telling a state.
pub(in crate::claims::reading) fn state(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    let norm = clause.norm();
    let (verb, form, at) = STATES
        .iter()
        .flat_map(|verb| verb.done.iter().map(move |form| (verb, *form)))
        .filter_map(|(verb, form)| Some((verb, form, phrases::find(&norm, language, form)?)))
        .max_by_key(|(_, form, _)| form.len())?;
    let from = norm[..at].split_whitespace().count();
    let to = from + form.split(' ').count();
    let hit = Hit { verb, form, from, to, participle: true };
    if vetoed(clause, language, &hit, 0) {
        return None;
    }
    let mut objects = objects::objects(text, clause, 0, from);
    if objects.is_empty() || form.ends_with("lives in") || form.starts_with("there") {
        objects = objects::objects(text, clause, to, clause.tokens.len());
    }
    // Without a name a state may be anybody's work, or a description.
    let named = objects.iter().any(|it| it.path.is_some()) || matches!(verb.act, Act::OpenPullRequest);
    let package = verb.act == Act::Install && objects.iter().any(|it| it.code);
    let shipped = verb.act == Act::Deploy || verb.id == "en/in-tree";
    let folder = form.ends_with("lives in") && objects.iter().all(|it| it.text.ends_with('/'));
    if !(named || package || shipped) || folder {
        return None;
    }
    let mut reading = reading(text, clause, language, &hit, objects, &norm, &norm, Subject::Passive);
    form.clone_into(&mut reading.verb);
    Some(reading)
}

/// "In the browser the dropdown closes": what is seen in a place was looked at there.
pub(in crate::claims::reading) fn seen_at(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    const PLACES: &[&str] = &[
        "in the browser",
        "in chrome",
        "in firefox",
        "in safari",
        "on the emulator",
        "in the emulator",
        "in the simulator",
        "on my phone",
        "on a real device",
        "on the device",
        "on staging",
        "in staging",
        "in the live app",
        "on the live site",
    ];
    const SEEN: &[&str] = &[
        "closes",
        "opens",
        "shows",
        "appears",
        "disappears",
        "renders",
        "works",
        "loads",
        "stays",
        "reacts",
        "unlocks",
        "displays",
        "scrolls",
        "responds",
        "behaves",
        "looks",
        "submits",
        "redirects",
        "survives",
        "plays",
        "updates",
        "posts",
        "close",
        "open",
        "show",
        "appear",
        "disappear",
        "render",
        "work",
        "load",
        "completes",
        "passes",
    ];
    let norm = clause.norm();
    let place = PLACES.iter().find_map(|place| phrases::find(&norm, language, place))?;
    let at = clause.tokens.iter().position(|token| SEEN.contains(&token.as_str()))?;
    let negated = contains(&norm, language, language.negation) || negative_contraction(&clause.tokens);
    let hit = Hit { verb: &SEEN_AT, form: "", from: at, to: at + 1, participle: false };
    // An imperative begins with its verb; a description has a reason behind it.
    if at == 0 || negated || vetoed(clause, language, &hit, 0) || contains(&norm, language, HABITS) {
        return None;
    }
    let from = norm[..place].split_whitespace().count();
    let objects = objects::objects(text, clause, from, clause.tokens.len());
    let mut reading = reading(text, clause, language, &hit, objects, &norm, &norm, Subject::Passive);
    reading.venue = objects::venue(&norm, language).or(Some(Venue::Browser));
    Some(reading)
}

const SEEN_AT: Verb = Verb { act: Act::Verify, id: "en/seen-at", done: &[], participle: &[] };

/// Verbs of looking, thinking and saying: they change nothing, so that nothing has to show for them.
const MENTAL: &[&str] = &[
    "noticed",
    "checked",
    "looked",
    "decided",
    "considered",
    "identified",
    "confirmed",
    "verified",
    "discussed",
    "explained",
    "listed",
    "summarised",
    "summarized",
    "compared",
    "answered",
    "traced",
    "counted",
    "grepped",
    "searched",
    "located",
    "assumed",
    "reviewed",
    "analyzed",
    "analysed",
    "inspected",
    "examined",
    "investigated",
    "explored",
    "studied",
    "concluded",
    "determined",
    "realized",
    "realised",
    "figured",
    "learned",
    "mentioned",
    "noted",
    "described",
    "outlined",
    "planned",
    "proposed",
    "suggested",
    "recommended",
    "expected",
    "needed",
    "wanted",
    "tried",
    "attempted",
    "asked",
    "skipped",
    "ignored",
    "avoided",
    "stopped",
    "paused",
    "waited",
    "referenced",
    "cited",
    "quoted",
    "based",
    "focused",
    "focussed",
    "limited",
    "related",
    "used",
    "called",
    "named",
    "followed",
    "hoped",
    "guessed",
    "estimated",
    "calculated",
    "computed",
    "evaluated",
    "assessed",
    "walked",
    "stepped",
    "gathered",
    "collected",
    "narrowed",
    "ruled",
    "double-checked",
    "cross-checked",
    "spotted",
    "observed",
    "discovered",
    "uncovered",
    "pinpointed",
    "flagged",
    "highlighted",
    "picked",
    "preferred",
    "included",
    "excluded",
    "covered",
    "drafted",
    "sketched",
    "need",
    "speed",
    "feed",
    "seed",
    "indeed",
    "exceed",
    "proceed",
    "red",
    "bed",
    "shed",
    "embed",
    "unchanged",
    "untouched",
    "unused",
    "nested",
    "shared",
    "typed",
    "required",
    "supported",
    "deprecated",
    "scoped",
    "intended",
    "affected",
    "concerned",
    "involved",
    "interested",
    "worried",
    "happened",
    "occurred",
    "appeared",
    "seemed",
    "remained",
    "existed",
    "failed",
    "passed",
    "succeeded",
    "worked",
    "turned",
    "ended",
    "agreed",
    "promised",
    "offered",
    "interrupted",
    "cancelled",
    "canceled",
    "denied",
    "refused",
    "rejected",
    "blocked",
    "missed",
    "opened",
    "viewed",
    "queried",
    "probed",
    "scanned",
    "matched",
    "mapped",
    "thanks",
    "liked",
    "started",
    "continued",
    "finished",
    "completed",
    "ordered",
    "grouped",
    "sorted",
    "ranked",
    "rated",
    "weighed",
    "preserved",
    "retained",
    "reported",
    "stated",
    "claimed",
    "derived",
    "inferred",
    "extrapolated",
    "interpreted",
    "translated",
    "paraphrased",
    "solved",
    "reasoned",
    "debated",
    "advised",
    "warned",
    "marked",
    "labelled",
    "labeled",
    "reached",
    "hit",
    "received",
    "returned",
    "accepted",
    "added",
    "given",
    "attached",
    "detailed",
];

/// "Invited Mara", "the seeds were loaded": a deed whose verb is not known. It is judged only where a session did nothing
/// at all.
pub(in crate::claims::reading) fn any_deed(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    let tokens = &clause.tokens;
    let at = tokens.iter().take(6).position(|token| {
        token.len() > 4
            && token.ends_with("ed")
            && token.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            && !MENTAL.contains(&token.as_str())
    })?;
    let hit = Hit { verb: &ANY, form: "", from: at, to: at + 1, participle: false };
    let subject = english_subject(clause, language, &hit, None);
    let past = tokens[..at].iter().any(|it| it == "been");
    let fits = match subject {
        Subject::Said => true,
        // "Squashed the five commits": an object has to follow, else it may be an adjective.
        Subject::Agent => {
            let object = tokens.get(1).is_some_and(|it| {
                DETERMINERS.contains(&it.as_str())
                    || it == "it"
                    || it.chars().next().is_some_and(|c| text.span(c).is_some())
            });
            let name = clause
                .text
                .split_whitespace()
                .nth(1)
                .is_some_and(|word| word.starts_with(char::is_uppercase));
            at == 0 && (object || name)
        }
        Subject::Passive => past && tokens.len() <= 12,
        Subject::Subagent | Subject::Other => false,
    };
    if !fits || vetoed(clause, language, &hit, 0) || contains(&clause.norm(), language, language.negation) {
        return None;
    }
    let objects = objects::objects(text, clause, 0, tokens.len());
    let around = clause.norm();
    let mut reading = reading(text, clause, language, &hit, objects, &around, &around, subject);
    reading.verb.clone_from(&tokens[at]);
    Some(reading)
}

const ANY: Verb = Verb { act: Act::Other, id: "en/any", done: &[], participle: &[] };

/// "Committed after running the tests": the gerund is stated with the rest.
pub(in crate::claims::reading) fn after_running(
    text: &Text,
    clause: &Clause,
    language: &Language,
) -> Option<Reading> {
    let at = clause.tokens.windows(2).position(|two| {
        matches!(two[0].as_str(), "after" | "by")
            && matches!(two[1].as_str(), "running" | "rerunning" | "re-running")
    })?;
    let hit = Hit { verb: &RUN, form: "running", from: at + 1, to: at + 2, participle: false };
    if vetoed(clause, language, &Hit { from: at, ..hit }, 0) {
        return None;
    }
    let hit = Hit { verb: &RUN, form: "running", from: at + 1, to: at + 2, participle: false };
    let objects = objects::objects(text, clause, hit.to, clause.tokens.len());
    let around = joined(&clause.tokens[at..]);
    let mut reading = reading(text, clause, language, &hit, objects, &around, &around, Subject::Agent);
    reading.words = clause.tokens[at..].to_vec();
    Some(reading)
}
