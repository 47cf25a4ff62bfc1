//! Code given to interpreters on the command line or on stdin: Python, JavaScript, Ruby, Perl, PHP.
//!
//! Not an interpreter: a reader of calls with literal arguments. What it cannot resolve becomes a target
//! without a path, which guards treat as unresolved; what it does not know has no effect.

use std::collections::BTreeMap;

use hostler_model::EffectKind;
use hostler_model::text::one_line;

use super::machine::{Data, Machine, State, Stream};
use super::run::Call;
use super::word::{Field, Piece};

mod calls;
mod reader;
mod tokens;

use super::files;
use reader::Reader;
use tokens::{Language, tokens};

/// Longest code that is read, in bytes.
const CODE_BYTES_MAX: usize = 128 * 1024;

fn language(name: &str) -> Option<Language> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match stem {
        "python" | "pypy" | "ipython" | "pythonw" | "micropython" | "sage" => Language::Python,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" | "qjs" => Language::Js,
        "ruby" | "jruby" | "irb" => Language::Ruby,
        "perl" => Language::Perl,
        "php" | "lua" | "luajit" | "Rscript" | "R" | "julia" | "osascript" | "groovy" => Language::Php,
        _ => return None,
    })
}

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let language = language(call.name)?;
    let args = call.args;
    let mut index = 0;
    let mut found = false;
    while let Some(field) = args.get(index) {
        let head = field.head();
        let flags = head.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        let takes_code = match language {
            Language::Python => flags.ends_with('c'),
            Language::Js => matches!(head, "-e" | "-p" | "-pe" | "--eval" | "--print" | "eval"),
            Language::Perl => flags.ends_with(['e', 'E']) && !flags.starts_with(['M', 'I']),
            Language::Ruby => flags.ends_with('e') && !flags.starts_with(['r', 'I']),
            Language::Php => matches!(head, "-r" | "-e" | "--run"),
        };
        if takes_code {
            if let Some(code) = args.get(index + 1) {
                read_field(machine, language, code, call, state);
            }
            found = true;
            index += 2;
            if language == Language::Python {
                break;
            }
            continue;
        }
        if let Some(code) = head.strip_prefix("--eval=").or_else(|| head.strip_prefix("--print=")) {
            read_code(machine, language, code, call, state);
            found = true;
        } else if language == Language::Python && flags == "m" {
            return Some(module(machine, call, args.get(index + 1..).unwrap_or_default(), state));
        } else if matches!(head, "--version" | "-V" | "--help" | "-h" | "-v") && flags != "e" {
            return Some(Stream::opaque("a help text", false));
        } else if matches!(head, "-W" | "-X" | "-r" | "-I" | "--require" | "--import" | "-Q")
            && language != Language::Php
        {
            index += 1;
        } else if !head.starts_with('-') || head == "-" {
            break;
        }
        index += 1;
    }
    if found {
        if matches!(language, Language::Perl | Language::Ruby) && files::in_place(call) {
            files::edit_in_place(machine, call, state);
        }
        return Some(Stream {
            secret: call.stdin.secret.clone(),
            ..Stream::opaque(format!("output of `{}`", call.name), false)
        });
    }
    let script =
        args.get(index).filter(|field| !matches!(field.known().as_deref(), Some("-" | "/dev/stdin")));
    match script {
        None => read_stream(machine, language, &call.stdin.clone(), call, state),
        Some(field) => {
            let text = field.render();
            let base = text.rsplit('/').next().unwrap_or_default();
            if matches!(base, "manage.py" | "artisan")
                || (language == Language::Ruby && matches!(base, "rails" | "rake"))
            {
                let mut argv = args[index..].to_vec();
                argv[0] = Field::text(base);
                return Some(machine.run(argv, state, call.stdin));
            }
            if matches!(
                text.as_str(),
                "run"
                    | "test"
                    | "x"
                    | "install"
                    | "add"
                    | "remove"
                    | "task"
                    | "fmt"
                    | "lint"
                    | "check"
                    | "build"
            ) && language == Language::Js
                && call.name != "node"
            {
                return None;
            }
            let stream = machine.read_file(field, state, call.name);
            read_stream(machine, language, &stream, call, state);
        }
    }
    Some(Stream::opaque(format!("output of `{}`", call.name), false))
}

/// `python -m MODULE`.
fn module(machine: &mut Machine<'_>, call: &Call<'_>, args: &[Field], state: &mut State) -> Stream {
    match args.first().and_then(Field::known).as_deref() {
        Some("pip") => machine.run(args.to_vec(), state, call.stdin),
        Some("piptools") => machine.run(
            [Field::text("pip-sync")].into_iter().chain(args[1..].iter().cloned()).collect(),
            state,
            call.stdin,
        ),
        Some("django") => machine.run(
            [Field::text("manage.py")].into_iter().chain(args[1..].iter().cloned()).collect(),
            state,
            call.stdin,
        ),
        Some("zipfile" | "tarfile" | "venv" | "compileall" | "http.server") | None => Stream::NOTHING,
        Some(name) => Stream::opaque(format!("output of `{name}`"), false),
    }
}

fn read_stream(
    machine: &mut Machine<'_>,
    language: Language,
    stream: &Stream,
    call: &Call<'_>,
    state: &mut State,
) {
    match &stream.data {
        Data::Text(text) => read_code(machine, language, text, call, state),
        Data::Opaque { why, remote: true } => {
            machine.emit(EffectKind::ExecRemote, Vec::new(), call.render(), format!("it runs {why}"), state);
        }
        // Data piped to an interpreter without a script is its program.
        Data::Opaque { why, remote: false } => {
            machine.unresolved(super::shorten(&call.render()), format!("it runs {why}"));
        }
        Data::File(path) => {
            if path.as_ref().is_some_and(|path| machine.downloads.contains(path)) {
                machine.emit(
                    EffectKind::ExecRemote,
                    Vec::new(),
                    call.render(),
                    "it runs what was just downloaded",
                    state,
                );
            }
            machine.enter(path.as_ref(), |machine, text| read_code(machine, language, text, call, state));
        }
        Data::Nothing | Data::Name => {}
    }
}

/// The interpreter that a script's first line names; `None` for shells and for none.
pub(super) fn interpreter(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let name = if program == "env" { words.find(|word| !word.starts_with('-'))? } else { program };
    language(name).map(|_| name)
}

/// Reads the text of a script of `interpreter`.
pub(super) fn run_source(
    machine: &mut Machine<'_>,
    name: &str,
    text: &str,
    script: &Field,
    state: &mut State,
) {
    if let Some(language) = language(name) {
        let argv = [script.clone()];
        let call = Call { name, word: name, argv: &argv, args: &[], stdin: &Stream::NOTHING };
        read_code(machine, language, text, &call, state);
    }
}

fn read_field(
    machine: &mut Machine<'_>,
    language: Language,
    code: &Field,
    call: &Call<'_>,
    state: &mut State,
) {
    match machine.source(code) {
        Some(stream) => read_stream(machine, language, &stream, call, state),
        None if matches!(code.0.as_slice(), [Piece::Unknown(_)]) => {
            machine.unresolved(
                super::shorten(&call.render()),
                format!("it runs `{}`, which is known only then", code.render()),
            );
        }
        None => read_code(machine, language, &code.render(), call, state),
    }
}

fn read_code(machine: &mut Machine<'_>, language: Language, code: &str, call: &Call<'_>, state: &mut State) {
    if CODE_BYTES_MAX < code.len() {
        machine.unresolved(super::shorten(&call.render()), "its code is too long to analyse");
        return;
    }
    if call.name == "osascript" {
        // AppleScript runs commands by this phrase alone.
        for part in code.split("do shell script \"").skip(1) {
            let end = part.char_indices().find(|(at, c)| *c == '"' && !part[..*at].ends_with('\\'));
            let text = part.get(..end.map_or(part.len(), |(at, _)| at)).unwrap_or_default();
            machine.run_text(&text.replace("\\\"", "\""), &mut state.clone(), &Stream::NOTHING);
        }
        return;
    }
    let squeezed = one_line(code);
    let forks = ["os.fork()", "fork while", "{fork", "fork;", "fork {", "fork()"]
        .iter()
        .any(|mark| squeezed.contains(mark));
    if forks && ["while", "loop", "for(", "for (", "until"].iter().any(|mark| squeezed.contains(mark)) {
        machine.fork_bomb(call.name);
    }
    let tokens = tokens(code, language);
    let mut reader = Reader {
        machine,
        state,
        tokens: &tokens,
        at: 0,
        depth: 0,
        language,
        vars: BTreeMap::new(),
        command: call.render(),
        from_os: code.contains("from os import"),
    };
    reader.program();
}
