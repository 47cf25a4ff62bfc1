//! Languages as data: which words claim, which veto, which acknowledge.
//!
//! Matching is on the lower-case text with single blanks between words; a phrase may hold blanks. In languages that
//! are written without blanks ([`Language::spaced`] is false) every phrase is looked for as it stands, anywhere.
//! Adding a language is one file with one const, and one line in [`LANGUAGES`].

mod de;
mod en;
mod es;
mod fr;
mod ja;
mod ko;
mod pt;
mod zh;

use super::act::Act;

/// Every language, English first: it is the one that is read where none is recognised.
pub(super) static LANGUAGES: &[&Language] = &[
    &en::ENGLISH,
    &de::GERMAN,
    &fr::FRENCH,
    &es::SPANISH,
    &pt::PORTUGUESE,
    &zh::CHINESE,
    &ja::JAPANESE,
    &ko::KOREAN,
];

/// What is known of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// ISO 639-1.
    pub(super) code: &'static str,
    /// Words are separated by blanks.
    pub(super) spaced: bool,
    /// Frequent words that tell it from others (spaced languages only).
    pub(super) markers: &'static [&'static str],
    /// Verb forms that say that something was done.
    pub(super) verbs: &'static [Verb],
    /// What judging programs are called, by what they do.
    pub(super) judges: &'static [(Act, &'static [&'static str])],
    /// What is said when they pass: predicates, `pass`, `green`, `bestanden`.
    pub(super) pass: &'static [&'static str],
    /// What is said when they fail.
    pub(super) fail: &'static [&'static str],
    /// Words that say that everything is meant: `all`, `every`, `full`.
    pub(super) all: &'static [&'static str],
    /// The speaker.
    pub(super) first_person: &'static [&'static str],
    /// Subjects that are not the agent: the user, other people.
    pub(super) others: &'static [&'static str],
    /// A helper of the agent: its deeds are in the evidence.
    pub(super) subagent: &'static [&'static str],
    /// Words after which, in the same clause, nothing is stated as a fact.
    pub(super) modal: &'static [&'static str],
    /// Words that make the rest of the sentence conditional.
    pub(super) conditional: &'static [&'static str],
    /// Words that begin a subordinate clause of time.
    pub(super) temporal: &'static [&'static str],
    /// Negation.
    pub(super) negation: &'static [&'static str],
    /// Nouns whose negation says that all is well: `no errors`.
    pub(super) faults: &'static [&'static str],
    /// Somebody else says so, or it is only an example: the sentence claims nothing.
    pub(super) attribution: &'static [&'static str],
    /// An earlier session is talked of: the sentence claims nothing.
    pub(super) earlier: &'static [&'static str],
    /// Beginnings of headings and lead-ins under which nothing is claimed: plans, next steps, examples.
    pub(super) plans: &'static [&'static str],
    /// Words that tell of a failure or a limit: what acknowledges an error.
    pub(super) acknowledgement: &'static [&'static str],
    /// Words that say that the work as a whole is done or that it works.
    pub(super) completion: &'static [&'static str],
    /// Verbs of reading that need no object (`looked it up`), nouns for what can be read, made, opened.
    pub(super) nouns: &'static [(Noun, &'static [&'static str])],
    /// Where something is said to be tried or to hold.
    pub(super) venues: &'static [(Venue, &'static [&'static str])],
    /// Number words, in order from `NUMBERS_FIRST`.
    pub(super) numbers: &'static [(&'static str, u64)],
}

/// A verb.
#[derive(Debug)]
pub(super) struct Verb {
    /// What it says.
    pub(super) act: Act,
    /// Its name in patterns: `en/created`.
    pub(super) id: &'static str,
    /// Forms that are past tense or participle: the deed is done.
    pub(super) done: &'static [&'static str],
    /// Forms that can only be participles (`written`): with a noun before them they are passive.
    pub(super) participle: &'static [&'static str],
}

/// What nouns stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Noun {
    /// A file, document, module, config, in general.
    File,
    /// Documentation, readme, changelog.
    Documents,
    /// Tests as files.
    Tests,
    /// A log.
    Log,
    /// A picture of the screen.
    Screenshot,
    /// A database's schema, tables, rows.
    Database,
    /// A difference, patch, pull request that is reviewed.
    Diff,
    /// Pages of the web, manuals.
    Web,
    /// The whole project.
    Repository,
    /// A ticket.
    Issue,
    /// A pull or merge request.
    PullRequest,
    /// A branch.
    Branch,
    /// A tag or release.
    Tag,
    /// A commit.
    Commit,
    /// A backup or dump.
    Backup,
    /// A migration.
    Migration,
    /// A script or program.
    Script,
    /// A command.
    Command,
    /// A server, service, container.
    Service,
    /// Packages, libraries, modules of others.
    Package,
}

/// A place that cannot be seen from the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Venue {
    /// A browser, the running interface.
    Browser,
    /// Continuous integration.
    Integration,
    /// A staging environment.
    Staging,
    /// Production.
    Production,
    /// A phone, an emulator, other hardware.
    Device,
}

/// The language whose script a text is written in, for the languages without blanks.
pub(super) fn by_script(text: &str) -> Option<&'static Language> {
    let (mut han, mut kana, mut hangul, mut latin) = (0_u32, 0_u32, 0_u32, 0_u32);
    for c in text.chars().take(4_000) {
        match c {
            '\u{3040}'..='\u{30ff}' => kana += 1,
            '\u{4e00}'..='\u{9fff}' => han += 1,
            '\u{ac00}'..='\u{d7af}' => hangul += 1,
            _ if c.is_alphabetic() => latin += 1,
            _ => {}
        }
    }
    // One such letter carries about as much as four Latin ones.
    let script = if latin < 4 * (kana + han) && 0 < kana {
        Some("ja")
    } else if latin < 4 * han {
        Some("zh")
    } else if latin < 4 * hangul {
        Some("ko")
    } else {
        None
    };
    script.and_then(|code| LANGUAGES.iter().find(|it| it.code == code)).copied()
}

/// The language of a piece of text; English where nothing is recognised.
pub(super) fn detect(text: &str) -> &'static Language {
    if let Some(language) = by_script(text) {
        return language;
    }
    let lower = text.chars().take(4_000).collect::<String>().to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()).collect();
    let accents = lower.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    let markers = |language: &Language, word: &&str| language.markers.contains(word);
    let (language, count) = most(&words, accents, markers);
    if 1 < count {
        return language;
    }
    // Lists of what was done have verbs and hardly any other words.
    let forms = |language: &Language, word: &&str| {
        markers(language, word)
            || language.pass.contains(word)
            || language.verbs.iter().any(|verb| verb.done.contains(word) || verb.participle.contains(word))
    };
    most(&words, accents, forms).0
}

/// The language that most of `words` belong to, and how many; English in doubt.
fn most(
    words: &[&str],
    accents: bool,
    belongs: impl Fn(&Language, &&str) -> bool,
) -> (&'static Language, usize) {
    let mut best = (LANGUAGES[0], 0);
    for language in LANGUAGES.iter().filter(|it| it.spaced) {
        let count = words.iter().filter(|word| belongs(language, word)).count();
        // One foreign word stands in many an English sentence.
        let enough = language.code == "en" || 1 < count || accents;
        if best.1 < count && enough {
            best = (language, count);
        }
    }
    best
}

#[cfg(test)]
mod tests;
