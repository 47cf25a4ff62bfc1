#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn owner(kind: Kind, path: &[&str]) -> Owner {
    Owner { kind, path: path.iter().map(|it| (*it).to_owned()).collect(), test: true }
}

#[track_caller]
fn check(report: &str, path: &str, names: &[&str], expected: Option<Outcome>) {
    let cases = read("r", report).unwrap();
    let kind = if names.is_empty() { Kind::File } else { Kind::Function };
    assert_eq!(Results::new(&cases).of(path, &owner(kind, names)), expected, "{path} {names:?} in {report}");
}

const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1">
<testcase classname="tests.test_cart.TestCart" name="test_add[1-a.b]" time="0.001" />
<testcase classname="tests.test_cart.TestCart" name="test_add[2]"><failure message="assert &lt;1&gt;">x &amp; y</failure></testcase>
<testcase classname="tests.test_cart" name="test_add" />
<testcase classname="tests.test_pay" name="test_skip"><skipped type="pytest.skip" message="no"/></testcase>
<testcase classname="tests.test_pay" name="test_late"><error message="teardown"/></testcase>
</testsuite></testsuites>"#;

#[test]
fn pytest() {
    check(PYTEST, "tests/test_cart.py", &["TestCart", "test_add"], Some(Outcome::Failed));
    check(PYTEST, "tests/test_cart.py", &["test_add"], Some(Outcome::Passed));
    check(PYTEST, "app/tests/test_cart.py", &["test_add"], Some(Outcome::Passed));
    check(PYTEST, "tests/test_pay.py", &["test_skip"], Some(Outcome::Skipped));
    check(PYTEST, "tests/test_pay.py", &["test_late"], Some(Outcome::Failed));
    check(PYTEST, "tests/test_pay.py", &["test_late", "inner", "deep"], Some(Outcome::Failed));
    let same = r#"<testsuite><testcase classname="tests.test_cart" name="test_cart"/></testsuite>"#;
    check(same, "tests/test_cart.py", &["test_cart"], Some(Outcome::Passed));
    // Another file's test of the same name, and one that was not run.
    check(PYTEST, "tests/test_other.py", &["test_add"], None);
    check(PYTEST, "tests/test_pay.py", &["test_gone"], None);
    // A tag on a file stands for all of its tests.
    check(PYTEST, "tests/test_cart.py", &[], Some(Outcome::Failed));
    let cases = read("r", PYTEST).unwrap();
    let results = Results::new(&cases);
    assert_eq!(results.of("tests/test_cart.py", &owner(Kind::Class, &["TestCart"])), Some(Outcome::Failed));
    assert_eq!(results.of("tests/test_cart.py", &owner(Kind::Class, &["TestOther"])), None);
}

#[test]
fn surefire_jest_gotestsum_and_nextest() {
    let surefire = r#"<testsuite name="com.shop.CartTest"><testcase name="adds(int)[1]" classname="com.shop.CartTest"/><testcase name="inner" classname="com.shop.CartTest$Deep"><failure/></testcase>
    <testcase name="flaky" classname="com.shop.CartTest"><flakyFailure/></testcase></testsuite>"#;
    let file = "src/test/java/com/shop/CartTest.java";
    check(surefire, file, &["CartTest", "adds"], Some(Outcome::Passed));
    check(surefire, file, &["CartTest", "Deep", "inner"], Some(Outcome::Failed));
    check(surefire, file, &["CartTest", "flaky"], Some(Outcome::Passed));
    check(surefire, "src/test/java/com/bank/CartTest.java", &["CartTest", "adds"], None);
    let jest = r#"<testsuites><testsuite name="cart"><testcase classname="cart adds up" name="cart adds up"/><testcase classname="cart fails" name="cart fails" file="web/cart.test.ts"><failure>x</failure></testcase></testsuite></testsuites>"#;
    check(jest, "web/cart.test.ts", &["cart", "adds up"], Some(Outcome::Passed));
    check(jest, "web/cart.test.ts", &["cart", "fails"], Some(Outcome::Failed));
    check(jest, "web/other.test.ts", &["cart", "fails"], None);
    let go = r#"<testsuites><testsuite name="example.com/shop/cart"><testcase classname="example.com/shop/cart" name="TestAdd"/><testcase classname="example.com/shop/cart" name="TestAdd/negative"><failure/></testcase></testsuite></testsuites>"#;
    check(go, "cart/add_test.go", &["TestAdd"], Some(Outcome::Failed));
    check(go, "pay/add_test.go", &["TestAdd"], None);
    let nextest = r#"<testsuites><testsuite name="shop"><testcase name="cart::tests::adds" classname="shop"/><testcase name="tests::adds" classname="shop"><failure/></testcase></testsuite>
    <testsuite name="shop::it"><testcase name="hook::adds" classname="shop::it"/></testsuite></testsuites>"#;
    check(nextest, "crates/shop/src/cart.rs", &["tests", "adds"], Some(Outcome::Passed));
    check(nextest, "crates/shop/src/cart/tests.rs", &["adds"], Some(Outcome::Passed));
    check(nextest, "crates/shop/src/lib.rs", &["tests", "adds"], Some(Outcome::Failed));
    check(nextest, "crates/shop/tests/it/hook.rs", &["adds"], Some(Outcome::Passed));
    let gtest = r#"<testsuites><testsuite name="Cart"><testcase name="Adds" status="run" classname="Cart"/><testcase name="Off" status="notrun" classname="Cart"/></testsuite></testsuites>"#;
    check(gtest, "test/cart.cpp", &["Cart", "Adds"], Some(Outcome::Passed));
    check(gtest, "test/cart.cpp", &["Cart", "Off"], Some(Outcome::Skipped));
}

#[test]
fn what_cargo_prints() {
    let printed = "     Running unittests src/lib.rs (target/debug/deps/shop_cart-0a1b)\n\nrunning 2 tests\ntest cart::tests::adds ... ok\ntest cart::tests::old ... ignored, slow\n\
                   test result: ok. 1 passed\n     Running tests/it/main.rs (target/debug/deps/it-12ab)\ntest hook::adds ... FAILED\ntest top ... ok\n";
    check(printed, "crates/shop-cart/src/cart.rs", &["tests", "adds"], Some(Outcome::Passed));
    check(printed, "crates/shop-cart/src/cart.rs", &["tests", "old"], Some(Outcome::Skipped));
    check(printed, "tests/it/hook.rs", &["adds"], Some(Outcome::Failed));
    check(printed, "tests/it/main.rs", &["top"], Some(Outcome::Passed));
    check(printed, "crates/shop-cart/src/other.rs", &["tests", "adds"], None);
}

#[test]
fn what_is_no_report_is_told() {
    for cut in [
        "<testsuite><testcase",
        "<testsuite><testcase name='a'/>",
        "<testsuites></testsuite>",
        "<testsuite a=>",
    ] {
        let result = read("r.xml", cut);
        assert!(matches!(result, Err(Error::Broken { .. })) || cut.contains("a=>"), "{cut}: {result:?}");
    }
    assert!(matches!(read("r.xml", "<project/>"), Err(Error::Nothing { .. })));
    assert!(matches!(read("r.txt", "hello"), Err(Error::Nothing { .. })));
    assert_eq!(read("r.xml", "<testsuites/>"), Ok(Vec::new()));
    let deep = "<testsuite>".repeat(300);
    assert!(read("r.xml", &deep).unwrap_err().to_string().contains("nested deeper"));
    // No entity is expanded but for those of XML itself.
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite name="&b;"><testcase name="t"/></testsuite>"#;
    assert_eq!(read("r.xml", bomb).unwrap()[0].suite, "&b;");
}
