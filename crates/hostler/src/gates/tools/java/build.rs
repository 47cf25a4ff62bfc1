//! Tests through `mvn` and `gradle`, by the project's wrapper where it has one.

use std::fs;
use std::path::{Path, PathBuf};

use hostler_policy::checks::{Gate, Severity};

use super::{EXTENSIONS, GRADLE_FILES, MAVEN_FILES, package};
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::process::Answer;
use crate::gates::tools::{Effort, File, Job, Purpose, Report, Tool, Use, exited, junit, words};

/// Tests of a project that Maven builds.
pub(in super::super) const MAVEN: Tool = Tool {
    name: "mvn test",
    gates: &[Gate::Stop],
    extensions: EXTENSIONS,
    effort: Effort::Tests,
    purposes: &[Purpose::Stop, Purpose::Review],
    program: (&["mvnw", "mvn"], Ecosystem::Build),
    files_max: None,
    choose: |layout, folder, _| beside(layout, folder, MAVEN_FILES),
    takes: |_, path| Ok(is_test(path)),
    arguments: Some(|job| {
        let tests = format!("-Dtest={}", classes(job).collect::<Vec<_>>().join(","));
        let all = ["--batch-mode", "--offline", "--quiet", "-DfailIfNoTests=false"];
        Ok(words(&all).into_iter().chain([tests.into(), "test".into()]).collect())
    }),
    text: None,
    read: |job, answer| findings(job, answer, "target/surefire-reports"),
    fix: None,
    is_formatter: false,
    install: "install Maven, or add its wrapper with `mvn wrapper:wrapper`",
};

/// Tests of a project that Gradle builds.
pub(in super::super) const GRADLE: Tool = Tool {
    name: "gradle test",
    program: (&["gradlew", "gradle"], Ecosystem::Build),
    choose: |layout, folder, _| {
        let is_mavens = layout.nearest(folder, MAVEN_FILES).is_some();
        beside(layout, folder, GRADLE_FILES).filter(|_| !is_mavens)
    },
    arguments: Some(|job| {
        let tests = classes(job).flat_map(|it| ["--tests".into(), it.into()]);
        Ok(words(&["--offline", "--quiet", "--console=plain", "test"]).into_iter().chain(tests).collect())
    }),
    read: |job, answer| findings(job, answer, "build/test-results/test"),
    install: "install Gradle, or add its wrapper with `gradle wrapper`",
    ..MAVEN
};

fn beside(layout: &Layout<'_>, folder: &Path, names: &[&str]) -> Option<Use> {
    let file = layout.nearest(folder, names)?;
    Some(Use { folder: file.parent()?.to_owned(), configured: Some(file), is_ours: false })
}

/// In the folder for tests, and named as runners want it.
fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    let is_named =
        stem.starts_with("Test") || ["Test", "Tests", "TestCase"].iter().any(|it| stem.ends_with(it));
    is_named && path.components().any(|it| it.as_os_str() == "test")
}

fn classes<'j>(job: &'j Job<'_>) -> impl Iterator<Item = String> + use<'j> {
    job.files.iter().filter_map(|it| class(job, it))
}

/// The class that a file declares, with its package.
fn class(job: &Job<'_>, file: &File<'_>) -> Option<String> {
    let text = job.layout.text(&file.path)?;
    let name = file.path.file_stem()?.to_str()?;
    Some(package(&text).map_or_else(|| name.to_owned(), |it| format!("{it}.{name}")))
}

/// The reports of this run's classes; one that was there before the run is an old one.
fn findings(job: &Job<'_>, answer: &Answer, reports: &str) -> Result<Vec<Report>, String> {
    if answer.code == 0 {
        return Ok(Vec::new());
    }
    let mut found: Vec<Report> = Vec::new();
    for file in &job.files {
        let Some(class) = class(job, file) else { continue };
        let report = job.chosen.folder.join(reports).join(format!("TEST-{class}.xml"));
        let is_new = fs::metadata(&report).and_then(|it| it.modified()).is_ok_and(|it| it >= job.planned);
        if let Some(xml) = fs::read_to_string(&report).ok().filter(|_| is_new) {
            found.extend(junit::failures(&xml)?.iter().map(|it| failure(it, &file.path)));
        }
    }
    if found.is_empty() {
        found.extend(uncompiled(answer, job.files.first().map(|it| it.path.clone()).unwrap_or_default()));
    }
    if found.is_empty() { Err(exited(answer)) } else { Ok(found) }
}

fn failure(failure: &junit::Failure, file: &Path) -> Report {
    // `at a.ATest.adds(ATest.java:9)`
    let name = file.file_name().map(|it| format!("({}:", it.to_string_lossy())).unwrap_or_default();
    let line =
        failure.text.split(&name).nth(1).and_then(|it| it.split(')').next()?.parse().ok()).unwrap_or(1);
    let message = format!("`{}` failed: {}", failure.name, failure.message);
    Report::new(file, line, "stop.test", Severity::Error, &message)
}

/// `[ERROR] /p/A.java:[5,20] incompatible types` of Maven, `/p/A.java:5: error: incompatible types` of Gradle.
fn uncompiled(answer: &Answer, first: PathBuf) -> Option<Report> {
    let lines = answer.stdout.lines().chain(answer.stderr.lines());
    let error = lines.map(str::trim).find(|it| it.contains(".java:[") || it.contains(": error: "))?;
    let message = format!("the tests do not compile: {}", error.trim_start_matches("[ERROR] "));
    Some(Report::new(first, 1, "stop.test", Severity::Error, &message))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_failure_is_told_where_the_test_stands() {
        let failures = junit::failures(include_str!("../recorded/surefire.xml")).unwrap();
        let found: Vec<Report> =
            failures.iter().map(|it| failure(it, Path::new("/p/src/test/java/a/ATest.java"))).collect();
        let found: Vec<_> = found.iter().map(|it| (it.finding.line, it.finding.message.as_str())).collect();
        assert_eq!(found, [(9, "`a.ATest.adds` failed: expected:<3> but was:<2>")]);
    }

    #[test]
    fn tests_are_told_by_place_and_name() {
        for (path, expected) in [
            ("/p/src/test/java/a/ATest.java", true),
            ("/p/src/test/java/a/TestA.java", true),
            ("/p/src/test/java/a/Helper.java", false),
            ("/p/src/main/java/a/ATest.java", false),
        ] {
            assert_eq!(is_test(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn what_does_not_compile_is_told() {
        let answer =
            |stdout: &str| Answer { code: 1, stdout: stdout.into(), stderr: String::new(), is_cut: false };
        let maven = answer("[ERROR] /p/src/A.java:[5,20] incompatible types\n");
        let message = uncompiled(&maven, "/p".into()).unwrap().finding.message;
        assert_eq!(message, "the tests do not compile: /p/src/A.java:[5,20] incompatible types");
        assert_eq!(uncompiled(&answer("[ERROR] no plugin in offline mode\n"), "/p".into()), None);
    }
}
