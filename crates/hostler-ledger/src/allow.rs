//! One-time exceptions that a human grants: `hostler allow-once`.
