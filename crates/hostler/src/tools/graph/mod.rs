//! The graph of the code. Its engine is not part of this version; what can be said truly without it is said.

pub(crate) mod cxp_thread;
pub(crate) mod daemon_start;
pub(crate) mod daemon_status;
pub(crate) mod daemon_stop;
pub(crate) mod file_context;
pub(crate) mod find_entity;
pub(crate) mod find_file;
pub(crate) mod flush_queue;
pub(crate) mod query;
pub(crate) mod queue_status;
pub(crate) mod stats;
pub(crate) mod sync;

pub(super) use super::not_yet;
