//! What a tag sits on in languages whose bodies stand in braces.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::language::{Family, Language};
use super::lexer::{Part, Segment};
use super::{Kind, Mention, Owner, Tag};

/// Longest text before a brace that is looked at for a definition, bytes. Data is longer, definitions are not, but for
/// the table of a test that runs once for each of its rows.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// Most braces within one another whose definitions are told.
const SCOPES_MAX: usize = 200;
/// What stands in a header for a value in braces.
const VALUE: &str = "_";

type Pattern = LazyLock<Option<Regex>>;

static RUST: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?:^|[\s)\]])(?:
          (?P<fn>fn)\s+(?P<name1>\w+)
        | (?P<type>struct|enum|trait|union)\s+(?P<name2>\w+)
        | (?P<mod>mod)\s+(?P<name3>\w+)
        | (?P<item>const|static|type|macro_rules!)\s+(?:mut\s+)?(?P<name4>\w+)
        | (?P<impl>impl)\b(?P<rest>[^{]*)
        )",
    )
    .ok()
});
static RUST_TEST: Pattern = LazyLock::new(|| {
    Regex::new(r"#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|bench|quickcheck)\s*[\](]|#\s*\[\s*cfg\s*\(\s*(?:(?:all|any)\s*\(\s*)?test\s*[,)]").ok()
});
static SCRIPT: Pattern = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
          \b(?P<suite>describe|context|suite)(?:\.\w+)*\s*(?:\((?:[^()]|\([^()]*\))*\)\s*|`[^`]*`\s*)?\(\s*(?:"(?P<s1>[^"]*)"|'(?P<s2>[^']*)'|`(?P<s3>[^`]*)`)
        | \b(?P<test>it|test|specify)(?:\.\w+)*\s*(?:\((?:[^()]|\([^()]*\))*\)\s*|`[^`]*`\s*)?\(\s*(?:"(?P<t1>[^"]*)"|'(?P<t2>[^']*)'|`(?P<t3>[^`]*)`)
        | \b(?P<type>class|interface|enum|namespace)\s+(?P<name2>[\w$]+)
        | \b(?P<fn>function)\s*\*?\s*(?P<name1>[\w$]+)
        | \b(?:const|let|var)\s+(?P<name5>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>)
        | \b(?P<item>const|let|var|type)\s+(?P<name4>[\w$]+)
        "#,
    )
    .ok()
});
static GO: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?x)
          \b(?P<fn>func)\s+(?:\(\s*(?:\w+\s+)?\*?(?P<receiver>\w+)[^)]*\)\s*)?(?P<name1>\w+)\s*[\[(]
        | \b(?P<type>type)\s+(?P<name2>\w+)
        | \b(?P<item>const|var)\s+(?P<name4>\w+)
        ",
    )
    .ok()
});
static SHELL: Pattern = LazyLock::new(|| {
    Regex::new(r"(?x)(?P<fn>)(?:^|[\s;&|])(?:function\s+(?P<name1>[\w:.-]+)|(?P<name5>[\w:.-]+)\s*\(\s*\))\s*(?:\(\s*\))?\s*$").ok()
});
static BRACES: Pattern = LazyLock::new(|| {
    Regex::new(
        r"(?x)
          \b(?P<test>TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|SECTION)\s*\(\s*(?P<macro>[^)]*)\)
        | \b(?P<type>class|interface|enum|record|struct|trait|object|protocol|extension|namespace|union|actor|message|service|contract|library|package)\s+(?:class\s+)?(?P<name2>[\w.:]+)
        | \b(?P<fn>fun|func|function|def|rpc|fn)\s+(?:<[^>]*>\s*)?(?:[\w.<>?]+\.)?(?P<name1>`[^`]+`|[\w]+)
        ",
    )
    .ok()
});
/// A method or function whose kind no word tells: a name, its parameters, and what may stand behind them.
static METHOD: Pattern = LazyLock::new(|| {
    Regex::new(r"(?s)(?:^|[\s*&~>])(?P<name>~?[\w$]+(?:::~?\w+)*)\s*(?:<[^<>]*>\s*)?\([^;{}]*\)\s*(?:(?:const|override|final|noexcept|async|throws\b[\w\s,.]*|where\b.*|->.*|:[^:].*)\s*)*$").ok()
});
static MARKED_TEST: Pattern = LazyLock::new(|| {
    Regex::new(r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\[\s*(?:Test|TestCase|Fact|Theory|TestMethod|TestFixture|TestClass)\b").ok()
});

/// Words that stand before a parenthesis and define nothing.
const CONTROL: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "match",
    "loop",
    "foreach",
    "using",
    "lock",
    "synchronized",
    "when",
    "else",
    "do",
    "try",
    "with",
    "await",
    "new",
    "throw",
    "sizeof",
    "function",
    "defer",
    "guard",
    "until",
    "elseif",
];

#[derive(Debug, Clone)]
struct Definition {
    kind: Kind,
    names: Vec<String>,
    test: bool,
}

struct Scope {
    definition: Option<Definition>,
    /// The kind of the innermost definition, this one or one around it.
    innermost: Option<Kind>,
    /// Open parentheses around it.
    parens: usize,
    /// It is a value within a statement, which goes on behind it.
    around: Option<Statement>,
}

/// A statement that is not over.
struct Statement {
    header: String,
    pending: Vec<usize>,
}

/// Gives each tag the definition that it stands above or in.
pub(super) fn own(text: &str, segments: &[Segment], language: &Language, mentions: Vec<Mention>) -> Vec<Tag> {
    let mut tracker = Tracker {
        language,
        scopes: Vec::new(),
        header: String::new(),
        parens: 0,
        last: None,
        pending: Vec::new(),
    };
    let mut owners: Vec<Owner> = vec![Owner::FILE; mentions.len()];
    let mut next = 0;
    for (at, segment) in segments.iter().enumerate() {
        let Some(part) = text.get(segment.range.clone()) else { continue };
        match segment.part {
            Part::Code => tracker.code(part, segment.range.start, &mut owners),
            Part::Text => tracker.push(part),
            Part::Comment => {
                let inner =
                    part.starts_with("//!") || part.starts_with("/*!") && language.family == Family::Rust;
                while mentions.get(next).is_some_and(|it| it.segment == at) {
                    let line_start =
                        text.get(..segment.range.start).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
                    let before = text.get(line_start..segment.range.start).unwrap_or_default();
                    let trailing = !before.trim().is_empty() && tracker.header.trim().is_empty();
                    if inner && language.family == Family::Rust {
                        set(&mut owners, next, tracker.owner(None));
                    } else if trailing {
                        let ended = tracker.last.take().filter(|it| line_start <= it.0);
                        set(&mut owners, next, ended.map_or_else(|| tracker.owner(None), |it| it.1));
                    } else {
                        tracker.pending.push(next);
                    }
                    next += 1;
                }
            }
        }
    }
    tracker.conclude(text.len(), &mut owners);
    mentions.into_iter().zip(owners).map(|(mention, owner)| Tag { owner, ..mention.tag }).collect()
}

fn set(owners: &mut [Owner], at: usize, owner: Owner) {
    if let Some(slot) = owners.get_mut(at) {
        *slot = owner;
    }
}

struct Tracker<'a> {
    language: &'a Language,
    scopes: Vec<Scope>,
    /// Code since the last statement or brace.
    header: String,
    parens: usize,
    /// The definition that ended last, and where.
    last: Option<(usize, Owner)>,
    /// Tags whose owner the next statement tells.
    pending: Vec<usize>,
}

impl Tracker<'_> {
    fn push(&mut self, text: &str) {
        if self.header.len() < HEADER_BYTES_MAX {
            self.header.push_str(text);
        }
    }

    fn code(&mut self, code: &str, from: usize, owners: &mut [Owner]) {
        for (offset, c) in code.char_indices() {
            let at = from + offset;
            match c {
                '{' => self.open(owners),
                '}' => self.close(at, owners),
                ';' if self.parens == 0 => self.conclude(at, owners),
                '\n' if self.ends_statement() => self.conclude(at, owners),
                _ => {
                    match c {
                        '(' | '[' => self.parens += 1,
                        ')' | ']' => self.parens = self.parens.saturating_sub(1),
                        _ => {}
                    }
                    if self.header.len() < HEADER_BYTES_MAX {
                        self.header.push(c);
                    }
                }
            }
        }
    }

    fn open(&mut self, owners: &mut [Owner]) {
        let innermost = self.enclosing();
        let parens = std::mem::take(&mut self.parens);
        // `each([{ a: 1 }])("adds", …)`, `@ValueSource(ints = {1, 2})`: what is defined comes later.
        let is_value = 0 < parens && self.header.trim_end().ends_with(['(', '[', ',', ':', '=']);
        if is_value && self.scopes.len() < SCOPES_MAX {
            let header = std::mem::take(&mut self.header);
            let around = Some(Statement { header, pending: std::mem::take(&mut self.pending) });
            self.scopes.push(Scope { definition: None, innermost, parens, around });
            return;
        }
        let definition = if self.scopes.len() < SCOPES_MAX { self.definition() } else { None };
        self.settle(definition.as_ref(), owners);
        self.header.clear();
        let innermost = definition.as_ref().map(|it| it.kind).or(innermost);
        self.scopes.push(Scope { definition, innermost, parens, around: None });
    }

    fn close(&mut self, at: usize, owners: &mut [Owner]) {
        self.settle(None, owners);
        self.header.clear();
        if self.scopes.last().is_some_and(|it| it.definition.is_some()) {
            self.last = Some((at, self.owner(None)));
        }
        let Some(scope) = self.scopes.pop() else { return };
        self.parens = scope.parens;
        if let Some(statement) = scope.around {
            (self.header, self.pending) = (statement.header, statement.pending);
            self.push(VALUE);
        }
    }

    /// A line end is the end of a statement, unless something has to follow.
    fn ends_statement(&self) -> bool {
        if !self.language.newline_ends || self.parens != 0 {
            return false;
        }
        let header = self.header.trim();
        let line = header.rsplit('\n').next().unwrap_or_default();
        let goes_on = header.is_empty()
            || line.trim_start().starts_with('@')
            || header.ends_with(|c: char| ",=+-*/&|<>?:.(".contains(c))
            || self.language.family == Family::Shell && header.ends_with(')');
        // A body may begin on the next line, unless the definition has it behind an equals sign.
        !goes_on && self.definition().is_none_or(|it| it.kind == Kind::Item || header.contains(" = "))
    }

    fn conclude(&mut self, at: usize, owners: &mut [Owner]) {
        let definition = self.definition();
        self.settle(definition.as_ref(), owners);
        if definition.is_some() {
            self.last = Some((at, self.owner(definition.as_ref())));
        }
        self.header.clear();
    }

    fn settle(&mut self, definition: Option<&Definition>, owners: &mut [Owner]) {
        for at in std::mem::take(&mut self.pending) {
            set(owners, at, self.owner(definition));
        }
    }

    /// What is open, and `definition` in it.
    fn owner(&self, definition: Option<&Definition>) -> Owner {
        let all: Vec<&Definition> =
            self.scopes.iter().filter_map(|it| it.definition.as_ref()).chain(definition).collect();
        let Some(last) = all.last() else { return Owner::FILE };
        Owner {
            kind: last.kind,
            path: all.iter().flat_map(|it| it.names.clone()).collect(),
            test: all.iter().any(|it| it.test),
        }
    }

    fn enclosing(&self) -> Option<Kind> {
        self.scopes.last().and_then(|it| it.innermost)
    }

    fn definition(&self) -> Option<Definition> {
        let header = self.header.as_str();
        if header.trim().is_empty() {
            return None;
        }
        let found = match self.language.family {
            Family::Rust => rust(header),
            Family::Script => script(header, self.enclosing()),
            Family::Go => named(&GO, header),
            Family::Shell => named(&SHELL, header),
            _ => braces(header),
        };
        // What is local to a function is no place to speak of.
        let in_function = self.enclosing() == Some(Kind::Function);
        found.filter(|it| !(in_function && it.kind == Kind::Item))
    }
}

fn text<'h>(captures: &Captures<'h>, names: &[&str]) -> Option<&'h str> {
    names.iter().find_map(|name| captures.name(name)).map(|it| it.as_str())
}

fn kind(captures: &Captures<'_>) -> Kind {
    let kinds = [
        ("type", Kind::Class),
        ("suite", Kind::Class),
        ("impl", Kind::Class),
        ("mod", Kind::Module),
        ("item", Kind::Item),
    ];
    kinds.iter().find(|(group, _)| captures.name(group).is_some()).map_or(Kind::Function, |it| it.1)
}

fn named(pattern: &Pattern, header: &str) -> Option<Definition> {
    let captures = pattern.as_ref()?.captures(header)?;
    let name = text(&captures, &["name1", "name2", "name3", "name4", "name5"])?;
    let receiver = text(&captures, &["receiver"]);
    let names = receiver.into_iter().chain([name]).map(|it| it.trim_matches('`').to_owned()).collect();
    // Go tells its tests by their names; in a shell, they are no rarer.
    let test = name.starts_with("Test") || name.starts_with("test_");
    Some(Definition { kind: kind(&captures), names, test })
}

fn rust(header: &str) -> Option<Definition> {
    let is_test = |header: &str| RUST_TEST.as_ref().is_some_and(|it| it.is_match(header));
    let captures = RUST.as_ref()?.captures(header)?;
    let name = match text(&captures, &["rest"]) {
        Some(rest) => implemented(rest)?,
        None => text(&captures, &["name1", "name2", "name3", "name4"])?.to_owned(),
    };
    Some(Definition { kind: kind(&captures), names: vec![name], test: is_test(header) })
}

/// The type of `impl<T> Trait for Type<T> where …`.
fn implemented(rest: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in rest.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let plain = plain.split(" where ").next().unwrap_or_default();
    let of = plain.rsplit_once(" for ").map_or(plain, |it| it.1);
    let name = of.trim().rsplit("::").next()?.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    (!name.is_empty()).then(|| name.to_owned())
}

fn script(header: &str, enclosing: Option<Kind>) -> Option<Definition> {
    if let Some(captures) = SCRIPT.as_ref().and_then(|it| it.captures(header)) {
        let name =
            text(&captures, &["s1", "s2", "s3", "t1", "t2", "t3", "name1", "name2", "name4", "name5"])?;
        let test = captures.name("suite").or(captures.name("test")).is_some();
        return Some(Definition { kind: kind(&captures), names: vec![name.to_owned()], test });
    }
    if enclosing == Some(Kind::Class) { method(header) } else { None }
}

fn method(header: &str) -> Option<Definition> {
    // An annotation's own parentheses stand before the name.
    let captures = METHOD.as_ref()?.captures(header)?;
    let name = captures.name("name")?.as_str();
    if CONTROL.contains(&name) || header.trim_end().ends_with("=>") || header.contains(" = ") {
        return None;
    }
    let names = name.split("::").map(str::to_owned).collect();
    Some(Definition { kind: Kind::Function, names, test: false })
}

fn braces(header: &str) -> Option<Definition> {
    let marked = MARKED_TEST.as_ref().is_some_and(|it| it.is_match(header));
    let header = without_annotations(header);
    let found = BRACES.as_ref()?.captures(header).and_then(|captures| {
        if let Some(arguments) = text(&captures, &["macro"]) {
            let names: Vec<String> = arguments
                .split(',')
                .map(|it| it.trim().trim_matches('"').to_owned())
                .filter(|it| !it.is_empty() && !it.starts_with('['))
                .collect();
            return Some(Definition { kind: Kind::Function, names, test: true });
        }
        let name = text(&captures, &["name1", "name2"])?;
        // `enum class`, and a type that is only the result of a function.
        let is_type = captures.name("type").is_some();
        if is_type && header.split_once('(').is_some_and(|(head, _)| !head.contains(name)) {
            return None;
        }
        if is_type
            && header.trim_end().ends_with(')')
            && !header.contains("record")
            && METHOD.as_ref().is_some_and(|it| it.is_match(header))
            && !header.contains("class ")
        {
            return None;
        }
        Some(Definition {
            kind: kind(&captures),
            names: vec![name.trim_matches('`').to_owned()],
            test: false,
        })
    });
    let found = found.or_else(|| method(header))?;
    Some(Definition { test: found.test || marked, ..found })
}

/// A definition without what is said of it before it: `@Table(name = "t") class T` is `class T`.
fn without_annotations(header: &str) -> &str {
    let mut rest = header.trim_start();
    while let Some(annotation) = rest.strip_prefix('@') {
        let named = annotation.trim_start_matches(|c: char| c.is_alphanumeric() || "_.:$".contains(c));
        if annotation.starts_with("interface") && !annotation[..annotation.len() - named.len()].contains('.')
        {
            return rest;
        }
        let after = named.trim_start();
        rest = match after.strip_prefix('(') {
            Some(arguments) => behind_parenthesis(arguments),
            None => after,
        };
        rest = rest.trim_start();
    }
    rest
}

fn behind_parenthesis(arguments: &str) -> &str {
    let mut depth = 1_usize;
    for (at, c) in arguments.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &arguments[at + 1..];
        }
    }
    ""
}
