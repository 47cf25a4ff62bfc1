//! Simple commands: assignments, redirections, then the command itself with wrappers stripped.

use brush_parser::ast::{
    Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, ProcessSubstitutionKind, RedirectList, SimpleCommand, SubshellCommand,
};
use hostler_model::{Effect, EffectKind, Target};

use super::machine::{Data, Machine, State, Stream};
use super::word::{Field, Piece, Value};
use super::{builtin, files, git, infra, lookalike, net, packages, script, target, wrap};

/// Redirections of one command, evaluated.
pub(super) struct Io {
    pub(super) stdin: Stream,
    writes: Vec<(Field, bool)>,
    feeds: Vec<SubshellCommand>,
}

/// Builtins whose arguments may be assignments.
const DECLARATIONS: &[&str] = &["export", "declare", "typeset", "local", "readonly"];

impl Machine<'_> {
    pub(super) fn simple(&mut self, simple: &SimpleCommand, state: &mut State, stdin: &Stream) -> Stream {
        if !self.spend() {
            return Stream::NOTHING;
        }
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        let mut redirects: Vec<&IoRedirect> = Vec::new();
        let mut assignments: Vec<&Assignment> = Vec::new();
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => assignments.push(assignment),
                CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {}
            }
        }
        let mut argv = match &simple.word_or_name {
            Some(word) => self.split(&word.value, state),
            None => Vec::new(),
        };
        let declares =
            argv.first().and_then(Field::known).is_some_and(|name| DECLARATIONS.contains(&name.as_str()));
        let mut feeds = Vec::new();
        for item in suffix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push(redirect),
                CommandPrefixOrSuffixItem::Word(word) => {
                    let fields = self.split(&word.value, state);
                    argv.extend(fields);
                }
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                    if declares {
                        self.assign(assignment, state);
                        argv.push(Field::text(assignment_name(assignment)));
                    } else {
                        let fields = self.split(&word.value, state);
                        argv.extend(fields);
                    }
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(kind, shell) => match kind {
                    ProcessSubstitutionKind::Read => argv.push(self.process_substitution(shell, state)),
                    ProcessSubstitutionKind::Write => feeds.push(shell.clone()),
                },
            }
        }
        let mut io = self.redirects(&redirects, state, stdin);
        io.feeds.extend(feeds);
        if argv.is_empty() {
            for assignment in assignments {
                self.assign(assignment, state);
            }
            return self.finish_redirects(&io, Stream::NOTHING, state, "");
        }
        let command = render(&argv);
        let out = if assignments.is_empty() {
            self.run(argv, state, &io.stdin)
        } else {
            // Assignments before a command hold for it alone, and do not change its own words.
            let outer = state.vars.clone();
            for assignment in assignments {
                self.assign(assignment, state);
            }
            let out = self.run(argv, state, &io.stdin);
            state.vars = outer;
            out
        };
        self.finish_redirects(&io, out, state, &command)
    }

    fn process_substitution(&mut self, shell: &SubshellCommand, state: &State) -> Field {
        let source = format!("<({})", shell.list);
        let flow = super::Flow { hidden: true, captured: true, ..self.flow };
        let stream =
            self.within(flow, |machine| machine.list(&shell.list, &mut state.clone(), &Stream::NOTHING));
        self.sources.insert(source.clone(), stream);
        Field::unknown(source)
    }

    fn assign(&mut self, assignment: &Assignment, state: &mut State) {
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => Value::Scalar(self.joined(&word.value, state)),
            AssignmentValue::Array(items) => {
                Value::Array(items.iter().flat_map(|(_, word)| self.split(&word.value, state)).collect())
            }
        };
        match &assignment.name {
            AssignmentName::VariableName(name) => {
                let value = match (assignment.append, state.vars.get(name).and_then(|all| all.first()), value)
                {
                    (true, Some(Value::Scalar(old)), Value::Scalar(new)) => {
                        let mut joined = old.clone();
                        new.0.into_iter().for_each(|piece| joined.push(piece));
                        Value::Scalar(joined)
                    }
                    (true, Some(Value::Array(old)), Value::Array(new)) => {
                        Value::Array(old.iter().cloned().chain(new).collect())
                    }
                    (_, _, value) => value,
                };
                state.set(name, value);
            }
            AssignmentName::ArrayElementName(name, index) => {
                let Value::Scalar(field) = value else { return };
                let mut items = match state.vars.get(name).and_then(|all| all.first()) {
                    Some(Value::Array(items)) => items.clone(),
                    _ => Vec::new(),
                };
                match index.trim().parse::<usize>() {
                    Ok(index) if index < 256 => {
                        if items.len() <= index {
                            items.resize(index + 1, Field::default());
                        }
                        items[index] = field;
                    }
                    _ => items.push(Field::unknown(format!("{name}[{index}]"))),
                }
                state.set(name, Value::Array(items));
            }
        }
    }

    pub(super) fn redirect_list(
        &mut self,
        list: Option<&RedirectList>,
        state: &mut State,
        stdin: &Stream,
    ) -> Io {
        let redirects: Vec<&IoRedirect> = list.iter().flat_map(|list| &list.0).collect();
        self.redirects(&redirects, state, stdin)
    }

    fn redirects(&mut self, redirects: &[&IoRedirect], state: &mut State, stdin: &Stream) -> Io {
        let mut io = Io { stdin: stdin.clone(), writes: Vec::new(), feeds: Vec::new() };
        for redirect in redirects {
            match redirect {
                IoRedirect::File(_, kind, IoFileRedirectTarget::Filename(word)) => {
                    let field = self.joined(&word.value, state);
                    match kind {
                        IoFileRedirectKind::Read => io.stdin = self.read_file(&field, state, "<"),
                        IoFileRedirectKind::Write | IoFileRedirectKind::Clobber => {
                            io.writes.push((field, false));
                        }
                        IoFileRedirectKind::Append | IoFileRedirectKind::ReadAndWrite => {
                            io.writes.push((field, true));
                        }
                        IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput => {}
                    }
                }
                IoRedirect::File(_, kind, IoFileRedirectTarget::ProcessSubstitution(direction, shell)) => {
                    match direction {
                        ProcessSubstitutionKind::Read if matches!(kind, IoFileRedirectKind::Read) => {
                            let field = self.process_substitution(shell, state);
                            io.stdin = self.source(&field).unwrap_or(Stream::NOTHING);
                        }
                        ProcessSubstitutionKind::Read => {}
                        ProcessSubstitutionKind::Write => io.feeds.push(shell.clone()),
                    }
                }
                IoRedirect::File(_, kind, IoFileRedirectTarget::Duplicate(word)) => {
                    // `>&word` with anything but a descriptor is a file.
                    let field = self.joined(&word.value, state);
                    let descriptor = field.known().is_some_and(|text| {
                        text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
                    });
                    if !descriptor && matches!(kind, IoFileRedirectKind::DuplicateOutput) {
                        io.writes.push((field, false));
                    }
                }
                IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
                IoRedirect::HereDocument(_, document) => {
                    let body = &document.doc.value;
                    let field = if document.requires_expansion {
                        self.heredoc(body, state)
                    } else {
                        Field::text(body)
                    };
                    io.stdin = self.stream_of(&field);
                }
                IoRedirect::HereString(_, word) => {
                    let field = self.joined(&word.value, state);
                    io.stdin = self.stream_of(&field);
                }
                IoRedirect::OutputAndError(word, append) => {
                    let field = self.joined(&word.value, state);
                    io.writes.push((field, *append));
                }
            }
        }
        io
    }

    /// A word as data: its text with unknown parts as written, or what its one unknown part printed.
    pub(super) fn stream_of(&self, field: &Field) -> Stream {
        let secret = self.secret_in(field);
        let data = match self.source(field) {
            Some(stream) => stream.data,
            None => Data::Text(field.render()),
        };
        Stream { data, secret }
    }

    /// What the substitution printed that this word consists of, if it consists of one.
    pub(super) fn source(&self, field: &Field) -> Option<Stream> {
        match field.0.as_slice() {
            [Piece::Unknown(source)] => self.sources.get(source).cloned(),
            _ => None,
        }
    }

    /// The secret that a substitution in this word reads, if any.
    pub(super) fn secret_in(&self, field: &Field) -> Option<String> {
        field.0.iter().find_map(|piece| match piece {
            Piece::Unknown(source) => self.sources.get(source).and_then(|stream| stream.secret.clone()),
            _ => None,
        })
    }

    /// The effects of output redirections, and what is left for the next in the pipe.
    pub(super) fn finish_redirects(
        &mut self,
        io: &Io,
        out: Stream,
        state: &mut State,
        command: &str,
    ) -> Stream {
        for shell in &io.feeds {
            self.list(&shell.list, &mut state.clone(), &out);
        }
        if io.writes.is_empty() {
            return if io.feeds.is_empty() { out } else { Stream::NOTHING };
        }
        for (field, append) in &io.writes {
            let target = self.target(field, state);
            if is_socket(&target) {
                let shell = command.split([' ', '/']).any(|word| super::wrap::SHELLS.contains(&word));
                if shell {
                    self.emit(
                        EffectKind::ExecRemote,
                        Vec::new(),
                        command,
                        "it gives a shell to the network",
                        state,
                    );
                }
                if let Some(secret) = &out.secret {
                    let why = format!("it sends `{secret}` to the network");
                    self.emit(EffectKind::SecretUpload, Vec::new(), command, why, state);
                }
            }
            if is_sink(&target) {
                continue;
            }
            let command = format!("{command} {} {}", if *append { ">>" } else { ">" }, field.render());
            let command = command.trim_start().to_owned();
            if let (Data::Text(text), Some(path), false) = (&out.data, &target.path, *append) {
                state.files.insert(path.clone(), text.clone());
            }
            let (kind, why) = match (&out.data, append) {
                (_, true) => (EffectKind::Write, "`>>` appends to the file"),
                (Data::Nothing, false) => (EffectKind::Truncate, "`>` empties the file"),
                (_, false) => (EffectKind::Overwrite, "`>` replaces the file's content"),
            };
            self.write_effect(kind, vec![target], command, why, state);
        }
        Stream::NOTHING
    }

    /// A write; to a device it is a [`EffectKind::Device`] effect.
    pub(super) fn write_effect(
        &mut self,
        kind: EffectKind,
        targets: Vec<Target>,
        command: String,
        why: &str,
        state: &State,
    ) {
        let (devices, files): (Vec<Target>, Vec<Target>) =
            targets.into_iter().filter(|target| !is_sink(target)).partition(is_device);
        if !devices.is_empty() {
            self.emit(EffectKind::Device, devices, command.clone(), "it writes to a device", state);
        }
        if !files.is_empty() {
            self.emit(kind, files, command, why, state);
        }
    }

    pub(super) fn emit(
        &mut self,
        kind: EffectKind,
        targets: Vec<Target>,
        command: impl Into<String>,
        why: impl Into<String>,
        state: &State,
    ) {
        self.emit_with(kind, targets, command, why, state, false);
    }

    pub(super) fn emit_with(
        &mut self,
        kind: EffectKind,
        targets: Vec<Target>,
        command: impl Into<String>,
        why: impl Into<String>,
        state: &State,
        recursive: bool,
    ) {
        let count = targets.len();
        let targets: Vec<Target> = targets.into_iter().filter(|target| state.site.keeps(target)).collect();
        let forgotten = 0 < count && targets.is_empty();
        let in_sandbox = matches!(&state.site, super::target::Site::Sandbox { mounts } if mounts.is_empty());
        if forgotten || (in_sandbox && count == 0) {
            return;
        }
        self.push(Effect {
            kind,
            targets,
            command: super::shorten(&command.into()),
            why: why.into(),
            reach: state.site.reach(),
            recursive,
            script: None,
        });
    }

    #[expect(clippy::unused_self, reason = "asked of the machine like everything else about a word")]
    pub(super) fn target(&self, field: &Field, state: &State) -> Target {
        target::target(field, state)
    }

    pub(super) fn targets(&self, fields: &[Field], state: &State) -> Vec<Target> {
        fields.iter().map(|field| self.target(field, state)).collect()
    }

    /// Reads a file: its effect, its known content, its secrecy.
    pub(super) fn read_file(&mut self, field: &Field, state: &State, by: &str) -> Stream {
        if let Some(stream) = self.source(field) {
            return stream;
        }
        let target = self.target(field, state);
        let data = match &target.path {
            Some(_) if is_socket(&target) => {
                Data::Opaque { why: "data from the network".to_owned(), remote: true }
            }
            Some(path) => match state.files.get(path) {
                Some(text) => Data::Text(text.clone()),
                None if path.as_os_str() == "/dev/null" => Data::Nothing,
                None => Data::File(Some(path.clone())),
            },
            None => Data::File(None),
        };
        let secret = net::secret_file(&target);
        self.emit(
            EffectKind::Read,
            vec![target],
            format!("{by} {}", field.render()),
            "it reads the file",
            state,
        );
        Stream { data, secret }
    }

    /// Runs one command with resolved words.
    #[expect(clippy::needless_pass_by_value, reason = "callers build the words for this call")]
    pub(super) fn run(&mut self, argv: Vec<Field>, state: &mut State, stdin: &Stream) -> Stream {
        if !self.spend() {
            return Stream::NOTHING;
        }
        let Some(first) = argv.first() else { return Stream::NOTHING };
        let pattern = first.0.iter().any(|piece| matches!(piece, Piece::Glob(_)));
        let word = match first.known().or_else(|| program_below(first)) {
            Some(word) if !pattern || word == "[" => word,
            _ => return self.unknown_command(&argv),
        };
        if let Some(why) = lookalike::in_command_word(&word) {
            self.emit(EffectKind::LookAlike, Vec::new(), render(&argv), why, state);
        }
        self.note_options(&word, &argv[1..]);
        self.commands.push(super::Command {
            words: argv.iter().map(Field::known).collect(),
            flow: self.flow,
            cwd: state.cwd.clone(),
            remote: state.site != super::target::Site::Local,
        });
        if let Some(alias) = state.aliases.remove(&word) {
            let out = self.run_text(&format!("{alias} {}", render(&argv[1..])), state, stdin);
            state.aliases.insert(word, alias);
            return out;
        }
        if state.functions.contains_key(&word) {
            return self.call(&word, argv[1..].to_vec(), state, stdin);
        }
        let name = command_name(&word).to_owned();
        let call = Call { name: &name, word: &word, argv: &argv, args: &argv[1..], stdin };
        for family in FAMILIES {
            if let Some(out) = family(self, &call, state) {
                return out;
            }
        }
        if word.contains('/') {
            self.script_file(&argv[0], &argv[1..], state);
        }
        Stream {
            data: Data::Opaque { why: format!("output of `{name}`"), remote: false },
            secret: stdin.secret.clone(),
        }
    }

    /// A script of the project: its text when this command line wrote it, else a gap in what was understood.
    pub(super) fn script_file(&mut self, field: &Field, args: &[Field], state: &mut State) {
        let target = self.target(field, state);
        let text = target.path.as_ref().and_then(|path| state.files.get(path)).cloned();
        match text {
            Some(text) => {
                self.run_text(&text, &mut state.clone(), &Stream::NOTHING);
            }
            None if target.path.as_ref().is_some_and(|path| self.downloads.contains(path)) => {
                let command = field.render();
                self.emit(
                    EffectKind::ExecRemote,
                    Vec::new(),
                    command,
                    "it runs what was just downloaded",
                    state,
                );
            }
            None => {
                let mut inside = State { args: args.to_vec(), ..State::new(state.cwd.clone()) };
                inside.site = state.site.clone();
                self.enter(target.path.as_ref(), |machine, text| match super::script::interpreter(text) {
                    Some(name) => super::script::run_source(machine, name, text, field, &mut inside),
                    None => drop(machine.run_text(text, &mut inside, &Stream::NOTHING)),
                });
            }
        }
    }

    fn unknown_command(&mut self, argv: &[Field]) -> Stream {
        let word = argv.first().map(Field::render).unwrap_or_default();
        if word.contains(":-") {
            // `${TOOL:-name}`: the alternative with the default was judged as well.
            return Stream::opaque("output of a tool from the environment", false);
        }
        let stream = argv.first().and_then(|field| self.source(field));
        match stream.map(|stream| stream.data) {
            Some(Data::Opaque { why, remote: true }) => self.push(Effect {
                kind: EffectKind::ExecRemote,
                targets: Vec::new(),
                command: super::shorten(&render(argv)),
                why: format!("it runs {why}"),
                reach: hostler_model::Reach::Local,
                recursive: false,
                script: None,
            }),
            _ => self.unresolved(
                super::shorten(&render(argv)),
                format!("the command word `{word}` is known only when it runs"),
            ),
        }
        Stream::opaque("not analysed", false)
    }

    /// Runs a stream as shell text.
    pub(super) fn run_stream(&mut self, stream: &Stream, command: &str, state: &mut State) -> Stream {
        match &stream.data {
            Data::Nothing => Stream::NOTHING,
            Data::Text(text) => self.run_text(text, state, &Stream::NOTHING),
            Data::File(Some(path)) if self.downloads.contains(path) => {
                self.emit(
                    EffectKind::ExecRemote,
                    Vec::new(),
                    command,
                    "it runs what was just downloaded",
                    state,
                );
                Stream::opaque("not analysed", true)
            }
            Data::File(path) => {
                self.enter(path.as_ref(), |machine, text| {
                    drop(machine.run_text(text, state, &Stream::NOTHING));
                });
                Stream::opaque("output of a script", false)
            }
            Data::Opaque { why, remote: true } => {
                self.emit(EffectKind::ExecRemote, Vec::new(), command, format!("it runs {why}"), state);
                Stream::opaque("not analysed", true)
            }
            Data::Name | Data::Opaque { remote: false, .. } => {
                let why = match &stream.data {
                    Data::Opaque { why, .. } => why.as_str(),
                    _ => "text that is known only when it runs",
                };
                self.unresolved(super::shorten(command), format!("it runs {why}"));
                Stream::opaque("not analysed", false)
            }
        }
    }
}

/// One command with its words.
pub(super) struct Call<'c> {
    /// Its name without the folder, for programs in system folders.
    pub(super) name: &'c str,
    /// Its first word as resolved.
    pub(super) word: &'c str,
    /// All words.
    pub(super) argv: &'c [Field],
    /// All words but the first.
    pub(super) args: &'c [Field],
    /// What it reads.
    pub(super) stdin: &'c Stream,
}

impl Call<'_> {
    pub(super) fn render(&self) -> String {
        render(self.argv)
    }

    /// The resolved text of argument `index`.
    pub(super) fn arg(&self, index: usize) -> Option<String> {
        self.args.get(index).and_then(Field::known)
    }
}

type Family = fn(&mut Machine<'_>, &Call<'_>, &mut State) -> Option<Stream>;

/// Families of commands, asked in order; the first that knows the name answers.
const FAMILIES: &[Family] =
    &[builtin::run, wrap::run, script::run, files::run, git::run, net::run, packages::run, infra::run];

/// The words as one line, unknown parts as written.
pub(super) fn render(argv: &[Field]) -> String {
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// One word as it can be typed again.
pub(super) fn quoted(field: &Field) -> String {
    let text = field.render();
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+*?[]$~{}".contains(c);
    if !text.is_empty() && (text.chars().all(plain) || field.has_unknown()) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `$DIR/tool`: whatever the folder, the program is `tool`.
fn program_below(field: &Field) -> Option<String> {
    match field.0.as_slice() {
        [.., Piece::Unknown(_), Piece::Text(text)] => {
            text.rsplit_once('/').map(|(_, name)| name.to_owned()).filter(|name| !name.is_empty())
        }
        _ => None,
    }
}

fn assignment_name(assignment: &Assignment) -> String {
    match &assignment.name {
        AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _) => name.clone(),
    }
}

/// `/usr/bin/rm` -> `rm`; a program outside the system's folders keeps its path.
fn command_name(word: &str) -> &str {
    let Some((folder, name)) = word.rsplit_once('/') else { return word };
    let system = folder.is_empty()
        || folder.ends_with("/bin")
        || folder.ends_with("/sbin")
        || folder.contains("/Cellar/")
        || folder == "bin";
    if system && !name.is_empty() { name } else { word }
}

/// Writing there loses nothing.
pub(super) fn is_sink(target: &Target) -> bool {
    target.path.as_deref().and_then(std::path::Path::to_str).is_some_and(|path| {
        matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full")
            || path.starts_with("/dev/fd/")
            || path.starts_with("/dev/pts/")
            || path.starts_with("/dev/tcp/")
            || path.starts_with("/dev/udp/")
    })
}

/// Bash's names for connections.
fn is_socket(target: &Target) -> bool {
    target.path.as_deref().is_some_and(|path| path.starts_with("/dev/tcp") || path.starts_with("/dev/udp"))
}

fn is_device(target: &Target) -> bool {
    target.path.as_deref().is_some_and(|path| path.starts_with("/dev") && !path.starts_with("/dev/shm"))
}
