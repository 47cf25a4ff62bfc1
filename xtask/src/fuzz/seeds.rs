//! What each target begins with.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hostler_policy::guards::{Example, GUARDS};
use hostler_syntax::Language;

use super::INPUT_BYTES_MAX;

/// Source files of every language that are ours.
const OWN: &[&str] = &["fuzz/samples", "crates/hostler-syntax/src", "crates/hostler/tests"];
/// More files of one language are not taken: each of their parts has to be read before the search begins.
const FILES_MAX: usize = 40;
/// A file is cut at so many places.
const CUTS: usize = 8;
/// Lengths of the inputs that are nothing but random bytes.
const RANDOM_BYTES: &[usize] = &[1, 7, 64, 256, 1024, 4096, INPUT_BYTES_MAX];
/// Words of a dictionary.
const WORDS_MAX: usize = 400;

/// A name, and a file of that name.
const TRACES: &[&str] = &[
    "r.md\n---\nspec: a\n---\n# A\n- [x] **FR-1**: a\n| id | text |\n| --- | --- |\n| FR-2 | b |\n",
    "r.csv\nid,text\nFR-1,\"a \"\"b\"\"\"\n",
    "r.yaml\nspec: a\nitems:\n  - {id: FR-1, text: b}\nFR-2: &a c\n",
    "r.json\n{\"id\": \"FR-1\", \"text\": [\"a\"]}\n",
    "r.xml\n<testsuites><testsuite name='a'><testcase classname='b' name='c'><failure/></testcase></testsuite></testsuites>\n",
    "a.ts\nit('a', () => { /* @TAG FR-1..3 */ /[/]/ })\n",
    "a.sh\nf() { # @TAG FR-1,\n# FR-2\ncat <<E\nE\n}\n",
];

/// The same for chunks, of kinds of files that are cut by rules of their own.
const CHUNKS: &[&str] = &[
    "a.md\n---\na: b\n---\n# A\n\n```\n# no\n```\n\nB\n==\n## C ##\ntext\n",
    "a.rst\n===\nA\n===\n\nB\n---\n\ntext\n\n* item\n",
    "a.ipynb\n{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\n    {}\n   ],\n   \"source\": [\n    \"a\\n\"\n   ]\n  }\n ]\n}\n",
    "a.json\n{\n  \"a\": {\n    \"b\": [1, \"]\"]\n  }\n}\n",
    "a.toml\n[a.b]\nc = 1 # d\n\n[[e]]\n",
    "a.csv\na,b\n1,\"2\"\n",
    "a.java\npackage a.b;\n@C class D {\n  D(int a) { f('{'); }\n  // {\n  void g() {\n  }\n}\n",
    "a.py\n@a(\n 1)\n# b\nasync def c():\n    r\"\"\"d\"\"\"\n    def e(): pass\nclass F(G): x = [\n1]\n",
    "a\none\n\ntwo\n\n\nthree\n",
];

/// Queries of every clause and most forms of expressions.
const QUERIES: &[&str] = &[
    "MATCH (a:A {k: 1})-[r:R|S*1..3 {k: 'x'}]->(b)<--(c:B:C) WHERE a.k < b.k OR NOT (a)--(c) RETURN DISTINCT a, count(*) AS n ORDER BY n DESC SKIP 1 LIMIT 2",
    "OPTIONAL MATCH p = shortestPath((a)-[*..4]-(b:A|B)) WITH *, length(p) AS l WHERE l IS NOT NULL RETURN nodes(p)[0..-1], l",
    "UNWIND [1, -2.5e3, 'x\\u0041', null, true, {a: [$p]}] AS x WITH collect(x) AS xs RETURN [y IN xs WHERE y = 1 | y + 1], reduce(t = 0, y IN [1] | t + y)",
    "MATCH (a) WHERE EXISTS { MATCH (a)-->(b) WHERE b.k IN [1, 2] RETURN b } RETURN COUNT { (a)--() }, [(a)-[r]->(b) | type(r)], a {.k, .*, z: 1}",
    "RETURN CASE 1 WHEN 2 THEN 'a' ELSE 0x1F END AS c UNION ALL RETURN all(x IN [1] WHERE x > 0) AS c",
    "MATCH (`a b`) WHERE `a b`:A AND `a b`.k =~ '.*' RETURN percentileCont(`a b`.k, 0.5) + 2 ^ 3 % 4, keys(`a b`) // end",
    "RETURN date('2015-W30-2') + duration({days: 1.5}), datetime({year: 1984, timezone: 'Europe/Stockholm'}), duration.between(date('2001'), date('2002'))",
];

/// The seeds of a target that is not fuzzed language by language.
pub(super) fn of_target(target: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    match target {
        "shell" => {
            let examples = GUARDS.iter().flat_map(|guard| guard.fires.iter().chain(guard.silent));
            seeds.extend(examples.filter_map(|example| match example {
                Example::Bash(command) => Some(command.as_bytes().to_vec()),
                _ => None,
            }));
        }
        "claude_payload" => collect(&crate::root().join("fixtures/claude"), &["json"], &mut seeds)?,
        "claims_message" => seeds.extend(pairs()?.lines().filter_map(message)),
        "claims_output" => seeds.extend(pairs()?.lines().filter_map(output)),
        "trace" => {
            for (folder, extension) in
                [("crates/hostler-trace/src", "rs"), ("docs", "md"), ("crates/hostler/tests", "py")]
            {
                let mut files = Vec::new();
                collect(&crate::root().join(folder), &[extension], &mut files)?;
                seeds.extend(
                    files.into_iter().map(|it| [format!("a.{extension}\n").as_bytes(), &it].concat()),
                );
            }
            seeds.extend(TRACES.iter().map(|text| text.replace("@TAG", "@traces").into_bytes()));
        }
        "chunks" => {
            let mut paths = Vec::new();
            files(&crate::root().join("fuzz/samples"), &|_| true, &mut paths)?;
            for path in paths {
                let name = path.file_name().unwrap_or_default().as_encoded_bytes();
                seeds.push([name, b"\n", &fs::read(&path)?].concat());
            }
            seeds.extend(CHUNKS.iter().map(|text| text.as_bytes().to_vec()));
        }
        "cypher" => seeds.extend(QUERIES.iter().map(|text| text.as_bytes().to_vec())),
        "transcript" => {
            let mut files = Vec::new();
            collect(&crate::root().join("fixtures/claude"), &["jsonl"], &mut files)?;
            seeds.extend(files.iter().flat_map(|file| file.split(|byte| *byte == b'\n').map(<[u8]>::to_vec)));
        }
        _ => {
            for folder in ["fixtures", "plugin"] {
                collect(&crate::root().join(folder), &["json", "jsonc"], &mut seeds)?;
            }
            seeds.extend(SETTINGS.iter().map(|text| text.as_bytes().to_vec()));
        }
    }
    seeds.retain(|seed| seed.len() <= INPUT_BYTES_MAX);
    Ok(seeds)
}

/// The seeds of one language: files of our own and those below `folders`, each whole, cut short and begun in the
/// middle, and random bytes.
pub(super) fn of_language(
    language: Language,
    folders: &[PathBuf],
    random: u64,
) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    let own = OWN.iter().map(|it| crate::root().join(it));
    for folder in own.chain(folders.iter().cloned()) {
        files(&folder, &|path| Language::of(path) == Some(language), &mut paths)?;
    }
    let mut seeds = Vec::new();
    // Some of each folder.
    let step = paths.len().div_ceil(FILES_MAX).max(1);
    for path in paths.iter().step_by(step) {
        let file = fs::read(path)?;
        for part in 1..=CUTS {
            let at = file.len() * part / CUTS;
            let from = at.saturating_sub(INPUT_BYTES_MAX);
            seeds.push(file[from..at].to_vec());
            seeds.push(file[at..].iter().copied().take(INPUT_BYTES_MAX).collect());
        }
    }
    let mut state = random;
    for length in RANDOM_BYTES {
        seeds.push((0..*length).map(|_| random_byte(&mut state)).collect());
    }
    seeds.retain(|seed| !seed.is_empty());
    Ok(seeds)
}

/// The next byte of a xorshift generator.
fn random_byte(state: &mut u64) -> u8 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.to_le_bytes()[7]
}

/// What the seeds are made of, as a dictionary of libFuzzer: words and runs of other signs, the commonest first.
pub(super) fn dictionary(seeds: &[Vec<u8>]) -> String {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in seeds.iter().filter_map(|seed| std::str::from_utf8(seed).ok()) {
        let words = text.split(|it| !is_word(it));
        let signs = text.split(|it: char| is_word(it) || it.is_whitespace());
        for token in words.chain(signs).filter(|it| !it.is_empty()) {
            *counts.entry(token).or_default() += 1;
        }
    }
    let mut tokens: Vec<(&str, usize)> = counts.into_iter().collect();
    tokens.sort_by_key(|(_, count)| Reverse(*count));
    let mut out = String::new();
    for (token, _) in tokens.into_iter().take(WORDS_MAX) {
        out.push('"');
        for byte in token.bytes() {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\x{byte:02X}");
        }
        out.push_str("\"\n");
    }
    out
}

/// Writes `seeds` into `folder`, and nothing else is left in it.
pub(super) fn write(seeds: &[Vec<u8>], folder: &Path) -> anyhow::Result<()> {
    // Old seeds may come from examples that no longer exist.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for (index, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("{index:04}")), seed)?;
    }
    Ok(())
}

/// The turns in pairs: messages, and commands with what they printed.
fn pairs() -> anyhow::Result<String> {
    let mut files = Vec::new();
    collect(&crate::root().join("crates/hostler-policy/src/claims/pairs"), &["txt"], &mut files)?;
    Ok(String::from_utf8(files.join(&b'\n'))?)
}

/// The message of a line `A VERDICT = MESSAGE`.
fn message(line: &str) -> Option<Vec<u8>> {
    let turn = ["A ", "B ", "AB "].iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(turn.split_once(" = ")?.1.replace("\\n", "\n").into_bytes())
}

/// Command and output of a line `> Bash: COMMAND => OUTPUT`, with a line end between them.
fn output(line: &str) -> Option<Vec<u8>> {
    let call = ["> ", "a> ", "b> "].iter().find_map(|mark| line.strip_prefix(mark))?;
    let (command, output) = call.split_once("Bash: ")?.1.split_once(" => ")?;
    Some(format!("{}\n{}", command.replace("\\n", "; "), output.replace("\\n", "\n")).into_bytes())
}

/// What stands in every file below `folder` with one of these extensions; nothing if there is no such folder.
fn collect(folder: &Path, extensions: &[&str], out: &mut Vec<Vec<u8>>) -> anyhow::Result<()> {
    let mut paths = Vec::new();
    let known = |path: &Path| path.extension().is_some_and(|it| extensions.iter().any(|known| it == *known));
    files(folder, &known, &mut paths)?;
    for path in paths {
        out.push(fs::read(path)?);
    }
    Ok(())
}

/// The files below `folder` that are `wanted`, in an order that does not depend on the disk.
fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<anyhow::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        // A link may lead back to where it lies.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            files(&path, wanted, out)?;
        } else if wanted(&path) {
            out.push(path);
        }
    }
    Ok(())
}

/// Settings files with what an editor must survive.
const SETTINGS: &[&str] = &[
    "",
    "{}",
    "\u{feff}{\r\n  // a comment\r\n  \"hooks\": {\r\n    \"PreToolUse\": [],\r\n  },\r\n}\r\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
    "{\n\t\"permissions\": {\"deny\": [\"Bash(rm *)\"]}, /* block\n */ \"env\": {\"A\": \"\\u0041\\\"\"}\n}\n",
    "{\"hooks\": {}, \"hooks\": {\"Stop\": [{}]}}",
];
