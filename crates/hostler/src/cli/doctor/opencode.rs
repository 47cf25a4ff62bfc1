//! What is asked about `OpenCode`.
//!
//! A plugin that does not load leaves no word of it, and the session runs unguarded. So what counts is what the client
//! itself has shown: the greeting of a plugin that runs, and sessions that began without one.

use std::path::{Path, PathBuf};

use hostler_host::opencode::settings::Flavour;
use jiff::Timestamp;

use super::{Doctor, Level};
use crate::install::opencode::boot::{self, State};
use crate::install::opencode::found::{self, Configuration, Plugin, Source};
use crate::install::opencode::heartbeat::{self, Heartbeat};
use crate::install::opencode::program::{self, Program};
use crate::install::{Host, Scope, binary, canary};

/// Variables that keep the client from loading plugins.
const SWITCHES: [(&str, &str); 2] = [
    ("OPENCODE_PURE", "no plugin is loaded"),
    ("OPENCODE_DISABLE_PROJECT_CONFIG", "nothing of the project's `.opencode` is loaded"),
];

impl Doctor<'_> {
    /// Everything about the client. Whether a plugin of ours is there.
    pub(super) fn opencode(&mut self, start: bool) -> bool {
        let sources = found::sources(self.site);
        let registered: Vec<&Source> = sources.iter().filter(|it| it.is_registered()).collect();
        let (any, lost) =
            (!registered.is_empty(), sources.iter().any(|it| it.recorded && !it.is_registered()));
        for source in sources.iter().filter(|it| it.recorded && !it.is_registered()) {
            let what = "our plugin was written here and is gone: OpenCode is not guarded";
            let scope = source.scope.name();
            let fix = format!(
                "run `hostler init --host opencode --scope {scope}`, or `hostler uninit --host opencode` to forget it"
            );
            let place = format!("`{}`", self.site.shown(&source.folder));
            self.add(Level::Problem, place, what, fix);
        }
        if !any && !lost {
            return false;
        }
        for configuration in sources.iter().flat_map(|it| &it.configurations) {
            self.opencode_configuration(configuration);
        }
        if !any {
            return false;
        }
        if let [first, second, ..] = registered[..] {
            let show = |it: &Source| self.site.shown(&it.plugins[0].path);
            let what = format!(
                "the plugin is in {} and in {}: each call is asked about twice",
                show(first),
                show(second)
            );
            let fix =
                "keep one: `hostler uninit --host opencode --scope local|project|user` removes the other";
            self.add(Level::Problem, "OpenCode", what, fix);
        }
        let program = program::find(&self.site.dirs.home);
        for source in &registered {
            for plugin in &source.plugins {
                self.opencode_plugin(source, plugin, program.as_ref());
            }
        }
        let plugins = registered.iter().flat_map(|it| &it.plugins);
        let since_ms = plugins.map(|it| written_ms(&it.path)).min().unwrap_or_default();
        self.opencode_start(program.as_ref(), start, since_ms);
        self.opencode_surroundings(&sources, program.as_ref());
        true
    }

    fn opencode_configuration(&mut self, configuration: &Configuration) {
        let path = &configuration.path;
        if let Some(fault) = &configuration.fault {
            let fix = "repair it; until then OpenCode does not start";
            self.add(Level::Problem, format!("{}:{fault}", path.display()), "OpenCode cannot read it", fix);
        }
        for listed in &configuration.listed {
            let place = format!("{}:{}", path.display(), listed.at);
            let specifier = &listed.specifier;
            if specifier == "-hostler" {
                self.add(Level::Problem, place, "`-hostler` switches our plugin off", "remove it");
            } else if let Some(file) = named_file(path, specifier).filter(|it| names_us(it) && !it.exists()) {
                let what =
                    format!("the plugin `{specifier}` is listed, and `{}` is gone", self.site.shown(&file));
                let fix = "remove the line: OpenCode finds our plugin by its folder";
                self.add(Level::Problem, place, what, fix);
            }
        }
        let Some(server) = &configuration.server else { return };
        let place = format!("{}:{}", path.display(), server.at);
        if server.enabled {
            if let Err((what, fix)) = canary::check_program(Path::new(&server.command)) {
                self.add(Level::Problem, &place, format!("MCP server: {what}"), fix);
            }
            let what = "the MCP server is on, and the plugin offers the same tools: the model sees each of them twice";
            self.add(Level::Note, place, what, "`hostler init --host opencode --no-mcp` switches it off");
        }
    }

    fn opencode_plugin(&mut self, source: &Source, plugin: &Plugin, program: Option<&Program>) {
        let place = format!("`{}`", self.site.shown(&plugin.path));
        let again = format!("run `hostler init --host opencode --scope {}`", source.scope.name());
        let ours = env!("CARGO_PKG_VERSION");
        match &plugin.version {
            Some(version) if version != ours => {
                let what = format!("the plugin is that of hostler {version}, and this is {ours}");
                self.add(Level::Problem, &place, what, &again);
            }
            _ if plugin.edited => {
                let fix = format!("{again} with `--force` to replace it; a copy is kept");
                self.add(Level::Note, &place, "the plugin was changed by hand", fix);
            }
            _ => {}
        }
        let version = program.and_then(|it| it.version.as_deref());
        let running = version.and_then(|it| Some((it, program::flavour(it)?)));
        if let Some((version, _)) = running.filter(|(_, it)| *it != plugin.flavour) {
            let what = format!(
                "the plugin is for OpenCode {}, and `opencode` is {version}: it is not loaded",
                plugin.flavour.number()
            );
            self.add(Level::Problem, &place, what, &again);
        }
        let Some(binary) = plugin.binary.as_deref() else {
            self.add(Level::Problem, &place, "the plugin does not say which program it starts", &again);
            return;
        };
        let started = canary::check_program(binary).and_then(|()| {
            binary::check_starts(binary)
                .map_err(|it| (it.to_string(), "run `hostler init` again after an upgrade"))
        });
        if let Err((what, fix)) = started {
            self.add(Level::Problem, &place, format!("{what}; until then every guarded call is denied"), fix);
            return;
        }
        match canary::run_bridge(binary) {
            Ok(took) => {
                let took = took.as_secs_f64() * 1000.0;
                self.add(Level::Ok, place, format!("the bridge denied a canary after {took:.1} ms"), "");
            }
            Err(why) => {
                let what = format!("`{} bridge opencode` did not stop the canary: {why}", binary.display());
                self.add(Level::Problem, place, what, "run `hostler init` with a working binary");
            }
        }
        if plugin.flavour == Flavour::Two {
            let what = "for OpenCode 2, whose interface may still move: only the greeting of a running plugin proves it";
            self.add(Level::Note, format!("`{}`", self.site.shown(&plugin.path)), what, "");
        }
    }

    /// Whether the client loads the plugin: by what it has shown, or by a start of it.
    fn opencode_start(&mut self, program: Option<&Program>, start: bool, since_ms: i64) {
        let evidence = self.site.dirs.project_state(&self.site.project.key());
        let root = &self.site.project.root;
        let (started, ran) = match program.filter(|_| start) {
            Some(program) => (Timestamp::now().as_millisecond(), program::start(&program.path, root)),
            None => (0, Ok(())),
        };
        if let Err(error) = ran {
            let what = format!("`opencode debug config` does not end well: {error}");
            self.add(Level::Problem, "OpenCode", what, "run it by hand");
        }
        let heartbeat = Heartbeat::load(&evidence);
        let last = heartbeat.as_ref().map_or(0, |it| it.time_ms);
        // A session that the plugin saw has a journal. Those from before the plugin was there could have none.
        let session = program.and_then(|it| program::newest_session(&it.path, root));
        let session = session.filter(|it| since_ms <= it.time_ms && !has_journal(&evidence, &it.id));
        let now = Timestamp::now();
        match (&heartbeat, session) {
            _ if start && program.is_none() => {
                self.add(Level::Problem, "OpenCode", "there is no `opencode` to start", "put it on PATH");
            }
            _ if start && last < started => {
                let what = "OpenCode was started, and the plugin did not greet: it is not loaded";
                let fix = "run `opencode debug config` here and look for `hostler` under `plugin`";
                self.add(Level::Problem, "OpenCode", what, fix);
            }
            (heartbeat, Some(session)) => {
                let when = Timestamp::from_millisecond(session.time_ms).unwrap_or(now);
                let (id, ago) = (&session.id, heartbeat::ago(now, when));
                let why =
                    "OpenCode was started with `--pure`, or before our plugin was there, or found no plugin";
                if let Some(later) = heartbeat.as_ref().filter(|_| session.time_ms < last) {
                    let what = format!("session {id} ({ago}) was not guarded: {why}");
                    self.add(Level::Note, "OpenCode", what, "");
                    self.opencode_heartbeat(later, now);
                } else {
                    let what = format!("session {id} ({ago}) is not guarded: {why}");
                    let fix =
                        "end that OpenCode and start it without `--pure`; `hostler doctor --start` tries it";
                    self.add(Level::Problem, "OpenCode", what, fix);
                }
            }
            (Some(heartbeat), _) => self.opencode_heartbeat(heartbeat, now),
            (None, _) => {
                let what =
                    "no start of OpenCode was seen here yet; the plugin shows itself with the first one";
                self.add(
                    Level::Note,
                    "OpenCode",
                    what,
                    "start OpenCode here, or run `hostler doctor --start`",
                );
            }
        }
    }

    fn opencode_heartbeat(&mut self, heartbeat: &Heartbeat, now: Timestamp) {
        let Heartbeat { plugin, binary, .. } = heartbeat;
        let ours = env!("CARGO_PKG_VERSION");
        let what = format!("loaded the plugin {} ({})", heartbeat.age(now), heartbeat.client());
        if plugin == ours && binary == ours {
            self.add(Level::Ok, "OpenCode", what, "");
        } else {
            let what = format!(
                "{what}, with the plugin of hostler {plugin} and the program of {binary}; this is {ours}"
            );
            self.add(Level::Note, "OpenCode", what, "start OpenCode anew");
        }
    }

    /// What would keep a plugin from being loaded, or tools of the client from working.
    fn opencode_surroundings(&mut self, sources: &[Source], program: Option<&Program>) {
        for (variable, effect) in SWITCHES {
            if std::env::var_os(variable).is_some_and(|it| it == "1" || it == "true") {
                let what = format!("`{variable}` is set: {effect}");
                self.add(Level::Problem, "OpenCode", what, format!("`unset {variable}`"));
            }
        }
        for pid in program::pure_processes(&self.site.project.root) {
            let what =
                format!("process {pid} runs with `--pure`: no plugin is loaded in it, and nothing guarded");
            self.add(Level::Problem, "OpenCode", what, "end it, and start OpenCode without `--pure`");
        }
        let one = program.and_then(|it| program::flavour(it.version.as_deref()?)) != Some(Flavour::Two);
        let scope = sources.iter().find(|it| it.is_registered()).map_or(Scope::Local, |it| it.scope);
        for folder in boot::folders(self.site, scope).iter().filter(|_| one) {
            self.opencode_packages(folder);
        }
        if program::ripgrep(&self.site.dirs.home).is_none() {
            let what = "there is no `rg`: OpenCode downloads it when `grep`, `glob` or `skill` is first used, and without a network they fail";
            self.add(Level::Note, "OpenCode", what, "install ripgrep");
        }
    }

    fn opencode_packages(&mut self, folder: &Path) {
        let place = format!("`{}`", self.site.shown(folder));
        match boot::state(folder) {
            State::Installed | State::Seeded => {}
            State::Starved(files) => {
                let files: Vec<String> =
                    files.iter().map(|it| format!("`{}`", self.site.shown(it))).collect();
                let what = format!("{} needs packages, and `node_modules` is empty", files.join(", "));
                let fix =
                    "run `hostler init --host opencode` again, and the next start of OpenCode installs them";
                self.add(Level::Problem, place, what, fix);
            }
            State::Needed(wanted) => {
                let what = format!(
                    "OpenCode installs packages here when it starts ({}), and waits for that: up to a minute without a network",
                    wanted.join(", ")
                );
                self.add(Level::Note, place, what, "start OpenCode once with a network");
            }
            State::Open => {
                let what = "OpenCode installs packages here when it starts, and waits for that: up to a minute without a network";
                self.add(Level::Note, place, what, "run `hostler init --host opencode` again");
            }
        }
    }

    /// A client that is here and not guarded.
    pub(super) fn unguarded(&mut self, host: Host, sign: &str) {
        let what = format!("{} is here (`{sign}`) and is not guarded", host.name());
        self.add(Level::Note, "registration", what, format!("run `hostler init --host {}`", host.word()));
    }
}

/// Whether anything was recorded of a session: also of one that is over.
fn has_journal(evidence: &Path, session: &str) -> bool {
    let files = hostler_ledger::journal::files(evidence).unwrap_or_default();
    let of = |it: &PathBuf| it.file_name().is_some_and(|name| name.to_string_lossy().starts_with(session));
    files.iter().any(of)
}

/// When a file was written last.
fn written_ms(path: &Path) -> i64 {
    let written = std::fs::metadata(path).and_then(|it| it.modified()).ok();
    let written = written.and_then(|it| Timestamp::try_from(it).ok());
    written.map_or(0, Timestamp::as_millisecond)
}

/// The file that a listed plugin names, if it is one.
fn named_file(configuration: &Path, specifier: &str) -> Option<PathBuf> {
    let path = specifier.strip_prefix("file://").unwrap_or(specifier);
    let is_path = path.starts_with('.') || path.starts_with('/');
    is_path.then(|| configuration.parent().map(|folder| folder.join(path)))?
}

fn names_us(path: &Path) -> bool {
    path.file_stem().is_some_and(|it| it == "hostler")
        || path.parent().is_some_and(|it| it.ends_with("hostler"))
}
