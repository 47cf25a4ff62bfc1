#![expect(clippy::unwrap_used, reason = "tests")]

use std::net::TcpListener;

use super::*;

/// A server that gives this one answer, and what is said of it.
fn of(answer: &'static str) -> Option<Log> {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mcp", server.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut request = [0; 512];
        let length = stream.read(&mut request).unwrap();
        assert!(request[..length].starts_with(b"GET /mcp HTTP/1.1\r\n"));
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let log = told("document-reader", &Way::Address(address), Path::new("/"));
    serving.join().unwrap();
    log
}

#[track_caller]
fn check(log: Option<Log>, level: Level, part: &str) {
    let log = log.unwrap();
    assert!(log.level == level && log.message.contains(part), "{log:?}");
}

// @traces 021-TEST-UNIT-043 021-TEST-UNIT-044
#[test]
fn a_server_that_answers_is_there_whatever_it_answers() {
    for answer in
        ["HTTP/1.1 200 OK\r\n\r\nok", "HTTP/1.0 200\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n\r\n"]
    {
        check(of(answer), Level::Info, "`document-reader` is there");
    }
}

// @traces 021-TEST-UNIT-045 021-TEST-UNIT-046
#[test]
fn a_server_that_is_down_or_speaks_otherwise_is_not_there() {
    check(of("HTTP/1.1 503 Service Unavailable\r\n\r\n"), Level::Warn, "it answers with 503");
    check(of("SSH-2.0-OpenSSH_9.6\r\n"), Level::Warn, "speaks no HTTP");
    check(of(""), Level::Warn, "speaks no HTTP");
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    check(told("document-writer", &Way::Address(address), Path::new("/")), Level::Warn, "is not there");
}

#[test]
fn a_server_elsewhere_is_not_asked_and_a_program_is_not_started() {
    for address in ["https://mcp.example.invalid/", "http://203.0.113.7:3456/", "unix:/run/x", "http://"] {
        assert_eq!(told("x", &Way::Address(address.into()), Path::new("/")), None, "{address}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("server"), "not a program").unwrap();
    let command = |name: &str| Way::Command(vec![name.into(), "serve".into()]);
    check(told("x", &command("./server"), folder.path()), Level::Info, "is there");
    check(told("x", &command("./none"), folder.path()), Level::Warn, "no program `./none`");
    check(told("x", &command("no-such-program-of-ours"), folder.path()), Level::Warn, "no program");
    assert_eq!(told("x", &Way::Command(Vec::new()), folder.path()), None);
}
