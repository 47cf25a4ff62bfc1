//! A look into one file: has it changed, and is it a text?

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use super::walk::{FILE_BYTES_MAX, is_foreign_extension, mtime_ns};

/// A file that changed so shortly before it was read may change again without another time: clocks of file systems tick
/// as slowly as every two seconds.
const UNSETTLED: Duration = Duration::from_secs(2);
/// Bytes that are read at once of a file that is most likely no text.
const HEAD_BYTES: usize = 8 * 1024;

/// Why a file that was read is not in the index; kept there, so that it is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// It has a zero byte.
    Binary = 1,
    /// Its extension is one of those that are left out.
    Extension = 2,
    /// A fault of ours kept it from being cut into chunks.
    Fault = 3,
}

/// Size and time of a file when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// In bytes.
    pub(super) size: u64,
    /// Nanoseconds since 1970; 0 where the file may still change within this time.
    pub(super) mtime_ns: i64,
}

/// What a look came to.
#[derive(Debug)]
pub(super) enum Looked {
    /// Its content is the one that is known.
    Same(Stamp),
    /// A text, with its hash.
    Text(Stamp, [u8; 32], String),
    /// Not to be indexed.
    Skipped(Stamp, Cause),
    /// It is not there, is no file any more, or has grown too long.
    Gone,
}

/// Reads `file`. `path`: its path in the index; `known`: the hash that the index has of it.
///
/// # Errors
/// It is there and cannot be read.
pub(super) fn look(file: &Path, path: &str, known: Option<&[u8; 32]>) -> std::io::Result<Looked> {
    let meta = match file.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.len() <= FILE_BYTES_MAX => meta,
        Ok(_) => return Ok(Looked::Gone),
        Err(error) if is_gone(&error) => return Ok(Looked::Gone),
        Err(error) => return Err(error),
    };
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if is_gone(&error) => return Ok(Looked::Gone),
        Err(error) => return Err(error),
    };
    let foreign = is_foreign_extension(path);
    let mut bytes =
        Vec::with_capacity(if foreign { 0 } else { usize::try_from(meta.len()).unwrap_or(0) + 1 });
    let mut limited = opened.take(FILE_BYTES_MAX + 1);
    if foreign {
        (&mut limited).take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    }
    if !is_binary(&bytes) {
        limited.read_to_end(&mut bytes)?;
    }
    let opened = limited.into_inner();
    let stamp = stamp(&opened.metadata()?);
    if FILE_BYTES_MAX < bytes.len() as u64 {
        return Ok(Looked::Gone);
    }
    if is_binary(&bytes) {
        return Ok(Looked::Skipped(stamp, Cause::Binary));
    }
    if foreign {
        return Ok(Looked::Skipped(stamp, Cause::Extension));
    }
    let hash: [u8; 32] = Sha256::digest(&bytes).into();
    if known == Some(&hash) {
        return Ok(Looked::Same(stamp));
    }
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Looked::Text(stamp, hash, text))
}

fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

fn is_gone(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn stamp(meta: &std::fs::Metadata) -> Stamp {
    let settled = meta.modified().is_ok_and(|time| {
        // A time to come says nothing either.
        SystemTime::now().duration_since(time).is_ok_and(|age| UNSETTLED < age)
    });
    Stamp { size: meta.len(), mtime_ns: if settled { mtime_ns(meta) } else { 0 } }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(name: &str, bytes: &[u8], expected: Option<Cause>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let cause = match look(&file, name, None).unwrap() {
            Looked::Text(stamp, _, text) => {
                assert_eq!(stamp.size, bytes.len() as u64);
                assert_eq!(text, String::from_utf8_lossy(bytes));
                None
            }
            Looked::Skipped(_, cause) => Some(cause),
            other => panic!("{other:?}"),
        };
        assert_eq!(cause, expected, "{name}");
    }

    // @traces RAG-003
    #[test]
    fn a_zero_byte_anywhere_makes_a_file_binary_before_its_extension_counts() {
        check("a.rs", b"fn main() {}", None);
        check("a.rs", b"", None);
        check("latin.txt", b"caf\xe9", None);
        check("a.rs", b"fn main() {}\0", Some(Cause::Binary));
        check("data.bin", b"\0", Some(Cause::Binary));
        check("data.bin", b"text", Some(Cause::Extension));
        let mut late = vec![b'x'; 100_000];
        late.push(0);
        check("data.bin", &late, Some(Cause::Binary));
        check("x.txt", &late, Some(Cause::Binary));
    }

    #[test]
    fn a_file_that_may_still_change_has_no_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "text").unwrap();
        let Looked::Text(stamp, hash, _) = look(&file, "a", None).unwrap() else { panic!() };
        assert_eq!(stamp, Stamp { size: 4, mtime_ns: 0 });
        let old = SystemTime::now() - Duration::from_secs(60);
        File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
        let Looked::Same(stamp) = look(&file, "a", Some(&hash)).unwrap() else { panic!() };
        assert_eq!(stamp.mtime_ns, mtime_ns(&file.metadata().unwrap()));
    }

    #[test]
    fn what_is_no_file_any_more_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "text").unwrap();
        for path in ["missing", ".", "file/below"] {
            assert!(matches!(look(&folder.path().join(path), path, None).unwrap(), Looked::Gone), "{path}");
        }
    }
}
