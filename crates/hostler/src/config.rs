//! Configuration: `.hostler/config.toml` in the project over the user's, over defaults.
