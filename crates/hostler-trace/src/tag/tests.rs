#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// A text with tags. They are spelled otherwise here, so that nobody who merely searches for the mark takes the examples
/// for tags of ours.
fn tagged(text: &str) -> String {
    text.replace("@TAG", MARK)
}

/// `line kind name[!] ids` of each; `!` is a test.
#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    let text = &tagged(text);
    let tags = read(path, text, &Pattern::new(&[]).unwrap());
    let show = |it: &Tag| {
        let test = if it.owner.test { "!" } else { "" };
        let owner = format!("{} {}{test}", it.owner.kind.name(), it.owner.path.join("."));
        let problems =
            if it.problems.is_empty() { String::new() } else { format!(" ? {}", it.problems.join("; ")) };
        format!("{} {} {}{problems}", it.line, owner.trim_end(), it.ids.join(" ")).trim_end().to_owned()
    };
    assert_eq!(tags.iter().map(show).collect::<Vec<_>>(), expected, "{path}:\n{text}");
}

#[test]
fn rust_by_its_braces() {
    check(
        "src/a.rs",
        "//! @TAG FR-1\n\n/// Doc.\n/// @TAG FR-2, FR-3\n#[must_use]\npub fn f<'a>(x: &'a str) -> char {\n    '{'\n}\n\nimpl<T> fmt::Display for Thing<T> where T: X {\n    // @TAG FR-4\n    fn fmt(&self) { let x = \"@TAG FR-5\"; /* @TAG FR-6 */ }\n    fn b() {} // @TAG FR-7\n}\n// @TAG FR-8\nconst A: [u8; 2] = [1, 2];\nstatic S: &str = r#\"// @TAG FR-9 \" {\"#; // @TAG FR-10\n",
        &[
            "1 file FR-1",
            "4 function f FR-2 FR-3",
            "11 function Thing.fmt FR-4",
            "12 function Thing.fmt FR-6",
            "13 function Thing.b FR-7",
            "15 item A FR-8",
            "17 item S FR-10",
        ],
    );
    check(
        "src/a.rs",
        "fn p() {}\n#[cfg(test)]\nmod tests {\n    // @TAG FR-1..3\n    #[test]\n    fn t() {\n        // @TAG FR-4\n        let x = 1;\n    }\n    /* a /* nested */ @TAG FR-5 */\n    fn helper() {}\n}\n// @TAG FR-6\nfn q() {}\n",
        &[
            "4 function tests.t! FR-1 FR-2 FR-3",
            "7 function tests.t! FR-4",
            "10 function tests.helper! FR-5",
            "13 function q FR-6",
        ],
    );
    check(
        "src/a.rs",
        "proptest! {\n    // @TAG FR-1\n    #[test]\n    fn any(x in 0..3) {}\n}\n",
        &["2 function any! FR-1"],
    );
}

#[test]
fn lists_go_on_over_lines_after_a_comma() {
    check(
        "a.rs",
        "// @TAG FR-1,\n//   FR-2,\n//   FR-3\n// FR-4\nfn f() {}\n",
        &["1 function f FR-1 FR-2 FR-3"],
    );
    check(
        "a.c",
        "/*\n * @TAG FR-1, FR-2,\n *         FR-3\n */\nint f(void) { return 0; }\n",
        &["2 function f FR-1 FR-2 FR-3"],
    );
    check(
        "a.ts",
        "// @TAG(spec=\"020\", story='US-1',\n//   reqs=[\"FR-1\", \"FR-2\"])\nexport function f() {}\n",
        &["1 function f FR-1 FR-2"],
    );
}

#[test]
fn words_and_quotations_are_no_tags() {
    check(
        "a.rs",
        "// see `@TAG FR-1`\n// x@TAG FR-1\n// \"@TAG FR-2\"\n// @TAGFR-3\n// tags are @TAG lines\nfn f() {}\n",
        &[],
    );
    check(
        "a.rs",
        "// @TAG nothing\nfn f() {}\n// @TAG FR-2..1\n",
        &[
            "1 function f  ? it cites nothing that looks like an id",
            "3 file  ? the range `FR-2..1` runs backwards",
        ],
    );
    check("a.json", "{\"a\": \"// @TAG FR-1\"}", &[]);
    check("a.txt", "# @TAG FR-1", &[]);
}

#[test]
fn scripts() {
    check(
        "src/a.test.ts",
        "describe('cart', () => {\n  // @TAG FR-1\n  it(\"adds\", async () => {\n    const x = '// @TAG FR-2'\n    expect(a / b).toBe(/['\"]/) // @TAG FR-3\n  })\n})\nclass A {\n  /** @TAG FR-4 */\n  async run(x: number): Promise<void> {\n    if (x) { /* @TAG FR-5 */ }\n  }\n}\n// @TAG FR-6\nexport const f = async (a: B) => {\n}\n// @TAG FR-7\nconst K = `x ${'{'} @TAG`\n",
        &[
            "2 function cart.adds! FR-1",
            "5 function cart.adds! FR-3",
            "9 function A.run FR-4",
            "11 function A.run FR-5",
            "14 function f FR-6",
            "17 item K FR-7",
        ],
    );
}

#[test]
fn go_java_c_and_kin() {
    check(
        "a_test.go",
        "package a\n\n// @TAG FR-1\nfunc TestX(t *testing.T) {\n\ts := `// @TAG FR-2`\n}\n\n// @TAG FR-3\nfunc (c *Cart) Add(x int) error {\n\treturn nil // @TAG FR-4\n}\n// @TAG FR-5\ntype T struct {\n}\n",
        &[
            "3 function TestX! FR-1",
            "8 function Cart.Add FR-3",
            "10 function Cart.Add FR-4",
            "12 class T FR-5",
        ],
    );
    check(
        "src/test/java/ATest.java",
        "package x;\n\n/** @TAG FR-1 */\npublic class ATest extends B {\n    // @TAG FR-2\n    @Test\n    @DisplayName(\"x {\")\n    void adds() throws Exception {\n        if (a(b)) { /* @TAG FR-3 */ }\n    }\n}\n",
        &["3 class ATest FR-1", "5 function ATest.adds! FR-2", "9 function ATest.adds! FR-3"],
    );
    check(
        "a.cpp",
        "// @TAG FR-1\nTEST_F(Cart, Adds) {\n}\nnamespace n {\n// @TAG FR-2\nint Cart::add(int x) const {\n  auto s = R\"(// @TAG FR-3)\";\n}\n}\n",
        &["1 function Cart.Adds! FR-1", "5 function n.Cart.add FR-2"],
    );
    check(
        "A.cs",
        "namespace N {\n  class A {\n    // @TAG FR-1\n    [Fact]\n    public async Task Adds() { }\n  }\n}\n",
        &["3 function N.A.Adds! FR-1"],
    );
    check(
        "a.kt",
        "class A {\n  // @TAG FR-1\n  @Test\n  fun `adds up`() {\n  }\n  // @TAG FR-2\n  fun b() = 1\n}\n",
        &["2 function A.adds up! FR-1", "6 function A.b FR-2"],
    );
    check(
        "a.php",
        "<?php\n# @TAG FR-1\nfunction f($x) {\n}\nclass C { // @TAG FR-2\n}\n",
        &["2 function f FR-1", "5 class C FR-2"],
    );
    check("a.proto", "// @TAG FR-1\nmessage M {\n}\n", &["1 class M FR-1"]);
}

#[test]
fn shells_and_languages_told_by_lines() {
    check(
        "run",
        "#!/usr/bin/env bash\n# @TAG FR-1\nstep() { # NAME\n  echo \"# @TAG FR-2 ${x#y}\"\n  cat <<'EOF'\ndon't # @TAG FR-3\nEOF\n  # @TAG FR-4\n  true\n}\n# @TAG FR-5\necho $#\n",
        &["2 function step FR-1", "8 function step FR-4", "11 file FR-5"],
    );
    check(
        "a.rb",
        "class Cart\n  # @TAG FR-1\n  def add(x)\n    x # @TAG FR-2\n  end\nend\ndescribe Cart do\n  # @TAG FR-3\n  it \"adds\" do\n  end\nend\n",
        &["2 function Cart.add FR-1", "4 function Cart.add FR-2", "8 function Cart.adds! FR-3"],
    );
    check(
        "a.sql",
        "-- @TAG FR-1\nCREATE TABLE IF NOT EXISTS cart (\n  x text DEFAULT '-- @TAG FR-2'\n);\n/* @TAG FR-3 */\ncreate or replace view v as select 1;\n",
        &["1 item cart FR-1", "5 item v FR-3"],
    );
    check(
        "a.yml",
        "jobs:\n  # @TAG FR-1\n  build:\n    run: \"x # @TAG FR-2\"\n    a: b # @TAG FR-3\n",
        &["2 item jobs.build FR-1", "5 item jobs.build.a FR-3"],
    );
    check("a.toml", "# @TAG FR-1\n[tool]\nx = 1\n", &["1 item tool FR-1"]);
    check("Makefile", "# @TAG FR-1\nall: x\n", &["1 item all FR-1"]);
    check("a.lua", "--[[ @TAG FR-1 ]]\nlocal function f(x)\nend\n", &["1 function f FR-1"]);
    check("a.clj", ";; @TAG FR-1\n(defn add [x])\n", &["1 function add FR-1"]);
    check("a.tex", "% @TAG FR-1\n", &["1 file FR-1"]);
    check("a.html", "<p>@TAG FR-1</p>\n<!-- @TAG FR-2 -->", &["2 file FR-2"]);
    check(
        "a.odd",
        "// @TAG FR-1\n# @TAG FR-2\n-- @TAG FR-3\n; @TAG FR-4\n% @TAG FR-5\n",
        &["1 file FR-1", "2 file FR-2", "3 file FR-3", "4 file FR-4", "5 file FR-5"],
    );
}

#[test]
fn markdown_by_sections() {
    check(
        "docs/a.md",
        "<!-- @TAG FR-1 -->\n# A\n\n## B\ntext <!-- @TAG FR-2,\nFR-3 --> more\n\n```md\n<!-- @TAG FR-4 -->\n```\n# C #\n`@TAG FR-5`\n<!-- @TAG FR-6 -->\n",
        &["1 file FR-1", "5 section A.B FR-2 FR-3", "13 section C FR-6"],
    );
}

#[test]
fn python_by_its_tree() {
    let text = r##"
"""Module.

@TAG FR-1
"""
from rtm import traces as t, other
import rtm
REQS = ["FR-2", *MORE]
MORE = ("FR-3",)
class Names:
    A = "FR-" "4"

@t(spec="020", story="US-001", reqs=REQS)
class Cart:
    @rtm.traces(
        reqs=[
            "FR-5",  # a comment
            Names.A,
        ],
        story=None, spec='021',
    )
    @property
    async def add(self):
        # @TAG FR-6
        x = "# @TAG FR-7"
        f"""@TAG FR-8"""

        def inner():
            """@TAG FR-9"""

    # @TAG(reqs=["FR-10"])
    # @TAG FR-11
    @staticmethod
    def b(): ...

@TAG("020", "US-2", ["FR-12..14"] + [unknown()])
@TAG
def c(): pass

@other(reqs=["FR-15"])
def test_d():
    pass  # @TAG FR-16
"##;
    check(
        "a.py",
        text,
        &[
            "4 file FR-1",
            "13 class Cart FR-2 FR-3",
            "15 function Cart.add FR-5 FR-4",
            "24 function Cart.add FR-6",
            "26 function Cart.add FR-8",
            "29 function Cart.add.inner FR-9",
            "32 function Cart.b FR-11",
            "36 function c FR-12 FR-13 FR-14 ? `unknown()` is cited, which only running the code would tell",
            "37 function c  ? it cites no requirement",
            "42 function test_d! FR-16",
        ],
    );
}

#[test]
fn a_decorator_says_which_specification_and_story() {
    let tags = read(
        "a.py",
        &tagged("@TAG(reqs=['FR-1'], spec='020', story='US-3')\ndef f(): pass\n"),
        &Pattern::new(&[]).unwrap(),
    );
    assert_eq!(
        (tags[0].spec.as_deref(), tags[0].story.as_deref(), tags[0].form),
        (Some("020"), Some("US-3"), Form::Decorator)
    );
    let tags = read(
        "a.ts",
        &tagged("// @TAG({spec: '020', story: 'US-3', reqs: ['FR-1']})\n"),
        &Pattern::new(&[]).unwrap(),
    );
    assert_eq!(
        (tags[0].spec.as_deref(), tags[0].story.as_deref(), tags[0].form),
        (Some("020"), Some("US-3"), Form::Comment)
    );
    assert_eq!(tags[0].ids, ["FR-1"]);
}

#[test]
fn tests_are_told_by_where_they_lie_and_what_they_are_called() {
    for (path, expected) in [
        ("tests/a.rs", true),
        ("crates/x/tests/it/a.rs", true),
        ("src/tests.rs", true),
        ("src/a_test.go", true),
        ("src/a_1.16_test.go", true),
        ("src/latest.go", false),
        ("test_a.py", true),
        ("a/conftest.py", true),
        ("web/cart.spec.ts", true),
        ("web/cart.test.js", true),
        ("src/test/java/A.java", true),
        ("CartTest.java", true),
        ("TestCart.java", true),
        ("CartIT.java", true),
        ("spec/cart_spec.rb", true),
        ("web/__tests__/a.js", true),
        ("src/a.rs", false),
        ("src/contest.py", false),
        ("src/latest.go", false),
        ("Testament.java", false),
        ("specs/001/spec.md", false),
        ("tests/README.md", false),
        ("src/attest.rs", false),
        ("UNIT.java", false),
    ] {
        assert_eq!(is_test_path(path), expected, "{path}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(text in "(@TAG|FR-1| |\n|[{}()\\[\\]\"'`/*#;<>!=-]|fn f|class A|r#\"|<<E|\\PC){0,60}") {
        let pattern = Pattern::new(&[]).unwrap();
        let text = tagged(&text);
        for path in ["a.rs", "a.py", "a.ts", "a.go", "a.java", "a.sh", "a.rb", "a.md", "a.sql", "a.cpp", "a.html", "a"] {
            let lines = text.lines().count().max(1);
            for tag in read(path, &text, &pattern) {
                proptest::prop_assert!((1..=lines).contains(&tag.line), "{path}: line {} of {lines}", tag.line);
            }
        }
    }
}

#[test]
fn tests_that_run_once_for_each_row() {
    check(
        "cart.test.ts",
        "describe('cart', () => {\n  // @TAG FR-1\n  it.each([1, 2])(\"handles %i\", (n) => {\n  })\n  // @TAG FR-2\n  it.each([\n    { a: 1, b: [f(2)] },\n    { a: 2 },\n  ])('adds $a', ({ a }) => {\n    run(() => { x() }) // @TAG FR-3\n  })\n  // @TAG FR-4\n  test.concurrent.each`\n    a | b\n    ${1} | ${2}\n  `('sums $a', () => {})\n  // @TAG FR-5\n  it('waits', { timeout: 5 }, async () => {})\n})\n",
        &[
            "2 function cart.handles %i! FR-1",
            "5 function cart.adds $a! FR-2",
            "10 function cart.adds $a! FR-3",
            "12 function cart.sums $a! FR-4",
            "17 function cart.waits! FR-5",
        ],
    );
    check(
        "src/test/java/KTest.java",
        "class KTest {\n    // @TAG FR-1\n    @ParameterizedTest @ValueSource(ints = {1, 2}) void p(int a) {\n    }\n    // @TAG FR-2\n    @ParameterizedTest\n    @CsvSource({\"1, 2\", \"3, 4\"})\n    void q(int a, int b) { }\n}\n",
        &["2 function KTest.p! FR-1", "5 function KTest.q! FR-2"],
    );
}

#[test]
fn types_behind_annotations_with_arguments() {
    check(
        "src/A.java",
        "// @TAG FR-1\n@Table(name=\"t\")\nclass F {\n    // @TAG FR-2\n    @Column(name = \"x\", length = (3))\n    int x() { return 1; }\n}\n// @TAG FR-3\n@RestController(\"x\")\npublic class A {\n    // @TAG FR-4\n    @Bean SecurityFilterChain chain(Http http) { return null; }\n}\n// @TAG FR-5\npublic @interface Marker {\n}\n",
        &[
            "1 class F FR-1",
            "4 function F.x FR-2",
            "8 class A FR-3",
            "11 function A.chain FR-4",
            "14 class Marker FR-5",
        ],
    );
}

#[test]
fn comments_of_java_do_not_nest() {
    let text = "/** Handles /api/* paths. */\nclass B {\n    // @TAG FR-1\n    void m() { String s = \"a */ // @TAG FR-6\"; }\n}\n";
    check("src/B.java", text, &["3 function B.m FR-1"]);
}

#[test]
fn what_one_file_cites_is_bounded() {
    let text = tagged("# @TAG FR-1..1000\n").repeat(1_000);
    for path in ["a.py", "a.sh"] {
        let tags = read(path, &text, &Pattern::new(&[]).unwrap());
        let ids: usize = tags.iter().map(|it| it.ids.len()).sum();
        assert_eq!(ids, FILE_IDS_MAX, "{path}");
        let last = tags.last().unwrap();
        assert!(last.problems.iter().any(|it| it.contains("more than 20000 ids")), "{last:?}");
    }
    let wide = tagged(&format!("# @TAG REQ-{}1..3\n", "0".repeat(70_000)));
    check("a.sh", &wide, &["1 file  ? it cites nothing that looks like an id"]);
}
