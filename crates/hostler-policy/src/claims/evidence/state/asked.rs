//! What the commands of a line, and searches of the host, were asked.

use super::super::command::{State, Step};
use super::super::mcp;
use super::super::program::Role;
use super::super::text::{head, lines as read};
use super::lines::whole;
use super::{Answer, Question, SEARCHED_BYTES, add};

/// Lines that hold more words are no statement.
const WORDS_MAX: usize = 40;

/// What the commands of a line were asked, and what they said.
pub(in super::super) fn commands(
    command: &str,
    steps: &[Step],
    exit: Option<i32>,
    text: &str,
    out: &mut Vec<Answer>,
) {
    let ran: Vec<&Step> = steps.iter().filter(|step| step.state != State::Skipped).collect();
    // What stands alone owns the output.
    let quiet =
        |step: &&&Step| step.meaning.role == Role::Neutral && !matches!(step.name(), "echo" | "printf");
    let speaking: Vec<&Step> = ran.iter().filter(|step| !quiet(step)).copied().collect();
    exits(command, steps, exit, text, out);
    for step in &ran {
        match step.name() {
            "diff" | "cmp" | "colordiff" => same(step, &speaking, text, out),
            "which" | "command" | "type" | "hash" | "where" => there(command, step, &speaking, text, out),
            _ => {}
        }
    }
    if ran.iter().any(|step| is_grep(step)) {
        matches(&speaking, text, out);
    }
    let calls: Vec<&Step> = ran.iter().filter(|step| is_http(step)).copied().collect();
    if !calls.is_empty() {
        statuses(command, &calls, text, out);
    }
    if let [step] = speaking.as_slice()
        && let Some(noun) = counts(step)
        && let Some(line) = read(text).rfind(|line| !line.trim().is_empty())
        && let Some(number) = line.split_whitespace().next().and_then(whole)
    {
        add(out, Question::Counted, noun, "", number.to_string());
    }
    let refused = text.contains("Cannot connect to the Docker daemon");
    if refused || ran.iter().any(|step| asks_for_health(step)) {
        health(&ran, text, out);
    }
    if let Some(step) = ran.iter().find(|step| step.name() == "git") {
        git(step, &speaking, text, out);
    }
    if ran.iter().any(|step| asks_for_checks(step)) {
        checks(text, out);
    }
    rows(command, &speaking, text, out);
    versions(&speaking, text, out);
    sums(&speaking, text, out);
}

/// What a program that prints one number counts.
fn counts(step: &Step) -> Option<&'static str> {
    let has = |word: &str| step.words.iter().any(|it| it == word);
    match step.name() {
        "wc" if has("-l") => Some("lines"),
        "git" if has("rev-list") && has("--count") => Some("commits"),
        _ => None,
    }
}

/// `echo $?`, `echo "exit=$?"`, and the status of a call that failed.
fn exits(command: &str, steps: &[Step], exit: Option<i32>, text: &str, out: &mut Vec<Answer>) {
    let named = |step: &Step| step.words.join(" ");
    if let Some(at) = command.rfind("$?") {
        let told = read(text).rfind(|line| !line.trim().is_empty());
        let digits = told.and_then(|line| line.trim().rsplit([' ', '=', ':']).next());
        let code = digits.and_then(|it| it.parse::<u8>().ok());
        let asked = steps.iter().rev().find(|step| !matches!(step.name(), "echo" | "printf" | "exit"));
        if let (Some(code), Some(step)) = (code, asked)
            && command[at..].trim_start_matches(['$', '?', '"', '\'', '}', ';', ' ', '\n']).is_empty()
            && command.matches("$?").count() == 1
        {
            add(out, Question::Exit, &named(step), "", code.to_string());
        }
    } else if exit != Some(0)
        && let Some(step) = steps.iter().find(|step| step.state == State::Failed)
        && step.meaning.role != Role::Answer
    {
        let said = exit.map_or_else(|| "failed".to_owned(), |exit| exit.to_string());
        add(out, Question::Exit, &named(step), "", said);
    }
}

fn operands(step: &Step) -> Vec<&str> {
    step.words
        .iter()
        .skip(1)
        .map(String::as_str)
        .filter(|it| !it.is_empty() && !it.starts_with('-'))
        .collect()
}

fn alone(step: &Step, speaking: &[&Step]) -> bool {
    speaking.iter().all(|other| std::ptr::eq(*other, step))
}

fn same(step: &Step, speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let trouble = read(text).any(|line| line.contains("No such file") || line.starts_with("diff: "));
    if trouble || step.flow.negated || operands(step).len() < 2 {
        return;
    }
    let differs = read(text).any(|line| {
        line.starts_with("< ")
            || line.starts_with("> ")
            || line.starts_with("--- ")
            || line.starts_with("Only in ")
            || line.ends_with(" differ")
            || line.contains(" differ: ")
    });
    let said = match step.state {
        _ if differs => "differ",
        State::Done if !step.flow.hidden => "same",
        State::Failed if alone(step, speaking) => "differ",
        State::Ran if alone(step, speaking) && text.trim().is_empty() && !step.flow.hidden => "same",
        _ => return,
    };
    add(out, Question::Same, &operands(step).join(" "), "", said);
}

/// Equal or different sums of several files.
fn sums(speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let [step] = speaking else { return };
    if !matches!(step.name(), "sha256sum" | "md5sum" | "sha1sum" | "shasum" | "b2sum" | "cksum") {
        return;
    }
    let hash = |line: &str| {
        let word = line.split_whitespace().next()?;
        (16 <= word.len() && word.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| word.to_owned())
    };
    let hashes: Vec<String> = read(text).filter_map(hash).collect();
    if hashes.len() == 2 {
        let said = if hashes[0] == hashes[1] { "same" } else { "differ" };
        add(out, Question::Same, &operands(step).join(" "), "", said);
    }
}

fn there(command: &str, step: &Step, speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let asks = step.name() != "command" || step.words.iter().any(|it| it == "-v" || it == "-V");
    if !asks || step.flow.negated {
        return;
    }
    for name in operands(step) {
        let path = |line: &str| {
            let line = line.trim();
            (line.starts_with('/') && line.rsplit('/').next() == Some(name))
                || line.starts_with(&format!("{name} is "))
                || line.starts_with(&format!("{name}: aliased"))
        };
        let denied = |line: &str| {
            line.starts_with(&format!("{name} not found"))
                || line.contains(&format!("no {name} in"))
                || line.contains(&format!("{name}: not found"))
        };
        if read(text).any(path) {
            add(out, Question::There, name, "", "there");
        } else if read(text).any(denied)
            || (command.contains("||")
                && matches!(text.trim(), "missing" | "no" | "not found" | "not installed"))
            || (step.state == State::Failed
                && alone(step, speaking)
                && text.trim().is_empty()
                && operands(step).len() == 1)
        {
            add(out, Question::There, name, "", "missing");
        }
    }
}

fn is_grep(step: &Step) -> bool {
    step.is_search() || step.name() == "git" && step.words.get(1).is_some_and(|it| it == "grep")
}

/// The pattern and the places of a search; `None` where its options change what a line of output is.
fn searched(step: &Step) -> Option<(String, Vec<String>)> {
    let skip = if step.name() == "git" { 2 } else { 1 };
    let mut pattern: Option<String> = None;
    let mut places = Vec::new();
    let mut words = step.words.iter().skip(skip);
    while let Some(word) = words.next() {
        if word == "--" {
            continue;
        }
        if word.is_empty() || word == "-f" {
            return None;
        }
        if let Some(long) = word.strip_prefix("--") {
            if long.starts_with("invert") || long.starts_with("files-without") || long.contains("context") {
                return None;
            }
            continue;
        }
        if let Some(short) = word.strip_prefix('-') {
            if short.contains(['v', 'L', 'A', 'B', 'C']) {
                return None;
            }
            if short == "e" {
                if pattern.is_some() {
                    return None;
                }
                pattern = words.next().cloned();
            } else if matches!(short, "t" | "g" | "m" | "T" | "j") {
                words.next();
            }
            continue;
        }
        match &pattern {
            None => pattern = Some(word.clone()),
            Some(_) => places.push(word.clone()),
        }
    }
    Some((pattern?, places))
}

fn matches(speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let (Some(step), rest) = (speaking.first(), speaking.get(1..).unwrap_or_default()) else { return };
    let Some((pattern, places)) = searched(step).filter(|_| is_grep(step) && !step.flow.negated) else {
        return;
    };
    let has = |short: char, long: &str| {
        step.words.iter().any(|word| {
            word == long || word.starts_with('-') && !word.starts_with("--") && word.contains(short)
        })
    };
    let (names, counts) = (has('l', "--files-with-matches"), has('c', "--count"));
    if has('q', "--quiet") {
        return;
    }
    let kept: Vec<&str> = read(text).filter(|line| !line.trim().is_empty() && *line != "--").collect();
    let trouble = |line: &&str| {
        line.starts_with("grep: ") || line.starts_with("rg: ") || line.contains("No such file or directory")
    };
    if kept.iter().any(trouble) {
        return;
    }
    let place = places.join(" ");
    let number = |line: &str| line.rsplit(':').next().and_then(|it| it.trim().parse::<u64>().ok());
    let question = if names { Question::MatchingFiles } else { Question::Matches };
    match rest {
        [] if counts => {
            let all: Option<Vec<u64>> = kept.iter().map(|line| number(line)).collect();
            if let Some(all) = all.filter(|it| !it.is_empty()) {
                add(out, Question::Matches, &pattern, &place, all.iter().sum::<u64>().to_string());
            }
        }
        [] if kept.is_empty() => add(out, question, &pattern, &place, "0"),
        [] => found(&kept, question, &pattern, &place, false, out),
        [count]
            if count.name() == "wc" && count.words.get(1).is_some_and(|it| it == "-l") && count.flow.fed =>
        {
            if let [line] = kept.as_slice()
                && let Ok(number) = line.trim().parse::<u64>()
            {
                add(out, question, &pattern, &place, number.to_string());
            }
        }
        [cut] if matches!(cut.name(), "head" | "tail") && cut.flow.fed => {
            found(&kept, question, &pattern, &place, true, out);
        }
        _ => {}
    }
}

fn found(kept: &[&str], question: Question, pattern: &str, place: &str, more: bool, out: &mut Vec<Answer>) {
    let plus = if more { "+" } else { "" };
    add(out, question, pattern, place, format!("{}{plus}", kept.len()));
    if question == Question::Matches {
        let mut files: Vec<&str> =
            kept.iter().filter_map(|line| line.split_once(':')).map(|(file, _)| file).collect();
        files.sort_unstable();
        files.dedup();
        if 1 < files.len() {
            add(out, Question::MatchingFiles, pattern, place, format!("{}{plus}", files.len()));
        }
    }
}

/// What the host's own search found. `input` is its call as JSON text.
pub(in super::super) fn search(
    input: &str,
    pattern: &str,
    path: Option<&str>,
    text: &str,
    out: &mut Vec<Answer>,
) {
    const NARROWED: &[&str] =
        &["\"glob\":", "\"type\":", "\"head_limit\":", "\"-A\":", "\"-B\":", "\"-C\":", "\"multiline\":"];
    let strings = mcp::strings(input);
    let mode = strings.iter().find(|(key, _)| key == "output_mode").map(|(_, value)| value.as_str());
    // What searches names has no mode and no matches.
    let by_name = mode.is_none() && !text.contains(':') && !text.starts_with("Found");
    if by_name || NARROWED.iter().any(|it| input.contains(it)) {
        return;
    }
    let place = path.unwrap_or_default();
    let kept: Vec<&str> = read(text).filter(|line| !line.trim().is_empty() && *line != "--").collect();
    let first = kept.first().copied().unwrap_or_default();
    if first.starts_with("No matches found") || first.starts_with("No files found") {
        add(out, Question::Matches, pattern, place, "0");
    } else if let Some(rest) = first.strip_prefix("Found ") {
        if let Some(number) = rest.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()) {
            add(out, Question::MatchingFiles, pattern, place, number.to_string());
        }
    } else if mode == Some("content") || (mode.is_none() && kept.iter().all(|line| line.contains(':'))) {
        found(&kept, Question::Matches, pattern, place, text.contains("truncated"), out);
    }
}

/// What a subagent's report says must change: `1. BLOCKING: nonce is reused`.
pub(in super::super) fn review(text: &str, out: &mut Vec<Answer>) {
    const GRAVE: &[&str] =
        &["BLOCKING", "BLOCKER", "CRITICAL", "MAJOR", "MUST FIX", "Blocking:", "Blocker:", "Critical:"];
    for line in read(head(text, SEARCHED_BYTES)) {
        let start = line.trim_start_matches(|c: char| !c.is_alphabetic());
        let none = start.split_once(':').is_some_and(|(_, rest)| {
            let rest = rest.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            rest.is_empty() || rest.starts_with("none") || rest.starts_with("no ") || rest.starts_with('0')
        });
        if start.contains(':') && !none && GRAVE.iter().any(|word| start.starts_with(word)) {
            add(out, Question::Objection, start, "", "must change");
        }
    }
}

fn is_http(step: &Step) -> bool {
    matches!(step.name(), "curl" | "wget" | "http" | "https" | "xh" | "httpie")
}

fn address(step: &Step) -> String {
    let is_address = |word: &&String| {
        word.contains("://")
            || word.starts_with("localhost")
            || word.starts_with("127.0.0.1")
            || (word.starts_with(':') && word.len() > 1)
    };
    let header = |word: &&String| word.contains(": ") || word.to_lowercase().contains("token");
    let first = step.words.iter().find(is_address).cloned().unwrap_or_default();
    let rest: Vec<&str> =
        step.words.iter().skip(1).filter(header).filter(|it| **it != first).map(String::as_str).collect();
    if rest.is_empty() { first } else { format!("{first} {}", rest.join(" ")) }
}

fn status_in(line: &str) -> Option<u16> {
    let code = |word: &str| word.parse::<u16>().ok().filter(|it| (100..600).contains(it) && word.len() == 3);
    let line = line.trim().trim_start_matches("< ");
    if line.starts_with("HTTP/") || line.starts_with("http/") {
        return line.split_whitespace().nth(1).and_then(code);
    }
    if let Some((_, rest)) = line.split_once("returned error: ") {
        return rest.split_whitespace().next().and_then(code);
    }
    code(line)
}

fn statuses(command: &str, calls: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let asks =
        |step: &&Step| step.words.iter().any(|it| it.contains("http_code") || it.contains("response_code"));
    let mut codes: Vec<u16> = Vec::new();
    for line in read(head(text, SEARCHED_BYTES)) {
        let Some(code) = status_in(line) else {
            // `health 200`, `{"ok":true}200`: what `-w` prints stands last on its line.
            let tail: String = line.trim_end().chars().rev().take_while(char::is_ascii_digit).collect();
            let code = tail.chars().rev().collect::<String>().parse::<u16>().ok();
            if tail.len() == 3 && calls.iter().any(asks) {
                codes.extend(code.filter(|it| (100..600).contains(it)));
            }
            continue;
        };
        let bare = line.trim().len() == 3;
        if !bare || calls.iter().any(asks) {
            codes.push(code);
        }
    }
    if codes.is_empty()
        && (text.contains("Failed to connect") || text.contains("Connection refused") || text.trim() == "000")
    {
        if let [one] = calls {
            add(out, Question::Status, &address(one), "", "000");
        }
        return;
    }
    if codes.is_empty() && text.len() < 400 {
        // `401 Unauthorized`
        const NAMES: &[&str] =
            &["401 Unauthorized", "403 Forbidden", "404 Not Found", "500 Internal", "502 Bad", "503 Service"];
        let named = |line: &str| {
            NAMES.iter().find(|it| line.contains(*it)).and_then(|it| it[..3].parse::<u16>().ok())
        };
        codes.extend(read(text).find_map(named));
    }
    // What a variable is called tells what it holds.
    let variables = || {
        let names = command.split('$').skip(1).map(|rest| rest.trim_start_matches('{'));
        let name =
            |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        names.map(name).filter(|it| 2 < it.len()).collect::<Vec<_>>().join(" ")
    };
    let redirected = calls.iter().any(|step| {
        step.words
            .iter()
            .any(|it| it == "--location" || it.starts_with('-') && !it.starts_with("--") && it.contains('L'))
    });
    match calls {
        [one] if redirected => {
            if let Some(code) = codes.last() {
                add(out, Question::Status, &address(one), "", code.to_string());
            }
        }
        [one] if codes.len() == 1 => {
            let about = format!("{} {}", address(one), variables());
            add(out, Question::Status, about.trim_end(), "", codes[0].to_string());
        }
        several if several.len() == codes.len() => {
            for (step, code) in several.iter().zip(&codes) {
                add(out, Question::Status, &address(step), "", code.to_string());
            }
        }
        several => {
            let all = several.iter().map(|step| address(step)).collect::<Vec<_>>().join(" ");
            for code in codes {
                add(out, Question::Status, &all, "", code.to_string());
            }
        }
    }
}

/// The branch, and the stashes.
fn git(step: &Step, speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let words: Vec<&str> = step.words.iter().skip(1).map(String::as_str).collect();
    for line in read(head(text, SEARCHED_BYTES)).filter(|line| line.starts_with("CONFLICT (")) {
        add(out, Question::Conflict, line, "", "conflict");
    }
    match words.as_slice() {
        ["branch", "--show-current"] | ["rev-parse", "--abbrev-ref", "HEAD"] => {
            let name = text.trim();
            if alone(step, speaking) && !name.is_empty() && !name.contains(char::is_whitespace) {
                add(out, Question::Branch, "", "", name.to_lowercase());
            }
        }
        ["status", ..] => {
            let name = read(text).find_map(|line| line.strip_prefix("On branch "));
            if let Some(name) = name {
                add(out, Question::Branch, "", "", name.trim().to_lowercase());
            }
        }
        ["stash", "list"] if alone(step, speaking) && step.state == State::Done => {
            let count = read(text).filter(|line| line.starts_with("stash@{")).count();
            add(out, Question::Stashes, "", "", count.to_string());
        }
        _ => {}
    }
}

fn asks_for_checks(step: &Step) -> bool {
    let is = |at: usize, names: &[&str]| step.words.get(at).is_some_and(|it| names.contains(&it.as_str()));
    step.name() == "gh"
        && (is(1, &["pr"]) && is(2, &["checks"]) || is(1, &["run"]) && is(2, &["view", "watch"]))
}

/// `X test in 1m2s`, `lint<TAB>pass<TAB>12s`, `e2e failure`.
fn checks(text: &str, out: &mut Vec<Answer>) {
    for line in read(head(text, SEARCHED_BYTES)) {
        let line = line.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        let says = |names: &[&str]| words.iter().skip(1).take(4).any(|word| names.contains(word));
        let said = if line.starts_with("X ") {
            "fail"
        } else if line.starts_with("✓ ") {
            "pass"
        } else if line.contains('\t') && says(&["fail", "failure"]) || words.len() == 2 && says(&["failure"])
        {
            "fail"
        } else if line.contains('\t') && says(&["pass", "success"]) || words.len() == 2 && says(&["success"])
        {
            "pass"
        } else {
            continue;
        };
        add(out, Question::Check, line, "", said);
    }
}

/// `select count(*) from users` and the number that it gives.
fn rows(command: &str, speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let [step] = speaking else { return };
    let database = matches!(step.name(), "psql" | "mysql" | "mariadb" | "sqlite3" | "duckdb");
    let lower = command.to_lowercase();
    if !database
        || lower.matches("count(").count() != 1
        || lower.contains(" where ")
        || lower.contains("group by")
    {
        return;
    }
    let numbers: Vec<u64> = read(text).filter_map(|line| whole(line.trim())).collect();
    let table: String = lower
        .split_once(" from ")
        .map(|(_, rest)| rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect())
        .unwrap_or_default();
    if let [number] = numbers.as_slice() {
        add(out, Question::Rows, &table, "", number.to_string());
    }
}

fn asks_for_health(step: &Step) -> bool {
    let is = |at: usize, names: &[&str]| step.words.get(at).is_some_and(|it| names.contains(&it.as_str()));
    match step.name() {
        "docker" | "podman" | "nerdctl" => {
            is(1, &["ps", "inspect"])
                || (is(1, &["compose", "container"]) && step.words.iter().any(|it| it == "ps" || it == "ls"))
        }
        "docker-compose" => step.words.iter().any(|it| it == "ps"),
        "kubectl" | "k" | "oc" => step.words.iter().any(|it| it == "get"),
        "systemctl" => is(1, &["is-active", "status"]),
        _ => false,
    }
}

/// Words of a state, the telling ones first.
const HEALTH: &[&str] = &[
    "unhealthy",
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "OOMKilled",
    "health: starting",
    "Restarting",
    "Exited",
    "Pending",
    "ContainerCreating",
    "Terminating",
    "Evicted",
    "healthy",
    "Created",
    "Running",
    "Up ",
    "inactive",
    "failed",
    "activating",
    "active",
    "running",
    "exited",
    "restarting",
    "starting",
];

fn is_cluster(step: &Step) -> bool {
    matches!(step.name(), "kubectl" | "k" | "oc")
}

fn health(ran: &[&Step], text: &str, out: &mut Vec<Answer>) {
    if text.contains("Cannot connect to the Docker daemon") {
        add(out, Question::Health, "docker daemon", "", "failed");
        return;
    }
    let Some(step) = ran.iter().find(|step| asks_for_health(step)) else { return };
    let single = operands(step).last().copied().unwrap_or_default().to_owned();
    for line in read(head(text, SEARCHED_BYTES)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(state) = HEALTH.iter().find(|it| line.contains(*it)) else {
            // `api   0/2   2   0   5m`: of a deployment.
            let fraction = words.get(1).and_then(|word| word.split_once('/'));
            if let Some((ready, wanted)) = fraction.filter(|_| is_cluster(step))
                && let (Ok(ready), Ok(wanted)) = (ready.parse::<u32>(), wanted.parse::<u32>())
            {
                let said = match ready {
                    0 if 0 < wanted => "unready",
                    _ if ready < wanted => "running, not ready",
                    _ => "running",
                };
                add(out, Question::Health, words[0], "", said);
            }
            continue;
        };
        let upper = line.contains("STATUS") || line.contains("NAMES") || words.is_empty();
        if upper || WORDS_MAX < words.len() {
            continue;
        }
        let bare = words.len() <= 2;
        let about = match step.name() {
            _ if bare && words.len() == 1 => single.clone(),
            "kubectl" | "k" | "oc" | "docker-compose" => words[0].to_owned(),
            "systemctl" => single.clone(),
            // The name stands first with `--format` and `compose`, last by default.
            _ => format!("{} {}", words[0], words[words.len() - 1]),
        };
        // `0/1`: not all of a pod's containers are ready.
        let ready = words.iter().find_map(|word| {
            let (ready, all) = word.split_once('/')?;
            let (ready, all) = (ready.parse::<u32>().ok()?, all.parse::<u32>().ok()?);
            Some(ready == all)
        });
        let state = state.trim().to_lowercase();
        let said = match (state.as_str(), ready) {
            ("exited", _) if line.contains("Exited (0)") => "exited 0".to_owned(),
            ("running", Some(false)) => "running, not ready".to_owned(),
            _ => state,
        };
        add(out, Question::Health, &about, "", said);
    }
}

fn versions(speaking: &[&Step], text: &str, out: &mut Vec<Answer>) {
    let asks = |step: &&Step| {
        matches!(step.words.get(1).map(String::as_str), Some("--version" | "-v" | "-V" | "version"))
            && step.words.len() == 2
    };
    if speaking.is_empty() || 4 < speaking.len() || !speaking.iter().all(asks) {
        return;
    }
    let all: Vec<&str> = read(text).filter(|line| !line.trim().is_empty()).collect();
    if all.len() != speaking.len() && 1 < speaking.len() {
        return;
    }
    for (step, line) in speaking.iter().zip(all) {
        let version = line.split_whitespace().find_map(|word| {
            let word = word.trim_start_matches(['v', 'V']).trim_end_matches([',', ')']);
            let plain = word.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
                && word.contains('.')
                && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            plain.then(|| word.to_owned())
        });
        if let Some(version) = version {
            add(out, Question::Version, step.name().trim_end_matches('3'), "", version);
        }
    }
}
