use hostler_model::{Profile, Verdict};

use super::*;
use crate::testing::{World, decide_write, write};

fn rules(code: &str) -> Vec<&'static str> {
    let decision = decide_write("src/app/mod.py", code, false, Profile::Strict);
    assert_eq!(decision.verdict == Verdict::Deny, !decision.findings.is_empty(), "{code}");
    assert_eq!(
        decide_write("src/app/mod.py", code, false, Profile::Standard).verdict,
        Verdict::Allow,
        "{code}"
    );
    decision.findings.iter().map(|it| it.rule).collect()
}

// @traces 021-TEST-UNIT-033 021-TEST-UNIT-034 021-TEST-UNIT-035 021-TEST-UNIT-036 021-US-005-AC02
// @traces 021-CONST-III-002
#[test]
fn one_dot_is_one_rule_and_more_dots_another() {
    for (code, expected) in [
        ("from . import x\n", &["relative-import"][..]),
        ("from .a import x\n", &["relative-import"]),
        ("def f():\n    from . import x\n", &["relative-import"]),
        ("if x:\n\tfrom . import x\n", &["relative-import"]),
        ("from .. import x\n", &["relative-import-parent"]),
        ("from ...a import x\n", &["relative-import-parent"]),
        ("import app.utils\nfrom app.utils import x\n", &[]),
        ("from __future__ import annotations\n", &[]),
        ("D = 'use from . import utils'\n", &[]),
    ] {
        assert_eq!(rules(code), expected, "{code}");
    }
}

#[test]
fn the_narrow_check_is_the_other_rule_switched_off() {
    let mut world = World::sample(Profile::Strict);
    world.settings.overrides.insert("relative-import-parent".to_owned(), Mode::Off);
    assert_eq!(world.decide(write("a.py", "from .. import x\n")).verdict, Verdict::Allow);
    assert_eq!(world.decide(write("a.py", "from . import x\n")).verdict, Verdict::Deny);
}

#[test]
fn the_full_name_is_suggested_as_far_as_folders_tell() {
    for (path, code, expected) in [
        ("src/app/mod.py", "from . import x\n", "from app import …"),
        ("src/app/mod.py", "from .a.b import x\n", "from app.a.b import …"),
        ("app/core/mod.py", "from ..a import x\n", "from app.a import …"),
        ("src/mod.py", "from .a import x\n", "from a import …"),
        ("src/mod.py", "from ..a import x\n", "from PACKAGE.MODULE import …"),
        ("mod.py", "from . import x\n", "from PACKAGE.MODULE import …"),
        ("/srv/mod.py", "from . import x\n", "from PACKAGE.MODULE import …"),
    ] {
        let world = World::sample(Profile::Strict);
        let hits = [&GUARD, &PARENT].map(|guard| world.hits(guard, write(path, code))).concat();
        let instead: Vec<_> = hits.iter().filter_map(|it| it.instead.as_deref()).collect();
        assert_eq!(instead, [format!("import by the full name: {expected}")], "{path} {code}");
    }
}
