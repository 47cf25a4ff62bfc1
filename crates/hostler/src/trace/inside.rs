//! Files of ours in the project. Their names come from its settings and may be links that were committed, so that who
//! made the repository chooses them; and a session that closes writes them without being asked.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::bail;
use hostler_ledger::file::resolve;

/// Extensions of Markdown: what a shell, a tool or a build reads as its own has others.
const MARKDOWN: &[&str] = &["md", "markdown"];

/// Where the file really lies, once its links are followed.
///
/// # Errors
/// That is outside of the project, or in its git folder. `remedy`: what to do about it.
pub(super) fn real(root: &Path, file: &Path, remedy: &str) -> anyhow::Result<PathBuf> {
    let (top, real) = (resolve(root)?, resolve(file)?);
    match real.strip_prefix(&top) {
        Err(_) => {
            let target = if real == file { String::new() } else { format!(", to `{}`", real.display()) };
            bail!("`{}` leads out of the project{target}; {remedy}", file.display())
        }
        Ok(below) if below.iter().any(|it| it.eq_ignore_ascii_case(".git")) => {
            bail!("`{}` leads into a git folder; {remedy}", file.display())
        }
        Ok(_) => Ok(real),
    }
}

/// As [`real`], of a page that is kept in the project.
///
/// # Errors
/// As [`real`], and when the file is no Markdown.
pub(super) fn page(root: &Path, file: &Path) -> anyhow::Result<PathBuf> {
    const REMEDY: &str = "set another `matrix.path` in `trace.toml`";
    let real = real(root, file, REMEDY)?;
    let is_markdown = |of: &Path| {
        let extension = of.extension().and_then(OsStr::to_str).unwrap_or_default();
        MARKDOWN.iter().any(|it| extension.eq_ignore_ascii_case(it))
    };
    if !is_markdown(&real) {
        bail!("`{}` is no Markdown file (.md, .markdown), which the page is; {REMEDY}", real.display());
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_page_is_markdown_within_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        for path in ["p/docs", "p/.git", "out"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        #[cfg(unix)]
        for (target, link) in [
            ("../out", "plans"),
            ("../../out/new.md", "docs/dangling.md"),
            ("../profile", "docs/inner.md"),
            ("missing.md", "docs/moved.md"),
            (".git", "store"),
            ("docs", "pages"),
        ] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
        }
        let outside = folder.path().join("out/rtm.md");
        let check = |path: &Path, said: Option<&str>| {
            let file = hostler_model::lexical::absolute(&root, path);
            let told = page(&root, &file).map_err(|it| it.to_string());
            match said {
                None => assert!(told.is_ok(), "{told:?}"),
                Some(said) => assert!(told.as_ref().is_err_and(|it| it.contains(said)), "{path:?}: {told:?}"),
            }
        };
        check(&outside, Some("leads out of the project"));
        for (path, said) in [
            ("docs/rtm.md", None),
            ("new/deep/RTM.MD", None),
            ("docs/../a.markdown", None),
            ("../out/rtm.md", Some("leads out of the project")),
            (".bash_profile", Some("is no Markdown")),
            ("Makefile", Some("is no Markdown")),
            ("docs/rtm.md.sh", Some("is no Markdown")),
            (".git/refs/heads/x.md", Some("into a git folder")),
            (".GIT/x.md", Some("into a git folder")),
        ] {
            check(Path::new(path), said);
        }
        #[cfg(unix)]
        for (path, said) in [
            ("plans/rtm.md", Some("leads out of the project")),
            ("docs/dangling.md", Some("leads out of the project")),
            ("docs/inner.md", Some("is no Markdown")),
            ("store/x.md", Some("into a git folder")),
            ("docs/moved.md", None),
            ("pages/rtm.md", None),
        ] {
            check(Path::new(path), said);
        }
    }
}
