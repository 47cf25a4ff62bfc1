#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;

use crate::{Body, Error, Facts, Language, facts, faults};

/// A source of every language, by its name.
const SAMPLES: &[(&str, &str)] = &[
    ("sample.py", include_str!("samples/sample.py")),
    ("sample.ts", include_str!("samples/sample.ts")),
    ("sample.tsx", include_str!("samples/sample.tsx")),
    ("sample.js", include_str!("samples/sample.js")),
    ("sample.rs", include_str!("samples/sample.rs")),
    ("sample.go", include_str!("samples/sample.go")),
    ("sample.java", include_str!("samples/sample.java")),
    ("sample.c", include_str!("samples/sample.c")),
    ("sample.cpp", include_str!("samples/sample.cpp")),
    ("sample.cs", include_str!("samples/sample.cs")),
    ("sample.rb", include_str!("samples/sample.rb")),
    ("sample.php", include_str!("samples/sample.php")),
    ("sample.kt", include_str!("samples/sample.kt")),
    ("sample.swift", include_str!("samples/sample.swift")),
    ("sample.scala", include_str!("samples/sample.scala")),
    ("sample.sh", include_str!("samples/sample.sh")),
];

fn read(name: &str, text: &str) -> Facts {
    facts(Language::of(Path::new(name)).unwrap(), text).unwrap()
}

/// The words, each with `mark` before it.
fn joined<'a>(words: impl Iterator<Item = &'a str>, mark: &str) -> String {
    words.fold(String::new(), |all, word| all + mark + word)
}

/// The facts on a page.
fn shown(facts: &Facts) -> String {
    let mut out = String::new();
    for it in &facts.errors {
        writeln!(out, "error {}:{} {}", it.line, it.column, it.message).unwrap();
    }
    for it in &facts.classes {
        let bases = it.bases.join(", ");
        let public = if it.is_public { "public " } else { "" };
        write!(out, "{}-{} {public}{:?} {}({bases})", it.line, it.last_line, it.kind, it.name).unwrap();
        writeln!(out, " methods {} public {} lines {}", it.method_names, it.public_method_names, it.lines)
            .unwrap();
    }
    for it in &facts.functions {
        let marks = [
            (it.is_public, "public"),
            (it.is_async, "async"),
            (it.is_test, "test"),
            (it.is_override, "override"),
            (it.is_abstract, "abstract"),
            (it.is_constructor, "constructor"),
            (it.is_closure, "closure"),
            (it.returns_self, "self"),
        ];
        let marks = joined(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark), " ");
        let parameters: Vec<&str> = it.parameters.iter().map(|it| it.name.as_str()).collect();
        let class = it.class.map_or(String::new(), |class| format!("{}.", facts.classes[class].name));
        write!(out, "{}-{} {class}{}({})", it.line, it.last_line, it.name, parameters.join(", ")).unwrap();
        write!(
            out,
            " ways {} depth {} {:?} own {}{marks}",
            it.complexity, it.nesting, it.body, it.self_references
        )
        .unwrap();
        writeln!(out, "{}", joined(it.decorators.iter().map(String::as_str), " @")).unwrap();
    }
    for it in &facts.handlers {
        let marks = [
            (it.is_bare, "bare"),
            (it.is_broad, "broad"),
            (it.is_empty, "empty"),
            (it.logs, "logs"),
            (it.raises, "raises"),
        ];
        let marks = joined(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark), " ");
        writeln!(out, "{} catch {:?}{marks}", it.line, it.types).unwrap();
    }
    for it in &facts.imports {
        let names: Vec<String> = it
            .names
            .iter()
            .map(|(name, alias)| alias.as_ref().map_or(name.clone(), |alias| format!("{name} as {alias}")))
            .collect();
        writeln!(out, "{} import {}{} [{}]", it.line, ".".repeat(it.level), it.module, names.join(", "))
            .unwrap();
    }
    for it in &facts.bindings {
        let constant = if it.is_constant { "constant " } else { "" };
        writeln!(out, "{} {constant}{} = {:?}", it.line, it.name, it.value).unwrap();
    }
    for it in &facts.literals {
        let target = it.target.as_deref().unwrap_or("-");
        let marks = if it.is_interpolated { " interpolated" } else { "" };
        writeln!(out, "{} {:?} {:?} {target}{marks}", it.line, it.value, it.role).unwrap();
    }
    let calls: Vec<&str> = facts.calls.iter().map(|it| it.callee.as_str()).collect();
    writeln!(out, "calls {}", calls.join(" ")).unwrap();
    let comments: Vec<String> = facts.comments.iter().map(|it| it.line.to_string()).collect();
    writeln!(out, "comments {}", comments.join(" ")).unwrap();
    out
}

#[test]
fn samples_read_as_they_are_meant() {
    for (name, text) in SAMPLES {
        insta::assert_snapshot!(*name, shown(&read(name, text)));
    }
}

/// Complexity and depth of the first function.
#[track_caller]
fn check(name: &str, text: &str, complexity: u32, nesting: u32) {
    let facts = read(name, text);
    assert_eq!(facts.errors, [], "{text}");
    let first = facts.functions.first().unwrap();
    assert_eq!((first.complexity, first.nesting), (complexity, nesting), "{text}");
}

#[test]
fn python_counts_as_ruff_does() {
    for (body, complexity) in [
        ("pass", 1),
        ("if a: pass", 2),
        ("if a: pass\n    else: pass", 2),
        ("if a: pass\n    elif b: pass\n    else: pass", 3),
        ("x = a and b or c", 1),
        ("x = a if b else c", 1),
        ("for x in a: pass", 2),
        ("for x in a: pass\n    else: pass", 2),
        ("while a: pass", 2),
        ("with a: pass", 1),
        ("assert a", 1),
        ("try: pass\n    except A: pass", 2),
        ("try: pass\n    finally: pass", 1),
        ("try: pass\n    except A: pass\n    except B: pass\n    else: pass\n    finally: pass", 4),
        ("match a:\n        case 1: pass\n        case 2 if b: pass\n        case _: pass", 3),
        ("match a:\n        case 1: pass\n        case _ if b: pass", 3),
        ("match a:\n        case 1: pass\n        case other: pass", 2),
        ("match a:\n        case 1 | _: pass", 1),
        ("x = [y for y in a if y]", 1),
        ("x = lambda y: y if y else 0", 1),
        ("def g():\n        if a: pass", 3),
        ("class C:\n        def g(self):\n            if a: pass", 3),
        ("class C:\n        if a: pass", 2),
    ] {
        let text = format!("def f():\n    {body}\n");
        let read = read("a.py", &text);
        let function = read.functions.iter().find(|it| it.name == "f").unwrap();
        assert_eq!(function.complexity, complexity, "{text}");
    }
}

#[test]
fn else_if_is_flat_and_closures_begin_anew() {
    check("a.py", "def f():\n    if a: pass\n    elif b:\n        if c: pass\n", 4, 2);
    check("a.py", "def f():\n    if a: pass\n    else:\n        if c: pass\n", 3, 2);
    check("a.ts", "function f() { if (a) {} else if (b) {} else if (c) {} }", 4, 1);
    check("a.ts", "function f() { if (a) { g(() => { if (b) { while (c) {} } }); } }", 4, 2);
    check("a.js", "function f() { for (const x of y) { try { if (x) {} } catch (e) { if (e) {} } } }", 5, 3);
    check("a.rs", "fn f() { if a { } else if b { } else { if c { } } }", 4, 2);
    check("a.rs", "fn f() { if a { g(|x| match x { 1 => if b {}, _ => {} }); } }", 4, 2);
    check("a.rs", "fn f() { while let Some(x) = y { loop { for z in x {} } } }", 4, 3);
    check("a.go", "package a\nfunc f() { if a { } else if b { } }\n", 3, 1);
    check("a.go", "package a\nfunc f() { for { select { case <-a: default: } } }\n", 3, 2);
    check(
        "A.java",
        "class A { void f() { if (a) {} else if (b) {} do { synchronized (c) {} } while (d); } }",
        4,
        2,
    );
    check(
        "A.java",
        "class A { int f() { return switch (a) { case 1, 2 -> 3; case 4 -> 5; default -> 6; }; } }",
        3,
        1,
    );
    check(
        "a.c",
        "int f(void) { if (a) {} else if (b) {} switch (c) { case 1: case 2: default: break; } return 0; }",
        5,
        1,
    );
    check("a.cpp", "int f() { for (auto x : y) { try { g(); } catch (...) { if (x) {} } } return 0; }", 4, 3);
    check(
        "A.cs",
        "class A { void F() { if (a) {} else if (b) {} using (c) { foreach (var x in y) {} } } }",
        4,
        2,
    );
    check(
        "a.rb",
        "def f\n  if a\n  elsif b\n  else\n    c unless d\n  end\n  x.each { |y| while y; end }\nend\n",
        5,
        1,
    );
    check(
        "a.php",
        "<?php function f() { if ($a) {} elseif ($b) {} else if ($c) {} foreach ($d as $e) {} }",
        5,
        1,
    );
    check("a.kt", "fun f() {\n if (a) {} else if (b) {}\n when (c) {\n 1 -> {}\n else -> {}\n }\n}", 4, 1);
    check("a.swift", "func f() { if a {} else if b {}; repeat { while c {} } while d }", 5, 2);
    check(
        "a.scala",
        "object A { def f() = { if (a) {} else if (b) {}; c match { case 1 => case _ => } } }",
        4,
        1,
    );
    check(
        "a.sh",
        "f() { if a; then :; elif b; then :; fi; while c; do case $d in x) ;; *) ;; esac; done; }\n",
        5,
        2,
    );
}

/// What the body of the first function does.
#[track_caller]
fn body(name: &str, text: &str, expected: Body) {
    let read = read(name, text);
    assert_eq!(read.functions.first().map(|it| it.body), Some(expected), "{text}");
}

#[test]
fn bodies_that_do_no_work_are_told_apart() {
    for (text, expected) in [
        ("pass", Body::Empty),
        ("...", Body::Empty),
        ("'''Later.'''", Body::Empty),
        ("'''Later.'''\n    return None", Body::Trivial),
        ("logger.info('x %s', a)\n    return", Body::Trivial),
        ("self._log.warning(g(a))", Body::Trivial),
        ("x = 1\n    y: int = 2\n    x += 1", Body::Trivial),
        ("items = []\n    items.append(1)", Body::Trivial),
        ("raise NotImplementedError", Body::Unimplemented),
        ("x = 1\n    raise NotImplementedError('later')", Body::Unimplemented),
        ("raise ValueError('x')", Body::Working),
        ("return 1", Body::Working),
        ("self.n += 1", Body::Working),
        ("self.x = a", Body::Working),
        ("a.append(1)", Body::Working),
        ("x = g()", Body::Working),
        ("await g()", Body::Working),
        ("yield", Body::Working),
        ("if a: pass", Body::Working),
        ("math.log(a)", Body::Working),
    ] {
        body("a.py", &format!("def f(self, a):\n    {text}\n"), expected);
    }
    body("a.ts", "function f() {}", Body::Empty);
    body("a.ts", "function f() { /* later */ }", Body::Empty);
    body("a.ts", "function f() { return undefined; }", Body::Trivial);
    body("a.ts", "function f() { throw new Error('Not implemented'); }", Body::Unimplemented);
    body("a.ts", "function f() { throw new Error('no such file'); }", Body::Working);
    body("a.rs", "fn f() -> u8 { todo!() }", Body::Unimplemented);
    body("a.rs", "fn f() -> u8 { unimplemented!(\"later\") }", Body::Unimplemented);
    body("a.rs", "fn f() -> u8 { panic!(\"not yet implemented\") }", Body::Unimplemented);
    body("a.rs", "fn f() -> u8 { panic!(\"out of range\") }", Body::Working);
    body("a.rs", "fn f(a: u8) -> u8 { match a { 1 => 2, _ => todo!() } }", Body::Working);
    body("a.go", "package a\nfunc f() { panic(\"TODO\") }\n", Body::Unimplemented);
    body(
        "a.go",
        "package a\nfunc f() error { return errors.New(\"not implemented\") }\n",
        Body::Unimplemented,
    );
    body("a.go", "package a\nfunc f() error { return nil }\n", Body::Trivial);
    body(
        "A.java",
        "class A { void f() { throw new UnsupportedOperationException(\"not implemented\"); } }",
        Body::Unimplemented,
    );
    body("A.java", "class A { void f() { throw new UnsupportedOperationException(); } }", Body::Working);
    body("A.cs", "class A { int F() => throw new NotImplementedException(); }", Body::Unimplemented);
    body("a.rb", "def f\n  raise NotImplementedError, 'later'\nend\n", Body::Unimplemented);
    body("a.rb", "def f\nend\n", Body::Empty);
    body("a.php", "<?php function f() { throw new \\LogicException('TODO'); }", Body::Unimplemented);
    body("a.kt", "fun f(): Int = TODO()", Body::Unimplemented);
    body("a.swift", "func f() -> Int { fatalError(\"unimplemented\") }", Body::Unimplemented);
    body("a.scala", "object A { def f: Int = ??? }", Body::Unimplemented);
    body("a.cpp", "int f() { throw std::runtime_error(\"not implemented\"); }", Body::Unimplemented);
    body("a.sh", "f() { :; }\n", Body::Trivial);
}

#[test]
fn empty_handlers_are_those_that_say_nothing() {
    for (name, text, expected) in [
        ("a.py", "try:\n    f()\nexcept A:\n    # known\n    pass\n", true),
        ("a.py", "try:\n    f()\nexcept A:\n    return\n", false),
        ("a.js", "try { f() } catch (e) {}", true),
        ("a.js", "try { f() } catch { /* known */ }", false),
        ("a.ts", "try {\n  f();\n} catch {} // after\n", true),
        ("a.go", "package a\nfunc f() { if err := g(); err != nil {\n} }\n", true),
        ("a.go", "package a\nfunc f() { if err != nil { return } }\n", false),
        ("a.rs", "fn f() { if let Err(_) = g() {} }", true),
        ("a.rs", "fn f() { match g() { Ok(a) => h(a), Err(_) => {} } }", true),
        ("a.rs", "fn f() { match g() { Ok(a) => h(a), Err(_) => { /* known */ } } }", false),
        ("A.java", "class A { void f() { try { g(); } catch (B e) { } } }", true),
        ("A.java", "class A { void f() { try { g(); } catch (B e) { // known\n } } }", false),
        ("a.cpp", "int f() { try { g(); } catch (...) {} return 0; }", true),
        ("A.cs", "class A { void F() { try { G(); } catch { } } }", true),
        ("a.rb", "begin\n  f\nrescue A\nend\n", true),
        ("a.php", "<?php try { f(); } catch (A $e) {}", true),
        ("a.kt", "fun f() { try { g() } catch (e: A) { } }", true),
        ("a.swift", "func f() { do { try g() } catch { } }", true),
        ("a.scala", "object A { def f() = try { g() } catch { case e: B => } }", true),
    ] {
        let read = read(name, text);
        let found: Vec<bool> = read.handlers.iter().map(|it| it.is_empty).collect();
        assert_eq!(found, [expected], "{text}");
    }
}

#[test]
fn methods_that_stand_apart_belong_to_their_type() {
    let rust = read(
        "a.rs",
        "impl A { pub fn f() {} }\nimpl B for A { fn g() {} }\npub struct A;\nimpl A { fn h() {} }\n",
    );
    let class = rust.classes.first().unwrap();
    assert_eq!((rust.classes.len(), class.line, class.impl_line, class.lines), (1, 3, Some(1), 4));
    assert_eq!((class.methods.len(), class.method_names, class.public_method_names), (3, 2, 1));
    assert_eq!((class.bases.as_slice(), class.is_public), (["B".to_owned()].as_slice(), true));
    let go = read("a.go", "package a\nfunc (x *A) F() {}\ntype A struct{}\nfunc (x A) g() {}\n");
    let class = go.classes.first().unwrap();
    assert_eq!((class.line, class.method_names, class.public_method_names), (3, 2, 1));
    let python = read(
        "a.py",
        "class A:\n    def f(self): raise NotImplementedError\n    def g(self): ...\nclass B(A):\n    def f(self): return 1\n",
    );
    let overridden: Vec<bool> = python.functions.iter().map(|it| it.is_overridden).collect();
    assert_eq!(overridden, [true, false, false]);
}

#[test]
fn comments_after_a_body_are_no_part_of_it() {
    let read =
        read("a.py", "def f():\n    return 1\n    # after\n\n# more\nclass A:\n    x = 1\n    # end\n");
    assert_eq!(read.functions.first().map(|it| it.last_line), Some(2));
    assert_eq!(read.classes.first().map(|it| (it.line, it.last_line, it.lines)), Some((6, 7, 2)));
}

#[test]
fn broken_code_is_told_and_read() {
    for (name, text, line) in [
        ("a.ts", "function f() {\n  return (1;\n}\n", 2),
        ("a.rs", "fn f() {\n    let = 1;\n}\n", 2),
        ("a.go", "package a\n\nfunc f( {\n}\n", 3),
        ("A.java", "class A {\n  int f() { return 1 }\n}\n", 2),
        ("a.py", "def f(:\n    return 1\n", 1),
    ] {
        let read = read(name, text);
        let language = Language::of(Path::new(name)).unwrap();
        assert_eq!(read.errors.first().map(|it| it.line), Some(line), "{text} {:?}", read.errors);
        assert_eq!(faults(language, text).unwrap(), read.errors, "{text}");
    }
    for (name, text) in SAMPLES {
        assert_eq!(read(name, text).errors, [], "{name}");
    }
}

/// What must hold of any text.
#[track_caller]
fn sane(name: &str, text: &str) {
    let Ok(read) = facts(Language::of(Path::new(name)).unwrap(), text) else { return };
    let lines = text.matches(['\n', '\r']).count() + 1;
    for (place, it) in read.functions.iter().enumerate() {
        assert!((1..=lines).contains(&it.line) && (1..=lines).contains(&it.last_line), "{name}: {it:?}");
        assert!(it.first_line <= it.line && 1 <= it.complexity, "{name}: {it:?}");
        assert!(it.parent.is_none_or(|parent| parent < place), "{name}: {it:?}");
        assert!(it.class.is_none_or(|class| class < read.classes.len()), "{name}: {it:?}");
    }
    for it in &read.errors {
        assert!((1..=lines).contains(&it.line) && 1 <= it.column, "{name}: {it:?}");
    }
}

#[test]
fn a_sample_cut_anywhere_is_read() {
    for (name, text) in SAMPLES {
        for end in (0..text.len()).step_by(11).filter(|it| text.is_char_boundary(*it)) {
            sane(name, &text[..end]);
            sane(name, &text[end..]);
        }
    }
}

#[test]
fn nesting_costs_no_stack_in_any_language() {
    for (name, _) in SAMPLES {
        for text in [
            "(".repeat(20_000),
            "{".repeat(20_000),
            "[".repeat(20_000),
            "if (a) {\n".repeat(3_000),
            "a.".repeat(20_000),
            "-".repeat(20_000),
            "`${".repeat(5_000),
            "\"#{".repeat(5_000),
            "<<A\n".repeat(500),
            (0..600).map(|it| " ".repeat(it) + "if a then\n").collect(),
        ] {
            sane(name, &text);
        }
    }
}

#[test]
fn what_would_abort_a_scanner_is_refused() {
    let word = |length: usize| "A".repeat(length);
    for text in [
        format!("x = <<{0}\ntext\n{0}\n", word(256)),
        format!("x = <<~'{0}'\ntext\n{0}\n", word(256)),
        // Nine words and a last one that fills the buffer to the byte.
        format!("f({}<<{})\n", format!("<<{}, ", word(100)).repeat(9), word(83)),
        format!("{}<<A\n", "\"#{".repeat(200)),
    ] {
        let read = facts(Language::Ruby, &text);
        assert!(matches!(read, Err(Error::TooOpen { .. })), "{text}: {read:?}");
    }
    let text = format!("<?php $x = <<<'{0}'\nx\n{0};\n", word(300));
    assert!(matches!(facts(Language::Php, &text), Err(Error::TooOpen { .. })));
    let shifts = format!("{}x = <<A\nA\n", "y << 'some long text'\n".repeat(100));
    assert!(facts(Language::Ruby, &shifts).is_ok());
    let usual = format!("x = <<~SQL\n{}SQL\n", "  select #{x}\n".repeat(100));
    assert!(facts(Language::Ruby, &usual).is_ok());
    assert!(facts(Language::Php, "<?php $x = <<<EOT\nx $y\nEOT;\n").is_ok());
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(sample in 0..SAMPLES.len(), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (name, _) = SAMPLES[sample];
        sane(name, &String::from_utf8_lossy(&bytes));
    }

    /// A piece of one sample in the midst of another.
    #[test]
    fn no_mixture_is_too_strange(
        (into, from) in (0..SAMPLES.len(), 0..SAMPLES.len()),
        (at, start, length) in (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..60_usize),
    ) {
        let ((name, text), (_, other)) = (SAMPLES[into], SAMPLES[from]);
        let place = |text: &str, index: prop::sample::Index| {
            text.char_indices().nth(index.index(text.chars().count())).map_or(0, |(at, _)| at)
        };
        let at = place(text, at);
        let piece: String = other[place(other, start)..].chars().take(length).collect();
        sane(name, &format!("{}{piece}{}", &text[..at], &text[at..]));
    }
}
