//! The effects around the audit of a turn: the evidence of a call as it is kept, a session's evidence read back from
//! its journal, what the agent said last, and the state of files that claims name.

pub(crate) mod history;
pub(crate) mod kept;
pub(crate) mod log;
pub(crate) mod look;
pub(crate) mod message;
