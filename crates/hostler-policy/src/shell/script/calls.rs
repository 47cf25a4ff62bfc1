//! What calls do: delete, write, run other programs.

use std::collections::BTreeMap;

use hostler_model::EffectKind;

use super::super::machine::Stream;
use super::super::sql;
use super::super::word::{Field, Piece};
use super::reader::{DEPTH_MAX, Reader, Val};
use super::tokens::{Language, tokens};

impl Reader<'_, '_, '_> {
    pub(super) fn call(&mut self, name: &str, receiver: Option<Val>, mut args: Vec<Field>) -> Val {
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
                    || is_module(receiver.as_ref()) =>
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
                self.machine
                    .unresolved(super::super::shorten(&command), "it picks a function by a computed name");
            }
            "__import__" | "require" | "import_module" => return Val::One(Field::text("<module>")),
            _ => {}
        }
        Val::unknown()
    }

    pub(super) fn tilde(&self, field: Field) -> Field {
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

    pub(super) fn delete(&mut self, verb: &str, receiver: Option<Val>, args: Vec<Field>, command: &str) {
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

    pub(super) fn write(&mut self, kind: EffectKind, path: &Field, command: &str) {
        let path = self.tilde(path.clone());
        let target = self.machine.target(&path, self.state);
        // Code that edits files by computed names is what agents write all day; only a name that is known
        // can be judged. A delete of a computed name stays a question.
        if target.path.is_none() {
            self.machine.gaps.push("writes a file whose name it computes".to_owned());
            return;
        }
        self.machine.write_effect(
            kind,
            vec![target],
            command.to_owned(),
            "the code writes the file",
            self.state,
        );
    }

    pub(super) fn open(&mut self, path: &Field, mode: &str, command: &str) {
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

    pub(super) fn shell(&mut self, code: &Field) {
        if matches!(code.0.as_slice(), [Piece::Unknown(_)]) {
            self.machine
                .unresolved(super::super::shorten(&self.command), "it runs a command that it computes");
            return;
        }
        let text = code.render();
        self.machine.run_text(&text, &mut self.state.clone(), &Stream::NOTHING);
    }

    pub(super) fn process(&mut self, name: &str, last: &str, args: Vec<Field>) -> Val {
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
    pub(super) fn evaluate(&mut self, code: &Field) {
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
                    vars: BTreeMap::new(),
                    command: self.command.clone(),
                    from_os: text.contains("from os import"),
                };
                inner.program();
            }
            _ => {
                self.machine
                    .unresolved(super::super::shorten(&self.command), "it runs code that it computes");
            }
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

/// Calls that Ruby and Perl make without parentheses.
pub(super) fn known_call(name: &str) -> bool {
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
