//! `git` and what it can throw away.

use hostler_model::EffectKind;

use super::args::{Args, any};
use super::machine::{Data, Machine, State, Stream};
use super::run::Call;
use super::word::Field;

/// Options before the subcommand that take a value.
const GLOBAL_VALUED: &str =
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source";

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    match call.name {
        "git" | "hub" => Some(git(machine, call, state)),
        "git-filter-repo" | "bfg" => {
            machine.emit(
                EffectKind::HistoryRewrite,
                Vec::new(),
                call.render(),
                "it rewrites every commit",
                state,
            );
            Some(Stream::NOTHING)
        }
        _ => None,
    }
}

fn git(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    let (global, at) = Args::leading(call.args, GLOBAL_VALUED);
    let mut inside = state.clone();
    for folder in global.values(&["-C"]) {
        inside.cwd = machine.target(folder, &inside).path;
    }
    let Some((verb, rest)) = call.args.get(at..).and_then(<[Field]>::split_first) else {
        return Stream::NOTHING;
    };
    let Some(verb) = verb.known() else {
        machine.unresolved(super::shorten(&call.render()), "which `git` subcommand runs is known only then");
        return Stream::opaque("not analysed", false);
    };
    for setting in global.values(&["-c"]) {
        let text = setting.render();
        if let Some(code) = text.strip_prefix(&format!("alias.{verb}=")) {
            alias(machine, code, rest, &mut inside);
        }
        let (key, value) = text.split_once('=').unwrap_or((&text, ""));
        let key = key.to_ascii_lowercase();
        if matches!(
            key.as_str(),
            "core.sshcommand"
                | "core.pager"
                | "core.editor"
                | "sequence.editor"
                | "core.fsmonitor"
                | "diff.external"
                | "credential.helper"
                | "gpg.program"
        ) && !matches!(value, "" | "cat" | "less" | "true" | "false" | ":")
            && !value.starts_with("less ")
        {
            machine.run_text(value.trim_start_matches('!'), &mut inside.clone(), &Stream::NOTHING);
        }
        if key == "gc.pruneexpire" && matches!(value, "now" | "all" | "0") {
            machine.emit(
                EffectKind::HistoryRewrite,
                Vec::new(),
                call.render(),
                "it prunes unreachable commits at once",
                state,
            );
        }
    }
    let git = Git { verb: &verb, args: rest, command: call.render(), stdin: call.stdin };
    git.judge(machine, &mut inside);
    git.output(machine)
}

/// An alias given on the command line: `!shell code`, or another subcommand.
fn alias(machine: &mut Machine<'_>, code: &str, rest: &[Field], state: &mut State) {
    let tail = if rest.is_empty() { String::new() } else { format!(" {}", super::run::render(rest)) };
    let text = match code.strip_prefix('!') {
        Some(shell) => format!("{shell}{tail}"),
        None => format!("git {code}{tail}"),
    };
    machine.run_text(&text, state, &Stream::NOTHING);
}

struct Git<'g> {
    verb: &'g str,
    args: &'g [Field],
    command: String,
    stdin: &'g Stream,
}

impl Git<'_> {
    fn emit(&self, machine: &mut Machine<'_>, state: &State, kind: EffectKind, why: &str) {
        machine.emit(kind, Vec::new(), self.command.clone(), why, state);
    }

    fn judge(&self, machine: &mut Machine<'_>, state: &mut State) {
        use EffectKind::{ForcePush, GitDiscard, HistoryRewrite};
        if any(self.args, &["--help", "-h"]) {
            return;
        }
        let valued = match self.verb {
            "rebase" => "-x --exec --onto -s -X -C",
            "clean" => "-e --exclude",
            "push" => "-o --push-option --receive-pack --exec --repo",
            "tag" => "-m -F -u --message --file --local-user",
            "branch" => "-u --set-upstream-to",
            _ => "-b -B -c -C --orphan --pathspec-from-file --conflict",
        };
        let plain = Args::parse(self.args, valued);
        match self.verb {
            "checkout" => self.checkout(machine, state),
            "switch" if plain.has(&["-f", "--force", "--discard-changes"]) => {
                self.emit(machine, state, GitDiscard, "it throws uncommitted changes away");
            }
            "restore" => {
                let parsed = Args::parse(self.args, "-s --source --pathspec-from-file --conflict");
                let staged = parsed.has(&["-S", "--staged"]);
                let worktree = parsed.has(&["-W", "--worktree"]);
                if (!staged || worktree) && !parsed.has(&["-p", "--patch"]) {
                    self.discard_paths(
                        machine,
                        state,
                        &parsed.operands,
                        "it replaces files with the recorded version",
                    );
                }
            }
            "reset" if plain.has(&["--hard", "--merge"]) => {
                self.emit(machine, state, GitDiscard, "it throws uncommitted changes away");
            }
            "clean" => {
                let forced = plain.has(&["-f", "--force"]) || needs_no_force(&self.command);
                if forced && !plain.has(&["-n", "--dry-run"]) {
                    self.emit(
                        machine,
                        state,
                        GitDiscard,
                        "it deletes untracked files, which no commit holds",
                    );
                }
            }
            "stash" => {
                if let Some("drop" | "clear") = self.args.first().and_then(Field::known).as_deref() {
                    self.emit(machine, state, GitDiscard, "it throws stashed work away");
                }
            }
            "worktree" => {
                let verb = self.args.first().and_then(Field::known);
                if verb.as_deref() == Some("remove") && plain.has(&["-f", "--force"]) {
                    self.emit(
                        machine,
                        state,
                        GitDiscard,
                        "it removes a work tree with its uncommitted changes",
                    );
                }
            }
            "submodule" => {
                let verb = self.args.iter().filter_map(Field::known).find(|word| !word.starts_with('-'));
                match verb.as_deref() {
                    Some("deinit") if plain.has(&["-f", "--force"]) => {
                        self.emit(
                            machine,
                            state,
                            GitDiscard,
                            "it removes a submodule's work tree with its changes",
                        );
                    }
                    Some("foreach") => {
                        let at = self
                            .args
                            .iter()
                            .position(|field| field.head() == "foreach")
                            .map_or(0, |at| at + 1);
                        let (_, skip) = Args::leading(&self.args[at..], "");
                        let text =
                            self.args[at + skip..].iter().map(Field::render).collect::<Vec<_>>().join(" ");
                        machine.run_text(&text, state, &Stream::NOTHING);
                    }
                    Some("update") if plain.has(&["-f", "--force"]) => {
                        self.emit(machine, state, GitDiscard, "it throws changes in submodules away");
                    }
                    _ => {}
                }
            }
            "checkout-index" if plain.has(&["-f", "--force"]) => {
                self.emit(machine, state, GitDiscard, "it replaces files with the staged version");
            }
            "read-tree" if plain.has(&["--reset"]) && plain.has(&["-u"]) => {
                self.emit(machine, state, GitDiscard, "it replaces the work tree");
            }
            "rm" => {
                let parsed = Args::parse(self.args, "--pathspec-from-file");
                if !parsed.has(&["--cached", "-n", "--dry-run"]) {
                    let recursive = parsed.has(&["-r"]);
                    let targets = machine.targets(&parsed.operands, state);
                    machine.emit_with(
                        EffectKind::Delete,
                        targets,
                        self.command.clone(),
                        "`git rm` removes files",
                        state,
                        recursive,
                    );
                }
            }
            "mv" => {
                let parsed = Args::parse(self.args, "");
                if parsed.has(&["-f", "--force"])
                    && let Some(destination) = parsed.operands.last()
                {
                    let target = machine.target(destination, state);
                    machine.write_effect(
                        EffectKind::Overwrite,
                        vec![target],
                        self.command.clone(),
                        "`git mv -f` replaces its destination",
                        state,
                    );
                }
            }
            "push" if self.forces(&plain) => {
                self.emit(machine, state, ForcePush, "it overwrites or deletes what the remote holds");
            }
            "branch" => {
                let forced = plain.has(&["-D"])
                    || (plain.has(&["-d", "--delete"]) && plain.has(&["-f", "--force"]))
                    || plain.has(&["-M", "-C"]);
                if forced && !plain.has(&["-C"]) {
                    self.emit(
                        machine,
                        state,
                        HistoryRewrite,
                        "it drops a branch whether its commits are merged or not",
                    );
                }
            }
            "tag" if plain.has(&["-d", "--delete"]) => {
                self.emit(machine, state, HistoryRewrite, "it deletes a tag");
            }
            "filter-branch" | "filter-repo" => {
                self.emit(machine, state, HistoryRewrite, "it rewrites every commit");
            }
            "reflog"
                if matches!(
                    self.args.first().and_then(Field::known).as_deref(),
                    Some("expire" | "delete" | "drop")
                ) && !plain.has(&["-n", "--dry-run"]) =>
            {
                self.emit(
                    machine,
                    state,
                    HistoryRewrite,
                    "it destroys the record that lost commits are recovered from",
                );
            }
            "gc" => {
                let now = self.args.iter().any(|field| {
                    let text = field.render();
                    text.split_once('=').is_some_and(|(name, value)| {
                        2 < name.len()
                            && "--prune".starts_with(name)
                            && matches!(value, "now" | "all" | "0" | "0.seconds.ago" | "0.seconds")
                    })
                });
                if now {
                    self.emit(machine, state, HistoryRewrite, "it prunes unreachable commits at once");
                }
            }
            "prune" if !plain.has(&["-n", "--dry-run"]) => {
                self.emit(machine, state, HistoryRewrite, "it deletes unreachable commits");
            }
            "update-ref" if plain.has(&["-d"]) => {
                self.emit(machine, state, HistoryRewrite, "it deletes a reference");
            }
            "update-ref" if plain.has(&["--stdin"]) => {
                if matches!(&self.stdin.data, Data::Text(text) if text.contains("delete ")) {
                    self.emit(machine, state, HistoryRewrite, "it deletes references");
                }
            }
            "replace" if plain.has(&["-d", "--delete", "-f", "--force"]) => {
                self.emit(machine, state, HistoryRewrite, "it changes what commits mean");
            }
            "symbolic-ref" if plain.has(&["-d", "--delete"]) => {
                self.emit(machine, state, HistoryRewrite, "it deletes a reference");
            }
            "remote" => {
                if matches!(self.args.first().and_then(Field::known).as_deref(), Some("remove" | "rm")) {
                    self.emit(
                        machine,
                        state,
                        HistoryRewrite,
                        "it removes a remote with its tracking branches",
                    );
                }
            }
            "rebase" => {
                for code in plain.values(&["-x", "--exec"]).cloned().collect::<Vec<_>>() {
                    machine.run_text(&code.render(), &mut state.clone(), &Stream::NOTHING);
                }
            }
            "bisect" if self.args.first().is_some_and(|field| field.head() == "run") => {
                machine.run(self.args[1..].to_vec(), &mut state.clone(), &Stream::NOTHING);
            }
            "config" => self.config(machine, state),
            "lfs" if self.args.first().is_some_and(|field| field.head() == "prune") => {
                self.emit(machine, state, HistoryRewrite, "it deletes local copies of large files");
            }
            "clone" | "init" => {
                let parsed = Args::parse(
                    self.args,
                    "-b -o -c -j --branch --origin --config --depth --reference --template",
                );
                let folder =
                    if self.verb == "init" { parsed.operands.first() } else { parsed.operands.get(1) };
                if let Some(folder) = folder {
                    let target = machine.target(folder, state);
                    let why = "it makes a work tree there";
                    machine.write_effect(EffectKind::Write, vec![target], self.command.clone(), why, state);
                }
            }
            "am" | "apply" | "archive" | "bundle" | "format-patch" => {
                if let Some(output) = Args::parse(self.args, "-o --output")
                    .value(&["-o", "--output"])
                    .filter(|_| self.verb == "archive")
                {
                    let target = machine.target(output, state);
                    machine.write_effect(
                        EffectKind::Overwrite,
                        vec![target],
                        self.command.clone(),
                        "`git archive -o` replaces the file",
                        state,
                    );
                }
            }
            "log" | "diff" | "show" => {
                if let Some(output) = Args::parse(self.args, "--output").value(&["--output"]) {
                    let target = machine.target(output, state);
                    machine.write_effect(
                        EffectKind::Overwrite,
                        vec![target],
                        self.command.clone(),
                        "`--output` replaces the file",
                        state,
                    );
                }
            }
            _ => {}
        }
    }

    /// A discard of these paths; the checkpoint needs to know which.
    fn discard_paths(&self, machine: &mut Machine<'_>, state: &State, paths: &[Field], why: &str) {
        let targets = machine.targets(paths, state);
        machine.emit(EffectKind::GitDiscard, targets, self.command.clone(), why, state);
    }

    /// `git checkout` switches branches, or throws changes away: the words after it tell.
    fn checkout(&self, machine: &mut Machine<'_>, state: &State) {
        let parsed = Args::parse(self.args, "-b -B --orphan --conflict --pathspec-from-file -t");
        if parsed.has(&["-f", "--force"]) {
            self.emit(machine, state, EffectKind::GitDiscard, "it throws uncommitted changes away");
            return;
        }
        if parsed.has(&["-b", "-B", "--orphan", "-p", "--patch"]) {
            return;
        }
        let dashes = self.args.iter().position(|field| field.head() == "--" && field.0.len() == 1);
        let paths: &[Field] = match dashes {
            Some(at) => &self.args[at + 1..],
            None if 1 < parsed.operands.len() => &parsed.operands[1..],
            None => {
                // One word: a branch, unless it can only be a path.
                let only = parsed.operands.first().map(Field::render).unwrap_or_default();
                let path = matches!(only.as_str(), "." | "./" | ":/" | "*" | "..")
                    || only.starts_with("./")
                    || only.starts_with("../")
                    || only.starts_with(":/")
                    || only.starts_with(":(")
                    || parsed.has(&["--ours", "--theirs", "-m", "--merge", "--pathspec-from-file"])
                    || looks_like_file(&only);
                if path { &parsed.operands } else { &[] }
            }
        };
        if !paths.is_empty() || parsed.has(&["--pathspec-from-file"]) {
            self.discard_paths(machine, state, paths, "it replaces files with the recorded version");
        }
    }

    fn forces(&self, parsed: &Args) -> bool {
        let lease = self.args.iter().any(|field| {
            field.head().starts_with("--force-with-lease") || field.head().starts_with("--force-if-includes")
        });
        if parsed.has(&["-n", "--dry-run"]) {
            return false;
        }
        let forced = self.args.iter().any(|field| {
            let head = field.head();
            head == "--force" || (head.starts_with('-') && !head.starts_with("--") && head.contains('f'))
        });
        let removes = self.args.iter().any(|field| {
            let head = field.head();
            3 < head.len() && ["--mirror", "--delete", "--prune"].iter().any(|name| name.starts_with(head))
        }) || parsed.has(&["-d"]);
        let refspec = parsed.operands.iter().skip(1).any(|field| {
            let head = field.head();
            (head.starts_with('+') && !lease) || (head.starts_with(':') && 1 < head.len())
        }) || parsed.operands.iter().any(|field| field.head().starts_with('+'));
        forced || removes || refspec
    }

    fn config(&self, machine: &mut Machine<'_>, state: &mut State) {
        let words: Vec<String> = self.args.iter().map(Field::render).collect();
        if let Some(at) = words.iter().position(|word| word.starts_with("alias."))
            && let Some(code) = words.get(at + 1).and_then(|value| value.strip_prefix('!'))
        {
            machine.run_text(code, &mut state.clone(), &Stream::NOTHING);
        }
    }

    fn output(&self, machine: &Machine<'_>) -> Stream {
        let words: Vec<String> = self.args.iter().map(Field::render).collect();
        let has = |name: &str| words.iter().any(|word| word == name);
        match self.verb {
            "rev-parse" if has("--show-toplevel") => {
                Stream::text(format!("{}\n", machine.place.root.display()))
            }
            "rev-parse" if has("--git-dir") => match &machine.place.git_dir {
                Some(path) => Stream::text(format!("{}\n", path.display())),
                None => Stream::opaque("a path", false),
            },
            "rev-parse" | "rev-list" | "hash-object" | "write-tree" | "merge-base" | "commit-tree" => {
                Stream::new(Data::Name)
            }
            "config" => Stream::opaque("a setting", false),
            _ => Stream { secret: None, ..Stream::opaque(format!("output of `git {}`", self.verb), false) },
        }
    }
}

fn needs_no_force(command: &str) -> bool {
    command.to_ascii_lowercase().contains("clean.requireforce=false")
}

/// A word with an extension that source files have: `git checkout app.py` restores it.
fn looks_like_file(word: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "py", "rs", "ts", "tsx", "js", "jsx", "mjs", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs",
        "rb", "php", "swift", "scala", "sh", "md", "txt", "json", "yaml", "yml", "toml", "html", "css",
        "scss", "sql", "lock", "xml", "vue", "svelte", "ini", "cfg", "csv", "lua", "ex", "exs",
    ];
    word.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}
