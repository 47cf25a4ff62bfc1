//! Rust.

use hostler_syntax::Catch;

use super::braces::{Braces, defects, fill, harmless, own_class};
use super::ground::{Change, Defect, Ground, Harmless, Sample};
use super::judge;
use super::random::Random;

pub(super) const GROUND: Ground = Ground {
    name: "rust",
    extensions: &["rs"],
    config: "",
    tool: None,
    batch_max: 30,
    prepare: |_| Ok(()),
    judge: judge::rust,
    harmless: HARMLESS,
    defects: DEFECTS,
};

const HARMLESS: &[Harmless] = &harmless::<Rust>();
const DEFECTS: &[Defect] = &defects::<Rust>();

struct Rust;

impl Braces for Rust {
    const BEGIN: &'static [&'static str] = &["return", "let", "if", "for", "while", "loop"];
    const LEVEL: &'static str = "    ";

    const LOG: &'static str =
        "tracing::debug!(at = line!(), \"here with {:?}\", std::any::type_name::<u8>());";
    const CONSTANTS: &'static [&'static str] = &[
        "pub(crate) const SPARE_ROUNDS: u32 = 3;",
        "const SPARE_NAMES: &[&str] = &[\"first\", \"second\"];",
        "const PASSWORD_FIELD: &str = \"password\";",
        "static SPARE_URL: &str = \"https://docs.example.com/tokens\";",
        "#[derive(Debug, Clone)]\npub struct Spare<'a, T: ?Sized + 'a, const N: usize = 3> {\n\tname: &'a T,\n}",
        "macro_rules! spare {\n\t($($it:expr),* $(,)?) => { [$($it),*] };\n}",
        "pub struct SpareGuard;\n\nimpl Drop for SpareGuard {\n\tfn drop(&mut self) {}\n}",
    ];
    const PARAMETERS: &'static [&'static str] =
        &["_spare: bool", "spare: Option<&str>", "mut spare: Vec<u8>", "spare: impl Fn(u8) -> u8"];
    const IMPORT: &'static str = "use std::fmt::Write as _;";
    const STATEMENTS: &'static [&'static str] = &[
        "let _spare = [1_u8, 2].iter().map(|it| it + 1).max().unwrap_or_default();",
        "let _spare = r#\"a \"quoted\" { text\"#;",
        "let Some(_spare) = Some(1) else { unreachable!() };",
        "let _spare = matches!('a'..='z', it if it.contains(&'b'));",
        "let _token: Option<&'static str> = None;",
        "debug_assert!(true, \"every {} has one\", 1);",
    ];
    const FUNCTIONS: &'static [&'static str] = &[
        "fn spare<T: Clone>(value: &T) -> T\nwhere\n\tT: Sized,\n{\n\tvalue.clone()\n}",
        "pub(crate) async fn spare(value: u8) -> Result<u8, std::io::Error> {\n\tOk(value)\n}",
        "#[cfg(test)]\nmod spare_tests {\n\t#[test]\n\tfn it_holds() {\n\t\tassert!(true);\n\t}\n}",
        "const unsafe extern \"C\" fn spare(value: *const u8) -> *const u8 {\n\tvalue\n}",
    ];
    const MARK: &'static str = "#[inline]";
    const CASE: (&'static str, &'static str) = ("_ =>", "90 => unreachable!(\"nobody sends it\"),");
    const DOC: Option<&'static str> = Some("/// ");

    const BROKEN: &'static [(&'static str, usize)] = &[
        ("let spare = ;", 1),
        ("let spare = call(1, 2;", 1),
        ("if spare == {\n\tcall();\n}", 3),
        ("let spare: = 1;", 1),
        ("for spare in {\n}", 1),
        ("let = 1;", 1),
        ("spare.;", 1),
        ("let spare = 1 2;", 1),
    ];
    const UNWRITTEN: &'static [&'static str] = &[
        "todo!()",
        "unimplemented!()",
        "todo!(\"when the other half is there\")",
        "panic!(\"not implemented\")",
        "unimplemented!(\"spare\");",
        "panic!(\"TODO: {target:?}\")",
    ];
    const AROUND: (&'static str, &'static str) = ("pub fn export_spare(target: &str) {", "}");
    const HANDLERS: &'static [(&'static str, usize)] = &[
        ("if let Err(_) = std::fs::read(\"a\") {}", 1),
        ("match std::fs::read(\"a\") {\n\tOk(_) => drop(1),\n\tErr(_) => {}\n}", 3),
        ("match std::fs::read(\"a\") {\n\tErr(_error) => {}\n\tOk(_) => drop(1),\n}", 2),
    ];
    const SECRETS: &'static [&'static str] = &[
        "let spare = \"{value}\";",
        "let spare_password = \"{plain}\";",
        "let spare_url = \"postgres://app:{plain}@db.internal/app\";",
        "let spare = Login { api_key: \"{plain}\".to_owned() };",
        "let header = (\"Authorization\", \"Bearer {value}\");",
        "const CLIENT_SECRET: &str = \"{plain}\";",
    ];
    const NESTING: &'static str = "for spare in 0..3 {\n\tif spare > 0 {\n\t\twhile spare > 1 {\n\t\t\tmatch spare {\n\t\t\t\t1 => \
                                   loop {\n\t\t\t\t\tif spare > 2 {\n\t\t\t\t\t\tbreak;\n\t\t\t\t\t}\n\t\t\t\t},\n\t\t\t\t_ => break,\n\t\t\t}\n\t\t}\n\t}\n}";
    const CHOICE: (&'static str, &'static str) = (
        "let spare = line!();\nif spare == 90 {\n\tdrop(90);\n}",
        " else if spare == {n} {\n\tdrop({n});\n}",
    );
    const METHOD: &'static str = "\npub fn spare_{n}(&self) -> u32 {\n\t{n}\n}";
    const FILLER: &'static str = "pub const SPARE_{n}: u32 = {n};";
    const PRINTS: &'static [&'static str] = &["dbg!(1);", "let _spare = dbg!(2);", "std::dbg!(\"here\");"];
    const NAMES: &'static [&'static str] = &[
        "pub fn exportSpare() -> u32 {\n\t1\n}",
        "pub struct spare_part;",
        "pub const spare_rounds: u32 = 3;",
        "enum Spare_Kind {\n\tFirst,\n}",
    ];

    /// What stands in brackets behind a macro's name.
    fn hidden(sample: &Sample<'_>) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut from = 0;
        while let Some(at) = sample.text.get(from..).and_then(|it| it.find('!')) {
            let at = from + at;
            from = at + 1;
            let before = sample.text.get(..at).and_then(|it| it.chars().next_back());
            let rest = sample.text.get(from..).unwrap_or_default();
            // `macro_rules! name {`
            let rest = rest.trim_start_matches(|it: char| it == ' ' || it == '_' || it.is_alphanumeric());
            if !before.is_some_and(|it| it.is_alphanumeric() || it == '_')
                || !rest.starts_with(['{', '(', '['])
            {
                continue;
            }
            let start = sample.text.len() - rest.len();
            let line = |at: usize| sample.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let (first, last) = (line(start), line(end(sample.text, start)));
            if first < last {
                out.push((first + 1, last));
            }
        }
        out
    }

    /// One failure that is told from the others may need nothing.
    fn is_dropped(handler: &Catch) -> bool {
        let name = handler.name.as_deref().unwrap_or_default();
        name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
    }

    fn class(sample: &Sample<'_>, random: &mut Random) -> Option<Change> {
        let open = sample.facts.classes.iter().filter_map(|it| {
            let first = it.impl_line.filter(|line| sample.line(*line).starts_with("impl"))?;
            let last = (first..=sample.count()).find(|line| sample.line(*line) == "}")?;
            let more = 16_usize.checked_sub(it.public_method_names)? * 4;
            let fits = if it.lines <= 300 { it.lines + more <= 300 } else { more <= it.lines / 10 };
            (0 < more && fits && sample.has_room(last, more)).then_some((first, last, it.public_method_names))
        });
        let open: Vec<(usize, usize, usize)> = open.collect();
        if let Some((first, last, public)) = random.pick(&open).copied() {
            return Some(fill::<Self>(sample, (first, last), public, Self::LEVEL));
        }
        own_class::<Self>(sample, random, ("pub struct SpareParts;\n\nimpl SpareParts {", "}"), 3)
    }
}

/// Where the bracket at `start` is closed, strings and comments not told apart: what is left out in vain is left out.
fn end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
