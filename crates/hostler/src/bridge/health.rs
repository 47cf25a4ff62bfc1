//! Whether the servers of MCP that the host is configured with are there. Nobody waits for it, nothing depends on it: what
//! is found is a line of the host's log.
//!
//! A server on this machine that is reached by an address is asked for any answer at all. One elsewhere is not asked: that
//! the host does so is its user's choice, that we do is not. A server that is a program is looked for and not started: the
//! host starts it, and some do not bear a second one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hostler_host::opencode::read::{Server, Way};
use hostler_host::opencode::write::{Answer, Level, Log};
use hostler_model::text::shorten;

use super::out::Out;

/// How long a server may take to be reached, and to begin to answer.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(1);
const ANSWER_TIME_MAX: Duration = Duration::from_secs(2);
/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 1_024;
/// Servers that are looked at.
const SERVERS_MAX: usize = 32;
/// Characters of a name that are told.
const NAME_CHARS_MAX: usize = 40;

/// Looks at all of them beside everything else, and tells.
pub(super) fn look(servers: Vec<Server>, directory: &Path, out: &Arc<Out>) {
    for server in servers.into_iter().take(SERVERS_MAX) {
        let (out, directory) = (out.clone(), directory.to_path_buf());
        let work = move || {
            if let Some(log) = server.way.and_then(|way| told(&server.name, &way, &directory)) {
                out.write(&Answer { log: vec![log], ..Answer::default() });
            }
        };
        // Without a thread nobody is told, and nothing else is lost.
        let _ = std::thread::Builder::new().name("health".to_owned()).spawn(work);
    }
}

/// What is said of one server; `None` for one that is not looked at.
fn told(name: &str, way: &Way, directory: &Path) -> Option<Log> {
    let found = match way {
        Way::Command(words) => program(words.first()?, directory),
        Way::Address(address) => probe(address)?,
    };
    let name = shorten(name, NAME_CHARS_MAX);
    Some(match found {
        Ok(()) => Log::new(Level::Info, &format!("hostler: MCP server `{name}` is there")),
        Err(why) => Log::new(Level::Warn, &format!("hostler: MCP server `{name}` is not there: {why}")),
    })
}

/// Whether a program can be found as the host finds it.
fn program(name: &str, directory: &Path) -> Result<(), String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = if name.contains('/') {
        directory.join(name).is_file()
    } else {
        std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    if found { Ok(()) } else { Err(format!("there is no program `{}`", shorten(name, NAME_CHARS_MAX))) }
}

/// Whether something on this machine answers at an address as a server does; `None` for one elsewhere.
fn probe(address: &str) -> Option<Result<(), String>> {
    let (host, rest) = address.strip_prefix("http://").map(|rest| match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    })?;
    let with_port = if host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
        host.to_owned()
    } else {
        format!("{host}:80")
    };
    let resolved: Vec<SocketAddr> = with_port.to_socket_addrs().ok()?.collect();
    if resolved.is_empty() || !resolved.iter().all(|it| it.ip().is_loopback()) {
        return None;
    }
    let path = if rest.starts_with('/') { rest } else { "/" };
    Some(resolved.iter().map(|it| ask(*it, host, path)).reduce(Result::or).unwrap_or(Ok(())))
}

fn ask(address: SocketAddr, host: &str, path: &str) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_TIME_MAX).map_err(said)?;
    stream.set_read_timeout(Some(ANSWER_TIME_MAX)).map_err(said)?;
    stream.set_write_timeout(Some(ANSWER_TIME_MAX)).map_err(said)?;
    let clean = |text: &str| text.chars().filter(char::is_ascii_graphic).collect::<String>();
    let (host, path) = (clean(host), clean(path));
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(said)?;
    let mut first = Vec::new();
    BufReader::new(stream.take(ANSWER_BYTES_MAX)).read_until(b'\n', &mut first).map_err(said)?;
    let line = String::from_utf8_lossy(&first);
    let status =
        line.strip_prefix("HTTP/").and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u16>().ok());
    match status {
        // That it wants another method, another form or a key is an answer too.
        Some(status) if status < 500 => Ok(()),
        Some(status) => Err(format!("it answers with {status}")),
        None => Err("what answers speaks no HTTP".to_owned()),
    }
}

#[cfg(test)]
mod tests;
