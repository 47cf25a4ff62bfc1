//! Package managers: what they install, and the manifests and locks that change with it.

use super::runners::script;
use super::{Act, Meaning, Role, Words, base};

/// A manager's manifest and lock files.
fn manifests(manager: &str) -> &'static [&'static str] {
    match manager {
        "npm" => &["package.json", "package-lock.json"],
        "pnpm" => &["package.json", "pnpm-lock.yaml"],
        "yarn" => &["package.json", "yarn.lock"],
        "bun" => &["package.json", "bun.lock", "bun.lockb"],
        "cargo" => &["Cargo.toml", "Cargo.lock"],
        "uv" => &["pyproject.toml", "uv.lock"],
        "poetry" => &["pyproject.toml", "poetry.lock"],
        "pdm" => &["pyproject.toml", "pdm.lock"],
        "pipenv" => &["Pipfile", "Pipfile.lock"],
        "go" => &["go.mod", "go.sum"],
        "bundle" => &["Gemfile", "Gemfile.lock"],
        "composer" => &["composer.json", "composer.lock"],
        "dotnet" => &["*.csproj"],
        "flutter" | "dart" => &["pubspec.yaml", "pubspec.lock"],
        "mix" => &["mix.exs", "mix.lock"],
        "deno" => &["deno.json", "deno.lock"],
        _ => &[],
    }
}

fn changes(mut meaning: Meaning, manager: &str, count: usize) -> Meaning {
    for path in manifests(manager).iter().take(count) {
        meaning = meaning.file(Act::Edit, *path);
    }
    meaning
}

fn packages(mut meaning: Meaning, act: Act, names: &[&str]) -> Meaning {
    let names: Vec<&&str> = names.iter().filter(|it| !it.is_empty()).collect();
    if names.is_empty() {
        return meaning.deed(act, "");
    }
    for name in names {
        meaning = meaning.deed(act, *name);
    }
    meaning
}

/// Options of package managers that take a value.
const VALUED: &[&str] = &[
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-i",
    "--index-url",
    "--extra-index-url",
    "--prefix",
    "-w",
    "--workspace",
    "--filter",
    "-F",
    "-C",
    "--dir",
    "--cwd",
    "--registry",
    "--features",
    "--git",
    "--path",
    "--branch",
    "--tag",
    "--rev",
    "-p",
    "--package",
    "--group",
    "--python",
    "--version",
    "-t",
    "--target",
    "--source",
    "--extra",
    "-E",
    "-G",
    "--project",
    "--directory",
    "--vers",
    "--root",
    "-v",
    "--loglevel",
    "--manifest-path",
    "--rename",
    "--optional",
    "-o",
    "-n",
    "--name",
];

/// The same for the managers of `JavaScript`, whose letters mean other things.
const VALUED_JAVASCRIPT: &[&str] = &[
    "--prefix",
    "--workspace",
    "--filter",
    "-F",
    "-C",
    "--dir",
    "--cwd",
    "--registry",
    "--tag",
    "--loglevel",
    "--otp",
    "--access",
    "--reporter",
    "--cache",
    "--userconfig",
];

fn valued(manager: &str) -> Vec<&'static str> {
    match manager {
        "npm" => VALUED_JAVASCRIPT.iter().copied().chain(["-w"]).collect(),
        "pnpm" | "yarn" | "bun" => VALUED_JAVASCRIPT.to_vec(),
        _ => VALUED.to_vec(),
    }
}

pub(super) fn meaning(words: Words<'_>) -> Option<Meaning> {
    let mut found = managed(words)?;
    let own = words.own();
    let packages: &[&str] = match words.name {
        "npm" => &["-w", "--workspace"],
        "pnpm" => &["--filter", "-F"],
        "bun" | "yarn" => &["--filter"],
        _ => &[],
    };
    let everything = |it: &&str| it.contains('*') || it.is_empty();
    found.narrow(own.value(packages).filter(|it| !everything(it)).map(str::to_owned));
    if matches!(words.name, "npm" | "pnpm" | "yarn" | "bun") {
        let folder = own.value(&["--prefix", "-C", "--dir", "--cwd"]);
        found.narrow(folder.and_then(super::folder_scope));
    }
    Some(found)
}

fn managed(words: Words<'_>) -> Option<Meaning> {
    let name = words.name;
    let valued = valued(name);
    let valued = valued.as_slice();
    if name == "python" || name == "python3" {
        let module = words.args.iter().position(|it| it == "-m")?;
        let inner = words.inner(module + 1)?;
        return matches!(inner.name, "pip" | "venv" | "build" | "twine" | "ensurepip")
            .then(|| meaning(inner))
            .flatten();
    }
    let verb_at = words.args.iter().enumerate().position(|(index, arg)| {
        !arg.starts_with('-') && (index == 0 || !valued.contains(&words.args[index - 1].as_str()))
    });
    let verb = verb_at.map(|at| words.args[at].as_str()).unwrap_or_default();
    let rest = Words { name, word: words.word, args: verb_at.map_or(&[], |at| &words.args[at + 1..]) };
    let operands: Vec<&str> = rest.operands(valued);
    let target = format!("{name} {verb}");
    let target = target.trim();
    let done = || Meaning::new(Role::Deed, target);
    let look = || Meaning::new(Role::Look, target);
    if words.has(&["--dry-run"]) && !matches!(name, "kubectl") {
        return matches!(
            name,
            "npm"
                | "pnpm"
                | "yarn"
                | "bun"
                | "composer"
                | "dnf"
                | "conda"
                | "mamba"
                | "rye"
                | "pdm"
                | "pip"
                | "pip3"
                | "uv"
                | "cargo"
                | "poetry"
                | "apt"
                | "apt-get"
                | "gem"
                | "brew"
        )
        .then(look);
    }
    Some(match name {
        "npm" | "pnpm" | "yarn" | "bun" => match verb {
            "install" | "i" | "add" | "ci" | "in" | "clean-install" | ""
                if !(verb.is_empty() && name != "yarn") =>
            {
                let global = words.has(&["-g", "--global"]);
                let meaning = packages(done(), Act::Install, &operands);
                if global || operands.is_empty() && verb == "ci" {
                    meaning
                } else if operands.is_empty() {
                    manifests(name).iter().skip(1).fold(meaning, |it, path| it.file(Act::Edit, *path))
                } else {
                    changes(meaning, name, 3)
                }
            }
            "uninstall" | "remove" | "rm" | "un" | "r" => {
                changes(packages(done(), Act::Uninstall, &operands), name, 3)
            }
            "update" | "up" | "upgrade" | "dedupe" => {
                changes(packages(done(), Act::Install, &operands), name, 3)
            }
            "link" | "rebuild" | "prune" => packages(done(), Act::Install, &operands),
            "init" => changes(done(), name, 1).file(Act::Create, "package.json"),
            "create" => done().opaque().deed(Act::Install, operands.first().copied().unwrap_or_default()),
            "version" if operands.is_empty() => look(),
            "version" => changes(
                done().deed(Act::Tag, operands.first().copied().unwrap_or_default()).deed(Act::Commit, ""),
                name,
                2,
            ),
            "publish" => done().deed(Act::Publish, ""),
            "audit" if operands.first() == Some(&"fix") => changes(done().deed(Act::Install, ""), name, 3),
            "outdated" | "audit" => Meaning { role: Role::Answer, ..look() },
            "view" | "info" if !operands.is_empty() => look().deed(Act::Search, operands.join(" ")),
            "ls" | "list" | "ll" | "view" | "info" | "why" | "explain" | "search" | "config" | "root"
            | "bin" | "whoami" | "prefix" | "doctor" | "ping" | "get" | "cache" | "store" | "help"
            | "fund" | "licenses" => look(),
            // `yarn workspace api test`
            "workspace" if name == "yarn" => {
                let package = operands.first().copied().unwrap_or_default();
                let at = rest.args.iter().position(|it| it == package)?;
                let args = &rest.args[at + 1..];
                let mut found = managed(Words { args, ..rest })?;
                found.narrow(Some(package.to_owned()));
                found
            }
            "workspaces" if name == "yarn" => {
                let chosen = operands.iter().copied().find(|it| !matches!(*it, "run" | "foreach"));
                let chosen = chosen.unwrap_or_default();
                if matches!(chosen, "" | "list" | "info" | "focus") {
                    look()
                } else {
                    script(chosen, &format!("yarn workspaces {chosen}"), rest)
                }
            }
            "pack" => done().tree(Act::Create, "*.tgz"),
            "pkg" if operands.first() == Some(&"get") => look(),
            "pkg" | "set" => changes(done(), name, 1),
            "login" | "logout" | "adduser" | "token" | "owner" | "access" | "dist-tag" | "deprecate"
            | "unpublish" => done().deed(Act::Other, verb),
            "run" | "run-script" => {
                let chosen = operands.first().copied().unwrap_or_default();
                if chosen.is_empty() { look() } else { script(chosen, &format!("{name} run {chosen}"), rest) }
            }
            "test" | "t" | "tst" => script("test", &format!("{name} test"), rest),
            "start" | "stop" | "restart" => done().deed(Act::Service, verb).opaque(),
            "exec" | "dlx" | "x" => {
                super::meaning(rest.inner(rest.args.iter().position(|it| !it.starts_with('-'))?)?)
            }
            "build" | "lint" | "check" if matches!(name, "pnpm" | "yarn") || verb == "build" => {
                script(verb, &format!("{name} {verb}"), rest)
            }
            _ if matches!(name, "pnpm" | "yarn" | "bun") && !verb.is_empty() => {
                script(verb, &format!("{name} {verb}"), rest)
            }
            _ => look(),
        },
        "npx" | "bunx" | "pnpx" | "uvx" => {
            let at = words.args.iter().position(|it| !it.starts_with('-'))?;
            super::meaning(words.inner(at)?)
        }
        "pip" | "pip3" | "pipx" | "uv" if matches!(verb, "pip" | "tool") => {
            return meaning(Words { name, ..rest });
        }
        _ if name == "pip" || name == "pipx" || name.starts_with("pip3") => match verb {
            "install" | "inject" | "upgrade" | "download" | "wheel" => {
                let files: Vec<&str> =
                    rest.value(&["-r", "--requirement", "-e", "--editable"]).into_iter().collect();
                packages(done(), Act::Install, if operands.is_empty() { &files } else { &operands })
            }
            "uninstall" => packages(done(), Act::Uninstall, &operands),
            _ => look(),
        },
        "uv" => match verb {
            "add" => changes(packages(done(), Act::Install, &operands), "uv", 2),
            "remove" => changes(packages(done(), Act::Uninstall, &operands), "uv", 2),
            "sync" => done().deed(Act::Install, "").file(Act::Edit, "uv.lock"),
            "install" => packages(done(), Act::Install, &operands),
            "uninstall" => packages(done(), Act::Uninstall, &operands),
            "lock" => done().file(Act::Edit, "uv.lock").file(Act::Create, "uv.lock"),
            "init" => done().file(Act::Create, "pyproject.toml").opaque(),
            "venv" => done().tree(Act::Create, operands.first().copied().unwrap_or(".venv")),
            "build" => done().judge(Act::Build, "uv build", super::Tool::Plain, Vec::new()),
            "publish" => done().deed(Act::Publish, ""),
            "run" => super::meaning(rest.inner(rest.args.iter().position(|it| !it.starts_with('-'))?)?),
            _ => look(),
        },
        "poetry" | "pdm" | "pipenv" | "rye" | "hatch" => match verb {
            "add" => changes(packages(done(), Act::Install, &operands), name, 2),
            "install" | "sync" => {
                let meaning = packages(done(), Act::Install, &operands);
                if name == "pipenv" && !operands.is_empty() { changes(meaning, name, 2) } else { meaning }
            }
            "remove" | "uninstall" => changes(packages(done(), Act::Uninstall, &operands), name, 2),
            "update" | "lock" => changes(done().deed(Act::Install, ""), name, 2),
            "publish" => done().deed(Act::Publish, ""),
            "build" => done().judge(Act::Build, &format!("{name} build"), super::Tool::Plain, Vec::new()),
            "init" | "new" => done().file(Act::Create, "pyproject.toml").opaque(),
            "version" if !operands.is_empty() => changes(done(), name, 1),
            "run" => super::meaning(rest.inner(0)?),
            _ => look(),
        },
        "conda" | "mamba" | "micromamba" => match verb {
            "install" | "create" | "update" => packages(done(), Act::Install, &operands),
            "remove" | "uninstall" => packages(done(), Act::Uninstall, &operands),
            _ => look(),
        },
        "cargo" => match verb {
            "add" => changes(packages(done(), Act::Install, &operands), "cargo", 2),
            "install" => packages(done(), Act::Install, &operands),
            "remove" | "rm" | "uninstall" => changes(packages(done(), Act::Uninstall, &operands), "cargo", 2),
            "update" | "generate-lockfile" => done().deed(Act::Install, "").file(Act::Edit, "Cargo.lock"),
            "new" | "init" => {
                let folder = operands.first().copied().unwrap_or(".");
                done().tree(Act::Create, folder).file(Act::Create, format!("{folder}/Cargo.toml"))
            }
            "publish" => done().deed(Act::Publish, ""),
            "yank" | "owner" | "login" => done().deed(Act::Other, verb),
            "search" | "info" | "tree" | "metadata" | "locate-project" | "pkgid" | "version" | "outdated"
            | "deny" | "audit" | "machete" | "udeps" | "verify-project" | "read-manifest" | "fetch"
            | "help" | "package" => {
                if matches!(verb, "deny" | "audit" | "machete" | "udeps") {
                    done().judge(Act::Lint, &format!("cargo {verb}"), super::Tool::Rustc, Vec::new())
                } else {
                    look()
                }
            }
            "clean" => done().tree(Act::Delete, "target"),
            _ => return None,
        },
        "apt" | "apt-get" | "brew" | "dnf" | "yum" | "apk" | "pacman" | "zypper" | "snap" | "port"
        | "choco" | "winget" | "scoop" | "flatpak" | "nix-env" | "opkg" => match verb {
            "install" | "add" | "upgrade" | "reinstall" | "full-upgrade" | "dist-upgrade" => {
                packages(done(), Act::Install, &operands)
            }
            "remove" | "purge" | "uninstall" | "del" | "autoremove" | "erase" => {
                packages(done(), Act::Uninstall, &operands)
            }
            "services" => {
                let act = operands.first().copied().unwrap_or_default();
                if matches!(act, "list" | "info" | "") {
                    look()
                } else {
                    done().deed(Act::Service, operands.get(1).copied().unwrap_or_default())
                }
            }
            "update" if name == "brew" => done(),
            "update" => done().deed(Act::Fetch, "package lists"),
            _ if name == "pacman" && words.flag('S') => packages(done(), Act::Install, &words.operands(&[])),
            _ => look(),
        },
        "gem" => match verb {
            "install" | "update" => packages(done(), Act::Install, &operands),
            "uninstall" => packages(done(), Act::Uninstall, &operands),
            "push" => done().deed(Act::Publish, operands.first().copied().unwrap_or_default()),
            "build" => done().judge(Act::Build, "gem build", super::Tool::Plain, Vec::new()),
            _ => look(),
        },
        "bundle" | "bundler" => match verb {
            "install" | "" => done().deed(Act::Install, "").file(Act::Edit, "Gemfile.lock"),
            "update" => packages(done(), Act::Install, &operands).file(Act::Edit, "Gemfile.lock"),
            "add" => changes(packages(done(), Act::Install, &operands), "bundle", 2),
            "remove" => changes(packages(done(), Act::Uninstall, &operands), "bundle", 2),
            "exec" => super::meaning(rest.inner(0)?),
            _ => look(),
        },
        "composer" => match verb {
            "require" | "update" => changes(packages(done(), Act::Install, &operands), "composer", 2),
            "install" => done().deed(Act::Install, ""),
            "remove" => changes(packages(done(), Act::Uninstall, &operands), "composer", 2),
            "show" | "info" | "search" | "outdated" | "why" | "validate" | "audit" | "licenses" => look(),
            "run" | "run-script" | "exec" => {
                script(operands.first().copied().unwrap_or_default(), target, rest)
            }
            "test" | "lint" => script(verb, target, rest),
            "create-project" => {
                done().opaque().deed(Act::Install, operands.first().copied().unwrap_or_default())
            }
            _ => done().opaque(),
        },
        "go" => match verb {
            "get" => changes(packages(done(), Act::Install, &operands), "go", 2),
            "install" => packages(done(), Act::Install, &operands),
            "mod" => match operands.first().copied() {
                Some("tidy" | "vendor" | "download" | "edit") => {
                    changes(done().deed(Act::Install, ""), "go", 2)
                }
                Some("init") => done().file(Act::Create, "go.mod"),
                _ => look(),
            },
            "work" => done().file(Act::Edit, "go.work"),
            "doc" => look().deed(Act::Read, operands.join(" ")),
            "list" | "env" | "version" | "help" | "tool" => look(),
            "clean" => done(),
            _ => return None,
        },
        "dotnet" => match verb {
            "add" => {
                let package = operands
                    .iter()
                    .position(|it| *it == "package")
                    .and_then(|at| operands.get(at + 1))
                    .copied();
                changes(done().deed(Act::Install, package.unwrap_or_default()), "dotnet", 1)
            }
            "restore" => done().deed(Act::Install, ""),
            "new" => done().opaque().deed(Act::Create, operands.first().copied().unwrap_or_default()),
            "remove" => changes(
                done().deed(Act::Uninstall, operands.last().copied().unwrap_or_default()),
                "dotnet",
                1,
            ),
            "publish" => done().judge(Act::Build, "dotnet publish", super::Tool::Dotnet, Vec::new()),
            "nuget" => done().deed(Act::Publish, ""),
            "ef" => match operands.as_slice() {
                ["database", "update", ..] => {
                    done().deed(Act::Migrate, operands.get(2).copied().unwrap_or_default())
                }
                ["migrations", "add", name, ..] => done().deed(Act::Other, *name).opaque(),
                ["migrations", "remove", ..] | ["database", "drop", ..] => done().opaque(),
                _ => look(),
            },
            "list" | "sln" | "tool" => look(),
            _ => return None,
        },
        "flutter" | "dart" => match verb {
            "pub" => match operands.split_first() {
                Some((&"add", names)) => changes(packages(done(), Act::Install, names), name, 2),
                Some((&"remove", names)) => changes(packages(done(), Act::Uninstall, names), name, 2),
                Some((&"publish", _)) => done().deed(Act::Publish, ""),
                Some((&"get" | &"upgrade", _)) => done().deed(Act::Install, ""),
                _ => look(),
            },
            _ => return None,
        },
        "twine" if verb == "check" => look(),
        "twine" => done().deed(Act::Publish, operands.first().copied().unwrap_or_default()),
        "venv" => done().tree(Act::Create, operands.first().copied().unwrap_or_else(|| base(verb))),
        "virtualenv" => done().tree(Act::Create, verb),
        "nvm" | "fnm" | "asdf" | "mise" | "rustup" | "pyenv" | "rbenv" | "volta" | "sdk" => match verb {
            "install" | "add" | "update" | "component" | "target" | "toolchain" | "plugin" => {
                packages(done(), Act::Install, &operands)
            }
            _ => look(),
        },
        _ => return None,
    })
}
