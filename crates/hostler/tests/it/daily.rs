//! What goes along with every day's work: limits on reading, loops, notices, the status line.

mod notify;
mod reads;
mod statusline;
