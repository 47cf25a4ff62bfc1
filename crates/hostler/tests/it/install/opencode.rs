//! `init`, `uninit`, `doctor` and `status` for `OpenCode`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::corpus::{collected, keeps};
use super::{CONFIGURATION, LOCAL, Output, Site, output, set_mode};

const HOST: [&str; 2] = ["--host", "opencode"];
const PLUGIN: &str = ".opencode/plugins/hostler.ts";
const LOCK: &str = ".opencode/package-lock.json";
const MODULES: &str = ".opencode/node_modules";
const SETTINGS: &str = ".opencode/opencode.json";
const ARTIFACTS: [&str; 3] =
    ["agents/auto-kg-context.md", "agents/kg-context-agent.md", "commands/query-kg.md"];
const BINARY: &str = env!("CARGO_BIN_EXE_hostler");

/// What stands in for the client: it answers as the real one does.
fn client(site: &mut Site, version: &str, sessions: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo {version} ;;\nsession) echo '{sessions}' ;;\ndebug) if test -x \"$HOME/on-start\"; then exec \"$HOME/on-start\"; fi ;;\n*) exit 9 ;;\nesac\n"
    );
    let path = site.write("~/client/opencode", &script);
    set_mode(&path, 0o755);
    let folder = path.parent().unwrap().display().to_string();
    if !site.variables["PATH"].starts_with(&folder) {
        let path = format!("{folder}:{}", site.variables["PATH"]);
        site.variables.insert("PATH", path);
    }
    path
}

fn git(site: &Site, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let mut command = Command::new("git");
    let output = output(command.args(identity).args(arguments).current_dir(site.project()));
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout
}

/// A greeting of the client in the project, as the plugin sends it.
fn greeting(site: &Site) -> Value {
    let project = site.project().display().to_string();
    json!({"id": 1, "hook": "hello", "input": {
        "protocol": 1, "plugin": env!("CARGO_PKG_VERSION"), "flavour": 1, "host": "1.18.33",
        "directory": project, "worktree": project, "pid": 7, "mode": "unknown",
    }})
}

/// The bridge's answer to a greeting.
fn greeted(site: &Site) -> Value {
    let mut command = site.command(&["bridge", "opencode"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", greeting(site)).unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut answers = said.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    answers.find(|it| it["id"] == 1).unwrap()
}

/// `init` twice and `uninit` around everything as it was before; gives what `init` wrote.
#[track_caller]
fn there_and_back(site: &Site, arguments: &[&str]) -> Vec<String> {
    let before = site.contents();
    let init = [&["init"], &HOST[..], arguments].concat();
    let scope: Vec<&str> = arguments.windows(2).filter(|it| it[0] == "--scope").flatten().copied().collect();
    let uninit = [&["uninit"], &HOST[..], &scope[..]].concat();

    site.ok(&[&init[..], &["--dry-run"]].concat());
    assert_eq!(site.contents(), before, "a dry run writes nothing");
    site.ok(&init);
    let written = site.everything();
    let new = site.contents().into_iter().filter(|(path, it)| before.get(path) != Some(it));
    let new: Vec<String> = new.map(|(path, _)| path.display().to_string()).collect();
    let said = site.ok(&init);
    assert!(said.starts_with("nothing to do"), "{said}");
    assert_eq!(site.everything(), written, "a second run writes nothing");

    site.ok(&[&uninit[..], &["--dry-run"]].concat());
    assert_eq!(site.everything(), written, "a dry run writes nothing");
    site.ok(&uninit);
    assert_eq!(site.contents(), before, "byte for byte");
    let said = site.ok(&uninit);
    assert!(said.starts_with("nothing to do"), "{said}");
    new
}

// Agents, commands, the plugin with its tools, and the configuration, each in its folder of the client's.
// @traces 021-CONST-XI-001 021-TEST-INTEG-041 021-TEST-INTEG-042 021-TEST-INTEG-043 021-TEST-INTEG-044
#[test]
fn an_empty_project_has_everything_and_is_empty_again() {
    let site = Site::new();
    let written = there_and_back(&site, &["--agents"]);
    let expected = ARTIFACTS.map(|it| format!(".opencode/{it}"));
    for name in expected.iter().map(String::as_str).chain([PLUGIN, LOCK, SETTINGS, MODULES, CONFIGURATION]) {
        let path = site.path(name).display().to_string();
        assert!(written.contains(&path), "{name} is not in {written:#?}");
    }
    there_and_back(&site, &[]);
    there_and_back(&site, &["--scope", "project", "--agents"]);
    there_and_back(&site, &["--opencode", "2", "--agents"]);
    there_and_back(&Site::without_git(), &["--agents", "--mcp"]);
}

// @traces 021-TEST-INTEG-046
#[test]
fn the_users_folder_has_everything_and_is_empty_again() {
    let mut site = Site::new();
    let written = there_and_back(&site, &["--scope", "user", "--agents"]);
    for name in ["opencode.json", "plugins/hostler.ts", ARTIFACTS[0], ARTIFACTS[2]] {
        let path = site.path(&format!("~/.config/opencode/{name}")).display().to_string();
        assert!(written.contains(&path), "{name} is not in {written:#?}");
    }
    let folder = site.path("~/my config").display().to_string();
    site.variables.insert("XDG_CONFIG_HOME", folder);
    site.ok(&["init", "--host", "opencode", "--scope", "user"]);
    assert!(site.path("~/my config/opencode/plugins/hostler.ts").is_file());
}

/// What the plugin refers to is the binary that wrote it, wherever the project lies; that is where the session commands are.
// @traces 021-CONST-XI-002 021-CONST-XI-003 021-TEST-INTEG-047
#[test]
fn the_plugin_starts_the_program_that_wrote_it() {
    let mut site = Site::new();
    let folder = site.path("~/my \"tools\"");
    fs::create_dir_all(&folder).unwrap();
    site.program = folder.join("hostler");
    fs::copy(BINARY, &site.program).unwrap();
    site.ok(&["init", "--host", "opencode", "--mcp"]);
    let plugin = site.read(PLUGIN);
    let binary = hostler_host::opencode::settings::plugin_binary(&plugin).unwrap();
    assert_eq!(binary, site.program.display().to_string());
    assert!(plugin.contains(&format!("const VERSION: string = \"{}\"", env!("CARGO_PKG_VERSION"))));
    // No shell stands between the plugin and the program, and the server is the same one.
    let settings: Value = serde_json::from_str(&site.read(SETTINGS)).unwrap();
    assert_eq!(
        settings["mcp"]["hostler"],
        json!({"type": "local", "command": [binary, "mcp"], "enabled": true})
    );
    let said = Command::new(&binary).args(["session", "--help"]).env_clear().output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let said = Command::new(&binary).args(["mcp", "--help"]).env_clear().output().unwrap();
    assert!(said.status.success(), "{said:?}");

    // Moved, it is written anew.
    let moved = site.path("~/bin");
    fs::create_dir_all(&moved).unwrap();
    site.program = moved.join("hostler");
    fs::copy(BINARY, &site.program).unwrap();
    fs::remove_file(folder.join("hostler")).unwrap();
    let said = site.ok(&["init", "--host", "opencode"]);
    assert!(said.contains("edited .opencode/plugins/hostler.ts"), "{said}");
    let settings: Value = serde_json::from_str(&site.read(SETTINGS)).unwrap();
    assert_eq!(settings["mcp"]["hostler"]["command"][0], site.program.display().to_string());
    assert_eq!(settings["mcp"]["hostler"]["enabled"], true, "what was switched on stays on");
}

/// The tools come with the plugin, from the program that it starts: nothing is copied that could be out of date, no
/// interpreter has to be there, and an environment that uv made for the project changes nothing.
// @traces 021-TEST-INTEG-045 021-TEST-INTEG-047 021-TEST-INTEG-048 021-CONST-VIII-009
#[test]
fn the_tools_are_offered_by_the_program_that_the_plugin_starts() {
    let site = Site::new();
    site.ok(&["init", "--host", "opencode"]);
    let plugin = site.read(PLUGIN);
    assert!(
        !plugin.contains(&site.project().display().to_string()),
        "it serves the folder that it is loaded in"
    );
    let program = hostler_host::opencode::settings::plugin_binary(&plugin).unwrap();
    assert!(!fs::read(&program).unwrap().starts_with(b"#!"), "a script needs an interpreter");

    site.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n");
    site.write("uv.lock", "version = 1\n");
    let python = site.write(".venv/bin/python3", "#!/bin/sh\necho 'must not be run' >&2; exit 9\n");
    set_mode(&python, 0o755);
    site.write(".venv/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.0\n");
    let project = site.project().display().to_string();
    let lines = [
        greeting(&site),
        json!({"id": 2, "hook": "tool", "session": "ses_1", "directory": project,
            "input": {"name": "kg-query", "args": {"cypher": "MATCH (n) RETURN count(n)"}, "callID": "call_1"}}),
        json!({"id": 3, "hook": "tool", "session": "ses_1", "directory": project,
            "input": {"name": "session-status", "args": {}, "callID": "call_2"}}),
    ];
    let answers = |environment: bool| {
        let mut command = Command::new(&program);
        command.args(["bridge", "opencode"]).current_dir(site.project()).env_clear().env("HOME", site.home());
        if environment {
            let folder = site.path(".venv");
            command.env("VIRTUAL_ENV", &folder).env("UV_PROJECT_ENVIRONMENT", &folder);
            command.env("PATH", format!("{}:/usr/bin:/bin", folder.join("bin").display()));
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for line in &lines {
            writeln!(stdin, "{line}").unwrap();
        }
        drop(stdin);
        let said = child.wait_with_output().unwrap();
        assert!(!String::from_utf8_lossy(&said.stderr).contains("must not be run"), "{said:?}");
        let answers = String::from_utf8(said.stdout).unwrap();
        let answers: Vec<Value> = answers.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
        (1..=3).map(|id| answers.iter().find(|it| it["id"] == id).unwrap().clone()).collect::<Vec<_>>()
    };
    let said = answers(false);
    let names: Vec<&str> =
        said[0]["hello"]["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    for name in ["kg-query", "kg-file-context", "session-begin", "conv-query", "code-review"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for answer in &said[1..] {
        assert!(answer["text"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
    }
    let texts = |all: &[Value]| all[1..].iter().map(|it| it["text"].clone()).collect::<Vec<_>>();
    assert_eq!(texts(&answers(true)), texts(&said));
}

/// One plugin for all projects of the user: in a project that is set up it is active with everything, in one with a record
/// of sessions without what needs the graph, and where the user left it out it does nothing at all.
// @traces 021-CONST-XI-004 021-TEST-INTEG-001
#[test]
fn the_plugin_adapts_to_the_folder_that_it_is_loaded_in() {
    let mut site = Site::new();
    site.ok(&["init", "--host", "opencode", "--scope", "user"]);
    let plugin = site.read("~/.config/opencode/plugins/hostler.ts");
    let program = hostler_host::opencode::settings::plugin_binary(&plugin).unwrap();
    site.program = PathBuf::from(program);
    let hello = |site: &Site| {
        let hello = greeted(site)["hello"].clone();
        let names =
            hello["tools"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned());
        (hello["active"] == true, names.collect::<Vec<_>>())
    };
    let has = |names: &[String], name: &str| names.iter().any(|it| it == name);

    site.write("context.json", "{}\n");
    let (active, generic) = hello(&site);
    assert!(active && has(&generic, "session-status") && !has(&generic, "kg-query"), "{generic:?}");
    site.write(CONFIGURATION, "version = 1\n");
    let (active, project) = hello(&site);
    assert!(active && has(&project, "session-status") && has(&project, "kg-query"), "{project:?}");
    site.write("~/.config/hostler/config.toml", "[activation]\npaths = [\"~/elsewhere\"]\n");
    assert_eq!(hello(&site), (false, Vec::new()));
    let folder = site.project().display().to_string();
    site.write("~/.config/hostler/config.toml", &format!("[activation]\npaths = [\"{folder}\"]\n"));
    assert_eq!(hello(&site), (true, project));
}

/// Agents as `OpenCode` reads them: front matter with what they are for and what they may, then the instructions.
// @traces 021-CONST-VIII-010
#[test]
fn agents_have_the_front_matter_that_their_host_reads() {
    let site = Site::new();
    site.ok(&["init", "--host", "opencode", "--agents"]);
    site.ok(&["init", "--host", "claude", "--agents"]);
    let front = |name: &str| {
        let text = site.read(name);
        let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        assert!(!body.trim().is_empty(), "{name}");
        let fields: Vec<(String, String)> = front
            .lines()
            .filter(|line| !line.starts_with(['#', ' ']))
            .map(|line| line.split_once(':').unwrap_or_else(|| panic!("{name}: {line}")))
            .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
            .collect();
        (fields, text)
    };
    let has = |fields: &[(String, String)], key: &str| {
        fields.iter().find(|(it, _)| it == key).map(|(_, value)| value.clone())
    };
    for name in ["auto-kg-context.md", "kg-context-agent.md"] {
        let (fields, text) = front(&format!(".opencode/agents/{name}"));
        assert!(has(&fields, "description").is_some_and(|it| 40 < it.len()), "{fields:?}");
        assert_eq!(has(&fields, "mode").as_deref(), Some("subagent"));
        assert!(
            text.contains("\ntools:\n  write: false\n  edit: false\n"),
            "an agent that looks up changes nothing"
        );
        let (fields, text) = front(&format!(".claude/agents/{name}"));
        assert_eq!(has(&fields, "name").as_deref(), name.strip_suffix(".md"));
        assert!(has(&fields, "tools").is_some_and(|it| it.contains("mcp__hostler__kg-query")));
        for tool in ["kg-query", "kg-file-context", "kg-find-entity", "kg-find-file"] {
            assert!(text.contains(&format!("`{tool}`")), "{name}: {tool}");
        }
        assert!(text.contains("not available yet"), "{name} says what to do without a graph");
    }
    for folder in [".opencode/commands", ".claude/commands"] {
        let (fields, text) = front(&format!("{folder}/query-kg.md"));
        assert!(has(&fields, "description").is_some());
        assert!(
            text.contains("$ARGUMENTS") && text.contains("`kg-query`") && text.contains("not available yet")
        );
    }
    site.ok(&["init", "--no-agents"]);
    assert!(!site.path(".claude/agents").join("auto-kg-context.md").exists());
    site.ok(&["uninit"]);
    assert!(!site.path(".opencode").exists() && !site.path(".claude").exists());
}

/// Folders that are there in the other spelling are the ones that are used.
#[test]
fn both_spellings_of_folders_are_respected() {
    let site = Site::new();
    for folder in ["plugin", "agent", "command"] {
        site.write(&format!(".opencode/{folder}/mine.txt"), "mine");
    }
    there_and_back(&site, &["--agents"]);
    site.ok(&["init", "--host", "opencode", "--agents"]);
    for name in ["plugin/hostler.ts", "agent/auto-kg-context.md", "command/query-kg.md"] {
        assert!(site.path(".opencode").join(name).is_file(), "{name}");
    }
    assert!(!site.path(".opencode/plugins").exists());
    // For the other version the plugin moves.
    site.ok(&["init", "--host", "opencode", "--opencode", "2"]);
    assert!(!site.path(".opencode/plugin/hostler.ts").exists());
    assert!(site.path(".opencode/plugins/hostler/index.ts").is_file());
    site.ok(&["uninit"]);
    assert_eq!(site.read(".opencode/plugin/mine.txt"), "mine");
}

#[test]
fn the_version_is_that_of_the_program_then_that_of_the_configuration() {
    let mut site = Site::new();
    site.write("opencode.json", "{\"permissions\": []}\n");
    let host = |site: &Site, more: &[&str]| {
        let said = site.ok(&[&["init", "--json", "--dry-run"], &HOST[..], more].concat());
        let said: Value = serde_json::from_str(&said).unwrap();
        said["hosts"][0].clone()
    };
    let two = host(&site, &[]);
    assert_eq!(two["version"], 2);
    assert!(two["plugin"].as_str().unwrap().ends_with(".opencode/plugins/hostler/index.ts"), "{two}");
    client(&mut site, "1.18.33", "");
    assert_eq!(host(&site, &[])["version"], 1);
    assert_eq!(host(&site, &["--opencode", "2"])["version"], 2);
    client(&mut site, "2.0.26", "");
    site.write("opencode.json", "{\"plugin\": []}\n");
    assert_eq!(host(&site, &[])["version"], 2);
    there_and_back(&site, &["--agents"]);
    // The entry has the shape that the file has.
    site.ok(&["init", "--host", "opencode"]);
    let settings: Value = serde_json::from_str(&site.read("opencode.json")).unwrap();
    assert_eq!(settings["mcp"]["hostler"]["enabled"], false);
    assert!(!site.path(LOCK).exists(), "only version 1 installs packages at its start");
}

#[test]
fn a_local_installation_does_not_show_in_git() {
    let site = Site::new();
    site.write("opencode.json", "{\"share\": \"disabled\"}\n");
    git(&site, &["add", "opencode.json"]);
    git(&site, &["commit", "-qm", "x"]);
    site.ok(&["init", "--host", "opencode", "--agents"]);
    assert_eq!(git(&site, &["status", "--short"]), "?? .hostler/\n");
    // What git knows is not touched: the entry is in a file of its own.
    assert_eq!(site.read("opencode.json"), "{\"share\": \"disabled\"}\n");
    assert!(site.read(SETTINGS).contains("\"hostler\""));
    // Made everybody's, it shows.
    site.ok(&["init", "--host", "opencode", "--scope", "project"]);
    assert!(git(&site, &["status", "--short"]).contains("?? .opencode/\n"));
    assert_eq!(site.read(".git/info/exclude"), "# mine\n");
    let said = site.ok(&["uninit", "--host", "opencode", "--scope", "local"]);
    assert!(said.starts_with("nothing to do"), "{said}");
    site.ok(&["uninit"]);
    assert_eq!(git(&site, &["status", "--short"]), "");

    // Where git knows every name, there is no place for one's own, and it is said.
    for name in ["opencode.jsonc", SETTINGS, ".opencode/opencode.jsonc"] {
        site.write(name, "{}\n");
        git(&site, &["add", "-f", name]);
    }
    let said = site.run(&["init", "--host", "opencode"]);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("every configuration of OpenCode here is known to git"), "{said:?}");
    site.ok(&["uninit"]);
}

#[test]
fn a_local_installation_over_files_of_git_says_so() {
    let mut site = Site::new();
    site.ok(&["init", "--host", "opencode", "--scope", "project"]);
    git(&site, &["add", "."]);
    git(&site, &["commit", "-qm", "x"]);
    site.program = site.path("~/hostler");
    fs::copy(BINARY, &site.program).unwrap();
    let said = site.run(&["init", "--host", "opencode"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.contains("git knows .opencode/plugins/hostler.ts, which changes"), "{said:?}");
    let said = site.run(&["init", "--host", "opencode"]);
    assert_eq!(said.stderr, "", "nothing changes any more");
}

/// With several agents here, `init` without a name is for each of them, and says so.
#[test]
fn every_agent_that_is_here_is_registered_at_once() {
    let mut site = Site::new();
    site.write("~/.claude/settings.json", "{}\n");
    client(&mut site, "1.18.33", "");
    let before = site.contents();
    let said = site.ok(&["init", "--agents"]);
    assert!(site.path(LOCAL).is_file() && site.path(PLUGIN).is_file());
    assert!(
        said.contains("agents found here: Claude Code (`~/.claude`), OpenCode (`~/client/opencode`)"),
        "{said}"
    );
    let status: Value = serde_json::from_str(&site.ok(&["status", "--json"])).unwrap();
    assert_eq!(status["registrations"].as_array().unwrap().len(), 1);
    assert_eq!(status["opencode"][0]["command"], BINARY);
    assert_eq!(git(&site, &["status", "--short"]), "?? .hostler/\n");

    // The configuration stays with the one that is left, whichever goes first.
    for (first, second) in [("claude", "opencode"), ("opencode", "claude")] {
        site.ok(&["init", "--agents"]);
        site.ok(&["uninit", "--host", first]);
        assert!(site.path(CONFIGURATION).is_file(), "{second} still needs it");
        site.ok(&["uninit", "--host", second]);
        assert_eq!(site.contents(), before);
    }
    site.ok(&["init"]);
    let said = site.ok(&["uninit"]);
    assert!(said.contains("removed .opencode/plugins/hostler.ts"), "{said}");
    assert_eq!(site.contents(), before);
}

#[test]
fn agents_stay_with_the_registration_that_is_left() {
    let site = Site::new();
    let before = site.contents();
    site.ok(&["init", "--host", "claude", "--agents"]);
    site.ok(&["init", "--host", "claude", "--agents", "--scope", "project"]);
    site.ok(&["uninit", "--scope", "local"]);
    assert!(site.path(".claude").join(ARTIFACTS[0]).is_file());
    site.ok(&["uninit", "--scope", "project"]);
    assert_eq!(site.contents(), before);
    // Without a record they are known by what they say of themselves.
    site.ok(&["init", "--host", "claude", "--agents"]);
    fs::remove_dir_all(site.path("~/.local/state")).unwrap();
    site.ok(&["uninit"]);
    assert!(!site.path(".claude").join(ARTIFACTS[0]).exists());
}

#[test]
fn without_any_agent_here_it_is_claude() {
    let site = Site::new();
    let mut command = site.command(&["init"]);
    let said = output(command.env("PATH", "/usr/bin:/bin"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(site.path(LOCAL).is_file() && !site.path(".opencode").exists());
    assert!(!said.stdout.contains("agents found here"), "{said:?}");
}

#[test]
fn a_broken_configuration_is_refused_with_its_place_and_nothing_is_written() {
    let site = Site::new();
    let cases = [
        ("{\n  \"mcp\": 1\n}\n", "2:10: `mcp` is a number, but must be an object"),
        ("{\n  \"a\": 1,\n  oops\n}\n", "3:3: expected a key"),
        ("", "1:1: expected a value"),
        ("{\"mcp\": {}, \"mcp\": {}}", "1:13: key `mcp` occurs twice"),
        ("{\n<<<<<<< HEAD\n}\n", "2:1: an unresolved merge conflict"),
    ];
    for name in ["opencode.json", "opencode.jsonc", SETTINGS, ".opencode/opencode.jsonc"] {
        for (text, message) in cases {
            site.write(name, text);
            let message = format!("{name}:{message}");
            site.refused(&["init", "--host", "opencode"], 4, &message);
            site.refused(&["init", "--host", "opencode", "--dry-run"], 4, &message);
        }
        fs::remove_file(site.path(name)).unwrap();
    }
    site.write("opencode.json", "{\"mcp\": [}");
    let doctor = {
        fs::remove_file(site.path("opencode.json")).unwrap();
        site.ok(&["init", "--host", "opencode"]);
        site.write("opencode.json", "{\"mcp\": [}");
        site.run(&["doctor", "--host", "opencode"])
    };
    assert!(doctor.stdout.contains("opencode.json:1:10: expected a value"), "{doctor:?}");
}

#[test]
fn a_configuration_that_broke_since_keeps_nobody_from_removing_the_rest() {
    let site = Site::new();
    site.ok(&["init", "--host", "opencode"]);
    site.write("opencode.json", "");
    let said = site.ok(&["uninit"]);
    assert!(said.contains("opencode.json:1:1: expected a value"), "{said}");
    assert!(!site.path(".opencode").exists() && site.read("opencode.json").is_empty(), "{said}");
    // What stands in a broken file cannot be taken out of it.
    site.write("opencode.json", "{}\n");
    site.ok(&["init", "--host", "opencode"]);
    let text = site.read("opencode.json");
    site.write("opencode.json", &text[1..]);
    site.refused(&["uninit"], 4, "our entry is in it, so repair it");
    site.write("opencode.json", &text);
    site.ok(&["uninit"]);
    assert_eq!(site.read("opencode.json"), "{}\n");
    // With two agents here, one that cannot be had does not go unsaid.
    site.write("~/.claude/settings.json", "{}\n");
    site.write("opencode.json", "{");
    site.refused(&["init"], 4, "nothing was written: `--host claude` leaves OpenCode out");
    site.ok(&["init", "--host", "claude"]);
}

#[test]
fn files_of_others_and_files_that_were_changed_by_hand_are_not_overwritten() {
    let site = Site::new();
    site.write(PLUGIN, "export const Mine = async () => ({})\n");
    site.refused(&["init", "--host", "opencode"], 4, "is not ours, and the plugin goes under that name");
    site.refused(&["init", "--host", "opencode", "--force"], 4, "is not ours");
    assert!(site.ok(&["uninit"]).starts_with("nothing to do"));
    fs::remove_file(site.path(PLUGIN)).unwrap();

    site.write(".opencode/agents/kg-context-agent.md", "mine\n");
    let said = site.run(&["init", "--host", "opencode", "--agents"]);
    assert!(
        said.stderr.contains(".opencode/agents/kg-context-agent.md is there already and is not ours"),
        "{said:?}"
    );
    assert!(site.path(".opencode/agents/auto-kg-context.md").is_file());

    let changed = format!("{}// mine\n", site.read(PLUGIN));
    site.write(PLUGIN, &changed);
    let agent = format!("{}mine\n", site.read(".opencode/agents/auto-kg-context.md"));
    site.write(".opencode/agents/auto-kg-context.md", &agent);
    let said = site.run(&["init", "--host", "opencode"]);
    assert!(
        said.stderr.contains("hostler.ts was changed by hand and stays as it is; `hostler init --force`"),
        "{said:?}"
    );
    assert_eq!(site.read(PLUGIN), changed);
    let status = site.ok(&["status"]);
    assert!(
        status.contains("opencode  .opencode/plugins/hostler.ts, changed by hand; no start seen yet"),
        "{status}"
    );

    let copies = || {
        let folder = site.path("~/.local/state/hostler/installs/copies");
        let mut texts: Vec<String> = fs::read_dir(folder)
            .map(|entries| entries.map(|it| fs::read_to_string(it.unwrap().path()).unwrap()).collect())
            .unwrap_or_default();
        texts.sort();
        texts
    };
    assert_eq!(copies(), Vec::<String>::new());
    site.ok(&["init", "--host", "opencode", "--force"]);
    assert!(site.read(PLUGIN) != changed && copies().contains(&changed));

    // What goes although it was changed is kept; what may stay stays.
    site.write(PLUGIN, &changed.replace("// mine", "// mine, too"));
    site.write(".opencode/agents/auto-kg-context.md", &agent);
    let said = site.ok(&["uninit"]);
    assert!(said.contains("hostler.ts was changed by hand; a copy is in ~/.local/state/hostler"), "{said}");
    assert!(said.contains("kept .opencode/agents/auto-kg-context.md: it was changed since"), "{said}");
    assert!(!site.path(PLUGIN).exists());
    assert_eq!(site.read(".opencode/agents/auto-kg-context.md"), agent);
    assert_eq!(site.read(".opencode/agents/kg-context-agent.md"), "mine\n");
    assert!(copies().iter().any(|it| it.contains("// mine, too")));
}

/// A plugin of an older version is brought up to date, also where no record of it is left.
#[test]
fn files_of_older_versions_are_brought_up_to_date_without_a_record() {
    let site = Site::new();
    site.ok(&["init", "--host", "opencode", "--agents"]);
    let ours = site.read(PLUGIN);
    let written = site.contents();
    // Another machine's path, in a file that nobody changed.
    let mut other = Site::new();
    let folder = other.path("~/elsewhere");
    fs::create_dir_all(&folder).unwrap();
    other.program = folder.join("hostler");
    fs::copy(BINARY, &other.program).unwrap();
    other.ok(&["init", "--host", "opencode"]);
    site.write(PLUGIN, &other.read(PLUGIN));
    fs::remove_dir_all(site.path("~/.local/state")).unwrap();
    site.ok(&["init", "--host", "opencode"]);
    assert_eq!(site.read(PLUGIN), ours);
    assert_eq!(site.contents(), written);
    fs::remove_dir_all(site.path("~/.local/state")).unwrap();
    site.ok(&["uninit"]);
    for name in [PLUGIN, LOCK, ".opencode/agents/auto-kg-context.md", ".opencode/commands/query-kg.md"] {
        assert!(!site.path(name).exists(), "{name}");
    }
    assert!(!site.read(SETTINGS).contains("hostler"));
}

#[test]
fn packages_are_kept_from_being_installed_only_where_nothing_needs_them() {
    let mut site = Site::new();
    client(&mut site, "1.18.33", "");
    let seeded = |site: &Site| {
        let said = site.ok(&["init", "--host", "opencode", "--json"]);
        serde_json::from_str::<Value>(&said).unwrap()["hosts"][0]["seeded"] == true
    };
    assert!(seeded(&site));
    let lock: Value = serde_json::from_str(&site.read(LOCK)).unwrap();
    assert_eq!(lock["packages"][""]["dependencies"]["@opencode-ai/plugin"], "1.18.33");
    assert!(site.path(MODULES).is_dir());
    assert!(seeded(&site));
    let lock_text = site.read(LOCK);

    // A tool that needs the package comes later: the next start is to install it.
    let tool = "import { tool } from \"@opencode-ai/plugin\"\nexport default tool({})\n";
    site.write(".opencode/tools/mine.ts", tool);
    let doctor = site.run(&["doctor", "--host", "opencode"]);
    assert!(
        doctor.stdout.contains("`.opencode/tools/mine.ts` needs packages, and `node_modules` is empty"),
        "{doctor:?}"
    );
    let said = site.run(&["init", "--host", "opencode"]);
    assert!(said.stderr.contains(".opencode/tools/mine.ts needs packages: the next start"), "{said:?}");
    assert!(!site.path(LOCK).exists());
    site.ok(&["uninit"]);
    assert_eq!(site.read(".opencode/tools/mine.ts"), tool);
    fs::remove_dir_all(site.path(".opencode")).unwrap();

    // Without another `init`, the running plugin sees to it, and tells.
    assert!(seeded(&site));
    assert!(!greeted(&site).to_string().contains("needs packages"));
    site.write(".opencode/tools/mine.ts", tool);
    let said = greeted(&site).to_string();
    assert!(said.contains("mine.ts` needs packages: start OpenCode again, and it installs them"), "{said}");
    assert!(!site.path(LOCK).exists());
    site.ok(&["uninit"]);
    assert_eq!(site.read(".opencode/tools/mine.ts"), tool);

    // Never over what the client itself installed, nor over packages that the user asks for.
    for (name, text) in [
        (LOCK, "{\"lockfileVersion\": 3}\n".to_owned()),
        (".opencode/node_modules/zod/package.json", "{}\n".to_owned()),
        (".opencode/package.json", "{\"dependencies\": {\"zod\": \"4\"}}\n".to_owned()),
        (LOCK, lock_text.replacen("{\n", "{\n  \"name\": \"mine\",\n", 1)),
    ] {
        fs::remove_dir_all(site.path(".opencode")).unwrap();
        site.write(name, &text);
        assert!(!seeded(&site), "{name}");
        assert_eq!(site.read(name), text);
        site.ok(&["uninit"]);
        assert_eq!(site.read(name), text);
    }
}

/// Several registrations keep the folder at home from being filled: it stays so until the last one goes.
#[test]
fn a_seed_at_home_stays_while_another_registration_needs_it() {
    let site = Site::new();
    let other = site.path("~/other");
    fs::create_dir_all(&other).unwrap();
    let before = site.contents();
    let user: &[&str] = &["--scope", "user"];
    let cases = [[(site.project(), &[][..]), (other, &[])], [(site.project(), &[]), (site.project(), user)]];
    let ok = |folder: &Path, word: &str, more: &[&str]| {
        let arguments = [&[word, "--host", "opencode"], more].concat();
        let said = output(site.command(&arguments).current_dir(folder));
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    for [one, two] in cases {
        for (first, second) in [(&one, &two), (&two, &one)] {
            ok(&first.0, "init", first.1);
            ok(&second.0, "init", second.1);
            ok(&first.0, "uninit", first.1);
            for name in ["package-lock.json", "node_modules"] {
                assert!(site.path("~/.config/opencode").join(name).exists(), "{name} is gone: {second:?}");
            }
            ok(&second.0, "uninit", second.1);
            assert_eq!(site.contents(), before, "{first:?}");
        }
    }
}

#[test]
fn a_folder_that_a_variable_names_is_kept_from_being_filled_as_well() {
    let mut site = Site::new();
    let folder = site.path("~/my opencode");
    fs::create_dir_all(&folder).unwrap();
    site.variables.insert("OPENCODE_CONFIG_DIR", folder.display().to_string());
    let written = there_and_back(&site, &[]);
    for name in ["package-lock.json", "node_modules"] {
        assert!(written.contains(&folder.join(name).display().to_string()), "{name}: {written:#?}");
    }
}

#[test]
fn what_the_client_leaves_in_a_folder_of_ours_goes_with_it() {
    let site = Site::new();
    let before = site.contents();
    site.ok(&["init", "--host", "opencode"]);
    let ignore = "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore";
    site.write(".opencode/.gitignore", ignore);
    site.ok(&["uninit"]);
    assert_eq!(site.contents(), before);
    // In a folder of the user's it stays.
    site.write(".opencode/.gitignore", ignore);
    there_and_back(&site, &[]);
}

#[test]
fn links_are_followed_and_stay() {
    let site = Site::new();
    site.write("~/dotfiles/opencode/opencode.jsonc", "{\n  // mine\n}\n");
    fs::create_dir_all(site.path("~/.config")).unwrap();
    symlink("../dotfiles/opencode", site.path("~/.config/opencode")).unwrap();
    there_and_back(&site, &["--scope", "user", "--agents"]);
    site.ok(&["init", "--host", "opencode", "--scope", "user"]);
    assert!(site.path("~/.config/opencode").is_symlink());
    assert!(site.path("~/dotfiles/opencode/plugins/hostler.ts").is_file());
    assert!(site.read("~/dotfiles/opencode/opencode.jsonc").contains("// mine"));
}

#[test]
fn what_cannot_be_written_leaves_nothing_half_done() {
    let site = Site::new();
    let path = site.write("opencode.json", "{}\n");
    fs::hard_link(&path, site.path("other.json")).unwrap();
    site.refused(&["init", "--host", "opencode"], 4, "has 2 hard links");
    fs::remove_file(site.path("other.json")).unwrap();
    set_mode(&path, 0o444);
    site.refused(&["init", "--host", "opencode"], 4, "is read-only");
    set_mode(&path, 0o644);
    // A file stands where a folder is needed.
    site.write(".opencode/plugins", "a file\n");
    let before = site.contents();
    let said = site.run(&["init", "--host", "opencode", "--agents"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(site.contents(), before);
}

/// Runs as somebody who is not the superuser, to whom no folder is read-only.
#[test]
fn a_read_only_folder_of_the_project_is_refused_and_one_at_home_is_left_alone() {
    const NOBODY: u32 = 65534;
    let mut site = Site::without_git();
    let superuser = fs::metadata(site.home()).unwrap().uid() == 0;
    site.program = site.folder.path().join("hostler");
    fs::copy(BINARY, &site.program).unwrap();
    let mine = site.write(".opencode/mine.txt", "mine\n");
    let home = site.write("~/.config/opencode/opencode.json", "{}\n");
    for folder in ["~/.local/state", "~/.config"] {
        fs::create_dir_all(site.path(folder)).unwrap();
    }
    if superuser {
        set_mode(site.folder.path(), 0o755);
        let paths =
            [site.home(), site.project(), mine.parent().unwrap().into(), home.parent().unwrap().into()];
        let more = ["~/.local", "~/.local/state", "~/.config"].map(|it| site.path(it));
        for path in paths.iter().chain(&more) {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let run = |site: &Site, arguments: &[&str]| {
        let mut command = site.command(arguments);
        if superuser {
            command.uid(NOBODY).gid(NOBODY);
        }
        output(&mut command)
    };
    set_mode(home.parent().unwrap(), 0o555);
    let before = site.contents();
    let said = run(&site, &["init", "--host", "opencode"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(site.path(PLUGIN).is_file() && !site.path("~/.config/opencode/package-lock.json").exists());
    assert_eq!(run(&site, &["uninit"]).code, Some(0));
    assert_eq!(site.contents(), before);

    set_mode(mine.parent().unwrap(), 0o555);
    let before = site.contents();
    let said = run(&site, &["init", "--host", "opencode"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.stderr.contains(".opencode` is read-only, so"), "{}", said.stderr);
    assert_eq!(site.contents(), before);
    for path in [mine, home] {
        set_mode(path.parent().unwrap(), 0o755);
    }
}

#[test]
fn two_runs_at_once_write_what_one_writes() {
    let one = Site::new();
    one.ok(&["init", "--host", "opencode", "--agents"]);
    let expected = one.read(".git/info/exclude");
    let many = Site::new();
    let before = many.contents();
    let runs: Vec<_> =
        (0..6).map(|_| many.command(&["init", "--host", "opencode", "--agents"]).spawn().unwrap()).collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    assert_eq!(many.read(".git/info/exclude"), expected);
    many.ok(&["uninit"]);
    assert_eq!(many.contents(), before);
}

/// A run that ends at any moment can be undone, and the next one finishes it.
#[test]
fn a_killed_run_can_be_undone() {
    let site = Site::new();
    let text = "{\r\n  \"share\": \"manual\", // mine\r\n  \"mcp\": {}\r\n}";
    let path = site.write("opencode.jsonc", text);
    let before = site.contents();
    let started = std::time::Instant::now();
    site.ok(&["init", "--host", "opencode", "--agents"]);
    let took = started.elapsed();
    let after = fs::read_to_string(&path).unwrap();
    let all = site.contents();
    site.ok(&["uninit"]);
    let mut killed = 0;
    for run in 0..60_u32 {
        let init = run % 2 == 0;
        let arguments: &[&str] = if init { &["init", "--host", "opencode", "--agents"] } else { &["uninit"] };
        let mut child = site.command(arguments).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(took.mul_f64(f64::from(run * 37 % 60) / 60.0 * 1.2));
        // One that has ended already is not killed.
        let _ = child.kill();
        killed += u32::from(child.wait().unwrap().code().is_none());
        let now = fs::read_to_string(&path).unwrap();
        assert!(now == text || now == after, "run {run} left:\n{now}");
        for folder in [
            "",
            "~/.config/opencode",
            ".opencode",
            ".opencode/plugins",
            ".opencode/agents",
            ".opencode/commands",
            ".hostler",
            ".git/info",
        ] {
            for leftover in hostler_ledger::file::leftovers(&site.path(folder)) {
                fs::remove_file(leftover).unwrap();
            }
        }
        if run % 6 == 5 {
            site.ok(&["init", "--host", "opencode", "--agents"]);
            assert_eq!(site.contents().keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
            site.ok(&["uninit"]);
            assert_eq!(site.contents(), before, "after run {run}");
        }
    }
    assert!(10 < killed, "{killed} were killed");
}

/// Configurations as people have them: only our lines are new, what they mean stays, and `uninit` gives back every byte.
#[test]
fn collected_configurations_come_back_byte_for_byte() {
    let Some(configs) = collected("collected_configurations_come_back_byte_for_byte") else { return };
    let mut names: Vec<PathBuf> = ["opencode-config", "synthetic"]
        .iter()
        .flat_map(|folder| fs::read_dir(configs.join(folder)).unwrap().map(|it| it.unwrap().path()))
        .collect();
    names.sort();
    let (mut edited, mut refused) = (0, 0);
    for path in names {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let text = hostler_host::jsonc::decode(&bytes).ok();
        let valid = text.is_some_and(|it| {
            hostler_host::jsonc::Document::parse(it)
                .is_ok_and(|it| matches!(it.root.kind, hostler_host::jsonc::Kind::Object(_)))
        });
        let site = Site::new();
        let target =
            if path.extension().is_some_and(|it| it == "jsonc") { "opencode.jsonc" } else { "opencode.json" };
        fs::write(site.path(target), &bytes).unwrap();
        if !valid {
            site.refused(&["init", "--host", "opencode"], 4, &format!("{target}:"));
            refused += 1;
            continue;
        }
        let before = site.contents();
        site.ok(&["init", "--host", "opencode", "--agents"]);
        let (text, after) = (text.unwrap(), site.read(target));
        keeps(&name, text, &after);
        meaning(&name, text, &after);
        site.ok(&["uninit"]);
        assert_eq!(site.contents(), before, "{name}");
        edited += 1;
    }
    assert!(10 < edited && 5 < refused, "{edited} edited, {refused} refused");
}

/// The difference in meaning is one server of ours.
#[track_caller]
fn meaning(name: &str, before: &str, after: &str) {
    let flavour = hostler_host::opencode::settings::flavour(before).unwrap();
    let keys: &[&str] = match flavour {
        Some(hostler_host::opencode::settings::Flavour::Two) => &["mcp", "servers"],
        _ => &["mcp"],
    };
    let (old, new) = (tree(before), tree(after));
    let lines = |all: &[(String, String)]| {
        all.iter().map(|(path, value)| format!("{path} = {value}")).collect::<Vec<_>>()
    };
    let (old, new) = (lines(&old), lines(&new));
    let added: Vec<&String> = new.iter().filter(|it| !old.contains(it)).collect();
    assert!(old.iter().all(|it| new.contains(it)), "{name}: something is gone");
    let prefix = format!("{}.hostler.", keys.join("."));
    assert!(!added.is_empty() && added.iter().all(|it| it.starts_with(&prefix)), "{name}: {added:#?}");
}

/// Every scalar of a text with its path, by our own reader of comments and the rest.
fn tree(text: &str) -> Vec<(String, String)> {
    use hostler_host::jsonc::{Document, Kind, Node};
    fn walk(document: &Document<'_>, node: &Node, path: &str, out: &mut Vec<(String, String)>) {
        for (index, item) in node.items().iter().enumerate() {
            let key = item.key.as_ref().map_or_else(|| index.to_string(), |key| document.string(key));
            let path = if path.is_empty() { key } else { format!("{path}.{key}") };
            match item.value.kind {
                Kind::Array(_) | Kind::Object(_) => walk(document, &item.value, &path, out),
                _ => out.push((path, document.text[item.value.range.clone()].to_owned())),
            }
        }
    }
    let document = Document::parse(text).unwrap();
    let mut out = Vec::new();
    walk(&document, &document.root, "", &mut out);
    out
}

/// What doctor says of the client, for a snapshot: without times and paths of this machine.
fn told(site: &Site, output: &Output) -> String {
    let took = regex(&output.stdout);
    took.replace(&site.home().display().to_string(), "~")
        .replace(BINARY, "BINARY")
        .replace(&site.project().display().to_string(), "PROJECT")
}

/// `12.3 ms` as `N ms`.
fn regex(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n']).collect::<Vec<_>>();
    let is_time = |index: usize| words.get(index + 1).is_some_and(|it| it.trim_end() == "ms");
    words.iter().enumerate().map(|(index, word)| if is_time(index) { "N " } else { word }).collect()
}

fn heartbeat(site: &Site, time_ms: i64, plugin: &str) {
    let status: Value = serde_json::from_str(&site.ok(&["status", "--json"])).unwrap();
    let evidence = PathBuf::from(status["evidence"].as_str().unwrap());
    fs::create_dir_all(evidence.join("opencode")).unwrap();
    let beat = json!({
        "time_ms": time_ms, "pid": 1, "host": "1.18.33", "flavour": 1, "plugin": plugin,
        "binary": env!("CARGO_PKG_VERSION"), "directory": site.project(), "mode": "serve",
    });
    fs::write(evidence.join("opencode/heartbeat.json"), beat.to_string()).unwrap();
}

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn session(updated_ms: i64) -> String {
    json!([{"id": "ses_1", "title": "x", "updated": updated_ms}]).to_string()
}

#[test]
fn doctor_proves_the_plugin_by_what_the_client_has_shown() {
    let mut site = Site::new();
    client(&mut site, "1.18.33", "");
    let rg = site.write("~/client/rg", "#!/bin/sh\n");
    set_mode(&rg, 0o755);
    site.ok(&["init", "--host", "opencode"]);
    let doctor = |site: &Site| told(site, &site.run(&["doctor", "--host", "opencode"]));
    insta::assert_snapshot!("opencode_never_started", doctor(&site));

    heartbeat(&site, now_ms() - 3 * 3_600_000, env!("CARGO_PKG_VERSION"));
    client(&mut site, "1.18.33", &session(now_ms() - 3 * 3_600_000));
    insta::assert_snapshot!("opencode_alive", doctor(&site));
    let status = site.ok(&["status"]);
    assert!(status.starts_with("active\n"), "{status}");
    assert!(
        status.contains(
            "opencode  .opencode/plugins/hostler.ts; loaded 3 hours ago (OpenCode 1.18.33, serve)\n"
        ),
        "{status}"
    );

    // A session of which nothing was recorded, although the plugin was there.
    client(&mut site, "1.18.33", &session(now_ms() + 1_000));
    insta::assert_snapshot!("opencode_session_without_plugin", doctor(&site));
    // A later start loaded it.
    heartbeat(&site, now_ms() + 60_000, env!("CARGO_PKG_VERSION"));
    insta::assert_snapshot!("opencode_session_without_plugin_in_the_past", doctor(&site));
    let status: Value = serde_json::from_str(&site.ok(&["status", "--json"])).unwrap();
    let journal = PathBuf::from(status["evidence"].as_str().unwrap()).join("sessions/ses_1.jsonl");
    fs::create_dir_all(journal.parent().unwrap()).unwrap();
    fs::write(journal, "").unwrap();
    heartbeat(&site, now_ms(), "0.0.9");
    insta::assert_snapshot!("opencode_runs_an_older_plugin", doctor(&site));
}

#[test]
fn doctor_starts_the_client_when_it_is_asked_to() {
    let mut site = Site::new();
    client(&mut site, "1.18.33", "");
    site.ok(&["init", "--host", "opencode"]);
    let said = site.run(&["doctor", "--host", "opencode", "--start"]);
    assert!(
        said.stdout.contains("OpenCode was started, and the plugin did not greet: it is not loaded"),
        "{said:?}"
    );
    assert_eq!(said.code, Some(1));
    // The stand-in greets as the plugin of the real client would.
    let script =
        format!("#!/bin/sh\nexec '{BINARY}' bridge opencode <<'LINES'\n{}\nLINES\n", greeting(&site));
    let path = site.write("~/on-start", &script);
    set_mode(&path, 0o755);
    let said = site.run(&["doctor", "--host", "opencode", "--start"]);
    assert!(said.stdout.contains("loaded the plugin just now (OpenCode 1.18.33, unknown)"), "{said:?}");
}

#[test]
fn doctor_finds_what_keeps_the_plugin_from_guarding() {
    let mut site = Site::new();
    client(&mut site, "1.18.33", "");
    site.ok(&["init", "--host", "opencode", "--mcp"]);
    let has = |site: &Site, level: &str, expected: &str| {
        let said = site.run(&["doctor", "--host", "opencode", "--json"]);
        let document: Value = serde_json::from_str(&said.stdout).unwrap();
        let checks = document["checks"].as_array().unwrap();
        let found = checks
            .iter()
            .any(|it| it["level"] == level && format!("{}: {}", it["place"], it["what"]).contains(expected));
        assert!(found, "`{expected}` is not in {checks:#?}");
    };
    has(&site, "note", "the MCP server is on, and the plugin offers the same tools");
    has(&site, "ok", "the bridge denied a canary");
    let folder = site.path("~/client").display().to_string();
    let said = output(site.command(&["doctor", "--host", "opencode"]).env("PATH", folder));
    assert!(said.stdout.contains("there is no `rg`"), "{said:?}");

    client(&mut site, "2.0.26", "");
    has(&site, "problem", "the plugin is for OpenCode 1, and `opencode` is 2.0.26: it is not loaded");
    client(&mut site, "1.18.33", "");

    let plugin = site.read(PLUGIN);
    site.write(PLUGIN, &plugin.replace(BINARY, "/nowhere/hostler"));
    has(&site, "problem", "`/nowhere/hostler` is gone; until then every guarded call is denied");
    has(&site, "note", "the plugin was changed by hand");
    let version = env!("CARGO_PKG_VERSION");
    site.write(PLUGIN, &plugin.replacen(&format!("`hostler init` {version}"), "`hostler init` 0.0.9", 1));
    has(&site, "problem", &format!("the plugin is that of hostler 0.0.9, and this is {version}"));
    site.write(PLUGIN, &plugin);

    site.write("opencode.json", "{\"plugin\": [\"./gone/hostler.ts\"], \"plugins\": [\"-hostler\"]}\n");
    has(&site, "problem", "the plugin `./gone/hostler.ts` is listed, and `gone/hostler.ts` is gone");
    has(&site, "problem", "`-hostler` switches our plugin off");
    fs::remove_file(site.path("opencode.json")).unwrap();

    let said = site.run(&["init", "--host", "opencode", "--scope", "user"]);
    assert!(
        said.stderr.contains("the plugin is also in .opencode, and each call is asked about twice"),
        "{said:?}"
    );
    has(&site, "problem", "each call is asked about twice");
    site.ok(&["uninit", "--host", "opencode", "--scope", "user"]);

    let said = output(site.command(&["doctor", "--host", "opencode"]).env("OPENCODE_PURE", "1"));
    assert!(said.stdout.contains("`OPENCODE_PURE` is set: no plugin is loaded"), "{said:?}");

    // A process of the client without plugins, here.
    let mut pure = Command::new(site.path("~/client/opencode"))
        .args(["wait", "--pure"])
        .current_dir(site.project())
        .spawn()
        .unwrap();
    pure.wait().unwrap();
    site.write("~/client/opencode", "#!/bin/sh\nread -r line\n");
    let mut pure = Command::new(site.path("~/client/opencode"))
        .arg("--pure")
        .current_dir(site.project())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    has(&site, "problem", &format!("process {} runs with `--pure`", pure.id()));
    drop(pure.stdin.take());
    pure.wait().unwrap();

    fs::remove_file(site.path(PLUGIN)).unwrap();
    has(&site, "problem", "our plugin was written here and is gone");
    site.ok(&["uninit"]);
    has(&site, "problem", "no hook of ours is registered here");
}
