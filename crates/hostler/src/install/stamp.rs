//! Files that `init` writes as a whole say so themselves: in a comment, with the version and a digest of everything else.
//!
//! So it can be told, on any machine and without a record, whether a file is ours, of which version, and whether somebody
//! changed it since. What somebody changed is theirs.

use hostler_ledger::journal::sha256_hex;

/// How the comment begins, after the sign that makes it one.
const WORDS: &str = "written by `hostler init` ";
/// Characters of the digest.
const DIGEST_LENGTH: usize = 16;

/// What a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Version of the binary that wrote it.
    pub(crate) version: String,
    /// Nobody changed it since.
    pub(crate) intact: bool,
}

/// Where the comment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The first line, behind `//`.
    Script,
    /// The second line, behind `#`: the first one opens the front matter.
    FrontMatter,
}

/// `text` with the comment.
pub(crate) fn stamped(text: &str, form: Form) -> String {
    let comment = |sign: &str| {
        let version = env!("CARGO_PKG_VERSION");
        format!("{sign} {WORDS}{version}, digest {}; `hostler uninit` removes it\n", digest(text))
    };
    match (form, text.split_once('\n')) {
        (Form::FrontMatter, Some((first, rest))) => format!("{first}\n{}{rest}", comment("#")),
        _ => format!("{}{text}", comment("//")),
    }
}

/// What `text` says of itself, if anything.
pub(crate) fn read(text: &str) -> Option<Stamp> {
    let line = text.split_inclusive('\n').take(2).find(|line| line.contains(WORDS))?;
    let (_, told) = line.split_once(WORDS)?;
    let (version, rest) = told.split_once(", digest ")?;
    let told = rest.get(..DIGEST_LENGTH)?;
    let without = text.replacen(line, "", 1);
    Some(Stamp { version: version.to_owned(), intact: digest(&without) == told })
}

fn digest(text: &str) -> String {
    let mut digest = sha256_hex(text.as_bytes());
    digest.truncate(DIGEST_LENGTH);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_tells_who_wrote_a_file_and_whether_it_was_changed() {
        for (text, form) in [
            ("export default 1\n", Form::Script),
            ("", Form::Script),
            ("---\ndescription: x\n---\n", Form::FrontMatter),
        ] {
            let ours = stamped(text, form);
            let intact = Some(Stamp { version: env!("CARGO_PKG_VERSION").to_owned(), intact: true });
            assert_eq!(read(&ours), intact, "{ours}");
            assert!(!read(&format!("{ours}// mine\n")).is_some_and(|it| it.intact));
            assert_eq!(read(text), None);
        }
        let lines: Vec<String> =
            stamped("---\na: b\n---\n", Form::FrontMatter).lines().map(str::to_owned).collect();
        assert!(lines[0] == "---" && lines[1].starts_with("# written by `hostler init` "), "{lines:?}");
    }
}
