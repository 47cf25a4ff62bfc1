//! Our entries in a Claude Code settings file: pure text edits.
