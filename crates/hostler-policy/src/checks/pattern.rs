//! Design patterns that a class follows: singleton, factory, builder, data class. To know, not to change.

use hostler_syntax::{Class, ClassKind, Function, Language};

use super::kind::CODE;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};

/// Methods that give the only object.
const ONLY: &[&str] = &["get_instance", "getinstance", "shared_instance", "sharedinstance"];
/// What methods that make objects begin with.
const MAKING: &[&str] = &["create", "make", "build", "new", "get", "produce", "from"];
/// Decorators that make a class one of data, as they end.
const DATA: &[&str] =
    &["dataclass", "attrs.define", "attrs.frozen", "attrs.mutable", "attr.s", "attr.attrs", "attr.define"];

pub(super) const CHECK: Check = Check {
    id: "pattern",
    gate: Gate::Design,
    severity: Severity::Info,
    summary: "classes that follow a known pattern: singleton, factory, builder, data class",
    same: Same::Symbol,
    kinds: CODE,
    fires: &[
        Example(
            "src/a.py",
            "class Conf:\n    _instance = None\n\n    def __new__(cls):\n        if cls._instance is None:\n            \
             cls._instance = super().__new__(cls)\n        return cls._instance\n",
        ),
        Example(
            "src/a.py",
            "class ShapeFactory:\n    def create(self, kind):\n        return dict(kind=kind)\n",
        ),
        Example(
            "src/a.py",
            "class Query:\n    def where(self, a):\n        self.a = a\n        return self\n\n    def build(self):\n        \
             return self.a\n",
        ),
        Example("src/a.py", "@dataclass\nclass Point:\n    x: int\n"),
        Example("src/a.py", "@dataclasses.dataclass(frozen=True)\nclass Point:\n    x: int\n"),
    ],
    silent: &[
        Example(
            "src/a.py",
            "class C:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, *a):\n        return False\n",
        ),
        Example("src/a.py", "class Point:\n    def __init__(self):\n        self.x = 1\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let mut found = Vec::new();
    for class in source.classes().iter().filter(|it| matches!(it.kind, ClassKind::Class | ClassKind::Struct))
    {
        let methods: Vec<&Function> =
            class.methods.iter().filter_map(|at| source.functions().get(*at)).collect();
        let patterns = [
            ("singleton", is_singleton(source, class, &methods)),
            ("factory", is_factory(class, &methods)),
            ("builder", is_builder(class, &methods)),
            ("data class", is_data(source, class)),
        ];
        let name = source.name_of_class(class);
        for (pattern, _) in patterns.into_iter().filter(|it| it.1) {
            let message = format!("`{name}` is a {pattern}");
            found.push(CHECK.finding(class.line, message).about(Some(name.clone())).code(pattern));
        }
    }
    found
}

fn is_singleton(source: &Source<'_>, class: &Class, methods: &[&Function]) -> bool {
    let kept = |name: &str| name.trim_matches('_').eq_ignore_ascii_case("instance");
    let bindings = source.facts.map_or(&[][..], |it| &it.bindings);
    let keeps = bindings
        .iter()
        .any(|it| kept(&it.name) && it.class.and_then(|at| source.classes().get(at)) == Some(class));
    let gives = methods.iter().any(|it| {
        it.name == "__new__" || ONLY.contains(&it.name.to_ascii_lowercase().as_str()) || kept(&it.name)
    });
    keeps && gives
}

fn is_factory(class: &Class, methods: &[&Function]) -> bool {
    let makes = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "__call__" || MAKING.iter().any(|it| name.starts_with(it))
    };
    class.name.ends_with("Factory") && methods.iter().any(|it| makes(&it.name))
}

fn is_builder(class: &Class, methods: &[&Function]) -> bool {
    let chained = methods.iter().filter(|it| it.returns_self && !it.name.starts_with("__")).count();
    let builds = methods.iter().any(|it| it.name.eq_ignore_ascii_case("build"));
    let named = class.name.ends_with("Builder");
    2 <= chained || (1 <= chained && (builds || named)) || (named && builds)
}

fn is_data(source: &Source<'_>, class: &Class) -> bool {
    let ends = |decorator: &str, data: &str| {
        decorator.strip_suffix(data).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    source.is(Language::Python) && class.decorators.iter().any(|it| DATA.iter().any(|data| ends(it, data)))
}
