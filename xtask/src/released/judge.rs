//! Compilers that say what parses.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, ensure};

type Texts<'a> = &'a [(&'a str, &'a str)];

/// Nobody is there to ask.
fn missing(what: &str) -> anyhow::Result<Option<Vec<bool>>> {
    crate::tell(&format!("{what} is missing: nobody checks that the edits are what they are meant to be"));
    ensure!(std::env::var_os("HOSTLER_REQUIRE_ALL").is_none(), "{what} is required");
    Ok(None)
}

/// `rustc`, over items that no configuration has: it parses them and does no more.
pub(super) fn rust(texts: Texts<'_>) -> anyhow::Result<Option<Vec<bool>>> {
    let folder = tempfile::tempdir()?;
    let mut out = Vec::new();
    for (_, text) in texts {
        let file = folder.path().join("a.rs");
        fs::write(&file, format!("#[cfg(any())]\nmod a {{\n{text}\n}}\n"))?;
        // Which edition it is written in stands elsewhere.
        let mut parses = false;
        for edition in ["--edition=2024", "--edition=2021"] {
            let output = Command::new("rustc")
                .args([edition, "--crate-type=lib", "--crate-name=a", "--emit=metadata", "--cap-lints=allow"])
                .args(["-o".as_ref(), folder.path().join("a.rmeta").as_os_str(), file.as_os_str()])
                .output()
                .context("`rustc` is missing")?;
            parses = output.status.success();
            if parses {
                break;
            }
        }
        out.push(parses);
    }
    Ok(Some(out))
}

/// `gofmt`.
pub(super) fn go(texts: Texts<'_>) -> anyhow::Result<Option<Vec<bool>>> {
    let mut out = Vec::new();
    for (_, text) in texts {
        match piped(Command::new("gofmt").arg("-e"), text) {
            Ok(output) => out.push(output.status.success()),
            Err(_) => return missing("`gofmt`"),
        }
    }
    Ok(Some(out))
}

fn piped(command: &mut Command, text: &str) -> anyhow::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("a pipe")?;
    let text = text.to_owned();
    // Both pipes may be full at once.
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    // Who stops reading at the first error has heard enough.
    drop(writer.join());
    Ok(output)
}

/// A program for `java` that parses files with the compiler of the same kit.
const JAVA: &str = r#"
import com.sun.source.util.JavacTask;
import java.nio.file.Path;
import java.util.List;
import javax.tools.*;

class Judge {
    public static void main(String[] files) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (String file : files) {
            DiagnosticCollector<JavaFileObject> told = new DiagnosticCollector<>();
            StandardJavaFileManager manager = compiler.getStandardFileManager(told, null, null);
            var units = manager.getJavaFileObjects(Path.of(file));
            ((JavacTask) compiler.getTask(null, manager, told, List.of("-proc:none"), null, units)).parse();
            boolean fails = told.getDiagnostics().stream().anyMatch(it -> it.getKind() == Diagnostic.Kind.ERROR);
            System.out.println(fails ? "0" : "1");
        }
    }
}
"#;

/// The parser of `javac`.
pub(super) fn java(texts: Texts<'_>) -> anyhow::Result<Option<Vec<bool>>> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("Judge.java");
    fs::write(&program, JAVA)?;
    let files = written(&folder, texts)?;
    let Ok(output) = Command::new("java").arg(program).args(files).output() else { return missing("`java`") };
    ensure!(output.status.success(), "`java` failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(Some(String::from_utf8(output.stdout)?.lines().map(|it| it == "1").collect()))
}

/// Each text in a folder of its own, since names may be the same.
fn written(folder: &tempfile::TempDir, texts: Texts<'_>) -> anyhow::Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for (at, (path, text)) in texts.iter().enumerate() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let file = folder.path().join(at.to_string()).join(name);
        fs::create_dir_all(folder.path().join(at.to_string()))?;
        fs::write(&file, text)?;
        out.push(file);
    }
    Ok(out)
}

/// `tsc`, without types and without what is imported.
pub(super) fn typescript(texts: Texts<'_>) -> anyhow::Result<Option<Vec<bool>>> {
    const OPTIONS: &str = "--noEmit --noCheck --noResolve --skipLibCheck --ignoreConfig --target esnext --module esnext --pretty false";
    let tsc = std::env::var_os("HOSTLER_NODE_DIR").map(|it| PathBuf::from(it).join("node_modules/.bin/tsc"));
    let Some(tsc) = tsc.filter(|it| it.exists()) else { return missing("`tsc` below `HOSTLER_NODE_DIR`") };
    let folder = tempfile::tempdir()?;
    written(&folder, texts)?;
    // What is named from here is told by its path from here.
    let files = texts
        .iter()
        .enumerate()
        .map(|(at, (path, _))| format!("{at}/{}", path.rsplit('/').next().unwrap_or(path)));
    let output =
        Command::new(tsc).args(OPTIONS.split(' ')).args(files).current_dir(folder.path()).output()?;
    let told = String::from_utf8(output.stdout)?;
    let broken: BTreeSet<usize> = told
        .lines()
        .filter(|it| it.contains(": error TS1"))
        .filter_map(|it| it.split('/').next()?.parse().ok())
        .collect();
    ensure!(output.status.success() || !broken.is_empty(), "`tsc` failed: {told}");
    Ok(Some((0..texts.len()).map(|at| !broken.contains(&at)).collect()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::{Texts, go, java, rust, typescript};

    #[track_caller]
    fn check(
        judge: fn(Texts<'_>) -> anyhow::Result<Option<Vec<bool>>>,
        name: &str,
        whole: &str,
        broken: &str,
    ) {
        let verdicts = judge(&[(name, whole), (name, broken), (name, whole)]).unwrap();
        // Who is not there has said so.
        assert!(verdicts.is_none_or(|it| it == [true, false, true]));
    }

    #[test]
    fn compilers_tell_what_parses() {
        check(rust, "a.rs", "fn f() { g() }", "fn f( { g() }");
        check(go, "a.go", "package a\n\nfunc f() { g() }\n", "package a\n\nfunc f( { g() }\n");
        check(java, "A.java", "class A { void f() { g(); } }", "class A { void f( { g(); } }");
        check(
            typescript,
            "a.ts",
            "export function f(): number { return g() }",
            "export function f(: number { }",
        );
    }
}
