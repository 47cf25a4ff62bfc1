//! A notice on the desktop: `org.freedesktop.Notifications.Notify` on the session's bus.
//!
//! One call with four plain arguments needs no D-Bus library, and those that there are bring a runtime along. What is
//! written here is the client side of one connection: the address, the handshake, three calls.

mod bus;
mod wire;

use std::time::Duration;

use self::bus::{Bus, Call};
use self::wire::Writer;

/// The whole call, a notification service that has to be started first included.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Longest title and text, in characters: a notice is read at a glance, and some services draw all they get.
const TITLE_CHARS_MAX: usize = 200;
const TEXT_CHARS_MAX: usize = 4_000;

const SERVICE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// How much a notice insists. A full-screen window that has the focus hides all but critical ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// May be missed.
    Low,
    /// As any other notice.
    Normal,
    /// Stays until somebody has seen it.
    Critical,
}

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notice<'a> {
    /// One line.
    pub(crate) title: &'a str,
    /// The text below it.
    pub(crate) text: &'a str,
    /// How much it insists.
    pub(crate) urgency: Urgency,
}

/// Why a notice was not shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Nothing says where the bus is.
    #[error(
        "there is no session bus: neither `DBUS_SESSION_BUS_ADDRESS` nor `$XDG_RUNTIME_DIR/bus` names one"
    )]
    NoBus,
    /// An address without a transport that this build knows.
    #[error("the session bus is at `{0}`, and only `unix:` addresses are read")]
    Address(String),
    /// It could not be reached, or the connection broke.
    #[error("the session bus at `{address}` {what}: {source}")]
    Io {
        /// Where the bus is.
        address: String,
        /// What failed.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// It speaks something else.
    #[error("the session bus at `{address}` answers with something that is no D-Bus: {what}")]
    Protocol {
        /// Where the bus is.
        address: String,
        /// What is wrong with it.
        what: String,
    },
    /// The bus or the service refused.
    #[error("nobody shows notices here: {name}: {text}")]
    Refused {
        /// The error's name on the bus.
        name: String,
        /// What it says.
        text: String,
    },
}

/// Shows a notice and returns the number that the service gave it.
///
/// # Errors
/// See [`Error`]. Nobody was told then.
pub(crate) fn show(notice: &Notice<'_>) -> Result<u32, Error> {
    let mut bus = Bus::session(TIME_MAX)?;
    bus.call(&Call {
        service: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "Hello",
        signature: "",
        body: Writer::new(),
    })?;
    let capabilities = bus.call(&Call {
        service: SERVICE,
        path: PATH,
        interface: SERVICE,
        member: "GetCapabilities",
        signature: "",
        body: Writer::new(),
    })?;
    // A service that reads markup would take `a < b` for some.
    let text = shortened(notice.text, TEXT_CHARS_MAX);
    let marked_up = capabilities.strings().is_some_and(|all| all.iter().any(|it| it == "body-markup"));
    let text = if marked_up { escaped(&text) } else { text };
    let answer = bus.call(&Call {
        service: SERVICE,
        path: PATH,
        interface: SERVICE,
        member: "Notify",
        signature: "susssasa{sv}i",
        body: body(notice, &text),
    })?;
    answer.number().ok_or_else(|| bus.nonsense("the answer to `Notify` holds no number"))
}

fn body(notice: &Notice<'_>, text: &str) -> Writer {
    let mut body = Writer::new();
    body.string("hostler");
    // Replaces no other notice, and has no icon of its own.
    body.number(0);
    body.string("");
    body.string(&shortened(notice.title, TITLE_CHARS_MAX));
    body.string(text);
    // No buttons.
    body.array(4, |_| {});
    body.array(8, |hints| {
        hints.align(8);
        hints.string("urgency");
        hints.signature("y");
        hints.byte(match notice.urgency {
            Urgency::Low => 0,
            Urgency::Normal => 1,
            Urgency::Critical => 2,
        });
    });
    // The service decides how long it stays.
    body.number(u32::MAX);
    body
}

/// At most `chars_max` characters, without the zero that no D-Bus string may hold.
fn shortened(text: &str, chars_max: usize) -> String {
    hostler_model::text::shorten(&text.replace('\0', ""), chars_max)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
