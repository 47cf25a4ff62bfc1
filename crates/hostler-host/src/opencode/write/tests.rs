use super::*;

fn line(place: Place, reply: &Reply) -> String {
    Answer::of(Some(7), place, reply).line()
}

fn stopped(stop: Stop) -> Reply {
    Reply { stop: Some(stop), ..Reply::default() }
}

#[test]
fn nothing_to_say_is_an_answer_all_the_same() {
    for place in [Place::Before, Place::After, Place::Prompt, Place::TurnEnd, Place::Event] {
        assert_eq!(line(place, &Reply::default()), r#"{"id":7}"#);
    }
}

#[test]
fn a_denied_call_has_its_reason_and_what_would_be_asked_is_denied_with_the_way_out() {
    assert_eq!(line(Place::Before, &stopped(Stop::Deny("why".into()))), r#"{"id":7,"deny":"why"}"#);
    let asked = Answer::of(Some(7), Place::Before, &stopped(Stop::Ask("why".into())));
    let deny = asked.deny.as_deref().unwrap_or_default();
    assert!(deny.starts_with("why\nA person has to decide this") && deny.contains("cannot ask"), "{deny}");
}

#[test]
fn each_place_has_its_own_words_for_the_same_reply() {
    let context = Reply { context: Some("told".into()), ..Reply::default() };
    assert_eq!(line(Place::After, &context), r#"{"id":7,"append":"told"}"#);
    assert_eq!(line(Place::Prompt, &context), r#"{"id":7,"parts":["told"]}"#);
    assert_eq!(line(Place::Event, &context), r#"{"id":7}"#);
    let back = stopped(Stop::Continue("not done yet".into()));
    assert_eq!(line(Place::TurnEnd, &back), r#"{"id":7,"prompt":"not done yet"}"#);
}

#[test]
fn what_users_are_told_is_shown_whole_and_logged_in_one_short_line() {
    let long = "w".repeat(300);
    let message = format!("first {long}\nsecond");
    let answer =
        Answer::of(Some(1), Place::Event, &Reply { message: Some(message.clone()), ..Reply::default() });
    assert_eq!(answer.toast, Some(Toast { variant: "info", message }));
    let [log] = answer.log.as_slice() else { panic!("{:?}", answer.log) };
    assert_eq!((log.level, log.message.chars().count()), (Level::Info, LOG_CHARS_MAX + 1));
    let fault =
        Reply { message: Some("hostler: the disk is full; run `hostler doctor`".into()), ..Reply::default() };
    let answer = Answer::of(Some(1), Place::Event, &fault);
    assert_eq!(answer.toast.map(|it| it.variant), Some("error"));
}

#[test]
fn a_text_without_end_is_cut() {
    let answer = Answer::of(None, Place::Before, &stopped(Stop::Deny("long\n".repeat(100_000))));
    assert!(answer.line().len() < 16_000);
}
