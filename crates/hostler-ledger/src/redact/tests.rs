#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(redact(text), expected, "{text:?}");
    assert_eq!(redact(expected), expected, "twice: {text:?}");
}

#[track_caller]
fn untouched(text: &str) {
    check(text, text);
}

#[test]
fn assignments_lose_their_value_and_keep_their_shape() {
    check("password=hunter2", "password=[redacted]");
    check("PGPASSWORD=letmein psql -h db", "PGPASSWORD=[redacted] psql -h db");
    check("export DB_PASSWORD='a b c' && run", "export DB_PASSWORD='[redacted]' && run");
    check(r#"{"password": "hunter2", "user": "me"}"#, r#"{"password": "[redacted]", "user": "me"}"#);
    check(r#""{\"client_secret\":\"a b\"}""#, r#""{\"client_secret\":\"[redacted]\"}""#);
    check("password: hunter2\nuser: me", "password: [redacted]\nuser: me");
    check("let password: &'static str = \"hunter2\";", "let password: &'static str = \"[redacted]\";");
    check("password: str = 'hunter2'", "password: str = '[redacted]'");
    check("config[\"secret\"] = \"abc\"", "config[\"secret\"] = \"[redacted]\"");
    check("pwd := \"x\"", "pwd := \"x\"");
    check("dbPwd := \"x\"", "dbPwd := \"[redacted]\"");
    check("if password == \"hunter2\":", "if password == \"[redacted]\":");
    check("'secret' => 'abc'", "'secret' => '[redacted]'");
    check("API_KEY=abcd1234efgh", "API_KEY=[redacted]");
    check("x-api-key: 0123456789abcdef", "x-api-key: [redacted]");
    check("GET /x?access_token=abc123def456&n=1", "GET /x?access_token=[redacted]&n=1");
    check("AccountKey=q83vEjRWeJq83vEjRWeJ+/==;Endpoint=x", "AccountKey=[redacted];Endpoint=x");
    check(
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1",
        "aws_secret_access_key = [redacted]",
    );
    check("KEY = \"dGhpcyBpcyBhIHNlY3JldCBrZXkgMTIz\"", "KEY = \"[redacted]\"");
    check("TOKEN_1=abcdef123456", "TOKEN_1=[redacted]");
    check("SMTP_PASS=x1", "SMTP_PASS=[redacted]");
    check("password='$ecret'", "password='[redacted]'");
    check("password=p@ss(w0rd)x", "password=[redacted]");
    check("-passin pass:hunter2", "-passin pass:[redacted]");
    check("password=\"unterminated secret", "password=\"[redacted]");
}

#[test]
fn options_lose_their_value() {
    check("tool --password hunter2 --verbose", "tool --password [redacted] --verbose");
    check("tool --password 'a b' x", "tool --password '[redacted]' x");
    check("tool --password=hunter2", "tool --password=[redacted]");
    check("tool --api-key abcd1234efgh", "tool --api-key [redacted]");
    check("keytool -storepass changeit", "keytool -storepass [redacted]");
    check("mysql -uroot -phunter2 db", "mysql -uroot -p[redacted] db");
    check("/usr/bin/mysqldump -p'a b' db", "/usr/bin/mysqldump -p'[redacted]' db");
    check("sshpass -p hunter2 ssh me@host", "sshpass -p [redacted] ssh me@host");
    check("redis-cli -a hunter2 ping", "redis-cli -a [redacted] ping");
    check("curl -u me:hunter2 https://x", "curl -u me:[redacted] https://x");
    check("curl --user 'me:hunter2' https://x", "curl --user 'me:[redacted]' https://x");
    check("[\"--password\", \"hunter2\"]", "[\"--password\", \"[redacted]\"]");
}

#[test]
fn a_secret_is_known_by_the_word_before_it() {
    check(
        "npm config set //npm.example.org/:_authToken hunter2PWxyz99",
        "npm config set //npm.example.org/:_authToken [redacted]",
    );
    check("npm set //npm.example/:_password correcthorse", "npm set //npm.example/:_password [redacted]");
    check(
        "aws configure set aws_secret_access_key wJalrXUtnFEMIK7MDENG --profile p",
        "aws configure set aws_secret_access_key [redacted] --profile p",
    );
    check(
        "aws configure set aws_secret_access_key 'a b c d e'",
        "aws configure set aws_secret_access_key '[redacted]'",
    );
    check("git config --global user.password correcthorse", "git config --global user.password [redacted]");
    check("pulumi config set dbPassword correcthorse", "pulumi config set dbPassword [redacted]");
    check("echo x; setx API_TOKEN correcthorse", "echo x; setx API_TOKEN [redacted]");
    check("AWS_SECRET_ACCESS_KEY wJalrXUtnFEMIK7MDENG", "AWS_SECRET_ACCESS_KEY [redacted]");
    check("openssl enc -aes-256-cbc -k correcthorse -in a", "openssl enc -aes-256-cbc -k [redacted] -in a");
    check("openssl enc -pass pass:correcthorse -in a", "openssl enc -pass pass:[redacted] -in a");
    check("openssl enc -pass 'pass:correct horse'", "openssl enc -pass 'pass:[redacted]'");
    check("docker login -u me -p correcthorse host", "docker login -u me -p [redacted] host");
    check("curl -ume:hunter2 https://x", "curl -ume:[redacted] https://x");
    check("curl --user=me:hunter2 https://x", "curl --user=me:[redacted] https://x");
    check("curl --proxy-user me:hunter2 https://x", "curl --proxy-user me:[redacted] https://x");
    check("unzip -P correcthorse a.zip", "unzip -P [redacted] a.zip");
    for text in [
        "the token is expired",
        "The secret lies in the config; set the password correctly.",
        "an access_token expires after 3600 seconds",
        "the refresh-token flow and the api_key header",
        "git config user.password",
        "git config --get credential.helper",
        "npm config set registry https://npm.example/",
        "aws configure set region eu-west-1",
        "aws configure get aws_secret_access_key --profile p",
        "add token refresh; set password policy",
        "openssl enc -pass env:PASS -in a",
        "openssl enc -pass file:secret.txt -in a",
        "openssl req -new -key k.pem",
        "npm config set //npm.example.org/:_authToken ${NPM_TOKEN}",
        "docker run -p 8080:80 -k login",
        "docker compose run -p 8080:80 web",
        "fn access_token refresh_token(id_token bearer_token)",
    ] {
        untouched(text);
    }
}

#[test]
fn headers_and_urls_lose_their_credentials() {
    check("-H 'Authorization: Bearer abc.def-123' x", "-H 'Authorization: Bearer [redacted]' x");
    check("Authorization: Basic bWU6aHVudGVyMg==", "Authorization: Basic [redacted]");
    check("\"Authorization\": \"token abcdef\"", "\"Authorization\": \"token [redacted]\"");
    check("authorization: 8f14e45fceea", "authorization: [redacted]");
    check("use Bearer abcdefgh12345678 here", "use Bearer [redacted] here");
    check("Cookie: sid=abc; theme=dark\nHost: x", "Cookie: [redacted]\nHost: x");
    check("git clone https://me:hunter2@host/x", "git clone https://me:[redacted]@host/x");
    check("postgres://me:p@ss@db:5432/x", "postgres://me:[redacted]@db:5432/x");
    check("redis://:hunter2@db", "redis://:[redacted]@db");
    check("https://0123456789abcdefghij@host/x", "https://[redacted]@host/x");
}

#[test]
fn a_private_key_block_is_one_secret() {
    check(
        "cat > k <<E\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nab+/==\n-----END RSA PRIVATE KEY-----\nE\n",
        "cat > k <<E\n[redacted]\nE\n",
    );
    check("\"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\"", "\"[redacted]\\n\"");
    check("x -----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "x [redacted]");
    check("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted]");
    untouched("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----");
    untouched("-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----");
}

#[test]
fn ordinary_code_and_prose_stay_as_they_are() {
    for text in [
        "",
        "ls -la",
        "The password is stored elsewhere; the token was renewed.",
        "Reset your password: click the link.",
        "password: the one you chose",
        "use the --password option, or --token to read it",
        "`--password` is required",
        "def login(user: str, password: str) -> Token:",
        "login(password=password, token=token)",
        "login(password=settings.DB_PASSWORD)",
        "password = get_password()",
        "const token = await fetchToken();",
        "let token = tokens[0];",
        "token: u64,",
        "secret: Uint8Array;",
        "password: Option<String>,",
        "password: string;",
        "password=None",
        "password=\"$DB_PASSWORD\"",
        "password=${DB_PASSWORD}",
        "curl -H \"Authorization: Bearer $TOKEN\" x",
        "curl -u \"$USER:$PASS\" x",
        "https://user:${PASSWORD}@host",
        "mysql -p -u root db",
        "grep -pattern x | mysql",
        "docker run -p 8080:80 -u 1000:1000 x",
        "PWD=/home/me",
        "cache-key: v1-linux-node-modules-lockfile",
        "key: value",
        "for key, value in map.items():",
        "monkey=banana123banana",
        "git checkout 0123456789abcdef0123456789abcdef01234567",
        "sha256 = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "use crate::token::Kind;",
        "task-management-system-with-many-parts-2024",
        "sk-folding-cube",
        "risk-assessment-of-the-whole-project-2024-01",
        "http://localhost:8080/path?x=1",
        "git@github.com:owner/repo.git",
        "ssh://git@host/repo",
        "bearer of bad news",
        "AKIA is how such keys begin",
        "ghp_ and sk- are prefixes",
        "password_hash = hash(x)",
        "token_count=100000",
        "max_tokens: 4096",
        "author: 0123456789abcdefghij",
        "tokenizer = \"bert-base-uncased-2018\"",
        "Ä password ñ 日本語",
    ] {
        untouched(text);
    }
}

/// Strategies for one secret of every form that is promised, with the part that must not survive.
fn secret() -> impl Strategy<Value = (String, String)> {
    let bare = |pattern: &'static str| {
        proptest::string::string_regex(pattern).unwrap().prop_map(|it| (it.clone(), it)).boxed()
    };
    let inside = |before: &'static str, pattern: &'static str, after: &'static str| {
        proptest::string::string_regex(pattern)
            .unwrap()
            .prop_map(move |it| (format!("{before}{it}{after}"), it))
            .boxed()
    };
    prop::strategy::Union::new([
        bare("(AKIA|ASIA)[A-Z0-9]{16}"),
        bare("gh[pousr]_[A-Za-z0-9]{36}"),
        bare("github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
        bare("glpat-[A-Za-z0-9_-]{20}"),
        bare("xox[bpars]-[0-9]{11}-[0-9]{11}-[A-Za-z0-9]{24}"),
        bare("(sk|rk)_(live|test)_[A-Za-z0-9]{24}"),
        bare("AIza[A-Za-z0-9_-]{35}"),
        bare("sk-(proj-|ant-api03-)?[A-Za-z]{10}[0-9][A-Za-z0-9]{30}"),
        bare("npm_[A-Za-z0-9]{36}"),
        bare("pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{60}"),
        bare("eyJ[A-Za-z0-9_-]{20}\\.eyJ[A-Za-z0-9_-]{30}\\.[A-Za-z0-9_-]{43}"),
        inside(
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "([A-Za-z0-9+/]{64}\n){1,4}",
            "-----END RSA PRIVATE KEY-----",
        ),
        inside("https://user:", "[A-Za-z0-9!*_.-]{6,20}", "@host.example/path"),
        inside("Authorization: Bearer ", "[A-Za-z0-9._-]{8,60}", ""),
        inside("Authorization: Basic ", "[A-Za-z0-9+/]{8,60}={0,2}", ""),
        inside("password=", "[A-Za-z]{4}[0-9][A-Za-z0-9!@%^*_+.-]{3,20}", ""),
        inside("DB_PASSWORD=\"", "[A-Za-z0-9!@%^* _+.-]{6,20}[0-9]", "\""),
        inside("\"password\": \"", "[A-Za-z0-9!@%^* _+.-]{6,20}[0-9]", "\""),
        inside("tool --password ", "[A-Za-z]{4}[0-9][A-Za-z0-9!@%^*_+.-]{3,20}", ""),
        inside("mysql -u root -p", "[A-Za-z]{4}[0-9][A-Za-z0-9!@%^*_+.-]{3,20}", ""),
        inside("api_key = \"", "[a-z]{4}[0-9][A-Za-z0-9]{12,40}", "\""),
        inside("SECRET_KEY: '", "[a-z]{4}[0-9][A-Za-z0-9+/]{12,40}", "'"),
    ])
}

/// Text around a secret. It ends (or begins) where no word goes on.
fn around() -> impl Strategy<Value = (String, String)> {
    let before = prop_oneof![
        Just(String::new()),
        "[a-z éß日=:'\"(){},;./-]{0,60}[ \n\t(,;]",
        "(echo|curl -H|export|let x =|\\{\"a\": 1,) ",
    ];
    let after = prop_oneof![Just(String::new()), "[ \n\t);,][a-z éß日=:'\"(){},;./-]{0,60}"];
    (before, after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_survives_in_any_position(((whole, secret), (before, after)) in (secret(), around())) {
        let text = format!("{before}{whole}{after}");
        let clean = redact(&text);
        prop_assert!(!clean.contains(secret.trim_end()), "{text:?} -> {clean:?}");
        prop_assert!(clean.contains(MARK));
        prop_assert_eq!(redact(&clean), clean.as_ref());
        let shown = preview(&text, 10_000);
        prop_assert!(!shown.contains(secret.trim_end()), "{shown:?}");
    }

    #[test]
    fn redacting_twice_changes_nothing_more(text in r#"([ -~\n]|é|日|password|token|=|:|"|\[redacted\]|sk-|ghp_|eyJ|Bearer |://|@|--){0,60}"#) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once.clone(), "{:?}", text);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), chars_max in 0_usize..400) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = redact(&text);
        let shown = preview(&text, chars_max);
        prop_assert!(shown.chars().count() <= chars_max + 30, "{shown:?}");
        prop_assert!(shown.chars().all(|c| !c.is_control()));
    }

    #[test]
    fn a_preview_never_shows_a_part_of_a_secret_at_its_cut((whole, secret) in secret(), chars_max in 1_usize..200) {
        let text = format!("{}{whole} {}", "x ".repeat(chars_max / 4), "y ".repeat(20_000));
        let shown = preview(&text, chars_max);
        let part: String = secret.chars().filter(|c| !c.is_control()).take(9).collect();
        prop_assert!(part.chars().count() < 9 || !shown.contains(&part), "{part:?} in {shown:?}");
    }
}

#[test]
fn a_preview_is_cut_at_a_character_and_escaped() {
    for (text, chars_max, expected) in [
        ("", 5, ""),
        ("hello", 5, "hello"),
        ("hello!", 5, "hello… [1 more bytes]"),
        ("日本語", 2, "日本… [3 more bytes]"),
        ("a\nb\tc", 20, "a\\nb\\tc"),
        ("a\u{1b}[31mb", 20, "a\\u{1b}[31mb"),
        ("a\u{202e}b\u{200b}", 30, "a\\u{202e}b\\u{200b}"),
        ("ab\n", 3, "ab… [1 more bytes]"),
        ("password=hunter2", 12, "password=[re… [7 more bytes]"),
        ("x", 0, "… [1 more bytes]"),
    ] {
        assert_eq!(preview(text, chars_max), expected, "{text:?}");
    }
}

#[test]
fn a_large_text_is_looked_at_as_far_as_it_is_shown() {
    let text = "password=hunter2 ".repeat(1_000_000);
    let shown = preview(&text, 40);
    assert!(shown.starts_with("password=[redacted] password=[redacted] "), "{shown}");
    assert!(shown.ends_with("more bytes]") && shown.len() < 100, "{shown}");
}

#[test]
fn what_was_made_of_a_text_is_without_its_secrets() {
    let command = "curl -u admin:Correct-Horse9 'https://x?api_key=0123456789abcdef' -d pw";
    let secrets = secrets(command);
    assert_eq!(secrets, ["Correct-Horse9", "0123456789abcdef"]);
    for (text, expected) in [
        ("curl admin correct-horse9 x", "curl admin [redacted] x"),
        ("x0123456789ABCDEFx", "x[redacted]x"),
        ("get https://x?k=012345678…", "get https://x?k=[redacted]…"),
        ("get https://x?k=0123", "get https://x?k=0123"),
        ("Über admin", "Über admin"),
    ] {
        assert_eq!(without(text, &secrets), expected);
    }
    let short = ["pw".to_owned()];
    assert_eq!(without("pwd pw spw", &short), "pwd [redacted] spw");
}

#[test]
fn an_argument_is_a_secret_by_its_name() {
    for (path, value, expected) in [
        ("password", "correct horse", MARK),
        ("users[0].dbPassword", "it's \"x\"", MARK),
        ("apiKey", "abcd1234efgh", MARK),
        ("headers.Authorization", "Bearer abcdefgh", "Bearer [redacted]"),
        ("title", "Reset your password", "Reset your password"),
        ("url", "https://me:hunter2@x", "https://me:[redacted]@x"),
        ("password", "", ""),
        ("token", "primary colour", "primary colour"),
    ] {
        assert_eq!(argument(path, value), expected, "{path}");
    }
}
