//! The openCypher TCK: every scenario that only reads.
//!
//! The feature files are found through `HOSTLER_CONFORMANCE`. `HOSTLER_TCK_FAILED=1` prints each scenario that failed.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod expected;
mod feature;
mod setup;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use expected::Cell;
use feature::{Scenario, Step};
use hostler_cypher::{Code, Error, Map, Options, Phase, Query, memory::Graph};

/// What became of a scenario.
enum Outcome {
    Passed,
    /// Why it is not for us.
    Skipped(&'static str),
    Failed(String),
}

const TEMPORAL: &str = "expressions/temporal";

/// The named graphs of the TCK.
fn binary_tree(second: bool) -> String {
    let child = if second { "Y" } else { "X" };
    let mut out = String::from("CREATE (a:A {name: 'a'}),\n");
    let mut edges = Vec::new();
    for b in 1..=4 {
        writeln!(out, "(b{b}:X {{name: 'b{b}'}}),").unwrap();
        let kind = if b <= 2 { "KNOWS" } else { "FOLLOWS" };
        edges.push(format!("(a)-[:{kind}]->(b{b})"));
        for c in 1..=2 {
            let label = if c == 1 { "X" } else { child };
            writeln!(out, "(c{b}{c}:{label} {{name: 'c{b}{c}'}}),").unwrap();
            edges.push(format!("(b{b})-[:FRIEND]->(c{b}{c})"));
        }
    }
    for b in 1..=4 {
        edges.push(format!("(b{b})-[:FRIEND]->(b{})", b % 4 + 1));
    }
    out.truncate(out.trim_end().len() - 1);
    format!("{out}\nCREATE {}", edges.join(", "))
}

#[test]
fn scenarios_that_only_read_pass() {
    let test = "tck";
    let root = std::env::var_os("HOSTLER_CONFORMANCE")
        .map(|it| PathBuf::from(it).join("opencypher-tck/tck/features"));
    let Some(root) = root.filter(|it| it.is_dir()) else {
        testkit::client::skip(
            test,
            "no openCypher TCK: set `HOSTLER_CONFORMANCE` to the folder that holds it",
        );
        return;
    };
    let told = std::env::var_os("HOSTLER_TCK_FAILED").is_some();
    let mut folders: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    let mut crashed = Vec::new();
    let mut err = std::io::stderr();
    for scenario in feature::read(&root) {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&scenario)));
        let count = folders.entry(scenario.folder.clone()).or_default();
        match outcome {
            Ok(Outcome::Passed) => count.0 += 1,
            Ok(Outcome::Failed(why)) => {
                count.1 += 1;
                if told {
                    writeln!(
                        err,
                        "FAILED {}: {}\n  {}",
                        scenario.folder,
                        scenario.name,
                        why.replace('\n', "\n  ")
                    )
                    .unwrap();
                }
            }
            Ok(Outcome::Skipped(why)) => {
                count.2 += 1;
                *skipped.entry(why).or_default() += 1;
            }
            Err(_) => {
                count.1 += 1;
                crashed.push(format!("{} {}", scenario.folder, scenario.name));
            }
        }
    }
    writeln!(err, "{:42} {:>6} {:>6} {:>7}", "folder", "passed", "failed", "skipped").unwrap();
    for (folder, (passed, failed, left)) in &folders {
        writeln!(err, "{folder:42} {passed:6} {failed:6} {left:7}").unwrap();
    }
    for (why, count) in &skipped {
        writeln!(err, "skipped {count:5}: {why}").unwrap();
    }
    let sum = |temporal: bool| {
        let chosen = folders.iter().filter(|it| (it.0 == TEMPORAL) == temporal);
        chosen.fold((0, 0), |(passed, failed), (_, it)| (passed + it.0, failed + it.1))
    };
    let (passed, failed) = sum(false);
    let (temporal_passed, temporal_failed) = sum(true);
    writeln!(err, "outside of {TEMPORAL}: {passed} passed, {failed} failed").unwrap();
    writeln!(err, "{TEMPORAL}: {temporal_passed} passed, {temporal_failed} failed").unwrap();
    assert!(crashed.is_empty(), "no scenario panics: {crashed:#?}");
    for (passed, failed) in [(passed, failed), (temporal_passed, temporal_failed)] {
        assert!(passed * 100 >= GATE_PERCENT * (passed + failed), "{passed} of {} pass", passed + failed);
    }
}

/// All of them pass; the gate leaves room for a newer edition of the TCK.
const GATE_PERCENT: usize = 99;

fn is_write(query: &str) -> bool {
    let query = query.to_uppercase();
    let words = query.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.into_iter().any(|it| matches!(it, "CREATE" | "MERGE" | "DELETE" | "SET" | "REMOVE" | "FOREACH"))
}

fn run(scenario: &Scenario) -> Outcome {
    let mut graph = Graph::new();
    let mut parameters = Map::new();
    let mut asked: Option<Result<hostler_cypher::Answer, Error>> = None;
    for step in &scenario.steps {
        let text = step.text.as_str();
        let told = match text {
            "an empty graph" | "any graph" | "no side effects" => Ok(()),
            "the binary-tree-1 graph" => setup::execute(&mut graph, &binary_tree(false)),
            "the binary-tree-2 graph" => setup::execute(&mut graph, &binary_tree(true)),
            "having executed" => setup::execute(&mut graph, &step.query),
            "parameters are" => {
                read_parameters(step, &mut parameters);
                Ok(())
            }
            "executing query" | "executing control query" => {
                if is_write(&step.query) && !scenario_expects_refusal(scenario) {
                    return Outcome::Skipped("the query writes");
                }
                let options =
                    Options { now_ns: Some(1_700_000_000_123_456_789), ..Options::new(&parameters) };
                asked = Some(Query::parse(&step.query).and_then(|it| it.run(&graph, &options)));
                Ok(())
            }
            _ if text.starts_with("there exists a procedure") => {
                return Outcome::Skipped("the query calls a procedure");
            }
            _ if text.starts_with("the side effects") => return Outcome::Skipped("the query writes"),
            _ if text.contains("should be") => match asked.as_ref() {
                Some(asked) => verdict(step, asked, &graph),
                None => Err("nothing was asked".to_owned()),
            },
            other => Err(format!("the step `{other}` is not known")),
        };
        if let Err(why) = told {
            return Outcome::Failed(format!("{why}\n{}", query_of(scenario)));
        }
    }
    Outcome::Passed
}

/// A subquery that writes is refused at compile time by the standard as well.
fn scenario_expects_refusal(scenario: &Scenario) -> bool {
    scenario.steps.iter().any(|it| it.text.ends_with(": InvalidClauseComposition"))
}

fn query_of(scenario: &Scenario) -> String {
    scenario
        .steps
        .iter()
        .find(|it| it.text.starts_with("executing"))
        .map_or_else(String::new, |it| it.query.clone())
}

fn read_parameters(step: &Step, parameters: &mut Map) {
    for row in &step.table {
        let query = Query::parse(&format!("RETURN {} AS value", row[1])).unwrap();
        let empty = Map::new();
        let answer = query.run(&Graph::new(), &Options::new(&empty)).unwrap();
        parameters.insert(row[0].as_str().into(), answer.rows[0][0].clone());
    }
}

fn verdict(step: &Step, asked: &Result<hostler_cypher::Answer, Error>, graph: &Graph) -> Result<(), String> {
    if let Some((class, rest)) = step.text.split_once(" should be raised at ") {
        let class = class.trim_start_matches("an ").trim_start_matches("a ");
        let (phase, detail) = rest.split_once(": ").unwrap_or((rest, "*"));
        let Err(error) = asked else { return Err(format!("no error, but {detail} is expected")) };
        let found = (format!("{:?}", error.class()), format!("{:?}", error.code()));
        let in_time = match phase {
            "compile time" => error.phase() == Phase::Compile,
            "runtime" => error.phase() == Phase::Run || error.code() == Code::InvalidArgumentType,
            _ => true,
        };
        let same =
            (detail == "*" || found.1 == detail) && (found.0 == class || phase == "any time") && in_time;
        return if same {
            Ok(())
        } else {
            Err(format!("{error:?} in {:?}, but {} is expected", error.phase(), step.text))
        };
    }
    let answer = asked.as_ref().map_err(|it| format!("{it:?}"))?;
    let any_order = step.text.contains("any order") || !step.text.contains("in order");
    let loose = step.text.contains("ignoring element order");
    let form = |it: Cell| if loose { expected::unordered(it) } else { it };
    if step.text == "the result should be empty" {
        return if answer.rows.is_empty() {
            Ok(())
        } else {
            Err(format!("{} rows, but none is expected", answer.rows.len()))
        };
    }
    let (head, rows) = step.table.split_first().ok_or("no table")?;
    let mut places = Vec::new();
    for name in head {
        let found = answer.columns.iter().position(|it| **it == **name);
        places.push(found.ok_or_else(|| format!("columns are {:?}, not {head:?}", answer.columns))?);
    }
    let mut wanted: Vec<Vec<Cell>> =
        rows.iter().map(|row| row.iter().map(|it| form(expected::parse(it))).collect()).collect();
    let mut found: Vec<Vec<Cell>> = answer
        .rows
        .iter()
        .map(|row| places.iter().map(|it| form(expected::of_value(graph, &row[*it]))).collect())
        .collect();
    if any_order {
        wanted.sort();
        found.sort();
    }
    if wanted == found { Ok(()) } else { Err(format!("found  {found:?}\nwanted {wanted:?}")) }
}
