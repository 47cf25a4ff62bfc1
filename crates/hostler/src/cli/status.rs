//! `hostler status`.

use std::collections::BTreeMap;
use std::io::Write;

use hostler_host::claude::settings;
use hostler_ledger::journal;
use serde_json::json;

use crate::config::Config;
use crate::exit::Exit;
use crate::install::Site;
use crate::install::found::{self, Origin};

/// Shows what is registered and active here. `hostler doctor` proves it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs the command.
pub(crate) fn run(_args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    let sources = found::sources(&site);
    let config = Config::load(Some(&site.dirs), &site.project);
    let disabled = sources.iter().any(|source| {
        matches!(&source.text, Ok(Some(text)) if matches!(settings::disables_all_hooks(text), Ok(Some(_))))
    });
    let registered: Vec<_> = sources.iter().filter(|it| it.is_registered()).collect();
    let ignored = |text: &str| settings::warnings(text).is_ok_and(|all| all.iter().any(|it| it.ignored));
    let alive = registered.iter().any(|it| matches!(&it.text, Ok(Some(text)) if !ignored(text)));
    let active = alive && !disabled;
    let key = site.project.key();
    let evidence = site.dirs.project_state(&key);
    let counts = counts(&evidence)?;
    let profile = config.settings.profile.name();

    let mut out = std::io::stdout().lock();
    if json {
        let registrations: Vec<_> = registered
            .iter()
            .map(|it| {
                let origin = match &it.origin {
                    Origin::Settings(scope) => scope.name(),
                    Origin::MainWorkTree => "main-work-tree",
                    Origin::Plugin(..) => "plugin",
                };
                let command = it.entries.first().map(|entry| &entry.command);
                json!({ "origin": origin, "path": it.path, "events": it.entries.len(), "command": command })
            })
            .collect();
        let document = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "active": active,
            "profile": profile,
            "configuration": config.files,
            "registrations": registrations,
            "project": site.project.root,
            "key": key,
            "evidence": evidence,
            "counts": counts,
        });
        writeln!(out, "{document}")?;
        return Ok(Exit::Ok);
    }
    let state = match (active, disabled) {
        (true, _) => "active",
        (false, true) => "NOT active: `disableAllHooks` is set",
        (false, false) if registered.is_empty() => "NOT active: run `hostler init`",
        (false, false) => "NOT active: the settings file is ignored by the client, see `hostler doctor`",
    };
    writeln!(out, "{state}")?;
    writeln!(out, "profile   {profile}")?;
    for source in &registered {
        let command = source.entries.first().map_or("", |it| it.command.as_str());
        writeln!(out, "hooks     {} events in {}, `{command}`", source.entries.len(), source.shown(&site))?;
    }
    for file in &config.files {
        writeln!(out, "config    {}", site.shown(file))?;
    }
    writeln!(out, "project   {} ({key})", site.dirs.tilde(&site.project.root))?;
    writeln!(out, "evidence  {}", site.dirs.tilde(&evidence))?;
    let counted: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    writeln!(
        out,
        "records   {}",
        if counted.is_empty() { "none yet".to_owned() } else { counted.join(", ") }
    )?;
    Ok(Exit::Ok)
}

/// Journals, and records by kind; decisions by what became of the call.
fn counts(evidence: &std::path::Path) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut counts = BTreeMap::new();
    let mut count = |what: &str| *counts.entry(what.to_owned()).or_insert(0) += 1;
    for path in journal::files(evidence)? {
        count("journals");
        // One that cannot be opened is `audit`'s business.
        let Ok(records) = journal::read(&path) else { continue };
        for record in records {
            match (record.kind.as_str(), record.text("status")) {
                ("decision", Some(status)) => count(status),
                ("seal", _) => {}
                (kind, _) => count(&format!("{kind}s")),
            }
        }
    }
    Ok(counts)
}
