//! The simple commands of a line, with what they mean and do.

use hostler_model::{Coverage, Effect, EffectKind, lexical};

use super::super::FileAct;
use super::super::of::Source;
use super::super::program::{Meaning, Role, Words, folder_scope, meaning};
use super::super::text::base;
use super::{State, Step};
use crate::claims::Act;
use crate::shell::{self, Command, Flow};

/// The analysis of a command line; one that a record has cut is closed first.
pub(super) fn analyse(command: &str, source: &Source<'_>) -> shell::Report {
    let report = shell::analyse(command, source.cwd, source.place);
    if !report.commands.is_empty() || matches!(report.coverage, Coverage::Full) {
        return report;
    }
    let tag = command
        .rsplit_once("<<")
        .and_then(|(_, rest)| rest.trim_start_matches('-').split_whitespace().next())
        .map(|tag| tag.trim_matches(['\'', '"', '\\', ')', ';']).to_owned())
        .filter(|tag| !tag.is_empty() && tag.len() < 40);
    let mut endings = vec!["\"".to_owned(), "'".to_owned()];
    if let Some(tag) = tag {
        endings.push(format!("\n{tag}\n"));
        endings.push(format!("\n{tag}\n)\""));
    }
    endings
        .into_iter()
        .map(|ending| shell::analyse(&format!("{command}{ending}"), source.cwd, source.place))
        .find(|report| !report.commands.is_empty())
        .unwrap_or(report)
}

/// The commands that do something themselves: wrappers give way to what they wrap.
pub(super) fn steps(commands: &[Command], source: &Source<'_>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        let words: Vec<String> = command.words.iter().map(|word| word.clone().unwrap_or_default()).collect();
        if wraps(&words, command, commands.get(index + 1..).unwrap_or_default()) {
            continue;
        }
        let Some(view) = Words::new(&words) else { continue };
        if let Some(previous) = out.iter_mut().rev().find(|step| step.flow.pipeline == command.flow.pipeline)
        {
            // What a project's script runner wraps is the script's name, which its own words tell better.
            let runner = matches!(
                previous.name(),
                "npm" | "pnpm" | "yarn" | "bun" | "npx" | "uv" | "poetry" | "deno" | "rtk"
            );
            if runner && previous.words.ends_with(&words) {
                let known = !is_script_name(view.name);
                if !known {
                    continue;
                }
                previous.meaning = resolve(meaning(view), command, source);
                narrow(&mut previous.meaning, command, source);
                previous.words = words;
                continue;
            }
            if previous.words == words {
                continue;
            }
        }
        let mut found = resolve(meaning(view), command, source);
        narrow(&mut found, command, source);
        out.push(Step {
            meaning: found,
            words,
            flow: command.flow,
            cwd: command.cwd.clone(),
            state: State::Ran,
        });
    }
    out
}

/// Names that are scripts rather than programs when a package manager runs them.
fn is_script_name(name: &str) -> bool {
    meaning(Words { name, word: name, args: &[] }).judges.is_empty()
        || matches!(name, "test" | "build" | "lint" | "check" | "format")
}

/// A wrapper whose inner command follows.
fn wraps(words: &[String], command: &Command, rest: &[Command]) -> bool {
    let Some((first, args)) = words.split_first() else { return true };
    let Some(next) = rest.first() else { return false };
    let suffix = !next.words.is_empty()
        && next.words.len() < words.len()
        && next
            .words
            .iter()
            .rev()
            .zip(words.iter().rev())
            .take(next.words.len() - 1)
            .all(|(a, b)| a.as_deref().unwrap_or_default() == b);
    let same = next.flow.pipeline == command.flow.pipeline;
    let name = base(first);
    match name {
        "sudo" | "doas" | "nohup" | "setsid" | "builtin" | "timeout" | "gtimeout" | "nice" | "ionice"
        | "time" | "exec" | "stdbuf" | "env" | "command" | "xvfb-run" | "caffeinate" | "unbuffer"
        | "strace" | "doppler" | "dotenv" | "dotenvx" | "op" | "chronic" | "busybox" | "flock" | "script"
        | "su" | "runuser" | "nix-shell" | "nix" | "direnv" | "mise" | "asdf" | "rtk" | "xargs"
        | "parallel" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "uvx" | "npx" | "bunx" | "pnpx"
        | "conda" | "mamba" | "bundle" => {
            (same || matches!(name, "su" | "script" | "flock" | "nix-shell" | "env" | "parallel"))
                && (suffix
                    || matches!(name, "xargs" | "su" | "script" | "flock" | "nix-shell" | "parallel" | "env"))
        }
        "uv" => same && suffix && args.first().is_some_and(|it| it == "run"),
        "npm" => same && suffix && args.first().is_some_and(|it| it == "exec" || it == "x"),
        "pnpm" | "yarn" | "bun" => {
            same && suffix && args.first().is_some_and(|it| matches!(it.as_str(), "exec" | "dlx" | "x"))
        }
        "python" | "python3" => {
            // `python -m pip …` is followed by `pip …`.
            let own = next.words.first().and_then(Option::as_deref);
            same && suffix
                && (args.first().is_some_and(|it| it == "-m") || matches!(own, Some("manage.py" | "artisan")))
        }
        "watch" | "entr" | "hyperfine" | "retry" => true,
        _ => {
            shell::is_shell(name)
                && args.iter().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('c'))
        }
    }
}

/// Paths made absolute against the command's own folder.
fn resolve(mut found: Meaning, command: &Command, source: &Source<'_>) -> Meaning {
    let home = source.place.home.as_deref();
    for file in &mut found.files {
        let absolute = file.path.starts_with('/') || file.path.starts_with('~');
        if command.remote && !absolute {
            continue;
        }
        match &command.cwd {
            Some(cwd) => file.path = lexical::expand(cwd, home, &file.path).display().to_string(),
            None if absolute => {
                file.path = lexical::expand(source.cwd, home, &file.path).display().to_string();
            }
            None => {}
        }
        file.tree |= file.path.contains('*');
    }
    found.files.retain(|file| !file.path.is_empty() && !file.path.starts_with("/dev/"));
    found
}

/// A command below the agent's folder judges that folder: `cd packages/api && npm test`.
fn narrow(found: &mut Meaning, command: &Command, source: &Source<'_>) {
    let below = command.cwd.as_ref().and_then(|cwd| cwd.strip_prefix(source.cwd).ok());
    found.narrow(below.and_then(|it| folder_scope(&it.display().to_string())));
}

/// Attaches file effects to the steps that have them; those of no step are returned.
pub(super) fn effects(effects: &[Effect], flows: &[Flow], steps: &mut [Step]) -> Vec<FileAct> {
    let mut loose = Vec::new();
    for (effect, flow) in effects.iter().zip(flows) {
        let name = effect.command.split_whitespace().next().map(base).unwrap_or_default();
        let same = |step: &Step| {
            step.flow.pipeline == flow.pipeline && step.flow.fed == flow.fed && step.flow.piped == flow.piped
        };
        let at = {
            let named =
                steps.iter().rposition(|step| step.flow.pipeline == flow.pipeline && step.name() == name);
            named.or_else(|| steps.iter().rposition(same))
        };
        match at.and_then(|at| steps.get_mut(at)) {
            Some(step) => {
                let acts = acts_of(effect, name, Some(step));
                for act in acts {
                    if !step.meaning.files.contains(&act) {
                        step.meaning.files.push(act);
                    }
                }
            }
            None => loose.extend(acts_of(effect, name, None)),
        }
    }
    loose
}

/// What an effect of the shell analysis does to files.
fn acts_of(effect: &Effect, name: &str, step: Option<&Step>) -> Vec<FileAct> {
    let role = step.map_or(Role::Look, |step| step.meaning.role);
    let acts: &[Act] = match effect.kind {
        EffectKind::Delete => &[Act::Delete],
        EffectKind::Truncate | EffectKind::Overwrite => match name {
            "mv" | "gmv" | "cp" | "gcp" => &[],
            _ => &[Act::Create, Act::Edit],
        },
        EffectKind::Write => match name {
            "touch" | "mkdir" | "mkfifo" | "install" | "git" | "ditto" | "tar" | "unzip" | "bsdtar"
            | "7z" => &[Act::Create],
            "sed" | "gsed" | "perl" | "ruby" | "patch" | "vim" | "vi" | "nvim" | "ex" | "ed" => &[Act::Edit],
            "mv" | "gmv" | "cp" | "gcp" => &[],
            _ => &[Act::Edit, Act::Create],
        },
        // Operands of programs that print are known from their words; what is left are inputs and what code opens.
        EffectKind::Read => {
            let input = effect.command.starts_with('<') && role != Role::Judge;
            let script = |step: &Step| step.meaning.deeds.iter().any(|deed| deed.act == Act::Run);
            let code = interpreter(name)
                && role == Role::Deed
                && step.is_some_and(|step| !step.meaning.opaque && !script(step));
            if input || code { &[Act::Read] } else { &[] }
        }
        _ => &[],
    };
    let mut out = Vec::new();
    for target in &effect.targets {
        let (path, tree) = match &target.path {
            Some(path) if target.glob => (path.join(&target.pattern).display().to_string(), true),
            Some(path) => (path.display().to_string(), effect.recursive),
            None => continue,
        };
        // `sed -i '' 's|a|b|' file` of BSD: the script stands where GNU has the first file.
        let script = matches!(name, "sed" | "gsed")
            && target.text.starts_with(['s', 'y', '/', '1', '2', '$'])
            && (target.text.matches(['|', '/', '#', ',', '@']).count() == 3 && !target.text.contains('.')
                || target.text.starts_with("s|")
                || target.text.starts_with("s/")
                || target.text.starts_with("s#"));
        if script || path.starts_with("/dev/") {
            continue;
        }
        let unpacked = matches!(name, "tar" | "unzip" | "bsdtar" | "7z");
        let cloned = name == "git" && effect.kind == EffectKind::Write;
        for act in acts {
            out.push(FileAct { tree: tree || unpacked || cloned, ..FileAct::new(*act, path.clone()) });
        }
    }
    out
}

/// Programs that run code given as text.
fn interpreter(name: &str) -> bool {
    matches!(name, "python" | "python3" | "node" | "ruby" | "perl" | "php" | "deno" | "bun" | "tsx")
}

/// Marks of code that writes, or that does what only its own text tells.
const WRITING: &[&str] = &[
    ".write",
    "write_text",
    "writeFile",
    "open(",
    "to_csv",
    "to_json",
    ".save",
    "dump(",
    "subprocess",
    "os.system",
    "shutil",
    "execSync",
    "rename",
    "unlink",
    "File.open",
    "import ",
    "require(",
    "exec(",
    "spawn",
];

/// Whether something of the line may have done what its text does not tell.
pub(super) fn unread(report: &shell::Report, command: &str, steps: &[Step]) -> bool {
    // Scripts whose content was not read are known from the words of what runs them.
    let gaps = match &report.coverage {
        Coverage::Full => false,
        Coverage::Partial(gaps) => gaps.iter().any(|gap| !gap.ends_with("whose content was not read")),
    };
    let unresolved = report.effects.iter().any(|effect| {
        matches!(
            effect.kind,
            EffectKind::Overwrite
                | EffectKind::Write
                | EffectKind::Delete
                | EffectKind::MoveAway
                | EffectKind::Truncate
        ) && effect.targets.iter().any(|target| target.path.is_none())
    });
    let code = steps.iter().any(|step| {
        interpreter(step.name())
            && step.meaning.role == Role::Deed
            && !step.meaning.files.iter().any(|file| file.act != Act::Read)
    });
    let writing = code && WRITING.iter().any(|it| command.contains(it));
    gaps || unresolved || writing || steps.iter().any(|step| step.meaning.opaque)
}
