//! Names by the convention of the language.

use hostler_syntax::{Binding, Class, Function, Language};

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Kind, Same, Settings, Severity, Source};

pub(super) const CHECK: Check = Check {
    id: "naming",
    gate: Gate::Design,
    severity: Severity::Error,
    summary: "names of functions, classes and constants that break the convention of the language",
    same: Same::Name,
    kinds: CODE,
    fires: &[
        Example("src/a.py", "def LoadData(a):\n    return a\n"),
        Example("src/a.py", "def loadData(a):\n    return a\n"),
        Example("src/a.py", "class my_client:\n    x = 1\n"),
        Example("src/a.py", "class http_Client(Exception):\n    pass\n"),
        Example("src/a.py", "from typing import Final\n\nmax_retries: Final = 3\n"),
    ],
    silent: &[
        Example("src/a.py", "def load_data(a):\n    return a\n"),
        Example("src/a.py", "class HTTPClient2:\n    x = 1\n"),
        Example("src/a.py", "class _Private:\n    def __len__(self):\n        return 0\n"),
        Example("src/a.py", "logger = make()\nMAX = 3\nT_co = None\n"),
        Example(
            "src/a.py",
            "class H(Base):\n    def do_GET(self):\n        return 1\n\n    def visit_Name(self, node):\n        return node\n",
        ),
        Example("tests/test_a.py", "class TestA(TestCase):\n    def setUp(self):\n        self.x = 1\n"),
    ],
    run,
};

/// How one language writes names.
struct Convention {
    function: Style,
    class: Style,
    constant: Style,
    /// Tests are called by sentences, whose words are joined by underscores.
    free_in_tests: bool,
    /// Whether a function's name is somebody else's choice.
    exempt: fn(&Source<'_>, &Function) -> bool,
}

/// A way to write a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Nobody's business.
    Any,
    /// `load_data`
    Snake,
    /// `loadData`
    Camel,
    /// `loadData` or `LoadData`, and `GET`.
    Joined,
    /// `LoadData`
    Pascal,
    /// `MAX_RETRIES`
    Upper,
}

impl Style {
    /// How it is called in a message.
    fn shown(self) -> &'static str {
        match self {
            Self::Any => "any way",
            Self::Snake => "`snake_case`",
            Self::Camel => "`camelCase`",
            Self::Joined => "`camelCase` or `PascalCase`",
            Self::Pascal => "`PascalCase`",
            Self::Upper => "`UPPER_SNAKE_CASE`",
        }
    }

    /// Letters of scripts without case fit everywhere.
    fn fits(self, name: &str) -> bool {
        let name = name.trim_matches(['_', '$', '`', '?', '!', '=', '#']);
        // What stands in quotes, or is an operator, is no name of the author's.
        if name.chars().any(|c| !(c.is_alphanumeric() || matches!(c, '_' | '$'))) {
            return true;
        }
        let has_lower = || name.chars().any(char::is_lowercase);
        match self {
            Self::Any => true,
            Self::Snake => !name.chars().any(char::is_uppercase),
            Self::Upper => !has_lower(),
            Self::Camel => !has_joint(name) && !name.starts_with(char::is_uppercase),
            Self::Joined => !has_joint(name) || !has_lower(),
            Self::Pascal => !has_joint(name) && !name.starts_with(char::is_lowercase),
        }
    }
}

/// Whether an underscore joins words: between digits it separates the parts of a number.
fn has_joint(name: &str) -> bool {
    name.match_indices('_').any(|(at, _)| {
        let before = name.get(..at).and_then(|it| it.chars().next_back());
        let after = name.get(at + 1..).and_then(|it| it.chars().next());
        let digit = |it: Option<char>| it.is_some_and(|c| c.is_ascii_digit());
        !(digit(before) && digit(after))
    })
}

/// Nothing is exempt.
fn none(_: &Source<'_>, _: &Function) -> bool {
    false
}

const PYTHON: Convention = Convention {
    function: Style::Snake,
    class: Style::Pascal,
    constant: Style::Upper,
    free_in_tests: false,
    exempt: python_exempt,
};
const SCRIPT: Convention = Convention {
    function: Style::Joined,
    class: Style::Pascal,
    constant: Style::Any,
    free_in_tests: true,
    exempt: |_, it| ["unstable_", "experimental_", "UNSAFE_"].iter().any(|begin| it.name.starts_with(begin)),
};
const RUST: Convention = Convention {
    function: Style::Snake,
    class: Style::Pascal,
    constant: Style::Upper,
    free_in_tests: false,
    // What others link to is called as they call it.
    exempt: |_, it| it.signature.contains("extern "),
};
const GO: Convention = Convention {
    function: Style::Joined,
    class: Style::Joined,
    constant: Style::Any,
    free_in_tests: true,
    exempt: none,
};
const JAVA: Convention = Convention {
    function: Style::Camel,
    class: Style::Pascal,
    constant: Style::Upper,
    free_in_tests: true,
    exempt: none,
};
const C_SHARP: Convention = Convention {
    function: Style::Pascal,
    class: Style::Pascal,
    constant: Style::Any,
    free_in_tests: true,
    // A handler is named after its control, an imported function by its library.
    exempt: |_, it| {
        it.is_closure
            || it.signature.contains("EventArgs")
            || it.decorators.iter().any(|it| it.contains("Import"))
    },
};
const RUBY: Convention = Convention {
    function: Style::Snake,
    class: Style::Pascal,
    constant: Style::Any,
    free_in_tests: false,
    exempt: none,
};
const PHP: Convention = Convention {
    function: Style::Any,
    class: Style::Pascal,
    constant: Style::Any,
    free_in_tests: true,
    exempt: none,
};
const JOINED: Convention = Convention {
    function: Style::Joined,
    class: Style::Pascal,
    constant: Style::Any,
    free_in_tests: true,
    exempt: |_, it| it.name.contains([' ', '`']) || it.name.starts_with("unary_") || it.name.ends_with("_="),
};

/// The convention of `language`; `None` where there is more than one.
fn convention(language: Language) -> Option<&'static Convention> {
    match language {
        Language::Python => Some(&PYTHON),
        Language::TypeScript | Language::Tsx | Language::JavaScript => Some(&SCRIPT),
        Language::Rust => Some(&RUST),
        Language::Go => Some(&GO),
        Language::Java => Some(&JAVA),
        Language::CSharp => Some(&C_SHARP),
        Language::Ruby => Some(&RUBY),
        Language::Php => Some(&PHP),
        Language::Kotlin | Language::Swift | Language::Scala => Some(&JOINED),
        Language::C | Language::Cpp | Language::Bash => None,
    }
}

/// Names that frameworks of Python ask for.
fn python_exempt(source: &Source<'_>, function: &Function) -> bool {
    const NAMES: &[&str] = &[
        "setUp",
        "tearDown",
        "setUpClass",
        "tearDownClass",
        "setUpModule",
        "tearDownModule",
        "asyncSetUp",
        "asyncTearDown",
        "setUpTestData",
        "runTest",
    ];
    const BEGINNINGS: &[&str] = &["visit_", "leave_", "depart_", "do_", "test_", "on_"];
    let name = function.name.as_str();
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|it| name.starts_with(it))
        || (name.starts_with("__") && name.ends_with("__"))
        || replaces(source, function)
}

/// A method like `mousePressEvent` of a class whose base is another file's: the base chose the name.
fn replaces(source: &Source<'_>, function: &Function) -> bool {
    const PLAIN: &[&str] =
        &["object", "ABC", "Exception", "Protocol", "Generic", "Enum", "NamedTuple", "TypedDict"];
    let Some(class) = source.class_of(function) else { return false };
    let camel = Style::Camel.fits(&function.name) && !function.name.starts_with('_');
    camel
        && class.bases.iter().any(|base| {
            let base = base.split('[').next().unwrap_or(base).rsplit('.').next().unwrap_or_default();
            !PLAIN.contains(&base) && !source.classes().iter().any(|it| it.name == base)
        })
}

/// Whether a type gets its name here: one that is only added to, or that Rust lays out as in C, has it from elsewhere.
fn names_own_type(source: &Source<'_>, class: &Class) -> bool {
    let is_laid_out = source.is(Language::Rust) && class.decorators.iter().any(|it| it == "repr");
    !class.is_foreign && !is_laid_out
}

/// Whether a name is a constant's by convention: in Python at the top of a module; in Java by its type, since objects
/// like loggers are named as variables are.
fn is_value(source: &Source<'_>, binding: &Binding) -> bool {
    const TYPES: &[&str] = &["boolean", "byte", "char", "double", "float", "int", "long", "short", "String"];
    match source.language {
        Some(Language::Python) => binding.class.is_none() && !binding.name.starts_with("__"),
        Some(Language::Java) => {
            let value =
                binding.annotation.as_deref().is_some_and(|it| TYPES.contains(&it.trim_end_matches("[]")));
            value && binding.name != "serialVersionUID"
        }
        _ => true,
    }
}

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some((facts, convention)) = source.facts.zip(source.language.and_then(convention)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |what: &str, style: Style, name: &str, line: usize, symbol: String| {
        if !style.fits(name) {
            found.push(
                CHECK
                    .finding(line, format!("the {what} `{name}` is not written in {}", style.shown()))
                    .about(Some(symbol))
                    .fix(format!("rename it to {}", style.shown())),
            );
        }
    };
    let free = convention.free_in_tests && source.kind == Kind::Test;
    let chosen_elsewhere = |it: &Function| {
        free || (convention.free_in_tests && it.is_test)
            || it.is_override
            || it.is_constructor
            || (convention.exempt)(source, it)
    };
    for it in facts.functions.iter().filter(|it| !chosen_elsewhere(it)) {
        add("function", convention.function, &it.name, it.line, source.name_of(it));
    }
    for it in facts.classes.iter().filter(|it| names_own_type(source, it)) {
        add("class", convention.class, &it.name, it.line, source.name_of_class(it));
    }
    for it in facts.bindings.iter().filter(|it| it.is_constant && is_value(source, it)) {
        let class = it.class.and_then(|at| facts.classes.get(at)).map(|it| source.name_of_class(it));
        let symbol = class.map_or_else(|| it.name.clone(), |class| format!("{class}.{}", it.name));
        add("constant", convention.constant, &it.name, it.line, symbol);
    }
    found
}
