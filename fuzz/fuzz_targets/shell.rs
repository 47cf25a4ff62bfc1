//! Any command line: the analysis ends without a panic, says the same twice, and no guard fails on it.
#![no_main]

use std::path::PathBuf;

use hostler_model::{Action, Event, EventKind, Facts, Host, Place, Profile, SessionId, ToolCall};
use hostler_policy::shell::analyse;
use hostler_policy::{Case, Settings, decide, plan};
use libfuzzer_sys::fuzz_target;

/// A panic of the parser is caught and counts as "not understood"; one of ours is what is hunted here.
fn abort_on_our_own_panics() {
    std::panic::set_hook(Box::new(|info| {
        let parser = info.location().is_some_and(|it| it.file().contains("/brush-parser-"));
        if !parser {
            eprintln!("{info}");
            std::process::abort();
        }
    }));
}

fuzz_target!(init: abort_on_our_own_panics(), |command: &str| {
    let Ok(session) = SessionId::parse("fuzz") else { return };
    let place = Place {
        home: Some(PathBuf::from("/home/dev")),
        root: PathBuf::from("/home/dev/proj"),
        git_dir: Some(PathBuf::from("/home/dev/proj/.git")),
        git_common_dir: Some(PathBuf::from("/home/dev/proj/.git")),
        temp: vec![PathBuf::from("/tmp")],
        host_dirs: vec![PathBuf::from("/home/dev/.claude")],
        ..Place::default()
    };
    let cwd = PathBuf::from("/home/dev/proj");
    assert_eq!(analyse(command, &cwd, &place), analyse(command, &cwd, &place));

    let event = Event {
        host: Host::ClaudeCode,
        name: "PreToolUse".to_owned(),
        session,
        cwd,
        transcript: None,
        agent: None,
        permission_mode: None,
        kind: EventKind::ToolBefore {
            call: ToolCall {
                id: None,
                tool: "Bash".to_owned(),
                action: Action::Shell { command: command.to_owned() },
                input: String::new(),
            },
        },
    };
    let settings = Settings { profile: Profile::Strict, ..Settings::default() };
    let case = Case::new(&event, &place, &settings);
    plan(&case);
    let decision = decide(&case, &Facts::default());
    assert_eq!(decision.faults, Vec::<String>::new());
});
