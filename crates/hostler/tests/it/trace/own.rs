//! Our own repository: what the program counts is what a few lines of Python count.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::World;

/// Which ids stand behind a tag at the beginning of a comment's line, by file; as simple as it can be.
const COUNT: &str = r#"
import json, pathlib, re, subprocess, sys
mark = re.compile(r"^\s*(?://[/!]?|#)\s*" + "@" + r"traces((?:[ ,]+[A-Z0-9]+(?:-[A-Z0-9]+)+(?:\.\.\d+)?)+)")
out = {}
names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True, check=True).stdout
for name in sorted(set(names.decode().split("\0"))):
    if not name.endswith((".rs", ".sh")) and name != ".ci/run" or not pathlib.Path(name).is_file():
        continue
    for line in pathlib.Path(name).read_text(encoding="utf-8").split("\n"):
        found = mark.match(line)
        for first, last in re.findall(r"([A-Z0-9-]+)(?:\.\.(\d+))?", found[1]) if found else []:
            stem, number = first.rsplit("-", 1)
            digits = re.search(r"\d+$", number)[0]
            for at in range(int(digits), int(last or digits) + 1):
                identifier = f"{stem}-{number[:-len(digits)]}{at:0{len(digits)}}"
                out.setdefault(identifier, set()).add(name)
print(json.dumps({key: sorted(value) for key, value in out.items()}))
"#;

#[test]
fn this_repository_is_counted_as_another_program_counts_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let output = Command::new("python3").args(["-c", COUNT]).current_dir(&root).output();
    let Some(output) = output.ok().filter(|it| it.status.success()) else {
        testkit::client::skip("counts of this repository", "no `python3`, or no git work tree");
        return;
    };
    let counted: BTreeMap<String, Vec<String>> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(300 < counted.len(), "{} ids are cited: the script is blind", counted.len());
    let world = World::new();
    let register: Vec<String> = counted.keys().map(|id| format!("{id}\tcited")).collect();
    world.write("cited.tsv", &format!("id\ttext\n{}\n", register.join("\n")));
    let register = world.path("cited.tsv");
    let arguments = ["--json", "trace", "--no-cache", "--requirements", register.to_str().unwrap()];
    let (code, stdout, stderr) = world.run_in(&root, &arguments);
    assert_eq!(code, 0, "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let ours: BTreeMap<String, Vec<String>> = document["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let mut paths: Vec<String> = row["links"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["path"].as_str().unwrap().to_owned())
                .collect();
            paths.dedup();
            (row["id"].as_str().unwrap().to_owned(), paths)
        })
        .collect();
    for (id, paths) in &counted {
        assert_eq!(ours.get(id), Some(paths), "{id}");
    }
    assert_eq!(ours.len(), counted.len());
    let wrong: Vec<&Value> = document["findings"].as_array().unwrap().iter().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
