//! Programs that remove, move, copy, write or read files.

use hostler_model::{EffectKind, Target};

use super::args::{Args, any};
use super::machine::{Data, Machine, State, Stream};
use super::net;
use super::run::Call;
use super::word::{Field, Piece};

/// Programs that read their operands and print something made of them.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "most",
    "bat",
    "batcat",
    "tac",
    "nl",
    "rev",
    "sort",
    "uniq",
    "cut",
    "paste",
    "join",
    "comm",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "gsed",
    "jq",
    "yq",
    "xq",
    "strings",
    "xxd",
    "hexdump",
    "od",
    "base64",
    "base32",
    "diff",
    "cmp",
    "file",
    "stat",
    "column",
    "fold",
    "fmt",
    "expand",
    "tr",
    "split",
    "csplit",
    "tee",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "zcat",
    "gunzip",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "openssl",
    "gpg",
    "age",
    "iconv",
    "pr",
    "pv",
];

/// Filters that decode: text that was hidden comes out.
const DECODERS: &[&str] = &[
    "base64", "base32", "xxd", "openssl", "gpg", "age", "gunzip", "zcat", "bzip2", "xz", "zstd", "uudecode",
    "basenc", "rev", "tr",
];

const UNPACKS: &str = "it unpacks into the folder";

/// Decoders of files.
const UNPACKERS: &[&str] = &["openssl", "gpg", "age", "gunzip", "zcat", "gzip", "bzip2", "xz", "zstd"];

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    match call.name {
        "rm" | "grm" | "rmdir" | "grmdir" | "unlink" | "srm" | "del" | "rimraf" | "rd" | "Remove-Item" => {
            remove(machine, call, state);
        }
        "shred" | "wipe" | "gshred" => shred(machine, call, state),
        "mv" | "gmv" => move_or_copy(machine, call, state, true),
        "cp" | "gcp" | "ditto" => move_or_copy(machine, call, state, false),
        "install" | "ginstall" => install(machine, call, state),
        "ln" | "gln" | "link" => link(machine, call, state),
        "rsync" | "rclone" => sync(machine, call, state),
        "tee" | "sponge" | "gtee" => return Some(tee(machine, call, state)),
        "truncate" => truncate(machine, call, state),
        "fallocate" => {
            let parsed = Args::parse(call.args, "-l -o --length --offset");
            let kind = if parsed.has(&["-p", "-c", "-z", "--punch-hole", "--collapse-range", "--zero-range"])
            {
                EffectKind::Truncate
            } else {
                EffectKind::Write
            };
            let targets = machine.targets(&parsed.operands, state);
            machine.write_effect(
                kind,
                targets,
                call.render(),
                "`fallocate` changes the file's extents",
                state,
            );
        }
        "touch" | "mkdir" | "mkfifo" | "mknod" => {
            let parsed = Args::parse(call.args, "-d -r -t -m --date --reference --mode -M -X");
            let targets = machine.targets(&parsed.operands, state);
            machine.write_effect(
                EffectKind::Write,
                targets,
                call.render(),
                "it creates or touches the path",
                state,
            );
        }
        "sed" | "gsed" | "perl" | "ruby" if in_place(call) => edit_in_place(machine, call, state),
        "dd" | "dcfldd" => dd(machine, call, state),
        "patch" => {
            let parsed = Args::parse(call.args, "-i -p -d -o -r -B -D -F -Y -z -V");
            if !parsed.has(&["--dry-run"]) {
                let targets = machine.targets(parsed.operands.get(..1).unwrap_or_default(), state);
                machine.write_effect(EffectKind::Write, targets, call.render(), "`patch` edits files", state);
            }
        }
        "sort" if Args::parse(call.args, SORT_VALUED).has(&["-o", "--output"]) => {
            let parsed = Args::parse(call.args, SORT_VALUED);
            let out: Vec<Field> = parsed.values(&["-o", "--output"]).cloned().collect();
            let targets = machine.targets(&out, state);
            machine.write_effect(
                EffectKind::Overwrite,
                targets,
                call.render(),
                "`sort -o` replaces the file",
                state,
            );
        }
        name if name.rsplit('/').next() == Some("hostler") => {
            let parsed = Args::parse(call.args, "--out --html --session --format --since");
            let named = parsed.values(&["--out", "--html"]).filter(|it| it.known().as_deref() != Some("-"));
            let written: Vec<Field> = named.cloned().collect();
            let targets = machine.targets(&written, state);
            machine.write_effect(
                EffectKind::Overwrite,
                targets,
                call.render(),
                "the option names the file that is replaced",
                state,
            );
            return None;
        }
        "tar" | "bsdtar" | "gtar" | "zip" => return Some(archive(machine, call, state)),
        "unzip" | "7z" | "7za" | "cpio" | "unrar" => {
            let folders: Vec<Field> =
                Args::parse(call.args, "-d -x -o -P").values(&["-d"]).cloned().collect();
            let targets = machine.targets(&folders, state);
            machine.write_effect(EffectKind::Write, targets, call.render(), UNPACKS, state);
            return Some(Stream::opaque("the content of an archive", true));
        }
        "chmod" | "chown" | "chgrp" | "chflags" | "icacls" | "gchmod" | "gchown" | "setfacl" | "chattr" => {
            permissions(machine, call, state);
        }
        "split" | "csplit" | "trash" | "trash-put" | "gio" | "rmtrash" => return Some(Stream::NOTHING),
        name if is_device_tool(name) => device(machine, call, state),
        "crontab" => {
            let parsed = Args::parse(call.args, "-u");
            if parsed.has(&["-r"]) {
                machine.emit(
                    EffectKind::Infrastructure,
                    Vec::new(),
                    call.render(),
                    "`crontab -r` removes every scheduled job",
                    state,
                );
            }
        }
        name if READERS.contains(&name) => return Some(read(machine, call, state)),
        _ => return None,
    }
    Some(Stream::NOTHING)
}

const SORT_VALUED: &str = "-o --output -k --key -t -S -T --parallel --field-separator";

fn remove(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "");
    if parsed.has(&["--help", "--version"]) && parsed.operands.is_empty() {
        return;
    }
    let recursive = parsed.has(&["-r", "-R", "--recursive"]) || call.name == "rimraf";
    let targets = machine.targets(&parsed.operands, state);
    if targets.is_empty() {
        return;
    }
    let why = format!("`{}` removes its operands", call.name);
    machine.emit_with(EffectKind::Delete, targets, call.render(), why, state, recursive);
}

fn shred(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "-n -s --iterations --size --random-source");
    let targets = machine.targets(&parsed.operands, state);
    let why = format!("`{}` destroys the content beyond recovery", call.name);
    machine.emit(EffectKind::Device, targets, call.render(), why, state);
}

/// Sources and destination of `cp` and `mv`.
fn operands(parsed: &Args) -> (Vec<Field>, Option<Field>) {
    if let Some(folder) = parsed.value(&["-t", "--target-directory"]) {
        return (parsed.operands.clone(), Some(into(folder, None)));
    }
    match parsed.operands.split_last() {
        Some((destination, sources)) if !sources.is_empty() => (sources.to_vec(), Some(destination.clone())),
        _ => (parsed.operands.clone(), None),
    }
}

/// `folder/` or `folder/name`.
fn into(folder: &Field, name: Option<&str>) -> Field {
    let mut out = folder.clone();
    out.push(Piece::Text(format!("/{}", name.unwrap_or_default())));
    out
}

fn move_or_copy(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State, moves: bool) {
    let parsed = Args::parse(call.args, "-t -S --target-directory --suffix");
    if parsed.has(&["--help", "--version"]) {
        return;
    }
    let (sources, Some(destination)) = operands(&parsed) else { return };
    let command = call.render();
    let source_targets = machine.targets(&sources, state);
    let to = machine.target(&destination, state);
    let to_null =
        to.path.as_deref().is_some_and(|path| path.starts_with("/dev") && !path.starts_with("/dev/shm"));
    if moves {
        if to_null {
            machine.emit(
                EffectKind::Device,
                vec![to],
                command,
                "moving onto a device destroys the file",
                state,
            );
            return;
        }
        machine.emit(
            EffectKind::MoveAway,
            source_targets.clone(),
            command.clone(),
            "`mv` takes its sources away",
            state,
        );
    } else {
        for (field, target) in sources.iter().zip(&source_targets) {
            if let Some(stream) = machine.source(field)
                && let Some(path) = &to.path
                && let Data::Text(text) = stream.data
            {
                state.files.insert(path.clone(), text);
            }
            machine.emit(
                EffectKind::Read,
                vec![target.clone()],
                command.clone(),
                "`cp` reads its sources",
                state,
            );
        }
        let from_null = source_targets
            .iter()
            .any(|it| it.path.as_deref().and_then(std::path::Path::to_str) == Some("/dev/null"));
        if from_null {
            machine.write_effect(
                EffectKind::Truncate,
                vec![to],
                command,
                "copying `/dev/null` empties the file",
                state,
            );
            return;
        }
    }
    if parsed.has(&["-n", "--no-clobber"]) {
        machine.write_effect(EffectKind::Write, vec![to], command, "it writes without replacing", state);
        return;
    }
    // The destination itself, and what it holds under the sources' names when it is a folder.
    let mut written = vec![to];
    for source in &sources {
        let name =
            source.known().and_then(|text| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned));
        if let Some(name) =
            name.filter(|name| !name.is_empty() && name != "." && name != ".." && !name.contains('*'))
        {
            written.push(machine.target(&into(&destination, Some(&name)), state));
        }
    }
    let why = if moves { "`mv` replaces its destination" } else { "`cp` replaces its destination" };
    machine.write_effect(EffectKind::Overwrite, written, command, why, state);
}

fn install(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "-m -o -g -t -S --mode --owner --group --target-directory");
    if parsed.has(&["-d", "--directory"]) {
        let targets = machine.targets(&parsed.operands, state);
        machine.write_effect(
            EffectKind::Write,
            targets,
            call.render(),
            "`install -d` creates folders",
            state,
        );
        return;
    }
    if let (_, Some(destination)) = operands(&parsed) {
        let target = machine.target(&destination, state);
        machine.write_effect(
            EffectKind::Overwrite,
            vec![target],
            call.render(),
            "`install` replaces its destination",
            state,
        );
    }
}

fn link(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "-t -S --target-directory --suffix");
    let (_, destination) = operands(&parsed);
    let Some(destination) = destination else { return };
    let kind = if parsed.has(&["-f", "--force"]) { EffectKind::Overwrite } else { EffectKind::Write };
    let target = machine.target(&destination, state);
    machine.write_effect(kind, vec![target], call.render(), "`ln` puts a link there", state);
}

fn sync(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    if call.name == "rclone" {
        let verb = call.arg(0).unwrap_or_default();
        if matches!(
            verb.as_str(),
            "delete" | "purge" | "deletefile" | "rmdir" | "rmdirs" | "cleanup" | "sync" | "move"
        ) && !any(call.args, &["--dry-run", "-n"])
        {
            machine.emit(
                EffectKind::Infrastructure,
                Vec::new(),
                call.render(),
                format!("`rclone {verb}` removes remote files"),
                state,
            );
        }
        return;
    }
    let parsed = Args::parse(
        call.args,
        "-e -f -T -B -M --rsh --exclude --include --filter --exclude-from --include-from --files-from --rsync-path --backup-dir --log-file --chmod --chown --bwlimit",
    );
    if parsed.has(&["-n", "--dry-run"]) {
        return;
    }
    if let Some(rsh) = parsed.value(&["-e", "--rsh"]) {
        let text = rsh.render();
        if !text.trim_start().starts_with("ssh") {
            machine.run_text(&text, &mut state.clone(), &Stream::NOTHING);
        }
    }
    let Some((destination, sources)) = parsed.operands.split_last() else { return };
    let command = call.render();
    let remote = |field: &Field| {
        field.known().is_some_and(|text| text.split('/').next().is_some_and(|part| part.contains(':')))
    };
    if sources.iter().any(|field| net::secret_file(&machine.target(field, state)).is_some())
        && remote(destination)
    {
        machine.emit(
            EffectKind::SecretUpload,
            Vec::new(),
            command.clone(),
            "it copies secret files to another machine",
            state,
        );
    }
    if parsed.has(&["--remove-source-files"]) {
        let targets = machine.targets(sources, state);
        machine.emit(
            EffectKind::Delete,
            targets,
            command.clone(),
            "`--remove-source-files` removes the sources",
            state,
        );
    }
    let deletes = parsed.names().any(|name| name.starts_with("--del") && name != "--delay-updates");
    if deletes && remote(destination) {
        machine.emit(
            EffectKind::Infrastructure,
            Vec::new(),
            command,
            "`rsync --delete` removes files on another machine",
            state,
        );
    } else if deletes {
        let target = machine.target(&into(destination, None), state);
        machine.emit_with(
            EffectKind::Delete,
            vec![target],
            command,
            "`rsync --delete` removes what the source lacks",
            state,
            true,
        );
    } else if !remote(destination) {
        let target = machine.target(destination, state);
        machine.write_effect(
            EffectKind::Overwrite,
            vec![target],
            command,
            "`rsync` replaces files in its destination",
            state,
        );
    }
}

fn tee(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let parsed = Args::parse(call.args, "--output-error");
    let append = parsed.has(&["-a", "--append"]);
    for field in &parsed.operands {
        let target = machine.target(field, state);
        if let (Some(path), Data::Text(text), false) = (&target.path, &call.stdin.data, append) {
            state.files.insert(path.clone(), text.clone());
        }
        let (kind, why) = if append {
            (EffectKind::Write, "`tee -a` appends to the file")
        } else {
            (EffectKind::Overwrite, "`tee` replaces the file")
        };
        machine.write_effect(kind, vec![target], call.render(), why, state);
    }
    call.stdin.clone()
}

fn truncate(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "-s -r --size --reference");
    let grows = parsed.value(&["-s", "--size"]).is_some_and(|size| size.head().starts_with(['+', '>', '%']));
    let kind = if grows { EffectKind::Write } else { EffectKind::Truncate };
    let targets = machine.targets(&parsed.operands, state);
    machine.write_effect(kind, targets, call.render(), "`truncate` cuts the file", state);
}

/// `sed -i`, `perl -pi`, `ruby -i`.
pub(super) fn in_place(call: &Call<'_>) -> bool {
    call.args.iter().any(|field| {
        let head = field.head();
        head.starts_with("--in-place")
            || (head.starts_with('-')
                && !head.starts_with("--")
                && head.split(['e', 'E', 'M', 'I', 'f']).next().is_some_and(|flags| flags.contains('i')))
    })
}

pub(super) fn edit_in_place(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "-e -f -E --expression --file");
    let scripts = usize::from(!parsed.has(&["-e", "-f", "-E", "--expression", "--file"]));
    // `-pi -e …` in perl: the code is the value of `-e`; `sed -i s/a/b/ file`: the first operand is the code.
    let files = parsed.operands.get(scripts..).unwrap_or_default();
    let targets = machine.targets(files, state);
    machine.write_effect(
        EffectKind::Write,
        targets,
        call.render(),
        format!("`{}` edits the file in place", call.name).as_str(),
        state,
    );
}

fn dd(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    for field in call.args {
        if field.head().starts_with("of=") {
            let target = machine.target(&field.without_head(3), state);
            machine.write_effect(
                EffectKind::Overwrite,
                vec![target],
                call.render(),
                "`dd of=` replaces the file",
                state,
            );
        }
    }
}

fn archive(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let parsed = Args::parse(
        call.args,
        "-f -C -T -X -b -I --file --directory --exclude --to-command --checkpoint-action --use-compress-program",
    );
    for code in parsed.values(&["--to-command", "--use-compress-program", "-I"]) {
        let text = code.render();
        machine.run_text(&text, &mut state.clone(), &Stream::NOTHING);
    }
    for action in parsed.values(&["--checkpoint-action"]) {
        if let Some(code) = action.render().strip_prefix("exec=") {
            machine.run_text(code, &mut state.clone(), &Stream::NOTHING);
        }
    }
    if parsed.has(&["--remove-files"]) {
        let targets = machine.targets(&parsed.operands, state);
        machine.emit_with(
            EffectKind::Delete,
            targets,
            call.render(),
            "`tar --remove-files` removes what it archived",
            state,
            true,
        );
    }
    let first = call.args.first().map(Field::head).unwrap_or_default();
    let bundled = !first.starts_with('-') && !first.contains('/') && call.name != "zip";
    let creates = parsed.has(&["-c", "--create"]) || (bundled && first.contains('c')) || call.name == "zip";
    if !creates {
        let folders: Vec<Field> = parsed.values(&["-C", "--directory"]).cloned().collect();
        let targets = machine.targets(&folders, state);
        machine.write_effect(EffectKind::Write, targets, call.render(), UNPACKS, state);
        return Stream::opaque("the content of an archive", true);
    }
    // `tar czf OUT …`: in the old style the archive is the next word.
    let members = parsed.operands.get(usize::from(bundled)..).unwrap_or_default();
    let (file, members) = match parsed.value(&["-f", "--file"]) {
        Some(file) => (Some(file.clone()), members),
        None if (bundled && first.contains('f')) || call.name == "zip" => {
            (members.first().cloned(), members.get(1..).unwrap_or_default())
        }
        None => (None, members),
    };
    let mut secret = None;
    for member in members {
        let stream = machine.read_file(member, state, call.name);
        secret = secret.or(stream.secret);
    }
    match file.filter(|file| file.head() != "-") {
        Some(file) => {
            let target = machine.target(&file, state);
            machine.write_effect(
                EffectKind::Overwrite,
                vec![target],
                call.render(),
                "the archive is replaced",
                state,
            );
            Stream::NOTHING
        }
        None => Stream { secret, ..Stream::opaque("an archive", false) },
    }
}

fn permissions(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let parsed = Args::parse(call.args, "--reference --from");
    if parsed.has(&["--help", "--version"]) {
        return;
    }
    let recursive = parsed.has(&["-R", "--recursive"]);
    let symbolic = call.args.iter().any(|field| {
        let head = field.head();
        head.starts_with('-') && 1 < head.len() && head[1..].chars().all(|c| "rwxXst,".contains(c))
    });
    let skip = usize::from(!parsed.has(&["--reference"]) && !symbolic);
    let files = parsed.operands.get(skip..).unwrap_or_default();
    let targets = machine.targets(files, state);
    if targets.is_empty() {
        return;
    }
    let why = format!(
        "`{}` changes who may use {}",
        call.name,
        if recursive { "the whole tree" } else { "the path" }
    );
    machine.emit_with(EffectKind::PermissionChange, targets, call.render(), why, state, recursive);
}

fn is_device_tool(name: &str) -> bool {
    name.starts_with("mkfs")
        || matches!(
            name,
            "wipefs"
                | "fdisk"
                | "sfdisk"
                | "cfdisk"
                | "sgdisk"
                | "gdisk"
                | "parted"
                | "mkswap"
                | "blkdiscard"
                | "hdparm"
                | "cryptsetup"
                | "lvremove"
                | "vgremove"
                | "pvremove"
                | "zpool"
                | "zfs"
                | "mdadm"
                | "diskutil"
                | "newfs"
                | "mke2fs"
                | "badblocks"
                | "nvme"
                | "shutdown"
                | "reboot"
                | "halt"
                | "poweroff"
                | "init"
                | "telinit"
                | "systemctl"
                | "kill"
                | "killall"
                | "pkill"
                | "swapoff"
                | "btrfs"
                | "format"
        )
}

fn device(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    let words: Vec<String> = call.args.iter().map(Field::render).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let why = match call.name {
        "shutdown" if has(&["-c", "--help"]) => None,
        "shutdown" | "reboot" | "halt" | "poweroff" => Some("it stops the machine"),
        "init" | "telinit" => has(&["0", "6"]).then_some("it stops the machine"),
        "systemctl" => has(&["poweroff", "reboot", "halt", "kexec", "rescue", "emergency"])
            .then_some("it stops the machine"),
        "kill" | "pkill" | "killall" => {
            let everything = words.last().is_some_and(|word| word == "-1") && 1 < words.len()
                || (call.name == "pkill" && has(&["."]))
                || (call.name == "pkill" && has(&["-u"]) && words.len() < 4 && has(&["-9", "-KILL"]));
            everything.then_some("it ends every process")
        }
        "fdisk" | "sfdisk" | "parted" | "gdisk" | "sgdisk"
            if has(&["-l", "--list", "print", "-p", "-d", "--dump"]) =>
        {
            None
        }
        "hdparm" => has(&["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"])
            .then_some("it erases the disk"),
        "cryptsetup" => has(&["luksFormat", "erase", "luksErase", "reencrypt"])
            .then_some("it destroys the encrypted volume"),
        "zpool" | "zfs" => {
            has(&["destroy", "labelclear", "rollback"]).then_some("it destroys a pool or data set")
        }
        "btrfs" => (has(&["subvolume"]) && has(&["delete"])).then_some("it deletes a subvolume"),
        "mdadm" => {
            has(&["--zero-superblock", "--stop", "-S", "--remove"]).then_some("it takes an array apart")
        }
        "diskutil" => words
            .iter()
            .any(|word| word.to_lowercase().starts_with("erase") || word == "partitionDisk")
            .then_some("it erases the disk"),
        "nvme" => has(&["format", "sanitize"]).then_some("it erases the disk"),
        "badblocks" => has(&["-w"]).then_some("it overwrites the disk"),
        "swapoff" => None,
        "wipefs" if has(&["-n", "--no-act"]) || words.iter().all(|word| !word.starts_with('-')) => None,
        "format" => words.first().is_some_and(|word| word.ends_with(':')).then_some("it formats the disk"),
        _ if has(&["--help", "-V", "--version"]) => None,
        _ => Some("it formats or repartitions a device"),
    };
    if let Some(why) = why {
        machine.emit(EffectKind::Device, Vec::new(), call.render(), why, state);
    }
}

fn read(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let parsed = Args::parse(call.args, "-n -c -e -f -d -A -B -C -m -k -t -w -g --include --exclude -F -v");
    // The first operand of a filter is its program.
    let patterned = matches!(
        call.name,
        "grep"
            | "egrep"
            | "fgrep"
            | "zgrep"
            | "rg"
            | "ag"
            | "ack"
            | "awk"
            | "gawk"
            | "mawk"
            | "nawk"
            | "sed"
            | "gsed"
            | "jq"
            | "yq"
            | "xq"
            | "tr"
    );
    let skip = usize::from(patterned && !parsed.has(&["-e", "-f", "--regexp", "--file", "--expression"]));
    let files = if matches!(call.name, "openssl" | "gpg" | "age" | "tr") {
        &[]
    } else {
        parsed.operands.get(skip..).unwrap_or_default()
    };
    let mut secret = call.stdin.secret.clone();
    let mut streams: Vec<Stream> = Vec::new();
    for field in files {
        if field.head() == "-" {
            streams.push(call.stdin.clone());
            continue;
        }
        let stream = machine.read_file(field, state, call.name);
        secret = secret.or_else(|| stream.secret.clone());
        streams.push(stream);
    }
    if call.name == "sed" {
        sed_program(machine, call, state);
    }
    let input = match streams.as_slice() {
        [] => call.stdin.data.clone(),
        [one] => one.data.clone(),
        _ => {
            let remote =
                streams.iter().any(|stream| matches!(stream.data, Data::Opaque { remote: true, .. }));
            Data::Opaque { why: "several files joined".to_owned(), remote }
        }
    };
    let data = if matches!(call.name, "cat" | "bat" | "pv") {
        input
    } else {
        // What unpacks a format of its own names its file in its own way; the others read an operand or stdin.
        let unpacks = UNPACKERS.contains(&call.name) && !call.args.is_empty();
        let decodes = unpacks || (DECODERS.contains(&call.name) && !matches!(input, Data::Nothing));
        let remote = decodes || matches!(input, Data::Opaque { remote: true, .. });
        match input {
            Data::Nothing if !unpacks => Data::Nothing,
            _ => Data::Opaque { why: format!("what `{}` makes of its input", call.name), remote },
        }
    };
    // A file's digest or kind is no secret.
    let harmless =
        matches!(call.name, "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" | "cksum" | "file" | "stat");
    Stream { data, secret: secret.filter(|_| !harmless) }
}

/// `w file` and `e` in a sed program.
fn sed_program(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) {
    for field in call.args {
        let text = field.render();
        if let Some((_, file)) = text.rsplit_once("/w ") {
            let target: Target = machine.target(&Field::text(file.trim()), state);
            machine.write_effect(
                EffectKind::Overwrite,
                vec![target],
                call.render(),
                "the `w` flag writes the file",
                state,
            );
        }
    }
}
