//! `shfmt`, where the project says how shell is laid out.

use hostler_policy::checks::Gate;

use super::EXTENSIONS;
use crate::gates::tools::environment::Ecosystem;
use crate::gates::tools::layout::Layout;
use crate::gates::tools::{Effort, Fix, Purpose, Tool, Use, diff, exited, takes_all, with_paths, words};

/// Layout.
pub(in super::super) const SHFMT: Tool = Tool {
    name: "shfmt",
    gates: &[Gate::Syntax],
    extensions: EXTENSIONS,
    effort: Effort::Lint,
    purposes: &[Purpose::Review, Purpose::Fix],
    program: (&["shfmt"], Ecosystem::System),
    files_max: None,
    choose: |layout, folder, _| {
        let configured =
            layout.nearest_where(folder, &[".editorconfig"], |path| speaks_of_shell(layout, path));
        let is_theirs = configured.is_some() || layout.has_hook(folder, &["shfmt", "shfmt-docker"]);
        is_theirs.then(|| Use { folder: layout.root().to_owned(), configured, is_ours: false })
    },
    takes: takes_all,
    arguments: Some(|job| Ok(with_paths(job, &["-d"]))),
    text: Some(|_, path| {
        words(&["-d", "-filename"]).into_iter().chain([path.as_os_str().to_owned()]).collect()
    }),
    read: |_, answer| {
        let found = diff::reports(&answer.stdout, "format", "run `shfmt -w`");
        if answer.code == 0 || !found.is_empty() { Ok(found) } else { Err(exited(answer)) }
    },
    fix: Some(Fix::InPlace(|_| words(&["-w"]), &[0])),
    is_formatter: true,
    install: "install it from https://github.com/mvdan/sh",
};

/// Whether a section of the file is about shell scripts.
fn speaks_of_shell(layout: &Layout<'_>, path: &std::path::Path) -> bool {
    let is_about = |line: &str| {
        let name = line.trim().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        name.is_some_and(|it| {
            it.split(['.', ',', '{', '}', '*', '[', ']']).any(|word| EXTENSIONS.contains(&word))
        })
    };
    layout.text(path).is_some_and(|text| text.lines().any(is_about))
}
