#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::Source;
use crate::tag::{Form, Kind, Owner, Tag};

fn owner(kind: Kind, path: &[&str]) -> Owner {
    Owner { kind, path: path.iter().map(|it| (*it).to_owned()).collect(), test: true }
}

fn source(path: &str, owner: Owner) -> Source {
    let tag = Tag {
        line: 1,
        ids: Vec::new(),
        spec: None,
        story: None,
        form: Form::Comment,
        owner,
        problems: Vec::new(),
    };
    Source { path: path.to_owned(), test: true, tags: vec![tag] }
}

/// What each of several tagged places came to, and what was told.
fn judged(report: &str, files: &Files, places: &[(&str, Owner)]) -> (Vec<Option<Outcome>>, Vec<String>) {
    let cases = read("r", report).unwrap();
    let sources: Vec<Source> = places.iter().map(|(path, owner)| source(path, owner.clone())).collect();
    let judged = Results::new(&cases, files, &sources).judge(&sources);
    (judged.outcomes.into_iter().flatten().collect(), judged.notes)
}

#[track_caller]
fn check(report: &str, path: &str, names: &[&str], expected: Option<Outcome>) {
    let kind = if names.is_empty() { Kind::File } else { Kind::Function };
    let (outcomes, _) = judged(report, &Files::default(), &[(path, owner(kind, names))]);
    assert_eq!(outcomes, [expected], "{path} {names:?} in {report}");
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
    for (class, expected) in [("TestCart", Some(Outcome::Failed)), ("TestOther", None)] {
        let places = [("tests/test_cart.py", owner(Kind::Class, &[class]))];
        assert_eq!(judged(PYTEST, &Files::default(), &places).0, [expected], "{class}");
    }
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

fn files(paths: &[&str], packages: &[(&str, &[&str])]) -> Files {
    let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    Files {
        paths: paths.iter().map(|it| (*it).to_owned()).collect(),
        packages: packages.iter().map(|it| (it.0.to_owned(), names(it.1))).collect(),
    }
}

const PASSED: Option<Outcome> = Some(Outcome::Passed);

#[test]
fn a_crate_is_told_apart_from_others_with_modules_of_the_same_names() {
    let alpha = r#"<testsuites><testsuite name="alpha"><testcase name="tests::ok" classname="alpha"/></testsuite></testsuites>"#;
    let printed =
        "     Running unittests src/lib.rs (target/debug/deps/alpha-0123)\n\ntest tests::ok ... ok\n";
    let ok = || owner(Kind::Function, &["tests", "ok"]);
    let both = [("crates/alpha/src/lib.rs", ok()), ("crates/beta/src/lib.rs", ok())];
    let known = files(&[], &[("crates/alpha", &["alpha"]), ("crates/beta", &["beta"])]);
    for report in [alpha, printed] {
        for files in [&known, &Files::default()] {
            assert_eq!(judged(report, files, &both).0, [PASSED, None], "{report}");
            assert_eq!(judged(report, files, &both[1..]).0, [None], "{report}");
        }
    }
    // Folders are called otherwise than what is in them.
    let renamed = files(&[], &[("crates/beta", &["the-alpha", "alpha"]), ("crates/alpha", &["other"])]);
    assert_eq!(judged(alpha, &renamed, &both).0, [None, PASSED]);
    // A program beside its library, and programs of tests with one name in two packages.
    let roots = [("src/lib.rs", ok()), ("src/main.rs", ok())];
    assert_eq!(judged(alpha, &files(&[], &[("", &["alpha"])]), &roots).0, [PASSED, None]);
    let main = printed.replace("lib.rs", "main.rs");
    assert_eq!(judged(&main, &files(&[], &[("", &["alpha"])]), &roots).0, [None, PASSED]);
    let it = "Running tests/it/main.rs (target/debug/deps/it-0123)\ntest hook::adds ... ok\n";
    let adds = || owner(Kind::Function, &["adds"]);
    let two = [("crates/alpha/tests/it/hook.rs", adds()), ("crates/beta/tests/it/hook.rs", adds())];
    let (outcomes, notes) = judged(it, &known, &two);
    assert_eq!(outcomes, [None, None]);
    assert_eq!(
        notes,
        [
            "the result of `hook::adds` counts for nothing: it may be of `crates/alpha/tests/it/hook.rs` or `crates/beta/tests/it/hook.rs`"
        ]
    );
    assert_eq!(judged(it, &known, &two[..1]).0, [PASSED]);
    // Nobody tagged the other one, and it is there.
    assert_eq!(judged(it, &files(&["crates/beta/tests/it/hook.rs"], &[]), &two[..1]).0, [None]);
    let nextest =
        r#"<testsuite name="beta::it"><testcase name="hook::adds" classname="beta::it"/></testsuite>"#;
    assert_eq!(judged(nextest, &known, &two).0, [None, PASSED]);
    // What a macro makes of one function is all its own; what is missing in a module is not the module.
    let made = "Running unittests src/lib.rs (target/debug/deps/alpha-0)\ntest tests::ok::case_1 ... ok\ntest tests::ok::case_2 ... FAILED\n";
    assert_eq!(judged(made, &known, &both).0, [Some(Outcome::Failed), None]);
    let gone = [("crates/alpha/src/lib.rs", owner(Kind::Function, &["tests", "gone"]))];
    assert_eq!(judged(made, &known, &gone).0, [None]);
    let doc = "Doc-tests alpha\ntest src/lib.rs - ok (line 3) ... ok\n";
    assert!(read("r", doc).is_err());
}

#[test]
fn a_name_that_several_files_have_counts_for_none() {
    let class = |name: &str| owner(Kind::Class, &[name]);
    let file = || owner(Kind::File, &[]);
    let module = || owner(Kind::Module, &["tests"]);
    let test = |name: &str| owner(Kind::Function, &[name]);
    let junit = |class: &str, name: &str| {
        format!("<testsuite name='{class}'><testcase classname='{class}' name='{name}'/></testsuite>")
    };
    let python = |class: &str, name: &str| {
        format!("<testsuite name='pytest'><testcase classname='{class}' name='{name}'/></testsuite>")
    };
    #[rustfmt::skip]
    let rows = [
        (junit("com.a.CartTest", "ok()"),
         [("src/test/java/com/a/CartTest.java", class("CartTest")), ("src/test/java/com/b/CartTest.java", class("CartTest"))], [PASSED, None]),
        // Two modules of a build with the same package.
        (junit("com.a.CartTest", "ok()"),
         [("one/src/test/java/com/a/CartTest.java", class("CartTest")), ("two/src/test/java/com/a/CartTest.java", class("CartTest"))], [None, None]),
        (python("a.tests.test_cart.TestCart", "test_add"),
         [("a/tests/test_cart.py", class("TestCart")), ("b/tests/test_cart.py", class("TestCart"))], [PASSED, None]),
        (python("a.tests.test_cart.TestCart", "test_add"),
         [("a/tests/test_cart.py", file()), ("b/tests/test_cart.py", file())], [PASSED, None]),
        ("<testsuite name='k'><testcase name='a::tests::ta' classname='k'/></testsuite>".to_owned(),
         [("src/a.rs", module()), ("src/b.rs", module())], [PASSED, None]),
        // Run in a folder below.
        (python("tests.test_m", "test_x"),
         [("a/tests/test_m.py", test("test_x")), ("b/tests/test_m.py", test("test_x"))], [None, None]),
        (python("tests.test_m", "test_x"),
         [("tests/test_m.py", test("test_x")), ("b/tests/test_m.py", test("test_x"))], [PASSED, None]),
        ("<testsuite><testcase name='test_x' file='tests/test_m.py'/></testsuite>".to_owned(),
         [("a/tests/test_m.py", test("test_x")), ("b/tests/test_m.py", test("test_x"))], [None, None]),
        ("<testsuite><testcase name='test_x' file='/home/p/b/tests/test_m.py'/></testsuite>".to_owned(),
         [("tests/test_m.py", test("test_x")), ("b/tests/test_m.py", test("test_x"))], [None, PASSED]),
        // Nothing but names.
        ("<testsuite name='cart'><testcase classname='cart adds' name='cart adds'/></testsuite>".to_owned(),
         [("a/cart.test.ts", owner(Kind::Function, &["cart", "adds"])), ("b/cart.test.ts", owner(Kind::Function, &["cart", "adds"]))], [None, None]),
    ];
    for (report, places, expected) in rows {
        let (outcomes, notes) = judged(&report, &Files::default(), &places);
        assert_eq!(outcomes, expected, "{report}");
        assert_eq!(notes.len(), usize::from(expected == [None, None]), "{report}: {notes:?}");
    }
    // A file without a tag may be the one, too.
    let here = [("a/tests/test_m.py", test("test_x"))];
    let report = python("tests.test_m", "test_x");
    assert_eq!(judged(&report, &files(&["b/tests/test_m.py"], &[]), &here).0, [None]);
    assert_eq!(judged(&report, &files(&["b/tests/test_m.md"], &[]), &here).0, [PASSED]);
}

#[test]
fn tests_that_are_called_by_sentences_are_taken_at_their_word() {
    let vitest = r#"<testsuites><testsuite name="src/cart.test.ts"><testcase classname="src/cart.test.ts" name="cart &gt; sums"><skipped/></testcase>
    <testcase classname="src/cart.test.ts" name="cart &gt; handles sums"/></testsuite></testsuites>"#;
    let path = "src/cart.test.ts";
    check(vitest, path, &["cart", "handles sums"], PASSED);
    check(vitest, path, &["cart", "sums"], Some(Outcome::Skipped));
    check(vitest, path, &["cart", "other sums"], None);
    check(vitest, path, &[], PASSED);
    check(vitest, "src/pay.test.ts", &["cart", "handles sums"], None);
    let jest = r#"<testsuites><testsuite name="cart"><testcase classname="cart" name="sums" file="src/cart.test.ts"/><testcase classname="cart deep" name="sums" file="src/cart.test.ts"><failure/></testcase></testsuite></testsuites>"#;
    check(jest, path, &["cart", "sums"], PASSED);
    check(jest, path, &["cart", "deep", "sums"], Some(Outcome::Failed));
    check(jest, path, &["sums"], None);
    let describe = [(path, owner(Kind::Class, &["cart"]))];
    assert_eq!(judged(jest, &Files::default(), &describe).0, [Some(Outcome::Failed)]);
    // What a runner fills in.
    let each = r#"<testsuites><testsuite name="src/cart.test.ts"><testcase classname="src/cart.test.ts" name="cart &gt; handles 1"/><testcase classname="src/cart.test.ts" name="cart &gt; handles 2"><failure/></testcase>
    <testcase classname="src/cart.test.ts" name="adds 1 to 2"/><testcase classname="src/cart.test.ts" name="adds 3 to 4"/><testcase classname="src/cart.test.ts" name="adds nothing to it"><skipped/></testcase><testcase classname="src/cart.test.ts" name="100 % of a"/></testsuite></testsuites>"#;
    check(each, path, &["cart", "handles %i"], Some(Outcome::Failed));
    check(each, path, &["adds $a.b to %s"], Some(Outcome::Skipped));
    check(&each.replace("<skipped/>", ""), path, &["adds ${a} to ${b}"], PASSED);
    check(each, path, &["100 % of $x"], PASSED);
    check(each, path, &["handles %i"], None);
    check(each, path, &["adds 1 to 2%s"], None);
    // The file is told once for all of them.
    let mocha = r#"<testsuites><testsuite name="cart" file="/home/p/src/cart.test.ts"><testcase classname="sums" name="cart sums"/></testsuite></testsuites>"#;
    check(mocha, path, &["cart", "sums"], PASSED);
    check(mocha, "src/pay.test.ts", &["cart", "sums"], None);
    // A name of a test of Rust in the words of another runner.
    let other = r#"<testsuite name="x"><testcase classname="it works" name="works"/></testsuite>"#;
    check(other, "tests/it.rs", &["works"], None);
    // A function of the same name at the top of the file was not run.
    let method = r#"<testsuite><testcase classname="tests.test_m.TestCart" name="test_add" file="tests/test_m.py"/></testsuite>"#;
    check(method, "tests/test_m.py", &["TestCart", "test_add"], PASSED);
    check(method, "tests/test_m.py", &["test_add"], None);
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
