//! What keeps `OpenCode` 1 from calling its package manager when it starts.
//!
//! In each of its configuration folders it installs the package for plugins, and a start with a local plugin waits for
//! that: minutes without a network. It leaves a folder alone that has a `node_modules` and a lock which names that package
//! and everything else that `package.json` asks for.

use serde_json::Value;

/// The package that the client installs for plugins and tools.
pub const PACKAGE: &str = "@opencode-ai/plugin";
/// The name of the lock.
pub const LOCK: &str = "package-lock.json";
/// The name of the folder.
pub const MODULES: &str = "node_modules";
/// What the client writes as `.gitignore` into a folder that it installs into.
pub const GITIGNORE: &str = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore";

/// A lock that names `version` of the package for plugins, and nothing else.
pub fn lock(version: &str) -> String {
    let quoted = Value::from(version);
    format!(
        "{{\n  \"lockfileVersion\": 3,\n  \"packages\": {{\n    \"\": {{\n      \"dependencies\": {{\n        \"{PACKAGE}\": {quoted}\n      }}\n    }}\n  }}\n}}\n"
    )
}

/// Whether `text` is what [`lock`] gives for some version: no package manager writes so little.
pub fn is_lock_of_ours(text: &str) -> bool {
    let read: Option<Value> = serde_json::from_str(text).ok();
    let version = read.as_ref().and_then(|it| it["packages"][""]["dependencies"][PACKAGE].as_str());
    version.is_some_and(|version| lock(version) == text)
}

/// Whether the client finds in `lock` what it and `package` (the text of a `package.json`) ask for.
pub fn is_satisfied(lock: &str, package: Option<&str>) -> bool {
    let Ok(lock) = serde_json::from_str::<Value>(lock) else { return false };
    let locked = |name: &str| {
        let root = &lock["packages"][""];
        ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
            .iter()
            .any(|kind| root[kind].get(name).is_some())
    };
    locked(PACKAGE) && dependencies(package).iter().all(|name| locked(name))
}

/// What the text of a `package.json` asks for, beside the package for plugins.
pub fn dependencies(package: Option<&str>) -> Vec<String> {
    let package = package.and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or_default();
    let kinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let names = kinds.iter().filter_map(|kind| package[kind].as_object()).flat_map(|it| it.keys().cloned());
    names.filter(|name| name != PACKAGE).collect()
}

/// Whether the source of a plugin or tool needs something of the package when it runs: types alone are gone by then.
pub fn imports_package(source: &str) -> bool {
    let statements = source.lines().map(str::trim_start).filter(|line| line.contains(PACKAGE));
    statements
        .into_iter()
        .any(|line| !line.starts_with("import type") && !line.starts_with("//") && !line.starts_with('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lock_is_one_that_the_client_takes() {
        let ours = lock("1.18.33");
        assert!(is_lock_of_ours(&ours) && !is_lock_of_ours("{}") && !is_lock_of_ours(&format!("{ours}\n")));
        assert!(is_satisfied(&ours, None) && is_satisfied(&ours, Some("{}")));
        let package = r#"{"dependencies":{"@opencode-ai/plugin":"1.18.33","zod":"4"}}"#;
        assert!(!is_satisfied(&ours, Some(package)));
        assert_eq!(dependencies(Some(package)), ["zod"]);
        assert!(!is_satisfied("{}", None) && !is_satisfied("{", None));
    }

    #[test]
    fn what_is_gone_when_it_runs_needs_no_package() {
        assert!(imports_package("import { tool } from \"@opencode-ai/plugin\"\n"));
        assert!(imports_package("const { tool } = await import('@opencode-ai/plugin')"));
        assert!(!imports_package("import type { Plugin } from \"@opencode-ai/plugin\"\n"));
        assert!(!imports_package("// as @opencode-ai/plugin has it\nexport const a = 1\n"));
    }
}
