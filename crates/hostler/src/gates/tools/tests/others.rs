//! Rust, Go, Java, the shell.

use super::*;

const CARGO: &str = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

#[test]
fn rust_is_formatted_linted_and_tested() {
    let project = Project::new(&[
        ("Cargo.toml", CARGO),
        ("src/lib.rs", "mod  child;\npub fn f(x: i32) -> i32 {\n    return x;\n}\n"),
        ("src/child.rs", "pub  fn g() {}\n"),
        ("tests/it.rs", "#[test]\nfn bad() {\n    assert_eq!(x::f(1), 2);\n}\n\n#[test]\nfn good() {}\n"),
    ]);
    if !has("rust_is_formatted_linted_and_tested", &project, &["cargo", "rustfmt", "cargo-clippy"]) {
        return;
    }
    let runs = project.review(&["src/lib.rs", "tests/it.rs"]);
    assert_eq!(found(&runs, "rustfmt"), ["src/lib.rs:1 format error -"]);
    assert_eq!(found(&runs, "cargo clippy"), ["src/lib.rs:3 lint warn clippy::needless_return"]);
    assert_eq!(found(&runs, "cargo test"), ["tests/it.rs:3 stop.test error -"]);
    let fixed = project.run(Purpose::Fix, &["src/lib.rs"]);
    assert!(fixed.iter().all(|it| it.outcome == Outcome::Clean), "{fixed:#?}");
    assert!(project.read("src/lib.rs").starts_with("mod child;\n"));
    assert_eq!(project.read("src/child.rs"), "pub  fn g() {}\n", "nobody asked for that one");

    project.write("src/lib.rs", "pub fn f(x: i32) -> i32 {\n    \"x\"\n}\n");
    let runs = project.review(&["src/lib.rs", "tests/it.rs"]);
    assert_eq!(found(&runs, "cargo clippy"), ["src/lib.rs:2 type error E0308"]);
    let elsewhere = project.run(Purpose::Stop, &["src/child.rs"]);
    assert!(reason(&elsewhere, "cargo clippy").contains("`src/lib.rs` does not compile, line 2"));
    assert_eq!(found(&runs, "cargo test"), ["tests/it.rs:1 stop.test error -"]);
}

#[test]
fn nextest_runs_where_the_project_configures_it() {
    let project = Project::new(&[
        ("Cargo.toml", CARGO),
        (".config/nextest.toml", "[profile.default]\nretries = 0\n"),
        ("src/lib.rs", "pub fn f(x: i32) -> i32 {\n    x\n}\n"),
        ("tests/it/main.rs", "mod part;\n"),
        ("tests/it/part.rs", "#[test]\nfn bad() {\n    assert_eq!(x::f(1), 2);\n}\n"),
    ]);
    if !has("nextest_runs_where_the_project_configures_it", &project, &["cargo", "cargo-nextest"]) {
        return;
    }
    let runs = project.run(Purpose::Stop, &["tests/it/part.rs"]);
    assert!(!names(&runs).contains(&"cargo test"));
    assert_eq!(found(&runs, "cargo nextest"), ["tests/it/part.rs:3 stop.test error -"]);
}

#[test]
fn go_is_formatted_vetted_and_tested() {
    let project = Project::new(&[
        ("go.mod", "module example.com/x\n\ngo 1.19\n"),
        ("pkg/a.go", "package pkg\n\nimport \"fmt\"\n\nfunc F() {\nfmt.Printf(\"%d\\n\", \"x\")\n}\n"),
        (
            "pkg/a_test.go",
            "package pkg\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tt.Fatal(\"no\")\n}\n",
        ),
        ("other/b.go", "package other\n\nfunc G() int { return \"x\" }\n"),
    ]);
    if !has("go_is_formatted_vetted_and_tested", &project, &["go", "gofmt"]) {
        return;
    }
    let runs = project.review(&["pkg/a.go", "pkg/a_test.go"]);
    assert_eq!(names(&runs), ["gofmt", "go vet", "go test"]);
    assert_eq!(found(&runs, "gofmt"), ["pkg/a.go:6 format error -"]);
    assert_eq!(found(&runs, "go vet"), ["pkg/a.go:6 lint warn printf"]);
    assert_eq!(found(&runs, "go test"), ["pkg/a_test.go:6 stop.test error -"]);
    assert_eq!(found(&project.run(Purpose::Stop, &["other/b.go"]), "go vet"), ["other/b.go:3 type error -"]);
    project.write("other/c.go", "package other\n");
    let elsewhere = project.run(Purpose::Stop, &["other/c.go"]);
    assert!(reason(&elsewhere, "go vet").contains("`other/b.go` does not compile, line 3"));
    project.run(Purpose::Fix, &["pkg/a.go"]);
    assert!(project.read("pkg/a.go").contains("\n\tfmt.Printf"));
}

#[test]
fn java_is_compiled_with_lints() {
    let text = "package a;\n\nimport java.util.*;\n\nclass A {\n  List raw = new B().list();\n  int f() { return \"x\"; }\n}\n";
    let project = Project::new(&[
        ("src/a/A.java", text),
        (
            "src/a/B.java",
            "package a;\n\nimport java.util.*;\n\nclass B {\n  List<String> list() { return null; }\n}\n",
        ),
        ("src/a/C.java", "package a;\n\nimport org.junit.Test;\n\nclass C {}\n"),
    ]);
    if !has("java_is_compiled_with_lints", &project, &["javac"]) {
        return;
    }
    let runs = project.review(&["src/a/A.java"]);
    assert_eq!(found(&runs, "javac"), ["src/a/A.java:6 lint warn rawtypes", "src/a/A.java:7 type error -"]);
    assert!(
        reason(&project.review(&["src/a/C.java"]), "javac").contains("org.junit"),
        "its libraries are not known"
    );
    assert!(!project.path("src/a/A.class").exists());
    project.write("pom.xml", "<project/>");
    assert_eq!(project.review(&["src/a/A.java"]), [], "a builder knows better");
}

#[test]
fn checkstyle_reads_the_projects_rules() {
    let rules = "<?xml version=\"1.0\"?>\n<!DOCTYPE module PUBLIC \"-//Checkstyle//DTD Checkstyle Configuration \
                 1.3//EN\" \"https://checkstyle.org/dtds/configuration_1_3.dtd\">\n<module name=\"Checker\"><module \
                 name=\"TreeWalker\"><module name=\"AvoidStarImport\"/></module></module>\n";
    let project = Project::new(&[
        ("config/checkstyle/checkstyle.xml", rules),
        ("src/A.java", "import java.util.*;\n\nclass A {}\n"),
    ]);
    if !has("checkstyle_reads_the_projects_rules", &project, &["checkstyle"]) {
        return;
    }
    let runs = project.review(&["src/A.java"]);
    assert_eq!(found(&runs, "checkstyle"), ["src/A.java:1 lint warn AvoidStarImportCheck"]);
}

/// Scripts of ours for the two builders: neither works without a network or a repository on the disk.
#[test]
fn builders_run_the_classes_that_changed() {
    let text = "package a;\n\npublic class ATest {\n}\n";
    let report = include_str!("../recorded/surefire.xml");
    for (file, tool, wrapper, reports) in [
        ("pom.xml", "mvn test", "mvnw", "target/surefire-reports"),
        ("build.gradle.kts", "gradle test", "gradlew", "build/test-results/test"),
    ] {
        let project = Project::bare(&[(file, ""), ("src/test/java/a/ATest.java", text)]);
        project.around.path.iter().for_each(|it| assert!(!it.exists()));
        let script = format!(
            "case \" $* \" in *a.ATest*) ;; *) exit 9 ;; esac\n/bin/mkdir -p {reports}\n/bin/cat > \
             {reports}/TEST-a.ATest.xml <<'END'\n{report}\nEND\nexit 1"
        );
        project.program(wrapper, &script);
        let runs = project.run(Purpose::Stop, &["src/test/java/a/ATest.java"]);
        assert_eq!(found(&runs, tool), ["src/test/java/a/ATest.java:9 stop.test error -"]);
        // A report that was there before says nothing about this run.
        project.program(wrapper, "echo 'no plugin in offline mode'; exit 1");
        let runs = project.run(Purpose::Stop, &["src/test/java/a/ATest.java"]);
        assert!(reason(&runs, tool).contains("offline mode"));
    }
}

#[test]
fn shell_scripts_are_linted_and_formatted_where_the_project_says_how() {
    let script = "#!/bin/bash\nx=$1\nif [ $x = 1 ]; then\necho  y\nfi\n";
    let project = Project::new(&[("a.sh", script)]);
    let test = "shell_scripts_are_linted_and_formatted_where_the_project_says_how";
    if !has(test, &project, &["shellcheck", "shfmt"]) {
        return;
    }
    let runs = project.review(&["a.sh"]);
    assert_eq!(names(&runs), ["shellcheck"]);
    assert_eq!(found(&runs, "shellcheck"), ["a.sh:3 lint info SC2086"]);
    assert_eq!(project.run(Purpose::Stop, &["a.sh"]), []);
    project.write(".editorconfig", "root = true\n[*.{sh,bash}]\nindent_style = tab\n");
    assert_eq!(found(&project.review(&["a.sh"]), "shfmt"), ["a.sh:4 format error -"]);
    project.run(Purpose::Fix, &["a.sh"]);
    assert!(project.read("a.sh").contains("\n\techo y\n"));
    project.write("bad.sh", "if then\n");
    assert!(
        found(&project.review(&["bad.sh"]), "shellcheck")
            .contains(&"bad.sh:1 syntax error SC1073".to_owned())
    );
}
