//! Append-only logs without a chain: what journals hold, gathered in one file for whoever wants to read just that.
//!
//! Invariants: a line is one `write` under the file's lock; nothing is ever cut away or deleted, a log that has
//! grown is moved to `archive/` beside it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::{journal, lock};

/// A larger log is moved to the archive before the next line.
pub const ROTATE_BYTES: u64 = 16 * 1024 * 1024;

/// Appends `line` (without its line end) to the log at `path`, which is made with its folders (0600, 0700).
/// Parallel processes wait for each other, at most two seconds.
///
/// # Errors
/// See [`Error`]; nothing was written then.
pub fn append(path: &Path, line: &str, now_ms: i64) -> Result<(), Error> {
    append_rotating(path, line, now_ms, ROTATE_BYTES)
}

/// [`append`] with another size to rotate at, for tests.
#[doc(hidden)]
pub fn append_rotating(path: &Path, line: &str, now_ms: i64, rotate_bytes: u64) -> Result<(), Error> {
    let mut rotate_bytes = rotate_bytes;
    loop {
        let Some((mut file, length)) = lock::open(path, true)? else { continue };
        if rotate_bytes <= length {
            if archive(path, now_ms).is_err() {
                // A log that is too long is better than a line that is lost.
                rotate_bytes = u64::MAX;
            }
            continue;
        }
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if !closed(&file, length).map_err(Error::io("read", path))? {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        return journal::write_once(&mut file, path, length, &bytes);
    }
}

/// The last line has its end; a crash can cut one short.
fn closed(file: &File, length: u64) -> std::io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

/// Moves the log, whose lock is held, to `archive/<name>_<epoch seconds>.<extension>` beside it.
fn archive(path: &Path, now_ms: i64) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("")).join("archive");
    lock::create_folder(&folder)?;
    let target = free_name(&folder, path, now_ms.div_euclid(1000));
    std::fs::rename(path, &target).map_err(Error::io("move", path))
}

fn free_name(folder: &Path, path: &Path, seconds: i64) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let mut copy = 1_u32;
    loop {
        let suffix = if copy == 1 { String::new() } else { format!("_{copy}") };
        let target = folder.join(format!("{stem}_{seconds}{suffix}.{extension}"));
        // Names are made under the log's lock, so a free name stays free.
        if std::fs::symlink_metadata(&target).is_err() {
            return target;
        }
        copy += 1;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn lines_are_appended_and_a_grown_log_is_moved_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("findings/deception_log.jsonl");
        for line in ["1", "2", "3"] {
            append_rotating(&path, line, 5_000, 4).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "3\n");
        let archived = path.with_file_name("archive").join("deception_log_5.jsonl");
        assert_eq!(fs::read_to_string(archived).unwrap(), "1\n2\n");
        append_rotating(&path, "4", 5_000, 2).unwrap();
        let second = path.with_file_name("archive").join("deception_log_5_2.jsonl");
        assert_eq!(fs::read_to_string(second).unwrap(), "3\n");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_line_that_was_cut_short_stays_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        fs::write(&path, "{\"half").unwrap();
        append(&path, "{}", 0).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"half\n{}\n");
    }

    #[test]
    fn a_link_is_refused_and_its_target_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("log.jsonl"), folder.path().join("mine"));
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(append(&path, "{}", 0).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }

    #[test]
    fn a_log_that_cannot_be_moved_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        fs::write(folder.path().join("archive"), "a file in the folder's place").unwrap();
        fs::write(&path, "1\n").unwrap();
        append_rotating(&path, "2", 0, 1).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
    }
}
