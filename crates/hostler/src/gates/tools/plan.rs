//! Which tools run on which files.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hostler_policy::checks::Gate;

use super::{Choice, Effort, File, Job, Layout, Purpose, Request, TOOLS, Tool, environment};

/// One job for each tool, project and batch of those files that are there, in the order of [`TOOLS`].
pub(super) fn jobs<'a>(
    layout: &'a Layout<'a>,
    request: &'a Request<'a>,
    is_there: fn(&Path) -> bool,
) -> Vec<Job<'a>> {
    let mut folders: BTreeMap<PathBuf, Vec<File<'a>>> = BTreeMap::new();
    for asked in request.files {
        let path = request.root.join(asked);
        if let (true, Some(folder)) = (is_there(&path), path.parent()) {
            folders.entry(folder.to_owned()).or_default().push(File { asked, path });
        }
    }
    TOOLS
        .iter()
        .filter(|tool| runs(tool, request))
        .flat_map(|tool| jobs_of(layout, request, tool, &folders))
        .collect()
}

fn runs(tool: &Tool, request: &Request<'_>) -> bool {
    let is_asked = |gate: &Gate| request.gates.is_empty() || request.gates.contains(gate);
    // Without the formatter's word nobody knows what linters may say about layout.
    let is_needed = tool.is_formatter && is_asked(&Gate::Lint);
    let is_able = request.purpose != Purpose::Fix || tool.fix.is_some();
    tool.purposes.contains(&request.purpose)
        && (tool.gates.iter().any(is_asked) || is_needed)
        && is_able
        && request.settings.choice(tool.name) != Choice::Off
}

fn jobs_of<'a>(
    layout: &'a Layout<'a>,
    request: &'a Request<'a>,
    tool: &'static Tool,
    folders: &BTreeMap<PathBuf, Vec<File<'a>>>,
) -> Vec<Job<'a>> {
    let is_its = |file: &&File<'_>| {
        let extension = file.path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        tool.extensions.iter().any(|it| it.eq_ignore_ascii_case(extension))
    };
    let mut jobs: Vec<Job<'a>> = Vec::new();
    for (folder, files) in folders {
        let files: Vec<File<'a>> = files.iter().filter(is_its).cloned().collect();
        if files.is_empty() {
            continue;
        }
        let Some(chosen) = (tool.choose)(layout, folder, request) else { continue };
        if chosen.is_ours && request.configured_only {
            continue;
        }
        let environment = environment::of(layout, folder, tool.program.1);
        let known = jobs.iter_mut().find(|it| it.chosen == chosen && it.environment == environment);
        match known {
            Some(job) => job.files.extend(files),
            None => jobs.push(Job {
                tool,
                layout,
                request,
                chosen,
                environment,
                files,
                refused: None,
                planned: SystemTime::now(),
                scratch: OnceCell::new(),
            }),
        }
    }
    jobs.into_iter().flat_map(batches).collect()
}

/// Leaves out what the tool does not take, and starts it more than once where one start would take too long. Of tests
/// only so many run at all.
fn batches(mut whole: Job<'_>) -> Vec<Job<'_>> {
    let mut refused = Vec::new();
    let mut files = std::mem::take(&mut whole.files);
    files.retain(|file| match (whole.tool.takes)(&whole, &file.path) {
        Ok(takes) => takes,
        Err(reason) => {
            refused.push((vec![file.clone()], reason));
            false
        }
    });
    if whole.tool.effort == Effort::Tests {
        let most = whole.request.settings.tests.files_max;
        let rest = files.split_off(most.min(files.len()));
        if !rest.is_empty() {
            let reason = format!(
                "{} more test files were not run: at most {most} are at once, `gates.tests.files_max`",
                rest.len()
            );
            refused.push((rest, reason));
        }
    }
    let size = whole.tool.files_max.unwrap_or(usize::MAX).min(files.len()).max(1);
    let started = files.chunks(size).map(|chunk| (chunk.to_vec(), None));
    let refused = refused.into_iter().map(|(files, reason)| (files, Some(reason)));
    started
        .chain(refused)
        .map(|(files, refused)| Job {
            tool: whole.tool,
            layout: whole.layout,
            request: whole.request,
            chosen: whole.chosen.clone(),
            environment: std::sync::Arc::clone(&whole.environment),
            files,
            refused,
            planned: whole.planned,
            scratch: OnceCell::new(),
        })
        .collect()
}
