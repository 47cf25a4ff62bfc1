//! `code-fix`.

use std::time::Instant;

use serde_json::json;

use super::{Argument, Kind, RUN, TIME_MAX, files};
use crate::gates::changed::{self, Asked};
use crate::gates::fix::{Mend, mend};
use crate::gates::tools::Outcome;
use crate::gates::{self, render};
use crate::hook::World;
use crate::tools::{Annotations, Answer, Call, Group, Tool};

/// Mends what programs can mend.
pub(crate) const TOOL: Tool = Tool {
    name: "code-fix",
    title: "Fix code",
    group: Group::Review,
    description: "Lays out files and applies fixes that are safe, with the formatters and linters that the project \
                  itself uses; logic is not touched. Call it for what `code-review` says a program can settle. \
                  Without `files` it takes those that this session changed. A file that would lose an import or would \
                  not parse any more is put back. Returns the files that changed: read them again before you edit \
                  them.",
    arguments: &[Argument::optional(
        "files",
        Kind::Texts,
        "paths of files, from the working directory or absolute; those that the session changed if not given",
    )],
    output: &[
        Argument::required("changed", Kind::Lines, "files that changed"),
        Argument::required("files", Kind::Lines, "files that were looked at"),
        Argument::required("runs", Kind::Objects(RUN), "programs that ran, or should have"),
        Argument::required("faults", Kind::Lines, "what went wrong"),
    ],
    annotations: Annotations::Changes,
    run,
};

fn run(call: &Call<'_>) -> Result<Answer, String> {
    let world = World::at(call.directory);
    let root = &world.project.root;
    let deadline = Instant::now() + TIME_MAX;
    let files = if call.arguments.contains_key("files") {
        changed::bare(root, &files(call, &world)?)
    } else {
        let session = call.session.cloned().or_else(|| world.state().and_then(gates::session));
        let session = world.state().zip(session.as_ref());
        changed::files(&Asked { project: &world.project, session, deadline }, None)
    };
    (call.progress)(0.0, Some(1.0), &format!("fixing {}", render::counted(files.len(), "file")));
    let mended = mend(&Mend {
        root,
        files: &files,
        layout_only: false,
        deadline,
        tools: &world.config.gates.tools(world.config.settings.profile),
    });
    (call.progress)(1.0, Some(1.0), "done");
    let mut lines: Vec<String> = mended.changed.iter().map(|name| format!("changed {name}")).collect();
    if lines.is_empty() {
        lines.push(format!("nothing to change in {}", render::counted(files.len(), "file")));
    }
    for run in &mended.runs {
        if let Outcome::NotRun { reason } = &run.outcome {
            lines.push(format!("not run: {}: {}", run.tool, render::cut(reason)));
        }
    }
    lines.extend(mended.faults.iter().map(|fault| format!("error: {fault}")));
    let structured = json!({
        "changed": mended.changed,
        "files": files.iter().map(|file| &file.name).collect::<Vec<_>>(),
        "runs": mended.runs.iter().map(render::run).collect::<Vec<_>>(),
        "faults": mended.faults,
    });
    Ok(Answer::new(lines.join("\n"), structured))
}
