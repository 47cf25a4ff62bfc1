//! The process is killed on purpose, so that tests can show what is left of a close. Nothing in a release build:
//! `HOSTLER_FAULT` is `kill:<point>`.

/// Kills this process with the signal that nothing can catch, at the named point.
pub(super) fn kill(point: &str) {
    let asked = || std::env::var("HOSTLER_FAULT").is_ok_and(|it| it.strip_prefix("kill:") == Some(point));
    if cfg!(debug_assertions) && asked() {
        let line = format!("kill -KILL {}", std::process::id());
        let _ = std::process::Command::new("sh").args(["-c", &line]).status();
    }
}
