//! Tables of command lines, and properties over all of them.

#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::{Coverage, EffectKind, Profile, Reach, Verdict};
use proptest::prelude::*;

use super::{Report, analyse};
use crate::testing::{World, decide_bash, shell};

/// Strict, standard, command.
fn cases() -> Vec<(Option<bool>, Option<bool>, String)> {
    let label = |text: &str| match text {
        "block" => Some(true),
        "allow" => Some(false),
        "-" => None,
        other => panic!("label {other:?}"),
    };
    include_str!("cases.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let mut parts = line.splitn(3, '\t');
            let (strict, standard) = (label(parts.next().unwrap()), label(parts.next().unwrap()));
            (strict, standard, unescape(parts.next().unwrap()))
        })
        .collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\').1.then(|| chars.next().unwrap()) {
            None => out.push(c),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(other) => out.push(other),
        }
    }
    out
}

fn report(command: &str) -> Report {
    let world = World::sample(Profile::Standard);
    analyse(command, &world.place.root, &world.place)
}

/// Whether a panic was caught: the answer is a question then, and the fault is ours.
fn failed(report: &Report) -> bool {
    report.effects.iter().any(|effect| effect.why == super::parse::FAILED)
}

/// The effects as `Kind target target`.
fn effects(command: &str) -> Vec<String> {
    report(command)
        .effects
        .iter()
        .map(|effect| {
            let targets = effect.targets.iter().map(|target| match &target.path {
                Some(path) if target.glob => format!(" {}/{}", path.display(), target.pattern),
                Some(path) => format!(" {}", path.display()),
                None => format!(" ?{}", target.text),
            });
            format!("{:?}{}", effect.kind, targets.collect::<String>())
        })
        .collect()
}

#[track_caller]
fn check(command: &str, expected: &[&str]) {
    assert_eq!(effects(command), expected, "{command:?}");
}

// @traces REQ-020-132 REQ-020-133 REQ-020-134 REQ-020-135 REQ-020-136 021-US-005-AC05 021-CONST-I-002
#[test]
fn every_case_is_judged_as_labelled() {
    let mut wrong = Vec::new();
    for (strict, standard, command) in cases() {
        for (profile, label) in [(Profile::Strict, strict), (Profile::Standard, standard)] {
            let decision = decide_bash(&command, profile);
            if label.is_some_and(|label| label != decision.verdict.blocks()) {
                let rules: Vec<&str> = decision.findings.iter().map(|finding| finding.rule).collect();
                wrong.push(format!("{} {command:?}: {:?} {rules:?}", profile.name(), decision.verdict));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn targets_are_resolved_as_bash_would() {
    check("rm a", &["Delete /home/dev/proj/a"]);
    check("cd src && rm ../a", &["Delete /home/dev/proj/a"]);
    check("(cd src); rm a", &["Delete /home/dev/proj/a"]);
    check("pushd src; popd; rm a", &["Delete /home/dev/proj/a"]);
    check("rm ~/x", &["Delete /home/dev/x"]);
    check("rm \"~/x\"", &["Delete /home/dev/proj/~/x"]);
    check("rm 'a b'", &["Delete /home/dev/proj/a b"]);
    check("x='a b'; rm $x", &["Delete /home/dev/proj/a /home/dev/proj/b"]);
    check("x='a b'; rm \"$x\"", &["Delete /home/dev/proj/a b"]);
    check("rm *.log", &["Delete /home/dev/proj/*.log"]);
    check("rm '*.log'", &["Delete /home/dev/proj/*.log"]);
    check("rm {a,b}.txt", &["Delete /home/dev/proj/a.txt /home/dev/proj/b.txt"]);
    check("rm build/*/../../x", &["Delete ?build/*/../../x"]);
    check("rm \"$X\"", &["Delete ?${X}"]);
    check("D=build; rm -rf \"$D\"/*", &["Delete /home/dev/proj/build/*"]);
    check("cd \"$X\"; rm a", &["Delete ?a"]);
    check("cd \"$X\"; rm /tmp/a", &["Delete /tmp/a"]);
}

#[test]
fn a_quoted_pattern_is_a_name() {
    let target = report("rm '*.log'").effects[0].targets[0].clone();
    assert!(!target.glob, "{target:?}");
}

#[test]
fn data_flows_through_pipes_and_files() {
    check("echo rm a | tr a b | cat", &[]);
    check("echo 'rm a' | cat | sh", &["Delete /home/dev/proj/a"]);
    check(
        "echo 'rm a' > x.sh; sh x.sh",
        &["Overwrite /home/dev/proj/x.sh", "Read /home/dev/proj/x.sh", "Delete /home/dev/proj/a"],
    );
    check("true > a", &["Truncate /home/dev/proj/a"]);
    check("make > a", &["Overwrite /home/dev/proj/a"]);
    check("make >> a 2>/dev/null", &["Write /home/dev/proj/a"]);
    check("cat a b > c", &["Read /home/dev/proj/a", "Read /home/dev/proj/b", "Overwrite /home/dev/proj/c"]);
}

#[test]
fn both_arms_and_both_values_count() {
    check("if x; then d=a; else d=b; fi; rm $d", &["Delete /home/dev/proj/a", "Delete /home/dev/proj/b"]);
    check("for d in a b; do rm $d; done", &["Delete /home/dev/proj/a", "Delete /home/dev/proj/b"]);
    check("d=a; while x; do rm $d; d=b; done", &["Delete /home/dev/proj/a", "Delete /home/dev/proj/b"]);
}

#[test]
fn effects_elsewhere_are_marked() {
    let found = report("ssh host 'rm -rf /srv'").effects;
    assert_eq!(
        found.iter().map(|it| (it.kind, it.reach)).collect::<Vec<_>>(),
        [(EffectKind::Delete, Reach::Remote)]
    );
    check("docker run --rm alpine rm -rf /srv", &[]);
}

#[test]
fn what_is_not_understood_is_said() {
    assert_eq!(report("ls").coverage, Coverage::Full);
    for command in ["if true", "$X", "eval \"$X\"", "bash script.sh"] {
        assert!(matches!(report(command).coverage, Coverage::Partial(_)), "{command}");
    }
}

#[track_caller]
fn runs(world: &World, command: &str, expected: Verdict) {
    let decision = world.decide(shell(command));
    assert_eq!(decision.verdict, expected, "{command:?}: {decision:?}");
}

#[test]
fn scripts_that_a_command_runs_are_read() {
    let world = World::sample(Profile::Standard)
        .file("bad.sh", "#!/bin/sh\nset -e\nrm -rf ~/photos\n")
        .file("inside.sh", "rm -rf build\nrm -rf \"$OUT\"\neval \"$X\"\n")
        .file("outer.sh", "./bad.sh\n")
        .file("loop.sh", "./loop.sh; ls\n")
        .file("bad.py", "import shutil\nshutil.rmtree('/srv/x')\n")
        .file("tool", "#!/usr/bin/env python3\nimport os\nos.remove('/srv/x')\n")
        .file("/tmp/x.sh", "git push --force\n")
        .file("dev.sh", "case \"$1\" in\n up) ls;;\n down) docker compose down -v;;\nesac\n");
    for command in
        ["bash bad.sh", "./bad.sh", "sh < bad.sh", ". ./bad.sh", "sudo bash -x bad.sh", "cat bad.sh | sh"]
    {
        runs(&world, command, Verdict::Ask);
    }
    runs(&world, "./outer.sh", Verdict::Ask);
    runs(&world, "python3 bad.py", Verdict::Ask);
    runs(&world, "./tool --flag", Verdict::Ask);
    runs(&world, "bash /tmp/x.sh", Verdict::Ask);
    runs(&world, "bash inside.sh", Verdict::Allow);
    runs(&world, "./loop.sh", Verdict::Allow);
    runs(&world, "./missing.sh", Verdict::Allow);
    runs(&world, "./dev.sh up", Verdict::Allow);
    runs(&world, "./dev.sh down", Verdict::Ask);
    runs(&world, "cat bad.sh; grep rm bad.sh; chmod +x bad.sh", Verdict::Allow);
    let kept = world.decide(shell("bash inside.sh")).snapshot;
    assert_eq!(kept, [world.path("build")]);
    let reason = &world.decide(shell("./outer.sh")).findings[0].problem;
    assert!(reason.contains("photos") && reason.contains("in `/home/dev/proj/bad.sh`"), "{reason}");
}

#[test]
fn hostile_nesting_and_length_end_in_a_question() {
    let deep =
        |open: &str, close: &str, count: usize| format!("{}ls{}", open.repeat(count), close.repeat(count));
    for command in [
        deep("{ ", "; }", 3_000),
        deep("(", ")", 5_000),
        deep("if true; then ", "; fi", 3_000),
        format!("echo {}", deep("$(", ")", 3_000)),
        format!("echo {}", deep("${a:-", "}", 3_000)),
        "{ ".repeat(60_000),
        "x".repeat(300_000),
        format!("a={}; {} eval $a", "'{ { { {'", "a=$a$a$a$a;".repeat(8)),
        "echo {1..99999999999999999999}".to_owned(),
        format!("rm {}", "{a,b}".repeat(40)),
        // Found by fuzzing: the parser's time multiplies with each level of these, its numbers overflow.
        format!("rm -rf ~; {}", "(".repeat(40)),
        format!("rm -rf ~ x{}1{}", "${a[".repeat(12), "]}".repeat(12)),
        format!("rm -rf ~ x{}", "${a[b}".repeat(12)),
        "rm -rf ~; $(<<      ".to_owned(),
        "rm -rf ~; x \"$(cat <<  <<  ".to_owned(),
        "rm -rf ~; g[${C[${C[${C[${C[}${}}${}}".to_owned(),
        "rm -rf ~ }${[C,(((((((i}${[((((((((-j}${[( ((}${C,}".to_owned(),
        format!("rm -rf ~; {}", "case x in a) ".repeat(40)),
        format!("rm -rf /srv/a {}", "{a,".repeat(40)),
        format!("ls {}> x", "9".repeat(40)),
        "for a in 1 2 3 4 5 6 7 8; do ".repeat(6) + "ls; " + &"done; ".repeat(6),
    ] {
        let report = report(&command);
        let shown: String = command.chars().take(40).collect();
        assert!(report.effects.len() < 10_000, "{shown}");
    }
    let verdict = |command: &str| decide_bash(command, Profile::Standard).verdict;
    assert_eq!(verdict(&deep("{ ", "; }", 30_000)), Verdict::Ask);
    assert_eq!(verdict(&"x".repeat(300_000)), Verdict::Ask);
    assert!(verdict(&format!("rm -rf ~ {}", "{a,".repeat(40))).blocks());
    assert!(verdict(&format!("rm -rf ~ {}> x", "9".repeat(40))).blocks());
    assert!(verdict(&format!("rm -rf ~; {}", "(".repeat(40))).blocks());
    assert!(verdict(&format!("rm -rf ~ x{}1{}", "${a[".repeat(12), "]}".repeat(12))).blocks());
    assert_eq!(verdict(&format!("echo {}", "${a[1]}".repeat(12))), verdict("echo ${a[1]}"));
    assert!(verdict(&format!("rm -rf ~; {}", "case x in a) ".repeat(40))).blocks());
    assert_eq!(verdict(&format!("echo '{}'", "(".repeat(40))), Verdict::Allow);
    for tag in ["''", "\"\"", "-''", " ''\"\"", "\\", "\r", "-\u{c}", "<<\r"] {
        assert!(verdict(&format!("rm -rf ~; cat <<{tag} ")).blocks(), "{tag}");
        assert!(verdict(&format!("rm -rf ~; echo $(cat <<{tag} ")).blocks(), "{tag}");
    }
    assert_eq!(verdict("grep -rn '<<' src; grep -rn \"<<<<<<<\" src; grep '<<<' x"), Verdict::Allow);
    assert_eq!(verdict("cat <<< '' "), Verdict::Allow);
    assert_eq!(verdict("cat <<'E'\nx\nE\n"), Verdict::Allow);
    assert_eq!(verdict(&format!("echo '{}'", "{a,".repeat(40))), Verdict::Allow);
}

#[test]
fn an_option_without_its_value_is_no_fault() {
    // A fault in the analysis counts as not understood, for want of anything better.
    for command in
        ["sudo -eu", "sudo -u", "env -u", "timeout -k", "nice -n", "sudo --user", "xargs -I", "git -C"]
    {
        if let Coverage::Partial(reasons) = report(command).coverage {
            assert!(!reasons.iter().any(|it| it.contains("deeply nested")), "{command}: {reasons:?}");
        }
    }
}

/// Command lines that are stopped in both profiles, without a wrapper of their own.
fn known_bad() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "rm -rf /".to_owned(),
        "rm -rf ~".to_owned(),
        "git reset --hard".to_owned(),
        "git push --force".to_owned(),
        "dd if=/dev/zero of=/dev/sda".to_owned(),
        "terraform destroy".to_owned(),
        "find /srv -delete".to_owned(),
        "truncate -s 0 /etc/passwd".to_owned(),
        "chmod -R 777 /".to_owned(),
    ])
}

/// Programs of every family.
const PROGRAMS: &[&str] = &[
    "rm",
    "mv",
    "cp",
    "ln",
    "tee",
    "dd",
    "sed",
    "tar",
    "chmod",
    "truncate",
    "rsync",
    "find",
    "xargs",
    "git",
    "docker",
    "kubectl",
    "psql",
    "curl",
    "wget",
    "ssh",
    "python3",
    "node",
    "perl",
    "ruby",
    "bash",
    "env",
    "sudo",
    "timeout",
    "pip",
    "npm",
    "npx",
    "cd",
    "read",
    "printf",
    "eval",
    "source",
    "trap",
    "awk",
    "sort",
    "flock",
    "su",
    "redis-cli",
    "aws",
    "unzip",
    "install",
    "parallel",
    "vim",
    "mktemp",
];

/// Options and operands that some of them take.
const WORDS: &[&str] = &[
    "-rf",
    "-c",
    "-e",
    "-i",
    "-m",
    "-C",
    "-o",
    "-I{}",
    "-exec",
    "-delete",
    "--",
    "-",
    "/",
    "~",
    ".",
    "*",
    "a",
    "a/b",
    "$X",
    "${X:-y}",
    "$(ls)",
    "`ls`",
    "of=x",
    "run",
    "exec",
    "push",
    "--force",
    "reset",
    "--hard",
    "checkout",
    "s3",
    "rm",
    "{}",
    ";",
    "+",
    "\"a b\"",
    "@.env",
    "x=1",
    "<(ls)",
    "$((1+2))",
    "{a,b}",
    "-v",
    "/:/x",
    "ALTER",
    "\"os.remove(x)\"",
    "\"fs.rmSync('a')\"",
    "host:",
    "é",
    "$\"x\"",
    "-n1",
];

/// Ways to run a command; `{}` is the command, `{q}` the command as one quoted word.
const WRAPPERS: &[&str] = &[
    "sudo {}",
    "sudo -u root {}",
    "env A=1 {}",
    "A=1 {}",
    "nohup {}",
    "timeout 5 {}",
    "nice -n 5 {}",
    "time {}",
    "command {}",
    "exec {}",
    "setsid {}",
    "stdbuf -oL {}",
    "bash -c {q}",
    "sh -lc {q}",
    "eval {q}",
    "echo {q} | sh",
    "bash <<< {q}",
    "bash <<'EOF'\n{}\nEOF",
    "cat <<'EOF' | bash\n{}\nEOF",
    "trap {q} EXIT",
    "echo $({})",
    "diff <({}) <(ls)",
    "{ {}; }",
    "( {} )",
    "if true; then {}; fi",
    "for i in 1; do {}; done",
    "while true; do {}; done",
    "case x in x) {};; esac",
    "f() { {}; }; f",
    "ls && {}",
    "ls || {}",
    "ls; {}",
    "{} &",
    "! {}",
    "true | {}",
    "coproc {}",
    "python3 -c \"import os; os.system({q})\"",
    "npx -c {q}",
    "su -c {q}",
    "watch {}",
    "parallel ::: {q}",
    "xargs -I@ {} < /dev/null",
    "git -c alias.x='!'{q} x",
];

fn wrapped(wrapper: &str, command: &str) -> String {
    wrapper.replace("{q}", &format!("'{command}'")).replace("{}", command)
}

#[test]
fn every_wrapper_lets_an_ordinary_command_through() {
    for wrapper in WRAPPERS {
        let command = wrapped(wrapper, "ls");
        assert!(!decide_bash(&command, Profile::Strict).verdict.blocks(), "{command}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wrapping_a_stopped_command_keeps_it_stopped(
        command in known_bad(),
        inner in prop::sample::select(WRAPPERS),
        outer in prop::sample::select(&WRAPPERS[..12]),
    ) {
        for text in [wrapped(inner, &command), wrapped(outer, &wrapped(inner, &command))] {
            // A wrapper of plain words cannot take a compound command or a here-document.
            let compound = inner.starts_with(['{', '(', '!', 'A']) || inner.contains(" & ")
                || ["if ", "for ", "while ", "case ", "f()", "coproc", "ls ", "ls;", "time", "true |", "{} &"]
                    .iter().any(|start| inner.starts_with(start));
            if text != wrapped(inner, &command) && compound {
                continue;
            }
            let decision = decide_bash(&text, Profile::Standard);
            prop_assert!(decision.verdict.blocks(), "{text:?}: {:?}", decision.findings);
        }
    }

    #[test]
    fn in_a_data_sink_a_stopped_command_is_text(
        command in known_bad(),
        sink in prop::sample::select(vec![
            "echo {q}", "printf '%s' {q}", "cat <<'EOF'\n{}\nEOF", "cat > new.md <<'EOF'\n{}\nEOF", "git commit -m {q}",
            "grep -rn {q} src", "gh issue create -b {q}", "ls # {}", "python3 -c \"print({q})\"", "jq -n '{}' < a",
            "tee new.txt <<< {q}", "x={q}; echo \"$x\"", "git log -S{q}", "awk '/{}/ {print}' file",
        ]),
    ) {
        let text = wrapped(sink, &command.replace('/', "."));
        let text = if sink.contains("awk") { text } else { wrapped(sink, &command) };
        for profile in [Profile::Standard, Profile::Strict] {
            let decision = decide_bash(&text, profile);
            prop_assert!(!decision.verdict.blocks(), "{text:?}: {:?}", decision.findings);
        }
    }

    #[test]
    fn a_prefix_assignment_changes_no_verdict(command in known_bad(), name in "[B-Z]{1,8}") {
        let text = format!("{name}=1 {command}");
        prop_assert!(decide_bash(&text, Profile::Standard).verdict.blocks());
    }

    #[test]
    fn any_text_is_analysed(text in "\\PC{0,200}") {
        let report = report(&text);
        prop_assert!(!failed(&report), "{report:?}");
    }

    #[test]
    fn any_shell_like_text_is_analysed(
        words in prop::collection::vec(prop::sample::select(vec![
            "rm", "$(", ")", "`", "\"", "'", "{", "}", "|", "&&", ";", "\n", "<<EOF", "EOF", "if", "fi", "do", "done", "for x in", "$x",
            "${", "x=1", "[[", "]]", "((", "))", "case", "esac", "-rf", "/", "*", "\\", "eval", "bash -c", "<(", ">", "2>&1", "function f",
            "python3 -c", "'os.remove(", "xargs", "find . -exec", "git -c", "${x:-", "${x%", "$'", "\\x41", "{1..3}", "~", "!", "&",
        ]), 0..30),
    ) {
        let report = report(&words.join(" "));
        prop_assert!(!failed(&report), "{report:?}");
    }

    #[test]
    fn any_commands_are_analysed(
        commands in prop::collection::vec(
            (
                prop::sample::select(WRAPPERS),
                prop::sample::select(PROGRAMS),
                prop::collection::vec(prop::sample::select(WORDS), 0..6),
            ),
            1..4,
        ),
    ) {
        let text: Vec<String> = commands
            .iter()
            .map(|(wrapper, program, words)| wrapped(wrapper, &format!("{program} {}", words.join(" "))))
            .collect();
        let report = report(&text.join("\n"));
        prop_assert!(!failed(&report), "{text:?}: {report:?}");
        // Most of these are well-formed: the property reaches the families of commands, not the parser alone.
        prop_assert!(!report.commands.is_empty() || !report.effects.is_empty(), "{text:?}");
    }
}

#[test]
fn a_command_is_cut_between_words() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for before in 180..260 {
        let shown = super::shorten(&format!("echo {} {key} {key}", "é".repeat(before)));
        let whole = shown.matches(key).count();
        assert_eq!(shown.matches("ghp_").count(), whole, "{shown}");
        assert!(shown.chars().count() <= super::SHOWN_CHARS_MAX + 1, "{shown}");
    }
    assert_eq!(super::shorten("a\nb"), "a b");
}
