//! Feature files: scenarios with their steps, outlines with every row of their examples.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default)]
pub(crate) struct Scenario {
    /// Folder below `features`.
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Step {
    /// Without `Given`, `And`, `When`, `Then`.
    pub(crate) text: String,
    pub(crate) query: String,
    pub(crate) table: Vec<Vec<String>>,
}

pub(crate) fn read(root: &Path) -> Vec<Scenario> {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap().strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        scenarios(&text, &folder, &stem, &mut out);
    }
    out
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|it| it == "feature") {
            out.push(path);
        }
    }
}

fn cells(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut letters = line.trim().chars().skip(1);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('|') => out.last_mut().unwrap().push('|'),
                Some('\\') => out.last_mut().unwrap().push('\\'),
                Some(other) => out.last_mut().unwrap().extend(['\\', other]),
                None => {}
            },
            '|' => out.push(String::new()),
            it => out.last_mut().unwrap().push(it),
        }
    }
    out.pop();
    out.into_iter().map(|it| it.trim().to_owned()).collect()
}

fn scenarios(text: &str, folder: &str, stem: &str, out: &mut Vec<Scenario>) {
    let mut lines = text.lines().peekable();
    let mut current: Option<Scenario> = None;
    let mut examples: Option<Vec<Vec<String>>> = None;
    let mut background: Vec<Step> = Vec::new();
    let mut finish = |current: &mut Option<Scenario>, examples: &mut Option<Vec<Vec<String>>>| {
        let Some(mut scenario) = current.take() else { return };
        if scenario.name == "Background" {
            background = scenario.steps;
            return;
        }
        scenario.steps.splice(0..0, background.iter().cloned());
        match examples.take() {
            None => out.push(scenario),
            Some(rows) => out.extend(rows.iter().skip(1).map(|row| filled(&scenario, &rows[0], row))),
        }
    };
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line == "Background:" {
            current = Some(Scenario { name: "Background".to_owned(), ..Scenario::default() });
        } else if let Some(name) =
            line.strip_prefix("Scenario:").or_else(|| line.strip_prefix("Scenario Outline:"))
        {
            finish(&mut current, &mut examples);
            let name = format!("{stem} {}", name.trim());
            current = Some(Scenario { folder: folder.to_owned(), name, steps: Vec::new() });
        } else if line.starts_with("Examples:") {
            examples = Some(Vec::new());
        } else if line.starts_with('|') {
            let row = cells(line);
            match (&mut examples, &mut current) {
                (Some(rows), _) => rows.push(row),
                (None, Some(scenario)) => scenario.steps.last_mut().unwrap().table.push(row),
                (None, None) => {}
            }
        } else if line == "\"\"\"" {
            let body: Vec<&str> = lines.by_ref().take_while(|it| it.trim() != "\"\"\"").collect();
            let indent = body
                .iter()
                .filter(|it| !it.trim().is_empty())
                .map(|it| it.len() - it.trim_start().len())
                .min();
            let body: Vec<&str> =
                body.iter().map(|it| it.get(indent.unwrap_or(0)..).unwrap_or_default()).collect();
            if let Some(step) = current.as_mut().and_then(|it| it.steps.last_mut()) {
                step.query = body.join("\n");
            }
        } else if let (Some(step), Some(scenario)) = (said(line), &mut current) {
            scenario.steps.push(Step { text: step.trim_end_matches(':').to_owned(), ..Step::default() });
        }
    }
    finish(&mut current, &mut examples);
}

fn said(line: &str) -> Option<&str> {
    ["Given ", "And ", "When ", "Then "].iter().find_map(|it| line.strip_prefix(it))
}

fn filled(scenario: &Scenario, names: &[String], values: &[String]) -> Scenario {
    let fill = |text: &str| {
        let mut text = text.to_owned();
        for (name, value) in names.iter().zip(values) {
            text = text.replace(&format!("<{name}>"), value);
        }
        text
    };
    let mut out = scenario.clone();
    out.name = format!("{} | {}", scenario.name, values.join(" | "));
    for step in &mut out.steps {
        step.text = fill(&step.text);
        step.query = fill(&step.query);
        step.table.iter_mut().flatten().for_each(|it| *it = fill(it));
    }
    out
}
