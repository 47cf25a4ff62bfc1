//! Programs that talk to the network.

use hostler_model::{EffectKind, Target};

use super::args::Args;
use super::machine::{Machine, State, Stream};
use super::run::Call;
use super::word::Field;

/// The file, where its content is secret; `None` for ordinary files.
pub(super) fn secret_file(target: &Target) -> Option<String> {
    let text = target.path.as_ref().map_or_else(|| target.text.clone(), |path| path.display().to_string());
    is_secret_file(&text).then_some(text)
}

/// Whether a file of this path most likely holds keys, passwords or tokens. Absolute or not; `/` between folders.
pub fn is_secret_file(text: &str) -> bool {
    let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let public = [".pub", "known_hosts", "authorized_keys"].iter().any(|it| lower.ends_with(it));
    let env = (lower == ".env" || lower.starts_with(".env."))
        && !["example", "sample", "template", "dist", "defaults"].iter().any(|it| lower.ends_with(it));
    let key = (lower.starts_with("id_")
        && !public
        && ["rsa", "dsa", "ecdsa", "ed25519"].iter().any(|it| lower.contains(it)))
        || [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"]
            .iter()
            .any(|it| lower.ends_with(it));
    let known = [
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
        "credentials.json",
        "service-account.json",
        ".vault-token",
        ".credentials.json",
        "shadow",
    ];
    let folder = [
        "/.ssh",
        "/.aws",
        "/.gnupg",
        "/.kube/config",
        "/.docker/config.json",
        "/.config/gcloud",
        "/.azure",
        "/.config/gh",
        "/etc/shadow",
    ];
    let inside = folder.iter().any(|part| text.ends_with(part) || text.contains(&format!("{part}/")));
    (env || key || known.contains(&lower.as_str()) || inside) && !public
}

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    match call.name {
        "curl" | "wget" | "http" | "https" | "xh" | "aria2c" | "httpie" | "fetch" | "lwp-request" => {
            Some(fetch(machine, call, state))
        }
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "ftp" | "sftp" | "tftp" | "lftp" => {
            upload_of(machine, call, state, call.stdin.secret.as_deref());
            let executes = call.args.iter().any(|field| {
                let text = field.render();
                matches!(text.as_str(), "-e" | "-c" | "--exec" | "--sh-exec")
                    || text.to_ascii_uppercase().contains("EXEC:")
                    || text.to_ascii_uppercase().contains("SYSTEM:")
            });
            if executes {
                machine.emit(
                    EffectKind::ExecRemote,
                    Vec::new(),
                    call.render(),
                    "it gives a shell to the network",
                    state,
                );
            }
            Some(Stream::opaque("data from the network", true))
        }
        "scp" => {
            let parsed = Args::parse(call.args, "-i -P -F -o -J -l -c -S");
            let remote =
                |field: &Field| field.render().split('/').next().is_some_and(|part| part.contains(':'));
            if parsed.operands.last().is_some_and(remote) {
                let secret = parsed
                    .operands
                    .iter()
                    .filter(|field| !remote(field))
                    .find_map(|field| secret_file(&machine.target(field, state)));
                upload_of(machine, call, state, secret.as_deref());
            } else if let Some(destination) = parsed.operands.last() {
                let target = machine.target(destination, state);
                machine.write_effect(
                    EffectKind::Overwrite,
                    vec![target],
                    call.render(),
                    "`scp` replaces its destination",
                    state,
                );
            }
            Some(Stream::NOTHING)
        }
        "printenv" | "env" => Some(Stream {
            secret: Some("the environment".to_owned()),
            ..Stream::opaque("the environment", false)
        }),
        "mail" | "mailx" | "sendmail" | "mutt" => {
            upload_of(machine, call, state, call.stdin.secret.as_deref());
            Some(Stream::NOTHING)
        }
        _ => None,
    }
}

fn upload_of(machine: &mut Machine<'_>, call: &Call<'_>, state: &State, secret: Option<&str>) {
    if let Some(secret) = secret {
        machine.emit(
            EffectKind::SecretUpload,
            Vec::new(),
            call.render(),
            format!("it sends `{secret}` to the network"),
            state,
        );
    }
}

fn fetch(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Stream {
    const DATA: &[&str] = &[
        "-d",
        "--data",
        "--data-raw",
        "--data-binary",
        "--data-urlencode",
        "--data-ascii",
        "-F",
        "--form",
        "-T",
        "--upload-file",
        "--json",
        "--post-file",
        "--body-file",
        "--post-data",
        "--body-data",
        "-H",
        "--header",
        "-u",
        "--user",
    ];
    // `-O` takes a value in wget alone; several of curl's letters are plain switches there.
    let valued = match call.name {
        "wget" => {
            "-o -O -P -U -e -i -a -t -T -w -Q -l -A -R --output-document --directory-prefix --user-agent --post-data --post-file \
             --body-data --body-file --header --user --password --tries --timeout --execute --input-file"
        }
        _ => {
            "-d --data --data-raw --data-binary --data-urlencode --data-ascii -F --form --form-string -T --upload-file --json -o --output \
             -H --header -X --request -A --user-agent -b --cookie -c --cookie-jar -e --referer -u --user -x --proxy -m --max-time \
             --connect-timeout --retry -w --write-out -K --config --cacert --cert --key -r --range --output-dir -D --dump-header --url"
        }
    };
    let parsed = Args::parse(call.args, valued);
    let mut secret = None;
    for field in parsed.values(DATA) {
        let text = field.render();
        let file = text.split(['@', '<']).nth(1).map(|it| it.split(';').next().unwrap_or(it).to_owned());
        let from_file = match (&file, parsed.has(&["-T", "--upload-file", "--post-file", "--body-file"])) {
            (Some(file), _) if file == "-" => call.stdin.secret.clone(),
            (Some(file), _) => secret_file(&machine.target(&Field::text(expand_home(machine, file)), state)),
            (None, true) => secret_file(&machine.target(field, state)),
            (None, false) => None,
        };
        // A token in a header or as the user is what those are for; a file's content in the body is not.
        let token = parsed.values(&["-H", "--header", "-u", "--user"]).any(|it| it == field);
        secret = secret.or(from_file).or_else(|| machine.secret_in(field).filter(|_| !token));
    }
    for field in &parsed.operands {
        secret = secret.or_else(|| machine.secret_in(field));
        // httpie: `name@file`, `name:=@file`.
        if matches!(call.name, "http" | "https" | "xh" | "httpie")
            && let Some((_, file)) = field.render().rsplit_once('@')
        {
            secret = secret
                .or_else(|| secret_file(&machine.target(&Field::text(expand_home(machine, file)), state)));
        }
    }
    if matches!(call.name, "http" | "https" | "xh" | "httpie") {
        secret = secret.or_else(|| call.stdin.secret.clone());
    }
    upload_of(machine, call, state, secret.as_deref());
    if let Some(output) = parsed
        .value(&["-o", "--output", "--output-document", "-O"])
        .filter(|it| it.head() != "-" || it.0.len() != 1)
    {
        let target = machine.target(output, state);
        if let Some(path) = &target.path {
            machine.downloads.push(path.clone());
        }
        machine.write_effect(
            EffectKind::Overwrite,
            vec![target],
            call.render(),
            "the download replaces the file",
            state,
        );
        return Stream::NOTHING;
    }
    let to_stdout = call.name != "wget" || parsed.has(&["-O", "--output-document"]);
    let named_by_url = !to_stdout || (call.name == "curl" && parsed.has(&["-O", "--remote-name", "-J"]));
    if named_by_url {
        for field in &parsed.operands {
            let url = field.render();
            let name =
                url.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            if let Some(path) = machine.target(&Field::text(name), state).path.filter(|_| !name.is_empty()) {
                machine.downloads.push(path);
            }
        }
        return Stream::NOTHING;
    }
    Stream::opaque("a download", true)
}

fn expand_home(machine: &Machine<'_>, text: &str) -> String {
    match (text.strip_prefix("~/"), &machine.place.home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", home.display()),
        _ => text.to_owned(),
    }
}
