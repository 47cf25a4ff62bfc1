//! The key that journals are signed with: who has it can sign other journals.
//!
//! Judged is the path as written, wherever it stands in a command. A link that was made to it beforehand is not
//! followed: that would ask for a fact with every file that is read. Nor is a folder above the key's own one.

use std::path::Path;

use hostler_model::{Action, EffectKind, Facts, Mode, lexical};

use super::zone::effects;
use super::{Example, Guard, Hit, nothing};
use crate::Case;

pub(crate) const GUARD: Guard = Guard {
    id: "signing-key",
    summary: "reading or passing on the private key that journals are signed with",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: nothing,
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
    ],
    silent: &[
        Example::Bash("cat ~/.local/share/hostler/signing/ed25519.pub"),
        Example::Bash("ls -l ~/.local/share/hostler/signing"),
        Example::Bash("cat signing/ed25519.key"),
        Example::Bash("hostler audit key"),
        Example::Bash("grep -rn signing ~/notes"),
        Example::Bash("grep -r profile .hostler ~/.config/hostler"),
        Example::Bash("echo ~/.local/share/hostler/signing/ed25519.key"),
    ],
};

/// Programs that tell no more of a file than its name and size.
const HARMLESS: &[&str] = &["ls", "stat", "echo", "printf", "test", "[", "du", "cd"];

fn check(case: &Case<'_>, _: &Facts) -> Vec<Hit> {
    let home = case.place.home.as_deref();
    let cwd = &case.event.cwd;
    let mut named: Vec<String> = match case.action() {
        Some(Action::Read { path: Some(path) } | Action::Search { path: Some(path), .. }) => {
            vec![path.clone()]
        }
        Some(Action::Mcp { strings, .. }) => strings.iter().map(|(_, text)| text.clone()).collect(),
        _ => Vec::new(),
    };
    named.retain(|text| holds_key(&lexical::expand(cwd, home, text), case));
    for effect in effects(case, &[EffectKind::Read]) {
        let holds = |path: &Path| holds_key(path, case);
        let targets = effect.targets.iter().filter(|target| target.path.as_deref().is_some_and(holds));
        named.extend(targets.map(|target| target.text.clone()));
    }
    for command in case.shell.iter().flat_map(|report| &report.commands).filter(|command| !command.remote) {
        let mut words = command.words.iter().flatten();
        let program = words.next().map_or("", |word| word.rsplit('/').next().unwrap_or_default());
        if HARMLESS.contains(&program) {
            continue;
        }
        let base = command.cwd.as_deref().unwrap_or(cwd);
        // `--file=…` and the like name a path behind their name.
        let path = |word: &&String| {
            let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
            holds_key(&lexical::expand(base, home, value), case)
        };
        named.extend(words.filter(path).cloned());
    }
    named.sort_unstable();
    named.dedup();
    let hit = |text: &String| Hit {
        problem: format!("`{text}` holds the private key that journals are signed with"),
        instead: Some("use the public one: `hostler audit key` shows it".to_owned()),
        snapshot: Vec::new(),
    };
    named.iter().map(hit).collect()
}

/// Whether `path` is the folder of the key or a file in it that is not the public one.
fn holds_key(path: &Path, case: &Case<'_>) -> bool {
    case.place.own.iter().any(|own| path.starts_with(own.join("signing")))
        && path.extension().is_none_or(|it| it != "pub")
}
