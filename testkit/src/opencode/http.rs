//! One request per connection to a server on 127.0.0.1.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Status and body of an answer.
pub(super) fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: Option<&Value>,
    limit: Duration,
) -> anyhow::Result<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect_timeout(&address, limit)?;
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
    let status = status.with_context(|| format!("no status line: `{}`", line.trim()))?;
    let (mut length, mut chunked) = (None, false);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let header = header.to_ascii_lowercase();
        match header.split_once(':').map(|(name, value)| (name, value.trim())) {
            Some(("content-length", value)) => length = value.parse().ok(),
            Some(("transfer-encoding", "chunked")) => chunked = true,
            _ => {}
        }
    }
    let mut out = Vec::new();
    if chunked {
        loop {
            let mut size = String::new();
            ensure!(reader.read_line(&mut size)? != 0, "the answer ends in the middle");
            let size = usize::from_str_radix(size.trim(), 16).context("the size of a chunk")?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk)?;
            if size == 0 {
                break;
            }
            out.extend_from_slice(&chunk[..size]);
        }
    } else if let Some(length) = length {
        out = vec![0; length];
        reader.read_exact(&mut out)?;
    } else {
        reader.read_to_end(&mut out)?;
    }
    Ok((status, out))
}
