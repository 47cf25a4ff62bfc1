//! Snapshots of paths as git objects, or as copies outside git.
