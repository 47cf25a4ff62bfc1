#![expect(clippy::unwrap_used, reason = "tests")]
use super::*;

#[test]
fn smoke() {
    let v = Value::object([
        ("matcher", "*".into()),
        ("hooks", Value::Array(vec![Value::object([("type", "command".into())])])),
    ]);
    for t in [
        "{}",
        "{}\n",
        "{\n  \"a\": 1\n}\n",
        "{\"hooks\":{\"P\":[]}}",
        "{\n  \"hooks\": {\n    \"P\": [\n      1 // c\n    ],\n  },\n}",
    ] {
        let e = insert(t, &["hooks", "P"], New::Element(&v)).unwrap();
        println!("{}\n{:?}", e.text, e.containers);
        let mut l = Ledger::default();
        l.note(e.containers);
        let n = Document::parse(&e.text).unwrap();
        let hooks = n.get(&n.root, "hooks").unwrap();
        let count = n.get(hooks, "P").unwrap().items().len();
        assert_eq!(
            remove(&e.text, &[Step::Key("hooks"), Step::Key("P"), Step::Index(count - 1)], &l).unwrap(),
            t
        );
    }
}
