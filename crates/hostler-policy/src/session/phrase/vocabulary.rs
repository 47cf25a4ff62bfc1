//! Words around a phrase, and what each kind says. Lists with spaces between the words, in lower case.

pub(super) const ARTICLES: &str = "the this a our my";

/// Words that may stand around any phrase.
pub(super) const COURTESIES: &str = "alright amazing awesome bye cheers claude cool excellent fine good great hello hey hi \
    k lovely nice now ok okay perfect please pls right super thanks thx ty well wonderful yeah yep yes";
/// Those of them that end a talk or begin one. The others may as well stand in the middle of something.
pub(super) const CLOSING: &str = "amazing awesome bye cheers excellent great hello lovely nice perfect thanks thx ty \
    wonderful";
/// Words that may stand further before a phrase that is spelled out or set off by a comma: the work is done.
pub(super) const ENDINGS: &str = "a again ahead all am and are been complete correct did done enough everything finally finished fixes \
    for from go happy has have help here i i'm i've is it it's job let's lets lgtm looks me my our ready \
    so that that's thats the then this time to today trick up very was we we're we've with work works \
    wrap wrapped you your";
/// Those of them that may stand right before a phrase that is spelled out. `we close the session` tells, it does not
/// ask.
pub(super) const LEADING: &str = "and finally go let's lets so then to";
/// What leads to a phrase that is spelled out.
pub(super) const LEADS: &[&str] = &[
    "i want to",
    "let us",
    "i would like to",
    "i'd like to",
    "now you can",
    "we can",
    "we can now",
    "we may",
    "you can",
    "you can now",
    "you may",
    "you may now",
];
/// Words that may follow a phrase besides courtesies.
pub(super) const POLITE: &str = "here then today";
/// Words that begin a question, with or without its mark.
pub(super) const ASKING: &str =
    "am are can could did do does how is should was what when where which who why will would";
/// Words that begin what comes after something that is still to be done.
pub(super) const CONTINUING: &str = "and then";

/// Several words that say what one does. A later one may begin with what an earlier one became.
pub(super) const FOLDS: &[(&str, &str)] = &[
    ("thank you", "thanks"),
    ("thanks so much", "thanks"),
    ("thanks very much", "thanks"),
    ("thanks a lot", "thanks"),
    ("many thanks", "thanks"),
    ("good morning", "hello"),
    ("good afternoon", "hello"),
    ("good evening", "hello"),
    ("good night", "bye"),
    ("good bye", "bye"),
    ("see you", "bye"),
    ("gotta go", "bye"),
    ("gotta run", "bye"),
    ("no more", "enough"),
    ("nothing else", "enough"),
    ("that will be all", "enough"),
    ("that'll be all", "enough"),
    ("bye later", "bye"),
    ("bye soon", "bye"),
    ("bye then", "bye"),
    ("bye tomorrow", "bye"),
    ("for now", "now"),
    ("for today", "today"),
    ("for tonight", "today"),
    ("for the day", "today"),
];

/// What is said of work that is done.
pub(super) const DONE: &str = "approved checked clean closed committed complete completed decided deployed done final \
    finished fixed green implemented landed merged pass passed passes passing published pushed ready released resolved \
    reviewed shipped settled solved tested updated verified";
/// What follows such a word where it begins the sentence: `Pushed to main.`
pub(super) const WHERE: &str = "and as in into on to with";
/// Who says it, and of what. Users, servers and requests are none of it: that they are done is told in stories.
pub(super) const SUBJECTS: &str = "all branch branches bug bugs build builds change changes ci code commit commits decision \
    deployment docs documentation everything feature features fix fixes i i've implementation issue issues it lint \
    linter migration mr pipeline pr prs refactoring release review suite task tasks test tests that these they this \
    ticket tickets we we've work you you've";
/// Words that may stand anywhere in such news.
pub(super) const NEUTRAL: &str = "both my our the";
/// Words with which nothing is done: a negation, a condition, a duty, a failure, and those of stories.
pub(super) const OPEN: &str = "be broken but button buttons cannot cant could didnt doesnt dont except fail failed failing \
    fails handler hardly if isnt let's lets might must need needed needs never no not nothing once red server shall \
    should still unless until user users want wants when whenever while will without wont would yet";
/// Who goes, and when.
pub(super) const GOERS: &str = "i i'll i'm time we we'll we're";
/// With one of them before it a word that says that somebody goes.
pub(super) const PARTING: &str = "bed home leave lunch tomorrow tonight weekend";
/// Words after which a line goes on in the next one.
pub(super) const CONNECTING: &str = "a after and as before but called for from if in is like of once or so than the then to \
    until we what when while with you";
/// Words of a sentence whose object may be the rest of the message.
pub(super) const ANNOUNCING: &str = "below button caption follow following follows footer label labels menu message phrase \
    print prints quote read reads said say says sentence sentences show shows string text title translate translation \
    words write writes";

/// Whether a word is one of a list.
pub(super) fn holds(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}
