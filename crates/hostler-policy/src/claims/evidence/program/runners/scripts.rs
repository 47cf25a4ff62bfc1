//! Scripts, by their names.

use super::super::{Act, Meaning, Role, Tool, Words, base, named_deeds, outputs, rehearses};
use super::{NARROWING, scope};

/// A script of the project, run by its interpreter.
pub(super) fn script_file(file: &str, words: Words<'_>) -> Meaning {
    let mut meaning = Meaning::new(Role::Deed, base(file)).opaque().deed(Act::Run, file);
    named_deeds(base(file), &mut meaning);
    outputs(words, &mut meaning);
    judge_file(file, &mut meaning);
    rehearses(words, &mut meaning);
    meaning
}

/// What a script's file name says that it judges: `run-tests.sh`, `build.sh`; a `check` may check anything.
pub(in super::super) fn judge_file(file: &str, meaning: &mut Meaning) {
    let name = base(file);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let vague = ["check", "verify", "validate", "ci", "quality"].iter().any(|it| stem.contains(it));
    if !vague {
        judge_by_name(name, name, Words { name, word: file, args: &[] }, meaning);
    }
}

/// A script that a manifest names: `npm run lint:fix`.
pub(in super::super) fn script(name: &str, target: &str, words: Words<'_>) -> Meaning {
    let mut meaning = Meaning::new(Role::Deed, target);
    let at = words.args.iter().position(|it| it == "--");
    let after = words.args.get(at.map_or(words.args.len(), |at| at + 1)..).unwrap_or_default();
    let inner = Words { args: after, ..words };
    judge_by_name(name, target, inner, &mut meaning);
    named_deeds(name, &mut meaning);
    let lower = name.to_lowercase();
    let fixes = ["fix", "write"].iter().any(|it| lower.contains(it))
        || lower == "format"
        || lower == "fmt"
        || inner.has(&["--fix", "--write"]);
    if meaning.judges.is_empty() || fixes || meaning.judges.iter().any(|it| it.act == Act::Build) {
        // A build writes its products; what an unknown script does is not told.
        if meaning.judges.is_empty() {
            meaning.opaque = true;
            meaning = meaning.deed(Act::Run, name);
        }
        if fixes {
            meaning = meaning.tree(Act::Edit, ".");
        }
    }
    let clean = lower == "clean";
    if clean { meaning.opaque() } else { meaning }
}

/// What a script or target of this name judges.
pub(super) fn judge_by_name(name: &str, program: &str, words: Words<'_>, meaning: &mut Meaning) {
    let lower = name.to_lowercase();
    let lower = lower.trim_end_matches(".sh").trim_end_matches(".py").trim_end_matches(".js");
    let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let joined = parts.join("");
    let has = |names: &[&str]| parts.iter().any(|part| names.contains(part));
    let mut acts: Vec<(Act, Tool)> = Vec::new();
    let starts = parts.first().copied().unwrap_or_default();
    if matches!(
        starts,
        "deploy"
            | "release"
            | "publish"
            | "start"
            | "dev"
            | "serve"
            | "watch"
            | "generate"
            | "create"
            | "add"
            | "update"
            | "setup"
            | "install"
    ) {
        return;
    }
    if has(&[
        "test",
        "tests",
        "unit",
        "e2e",
        "spec",
        "specs",
        "coverage",
        "cov",
        "vitest",
        "jest",
        "playwright",
        "cypress",
        "smoke",
    ]) {
        acts.push((Act::Test, Tool::Generic));
    }
    if has(&["typecheck", "types", "tsc", "mypy", "typescript", "typechecks"])
        || joined.contains("typecheck")
        || joined.contains("checktypes")
    {
        acts.push((Act::Typecheck, Tool::Plain));
    }
    if has(&["lint", "linter", "eslint", "linting", "clippy", "vet", "biome", "ruff"]) {
        acts.push((Act::Lint, Tool::Plain));
    }
    if has(&["format", "fmt", "prettier"]) {
        acts.push((Act::Format, Tool::Plain));
    }
    if has(&["build", "compile", "bundle"]) && !has(&["test", "tests"]) {
        acts.push((Act::Build, Tool::Plain));
    }
    if acts.is_empty() && has(&["check", "checks", "verify", "validate", "ci", "quality", "precommit"])
        || joined == "precommit"
    {
        acts.push((Act::Lint, Tool::Plain));
        acts.push((Act::Typecheck, Tool::Plain));
        if has(&["ci", "verify"]) {
            acts.push((Act::Test, Tool::Generic));
            acts.push((Act::Build, Tool::Plain));
        }
    }
    let places = scope(words, NARROWING);
    for (act, tool) in acts {
        let next = std::mem::take(meaning);
        *meaning = next.judge(act, program, tool, places.clone());
    }
}
