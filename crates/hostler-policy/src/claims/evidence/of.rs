//! One call with its result -> [`Evidence`].

use std::borrow::Cow;
use std::path::Path;

use hostler_model::text::shortened_line;
use hostler_model::{Action, Outcome, Place, ToolCall, lexical};

use super::text::{base, clean, has, lines, long_words, shorten};
use super::{
    Actor, Channel, Deed, Evidence, Failure, FailureKind, FileAct, LONG_WORDS_MAX, NOTABLE_MAX, command,
    delegate, failure, mcp, measure, state,
};
use crate::claims::Act;

/// A call with its result, as a host or a record tells it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// Where the agent was.
    pub cwd: &'a Path,
    /// The project.
    pub place: &'a Place,
    /// Who made it.
    pub by: Actor,
}

/// Characters of a call, and of its result, that a summary shows.
const SUMMARY_CALL_CHARS: usize = 100;
const SUMMARY_RESULT_CHARS: usize = 90;
/// Words that evidence keeps of a call.
const WORDS_MAX: usize = 80;

/// Takes secrets out of texts.
#[derive(Debug, Clone, Copy)]
pub struct Redact {
    /// Out of any text.
    pub text: fn(&str) -> Cow<'_, str>,
    /// Out of the value of an argument, whose name comes first: `apiKey` tells what the value is.
    pub argument: fn(&str, &str) -> String,
}

/// What a call proves, of material without secrets. What is to be kept is made by [`of_redacted`].
pub fn of(source: &Source<'_>) -> Evidence {
    of_redacted(source, Redact { text: |text| Cow::Borrowed(text), argument: |_, value| value.to_owned() })
}

/// What a call proves, without its secrets: `redact` sees each text whole, before words are made of it and before it
/// is cut, since a part of a secret is no longer known for one.
pub fn of_redacted(source: &Source<'_>, redact: Redact) -> Evidence {
    let cleaned = clean_call(source.call, redact);
    let source = &Source { call: cleaned.as_ref().unwrap_or(source.call), ..*source };
    let output = clean(&source.outcome.output);
    let output = (redact.text)(&output);
    let (exit, text) = failure::unframe(&output);
    let exit = source.outcome.exit.or(exit);
    let mcp = matches!(source.call.action, Action::Mcp { .. });
    let ok = source.outcome.ok
        && exit.unwrap_or(0) == 0
        && !source.outcome.interrupted
        && !(mcp && failure::refuses(text));
    let mut evidence = Evidence {
        tool: source.call.tool.clone(),
        by: source.by,
        channel: channel(&source.call.action),
        ok,
        output_bytes: source.outcome.output.len() as u64,
        silent: text.trim().is_empty(),
        ..Evidence::default()
    };
    let shown = match &source.call.action {
        Action::Shell { command } => {
            // What the command does is read from it as it is: a mark in a secret's place is a pattern to a shell.
            command::shell(command, source, exit, text, &mut evidence);
            let clean = (redact.text)(command);
            if matches!(clean, Cow::Owned(_)) {
                let kept = mcp::words_of(&clean);
                evidence.words.retain(|word| kept.contains(word));
            }
            clean
        }
        action => {
            typed(action, source, text, &mut evidence);
            Cow::Borrowed(shown(action))
        }
    };
    if matches!(source.call.action, Action::Shell { .. } | Action::Read { .. } | Action::Mcp { .. }) {
        evidence.long_words = long_words(text, LONG_WORDS_MAX);
    }
    evidence.summary = summary(&evidence, &shown, text);
    evidence
}

/// The call without secrets in what words and names are taken from. `None`: such texts are not in it.
fn clean_call(call: &ToolCall, redact: Redact) -> Option<ToolCall> {
    let text = |text: &str| (redact.text)(text).into_owned();
    let (action, input) = match &call.action {
        Action::Search { path, pattern } => {
            (Action::Search { path: path.clone(), pattern: text(pattern) }, call.input.clone())
        }
        Action::Fetch { address } => (Action::Fetch { address: text(address) }, call.input.clone()),
        Action::Delegate { agent, prompt } => {
            (Action::Delegate { agent: agent.clone(), prompt: text(prompt) }, call.input.clone())
        }
        Action::Mcp { server, tool, strings } => {
            let strings = strings.iter().map(|(key, value)| (key.clone(), (redact.argument)(key, value)));
            let (server, tool) = (server.clone(), tool.clone());
            (Action::Mcp { server, tool, strings: strings.collect() }, call.input.clone())
        }
        Action::Other => (Action::Other, text(&call.input)),
        _ => return None,
    };
    Some(ToolCall { action, input, ..call.clone() })
}

fn channel(action: &Action) -> Channel {
    match action {
        Action::Shell { .. } => Channel::Shell,
        Action::Write { .. }
        | Action::Edit { .. }
        | Action::NotebookEdit { .. }
        | Action::Read { .. }
        | Action::Search { .. } => Channel::File,
        Action::Mcp { .. } => Channel::Mcp,
        Action::Delegate { .. } => Channel::Delegate,
        Action::Fetch { .. } => Channel::Web,
        Action::Plan | Action::Other => Channel::Other,
    }
}

/// What a summary shows of a call that is no command.
fn shown(action: &Action) -> &str {
    match action {
        Action::Write { path, .. }
        | Action::Edit { path, .. }
        | Action::NotebookEdit { path, .. }
        | Action::Read { path } => path.as_deref().unwrap_or_default(),
        Action::Search { pattern, .. } => pattern,
        Action::Fetch { address } => address,
        Action::Delegate { prompt, .. } => prompt,
        Action::Mcp { strings, .. } => strings.first().map_or("", |(_, value)| value),
        Action::Shell { .. } | Action::Plan | Action::Other => "",
    }
}

/// A path as evidence keeps it: absolute where it can be.
fn resolved(source: &Source<'_>, path: &str) -> String {
    lexical::expand(source.cwd, source.place.home.as_deref(), path).display().to_string()
}

fn typed(action: &Action, source: &Source<'_>, text: &str, evidence: &mut Evidence) {
    let mut files: Vec<FileAct> = Vec::new();
    let mut deeds: Vec<Deed> = Vec::new();
    let mut file = |act: Act, path: &Option<String>, tree: bool, times: usize| {
        if let Some(path) = path {
            let times = u32::try_from(times.max(1)).unwrap_or(u32::MAX);
            files.push(FileAct { tree, times, ..FileAct::new(act, resolved(source, path)) });
        }
    };
    let mut looks = false;
    let mut words: Vec<String> = Vec::new();
    let mut target = String::new();
    let mut told = true;
    let mut part = false;
    match action {
        Action::Write { path, .. } => {
            file(Act::Create, path, false, 1);
            file(Act::Edit, path, false, 1);
        }
        Action::Edit { path, changes } => {
            file(Act::Edit, path, false, changes.len());
            if changes.iter().all(|change| change.old.is_empty()) {
                file(Act::Create, path, false, 1);
            }
        }
        Action::NotebookEdit { path, .. } => file(Act::Edit, path, false, 1),
        Action::Read { path } => {
            looks = true;
            told = path.as_deref().is_some_and(is_data);
            file(Act::Read, path, false, 1);
            part = excerpt(&source.call.input, text);
        }
        Action::Search { path, pattern } => {
            looks = true;
            told = false;
            let place = Some(path.clone().unwrap_or_else(|| ".".to_owned()));
            file(Act::Search, &place, true, 1);
            if evidence.ok {
                for shown in shown_files(path.as_deref(), text) {
                    file(Act::Read, &Some(shown), false, 1);
                }
                part = true;
            }
            words.extend(mcp::words_of(super::text::head(pattern, 120)));
        }
        Action::Fetch { address } => {
            looks = true;
            let host = if address.contains("://") { super::program::host(address) } else { address.as_str() };
            deeds.push(Deed { act: Act::Fetch, object: shorten(host) });
            deeds.push(Deed { act: Act::Read, object: shorten(address) });
            words.extend(mcp::words_of(super::text::head(address, 200)));
            host.clone_into(&mut target);
        }
        Action::Plan => told = false,
        Action::Delegate { agent, .. } => {
            words.extend(mcp::words_of(agent));
            "subagent".clone_into(&mut target);
        }
        Action::Mcp { server, tool, strings } => {
            let meaning = mcp::meaning(tool, strings);
            looks = meaning.reads;
            evidence.opaque = meaning.opaque;
            deeds = meaning.deeds;
            files.extend(
                meaning.files.into_iter().map(|it| FileAct { path: resolved(source, &it.path), ..it }),
            );
            words.extend(mcp::words_of(server));
            words.extend(mcp::words_of(tool));
            for (_, value) in strings.iter().filter(|(_, value)| value.len() < 200).take(8) {
                words.extend(mcp::words_of(value));
            }
            target = format!("{server} {tool}");
        }
        Action::Other => {
            let tool = &source.call.tool;
            let strings = mcp::strings(&source.call.input);
            let meaning = mcp::meaning(tool, &strings);
            let harmless = [
                "output",
                "wait",
                "status",
                "skill",
                "todo",
                "toolsearch",
                "planmode",
                "killshell",
                "killbash",
                "taskupdate",
                "taskcreate",
                "askuser",
            ];
            looks = meaning.reads || harmless.iter().any(|it| has(tool, it));
            evidence.opaque = !looks;
            if !looks || meaning.reads {
                deeds = meaning.deeds;
                files.extend(
                    meaning.files.into_iter().map(|it| FileAct { path: resolved(source, &it.path), ..it }),
                );
            }
            words.extend(mcp::words_of(tool));
            target.clone_from(tool);
            if evidence.ok {
                evidence.runs = command::background_runs(&source.call.tool, text);
            }
        }
        Action::Shell { .. } => {}
    }
    if part {
        files.iter_mut().filter(|file| file.act == Act::Read).for_each(|file| file.part = true);
    }
    for path in files.iter().take(4) {
        words.extend(mcp::words_of(stem(&path.path)));
    }
    add_words(&mut evidence.words, words);
    if target.is_empty() {
        target = files.first().map_or_else(|| source.call.tool.clone(), |it| it.path.clone());
    }
    if evidence.ok {
        evidence.files = files;
        evidence.deeds = deeds;
        if matches!(action, Action::Delegate { .. }) {
            state::review(text, &mut evidence.answers);
            delegate::report(text, source, evidence);
        }
    } else {
        evidence.opaque = false;
        let kind = if source.outcome.interrupted {
            FailureKind::Interrupted
        } else {
            failure::refused(text).unwrap_or(
                if looks && failure::not_there(text)
                    || matches!(action, Action::Read { .. } | Action::Search { .. } | Action::Fetch { .. })
                {
                    FailureKind::Probe
                } else {
                    FailureKind::Error
                },
            )
        };
        evidence.failure = Some(Failure {
            kind,
            missed: missed(deeds, &files),
            target: target.clone(),
            message: failure::message(text),
        });
    }
    if evidence.failure.is_none() && !target.is_empty() {
        evidence.targets.push(target);
    }
    let result = !matches!(
        action,
        Action::Write { .. } | Action::Edit { .. } | Action::NotebookEdit { .. } | Action::Plan
    );
    if result && told && evidence.ok {
        evidence.measures = measure::measures(text);
        for line in measure::notable(text) {
            if evidence.notable.len() < NOTABLE_MAX && !evidence.notable.contains(&line) {
                evidence.notable.push(line);
            }
        }
        state::lines(text, &[], &mut evidence.answers);
    }
    if let Action::Search { path, pattern } = action
        && evidence.ok
    {
        state::search(&source.call.input, pattern, path.as_deref(), text, &mut evidence.answers);
    }
}

/// Whether a read was told to show a part, and did: it began later, or ended where it was told to.
fn excerpt(input: &str, text: &str) -> bool {
    let number = |key: &str| {
        let rest = input.split_once(&format!("\"{key}\""))?.1.trim_start().strip_prefix(':')?;
        let rest = rest.trim_start_matches([' ', '[', '"']);
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse::<usize>().ok()
    };
    let begins = ["offset", "start_line", "view_range", "startLine"].iter().any(|key| number(key) > Some(1));
    let most = number("limit").or_else(|| {
        let end = number("end_line").or_else(|| number("endLine"))?;
        Some(end)
    });
    begins || most.is_some_and(|most| most <= lines(text).count()) || input.contains("\"view_range\"")
}

/// Acts that did not take effect.
pub(super) fn missed(mut deeds: Vec<Deed>, files: &[FileAct]) -> Vec<Deed> {
    for file in files {
        let deed = Deed { act: file.act, object: file.path.clone() };
        if !deeds.contains(&deed) {
            deeds.push(deed);
        }
    }
    deeds.truncate(64);
    deeds
}

/// The files that a search's output shows lines of.
pub(super) fn shown_files(place: Option<&str>, text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines(text).take(2_000) {
        // `src/a.rs:12:fn main()`, `src/a.rs:fn main()`
        let path = line.split(':').next().unwrap_or_default();
        if path.len() < line.len()
            && base(path).find('.').is_some_and(|at| at + 1 < base(path).len())
            && !path.contains(|c: char| c.is_whitespace() || "\"'(){}[]<>=,;`".contains(c))
            && path.starts_with(|c: char| c.is_alphanumeric() || "./~_@-".contains(c))
        {
            if !out.iter().any(|it| it == path) {
                out.push(path.to_owned());
            }
        } else if let Some(place) = place.filter(|it| base(it).contains('.'))
            && line
                .split([':', '-'])
                .next()
                .is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
            && !out.iter().any(|it| it == place)
        {
            // A search in one file shows numbers alone.
            out.push(place.to_owned());
        }
        if 64 <= out.len() {
            break;
        }
    }
    out
}

/// Files that hold results rather than sources.
pub(super) fn is_data(path: &str) -> bool {
    let lower = base(path).to_lowercase();
    matches!(
        lower.rsplit_once('.').map(|(_, it)| it),
        Some("log" | "txt" | "csv" | "tsv" | "out" | "json" | "jsonl" | "xml" | "ndjson" | "err" | "report")
    ) && lower != "package.json"
        && lower != "tsconfig.json"
        && !lower.ends_with("-lock.json")
}

/// A file's name without its extensions.
pub(super) fn stem(path: &str) -> &str {
    let name = base(path);
    name.find('.').filter(|at| 0 < *at).map_or(name, |at| &name[..at])
}

/// Adds lower-case words, each once.
pub(super) fn add_words(all: &mut Vec<String>, words: Vec<String>) {
    for word in words {
        if WORDS_MAX <= all.len() {
            return;
        }
        if 1 < word.chars().count()
            && word.len() < 40
            && !word.bytes().all(|byte| byte.is_ascii_digit())
            && !all.contains(&word)
        {
            all.push(word);
        }
    }
}

fn summary(evidence: &Evidence, shown: &str, text: &str) -> String {
    let call = shortened_line(shown, SUMMARY_CALL_CHARS);
    let start = if call.is_empty() { evidence.tool.clone() } else { format!("{}: {call}", evidence.tool) };
    format!("{start} → {}", result(evidence, text))
}

fn result(evidence: &Evidence, text: &str) -> String {
    let counts: Vec<String> = evidence
        .runs
        .iter()
        .filter_map(|run| {
            let outcome = &run.outcome;
            let mut parts = Vec::new();
            let mut part = |count: Option<u64>, word: &str| {
                if let Some(count) = count {
                    parts.push(format!("{count} {word}"));
                }
            };
            part(outcome.tests_passed, "passed");
            part(outcome.tests_failed.filter(|it| 0 < *it), "failed");
            part(outcome.tests_skipped, "skipped");
            part(outcome.errors, "errors");
            part(outcome.warnings.filter(|it| 0 < *it), "warnings");
            if parts.is_empty() {
                parts.push(
                    match outcome.passed {
                        Some(true) => "passed",
                        Some(false) => "failed",
                        None => return None,
                    }
                    .to_owned(),
                );
            }
            Some(if 1 < evidence.runs.len() {
                format!("{}: {}", run.program, parts.join(", "))
            } else {
                parts.join(", ")
            })
        })
        .collect();
    let mut seen: Vec<&String> = Vec::new();
    for count in &counts {
        if !seen.contains(&count) {
            seen.push(count);
        }
    }
    if !seen.is_empty() {
        let joined = seen.into_iter().map(String::as_str).collect::<Vec<_>>().join("; ");
        return shortened_line(&joined, SUMMARY_RESULT_CHARS);
    }
    if let Some(failure) = &evidence.failure {
        let kind = match failure.kind {
            FailureKind::Refused => "refused: ",
            FailureKind::Interrupted => "interrupted: ",
            FailureKind::Answer => "answered no",
            _ => "failed: ",
        };
        return shortened_line(
            &format!("{kind}{}", if failure.kind == FailureKind::Answer { "" } else { &failure.message }),
            SUMMARY_RESULT_CHARS,
        );
    }
    let line = lines(text).map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    if line.is_empty() { "no output".to_owned() } else { shortened_line(line, SUMMARY_RESULT_CHARS) }
}
