//! Files that were made to be hard to read.

use std::time::{Duration, Instant};

use super::World;

/// Each of these took time with the square of its length once: twenty seconds and more.
#[test]
fn long_texts_are_read_in_one_go() {
    let n = 20_000;
    let mark = format!("{}traces FR-1", '@');
    let texts = [
        ("shift.sh", "x=$((1<<n))\n".repeat(n)),
        ("braces.rs", format!("{}{}", "{\n".repeat(n), "}\n".repeat(n))),
        ("modules.rs", format!("{}{}", "mod m {\n".repeat(n), "}\n".repeat(n))),
        ("raw.rs", "r#\" ".repeat(n)),
        ("raw.cpp", "R\"x( ".repeat(n)),
        ("comments.py", format!("# {mark}\n").repeat(n)),
        ("functions.py", format!("def f():\n    # {mark}\n    pass\n").repeat(n / 4)),
        ("headings.md", format!("# a\n<!-- {mark} -->\n").repeat(n)),
        ("keys.yaml", format!("a: # {mark}\n").repeat(n)),
        ("comments.yaml", format!("# {mark}\n").repeat(n)),
        ("expressions.ts", "x = /[ ".repeat(n)),
        ("tables.ts", "it.each([{ ".repeat(n)),
    ];
    let world = World::new();
    world.write("requirements.csv", "id,text\nFR-1,a\n");
    for (path, text) in texts {
        world.write(path, &format!("# {mark}\n// {mark}\n{text}"));
    }
    let started = Instant::now();
    world.ok(&["matrix", "--no-cache"]);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// Ids of seventy thousand digits, and ranges of them: a panic and gigabytes once.
#[test]
fn no_id_is_too_long_to_be_refused() {
    let world = World::new();
    world.write("requirements.csv", "id,text\nFR-1,a\n");
    let line = format!("# {}traces REQ-{}1..1000\n", '@', "0".repeat(60_000));
    world.write("a.py", &line.repeat(30));
    let document = world.ok(&["matrix", "--format", "json", "--no-cache"]);
    assert!(document.contains("unreadable-tag"), "{document}");
}
