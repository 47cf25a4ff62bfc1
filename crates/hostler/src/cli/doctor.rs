//! `hostler doctor`.

mod opencode;

use std::io::Write;
use std::path::{Path, PathBuf};

use hostler_host::claude::settings::{self, Form, Registered, STOP_TIMEOUT_S};
use serde_json::json;

use crate::config::Config;
use crate::exit::Exit;
use crate::hook::{Homes, unusable};
use crate::install::found::{self, Origin, Source};
use crate::install::record::Record;
use crate::install::{Host, Scope, Site, binary, canary, shared};

/// Proves that the registered hooks work, and says what to do where they do not.
///
/// Each hook is run as the client runs it, on a call that must be stopped: a look at the files alone would
/// not find a binary that fails to start. Ends with 1 if something has to be done.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which agent [default: all]
    #[arg(long, value_enum)]
    host: Option<Host>,
    /// Start `OpenCode` once.
    #[arg(long, help = "Start OpenCode once, as far as its plugins, and see whether ours is loaded")]
    start: bool,
}

/// Something that was looked at.
#[derive(Debug, serde::Serialize)]
struct Check {
    level: Level,
    /// Which file, entry or folder.
    place: String,
    what: String,
    /// What to do; empty if nothing.
    fix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    Note,
    Problem,
}

/// Runs the command.
pub(crate) fn run(args: &Args, json: bool) -> anyhow::Result<Exit> {
    let site = Site::here()?;
    let mut doctor = Doctor { site: &site, checks: Vec::new() };
    doctor.registrations(args);
    doctor.configuration();
    doctor.folders();
    doctor.signing();
    let problems = doctor.checks.iter().filter(|it| it.level == Level::Problem).count();
    let mut out = crate::output::human::stdout();
    if json {
        let document = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "project": site.project.root.display().to_string(),
            "problems": problems,
            "checks": doctor.checks,
        });
        writeln!(out, "{document}")?;
    } else {
        for check in &doctor.checks {
            let level = match check.level {
                Level::Ok => "ok     ",
                Level::Note => "note   ",
                Level::Problem => "PROBLEM",
            };
            writeln!(out, "{level} {}: {}", check.place, check.what)?;
            if !check.fix.is_empty() {
                writeln!(out, "        to do: {}", check.fix)?;
            }
        }
        match problems {
            0 => writeln!(out, "all is well")?,
            1 => writeln!(out, "1 problem")?,
            more => writeln!(out, "{more} problems")?,
        }
    }
    Ok(if problems == 0 { Exit::Ok } else { Exit::Finding })
}

struct Doctor<'s> {
    site: &'s Site,
    checks: Vec<Check>,
}

impl Doctor<'_> {
    fn add(
        &mut self,
        level: Level,
        place: impl Into<String>,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.checks.push(Check { level, place: place.into(), what: what.into(), fix: fix.into() });
    }

    /// The hosts, and those that are here and not guarded.
    fn registrations(&mut self, args: &Args) {
        let asked = |host: Host| args.host.is_none_or(|it| it == host);
        let claude = asked(Host::Claude) && self.sources();
        let opencode = asked(Host::OpenCode) && self.opencode(args.start);
        if !claude && !opencode {
            self.add(
                Level::Problem,
                "registration",
                "no hook of ours is registered here: nothing is guarded",
                "run `hostler init` in the project, or `hostler init --scope user` for all projects",
            );
            return;
        }
        for (host, sign) in shared::hosts(self.site).into_iter().filter(|(host, _)| asked(*host)) {
            let guarded = if host == Host::Claude { claude } else { opencode };
            if !guarded {
                self.unguarded(host, &sign);
            }
        }
    }

    /// Everything about Claude Code. Whether a hook of ours is registered.
    fn sources(&mut self) -> bool {
        let sources = found::sources(self.site);
        for source in &sources {
            self.source(source);
        }
        let registered: Vec<&Source> = sources.iter().filter(|it| it.is_registered()).collect();
        if let Some((first, others)) = registered.split_first().filter(|(_, others)| !others.is_empty()) {
            let costs =
                registered.iter().any(|a| registered.iter().any(|b| a.path != b.path && a.adds_to(b)));
            let places: Vec<String> = others.iter().map(|it| it.shown(self.site)).collect();
            let places = format!("registered in {} and in {}", first.shown(self.site), places.join(", "));
            let fix = "keep one: `hostler uninit --scope local|project|user` removes the other, `claude plugin uninstall hostler@hostler` the plugin";
            if costs {
                let what = format!("{places}: each call starts more than one process");
                self.add(Level::Problem, "registration", what, fix);
            } else {
                self.add(Level::Note, "registration", format!("{places}; the client runs it once"), fix);
            }
        }
        !registered.is_empty()
    }

    fn source(&mut self, source: &Source) {
        let place = source.shown(self.site);
        let text = match &source.text {
            Ok(Some(text)) => text.clone(),
            Ok(None) => {
                self.lost(source, &place);
                return;
            }
            Err(error) => {
                let fix = "repair the file; until then Claude Code ignores it, its hooks included";
                self.add(Level::Problem, place, error, fix);
                return;
            }
        };
        if let Ok(Some(at)) = settings::disables_all_hooks(&text) {
            let place = format!("{}:{at}", source.path.display());
            self.add(Level::Problem, place, "`disableAllHooks` is true: no hook runs at all", "remove it");
        }
        if !source.is_registered() {
            self.lost(source, &place);
            return;
        }
        for warning in settings::warnings(&text).unwrap_or_default() {
            let level = if warning.ignored { Level::Problem } else { Level::Note };
            self.add(level, format!("{}:{}", source.path.display(), warning.at), warning.what, "");
        }
        self.events(source, &place);
        self.entries(source, &place);
    }

    /// A file that had our entries and has them no more.
    fn lost(&mut self, source: &Source, place: &str) {
        let Origin::Settings(scope) = source.origin else { return };
        match Record::load(self.site, &source.path) {
            Ok(None) => {}
            Ok(Some(_)) => self.add(
                Level::Problem,
                place,
                "our entries were written here and are gone; another program may have replaced the file",
                format!("run `hostler init --scope {}`, or `hostler uninit` to forget them", scope.name()),
            ),
            Err(error) => self.add(Level::Problem, place, format!("{error:#}"), ""),
        }
    }

    fn events(&mut self, source: &Source, place: &str) {
        let again = match source.origin {
            Origin::Settings(scope) => format!("run `hostler init --scope {}`", scope.name()),
            Origin::MainWorkTree => "run `hostler init` in the main work tree".to_owned(),
            Origin::Plugin(..) => "update the plugin".to_owned(),
        };
        let of = |event: &str| source.entries.iter().filter(|it| it.event == event).count();
        let missing: Vec<&str> =
            settings::REGISTRATIONS.iter().map(|it| it.event).filter(|event| of(event) == 0).collect();
        if !missing.is_empty() {
            self.add(Level::Problem, place, format!("not registered for {}", missing.join(", ")), &again);
        }
        let mut twice: Vec<&str> =
            source.entries.iter().map(|it| it.event.as_str()).filter(|event| 1 < of(event)).collect();
        twice.dedup();
        if !twice.is_empty() {
            self.add(
                Level::Problem,
                place,
                format!("registered more than once for {}", twice.join(", ")),
                &again,
            );
        }
        for entry in &source.entries {
            let at = format!("{}:{}", source.path.display(), entry.at);
            if entry.is_narrow() {
                let matcher = entry.matcher.as_deref().unwrap_or_default();
                let what = format!("`{}` sees only the tools that match `{matcher}`", entry.event);
                self.add(Level::Problem, &at, what, &again);
            }
            if entry.timeout_s.is_some_and(|it| !(1..=600).contains(&it)) {
                let what =
                    format!("`timeout` is {} s; seconds are meant", entry.timeout_s.unwrap_or_default());
                self.add(Level::Problem, &at, what, &again);
            } else if let Some(seconds) =
                entry.timeout_s.filter(|it| entry.event == "Stop" && *it < STOP_TIMEOUT_S)
            {
                let what = format!(
                    "`timeout` of `Stop` is {seconds} s: what takes longer at the end of a turn, as tests may, is not checked"
                );
                self.add(Level::Note, &at, what, &again);
            }
        }
    }

    /// Each program once; the one that guards tools by a canary.
    fn entries(&mut self, source: &Source, place: &str) {
        let mut programs: Vec<&Path> = Vec::new();
        for entry in &source.entries {
            let program = match entry.form {
                Form::Exec(_) => Path::new(&entry.command),
                // The canary finds what is wrong with a program that only a shell can name.
                Form::Shell => continue,
            };
            if !programs.contains(&program) {
                programs.push(program);
            }
        }
        let mut healthy = true;
        for program in programs {
            let result = canary::check_program(program);
            let result = result.and_then(|()| match binary::check_starts(program) {
                Ok(()) => Ok(()),
                // Without a `PATH` the launcher of a plugin may find nothing; the canary has one.
                Err(_) if matches!(source.origin, Origin::Plugin(..)) => Ok(()),
                Err(error) => Err((error.to_string(), "run `hostler init` again after an upgrade")),
            });
            if let Err((what, fix)) = result {
                healthy = false;
                self.add(Level::Problem, place, what, fix);
            }
        }
        let mut tried: Vec<(&str, &Form)> = Vec::new();
        for entry in source.entries.iter().filter(|it| it.guards_tools()) {
            let invocation = (entry.command.as_str(), &entry.form);
            if !healthy || tried.contains(&invocation) {
                continue;
            }
            tried.push(invocation);
            self.canary(source, entry, place);
        }
    }

    fn canary(&mut self, source: &Source, entry: &Registered, place: &str) {
        match canary::run(source, entry) {
            Ok(took) => {
                let took = took.as_secs_f64() * 1000.0;
                let what =
                    format!("{} events, and a canary was denied after {took:.1} ms", source.entries.len());
                self.add(Level::Ok, place, what, "");
            }
            Err(why) => self.add(
                Level::Problem,
                place,
                format!("`{}` did not stop the canary, so nothing is guarded: {why}", entry.command),
                match source.origin {
                    Origin::Plugin(..) => "put a working `hostler` on PATH, or use `hostler init` instead",
                    _ => "run `hostler init` with a working binary",
                },
            ),
        }
    }

    fn configuration(&mut self) {
        let config = Config::load(Some(&self.site.dirs), &self.site.project);
        for fault in &config.faults {
            self.add(Level::Problem, "configuration", fault, "");
        }
        for warning in &config.warnings {
            self.add(Level::Note, "configuration", warning, "");
        }
        let homes = Homes { project: &self.site.project.root, user: Some(&self.site.dirs.config) };
        for reminder in &config.reminders {
            if let Some(why) = unusable(reminder, &homes) {
                let what = format!("reminder `{}` says nothing: {why}", reminder.id);
                self.add(Level::Problem, "configuration", what, "");
            }
        }
        let profile = config.settings.profile;
        let files: Vec<String> = config.files.iter().map(|it| self.site.shown(it)).collect();
        let origin = if files.is_empty() { "no file, the default".to_owned() } else { files.join(", ") };
        let what = match profile {
            hostler_model::Profile::Observe => {
                format!("profile `observe` ({origin}): calls are recorded, none is stopped")
            }
            other => format!("profile `{}` ({origin})", other.name()),
        };
        let level = if profile == hostler_model::Profile::Observe { Level::Note } else { Level::Ok };
        self.add(level, "configuration", what, "");
        for (rule, mode) in config.loosened() {
            let what = format!("rule `{rule}` is only `{}`, milder than the profile has it", mode.name());
            self.add(Level::Note, "configuration", what, "");
        }
    }

    fn folders(&mut self) {
        const WRITTEN: [&str; 8] = [
            "opencode.json",
            "plugins/hostler.ts",
            "plugin/hostler.ts",
            "plugins/hostler/index.ts",
            "agents/_",
            "agent/_",
            "commands/_",
            "command/_",
        ];
        let site = self.site;
        let mut folders: Vec<PathBuf> = Scope::ALL
            .iter()
            .flat_map(|scope| {
                let settings = site.settings(*scope);
                let claude = settings.parent().unwrap_or(&settings).to_path_buf();
                let homes = [site.opencode_folder(*scope), claude];
                let written = homes.into_iter().flat_map(|home| WRITTEN.map(|it| home.join(it)));
                [settings, site.configuration(*scope), site.project.root.join("opencode.json")]
                    .into_iter()
                    .chain(written)
            })
            .filter_map(|path| hostler_ledger::file::resolve(&path).ok()?.parent().map(Path::to_path_buf))
            .collect();
        folders.push(self.site.installs());
        folders.sort();
        folders.dedup();
        for folder in folders {
            for leftover in hostler_ledger::file::leftovers(&folder) {
                let what = "a temporary file that a killed process left behind".to_owned();
                let fix = format!("rm '{}'", leftover.display());
                self.add(Level::Problem, self.site.shown(&leftover), what, fix);
            }
        }
        let state = &self.site.dirs.state;
        let place = self.site.dirs.tilde(state);
        let writable = hostler_ledger::file::create_folders(state, hostler_ledger::file::Access::Private)
            .map_err(anyhow::Error::from)
            .and_then(|_| Ok(tempfile::tempfile_in(state)?));
        if let Err(error) = writable {
            let what = format!("no evidence can be written: {error:#}");
            self.add(Level::Problem, place, what, "make the folder writable, or set `XDG_STATE_HOME`");
        }
    }
    /// Sealing goes on without the key, so nobody would miss it.
    fn signing(&mut self) {
        let keys = self.site.dirs.keys();
        let place = self.site.dirs.tilde(&keys.private_path());
        match keys.load() {
            Ok(Some(key)) => {
                let what = format!("seals are signed by the key {}", key.public().fingerprint());
                self.add(Level::Ok, place, what, "");
            }
            Ok(None) => {
                let what = "no signing key yet: the first session that ends makes one";
                self.add(Level::Ok, place, what, "");
            }
            Err(error) => {
                let what = format!("sessions are sealed without a signature: {error}");
                self.add(Level::Problem, place, what, "");
            }
        }
    }
}
