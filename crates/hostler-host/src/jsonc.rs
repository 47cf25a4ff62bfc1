//! JSON with comments: positions of values, and edits that only insert or remove our own text.
