//! The key that journals are signed with: who has it can sign other journals, and who replaces its public half is the
//! one whose signatures are believed.
//!
//! Judged are the paths that file tools, reading programs and programs over whole trees are given: as written, with
//! their patterns matched against the key's own place, and with links followed. Elsewhere in a command a word is judged
//! as written. A path that a program makes up itself is not seen.

mod words;

use std::path::{Path, PathBuf};

use hostler_model::{Action, EffectKind, EventKind, Facts, FileKind, Mode, Needs, lexical};

use self::words::words;
use super::written::mcp_paths;
use super::zone::effects;
use super::{Example, Guard, Hit};
use crate::Case;
use crate::shell::wildcard;

pub(crate) const GUARD: Guard = Guard {
    id: "signing-key",
    summary: "reading or passing on the private key that journals are signed with, and writing the public one",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs,
    check,
    fires: &[
        Example::Bash("cat ~/.local/share/hostler/signing/ed25519.key"),
        Example::Bash("base64 < ~/.local/share/hostler/signing/ed25519.key"),
        Example::Bash("cd ~/.local/share/hostler && openssl pkey -in signing/ed25519.key"),
        Example::Bash("ln -s ~/.local/share/hostler/signing/ed25519.key k"),
        Example::Bash("cp -r ~/.local/share/hostler/signing /tmp/x"),
        Example::Bash("cat ~/.local/share/hostler/signing/*"),
        Example::Bash("grep -r . ~/.local/share/hostler/signing/"),
        Example::Bash("tar czf /tmp/x.tgz --directory=/home/dev/.local/share/hostler/signing ."),
        Example::Bash("grep -r . ~/.local/share/hostler"),
        Example::Bash("cat ~/.local/share/hostler/*/*"),
        Example::Bash("tar cf /tmp/x.tar ~/.local/share"),
        Example::Bash("openssl pkey -in k -pubout -out ~/.local/share/hostler/signing/ed25519.pub"),
    ],
    silent: &[
        Example::Bash("cat ~/.local/share/hostler/signing/ed25519.pub"),
        Example::Bash("ls -l ~/.local/share/hostler/signing"),
        Example::Bash("cat signing/ed25519.key"),
        Example::Bash("hostler audit key"),
        Example::Bash("grep -rn signing ~/notes"),
        Example::Bash("grep -r profile .hostler ~/.config/hostler"),
        Example::Bash("echo ~/.local/share/hostler/signing/ed25519.key"),
        Example::Bash("grep -rn main src"),
        Example::Bash("cp -r theme ~/.local/share"),
        Example::Bash("ls -R ~/.local/share"),
        Example::Bash("openssl pkey -pubin -in ~/.local/share/hostler/signing/ed25519.pub -text"),
    ],
};

/// The key's file below a folder of ours.
const KEY: &str = "signing/ed25519.key";
/// Paths of one call whose links are followed.
const FOLLOWED_MAX: usize = 32;

/// A path that the call reads.
struct Read {
    /// As written, for messages.
    text: String,
    /// Absolute; its parts may be patterns.
    path: PathBuf,
    /// So is everything below it.
    tree: bool,
    /// Programs that search trees pass hidden folders over.
    hidden: bool,
    /// Its links are followed.
    follow: bool,
}

impl Read {
    /// The part before any pattern, and the rest.
    fn split(&self) -> (PathBuf, PathBuf) {
        let plain =
            self.path.components().take_while(|part| !is_pattern(&part.as_os_str().to_string_lossy()));
        let start: PathBuf = plain.collect();
        let rest = self.path.strip_prefix(&start).map(Path::to_path_buf).unwrap_or_default();
        (start, rest)
    }

    fn is_broad(&self) -> bool {
        self.tree || self.path.components().any(|part| is_pattern(&part.as_os_str().to_string_lossy()))
    }
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

fn needs(case: &Case<'_>, needs: &mut Needs) {
    let reads = reads(case);
    needs.paths.extend(reads.iter().filter(|read| read.follow).take(FOLLOWED_MAX).map(|read| read.split().0));
    // Whether there is a key decides what a pattern or a tree holds.
    if reads.iter().any(Read::is_broad) {
        needs.paths.extend(case.place.own.iter().map(|own| own.join(KEY)));
    }
}

fn reads(case: &Case<'_>) -> Vec<Read> {
    let home = case.place.home.as_deref();
    let cwd = &case.event.cwd;
    let read = |text: &str, tree: bool| Read {
        text: text.to_owned(),
        path: lexical::expand(cwd, home, text),
        tree,
        hidden: false,
        follow: true,
    };
    let tool = match &case.event.kind {
        EventKind::ToolBefore { call } => call.tool.as_str(),
        _ => "",
    };
    let mut out = match case.action() {
        Some(Action::Read { path: Some(path) }) => vec![read(path, false)],
        Some(Action::Search { path, .. }) => {
            // Names alone tell nothing of the key.
            let names = ["glob", "ls", "list"].iter().any(|it| it.eq_ignore_ascii_case(tool));
            vec![read(path.as_deref().unwrap_or("."), !names)]
        }
        Some(Action::Mcp { tool, strings, .. }) => {
            let tool = tool.to_lowercase();
            let tree = ["grep", "copy", "archive", "zip", "upload"].iter().any(|it| tool.contains(it));
            let plain = strings.iter().map(|(_, text)| Read { follow: false, ..read(text, false) });
            plain.chain(mcp_paths(strings).map(|text| read(&text, tree))).collect()
        }
        _ => Vec::new(),
    };
    for effect in effects(case, &[EffectKind::Read]) {
        out.extend(effect.targets.iter().filter_map(|target| {
            let path = target.path.as_ref()?.join(&target.pattern);
            Some(Read { text: target.text.clone(), path, tree: false, hidden: false, follow: true })
        }));
    }
    out.extend(words(case).into_iter().map(|word| word.read));
    out
}

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let mut named: Vec<String> = reads(case)
        .into_iter()
        .filter(|read| {
            holds_key(&read.path, read, case, facts) || {
                let (start, rest) = read.split();
                let real = facts.paths.get(&start).map(|fact| fact.real.join(rest));
                real.is_some_and(|real| holds_key(&real, read, case, facts))
            }
        })
        .map(|read| read.text)
        .collect();
    named.sort_unstable();
    named.dedup();
    let hit = |problem: String, instead: &str| Hit {
        problem,
        instead: Some(instead.to_owned()),
        snapshot: Vec::new(),
    };
    let mut hits: Vec<Hit> = named
        .iter()
        .map(|text| {
            hit(
                format!("`{text}` is or holds the private key that journals are signed with"),
                "use the public one (`hostler audit key` shows it), or name folders that do not hold the key",
            )
        })
        .collect();
    if hits.is_empty() {
        let written = words(case).into_iter().filter(|word| !word.plainly_read);
        let written = written.filter(|word| below(&word.read.path, case).is_some());
        hits.extend(written.take(1).map(|word| {
            hit(
                format!(
                    "`{}` belongs to the key that journals are signed with, and may be written",
                    word.read.text
                ),
                "to look at it, use `cat`; `hostler audit key` shows the public key",
            )
        }));
    }
    hits
}

/// What follows the folder of the key.
fn below<'p>(path: &'p Path, case: &Case<'_>) -> Option<&'p Path> {
    case.place.own.iter().find_map(|own| path.strip_prefix(own.join("signing")).ok())
}

/// Whether what is read of `path` can be the key.
fn holds_key(path: &Path, read: &Read, case: &Case<'_>, facts: &Facts) -> bool {
    let private = path.extension().is_none_or(|it| it != "pub");
    if below(path, case).is_some() && private || path.ends_with(Path::new("hostler").join(KEY)) {
        return true;
    }
    case.place.own.iter().map(|own| own.join(KEY)).any(|key| {
        facts.kind(&key) != Some(FileKind::Missing) && read.is_broad() && reaches(path, read, &key)
    })
}

/// Whether the pattern `path`, or the tree below it, has the file `key` in it.
fn reaches(path: &Path, read: &Read, key: &Path) -> bool {
    let mut left = key.components().map(|part| part.as_os_str().to_string_lossy());
    for part in path.components() {
        let part = part.as_os_str().to_string_lossy();
        if part == "**" {
            return true;
        }
        let Some(name) = left.next() else { return false };
        let shown = !name.starts_with('.') || part.starts_with('.');
        if part != name && !(is_pattern(&part) && shown && wildcard::matches(&part, &name)) {
            return false;
        }
    }
    let rest: Vec<_> = left.collect();
    rest.is_empty() || read.tree && !(read.hidden && rest.iter().any(|name| name.starts_with('.')))
}

#[cfg(test)]
mod tests;
