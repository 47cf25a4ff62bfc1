//! Verbs that say that something was done.

mod unspaced;

use super::super::act::Act;
use super::super::clause::{Clause, contains};
use super::super::language::{Language, Noun, Verb};
use super::super::phrases;
use super::super::text::Text;
use super::{Reading, joined, objects};

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
        if auxiliary && hits.iter().all(|hit| hit.to <= at || at < hit.from) {
            hits.push(Hit { verb, form, from: at, to: at + 1, participle: false });
        }
    }
    hits.sort_by_key(|hit| hit.from);
}

const SET: Verb = Verb { act: Act::Edit, id: "en/set", done: &[], participle: &[] };

/// "Set `replicas: 4` in `values.yaml`." – past tense, unless it tells the user what to do.
fn set_in_file(text: &Text, clause: &Clause, hits: &mut Vec<Hit<'_>>) {
    let tokens = &clause.tokens;
    let first = tokens.first().map(String::as_str);
    if !matches!(first, Some("set" | "put")) || tokens.len() < 4 {
        return;
    }
    let told = ["you", "your", "then", "restart", "run", "please", "before", "first"];
    if told.iter().any(|word| clause.sentence.contains(&format!(" {word} "))) {
        return;
    }
    let named =
        objects::objects(text, clause, 1, tokens.len()).iter().any(|it| it.target && it.path.is_some());
    if named && hits.first().is_none_or(|hit| 0 < hit.from) {
        hits.insert(0, Hit { verb: &SET, form: "set", from: 0, to: 1, participle: false });
    }
}

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
pub(super) fn checked(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    let first = clause.tokens.first()?;
    let (base, act) = BASES.iter().find(|(base, _)| base == first)?;
    let verb = Verb { act: *act, id: "en/checked", done: &[], participle: &[] };
    let hit = Hit { verb: &verb, form: base, from: 0, to: 1, participle: false };
    let objects = objects::objects(text, clause, 1, clause.tokens.len());
    let around = clause.norm();
    Some(reading(text, clause, language, &hit, objects, &around, &around, Subject::Agent))
}

/// `src/a.ts: takes a timeout` in a list of what was changed.
pub(super) fn listed(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
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
pub(super) fn marked(text: &Text, clause: &Clause, next: &Clause, language: &Language) -> Option<Reading> {
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
pub(super) fn now(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
    // "`a.sh` now checks …", "`a.sh` is executable now".
    let last = clause.tokens.len().checked_sub(1)?;
    let at = clause
        .tokens
        .iter()
        .position(|token| token == "now")
        .filter(|at| *at == 1 || (*at == last && *at <= 8))?;
    if at != 1 {
        let second = clause.tokens.get(1)?;
        let states = matches!(
            second.as_str(),
            "is" | "has"
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
        );
        let hit = Hit { verb: &NOW, form: "now", from: 1, to: 2, participle: true };
        if !states
            || vetoed(clause, language, &hit, 0)
            || contains(&clause.norm(), language, language.negation)
        {
            return None;
        }
        let objects = objects::objects(text, clause, 0, 1);
        objects.first()?.path.as_ref()?;
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
pub(super) fn state(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
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
    if form.ends_with("lives in") || form.starts_with("there") {
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
    reading.verb = form.to_owned();
    Some(reading)
}

/// "In the browser the dropdown closes": what is seen in a place was looked at there.
pub(super) fn seen_at(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
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
    reading.venue = objects::venue(&norm, language).or(Some(super::super::language::Venue::Browser));
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
pub(super) fn any_deed(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
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
    reading.verb = tokens[at].clone();
    Some(reading)
}

const ANY: Verb = Verb { act: Act::Other, id: "en/any", done: &[], participle: &[] };

/// "Committed after running the tests": the gerund is stated with the rest.
pub(super) fn after_running(text: &Text, clause: &Clause, language: &Language) -> Option<Reading> {
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
        let mut objects = if front_first {
            objects::objects(text, clause, before_to, hit.from)
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
            let mut front = objects::objects(text, clause, before_to, hit.from);
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
            // "Fixed:", "Corrected: all tests pass": a label.
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
        clause: 0,
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
        if present && contains(&clause.norm(), language, HABITS) {
            return Subject::Other;
        }
        if present && !named && !deed && !(ends && at - start <= 4) {
            return Subject::Other;
        }
        if by.is_some()
            && (present
                || by
                    .is_some_and(|at| tokens.get(at).is_some_and(|it| it != "using" && !it.ends_with("ing"))))
        {
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
    let modal_from = match new_subject {
        Some(at) => at,
        None => 0,
    };
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
