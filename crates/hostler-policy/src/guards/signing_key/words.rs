//! The words of commands as paths: which ones programs read whole trees of, and which are plainly read.

use std::path::{Path, PathBuf};

use hostler_model::lexical;

use super::Read;
use crate::Case;

/// Programs that tell no more of a file than its name and size.
const HARMLESS: &[&str] = &["ls", "stat", "echo", "printf", "test", "[", "du", "cd"];
/// Programs that only read the files that they are given, but for an option that names an output.
const READERS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "bat",
    "nl",
    "wc",
    "file",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "diff",
    "cmp",
    "cksum",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "base64",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "jq",
    "awk",
    "cut",
    "sort",
    "uniq",
    "hostler",
    "find",
    "tree",
    "realpath",
    "readlink",
    "basename",
    "dirname",
];
/// Programs whose last operand is written and whose others are read.
const COPIERS: &[&str] = &["cp", "gcp", "scp", "rsync", "ditto", "rclone", "install", "ln"];
/// Programs that search the trees that they are given.
const SEARCHERS: &[&str] = &["grep", "egrep", "fgrep", "zgrep", "ggrep", "rg", "rga", "ag", "ack", "ugrep"];

/// A word that may be a path.
pub(super) struct Word {
    pub(super) read: Read,
    /// The program does nothing with it but reading.
    pub(super) plainly_read: bool,
}

/// The words of all commands on this machine that may tell or change what a file holds.
pub(super) fn words(case: &Case<'_>) -> Vec<Word> {
    let commands: Vec<Vec<&str>> = commands(case).map(|(words, _)| words).collect();
    // `find … | xargs cat`
    let passed_on = commands.iter().any(|words| matches!(words.first(), Some(&("xargs" | "parallel"))));
    let mut out = Vec::new();
    for (words, cwd) in self::commands(case) {
        let [program, arguments @ ..] = words.as_slice() else { continue };
        if !HARMLESS.contains(program) {
            let base = cwd.unwrap_or(&case.event.cwd);
            out.extend(Line { program, arguments, base, passed_on }.words(case));
        }
    }
    out
}

fn commands<'c>(case: &'c Case<'_>) -> impl Iterator<Item = (Vec<&'c str>, Option<&'c Path>)> {
    let all = case.shell.iter().flat_map(|report| &report.commands).filter(|command| !command.remote);
    all.map(|command| {
        let mut words: Vec<&str> =
            command.words.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
        if let Some(program) = words.first_mut() {
            *program = program.rsplit('/').next().unwrap_or_default();
        }
        (words, command.cwd.as_deref())
    })
}

/// One simple command.
struct Line<'c> {
    program: &'c str,
    arguments: &'c [&'c str],
    base: &'c Path,
    /// What it prints becomes the operands of another program.
    passed_on: bool,
}

impl Line<'_> {
    fn words(&self, case: &Case<'_>) -> Vec<Word> {
        let home = case.place.home.as_deref();
        let tree = self.reads_trees();
        let hidden = matches!(self.program, "rg" | "ag" | "fd")
            && !self.has("uH.", &["--hidden", "--unrestricted", "--no-ignore-hidden"]);
        let operands: Vec<usize> =
            (0..self.arguments.len()).filter(|at| !self.arguments[*at].starts_with('-')).collect();
        let pattern =
            SEARCHERS.contains(&self.program) && !self.has("ef", &["--regexp", "--file", "--files"]);
        let first = operands.first().copied().filter(|_| pattern);
        let last = operands.last().copied().filter(|_| self.copies() && 1 < operands.len());
        let mut base: PathBuf = self.base.to_path_buf();
        let mut out = Vec::new();
        for (at, word) in self.arguments.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| self.arguments[at]);
            // `--file=…` and the like name a path behind their name.
            let value = word.split_once('=').map_or(*word, |(_, value)| value);
            let path = lexical::expand(&base, home, value);
            let folder_of_tar = self.program.ends_with("tar")
                && (before == "-C" || before == "--directory" || word.starts_with("--directory="));
            let operand = operands.contains(&at) && first != Some(at) && last != Some(at) && !folder_of_tar;
            out.push(Word {
                plainly_read: self.plainly_reads(before, last == Some(at)),
                read: Read {
                    text: (*word).to_owned(),
                    path: path.clone(),
                    tree: tree && operand,
                    hidden,
                    follow: tree && operand,
                },
            });
            if folder_of_tar {
                base = path;
            }
        }
        // Without a path they search where they stand.
        if tree && SEARCHERS.contains(&self.program) && operands.len() <= usize::from(pattern) {
            let path = self.base.to_path_buf();
            let read = Read { text: self.program.to_owned(), path, tree, hidden, follow: false };
            out.push(Word { read, plainly_read: true });
        }
        out
    }

    fn has(&self, short: &str, long: &[&str]) -> bool {
        self.arguments.iter().any(|word| match word.strip_prefix("--") {
            Some(_) => long.iter().any(|it| word.split('=').next() == Some(*it)),
            None => word.strip_prefix('-').is_some_and(|letters| letters.contains(|c| short.contains(c))),
        })
    }

    /// It reads everything below the folders that it is given.
    fn reads_trees(&self) -> bool {
        match self.program {
            "grep" | "egrep" | "fgrep" | "zgrep" | "ggrep" => {
                self.has("rR", &["--recursive", "--dereference-recursive", "--directories"])
            }
            "cp" | "gcp" | "scp" | "rsync" | "diff" | "zip" => self.has("rRa", &["--recursive", "--archive"]),
            "find" | "gfind" | "fd" => {
                let runs = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
                let names = self.arguments.windows(2).filter(|it| matches!(it[0], "-name" | "-iname"));
                let may_match = |it: &[&str]| crate::shell::wildcard::matches(it[1], "ed25519.key");
                (self.passed_on || self.arguments.iter().any(|it| runs.contains(it)))
                    && names.clone().count() == names.filter(|it| may_match(it)).count()
            }
            "tar" | "bsdtar" | "gtar" | "7z" | "7za" | "7zz" | "ditto" | "rclone" | "restic" | "borg" => true,
            program => SEARCHERS.contains(&program),
        }
    }

    fn copies(&self) -> bool {
        COPIERS.contains(&self.program) && !self.has("t", &["--target-directory"])
    }

    /// A word after `before` is only read.
    fn plainly_reads(&self, before: &str, last: bool) -> bool {
        let output = before.starts_with("-o") || before.starts_with("--out");
        match self.program {
            "openssl" => matches!(before, "-in" | "-inkey" | "-certin" | "-verify" | "-sigfile"),
            "ssh-keygen" => before == "-f" && self.has("l", &[]),
            "sed" | "gsed" => !self.has("i", &["--in-place"]),
            program if COPIERS.contains(&program) => self.copies() && !last,
            program => READERS.contains(&program) && !output,
        }
    }
}
