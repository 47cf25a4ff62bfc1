//! Documents and damage that nobody thought of.

use proptest::prelude::*;
use proptest::sample::Index;

use super::super::json::Json;
use super::*;

/// Names that mean something somewhere, and some that do not.
const NAMES: [&str; 23] = [
    "seq",
    "session_seq",
    "session",
    "when",
    "date",
    "purpose",
    "title",
    "purpose_unread",
    "work_log",
    "achievements",
    "choices",
    "hosts",
    "length",
    "duration",
    "updated",
    "status",
    "priority",
    "id",
    "description",
    "text",
    "notes",
    "version",
    "x y",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u64..50).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zé\"\\\\ ]{0,6}".prop_map(Value::from),
        Just(json!("12")),
        Just(json!("ACTIVE")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object(inner).prop_map(Value::from),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = serde_json::Map<String, Value>> {
    let member = (prop::sample::select(&NAMES[..]).prop_map(str::to_owned), value);
    prop::collection::vec(member, 0..6).prop_map(|it| it.into_iter().collect())
}

/// A `context.json` of anybody, in one of three layouts.
fn document() -> impl Strategy<Value = String> {
    let list = || prop::collection::vec(prop_oneof![object(value()).prop_map(Value::from), value()], 0..5);
    let member = |name: &'static str, value: BoxedStrategy<Value>| {
        prop::option::weighted(0.9, value).prop_map(move |it| it.map(|it| (name.to_owned(), it)))
    };
    let members = (
        member("schema_version", prop_oneof![Just(json!(1)), Just(json!("1")), Just(Value::Null)].boxed()),
        member("state", object(value()).prop_map(Value::from).boxed()),
        member("deferred_work", list().prop_map(Value::from).boxed()),
        member("session_history", list().prop_map(Value::from).boxed()),
        member("of others", value().boxed()),
    );
    (members, 0..3).prop_map(|((a, b, c, d, e), layout)| {
        let members: serde_json::Map<_, _> = [a, b, c, d, e].into_iter().flatten().collect();
        match layout {
            0 => serde_json::to_string(&members).unwrap(),
            1 => serde_json::to_string_pretty(&members).unwrap().replace('\n', "\r\n"),
            _ => serde_json::to_string_pretty(&members).unwrap() + "\n",
        }
    })
}

#[derive(Debug, Clone)]
enum Change {
    Push,
    Log(Index),
    End(Index),
    Achieve(Index),
    Defer,
    Complete(Index),
    Drop(Index),
    State,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Push),
        any::<Index>().prop_map(Change::Log),
        any::<Index>().prop_map(Change::End),
        any::<Index>().prop_map(Change::Achieve),
        Just(Change::Defer),
        any::<Index>().prop_map(Change::Complete),
        any::<Index>().prop_map(Change::Drop),
        Just(Change::State),
    ]
}

impl Change {
    fn apply(&self, context: &mut Context) {
        let on = |context: &mut Context, at: &Index, change: &dyn Fn(&mut Session)| {
            if context.session_count() != 0 {
                let index = at.index(context.session_count());
                let mut session = context.session(index).unwrap();
                change(&mut session);
                context.replace(index, session);
            }
        };
        let count = context.work().len();
        match self {
            Self::Push => {
                let seq = context.last().map_or(0, |(_, it)| it.seq) + 1;
                context.push(session(seq, "pushed"));
            }
            Self::Log(at) => on(context, at, &|it| {
                it.work_log.push(WorkEntry { desc: "logged".to_owned(), ..WorkEntry::default() });
            }),
            Self::End(at) => on(context, at, &|it| it.length = Some("1h".to_owned())),
            Self::Achieve(at) => on(context, at, &|it| it.achievements.insert(0, "achieved".to_owned())),
            Self::Defer => {
                context.work_mut().push(Work { description: "deferred".to_owned(), ..Work::default() });
            }
            Self::Complete(at) if count != 0 => {
                context.work_mut()[at.index(count)].status = WorkStatus::Completed;
            }
            Self::Drop(at) if count != 0 => {
                context.work_mut().remove(at.index(count));
            }
            Self::Complete(_) | Self::Drop(_) => {}
            Self::State => context.state_mut().session += 1,
        }
    }
}

/// Everything that a context says, as it would be written.
fn told(context: &Context) -> Vec<Value> {
    let work = context.work().iter().map(Work::json);
    let sessions = (0..context.session_count()).map(|it| context.session(it).unwrap().json());
    std::iter::once(context.state().json())
        .chain(work)
        .chain(sessions)
        .map(|it: Json| it.to_value())
        .collect()
}

/// Found by the property below: an empty text under one name, and the words under an older one.
#[test]
fn words_under_an_older_name_are_kept_where_the_newer_one_is_empty() {
    let lab = Lab::with("{\"deferred_work\":[{\"description\":\"\",\"title\":\"words\"}]}");
    lab.update(|context| context.state_mut().session += 1);
    assert_eq!(lab.read().work()[0].description, "words", "{}", lab.text());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_document_takes_any_change_and_keeps_the_rest(
        text in document(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let lab = Lab::with(&text);
        let before = lab.read();
        let updated = lab.update(|context| changes.iter().for_each(|it| it.apply(context)));
        let after = lab.read();
        prop_assert_eq!(told(&after), told(&updated.context), "{}\n{}", text, lab.text());
        for index in 0..before.session_count() {
            let same = before.session(index) == after.session(index);
            let texts = (before.session_text(index).unwrap(), after.session_text(index).unwrap());
            prop_assert!(!same || texts.0 == texts.1, "session {} of {}\n{}", index, text, lab.text());
        }
        let of_others = |text: &str| serde_json::from_str::<Value>(text).unwrap().get("of others").cloned();
        prop_assert_eq!(of_others(&text), of_others(&lab.text()));
        let again = lab.update(|context| {
            let (state, work) = (context.state().clone(), context.work().to_vec());
            (*context.state_mut(), *context.work_mut()) = (state, work);
        });
        prop_assert!(!again.changed);
        // All of it is known to the ledger and its backup.
        fs::write(lab.path(), "{").unwrap();
        let told_before: Vec<Value> = told(&after).into_iter().skip(1).collect();
        for (position, value) in told(&lab.read()).into_iter().skip(1).enumerate() {
            let numbered = value.get("seq").is_none_or(|it| *it != 0);
            prop_assert!(!updated.changed || !numbered || told_before.contains(&value), "{}: {} of {}", position, value, text);
        }
    }

    #[test]
    fn any_damage_is_survived_and_whole_sessions_before_it_are_kept(
        text in document(),
        at in any::<Index>(),
        rest in prop_oneof![
            Just(None),
            prop::collection::vec(any::<u8>(), 0..4).prop_map(Some),
        ],
    ) {
        let whole = Lab::with(&text).read();
        let at = at.index(text.len());
        let mut bytes = text.as_bytes()[..at].to_vec();
        if let Some(other) = rest {
            bytes.extend(other);
            bytes.extend(&text.as_bytes()[at..]);
        }
        let lab = Lab::with(&bytes);
        let seq = lab.begin("after the damage");
        let after = lab.read();
        prop_assert_eq!(after.last().unwrap().1, session(seq, "after the damage"));
        if lab.beside().len() == 2 {
            let kept = lab.beside().into_iter().find(|it| it.contains(".damaged-")).unwrap();
            prop_assert_eq!(fs::read(lab.project().join(kept)).unwrap(), bytes);
        }
        let texts: Vec<_> = (0..after.session_count()).map(|it| after.session_text(it).unwrap()).collect();
        for index in 0..whole.session_count() {
            let session = whole.session_text(index).unwrap();
            let mut found = text.match_indices(session.as_ref());
            let before = found.next().is_some_and(|(it, _)| it + session.len() < at) && found.next().is_none();
            // Of several with one number, the last one counts.
            let once = (0..whole.session_count()).filter(|it| whole.session_number(*it) == whole.session_number(index)).count() == 1;
            prop_assert!(!before || !once || texts.contains(&session), "{} of {:?}", session, lab.text());
        }
    }
}
