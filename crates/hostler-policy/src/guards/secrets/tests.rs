use proptest::prelude::*;

use super::*;

/// Characters for made-up tokens. They are put together here, so that no scanner takes this file for a leak.
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// `length` characters of `alphabet`, the same ones on every run.
fn made_up(alphabet: &str, length: usize) -> String {
    let mut state = 0x2545_f491_u64;
    (0..length)
        .filter_map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(state >> 33).unwrap_or_default() % alphabet.len();
            alphabet.chars().nth(at)
        })
        .collect()
}

fn whats(path: &str, text: &str) -> Vec<String> {
    find(text, Kind::of(Path::new(path))).into_iter().map(|it| it.what).collect()
}

#[track_caller]
fn fires(path: &str, text: &str, expected: &str) {
    assert_eq!(whats(path, text), [expected], "{path}: {text}");
}

#[track_caller]
fn silent(path: &str, text: &str) {
    assert_eq!(whats(path, text), [""; 0], "{path}: {text}");
}

#[test]
fn formats_of_providers_are_known_anywhere() {
    let (alnum, hex) = (|length| made_up(ALNUM, length), |length| made_up(HEX, length));
    for (token, what) in [
        ("AKIA".to_owned() + &made_up(UPPER, 16), "an AWS access key"),
        ("ASIA".to_owned() + &made_up(UPPER, 16), "an AWS access key"),
        ("ghp_".to_owned() + &alnum(36), "a GitHub token"),
        ("ghp_".to_owned() + "abcdefghijklmnopqrstuvwxyz0123456789", "a GitHub token"),
        ("AKIA".to_owned() + "1234567890ABCDEF", "an AWS access key"),
        ("sk-".to_owned() + "1234567890abcdef1234567890abcdef", "an API key"),
        ("gho_".to_owned() + &alnum(36), "a GitHub token"),
        ("github_pat_".to_owned() + &alnum(22) + "_" + &alnum(59), "a GitHub token"),
        ("glpat-".to_owned() + &alnum(20), "a GitLab token"),
        ("xoxb-".to_owned() + "123456789012-" + &alnum(24), "a Slack token"),
        (
            "https://hooks.slack.com/services/".to_owned() + "T0AB12CD3/B0EF45GH6/" + &alnum(24),
            "a Slack webhook",
        ),
        ("sk_live_".to_owned() + &alnum(24), "a Stripe key"),
        ("rk_live_".to_owned() + &alnum(24), "a Stripe key"),
        ("AIza".to_owned() + &alnum(35), "a Google API key"),
        ("sk-proj-".to_owned() + &alnum(48), "an OpenAI key"),
        ("sk-".to_owned() + &alnum(48), "an API key"),
        ("sk-ant-".to_owned() + "api03-" + &alnum(80), "an Anthropic key"),
        ("npm_".to_owned() + &alnum(36), "an npm token"),
        ("pypi-".to_owned() + "AgEIcHlwaS5vcmc" + &alnum(60), "a PyPI token"),
        ("SG.".to_owned() + &alnum(22) + "." + &alnum(43), "a SendGrid key"),
        ("SK".to_owned() + &hex(32), "a Twilio key"),
        ("hf_".to_owned() + &alnum(34), "a Hugging Face token"),
        ("dop_v1_".to_owned() + &hex(64), "a DigitalOcean token"),
        ("AccountKey=".to_owned() + &alnum(86) + "==", "an Azure storage key"),
        ("eyJhbGciOiJIUzI1NiJ9".to_owned() + ".eyJzdWIiOiI0MiJ9." + &alnum(43), "a JSON web token"),
        (
            "-----BEGIN RSA ".to_owned() + "PRIVATE KEY-----\n" + &alnum(64) + "\n" + &alnum(64) + "\n",
            "a private key",
        ),
        ("-----BEGIN ".to_owned() + "PRIVATE KEY-----\\n" + &alnum(64) + "\\n" + &alnum(64), "a private key"),
        ("-----BEGIN PGP ".to_owned() + "PRIVATE KEY BLOCK-----\n\n" + &alnum(128), "a private key"),
    ] {
        for text in [
            token.clone(),
            format!("x = \"{token}\"\n"),
            format!("see `{token}` here"),
            format!("\"a\\n{token}\\nb\""),
            format!("tests: [{token}]"),
        ] {
            for path in ["src/a.rs", "tests/a.py", "README.md", "Cargo.lock"] {
                fires(path, &text, what);
            }
        }
    }
}

#[test]
fn what_only_begins_like_a_token_is_none() {
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        "AKIA0000000000000000",
        "ghp_example_token_1234567890_placeholder_value",
        "AKIAXXXXXXXXXXXXXXXX",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_your_token_here",
        "sk-your-api-key-goes-here",
        "sk-ant-api03-your-key-goes-here-please",
        "sk-proj-...",
        "sk-ant-<your key>",
        "glpat-your-token-goes-here-123",
        "xoxb-your-slack-bot-token-here",
        "hf_transformers_model_for_question_answering",
        "task-distribution-and-scheduling-of-everything",
        "risk-0123456789abcdefghijABCDEFGHIJ0123456789",
        "SKELETON",
        concat!(
            "eyJhbGciOiJIUzI1NiJ9.",
            "eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
        ),
        "eyJhbGciOiJIUzI1NiJ9",
        "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") {",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx1...\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nYOUR PRIVATE KEY HERE\n-----END RSA PRIVATE KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0t\n",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJRTESMBAGA1UE\n",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DMROa8t3Ya4fXMfHnSlCUzCFjHgDqvL dev@example.com",
    ] {
        silent("src/a.py", text);
    }
}

#[test]
fn passwords_in_addresses() {
    for text in [
        "postgres://app:Tr0ub4dor-3@db.internal:5432/app",
        "DATABASE_URL=mysql+pymysql://root:n0t-A-real-Pa55@10.0.0.5/app",
        "redis://:9c1e5fd07ab34c22@cache:6379/0",
        "https://deploy:wombatwombat@git.corp.net/x.git",
        "postgres://admin:S3cr3tPa55@db.example.com/prod",
        "mongodb+srv://u:hunter2x@cluster0.mongodb.net/",
    ] {
        fires("docs/a.md", text, "a password in an address");
    }
    for text in [
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@db:5432/app",
        "postgres://app:password123@localhost:5432/app",
        "postgres://app:${DB_PASSWORD}@db/app",
        "f\"postgres://{user}:{password}@{host}/db\"",
        "\"postgres://%s:%s@%s/db\"",
        "https://user:hunter2pw@example.com/",
        "postgres://user:password@db.example.com/prod",
        "mysql://scott:tiger@hostname/dbname",
        "https://<user>:<password>@git.corp.net/",
        "https://x-access-token:$GITHUB_TOKEN@github.com/a/b",
        "https://user:***@host.net/",
        "https://example.com:8443/a@b",
        "git@github.com:a/b.git",
        "http://localhost:3000/@fs/a:b",
        "mailto:a@b.c",
    ] {
        silent("docs/a.md", text);
    }
    // Made up for a test.
    silent("tests/a.py", "https://user:Hunter2@host.net/");
    fires("tests/a.py", "https://user:9c1e5fd07ab34c22@host.net/", "a password in an address");
}

#[test]
fn literals_for_names_of_secrets() {
    for (path, text, name) in [
        ("a.py", "DB_PASSWORD = \"n0t-A-real-Pa55\"\n", "DB_PASSWORD"),
        ("a.py", "API_KEY = \"zk_live_9f8e7d6c5b4a39281706\"\n", "API_KEY"),
        ("a.py", "def connect(host, token=\"9c1e5fd07ab34c22\"):\n", "token"),
        ("a.py", "return connect(user=\"app\", password=\"Tr0ub4dor-and-3\")\n", "password"),
        ("a.py", "password: str = 'Tr0ub4dor-and-3'\n", "password"),
        ("a.py", "password: Optional[str] = r'Tr0ub4dor-and-3'\n", "password"),
        ("a.py", "os.environ[\"DB_PASSWORD\"] = 'Tr0ub4dor-and-3'\n", "DB_PASSWORD"),
        ("a.py", "x = os.getenv(\"DB_PASSWORD\", \"Tr0ub4dor-and-3\")\n", "DB_PASSWORD"),
        ("a.py", "{'db_pass': \"hunter2\"}\n", "db_pass"),
        ("a.py", "password = \"SuperSecret123!\"\n", "password"),
        ("a.py", "password = 's3cr3t'\n", "password"),
        ("a.py", "api_key = \"abcdef123456\"\n", "api_key"),
        ("a.py", "SECRET_KEY = '''k9#mQ2vL8xR4tY7w'''\n", "SECRET_KEY"),
        ("a.ts", "const apiKey = process.env.API_KEY || \"9f8e7d6c5b4a39281706\";\n", "apiKey"),
        ("a.ts", "const config = { clientSecret: '9c1e5fd07ab34c22' };\n", "clientSecret"),
        ("a.ts", "  private password?: string = \"Tr0ub4dor-3\";\n", "password"),
        ("a.go", "var password string = \"Tr0ub4dor-3\"\n", "password"),
        ("a.go", "password := `Tr0ub4dor-3`\n", "password"),
        ("a.rs", "let password = String::from(\"Tr0ub4dor-3\");\n", "password"),
        ("a.rs", "const PASSWORD: &str = \"Tr0ub4dor-3\";\n", "PASSWORD"),
        ("A.java", "private static final String PASSWORD = \"Tr0ub4dor-3\";\n", "PASSWORD"),
        ("a.rb", "config[:x] = { 'auth_token' => 'a1b2c3d4e5f6g7' }\n", "auth_token"),
        ("a.php", "$dbPassword = 'Tr0ub4dor-3';\n", "dbPassword"),
        ("a.tf", "  master_password = \"Tr0ub4dor-3\"\n", "master_password"),
        ("a.toml", "password = \"Tr0ub4dor-3\"\n", "password"),
        ("a.json", "{\"a\": 1, \"refreshToken\": \"9c1e5fd07ab34c22\"}", "refreshToken"),
        ("a.json", "{\"x\": \"{\\\"password\\\": \\\"Tr0ub4dor-3\\\"}\"}", "password"),
        ("a.xml", "<password>Tr0ub4dor-3</password>\n", "password"),
        ("a.xml", "<property password=\"Tr0ub4dor-3\"/>\n", "password"),
        (".env", "DB_PASSWORD=Tr0ub4dor-3\n", "DB_PASSWORD"),
        (".env.production", "export API_KEY='9c1e5fd07ab34c22'\n", "API_KEY"),
        ("run.sh", "PGPASSWORD=Tr0ub4dor-3 psql -h db\n", "PGPASSWORD"),
        ("run.sh", "docker run -e DB_PASSWORD=Tr0ub4dor-3 app\n", "DB_PASSWORD"),
        ("run.sh", "mysql --password=Tr0ub4dor-3\n", "password"),
        ("Dockerfile", "ENV API_TOKEN=9c1e5fd07ab34c22\n", "API_TOKEN"),
        ("a.yaml", "  password: Tr0ub4dor-3   # prod\n", "password"),
        ("a.yml", "- name: x\n  api-key: \"9c1e5fd07ab34c22\"\n", "api-key"),
        ("a.yml", "  - DB_PASSWORD=Tr0ub4dor-3\n", "DB_PASSWORD"),
        ("a.properties", "spring.datasource.password=Tr0ub4dor-3\n", "spring.datasource.password"),
        ("a.ini", "password = Tr0ub4dor-3\n", "password"),
        ("a.md", "password = 'placeholder-prod-db-9xQ2'\n", "password"),
        ("a.md", "`DB_PASSWORD=Tr0ub4dor-3`\n", "DB_PASSWORD"),
        ("a.md", "https://api.corp.net/v1?api_key=9c1e5fd07ab34c22&x=1\n", "api_key"),
        ("a.js", "fetch(url, { headers: { Authorization: 'Bearer 9c1e5fd07ab34c22' } })\n", "Authorization"),
        ("a.py", "cs = \"Server=db;User Id=sa;Password=Str0ng-Pa55w\"\n", "Password"),
        (
            "a.py",
            "aws_secret_access_key = \"k9mQ2vL8xR4tY7wZ1nB5cD3fG6hJ0pS2uV4eA8i\"\n",
            "aws_secret_access_key",
        ),
    ] {
        fires(path, text, &format!("a literal for `{name}`"));
    }
}

#[test]
fn values_that_are_no_secrets() {
    for (path, text) in [
        // Read from elsewhere.
        ("a.py", "API_KEY = os.environ['API_KEY']\n"),
        ("a.py", "API_KEY = os.getenv(\"API_KEY\", \"\")\n"),
        ("a.py", "password = get_password('service1')\n"),
        ("a.py", "password = config.password1\n"),
        ("a.py", "connect(password=password1, token=self.token2)\n"),
        ("a.py", "token = f\"{prefix}-{number1}\"\n"),
        ("a.ts", "const token = process.env.TOKEN1;\n"),
        ("a.ts", "const password = getPassword(\"service1\");\n"),
        ("a.sh", "PASSWORD=$(pass show db1)\nTOKEN=$TOKEN2\nexport API_KEY=${API_KEY2:-}\n"),
        ("a.yml", "password: ${DB_PASSWORD1}\ntoken: ${{ secrets.TOKEN1 }}\nkey: !vault abc123\n"),
        ("a.yml", "password: \"{{ vault_password1 }}\"\n"),
        ("a.json", "{\"password\": \"op://vault1/item2/password\"}"),
        ("a.yml", "password: ENC[AES256_GCM,data:p673w==,iv:YY=,type:str]\n"),
        // Declared.
        ("a.py", "password: str\ntoken: str | None = None\npassword = \"\"\n"),
        ("a.ts", "interface A { password: string; apiKey?: string }\n"),
        ("a.go", "type A struct { Password string `json:\"password1\"` }\n"),
        ("a.rs", "pub password: Option<String>,\n"),
        // Placeholders.
        ("a.md", "set API_KEY=<YOUR_API_KEY>\n"),
        ("a.md", "API_KEY=your-api-key-here-123\n"),
        (".env.example", "DB_PASSWORD=changeme\nAPI_KEY=xxxxxxxxxxxx\nTOKEN=your_token_1\nSECRET=\n"),
        (".env", "PASSWORD=password\nDB_PASSWORD=test1234\nSECRET=topsecret\n"),
        (".env.example", "DB_PASSWORD=password123\nAPI_KEY=9c1e5fd07ab34c\n"),
        ("a.py", "password = \"********\"\npassword = \"123456\"\npassword = 'your-password-123'\n"),
        ("a.yml", "password: CHANGE_ME_123\nsecret: \"<secret1>\"\ntoken: '...'\n"),
        ("a.py", "AWS_DOC_KEY = 'AKIAIOSFODNN7EXAMPLE'\n"),
        ("a.py", "secret_access_key = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'\n"),
        // About a secret.
        ("a.py", "TOKEN_URL = \"https://auth.example.com/oauth/token1\"\n"),
        ("a.py", "password_field = \"input_1x9Q2\"\nsecret_name = \"prod/db-9xQ2w\"\n"),
        ("a.py", "password_hash = '$2b$12$KIXQ9Zb8mE1u3F5g7H9j1k'\n"),
        ("a.py", "password = '$2b$12$KIXQ9Zb8mE1u3F5g7H9j1k'\n"),
        ("a.py", "token_type = \"bearer9xQ2\"\nMAX_TOKENS = \"4096\"\nTOKENIZER = \"cl100k_base\"\n"),
        ("a.py", "has_token = \"9c1e5fd07ab34c22\"\nnext_page_token = \"9c1e5fd07ab34c22\"\n"),
        ("a.ts", "publicKey: \"9c1e5fd07ab34c22\", csrfToken: '9c1e5fd07ab34c22'\n"),
        // Words, names, addresses, patterns.
        ("a.py", "raise ValueError(\"invalid password or token\")\n"),
        ("a.ts", "password: 'auth.errors.password.min8',\ntoken: \"my-k8s-secret-1\"\n"),
        ("a.ts", "password: 'At least 8 characters, 1 digit',\n"),
        ("a.py", "client_id_secret = '123e4567-e89b-12d3-a456-426614174000'\n"),
        ("a.yml", "secret: /run/secrets/db_password1\n"),
        ("a.ts", "password: /^(?=.*\\d)[a-z]{8,}$/,\npassword: \"^[A-Z0-9]{8}\"\n"),
        ("a.py", "password = 'user1@mail.example.com'\n"),
        ("a.py", "if password == \"Tr0ub4dor-3\" or token != '9c1e5fd07ab34c22':\n"),
        ("a.py", "PAGE_TOKEN = 'NextPartNumberMarker'\ntoken = 'NextPartNumberMarker'\n"),
        ("a.md", "The password: at least 8 characters, e.g. one digit\n"),
        ("a.json", "{\"AWS::IAM::AccessKey\": \"62d91b17309e76c8\"}"),
        (
            "a.json",
            "{\"integrity\": \"sha512-9c1e5fd07ab34c22aaBBcc11==\", \"checksum\": \"9c1e5fd07ab34c22\"}",
        ),
        ("uv.lock", "token = \"9c1e5fd07ab34c22\"\n"),
        ("a.py", "monkey = \"9c1e5fd07ab34c22\"\nkeyboard = 'aZ09xQ2w8'\nsort_key = 'a1b2c3d4'\n"),
        // Made up for a test.
        ("tests/test_a.py", "client.login(password='hunter2', token='abc123def456')\n"),
        ("src/a.test.ts", "const apiKey = 'test-key-123456789abc';\n"),
        ("src/__tests__/a.ts", "password: 'Tr0ub4dor-3'\n"),
        ("tests/a.py", "API_KEY = 'fake-9f8e7d6c5b4a39281706'\n"),
    ] {
        silent(path, text);
    }
}

#[test]
fn in_a_test_only_what_a_machine_made_counts() {
    fires("tests/test_a.py", "api_key = '9f8e7d6c5b4a39281706kQ'\n", "a literal for `api_key`");
}

#[test]
fn one_secret_is_told_once_and_with_its_line() {
    let token = "ghp_".to_owned() + &made_up(ALNUM, 36);
    let text = format!("\n\nGITHUB_TOKEN = \"{token}\"\npassword = \"Tr0ub4dor-3\"\n");
    let found = find(&text, Kind::default());
    let told: Vec<_> = found.iter().map(|it| (it.line, it.what.as_str(), it.variable.as_str())).collect();
    assert_eq!(told, [(3, "a GitHub token", "GITHUB_TOKEN"), (4, "a literal for `password`", "PASSWORD")]);
}

#[test]
fn kinds_of_files() {
    let kind = |path| Kind::of(Path::new(path));
    for (path, bare_equals, bare_colon) in [
        (".env", true, false),
        (".env.local", true, false),
        (".env.js", true, false),
        ("a.sh", true, false),
        ("Dockerfile", true, false),
        ("README.md", true, false),
        ("a.YAML", true, true),
        ("a.py", false, false),
        ("a.json", false, false),
    ] {
        assert_eq!((kind(path).bare_equals, kind(path).bare_colon), (bare_equals, bare_colon), "{path}");
    }
    for path in
        ["tests/a.py", "a/__tests__/b.ts", "test_a.py", "a_test.go", "a.spec.ts", "conftest.py", "spec/a.rb"]
    {
        assert!(kind(path).test, "{path}");
    }
    for path in ["latest/a.py", "attest.py", "src/contest.py", "a.py"] {
        assert!(!kind(path).test, "{path}");
    }
    assert!(
        kind("uv.lock").lock
            && kind("x/package-lock.json").lock
            && kind("go.sum").lock
            && !kind("a.json").lock
    );
}

/// Text of one long line that makes each step look far ahead, or find much.
#[test]
fn long_lines_cost_no_more_than_their_length() {
    for part in [
        "password=\"",
        "password=",
        "token: ",
        "<password>",
        "://a:b",
        "x://a:b@",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9.",
        "password='Tr0ub4dor-and-3' ",
        "ghp_",
        "\\\"token\\\": ",
    ] {
        let text = part.repeat(100_000 / part.len());
        let found = find(&text, Kind { bare_equals: true, bare_colon: true, ..Kind::default() });
        assert!(found.len() <= 2 * FOUND_MAX, "{part}");
    }
}

#[test]
fn of_many_secrets_the_first_are_found() {
    let text: Vec<String> = (0..500).map(|at| format!("password = 'Tr0ub4dor-{at}x9Q'\n")).collect();
    assert_eq!(find(&text.concat(), Kind::default()).len(), FOUND_MAX);
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>(), path in "[a-z.]{0,12}") {
        find(&text, Kind::of(Path::new(&path)));
    }

    #[test]
    fn what_is_found_stands_in_the_text(
        words in prop::collection::vec(prop::sample::select(vec![
            "password", "token", "API_KEY", "=", ":", "\"", "'", "\\", "é", "\n", " ", "://", "@", "9xQ2w8R4t", "eyJ", ".",
            "-----BEGIN ", "PRIVATE KEY-----", ",", "(", "<", ">", "||", "?", "&", "=>", ":=", "{", "}", "$",
        ]), 0..40)
    ) {
        let text = words.concat();
        for secret in find(&text, Kind { bare_equals: true, bare_colon: true, ..Kind::default() }) {
            prop_assert!(!secret.value.is_empty() && text.contains(secret.value));
            prop_assert!(secret.line <= text.lines().count());
        }
    }
}
