//! What formatters print: unified diffs.

use std::path::PathBuf;

use hostler_policy::checks::Severity;

use super::Report;

/// One finding of `check` for each file that a formatter would change.
pub(super) fn reports(diff: &str, check: &str, fix: &str) -> Vec<Report> {
    let message = match check {
        "import_order" => "imports are not in the project's order",
        _ => "the formatter would change this file",
    };
    let report = |(file, line)| Report::new(file, line, check, Severity::Error, message).fix(Some(fix));
    changed_files(diff).into_iter().map(report).collect()
}

/// The files of unified diffs, each with the line of its first change.
fn changed_files(diff: &str) -> Vec<(PathBuf, usize)> {
    let mut found = Vec::new();
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let named =
            line.strip_prefix("--- ").filter(|_| lines.peek().is_some_and(|it| it.starts_with("+++ ")));
        let Some(named) = named else { continue };
        // A time may follow the name, and words that tell old from new.
        let name = named.split('\t').next().unwrap_or(named);
        let name = name.strip_suffix(".orig").or_else(|| name.strip_suffix(":before")).unwrap_or(name);
        lines.next();
        let Some(hunk) = lines.next().filter(|it| it.starts_with("@@ ")) else { continue };
        let start = hunk_start(hunk).unwrap_or(1);
        let unchanged = lines.clone().take_while(|it| it.starts_with(' ') || it.is_empty()).count();
        found.push((PathBuf::from(name), (start + unchanged).max(1)));
    }
    found
}

/// The old file's first line of `@@ -12,7 +12,9 @@`.
fn hunk_start(hunk: &str) -> Option<usize> {
    let rest = hunk.strip_prefix("@@ -")?;
    let digits = rest.find(|it: char| !it.is_ascii_digit())?;
    rest.get(..digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_files_and_first_changes() {
        let diff = "--- a b.py\n+++ a b.py\n@@ -3,4 +3,8 @@\n import os\n+\n def f():\n--- c.py\t2026-11-30\n+++ c.py\n@@ -1 \
                    +1 @@\n-x = {'a':1}\n+x = {\"a\": 1}\n-- - sql\n";
        assert_eq!(changed_files(diff), [(PathBuf::from("a b.py"), 4), (PathBuf::from("c.py"), 1)]);
        assert_eq!(changed_files(""), []);
        assert_eq!(changed_files("--- x\n+++ x\n"), []);
    }
}
