#![expect(clippy::unwrap_used, reason = "tests")]

use hostler_model::{Decision, Profile, Verdict};

use crate::testing::{World, decide_edit, decide_write, edit};

fn hit<'a>(decision: &'a Decision, rule: &str) -> &'a hostler_model::Finding {
    decision.findings.iter().find(|it| it.rule == rule).unwrap()
}

// @traces REQ-020-156 REQ-020-157 REQ-020-161 REQ-020-162 020-ERR-014
#[test]
fn a_bare_handler_is_told_with_its_line_and_a_better_way() {
    let code = "try:\n    f()\nexcept:\n    log(1)\n";
    let decision = decide_write("src/mod.py", code, false, Profile::Strict);
    assert_eq!(decision.verdict, Verdict::Deny);
    let finding = hit(&decision, "bare-except");
    assert!(finding.problem.starts_with("line 3 of `src/mod.py` has a bare except"), "{}", finding.problem);
    let instead = finding.instead.as_deref().unwrap();
    assert!(instead.contains("except OSError as error") && instead.contains("logger.warning"), "{instead}");
    assert_eq!(decide_write("src/mod.py", code, false, Profile::Standard).verdict, Verdict::Warn);
    assert_eq!(decide_edit("src/mod.py", "x = 1\n", code, Profile::Strict).verdict, Verdict::Deny);
}

// @traces REQ-020-158 REQ-020-161 REQ-020-162 REQ-020-163 020-ERR-015
#[test]
fn a_handler_that_does_nothing_is_told_with_all_its_types() {
    let code = "try:\n    f()\nexcept (OSError, a.ValueError):\n    pass\n";
    let decision = decide_write("src/mod.py", code, false, Profile::Strict);
    assert_eq!(decision.verdict, Verdict::Deny);
    let finding = hit(&decision, "except-pass");
    assert!(
        finding.problem.starts_with("line 3 of `src/mod.py` drops OSError, a.ValueError"),
        "{}",
        finding.problem
    );
    let instead = finding.instead.as_deref().unwrap();
    assert!(instead.contains("logger.warning"), "{instead}");
    assert!(instead.contains("contextlib.suppress(OSError, a.ValueError)"), "{instead}");
    assert_eq!(decide_write("src/mod.py", code, false, Profile::Standard).verdict, Verdict::Warn);
}

// @traces REQ-020-159
#[test]
fn text_that_only_looks_like_a_handler_is_none() {
    for code in
        ["S = '''\ntry:\n    f()\nexcept:\n    pass\n'''\n", "# except: pass\n", "x = 'except: pass'\n"]
    {
        assert_eq!(decide_write("src/mod.py", code, false, Profile::Strict).findings, [], "{code}");
    }
    let odd = "try :\n  f()\nexcept\\\n  :\n  pass\n";
    assert_eq!(decide_write("src/mod.py", odd, false, Profile::Strict).findings.len(), 2);
}

// @traces REQ-020-160 REQ-020-165
#[test]
fn other_files_are_left_alone() {
    for path in ["notes.txt", "a.md", "a.css", "py", "a.ipynb"] {
        let decision = decide_write(path, "try:\n    f()\nexcept:\n    pass\n", false, Profile::Strict);
        assert_eq!((decision.verdict, decision.findings.len()), (Verdict::Allow, 0), "{path}");
    }
}

// @traces REQ-020-164
#[test]
fn code_that_does_not_parse_gives_nothing_and_no_fault() {
    for code in
        ["def f(:\n    try:\n        g()\n    except:\n        pass\n", "except: pass", "\0(", "é = '"]
    {
        for profile in [Profile::Standard, Profile::Strict] {
            let decision = decide_write("src/mod.py", code, false, profile);
            let others = decision.findings.iter().filter(|it| it.rule != "syntax-error").count();
            assert_eq!((others, &decision.faults), (0, &Vec::new()), "{code}: {decision:?}");
        }
    }
}

#[test]
fn an_edit_is_judged_by_the_file_after_it() {
    let world = World::sample(Profile::Strict).file("a.py", "try:\n    f()\nexcept OSError:\n    raise\n");
    let decision = world.decide(edit("a.py", " OSError", ""));
    assert_eq!(hit(&decision, "bare-except").problem.get(..16), Some("line 3 of `a.py`"));
    let decision = world.decide(edit("a.py", "raise", "pass"));
    assert_eq!(hit(&decision, "except-pass").problem.get(..16), Some("line 3 of `a.py`"));
    // A part of a file that is not known.
    let decision = world.decide(edit("b.py", "raise", "except:\n        pass"));
    assert_eq!(hit(&decision, "bare-except").problem.get(..27), Some("line 1 of the new text for "));
}
