//! Faults on purpose, so that tests can show what a fault of ours does. Nothing in a release build:
//! `HOSTLER_FAULT` is `panic:hook`, `panic:analysis`, `panic:evidence`, `panic:audit`, `panic:session`, `panic:gate`, `panic:<rule>`,
//! `slow:<milliseconds>`, `slow-analysis:<milliseconds>`, `slow-audit:<milliseconds>` or `slow-gate:<milliseconds>`.

/// The rule that fails.
pub(super) fn rule() -> Option<String> {
    injected("panic:").filter(|rule| rule != "hook")
}

/// Fails outside of deciding.
pub(super) fn hook() {
    assert!(injected("panic:").is_none_or(|what| what != "hook"), "injected");
}

/// Fails in deciding, outside every rule.
pub(super) fn analysis() {
    assert!(injected("panic:").is_none_or(|what| what != "analysis"), "injected");
}

/// Fails in reading what a call proves.
pub(super) fn evidence() {
    assert!(injected("panic:").is_none_or(|what| what != "evidence"), "injected");
}

/// Fails in the audit of a turn.
pub(super) fn audit() {
    assert!(injected("panic:").is_none_or(|what| what != "audit"), "injected");
}

/// Fails in the look at what a session changed, or takes its time.
pub(super) fn gate() {
    assert!(injected("panic:").is_none_or(|what| what != "gate"), "injected");
    slow("slow-gate:");
}

/// Fails in what concerns the record of sessions.
pub(super) fn session() {
    assert!(injected("panic:").is_none_or(|what| what != "session"), "injected");
}

/// Takes its time where `what` says.
pub(super) fn slow(what: &str) {
    if let Some(ms) = injected(what).and_then(|ms| ms.parse().ok()) {
        std::thread::sleep(std::time::Duration::from_millis(ms));
    }
}

fn injected(prefix: &str) -> Option<String> {
    if !cfg!(debug_assertions) {
        return None;
    }
    std::env::var("HOSTLER_FAULT").ok()?.strip_prefix(prefix).map(str::to_owned)
}
