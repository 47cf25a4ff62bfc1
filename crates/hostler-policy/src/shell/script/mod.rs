//! Code given to interpreters on the command line or on stdin: Python, JavaScript, Ruby, Perl, PHP.
//!
//! Not an interpreter: a reader of calls with literal arguments. What it cannot resolve becomes a target
//! without a path, which guards treat as unresolved; what it does not know has no effect.

use std::collections::HashMap;

use hostler_model::EffectKind;

use super::machine::{Data, Machine, State, Stream};
use super::run::Call;
use super::word::{Field, Piece};

mod tokens;

use super::{files, sql};
use tokens::{Language, Token, tokens};

/// Longest code that is read, in bytes.
const CODE_BYTES_MAX: usize = 128 * 1024;
/// Nesting of calls and lists.
const DEPTH_MAX: usize = 40;

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
            let name = path.as_ref().map_or_else(|| "a file".to_owned(), |path| path.display().to_string());
            machine.gaps.push(format!("runs `{name}`, whose content was not read"));
        }
        Data::Nothing | Data::Name => {}
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
    let squeezed: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
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
        vars: HashMap::new(),
        command: call.render(),
        from_os: code.contains("from os import"),
    };
    reader.program();
}

#[derive(Debug, Clone, PartialEq)]
enum Val {
    One(Field),
    List(Vec<Field>),
}

impl Val {
    fn unknown() -> Self {
        Self::One(Field::unknown("<computed>"))
    }

    fn one(self) -> Field {
        match self {
            Self::One(field) => field,
            Self::List(mut fields) if fields.len() == 1 => fields.remove(0),
            Self::List(_) => Field::unknown("<computed>"),
        }
    }

    fn fields(self) -> Vec<Field> {
        match self {
            Self::One(field) => vec![field],
            Self::List(fields) => fields,
        }
    }
}

struct Reader<'r, 'm, 'p> {
    machine: &'r mut Machine<'p>,
    state: &'m mut State,
    tokens: &'r [Token],
    at: usize,
    depth: usize,
    language: Language,
    vars: HashMap<String, Val>,
    command: String,
    from_os: bool,
}

impl Reader<'_, '_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn mark(&self, c: char) -> bool {
        self.peek() == Some(&Token::Mark(c))
    }

    /// Whether the call removes its first argument, and a list there means each of its items.
    fn deletes(&self, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        matches!(self.language, Language::Python | Language::Js)
            && (last == "remove" || last.starts_with("rm") || last.starts_with("unlink"))
    }

    /// Loop variables of comprehensions stand behind what uses them: they are read first.
    fn loops(&mut self) {
        for at in 0..self.tokens.len() {
            if let [Token::Name(word), Token::Name(_), Token::Name(of), ..] = &self.tokens[at..]
                && word == "for"
                && of == "in"
            {
                self.at = at;
                self.statement();
            }
        }
        self.at = 0;
    }

    fn program(&mut self) {
        if self.language == Language::Python {
            self.loops();
        }
        while self.at < self.tokens.len() {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.at += 1;
            }
        }
    }

    /// `name = expr`, `for name in expr`, or an expression.
    fn statement(&mut self) {
        if let Some(Token::Name(name)) = self.peek() {
            let name = name.clone();
            if matches!(
                name.as_str(),
                "const"
                    | "let"
                    | "var"
                    | "my"
                    | "our"
                    | "local"
                    | "return"
                    | "await"
                    | "yield"
                    | "del"
                    | "assert"
            ) {
                self.at += 1;
                return;
            }
            if name == "for"
                && let Some(Token::Name(item)) = self.tokens.get(self.at + 1)
                && matches!(self.tokens.get(self.at + 2), Some(Token::Name(word)) if word == "in" || word == "of")
            {
                let item = item.clone();
                self.at += 3;
                let value = self.expr();
                self.vars.insert(item, value);
                return;
            }
            let assigns = self.tokens.get(self.at + 1) == Some(&Token::Mark('='))
                && !matches!(self.tokens.get(self.at + 2), Some(Token::Mark('=' | '~' | '>')));
            if assigns {
                self.at += 2;
                let value = self.expr();
                self.vars.insert(name, value);
                return;
            }
        }
        self.expr();
    }

    /// One operand with its trailing calls, joined by `+`, `/` (paths) or `.` (Perl).
    fn expr(&mut self) -> Val {
        let mut value = self.operand();
        loop {
            let joins =
                self.mark('+') || (self.mark('.') && matches!(self.language, Language::Perl | Language::Php));
            let path = self.mark('/') && self.language == Language::Python;
            if !joins && !path {
                return value;
            }
            self.at += 1;
            let mut left = value.one();
            if path {
                left.push(Piece::Text("/".to_owned()));
            }
            let right = self.operand().one();
            right.0.into_iter().for_each(|piece| left.push(piece));
            value = Val::One(left);
        }
    }

    fn operand(&mut self) -> Val {
        if DEPTH_MAX <= self.depth {
            self.at += 1;
            return Val::unknown();
        }
        self.depth += 1;
        let value = self.operand_inner();
        self.depth -= 1;
        value
    }

    fn operand_inner(&mut self) -> Val {
        let Some(token) = self.peek().cloned() else { return Val::unknown() };
        self.at += 1;
        let value = match token {
            Token::Text(Some(text)) => Val::One(Field::text(text)),
            Token::Text(None) => Val::unknown(),
            Token::Command(code) => {
                self.shell(&Field::text(code));
                Val::unknown()
            }
            Token::Name(name) => self.name(&name, None),
            Token::Mark('[') => Val::List(self.items(']')),
            Token::Mark('(') => {
                let mut items = self.items(')');
                if items.len() == 1 { Val::One(items.remove(0)) } else { Val::List(items) }
            }
            Token::Mark('{') => {
                // An object or a block: its inside is read for calls.
                while self.peek().is_some() && !self.mark('}') {
                    let before = self.at;
                    self.statement();
                    if self.at == before {
                        self.at += 1;
                    }
                }
                self.at += 1;
                Val::unknown()
            }
            Token::Mark(_) => return Val::unknown(),
        };
        self.methods(value)
    }

    /// `.method(…)`, `[index]` and calls of what a call returned.
    fn methods(&mut self, mut value: Val) -> Val {
        loop {
            match self.peek() {
                Some(Token::Name(name)) if name.starts_with('.') => {
                    let name = name.clone();
                    self.at += 1;
                    value = self.name(&name, Some(value));
                }
                Some(Token::Mark('[')) if !matches!(value, Val::List(_)) => {
                    self.at += 1;
                    self.items(']');
                    value = Val::unknown();
                }
                Some(Token::Mark('(')) => {
                    self.at += 1;
                    self.items(')');
                    value = Val::unknown();
                }
                _ => return value,
            }
        }
    }

    /// Comma-separated values up to `close`.
    fn items(&mut self, close: char) -> Vec<Field> {
        self.values(close).into_iter().flat_map(Val::fields).collect()
    }

    /// As [`Reader::items`], lists kept apart.
    fn values(&mut self, close: char) -> Vec<Val> {
        let mut out = Vec::new();
        loop {
            while self.mark(',') || self.mark('\n') {
                self.at += 1;
            }
            if self.peek().is_none() {
                return out;
            }
            if self.mark(close) {
                self.at += 1;
                return out;
            }
            let before = self.at;
            // `key: value`, `key = value`
            if matches!(
                (self.tokens.get(self.at), self.tokens.get(self.at + 1)),
                (Some(Token::Name(_)), Some(Token::Mark('=')))
            ) {
                let Some(Token::Name(key)) = self.peek().cloned() else { return out };
                self.at += 2;
                let value = self.expr();
                if key == "mode" || key == "file" {
                    out.push(value);
                }
                self.skip_to(close);
                continue;
            }
            let value = self.expr();
            out.push(value);
            if self.at == before {
                self.at += 1;
            }
            self.skip_to(close);
        }
    }

    /// Reads on to the next `,` or the closing mark at this level, still looking for calls.
    fn skip_to(&mut self, close: char) {
        while let Some(token) = self.peek() {
            match token {
                Token::Mark(c) if *c == ',' || *c == close => return,
                _ => {
                    let before = self.at;
                    self.operand();
                    if self.at == before {
                        self.at += 1;
                    }
                }
            }
        }
    }

    /// A name: a variable, or a call of it.
    fn name(&mut self, name: &str, receiver: Option<Val>) -> Val {
        let parens = self.mark('(');
        // Ruby and Perl call without parentheses.
        let bare = !parens
            && matches!(self.language, Language::Ruby | Language::Perl)
            && matches!(self.peek(), Some(Token::Text(_) | Token::Command(_) | Token::Name(_)))
            && known_call(name);
        if parens || bare {
            let (args, first) = if parens {
                self.at += 1;
                let values = self.values(')');
                let first = values.first().cloned();
                (values.into_iter().flat_map(Val::fields).collect(), first)
            } else {
                (self.bare_items(), None)
            };
            // A variable that runs over a list: a call with each of its values.
            if let Some(Val::List(each)) = first
                && self.deletes(name)
            {
                for value in each {
                    self.call(name, receiver.clone(), vec![value]);
                }
                return Val::unknown();
            }
            return self.call(name, receiver, args);
        }
        match name {
            "process.env.HOME" | "ENV.HOME" => self.home(),
            "os.environ" | "process.env" | "ENV" | "$ENV" => {
                let close = if self.mark('{') { '}' } else { ']' };
                if self.mark('[') || self.mark('{') {
                    self.at += 1;
                    let key = self.items(close);
                    if key.first().and_then(Field::known).as_deref() == Some("HOME") {
                        return self.home();
                    }
                }
                Val::unknown()
            }
            ".parent" => Val::unknown(),
            _ => match (self.vars.get(name), name.split_once('.')) {
                (Some(value), _) => value.clone(),
                // `p.unlink()` on a variable.
                (None, Some((object, method))) if self.vars.contains_key(object) => {
                    let value = self.vars.get(object).cloned().unwrap_or_else(Val::unknown);
                    self.name(&format!(".{method}"), Some(value))
                }
                _ => receiver.unwrap_or_else(Val::unknown),
            },
        }
    }

    fn bare_items(&mut self) -> Vec<Field> {
        let mut out = Vec::new();
        while let Some(token) = self.peek() {
            match token {
                Token::Mark(',') => self.at += 1,
                Token::Text(_) | Token::Name(_) | Token::Command(_) | Token::Mark('[' | '(') => {
                    let before = self.at;
                    out.extend(self.expr().fields());
                    if self.at == before {
                        self.at += 1;
                    }
                }
                Token::Mark(_) => break,
            }
        }
        out
    }

    fn home(&self) -> Val {
        match &self.machine.place.home {
            Some(home) => Val::One(Field::text(home.display().to_string())),
            None => Val::unknown(),
        }
    }

    fn call(&mut self, name: &str, receiver: Option<Val>, mut args: Vec<Field>) -> Val {
        let last = name.rsplit('.').next().unwrap_or(name);
        // `p.unlink()`: the receiver of a method on a variable.
        let receiver = receiver.or_else(|| {
            let (object, _) = name.rsplit_once('.')?;
            self.vars.get(object).cloned()
        });
        let on_path = receiver.is_some();
        let qualified = name.contains('.');
        let first = args.first().cloned();
        let mode = args.get(1).and_then(Field::known).unwrap_or_default();
        let command = self.command.clone();
        match last {
            "Path" | "PurePath" | "PosixPath" | "expanduser" | "expandvars" | "abspath" | "realpath"
            | "resolve" | "normpath" | "absolute" | "str" | "String" | "fspath" | "expand_path" | "new"
            | "Pathname" => {
                let field = match (first, receiver) {
                    (Some(_), _) if 1 < args.len() && matches!(last, "Path" | "resolve") => joined(&args),
                    (Some(first), _) => first,
                    (None, Some(value)) => value.one(),
                    (None, None) => Field::text("."),
                };
                return Val::One(self.tilde(field));
            }
            "join" | "joinpath" => {
                if name.contains("path") || on_path && last == "joinpath" {
                    if let Some(value) = receiver {
                        args.insert(0, value.one());
                    }
                    return Val::One(joined(&args));
                }
                return Val::unknown();
            }
            "home" | "homedir" => return self.home(),
            "getcwd" | "cwd" | "pwd" => return Val::One(Field::text(".")),
            "getenv" | "get" if first.as_ref().and_then(Field::known).as_deref() == Some("HOME") => {
                return self.home();
            }
            "glob" | "iglob" | "rglob" => {
                let mut pattern = Field::default();
                if let Some(value) = receiver {
                    value.one().0.into_iter().for_each(|piece| pattern.push(piece));
                    pattern.push(Piece::Text("/".to_owned()));
                }
                match first.and_then(|field| field.known()) {
                    Some(text) => pattern.push_unquoted(&text),
                    None => return Val::unknown(),
                }
                return Val::One(pattern);
            }
            "listdir" | "scandir" | "iterdir" | "readdirSync" => {
                let mut folder = first.or_else(|| receiver.map(Val::one)).unwrap_or_else(|| Field::text("."));
                folder.push(Piece::Text("/".to_owned()));
                folder.push(Piece::Glob("*".to_owned()));
                return Val::One(folder);
            }
            "tempfile" | "mkdtemp" | "gettempdir" | "mkdtempSync" | "tmpdir" | "TemporaryDirectory" => {
                return Val::One(Field::text("/tmp/python-temporary"));
            }
            // Deletes.
            "rmtree"
            | "removedirs"
            | "rmSync"
            | "rm_rf"
            | "rm_r"
            | "rm_f"
            | "remove_entry"
            | "remove_entry_secure"
            | "remove_dir"
            | "rimraf"
            | "rimrafSync"
            | "emptyDirSync"
            | "emptyDir"
            | "removeSync"
            | "remove_tree"
            | "unlinkSync"
            | "rmdirSync"
            | "unlink"
            | "rmdir"
            | "delete_recursive" => {
                self.delete(last, receiver, args, &command);
            }
            "remove"
                if matches!(name, "os.remove" | "fs.remove" | "FileUtils.remove" | "fse.remove")
                    || (!qualified && self.from_os)
                    || is_import(receiver.as_ref()) =>
            {
                self.delete(last, None, args, &command);
            }
            "rm" if name.starts_with("fs") || name.starts_with("FileUtils") || name == ".rm" => {
                self.delete(last, None, args, &command);
            }
            "delete"
                if name.starts_with("File.")
                    || name.starts_with("Dir.")
                    || name.starts_with("FileUtils.") =>
            {
                self.delete(last, None, args, &command);
            }
            // Writes.
            "open" | "fopen" | "openSync" => {
                if name == "os.popen" {
                    return Val::unknown();
                }
                let (path, mode) = match receiver {
                    Some(value)
                        if !matches!(
                            name,
                            "io.open" | "codecs.open" | "File.open" | "fs.open" | "gzip.open" | "IO.open"
                        ) =>
                    {
                        (Some(value.one()), args.first().and_then(Field::known).unwrap_or_default())
                    }
                    _ if self.language == Language::Perl => {
                        let mode = args.get(1).and_then(Field::known).unwrap_or_default();
                        if let Some(path) = args.get(2) {
                            (Some(path.clone()), mode)
                        } else {
                            let path = mode.trim_start_matches(['>', '<', '+', ' ']).to_owned();
                            (Some(Field::text(path)), mode)
                        }
                    }
                    _ => (first, mode),
                };
                if let Some(path) = path {
                    self.open(&path, &mode, &command);
                }
            }
            "write_text" | "write_bytes" => {
                if let Some(value) = receiver {
                    self.write(EffectKind::Overwrite, &value.one(), &command);
                }
            }
            "writeFileSync" | "writeFile" | "createWriteStream" | "outputFileSync" | "file_put_contents"
            | "writeTextFile" | "writeTextFileSync" | "binwrite" | "writeJsonSync" | "outputFile" => {
                if let Some(path) = first {
                    let append = args
                        .iter()
                        .skip(1)
                        .any(|field| field.known().is_some_and(|text| text == "FILE_APPEND" || text == "a"));
                    self.write(
                        if append { EffectKind::Write } else { EffectKind::Overwrite },
                        &path,
                        &command,
                    );
                }
            }
            "write" if matches!(name, "File.write" | "IO.write" | "Bun.write" | "Deno.writeTextFile") => {
                if let Some(path) = first {
                    self.write(EffectKind::Overwrite, &path, &command);
                }
            }
            "appendFileSync" | "appendFile" | "makedirs" | "mkdirSync" | "mkdir_p" | "mkdir" | "touch"
            | "symlink" | "symlinkSync" => {
                let path = if last.starts_with("symlink") {
                    args.get(1).cloned()
                } else {
                    first.or_else(|| receiver.map(Val::one))
                };
                if let Some(path) = path {
                    self.write(EffectKind::Write, &path, &command);
                }
            }
            "truncate" | "truncateSync" if qualified => {
                if let Some(path) = first {
                    self.write(EffectKind::Truncate, &path, &command);
                }
            }
            "copy" | "copy2" | "copyfile" | "copytree" | "copyFileSync" | "copyFile" | "cpSync"
            | "copySync" | "cp" | "cp_r" => {
                if let Some(path) = args.get(1).filter(|_| qualified || last.starts_with("copy")) {
                    self.write(EffectKind::Overwrite, &path.clone(), &command);
                }
            }
            "move" | "rename" | "renames" | "renameSync" | "replace" | "mv" | "moveSync" => {
                let moves = matches!(
                    name,
                    "shutil.move"
                        | "os.rename"
                        | "os.renames"
                        | "os.replace"
                        | "fs.renameSync"
                        | "fs.rename"
                        | "File.rename"
                        | "FileUtils.mv"
                        | "rename"
                        | "fs.moveSync"
                );
                let (from, to) = match (moves, receiver) {
                    (true, _) => (args.first().cloned(), args.get(1).cloned()),
                    (false, Some(value)) if last == "rename" => (Some(value.one()), args.first().cloned()),
                    _ => return Val::unknown(),
                };
                if let (Some(from), Some(to)) = (from, to) {
                    let target = self.machine.target(&from, self.state);
                    self.machine.emit(
                        EffectKind::MoveAway,
                        vec![target],
                        command.clone(),
                        format!("`{last}` takes its source away"),
                        self.state,
                    );
                    self.write(EffectKind::Overwrite, &to, &command);
                }
            }
            // Commands.
            "system"
            | "popen"
            | "getoutput"
            | "getstatusoutput"
            | "execSync"
            | "shell_exec"
            | "passthru"
            | "check_output"
            | "check_call"
            | "Popen"
            | "run"
            | "call"
            | "execFileSync"
            | "spawnSync"
            | "spawn"
            | "execFile"
            | "capture2"
            | "capture2e"
            | "capture3"
            | "exec"
            | "execvp"
            | "execv"
            | "execute"
            | "qx"
            | "create_subprocess_shell"
            | "create_subprocess_exec"
            | "proc_open"
            | "pty_spawn" => return self.process(name, last, args),
            "eval" | "execfile" | "Function" | "runInThisContext" | "runInNewContext" | "instance_eval"
            | "class_eval" => {
                if let Some(code) = first {
                    self.evaluate(&code);
                }
            }
            "getattr" if first.is_some() => {
                self.machine.unresolved(super::shorten(&command), "it picks a function by a computed name");
            }
            "__import__" | "require" | "import_module" => return Val::One(Field::text("<module>")),
            _ => {}
        }
        Val::unknown()
    }

    fn tilde(&self, field: Field) -> Field {
        let home = self.machine.place.home.as_ref().map(|home| home.display().to_string());
        match (field.head().strip_prefix('~'), home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                let mut out = Field::text(home);
                field.without_head(1).0.into_iter().for_each(|piece| out.push(piece));
                out
            }
            _ => field,
        }
    }

    fn delete(&mut self, verb: &str, receiver: Option<Val>, args: Vec<Field>, command: &str) {
        let module = is_module(receiver.as_ref());
        let paths = match receiver {
            Some(value) if !module && args.iter().all(|field| field.has_unknown() || field.is_empty()) => {
                vec![value.one()]
            }
            _ if matches!(self.language, Language::Perl | Language::Ruby) => args,
            _ => args.into_iter().take(1).collect(),
        };
        let paths = if paths.is_empty() { vec![Field::unknown("<computed>")] } else { paths };
        let paths: Vec<Field> = paths.into_iter().map(|field| self.tilde(field)).collect();
        let targets = self.machine.targets(&paths, self.state);
        let recursive = verb.contains("tree")
            || verb.contains("rf")
            || verb.contains("rmSync")
            || verb == "rm_r"
            || verb.contains("rimraf");
        self.machine.emit_with(
            EffectKind::Delete,
            targets,
            command,
            format!("`{verb}` removes its argument"),
            self.state,
            recursive,
        );
    }

    fn write(&mut self, kind: EffectKind, path: &Field, command: &str) {
        let path = self.tilde(path.clone());
        let target = self.machine.target(&path, self.state);
        self.machine.write_effect(
            kind,
            vec![target],
            command.to_owned(),
            "the code writes the file",
            self.state,
        );
    }

    fn open(&mut self, path: &Field, mode: &str, command: &str) {
        let path = self.tilde(path.clone());
        let append = mode.starts_with('a')
            || mode.starts_with(">>")
            || mode.contains("r+")
            || mode.starts_with('x')
            || mode.contains("+<");
        if append {
            self.write(EffectKind::Write, &path, command);
        } else if mode.contains('w') || mode.contains('>') {
            self.write(EffectKind::Overwrite, &path, command);
        } else {
            self.machine.read_file(&path, self.state, "open");
        }
    }

    fn shell(&mut self, code: &Field) {
        if matches!(code.0.as_slice(), [Piece::Unknown(_)]) {
            self.machine.unresolved(super::shorten(&self.command), "it runs a command that it computes");
            return;
        }
        let text = code.render();
        self.machine.run_text(&text, &mut self.state.clone(), &Stream::NOTHING);
    }

    fn process(&mut self, name: &str, last: &str, args: Vec<Field>) -> Val {
        let object = name.rsplit_once('.').map_or("", |(object, _)| object);
        // Words that other objects use as well: `cursor.execute`, `app.run()`, `re.exec(x)`.
        if last == "execute" && object != "os" {
            if let Some(text) = args.first().and_then(Field::known)
                && let Some(why) = sql::destroys(&text)
            {
                self.machine.emit(
                    EffectKind::Infrastructure,
                    Vec::new(),
                    self.command.clone(),
                    why,
                    self.state,
                );
            }
            return Val::unknown();
        }
        let is_code = self.language == Language::Python && name == "exec";
        if is_code {
            if let Some(code) = args.first() {
                self.evaluate(&code.clone());
            }
            return Val::unknown();
        }
        let process = match last {
            "run" | "call" => matches!(object, "subprocess" | "sp" | ""),
            "exec" => matches!(object, "" | "child_process" | "cp" | "Kernel") || name == ".exec",
            _ => true,
        };
        if !process || args.is_empty() {
            return Val::unknown();
        }
        if let [only] = args.as_slice() {
            self.shell(&only.clone());
            return Val::unknown();
        }
        // A list of words, or a program and its list; a string with spaces first is a command line.
        match args.first().and_then(Field::known) {
            Some(line) if line.contains(' ') => {
                self.machine.run_text(&line, &mut self.state.clone(), &Stream::NOTHING);
            }
            _ => {
                self.machine.run(args, &mut self.state.clone(), &Stream::NOTHING);
            }
        }
        Val::unknown()
    }

    /// Code in a string.
    fn evaluate(&mut self, code: &Field) {
        match code.known() {
            Some(text) if self.depth < DEPTH_MAX / 2 => {
                let tokens = tokens(&text, self.language);
                let mut inner = Reader {
                    machine: &mut *self.machine,
                    state: &mut *self.state,
                    tokens: &tokens,
                    at: 0,
                    depth: self.depth + 4,
                    language: self.language,
                    vars: HashMap::new(),
                    command: self.command.clone(),
                    from_os: text.contains("from os import"),
                };
                inner.program();
            }
            _ => self.machine.unresolved(super::shorten(&self.command), "it runs code that it computes"),
        }
    }
}

fn joined(args: &[Field]) -> Field {
    let mut out = Field::default();
    for (index, field) in args.iter().enumerate() {
        if field.head().starts_with('/') {
            out = Field::default();
        } else if 0 < index {
            out.push(Piece::Text("/".to_owned()));
        }
        field.0.iter().for_each(|piece| out.push(piece.clone()));
    }
    out
}

fn is_module(value: Option<&Val>) -> bool {
    matches!(value, Some(Val::One(field)) if field.head() == "<module>")
}

fn is_import(value: Option<&Val>) -> bool {
    is_module(value)
}

/// Calls that Ruby and Perl make without parentheses.
fn known_call(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(
        last,
        "unlink"
            | "rmtree"
            | "rmdir"
            | "system"
            | "exec"
            | "rm_rf"
            | "rm_r"
            | "rm_f"
            | "rm"
            | "delete"
            | "glob"
            | "eval"
            | "rename"
            | "open"
            | "truncate"
            | "qx"
            | "remove_tree"
            | "mv"
            | "cp"
            | "write"
            | "mkdir_p"
            | "touch"
    ) && (name.contains('.') || !matches!(last, "rm" | "delete" | "mv" | "cp" | "write" | "touch"))
}
