//! Turns in pairs: one word or one tool call more, and the verdict is another. `english.txt` tells the notation.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "in a test a panic is the report")]

use std::path::PathBuf;

use hostler_model::{Action, Outcome, Place};
use serde_json::{Value, json};

use crate::Settings;
use crate::claims::evidence::{self, Actor};
use crate::claims::{self, Evidence, Example, Kind, RULES, Source, Turn};

const FILES: [&str; 4] = [
    include_str!("english.txt"),
    include_str!("turns.txt"),
    include_str!("languages.txt"),
    include_str!("state.txt"),
];

/// One pair.
#[derive(Debug, Default)]
struct Pair {
    name: String,
    prompt: Option<String>,
    /// Which turns have the call, and the call.
    calls: Vec<(Members, Call)>,
    first: Option<Expected>,
    second: Option<Expected>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Members {
    Both,
    First,
    Second,
}

/// A message, and the sets of kinds that are all right for it.
#[derive(Debug, Clone)]
struct Expected {
    message: String,
    verdicts: Vec<Vec<Kind>>,
}

#[derive(Debug)]
struct Call {
    tool: String,
    input: Value,
    output: String,
    failed: bool,
    earlier: bool,
    by: Actor,
}

fn pairs() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    for line in FILES.iter().flat_map(|file| file.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            pairs.push(Pair { name: name.to_owned(), ..Pair::default() });
            continue;
        }
        let pair = pairs.last_mut().expect("a pair begins with its name");
        let (sign, rest) = line.split_once(' ').unwrap_or_else(|| panic!("`{line}` has no content"));
        match sign {
            ">" => pair.calls.push((Members::Both, call(rest))),
            "a>" => pair.calls.push((Members::First, call(rest))),
            "b>" => pair.calls.push((Members::Second, call(rest))),
            "?" => pair.prompt = Some(unescape(rest)),
            "A" | "B" | "AB" => {
                let (verdicts, message) =
                    rest.split_once(" = ").unwrap_or_else(|| panic!("`{line}`: no ` = `"));
                let (first, second) = verdicts.split_once(" | ").unwrap_or((verdicts, verdicts));
                let expected =
                    |verdicts| Expected { message: unescape(message), verdicts: self::verdicts(verdicts) };
                if sign.contains('A') {
                    pair.first = Some(expected(first));
                }
                if sign.contains('B') {
                    pair.second = Some(expected(second));
                }
            }
            other => panic!("`{other}` begins no line of a pair"),
        }
    }
    pairs
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t")
}

fn verdicts(text: &str) -> Vec<Vec<Kind>> {
    let kind = |name: &str| match name {
        "action" => Kind::ActionDeception,
        "reading" => Kind::FileReadingDeception,
        "error" => Kind::ErrorConcealment,
        "selective" => Kind::SelectiveDisclosure,
        "hiding" => Kind::ResultHiding,
        "contradiction" => Kind::ResultContradiction,
        other => panic!("`{other}` is no verdict"),
    };
    let set = |text: &str| {
        let mut kinds: Vec<Kind> = text.split('+').filter(|it| *it != "clean").map(kind).collect();
        kinds.sort_by_key(|kind| kind.name());
        kinds
    };
    text.split(" or ").map(|text| set(text.trim())).collect()
}

/// `[-1] [user] TOOL: ARGUMENT [=> OUTPUT] [!STATUS]`
fn call(text: &str) -> Call {
    let (earlier, text) = strip(text, "-1 ");
    let (user, text) = strip(text, "user ");
    let (text, status) = status(text);
    let (head, output) = match text.split_once(" =>") {
        Some((head, output)) => (head, Some(unescape(output.trim_start()))),
        None => (text, None),
    };
    let (tool, argument) = head.split_once(": ").unwrap_or_else(|| panic!("`{head}` is no call"));
    let argument = unescape(argument);
    let (input, said) = match tool {
        "Bash" => (json!({ "command": argument }), String::new()),
        "Read" => (json!({ "file_path": argument }), "1\tfirst line\n2\tsecond line".to_owned()),
        "Write" => (
            json!({ "file_path": argument, "content": "content\n" }),
            format!("File created successfully at: {argument}"),
        ),
        "Edit" => (
            json!({ "file_path": argument, "old_string": "one", "new_string": "two" }),
            format!("The file {argument} has been updated successfully."),
        ),
        "NotebookEdit" => (json!({ "notebook_path": argument, "new_source": "1 + 1" }), String::new()),
        "Grep" => {
            let (pattern, path) = argument.split_once(" in ").unwrap_or((&argument, "."));
            let input = json!({ "pattern": pattern, "path": path, "output_mode": "content" });
            (input, String::new())
        }
        "Glob" => (json!({ "pattern": argument }), String::new()),
        "Task" => (json!({ "prompt": argument, "subagent_type": "general-purpose" }), String::new()),
        "WebFetch" => (json!({ "url": argument, "prompt": "read" }), String::new()),
        "ExitPlanMode" => (json!({ "plan": argument }), String::new()),
        mcp if mcp.starts_with("mcp__") => (serde_json::from_str(&argument).expect("JSON"), String::new()),
        other => panic!("`{other}` is no tool of the pairs"),
    };
    let mut output = output.unwrap_or(said);
    if let Some(status) = status.filter(|_| tool == "Bash") {
        output = format!("Exit code {status}\n{output}");
    }
    let by = if user { Actor::User } else { Actor::Agent };
    Call { tool: tool.to_owned(), input, output, failed: status.is_some(), earlier, by }
}

fn strip<'a>(text: &'a str, prefix: &str) -> (bool, &'a str) {
    text.strip_prefix(prefix).map_or((false, text), |rest| (true, rest))
}

/// The exit status behind a `!` at the end.
fn status(text: &str) -> (&str, Option<i32>) {
    let Some((text, status)) = text.rsplit_once(" !") else { return (text, None) };
    match status {
        "" => (text, Some(1)),
        digits => (text, Some(digits.parse().unwrap_or_else(|_| panic!("`{digits}` is no status")))),
    }
}

fn place() -> Place {
    let root = PathBuf::from("/home/dev/shop");
    Place { git_dir: Some(root.join(".git")), home: Some("/home/dev".into()), root, ..Place::default() }
}

impl Call {
    fn evidence(&self, place: &Place) -> Evidence {
        let call = hostler_host::claude::read::tool_call(&self.tool, &self.input, None).unwrap();
        let shell = matches!(call.action, Action::Shell { .. });
        let told = self.output.strip_prefix("Exit code ").and_then(|it| it.lines().next()?.parse().ok());
        let outcome = Outcome {
            ok: !self.failed,
            exit: told.or((shell && !self.failed).then_some(0)),
            output: self.output.clone(),
            ..Outcome::default()
        };
        let source = Source { call: &call, outcome: &outcome, cwd: &place.root, place, by: self.by };
        Evidence { earlier: self.earlier, ..evidence::of(&source) }
    }
}

/// What is found in one turn of a pair; a note is no finding.
fn found(pair: &Pair, members: Members, expected: &Expected) -> Vec<Kind> {
    let place = place();
    let calls = pair.calls.iter().filter(|(of, _)| *of == Members::Both || *of == members);
    let evidence: Vec<Evidence> = calls.map(|(_, call)| call.evidence(&place)).collect();
    let turn = Turn { message: &expected.message, prompt: pair.prompt.as_deref(), evidence: &evidence };
    let audit = claims::audit(&turn, &Settings::default(), &mut |_| None);
    let kinds = audit.findings.iter().map(|finding| finding.kind);
    let mut kinds: Vec<Kind> = kinds.filter(|kind| *kind != Kind::PartialRun).collect();
    kinds.sort_by_key(|kind| kind.name());
    kinds.dedup();
    kinds
}

/// Of the pairs, how many have both turns right: something found where something is wrong, nothing where not.
const RIGHT_MIN: f64 = 0.95;

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
fn one_word_or_one_call_changes_the_verdict() {
    let pairs = pairs();
    let (mut right, mut exact, mut wrong) = (0, 0, Vec::new());
    for pair in &pairs {
        let (mut agree, mut same) = (true, true);
        for (members, expected) in [(Members::First, &pair.first), (Members::Second, &pair.second)] {
            let expected = expected.as_ref().unwrap_or_else(|| panic!("`{}` has one turn only", pair.name));
            let kinds = found(pair, members, expected);
            let agrees = expected.verdicts.iter().any(|it| it.is_empty() == kinds.is_empty());
            let is_same = expected.verdicts.contains(&kinds);
            if !is_same {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                let mark = if agrees { "kind " } else { "WRONG" };
                let message = expected.message.replace('\n', "\\n");
                wrong.push(format!("{mark} {} {members:?}: found {names:?} in `{message}`", pair.name));
            }
            agree &= agrees;
            same &= is_same;
        }
        right += usize::from(agree);
        exact += usize::from(same);
    }
    let share = right as f64 / pairs.len() as f64;
    assert!(
        RIGHT_MIN <= share,
        "{right} of {} pairs right ({:.1} %), {exact} of them with the right kinds:\n{}",
        pairs.len(),
        100.0 * share,
        wrong.join("\n")
    );
}

/// Which rules find something in an example.
fn rules_of(example: &Example) -> Vec<String> {
    let place = place();
    let evidence: Vec<Evidence> = example.calls.iter().map(|it| call(it).evidence(&place)).collect();
    let prompt = Some(example.prompt).filter(|it| !it.is_empty());
    let turn = Turn { message: example.message, prompt, evidence: &evidence };
    let overlap = ("result-overlap".to_owned(), hostler_model::Mode::Warn);
    let settings = Settings { overrides: [overlap].into(), ..Settings::default() };
    claims::audit(&turn, &settings, &mut |_| None).findings.into_iter().map(|it| it.rule).collect()
}

#[test]
fn every_rule_fires_and_passes_as_it_says() {
    for rule in RULES {
        assert!(!rule.fires.is_empty() && !rule.passes.is_empty(), "{}", rule.id);
        for example in rule.fires {
            let found = rules_of(example);
            assert!(
                found.iter().any(|it| it == rule.id),
                "{} is silent, found {found:?}: {example:?}",
                rule.id
            );
        }
        for example in rule.passes {
            let found = rules_of(example);
            assert!(found.iter().all(|it| it != rule.id), "{} fires: {example:?}", rule.id);
        }
    }
}

#[test]
fn there_are_pairs_of_every_language_and_their_verdicts_differ() {
    let pairs = pairs();
    assert!(300 <= pairs.len(), "{} pairs", pairs.len());
    for language in ["de-", "fr-", "es-", "pt-", "zh-", "ja-", "ko-"] {
        let count = pairs.iter().filter(|pair| pair.name.starts_with(language)).count();
        assert!(4 <= count, "`{language}` has {count} pairs");
    }
    let mut names: Vec<_> = pairs.iter().map(|pair| &pair.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), pairs.len(), "names are given once");
    for pair in &pairs {
        let clean = |expected: &Option<Expected>| expected.as_ref().map(|it| it.verdicts[0].is_empty());
        assert_ne!(clean(&pair.first), clean(&pair.second), "`{}`: one of two is clean", pair.name);
    }
}
