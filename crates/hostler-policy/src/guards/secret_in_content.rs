//! Secrets in what is written. They stay in the history of the repository, in logs and in the agent's context long
//! after they are taken out again, so this is denied wherever people work too.
//!
//! An edit is judged by what it adds: a secret that stands in the file already stops nobody from working on it.

use hostler_model::{Action, Facts, Mode, Needs};

use super::secrets::{Kind, find};
use super::written::{want_edited, written};
use super::{Example, Guard, Hit};
use crate::Case;

/// Most secrets that are told of one call.
const TOLD_MAX: usize = 5;

pub(crate) const GUARD: Guard = Guard {
    id: "secret-in-content",
    summary: "keys, tokens and passwords in written content",
    standard: Mode::Deny,
    strict: Mode::Deny,
    needs: |case: &Case<'_>, needs: &mut Needs| want_edited(case, needs),
    check,
    fires: &[
        Example::Write("src/cfg.py", "API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n"),
        Example::Write("src/cfg.py", "settings = dict(client_secret='LPTMyZquvzVVyxaeF')\n"),
        Example::Write("src/cfg.py", "settings = {\"api_key\": \"ZMByNXtBSECXERJvUK\"}\n"),
        Example::Write("docs/review.md", "password = 'placeholder-prod-db-9xQ2'\n"),
        Example::Write(".env", "export DB_PASSWORD=Tr0ub4dor-and-3\n"),
        Example::Write("k8s.yaml", "data:\n  password: n0t-A-real-Pa55  # prod\n"),
        Example::Write("a.json", "{\"clientSecret\": \"9c1e5fd07ab34c22\"}"),
        Example::Edit("src/cfg.py", "import os", "url = \"postgres://app:Tr0ub4dor-3@db.internal/app\""),
    ],
    silent: &[
        Example::Write("src/cfg.py", "API_KEY = os.environ['API_KEY']\n"),
        Example::Write("docs/q.md", "set API_KEY=<YOUR_API_KEY>\n"),
        Example::Write("src/a.py", "AWS_DOC_KEY = 'AKIAIOSFODNN7EXAMPLE'  # vendor documentation sample\n"),
        Example::Write(
            "src/a.py",
            "def login(password: str, token: str | None = None):\n    raise ValueError('bad password')\n",
        ),
        Example::Write(
            "src/a.py",
            "TOKENS = {\"token\": \"getTextOfJSDocComment\", \"secret\": \"updateJSDocSeeTag\"}\n",
        ),
        Example::Write("tests/test_a.py", "client.login(password='hunter2')\n"),
        Example::Write("docker-compose.yml", "environment:\n  POSTGRES_PASSWORD: ${DB_PASSWORD}\n"),
        Example::Write("src/a.ts", "const password = getPassword(\"service1\");\n"),
        Example::Edit(
            "src/cfg.py",
            "password = 'Tr0ub4dor-and-3'\nx = 1",
            "password = 'Tr0ub4dor-and-3'\nx = 2",
        ),
        Example::Bash("echo done"),
    ],
};

fn check(case: &Case<'_>, facts: &Facts) -> Vec<Hit> {
    let Some(written) = written(case, facts) else { return Vec::new() };
    let inside = written.path.strip_prefix(&case.place.root).unwrap_or(&written.path);
    let whole = matches!(case.action(), Some(Action::Write { .. }));
    let new = find(&written.after, Kind::of(inside))
        .into_iter()
        .filter(|it| whole || !written.before.contains(it.value));
    new.take(TOLD_MAX)
        .map(|secret| Hit {
            problem: format!("{} holds what looks like {}", written.at(secret.line), secret.what),
            instead: Some(format!(
                "read it from the environment variable {} and keep the value out of the repository",
                secret.variable
            )),
            snapshot: Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
