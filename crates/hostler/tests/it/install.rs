//! `init`, `uninit`, `doctor` and `status` as a user runs them.

#![expect(clippy::unwrap_used, reason = "tests")]

mod clients;
mod corpus;
mod doctor;
mod killed;
mod opencode;
mod page;
mod types;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

const LOCAL: &str = ".claude/settings.local.json";
const PROJECT: &str = ".claude/settings.json";
const CONFIGURATION: &str = ".hostler/config.toml";
const EVENTS: usize = hostler_host::claude::settings::REGISTRATIONS.len();
/// Entries of ours in a settings file: one for each event, and the status line.
const ENTRIES: usize = EVENTS + 1;

/// A home folder and a repository in a folder whose name has a blank.
struct Site {
    folder: tempfile::TempDir,
    program: PathBuf,
    variables: BTreeMap<&'static str, String>,
}

#[derive(Debug)]
struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Site {
    fn new() -> Self {
        let site = Self::without_git();
        let init = ["init", "-q", "--template="];
        let git = Command::new("git").args(init).current_dir(site.project()).status().unwrap();
        assert!(git.success());
        site.write(".git/info/exclude", "# mine\n");
        site
    }

    fn without_git() -> Self {
        // In the system's folder for temporary files: above the target folder stands this repository.
        let folder = tempfile::Builder::new().prefix("install ").tempdir().unwrap();
        let site = Self {
            folder,
            program: env!("CARGO_BIN_EXE_hostler").into(),
            variables: BTreeMap::from([("PATH", std::env::var("PATH").unwrap())]),
        };
        for folder in [site.home(), site.project()] {
            fs::create_dir_all(folder).unwrap();
        }
        site
    }

    fn home(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join("home")
    }

    fn project(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join("my shop")
    }

    /// Below the project; `~/` for the home folder.
    fn path(&self, name: &str) -> PathBuf {
        name.strip_prefix("~/").map_or_else(|| self.project().join(name), |rest| self.home().join(rest))
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .envs(&self.variables)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        output(&mut self.command(arguments))
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout
    }

    /// Ends with `code`, says `message`, and leaves every file as it was.
    #[track_caller]
    fn refused(&self, arguments: &[&str], code: i32, message: &str) {
        let before = self.everything();
        let output = self.run(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (Some(code), ""), "{output:?}");
        assert!(output.stderr.contains(message), "{}", output.stderr);
        assert_eq!(self.everything(), before);
    }

    /// Every file and folder but our state, which is the user's to keep, with what would show that it was
    /// written.
    fn everything(&self) -> BTreeMap<PathBuf, (u32, u64, String)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.home(), self.project()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path == self.path("~/.local/state") {
                    continue;
                }
                let meta = fs::symlink_metadata(&path).unwrap();
                let content = if meta.is_symlink() {
                    fs::read_link(&path).unwrap().display().to_string()
                } else if meta.is_dir() {
                    folders.push(path.clone());
                    String::new()
                } else {
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
                };
                let inode = if meta.is_dir() { 0 } else { meta.ino() };
                found.insert(path, (meta.mode(), inode, content));
            }
        }
        found.remove(&self.path("~/.local"));
        found
    }

    /// As [`Self::everything`], without what a rename changes.
    fn contents(&self) -> BTreeMap<PathBuf, (u32, String)> {
        let all = self.everything();
        all.into_iter().map(|(path, (mode, _, content))| (path, (mode, content))).collect()
    }
}

fn output(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// `init` twice and `uninit` around settings as they were before.
#[track_caller]
fn there_and_back(site: &Site, arguments: &[&str], settings: &str) {
    let before = site.contents();
    let init: Vec<&str> = ["init"].iter().chain(arguments).copied().collect();
    let uninit: Vec<&str> = ["uninit"].iter().chain(arguments).copied().collect();

    let said = site.ok(&[&init[..], &["--dry-run"]].concat());
    assert_eq!(site.contents(), before, "a dry run writes nothing");
    assert!(said.contains("\n+") && said.contains("\"args\": [\"hook\", \"claude\"]"), "{said}");

    let said = site.ok(&init);
    assert!(said.contains(&format!("{EVENTS} events of")), "{said}");
    assert_ne!(site.contents(), before);
    assert_eq!(site.read(settings).matches(env!("CARGO_BIN_EXE_hostler")).count(), ENTRIES);

    let written = site.everything();
    let said = site.ok(&init);
    assert!(said.starts_with("nothing to do"), "{said}");
    assert_eq!(site.everything(), written, "a second run writes nothing");

    site.ok(&[&uninit[..], &["--dry-run"]].concat());
    assert_eq!(site.everything(), written, "a dry run writes nothing");
    site.ok(&uninit);
    assert_eq!(site.contents(), before, "byte for byte");
    let said = site.ok(&uninit);
    assert!(said.starts_with("nothing to do"), "{said}");
}

#[test]
fn an_empty_project_is_empty_again() {
    there_and_back(&Site::new(), &[], LOCAL);
    there_and_back(&Site::new(), &["--scope", "project"], PROJECT);
    there_and_back(&Site::new(), &["--scope", "user"], "~/.claude/settings.json");
    there_and_back(&Site::without_git(), &[], LOCAL);
}

#[test]
fn every_shape_of_settings_comes_back() {
    let site = Site::new();
    for (name, text) in corpus::SHAPES.iter().filter(|(name, _)| !name.contains("one line")) {
        site.write(PROJECT, text);
        let before = site.contents();
        site.ok(&["init", "--scope", "project"]);
        site.ok(&["uninit"]);
        assert_eq!(site.contents(), before, "{name}");
    }
    site.write(LOCAL, "{\n  \"permissions\": {}\n}\n");
    there_and_back(&site, &[], LOCAL);
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place_and_nothing_is_written() {
    let site = Site::new();
    let cases = [
        ("{\n  \"a\": 1,\n  oops\n}\n", "settings.local.json:3:3: expected a key"),
        ("{\n<<<<<<< HEAD\n}\n", "settings.local.json:2:1: an unresolved merge conflict"),
        ("{{ .settings }}\n", "this looks like a template"),
        ("", "settings.local.json:1:1: expected a value"),
        ("[]\n", "settings.local.json:1:1: `the file` is an array, but must be an object"),
        ("{\"hooks\": null}", "settings.local.json:1:11: `hooks` is null"),
        ("{\"hooks\": {\"Stop\": \"x\"}}", "`hooks.Stop` is a string, but must be an array"),
        ("{\"hooks\": {},\n\"hooks\": {}}", "settings.local.json:2:1: key `hooks` occurs twice"),
        ("{\"a\": \"\u{0}\"}", "settings.local.json:1:8: control character U+0000"),
    ];
    for (text, message) in cases {
        site.write(LOCAL, text);
        site.refused(&["init"], 4, message);
        site.refused(&["init", "--dry-run"], 4, message);
    }
    fs::write(site.path(LOCAL), b"{\"a\": \"\xe9\"}").unwrap();
    site.refused(&["init"], 4, "settings.local.json:1:8: a byte here is not UTF-8");
    fs::remove_file(site.path(LOCAL)).unwrap();
    fs::create_dir(site.path(LOCAL)).unwrap();
    site.refused(&["init"], 4, "is not a regular file");
    fs::remove_dir(site.path(LOCAL)).unwrap();
    // A link to the source of a template.
    site.write("dotfiles/settings.json.tmpl", "{}\n");
    symlink("../dotfiles/settings.json.tmpl", site.path(LOCAL)).unwrap();
    site.refused(&["init"], 4, "the name is that of a template");
    site.refused(&["init", "--scope", "nowhere"], 3, "invalid value 'nowhere'");
    site.refused(&["init", "--profile", "lax"], 3, "invalid value 'lax'");
}

#[test]
fn links_modes_and_hard_links_are_respected() {
    let site = Site::new();
    let real = site.write("~/dotfiles/claude/settings.json", "{\n  \"env\": {}\n}\n");
    set_mode(&real, 0o600);
    symlink("dotfiles/claude", site.path("~/.claude")).unwrap();
    there_and_back(&site, &["--scope", "user"], "~/.claude/settings.json");
    site.ok(&["init", "--scope", "user"]);
    assert!(site.path("~/.claude").is_symlink());
    assert_eq!((mode(&real), fs::read_to_string(&real).unwrap().contains("hook")), (0o600, true));
    site.ok(&["uninit", "--scope", "user"]);

    // A chain of links to a file of its own.
    site.write("~/dotfiles/real.json", "{}\n");
    symlink(site.path("~/dotfiles/real.json"), site.path("~/dotfiles/link.json")).unwrap();
    fs::create_dir_all(site.path(".claude")).unwrap();
    symlink(site.path("~/dotfiles/link.json"), site.path(LOCAL)).unwrap();
    there_and_back(&site, &[], LOCAL);

    fs::remove_file(site.path(LOCAL)).unwrap();
    let path = site.write(LOCAL, "{}\n");
    fs::hard_link(&path, site.path("other.json")).unwrap();
    site.refused(&["init"], 4, "has 2 hard links");
    fs::remove_file(site.path("other.json")).unwrap();
    set_mode(&path, 0o444);
    site.refused(&["init"], 4, "is read-only");
}

/// Runs as somebody who is not the superuser, to whom no folder is read-only.
#[test]
fn a_read_only_folder_is_named_and_nothing_is_written() {
    const NOBODY: u32 = 65534;
    let mut site = Site::without_git();
    let superuser = fs::metadata(site.home()).unwrap().uid() == 0;
    site.program = site.folder.path().join("hostler");
    fs::copy(env!("CARGO_BIN_EXE_hostler"), &site.program).unwrap();
    let store = site.write(LOCAL, "{}\n");
    if superuser {
        set_mode(site.folder.path(), 0o755);
        for path in [&site.home(), &site.project(), store.parent().unwrap(), &store] {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    set_mode(store.parent().unwrap(), 0o555);
    let before = site.contents();
    let mut command = site.command(&["init"]);
    if superuser {
        command.uid(NOBODY).gid(NOBODY);
    }
    let said = output(&mut command);
    set_mode(store.parent().unwrap(), 0o755);
    let mut after = site.contents();
    after.get_mut(store.parent().unwrap()).unwrap().0 = before[store.parent().unwrap()].0;
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.stderr.contains(".claude` is read-only, so"), "{}", said.stderr);
    assert_eq!(after, before);
}

/// A single file that is bound into a container: only the rename itself fails.
#[test]
fn a_mount_point_is_refused_and_nothing_is_left_half_done() {
    let site = Site::new();
    let settings = site.write(LOCAL, "{}\n");
    let bound = site.write("~/bound.json", "{}\n");
    let before = site.contents();
    let script = "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "/bin/sh", "-c", script, "sh"]).args([&bound, &settings]);
    let mut may = Command::new("unshare");
    may.args(["-rm", "/bin/sh", "-c", script, "sh"]).args([&bound, &settings]);
    let may = may.arg("true").stderr(Stdio::null()).status();
    if !may.is_ok_and(|it| it.success()) {
        let reason = "nothing may be mounted here";
        testkit::client::skip("a_mount_point_is_refused_and_nothing_is_left_half_done", reason);
        return;
    }
    let hostler = site.command(&["init"]);
    command.arg(hostler.get_program()).args(hostler.get_args()).current_dir(site.project());
    command.env_clear().env("HOME", site.home()).envs(&site.variables).stdin(Stdio::null());
    let said = output(&mut command);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.stderr.contains("is a mount point and cannot be replaced"), "{said:?}");
    assert_eq!(site.contents(), before);
    assert_eq!(
        fs::read_dir(site.path("~/.local/state/hostler/installs")).unwrap().count(),
        1,
        "only the lock"
    );
}

#[test]
fn what_the_user_changed_since_stays() {
    let site = Site::new();
    site.ok(&["init"]);
    let text = site.read(LOCAL);
    site.write(LOCAL, &text.replacen('{', "{\n  \"model\": \"mine\",", 1));
    let configuration = site.read(CONFIGURATION) + "[rules]\n";
    site.write(CONFIGURATION, &configuration);
    let said = site.ok(&["uninit"]);
    assert!(said.contains("kept .hostler/config.toml: it was changed since"), "{said}");
    assert_eq!(site.read(LOCAL), "{\n  \"model\": \"mine\"\n}\n");
    assert_eq!(site.read(CONFIGURATION), configuration);

    // Somebody removed our entries and the file: `uninit` still cleans up after us.
    let site = Site::new();
    site.ok(&["init"]);
    fs::remove_file(site.path(LOCAL)).unwrap();
    site.ok(&["uninit"]);
    assert!(!site.path(".claude").exists() && !site.path(".hostler").exists());

    // The state folder is gone: entries go, nothing else is known.
    let site = Site::new();
    site.ok(&["init"]);
    fs::remove_dir_all(site.path("~/.local")).unwrap();
    site.ok(&["uninit"]);
    assert_eq!(site.read(LOCAL), "{}\n");
}

#[test]
fn an_upgrade_replaces_the_path_and_keeps_the_way_back() {
    let site = Site::new();
    site.write(LOCAL, "{\"a\": 1}");
    site.ok(&["init"]);
    let current = site.read(LOCAL);
    site.write(LOCAL, &current.replace(env!("CARGO_BIN_EXE_hostler"), "/gone/with the/venv/hostler"));
    let said: Value = serde_json::from_str(&site.ok(&["init", "--json"])).unwrap();
    let said = &said["hosts"][0];
    assert_eq!((&said["replaced"], &said["added"]), (&EVENTS.into(), &0.into()));
    assert_eq!(site.read(LOCAL), current);
    site.ok(&["uninit"]);
    assert_eq!(site.read(LOCAL), "{\"a\": 1}");
}

#[test]
fn the_profile_is_written_once_and_changed_in_place() {
    let site = Site::new();
    site.ok(&["init", "--profile", "observe"]);
    assert!(site.read(CONFIGURATION).contains("profile = \"observe\"\n"));
    site.ok(&["init"]);
    assert!(site.read(CONFIGURATION).contains("profile = \"observe\"\n"), "not asked for, not changed");
    site.write(CONFIGURATION, "version = 1 # mine\nprofile = 'observe' # why\n");
    site.ok(&["init", "--profile", "strict"]);
    assert_eq!(site.read(CONFIGURATION), "version = 1 # mine\nprofile = \"strict\" # why\n");
    site.write(CONFIGURATION, "profile = \n");
    site.refused(&["init", "--profile", "strict"], 4, "config.toml` cannot be read; repair it first");
}

#[test]
fn both_registrations_of_a_project_share_its_configuration() {
    let site = Site::new();
    let before = site.contents();
    site.ok(&["init"]);
    let said = site.run(&["init", "--scope", "project"]);
    assert!(said.stderr.contains("also registered in `.claude/settings.local.json`"), "{said:?}");
    assert!(said.stderr.contains("everybody who clones the project"), "{said:?}");
    site.ok(&["uninit", "--scope", "local"]);
    assert!(site.path(CONFIGURATION).exists() && site.path(PROJECT).exists());
    site.ok(&["uninit", "--scope", "project"]);
    assert_eq!(site.contents(), before);
}

#[test]
fn local_settings_are_kept_out_of_commits() {
    let site = Site::new();
    site.ok(&["init"]);
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(site.project()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["status", "--short", "--untracked-files=all"]), "?? .hostler/config.toml\n");
    assert!(!site.path(".gitignore").exists());
    site.ok(&["uninit"]);

    // Ignored already: nothing to add.
    site.write(".gitignore", "*.local.json\n");
    let exclude = site.read(".git/info/exclude");
    site.ok(&["init"]);
    assert_eq!(site.read(".git/info/exclude"), exclude);
}

#[test]
fn an_exclude_file_that_cannot_be_edited_is_no_reason_to_refuse() {
    let site = Site::new();
    let exclude = site.path(".git/info/exclude");
    fs::write(&exclude, b"caf\xe9\n").unwrap();
    let said = site.run(&["init"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.stderr.contains("add `/.claude/settings.local.json` to a git exclude file yourself"),
        "{said:?}"
    );
    assert_eq!(fs::read(&exclude).unwrap(), b"caf\xe9\n");
    site.ok(&["uninit"]);

    fs::write(&exclude, "# mine\n").unwrap();
    site.ok(&["init"]);
    set_mode(&exclude, 0o444);
    let said = site.ok(&["uninit"]);
    assert!(said.contains("left `/.claude/settings.local.json` in a git exclude file"), "{said}");
    assert!(!site.path(LOCAL).exists());
}

#[test]
fn runs_at_the_same_time_register_once() {
    let site = Site::new();
    site.write(LOCAL, "{\n  \"model\": \"m\"\n}\n");
    let before = site.contents();
    let children: Vec<_> = (0..8)
        .map(|_| site.command(&["init"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(site.read(LOCAL).matches(env!("CARGO_BIN_EXE_hostler")).count(), ENTRIES);
    assert_eq!(site.read(".git/info/exclude").matches("settings.local.json").count(), 1);
    site.ok(&["uninit"]);
    assert_eq!(site.contents(), before);
}

#[test]
fn a_linked_work_tree_is_a_project_of_its_own() {
    let site = Site::new();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
        let done = Command::new("git").args(identity).args(arguments).current_dir(site.project()).status();
        assert!(done.unwrap().success());
    };
    git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    git(&["worktree", "add", "-q", "../tree"]);
    let tree = site.folder.path().join("tree");
    let run = |arguments: &[&str]| output(site.command(arguments).current_dir(&tree));
    let said = run(&["init"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(tree.join(LOCAL).is_file() && !site.path(LOCAL).exists());
    let status = Command::new("git").args(["status", "--short"]).current_dir(&tree).output().unwrap();
    assert_eq!(String::from_utf8(status.stdout).unwrap(), "?? .hostler/\n");
    assert_eq!(run(&["uninit"]).code, Some(0));
    assert!(!tree.join(".claude").exists() && !tree.join(".hostler").exists());

    // The client reads the main work tree's local settings in a linked one as well, and so do we; the
    // configuration is the main one's, too.
    site.ok(&["init", "--profile", "strict"]);
    let status: Value = serde_json::from_str(&run(&["status", "--json"]).stdout).unwrap();
    assert_eq!((&status["active"], &status["profile"]), (&true.into(), &"strict".into()));
    assert_eq!(status["registrations"][0]["origin"], "main-work-tree");
    run(&["init"]);
    assert!(!tree.join(CONFIGURATION).exists());
}

#[test]
fn without_a_home_or_in_it_nothing_is_registered() {
    let mut site = Site::without_git();
    let output = output(site.command(&["init"]).env_remove("HOME"));
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("`HOME` is not set"), "{}", output.stderr);

    let at_home = self::output(site.command(&["init"]).current_dir(site.home()));
    assert!(at_home.stderr.contains("`~` is no project; go to one, or use `--scope user`"), "{at_home:?}");
    assert_eq!(fs::read_dir(site.home()).unwrap().count(), 0);

    // The client's own variable moves the user's settings.
    let elsewhere = site.path("~/claude config");
    site.variables.insert("CLAUDE_CONFIG_DIR", elsewhere.display().to_string());
    site.ok(&["init", "--scope", "user"]);
    assert!(elsewhere.join("settings.json").is_file());
    assert_eq!(mode(&elsewhere.join("settings.json")), 0o600);
    // No git anywhere: the exclude file is git's business.
    site.variables.insert("PATH", site.home().display().to_string());
    site.ok(&["init"]);
    site.ok(&["uninit"]);
}

#[test]
fn the_registered_path_is_the_stable_one() {
    let mut site = Site::new();
    let folder = site.path("~/.local/bin");
    fs::create_dir_all(&folder).unwrap();
    let versioned = site.path("~/apps/hostler/1.2.3/bin");
    fs::create_dir_all(&versioned).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_hostler"), versioned.join("hostler")).unwrap();
    site.program = versioned.join("hostler");
    site.refused(&["init"], 4, "is in a folder that the next upgrade removes");
    symlink(versioned.join("hostler"), folder.join("hostler")).unwrap();
    site.ok(&["init"]);
    assert!(site.read(LOCAL).contains(&format!("\"{}\"", folder.join("hostler").display())));

    // The shim of a version manager is no link, but starts this version.
    let shim =
        site.write("~/shims/hostler", &format!("#!/bin/sh\nexec '{}' \"$@\"\n", site.program.display()));
    set_mode(&shim, 0o755);
    fs::remove_file(folder.join("hostler")).unwrap();
    site.variables.insert("PATH", format!("{}:/usr/bin:/bin", shim.parent().unwrap().display()));
    site.ok(&["init"]);
    assert_eq!(site.read(LOCAL).matches(&format!("\"{}\"", shim.display())).count(), EVENTS);

    let other = site.path("~/apps/my-hostler");
    fs::copy(env!("CARGO_BIN_EXE_hostler"), &other).unwrap();
    site.program = other;
    site.refused(&["init"], 4, "entries of ours are recognised by the name `hostler`");
}

#[test]
fn warnings_say_what_the_client_makes_of_the_file() {
    let site = Site::new();
    site.write(LOCAL, "{\n  // mine\n  \"disableAllHooks\": true\n}\n");
    let said = site.run(&["init"]);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains(":2:3: a comment: Claude Code reads strict JSON and ignores"), "{said:?}");
    assert!(said.stderr.contains(":3:22: `disableAllHooks` is true"), "{said:?}");
    // Managed by chezmoi.
    site.write("~/.local/share/chezmoi/dot_claude/private_settings.json", "{}");
    let said = site.run(&["init", "--scope", "user"]);
    assert!(said.stderr.contains("is managed by chezmoi"), "{said:?}");
}

#[test]
fn documents_for_programs_name_every_file() {
    let site = Site::new();
    let init: Value = serde_json::from_str(&site.ok(&["init", "--json"])).unwrap();
    let actions: Vec<&str> =
        init["files"].as_array().unwrap().iter().map(|it| it["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["created", "edited", "created"]);
    assert_eq!(init["hosts"][0]["events"].as_array().unwrap().len(), EVENTS);
    assert_eq!(init["command"], env!("CARGO_BIN_EXE_hostler"));
    let again: Value = serde_json::from_str(&site.ok(&["--json", "init"])).unwrap();
    assert_eq!((&again["changed"], &again["hosts"][0]["added"]), (&false.into(), &0.into()));
    let uninit: Value = serde_json::from_str(&site.ok(&["uninit", "--json"])).unwrap();
    assert_eq!((&uninit["changed"], &uninit["removed"]), (&true.into(), &EVENTS.into()));
    site.write(LOCAL, "{");
    let failed = site.run(&["init", "--json"]);
    assert_eq!(failed.code, Some(4));
    let failed: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert!(
        failed["error"].as_str().unwrap().ends_with("1:2: the file ends before the `{` of 1:1 is closed")
    );
}

fn status_line(site: &Site, name: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(&site.read(name)).unwrap();
    settings["statusLine"]["command"].as_str().map(str::to_owned)
}

#[test]
fn the_status_line_is_registered_where_there_is_none() {
    let site = Site::new();
    let said = site.ok(&["init"]);
    assert!(said.contains("its status line is that of `hostler statusline`"), "{said}");
    let line = status_line(&site, LOCAL).unwrap();
    assert!(line.ends_with("/hostler statusline"), "{line}");
    // A shell can start it.
    let shown = Command::new("/bin/sh")
        .args(["-c", &line])
        .current_dir(site.project())
        .env_clear()
        .env("HOME", site.home())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        shown.status.success() && String::from_utf8_lossy(&shown.stdout).contains("standard"),
        "{shown:?}"
    );

    let document: Value = serde_json::from_str(&site.ok(&["init", "--no-statusline", "--json"])).unwrap();
    assert_eq!(
        (&document["hosts"][0]["status_line"], &document["changed"]),
        (&"removed".into(), &true.into())
    );
    assert_eq!(status_line(&site, LOCAL), None);
    site.ok(&["init", "--statusline"]);
    assert!(status_line(&site, LOCAL).is_some());
    // Taken out by hand, it stays out.
    let settings = site.read(LOCAL);
    let mut document: Value = serde_json::from_str(&settings).unwrap();
    document.as_object_mut().unwrap().remove("statusLine");
    site.write(LOCAL, &document.to_string());
    let said = site.ok(&["init"]);
    assert!(said.contains("no status line, as you left it"), "{said}");
    assert_eq!(status_line(&site, LOCAL), None);
    site.ok(&["uninit"]);
    assert_eq!(site.read(LOCAL), "{}", "as the user's program wrote it");
}

#[test]
fn a_status_line_of_the_users_own_is_never_replaced_or_hidden() {
    let own = r#"{"statusLine":{"type":"command","command":"mine"}}"#;
    for (file, arguments) in [(LOCAL, &[][..]), (LOCAL, &["--statusline"]), ("~/.claude/settings.json", &[])]
    {
        let site = Site::new();
        site.write(file, own);
        let said = site.ok(&[&["init"], arguments].concat());
        assert!(said.contains("your own status line stays as it is"), "{said}");
        assert_eq!(status_line(&site, file).as_deref(), Some("mine"));
        if file != LOCAL {
            assert_eq!(status_line(&site, LOCAL), None);
        }
        site.ok(&["uninit"]);
        assert_eq!(site.read(file), own);
    }
    // Configured after ours was: the next `init` makes room for it.
    let site = Site::new();
    site.ok(&["init"]);
    site.write("~/.claude/settings.json", own);
    site.ok(&["init"]);
    assert_eq!(status_line(&site, LOCAL), None);
    site.ok(&["init", "--statusline"]);
    assert!(status_line(&site, LOCAL).is_some());
}
