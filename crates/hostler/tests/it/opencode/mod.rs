//! The real `OpenCode`, a scripted model, and our plugin and bridge between them.
//!
//! A server is started once per file of tests or so, since that takes seconds; each test in it is a session of its
//! own. What a rule finds is tested next to the rule.

mod plugin;
mod run;

use testkit::{OpenCode, Register, Scenario};

/// A project in which `hostler init --host opencode` ran.
fn scenario(name: &str) -> Scenario {
    Scenario::new(name, env!("CARGO_BIN_EXE_hostler"), env!("CARGO_TARGET_TMPDIR"))
        .register(Register::Nothing)
}

fn open(scenario: Scenario) -> Option<OpenCode> {
    let client = OpenCode::open(scenario)?;
    let text = hostler_host::opencode::plugin::v1(env!("CARGO_BIN_EXE_hostler"), env!("CARGO_PKG_VERSION"));
    client.world().write(".opencode/plugins/hostler.ts", text);
    client.seed(".opencode");
    Some(client)
}
