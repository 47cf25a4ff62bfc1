//! What a simple command means: which program, what it does to what, and how its failure is to be read.

use super::output::Tool;
use super::text::base;
use super::{Deed, FileAct};
use crate::claims::Act;

mod git;
mod packages;
mod runners;
mod systems;

pub(super) use systems::host;

/// How a failure of the program is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Role {
    /// It hardly fails and does nothing worth telling (`echo`, `cd`).
    #[default]
    Neutral,
    /// Its exit status is its answer (`grep`, `diff`, `test`).
    Answer,
    /// It only looks.
    Look,
    /// It judges: tests, linters, builds.
    Judge,
    /// It does something.
    Deed,
}

/// A program that judges, as it was called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judge {
    pub(super) act: Act,
    pub(super) program: String,
    pub(super) tool: Tool,
    pub(super) scope: Vec<String>,
}

/// What a simple command means.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Meaning {
    pub(super) files: Vec<FileAct>,
    pub(super) deeds: Vec<Deed>,
    pub(super) judges: Vec<Judge>,
    /// It may do to files what its words do not tell.
    pub(super) opaque: bool,
    pub(super) role: Role,
    /// What a later success has to be about.
    pub(super) target: String,
}

impl Meaning {
    pub(super) fn new(role: Role, target: impl Into<String>) -> Self {
        Self { role, target: target.into(), ..Self::default() }
    }

    fn deed(mut self, act: Act, object: impl Into<String>) -> Self {
        self.deeds.push(Deed { act, object: object.into() });
        self
    }

    fn file(mut self, act: Act, path: impl Into<String>) -> Self {
        self.files.push(FileAct::new(act, path));
        self
    }

    fn tree(mut self, act: Act, path: impl Into<String>) -> Self {
        self.files.push(FileAct::tree(act, path));
        self
    }

    /// What it judges is no more than `scope`.
    pub(super) fn narrow(&mut self, scope: Option<String>) {
        let Some(scope) = scope else { return };
        for judge in &mut self.judges {
            if !judge.scope.contains(&scope) {
                judge.scope.push(scope.clone());
            }
        }
    }

    fn opaque(mut self) -> Self {
        self.opaque = true;
        self
    }

    fn judge(mut self, act: Act, program: &str, tool: Tool, scope: Vec<String>) -> Self {
        self.role = Role::Judge;
        if self.target.is_empty() {
            program.clone_into(&mut self.target);
        }
        self.judges.push(Judge { act, program: program.to_owned(), tool, scope });
        self
    }
}

/// A folder of several as a scope: `packages/api`. The only folder of a project is the whole of it, and which that is
/// is not known here.
pub(super) fn folder_scope(path: &str) -> Option<String> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let parts = path.split('/').filter(|it| !it.is_empty()).count();
    (1 < parts && !path.starts_with(['/', '.', '~']) && !path.contains(['*', '$'])).then(|| path.to_owned())
}

/// The words of a command; a word that only the run knows is empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    /// The program without its folder.
    pub(super) name: &'a str,
    /// The program as written.
    pub(super) word: &'a str,
    /// What follows.
    pub(super) args: &'a [String],
}

impl<'a> Words<'a> {
    pub(super) fn new(words: &'a [String]) -> Option<Self> {
        let (word, args) = words.split_first()?;
        Some(Self { name: base(word), word, args })
    }

    /// The same without the first argument, under that argument's name.
    fn inner(self, skip: usize) -> Option<Self> {
        Self::new(self.args.get(skip..)?)
    }

    fn has(self, names: &[&str]) -> bool {
        self.args.iter().any(|arg| {
            names.contains(&arg.as_str())
                || arg
                    .split_once('=')
                    .is_some_and(|(name, _)| name.starts_with("--") && names.contains(&name))
        })
    }

    /// A letter in a cluster of short options.
    fn flag(self, letter: char) -> bool {
        self.args.iter().any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter))
    }

    /// The value of the first of `names`: `-o FILE`, `--out=FILE`, `-oFILE` for one-letter names.
    fn value(self, names: &[&str]) -> Option<&'a str> {
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            if names.contains(&arg.as_str()) {
                return args.next().map(String::as_str);
            }
            for name in names {
                if let Some(rest) = arg.strip_prefix(name) {
                    if let Some(value) = rest.strip_prefix('=') {
                        return Some(value);
                    }
                    if name.len() == 2 && !name.starts_with("--") && !rest.is_empty() {
                        return Some(rest);
                    }
                }
            }
        }
        None
    }

    /// What stands before `--`.
    fn own(self) -> Self {
        let end = self.args.iter().position(|it| it == "--").unwrap_or(self.args.len());
        Self { args: &self.args[..end], ..self }
    }

    /// What is no option, and no value of the options in `valued`.
    fn operands(self, valued: &[&str]) -> Vec<&'a str> {
        let mut out = Vec::new();
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                out.extend(args.map(String::as_str));
                break;
            }
            if valued.contains(&arg.as_str()) {
                args.next();
            } else if !arg.starts_with('-') || arg == "-" {
                out.push(arg.as_str());
            }
        }
        out
    }
}

/// What `words` mean.
pub(super) fn meaning(words: Words<'_>) -> Meaning {
    if asks(words) {
        return Meaning::new(Role::Look, words.name);
    }
    let found = git::meaning(words)
        .or_else(|| packages::meaning(words))
        .or_else(|| runners::meaning(words))
        .or_else(|| systems::meaning(words))
        .or_else(|| plain(words))
        .unwrap_or_else(|| unknown(words));
    if !found.judges.is_empty() && runners::only_lists(words) {
        // It names what it would judge.
        return Meaning::new(Role::Look, found.target);
    }
    found
}

/// Asks a program about itself.
fn asks(words: Words<'_>) -> bool {
    let help = |arg: Option<&String>| arg.is_some_and(|arg| arg == "--help");
    let version = |arg: &String| matches!(arg.as_str(), "--version" | "-V");
    let prints =
        matches!(words.name, "echo" | "printf" | "grep" | "rg" | "egrep" | "docker" | "podman" | "kubectl");
    !prints && (help(words.args.last()) || help(words.args.first()))
        || (words.args.len() == 1 && words.args[0] == "-h")
        || words.args.last().is_some_and(version)
            && words.args.iter().rev().skip(1).all(|arg| !arg.contains(['/', '.']))
}

/// Programs that neither change files nor judge.
fn plain(words: Words<'_>) -> Option<Meaning> {
    let name = words.name;
    Some(match name {
        "echo" | "printf" | "cd" | "pushd" | "popd" | "export" | "unset" | "set" | "shopt" | "source"
        | "." | "alias" | "sleep" | "true" | ":" | "exit" | "return" | "wait" | "local" | "declare"
        | "readonly" | "read" | "shift" | "break" | "continue" | "trap" | "umask" | "ulimit" | "seq"
        | "clear" | "history" | "yes" | "eval" | "exec" | "dirs" | "mapfile" | "let" | "hash" | "jobs"
        | "fg" | "bg" | "disown" | "typeset" | "logout" => {
            let reads = matches!(name, "source" | ".");
            let mut meaning = Meaning::new(if reads { Role::Look } else { Role::Neutral }, name);
            let settings = |path: &str| {
                let name = base(path);
                name.starts_with("activate")
                    || name.starts_with(".env")
                    || name.ends_with("rc")
                    || name.ends_with("profile")
                    || matches!(name, "env" | "nvm.sh" | "setup.bash" | "conda.sh")
            };
            meaning.opaque =
                name == "eval" || (reads && !words.args.first().is_some_and(|path| settings(path)));
            meaning
        }
        "test"
        | "["
        | "[["
        | "false"
        | "which"
        | "type"
        | "pgrep"
        | "lsof"
        | "expr"
        | "fuser"
        | "pidof"
        | "getent"
        | "nc"
        | "ncat"
        | "ping"
        | "pg_isready"
        | "ss"
        | "netstat"
        | "id"
        | "git-lfs"
        | "mountpoint"
        | "systemd-detect-virt"
        | "whereis"
        | "command" => Meaning::new(Role::Answer, name),
        "kill" | "pkill" | "killall" => {
            let object = words.operands(&["-s", "-n"]).first().copied().unwrap_or_default();
            Meaning::new(Role::Answer, name).deed(Act::Service, object)
        }
        "diff" | "cmp" | "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "colordiff"
        | "zdiff" | "sdiff" => search(words),
        "sed" | "gsed" | "perl" | "ruby" if in_place(words) => Meaning::new(Role::Deed, name),
        "dot" | "neato" if !words.args.iter().any(|arg| arg.starts_with("-o") || arg.starts_with("-O")) => {
            contents(words)
        }
        "yq" | "dasel" | "crudini" if words.has(&["-i", "--inplace", "--in-place", "put", "--set"]) => {
            let mut meaning = Meaning::new(Role::Deed, name);
            for file in words
                .operands(&["-s", "-t", "-v"])
                .into_iter()
                .filter(|it| it.contains('.') && !it.starts_with(['.', '\'', '"']) && !it.contains('='))
            {
                meaning = meaning.file(Act::Edit, file);
            }
            meaning
        }
        "cat" | "sed" | "gsed" | "head" | "tail" | "less" | "more" | "most" | "bat" | "batcat" | "tac"
        | "nl" | "rev" | "sort" | "uniq" | "cut" | "paste" | "join" | "comm" | "awk" | "gawk" | "mawk"
        | "nawk" | "jq" | "yq" | "xq" | "strings" | "xxd" | "hexdump" | "od" | "base64" | "column"
        | "fold" | "fmt" | "expand" | "tr" | "zcat" | "pr" | "pv" | "md5sum" | "sha1sum" | "sha256sum"
        | "sha512sum" | "cksum" | "shasum" | "pdftotext" | "exiftool" | "ffprobe" | "identify"
        | "xmllint" | "csvcut" | "csvlook" | "csvstat" | "look" | "iconv" | "readelf" | "objdump" | "nm"
        | "otool" | "ldd" | "mdcat" | "glow" | "hexyl" | "delta" | "difft" | "tshark" | "tcpdump" => {
            contents(words)
        }
        "journalctl" | "dmesg" | "last" => {
            let unit = words.value(&["-u", "--unit"]).unwrap_or(name);
            Meaning::new(Role::Look, name).deed(Act::Read, unit)
        }
        "ls" | "ll" | "la" | "tree" | "eza" | "exa" | "lsd" | "stat" | "file" | "wc" | "du" | "df"
        | "find" | "gfind" | "fd" | "fdfind" | "locate" | "basename" | "dirname" | "realpath" | "pdfinfo"
        | "mediainfo" | "soxi" | "readlink" | "tokei" | "cloc" | "scc" | "ncdu" | "lsblk" | "mount"
        | "namei" => {
            let skip: &[&str] =
                if matches!(name, "find" | "gfind") { &[] } else { &["-I", "-L", "-d", "-e", "-t", "-E"] };
            let operands = words.operands(skip);
            let places: Vec<&str> = if matches!(name, "find" | "gfind") {
                words
                    .args
                    .iter()
                    .map(String::as_str)
                    .take_while(|arg| !arg.starts_with(['-', '(', '!']))
                    .collect()
            } else if matches!(name, "fd" | "fdfind") {
                operands.into_iter().skip(1).collect()
            } else {
                operands
            };
            let mut meaning = Meaning::new(Role::Look, name);
            if places.is_empty() {
                meaning = meaning.tree(Act::Search, ".");
            }
            let deep =
                matches!(name, "tree" | "find" | "gfind" | "fd" | "fdfind" | "du" | "tokei" | "cloc" | "scc")
                    || words.flag('R');
            for place in places.into_iter().filter(|it| !it.is_empty()) {
                meaning =
                    if deep { meaning.tree(Act::Search, place) } else { meaning.file(Act::Search, place) };
            }
            meaning
        }
        "apt-cache" | "pwd" | "date" | "whoami" | "uname" | "hostname" | "env" | "printenv" | "ps"
        | "top" | "htop" | "free" | "uptime" | "nproc" | "lscpu" | "arch" | "groups" | "tty" | "stty"
        | "locale" | "cal" | "bc" | "man" | "info" | "tldr" | "nvidia-smi" | "sw_vers" | "xcode-select"
        | "lsb_release" | "ip" | "ifconfig" | "dig" | "nslookup" | "host" | "ulid" | "uuidgen"
        | "openssl" | "ssh-keygen" | "gpg" | "age" | "pbpaste" | "pbcopy" | "open" | "xdg-open"
        | "hyperfine" | "time" | "timeout" | "xargs" | "sudo" | "nohup" | "watch" | "tput" | "screen"
        | "tmux" => Meaning::new(Role::Look, name),
        "touch" => words
            .operands(&["-d", "-t", "-r", "--date", "--reference"])
            .into_iter()
            .filter(|it| !it.is_empty())
            .fold(Meaning::new(Role::Deed, name), |it, path| {
                it.file(Act::Create, path).file(Act::Edit, path)
            }),
        "chmod" | "chown" | "chgrp" => {
            let deep = words.flag('R') || words.has(&["--recursive"]);
            // `chmod -x file`: the mode looks like an option.
            let mode = |it: &String| {
                it.strip_prefix('-')
                    .is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| b"rwxXst".contains(&byte)))
            };
            let given = words.has(&["--reference"]) || (name == "chmod" && words.args.iter().any(mode));
            words.operands(&[]).into_iter().skip(usize::from(!given)).filter(|it| !it.is_empty()).fold(
                Meaning::new(Role::Deed, name),
                |it, path| {
                    if deep { it.tree(Act::Edit, path) } else { it.file(Act::Edit, path) }
                },
            )
        }
        "mkdir" | "ln" | "tee" | "sponge" | "truncate" | "dd" | "install" | "rm" | "rmdir" | "unlink"
        | "shred" | "trash" | "trash-put" | "rimraf" | "fallocate" | "mktemp" | "sync" | "xattr"
        | "setfacl" => Meaning::new(Role::Deed, name),
        "patch" if words.has(&["--dry-run", "-C", "--check"]) => Meaning::new(Role::Look, name),
        // Which files it changed, its output tells.
        "patch" => {
            let operands =
                words.operands(&["-i", "-d", "-p", "-o", "-r", "-D", "-F", "--input", "--directory"]);
            let meaning = Meaning::new(Role::Deed, name);
            if operands.is_empty() { meaning.opaque() } else { meaning }
        }
        "mv" | "cp" | "gmv" | "gcp" => transfer(words),
        "rsync" | "scp" | "sftp" | "rclone" => {
            let operands = words.operands(&["-e", "-i", "-P", "-F", "-o", "--exclude", "--include"]);
            let to = operands.last().copied().unwrap_or_default();
            let remote = |it: &str| it.split('/').next().is_some_and(|part| part.contains(':'));
            if remote(to) {
                let host = to.split(':').next().unwrap_or_default();
                Meaning::new(Role::Deed, name).deed(Act::Send, to).deed(Act::Deploy, host)
            } else if words.has(&["-n", "--dry-run"]) {
                Meaning::new(Role::Look, name)
            } else {
                let fetched = operands.iter().any(|it| remote(it));
                let meaning = Meaning::new(Role::Deed, name).tree(Act::Create, to);
                if fetched {
                    meaning.deed(Act::Fetch, operands.first().copied().unwrap_or_default())
                } else {
                    meaning
                }
            }
        }
        "tar" | "zip" | "unzip" | "7z" | "gzip" | "gunzip" | "bzip2" | "xz" | "zstd" | "bsdtar" => {
            archive(words)
        }
        "ssh" => {
            let host =
                words.operands(&["-i", "-p", "-o", "-F", "-J", "-L", "-l", "-R", "-D"]).first().copied();
            Meaning::new(Role::Deed, format!("ssh {}", host.unwrap_or_default()).trim()).opaque()
        }
        _ => return None,
    })
}

/// Programs that print what is in their operands, with the options that take a value, and whether the first
/// operand is a program instead.
fn contents(words: Words<'_>) -> Meaning {
    let (valued, programs): (&[&str], bool) = match words.name {
        "head" | "tail" => (&["-n", "-c", "--lines", "--bytes", "-s", "--pid"], false),
        "cut" => (&["-d", "-f", "-c", "-b"], false),
        "sort" => (&["-k", "-t", "-o", "-S", "-T"], false),
        "uniq" => (&["-f", "-s", "-w"], false),
        "sed" | "gsed" => (&["-e", "-f", "-l", "--expression", "--file"], true),
        "awk" | "gawk" | "mawk" | "nawk" => (&["-F", "-v", "-f"], true),
        "jq" | "yq" | "xq" => (&["-f", "--indent", "-L", "-o", "-p", "-I"], true),
        "tr" => return Meaning::new(Role::Look, words.name),
        "bat" | "batcat" => {
            (&["-r", "--line-range", "-l", "--language", "--style", "--theme", "-H", "--paging"], false)
        }
        "xxd" | "hexdump" | "od" | "strings" | "hexyl" => {
            (&["-s", "-l", "-c", "-n", "-N", "-j", "-A", "-t", "-w", "-C"], false)
        }
        "fold" | "fmt" | "column" | "base64" | "nl" | "pr" => (&["-w", "-s", "-b", "-l", "-o", "-c"], false),
        _ => (&[], false),
    };
    let given = words.has(&["-e", "-f", "--expression", "--file", "--from-file"]);
    let mut meaning = Meaning::new(Role::Look, words.name);
    for path in words.operands(valued).into_iter().skip(usize::from(programs && !given)) {
        let named = !path.is_empty() && path != "-" && !path.starts_with('+') && !path.contains('\n');
        if named {
            meaning = meaning.file(Act::Read, path);
        }
    }
    meaning
}

fn search(words: Words<'_>) -> Meaning {
    let name = words.name;
    let mut meaning = Meaning::new(Role::Answer, name);
    if matches!(name, "diff" | "cmp" | "colordiff" | "zdiff" | "sdiff") {
        for path in words.operands(&["-U", "-x", "-I", "-C"]) {
            if !path.is_empty() && path != "-" {
                meaning = meaning.file(Act::Read, path);
            }
        }
        return meaning;
    }
    let names_only = words.has(&[
        "--files-with-matches",
        "--files-without-match",
        "--count",
        "--quiet",
        "--files",
        "--silent",
        "--count-matches",
    ]) || ['l', 'c', 'q', 'L'].iter().any(|it| words.flag(*it))
        && !words.has(&["-color", "--color"]);
    let valued = [
        "-A",
        "-B",
        "-C",
        "-e",
        "-f",
        "-m",
        "-g",
        "-t",
        "-T",
        "--include",
        "--exclude",
        "--glob",
        "--type",
        "--max-count",
        "--exclude-dir",
        "--context",
        "-d",
        "--max-depth",
        "-j",
        "-M",
    ];
    let given = words.has(&["-e", "-f", "--regexp", "--file", "--files"]);
    let places: Vec<&str> =
        words.operands(&valued).into_iter().skip(usize::from(!given)).filter(|it| !it.is_empty()).collect();
    let act = if names_only { Act::Search } else { Act::Read };
    let deep = matches!(name, "rg" | "ag" | "ack")
        || words.flag('r')
        || words.flag('R')
        || words.has(&["--recursive"]);
    if places.is_empty() && deep {
        return meaning.tree(Act::Search, ".");
    }
    for place in places {
        let folder =
            !base(place).contains('.') || place.ends_with('/') || place.contains('*') || place == ".";
        meaning = if deep && folder { meaning.tree(Act::Search, place) } else { meaning.file(act, place) };
    }
    meaning
}

/// `mv a b`: the new name is moved to, the old one is gone. `cp a b`: the new one is made.
fn transfer(words: Words<'_>) -> Meaning {
    let moves = words.name.ends_with("mv");
    let operands = words.operands(&["-t", "-S", "--target-directory", "--suffix"]);
    let folder = words.value(&["-t", "--target-directory"]);
    let (sources, to): (&[&str], &str) = match (folder, operands.split_last()) {
        (Some(folder), _) => (&operands, folder),
        (None, Some((to, sources))) => (sources, *to),
        (None, None) => (&[], ""),
    };
    let into = folder.is_some() || 1 < sources.len() || to.ends_with('/') || matches!(to, "." | "..");
    let mut meaning = Meaning::new(Role::Deed, words.name);
    for source in sources.iter().filter(|it| !it.is_empty()) {
        let below = format!("{}/{}", to.trim_end_matches('/'), base(source));
        let act = if moves { Act::Move } else { Act::Create };
        let mut place = |path: &str| {
            let next = std::mem::take(&mut meaning);
            meaning = if words.flag('r') || words.flag('R') || words.flag('a') {
                next.tree(act, path)
            } else {
                next.file(act, path)
            };
        };
        if !into {
            place(to);
        }
        // A name without an extension may be a folder that is there.
        if into || (!base(to).contains('.') && base(source) != base(to)) {
            place(&below);
        }
        if moves {
            meaning = meaning.file(Act::Delete, *source);
        } else if !into && !base(to).is_empty() {
            meaning = meaning.file(Act::Edit, to);
        }
        let name = base(to).to_lowercase();
        let copy = [".bak", ".backup", ".orig", ".old", ".save"].iter().any(|it| name.ends_with(it))
            || name.contains("backup");
        if !moves && copy {
            meaning = meaning.deed(Act::Backup, *source);
        }
    }
    meaning
}

fn archive(words: Words<'_>) -> Meaning {
    let meaning = Meaning::new(Role::Deed, words.name);
    let first = words.args.first().map(String::as_str).unwrap_or_default();
    match words.name {
        "tar" | "bsdtar" => {
            let lists = words.flag('t')
                || words.has(&["--list"])
                || (!first.starts_with('-') && first.contains('t') && !first.contains('/'));
            let creates = words.has(&["--create"])
                || words.flag('c')
                || (!first.starts_with('-') && first.contains('c') && !first.contains(['/', '.']));
            if creates {
                let file = words.value(&["-f", "--file"]).or_else(|| {
                    words
                        .args
                        .iter()
                        .map(String::as_str)
                        .find(|it| it.contains(".tar") || it.contains(".tgz"))
                });
                let file = file.unwrap_or_default();
                meaning.deed(Act::Backup, file).file(Act::Create, file)
            } else if lists {
                Meaning::new(Role::Look, words.name)
            } else {
                meaning.tree(Act::Create, words.value(&["-C", "--directory"]).unwrap_or("."))
            }
        }
        "zip" => {
            let file = words.operands(&["-x", "-i"]).first().copied().unwrap_or_default();
            meaning.deed(Act::Backup, file).file(Act::Create, file)
        }
        "unzip" if words.flag('l') || words.flag('p') => Meaning::new(Role::Look, words.name),
        "unzip" => meaning.tree(Act::Create, words.value(&["-d"]).unwrap_or(".")),
        _ => meaning.opaque(),
    }
}

/// `sed -i`, `perl -pi`.
fn in_place(words: Words<'_>) -> bool {
    words.args.iter().any(|arg| {
        arg.starts_with("--in-place")
            || (arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.split(['e', 'E', 'M', 'I', 'f']).next().is_some_and(|flags| flags.contains('i')))
    })
}

/// A program that no table knows: it may do anything, its name and options may say what.
fn unknown(words: Words<'_>) -> Meaning {
    let path = words.word.contains('/');
    let target = if path { base(words.word) } else { words.name };
    let mut meaning = Meaning::new(Role::Deed, target).opaque().deed(Act::Run, words.word);
    named_deeds(words.name, &mut meaning);
    outputs(words, &mut meaning);
    if path {
        runners::judge_file(words.word, &mut meaning);
    } else if meaning.files.iter().any(|file| !file.tree) {
        // A program that is told which file to write writes it; a generator or a script may do more.
        meaning.opaque = false;
    }
    rehearses(words, &mut meaning);
    meaning
}

/// Files that options name as outputs: `-o FILE`, `--out=DIR`, `--summary-export=FILE`.
pub(super) fn outputs(words: Words<'_>, meaning: &mut Meaning) {
    let mut args = words.args.iter().peekable();
    while let Some(arg) = args.next() {
        if arg == "--" {
            break;
        }
        if !arg.starts_with('-') {
            continue;
        }
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, value),
            None if arg.starts_with("-o") && 2 < arg.len() && !arg.starts_with("-out") => arg.split_at(2),
            None => (arg.as_str(), args.peek().map_or("", |it| it.as_str())),
        };
        // `--cov-report=xml:coverage.xml`
        let value = if name == "--cov-report" { value.split_once(':').map_or("", |it| it.1) } else { value };
        let place = value.contains('/') || base(value).rfind('.').is_some_and(|at| 0 < at);
        let written = match names_output(name) {
            Some(true) => name != "-o" || place,
            Some(false) => place,
            None => continue,
        };
        let number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !written
            || number
            || value.starts_with('-')
            || value.starts_with("/dev/")
            || value.contains("://")
            || value.contains('=')
        {
            continue;
        }
        let folder = !base(value).contains('.');
        for act in [Act::Create, Act::Edit] {
            let file = FileAct { tree: folder, ..FileAct::new(act, value) };
            if !meaning.files.contains(&file) {
                meaning.files.push(file);
            }
        }
    }
}

/// Whether an option names what is written: any value of it is, or one that looks like a path.
fn names_output(option: &str) -> Option<bool> {
    const NAMES: &[&str] = &[
        "-o",
        "--out",
        "--output",
        "--output-file",
        "--outfile",
        "--outDir",
        "--out-dir",
        "--outdir",
        "--output-dir",
        "--report",
        "--dest",
        "--destination",
        "--junitxml",
        "--junit-xml",
        "--output-path",
        "--report-file",
        "--export",
        "--save",
        "--write",
        "-coverprofile",
        "--coverprofile",
        "-cpuprofile",
        "-memprofile",
    ];
    if NAMES.contains(&option) {
        return Some(true);
    }
    if !option.starts_with("--") {
        return None;
    }
    let lower = option.to_ascii_lowercase();
    let reader = lower.contains("reporter") && !lower.contains("output") && !lower.contains("out-file");
    // `eslint --report-unused-disable-directives src/`
    let switch = lower.contains("unused");
    let parts = lower.trim_start_matches('-').split(['-', '_', '.']);
    let named = ["export", "output", "report", "outfile", "outdir"].iter().any(|it| lower.contains(it))
        || parts.into_iter().any(|part| matches!(part, "out" | "save" | "saveto"));
    (named && !reader && !switch && !lower.starts_with("--no-")).then_some(false)
}

/// A script that is told to change nothing.
pub(super) fn rehearses(words: Words<'_>, meaning: &mut Meaning) {
    if words.has(&["--dry-run", "--dryrun", "--dry"]) {
        meaning.opaque = false;
        meaning.files.clear();
        meaning.deeds.retain(|deed| deed.act == Act::Run);
    }
}

/// What a script's name says that it does: `deploy.sh`, `db:migrate`, `backup-all`.
pub(super) fn named_deeds(name: &str, meaning: &mut Meaning) {
    let lower = name.to_lowercase();
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let mut add = |act: Act| {
        if !meaning.deeds.iter().any(|deed| deed.act == act) {
            meaning.deeds.push(Deed { act, object: name.to_owned() });
        }
    };
    for part in parts {
        match part {
            "deploy" | "deployment" | "rollout" | "ship" => add(Act::Deploy),
            "release" | "publish" => {
                add(Act::Publish);
                add(Act::Deploy);
            }
            "migrate" | "migration" | "migrations" | "seed" | "seeds" => add(Act::Migrate),
            "backup" | "dump" => add(Act::Backup),
            "restart" | "start" | "stop" | "serve" | "server" | "dev" | "up" | "down" => add(Act::Service),
            "send" | "notify" | "upload" => add(Act::Send),
            "rollback" | "revert" => add(Act::Revert),
            _ => {}
        }
    }
}
