//! The real client, a scripted model, and our binary between them.
//!
//! Each test starts the client once or twice, about a second each. Here is tested what only the client can
//! tell: that a denial stops the tool, that the model reads our words, that its payloads are the ones we know.
//! What a rule finds is tested next to the rule.

mod claims;
mod client;
mod faults;
mod gates;
mod guards;
mod install;
mod lifecycle;
mod recall;
mod replay;
mod sessions;
mod settings;
mod skills;
mod statusline;

pub(crate) use sessions::MCP_SERVER;
use testkit::Scenario;

/// A project in which `hostler init` ran.
fn scenario(name: &str) -> Scenario {
    Scenario::new(name, env!("CARGO_BIN_EXE_hostler"), env!("CARGO_TARGET_TMPDIR"))
}
