//! What other programs read: SARIF against its published schema, `ReqIF` by an XML parser that is not ours, pages in files.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::shop;

/// A folder with a `node_modules` that holds what `tests/browser/package.json` names.
const FOLDER_VARIABLE: &str = "HOSTLER_BROWSER_DIR";

#[test]
fn sarif_follows_the_published_schema() {
    let modules = std::env::var_os(FOLDER_VARIABLE).map(|it| Path::new(&it).join("node_modules"));
    let Some(modules) = modules.filter(|it| it.join("@microsoft/jest-sarif").is_dir()) else {
        let reason =
            format!("{FOLDER_VARIABLE} names no folder in which `tests/browser/package.json` is installed");
        testkit::client::skip("SARIF of a matrix against its schema", &reason);
        return;
    };
    let world = shop();
    world.ok(&["review", "--all"]);
    world.write("specs/010-cart/spec.md", "- [x] FR-001: Changed\n- [x] FR-005: New\n");
    world.write("junit.xml", "<testsuite><testcase classname='cart adds' name='cart adds'><failure/></testcase><testcase classname='tests.test_pay.TestCard' name='test_pays'/></testsuite>");
    let arguments = ["matrix", "--format", "sarif", "--results", "junit.xml"];
    world.ok(&[&arguments[..], &["--output", "all.sarif"]].concat());
    world.ok(&[&arguments[..], &["--no-texts", "--output", "bare.sarif"]].concat());
    let log: Value = serde_json::from_slice(&fs::read(world.path("all.sarif")).unwrap()).unwrap();
    let kinds: std::collections::BTreeSet<&str> =
        log["runs"][0]["results"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["fail", "informational", "open", "pass"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/sarif.mjs");
    let output = Command::new("node")
        .arg(script)
        .args([&modules, &world.path("all.sarif"), &world.path("bare.sarif")])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("3 checks passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Reads a `ReqIF` file with Python's parser: what must be unique is, what is referred to is there, what the schema
/// asks of each element is on it.
const READ_REQIF: &str = r#"
import re, sys, xml.etree.ElementTree as tree
space = "{http://www.omg.org/spec/ReqIF/20110401/reqif.xsd}"
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == space + "REQ-IF", root.tag
header = root.find(f"{space}THE-HEADER/{space}REQ-IF-HEADER")
order = [it.tag.removeprefix(space) for it in header]
assert order == ["COMMENT", "CREATION-TIME", "REQ-IF-TOOL-ID", "REQ-IF-VERSION", "SOURCE-TOOL-ID", "TITLE"], order
content = root.find(f"{space}CORE-CONTENT/{space}REQ-IF-CONTENT")
parts = [it.tag.removeprefix(space) for it in content]
assert parts == ["DATATYPES", "SPEC-TYPES", "SPEC-OBJECTS", "SPEC-RELATIONS", "SPECIFICATIONS"], parts
moment = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
kinds, seen = {}, set()
for element in root.iter():
    name = element.get("IDENTIFIER")
    if name is None:
        continue
    assert re.fullmatch(r"_[0-9a-f]{32}", name) and name not in seen, name
    seen.add(name)
    kinds[name] = element.tag.removeprefix(space)
    if kinds[name] != "REQ-IF-HEADER":
        assert moment.fullmatch(element.get("LAST-CHANGE")), element.attrib
for element in root.iter():
    kind = element.tag.removeprefix(space)
    if kind.endswith("-REF"):
        assert kinds[element.text] == kind.removesuffix("-REF"), (kind, kinds.get(element.text))
objects = content.findall(f"{space}SPEC-OBJECTS/{space}SPEC-OBJECT")
for item in objects:
    assert len(item.findall(f"{space}TYPE/{space}SPEC-OBJECT-TYPE-REF")) == 1
for relation in content.iter(space + "SPEC-RELATION"):
    assert [it.tag.removeprefix(space) for it in relation] == ["SOURCE", "TARGET", "TYPE"]
relations = len(list(content.iter(space + "SPEC-RELATION")))
print(len(objects), relations, len(list(content.iter(space + "SPEC-HIERARCHY"))))
"#;

#[test]
fn reqif_is_read_by_another_parser() {
    let world = shop();
    world.ok(&["matrix", "--format", "reqif", "--output", "all.reqif"]);
    let output = Command::new("python3").args(["-c", READ_REQIF]).arg(world.path("all.reqif")).output();
    let Ok(output) = output else {
        testkit::client::skip("ReqIF by another parser", "no `python3`");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    // Seven requirements and five places; eight citations; seven lines of two specifications.
    assert_eq!(text.trim(), "12 8 7", "{}", String::from_utf8_lossy(&output.stderr));
}

/// The validator of another project, against the schema of the standard.
#[test]
fn reqif_follows_the_published_schema() {
    let has =
        Command::new("python3").args(["-c", "import reqif"]).output().is_ok_and(|it| it.status.success());
    if !has {
        testkit::client::skip("ReqIF against its schema", "no Python package `reqif`");
        return;
    }
    let world = shop();
    world.ok(&["review", "--all"]);
    world.write("specs/010-cart/spec.md", "- [x] FR-001: \"Changed\" & <b>\n- [x] FR-005: New\n");
    let validate = |name: &str| {
        let output = Command::new("python3")
            .args(["-c", "from reqif.cli.main import main; main()", "validate", "--use-reqif-schema"])
            .arg(world.path(name))
            .output()
            .unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    for arguments in [&["--no-texts"][..], &[]] {
        world.ok(&[&["matrix", "--format", "reqif", "--output", "all.reqif"], arguments].concat());
        let said = validate("all.reqif");
        assert!(said.contains("with 0 errors, 0 schema issues found, 0 semantic issues found"), "{said}");
    }
    // It is not blind.
    let text = fs::read_to_string(world.path("all.reqif")).unwrap();
    fs::write(world.path("bad.reqif"), text.replace("<TITLE>", "<OTHER/><TITLE>")).unwrap();
    assert!(validate("bad.reqif").contains("1 schema issues found"));
}

#[test]
fn pages_go_to_files_and_replace_no_others() {
    let world = shop();
    world.ok(&["matrix", "--format", "html", "--output", "rtm.html"]);
    world.ok(&["matrix", "--format", "html", "-o", "rtm.html"]);
    let page = fs::read_to_string(world.path("rtm.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Pays by card"));
    world.write("mine.html", "<p>mine</p>");
    world.says(
        &["matrix", "--format", "html", "-o", "mine.html"],
        4,
        &["`mine.html` was not made by hostler"],
    );
    let csv = world.ok(&["matrix", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 8, "{csv}");
    let json: Value = serde_json::from_str(&world.ok(&["matrix", "--format", "json"])).unwrap();
    assert_eq!(json["version"], 1);
}
