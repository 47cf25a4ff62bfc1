#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::*;

/// What a server was asked.
#[derive(Debug)]
struct Asked {
    head: String,
    body: Value,
}

/// A server that gives these answers, one a request, and ends.
struct Server {
    url: String,
    asked: Receiver<Asked>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn new(answers: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let (sender, asked) = channel();
        let thread = std::thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let request = read(&stream);
                let bytes = answer(&request.body);
                sender.send(request).unwrap();
                // A client that has read enough may be gone.
                let _ = (&stream).write_all(&bytes);
            }
        });
        Self { url, asked, thread: Some(thread) }
    }

    fn client(&self, key: &str) -> Client {
        Client::new(Endpoint { url: self.url.clone(), model: "m".to_owned(), key: key.to_owned() }).unwrap()
    }

    fn end(mut self) -> Vec<Asked> {
        self.thread.take().unwrap().join().unwrap();
        self.asked.try_iter().collect()
    }
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {}
    let lower = head.to_ascii_lowercase();
    let length =
        lower.lines().find_map(|it| it.strip_prefix("content-length: ")?.trim().parse().ok()).unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Asked { head: lower, body: serde_json::from_slice(&body).unwrap() }
}

fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// One vector a text: its length, and its place in the batch.
fn good(request: &Value) -> Vec<u8> {
    let vector = |(at, text): (usize, &Value)| json!({ "embedding": [text.as_str().unwrap().len(), at] });
    let data: Vec<Value> = request["input"].as_array().unwrap().iter().enumerate().map(vector).collect();
    http("200 OK", "", &json!({ "data": data }).to_string())
}

type Reply = Box<dyn Fn(&Value) -> Vec<u8> + Send>;

fn says(status: &'static str, headers: &'static str, body: &'static str) -> Reply {
    Box::new(move |_| http(status, headers, body))
}

// @traces RAG-010
#[test]
fn texts_go_in_batches_of_thirty_two_with_the_key() {
    let server = Server::new(vec![Box::new(good), Box::new(good), Box::new(good)]);
    let texts: Vec<String> = (0..70).map(|it| "x".repeat(it)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = server.client("a-key").embed(&texts).unwrap();
    assert_eq!(vectors.len(), 70);
    assert!(vectors.iter().zip(0_u16..).all(|(it, at)| (it[0] - f32::from(at)).abs() < 1e-6));
    let asked = server.end();
    let sizes: Vec<usize> = asked.iter().map(|it| it.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [32, 32, 6]);
    for it in &asked {
        assert_eq!(it.body["model"], "m");
        assert!(
            it.head.starts_with("post /v1/embeddings ")
                && it.head.contains("authorization: bearer a-key\r\n")
        );
    }
    assert_eq!(REQUEST_MAX, Duration::from_secs(30));
}

#[test]
fn without_a_key_none_is_sent() {
    let server = Server::new(vec![Box::new(good)]);
    server.client("").embed(&["a"]).unwrap();
    assert!(!server.end()[0].head.contains("authorization"));
}

#[test]
fn vectors_are_put_in_the_order_of_the_texts() {
    let server = Server::new(vec![says(
        "200 OK",
        "",
        r#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}"#,
    )]);
    assert_eq!(server.client("").embed(&["a", "b"]).unwrap(), [[1.0], [2.0]]);
    server.end();
}

#[test]
fn what_may_pass_is_tried_again_and_what_does_not_is_told() {
    let server = Server::new(vec![
        says("503 Busy", "", "{}"),
        says("429 Slow", "retry-after: 0\r\n", "{}"),
        Box::new(good),
    ]);
    assert_eq!(server.client("").embed(&["abc"]).unwrap(), [[3.0, 0.0]]);
    assert_eq!(server.end().len(), 3);
    let server =
        Server::new(vec![says("500 No", "", "{}"), says("500 No", "", "{}"), says("500 No", "", "{}")]);
    let error = server.client("").embed(&["a"]).unwrap_err();
    assert!(matches!(error, Error::Status { status: 500, .. }), "{error}");
    assert_eq!(server.end().len(), 3);
    let server = Server::new(vec![says("401 No", "", r#"{"error": {"message": "wrong\nkey"}}"#)]);
    let error = server.client("s3cret").embed(&["a text"]).unwrap_err().to_string();
    assert!(error.ends_with("returned HTTP 401: wrong key"), "{error}");
    assert!(!error.contains("s3cret") && !error.contains("a text"));
    assert_eq!(server.end().len(), 1);
}

#[track_caller]
fn refused(reply: Reply, texts: &[&str], words: &str) {
    let server = Server::new(vec![reply]);
    let error = server.client("").embed(texts).unwrap_err();
    assert!(matches!(error, Error::Shape { .. } | Error::Status { .. }), "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(server.end().len(), 1, "asked again");
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_is_refused() {
    refused(says("200 OK", "", "<html>"), &["a"], "an unexpected answer");
    refused(says("200 OK", "", r#"{"data": []}"#), &["a"], "0 vectors for 1 texts");
    refused(says("200 OK", "", r#"{"data": [{"embedding": []}]}"#), &["a"], "an empty vector");
    refused(says("200 OK", "", r#"{"data": [{"embedding": [1e99]}]}"#), &["a"], "");
    refused(
        says("200 OK", "", r#"{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}"#),
        &["a", "b"],
        "different lengths",
    );
    refused(
        says("200 OK", "", r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}"#),
        &["a", "b"],
        "other texts",
    );
    refused(says("307 Go", "location: http://127.0.0.1:1/\r\n", ""), &["a"], "HTTP 307");
    refused(
        Box::new(|_| http("200 OK", "", &" ".repeat(17 * 1024 * 1024))),
        &["a"],
        "more than 16777216 bytes",
    );
}

#[test]
fn who_cannot_be_reached_is_told_without_secrets() {
    // Bound and let go: nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://name:word@127.0.0.1:{port}/v1?key=hidden");
    let client = Client::new(Endpoint { url, model: "m".to_owned(), key: "s3cret".to_owned() }).unwrap();
    let error = client.embed(&["a"]).unwrap_err();
    let told = error.to_string();
    assert!(matches!(error, Error::Unreachable { .. }), "{told}");
    assert!(told.contains(&format!("`http://127.0.0.1:{port}/v1`")), "{told}");
    assert!(!["word", "hidden", "s3cret"].iter().any(|it| told.contains(it)), "{told}");
    assert!(!format!("{client:?}").contains("s3cret"), "{client:?}");
}

#[test]
fn an_address_or_key_that_cannot_be_used_is_told_before_anything_is_sent() {
    let new = |url: &str, key: &str| {
        let endpoint = Endpoint { url: url.to_owned(), model: "m".to_owned(), key: key.to_owned() };
        Client::new(endpoint).map(|_| ()).unwrap_err()
    };
    for url in ["", "x", "ftp://h/", "file:///etc/passwd", "http://a b/"] {
        assert!(matches!(new(url, ""), Error::Address(_)), "{url}");
    }
    assert!(matches!(new("http://h/", "a\r\nb: c"), Error::Key));
    assert!(matches!(new("http://h/", "ä"), Error::Key));
}
