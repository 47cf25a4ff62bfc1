//! What tests of the parsers share.

use super::Report;
use super::process::Answer;

/// What a program said that ended with `code`.
pub(super) fn answer(code: i32, stdout: &str, stderr: &str) -> Answer {
    Answer { code, stdout: stdout.to_owned(), stderr: stderr.to_owned(), is_cut: false }
}

/// Each finding as `FILE:LINE CHECK SEVERITY CODE`.
pub(super) fn rows(found: &[Report]) -> Vec<String> {
    let row = |it: &Report| {
        let finding = &it.finding;
        let code = finding.code.as_deref().unwrap_or("-");
        let severity = finding.severity.name();
        format!("{}:{} {} {severity} {code}", it.file.display(), finding.line, finding.check)
    };
    found.iter().map(row).collect()
}
