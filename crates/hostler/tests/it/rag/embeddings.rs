//! What makes vectors: hashed words, a model in a folder, an endpoint, and what happens when they change or fail.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::ground::{Ground, paths};

/// An endpoint on this machine that knows which words mean the same. It ends with the tests.
struct Endpoint {
    url: String,
    /// Batches and keys that it was asked with.
    asked: Arc<Mutex<Vec<(usize, String)>>>,
}

/// A vector of `dims` numbers: 1 for a car, 1 for a fruit, and something small that tells texts apart.
fn meaning(text: &str, dims: usize) -> Vec<f64> {
    let has = |words: &[&str]| f64::from(u8::from(words.iter().any(|it| text.to_lowercase().contains(it))));
    let mut vector = vec![0.0; dims];
    vector[0] = has(&["automobile", "sedan"]);
    vector[1] = has(&["fruit", "quince"]);
    vector[2] = 0.1 + f64::from(u32::try_from(text.len() % 10).unwrap()) / 100.0;
    vector
}

impl Endpoint {
    fn new(dims: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || while answer(&stream, dims, &kept).is_some() {});
            }
        });
        Self { url, asked }
    }

    fn on<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("RAG_EMBEDDINGS_URL", &self.url)
            .env("RAG_EMBEDDINGS_MODEL", "a-model")
            .env("RAG_EMBEDDINGS_KEY", "a-key")
    }
}

/// Answers one request; `None` where no further one comes.
fn answer(stream: &TcpStream, dims: usize, asked: &Mutex<Vec<(usize, String)>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while 2 < reader.read_line(&mut head).ok()? {}
    let field = |name: &str| {
        head.lines().find_map(|it| {
            let (key, value) = it.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let mut body = vec![0; field("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).unwrap();
    let texts = request["input"].as_array().unwrap();
    asked.lock().unwrap().push((texts.len(), field("authorization").unwrap_or_default()));
    let data: Vec<Value> =
        texts.iter().map(|it| json!({ "embedding": meaning(it.as_str().unwrap(), dims) })).collect();
    let body = json!({ "data": data }).to_string();
    let mut stream = stream;
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).ok()
}

#[track_caller]
fn well(output: Output) -> (Value, String) {
    assert!(output.status.success(), "{output:?}");
    (serde_json::from_slice(&output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[track_caller]
fn index(ground: &Ground, endpoint: Option<&Endpoint>) -> (Value, String) {
    let tree = ground.tree();
    let mut command = ground.command(&["index", tree.to_str().unwrap(), "--json"]);
    well(
        endpoint
            .map_or_else(
                || ground.command(&["index", tree.to_str().unwrap(), "--json"]).output(),
                |it| it.on(&mut command).output(),
            )
            .unwrap(),
    )
}

#[track_caller]
fn search(ground: &Ground, endpoint: Option<&Endpoint>, query: &str) -> (Vec<String>, String) {
    let mut command = ground.command(&["search", query, "--json"]);
    let command = match endpoint {
        Some(it) => it.on(&mut command),
        None => &mut command,
    };
    let (answer, told) = well(command.output().unwrap());
    (paths(&answer), told)
}

/// More chunks than a source of old looked at by vectors.
fn many() -> Ground {
    let ground = Ground::new();
    for file in 0..21 {
        let sections =
            (0..100).map(|it| format!("# Part {file} {it}\n\nnothing of note in {file} and {it}\n\n"));
        ground.write(&format!("parts/{file}.md"), sections.collect::<String>());
    }
    ground.write("car.md", "# Wheels\n\nA sedan has four of them.\n");
    ground.write("quince.md", "# Tree\n\nThe quince is ripe.\n");
    ground
}

// @traces RAG-010
#[test]
fn an_endpoint_finds_what_no_word_would() {
    let ground = many();
    let endpoint = Endpoint::new(4);
    let (indexed, _) = index(&ground, Some(&endpoint));
    assert_eq!((&indexed["mode"], &indexed["dims"]), (&json!("remote"), &json!(4)), "{indexed}");
    assert!(2_000 < indexed["chunks"].as_u64().unwrap(), "{indexed}");
    let asked = endpoint.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|(size, key)| *size <= 32 && key == "Bearer a-key"), "{asked:?}");
    assert!(asked.iter().filter(|(size, _)| *size == 32).count() >= 60);
    let (found, told) = search(&ground, Some(&endpoint), "automobile");
    assert_eq!((found.first().map(String::as_str), told.as_str()), (Some("car.md"), ""));
    assert_eq!(search(&ground, Some(&endpoint), "fruit").0[0], "quince.md");
    // A second run asks for nothing.
    let before = endpoint.asked.lock().unwrap().len();
    index(&ground, Some(&endpoint));
    assert_eq!(endpoint.asked.lock().unwrap().len(), before);
}

// @traces RAG-008
#[test]
fn a_glob_leaves_out_what_is_as_near() {
    let ground = Ground::with(&[("docs/one.md", "# One\n\na sedan\n")]);
    for number in 0..80 {
        ground.write(&format!("cars/{number}.md"), format!("# Car {number}\n\nsedan {number}\n"));
    }
    let endpoint = Endpoint::new(4);
    index(&ground, Some(&endpoint));
    let mut command = ground.command(&["search", "automobile", "--glob", "docs/*", "--json"]);
    assert_eq!(paths(&well(endpoint.on(&mut command).output().unwrap()).0), ["docs/one.md"]);
}

// @traces RAG-010
#[test]
fn an_endpoint_that_fails_leaves_a_run_with_hashed_words_and_is_told() {
    let ground = Ground::with(&[("a.md", "# A\n\nquantum marmalade\n")]);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Endpoint { url: format!("http://127.0.0.1:{port}/"), asked: Arc::default() };
    let (indexed, told) = index(&ground, Some(&nobody));
    assert_eq!((&indexed["mode"], &indexed["dims"]), (&json!("local"), &json!(256)), "{indexed}");
    assert!(told.contains("cannot be reached") && told.contains("local"), "{told}");
    assert!(!told.contains("a-key"), "{told}");
    assert_eq!(search(&ground, Some(&nobody), "marmalade").0, ["a.md"]);
}

// @traces RAG-011
#[test]
fn a_search_uses_what_the_index_was_built_with() {
    let ground =
        Ground::with(&[("a.md", "# A\n\nA sedan with quantum marmalade.\n"), ("b.md", "# B\n\nb\n")]);
    let endpoint = Endpoint::new(4);
    index(&ground, Some(&endpoint));
    let (found, told) = search(&ground, None, "marmalade");
    assert_eq!(found, ["a.md"]);
    assert!(told.contains("none is configured; ranked by keywords only"), "{told}");
    assert_eq!(search(&ground, None, "automobile").0, [""; 0]);
    // Gone since: words are left, and that is told.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Endpoint { url: format!("http://127.0.0.1:{port}/"), asked: Arc::default() };
    let (found, told) = search(&ground, Some(&nobody), "marmalade");
    assert_eq!(found, ["a.md"]);
    assert!(told.contains("cannot be reached") && told.contains("ranked by keywords only"), "{told}");
    // The other way round: an index of hashed words asks no endpoint.
    index(&ground, None);
    let before = endpoint.asked.lock().unwrap().len();
    assert_eq!(search(&ground, Some(&endpoint), "marmalade").0, ["a.md"]);
    assert_eq!(endpoint.asked.lock().unwrap().len(), before);
}

// @traces RAG-011
#[test]
fn other_dimensions_make_every_vector_anew() {
    let ground = Ground::with(&[("a.md", "# A\n\na sedan\n"), ("b.md", "# B\n\na quince\n")]);
    let status = |ground: &Ground| ground.json(&["status"]);
    for (endpoint, dims) in [(Some(Endpoint::new(4)), 4), (Some(Endpoint::new(6)), 6), (None, 256)] {
        ground.write("c.md", format!("# C\n\nchanged for {dims}\n"));
        let (indexed, _) = index(&ground, endpoint.as_ref());
        assert_eq!(
            (&indexed["dims"], &indexed["rechunked"].as_u64().map(|it| it <= 3)),
            (&json!(dims), &Some(true))
        );
        let status = status(&ground);
        assert_eq!((&status["dims"], &status["vectors"]), (&json!(dims), &status["chunks"]), "{status}");
        if endpoint.is_some() {
            assert_eq!(search(&ground, endpoint.as_ref(), "automobile").0[0], "a.md");
        }
    }
}

/// A model of four words as a folder has it.
fn model(folder: &Path, rows: &[[f32; 2]; 4]) {
    fs::create_dir_all(folder).unwrap();
    let vocabulary = json!({ "[UNK]": 0, "automobile": 1, "sedan": 2, "quince": 3 });
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" }, "pre_tokenizer": { "type": "Whitespace" },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    fs::write(folder.join("config.json"), r#"{"normalize": true}"#).unwrap();
    let header =
        json!({ "embeddings": { "dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32] } }).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|it| it.to_le_bytes()));
    fs::write(folder.join("model.safetensors"), bytes).unwrap();
}

#[test]
fn a_model_in_a_folder_finds_what_no_word_would_and_is_known_by_its_content() {
    let ground = Ground::with(&[
        ("car.md", "# C\n\na sedan\n"),
        ("q.md", "# Q\n\na quince\n"),
        ("n.md", "# N\n\nno\n"),
    ]);
    let folder = ground.path("home/a model");
    let rows = [[0.0, 0.0], [1.0, 0.1], [1.0, 0.0], [0.0, 1.0]];
    model(&folder, &rows);
    let config = ground.path("home/.config/hostler");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[rag.embeddings]\nmodel = \"~/a model\"\n").unwrap();
    let indexed = ground.index();
    assert_eq!((&indexed["mode"], &indexed["dims"]), (&json!("model"), &json!(2)), "{indexed}");
    let name = ground.json(&["status"])["embedding_name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("a model-"), "{name}");
    assert_eq!(ground.found("automobile")[0], "car.md");
    // Other content under the same name is another model: its vectors do not mix with what is there.
    model(&folder, &[rows[0], rows[3], rows[2], rows[1]]);
    let (_, told) = search(&ground, None, "sedan");
    assert!(told.contains("ranked by keywords only") && told.contains(&name), "{told}");
    ground.index();
    assert_ne!(ground.json(&["status"])["embedding_name"], *name);
    assert_eq!(search(&ground, None, "sedan"), (ground.found("sedan"), String::new()));
    // A folder that is none is told, and the index stays.
    fs::remove_dir_all(&folder).unwrap();
    let told = ground.fails(&["search", "sedan"], 3);
    assert!(told.contains("is no model") && told.contains("tokenizer.json"), "{told}");
}

// @traces RAG-009
#[test]
fn by_default_vectors_need_nothing_and_are_the_same_every_time() {
    let files = [("a.md", "# A\n\nquantum marmalade\n"), ("b.md", "# B\n\nhazelnuts\n")];
    let answers: Vec<Value> = (0..2)
        .map(|_| {
            let ground = Ground::with(&files);
            let indexed = ground.index();
            assert_eq!((&indexed["mode"], &indexed["dims"]), (&json!("local"), &json!(256)), "{indexed}");
            let status = ground.json(&["status"]);
            assert_eq!(status["vectors"], status["chunks"], "{status}");
            // Found by its letters alone: the score is the vector's.
            ground.json(&["search", "marmelade", "--explain"])
        })
        .collect();
    assert_eq!(answers[0], answers[1]);
    assert_eq!(paths(&answers[0]), ["a.md"]);
}
