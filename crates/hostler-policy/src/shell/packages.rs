//! Package managers.

use hostler_model::EffectKind;

use super::args::Args;
use super::machine::{Machine, State, Stream};
use super::run::Call;

pub(super) fn run(machine: &mut Machine<'_>, call: &Call<'_>, state: &mut State) -> Option<Stream> {
    let name = call.name;
    let pip = name == "pip"
        || name == "pipx"
        || (name.starts_with("pip") && name[3..].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    if pip || name == "pip-sync" || name == "easy_install" {
        let verb = call
            .args
            .iter()
            .filter_map(super::word::Field::known)
            .find(|word| !word.starts_with('-'))
            .unwrap_or_default();
        let changes = matches!(
            verb.as_str(),
            "install" | "uninstall" | "sync" | "download" | "wheel" | "inject" | "upgrade"
        ) || matches!(name, "pip-sync" | "easy_install");
        if changes && name != "pipx" {
            machine.emit(
                EffectKind::PackageInstall,
                Vec::new(),
                call.render(),
                format!("`{name}` changes Python packages past uv"),
                state,
            );
        }
        return Some(Stream::opaque(format!("output of `{name}`"), false));
    }
    // `npm unpublish` and its kin cannot be taken back.
    let verb = Args::parse(call.args, "").operand(0).unwrap_or_default();
    let published = matches!(
        (name, verb.as_str()),
        ("npm" | "pnpm" | "yarn", "unpublish" | "deprecate") | ("cargo" | "gem", "yank")
    );
    if published {
        machine.emit(
            EffectKind::Infrastructure,
            Vec::new(),
            call.render(),
            format!("`{name} {verb}` takes a published package away"),
            state,
        );
        return Some(Stream::NOTHING);
    }
    None
}
