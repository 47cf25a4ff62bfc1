//! `code-review`.

use std::time::Instant;

use hostler_policy::checks::Gate;
use hostler_policy::guards::Scope;
use serde_json::json;

use super::{Argument, Kind, RUN, TIME_MAX, files};
use crate::gates::changed::{self, Asked};
use crate::gates::review::{Look, review};
use crate::gates::tools::Purpose;
use crate::gates::{self, record, render};
use crate::hook::World;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Findings that are given; a model reads each.
const FINDINGS_MAX: usize = 100;
/// How gates are named.
const GATES: &[&str] = &["1", "2", "3", "4", "5", "stop"];

/// Looks at files through the gates.
pub(crate) const TOOL: Tool = Tool {
    name: "code-review",
    title: "Review code",
    group: Group::Review,
    description: "Looks at files of the project through its gates: 1 syntax and layout, 2 lint, 3 safety, 4 \
                  complexity, 5 design, by hostler's own checks and the project's own linters and type checkers. Call \
                  it after you changed code and before you say that it is done. Returns each finding with file, \
                  line, what is wrong and how to mend it, and which tools did not run. By default only what is new \
                  counts: what stood in a file before is not yours. Changes no file.",
    arguments: &[
        Argument::required("files", Kind::Texts, "paths of files, from the working directory or absolute"),
        Argument::optional("gates", Kind::SomeOf(GATES), "only these gates; all if not given"),
        Argument::optional("whole", Kind::Flag, "judge everything in the files, not only what is new"),
    ],
    output: &[
        Argument::required("verdict", Kind::OneOf(&["pass", "fail"]), "fail where there are errors"),
        Argument::required("errors", Kind::Number, "how many errors"),
        Argument::required("warnings", Kind::Number, "how many warnings"),
        Argument::required(
            "findings",
            Kind::Objects(&[
                Argument::required("file", Kind::Text, "path from the project's top folder"),
                Argument::required("line", Kind::Number, "line, from 1"),
                Argument::required("severity", Kind::Text, "error, warn or info"),
                Argument::required("check", Kind::Text, "which check"),
                Argument::required("message", Kind::Text, "what is wrong"),
                Argument::optional("fix", Kind::Text, "how to mend it"),
                Argument::optional("gate", Kind::Number, "which gate"),
                Argument::optional("code", Kind::Text, "the tool's own code for it"),
                Argument::optional("tool", Kind::Text, "the tool that found it"),
            ]),
            "what was found",
        ),
        Argument::required("omitted", Kind::Number, "how many findings there are besides"),
        Argument::required("files", Kind::Lines, "files that were looked at"),
        Argument::required("outside", Kind::Lines, "files that `gates.paths` leaves out"),
        Argument::required("runs", Kind::Objects(RUN), "tools of the project that ran, or should have"),
        Argument::required("required", Kind::Lines, "required tools that did not run, with what to do"),
        Argument::required("faults", Kind::Lines, "what went wrong"),
    ],
    annotations: Annotations::Reads,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let world = World::at(call.directory);
    let root = &world.project.root;
    let scope = Scope::of(&world.config.settings.reviewed);
    let name =
        |path: &std::path::Path| changed::name(root, path).unwrap_or_else(|| path.display().to_string());
    let (paths, outside): (Vec<_>, Vec<_>) =
        files(call, &world)?.into_iter().partition(|path| scope.holds(&name(path)));
    let outside: Vec<String> = outside.iter().map(|path| name(path)).collect();
    let asked_for = call.texts("gates");
    let gates: Vec<Gate> = Gate::ALL.iter().copied().filter(|it| asked_for.contains(&named(*it))).collect();
    let deadline = Instant::now() + TIME_MAX;
    let session = call.session.cloned().or_else(|| world.state().and_then(gates::session));
    let asked = Asked { project: &world.project, session: world.state().zip(session.as_ref()), deadline };
    (call.progress)(0.0, Some(2.0), "reading what stood in the files before");
    let whole = call.flag("whole");
    let files = if whole { changed::bare(root, &paths) } else { changed::named(&asked, &paths) };
    (call.progress)(1.0, Some(2.0), &format!("looking at {}", render::counted(files.len(), "file")));
    let report = review(&Look {
        root,
        files: &files,
        purpose: Purpose::Review,
        whole,
        gates: &gates,
        deadline,
        checks: &world.config.settings.checks,
        tools: &world.config.gates.tools(world.config.settings.profile),
    });
    record::by_hand(&world, session.as_ref(), "review", &report);
    (call.progress)(2.0, Some(2.0), "done");
    let mut lines: Vec<String> =
        outside.iter().map(|name| format!("skipped: {name} is outside of `gates.paths`")).collect();
    lines.push(if report.files.is_empty() { "nothing to review".to_owned() } else { render::human(&report) });
    let mut structured = render::json(&report);
    structured["outside"] = json!(outside);
    structured["omitted"] = 0.into();
    if let Some(findings) = structured["findings"].as_array_mut() {
        // Errors first: they are what stands in the way.
        findings.sort_by_key(|it| it["severity"] != "error");
        let omitted = findings.len().saturating_sub(FINDINGS_MAX);
        findings.truncate(FINDINGS_MAX);
        structured["omitted"] = omitted.into();
    }
    Ok(Answer::new(lines.join("\n"), structured))
}

fn named(gate: Gate) -> String {
    gate.number().map_or_else(|| "stop".to_owned(), |number| number.to_string())
}
