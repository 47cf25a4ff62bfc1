//! Our answer -> the one JSON document that Claude Code reads.
