//! What is kept out of a report: secrets always; paths, names and addresses on demand.
//!
//! A text is judged by its form alone, so more is hidden than need be: a report that is shared cannot be called back.

use std::fmt::Write;

use hostler_ledger::redact;

/// In a user's place.
pub(crate) const USER: &str = "[user]";
/// In a machine's place.
pub(crate) const HOST: &str = "[host]";
/// In an e-mail address's place.
pub(crate) const EMAIL: &str = "[e-mail]";

/// Names that say nothing about a person, and stand in ordinary text.
const COMMON_USERS: &[&str] = &[
    "admin", "agent", "app", "build", "ci", "code", "dev", "git", "home", "node", "project", "root",
    "runner", "test", "ubuntu", "user", "vscode", "work", "www",
];
/// Machines that everybody has.
const COMMON_HOSTS: &[&str] = &["localhost", "127.0.0.1", "0.0.0.0", "::1", "localdomain", "host"];
/// Last parts of host names that are no file extensions.
const TOP_LEVEL: &[&str] = &[
    "app",
    "biz",
    "cloud",
    "co",
    "com",
    "corp",
    "de",
    "dev",
    "edu",
    "eu",
    "fr",
    "gov",
    "home",
    "info",
    "int",
    "internal",
    "intranet",
    "io",
    "jp",
    "lan",
    "local",
    "localdomain",
    "mil",
    "name",
    "net",
    "nl",
    "org",
    "ru",
    "svc",
    "uk",
    "us",
];
/// Programs' and formats' names that look like host names.
const NO_HOSTS: &[&str] = &["asp.net", "socket.io", "vb.net", "ml.net", "crates.io", "docs.rs", "system.io"];
/// Letters between which a name is a word of its own.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Takes out of a text what the reader of a report should not see.
#[derive(Debug, Default)]
pub(crate) struct Hider {
    on: bool,
    /// Folders and what stands for them, the longest first.
    folders: Vec<(String, String)>,
    users: Vec<String>,
    hosts: Vec<String>,
}

impl Hider {
    /// Only secrets are taken out.
    pub(crate) fn secrets_only() -> Self {
        Self::default()
    }

    /// Everything is taken out: `home` becomes `~`, `projects` become relative paths; `users` and `hosts` are
    /// names that are known, others are found by their form.
    pub(crate) fn everything(
        home: Option<&str>,
        projects: impl IntoIterator<Item = String>,
        users: impl IntoIterator<Item = String>,
        hosts: impl IntoIterator<Item = String>,
    ) -> Self {
        let trimmed = |path: &str| path.trim_end_matches(['/', '\\']).to_owned();
        let mut users: Vec<String> = users.into_iter().collect();
        let mut folders: Vec<(String, String)> = Vec::new();
        for project in projects.into_iter().map(|it| trimmed(&it)).filter(|it| !it.is_empty()) {
            users.extend(home_of(&project).map(|(_, user)| user.to_owned()));
            folders.push((project, String::new()));
        }
        if let Some(home) = home.map(trimmed).filter(|it| 1 < it.len()) {
            users.extend(home.rsplit(['/', '\\']).next().map(str::to_owned));
            folders.push((home, "~".to_owned()));
        }
        // What a sentence names is compared, and told, in lower case.
        folders.extend(folders.clone().into_iter().map(|(folder, name)| (folder.to_lowercase(), name)));
        folders.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        folders.dedup_by(|a, b| a.0 == b.0);
        users
            .retain(|name| 2 < name.chars().count() && !COMMON_USERS.contains(&name.to_lowercase().as_str()));
        users.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
        users.dedup();
        let mut hosts: Vec<String> = hosts.into_iter().map(|it| it.trim().to_owned()).collect();
        hosts.retain(|name| 2 < name.len() && !COMMON_HOSTS.contains(&name.to_lowercase().as_str()));
        Self { on: true, folders, users, hosts }
    }

    /// More than secrets is taken out.
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// `text` on one line, without what is hidden, with its invisible characters made visible, cut at `chars_max`.
    pub(crate) fn clean(&self, text: &str, chars_max: usize) -> String {
        // A cut secret is not seen as one: what is looked at is longer than what is shown.
        let window = chars_max.saturating_mul(4).saturating_add(16 * 1024);
        let end = text.char_indices().nth(window).map_or(text.len(), |(at, _)| at);
        let safe = redact::redact(&text[..end]);
        let safe = if self.on { self.hide(&safe) } else { safe.into_owned() };
        visible(&safe, chars_max)
    }

    fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in &self.folders {
            text = without_folder(&text, folder, name);
        }
        text = without_homes(&text);
        text = words(&text, hide_address);
        for name in &self.users {
            text = without_word(&text, name, USER);
        }
        for name in &self.hosts {
            text = without_word(&text, name, HOST);
        }
        text
    }
}

/// The part of `path` up to the end of the first home folder of somebody, and whose it is.
fn home_of(path: &str) -> Option<(&str, &str)> {
    // Case of ASCII letters changes no position.
    let lower = path.to_ascii_lowercase();
    let name_at = |at: usize, parent: &str| -> Option<(usize, usize)> {
        // `C:\\Users\\name`, as it stands in a string of code.
        let doubled = path[at + parent.len()..].bytes().take_while(|byte| b"/\\".contains(byte)).count();
        let from = at + parent.len() + doubled;
        let rest = &path[from..];
        let length = rest.find(|c: char| !is_word(c) && !".-@".contains(c)).unwrap_or(rest.len());
        let name = &rest[..length];
        let before = path[..at].chars().next_back();
        let begins = !before.is_some_and(|c| is_word(c) || ".-~/\\".contains(c));
        let known = match parent {
            "/home/" => path[at..].starts_with("/home/") || begins,
            // In other cases an address may have such a part: a folder's name follows there.
            "/users/" => {
                let below = rest[length..].strip_prefix('/').is_some_and(|it| it.starts_with(is_word));
                path[at..].starts_with("/Users/")
                    || begins && below && !name.bytes().all(|it| it.is_ascii_digit())
            }
            "\\users\\" => true,
            // Without its drive, as objects of sentences are.
            _ => begins,
        };
        (known && length != 0).then_some((from, from + length))
    };
    let found = ["/home/", "/users/", "\\users\\", "users\\"]
        .into_iter()
        .filter_map(|parent| lower.match_indices(parent).find_map(|(at, _)| name_at(at, parent)));
    let (start, end) = found.min()?;
    Some((&path[..end], &path[start..end]))
}

/// `text` with every path below `folder` relative to it (`name` is empty), or below `name`.
fn without_folder(text: &str, folder: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let after = &rest[at + folder.len()..];
        let mut following = after.chars();
        let next = following.next();
        let goes_on = match next {
            Some('.') => following.next().is_some_and(is_word),
            Some(c) => is_word(c) || c == '-',
            None => false,
        };
        let begins = !rest[..at].chars().next_back().is_some_and(|c| is_word(c) || c == '-' || c == '.');
        out.push_str(&rest[..at]);
        if goes_on || !begins {
            out.push_str(folder);
            rest = after;
        } else if name.is_empty() {
            let below = after.strip_prefix(['/', '\\']);
            let names_more =
                below.is_some_and(|it| it.chars().next().is_some_and(|c| is_word(c) || ".-_".contains(c)));
            if !names_more {
                out.push('.');
            }
            rest = if names_more { below.unwrap_or(after) } else { after };
        } else {
            out.push_str(name);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Anybody's home folder becomes `~`, by the usual places of such folders.
fn without_homes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, user)) = home_of(rest) {
        let end = before.len();
        let start = end - user.len();
        let parent = rest[..start].trim_end_matches(['/', '\\']);
        let mut head = parent.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        head = head.trim_end_matches('\\').strip_suffix('/').unwrap_or(head.trim_end_matches('\\'));
        // `C:\Users\name`, `/var/home/name`.
        head = head.strip_suffix("/var").unwrap_or(head);
        if let [.., drive, b':'] = head.as_bytes()
            && drive.is_ascii_alphabetic()
        {
            head = &head[..head.len() - 2];
        }
        out.push_str(head);
        out.push('~');
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// `text` with each word between blanks, quotes and brackets passed through `change`.
fn words(text: &str, change: fn(&str) -> Option<String>) -> String {
    let separates = |c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c);
    let mut out = String::with_capacity(text.len());
    let (mut word, mut in_address) = (0, false);
    for (at, c) in text.char_indices() {
        in_address |= text[at..].starts_with("://");
        // `--host=name`, but not within an address.
        if separates(c) || c == '=' && !in_address {
            changed(&mut out, &text[word..at], change);
            out.push(c);
            (word, in_address) = (at + c.len_utf8(), false);
        }
    }
    changed(&mut out, &text[word..], change);
    out
}

/// Adds a word as it is to be shown; what ends a sentence is no part of it.
fn changed(out: &mut String, word: &str, change: fn(&str) -> Option<String>) {
    let core = word.trim_end_matches(['.', '!', '?', ':', '*']);
    match change(core) {
        Some(changed) => {
            out.push_str(&changed);
            out.push_str(&word[core.len()..]);
        }
        None => out.push_str(word),
    }
}

/// What stands for `word` if it holds an address.
fn hide_address(word: &str) -> Option<String> {
    if let Some((scheme, rest)) = word.split_once("://") {
        if scheme.ends_with("file") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let host = authority.rsplit('@').next().unwrap_or(authority);
        return (!is_common(host)).then(|| {
            let more = if authority.len() < rest.len() { "/…" } else { "" };
            format!("{scheme}://{HOST}{more}")
        });
    }
    if let Some((name, domain)) = word.split_once('@') {
        let (domain, path) =
            domain.split_once(':').map_or((domain, None), |(domain, path)| (domain, Some(path)));
        let plausible =
            !name.is_empty() && !name.ends_with('/') && domain.contains('.') && !domain.contains('/');
        let is_domain = domain.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '-');
        let is_version = domain.chars().all(|c| c.is_ascii_digit() || c == '.')
            && domain.parse::<std::net::Ipv4Addr>().is_err();
        // `git@host:team/repository`, `name@host:folder`.
        if path.is_some() && is_domain && !name.is_empty() && !is_version {
            return Some(format!("{EMAIL}:…"));
        }
        if plausible && is_domain && !is_version {
            return Some(EMAIL.to_owned());
        }
    }
    let (host, tail) = word.find(['/', '?']).map_or((word, ""), |at| word.split_at(at));
    if is_address(host) && !is_common(host) {
        return Some(if tail.is_empty() { HOST.to_owned() } else { format!("{HOST}/…") });
    }
    None
}

fn is_common(host: &str) -> bool {
    let bare = host.trim_start_matches('[');
    COMMON_HOSTS.iter().any(|common| {
        bare.strip_prefix(common).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ']']))
    })
}

/// A number of the internet protocol, or a dotted name that ends as host names do.
fn is_address(host: &str) -> bool {
    if host.parse::<std::net::IpAddr>().is_ok() {
        return true;
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit()) => name,
        Some(_) => return false,
        None => host,
    };
    if name.parse::<std::net::Ipv4Addr>().is_ok() {
        return true;
    }
    let lower = name.to_lowercase();
    let Some((first, last)) = lower.rsplit_once('.') else { return false };
    let parts = first
        .split('.')
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_'));
    // `os.name`, `self.app` are code: two parts are enough only where the last one is no word of programs.
    let enough =
        first.contains('.') || !matches!(last, "app" | "name" | "home" | "info" | "int" | "local" | "co");
    parts && enough && TOP_LEVEL.contains(&last) && !NO_HOSTS.contains(&lower.as_str())
}

fn without_word(text: &str, name: &str, mark: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let lower_name = name.to_ascii_lowercase();
    while let Some(at) = rest.to_ascii_lowercase().find(&lower_name) {
        let (name, after) = rest[at..].split_at(name.len());
        // `_` stands in file names made of a user's name.
        let joins = |c: char| c.is_alphanumeric();
        let alone = !rest[..at].chars().next_back().or(out.chars().next_back()).is_some_and(joins)
            && !after.chars().next().is_some_and(joins);
        out.push_str(&rest[..at]);
        out.push_str(if alone { mark } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// One line: white space becomes a blank, what cannot be seen or turns the direction of text is written out.
fn visible(text: &str, chars_max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(chars_max.saturating_mul(4)) + 16);
    let mut count = 0;
    let mut blank = true;
    for c in text.trim_end().chars() {
        if c.is_whitespace() {
            if !blank {
                out.push(' ');
                count += 1;
            }
            blank = true;
            continue;
        }
        blank = false;
        if chars_max <= count {
            out.push('…');
            return out;
        }
        if c.is_control() || deceives(c) {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            count += 8;
        } else {
            out.push(c);
            count += 1;
        }
    }
    out
}

/// Invisible characters, and those that reorder what follows. The joiners (U+200C, U+200D) are letters' business in
/// several scripts and in emoji.
fn deceives(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hider() -> Hider {
        Hider::everything(
            Some("/home/maria"),
            ["/home/maria/shop".to_owned(), "/srv/builds/api".to_owned()],
            ["maria".to_owned(), "root".to_owned()],
            ["build-box-7".to_owned(), "localhost".to_owned()],
        )
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(hider().clean(text, 500), expected, "{text}");
    }

    #[test]
    fn paths_become_relative_or_start_at_home() {
        check("wrote /home/maria/shop/src/app.py", "wrote src/app.py");
        check("cd /home/maria/shop && ls /home/maria/shop/", "cd . && ls ./");
        check("/home/maria/shop2/x and /home/maria/shop.git/y", "~/shop2/x and ~/shop.git/y");
        check("in /home/maria/shop.", "in ..");
        check("/srv/builds/api/main.go", "main.go");
        check("cat /home/maria/.ssh/config", "cat ~/.ssh/config");
        check("cat /home/jonas.k/notes.md", "cat ~/notes.md");
        check("open /Users/jonas/x y", "open ~/x y");
        check(r"type C:\Users\jonas\x", r"type ~\x");
        check("/mnt/home/jonas/x", "/mnt~/x");
        check("I created `/Users/jonas/a.rs` next to `/home/ci/b.rs`", "I created `~/a.rs` next to `~/b.rs`");
        check(r"/home/ci/a, C:\Users\jonas\b and /Users/eva/c", r"~/a, ~\b and ~/c");
        check(r"no call wrote users\jonas\proj\x.txt", r"no call wrote ~\proj\x.txt");
        check(r"no call wrote `c:\users\jonas\proj\x.txt`", r"no call wrote `~\proj\x.txt`");
        check(r"in C:\\Users\\jonas\\x", r"in ~\\x");
        check("no call wrote /users/jonas/proj/x.txt", "no call wrote ~/proj/x.txt");
        check("d:/users/jonas/x and D:/Users/jonas", "~/x and ~");
        check("/HOME/Maria/SHOP is /Home/Maria", "~/SHOP is ~");
        check("by Maria, MARIA and maria", "by [user], [user] and [user]");
        check("~/.claude/projects/-home-maria-shop/a.jsonl", "~/.claude/projects/-home-[user]-shop/a.jsonl");
    }

    #[test]
    fn people_and_machines_are_not_named() {
        check("mail maria.lopez@firma.example, then", "mail [e-mail], then");
        check("git clone git@git.firma.de:team/shop.git", "git clone [e-mail]:…");
        check("curl https://api.firma.de:8443/v1/users?x=1", "curl https://[host]/…");
        check("see https://firma.example.", "see https://[host].");
        check("ssh maria@10.0.0.7", "ssh [e-mail]");
        check("ping 10.0.0.7 or fe80::1", "ping [host] or [host]");
        check("psql -h db.internal -p 5432", "psql -h [host] -p 5432");
        check("db.prod.firma.com:5432/shop", "[host]/…");
        check("on build-box-7, by maria", "on [host], by [user]");
        check("psql --host=db.internal", "psql --host=[host]");
        check("(see [docs](https://intra.firma.net/a/b))", "(see [docs](https://[host]/…))");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "All 12 tests pass.",
            "curl http://localhost:8080/health and http://127.0.0.1/",
            "pip install requests==2.31.0 and npm i left-pad@1.3.0",
            "edited src/app.py, main.rs, index.html and package.json",
            "socket.io 4.7.2 runs as root",
            "os.name and self.app are set",
            "@types/node, @app.route",
            "ratio 3:4, at 12:30, std::net::IpAddr",
            "mariadb was restarted",
            "src/users/views.py and users/urls.py",
            "GET /users/42/posts and POST /users/",
            "مرحبا 👩‍💻 日本語",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn secrets_are_taken_out_always() {
        let text = "export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 now";
        for hider in [Hider::secrets_only(), hider()] {
            let clean = hider.clean(text, 200);
            assert!(clean.contains(redact::MARK) && !clean.contains("ghp_0123"), "{clean}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        let clean = |text: &str| Hider::secrets_only().clean(text, 100);
        assert_eq!(clean("a\u{202e}cod.exe"), "a\\u{202e}cod.exe");
        assert_eq!(clean("a\u{0}\u{1b}[31mred"), "a\\u{0}\\u{1b}[31mred");
        assert_eq!(clean("  two\r\n\n lines\t "), "two lines");
        assert_eq!(clean("می\u{200c}خواهم"), "می\u{200c}خواهم");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(Hider::secrets_only().clean(&"🦀".repeat(50), 10), format!("{}…", "🦀".repeat(10)));
        assert_eq!(Hider::secrets_only().clean("exactly", 7), "exactly");
        let long = format!("{}ghp_0123456789abcdefghijABCDEFGHIJ012345", "x ".repeat(9));
        assert!(!Hider::secrets_only().clean(&long, 25).contains("ghp_01"));
    }
}
