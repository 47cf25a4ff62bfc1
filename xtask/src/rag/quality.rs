//! `cargo xtask rag quality`: questions with a known answer, asked as an agent asks them.
//!
//! `--corpus` is what is indexed; `--queries` has a line of JSON for each question: `query`, `path`, `start_line`, `end_line`,
//! `id`. `--gate` holds our figures against the floors. `--hits FILE` keeps the answers, for a scorer that is not ours.

use std::fmt::Write as _;
use std::fs;

use anyhow::Context;
use serde_json::{Value, json};

use super::Options;
use super::contender::{Contender, Hit};
use super::score::{Measures, at, file_rank, span_rank};

/// Floors without any model.
const FILE_MRR_MIN: f64 = 0.63;
const SPAN_MRR_MIN: f64 = 0.37;
/// Hits asked for: several of one file count once, so that ten files need more.
const ASKED: u64 = 50;

struct Question {
    id: String,
    query: String,
    path: String,
    lines: (u64, u64),
}

/// Runs the task: `true` when the floors hold or are not asked for.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let corpus = options.needed("--corpus")?.canonicalize().context("`--corpus` names no folder")?;
    let file = options.needed("--queries")?;
    let text = fs::read_to_string(&file).with_context(|| format!("`{}`", file.display()))?;
    let questions = text.lines().map(question).collect::<anyhow::Result<Vec<_>>>()?;
    anyhow::ensure!(!questions.is_empty(), "`{}` has no questions", file.display());
    let folder = tempfile::tempdir()?;
    let ours = options.ours(folder.path())?;
    let source = options.source(folder.path())?;
    crate::tell(
        "| program | questions | by | MRR@10 | nDCG@10 | R@1 | R@5 | R@10 | p50 ms | p95 ms | lines of a hit |",
    );
    crate::tell("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    if let Some(source) = &source {
        source.index(&corpus)?;
        answer(source, &questions)?.tell(source.name);
    }
    ours.index(&corpus)?;
    let answers = answer(&ours, &questions)?;
    answers.tell(ours.name);
    if let Some(file) = options.path("--hits") {
        fs::write(file, answers.kept(&questions)?)?;
    }
    let holds = FILE_MRR_MIN <= answers.file.mrr() && SPAN_MRR_MIN <= answers.span.mrr();
    if options.flag("--gate") && !holds {
        crate::tell(&format!("MRR@10 is at least {FILE_MRR_MIN} by file and {SPAN_MRR_MIN} by span"));
    }
    Ok(holds || !options.flag("--gate"))
}

fn question(line: &str) -> anyhow::Result<Question> {
    let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
    let word =
        |name: &str| row[name].as_str().map(str::to_owned).with_context(|| format!("no `{name}` in {row}"));
    let number = |name: &str| row[name].as_u64().with_context(|| format!("no `{name}` in {row}"));
    Ok(Question {
        id: word("id")?,
        query: word("query")?,
        path: word("path")?,
        lines: (number("start_line")?, number("end_line")?),
    })
}

#[derive(Default)]
struct Answers {
    hits: Vec<Vec<Hit>>,
    times_ms: Vec<f64>,
    file: Measures,
    span: Measures,
}

fn answer(contender: &Contender, questions: &[Question]) -> anyhow::Result<Answers> {
    let mut answers = Answers::default();
    let mut session = contender.serve()?;
    for question in questions {
        let (hits, took_ms) = session.search(&question.query, ASKED)?;
        answers.file.add(file_rank(&hits, |path| path == question.path));
        answers.span.add(span_rank(&hits, &question.path, question.lines));
        answers.times_ms.push(took_ms);
        answers.hits.push(hits);
    }
    session.close()?;
    Ok(answers)
}

impl Answers {
    fn tell(&self, name: &str) {
        let questions = self.hits.len();
        // Large hits meet more lines: a figure by span is read with this one beside it.
        let (mut lines, mut hits) = (0, 0);
        for hit in self.hits.iter().flatten() {
            lines += hit.lines.1.saturating_sub(hit.lines.0) + 1;
            hits += 1;
        }
        let times = format!("{:.1} | {:.1}", at(&self.times_ms, 0.5), at(&self.times_ms, 0.95));
        let lines = lines.checked_div(hits).unwrap_or(0);
        crate::tell(&format!("| {name} | {questions} | file | {} | {times} | |", self.file.row()));
        crate::tell(&format!("| {name} | {questions} | span | {} | {times} | {lines} |", self.span.row()));
    }

    fn kept(&self, questions: &[Question]) -> anyhow::Result<String> {
        let mut out = String::new();
        for (question, hits) in questions.iter().zip(&self.hits) {
            let hits: Vec<Value> = hits
                .iter()
                .map(|it| json!({ "path": it.path, "start_line": it.lines.0, "end_line": it.lines.1 }))
                .collect();
            writeln!(out, "{}", json!({ "id": question.id, "hits": hits }))?;
        }
        Ok(out)
    }
}
