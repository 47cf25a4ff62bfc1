//! `cargo xtask rag million`: a tree of very many small files, and whether memory depends on how many.
//!
//! `--folder` is where the files are made; they take about 4 kB each on most systems and are removed afterwards.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::ensure;

use super::Options;
use super::contender::Contender;

/// Files of a folder.
const FOLDER_FILES: u64 = 1_000;
/// Peak memory, and how much more of it ten times the files may take.
const RSS_MB_MAX: f64 = 200.0;
const GROWTH_MAX: f64 = 2.0;

/// Runs the task: `true` when memory is bounded.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let files = options.number("--files", 1_000_000)?.max(10);
    let folder = match options.path("--folder") {
        Some(folder) => tempfile::tempdir_in(folder)?,
        None => tempfile::tempdir()?,
    };
    let tree = folder.path().join("tree");
    let ours = options.ours(folder.path())?;
    generate(&tree, 0, files / 10)?;
    let tenth = measure(&ours, &tree, files / 10)?;
    ours.forget()?;
    generate(&tree, files / 10, files)?;
    let all = measure(&ours, &tree, files)?;
    let growth = all / tenth;
    crate::tell(&format!(
        "memory {all:.0} MB (at most {RSS_MB_MAX:.0}), {growth:.2} times that of a tenth of the files (at most {GROWTH_MAX:.1})"
    ));
    Ok(all <= RSS_MB_MAX && growth <= GROWTH_MAX)
}

/// Files `from..to`, no two alike.
fn generate(tree: &Path, from: u64, to: u64) -> anyhow::Result<()> {
    let mut text = String::new();
    for at in from..to {
        let folder = tree.join(format!("part_{}", at / FOLDER_FILES));
        if at == from || at % FOLDER_FILES == 0 {
            fs::create_dir_all(&folder)?;
        }
        text.clear();
        writeln!(text, "def step_{at}(value):\n    return value * {} + offset_{}\n", at % 977, at % 7_919)?;
        fs::write(folder.join(format!("step_{at}.py")), &text)?;
    }
    Ok(())
}

/// A full index, one without changes, and a query; the highest peak of memory in MB.
fn measure(ours: &Contender, tree: &Path, files: u64) -> anyhow::Result<f64> {
    let full = ours.index(tree)?;
    ensure!(full.stdout.contains(&format!("files={files} ")), "{files} files: {}", full.stdout);
    let idle = ours.index(tree)?;
    ensure!(idle.stdout.contains("rechunked=0 "), "nothing changed: {}", idle.stdout);
    let query = ours.run(&["search", &format!("step {}", files - 1)])?;
    let mut session = ours.serve()?;
    let (hits, search_ms) = session.search(&format!("step_{}", files - 1), 8)?;
    let expected = format!("step_{}.py", files - 1);
    ensure!(hits.first().is_some_and(|it| it.path.ends_with(&expected)), "not {expected}: {hits:?}");
    let server_mb = session.rss_mb()?;
    session.close()?;
    let peak_mb = [full.rss_mb, idle.rss_mb, query.rss_mb, server_mb].into_iter().fold(0.0, f64::max);
    crate::tell(&format!(
        "{files} files: index {:.1} s, {:.0} MB; again {:.1} s, {:.0} MB; query {:.1} ms, by MCP {search_ms:.1} ms, server \
         {server_mb:.0} MB; database {:.0} MB",
        full.wall_ms / 1e3,
        full.rss_mb,
        idle.wall_ms / 1e3,
        idle.rss_mb,
        query.wall_ms,
        ours.size_mb()?,
    ));
    Ok(peak_mb)
}
