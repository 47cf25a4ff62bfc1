//! Words that take a statement back.

/// Words that make a state a wish, a rule or an example.
pub(super) const DOUBTS: &[&str] = &[
    "expected",
    "expects",
    "expect",
    "asserts",
    "assertion",
    "mock",
    "mocked",
    "mocks",
    "stub",
    "stubbed",
    "example",
    "previously",
    "initially",
    "originally",
    "formerly",
    "theoretically",
    "typically",
    "usually",
    "often",
    "sometimes",
    "normally",
    "until",
    "ensures",
    "guarantees",
    "yet",
    "supposedly",
    "nearly",
    "almost",
];

/// Words that make a number a limit, a setting or history.
pub(super) const LIMITS: &[&str] = &[
    "limit",
    "limits",
    "limited",
    "target",
    "targets",
    "threshold",
    "budget",
    "maximum",
    "minimum",
    "max",
    "min",
    "cap",
    "capped",
    "timeout",
    "timeouts",
    "ttl",
    "sla",
    "slo",
    "goal",
    "gate",
    "default",
    "defaults",
    "configured",
    "estimate",
    "estimated",
    "every",
    "each",
    "per",
    "interval",
    "debounce",
    "debounced",
    "delay",
    "retries",
    "sleep",
    "sleeps",
    "waits",
    "sets",
    "setting",
];

/// Words right before a number that make it a bound.
pub(super) const BOUNDS: &[&str] =
    &["least", "most", "under", "below", "over", "above", "within", "than", "exceeds", "nearly", "almost"];
/// Words right before a number that make it a rough one.
pub(super) const ROUGH: &[&str] = &["about", "around", "roughly", "approximately", "approx", "circa", "some"];
/// How far a rough number may be off.
pub(super) const ROUGH_SHARE: f64 = 0.25;
