#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn shell(script: &str) -> Call {
    Call {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        folder: std::env::temp_dir(),
        path: Vec::new(),
        variables: Vec::new(),
        input: None,
    }
}

const LIMIT: Duration = Duration::from_secs(20);

/// Whether any process of the group is there.
fn lives(group: &str) -> bool {
    let line = format!("kill -s 0 -- -{group}");
    Command::new("/bin/sh").args(["-c", &line]).stderr(Stdio::null()).status().unwrap().success()
}

#[track_caller]
fn wait_until(mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT;
    while !holds() {
        assert!(Instant::now() < end, "it did not come to pass");
        thread::yield_now();
    }
}

// @traces REQ-020-082
#[test]
fn an_answer_is_code_and_both_outputs() {
    let warden = Warden::new();
    let answer = run(&warden, &shell("echo out; echo err >&2; exit 3"), LIMIT).unwrap();
    let expected = Answer { code: 3, stdout: "out\n".into(), stderr: "err\n".into(), is_cut: false };
    assert_eq!(answer, expected);
    let killed = run(&warden, &shell("kill -s SEGV $$"), LIMIT).unwrap();
    assert_eq!(killed.code, 139);
}

#[test]
fn input_variables_and_path_reach_the_program() {
    let warden = Warden::new();
    let mut call = shell("cat; echo \"$NAME-${GONE-none}-$NO_COLOR-${PATH%%:*}\"");
    call.input = Some(b"text\n".to_vec());
    call.path = vec!["/first".into()];
    call.variables = vec![("NAME", Some("value".into())), ("GONE", None)];
    assert_eq!(run(&warden, &call, LIMIT).unwrap().stdout, "text\nvalue-none-1-/first\n");
    // More than a pipe holds, for a program that does not read it.
    let ignoring = Call { input: Some(vec![b'x'; 1 << 20]), ..shell("echo done") };
    assert_eq!(run(&warden, &ignoring, LIMIT).unwrap().stdout, "done\n");
}

// @traces REQ-020-082 021-CONST-IX-009
#[test]
fn a_program_that_takes_too_long_is_ended_with_its_children() {
    let warden = Warden::new();
    let folder = tempfile::tempdir().unwrap();
    let mut call = shell("echo $$ > group; sleep 600 & sleep 600");
    call.folder = folder.path().to_path_buf();
    let begun = Instant::now();
    let error = run(&warden, &call, Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(begun.elapsed() < LIMIT);
    let group = std::fs::read_to_string(folder.path().join("group")).unwrap();
    wait_until(|| !lives(group.trim()));
}

#[test]
fn a_child_left_behind_does_not_hold_the_answer() {
    let warden = Warden::new();
    let begun = Instant::now();
    let answer = run(&warden, &shell("echo $$; sleep 600 &"), LIMIT).unwrap();
    assert!(begun.elapsed() < LIMIT);
    wait_until(|| !lives(answer.stdout.trim()));
}

#[test]
fn the_end_of_the_warden_is_the_end_of_what_runs() {
    let warden = Warden::new();
    let mut child = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let mut ended = Command::new("true").process_group(0).spawn().unwrap();
    for id in [ended.id(), child.id()] {
        assert!(warden.tell('+', id));
    }
    ended.wait().unwrap();
    assert!(warden.tell('-', ended.id()));
    drop(warden);
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn output_is_kept_up_to_a_limit() {
    let warden = Warden::new();
    let script = format!("head -c {} /dev/zero", OUTPUT_BYTES_MAX + 1);
    let answer = run(&warden, &shell(&script), LIMIT).unwrap();
    assert_eq!((answer.stdout.len(), answer.is_cut), (OUTPUT_BYTES_MAX, true));
}

// @traces REQ-020-087
#[test]
fn a_program_that_is_not_there_is_an_error_that_names_it() {
    let call = Call { program: "/nowhere/tool".into(), ..shell("") };
    let error = run(&Warden::new(), &call, LIMIT).unwrap_err();
    assert!(error.to_string().starts_with("`/nowhere/tool` does not start: "), "{error}");
}
