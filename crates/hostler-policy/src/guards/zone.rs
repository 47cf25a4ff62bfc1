//! Where a target lies: what decides whether losing it can be made good.

use std::path::{Path, PathBuf};

use hostler_model::{Effect, EffectKind, Facts, FileKind, Needs, Place, Reach, Target};

use super::Hit;
use crate::Case;
use crate::shell::wildcard;

/// Where a target lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// The analysis could not tell.
    Unresolved,
    /// The file system's root, the home folder, the project's root, or a folder that holds one of them.
    Root,
    /// A repository's own folder.
    Git,
    /// In the project.
    Inside,
    /// In one of the system's folders for temporary files.
    Temp,
    /// Anywhere else.
    Outside,
}

/// The effects of these kinds on this machine.
pub(super) fn effects<'c>(case: &'c Case<'_>, kinds: &'c [EffectKind]) -> impl Iterator<Item = &'c Effect> {
    case.shell
        .iter()
        .flat_map(|report| &report.effects)
        .filter(move |effect| kinds.contains(&effect.kind) && effect.reach == Reach::Local)
}

/// ` in SCRIPT` for what a script does, else nothing.
pub(super) fn in_script(effect: &Effect) -> String {
    effect.script.as_ref().map(|script| format!(" in `{}`", script.display())).unwrap_or_default()
}

/// A hit for each effect of `kind`, wherever it happens.
pub(super) fn each(case: &Case<'_>, kind: EffectKind, instead: &str) -> Vec<Hit> {
    case.shell
        .iter()
        .flat_map(|report| report.of(kind))
        .map(|effect| Hit {
            problem: match effect.command.as_str() {
                "" => format!("the command line: {}", effect.why),
                command => format!("`{command}`: {}", effect.why),
            },
            instead: Some(instead.to_owned()),
            snapshot: Vec::new(),
        })
        .collect()
}

/// Asks for what [`zone`] and [`snapshot`] read of the targets of these kinds.
pub(super) fn want(case: &Case<'_>, needs: &mut Needs, kinds: &[EffectKind]) {
    for effect in effects(case, kinds) {
        for target in &effect.targets {
            if let Some(path) = &target.path {
                needs.paths.insert(path.clone());
                if target.glob {
                    needs.listings.insert(path.clone());
                }
            }
        }
    }
}

/// Where `target` lies, links in its parents followed.
pub(super) fn zone(target: &Target, place: &Place, facts: &Facts) -> Zone {
    located(target, place, facts, false)
}

/// As [`zone`], for what goes through a link at the target itself: writing does, deleting does not.
pub(super) fn zone_written(target: &Target, place: &Place, facts: &Facts) -> Zone {
    located(target, place, facts, true)
}

fn located(target: &Target, place: &Place, facts: &Facts, through: bool) -> Zone {
    let Some(path) = &target.path else { return Zone::Unresolved };
    let written = classify(target, path, place);
    let Some(fact) = facts.paths.get(path) else { return written };
    let real = if through || target.follows_link || target.glob { &fact.real } else { &fact.parent_real };
    if real == path {
        return written;
    }
    // A path that a link leads elsewhere lies where the link leads.
    classify(target, real, place)
}

fn classify(target: &Target, path: &Path, place: &Place) -> Zone {
    if target.glob && !everything(&target.pattern) {
        // The pattern's matches, not the folder itself.
        let first = target.pattern.split('/').next().unwrap_or_default();
        let anchors = [Some(&place.root), place.home.as_ref()];
        for anchor in anchors.into_iter().flatten() {
            if let Ok(below) = anchor.strip_prefix(path)
                && let Some(next) = below.iter().next().and_then(|name| name.to_str())
                && wildcard::matches(first, next)
                && !target.pattern.contains('/')
            {
                return Zone::Root;
            }
        }
        if wildcard::matches(first, ".git") && path == place.root && first.starts_with('.') {
            return Zone::Git;
        }
        return area(path, place);
    }
    let holds = |anchor: &Path| anchor.starts_with(path);
    if path == Path::new("/") || holds(&place.root) || place.home.as_deref().is_some_and(holds) {
        return Zone::Root;
    }
    area(path, place)
}

fn area(path: &Path, place: &Place) -> Zone {
    let git = [&place.git_dir, &place.git_common_dir].into_iter().flatten().any(|dir| path.starts_with(dir));
    if git || path.iter().any(|part| part == ".git") {
        return Zone::Git;
    }
    if path.starts_with(&place.root) {
        return Zone::Inside;
    }
    if place.temp.iter().any(|temp| path.starts_with(temp)) {
        return Zone::Temp;
    }
    Zone::Outside
}

/// Whether a pattern matches whatever stands in its folder.
fn everything(pattern: &str) -> bool {
    let first = pattern.split('/').next().unwrap_or_default();
    let all = !first.is_empty() && first.chars().all(|c| c == '*')
        || matches!(first, ".*" | ".[!.]*" | "..?*" | "*.*" | ".??*" | "[!.]*");
    all && pattern.trim_end_matches('/').split('/').count() == 1
}

/// What stands where the target points: the paths that a checkpoint must keep.
pub(super) fn snapshot(target: &Target, facts: &Facts) -> Vec<PathBuf> {
    let Some(path) = &target.path else { return Vec::new() };
    if !target.glob {
        return match facts.kind(path) {
            Some(FileKind::Missing) => Vec::new(),
            _ => vec![path.clone()],
        };
    }
    let mut parts = target.pattern.split('/');
    let first = parts.next().unwrap_or_default();
    // Below the first match, literal parts narrow further; the next pattern ends that.
    let rest: PathBuf = parts.take_while(|part| !part.contains(['*', '?', '['])).collect();
    match facts.listings.get(path) {
        None => vec![path.clone()],
        Some(names) => names
            .iter()
            .filter(|name| {
                first == "**"
                    || (wildcard::matches(first, name) && (!name.starts_with('.') || first.starts_with('.')))
            })
            .map(|name| path.join(name).join(&rest))
            .collect(),
    }
}

/// `target` for messages.
pub(super) fn shown(target: &Target) -> String {
    match &target.path {
        Some(path) if target.glob => format!(
            "`{}` ({}/{})",
            target.text,
            path.display().to_string().trim_end_matches('/'),
            target.pattern
        ),
        Some(path) if path.as_os_str() != target.text.as_str() => {
            format!("`{}` ({})", target.text, path.display())
        }
        _ => format!("`{}`", target.text),
    }
}
