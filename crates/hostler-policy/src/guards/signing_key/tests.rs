use hostler_model::{Action, Profile, Verdict};

use super::*;
use crate::testing::{World, shell};

fn world() -> World {
    World::sample(Profile::Standard)
        .link("s", "~/.local/share/hostler/signing")
        .link("share", "~/.local/share")
        .link("k", "~/.local/share/hostler/signing/ed25519.key")
}

#[track_caller]
fn check(action: Action, stopped: bool) {
    let shown = format!("{action:?}");
    let decision = world().decide(action);
    let found = decision.findings.iter().any(|finding| finding.rule == GUARD.id);
    assert_eq!(found, stopped, "{shown}: {decision:?}");
    assert!(!stopped || decision.verdict == Verdict::Deny, "{shown}: {decision:?}");
    assert!(decision.faults.is_empty(), "{decision:?}");
}

#[test]
fn trees_and_patterns_that_hold_the_key_are_not_read() {
    for command in [
        "grep -r . ~/.local/share/hostler",
        "grep -R . ~",
        "grep -rn --include='*.key' . /home",
        "rg --hidden . ~",
        "rg -uu . ~/.local",
        "rg . ~/.local/share",
        "cd ~/.local/share && grep -r .",
        "cd ~/.local/share && rg .",
        "cat ~/.local/share/hostler/*/*",
        "cat ~/.local/share/*/signing/ed25519.k??",
        "cat ~/.loc*/share/hostler/signing/*",
        "head -c 99 ~/.local/share/**/*.key",
        "cp -r ~/.local/share/hostler /tmp/x",
        "cp -a ~/.local/share/host* /tmp/x",
        "rsync -a ~/.local/ /tmp/x",
        "tar cf /tmp/x.tar ~/.local/share/hostler",
        "tar -C ~/.local -czf /tmp/x.tgz share",
        "zip -r /tmp/x.zip ~/.local",
        "find ~/.local/share/hostler -type f -exec cat {} +",
        "find ~ -name '*.key' | xargs cat",
        "cat s/ed25519.key",
        "cat s/*",
        "cat k",
        "cp k /tmp/x",
        "cp s/ed25519.key /tmp/x",
        "base64 < k",
        "grep -R . share",
        "grep -r . share/",
        "tar chf /tmp/x.tar share",
    ] {
        check(shell(command), true);
    }
    for command in [
        "grep -r profile src",
        "grep -r profile ~/.config/hostler .hostler",
        "grep -rn TODO .",
        "cat .hostler/*/*",
        "cat ~/.config/hostler/*/*",
        "grep signing ~/.local/share/*",
        "rg . ~",
        "ls -R ~/.local",
        "find ~ -name '*.py' -exec grep main {} +",
        "find ~/.local -name '*.key'",
        "cp -r theme ~/.local/share",
        "tar -C ~ -czf /tmp/x.tgz proj",
        "tar xf x.tgz -C ~",
        "rsync -a build/ ~/.local/",
        "cat s/ed25519.pub",
        "cat share/applications/x",
        "cat ~/.local/share/hostler/signing/*.pub",
    ] {
        check(shell(command), false);
    }
}

#[test]
fn file_tools_neither_reach_the_key_through_a_link_nor_search_above_it() {
    let read = |path: &str| Action::Read { path: Some(path.to_owned()) };
    let search =
        |path: Option<&str>| Action::Search { path: path.map(str::to_owned), pattern: ".".to_owned() };
    for (action, stopped) in [
        (read("s/ed25519.key"), true),
        (read("/home/dev/proj/k"), true),
        (read("share/hostler/signing/ed25519.key"), true),
        (read("s/ed25519.pub"), false),
        (read("README.md"), false),
        (search(Some("~/.local/share")), true),
        (search(Some("/")), true),
        (search(Some("share")), true),
        (search(Some("src")), false),
        (search(None), false),
    ] {
        check(action, stopped);
    }
    let mcp = |tool: &str, path: &str| Action::Mcp {
        server: "fs".to_owned(),
        tool: tool.to_owned(),
        strings: vec![("path".to_owned(), path.to_owned())],
    };
    check(mcp("read_file", "/home/dev/proj/k"), true);
    check(mcp("copy_directory", "/home/dev/.local/share"), true);
    check(mcp("list_directory", "/home/dev/.local/share"), false);
}

#[test]
fn the_public_key_is_read_and_not_written() {
    for (command, stopped) in [
        ("openssl pkey -in a.key -pubout -out ~/.local/share/hostler/signing/ed25519.pub", true),
        ("python3 make.py ~/.local/share/hostler/signing/ed25519.pub", true),
        ("sort a -o ~/.local/share/hostler/signing/ed25519.pub", true),
        ("ssh-keygen -e -f ~/.local/share/hostler/signing/ed25519.pub", true),
        ("install -m 600 a.pub ~/.local/share/hostler/signing/ed25519.pub", true),
        ("openssl pkeyutl -verify -pubin -inkey ~/.local/share/hostler/signing/ed25519.pub -in a", false),
        ("hostler audit verify --key ~/.local/share/hostler/signing/ed25519.pub", false),
        ("cp ~/.local/share/hostler/signing/ed25519.pub /tmp/", false),
        ("sha256sum ~/.local/share/hostler/signing/ed25519.pub", false),
        ("cat ~/.local/share/hostler/signing/ed25519.pub | head", false),
    ] {
        check(shell(command), stopped);
    }
}
