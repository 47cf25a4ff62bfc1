//! Hook payloads of Claude Code -> [`hostler_model::Event`].
