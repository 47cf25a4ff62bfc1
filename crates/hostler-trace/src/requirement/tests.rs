#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// `id|spec|done|line|text` of each.
fn lines_of(path: &str, text: &str, spec: &Spec, columns: &Columns) -> Vec<String> {
    let pattern = Pattern::new(&[]).unwrap();
    let found = read(path, text, &Options { pattern: &pattern, spec, columns }).unwrap();
    let done = |it: Option<bool>| it.map_or("-", |it| if it { "yes" } else { "no" });
    let show = |it: &Requirement| {
        format!("{}|{}|{}|{}|{}", it.id, it.spec, done(it.done), it.line, it.text.replace('\n', "/"))
    };
    found.iter().map(show).collect()
}

#[track_caller]
fn check(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(lines_of(path, text, &Spec::Auto, &Columns::default()), expected, "{path}: {text}");
}

#[test]
fn lists_and_checklists() {
    let text = "# Photos\n\n- [x] FR-001: Albums are kept\n- [ ] **FR-002**: They are\n  sorted by **day**\n\
                * FR-003 Nothing is lost\n1. `FR-004` - in code\n- [FR-005](#five) — linked\n• [ ] CONST-VI-005: bullets\n\
                - FR-006, FR-007 are elsewhere\n- FR-008 and FR-009 too\n- ~~FR-010: gone~~\n- UTF-8: an encoding\n- FR-011-old: x\n";
    check(
        "specs/001-photos/spec.md",
        text,
        &[
            "FR-001|001-photos|yes|3|Albums are kept",
            "FR-002|001-photos|no|4|They are sorted by day",
            "FR-003|001-photos|-|6|Nothing is lost",
            "FR-004|001-photos|-|7|in code",
            "FR-005|001-photos|-|8|linked",
            "CONST-VI-005|001-photos|no|9|bullets",
        ],
    );
    check(
        "a.md",
        "- **FR-001:** a\n- **FR-002: b** c\n  - more\n  - FR-003: inner\n- no id\n",
        &["FR-001|a|-|1|a", "FR-002|a|-|2|b c more", "FR-003|a|-|4|inner"],
    );
    check(
        "a.md",
        "**FR-001**: a\ngoes on\n\nFR-002: b\n\nSee FR-003: not here\n",
        &["FR-001|a|-|1|a goes on", "FR-002|a|-|4|b"],
    );
}

#[test]
fn what_is_an_example_defines_nothing() {
    check(
        "a.md",
        "```\n- FR-001: a\n```\n<!-- - FR-002: b -->\n<!--\n- FR-003: c\n-->\n~~~md\n- FR-004: d\n~~~\n- FR-005: e\n",
        &["FR-005|a|-|11|e"],
    );
}

#[test]
fn headings_with_what_is_below_them() {
    check(
        "x/a.md",
        "## FR-001: Login\n\nUsers log in.\n\n- by name\n\n### Other\ntext\n### Requirement FR-002 Logout\n",
        &["FR-001|a|-|1|Login/Users log in./by name", "FR-002|a|-|9|Logout"],
    );
}

#[test]
fn tables_of_markdown() {
    let text = "| ID | Done | Requirement | Traced by |\n| --- | :-: | --- | --- |\n| REQ-020-001 | yes | fires `a|b` | none |\n\
                | **REQ-020-002** | no | a \\| b | 3 |\n| [REQ-020-003](#x) | ☐ | c |\n| note | | |\n\nREQ | x\n--|--\nFR-001 | bare\n";
    check(
        "020.md",
        text,
        &[
            "REQ-020-001|020|yes|3|fires `a|b`",
            "REQ-020-002|020|no|4|a | b",
            "REQ-020-003|020|no|5|c",
            "FR-001|020|-|10|bare",
        ],
    );
}

#[test]
fn front_matter_and_its_specification() {
    check("a.md", "---\nspec: photos\n---\n- FR-001: a\n", &["FR-001|photos|-|4|a"]);
    check("r.md", "---\nid: FR-001\nstatus: done\n---\n# Log in\n\ntext\n", &["FR-001|r|yes|2|Log in"]);
    check(
        "r.md",
        "---\ntitle: t\nrequirements:\n  - id: FR-001\n    text: a\n---\n- FR-002: b\n",
        &["FR-001|r|-|4|a", "FR-002|r|-|7|b"],
    );
    check("r.md", "---\n\ntext\n\n---\n- FR-002: b\n", &["FR-002|r|-|6|b"]);
}

#[test]
fn tables_with_a_header_and_without() {
    check(
        "r.tsv",
        "id\tarea\tcapability\ttext\nREQ-020-001\tharness\tguards\ta \"b\" c\nREQ-020-002\tharness\tx\t\"d \"\"e\"\"\"\n",
        &["REQ-020-001|harness|-|2|a \"b\" c", "REQ-020-002|harness|-|3|d \"e\""],
    );
    check("r.tsv", "REQ-020-001\tyes\tthe text\nnothing\n", &["REQ-020-001|REQ-020|-|1|the text"]);
    check(
        "r.csv",
        "\u{feff}Text,ID,Status\r\n\"one, two\nthree\",FR-001,done\r\nfour,FR-002,open\r\n,,\r\nfive,,\r\n",
        &["FR-001|FR|yes|2|one, two/three", "FR-002|FR|no|4|four"],
    );
    check("r.csv", "id;text\nFR-001;a,b\n", &["FR-001|FR|-|2|a,b"]);
    check("r.csv", "", &[]);
    let columns = Columns { spec: Some("capability".to_owned()), ..Columns::default() };
    assert_eq!(
        lines_of("r.tsv", "id\tarea\tcapability\ttext\nFR-1\ta\tb\tc\n", &Spec::Auto, &columns),
        ["FR-1|b|-|2|c"]
    );
}

#[test]
fn data_in_yaml_and_json() {
    check(
        "r.yaml",
        "spec: photos\nrequirements:\n  - id: FR-001\n    text: >\n      albums\n      are kept\n    done: true\n  - {id: FR-002, title: t, status: open}\n",
        &["FR-001|photos|yes|3|albums are kept", "FR-002|photos|no|8|t"],
    );
    check(
        "r.yml",
        "FR-001: a\nFR-002:\n  description: b\n  children:\n    - uid: FR-003\n      name: c\n---\nFR-004: d\n",
        &["FR-001|FR|-|1|a", "FR-002|FR|-|2|b", "FR-003|FR|-|5|c", "FR-004|FR|-|8|d"],
    );
    check("req/REQ-001.yml", "active: true\ntext: |\n  one\n\n  two\n", &["REQ-001|REQ|-|1|one/two"]);
    check(
        "r.json",
        "{\n \"spec\": \"s\",\n \"list\": [\n  {\"id\": \"FR-001\", \"text\": \"a\"},\n  {\"id\": \"FR-002\", \"text\": [\"b\", \"c\"]}\n ]\n}\n",
        &["FR-001|s|-|4|a", "FR-002|s|-|5|b/c"],
    );
    // An alias makes nothing grow.
    check(
        "r.yml",
        "a: &a [x, x]\nb: &b [*a, *a]\nFR-001: *b\nFR-002: t\n",
        &["FR-001|FR|-|3|", "FR-002|FR|-|4|t"],
    );
}

#[test]
fn broken_sources_are_told_with_their_line() {
    let pattern = Pattern::new(&[]).unwrap();
    let columns = Columns { id: Some("key".to_owned()), ..Columns::default() };
    let read = |path: &str, text: &str, columns: &Columns| {
        read(path, text, &Options { pattern: &pattern, spec: &Spec::Auto, columns }).unwrap_err().to_string()
    };
    let none = Columns::default();
    assert!(read("r.yaml", "a: [1\nb: }", &none).starts_with("`r.yaml` line 2: "));
    assert!(read("r.json", "{\n\"a\" 1}", &none).starts_with("`r.json` line 2: "));
    assert!(read("r.csv", "id\n\"x", &none).contains("never closed"));
    assert_eq!(
        read("r.tsv", "id\ttext\nx\ty\n", &columns),
        "`r.tsv` has no column `key`; it has `id`, `text`"
    );
    assert!(read("r.docx", "", &none).contains("is no format"));
    let deep = "[".repeat(300);
    assert!(read("r.yaml", &deep, &none).starts_with("`r.yaml` line 1: "));
}

#[test]
fn a_digest_changes_with_the_words_alone() {
    let one = |text: &str| {
        Requirement {
            id: "FR-1".to_owned(),
            spec: "s".to_owned(),
            text: text.to_owned(),
            done: None,
            source: "a.md".to_owned(),
            line: 1,
        }
        .digest()
    };
    assert_eq!(one("a b"), one(" a\n  b "));
    assert_ne!(one("a b"), one("a c"));
    assert_eq!(one("").len(), 16);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_reader_fail_other_than_by_an_error(text in "(FR-[0-9]{1,3}|[-#*|:\\[\\]x \n\"`\t>]|---|\\PC){0,60}") {
        let pattern = Pattern::new(&[]).unwrap();
        let columns = Columns::default();
        for path in ["a.md", "a.csv", "a.tsv", "a.yaml", "a.json"] {
            let _ = read(path, &text, &Options { pattern: &pattern, spec: &Spec::Auto, columns: &columns });
        }
    }
}

#[test]
fn what_belongs_to_a_requirement_is_part_of_its_text() {
    check(
        "a.md",
        "- **FR-001**: two\n\n  details A\n\n  ```sh\n  run\n  ```\n- FR-002: b\n\nprose\n",
        &["FR-001|a|-|1|two details A run", "FR-002|a|-|8|b"],
    );
    check(
        "a.md",
        "## FR-001: Login\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nafter\n\n```\ncode\n```\n## Other\nx\n",
        &["FR-001|a|-|1|Login/| a | b |/| 1 | 2 |/after/code"],
    );
    // A table that defines is none of the heading's, and what follows it is.
    check(
        "a.md",
        "## FR-001: Login\n| ID | Text |\n|---|---|\n| FR-002 | b |\n\nafter\n",
        &["FR-001|a|-|1|Login/after", "FR-002|a|-|4|b"],
    );
}

#[test]
fn boxes_of_other_kinds_are_not_ticked() {
    check(
        "a.md",
        "- [~] FR-001: half\n- [>] FR-002: moved\n- [FR-003](#c): linked\n",
        &["FR-001|a|no|1|half", "FR-002|a|no|2|moved", "FR-003|a|-|3|linked"],
    );
}

#[test]
fn one_row_of_a_table_for_several() {
    check(
        "a.md",
        "| ID | Text |\n|---|---|\n| FR-005, FR-006 | both |\n| FR-007..008 | range |\n",
        &["FR-005|a|-|3|both", "FR-006|a|-|3|both", "FR-007|a|-|4|range", "FR-008|a|-|4|range"],
    );
    check("a.md", "| Test | Covers |\n|---|---|\n| FR-005, FR-006 | t |\n", &[]);
}

#[test]
fn comments_and_blocks_end_where_they_end() {
    check(
        "a.md",
        "````md\n```md\n- FR-001: a\n```\n- FR-002: b\n````\n- FR-003: c\nSome <!-- begin\n- FR-009: hidden\n--> text\n- FR-004: d <!-- note --> e\n- FR-005: `<!--` stays\n",
        &["FR-003|a|-|7|c Some text", "FR-004|a|-|11|d e", "FR-005|a|-|12|`<!--` stays"],
    );
}

#[test]
fn json_keeps_duplicates_and_tells_lines() {
    let text = "{\n \"refs\": [\"FR-002\"],\n \"b\": {\"FR-003\": \"x\",\n  \"FR-003\": \"y\"},\n \"a\": [{\"id\": \"FR-002\",\n   \"text\": \"two \\u00e9\"}]\n}\n";
    check("r.json", text, &["FR-003|FR|-|3|x", "FR-003|FR|-|4|y", "FR-002|FR|-|5|two é"]);
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let pattern = Pattern::new(&[]).unwrap();
    let options = Options { pattern: &pattern, spec: &Spec::Auto, columns: &Columns::default() };
    assert!(read("r.json", &deep, &options).is_err());
}

#[test]
fn aliases_of_texts_are_the_texts() {
    check("r.yaml", "t: &t shared words\nreqs:\n- id: FR-001\n  text: *t\n", &["FR-001|FR|-|3|shared words"]);
}

#[test]
fn tables_as_spreadsheets_write_them() {
    check(
        "r.tsv",
        "id\ttext\tdone\nFR-001\t\"line one\nline \"\"two\"\"\"\tyes\nFR-002\ta 5\" screen\tno\nFR-003\t\"open\tno\n",
        &["FR-001|FR|yes|2|line one/line \"two\"", "FR-002|FR|no|4|a 5\" screen", "FR-003|FR|no|5|\"open"],
    );
    check(
        "r.csv",
        "sep=;\nReq. ID;Text;Status\nFR-001;a, b;✅ Done\nFR-002;c;Implemented (v1)\nFR-003;d;Not done\n",
        &["FR-001|FR|yes|3|a, b", "FR-002|FR|yes|4|c", "FR-003|FR|-|5|d"],
    );
}
