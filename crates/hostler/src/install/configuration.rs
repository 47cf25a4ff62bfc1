//! `config.toml`: created with a profile, or its profile changed in the text.

use std::ops::Range;
use std::path::Path;

use anyhow::Context;
use hostler_model::Profile;
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
struct Known {
    profile: Option<Spanned<String>>,
}

/// The text of a new file.
pub(crate) fn new(profile: Profile) -> String {
    format!(
        "version = 1\n# observe: record only. standard: daily work. strict: deny more.\nprofile = \"{}\"\n",
        profile.name()
    )
}

/// `text` with another profile; every other byte stays.
///
/// # Errors
/// `text` is no TOML, or `profile` is no string.
pub(crate) fn with_profile(path: &Path, text: &str, profile: Profile) -> anyhow::Result<String> {
    let (bom, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let parse = |text: &str| {
        toml::from_str::<Known>(text)
            .with_context(|| format!("`{}` cannot be read; repair it first", path.display()))
    };
    let line = format!("profile = \"{}\"", profile.name());
    let eol = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let edited = match parse(body)?.profile {
        Some(found) if found.get_ref() == profile.name() => return Ok(text.to_owned()),
        Some(found) => {
            let Range { start, end } = found.span();
            format!("{}\"{}\"{}", &body[..start], profile.name(), &body[end..])
        }
        // Before the first table: later it would belong to one.
        None => format!("{line}{eol}{body}"),
    };
    let read_back = parse(&edited)?.profile.is_some_and(|it| it.get_ref() == profile.name());
    anyhow::ensure!(read_back, "`{}`: set `{line}` by hand", path.display());
    Ok(format!("{bom}{edited}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let edited = with_profile(Path::new("config.toml"), text, Profile::Strict).unwrap();
        assert_eq!(edited, expected);
        assert_eq!(with_profile(Path::new("config.toml"), &edited, Profile::Strict).unwrap(), edited);
    }

    #[test]
    fn only_the_profile_changes() {
        check("version = 1\nprofile = \"standard\" # why\n", "version = 1\nprofile = \"strict\" # why\n");
        check("profile='observe'\r\n[rules]\r\n", "profile=\"strict\"\r\n[rules]\r\n");
        check("[rules]\r\ndelete = \"off\"", "profile = \"strict\"\r\n[rules]\r\ndelete = \"off\"");
        check("", "profile = \"strict\"\n");
        check("\u{feff}version = 1\n", "\u{feff}profile = \"strict\"\nversion = 1\n");
    }

    #[test]
    fn a_broken_file_is_refused() {
        for text in ["profile = ", "profile = 3\n", "a = 1\na = 2\n"] {
            assert!(with_profile(Path::new("config.toml"), text, Profile::Strict).is_err(), "{text:?}");
        }
    }
}
