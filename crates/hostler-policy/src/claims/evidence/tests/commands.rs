//! What command lines do, read and run, by their words.

use super::{bash, check, render};

/// Command lines that succeed in silence, and what they prove.
#[track_caller]
fn all(rows: &[(&str, &[&str])]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(command, expected)| (command, render(&bash(command, true, "")), expected))
        .filter(|(_, found, expected)| found.as_slice() != **expected)
        .map(|(command, found, expected)| {
            format!("{command:?}\n  found    {found:?}\n  expected {expected:?}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_are_written_in_every_way_that_a_shell_has() {
    all(&[
        ("cat > a.md <<'EOF'\nx\nEOF", &["Create a.md", "Edit a.md"]),
        ("cat <<EOF >> a.md\nx\nEOF", &["Edit a.md", "Create a.md"]),
        ("echo x | tee a.txt b.txt", &["Create a.txt", "Edit a.txt", "Create b.txt", "Edit b.txt"]),
        ("printf x > 'a b.txt'", &["Create a b.txt", "Edit a b.txt"]),
        ("cd src && echo x > a.rs", &["Create src/a.rs", "Edit src/a.rs"]),
        ("sed -i 's/a/b/' a.py b.py", &["Edit a.py", "Edit b.py"]),
        ("sed -i '' 's|a|b|g' *.ts", &["Edit *.ts tree"]),
        ("perl -pi -e 's/a/b/' a.py", &["Edit a.py"]),
        ("touch a && mkdir -p x/y", &["Create a", "Edit a", "Create x/y"]),
        ("patch -p1 src/a.c < fix.diff", &["Read fix.diff", "Edit src/a.c"]),
        ("mv a.rs b.rs", &["Move b.rs", "Delete a.rs"]),
        ("mv a.rs b.rs src/", &["Move src/a.rs", "Delete a.rs", "Move src/b.rs", "Delete b.rs"]),
        ("cp .env.example .env", &["Create .env", "Edit .env"]),
        ("cp db.sqlite db.sqlite.bak", &["Create db.sqlite.bak", "Edit db.sqlite.bak", "+Backup db.sqlite"]),
        ("rm -rf build", &["Delete build tree"]),
        ("git rm -q legacy.py", &["Delete legacy.py"]),
        ("git mv a.py b.py", &["Move b.py", "Delete a.py"]),
        ("find /tmp/job -name '*.tmp' -delete", &["Search /tmp/job tree", "Delete /tmp/job tree"]),
        ("python3 - <<'EOF'\nopen('out.txt','w').write('x')\nEOF", &["Create out.txt", "Edit out.txt"]),
        ("tar xzf a.tgz -C vendor", &["Create vendor tree"]),
        ("unzip -q a.zip -d lib", &["Create lib tree"]),
        ("dd if=a of=b.img", &["Create b.img", "Edit b.img"]),
        ("truncate -s 0 app.log", &["Create app.log", "Edit app.log"]),
        ("cargo new demo", &["Create demo tree", "Create demo/Cargo.toml"]),
        ("git worktree add ../w -b feat", &["Create /home/dev/w tree", "+Branch feat"]),
        ("git checkout -- a.rs", &["Edit a.rs", "Create a.rs", "+Revert a.rs"]),
        ("npx prettier --write src", &["Edit src tree", "Format prettier [src] ok"]),
        ("ruff check --fix app", &["Edit app tree", "Lint ruff check [app] ok"]),
        ("cargo fmt", &["Edit . tree", "Format cargo fmt ok"]),
        ("gofmt -w main.go", &["Edit main.go tree", "Format gofmt [main.go] ok"]),
        ("black .", &["Edit . tree", "Format black ok"]),
        (
            "npx openapi-typescript-codegen -i a.yaml -o gen/client",
            &["Create gen/client tree", "Edit gen/client tree", "+Run openapi-typescript-codegen", "opaque"],
        ),
    ]);
}

#[test]
fn what_changes_nothing_proves_no_change() {
    all(&[
        ("git apply --check fix.patch", &[]),
        ("git push --dry-run", &[]),
        ("npm publish --dry-run", &[]),
        ("make -n lint", &[]),
        ("npx prettier --check .", &["Format prettier ok"]),
        ("cargo fmt --check", &["Format cargo fmt ok"]),
        ("cargo fmt -- --check", &["Format cargo fmt ok"]),
        ("black --check src", &["Format black [src] ok"]),
        ("ruff format --check .", &["Format ruff format ok"]),
        ("terraform plan", &["+Read plan"]),
        ("cargo search serde", &[]),
        ("python jobs/nightly.py --dry-run", &["+Run jobs/nightly.py"]),
        ("./deploy.sh --dry-run", &["+Run ./deploy.sh"]),
        ("npx license-checker --summary", &["+Run license-checker"]),
        ("k6 run load.js", &["+Run k6"]),
        ("uv pip list", &[]),
        ("npm ls", &[]),
        ("npm version", &[]),
        ("true", &[]),
        ("source .venv/bin/activate", &[]),
        ("cd src && pwd", &[]),
    ]);
}

#[test]
fn contents_are_read_and_names_are_searched() {
    all(&[
        ("cat a.rs b.rs", &["Read a.rs", "Read b.rs"]),
        ("head -200 app.log", &["Read app.log"]),
        ("tail -n 50 app.log | grep ERROR", &["Read app.log"]),
        ("sed -n '1,40p' a.toml", &["Read a.toml"]),
        ("awk '{print $1}' a.csv", &["Read a.csv"]),
        ("jq .name package.json", &["Read package.json"]),
        ("nl -ba a.c", &["Read a.c"]),
        ("bat -r 1:20 a.rs", &["Read a.rs part"]),
        ("cat < a.txt", &["Read a.txt"]),
        ("diff a.c b.c", &["Read a.c", "Read b.c"]),
        ("grep -n foo a.rs", &["Read a.rs part"]),
        ("grep -c foo a.rs", &["Search a.rs"]),
        ("rg -l foo src", &["Search src tree"]),
        ("git diff", &["+Read diff"]),
        ("git diff main...HEAD", &["+Read diff main...HEAD"]),
        ("git diff --stat a.js", &["Search a.js", "+Search diff a.js"]),
        ("git show HEAD:src/a.rs", &["Read src/a.rs", "+Read show HEAD:src/a.rs"]),
        ("git log --oneline -5", &["+Search log"]),
        ("git log -p -- a.rs", &["Read a.rs", "+Read log"]),
        ("git status --short", &["+Search status"]),
        ("ls -la src", &["Search src"]),
        ("tree src", &["Search src tree"]),
        ("stat a.rs", &["Search a.rs"]),
        ("wc -l a.rs", &["Search a.rs"]),
        ("find . -name '*.rs'", &["Search . tree"]),
        ("journalctl -u shop -n 30", &["+Read shop"]),
        ("docker logs web", &["+Read logs web"]),
        ("kubectl logs pod/a", &["+Read logs pod/a", "+Verify pod/a"]),
        ("gh pr diff 7", &["+Read diff 7"]),
        ("gh pr view 7", &["+Read pr 7"]),
        ("gh pr view 7 --json title", &["+Search pr 7"]),
        ("gh run view 9 --log", &["+Read run 9", "+Verify run"]),
        ("psql -c '\\d orders'", &["+Read \\d orders", "+Run query"]),
    ]);
    check(
        "grep -rn foo src",
        true,
        "src/a.rs:3:foo()\nsrc/b.rs:9:foo\n",
        &["Search src tree", "Read src/a.rs part", "Read src/b.rs part"],
    );
    check(
        "cd src && grep -r foo . | head",
        true,
        "./a.rs:foo()\n./b.rs:  foo",
        &["Search src tree", "Read src/a.rs part", "Read src/b.rs part"],
    );
    check("find . -name '*.rs' | xargs grep foo", true, "./a.rs:1:foo", &["Search . tree", "Read a.rs part"]);
}

#[test]
fn git_and_the_forges_are_known() {
    all(&[
        ("git commit -m 'fix: a' -m b", &["+Commit fix: a"]),
        ("git commit -am \"$(cat <<'EOF'\nfix: b\n\nbody\nEOF\n)\"", &["+Commit fix: b"]),
        ("git commit --amend --no-edit", &["+Commit"]),
        ("git push -u origin feat/x", &["+Push origin/feat/x"]),
        ("git pull --rebase", &["+Pull"]),
        ("git tag v1.2.0", &["+Tag v1.2.0"]),
        ("git tag -l", &[]),
        ("git merge feat", &["+Merge feat"]),
        ("git rebase main", &["+Rebase main"]),
        ("git checkout -b feat", &["+Branch feat"]),
        ("git switch main", &["+Branch main"]),
        ("git branch -v", &[]),
        ("git restore a.rs", &["Edit a.rs", "Create a.rs", "+Revert a.rs"]),
        ("git reset --hard HEAD~1", &["Edit . tree", "+Revert HEAD~1"]),
        ("git stash", &["+Revert stash"]),
        ("git add -A && git commit -qm x && git push", &["+Commit", "+Push"]),
        ("gh pr create -t 'Add x' -b y", &["+OpenPullRequest Add x"]),
        ("gh pr merge 7 --squash", &["+Merge 7"]),
        ("gh pr comment 7 -b thanks", &["+Comment 7"]),
        ("gh issue create --title 'Bug' --body ''", &["+OpenIssue Bug"]),
        ("gh release create v1.0", &["+Publish v1.0", "+Tag v1.0"]),
        ("gh issue list", &["+Search issue"]),
        ("gh api repos/o/r/issues -f title=x", &["+Send repos/o/r/issues", "+OpenIssue repos/o/r/issues"]),
        (
            "gh api repos/o/r/pulls/7/comments",
            &["+Fetch repos/o/r/pulls/7/comments", "+Read repos/o/r/pulls/7/comments"],
        ),
    ]);
}

#[test]
fn packages_are_installed_with_their_manifests() {
    all(&[
        ("npm install left-pad", &["Edit package.json", "Edit package-lock.json", "+Install left-pad"]),
        ("npm ci", &["+Install"]),
        ("npm i -g typescript", &["+Install typescript"]),
        ("pnpm add -D vitest", &["Edit package.json", "Edit pnpm-lock.yaml", "+Install vitest"]),
        ("yarn", &["Edit yarn.lock", "+Install"]),
        ("cargo add serde@1", &["Edit Cargo.toml", "Edit Cargo.lock", "+Install serde@1"]),
        ("uv add httpx", &["Edit pyproject.toml", "Edit uv.lock", "+Install httpx"]),
        ("uv pip install ruff", &["+Install ruff"]),
        ("pip install -r requirements.txt", &["+Install requirements.txt"]),
        ("python3 -m pip install -q requests", &["+Install requests"]),
        ("poetry add pydantic", &["Edit pyproject.toml", "Edit poetry.lock", "+Install pydantic"]),
        ("go get example.com/x@v1", &["Edit go.mod", "Edit go.sum", "+Install example.com/x@v1"]),
        ("go mod tidy", &["Edit go.mod", "Edit go.sum", "+Install"]),
        ("sudo apt-get install -y jq", &["+Install jq"]),
        ("brew install gh", &["+Install gh"]),
        ("bundle install", &["Edit Gemfile.lock", "+Install"]),
        ("npm uninstall left-pad", &["Edit package.json", "Edit package-lock.json", "+Uninstall left-pad"]),
        ("npm publish", &["+Publish"]),
    ]);
}

#[test]
fn other_deeds_are_named_by_their_programs() {
    all(&[
        ("docker build -t app:1 .", &["Build docker build [app:1] ok"]),
        ("docker push app:1", &["+Publish app:1", "+Push app:1"]),
        ("docker compose up -d", &["+Service", "+Deploy"]),
        ("kubectl apply -f k8s/", &["+Deploy k8s/"]),
        ("kubectl rollout status deploy/web", &["+Verify deploy/web"]),
        ("helm upgrade web ./chart", &["+Deploy web"]),
        ("terraform apply -auto-approve", &["+Deploy terraform"]),
        ("systemctl restart nginx", &["+Service nginx"]),
        ("pm2 restart api", &["+Service api"]),
        ("alembic upgrade head", &["+Migrate head"]),
        ("python manage.py migrate", &["+Migrate"]),
        ("rails db:migrate", &["+Migrate db:migrate"]),
        ("pg_dump shop > shop.sql", &["Create shop.sql", "Edit shop.sql", "+Backup shop"]),
        (
            "curl -s https://api.example.org/v1",
            &["+Fetch api.example.org", "+Verify api.example.org", "+Read https://api.example.org/v1"],
        ),
        (
            "curl -X POST -d x https://api.example.org/v1",
            &[
                "+Send api.example.org",
                "+Fetch api.example.org",
                "+Verify api.example.org",
                "+Read https://api.example.org/v1",
            ],
        ),
        (
            "curl -sSLo f.tgz https://e.org/f",
            &["Create f.tgz", "Edit f.tgz", "+Fetch e.org", "+Verify e.org", "+Read https://e.org/f"],
        ),
        (
            "wget https://e.org/a.zip",
            &["Create a.zip", "Edit a.zip", "+Fetch e.org", "+Verify e.org", "+Read https://e.org/a.zip"],
        ),
        ("scp dist.tgz web@prod:/srv/", &["+Send web@prod:/srv/", "+Deploy web@prod"]),
        ("./scripts/deploy.sh prod", &["+Run ./scripts/deploy.sh", "+Deploy deploy.sh", "opaque"]),
        ("python scripts/seed.py", &["+Run scripts/seed.py", "+Migrate seed.py", "opaque"]),
        (
            "docker compose exec -T db python scripts/seed.py",
            &["+Run scripts/seed.py", "+Migrate seed.py", "opaque"],
        ),
        ("ssh web@prod 'systemctl restart app'", &["+Service app", "opaque"]),
    ]);
}

#[test]
fn opaque_is_what_may_have_done_anything() {
    for command in [
        "./build.sh",
        "python gen.py",
        "node scripts/gen.js",
        "make generate",
        "npm run generate",
        "go generate ./...",
        "bash setup.sh",
        "frobnicate",
        "python3 -c 'import gen; gen.main()'",
        "eval \"$X\"",
        "prisma generate",
        "$TOOL x",
    ] {
        assert!(bash(command, true, "").opaque, "{command}");
    }
    for command in [
        "pytest -q",
        "cargo test",
        "npm test",
        "npm run lint",
        "ruff check .",
        "tsc --noEmit",
        "ls",
        "cat a",
        "git status",
        "git commit -m x",
        "npm install",
        "pip install x",
        "curl -s https://e.org",
        "echo x",
        "python3 -c 'print(1)'",
        "python -m pytest",
        "uv run pytest",
        "npx jest",
        "sed -n 1p a",
        "awk '{print}' a",
        "docker logs x",
        "gh pr view",
        "find . -name x",
        "source .venv/bin/activate && pytest",
        "sleep 5",
        "which python",
        "timeout 60 cargo build",
        "cargo clippy -- -D warnings",
        "go test ./...",
    ] {
        assert!(!bash(command, true, "").opaque, "{command}: {:?}", render(&bash(command, true, "")));
    }
}

#[test]
fn runs_know_their_scope() {
    all(&[
        ("pytest", &["Test pytest ok"]),
        ("pytest tests/a.py::test_b -q", &["Test pytest [tests/a.py::test_b] ok"]),
        ("pytest -k login", &["Test pytest [login] ok"]),
        ("python3 -m pytest -x", &["Test pytest ok"]),
        ("python -m unittest discover", &["Test unittest ok"]),
        ("uv run pytest -q tests", &["Test pytest [tests] ok"]),
        ("cargo test -p core --lib parse", &["Test cargo test [core --lib parse] ok"]),
        ("cargo test --workspace -- --nocapture", &["Test cargo test ok"]),
        ("cargo nextest run -E 'test(a)'", &["Test cargo nextest [test(a)] ok"]),
        ("cargo clippy --all-targets -- -D warnings", &["Lint cargo clippy ok"]),
        ("go test ./...", &["Test go test ok"]),
        ("go test ./pkg/a -run TestB -count=1", &["Test go test [./pkg/a TestB] ok"]),
        ("npx jest src/a.test.ts -t login", &["Test jest [src/a.test.ts login] ok"]),
        ("npx vitest run", &["Test vitest ok"]),
        ("npx vitest run src/a", &["Test vitest [src/a] ok"]),
        ("node --test test/a.test.js", &["Test node --test [test/a.test.js] ok"]),
        ("npm test -- --grep login", &["Test npm test [login] ok"]),
        ("npm run check", &["Lint npm run check ok", "Typecheck npm run check ok"]),
        ("pnpm typecheck", &["Typecheck pnpm typecheck ok"]),
        ("pnpm eslint src", &["Lint eslint [src] ok"]),
        ("yarn build", &["Build yarn build ok"]),
        ("bun test", &["Test bun test ok"]),
        ("make test", &["Test make test ok"]),
        ("mvn -q test", &["Test mvn test ok"]),
        ("./gradlew test --tests A", &["Test gradlew test [A] ok"]),
        ("dotnet test", &["Test dotnet test ok"]),
        ("bundle exec rspec spec/a_spec.rb", &["Test rspec [spec/a_spec.rb] ok"]),
        ("mix test", &["Test mix test ok"]),
        ("mypy src", &["Typecheck mypy [src] ok"]),
        (
            "tsc -p . && eslint . && npx jest",
            &["Typecheck tsc ok", "Build tsc ok", "Lint eslint ok", "Test jest ok"],
        ),
        ("npx playwright test e2e/a.spec.ts", &["Test playwright [e2e/a.spec.ts] ok"]),
        ("terraform validate", &["Lint terraform validate ok"]),
        ("shellcheck a.sh", &["Lint shellcheck [a.sh] ok"]),
        ("timeout 60 cargo build --release", &["Build cargo build ok"]),
        ("for i in $(seq 20); do pytest -q a.py; done", &["Test pytest [a.py] x20 ?"]),
        ("for i in {1..3}; do go test ./a; done", &["Test go test [./a] x3 ok"]),
    ]);
}

#[test]
fn git_status_tells_of_the_work_tree() {
    let clean = |command: &str, output: &str| bash(command, true, output).tree_clean;
    assert_eq!(clean("git status", "On branch main\nnothing to commit, working tree clean"), Some(true));
    assert_eq!(clean("git status", "On branch main\nUntracked files:\n\tnotes.txt"), Some(false));
    assert_eq!(clean("git status --short", ""), Some(true));
    assert_eq!(clean("git status --short", " M src/a.rs\n?? notes.txt"), Some(false));
    assert_eq!(clean("git status --porcelain | grep x", ""), None);
    assert_eq!(clean("git add -A && git commit -qm x && git status -s", ""), None);
    assert_eq!(clean("ls", ""), None);
}
