//! `hostler audit key`.

use std::io::Write;

use serde_json::json;

use crate::dirs::Dirs;
use crate::exit::Exit;
use crate::output;

/// Runs the command.
pub(super) fn run(json: bool) -> anyhow::Result<Exit> {
    let dirs = Dirs::from_env()?;
    let keys = dirs.keys();
    let public = keys.open()?.public();
    if json {
        output::json::print(&json!({
            "fingerprint": public.fingerprint(),
            "key": public.hex(),
            "pem": public.pem(),
            "private": keys.private_path().display().to_string(),
            "public": keys.public_path().display().to_string(),
        }))?;
        return Ok(Exit::Ok);
    }
    let mut out = crate::output::human::stdout();
    writeln!(out, "fingerprint  {}", public.fingerprint())?;
    writeln!(out, "public key   {}", public.hex())?;
    writeln!(out, "kept in      {}", dirs.tilde(&keys.private_path()))?;
    writeln!(out, "\n{}", public.pem().trim_end())?;
    Ok(Exit::Ok)
}
