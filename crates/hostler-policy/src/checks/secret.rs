//! Keys, tokens and passwords in code.
//!
//! What a secret is, is decided in one place for this and for the guard over written content
//! (`guards/secrets`). Documentation shows logins of examples, and tests make theirs up: neither counts here.

use super::kind::PRODUCT;
use super::{Check, Example, Finding, Gate, Same, Settings, Severity, Source};
use crate::guards::secrets;

pub(super) const CHECK: Check = Check {
    id: "secret",
    gate: Gate::Safety,
    severity: Severity::Error,
    summary: "keys, tokens and passwords in code",
    same: Same::Line,
    kinds: PRODUCT,
    fires: &[
        Example("src/a.py", "DB_PASSWORD = \"n0t-A-real-Pa55\"\n"),
        Example("src/a.py", "API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n"),
        Example("src/a.py", "CLIENT_SECRET = 'q8Zr41LmT0vXe93b'\n"),
        Example("src/a.py", "def connect(host, token=\"9c1e5fd07ab34c22\"):\n    return host, token\n"),
        Example("src/a.py", "url = \"postgres://app:Tr0ub4dor-3@db.internal/app\"\n"),
        Example("src/a.py", "settings = {\"password\": \"Tr0ub4dor-and-3\"}\n"),
    ],
    silent: &[
        Example("src/a.py", "import os\n\nPASSWORD = os.environ[\"PASSWORD\"]\n"),
        Example("src/a.py", "password = \"\"\ntoken: str | None = None\n"),
        Example("src/a.py", "TOKEN_URL = \"https://auth.example.com/oauth/token\"\n"),
        Example("src/a.py", "PASSWORD_FIELD = \"password\"\n"),
        Example("src/a.py", "API_KEY = \"<your-api-key>\"\n"),
        Example(
            "src/a.py",
            "def f(u):\n    \"\"\">>> f(\"https://me:hunter2pw@db.corp/\")\"\"\"\n    return u\n",
        ),
        Example("tests/test_a.py", "client.login(password='Tr0ub4dor-and-3')\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let kind = secrets::Kind::of(std::path::Path::new(source.path));
    secrets::find(source.text, kind)
        .into_iter()
        .filter(|it| !source.is_documentation(it.line))
        .map(|it| {
            CHECK
                .finding(it.line, format!("line {} holds what looks like {}", it.line, it.what))
                .about(source.symbol_at(it.line))
                .fix(format!(
                    "read it from the environment variable {} and keep the value out of the repository",
                    it.variable
                ))
        })
        .collect()
}
