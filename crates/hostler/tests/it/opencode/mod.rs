//! The real `OpenCode`, a scripted model, and our plugin and bridge between them.
//!
//! A server takes seconds to start and then serves many sessions: tests of one file share theirs, each in a session or
//! a folder of its own. What a rule finds is tested next to the rule.

mod both;
mod client;
mod docs;
mod plugin;
mod run;
mod serve;

use testkit::{OpenCode, Register, Scenario};

use crate::e2e::MCP_SERVER;

/// A project without us in it.
fn bare(name: &str) -> Scenario {
    Scenario::new(name, env!("CARGO_BIN_EXE_hostler"), env!("CARGO_TARGET_TMPDIR"))
        .register(Register::Nothing)
}

/// A project in which `hostler init --host opencode` ran.
fn scenario(name: &str) -> Scenario {
    bare(name).register(Register::Init(vec!["--host".into(), "opencode".into()]))
}

fn open(scenario: Scenario) -> Option<OpenCode> {
    OpenCode::open(scenario)
}
