//! The plugins: `TypeScript` that an installer writes into the client's folders.
//!
//! Each flavour is one text made of two: what both share, and what the client's plugin interface asks for. Their
//! hooks decide nothing; they carry lines to and from the bridge.

/// What both flavours share.
const CORE: &str = include_str!("core.ts");
/// Stands where the program's absolute path belongs.
const BINARY: &str = "\"@HOSTLER_BINARY@\"";
/// Stands where the program's version belongs.
const VERSION: &str = "\"@HOSTLER_VERSION@\"";

/// The plugin for `OpenCode` 1, to be written as one file such as `.opencode/plugins/hostler.ts`.
///
/// `binary` is the absolute path of the program that it starts, `version` that program's version.
pub fn v1(binary: &str, version: &str) -> String {
    assembled(include_str!("v1.ts"), binary, version)
}

/// The plugin for `OpenCode` 2, to be written as the `index.ts` of a folder such as `.opencode/plugins/hostler`.
///
/// The arguments are those of [`v1`].
pub fn v2(binary: &str, version: &str) -> String {
    assembled(include_str!("v2.ts"), binary, version)
}

fn assembled(flavour: &str, binary: &str, version: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let core = CORE.replacen(VERSION, &quoted(version), 1).replacen(BINARY, &quoted(binary), 1);
    core + flavour
}

#[cfg(test)]
mod tests;
