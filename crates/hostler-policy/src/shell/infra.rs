//! Programs that destroy what lives outside the file system: clusters, clouds, databases, volumes.

use hostler_model::EffectKind;

use super::args::Args;
use super::machine::{Data, Machine, State, Stream};
use super::run::Call;
use super::sql;
use super::word::Field;

/// A destructive call of a tool: its name, the words that must be there in this order, and why.
struct Danger {
    tool: &'static [&'static str],
    words: &'static [&'static str],
    why: &'static str,
}

const fn danger(tool: &'static [&'static str], words: &'static [&'static str], why: &'static str) -> Danger {
    Danger { tool, words, why }
}

/// Words match a whole argument; a trailing `*` matches its start. Alternatives are separated by `|`.
const DANGERS: &[Danger] = &[
    danger(&["terraform", "tofu", "terragrunt", "tf"], &["destroy"], "it destroys the infrastructure"),
    danger(
        &["terraform", "tofu", "terragrunt", "tf"],
        &["apply", "-destroy|--destroy"],
        "it destroys the infrastructure",
    ),
    danger(&["terragrunt"], &["run-all|run", "destroy"], "it destroys the infrastructure"),
    danger(&["terraform", "tofu", "terragrunt", "tf"], &["state", "rm"], "it forgets what it manages"),
    danger(
        &["terraform", "tofu", "terragrunt", "tf"],
        &["workspace", "delete"],
        "it deletes a workspace with its state",
    ),
    danger(&["terraform", "tofu", "terragrunt", "tf"], &["taint"], "it marks a resource to be destroyed"),
    danger(&["pulumi"], &["destroy|down"], "it destroys the infrastructure"),
    danger(&["pulumi"], &["stack", "rm"], "it deletes a stack with its state"),
    danger(
        &["cdk", "cdktf", "sst", "sam", "copilot", "eb"],
        &["destroy|remove|delete|terminate"],
        "it destroys the infrastructure",
    ),
    danger(&["serverless", "sls"], &["remove"], "it removes the deployed service"),
    danger(&["kubectl", "oc", "k"], &["delete"], "it deletes cluster resources"),
    danger(&["kubectl", "oc", "k"], &["drain"], "it evicts everything from a node"),
    danger(&["kubectl", "oc", "k"], &["replace", "--force"], "it deletes and recreates resources"),
    danger(&["kubectl", "oc", "k"], &["scale", "--replicas=0"], "it stops every replica"),
    danger(&["helm"], &["uninstall|delete|un"], "it removes a release"),
    danger(
        &["kind", "minikube", "k3d", "eksctl", "kops", "k3s-uninstall.sh"],
        &["delete"],
        "it deletes a cluster",
    ),
    danger(&["argocd", "flux"], &["app|uninstall", "delete"], "it deletes an application"),
    danger(
        &["docker", "podman", "nerdctl"],
        &["volume", "rm|remove|prune"],
        "it deletes volumes with their data",
    ),
    danger(
        &["docker", "podman", "nerdctl"],
        &["system", "prune|reset"],
        "it deletes containers, images or volumes",
    ),
    danger(
        &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"],
        &["down", "-v|--volumes"],
        "it deletes volumes with their data",
    ),
    danger(
        &["docker", "podman", "nerdctl", "docker-compose"],
        &["rm", "-v|--volumes|-fv|-vf|-sfv|-fsv"],
        "it deletes volumes with their data",
    ),
    danger(
        &["docker", "podman", "nerdctl"],
        &["container|image|network|builder", "prune"],
        "it deletes what is unused right now",
    ),
    danger(&["docker", "podman"], &["swarm", "leave"], "it leaves the swarm"),
    danger(
        &["docker", "podman"],
        &["stack|service|secret|config", "rm|remove"],
        "it removes deployed services",
    ),
    danger(&["aws"], &["s3", "rm|rb"], "it deletes stored objects"),
    danger(&["aws"], &["s3", "sync", "--delete"], "it deletes stored objects"),
    danger(&["aws"], &["s3", "mv"], "it takes stored objects away"),
    danger(
        &["aws"],
        &["*", "delete-*|terminate-*|purge-*|deregister-*|remove-*|destroy-*|schedule-key-deletion"],
        "it deletes cloud resources",
    ),
    danger(&["gcloud", "bq"], &["delete|rm"], "it deletes cloud resources"),
    danger(&["gsutil"], &["rm|rb"], "it deletes stored objects"),
    danger(&["gsutil"], &["rsync", "-d"], "it deletes stored objects"),
    danger(&["az"], &["delete|purge|delete-batch"], "it deletes cloud resources"),
    danger(
        &["doctl", "linode-cli", "hcloud", "scw", "vultr-cli", "oci", "ibmcloud", "exo", "civo"],
        &["delete|rm|destroy|terminate|remove"],
        "it deletes cloud resources",
    ),
    danger(
        &["heroku"],
        &[
            "apps:destroy|pg:reset|addons:destroy|pipelines:destroy|domains:remove|config:unset|pg:backups:delete",
        ],
        "it destroys an application or its data",
    ),
    danger(&["fly", "flyctl"], &["destroy|delete|rm"], "it destroys an application or its data"),
    danger(
        &["fly", "flyctl"],
        &["apps|volumes|machine|machines|postgres|pg|storage", "destroy|delete|rm"],
        "it destroys an application or its data",
    ),
    danger(
        &["vercel", "netlify", "railway", "render", "now"],
        &["rm|remove|down|delete|sites:delete"],
        "it removes a deployment",
    ),
    danger(&["wrangler"], &["delete"], "it deletes a worker or its data"),
    danger(
        &["firebase"],
        &["firestore:delete|database:remove|hosting:disable|functions:delete"],
        "it deletes data or functions",
    ),
    danger(&["supabase"], &["db", "reset"], "it drops the database"),
    danger(&["supabase"], &["projects", "delete"], "it deletes a project"),
    danger(&["mc", "minio-client"], &["rm|rb"], "it deletes stored objects"),
    danger(&["s3cmd", "s5cmd", "s4cmd"], &["rm|del|rb|la-delete"], "it deletes stored objects"),
    danger(&["azcopy"], &["remove|rm"], "it deletes stored objects"),
    danger(
        &["gh"],
        &["repo|release|secret|variable|run|cache|gist|label|codespace|ssh-key|gpg-key", "delete|archive"],
        "it deletes something on the forge",
    ),
    danger(&["gh"], &["api", "delete"], "it deletes something on the forge"),
    danger(&["glab"], &["repo|release|variable|mr|issue", "delete"], "it deletes something on the forge"),
    danger(&["vault"], &["delete|destroy"], "it deletes secrets"),
    danger(&["vault"], &["kv|secrets|auth", "delete|destroy|disable|metadata"], "it deletes secrets"),
    danger(&["consul", "etcdctl", "nomad"], &["delete|del|leave|stop|purge"], "it deletes cluster state"),
    danger(&["consul"], &["kv", "delete"], "it deletes cluster state"),
    danger(&["kafka-topics", "kafka-topics.sh"], &["--delete"], "it deletes a topic"),
    danger(
        &["rabbitmqctl", "rabbitmqadmin"],
        &["delete_queue|delete_vhost|reset|force_reset|purge_queue|purge|delete"],
        "it deletes queues",
    ),
    danger(&["redis-cli", "valkey-cli", "keydb-cli"], &["flushall|flushdb"], "it empties the store"),
    danger(&["redis-cli", "valkey-cli", "keydb-cli"], &["del|unlink"], "it deletes keys"),
    danger(&["memcached-tool"], &["flush_all"], "it empties the cache"),
    danger(&["dropdb", "dropuser"], &[], "it drops a database"),
    danger(&["mysqladmin", "mariadb-admin"], &["drop"], "it drops a database"),
    danger(&["pg_dropcluster"], &[], "it drops a database cluster"),
    danger(&["prisma"], &["migrate", "reset"], "it drops the database"),
    danger(&["prisma"], &["db", "push", "--force-reset|--accept-data-loss"], "it may drop data"),
    danger(&["prisma"], &["db", "execute"], "it runs SQL that is not seen here"),
    danger(&["drizzle-kit"], &["drop|push:*"], "it may drop data"),
    danger(&["drizzle-kit"], &["push", "--force"], "it may drop data"),
    danger(
        &["sequelize", "sequelize-cli"],
        &["db:drop|db:migrate:undo:all|db:seed:undo:all"],
        "it drops data",
    ),
    danger(
        &["typeorm", "typeorm-ts-node-commonjs", "mikro-orm"],
        &["schema:drop|schema:sync|schema:fresh|migration:fresh"],
        "it drops data",
    ),
    danger(&["knex"], &["migrate:rollback", "--all"], "it drops data"),
    danger(
        &["rails", "rake", "bin/rails"],
        &[
            "db:drop*|db:reset|db:purge|db:schema:load|db:migrate:reset|db:truncate_all|db:seed:replant|db:structure:load",
        ],
        "it drops the database",
    ),
    danger(
        &["artisan", "php"],
        &["migrate:fresh|migrate:reset|migrate:refresh|db:wipe"],
        "it drops the database",
    ),
    danger(
        &["django-admin", "manage.py", "./manage.py"],
        &["flush|reset_db|sqlflush|reset_schema"],
        "it empties the database",
    ),
    danger(&["manage.py", "./manage.py"], &["migrate", "zero"], "it drops tables"),
    danger(&["alembic"], &["downgrade", "base"], "it drops tables"),
    danger(&["flask"], &["db", "downgrade"], "it may drop tables"),
    danger(&["flyway"], &["clean"], "it drops the schema"),
    danger(&["liquibase"], &["drop-all|dropall"], "it drops the schema"),
    danger(&["mix"], &["ecto.drop|ecto.reset"], "it drops the database"),
    danger(&["diesel"], &["database", "reset|drop"], "it drops the database"),
    danger(&["sqlx"], &["database", "reset|drop"], "it drops the database"),
    danger(&["dbmate", "goose", "migrate"], &["drop|reset|down"], "it drops tables"),
    danger(&["hasura"], &["migrate", "delete"], "it deletes migrations"),
    danger(&["influx"], &["delete|bucket"], "it deletes data"),
    danger(&["ansible"], &["-m", "file|shell|command"], "it changes other machines"),
];

/// Options that make a call harmless.
const HARMLESS: &[&str] = &[
    "--help",
    "--dry-run",
    "--dryrun",
    "--dry-run=client",
    "--dry-run=server",
    "--preview",
    "--what-if",
    "-n=dry",
    "--check",
    "--diff-only",
];

/// Database shells: options that carry SQL, options that take another value.
const SQL_TOOLS: &[(&str, &[&str], &str)] = &[
    ("psql", &["-c", "--command"], "-d -h -U -p -f -v --dbname --host --username --port --file"),
    ("mysql", &["-e", "--execute"], "-h -u -P -D --host --user --database"),
    ("mariadb", &["-e", "--execute"], "-h -u -P -D --host --user --database"),
    ("redis-cli", &[], "-h -p -s -a -u -n"),
    ("valkey-cli", &[], "-h -p -s -a -u -n"),
    ("sqlite3", &["-cmd"], "-separator -init"),
    ("sqlite", &["-cmd"], "-separator -init"),
    ("duckdb", &["-c", "-s"], "-init"),
    ("sqlcmd", &["-Q", "-q"], "-S -U -P -d -i"),
    ("cockroach", &["-e", "--execute"], "--url --host"),
    ("clickhouse-client", &["-q", "--query"], "-h --host -u -d"),
    ("clickhouse", &["-q", "--query"], "-h --host -u -d"),
    ("bq", &["query"], ""),
    ("snowsql", &["-q"], "-a -u -d -s"),
    ("snow", &["-q", "--query"], ""),
    ("cqlsh", &["-e", "--execute"], "-u -p -k"),
    ("usql", &["-c", "--command"], ""),
    ("trino", &["--execute"], "--server"),
    ("turso", &[], ""),
    ("wrangler", &["--command"], "--file -c"),
    ("mongosh", &["--eval"], "--host --port -u -p"),
    ("mongo", &["--eval"], "--host --port -u -p"),
    ("supabase", &[], ""),
];

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let short = call.word.rsplit('/').next().unwrap_or(call.word);
    let words: Vec<String> = call.args.iter().map(|field| field.render().to_ascii_lowercase()).collect();
    // For database tools `-h` names a host; alone at the end it asks for help.
    let harmless = words.last().is_some_and(|word| word == "-h")
        || words.iter().any(|word| HARMLESS.contains(&word.as_str()))
        || (short == "terraform" && words.first().is_some_and(|word| word == "plan"));
    if !harmless {
        for danger in DANGERS {
            if danger.tool.contains(&short) && in_order(danger.words, &words) {
                machine.emit(EffectKind::Infrastructure, Vec::new(), call.render(), danger.why, state);
                break;
            }
        }
    }
    if let Some((_, carriers, valued)) = SQL_TOOLS.iter().find(|(tool, ..)| *tool == short) {
        statements(machine, call, carriers, valued, state);
    }
    (matches!(
        short,
        "psql" | "mysql" | "sqlite3" | "mongosh" | "kubectl" | "aws" | "gcloud" | "gh" | "terraform"
    ))
    .then(|| {
        Stream::opaque(format!("output of `{short}`"), matches!(short, "aws" | "gcloud" | "gh" | "kubectl"))
    })
}

/// Whether `words` appear among `given` in this order, options in between.
fn in_order(words: &[&str], given: &[String]) -> bool {
    let mut rest = given.iter();
    words.iter().all(|word| {
        rest.any(|given| {
            word.split('|').any(|it| match it.strip_suffix('*') {
                Some(start) => given.starts_with(start) && !given.starts_with('-'),
                None => given == it,
            })
        })
    })
}

fn statements(
    machine: &mut Machine<'_>,
    call: &Call<'_>,
    carriers: &[&str],
    valued: &str,
    state: &mut State,
) {
    let takes = format!("{} {valued}", carriers.join(" "));
    let parsed = Args::parse(call.args, &takes);
    let mut texts: Vec<String> = parsed.values(carriers).map(Field::render).collect();
    // `sqlite3 FILE "SQL"`, `mongosh URL --eval`, `sqlite3 FILE -cmd`: single-dash long options too.
    for (index, field) in call.args.iter().enumerate() {
        if carriers.contains(&field.head())
            && let Some(next) = call.args.get(index + 1)
        {
            texts.push(next.render());
        }
    }
    texts.extend(parsed.operands.iter().map(Field::render).filter(|text| text.contains(' ')));
    if let Data::Text(text) = &call.stdin.data {
        texts.push(text.clone());
    }
    for text in texts {
        if let Some(why) = sql::destroys(&text) {
            machine.emit(EffectKind::Infrastructure, Vec::new(), call.render(), why, state);
            return;
        }
    }
}
