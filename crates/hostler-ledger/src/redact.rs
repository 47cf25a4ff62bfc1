//! Secrets are removed before anything is written.
