//! The gates through the real program: reviews that somebody asks for, edits before they land, and the ends of turns.

mod edit;
mod killed;
mod review;
mod stop;
mod tools;

use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::hook::{Answer, World, finish};

/// Without tools of anybody, so that a test tells the same on every machine.
pub(crate) const ALONE: &str =
    "[gates.tools]\nruff = \"off\"\nmypy = \"off\"\npytest = \"off\"\nimport = \"off\"\n";

/// A session of the client in a repository.
struct Session {
    world: World,
    next: AtomicU32,
}

impl Session {
    /// A session that finds these files committed.
    fn new(config: &str, files: &[(&str, &str)]) -> Self {
        let world = World::new().configured(config);
        for (path, text) in files {
            world.write(path, text);
        }
        commit(&world);
        Self::begun(world)
    }

    fn begun(world: World) -> Self {
        let session = Self { world, next: AtomicU32::new(1) };
        session.event("SessionStart", &json!({ "source": "startup" }));
        session.event("UserPromptSubmit", &json!({ "prompt": "work on the shop" }));
        session
    }

    fn event(&self, name: &str, more: &Value) -> Value {
        self.world.hook(self.world.event(name, more))
    }

    fn id(&self) -> String {
        format!("toolu_{}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// What a call is answered with before it runs.
    fn before(&self, tool: &str, input: &Value) -> Value {
        self.world.hook(self.world.payload(tool, input, &self.id()))
    }

    /// A file that the agent wrote: it is there, and its call was told.
    fn wrote(&self, path: &str, text: &str) {
        self.world.write(path, text);
        let path = self.world.path(path);
        let input = json!({ "file_path": path, "content": text });
        let mut payload: Value =
            serde_json::from_str(&self.world.payload("Write", &input, &self.id())).unwrap();
        payload["hook_event_name"] = "PostToolUse".into();
        payload["tool_response"] = json!({ "type": "create", "filePath": path, "content": text });
        self.world.hook(payload.to_string());
    }

    /// The end of a turn: the reply, and what was said on stderr.
    #[track_caller]
    fn end(&self, continuing: bool) -> (Value, String) {
        let fields = json!({ "last_assistant_message": "Here you are.", "stop_hook_active": continuing });
        let payload = self.world.event("Stop", &fields);
        let Answer { code, stdout, stderr } =
            finish(self.world.start(&["hook", "claude"]), payload.as_bytes());
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        (serde_json::from_str(&stdout).unwrap(), stderr)
    }

    /// An event that is also told on stderr.
    fn event_loud(&self, name: &str, more: &Value) -> Value {
        let payload = self.world.event(name, more);
        let answer = finish(self.world.start(&["hook", "claude"]), payload.as_bytes());
        serde_json::from_str(&answer.stdout).unwrap()
    }

    /// What sends the agent back.
    #[track_caller]
    fn blocked(&self, continuing: bool) -> String {
        let (reply, _) = self.end(continuing);
        assert_eq!(reply["decision"], "block", "{reply}");
        reply["reason"].as_str().unwrap().to_owned()
    }

    /// What the user hears of a turn that ends.
    #[track_caller]
    fn released(&self, continuing: bool) -> String {
        let (reply, _) = self.end(continuing);
        assert!(reply.get("decision").is_none(), "{reply}");
        reply["systemMessage"].as_str().unwrap_or_default().to_owned()
    }
}

fn commit(world: &World) {
    world.git(&["add", "--all"]);
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
    world.git(&[&identity[..], &["commit", "--quiet", "--allow-empty", "-m", "more"]].concat());
}

/// A function whose deepest block lies `depth` deep.
fn nested(name: &str, depth: usize) -> String {
    let mut out = format!("def {name}(items):\n");
    for level in 1..=depth {
        let _ = writeln!(out, "{}if items[{level}]:", "    ".repeat(level));
    }
    let _ = writeln!(out, "{}return 1", "    ".repeat(depth + 1));
    out.push_str("    return 0\n");
    out
}

/// A class with so many public methods.
fn methods(count: usize) -> String {
    let mut out = "class Basket:\n".to_owned();
    for at in 0..count {
        let _ = write!(out, "    def part_{at}(self):\n        return {at} + 1\n\n");
    }
    out
}
