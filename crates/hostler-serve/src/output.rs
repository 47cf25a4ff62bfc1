//! The stream out: lines in the order in which they were given, written on a thread of its own, so that a client that does
//! not read holds up nobody but itself.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::sync::Notify;

/// What waits to be written.
#[derive(Clone)]
pub(crate) struct Output {
    sender: mpsc::Sender<Vec<u8>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// Bytes that wait.
    waiting: AtomicUsize,
    /// Nobody reads any more.
    broken: AtomicBool,
    /// Something was written, or cannot be.
    moved: Notify,
}

impl Output {
    /// Gives a line, without its end, to be written.
    pub(crate) fn give(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.state.waiting.fetch_add(line.len(), Ordering::SeqCst);
        if self.sender.send(line).is_err() {
            self.state.broken.store(true, Ordering::SeqCst);
        }
    }

    /// Bytes that wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.state.waiting.load(Ordering::SeqCst)
    }

    /// Nobody reads any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.state.broken.load(Ordering::SeqCst)
    }

    /// Waits until something was written, or cannot be.
    pub(crate) async fn moved(&self) {
        self.state.moved.notified().await;
    }
}

/// Writes what is given, until nobody can give any more or nobody reads.
pub(crate) fn write(mut output: impl Write + Send + 'static) -> io::Result<(Output, JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    let state = Arc::new(State::default());
    let shared = Arc::clone(&state);
    let writer = thread::Builder::new().name("output".to_owned()).spawn(move || {
        for line in receiver {
            let written = output.write_all(&line).and_then(|()| output.flush());
            shared.waiting.fetch_sub(line.len(), Ordering::SeqCst);
            if written.is_err() {
                shared.broken.store(true, Ordering::SeqCst);
            }
            shared.moved.notify_one();
            if written.is_err() {
                return;
            }
        }
    })?;
    Ok((Output { sender, state }, writer))
}
