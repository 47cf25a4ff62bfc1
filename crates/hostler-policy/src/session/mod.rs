//! Sessions of work: what opens and closes one, and what is shown of it.

pub mod achievement;
pub mod changelog;
pub mod closing;
pub mod display;
pub mod phrase;
pub mod purpose;
pub mod start;
