//! jest, vitest, mocha, `node --test`, playwright, cypress, bun, deno.

use super::super::text::{after, count, counted, leading_count};
use super::{RunOutcome, Summary, Tool, add, counts};

#[derive(Default)]
pub(super) struct Reader {
    /// Jest's `Test Suites:` line, until its `Tests:` line comes.
    suites_passed: Option<u64>,
    suites_failed: u64,
    node: Node,
    /// mocha and playwright print one count a line.
    listed: Listed,
    bun: Listed,
    cypress: Listed,
}

#[derive(Default)]
struct Node {
    pass: Option<u64>,
    fail: Option<u64>,
    skipped: u64,
}

#[derive(Default, PartialEq)]
struct Listed {
    passed: Option<u64>,
    failed: u64,
    skipped: u64,
    flaky: u64,
    open: bool,
}

impl Listed {
    fn take(&mut self, tool: Tool, found: &mut Vec<Summary>) {
        if self.open {
            let passed = self.passed.map_or(Some(self.flaky), |it| Some(it + self.flaky));
            add(found, tool, counts(passed, Some(self.failed), Some(self.skipped)));
        }
        *self = Self::default();
    }
}

impl Reader {
    /// Whether the line is part of a summary.
    pub(super) fn line(&mut self, line: &str, found: &mut Vec<Summary>) -> bool {
        let trimmed = line.trim_start();
        if self.jest(trimmed, found) || self.vitest(trimmed, found) || deno(trimmed, found) {
            return true;
        }
        let plain = trimmed.strip_prefix("# ").or_else(|| trimmed.strip_prefix("ℹ "));
        if let Some(rest) = plain {
            self.node(rest, found);
            return true;
        }
        self.bun(trimmed, found);
        self.cypress(trimmed, found);
        self.list(line, found)
    }

    fn jest(&mut self, line: &str, found: &mut Vec<Summary>) -> bool {
        let number = |rest: &str, name: &str| {
            counted(rest).into_iter().find(|(_, word)| word == name).map(|(number, _)| number)
        };
        if let Some(rest) = line.strip_prefix("Test Suites:") {
            self.suites_passed = number(rest, "passed");
            self.suites_failed = number(rest, "failed").unwrap_or(0);
            return true;
        }
        let Some(rest) = line.strip_prefix("Tests:") else { return false };
        if number(rest, "total").is_some() {
            let mut outcome = counts(
                Some(number(rest, "passed").unwrap_or(0)),
                Some(number(rest, "failed").unwrap_or(0)),
                Some(number(rest, "skipped").unwrap_or(0) + number(rest, "todo").unwrap_or(0)),
            );
            outcome.units_passed = self.suites_passed.take();
            if 0 < std::mem::take(&mut self.suites_failed) {
                outcome.passed = Some(false);
            }
            add(found, Tool::Jest, outcome);
            return true;
        }
        false
    }

    fn vitest(&mut self, line: &str, found: &mut Vec<Summary>) -> bool {
        let number = |rest: &str, name: &str| {
            counted(rest).into_iter().find(|(_, word)| word == name).map(|(number, _)| number)
        };
        if let Some(rest) = line.strip_prefix("Test Files ") {
            self.suites_passed = number(rest, "passed");
            self.suites_failed = number(rest, "failed").unwrap_or(0);
            return true;
        }
        if let Some(rest) = line.strip_prefix("Tests ")
            && rest.contains('(')
            && (rest.contains("passed") || rest.contains("failed") || rest.contains("skipped"))
        {
            let mut outcome = counts(
                Some(number(rest, "passed").unwrap_or(0)),
                Some(number(rest, "failed").unwrap_or(0)),
                Some(number(rest, "skipped").unwrap_or(0) + number(rest, "todo").unwrap_or(0)),
            );
            outcome.units_passed = self.suites_passed.take();
            if 0 < std::mem::take(&mut self.suites_failed) {
                outcome.passed = Some(false);
            }
            add(found, Tool::Vitest, outcome);
            return true;
        }
        false
    }

    fn node(&mut self, rest: &str, found: &mut Vec<Summary>) {
        let Some((name, number)) = rest.split_once(' ') else { return };
        let Some(number) = leading_count(number) else { return };
        match name {
            "tests" => self.end_node(found),
            "pass" => {
                if self.node.pass.is_some() {
                    self.end_node(found);
                }
                self.node.pass = Some(number);
            }
            "fail" => self.node.fail = Some(number),
            "skipped" | "todo" => self.node.skipped += number,
            "cancelled" if 0 < number => self.node.fail = Some(self.node.fail.unwrap_or(0) + number),
            _ => {}
        }
    }

    fn end_node(&mut self, found: &mut Vec<Summary>) {
        let node = std::mem::take(&mut self.node);
        if node.pass.is_some() || node.fail.is_some() {
            add(found, Tool::NodeTest, counts(node.pass, node.fail, Some(node.skipped)));
        }
    }

    /// ` 5 pass` / ` 1 fail` / `Ran 6 tests across 2 files.`
    fn bun(&mut self, line: &str, found: &mut Vec<Summary>) {
        if line.starts_with("Ran ") && line.contains(" across ") {
            self.bun.take(Tool::Bun, found);
            return;
        }
        let Some((number, word)) = line.split_once(' ') else { return };
        let Some(number) = count(number) else { return };
        match word.trim_end() {
            "pass" => self.bun.passed = Some(number),
            "fail" => self.bun.failed = number,
            "skip" | "todo" => self.bun.skipped += number,
            _ => return,
        }
        self.bun.open = true;
    }

    /// Cypress prints a table of boxes.
    fn cypress(&mut self, line: &str, found: &mut Vec<Summary>) {
        let Some(rest) = line.strip_prefix('│') else { return };
        let rest = rest.trim();
        if let Some(number) = after(rest, "Passing:") {
            self.cypress.passed = Some(number);
        } else if let Some(number) = after(rest, "Failing:") {
            self.cypress.failed = number;
        } else if let Some(number) = after(rest, "Skipped:") {
            self.cypress.skipped = number;
            self.cypress.open = true;
            self.cypress.take(Tool::Cypress, found);
        }
    }

    /// `  12 passing (30ms)`, `  1 failing`; `  5 passed (12.3s)`, `  1 failed`: a line for each count.
    fn list(&mut self, line: &str, found: &mut Vec<Summary>) -> bool {
        let trimmed = line.trim();
        let Some((number, word)) = trimmed.split_once(' ') else { return false };
        let Some(number) = count(number) else { return false };
        let (word, rest) = word.split_once(' ').unwrap_or((word, ""));
        if !(rest.is_empty() || rest.starts_with('(') || rest == "not run") {
            return false;
        }
        let listed = &mut self.listed;
        match word {
            "passing" => {
                listed.take(Tool::Mocha, found);
                *listed = Listed { passed: Some(number), open: true, ..Listed::default() };
            }
            "failing" if listed.open => listed.failed = number,
            "pending" if listed.open => listed.skipped = number,
            "failed" | "interrupted" if line.starts_with("  ") => listed.failed += number,
            "flaky" if line.starts_with("  ") => listed.flaky += number,
            "skipped" | "did" if line.starts_with("  ") => listed.skipped += number,
            "passed" if line.starts_with("  ") => {
                listed.passed = Some(number);
                listed.open = true;
                listed.take(Tool::Playwright, found);
            }
            _ => return false,
        }
        self.listed.open |= self.listed != Listed::default();
        true
    }

    pub(super) fn end(mut self, found: &mut Vec<Summary>) {
        self.end_node(found);
        self.bun.take(Tool::Bun, found);
        let tool = if self.listed.passed.is_some() { Tool::Mocha } else { Tool::Playwright };
        self.listed.take(tool, found);
        if 0 < self.suites_failed {
            // Suites that failed to load, and no test ran.
            let outcome =
                RunOutcome { passed: Some(false), units_passed: self.suites_passed, ..RunOutcome::default() };
            add(found, Tool::Jest, outcome);
        }
    }
}

/// `ok | 5 passed | 0 failed (12ms)`, `FAILED | 4 passed (2 steps) | 1 failed (30ms)`.
fn deno(line: &str, found: &mut Vec<Summary>) -> bool {
    let Some(rest) = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | ")) else {
        return false;
    };
    let number =
        |name: &str| counted(rest).into_iter().find(|(_, word)| word == name).map(|(number, _)| number);
    let mut outcome = counts(number("passed"), number("failed"), number("ignored"));
    if line.starts_with("FAILED") {
        outcome.passed = Some(false);
    }
    add(found, Tool::Deno, outcome);
    true
}
