//! A tree of transcripts as the client would have written it, of any size: tool calls with outputs of 1 to 20 kB,
//! images, thinking, lines that stand there twice, subagents, compaction, and turns that end with claims that hold.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

const MB: u64 = 1_000_000;
/// About as much stands in one session.
const SESSION_BYTES: u64 = 4 * MB;

/// What was written.
#[derive(Debug)]
pub struct Tree {
    /// Sessions.
    pub sessions: u64,
    /// Files, those of subagents included.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Tree {
    /// Writes about `megabytes` MB (10^6 bytes) below `out`, the same every time.
    ///
    /// # Errors
    /// When a folder or file cannot be written.
    pub fn write(out: &Path, megabytes: u64) -> std::io::Result<Self> {
        let wanted = megabytes * MB;
        let mut tree = Self { sessions: 0, files: 0, bytes: 0 };
        while tree.bytes < wanted {
            let number = tree.sessions;
            let size = SESSION_BYTES.min(wanted - tree.bytes).max(100_000);
            let folder = out.join(format!("-home-dev-project-{}", number % 7));
            let mut session = Session::new(&folder, number)?;
            session.write(size)?;
            tree.sessions += 1;
            tree.files += 1 + session.subagents;
            tree.bytes += session.bytes()?;
        }
        Ok(tree)
    }
}

/// The same numbers every time (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.below(items.len() as u64)).unwrap_or_default();
        items[at]
    }
}

/// The transcript that is being written.
struct Session {
    folder: PathBuf,
    id: String,
    dice: Dice,
    out: BufWriter<File>,
    path: PathBuf,
    time_ms: u64,
    entries: u64,
    subagents: u64,
    subagent_bytes: u64,
    last: String,
}

const FILES: [&str; 6] =
    ["src/cart.py", "src/order.py", "src/tax/rates.py", "tests/test_cart.py", "docs/guide.md", "web/app.ts"];
const WORDS: [&str; 16] = [
    "return", "price", "order", "def", "total", "import", "value", "self", "result", "for", "in", "if",
    "else", "lookup", "table", "customer",
];

impl Session {
    fn new(folder: &Path, number: u64) -> std::io::Result<Self> {
        let id = format!("{number:08x}-64de-464e-9d97-09bfa437d8e9");
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{id}.jsonl"));
        Ok(Self {
            folder: folder.to_path_buf(),
            id,
            dice: Dice(0x9e37_79b9_7f4a_7c15 ^ (number + 1)),
            out: BufWriter::new(File::create(&path)?),
            path,
            time_ms: 1_796_045_170_000 + number * 10_000_000,
            entries: 0,
            subagents: 0,
            subagent_bytes: 0,
            last: String::new(),
        })
    }

    fn bytes(&mut self) -> std::io::Result<u64> {
        self.out.flush()?;
        Ok(fs::metadata(&self.path)?.len() + self.subagent_bytes)
    }

    fn write(&mut self, size: u64) -> std::io::Result<()> {
        while self.bytes()? < size {
            self.turn()?;
        }
        Ok(())
    }

    fn id(&mut self) -> String {
        self.entries += 1;
        format!("{}-{:012x}", &self.id[..23], self.entries)
    }

    fn line(&mut self, document: &Value) -> std::io::Result<()> {
        self.time_ms += 1_000;
        let mut document = document.clone();
        let id = self.id();
        for (name, value) in [
            ("uuid", json!(id)),
            ("parentUuid", json!(self.last)),
            ("sessionId", json!(self.id)),
            ("timestamp", json!(time(self.time_ms))),
            ("cwd", json!("/home/dev/shop")),
            ("gitBranch", json!("main")),
            ("version", json!("2.1.332")),
            ("userType", json!("external")),
            ("entrypoint", json!("cli")),
            ("isSidechain", json!(false)),
        ] {
            document[name] = value;
        }
        self.last = id;
        writeln!(self.out, "{document}")?;
        // A line in a hundred stands there twice.
        if self.dice.below(100) == 0 {
            writeln!(self.out, "{document}")?;
        }
        Ok(())
    }

    fn assistant(&mut self, block: &Value) -> std::io::Result<()> {
        let usage = json!({ "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 41_337, "output_tokens": 210, "service_tier": "standard", "cache_creation": { "ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0 } });
        let message = json!({ "id": format!("msg_{}_{}", &self.id[..8], self.entries), "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": [block], "stop_reason": null, "usage": usage });
        self.line(&json!({ "type": "assistant", "message": message, "requestId": "req_011" }))
    }

    fn call(
        &mut self,
        tool: &str,
        input: &Value,
        told: &Value,
        structured: &Value,
        failed: bool,
    ) -> std::io::Result<()> {
        let id = format!("toolu_{}_{:08}", &self.id[..8], self.entries);
        self.assistant(&json!({ "type": "tool_use", "id": id, "name": tool, "input": input }))?;
        for _ in 0..self.dice.below(3) {
            writeln!(
                self.out,
                "{}",
                json!({ "type": "progress", "data": { "type": "bash_progress", "output": "", "elapsedTimeSeconds": 3 }, "toolUseID": id, "sessionId": self.id })
            )?;
        }
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": told, "is_error": failed });
        self.line(&json!({ "type": "user", "message": { "role": "user", "content": [result] }, "toolUseResult": structured }))
    }

    fn text(&mut self, bytes: u64) -> String {
        let mut text = String::new();
        while (text.len() as u64) < bytes {
            for _ in 0..=self.dice.below(9) {
                text.push_str(self.dice.pick(&WORDS));
                text.push_str(if self.dice.below(5) == 0 { "(\"x\"):\t" } else { " " });
            }
            text.push('\n');
        }
        text
    }

    fn output_bytes(&mut self) -> u64 {
        1_000 + self.dice.below(19_000)
    }

    fn turn(&mut self) -> std::io::Result<()> {
        let ask = self.text(300);
        self.line(&json!({ "type": "user", "message": { "role": "user", "content": format!("Please fix the rounding.\n{ask}") } }))?;
        writeln!(
            self.out,
            "{}",
            json!({ "type": "file-history-snapshot", "messageId": "x", "snapshot": { "trackedFileBackups": {} }, "isSnapshotUpdate": false })
        )?;
        let calls = 3 + self.dice.below(12);
        let mut edited = "";
        for _ in 0..calls {
            let thinking = self.text(600);
            if self.dice.below(3) == 0 {
                self.assistant(
                    &json!({ "type": "thinking", "thinking": thinking, "signature": "A".repeat(400) }),
                )?;
            }
            let file = self.dice.pick(&FILES);
            match self.dice.below(20) {
                0..=5 => self.read(file)?,
                6..=8 => {
                    edited = file;
                    self.edit(file)?;
                }
                9 => self.created(file)?,
                10 => self.image()?,
                11 => self.subagent()?,
                12..=14 => self.search()?,
                _ => self.shell()?,
            }
        }
        let passed = 5 + self.dice.below(40);
        self.tests(passed)?;
        let edited = if edited.is_empty() { String::new() } else { format!("- Updated `{edited}`\n") };
        let more = self.text(400);
        self.assistant(&json!({ "type": "text", "text": format!("Done.\n\n{edited}- All {passed} tests pass\n\nI also looked through the callers; the rates stay as they are.\n\n```\n{more}```\n") }))?;
        if self.dice.below(12) == 0 {
            let summary = self.text(3_000);
            self.line(&json!({ "type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true, "message": { "role": "user", "content": summary } }))?;
        }
        Ok(())
    }

    fn read(&mut self, file: &str) -> std::io::Result<()> {
        let size = self.output_bytes();
        let content = self.text(size);
        let numbered: Vec<String> =
            content.lines().enumerate().map(|(at, line)| format!("{:>6}→{line}", at + 1)).collect();
        let numbered = numbered.join(
            "
",
        );
        let path = format!("/home/dev/shop/{file}");
        let structured = json!({ "type": "text", "file": { "filePath": path, "content": content, "numLines": 9, "startLine": 1, "totalLines": 9 } });
        self.call("Read", &json!({ "file_path": path }), &json!(numbered), &structured, false)
    }

    fn edit(&mut self, file: &str) -> std::io::Result<()> {
        let (old, new) = (self.text(400), self.text(500));
        let size = self.output_bytes();
        let original = self.text(size);
        let path = format!("/home/dev/shop/{file}");
        let structured = json!({ "filePath": path, "oldString": old, "newString": new, "originalFile": original, "structuredPatch": [{ "oldStart": 1, "oldLines": 8, "newStart": 1, "newLines": 9, "lines": old.lines().collect::<Vec<_>>() }], "userModified": false, "replaceAll": false });
        let told = json!(format!("The file {path} has been updated successfully."));
        self.call(
            "Edit",
            &json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": false }),
            &told,
            &structured,
            false,
        )
    }

    fn created(&mut self, file: &str) -> std::io::Result<()> {
        let content = self.text(3_000);
        let path = format!("/home/dev/shop/{file}.{}", self.entries);
        let structured = json!({ "type": "create", "filePath": path, "content": content, "structuredPatch": [], "originalFile": null });
        let told = json!(format!("File created successfully at: {path}"));
        self.call("Write", &json!({ "file_path": path, "content": content }), &told, &structured, false)
    }

    fn search(&mut self) -> std::io::Result<()> {
        let size = self.output_bytes() / 4;
        let content = self.text(size);
        let structured =
            json!({ "mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 40 });
        self.call(
            "Grep",
            &json!({ "pattern": "def total", "path": "src", "output_mode": "content" }),
            &json!(content),
            &structured,
            false,
        )
    }

    fn shell(&mut self) -> std::io::Result<()> {
        let command = self.dice.pick(&[
            "git status --short && git diff --stat",
            "cd web && npm run build 2>&1 | tail -40",
            "grep -rn \"total(\" src | head -50",
            "ls -la src tests && cat src/cart.py",
            "sed -n '1,120p' src/order.py",
            "cat > notes.txt <<'EOF'\nremember the rates\nEOF",
            "for f in src/*.py; do python -m py_compile \"$f\" || exit 1; done",
            "docker compose ps",
        ]);
        let size = self.output_bytes();
        let output = self.text(size);
        let failed = self.dice.below(15) == 0;
        let told = if failed { format!("Exit code 1\n{output}") } else { output.clone() };
        let structured = if failed {
            json!(format!("Error: {told}"))
        } else {
            json!({ "stdout": output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false })
        };
        self.call(
            "Bash",
            &json!({ "command": command, "description": "Look" }),
            &json!(told),
            &structured,
            failed,
        )
    }

    fn tests(&mut self, passed: u64) -> std::io::Result<()> {
        let size = self.output_bytes() / 2;
        let noise = self.text(size);
        let output = format!("{noise}\n============ {passed} passed in 0.{passed}s ============\n");
        let structured = json!({ "stdout": output, "stderr": "", "interrupted": false, "isImage": false });
        self.call(
            "Bash",
            &json!({ "command": "python -m pytest -q", "description": "Run the tests" }),
            &json!(output),
            &structured,
            false,
        )
    }

    fn image(&mut self) -> std::io::Result<()> {
        let data = "iVBORw0KGgoAAAANSUhEUgAA"
            .repeat(2_000 + usize::try_from(self.dice.below(8_000)).unwrap_or_default());
        let told = json!([{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": data } }]);
        let structured = json!({ "type": "image", "file": { "base64": data, "type": "image/png", "originalSize": 90_000 } });
        self.call("Read", &json!({ "file_path": "/home/dev/shop/shot.png" }), &told, &structured, false)
    }

    /// A subagent with a transcript of its own.
    fn subagent(&mut self) -> std::io::Result<()> {
        self.subagents += 1;
        let id = format!("a{:07x}", self.subagents);
        let folder = self.folder.join(&self.id).join("subagents");
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("agent-{id}.jsonl"));
        let mut out = BufWriter::new(File::create(&path)?);
        let start_ms = self.time_ms;
        for step in 0..3 + self.dice.below(6) {
            let call = format!("toolu_{}_{id}_{step}", &self.id[..8]);
            let size = self.output_bytes();
            let output = self.text(size);
            let common = |kind: &str, at: u64, message: Value| json!({ "type": kind, "agentId": id, "isSidechain": true, "sessionId": self.id, "uuid": format!("{call}-{kind}"), "timestamp": time(start_ms + at), "cwd": "/home/dev/shop", "version": "2.1.332", "gitBranch": "main", "message": message });
            let input = json!({ "command": "rg total src" });
            let used = json!({ "id": format!("msg_{call}"), "role": "assistant", "content": [{ "type": "tool_use", "id": call, "name": "Bash", "input": input }] });
            writeln!(out, "{}", common("assistant", step * 10, used))?;
            let mut result = common(
                "user",
                step * 10 + 5,
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": call, "content": output, "is_error": false }] }),
            );
            result["toolUseResult"] = json!({ "stdout": output, "stderr": "", "interrupted": false });
            writeln!(out, "{result}")?;
        }
        let said = json!({ "type": "assistant", "agentId": id, "isSidechain": true, "sessionId": self.id, "uuid": format!("{id}-end"), "timestamp": time(start_ms + 900), "cwd": "/home/dev/shop", "message": { "id": format!("msg_{id}_end"), "role": "assistant", "content": [{ "type": "text", "text": "I searched `src` for the callers of `total`." }] } });
        writeln!(out, "{said}")?;
        out.flush()?;
        self.subagent_bytes += fs::metadata(&path)?.len();
        let structured = json!({ "status": "completed", "agentId": id, "agentType": "general-purpose", "content": [{ "type": "text", "text": "done" }], "totalDurationMs": 900, "totalTokens": 110 });
        self.call("Agent", &json!({ "description": "Look around", "prompt": "find the callers", "subagent_type": "general-purpose" }), &json!([{ "type": "text", "text": "I searched `src`." }]), &structured, false)
    }
}

/// `time_ms` of 2026 in the client's form.
fn time(time_ms: u64) -> String {
    let (seconds, milliseconds) = (time_ms / 1_000, time_ms % 1_000);
    // From noon of 2026-11-30 on; days run over into further months, which no reader minds up to the 31st.
    let since = seconds.saturating_sub(1_796_040_000);
    let (hours, minutes, seconds) = (12 + since / 3_600, since / 60 % 60, since % 60);
    let (days, hours) = (hours / 24, hours % 24);
    format!("2026-12-{:02}T{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}Z", 1 + days % 31)
}
