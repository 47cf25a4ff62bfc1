//! Commands that run another command.

use hostler_model::{EffectKind, Target};

use super::args::Args;
use super::machine::{Data, Machine, State, Stream};
use super::run::{Call, render};
use super::target::Site;
use super::word::{Field, Piece};

/// A wrapper of the plain kind: options, some operands, then the command.
struct Wrapper {
    names: &'static [&'static str],
    /// Options that take a value.
    valued: &'static str,
    /// Operands before the command.
    operands: usize,
}

const fn wrapper(names: &'static [&'static str], valued: &'static str, operands: usize) -> Wrapper {
    Wrapper { names, valued, operands }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(&["sudo"], "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot", 0),
    wrapper(&["doas"], "-u -C", 0),
    wrapper(
        &[
            "nohup",
            "setsid",
            "builtin",
            "eatmydata",
            "fakeroot",
            "unbuffer",
            "chronic",
            "ifne",
            "catchsegv",
            "pkexec",
            "rlwrap",
            "noglob",
            "nocorrect",
            "dbus-run-session",
        ],
        "-w",
        0,
    ),
    wrapper(&["timeout", "gtimeout"], "-k -s --kill-after --signal", 1),
    wrapper(&["nice"], "-n --adjustment", 0),
    wrapper(&["ionice"], "-c -n -p -P -u --class --classdata", 0),
    wrapper(&["time", "gtime"], "-f -o --format --output", 0),
    wrapper(&["exec"], "-a", 0),
    wrapper(&["stdbuf"], "-i -o -e", 0),
    wrapper(&["chrt"], "-T -P -D", 1),
    wrapper(&["taskset"], "", 1),
    wrapper(&["strace", "ltrace"], "-o -e -p -s -a -u -E -I -O -S -P", 0),
    wrapper(&["caffeinate"], "-t -w", 0),
    wrapper(&["xvfb-run"], "-n -s -f -e -p -w --server-args --server-num", 0),
    wrapper(&["systemd-run"], "-u -p -M -H -E --unit --property --setenv", 0),
    wrapper(&["firejail", "bwrap", "proot"], "", 0),
    wrapper(&["arch", "setarch", "linux64"], "-arch", 0),
    wrapper(&["busybox", "toybox"], "", 0),
    wrapper(
        &["doppler", "op", "dotenv", "dotenvx", "aws-vault", "chamber", "infisical"],
        "-f -p -c -e --env-file",
        0,
    ),
];

/// Runners of project tools: `npx prisma …` is `prisma …`.
const RUNNERS: &[(&str, &[&str])] = &[
    ("npx", &[]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("pnpm", &["exec", "dlx", "run"]),
    ("yarn", &["exec", "dlx", "run"]),
    ("npm", &["exec", "x"]),
    ("bun", &["x", "run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("uvx", &[]),
    ("conda", &["run"]),
    ("mamba", &["run"]),
    ("bundle", &["exec"]),
    ("mise", &["exec", "x"]),
    ("asdf", &["exec"]),
    ("direnv", &["exec"]),
    ("rtk", &[]),
    ("devbox", &["run"]),
];

/// Shells.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "yash", "oksh", "pwsh"];

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let name = call.name;
    if SHELLS.contains(&name) {
        return Some(shell(machine, call, state));
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) {
        return Some(plain(machine, wrapper, call, state));
    }
    Some(match name {
        "env" => env(machine, call, state),
        "command" => {
            let (options, at) = Args::leading(call.args, "");
            if options.has(&["-v", "-V"]) {
                super::builtin::lookup(&call.args[at..])
            } else {
                machine.run(call.args[at..].to_vec(), state, call.stdin)
            }
        }
        "watch" | "entr" | "hyperfine" | "retry" => {
            let (_, at) = Args::leading(call.args, "-n -d -w -r --interval --warmup --runs -t");
            let text = call.args[at..].iter().map(Field::render).collect::<Vec<_>>().join(" ");
            machine.run_text(&text, &mut state.clone(), call.stdin)
        }
        "xargs" => xargs(machine, call, state),
        "parallel" => parallel(machine, call, state),
        "find" | "gfind" => find(machine, call, state),
        "fd" | "fdfind" => fd(machine, call, state),
        "su" | "runuser" | "script" | "flock" | "newgrp" | "sg" => string_or_command(machine, call, state),
        "chroot" | "nsenter" | "unshare" => {
            let (_, at) = Args::leading(call.args, "-t -S -G --target --userspec --groups");
            let skip = usize::from(name == "chroot");
            let mut inside = state.clone();
            inside.site = Site::Remote;
            machine.run(call.args.get(at + skip..).unwrap_or_default().to_vec(), &mut inside, call.stdin)
        }
        "ssh" | "mosh" | "autossh" => ssh(machine, call, state),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => {
            container(machine, call, state)?
        }
        "kubectl" | "oc" | "k" | "lxc" | "incus" | "wsl" | "vagrant" | "toolbox" | "distrobox"
        | "multipass" => remote_exec(machine, call, state)?,
        "nix-shell" | "nix" | "guix" => nix(machine, call, state)?,
        "at" | "batch" => {
            machine.run_stream(&call.stdin.clone(), &call.render(), &mut state.clone());
            Stream::NOTHING
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            awk(machine, call, state);
            return None;
        }
        "vim" | "vi" | "nvim" | "ex" | "ed" => {
            let parsed = Args::parse(call.args, "-c --cmd -S -u -p");
            let targets = machine.targets(&parsed.operands, state);
            let why = "an editor may write the file";
            machine.write_effect(EffectKind::Write, targets, call.render(), why, state);
            for field in call.args {
                if let Some((_, code)) = field.render().split_once('!') {
                    machine.run_text(code, &mut state.clone(), &Stream::NOTHING);
                }
            }
            Stream::NOTHING
        }
        _ => return runner(machine, call, state),
    })
}

fn plain(machine: &mut Machine<'_>, wrapper: &Wrapper, call: &Call<'_>, state: &mut State) -> Stream {
    let (options, at) = Args::leading(call.args, wrapper.valued);
    if call.name == "sudo"
        && options.has(&["-l", "--list", "-v", "--validate", "-V", "--version", "-K", "-k"])
        && at == call.args.len()
    {
        return Stream::NOTHING;
    }
    if call.name == "sudo" && options.has(&["-e", "--edit"]) {
        let targets = machine.targets(&call.args[at..], state);
        machine.write_effect(EffectKind::Write, targets, call.render(), "`sudo -e` edits the file", state);
        return Stream::NOTHING;
    }
    let mut rest = call.args.get(at + wrapper.operands..).unwrap_or_default();
    // `sudo VAR=x cmd`, `doppler run -- cmd`.
    while let Some(first) = rest.first() {
        let head = first.head();
        let assigns = head.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let marker = matches!(head, "--" | "run" | "exec")
            && rest.len() != 1
            && call.name != "sudo"
            && call.name != "exec";
        if !assigns && !marker {
            break;
        }
        rest = &rest[1..];
    }
    if let Some(folder) = options.value(&["-D", "--chdir"]).filter(|_| call.name == "sudo") {
        let mut inside = state.clone();
        inside.cwd = machine.target(folder, state).path;
        return machine.run(rest.to_vec(), &mut inside, call.stdin);
    }
    machine.run(rest.to_vec(), state, call.stdin)
}

fn env(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let (options, at) = Args::leading(call.args, "-u -C -S --unset --chdir --split-string");
    let mut inside = state.clone();
    if let Some(folder) = options.value(&["-C", "--chdir"]) {
        inside.cwd = machine.target(folder, state).path;
    }
    if let Some(text) = options.value(&["-S", "--split-string"]) {
        let mut line = text.render();
        for field in &call.args[at..] {
            line.push(' ');
            line.push_str(&super::run::quoted(field));
        }
        return machine.run_text(&line, &mut inside, call.stdin);
    }
    let mut rest = &call.args[at..];
    while let Some(first) = rest.first() {
        let Some((name, value)) = first.head().split_once('=') else { break };
        let value = if first.0.len() == 1 { Field::text(value) } else { Field::unknown(format!("${name}")) };
        inside.set(name, super::word::Value::Scalar(value));
        rest = &rest[1..];
    }
    if rest.is_empty() {
        return Stream {
            data: Data::Opaque { why: "the environment".to_owned(), remote: false },
            secret: Some("the environment".to_owned()),
        };
    }
    machine.run(rest.to_vec(), &mut inside, call.stdin)
}

fn shell(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let mut code = false;
    let mut stdin = false;
    let mut index = 0;
    while let Some(field) = call.args.get(index) {
        let head = field.head();
        if head == "--" {
            index += 1;
            break;
        }
        if matches!(head, "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O") {
            index += 2;
            continue;
        }
        if head.starts_with("--") {
            if matches!(head, "--version" | "--help") {
                return Stream::opaque("a help text", false);
            }
            if head == "--command" {
                code = true;
            }
            index += 1;
            continue;
        }
        if (head.starts_with('-') || head.starts_with('+')) && 1 < head.len() {
            code |= head.starts_with('-') && head[1..].contains(['c', 'C']);
            stdin |= head.contains('s');
            // `-euo pipefail`: the `o` in a cluster takes the next word.
            index += if head.ends_with('o') { 2 } else { 1 };
            continue;
        }
        break;
    }
    let rest = call.args.get(index..).unwrap_or_default();
    let mut inside = state.clone();
    inside.calls.clear();
    if code {
        let Some((text, args)) = rest.split_first() else { return Stream::NOTHING };
        inside.args = args.get(1..).unwrap_or_default().to_vec();
        if let Some(stream) = machine.source(text) {
            return machine.run_stream(&stream, &call.render(), &mut inside);
        }
        if let [Piece::Unknown(source)] = text.0.as_slice() {
            machine.unresolved(
                super::shorten(&call.render()),
                format!("it runs `{source}`, which is known only when it runs"),
            );
            return Stream::opaque("not analysed", false);
        }
        return machine.run_text(&text.render(), &mut inside, call.stdin);
    }
    match rest.first() {
        Some(file) if !stdin && !is_stdin(file) => {
            inside.args = rest[1..].to_vec();
            let stream = machine.read_file(file, state, call.name);
            machine.run_stream(&stream, &call.render(), &mut inside)
        }
        _ => machine.run_stream(&call.stdin.clone(), &call.render(), &mut inside),
    }
}

fn is_stdin(field: &Field) -> bool {
    matches!(field.known().as_deref(), Some("-" | "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0"))
}

fn xargs(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let valued =
        "-I -i -n -P -L -d -s -a -E --max-args --max-procs --delimiter --arg-file --replace --max-lines";
    let (options, at) = Args::leading(call.args, valued);
    let mut argv = call.args[at..].to_vec();
    if argv.is_empty() {
        return Stream::opaque("output of `xargs`", false);
    }
    let words: Option<Vec<Field>> = match &call.stdin.data {
        Data::Text(text) if text.len() < 4_096 && !text.contains(['$', '`']) => Some(
            text.split(|c: char| c.is_whitespace() || c == '\0')
                .filter(|word| !word.is_empty())
                .map(Field::text)
                .collect(),
        ),
        Data::Nothing if call.stdin == &Stream::NOTHING => None,
        _ => None,
    };
    let items = words.unwrap_or_else(|| vec![Field::unknown("<from a pipe>")]);
    let replace = options
        .value(&["-I", "--replace"])
        .map(Field::render)
        .or_else(|| options.has(&["-i"]).then(|| "{}".to_owned()));
    match replace {
        Some(mark) if !mark.is_empty() => {
            let mut out = Stream::NOTHING;
            for item in items.iter().take(64) {
                out = machine.run(replaced(&argv, &mark, item), state, &Stream::NOTHING);
            }
            out
        }
        _ => {
            argv.extend(items);
            machine.run(argv, state, &Stream::NOTHING)
        }
    }
}

/// `argv` with every `mark` replaced by `item`.
fn replaced(argv: &[Field], mark: &str, item: &Field) -> Vec<Field> {
    argv.iter()
        .map(|field| {
            let mut out = Field::default();
            for piece in &field.0 {
                match piece {
                    Piece::Text(text) if text.contains(mark) => {
                        for (index, part) in text.split(mark).enumerate() {
                            if 0 < index {
                                item.0.iter().for_each(|piece| out.push(piece.clone()));
                            }
                            if !part.is_empty() {
                                out.push(Piece::Text(part.to_owned()));
                            }
                        }
                    }
                    other => out.push(other.clone()),
                }
            }
            out
        })
        .collect()
}

fn parallel(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let (_, at) = Args::leading(call.args, "-j --jobs -a --arg-file --colsep -N -n --delay -S --joblog");
    let rest = &call.args[at..];
    let split = rest.iter().position(|field| matches!(field.head(), ":::" | "::::" | ":::+"));
    let (command, items) = match split {
        Some(split) => (&rest[..split], Some((rest[split].head() == ":::", &rest[split + 1..]))),
        None => (rest, None),
    };
    let unknown = vec![Field::unknown("<from a pipe>")];
    let items: Vec<Field> = match items {
        Some((true, items)) => items.to_vec(),
        _ => match &call.stdin.data {
            Data::Text(text) if items.is_none() && text.len() < 4_096 => {
                text.lines().map(Field::text).collect()
            }
            _ => unknown,
        },
    };
    if command.is_empty() {
        // The items are commands themselves.
        for item in items.iter().take(64) {
            let stream = machine.stream_of(item);
            if item.has_unknown() {
                machine.unresolved(super::shorten(&call.render()), "it runs commands from a pipe");
            } else {
                machine.run_stream(&stream, &call.render(), &mut state.clone());
            }
        }
        return Stream::opaque("output of `parallel`", false);
    }
    let line = render(command);
    for item in items.iter().take(64) {
        let marks = ["{}", "{.}", "{/}", "{//}"];
        let argv = if marks.iter().any(|mark| line.contains(mark)) {
            replaced(command, "{}", item)
        } else {
            command.iter().cloned().chain([item.clone()]).collect()
        };
        if let [only] = argv.as_slice() {
            machine.run_text(&only.render(), &mut state.clone(), &Stream::NOTHING);
        } else {
            machine.run(argv, &mut state.clone(), &Stream::NOTHING);
        }
    }
    Stream::opaque("output of `parallel`", false)
}

/// `find`: its `-delete`, its `-exec` family, its file-writing actions.
fn find(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let args = call.args;
    let global = args
        .iter()
        .take_while(|field| matches!(field.head(), "-H" | "-L" | "-P") || field.head().starts_with("-O"))
        .count();
    let expression = args
        .iter()
        .skip(global)
        .position(|field| field.head().starts_with('-') || matches!(field.head(), "(" | "!" | ")"))
        .map_or(args.len(), |at| at + global);
    let mut starts = args[global..expression].to_vec();
    if starts.is_empty() {
        starts.push(Field::text("."));
    }
    let tests = &args[expression..];
    // What is found below the whole project, or below a place that is not known, is no known list.
    let whole = |target: &Target, machine: &Machine<'_>| {
        target.path.as_ref().is_none_or(|path| machine.place.root.starts_with(path) || target.glob)
    };
    let filtered = tests.iter().any(|field| {
        matches!(
            field.head(),
            "-name"
                | "-iname"
                | "-path"
                | "-ipath"
                | "-wholename"
                | "-regex"
                | "-iregex"
                | "-type"
                | "-mtime"
                | "-mmin"
                | "-newer"
                | "-size"
                | "-user"
                | "-empty"
                | "-maxdepth"
                | "-mindepth"
                | "-perm"
                | "-atime"
                | "-ctime"
                | "-links"
        )
    });
    let found: Vec<Field> = starts
        .iter()
        .map(|start| {
            let target = machine.target(start, state);
            if whole(&target, machine) && filtered {
                Field::unknown(format!("<found below {}>", start.render()))
            } else {
                start.clone()
            }
        })
        .collect();
    let mut index = 0;
    while let Some(field) = tests.get(index) {
        match field.head() {
            "-delete" => {
                let targets = machine.targets(&found, state);
                machine.emit_with(
                    EffectKind::Delete,
                    targets,
                    call.render(),
                    "`find -delete` removes what it finds",
                    state,
                    true,
                );
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let length = tests[index + 1..]
                    .iter()
                    .position(|field| matches!(field.known().as_deref(), Some(";" | "+")))
                    .unwrap_or(tests.len() - index - 1);
                let argv = &tests[index + 1..index + 1 + length];
                for item in &found {
                    machine.run(replaced(argv, "{}", item), &mut state.clone(), &Stream::NOTHING);
                }
                index += length;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(file) = tests.get(index + 1) {
                    let target = machine.target(file, state);
                    machine.write_effect(
                        EffectKind::Overwrite,
                        vec![target],
                        call.render(),
                        "`find -fprint` writes the file",
                        state,
                    );
                }
            }
            _ => {}
        }
        index += 1;
    }
    Stream::opaque("a list from `find`", false)
}

fn fd(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let at =
        call.args.iter().position(|field| matches!(field.head(), "-x" | "-X" | "--exec" | "--exec-batch"));
    if let Some(at) = at {
        let argv = &call.args[at + 1..];
        let end = argv.iter().position(|field| field.known().as_deref() == Some(";")).unwrap_or(argv.len());
        let item = Field::unknown("<found by fd>");
        let mut argv = argv[..end].to_vec();
        if !argv.iter().any(|field| field.render().contains("{}")) {
            argv.push(Field::text("{}"));
        }
        machine.run(replaced(&argv, "{}", &item), &mut state.clone(), &Stream::NOTHING);
    }
    Stream::opaque("a list from `fd`", false)
}

/// `su -c '…'`, `script -c '…'`, `flock FILE -c '…'`, `flock FILE cmd`.
fn string_or_command(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let parsed = Args::parse(call.args, "-c --command -s -g -G -w -E --shell --wait -u");
    if let Some(text) = parsed.value(&["-c", "--command"]).cloned() {
        let mut inside = state.clone();
        let stream = machine.stream_of(&text);
        return machine.run_stream(&stream, &call.render(), &mut inside);
    }
    match call.name {
        "flock" => {
            let (_, at) = Args::leading(call.args, "-w -E --wait");
            machine.run(call.args.get(at + 1..).unwrap_or_default().to_vec(), state, call.stdin)
        }
        "runuser" => {
            let (_, at) = Args::leading(call.args, "-u -g -G");
            machine.run(call.args[at..].to_vec(), state, call.stdin)
        }
        "su" | "newgrp" | "sg" => machine.run_stream(&call.stdin.clone(), &call.render(), &mut state.clone()),
        _ => Stream::NOTHING,
    }
}

fn ssh(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let valued = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w";
    let (_, at) = Args::leading(call.args, valued);
    let mut inside = state.clone();
    inside.site = Site::Remote;
    let (_, after) = Args::leading(call.args.get(at + 1..).unwrap_or_default(), valued);
    let command = call.args.get(at + 1 + after..).unwrap_or_default();
    if command.is_empty() {
        if let Data::Text(text) = &call.stdin.data {
            machine.run_text(text, &mut inside, &Stream::NOTHING);
        }
    } else {
        let text = command.iter().map(Field::render).collect::<Vec<_>>().join(" ");
        machine.run_text(&text, &mut inside, call.stdin);
    }
    Stream::opaque("output from another machine", true)
}

/// `docker run|exec|compose …`. `None` for subcommands that run nothing inside.
fn container(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    const RUN_VALUED: &str = "-v --volume --mount -e --env --env-file -w --workdir -u --user -p --publish --name --network --net --entrypoint -h --hostname -l --label --platform -m --memory --cpus --volumes-from --add-host --restart --ipc --pid --gpus --shm-size --ulimit --cap-add --cap-drop --security-opt --device --dns -a --attach --cidfile --tmpfs --log-driver --log-opt --pull --index --detach-keys --scale";
    let (_, at) = Args::leading(
        call.args,
        "-H --host -c --context --config -f --file -p --project-name --profile --project-directory --env-file",
    );
    let mut rest = call.args.get(at..)?;
    let mut verb = rest.first()?.known()?;
    while matches!(verb.as_str(), "compose" | "container") {
        let (_, skip) =
            Args::leading(&rest[1..], "-f --file -p --project-name --profile --project-directory --env-file");
        rest = rest.get(1 + skip..)?;
        verb = rest.first()?.known()?;
    }
    if !matches!(verb.as_str(), "run" | "exec") {
        return None;
    }
    let (options, image) = Args::leading(&rest[1..], RUN_VALUED);
    let mut inside = state.clone();
    inside.vars.clear();
    inside.site = if verb == "exec" || options.has(&["--volumes-from", "--privileged", "--device"]) {
        Site::Remote
    } else {
        Site::Sandbox { mounts: mounts(&options) }
    };
    let mut command = rest.get(1 + image + 1..).unwrap_or_default().to_vec();
    if let Some(entry) = options.value(&["--entrypoint"]) {
        command.insert(0, entry.clone());
    }
    machine.run(command, &mut inside, call.stdin);
    Some(Stream::opaque("output of a container", false))
}

/// Mount points inside the container of `-v host:inside` and `--mount …,target=inside`.
fn mounts(options: &Args) -> Vec<String> {
    let volumes = options.values(&["-v", "--volume"]).map(|field| {
        let text = field.render();
        let mut parts = text.split(':');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.next().map_or(first, str::to_owned)
    });
    let mounts = options.values(&["--mount"]).filter_map(|field| {
        let text = field.render();
        text.split(',')
            .find_map(|part| {
                ["target=", "dst=", "destination="].iter().find_map(|key| part.strip_prefix(key))
            })
            .map(str::to_owned)
    });
    volumes.chain(mounts).collect()
}

/// `kubectl exec POD -- cmd` and its kin. `None` for other subcommands.
fn remote_exec(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let verb = call
        .args
        .iter()
        .position(|field| matches!(field.head(), "exec" | "run" | "ssh" | "enter" | "debug"))?;
    let rest = &call.args[verb + 1..];
    let mut inside = state.clone();
    inside.site = Site::Remote;
    if let Some(marker) = rest.iter().position(|field| field.head() == "--") {
        machine.run(rest[marker + 1..].to_vec(), &mut inside, call.stdin);
    } else if let Some(code) = Args::parse(rest, "-c --command").value(&["-c", "--command"]) {
        let text = code.render();
        machine.run_text(&text, &mut inside, call.stdin);
    } else if verb == 0 && call.name != "kubectl" && call.name != "oc" {
        let (_, at) = Args::leading(rest, "-n --name");
        machine.run(rest.get(at + 1..).unwrap_or_default().to_vec(), &mut inside, call.stdin);
    }
    Some(Stream::opaque("output of a container", true))
}

fn nix(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let parsed = Args::parse(call.args, "--run --command -p -I");
    if let Some(text) = parsed.value(&["--run"]) {
        let text = text.render();
        return Some(machine.run_text(&text, &mut state.clone(), call.stdin));
    }
    let at = call.args.iter().position(|field| matches!(field.head(), "-c" | "--command" | "--"))?;
    Some(machine.run(call.args[at + 1..].to_vec(), &mut state.clone(), call.stdin))
}

/// Commands that `awk` programs start: `system("…")` and `"…" | getline`.
fn awk(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    for field in call.args {
        let text = field.render();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("system(") {
            rest = &rest[at + "system(".len()..];
            match rest.trim_start().strip_prefix('"').and_then(|inner| inner.split_once('"')) {
                Some((code, after)) if after.trim_start().starts_with(')') => {
                    machine.run_text(code, &mut state.clone(), &Stream::NOTHING);
                }
                _ => machine.unresolved(
                    super::shorten(&call.render()),
                    "`awk` runs a command that it builds from its input",
                ),
            }
        }
    }
}

/// `npx TOOL …`, `poetry run TOOL …`: the tool, if the runner runs one here.
fn runner(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let (_, verbs) = RUNNERS.iter().find(|(name, _)| *name == call.name)?;
    let valued = "-c --call -p --package -w --workspace --filter -F -C --dir --cwd --prefix -n --name --with --python --env-file --from --project --directory";
    let (options, at) = Args::leading(call.args, valued);
    if let Some(code) = options.value(&["-c", "--call"]).filter(|_| matches!(call.name, "npx" | "npm")) {
        let text = code.render();
        return Some(machine.run_text(&text, &mut state.clone(), call.stdin));
    }
    let mut rest = call.args.get(at..)?;
    if !verbs.is_empty() {
        let verb = rest.first()?.known()?;
        if verbs.contains(&verb.as_str()) {
            let (_, skip) = Args::leading(&rest[1..], valued);
            rest = rest.get(1 + skip..)?;
            if call.name == "direnv" {
                rest = rest.get(1..)?;
            }
            if rest.first().is_some_and(|field| field.head() == "--") {
                rest = &rest[1..];
            }
        } else if !matches!(call.name, "pnpm" | "yarn" | "bun") || INSTALL_VERBS.contains(&verb.as_str()) {
            return None;
        }
    }
    if rest.is_empty() {
        return None;
    }
    Some(machine.run(rest.to_vec(), state, call.stdin))
}

/// Verbs of package managers themselves.
const INSTALL_VERBS: &[&str] = &[
    "add",
    "install",
    "i",
    "remove",
    "rm",
    "uninstall",
    "update",
    "up",
    "upgrade",
    "init",
    "create",
    "publish",
    "link",
    "unlink",
    "audit",
    "why",
    "list",
    "ls",
    "outdated",
    "test",
    "start",
    "build",
    "info",
    "config",
    "cache",
    "store",
    "workspace",
    "workspaces",
    "pack",
    "set",
];
