//! Containers, clusters, infrastructure, services, databases, the network.

use super::super::text::has;
use super::{Act, Meaning, Role, Tool, Words, base, outputs};

pub(super) fn meaning(words: Words<'_>) -> Option<Meaning> {
    let name = words.name;
    let verb = words.operands(&[
        "-f",
        "--file",
        "-p",
        "-n",
        "--namespace",
        "--context",
        "-c",
        "--kubeconfig",
        "--profile",
        "--region",
        "-H",
        "--host",
        "--project",
    ]);
    let first = verb.first().copied().unwrap_or_default();
    let second = verb.get(1).copied().unwrap_or_default();
    let target = format!("{name} {first}");
    let target = target.trim();
    let done = || Meaning::new(Role::Deed, target);
    let look = || Meaning::new(Role::Look, target);
    Some(match name {
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => container(words),
        "kubectl" | "oc" | "k" | "helm" if words.has(&["--dry-run"]) => look(),
        "kubectl" | "oc" | "k" => match first {
            "kustomize" | "options" | "completion" => look(),
            "get" | "top" | "api-resources" | "cluster-info" | "config" | "version" | "auth" | "explain"
            | "diff" | "wait" => look().deed(Act::Verify, verb.get(1..).unwrap_or_default().join(" ")),
            "describe" | "logs" => {
                look().deed(Act::Read, format!("{first} {second}").trim()).deed(Act::Verify, second)
            }
            "rollout" if matches!(second, "status" | "history") => {
                look().deed(Act::Verify, verb.get(2).copied().unwrap_or_default())
            }
            "rollout" if second == "undo" => {
                done().deed(Act::Revert, verb.get(2).copied().unwrap_or_default())
            }
            "rollout" if second == "restart" => {
                let object = verb.get(2).copied().unwrap_or_default();
                done().deed(Act::Service, object).deed(Act::Deploy, object)
            }
            "apply" | "create" | "replace" | "set" | "patch" | "scale" | "autoscale" | "run" | "expose" => {
                let object = words.value(&["-f", "--filename", "-k"]).unwrap_or(second);
                done().deed(Act::Deploy, object)
            }
            "delete" => done().deed(Act::Service, second).deed(Act::Delete, second),
            _ => done().opaque(),
        },
        "helm" => match first {
            "package" => done().tree(Act::Create, "*.tgz"),
            "push" => done().deed(Act::Publish, second),
            "dependency" if second != "list" => done().deed(Act::Install, ""),
            "test" => done().judge(Act::Test, "helm test", Tool::Generic, vec![second.to_owned()]),
            "install" | "upgrade" => done().deed(Act::Deploy, second),
            "rollback" => done().deed(Act::Revert, second),
            "uninstall" | "delete" => done().deed(Act::Service, second),
            "lint" => done().judge(Act::Lint, "helm lint", Tool::Plain, Vec::new()),
            "repo" => done(),
            _ => look(),
        },
        "terraform" | "tofu" | "terragrunt" | "pulumi" => {
            match if first == "run-all" { second } else { first } {
                "apply" | "up" => done().deed(Act::Deploy, name),
                "destroy" => done().deed(Act::Delete, name),
                "validate" => done().judge(Act::Lint, "terraform validate", Tool::Terraform, Vec::new()),
                "fmt" => {
                    let meaning = done().judge(Act::Format, "terraform fmt", Tool::Plain, Vec::new());
                    if words.has(&["-check", "--check"]) { meaning } else { meaning.tree(Act::Edit, ".") }
                }
                "init" => done().deed(Act::Install, "providers"),
                "plan" | "preview" => {
                    let mut meaning = look().deed(Act::Read, "plan");
                    if let Some(file) = words.value(&["-out", "--out"]) {
                        meaning = meaning.file(Act::Create, file);
                    }
                    meaning
                }
                "state" if matches!(second, "list" | "show" | "pull") => look(),
                "import" | "taint" | "state" => done(),
                _ => look(),
            }
        }
        "ansible-playbook" => done().deed(Act::Deploy, first).opaque(),
        "systemctl" | "service" | "pm2" | "supervisorctl" | "launchctl" | "rc-service" | "initctl" => {
            let (verb, unit) =
                if matches!(name, "service" | "rc-service") { (second, first) } else { (first, second) };
            match verb {
                "status" | "is-active" | "is-enabled" | "list" | "ls" | "jlist" | "list-units" | "show"
                | "cat" | "describe" | "info" | "is-failed" | "print" => {
                    Meaning { role: Role::Answer, ..look().deed(Act::Verify, unit) }
                }
                "logs" | "tail" => look().deed(Act::Read, format!("logs {unit}").trim()),
                _ => Meaning::new(Role::Deed, format!("{name} {verb}").trim()).deed(Act::Service, unit),
            }
        }
        "nginx" | "apachectl" | "uvicorn" | "gunicorn" | "flask" | "redis-server" | "postgres" | "mongod"
        | "celery" | "http-server" | "serve" | "nodemon" | "json-server" | "daphne" | "hypercorn"
        | "streamlit" | "storybook" | "ngrok" | "caddy" | "pg_ctl" | "honcho" | "foreman" => {
            if words.has(&["-t"]) && name == "nginx" {
                return Some(done().judge(Act::Lint, "nginx -t", Tool::Plain, Vec::new()));
            }
            if name == "flask" && first == "db" {
                // `flask db migrate` writes a revision and applies none.
                let args = words.args.get(1..).unwrap_or_default();
                let verb = if second == "migrate" { "revision" } else { second };
                return Some(migrations(Words { name: "alembic", word: "alembic", args }, verb, ""));
            }
            if name == "flask" && matches!(first, "routes" | "shell") {
                return Some(look());
            }
            done().deed(Act::Service, name)
        }
        "alembic" | "flyway" | "liquibase" | "diesel" | "sqlx" | "knex" | "goose" | "dbmate"
        | "sequelize" | "sequelize-cli" | "typeorm" | "migrate" | "prisma" | "drizzle-kit"
        | "sea-orm-cli" | "yoyo" | "atlas" | "supabase" => migrations(words, first, second),
        "restic" | "borg" => archive(words, first, second),
        "pg_dump" | "pg_dumpall" | "mysqldump" | "mariadb-dump" | "mongodump" | "sqldump" => {
            let object = words.operands(&[
                "-h", "-U", "-p", "-f", "--file", "-F", "--format", "-u", "-P", "--uri", "--out", "-o", "-r",
            ]);
            let mut meaning =
                Meaning::new(Role::Deed, name).deed(Act::Backup, object.first().copied().unwrap_or_default());
            if let Some(file) = words.value(&["-f", "--file", "--out", "-o"]) {
                meaning = meaning.file(Act::Create, file);
            }
            meaning
        }
        "pg_restore" | "mysqlimport" | "mongorestore" => {
            Meaning::new(Role::Deed, name).deed(Act::Migrate, first)
        }
        "psql" | "mysql" | "mariadb" | "sqlite3" | "mongosh" | "mongo" | "redis-cli" | "duckdb"
        | "clickhouse-client" | "cqlsh" | "bq" => database(words),
        "curl" | "wget" | "http" | "https" | "xh" | "httpie" | "aria2c" => web(words),
        "aws" | "gcloud" | "az" | "gsutil" | "doctl" | "flyctl" | "fly" | "heroku" | "vercel" | "netlify"
        | "railway" | "render" | "firebase" | "wrangler" | "eb" | "sam" | "serverless" | "sls" | "cf"
        | "kamal" | "cap" | "dokku" | "surge" => cloud(words, first, second),
        "mail" | "mailx" | "sendmail" | "mutt" | "notify-send" | "slackcat" => Meaning::new(Role::Deed, name)
            .deed(Act::Send, words.operands(&["-s", "-a"]).last().copied().unwrap_or_default()),
        "crontab" if words.flag('l') => Meaning::new(Role::Answer, "crontab"),
        "crontab" if words.flag('r') => Meaning::new(Role::Deed, "crontab").deed(Act::Uninstall, "crontab"),
        "crontab" => {
            Meaning::new(Role::Deed, "crontab").deed(Act::Install, "crontab").deed(Act::Service, "crontab")
        }
        "adb" | "emulator" | "simctl" | "xcrun" | "devicectl" => device(words),
        "k6"
        | "wrk"
        | "ab"
        | "hey"
        | "autocannon"
        | "artillery"
        | "lighthouse"
        | "lhci"
        | "license-checker"
        | "license-report"
        | "pip-licenses"
        | "licensecheck"
        | "npm-check"
        | "npm-check-updates"
        | "ncu"
        | "madge"
        | "source-map-explorer"
        | "size-limit"
        | "bundlesize"
        | "pipdeptree"
        | "pip-audit"
        | "safety"
        | "snyk"
        | "grype"
        | "syft"
        | "gitleaks"
        | "trufflehog"
        | "speedtest"
        | "iperf3"
        | "sysbench"
        | "pgbench"
        | "redis-benchmark"
        | "py-spy"
        | "locust"
        | "vegeta"
        | "bombardier"
        | "oha"
        | "drill" => {
            let mut meaning = Meaning::new(Role::Deed, name).deed(Act::Run, name);
            outputs(words, &mut meaning);
            meaning
        }
        "jupyter" | "papermill" | "jupytext" | "nbstripout" => notebook(words, first, second),
        "buf" | "sqlc" | "openapi-generator" | "openapi-generator-cli"
            if GENERATOR_LOOKS.contains(&first) =>
        {
            if matches!(first, "lint" | "vet" | "validate" | "breaking") {
                done().judge(Act::Lint, target, Tool::Plain, Vec::new())
            } else {
                look()
            }
        }
        "openapi-generator"
        | "openapi-generator-cli"
        | "openapi-typescript"
        | "protoc"
        | "buf"
        | "sqlc"
        | "swagger-codegen"
        | "graphql-codegen"
        | "plop"
        | "hygen"
        | "quicktype"
        | "yo"
        | "cookiecutter"
        | "pandoc"
        | "convert"
        | "magick"
        | "ffmpeg"
        | "dot"
        | "mmdc"
        | "xelatex"
        | "pdflatex"
        | "wkhtmltopdf"
        | "inkscape" => {
            let mut meaning = Meaning::new(Role::Deed, target_of(name, first)).opaque().deed(Act::Run, name);
            outputs(words, &mut meaning);
            meaning
        }
        _ => return None,
    })
}

/// What generators do besides generating.
const GENERATOR_LOOKS: &[&str] =
    &["lint", "vet", "validate", "breaking", "diff", "list", "help", "version", "ls-files"];

/// Repositories of backups.
fn archive(words: Words<'_>, first: &str, second: &str) -> Meaning {
    let target = format!("{} {first}", words.name);
    let done = Meaning::new(Role::Deed, target.trim());
    if words.has(&["--dry-run", "-n"]) {
        return Meaning::new(Role::Look, target.trim());
    }
    let source = words
        .operands(&["-r", "--repo", "--tag", "--exclude", "-e", "-p", "--host", "--compression", "-C"])
        .into_iter()
        .next_back()
        .filter(|it| *it != first)
        .unwrap_or_default();
    match first {
        "backup" | "create" => done.deed(Act::Backup, source),
        "restore" | "extract" => {
            done.tree(Act::Create, words.value(&["--target", "-t"]).unwrap_or(".")).deed(Act::Revert, second)
        }
        "forget" | "prune" | "delete" | "compact" => done.deed(Act::Delete, second),
        "init" | "copy" | "tag" | "key" | "unlock" | "migrate" | "recover" | "rebuild-index" => done,
        _ => Meaning::new(Role::Look, target.trim()),
    }
}

/// Phones, tablets and what plays them.
fn device(words: Words<'_>) -> Meaning {
    let args = match (words.name, words.args.first().map(String::as_str)) {
        ("xcrun", Some("simctl" | "devicectl")) => words.args.get(1..).unwrap_or_default(),
        ("xcrun", _) => return Meaning::new(Role::Deed, "xcrun").opaque(),
        _ => words.args,
    };
    let inner = Words { args, ..words };
    let operands = inner.operands(&["-s", "-avd", "-t", "-H", "-P"]);
    let verb = operands.first().copied().unwrap_or_default();
    let object = operands.last().copied().filter(|it| *it != verb).unwrap_or_default();
    let target = format!("{} {verb}", words.name);
    let done = Meaning::new(Role::Deed, target.trim());
    let look = Meaning::new(Role::Look, target.trim());
    match (words.name, verb) {
        ("emulator", _) if inner.has(&["-list-avds", "-version", "-accel-check"]) => look,
        ("emulator", _) => done.deed(Act::Service, "emulator"),
        (
            "adb",
            "devices" | "version" | "get-state" | "start-server" | "kill-server" | "help" | "wait-for-device",
        )
        | (_, "list" | "help" | "getenv") => look.deed(Act::Search, "devices"),
        ("adb", "logcat" | "bugreport") => look.deed(Act::Read, "logs").deed(Act::Verify, "device"),
        (_, "install" | "install-multiple") => done.deed(Act::Install, object).deed(Act::Deploy, "device"),
        (_, "uninstall") => done.deed(Act::Uninstall, object),
        (_, "boot" | "shutdown" | "erase" | "create" | "delete" | "reboot") => {
            done.deed(Act::Service, object)
        }
        (_, "pull") => done.file(Act::Create, object).deed(Act::Fetch, object).deed(Act::Verify, "device"),
        (_, "push") => done.deed(Act::Send, object),
        ("adb", "shell" | "exec-out") => {
            done.deed(Act::Run, operands.get(1).copied().unwrap_or_default()).deed(Act::Verify, "device")
        }
        (_, "io") => done.file(Act::Create, object).deed(Act::Verify, "device"),
        _ => done.deed(Act::Verify, "device"),
    }
}

/// Notebooks: run, converted, stripped.
fn notebook(words: Words<'_>, first: &str, second: &str) -> Meaning {
    let name = words.name;
    let target = format!("{name} {first}");
    let done = Meaning::new(Role::Deed, if name == "jupyter" { target.trim() } else { name });
    match (name, first) {
        ("papermill", _) => {
            let files = words.operands(&["-p", "-k", "-f", "-r", "-y", "--cwd", "--kernel", "--parameters"]);
            let from = files.first().copied().unwrap_or_default();
            let to =
                files.iter().copied().find(|it| *it != from && it.contains(".ipynb")).unwrap_or_default();
            let done = done.file(Act::Read, from).deed(Act::Run, from).opaque();
            if to.is_empty() { done } else { done.file(Act::Create, to).file(Act::Edit, to) }
        }
        ("nbstripout", _) => words.operands(&[]).into_iter().fold(done, |it, file| it.file(Act::Edit, file)),
        ("jupyter", "nbconvert") | ("jupytext", _) => {
            let files: Vec<&str> = words
                .operands(&["--to", "--output", "--output-dir", "--template", "-o", "--from"])
                .into_iter()
                .filter(|it| it.contains('.'))
                .collect();
            let mut meaning = done;
            outputs(words, &mut meaning);
            let format = words.value(&["--to"]).unwrap_or("html");
            let extension = match format.split(':').next().unwrap_or(format) {
                "script" | "python" | "py" => "py",
                "markdown" | "md" => "md",
                "notebook" | "ipynb" => "ipynb",
                "latex" => "tex",
                "slides" => "slides.html",
                "webpdf" => "pdf",
                other => other,
            };
            let folder = words.value(&["--output-dir"]);
            for file in files {
                meaning = meaning.file(Act::Read, file);
                if words.has(&["--inplace", "--sync", "--clear-output"]) {
                    meaning = meaning.file(Act::Edit, file);
                } else if words.value(&["--output", "-o"]).is_none_or(|it| !it.contains('.')) {
                    let stem = file.rsplit_once('.').map_or(file, |it| it.0);
                    let name = words.value(&["--output"]).unwrap_or(if folder.is_some() {
                        base(stem)
                    } else {
                        stem
                    });
                    let name = match folder {
                        Some(folder) => format!("{}/{name}.{extension}", folder.trim_end_matches('/')),
                        // Outputs stand beside the notebook.
                        None => format!("{name}.{extension}"),
                    };
                    meaning = meaning.file(Act::Create, name.clone()).file(Act::Edit, name);
                }
            }
            if words.has(&["--execute"]) { meaning.deed(Act::Run, "notebook").opaque() } else { meaning }
        }
        ("jupyter", "lab" | "notebook" | "server") if second != "list" => done.deed(Act::Service, "jupyter"),
        ("jupyter", "run") => done.deed(Act::Run, second).opaque(),
        _ => Meaning::new(Role::Look, target.trim()),
    }
}

fn target_of(name: &str, first: &str) -> String {
    if first.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
        format!("{name} {first}")
    } else {
        name.to_owned()
    }
}

fn container(words: Words<'_>) -> Meaning {
    let mut rest = words.args;
    let mut compose = words.name.ends_with("-compose");
    while let Some(first) = rest.first() {
        match first.as_str() {
            "compose" => {
                compose = true;
                rest = &rest[1..];
            }
            "container" | "image" | "buildx" => rest = &rest[1..],
            "-f"
            | "--file"
            | "-p"
            | "--project-name"
            | "--profile"
            | "-H"
            | "-c"
            | "--context"
            | "--env-file"
            | "--project-directory" => {
                rest = rest.get(2..).unwrap_or_default();
            }
            it if it.starts_with('-') => rest = &rest[1..],
            _ => break,
        }
    }
    let verb = rest.first().map(String::as_str).unwrap_or_default();
    let before = words.args.len() - rest.len();
    if words.args[..before].iter().any(|it| it == "--dry-run") {
        return Meaning::new(Role::Look, "docker compose");
    }
    let inner = Words { args: rest.get(1..).unwrap_or_default(), ..words };
    let program = if compose { "docker compose" } else { "docker" };
    let target = format!("{program} {verb}");
    let object = inner
        .operands(&[
            "-t",
            "--tag",
            "-f",
            "--file",
            "--build-arg",
            "--target",
            "--platform",
            "-p",
            "-v",
            "-e",
            "--name",
            "--network",
            "-w",
            "-u",
            "--env-file",
            "--progress",
            "-n",
            "--tail",
            "--since",
            "--scale",
            "--timeout",
        ])
        .first()
        .copied()
        .unwrap_or_default();
    let done = Meaning::new(Role::Deed, target.clone());
    let look = Meaning::new(Role::Look, target.clone());
    match verb {
        "build" => {
            let tag = inner.value(&["-t", "--tag"]).map(str::to_owned);
            let meaning = done.judge(Act::Build, &target, Tool::Plain, tag.into_iter().collect());
            if inner.has(&["--push"]) { meaning.deed(Act::Publish, "") } else { meaning }
        }
        "push" => done.deed(Act::Publish, object).deed(Act::Push, object),
        "pull" => done.deed(Act::Fetch, object).deed(Act::Install, object),
        "tag" => done.deed(Act::Tag, inner.operands(&[]).last().copied().unwrap_or_default()),
        "logs" => look.deed(Act::Read, format!("logs {object}").trim()),
        _ if compose && rest.is_empty() => look,
        "config" | "convert" | "version" | "search" | "history" | "images" | "manifest" | "info"
        | "context" => look,
        "ps" | "ls" | "inspect" | "stats" | "top" | "port" | "diff" | "system" | "events" => {
            look.deed(Act::Verify, object)
        }
        "up" | "start" | "stop" | "restart" | "down" | "kill" | "rm" | "pause" | "unpause" => {
            let meaning = done.deed(Act::Service, object);
            if verb == "up" { meaning.deed(Act::Deploy, object) } else { meaning }
        }
        "run" => done.deed(Act::Run, object).deed(Act::Service, object).opaque(),
        // What runs inside is a command of its own.
        "exec" => Meaning::new(Role::Neutral, target),
        "cp" | "save" | "export" => done.opaque(),
        _ => done,
    }
}

fn migrations(words: Words<'_>, first: &str, second: &str) -> Meaning {
    let name = words.name;
    let done = Meaning::new(Role::Deed, format!("{name} {first}").trim());
    let look = Meaning::new(Role::Look, format!("{name} {first}").trim());
    let task = first.rsplit(':').next().unwrap_or(first);
    if words.has(&["--sql", "--dry-run", "-dryRunOutput", "--pretend"])
        || first.contains(':')
            && matches!(task, "status" | "list" | "show" | "currentVersion" | "log" | "version")
        || matches!(first, "update-sql" | "updateSQL" | "updateSql" | "rollback-sql" | "diff" | "check")
            && name != "supabase"
    {
        return look;
    }
    match (name, first, second) {
        ("prisma", "db", "pull") => done.file(Act::Edit, "prisma/schema.prisma"),
        ("prisma", "migrate", _) if words.has(&["--create-only"]) => {
            let object = words.value(&["--name", "-n"]).unwrap_or_default();
            done.deed(Act::Other, object).opaque()
        }
        ("prisma", "migrate", "resolve") => done,
        ("supabase", "start" | "stop", _) => done.deed(Act::Service, "supabase"),
        ("supabase", "functions", "deploy") => done.deed(Act::Deploy, "supabase"),
        ("prisma", "generate" | "format" | "init", _) => done.opaque(),
        ("prisma", "validate", _) => done.judge(Act::Lint, "prisma validate", Tool::Plain, Vec::new()),
        ("prisma", "studio", _) => done.deed(Act::Service, "prisma"),
        (
            _,
            "current" | "history" | "heads" | "info" | "status" | "show" | "version" | "validate"
            | "branches",
            _,
        )
        | ("supabase", "projects", _)
        | ("supabase", "db", "diff" | "lint")
        | (
            _,
            "migrate" | "migration" | "migrations",
            "status" | "diff" | "list" | "info" | "pending" | "lint",
        ) => look,
        (_, "revision" | "new" | "create" | "generate", _)
        | (_, "migrate" | "migration", "add" | "generate" | "new" | "create") => {
            let object = words.value(&["-m", "--message", "--name"]).unwrap_or(second);
            done.deed(Act::Other, object).opaque()
        }
        (_, "downgrade" | "rollback" | "down", _) => {
            done.deed(Act::Migrate, second).deed(Act::Revert, second)
        }
        _ => {
            let meaning = done.deed(Act::Migrate, second);
            if matches!(name, "prisma" | "drizzle-kit" | "supabase") { meaning.opaque() } else { meaning }
        }
    }
}

fn database(words: Words<'_>) -> Meaning {
    let name = words.name;
    let statement = words
        .value(&["-c", "--command", "-e", "--execute", "--eval", "-q", "--query"])
        .map(str::to_owned)
        .or_else(|| {
            words
                .args
                .iter()
                .find(|it| it.contains(' ') || it.starts_with('.') || it.starts_with('\\'))
                .cloned()
        });
    let file = words.value(&["-f", "--file", "--init-command"]);
    let text = statement.unwrap_or_default();
    let lower = text.trim().to_lowercase();
    let reads = [
        "select", "show", "explain", "describe", "with", "\\d", "\\l", ".schema", ".tables", ".dump",
        "pragma", "db.", "get ", "keys", "info", "ping", "\\x", "\\t", "desc ", "scan", "hget", "lrange",
        "ttl", "exists",
    ];
    let target = name.to_owned();
    if let Some(file) = file {
        let meaning = Meaning::new(Role::Deed, target).deed(Act::Run, file);
        return meaning.deed(Act::Migrate, file);
    }
    if lower.is_empty() {
        return Meaning::new(Role::Deed, target);
    }
    let writes = [
        "insert", "update", "delete", "create", "alter", "drop", "truncate", "grant", "set ", "del ",
        "flush", "restore", "copy", "import", ".insert", ".update", ".delete", ".drop",
    ];
    if reads.iter().any(|it| lower.starts_with(it))
        && !writes.iter().any(|it| it.starts_with('.') && lower.contains(it))
    {
        return Meaning::new(Role::Look, target).deed(Act::Read, text).deed(Act::Run, "query");
    }
    let migrates = ["create", "alter", "drop", "insert", "update", "delete", "truncate"]
        .iter()
        .any(|it| lower.contains(it));
    let meaning = Meaning::new(Role::Deed, target).deed(Act::Run, text.clone());
    if migrates { meaning.deed(Act::Migrate, text) } else { meaning }
}

/// The host of an address.
pub(in super::super) fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    if rest.starts_with('[') { rest } else { rest.split(':').next().unwrap_or(rest) }
}

fn web(words: Words<'_>) -> Meaning {
    let name = words.name;
    let valued = [
        "-o",
        "--output",
        "-O",
        "--output-document",
        "-H",
        "--header",
        "-d",
        "--data",
        "--data-raw",
        "--data-binary",
        "-X",
        "--request",
        "-u",
        "--user",
        "-F",
        "--form",
        "-w",
        "--write-out",
        "-m",
        "--max-time",
        "--connect-timeout",
        "-b",
        "-c",
        "-A",
        "-e",
        "--json",
        "--retry",
        "-T",
        "--upload-file",
        "--method",
        "--body-data",
        "--post-data",
        "-P",
        "--directory-prefix",
        "--cacert",
        "--resolve",
        "-x",
        "--data-urlencode",
        "--retry-delay",
        "-K",
    ];
    let valued: &[&str] = &valued;
    // curl's `-O` takes no value.
    let addresses: Vec<&str> = if name == "curl" {
        let without: Vec<&str> = valued.iter().copied().filter(|it| *it != "-O").collect();
        words.operands(&without)
    } else {
        words.operands(valued)
    };
    let chosen = cluster_value(words, 'o');
    let candidates = || addresses.iter().copied().filter(|it| chosen != Some(*it));
    let address = candidates()
        .find(|it| it.contains("://"))
        .or_else(|| {
            candidates().find(|it| it.contains('.') || it.contains("localhost") || it.starts_with(':'))
        })
        .unwrap_or_default();
    let place = host(address);
    let method = words.value(&["-X", "--request", "--method"]).unwrap_or_default().to_uppercase();
    let verbs = addresses.first().copied().unwrap_or_default();
    let sends = matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
        || words.has(&[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "-F",
            "--form",
            "-T",
            "--upload-file",
            "--json",
            "--post-data",
            "--data-urlencode",
            "--body-data",
        ])
        || matches!(verbs, "POST" | "PUT" | "PATCH" | "DELETE");
    let local = matches!(place, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]")
        || place.rsplit('.').next() == Some("local");
    let mut meaning = Meaning::new(Role::Deed, format!("{name} {place}").trim());
    if sends && method != "GET" {
        meaning = meaning.deed(Act::Send, place);
        let lower = address.to_lowercase();
        if lower.contains("hooks.slack")
            || lower.contains("comment")
            || lower.contains("message")
            || lower.contains("webhook")
        {
            meaning = meaning.deed(Act::Comment, place);
        }
        if lower.contains("deploy") {
            meaning = meaning.deed(Act::Deploy, place);
        }
    } else {
        meaning.role = Role::Look;
    }
    meaning = meaning.deed(Act::Fetch, place).deed(Act::Verify, place);
    if !local {
        meaning = meaning.deed(Act::Read, address);
    }
    let file = match name {
        "wget" if !words.has(&["--spider"]) => Some(
            words
                .value(&["-O", "--output-document"])
                .unwrap_or_else(|| base(address.split('?').next().unwrap_or(address))),
        ),
        "curl"
            if words.has(&["-O", "--remote-name"])
                || words
                    .args
                    .iter()
                    .any(|it| !it.starts_with("--") && it.starts_with('-') && it.ends_with('O')) =>
        {
            Some(base(address.split('?').next().unwrap_or(address)))
        }
        "curl" => words.value(&["-o", "--output"]).or_else(|| cluster_value(words, 'o')),
        "http" | "https" | "xh" => words.value(&["-o", "--output"]),
        "aria2c" => words.value(&["-o", "--out"]),
        _ => None,
    };
    if let Some(file) = file.filter(|it| !it.is_empty() && *it != "-" && *it != "/dev/null") {
        meaning.role = Role::Deed;
        meaning = meaning.file(Act::Create, file).file(Act::Edit, file);
    }
    meaning
}

/// The value after a cluster that ends in `letter`: `-sSLo FILE`.
fn cluster_value(words: Words<'_>, letter: char) -> Option<&str> {
    let at = words
        .args
        .iter()
        .position(|it| it.starts_with('-') && !it.starts_with("--") && it.ends_with(letter))?;
    words.args.get(at + 1).map(String::as_str)
}

fn cloud(words: Words<'_>, first: &str, second: &str) -> Meaning {
    let name = words.name;
    let line = words.args.join(" ").to_lowercase();
    let reading = [
        " list",
        " describe",
        " get",
        " ls",
        " logs",
        " show",
        " status",
        " whoami",
        " info",
        "ps:",
        " config list",
        " inspect",
    ];
    let padded = format!(" {line}");
    let target = format!("{name} {first} {second}");
    let target = target.trim();
    if words.has(&["--dry-run", "--dryrun"])
        || has(&padded, "emulators:")
        || matches!(first, "build" | "dev" | "print" | "package" | "validate" | "local" | "inspect")
            && matches!(name, "vercel" | "netlify" | "sam" | "serverless" | "sls" | "wrangler")
    {
        let meaning = Meaning::new(Role::Deed, target);
        return if words.has(&["--dry-run", "--dryrun"]) {
            Meaning::new(Role::Look, target)
        } else if first == "dev" || has(&padded, "emulators:") {
            meaning.deed(Act::Service, name)
        } else if matches!(first, "build" | "package") {
            meaning.judge(Act::Build, target, Tool::Plain, Vec::new()).opaque()
        } else {
            meaning.opaque()
        };
    }
    if has(&padded, " builds submit") {
        let meaning = Meaning::new(Role::Deed, "gcloud builds submit");
        return meaning
            .judge(Act::Build, "gcloud builds submit", Tool::Plain, Vec::new())
            .deed(Act::Publish, "");
    }
    let deploys = has(&padded, " deploy")
        || has(&padded, " update-function-code")
        || has(&padded, " update-service")
        || has(&padded, " create-deployment")
        || has(&padded, " up ")
        || padded.ends_with(" up")
        || has(&padded, " publish")
        || (name == "vercel" && (first.is_empty() || words.has(&["--prod"])));
    if deploys && !has(&padded, " list") && !has(&padded, "deployments ls") {
        // Values of options are no part of what a later success is about.
        let verb = words.args.iter().map(String::as_str).find(|it| has(it, "deploy")).unwrap_or(first);
        return Meaning::new(Role::Deed, format!("{name} {verb}").trim()).deed(Act::Deploy, name);
    }
    if has(&padded, " logs") {
        return Meaning::new(Role::Look, target).deed(Act::Read, "logs").deed(Act::Verify, name);
    }
    if reading.iter().any(|it| has(&padded, it)) {
        return Meaning { role: Role::Answer, ..Meaning::new(Role::Look, target).deed(Act::Verify, name) };
    }
    if has(&padded, " s3 cp") || has(&padded, " s3 sync") || name == "gsutil" {
        return Meaning::new(Role::Deed, target)
            .deed(Act::Send, words.operands(&[]).last().copied().unwrap_or_default())
            .opaque();
    }
    if has(&padded, "rollback") {
        return Meaning::new(Role::Deed, target).deed(Act::Revert, name);
    }
    if has(&padded, "restart") {
        return Meaning::new(Role::Deed, target).deed(Act::Service, name);
    }
    Meaning::new(Role::Deed, target).deed(Act::Other, first).opaque()
}
