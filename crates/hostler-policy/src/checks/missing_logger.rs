//! Modules that handle exceptions and have no logger to tell of them. A handler of `ImportError` alone chooses between
//! modules and has nothing to tell.

use hostler_syntax::{Catch, Facts, Language, ValueKind};

use super::{Check, Example, Finding, Gate, Kind, Same, Settings, Severity, Source};

/// Functions that make a logger.
const MAKERS: &[&str] = &["getLogger", "get_logger", "getChild", "get_task_logger", "getlogger"];
/// What a logger is called.
const NAMES: &[&str] = &["log", "logger"];

pub(super) const CHECK: Check = Check {
    id: "missing_logger",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "modules in Python that handle exceptions and have no logger",
    same: Same::Symbol,
    kinds: &[Kind::Source],
    fires: &[
        Example(
            "src/a.py",
            "def f(g):\n    try:\n        return g()\n    except KeyError:\n        return None\n",
        ),
        Example(
            "src/a.py",
            "import logging\n\nLEVEL = logging.INFO\ntry:\n    f()\nexcept KeyError:\n    x = None\n",
        ),
    ],
    silent: &[
        Example(
            "src/a.py",
            "import logging\n\nlogger = logging.getLogger(__name__)\ntry:\n    f()\nexcept KeyError:\n    x = 1\n",
        ),
        Example("src/a.py", "from app.log import logger\n\ntry:\n    f()\nexcept KeyError:\n    x = 1\n"),
        Example("src/a.py", "try:\n    import tomllib\nexcept ImportError:\n    tomllib = None\n"),
        Example("src/cli.py", "try:\n    f()\nexcept KeyError:\n    x = 1\n"),
        Example("src/a.py", "def f():\n    return 1\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some(facts) = source.facts.filter(|_| source.is(Language::Python)) else { return Vec::new() };
    if !facts.handlers.iter().any(|it| !chooses_module(it)) || has_logger(facts) {
        return Vec::new();
    }
    vec![
        CHECK
            .finding(1, "the module handles exceptions but has no logger".to_owned())
            .fix("add `logger = logging.getLogger(__name__)` and log what is handled"),
    ]
}

fn chooses_module(handler: &Catch) -> bool {
    !handler.types.is_empty()
        && handler.types.iter().all(|it| matches!(it.as_str(), "ImportError" | "ModuleNotFoundError"))
}

fn has_logger(facts: &Facts) -> bool {
    let last = |dotted: &str| dotted.rsplit('.').next().unwrap_or_default().to_owned();
    let is_name = |name: &str| NAMES.contains(&name.trim_matches('_').to_ascii_lowercase().as_str());
    let made = facts.calls.iter().any(|it| MAKERS.contains(&last(&it.callee).as_str()));
    let imported = || {
        let names = facts.imports.iter().flat_map(|it| &it.names);
        names.clone().any(|(name, alias)| is_name(alias.as_ref().unwrap_or(name)))
            || facts
                .imports
                .iter()
                .any(|it| it.names.is_empty() && is_name(it.alias.as_deref().unwrap_or(&last(&it.module))))
    };
    let bound =
        || facts.bindings.iter().any(|it| is_name(&it.name) && !matches!(it.value, ValueKind::Nothing));
    // A logger that somebody else holds: `self.logger`, `app.log`.
    let used = || {
        facts.calls.iter().any(|it| {
            let holder = it.callee.rsplit_once('.').map_or("", |(holder, _)| holder);
            holder.contains('.') && is_name(&last(holder))
        })
    };
    made || imported() || bound() || used()
}
