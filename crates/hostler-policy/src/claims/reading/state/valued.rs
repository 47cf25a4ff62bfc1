//! Values: times, sizes, counts, statuses, versions.

use super::super::super::clause;
use super::super::super::evidence::{deed, metric};
use super::super::super::text::Text;
use super::super::objects;
use super::words::{BOUNDS, LIMITS, ROUGH, ROUGH_SHARE};
use super::{Quantity, Stated, Timed, View, Weighed, magnitude, quantity, seconds};

impl View<'_> {
    /// What is so, with a number.
    pub(super) fn values(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        out.extend(self.status());
        out.extend(self.metrics());
        out.extend(self.time());
        out.extend(self.size());
        out.extend(self.counted());
        out.extend(self.coverage());
        out.extend(self.faster());
        out.extend(self.share());
        out.extend(self.version());
        out
    }

    /// Numbers that a unit follows, without those that tell of the past, of a difference or of a duration.
    fn current(&self, fits: impl Fn(&str) -> bool) -> Vec<(usize, Quantity)> {
        let all: Vec<(usize, Quantity)> = (0..self.tokens.len())
            .filter_map(|at| Some((at, quantity(self.tokens, at)?)))
            .filter(|(_, it)| fits(&it.unit))
            .collect();
        let fine = |at: usize| {
            let behind = self.tokens.iter().skip(at + 1).take(3);
            !matches!(
                self.before(at),
                "from" | "was" | "were" | "than" | "by" | "of" | "after" | "for" | "between"
            ) && !behind.clone().any(|token| {
                matches!(
                    token.as_str(),
                    "faster"
                        | "slower"
                        | "less"
                        | "more"
                        | "longer"
                        | "shorter"
                        | "smaller"
                        | "larger"
                        | "before"
                        | "saved"
                        | "quicker"
                        | "ago"
                        | "later"
                )
            })
        };
        all.into_iter()
            .filter(|(at, _)| fine(*at) && !self.near(*at, BOUNDS))
            .map(|(at, it)| {
                let rough = self.near(at, ROUGH) || self.token(at).starts_with('~');
                let step = if rough { it.step.max(ROUGH_SHARE * it.value) } else { it.step };
                (at, Quantity { step, ..it })
            })
            .collect()
    }

    fn status(&self) -> Option<Stated> {
        const SAYS: &[&str] = &[
            "answers",
            "answered",
            "returns",
            "returned",
            "responds",
            "responded",
            "replies",
            "replied",
            "status",
            "http",
            "gives",
        ];
        if let [only] = self.tokens
            && only.len() == 3
            && let Ok(code) = only.parse::<u16>()
            && (100..600).contains(&code)
        {
            // "Health endpoint: 200", "`GET /health` → 200"
            let asked = self.lead.iter().any(|token| {
                matches!(token.as_str(), "endpoint" | "status" | "http" | "health")
                    || self.code(token).is_some_and(|code| code.starts_with('/') || code.contains(" /"))
            });
            return asked.then(|| Stated::Status(code, self.names()));
        }
        if !self.has(SAYS) || self.negated() {
            return None;
        }
        let code = |at: &usize| {
            let token = self.token(*at);
            token.len() == 3 && token.parse::<u16>().is_ok_and(|it| (100..600).contains(&it))
        };
        let all: Vec<usize> = (0..self.tokens.len()).filter(code).collect();
        let [at] = all.as_slice() else { return None };
        let tied = SAYS.contains(&self.before(*at))
            || matches!(self.before(*at), "with" | "a" | "an" | "code" | "is");
        // "returns 404 for unknown ids" describes code.
        let ends = matches!(self.token(at + 1), "" | "," | "and" | "now" | "again" | "ok");
        let code = self.token(*at).parse().ok()?;
        (tied && ends && !self.has(&["exit", "exits"])).then(|| Stated::Status(code, self.names()))
    }

    fn metrics(&self) -> Vec<Stated> {
        // A few words of English: a message of a line may be in another language.
        let told = |at: usize| {
            at == 0
                || metric(self.leads(at)).is_some()
                || matches!(
                    self.leads(at),
                    "is" | "at"
                        | "to"
                        | "now"
                        | "latency"
                        | "only"
                        | "just"
                        | "time"
                        | "duration"
                        | "of"
                        | "reaches"
                        | "hits"
                )
        };
        let mut numbers = self.current(|unit| seconds(unit).is_some());
        numbers.retain(|(at, _)| told(*at));
        let mut out = Vec::new();
        let names: Vec<(usize, String)> =
            self.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, metric(token)?))).collect();
        for (place, (at, name)) in names.iter().enumerate() {
            let end = names.get(place + 1).map_or(self.tokens.len(), |(next, _)| *next);
            let own: Vec<&Quantity> =
                numbers.iter().filter(|(it, _)| at < it && *it < end).map(|(_, it)| it).collect();
            if let [one] = own.as_slice() {
                out.push(Stated::Metric(name.clone(), (*one).clone()));
            }
        }
        if names.is_empty()
            && let [(at, one)] = numbers.as_slice()
            && *at < 4
            && let [name] = self.lead.iter().filter_map(|token| metric(token)).collect::<Vec<_>>().as_slice()
        {
            out.push(Stated::Metric(name.clone(), one.clone()));
        }
        out
    }

    fn time(&self) -> Option<Stated> {
        let metrics = self.tokens.iter().chain(self.lead).any(|token| metric(token).is_some());
        if metrics || self.negated() {
            return None;
        }
        let numbers = self.current(|unit| seconds(unit).is_some());
        let [(at, number)] = numbers.as_slice() else { return None };
        let timed = self.tokens[..*at].iter().chain(self.lead).find_map(|token| timed(token))?;
        let cue = matches!(
            self.leads(*at),
            "is" | "takes"
                | "took"
                | "in"
                | "at"
                | "to"
                | "now"
                | "needs"
                | "averages"
                | "only"
                | "just"
                | "lasted"
        ) || (*at == 0 && !self.lead.is_empty());
        cue.then(|| Stated::Time(timed, number.clone()))
    }

    fn size(&self) -> Option<Stated> {
        if self.negated() {
            return None;
        }
        let numbers = self.current(|unit| magnitude(unit).is_some() && unit != "m" && unit != "k");
        let [(at, number)] = numbers.as_slice() else { return None };
        let weighed = self.tokens[..*at]
            .iter()
            .chain(self.lead)
            .rev()
            .find_map(|token| weighed(token))
            .or_else(|| (self.before(*at) == "weighs").then_some(Weighed::File))?;
        let cue = matches!(
            self.leads(*at),
            "is" | "at" | "to" | "now" | "weighs" | "size" | "totals" | "only" | "just" | "measures"
        ) || (*at == 0 && !self.lead.is_empty());
        cue.then(|| Stated::Size(weighed, number.clone()))
    }

    fn counted(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            let digits = self.token(at).bytes().next().is_some_and(|byte| byte.is_ascii_digit());
            let Some(count) = objects::number(self.token(at), self.language).filter(|_| digits) else {
                continue;
            };
            if self.token(at + 1).starts_with("vulnerabilit")
                || self.token(at + 1) == "known" && self.token(at + 2).starts_with("vulnerabilit")
            {
                out.push(Stated::Vulnerable(count));
                continue;
            }
            // `41 calls`, "41 `moment()` calls"
            let width = if self.code(self.token(at + 1)).is_some() { 2 } else { 1 };
            let noun = self.token(at + width);
            let fits = 3 < noun.len() && noun.ends_with('s') && noun.chars().all(char::is_alphabetic);
            let owned =
                ["packages", "dependencies", "modules", "tests", "times", "lines", "seconds", "minutes"];
            let hedged = self.near(at, BOUNDS) || self.near(at, ROUGH);
            if let Some(deed) = deed(self.token(at + 1)).filter(|_| self.token(at + 2).is_empty() && at == 0)
            {
                // "…, 4 skipped"
                if matches!(deed, "skipped" | "imported" | "migrated" | "processed") {
                    out.push(Stated::Counted(deed, String::new(), count));
                }
                continue;
            }
            let holds = matches!(self.before(at), "has" | "have" | "contains" | "holds" | "are" | "now");
            if holds
                && !hedged
                && width == 1
                && self.has(&["table", "database"])
                && self.token(at + 2).is_empty()
            {
                out.push(Stated::Counted("held", noun.to_owned(), count));
                continue;
            }
            let whole = matches!(self.before(at), "have" | "has")
                && self.has(&["sources", "source", "code", "files"]);
            if noun == "lines" && whole && !hedged && width == 1 && self.token(at + 2).is_empty() {
                out.push(Stated::Counted("", "lines".to_owned(), count));
                continue;
            }
            let distance = matches!(self.token(at + 2), "ahead" | "behind");
            if noun == "commits" && distance && !hedged && width == 1 && !self.denied() {
                out.push(Stated::Counted("", "commits".to_owned(), count));
                continue;
            }
            if !fits
                || hedged
                || owned.contains(&noun)
                || matches!(self.before(at), "of" | "by" | "other" | "further")
            {
                continue;
            }
            let before =
                (at.saturating_sub(2)..at).rev().find_map(|it| deed(self.token(it)).map(|deed| (it, deed)));
            let behind =
                (at + width + 1..at + width + 4).find_map(|it| deed(self.token(it)).map(|deed| (it, deed)));
            let Some((verb, deed)) = before.or(behind) else { continue };
            // What the agent changed itself is a deed of its own, told by its calls.
            let own =
                self.tokens[..verb].iter().any(|it| matches!(it.as_str(), "i" | "we" | "i've" | "we've"))
                    || (verb == 0 && before.is_some());
            // What git counts is counted otherwise.
            let tool = self.lead.iter().any(|it| {
                matches!(it.as_str(), "codemod" | "script" | "formatter" | "prettier" | "tool" | "transform")
            });
            let whole_change =
                noun == "files" && before.is_none() && deed == "changed" && !tool && !self.has(&["by"]);
            if whole_change
                || own && matches!(deed, "changed" | "replaced" | "deleted" | "renamed" | "generated")
                || self.denied()
            {
                continue;
            }
            out.push(Stated::Counted(deed, noun.to_owned(), count));
        }
        out
    }

    /// `1,200 requests/s`, `512 rps`, `512 requests per second`.
    pub(super) fn throughput(&self) -> Option<Stated> {
        const LIMITED: &[&str] = &["limit", "limits", "limited", "target", "goal", "quota", "allows", "up"];
        let numbers =
            self.current(|unit| matches!(unit, "req/s" | "requests/s" | "rps" | "requests/sec" | "requests"));
        let [(at, number)] = numbers.as_slice() else { return None };
        let tied = number.unit != "requests"
            || (self.token(at + 2) == "per" && self.token(at + 3).starts_with("sec"));
        (tied && !self.has(LIMITED) && !self.negated()).then(|| Stated::Throughput(number.clone()))
    }

    /// "The hit rate is 92 %"
    fn share(&self) -> Option<Stated> {
        const NAMES: &[&str] =
            &["rate", "ratio", "accuracy", "score", "usage", "recall", "precision", "performance"];
        let at = self.tokens.iter().position(|token| token.ends_with('%'))?;
        if self.tokens.iter().filter(|token| token.ends_with('%')).count() != 1 || self.negated() {
            return None;
        }
        let cue = matches!(self.leads(at), "is" | "at" | "to" | "now" | "of" | "reaches") || at == 0;
        let said = |token: &&String| NAMES.contains(&token.as_str());
        let name = self.tokens[..at].iter().rev().find(said).or_else(|| self.lead.last().filter(said))?;
        let digits = vec![self.token(at).trim_end_matches('%').to_owned()];
        let number = quantity(&digits, 0)?;
        let bound = self.near(at, BOUNDS) || self.near(at, ROUGH) || self.near(at, &["by", "from"]);
        (cue && !bound).then(|| Stated::Share(name.clone(), number))
    }

    fn coverage(&self) -> Option<Stated> {
        let covers = self.lead.len() <= 3 && self.lead.iter().any(|token| token == "coverage");
        let percent = self.token(0).strip_suffix('%')?.parse().ok()?;
        (covers && self.tokens.len() == 1).then_some(Stated::Coverage(percent))
    }

    fn faster(&self) -> Option<Stated> {
        let at = self.tokens.iter().position(|token| token == "faster")?;
        let number = match self.before(at) {
            "times" => self.before(at - 1),
            glued => glued.strip_suffix('x')?,
        };
        number.parse().ok().filter(|it| *it > 1.0).map(Stated::Faster)
    }

    fn version(&self) -> Option<Stated> {
        const PROGRAMS: &[&str] =
            &["node", "npm", "python", "go", "rustc", "ruby", "java", "php", "deno", "bun", "pnpm", "yarn"];
        const CUES: &[&str] = &["installed", "active", "locally", "machine", "here", "running", "runs"];
        if let Some((program, "--version" | "-v")) =
            self.code(self.token(0)).and_then(|it| it.split_once(' '))
            && matches!(self.token(1), "prints" | "is" | "shows" | "gives")
        {
            let version = self.token(2).trim_start_matches('v');
            let plain =
                version.contains('.') && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            return (plain && self.tokens.len() == 3)
                .then(|| Stated::Version(program.to_owned(), version.to_owned()));
        }
        let at = self.tokens.iter().position(|token| PROGRAMS.contains(&token.as_str()))?;
        let next =
            if self.token(at + 1) == "is" || self.token(at + 1) == "version" { at + 2 } else { at + 1 };
        let version = self.token(next).trim_start_matches('v');
        let plain =
            version.contains('.') && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let other =
            ["needs", "requires", "required", "upgrade", "ci", "image", "docker", "supports", "from", "to"];
        (plain && self.has(CUES) && !self.has(&other) && !self.negated())
            .then(|| Stated::Version(self.token(at).to_owned(), version.to_owned()))
    }
}

fn timed(token: &str) -> Option<Timed> {
    Some(match token {
        "query" | "queries" | "select" => Timed::Query,
        "build" | "builds" | "compile" | "compilation" => Timed::Build,
        "suite" | "tests" | "specs" => Timed::Tests,
        "request" | "requests" | "endpoint" | "response" | "latency" => Timed::Request,
        "startup" | "command" | "script" | "cli" | "job" => Timed::Command,
        _ => return None,
    })
}

fn weighed(token: &str) -> Option<Weighed> {
    Some(match token {
        "bundle" | "chunk" | "javascript" | "js" | "css" | "build" => Weighed::Bundle,
        "image" => Weighed::Image,
        "binary" | "executable" | "archive" | "tarball" | "dump" | "backup" => Weighed::File,
        _ => return None,
    })
}

/// The cells of a row; the first one may be empty.
fn cells(row: &str) -> Vec<Vec<String>> {
    let row = if row.starts_with("| ") { format!(" {row}") } else { row.to_owned() };
    row.split(" | ").map(clause::tokens).collect()
}

/// `| p95 | 212 ms | 14 ms |` below `| | before | after |`.
pub(super) fn row(text: &Text, index: usize) -> Option<Stated> {
    let cells = cells(&text.blocks.get(index)?.text);
    let label = cells.first()?;
    let limits = |token: &String| LIMITS.contains(&token.as_str()) || BOUNDS.contains(&token.as_str());
    if label.iter().any(limits) {
        return None;
    }
    let columns = text.columns(index).map(self::cells).unwrap_or_default();
    let says = |words: &[&str]| {
        columns.iter().position(|cell: &Vec<String>| cell.iter().any(|token| words.contains(&token.as_str())))
    };
    let at = match (
        says(&["before", "old", "previously", "baseline", "main", "master", "base"]),
        says(&["after", "now", "new", "branch", "patched", "current", "optimised", "optimized"]),
    ) {
        (Some(_), Some(after)) => after,
        (None, _) if cells.len() == 2 && !columns.iter().flatten().any(limits) => 1,
        _ => return None,
    };
    let cell = cells.get(at)?;
    let number = quantity(cell, 0)?;
    // A remark behind the number may say anything.
    if cell.len() > 2 {
        return None;
    }
    if seconds(&number.unit).is_some() {
        if let Some(name) = label.iter().find_map(|token| metric(token)) {
            return Some(Stated::Metric(name, number));
        }
        return label.iter().find_map(|token| timed(token)).map(|timed| Stated::Time(timed, number));
    }
    magnitude(&number.unit)?;
    label.iter().find_map(|token| weighed(token)).map(|weighed| Stated::Size(weighed, number))
}
