//! What `init` wrote, as the real clients see it. No model is asked.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Site, output};

/// Nothing listens there: what wants to reach the network fails at once.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A site in which the client is on `PATH` and reaches nothing.
fn with_opencode(client: &Path) -> Site {
    let mut site = Site::new();
    let folder = site.path("~/client");
    fs::create_dir_all(&folder).unwrap();
    symlink(client, folder.join("opencode")).unwrap();
    let path = format!("{}:{}", folder.display(), site.variables["PATH"]);
    site.variables.insert("PATH", path);
    for (name, value) in [
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("HTTP_PROXY", NOWHERE),
        ("HTTPS_PROXY", NOWHERE),
        ("npm_config_registry", NOWHERE),
    ] {
        site.variables.insert(name, value.to_owned());
    }
    site
}

#[test]
fn opencode_loads_the_plugin_agents_and_command_and_installs_nothing() {
    let test = "opencode_loads_the_plugin_agents_and_command_and_installs_nothing";
    let Some(client) = testkit::opencode::find_or_skip(test) else { return };
    let site = with_opencode(client);
    let said: Value = serde_json::from_str(&site.ok(&["init", "--agents", "--json"])).unwrap();
    assert_eq!(said["hosts"][0]["version"], 1, "{said}");

    let mut command = Command::new(site.path("~/client/opencode"));
    command.args(["debug", "config"]).current_dir(site.project()).env_clear().env("HOME", site.home());
    let said = output(command.envs(&site.variables).stdin(Stdio::null()));
    assert_eq!(said.code, Some(0), "{said:?}");
    let config: Value = serde_json::from_str(&said.stdout).unwrap();
    let plugin = config["plugin"].to_string();
    assert!(plugin.contains(".opencode/plugins/hostler.ts"), "{plugin}");
    for name in ["auto-kg-context", "kg-context-agent"] {
        let agent = &config["agent"][name];
        assert_eq!(agent["mode"], "subagent", "{agent}");
        assert_eq!(
            (&agent["permission"]["edit"], &agent["permission"]["bash"]),
            (&"deny".into(), &"deny".into())
        );
        assert!(!agent["prompt"].as_str().unwrap().contains("hostler init"), "the stamp is no instruction");
    }
    assert!(config["command"]["query-kg"]["template"].as_str().unwrap().contains("$ARGUMENTS"));
    assert_eq!(config["mcp"]["hostler"]["enabled"], false);
    for folder in [".opencode", "~/.config/opencode"] {
        let modules = site.path(folder).join("node_modules");
        assert_eq!(fs::read_dir(&modules).unwrap().count(), 0, "{folder}: a package was installed");
        assert!(!site.path(folder).join("package.json").exists(), "{folder}: the package manager ran");
    }

    let doctor = site.run(&["doctor", "--start"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    assert!(doctor.stdout.contains("ok      OpenCode: loaded the plugin "), "{doctor:?}");
    assert!(doctor.stdout.contains("the bridge denied a canary after"), "{doctor:?}");
    assert!(!doctor.stdout.contains("installs packages"), "{doctor:?}");

    // Without plugins nothing greets, and that is found.
    let mut pure = site.command(&["doctor", "--start"]);
    let pure = output(pure.env("OPENCODE_PURE", "1"));
    assert_eq!(pure.code, Some(1));
    assert!(
        pure.stdout.contains("OpenCode was started, and the plugin did not greet: it is not loaded"),
        "{pure:?}"
    );

    site.ok(&["uninit"]);
    assert!(!site.path(".opencode").exists() && !site.path(".hostler").exists());
}

#[test]
fn claude_code_has_the_agents_and_the_command() {
    let Some(client) = testkit::client::find_or_skip("claude_code_has_the_agents_and_the_command") else {
        return;
    };
    let site = Site::new();
    site.ok(&["init", "--host", "claude", "--agents"]);
    let mut command = Command::new(client);
    command
        .args(["-p", "hello", "--output-format", "stream-json", "--verbose"])
        .current_dir(site.project())
        .env_clear()
        .envs(&site.variables)
        .env("HOME", site.home())
        .env("ANTHROPIC_BASE_URL", NOWHERE)
        .env("ANTHROPIC_API_KEY", "none")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // It says what it has before it asks a model.
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let messages = lines.map_while(Result::ok).filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let init = messages.into_iter().find(|it| it["subtype"] == "init");
    // It may have ended by itself in the meantime.
    let _ = child.kill();
    child.wait().unwrap();
    let init = init.unwrap();
    let has = |list: &str, name: &str| init[list].as_array().unwrap().iter().any(|it| it == name);
    for name in ["auto-kg-context", "kg-context-agent"] {
        assert!(has("agents", name), "{init}");
    }
    assert!(has("slash_commands", "query-kg"), "{init}");
}
