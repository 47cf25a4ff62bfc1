//! The shell's own commands, and small programs whose output other words are made of.

use hostler_model::lexical;

use super::args::Args;
use super::machine::{Data, Machine, State, Stream};
use super::run::{Call, render};
use super::word::{Field, Piece, Value, ansi_c};

/// Programs whose output is meant for `eval`: they print assignments.
const ENVIRONMENT_PRINTERS: &[&str] = &[
    "ssh-agent",
    "direnv",
    "brew",
    "pyenv",
    "rbenv",
    "nodenv",
    "goenv",
    "jenv",
    "conda",
    "mamba",
    "micromamba",
    "opam",
    "starship",
    "zoxide",
    "fnm",
    "mise",
    "rtx",
    "asdf",
    "minikube",
    "docker-machine",
    "dircolors",
    "luarocks",
    "register-python-argcomplete",
    "kubectl",
    "gh",
    "thefuck",
    "keychain",
    "nvm",
    "volta",
    "fzf",
    "atuin",
    "perl",
    "poetry",
    "pipenv",
    "uv",
    "rustup",
    "sdk",
    "tmuxinator",
];

/// Programs that print one harmless word.
const NAME_PRINTERS: &[&str] = &[
    "date", "uuidgen", "nproc", "hostname", "whoami", "id", "uname", "arch", "wc", "seq", "expr", "bc",
    "tty", "logname", "getconf",
];

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let args = call.args;
    Some(match call.name {
        ":" | "true" | "false" | "exit" | "return" | "break" | "continue" | "wait" | "jobs" | "fg" | "bg"
        | "disown" | "ulimit" | "umask" | "shopt" | "bind" | "times" | "sleep" | "test" | "[" | "help"
        | "logout" | "caller" | "compgen" | "complete" | "history" | "fc" | "suspend" => Stream::NOTHING,
        "man" | "info" | "apropos" | "whatis" | "tldr" => Stream::opaque("a manual page", false),
        "echo" => echo(machine, args),
        "printf" => printf(machine, args, state),
        "cd" | "chdir" | "pushd" => {
            change_folder(machine, args, state, call.name == "pushd");
            Stream::NOTHING
        }
        "popd" => {
            state.old_cwd = state.cwd.take();
            state.cwd = state.folders.pop().flatten();
            Stream::NOTHING
        }
        "pwd" => match &state.cwd {
            Some(cwd) => Stream::text(format!("{}\n", cwd.display())),
            None => Stream::opaque("the working directory", false),
        },
        "eval" => eval(machine, call, state),
        "source" | "." => {
            source(machine, call, state);
            Stream::NOTHING
        }
        "trap" => {
            if let Some(code) = args.iter().find(|field| !field.head().starts_with("--")) {
                let text = code.render();
                if text != "-" && 1 < args.len() {
                    machine.run_text(&text, &mut state.clone(), &Stream::NOTHING);
                }
            }
            Stream::NOTHING
        }
        "alias" => {
            for field in args {
                let text = field.render();
                if let Some((name, value)) = text.split_once('=') {
                    state.aliases.insert(name.to_owned(), value.to_owned());
                }
            }
            Stream::NOTHING
        }
        "unalias" => {
            for field in args {
                state.aliases.remove(&field.render());
            }
            Stream::NOTHING
        }
        "hash" => {
            let parsed = Args::parse(args, "-p");
            if let (Some(path), Some(name)) = (parsed.value(&["-p"]), parsed.operand(0)) {
                state.aliases.insert(name, path.render());
            }
            Stream::NOTHING
        }
        "unset" => {
            for field in args {
                let name = field.render();
                state.vars.remove(&name);
                state.functions.remove(&name);
            }
            Stream::NOTHING
        }
        "set" => {
            if let Some(at) = args.iter().position(|field| field.head() == "--") {
                state.args = args[at + 1..].to_vec();
            }
            Stream::NOTHING
        }
        "shift" => {
            let count = call.arg(0).and_then(|text| text.parse().ok()).unwrap_or(1).min(state.args.len());
            state.args.drain(..count);
            Stream::NOTHING
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            for field in args {
                // Words that the parser did not read as assignments: `export $X`, `declare "a=b"`.
                if let Some((name, value)) = field.known().as_deref().and_then(|text| text.split_once('=')) {
                    state.set(name, Value::Scalar(Field::text(value)));
                }
            }
            Stream::NOTHING
        }
        "let" => {
            for field in args {
                if let Some((name, _)) = field.render().split_once('=') {
                    let name = name.trim_end_matches(['+', '-', '*', '/']);
                    state.set(name, Value::Scalar(Field(vec![Piece::Name(format!("${name}"))])));
                }
            }
            Stream::NOTHING
        }
        "read" | "mapfile" | "readarray" | "getopts" => {
            read(call, state);
            Stream::NOTHING
        }
        "which" | "type" | "whence" | "where" => lookup(args),
        "mktemp" => mktemp(machine, args, state),
        "dirname" | "basename" => path_part(call),
        "realpath" | "readlink" => match args.last().map(|field| machine.target(field, state)) {
            Some(target) if !target.glob => match target.path {
                Some(path) => Stream::text(format!("{}\n", path.display())),
                None => Stream::opaque("a path", false),
            },
            _ => Stream::opaque("a path", false),
        },
        "cat" if args.is_empty() || (args.len() == 1 && call.arg(0).as_deref() == Some("-")) => {
            call.stdin.clone()
        }
        name if NAME_PRINTERS.contains(&name) => Stream::new(Data::Name),
        _ => return None,
    })
}

fn echo(machine: &Machine<'_>, args: &[Field]) -> Stream {
    let mut escapes = false;
    let mut newline = true;
    let mut rest = args;
    while let Some(flags) = rest.first().and_then(Field::known) {
        let letters = flags.strip_prefix('-').unwrap_or_default();
        if letters.is_empty() || !letters.chars().all(|c| "neE".contains(c)) {
            break;
        }
        escapes |= letters.contains('e');
        newline &= !letters.contains('n');
        rest = &rest[1..];
    }
    let secret = rest.iter().find_map(|field| machine.secret_in(field));
    let text = rest.iter().map(Field::render).collect::<Vec<_>>().join(" ");
    let text = if escapes { ansi_c(&text) } else { text };
    if let [only] = rest
        && let Some(stream) = machine.source(only)
    {
        return stream;
    }
    if text.is_empty() && !newline {
        return Stream::NOTHING;
    }
    Stream { data: Data::Text(if newline { text + "\n" } else { text }), secret }
}

fn printf(machine: &Machine<'_>, args: &[Field], state: &mut State) -> Stream {
    if let [flag, name, ..] = args
        && flag.head() == "-v"
    {
        let value = if let [_, _, format, value] = args
            && format.head() == "%s"
        {
            value.clone()
        } else if let [_, _, format] = args
            && !format.render().contains(['%', '\\'])
        {
            format.clone()
        } else {
            Field::unknown(format!("${}", name.render()))
        };
        state.set(&name.render(), Value::Scalar(value));
        return Stream::NOTHING;
    }
    let args = if args.first().is_some_and(|field| field.head() == "--") { &args[1..] } else { args };
    let Some((format, values)) = args.split_first() else { return Stream::NOTHING };
    let secret = values.iter().find_map(|field| machine.secret_in(field));
    let Some(format) = format.known() else { return Stream::opaque("the output of `printf`", false) };
    let data = match print(&format, values) {
        Some(text) if text.is_empty() => Data::Nothing,
        Some(text) => Data::Text(text),
        None => Data::Opaque { why: "the output of `printf`".to_owned(), remote: false },
    };
    Stream { data, secret }
}

/// `printf` with `%s`, `%b`, `%d` and `%%`; the format is used again while values are left.
fn print(format: &str, values: &[Field]) -> Option<String> {
    let format = ansi_c(&format.replace("\\\"", "\""));
    let mut out = String::new();
    let mut values = values.iter();
    let mut left = values.len();
    loop {
        let before = left;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match chars.next() {
                Some('%') => out.push('%'),
                Some(kind @ ('s' | 'b' | 'd' | 'i')) => {
                    let value = values.next().map(Field::render).unwrap_or_default();
                    left = left.saturating_sub(1);
                    out.push_str(&if kind == 'b' { ansi_c(&value) } else { value });
                }
                _ => return None,
            }
        }
        if left == 0 || left == before || 65_536 < out.len() {
            return Some(out);
        }
    }
}

fn change_folder(machine: &Machine<'_>, args: &[Field], state: &mut State, push: bool) {
    let parsed = Args::parse(args, "");
    let next = match parsed.operands.first() {
        None if args.iter().any(|field| field.head() == "-") => state.old_cwd.clone(),
        None => machine.place.home.clone(),
        Some(field) if field.head() == "-" && field.0.len() == 1 => state.old_cwd.clone(),
        Some(field) => {
            let target = machine.target(field, state);
            if target.glob { None } else { target.path }
        }
    };
    let old = std::mem::replace(&mut state.cwd, next);
    if push {
        state.folders.push(old.clone());
    }
    state.old_cwd = old;
}

fn eval(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    if let [only] = call.args
        && let [Piece::Unknown(source)] = only.0.as_slice()
    {
        let program = source.trim_start_matches("$(").split_whitespace().next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or_default();
        if source.starts_with("$(") && ENVIRONMENT_PRINTERS.contains(&program) {
            return Stream::NOTHING;
        }
        let stream = machine.source(only).unwrap_or_else(|| {
            Stream::opaque(format!("`{source}`, which is known only when it runs"), false)
        });
        return machine.run_stream(&stream, &call.render(), state);
    }
    let text = call.args.iter().map(Field::render).collect::<Vec<_>>().join(" ");
    machine.run_text(&text, state, call.stdin)
}

fn source(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let Some(file) = call.args.first() else { return };
    let stream = if matches!(file.known().as_deref(), Some("/dev/stdin" | "-" | "/proc/self/fd/0")) {
        call.stdin.clone()
    } else {
        machine.read_file(file, state, call.name)
    };
    machine.run_stream(&stream, &call.render(), state);
}

fn read(call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(
        call.args,
        if call.name == "read" { "-p -d -n -N -t -u -i" } else { "-d -n -O -s -u -c -C" },
    );
    let names: Vec<String> = match call.name {
        "getopts" => call.args.get(1).map(Field::render).into_iter().chain(["OPTARG".to_owned()]).collect(),
        _ if call.name == "read" => {
            let names: Vec<String> = parsed.operands.iter().map(Field::render).collect();
            if names.is_empty() { vec!["REPLY".to_owned()] } else { names }
        }
        _ => vec![parsed.operand(0).unwrap_or_else(|| "MAPFILE".to_owned())],
    };
    let text = match &call.stdin.data {
        Data::Text(text) if call.name != "getopts" && !text.contains(['$', '`']) => Some(text.clone()),
        _ => None,
    };
    let Some(text) = text else {
        for name in names {
            let unknown = Field::unknown(format!("${name}"));
            let value = if call.name == "read" || call.name == "getopts" {
                Value::Scalar(unknown)
            } else {
                Value::Array(vec![unknown])
            };
            state.set(&name, value);
        }
        return;
    };
    if call.name != "read" {
        let lines = text.lines().map(Field::text).collect();
        state.set(&names[0], Value::Array(lines));
        return;
    }
    if parsed.has(&["-a"]) {
        let words = text.split_whitespace().map(Field::text).collect();
        state.set(&names[0], Value::Array(words));
        return;
    }
    // A loop reads further lines: only a single line is certain.
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default();
    if lines.next().is_some() {
        for name in names {
            let unknown = Field::unknown(format!("${name}"));
            state.set(&name, Value::Scalar(unknown));
        }
        return;
    }
    let mut rest = line.trim();
    for (index, name) in names.iter().enumerate() {
        let word = if index + 1 == names.len() {
            std::mem::take(&mut rest)
        } else {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = after.trim_start();
            word
        };
        state.set(name, Value::Scalar(Field::text(word)));
    }
}

/// `which rm` prints a path to `rm`: used as a command word it is `rm`.
pub(super) fn lookup(args: &[Field]) -> Stream {
    match args.iter().rfind(|field| !field.head().starts_with('-')).and_then(Field::known) {
        Some(name) => Stream::text(format!("{name}\n")),
        None => Stream::opaque("a path", false),
    }
}

fn mktemp(machine: &Machine<'_>, args: &[Field], state: &State) -> Stream {
    let parsed = Args::parse(args, "-p --tmpdir --suffix");
    let temp =
        machine.place.temp.first().map_or_else(|| "/tmp".to_owned(), |path| path.display().to_string());
    let folder = match parsed.value(&["-p", "--tmpdir"]) {
        Some(field) => match machine.target(field, state).path {
            Some(path) => path.display().to_string(),
            None => return Stream::opaque("a temporary path", false),
        },
        None => temp,
    };
    let path = match parsed.operand(0) {
        Some(template) if template.starts_with('/') => template,
        Some(template) if parsed.has(&["-t", "-p", "--tmpdir"]) => format!("{folder}/{template}"),
        Some(template) => match &state.cwd {
            Some(cwd) => lexical::absolute(cwd, std::path::Path::new(&template)).display().to_string(),
            None => return Stream::opaque("a temporary path", false),
        },
        None => format!("{folder}/tmp.XXXXXXXXXX"),
    };
    Stream::text(path + "\n")
}

fn path_part(call: &Call<'_>) -> Stream {
    let parsed = Args::parse(call.args, "-s --suffix");
    let Some(text) = parsed.operand(0) else {
        return if call.name == "basename" {
            Stream::new(Data::Name)
        } else {
            Stream::opaque(render(call.argv), false)
        };
    };
    let trimmed = text.trim_end_matches('/');
    let part = match (call.name, trimmed.rsplit_once('/')) {
        ("dirname", Some(("", _))) => "/",
        ("dirname", Some((folder, _))) => folder,
        ("dirname", None) => ".",
        (_, Some((_, name))) => name,
        (_, None) => trimmed,
    };
    Stream::text(format!("{part}\n"))
}
