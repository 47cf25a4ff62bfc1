//! Forms that compilers take and grammars do not know yet, put in words that they do.
//!
//! Every byte keeps its place, so that a tree of the rewritten text tells of the text as it was written. It is looked
//! at only where a text does not parse: what is rewritten in vain costs nothing.

/// Longest attribute, in bytes.
const ATTRIBUTE_BYTES_MAX: usize = 2_000;

/// Rust's types whose names macros, functions and modules may have as well.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32",
    "u64", "u8", "usize",
];

/// What an item of Rust begins with; attributes may stand before each of them.
const ITEMS: &[&str] = &[
    "async",
    "auto",
    "const",
    "crate",
    "default",
    "enum",
    "extern",
    "fn",
    "impl",
    "let",
    "macro_rules",
    "mod",
    "pub",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "unsafe",
    "use",
];

/// A text that is being rewritten.
struct Rewrite<'a> {
    text: &'a str,
    bytes: Vec<u8>,
    changed: bool,
}

impl<'a> Rewrite<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes().to_vec(), changed: false }
    }

    fn done(self) -> Option<String> {
        self.changed.then(|| String::from_utf8(self.bytes).ok()).flatten()
    }

    /// Puts `mark` in the place of every byte that ends no line.
    fn fill(&mut self, from: usize, to: usize, mark: u8) {
        for byte in self.bytes.get_mut(from..to).unwrap_or_default() {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = mark;
            }
        }
        self.changed = true;
    }

    fn blank(&mut self, from: usize, to: usize) {
        self.fill(from, to, b' ');
    }

    fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Where something stands again after `at`, blanks passed over.
    fn next(&self, at: usize) -> usize {
        let rest = self.rest(at);
        at + (rest.len() - rest.trim_start().len())
    }

    /// The text before `at`, without blanks at its end.
    fn before(&self, at: usize) -> &'a str {
        self.text.get(..at).unwrap_or_default().trim_end()
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The word that `text` begins with; empty if there is none.
fn word(text: &str) -> &str {
    text.split(|it| !is_letter(it)).next().unwrap_or_default()
}

/// All words, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_letter)?;
        let found = word(text.get(start..)?);
        at = start + found.len();
        Some((start, found))
    })
}

/// Where the bracket that `text` begins with is closed: how many bytes up to and with its counterpart. Strings are
/// passed over, and `>` of arrows.
fn balanced(text: &str, open: u8, close: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            at += 1;
            while bytes.get(at).is_some_and(|it| *it != b'"') {
                at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
            }
        } else if byte == open {
            depth += 1;
        } else if byte == close
            && !(close == b'>' && matches!(at.checked_sub(1).and_then(|it| bytes.get(it)), Some(b'=' | b'-')))
        {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + 1);
            }
        }
        at += 1;
    }
    None
}

/// Rust: attributes among patterns, fields and arguments; macros, functions and modules that are called as primitive
/// types are; `try!`; what may stand in `extern` blocks; `where` of types without a body; fields by number.
pub(super) fn rust(text: &str) -> Option<String> {
    let mut out = Rewrite::new(text);
    attributes(&mut out);
    for (at, found) in words(text) {
        let end = at + found.len();
        let rest = out.rest(end);
        match found {
            "try" if rest.starts_with('!') => out.fill(at, end, b'_'),
            "safe" if matches!(word(rest.trim_start()), "fn" | "static") => out.blank(at, end),
            "pub" => {
                let scope = if rest.starts_with('(') { balanced(rest, b'(', b')').unwrap_or(0) } else { 0 };
                let next = out.next(end + scope);
                let name = out.next(next + "type".len());
                let after = out.next(name + word(out.rest(name)).len());
                if word(out.rest(next)) == "type" && out.rest(after).starts_with([';', '<']) {
                    out.blank(at, next);
                }
            }
            "struct" => bodiless(&mut out, end),
            _ if PRIMITIVES.contains(&found) && (rest.starts_with('!') || rest.starts_with("::<")) => {
                out.fill(at, at + 1, b'_');
            }
            _ if found.bytes().all(|it| it.is_ascii_digit())
                && rest.starts_with(':')
                && !rest.starts_with("::")
                && out.before(at).ends_with(['{', ',']) =>
            {
                out.fill(at, end, b'a');
            }
            _ => {}
        }
    }
    // `where (): Bound`
    for (at, _) in
        text.match_indices("():").filter(|(at, _)| !text.get(at + 2..).unwrap_or_default().starts_with("::"))
    {
        if out.before(at).ends_with([',', '{']) || out.before(at).ends_with("where") {
            out.fill(at, at + 2, b'a');
        }
    }
    out.done()
}

/// `struct A where B: C;`
fn bodiless(out: &mut Rewrite<'_>, at: usize) {
    let name = out.next(at);
    let mut after = name + word(out.rest(name)).len();
    if out.rest(after).starts_with('<') {
        after += balanced(out.rest(after), b'<', b'>').unwrap_or(0);
    }
    let clause = out.next(after);
    let rest = out.rest(clause);
    let end = rest.find([';', '{', '(']).filter(|end| rest.get(*end..).unwrap_or_default().starts_with(';'));
    if let Some(end) = end.filter(|_| word(rest) == "where") {
        out.blank(clause, clause + end);
    }
}

/// Takes out attributes that stand before something other than an item.
fn attributes(out: &mut Rewrite<'_>) {
    let text = out.text;
    for (at, _) in text.match_indices("#[") {
        let Some(length) = attribute(out.rest(at)) else { continue };
        let mut next = out.next(at + length);
        loop {
            let rest = out.rest(next);
            next = match attribute(rest) {
                Some(length) => out.next(next + length),
                None if rest.starts_with("//") => out.next(next + rest.find('\n').unwrap_or(rest.len())),
                None => break,
            };
        }
        let rest = out.rest(next);
        if !rest.is_empty() && !ITEMS.contains(&word(rest)) {
            out.blank(at, at + length);
        }
    }
}

/// How many bytes of attribute `text` begins with.
fn attribute(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('#').filter(|it| it.starts_with('['))?;
    balanced(inner, b'[', b']').map(|it| it + 1).filter(|it| *it <= ATTRIBUTE_BYTES_MAX)
}

/// TypeScript: `in` and `out` of type parameters, `export type *`, `accessor`, `import defer`, and arguments of types
/// that are imported where they are named.
pub(super) fn script(text: &str) -> Option<String> {
    let mut out = Rewrite::new(text);
    for (at, found) in words(text) {
        let end = at + found.len();
        let rest = out.rest(end);
        let next = out.next(end);
        match found {
            "interface" | "class" | "type" => variance(&mut out, next),
            "export" if word(out.rest(next)) == "type" => {
                let after = next + "type".len();
                if out.rest(out.next(after)).starts_with('*') {
                    out.blank(next, after);
                }
            }
            "accessor" if rest.starts_with(' ') && next == end + 1 => {
                let name = out.rest(next);
                let is_name = name.starts_with(['#', '[', '"', '\'']) || !word(name).is_empty();
                let is_word =
                    ["in", "of", "instanceof", "as", "is", "satisfies", "extends"].contains(&word(name));
                if is_name && !is_word {
                    out.blank(at, end);
                }
            }
            // A property that is called so.
            "abstract" if out.rest(next).starts_with([':', '?']) => out.fill(at, end, b'a'),
            // In a module that is declared.
            "global" if out.rest(next).starts_with('{') && out.before(at).ends_with(['{', '}', ';']) => {
                out.blank(at, end);
            }
            "import" if word(out.rest(next)) == "defer" => {
                let after = next + "defer".len();
                if out.rest(out.next(after)).starts_with('*') {
                    out.blank(next, after);
                }
            }
            "import" if rest.starts_with('(') => {
                if let Some(length) = balanced(rest, b'(', b')').filter(|it| names_generic(rest, *it)) {
                    out.fill(end, end + length, b'_');
                }
            }
            _ => {}
        }
    }
    out.done()
}

/// `.A.B<` follows the first `length` bytes.
fn names_generic(text: &str, length: usize) -> bool {
    let rest = text.get(length..).unwrap_or_default();
    let names = rest.split(|it| !(is_letter(it) || it == '.')).next().unwrap_or_default();
    names.starts_with('.') && rest.get(names.len()..).is_some_and(|it| it.starts_with('<'))
}

/// `text` without blanks and a comment in front of what follows it.
fn without_remark(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix("*/").and_then(|it| it.rsplit_once("/*")).map_or(text, |(before, _)| before.trim_end())
}

/// Takes `in` and `out` out of the parameters of the type whose name stands at `at`.
fn variance(out: &mut Rewrite<'_>, at: usize) {
    let open = out.next(at + word(out.rest(at)).len());
    let rest = out.rest(open);
    let Some(length) = rest.starts_with('<').then(|| balanced(rest, b'<', b'>')).flatten() else { return };
    let list = rest.get(..length).unwrap_or_default();
    for (place, found) in words(list) {
        let before = without_remark(list.get(..place).unwrap_or_default());
        let begins =
            before.ends_with(['<', ',']) || ["in", "out", "const"].iter().any(|it| before.ends_with(it));
        let follows = list.get(place + found.len()..).unwrap_or_default();
        let names = follows.starts_with(char::is_whitespace) && !word(follows.trim_start()).is_empty();
        if matches!(found, "in" | "out") && begins && names && word(follows.trim_start()) != "extends" {
            out.blank(open + place, open + place + found.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{rust, script};
    use crate::{Language, faults};

    #[track_caller]
    fn check(language: Language, whole: &[&str], broken: &[&str]) {
        for text in whole {
            assert_eq!(faults(language, text), Ok(Vec::new()), "{text}");
        }
        for text in broken {
            assert!(!faults(language, text).unwrap_or_default().is_empty(), "{text}");
        }
    }

    #[test]
    fn what_rustc_takes_is_no_fault() {
        check(
            Language::Rust,
            &[
                "fn f() { let a = try!(g()); }",
                "fn f() { u32::<O>(1); let a = str![\"x\"]; let b = u16!(1); }",
                "fn f(Self { #[cfg(a)] x, y, #[cfg(b = \"]\")] z }: Self) {}",
                "fn f() { match a {\n E::A {\n #[cfg(b)]\n #[cfg(c)]\n // why\n d, } => {} } }",
                "fn f() { g(1, #[cfg(y)] 2); }",
                "unsafe extern \"C\" { safe fn a(); unsafe fn b(); pub safe fn c(); }",
                "extern \"C\" { #[a] pub type B; pub(crate) type C; }",
                "struct A where B: C; struct D<'a, E = fn() -> u8> where E: 'a;",
                "fn f(S { 0: a, 1: b }: S) {}",
                "impl A for B where (): C, D: E {}",
            ],
            &[
                "fn f( { }",
                "fn f() { let a = ; }",
                "struct A where B: C",
                "fn f() { g(#[cfg(a) 1); }",
                "fn f() { safe f(); }",
                "fn f() { let #[a] = 1; }",
            ],
        );
    }

    #[test]
    fn what_typescript_takes_is_no_fault() {
        check(
            Language::TypeScript,
            &[
                "interface A<in T, out U, in out V> { a(x: T): U }",
                "class B<in out T extends object = {}> { x!: T }",
                "type C<\n  out T = () => void,\n  out U = T,\n> = { x: T };",
                "export type * from \"a\";\nexport type * as ns from \"a\";",
                "class G { accessor x = 1; static accessor y = 2; }",
                "let t: import(\"y\").Z<string>; let u: import('./a').B.C<D>;",
                "interface D<\n  /** why */\n  out T extends E = E,\n> { x: T }",
                "interface F { abstract: boolean; abstract?: G | null }",
                "declare module \"a\" {\n  global {\n    interface H { x: 1 }\n  }\n}",
                "import defer * as ns from \"x\";",
            ],
            &[
                "interface A<in> {",
                "let a = (out b);",
                "type C<T T> = 1;",
                "export type *;",
                "function f( { }",
                "accessor x y;",
            ],
        );
    }

    #[test]
    fn every_byte_keeps_its_place() {
        for text in
            ["#[é]\nx", "fn f(#[ä\n]\nb: u8) {}", "struct A where é: B;", "try!(ö)", "interface A<in é> {}"]
        {
            for rewritten in [rust(text), script(text)].into_iter().flatten() {
                assert_eq!(rewritten.len(), text.len(), "{text}");
                assert_eq!(rewritten.matches('\n').count(), text.matches('\n').count(), "{text}");
            }
        }
    }
}
