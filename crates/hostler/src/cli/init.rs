//! `hostler init`.

use std::io::Write;

use hostler_host::claude::settings;
use hostler_host::opencode::settings::{Flavour, Outcome as Entry};
use hostler_model::Profile;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::install::change::{Change, at};
use crate::install::files::Wanted;
use crate::install::opencode::Asked;
use crate::install::plan::{Plan, Told, Transaction, hide};
use crate::install::status_line::{Outcome, Wish};
use crate::install::{Host, Scope, Site, binary, claude, opencode, shared};
use crate::output::human::told;

/// Registers with the agents that are here, and gives the project a configuration.
///
/// Your settings files are edited as text: what you wrote stays byte for byte. Running it again changes
/// nothing, or brings entries of an older version up to date; `hostler uninit` takes everything back.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command line")]
pub(crate) struct Args {
    /// Which agent [default: all that are found by their folders or programs, else claude]
    #[arg(long, value_enum)]
    host: Option<Host>,
    /// Whose settings. `local`, since they hold the path of this machine's binary
    #[arg(long, value_enum, default_value = "local")]
    scope: Scope,
    /// How strict [default for a new configuration: standard]
    #[arg(long, value_parser = ["observe", "standard", "strict"])]
    profile: Option<String>,
    /// Register the status line of Claude Code, also where another settings file has one
    #[arg(long, conflicts_with = "no_statusline")]
    statusline: bool,
    /// Leave the status line alone, and remove one of ours
    #[arg(long)]
    no_statusline: bool,
    /// Write the agents `auto-kg-context` and `kg-context-agent` and the command `/query-kg`
    #[arg(long, conflicts_with = "no_agents")]
    agents: bool,
    /// Remove them
    #[arg(long)]
    no_agents: bool,
    /// Register the MCP server of `OpenCode` switched on.
    #[arg(
        long,
        conflicts_with = "no_mcp",
        help = "Let OpenCode start the MCP server as well, whose tools the plugin offers already"
    )]
    mcp: bool,
    /// Register the MCP server of `OpenCode` switched off.
    #[arg(long, help = "Register the MCP server of OpenCode switched off")]
    no_mcp: bool,
    /// For which `OpenCode`.
    #[arg(
        long,
        value_parser = ["1", "2"],
        value_name = "VERSION",
        help = "For which OpenCode [default: the program's version, else that of its configuration]"
    )]
    opencode: Option<String>,
    /// Replace files of ours that were changed by hand; copies of them are kept
    #[arg(long)]
    force: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Neither of two switches, or one.
fn said(yes: bool, no: bool) -> Option<bool> {
    (yes || no).then_some(yes)
}

impl Args {
    fn status_line(&self) -> Wish {
        match said(self.statusline, self.no_statusline) {
            Some(false) => Wish::Unwanted,
            Some(true) => Wish::Wanted,
            None => Wish::Unsaid,
        }
    }

    fn agents(&self) -> Wanted {
        Wanted { wish: said(self.agents, self.no_agents), force: self.force }
    }

    fn asked(&self) -> Asked {
        let flavour = self.opencode.as_deref().map(|it| if it == "2" { Flavour::Two } else { Flavour::One });
        Asked { flavour, mcp: said(self.mcp, self.no_mcp), agents: self.agents() }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    site.refuse_home_as_project(args.scope)?;
    let command = binary::stable(&site.dirs.home)?;
    let found = shared::hosts(&site);
    let hosts = match args.host {
        Some(host) => vec![host],
        None if found.is_empty() => vec![Host::Claude],
        None => found.iter().map(|(host, _)| *host).collect(),
    };
    let lock = if args.dry_run { None } else { Some(site.lock()?) };
    let transaction = plan(&site, args, &hosts, &command)?;
    transaction.check()?;
    if !args.dry_run {
        transaction.apply(&site)?;
    }
    drop(lock);
    let signs = if args.host.is_none() { found } else { Vec::new() };
    let report = Report { site: &site, args, transaction: &transaction, command: &command, signs };
    if json { report.json() } else { report.text() }
}

fn plan(site: &Site, args: &Args, hosts: &[Host], command: &str) -> anyhow::Result<Transaction> {
    let mut plans = Vec::new();
    for host in hosts {
        let plan = match host {
            Host::Claude => claude::plan(site, args.scope, args.status_line(), args.agents(), command),
            Host::OpenCode => opencode::plan(site, args.scope, args.asked(), command),
        };
        plans.push(plan.map_err(|error| match hosts.iter().find(|it| *it != host) {
            Some(other) => anyhow::anyhow!(
                "{}; nothing was written: `--host {}` leaves {} out",
                told(&error),
                other.word(),
                host.name()
            ),
            None => error,
        })?);
    }
    let mut transaction = Transaction { shared: Vec::new(), plans };
    let profile = args.profile.as_deref().and_then(Profile::parse);
    shared::configure(site, args.scope, profile, &mut transaction)?;
    transaction.shared.extend(hide(site, &mut transaction.plans));
    transaction.plans.iter_mut().for_each(|plan| plan.warn_of_tracked(site));
    transaction.plans.iter_mut().for_each(Plan::note_folders);
    Ok(transaction)
}

struct Report<'r> {
    site: &'r Site,
    args: &'r Args,
    transaction: &'r Transaction,
    command: &'r str,
    /// Why these hosts; empty if one was named.
    signs: Vec<(Host, String)>,
}

impl Report<'_> {
    fn json(&self) -> anyhow::Result<Exit> {
        let transaction = self.transaction;
        let files: Vec<_> = transaction
            .changes()
            .map(|it| json!({ "path": it.path.display().to_string(), "action": it.action(), "diff": it.diff() }))
            .collect();
        let hosts: Vec<Value> = transaction.plans.iter().map(|it| self.host(it)).collect::<Result<_, _>>()?;
        let warnings: Vec<&String> = transaction.plans.iter().flat_map(|it| &it.warnings).collect();
        let document = json!({
            "scope": self.args.scope,
            "dry_run": self.args.dry_run,
            "changed": transaction.changes_something(),
            "command": self.command,
            "hosts": hosts,
            "files": files,
            "warnings": warnings,
        });
        writeln!(crate::output::human::stdout(), "{document}")?;
        Ok(Exit::Ok)
    }

    fn host(&self, plan: &Plan) -> anyhow::Result<Value> {
        let settings = plan.record.settings.display().to_string();
        Ok(match &plan.told {
            Told::Claude(told) => json!({
                "host": Host::Claude,
                "settings": settings,
                "events": self.events(plan)?,
                "added": told.added,
                "replaced": told.replaced,
                "removed": told.removed,
                "status_line": told.status_line.name(),
                "agents": told.agents,
            }),
            Told::OpenCode(told) => json!({
                "host": Host::OpenCode,
                "settings": settings,
                "version": told.flavour.number(),
                "plugin": told.plugin.display().to_string(),
                "configuration": told.configuration.as_ref().map(|it| it.display().to_string()),
                "mcp": match (told.mcp, told.mcp_enabled) {
                    (Entry::Others, _) => "others",
                    (Entry::Absent, _) => "absent",
                    (_, true) => "enabled",
                    (_, false) => "disabled",
                },
                "agents": told.agents,
                "seeded": told.seeded,
            }),
        })
    }

    /// What is in the file, not what we believe to have written.
    fn events(&self, plan: &Plan) -> anyhow::Result<Vec<String>> {
        let path = &plan.record.settings;
        let text = if self.args.dry_run {
            plan.changes.iter().find(|it| it.path == *path).and_then(|it| it.after.clone())
        } else {
            Change::of(path, plan.record.scope.access())?.before()?.map(str::to_owned)
        };
        let registered = settings::registered(&text.unwrap_or_default()).map_err(|error| at(path, &error))?;
        Ok(registered.into_iter().map(|it| it.event).collect())
    }

    fn text(&self) -> anyhow::Result<Exit> {
        let mut out = crate::output::human::stdout();
        let Self { site, args, transaction, .. } = self;
        for change in transaction.changes().filter(|it| it.changes()) {
            if args.dry_run {
                write!(out, "{}", change.diff())?;
            } else {
                writeln!(out, "{} {}", change.action(), site.shown(&change.path))?;
            }
        }
        if !transaction.changes_something() {
            let of: Vec<String> =
                transaction.plans.iter().map(|it| site.shown(&it.record.settings)).collect();
            let verb = if of.len() == 1 { "is" } else { "are" };
            writeln!(out, "nothing to do: {} {verb} up to date", of.join(" and "))?;
        }
        if !args.dry_run {
            for plan in &transaction.plans {
                for line in self.lines(plan)? {
                    writeln!(out, "{line}")?;
                }
            }
            self.next(&mut out)?;
        }
        if self.signs.iter().any(|(host, _)| *host != Host::Claude) {
            let signs: Vec<String> =
                self.signs.iter().map(|(host, sign)| format!("{} (`{sign}`)", host.name())).collect();
            writeln!(out, "agents found here: {}; `--host` names one", signs.join(", "))?;
        }
        for warning in transaction.plans.iter().flat_map(|it| &it.warnings) {
            writeln!(std::io::stderr(), "warning: {warning}")?;
        }
        Ok(Exit::Ok)
    }

    fn lines(&self, plan: &Plan) -> anyhow::Result<Vec<String>> {
        let Self { site, command, .. } = self;
        let mut lines = Vec::new();
        let agents = "the agents `auto-kg-context` and `kg-context-agent` and the command `/query-kg`";
        match &plan.told {
            Told::Claude(told) => {
                let (events, settings) = (self.events(plan)?.len(), site.shown(&plan.record.settings));
                lines.push(format!("{events} events of {settings} call `{command} hook claude`"));
                let status_line = match told.status_line {
                    Outcome::Registered => Some(
                        "its status line is that of `hostler statusline`; `hostler init --no-statusline` removes it",
                    ),
                    Outcome::Kept | Outcome::Elsewhere => Some("your own status line stays as it is"),
                    Outcome::TakenOut => {
                        Some("no status line, as you left it; `hostler init --statusline` brings it back")
                    }
                    Outcome::Removed | Outcome::Unwanted => None,
                };
                lines.extend(status_line.map(str::to_owned));
                if told.agents {
                    lines.push(format!(
                        "Claude Code has {agents}; their tools come with `claude mcp add hostler -- '{command}' mcp`"
                    ));
                }
            }
            Told::OpenCode(told) => {
                let plugin = site.shown(&told.plugin);
                let version = told.flavour.number();
                lines.push(format!(
                    "OpenCode {version} loads {plugin}, which starts `{command} bridge opencode`; another version: `--opencode 1|2`"
                ));
                if let (Some(path), false, Entry::Added) = (&told.configuration, told.mcp_enabled, told.mcp) {
                    lines.push(format!(
                        "the MCP server in {} is off, since the plugin offers the same tools; `hostler init --mcp` switches it on",
                        site.shown(path)
                    ));
                }
                if told.agents {
                    lines.push(format!("OpenCode has {agents}"));
                }
            }
        }
        Ok(lines)
    }

    fn next(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let site = self.site;
        writeln!(out, "next: start a new session of the agent, or run `hostler doctor`")?;
        let root = &site.project.root;
        if self.args.scope != Scope::User
            && crate::session::locate(root, &site.project, Some(&site.dirs)).is_none()
        {
            writeln!(
                out,
                "next: `hostler session init`, where what is done and left to do is to be remembered"
            )?;
        }
        Ok(())
    }
}
