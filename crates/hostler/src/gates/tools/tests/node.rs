use super::*;

/// A folder in which `biome`, `eslint`, `prettier`, `typescript`, `vitest` and `jest` are installed with npm.
const VARIABLE: &str = "HOSTLER_NODE_DIR";

/// A project with the folder's packages, or `None` and the test is skipped.
fn project(test: &str, files: &[(&str, &str)]) -> Option<Project> {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        testkit::client::skip(
            test,
            &format!("`{VARIABLE}` names no folder in which the tools are installed"),
        );
        return None;
    };
    let project = Project::new(files);
    std::os::unix::fs::symlink(folder.join("node_modules"), project.path("node_modules")).unwrap();
    Some(project)
}

#[test]
fn biome_lints_and_formats() {
    let text = "import b from './b';\nimport a from './a';\nvar  x = 1\nif (x == '1') { debugger }\nexport const z = [a, b];\n";
    let Some(project) = project("biome_lints_and_formats", &[("biome.json", "{}"), ("src/a.ts", text)])
    else {
        return;
    };
    let runs = project.run(Purpose::Stop, &["src/a.ts"]);
    assert_eq!(names(&runs), ["biome"]);
    let lines = found(&runs, "biome");
    for line in [
        "src/a.ts:4 lint error lint/suspicious/noDoubleEquals",
        "src/a.ts:1 format error format",
        "src/a.ts:1 import_order error assist/source/organizeImports",
    ] {
        assert!(lines.contains(&line.to_owned()), "{lines:#?}");
    }
    let fixed = project.run(Purpose::Fix, &["src/a.ts"]);
    assert_eq!(fixed[0].outcome, Outcome::Clean);
    let text = project.read("src/a.ts");
    assert!(text.starts_with("import a from \"./a\";\nimport b from \"./b\";\n"), "{text}");
    project.write("biome.json", "{ broken");
    assert!(
        reason(&project.run(Purpose::Stop, &["src/a.ts"]), "biome").contains("`biome` did not do its work")
    );
}

#[test]
fn eslint_and_prettier_and_tsc_are_the_projects_own() {
    let configuration = "export default [{ files: ['**/*.js'], rules: { 'no-debugger': 'error', eqeqeq: 'warn' } }, { \
                         ignores: ['skipped/**'] }];\n";
    let files = [
        ("package.json", "{\"type\": \"module\", \"prettier\": {}}"),
        ("eslint.config.js", configuration),
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true, \"skipLibCheck\": true}, \"include\": [\"src\"]}",
        ),
        ("src/a.js", "const y = 1;\nif (y == '1') { debugger }\n"),
        ("skipped/b.js", "debugger\n"),
        ("src/c.ts", "export const f = (a: number): string => a;\n"),
        ("src/d.ts", "export const g = (a: number): string => h;\n"),
    ];
    let Some(project) = project("eslint_and_prettier_and_tsc_are_the_projects_own", &files) else { return };
    let runs = project.review(&["src/a.js", "skipped/b.js", "src/c.ts"]);
    assert_eq!(found(&runs, "eslint"), ["src/a.js:2 lint warn eqeqeq", "src/a.js:2 lint error no-debugger"]);
    assert_eq!(found(&runs, "prettier"), ["skipped/b.js:1 format error -", "src/a.js:1 format error -"]);
    assert_eq!(
        found(&runs, "tsc"),
        ["src/c.ts:1 type error TS2322"],
        "only of the files that were asked for"
    );
    project.run(Purpose::Fix, &["src/a.js"]);
    assert_eq!(project.read("src/a.js"), "const y = 1;\nif (y == \"1\") {\n  debugger;\n}\n");
    let text = project.with(Purpose::Review, &["src/a.js"], |request| {
        review_text_around(request, "debugger\n", project.around.clone())
    });
    assert_eq!(found(&text, "eslint"), ["src/a.js:1 lint error no-debugger"]);
    assert_eq!(found(&text, "prettier"), ["src/a.js:1 format error -"]);
}

#[test]
fn changed_tests_run_with_the_runner_that_the_project_has() {
    let vitest =
        "import { expect, test } from 'vitest';\ntest('adds', () => {\n  expect(1 + 1).toBe(3);\n});\n";
    let files = [
        ("new/package.json", "{\"type\": \"module\", \"devDependencies\": {\"vitest\": \"*\"}}"),
        ("new/src/a.test.ts", vitest),
        ("new/src/a.ts", "export const a = 1;\n"),
        ("old/package.json", "{\"jest\": {}}"),
        (
            "old/__tests__/a.js",
            "test('adds', () => {\n  expect(1 + 1).toBe(3);\n});\ntest('holds', () => {});\n",
        ),
    ];
    let Some(project) = project("changed_tests_run_with_the_runner_that_the_project_has", &files) else {
        return;
    };
    let runs = project.run(Purpose::Stop, &["new/src/a.test.ts", "new/src/a.ts", "old/__tests__/a.js"]);
    assert_eq!(names(&runs), ["vitest", "jest"]);
    assert_eq!(found(&runs, "vitest"), ["new/src/a.test.ts:3 stop.test error -"]);
    assert_eq!(found(&runs, "jest"), ["old/__tests__/a.js:2 stop.test error -"]);
    assert_eq!(project.run(Purpose::Stop, &["new/src/a.ts"]), []);
}
