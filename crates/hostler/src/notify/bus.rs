//! One connection to the session's bus: where it is, the handshake, calls and their answers.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::Error;
use super::wire::{Reader, Writer, length};

/// Longest message that is read: answers to our calls are some hundred bytes.
const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Longest line of the handshake.
const LINE_BYTES_MAX: usize = 1_024;

const METHOD_CALL: u8 = 1;
const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;

/// A method call.
pub(super) struct Call<'a> {
    pub(super) service: &'a str,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) member: &'a str,
    pub(super) signature: &'a str,
    pub(super) body: Writer,
}

/// The body of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    bytes: Vec<u8>,
    big_endian: bool,
    signature: String,
}

impl Answer {
    fn reader(&self) -> Reader<'_> {
        Reader::new(&self.bytes, self.big_endian)
    }

    /// The first value, a number.
    pub(super) fn number(&self) -> Option<u32> {
        if self.signature.starts_with('u') { self.reader().number() } else { None }
    }

    /// The first value, a list of texts.
    pub(super) fn strings(&self) -> Option<Vec<String>> {
        if !self.signature.starts_with("as") {
            return None;
        }
        let mut reader = self.reader();
        let end = reader.array(4)?;
        let mut out = Vec::new();
        while reader.at() < end {
            out.push(reader.string()?);
        }
        Some(out)
    }

    fn text(&self) -> String {
        let text = if self.signature.starts_with('s') { self.reader().string() } else { None };
        text.unwrap_or_default()
    }
}

/// An open connection.
pub(super) struct Bus {
    stream: UnixStream,
    address: String,
    deadline: Instant,
    serial: u32,
}

impl Bus {
    /// Connects to the session's bus; everything that follows is done in `time_max`.
    pub(super) fn session(time_max: Duration) -> Result<Self, Error> {
        let deadline = Instant::now() + time_max;
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let runtime = || {
            let socket = variable("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("bus"));
            let socket = socket.filter(|socket| socket.exists());
            socket.map(|socket| format!("unix:path={}", escaped(&socket.display().to_string())))
        };
        let addresses = variable("DBUS_SESSION_BUS_ADDRESS").or_else(runtime).ok_or(Error::NoBus)?;
        let mut failure = Error::Address(addresses.clone());
        for address in addresses.split(';').filter(|it| !it.is_empty()) {
            let Some(transport) = Transport::of(address) else { continue };
            match transport.connect_within(deadline.saturating_duration_since(Instant::now())) {
                Ok(stream) => {
                    let mut bus = Self { stream, address: address.to_owned(), deadline, serial: 0 };
                    bus.authenticate()?;
                    return Ok(bus);
                }
                Err(source) => {
                    failure = Error::Io { address: address.to_owned(), what: "cannot be reached", source };
                }
            }
        }
        Err(failure)
    }

    /// The bus takes who we are from the socket; nothing but that is sent.
    fn authenticate(&mut self) -> Result<(), Error> {
        self.send(b"\0AUTH EXTERNAL\r\n")?;
        let mut line = self.line()?;
        if line.starts_with("DATA") {
            self.send(b"DATA\r\n")?;
            line = self.line()?;
        }
        if !line.starts_with("OK") {
            return Err(self.nonsense(&format!("`{line}` in the handshake")));
        }
        self.send(b"BEGIN\r\n")
    }

    /// Calls, and waits for the answer; signals in between are passed over.
    pub(super) fn call(&mut self, call: &Call<'_>) -> Result<Answer, Error> {
        self.serial += 1;
        let serial = self.serial;
        self.send(message(call, serial).bytes())?;
        loop {
            let Message { kind, answers, error, answer } = self.message()?;
            if answers != Some(serial) {
                continue;
            }
            return match kind {
                METHOD_RETURN => Ok(answer),
                ERROR => Err(Error::Refused { name: error, text: answer.text() }),
                other => Err(self.nonsense(&format!("an answer of the type {other}"))),
            };
        }
    }

    pub(super) fn nonsense(&self, what: &str) -> Error {
        Error::Protocol { address: self.address.clone(), what: what.to_owned() }
    }

    fn failed(&self, what: &'static str, source: std::io::Error) -> Error {
        // A read that is cut off by its time-out says so in words that nobody understands.
        let is_late = matches!(source.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        let source = if is_late { late() } else { source };
        Error::Io { address: self.address.clone(), what, source }
    }

    /// Time that is left, never zero: that would mean to wait for ever.
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let limit = Some(self.left());
        let sent = self.stream.set_write_timeout(limit).and_then(|()| self.stream.write_all(bytes));
        sent.map_err(|error| self.failed("cannot be written to", error))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<(), Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            // One that never stops sending would keep every single read in time.
            if self.deadline <= Instant::now() {
                return Err(self.failed("does not answer", late()));
            }
            let limit = Some(self.left());
            let read =
                self.stream.set_read_timeout(limit).and_then(|()| self.stream.read(&mut buffer[filled..]));
            match read {
                Ok(0) => {
                    let closed = std::io::Error::new(ErrorKind::UnexpectedEof, "it closed the connection");
                    return Err(self.failed("broke off", closed));
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed("does not answer", error)),
            }
        }
        Ok(())
    }

    fn line(&mut self) -> Result<String, Error> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            if LINE_BYTES_MAX < line.len() {
                return Err(self.nonsense("a line without an end in the handshake"));
            }
            let mut byte = [0];
            self.receive(&mut byte)?;
            line.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    fn message(&mut self) -> Result<Message, Error> {
        let mut head = [0; 16];
        self.receive(&mut head)?;
        let big_endian = head[0] == b'B';
        if !big_endian && head[0] != b'l' {
            return Err(self.nonsense("a message without a byte order"));
        }
        let mut reader = Reader::new(&head[4..], big_endian);
        let size = |number: Option<u32>| number.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
        let body = size(reader.number());
        let _serial = reader.number();
        let fields = size(reader.number());
        let total = fields.checked_next_multiple_of(8).and_then(|it| it.checked_add(body));
        let Some(total) = total.filter(|total| *total <= MESSAGE_BYTES_MAX) else {
            return Err(self.nonsense("a message of an impossible length"));
        };
        let mut rest = vec![0; total];
        self.receive(&mut rest)?;
        let bytes = rest.split_off(total - body);
        let fields = Fields::read(&rest[..fields], big_endian);
        let Fields { answers, error, signature } =
            fields.ok_or_else(|| self.nonsense("a message whose header cannot be read"))?;
        Ok(Message { kind: head[1], answers, error, answer: Answer { bytes, big_endian, signature } })
    }
}

struct Message {
    kind: u8,
    /// The serial of the call that it answers.
    answers: Option<u32>,
    /// The name of the error that it is.
    error: String,
    answer: Answer,
}

#[derive(Default)]
struct Fields {
    answers: Option<u32>,
    error: String,
    signature: String,
}

impl Fields {
    fn read(bytes: &[u8], big_endian: bool) -> Option<Self> {
        let mut reader = Reader::new(bytes, big_endian);
        let mut fields = Self::default();
        while reader.at() < bytes.len() {
            reader.align(8);
            let code = reader.byte()?;
            match (code, reader.signature()?.as_str()) {
                (5, "u") => fields.answers = Some(reader.number()?),
                (4, "s") => fields.error = reader.string()?,
                (8, "g") => fields.signature = reader.signature()?,
                (_, "u") => drop(reader.number()?),
                (_, "s" | "o") => drop(reader.string()?),
                (_, "g") => drop(reader.signature()?),
                _ => return None,
            }
        }
        Some(fields)
    }
}

/// A whole method call.
fn message(call: &Call<'_>, serial: u32) -> Writer {
    let mut out = Writer::new();
    out.raw(&[b'l', METHOD_CALL, 0, 1]);
    out.number(length(call.body.bytes().len()));
    out.number(serial);
    out.array(8, |fields| {
        for (code, signature, value) in [
            (1, "o", call.path),
            (2, "s", call.interface),
            (3, "s", call.member),
            (6, "s", call.service),
            (8, "g", call.signature),
        ] {
            if value.is_empty() {
                continue;
            }
            fields.align(8);
            fields.byte(code);
            fields.signature(signature);
            if signature == "g" { fields.signature(value) } else { fields.string(value) }
        }
    });
    out.align(8);
    out.raw(call.body.bytes());
    out
}

/// How a bus is reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// A socket in the file system.
    Path(PathBuf),
    /// A socket with a name that is no file.
    Abstract(Vec<u8>),
}

impl Transport {
    /// Reads one address: `unix:path=/run/user/1000/bus,guid=…`.
    pub(super) fn of(address: &str) -> Option<Self> {
        let pairs: Vec<(&str, Vec<u8>)> = address
            .strip_prefix("unix:")?
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key, unescaped(value)))
            .collect();
        let value = |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
        let path = |bytes: Vec<u8>| PathBuf::from(String::from_utf8_lossy(&bytes).into_owned());
        value("path").map(path).map(Self::Path).or_else(|| value("abstract").map(Self::Abstract))
    }

    /// Connects. A listener that accepts nobody makes the call wait for ever, so that it is made beside us.
    fn connect_within(self, time_max: Duration) -> std::io::Result<UnixStream> {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::Builder::new().spawn(move || sender.send(self.connect()))?;
        receiver.recv_timeout(time_max).unwrap_or_else(|_| Err(late()))
    }

    fn connect(&self) -> std::io::Result<UnixStream> {
        match self {
            Self::Path(path) => UnixStream::connect(path),
            #[cfg(target_os = "linux")]
            Self::Abstract(name) => {
                use std::os::linux::net::SocketAddrExt;
                let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
                UnixStream::connect_addr(&address)
            }
            #[cfg(not(target_os = "linux"))]
            Self::Abstract(_) => Err(ErrorKind::Unsupported.into()),
        }
    }
}

fn late() -> std::io::Error {
    std::io::Error::new(ErrorKind::TimedOut, "no answer in time")
}

/// A path as an address spells it: what ends a value there is no part of one.
fn escaped(path: &str) -> String {
    path.replace('%', "%25").replace(',', "%2c").replace(';', "%3b").replace('=', "%3d")
}

/// `%2f` is a slash.
fn unescaped(value: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|it| u8::try_from(it).ok());
        let mut ahead = bytes.clone();
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push(high * 16 + low);
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    out
}
