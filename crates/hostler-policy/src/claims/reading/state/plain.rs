//! States: the same or not, there or not, clean, healthy, refused, left.

use super::super::objects;
use super::words::{BOUNDS, ROUGH};
use super::{Health, Stated, View};

impl View<'_> {
    /// What is so, without a number.
    pub(super) fn states(&self) -> Vec<Stated> {
        let mut out = Vec::new();
        out.extend(self.same());
        out.extend(self.clean());
        out.extend(self.there());
        out.extend(self.refused());
        out.extend(self.exit());
        out.extend(self.health());
        out.extend(self.invulnerable());
        out.extend(self.branch());
        out.extend(self.checks());
        out.extend(self.hooks());
        let norm = self.norm();
        let free =
            [" no conflicts ", " no merge conflicts ", " without conflicts ", " without any conflicts "];
        if free.iter().any(|form| norm.contains(form)) && self.tokens.len() <= 10 {
            out.push(Stated::Unconflicted);
        }
        out.extend(self.unobjected());
        out
    }

    fn same(&self) -> Option<Stated> {
        const THINGS: &[&str] = &[
            "both",
            "exports",
            "files",
            "outputs",
            "output",
            "dumps",
            "builds",
            "copies",
            "snapshots",
            "artifacts",
            "archives",
        ];
        if !self.has(THINGS)
            || self.has(&["except", "apart", "besides", "behaviour", "behavior", "semantically"])
        {
            return None;
        }
        let norm = self.norm();
        let differ = self.has(&["differ"]);
        let none = norm.contains(" no difference") || norm.contains(" no differences ");
        let copula = |at: usize| {
            (at.saturating_sub(2)..at).any(|it| {
                matches!(self.token(it), "is" | "are" | "stay" | "remain" | "both" | "byte-for-byte")
            })
        };
        let equal = self.tokens.iter().enumerate().any(|(at, token)| {
            matches!(token.as_str(), "identical" | "byte-identical" | "byte-for-byte")
                && copula(at)
                && matches!(self.token(at + 1), "" | "and" | "now" | "again" | "byte" | "identical")
        }) || norm.contains(" match byte for byte ")
            || norm.contains(" are the same ");
        match (differ, none, equal) {
            (true, false, _) if !self.negated() => Some(Stated::Same(false)),
            (false, true, _) => Some(Stated::Same(true)),
            (false, false, true) if !self.negated() => Some(Stated::Same(true)),
            _ => None,
        }
    }

    fn clean(&self) -> Option<Stated> {
        const FORMS: &[&str] = &[
            " working tree is clean ",
            " work tree is clean ",
            " worktree is clean ",
            " working directory is clean ",
            " git status is clean ",
            " no uncommitted changes ",
            " nothing is uncommitted ",
            " nothing uncommitted ",
            " nothing is left uncommitted ",
        ];
        let norm = self.norm();
        let other = [" check", " refuses ", " requires ", " must ", " that the "];
        let status = self.has(&["clean"])
            && (self.codes().iter().any(|code| code == "git status") || norm.contains(" git status "))
            && self.tokens.len() <= 6;
        if self.has(&["apart", "except", "besides", "but", "aside"]) {
            return None;
        }
        let said = (status && !self.negated() || FORMS.iter().any(|form| norm.contains(form)))
            && !other.iter().any(|it| norm.contains(it));
        said.then_some(Stated::Clean)
    }

    fn branch(&self) -> Option<Stated> {
        let norm = self.norm();
        if [" stash is empty ", " stash list is empty ", " no stashes left ", " no stash left "]
            .iter()
            .any(|form| norm.contains(form))
        {
            return Some(Stated::Unstashed);
        }
        let at = self.tokens.iter().position(|token| token == "on")?;
        let now = self.has(&["you're", "we're", "i'm", "currently", "still", "now"]);
        let next = if self.token(at + 1) == "branch" { at + 2 } else { at + 1 };
        let name = self.code(self.token(next))?;
        let whose = at == 0
            || self.has(&["you're", "we're", "i'm"])
            || at == 1 && matches!(self.token(0), "still" | "currently" | "now" | "back");
        let plain = !name.contains(char::is_whitespace) && !name.contains([':', '(']);
        let ends = matches!(self.token(next + 1), "" | "now" | "again");
        (now && whose && plain && at <= 3 && ends && !self.negated())
            .then(|| Stated::Branch(name.to_lowercase()))
    }

    fn checks(&self) -> Option<Stated> {
        let norm = self.norm();
        let ci = self.has(&["ci", "pipeline", "workflow"])
            || norm.contains(" checks on the pr ")
            || norm.contains(" pr checks ")
            || norm.contains(" github actions ");
        // "The pipeline passes messages on" is another verb.
        let passed = self.tokens.iter().enumerate().any(|(at, token)| {
            matches!(token.as_str(), "green" | "passed" | "passes" | "pass" | "succeeded")
                && matches!(self.token(at + 1), "" | "now" | "again" | "too")
        });
        let other = [
            "except", "apart", "besides", "but", "runs", "until", "after", "locally", "lint", "last", "main",
            "why", "which", "that", "because", "where", "how",
        ];
        (ci && passed && self.tokens.len() <= 9 && !self.has(&other) && !self.negated())
            .then_some(Stated::Checks)
    }

    fn hooks(&self) -> Option<Stated> {
        let norm = self.norm();
        let commit = norm.contains(" pre-commit hook")
            || norm.contains(" commit hook")
            || norm.contains(" the hooks ");
        let passed =
            [" went through ", " passed ", " passes ", " pass ", " is green ", " are green ", " is happy "]
                .iter()
                .any(|form| norm.contains(form));
        (commit && passed && !self.negated() && !self.has(&["except", "but", "without"]))
            .then_some(Stated::Hooks)
    }

    fn unobjected(&self) -> Option<Stated> {
        let who = self.has(&["reviewer", "agent", "subagent", "sub-agent"]);
        let none = self.tokens.windows(3).any(|it| {
            matches!(it[0].as_str(), "had" | "has" | "found" | "raised" | "reported" | "sees" | "saw")
                && it[1] == "no"
                && matches!(
                    it[2].as_str(),
                    "objections" | "blockers" | "concerns" | "findings" | "issues" | "problems"
                )
        });
        (who && none && !self.has(&["except", "but", "other", "further"])).then_some(Stated::Unobjected)
    }

    fn there(&self) -> Option<Stated> {
        let norm = self.norm();
        let is = self.tokens.iter().position(|token| matches!(token.as_str(), "is" | "isn't"))?;
        let not = self.token(is + 1) == "not";
        let missing = self.token(is) == "isn't" || not;
        let mut said = is + 1 + usize::from(not);
        said += usize::from(matches!(self.token(said), "already" | "now"));
        let installed = matches!(self.token(said), "installed" | "available")
            && matches!(self.token(said + 1), "" | "on" | "in" | "here" | "now");
        let cue = norm.contains(" on the path ") || norm.contains(" on path ") || installed;
        if !cue || is == 0 || 2 < is || self.has(&["longer", "only"]) {
            return None;
        }
        let token = self.before(is);
        let name = self.code(token).unwrap_or(token).to_lowercase();
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        (plain && 1 < name.len()).then_some(Stated::There(name, !missing))
    }

    fn refused(&self) -> Option<Stated> {
        const KINDS: &[&str] = &[
            "expired",
            "invalid",
            "forged",
            "revoked",
            "anonymous",
            "unauthenticated",
            "malformed",
            "unsigned",
        ];
        let kind = self.tokens.iter().position(|token| KINDS.contains(&token.as_str()))?;
        let refused = self.has(&["refused", "rejected", "denied", "blocked"]);
        let accepted = self.has(&["accepted", "allowed"]);
        if !self.negated()
            && self.has(&["get", "gets", "got", "receive", "receives"])
            && self.tokens.last().is_some_and(|last| matches!(last.as_str(), "401" | "403"))
        {
            return Some(Stated::Refused(true, self.token(kind).to_owned()));
        }
        let is = self
            .tokens
            .iter()
            .skip(kind)
            .any(|token| matches!(token.as_str(), "is" | "are" | "get" | "gets"));
        (is && refused != accepted && !self.negated())
            .then(|| Stated::Refused(refused, self.token(kind).to_owned()))
    }

    fn exit(&self) -> Option<Stated> {
        let at =
            self.tokens.iter().position(|token| matches!(token.as_str(), "exits" | "exited" | "exit"))?;
        let mut next = at + 1;
        while matches!(self.token(next), "with" | "code" | "status" | "a" | "of" | "is" | "was") {
            next += 1;
        }
        let code: u8 = self.token(next).parse().ok()?;
        let ends = matches!(self.token(next + 1), "" | "," | "and" | "now" | "again");
        (ends && !self.negated()).then(|| Stated::Exit(code, self.names()))
    }

    fn health(&self) -> Option<Stated> {
        const THINGS: &[&str] = &[
            "container",
            "containers",
            "pod",
            "pods",
            "service",
            "services",
            "deployment",
            "stack",
            "database",
            "db",
            "replicas",
            "replica",
            "machines",
            "daemon",
        ];
        let at = self
            .tokens
            .iter()
            .rposition(|token| matches!(token.as_str(), "healthy" | "up" | "running" | "ready"))?;
        let copula = |it: usize| matches!(self.token(it), "is" | "are" | "stays" | "reports");
        let near = (at.saturating_sub(4)..at).any(copula);
        let ends = matches!(self.token(at + 1), "" | "," | "again" | "now" | "and" | "fine");
        if !near || !ends || !self.has(THINGS) || self.negated() {
            return None;
        }
        let health = if matches!(self.token(at), "healthy" | "ready") { Health::Healthy } else { Health::Up };
        let all = self.has(&["all", "both", "containers", "pods", "services"]);
        Some(Stated::Healthy(health, self.names(), all))
    }

    fn invulnerable(&self) -> Option<Stated> {
        let at = self.tokens.iter().position(|token| token == "vulnerabilities")?;
        let none = |it: usize| matches!(self.before(it), "no" | "zero");
        (none(at) || self.before(at) == "known" && none(at - 1)).then_some(Stated::Vulnerable(0))
    }

    /// What a search finds.
    pub(super) fn searches(&self) -> Option<Stated> {
        let (mut places, mut patterns) = (Vec::new(), Vec::new());
        for (at, token) in self.tokens.iter().enumerate() {
            let Some(code) = self.code(token) else { continue };
            let place = code.ends_with('/')
                || (code.contains('/') && !code.contains(' '))
                || matches!(self.before(at), "in" | "under" | "below" | "from" | "across" | "throughout");
            if place { &mut places } else { &mut patterns }.push(code.to_lowercase());
        }
        if patterns.is_empty() {
            let word = self.tokens.iter().find_map(|token| match token.as_str() {
                "todo" | "todos" => Some("todo"),
                "fixme" | "fixmes" => Some("fixme"),
                token => {
                    let dotted =
                        token.contains('.') && token.chars().filter(|c| c.is_alphabetic()).count() > 4;
                    (dotted && !token.contains('/') && !token.bytes().any(|b| b.is_ascii_digit()))
                        .then_some(token)
                }
            });
            patterns.extend(word.map(str::to_owned));
        }
        patterns.retain(|it| !matches!(it.as_str(), "grep" | "rg"));
        let [pattern] = patterns.as_slice() else { return None };
        let norm = self.norm();
        let left = self.has(&["left", "remain", "remains", "remaining", "anymore"])
            || norm.starts_with(" no more ")
            || norm.ends_with(" any more ")
            || norm.contains(" finds no ")
            || norm.contains(" found no ");
        let none =
            self.tokens.iter().take(3).any(|it| matches!(it.as_str(), "no" | "zero")) || self.has(&["gone"]);
        let narrowed = [
            "outside",
            "except",
            "apart",
            "other",
            "besides",
            "excluding",
            "production",
            "unused",
            "real",
            "that",
            "which",
        ];
        if self.has(&narrowed) {
            return None;
        }
        let none = none
            || norm.starts_with(" not a single ")
            || (norm.contains(" finds no ") || norm.contains(" found no "))
                && (self.token(0) == "grep"
                    || self.code(self.token(0)).is_some_and(|it| matches!(it, "grep" | "rg")));
        let unused =
            [" no longer used ", " no longer imported ", " no longer referenced ", " no longer called "];
        if unused.iter().any(|it| norm.contains(it)) && !places.is_empty() {
            return Some(Stated::Left(patterns.clone(), places));
        }

        let gone = self.has(&["gone"])
            && self.tokens.first().is_some_and(|it| matches!(it.as_str(), "all" | "every"));
        if (none && left) || gone {
            return Some(Stated::Left(patterns.clone(), places));
        }
        if self.negated() {
            return None;
        }
        let (at, exact) = self.tokens.iter().enumerate().find_map(|(at, token)| match token.as_str() {
            "matches" | "hits" | "occurrences" | "todos" | "fixmes" => Some((at, true)),
            "usages" | "references" | "uses" | "callers" => Some((at, false)),
            _ => None,
        })?;
        let near = (at.saturating_sub(2)..at).rev().find(|it| {
            // "3 `foo` usages"
            self.code(self.token(*it)).is_none()
        })?;
        let count = objects::number(self.token(near), self.language)?;
        let hedged = self.near(near, BOUNDS) || self.near(near, ROUGH);
        (!hedged && !matches!(self.before(near), "of" | "other" | "these" | "those" | "the"))
            .then(|| Stated::Matches(pattern.clone(), places, count, exact))
    }
}
