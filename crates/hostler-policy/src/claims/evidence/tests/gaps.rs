//! Commands that look like deeds or runs and are none, and those whose reach or files only a second look tells.

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
fn judges_that_only_list_run_nothing() {
    for command in [
        "pytest --collect-only -q",
        "python -m pytest --co tests",
        "pytest --fixtures",
        "npx jest --listTests",
        "npm test -- --listTests",
        "npx vitest list",
        "npx playwright test --list",
        "cargo test -- --list",
        "cargo nextest list",
        "go test -list . ./...",
        "ctest -N",
        "ctest --show-only",
        "rspec --dry-run",
        "npx mocha --dry-run",
        "dotnet test --list-tests",
        "./gradlew test --dry-run",
        "npx eslint --print-config a.js",
        "npx tsc --showConfig",
        "pytest --help",
        "python -m pytest --version",
        "npx jest --help",
        "cargo test --help",
        "./run-tests.sh --help",
        "python scripts/migrate.py --help",
        "eslint -h",
        "npm run build -- --help",
    ] {
        let found = bash(command, true, "");
        assert!(found.runs.is_empty() && !found.opaque, "{command}: {:?}", render(&found));
    }
}

#[test]
fn compiling_tests_is_a_build() {
    all(&[
        ("cargo test list", &["Test cargo test [list] ok"]),
        ("cargo test --no-run", &["Build cargo test ok"]),
        ("go test -c", &["Build go test ok"]),
        ("go test -run '^$' ./...", &["Build go test ok"]),
        ("cargo check --release", &["Build cargo check ok", "Typecheck cargo check ok"]),
        ("mvn -q package -DskipTests", &["Build mvn package ok"]),
        ("mvn install -DskipTests=true", &["Build mvn install ok"]),
        ("./gradlew build -x test", &["Build gradlew build ok", "Lint gradlew build ok"]),
    ]);
}

#[test]
fn what_shows_or_rehearses_does_nothing() {
    all(&[
        ("alembic upgrade head --sql", &[]),
        ("alembic current", &[]),
        ("flyway info", &[]),
        ("npx prisma validate", &["Lint prisma validate ok"]),
        ("npx prisma migrate status", &[]),
        ("npx prisma migrate diff --from-empty", &[]),
        ("bin/rails db:migrate:status", &[]),
        ("bundle exec rake -T", &[]),
        ("rails routes", &[]),
        ("mix ecto.migrations", &[]),
        ("php artisan migrate:status", &[]),
        ("php artisan migrate --pretend", &[]),
        ("python manage.py migrate --plan", &[]),
        ("npx knex migrate:list", &[]),
        ("npx sequelize-cli db:migrate:status", &[]),
        ("npx typeorm migration:show", &[]),
        ("sqlx migrate info", &[]),
        ("diesel migration list", &[]),
        ("supabase db diff", &[]),
        ("supabase migration list", &[]),
        ("goose status", &[]),
        ("liquibase update-sql", &[]),
        ("flask db current", &[]),
        ("flask routes", &[]),
        ("dotnet ef migrations list", &[]),
        ("restic snapshots", &[]),
        ("restic -r /srv/repo check", &[]),
        ("restic backup --dry-run /srv", &[]),
        ("borg list /srv/repo", &[]),
        ("terraform plan", &["+Read plan"]),
        ("terragrunt run-all plan", &["+Read plan"]),
        ("terraform validate", &["Lint terraform validate ok"]),
        ("terraform show", &[]),
        ("terraform state list", &[]),
        ("helm template web ./chart", &[]),
        ("helm lint ./chart", &["Lint helm lint ok"]),
        ("helm upgrade web ./chart --dry-run", &[]),
        ("docker compose config", &[]),
        ("docker compose --dry-run up -d", &[]),
        ("kubectl diff -f k8s/", &["+Verify"]),
        ("kubectl apply -f k8s/ --dry-run=client", &[]),
        ("kubectl delete pod a --dry-run=server", &[]),
        ("kubectl kustomize k8s", &[]),
        ("npm pack --dry-run", &[]),
        ("npm publish --dry-run", &[]),
        ("pnpm publish --dry-run", &[]),
        ("composer require a/b --dry-run", &[]),
        ("twine check dist/*", &[]),
        ("gh issue list", &["+Search issue"]),
        ("gh issue view 7", &["+Read issue 7"]),
        ("gh pr list", &["+Search pr"]),
        ("gh pr create --dry-run -t x", &[]),
        ("fly status", &["+Verify fly"]),
        ("aws s3 ls s3://b", &["+Verify aws"]),
        ("aws s3 sync dist s3://b --dryrun", &[]),
        ("patch -p1 --dry-run < a.patch", &["Read a.patch"]),
        ("git merge --abort", &[]),
        ("buf lint", &["Lint buf lint ok"]),
        ("sqlc diff", &[]),
        ("crontab -l", &[]),
        ("adb devices", &["+Search devices"]),
        ("xcrun simctl list", &["+Search devices"]),
        ("emulator -list-avds", &[]),
    ]);
}

#[test]
fn what_does_it_is_told_from_what_shows_it() {
    all(&[
        ("alembic upgrade head", &["+Migrate head"]),
        ("flask db upgrade", &["+Migrate"]),
        ("flask db migrate -m 'add due_on'", &["+Other add due_on", "opaque"]),
        ("npx prisma migrate dev --create-only --name a", &["+Other a", "opaque"]),
        ("npx prisma migrate deploy", &["+Migrate deploy", "opaque"]),
        ("npx prisma db pull", &["Edit prisma/schema.prisma"]),
        ("dotnet ef database update", &["+Migrate"]),
        ("dotnet ef migrations add Due", &["+Other Due", "opaque"]),
        ("npx knex migrate:latest", &["+Migrate"]),
        ("restic backup /srv/wiki", &["+Backup /srv/wiki"]),
        ("borg create /srv/repo::a ~/docs", &["+Backup /home/dev/docs"]),
        ("(crontab -l; echo '0 2 * * * x') | crontab -", &["+Install crontab", "+Service crontab"]),
        ("crontab jobs.cron", &["+Install crontab", "+Service crontab"]),
        ("crontab -r", &["+Uninstall crontab"]),
        ("hub pull-request -m 'Add x'", &["+OpenPullRequest Add x"]),
        ("glab mr create --title 'Add x'", &["+OpenPullRequest Add x"]),
        ("git push -o merge_request.create", &["+Push", "+OpenPullRequest"]),
        ("git push heroku main", &["+Push heroku/main", "+Deploy heroku"]),
        ("git cherry-pick 1a2b3c", &["+Merge 1a2b3c", "+Commit 1a2b3c", "opaque"]),
        ("git cherry-pick -n 1a2b3c", &["+Merge 1a2b3c", "opaque"]),
        ("git revert --no-edit HEAD", &["+Revert HEAD", "+Commit revert", "opaque"]),
        ("npm pack", &["Create *.tgz tree"]),
        ("terraform plan -out=p.bin", &["Create p.bin", "+Read plan"]),
        ("adb install app.apk", &["+Install app.apk", "+Deploy device"]),
        ("adb shell input tap 10 20", &["+Run input", "+Verify device"]),
        ("emulator -avd Pixel_8", &["+Service emulator"]),
        ("xcrun simctl boot 'iPhone 15'", &["+Service iPhone 15"]),
        ("xcrun simctl io booted screenshot a.png", &["Create a.png", "+Verify device"]),
        ("chmod +x a.sh", &["Edit a.sh"]),
        ("chmod -x a.sh", &["Edit a.sh"]),
        ("chmod -R 755 bin", &["Edit bin tree"]),
        ("touch a.txt", &["Create a.txt", "Edit a.txt"]),
    ]);
    for command in [
        "fly deploy",
        "flyctl deploy --strategy rolling",
        "vercel --prod",
        "vercel deploy",
        "netlify deploy --prod",
        "gcloud run deploy api --source .",
        "gcloud app deploy",
        "serverless deploy",
        "sls deploy --stage prod",
        "firebase deploy",
        "npx wrangler deploy",
        "railway up",
        "aws lambda update-function-code --function-name a",
    ] {
        let found = bash(command, true, "");
        assert!(
            found.deeds.iter().any(|it| it.act == crate::claims::Act::Deploy),
            "{command}: {:?}",
            render(&found)
        );
    }
}

#[test]
fn options_that_name_an_output_write_it() {
    all(&[
        (
            "k6 run --summary-export=out/perf.json load.js",
            &["Create out/perf.json", "Edit out/perf.json", "+Run k6"],
        ),
        (
            "py-spy record --output prof.svg -- python a.py",
            &["Create prof.svg", "Edit prof.svg", "+Run py-spy"],
        ),
        ("frobnicate --save-as a/b.csv x", &["Create a/b.csv", "Edit a/b.csv", "+Run frobnicate"]),
        ("pytest --cov-report=xml:cov.xml", &["Create cov.xml", "Edit cov.xml", "Test pytest ok"]),
        ("npx jest --json --outputFile=r.json", &["Create r.json", "Edit r.json", "Test jest ok"]),
        ("go test -coverprofile=c.out ./...", &["Create c.out", "Edit c.out", "Test go test ok"]),
        // A reader, a format, an address, a number: no file.
        ("npx mocha --reporter ./dot.js", &["Test mocha ok"]),
        ("frobnicate --output-format json", &["+Run frobnicate", "opaque"]),
        ("frobnicate --report-to https://e.org/x", &["+Run frobnicate", "opaque"]),
        ("frobnicate --output-precision 0.5", &["+Run frobnicate", "opaque"]),
        ("npx eslint --report-unused-disable-directives src/ui", &["Lint eslint [src/ui] ok"]),
        ("frobnicate --output type=local,dest=a.tar", &["+Run frobnicate", "opaque"]),
        // A script may do more than write what it is told to.
        ("python gen.py --out a.json", &["Create a.json", "Edit a.json", "+Run gen.py", "opaque"]),
        (
            "jupyter nbconvert --to html nb/a.ipynb",
            &["Read nb/a.ipynb", "Create nb/a.html", "Edit nb/a.html"],
        ),
        (
            "jupyter nbconvert --to notebook --execute --inplace a.ipynb",
            &["Read a.ipynb", "Edit a.ipynb", "+Run notebook", "opaque"],
        ),
        (
            "papermill in.ipynb out.ipynb -p n 3",
            &["Read in.ipynb", "Create out.ipynb", "Edit out.ipynb", "+Run in.ipynb", "opaque"],
        ),
    ]);
    for command in [
        "npx prisma generate",
        "protoc --go_out=. a.proto",
        "openapi-generator generate -i a.yaml -g go -o gen",
        "sqlc generate",
        "go generate ./...",
        "npx graphql-codegen",
        "buf generate",
    ] {
        assert!(bash(command, true, "").opaque, "{command}");
    }
}

#[test]
fn folders_and_packages_narrow_a_run() {
    all(&[
        ("cd packages/api && npm test", &["Test npm test [packages/api] ok"]),
        ("cd /home/dev/proj/services/billing && pytest -q", &["Test pytest [services/billing] ok"]),
        // The only folder of a project may be all of it.
        ("cd backend && pytest -q", &["Test pytest ok"]),
        ("cd /srv/other/app && pytest -q", &["Test pytest ok"]),
        ("npm --prefix packages/api test", &["Test npm test [packages/api] ok"]),
        ("npm test -w api", &["Test npm test [api] ok"]),
        ("npm test --workspace=api", &["Test npm test [api] ok"]),
        ("npm test --workspaces", &["Test npm test ok"]),
        ("pnpm --filter api test", &["Test pnpm test [api] ok"]),
        ("pnpm --filter api run lint", &["Lint pnpm run lint [api] ok"]),
        ("pnpm -r test", &["Test pnpm test ok"]),
        ("pnpm --filter './packages/**' test", &["Test pnpm test ok"]),
        ("yarn workspace api test", &["Test yarn test [api] ok"]),
        ("yarn workspaces run test", &["Test yarn workspaces test ok"]),
        ("make -C libs/core test", &["Test make test [libs/core] ok"]),
        ("cargo test -p core", &["Test cargo test [core] ok"]),
        ("cargo test --manifest-path crates/core/Cargo.toml", &["Test cargo test [crates/core] ok"]),
        ("mvn -pl core test", &["Test mvn test [core] ok"]),
        ("mvn -q -f services/core/pom.xml test", &["Test mvn test [services/core] ok"]),
        ("./gradlew :core:test", &["Test gradlew :core:test [core] ok"]),
        ("./gradlew test", &["Test gradlew test ok"]),
        ("./gradlew :core:test --tests '*FmtTest'", &["Test gradlew :core:test [*FmtTest core] ok"]),
        ("go test -C tools/lint ./...", &["Test go test [tools/lint] ok"]),
        ("npx nx test web", &["Test nx test [web] ok"]),
        ("npx nx run web:test", &["Test nx test [web] ok"]),
        ("npx turbo run test --filter=web", &["Test turbo test [web] ok"]),
        ("bazel test //...", &["Test bazel test ok"]),
        ("bazel test //core/...", &["Test bazel test [//core/...] ok"]),
        ("dotnet test App.sln", &["Test dotnet test ok"]),
    ]);
}

#[test]
fn flags_of_package_managers_are_read_by_manager() {
    all(&[
        ("npm i -E left-pad", &["Edit package.json", "Edit package-lock.json", "+Install left-pad"]),
        ("pnpm add -w zod", &["Edit package.json", "Edit pnpm-lock.yaml", "+Install zod"]),
        ("pnpm --filter api add zod", &["Edit package.json", "Edit pnpm-lock.yaml", "+Install zod"]),
        ("pip install -r a.txt", &["+Install a.txt"]),
    ]);
}

#[test]
fn patches_name_the_files_that_they_change() {
    check(
        "patch -p1 < /tmp/a.patch",
        true,
        "patching file drivers/uart.c\nHunk #1 succeeded at 112 (offset 3 lines).\npatching file 'a b.h'\n",
        &["Read /tmp/a.patch", "Edit drivers/uart.c", "Edit a b.h"],
    );
    check("patch -p1 < /tmp/a.patch", true, "", &["Read /tmp/a.patch", "opaque"]);
    check(
        "git apply a.patch && git diff --stat",
        true,
        " src/a.rs       | 4 ++--\n .../deep/b.rs | 2 +-\n 2 files changed, 3 insertions(+), 3 deletions(-)\n",
        &["Edit src/a.rs", "Edit deep/b.rs", "+Edit a.patch", "+Search diff"],
    );
    check("git apply a.patch", true, "", &["+Edit a.patch", "opaque"]);
    check(
        "git apply -v a.patch",
        true,
        "Checking patch src/a.rs...\nApplied patch src/a.rs cleanly.\n",
        &["Edit src/a.rs", "+Edit a.patch"],
    );
    check(
        "git merge feat",
        true,
        "Updating 1a..2b\nFast-forward\n src/a.rs | 4 ++--\n new.md   | 1 +\n 2 files changed\n create mode 100644 new.md\n",
        &["Edit src/a.rs", "Edit new.md", "Create new.md", "+Merge feat"],
    );
}

#[test]
fn a_part_that_is_shown_is_told_from_the_whole() {
    let lines = |count: usize| "a line\n".repeat(count);
    for (command, count, expected) in [
        ("head -10 a.md", 10, "Read a.md part"),
        ("head -10 a.md", 7, "Read a.md"),
        ("head a.md", 10, "Read a.md part"),
        ("head -n 200 a.md", 120, "Read a.md"),
        ("tail -n 50 a.md", 50, "Read a.md part"),
        ("tail -n +1 a.md", 50, "Read a.md"),
        ("tail -n +20 a.md", 5, "Read a.md part"),
        ("sed -n '40,80p' a.md", 41, "Read a.md part"),
        ("sed -n '1,400p' a.md", 300, "Read a.md"),
        ("sed -n '1,$p' a.md", 300, "Read a.md"),
        ("sed 20q a.md", 20, "Read a.md part"),
        ("cat a.md", 900, "Read a.md"),
        ("cat a.md | head -20", 20, "Read a.md part"),
        ("cat a.md | head -20", 12, "Read a.md"),
        ("cat a.md | grep TLS", 2, "Read a.md part"),
        ("grep -n TLS a.md", 2, "Read a.md part"),
        ("bat -r 1:20 a.md", 20, "Read a.md part"),
        ("awk 'NR<9' a.md", 8, "Read a.md part"),
    ] {
        assert_eq!(render(&bash(command, true, &lines(count))), [expected], "{command:?} {count}");
    }
    check("wc -l a.md && head -3 a.md", true, "412 a.md\n# A\n\nb\n", &["Search a.md", "Read a.md part"]);
}

#[test]
fn an_offer_to_open_a_pull_request_opens_none() {
    check(
        "git push -u origin feat/dark",
        true,
        "remote: Create a pull request for 'feat/dark' on GitHub by visiting:\nremote:   https://github.com/a/b/pull/new/feat/dark\n * [new branch] feat/dark -> feat/dark",
        &["+Push origin/feat/dark"],
    );
}

#[test]
fn what_failed_of_these_is_missed() {
    check(
        "fly deploy --strategy rolling",
        false,
        "Error: failed to fetch an image or build from source",
        &["!Error fly deploy", "-Deploy fly"],
    );
    assert!(bash("fly deploy", true, "").targets.contains(&"fly deploy".to_owned()));
    check(
        "pnpm --filter api add zod",
        false,
        " ERR_PNPM_FETCH_403  GET https://npm.corp.local/zod: Forbidden - 403",
        &["!Error pnpm add", "-Install zod", "-Edit package.json", "-Edit pnpm-lock.yaml"],
    );
    check(
        "git cherry-pick 1a2b3c",
        false,
        "error: could not apply 1a2b3c... x",
        &["opaque", "!Error git cherry-pick", "-Merge 1a2b3c", "-Commit 1a2b3c"],
    );
    check(
        "patch -p1 < a.patch",
        false,
        "patching file src/a.c\nHunk #1 FAILED at 10.\n1 out of 1 hunk FAILED -- saving rejects to file src/a.c.rej",
        &["!Error patch", "-Read a.patch", "-Edit src/a.c"],
    );
    check(
        "restic backup /srv/wiki",
        false,
        "Fatal: unable to open repository",
        &["!Error restic backup", "-Backup /srv/wiki"],
    );
    check(
        "alembic upgrade head",
        false,
        "sqlalchemy.exc.OperationalError: refused",
        &["!Error alembic upgrade", "-Migrate head"],
    );
    check(
        "adb install app.apk",
        false,
        "adb: failed to install app.apk: no devices",
        &["!Error adb install", "-Install app.apk", "-Deploy device"],
    );
    check(
        "crontab jobs.cron",
        false,
        "jobs.cron: No such file or directory",
        &["!Error crontab", "-Install crontab", "-Service crontab"],
    );
    check(
        "gh pr create -t 'Add x'",
        false,
        "GraphQL: No commits between main and x",
        &["!Error gh pr create", "-OpenPullRequest Add x"],
    );
    check(
        "touch /etc/a",
        false,
        "touch: cannot touch '/etc/a': Permission denied",
        &["!Error touch", "-Create /etc/a", "-Edit /etc/a"],
    );
    check(
        "docker push app:1",
        false,
        "denied: requested access to the resource is denied",
        &["!Error docker push", "-Publish app:1", "-Push app:1"],
    );
    check(
        "docker build -t app:1 .",
        false,
        "ERROR: failed to solve: process \"npm ci\" did not complete",
        &["Build docker build [app:1] FAILED", "!Verdict docker build"],
    );
}

#[test]
fn hooks_that_stop_a_commit_failed() {
    check(
        "git add -A && git commit -m 'ws: reconnect'",
        false,
        "┃  lint ❯ \nsrc/ws.ts:12:4 lint/suspicious/noExplicitAny\nFound 1 error.\nexit status 1",
        &["Lint lint FAILED", "!Error git commit", "-Commit ws: reconnect"],
    );
    check(
        "git commit -m x",
        false,
        "src/a.ts\n  1:1  error  Unexpected any\nhusky - pre-commit script failed (code 1)",
        &["Lint pre-commit FAILED", "!Error git commit", "-Commit x"],
    );
    check("git commit -m x", true, "┃  lint ❯ \nno problems\n[main 1a] x", &["+Commit x"]);
}
