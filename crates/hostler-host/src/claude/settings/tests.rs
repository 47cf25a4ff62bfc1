#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

#[test]
fn an_empty_file_comes_back_after_registering_twice_and_unregistering() {
    let first = register("{}\n", &Ledger::default(), "/usr/local/bin/hostler").unwrap();
    let second = register(&first.text, &first.ledger, "/usr/local/bin/hostler").unwrap();
    assert_eq!(first.text, second.text);
    println!("{}", first.text);
    assert_eq!((first.added, second.added, second.replaced, second.removed), (10, 0, 0, 0));
    assert_eq!(unregister(&second.text, Some(&second.ledger)).unwrap().text, "{}\n");
}
