#![expect(clippy::unwrap_used, reason = "tests")]

use super::State::{Failing, Passing, Tested, Traced, Untraced};
use super::*;
use crate::{Pattern, outcome, tag};

fn requirement(spec: &str, id: &str, text: &str, done: Option<bool>) -> Requirement {
    Requirement {
        id: id.to_owned(),
        spec: spec.to_owned(),
        text: text.to_owned(),
        done,
        source: "r.md".to_owned(),
        line: 7,
    }
}

fn source(path: &str, text: &str) -> Source {
    // The mark is spelled otherwise here, see the tests of tags.
    let tags = tag::read(path, &text.replace("@TAG", tag::MARK), &Pattern::new(&[]).unwrap());
    Source { path: path.to_owned(), test: tag::is_test_path(path), tags }
}

fn told_of(matrix: &Matrix) -> Vec<String> {
    matrix.findings.iter().map(|it| format!("{} {} {}:{}", it.rule.id(), it.id, it.path, it.line)).collect()
}

fn some() -> (Vec<Requirement>, Vec<Source>) {
    let requirements = vec![
        requirement("a", "FR-1", "one", Some(true)),
        requirement("a", "FR-2", "two", Some(true)),
        requirement("a", "FR-3", "three", Some(false)),
        requirement("b", "FR-4", "four", None),
        requirement("b", "FR-5", "five", None),
    ];
    let sources = vec![
        source("src/a.rs", "// @TAG FR-2 FR-3\nfn f() {}\n"),
        source(
            "tests/t.py",
            "# @TAG FR-3\ndef test_a(): pass\n# @TAG FR-4, FR-5\ndef test_b(): pass\n# @TAG FR-5 FR-6 fr-1\ndef test_c(): pass\n",
        ),
    ];
    (requirements, sources)
}

#[test]
fn states_follow_from_tags_and_results() {
    let (requirements, sources) = some();
    let states = |cases: &[Case]| {
        let matrix = Matrix::of(requirements.clone(), &sources, cases, &Lock::default());
        matrix.rows.iter().map(|it| it.state).collect::<Vec<_>>()
    };
    assert_eq!(states(&[]), [Untraced, Traced, Tested, Tested, Tested]);
    let report = "<testsuite><testcase classname='tests.t' name='test_a'/><testcase classname='tests.t' name='test_b'><skipped/></testcase><testcase classname='tests.t' name='test_c'><failure/></testcase></testsuite>";
    let cases = outcome::read("r", report).unwrap();
    assert_eq!(states(&cases), [Untraced, Traced, Passing, Tested, Failing]);
    let matrix = Matrix::of(requirements.clone(), &sources, &cases, &Lock::default());
    assert_eq!(
        told_of(&matrix),
        ["unknown-id FR-6 tests/t.py:5", "traced-failing FR-5 tests/t.py:5", "done-untraced FR-1 r.md:7",]
    );
    assert_eq!(
        matrix.headline(),
        "4 of 5 requirements traced (80.0 %), 3 tested, 1 passing, 1 failing, 1 unknown id, 1 done but untraced"
    );
    let all =
        Coverage { requirements: 5, done: 2, in_source: 2, traced: 4, tested: 3, passing: 1, failing: 1 };
    assert_eq!(matrix.totals, all);
    assert_eq!(
        matrix.specs.iter().map(|it| (it.0.as_str(), it.1.requirements, it.1.traced)).collect::<Vec<_>>(),
        [("a", 3, 2), ("b", 2, 2)]
    );
    let files: Vec<_> =
        matrix.files.iter().map(|it| (it.path.as_str(), it.symbols, it.requirements, it.in_tests)).collect();
    assert_eq!(files, [("src/a.rs", 1, 2, 0), ("tests/t.py", 3, 3, 3)]);
}

#[test]
fn a_changed_text_makes_links_suspect_until_they_are_reviewed() {
    let (mut requirements, sources) = some();
    let matrix = Matrix::of(requirements.clone(), &sources, &[], &Lock::default());
    assert!(matrix.rows.iter().all(|it| it.review == Review::Never));
    let all: BTreeSet<&str> = matrix.rows.iter().map(|it| it.key.as_str()).collect();
    let lock = matrix.reviewed(&Lock::default(), &all);
    // What nothing cites has nothing to review.
    assert_eq!(lock.entries.keys().collect::<Vec<_>>(), ["a/FR-2", "a/FR-3", "b/FR-4", "b/FR-5"]);
    let again = Matrix::of(requirements.clone(), &sources, &[], &lock);
    assert_eq!(again.rows[1].review, Review::Current);
    requirements[1].text = "two, and more".to_owned();
    requirements[2].text = "  three ".to_owned();
    let changed = Matrix::of(requirements.clone(), &sources, &[], &lock);
    let reviews: Vec<Review> = changed.rows.iter().map(|it| it.review).collect();
    assert_eq!(reviews, [Review::Never, Review::Suspect, Review::Current, Review::Current, Review::Current]);
    assert!(told_of(&changed).contains(&"suspect-link FR-2 r.md:7".to_owned()));
    let lock = changed.reviewed(&lock, &BTreeSet::from(["FR-2"]));
    assert_eq!(Matrix::of(requirements.clone(), &sources, &[], &lock).rows[1].review, Review::Current);
    // A test that is removed is missed, one that is added is new.
    let fewer = vec![sources[0].clone(), source("tests/t.py", "# @TAG FR-3, FR-2\ndef test_a(): pass\n")];
    let lost = Matrix::of(requirements, &fewer, &[], &lock);
    assert_eq!(told_of(&lost).iter().filter(|it| it.starts_with("lost-link")).count(), 3);
    assert_eq!(lost.rows[1].review, Review::Grown);
    let message =
        &lost.findings.iter().find(|it| it.rule == Rule::LostLink && it.id == "FR-4").unwrap().message;
    assert_eq!(message, "`FR-4` was cited by `tests/t.py#test_b` when it was reviewed and no longer is");
}

#[test]
fn ids_that_several_specifications_have_need_theirs() {
    let requirements = vec![
        requirement("001-photos", "FR-1", "a", None),
        requirement("002-albums", "FR-1", "b", None),
        requirement("002-albums", "FR-1", "again", None),
        requirement("021", "021-FR-9", "c", None),
    ];
    let sources = [
        source(
            "a.py",
            "@TAG(spec='001', reqs=['FR-1'])\ndef f(): pass\n@TAG(spec='021', reqs=['FR-9'])\ndef g(): pass\n",
        ),
        source(
            "b.rs",
            "// @TAG 002-albums/FR-1\nfn f() {}\n// @TAG FR-1\nfn g() {}\n// @TAG fr/FR-1\nfn h() {}\n// @TAG 021-FR-09\nfn i() {}\n",
        ),
    ];
    let matrix = Matrix::of(requirements, &sources, &[], &Lock::default());
    let rows: Vec<_> = matrix
        .rows
        .iter()
        .map(|it| (it.key.as_str(), it.links.iter().map(Link::place).collect::<Vec<_>>()))
        .collect();
    assert_eq!(
        rows,
        [
            ("001-photos/FR-1", vec!["a.py#f".to_owned()]),
            ("002-albums/FR-1", vec!["b.rs#f".to_owned()]),
            ("021-FR-9", vec!["a.py#g".to_owned()]),
        ]
    );
    assert_eq!(
        told_of(&matrix),
        [
            "unknown-id 021-FR-09 b.rs:7",
            "unknown-id fr/FR-1 b.rs:5",
            "ambiguous-id FR-1 b.rs:3",
            "duplicate-id FR-1 r.md:7",
        ]
    );
    assert!(matrix.findings[0].message.ends_with("; `021-FR-9` is"), "{}", matrix.findings[0].message);
    assert_eq!(matrix.find("FR-1").len(), 2);
    assert_eq!(matrix.find("002-albums/FR-1").len(), 1);
    assert_eq!(matrix.alike("21-fr-9"), ["021-FR-9"]);
}

#[test]
fn a_specification_that_is_named_is_the_one_that_is_meant() {
    let many =
        [("010-cart", "FR-1"), ("010-checkout", "FR-1"), ("021-photos", "FR-1"), ("REQ-020", "REQ-020-1")];
    let one = [("010-cart", "FR-1")];
    let plain = [("requirements", "FR-1"), ("US", "US-1")];
    #[rustfmt::skip]
    let rows: &[(&[_], &str, &str)] = &[
        (&many, "010-cart/FR-1", "010-cart/FR-1"),
        (&many, "010-checkout/FR-1", "010-checkout/FR-1"),
        (&many, "specs/010-cart/FR-1", "010-cart/FR-1"),
        (&many, "cart/FR-1", "010-cart/FR-1"),
        (&many, "021/FR-1", "021-photos/FR-1"),
        (&many, "21/FR-1", "021-photos/FR-1"),
        (&many, "020/REQ-020-1", "REQ-020-1"),
        (&many, "020-sessions/REQ-020-1", "REQ-020-1"),
        (&many, "010/FR-1", "ambiguous-id: `010/FR-1` may be any of `010-cart/FR-1`, `010-checkout/FR-1`; write one of these"),
        (&many, "010-pay/FR-1", "unknown-id: `010-pay/FR-1` is no known requirement; `010-cart/FR-1` is"),
        (&many, "030/REQ-020-1", "unknown-id: `030/REQ-020-1` is no known requirement; `REQ-020-1` is"),
        // There is but one, and it is another one.
        (&one, "FR-1", "FR-1"),
        (&plain, "020-cart/FR-1", "FR-1"),
        (&plain, "020/US-1", "US-1"),
        (&one, "010/FR-1", "FR-1"),
        (&one, "999-gone/FR-1", "unknown-id: `999-gone/FR-1` is no known requirement; `FR-1` is"),
    ];
    for (requirements, cited, expected) in rows {
        let (spec, id) = cited.rsplit_once('/').unwrap_or(("", cited));
        let decorator = format!("@TAG(spec='{spec}', reqs=['{id}'])\ndef f(): pass\n");
        for source in [source("a.rs", &format!("// @TAG {cited}\nfn f() {{}}\n")), source("a.py", &decorator)]
        {
            if spec.is_empty() && source.path == "a.py" {
                continue;
            }
            let requirements = requirements.iter().map(|it| requirement(it.0, it.1, "t", None)).collect();
            let matrix = Matrix::of(requirements, std::slice::from_ref(&source), &[], &Lock::default());
            let told: Vec<String> =
                matrix.findings.iter().map(|it| format!("{}: {}", it.rule.id(), it.message)).collect();
            let linked = matrix.rows.iter().filter(|it| !it.links.is_empty()).map(|it| it.key.clone());
            let got: Vec<String> = linked.chain(told).collect();
            // A decorator names the two in two places.
            let expected = if source.path == "a.py" {
                expected.replace(&format!("ambiguous-id: `{cited}`"), &format!("ambiguous-id: `{id}`"))
            } else {
                (*expected).to_owned()
            };
            assert_eq!(got, [expected], "{cited} in {}", source.path);
        }
    }
}

#[test]
fn reviews_stay_with_their_requirement_and_are_missed_with_it() {
    let sources = [source("a.rs", "// @TAG a/FR-1\nfn f() {}\n// @TAG FR-2\nfn g() {}\n")];
    let both = || vec![requirement("a", "FR-1", "one", None), requirement("a", "FR-2", "two", None)];
    let first = Matrix::of(both(), &sources, &[], &Lock::default());
    let all: BTreeSet<&str> = first.rows.iter().map(|it| it.key.as_str()).collect();
    let lock = first.reviewed(&Lock::default(), &all);
    let mut old = Lock::default();
    for (key, value) in &lock.entries {
        old.entries.insert(key.trim_start_matches("a/").to_owned(), value.clone());
    }
    for lock in [&lock, &old] {
        let matrix = Matrix::of(both(), &sources, &[], lock);
        assert!(matrix.rows.iter().all(|it| it.review == Review::Current) && matrix.findings.is_empty());
        // Another specification comes to have the id, before and after it, and the text changes.
        for at in [0, 2] {
            let mut more = both();
            more[0].text = "one, changed".to_owned();
            more.insert(at, requirement("b", "FR-1", "other", None));
            let matrix = Matrix::of(more, &sources, &[], lock);
            assert_eq!(told_of(&matrix), ["suspect-link a/FR-1 r.md:7"]);
            let again = matrix.reviewed(lock, &BTreeSet::from(["a/FR-1"]));
            assert!(again.entries.contains_key("a/FR-1") && !again.entries.contains_key("FR-1"), "{again:?}");
        }
        // It goes, and its tag with it.
        let fewer = vec![requirement("a", "FR-1", "one", None)];
        let sources = [source("a.rs", "// @TAG a/FR-1\nfn f() {}\n")];
        let matrix = Matrix::of(fewer.clone(), &sources, &[], lock);
        let key = lock.entries.keys().find(|it| it.ends_with("FR-2")).unwrap();
        assert_eq!(told_of(&matrix), [format!("lost-requirement {key} trace.lock:0")]);
        // Nobody knows where not all sources were read.
        let files = outcome::Files::default();
        let part = Input { sources: &sources, cases: &[], files: &files, lock, whole: false };
        assert!(Matrix::joined(fewer, &part).findings.is_empty());
    }
}

#[test]
fn results_that_belong_to_nothing_are_told() {
    let (requirements, sources) = some();
    let report = "<testsuite><testcase classname='x.y' name='test_z'/></testsuite>";
    let cases = outcome::read("r", report).unwrap();
    let matrix = Matrix::of(requirements, &sources, &cases, &Lock::default());
    assert_eq!(matrix.notes, ["none of the 1 results belongs to a test that cites a requirement"]);
}

#[test]
fn shares_are_never_rounded_up() {
    let coverage = Coverage { requirements: 3, ..Coverage::default() };
    assert_eq!((coverage.percent(2), coverage.percent(3)), ("66.6 %".to_owned(), "100.0 %".to_owned()));
    assert_eq!(Coverage::default().percent(0), "100.0 %");
}
