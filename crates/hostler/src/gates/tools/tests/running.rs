use super::*;

fn with_ruff(script: &str) -> Project {
    let project = Project::bare(&[("a.py", "x = 1\n")]);
    project.program("installed/ruff", script);
    project
}

// @traces 021-CONST-IV-009
#[test]
fn what_a_tool_cannot_say_is_not_clean() {
    for (script, why) in [
        ("exit 2", "exit code 2, no output"),
        ("echo 'bad option' >&2; exit 2", "bad option"),
        ("echo garbage", "its JSON cannot be read"),
        ("echo '[{\"code\":'", "its JSON cannot be read"),
        ("kill -s KILL $$", "exit code 137"),
        ("head -c 20000000 /dev/zero", "more than can be read"),
    ] {
        let project = with_ruff(script);
        let why_not = reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check");
        assert!(why_not.contains(why) && why_not.contains("`ruff check`"), "{script}: {why_not}");
    }
}

// @traces REQ-020-060 REQ-020-086 021-CONST-IX-009
#[test]
fn each_kind_of_tool_has_its_own_limit() {
    let limits = Limits::default();
    let seconds = |effort: Effort| effort.limit(&limits).as_secs();
    assert_eq!(
        (limits.syntax.as_secs(), seconds(Effort::Lint), seconds(Effort::Types), seconds(Effort::Tests)),
        (10, 30, 60, 300)
    );

    let mut project = with_ruff("sleep 600");
    project.settings.limits.lint = Duration::from_millis(200);
    let begun = Instant::now();
    let why = reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check");
    assert!(why.contains("did not end within"), "{why}");
    assert!(begun.elapsed() < Duration::from_secs(20));

    // The request's deadline is stronger, and nothing starts after it.
    let mut project = with_ruff("sleep 600");
    project.deadline = Duration::from_millis(200);
    assert!(reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check").contains("did not end within"));
    project.deadline = Duration::ZERO;
    assert!(reason(&project.run(Purpose::Edit, &["a.py"]), "ruff check").contains("no time was left"));
}

#[test]
fn tools_run_side_by_side() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        testkit::client::skip("tools_run_side_by_side", "one core");
        return;
    }
    // Each waits for the other, as only two that run at once can.
    let project = Project::bare(&[("a.py", "x = 1\n"), ("pyproject.toml", "[tool.black]\n")]);
    let meet = |own: &str, other: &str| {
        format!("touch \"$0.{own}\"; while ! test -e \"${{0%/*}}/{other}\"; do sleep 0.01; done; echo '[]'")
    };
    project.program("installed/ruff", &meet("here", "black.here"));
    project.program("installed/black", &meet("here", "ruff.here").replace("echo '[]'", "exit 0"));
    let mut project = project;
    project.settings.limits.lint = Duration::from_secs(20);
    let runs = project.review(&["a.py"]);
    assert_eq!(found(&runs, "ruff check"), [""; 0]);
    assert_eq!(found(&runs, "black"), [""; 0]);
}

#[test]
fn results_come_in_the_order_of_the_jobs_and_the_longest_begin_first() {
    let begun = Mutex::new(Vec::new());
    let efforts = [Effort::Lint, Effort::Tests, Effort::Types, Effort::Lint];
    let results = in_parallel(efforts.into_iter().enumerate().collect(), 1, |it| it.1, |it| it.0);
    assert_eq!(results, [0, 1, 2, 3]);
    let meet = std::sync::Barrier::new(2);
    let results = in_parallel(
        efforts.into_iter().enumerate().collect(),
        2,
        |it| it.1,
        |it| {
            begun.lock().unwrap().push(it.0);
            meet.wait();
            it.0
        },
    );
    assert_eq!(results, [0, 1, 2, 3]);
    let mut first = begun.into_inner().unwrap()[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, [1, 2]);
    assert_eq!(in_parallel(Vec::<usize>::new(), 4, |_| Effort::Lint, |it| it), [0; 0]);
}

// @traces REQ-020-048
#[test]
fn a_run_gets_at_most_thirty_files() {
    let project = Project::bare(&[("tox.ini", "[flake8]\n")]);
    project.program("installed/flake8", "exit 0");
    let files: Vec<String> = (0..65).map(|it| format!("pkg/m{it}.py")).collect();
    for file in &files {
        project.write(file, "");
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let runs = project.run(Purpose::Stop, &files);
    let counts: Vec<usize> = runs.iter().filter(|it| it.tool == "flake8").map(sources_of).collect();
    assert_eq!(counts, [30, 30, 5], "all are checked, so many at a time");
}

// @traces REQ-020-044 REQ-020-050
#[test]
fn without_files_nothing_starts() {
    let project = with_ruff("touch \"$0.ran\"; echo '[]'");
    assert_eq!(project.run(Purpose::Review, &[]), []);
    assert_eq!(project.run(Purpose::Review, &["gone.py", "notes.txt"]), []);
    assert!(!project.path("installed/ruff.ran").exists());
    project.run(Purpose::Edit, &["a.py", "gone.py"]);
    assert!(project.path("installed/ruff.ran").exists());
}

#[test]
fn findings_of_other_files_and_gates_are_left_out() {
    let project = Project::bare(&[("a.py", "x = 1\n"), ("b.py", "x = 1\n")]);
    let finding = |file: &str, code: &str| {
        let path = project.path(file);
        format!(
            r#"{{"code": "{code}", "filename": "{}", "location": {{"row": 1}}, "message": "m."}}"#,
            path.display()
        )
    };
    let all = [finding("b.py", "F401"), finding("a.py", "I001"), finding("a.py", "F821")].join(",");
    project.program("installed/ruff", &format!("cat <<'END'\n[{all}]\nEND"));
    let run = |gates: &[Gate]| {
        project.with(Purpose::Edit, &["a.py"], |request| {
            run_around(&Request { gates, ..*request }, project.around.clone())
        })
    };
    let lines = ["a.py:1 import_order error I001", "a.py:1 lint warn F821", "a.py:1 stop.lint error F821"];
    assert_eq!(found(&run(&[]), "ruff check"), lines);
    assert_eq!(found(&run(&[Gate::Syntax]), "ruff check"), lines[..1]);
    assert_eq!(found(&run(&[Gate::Lint, Gate::Stop]), "ruff check"), lines[1..]);
    assert_eq!(run(&[Gate::Complexity]), []);
}

#[test]
fn settings_decide_what_runs() {
    let mut project = Project::bare(&[("a.py", "x = 1\n"), ("pyproject.toml", "[tool.black]\n")]);
    project.settings.choices.insert("ruff".to_owned(), Choice::Off);
    project.settings.choices.insert("black".to_owned(), Choice::Required);
    project.settings.choices.insert("mypy".to_owned(), Choice::Off);
    let runs = project.review(&["a.py"]);
    assert_eq!(runs.iter().map(|it| (it.tool, it.is_required)).collect::<Vec<_>>(), [("black", true)]);
    let own = project.with(Purpose::Fix, &["a.py"], |request| {
        run_around(&Request { configured_only: true, ..*request }, project.around.clone())
    });
    assert_eq!(names(&own), ["black"], "nothing of our own choice");
}

#[test]
fn every_tool_has_a_name_of_its_own_and_is_in_order() {
    let mut names: Vec<&str> = TOOLS.iter().map(|it| it.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for tool in TOOLS {
        assert!(
            !tool.gates.is_empty() && !tool.extensions.is_empty() && !tool.install.is_empty(),
            "{}",
            tool.name
        );
        assert!(tool.arguments.is_some() || tool.text.is_some(), "{}", tool.name);
        assert_eq!(tool.fix.is_some(), tool.purposes.contains(&Purpose::Fix), "{}", tool.name);
    }
}

#[test]
fn odd_names_are_no_trouble() {
    let project = Project::bare(&[]);
    let names = ["-x.py", "a b.py", "ü/ñ.py", "quote'\".py"];
    for name in names {
        project.write(name, "x = 1\n");
    }
    project.program(
        "installed/ruff",
        "for file; do test -e \"$file\" && echo \"$file\" >> \"$0.files\"; done; echo '[]'",
    );
    let runs = project.run(Purpose::Edit, &names);
    assert!(runs.iter().all(|it| it.outcome == Outcome::Clean), "{runs:#?}");
    let mut seen: Vec<String> = project.read("installed/ruff.files").lines().map(str::to_owned).collect();
    seen.sort();
    let mut expected: Vec<String> = names.iter().map(|it| project.path(it).display().to_string()).collect();
    expected.sort();
    assert_eq!(seen, expected);
}
